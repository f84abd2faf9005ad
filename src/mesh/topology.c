#include "mesh_impl.h"

#include "pliant/math.h"

#include <limits.h>
#include <string.h>

// ---- grouping ---------------------------------------------------------------------------------

void mesh_sort_row(int n, int *v) {
  for (int a = 1; a < n; a++)
    for (int b = a; b > 0 && v[b - 1] > v[b]; b--) {
      int swap = v[b];
      v[b] = v[b - 1];
      v[b - 1] = swap;
    }
}

// one stable counting pass over column c of the keys
static void sort_column(int nvert, int width, int n, const int *key, int c, const int *from,
                        int *to, int *count) {
  memset(count, 0, ((size_t)nvert + 1) * sizeof *count);
  for (int i = 0; i < n; i++) count[key[(size_t)i * (size_t)width + (size_t)c] + 1]++;
  for (int v = 0; v < nvert; v++) count[v + 1] += count[v];
  for (int i = 0; i < n; i++) {
    int row = from[i];
    to[count[key[(size_t)row * (size_t)width + (size_t)c]]++] = row;
  }
}

pl_status mesh_group(pl_env *env, int nvert, int width, int n, const int *key, int *order, int *id,
                     int *ngroup) {
  int *count = pl_alloc(env, (size_t)nvert + 1, sizeof *count);
  int *other = pl_alloc(env, (size_t)n, sizeof *other);
  if (!count || !other) {
    pl_free(env, count);
    pl_free(env, other);
    return PL_E_NOMEM;
  }

  // radix sort from the last column; start so that the last pass lands in order
  int *from = width % 2 ? other : order, *to = width % 2 ? order : other;
  for (int i = 0; i < n; i++) from[i] = i;
  for (int c = width - 1; c >= 0; c--) {
    sort_column(nvert, width, n, key, c, from, to, count);
    int *swap = from;
    from = to;
    to = swap;
  }
  int g = -1;
  size_t w = (size_t)width;
  for (int i = 0; i < n; i++) {
    const int *row = key + (size_t)order[i] * w;
    if (i == 0 || memcmp(row, key + (size_t)order[i - 1] * w, w * sizeof *key) != 0) g++;
    id[order[i]] = g;
  }
  *ngroup = g + 1;
  pl_free(env, count);
  pl_free(env, other);
  return PL_OK;
}

// ---- edges and hinges -------------------------------------------------------------------------

void pl_topology_free(pl_topology *t) {
  if (!t) return;
  pl_free(t->env, t->edge);
  pl_free(t->env, t->tri_edge);
  pl_free(t->env, t->edge_tri);
  pl_free(t->env, t->hinge);
  pl_free(t->env, t->hinge_edge);
  pl_free(t->env, t->boundary);
  pl_free(t->env, t);
}

// the edge opposite to corner k of each triangle, low vertex first
static pl_status edge_keys(const pl_mesh *m, int *key) {
  for (int t = 0; t < m->cell[PL_TRI3].n; t++) {
    const int *v = m->cell[PL_TRI3].v + 3 * t;
    for (int k = 0; k < 3; k++) {
      int a = v[(k + 1) % 3], b = v[(k + 2) % 3];
      if (a == b)
        return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0, "remove the triangle",
                          "triangle %d names vertex %d twice", t + 1, a + 1);
      size_t at = 2 * (3 * (size_t)t + (size_t)k);
      key[at] = a < b ? a : b;
      key[at + 1] = a < b ? b : a;
    }
  }
  return PL_OK;
}

static pl_status fill_edges(const pl_mesh *m, const int *key, const int *order, pl_topology *t) {
  size_t nedge = (size_t)t->nedge;
  t->edge = pl_alloc(m->env, nedge, 2 * sizeof *t->edge);
  t->edge_tri = pl_alloc(m->env, nedge, 2 * sizeof *t->edge_tri);
  if (!t->edge || !t->edge_tri) return PL_E_NOMEM;
  for (int e = 0; e < 2 * t->nedge; e++) t->edge_tri[e] = -1;
  for (int i = 0; i < 3 * m->cell[PL_TRI3].n; i++) {
    int half = order[i], e = t->tri_edge[half];
    const int *ends = key + 2 * (size_t)half;
    t->edge[2 * e] = ends[0];
    t->edge[2 * e + 1] = ends[1];
    if (t->edge_tri[2 * e] < 0)
      t->edge_tri[2 * e] = half / 3;
    else if (t->edge_tri[2 * e + 1] < 0)
      t->edge_tri[2 * e + 1] = half / 3;
    else
      return pl_fail_at(
          m->env, PL_E_INPUT, m->source, 0, 0,
          "separate the sheets that meet there, remove all but two, or use bending: shell6",
          "the edge of vertices %d and %d has more than two triangles: %d, %d and %d", ends[0] + 1,
          ends[1] + 1, t->edge_tri[2 * e] + 1, t->edge_tri[2 * e + 1] + 1, half / 3 + 1);
  }
  return PL_OK;
}

// corner of a triangle opposite to an edge
static int corner_of(const pl_topology *t, int tri, int e) {
  const int *te = t->tri_edge + 3 * tri;
  return te[0] == e ? 0 : te[1] == e ? 1 : 2;
}

static pl_status fill_hinges(const pl_mesh *m, pl_topology *t) {
  for (int e = 0; e < t->nedge; e++) t->nboundary += t->edge_tri[2 * e + 1] < 0;
  t->nhinge = t->nedge - t->nboundary;
  t->hinge = pl_alloc(m->env, (size_t)t->nhinge, 4 * sizeof *t->hinge);
  t->hinge_edge = pl_alloc(m->env, (size_t)t->nhinge, sizeof *t->hinge_edge);
  t->boundary = pl_alloc(m->env, (size_t)t->nboundary, sizeof *t->boundary);
  if (!t->hinge || !t->hinge_edge || !t->boundary) return PL_E_NOMEM;
  int nhinge = 0, nboundary = 0;
  for (int e = 0; e < t->nedge; e++) {
    int a = t->edge_tri[2 * e], b = t->edge_tri[2 * e + 1];
    if (b < 0) {
      t->boundary[nboundary++] = e;
      continue;
    }
    const int *va = m->cell[PL_TRI3].v + 3 * a, *vb = m->cell[PL_TRI3].v + 3 * b;
    int k = corner_of(t, a, e);
    int *h = t->hinge + 4 * (size_t)nhinge;
    h[0] = va[(k + 1) % 3];
    h[1] = va[(k + 2) % 3];
    h[2] = va[k];
    h[3] = vb[corner_of(t, b, e)];
    t->hinge_edge[nhinge++] = e;
  }
  return PL_OK;
}

static pl_status build(const pl_mesh *m, pl_topology *t, int *key, int *order) {
  int nhalf = 3 * m->cell[PL_TRI3].n;
  t->tri_edge = pl_alloc(m->env, (size_t)nhalf, sizeof *t->tri_edge);
  if (!t->tri_edge || !key || !order) return PL_E_NOMEM;
  PL_TRY(edge_keys(m, key));
  PL_TRY(mesh_group(m->env, m->nvert, 2, nhalf, key, order, t->tri_edge, &t->nedge));
  if (t->nedge > INT_MAX / 4)
    return pl_fail(m->env, PL_E_NOMEM, "%s: too many edges: %d", m->source, t->nedge);
  PL_TRY(fill_edges(m, key, order, t));
  return fill_hinges(m, t);
}

pl_status pl_topology_create(const pl_mesh *m, pl_topology **out) {
  *out = NULL;
  PL_TRY(mesh_check_indices(m));
  size_t nhalf = 3 * (size_t)m->cell[PL_TRI3].n;
  pl_topology *t = pl_alloc(m->env, 1, sizeof *t);
  if (!t) return PL_E_NOMEM;
  t->env = m->env;
  int *key = pl_alloc(m->env, nhalf, 2 * sizeof *key);
  int *order = pl_alloc(m->env, nhalf, sizeof *order);
  pl_status s = build(m, t, key, order);
  pl_free(m->env, key);
  pl_free(m->env, order);
  if (s != PL_OK) {
    pl_topology_free(t);
    return s;
  }
  *out = t;
  return PL_OK;
}

// ---- parts ------------------------------------------------------------------------------------

pl_status pl_mesh_parts(const pl_mesh *m, int *n, int *part) {
  *n = 0;
  PL_TRY(mesh_check_indices(m));
  int *up = pl_alloc(m->env, (size_t)m->nvert, sizeof *up);
  if (!up) return PL_E_NOMEM;
  for (int i = 0; i < m->nvert; i++) {
    up[i] = i;
    part[i] = -1;
  }

  // the root of a part is its first vertex
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    int nv = pl_cell_nvert[t];
    for (int i = 0; i < m->cell[t].n * nv; i++) {
      pl_unite(up, m->cell[t].v[i], m->cell[t].v[i - i % nv]);
      part[m->cell[t].v[i]] = -2;
    }
  }
  for (int i = 0; i < m->nvert; i++) {
    if (part[i] == -1) continue;
    int r = pl_root(up, i);
    part[i] = r == i ? (*n)++ : part[r];
  }
  pl_free(m->env, up);
  return PL_OK;
}
