// Shapes of limits: ellipses, sampled directions and what follows between them, polar curves.
#include "limit_impl.h"

#include <math.h>
#include <string.h>

enum { GRID = 360, ROUNDS = 12, RAISES = 20 };
static const double PARALLEL = 1e-12; // rad; directions this near are one

// ---- limits -------------------------------------------------------------------------------------

void pl_limit_ellipse(double along, double across, double angle, double B[3]) {
  double c = cos(angle), s = sin(angle), a = along * along, b = across * across;
  B[0] = a * c * c + b * s * s;
  B[1] = a * s * s + b * c * c;
  B[2] = (a - b) * c * s;
}

pl_status pl_limit_bias(pl_env *env, double first, double second, double bias, double B[3]) {
  double lo = fabs(first - second) / sqrt(2), hi = (first + second) / sqrt(2);
  if (!(first > 0 && second > 0) || !isfinite(first) || !isfinite(second))
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "a limit of 1 % is a stretch of 1.01",
                      "limit: stretches along the axes must be above zero, got %g and %g", first,
                      second);
  if (!(bias > lo && bias < hi))
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0,
                      "use sampled directions for a material beyond this",
                      "limit: no ellipse allows %g and %g along the axes and %g along the bias, "
                      "which must be between %g and %g",
                      first, second, bias, lo, hi);
  B[0] = first * first;
  B[1] = second * second;
  B[2] = bias * bias - (B[0] + B[1]) / 2;
  return PL_OK;
}

// angle in [0, pi)
static double half_circle(double angle) {
  double r = fmod(angle, PL_PI);
  return r < 0 ? r + PL_PI : r;
}

// d_i / b_i in axes of which the first is the direction asked for
static void sample_point(const pl_limit *l, int i, double angle, double q[2]) {
  q[0] = cos(l->angle[i] - angle) / l->bound[i];
  q[1] = sin(l->angle[i] - angle) / l->bound[i];
}

// neighbours of a direction, *left counterclockwise of it; -1: all samples are parallel
static void neighbours(const pl_limit *l, double angle, int *left, int *right) {
  double up = PL_PI, down = PL_PI;
  *left = *right = -1;
  for (int i = 0; i < l->ndirection; i++) {
    double t = half_circle(l->angle[i] - angle);
    if (t < up && t >= PARALLEL) up = t, *left = i;
    if (PL_PI - t <= down && t >= PARALLEL) down = PL_PI - t, *right = i;
  }
}

// The most that |F d| can be when |F d_i| <= b_i. With d = a d_i + c d_j it is at most |a| b_i +
// |c| b_j; the best pair is the edge through which the ray d leaves the hull of all +-d_i / b_i.
static double chord_bound(const pl_limit *l, double angle) {
  int left, right;
  double L[2], R[2], q[2], most = INFINITY;
  neighbours(l, angle, &left, &right);
  for (int i = 0; i < l->ndirection; i++)
    if (fabs(sin(l->angle[i] - angle)) < PARALLEL) most = fmin(most, l->bound[i]);
  if (left < 0 || left == right) return most;
  sample_point(l, left, angle, L);
  sample_point(l, right, angle, R);
  if (L[1] < 0) L[0] = -L[0], L[1] = -L[1];
  if (R[1] > 0) R[0] = -R[0], R[1] = -R[1];
  for (int it = 0; it < 4 * l->ndirection; it++) {
    // n.L = n.R = 1: the line through both, and its bound for d is n.d
    double det = L[0] * R[1] - L[1] * R[0];
    if (!(fabs(det) > PARALLEL * hypot(L[0], L[1]) * hypot(R[0], R[1]))) break;
    double n[2] = {(R[1] - L[1]) / det, (L[0] - R[0]) / det}, worst = 1 + 1e-12, Q[2] = {0};
    for (int i = 0; i < l->ndirection; i++) {
      sample_point(l, i, angle, q);
      double out = n[0] * q[0] + n[1] * q[1];
      if (fabs(out) <= worst) continue;
      worst = fabs(out);
      Q[0] = copysign(1, out) * q[0], Q[1] = copysign(1, out) * q[1];
    }
    most = fmin(most, n[0]);
    if (worst == 1 + 1e-12) break;
    memcpy(Q[1] > 0 ? L : R, Q, sizeof Q);
  }
  return most;
}

double pl_limit_stretch(const pl_limit *l, double angle) {
  double c = cos(angle), s = sin(angle), most = INFINITY;
  for (int i = 0; i < l->nellipse; i++) {
    const double *B = l->B[i];
    most = fmin(most, sqrt(B[0] * c * c + B[1] * s * s + 2 * B[2] * c * s));
  }
  return l->ndirection > 0 ? fmin(most, chord_bound(l, angle)) : most;
}

// ---- polar curves -------------------------------------------------------------------------------

double pl_polar_at(const pl_polar *c, double angle) {
  double down = 2 * PL_PI, up = 2 * PL_PI, below = 0, above = 0;
  for (int i = 0; i < c->n; i++) {
    double t = half_circle(angle - c->angle[i]), u = t > 0 ? PL_PI - t : 0, b = c->stretch[i];
    // of two samples at one angle the lower counts
    if (t < down || (t == down && b < below)) down = t, below = b;
    if (u < up || (u == up && b < above)) up = u, above = b;
  }
  return down + up > 0 ? (up * below + down * above) / (down + up) : fmin(below, above);
}

// end of the straight piece of the curve that begins at an angle, at most `last`
static double piece_end(const pl_polar *c, double angle, double last) {
  for (int i = 0; i < c->n; i++) {
    double t = half_circle(c->angle[i] - angle);
    if (t > PARALLEL && angle + t < last) last = angle + t;
  }
  return last;
}

// two neighbouring directions at `from` and `from + step`
typedef struct chord {
  const pl_polar *curve;
  double from, step;
} chord;

// The chord bound g(t) = (b0 sin(step - t) + b1 sin t) / sin(step) where it exceeds the curve most,
// relative to the curve; returns that t. g is concave and the curve straight in pieces, so the
// worst of a piece is its end or where both have the same slope.
static double chord_worst(const chord *k, double b0, double b1, double *excess) {
  double end = k->from + k->step, at = 0, sine = sin(k->step);
  // g = size cos(t - top)
  double x = b0, y = (b1 - b0 * cos(k->step)) / sine, size = hypot(x, y), top = atan2(y, x);
  *excess = -1;
  for (double lo = k->from, hi; lo < end; lo = hi) {
    hi = piece_end(k->curve, lo, end);
    double c0 = pl_polar_at(k->curve, lo), c1 = pl_polar_at(k->curve, hi);
    double slope = (c1 - c0) / (hi - lo), t[3] = {lo - k->from, hi - k->from, 0};
    t[2] = fmin(fmax(top - asin(fmin(fmax(slope / size, -1), 1)), t[0]), t[1]);
    for (int i = 0; i < 3; i++) {
      double curve = c0 + slope * (t[i] - t[0]), over = size * cos(t[i] - top) / curve - 1;
      if (over > *excess) *excess = over, at = t[i];
    }
  }
  return at;
}

// the factor for both bounds of a chord that puts it below the curve
static double chord_scale(const chord *k, double b0, double b1) {
  double scale = 1, excess;
  for (int it = 0; it < 30; it++) {
    chord_worst(k, scale * b0, scale * b1, &excess);
    if (excess <= 1e-15) break;
    scale /= 1 + excess;
  }
  return scale;
}

// the most that the first (second) bound of a chord can be beside the other; most: where to begin
static double chord_slack(const chord *k, int second, double most, double other) {
  for (int it = 0; it < 30; it++) {
    double excess, t = chord_worst(k, second ? other : most, second ? most : other, &excess);
    if (excess <= 1e-15) break;
    double own = sin(second ? t : k->step - t) / sin(k->step);
    double rest = sin(second ? k->step - t : t) / sin(k->step) * other;
    // at the other end of the chord there is nothing to gain
    if (own < PARALLEL) break;
    most = fmin(most, (pl_polar_at(k->curve, k->from + t) - rest) / own);
  }
  return most;
}

// both ends of every chord are made smaller by what it needs
static void shrink_bounds(const pl_polar *c, int m, const double *angle, double *bound) {
  double first = bound[0], before = 1, scale = 1;
  for (int k = 0; k < m; k++) {
    chord next = {c, angle[k], PL_PI / m};
    scale = chord_scale(&next, bound[k], k + 1 < m ? bound[k + 1] : first);
    bound[k] *= fmin(before, scale);
    before = scale;
  }
  bound[0] = fmin(bound[0], first * scale);
}

// takes back what was too much: the mean of raising one end of a chord and of raising the other
// keeps it below the curve
static void raise_bounds(const pl_polar *c, int m, const double *angle, double *bound) {
  double step = PL_PI / m, change = 1;
  for (int it = 0; it < RAISES && change > 1e-9; it++) {
    double before = bound[m - 1], first = bound[0];
    change = 0;
    for (int k = 0; k < m; k++) {
      chord last = {c, angle[k] - step, step}, next = {c, angle[k], step};
      double now = bound[k], allowed = pl_polar_at(c, angle[k]);
      allowed = chord_slack(&last, 1, allowed, before);
      allowed = chord_slack(&next, 0, allowed, k + 1 < m ? bound[k + 1] : first);
      before = now;
      bound[k] += fmax(0, allowed - now) / 2;
      change = fmax(change, bound[k] / now - 1);
    }
  }
}

void pl_polar_directions(const pl_polar *c, int m, int guard, double *angle, double *bound) {
  for (int k = 0; k < m; k++) {
    angle[k] = PL_PI * k / m;
    bound[k] = pl_polar_at(c, angle[k]);
  }
  // a single direction says nothing about others
  if (!guard || m < 2) return;
  shrink_bounds(c, m, angle, bound);
  raise_bounds(c, m, angle, bound);
  // what rounding left
  shrink_bounds(c, m, angle, bound);
}

// ---- the largest ellipse ------------------------------------------------------------------------

// maximise log det B, B = [p + q, r; r, p - q], with p + q cos 2a + r sin 2a <= curve(a)^2 at
// angles
typedef struct inner {
  const pl_polar *curve;
  int n, cap;
  double (*row)[3]; // [n] cos 2a, sin 2a, curve(a)^2
} inner;

static void set_row(inner *w, int i, double angle) {
  double b = pl_polar_at(w->curve, angle);
  w->row[i][0] = cos(2 * angle);
  w->row[i][1] = sin(2 * angle);
  w->row[i][2] = b * b;
}

// value of -log det B - mu sum log(slack), its gradient and Hessian (NULL: value alone)
static double barrier(const inner *w, double mu, const double y[3], double *g, double *H) {
  double det = (y[0] - hypot(y[1], y[2])) * (y[0] + hypot(y[1], y[2]));
  if (!(y[0] > 0 && det > 0)) return INFINITY;
  double d[3] = {2 * y[0], -2 * y[1], -2 * y[2]}, value = -log(det);
  for (int i = 0; g && i < 3; i++) {
    g[i] = -d[i] / det;
    for (int j = 0; j < 3; j++)
      H[3 * i + j] = d[i] * d[j] / (det * det) - (i == j ? (i == 0 ? 2 : -2) / det : 0);
  }
  for (int k = 0; k < w->n; k++) {
    const double *r = w->row[k];
    double a[3] = {1, r[0], r[1]}, slack = r[2] - pl_dot3(a, y);
    if (!(slack > 0)) return INFINITY;
    value -= mu * log(slack);
    for (int i = 0; g && i < 3; i++) {
      g[i] += mu * a[i] / slack;
      for (int j = 0; j < 3; j++) H[3 * i + j] += mu * a[i] * a[j] / (slack * slack);
    }
  }
  return value;
}

// Newton's method for one mu from a point inside
static void barrier_newton(const inner *w, double mu, double y[3]) {
  for (int it = 0; it < 60; it++) {
    double g[3], H[9], inv[9], d[3], trial[3], step = 1;
    double value = barrier(w, mu, y, g, H);
    pl_inv3(H, inv);
    for (int i = 0; i < 3; i++) d[i] = -pl_dot3(inv + 3 * i, g);
    double slope = pl_dot3(g, d);
    if (!(slope < -1e-6 * mu)) return;
    for (; step > 1e-12; step /= 2) {
      pl_axpy(3, step, d, y, trial);
      if (barrier(w, mu, trial, NULL, NULL) <= value + 0.1 * step * slope) break;
    }
    if (step <= 1e-12) return;
    memcpy(y, trial, sizeof trial);
  }
}

// (d'B d) / curve^2
static double filling(const pl_polar *c, const double y[3], double angle) {
  double b = pl_polar_at(c, angle);
  return (y[0] + y[1] * cos(2 * angle) + y[2] * sin(2 * angle)) / (b * b);
}

// the largest filling between two angles
static double fullest(const pl_polar *c, const double y[3], double lo, double hi, double *angle) {
  const double golden = 0.61803398874989485;
  double a = hi - golden * (hi - lo), b = lo + golden * (hi - lo);
  double fa = filling(c, y, a), fb = filling(c, y, b);
  while (hi - lo > 1e-9) {
    if (fa > fb) {
      hi = b, b = a, fb = fa;
      fa = filling(c, y, a = hi - golden * (hi - lo));
    } else {
      lo = a, a = b, fa = fb;
      fb = filling(c, y, b = lo + golden * (hi - lo));
    }
  }
  *angle = fa > fb ? a : b;
  return fmax(fa, fb);
}

// Adds the angles at which B exceeds the curve between the angles of the grid and the samples.
// *most: the largest filling.
static pl_status add_worst(pl_env *env, inner *w, const double y[3], double *most) {
  *most = 0;
  for (double lo = 0, hi; lo < PL_PI; lo = hi) {
    double at, end = fmin(PL_PI, PL_PI / GRID * (floor(lo * GRID / PL_PI + 1e-6) + 1));
    hi = piece_end(w->curve, lo, end);
    double full = fullest(w->curve, y, lo, hi, &at);
    *most = fmax(*most, fmax(full, fmax(filling(w->curve, y, lo), filling(w->curve, y, hi))));
    if (full <= 1 + 1e-13) continue;
    PL_TRY(pl_grow(env, &w->row, w->n, &w->cap, sizeof *w->row));
    set_row(w, w->n++, at);
  }
  return PL_OK;
}

// solves for more and more angles, until none exceeds the curve
static pl_status inner_solve(pl_env *env, inner *w, double y[3]) {
  double least = INFINITY, most = 1;
  for (int k = 0; k < w->n; k++) least = fmin(least, w->row[k][2]);
  y[0] = 0.5 * least, y[1] = y[2] = 0;
  for (int round = 0; round < ROUNDS; round++) {
    // what was found is inside again when it is a little smaller
    for (int i = 0; i < 3; i++) y[i] *= 0.999 / fmax(1, most);
    for (double mu = 1.0 / w->n; mu > 1e-14; mu *= 0.2) barrier_newton(w, mu, y);
    int before = w->n;
    PL_TRY(add_worst(env, w, y, &most));
    if (w->n == before) break;
  }
  for (int i = 0; i < 3; i++) y[i] /= most;
  return PL_OK;
}

pl_status pl_polar_ellipse(pl_env *env, const pl_polar *c, double B[3]) {
  if (c->n < 1) return pl_fail(env, PL_E_INPUT, "polar curve: it has no samples");
  for (int i = 0; i < c->n; i++)
    if (!(c->stretch[i] > 0) || !isfinite(c->stretch[i]) || !isfinite(c->angle[i]))
      return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "a limit of 1 % is a stretch of 1.01",
                        "polar curve: sample %d allows a stretch of %g, which must be above zero",
                        i, c->stretch[i]);
  inner w = {.curve = c, .n = GRID + c->n, .cap = GRID + c->n};
  w.row = pl_alloc(env, (size_t)w.cap, sizeof *w.row);
  if (!w.row) return PL_E_NOMEM;
  for (int k = 0; k < GRID; k++) set_row(&w, k, PL_PI * k / GRID);
  for (int k = 0; k < c->n; k++) set_row(&w, GRID + k, c->angle[k]);
  double y[3];
  pl_status s = inner_solve(env, &w, y);
  pl_free(env, w.row);
  if (s == PL_OK) B[0] = y[0] + y[1], B[1] = y[0] - y[1], B[2] = y[2];
  return s;
}
