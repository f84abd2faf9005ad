// Phases against the closed form of a linear oscillator, m = 2, k = 50, c = 0.4 under 3 sin(w t).
#include "check.h"
#include "design_models.h"

#include "pliant/design.h"
#include "pliant/math.h"

#include <string.h>

static pl_env env;

enum { MASS, STIFFNESS, DAMPING, FORCE, FREQUENCY, NVAR };

typedef struct bench {
  model_kit kit;
  kit_model b;
  pl_objective obj;
  pl_design *d;
} bench;

static double lag(const double *x) {
  double w = x[FREQUENCY];
  return -atan2(x[DAMPING] * w, x[STIFFNESS] - x[MASS] * w * w);
}

// ahead: phase of the load, rad
static pl_status open_bench(bench *t, double ahead, double cubic, int harmonic, double target) {
  static const int node = 0;
  static const pl_operating point = {.omega = 4};
  static const pl_variable var[NVAR] = {{.index = 0},
                                        {.index = 1},
                                        {.index = 2},
                                        {.index = 3},
                                        {.kind = PL_VARIABLE_FREQUENCY, .min = 1, .max = 9}};
  *t = (bench){.obj = {.kind = &pl_objective_phase, .weight = 1, .nnode = 1, .node = &node}};
  t->obj.harmonic = harmonic;
  t->obj.target = target;
  design_oscillator(&t->kit, &env, cubic);
  t->kit.load[0].term.phase = ahead;
  kit_build(&t->kit, 1, &t->b);
  pl_optimise_opts o;
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &o);
  o.harmonics = 5;
  o.rtol = 1e-13;
  o.ftol = 1e-12;
  pl_design_problem p = {NVAR, 1, 1, var, &point, &t->obj};
  return pl_design_open(&o, t->b.m, t->b.p, t->b.w, &p, &t->d);
}

static void close_bench(bench *t) {
  pl_design_free(t->d);
  kit_model_free(&t->b);
  kit_free(&t->kit);
}

// behind the load, whatever the load's own phase
static void closed_form(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    const double x0[NVAR] = {2, 50, 0.4, 3, 4};
    bench t;
    double value, q, grad[NVAR], x[NVAR];
    check_ok(&env, open_bench(&t, 1.3 * i, 0, 1, -1));
    check_ok(&env, pl_design_quantity(t.d, 0, &q, grad));
    check_close(q, lag(x0), 1e-12);
    check_ok(&env, pl_design_value(t.d, 0, &value, NULL));
    check_rel(value, pow(lag(x0) + 1, 2), 1e-11);
    for (int k = 0; k < NVAR; k++) {
      double f[2], h = 1e-4 * x0[k];
      for (int side = 0; side < 2; side++) {
        memcpy(x, x0, sizeof x);
        x[k] += side ? -h : h;
        f[side] = lag(x);
      }
      check_close(grad[k] * x0[k], (f[0] - f[1]) / 2e-4, 1e-6);
    }
    close_bench(&t);
  }
}

// the nearer way round: a target of 300 deg is one of -60 deg
static void turns(void **state) {
  (void)state;
  bench t;
  double a, b;
  check_ok(&env, open_bench(&t, 0, 0, 1, 300 * PL_PI / 180));
  check_ok(&env, pl_design_value(t.d, 0, &a, NULL));
  close_bench(&t);
  check_ok(&env, open_bench(&t, 0, 0, 1, -60 * PL_PI / 180));
  check_ok(&env, pl_design_value(t.d, 0, &b, NULL));
  check_rel(a, b, 1e-12);
  close_bench(&t);
}

// a quarter behind is resonance
static void resonance(void **state) {
  (void)state;
  bench t;
  double x[NVAR];
  pl_design_result *r;
  check_ok(&env, open_bench(&t, 0.4, 0, 1, -PL_PI / 2));
  check_ok(&env, pl_design_run(t.d, NULL, NULL, NULL, &r));
  pl_design_values(t.d, x);
  check_close(lag(x), -PL_PI / 2, 1e-5);
  check_rel(x[MASS] * x[FREQUENCY] * x[FREQUENCY], x[STIFFNESS], 1e-4);
  pl_design_result_free(r);
  close_bench(&t);
}

// shifting the load in time shifts all harmonics with it
static void third_harmonic(void **state) {
  (void)state;
  double q[2];
  for (int i = 0; i < 2; i++) {
    bench t;
    check_ok(&env, open_bench(&t, 0.9 * i, 20, 3, 0));
    check_ok(&env, pl_design_quantity(t.d, 0, &q[i], NULL));
    close_bench(&t);
  }
  check_close(q[0], q[1], 1e-9);
}

static void wrong(void **state) {
  (void)state;
  bench t;
  assert_int_equal(open_bench(&t, 0, 0, 6, 0), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "no harmonic 6"));
  close_bench(&t);
  // a linear oscillator has no third harmonic
  assert_int_equal(open_bench(&t, 0, 0, 3, 0), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "has no harmonic 3"));
  close_bench(&t);
}

int test_phase(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(closed_form), cmocka_unit_test(turns),
                                     cmocka_unit_test(resonance), cmocka_unit_test(third_harmonic),
                                     cmocka_unit_test(wrong)};
  pl_env_init(&env);
  return cmocka_run_group_tests_name("design.phase", tests, NULL, NULL);
}
