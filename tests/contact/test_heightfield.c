// Heights over a grid: planes, parabolas, brute force, and what is refused.
#include "problems.h"

enum { N = 9, FINE = 400 };

static pl_obstacle ground(pl_env *env, int nx, int ny, double spacing, const double *h,
                          int smooth) {
  pl_obstacle_heights *m;
  check_ok(env, pl_obstacle_heights_create(env, nx, ny, spacing, h, smooth, &m));
  return (pl_obstacle){.kind = &pl_obstacle_heightfield, .data = m};
}

static void drop(pl_obstacle *o) {
  pl_obstacle_heights_free((void *)(uintptr_t)o->data);
}

// heights of a plane are that plane, whichever way they are joined
static void slope(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double h[N * N], up[3] = {-0.3, 0.2, 1}, size = pl_norm3(up);
  for (int k = 0; k < N * N; k++) h[k] = 0.05 + 0.5 * (0.3 * (k % N) - 0.2 * (k / N));
  const pl_obstacle plane = {
      .kind = &pl_obstacle_plane, .centre = {0, 0, 0.05}, .par = {-0.3, 0.2, 1}};
  for (int smooth = 0; smooth < 2; smooth++) {
    pl_obstacle o = ground(&env, N, N, 0.5, h, smooth);
    pl_rng r;
    pl_rng_seed(&r, 3);
    for (int k = 0; k < 300; k++) {
      // far enough from where the grid ends
      double x[3] = {pl_rng_uniform(&r, 1.5, 2.5), pl_rng_uniform(&r, 1.5, 2.5), 0};
      x[2] = 0.05 + 0.3 * x[0] - 0.2 * x[1] + pl_rng_uniform(&r, -0.6, 0.6);
      pl_gap a, b;
      pl_obstacle_gap(&o, 3, 0, x, 0.01, &a);
      pl_obstacle_gap(&plane, 3, 0, x, 0.01, &b);
      check_close(a.gap, b.gap, 1e-14);
      for (int c = 0; c < 3; c++) check_close(a.frame[0][c], up[c] / size, 1e-9);
    }
    drop(&o);
  }
}

// Smooth heights of a parabola are that parabola: above its middle, inside the centre of curvature
// 1/(2 c), the bottom is nearest; beside, the foot of a normal.
static void bowl(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const double c = 0.4, s = 0.25;
  double h[17 * 17];
  for (int k = 0; k < 17 * 17; k++) {
    double x = s * (k % 17) - 2, y = s * (k / 17) - 2;
    h[k] = c * (x * x + y * y);
  }
  pl_obstacle o = ground(&env, 17, 17, s, h, 1);
  o.centre[0] = o.centre[1] = -2;
  pl_gap g;
  pl_obstacle_gap(&o, 3, 0, (double[]){0, 0, 1.2}, 0, &g);
  check_close(g.gap, 1.2, 1e-14);
  for (int k = 0; k < 200; k++) {
    double x = 0.006 * k - 0.6, y = 0.3 - 0.002 * k, d = k % 2 ? 0.2 : -0.3;
    double n[3] = {-2 * c * x, -2 * c * y, 1}, size = pl_norm3(n), at[3];
    const double foot[3] = {x, y, c * (x * x + y * y)};
    for (int i = 0; i < 3; i++) at[i] = foot[i] + d * n[i] / size;
    pl_obstacle_gap(&o, 3, 0, at, 0, &g);
    check_close(g.gap, d, 1e-14);
    for (int i = 0; i < 3; i++) check_close(g.frame[0][i], n[i] / size, 1e-13);
  }
  drop(&o);
}

// Rough ground: no point of it is nearer than the distance says, and some point is that near but
// for the sampling; below it is inside.
static void against_sampling(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 9);
  for (int trial = 0; trial < 6; trial++) {
    double h[N * N];
    for (int k = 0; k < N * N; k++) h[k] = pl_rng_uniform(&r, 0, 0.5 + 0.2 * trial);
    pl_obstacle o = ground(&env, N, N, 0.5, h, trial % 2);
    double(*p)[3] = calloc((FINE + 1) * (FINE + 1), sizeof *p);
    for (int k = 0; k < (FINE + 1) * (FINE + 1); k++) {
      p[k][0] = 4.0 * (k % (FINE + 1)) / FINE;
      p[k][1] = 4.0 * (k / (FINE + 1)) / FINE;
    }
    // heights by the same rule written anew: bilinear, or by four cubics and one across
    for (int k = 0; k < (FINE + 1) * (FINE + 1); k++) {
      double u = p[k][0] / 0.5, v = p[k][1] / 0.5, column[4];
      int i = (int)fmin(N - 2, floor(u)), j = (int)fmin(N - 2, floor(v));
      u -= i;
      v -= j;
      for (int b = 0; b < 4; b++) {
        double q[4];
        for (int a = 0; a < 4; a++) {
          int ii = i + a - 1, jj = j + b - 1;
          ii = ii < 0 ? 0 : ii >= N ? N - 1 : ii;
          jj = jj < 0 ? 0 : jj >= N ? N - 1 : jj;
          q[a] = h[jj * N + ii];
        }
        double t0 = 0.5 * (q[2] - q[0]), t1 = 0.5 * (q[3] - q[1]), e = q[2] - q[1];
        column[b] = trial % 2 ? q[1] + u * (t0 + u * (3 * e - 2 * t0 - t1 + u * (t0 + t1 - 2 * e)))
                              : q[1] + u * e;
      }
      double t0 = 0.5 * (column[2] - column[0]), t1 = 0.5 * (column[3] - column[1]);
      double e = column[2] - column[1];
      p[k][2] = trial % 2 ? column[1] + v * (t0 + v * (3 * e - 2 * t0 - t1 + v * (t0 + t1 - 2 * e)))
                          : column[1] + v * e;
    }
    for (int k = 0; k < 40; k++) {
      double x[3] = {pl_rng_uniform(&r, 1.2, 2.8), pl_rng_uniform(&r, 1.2, 2.8),
                     pl_rng_uniform(&r, -0.7, 1.7)};
      double near = INFINITY, over = INFINITY;
      pl_gap g;
      pl_obstacle_gap(&o, 3, 0, x, 0, &g);
      int below = 0;
      for (int i = 0; i < (FINE + 1) * (FINE + 1); i++) {
        double d[3];
        pl_sub3(x, p[i], d);
        near = fmin(near, pl_norm3(d));
        double plan = hypot(d[0], d[1]);
        if (plan < over) {
          over = plan;
          below = d[2] < 0;
        }
      }
      assert_true(fabs(g.gap) <= near + 1e-12);
      check_less(near - fabs(g.gap), 0.02);
      if (near > 0.05) assert_int_equal(g.gap < 0, below);
    }
    free(p);
    drop(&o);
  }
}

// one row is a profile: over x in the plane, the same for all y in space; beyond its ends it goes
// on
static void profile(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const double h[3] = {0, 1, 0};
  pl_obstacle o = ground(&env, 3, 1, 1, h, 0);
  pl_gap a, b;
  pl_obstacle_gap(&o, 2, 0, (double[]){0.5, 1.5}, 0, &a);
  check_close(a.gap, sqrt(0.5), 1e-15);
  pl_obstacle_gap(&o, 3, 0, (double[]){0.5, 77, 1.5}, 0, &b);
  check_close(b.gap, a.gap, 1e-15);
  check_array(3, b.frame[0], ((double[]){-sqrt(0.5), 0, sqrt(0.5)}), 1e-14);
  // over the top, in the valley where it goes on, and far below
  pl_obstacle_gap(&o, 2, 0, (double[]){1, 3}, 0, &a);
  check_close(a.gap, 2, 1e-15);
  pl_obstacle_gap(&o, 2, 0, (double[]){-8, 0.5}, 0, &a);
  check_close(a.gap, 0.5, 1e-15);
  pl_obstacle_gap(&o, 2, 0, (double[]){1, -2}, 0, &a);
  check_close(a.gap, -sqrt(5), 1e-14);
  drop(&o);
}

static void refused(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double h[4] = {0, 1, NAN, 3};
  pl_obstacle_heights *m;
  check_status(&env, pl_obstacle_heights_create(&env, 2, 2, 1, h, 0, &m), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "height 1 of row 2"));
  h[2] = 2;
  check_status(&env, pl_obstacle_heights_create(&env, 1, 4, 1, h, 0, &m), PL_E_INPUT);
  check_status(&env, pl_obstacle_heights_create(&env, 2, 2, 0, h, 0, &m), PL_E_INPUT);
  check_status(&env, pl_obstacle_heights_create(&env, 2000000000, 2000000000, 1, h, 0, &m),
               PL_E_INPUT);
  assert_null(m);
  pl_obstacle o = ground(&env, 2, 2, 1, h, 0), none = {.kind = &pl_obstacle_heightfield};
  check_ok(&env, pl_obstacle_check(&env, &o, 3, "o"));
  check_status(&env, pl_obstacle_check(&env, &o, 2, "o"), PL_E_INPUT);
  check_status(&env, pl_obstacle_check(&env, &none, 3, "o"), PL_E_INPUT);
  drop(&o);
}

int test_heightfield(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slope),   cmocka_unit_test(bowl),    cmocka_unit_test(against_sampling),
      cmocka_unit_test(profile), cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests_name("contact.heightfield", tests, NULL, NULL);
}
