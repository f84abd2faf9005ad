// LU of matrices made of dense blocks: against dense LU, for any number of threads, and where
// pivots inside a front will not do.
#include "check.h"
#include "problems.h"
#include "lapack.h"
#include "sparse_impl.h"

#include <stdio.h>

// groups on an m x m grid, joined with all neighbours; entries of size one, diagonals larger
static pl_status blocked(pl_env *env, pl_rng *r, int m, int block, double diag, pl_csc *out) {
  trip t = {0};
  for (int i = 0; i < m * m; i++)
    for (int j = 0; j < m * m; j++) {
      if (abs(i / m - j / m) > 1 || abs(i % m - j % m) > 1) continue;
      for (int a = 0; a < block; a++)
        for (int b = 0; b < block; b++)
          trip_add(&t, i * block + a, j * block + b,
                   pl_rng_uniform(r, -1, 1) + (i == j && a == b ? diag : 0));
    }
  return trip_build(env, &t, m * m * block, 0, out);
}

static void reference(const pl_csc *A, int transposed, const double *b, double *x) {
  int n = A->n, one = 1, info, *pivot = malloc((size_t)n * sizeof *pivot);
  double *D = dense_of(A);
  memcpy(x, b, (size_t)n * sizeof *x);
  dgetrf_(&n, &n, D, &n, pivot, &info);
  assert_int_equal(info, 0);
  dgetrs_(transposed ? "T" : "N", &n, &one, D, &n, pivot, x, &n, &info, 1);
  free(D);
  free(pivot);
}

static void check_solves(pl_env *env, const pl_csc *A, pl_factor *f, double tol) {
  int n = A->n;
  pl_rng r;
  pl_rng_seed(&r, 3);
  double *b = random_vector(&r, n), *x = random_vector(&r, n), *want = random_vector(&r, n);
  for (int transposed = 0; transposed < 2; transposed++) {
    reference(A, transposed, b, want);
    check_ok(env, (transposed ? pl_factor_solve_transposed : pl_factor_solve)(f, 1, b, x));
    check_array(n, x, want, tol * pl_max_abs(n, want));
  }
  free(b);
  free(x);
  free(want);
}

// flops of Cholesky's method that eliminates order[k] k-th: squares of the columns of the factor
static int work_of(const pl_csc *G, const int *order) {
  int n = G->n, sum = 0;
  char *full = calloc((size_t)(n * n), 1);
  int *place = malloc((size_t)n * sizeof *place);
  for (int k = 0; k < n; k++) place[order[k]] = k;
  for (int j = 0; j < n; j++)
    for (int e = G->ptr[j]; e < G->ptr[j + 1]; e++) full[place[G->row[e]] * n + place[j]] = 1;
  for (int k = 0; k < n; k++) {
    int count = 0;
    for (int i = k; i < n; i++) {
      if (!full[i * n + k]) continue;
      count++;
      for (int j = k + 1; i > k && j < n; j++) full[i * n + j] |= full[j * n + k];
    }
    sum += count * count;
  }
  free(full);
  free(place);
  return sum;
}

enum { GROUPS = 150 };

// a random pattern; returns the work that several tries save
static int work_saved(unsigned seed) {
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, seed);
  trip t = {0};
  pl_csc G;
  for (int i = 0; i < GROUPS; i++) trip_add(&t, i, i, 1);
  for (int k = 0; k < 2 * GROUPS; k++) {
    int i = (int)pl_rng_uniform(&r, 0, GROUPS), j = (int)pl_rng_uniform(&r, 0, GROUPS);
    trip_add(&t, i, j, 1);
    trip_add(&t, j, i, 1);
  }
  check_ok(&env, trip_build(&env, &t, GROUPS, 0, &G));
  int once[GROUPS], often[GROUPS], again[GROUPS], seen[GROUPS] = {0};
  check_ok(&env, pl_order_often(&env, &G, 1, once));
  check_ok(&env, pl_order_often(&env, &G, 12, often));
  check_ok(&env, pl_order_often(&env, &G, 12, again));
  assert_memory_equal(often, again, sizeof again);
  for (int k = 0; k < GROUPS; k++) seen[often[k]]++;
  for (int k = 0; k < GROUPS; k++) assert_int_equal(seen[k], 1);
  int saved = work_of(&G, once) - work_of(&G, often);
  pl_csc_free(&env, &G);
  return saved;
}

// several tries give an order, the same one every time, never a worse one than the first
static void orders_of_elimination(void **state) {
  (void)state;
  int better = 0;
  for (unsigned seed = 1; seed <= 6; seed++) {
    int saved = work_saved(seed);
    assert_true(saved >= 0);
    better += saved > 0;
  }
  assert_true(better >= 3);
}

// sizes and fronts of all kinds; rows of very different size
static void against_dense(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 1);
  static const int cases[][2] = {{5, 3}, {9, 3}, {3, 11}, {8, 5}, {7, 17}, {1, 80}, {2, 40}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    pl_csc A;
    pl_factor *f;
    check_ok(&env, blocked(&env, &r, cases[c][0], cases[c][1], 4, &A));
    for (int k = 0; k < A.nnz; k++) A.val[k] *= pow(10, A.row[k] % 9 - 4);
    check_ok(&env, pl_factor_create(&env, PL_LU, &A, cases[c][1], 2, &f));
    check_ok(&env, pl_factor_numeric(f, &A));
    check_solves(&env, &A, f, 1e-10);
    pl_factor_free(f);
    pl_csc_free(&env, &A);
  }
}

static void check_bits(int side, int block) {
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 2);
  pl_csc A;
  check_ok(&env, blocked(&env, &r, side, block, 3, &A));
  size_t bytes = (size_t)A.n * sizeof(double);
  double *b = random_vector(&r, A.n), *x[2], *y[2];
  for (int k = 0; k < 2; k++) {
    x[k] = malloc(bytes);
    y[k] = malloc(bytes);
  }
  for (int nthread = 1; nthread <= 3; nthread++) {
    pl_factor *f;
    check_ok(&env, pl_factor_create(&env, PL_LU, &A, block, nthread, &f));
    check_ok(&env, pl_factor_numeric(f, &A));
    check_ok(&env, pl_factor_solve(f, 1, b, y[0]));
    check_ok(&env, pl_factor_solve_transposed(f, 1, b, y[1]));
    for (int k = 0; k < 2; k++)
      if (nthread == 1)
        memcpy(x[k], y[k], bytes);
      else
        assert_memory_equal(x[k], y[k], bytes);
    pl_factor_free(f);
  }
  for (int k = 0; k < 2; k++) {
    free(x[k]);
    free(y[k]);
  }
  free(b);
  pl_csc_free(&env, &A);
}

// the second has fronts that threads share in factorisations and solves
static void same_bits(void **state) {
  (void)state;
  check_bits(14, 7);
  check_bits(9, 90);
}

// diagonal blocks without a value: rows of other fronts must serve as pivots, by another solver;
// the next matrix is ordinary again
static void pivots_elsewhere(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 4);
  pl_csc A;
  pl_factor *f;
  check_ok(&env, blocked(&env, &r, 10, 3, 4, &A));
  double *keep = malloc((size_t)A.nnz * sizeof *keep);
  memcpy(keep, A.val, (size_t)A.nnz * sizeof *keep);
  check_ok(&env, pl_factor_create(&env, PL_LU, &A, 3, 1, &f));
  for (int round = 0; round < 3; round++) {
    for (int j = 0; round == 1 && j < A.n; j++)
      for (int k = A.ptr[j]; k < A.ptr[j + 1]; k++)
        if (A.row[k] / 3 == j / 3) A.val[k] *= 1e-14;
    if (round == 2) memcpy(A.val, keep, (size_t)A.nnz * sizeof *keep);
    check_ok(&env, pl_factor_numeric(f, &A));
    check_solves(&env, &A, f, 1e-9);
    assert_int_equal(pl_factor_stats(f).nnumeric, round + 1);
  }
  memset(A.val, 0, (size_t)A.nnz * sizeof *keep);
  check_status(&env, pl_factor_numeric(f, &A), PL_SINGULAR);
  pl_factor_free(f);
  pl_csc_free(&env, &A);
  free(keep);
}

static void stopped(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 6);
  pl_csc A;
  check_ok(&env, blocked(&env, &r, 12, 40, 8, &A));
  check_stops(&env, PL_LU, &A, 40);
  pl_csc_free(&env, &A);
}

static pl_status factor_blocked(pl_env *env, void *ctx) {
  (void)ctx;
  pl_rng r;
  pl_rng_seed(&r, 5);
  pl_csc A;
  pl_factor *f = NULL;
  pl_status s = blocked(env, &r, 6, 3, 4, &A);
  if (s == PL_OK) s = pl_factor_create(env, PL_LU, &A, 3, 2, &f);
  if (s == PL_OK) s = pl_factor_numeric(f, &A);
  pl_factor_free(f);
  if (A.ptr) pl_csc_free(env, &A);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(factor_blocked, NULL);
}

int test_fronts(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_of_elimination),
      cmocka_unit_test(against_dense),
      cmocka_unit_test(same_bits),
      cmocka_unit_test(pivots_elsewhere),
      cmocka_unit_test(stopped),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("sparse.fronts", tests, NULL, NULL);
}
