// Gauss-Newton steps for objectives that are targets, within bounds, damped after Levenberg and
// Marquardt so that no scaled variable changes by more than can be trusted: that grows where the
// linear model of the residuals holds, and shrinks where it does not.
#include "run_impl.h"

#include <string.h>

// what is added to the diagonal of 2 J'J, as part of its largest entry: along directions in which
// nothing changes the shortest step is taken
static const double RIDGE = 1e-10;
static const double LEAST_TRUST = 1e-9, MOST_TRUST = 1e3;
enum { WEAKEST = -40, STRONGEST = 60 }; // damping: powers of two

pl_status gauss_open(run *t) {
  pl_design *d = t->d;
  t->nrow = squares_count(d);
  size_t n = (size_t)d->nvar, m = (size_t)t->nrow;
  t->rows = pl_alloc(d->env, m + 2 * m * n + 3 * n * n + 6 * n, sizeof(double));
  if (!t->rows) return PL_E_NOMEM;
  t->J = t->rows + m;
  t->spare = t->J + m * n;
  t->B = t->spare + m * n;
  t->damped = t->B + n * n;
  t->lo = t->damped + n * n;
  t->hi = t->lo + n;
  t->step = t->hi + n;
  t->to = t->step + n;
  t->scratch = t->to + n;
  return PL_OK;
}

void gauss_close(run *t) {
  pl_free(t->d->env, t->rows);
}

// ---- model ------------------------------------------------------------------------------------

pl_status gauss_linearise(run *t, double *grad) {
  pl_design *d = t->d;
  size_t n = (size_t)d->nvar;
  PL_TRY(squares_at(d, t->rows, t->J));
  for (size_t k = 0; k < n; k++) {
    grad[k] = 0;
    double slope = scaled_slope(&d->var[k], d->x[k]);
    for (size_t i = 0; i < (size_t)t->nrow; i++) {
      grad[k] += 2 * t->rows[i] * t->J[i * n + k];
      t->J[i * n + k] *= slope;
    }
  }
  t->linear = 1;
  return PL_OK;
}

static void swap_jacobians(run *t) {
  double *J = t->J;
  t->J = t->spare;
  t->spare = J;
}

static void normal_matrix(run *t) {
  int n = t->d->nvar;
  memset(t->B, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int row = 0; row < t->nrow; row++) {
    const double *J = t->J + (size_t)row * (size_t)n;
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) t->B[i * n + j] += 2 * J[i] * J[j];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) t->B[j * n + i] = t->B[i * n + j];
  t->largest = 0;
  for (int i = 0; i < n; i++) t->largest = fmax(t->largest, t->B[i * n + i]);
  if (t->largest == 0) t->largest = 1;
  for (int i = 0; i < n; i++) t->B[i * n + i] += RIDGE * t->largest;
}

// ---- step -------------------------------------------------------------------------------------

// the minimum of the model within bounds, every change damped by 2^power of the largest entry of B
// (WEAKEST: not at all); returns the largest change
static double damped_step(run *t, int power) {
  int n = t->d->nvar;
  double by = power <= WEAKEST ? 0 : ldexp(t->largest, power);
  memcpy(t->damped, t->B, (size_t)n * (size_t)n * sizeof(double));
  // alike for all scaled variables: directions of strong and of weak effect are kept apart
  for (int i = 0; i < n; i++) t->damped[i * n + i] += by;
  box_minimum(n, t->damped, t->g, t->lo, t->hi, t->step, t->scratch);
  return pl_max_abs(n, t->step);
}

// how far the value should fall along the step
static double foretold(const run *t) {
  int n = t->d->nvar;
  double fall = 0;
  for (int i = 0; i < n; i++)
    fall -= t->step[i] * (t->g[i] + 0.5 * pl_dot(n, t->B + (size_t)i * (size_t)n, t->step));
  return fall;
}

// The least damped step that can be trusted; returns its largest entry. *gain: fall without
// damping; *held: the step is damped.
static double make_step(run *t, double *gain, int *held) {
  int weak = WEAKEST, strong = STRONGEST;
  for (int k = 0; k < t->d->nvar; k++) {
    t->lo[k] = t->b.l[k] - t->b.x[k];
    t->hi[k] = t->b.u[k] - t->b.x[k];
  }
  double size = damped_step(t, WEAKEST);
  *gain = foretold(t);
  *held = size > t->trust;
  if (!*held) return size;
  while (strong - weak > 1) {
    int mid = (weak + strong) / 2;
    if (damped_step(t, mid) > t->trust)
      weak = mid;
    else
      strong = mid;
  }
  return damped_step(t, strong);
}

// what can be trusted after a step of this size, by the parabola through its values; was: the value
// before it
static void adjust(run *t, double size, int held, double fall, double was, double value) {
  double slope = pl_dot(t->d->nvar, t->g, t->step), bend = 2 * (value - was - slope);
  double least = bend > 0 ? -slope / bend : INFINITY;
  if (was - value < 0.25 * fall)
    t->trust = fmin(fmax(least, 0.1), 0.5) * size;
  else if (held && least > 1)
    t->trust = fmax(t->trust, fmin(fmin(least, 4) * size, MOST_TRUST));
}

// ---- iterations -------------------------------------------------------------------------------

static pl_status keep(run *t, double value, double gain) {
  pl_design *d = t->d;
  int slow = t->slow;
  double fall = t->value - value, was = t->value;
  memcpy(t->b.x, t->to, (size_t)d->nvar * sizeof *t->to);
  t->b.f = value;
  for (int k = 0; k < d->nvar; k++) t->b.g[k] = t->grad[k] * scaled_slope(&d->var[k], d->x[k]);
  normal_matrix(t);
  PL_TRY(run_accept(t));
  // most of what is left is out of reach, and the rest hardly falls
  if (fall <= sqrt(d->o.ftol) * was && gain <= 0.5 * was) t->slow = slow + 1;
  return PL_OK;
}

// back where the step began
static pl_status refuse(run *t, int tried, double fall, int *done) {
  double enough = 0.01 * t->d->o.ftol * t->value;
  if (tried) PL_TRY(solutions_restore(t->d));
  *done = fall <= enough || t->trust < LEAST_TRUST;
  if (*done) t->r->reason = fall <= enough ? PL_DESIGN_VALUE : PL_DESIGN_STUCK;
  // predictions need the Jacobian here, unless there is but one direction
  return *done || !tried || t->nrow == 1 ? PL_OK : solutions_linearise(t->d);
}

static pl_status try_step(run *t, int *displaced, int *done) {
  pl_design *d = t->d;
  int held, newton = d->newton;
  double gain, value, was = t->value, size = make_step(t, &gain, &held), fall = foretold(t);
  for (int k = 0; k < d->nvar; k++)
    t->to[k] = fmin(fmax(t->b.x[k] + t->step[k], t->b.l[k]), t->b.u[k]);
  pl_status st = run_try(t, t->to, &value, NULL);
  *displaced = st == PL_OK && value < was;
  if (*displaced) {
    swap_jacobians(t);
    st = gauss_linearise(t, t->grad);
    if (st != PL_OK) swap_jacobians(t);
  }
  if (run_lost(st)) {
    t->trust = fmin(fmax(d->lost, 0.05), 0.5) * size;
    *displaced = 0;
    return refuse(t, d->newton > newton, INFINITY, done);
  }
  PL_TRY(st);
  adjust(t, size, held, fall, was, value);
  return *displaced ? keep(t, value, gain) : refuse(t, 1, fall, done);
}

pl_status gauss_iterate(run *t, pl_design_observe_fn observe, void *ctx) {
  if (!t->linear) PL_TRY(gauss_linearise(t, t->grad));
  normal_matrix(t);
  int done = run_finished(t);
  while (!done) {
    int displaced;
    if (t->r->evaluations >= t->d->o.max_eval) {
      t->r->reason = PL_DESIGN_MAX_EVAL;
      break;
    }
    PL_TRY(try_step(t, &displaced, &done));
    if (!displaced) continue;
    done = run_finished(t);
    PL_TRY(run_show(t, observe, ctx));
  }
  return solutions_restore(t->d);
}
