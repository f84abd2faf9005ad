#include "check.h"
#include "pliant/math.h"
#include "pliant/validate.h"

#include <string.h>

// ---- a second method --------------------------------------------------------------------------

// phi, phi', int sin phi, int cos phi along phi'' = -P sin phi + Q cos phi
static void rates(double P, double Q, const double *y, double *dy) {
  dy[0] = y[1];
  dy[1] = -P * sin(y[0]) + Q * cos(y[0]);
  dy[2] = sin(y[0]);
  dy[3] = cos(y[0]);
}

// plain Runge-Kutta of fourth order from the clamp, phi'(0) = m
static void shoot(double m, double P, double Q, double *y) {
  enum { N = 4000 };
  const double h = 1.0 / N, part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  memcpy(y, (const double[]){0, m, 0, 0}, 4 * sizeof(double));
  for (int i = 0; i < N; i++) {
    double k[4] = {0}, sum[4] = {0}, z[4];
    for (int j = 0; j < 4; j++) {
      for (int c = 0; c < 4; c++) z[c] = y[c] + h * part[j] * k[c];
      rates(P, Q, z, k);
      for (int c = 0; c < 4; c++) sum[c] += weight[j] * k[c];
    }
    for (int c = 0; c < 4; c++) y[c] += h / 6 * sum[c];
  }
}

// Newton's method for phi'(0) and P of a strip with Q = mu P, by differences; returns eps
static double solve(double mu, double *m, double *P) {
  double y[4], a[4], b[4];
  for (int it = 0; it < 20; it++) {
    const double d = 1e-6;
    shoot(*m, *P, mu * *P, y);
    shoot(*m + d, *P, mu * *P, a);
    shoot(*m, *P + d, mu * (*P + d), b);
    // phi'(1) = 0 and int sin phi = 0
    double A = (a[1] - y[1]) / d, B = (b[1] - y[1]) / d, C = (a[2] - y[2]) / d,
           D = (b[2] - y[2]) / d, det = A * D - B * C;
    *m -= (D * y[1] - B * y[2]) / det;
    *P -= (A * y[2] - C * y[1]) / det;
  }
  shoot(*m, *P, mu * *P, y);
  check_close(y[1], 0, 1e-10);
  check_close(y[2], 0, 1e-10);
  return 1 - y[3];
}

// Runge-Kutta with 4000 steps errs by some 1e-12
static void shooting(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  // near onset the force at the tip has an arm of one about the clamp: phi'(0) = -Q
  double m = -0.01 * 20.19, P = 20.19;
  for (double mu = 0.01; mu < 0.356; mu += 0.03) {
    double eps = solve(mu, &m, &P), e, p, q;
    check_ok(&env, pl_master_stick_slip(&env, mu, &e, &p, &q));
    check_close(e, eps, 1e-10);
    check_rel(p, P, 1e-10);
    check_rel(q, mu * P, 1e-10);
    m *= (mu + 0.03) / mu;
  }
}

// ---- published figures ------------------------------------------------------------------------

// the table of the contact notes, 8 digits
static void table(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const double eps[] = {0.01238049, 0.04687418, 0.09690457, 0.15486735,
                        0.21446356, 0.27156343, 0.32399351};
  const double force[] = {20.284941, 20.549061, 20.934749, 21.380521,
                          21.828087, 22.232084, 22.562811};
  for (int i = 0; i < 7; i++) {
    double mu = 0.05 * (i + 1), e, P, Q;
    check_ok(&env, pl_master_stick_slip(&env, mu, &e, &P, &Q));
    check_close(e, eps[i], 6e-9);
    check_close(P, force[i], 6e-7);
  }
}

// onset: tan k = k; Q/P over sqrt(eps) there; the triple point
static void ends(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double e, P, Q, mu;
  check_ok(&env, pl_master_stick_slip(&env, 0, &e, &P, &Q));
  check_close(tan(sqrt(P)), sqrt(P), 1e-11);
  check_close(P, 20.1907, 5e-5);
  assert_true(e == 0 && Q == 0);
  check_ok(&env, pl_master_stick_slip(&env, 1e-5, &e, &P, &Q));
  check_close(Q / P / sqrt(e), 0.445096, 5e-7);
  check_ok(&env, pl_master_stick_slip_end(&env, &e, &mu));
  check_close(e, 0.33029, 5e-6);
  check_close(mu, 0.35637, 5e-6);
}

static void both_ways(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double end, most, mu, P;
  check_ok(&env, pl_master_stick_slip_end(&env, &end, &most));
  check_ok(&env, pl_master_stick_slip_at(&env, end, &mu, &P));
  check_rel(mu, most, 1e-12);
  for (mu = 1e-6; mu < most; mu *= 1.4) {
    double e, p, q, back;
    check_ok(&env, pl_master_stick_slip(&env, mu, &e, &p, &q));
    check_ok(&env, pl_master_stick_slip_at(&env, e, &back, &P));
    check_rel(back, mu, 1e-10);
    check_rel(P, p, 1e-12);
  }
}

static void refused(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double e, P, Q;
  check_status(&env, pl_master_stick_slip(&env, 0.357, &e, &P, &Q), PL_E_ARG);
  assert_non_null(strstr(env.error.text, "0.35637"));
  check_status(&env, pl_master_stick_slip(&env, -0.1, &e, &P, &Q), PL_E_ARG);
  check_status(&env, pl_master_stick_slip(&env, NAN, &e, &P, &Q), PL_E_ARG);
  check_status(&env, pl_master_stick_slip_at(&env, 0.34, &e, &P), PL_E_ARG);
  check_status(&env, pl_master_stick_slip_at(&env, -1, &e, &P), PL_E_ARG);
}

int test_stick_slip(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shooting),  cmocka_unit_test(table),   cmocka_unit_test(ends),
      cmocka_unit_test(both_ways), cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
