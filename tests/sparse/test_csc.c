#include "check.h"
#include "problems.h"

// random stencils of 1..8 unknowns out of n, some of them missing
typedef struct stencils {
  int n, nstencil;
  int *ptr, *dof;
} stencils;

static stencils random_stencils(pl_rng *r, int n, int nstencil) {
  stencils s = {.n = n, .nstencil = nstencil};
  s.ptr = calloc((size_t)nstencil + 1, sizeof *s.ptr);
  s.dof = calloc(8 * (size_t)nstencil + 1, sizeof *s.dof);
  for (int k = 0; k < nstencil; k++) {
    int m = (int)pl_rng_uniform(r, 0, 9), at = s.ptr[k];
    for (int a = 0; a < m; a++) {
      int i = (int)pl_rng_uniform(r, -1.5, n);
      for (int b = s.ptr[k]; b < at; b++)
        if (s.dof[b] == i) i = -1;
      s.dof[at++] = i;
    }
    s.ptr[k + 1] = at;
  }
  return s;
}

static void stencils_free(stencils *s) {
  free(s->ptr);
  free(s->dof);
}

static void check_structure(const pl_csc *A) {
  assert_int_equal(A->ptr[0], 0);
  assert_int_equal(A->ptr[A->n], A->nnz);
  for (int j = 0; j < A->n; j++)
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
      assert_true(A->row[k] >= (A->sym ? j : 0) && A->row[k] < A->n);
      if (k > A->ptr[j]) assert_true(A->row[k] > A->row[k - 1]);
      assert_int_equal(pl_csc_find(A, A->row[k], j), k);
    }
}

// scatter random element matrices through the slots and into a dense matrix
static void check_assembly(pl_env *env, pl_rng *r, const stencils *s, int sym) {
  int n = s->n;
  pl_csc A;
  int *slot;
  check_ok(env, pl_csc_from_stencils(env, n, sym, s->nstencil, s->ptr, s->dof, &A, &slot));
  check_structure(&A);
  double *D = calloc((size_t)(n * n) + 1, sizeof *D);
  int *present = calloc((size_t)(n * n) + 1, sizeof *present);
  for (int i = 0; i < n; i++) present[i * n + i] = 1;
  const int *at = slot;
  for (int k = 0; k < s->nstencil; k++) {
    int m = s->ptr[k + 1] - s->ptr[k];
    for (int a = 0; a < m; a++)
      for (int b = 0; b < (sym ? a + 1 : m); b++) {
        int i = s->dof[s->ptr[k] + a], j = s->dof[s->ptr[k] + b];
        double v = pl_rng_uniform(r, -1, 1);
        assert_true(*at >= 0 && *at <= A.nnz);
        if (i < 0 || j < 0) assert_int_equal(*at, A.nnz);
        A.val[*at++] += v;
        if (i < 0 || j < 0) continue;
        D[j * n + i] += v;
        present[j * n + i] = 1;
        if (!sym || i == j) continue;
        D[i * n + j] += v;
        present[i * n + j] = 1;
      }
  }
  // same values, and exactly the present entries and the diagonal are stored
  double *B = dense_of(&A);
  check_array(n * n, B, D, 1e-15);
  int count = 0;
  for (int j = 0; j < n; j++)
    for (int i = sym ? j : 0; i < n; i++) count += present[j * n + i];
  assert_int_equal(A.nnz, count);
  free(B);
  free(D);
  free(present);
  pl_free(env, slot);
  pl_csc_free(env, &A);
}

static void stencils_against_dense(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 1);
  for (int n = 0; n <= 60; n++)
    for (int sym = 0; sym < 2; sym++) {
      stencils s = random_stencils(&r, n, n == 0 ? 0 : (int)pl_rng_uniform(&r, 0, 40));
      check_assembly(&env, &r, &s, sym);
      stencils_free(&s);
    }
}

static void stencils_refused(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_csc A;
  int *slot;
  const int ptr[3] = {0, 2, 4}, out[4] = {0, 1, 2, 3}, twice[4] = {0, 1, 2, 2},
            low[4] = {0, -2, 1, 2};
  check_status(&env, pl_csc_from_stencils(&env, 3, 1, 2, ptr, out, &A, &slot), PL_E_ARG);
  check_status(&env, pl_csc_from_stencils(&env, 3, 1, 2, ptr, twice, &A, &slot), PL_E_ARG);
  check_status(&env, pl_csc_from_stencils(&env, 3, 0, 2, ptr, low, &A, &slot), PL_E_ARG);
  check_status(&env, pl_csc_from_stencils(&env, -1, 0, 0, ptr, out, &A, &slot), PL_E_ARG);
  const int backwards[3] = {0, 2, 1};
  check_status(&env, pl_csc_from_stencils(&env, 4, 1, 2, backwards, out, &A, &slot), PL_E_ARG);
  assert_null(A.ptr);
  assert_null(slot);
}

// a A x + b y against sums over the dense matrix
static void check_products(pl_rng *r, const pl_csc *A, const double *D) {
  int n = A->n;
  double *x = random_vector(r, n), *y = random_vector(r, n), *z = random_vector(r, n),
         *got = random_vector(r, n);
  for (int b = 0; b < 2; b++) {
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += D[j * n + i] * x[j];
      z[i] = -2 * sum + 0.5 * b * y[i];
      got[i] = b ? y[i] : NAN; // b = 0 must overwrite
    }
    pl_csc_mul(A, -2, x, 0.5 * b, got);
    check_array(n, got, z, 1e-13);
  }
  free(x);
  free(y);
  free(z);
  free(got);
}

static void triplets_and_products(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 2);
  for (int n = 1; n <= 40; n++)
    for (int sym = 0; sym < 2; sym++) {
      int ntrip = 5 * n;
      int row[200], col[200];
      double val[200], *D = calloc((size_t)(n * n), sizeof *D);
      for (int k = 0; k < ntrip; k++) {
        int i = row[k] = (int)pl_rng_uniform(&r, 0, n), j = col[k] = (int)pl_rng_uniform(&r, 0, n);
        double v = val[k] = pl_rng_uniform(&r, -1, 1);
        D[j * n + i] += v;
        if (sym && i != j) D[i * n + j] += v;
      }
      pl_csc A, F;
      int *map;
      check_ok(&env, pl_csc_from_triplets(&env, n, sym, ntrip, row, col, val, &A));
      check_structure(&A);
      double *B = dense_of(&A);
      check_array(n * n, B, D, 1e-14);

      // the expanded matrix is the same, and its map leads back
      check_ok(&env, pl_csc_expand(&env, &A, &F, &map));
      check_structure(&F);
      assert_int_equal(F.sym, 0);
      double *E = dense_of(&F);
      check_array(n * n, E, B, 0);
      for (int k = 0; k < F.nnz; k++) assert_true(F.val[k] == A.val[map[k]]);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
          int k = pl_csc_find(&A, i, j);
          assert_true((k < 0 ? 0 : A.val[k]) == B[j * n + i]);
        }

      check_products(&r, &A, D);
      free(B);
      free(D);
      free(E);
      pl_free(&env, map);
      pl_csc_free(&env, &A);
      pl_csc_free(&env, &F);
    }
  pl_csc A;
  const int bad[1] = {3};
  const double v[1] = {1};
  check_status(&env, pl_csc_from_triplets(&env, 3, 0, 1, bad, bad, v, &A), PL_E_ARG);
  assert_null(A.val);
}

static pl_status build_all(pl_env *env, void *ctx) {
  stencils *s = ctx;
  pl_csc A = {0}, B = {0}, F = {0}, G = {0};
  int *slot = NULL, *map = NULL;
  pl_status st = pl_csc_from_stencils(env, s->n, 1, s->nstencil, s->ptr, s->dof, &A, &slot);
  if (st == PL_OK) st = pl_csc_copy(env, &A, &B);
  if (st == PL_OK) st = pl_csc_expand(env, &B, &F, &map);
  if (st == PL_OK) st = pl_csc_expand(env, &F, &G, NULL);
  pl_free(env, slot);
  pl_free(env, map);
  pl_csc_free(env, &A);
  pl_csc_free(env, &B);
  pl_csc_free(env, &F);
  pl_csc_free(env, &G);
  return st;
}

static void failing_allocator(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 3);
  stencils s = random_stencils(&r, 20, 15);
  check_allocations(build_all, &s);
  stencils_free(&s);
}

// on threads: to rounding the plain product, in the same bits for any number of them; patterns with
// long columns and empty ones, larger than the parts that threads take
static void shared_products(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  enum { N = 9000 };
  for (int c = 0; c < 3; c++) {
    trip t = {0};
    pl_rng r;
    pl_rng_seed(&r, 7);
    for (int i = 0; i < N; i++) {
      if (c != 1 || i % 3) trip_add(&t, i, i, pl_rng_uniform(&r, -1, 1));
      if (c == 2 && i > 0) trip_add(&t, i, 0, pl_rng_uniform(&r, -1, 1));
      for (int k = 0; k < 20; k++) {
        int j = c == 0 && i > 100 ? i - 1 - k : (int)pl_rng_uniform(&r, 0, i + 1);
        if (j >= 0) trip_add(&t, i, j, pl_rng_uniform(&r, -1, 1));
      }
    }
    pl_csc A;
    check_ok(&env, trip_build(&env, &t, N, 1, &A));
    double *x = random_vector(&r, N), *want = random_vector(&r, N), *y = random_vector(&r, N),
           *first = random_vector(&r, N), *start = random_vector(&r, N);
    pl_mul *m;
    check_ok(&env, pl_mul_create(&env, &A, &m));
    for (int b = 0; b < 2; b++) {
      memcpy(want, start, N * sizeof *want);
      pl_csc_mul(&A, 2, x, b, want);
      for (int nthread = 1; nthread <= 3; nthread++) {
        pl_threads *threads;
        check_ok(&env, pl_threads_create(&env, nthread, &threads));
        memcpy(y, start, N * sizeof *y);
        pl_mul_run(m, threads, &A, 2, x, b, y);
        check_array(N, y, want, 1e-13 * pl_max_abs(N, want));
        if (nthread > 1) assert_memory_equal(y, first, N * sizeof *y);
        memcpy(first, y, N * sizeof *y);
        pl_threads_free(threads);
      }
    }
    pl_mul_free(m);
    pl_csc_free(&env, &A);
    free(x);
    free(y);
    free(want);
    free(first);
    free(start);
  }
}

// blocks as the triplets of their entries; entries one after another, also past empty columns
static void from_blocks(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  enum { N = 4, NBLOCK = 7 };
  const int row[NBLOCK] = {0, 2, 1, 3, 2, 3, 3}, col[NBLOCK] = {0, 0, 1, 1, 2, 2, 3};
  for (int size = 1; size <= 3; size++) {
    pl_csc A, B;
    int *slot, n = 0;
    trip t = {0};
    check_ok(&env, pl_csc_from_blocks(&env, N, size, NBLOCK, row, col, &A, &slot));
    for (int k = 0; k < A.nnz; k++) A.val[k] = k + 1;
    for (int b = 0; b < NBLOCK; b++)
      for (int r = 0; r < size; r++)
        for (int c = 0; c < size; c++) {
          int at = slot[(b * size + r) * size + c];
          assert_int_equal(at < 0, row[b] == col[b] && r < c);
          if (at >= 0) trip_add(&t, size * row[b] + r, size * col[b] + c, at + 1);
        }
    check_ok(&env, trip_build(&env, &t, N * size, 1, &B));
    assert_int_equal(A.nnz, B.nnz);
    assert_memory_equal(A.ptr, B.ptr, (size_t)(A.n + 1) * sizeof *A.ptr);
    assert_memory_equal(A.row, B.row, (size_t)A.nnz * sizeof *A.row);
    check_array(A.nnz, A.val, B.val, 0);
    for (pl_entry e = {.k = -1}; pl_csc_next(&A, &e); n++) {
      assert_int_equal(pl_csc_find(&A, e.i, e.j), e.k);
      if (e.i == e.j) assert_ptr_equal(pl_csc_diagonal(&A, e.j), A.val + e.k);
    }
    assert_int_equal(n, A.nnz);
    pl_free(&env, slot);
    pl_csc_free(&env, &A);
    pl_csc_free(&env, &B);
  }
  pl_csc A;
  trip t = {0};
  trip_add(&t, 1, 3, 5);
  check_ok(&env, trip_build(&env, &t, 6, 0, &A));
  pl_entry e = {.k = -1};
  assert_true(pl_csc_next(&A, &e) && e.i == 1 && e.j == 3 && e.k == 0);
  assert_false(pl_csc_next(&A, &e));
  pl_csc_free(&env, &A);
}

int test_csc(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stencils_against_dense), cmocka_unit_test(stencils_refused),
      cmocka_unit_test(triplets_and_products),  cmocka_unit_test(shared_products),
      cmocka_unit_test(failing_allocator),      cmocka_unit_test(from_blocks),
  };
  return cmocka_run_group_tests_name("sparse.csc", tests, NULL, NULL);
}
