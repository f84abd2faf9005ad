// Star-shaped sets: the gauge against the triangles it is made of, and its derivatives.
#include "check.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

#include <stdlib.h>
#include <string.h>

typedef struct set {
  pl_env env;
  pl_mesh *m;
  pl_star *star;
} set;

static const double centre[3] = {0.1, -0.2, 0.3};

// far from convex: bulges, dents and a ratio of 3 between distances
static double distance(const double *d) {
  return 1 + 0.5 * d[0] * d[1] + 0.4 * sin(5 * d[2]) + 0.1 * cos(7 * d[0]);
}

static void open_set(set *k) {
  *k = (set){0};
  pl_env_init(&k->env);
  check_ok(&k->env, pl_gen_icosphere(&k->env, 4, &k->m));
  for (int i = 0; i < k->m->nvert; i++) {
    double *x = k->m->X + 3 * i, r = distance(x);
    for (int c = 0; c < 3; c++) x[c] = centre[c] + r * x[c];
  }
}

static pl_status make(set *k) {
  const pl_cells *t = &k->m->cell[PL_TRI3];
  return pl_star_create(&k->env, k->m->nvert, (const double(*)[3])k->m->X, t->n,
                        (const int(*)[3])t->v, centre, &k->star);
}

static void close_set(set *k) {
  pl_star_free(k->star);
  pl_mesh_free(k->m);
}

static void random_point(pl_rng *r, double *x) {
  for (int c = 0; c < 3; c++) x[c] = pl_rng_uniform(r, -1.5, 1.5);
}

// where the ray of x meets the triangles, one after the other
static double of_triangles(const set *k, const double *x) {
  for (int f = 0; f < k->m->cell[PL_TRI3].n; f++) {
    const int *v = k->m->cell[PL_TRI3].v + 3 * f;
    double M[9], B[9], y[3], b[3];
    for (int i = 0; i < 3; i++)
      for (int c = 0; c < 3; c++) M[3 * c + i] = k->m->X[3 * v[i] + c] - centre[c];
    pl_inv3(M, B);
    pl_sub3(x, centre, y);
    for (int i = 0; i < 3; i++) b[i] = pl_dot3(B + 3 * i, y);
    if (b[0] >= 0 && b[1] >= 0 && b[2] >= 0) return b[0] + b[1] + b[2];
  }
  return NAN;
}

static void against_triangles(void **state) {
  (void)state;
  set k;
  open_set(&k);
  pl_rng r;
  double deepest = 0;
  check_ok(&k.env, make(&k));
  for (int i = 0; i < k.m->nvert; i++)
    check_close(pl_star_gauge(k.star, k.m->X + 3 * i, NULL, NULL), 1, 1e-12);
  // in the middles of edges, too
  for (int f = 0; f < k.m->cell[PL_TRI3].n; f++) {
    const int *v = k.m->cell[PL_TRI3].v + 3 * f;
    double x[3];
    for (int c = 0; c < 3; c++) x[c] = (k.m->X[3 * v[0] + c] + k.m->X[3 * v[1] + c]) / 2;
    check_close(pl_star_gauge(k.star, x, NULL, NULL), 1, 1e-12);
  }
  pl_rng_seed(&r, 1);
  for (int i = 0; i < 20000; i++) {
    double x[3];
    random_point(&r, x);
    double g = sqrt(pl_star_gauge(k.star, x, NULL, NULL)), want = of_triangles(&k, x);
    assert_true(isfinite(want));
    deepest = fmax(deepest, want / g - 1);
    check_close(g / want, 1, 0.02);
  }
  // what is told is about what is found, and not by much more
  check_less(pl_star_excess(k.star), 0.01);
  check_less(deepest, 1.1 * pl_star_excess(k.star));
  close_set(&k);
}

static void derivatives(void **state) {
  (void)state;
  const double h = 1e-7;
  set k;
  open_set(&k);
  pl_rng r;
  check_ok(&k.env, make(&k));
  pl_rng_seed(&r, 2);
  for (int i = 0; i < 2000; i++) {
    double x[3], grad[3], hess[9], side[2][3], own[3];
    random_point(&r, x);
    // across an edge: second derivatives are continuous, third ones large
    double G = pl_star_gauge(k.star, x, grad, hess);
    for (int c = 0; c < 3; c++) {
      double y[3], value[2];
      memcpy(y, x, sizeof y);
      for (int s = 0; s < 2; s++) {
        y[c] = x[c] + (s ? h : -h);
        value[s] = pl_star_gauge(k.star, y, side[s], NULL);
      }
      for (int e = 0; e < 3; e++) own[e] = (side[1][e] - side[0][e]) / (2 * h);
      check_close((value[1] - value[0]) / (2 * h), grad[c], 1e-6 * (1 + G));
      check_array(3, own, hess + 3 * c, 2e-3 * (1 + G));
    }
    // homogeneous of degree 2: x'g = 2 G, H x = g, and G(t x) = t^2 G
    double y[3], far[3], Hy[3];
    pl_sub3(x, centre, y);
    check_close(pl_dot3(y, grad), 2 * G, 1e-11 * (1 + G));
    for (int c = 0; c < 3; c++) Hy[c] = pl_dot3(hess + 3 * c, y);
    check_array(3, Hy, grad, 1e-9 * (1 + G));
    for (int c = 0; c < 3; c++) far[c] = centre[c] + 7 * y[c];
    check_close(pl_star_gauge(k.star, far, NULL, NULL), 49 * G, 1e-11 * (1 + G));
  }
  double grad[3];
  check_close(pl_star_gauge(k.star, centre, grad, NULL), 0, 0);
  check_close(pl_norm3(grad), 0, 0);
  close_set(&k);
}

static void refused(void **state) {
  (void)state;
  set k;
  open_set(&k);
  pl_cells *t = &k.m->cell[PL_TRI3];
  // a hole
  t->n--;
  check_status(&k.env, make(&k), PL_E_INPUT);
  t->n++;
  // one that looks inwards
  int v = t->v[3];
  t->v[3] = t->v[4], t->v[4] = v;
  check_status(&k.env, make(&k), PL_E_INPUT);
  t->v[4] = t->v[3], t->v[3] = v;
  // a corner that is not there
  t->v[3] = k.m->nvert;
  check_status(&k.env, make(&k), PL_E_INPUT);
  t->v[3] = v;
  // a corner pulled through the surface
  double x = k.m->X[0];
  k.m->X[0] += 3;
  check_status(&k.env, make(&k), PL_E_INPUT);
  k.m->X[0] = x;
  check_ok(&k.env, make(&k));
  close_set(&k);
}

// the corner that weighs most in a direction tells whether it is marked
static void marks(void **state) {
  (void)state;
  set k;
  open_set(&k);
  const pl_cells *t = &k.m->cell[PL_TRI3];
  int n = k.m->nvert, *mark = calloc((size_t)n, sizeof *mark);
  pl_rng r;
  assert_non_null(mark);
  check_ok(&k.env, make(&k));
  assert_int_equal(pl_star_marked(k.star, k.m->X), 0);
  for (int i = 0; i < n; i += 3) mark[i] = 1;
  pl_star_mark(k.star, (const int(*)[3])t->v, mark);
  for (int i = 0; i < n; i++) assert_int_equal(pl_star_marked(k.star, k.m->X + 3 * i), mark[i]);
  pl_rng_seed(&r, 5);
  for (int f = 0; f < t->n; f++) {
    // three weights that differ, at any distance
    double b[3] = {0.5 + pl_rng_uniform(&r, 0, 0.4), 0, 0}, far = pl_rng_uniform(&r, 0.1, 3), x[3];
    b[1] = pl_rng_uniform(&r, 0, 1 - b[0]);
    b[2] = 1 - b[0] - b[1];
    for (int turn = 0; turn < 3; turn++) {
      const int *v = t->v + 3 * f;
      for (int c = 0; c < 3; c++) {
        x[c] = centre[c];
        for (int i = 0; i < 3; i++)
          x[c] += far * b[i] * (k.m->X[3 * v[(turn + i) % 3] + c] - centre[c]);
      }
      assert_int_equal(pl_star_marked(k.star, x), mark[v[turn]]);
    }
  }
  assert_int_equal(pl_star_marked(k.star, centre), 0);
  free(mark);
  close_set(&k);
}

static pl_status allocate(pl_env *env, void *ctx) {
  set *k = ctx;
  const pl_cells *t = &k->m->cell[PL_TRI3];
  pl_star *s;
  PL_TRY(pl_star_create(env, k->m->nvert, (const double(*)[3])k->m->X, t->n, (const int(*)[3])t->v,
                        centre, &s));
  pl_star_free(s);
  return PL_OK;
}

static void without_memory(void **state) {
  (void)state;
  set k;
  open_set(&k);
  check_allocations(allocate, &k);
  close_set(&k);
}

int test_star(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(against_triangles),
                                     cmocka_unit_test(derivatives), cmocka_unit_test(refused),
                                     cmocka_unit_test(marks), cmocka_unit_test(without_memory)};
  return cmocka_run_group_tests_name("mesh.star", tests, NULL, NULL);
}
