#include "read_support.h"

#include <stdlib.h>

static void check_cube(const char *path) {
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_mesh_read(&env, path, &m));
  // 36 corners of 12 triangles are 8 vertices
  assert_int_equal(m->nvert, 8);
  assert_int_equal(m->cell[PL_TRI3].n, 12);
  check_close(total_measure(m, PL_TRI3), 6, 1e-14);

  // the sides face outward: the cones from the origin sum to the volume
  const double origin[3] = {0, 0, 0};
  double volume = 0;
  for (int i = 0; i < 12; i++)
    volume += triple(origin, corner(m, PL_TRI3, i, 0), corner(m, PL_TRI3, i, 1),
                     corner(m, PL_TRI3, i, 2)) /
              6;
  check_close(volume, 1, 1e-14);
  pl_mesh_free(m);
}

static void cubes_of_meshio(void **state) {
  (void)state;
  check_cube(MESH_DATA "cube_ascii.stl");
  check_cube(MESH_DATA "cube_binary.stl");
}

// a binary file with one triangle of legs 1 whose header begins with text
static size_t one_triangle(const char *head, unsigned char *out) {
  const float x[12] = {0, 0, 1, 0, 0, 0, 1, 0, 0, -0.0f, 1, 0};
  memset(out, ' ', 80);
  memcpy(out, head, strlen(head));
  memcpy(out + 80, "\1\0\0\0", 4);
  memcpy(out + 84, x, sizeof x);
  memset(out + 132, 0, 2);
  return 134;
}

static void binary_that_begins_with_solid(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  unsigned char data[134];
  pl_mesh *m;
  const char *const heads[] = {"solid part", "ply\n", "<?xml"};
  for (int k = 0; k < 3; k++) {
    size_t n = one_triangle(heads[k], data);
    check_ok(&env, pl_mesh_parse(&env, "stl", "test", (char *)data, n, &m));
    assert_int_equal(m->nvert, 3);
    check_close(total_measure(m, PL_TRI3), 0.5, 0);
    pl_mesh_free(m);
  }
}

static void ascii_forms(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  // capitals, no name, a normal that is not a number, two solids, -0 and 0 as one place
  const char *text = "SOLID\r\nFACET NORMAL nan nan nan\r\nOUTER LOOP\r\nVERTEX 0 0 0\r\n"
                     "VERTEX 1 0 0\r\nVERTEX 0 1e0 0\r\nENDLOOP\r\nENDFACET\r\nENDSOLID\r\n"
                     "  solid two words\nfacet normal 0 0 1\nouter loop\nvertex -0 -0.0 0\n"
                     "vertex 1.0 0 0\nvertex 0 -1 0\nendloop\nendfacet\nendsolid two words\n";
  check_ok(&env, parse_text(&env, "stl", text, &m));
  assert_int_equal(m->nvert, 4);
  assert_int_equal(m->cell[PL_TRI3].n, 2);
  check_close(total_measure(m, PL_TRI3), 1, 0);
  pl_mesh_free(m);
}

// more corners than the first hash table holds: an n by n grid has (n + 1)^2 places
static void many_corners_weld(void **state) {
  (void)state;
  enum { N = 60 };
  pl_env env;
  pl_env_init(&env);
  size_t size = 84 + 50 * 2 * N * N;
  unsigned char *data = calloc(size, 1), *row = data ? data + 84 : NULL;
  assert_non_null(data);
  data[80] = 2 * N * N & 255;
  data[81] = 2 * N * N >> 8;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int h = 0; h < 2; h++, row += 50) {
        float x0 = (float)i * 0.1f, x1 = (float)(i + 1) * 0.1f;
        float y0 = (float)j * 0.1f, y1 = (float)(j + 1) * 0.1f;
        const float t[2][9] = {{x0, y0, 0, x1, y0, 0, x1, y1, 0},
                               {x0, y0, 0, x1, y1, 0, x0, y1, 0}};
        memcpy(row + 12, t[h], sizeof t[h]);
      }
  pl_mesh *m;
  check_ok(&env, pl_mesh_parse(&env, "stl", "test", (char *)data, size, &m));
  assert_int_equal(m->nvert, (N + 1) * (N + 1));
  // single precision coordinates
  check_rel(total_measure(m, PL_TRI3), 0.01 * N * N, 1e-6);
  pl_mesh_free(m);
  free(data);
}

static pl_status reading(pl_env *env, void *ctx) {
  pl_mesh *m;
  PL_TRY(pl_mesh_read(env, ctx, &m));
  pl_mesh_free(m);
  return PL_OK;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(reading, MESH_DATA "cube_ascii.stl");
  check_allocations(reading, MESH_DATA "cube_binary.stl");
}

int test_read_stl(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cubes_of_meshio),   cmocka_unit_test(binary_that_begins_with_solid),
      cmocka_unit_test(ascii_forms),       cmocka_unit_test(many_corners_weld),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("mesh.read_stl", tests, NULL, NULL);
}
