#include "problems.h"

static pl_env env;

static pl_friction_info solve_with(problem *q, const pl_friction_opts *o) {
  pl_friction_desc d = problem_desc(q);
  pl_friction_info info;
  check_ok(&env, pl_friction(&env, o, &d, q->p, q->u, q->status, &info));
  check_less(info.residual, o->tolerance * (1 + 1e-12));
  return info;
}

static pl_friction_info solve(problem *q) {
  pl_friction_opts o = friction_defaults();
  return solve_with(q, &o);
}

// W definite, square, of half the rank, and of rank 6; friction weak, usual, strong and mixed. The
// residual is 1e-12 of |c|; the law is looked at entry by entry, and forces lose what W p gains.
static void random_problems(void **state) {
  (void)state;
  static const double mu[] = {-1, 0, 0.3, 1};
  pl_rng r;
  pl_rng_seed(&r, 2);
  for (int trial = 0; trial < 480; trial++) {
    int size = 1 + trial % 3, n = 1 + (int)pl_rng_uniform(&r, 0, trial % 10 == 0 ? 50 : 20);
    int m = n * size, ndof[4] = {2 * m, m, m / 2 + 1, m < 6 ? m : 6};
    problem q;
    problem_random(&q, &r, n, size, ndof[trial / 3 % 4], mu[trial / 12 % 4]);
    solve(&q);
    check_law(&q, 1e-10);
    problem_close(&q);
  }
}

static pl_status times_W(void *ctx, const double *p, double *y) {
  const problem *q = ctx;
  for (int i = 0; i < q->m; i++) y[i] = pl_dot(q->m, q->W + (size_t)i * q->m, p);
  return PL_OK;
}

// the law with W known by its products, from no forces
static pl_status solve_by_products(problem *q, double *diagonal, pl_friction_info *info) {
  pl_friction_opts o = friction_defaults();
  for (int i = 0; i < q->m; i++) diagonal[i] = q->W[(size_t)i * (q->m + 1)];
  pl_friction_desc d = {.n = q->n, .size = q->size, .c = q->c, .mu = q->mu, .product = times_W};
  d.ctx = q;
  d.diagonal = diagonal;
  memset(q->p, 0, (size_t)q->m * sizeof *q->p);
  return pl_friction(&env, &o, &d, q->p, q->u, q->status, info);
}

// W known by products: the same velocities on definite problems, the law on all that it solves
static void by_products(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 5);
  int unsolved[4] = {0}, all[4] = {0};
  for (int trial = 0; trial < 240; trial++) {
    int n = 1 + trial % 40, size = 1 + trial % 3, m = n * size, kind = trial % 4;
    int ndof[4] = {3 * m, 2 * m, m, m / 2 + 1};
    problem q;
    pl_friction_info info;
    problem_random(&q, &r, n, size, ndof[kind], 0.5);
    double *u = malloc((size_t)q.m * sizeof *u), *diagonal = malloc((size_t)q.m * sizeof *diagonal);
    solve(&q);
    memcpy(u, q.u, (size_t)q.m * sizeof *u);
    pl_status s = solve_by_products(&q, diagonal, &info);
    all[kind]++;
    unsolved[kind] += s == PL_UNSOLVED;
    assert_true(s == PL_OK || s == PL_UNSOLVED);
    if (s == PL_OK) {
      check_less(info.residual, 1e-12 * (1 + 1e-9));
      check_law(&q, 1e-10);
      if (kind == 0) check_array(q.m, q.u, u, 1e-9 * pl_max_abs(q.m, q.c));
    }
    free(u);
    free(diagonal);
    problem_close(&q);
  }
  // with half the rank some starts lead nowhere
  assert_int_equal(unsolved[0] + unsolved[1] + unsolved[2], 0);
  check_less(unsolved[3], 0.05 * all[3]);
}

// each method by itself finds the same velocities on definite problems
static void methods_agree(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 3);
  int newton = 0;
  for (int trial = 0; trial < 60; trial++) {
    int n = 1 + trial % 12, size = 2 + trial % 2;
    problem q;
    problem_random(&q, &r, n, size, 3 * n * size, 0.5);
    double *u = malloc((size_t)q.m * sizeof *u);
    solve(&q);
    memcpy(u, q.u, (size_t)q.m * sizeof *u);
    pl_friction_opts o = friction_defaults();
    o.method = PL_FRICTION_GAUSS_SEIDEL;
    memset(q.p, 0, (size_t)q.m * sizeof *q.p);
    pl_friction_info info = solve_with(&q, &o);
    assert_int_equal(info.attempts, 0);
    check_array(q.m, q.u, u, 1e-10 * pl_max_abs(q.m, q.c));
    // Newton alone may stall; where it does not, it agrees
    o.method = PL_FRICTION_NEWTON;
    memset(q.p, 0, (size_t)q.m * sizeof *q.p);
    pl_friction_desc d = problem_desc(&q);
    pl_status s = pl_friction(&env, &o, &d, q.p, q.u, q.status, &info);
    assert_int_equal(info.sweeps, 0);
    assert_true(s == PL_OK || s == PL_UNSOLVED);
    if (s == PL_OK) check_array(q.m, q.u, u, 1e-10 * pl_max_abs(q.m, q.c));
    newton += s == PL_OK;
    free(u);
    problem_close(&q);
  }
  assert_true(newton > 50);
}

// from its own solution nothing is left to do
static void warm_start(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 4);
  problem q;
  problem_random(&q, &r, 20, 3, 60, 0.4);
  assert_true(solve(&q).sweeps > 3);
  pl_friction_info info = solve(&q);
  assert_true(info.sweeps <= 1 && info.iterations == 0);
  problem_close(&q);
}

// A block of mass 1 on four to thirty points of its face, falling at 1 m/s and sliding: all points
// of the face keep on the plane, and the centre slows down by the friction of the whole impulse:
// v - mu 1 m/s against the motion while it slides, and nothing when that is more than there is.
// The block is so flat that it does not tilt.
static void hyperstatic_block(void **state) {
  (void)state;
  const double a[3] = {1, 0.7, 0.05}, fall = 1;
  pl_rng r;
  pl_rng_seed(&r, 6);
  for (int trial = 0; trial < 40; trial++) {
    double x[30][2] = {{1, 0.7}, {-1, 0.7}, {-1, -0.7}, {1, -0.7}};
    int n = 4 + trial % 27;
    for (int k = 4; k < n; k++) {
      x[k][0] = pl_rng_uniform(&r, -1, 1);
      x[k][1] = pl_rng_uniform(&r, -0.7, 0.7);
    }
    double mu = 0.11 * (trial % 9), v[6] = {0.3, 0.4, -fall};
    problem q;
    problem_block(&q, n, x, a, v, mu);
    solve(&q);
    check_law(&q, 1e-10);
    double sum[3] = {0}, left = fmax(0, 1 - mu * fall / 0.5);
    for (int k = 0; k < n; k++)
      for (int i = 0; i < 3; i++) sum[i] += q.p[3 * k + i];
    check_close(sum[0], fall, 1e-10);
    check_close(sum[1], -0.3 * (1 - left), 1e-10);
    check_close(sum[2], -0.4 * (1 - left), 1e-10);
    for (int k = 0; k < n; k++) {
      const double want[3] = {0, 0.3 * left, 0.4 * left};
      check_array(3, q.u + 3 * k, want, 1e-10);
      // open points are such with no load on them
      if (left > 0 && mu > 0 && q.p[3 * k] > 1e-9) assert_int_equal(q.status[k], PL_SLIP);
      if (left == 0 && q.p[3 * k] > 1e-9) assert_int_equal(q.status[k], PL_STICK);
    }
    problem_close(&q);
  }
}

// Without friction the energy 1/2 p'Wp + c'p of any p >= 0 is no less, and velocities do not depend
// on the start though forces do.
static void frictionless_is_least_energy(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 7);
  for (int trial = 0; trial < 40; trial++) {
    problem q;
    problem_random(&q, &r, 12, 1, trial % 2 ? 6 : 20, 0);
    double *first = malloc((size_t)q.m * sizeof *first), e[2];
    for (int start = 0; start < 2; start++) {
      for (int i = 0; i < q.m; i++) q.p[i] = start * pl_rng_uniform(&r, 0, 3);
      solve(&q);
      e[start] = 0.5 * (pl_dot(q.m, q.p, q.u) + pl_dot(q.m, q.p, q.c));
      if (start == 0) memcpy(first, q.u, (size_t)q.m * sizeof *first);
    }
    check_array(q.m, q.u, first, 1e-10 * pl_max_abs(q.m, q.c));
    check_close(e[1], e[0], 1e-10 * fabs(e[0]));
    for (int other = 0; other < 20; other++) {
      double energy = 0;
      for (int i = 0; i < q.m; i++) first[i] = fmax(0, q.p[i] + 0.3 * pl_rng_normal(&r));
      for (int i = 0; i < q.m; i++)
        energy += first[i] * (q.c[i] + 0.5 * pl_dot(q.m, q.W + i * q.m, first));
      assert_true(energy >= e[0] * (1 + 1e-12) - 1e-12);
    }
    free(first);
    problem_close(&q);
  }
}

// no load, all separating, twins of one contact, and two that are nearly the same
static void special_cases(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 8);
  problem q;
  problem_random(&q, &r, 5, 3, 15, 0.5);
  memset(q.c, 0, (size_t)q.m * sizeof *q.c);
  for (int i = 0; i < q.m; i++) q.p[i] = 1;
  assert_int_equal(solve(&q).sweeps, 0);
  check_less(pl_max_abs(q.m, q.p), 1e-300);
  for (int i = 0; i < q.m; i++) q.c[i] = i % 3 == 0 ? 0.1 + i : -i;
  solve(&q);
  check_less(pl_max_abs(q.m, q.p), 1e-300);
  for (int k = 0; k < q.n; k++) assert_int_equal(q.status[k], PL_OPEN);
  problem_close(&q);

  // two contacts of one node, the second turned by eps: together they carry what one would
  static const double eps[] = {0, 1e-12, 1e-8, 1e-4};
  for (int e = 0; e < 4; e++) {
    problem_open(&q, 2, 2);
    double G[2][4] = {{0, 1, sin(eps[e]), cos(eps[e])}, {1, 0, cos(eps[e]), -sin(eps[e])}};
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 4; j++) q.W[4 * i + j] = G[0][i] * G[0][j] + G[1][i] * G[1][j];
      q.c[i] = -G[1][i] + 0.2 * G[0][i];
    }
    q.mu[0] = q.mu[1] = 0.1;
    solve(&q);
    check_close(q.p[0] + q.p[2], 1, 2 * eps[e] + 1e-11);
    check_close(q.u[1], 0.1, 2 * eps[e] + 1e-11);
    problem_close(&q);
  }

  // none at all
  problem_open(&q, 0, 3);
  solve(&q);
  problem_close(&q);
}

// scales of contacts 1e12 apart: residuals are measured contact by contact
static void badly_scaled(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 10);
  for (int trial = 0; trial < 30; trial++) {
    problem q;
    problem_random(&q, &r, 8, 3, 30, 0.4);
    double want[24], s[8];
    solve(&q);
    memcpy(want, q.p, sizeof want);
    for (int k = 0; k < 8; k++) s[k] = pow(10, pl_rng_uniform(&r, -6, 6));
    for (int i = 0; i < 24; i++) {
      for (int j = 0; j < 24; j++) q.W[24 * i + j] *= s[i / 3] * s[j / 3];
      q.c[i] *= s[i / 3];
      want[i] /= s[i / 3];
    }
    memset(q.p, 0, 24 * sizeof *q.p);
    solve(&q);
    for (int i = 0; i < 24; i++)
      check_close(q.p[i] * s[i / 3], want[i] * s[i / 3],
                  1e-9 * pl_norm3(want + i / 3 * 3) * s[i / 3] + 1e-11);
    problem_close(&q);
  }
}

// forces that no contact can bring about are told, not invented
static void no_solution(void **state) {
  (void)state;
  problem q;
  problem_open(&q, 2, 2);
  // one node between two walls that close in: u_N1 = x + c, u_N2 = -x + c, c < 0
  const double n[4] = {1, 0, -1, 0}, t[4] = {0, 1, 0, 1};
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) q.W[4 * i + j] = n[i] * n[j] + t[i] * t[j];
    q.c[i] = i % 2 == 0 ? -1 : 0.2;
  }
  q.mu[0] = q.mu[1] = 0.3;
  pl_friction_opts o = friction_defaults();
  o.max_sweeps = 500;
  pl_friction_desc d = problem_desc(&q);
  pl_friction_info info;
  check_status(&env, pl_friction(&env, &o, &d, q.p, q.u, q.status, &info), PL_UNSOLVED);
  assert_int_equal(info.reason, PL_FRICTION_MAX_ITER);
  assert_true(info.residual > 0.1 && info.sweeps <= 500);
  assert_true(pl_all_finite(4, q.p));
  problem_close(&q);
}

static void bad_input(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 11);
  problem q;
  problem_random(&q, &r, 2, 3, 6, 0.4);
  pl_friction_opts o = friction_defaults();
  pl_friction_desc d = problem_desc(&q);
  q.mu[1] = -0.1;
  check_status(&env, pl_friction(&env, &o, &d, q.p, NULL, NULL, NULL), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "contact 1"));
  q.mu[1] = 0.4;
  q.c[3] = NAN;
  check_status(&env, pl_friction(&env, &o, &d, q.p, NULL, NULL, NULL), PL_E_ARG);
  q.c[3] = 0;
  o.tolerance = 2;
  check_status(&env, pl_friction(&env, &o, &d, q.p, NULL, NULL, NULL), PL_E_INPUT);
  problem_close(&q);
}

static int cancel(void *ctx, const pl_progress *p) {
  (void)p;
  return ++*(int *)ctx > 0;
}

// a problem without solution takes its time; the host may end it
static void cancelled(void **state) {
  (void)state;
  problem q;
  enum { N = 40 };
  problem_open(&q, N, 3);
  pl_rng r;
  pl_rng_seed(&r, 12);
  // all contacts push one node, from all sides at once
  double G[3][3 * N];
  for (int i = 0; i < 9 * N; i++) G[i / (3 * N)][i % (3 * N)] = pl_rng_normal(&r);
  for (int i = 0; i < q.m; i++) {
    for (int j = 0; j < q.m; j++)
      for (int l = 0; l < 3; l++) q.W[i * q.m + j] += G[l][i] * G[l][j];
    q.c[i] = i % 3 == 0 ? -1 : 0;
  }
  for (int k = 0; k < N; k++) q.mu[k] = 0.3;
  pl_env own;
  int calls = 0;
  pl_env_init(&own);
  own.progress = cancel;
  own.progress_ctx = &calls;
  pl_friction_opts o = friction_defaults();
  o.max_sweeps = 100000000;
  pl_friction_desc d = problem_desc(&q);
  pl_friction_info info;
  check_status(&own, pl_friction(&own, &o, &d, q.p, q.u, NULL, &info), PL_CANCELLED);
  assert_int_equal(info.reason, PL_FRICTION_CANCELLED);
  assert_int_equal(calls, 1);
  problem_close(&q);
}

static pl_status solve_in(pl_env *e, void *ctx) {
  problem *q = ctx;
  pl_friction_opts o = friction_defaults();
  o.sweeps = 1;
  pl_friction_desc d = problem_desc(q);
  memset(q->p, 0, (size_t)q->m * sizeof *q->p);
  return pl_friction(e, &o, &d, q->p, q->u, q->status, NULL);
}

static void allocations(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 13);
  problem q;
  problem_random(&q, &r, 6, 3, 12, 0.5);
  check_allocations(solve_in, &q);
  problem_close(&q);
}

int test_friction(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_problems),   cmocka_unit_test(by_products),
      cmocka_unit_test(methods_agree),     cmocka_unit_test(warm_start),
      cmocka_unit_test(hyperstatic_block), cmocka_unit_test(frictionless_is_least_energy),
      cmocka_unit_test(special_cases),     cmocka_unit_test(badly_scaled),
      cmocka_unit_test(no_solution),       cmocka_unit_test(bad_input),
      cmocka_unit_test(cancelled),         cmocka_unit_test(allocations),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("contact.friction", tests, NULL, NULL);
}
