#include "rig.h"

#include <stdio.h>

static const int methods[3] = {PL_NEWMARK, PL_IMPLICIT_EULER, PL_BDF2};

// m q'' + c q' + k q = 0 from q = 1, v = v0, at time t (damped below the critical)
static double decay(double m, double c, double k, double v0, double t) {
  double d = c / (2 * m), w = sqrt(k / m - d * d);
  return exp(-d * t) * (cos(w * t) + (v0 + d) / w * sin(w * t));
}

static void order_of_methods(void **state) {
  (void)state;
  const double order[3] = {2, 1, 2}, finest[3] = {1e-9, 1e-3, 1e-8};
  for (int k = 0; k < 3; k++)
    for (int damped = 0; damped < 2; damped++) {
      double h[4], err[4], c = damped ? 0.3 : 0;
      oscillator o;
      oscillator_make(&o, 0.5, 1, 0, c);
      for (int i = 0; i < 4; i++) {
        rig r;
        rig_open(&r, &o.desc, 1);
        pl_transient_opts opt = transient_defaults();
        opt.method = methods[k];
        opt.duration = 1;
        opt.step = h[i] = (order[k] < 2 ? 2e-2 : 5e-4) / (1 << i);
        pl_transient_info info;
        r.s->q[0] = 1;
        r.s->v[0] = 0.3;
        check_ok(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, NULL, NULL, &info));
        assert_int_equal(info.reason, PL_STOP_END);
        check_close(r.s->t, 1, 1e-12);
        err[i] = fabs(r.s->q[0] - decay(0.5, c, 1, 0.3, 1));
        rig_close(&r);
      }
      check_close(order_slope(4, h, err), order[k], 0.1);
      check_less(err[3], finest[k]);
    }
}

typedef struct record {
  double first, worst;
  long nalloc, nstep;
  pl_env *env;
} record;

static int observe_energy(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  (void)s, (void)c;
  record *r = ctx;
  double e = w->elastic + w->kinetic;
  if (r->nstep++ == 0) {
    r->first = e;
    r->nalloc = r->env->nalloc;
  }
  r->worst = fmax(r->worst, fabs(e - r->first));
  // no memory is asked for after the first step
  assert_int_equal(r->env->nalloc, r->nalloc);
  return 0;
}

// average acceleration keeps the energy of a linear chain; nothing is allocated on the way
static void energy_is_kept(void **state) {
  (void)state;
  enum { N = 12 };
  double X[N] = {0}, spring[4] = {50, 0, 0, 0}, mass[1] = {0.7};
  int pair[2 * N], node[N];
  for (int i = 0; i < N; i++) {
    pair[2 * i] = i - 1;
    pair[2 * i + 1] = node[i] = i;
  }
  pl_group_desc group[2] = {{"springs", kind_of("spring1"), N, pair, 1, spring, 0},
                            {"masses", kind_of("mass1"), N, node, 1, mass, 0}};
  pl_model_desc d = {.dim = 1, .nnode = N, .X = X, .ngroup = 2, .group = group};
  rig r;
  rig_open(&r, &d, 1);
  for (int i = 0; i < N; i++) {
    r.s->q[i] = 0.1 * sin(i + 1.0);
    r.s->v[i] = cos(3.0 * i);
  }
  pl_transient_opts opt = transient_defaults();
  opt.step = 0.02;
  opt.duration = 200;
  record rec = {.env = &r.env};
  pl_transient_info info;
  check_ok(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, observe_energy, &rec, &info));
  assert_int_equal(info.nstep, 10000);
  check_less(rec.worst / rec.first, 1e-12);
  // the matrix never changes, so it is factored once
  assert_int_equal(info.factorisations, 1);
  rig_close(&r);
}

// Fourier coefficients of the last period of the only unknown, without the cut of the period's end
typedef struct phasor {
  int n;
  double c, s, omega;
} phasor;

static int add_phasor(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  (void)w;
  phasor *p = ctx;
  p->c += s->q[0] * cos(p->omega * c->t);
  p->s += s->q[0] * sin(p->omega * c->t);
  p->n++;
  return 0;
}

// the steady state of m q'' + c q' + k q = F sin(w t): exact amplitude and phase as h -> 0
static void driven_oscillator(void **state) {
  (void)state;
  double m = 1, c = 0.4, k = 4, F = 2, w = 1.7, got[2][2];
  double a = k - m * w * w, b = c * w, amp = F / sqrt(a * a + b * b), lag = atan2(b, a);
  oscillator o;
  oscillator_make(&o, m, k, 0, c);
  o.load[0].term = (pl_term){1, {F, 0, 0}, 0};
  for (int i = 0; i < 2; i++) {
    rig r;
    rig_open(&r, &o.desc, 1);
    pl_transient_opts opt = transient_defaults();
    opt.frequency = w;
    opt.periods = 1000;
    opt.steps_per_period = 256 << i;
    opt.steady = 1e-9;
    pl_transient_info info;
    check_ok(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, NULL, NULL, &info));
    assert_int_equal(info.reason, PL_STOP_STEADY);
    check_less(info.period_change, 1e-9);
    assert_int_equal(info.nstep, (long)info.nperiod * opt.steps_per_period);
    // one period more, for its Fourier coefficients
    opt.periods = 1;
    opt.steady = 0;
    phasor p = {.omega = w};
    check_ok(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, add_phasor, &p, &info));
    assert_int_equal(p.n, opt.steps_per_period);
    got[i][0] = 2 * hypot(p.c, p.s) / p.n;
    got[i][1] = -atan2(p.c, p.s);
    check_rel(got[i][0], amp, i ? 1e-4 : 4e-4);
    check_rel(got[i][1], lag, i ? 1e-4 : 4e-4);
    rig_close(&r);
  }
  // the error is of second order: extrapolate it away
  check_rel((4 * got[1][0] - got[0][0]) / 3, amp, 3e-8);
  check_rel((4 * got[1][1] - got[0][1]) / 3, lag, 3e-8);
}

// while the load still grows, two nearly silent periods are no steady state
static void ramped_load(void **state) {
  (void)state;
  double m = 1, c = 1, k = 4, F = 2, w = 1.7, a = k - m * w * w, b = c * w;
  oscillator o;
  oscillator_make(&o, m, k, 0, c);
  o.load[0].term = (pl_term){1, {F, 0, 0}, 0};
  rig r;
  rig_open(&r, &o.desc, 1);
  pl_transient_opts opt = transient_defaults();
  opt.frequency = w;
  opt.periods = 200;
  opt.ramp = 20 * 2 * PL_PI / w;
  opt.steady = 1;
  pl_transient_info info;
  check_ok(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, NULL, NULL, &info));
  assert_int_equal(info.reason, PL_STOP_STEADY);
  assert_int_equal(info.nperiod, 22);
  // at a whole period: amplitude times -sin(lag)
  check_rel(r.s->q[0], -F * b / (a * a + b * b), 1e-2);
  rig_close(&r);
}

// e_p as printed: sum over the samples of a period, of the motion's difference to the period before
static void period_change(void **state) {
  (void)state;
  // free decay at the base frequency: q(t + T) - q(t) = (e^{-dT} - 1) q(t)
  double d = 0.05, w = 2, T = 2 * PL_PI / w, m = 1, c = 2 * m * d, k = m * (w * w + d * d);
  oscillator o;
  oscillator_make(&o, m, k, 0, c);
  rig r;
  rig_open(&r, &o.desc, 1);
  pl_transient_opts opt = transient_defaults();
  opt.frequency = w;
  opt.periods = 2;
  opt.steps_per_period = 1000;
  opt.steady = 1e-30;
  r.s->q[0] = 1;
  pl_transient_info info;
  check_ok(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, NULL, NULL, &info));
  double sum = 0;
  for (int i = 1; i <= 1000; i++)
    sum += fabs(decay(m, c, k, 0, T * i / 1000) - decay(m, c, k, 0, T + T * i / 1000));
  check_rel(info.period_change, sum, 1e-4);
  assert_int_equal(info.nperiod, 2);
  rig_close(&r);
}

// classical Runge-Kutta with n steps on m q'' + c q' + k q + k3 q^3 = F sin(w t)
static double duffing(double t, int n, const double *p, double q, double v) {
  double h = t / n;
  for (int i = 0; i < n; i++) {
    double dq[4], dv[4], sum_q = 0, sum_v = 0;
    for (int j = 0; j < 4; j++) {
      double f = j == 0 ? 0 : j == 3 ? h : h / 2, x = q + (j ? f * dq[j - 1] : 0);
      double y = v + (j ? f * dv[j - 1] : 0);
      dq[j] = y;
      dv[j] = (p[4] * sin(p[5] * (i * h + f)) - p[1] * y - p[2] * x - p[3] * x * x * x) / p[0];
      double weight = j == 0 || j == 3 ? h / 6 : h / 3;
      sum_q += weight * dq[j];
      sum_v += weight * dv[j];
    }
    q += sum_q;
    v += sum_v;
  }
  return q;
}

static void duffing_oscillator(void **state) {
  (void)state;
  const double p[6] = {1, 0.2, 1, 5, 8, 1.4}, t = 20;
  double want = duffing(t, 400000, p, 0.5, 0);
  check_close(duffing(t, 200000, p, 0.5, 0), want, 1e-11);
  oscillator o;
  oscillator_make(&o, p[0], p[2], p[3], p[1]);
  o.load[0].term = (pl_term){1, {p[4], 0, 0}, 0};
  for (int k = 0; k < 3; k += 2) {
    double h[4], err[4];
    for (int i = 0; i < 4; i++) {
      rig r;
      rig_open(&r, &o.desc, 1);
      pl_transient_opts opt = transient_defaults();
      opt.method = methods[k];
      opt.frequency = p[5];
      opt.duration = t;
      opt.step = h[i] = 4e-3 / (1 << i);
      r.s->q[0] = 0.5;
      check_ok(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, NULL, NULL, NULL));
      err[i] = fabs(r.s->q[0] - want);
      rig_close(&r);
    }
    check_close(order_slope(4, h, err), 2, 0.1);
    check_less(err[3], 1e-4);
  }
}

// the error follows the tolerance, with far fewer steps than the smallest one would need
static void adaptive_step(void **state) {
  (void)state;
  const double p[6] = {1, 0.2, 1, 5, 8, 1.4}, t = 6;
  double want = duffing(t, 200000, p, 0.5, 0);
  oscillator o;
  oscillator_make(&o, p[0], p[2], p[3], p[1]);
  o.load[0].term = (pl_term){1, {p[4], 0, 0}, 0};
  for (int k = 0; k < 3; k++) {
    long before = 0;
    for (int i = 0; i < 3; i++) {
      double order = k == 1 ? 2 : 3, step = pow(100, 1 / order);
      rig r;
      rig_open(&r, &o.desc, 1);
      pl_transient_opts opt = transient_defaults();
      opt.method = methods[k];
      opt.frequency = p[5];
      opt.duration = t;
      opt.adaptive = 1;
      opt.step = 0.5;
      opt.tolerance = (k == 1 ? 1e-4 : 1e-5) * pow(0.01, i);
      r.s->q[0] = 0.5;
      pl_transient_info info;
      check_ok(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, NULL, NULL, &info));
      check_close(r.s->t, t, 0);
      // errors of n steps add up, and n grows as tolerance^(-1/order)
      check_less(fabs(r.s->q[0] - want), 3 * opt.tolerance * (double)info.nstep);
      if (i > 0) check_rel((double)info.nstep, step * (double)before, 0.2);
      before = info.nstep;
      rig_close(&r);
    }
  }
}

// c q' + k q = 0 without mass, and a massless joint between two springs
static void without_mass(void **state) {
  (void)state;
  oscillator o;
  oscillator_make(&o, 0, 3, 0, 2);
  rig r;
  rig_open(&r, &o.desc, 1);
  pl_transient_opts opt = transient_defaults();
  opt.step = 1e-3;
  opt.duration = 1;
  r.s->q[0] = 1;
  r.s->v[0] = -1.5;
  check_ok(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, NULL, NULL, NULL));
  check_rel(r.s->q[0], exp(-1.5), 1e-6);
  rig_close(&r);

  double X[2] = {0}, par[8] = {2, 0, 0, 0, 6, 0, 0, 0}, mass[1] = {1.5};
  int pair[4] = {-1, 0, 0, 1}, node[1] = {1};
  pl_group_desc group[2] = {{"springs", kind_of("spring1"), 2, pair, 0, par, 0},
                            {"mass", kind_of("mass1"), 1, node, 1, mass, 0}};
  pl_model_desc d = {.dim = 1, .nnode = 2, .X = X, .ngroup = 2, .group = group};
  for (int k = 0; k < 3; k += 2) {
    rig_open(&r, &d, 1);
    opt.method = methods[k];
    r.s->q[1] = 1;
    r.s->q[0] = 0.75;
    // springs in a row: 1/k = 1/2 + 1/6
    check_ok(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, NULL, NULL, NULL));
    check_rel(r.s->q[1], cos(sqrt(1.5 / 1.5)), 1e-6);
    check_rel(r.s->q[0], 0.75 * r.s->q[1], 1e-10);
    rig_close(&r);
  }
  // nothing holds the second unknown
  group[0].nelem = 1;
  node[0] = 0;
  rig_open(&r, &d, 1);
  check_status(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, NULL, NULL, NULL), PL_E_INPUT);
  assert_non_null(strstr(r.env.error.text, "node 1 has no mass"));
  rig_close(&r);
}

// a mass shaken through its spring: the drive is met exactly, the start has its velocity
static int on_drive(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  (void)w;
  const double *p = ctx; // amplitude, omega, phase
  check_close(s->q[0], p[0] * sin(p[1] * c->t + p[2]), 1e-14);
  check_close(s->v[0], p[0] * p[1] * cos(p[1] * c->t + p[2]), 1e-14);
  check_close(s->a[0], -p[0] * p[1] * p[1] * sin(p[1] * c->t + p[2]), 1e-13);
  return 0;
}

static void shaken_mass(void **state) {
  (void)state;
  double X[2] = {0}, spring[4] = {5, 0, 0, 0}, mass[1] = {2}, p[3] = {0.3, 1.1, 0.4};
  int pair[2] = {0, 1}, node[2] = {0, 1}, base[1] = {0};
  pl_term term[1] = {{1, {p[0], 0, 0}, p[2]}};
  pl_group_desc group[2] = {{"spring", kind_of("spring1"), 1, pair, 1, spring, 0},
                            {"mass", kind_of("mass1"), 2, node, 1, mass, 0}};
  pl_drive_desc drive[1] = {{.nnode = 1, .node = base, .mask = 1, .nterm = 1, .term = term}};
  pl_model_desc d = {
      .dim = 1, .nnode = 2, .X = X, .ngroup = 2, .ndrive = 1, .group = group, .drive = drive};
  double h[4], err[4];
  for (int i = 0; i < 4; i++) {
    rig r;
    rig_open(&r, &d, 1);
    pl_transient_opts opt = transient_defaults();
    opt.frequency = p[1];
    opt.duration = 3;
    opt.step = h[i] = 0.02 / (1 << i);
    check_ok(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, on_drive, p, NULL));
    // q'' + w0^2 q = w0^2 A sin(w t + phi), q(0) = q'(0) = 0
    double w0 = sqrt(5.0 / 2), B = p[0] * w0 * w0 / (w0 * w0 - p[1] * p[1]), t = 3;
    double want =
        B * (sin(p[1] * t + p[2]) - sin(p[2]) * cos(w0 * t) - p[1] / w0 * cos(p[2]) * sin(w0 * t));
    err[i] = fabs(r.s->q[1] - want);
    rig_close(&r);
  }
  check_close(order_slope(4, h, err), 2, 0.1);
  check_less(err[3], 1e-5);
}

static void bad_options(void **state) {
  (void)state;
  oscillator o;
  oscillator_make(&o, 1, 1, 0, 0);
  rig r;
  rig_open(&r, &o.desc, 1);
  pl_transient_opts good = transient_defaults(), opt;
  good.step = 0.1;
  good.duration = 1.05;
  pl_transient_info info;
  // the last step is shorter, so that the end is met
  check_ok(&r.env, pl_transient(&good, r.m, r.p, r.s, NULL, r.w, NULL, NULL, &info));
  assert_int_equal(info.nstep, 11);
  check_close(r.s->t, 1.05, 1e-15);
  for (int k = 0; k < 6; k++) {
    opt = good;
    if (k == 0) opt.step = 0;
    if (k == 1) opt.duration = 0;
    if (k == 2) opt.steady = 1e-3;
    if (k == 3) opt.newmark_beta = 0;
    if (k == 4) opt.method = 3;
    if (k == 5) opt.step = 1e-9, opt.duration = 1e9;
    check_status(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, NULL, NULL, &info),
                 PL_E_INPUT);
    check_close(r.s->t, 1.05, 1e-15);
  }
  rig_close(&r);
}

int test_transient(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_of_methods),  cmocka_unit_test(energy_is_kept),
      cmocka_unit_test(driven_oscillator), cmocka_unit_test(period_change),
      cmocka_unit_test(ramped_load),       cmocka_unit_test(duffing_oscillator),
      cmocka_unit_test(adaptive_step),     cmocka_unit_test(without_mass),
      cmocka_unit_test(shaken_mass),       cmocka_unit_test(bad_options),
  };
  return cmocka_run_group_tests_name("solve.transient", tests, NULL, NULL);
}
