#include "mesh_tools.h"

static void sets_unite_and_find(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_gen_grid(&env, 2, 2, 1, 1, PL_RIGHT, &m));
  check_ok(&env, pl_mesh_add_set(m, "a", -1, 4, (int[]){5, 1, 5, 3}));
  check_ok(&env, pl_mesh_add_set(m, "a", -1, 2, (int[]){2, 1}));
  check_ok(&env, pl_mesh_add_set(m, "a", PL_TRI3, 1, (int[]){7}));
  const pl_set *s = pl_mesh_find_set(m, "a");
  assert_int_equal(s->n, 4);
  assert_memory_equal(s->index, ((int[]){1, 2, 3, 5}), 4 * sizeof(int));
  assert_null(pl_mesh_find_set(m, "b"));

  // triangle 7 is the upper one of the last square: vertices 4, 8, 7
  int n, *index;
  check_ok(&env, pl_mesh_set_vertices(m, "a", &n, &index));
  assert_int_equal(n, 7);
  assert_memory_equal(index, ((int[]){1, 2, 3, 4, 5, 7, 8}), 7 * sizeof(int));
  pl_free(&env, index);
  check_ok(&env, pl_mesh_set_vertices(m, "b", &n, &index));
  assert_int_equal(n, 0);
  assert_null(index);
  pl_mesh_free(m);
}

static void wrong_arguments(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_status(&env, pl_mesh_create(&env, "x", -1, &m), PL_E_ARG);
  assert_null(m);
  check_ok(&env, pl_mesh_create(&env, NULL, 3, &m));
  check_status(&env, pl_mesh_set_cells(m, PL_TRI3, -1), PL_E_ARG);
  check_status(&env, pl_mesh_set_cells(m, PL_HEX8, 1 << 30), PL_E_ARG);
  check_status(&env, pl_mesh_add_set(m, "s", 17, 0, NULL), PL_E_ARG);
  check_status(&env, pl_mesh_weld(m, -1, NULL), PL_E_ARG);
  check_status(&env, pl_mesh_weld(m, NAN, NULL), PL_E_ARG);

  // indices that do not exist are refused wherever they would be used
  check_ok(&env, pl_mesh_set_cells(m, PL_TRI3, 1));
  memcpy(m->cell[PL_TRI3].v, ((int[]){0, 1, 3}), 3 * sizeof(int));
  check_status(&env, pl_mesh_drop_unused(m, NULL), PL_E_INPUT);
  check_status(&env, pl_mesh_weld(m, 0, NULL), PL_E_INPUT);
  m->cell[PL_TRI3].v[2] = 2;
  check_ok(&env, pl_mesh_add_set(m, "s", -1, 1, &(int){9}));
  int n, *index;
  check_status(&env, pl_mesh_set_vertices(m, "s", &n, &index), PL_E_INPUT);
  pl_mesh_free(m);
}

static void bounds_and_transform(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  double lo[3], hi[3];
  check_ok(&env, pl_gen_hex_box(&env, (int[]){1, 2, 3}, (double[]){1, 2, 3}, &m));

  // doubled, a quarter turn about z, moved: [0,2]x[0,4] -> [-4,0]x[0,2]
  const double R[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, t[3] = {10, 20, 30};
  pl_mesh_transform(m, 2, R, t);
  pl_mesh_bounds(m, lo, hi);
  check_array(3, lo, ((double[]){6, 20, 30}), 0);
  check_array(3, hi, ((double[]){10, 22, 36}), 0);
  assert_int_equal(pl_mesh_nearest_vertex(m, (double[]){10, 20, 29}, 0, NULL), 0);
  assert_int_equal(pl_mesh_nearest_vertex(m, (double[]){10, 20, 29}, 2, (int[]){7, 1}), 1);
  assert_int_equal(pl_mesh_nearest_vertex(m, t, 0, (int[]){0}), -1);
  pl_mesh_free(m);
  check_ok(&env, pl_mesh_create(&env, "none", 0, &m));
  pl_mesh_bounds(m, lo, hi);
  check_array(3, hi, ((double[]){0, 0, 0}), 0);
  pl_mesh_free(m);
}

static void drop_unused(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_mesh_create(&env, "five", 5, &m));
  for (int i = 0; i < 15; i++) m->X[i] = i;
  check_ok(&env, pl_mesh_set_cells(m, PL_SEG2, 1));
  memcpy(m->cell[PL_SEG2].v, ((int[]){4, 1}), 2 * sizeof(int));
  check_ok(&env, pl_mesh_add_set(m, "s", -1, 3, (int[]){0, 3, 4}));
  int removed;
  check_ok(&env, pl_mesh_drop_unused(m, &removed));
  assert_int_equal(removed, 3);
  assert_int_equal(m->nvert, 2);
  check_array(6, m->X, ((double[]){3, 4, 5, 12, 13, 14}), 0);
  assert_memory_equal(m->cell[PL_SEG2].v, ((int[]){1, 0}), 2 * sizeof(int));
  assert_int_equal(m->set[0].n, 1);
  assert_int_equal(m->set[0].index[0], 1);
  pl_mesh_free(m);
}

static void weld(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m, *b;

  // two unit squares side by side: the seam has 4 vertices
  check_ok(&env, pl_gen_grid(&env, 3, 3, 1, 1, PL_LEFT, &m));
  check_ok(&env, pl_gen_grid(&env, 3, 3, 1, 1, PL_LEFT, &b));
  tool_shift(b, 1 + 1e-7, -1e-7, 0);
  tool_append(m, b);
  pl_mesh_free(b);
  int merged, part[32];
  check_ok(&env, pl_mesh_weld(m, 1e-9, &merged));
  assert_int_equal(merged, 0);
  check_ok(&env, pl_mesh_parts(m, &merged, part));
  assert_int_equal(merged, 2);
  check_ok(&env, pl_mesh_weld(m, 1e-6, &merged));
  assert_int_equal(merged, 4);
  assert_int_equal(m->nvert, 28);
  assert_int_equal(tool_euler(m), 1);
  assert_int_equal(pl_mesh_find_set(m, "right")->n, 8);
  check_ok(&env, pl_mesh_check(m));
  pl_mesh_free(m);
}

static void weld_equal_places(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  enum { N = 3000 };
  check_ok(&env, pl_mesh_create(&env, "many", N, &m));

  // seven places, one of them written with both zeros
  for (int i = 0; i < N; i++) m->X[3 * i] = i % 7 ? i % 7 : i % 2 ? -0.0 : 0.0;
  int merged;
  check_ok(&env, pl_mesh_weld(m, 0, &merged));
  assert_int_equal(m->nvert, 7);
  assert_int_equal(merged, N - 7);
  for (int i = 0; i < 7; i++) check_close(m->X[3 * i], i, 0);
  pl_mesh_free(m);
}

// against all pairs: nobody left within tol of another, and everyone merged had somebody near
static void weld_random(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  enum { N = 1500 };
  pl_rng rng;
  pl_rng_seed(&rng, 7);
  for (int trial = 0; trial < 3; trial++) {
    pl_mesh *m, *old;
    check_ok(&env, pl_mesh_create(&env, "cloud", N, &m));
    for (int i = 0; i < 3 * N; i++) m->X[i] = pl_rng_uniform(&rng, -1, 1);
    check_ok(&env, pl_mesh_copy(m, &old));
    double tol = 0.02 * (1 << trial);
    check_ok(&env, pl_mesh_weld(m, tol, NULL));
    assert_true(m->nvert < N);
    for (int i = 0; i < m->nvert; i++)
      for (int j = 0; j < i; j++) {
        double d[3];
        pl_sub3(m->X + 3 * i, m->X + 3 * j, d);
        assert_true(pl_norm3(d) > tol);
      }
    for (int i = 0; i < N; i++) {
      int k = pl_mesh_nearest_vertex(m, old->X + 3 * i, 0, NULL);
      double d[3];
      pl_sub3(m->X + 3 * k, old->X + 3 * i, d);
      assert_true(pl_norm3(d) <= tol);
    }
    pl_mesh_free(m);
    pl_mesh_free(old);
  }
}

static void split_quads(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_gen_quads(&env, 4, 3, 2, 1, &m));
  check_ok(&env, pl_mesh_add_set(m, "patch", PL_QUAD4, 2, (int[]){1, 5}));
  check_ok(&env, pl_mesh_split_quads(m));
  assert_int_equal(m->cell[PL_QUAD4].n, 0);
  assert_int_equal(m->cell[PL_TRI3].n, 24);
  check_rel(tool_total(m, PL_TRI3), 2, 1e-14);
  const pl_set *s = pl_mesh_find_set(m, "patch");
  assert_int_equal(s->type, PL_TRI3);
  assert_memory_equal(s->index, ((int[]){2, 3, 10, 11}), 4 * sizeof(int));
  pl_mesh_free(m);

  // an arrow head: only the longer diagonal 1-3 lies inside
  check_ok(&env, pl_gen_quads(&env, 1, 1, 1, 1, &m));
  memcpy(m->X, ((double[]){0, 0, 0, 4, -1, 0, 4, 1, 0, 3, 0, 0}), 12 * sizeof(double));
  memcpy(m->cell[PL_QUAD4].v, ((int[]){3, 1, 0, 2}), 4 * sizeof(int));
  check_ok(&env, pl_mesh_split_quads(m));
  check_rel(tool_total(m, PL_TRI3), 3, 1e-14);
  pl_mesh_free(m);
}

static pl_status making(pl_env *env, void *ctx) {
  (void)ctx;
  pl_mesh *m = NULL, *copy = NULL;
  PL_TRY(pl_gen_quads(env, 2, 2, 1, 1, &m));
  int n = 0, *index = NULL;
  pl_status s = pl_mesh_add_set(m, "all", PL_QUAD4, 4, (int[]){0, 1, 2, 3});
  if (s == PL_OK) s = pl_mesh_copy(m, &copy);
  if (s == PL_OK) s = pl_mesh_weld(copy, 1e-3, NULL);
  if (s == PL_OK) s = pl_mesh_drop_unused(copy, NULL);
  if (s == PL_OK) s = pl_mesh_split_quads(copy);
  if (s == PL_OK) s = pl_mesh_set_vertices(copy, "all", &n, &index);
  if (s == PL_OK) s = pl_mesh_check(copy);
  pl_free(env, index);
  pl_mesh_free(copy);
  pl_mesh_free(m);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(making, NULL);
}

int test_mesh(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sets_unite_and_find),
      cmocka_unit_test(wrong_arguments),
      cmocka_unit_test(bounds_and_transform),
      cmocka_unit_test(drop_unused),
      cmocka_unit_test(weld),
      cmocka_unit_test(weld_equal_places),
      cmocka_unit_test(weld_random),
      cmocka_unit_test(split_quads),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("mesh.mesh", tests, NULL, NULL);
}
