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

// the same matrix by blocks, with its values; the pattern is the caller's to free
static pl_blocks by_blocks(pl_env *env, const pl_csc *A, int block, pl_csc *P) {
  check_ok(env, pl_compress_blocks(env, A, block, P));
  return (pl_blocks){.P = P, .size = block, .val = A->val};
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

// products, borders and diagonals of blocks against the same matrix by entries
static void blocks_as_entries(void **state) {
  (void)state;
  enum { M = 4, SIZE = 11, N = M * M * SIZE };
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 7);
  pl_csc A, P, flat = {0}, wide = {0};
  pl_threads *threads;
  check_ok(&env, pl_threads_create(&env, 2, &threads));
  check_ok(&env, blocked(&env, &r, M, SIZE, 2, &A));
  pl_blocks B = by_blocks(&env, &A, SIZE, &P);
  double *x = random_vector(&r, N + 1), *y = random_vector(&r, N), *want = random_vector(&r, N + 1);
  double *part = random_vector(&r, PL_SHARES * N), *one = random_vector(&r, N);
  double *dense = calloc((size_t)N * N, sizeof *dense), *entries = dense_of(&A);
  for (int how = 0; how < 4; how++) {
    pl_blocks_mul(&B, how, threads, x, part, y);
    pl_blocks_mul(&B, how, NULL, x, part, one);
    assert_memory_equal(y, one, N * sizeof *y);
    for (int i = 0; i < N; i++) {
      want[i] = 0;
      for (int j = 0; j < N; j++) {
        double v = x[j] * entries[how & PL_TRANSPOSED ? i * N + j : j * N + i];
        want[i] += how & PL_ABSOLUTE ? fabs(v) : v;
      }
    }
    check_array(N, y, want, 1e-13);
  }
  pl_blocks_dense(&B, N, dense);
  assert_memory_equal(dense, entries, (size_t)N * N * sizeof *dense);
  check_ok(&env, pl_blocks_flat(&env, &B, NULL, NULL, 0, &flat));
  assert_memory_equal(flat.row, A.row, (size_t)A.nnz * sizeof *A.row);
  assert_memory_equal(flat.val, A.val, (size_t)A.nnz * sizeof *A.val);
  check_ok(&env, pl_blocks_flat(&env, &B, y, one, 0.5, &wide));
  double *all = dense_of(&wide);
  for (int j = 0; j <= N; j++)
    for (int i = 0; i <= N; i++)
      check_close(all[j * (N + 1) + i],
                  i < N && j < N ? entries[j * N + i]
                  : i < N        ? y[i]
                  : j < N        ? one[j]
                                 : 0.5,
                  0);
  check_close(pl_blocks_max(&B, threads), pl_max_abs(A.nnz, A.val), 0);
  pl_blocks_shift(&B, 0.1, want);
  for (int j = 0; j < N; j++) {
    check_close(want[j], entries[j * N + j], 0);
    double by = 0.1 * pl_max_abs(N, entries + j * N);
    check_close(A.val[pl_csc_find(&A, j, j)], want[j] + by, 1e-15);
  }
  pl_blocks_set_diagonal(&B, want);
  assert_memory_equal(flat.val, A.val, (size_t)A.nnz * sizeof *A.val);
  assert_true(pl_blocks_finite(&B));
  A.val[A.nnz - 1] = NAN;
  assert_false(pl_blocks_finite(&B));
  double *arrays[] = {x, y, want, part, one, dense, entries, all};
  for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) free(arrays[k]);
  pl_csc *matrices[] = {&A, &P, &flat, &wide};
  for (size_t k = 0; k < sizeof matrices / sizeof matrices[0]; k++) pl_csc_free(&env, matrices[k]);
  pl_threads_free(threads);
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
    pl_csc A, P;
    pl_factor *f;
    check_ok(&env, blocked(&env, &r, cases[c][0], cases[c][1], 4, &A));
    for (int k = 0; k < A.nnz; k++) A.val[k] *= pow(10, A.row[k] % 9 - 4);
    pl_blocks B = by_blocks(&env, &A, cases[c][1], &P);
    check_ok(&env, pl_factor_create_blocks(&env, &B, 2, &f));
    check_ok(&env, pl_factor_numeric_blocks(f, &B));
    check_solves(&env, &A, f, 1e-10);
    pl_factor_free(f);
    pl_csc_free(&env, &A);
    pl_csc_free(&env, &P);
  }
}

static void check_bits(int side, int block) {
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 2);
  pl_csc A, P;
  check_ok(&env, blocked(&env, &r, side, block, 3, &A));
  pl_blocks B = by_blocks(&env, &A, block, &P);
  size_t bytes = (size_t)A.n * sizeof(double);
  double *b = random_vector(&r, A.n), *x[2], *y[2];
  for (int k = 0; k < 2; k++) {
    x[k] = malloc(bytes);
    y[k] = malloc(bytes);
  }
  pl_threads *shared;
  check_ok(&env, pl_threads_create(&env, 2, &shared));
  // at last on the caller's pool
  for (int nthread = 1; nthread <= 4; nthread++) {
    pl_factor *f;
    check_ok(&env, nthread < 4 ? pl_factor_create_blocks(&env, &B, nthread, &f)
                               : pl_factor_create_blocks_on(&env, &B, shared, &f));
    check_ok(&env, pl_factor_numeric_blocks(f, &B));
    check_ok(&env, pl_factor_solve(f, 1, b, y[0]));
    check_ok(&env, pl_factor_solve_transposed(f, 1, b, y[1]));
    for (int k = 0; k < 2; k++)
      if (nthread == 1)
        memcpy(x[k], y[k], bytes);
      else
        assert_memory_equal(x[k], y[k], bytes);
    pl_factor_free(f);
  }
  pl_threads_free(shared);
  for (int k = 0; k < 2; k++) {
    free(x[k]);
    free(y[k]);
  }
  free(b);
  pl_csc_free(&env, &A);
  pl_csc_free(&env, &P);
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
  pl_csc A, P;
  pl_factor *f;
  check_ok(&env, blocked(&env, &r, 10, 3, 4, &A));
  pl_blocks B = by_blocks(&env, &A, 3, &P);
  double *keep = malloc((size_t)A.nnz * sizeof *keep);
  memcpy(keep, A.val, (size_t)A.nnz * sizeof *keep);
  check_ok(&env, pl_factor_create_blocks(&env, &B, 1, &f));
  for (int round = 0; round < 3; round++) {
    for (int j = 0; round == 1 && j < A.n; j++)
      for (int k = A.ptr[j]; k < A.ptr[j + 1]; k++)
        if (A.row[k] / 3 == j / 3) A.val[k] *= 1e-14;
    if (round == 2) memcpy(A.val, keep, (size_t)A.nnz * sizeof *keep);
    check_ok(&env, pl_factor_numeric_blocks(f, &B));
    check_solves(&env, &A, f, 1e-9);
    assert_int_equal(pl_factor_stats(f).nnumeric, round + 1);
  }
  memset(A.val, 0, (size_t)A.nnz * sizeof *keep);
  check_status(&env, pl_factor_numeric_blocks(f, &B), PL_SINGULAR);
  A.val[7] = NAN;
  check_status(&env, pl_factor_numeric_blocks(f, &B), PL_E_ARG);
  pl_factor_free(f);
  pl_csc_free(&env, &A);
  pl_csc_free(&env, &P);
  free(keep);
}

static void stopped(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 6);
  pl_csc A, P;
  check_ok(&env, blocked(&env, &r, 12, 40, 8, &A));
  pl_blocks B = by_blocks(&env, &A, 40, &P);
  check_stops(&env, PL_LU, NULL, 0, &B);
  pl_csc_free(&env, &A);
  pl_csc_free(&env, &P);
}

static pl_status factor_blocked(pl_env *env, void *ctx) {
  (void)ctx;
  pl_rng r;
  pl_rng_seed(&r, 5);
  pl_csc A, P = {0};
  pl_factor *f = NULL;
  pl_status s = blocked(env, &r, 6, 3, 4, &A);
  if (s == PL_OK) s = pl_compress_blocks(env, &A, 3, &P);
  pl_blocks B = {.P = &P, .size = 3, .val = A.val};
  if (s == PL_OK) s = pl_factor_create_blocks(env, &B, 2, &f);
  if (s == PL_OK) s = pl_factor_numeric_blocks(f, &B);
  pl_factor_free(f);
  if (A.ptr) pl_csc_free(env, &A);
  pl_csc_free(env, &P);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(factor_blocked, NULL);
}

int test_fronts(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_of_elimination), cmocka_unit_test(blocks_as_entries),
      cmocka_unit_test(against_dense),         cmocka_unit_test(same_bits),
      cmocka_unit_test(pivots_elsewhere),      cmocka_unit_test(stopped),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("sparse.fronts", tests, NULL, NULL);
}
