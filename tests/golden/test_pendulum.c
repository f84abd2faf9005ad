// Period of a pendulum at large amplitude, by a stiff link and a point mass:
// T = 4 sqrt(L/g) K(sin(theta0/2)) = 2 pi sqrt(L/g)/agm(1, cos(theta0/2)); Abramowitz &
// Stegun 17.6.
#include "golden.h"

static pl_env env;

static const double LENGTH = 0.7, GRAVITY = 9.81;

static double agm(double a, double b) {
  for (int k = 0; k < 40; k++) {
    double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return a;
}

// times at which the mass passes below the pivot
typedef struct crossings {
  int n;
  double t[8];
  double t0, x0, v0; // step before
} crossings;

// root of the cubic through x and v at both ends of the step
static double crossing(const crossings *c, double t1, double x1, double v1) {
  double h = t1 - c->t0, lo = 0, hi = 1;
  for (int k = 0; k < 60; k++) {
    double s = 0.5 * (lo + hi), r = 1 - s;
    double x =
        r * r * (1 + 2 * s) * c->x0 + s * s * (1 + 2 * r) * x1 + h * s * r * (r * c->v0 - s * v1);
    if ((x < 0) == (c->x0 < 0))
      lo = s;
    else
      hi = s;
  }
  return c->t0 + h * lo;
}

static int probe(void *ctx, const pl_state *s, const pl_clock *clock, const pl_work *w) {
  (void)w;
  crossings *c = ctx;
  double x = s->q[2], v = s->v[2];
  if ((x < 0) != (c->x0 < 0) && c->n < 8) c->t[c->n++] = crossing(c, clock->t, x, v);
  c->t0 = clock->t;
  c->x0 = x;
  c->v0 = v;
  return 0;
}

static double period(double angle, double exact) {
  static model_kit k;
  kit_model b;
  const double X[4] = {0, 0, LENGTH * sin(angle), -LENGTH * cos(angle)};
  const int ends[2] = {0, 1}, mass = 1, pivot = 0;
  const double link[2] = {1e7, 0}, m = 1.3;
  kit_init(&k, &env, 2);
  k.d.nnode = 2;
  k.d.X = X;
  k.d.gravity[1] = -GRAVITY;
  kit_group(&k, "rod", "link", 1, ends, 1, link);
  kit_group(&k, "bob", "point", 1, &mass, 1, &m);
  kit_drive(&k, 1, &pivot);
  kit_build(&k, 1, &b);
  crossings c = {.x0 = X[2]};
  pl_transient_opts o = golden_transient_opts(exact / 2000, 1.5 * exact);
  check_ok(&env, pl_transient(&o, b.m, b.p, b.s, NULL, b.w, probe, &c, NULL));
  // released at rest: passes after 1/4, 3/4, 5/4 of a period
  assert_int_equal(c.n, 3);
  kit_model_free(&b);
  kit_free(&k);
  check_rel(4 * c.t[0], exact, 1e-4);
  return c.t[2] - c.t[0];
}

// 2000 steps a period: Newmark's period is longer by (2 pi/2000)^2/12 = 1e-6 or so; the link, 1e7
// N/m, is stretched by up to 3 m g/k = 4e-6 m, 5e-6 of its length
static void large_swings(void **state) {
  (void)state;
  static const double degrees[] = {10, 90, 150};
  for (int k = 0; k < 3; k++) {
    double angle = degrees[k] * PL_PI / 180;
    double exact = 2 * PL_PI * sqrt(LENGTH / GRAVITY) / agm(1, cos(angle / 2));
    check_rel(period(angle, exact), exact, 1e-4);
  }
  // a table: K(sin 45 deg) = 1.85407467730137
  check_close(PL_PI / 2 / agm(1, sqrt(0.5)), 1.85407467730137, 1e-14);
}

int test_pendulum(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(large_swings)};
  pl_env_init(&env);
  return cmocka_run_group_tests_name("pendulum", tests, NULL, NULL);
}
