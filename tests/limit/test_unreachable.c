// Pins too far apart: named where they are, silent where they are not.
#include "sheets.h"

static pl_env env;

static double ring[1][3];
static const pl_limit one_percent = {.nellipse = 1, .B = (const double (*)[3])ring};

static void pin(cloth *k, int i, double x) {
  k->fixed[i] = 7;
  k->xhat[3 * i] = x;
}

static pl_unreachable range_of(const cloth *k, const pl_limit *l) {
  pl_unreachable r;
  pl_sheet *s = cloth_sheet(&env, k, 1, l);
  check_ok(&env, pl_sheet_unreachable(s, k->xhat, &r));
  // the second time distances are known
  pl_unreachable again;
  check_ok(&env, pl_sheet_unreachable(s, k->xhat, &again));
  assert_int_equal(again.a, r.a);
  check_close(again.range, r.range, 0);
  pl_sheet_free(s);
  return r;
}

// 10 x 1 cells, 2 m long: pins in the corners of the lower side
static void strip(void **state) {
  (void)state;
  cloth k;
  cloth_grid(&k, 10, 1, 2, 0.2);
  pin(&k, 0, 0);
  pin(&k, 10, 2.1);
  pl_unreachable r = range_of(&k, &one_percent);
  assert_int_equal(r.a, 0);
  assert_int_equal(r.b, 10);
  check_close(r.apart, 2.1, 1e-14);
  check_close(r.range, 2.02, 1e-14);
  pin(&k, 10, 2.02 * (1 - 1e-9));
  assert_int_equal(range_of(&k, &one_percent).a, -1);
  pin(&k, 10, 2.02 * (1 + 1e-5));
  assert_int_equal(range_of(&k, &one_percent).a, 0);
  // nothing is too near, and a vertex that can move somewhere is no pin
  pin(&k, 10, 0);
  assert_int_equal(range_of(&k, &one_percent).a, -1);
  pin(&k, 10, 5);
  k.fixed[10] = 3;
  assert_int_equal(range_of(&k, &one_percent).a, -1);
  cloth_close(&k);
}

// reach along an axis is what the ellipse, or the chord between samples, allows there
static void anisotropic(void **state) {
  (void)state;
  double B[1][3], angle[2] = {PL_PI / 6, -PL_PI / 6}, bound[2] = {1.1, 1.1};
  cloth k;
  cloth_grid(&k, 10, 1, 2, 0.2);
  pin(&k, 0, 0);
  pin(&k, 10, 3);
  pl_limit_ellipse(1.3, 1.01, 0, B[0]);
  pl_limit l = {.nellipse = 1, .B = (const double(*)[3])B};
  check_close(range_of(&k, &l).range, 2.6, 1e-13);
  pl_limit_ellipse(1.3, 1.01, PL_PI / 2, B[0]);
  check_close(range_of(&k, &l).range, 2.02, 1e-13);
  pl_limit sampled = {.ndirection = 2, .angle = angle, .bound = bound};
  check_close(range_of(&k, &sampled).range, 2 * 1.1 / cos(PL_PI / 6), 1e-13);
  // the lesser of both
  l.ndirection = 2, l.angle = angle, l.bound = bound;
  check_close(range_of(&k, &l).range, 2.02, 1e-13);
  // one direction alone holds nothing
  sampled.ndirection = 1;
  assert_int_equal(range_of(&k, &sampled).a, -1);
  cloth_close(&k);
}

// no path through triangles without limits, and none between pieces
static void not_connected(void **state) {
  (void)state;
  cloth k;
  cloth_grid(&k, 10, 1, 2, 0.2);
  pin(&k, 0, 0);
  pin(&k, 10, 9);
  k.limit_of[8] = k.limit_of[9] = -1;
  assert_int_equal(range_of(&k, &one_percent).a, -1);
  cloth_close(&k);

  cloth_open(&k, 8, 4);
  const int tri[12] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
  const double X[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                          {2, 0, 0}, {3, 0, 0}, {3, 1, 0}, {2, 1, 0}};
  memcpy(k.tri, tri, sizeof tri);
  memcpy(k.X, X, sizeof X);
  cloth_rest(&k);
  pin(&k, 0, -50);
  pin(&k, 6, 50);
  assert_int_equal(range_of(&k, &one_percent).a, -1);
  pin(&k, 4, 45);
  pl_unreachable r = range_of(&k, &one_percent);
  assert_int_equal(r.a, 4);
  assert_int_equal(r.b, 6);
  check_close(r.range, 1.01 * sqrt(2), 1e-14);
  cloth_close(&k);
}

// three fixed corners: stretched between its edges, which are all within their own limit
static void fixed_triangle(void **state) {
  (void)state;
  cloth k;
  cloth_open(&k, 3, 1);
  const int tri[3] = {0, 1, 2};
  const double X[9] = {0, 0, 0, 1, 0, 0, 0.5, 0.8, 0};
  memcpy(k.tri, tri, sizeof tri);
  memcpy(k.X, X, sizeof X);
  cloth_rest(&k);
  for (int i = 0; i < 3; i++) k.fixed[i] = 7;
  assert_int_equal(range_of(&k, &one_percent).a, -1);
  // along y by 4 %, along x by -10 %
  for (int i = 0; i < 3; i++) k.xhat[3 * i] *= 0.9, k.xhat[3 * i + 1] *= 1.04;
  pl_unreachable r = range_of(&k, &one_percent);
  assert_true(r.a >= 0 && r.b >= 0 && r.a != r.b);
  check_rel(r.apart / r.range, 1.04 / 1.01, 1e-12);
  for (int i = 0; i < 3; i++) k.xhat[3 * i + 1] *= 1.0099 / 1.04;
  assert_int_equal(range_of(&k, &one_percent).a, -1);
  cloth_close(&k);
}

// random sheets and pins against Floyd and Warshall's shortest paths between all vertices
static void all_pairs(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 4);
  for (int trial = 0; trial < 40; trial++) {
    cloth k;
    double B[2][3];
    cloth_grid(&k, 3 + trial % 5, 2 + trial % 3, 1, 0.8);
    int n = k.nvert;
    double(*d)[60] = calloc((size_t)n, sizeof *d);
    pl_limit_ellipse(1.02, 1.1, trial, B[0]);
    pl_limit_ellipse(1.2, 1.01, trial, B[1]);
    pl_limit l = {.nellipse = 1 + trial % 2, .B = (const double(*)[3])B};
    for (int i = 0; i < n; i++) {
      k.fixed[i] = pl_rng_uniform(&r, 0, 1) < 0.2 ? 7 : 0;
      for (int c = 0; c < 3; c++) k.xhat[3 * i + c] = 1.2 * k.X[3 * i + c];
      for (int j = 0; j < n; j++) d[i][j] = i == j ? 0 : INFINITY;
    }
    for (int e = 0; e < 3 * k.ntri; e++) {
      int t = e / 3, a = k.tri[e], b = k.tri[3 * t + (e + 1) % 3];
      double u = k.X[3 * b] - k.X[3 * a], v = k.X[3 * b + 1] - k.X[3 * a + 1];
      for (int i = 0; i < l.nellipse; i++) {
        double length = sqrt(B[i][0] * u * u + B[i][1] * v * v + 2 * B[i][2] * u * v);
        d[a][b] = d[b][a] = fmin(d[a][b], length);
      }
    }
    double worst = 0;
    for (int m = 0; m < n; m++)
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) d[i][j] = fmin(d[i][j], d[i][m] + d[m][j]);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) {
        double e[3];
        pl_sub3(k.xhat + 3 * i, k.xhat + 3 * j, e);
        if (k.fixed[i] && k.fixed[j]) worst = fmax(worst, pl_norm3(e) / d[i][j]);
      }
    pl_unreachable found = range_of(&k, &l);
    int whole = 0; // triangles with three pins have a limit of their own
    for (int t = 0; t < k.ntri; t++)
      whole += k.fixed[k.tri[3 * t]] && k.fixed[k.tri[3 * t + 1]] && k.fixed[k.tri[3 * t + 2]];
    if (whole == 0 && worst > 1 + 1e-6) check_rel(found.apart / found.range, worst, 1e-12);
    if (whole == 0 && worst < 1) assert_int_equal(found.a, -1);
    if (whole > 0 && worst > 1 + 1e-6)
      assert_true(found.apart / found.range >= worst * (1 - 1e-12));
    free(d);
    cloth_close(&k);
  }
}

// thousands of pins: thinned out, but neighbours are still compared, and a call stays cheap
static void many_pins(void **state) {
  (void)state;
  cloth k;
  cloth_grid(&k, 60, 60, 1, 1);
  for (int i = 0; i < k.nvert; i++) k.fixed[i] = 7;
  pl_unreachable r = range_of(&k, &one_percent);
  assert_int_equal(r.a, -1);
  k.xhat[3 * 1234 + 2] += 0.05;
  r = range_of(&k, &one_percent);
  assert_true(r.a == 1234 || r.b == 1234);
  // one boundary: all pairs
  for (int i = 0; i < k.nvert; i++) k.fixed[i] = i <= 60 ? 7 : 0;
  k.xhat[3 * 60] = 1.02;
  r = range_of(&k, &one_percent);
  assert_int_equal(r.a, 59);
  assert_int_equal(r.b, 60);
  pl_sheet *s = cloth_sheet(&env, &k, 1, &one_percent);
  check_ok(&env, pl_sheet_unreachable(s, k.xhat, &r));
  long before = env.nalloc;
  double start = pl_cpu_time();
  for (int i = 0; i < 100; i++) check_ok(&env, pl_sheet_unreachable(s, k.xhat, &r));
  // 1770 pairs take 10 us, and a slow machine is allowed a hundred times that
  check_less((pl_cpu_time() - start) / 100, 1e-3);
  assert_int_equal(env.nalloc, before);
  pl_sheet_free(s);
  cloth_close(&k);
}

static pl_status create_and_check(pl_env *e, void *ctx) {
  const cloth *k = ctx;
  pl_sheet_desc d = cloth_desc(k, 1, &one_percent);
  pl_sheet *s;
  pl_unreachable r;
  PL_TRY(pl_sheet_create(e, &d, 1, &s));
  pl_status status = pl_sheet_unreachable(s, k->xhat, &r);
  pl_sheet_free(s);
  return status;
}

static void no_memory(void **state) {
  (void)state;
  cloth k;
  cloth_grid(&k, 4, 3, 1, 1);
  for (int i = 0; i < k.nvert; i += 3) k.fixed[i] = 7;
  check_allocations(create_and_check, &k);
  cloth_close(&k);
}

int test_unreachable(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strip),         cmocka_unit_test(anisotropic),
      cmocka_unit_test(not_connected), cmocka_unit_test(fixed_triangle),
      cmocka_unit_test(all_pairs),     cmocka_unit_test(many_pins),
      cmocka_unit_test(no_memory),
  };
  pl_env_init(&env);
  pl_limit_ellipse(1.01, 1.01, 0, ring[0]);
  return cmocka_run_group_tests_name("limit.unreachable", tests, NULL, NULL);
}
