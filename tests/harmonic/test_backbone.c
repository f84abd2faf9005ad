#include "reference.h"

static pl_env env;

static pl_backbone_opts options(int H) {
  pl_backbone_opts o;
  pl_opts_default(pl_backbone_option_table, pl_backbone_option_count, &o);
  o.harmonics = H;
  return o;
}

// one harmonic: omega^2 = k + 3/4 gamma A^2, and the energy of the deepest place
static void one_harmonic(void **state) {
  (void)state;
  const double gammas[] = {0.7, -0.2, 40};
  for (int t = 0; t < 3; t++) {
    double k = 2, g = gammas[t], most = t == 2 ? 0.3 : 1.5;
    reference r;
    model_kit kit;
    kit_model b;
    // damping and forcing are there to be left out
    ref_oscillator(&r, k, 0, g, 0.3, 0.5, 1);
    ref_model(&r, &env, &kit, &b);
    pl_backbone_opts o = options(1);
    o.amplitude = most;
    pl_curve *c;
    int node = 0;
    double before[64];
    assert_true(b.p->npar <= 64);
    memcpy(before, b.p->par, (size_t)b.p->npar * sizeof(double));
    check_ok(&env, pl_backbone(&o, b.m, b.p, b.w, 1, &node, &c));
    check_array(b.p->npar, b.p->par, before, 0);
    assert_int_equal(c->reason, PL_STOP_END);
    assert_int_equal(c->nspecial, 0);
    for (int i = 0; i < c->npoint; i++) {
      const pl_orbit *p = c->point[i].orbit;
      double A = fabs(p->z[2]);
      check_close(p->z[1], 0, 0);
      check_rel(p->omega, sqrt(k + 0.75 * g * A * A), 1e-9);
      check_rel(c->point[i].energy, k / 2 * A * A + g / 4 * A * A * A * A, 1e-8);
      check_less(c->point[i].residual, o.rtol);
    }
    check_rel(c->point[0].orbit->omega, sqrt(k), 1e-3);
    check_rel(fabs(c->point[c->npoint - 1].orbit->z[2]), most, 1e-9);
    pl_curve_free(c);
    kit_model_free(&b);
    kit_free(&kit);
  }
}

// complete elliptic integral of parameter m < 1, by the arithmetic-geometric mean
static double elliptic(double m) {
  double a = 1, b = sqrt(1 - m);
  for (int i = 0; i < 40; i++) {
    double t = (a + b) / 2;
    b = sqrt(a * b);
    a = t;
  }
  return PL_PI / (2 * a);
}

// x'' + k x + gamma x^3 = 0 from x = A: omega = pi/2 sqrt(k + gamma A^2) / K(m),
// m = gamma A^2 / (2 (k + gamma A^2))
static void exact_period(void **state) {
  (void)state;
  const double gammas[] = {1, -0.25};
  for (int t = 0; t < 2; t++) {
    double k = 1, g = gammas[t], most = t ? 1.5 : 2;
    reference r;
    model_kit kit;
    kit_model b;
    ref_oscillator(&r, k, 0, g, 0, 0, 15);
    ref_model(&r, &env, &kit, &b);
    pl_backbone_opts o = options(15);
    o.amplitude = most;
    o.max_step = 0.2;
    pl_curve *c;
    int node = 0;
    check_ok(&env, pl_backbone(&o, b.m, b.p, b.w, 1, &node, &c));
    for (int i = 0; i < c->npoint; i++) {
      double A = pl_orbit_max(b.m, b.p, c->point[i].orbit, 0, 0, NULL), s = k + g * A * A;
      double w = PL_PI / 2 * sqrt(s) / elliptic(g * A * A / (2 * s));
      check_rel(c->point[i].orbit->omega, w, 1e-8);
      check_rel(c->point[i].energy, k / 2 * A * A + g / 4 * A * A * A * A, 1e-8);
    }
    check_rel(pl_orbit_max(b.m, b.p, c->point[c->npoint - 1].orbit, 0, 0, NULL), most, 1e-9);
    pl_curve_free(c);
    kit_model_free(&b);
    kit_free(&kit);
  }
}

static double potential(const double *k, double x) {
  return x * (-k[0] + x * (k[1] / 2 + x * (k[2] / 3 + x * k[3] / 4)));
}

static double turning_point(const double *k, double level, double from, double step) {
  double hi = from + step;
  while (potential(k, hi) < level) hi += step;
  double lo = hi - step;
  for (int i = 0; i < 200; i++) {
    double mid = (lo + hi) / 2;
    if (potential(k, mid) < level)
      lo = mid;
    else
      hi = mid;
  }
  return (lo + hi) / 2;
}

// frequency of an unsymmetric oscillator under a constant force, from its energy:
// T = 2 int dx / sqrt(2 (E - V))
static double energy_frequency(const double *k, double rest, double E) {
  enum { N = 4000 };
  double level = potential(k, rest) + E, sum = 0;
  double lo = turning_point(k, level, rest, -0.01), hi = turning_point(k, level, rest, 0.01);
  for (int i = 0; i < N; i++) {
    double angle = PL_PI * (i + 0.5) / N, half = (hi - lo) / 2;
    double x = (hi + lo) / 2 + half * cos(angle);
    sum += half * sin(angle) / sqrt(2 * (level - potential(k, x))) * PL_PI / N;
  }
  return PL_PI / sum;
}

static void about_an_offset(void **state) {
  (void)state;
  // force, and springs of first to third order
  const double k[4] = {0.3, 1, 0.4, 0.5};
  reference r;
  model_kit kit;
  kit_model b;
  ref_oscillator(&r, k[1], k[2], k[3], 0.2, 0, 16);
  r.load[0] = 1;
  ref_model(&r, &env, &kit, &b);
  kit_model_free(&b);
  kit.load[0].term = (pl_term){.harmonic = 0, .amplitude = {k[0]}};
  kit_build(&kit, 1, &b);
  double rest = 0;
  for (int i = 0; i < 50; i++)
    rest -= (-k[0] + rest * (k[1] + rest * (k[2] + rest * k[3]))) /
            (k[1] + rest * (2 * k[2] + rest * 3 * k[3]));
  pl_backbone_opts o = options(16);
  o.energy = 0.4;
  o.max_step = 0.2;
  pl_curve *c;
  check_ok(&env, pl_backbone(&o, b.m, b.p, b.w, 0, NULL, &c));
  check_rel(c->point[c->npoint - 1].energy, o.energy, 1e-10);
  for (int i = 0; i < c->npoint; i += 3) {
    double w = energy_frequency(k, rest, c->point[i].energy);
    check_rel(c->point[i].orbit->omega, w, 1e-6);
  }
  pl_curve_free(c);
  kit_model_free(&b);
  kit_free(&kit);
}

// two equal oscillators: modes in phase and against each other stay so, each a Duffing oscillator
static void symmetric_pair(void **state) {
  (void)state;
  const double k = 1, g = 0.5, kc = 0.3, gc = 0.2;
  reference r = {.n = 2, .H = 1, .mass = {1, 1}, .load = {0.1, 0}};
  model_kit kit;
  kit_model b;
  ref_spring(&r, -1, 0, k, 0, g, 0.1);
  ref_spring(&r, 0, 1, kc, 0, gc, 0.05);
  ref_spring(&r, -1, 1, k, 0, g, 0.1);
  ref_model(&r, &env, &kit, &b);
  for (int mode = 1; mode <= 2; mode++) {
    pl_backbone_opts o = options(1);
    o.mode = mode;
    o.to = 2.2;
    pl_curve *c;
    int node = 0;
    check_ok(&env, pl_backbone(&o, b.m, b.p, b.w, 1, &node, &c));
    double k1 = mode == 1 ? k : k + 2 * kc, g1 = mode == 1 ? g : g + 8 * gc;
    for (int i = 0; i < c->npoint; i++) {
      const double *z = c->point[i].orbit->z;
      check_close(z[5], mode == 1 ? z[2] : -z[2], 1e-9 * fabs(z[2]));
      check_rel(c->point[i].orbit->omega, sqrt(k1 + 0.75 * g1 * z[2] * z[2]), 1e-9);
    }
    check_rel(c->point[c->npoint - 1].orbit->omega, o.to, 1e-12);
    pl_curve_free(c);
  }
  kit_model_free(&b);
  kit_free(&kit);
}

static void nonsense_is_refused(void **state) {
  (void)state;
  reference r;
  model_kit kit;
  kit_model b;
  ref_oscillator(&r, 1, 0, 1, 0, 0, 1);
  ref_model(&r, &env, &kit, &b);
  pl_curve *c;
  pl_backbone_opts o = options(3);
  o.mode = 2;
  check_status(&env, pl_backbone(&o, b.m, b.p, b.w, 0, NULL, &c), PL_E_INPUT);
  assert_null(c);
  o = options(3);
  o.amplitude = 1;
  check_status(&env, pl_backbone(&o, b.m, b.p, b.w, 0, NULL, &c), PL_E_INPUT);
  o = options(3);
  o.from = 2;
  o.to = 1;
  check_status(&env, pl_backbone(&o, b.m, b.p, b.w, 0, NULL, &c), PL_E_INPUT);
  o = options(0);
  check_status(&env, pl_backbone(&o, b.m, b.p, b.w, 0, NULL, &c), PL_E_INPUT);
  // too few points: the part that was done comes back
  o = options(3);
  o.points = 4;
  check_status(&env, pl_backbone(&o, b.m, b.p, b.w, 0, NULL, &c), PL_UNSOLVED);
  assert_int_equal(c->npoint, 4);
  pl_curve_free(c);
  kit_model_free(&b);
  kit_free(&kit);
}

typedef struct keeper {
  int stop_at, looks; // points at which it is stopped, 0: never
  double *x;
  size_t n;
} keeper;

static pl_status keep(void *ctx, const pl_curve *c, const pl_trail *t, int last) {
  keeper *k = ctx;
  (void)last;
  k->looks++;
  if (c->npoint != k->stop_at) return PL_OK;
  check_ok(&env, pl_trail_pack(t, &k->x, &k->n));
  return PL_CANCELLED;
}

// a curve that was stopped goes on where it was, damped or not, and ends the same to the bit
static void goes_on(void **state) {
  (void)state;
  for (int damped = 0; damped < 2; damped++) {
    reference r;
    model_kit kit;
    kit_model b;
    ref_oscillator(&r, 2, 0, 0.7, 0.3, 0, 1);
    ref_model(&r, &env, &kit, &b);
    pl_backbone_opts o = options(5);
    o.damped = damped;
    o.amplitude = 1.5;
    int node = 0;
    keeper whole = {0}, part = {.stop_at = 7}, rest = {0};
    pl_backbone_plan plan = {.nprobe = 1, .probe = &node, .look = keep, .ctx = &whole};
    pl_curve *a, *c, *d;
    check_ok(&env, pl_backbone_run(&o, b.m, b.p, b.w, &plan, &a));
    assert_int_equal(whole.looks, a->npoint - 1);
    plan.ctx = &part;
    assert_int_equal(pl_backbone_run(&o, b.m, b.p, b.w, &plan, &c), PL_CANCELLED);
    assert_int_equal(c->npoint, 7);
    pl_curve_free(c);
    plan.ctx = &rest;
    plan.from = part.x;
    plan.nfrom = part.n;
    check_ok(&env, pl_backbone_run(&o, b.m, b.p, b.w, &plan, &d));
    // from the seventh point on
    assert_int_equal(rest.looks, a->npoint - 7);
    assert_int_equal(d->npoint, a->npoint);
    assert_int_equal(d->iterations, a->iterations);
    assert_int_equal(d->reason, PL_STOP_END);
    assert_string_equal(d->start, a->start);
    for (int i = 0; i < a->npoint; i++) {
      const pl_orbit *p = a->point[i].orbit, *q = d->point[i].orbit;
      assert_int_equal(p->nharm, q->nharm);
      check_array(p->nfree * (2 * p->nharm + 1), q->z, p->z, 0);
      check_close(q->omega, p->omega, 0);
      check_close(d->point[i].energy, a->point[i].energy, 0);
    }
    // what was kept of the other kind, or cut short, is refused
    o.damped = !damped;
    check_status(&env, pl_backbone_run(&o, b.m, b.p, b.w, &plan, &c), PL_E_INPUT);
    o.damped = damped;
    plan.nfrom -= 3;
    check_status(&env, pl_backbone_run(&o, b.m, b.p, b.w, &plan, &c), PL_E_INPUT);
    pl_curve_free(a);
    pl_curve_free(d);
    pl_free(&env, part.x);
    kit_model_free(&b);
    kit_free(&kit);
  }
}

static pl_status allocating(pl_env *e, void *ctx) {
  (void)ctx;
  pl_builder *d = oscillator_builder(e, (double[]){1, 0, 0.5, 0.1}, 1, 0);
  pl_built m = {0};
  pl_curve *c = NULL;
  pl_backbone_opts o = options(2);
  o.amplitude = 0.03;
  o.max_step = 1;
  int node = 0;
  pl_status st = d ? pl_build_all(d, 1, &m) : PL_E_NOMEM;
  if (st == PL_OK) st = pl_backbone(&o, m.model, m.params, m.work, 1, &node, &c);
  pl_curve_free(c);
  pl_built_free(&m);
  return st;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(allocating, NULL);
}

int test_backbone(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_harmonic),        cmocka_unit_test(exact_period),
      cmocka_unit_test(about_an_offset),     cmocka_unit_test(symmetric_pair),
      cmocka_unit_test(nonsense_is_refused), cmocka_unit_test(goes_on),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("harmonic.backbone", tests, NULL, NULL);
}
