// A kind of objective that is a function of a node's motion, against the closed form of an
// oscillator, m = 2, k = 50, c = 0.4 under 3 sin(w t): rms acceleration w^2 3 / |k - m w^2 + i c w|
// / sqrt(2).
#include "check.h"
#include "design_models.h"

#include "pliant/design.h"

#include <string.h>

enum { MASS, STIFFNESS, DAMPING, FORCE, FREQUENCY, NVAR };

static pl_complex rms(const pl_node_motion *x) {
  pl_complex sum = 0;
  for (int a = 1; a <= 2 * x->nharm; a++)
    sum += cpow((a + 1) / 2 * x->omega, 4) * x->z[a] * x->z[a] / 2;
  return csqrt(sum);
}

static pl_complex nothing(const pl_node_motion *x) {
  return csqrt(-1e300 - x->omega) / 0.0;
}

static const pl_objective_kind acceleration = {.name = "acceleration", .motion = rms};

static double closed(const double *x) {
  double w = x[FREQUENCY];
  return w * w * x[FORCE] / hypot(x[STIFFNESS] - x[MASS] * w * w, x[DAMPING] * w) / sqrt(2);
}

static void check_slopes(const double *x0, const double *grad) {
  for (int k = 0; k < NVAR; k++) {
    double f[2], h = 1e-4 * x0[k], x[NVAR];
    for (int side = 0; side < 2; side++) {
      memcpy(x, x0, sizeof x);
      x[k] += side ? -h : h;
      f[side] = closed(x);
    }
    check_close(grad[k] * x0[k], (f[0] - f[1]) / 2e-4, 1e-6 * closed(x0));
  }
}

// The value with all its derivatives, the frequency's at a fixed motion too, and a target met by
// least squares.
static void of_an_oscillator(void **state) {
  (void)state;
  static const pl_variable var[NVAR] = {{.index = 0},
                                        {.index = 1},
                                        {.index = 2},
                                        {.index = 3},
                                        {.kind = PL_VARIABLE_FREQUENCY, .min = 1, .max = 9}};
  const double x0[NVAR] = {2, 50, 0.4, 3, 4};
  pl_env env;
  model_kit kit;
  kit_model b;
  pl_design *d;
  pl_design_result *r;
  double q, grad[NVAR];
  pl_env_init(&env);
  design_oscillator(&kit, &env, 0);
  kit_build(&kit, 1, &b);
  pl_objective o = {.kind = &acceleration, .weight = 1, .nnode = 1, .node = &(int){0}};
  o.target = 1.2 * closed(x0);
  pl_design_problem p = {NVAR, 1, 1, var, &(pl_operating){.omega = 4}, &o};
  pl_optimise_opts opts = pl_optimise_defaults();
  opts.rtol = 1e-13;
  check_ok(&env, pl_design_open(&opts, b.m, b.p, b.w, &p, &d));
  check_ok(&env, pl_design_quantity(d, 0, &q, grad));
  check_rel(q, closed(x0), 1e-11);
  check_slopes(x0, grad);
  pl_design_free(d);

  // all parameters of the model, from beginning to end
  p.variable = NULL;
  opts.ftol = 1e-12;
  check_ok(&env, pl_design_solve(&opts, b.m, b.p, b.w, &p, &r));
  assert_int_equal(r->nvariable, pl_model_ndesign(b.m));
  check_close(r->objective[0], 0, 1e-12);
  pl_design_result_free(r);

  // no number at the start, nothing to look at
  const pl_objective_kind bad[] = {{.name = "bad", .motion = nothing}, {.name = "bad"}};
  for (int k = 0; k < 2; k++) {
    o.kind = &bad[k];
    o.goal = k ? PL_GOAL_TARGET : PL_GOAL_LEAST;
    pl_status s = pl_design_open(&opts, b.m, b.p, b.w, &p, &d);
    assert_int_equal(s, k ? PL_E_ARG : PL_UNSOLVED);
    assert_null(d);
  }
  kit_model_free(&b);
  kit_free(&kit);
}

int test_motion(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(of_an_oscillator)};
  return cmocka_run_group_tests_name("design.motion", tests, NULL, NULL);
}
