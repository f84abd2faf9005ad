#include "check.h"
#include "problems.h"

#include <stdio.h>

static const char *const path = "test_sparse.mtx.tmp";

static pl_status read_text(pl_env *env, const char *text, size_t size, pl_csc *out) {
  check_ok(env, pl_file_write(env, path, text, size));
  int n, ntrip, *row, *col;
  double *val;
  *out = (pl_csc){0};
  pl_status s = pl_csc_read_mtx(env, path, &n, &ntrip, &row, &col, &val);
  remove(path);
  if (s != PL_OK) {
    assert_null(row);
    assert_null(col);
    assert_null(val);
    return s;
  }
  s = pl_csc_from_triplets(env, n, 0, ntrip, row, col, val, out);
  pl_free(env, row);
  pl_free(env, col);
  pl_free(env, val);
  return s;
}

// every digit of a matrix as a file
static pl_status write_digits(pl_env *env, const pl_csc *A) {
  pl_text t;
  pl_text_init(&t, env);
  pl_text_add(&t, "%%%%MatrixMarket matrix coordinate real %s\n%d %d %d\n",
              A->sym ? "symmetric" : "general", A->n, A->n, A->nnz);
  for (pl_entry e = {.k = -1}; pl_csc_next(A, &e);)
    pl_text_add(&t, "%d %d %.17g\n", e.i + 1, e.j + 1, A->val[e.k]);
  pl_status s = t.failed ? PL_E_NOMEM : pl_file_write(env, path, t.s, t.n);
  pl_text_free(&t);
  return s;
}

static void all_digits(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 4);
  for (int n = 0; n <= 30; n += 5)
    for (int sym = 0; sym < 2; sym++) {
      pl_csc A, F, B;
      check_ok(&env, random_sparse(&env, &r, n, sym, 2, 1e-300, &A));
      for (int k = 0; k < A.nnz; k++) A.val[k] *= pow(10, pl_rng_uniform(&r, -200, 200));
      check_ok(&env, write_digits(&env, &A));
      int nn, ntrip, *row, *col;
      double *val;
      check_ok(&env, pl_csc_read_mtx(&env, path, &nn, &ntrip, &row, &col, &val));
      remove(path);
      // all entries come back, also the mirrored half, to the bit
      check_ok(&env, pl_csc_from_triplets(&env, nn, 0, ntrip, row, col, val, &B));
      check_ok(&env, pl_csc_expand(&env, &A, &F, NULL));
      assert_int_equal(B.n, n);
      assert_int_equal(B.nnz, F.nnz);
      assert_memory_equal(B.row, F.row, (size_t)F.nnz * sizeof *F.row);
      assert_memory_equal(B.val, F.val, (size_t)F.nnz * sizeof *F.val);
      pl_free(&env, row);
      pl_free(&env, col);
      pl_free(&env, val);
      pl_csc_free(&env, &A);
      pl_csc_free(&env, &B);
      pl_csc_free(&env, &F);
    }
}

static void accepted_forms(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  // [1 2; 2 -3.5] in every form that is allowed
  const char *const forms[] = {
      "%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 2 4\n1 1 1\n1 2 2\n2 1 2\n2 "
      "2 -3.5",
      "%%MatrixMarket MATRIX Coordinate Real SYMMETRIC\r\n2 2 3\r\n1 1 1.0e0\r\n2 1 2\r\n2 2 "
      "-35e-1\r\n\r\n",
      "%%matrixmarket matrix array real general\n2 2\n1\n2\n2\n-3.5\n",
      "%%MatrixMarket matrix array real symmetric\n%\n2 2\n 1\n\t2 \n\n-3.5\n% the end\n",
      "%%MatrixMarket matrix coordinate real general\n2 2 5\n2 2 -3\n1 1 1\n1 2 2\n2 1 2\n2 2 "
      "-0.5\n",
  };
  const double want[4] = {1, 2, 2, -3.5};
  for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
    pl_csc A;
    check_ok(&env, read_text(&env, forms[k], strlen(forms[k]), &A));
    double *D = dense_of(&A);
    assert_int_equal(A.n, 2);
    check_array(4, D, want, 0);
    free(D);
    pl_csc_free(&env, &A);
  }
  pl_csc A;
  const char *empty = "%%MatrixMarket matrix coordinate integer general\n0 0 0\n";
  check_ok(&env, read_text(&env, empty, strlen(empty), &A));
  assert_int_equal(A.n, 0);
  pl_csc_free(&env, &A);
}

static void hostile_files(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
#define G "%%MatrixMarket matrix coordinate real general\n"
#define S "%%MatrixMarket matrix coordinate real symmetric\n"
  static const struct {
    const char *text;
    int line; // where the error must be seen
  } bad[] = {
      {"", 1},
      {"\n\n\n", 1},
      {"1 2 3\n", 1},
      {"%%MatrixMarket\n", 1},
      {"%%MatrixMarket vector coordinate real general\n1 1 1\n1 1 1\n", 1},
      {"%%MatrixMarket matrix sparse real general\n1 1 1\n1 1 1\n", 1},
      {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", 1},
      {"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", 1},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 0\n", 1},
      {"%%MatrixMarket matrix coordinate real general extra\n1 1 0\n", 1},
      {G, 2},
      {G "% only comments\n", 3},
      {G "2 3 1\n1 1 1\n", 2},
      {G "2\n", 2},
      {G "2 2\n", 2},
      {G "two 2 1\n1 1 1\n", 2},
      {G "-2 -2 0\n", 2},
      {G "2000000000 2000000000 1\n1 1 1\n", 2},
      {G "99999999999999999999999 99999999999999999999999 1\n1 1 1\n", 2},
      {G "2 2 1000000000\n1 1 1\n", 2},
      {G "2 2 -1\n", 2},
      {G "2 2 2\n1 1 1\n", 2},
      {G "2 2 2\n1 1 1           \n", 4},
      {G "2 2 1\n0 1 1\n", 3},
      {G "2 2 1\n1 3 1\n", 3},
      {G "2 2 1\n1 1 nan\n", 3},
      {G "2 2 1\n1 1 1e999\n", 3},
      {G "2 2 1\n1 1 1,5\n", 3},
      {G "2 2 1\n1 1 1 1\n", 3},
      {G "2 2 1\n1.5 1 1\n", 3},
      {G "2 2 1\n1 1\n1\n", 3},
      {G "2 2 1\n% fine\n1 1 1\n1 2 1\n", 5},
      {S "2 2 1\n1 2 1\n", 3},
      {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", 2},
      {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n5\n", 7},
      {"%%MatrixMarket matrix array real general\n4000000 4000000\n1\n", 2},
  };
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    pl_csc A;
    pl_status s = read_text(&env, bad[k].text, strlen(bad[k].text), &A);
    if (s != PL_E_INPUT || env.error.line != bad[k].line)
      print_error("case %zu: line %d, '%s'\n", k, env.error.line, env.error.text);
    assert_int_equal(s, PL_E_INPUT);
    assert_int_equal(env.error.line, bad[k].line);
    assert_string_equal(env.error.file, path);
  }
  int n, ntrip, *row, *col;
  double *val;
  check_status(&env, pl_csc_read_mtx(&env, "no/such.mtx", &n, &ntrip, &row, &col, &val), PL_E_IO);
}

// cut at every length, and with every byte damaged: an answer, never a crash or a leak
static void damaged_files(void **state) {
  (void)state;
  pl_env env;
  failing_alloc f;
  pl_env_init(&env);
  failing_alloc_install(&env, &f, -1);
  const char text[] = S "3 3 4\n1 1 2.5\n2 1 -1\n3 2 1e-3\n3 3 4\n";
  size_t size = sizeof text - 1;
  const char bytes[] = {0, '\n', ' ', '%', '9', '-', '.', 'e', (char)0xff};
  for (size_t at = 0; at < size; at++) {
    pl_csc A;
    if (read_text(&env, text, at, &A) == PL_OK) pl_csc_free(&env, &A);
    for (size_t b = 0; b < sizeof bytes; b++) {
      char copy[sizeof text];
      memcpy(copy, text, sizeof text);
      copy[at] = bytes[b];
      if (read_text(&env, copy, size, &A) == PL_OK) pl_csc_free(&env, &A);
    }
    assert_int_equal(f.live, 0);
  }
}

static pl_status read_matrix(pl_env *env, void *ctx) {
  (void)ctx;
  const int m[3] = {4, 3, 2};
  pl_csc A = {0};
  int n, ntrip, *row = NULL, *col = NULL;
  double *val = NULL;
  pl_status s = grid_laplacian(env, m, 1, &A);
  if (s == PL_OK) s = write_digits(env, &A);
  if (s == PL_OK) s = pl_csc_read_mtx(env, path, &n, &ntrip, &row, &col, &val);
  pl_free(env, row);
  pl_free(env, col);
  pl_free(env, val);
  pl_csc_free(env, &A);
  remove(path);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(read_matrix, NULL);
}

int test_mtx(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_digits),        cmocka_unit_test(accepted_forms),
      cmocka_unit_test(hostile_files),     cmocka_unit_test(damaged_files),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("sparse.mtx", tests, NULL, NULL);
}
