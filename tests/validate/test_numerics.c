#include "check.h"
#include "validate_impl.h"

// ---- initial value problems -------------------------------------------------------------------

static void pendulum(const void *ctx, double t, const double *y, double *dy) {
  (void)t;
  dy[0] = y[1];
  dy[1] = -*(const double *)ctx * sin(y[0]);
}

static void growth(const void *ctx, double t, const double *y, double *dy) {
  (void)ctx;
  dy[0] = 2 * t * y[0];
}

// y' = 2 t y: y(t) = y(0) exp(t^2), over 78 powers of ten, relative to y all along
static void exponential_growth(void **state) {
  (void)state;
  double y = 1e-80, t = 0;
  ode o = {.n = 1, .lead = 1, .f = growth, .tol = 1e-13, .h = 0.1, .hmax = HUGE_VAL};
  assert_int_equal(ode_run(&o, 13, &t, &y), PL_OK);
  assert_true(t == 13);
  check_rel(y, 1e-80 * exp(169), 1e-10);
}

// a quarter swing of a pendulum released at 2 asin(k) takes K(k)
static void quarter_swing(void **state) {
  (void)state;
  for (double k = 0.1; k < 0.95; k += 0.2) {
    double one = 1, y[2] = {2 * asin(k), 0}, t = 0, K, D;
    ode o = {.n = 2, .lead = 2, .f = pendulum, .ctx = &one, .tol = 1e-13, .h = 0.1, .hmax = 1};
    elliptic(1, k, &K, &D);
    assert_int_equal(ode_run(&o, K, &t, y), PL_OK);
    check_close(y[0], 0, 1e-12);
    check_close(y[1], -2 * k, 1e-12);
  }
}

// the error of one step falls like its eleventh power
static void order(void **state) {
  (void)state;
  double h[4], err[4];
  for (int i = 0; i < 4; i++) {
    double y = 1, t = 1;
    h[i] = 0.8 * pow(0.8, i);
    ode o = {.n = 1, .lead = 1, .f = growth, .tol = 1, .h = h[i], .hmax = 1};
    assert_int_equal(ode_step(&o, 1 + h[i], &t, &y), PL_OK);
    err[i] = fabs(y / exp(h[i] * (2 + h[i])) - 1);
  }
  check_less(10.4, order_slope(4, h, err));
}

static void blow_up(const void *ctx, double t, const double *y, double *dy) {
  (void)ctx;
  (void)t;
  dy[0] = y[0] * y[0];
}

// y' = y^2 from 1 ends at t = 1: no result rather than a wrong one
static void no_solution(void **state) {
  (void)state;
  double y = 1, t = 0;
  ode o = {.n = 1, .lead = 1, .f = blow_up, .tol = 1e-12, .h = 0.1, .hmax = 1};
  assert_int_equal(ode_run(&o, 2, &t, &y), PL_DOMAIN);
  check_close(t, 1, 1e-6);
}

// ---- elliptic integrals -----------------------------------------------------------------------

// Abramowitz and Stegun, tables 17.1 and 17.5, and the limits k = 0 and s -> 0
static void elliptic_tables(void **state) {
  (void)state;
  double F, D;
  elliptic(1, sqrt(0.5), &F, &D);
  check_rel(F, 1.854074677301372, 1e-14);
  check_rel(F - 0.5 * D, 1.350643881047675, 1e-14);
  elliptic(sin(PL_PI / 6), sin(PL_PI / 4), &F, &D);
  check_rel(F, 0.53562273, 1e-8);
  elliptic(1, 0, &F, &D);
  check_rel(F, 0.5 * PL_PI, 1e-15);
  check_rel(D, 0.25 * PL_PI, 1e-15);
  elliptic(1e-8, 0.9, &F, &D);
  check_rel(F, 1e-8, 1e-14);
  check_rel(D, 1e-24 / 3, 1e-14);
}

// against midpoint sums, which converge exponentially for the complete integrals
static void elliptic_sums(void **state) {
  (void)state;
  for (double k = 0; k < 0.99; k += 0.09) {
    enum { N = 200 };
    double F = 0, D = 0, f, d;
    for (int i = 0; i < N; i++) {
      double s = sin(0.5 * PL_PI * (i + 0.5) / N), w = 0.5 * PL_PI / N / sqrt(1 - k * k * s * s);
      F += w;
      D += s * s * w;
    }
    elliptic(1, k, &f, &d);
    check_rel(f, F, 1e-14);
    check_rel(d, D, 1e-14);
  }
}

// ---- roots ------------------------------------------------------------------------------------

static pl_status cubic(void *ctx, double x, double *f) {
  ++*(int *)ctx;
  *f = x * x * x - 2;
  return PL_OK;
}

static pl_status jump(void *ctx, double x, double *f) {
  ++*(int *)ctx;
  *f = x < 0.3 ? -1 : 1e9;
  return PL_OK;
}

static void roots(void **state) {
  (void)state;
  int n = 0;
  double x;
  assert_int_equal(root_between(cubic, &n, 0, -2, 2, 6, 1e-15, &x), PL_OK);
  check_close(x, cbrt(2), 2e-15);
  assert_true(n < 15);
  n = 0;
  assert_int_equal(root_between(jump, &n, 0, -1, 1, 1e9, 1e-12, &x), PL_OK);
  check_close(x, 0.3, 1e-12);
  assert_true(n < 100);
  // both ends on one side
  assert_int_equal(root_between(cubic, &n, 2, 6, 3, 25, 1e-12, &x), PL_DOMAIN);
}

int test_numerics(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exponential_growth),
      cmocka_unit_test(quarter_swing),
      cmocka_unit_test(order),
      cmocka_unit_test(no_solution),
      cmocka_unit_test(elliptic_tables),
      cmocka_unit_test(elliptic_sums),
      cmocka_unit_test(roots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
