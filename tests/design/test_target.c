#include "check.h"

#include "pliant/design.h"
#include "pliant/math.h"

#include <string.h>

static pl_env env;

// samples of a series give its coefficients back, evenly spaced or not, closed or not
static void series_come_back(void **state) {
  (void)state;
  enum { H = 3, L = 2 * H + 1, N = 25 };
  const double want[2 * L] = {0.3, 1,   0.2, -0.1, 0.05, 0.02, -0.03,
                              -1,  0.4, 0.7, 0,    0.1,  0.2,  0.05};
  double x[2 * (N + 1)], times[N + 1], got[2 * L];
  pl_rng r;
  pl_rng_seed(&r, 4);
  for (int uneven = 0; uneven < 2; uneven++) {
    for (int i = 0; i <= N; i++) {
      times[i] = (i + (uneven && i % N ? pl_rng_uniform(&r, -0.4, 0.4) : 0)) / N;
      for (int c = 0; c < 2; c++) {
        double s = want[c * L];
        for (int k = 1; k <= H; k++)
          s += want[c * L + 2 * k - 1] * sin(2 * PL_PI * k * times[i]) +
               want[c * L + 2 * k] * cos(2 * PL_PI * k * times[i]);
        x[2 * i + c] = i == N ? x[c] : s;
      }
    }
    check_ok(&env, pl_curve_coefficients(&env, N, 2, x, PL_BY_TIME, uneven ? times : NULL, H, got));
    check_array(2 * L, got, want, 1e-12);
    check_ok(&env,
             pl_curve_coefficients(&env, N + 1, 2, x, PL_BY_TIME, uneven ? times : NULL, H, got));
    check_array(2 * L, got, want, 1e-12);
  }
}

// a circle drawn with uneven points is run through at constant speed by arc
static void arcs_are_even(void **state) {
  (void)state;
  enum { N = 400, H = 4, L = 2 * H + 1 };
  double x[2 * N], got[2 * L];
  for (int i = 0; i < N; i++) {
    double t = (double)i / N, a = 2 * PL_PI * t + 0.8 * sin(2 * PL_PI * t);
    x[2 * i] = 2 + cos(a);
    x[2 * i + 1] = sin(a);
  }
  check_ok(&env, pl_curve_coefficients(&env, N, 2, x, PL_BY_ARC, NULL, H, got));
  double want[2 * L] = {0};
  want[0] = 2;
  want[2] = 1;
  want[L + 1] = 1;
  check_array(2 * L, got, want, 2e-4);
  // a square: k = 1 is 8/pi^2 of the triangle wave, by closed form
  const double square[] = {0, 0, 1, 0, 1, 1, 0, 1};
  check_ok(&env, pl_curve_coefficients(&env, 4, 2, square, PL_BY_ARC, NULL, 1, got));
  // x(t): 0 to 1 in the first quarter, stays, back in the third: trapezoid wave about 1/2
  check_close(got[0], 0.5, 1e-4);
  check_close(hypot(got[1], got[2]), 4 * sqrt(2) / (PL_PI * PL_PI), 1e-4);
}

static void poor_targets_are_refused(void **state) {
  (void)state;
  double x[2 * 8] = {0}, times[8], coef[2 * 9];
  for (int i = 0; i < 8; i++) {
    x[2 * i] = cos(i);
    times[i] = 0.01 * i;
  }
  check_status(&env, pl_curve_coefficients(&env, 8, 2, x, PL_BY_ARC, NULL, 4, coef), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "8 points cannot tell 4 harmonics"));
  assert_non_null(strstr(env.error.hint, "more points"));
  check_status(&env, pl_curve_coefficients(&env, 8, 2, x, PL_BY_TIME, times, 3, coef), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "gaps"));
  x[3] = NAN;
  check_status(&env, pl_curve_coefficients(&env, 8, 2, x, PL_BY_ARC, NULL, 2, coef), PL_E_INPUT);
  memset(x, 0, sizeof x);
  check_status(&env, pl_curve_coefficients(&env, 8, 2, x, PL_BY_ARC, NULL, 2, coef), PL_E_INPUT);
}

int test_target(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(series_come_back),
      cmocka_unit_test(arcs_are_even),
      cmocka_unit_test(poor_targets_are_refused),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
