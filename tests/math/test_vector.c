#include "check.h"
#include "pliant/math.h"

static void sums(void **state) {
  (void)state;
  double x[103], y[103], z[103];
  for (int n = 0; n <= 103; n++) {
    for (int i = 0; i < n; i++) {
      x[i] = i + 1;
      y[i] = i % 2 ? -1 : 2;
    }
    // sum k^2 = n(n+1)(2n+1)/6, exact in double
    double squares = n * (n + 1.0) * (2.0 * n + 1) / 6;
    assert_true(pl_dot(n, x, x) == squares);
    check_close(pl_norm(n, x), sqrt(squares), 1e-12);
    assert_true(pl_max_abs(n, x) == n);
    pl_axpy(n, -2, x, y, z);
    for (int i = 0; i < n; i++) assert_true(z[i] == y[i] - 2.0 * (i + 1));
  }
}

static void norms_at_the_ends_of_the_range(void **state) {
  (void)state;
  const double big[2] = {3e300, -4e300}, small[2] = {3e-310, 4e-310}, zero[2] = {0};
  check_rel(pl_norm(2, big), 5e300, 1e-15);
  check_rel(pl_norm(2, small), 5e-310, 1e-12); // subnormal: fewer digits
  assert_true(pl_norm(2, zero) == 0);
  const double bad[3] = {1, -INFINITY, 2};
  assert_true(isinf(pl_norm(3, bad)));
  assert_false(pl_all_finite(3, bad));
  assert_true(pl_all_finite(1, bad));
  assert_true(pl_all_finite(2, big));
}

// Gauss rule of n points: exact for x^p, p < 2n, and not beyond
static void gauss_exactness(void **state) {
  (void)state;
  for (int n = 1; n <= 16; n++) {
    double x[16], w[16];
    pl_gauss(n, x, w);
    for (int p = 0; p <= 2 * n; p++) {
      double sum = 0;
      for (int i = 0; i < n; i++) sum += w[i] * pow(x[i], p);
      double exact = p % 2 ? 0 : 2.0 / (p + 1);
      if (p < 2 * n)
        check_close(sum, exact, 1e-15 * (2 + p));
      else if (n <= 12) // the error is about 4^-n: above rounding
        assert_true(fabs(sum - exact) > 1e-9);
    }
    for (int i = 0; i < n; i++) {
      assert_true(w[i] > 0 && fabs(x[i]) < 1);
      check_close(x[i], -x[n - 1 - i], 1e-16);
      if (i > 0) assert_true(x[i] > x[i - 1]);
    }
  }
  // as many points as are wanted
  double many[2][100], sum = 0, odd = 0;
  pl_gauss(100, many[0], many[1]);
  for (int i = 0; i < 100; i++) sum += many[1][i] * pow(many[0][i], 198);
  for (int i = 0; i < 100; i++) odd += many[1][i] * pow(many[0][i], 199);
  check_close(sum, 2.0 / 199, 1e-13);
  check_close(odd, 0, 1e-15);
  double x[3] = {7, 7, 7}, w[3];
  pl_gauss(0, x, w);
  assert_true(x[0] == 7);
  pl_gauss(3, x, w);
  check_close(x[2], sqrt(0.6), 1e-16);
  check_close(w[1], 8.0 / 9, 2e-16);
}

// moments of the uniform and the normal law, four standard errors wide
static void random_moments(void **state) {
  (void)state;
  enum { N = 200000 };
  pl_rng r, again;
  pl_rng_seed(&r, 42);
  pl_rng_seed(&again, 42);
  double m1 = 0, m2 = 0, n1 = 0, n2 = 0, n4 = 0;
  for (int k = 0; k < N; k++) {
    double u = pl_rng_uniform(&r, -1, 3), g = pl_rng_normal(&r);
    assert_true(u >= -1 && u < 3);
    assert_true(u == pl_rng_uniform(&again, -1, 3) && g == pl_rng_normal(&again));
    m1 += u / N;
    m2 += (u - 1) * (u - 1) / N;
    n1 += g / N;
    n2 += g * g / N;
    n4 += g * g * g * g / N;
  }
  check_close(m1, 1, 4 * sqrt(4.0 / 3 / N));
  check_close(m2, 4.0 / 3, 4 * sqrt(64.0 / 45 / N));
  check_close(n1, 0, 4 / sqrt(N));
  check_close(n2, 1, 4 * sqrt(2.0 / N));
  check_close(n4, 3, 4 * sqrt(96.0 / N));

  // different seeds, also 0, give different streams
  pl_rng a, b;
  pl_rng_seed(&a, 0);
  pl_rng_seed(&b, 1);
  assert_true(pl_rng_uniform(&a, 0, 1) != pl_rng_uniform(&b, 0, 1));
}

int test_vector(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums),
      cmocka_unit_test(norms_at_the_ends_of_the_range),
      cmocka_unit_test(gauss_exactness),
      cmocka_unit_test(random_moments),
  };
  return cmocka_run_group_tests_name("math.vector", tests, NULL, NULL);
}
