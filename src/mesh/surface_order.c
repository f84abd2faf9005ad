// Surfaces as triangles of second order, and their boundaries.
#include "mesh_impl.h"

#include "pliant/math.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// the two triangles of a quad of second order along the diagonal that mesh_split_quad takes, c the
// vertex in the middle of it
static void cut_quad(const double *X, const int *q, int c, int *tri) {
  static const int cut[2][2][6] = {{{0, 1, 3, 4, -1, 7}, {1, 2, 3, 5, 6, -1}},
                                   {{0, 1, 2, 4, 5, -1}, {0, 2, 3, -1, 6, 7}}};
  int two[6];
  mesh_split_quad(X, q, two);
  const int(*how)[6] = cut[two[2] == q[2]];
  for (int k = 0; k < 12; k++) tri[k] = how[k / 6][k % 6] < 0 ? c : q[how[k / 6][k % 6]];
}

// the middle of a quad of eight nodes
static void centre(const double *X, const int *q, double *x) {
  for (int d = 0; d < 3; d++) {
    x[d] = 0;
    for (int k = 0; k < 8; k++) x[d] += (k < 4 ? -0.25 : 0.5) * X[3 * (size_t)q[k] + d];
  }
}

static pl_status cut_sets(const pl_mesh *m, int ntri, pl_mesh *r) {
  for (int k = 0; k < m->nset; k++) {
    const pl_set *set = &m->set[k];
    int quads = set->type == PL_QUAD8, n = quads ? 2 * set->n : set->n;
    int *list = pl_alloc(m->env, (size_t)n, sizeof *list);
    if (!list) return PL_E_NOMEM;
    for (int i = 0; i < n; i++)
      list[i] = quads ? ntri + 2 * set->index[i / 2] + i % 2 : set->index[i];
    pl_status s = pl_mesh_add_set(r, set->name, quads ? PL_TRI6 : set->type, n, list);
    pl_free(m->env, list);
    PL_TRY(s);
  }
  return PL_OK;
}

// quads of second order become triangles, with a vertex more each
static pl_status cut_quads(const pl_mesh *m, pl_mesh *r) {
  int ntri = m->cell[PL_TRI6].n, nquad = m->cell[PL_QUAD8].n;
  memcpy(r->X, m->X, 3 * (size_t)m->nvert * sizeof *r->X);
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    if (t == PL_QUAD8) continue;
    int more = t == PL_TRI6 ? 2 * nquad : 0;
    PL_TRY(pl_mesh_set_cells(r, (pl_cell_type)t, m->cell[t].n + more));
    if (m->cell[t].n > 0)
      memcpy(r->cell[t].v, m->cell[t].v,
             (size_t)m->cell[t].n * (size_t)pl_cell_nvert[t] * sizeof(int));
  }
  for (int k = 0; k < nquad; k++) {
    const int *q = m->cell[PL_QUAD8].v + 8 * (size_t)k;
    centre(m->X, q, r->X + 3 * (size_t)(m->nvert + k));
    cut_quad(m->X, q, m->nvert + k, r->cell[PL_TRI6].v + 6 * (size_t)(ntri + 2 * k));
  }
  return cut_sets(m, ntri, r);
}

pl_status pl_mesh_raise_surface(const pl_mesh *m, pl_mesh **out) {
  pl_mesh *r = NULL;
  *out = NULL;
  PL_TRY(mesh_check_indices(m));
  if (m->cell[PL_QUAD8].n > INT_MAX / 16 - m->nvert)
    return pl_fail(m->env, PL_E_INPUT, "%s: too many quads", m->source);
  PL_TRY(pl_mesh_create(m->env, m->source, m->nvert + m->cell[PL_QUAD8].n, &r));
  pl_status s = cut_quads(m, r);
  if (s == PL_OK) s = pl_mesh_split_quads(r);
  if (s == PL_OK) s = pl_mesh_raise(r, 1, 0, out);
  pl_mesh_free(r);
  return s;
}

// ---- boundary -----------------------------------------------------------------------------------

// ends and middle (-1: none) of the edges of all triangles, ends ascending
static void fill_edges(const pl_mesh *m, int *key, int *middle) {
  static const pl_cell_type type[2] = {PL_TRI3, PL_TRI6};
  for (int t = 0; t < 2; t++) {
    int nv = pl_cell_nvert[type[t]];
    for (int i = 0; i < 3 * m->cell[type[t]].n; i++, key += 2) {
      const int *v = m->cell[type[t]].v + (size_t)(i / 3) * (size_t)nv;
      int a = i % 3, b = (a + 1) % 3;
      key[0] = v[a];
      key[1] = v[b];
      mesh_sort_row(2, key);
      *middle++ = nv == 6 ? v[3 + a] : -1;
    }
  }
}

// edge[][3]: ends and middle of those that have one triangle
static int collect_boundary(int n, const int *key, const int *middle, const int *order,
                            const int *id, int *edge) {
  int found = 0;
  for (int i = 0; i < n; i++) {
    int e = order[i];
    if ((i > 0 && id[order[i - 1]] == id[e]) || (i + 1 < n && id[order[i + 1]] == id[e])) continue;
    memcpy(edge + 3 * (size_t)found, key + 2 * (size_t)e, 2 * sizeof *key);
    edge[3 * (size_t)found++ + 2] = middle[e];
  }
  return found;
}

// *edge [*n][3] is freed by the caller
static pl_status boundary_edges(const pl_mesh *m, int *n, int **edge) {
  *n = 0;
  *edge = NULL;
  PL_TRY(mesh_check_indices(m));
  double sides = 3.0 * m->cell[PL_TRI3].n + 3.0 * m->cell[PL_TRI6].n;
  if (sides > INT_MAX / 3) return pl_fail(m->env, PL_E_NOMEM, "%s: too many edges", m->source);
  int nside = (int)sides, ngroup;
  int *key = pl_alloc(m->env, (size_t)nside + 1, 2 * sizeof *key);
  int *middle = pl_alloc(m->env, (size_t)nside + 1, sizeof *middle);
  int *order = pl_alloc(m->env, (size_t)nside + 1, sizeof *order);
  int *id = pl_alloc(m->env, (size_t)nside + 1, sizeof *id);
  int *list = pl_alloc(m->env, (size_t)nside + 1, 3 * sizeof *list);
  pl_status s = key && middle && order && id && list ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) {
    fill_edges(m, key, middle);
    s = mesh_group(m->env, m->nvert, 2, nside, key, order, id, &ngroup);
  }
  if (s == PL_OK) *n = collect_boundary(nside, key, middle, order, id, list);
  pl_free(m->env, key);
  pl_free(m->env, middle);
  pl_free(m->env, order);
  pl_free(m->env, id);
  if (s == PL_OK)
    *edge = list;
  else
    pl_free(m->env, list);
  return s;
}

pl_status pl_mesh_boundary(const pl_mesh *m, int *n, int **vertex) {
  int nedge, *list;
  *n = 0;
  *vertex = NULL;
  PL_TRY(boundary_edges(m, &nedge, &list));
  for (int i = 0; i < 3 * nedge; i++)
    if (list[i] >= 0) list[(*n)++] = list[i];
  *vertex = list;
  return PL_OK;
}

// of triangles between their corners
static double corners_area(const pl_mesh *m, pl_cell_type t) {
  double sum = 0, a[3], b[3], c[3];
  for (int i = 0; i < m->cell[t].n; i++) {
    const int *v = m->cell[t].v + (size_t)pl_cell_nvert[t] * (size_t)i;
    pl_sub3(m->X + 3 * (size_t)v[1], m->X + 3 * (size_t)v[0], a);
    pl_sub3(m->X + 3 * (size_t)v[2], m->X + 3 * (size_t)v[0], b);
    pl_cross3(a, b, c);
    sum += 0.5 * pl_norm3(c);
  }
  return sum;
}

pl_status pl_mesh_width(const pl_mesh *m, double *width) {
  int nedge, *edge;
  double border = 0, d[3];
  PL_TRY(boundary_edges(m, &nedge, &edge));
  for (int i = 0; i < nedge; i++) {
    pl_sub3(m->X + 3 * (size_t)edge[3 * i], m->X + 3 * (size_t)edge[3 * i + 1], d);
    border += pl_norm3(d);
  }
  pl_free(m->env, edge);
  double area = corners_area(m, PL_TRI3) + corners_area(m, PL_TRI6);
  *width = border > 0 ? 2 * area / border : INFINITY;
  return PL_OK;
}
