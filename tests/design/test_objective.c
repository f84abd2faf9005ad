// The table of objective kinds, and kinds from outside.
#include "check.h"
#include "design_models.h"

#include "pliant/design.h"
#include "pliant/math.h"

#include <string.h>

static pl_env env;

// every kind can be read, told and explained
static void tables_are_whole(void **state) {
  (void)state;
  for (int k = 0; k < PL_OBJECTIVE_COUNT; k++) {
    const pl_objective_kind *kind = pl_objective_table[k];
    assert_true(kind->name && kind->text && kind->value && kind->about && kind->keys);
    assert_true(kind->eval && kind->gradient);
    assert_true(kind->begin || !kind->end);
    assert_int_equal(kind->form == PL_FORM_OWN, kind->goals == 0);
    assert_true(kind->form == PL_FORM_OWN || (kind->quantity && kind->unit));
    assert_int_equal(!kind->residual, !kind->nresidual);
  }
}

// ---- a kind from outside ----------------------------------------------------------------------

typedef struct counts {
  int begun, ended;
} counts;

static pl_status begin(const pl_objective_at *at, void **own) {
  counts *c = (counts *)at->o->data;
  *own = c;
  c->begun++;
  return PL_OK;
}

static void end(const pl_objective_at *at) {
  ((counts *)at->own)->ended++;
}

// size of a harmonic of the node
static double size_of(const double *z, int k) {
  return hypot(z[2 * k - 1], z[2 * k]);
}

// third harmonic over first, times the frequency so that it counts by itself
static pl_status eval(const pl_objective_at *at, int i, double *q) {
  double z[2 * 64 + 1];
  pl_orbit_series(at->m, at->p, at->orbit, at->o->node[i], 0, z);
  *q = at->orbit->omega * size_of(z, 3) / size_of(z, 1);
  return PL_OK;
}

static pl_status gradient(const pl_objective_at *at, int i, double q, double by, double *gz,
                          double *gx) {
  double z[2 * 64 + 1], g[2 * 64 + 1] = {0};
  pl_orbit_series(at->m, at->p, at->orbit, at->o->node[i], 0, z);
  for (int a = 0; a < 2; a++) {
    g[1 + a] = -by * q * z[1 + a] / pow(size_of(z, 1), 2);
    g[5 + a] = by * q * z[5 + a] / pow(size_of(z, 3), 2);
  }
  pl_objective_add(at, at->o->node[i], 0, g, gz, gx);
  pl_objective_add_omega(at, by * q / at->orbit->omega, gx);
  return PL_OK;
}

static const pl_objective_kind distortion = {.name = "distortion",
                                             .quantity = "distortion",
                                             .unit = "rad/s",
                                             .form = PL_FORM_RATIO,
                                             .goals = PL_GOALS_TARGET | PL_GOALS_LEAST,
                                             .nodes = PL_NODES_EACH,
                                             .least_squares = 1,
                                             .eval = eval,
                                             .gradient = gradient,
                                             .begin = begin,
                                             .end = end};

typedef struct bench {
  model_kit kit;
  kit_model b;
  pl_optimise_opts o;
  counts c;
  pl_objective obj;
  pl_design *d;
} bench;

static pl_status open_bench(bench *t, pl_goal goal, double target) {
  static const int node = 0;
  static const pl_variable var[3] = {
      {.index = 1}, {.index = 4}, {.kind = PL_VARIABLE_FREQUENCY, .min = 2, .max = 6}};
  static const pl_operating point = {.omega = 4};
  *t = (bench){.obj = {.kind = &distortion, .weight = 1, .nnode = 1, .node = &node}};
  t->obj.goal = goal;
  t->obj.target = target;
  t->obj.data = &t->c;
  design_oscillator(&t->kit, &env, 20);
  kit_build(&t->kit, 1, &t->b);
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &t->o);
  t->o.harmonics = 5;
  t->o.rtol = 1e-12;
  pl_design_problem p = {3, 1, 1, var, &point, &t->obj};
  return pl_design_open(&t->o, t->b.m, t->b.p, t->b.w, &p, &t->d);
}

static void close_bench(bench *t) {
  pl_design_free(t->d);
  assert_int_equal(t->c.begun, t->c.ended);
  kit_model_free(&t->b);
  kit_free(&t->kit);
}

static void own_kind(void **state) {
  (void)state;
  for (int goal = PL_GOAL_TARGET; goal <= PL_GOAL_LEAST; goal += PL_GOAL_LEAST) {
    bench t;
    double x0[3], x[3], value, quantity, grad[3], slope[3];
    check_ok(&env, open_bench(&t, (pl_goal)goal, 0.02));
    assert_int_equal(t.c.begun, 1);
    pl_design_values(t.d, x0);
    check_ok(&env, pl_design_value(t.d, 0, &value, grad));
    check_ok(&env, pl_design_quantity(t.d, 0, &quantity, slope));
    if (goal == PL_GOAL_TARGET)
      check_rel(value, pow(quantity / 0.02 - 1, 2), 1e-13);
    else
      check_rel(value, 1, 1e-13);
    for (int k = 0; k < 3; k++) {
      double h = 3e-5 * x0[k], f[2], q[2];
      for (int side = 0; side < 2; side++) {
        memcpy(x, x0, sizeof x);
        x[k] += side ? -h : h;
        check_ok(&env, pl_design_move(t.d, x));
        check_ok(&env, pl_design_value(t.d, -1, &f[side], NULL));
        check_ok(&env, pl_design_quantity(t.d, 0, &q[side], NULL));
      }
      check_close(grad[k] * x0[k], (f[0] - f[1]) / 6e-5, 1e-6 * (1 + fabs(grad[k] * x0[k])));
      check_close(slope[k] * x0[k], (q[0] - q[1]) / 6e-5, 1e-6 * quantity);
    }
    close_bench(&t);
  }
}

// Gauss-Newton steps end at the target
static void own_kind_is_designed(void **state) {
  (void)state;
  bench t;
  double start, end_value;
  pl_design_result *r;
  check_ok(&env, open_bench(&t, PL_GOAL_TARGET, 1));
  check_ok(&env, pl_design_quantity(t.d, 0, &start, NULL));
  close_bench(&t);
  check_ok(&env, open_bench(&t, PL_GOAL_TARGET, 0.5 * start));
  check_ok(&env, pl_design_run(t.d, NULL, NULL, NULL, &r));
  check_ok(&env, pl_design_quantity(t.d, 0, &end_value, NULL));
  check_rel(end_value, 0.5 * start, 1e-3);
  assert_true(r->nstep <= 12);
  pl_design_result_free(r);
  close_bench(&t);
}

static void bad_kinds(void **state) {
  (void)state;
  bench t;
  assert_int_equal(open_bench(&t, PL_GOAL_MOST, 0), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "as large as possible"));
  close_bench(&t);
  assert_int_equal(open_bench(&t, PL_GOAL_TARGET, 0), PL_E_INPUT);
  close_bench(&t);
  check_ok(&env, open_bench(&t, PL_GOAL_LEAST, 0));
  double y[4], q;
  assert_int_equal(pl_design_trace(t.d, 0, 4, y), PL_E_ARG);
  assert_int_equal(pl_design_quantity(t.d, 1, &q, NULL), PL_E_ARG);
  close_bench(&t);
}

static int setup(void **state) {
  (void)state;
  pl_env_init(&env);
  return 0;
}

int test_objective(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tables_are_whole), cmocka_unit_test(own_kind),
                                     cmocka_unit_test(own_kind_is_designed),
                                     cmocka_unit_test(bad_kinds)};
  return cmocka_run_group_tests_name("design.objective", tests, setup, NULL);
}
