#include "mesh_tools.h"

enum { NTRI = 600, NQUERY = 1000 };

// triangles of mixed sizes in a cube, sharing no vertices
static void soup(unsigned long long seed, int ntri, int *tri, double *x) {
  pl_rng rng;
  pl_rng_seed(&rng, seed);
  for (int t = 0; t < ntri; t++) {
    double size = t % 10 ? 0.1 : 1.5, c[3];
    for (int d = 0; d < 3; d++) c[d] = pl_rng_uniform(&rng, -1, 1);
    for (int k = 0; k < 3; k++) {
      tri[3 * t + k] = 3 * t + k;
      for (int d = 0; d < 3; d++)
        x[3 * (3 * t + k) + d] = c[d] + size * pl_rng_uniform(&rng, -1, 1);
    }
  }
}

// closest point by walking from the corner regions to the face (all sign tests on edge projections)
static double distance_to(const double *a, const double *b, const double *c, const double *p) {
  double ab[3], ac[3], ap[3], bp[3], cp[3], n[3];
  pl_sub3(b, a, ab);
  pl_sub3(c, a, ac);
  pl_sub3(p, a, ap);
  pl_sub3(p, b, bp);
  pl_sub3(p, c, cp);
  double d1 = pl_dot3(ab, ap), d2 = pl_dot3(ac, ap), d3 = pl_dot3(ab, bp), d4 = pl_dot3(ac, bp);
  double d5 = pl_dot3(ab, cp), d6 = pl_dot3(ac, cp);
  if (d1 <= 0 && d2 <= 0) return pl_norm3(ap);
  if (d3 >= 0 && d4 <= d3) return pl_norm3(bp);
  if (d6 >= 0 && d5 <= d6) return pl_norm3(cp);
  double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0 && d1 >= 0 && d3 <= 0)
    return sqrt(fmax(0, pl_dot3(ap, ap) - d1 * d1 / pl_dot3(ab, ab)));
  if (vb <= 0 && d2 >= 0 && d6 <= 0)
    return sqrt(fmax(0, pl_dot3(ap, ap) - d2 * d2 / pl_dot3(ac, ac)));
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    double bc[3];
    pl_sub3(c, b, bc);
    double s = pl_dot3(bc, bp);
    return sqrt(fmax(0, pl_dot3(bp, bp) - s * s / pl_dot3(bc, bc)));
  }
  pl_cross3(ab, ac, n);
  return fabs(pl_dot3(n, ap)) / pl_norm3(n);
}

static void check_point(const pl_hit *h, const int *tri, const double *x) {
  check_close(h->bary[0] + h->bary[1] + h->bary[2], 1, 1e-12);
  for (int d = 0; d < 3; d++) {
    double at = 0;
    for (int k = 0; k < 3; k++) at += h->bary[k] * x[3 * tri[3 * h->tri + k] + d];
    check_close(h->point[d], at, 1e-12);
  }
  for (int k = 0; k < 3; k++) assert_true(h->bary[k] >= 0 && h->bary[k] <= 1);
}

static void compare_all(const pl_bvh *b, const int *tri, const double *x) {
  pl_rng rng;
  pl_rng_seed(&rng, 99);
  for (int q = 0; q < NQUERY; q++) {
    double p[3], near = INFINITY;
    for (int d = 0; d < 3; d++) p[d] = pl_rng_uniform(&rng, -2, 2);
    for (int t = 0; t < NTRI; t++) {
      const double *a = x + 3 * tri[3 * t], *c = x + 3 * tri[3 * t + 1],
                   *e = x + 3 * tri[3 * t + 2];
      near = fmin(near, distance_to(a, c, e, p));
    }
    pl_hit h = pl_bvh_nearest(b, p);
    check_close(h.dist, near, 1e-11);
    check_point(&h, tri, x);
    double d[3];
    pl_sub3(h.point, p, d);
    check_close(pl_norm3(d), h.dist, 1e-12);
  }
}

static void count_triangle(void *ctx, int t) {
  ((int *)ctx)[t]++;
}

// every triangle whose box overlaps the given one, and no other, once
static void compare_boxes(const pl_bvh *b, const int *tri, const double *x) {
  pl_rng rng;
  pl_rng_seed(&rng, 98);
  for (int q = 0; q < NQUERY; q++) {
    static int seen[NTRI];
    double lo[3], hi[3];
    memset(seen, 0, sizeof seen);
    for (int d = 0; d < 3; d++) {
      lo[d] = pl_rng_uniform(&rng, -2, 2);
      hi[d] = lo[d] + pl_rng_uniform(&rng, 0, 1);
    }
    pl_bvh_overlaps(b, lo, hi, count_triangle, seen);
    for (int t = 0; t < NTRI; t++) {
      int approach = 1;
      for (int d = 0; d < 3; d++) {
        double u = x[3 * tri[3 * t] + d], v = x[3 * tri[3 * t + 1] + d],
               w = x[3 * tri[3 * t + 2] + d];
        if (fmax(u, fmax(v, w)) < lo[d] || fmin(u, fmin(v, w)) > hi[d]) approach = 0;
      }
      assert_int_equal(seen[t], approach);
    }
  }
}

static void brute_force(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  static int tri[3 * NTRI];
  static double x[9 * NTRI];
  soup(1, NTRI, tri, x);
  pl_bvh *b;
  check_ok(&env, pl_bvh_create(&env, NTRI, tri, x, &b));
  compare_all(b, tri, x);
  compare_boxes(b, tri, x);

  // other positions in the same tree
  soup(2, NTRI, tri, x);
  pl_bvh_refit(b);
  compare_all(b, tri, x);
  compare_boxes(b, tri, x);
  pl_bvh_free(b);
}

static void odd_triangles(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_bvh *b;
  check_ok(&env, pl_bvh_create(&env, 0, NULL, NULL, &b));
  assert_int_equal(pl_bvh_nearest(b, (double[3]){0}).tri, -1);
  pl_bvh_free(b);
  check_status(&env, pl_bvh_create(&env, -1, NULL, NULL, &b), PL_E_ARG);

  // a segment and a point as triangles: distances to them still hold; ties go to the lower number
  const double x[9] = {0, 0, 0, 2, 0, 0, 1, 0, 0};
  const int flat[9] = {0, 1, 2, 1, 1, 1, 0, 1, 2};
  check_ok(&env, pl_bvh_create(&env, 3, flat, x, &b));
  pl_hit h = pl_bvh_nearest(b, (double[]){0.5, 3, 4});
  check_close(h.dist, 5, 1e-14);
  assert_int_equal(h.tri, 0);
  check_close(pl_bvh_nearest(b, (double[]){5, 4, 0}).dist, 5, 1e-14);
  pl_bvh_free(b);

  // very many equal ones: no deep recursion
  enum { N = 50000 };
  int *same = malloc(3 * N * sizeof *same);
  const double y[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  for (int i = 0; i < 3 * N; i++) same[i] = i % 3;
  check_ok(&env, pl_bvh_create(&env, N, same, y, &b));
  assert_int_equal(pl_bvh_nearest(b, (double[]){0.2, 0.2, 1}).tri, 0);
  pl_bvh_free(b);
  free(same);
}

// sizes in geometric progression make lopsided trees
static void lopsided(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  enum { N = 400 };
  static int tri[3 * N];
  static double x[9 * N];
  for (int t = 0; t < N; t++) {
    double s = pow(0.7, t);
    for (int k = 0; k < 3; k++) tri[3 * t + k] = 3 * t + k;
    memcpy(x + 9 * t, ((double[]){s, 0, 0, s, 0.1 * s, 0, s, 0, 0.1 * s}), 9 * sizeof(double));
  }
  pl_bvh *b;
  check_ok(&env, pl_bvh_create(&env, N, tri, x, &b));
  for (int t = 0; t < N; t++) {
    pl_hit h = pl_bvh_nearest(b, (double[]){x[9 * t], 0, 0});
    assert_int_equal(h.tri, t);
    check_close(h.dist, 0, 0);
  }
  pl_bvh_free(b);
}

static pl_status building(pl_env *env, void *ctx) {
  (void)ctx;
  int tri[90];
  double x[270];
  soup(5, 30, tri, x);
  pl_bvh *b;
  PL_TRY(pl_bvh_create(env, 30, tri, x, &b));
  pl_bvh_free(b);
  return PL_OK;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(building, NULL);
}

int test_bvh(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(brute_force),
      cmocka_unit_test(odd_triangles),
      cmocka_unit_test(lopsided),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("mesh.bvh", tests, NULL, NULL);
}
