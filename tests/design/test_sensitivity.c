// Forward columns, adjoints and differences of re-solved motions, for every kind of parameter.
#include "check.h"
#include "design_models.h"

#include "design_impl.h"

#include <string.h>

static pl_env env;

typedef void (*make_fn)(model_kit *k, pl_env *env, int *node, double *omega);

typedef struct bench {
  model_kit kit;
  kit_model b;
  int node;
  double omega;
  pl_variable var[40];
  int nvar;
  pl_operating point;
  pl_design *d;
} bench;

// all design parameters, alpha, beta and the frequency
static void open_bench(bench *t, make_fn make, int nthread, int nobj, pl_objective *obj) {
  memset(t, 0, sizeof *t);
  make(&t->kit, &env, &t->node, &t->omega);
  kit_build(&t->kit, nthread, &t->b);
  for (int k = 0; k < pl_model_ndesign(t->b.m); k++)
    t->var[t->nvar++] = (pl_variable){.kind = PL_VARIABLE_DESIGN, .index = k};
  t->var[t->nvar++] = (pl_variable){.kind = PL_VARIABLE_ALPHA, .max = 5};
  t->var[t->nvar++] = (pl_variable){.kind = PL_VARIABLE_BETA, .max = 0.02};
  t->var[t->nvar++] = (pl_variable){.kind = PL_VARIABLE_FREQUENCY};
  t->point.omega = t->omega;
  pl_optimise_opts o;
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &o);
  o.harmonics = 3;
  o.rtol = 1e-12;
  for (int i = 0; i < nobj; i++)
    if (obj[i].nnode == 1 && !obj[i].node) obj[i].node = &t->node;
  pl_design_problem p = {t->nvar, 1, nobj, t->var, &t->point, obj};
  check_ok(&env, pl_design_open(&o, t->b.m, t->b.p, t->b.w, &p, &t->d));
}

static void close_bench(bench *t) {
  pl_design_free(t->d);
  kit_model_free(&t->b);
  kit_free(&t->kit);
}

// central differences of fourth order
static const struct {
  double at, weight;
} stencil[4] = {{1, 2.0 / 3}, {-1, -2.0 / 3}, {2, -1.0 / 12}, {-2, 1.0 / 12}};

// step in x for differences: a part of the scaled variable
static double step_of(const pl_design *d, int k) {
  return 5e-5 * scaled_slope(&d->var[k], d->x[k]);
}

static double *buffer(size_t n) {
  double *x = pl_alloc(&env, n, sizeof *x);
  assert_non_null(x);
  return x;
}

static void check_forward(bench *t) {
  pl_design *d = t->d;
  size_t n = (size_t)d->n, nv = (size_t)d->nvar;
  double *S = buffer(nv * n), *gz = buffer(n), *lambda = buffer(n), *grad = buffer(nv),
         *want = buffer(nv);
  double *x = buffer(nv), *x0 = buffer(nv), *diff = buffer(n);
  check_ok(&env, pl_design_sensitivity(d, 0, S));
  pl_design_values(d, x0);

  // adjoint of a functional with every coefficient in it
  pl_rng r;
  pl_rng_seed(&r, 5);
  for (size_t i = 0; i < n; i++) gz[i] = pl_rng_normal(&r);
  check_ok(&env, solution_linearise(d, &d->solution[0]));
  check_ok(&env, solution_solve(d, &d->solution[0], 1, gz, lambda));
  check_ok(&env, solution_adjoint(d, &d->solution[0], lambda, grad));
  for (size_t k = 0; k < nv; k++) {
    want[k] = pl_dot((int)n, gz, S + k * n);
    double size = pl_norm((int)n, gz) * pl_norm((int)n, S + k * n);
    if (!(size > 0)) print_error("no influence: %s\n", pl_design_name(d, (int)k));
    check_less(fabs(grad[k] - want[k]), 1e-10 * size);
  }

  // motions solved again on either side
  for (size_t k = 0; k < nv; k++) {
    double h = step_of(d, (int)k);
    for (int j = 0; j < 4; j++) {
      memcpy(x, x0, nv * sizeof *x);
      x[k] += stencil[j].at * h;
      check_ok(&env, pl_design_move(d, x));
      pl_axpy((int)n, stencil[j].weight / h, pl_design_orbit(d, 0)->z, diff, diff);
      check_ok(&env, pl_design_move(d, x0));
    }
    double most = 0, size = pl_max_abs((int)n, S + k * n);
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(diff[i] - S[k * n + i]));
    if (!(most <= 1e-5 * size))
      print_error("%s: off by %.2e of %.2e\n", pl_design_name(d, (int)k), most, size);
    check_less(most, 1e-5 * size);
    memset(diff, 0, n * sizeof *diff);
  }
  double *all[] = {S, gz, lambda, grad, want, x, x0, diff};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(&env, all[k]);
}

// lists of affected elements leave nothing out: against pl_eval_design
static void check_directions(bench *t) {
  const pl_model *m = t->b.m;
  int nq = pl_model_nq(m), nv = t->d->nvar, nd = pl_model_ndesign(m);
  double *y = buffer((size_t)nq), *dr = buffer((size_t)nq), *got = buffer((size_t)nv),
         *sum = buffer((size_t)nq), *dp = buffer((size_t)nv);
  pl_rng r;
  pl_rng_seed(&r, 3);
  for (int j = 0; j < nq; j++) y[j] = pl_rng_normal(&r);
  pl_orbit_state(m, pl_design_params(t->d), pl_design_orbit(t->d, 0), 1.3, t->b.s);
  pl_clock c = {.t = t->b.s->t, .omega = t->omega, .scale = 1};
  check_ok(&env,
           pl_directions_dot(t->d->directions, 0, pl_design_params(t->d), t->b.s, &c, y, got));
  for (int k = 0; k < nd; k++) {
    check_ok(&env, pl_eval_design(m, pl_design_params(t->d), t->b.s, &c, k, t->b.w, dr));
    check_less(fabs(got[k] - pl_dot(nq, y, dr)), 1e-12 * pl_norm(nq, y) * pl_norm(nq, dr));
    dp[k] = 0.1 + k;
    pl_axpy(nq, dp[k], dr, sum, sum);
  }
  check_ok(&env,
           pl_directions_along(t->d->directions, 0, pl_design_params(t->d), t->b.s, &c, dp, dr));
  for (int j = 0; j < nq; j++) check_less(fabs(dr[j] - sum[j]), 1e-11 * pl_max_abs(nq, sum));
  double *all[] = {y, dr, got, sum, dp};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(&env, all[k]);
}

// values of all objectives at a design, and of their weighted sum last
static void all_values(pl_design *d, const double *x, double *value) {
  check_ok(&env, pl_design_move(d, x));
  for (int k = 0; k <= d->nobj; k++)
    check_ok(&env, pl_design_value(d, k == d->nobj ? -1 : k, &value[k], NULL));
}

// the gradient of every objective of a problem, and of the sum, against differences of values at
// re-solved motions
static void check_objectives(bench *t, double tol) {
  enum { ALL = 16 };
  pl_design *d = t->d;
  int nv = d->nvar, n = d->nobj + 1;
  double *grad = buffer((size_t)nv), *diff = buffer((size_t)(n * nv)), *x = buffer((size_t)nv),
         *x0 = buffer((size_t)nv), value[ALL];
  pl_design_values(d, x0);
  for (int i = 0; i < nv; i++) {
    double h = step_of(d, i), slope = scaled_slope(&d->var[i], x0[i]);
    for (int j = 0; j < 4; j++) {
      memcpy(x, x0, (size_t)nv * sizeof *x);
      x[i] += stencil[j].at * h;
      all_values(d, x, value);
      for (int k = 0; k < n; k++) diff[k * nv + i] += stencil[j].weight / h * value[k] * slope;
      check_ok(&env, pl_design_move(d, x0));
    }
  }
  for (int k = 0; k < n; k++) {
    double size = pl_max_abs(nv, diff + k * nv);
    check_ok(&env, pl_design_value(d, k == d->nobj ? -1 : k, value, grad));
    for (int i = 0; i < nv; i++) {
      double got = grad[i] * scaled_slope(&d->var[i], x0[i]), want = diff[k * nv + i];
      if (!(fabs(got - want) < tol * size))
        print_error("objective %d, %s: %.10g, differences %.10g of %.3g\n", k, d->var[i].name, got,
                    want, size);
      check_less(fabs(got - want), tol * size);
    }
  }
  double *all[] = {grad, diff, x, x0};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(&env, all[k]);
}

// neighbours that are not alike
static void spread(bench *t) {
  double x[40];
  pl_design_values(t->d, x);
  for (int k = 0; k < 8; k++) x[k] *= 1 + 0.05 * k;
  check_ok(&env, pl_design_move(t->d, x));
}

// every variable and every objective of a model
static void check_model(make_fn make) {
  double coef[3 * 7];
  for (int i = 0; i < 21; i++) coef[i] = 0.05 * sin(3.0 * i + 1);
  pl_objective obj[] = {
      {.kind = &pl_objective_force, .weight = 1, .goal = PL_GOAL_LEAST, .harmonic = 1},
      {.kind = &pl_objective_force, .weight = 0.1, .goal = PL_GOAL_MOST, .mask = 2, .harmonic = 2},
      {.kind = &pl_objective_phase, .weight = 1, .nnode = 1, .mask = 2, .harmonic = 1, .target = 1},
      {.kind = &pl_objective_phase, .weight = 1, .nnode = 1, .mask = 1, .harmonic = 3},
      {.kind = &pl_objective_amplitude, .weight = 1, .nnode = 1, .target = 0.7},
      {.kind = &pl_objective_amplitude, .weight = 2, .nnode = 1, .goal = PL_GOAL_MOST, .mask = 1},
      {.kind = &pl_objective_amplitude, .weight = 2, .nnode = 1, .goal = PL_GOAL_LEAST, .mask = 2},
      {.kind = &pl_objective_trajectory, .weight = 0.3, .nnode = 1, .nharm = 3, .coef = coef},
      {.kind = &pl_objective_trajectory,
       .weight = 0.3,
       .nnode = 1,
       .nharm = 3,
       .coef = coef,
       .means = 1,
       .sharpness = 20,
       .phases = 16},
      {.kind = &pl_objective_mass, .weight = 1, .goal = PL_GOAL_LEAST},
      {.kind = &pl_objective_mass, .weight = 1e-6, .target = 1e-3},
      {.kind = &pl_objective_strain, .weight = 2, .goal = PL_GOAL_LEAST},
      {.kind = &pl_objective_strain, .weight = 1e-4, .target = 1e-4, .exponent = 6},
      {.kind = &pl_objective_smooth, .weight = 1},
  };
  int strained = make != design_mechanism, smooth = make == design_plane;
  bench t;
  open_bench(&t, make, 1, smooth ? 14 : strained ? 13 : 11, obj);
  if (smooth) spread(&t);
  check_directions(&t);
  check_forward(&t);
  check_objectives(&t, 1e-5);
  close_bench(&t);
}

static void mechanism(void **state) {
  (void)state;
  check_model(design_mechanism);
}

static void shell(void **state) {
  (void)state;
  check_model(design_sheet);
}

static void plane(void **state) {
  (void)state;
  check_model(design_plane);
}

static void solid(void **state) {
  (void)state;
  check_model(design_solid);
}

static void rods(void **state) {
  (void)state;
  check_model(design_rods);
}

// one node that is driven along x and free along y: drives act on its path directly
static void driven_components_count(void **state) {
  (void)state;
  model_kit k;
  kit_model b;
  static const double X[] = {0, 0, 0.3, -0.5};
  static const int link[] = {0, 1}, at[] = {1}, spring[] = {0, 0, 1, 1};
  static const double link_par[] = {2e2, 0.2}, mass[] = {0.3};
  static const double spring_par[] = {40, 0.4, 0.3, 0, 0, 0, 0};
  static const pl_term shake[] = {{1, {0.1, 0, 0}, 0.2}, {2, {0.03, 0, 0}, 0.5}};
  kit_init(&k, &env, 2);
  k.d.nnode = 2;
  k.d.X = X;
  kit_group(&k, "links", "link", 1, link, 1, link_par);
  kit_group(&k, "springs", "spring", 1, spring, 1, spring_par);
  kit_group(&k, "mass", "point", 1, at, 1, mass);
  kit_drive(&k, 1, &(int){0});
  pl_drive_desc *d = kit_drive(&k, 1, at);
  d->mask = 1;
  d->nterm = 2;
  d->term = shake;
  k.d.alpha = 0.3;
  kit_parameter(&k, "shake", 0.1, 0, 0.3, 1, &(pl_target){0, pl_par_drive(&k.d, 1, 0), 1});
  kit_parameter(&k, "phase", 0.5, -3, 3, 1, &(pl_target){0, pl_par_drive(&k.d, 1, 1) + 3, 1});
  kit_parameter(&k, "place", 0, -0.1, 0.1, 1, &(pl_target){1, 2, 1});
  kit_build(&k, 1, &b);
  double coef[2 * 3] = {0.3, 0.1, 0.05, -0.5, 0.02, 0.03};
  pl_objective obj[] = {
      {.kind = &pl_objective_amplitude, .weight = 1, .nnode = 1, .node = at, .target = 0.3},
      {.kind = &pl_objective_trajectory,
       .weight = 1,
       .nnode = 1,
       .node = at,
       .nharm = 1,
       .coef = coef,
       .means = 1}};
  pl_variable var[] = {{.index = 0}, {.index = 1}, {.index = 2}};
  pl_operating point = {.omega = 4};
  pl_design_problem p = {3, 1, 2, var, &point, obj};
  pl_optimise_opts o;
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &o);
  o.harmonics = 5;
  o.rtol = 1e-12;
  bench t = {0};
  check_ok(&env, pl_design_open(&o, b.m, b.p, b.w, &p, &t.d));
  check_objectives(&t, 1e-6);
  pl_design_free(t.d);
  kit_model_free(&b);
  kit_free(&k);
}

// of every coordinate, driven ones too, whose place and motion have parameters
static void series_of_all_nodes(void **state) {
  (void)state;
  bench t;
  open_bench(&t, design_mechanism, 1, 0, NULL);
  pl_design *d = t.d;
  enum { L = 7 };
  int nv = d->nvar, dim = pl_model_dim(t.b.m), nnode = pl_model_nnode(t.b.m), driven = 0;
  double *S = buffer((size_t)nv * (size_t)d->n), x0[40], x[40], out[L], z[L];
  check_ok(&env, pl_design_sensitivity(d, 0, S));
  pl_design_values(d, x0);
  for (int k = 0; k < nv; k++)
    for (int i = 0; i < nnode; i++)
      for (int c = 0; c < dim; c++) {
        double diff[L] = {0}, h = step_of(d, k);
        pl_design_series(d, S, k, i, c, out);
        if (pl_model_free_index(t.b.m)[i * dim + c] >= 0) {
          int at = pl_model_free_index(t.b.m)[i * dim + c] * L;
          assert_memory_equal(out, S + (size_t)k * (size_t)d->n + at, sizeof out);
          continue;
        }
        for (int j = 0; j < 4; j++) {
          memcpy(x, x0, sizeof x);
          x[k] += stencil[j].at * h;
          check_ok(&env, pl_design_set(d, x));
          pl_orbit_series(t.b.m, pl_design_params(d), pl_design_orbit(d, 0), i, c, z);
          for (int a = 0; a < L; a++) diff[a] += stencil[j].weight / h * z[a];
        }
        check_ok(&env, pl_design_set(d, x0));
        for (int a = 0; a < L; a++) {
          check_close(out[a], diff[a], 1e-7 * (1 + pl_max_abs(L, out)));
          driven += out[a] != 0;
        }
      }
  assert_true(driven > 3);
  pl_free(&env, S);
  close_bench(&t);
}

// the first-order prediction is off by the square of the step, and its trust figure tells
static void predictions_are_of_first_order(void **state) {
  (void)state;
  bench t;
  open_bench(&t, design_mechanism, 1, 0, NULL);
  pl_design *d = t.d;
  double grad[40], dx[40], x[40], x0[40], value, off[2], trust[2];
  check_ok(&env, pl_design_amplitude(d, 0, t.node, 0, &value, grad));
  pl_design_values(d, x0);
  for (int k = 0; k < 2; k++) {
    double size = k ? 0.005 : 0.01;
    pl_orbit *o;
    pl_design_direction(d, grad, dx);
    for (int i = 0; i < d->nvar; i++) dx[i] *= size;
    for (int i = 0; i < d->nvar; i++) x[i] = x0[i] + dx[i];
    check_ok(&env, pl_design_predict(d, 0, dx, &o, &trust[k]));
    check_ok(&env, pl_design_move(d, x));
    const pl_orbit *solved = pl_design_orbit(d, 0);
    off[k] = pl_orbit_distance(t.b.m, o, solved) / pl_orbit_size(t.b.m, solved);
    double now;
    check_ok(&env, pl_design_amplitude(d, 0, t.node, 0, &now, NULL));
    assert_true(now > value);
    check_ok(&env, pl_design_move(d, x0));
    pl_orbit_free(o);
  }
  check_close(off[0] / off[1], 4, 0.5);
  // the estimate is the distance itself, however stiff the links are
  for (int k = 0; k < 2; k++) check_close(trust[k] / off[k], 1, 0.1);
  close_bench(&t);
}

// far changes stretch the stiff links of a prediction, whose tension must not hide how far it is
// off
static void far_predictions_are_known_as_such(void **state) {
  (void)state;
  bench t;
  open_bench(&t, design_mechanism, 1, 0, NULL);
  pl_design *d = t.d;
  double grad[40], dx[40], x[40], x0[40], value;
  check_ok(&env, pl_design_amplitude(d, 0, t.node, 0, &value, grad));
  pl_design_values(d, x0);
  for (int k = 0; k < 4; k++) {
    double size = k % 2 ? 0.1 : 0.05, trust;
    pl_orbit *o;
    for (int i = 0; i < d->nvar; i++) x[i] = k < 2 ? grad[i] : -grad[i];
    pl_design_direction(d, x, dx);
    for (int i = 0; i < d->nvar; i++) dx[i] *= size;
    for (int i = 0; i < d->nvar; i++) x[i] = x0[i] + dx[i];
    check_ok(&env, pl_design_predict(d, 0, dx, &o, &trust));
    check_ok(&env, pl_design_move(d, x));
    const pl_orbit *solved = pl_design_orbit(d, 0);
    double off = pl_orbit_distance(t.b.m, o, solved) / pl_orbit_size(t.b.m, solved);
    check_close(trust / off, 1, 0.01);
    check_ok(&env, pl_design_move(d, x0));
    pl_orbit_free(o);
  }
  close_bench(&t);
}

// without stiffness the mean position is free and J singular: a moved diagonal solves for what
// there is, and amplitude and gradient are those of F / sqrt((k - m w^2)^2 + (c w)^2) at k = 0
static void singular_jacobians_are_regularised(void **state) {
  (void)state;
  model_kit kit;
  kit_model b;
  pl_design *d;
  design_oscillator(&kit, &env, 0);
  kit_build(&kit, 1, &b);
  pl_variable var[3] = {{.index = 0}, {.index = 1, .min = -1, .max = 100}, {.index = 2}};
  pl_operating point = {.omega = 3};
  pl_optimise_opts o;
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &o);
  o.harmonics = 1;
  pl_design_problem p = {3, 1, 0, var, &point, NULL};
  check_ok(&env, pl_design_open(&o, b.m, b.p, b.w, &p, &d));
  double x[3] = {2, 50, 0.4}, grad[3], A, w = 3;
  x[1] = 30;
  check_ok(&env, pl_design_move(d, x));
  x[1] = 0;
  check_ok(&env, pl_design_move(d, x));
  assert_true(d->regularised > 0);
  check_ok(&env, pl_design_amplitude(d, 0, 0, 0, &A, grad));
  double r = pow(2 * w * w, 2) + pow(0.4 * w, 2);
  check_rel(A, 12 / sqrt(r), 1e-8);
  check_rel(grad[0], -12 * pow(r, -1.5) * 2 * pow(w, 4), 1e-8);
  check_rel(grad[1], 12 * pow(r, -1.5) * 2 * w * w, 1e-8);
  check_rel(grad[2], -12 * pow(r, -1.5) * 0.4 * w * w, 1e-8);
  pl_design_free(d);
  kit_model_free(&b);
  kit_free(&kit);
}

// two threads give the same bits
static void threads_do_not_matter(void **state) {
  (void)state;
  double grad[2][40], value[2];
  int n = 0;
  for (int i = 0; i < 2; i++) {
    bench t;
    open_bench(&t, design_plane, i + 1, 0, NULL);
    check_ok(&env, pl_design_amplitude(t.d, 0, t.node, 0, &value[i], grad[i]));
    n = t.d->nvar;
    close_bench(&t);
  }
  assert_memory_equal(grad[0], grad[1], (size_t)n * sizeof(double));
}

int test_sensitivity(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mechanism),
      cmocka_unit_test(shell),
      cmocka_unit_test(plane),
      cmocka_unit_test(solid),
      cmocka_unit_test(rods),
      cmocka_unit_test(driven_components_count),
      cmocka_unit_test(series_of_all_nodes),
      cmocka_unit_test(predictions_are_of_first_order),
      cmocka_unit_test(far_predictions_are_known_as_such),
      cmocka_unit_test(singular_jacobians_are_regularised),
      cmocka_unit_test(threads_do_not_matter),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("sensitivity", tests, NULL, NULL);
}
