// Forces of supports and drives against closed forms of a linear oscillator.
#include "check.h"
#include "design_models.h"

#include "pliant/design.h"
#include "pliant/math.h"

#include <complex.h>
#include <string.h>

static pl_env env;

enum { MASS, STIFFNESS, DAMPING, FORCE, ALPHA, FREQUENCY, NVAR };
static const double start[NVAR] = {2, 50, 0.4, 3, 0.3, 4};

// A mass on a spring and a dashpot whose other end is held, or shaken by 0.1 sin(w t + 0.5) with a
// mass of 0.7 on it. x[NVAR].
typedef struct bench {
  model_kit kit;
  kit_model b;
  pl_objective obj;
  pl_design *d;
} bench;

static double support(const double *x) {
  double w = x[FREQUENCY];
  double complex k = x[STIFFNESS] + I * w * x[DAMPING];
  double complex of_mass = x[MASS] * (-w * w + I * w * x[ALPHA]);
  return cabs(x[FORCE] * k / (k + of_mass));
}

static double drive(const double *x) {
  double w = x[FREQUENCY], A = 0.1;
  double complex k = x[STIFFNESS] + I * w * x[DAMPING], m = -w * w + I * w * x[ALPHA];
  return cabs(A * (k * x[MASS] * m / (k + x[MASS] * m) + 0.7 * m));
}

static void parameter(model_kit *k, const char *name, int index, double value) {
  kit_parameter(k, name, value, 0.1 * value, 9 * value, 1, &(pl_target){0, index, 1});
}

static pl_status open_bench(bench *t, int shaken, pl_objective obj) {
  static const double X[2] = {0, 0};
  static const int spring[2] = {0, 1}, masses[2] = {1, 0}, base[1] = {0}, at[1] = {1};
  static const pl_term shake[1] = {{1, {0.1, 0, 0}, 0.5}};
  static const pl_variable var[NVAR] = {{.index = 0},
                                        {.index = 1},
                                        {.index = 2},
                                        {.index = 3},
                                        {.kind = PL_VARIABLE_ALPHA, .max = 5},
                                        {.kind = PL_VARIABLE_FREQUENCY, .min = 1, .max = 9}};
  const double par[4] = {start[STIFFNESS], 0, 0, start[DAMPING]}, mass[2] = {start[MASS], 0.7};
  static const pl_operating point = {.omega = 4};
  *t = (bench){.obj = obj};
  kit_init(&t->kit, &env, 1);
  t->kit.d.nnode = 2;
  t->kit.d.X = X;
  t->kit.d.alpha = start[ALPHA];
  kit_group(&t->kit, "spring", "spring1", 1, spring, 0, par);
  kit_group(&t->kit, "masses", "mass1", 2, masses, 0, mass);
  pl_drive_desc *d = kit_drive(&t->kit, 1, base);
  d->nterm = shaken;
  d->term = shake;
  t->kit.load[t->kit.d.nload++] =
      (pl_load_desc){.nnode = 1, .node = at, .term = {1, {shaken ? 1e-30 : start[FORCE], 0, 0}, 0}};
  parameter(&t->kit, "mass", pl_par_group(&t->kit.d, 1, 0), start[MASS]);
  parameter(&t->kit, "stiffness", pl_par_group(&t->kit.d, 0, 0), start[STIFFNESS]);
  parameter(&t->kit, "damping", pl_par_group(&t->kit.d, 0, 0) + 3, start[DAMPING]);
  parameter(&t->kit, "force", pl_par_load(&t->kit.d, 0), shaken ? 1e-30 : start[FORCE]);
  kit_build(&t->kit, 1, &t->b);
  pl_optimise_opts o;
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &o);
  o.harmonics = 2;
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

static pl_objective force(pl_goal goal, double target) {
  return (pl_objective){
      .kind = &pl_objective_force, .weight = 1, .goal = goal, .target = target, .harmonic = 1};
}

// the value, and its derivatives against differences of the closed form
static void transmissibility(void **state) {
  (void)state;
  for (int shaken = 0; shaken < 2; shaken++) {
    double (*closed)(const double *x) = shaken ? drive : support;
    bench t;
    double value, grad[NVAR], x[NVAR];
    check_ok(&env, open_bench(&t, shaken, force(PL_GOAL_LEAST, 0)));
    check_ok(&env, pl_design_quantity(t.d, 0, &value, grad));
    check_rel(value, closed(start), 1e-12);
    for (int k = 0; k < NVAR; k++) {
      double f[2], h = 1e-4 * start[k];
      if (shaken && k == FORCE) continue;
      for (int side = 0; side < 2; side++) {
        memcpy(x, start, sizeof x);
        x[k] += side ? -h : h;
        f[side] = closed(x);
      }
      check_close(grad[k] * start[k], (f[0] - f[1]) / 2e-4, 1e-6 * value);
    }
    close_bench(&t);
  }
}

// over a period: a sine of that amplitude
static void drawing(void **state) {
  (void)state;
  enum { N = 65 };
  bench t;
  double y[N], most = 0, value;
  check_ok(&env, open_bench(&t, 0, force(PL_GOAL_LEAST, 0)));
  check_ok(&env, pl_design_quantity(t.d, 0, &value, NULL));
  check_ok(&env, pl_design_trace(t.d, 0, N, y));
  for (int i = 0; i < N; i++) most = fmax(most, fabs(y[i]));
  check_close(y[0], y[N - 1], 1e-12);
  check_close(y[0], -y[N / 2], 1e-12);
  check_less(most, value * (1 + 1e-12));
  check_less(value * cos(PL_PI / 64), most);
  close_bench(&t);
}

// a target of half the force is reached
static void target(void **state) {
  (void)state;
  bench t;
  double x[NVAR], want = 0.5 * support(start);
  pl_design_result *r;
  check_ok(&env, open_bench(&t, 0, force(PL_GOAL_TARGET, want)));
  check_ok(&env, pl_design_run(t.d, NULL, NULL, NULL, &r));
  pl_design_values(t.d, x);
  check_rel(support(x), want, 1e-5);
  pl_design_result_free(r);
  close_bench(&t);
}

static void wrong(void **state) {
  (void)state;
  bench t;
  pl_objective bad = force(PL_GOAL_LEAST, 0);
  bad.drive = 1;
  assert_int_equal(open_bench(&t, 0, bad), PL_E_ARG);
  close_bench(&t);
  bad.drive = 0;
  bad.harmonic = 3;
  assert_int_equal(open_bench(&t, 0, bad), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "no harmonic 3"));
  close_bench(&t);
  // a linear oscillator has no second harmonic
  bad.harmonic = 2;
  assert_int_equal(open_bench(&t, 0, bad), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "there is no force at the start"));
  close_bench(&t);
}

int test_force(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(transmissibility), cmocka_unit_test(drawing),
                                     cmocka_unit_test(target), cmocka_unit_test(wrong)};
  pl_env_init(&env);
  return cmocka_run_group_tests_name("design.force", tests, NULL, NULL);
}
