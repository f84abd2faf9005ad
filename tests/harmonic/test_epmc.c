// Damping ratio of a nonlinear mode beside closed forms.
#include "shooting.h"

static pl_env env;

static pl_curve *follow(const kit_model *b, int H, double amplitude) {
  pl_backbone_opts o;
  pl_curve *c;
  int node = 0;
  pl_opts_default(pl_backbone_option_table, pl_backbone_option_count, &o);
  o.harmonics = H;
  o.amplitude = amplitude;
  o.from = 0.1;
  o.to = 20;
  o.damped = 1;
  check_ok(&env, pl_backbone(&o, b->m, b->p, b->w, 1, &node, &c));
  assert_int_equal(c->reason, PL_STOP_END);
  const pl_orbit *last = c->point[c->npoint - 1].orbit;
  check_rel(pl_orbit_max(b->m, b->p, last, 0, 0, NULL), amplitude, 1e-9);
  return c;
}

// m x'' + c x' + k x + joints = 0, with one joint or none
static shot oscillator(double c, int njoint, double k, double limit) {
  return (shot){
      .n = 1, .njoint = njoint, .m = {2}, .C = {{c}}, .K = {{3}}, .joint = {{1, -1, 0, k, limit}}};
}

// two unknowns with damping in proportion to mass and stiffness: zeta = alpha/(2 w) + beta w/2
static void linear(void **state) {
  (void)state;
  shot s = {.n = 2, .m = {1, 1}, .K = {{2, -1}, {-1, 2}}};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) s.C[i][j] = 0.03 * s.K[i][j] + (i == j) * 0.05;
  model_kit kit;
  kit_model b;
  shot_model(&s, &env, &kit, &b);
  pl_curve *c = follow(&b, 3, 0.5);
  for (int i = 0; i < c->npoint; i++) {
    check_rel(c->point[i].orbit->omega, 1, 1e-9);
    check_rel(c->point[i].damping, 0.05 / 2 + 0.03 / 2, 1e-8);
  }
  pl_curve_free(c);
  kit_model_free(&b);
  kit_free(&kit);
}

// one harmonic: the loss of the loop 4 F (A - F/k) over that of the term, 2 zeta w^2 m pi A^2
static void jenkins(void **state) {
  (void)state;
  const double c = 0.1, k = 2, F = 0.4;
  shot s = oscillator(c, 1, k, F);
  model_kit kit;
  kit_model b;
  shot_model(&s, &env, &kit, &b);
  pl_curve *curve = follow(&b, 1, 3);
  int slips = 0;
  for (int i = 0; i < curve->npoint; i++) {
    const pl_orbit *o = curve->point[i].orbit;
    double A = hypot(o->z[1], o->z[2]), w = o->omega, loss = A > F / k ? 4 * F * (A - F / k) : 0;
    double zeta = c / (2 * 2 * w) + loss / (2 * PL_PI * 2 * w * w * A * A);
    check_rel(curve->point[i].damping, zeta, 1e-7);
    // describing function of the element: its stiffness over a period
    double t = A > F / k ? acos(1 - 2 * F / (k * A)) : PL_PI;
    check_rel(w, sqrt((3 + k / PL_PI * (t - 0.5 * sin(2 * t))) / 2), 1e-7);
    slips += A > F / k;
  }
  assert_true(slips > 5);
  pl_curve_free(curve);
  kit_model_free(&b);
  kit_free(&kit);
}

// complete elliptic integral of the first kind by the arithmetic-geometric mean
static double elliptic(double parameter) {
  double a = 1, b = sqrt(1 - parameter);
  for (int i = 0; i < 20; i++) {
    double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  return PL_PI / (2 * a);
}

// m x'' + c x' + k x + k3 x^3: the term takes the damping away, and what is left has the period
// 4 K(mu) / sqrt((k + k3 A^2) / m), mu = k3 A^2 / (2 (k + k3 A^2)); zeta = c / (2 m w)
static void duffing(void **state) {
  (void)state;
  static const double mass = 2, spring[4] = {3, 0, 5, 0.1};
  model_kit kit;
  kit_model b;
  kit_oscillator(&kit, &env, spring, mass);
  kit_build(&kit, 1, &b);
  pl_curve *c = follow(&b, 15, 2);
  for (int i = 0; i < c->npoint; i++) {
    const pl_orbit *o = c->point[i].orbit;
    double A = pl_orbit_max(b.m, b.p, o, 0, 0, NULL), stiff = spring[0] + spring[2] * A * A;
    double w = PL_PI / (2 * elliptic(spring[2] * A * A / (2 * stiff))) * sqrt(stiff / mass);
    check_rel(o->omega, w, 1e-7);
    check_rel(c->point[i].damping, spring[3] / (2 * mass * w), 1e-7);
  }
  pl_curve_free(c);
  kit_model_free(&b);
  kit_free(&kit);
}

int test_epmc(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {cmocka_unit_test(linear), cmocka_unit_test(duffing),
                                     cmocka_unit_test(jenkins)};
  return cmocka_run_group_tests_name("harmonic.epmc", tests, NULL, NULL);
}
