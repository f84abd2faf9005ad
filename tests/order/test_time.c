// Order of the time steppers: average-acceleration Newmark 2, implicit Euler 1, BDF2 2 (Hughes, The
// Finite Element Method, ch. 9; Hairer & Wanner, vol. 2, ch. V.1), on a driven damped oscillator
// with its closed form and on a pair of masses with cubic springs against Runge-Kutta.
#include "../golden/golden.h"

#include <complex.h>
#include <string.h>

static pl_env env;

static const struct {
  const char *name;
  int method;
  double order;
} methods[] = {
    {"newmark", PL_NEWMARK, 2}, {"implicit-euler", PL_IMPLICIT_EULER, 1}, {"bdf2", PL_BDF2, 2}};

static const double MASS = 1.5, DAMP = 0.4, STIFF = 30, FORCE = 2, OMEGA = 3, PHASE = 0.6, END = 3;

// 1 or 2 scalar masses: ground - spring - 0 - spring - 1, force on 0
static void masses(model_kit *k, int n, double cubic) {
  static const double X[2] = {0, 0};
  static const int spring[4] = {-1, 0, 0, 1}, mass[2] = {0, 1};
  const double par[4] = {STIFF, 0, cubic, DAMP};
  kit_init(k, &env, 1);
  k->d.nnode = n;
  k->d.X = X;
  kit_group(k, "springs", "spring1", n, spring, 1, par);
  kit_group(k, "masses", "mass1", n, mass, 1, &MASS);
  int load = kit_push(k, 1, mass, &FORCE);
  k->load[load].term.harmonic = 1;
  k->load[load].term.phase = PHASE;
}

// x and v at the end, from x0 and v0 in every mass
static void step_through(model_kit *k, int method, int nstep, double x0, double v0, double *x) {
  kit_model b;
  kit_build(k, 1, &b);
  for (int i = 0; i < b.s->nq; i++) {
    b.s->q[i] = x0;
    b.s->v[i] = v0;
  }
  pl_transient_opts o = golden_transient_opts(END / nstep, END);
  o.method = method;
  o.frequency = OMEGA;
  o.rtol = 1e-12;
  check_ok(&env, pl_transient(&o, b.m, b.p, b.s, NULL, b.w, NULL, NULL, NULL));
  memcpy(x, b.s->q, (size_t)b.s->nq * sizeof *x);
  memcpy(x + b.s->nq, b.s->v, (size_t)b.s->nq * sizeof *x);
  kit_model_free(&b);
}

// m x'' + c x' + k x = F sin(w t + phase): steady state and decaying part
static void oscillator(double x0, double v0, double *out) {
  double complex Z = FORCE / (STIFF - MASS * OMEGA * OMEGA + I * DAMP * OMEGA);
  double complex at0 = Z * cexp(I * PHASE), at1 = Z * cexp(I * (OMEGA * END + PHASE));
  double complex s = -DAMP / (2 * MASS) + I * sqrt(STIFF / MASS - pow(DAMP / (2 * MASS), 2));
  // x = Im(steady) + Re(A exp(s t))
  double a = x0 - cimag(at0), va = v0 - cimag(I * OMEGA * at0);
  double complex A = a + I * (creal(s) * a - va) / cimag(s), e = A * cexp(s * END);
  out[0] = cimag(at1) + creal(e);
  out[1] = cimag(I * OMEGA * at1) + creal(s * e);
}

static void rates(double t, const double *y, double cubic, double *dy) {
  double d = y[1] - y[0], f0 = STIFF * y[0] + cubic * pow(y[0], 3) + DAMP * y[2];
  double f1 = STIFF * d + cubic * d * d * d + DAMP * (y[3] - y[2]);
  dy[0] = y[2];
  dy[1] = y[3];
  dy[2] = (FORCE * sin(OMEGA * t + PHASE) - f0 + f1) / MASS;
  dy[3] = -f1 / MASS;
}

// classical Runge-Kutta with steps so small that its own error, h^4, is below 1e-12
static void runge_kutta(double x0, double v0, double cubic, double *y) {
  int n = 20000;
  double h = END / n, k[4][4], z[4];
  for (int i = 0; i < 4; i++) y[i] = i < 2 ? x0 : v0;
  for (int s = 0; s < n; s++) {
    const double part[4] = {0, 0.5, 0.5, 1};
    for (int j = 0; j < 4; j++) {
      for (int i = 0; i < 4; i++) z[i] = y[i] + (j ? h * part[j] * k[j - 1][i] : 0);
      rates(s * h + part[j] * h, z, cubic, k[j]);
    }
    for (int i = 0; i < 4; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

static void check_order(int n, double cubic, const double *exact) {
  static model_kit k;
  masses(&k, n, cubic);
  for (int m = 0; m < 3; m++) {
    double h[4], err[4], x[4];
    for (int i = 0; i < 4; i++) {
      int nstep = 1600 << i;
      h[i] = END / nstep;
      step_through(&k, methods[m].method, nstep, 0.3, -0.5, x);
      err[i] = 0;
      for (int j = 0; j < 2 * n; j++) err[i] = fmax(err[i], fabs(x[j] - exact[j]));
    }
    check_less(methods[m].order - 0.1, order_slope(4, h, err));
    check_less(order_slope(4, h, err), methods[m].order + 0.2);
  }
  kit_free(&k);
}

static void linear_oscillator(void **state) {
  (void)state;
  double exact[2];
  oscillator(0.3, -0.5, exact);
  check_order(1, 0, exact);
}

static void cubic_pair(void **state) {
  (void)state;
  double exact[4];
  runge_kutta(0.3, -0.5, 40, exact);
  check_order(2, 40, exact);
}

int test_time(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_oscillator),
      cmocka_unit_test(cubic_pair),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("time", tests, NULL, NULL);
}
