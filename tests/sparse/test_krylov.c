#include "check.h"
#include "problems.h"

enum { RESTART = 30 };

static void apply(void *ctx, const double *x, double *y) {
  pl_csc_mul(ctx, 1, x, 0, y);
}

// y = x / |diagonal|
static void jacobi(void *ctx, const double *x, double *y) {
  const pl_csc *A = ctx;
  for (int i = 0; i < A->n; i++) y[i] = x[i] / fabs(A->val[pl_csc_find(A, i, i)]);
}

static void inverse(void *ctx, const double *x, double *y) {
  if (pl_factor_solve(ctx, 1, x, y) != PL_OK) fail();
}

// |b - A x| / |b|, worked out here
static double residual(const pl_csc *A, const double *x, const double *b) {
  double *r = malloc((size_t)A->n * sizeof *r);
  memcpy(r, b, (size_t)A->n * sizeof *r);
  pl_csc_mul(A, -1, x, 1, r);
  double e = pl_norm(A->n, r) / pl_norm(A->n, b);
  free(r);
  return e;
}

static void check_solution(pl_env *env, pl_csc *A, pl_apply_fn prec, void *ctx, double rtol,
                           int max_iter, int warm_start) {
  pl_rng r;
  pl_rng_seed(&r, 21);
  double *b = random_vector(&r, A->n), *x = random_vector(&r, A->n);
  if (!warm_start) memset(x, 0, (size_t)A->n * sizeof *x);
  pl_krylov_info info;
  check_ok(env, pl_gmres(env, A->n, RESTART, apply, A, prec, ctx, b, x, rtol, max_iter, &info));
  check_less(residual(A, x, b), rtol * (1 + 1e-6));
  check_close(info.residual, residual(A, x, b), 1e-3 * rtol + 1e-16);
  assert_true(info.iterations > 0 && info.iterations <= max_iter);
  free(b);
  free(x);
}

static void positive_definite(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int m[3] = {12, 11, 10};
  pl_csc A;
  check_ok(&env, grid_laplacian(&env, m, 1, &A));
  for (int j = 0; j < A.n; j++) A.val[A.ptr[j]] *= 1 + j % 5; // Jacobi has something to do
  for (int warm_start = 0; warm_start < 2; warm_start++) {
    check_solution(&env, &A, NULL, NULL, 1e-6, 400, warm_start);
    check_solution(&env, &A, NULL, NULL, 1e-12, 800, warm_start);
    check_solution(&env, &A, jacobi, &A, 1e-12, 800, warm_start);
  }
  // with the exact inverse, one or two steps do
  pl_factor *f;
  check_ok(&env, pl_factor_create(&env, PL_CHOLESKY, &A, 1, 1, &f));
  check_ok(&env, pl_factor_numeric(f, &A));
  check_solution(&env, &A, inverse, f, 1e-12, 3, 0);
  pl_factor_free(f);
  pl_csc_free(&env, &A);
}

// a matrix with few distinct eigenvalues is solved in that many steps, in exact arithmetic
static void few_eigenvalues(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  trip t = {0};
  const double values[4] = {1, 3, 7, 20}, mixed[4] = {1, -3, 7, -20};
  pl_csc A, B;
  for (int i = 0; i < 200; i++) trip_add(&t, i, i, values[i % 4]);
  check_ok(&env, trip_build(&env, &t, 200, 1, &A));
  for (int i = 0; i < 200; i++) trip_add(&t, i, i, mixed[i % 4]);
  check_ok(&env, trip_build(&env, &t, 200, 1, &B));
  check_solution(&env, &A, NULL, NULL, 1e-10, 4, 0);
  check_solution(&env, &B, NULL, NULL, 1e-10, 4, 0);
  pl_csc_free(&env, &A);
  pl_csc_free(&env, &B);
}

static void unsymmetric(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 23);
  for (int n = 1; n <= 400; n = 3 * n + 1) {
    pl_csc A;
    check_ok(&env, random_sparse(&env, &r, n, 0, 3, 5, &A));
    check_solution(&env, &A, NULL, NULL, 1e-11, 500, 0);
    check_solution(&env, &A, jacobi, &A, 1e-11, 500, 1);
    pl_csc_free(&env, &A);
  }
  // the cyclic shift: no progress at all before step n, so a short restart stagnates for ever
  trip t = {0};
  pl_csc P;
  for (int i = 0; i < 50; i++) trip_add(&t, (i + 1) % 50, i, 1);
  check_ok(&env, trip_build(&env, &t, 50, 0, &P));
  double b[50] = {1}, x[50] = {0};
  pl_krylov_info info;
  check_status(&env, pl_gmres(&env, 50, 30, apply, &P, NULL, NULL, b, x, 1e-10, 5000, &info),
               PL_UNSOLVED);
  check_ok(&env, pl_gmres(&env, 50, 50, apply, &P, NULL, NULL, b, x, 1e-10, 5000, &info));
  check_close(x[49], 1, 1e-12); // P x = e_0
  assert_int_equal(info.iterations, 50);
  pl_csc_free(&env, &P);
}

// a product with seven digits
static void apply_coarsely(void *ctx, const double *x, double *y) {
  pl_csc *A = ctx;
  pl_csc_mul(A, 1, x, 0, y);
  for (int i = 0; i < A->n; i++) y[i] = (float)y[i];
}

static int below_rounding(void *ctx, double residual) {
  (void)ctx;
  return residual < 1e-4;
}

// cycles end where the caller knows that rounding is all that is left
static void residuals_of_rounding(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  trip t = {0};
  pl_csc A;
  for (int i = 0; i < 50; i++)
    for (int j = 0; j < 50; j++)
      if (abs(i - j) < 2) trip_add(&t, i, j, i == j ? 3 + 0.01 * i : -1 + 0.1 * (i > j));
  check_ok(&env, trip_build(&env, &t, 50, 0, &A));
  double b[50], x[50];
  pl_krylov_info with, without;
  for (int i = 0; i < 50; i++) b[i] = sin(1 + i);
  for (int k = 0; k < 2; k++) {
    memset(x, 0, sizeof x);
    check_status(&env,
                 pl_gmres_quick(&env, 50, 40, apply_coarsely, &A, NULL, NULL,
                                k ? NULL : below_rounding, b, x, 1e-13, 2000, k ? &without : &with),
                 PL_UNSOLVED);
  }
  assert_true(with.residual < 1e-5 && without.residual < 1e-5);
  assert_true(with.iterations < without.iterations);
  pl_csc_free(&env, &A);
}

static int stop_at_ten(void *ctx, const pl_progress *p) {
  (void)p;
  return ++*(int *)ctx > 10;
}

static void corner_cases(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int m[3] = {5, 5, 5};
  pl_csc A, S;
  check_ok(&env, grid_laplacian(&env, m, 1, &A));
  check_ok(&env, grid_laplacian(&env, m, 0, &S));
  pl_rng r;
  pl_rng_seed(&r, 24);
  double zero[125] = {0}, *b = random_vector(&r, 125), *x = random_vector(&r, 125);
  pl_krylov_info info;
  for (int i = 0; i < 125; i++) x[i] = 1;
  check_ok(&env, pl_gmres(&env, 125, RESTART, apply, &A, NULL, NULL, zero, x, 1e-9, 10, &info));
  assert_true(pl_max_abs(125, x) == 0 && info.residual == 0);
  check_status(&env, pl_gmres(&env, 125, RESTART, apply, &A, NULL, NULL, b, x, 1e-9, 3, &info),
               PL_UNSOLVED);
  assert_int_equal(info.iterations, 3);
  check_close(info.residual, residual(&A, x, b), 1e-12);
  check_ok(&env, pl_gmres(&env, 125, RESTART, apply, &A, NULL, NULL, b, x, 1e-9, 300, &info));
  // a start that is good enough is kept as it is
  check_ok(&env, pl_gmres(&env, 125, RESTART, apply, &A, NULL, NULL, b, x, 1e-8, 300, &info));
  assert_int_equal(info.iterations, 0);

  // singular but consistent: b = S y
  double c[125];
  pl_csc_mul(&S, 1, b, 0, c);
  memset(x, 0, 125 * sizeof *x);
  check_ok(&env, pl_gmres(&env, 125, RESTART, apply, &S, NULL, NULL, c, x, 1e-9, 300, &info));
  check_less(residual(&S, x, c), 1e-9);

  int calls = 0;
  env.progress = stop_at_ten;
  env.progress_ctx = &calls;
  memset(x, 0, 125 * sizeof *x);
  check_status(&env, pl_gmres(&env, 125, RESTART, apply, &A, NULL, NULL, b, x, 1e-12, 300, &info),
               PL_CANCELLED);
  env.progress = NULL;
  double keep = b[7];
  b[7] = NAN;
  check_status(&env, pl_gmres(&env, 125, RESTART, apply, &A, NULL, NULL, b, x, 1e-9, 3, &info),
               PL_E_ARG);
  b[7] = keep;
  check_status(&env, pl_gmres(&env, 125, RESTART, apply, &A, NULL, NULL, b, x, -1, 3, &info),
               PL_E_ARG);
  check_status(&env, pl_gmres(&env, 125, 0, apply, &A, NULL, NULL, b, x, 1e-9, 9, &info), PL_E_ARG);
  free(b);
  free(x);
  pl_csc_free(&env, &A);
  pl_csc_free(&env, &S);
}

static pl_status solve_once(pl_env *env, void *ctx) {
  pl_csc *A = ctx;
  double b[125], x[125] = {0};
  pl_krylov_info info;
  for (int i = 0; i < 125; i++) b[i] = i;
  return pl_gmres(env, 125, RESTART, apply, A, NULL, NULL, b, x, 1e-8, 300, &info);
}

static void failing_allocator(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int m[3] = {5, 5, 5};
  pl_csc A;
  check_ok(&env, grid_laplacian(&env, m, 1, &A));
  check_allocations(solve_once, &A);
  pl_csc_free(&env, &A);
}

int test_krylov(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(positive_definite), cmocka_unit_test(few_eigenvalues),
      cmocka_unit_test(unsymmetric),       cmocka_unit_test(residuals_of_rounding),
      cmocka_unit_test(corner_cases),      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("sparse.krylov", tests, NULL, NULL);
}
