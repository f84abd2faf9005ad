#include "mesh_tools.h"

static void check_set(const pl_mesh *m, const char *name, int n, int axis, double at) {
  const pl_set *s = pl_mesh_find_set(m, name);
  assert_non_null(s);
  assert_int_equal(s->type, -1);
  assert_int_equal(s->n, n);
  for (int i = 0; i < s->n; i++) check_close(m->X[3 * s->index[i] + axis], at, 0);
}

static double least_angle(const pl_mesh *m) {
  double least = PL_PI;
  for (int i = 0; i < 3 * m->cell[PL_TRI3].n; i++) {
    const int *v = m->cell[PL_TRI3].v + i - i % 3;
    double e[3], f[3];
    pl_sub3(m->X + 3 * v[(i + 1) % 3], m->X + 3 * v[i % 3], e);
    pl_sub3(m->X + 3 * v[(i + 2) % 3], m->X + 3 * v[i % 3], f);
    least = fmin(least, acos(pl_dot3(e, f) / (pl_norm3(e) * pl_norm3(f))));
  }
  return least;
}

static void check_upward(const pl_mesh *m) {
  for (int i = 0; i < m->cell[PL_TRI3].n; i++) {
    const int *v = m->cell[PL_TRI3].v + 3 * i;
    double e[3], f[3], n[3];
    pl_sub3(m->X + 3 * v[1], m->X + 3 * v[0], e);
    pl_sub3(m->X + 3 * v[2], m->X + 3 * v[0], f);
    pl_cross3(e, f, n);
    assert_true(n[2] > 0);
  }
}

static void chain(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  const double a[3] = {1, 2, 3}, b[3] = {4, 6, 3};
  check_ok(&env, pl_gen_chain(&env, 7, a, b, &m));
  check_ok(&env, pl_mesh_check(m));
  assert_int_equal(m->nvert, 8);
  assert_int_equal(tool_euler(m), 1);
  check_rel(tool_total(m, PL_SEG2), 5, 1e-14);
  check_array(3, m->X, a, 0);
  check_array(3, m->X + 21, b, 0);
  assert_int_equal(pl_mesh_find_set(m, "start")->index[0], 0);
  assert_int_equal(pl_mesh_find_set(m, "end")->index[0], 7);
  pl_mesh_free(m);
}

static void grids(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  static const int sizes[4][2] = {{1, 1}, {3, 2}, {4, 5}, {1, 7}};
  const double lx = 0.3, ly = 0.7;
  for (int k = 0; k < 4; k++)
    for (int pattern = PL_RIGHT; pattern <= PL_IRREGULAR; pattern++) {
      int nx = sizes[k][0], ny = sizes[k][1];
      pl_mesh *m;
      check_ok(&env, pl_gen_grid(&env, nx, ny, lx, ly, (pl_pattern)pattern, &m));
      check_ok(&env, pl_mesh_check(m));
      check_upward(m);
      assert_int_equal(tool_euler(m), 1);
      check_rel(tool_total(m, PL_TRI3), lx * ly, 1e-14);
      int extra = pattern == PL_CROSSED ? 2 * nx * ny : pattern == PL_EQUILATERAL ? ny : 0;
      assert_int_equal(m->cell[PL_TRI3].n, 2 * nx * ny + extra);
      check_set(m, "left", ny + 1, 0, 0);
      check_set(m, "right", ny + 1, 0, lx);
      check_set(m, "bottom", nx + 1, 1, 0);
      check_set(m, "top", pattern == PL_EQUILATERAL ? nx + 1 + ny % 2 : nx + 1, 1, ly);
      pl_mesh_free(m);
    }
}

// the diagonals of a 2 x 1 grid, as edges between vertices 0 1 2 / 3 4 5
static void patterns(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  static const int want[3][2][2] = {{{0, 4}, {1, 5}}, {{1, 3}, {2, 4}}, {{0, 4}, {2, 4}}};
  for (int pattern = PL_RIGHT; pattern <= PL_ALTERNATING; pattern++) {
    pl_mesh *m;
    pl_topology *t;
    check_ok(&env, pl_gen_grid(&env, 2, 1, 2, 1, (pl_pattern)pattern, &m));
    check_ok(&env, pl_topology_create(m, &t));
    for (int k = 0; k < 2; k++) {
      int found = 0;
      for (int e = 0; e < t->nedge; e++)
        found |= memcmp(t->edge + 2 * e, want[pattern][k], 2 * sizeof(int)) == 0;
      assert_true(found);
    }
    pl_topology_free(t);
    pl_mesh_free(m);
  }

  // rows of height sqrt(3)/2 give equilateral triangles, halves of them at the ends
  pl_mesh *m;
  check_ok(&env, pl_gen_grid(&env, 6, 4, 6, 2 * sqrt(3.0), PL_EQUILATERAL, &m));
  int whole = 0;
  for (int i = 0; i < m->cell[PL_TRI3].n; i++) {
    double area = tool_measure(m->X, PL_TRI3, m->cell[PL_TRI3].v + 3 * i);
    int full = fabs(area - sqrt(3.0) / 4) < 1e-12;
    if (!full) check_close(area, sqrt(3.0) / 8, 1e-12);
    whole += full;
  }
  assert_int_equal(whole, 4 * (6 + 5));
  check_close(least_angle(m), PL_PI / 6, 1e-12);
  pl_mesh_free(m);
}

static void quads(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_gen_quads(&env, 3, 2, 0.3, 0.7, &m));
  check_ok(&env, pl_mesh_check(m));
  assert_int_equal(tool_euler(m), 1);
  check_rel(tool_total(m, PL_QUAD4), 0.21, 1e-14);
  check_set(m, "right", 3, 0, 0.3);
  check_set(m, "top", 4, 1, 0.7);
  pl_mesh_free(m);
}

static void disk(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (int n = 1; n <= 20; n++) {
    pl_mesh *m;
    check_ok(&env, pl_gen_disk(&env, n, 2.5, &m));
    check_ok(&env, pl_mesh_check(m));
    check_upward(m);
    assert_int_equal(m->cell[PL_TRI3].n, 6 * n * n);
    assert_int_equal(tool_euler(m), 1);

    // the regular polygon of 6 n sides
    check_rel(tool_total(m, PL_TRI3), 3 * n * 6.25 * sin(2 * PL_PI / (6 * n)), 1e-13);
    assert_true(least_angle(m) > 35 * PL_PI / 180);
    const pl_set *rim = pl_mesh_find_set(m, "rim");
    assert_int_equal(rim->n, 6 * n);
    for (int i = 0; i < rim->n; i++) check_close(pl_norm3(m->X + 3 * rim->index[i]), 2.5, 1e-14);
    check_close(pl_norm3(m->X + 3 * pl_mesh_find_set(m, "centre")->index[0]), 0, 0);
    pl_mesh_free(m);
  }
}

static void boxes(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int n[3] = {3, 2, 4};
  const double l[3] = {0.3, 0.7, 1.1};
  for (int t = PL_TET4; t <= PL_HEX8; t++) {
    pl_mesh *m;
    check_ok(&env, t == PL_TET4 ? pl_gen_tet_box(&env, n, l, &m) : pl_gen_hex_box(&env, n, l, &m));
    check_ok(&env, pl_mesh_check(m));
    assert_int_equal(m->nvert, 60);
    assert_int_equal(m->cell[t].n, t == PL_TET4 ? 144 : 24);

    // one for a ball: faces that did not match would raise the count
    assert_int_equal(tool_euler(m), 1);
    check_rel(tool_total(m, t), l[0] * l[1] * l[2], 1e-14);
    check_rel(tool_least(m, t), l[0] * l[1] * l[2] / m->cell[t].n, 1e-13);
    check_set(m, "left", 15, 0, 0);
    check_set(m, "right", 15, 0, 0.3);
    check_set(m, "front", 20, 1, 0);
    check_set(m, "back", 20, 1, 0.7);
    check_set(m, "bottom", 12, 2, 0);
    check_set(m, "top", 12, 2, 1.1);
    pl_mesh_free(m);
  }
}

static void refused(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  const int big = 2000000000;
  check_status(&env, pl_gen_grid(&env, 0, 1, 1, 1, PL_RIGHT, &m), PL_E_INPUT);
  check_status(&env, pl_gen_grid(&env, 1, 1, -1, 1, PL_RIGHT, &m), PL_E_INPUT);
  check_status(&env, pl_gen_grid(&env, 1, 1, NAN, 1, PL_RIGHT, &m), PL_E_INPUT);
  check_status(&env, pl_gen_grid(&env, big, big, 1, 1, PL_EQUILATERAL, &m), PL_E_INPUT);
  check_status(&env, pl_gen_quads(&env, 50000, 50000, 1, 1, &m), PL_E_INPUT);
  check_status(&env, pl_gen_disk(&env, big, 1, &m), PL_E_INPUT);
  check_status(&env, pl_gen_disk(&env, 3, 0, &m), PL_E_INPUT);
  check_status(&env, pl_gen_chain(&env, big, (double[3]){0}, (double[]){1, 0, 0}, &m), PL_E_INPUT);
  check_status(&env, pl_gen_chain(&env, 3, (double[3]){0}, (double[3]){0}, &m), PL_E_INPUT);
  check_status(&env, pl_gen_tet_box(&env, (int[]){big, big, big}, (double[]){1, 1, 1}, &m),
               PL_E_INPUT);
  check_status(&env, pl_gen_hex_box(&env, (int[]){1, 1, 1}, (double[]){1, INFINITY, 1}, &m),
               PL_E_INPUT);
  assert_null(m);
}

// ---- refinement -------------------------------------------------------------------------------

static pl_status make(pl_env *env, int k, pl_mesh **out) {
  const int n[3] = {2, 1, 2};
  const double l[3] = {1, 0.5, 2}, a[3] = {0}, b[3] = {1, 1, 1};
  switch (k) {
  case 0:
    return pl_gen_chain(env, 3, a, b, out);
  case 1:
    return pl_gen_grid(env, 3, 2, 1, 2, PL_EQUILATERAL, out);
  case 2:
    return pl_gen_quads(env, 3, 2, 1, 2, out);
  case 3:
    return pl_gen_tet_box(env, n, l, out);
  case 4:
    return pl_gen_hex_box(env, n, l, out);
  default:
    return pl_gen_disk(env, 3, 1, out);
  }
}

static void refine_all(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  static const int nchild[PL_CELL_COUNT] = {2, 4, 4, 8, 8};
  for (int k = 0; k < 6; k++) {
    int t = k < 5 ? k : PL_TRI3;
    pl_mesh *m;
    check_ok(&env, make(&env, k, &m));
    double total = tool_total(m, t);
    for (int level = 0; level < 2; level++) {
      pl_mesh *r;
      double least = tool_least(m, t);
      check_ok(&env, pl_mesh_refine(m, &r));
      check_ok(&env, pl_mesh_check(r));
      assert_int_equal(r->cell[t].n, nchild[t] * m->cell[t].n);
      assert_int_equal(tool_euler(r), 1);
      check_rel(tool_total(r, t), total, 1e-13);

      // all children of a cell of these meshes have equal measure, and keep its orientation
      check_rel(tool_least(r, t), least / nchild[t], 1e-12);
      if (t == PL_TRI3) check_upward(r);

      // the children lie in their parent: old vertices stay first, and bounds do not change
      check_array(3 * m->nvert, r->X, m->X, 0);
      pl_mesh_free(m);
      m = r;
    }
    pl_mesh_free(m);
  }
}

static void refine_sets(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m, *r;
  const int n[3] = {2, 3, 1};
  const double l[3] = {1, 2, 3};
  for (int t = PL_TET4; t <= PL_HEX8; t++) {
    check_ok(&env, t == PL_TET4 ? pl_gen_tet_box(&env, n, l, &m) : pl_gen_hex_box(&env, n, l, &m));
    check_ok(&env, pl_mesh_add_set(m, "some", t, 2, (int[]){1, 4}));
    check_ok(&env, pl_mesh_refine(m, &r));
    check_set(r, "left", 7 * 3, 0, 0);
    check_set(r, "back", 5 * 3, 1, 2);
    check_set(r, "top", 5 * 7, 2, 3);
    const pl_set *s = pl_mesh_find_set(r, "some");
    assert_int_equal(s->type, t);
    assert_int_equal(s->n, 16);
    double before = 0, after = 0;
    int nv = pl_cell_nvert[t];
    for (int i = 0; i < 2; i++) before += tool_measure(m->X, t, m->cell[t].v + nv * (i ? 4 : 1));
    for (int i = 0; i < 16; i++) after += tool_measure(r->X, t, r->cell[t].v + nv * s->index[i]);
    check_rel(after, before, 1e-13);
    pl_mesh_free(m);
    pl_mesh_free(r);
  }
  check_ok(&env, pl_gen_disk(&env, 4, 1, &m));
  check_ok(&env, pl_mesh_refine(m, &r));
  assert_int_equal(pl_mesh_find_set(r, "rim")->n, 48);
  assert_int_equal(pl_mesh_find_set(r, "centre")->n, 1);
  pl_mesh_free(m);
  pl_mesh_free(r);
}

// a twisted hex and a general tet: children's signed volumes add up, and stay positive
static void refine_general(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng rng;
  pl_rng_seed(&rng, 3);
  const int n[3] = {2, 2, 2};
  const double l[3] = {1, 1, 1};
  for (int t = PL_TET4; t <= PL_HEX8; t++) {
    pl_mesh *m, *r;
    check_ok(&env, t == PL_TET4 ? pl_gen_tet_box(&env, n, l, &m) : pl_gen_hex_box(&env, n, l, &m));
    for (int i = 0; i < 3 * m->nvert; i++) m->X[i] += pl_rng_uniform(&rng, -0.06, 0.06);
    check_ok(&env, pl_mesh_refine(m, &r));
    check_rel(tool_total(r, t), tool_total(m, t), 1e-13);
    assert_true(tool_least(r, t) > 0);
    assert_int_equal(tool_euler(r), 1);
    pl_mesh_free(m);
    pl_mesh_free(r);
  }

  // the shortest inner diagonal of a flat tet: from the middle of 0-1 to the middle of 2-3
  pl_mesh *m, *r;
  check_ok(&env, pl_mesh_create(&env, "flat", 4, &m));
  memcpy(m->X, ((double[]){-1, 0, 0, 1, 0, 0, 0, -1, 0.2, 0, 1, 0.2}), 12 * sizeof(double));
  check_ok(&env, pl_mesh_set_cells(m, PL_TET4, 1));
  memcpy(m->cell[PL_TET4].v, ((int[]){0, 1, 3, 2}), 4 * sizeof(int));
  if (tool_total(m, PL_TET4) < 0) memcpy(m->cell[PL_TET4].v, ((int[]){0, 1, 2, 3}), 16);
  check_ok(&env, pl_mesh_refine(m, &r));
  check_rel(tool_least(r, PL_TET4), tool_total(m, PL_TET4) / 8, 1e-13);
  int a = pl_mesh_nearest_vertex(r, (double[]){0, 0, 0}, 0, NULL);
  int b = pl_mesh_nearest_vertex(r, (double[]){0, 0, 0.2}, 0, NULL);
  for (int i = 4; i < 8; i++) {
    const int *v = r->cell[PL_TET4].v + 4 * i;
    int both = 0;
    for (int k = 0; k < 4; k++) both += v[k] == a || v[k] == b;
    assert_int_equal(both, 2);
  }
  pl_mesh_free(m);
  pl_mesh_free(r);
}

static pl_status generating(pl_env *env, void *ctx) {
  int k = *(int *)ctx;
  pl_mesh *m = NULL, *r = NULL;
  PL_TRY(make(env, k, &m));
  pl_status s = k < 5 ? pl_mesh_add_set(m, "cells", k, 1, &(int){0}) : PL_OK;
  if (s == PL_OK) s = pl_mesh_refine(m, &r);
  pl_mesh_free(m);
  pl_mesh_free(r);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  for (int k = 0; k < 6; k++) check_allocations(generating, &k);
}

int test_generate(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chain),
      cmocka_unit_test(grids),
      cmocka_unit_test(patterns),
      cmocka_unit_test(quads),
      cmocka_unit_test(disk),
      cmocka_unit_test(boxes),
      cmocka_unit_test(refused),
      cmocka_unit_test(refine_all),
      cmocka_unit_test(refine_sets),
      cmocka_unit_test(refine_general),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("mesh.generate", tests, NULL, NULL);
}
