// Points of the unit cube, beside SciPy's and beside what they are to be.
#include "check.h"

#include "pliant/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pl_env env;

// point 1000 of scipy.stats.qmc.Sobol(64, scramble=False), SciPy 1.10, times 1024
static const int scipy_1000[PL_SOBOL_MOST] = {
    225,  99,  531,  693, 287, 929, 47,  921, 513, 71,  87,  261,  165, 393, 147, 379,
    737,  353, 1015, 743, 535, 563, 973, 553, 597, 929, 41,  1003, 61,  349, 151, 149,
    303,  607, 821,  789, 869, 851, 315, 491, 935, 261, 983, 719,  861, 95,  893, 941,
    1023, 491, 361,  529, 771, 449, 129, 913, 465, 81,  905, 585,  457, 617, 265, 457};

static void sobol_beside_scipy(void **state) {
  (void)state;
  pl_env_init(&env);
  double *u = malloc(1001 * PL_SOBOL_MOST * sizeof *u);
  check_ok(&env, pl_sample_sobol(&env, 1001, PL_SOBOL_MOST, 0, u));
  for (int d = 0; d < PL_SOBOL_MOST; d++) {
    assert_true(u[d] == 0);
    assert_true(u[1000 * PL_SOBOL_MOST + d] * 1024 == scipy_1000[d]);
  }
  // fewer dimensions and points are the same ones
  double few[8 * 3];
  check_ok(&env, pl_sample_sobol(&env, 8, 3, 0, few));
  for (int i = 0; i < 8; i++)
    for (int d = 0; d < 3; d++) assert_true(few[3 * i + d] == u[PL_SOBOL_MOST * i + d]);
  free(u);
}

// how many of n points lie in each of n equal parts of every dimension; all must be 1
static void check_parts(int n, int dim, const double *u) {
  char *seen = malloc((size_t)n);
  for (int d = 0; d < dim; d++) {
    memset(seen, 0, (size_t)n);
    for (int i = 0; i < n; i++) {
      double v = u[(size_t)i * (size_t)dim + (size_t)d];
      assert_true(v >= 0 && v < 1);
      int part = (int)(v * n);
      assert_int_equal(seen[part], 0);
      seen[part] = 1;
    }
  }
  free(seen);
}

static void one_in_each_part(void **state) {
  (void)state;
  enum { N = 256, DIM = PL_SOBOL_MOST };
  double *u = malloc(N * DIM * sizeof *u);
  pl_env_init(&env);
  for (unsigned seed = 0; seed < 3; seed++) {
    check_ok(&env, pl_sample_sobol(&env, N, DIM, seed, u));
    check_parts(N, DIM, u);
    check_ok(&env, pl_sample_latin(&env, N, DIM, seed, u));
    check_parts(N, DIM, u);
    // any number will do for a hypercube
    check_ok(&env, pl_sample_latin(&env, 7, DIM, seed, u));
    check_parts(7, DIM, u);
  }
  free(u);
}

// A smooth function of six numbers with the mean 1: its mean over Sobol points comes much closer
// than that over random ones, shifted or not.
static double far_from_mean(const double *u, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double f = 1;
    for (int d = 0; d < 6; d++) f *= 1 + (u[6 * i + d] - 0.5);
    sum += f;
  }
  return fabs(sum / n - 1);
}

static void sobol_integrates(void **state) {
  (void)state;
  enum { N = 4096 };
  double *u = malloc(N * 6 * sizeof *u);
  pl_env_init(&env);
  for (unsigned seed = 0; seed < 4; seed++) {
    check_ok(&env, pl_sample_sobol(&env, N, 6, seed, u));
    // random points have a standard error of 0.81/64
    check_less(far_from_mean(u, N), 0.1 * 0.81 / 64);
  }
  free(u);
}

static void seeds(void **state) {
  (void)state;
  double a[20], b[20];
  pl_env_init(&env);
  for (int kind = 0; kind < 3; kind++) {
    for (unsigned seed = 5; seed < 8; seed++) {
      double *to = seed == 5 ? a : b;
      if (kind == 0) pl_sample_random(10, 2, seed, to);
      if (kind == 1) check_ok(&env, pl_sample_latin(&env, 10, 2, seed, to));
      if (kind == 2) check_ok(&env, pl_sample_sobol(&env, 10, 2, seed, to));
      if (seed > 5) assert_true(memcmp(a, b, sizeof a) != 0);
    }
    if (kind == 1) {
      check_ok(&env, pl_sample_latin(&env, 10, 2, 5, b));
      assert_memory_equal(a, b, sizeof a);
    }
  }
  check_status(&env, pl_sample_sobol(&env, 1, PL_SOBOL_MOST + 1, 0, a), PL_E_ARG);
}

// numbers of SciPy 1.10
static void quantiles(void **state) {
  (void)state;
  static const double normal[][2] = {
      {1e-300, -37.0470962993612}, {1e-20, -9.262340089798409}, {1e-5, -4.264890793922825},
      {0.01, -2.3263478740408408}, {0.05, -1.6448536269514729}, {0.25, -0.6744897501960817},
      {0.6, 0.2533471031357997},   {0.975, 1.959963984540054},  {1 - 1e-10, 6.361340889697422}};
  static const double p[] = {0.05, 0.5, 0.9};
  static const double lognormal[] = {5.909920564135924, 9.578262852211514, 13.95320189467322};
  static const double triangular[] = {8.774596669241483, 10.535898384862245, 12.450806661517033};
  for (size_t k = 0; k < sizeof normal / sizeof *normal; k++)
    check_rel(pl_normal_quantile(normal[k][0]), normal[k][1], 2e-15);
  assert_true(pl_normal_quantile(0.5) == 0);
  const pl_distribution ln = {PL_LOGNORMAL, 10, 3, 0}, tri = {PL_TRIANGULAR, 8, 10, 14};
  const pl_distribution flat = {PL_UNIFORM, -2, 6, 0}, ratio = {PL_LOGUNIFORM, 0.1, 1000, 0};
  for (int k = 0; k < 3; k++) {
    check_rel(pl_distribution_quantile(&ln, p[k]), lognormal[k], 1e-14);
    check_rel(pl_distribution_quantile(&tri, p[k]), triangular[k], 1e-14);
  }
  check_rel(pl_distribution_quantile(&flat, 0.25), 1e-15, 1);
  check_rel(pl_distribution_quantile(&ratio, 0.5), 10, 1e-14);
}

int test_sample(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sobol_beside_scipy), cmocka_unit_test(one_in_each_part),
      cmocka_unit_test(sobol_integrates), cmocka_unit_test(seeds), cmocka_unit_test(quantiles)};
  return cmocka_run_group_tests_name("study.sample", tests, NULL, NULL);
}
