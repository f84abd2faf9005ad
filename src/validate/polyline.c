// Distances of points from curves in a plot whose sides count as one.
#include "validate_impl.h"

#include <string.h>

const pl_box pl_master_box[PL_MASTER_COUNT] = {
    [PL_MASTER_CANTILEVER] = {{1e-3, 1e5}, {1e-4, 1e3}, 1, 1},
    [PL_MASTER_BEND_TWIST] = {{0, 0.7}, {0, 6}, 0, 0},
    [PL_MASTER_LATERAL] = {{0, 1}, {0, 40}, 0, 0},
    [PL_MASTER_STICK_SLIP] = {{0, 0.4}, {0, 0.5}, 0, 0},
};

void pl_polyline_free(pl_env *env, pl_polyline *p) {
  pl_free(env, p->x);
  pl_free(env, p->y);
  *p = (pl_polyline){0};
}

// ---- distances --------------------------------------------------------------------------------

typedef struct plane {
  int n;
  double (*p)[2]; // [n] points in units of the plot
} plane;

static pl_status scale(pl_env *env, const double *range, int log, double v, double *out) {
  if (log && !(v > 0))
    return pl_fail(env, PL_E_ARG, "plot: %g has no place on a logarithmic axis", v);
  if (!isfinite(v)) return pl_fail(env, PL_E_ARG, "plot: a point is not finite");
  double lo = log ? log10(range[0]) : range[0], hi = log ? log10(range[1]) : range[1];
  *out = ((log ? log10(v) : v) - lo) / (hi - lo);
  return PL_OK;
}

static pl_status to_plane(pl_env *env, const pl_box *b, int n, const double *x, const double *y,
                          plane *out) {
  if (n < 1) return pl_fail(env, PL_E_ARG, "plot: a distance needs at least one point");
  out->n = n;
  out->p = pl_alloc(env, (size_t)n, sizeof *out->p);
  if (!out->p) return PL_E_NOMEM;
  for (int i = 0; i < n; i++) {
    PL_TRY(scale(env, b->x, b->logx, x[i], &out->p[i][0]));
    PL_TRY(scale(env, b->y, b->logy, y[i], &out->p[i][1]));
  }
  return PL_OK;
}

static double segment_distance(const double *p, const double *a, const double *b) {
  double d[2] = {b[0] - a[0], b[1] - a[1]}, e[2] = {p[0] - a[0], p[1] - a[1]};
  double len = d[0] * d[0] + d[1] * d[1], t = len > 0 ? (d[0] * e[0] + d[1] * e[1]) / len : 0;
  t = fmin(1, fmax(0, t));
  return hypot(e[0] - t * d[0], e[1] - t * d[1]);
}

static double curve_distance(const plane *c, const double *p) {
  double least = HUGE_VAL;
  for (int i = 0; i == 0 || i + 1 < c->n; i++)
    least = fmin(least, segment_distance(p, c->p[i], c->p[i + (c->n > 1)]));
  return least;
}

pl_status pl_plot_distance(pl_env *env, const pl_box *box, int n, const double *x, const double *y,
                           const pl_polyline *curve, double *distance) {
  plane a = {0}, b = {0};
  pl_status s = to_plane(env, box, n, x, y, &a);
  if (s == PL_OK) s = to_plane(env, box, curve->n, curve->x, curve->y, &b);
  if (s == PL_OK) {
    *distance = 0;
    for (int i = 0; i < n; i++) *distance = fmax(*distance, curve_distance(&b, a.p[i]));
  }
  pl_free(env, a.p);
  pl_free(env, b.p);
  return s;
}
