// A strip pressed on a plane: phi'' = -P sin phi + Q cos phi, phi(0) = 0, phi'(1) = 0,
// int sin phi = 0, int cos phi = 1 - eps. With tan(delta) = Q/P, psi = phi - delta swings as a
// pendulum: sin(psi/2) = k cd(sqrt(F) (1 - s), k), F = |(P, Q)| (Romero et al. 2021, eq. 7, with
// the angle taken from the clamp's axis).
#include "validate_impl.h"

typedef struct strip {
  double delta; // direction of the force from the clamp's axis
  double r;     // sin(delta/2) / k
  double eps, P, tip;
} strip;

// r cos(delta/2) C sqrt(F) / cos(delta) - sqrt(1 - r^2) with C = int cos psi: the tip stays below
// the clamp. The swing takes three quarters less the part between the clamp and the middle.
static pl_status close_strip(void *ctx, double r, double *f) {
  strip *p = ctx;
  double h = sin(0.5 * p->delta), k = h / r, K, F, DK, D;
  elliptic(1, k, &K, &DK);
  elliptic(r, k, &F, &D);
  double root = 3 * K - F, sn2 = (3 * DK - D) / root; // mean of sn^2
  double C = 1 - 2 * k * k * sn2;
  *f = r * cos(0.5 * p->delta) * C * root / cos(p->delta) - sqrt((1 - r) * (1 + r));

  // 1 - eps = C / cos(delta) once the tip is in place
  p->r = r;
  p->P = root * root * cos(p->delta);
  p->eps = 2 * (k * k * sn2 - h * h) / cos(p->delta);
  p->tip = 2 * asin(k) + p->delta;
  return PL_OK;
}

static pl_status solve_strip(pl_env *env, double mu, strip *p) {
  p->delta = atan(mu);
  // the lowest mode has r = cos(4.4934 - pi) = 0.217 at onset and rises slowly
  double lo = fmax(0.19, 1.001 * sin(0.5 * p->delta)), hi = 0.9, flo, fhi, r;
  PL_TRY(close_strip(p, lo, &flo));
  PL_TRY(close_strip(p, hi, &fhi));
  if (root_between(close_strip, p, lo, flo, hi, fhi, 1e-16, &r) != PL_OK)
    return pl_fail(env, PL_E_INTERNAL, "stick-slip: no equilibrium at friction %g", mu);
  double f;
  return close_strip(p, r, &f);
}

typedef struct search {
  pl_env *env;
  strip p;
  double eps;
} search;

static pl_status tip_angle(void *ctx, double mu, double *f) {
  search *s = ctx;
  PL_TRY(solve_strip(s->env, mu, &s->p));
  *f = s->p.tip - 0.5 * PL_PI;
  return PL_OK;
}

static pl_status strain_error(void *ctx, double mu, double *f) {
  search *s = ctx;
  PL_TRY(solve_strip(s->env, mu, &s->p));
  *f = s->p.eps - s->eps;
  return PL_OK;
}

static pl_status triple(search *s, double *mu) {
  double lo = 0.2, hi = 0.5, flo, fhi;
  PL_TRY(tip_angle(s, lo, &flo));
  PL_TRY(tip_angle(s, hi, &fhi));
  PL_TRY(root_between(tip_angle, s, lo, flo, hi, fhi, 1e-15, mu));
  return solve_strip(s->env, *mu, &s->p);
}

pl_status pl_master_stick_slip_end(pl_env *env, double *eps_y, double *mu) {
  search s = {.env = env};
  PL_TRY(triple(&s, mu));
  *eps_y = s.p.eps;
  return PL_OK;
}

pl_status pl_master_stick_slip(pl_env *env, double mu, double *eps_y, double *P, double *Q) {
  if (!(mu >= 0) || !isfinite(mu))
    return pl_fail(env, PL_E_ARG, "stick-slip: friction must be >= 0, got %g", mu);
  search s = {.env = env};
  double most;
  PL_TRY(triple(&s, &most));
  if (mu > most * (1 + 1e-12))
    return pl_fail_at(env, PL_E_ARG, NULL, 0, 0, "take a smaller friction coefficient",
                      "stick-slip: at friction %g the strip never slips: from %.5f on its tip lies "
                      "flat on the plane first, at a strain of %.5f",
                      mu, most, s.p.eps);
  PL_TRY(solve_strip(env, mu, &s.p));
  *eps_y = s.p.eps;
  *P = s.p.P;
  *Q = mu * s.p.P;
  return PL_OK;
}

pl_status pl_master_stick_slip_at(pl_env *env, double eps_y, double *mu, double *P) {
  if (!(eps_y >= 0) || !isfinite(eps_y))
    return pl_fail(env, PL_E_ARG, "stick-slip: strain must be >= 0, got %g", eps_y);
  search s = {.env = env, .eps = eps_y};
  double most, flo, fhi;
  PL_TRY(triple(&s, &most));
  if (eps_y > s.p.eps * (1 + 1e-12))
    return pl_fail_at(env, PL_E_ARG, NULL, 0, 0, "press the strip less",
                      "stick-slip: at a strain of %g the tip lies flat on the plane: the curve "
                      "ends at %.5f",
                      eps_y, s.p.eps);
  // eps grows with mu^2: search between tight bounds
  double guess = 0.445096 * sqrt(eps_y), lo = 0.9 * guess, hi = 1.6 * guess + 1e-12;
  PL_TRY(strain_error(&s, lo, &flo));
  PL_TRY(strain_error(&s, hi, &fhi));
  if (root_between(strain_error, &s, lo, flo, hi, fhi, 1e-16, mu) != PL_OK)
    return pl_fail(env, PL_E_INTERNAL, "stick-slip: no friction found for strain %g", eps_y);
  PL_TRY(solve_strip(env, *mu, &s.p));
  *P = s.p.P;
  return PL_OK;
}
