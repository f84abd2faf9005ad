// The positive part H+ of a symmetric matrix H = H+ - H-: the one pair of positive semidefinite
// matrices with H+ H- = 0.
#include "model_impl.h"

#include "check.h"

#include "pliant/math.h"

#include <string.h>

enum { N = PL_NDOF_MAX };

// A = sum_k lambda_k v_k v_k' with orthonormal v of random directions; P: the same of lambda > 0
static void of_spectrum(pl_rng *r, int n, const double *lambda, double *A, double *P) {
  double V[N][N];
  for (int k = 0; k < n; k++) {
    // Gram and Schmidt, twice
    for (int i = 0; i < n; i++) V[k][i] = pl_rng_normal(r);
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j < k; j++) pl_axpy(n, -pl_dot(n, V[j], V[k]), V[j], V[k], V[k]);
    double len = pl_norm(n, V[k]);
    for (int i = 0; i < n; i++) V[k][i] /= len;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double a = 0, p = 0;
      for (int k = 0; k < n; k++) {
        a += lambda[k] * V[k][i] * V[k][j];
        p += fmax(lambda[k], 0) * V[k][i] * V[k][j];
      }
      A[i * n + j] = A[j * n + i] = a;
      P[i * n + j] = P[j * n + i] = p;
    }
}

// A + shift positive definite
static int positive(int n, const double *A, double shift) {
  double L[N * N];
  memcpy(L, A, (size_t)(n * n) * sizeof *L);
  for (int k = 0; k < n; k++) {
    double d = L[k * n + k] + shift;
    for (int j = 0; j < k; j++) d -= L[k * n + j] * L[k * n + j];
    if (!(d > 0)) return 0;
    d = L[k * n + k] = sqrt(d);
    for (int i = k + 1; i < n; i++) {
      double a = A[i * n + k];
      for (int j = 0; j < k; j++) a -= L[i * n + j] * L[k * n + j];
      L[i * n + k] = a / d;
    }
  }
  return 1;
}

// what makes H+ the positive part, to tol of the size of H
static void check_part(int n, const double *H, const double *part, double tol) {
  double minus[N * N], size = fmax(pl_max_abs(n * n, H), 1e-300) * n, product = 0;
  for (int i = 0; i < n * n; i++) minus[i] = part[i] - H[i];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      assert_true(part[i * n + j] == part[j * n + i]);
      double sum = 0;
      for (int k = 0; k < n; k++) sum += part[i * n + k] * minus[k * n + j];
      product = fmax(product, fabs(sum));
    }
  assert_true(positive(n, part, tol * size));
  assert_true(positive(n, minus, tol * size));
  check_less(product / (size * size), tol);
}

static void check_spectrum(pl_rng *r, int n, const double *lambda, double tol) {
  double H[N * N], part[N * N], want[N * N];
  of_spectrum(r, n, lambda, H, want);
  memcpy(part, H, (size_t)(n * n) * sizeof *H);
  convex_part(n, part);
  check_part(n, H, part, tol);
  check_array(n * n, part, want, tol * n * pl_max_abs(n, lambda));
}

static void random_spectra(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 1);
  for (int n = 1; n <= N; n++)
    for (int trial = 0; trial < 20; trial++) {
      double lambda[N], scale = pow(10, pl_rng_uniform(&r, -8, 12));
      for (int k = 0; k < n; k++) lambda[k] = scale * pl_rng_normal(&r);
      check_spectrum(&r, n, lambda, 1e-14);
    }
}

// eigenvalues many times over, zeros, one that is not zero, sizes decades apart
static void degenerate_spectra(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 2);
  for (int n = 2; n <= N; n++)
    for (int kind = 0; kind < 6; kind++) {
      double lambda[N] = {0};
      for (int k = 0; k < n; k++) {
        if (kind == 0) lambda[k] = k % 2 ? 1 : -1;
        if (kind == 1) lambda[k] = k % 3 - 1;
        if (kind == 2) lambda[k] = k == 0 ? -3 : 0;
        if (kind == 3) lambda[k] = k == 0 ? -1e-9 : 1;
        if (kind == 4) lambda[k] = (k % 2 ? 1 : -1) * pow(10, -k);
        if (kind == 5) lambda[k] = k == 0 ? 5 : -1 - 1e-13 * k;
      }
      check_spectrum(&r, n, lambda, 1e-14);
    }
}

// convex matrices come back as they are, in every bit; so does zero
static void unchanged(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 3);
  for (int n = 1; n <= N; n++)
    for (int kind = 0; kind < 4; kind++) {
      double lambda[N] = {0}, H[N * N], part[N * N], want[N * N];
      for (int k = 0; k < n; k++) {
        if (kind == 0) lambda[k] = pl_rng_uniform(&r, 0.1, 1e6);
        if (kind == 1) lambda[k] = k % 2;
        if (kind == 2) lambda[k] = k == n / 2;
      }
      of_spectrum(&r, n, lambda, H, want);
      memcpy(part, H, sizeof part);
      convex_part(n, part);
      assert_memory_equal(part, H, (size_t)(n * n) * sizeof *H);
    }
}

// concave matrices become zero to rounding
static void nothing_left(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 4);
  for (int n = 1; n <= N; n++)
    for (int rank = 1; rank <= n; rank += n > 3 ? n / 3 : 1) {
      double lambda[N] = {0};
      for (int k = 0; k < rank; k++) lambda[k] = -pl_rng_uniform(&r, 0.5, 2);
      check_spectrum(&r, n, lambda, 1e-14);
    }
}

// matrices with zeros: diagonal, two blocks that do not meet, tridiagonal of 2 x 2 blocks; each
// block by its own
static void blocks(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 5);
  for (int n = 2; n <= N; n++) {
    double H[N * N] = {0}, part[N * N], want[N * N] = {0};
    for (int i = 0; i < n; i++) {
      H[i * n + i] = pl_rng_normal(&r);
      want[i * n + i] = fmax(0, H[i * n + i]);
    }
    memcpy(part, H, sizeof part);
    convex_part(n, part);
    check_array(n * n, part, want, 1e-14);

    for (int cut = 1; cut<n; cut += n> 6 ? n / 4 : 1) {
      double lambda[N], A[N * N], P[N * N];
      for (int from = 0; from < n; from += from ? n : cut) {
        int m = from ? n - cut : cut;
        for (int k = 0; k < m; k++) lambda[k] = pl_rng_normal(&r);
        of_spectrum(&r, m, lambda, A, P);
        for (int i = 0; i < m * m; i++) {
          int at = (from + i / m) * n + from + i % m;
          H[at] = A[i];
          want[at] = P[i];
        }
      }
      memcpy(part, H, sizeof part);
      convex_part(n, part);
      check_part(n, H, part, 1e-14);
      check_array(n * n, part, want, 1e-14 * n * pl_max_abs(n * n, H));
      memset(H, 0, sizeof H);
      memset(want, 0, sizeof want);
    }
  }
}

// [0 a'; a 0] with |a| = 1 has eigenvalues -1 and 1 with vectors (1, -+a)/sqrt2, others zero
static void cross(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 6);
  for (int n = 2; n <= N; n++) {
    double a[N] = {0}, H[N * N] = {0}, want[N * N];
    for (int i = 1; i < n; i++) a[i] = pl_rng_normal(&r);
    double len = pl_norm(n, a);
    for (int i = 1; i < n; i++) {
      a[i] /= len;
      H[i] = H[i * n] = a[i];
    }
    a[0] = 1;
    for (int i = 0; i < n * n; i++) want[i] = a[i / n] * a[i % n] / 2;
    convex_part(n, H);
    check_array(n * n, H, want, 1e-14);
  }
}

// a flip of sign and a power of two change nothing else: H+ of -H is H-
static void scaled(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 7);
  for (int n = 1; n <= N; n++) {
    double lambda[N], H[N * N], want[N * N], big[N * N], small[N * N], minus[N * N], sum[N * N];
    for (int k = 0; k < n; k++) lambda[k] = pl_rng_normal(&r);
    of_spectrum(&r, n, lambda, H, want);
    for (int i = 0; i < n * n; i++) {
      big[i] = ldexp(H[i], 300);
      small[i] = ldexp(H[i], -300);
      minus[i] = -H[i];
    }
    memcpy(sum, H, sizeof sum);
    convex_part(n, sum);
    convex_part(n, minus);
    convex_part(n, big);
    convex_part(n, small);
    for (int i = 0; i < n * n; i++) {
      assert_true(ldexp(big[i], -300) == sum[i]);
      assert_true(ldexp(small[i], 300) == sum[i]);
      sum[i] -= minus[i];
    }
    check_array(n * n, sum, H, 1e-14 * n);
  }
}

int test_convex(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_spectra), cmocka_unit_test(degenerate_spectra),
      cmocka_unit_test(unchanged),      cmocka_unit_test(nothing_left),
      cmocka_unit_test(blocks),         cmocka_unit_test(cross),
      cmocka_unit_test(scaled),
  };
  return cmocka_run_group_tests_name("model.convex", tests, NULL, NULL);
}
