// Peaks, folds and multipliers against closed forms and differences.
#include "check.h"
#include "design_models.h"

#include "design_impl.h"

#include <string.h>

static pl_env env;

enum { MASS, STIFFNESS, DAMPING, FORCE, CUBIC, COUNT };

typedef struct bench {
  model_kit kit;
  kit_model b;
  pl_design *d;
  pl_objective obj;
} bench;

static void open_bench(bench *t, double cubic, double omega, pl_objective obj) {
  static const pl_variable var[COUNT] = {
      {.index = 0}, {.index = 1}, {.index = 2}, {.index = 3}, {.index = 4}};
  static const int node = 0;
  memset(t, 0, sizeof *t);
  design_oscillator(&t->kit, &env, cubic);
  kit_build(&t->kit, 1, &t->b);
  t->obj = obj;
  t->obj.weight = 1;
  t->obj.nnode = 1;
  t->obj.node = &node;
  pl_optimise_opts o;
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &o);
  o.harmonics = cubic > 0 ? 7 : 1;
  o.rtol = 1e-12;
  pl_operating point = {.omega = omega};
  pl_design_problem p = {COUNT, 1, 1, var, &point, &t->obj};
  check_ok(&env, pl_design_open(&o, t->b.m, t->b.p, t->b.w, &p, &t->d));
}

static void close_bench(bench *t) {
  pl_design_free(t->d);
  kit_model_free(&t->b);
  kit_free(&t->kit);
}

// m x'' + c x' + k x = F sin wt is largest at w^2 = k/m - c^2 / (2 m^2)
static void peak_of_a_linear_oscillator(void **state) {
  (void)state;
  bench t;
  open_bench(&t, 0, 3,
             (pl_objective){.kind = &pl_objective_peak, .target = 5.5, .from = 2, .to = 9});
  double m = 2, k = 50, c = 0.4, w = sqrt(k / m - c * c / (2 * m * m)), got, grad[COUNT];
  check_rel(pl_design_tracked(t.d, 0, NULL), w, 1e-9);
  check_ok(&env, pl_design_value(t.d, 0, &got, grad));
  check_rel(got, pow(w / 5.5 - 1, 2), 1e-7);
  double by = 2 * (w / 5.5 - 1) / 5.5;
  double want[COUNT] = {by * (-k / (m * m) + c * c / (m * m * m)) / (2 * w), by / (2 * m * w),
                        -by * c / (2 * m * m * w), 0, 0};
  for (int i = 0; i < 4; i++) check_close(grad[i], want[i], 1e-6 * fabs(want[STIFFNESS]) * 50);
  for (int i = 0; i < 3; i++) check_rel(grad[i], want[i], 1e-5);
  close_bench(&t);
}

// the gradient of what is followed, by differences of solutions
static void check_track(bench *t, double tol) {
  double x0[COUNT], x[COUNT], grad[COUNT], value, at = pl_design_tracked(t->d, 0, NULL);
  pl_design_values(t->d, x0);
  check_ok(&env, pl_design_value(t->d, 0, &value, grad));
  double by = 2 * (at / t->obj.target - 1) / t->obj.target;
  for (int k = 0; k < COUNT; k++) {
    double h = 1e-3 * x0[k], w[2];
    for (int side = 0; side < 2; side++) {
      memcpy(x, x0, sizeof x);
      x[k] += side ? -h : h;
      check_ok(&env, pl_design_move(t->d, x));
      w[side] = pl_design_tracked(t->d, 0, NULL);
      check_ok(&env, pl_design_move(t->d, x0));
    }
    check_rel(pl_design_tracked(t->d, 0, NULL), at, 1e-8);
    double slope = (w[0] - w[1]) / (2 * h);
    if (fabs(grad[k] / by - slope) > tol * at / x0[k])
      print_error("%d: %.9g, differences %.9g\n", k, grad[k] / by, slope);
    check_close(grad[k] / by * x0[k] / at, slope * x0[k] / at, tol);
  }
}

static void peak_of_a_hardening_oscillator(void **state) {
  (void)state;
  bench t;
  open_bench(&t, 20, 3,
             (pl_objective){.kind = &pl_objective_peak, .target = 5.5, .from = 2, .to = 14});
  assert_true(pl_design_tracked(t.d, 0, NULL) > 5.2);
  check_track(&t, 2e-6);
  close_bench(&t);
}

static void fold_of_a_hardening_oscillator(void **state) {
  (void)state;
  // the upper fold lies at the high end, the lower one between
  for (int upper = 0; upper < 2; upper++) {
    bench t;
    open_bench(
        &t, 20, 3,
        (pl_objective){.kind = &pl_objective_fold, .target = upper ? 14 : 5, .from = 2, .to = 15});
    check_track(&t, 2e-6);
    close_bench(&t);
  }
}

// damped linear motion: |mu| = exp(-pi c / (m w))
static void multiplier_of_a_linear_oscillator(void **state) {
  (void)state;
  bench t;
  double w = 3, m = 2, c = 0.4, mu = exp(-PL_PI * c / (m * w)), value, grad[COUNT];
  open_bench(&t, 0, w, (pl_objective){.kind = &pl_objective_stability, .target = 0.5});
  check_ok(&env, pl_design_value(t.d, 0, &value, grad));
  check_rel(value, pow(mu / 0.5 - 1, 2), 1e-6);
  double by = 2 * (mu / 0.5 - 1) / 0.5 * mu;
  check_rel(grad[MASS], by * PL_PI * c / (m * m * w), 1e-4);
  check_rel(grad[DAMPING], -by * PL_PI / (m * w), 1e-4);
  check_close(grad[FORCE], 0, 1e-6);
  close_bench(&t);

  // nothing to pay below the bound
  open_bench(&t, 0, w, (pl_objective){.kind = &pl_objective_stability, .target = 0.99});
  check_ok(&env, pl_design_value(t.d, 0, &value, grad));
  check_close(value, 0, 0);
  for (int k = 0; k < COUNT; k++) check_close(grad[k], 0, 0);
  close_bench(&t);
}

// a response that rises up to the end of the window has no peak there
static void no_peak_in_the_window(void **state) {
  (void)state;
  model_kit k;
  kit_model b;
  pl_design *d;
  static const int node = 0;
  design_oscillator(&k, &env, 0);
  kit_build(&k, 1, &b);
  pl_optimise_opts o;
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &o);
  pl_variable var = {.index = 0};
  pl_operating point = {.omega = 3};
  for (int fold = 0; fold < 2; fold++) {
    pl_objective obj = {.kind = fold ? &pl_objective_fold : &pl_objective_peak,
                        .weight = 1,
                        .nnode = 1,
                        .node = &node,
                        .target = 4,
                        .from = 2,
                        .to = 4.5};
    pl_design_problem p = {1, 1, 1, &var, &point, &obj};
    check_status(&env, pl_design_open(&o, b.m, b.p, b.w, &p, &d), PL_E_INPUT);
    assert_null(d);
    assert_non_null(strstr(env.error.text, fold ? "fold" : "peak"));
    assert_non_null(strstr(env.error.hint, "window"));
  }
  kit_model_free(&b);
  kit_free(&k);
}

int test_track(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(peak_of_a_linear_oscillator),
      cmocka_unit_test(peak_of_a_hardening_oscillator),
      cmocka_unit_test(fold_of_a_hardening_oscillator),
      cmocka_unit_test(multiplier_of_a_linear_oscillator),
      cmocka_unit_test(no_peak_in_the_window),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("track", tests, NULL, NULL);
}
