// Residuals of targets: their squares are the value, their derivatives its gradient, whichever way
// these are made; and the minimum of a quadratic in a box.
#include "check.h"
#include "design_models.h"

#include "design_impl.h"

#include <string.h>

static pl_env env;

enum { VARIABLES = 24, ROWS = 64 };

typedef struct bench {
  model_kit kit;
  kit_model b;
  pl_design *d;
  double r[ROWS], J[ROWS * VARIABLES];
} bench;

static const double curve[2 * 7] = {0,    0.05, 0.02, -0.03, 0.01, 0.02, -0.01,
                                    0.01, 0.03, 0.06, 0.02,  0.01, 0.01, 0.02};

// the mechanism with so many of the objectives: the first is its trajectory, as is the second
static void open_bench(bench *t, int nvar, int nobj) {
  memset(t, 0, sizeof *t);
  int node;
  pl_operating point = {0};
  pl_variable var[VARIABLES];
  pl_optimise_opts o;
  design_mechanism(&t->kit, &env, &node, &point.omega);
  kit_build(&t->kit, 1, &t->b);
  for (int k = 0; k < nvar - 1; k++) var[k] = (pl_variable){.index = k};
  var[nvar - 1] = (pl_variable){.kind = PL_VARIABLE_FREQUENCY};
  pl_objective obj[] = {
      {.kind = &pl_objective_trajectory, .weight = 0.3, .nnode = 1, .nharm = 3, .coef = curve},
      {.kind = &pl_objective_trajectory, .weight = 2, .nnode = 1, .nharm = 2, .coef = curve + 2},
      {.kind = &pl_objective_amplitude, .weight = 1.5, .nnode = 1, .mask = 2, .target = 0.4}};
  obj[1].means = 1;
  for (int k = 0; k < 3; k++) obj[k].node = &node;
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &o);
  o.harmonics = 3;
  o.rtol = 1e-12;
  check_ok(&env, pl_design_open(&o, t->b.m, t->b.p, t->b.w,
                                &(pl_design_problem){nvar, 1, nobj, var, &point, obj}, &t->d));
  assert_true(t->d->squares);
  assert_true(squares_count(t->d) <= ROWS && nvar <= VARIABLES);
  check_ok(&env, squares_at(t->d, t->r, t->J));
}

static void close_bench(bench *t) {
  pl_design_free(t->d);
  kit_model_free(&t->b);
  kit_free(&t->kit);
}

// against the value and the gradient by one adjoint
static void squares_sum_up(void **state) {
  (void)state;
  bench t;
  enum { N = 10 };
  open_bench(&t, N, 3);
  int nrow = squares_count(t.d);
  assert_int_equal(nrow, 14 + 14 + 1);
  double value, grad[N];
  check_ok(&env, pl_design_value(t.d, -1, &value, grad));
  check_rel(pl_dot(nrow, t.r, t.r), value, 1e-13);
  for (int k = 0; k < N; k++) {
    double g = 0, size = 0;
    for (int i = 0; i < nrow; i++) {
      g += 2 * t.r[i] * t.J[i * N + k];
      size += fabs(2 * t.r[i] * t.J[i * N + k]);
    }
    check_less(fabs(g - grad[k]), 1e-8 * size);
  }
  close_bench(&t);
}

// 14 residuals of one trajectory by as many adjoints, and among 28 by a solution a variable
static void rows_and_columns_agree(void **state) {
  (void)state;
  bench rows, columns;
  enum { N = 17 };
  open_bench(&rows, N, 1);
  open_bench(&columns, N, 2);
  double size = pl_max_abs(14 * N, columns.J);
  assert_true(size > 0);
  for (int i = 0; i < 14 * N; i++) check_less(fabs(rows.J[i] - columns.J[i]), 1e-8 * size);
  close_bench(&rows);
  close_bench(&columns);
}

// what is not a target, or has a smooth minimum, is no sum of squares
static void other_objectives_are_none(void **state) {
  (void)state;
  bench t;
  open_bench(&t, 3, 1);
  t.d->obj[0].o.sharpness = 100;
  assert_false(squares_suit(t.d));
  t.d->obj[0].o.sharpness = 0;
  assert_true(squares_suit(t.d));
  t.d->obj[0].o.kind = &pl_objective_mass;
  assert_false(squares_suit(t.d));
  t.d->obj[0].o.kind = &pl_objective_amplitude;
  assert_true(squares_suit(t.d));
  t.d->obj[0].o.goal = PL_GOAL_MOST;
  assert_false(squares_suit(t.d));
  t.d->obj[0].o.kind = &pl_objective_trajectory;
  t.d->obj[0].o.goal = PL_GOAL_TARGET;
  close_bench(&t);
}

// at the minimum in a box the slope is zero inside and points outwards at its faces
static void box(void **state) {
  (void)state;
  enum { N = 9 };
  double A[N * N], B[N * N], g[N], lo[N], hi[N], p[N], buffer[N * (N + 2)];
  pl_rng rng;
  pl_rng_seed(&rng, 7);
  int at_face = 0;
  for (int round = 0; round < 200; round++) {
    for (int i = 0; i < N * N; i++) A[i] = pl_rng_normal(&rng) * pow(10, -(i % N) / 2);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        B[i * N + j] = i == j ? 1e-6 : 0;
        for (int k = 0; k < N; k++) B[i * N + j] += A[k * N + i] * A[k * N + j];
      }
    for (int i = 0; i < N; i++) {
      g[i] = pl_rng_normal(&rng);
      // some begin at a face, some cannot move at all
      lo[i] = i % 4 == 0 ? 0 : -pl_rng_uniform(&rng, 0, 2);
      hi[i] = i % 8 == 0 ? 0 : pl_rng_uniform(&rng, 0, 2);
    }
    box_minimum(N, B, g, lo, hi, p, buffer);
    for (int i = 0; i < N; i++) {
      double slope = g[i] + pl_dot(N, B + i * N, p), size = fabs(g[i]) + 1;
      assert_true(p[i] >= lo[i] && p[i] <= hi[i]);
      at_face += p[i] == lo[i] || p[i] == hi[i];
      if (p[i] > lo[i]) check_less(slope, 1e-9 * size);
      if (p[i] < hi[i]) check_less(-slope, 1e-9 * size);
    }
  }
  assert_true(at_face > 200 && at_face < 200 * N);
}

int test_squares(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(squares_sum_up),
      cmocka_unit_test(rows_and_columns_agree),
      cmocka_unit_test(other_objectives_are_none),
      cmocka_unit_test(box),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("squares", tests, NULL, NULL);
}
