// Master curves as polylines, and distances between curves in a plot whose sides count as one.
#include "validate_impl.h"

#include <string.h>

const pl_box pl_master_box[PL_MASTER_COUNT] = {
    [PL_MASTER_CANTILEVER] = {{1e-3, 1e5}, {1e-4, 1e3}, 1, 1},
    [PL_MASTER_BEND_TWIST] = {{0, 0.7}, {0, 6}, 0, 0},
    [PL_MASTER_LATERAL] = {{0, 1}, {0, 40}, 0, 0},
    [PL_MASTER_STICK_SLIP] = {{0, 0.4}, {0, 0.5}, 0, 0},
};

static const double PRECISION = 1e-6; // of the Hausdorff distance

void pl_polyline_free(pl_env *env, pl_polyline *p) {
  pl_free(env, p->x);
  pl_free(env, p->y);
  *p = (pl_polyline){0};
}

pl_status polyline_add(pl_env *env, pl_polyline *p, int *cap, double x, double y) {
  int room = *cap;
  PL_TRY(pl_grow(env, &p->x, p->n, &room, sizeof *p->x));
  PL_TRY(pl_grow(env, &p->y, p->n, cap, sizeof *p->y));
  p->x[p->n] = x;
  p->y[p->n++] = y;
  return PL_OK;
}

// ---- master curves ----------------------------------------------------------------------------

static pl_status cantilever_curve(pl_env *env, const pl_box *b, pl_polyline *out) {
  enum { N = 200 };
  int cap = 0;
  for (int i = 0; i <= N; i++) {
    double gamma = b->x[0] * pow(b->x[1] / b->x[0], (double)i / N), y;
    PL_TRY(pl_master_cantilever(env, gamma, &y));
    PL_TRY(polyline_add(env, out, &cap, gamma, y));
  }
  return PL_OK;
}

// even steps of Q/P: eps_y grows with its square
static pl_status stick_slip_curve(pl_env *env, pl_polyline *out) {
  enum { N = 100 };
  double eps, P, Q, most;
  int cap = 0;
  PL_TRY(pl_master_stick_slip_end(env, &eps, &most));
  for (int i = 0; i <= N; i++) {
    double mu = i * most / N;
    PL_TRY(pl_master_stick_slip(env, mu, &eps, &P, &Q));
    PL_TRY(polyline_add(env, out, &cap, eps, mu));
  }
  return PL_OK;
}

// a smooth curve: the polynomial through a few Chebyshev points
static pl_status lateral_curve(pl_env *env, double nu, const pl_box *b, pl_polyline *out) {
  enum { NODES = 9, N = 50 };
  double x[NODES], y[NODES];
  int cap = 0;
  for (int i = 0; i < NODES; i++) {
    PL_TRY(pl_report_progress(env, "lateral buckling", (double)i / NODES, NULL));
    x[i] = 0.5 * b->x[1] * (1 - cos(PL_PI * i / (NODES - 1)));
    PL_TRY(pl_master_lateral(env, nu, x[i], &y[i]));
  }
  for (int k = 0; k <= N; k++) {
    // Lagrange's form; the ends are nodes
    double at = k * b->x[1] / N, sum = 0;
    for (int i = 0; i < NODES; i++) {
      double l = 1;
      for (int j = 0; j < NODES; j++)
        if (j != i) l *= (at - x[j]) / (x[i] - x[j]);
      sum += l * y[i];
    }
    PL_TRY(polyline_add(env, out, &cap, at, sum));
  }
  return PL_OK;
}

pl_status pl_master_polyline(pl_env *env, pl_master_kind which, double nu, pl_polyline *out) {
  *out = (pl_polyline){0};
  pl_status s = PL_E_ARG;
  switch (which) {
  case PL_MASTER_CANTILEVER:
    s = cantilever_curve(env, &pl_master_box[which], out);
    break;
  case PL_MASTER_BEND_TWIST:
    s = bend_twist_polyline(env, nu, &pl_master_box[which], out);
    break;
  case PL_MASTER_LATERAL:
    s = lateral_curve(env, nu, &pl_master_box[which], out);
    break;
  case PL_MASTER_STICK_SLIP:
    s = stick_slip_curve(env, out);
    break;
  case PL_MASTER_COUNT:
    return pl_fail(env, PL_E_ARG, "master curve %d does not exist", (int)which);
  }
  if (s != PL_OK) pl_polyline_free(env, out);
  return s;
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

// a point, how far a curve is from it, and with which piece
typedef struct touch_point {
  double p[2], d;
  int nearest;
} touch_point;

static double piece_distance(const plane *c, int i, const double *p) {
  return segment_distance(p, c->p[i], c->p[i + (c->n > 1)]);
}

static touch_point locate(const plane *c, double x, double y) {
  touch_point s = {{x, y}, HUGE_VAL, 0};
  for (int i = 0; i == 0 || i + 1 < c->n; i++) {
    double d = piece_distance(c, i, s.p);
    if (d < s.d) {
      s.d = d;
      s.nearest = i;
    }
  }
  return s;
}

// Largest distance of a segment's points from c, where it exceeds most. The distance from one piece
// of c is convex along the segment: nowhere larger than at its ends.
static double farthest(const plane *c, const touch_point *a, const touch_point *b, double most) {
  most = fmax(most, fmax(a->d, b->d));
  double bound = fmin(fmax(a->d, piece_distance(c, a->nearest, b->p)),
                      fmax(b->d, piece_distance(c, b->nearest, a->p)));
  if (bound <= most + PRECISION) return most;
  touch_point m = locate(c, 0.5 * (a->p[0] + b->p[0]), 0.5 * (a->p[1] + b->p[1]));
  most = farthest(c, a, &m, most);
  return farthest(c, &m, b, most);
}

// the part of a segment inside the plot, from t[0] to t[1] along it; returns 0 when there is none
static int clip(const double *a, const double *b, double *t) {
  t[0] = 0;
  t[1] = 1;
  for (int i = 0; i < 2; i++) {
    double d = b[i] - a[i];
    if (d == 0 && (a[i] < 0 || a[i] > 1)) return 0;
    if (d == 0) continue;
    double in = (0 - a[i]) / d, out = (1 - a[i]) / d;
    t[0] = fmax(t[0], fmin(in, out));
    t[1] = fmin(t[1], fmax(in, out));
  }
  return t[0] <= t[1];
}

// what of a is seen in the plot, to all of b
static double directed(const plane *a, const plane *b) {
  double most = 0;
  for (int i = 0; i < a->n; i++) {
    const double *from = a->p[i], *to = a->p[i + (i + 1 < a->n)];
    double t[2];
    touch_point end[2];
    if (!clip(from, to, t)) continue;
    for (int k = 0; k < 2; k++)
      end[k] = locate(b, from[0] + t[k] * (to[0] - from[0]), from[1] + t[k] * (to[1] - from[1]));
    most = farthest(b, &end[0], &end[1], most);
  }
  return most;
}

pl_status pl_plot_distance(pl_env *env, const pl_box *box, int n, const double *x, const double *y,
                           const pl_polyline *curve, double *distance) {
  plane a = {0}, b = {0};
  pl_status s = to_plane(env, box, n, x, y, &a);
  if (s == PL_OK) s = to_plane(env, box, curve->n, curve->x, curve->y, &b);
  if (s == PL_OK) {
    *distance = 0;
    for (int i = 0; i < n; i++) *distance = fmax(*distance, locate(&b, a.p[i][0], a.p[i][1]).d);
  }
  pl_free(env, a.p);
  pl_free(env, b.p);
  return s;
}

pl_status pl_plot_hausdorff(pl_env *env, const pl_box *box, const pl_polyline *a,
                            const pl_polyline *b, double *distance) {
  plane p = {0}, q = {0};
  pl_status s = to_plane(env, box, a->n, a->x, a->y, &p);
  if (s == PL_OK) s = to_plane(env, box, b->n, b->x, b->y, &q);
  if (s == PL_OK) *distance = fmax(directed(&p, &q), directed(&q, &p));
  pl_free(env, p.p);
  pl_free(env, q.p);
  return s;
}
