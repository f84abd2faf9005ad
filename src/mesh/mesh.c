#include "mesh_impl.h"

#include "pliant/math.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { SET_MAX = 20000 }; // sets are found by a plain search

const int pl_cell_nvert[PL_CELL_COUNT] = {2, 3, 4, 4, 8, 3, 6, 8, 10, 20};
const int pl_cell_dim[PL_CELL_COUNT] = {1, 2, 2, 3, 3, 1, 2, 2, 3, 3};
const pl_cell_type pl_cell_corners[PL_CELL_COUNT] = {PL_SEG2, PL_TRI3, PL_QUAD4, PL_TET4, PL_HEX8,
                                                     PL_SEG2, PL_TRI3, PL_QUAD4, PL_TET4, PL_HEX8};
const char *const pl_cell_name[PL_CELL_COUNT] = {"segment", "triangle", "quad", "tet", "hex",
                                                 "segment", "triangle", "quad", "tet", "hex"};

pl_status pl_mesh_create(pl_env *env, const char *source, int nvert, pl_mesh **out) {
  *out = NULL;
  if (nvert < 0 || nvert > MESH_VERT_MAX)
    return pl_fail(env, PL_E_ARG, "%s: vertices must be 0..%d, got %d", source ? source : "mesh",
                   MESH_VERT_MAX, nvert);
  pl_mesh *m = pl_alloc(env, 1, sizeof *m);
  if (!m) return PL_E_NOMEM;
  m->env = env;
  m->nvert = nvert;
  m->source = pl_strdup(env, source ? source : "mesh");
  m->X = pl_alloc(env, (size_t)nvert, 3 * sizeof *m->X);
  if (!m->source || !m->X) {
    pl_mesh_free(m);
    return PL_E_NOMEM;
  }
  *out = m;
  return PL_OK;
}

void pl_mesh_free(pl_mesh *m) {
  if (!m) return;
  for (int k = 0; k < m->nset; k++) {
    pl_free(m->env, m->set[k].name);
    pl_free(m->env, m->set[k].index);
  }
  for (int t = 0; t < PL_CELL_COUNT; t++) pl_free(m->env, m->cell[t].v);
  pl_free(m->env, m->set);
  pl_free(m->env, m->X);
  pl_free(m->env, m->source);
  pl_free(m->env, m);
}

static pl_status copy_into(const pl_mesh *m, pl_mesh *c) {
  memcpy(c->X, m->X, (size_t)m->nvert * 3 * sizeof *m->X);
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    if (m->cell[t].n == 0) continue;
    PL_TRY(pl_mesh_set_cells(c, (pl_cell_type)t, m->cell[t].n));
    memcpy(c->cell[t].v, m->cell[t].v,
           (size_t)m->cell[t].n * (size_t)pl_cell_nvert[t] * sizeof(int));
  }
  for (int k = 0; k < m->nset; k++)
    PL_TRY(pl_mesh_add_set(c, m->set[k].name, m->set[k].type, m->set[k].n, m->set[k].index));
  return PL_OK;
}

pl_status pl_mesh_copy(const pl_mesh *m, pl_mesh **out) {
  PL_TRY(pl_mesh_create(m->env, m->source, m->nvert, out));
  pl_status s = copy_into(m, *out);
  if (s != PL_OK) {
    pl_mesh_free(*out);
    *out = NULL;
  }
  return s;
}

pl_status pl_mesh_set_cells(pl_mesh *m, pl_cell_type type, int n) {
  if ((int)type < 0 || type >= PL_CELL_COUNT)
    return pl_fail(m->env, PL_E_ARG, "%s: no cell type %d", m->source, (int)type);
  if (n < 0 || n > INT_MAX / pl_cell_nvert[type])
    return pl_fail(m->env, PL_E_ARG, "%s: %ss must be 0..%d, got %d", m->source, pl_cell_name[type],
                   INT_MAX / pl_cell_nvert[type], n);
  int *v = NULL;
  if (n > 0) {
    v = pl_alloc(m->env, (size_t)n, (size_t)pl_cell_nvert[type] * sizeof *v);
    if (!v) return PL_E_NOMEM;
  }
  pl_free(m->env, m->cell[type].v);
  m->cell[type] = (pl_cells){.n = n, .v = v};
  return PL_OK;
}

// ---- sets -------------------------------------------------------------------------------------

static int compare_int(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// Sorts ascending and drops repeats; returns the new count.
static int mesh_sort_unique(int n, int *index) {
  // most lists come sorted already
  int sorted = 1;
  for (int i = 1; i < n && sorted; i++) sorted = index[i - 1] < index[i];
  if (sorted) return n;
  qsort(index, (size_t)n, sizeof *index, compare_int);
  int kept = 0;
  for (int i = 0; i < n; i++)
    if (kept == 0 || index[kept - 1] != index[i]) index[kept++] = index[i];
  return kept;
}

static pl_set *set_of(pl_mesh *m, const char *name, int type) {
  for (int k = 0; k < m->nset; k++)
    if (m->set[k].type == type && strcmp(m->set[k].name, name) == 0) return &m->set[k];
  return NULL;
}

static pl_status set_unite(pl_mesh *m, pl_set *set, int n, const int *index) {
  if (n > INT_MAX - set->n)
    return pl_fail(m->env, PL_E_NOMEM, "%s: set '%s' is too large", m->source, set->name);
  int *all = pl_realloc(m->env, set->index, (size_t)(set->n + n), sizeof *all);
  if (!all) return PL_E_NOMEM;
  if (n > 0) memcpy(all + set->n, index, (size_t)n * sizeof *all);
  set->index = all;
  set->n = mesh_sort_unique(set->n + n, all);
  return PL_OK;
}

pl_status pl_mesh_add_set(pl_mesh *m, const char *name, int type, int n, const int *index) {
  if (type < -1 || type >= PL_CELL_COUNT || n < 0)
    return pl_fail(m->env, PL_E_ARG, "%s: set '%s': bad type %d or size %d", m->source, name, type,
                   n);
  pl_set *old = set_of(m, name, type);
  if (old) return set_unite(m, old, n, index);

  if (m->nset >= SET_MAX)
    return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0, "merge groups or leave their names out",
                      "more than %d named sets", SET_MAX);

  // room by powers of two: the capacity is known from the count
  if ((m->nset & (m->nset - 1)) == 0) {
    size_t cap = m->nset ? 2 * (size_t)m->nset : 1;
    pl_set *set = pl_realloc(m->env, m->set, cap, sizeof *set);
    if (!set) return PL_E_NOMEM;
    m->set = set;
  }
  pl_set s = {.type = type, .name = pl_strdup(m->env, name)};
  if (!s.name) return PL_E_NOMEM;
  pl_status status = set_unite(m, &s, n, index);
  if (status != PL_OK) {
    pl_free(m->env, s.name);
    return status;
  }
  m->set[m->nset++] = s;
  return PL_OK;
}

const pl_set *pl_mesh_find_set(const pl_mesh *m, const char *name) {
  for (int k = 0; k < m->nset; k++)
    if (strcmp(m->set[k].name, name) == 0) return &m->set[k];
  return NULL;
}

static void mark_set(const pl_mesh *m, const pl_set *set, char *mark) {
  if (set->type < 0) {
    for (int i = 0; i < set->n; i++) mark[set->index[i]] = 1;
    return;
  }
  int nv = pl_cell_nvert[set->type];
  const int *v = m->cell[set->type].v;
  for (int i = 0; i < set->n; i++)
    for (int k = 0; k < nv; k++) mark[v[nv * set->index[i] + k]] = 1;
}

pl_status pl_mesh_set_vertices(const pl_mesh *m, const char *name, int *n, int **index) {
  *n = 0;
  *index = NULL;
  if (!pl_mesh_find_set(m, name)) return PL_OK;
  PL_TRY(mesh_check_indices(m));
  char *mark = pl_alloc(m->env, (size_t)m->nvert, 1);
  if (!mark) return PL_E_NOMEM;
  for (int k = 0; k < m->nset; k++)
    if (strcmp(m->set[k].name, name) == 0) mark_set(m, &m->set[k], mark);
  int count = 0;
  for (int i = 0; i < m->nvert; i++) count += mark[i];
  int *list = pl_alloc(m->env, (size_t)count, sizeof *list);
  if (list) {
    *n = count;
    *index = list;
    for (int i = 0; i < m->nvert; i++)
      if (mark[i]) *list++ = i;
  }
  pl_free(m->env, mark);
  return *index ? PL_OK : PL_E_NOMEM;
}

// ---- geometry ---------------------------------------------------------------------------------

int mesh_ncell(const pl_mesh *m) {
  int n = 0;
  for (int t = 0; t < PL_CELL_COUNT; t++) n += m->cell[t].n;
  return n;
}

void pl_mesh_bounds(const pl_mesh *m, double lo[3], double hi[3]) {
  for (int d = 0; d < 3; d++) lo[d] = hi[d] = m->nvert ? m->X[d] : 0;
  for (int i = 0; i < m->nvert; i++)
    for (int d = 0; d < 3; d++) {
      double x = m->X[3 * i + d];
      if (x < lo[d]) lo[d] = x;
      if (x > hi[d]) hi[d] = x;
    }
}

void pl_mesh_transform(pl_mesh *m, double scale, const double *R, const double *t) {
  for (int i = 0; i < m->nvert; i++) {
    double *x = m->X + 3 * i, y[3];
    for (int d = 0; d < 3; d++) y[d] = scale * x[d];
    for (int d = 0; d < 3; d++) x[d] = (R ? pl_dot3(R + 3 * d, y) : y[d]) + (t ? t[d] : 0);
  }
}

static double distance(const double *X, int a, int b) {
  double d[3];
  pl_sub3(X + 3 * a, X + 3 * b, d);
  return pl_norm3(d);
}

int pl_mesh_nearest_vertex(const pl_mesh *m, const double p[3], int n, const int *list) {
  int best = -1, count = list ? n : m->nvert;
  double least = INFINITY;
  for (int k = 0; k < count; k++) {
    int i = list ? list[k] : k;
    double d[3];
    pl_sub3(m->X + 3 * i, p, d);
    double r = pl_dot3(d, d);
    if (r < least || best < 0) {
      least = r;
      best = i;
    }
  }
  return best;
}

// ---- renumbering ------------------------------------------------------------------------------

// map[old] = new or -1: new numbers appear in order of their first old one, so all works in place
static void renumber(pl_mesh *m, const int *map) {
  int next = 0;
  for (int i = 0; i < m->nvert; i++) {
    if (map[i] != next) continue;
    memmove(m->X + 3 * next, m->X + 3 * i, 3 * sizeof *m->X);
    next++;
  }
  m->nvert = next;
  for (int t = 0; t < PL_CELL_COUNT; t++)
    for (int i = 0; i < m->cell[t].n * pl_cell_nvert[t]; i++)
      m->cell[t].v[i] = map[m->cell[t].v[i]];
  for (int k = 0; k < m->nset; k++) {
    pl_set *s = &m->set[k];
    if (s->type >= 0) continue;
    int kept = 0;
    for (int i = 0; i < s->n; i++)
      if (map[s->index[i]] >= 0) s->index[kept++] = map[s->index[i]];
    s->n = mesh_sort_unique(kept, s->index);
  }
}

pl_status pl_mesh_drop_unused(pl_mesh *m, int *nremoved) {
  if (nremoved) *nremoved = 0;
  PL_TRY(mesh_check_indices(m));
  int *map = pl_alloc(m->env, (size_t)m->nvert, sizeof *map);
  if (!map) return PL_E_NOMEM;
  for (int t = 0; t < PL_CELL_COUNT; t++)
    for (int i = 0; i < m->cell[t].n * pl_cell_nvert[t]; i++) map[m->cell[t].v[i]] = 1;
  int next = 0;
  for (int i = 0; i < m->nvert; i++) map[i] = map[i] ? next++ : -1;
  if (nremoved) *nremoved = m->nvert - next;
  renumber(m, map);
  pl_free(m->env, map);
  return PL_OK;
}

// grid cells of edge 4 tol; tol 0: every place is a cell. -0 and 0 are the same place
static double cell_of(double x, double tol) {
  return (tol > 0 ? floor(x / (4 * tol)) : x) + 0.0;
}

// the lowest vertex standing for itself within tol of i, or -1
static int find_near(const pl_mesh *m, int i, double tol, unsigned mask, const int *head,
                     const int *next) {
  // the ball of radius tol meets at most two cells per axis
  double key[3][2];
  for (int d = 0; d < 3; d++) {
    key[d][0] = cell_of(m->X[3 * i + d] - tol, tol);
    key[d][1] = cell_of(m->X[3 * i + d] + tol, tol);
  }
  int best = -1;
  for (int c = 0; c < 8; c++) {
    int b[3] = {c & 1, c >> 1 & 1, c >> 2 & 1}, seen = 0;
    for (int d = 0; d < 3; d++) seen |= b[d] && key[d][0] == key[d][1];
    if (seen) continue;
    double at[3] = {key[0][b[0]], key[1][b[1]], key[2][b[2]]};
    for (int j = head[pl_hash(0, at, sizeof at) & mask]; j >= 0; j = next[j])
      if ((best < 0 || j < best) && distance(m->X, i, j) <= tol) best = j;
  }
  return best;
}

pl_status mesh_match(const pl_mesh *m, double tol, int *rep) {
  unsigned mask = 15;
  while (mask < (unsigned)m->nvert) mask = 2 * mask + 1;
  int *head = pl_alloc(m->env, (size_t)mask + 1, sizeof *head);
  int *next = pl_alloc(m->env, (size_t)m->nvert, sizeof *next);
  if (!head || !next) {
    pl_free(m->env, head);
    pl_free(m->env, next);
    return PL_E_NOMEM;
  }
  for (unsigned k = 0; k <= mask; k++) head[k] = -1;

  // vertices that stand for themselves are more than tol apart, so a grid cell holds only a few
  for (int i = 0; i < m->nvert; i++) {
    int near = find_near(m, i, tol, mask, head, next);
    rep[i] = near >= 0 ? near : i;
    if (near >= 0) continue;
    double at[3];
    for (int d = 0; d < 3; d++) at[d] = cell_of(m->X[3 * i + d], tol);
    size_t h = pl_hash(0, at, sizeof at) & mask;
    next[i] = head[h];
    head[h] = i;
  }
  pl_free(m->env, head);
  pl_free(m->env, next);
  return PL_OK;
}

pl_status pl_mesh_weld(pl_mesh *m, double tol, int *nmerged) {
  if (nmerged) *nmerged = 0;
  if (!(tol >= 0)) return pl_fail(m->env, PL_E_ARG, "%s: weld: tol must be >= 0", m->source);
  PL_TRY(mesh_check_indices(m));
  int *map = pl_alloc(m->env, (size_t)m->nvert, sizeof *map);
  if (!map) return PL_E_NOMEM;
  pl_status s = mesh_match(m, tol, map);
  if (s == PL_OK) {
    int next = 0;
    for (int i = 0; i < m->nvert; i++) map[i] = map[i] == i ? next++ : map[map[i]];
    if (nmerged) *nmerged = m->nvert - next;
    renumber(m, map);
  }
  pl_free(m->env, map);
  return s;
}

// ---- quads to triangles -----------------------------------------------------------------------

void mesh_split_quad(const double *X, const int *q, int *tri) {
  int first = distance(X, q[0], q[2]) <= distance(X, q[1], q[3]);
  for (int attempt = 0; attempt < 2; attempt++) {
    static const int cut[2][6] = {{0, 1, 3, 1, 2, 3}, {0, 1, 2, 0, 2, 3}};
    double n[2][3];
    for (int k = 0; k < 6; k++) tri[k] = q[cut[first][k]];
    for (int k = 0; k < 2; k++) {
      double a[3], b[3];
      pl_sub3(X + 3 * tri[3 * k + 1], X + 3 * tri[3 * k], a);
      pl_sub3(X + 3 * tri[3 * k + 2], X + 3 * tri[3 * k], b);
      pl_cross3(a, b, n[k]);
    }
    if (pl_dot3(n[0], n[1]) > 0) return;
    first = !first;
  }
}

// moves the sets of quads to the triangles made of them, and drops the quad sets
static pl_status split_sets(pl_mesh *m, int ntri) {
  int nset = m->nset;
  for (int k = 0; k < nset; k++) {
    if (m->set[k].type != PL_QUAD4) continue;
    int n = m->set[k].n;
    int *two = pl_alloc(m->env, (size_t)n, 2 * sizeof *two);
    if (!two) return PL_E_NOMEM;
    for (int i = 0; i < 2 * n; i++) two[i] = ntri + 2 * m->set[k].index[i / 2] + i % 2;
    pl_status s = pl_mesh_add_set(m, m->set[k].name, PL_TRI3, 2 * n, two);
    pl_free(m->env, two);
    PL_TRY(s);
  }
  int kept = 0;
  for (int k = 0; k < m->nset; k++) {
    if (m->set[k].type != PL_QUAD4) {
      m->set[kept++] = m->set[k];
      continue;
    }
    pl_free(m->env, m->set[k].name);
    pl_free(m->env, m->set[k].index);
  }
  m->nset = kept;
  return PL_OK;
}

static pl_status split_into(const pl_mesh *m, pl_mesh *c) {
  int ntri = m->cell[PL_TRI3].n, nquad = m->cell[PL_QUAD4].n;
  if (nquad > (INT_MAX / 3 - ntri) / 2)
    return pl_fail(m->env, PL_E_NOMEM, "%s: too many quads to split", m->source);
  PL_TRY(pl_mesh_set_cells(c, PL_TRI3, ntri + 2 * nquad));
  int *tri = c->cell[PL_TRI3].v;
  if (ntri) memcpy(tri, m->cell[PL_TRI3].v, (size_t)ntri * 3 * sizeof *tri);
  for (int k = 0; k < nquad; k++)
    mesh_split_quad(m->X, m->cell[PL_QUAD4].v + 4 * k, tri + 3 * (ntri + 2 * k));
  PL_TRY(split_sets(c, ntri));
  return pl_mesh_set_cells(c, PL_QUAD4, 0);
}

pl_status pl_mesh_split_quads(pl_mesh *m) {
  if (m->cell[PL_QUAD4].n == 0) return PL_OK;
  PL_TRY(mesh_check_indices(m));
  pl_mesh *c;
  PL_TRY(pl_mesh_copy(m, &c));
  pl_status s = split_into(m, c);
  if (s == PL_OK) {
    pl_mesh old = *m;
    *m = *c;
    *c = old;
  }
  pl_mesh_free(c);
  return s;
}
