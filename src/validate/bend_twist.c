// The frontier between flat and curly shapes of a hanging, naturally circular rod, in the plane of
// X = cbrt(Gamma)/phi and phi/2pi turns: a falling staircase on the left, a rising branch on the
// right that ends in a vertical line. All shapes inside are curly; flat shapes that compete with
// each other exist only there, while nu >= NU_MIN.
#include "validate_impl.h"

static const double NU_MIN = -0.2, NU_MAX = 0.5;
static const double INFINITE = 12;    // cbrt(Gamma) of a rod as good as infinite
static const double LENGTH = 16;      // cbrt(Gamma) where searches end
static const double LENGTH_MAX = 100; // decay over longer rods underflows
static const double TURNS_MAX = 400;
static const double TURNS_RANGE = 100; // of the frontier at given X
static const double TURNS_SIDES = 40;  // where both branches are found
static const double ROT = 2 * PL_PI;

typedef struct front {
  pl_env *env;
  double nu, x, turns; // what a search keeps fixed
  double guess;        // of the clamp's curvature, from the shape before
} front;

static pl_status check_nu(pl_env *env, double nu) {
  if (nu >= NU_MIN && nu <= NU_MAX) return PL_OK;
  return pl_fail_at(env, PL_E_ARG, NULL, 0, 0, "below the range, several flat shapes compete",
                    "bend-twist: Poisson's ratio must lie in %g to %g, got %g", NU_MIN, NU_MAX, nu);
}

static pl_status margin_of(front *f, double x, double turns, double *margin) {
  curl c = {.nu = f->nu, .phi = ROT * turns, .g = x * x * x};
  PL_TRY(curl_solve(f->env, f->guess, &c));
  PL_TRY(curl_stability(f->env, 0, &c));
  f->guess = c.log_k;
  *margin = c.margin;
  return PL_OK;
}

static pl_status by_turns(void *ctx, double turns, double *margin) {
  front *f = ctx;
  return margin_of(f, f->x, turns, margin);
}

static pl_status by_x(void *ctx, double x, double *margin) {
  front *f = ctx;
  return margin_of(f, x, f->turns, margin);
}

// x of an infinitely long rod
static pl_status by_limit(void *ctx, double x, double *margin) {
  front *f = ctx;
  f->guess = NAN;
  return margin_of(f, x, INFINITE / (ROT * x), margin);
}

static pl_status no_root(pl_env *env, pl_status s, const char *what, double value) {
  if (s != PL_DOMAIN) return s;
  return pl_fail(env, PL_E_INTERNAL, "bend-twist: no frontier found at %s = %g", what, value);
}

static pl_status limit(front *f, double *x) {
  double lo = 0.45, hi = 0.65, flo, fhi; // 0.4715 for NU_MIN, 0.6207 for NU_MAX
  PL_TRY(by_limit(f, lo, &flo));
  PL_TRY(by_limit(f, hi, &fhi));
  return no_root(f->env, root_between(by_limit, f, lo, flo, hi, fhi, 1e-13, x), "turns", INFINITY);
}

pl_status pl_master_bend_twist_limit(pl_env *env, double nu, double *x) {
  PL_TRY(check_nu(env, nu));
  return limit(&(front){.env = env, .nu = nu}, x);
}

// turns where searches at x end
static double farthest(double x) {
  return fmin(TURNS_RANGE, LENGTH / (ROT * x));
}

static pl_status frontier_at(front *f, double x, double *turns) {
  double lo = 0.25, hi = lo, flo, fhi, end = farthest(x);
  f->x = x;
  f->guess = NAN;
  PL_TRY(by_turns(f, lo, &flo));
  for (fhi = flo; fhi > 0;) {
    lo = hi;
    flo = fhi;
    if (hi >= end) return PL_DOMAIN;
    hi = fmin(1.2 * hi, end);
    PL_TRY(by_turns(f, hi, &fhi));
  }
  return root_between(by_turns, f, lo, flo, hi, fhi, 1e-13 * hi, turns);
}

pl_status pl_master_bend_twist(pl_env *env, double nu, double x, double *turns) {
  PL_TRY(check_nu(env, nu));
  if (!(x > 0) || !isfinite(x))
    return pl_fail(env, PL_E_ARG, "bend-twist: X = cbrt(Gamma)/phi must be > 0, got %g", x);
  front f = {.env = env, .nu = nu};
  pl_status s = x < 1 ? frontier_at(&f, x, turns) : PL_DOMAIN;
  if (s != PL_DOMAIN) return s;
  if (x < 0.1)
    return pl_fail(env, PL_E_ARG, "bend-twist: at X = %g the frontier lies beyond %.3g turns", x,
                   farthest(x));
  double most;
  PL_TRY(limit(&f, &most));
  return pl_fail_at(env, PL_E_ARG, NULL, 0, 0, "take a smaller X",
                    "bend-twist: at X = %g rods of any length are flat: the frontier ends at "
                    "X = %.6f for nu = %g",
                    x, most, nu);
}

// golden section: the frontier falls to the left of its lowest point and rises to the right
pl_status pl_master_bend_twist_lowest(pl_env *env, double nu, double *x, double *turns) {
  PL_TRY(check_nu(env, nu));
  front f = {.env = env, .nu = nu};
  const double golden = 0.5 * (sqrt(5) - 1);
  double a = 0.25, b, c, d, fc, fd;
  PL_TRY(limit(&f, &b));
  c = b - golden * (b - a);
  d = a + golden * (b - a);
  PL_TRY(frontier_at(&f, c, &fc));
  PL_TRY(frontier_at(&f, d, &fd));
  while (b - a > 1e-7) {
    if (fc < fd) {
      b = d;
      d = c;
      fd = fc;
      c = b - golden * (b - a);
      PL_TRY(frontier_at(&f, c, &fc));
    } else {
      a = c;
      c = d;
      fc = fd;
      d = a + golden * (b - a);
      PL_TRY(frontier_at(&f, d, &fd));
    }
  }
  *x = fc < fd ? c : d;
  *turns = fmin(fc, fd);
  return PL_OK;
}

// a root of the margin in x from inside the frontier, by steps of a factor
static pl_status side(front *f, double x, double inside, double factor, double *root) {
  double a = x, fa = inside, b = x, fb = inside;
  f->guess = NAN;
  while (fb < 0) {
    a = b;
    fa = fb;
    b *= factor;
    if (b < 1e-3 || b > 1) return PL_DOMAIN;
    PL_TRY(by_x(f, b, &fb));
  }
  return root_between(by_x, f, a, fa, b, fb, 1e-14, root);
}

pl_status pl_master_bend_twist_sides(pl_env *env, double nu, double turns, double *left,
                                     double *right) {
  PL_TRY(check_nu(env, nu));
  front f = {.env = env, .nu = nu, .turns = turns, .guess = NAN};
  double x = 0.45, low = 0, inside = 0;
  if (turns > 0.5 && turns <= TURNS_SIDES) PL_TRY(by_x(&f, x, &inside));
  if (inside >= 0) {
    // low rods: only the lowest point tells
    PL_TRY(pl_master_bend_twist_lowest(env, nu, &x, &low));
    if (!(turns >= low) || turns > TURNS_SIDES)
      return pl_fail_at(env, PL_E_ARG, NULL, 0, 0, "shorter rods are flat for every weight",
                        "bend-twist: turns must lie between %.5f (for nu = %g) and %g, got %g", low,
                        nu, TURNS_SIDES, turns);
    PL_TRY(by_x(&f, x, &inside));
  }
  if (inside >= 0) {
    *left = *right = x; // the lowest point to rounding
    return PL_OK;
  }
  PL_TRY(no_root(env, side(&f, x, inside, 0.9, left), "turns", turns));
  return no_root(env, side(&f, x, inside, 1.05, right), "turns", turns);
}

// ---- one rod ----------------------------------------------------------------------------------

typedef struct shifted {
  pl_env *env;
  curl c;
} shifted;

static pl_status by_shift(void *ctx, double shift, double *margin) {
  shifted *p = ctx;
  PL_TRY(curl_stability(p->env, shift, &p->c));
  *margin = p->c.margin;
  return PL_OK;
}

// the lowest eigenvalue: the shift that leaves none below zero
static pl_status lowest(shifted *p, double *shift) {
  double a = 0, fa = p->c.margin, step = (fa > 0 ? 0.1 : -0.1) / (p->c.phi * p->c.phi), b, fb;
  for (;;) {
    b = a + step;
    PL_TRY(by_shift(p, b, &fb));
    if ((fb > 0) != (fa > 0)) break;
    a = b;
    fa = fb;
    step *= 3;
  }
  return root_between(by_shift, p, a, fa, b, fb, 1e-12 * fmax(fabs(a), fabs(b)), shift);
}

pl_status pl_master_bend_twist_state(pl_env *env, double nu, double gamma, double phi,
                                     pl_bend_twist *out) {
  PL_TRY(check_nu(env, nu));
  double length = cbrt(gamma);
  if (!(gamma >= 0) || length > LENGTH_MAX)
    return pl_fail(env, PL_E_ARG, "bend-twist: Gamma must lie in 0 to %g, got %g",
                   pow(LENGTH_MAX, 3), gamma);
  if (!(phi > 0) || phi > TURNS_MAX * ROT)
    return pl_fail(env, PL_E_ARG, "bend-twist: phi must lie between 0 and %g turns, got %g rad",
                   TURNS_MAX, phi);
  shifted p = {.env = env, .c = {.nu = nu, .phi = phi, .g = gamma / (phi * phi * phi)}};
  PL_TRY(curl_solve(env, NAN, &p.c));
  PL_TRY(curl_stability(env, 0, &p.c));
  *out = (pl_bend_twist){.nneg = p.c.nneg, .tip = p.c.tip};
  double shift;
  PL_TRY(no_root(env, lowest(&p, &shift), "Gamma", gamma));
  out->lowest = shift * phi * phi;
  return PL_OK;
}
