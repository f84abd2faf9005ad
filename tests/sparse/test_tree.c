// Cholesky over the tree of fronts: against dense Cholesky, for any number of threads, and where
// the matrix is not positive definite.
#include "check.h"
#include "problems.h"
#include "lapack.h"

// Adds a random positive semidefinite element over the groups a, b, c: k K' with K (3 block) x 2.
static void add_element(trip *t, pl_rng *r, int block, const int *group) {
  double K[2][18];
  int n = 3 * block;
  for (int i = 0; i < n; i++) {
    K[0][i] = pl_rng_uniform(r, -1, 1);
    K[1][i] = pl_rng_uniform(r, -1, 1);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int row = group[i / block] * block + i % block, col = group[j / block] * block + j % block;
      if (row >= col) trip_add(t, row, col, K[0][i] * K[0][j] + K[1][i] * K[1][j]);
    }
}

static void add_diagonal(trip *t, int from, int n, double diag) {
  for (int i = from; i < from + n; i++) trip_add(t, i, i, diag);
}

// groups at the corners of m by m squares of two triangles; returns the number of groups
static int add_grid(trip *t, pl_rng *r, int first, int m, int block, double diag) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      int a = first + i * (m + 1) + j, c = a + m + 1;
      add_element(t, r, block, (int[]){a, a + 1, c});
      add_element(t, r, block, (int[]){a + 1, c + 1, c});
    }
  int n = (m + 1) * (m + 1);
  add_diagonal(t, first * block, n * block, diag);
  return n;
}

static void grid(pl_env *env, int m, int block, unsigned seed, pl_csc *A) {
  trip t = {0};
  pl_rng r;
  pl_rng_seed(&r, seed);
  int n = add_grid(&t, &r, 0, m, block, 0.1);
  check_ok(env, trip_build(env, &t, n * block, 1, A));
}

// three sheets that do not touch and a group on its own
static void pieces(pl_env *env, int block, pl_csc *A) {
  static const int size[3] = {9, 1, 14};
  trip t = {0};
  pl_rng r;
  pl_rng_seed(&r, 5);
  int n = 0;
  for (int k = 0; k < 3; k++) n += add_grid(&t, &r, n, size[k], block, 0.1);
  add_diagonal(&t, n * block, block, 2);
  check_ok(env, trip_build(env, &t, (n + 1) * block, 1, A));
}

// all groups coupled with the first (first = 1) or the last one, and with no other
static void arrow(pl_env *env, int n, int block, int first, pl_csc *A) {
  trip t = {0};
  pl_rng r;
  pl_rng_seed(&r, 6);
  int hub = first ? 0 : n - 1;
  for (int g = 0; g < n; g++)
    for (int i = 0; i < block && g != hub; i++)
      for (int j = 0; j < block; j++) {
        int row = g * block + i, col = hub * block + j;
        trip_add(&t, row > col ? row : col, row > col ? col : row, pl_rng_uniform(&r, -1, 1));
      }
  // diagonally dominant
  add_diagonal(&t, 0, n * block, 1 + block);
  add_diagonal(&t, hub * block, block, n * block);
  check_ok(env, trip_build(env, &t, n * block, 1, A));
}

static void diagonal(pl_env *env, int n, pl_csc *A) {
  trip t = {0};
  for (int i = 0; i < n; i++) trip_add(&t, i, i, pow(10, i % 7 - 3));
  check_ok(env, trip_build(env, &t, n, 1, A));
}

// |b - A x| over |A| |x| + |b|: near the rounding of one sum for any stable solver
static double backward_error(const pl_csc *A, const double *x, const double *b) {
  double *r = malloc((size_t)A->n * sizeof *r), most = pl_max_abs(A->nnz, A->val);
  memcpy(r, b, (size_t)A->n * sizeof *r);
  pl_csc_mul(A, -1, x, 1, r);
  double e = pl_norm(A->n, r) / (most * pl_norm(A->n, x) + pl_norm(A->n, b));
  free(r);
  return e;
}

static void dense_solve(const pl_csc *A, int nrhs, const double *b, double *x) {
  int n = A->n, info;
  double *D = dense_of(A);
  memcpy(x, b, (size_t)(n * nrhs) * sizeof *x);
  dpotrf_("L", &n, D, &n, &info, 1);
  assert_int_equal(info, 0);
  dpotrs_("L", &n, &nrhs, D, &n, x, &n, &info, 1);
  free(D);
}

// entries of the factor between those of the matrix and those of a dense one; flops at least those
// of columns of equal length
static void check_stats(const pl_csc *A, pl_factor_info info) {
  double n = A->n;
  assert_string_equal(info.backend, "tree");
  assert_true(info.nnz >= 0.9 * A->nnz && info.nnz <= 2 * n * (n + 1) / 2);
  assert_true(info.flops >= info.nnz * info.nnz / n / 4 && info.flops <= 2 * n * n * n);
  assert_true(info.rcond > 0 && info.rcond <= 1 + 1e-14);
  assert_int_equal(info.npos, A->n);
  assert_int_equal(info.nneg, 0);
  assert_int_equal(info.nzero, 0);
}

// three right-hand sides at once, in place too, and one at a time: the same bits; to rounding what
// dense Cholesky finds
static void check_matrix(pl_env *env, const pl_csc *A, int block) {
  enum { NRHS = 3 };
  int n = A->n;
  size_t size = (size_t)n * sizeof(double);
  pl_rng r;
  pl_rng_seed(&r, 3);
  double *b = random_vector(&r, NRHS * n), *x = random_vector(&r, NRHS * n),
         *y = random_vector(&r, NRHS * n);
  pl_factor *f;
  check_ok(env, pl_factor_create(env, PL_CHOLESKY, A, block, 1, &f));
  check_ok(env, pl_factor_numeric(f, A));
  check_stats(A, pl_factor_stats(f));
  check_ok(env, pl_factor_solve(f, NRHS, b, x));
  for (int k = 0; k < NRHS; k++) {
    check_less(backward_error(A, x + k * n, b + k * n), 2e-15);
    check_ok(env, pl_factor_solve_transposed(f, 1, b + k * n, y));
    assert_memory_equal(y, x + k * n, size);
  }
  memcpy(y, b, NRHS * size);
  check_ok(env, pl_factor_solve(f, NRHS, y, y));
  assert_memory_equal(y, x, NRHS * size);
  if (n <= 1200) {
    dense_solve(A, NRHS, b, y);
    check_array(NRHS * n, x, y, 1e-11 * pl_max_abs(NRHS * n, y));
  }
  pl_factor_free(f);
  free(b);
  free(x);
  free(y);
}

static void grids(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  static const int cases[][2] = {{5, 3},  {5, 2},  {5, 6},  {9, 6},  {10, 3}, {17, 2},
                                 {18, 3}, {30, 3}, {33, 2}, {40, 6}, {60, 3}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    pl_csc A;
    grid(&env, cases[c][0], cases[c][1], 10 + (unsigned)c, &A);
    check_matrix(&env, &A, cases[c][1]);
    pl_csc_free(&env, &A);
  }
}

static void odd_patterns(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (int block = 2; block <= 6; block += block == 2 ? 1 : 3) {
    pl_csc A;
    pieces(&env, block, &A);
    check_matrix(&env, &A, block);
    pl_csc_free(&env, &A);
    for (int first = 0; first < 2; first++) {
      arrow(&env, 50, block, first, &A);
      check_matrix(&env, &A, block);
      pl_csc_free(&env, &A);
    }
    // the first sizes above those that are done as dense matrices, without any coupling
    for (int n = 66; n <= 90; n += 6) {
      diagonal(&env, n, &A);
      check_matrix(&env, &A, block);
      pl_csc_free(&env, &A);
    }
  }
}

// one group with everything: a front that is the whole matrix
static void full_matrix(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 8);
  trip t = {0};
  enum { N = 72 };
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) trip_add(&t, i, j, pl_rng_uniform(&r, -1, 1) + (i == j ? N : 0));
  pl_csc A;
  check_ok(&env, trip_build(&env, &t, N, 1, &A));
  check_matrix(&env, &A, 3);
  check_matrix(&env, &A, 72);
  pl_csc_free(&env, &A);
}

// scales of unknowns that are decades apart do not matter: D A D x = D b has the solution D^-1 A^-1
// b, in every bit where D has powers of two
static void scales(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_csc A;
  grid(&env, 12, 3, 4, &A);
  pl_rng r;
  pl_rng_seed(&r, 9);
  double *b = random_vector(&r, A.n), *x = random_vector(&r, A.n), *y = random_vector(&r, A.n);
  pl_factor *f;
  check_ok(&env, pl_factor_create(&env, PL_CHOLESKY, &A, 3, 1, &f));
  check_ok(&env, pl_factor_numeric(f, &A));
  check_ok(&env, pl_factor_solve(f, 1, b, x));
  for (int j = 0; j < A.n; j++)
    for (int k = A.ptr[j]; k < A.ptr[j + 1]; k++)
      A.val[k] = ldexp(A.val[k], (j * 7 % 61 - 30) + (A.row[k] * 7 % 61 - 30));
  for (int i = 0; i < A.n; i++) b[i] = ldexp(b[i], i * 7 % 61 - 30);
  check_ok(&env, pl_factor_numeric(f, &A));
  check_ok(&env, pl_factor_solve(f, 1, b, y));
  for (int i = 0; i < A.n; i++) y[i] = ldexp(y[i], i * 7 % 61 - 30);
  assert_memory_equal(x, y, (size_t)A.n * sizeof *x);
  pl_factor_free(f);
  pl_csc_free(&env, &A);
  free(b);
  free(x);
  free(y);
}

static void raise_one(void *ctx, int i, int thread) {
  (void)thread;
  ((int *)ctx)[i]++;
}

// two factors in turns on a pool that is the caller's, and stays so
static void check_shared_threads(pl_env *env, const pl_csc *A, const double *b, const double *x,
                                 double *y) {
  pl_threads *shared;
  pl_factor *f[2];
  int done[100] = {0};
  check_ok(env, pl_threads_create(env, 2, &shared));
  for (int k = 0; k < 2; k++) {
    check_ok(env, pl_factor_create_on(env, PL_CHOLESKY, A, 3, shared, &f[k]));
    check_ok(env, pl_factor_numeric(f[k], A));
  }
  for (int k = 0; k < 2; k++) {
    check_ok(env, pl_factor_solve(f[k], 1, b, y));
    assert_memory_equal(x, y, (size_t)A->n * sizeof *x);
    pl_factor_free(f[k]);
  }
  pl_threads_run(shared, 100, raise_one, done);
  for (int i = 0; i < 100; i++) assert_int_equal(done[i], 1);
  pl_threads_free(shared);
}

// large enough for threads in the factorisation and in the solves
static void same_bits(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (int c = 0; c < 2; c++) {
    pl_csc A;
    grid(&env, c ? 60 : 24, 3, 2, &A);
    pl_rng r;
    pl_rng_seed(&r, 2);
    double *b = random_vector(&r, A.n), *x = random_vector(&r, A.n), *y = random_vector(&r, A.n);
    for (int nthread = 1; nthread <= 3; nthread++) {
      pl_factor *f;
      check_ok(&env, pl_factor_create(&env, PL_CHOLESKY, &A, 3, nthread, &f));
      for (int round = 0; round < 3; round++) {
        check_ok(&env, pl_factor_numeric(f, &A));
        check_ok(&env, pl_factor_solve(f, 1, b, nthread == 1 && round == 0 ? x : y));
        if (nthread > 1 || round > 0) assert_memory_equal(x, y, (size_t)A.n * sizeof *x);
      }
      pl_factor_free(f);
    }
    check_shared_threads(&env, &A, b, x, y);
    free(b);
    free(x);
    free(y);
    pl_csc_free(&env, &A);
  }
}

// other values with the same analysis, without asking for memory
static void refactorise(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_csc A, B;
  grid(&env, 20, 3, 20, &A);
  double *b = malloc((size_t)A.n * sizeof *b), *x = malloc((size_t)A.n * sizeof *x);
  for (int i = 0; i < A.n; i++) b[i] = 1 + i % 5;
  pl_factor *f;
  check_ok(&env, pl_factor_create(&env, PL_CHOLESKY, &A, 3, 1, &f));
  for (unsigned pass = 0; pass < 4; pass++) {
    grid(&env, 20, 3, 21 + pass, &B);
    long before = env.nalloc;
    check_ok(&env, pl_factor_numeric(f, &B));
    check_ok(&env, pl_factor_solve(f, 1, b, x));
    assert_int_equal(env.nalloc, before);
    check_less(backward_error(&B, x, b), 2e-15);
    pl_csc_free(&env, &B);
  }
  assert_int_equal(pl_factor_stats(f).nsymbolic, 1);
  assert_int_equal(pl_factor_stats(f).nnumeric, 4);
  assert_int_equal(pl_factor_stats(f).nsolve, 4);
  pl_factor_free(f);
  pl_csc_free(&env, &A);
  free(b);
  free(x);
}

// full storage of the same matrix: only its lower triangle is looked at
static void full_storage(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_csc A, F;
  grid(&env, 8, 3, 30, &A);
  check_ok(&env, pl_csc_expand(&env, &A, &F, NULL));
  for (int j = 0; j < F.n; j++)
    for (int k = F.ptr[j]; k < F.ptr[j + 1]; k++)
      if (F.row[k] < j) F.val[k] = 77;
  double *b = malloc((size_t)A.n * sizeof *b), *x = malloc((size_t)A.n * sizeof *x);
  for (int i = 0; i < A.n; i++) b[i] = sin(i);
  pl_factor *f;
  check_ok(&env, pl_factor_create(&env, PL_CHOLESKY, &F, 3, 1, &f));
  check_ok(&env, pl_factor_numeric(f, &F));
  assert_string_equal(pl_factor_stats(f).backend, "tree");
  check_ok(&env, pl_factor_solve(f, 1, b, x));
  check_less(backward_error(&A, x, b), 2e-15);
  pl_factor_free(f);
  pl_csc_free(&env, &F);
  pl_csc_free(&env, &A);
  free(b);
  free(x);
}

// A less so much of the identity at one place, or everywhere, that it is not positive definite; the
// next matrix is ordinary again
static void not_positive(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (int nthread = 1; nthread <= 2; nthread++) {
    pl_csc A;
    grid(&env, 22, 3, 40, &A);
    double *b = malloc((size_t)A.n * sizeof *b), *x = malloc((size_t)A.n * sizeof *x);
    for (int i = 0; i < A.n; i++) b[i] = 1;
    pl_factor *f;
    check_ok(&env, pl_factor_create(&env, PL_CHOLESKY, &A, 3, nthread, &f));
    for (int at = 0; at < A.n; at += 311) {
      double keep = A.val[A.ptr[at]];
      A.val[A.ptr[at]] = at % 2 ? 0 : -1;
      check_status(&env, pl_factor_numeric(f, &A), PL_SINGULAR);
      check_status(&env, pl_factor_solve(f, 1, b, x), PL_E_ARG);
      A.val[A.ptr[at]] = keep;
      check_ok(&env, pl_factor_numeric(f, &A));
      check_ok(&env, pl_factor_solve(f, 1, b, x));
      check_less(backward_error(&A, x, b), 2e-15);
    }
    for (int k = 0; k < A.nnz; k++) A.val[k] = -A.val[k];
    check_status(&env, pl_factor_numeric(f, &A), PL_SINGULAR);
    memset(A.val, 0, (size_t)A.nnz * sizeof *A.val);
    check_status(&env, pl_factor_numeric(f, &A), PL_SINGULAR);
    A.val[A.nnz / 2] = NAN;
    check_status(&env, pl_factor_numeric(f, &A), PL_E_ARG);
    A.val[A.nnz / 2] = INFINITY;
    check_status(&env, pl_factor_numeric(f, &A), PL_E_ARG);
    pl_factor_free(f);
    pl_csc_free(&env, &A);
    free(b);
    free(x);
  }
}

// Kernels: three free translations of a sheet of springs between its vertices, k |x_i - x_j|^2/2.
// At rounding level some pivot is positive by luck; it is singular all the same. With a diagonal of
// 1e-9 of the stiffness it is not.
static void nearly_singular(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (int m = 5; m <= 45; m += 8) {
    trip t = {0};
    pl_rng r;
    pl_rng_seed(&r, (unsigned)m);
    int side = m + 1, n = side * side;
    for (int i = 0; i < n; i++)
      for (int way = 0; way < 2; way++) {
        int j = i + (way ? side : 1);
        if (j >= n || (!way && j % side == 0)) continue;
        double k = pl_rng_uniform(&r, 1, 3);
        for (int c = 0; c < 9; c++) {
          if (c % 4 == 0)
            trip_bar(&t, 3 * i + c / 3, 3 * j + c / 3, k);
          else
            trip_add(&t, 3 * j + c / 3, 3 * i + c % 3, 0);
        }
      }
    pl_csc A;
    check_ok(&env, trip_build(&env, &t, 3 * n, 1, &A));
    pl_factor *f;
    check_ok(&env, pl_factor_create(&env, PL_CHOLESKY, &A, 3, 1, &f));
    check_status(&env, pl_factor_numeric(f, &A), PL_SINGULAR);
    for (int j = 0; j < A.n; j++) A.val[A.ptr[j]] += 1e-9;
    check_ok(&env, pl_factor_numeric(f, &A));
    double *b = random_vector(&r, A.n), *x = random_vector(&r, A.n);
    check_ok(&env, pl_factor_solve(f, 1, b, x));
    check_less(backward_error(&A, x, b), 2e-15);
    // the last pivot holds what all vertices were given; its column was 2 to 12
    double rcond = pl_factor_stats(f).rcond;
    assert_true(rcond > 1e-9 * n / 12.1 && rcond < 1e-9 * n / 1.9);
    pl_factor_free(f);
    pl_csc_free(&env, &A);
    free(b);
    free(x);
  }
}

// ---- solids -------------------------------------------------------------------------------------

// A held truss of m nodes a side without some of its unknowns, so that groups differ in size; every
// = 0: with all of them.
static void solid(pl_env *env, const int *m, int every, pl_csc *A) {
  pl_csc B;
  check_ok(env, truss(env, m, 1, 1, &B));
  int *place = malloc((size_t)B.n * sizeof *place), n = 0;
  for (int i = 0; i < B.n; i++) place[i] = every && i % every == 3 ? -1 : n++;
  trip t = {0};
  for (int j = 0; j < B.n; j++)
    for (int k = B.ptr[j]; k < B.ptr[j + 1]; k++)
      if (place[j] >= 0 && place[B.row[k]] >= 0) trip_add(&t, place[B.row[k]], place[j], B.val[k]);
  check_ok(env, trip_build(env, &t, n, 1, A));
  free(place);
  pl_csc_free(env, &B);
}

// nobody tells of blocks
static void found_groups(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (int every = 0; every <= 10; every += 5) {
    pl_csc A;
    solid(&env, (int[]){7, 7, 8}, every, &A);
    check_matrix(&env, &A, 1);
    pl_csc_free(&env, &A);
  }
}

// chains have no dense blocks, and are left to a listed solver
static void light(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_csc A;
  pl_factor *f;
  check_ok(&env, grid_laplacian(&env, (int[]){1, 1, 5000}, 1, &A));
  check_ok(&env, pl_factor_create(&env, PL_CHOLESKY, &A, 1, 2, &f));
#if PL_GPL
  assert_string_equal(pl_factor_stats(f).backend, "cholmod");
#else
  assert_string_equal(pl_factor_stats(f).backend, "mumps");
#endif
  check_ok(&env, pl_factor_numeric(f, &A));
  pl_factor_free(f);
  pl_csc_free(&env, &A);
}

// fronts with several panels and tiles
static void threads_inside(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_csc A;
  solid(&env, (int[]){14, 14, 14}, 11, &A);
  pl_rng r;
  pl_rng_seed(&r, 2);
  double *b = random_vector(&r, A.n), *x = random_vector(&r, A.n), *y = random_vector(&r, A.n);
  for (int nthread = 1; nthread <= 3; nthread++) {
    pl_factor *f;
    check_ok(&env, pl_factor_create(&env, PL_CHOLESKY, &A, 1, nthread, &f));
    check_ok(&env, pl_factor_numeric(f, &A));
    check_ok(&env, pl_factor_solve(f, 1, b, nthread == 1 ? x : y));
    if (nthread > 1) assert_memory_equal(x, y, (size_t)A.n * sizeof *x);
    pl_factor_free(f);
  }
  check_less(backward_error(&A, x, b), 2e-15);
  pl_csc_free(&env, &A);
  free(b);
  free(x);
  free(y);
}

// A less a part of the identity is positive definite below its lowest eigenvalue and no more above
static void edge_of_stability(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_csc A, I;
  solid(&env, (int[]){9, 9, 9}, 7, &A);
  diagonal(&env, A.n, &I);
  for (int i = 0; i < I.n; i++) I.val[i] = 1;
  double lambda, *x = malloc((size_t)A.n * sizeof *x), now = 0;
  pl_eigen_info info;
  check_ok(&env, pl_eigen_lowest(&env, &A, &I, 1, 1, &lambda, x, &info));
  for (int nthread = 1; nthread <= 2; nthread++) {
    pl_factor *f;
    check_ok(&env, pl_factor_create(&env, PL_CHOLESKY, &A, 1, nthread, &f));
    assert_string_equal(pl_factor_stats(f).backend, "tree");
    for (int k = 0; k < 4; k++) {
      double shift = lambda * (1 + (k % 2 ? 1e-6 : -1e-6));
      for (int j = 0; j < A.n; j++) A.val[A.ptr[j]] -= shift - now;
      now = shift;
      check_status(&env, pl_factor_numeric(f, &A), k % 2 ? PL_SINGULAR : PL_OK);
    }
    pl_factor_free(f);
  }
  pl_csc_free(&env, &A);
  pl_csc_free(&env, &I);
  free(x);
}

static void stopped(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_csc A;
  solid(&env, (int[]){15, 15, 15}, 0, &A);
  check_stops(&env, PL_CHOLESKY, &A, 1, NULL);
  pl_csc_free(&env, &A);
}

static pl_status factor_grid(pl_env *env, void *ctx) {
  const int *nthread = ctx;
  trip t = {0};
  pl_rng r;
  pl_rng_seed(&r, 50);
  // large enough for threads
  int n = add_grid(&t, &r, 0, *nthread > 1 ? 24 : 6, 3, 0.1);
  pl_csc A = {0};
  pl_factor *f = NULL;
  pl_status s = trip_build(env, &t, 3 * n, 1, &A);
  if (s == PL_OK) s = pl_factor_create(env, PL_CHOLESKY, &A, 3, *nthread, &f);
  if (s == PL_OK) s = pl_factor_numeric(f, &A);
  pl_factor_free(f);
  if (A.ptr) pl_csc_free(env, &A);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  for (int nthread = 1; nthread <= 2; nthread++) check_allocations(factor_grid, &nthread);
}

int test_tree(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grids),           cmocka_unit_test(odd_patterns),
      cmocka_unit_test(full_matrix),     cmocka_unit_test(scales),
      cmocka_unit_test(same_bits),       cmocka_unit_test(refactorise),
      cmocka_unit_test(full_storage),    cmocka_unit_test(not_positive),
      cmocka_unit_test(nearly_singular), cmocka_unit_test(failing_allocator),
      cmocka_unit_test(found_groups),    cmocka_unit_test(light),
      cmocka_unit_test(threads_inside),  cmocka_unit_test(edge_of_stability),
      cmocka_unit_test(stopped),
  };
  return cmocka_run_group_tests_name("sparse.tree", tests, NULL, NULL);
}
