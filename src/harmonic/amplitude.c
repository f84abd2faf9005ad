// Amplitudes of a node: path length A = int |dx/dphase| dphase (eq. 14), and largest deviation of a
// coordinate. Both are exact to rounding, so that their derivatives are smooth along a curve.
#include "harmonic_impl.h"

#include <string.h>

enum { GAUSS = 16, BREAK_MAX = 1024, LEVELS = 24, MEASURE_HARMONICS = 64, PANELS_MOST = 100000 };

// one node's motion: free components from coefficients, others from drives
typedef struct track {
  const pl_model *m;
  const pl_params *p;
  const pl_orbit *o;
  int node, dim, L;
  const double *z[3]; // NULL: driven
  size_t first[3];    // place of z in the orbit
  int driven;         // some component is
  int mask;           // components that count
  pl_path_fn on_phase;
  void *ctx;
} track;

static track track_of(const pl_model *m, const pl_params *p, const pl_orbit *o, int node) {
  track t = {.m = m,
             .p = p,
             .o = o,
             .node = node,
             .dim = pl_model_dim(m),
             .L = 2 * o->nharm + 1,
             .mask = 7};
  const int *index = pl_model_free_index(m);
  for (int c = 0; c < t.dim; c++) {
    int i = index[node * t.dim + c];
    if (i < 0) {
      t.driven = 1;
      continue;
    }
    t.first[c] = (size_t)i * (size_t)t.L;
    t.z[c] = o->z + t.first[c];
  }
  return t;
}

// x, x', x'' of a series
static void series(const double *z, int H, double phase, double *x, double *v, double *a) {
  *x = z[0];
  *v = *a = 0;
  for (int k = 1; k <= H; k++) {
    double s = sin(k * phase), c = cos(k * phase), u = z[2 * k - 1] * s + z[2 * k] * c;
    *x += u;
    *v += k * (z[2 * k - 1] * c - z[2 * k] * s);
    *a -= k * k * u;
  }
}

// x, x', x'' by the phase
static void motion(const track *t, double phase, double *x, double *v, double *a) {
  for (int c = 0; c < 3; c++) x[c] = v[c] = a[c] = 0;
  if (t->driven) {
    pl_clock clock = {.t = phase, .omega = t->o->sub > 1 ? t->o->sub : 1, .scale = 1};
    pl_drive_node(t->m, t->p, &clock, t->node, x, v, a);
  }
  for (int c = 0; c < t->dim; c++)
    if (t->z[c]) series(t->z[c], t->o->nharm, phase, x + c, v + c, a + c);
  for (int c = 0; c < 3; c++)
    if (!(t->mask >> c & 1)) v[c] = a[c] = 0;
}

// adds weight |v| at a phase to the length, and its derivative to grad
static double add_speed(const track *t, double phase, double weight, double *grad) {
  double x[3], v[3], a[3];
  motion(t, phase, x, v, a);
  double speed = pl_norm3(v);
  if (t->on_phase && speed > 0) {
    double w[3] = {weight * v[0] / speed, weight * v[1] / speed, weight * v[2] / speed};
    t->on_phase(t->ctx, phase, w);
  }
  for (int c = 0; grad && speed > 0 && c < t->dim; c++) {
    if (!t->z[c]) continue;
    double w = weight * v[c] / speed, *g = grad + t->first[c];
    for (int k = 1; k <= t->o->nharm; k++) {
      g[2 * k - 1] += w * k * cos(k * phase);
      g[2 * k] -= w * k * sin(k * phase);
    }
  }
  return weight * speed;
}

static int phases_of(const track *t) {
  int H = t->o->nharm, drive = t->driven ? 2 * pl_model_max_harmonic(t->m) : 0;
  int n = 16 * (H > drive ? H : drive);
  return n < 64 ? 64 : n > BREAK_MAX ? BREAK_MAX : n;
}

// v . a, whose zeros are the turning points of the speed
static double turning(const track *t, double phase) {
  double x[3], v[3], a[3];
  motion(t, phase, x, v, a);
  return pl_dot3(v, a);
}

// phases at which the speed is smallest: it may be zero there and |v| have a kink
static int slow_points(const track *t, double *at) {
  int n = phases_of(t), count = 0;
  double h = 2 * PL_PI / n, last = turning(t, 0);
  for (int i = 0; i < n; i++) {
    double lo = i * h, hi = (i + 1) * h, next = turning(t, hi);
    if (last < 0 && next >= 0) {
      double b = hi;
      for (int k = 0; k < 60 && b - lo > 1e-15; k++) {
        double mid = 0.5 * (lo + b);
        if (turning(t, mid) < 0)
          lo = mid;
        else
          b = mid;
      }
      at[count++] = 0.5 * (lo + b);
    }
    last = next;
  }
  return count;
}

// how close to a slow point the speed still looks round: |v| / |a| there
static double width_at(const track *t, double phase) {
  double x[3], v[3], a[3];
  motion(t, phase, x, v, a);
  double s = pl_norm3(a);
  return s > 0 ? pl_norm3(v) / s : 1;
}

// int |v| from a to b, by Gauss on panels of at most a given length
static double panels(const track *t, double a, double b, double longest, double *grad) {
  double x[GAUSS], w[GAUSS], sum = 0;
  // a motion that rests at a slow point has none that are short enough
  double count = ceil((b - a) / longest);
  int n = count < PANELS_MOST ? (int)count : PANELS_MOST;
  pl_gauss(GAUSS, x, w);
  for (int i = 0; i < n; i++) {
    double h = (b - a) / n, lo = a + i * h;
    for (int k = 0; k < GAUSS; k++)
      sum += add_speed(t, lo + 0.5 * h * (1 + x[k]), 0.5 * h * w[k], grad);
  }
  return sum;
}

// from a slow point at `from` to `to` (either side), panels shrinking towards the slow point down
// to the width of its dip
static double graded(const track *t, double from, double to, double longest, double *grad) {
  double width = width_at(t, from), left = to, sum = 0;
  for (int k = 0; k < LEVELS && fabs(left - from) > 0.5 * width; k++) {
    double next = from + 0.25 * (left - from);
    sum += panels(t, fmin(left, next), fmax(left, next), longest, grad);
    left = next;
    // a dip that is no dip but a zero: |v| is smooth on this side
    if (width < 1e-13) break;
  }
  return sum + panels(t, fmin(left, from), fmax(left, from), longest, grad);
}

static double exact_path(const track *t, double *grad) {
  double at[BREAK_MAX], sum = 0, longest = PL_PI / (t->o->nharm + 1);
  int n = slow_points(t, at);
  if (t->driven) longest *= 0.25;
  if (n == 0) return panels(t, 0, 2 * PL_PI, longest, grad);
  for (int i = 0; i < n; i++) {
    double end = i + 1 < n ? at[i + 1] : at[0] + 2 * PL_PI, mid = 0.5 * (at[i] + end);
    sum += graded(t, at[i], mid, longest, grad);
    sum += graded(t, end, mid, longest, grad);
  }
  return sum;
}

double pl_orbit_path(const pl_model *m, const pl_params *p, const pl_orbit *o, int node,
                     int nsample, double *grad) {
  track t = track_of(m, p, o, node);
  if (grad) memset(grad, 0, (size_t)o->nfree * (size_t)t.L * sizeof *grad);
  if (nsample <= 0) return exact_path(&t, grad);
  double sum = 0, h = 2 * PL_PI / nsample;
  for (int i = 0; i < nsample; i++) sum += add_speed(&t, i * h, h, grad);
  return sum;
}

double pl_orbit_path_along(const pl_model *m, const pl_params *p, const pl_orbit *o, int node,
                           int mask, double *grad, pl_path_fn on_phase, void *ctx) {
  track t = track_of(m, p, o, node);
  t.mask = mask;
  t.on_phase = on_phase;
  t.ctx = ctx;
  if (grad) memset(grad, 0, (size_t)o->nfree * (size_t)t.L * sizeof *grad);
  return exact_path(&t, grad);
}

// ---- largest deviation ------------------------------------------------------------------------

static double position(const track *t, int axis, double phase, double *rate) {
  double x[3], v[3], a[3];
  motion(t, phase, x, v, a);
  *rate = v[axis];
  return x[axis];
}

static double mean_of(const track *t, int axis) {
  if (t->z[axis]) return t->z[axis][0];
  int n = phases_of(t);
  double sum = 0, rate;
  for (int i = 0; i < n; i++) sum += position(t, axis, 2 * PL_PI * i / n, &rate);
  return sum / n;
}

// the extremum between lo and hi, where the rate changes sign
static double extremum(const track *t, int axis, double lo, double hi) {
  double left, rate;
  position(t, axis, lo, &left);
  for (int k = 0; k < 60 && hi - lo > 1e-15; k++) {
    double mid = 0.5 * (lo + hi);
    position(t, axis, mid, &rate);
    if ((rate > 0) == (left > 0))
      lo = mid;
    else
      hi = mid;
  }
  return 0.5 * (lo + hi);
}

double pl_orbit_extreme(const pl_model *m, const pl_params *p, const pl_orbit *o, int node,
                        int axis, double *phase) {
  track t = track_of(m, p, o, node);
  if (phase) *phase = 0;
  if (axis < 0 || axis >= t.dim) return 0;
  int n = phases_of(&t);
  double mean = mean_of(&t, axis), most = 0, h = 2 * PL_PI / n, last, next;
  position(&t, axis, 0, &last);
  for (int i = 0; i < n; i++) {
    position(&t, axis, (i + 1) * h, &next);
    if ((last > 0) != (next > 0)) {
      double at = extremum(&t, axis, i * h, (i + 1) * h), rate;
      double d = position(&t, axis, at, &rate) - mean;
      if (fabs(d) > fabs(most)) {
        most = d;
        if (phase) *phase = at;
      }
    }
    last = next;
  }
  return most;
}

double pl_orbit_max(const pl_model *m, const pl_params *p, const pl_orbit *o, int node, int axis,
                    double *grad) {
  track t = track_of(m, p, o, node);
  double where, most = pl_orbit_extreme(m, p, o, node, axis, &where), sign = most < 0 ? -1 : 1;
  if (grad) memset(grad, 0, (size_t)o->nfree * (size_t)t.L * sizeof *grad);
  if (axis < 0 || axis >= t.dim) return 0;
  for (int k = 1; grad && t.z[axis] && k <= o->nharm; k++) {
    grad[t.first[axis] + (size_t)(2 * k - 1)] = sign * sin(k * where);
    grad[t.first[axis] + (size_t)(2 * k)] = sign * cos(k * where);
  }
  return fabs(most);
}

// ---- measures ---------------------------------------------------------------------------------

void pl_orbit_series(const pl_model *m, const pl_params *p, const pl_orbit *o, int node, int axis,
                     double *out) {
  track t = track_of(m, p, o, node);
  if (t.z[axis]) {
    memcpy(out, t.z[axis], (size_t)t.L * sizeof *out);
    return;
  }
  int n = 8 * t.L;
  memset(out, 0, (size_t)t.L * sizeof *out);
  for (int i = 0; i < n; i++) {
    double phase = 2 * PL_PI * i / n, rate, x = position(&t, axis, phase, &rate);
    for (int k = 0; k <= o->nharm; k++) {
      double w = (k ? 2.0 : 1.0) / n * x;
      if (k) out[2 * k - 1] += w * sin(k * phase);
      out[2 * k] += w * cos(k * phase);
    }
  }
}

// sqrt(weight sum of squares) of the coefficients lo..hi of the axes of a mask
static double root_of_squares(const pl_model *m, const pl_params *p, const pl_orbit *o,
                              const pl_measure *what, int lo, int hi, double weight, double *grad) {
  track t = track_of(m, p, o, what->node);
  double sum = 0, z[2 * MEASURE_HARMONICS + 1];
  if (grad) memset(grad, 0, (size_t)o->nfree * (size_t)t.L * sizeof *grad);
  for (int pass = 0; pass < 2; pass++) {
    double size = sqrt(weight * sum);
    if (pass == 1 && (!grad || !(size > 0))) return size;
    for (int c = 0; c < t.dim; c++) {
      if (!(what->mask >> c & 1) || (pass == 1 && !t.z[c])) continue;
      pl_orbit_series(m, p, o, what->node, c, z);
      for (int k = lo; k <= hi && k < t.L; k++)
        if (pass == 0)
          sum += z[k] * z[k];
        else
          grad[t.first[c] + (size_t)k] = weight * z[k] / size;
    }
  }
  return sqrt(weight * sum);
}

// of the axis that goes farthest
static double largest_deviation(const pl_model *m, const pl_params *p, const pl_orbit *o,
                                const pl_measure *what, double *grad) {
  int best = 0;
  double most = -1;
  for (int c = 0; c < pl_model_dim(m); c++) {
    double d = what->mask >> c & 1 ? pl_orbit_max(m, p, o, what->node, c, NULL) : -1;
    if (d <= most) continue;
    most = d;
    best = c;
  }
  return pl_orbit_max(m, p, o, what->node, best, grad);
}

double pl_orbit_measure(const pl_model *m, const pl_params *p, const pl_orbit *o,
                        const pl_measure *what, double *grad) {
  int k = what->harmonic * (o->sub > 1 ? o->sub : 1);
  switch (what->kind) {
  case PL_MEASURE_MAX:
    return largest_deviation(m, p, o, what, grad);
  case PL_MEASURE_RMS:
    return root_of_squares(m, p, o, what, 1, 2 * o->nharm, 0.5, grad);
  case PL_MEASURE_HARMONIC:
    return root_of_squares(m, p, o, what, 2 * k - 1, 2 * k, 1, grad);
  default:
    return pl_orbit_path_along(m, p, o, what->node, what->mask, grad, NULL, NULL);
  }
}
