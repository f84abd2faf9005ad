// Closed surfaces filled with tetrahedra that meet in their centre.
#include "mesh_impl.h"

#include "pliant/math.h"

#include <string.h>

static const double FLAT = 1e-9; // of the mean volume: a tetrahedron without any

// every edge has two triangles that run along it in opposite directions; *t freed by the caller
static pl_status check_closed(const pl_mesh *m, pl_topology **t) {
  PL_TRY(pl_topology_create(m, t));
  for (int e = 0; e < (*t)->nedge; e++) {
    const int *v = (*t)->edge + 2 * e, *tri = (*t)->edge_tri + 2 * e;
    const double *x = m->X + 3 * (size_t)v[0];
    int along = 0;
    if (tri[1] < 0)
      return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0,
                        "close the surface; 'merge' joins vertices that stand on each other",
                        "the surface is open: the edge of vertices %d and %d at (%g, %g, %g) m has "
                        "one triangle",
                        v[0] + 1, v[1] + 1, x[0], x[1], x[2]);
    for (int side = 0; side < 2; side++)
      for (int i = 0; i < 3; i++) {
        const int *c = m->cell[PL_TRI3].v + 3 * (size_t)tri[side];
        along +=
            (c[i] == v[0] && c[(i + 1) % 3] == v[1]) - (c[i] == v[1] && c[(i + 1) % 3] == v[0]);
      }
    if (along != 0)
      return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0, "turn all triangles outwards",
                        "triangles %d and %d are turned against each other", tri[0] + 1,
                        tri[1] + 1);
  }
  return PL_OK;
}

// six times the volume between a triangle and a point
static double volume6(const double *X, const int *v, const double *from) {
  double a[9];
  for (int i = 0; i < 3; i++) pl_sub3(X + 3 * (size_t)v[i], from, a + 3 * i);
  return pl_det3(a);
}

// six times the signed volume of all, and the centre of mass
static double centre_of(const pl_mesh *m, double *centre) {
  const pl_cells *c = &m->cell[PL_TRI3];
  double sum = 0, lo[3], hi[3], at[3] = {0};
  pl_mesh_bounds(m, lo, hi);
  for (int i = 0; i < 3; i++) lo[i] = 0.5 * (lo[i] + hi[i]);
  for (int t = 0; t < c->n; t++) {
    const int *v = c->v + 3 * (size_t)t;
    double own = volume6(m->X, v, lo);
    sum += own;
    for (int i = 0; i < 9; i++)
      at[i % 3] += own / 4 * (m->X[3 * (size_t)v[i / 3] + i % 3] - lo[i % 3]);
  }
  for (int i = 0; i < 3; i++) centre[i] = lo[i] + (sum != 0 ? at[i] / sum : 0);
  return sum;
}

static pl_status fill(const pl_mesh *m, pl_mesh *out) {
  const pl_cells *c = &m->cell[PL_TRI3];
  double *centre = out->X + 3 * (size_t)m->nvert, all = centre_of(m, centre);
  if (all == 0) return pl_fail(m->env, PL_E_INPUT, "%s: the surface holds no volume", m->source);
  memcpy(out->X, m->X, 3 * (size_t)m->nvert * sizeof *m->X);
  for (int t = 0; t < c->n; t++) {
    const int *v = c->v + 3 * (size_t)t;
    // the centre lies behind the triangle
    int tet[4] = {v[0], all > 0 ? v[2] : v[1], all > 0 ? v[1] : v[2], m->nvert};
    if (!(volume6(m->X, v, centre) / all > FLAT / c->n)) {
      const double *x = m->X + 3 * (size_t)v[0];
      return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0,
                        "fill it: mesh: {voxels: {file: ...}}, or by gmsh -3",
                        "triangle %d at (%g, %g, %g) m is not seen from the centre of the surface",
                        t + 1, x[0], x[1], x[2]);
    }
    memcpy(out->cell[PL_TET4].v + 4 * (size_t)t, tet, sizeof tet);
  }
  memcpy(out->cell[PL_TRI3].v, c->v, 3 * (size_t)c->n * sizeof *c->v);
  return PL_OK;
}

pl_status pl_mesh_cone(const pl_mesh *m, pl_mesh **out) {
  pl_topology *t = NULL;
  int n = m->cell[PL_TRI3].n;
  *out = NULL;
  pl_status s = check_closed(m, &t);
  pl_topology_free(t);
  PL_TRY(s);
  pl_mesh *to;
  PL_TRY(pl_mesh_create(m->env, m->source, m->nvert + 1, &to));
  s = pl_mesh_set_cells(to, PL_TRI3, n);
  if (s == PL_OK) s = pl_mesh_set_cells(to, PL_TET4, n);
  if (s == PL_OK) s = fill(m, to);
  for (int k = 0; s == PL_OK && k < m->nset; k++)
    if (m->set[k].type < 0 || m->set[k].type == PL_TRI3)
      s = pl_mesh_add_set(to, m->set[k].name, m->set[k].type, m->set[k].n, m->set[k].index);
  if (s != PL_OK) {
    pl_mesh_free(to);
    return s;
  }
  *out = to;
  return PL_OK;
}
