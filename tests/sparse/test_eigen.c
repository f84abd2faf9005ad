#include "check.h"
#include "problems.h"
#include "lapack.h"

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static pl_status diagonal(pl_env *env, int n, const double *d, double factor, pl_csc *out) {
  trip t = {0};
  for (int i = 0; i < n; i++) trip_add(&t, i, i, d ? factor * d[i] : factor);
  return trip_build(env, &t, n, 1, out);
}

// x' M x = 1 and orthogonal, K x = lambda M x, sign rule
static void check_pairs(const pl_csc *K, const pl_csc *M, int nev, const double *lambda,
                        const double *x, double scale, double tol) {
  int n = K->n;
  double *Mx = malloc((size_t)n * sizeof *Mx), *r = malloc((size_t)n * sizeof *r);
  for (int k = 0; k < nev; k++) {
    const double *xk = x + (size_t)k * (size_t)n;
    pl_csc_mul(M, 1, xk, 0, Mx);
    for (int l = 0; l <= k; l++)
      check_close(pl_dot(n, x + (size_t)l * (size_t)n, Mx), k == l, 1e-10);
    pl_csc_mul(K, 1, xk, 0, r);
    pl_axpy(n, -lambda[k], Mx, r, r);
    check_less(pl_norm(n, r), tol * scale * pl_norm(n, Mx));
    if (k > 0) assert_true(lambda[k] >= lambda[k - 1]);
    double most = pl_max_abs(n, xk);
    for (int i = 0; i < n; i++)
      if (fabs(xk[i]) >= 0.999 * most) {
        assert_true(xk[i] > 0);
        break;
      }
  }
  free(Mx);
  free(r);
}

// chain of n masses m and n + 1 springs k, walls at both ends:
// lambda_j = 4 k/m sin^2(pi j / (2 n + 2))
static void chain_of_masses(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const double k = 7, m = 0.25;
  for (int n = 1; n <= 2000; n = n < 12 ? n + 1 : 5 * n) {
    trip t = {0};
    for (int i = 0; i < n; i++) trip_bar(&t, i, i + 1 < n ? i + 1 : -1, k);
    trip_bar(&t, 0, -1, k);
    pl_csc K, M;
    check_ok(&env, trip_build(&env, &t, n, 1, &K));
    check_ok(&env, diagonal(&env, n, NULL, m, &M));
    for (int nev = 1; nev <= 12; nev += 3) {
      double lambda[12];
      double *x = malloc((size_t)(12 * n) * sizeof *x);
      pl_eigen_info info;
      check_ok(&env, pl_eigen_lowest(&env, &K, &M, nev, 1, lambda, x, &info));
      assert_int_equal(info.nfound, nev < n ? nev : n);
      assert_int_equal(info.nbelow, 0);
      check_less(info.residual, 1e-12);
      for (int j = 0; j < info.nfound; j++) {
        double s = sin(PL_PI * (j + 1) / (2 * n + 2));
        // eps of the stiffness matrix is what the values can be trusted to
        check_close(lambda[j], 4 * k / m * s * s, 1e-11 * 4 * k / m * s * s + 4e-16 * 4 * k / m);
        // shape sin(pi (j+1) (i+1) / (n+1)), up to its sign
        double dot = 0, norm = 0;
        for (int i = 0; i < n; i++) {
          double shape = sin(PL_PI * (j + 1) * (i + 1) / (n + 1));
          dot += shape * x[j * n + i];
          norm += shape * shape;
        }
        check_close(fabs(dot) / sqrt(norm) * sqrt(m), 1, 1e-9);
      }
      check_pairs(&K, &M, info.nfound, lambda, x, 4 * k / m, 1e-12);
      free(x);
    }
    pl_csc_free(&env, &K);
    pl_csc_free(&env, &M);
  }
}

// cube Laplacian: eigenvalues with multiplicity 3 and 6 from the symmetry of the cube
static void cube_with_repeated_values(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  enum { S = 14, NEV = 24 };
  const int m[3] = {S, S, S};
  pl_csc K, M;
  check_ok(&env, grid_laplacian(&env, m, 1, &K));
  check_ok(&env, diagonal(&env, K.n, NULL, 1, &M));
  double *all = malloc(S * S * S * sizeof *all), *x = malloc((size_t)K.n * NEV * sizeof *x);
  int count = 0;
  for (int a = 1; a <= S; a++)
    for (int b = 1; b <= S; b++)
      for (int c = 1; c <= S; c++) {
        double sa = sin(PL_PI * a / (2 * S + 2)), sb = sin(PL_PI * b / (2 * S + 2)),
               sc = sin(PL_PI * c / (2 * S + 2));
        all[count++] = 4 * (sa * sa + sb * sb + sc * sc);
      }
  qsort(all, (size_t)count, sizeof *all, ascending);
  for (int nev = 1; nev <= NEV; nev += 5) { // cuts through clusters, too
    double lambda[NEV];
    pl_eigen_info info;
    check_ok(&env, pl_eigen_lowest(&env, &K, &M, nev, 1, lambda, x, &info));
    assert_int_equal(info.nfound, nev);
    assert_int_equal(info.nbelow, 0);
    check_array(nev, lambda, all, 1e-13);
    check_pairs(&K, &M, nev, lambda, x, 12, 1e-12);
  }
  free(all);
  free(x);
  pl_csc_free(&env, &K);
  pl_csc_free(&env, &M);
}

// a free truss has six zero eigenvalues and nothing else near zero
static void free_body(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int sizes[][3] = {{2, 2, 2}, {5, 3, 3}, {30, 2, 2}};
  for (int c = 0; c < 3; c++) {
    pl_csc K, M;
    check_ok(&env, truss(&env, sizes[c], 0, 2e8, &K));
    check_ok(&env, diagonal(&env, K.n, NULL, 3, &M));
    for (int nev = 4; nev <= 12; nev += 2) {
      double lambda[12];
      double *x = malloc((size_t)(K.n * 12) * sizeof *x);
      pl_eigen_info info;
      check_ok(&env, pl_eigen_lowest(&env, &K, &M, nev, 1, lambda, x, &info));
      assert_int_equal(info.nfound, nev);
      assert_int_equal(info.nbelow, 0);
      for (int k = 0; k < 6 && k < nev; k++) check_close(lambda[k], 0, 1e-13 * 1e9);
      for (int k = 6; k < nev; k++) assert_true(lambda[k] > 1e-6 * 1e8);
      check_pairs(&K, &M, nev, lambda, x, 1e9, 1e-12);
      free(x);
    }
    pl_csc_free(&env, &K);
    pl_csc_free(&env, &M);
  }
}

// massless unknowns between masses: two springs k in series act as k/2
static void massless_unknowns(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const double k = 3, m = 2;
  for (int nmass = 1; nmass <= 150; nmass = 3 * nmass + 1) {
    int n = 2 * nmass + 1; // even places massless
    trip t = {0}, tm = {0};
    for (int i = 0; i < n; i++) trip_bar(&t, i, i + 1 < n ? i + 1 : -1, k);
    trip_bar(&t, 0, -1, k);
    for (int i = 1; i < n; i += 2) trip_add(&tm, i, i, m);
    pl_csc K, M;
    check_ok(&env, trip_build(&env, &t, n, 1, &K));
    check_ok(&env, trip_build(&env, &tm, n, 1, &M));
    double lambda[20];
    double *x = malloc((size_t)(20 * n) * sizeof *x);
    pl_eigen_info info;
    check_ok(&env, pl_eigen_lowest(&env, &K, &M, 20, 1, lambda, x, &info));
    assert_int_equal(info.nfound, nmass < 20 ? nmass : 20);
    assert_int_equal(info.nbelow, 0);
    for (int j = 0; j < info.nfound; j++) {
      double s = sin(PL_PI * (j + 1) / (2 * nmass + 2));
      check_rel(lambda[j], 4 * (k / 2) / m * s * s, 1e-11);
      // a massless point sits midway between its neighbours
      for (int i = 2; i < n - 1; i += 2)
        check_close(x[j * n + i], 0.5 * (x[j * n + i - 1] + x[j * n + i + 1]), 1e-10);
    }
    check_pairs(&K, &M, info.nfound, lambda, x, 4 * k / m, 1e-11);
    free(x);
    pl_csc_free(&env, &K);
    pl_csc_free(&env, &M);
  }
}

// K = Q diag Q' shifted down: known negative eigenvalues come first
static void indefinite_stiffness(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int m[3] = {6, 5, 4};
  pl_csc K, M;
  check_ok(&env, grid_laplacian(&env, m, 1, &K));
  check_ok(&env, diagonal(&env, K.n, NULL, 1, &M));
  double all[120];
  int count = 0;
  for (int a = 1; a <= 6; a++)
    for (int b = 1; b <= 5; b++)
      for (int c = 1; c <= 4; c++)
        all[count++] = 4 * (pow(sin(PL_PI * a / 14), 2) + pow(sin(PL_PI * b / 12), 2) +
                            pow(sin(PL_PI * c / 10), 2));
  qsort(all, 120, sizeof *all, ascending);
  const double down[4] = {3, 30, 3e4, -1e3}; // as far as beyond the whole spectrum, and up
  for (int c = 0; c < 4; c++) {
    pl_csc S;
    check_ok(&env, pl_csc_copy(&env, &K, &S));
    for (int j = 0; j < S.n; j++) S.val[S.ptr[j]] -= down[c];
    double lambda[10], x[10 * 120];
    pl_eigen_info info;
    check_ok(&env, pl_eigen_lowest(&env, &S, &M, 10, 1, lambda, x, &info));
    assert_int_equal(info.nfound, 10);
    assert_int_equal(info.nbelow, 0);
    for (int k = 0; k < 10; k++)
      check_close(lambda[k], all[k] - down[c], 1e-12 + 1e-15 * fabs(down[c]));
    pl_csc_free(&env, &S);
  }
  pl_csc_free(&env, &K);
  pl_csc_free(&env, &M);
}

// penalty links, 12 decades stiffer: rigid pairs of masses on soft springs, lambda = k / (2 m)
static void penalty_links(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  enum { PAIRS = 60 };
  trip t = {0};
  for (int p = 0; p < PAIRS; p++) {
    trip_bar(&t, 2 * p, 2 * p + 1, 1e12);
    trip_bar(&t, 2 * p, -1, 1 + p);
  }
  pl_csc K, M;
  check_ok(&env, trip_build(&env, &t, 2 * PAIRS, 1, &K));
  check_ok(&env, diagonal(&env, 2 * PAIRS, NULL, 1, &M));
  double lambda[8], x[8 * 2 * PAIRS];
  pl_eigen_info info;
  check_ok(&env, pl_eigen_lowest(&env, &K, &M, 8, 1, lambda, x, &info));
  assert_int_equal(info.nfound, 8);
  assert_int_equal(info.nbelow, 0);
  // the stored K_ii = 1e12 + 1 + p is exact, but elimination rounds at eps 1e12 = 1e-4
  for (int k = 0; k < 8; k++) check_close(lambda[k], 0.5 * (1 + k), 5e-4);
  pl_csc_free(&env, &K);
  pl_csc_free(&env, &M);
}

// K negative on a massless unknown: that direction is no mode, the others follow by elimination
static void negative_without_mass(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  // K = [2 1; 1 -4], M = diag(1, 0): lambda = 2 + 1/4
  trip t = {0};
  trip_add(&t, 0, 0, 2);
  trip_add(&t, 1, 0, 1);
  trip_add(&t, 1, 1, -4);
  pl_csc K, M;
  check_ok(&env, trip_build(&env, &t, 2, 1, &K));
  trip_add(&t, 0, 0, 1);
  check_ok(&env, trip_build(&env, &t, 2, 1, &M));
  double lambda[2], x[4];
  pl_eigen_info info;
  check_ok(&env, pl_eigen_lowest(&env, &K, &M, 2, 1, lambda, x, &info));
  assert_int_equal(info.nfound, 1);
  check_close(lambda[0], 2.25, 1e-12);
  check_close(x[1], 0.25 * x[0], 1e-12);
  pl_csc_free(&env, &K);

  // neither mass nor stiffness: every number is an eigenvalue
  trip_add(&t, 0, 0, 2);
  check_ok(&env, trip_build(&env, &t, 2, 1, &K));
  check_status(&env, pl_eigen_lowest(&env, &K, &M, 1, 1, lambda, x, &info), PL_SINGULAR);
  pl_csc_free(&env, &K);
  pl_csc_free(&env, &M);
}

// lower Cholesky factor of M applied from both sides makes a standard problem for LAPACK
static void reference_values(const pl_csc *K, const pl_csc *M, double *w) {
  int n = K->n, info, lwork = 1 + 6 * n + 2 * n * n, liwork = 3 + 5 * n;
  double *a = dense_of(K), *b = dense_of(M), *work = malloc((size_t)lwork * sizeof *work);
  int *iwork = malloc((size_t)liwork * sizeof *iwork);
  dpotrf_("L", &n, b, &n, &info, 1);
  assert_int_equal(info, 0);
  for (int pass = 0; pass < 2; pass++) { // a <- (L^-1 a)', twice
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) a[j * n + i] -= b[k * n + i] * a[j * n + k];
        a[j * n + i] /= b[i * n + i];
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) {
        double t = a[j * n + i];
        a[j * n + i] = a[i * n + j];
        a[i * n + j] = t;
      }
  }
  dsyevd_("N", "L", &n, a, &n, w, work, &lwork, iwork, &liwork, &info, 1, 1);
  assert_int_equal(info, 0);
  free(a);
  free(b);
  free(work);
  free(iwork);
}

// random pencils against dense LAPACK, including all eigenvalues at once
static void random_pencils(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 9);
  for (int n = 1; n <= 200; n += n < 10 ? 1 : 23) {
    pl_csc K, M;
    check_ok(&env, random_sparse(&env, &r, n, 1, 3, 1, &K)); // indefinite
    check_ok(&env, random_sparse(&env, &r, n, 1, 2, 15, &M));
    double *w = malloc((size_t)n * sizeof *w), *lambda = malloc((size_t)n * sizeof *lambda);
    double *x = malloc((size_t)n * (size_t)n * sizeof *x);
    reference_values(&K, &M, w);
    for (int nev = n; nev > 0; nev /= 4) {
      pl_eigen_info info;
      check_ok(&env, pl_eigen_lowest(&env, &K, &M, nev, 1, lambda, x, &info));
      assert_int_equal(info.nfound, nev);
      assert_int_equal(info.nbelow, 0);
      check_array(nev, lambda, w, 1e-12);
      check_pairs(&K, &M, nev, lambda, x, 1, 1e-9);
    }
    free(w);
    free(lambda);
    free(x);
    pl_csc_free(&env, &K);
    pl_csc_free(&env, &M);
  }
}

static pl_status lowest(pl_env *env, void *ctx) {
  (void)ctx;
  const int m[3] = {5, 5, 4};
  pl_csc K = {0}, M = {0};
  double lambda[3], x[300];
  pl_eigen_info info;
  pl_status s = grid_laplacian(env, m, 0, &K);
  if (s == PL_OK) s = diagonal(env, 100, NULL, 1, &M);
  if (s == PL_OK) s = pl_eigen_lowest(env, &K, &M, 3, 1, lambda, x, &info);
  pl_csc_free(env, &K);
  pl_csc_free(env, &M);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(lowest, NULL);
}

// large enough for threads in factors, products and sums over the basis
static void same_bits(void **state) {
  (void)state;
  enum { NEV = 6 };
  pl_env env;
  pl_env_init(&env);
  const int m[3] = {17, 16, 15};
  pl_csc K, M;
  check_ok(&env, truss(&env, m, 1, 1, &K));
  check_ok(&env, diagonal(&env, K.n, NULL, 1, &M));
  size_t n = (size_t)K.n, size = NEV * n * sizeof(double);
  double lambda[3][NEV], *x = malloc(size), *y = malloc(size);
  for (int nthread = 1; nthread <= 3; nthread++) {
    pl_eigen_info info;
    check_ok(&env, pl_eigen_lowest(&env, &K, &M, NEV, nthread, lambda[nthread - 1],
                                   nthread == 1 ? x : y, &info));
    assert_int_equal(info.nfound, NEV);
    assert_int_equal(info.nbelow, 0);
    check_less(info.residual, 1e-12);
    assert_memory_equal(lambda[nthread - 1], lambda[0], sizeof lambda[0]);
    if (nthread > 1) assert_memory_equal(x, y, size);
  }
  pl_csc_free(&env, &K);
  pl_csc_free(&env, &M);
  free(x);
  free(y);
}

static int stop_now(void *ctx, const pl_progress *p) {
  (void)p;
  return ++*(int *)ctx > 5;
}

// the same bits twice; bad arguments and cancelling are reported
static void repeatable_and_checked(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int m[3] = {9, 8, 7};
  pl_csc K, M, small;
  check_ok(&env, grid_laplacian(&env, m, 0, &K));
  check_ok(&env, diagonal(&env, K.n, NULL, 1, &M));
  check_ok(&env, diagonal(&env, 3, NULL, 1, &small));
  double a[6], b[6];
  double *x = malloc(6 * 504 * sizeof *x), *y = malloc(6 * 504 * sizeof *y);
  pl_eigen_info info;
  check_ok(&env, pl_eigen_lowest(&env, &K, &M, 6, 1, a, x, &info));
  check_ok(&env, pl_eigen_lowest(&env, &K, &M, 6, 1, b, y, &info));
  assert_memory_equal(a, b, sizeof a);
  assert_memory_equal(x, y, 6 * 504 * sizeof *x);

  check_status(&env, pl_eigen_lowest(&env, &K, &small, 6, 1, a, x, &info), PL_E_ARG);
  int calls = 0;
  env.progress = stop_now;
  env.progress_ctx = &calls;
  check_status(&env, pl_eigen_lowest(&env, &K, &M, 6, 1, a, x, &info), PL_CANCELLED);
  env.progress = NULL;
  K.val[5] = NAN;
  check_status(&env, pl_eigen_lowest(&env, &K, &M, 6, 1, a, x, &info), PL_E_ARG);
  K.val[5] = -1;
  M.val[7] = -1;
  check_status(&env, pl_eigen_lowest(&env, &K, &M, 6, 1, a, x, &info), PL_E_ARG);
  free(x);
  free(y);
  pl_csc_free(&env, &K);
  pl_csc_free(&env, &M);
  pl_csc_free(&env, &small);
}

int test_eigen(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chain_of_masses),
      cmocka_unit_test(cube_with_repeated_values),
      cmocka_unit_test(free_body),
      cmocka_unit_test(massless_unknowns),
      cmocka_unit_test(indefinite_stiffness),
      cmocka_unit_test(penalty_links),
      cmocka_unit_test(negative_without_mass),
      cmocka_unit_test(random_pencils),
      cmocka_unit_test(failing_allocator),
      cmocka_unit_test(same_bits),
      cmocka_unit_test(repeatable_and_checked),
  };
  return cmocka_run_group_tests_name("sparse.eigen", tests, NULL, NULL);
}
