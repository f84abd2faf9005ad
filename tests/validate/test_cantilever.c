#include "check.h"
#include "pliant/math.h"
#include "pliant/validate.h"

#include <stdlib.h>

static double master(pl_env *env, double gamma) {
  double y;
  check_ok(env, pl_master_cantilever(env, gamma, &y));
  return y;
}

// ---- a second method --------------------------------------------------------------------------

// s = t^2: points crowd at the clamp, where rods of large Gamma bend
static double place(double t) {
  return t * t;
}

// d(energy)/d(theta_i) and its tridiagonal derivative for angles theta_1..theta_n at the middles of
// pieces; energy sum (dtheta)^2/(2 l) - Gamma (1 - s) sin(theta) h, half a piece at the clamp
static void balance(int n, double gamma, const double *th, double *r, double *diag, double *off) {
  for (int i = 0; i < n; i++) {
    double a = place((double)i / n), b = place((i + 1.0) / n), h = b - a, s = 0.5 * (a + b);
    double before = i ? 0.5 * (a + place((i - 1.0) / n)) : 0, l = s - before;
    double load = gamma * (h * (1 - s));
    r[i] += (th[i] - (i ? th[i - 1] : 0)) / l - load * cos(th[i]);
    diag[i] += 1 / l + load * sin(th[i]);
    off[i] = -1 / l;
    if (i) {
      r[i - 1] -= (th[i] - th[i - 1]) / l;
      diag[i - 1] += 1 / l;
    }
  }
}

// H/W of a chain of n pieces by Newton's method from a hanging one; second order in 1/n
static double chain(int n, double gamma) {
  double *m = calloc((size_t)(4 * n), sizeof *m), *th = m, *r = m + n, *d = r + n, *o = d + n;
  for (int i = 0; i < n; i++) th[i] = 0.5 * PL_PI * (1 - exp(-sqrt(gamma) * place((i + 0.5) / n)));
  double change = 1;
  for (int it = 0; it < 100 && change > 1e-13; it++) {
    for (int i = 0; i < 2 * n; i++) r[i] = 0;
    balance(n, gamma, th, r, d, o);
    for (int i = 1; i < n; i++) {
      double f = o[i] / d[i - 1];
      d[i] -= f * o[i];
      r[i] -= f * r[i - 1];
    }
    change = 0;
    for (int i = n - 1; i >= 0; i--) {
      r[i] = (r[i] - (i + 1 < n ? o[i + 1] * r[i + 1] : 0)) / d[i];
      change = fmax(change, fabs(r[i]));
    }
    // angles stay near the range that rods have
    double step = change > 0.3 ? 0.3 / change : 1;
    for (int i = 0; i < n; i++) th[i] -= step * r[i];
  }
  check_less(change, 1e-12);
  double H = 0, W = 0;
  for (int i = 0; i < n; i++) {
    double h = place((i + 1.0) / n) - place((double)i / n);
    H += h * sin(th[i]);
    W += h * cos(th[i]);
  }
  free(m);
  return H / W;
}

// chains of 1000, 2000 and 4000 pieces, extrapolated twice: what is left is of sixth order, and
// rounding of 4000 pieces
static void chains(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (double gamma = 1e-3; gamma < 2e5; gamma *= 10) {
    double a = chain(1000, gamma), b = chain(2000, gamma), c = chain(4000, gamma);
    double ab = b + (b - a) / 3, bc = c + (c - b) / 3;
    check_rel(master(&env, gamma), bc + (bc - ab) / 15, 1e-8);
  }
}

// ---- published figures ------------------------------------------------------------------------

// figures recomputed for the notes to the paper, all digits given
static void anchors(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_close(master(&env, 1), 0.124562, 5e-7);
  check_close(master(&env, 100), 5.88810, 5e-6);
}

// H/W -> Gamma/8 with an error of order Gamma^2, and -> sqrt(Gamma/2) with one of Gamma^(-1/2)
static void asymptotes(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  assert_true(master(&env, 0) == 0);
  for (double gamma = 1e-9; gamma < 0.2; gamma *= 7)
    check_rel(master(&env, gamma), gamma / 8, 0.004 * gamma * gamma + 2e-10);
  for (double gamma = 1e4; gamma <= 1e12; gamma *= 10)
    check_rel(master(&env, gamma), sqrt(gamma / 2), 1.5 / sqrt(gamma));
}

// the methods for small, moderate and large Gamma meet to the rounding of the tip's angle at
// Gamma = 1e-4, 1e-16 of 1, which is 1e-11 of it: third differences show no jump
static void seams(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const double at[] = {1e-4, 15625};
  for (int k = 0; k < 2; k++) {
    double y[4];
    for (int i = 0; i < 4; i++) y[i] = log(master(&env, at[k] * (1 + 1e-4 * (i - 1.5))));
    check_close(y[3] - 3 * y[2] + 3 * y[1] - y[0], 0, 1.5e-10);
  }
}

static void grows(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double last = 0;
  for (double gamma = 1e-6; gamma <= 1e12; gamma *= 1.7) {
    double y = master(&env, gamma);
    assert_true(y > last);
    last = y;
  }
}

static void refused(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double y;
  check_status(&env, pl_master_cantilever(&env, -1, &y), PL_E_ARG);
  check_status(&env, pl_master_cantilever(&env, NAN, &y), PL_E_ARG);
  check_status(&env, pl_master_cantilever(&env, 2e12, &y), PL_E_ARG);
}

int test_cantilever(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains), cmocka_unit_test(anchors), cmocka_unit_test(asymptotes),
      cmocka_unit_test(seams),  cmocka_unit_test(grows),   cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
