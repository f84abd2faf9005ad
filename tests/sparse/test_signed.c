// LDL over the tree of fronts: signs of the pivots against eigenvalues, for any number of threads,
// and where pivots inside fronts do not suffice.
#include "check.h"
#include "lapack.h"
#include "problems.h"
#include "sparse_impl.h"

static void shift_by(pl_csc *A, double shift) {
  for (int j = 0; j < A->n; j++) A->val[A->ptr[j]] -= shift;
}

// eigenvalues, ascending; the caller frees them
static double *spectrum(const pl_csc *A) {
  int n = A->n, lwork = 1 + 6 * n + 2 * n * n, liwork = 3 + 5 * n, info;
  double *D = dense_of(A), *w = malloc((size_t)n * sizeof *w);
  double *work = malloc((size_t)lwork * sizeof *work);
  int *iwork = malloc((size_t)liwork * sizeof *iwork);
  dsyevd_("N", "L", &n, D, &n, w, work, &lwork, iwork, &liwork, &info, 1, 1);
  assert_int_equal(info, 0);
  free(D);
  free(work);
  free(iwork);
  return w;
}

static double backward_error(const pl_csc *A, const double *x, const double *b) {
  double *r = malloc((size_t)A->n * sizeof *r), most = pl_max_abs(A->nnz, A->val);
  memcpy(r, b, (size_t)A->n * sizeof *r);
  pl_csc_mul(A, -1, x, 1, r);
  double e = pl_norm(A->n, r) / (most * pl_norm(A->n, x) + pl_norm(A->n, b));
  free(r);
  return e;
}

// shifts in the midst of the spectrum, few and many negative pivots
static void counts_eigenvalues(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  static const int size[][3] = {{6, 6, 6}, {10, 6, 5}};
  for (int c = 0; c < 2; c++) {
    pl_csc A;
    check_ok(&env, truss(&env, size[c], 1, 1, &A));
    int n = A.n;
    pl_rng r;
    pl_rng_seed(&r, 1);
    double *w = spectrum(&A), *b = random_vector(&r, n), *x = random_vector(&r, n), last = 0;
    pl_factor *f;
    check_ok(&env, pl_factor_create(&env, PL_LDL, &A, 1, 1, &f));
    assert_string_equal(pl_factor_stats(f).backend, "tree");
    for (int below = 0; below <= n; below += below < 8 ? 1 : n / 12) {
      double low = below ? w[below - 1] : w[0] - 0.1, high = below < n ? w[below] : low + 1;
      if (high - low < 1e-9) continue;
      shift_by(&A, 0.5 * (low + high) - last);
      last = 0.5 * (low + high);
      check_ok(&env, pl_factor_numeric(f, &A));
      assert_int_equal(f->by_spare, 0);
      pl_factor_info info = pl_factor_stats(f);
      assert_int_equal(info.nneg, below);
      assert_int_equal(info.npos, n - below);
      assert_int_equal(info.nzero, 0);
      check_ok(&env, pl_factor_solve(f, 1, b, x));
      check_less(backward_error(&A, x, b), 1e-15);
    }
    pl_factor_free(f);
    pl_csc_free(&env, &A);
    free(w);
    free(b);
    free(x);
  }
}

// large enough for threads inside fronts; five right-hand sides together as one by one
static void same_bits(void **state) {
  (void)state;
  enum { NRHS = 5 };
  pl_env env;
  pl_env_init(&env);
  const int size[3] = {13, 12, 11};
  pl_csc A;
  check_ok(&env, truss(&env, size, 1, 1, &A));
  shift_by(&A, 0.9);
  size_t n = (size_t)A.n;
  pl_rng r;
  pl_rng_seed(&r, 2);
  double *b = random_vector(&r, NRHS * A.n), *x = random_vector(&r, NRHS * A.n),
         *y = random_vector(&r, NRHS * A.n);
  int nneg = 0;
  for (int nthread = 1; nthread <= 3; nthread++) {
    pl_factor *f;
    check_ok(&env, pl_factor_create(&env, PL_LDL, &A, 1, nthread, &f));
    check_ok(&env, pl_factor_numeric(f, &A));
    assert_string_equal(pl_factor_stats(f).backend, "tree");
    assert_int_equal(f->by_spare, 0);
    if (nthread == 1) nneg = pl_factor_stats(f).nneg;
    assert_true(nneg > 10 && pl_factor_stats(f).nneg == nneg);
    check_ok(&env, pl_factor_solve(f, NRHS, b, nthread == 1 ? x : y));
    if (nthread > 1) assert_memory_equal(x, y, NRHS * n * sizeof *x);
    for (size_t k = 0; k < NRHS; k++) {
      check_ok(&env, pl_factor_solve(f, 1, b + k * n, y));
      assert_memory_equal(x + k * n, y, n * sizeof *x);
    }
    pl_factor_free(f);
  }
  pl_csc_free(&env, &A);
  free(b);
  free(x);
  free(y);
}

// Pairs [e 1; 1 e] of unknowns far apart, e = 1e-13, in a chain of weaker links: no front has both
// of a pair from the start, the pivots e would cost 13 digits, and half of the signs are negative.
static void far_pivots(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  enum { PAIRS = 60, B = 3, N = 2 * PAIRS * B };
  pl_rng r;
  pl_rng_seed(&r, 4);
  trip t = {0};
  for (int k = 0; k < PAIRS; k++)
    for (int i = 0; i < B; i++)
      for (int j = 0; j < B; j++) {
        int a = k * B + i, far = (2 * PAIRS - 1 - k) * B, next = ((k + 1) % PAIRS) * B;
        if (j <= i) trip_add(&t, a, k * B + j, i == j ? 1e-13 : 0);
        if (j <= i) trip_add(&t, far + i, far + j, i == j ? 1e-13 : 0);
        trip_add(&t, far + i, k * B + j, i == j);
        if (k + 1 < PAIRS) trip_add(&t, next + i, k * B + j, pl_rng_uniform(&r, -1e-3, 1e-3));
      }
  pl_csc A;
  check_ok(&env, trip_build(&env, &t, N, 1, &A));
  double *b = random_vector(&r, N), *x = random_vector(&r, N);
  pl_factor *f;
  check_ok(&env, pl_factor_create(&env, PL_LDL, &A, B, 1, &f));
  for (int round = 0; round < 2; round++) {
    check_ok(&env, pl_factor_numeric(f, &A));
    assert_int_equal(pl_factor_stats(f).nneg, N / 2);
    assert_int_equal(pl_factor_stats(f).npos, N / 2);
    check_ok(&env, pl_factor_solve(f, 1, b, x));
    check_less(backward_error(&A, x, b), 1e-14);
  }
  pl_factor_free(f);
  pl_csc_free(&env, &A);
  free(b);
  free(x);
}

// a shift on an eigenvalue to rounding: the matrix counts as singular, the next one is ordinary
static void on_an_eigenvalue(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int m[3] = {9, 9, 9};
  pl_csc A;
  check_ok(&env, grid_laplacian(&env, m, 1, &A));
  double way = 4 * pow(sin(PL_PI / 20), 2);
  pl_factor *f;
  check_ok(&env, pl_factor_create(&env, PL_LDL, &A, 3, 1, &f));
  shift_by(&A, 3 * way);
  check_status(&env, pl_factor_numeric(f, &A), PL_SINGULAR);
  assert_int_equal(pl_factor_stats(f).nzero, 1);
  assert_int_equal(pl_factor_stats(f).nneg, 0);
  shift_by(&A, 1e-9);
  check_ok(&env, pl_factor_numeric(f, &A));
  assert_int_equal(pl_factor_stats(f).nneg, 1);
  shift_by(&A, -2e-9);
  check_ok(&env, pl_factor_numeric(f, &A));
  assert_int_equal(pl_factor_stats(f).nneg, 0);
  pl_factor_free(f);
  pl_csc_free(&env, &A);
}

// unknowns in units that are decades apart
static void scales(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int m[3] = {8, 7, 6};
  pl_csc A;
  check_ok(&env, truss(&env, m, 1, 1, &A));
  shift_by(&A, 0.5);
  pl_factor *f;
  check_ok(&env, pl_factor_create(&env, PL_LDL, &A, 1, 1, &f));
  check_ok(&env, pl_factor_numeric(f, &A));
  int nneg = pl_factor_stats(f).nneg;
  for (int j = 0; j < A.n; j++)
    for (int k = A.ptr[j]; k < A.ptr[j + 1]; k++)
      A.val[k] = ldexp(A.val[k], (j * 7 % 61 - 30) + (A.row[k] * 7 % 61 - 30));
  check_ok(&env, pl_factor_numeric(f, &A));
  assert_int_equal(f->by_spare, 0);
  assert_true(nneg > 10 && pl_factor_stats(f).nneg == nneg);
  pl_factor_free(f);
  pl_csc_free(&env, &A);
}

static void can_be_stopped(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int m[3] = {16, 15, 15};
  pl_csc A;
  check_ok(&env, truss(&env, m, 1, 1, &A));
  shift_by(&A, 0.1);
  check_stops(&env, PL_LDL, &A, 3, NULL);
  pl_csc_free(&env, &A);
}

int test_signed(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(counts_eigenvalues),
                                     cmocka_unit_test(same_bits),
                                     cmocka_unit_test(far_pivots),
                                     cmocka_unit_test(on_an_eigenvalue),
                                     cmocka_unit_test(scales),
                                     cmocka_unit_test(can_be_stopped)};
  return cmocka_run_group_tests_name("sparse.signed", tests, NULL, NULL);
}
