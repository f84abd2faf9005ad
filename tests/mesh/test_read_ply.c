#include "read_support.h"

static void cubes(void **state) {
  (void)state;
  const struct {
    const char *path;
    int nvert, type, n;
  } rows[] = {{MESH_DATA "cube_ascii.ply", 8, PL_TRI3, 12},
              {MESH_DATA "cube_binary.ply", 8, PL_TRI3, 12},
              {MESH_DATA "cube_big_endian.ply", 24, PL_TRI3, 12},
              {MESH_DATA "cube_quads.ply", 8, PL_QUAD4, 6}};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
    pl_env env;
    pl_env_init(&env);
    pl_mesh *m;
    check_ok(&env, pl_mesh_read(&env, rows[k].path, &m));
    assert_int_equal(m->nvert, rows[k].nvert);
    assert_int_equal(m->cell[rows[k].type].n, rows[k].n);
    check_close(total_measure(m, rows[k].type), 6, 1e-6);
    pl_mesh_free(m);
  }
}

static void edges_lists_and_others(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  // faces before vertices, an element and lists that are passed over, a pentagon, CR LF
  const char *text =
      "ply\r\nformat ascii 1.0\r\ncomment by hand\r\nobj_info none\r\n"
      "element face 2\r\nproperty uchar flag\r\n"
      "property list uint8 int32 vertex_index\r\nproperty list char float weights\r\n"
      "element mark 2\r\nproperty short a\r\n"
      "element vertex 5\r\nproperty double z\r\nproperty float32 y\r\n"
      "property float x\r\nproperty uchar red\r\n"
      "element edge 1\r\nproperty int vertex1\r\nproperty int vertex2\r\n"
      "end_header\r\n"
      "7 5 0 1 2 3 4 2 0.5 0.5\r\n7 4 0 1 2 3 0\r\n1\r\n2\r\n"
      "0 0 0 255\r\n0 0 1 255\r\n0 1 1 255\r\n0 1 0 255\r\n0 0.5 -1 255\r\n0 4";
  check_ok(&env, parse_text(&env, "ply", text, &m));
  assert_int_equal(m->nvert, 5);
  assert_int_equal(m->cell[PL_TRI3].n, 3);
  assert_int_equal(m->cell[PL_QUAD4].n, 1);
  check_close(total_measure(m, PL_TRI3), 1.5, 1e-14);
  check_close(total_measure(m, PL_QUAD4), 1, 1e-14);
  check_close(total_measure(m, PL_SEG2), sqrt(1.25), 1e-14);
  pl_mesh_free(m);
}

// every number type, both byte orders: x as the type, y and z as lists that must be skipped
static void binary_number_types(void **state) {
  (void)state;
  const struct {
    const char *name, *big;
    int size;
    double value;
  } types[] = {{"char", "\xff", 1, -1},
               {"uchar", "\xff", 1, 255},
               {"short", "\xff\xfe", 2, -2},
               {"ushort", "\xff\xfe", 2, 65534},
               {"int", "\xff\xff\xff\xfd", 4, -3},
               {"uint", "\xff\xff\xff\xfd", 4, 4294967293.0},
               {"float", "\x40\x20\0\0", 4, 2.5},
               {"double", "\xc0\x04\0\0\0\0\0\0", 8, -2.5}};
  for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
    for (int little = 0; little < 2; little++) {
      pl_env env;
      pl_env_init(&env);
      pl_text t;
      pl_text_init(&t, &env);
      pl_text_add(&t,
                  "ply\nformat binary_%s_endian 1.0\nelement vertex 2\nproperty %s x\n"
                  "property uchar y\nproperty list uchar %s pad\nproperty uchar z\n"
                  "element edge 1\nproperty uchar vertex1\nproperty uchar vertex2\nend_header\n",
                  little ? "little" : "big", types[k].name, types[k].name);
      for (int v = 0; v < 2; v++) {
        for (int b = 0; b < types[k].size; b++)
          pl_text_put(&t, types[k].big + (little ? types[k].size - 1 - b : b), 1);
        pl_text_put(&t, "\5\3", 2);
        for (int b = 0; b < 3 * types[k].size; b++) pl_text_put(&t, "?", 1);
        pl_text_put(&t, "\7", 1);
      }
      pl_text_put(&t, "\0\1", 2);
      pl_mesh *m;
      check_ok(&env, pl_mesh_parse(&env, "ply", "test", t.s, t.n, &m));
      const double want[] = {types[k].value, 5, 7, types[k].value, 5, 7};
      check_array(6, m->X, want, 0);
      assert_int_equal(m->cell[PL_SEG2].n, 1);
      pl_mesh_free(m);
      pl_text_free(&t);
    }
}

static pl_status reading(pl_env *env, void *ctx) {
  pl_mesh *m;
  PL_TRY(pl_mesh_read(env, ctx, &m));
  pl_mesh_free(m);
  return PL_OK;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(reading, MESH_DATA "cube_ascii.ply");
  check_allocations(reading, MESH_DATA "cube_big_endian.ply");
}

int test_read_ply(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cubes),
      cmocka_unit_test(edges_lists_and_others),
      cmocka_unit_test(binary_number_types),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("mesh.read_ply", tests, NULL, NULL);
}
