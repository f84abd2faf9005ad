#include "check.h"
#include "problems.h"
#include "lapack.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static const pl_factor_kind kinds[3] = {PL_CHOLESKY, PL_LDL, PL_LU};

// x = A^-1 b (or A'^-1 b) by dense LU with partial pivoting
static void reference_solve(const pl_csc *A, int transposed, int nrhs, const double *b, double *x) {
  int n = A->n, info, *pivot = malloc((size_t)n * sizeof *pivot);
  double *D = dense_of(A);
  memcpy(x, b, (size_t)(n * nrhs) * sizeof *x);
  dgetrf_(&n, &n, D, &n, pivot, &info);
  assert_int_equal(info, 0);
  dgetrs_(transposed ? "T" : "N", &n, &nrhs, D, &n, pivot, x, &n, &info, 1);
  free(D);
  free(pivot);
}

// |b - A x| in proportion to |A| |x| + |b|, the measure that any stable solver keeps near eps
static double backward_error(const pl_csc *A, const double *x, const double *b) {
  double *r = malloc((size_t)A->n * sizeof *r), most = pl_max_abs(A->nnz, A->val);
  memcpy(r, b, (size_t)A->n * sizeof *r);
  pl_csc_mul(A, -1, x, 1, r);
  double e = pl_norm(A->n, r) / (most * pl_norm(A->n, x) + pl_norm(A->n, b));
  free(r);
  return e;
}

// a matrix that suits the kind: positive definite, indefinite, unsymmetric
static pl_status matrix_for(pl_env *env, pl_rng *r, pl_factor_kind kind, int n, pl_csc *out) {
  double diag = kind == PL_CHOLESKY ? 8 : kind == PL_LU ? 1.5 : 0.3;
  pl_status s = random_sparse(env, r, n, kind != PL_LU, 3, diag, out);
  if (s == PL_OK && kind == PL_LDL)
    for (int i = 0; i < n; i += 2) out->val[out->ptr[i]] -= 6;
  return s;
}

static void check_against_dense(pl_env *env, pl_rng *r, pl_factor_kind kind, const pl_csc *A) {
  enum { NRHS = 3 };
  int n = A->n;
  double *b = random_vector(r, NRHS * n), *x = random_vector(r, NRHS * n),
         *want = random_vector(r, NRHS * n);
  pl_factor *f;
  check_ok(env, pl_factor_create(env, kind, A, 1, 1, &f));
  check_ok(env, pl_factor_numeric(f, A));
  for (int transposed = 0; transposed < 2; transposed++)
    for (int nrhs = 1; nrhs <= NRHS; nrhs++) {
      reference_solve(A, transposed, nrhs, b, want);
      double tol = 1e-9 * fmax(1, pl_max_abs(nrhs * n, want)); // random: condition up to 1e5
      pl_status (*solve)(pl_factor *, int, const double *, double *) =
          transposed ? pl_factor_solve_transposed : pl_factor_solve;
      check_ok(env, solve(f, nrhs, b, x));
      check_array(nrhs * n, x, want, tol);
      memcpy(x, b, (size_t)(NRHS * n) * sizeof *x);
      check_ok(env, solve(f, nrhs, x, x));
      check_array(nrhs * n, x, want, tol);
    }
  pl_factor_info info = pl_factor_stats(f);
  assert_int_equal(info.nsymbolic, 1);
  assert_int_equal(info.nnumeric, 1);
  assert_int_equal(info.nsolve, 4 * (1 + 2 + 3));
  assert_true(info.rcond > 0 && info.rcond <= 1.1);
  assert_true(info.nnz >= n);
  pl_factor_free(f);
  free(b);
  free(x);
  free(want);
}

static void random_against_dense(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 7);
  for (int k = 0; k < 3; k++)
    for (int n = 1; n <= 300; n += n < 8 ? 1 : n < 66 ? 19 : 47) {
      pl_csc A, F;
      check_ok(&env, matrix_for(&env, &r, kinds[k], n, &A));
      check_against_dense(&env, &r, kinds[k], &A);
      if (A.sym) { // either storage does for every kind
        check_against_dense(&env, &r, PL_LU, &A);
        check_ok(&env, pl_csc_expand(&env, &A, &F, NULL));
        check_against_dense(&env, &r, kinds[k], &F);
        pl_csc_free(&env, &F);
      }
      pl_csc_free(&env, &A);
    }
}

// A sin sin sin = lambda sin sin sin on a grid of 20^3
static void grid_with_known_solution(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  enum { S = 20, N = S * S * S };
  const int m[3] = {S, S, S};
  pl_csc A;
  check_ok(&env, grid_laplacian(&env, m, 1, &A));
  double *b = malloc(N * sizeof *b), *x = malloc(N * sizeof *x), *want = malloc(N * sizeof *want);
  for (int k = 0; k < 3; k++) {
    pl_factor *f;
    check_ok(&env, pl_factor_create(&env, kinds[k], &A, 1, 1, &f));
    check_ok(&env, pl_factor_numeric(f, &A));
    for (int mode = 1; mode <= S; mode += 6) {
      double s1 = sin(PL_PI * mode / (2 * S + 2)), s2 = sin(PL_PI / (2 * S + 2));
      double lambda = 4 * (s1 * s1 + 2 * s2 * s2);
      for (int i = 0; i < N; i++) {
        b[i] = sin(PL_PI * mode * (i / (S * S) + 1) / (S + 1)) *
               sin(PL_PI * (i / S % S + 1) / (S + 1)) * sin(PL_PI * (i % S + 1) / (S + 1));
        want[i] = b[i] / lambda;
      }
      check_ok(&env, pl_factor_solve(f, 1, b, x));
      check_array(N, x, want, 1e-12 * pl_max_abs(N, want));
    }
    assert_int_equal(pl_factor_stats(f).npos, kinds[k] == PL_LU ? 0 : N);
    pl_factor_free(f);
  }
  free(b);
  free(x);
  free(want);
  pl_csc_free(&env, &A);
}

static int count_below(const int *m, double shift) {
  int count = 0;
  for (int a = 1; a <= m[0]; a++)
    for (int b = 1; b <= m[1]; b++)
      for (int c = 1; c <= m[2]; c++)
        count +=
            4 * (pow(sin(PL_PI * a / (2 * m[0] + 2)), 2) + pow(sin(PL_PI * b / (2 * m[1] + 2)), 2) +
                 pow(sin(PL_PI * c / (2 * m[2] + 2)), 2)) <
            shift;
  return count;
}

// Laplacian - shift: as many negative eigenvalues as the closed form has below the shift
static void inertia_of_shifted_grid(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int sizes[][3] = {{3, 3, 3}, {7, 6, 5}, {12, 11, 10}};
  for (int c = 0; c < 3; c++) {
    const int *m = sizes[c];
    pl_csc A;
    check_ok(&env, grid_laplacian(&env, m, 1, &A));
    pl_factor *ldl, *cholesky;
    check_ok(&env, pl_factor_create(&env, PL_LDL, &A, 1, 1, &ldl));
    check_ok(&env, pl_factor_create(&env, PL_CHOLESKY, &A, 1, 1, &cholesky));
    double shift = 0;
    for (int k = 0; k < 8; k++) {
      double next = 0.123 + 1.571 * k;
      for (int j = 0; j < A.n; j++) A.val[A.ptr[j]] -= next - shift;
      shift = next;
      check_ok(&env, pl_factor_numeric(ldl, &A));
      pl_factor_info info = pl_factor_stats(ldl);
      int below = count_below(m, shift);
      assert_int_equal(info.nneg, below);
      assert_int_equal(info.nzero, 0);
      assert_int_equal(info.npos, A.n - below);
      check_status(&env, pl_factor_numeric(cholesky, &A), below ? PL_SINGULAR : PL_OK);
    }
    assert_int_equal(pl_factor_stats(ldl).nsymbolic, 1);
    assert_int_equal(pl_factor_stats(ldl).nnumeric, 8);
    pl_factor_free(ldl);
    pl_factor_free(cholesky);
    pl_csc_free(&env, &A);
  }
}

// every kind must see that A is singular, then factorise A + I with the same analysis
static void check_singular(pl_env *env, pl_csc *A, int nzero) {
  double *b = malloc((size_t)A->n * sizeof *b), *x = malloc((size_t)A->n * sizeof *x);
  for (int i = 0; i < A->n; i++) b[i] = 1 + i % 3;
  double size = pl_max_abs(A->nnz, A->val);
  for (int block = 1; block <= 3; block += 2)
    for (int k = 0; k < 3; k++) {
      pl_factor *f;
      check_ok(env, pl_factor_create(env, kinds[k], A, block, 1, &f));
      check_status(env, pl_factor_numeric(f, A), PL_SINGULAR);
      pl_factor_info info = pl_factor_stats(f);
      if (kinds[k] == PL_LDL) {
        assert_int_equal(info.nzero, nzero);
        assert_int_equal(info.nneg, 0);
        assert_int_equal(info.npos, A->n - nzero);
      }
      check_status(env, pl_factor_solve(f, 1, b, x), PL_E_ARG);
      for (int j = 0; j < A->n; j++) A->val[A->ptr[j]] += size;
      check_ok(env, pl_factor_numeric(f, A));
      check_ok(env, pl_factor_solve(f, 1, b, x));
      check_less(backward_error(A, x, b), 1e-14);
      for (int j = 0; j < A->n; j++) A->val[A->ptr[j]] -= size;
      pl_factor_free(f);
    }
  free(b);
  free(x);
}

static void singular_matrices(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int sizes[][3] = {{3, 3, 3}, {9, 7, 6}, {15, 15, 15}};
  for (int c = 0; c < 3; c++) {
    pl_csc A;
    check_ok(&env, grid_laplacian(&env, sizes[c], 0, &A)); // kernel: constants
    check_singular(&env, &A, 1);
    // uneven stiffness: pivots are no longer exact
    for (int j = 0; j < A.n; j++) A.val[A.ptr[j]] = 0;
    pl_rng r;
    pl_rng_seed(&r, 11);
    for (int j = 0; j < A.n; j++)
      for (int k = A.ptr[j] + 1; k < A.ptr[j + 1]; k++) {
        A.val[k] = -pow(10, pl_rng_uniform(&r, -2, 2)) / 3;
        A.val[A.ptr[j]] -= A.val[k];
        A.val[A.ptr[A.row[k]]] -= A.val[k];
      }
    check_singular(&env, &A, 1);
    pl_csc_free(&env, &A);
  }
  const int trusses[][3] = {{2, 2, 2}, {4, 3, 3}, {8, 6, 6}, {40, 2, 2}};
  for (int c = 0; c < 4; c++) {
    pl_csc A;
    check_ok(&env, truss(&env, trusses[c], 0, 2.1e11, &A)); // six rigid motions
    check_singular(&env, &A, 6);
    pl_csc_free(&env, &A);
  }
}

// badly conditioned is not singular: a cantilever of springs in bending (condition 1e11), and a
// grid whose unknowns have units 16 decades apart
static void ill_conditioned_is_solved(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  enum { N = 999 };
  trip t = {0};
  for (int i = 0; i < N; i++) {
    const double c[3] = {1, -2, 1};
    for (int a = 0; a < 3; a++)
      for (int b = 0; b <= a; b++)
        if (i - a >= 0) trip_add(&t, i - b, i - a, c[a] * c[b]);
  }
  // rows (i, i-1, i-2) of the second difference: lower entries (i-b, i-a) with a >= b
  pl_csc A;
  check_ok(&env, trip_build(&env, &t, N, 1, &A));
  double b[N], x[N];
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < N; i++) b[i] = i == N - 1;
    pl_factor *f;
    check_ok(&env, pl_factor_create(&env, kinds[k], &A, 1, 1, &f));
    check_ok(&env, pl_factor_numeric(f, &A));
    check_ok(&env, pl_factor_solve(f, 1, b, x));
    // tip load: x_N-1 = sum of squares 1..N = N (N+1) (2N+1) / 6
    check_rel(x[N - 1], N * (N + 1.0) * (2.0 * N + 1) / 6, 1e-4);
    check_less(backward_error(&A, x, b), 1e-14);
    pl_factor_free(f);
  }
  pl_csc_free(&env, &A);

  const int sizes[][3] = {{3, 3, 3}, {10, 10, 9}};
  for (int c = 0; c < 2; c++) {
    check_ok(&env, grid_laplacian(&env, sizes[c], 1, &A));
    double d[900];
    for (int i = 0; i < A.n; i++) d[i] = pow(10, (i * 7 % 17) - 8);
    for (int j = 0; j < A.n; j++)
      for (int p = A.ptr[j]; p < A.ptr[j + 1]; p++) A.val[p] *= d[j] * d[A.row[p]];
    for (int k = 0; k < 3; k++) {
      // D A D x = D A 1 has x = 1/d
      for (int i = 0; i < A.n; i++) x[i] = 1 / d[i];
      pl_csc_mul(&A, 1, x, 0, b);
      pl_factor *f;
      check_ok(&env, pl_factor_create(&env, kinds[k], &A, 1, 1, &f));
      check_ok(&env, pl_factor_numeric(f, &A));
      check_ok(&env, pl_factor_solve(f, 1, b, x));
      for (int i = 0; i < A.n; i++) check_close(x[i] * d[i], 1, 1e-10);
      pl_factor_free(f);
    }
    pl_csc_free(&env, &A);
  }
}

// [K B'; B 0] with K positive definite and B of full rank has inertia (n, m, 0)
static void saddle_point(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (int n = 10; n <= 400; n = 3 * n) {
    int m = n / 3;
    trip t = {0};
    for (int i = 0; i < n; i++) trip_bar(&t, i, i + 1 < n ? i + 1 : -1, 1 + i % 4);
    trip_bar(&t, 0, -1, 1);
    for (int k = 0; k < m; k++) { // x_3k = x_3k+2
      trip_add(&t, n + k, 3 * k, 1);
      trip_add(&t, n + k, 3 * k + 2 < n ? 3 * k + 2 : 3 * k + 1, -1);
      trip_add(&t, n + k, n + k, 0);
    }
    pl_csc A;
    check_ok(&env, trip_build(&env, &t, n + m, 1, &A));
    double *b = malloc((size_t)A.n * sizeof *b), *x = malloc((size_t)A.n * sizeof *x);
    for (int i = 0; i < A.n; i++) b[i] = sin(i);
    for (int k = 1; k < 3; k++) {
      pl_factor *f;
      check_ok(&env, pl_factor_create(&env, kinds[k], &A, 1, 1, &f));
      check_ok(&env, pl_factor_numeric(f, &A));
      check_ok(&env, pl_factor_solve(f, 1, b, x));
      check_less(backward_error(&A, x, b), 1e-14);
      if (kinds[k] == PL_LDL) {
        assert_int_equal(pl_factor_stats(f).npos, n);
        assert_int_equal(pl_factor_stats(f).nneg, m);
      }
      pl_factor_free(f);
    }
    pl_factor *f;
    check_ok(&env, pl_factor_create(&env, PL_CHOLESKY, &A, 1, 1, &f));
    check_status(&env, pl_factor_numeric(f, &A), PL_SINGULAR);
    pl_factor_free(f);
    free(b);
    free(x);
    pl_csc_free(&env, &A);
  }
}

// a truss in full storage, a right-hand side and room for two answers
typedef struct lattice {
  pl_csc A;
  pl_rng r;
  double *b, *x, *y;
} lattice;

static void lattice_open(pl_env *env, const int m[3], double stiff, unsigned seed, lattice *t) {
  pl_csc S;
  check_ok(env, truss(env, m, 1, stiff, &S));
  check_ok(env, pl_csc_expand(env, &S, &t->A, NULL));
  pl_csc_free(env, &S);
  pl_rng_seed(&t->r, seed);
  t->b = random_vector(&t->r, t->A.n);
  t->x = random_vector(&t->r, t->A.n);
  t->y = random_vector(&t->r, t->A.n);
}

static void lattice_skew(lattice *t) {
  for (int p = 0; p < t->A.nnz; p++) t->A.val[p] *= 1 + 0.2 * pl_rng_uniform(&t->r, -1, 1);
}

static void lattice_close(pl_env *env, lattice *t) {
  free(t->b);
  free(t->x);
  free(t->y);
  pl_csc_free(env, &t->A);
}

static void lattice_solve(pl_env *env, const lattice *t, int kind, int block, int nthread,
                          double *x) {
  pl_factor *f;
  check_ok(env, pl_factor_create(env, kinds[kind], &t->A, block, nthread, &f));
  check_ok(env, pl_factor_numeric(f, &t->A));
  check_ok(env, pl_factor_solve(f, 1, t->b, x));
  pl_factor_free(f);
}

// groups of three, symmetric and unsymmetric values: the same answers as without groups
static void grouped_unknowns(void **state) {
  (void)state;
  pl_env env;
  lattice t;
  pl_env_init(&env);
  lattice_open(&env, (const int[]){8, 7, 6}, 1e6, 12, &t);
  for (int k = 0; k < 3; k++) {
    if (kinds[k] == PL_LU) lattice_skew(&t);
    lattice_solve(&env, &t, k, 1, 2, t.x);
    lattice_solve(&env, &t, k, 3, 2, t.y);
    check_array(t.A.n, t.y, t.x, 1e-11 * pl_max_abs(t.A.n, t.x));
    lattice_solve(&env, &t, k, 5, 1, t.y); // does not divide: ignored
    check_array(t.A.n, t.y, t.x, 1e-11 * pl_max_abs(t.A.n, t.x));
  }
  lattice_close(&env, &t);
}

// every kind, by our own fronts and, where unknowns are told to stand alone, by a listed solver
static void same_bits(void **state) {
  (void)state;
  pl_env env;
  lattice t;
  pl_env_init(&env);
  lattice_open(&env, (const int[]){13, 12, 11}, 1, 13, &t);
  for (int k = 0; k < 3; k++) {
    if (kinds[k] == PL_LU) lattice_skew(&t);
    for (int block = 1; block <= 3; block += 2) {
      lattice_solve(&env, &t, k, block, 1, t.x);
      check_less(backward_error(&t.A, t.x, t.b), 1e-14);
      for (int nthread = 2; nthread <= 3; nthread++) {
        lattice_solve(&env, &t, k, block, nthread, t.y);
        assert_memory_equal(t.x, t.y, (size_t)t.A.n * sizeof *t.x);
      }
    }
  }
  lattice_close(&env, &t);
}

// one analysis, many numeric factorisations, and no request for memory after the first
static void refactorise_without_allocation(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int sizes[][3] = {{3, 3, 4}, {9, 8, 7}};
  for (int c = 0; c < 2; c++)
    for (int k = 0; k < 3; k++) {
      pl_csc A;
      check_ok(&env, grid_laplacian(&env, sizes[c], 1, &A));
      double *b = malloc((size_t)A.n * sizeof *b), *x = malloc((size_t)A.n * sizeof *x);
      for (int i = 0; i < A.n; i++) b[i] = 1;
      pl_factor *f;
      check_ok(&env, pl_factor_create(&env, kinds[k], &A, 1, 1, &f));
      long before = env.nalloc;
      for (int pass = 0; pass < 5; pass++) {
        for (int p = 0; p < A.nnz; p++) A.val[p] *= 1.7;
        check_ok(&env, pl_factor_numeric(f, &A));
        check_ok(&env, pl_factor_solve(f, 1, b, x));
        check_less(backward_error(&A, x, b), 1e-14);
      }
      assert_int_equal(env.nalloc, before);
      assert_int_equal(pl_factor_stats(f).nsymbolic, 1);
      assert_int_equal(pl_factor_stats(f).nnumeric, 5);
      pl_factor_free(f);
      free(b);
      free(x);
      pl_csc_free(&env, &A);
    }
}

static void misuse_is_reported(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int sizes[][3] = {{2, 2, 2}, {6, 6, 5}};
  for (int c = 0; c < 2; c++)
    for (int k = 0; k < 3; k++) {
      pl_csc A, B, F;
      check_ok(&env, grid_laplacian(&env, sizes[c], 1, &A));
      check_ok(&env, pl_csc_expand(&env, &A, &F, NULL));
      trip t = {0};
      for (int i = 0; i < A.n; i++) trip_add(&t, i, i, 1);
      check_ok(&env, trip_build(&env, &t, A.n, 1, &B));
      double x[180];
      for (int i = 0; i < A.n; i++) x[i] = 1;
      pl_factor *f;
      check_ok(&env, pl_factor_create(&env, kinds[k], &A, 1, 1, &f));
      check_status(&env, pl_factor_solve(f, 1, x, x), PL_E_ARG);
      check_status(&env, pl_factor_numeric(f, &B), PL_E_ARG);
      check_status(&env, pl_factor_numeric(f, &F), PL_E_ARG);
      A.val[3] = NAN;
      check_status(&env, pl_factor_numeric(f, &A), PL_E_ARG);
      A.val[3] = INFINITY;
      check_status(&env, pl_factor_numeric(f, &A), PL_E_ARG);
      for (int p = 0; p < A.nnz; p++) A.val[p] = 0;
      check_status(&env, pl_factor_numeric(f, &A), PL_SINGULAR);
      if (kinds[k] == PL_LDL) assert_int_equal(pl_factor_stats(f).nzero, A.n);
      for (int j = 0; j < A.n; j++) A.val[A.ptr[j]] = 2;
      check_ok(&env, pl_factor_numeric(f, &A));
      x[1] = NAN;
      check_status(&env, pl_factor_solve(f, 1, x, x), PL_E_ARG);
      x[1] = 4;
      check_ok(&env, pl_factor_solve(f, 1, x, x));
      check_close(x[1], 2, 1e-15);
      check_status(&env, pl_factor_solve(f, -1, x, x), PL_E_ARG);
      check_ok(&env, pl_factor_solve(f, 0, x, x));
      pl_factor_free(f);
      A.row[0] = A.n; // no valid pattern
      check_status(&env, pl_factor_create(&env, kinds[k], &A, 1, 1, &f), PL_E_ARG);
      assert_null(f);
      pl_csc_free(&env, &A);
      pl_csc_free(&env, &B);
      pl_csc_free(&env, &F);
    }
  pl_factor_free(NULL);
  pl_csc none;
  pl_factor *f;
  check_ok(&env, pl_csc_from_triplets(&env, 0, 1, 0, NULL, NULL, NULL, &none));
  check_ok(&env, pl_factor_create(&env, PL_LDL, &none, 1, 1, &f));
  check_ok(&env, pl_factor_numeric(f, &none));
  check_ok(&env, pl_factor_solve(f, 1, NULL, NULL));
  pl_factor_free(f);
  pl_csc_free(&env, &none);
}

typedef struct job {
  pl_factor_kind kind;
  int block, size;
} job;

static pl_status factor_and_solve(pl_env *env, void *ctx) {
  const job *j = ctx;
  const int m[3] = {j->size, j->size, 3};
  pl_csc A = {0};
  pl_factor *f = NULL;
  double x[300];
  for (int i = 0; i < 300; i++) x[i] = 1;
  pl_status s = grid_laplacian(env, m, 1, &A);
  if (s == PL_OK) s = pl_factor_create(env, j->kind, &A, j->block, 1, &f);
  if (s == PL_OK) s = pl_factor_numeric(f, &A);
  if (s == PL_OK) s = pl_factor_solve(f, 1, x, x);
  pl_factor_free(f);
  pl_csc_free(env, &A);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++)
    for (int block = 1; block <= 3; block += 2)
      for (int size = 2; size <= 6; size += 4)
        check_allocations(factor_and_solve, &(job){kinds[k], block, size});
}

static void *work(void *arg) {
  pl_status *result = arg;
  for (int k = 0; k < 30 && *result == PL_OK; k++) {
    pl_env env;
    pl_env_init(&env);
    *result = factor_and_solve(&env, &(job){kinds[k % 3], 1 + 2 * (k & 1), 6});
  }
  return NULL;
}

// MUMPS and METIS have static data: factorisations in several threads must not meet there
static void several_threads(void **state) {
  (void)state;
  pthread_t thread[3];
  pl_status result[3] = {PL_OK};
  for (int k = 0; k < 3; k++)
    assert_int_equal(pthread_create(&thread[k], NULL, work, &result[k]), 0);
  for (int k = 0; k < 3; k++) pthread_join(thread[k], NULL);
  for (int k = 0; k < 3; k++) assert_int_equal(result[k], PL_OK);
}

static volatile sig_atomic_t heard;

static void hear(int sig) {
  (void)sig;
  heard++;
}

static void *send_signals(void *arg) {
  pl_leave_signals();
  for (const atomic_int *done = arg; !atomic_load(done);) {
    kill(getpid(), SIGTERM);
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
  }
  return NULL;
}

// METIS has handlers of its own for SIGTERM: a signal meanwhile is the host's all the same
static void signals_while_ordering(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_csc A = {0};
  check_ok(&env, grid_laplacian(&env, (int[]){30, 30, 30}, 1, &A));
  struct sigaction action = {.sa_handler = hear}, before;
  sigaction(SIGTERM, &action, &before);
  atomic_int done = 0;
  pthread_t sender;
  assert_int_equal(pthread_create(&sender, NULL, send_signals, &done), 0);
  pl_factor *f = NULL;
  check_ok(&env, pl_factor_create(&env, PL_CHOLESKY, &A, 1, 1, &f));
  atomic_store(&done, 1);
  pthread_join(sender, NULL);
  sigaction(SIGTERM, &before, NULL);
  assert_true(heard > 1);
  pl_factor_free(f);
  pl_csc_free(&env, &A);
}

int test_factor(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_dense),      cmocka_unit_test(grid_with_known_solution),
      cmocka_unit_test(inertia_of_shifted_grid),   cmocka_unit_test(singular_matrices),
      cmocka_unit_test(ill_conditioned_is_solved), cmocka_unit_test(saddle_point),
      cmocka_unit_test(grouped_unknowns),          cmocka_unit_test(refactorise_without_allocation),
      cmocka_unit_test(misuse_is_reported),        cmocka_unit_test(failing_allocator),
      cmocka_unit_test(several_threads),           cmocka_unit_test(same_bits),
      cmocka_unit_test(signals_while_ordering),
  };
  return cmocka_run_group_tests_name("sparse.factor", tests, NULL, NULL);
}
