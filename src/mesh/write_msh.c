#include "grid_impl.h"
#include "read_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Gmsh MSH 4.1 and 2.2, text and binary. Sets are physical groups; those of vertices are points on
// them (elements of type 15). Elements of MSH 4.1 stand together by entities, one for each
// combination of groups.

typedef struct share { // of cells, or vertices, that are in the same sets
  int parent, tag;     // those of the parent and this group; share 0 is in none
  int n, first;        // members; the first one
} share;

typedef struct msh {
  const pl_grid *g;
  const pl_grid_opts *o;
  const char *path;
  pl_text t;
  int *tag; // [nset] physical group of a set: one for each name and dimension
  int ncell;
  int *cell;  // [ncell] cells in the order of the file
  int *of[4]; // share of each vertex (dimension 0) or cell, by its number among all
  share *share[4];
  int nshare[4], cap[4];
} msh;

static const int gmsh_type[PL_GRID_TYPES] = {1, 2, 3, 4, 5, 8, 9, 16, 11, 17, 6, 7, 18, 19};
enum { GMSH_POINT = 15, NAME_MOST = 127 };

// ---- numbers ------------------------------------------------------------------------------------

static void put_bytes(msh *m, const void *p, size_t n) {
  pl_text_put(&m->t, p, n);
}

static char *digits(char *p, int64_t v) {
  char digit[24];
  int n = 0;
  uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
  if (v < 0) *p++ = '-';
  do digit[n++] = (char)('0' + u % 10);
  while ((u /= 10) > 0);
  while (n > 0) *p++ = digit[--n];
  return p;
}

static void put_text_int(msh *m, int64_t v) {
  char word[32], *p = digits(word, v);
  *p++ = ' ';
  put_bytes(m, word, (size_t)(p - word));
}

// an int of C in binary files
static void put_int(msh *m, int v) {
  if (m->o->text)
    put_text_int(m, v);
  else
    put_bytes(m, &v, sizeof v);
}

// a size_t in binary files
static void put_size(msh *m, int64_t v) {
  if (m->o->text)
    put_text_int(m, v);
  else
    put_bytes(m, &v, sizeof v);
}

static void put_real(msh *m, double x) {
  if (m->o->text)
    pl_text_add(&m->t, "%.17g ", x);
  else
    put_bytes(m, &x, sizeof x);
}

static void put_line(msh *m) {
  if (m->o->text) put_bytes(m, "\n", 1);
}

// ---- groups -------------------------------------------------------------------------------------

static int set_dim(const pl_set *s) {
  return s->type < 0 ? 0 : pl_grid_dim(s->type);
}

static int is_odd(char c) {
  return (unsigned char)c < 32 || c == '"';
}

static pl_status number_groups(msh *m, const grid_names *n, int *count) {
  const pl_grid *g = m->g;
  m->tag = pl_alloc(g->env, (size_t)g->nset, sizeof *m->tag);
  if (!m->tag) return PL_E_NOMEM;
  *count = 0;
  for (int k = 0; k < g->nset; k++) {
    for (int i = 0; i < k && !m->tag[k]; i++)
      if (set_dim(&g->set[i]) == set_dim(&g->set[k]) && strcmp(n->other[i], n->other[k]) == 0)
        m->tag[k] = m->tag[i];
    if (!m->tag[k]) m->tag[k] = ++*count;
  }
  return PL_OK;
}

static void put_names(msh *m, const grid_names *n, int count) {
  if (count == 0) return;
  pl_text_add(&m->t, "$PhysicalNames\n%d\n", count);
  for (int k = 0, next = 1; k < m->g->nset; k++)
    if (m->tag[k] == next) {
      pl_text_add(&m->t, "%d %d \"%s\"\n", set_dim(&m->g->set[k]), next, n->other[k]);
      next++;
    }
  pl_text_add(&m->t, "$EndPhysicalNames\n");
}

// Splits the shares of a dimension by a set: members go on to a share of their own.
static pl_status split_share(msh *m, int dim, const pl_set *set, int tag, int *to) {
  size_t first = set->type < 0 ? 0 : grid_first(m->g, set->type);
  int before = m->nshare[dim];
  for (int k = 0; k < before; k++) to[k] = -1;
  for (int i = 0; i < set->n; i++) {
    int *of = &m->of[dim][first + (size_t)set->index[i]];
    if (to[*of] < 0) {
      PL_TRY(pl_grow(m->g->env, &m->share[dim], m->nshare[dim], &m->cap[dim], sizeof(share)));
      to[*of] = m->nshare[dim];
      m->share[dim][m->nshare[dim]++] = (share){.parent = *of, .tag = tag};
    }
    *of = to[*of];
  }
  return PL_OK;
}

static pl_status find_shares(msh *m, int dim) {
  const pl_grid *g = m->g;
  m->of[dim] = pl_alloc(g->env, dim == 0 ? (size_t)g->nvert : (size_t)m->ncell, sizeof(int));
  if (!m->of[dim]) return PL_E_NOMEM;
  PL_TRY(pl_grow(g->env, &m->share[dim], 0, &m->cap[dim], sizeof(share)));
  m->share[dim][0] = (share){.parent = -1};
  m->nshare[dim] = 1;
  for (int k = 0; k < g->nset; k++) {
    if (set_dim(&g->set[k]) != dim) continue;
    int *to = pl_alloc(g->env, (size_t)m->nshare[dim], sizeof *to);
    if (!to) return PL_E_NOMEM;
    pl_status s = split_share(m, dim, &g->set[k], m->tag[k], to);
    pl_free(g->env, to);
    PL_TRY(s);
  }
  return PL_OK;
}

static void count_shares(msh *m) {
  for (int i = 0; i < m->g->nvert; i++) {
    share *s = &m->share[0][m->of[0][i]];
    if (s->n++ == 0) s->first = i;
  }
  // nobody has points on vertices without groups
  m->share[0][0].n = 0;
  for (int t = 0, c = 0; t < PL_GRID_TYPES; t++)
    for (int i = 0; i < m->g->cell[t].n; i++, c++)
      m->share[pl_grid_dim(t)][m->of[pl_grid_dim(t)][c]].n++;
}

// ---- entities -----------------------------------------------------------------------------------

static void put_entities(msh *m) {
  const pl_grid *g = m->g;
  double lo[3], hi[3];
  pl_mesh box = {.nvert = g->nvert, .X = g->X};
  pl_mesh_bounds(&box, lo, hi);
  pl_text_add(&m->t, "$Entities\n");
  for (int d = 0; d < 4; d++) {
    int n = 0;
    for (int k = 0; k < m->nshare[d]; k++) n += m->share[d][k].n > 0;
    put_size(m, n);
  }
  put_line(m);
  for (int d = 0; d < 4; d++)
    for (int k = 0; k < m->nshare[d]; k++) {
      const share *s = &m->share[d][k];
      if (s->n == 0) continue;
      put_int(m, k + 1);
      for (int c = 0; c < 3; c++) put_real(m, d == 0 ? g->X[3 * s->first + c] : lo[c]);
      for (int c = 0; c < 3 && d > 0; c++) put_real(m, hi[c]);
      int n = 0;
      for (int a = k; a > 0; a = m->share[d][a].parent) n++;
      put_size(m, n);
      for (int a = k; a > 0; a = m->share[d][a].parent) put_int(m, m->share[d][a].tag);
      if (d > 0) put_size(m, 0); // what bounds it
      put_line(m);
    }
  pl_text_add(&m->t, m->o->text ? "$EndEntities\n" : "\n$EndEntities\n");
}

static int top_dim(const msh *m) {
  int d = 0;
  for (int t = 0; t < PL_GRID_TYPES; t++)
    if (m->g->cell[t].n > 0 && pl_grid_dim(t) > d) d = pl_grid_dim(t);
  return d;
}

static void put_nodes4(msh *m) {
  const pl_grid *g = m->g;
  int dim = top_dim(m), entity = 0;
  while (m->share[dim][entity].n == 0) entity++;
  pl_text_add(&m->t, "$Nodes\n");
  put_size(m, 1);
  put_size(m, g->nvert);
  put_size(m, 1);
  put_size(m, g->nvert);
  put_line(m);
  put_int(m, dim);
  put_int(m, entity + 1);
  put_int(m, 0);
  put_size(m, g->nvert);
  put_line(m);
  for (int i = 0; i < g->nvert; i++) {
    put_size(m, i + 1);
    put_line(m);
  }
  for (int i = 0; i < g->nvert; i++) {
    for (int c = 0; c < 3; c++) put_real(m, g->X[3 * i + c]);
    put_line(m);
  }
  pl_text_add(&m->t, m->o->text ? "$EndNodes\n" : "\n$EndNodes\n");
}

static void put_nodes2(msh *m) {
  pl_text_add(&m->t, "$Nodes\n%d\n", m->g->nvert);
  for (int i = 0; i < m->g->nvert; i++) {
    put_int(m, i + 1);
    for (int c = 0; c < 3; c++) put_real(m, m->g->X[3 * i + c]);
    put_line(m);
  }
  pl_text_add(&m->t, m->o->text ? "$EndNodes\n" : "\n$EndNodes\n");
}

// ---- elements -----------------------------------------------------------------------------------

// vertices of a cell in Gmsh's order
static void put_vertices(msh *m, int type, int cell) {
  int nv = pl_grid_nvert(type), out[PL_CELL_VERT_MAX], corners = nv;
  const int *v = m->g->cell[type].v + (size_t)cell * (size_t)nv;
  const int *from = msh_edge_order(type, &corners);
  memcpy(out, v, (size_t)nv * sizeof *v);
  for (int e = 0; from && corners + e < nv; e++) out[corners + from[e]] = v[corners + e];
  for (int k = 0; k < nv; k++) {
    if (m->o->old)
      put_int(m, out[k] + 1);
    else
      put_size(m, out[k] + 1);
  }
  put_line(m);
}

static void put_block4(msh *m, int dim, int entity, int gmsh, int n) {
  put_int(m, dim);
  put_int(m, entity + 1);
  put_int(m, gmsh);
  put_size(m, n);
  put_line(m);
}

// cells of a type by their shares: order[first[k] .. first[k + 1]) are those of share k
static void sort_cells(const msh *m, int type, int *first, int *order) {
  int dim = pl_grid_dim(type), nshare = m->nshare[dim], n = m->g->cell[type].n;
  const int *of = m->of[dim] + grid_first(m->g, type);
  memset(first, 0, ((size_t)nshare + 2) * sizeof *first);
  for (int i = 0; i < n; i++) first[of[i] + 2]++;
  for (int k = 2; k < nshare + 2; k++) first[k] += first[k - 1];
  for (int i = 0; i < n; i++) order[first[of[i] + 1]++] = i;
}

// write 0: counts blocks alone
static int put_cells4(msh *m, int type, const int *first, const int *order, int write) {
  int dim = pl_grid_dim(type), count = 0, at = (int)grid_first(m->g, type);
  for (int k = 0; k < m->nshare[dim]; k++) {
    if (first[k] == first[k + 1]) continue;
    count++;
    if (!write) continue;
    put_block4(m, dim, k, gmsh_type[type], first[k + 1] - first[k]);
    for (int i = first[k]; i < first[k + 1]; i++) {
      m->cell[at + i] = at + order[i];
      put_size(m, at + i + 1);
      put_vertices(m, type, order[i]);
    }
  }
  return count;
}

static void put_points4(msh *m) {
  int64_t id = m->ncell;
  for (int k = 1; k < m->nshare[0]; k++) {
    if (m->share[0][k].n == 0) continue;
    put_block4(m, 0, k, GMSH_POINT, m->share[0][k].n);
    for (int i = 0; i < m->g->nvert; i++) {
      if (m->of[0][i] != k) continue;
      put_size(m, ++id);
      put_size(m, i + 1);
      put_line(m);
    }
  }
}

static int walk_cells4(msh *m, int *first, int *order, int write) {
  int nblock = 0;
  for (int t = 0; t < PL_GRID_TYPES; t++) {
    if (m->g->cell[t].n == 0) continue;
    sort_cells(m, t, first, order);
    nblock += put_cells4(m, t, first, order, write);
  }
  return nblock;
}

static void put_elements4(msh *m, int *first, int *order) {
  int nblock = 0, npoint = 0;
  for (int k = 1; k < m->nshare[0]; k++) {
    nblock += m->share[0][k].n > 0;
    npoint += m->share[0][k].n;
  }
  nblock += walk_cells4(m, first, order, 0);
  pl_text_add(&m->t, "$Elements\n");
  put_size(m, nblock);
  put_size(m, (int64_t)m->ncell + npoint);
  put_size(m, 1);
  put_size(m, (int64_t)m->ncell + npoint);
  put_line(m);
  walk_cells4(m, first, order, 1);
  put_points4(m);
  pl_text_add(&m->t, m->o->text ? "$EndElements\n" : "\n$EndElements\n");
}

// one element of version 2: its number, tags and vertices
static void put_head2(msh *m, int id, int gmsh, int tag, int entity) {
  put_int(m, id);
  if (m->o->text) {
    put_int(m, gmsh);
    put_int(m, 2);
  }
  put_int(m, tag);
  put_int(m, entity + 1);
}

// in binary files a head serves a run of elements
static void put_run2(msh *m, int gmsh, int n) {
  if (m->o->text || n == 0) return;
  put_int(m, gmsh);
  put_int(m, n);
  put_int(m, 2);
}

// How many more times an element stands there: once for every group beyond the first.
static int more_times(const msh *m, int dim, int k) {
  int n = 0;
  for (; k > 0; k = m->share[dim][k].parent) n++;
  return n > 1 ? n - 1 : 0;
}

// what the elements of the groups beyond the first are; returns their number
static int put_again2(msh *m, int type, int id, int write) {
  int dim = pl_grid_dim(type), n = 0;
  const int *of = m->of[dim] + grid_first(m->g, type);
  for (int i = 0; i < m->g->cell[type].n; i++) {
    n += more_times(m, dim, of[i]);
    for (int k = of[i]; write && k > 0 && m->share[dim][k].parent > 0;
         k = m->share[dim][k].parent) {
      put_head2(m, ++id, gmsh_type[type], m->share[dim][m->share[dim][k].parent].tag, of[i]);
      put_vertices(m, type, i);
    }
  }
  return n;
}

static void put_cells2(msh *m, int type) {
  int dim = pl_grid_dim(type), id = (int)grid_first(m->g, type);
  const int *of = m->of[dim] + id;
  put_run2(m, gmsh_type[type], m->g->cell[type].n);
  for (int i = 0; i < m->g->cell[type].n; i++) {
    put_head2(m, ++id, gmsh_type[type], m->share[dim][of[i]].tag, of[i]);
    put_vertices(m, type, i);
  }
}

// points on vertices, once for every group
static int put_points2(msh *m, int id, int write) {
  int n = 0;
  for (int i = 0; i < m->g->nvert; i++)
    for (int k = m->of[0][i]; k > 0; k = m->share[0][k].parent, n++) {
      if (!write) continue;
      put_head2(m, ++id, GMSH_POINT, m->share[0][k].tag, m->of[0][i]);
      put_int(m, i + 1);
      put_line(m);
    }
  return n;
}

static pl_status put_elements2(msh *m) {
  int64_t total = m->ncell;
  int id = m->ncell, points = put_points2(m, 0, 0);
  total += points;
  for (int t = 0; t < PL_GRID_TYPES; t++) total += put_again2(m, t, 0, 0);
  if (total > INT32_MAX)
    return pl_fail_at(m->g->env, PL_E_INPUT, m->path, 0, 0, "write version 4.1",
                      "MSH 2.2 has no room for %lld elements", (long long)total);
  pl_text_add(&m->t, "$Elements\n%lld\n", (long long)total);
  for (int t = 0; t < PL_GRID_TYPES; t++) put_cells2(m, t);
  for (int t = 0; t < PL_GRID_TYPES; t++) {
    int n = put_again2(m, t, 0, 0);
    put_run2(m, gmsh_type[t], n);
    put_again2(m, t, id, 1);
    id += n;
  }
  put_run2(m, GMSH_POINT, points);
  put_points2(m, id, 1);
  pl_text_add(&m->t, m->o->text ? "$EndElements\n" : "\n$EndElements\n");
  return PL_OK;
}

// ---- fields -------------------------------------------------------------------------------------

// Gmsh knows scalars, vectors and tensors: others are filled up with zeros, symmetric tensors are
// written out
static void put_row(msh *m, int ncomp, const double *v) {
  static const int symmetric[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
  int n = ncomp == 1 ? 1 : ncomp <= 3 ? 3 : 9;
  for (int c = 0; c < n; c++) put_real(m, ncomp == 6 ? v[symmetric[c]] : c < ncomp ? v[c] : 0);
  put_line(m);
}

static void put_field(msh *m, const pl_grid_field *f) {
  const char *part = f->on_cells ? "ElementData" : "NodeData";
  int n = f->on_cells ? m->ncell : m->g->nvert;
  if (f->ncomp > 9) {
    grid_lost(m->g, m->path, NULL, "MSH holds fields of up to 9 components: '%.200s' of %d is lost",
              f->name, f->ncomp);
    return;
  }
  pl_text_add(&m->t, "$%s\n1\n\"", part);
  for (const char *p = f->name; *p; p++) pl_text_put(&m->t, is_odd(*p) ? "_" : p, 1);
  pl_text_add(&m->t, "\"\n1\n0\n3\n0\n%d\n%d\n", f->ncomp == 1 ? 1 : f->ncomp <= 3 ? 3 : 9, n);
  for (int i = 0; i < n; i++) {
    put_int(m, i + 1);
    int row = f->on_cells ? m->cell[i] : i;
    put_row(m, f->ncomp, f->data + (size_t)row * (size_t)f->ncomp);
  }
  pl_text_add(&m->t, m->o->text ? "$End%s\n" : "\n$End%s\n", part);
}

// ---- the file -----------------------------------------------------------------------------------

static void put_format(msh *m) {
  const int one = 1;
  pl_text_add(&m->t, "$MeshFormat\n%s %d 8\n", m->o->old ? "2.2" : "4.1", !m->o->text);
  if (!m->o->text) {
    put_bytes(m, &one, sizeof one);
    put_bytes(m, "\n", 1);
  }
  pl_text_add(&m->t, "$EndMeshFormat\n");
}

static pl_status put_all(msh *m) {
  const pl_grid *g = m->g;
  grid_names names = {NULL};
  int count = 0, most = 1, *first = NULL, *order = NULL;
  pl_status s = grid_names_make(g, m->path, is_odd, 0, NAME_MOST, &names);
  if (s == PL_OK) s = number_groups(m, &names, &count);
  for (int d = 0; d < 4 && s == PL_OK; d++) s = find_shares(m, d);
  put_format(m);
  if (s == PL_OK) put_names(m, &names, count);
  grid_names_free(g, &names);
  PL_TRY(s);
  count_shares(m);
  if (m->o->old) {
    put_nodes2(m);
    PL_TRY(put_elements2(m));
  } else {
    for (int d = 0; d < 4; d++)
      if (m->nshare[d] > most) most = m->nshare[d];
    put_entities(m);
    put_nodes4(m);
    first = pl_alloc(g->env, (size_t)most + 2, sizeof *first);
    order = pl_alloc(g->env, (size_t)m->ncell, sizeof *order);
    s = first && order ? PL_OK : PL_E_NOMEM;
    if (s == PL_OK) put_elements4(m, first, order);
    pl_free(g->env, first);
    pl_free(g->env, order);
    PL_TRY(s);
  }
  for (int k = 0; k < g->nfield; k++) put_field(m, &g->field[k]);
  return m->t.failed ? PL_E_NOMEM : PL_OK;
}

pl_status grid_write_msh(const pl_grid *g, const char *path, const pl_grid_opts *o) {
  msh m = {.g = g, .o = o, .path = path, .ncell = pl_grid_ncell(g)};
  pl_text_init(&m.t, g->env);
  m.cell = pl_alloc(g->env, (size_t)m.ncell, sizeof *m.cell);
  for (int i = 0; m.cell && i < m.ncell; i++) m.cell[i] = i;
  pl_status s = m.cell ? put_all(&m) : PL_E_NOMEM;
  if (s == PL_OK) s = pl_file_write(g->env, path, m.t.s, m.t.n);
  for (int d = 0; d < 4; d++) {
    pl_free(g->env, m.of[d]);
    pl_free(g->env, m.share[d]);
  }
  pl_free(g->env, m.cell);
  pl_free(g->env, m.tag);
  pl_text_free(&m.t);
  return s;
}
