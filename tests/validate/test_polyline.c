#include "check.h"
#include "pliant/math.h"
#include "pliant/validate.h"

#include <string.h>

static const pl_box UNIT = {{0, 1}, {0, 1}, 0, 0};

// ---- distances known in closed form -----------------------------------------------------------

static void lines(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_polyline hook = {4, (double[]){0, 1, 1, 0}, (double[]){0, 0, 1, 1}};
  // (t, t) is min(t, 1 - t) from the hook
  double d;
  const double x = 0.5, y = 0.5;
  check_ok(&env, pl_plot_distance(&env, &UNIT, 1, &x, &y, &hook, &d));
  check_close(d, 0.5, 1e-15);
  // beyond the end of a line its end counts; the plot's sides count, not the numbers
  const pl_box box = {{0, 10}, {0, 0.1}, 0, 0};
  const pl_polyline line = {2, (double[]){0, 5}, (double[]){0.05, 0.05}};
  const double far[] = {2, 9}, high[] = {0.06, 0.08};
  check_ok(&env, pl_plot_distance(&env, &box, 1, far, high, &line, &d));
  check_close(d, 0.1, 1e-15);
  check_ok(&env, pl_plot_distance(&env, &box, 2, far, high, &line, &d));
  check_close(d, 0.5, 1e-15);
}

static void logarithmic(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_box box = {{1, 1e4}, {1, 100}, 1, 1};
  pl_polyline line = {2, (double[]){1, 1e4}, (double[]){10, 10}};
  const double x[] = {100, 10}, y[] = {10, 20};
  double d;
  check_ok(&env, pl_plot_distance(&env, &box, 2, x, y, &line, &d));
  check_close(d, log10(2) / 2, 1e-15);
  const double zero = 0, one = 1;
  check_status(&env, pl_plot_distance(&env, &box, 1, &zero, &one, &line, &d), PL_E_ARG);
  check_status(&env, pl_plot_distance(&env, &box, 0, x, y, &line, &d), PL_E_ARG);
  pl_polyline none = {0}, single = {1, (double[]){10}, (double[]){10}};
  check_status(&env, pl_plot_distance(&env, &box, 1, x, y, &none, &d), PL_E_ARG);
  check_ok(&env, pl_plot_distance(&env, &box, 1, x, y, &single, &d));
  check_close(d, 0.25, 1e-15);
}

// the paper's straight line in the plot of the curve: 3.1 % of 29.1 in 40, across a slope of 16/40
static void lateral(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const double x[] = {0, 0.25, 0.5, 0.75, 1}, low = 18.2 * 0.65 * sqrt(1.35);
  const pl_polyline line = {2, (double[]){0, 1}, (double[]){low, low + 14.5}};
  double y[5], d;
  for (int i = 0; i < 5; i++) check_ok(&env, pl_master_lateral(&env, 0.35, x[i], &y[i]));
  check_ok(&env, pl_plot_distance(&env, &pl_master_box[PL_MASTER_LATERAL], 5, x, y, &line, &d));
  check_less(d, 0.05);
  check_less(0.015, d);
}

static pl_status build(pl_env *env, void *ctx) {
  (void)ctx;
  const double x[] = {0, 1}, y[] = {0, 1};
  const pl_polyline p = {2, (double[]){0, 1}, (double[]){0, 0}};
  double d;
  return pl_plot_distance(env, &UNIT, 2, x, y, &p, &d);
}

static void out_of_memory(void **state) {
  (void)state;
  check_allocations(build, NULL);
}

int test_polyline(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines),
      cmocka_unit_test(logarithmic),
      cmocka_unit_test(lateral),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
