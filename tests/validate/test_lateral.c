#include "check.h"
#include "pliant/math.h"
#include "pliant/validate.h"

#include <string.h>

static double master(pl_env *env, double nu, double w) {
  double y;
  check_ok(env, pl_master_lateral(env, nu, w, &y));
  return y;
}

// ---- a second method for narrow strips --------------------------------------------------------

// twist of a strip under its own weight, beta'' + (q s^2 / 2)^2 beta = 0 from the free end, beta' =
// 0 there; beta at the clamp, by plain Runge-Kutta. q = weight / sqrt(EI GJ)
static double clamp_twist(double q) {
  enum { N = 2000 };
  const double h = 1.0 / N, part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  double b = 1, d = 0;
  for (int i = 0; i < N; i++) {
    double kb = 0, kd = 0, sb = 0, sd = 0;
    for (int j = 0; j < 4; j++) {
      double s = (i + part[j]) * h, m = 0.5 * q * s * s, at = b + h * part[j] * kb,
             slope = d + h * part[j] * kd;
      kb = slope;
      kd = -m * m * at;
      sb += weight[j] * kb;
      sd += weight[j] * kd;
    }
    b += h / 6 * sb;
    d += h / 6 * sd;
  }
  return b;
}

static double strip_constant(void) {
  double lo = 10, hi = 15;
  while (hi - lo > 1e-13) {
    double m = 0.5 * (lo + hi);
    if (clamp_twist(m) > 0)
      lo = m;
    else
      hi = m;
  }
  return 0.5 * (lo + hi);
}

// Gamma* = q sqrt(EI GJ)/D with EI = D (1 - nu^2), GJ = 2 D (1 - nu) for one width; 18.178 with
// (1 - nu) sqrt(1 + nu) in the notes to the paper
static void narrow(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double q = strip_constant();
  check_close(sqrt(2) * q, 18.178, 5e-4);
  for (double nu = -0.9; nu < 0.51; nu += 0.35)
    check_rel(master(&env, nu, 0), q * sqrt((1 - nu * nu) * 2 * (1 - nu)), 1e-11);
}

// plates approach the strip: what is left falls like w, down to the narrowest that are computed
static void towards_narrow(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double zero = master(&env, 0.35, 0), slope[3];
  const double w[] = {0.002, 0.008, 0.032};
  for (int i = 0; i < 3; i++) slope[i] = (master(&env, 0.35, w[i]) - zero) / w[i];
  // straight lines through the slopes meet at w = 0 to what the curve bends
  double a = slope[0] - w[0] * (slope[1] - slope[0]) / (w[1] - w[0]);
  double b = slope[1] - w[1] * (slope[2] - slope[1]) / (w[2] - w[1]);
  check_close(a, b, 0.02);
  // below 0.001 a line takes over
  check_close(master(&env, 0.35, 0.0005), zero + 0.0005 * a, 1e-5);
}

// ---- published figures ------------------------------------------------------------------------

static double fit(double nu, double w) {
  return 18.2 * (1 - nu) * sqrt(1 + nu) + 14.5 * w;
}

// recomputed for the notes to the paper by other means, all digits given: values, the error of the
// paper's straight line, and slopes
static void anchors(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_close(master(&env, 0.35, 0), 13.729, 5e-4);
  check_close(master(&env, 0.35, 0.5), 20.81, 5e-3);
  check_close(100 * (fit(0.35, 0.2) / master(&env, 0.35, 0.2) - 1), 2.8, 0.05);
  check_close(100 * (fit(0.35, 1) / master(&env, 0.35, 1) - 1), -3.1, 0.05);
  double start = (master(&env, 0.35, 0.02) - master(&env, 0.35, 0.005)) / 0.015;
  double end = (master(&env, 0.35, 1) - master(&env, 0.35, 0.99)) / 0.01;
  check_close(start, 10.5, 0.3);
  check_close(end, 16.3, 0.5);
}

// the paper finds curves of other ratios parallel, by its formula that is 3 % off at nu = 0.35; 5 %
// is what "approximately" can bear
static void other_ratios(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (double nu = 0; nu < 0.5; nu += 0.2)
    for (double w = 0.25; w < 0.8; w += 0.5) check_rel(master(&env, nu, w), fit(nu, w), 0.05);
}

static void refused(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double y;
  check_status(&env, pl_master_lateral(&env, 0.6, 0.5, &y), PL_E_ARG);
  check_status(&env, pl_master_lateral(&env, NAN, 0.5, &y), PL_E_ARG);
  check_status(&env, pl_master_lateral(&env, 0.3, -0.1, &y), PL_E_ARG);
  check_status(&env, pl_master_lateral(&env, 0.3, 6, &y), PL_E_ARG);
}

static int stop(void *ctx, const pl_progress *p) {
  (void)p;
  return ++*(int *)ctx > 2;
}

static void cancelled(void **state) {
  (void)state;
  pl_env env;
  failing_alloc f;
  pl_env_init(&env);
  failing_alloc_install(&env, &f, -1);
  int calls = 0;
  double y;
  env.progress = stop;
  env.progress_ctx = &calls;
  check_status(&env, pl_master_lateral(&env, 0.35, 1, &y), PL_CANCELLED);
  assert_int_equal(f.live, 0);
}

// some of the allocations fail, sparser and sparser: each run takes its time
static void out_of_memory(void **state) {
  (void)state;
  pl_env env;
  failing_alloc f;
  pl_status s = PL_E_NOMEM;
  for (long at = 0; s != PL_OK; at += 1 + at / 3) {
    double y;
    pl_env_init(&env);
    failing_alloc_install(&env, &f, at);
    s = pl_master_lateral(&env, 0.35, 1, &y);
    if (s != PL_OK) check_status(&env, s, PL_E_NOMEM);
    assert_int_equal(f.live, 0);
  }
}

int test_lateral(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(narrow),        cmocka_unit_test(towards_narrow),
      cmocka_unit_test(anchors),       cmocka_unit_test(other_ratios),
      cmocka_unit_test(refused),       cmocka_unit_test(cancelled),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
