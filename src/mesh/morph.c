// Meshes morphed by handles: x -> x + sum of w_k phi(|x - a_k| / r) with Wendland's function of
// compact support that is smooth twice, phi = (1 - s)^4 (4 s + 1), whose matrix between places that
// differ is positive definite in space.
#include "mesh_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

static const double NEAR = 1e-6; // of the radius: handles that are at one place

static double bump(const double *x, const double *a, double radius) {
  double d[3];
  pl_sub3(x, a, d);
  double s = pl_norm3(d) / radius, t = 1 - s;
  return s < 1 ? t * t * t * t * (4 * s + 1) : 0;
}

// w[3][n]: weights of the bumps, so that every handle moves as it is told
static pl_status find_weights(pl_env *env, int n, const double *at, const double *move,
                              double radius, double *w) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++) {
      double d[3];
      pl_sub3(at + 3 * i, at + 3 * k, d);
      if (pl_norm3(d) <= NEAR * radius)
        return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "leave one of them out",
                          "morph: handles %d and %d are at one place", k + 1, i + 1);
    }
  double *A = pl_alloc(env, (size_t)n * (size_t)n, sizeof *A);
  if (!A) return PL_E_NOMEM;
  for (int i = 0; i < n; i++)
    for (int k = 0; k <= i; k++) A[i * n + k] = A[k * n + i] = bump(at + 3 * i, at + 3 * k, radius);
  int solved = pl_cholesky(n, A) > 0;
  for (int c = 0; solved && c < 3; c++) {
    for (int i = 0; i < n; i++) w[c * n + i] = move[3 * i + c];
    pl_cholesky_solve(n, A, w + (size_t)c * (size_t)n);
  }
  pl_free(env, A);
  if (!solved)
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "use fewer handles, or a smaller radius",
                      "morph: handles are too close together for the radius of %g m", radius);
  return PL_OK;
}

// the volume of a unit at a natural place, or of faces the part of it that looks as `like` does
static double measure(const pl_mesh *m, const double *X, const double *like, pl_cell_type t, int e,
                      const double *at) {
  const int *v = m->cell[t].v + (size_t)e * (size_t)pl_cell_nvert[t];
  if (pl_cell_dim[t] == 3) return pl_cell_jacobian(t, X, v, at);
  // corners alone: those of second order do not turn faces
  const double *a = X + 3 * (size_t)v[0], *b = X + 3 * (size_t)v[1], *c = X + 3 * (size_t)v[2];
  const double *A = like + 3 * (size_t)v[0], *B = like + 3 * (size_t)v[1],
               *C = like + 3 * (size_t)v[2];
  double p[3], q[3], n[3], N[3];
  pl_sub3(b, a, p);
  pl_sub3(c, a, q);
  pl_cross3(p, q, n);
  pl_sub3(B, A, p);
  pl_sub3(C, A, q);
  pl_cross3(p, q, N);
  return pl_dot3(n, N);
}

// places at which the cell is looked at: its vertices, and those of integrals
static int is_inverted(const pl_mesh *m, const double *old, pl_cell_type t, int e) {
  double at[PL_CELL_POINT_MAX][3], weight[PL_CELL_POINT_MAX], corner[3];
  if (pl_cell_dim[t] < 2) return 0;
  int n = pl_cell_dim[t] == 3 ? pl_cell_points(t, at, weight) : 0;
  for (int k = 0; k < n + pl_cell_nvert[t]; k++) {
    const double *place = k < n ? at[k] : corner;
    if (k >= n) pl_cell_vertex(t, k - n, corner);
    double before = measure(m, old, old, t, e, place), now = measure(m, m->X, old, t, e, place);
    // cells that were wrong before are told by the checks of the mesh
    if (before * now <= 0 && before != 0) return 1;
  }
  return 0;
}

static pl_status check_inverted(const pl_mesh *m, const double *old) {
  for (pl_cell_type t = 0; t < PL_CELL_COUNT; t++)
    for (int e = 0; e < m->cell[t].n; e++) {
      if (!is_inverted(m, old, t, e)) continue;
      const double *x = old + 3 * (size_t)m->cell[t].v[(size_t)e * (size_t)pl_cell_nvert[t]];
      return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0,
                        "move handles by less, give them a larger radius, or make steps of it: "
                        "several morphs one after the other",
                        "morph: %s %d at %g %g %g is turned %s", pl_cell_name[t], e + 1, x[0], x[1],
                        x[2], pl_cell_dim[t] == 3 ? "inside out" : "over");
    }
  return PL_OK;
}

pl_status pl_mesh_morph(pl_mesh *m, int n, const double *at, const double *move, double radius,
                        int *displaced) {
  double *w = pl_alloc(m->env, 3 * (size_t)n, sizeof *w);
  double *old = pl_alloc(m->env, 3 * (size_t)m->nvert, sizeof *old);
  pl_status s = w && old ? find_weights(m->env, n, at, move, radius, w) : PL_E_NOMEM;
  *displaced = 0;
  if (s == PL_OK) memcpy(old, m->X, 3 * (size_t)m->nvert * sizeof *old);
  for (int i = 0; s == PL_OK && i < m->nvert; i++) {
    double *x = m->X + 3 * (size_t)i, by[3] = {0};
    int near = 0;
    for (int k = 0; k < n; k++) {
      double size = bump(old + 3 * (size_t)i, at + 3 * k, radius);
      near |= size > 0;
      for (int c = 0; c < 3; c++) by[c] += size * w[c * n + k];
    }
    for (int c = 0; c < 3; c++) x[c] += by[c];
    *displaced += near;
  }
  if (s == PL_OK) s = check_inverted(m, old);
  pl_free(m->env, w);
  pl_free(m->env, old);
  return s;
}
