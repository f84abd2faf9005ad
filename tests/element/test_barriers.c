// Kinds that keep strain and curvature within star-shaped sets: what they measure against closed
// forms, their derivatives against differences, and that nothing passes the boundary.
#include "check.h"

#include "pliant/element.h"
#include "pliant/math.h"

#include <string.h>

// six corners on the axes: an octahedron, longer on one side, so that signs count
static pl_star *make_set(pl_env *env, double size) {
  const double p[6][3] = {{size, 0, 0},  {-3 * size, 0, 0},  {0, 0.8 * size, 0},
                          {0, -size, 0}, {0, 0, 0.6 * size}, {0, 0, -0.5 * size}};
  static const int f[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                              {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  static const double centre[3] = {0};
  pl_star *s;
  check_ok(env, pl_star_create(env, 6, p, 8, f, centre, &s));
  return s;
}

// a triangle of any shape and the vertices across its edges, in the plane
static const double flat[18] = {0,   0,   0, 1,    0.1, 0, 0.35, 0.8,  0,
                                1.2, 0.9, 0, -0.6, 0.7, 0, 0.6,  -0.7, 0};

// z = (xx x^2 + yy y^2) / 2 + xy x y, small: curvature is exact on any mesh
static void quadratic(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_star *set = make_set(&env, 1);
  const pl_elem_kind *kind = &pl_elem_bend_limit;
  double rest[PL_NREST_MAX], q[18], value[PL_NFIELD_MAX];
  assert_int_equal(kind->d.prepare(flat, rest), 0);
  const double first = atan2(0.1, 1), k[3] = {1e-4, -2e-4, 0.5e-4};
  for (int rot = 0; rot < 4; rot++) {
    // axes of the material turned by t from x
    double t = 0.4 * rot, c = cos(t), s = sin(t), par[2] = {1, t - first};
    const double want[3] = {c * c * k[0] + 2 * c * s * k[2] + s * s * k[1],
                            s * s * k[0] - 2 * c * s * k[2] + c * c * k[1],
                            c * s * (k[1] - k[0]) + (c * c - s * s) * k[2]};
    memcpy(q, flat, sizeof q);
    for (int i = 0; i < 6; i++) {
      const double *x = flat + 3 * i;
      q[3 * i + 2] = (k[0] * x[0] * x[0] + k[1] * x[1] * x[1]) / 2 + k[2] * x[0] * x[1];
    }
    kind->field_law(set, q, par, rest, value);
    check_array(3, value + 1, want, 1e-11);
    check_close(value[0], sqrt(pl_star_gauge(set, want, NULL, NULL)), 1e-6);
    check_close(value[4], 0, 0);
  }
  pl_star_free(set);
}

// equilateral triangles on a cylinder, hollow above: curvature by angles per length of the sheet
static void cylinder(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_star *set = make_set(&env, 100);
  const pl_elem_kind *kind = &pl_elem_bend_limit;
  const double h = sqrt(3) / 2, R = 20;
  const double X[18] = {0, 0, 0, 1, 0, 0, 0.5, h, 0, 1.5, h, 0, -0.5, h, 0, 0.5, -h, 0};
  double rest[PL_NREST_MAX], q[18], par[2] = {1, 0}, value[PL_NFIELD_MAX];
  assert_int_equal(kind->d.prepare(X, rest), 0);
  for (int i = 0; i < 6; i++) {
    q[3 * i] = X[3 * i];
    q[3 * i + 1] = R * sin(X[3 * i + 1] / R);
    q[3 * i + 2] = R - R * cos(X[3 * i + 1] / R);
  }
  kind->field_law(set, q, par, rest, value);
  const double want[3] = {0, 1 / R, 0};
  check_array(3, value + 1, want, 2e-5); // (h / R)^2 / 12 of it
  // turned over it is hollow below
  for (int i = 0; i < 6; i++) q[3 * i + 2] *= -1;
  kind->field_law(set, q, par, rest, value);
  check_close(value[2], -1 / R, 2e-5);
  pl_star_free(set);
}

static void state_of(unsigned seed, int n, double by, const double *X, double *q) {
  pl_rng r;
  pl_rng_seed(&r, seed);
  for (int i = 0; i < n; i++) q[i] = X[i] + pl_rng_uniform(&r, -by, by);
}

static void differences(const pl_elem_kind *kind, const pl_star *set, const double *X,
                        unsigned seed) {
  double rest[PL_NREST_MAX], q[18], g[18], H[18 * 18], par[2] = {0.7, 0.3}, scale = 0;
  int n = kind->ndof;
  assert_int_equal(kind->d.prepare(X, rest), 0);
  state_of(seed, n, 0.04, X, q);
  double E;
  assert_int_equal(kind->eval_law(set, q, par, rest, &E, g, H), 0);
  for (int i = 0; i < n * n; i++) scale = fmax(scale, fabs(H[i]));
  for (int i = 0; i < n; i++) {
    const double d = 2e-7, at = q[i]; // third derivatives are large
    double e[2], gs[2][18];
    for (int s = 0; s < 2; s++) {
      q[i] = at + (s ? d : -d);
      assert_int_equal(kind->eval_law(set, q, par, rest, &e[s], gs[s], NULL), 0);
    }
    q[i] = at;
    check_close(g[i], (e[1] - e[0]) / (2 * d), 1e-7 * fmax(1, scale));
    for (int j = 0; j < n; j++) {
      check_close(H[n * i + j], (gs[1][j] - gs[0][j]) / (2 * d), 1e-6 * fmax(1, scale));
      assert_true(H[n * i + j] == H[n * j + i]);
    }
  }
}

static void derivatives(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_star *strain = make_set(&env, 0.6), *bend = make_set(&env, 2);
  double boundary[18];
  memcpy(boundary, flat, sizeof boundary);
  memcpy(boundary + 12, flat + 3, 3 * sizeof *boundary); // no triangle across the second edge
  for (unsigned seed = 1; seed <= 10; seed++) {
    differences(&pl_elem_strain_limit, strain, flat, seed);
    differences(&pl_elem_bend_limit, bend, flat, seed);
    differences(&pl_elem_bend_limit, bend, boundary, seed);
  }
  pl_star_free(strain);
  pl_star_free(bend);
}

// what stands for the Hessian where that is not definite: no direction has a negative one
static void convex(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_star *set = make_set(&env, 0.6);
  const pl_elem_kind *const kinds[] = {&pl_elem_strain_limit, &pl_elem_bend_limit};
  for (int k = 0; k < 2; k++)
    for (unsigned seed = 1; seed <= 20; seed++) {
      double rest[PL_NREST_MAX], q[18], H[18 * 18], v[18], par[2] = {0.7, 0.3};
      int n = kinds[k]->ndof;
      pl_rng r;
      pl_rng_seed(&r, seed);
      assert_int_equal(kinds[k]->d.prepare(flat, rest), 0);
      state_of(seed, n, 0.02, flat, q);
      kinds[k]->convex_law(set, q, par, rest, H);
      for (int i = 0; i < n; i++) v[i] = pl_rng_uniform(&r, -1, 1);
      double vHv = 0, size = 0;
      for (int i = 0; i < n * n; i++) {
        vHv += v[i / n] * H[i] * v[i % n];
        size = fmax(size, fabs(H[i]));
      }
      check_less(-1e-12 * size, vHv);
    }
  pl_star_free(set);
}

// folded up more and more: the energy rises without bound before the boundary, and there is none
// beyond, however far it is folded
static void no_way_out(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_star *set = make_set(&env, 0.5);
  const pl_elem_kind *kind = &pl_elem_bend_limit;
  double rest[PL_NREST_MAX], q[18], par[2] = {1, 0}, E, last = -1, value[PL_NFIELD_MAX];
  assert_int_equal(kind->d.prepare(flat, rest), 0);
  int beyond = 0, inside = 0;
  for (int k = 0; k < 300; k++) {
    // the vertex across the first edge turns about it
    double t = PL_PI * k / 301, e[3], w[3], along, n[3] = {0, 0, 1}, out[3];
    memcpy(q, flat, sizeof q);
    pl_sub3(flat + 6, flat + 3, e);
    pl_sub3(flat + 9, flat + 3, w);
    along = pl_dot3(w, e) / pl_dot3(e, e);
    for (int c = 0; c < 3; c++) out[c] = w[c] - along * e[c];
    for (int c = 0; c < 3; c++)
      q[9 + c] = flat[3 + c] + along * e[c] + cos(t) * out[c] + sin(t) * pl_norm3(out) * n[c];
    int failed = kind->eval_law(set, q, par, rest, &E, NULL, NULL);
    kind->field_law(set, q, par, rest, value);
    assert_int_equal(failed, !(value[0] < 1));
    beyond += failed;
    inside += !failed;
    if (beyond) assert_int_equal(failed, 1);
    if (!failed) check_less(last, E);
    if (!failed) last = E;
  }
  check_less(10, inside);
  check_less(100, beyond);
  pl_star_free(set);
}

int test_barriers(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(quadratic), cmocka_unit_test(cylinder),
                                     cmocka_unit_test(derivatives), cmocka_unit_test(convex),
                                     cmocka_unit_test(no_way_out)};
  return cmocka_run_group_tests_name("element.barriers", tests, NULL, NULL);
}
