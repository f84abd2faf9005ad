#include "read_support.h"

#include <stdlib.h>

static void blender_cube(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_mesh_read(&env, MESH_DATA "blender_cube.obj", &m));
  assert_int_equal(m->nvert, 11);
  assert_int_equal(m->cell[PL_QUAD4].n, 6);
  assert_int_equal(m->cell[PL_SEG2].n, 2);
  // a cube of side 2 has 24 of surface; the handle is 2 long
  check_close(set_measure(m, "Cube", PL_QUAD4), 24, 1e-14);
  check_close(set_measure(m, "Handle.001", PL_SEG2), 2, 1e-14);
  assert_null(named(m, "Cube", PL_SEG2));
  pl_mesh_free(m);
}

static void vertex_and_corner_forms(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  // weights, colours, blanks, signs, exponents; all corner forms; numbers counted from the end
  const char *text = "\xef\xbb\xbfv 0 0 0 1\r\n"
                     "\tv  1   0 0 0.5 0.5 0.5\r\n"
                     "v 1 1.0 +0e0   \r\n"
                     "v -0.25e+1 .5 5.\r\n"
                     "f 1 2 3 # remark\r\n"
                     "f 1/7 2/8 3/9\r\n"
                     "f 1//7 2//8 3//9\n"
                     "f 1/7/7 2/8/8 3/9/9\n"
                     "f -4 -3 -2\n"
                     "f 1 2 5\n"
                     "v 3 3 3";
  check_ok(&env, parse_text(&env, "obj", text, &m));
  const double want[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, -2.5, 0.5, 5, 3, 3, 3};
  assert_int_equal(m->nvert, 5);
  check_array(15, m->X, want, 0);
  assert_int_equal(m->cell[PL_TRI3].n, 6);
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 3; k++) assert_int_equal(m->cell[PL_TRI3].v[3 * i + k], k);
  // a vertex may stand behind the face that names it
  assert_int_equal(m->cell[PL_TRI3].v[17], 4);
  pl_mesh_free(m);
}

static void polygons_and_continued_lines(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  // a regular hexagon of side 1 over two lines, and a polyline
  const char *text = "v 1 0 0\nv 0.5 0.8660254037844386 0\nv -0.5 0.8660254037844386 0\n"
                     "v -1 0 0\nv -0.5 -0.8660254037844386 0\nv 0.5 -0.8660254037844386 0\n"
                     "f 1 2 3\\\r\n 4 5 \\\n6\nl 1 2 3 4\ncurv 1 2 \\\nf 1 2\n# end \\\nf 1 3 5\n";
  check_ok(&env, parse_text(&env, "obj", text, &m));
  assert_int_equal(m->cell[PL_TRI3].n, 5);
  check_close(total_measure(m, PL_TRI3), 1.5 * sqrt(3) + 0.75 * sqrt(3), 1e-14);
  assert_int_equal(m->cell[PL_SEG2].n, 3);
  check_close(total_measure(m, PL_SEG2), 3, 1e-14);
  pl_mesh_free(m);
}

typedef struct seen {
  int nwarning;
  pl_diag last;
} seen;

static void note(void *ctx, const pl_diag *d) {
  seen *s = ctx;
  if (d->level != PL_WARNING) return;
  s->nwarning++;
  s->last = *d;
}

static void groups_and_objects(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  seen s = {0};
  env.diag = note;
  env.diag_ctx = &s;
  pl_mesh *m;
  const char *text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 2 0\n"
                     "g left right\nf 1 2 3\no my object \nf 1 3 4\n"
                     "g right\nf 1 2 3 4 5\ng\nf 1 2 4\no\nf 1 2 5\nusemtl steel\n"
                     "g k\xf6rper\nf 1 2 5\ng left\nl 1 2\n";
  check_ok(&env, parse_text(&env, "obj", text, &m));
  const pl_set *left = named(m, "left", PL_TRI3), *right = named(m, "right", PL_TRI3);
  const pl_set *object = named(m, "my object", PL_TRI3);
  assert_non_null(left);
  assert_non_null(right);
  assert_non_null(object);
  assert_int_equal(left->n, 2);
  assert_int_equal(right->n, 5);
  // the object holds what came after it: one triangle, three of the pentagon, one without a group
  assert_int_equal(object->n, 5);
  assert_int_equal(object->index[0], 1);
  assert_int_equal(object->index[4], 5);
  assert_non_null(named(m, "left", PL_SEG2));
  assert_null(pl_mesh_find_set(m, "steel"));

  // a name that is not UTF-8 is kept in a form that a scene can write
  assert_non_null(named(m, "k_rper", PL_TRI3));
  assert_int_equal(s.nwarning, 1);
  assert_int_equal(s.last.line, 17);
  assert_non_null(strstr(s.last.text, "not UTF-8"));
  pl_mesh_free(m);
}

static void endings_and_contents(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m = (pl_mesh *)&env;
  check_status(&env, pl_mesh_read(&env, "wing.step", &m), PL_E_INPUT);
  assert_null(m);
  assert_non_null(strstr(env.error.text, ".step"));
  assert_non_null(strstr(env.error.hint, "gmsh -3 "));
  check_status(&env, pl_mesh_read(&env, "wing.blend", &m), PL_E_INPUT);
  assert_non_null(strstr(env.error.hint, " vtu"));
  check_status(&env, pl_mesh_read(&env, "folder.obj/wing", &m), PL_E_INPUT);
  check_status(&env, pl_mesh_read(&env, "no/such/mesh.obj", &m), PL_E_IO);
  check_status(&env, parse_text(&env, "step", "v 0 0 0\n", &m), PL_E_ARG);
  check_status(&env, parse_text(&env, "obj", "", &m), PL_E_INPUT);
  check_status(&env, parse_text(&env, "msh", "<?xml version='1.0'?>\n", &m), PL_E_INPUT);
  assert_non_null(strstr(env.error.hint, ".vtu"));
}

static int stop_at_once(void *ctx, const pl_progress *p) {
  (void)p;
  ++*(int *)ctx;
  return 1;
}

static void can_be_cancelled(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  int calls = 0;
  env.progress = stop_at_once;
  env.progress_ctx = &calls;
  size_t n = (size_t)1 << 21, row = strlen("v 0 0 0\n");
  char *text = malloc(n * row);
  assert_non_null(text);
  for (size_t k = 0; k < n; k++) memcpy(text + k * row, "v 0 0 0\n", row);
  pl_mesh *m;
  check_status(&env, pl_mesh_parse(&env, "obj", "test", text, n * row, &m), PL_CANCELLED);
  assert_null(m);
  assert_int_equal(calls, 1);
  free(text);
}

static pl_status reading(pl_env *env, void *ctx) {
  (void)ctx;
  pl_mesh *m;
  PL_TRY(pl_mesh_read(env, MESH_DATA "blender_cube.obj", &m));
  pl_mesh_free(m);
  return PL_OK;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(reading, NULL);
}

int test_read_obj(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blender_cube),
      cmocka_unit_test(vertex_and_corner_forms),
      cmocka_unit_test(polygons_and_continued_lines),
      cmocka_unit_test(groups_and_objects),
      cmocka_unit_test(endings_and_contents),
      cmocka_unit_test(can_be_cancelled),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("mesh.read_obj", tests, NULL, NULL);
}
