// Factors over time: straight lines and cubic curves.
#include "check.h"

#include "pliant/math.h"
#include "pliant/model.h"

#include <math.h>

static void straight(void **state) {
  (void)state;
  static const double t[] = {1, 2, 4}, v[] = {0, 3, -1};
  const pl_course c = {.n = 3, .t = t, .v = v};
  // held before and after; at a corner the rate that follows
  static const double at[][4] = {{0, 0, 0, 0},  {1, 0, 3, 0},  {1.5, 1.5, 3, 0}, {2, 3, -2, 0},
                                 {3, 1, -2, 0}, {4, -1, 0, 0}, {100, -1, 0, 0}};
  for (int k = 0; k < 7; k++) {
    double y[3];
    pl_course_at(&c, at[k][0], y);
    check_array(3, y, at[k] + 1, 1e-14);
  }
}

// Through points of a line it is that line; of half a wave, which has no bend at its ends, the
// error falls with the fourth power of the step.
static void smooth(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double t[65], v[65], rate[65], y[3];
  for (int i = 0; i < 5; i++) {
    t[i] = 0.5 * i;
    v[i] = 2 * t[i] + 1;
  }
  check_ok(&env, pl_course_rates(&env, 5, t, v, rate));
  for (int i = 0; i < 5; i++) check_close(rate[i], 2, 1e-14);
  double h[4], err[4];
  for (int k = 0; k < 4; k++) {
    int n = (8 << k) + 1;
    h[k] = PL_PI / (n - 1);
    err[k] = 0;
    for (int i = 0; i < n; i++) {
      t[i] = h[k] * i;
      v[i] = sin(t[i]);
    }
    check_ok(&env, pl_course_rates(&env, n, t, v, rate));
    const pl_course c = {.n = n, .t = t, .v = v, .rate = rate};
    for (int i = 0; i < 100; i++) {
      double x = PL_PI * (i + 0.3) / 101;
      pl_course_at(&c, x, y);
      err[k] = fmax(err[k], fabs(y[0] - sin(x)));
      check_close(y[1], cos(x), 5 * h[k] * h[k] * h[k]);
      check_close(y[2], -sin(x), h[k] * h[k]);
    }
  }
  check_less(3.9, order_slope(4, h, err));
}

// Ramps, holds and pulses stay between their rows, a hold is one, and rates are those of the
// values.
static void corners(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  static const double t[] = {0, 0.2, 0.3, 0.35, 1, 1.5, 4};
  static const double v[][7] = {{0, 1, 1, 1, 1, 1, 1},
                                {0, 1, 1, 0, 0, 0.5, 0.5},
                                {0, 0.01, 1, 1.1, -1, -1, 2},
                                {1, 1, 0, 0, 1, 1, 0},
                                {0, 1e-3, 1e-2, 1, 10, 10, 10}};
  double rate[7], y[3], z[3];
  for (int k = 0; k < 5; k++) {
    check_ok(&env, pl_course_rates(&env, 7, t, v[k], rate));
    const pl_course c = {.n = 7, .t = t, .v = v[k], .rate = rate};
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 20; j++) {
        double x = t[i] + (t[i + 1] - t[i]) * (j + 0.5) / 20, e = 1e-6 * (t[i + 1] - t[i]);
        pl_course_at(&c, x, y);
        assert_true(y[0] >= fmin(v[k][i], v[k][i + 1]) - 1e-15);
        assert_true(y[0] <= fmax(v[k][i], v[k][i + 1]) + 1e-15);
        pl_course_at(&c, x + e, z);
        check_close(z[0], y[0] + e * (y[1] + e / 2 * y[2]), 1e-14 * (1 + fabs(y[0])));
        check_close(z[1], y[1] + e * y[2], 1e-9 * (1 + fabs(y[1])));
      }
  }
}

// Two equal rows at the top of a wave are no hold.
static void crest(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  enum { N = 17 };
  double t[N], v[N], rate[N], y[3];
  for (int i = 0; i < N; i++) {
    t[i] = PL_PI / 4 * (i + 0.5) / 2; // 16 a period, none at a crest
    v[i] = round(1e6 * sin(t[i])) / 1e6;
  }
  assert_true(v[3] == v[4]);
  check_ok(&env, pl_course_rates(&env, N, t, v, rate));
  const pl_course c = {.n = N, .t = t, .v = v, .rate = rate};
  pl_course_at(&c, PL_PI / 2, y);
  check_close(y[0], 1, 1e-3);
  check_close(y[2], -1, 0.05);
}

int test_course(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(straight), cmocka_unit_test(smooth),
                                     cmocka_unit_test(corners), cmocka_unit_test(crest)};
  return cmocka_run_group_tests_name("model.course", tests, NULL, NULL);
}
