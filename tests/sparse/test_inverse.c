// Entries of an inverse between some unknowns: against solves with unit vectors, for all backends
// and any number of threads.
#include "check.h"
#include "problems.h"
#include "sparse_impl.h"

// every step-th of the unknowns from first to last - 1, backwards; returns their number
static int choose_some(int first, int last, int step, int *index) {
  int n = 0;
  for (int i = last - 1; i >= first; i -= step) index[n++] = i;
  return n;
}

// columns of the inverse one by one
static void by_solves(pl_env *env, pl_factor *f, int size, int n, const int *index, double *out) {
  double *x = malloc((size_t)size * sizeof *x);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < size; i++) x[i] = i == index[j];
    check_ok(env, pl_factor_solve(f, 1, x, x));
    for (int i = 0; i < n; i++) out[i * n + j] = x[index[i]];
  }
  free(x);
}

// unknowns at one end, all over, near both ends and one alone
static void check_inverse(pl_env *env, pl_factor_kind kind, const pl_csc *A, double tol) {
  int size = A->n, *index = malloc((size_t)size * sizeof *index);
  pl_factor *f;
  check_ok(env, pl_factor_create(env, kind, A, 3, 1, &f));
  check_ok(env, pl_factor_numeric(f, A));
  assert_int_equal(f->by_spare, 0);
  for (int c = 0; c < 6; c++) {
    int n = c == 0   ? choose_some(0, size / 5, 1, index)
            : c == 1 ? choose_some(0, size, 7, index)
            : c == 2 ? choose_some(size / 2, size / 2 + 1, 1, index)
            : c == 3 ? choose_some(size > 40 ? size - 40 : 0, size, 1, index)
            : c == 4 ? choose_some(0, size / 10, 2, index)
                     : choose_some(0, size, 1, index);
    if (c == 4) n += choose_some(size - size / 10, size, 1, index + n);
    size_t nn = (size_t)n * (size_t)n;
    double *got = malloc(nn * sizeof *got), *want = malloc(nn * sizeof *want);
    by_solves(env, f, size, n, index, want);
    check_ok(env, pl_factor_inverse(f, n, index, got));
    check_array((int)nn, got, want, tol * pl_max_abs((int)nn, want));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) assert_true(got[i * n + j] == got[j * n + i]);
    free(got);
    free(want);
  }
  pl_factor_free(f);
  free(index);
}

static void shift_by(pl_csc *A, double shift) {
  for (int j = 0; j < A->n; j++) A->val[A->ptr[j]] -= shift;
}

static void against_solves(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  static const int size[][3] = {{2, 2, 2}, {30, 3, 2}, {8, 8, 4}};
  for (int c = 0; c < 3; c++)
    for (int kind = 0; kind < 2; kind++) {
      pl_csc A;
      check_ok(&env, truss(&env, size[c], 1, 1, &A));
      if (kind) shift_by(&A, 0.05);
      check_inverse(&env, kind ? PL_LDL : PL_CHOLESKY, &A, kind ? 1e-10 : 1e-12);
      pl_csc_free(&env, &A);
    }
}

// two trusses that nothing connects: nothing between them
static void pieces(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_csc A, B;
  check_ok(&env, truss(&env, (const int[]){9, 3, 3}, 1, 1, &A));
  trip t = {0};
  for (int piece = 0; piece < 2; piece++)
    for (int j = 0; j < A.n; j++)
      for (int k = A.ptr[j]; k < A.ptr[j + 1]; k++)
        trip_add(&t, piece * A.n + A.row[k], piece * A.n + j, (1 + piece) * A.val[k]);
  check_ok(&env, trip_build(&env, &t, 2 * A.n, 1, &B));
  check_inverse(&env, PL_CHOLESKY, &B, 1e-12);
  pl_csc_free(&env, &A);
  pl_csc_free(&env, &B);
}

static void same_bits(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_csc A;
  check_ok(&env, truss(&env, (const int[]){24, 8, 5}, 1, 1, &A));
  for (int kind = 0; kind < 2; kind++) {
    if (kind) shift_by(&A, 0.05);
    int *index = malloc((size_t)A.n * sizeof *index), n = choose_some(0, A.n / 3, 2, index);
    size_t size = (size_t)n * (size_t)n * sizeof(double);
    double *x = malloc(size), *y = malloc(size);
    for (int nthread = 1; nthread <= 3; nthread++) {
      pl_factor *f;
      check_ok(&env, pl_factor_create(&env, kind ? PL_LDL : PL_CHOLESKY, &A, 3, nthread, &f));
      check_ok(&env, pl_factor_numeric(f, &A));
      check_ok(&env, pl_factor_inverse(f, n, index, nthread == 1 ? x : y));
      if (nthread > 1) assert_memory_equal(x, y, size);
      pl_factor_free(f);
    }
    free(index);
    free(x);
    free(y);
  }
  pl_csc_free(&env, &A);
}

static void wrong_use(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_csc A;
  double out[4];
  check_ok(&env, truss(&env, (const int[]){6, 3, 3}, 1, 1, &A));
  pl_factor *f;
  check_ok(&env, pl_factor_create(&env, PL_CHOLESKY, &A, 3, 1, &f));
  check_status(&env, pl_factor_inverse(f, 1, (const int[]){0}, out), PL_E_ARG);
  check_ok(&env, pl_factor_numeric(f, &A));
  check_status(&env, pl_factor_inverse(f, 2, (const int[]){0, A.n}, out), PL_E_ARG);
  check_status(&env, pl_factor_inverse(f, 2, (const int[]){-1, 0}, out), PL_E_ARG);
  check_ok(&env, pl_factor_inverse(f, 0, NULL, out));
  pl_factor_free(f);
  check_ok(&env, pl_factor_create(&env, PL_LU, &A, 3, 1, &f));
  check_ok(&env, pl_factor_numeric(f, &A));
  check_status(&env, pl_factor_inverse(f, 1, (const int[]){0}, out), PL_E_ARG);
  pl_factor_free(f);
  pl_csc_free(&env, &A);
}

static pl_status invert_some(pl_env *env, void *ctx) {
  const int *index = ctx;
  double out[9];
  pl_csc A = {0};
  pl_factor *f = NULL;
  pl_status s = truss(env, (const int[]){6, 3, 3}, 1, 1, &A);
  if (s == PL_OK) s = pl_factor_create(env, PL_CHOLESKY, &A, 3, 1, &f);
  if (s == PL_OK) s = pl_factor_numeric(f, &A);
  if (s == PL_OK) s = pl_factor_inverse(f, 3, index, out);
  pl_factor_free(f);
  if (A.ptr) pl_csc_free(env, &A);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(invert_some, (int[]){3, 40, 7});
}

int test_inverse(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_solves),    cmocka_unit_test(pieces),
      cmocka_unit_test(same_bits),         cmocka_unit_test(wrong_use),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("sparse.inverse", tests, NULL, NULL);
}
