// Factors over time: straight lines and natural cubic splines.
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
static void spline(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double t[65], v[65], bend[65], y[3];
  for (int i = 0; i < 5; i++) {
    t[i] = 0.5 * i;
    v[i] = 2 * t[i] + 1;
  }
  check_ok(&env, pl_course_spline(&env, 5, t, v, bend));
  check_array(5, bend, (double[5]){0}, 1e-14);
  double h[4], err[4];
  for (int k = 0; k < 4; k++) {
    int n = (8 << k) + 1;
    h[k] = PL_PI / (n - 1);
    err[k] = 0;
    for (int i = 0; i < n; i++) {
      t[i] = h[k] * i;
      v[i] = sin(t[i]);
    }
    check_ok(&env, pl_course_spline(&env, n, t, v, bend));
    const pl_course c = {.n = n, .t = t, .v = v, .bend = bend};
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

int test_course(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(straight), cmocka_unit_test(spline)};
  return cmocka_run_group_tests_name("model.course", tests, NULL, NULL);
}
