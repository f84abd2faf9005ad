#include "mesh_impl.h"
#include "read_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const pl_grid_name[PL_GRID_TYPES] = {
    "line",  "triangle", "quad",         "tetra", "hexahedron", "line3",   "triangle6",
    "quad8", "tetra10",  "hexahedron20", "wedge", "pyramid",    "wedge15", "pyramid13"};

int pl_grid_nvert(int type) {
  return pl_load_nvert(type);
}

int pl_grid_dim(int type) {
  return type < PL_CELL_COUNT ? pl_cell_dim[type] : 3;
}

int pl_grid_ncell(const pl_grid *g) {
  int n = 0;
  for (int t = 0; t < PL_GRID_TYPES; t++) n += g->cell[t].n;
  return n;
}

// zlib packs zeros 1032 to 1
enum { FIELD_RATIO = 1100, FIELD_FREE = 1 << 26 };

// ---- what readers tell --------------------------------------------------------------------------

void pl_load_lost(pl_load *in, const char *hint, const char *fmt, ...) {
  char text[PL_TEXT], clean[PL_TEXT];
  va_list args;
  if (!in->keep) return;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  // names come from files
  pl_report(in->env, PL_WARNING, in->name, in->line > 0 ? in->line : 0, 0, hint, "%s",
            pl_printable(text, clean, sizeof clean));
}

static pl_status new_field(pl_env *env, pl_grid_field *f, const char *name, int on_cells, int ncomp,
                           int64_t count) {
  *f = (pl_grid_field){.name = pl_strdup(env, name), .on_cells = on_cells, .ncomp = ncomp};
  f->data = pl_alloc(env, (size_t)count, (size_t)ncomp * sizeof *f->data);
  if (f->name && f->data) return PL_OK;
  pl_free(env, f->name);
  pl_free(env, f->data);
  return PL_E_NOMEM;
}

pl_status pl_load_field(pl_load *in, const char *name, int on_cells, int ncomp, int64_t count,
                        double **data) {
  *data = NULL;
  for (int k = 0; k < in->nfield; k++) {
    pl_grid_field *f = &in->field[k];
    if (f->on_cells != on_cells || strcmp(f->name, name) != 0) continue;
    if (f->ncomp == ncomp)
      *data = f->data;
    else
      pl_load_lost(in, NULL, "the field '%.200s' has %d components here and %d before: left out",
                   name, ncomp, f->ncomp);
    return PL_OK;
  }
  // names alone must not ask for more memory than their numbers could fill
  in->field_bytes += (double)count * ncomp * (double)sizeof(double);
  if (in->field_bytes > FIELD_RATIO * (double)in->size + FIELD_FREE)
    return pl_load_fail(in, NULL, "fields of %.3g bytes in a file of %zu", in->field_bytes,
                        in->size);
  PL_TRY(pl_grow(in->env, &in->field, in->nfield, &in->cap_field, sizeof *in->field));
  PL_TRY(new_field(in->env, &in->field[in->nfield], name, on_cells, ncomp, count));
  char *p = in->field[in->nfield].name;
  for (int utf8 = pl_load_utf8(p, strlen(p)); *p; p++)
    if ((unsigned char)*p < 32 || *p == 127 || (!utf8 && (unsigned char)*p > 127)) *p = '_';
  *data = in->field[in->nfield++].data;
  return PL_OK;
}

// ---- grids --------------------------------------------------------------------------------------

static pl_status create(pl_env *env, const char *source, pl_grid **out) {
  pl_grid *g = pl_alloc(env, 1, sizeof *g);
  *out = NULL;
  if (!g) return PL_E_NOMEM;
  g->env = env;
  g->source = pl_strdup(env, source);
  if (!g->source) {
    pl_free(env, g);
    return PL_E_NOMEM;
  }
  *out = g;
  return PL_OK;
}

static void free_set(pl_grid *g, pl_set *set) {
  pl_free(g->env, set->name);
  pl_free(g->env, set->index);
}

void pl_grid_free(pl_grid *g) {
  if (!g) return;
  for (int k = 0; k < g->nset; k++) free_set(g, &g->set[k]);
  for (int k = 0; k < g->nfield; k++) {
    pl_free(g->env, g->field[k].name);
    pl_free(g->env, g->field[k].data);
  }
  for (int t = 0; t < PL_GRID_TYPES; t++) pl_free(g->env, g->cell[t].v);
  pl_free(g->env, g->set);
  pl_free(g->env, g->field);
  pl_free(g->env, g->X);
  pl_free(g->env, g->source);
  pl_free(g->env, g);
}

// members ascending, without repeats; index is the grid's from here on
static pl_status take_set(pl_grid *g, const char *name, int type, int n, int *index) {
  char *copy = pl_strdup(g->env, name);
  pl_status s = copy ? pl_grow(g->env, &g->set, g->nset, &g->cap_set, sizeof *g->set) : PL_E_NOMEM;
  if (s != PL_OK) {
    pl_free(g->env, copy);
    pl_free(g->env, index);
    return s;
  }
  g->set[g->nset++] = (pl_set){.name = copy, .type = type, .n = n, .index = index};
  return PL_OK;
}

pl_status pl_grid_add_field(pl_grid *g, const char *name, int on_cells, int ncomp, double **data) {
  *data = NULL;
  PL_TRY(pl_grow(g->env, &g->field, g->nfield, &g->cap_field, sizeof *g->field));
  PL_TRY(new_field(g->env, &g->field[g->nfield], name, on_cells, ncomp,
                   on_cells ? pl_grid_ncell(g) : g->nvert));
  *data = g->field[g->nfield++].data;
  return PL_OK;
}

static pl_status move_set(pl_load_set *set, int list, pl_grid *g) {
  pl_load_runs *r = &set->list[list];
  int n = 0, at = 0;
  if (r->n == 0) return PL_OK;
  // a file may name its members several times in any order
  pl_load_merge(r);
  for (int k = 0; k < r->n; k++) n += r->run[k][1] - r->run[k][0];
  int *index = pl_alloc(g->env, (size_t)n, sizeof *index);
  if (!index) return PL_E_NOMEM;
  for (int k = 0; k < r->n; k++)
    for (int i = r->run[k][0]; i < r->run[k][1]; i++) index[at++] = i;
  return take_set(g, set->name, list == PL_READ_VERTEX ? -1 : list, n, index);
}

static pl_status move_sets(pl_load *in, pl_grid *g) {
  for (int k = 0; k < in->nset; k++) {
    int empty = 1;
    for (int t = 0; t < PL_READ_LIST; t++) {
      empty &= in->set[k].list[t].n == 0;
      PL_TRY(move_set(&in->set[k], t, g));
    }
    if (empty)
      pl_load_lost(in, NULL, "the set '%.200s' has no members: it is left out", in->set[k].name);
  }
  return PL_OK;
}

// arrays change hands
static pl_status take_load(pl_load *in, pl_grid **out) {
  PL_TRY(create(in->env, in->name, out));
  pl_grid *g = *out;
  pl_status s = move_sets(in, g);
  if (s != PL_OK) {
    pl_grid_free(g);
    *out = NULL;
    return s;
  }
  g->nvert = in->nvert;
  g->X = in->X ? in->X[0] : NULL;
  in->X = NULL;
  for (int t = 0; t < PL_GRID_TYPES; t++) {
    g->cell[t] = (pl_cells){.n = in->cell[t].n, .v = in->cell[t].v};
    in->cell[t].v = NULL;
  }
  g->nfield = in->nfield;
  g->cap_field = in->cap_field;
  g->field = in->field;
  in->nfield = 0;
  in->field = NULL;
  return PL_OK;
}

static pl_status parse(pl_env *env, const char *format, const char *name, const char *data,
                       size_t size, int from_file, pl_grid **out) {
  pl_load in = {.env = env,
                .name = name,
                .begin = data,
                .end = data + size,
                .from_file = from_file,
                .keep = 1};
  pl_status s = pl_load_read(&in, format);
  if (s == PL_OK) s = take_load(&in, out);
  pl_load_release(&in);
  return s;
}

pl_status pl_grid_read(pl_env *env, const char *path, const char *format, pl_grid **out) {
  *out = NULL;
  if (!format) PL_TRY(pl_load_ending(env, path, &format));
  char *data;
  size_t size;
  PL_TRY(pl_file_read(env, path, 0, &data, &size));
  pl_status s = parse(env, format, path, data, size, 1, out);
  pl_free(env, data);
  return s;
}

pl_status pl_grid_parse(pl_env *env, const char *format, const char *name, const char *data,
                        size_t size, pl_grid **out) {
  *out = NULL;
  return parse(env, format, name, data, size, 0, out);
}

static pl_status copy_mesh(const pl_mesh *m, pl_grid *g) {
  g->nvert = m->nvert;
  g->X = pl_alloc(g->env, (size_t)m->nvert, 3 * sizeof *g->X);
  if (!g->X) return PL_E_NOMEM;
  memcpy(g->X, m->X, (size_t)m->nvert * 3 * sizeof *g->X);
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    size_t n = (size_t)m->cell[t].n * (size_t)pl_cell_nvert[t];
    if (n == 0) continue;
    g->cell[t].v = pl_alloc(g->env, n, sizeof(int));
    if (!g->cell[t].v) return PL_E_NOMEM;
    memcpy(g->cell[t].v, m->cell[t].v, n * sizeof(int));
    g->cell[t].n = m->cell[t].n;
  }
  for (int k = 0; k < m->nset; k++) {
    const pl_set *set = &m->set[k];
    int *index = pl_alloc(g->env, (size_t)set->n, sizeof *index);
    if (!index) return PL_E_NOMEM;
    if (set->n > 0) memcpy(index, set->index, (size_t)set->n * sizeof *index);
    PL_TRY(take_set(g, set->name, set->type, set->n, index));
  }
  return PL_OK;
}

pl_status pl_grid_of_mesh(const pl_mesh *m, pl_grid **out) {
  PL_TRY(create(m->env, m->source, out));
  pl_status s = copy_mesh(m, *out);
  if (s != PL_OK) {
    pl_grid_free(*out);
    *out = NULL;
  }
  return s;
}

static pl_status fill_load(const pl_grid *g, pl_load *in) {
  in->X = pl_alloc(g->env, (size_t)g->nvert, sizeof in->X[0]);
  if (!in->X) return PL_E_NOMEM;
  memcpy(in->X, g->X, (size_t)g->nvert * sizeof in->X[0]);
  in->nvert = in->cap_vert = g->nvert;
  for (int t = 0; t < PL_GRID_TYPES; t++) {
    pl_load_cells *c = &in->cell[t];
    size_t size = (size_t)pl_load_nvert(t) * sizeof(int);
    if (g->cell[t].n == 0) continue;
    c->v = pl_alloc(g->env, (size_t)g->cell[t].n, size);
    if (!c->v) return PL_E_NOMEM;
    memcpy(c->v, g->cell[t].v, (size_t)g->cell[t].n * size);
    c->n = c->cap = g->cell[t].n;
  }
  for (int k = 0; k < g->nset; k++) {
    int set, list = g->set[k].type < 0 ? PL_READ_VERTEX : g->set[k].type;
    PL_TRY(pl_load_find_set(in, g->set[k].name, strlen(g->set[k].name), &set));
    for (int i = 0; i < g->set[k].n; i++)
      PL_TRY(pl_load_put(in, set, list, g->set[k].index[i], g->set[k].index[i] + 1));
  }
  return PL_OK;
}

pl_status pl_grid_mesh(const pl_grid *g, pl_mesh **out) {
  *out = NULL;
  pl_load in = {.env = g->env, .name = g->source, .most = PL_READ_MAX};
  pl_status s = fill_load(g, &in);
  if (s == PL_OK) s = pl_load_split(&in);
  if (s == PL_OK) s = pl_load_mesh(&in, out);
  pl_load_release(&in);
  return s;
}

// ---- fewer cells --------------------------------------------------------------------------------

// keeps rows where to[i] >= 0, in their order
static void keep_rows(double *data, int ncomp, int n, const int *to) {
  for (int i = 0; i < n; i++)
    if (to[i] >= 0)
      memmove(data + (size_t)to[i] * (size_t)ncomp, data + (size_t)i * (size_t)ncomp,
              (size_t)ncomp * sizeof *data);
}

// drops vertices with to[i] < 0; the others become to[i], in their order
static void renumber(pl_grid *g, int n, const int *to) {
  keep_rows(g->X, 3, g->nvert, to);
  for (int k = 0; k < g->nfield; k++)
    if (!g->field[k].on_cells) keep_rows(g->field[k].data, g->field[k].ncomp, g->nvert, to);
  for (int t = 0; t < PL_GRID_TYPES; t++)
    for (int i = 0; i < g->cell[t].n * pl_load_nvert(t); i++) g->cell[t].v[i] = to[g->cell[t].v[i]];
  for (int k = 0; k < g->nset; k++) {
    pl_set *set = &g->set[k];
    int kept = 0;
    for (int i = 0; set->type < 0 && i < set->n; i++)
      if (to[set->index[i]] >= 0) set->index[kept++] = to[set->index[i]];
    if (set->type < 0) set->n = kept;
  }
  g->nvert = n;
}

static pl_status drop_unused(pl_grid *g, int *dropped) {
  int *to = pl_alloc(g->env, (size_t)g->nvert, sizeof *to), n = 0;
  if (!to) return PL_E_NOMEM;
  for (int t = 0; t < PL_GRID_TYPES; t++)
    for (int i = 0; i < g->cell[t].n * pl_load_nvert(t); i++) to[g->cell[t].v[i]] = 1;
  for (int i = 0; i < g->nvert; i++) to[i] = to[i] ? n++ : -1;
  *dropped = g->nvert - n;
  renumber(g, n, to);
  pl_free(g->env, to);
  return PL_OK;
}

// a set of cells that go becomes one of their vertices
static pl_status to_vertices(pl_grid *g, pl_set *set) {
  char *mark = pl_alloc(g->env, (size_t)g->nvert, 1);
  if (!mark) return PL_E_NOMEM;
  int nv = pl_load_nvert(set->type), n = 0;
  for (int i = 0; i < set->n; i++)
    for (int c = 0; c < nv; c++)
      mark[g->cell[set->type].v[(size_t)set->index[i] * (size_t)nv + (size_t)c]] = 1;
  // of one name there is one set
  for (int k = 0; k < g->nset; k++) {
    pl_set *o = &g->set[k];
    if (o == set || o->type >= 0 || strcmp(o->name, set->name) != 0) continue;
    for (int i = 0; i < o->n; i++) mark[o->index[i]] = 1;
    o->n = 0;
  }
  for (int i = 0; i < g->nvert; i++) n += mark[i];
  int *index = pl_alloc(g->env, (size_t)n, sizeof *index);
  if (index) {
    pl_free(g->env, set->index);
    set->index = index;
    set->type = -1;
    set->n = n;
    for (int i = 0; i < g->nvert; i++)
      if (mark[i]) *index++ = i;
  }
  pl_free(g->env, mark);
  return index ? PL_OK : PL_E_NOMEM;
}

static void drop_empty_sets(pl_grid *g) {
  int kept = 0;
  for (int k = 0; k < g->nset; k++) {
    if (g->set[k].n > 0)
      g->set[kept++] = g->set[k];
    else
      free_set(g, &g->set[k]);
  }
  g->nset = kept;
}

// rows of fields of cells that stay
static void keep_cell_fields(pl_grid *g, int dim) {
  for (int k = 0; k < g->nfield; k++) {
    pl_grid_field *f = &g->field[k];
    size_t from = 0, to = 0, row = (size_t)f->ncomp;
    for (int t = 0; t < PL_GRID_TYPES && f->on_cells; t++) {
      size_t n = (size_t)g->cell[t].n * row;
      if (pl_grid_dim(t) == dim && n > 0) {
        memmove(f->data + to, f->data + from, n * sizeof *f->data);
        to += n;
      }
      from += n;
    }
  }
}

pl_status pl_grid_keep(pl_grid *g, int dim) {
  int gone = 0, left = 0, unused = 0;
  for (int t = 0; t < PL_GRID_TYPES; t++) *(pl_grid_dim(t) == dim ? &left : &gone) += g->cell[t].n;
  if (left == 0)
    return pl_fail_at(g->env, PL_E_INPUT, g->source, 0, 0, NULL,
                      "there are no cells of dimension %d", dim);
  for (int k = 0; k < g->nset; k++)
    if (g->set[k].type >= 0 && pl_grid_dim(g->set[k].type) != dim) {
      pl_report(g->env, PL_WARNING, g->source, 0, 0, NULL,
                "set '%.200s' of cells that are left out becomes the set of their vertices",
                g->set[k].name);
      PL_TRY(to_vertices(g, &g->set[k]));
    }
  keep_cell_fields(g, dim);
  for (int t = 0; t < PL_GRID_TYPES; t++)
    if (pl_grid_dim(t) != dim) g->cell[t].n = 0;
  PL_TRY(drop_unused(g, &unused));
  drop_empty_sets(g);
  if (gone > 0 || unused > 0)
    pl_report(g->env, PL_WARNING, g->source, 0, 0, NULL,
              "%d %s of other dimensions, and %d %s that only they or none used, are left out",
              gone, pl_plural(gone, "cell", "cells"), unused,
              pl_plural(unused, "vertex", "vertices"));
  return PL_OK;
}

// ---- order --------------------------------------------------------------------------------------

static const int higher[PL_GRID_TYPES] = {[PL_SEG2] = PL_SEG3,
                                          [PL_TRI3] = PL_TRI6,
                                          [PL_QUAD4] = PL_QUAD8,
                                          [PL_TET4] = PL_TET10,
                                          [PL_HEX8] = PL_HEX20,
                                          [PL_GRID_WEDGE6] = PL_GRID_WEDGE15,
                                          [PL_GRID_PYRAMID5] = PL_GRID_PYRAMID13};

// edge e of a cell: the corners at its ends; 0: there are no more
static int edge_of(int type, int e, int end[2]) {
  const pl_load_shape *s = pl_load_shape_of(type);
  int n = s ? s->nedge : mesh_nedge[type];
  if (e >= n) return 0;
  for (int k = 0; k < 2; k++) end[k] = s ? s->edge[e][k] : mesh_edge[type][e][k];
  return 1;
}

// vertices in the middle of edges
typedef struct middles {
  pl_load_hash hash;
  int (*end)[2]; // [n]
  int n, cap;
} middles;

static pl_status middle_of(pl_grid *g, middles *m, int a, int b, int *out) {
  int key[2] = {a < b ? a : b, a < b ? b : a}, *slot;
  PL_TRY(pl_load_find(g->env, &m->hash, m->end, sizeof key, m->n, key, &slot));
  if (!*slot) {
    if (m->n > PL_READ_MAX - g->nvert)
      return pl_fail_at(g->env, PL_E_INPUT, g->source, 0, 0, NULL, "more than %d vertices",
                        PL_READ_MAX);
    PL_TRY(pl_grow(g->env, &m->end, m->n, &m->cap, sizeof key));
    memcpy(m->end[m->n++], key, sizeof key);
    *slot = m->n;
  }
  *out = g->nvert + *slot - 1;
  return PL_OK;
}

static pl_status raise_cells(pl_grid *g, middles *m, int from, int **out) {
  int to = higher[from], nv = pl_load_nvert(from), nw = pl_load_nvert(to), end[2];
  int *v = pl_alloc(g->env, (size_t)g->cell[from].n, (size_t)nw * sizeof *v);
  *out = v;
  if (!v) return PL_E_NOMEM;
  for (int i = 0; i < g->cell[from].n; i++, v += nw) {
    const int *old = g->cell[from].v + (size_t)i * (size_t)nv;
    memcpy(v, old, (size_t)nv * sizeof *v);
    for (int e = 0; edge_of(from, e, end); e++)
      PL_TRY(middle_of(g, m, old[end[0]], old[end[1]], &v[nv + e]));
  }
  return PL_OK;
}

// numbers on vertices, with the means of both ends behind them
static pl_status raise_rows(const pl_grid *g, const middles *m, int ncomp, double **data) {
  double *x = pl_realloc(g->env, *data, (size_t)(g->nvert + m->n), (size_t)ncomp * sizeof *x);
  if (!x) return PL_E_NOMEM;
  *data = x;
  for (int i = 0; i < m->n; i++)
    for (int c = 0; c < ncomp; c++)
      x[(size_t)(g->nvert + i) * (size_t)ncomp + (size_t)c] =
          0.5 * (x[(size_t)m->end[i][0] * (size_t)ncomp + (size_t)c] +
                 x[(size_t)m->end[i][1] * (size_t)ncomp + (size_t)c]);
  return PL_OK;
}

// sets of vertices get those between two of theirs
static pl_status raise_set(const pl_grid *g, const middles *m, char *mark, pl_set *set) {
  int n = set->n;
  memset(mark, 0, (size_t)g->nvert);
  for (int i = 0; i < set->n; i++) mark[set->index[i]] = 1;
  for (int i = 0; i < m->n; i++) n += mark[m->end[i][0]] && mark[m->end[i][1]];
  int *index = pl_realloc(g->env, set->index, (size_t)n, sizeof *index);
  if (!index) return PL_E_NOMEM;
  set->index = index;
  for (int i = 0; i < m->n; i++)
    if (mark[m->end[i][0]] && mark[m->end[i][1]]) index[set->n++] = g->nvert + i;
  return PL_OK;
}

static pl_status raise_all(pl_grid *g, middles *m, int *v[PL_GRID_TYPES], char *mark) {
  for (int t = 0; t < PL_GRID_TYPES; t++)
    if (higher[t] && g->cell[t].n > 0) PL_TRY(raise_cells(g, m, t, &v[t]));
  PL_TRY(raise_rows(g, m, 3, &g->X));
  for (int k = 0; k < g->nfield; k++)
    if (!g->field[k].on_cells) PL_TRY(raise_rows(g, m, g->field[k].ncomp, &g->field[k].data));
  for (int k = 0; k < g->nset; k++)
    if (g->set[k].type < 0) PL_TRY(raise_set(g, m, mark, &g->set[k]));
  return PL_OK;
}

static pl_status raise_order(pl_grid *g) {
  middles m = {.n = 0};
  int *v[PL_GRID_TYPES] = {NULL};
  char *mark = pl_alloc(g->env, (size_t)g->nvert, 1);
  pl_status s = mark ? raise_all(g, &m, v, mark) : PL_E_NOMEM;
  for (int t = 0; t < PL_GRID_TYPES; t++) {
    if (s != PL_OK || !v[t]) {
      pl_free(g->env, v[t]);
      continue;
    }
    pl_free(g->env, g->cell[t].v);
    g->cell[higher[t]] = (pl_cells){.n = g->cell[t].n, .v = v[t]};
    g->cell[t] = (pl_cells){.n = 0};
  }
  if (s == PL_OK) g->nvert += m.n;
  for (int k = 0; k < g->nset && s == PL_OK; k++)
    if (g->set[k].type >= 0 && higher[g->set[k].type]) g->set[k].type = higher[g->set[k].type];
  pl_free(g->env, mark);
  pl_free(g->env, m.end);
  pl_free(g->env, m.hash.slot);
  return s;
}

// cells of second order by their corners
static pl_status lower_order(pl_grid *g) {
  int unused = 0;
  for (int t = 0; t < PL_GRID_TYPES; t++) {
    int from = higher[t], nv = pl_load_nvert(t), nw = from ? pl_load_nvert(from) : 0;
    if (!from || g->cell[from].n == 0) continue;
    int *v = g->cell[from].v;
    for (int i = 1; i < g->cell[from].n; i++)
      memmove(v + (size_t)i * (size_t)nv, v + (size_t)i * (size_t)nw, (size_t)nv * sizeof *v);
    pl_free(g->env, g->cell[t].v);
    g->cell[t] = g->cell[from];
    g->cell[from] = (pl_cells){.n = 0};
    for (int k = 0; k < g->nset; k++)
      if (g->set[k].type == from) g->set[k].type = t;
  }
  PL_TRY(drop_unused(g, &unused));
  drop_empty_sets(g);
  if (unused > 0)
    pl_report(g->env, PL_WARNING, g->source, 0, 0, NULL,
              "%d vertices on edges are left out: edges are straight now", unused);
  return PL_OK;
}

pl_status pl_grid_order(pl_grid *g, int order) {
  int first = 0, second = 0;
  for (int t = 0; t < PL_GRID_TYPES; t++) *(higher[t] ? &first : &second) += g->cell[t].n;
  // fields of cells stand in the order of types, which one order in the file keeps
  if (first > 0 && second > 0)
    return pl_fail_at(g->env, PL_E_INPUT, g->source, 0, 0, "keep one dimension by --dim",
                      "cells of first and of second order together keep the order that they have");
  if (order == 2 && first > 0) return raise_order(g);
  if (order == 1 && second > 0) return lower_order(g);
  return PL_OK;
}
