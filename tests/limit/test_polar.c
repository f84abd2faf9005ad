// Shapes of limits: closed forms, bounds that hold for every F, ellipses that no other beats.
#include "sheets.h"

static pl_env env;

static double ellipse_at(const double B[3], double angle) {
  double c = cos(angle), s = sin(angle);
  return sqrt(B[0] * c * c + B[1] * s * s + 2 * B[2] * c * s);
}

static void ellipses(void **state) {
  (void)state;
  double B[3];
  for (int i = 0; i < 12; i++) {
    double a = 0.3 * i - 1;
    pl_limit_ellipse(1.01, 1.2, a, B);
    check_close(ellipse_at(B, a), 1.01, 1e-15);
    check_close(ellipse_at(B, a + PL_PI / 2), 1.2, 1e-15);
    check_close(B[0] * B[1] - B[2] * B[2], 1.01 * 1.01 * 1.2 * 1.2, 1e-14);
  }
  check_ok(&env, pl_limit_bias(&env, 1.02, 1.05, 1.3, B));
  check_close(ellipse_at(B, 0), 1.02, 1e-15);
  check_close(ellipse_at(B, PL_PI / 2), 1.05, 1e-15);
  check_close(ellipse_at(B, PL_PI / 4), 1.3, 1e-15);
}

static void bias_beyond(void **state) {
  (void)state;
  double B[3];
  check_status(&env, pl_limit_bias(&env, 1, 1, 1.5, B), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "1.41421"));
  check_status(&env, pl_limit_bias(&env, 1, 1.5, 0.35, B), PL_E_INPUT);
  check_status(&env, pl_limit_bias(&env, 1, NAN, 1, B), PL_E_INPUT);
  check_status(&env, pl_limit_bias(&env, 1, 1, NAN, B), PL_E_INPUT);
  check_status(&env, pl_limit_bias(&env, -1, 1, 1, B), PL_E_INPUT);
}

// the most of n.d with |n.d_i| <= b_i over all corners of that polygon: what a rank-one F can do
static double brute_stretch(const pl_limit *l, double angle) {
  double most = 0;
  for (int i = 0; i < l->ndirection; i++)
    for (int j = 0; j < 2 * i; j++) {
      int k = j / 2;
      double bi = l->bound[i], bk = j % 2 ? -l->bound[k] : l->bound[k];
      double det = sin(l->angle[k] - l->angle[i]);
      if (fabs(det) < 1e-9) continue;
      double n[2] = {(bi * sin(l->angle[k]) - bk * sin(l->angle[i])) / det,
                     (bk * cos(l->angle[i]) - bi * cos(l->angle[k])) / det};
      int inside = 1;
      for (int m = 0; m < l->ndirection; m++)
        inside &= fabs(n[0] * cos(l->angle[m]) + n[1] * sin(l->angle[m])) <= l->bound[m] + 1e-10;
      if (inside) most = fmax(most, fabs(n[0] * cos(angle) + n[1] * sin(angle)));
    }
  return most;
}

static void sampled_stretch(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 1);
  for (int trial = 0; trial < 300; trial++) {
    double angle[12], bound[12];
    int n = 2 + trial % 11;
    for (int i = 0; i < n; i++) {
      angle[i] = pl_rng_uniform(&r, -4, 4);
      bound[i] = pl_rng_uniform(&r, 0.8, trial % 2 ? 1.2 : 4);
    }
    pl_limit l = {.ndirection = n, .angle = angle, .bound = bound};
    for (int k = 0; k < 10; k++) {
      double a = k == 0 ? angle[0] : pl_rng_uniform(&r, -4, 4);
      check_rel(pl_limit_stretch(&l, a), brute_stretch(&l, a), 1e-7);
    }
  }
}

static void stretch_of_few(void **state) {
  (void)state;
  double B[2][3], angle[3] = {0.3, 0.3 + PL_PI, 0.3}, bound[3] = {1.2, 1.1, 1.3};
  pl_limit none = {0};
  assert_true(isinf(pl_limit_stretch(&none, 1)));
  // one direction says nothing about others, however often it is given
  for (int n = 1; n <= 3; n++) {
    pl_limit l = {.ndirection = n, .angle = angle, .bound = bound};
    assert_true(isinf(pl_limit_stretch(&l, 1)));
    check_close(pl_limit_stretch(&l, 0.3), n == 1 ? 1.2 : 1.1, 1e-15);
    check_close(pl_limit_stretch(&l, 0.3 - PL_PI), n == 1 ? 1.2 : 1.1, 1e-15);
  }
  // of two at right angles: |cos| + |sin|
  double right[2] = {0, PL_PI / 2}, ones[2] = {1, 1};
  pl_limit l = {.ndirection = 2, .angle = right, .bound = ones};
  for (int i = 0; i < 20; i++)
    check_close(pl_limit_stretch(&l, 0.4 * i), fabs(cos(0.4 * i)) + fabs(sin(0.4 * i)), 1e-13);
  pl_limit_ellipse(1.1, 1.3, 0, B[0]);
  pl_limit_ellipse(1.2, 1.2, 0, B[1]);
  pl_limit two = {.nellipse = 2, .B = (const double(*)[3])B};
  check_close(pl_limit_stretch(&two, 0), 1.1, 1e-15);
  check_close(pl_limit_stretch(&two, PL_PI / 2), 1.2, 1e-15);
}

static void curve_between(void **state) {
  (void)state;
  // out of order, beyond a turn, and around the end at pi
  double angle[4] = {2.5 + PL_PI, 0.5, -2 * PL_PI + 1.5, 2}, stretch[4] = {1.4, 1.1, 1.2, 1.3};
  pl_polar c = {4, angle, stretch};
  check_close(pl_polar_at(&c, 0.5), 1.1, 1e-14);
  check_close(pl_polar_at(&c, 1), 1.15, 1e-14);
  check_close(pl_polar_at(&c, 1.75 - PL_PI), 1.25, 1e-14);
  check_close(pl_polar_at(&c, 2.25), 1.35, 1e-14);
  double gap = PL_PI - 2;
  check_close(pl_polar_at(&c, 2.7), 1.4 - 0.3 * 0.2 / gap, 1e-14);
  check_close(pl_polar_at(&c, 0.2), 1.1 + 0.3 * 0.3 / gap, 1e-14);
  c.n = 1;
  for (int i = 0; i < 9; i++) check_close(pl_polar_at(&c, i - 4), 1.4, 1e-15);
}

static void plain_directions(void **state) {
  (void)state;
  double angle[5], bound[5], at[2] = {0, PL_PI / 2}, b[2] = {1.1, 1.3};
  pl_polar c = {2, at, b};
  pl_polar_directions(&c, 5, 0, angle, bound);
  for (int k = 0; k < 5; k++) {
    check_close(angle[k], PL_PI * k / 5, 1e-15);
    check_close(bound[k], k <= 2 ? 1.1 + 0.08 * k : 1.1 + 0.08 * (5 - k), 1e-14);
  }
}

// bounds of a circle shrink by cos(pi / 2m)
static void guarded_circle(void **state) {
  (void)state;
  double at = 0, b = 1.05, angle[40], bound[40];
  pl_polar c = {1, &at, &b};
  for (int m = 2; m <= 40; m++) {
    pl_polar_directions(&c, m, 1, angle, bound);
    for (int k = 0; k < m; k++) check_rel(bound[k], 1.05 * cos(PL_PI / (2 * m)), 1e-13);
  }
}

static void random_curve(pl_rng *r, int n, double *angle, double *stretch) {
  double a = pl_rng_uniform(r, 0, 0.3), b = pl_rng_uniform(r, 0, 0.2), p = pl_rng_uniform(r, 0, 3);
  for (int i = 0; i < n; i++) {
    angle[i] = pl_rng_uniform(r, 0, PL_PI);
    stretch[i] =
        1.4 + a * cos(2 * angle[i] - p) + b * cos(4 * angle[i]) + 0.05 * (n % 3) * pl_rng_normal(r);
  }
}

// F, as large as the directions allow, is nowhere beyond the curve
static void guarded_curves(void **state) {
  (void)state;
  static double angle[64], stretch[64], at[64], bound[64];
  pl_rng r;
  pl_rng_seed(&r, 2);
  double worst = -1;
  for (int trial = 0; trial < 120; trial++) {
    int n = 1 + trial % 40, m = 2 + trial % 31;
    random_curve(&r, n, angle, stretch);
    pl_polar c = {n, angle, stretch};
    pl_polar_directions(&c, m, 1, at, bound);
    for (int k = 0; k < m; k++) {
      check_less(bound[k], pl_polar_at(&c, at[k]) * (1 + 1e-12));
      check_less(0, bound[k]);
    }
    for (int f = 0; f < 20; f++) {
      double F[6], most = 0;
      // nearly of rank one as well: those reach furthest between directions
      for (int i = 0; i < 6; i++) F[i] = pl_rng_normal(&r) * (f % 2 || i < 2 ? 1 : 1e-3);
      for (int k = 0; k < m; k++) most = fmax(most, stretch_along(F, at[k]) / bound[k]);
      for (int i = 0; i < 720; i++) {
        double a = PL_PI * i / 720;
        worst = fmax(worst, stretch_along(F, a) / most / pl_polar_at(&c, a) - 1);
      }
    }
  }
  check_less(worst, 1e-12);
  // and some reach it: the guard is not wider than it needs to be
  check_less(-1e-3, worst);
}

// between neighbours of a smooth curve little more is lost than for a circle
static void guard_costs_little(void **state) {
  (void)state;
  static double angle[180], stretch[180], at[60], bound[60];
  double B[3];
  pl_limit_ellipse(1.05, 1.3, 0.4, B);
  for (int i = 0; i < 180; i++) {
    angle[i] = PL_PI * i / 180;
    stretch[i] = ellipse_at(B, angle[i]);
  }
  pl_polar c = {180, angle, stretch};
  for (int m = 8; m <= 60; m += 13) {
    pl_polar_directions(&c, m, 1, at, bound);
    double loss = 1 - cos(PL_PI / (2 * m));
    for (int k = 0; k < m; k++) check_less(1 - bound[k] / ellipse_at(B, at[k]), 2.5 * loss);
  }
}

// never beyond the curve, and larger than every other ellipse inside of it
static void check_ellipse(pl_rng *r, const pl_polar *c, const double B[3]) {
  static double angle[3000], curve[3000];
  double most = 0, det = B[0] * B[1] - B[2] * B[2];
  int n = 2000 + c->n;
  for (int i = 0; i < n; i++) {
    // the curve has its dips at the samples
    angle[i] = i < 2000 ? PL_PI * i / 2000 : c->angle[i - 2000];
    curve[i] = pl_polar_at(c, angle[i]);
    most = fmax(most, ellipse_at(B, angle[i]) / curve[i]);
  }
  check_less(most, 1 + 1e-12);
  for (int trial = 0; trial < 300; trial++) {
    double E[3], size = pow(10, pl_rng_uniform(r, -5, 0)), full = 0;
    for (int i = 0; i < 3; i++) E[i] = B[i] + size * pl_rng_normal(r);
    if (!(E[0] > 0 && E[0] * E[1] > E[2] * E[2])) continue;
    for (int i = 0; i < n; i++) {
      double f = ellipse_at(E, angle[i]) / curve[i];
      full = fmax(full, f * f);
    }
    // between 2000 angles an ellipse bulges by its curvature times the square of half a step
    check_less((E[0] * E[1] - E[2] * E[2]) / (full * full), det * (1 + 5e-6));
  }
}

static void largest_ellipse(void **state) {
  (void)state;
  static double angle[720], stretch[720];
  double B[3], E[3];
  pl_rng r;
  pl_rng_seed(&r, 3);
  for (int i = 0; i < 720; i++) angle[i] = PL_PI * i / 720;
  pl_polar c = {1, angle, stretch};
  stretch[0] = 1.3;
  check_ok(&env, pl_polar_ellipse(&env, &c, B));
  const double circle[3] = {1.69, 1.69, 0}, lobes[3] = {1.21, 1.21, 0};
  check_array(3, B, circle, 1e-10);
  // an ellipse returns; straight pieces of 0.25 degrees cut into it by 1e-6 where it is hollow
  c.n = 720;
  for (int k = 0; k < 3; k++) {
    pl_limit_ellipse(1.01, 1.1 + 0.1 * k, k, E);
    for (int i = 0; i < 720; i++) stretch[i] = ellipse_at(E, angle[i]);
    check_ok(&env, pl_polar_ellipse(&env, &c, B));
    check_array(3, B, E, 5e-6);
    check_ellipse(&r, &c, B);
  }
  // four lobes allow the circle of their least
  c.n = 360;
  for (int i = 0; i < 360; i++) {
    angle[i] = PL_PI * i / 360;
    stretch[i] = 1.2 + 0.1 * cos(4 * angle[i]);
  }
  check_ok(&env, pl_polar_ellipse(&env, &c, B));
  check_array(3, B, lobes, 1e-9);
  for (int trial = 0; trial < 12; trial++) {
    c.n = 2 + 3 * trial;
    random_curve(&r, c.n, angle, stretch);
    check_ok(&env, pl_polar_ellipse(&env, &c, B));
    check_ellipse(&r, &c, B);
  }
}

static pl_status one_ellipse(pl_env *e, void *ctx) {
  (void)ctx;
  double angle[3] = {0, 1, 2}, stretch[3] = {1, 1.5, 1.2}, B[3];
  pl_polar c = {3, angle, stretch};
  return pl_polar_ellipse(e, &c, B);
}

static void bad_curves(void **state) {
  (void)state;
  double angle[2] = {0, 1}, stretch[2] = {1, -1}, B[3];
  pl_polar c = {2, angle, stretch};
  check_status(&env, pl_polar_ellipse(&env, &c, B), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "sample 1"));
  stretch[1] = NAN;
  check_status(&env, pl_polar_ellipse(&env, &c, B), PL_E_INPUT);
  c.n = 0;
  check_status(&env, pl_polar_ellipse(&env, &c, B), PL_E_INPUT);
  check_allocations(one_ellipse, NULL);
}

int test_polar(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ellipses),           cmocka_unit_test(bias_beyond),
      cmocka_unit_test(sampled_stretch),    cmocka_unit_test(stretch_of_few),
      cmocka_unit_test(curve_between),      cmocka_unit_test(plain_directions),
      cmocka_unit_test(guarded_circle),     cmocka_unit_test(guarded_curves),
      cmocka_unit_test(guard_costs_little), cmocka_unit_test(largest_ellipse),
      cmocka_unit_test(bad_curves),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("polar", tests, NULL, NULL);
}
