#include "mesh_impl.h"
#include "read_impl.h"

#include "pliant/math.h"

#include <limits.h>
#include <string.h>

// ---- what flat formats can hold ---------------------------------------------------------------

// the faces of a set by the triples of their vertices: a triangle of the surface is a piece of one
typedef struct triples {
  pl_load_hash hash;
  int (*key)[3]; // [n]
  int n, cap;
} triples;

static pl_status add_triple(pl_env *env, triples *p, const int *v) {
  int key[3] = {v[0], v[1], v[2]}, *slot;
  mesh_sort_row(3, key);
  PL_TRY(pl_load_find(env, &p->hash, p->key, sizeof key, p->n, key, &slot));
  if (*slot) return PL_OK;
  PL_TRY(pl_grow(env, &p->key, p->n, &p->cap, sizeof key));
  memcpy(p->key[p->n++], key, sizeof key);
  *slot = p->n;
  return PL_OK;
}

static pl_status add_faces(const pl_mesh *m, const pl_set *set, triples *p) {
  int nv = pl_cell_nvert[set->type];
  for (int i = 0; i < set->n; i++) {
    const int *v = m->cell[set->type].v + (size_t)set->index[i] * (size_t)nv;
    for (int a = 0; a < nv; a++)
      for (int b = a + 1; b < nv; b++)
        for (int c = b + 1; c < nv; c++) PL_TRY(add_triple(m->env, p, (int[]){v[a], v[b], v[c]}));
  }
  return PL_OK;
}

// puts the triangles of the surface that are pieces of the faces of a set into list
static pl_status find_pieces(const pl_mesh *m, const pl_set *set, int ntri, const int *tri,
                             int *list, int *n) {
  triples p = {.n = 0};
  pl_status s = add_faces(m, set, &p);
  for (int i = 0; i < ntri && s == PL_OK; i++) {
    int key[3] = {tri[3 * i], tri[3 * i + 1], tri[3 * i + 2]}, *slot;
    mesh_sort_row(3, key);
    s = pl_load_find(m->env, &p.hash, p.key, sizeof key, p.n, key, &slot);
    if (s == PL_OK && *slot) list[(*n)++] = i;
  }
  pl_free(m->env, p.key);
  pl_free(m->env, p.hash.slot);
  return s;
}

// Sets of solids hold their surface, sets of faces what became of them.
static pl_status shell_sets(const pl_mesh *m, pl_mesh *c, int ntri, const int *tri,
                            const int *cell) {
  int offset = 0;
  int *list = pl_alloc(m->env, (size_t)ntri, sizeof *list);
  char *in = pl_alloc(m->env, (size_t)mesh_ncell(m), 1);
  pl_status s = list && in ? PL_OK : PL_E_NOMEM;
  for (int t = 0; t < PL_CELL_COUNT && s == PL_OK; offset += m->cell[t++].n)
    for (int k = 0; k < m->nset && s == PL_OK; k++) {
      const pl_set *set = &m->set[k];
      if (set->type != t || pl_cell_dim[t] == 1) continue;
      int n = 0;
      if (pl_cell_dim[t] == 2) {
        s = find_pieces(m, set, ntri, tri, list, &n);
      } else {
        for (int i = 0; i < set->n; i++) in[offset + set->index[i]] = 1;
        for (int i = 0; i < ntri; i++)
          if (in[cell[i]]) list[n++] = i;
        for (int i = 0; i < set->n; i++) in[offset + set->index[i]] = 0;
      }
      if (s == PL_OK && n > 0) s = pl_mesh_add_set(c, set->name, PL_TRI3, n, list);
    }
  pl_free(m->env, list);
  pl_free(m->env, in);
  return s;
}

// lines, those of second order cut at their vertices
static pl_status shell_lines(const pl_mesh *m, pl_mesh *c) {
  int nseg = m->cell[PL_SEG2].n, ncut = m->cell[PL_SEG3].n;
  if (ncut > (INT_MAX / 2 - nseg) / 2)
    return pl_fail(m->env, PL_E_NOMEM, "%s: too many lines", m->source);
  PL_TRY(pl_mesh_set_cells(c, PL_SEG2, nseg + 2 * ncut));
  int *v = c->cell[PL_SEG2].v;
  if (nseg > 0) memcpy(v, m->cell[PL_SEG2].v, (size_t)nseg * 2 * sizeof(int));
  for (int i = 0; i < ncut; i++) {
    const int *a = m->cell[PL_SEG3].v + 3 * i;
    memcpy(v + 2 * nseg + 4 * i, ((int[]){a[0], a[2], a[2], a[1]}), 4 * sizeof(int));
  }
  for (int k = 0; k < m->nset; k++) {
    const pl_set *set = &m->set[k];
    if (set->type == PL_SEG2) PL_TRY(pl_mesh_add_set(c, set->name, PL_SEG2, set->n, set->index));
    for (int i = 0; set->type == PL_SEG3 && i < set->n; i++) {
      int first = nseg + 2 * set->index[i];
      PL_TRY(pl_mesh_add_set(c, set->name, PL_SEG2, 2, (int[]){first, first + 1}));
    }
  }
  return PL_OK;
}

static pl_status shell_fill(const pl_mesh *m, pl_mesh *c, int ntri, const int *tri,
                            const int *cell) {
  memcpy(c->X, m->X, (size_t)m->nvert * 3 * sizeof *m->X);
  PL_TRY(shell_lines(m, c));
  PL_TRY(pl_mesh_set_cells(c, PL_TRI3, ntri));
  if (ntri > 0) memcpy(c->cell[PL_TRI3].v, tri, (size_t)ntri * 3 * sizeof(int));
  PL_TRY(shell_sets(m, c, ntri, tri, cell));
  return pl_mesh_drop_unused(c, NULL);
}

// the mesh with the surface of its solids in place of them, cut into triangles
static pl_status shell_of(const pl_mesh *m, pl_mesh **out) {
  int ntri, *tri, *cell;
  *out = NULL;
  PL_TRY(pl_mesh_surface(m, &ntri, &tri, &cell));
  pl_mesh *c = NULL;
  pl_status s = pl_mesh_create(m->env, m->source, m->nvert, &c);
  if (s == PL_OK) s = shell_fill(m, c, ntri, tri, cell);
  pl_free(m->env, tri);
  pl_free(m->env, cell);
  if (s == PL_OK)
    *out = c;
  else
    pl_mesh_free(c);
  return s;
}

// calls put with the mesh, or with its shell when it has more than flat cells, and writes the text
static pl_status write_flat(const pl_mesh *m, const char *path,
                            pl_status (*put)(const pl_mesh *m, pl_text *t)) {
  PL_TRY(mesh_check_indices(m));
  pl_mesh *c = NULL;
  int more = 0;
  for (int t = PL_TET4; t < PL_CELL_COUNT; t++) more |= m->cell[t].n;
  if (more) PL_TRY(shell_of(m, &c));
  pl_text t;
  pl_text_init(&t, m->env);
  pl_status s = put(c ? c : m, &t);
  if (s == PL_OK && t.failed) s = PL_E_NOMEM;
  if (s == PL_OK) s = pl_file_write(m->env, path, t.s, t.n);
  pl_text_free(&t);
  pl_mesh_free(c);
  return s;
}

// ---- OBJ --------------------------------------------------------------------------------------

// sets of each cell of one type: set[first[i] .. first[i + 1]) hold cell i
typedef struct members {
  size_t *first;
  int *set;
} members;

static pl_status find_members(const pl_mesh *m, int type, members *b) {
  size_t n = (size_t)m->cell[type].n;
  b->first = pl_alloc(m->env, n + 2, sizeof *b->first);
  if (!b->first) return PL_E_NOMEM;
  for (int k = 0; k < m->nset; k++)
    for (int i = 0; m->set[k].type == type && i < m->set[k].n; i++)
      b->first[m->set[k].index[i] + 2]++;
  for (size_t i = 2; i < n + 2; i++) b->first[i] += b->first[i - 1];
  b->set = pl_alloc(m->env, b->first[n + 1], sizeof *b->set);
  if (!b->set) return PL_E_NOMEM;
  for (int k = 0; k < m->nset; k++)
    for (int i = 0; m->set[k].type == type && i < m->set[k].n; i++)
      b->set[b->first[m->set[k].index[i] + 1]++] = k;
  return PL_OK;
}

// a g line names all sets of a cell; blanks in names would end them
static void put_group(const pl_mesh *m, const members *b, int i, pl_text *t) {
  pl_text_add(t, "g");
  for (size_t k = b->first[i]; k < b->first[i + 1]; k++) {
    pl_text_add(t, " ");
    for (const char *s = m->set[b->set[k]].name; *s; s++)
      pl_text_put(t, (unsigned char)*s <= ' ' ? "_" : s, 1);
  }
  pl_text_add(t, "\n");
}

static int same_sets(const members *b, int i, int j) {
  size_t n = b->first[i + 1] - b->first[i];
  return n == b->first[j + 1] - b->first[j] &&
         memcmp(b->set + b->first[i], b->set + b->first[j], n * sizeof *b->set) == 0;
}

static pl_status put_obj_cells(const pl_mesh *m, int type, int *open, pl_text *t) {
  members b = {0};
  pl_status s = find_members(m, type, &b);
  for (int i = 0; s == PL_OK && i < m->cell[type].n; i++) {
    // a group line where the sets change, and no line while there are none
    int any = b.first[i + 1] > b.first[i];
    if (i > 0 ? !same_sets(&b, i - 1, i) : any || *open) put_group(m, &b, i, t);
    *open = any;
    pl_text_add(t, type == PL_SEG2 ? "l" : "f");
    for (int k = 0; k < pl_cell_nvert[type]; k++)
      pl_text_add(t, " %d", m->cell[type].v[pl_cell_nvert[type] * i + k] + 1);
    pl_text_add(t, "\n");
  }
  pl_free(m->env, b.first);
  pl_free(m->env, b.set);
  return s;
}

static pl_status put_obj(const pl_mesh *m, pl_text *t) {
  for (int i = 0; i < m->nvert; i++)
    pl_text_add(t, "v %.17g %.17g %.17g\n", m->X[3 * i], m->X[3 * i + 1], m->X[3 * i + 2]);
  int open = 0;
  for (int type = PL_SEG2; type <= PL_QUAD4; type++) PL_TRY(put_obj_cells(m, type, &open, t));
  return PL_OK;
}

pl_status pl_mesh_write_obj(const pl_mesh *m, const char *path) {
  return write_flat(m, path, put_obj);
}

// ---- binary numbers, little endian ------------------------------------------------------------

void mesh_put_u32(pl_text *t, uint32_t v) {
  char b[4] = {(char)(v & 255), (char)(v >> 8 & 255), (char)(v >> 16 & 255), (char)(v >> 24)};
  pl_text_put(t, b, sizeof b);
}

void mesh_put_f32(pl_text *t, double x) {
  float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  mesh_put_u32(t, bits);
}

static void put_f64(pl_text *t, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  mesh_put_u32(t, (uint32_t)bits);
  mesh_put_u32(t, (uint32_t)(bits >> 32));
}

// ---- STL --------------------------------------------------------------------------------------

static void put_stl(const pl_mesh *m, int ntri, const int *tri, int text, pl_text *t) {
  if (text)
    pl_text_add(t, "solid pliant\n");
  else {
    pl_text_add(t, "%-80s", "binary STL by pliant");
    mesh_put_u32(t, (uint32_t)ntri);
  }
  for (int i = 0; i < ntri; i++) {
    const double *x[3];
    double e[3], f[3], n[3];
    for (int k = 0; k < 3; k++) x[k] = m->X + 3 * tri[3 * i + k];
    pl_sub3(x[1], x[0], e);
    pl_sub3(x[2], x[0], f);
    pl_cross3(e, f, n);
    double norm = pl_norm3(n);
    for (int d = 0; d < 3; d++) n[d] = norm > 0 ? n[d] / norm : 0;
    if (text) {
      pl_text_add(t, "facet normal %.9g %.9g %.9g\n outer loop\n", n[0], n[1], n[2]);
      for (int k = 0; k < 3; k++)
        pl_text_add(t, "  vertex %.17g %.17g %.17g\n", x[k][0], x[k][1], x[k][2]);
      pl_text_add(t, " endloop\nendfacet\n");
      continue;
    }
    for (int d = 0; d < 3; d++) mesh_put_f32(t, n[d]);
    for (int k = 0; k < 9; k++) mesh_put_f32(t, x[k / 3][k % 3]);
    pl_text_put(t, "\0", 2);
  }
  if (text) pl_text_add(t, "endsolid pliant\n");
}

pl_status mesh_write_stl(const pl_mesh *m, const char *path, int text) {
  int ntri, *tri;
  PL_TRY(pl_mesh_surface(m, &ntri, &tri, NULL));
  if (ntri == 0) {
    pl_free(m->env, tri);
    return pl_fail_at(m->env, PL_E_INPUT, path, 0, 0, "write OBJ, PLY or VTU instead",
                      "STL holds triangles only and the mesh has none");
  }
  pl_text t;
  pl_text_init(&t, m->env);
  put_stl(m, ntri, tri, text, &t);
  pl_status s = t.failed ? PL_E_NOMEM : pl_file_write(m->env, path, t.s, t.n);
  pl_free(m->env, tri);
  pl_text_free(&t);
  return s;
}

pl_status pl_mesh_write_stl(const pl_mesh *m, const char *path) {
  return mesh_write_stl(m, path, 0);
}

// ---- PLY --------------------------------------------------------------------------------------

static void put_ply_header(const pl_mesh *m, const char *form, pl_text *t) {
  pl_text_add(t,
              "ply\nformat %s 1.0\ncomment by pliant\nelement vertex %d\n"
              "property double x\nproperty double y\nproperty double z\n"
              "element face %d\nproperty list uchar int vertex_indices\n",
              form, m->nvert, m->cell[PL_TRI3].n + m->cell[PL_QUAD4].n);
  if (m->cell[PL_SEG2].n > 0)
    pl_text_add(t, "element edge %d\nproperty int vertex1\nproperty int vertex2\n",
                m->cell[PL_SEG2].n);
  pl_text_add(t, "end_header\n");
}

static pl_status put_ply(const pl_mesh *m, pl_text *t) {
  put_ply_header(m, "binary_little_endian", t);
  for (int i = 0; i < 3 * m->nvert; i++) put_f64(t, m->X[i]);
  for (int type = PL_TRI3; type <= PL_QUAD4; type++) {
    int nv = pl_cell_nvert[type];
    for (int i = 0; i < m->cell[type].n * nv; i++) {
      if (i % nv == 0) pl_text_put(t, &(char){(char)nv}, 1);
      mesh_put_u32(t, (uint32_t)m->cell[type].v[i]);
    }
  }
  for (int i = 0; i < 2 * m->cell[PL_SEG2].n; i++) mesh_put_u32(t, (uint32_t)m->cell[PL_SEG2].v[i]);
  return PL_OK;
}

static pl_status put_ply_text(const pl_mesh *m, pl_text *t) {
  put_ply_header(m, "ascii", t);
  for (int i = 0; i < m->nvert; i++)
    pl_text_add(t, "%.17g %.17g %.17g\n", m->X[3 * i], m->X[3 * i + 1], m->X[3 * i + 2]);
  for (int type = PL_TRI3; type <= PL_QUAD4; type++) {
    int nv = pl_cell_nvert[type];
    for (int i = 0; i < m->cell[type].n * nv; i++) {
      if (i % nv == 0) pl_text_add(t, "%d", nv);
      pl_text_add(t, i % nv == nv - 1 ? " %d\n" : " %d", m->cell[type].v[i]);
    }
  }
  for (int i = 0; i < m->cell[PL_SEG2].n; i++)
    pl_text_add(t, "%d %d\n", m->cell[PL_SEG2].v[2 * i], m->cell[PL_SEG2].v[2 * i + 1]);
  return PL_OK;
}

pl_status mesh_write_ply(const pl_mesh *m, const char *path, int text) {
  return write_flat(m, path, text ? put_ply_text : put_ply);
}

pl_status pl_mesh_write_ply(const pl_mesh *m, const char *path) {
  return mesh_write_ply(m, path, 0);
}
