// The largest multiplier as an objective: its gradient against closed forms and differences.
#include "check.h"
#include "design_models.h"

#include "pliant/design.h"
#include "pliant/math.h"

#include <string.h>

static pl_env env;

typedef struct bench {
  model_kit kit;
  kit_model b;
  pl_design *d;
} bench;

enum { MOST = 32 };

static void open_bench(bench *t, int nvar, int harmonics, double omega, double bound) {
  static pl_variable var[MOST];
  kit_build(&t->kit, 1, &t->b);
  pl_optimise_opts o;
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &o);
  o.harmonics = harmonics;
  o.rtol = 1e-13;
  for (int k = 0; k < nvar; k++) var[k] = (pl_variable){.index = k};
  pl_objective obj = {.kind = &pl_objective_stability, .weight = 1, .target = bound};
  pl_operating point = {.omega = omega};
  pl_design_problem p = {nvar, 1, 1, var, &point, &obj};
  check_ok(&env, pl_design_open(&o, t->b.m, t->b.p, t->b.w, &p, &t->d));
}

static void close_bench(bench *t) {
  pl_design_free(t->d);
  kit_model_free(&t->b);
  kit_free(&t->kit);
}

// |mu| = exp(-pi c / (m w))
static void linear_oscillator(void **state) {
  (void)state;
  bench t;
  double w = 3, m = 2, c = 0.4, mu = exp(-PL_PI * c / (m * w)), value, grad[5];
  design_oscillator(&t.kit, &env, 0);
  open_bench(&t, 5, 3, w, 0.5);
  check_ok(&env, pl_design_value(t.d, 0, &value, grad));
  double by = 2 * (mu / 0.5 - 1) / 0.5 * mu;
  check_rel(grad[0], by * PL_PI * c / (m * m * w), 1e-8);
  check_close(grad[1], 0, 1e-10);
  check_rel(grad[2], -by * PL_PI / (m * w), 1e-8);
  check_close(grad[3], 0, 1e-10);
  close_bench(&t);
}

// differences of fourth order of the objective itself, motions solved anew
static void check_gradient(bench *t, double part, double tol) {
  static const double weight[4] = {1 / 12.0, -2 / 3.0, 2 / 3.0, -1 / 12.0};
  static const int at[4] = {-2, -1, 1, 2};
  int n = pl_design_nvariable(t->d);
  double x0[MOST], x[MOST], value, grad[MOST], most = 0;
  pl_design_values(t->d, x0);
  check_ok(&env, pl_design_value(t->d, 0, &value, grad));
  assert_true(value > 0);
  for (int k = 0; k < n; k++) most = fmax(most, fabs(grad[k] * x0[k]));
  assert_true(most > 0);
  for (int k = 0; k < n; k++) {
    double h = part * fabs(x0[k]), sum = 0, f;
    for (int i = 0; i < 4; i++) {
      memcpy(x, x0, sizeof x);
      x[k] += at[i] * h;
      check_ok(&env, pl_design_move(t->d, x));
      check_ok(&env, pl_design_value(t->d, 0, &f, NULL));
      sum += weight[i] * f / h;
    }
    check_close(grad[k] * x0[k], sum * x0[k], tol * most);
  }
  check_ok(&env, pl_design_move(t->d, x0));
}

// below the resonance, and above it, where motions are large
static void hardening_oscillator(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    bench t;
    design_oscillator(&t.kit, &env, 20);
    open_bench(&t, 5, 9, k ? 4.9 : 3, 0.3);
    check_gradient(&t, 2e-3, 1e-8);
    close_bench(&t);
  }
}

static void plane_strip(void **state) {
  (void)state;
  bench t;
  int node;
  double omega;
  design_plane(&t.kit, &env, &node, &omega);
  // moduli of elements and of a row, density, thickness
  open_bench(&t, 11, 5, omega, 0.2);
  assert_true(pl_model_nfree(t.b.m) >= 30);
  check_gradient(&t, 2e-3, 1e-9);
  close_bench(&t);
}

// links, membranes and hinges, solids, rods
static void other_kinds(void **state) {
  (void)state;
  void (*make[])(model_kit *, pl_env *, int *, double *) = {design_mechanism, design_sheet,
                                                            design_solid, design_rods};
  for (int k = 0; k < 4; k++) {
    bench t;
    int node;
    double omega;
    make[k](&t.kit, &env, &node, &omega);
    open_bench(&t, 2, 5, omega, 0.2);
    check_gradient(&t, 5e-4, 1e-6);
    close_bench(&t);
  }
}

int test_stability(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_oscillator),
      cmocka_unit_test(hardening_oscillator),
      cmocka_unit_test(plane_strip),
      cmocka_unit_test(other_kinds),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("stability", tests, NULL, NULL);
}
