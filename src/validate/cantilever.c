// A heavy elastica clamped level: theta'' + Gamma (1 - s) cos theta = 0, theta(0) = 0,
// theta'(1) = 0 (Romero et al. 2021, eq. 3). From the free end, with u = Gamma^(1/3) (1 - s) and
// beta = pi/2 - theta: beta'' = u sin beta, one family of shapes for all Gamma, and beta reaches
// pi/2 at the clamp. Growth goes with the integration, so no boundary layer is lost.
#include "validate_impl.h"

#include <string.h>

static const double SMALL = 1e-4; // below it, H/W = Gamma/8 to 4e-11
static const double LARGEST = 1e12;
static const double LONG = 25;    // rods longer than this (in u) hang straight at their tip
static const double SEED = 1e-20; // beta where the integration of a long rod starts

enum { BETA, SLOPE, DOWN, OUT, NY }; // angle, its derivative, int cos beta, int sin beta

typedef struct hang {
  double U;        // Gamma^(1/3)
  double u, y[NY]; // last point before the clamp, then the clamp
} hang;

static void rates(const void *ctx, double u, const double *y, double *dy) {
  (void)ctx;
  dy[BETA] = y[SLOPE];
  dy[SLOPE] = u * sin(y[BETA]);
  dy[DOWN] = cos(y[BETA]);
  dy[OUT] = sin(y[BETA]);
}

static ode new_ode(double h) {
  return (ode){.n = NY, .lead = 2, .f = rates, .tol = 1e-13, .h = h, .hmax = HUGE_VAL};
}

// beta - pi/2 at u, from the last point before the clamp
static pl_status beyond(void *ctx, double u, double *f) {
  const hang *c = ctx;
  double y[NY], t = c->u;
  memcpy(y, c->y, sizeof y);
  ode o = new_ode(u - t);
  PL_TRY(ode_run(&o, u, &t, y));
  *f = y[BETA] - 0.5 * PL_PI;
  return PL_OK;
}

// integrates from (u, y) until beta = pi/2
static pl_status to_clamp(hang *c) {
  ode o = new_ode(0.1 / sqrt(1 + c->u));
  double u = c->u, y[NY], f0, f1, hit;
  memcpy(y, c->y, sizeof y);
  while (y[BETA] < 0.5 * PL_PI) {
    c->u = u;
    memcpy(c->y, y, sizeof y);
    PL_TRY(ode_step(&o, HUGE_VAL, &u, y));
  }
  f0 = c->y[BETA] - 0.5 * PL_PI;
  f1 = y[BETA] - 0.5 * PL_PI;
  PL_TRY(root_between(beyond, c, c->u, f0, u, f1, 1e-16 * u, &hit));
  o = new_ode(hit - c->u);
  return hit > c->u ? ode_run(&o, hit, &c->u, c->y) : PL_OK;
}

// x: logarithm of beta at the free end
static pl_status short_rod(void *ctx, double x, double *f) {
  hang *c = ctx;
  c->u = 0;
  memcpy(c->y, (const double[NY]){exp(x), 0, 0, 0}, sizeof c->y);
  PL_TRY(to_clamp(c));
  *f = c->u - c->U;
  return PL_OK;
}

// x: logarithm of the growth of beta from SEED at u0 to the clamp, 2/3 (U^(3/2) - u0^(3/2)); what
// decays from the tip on is gone by then, and so is an error of the slope
static pl_status long_rod(void *ctx, double x, double *f) {
  hang *c = ctx;
  c->u = pow(pow(c->U, 1.5) - 1.5 * x, 2.0 / 3);
  double rate = sqrt(c->u);
  memcpy(c->y, (const double[NY]){SEED, SEED * rate, c->u, SEED / rate}, sizeof c->y);
  PL_TRY(to_clamp(c));
  *f = c->u - c->U;
  return PL_OK;
}

static pl_status solve_hang(hang *c) {
  double x, lo, hi, flo, fhi;
  root_fn shape = c->U < LONG ? short_rod : long_rod;
  // beta grows at most by exp(2/3 U^(3/2)), and not at all when it starts level
  if (c->U < LONG) {
    lo = -2 * pow(c->U, 1.5) / 3 - 1;
    hi = log(0.5 * PL_PI);
    fhi = -c->U;
  } else {
    lo = 40; // exp(40) SEED < pi/2
    hi = 60;
    PL_TRY(shape(c, hi, &fhi));
  }
  PL_TRY(shape(c, lo, &flo));
  PL_TRY(root_between(shape, c, lo, flo, hi, fhi, 1e-15 * fmax(1, fabs(lo)), &x));
  return shape(c, x, &flo);
}

pl_status pl_master_cantilever(pl_env *env, double gamma, double *h_over_w) {
  if (!(gamma >= 0) || gamma > LARGEST)
    return pl_fail(env, PL_E_ARG, "cantilever: Gamma must lie in 0 to %g, got %g", LARGEST, gamma);
  if (gamma < SMALL) {
    *h_over_w = gamma / 8;
    return PL_OK;
  }
  hang c = {.U = cbrt(gamma)};
  if (solve_hang(&c) != PL_OK)
    return pl_fail(env, PL_E_INTERNAL, "cantilever: no shape found at Gamma = %g", gamma);
  *h_over_w = c.y[DOWN] / c.y[OUT];
  return PL_OK;
}
