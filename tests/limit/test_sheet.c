// Sheets: what they refuse, and their measures against measures made apart.
#include "sheets.h"

static pl_env env;

static double ring[1][3] = {{1.0201, 1.0201, 0}};
static const pl_limit one_percent = {.nellipse = 1, .B = (const double (*)[3])ring};

static void refuse(const pl_sheet_desc *d, const char *text) {
  pl_sheet *s = (pl_sheet *)&env;
  check_status(&env, pl_sheet_create(&env, d, 1, &s), PL_E_INPUT);
  assert_null(s);
  if (!strstr(env.error.text, text)) print_error("'%s' lacks '%s'\n", env.error.text, text);
  assert_non_null(strstr(env.error.text, text));
}

static void bad_input(void **state) {
  (void)state;
  cloth k;
  cloth_grid(&k, 2, 2, 1, 1);
  pl_sheet_desc d = cloth_desc(&k, 1, &one_percent);
  k.weight[4] = 0;
  refuse(&d, "vertex 4");
  k.weight[4] = NAN;
  refuse(&d, "vertex 4");
  k.weight[4] = 1;
  int old = k.tri[7];
  k.tri[7] = 9;
  refuse(&d, "triangle 2");
  k.tri[7] = k.tri[6];
  refuse(&d, "triangle 2");
  k.tri[7] = old;
  k.limit_of[3] = 1;
  refuse(&d, "triangle 3");
  k.limit_of[3] = 0;
  // corners on one line, and one that is no number
  double corner[6];
  memcpy(corner, k.rest + 6 * 5, sizeof corner);
  for (int a = 0; a < 3; a++) k.rest[30 + 2 * a] = k.rest[31 + 2 * a] = a;
  refuse(&d, "triangle 5");
  k.rest[30] = NAN;
  refuse(&d, "triangle 5");
  memcpy(k.rest + 6 * 5, corner, sizeof corner);
  double flat[1][3] = {{1, 1, 1}}, angle[2] = {0, 1}, bound[2] = {1, 0};
  pl_limit bad[2] = {{.nellipse = 1, .B = (const double(*)[3])flat},
                     {.ndirection = 2, .angle = angle, .bound = bound}};
  for (int i = 0; i < 2; i++) {
    d.limit = &bad[i];
    refuse(&d, i == 0 ? "ellipse 0" : "direction 1");
  }
  cloth_close(&k);
}

// a turned sheet in space, its warp laid into each triangle: lengths, angles and area are kept
static void flattened(void **state) {
  (void)state;
  cloth k;
  double R[9], axis[3] = {1, 2, -0.5}, warp[3], rest[6 * 8];
  cloth_grid(&k, 2, 2, 1, 0.7);
  pl_rotation3(axis, 1.1, R);
  for (int i = 0; i < k.nvert; i++)
    for (int c = 0; c < 3; c++) k.x[3 * i + c] = pl_dot3(R + 3 * c, k.X + 3 * i);
  // the first axis of the material, and something along the normal that must not matter
  for (int c = 0; c < 3; c++) warp[c] = 2 * R[3 * c] + 5 * R[3 * c + 2];
  pl_sheet_flatten(k.ntri, k.tri, k.x, warp, rest);
  for (int t = 0; t < k.ntri; t++)
    for (int i = 0; i < 6; i++)
      check_close(rest[6 * t + i] - rest[6 * t + i % 2], k.rest[6 * t + i] - k.rest[6 * t + i % 2],
                  1e-14);
  // across: the first edge is the axis
  for (int c = 0; c < 3; c++) warp[c] = R[3 * c + 2];
  pl_sheet_flatten(k.ntri, k.tri, k.x, warp, rest);
  for (int t = 0; t < k.ntri; t++) {
    check_close(rest[6 * t + 3], 0, 1e-14);
    check_less(0, rest[6 * t + 2]);
  }
  cloth_close(&k);
}

// stretches of random states against singular values and a scan of directions
static void measures(void **state) {
  (void)state;
  enum { ANGLES = 3600 };
  pl_rng r;
  pl_rng_seed(&r, 1);
  double B[2][3], angle[5], bound[5];
  pl_limit_ellipse(1.1, 1.3, 0.5, B[0]);
  pl_limit_ellipse(1.2, 1.1, 0.1, B[1]);
  for (int i = 0; i < 5; i++) angle[i] = PL_PI * i / 5, bound[i] = 1.1 + 0.05 * i;
  const pl_limit limit[3] = {{.nellipse = 2, .B = (const double(*)[3])B},
                             {.ndirection = 5, .angle = angle, .bound = bound},
                             {1, (const double(*)[3])B, 5, angle, bound, {0}}};
  for (int trial = 0; trial < 10; trial++) {
    cloth k;
    double ratio[24], stretch[72], between = -1, most = 0;
    int worst, at = 0;
    cloth_grid(&k, 4, 3, 1, 1);
    for (int t = 0; t < k.ntri; t++) k.limit_of[t] = t % 4 - 1;
    cloth_overstretch(&k, &r, 2, 0.05);
    pl_sheet *s = cloth_sheet(&env, &k, 3, limit);
    assert_int_equal(pl_sheet_nvert(s), k.nvert);
    assert_int_equal(pl_sheet_ntri(s), k.ntri);
    pl_sheet_ratio(s, k.xhat, ratio);
    pl_sheet_stretch(s, k.xhat, stretch);
    for (int t = 0; t < k.ntri; t++) {
      double F[6], U[6], sv[2], V[4], want = 0;
      cloth_gradient(&k, t, k.xhat, F);
      pl_svd32(F, U, sv, V);
      check_rel(stretch[3 * t], sv[0], 1e-12);
      check_close(stretch[3 * t + 1], sv[1], 1e-12 * sv[0]);
      check_rel(stretch_along(F, stretch[3 * t + 2]), sv[0], 1e-12);
      if (k.limit_of[t] < 0) {
        check_close(ratio[t], 0, 0);
        continue;
      }
      const pl_limit *l = &limit[k.limit_of[t]];
      pl_polar curve = {5, angle, bound};
      for (int i = 0; i < ANGLES; i++) {
        double a = PL_PI * i / ANGLES, y = stretch_along(F, a), c = cos(a), e = sin(a);
        for (int b = 0; b < l->nellipse; b++)
          want = fmax(want, y / sqrt(B[b][0] * c * c + B[b][1] * e * e + 2 * B[b][2] * c * e));
        if (k.limit_of[t] == 1 && i % 10 == 0)
          between = fmax(between, y / pl_polar_at(&curve, a) - 1);
      }
      for (int i = 0; i < l->ndirection; i++)
        want = fmax(want, stretch_along(F, angle[i]) / bound[i]);
      // a scan in steps of 0.05 degrees misses a maximum by less than 1e-6
      check_rel(ratio[t], want, 1e-6);
      if (ratio[t] > most) most = ratio[t], at = t;
    }
    check_close(pl_sheet_violation(s, k.xhat, &worst), most - 1, 0);
    assert_int_equal(worst, at);
    check_close(pl_sheet_between(s, k.xhat), between, 1e-12);
    pl_sheet_free(s);
    cloth_close(&k);
  }
}

// directions with a guard keep the whole curve after a projection; without, they do not
static void guarded_projection(void **state) {
  (void)state;
  double at[12], stretch[12], angle[8], bound[8], beyond[2];
  for (int i = 0; i < 12; i++) {
    at[i] = PL_PI * i / 12;
    stretch[i] = 1.1 + 0.05 * cos(2 * at[i]) + 0.02 * cos(4 * at[i]);
  }
  pl_polar curve = {12, at, stretch};
  pl_project_opts o = project_defaults();
  for (int guard = 0; guard < 2; guard++) {
    pl_rng r;
    pl_rng_seed(&r, 2);
    cloth k;
    cloth_grid(&k, 8, 8, 0.5, 0.5);
    // compressed across: the gap between directions opens
    for (int i = 0; i < k.nvert; i++) {
      double u = k.X[3 * i] + k.X[3 * i + 1], v = k.X[3 * i] - k.X[3 * i + 1];
      k.xhat[3 * i] = 0.9 * u + 0.05 * v + 1e-3 * pl_rng_normal(&r);
      k.xhat[3 * i + 1] = 0.6 * u - 0.05 * v + 1e-3 * pl_rng_normal(&r);
    }
    pl_polar_directions(&curve, 8, guard, angle, bound);
    pl_limit l = {.ndirection = 8, .angle = angle, .bound = bound};
    pl_sheet *s = cloth_sheet(&env, &k, 1, &l);
    check_ok(&env, pl_project(&o, s, k.xhat, 0, NULL, NULL, k.x, NULL));
    beyond[guard] = -1;
    for (int t = 0; t < k.ntri; t++) {
      double F[6];
      cloth_gradient(&k, t, k.x, F);
      for (int i = 0; i < 720; i++) {
        double a = PL_PI * i / 720;
        beyond[guard] = fmax(beyond[guard], stretch_along(F, a) / pl_polar_at(&curve, a) - 1);
      }
    }
    pl_sheet_free(s);
    cloth_close(&k);
  }
  check_less(1e-3, beyond[0]);
  check_less(beyond[1], 1e-6);
}

// A sheet stretched by 1.08 along 45 degrees and not across, sampled along its axes alone: between
// them it has (1.08^2 + 1)/2 in both, and 1.08 at 45 degrees. Against bounds of 1.05, and against a
// curve of 1.1 from which these came.
static void between_samples(void **state) {
  (void)state;
  const double angle[] = {0, PL_PI / 2}, bound[] = {1.05, 1.05}, wide[] = {1.1, 1.1};
  pl_limit l = {.ndirection = 2, .angle = angle, .bound = bound};
  cloth k;
  cloth_grid(&k, 2, 2, 1, 1);
  for (int i = 0; i < k.nvert; i++) {
    double *x = k.x + 3 * i, along = 0.04 * (k.X[3 * i] + k.X[3 * i + 1]);
    for (int c = 0; c < 3; c++) x[c] = k.X[3 * i + c] + (c < 2 ? along : 0);
  }
  pl_sheet *s = cloth_sheet(&env, &k, 1, &l);
  check_close(pl_sheet_between(s, k.x), 1.08 / 1.05 - 1, 1e-12);
  check_close(pl_sheet_violation(s, k.x, NULL), sqrt((1.08 * 1.08 + 1) / 2) / 1.05 - 1, 1e-12);
  pl_sheet_free(s);
  l.curve = (pl_polar){2, angle, wide};
  s = cloth_sheet(&env, &k, 1, &l);
  check_close(pl_sheet_between(s, k.x), 1.08 / 1.1 - 1, 1e-12);
  pl_sheet_free(s);
  s = cloth_sheet(&env, &k, 1, &one_percent);
  check_close(pl_sheet_between(s, k.x), -1, 0);
  pl_sheet_free(s);
  cloth_close(&k);
}

int test_sheet(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_input),       cmocka_unit_test(flattened),
      cmocka_unit_test(measures),        cmocka_unit_test(guarded_projection),
      cmocka_unit_test(between_samples),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("sheet", tests, NULL, NULL);
}
