// Other ways to states within the limits: Gauss-Seidel ends at some, Ipopt at the projection.
#include "rivals.h"
#include "sheets.h"

static pl_env env;

static double ring[1][3];
static pl_limit isotropic(double b) {
  pl_limit_ellipse(b, b, 0, ring[0]);
  return (pl_limit){.nellipse = 1, .B = (const double(*)[3])ring};
}

static const double four[4] = {0, PL_PI / 4, PL_PI / 2, 3 * PL_PI / 4};
static const double bounds[4] = {1.01, 1.05, 1.01, 1.05};
static const pl_limit sampled = {.ndirection = 4, .angle = four, .bound = bounds};

// a state of a hanging cloth: two corners held, stretched below
static void swing(cloth *k, int n, double stretch) {
  pl_rng r;
  pl_rng_seed(&r, 11);
  cloth_grid(k, n, n, 0.5, 0.5);
  cloth_mass(k);
  for (int i = 0; i < k->nvert; i++) {
    double *x = k->xhat + 3 * i, y = k->X[3 * i + 1];
    x[1] = y * (1 + stretch * y / 0.5);
    x[2] = 0.02 * sin(12 * k->X[3 * i]) * y + 2e-4 * pl_rng_normal(&r);
  }
  k->fixed[0] = k->fixed[n] = 7;
}

// one triangle at a time is the projection when there is only one, equilateral with equal weights
static void sweep_of_one(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 1);
  for (int trial = 0; trial < 30; trial++) {
    cloth k;
    rival_info info;
    double F[6], U[6], s[2], V[4], want[9];
    cloth_open(&k, 3, 1);
    for (int a = 0; a < 3; a++) {
      k.tri[a] = a;
      k.X[3 * a] = cos(2 * PL_PI * a / 3);
      k.X[3 * a + 1] = sin(2 * PL_PI * a / 3);
    }
    cloth_rest(&k);
    for (int i = 0; i < 6; i++) F[i] = 2 * pl_rng_normal(&r);
    pl_svd32(F, U, s, V);
    for (int i = 0; i < 9; i++) {
      const double *X = k.X + 3 * (i / 3);
      int c = i % 3;
      k.xhat[i] = F[2 * c] * X[0] + F[2 * c + 1] * X[1];
      want[i] = 0;
      for (int e = 0; e < 2; e++)
        want[i] += U[2 * c + e] * fmin(s[e], 1.1) * (V[e] * X[0] + V[2 + e] * X[1]);
    }
    pl_limit l = isotropic(1.1);
    pl_sheet *sheet = cloth_sheet(&env, &k, 1, &l);
    check_ok(&env, project_gauss_seidel(sheet, k.xhat, 1e-12, 10, k.x, &info));
    check_array(9, k.x, want, 1e-13);
    assert_int_equal(info.converged, 1);
    assert_int_equal(info.iterations, s[0] > 1.1 ? 2 : 1);
    pl_sheet_free(sheet);
    cloth_close(&k);
  }
}

// within the limits, momentum kept, what is given stays, and never nearer than the projection
static void sweeps_end_inside(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  pl_limit round = isotropic(1.03), both = round;
  both.ndirection = 4, both.angle = four, both.bound = bounds;
  const pl_limit limit[3] = {round, sampled, both};
  for (int trial = 0; trial < 9; trial++) {
    cloth k;
    rival_info info;
    pl_project_info best;
    double sum[3] = {0}, size = 0;
    swing(&k, 8, 0.2);
    if (trial % 3 == 0) k.fixed[0] = k.fixed[8] = 0;
    // one vertex on a rail, and a triangle with two fixed corners
    if (trial % 3 == 2) k.fixed[40] = 5, k.fixed[1] = 7;
    const pl_limit *l = &limit[trial / 3];
    pl_sheet *s = cloth_sheet(&env, &k, 1, l);
    check_ok(&env, pl_project(&o, s, k.xhat, 0, NULL, NULL, k.x, &best));
    check_ok(&env, project_gauss_seidel(s, k.xhat, 1e-6, 100000, k.x, &info));
    check_less(cloth_violation(&k, l, k.x), 1e-6 + 1e-12);
    check_close(info.violation, pl_sheet_violation(s, k.x, NULL), 0);
    double d = cloth_distance(&k, k.x, k.xhat);
    check_rel(info.objective, d * d / 2, 1e-12);
    check_less(best.bound, info.objective * (1 + 1e-3));
    for (int i = 0; i < 3 * k.nvert; i++) {
      double change = k.x[i] - k.xhat[i];
      if (k.fixed[i / 3] >> i % 3 & 1) check_close(change, 0, 0);
      sum[i % 3] += k.weight[i / 3] * change;
      size += k.weight[i / 3] * fabs(change);
    }
    if (trial % 3 == 0) check_less(pl_norm3(sum), 1e-12 * size);
    pl_sheet_free(s);
    cloth_close(&k);
  }
}

static void sweeps_give_up(void **state) {
  (void)state;
  cloth k;
  rival_info info;
  swing(&k, 10, 0.5);
  pl_limit l = isotropic(1.001);
  pl_sheet *s = cloth_sheet(&env, &k, 1, &l);
  check_status(&env, project_gauss_seidel(s, k.xhat, 1e-6, 3, k.x, &info), PL_UNSOLVED);
  assert_int_equal(info.iterations, 3);
  assert_int_equal(info.converged, 0);
  check_less(1e-6, info.violation);
  k.xhat[4] = NAN;
  check_status(&env, project_gauss_seidel(s, k.xhat, 1e-6, 3, k.x, &info), PL_E_INPUT);
  pl_sheet_free(s);
  cloth_close(&k);
}

// Ipopt ends at the same point: both forms, on 20 x 20 cells
static void ipopt_agrees(void **state) {
  (void)state;
  if (!project_has_ipopt()) skip();
  pl_project_opts o = project_defaults();
  o.gap = 1e-10;
  pl_limit round = isotropic(1.01), ellipse = round, both = round;
  double B[1][3];
  pl_limit_ellipse(1.01, 1.1, 0.4, B[0]);
  ellipse.B = (const double(*)[3])B;
  both.ndirection = 4, both.angle = four, both.bound = bounds;
  const pl_limit limit[4] = {round, sampled, ellipse, both};
  for (int trial = 0; trial < 4; trial++) {
    cloth k;
    rival_info info;
    pl_project_info own;
    swing(&k, trial < 2 ? 20 : 8, 0.1);
    double *x = calloc(3 * (size_t)k.nvert, sizeof *x);
    pl_sheet *s = cloth_sheet(&env, &k, 1, &limit[trial]);
    check_ok(&env, pl_project(&o, s, k.xhat, 0, NULL, NULL, k.x, &own));
    check_ok(&env, project_ipopt(s, k.xhat, 1e-8, 500, x, &info));
    check_less(cloth_violation(&k, &limit[trial], x), 1e-9);
    // it stops at products of 1e-8 for each of some hundred constraints, of an objective near 10
    check_rel(info.objective, own.objective, 1e-6);
    check_less(own.bound, info.objective);
    check_less(cloth_distance(&k, x, k.x), own.distance + 5e-5 * sqrt(2 * own.objective));
    pl_sheet_free(s);
    free(x);
    cloth_close(&k);
  }
}

static void ipopt_missing(void **state) {
  (void)state;
  cloth k;
  rival_info info;
  swing(&k, 2, 0.1);
  pl_sheet *s = cloth_sheet(&env, &k, 1, &sampled);
  if (!project_has_ipopt()) {
    check_status(&env, project_ipopt(s, k.xhat, 1e-8, 100, k.x, &info), PL_E_INPUT);
    assert_non_null(strstr(env.error.hint, "libipopt"));
  } else {
    check_status(&env, project_ipopt(s, k.xhat, 1e-8, 1, k.x, &info), PL_UNSOLVED);
    assert_int_equal(info.converged, 0);
    k.xhat[4] = INFINITY;
    check_status(&env, project_ipopt(s, k.xhat, 1e-8, 100, k.x, &info), PL_E_INPUT);
  }
  pl_sheet_free(s);
  cloth_close(&k);
}

static pl_status sweep_whole(pl_env *e, void *ctx) {
  cloth *k = ctx;
  pl_sheet_desc d = cloth_desc(k, 1, &sampled);
  pl_sheet *s;
  rival_info info;
  PL_TRY(pl_sheet_create(e, &d, 1, &s));
  pl_status status = project_gauss_seidel(s, k->xhat, 1e-3, 100000, k->x, &info);
  if (status == PL_OK && project_has_ipopt())
    status = project_ipopt(s, k->xhat, 1e-6, 100, k->x, &info);
  pl_sheet_free(s);
  return status;
}

static void no_memory(void **state) {
  (void)state;
  cloth k;
  swing(&k, 2, 0.1);
  check_allocations(sweep_whole, &k);
  cloth_close(&k);
}

int test_rivals(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sweep_of_one),   cmocka_unit_test(sweeps_end_inside),
      cmocka_unit_test(sweeps_give_up), cmocka_unit_test(ipopt_agrees),
      cmocka_unit_test(ipopt_missing),  cmocka_unit_test(no_memory),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("rivals", tests, NULL, NULL);
}
