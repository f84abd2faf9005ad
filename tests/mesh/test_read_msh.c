#include "read_support.h"

#include <stdio.h>

static const char *const flavours[] = {"22_ascii", "22_binary", "41_ascii", "41_binary"};

static pl_mesh *read_sample(pl_env *env, const char *name, const char *flavour) {
  char path[1024];
  snprintf(path, sizeof path, MESH_DATA "%s_%s.msh", name, flavour);
  pl_mesh *m;
  check_ok(env, pl_mesh_read(env, path, &m));
  return m;
}

// plate.geo: [0,2] x [0,1], lines on three sides in groups, the surface in two groups
static void check_plate(const pl_mesh *m) {
  assert_int_equal(m->nvert, 8);
  assert_int_equal(m->cell[PL_SEG2].n, 4);
  assert_int_equal(m->cell[PL_TRI3].n, 8);
  check_close(total_measure(m, PL_TRI3), 2, 1e-11);
  check_close(set_measure(m, "plate", PL_TRI3), 2, 1e-11);
  check_close(set_measure(m, "skin", PL_TRI3), 2, 1e-11);
  check_close(set_measure(m, "left", PL_SEG2), 1, 1e-11);
  check_close(set_measure(m, "right", PL_SEG2), 1, 1e-11);
  // the bottom has a number and no name
  check_close(set_measure(m, "physical_1_77", PL_SEG2), 2, 1e-11);
  assert_int_equal(m->nset, 6);
  const pl_set *anchor = named(m, "anchor", -1);
  assert_non_null(anchor);
  assert_int_equal(anchor->n, 1);
  const double origin[3] = {0, 0, 0};
  check_array(3, m->X + 3 * anchor->index[0], origin, 0);
}

static void plate_of_gmsh(void **state) {
  (void)state;
  const char *const more[] = {"41_parametric_ascii", "41_parametric_binary"};
  for (int k = 0; k < 6; k++) {
    pl_env env;
    pl_env_init(&env);
    pl_mesh *m = read_sample(&env, "plate", k < 4 ? flavours[k] : more[k - 4]);
    check_plate(m);
    pl_mesh_free(m);
  }
}

// box.geo and bricks.geo: [0,2] x [0,1] x [0,1] with its surface of 10
static void solids_of_gmsh(void **state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    pl_env env;
    pl_env_init(&env);
    int solid = k < 4 ? PL_TET4 : PL_HEX8, face = k < 4 ? PL_TRI3 : PL_QUAD4;
    pl_mesh *m = read_sample(&env, k < 4 ? "box" : "bricks", flavours[k % 4]);
    assert_int_equal(m->nvert, 12);
    check_close(total_measure(m, solid), 2, 1e-14);
    check_close(set_measure(m, "k\xc3\xb6rper", solid), 2, 1e-14);
    check_close(set_measure(m, "shell", face), 10, 1e-14);
    check_close(set_measure(m, "bottom", face), 2, 1e-14);
    check_close(set_measure(m, "top", face), 2, 1e-14);
    check_close(total_measure(m, face), 10, 1e-14);
    const pl_set *top = named(m, "top", face);
    for (int i = 0; i < top->n; i++)
      for (int c = 0; c < pl_cell_nvert[face]; c++)
        check_close(corner(m, face, top->index[i], c)[2], 1, 0);
    // gmsh's solids are right-handed in our order too
    for (int i = 0; i < m->cell[solid].n; i++) assert_true(cell_measure(m, solid, i) > 0);
    pl_mesh_free(m);
  }
}

static void sections_in_any_order(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  // gaps and disorder in the node numbers, an unknown section, names last, one name for two sizes
  const char *text = "$Comments\nanything $EndNodes goes\n$EndComments\n"
                     "$Elements\n4\n1 3 3 5 1 0 10 7 3000 2\n2 1 2 -6 1 10 7\n3 15 2 8 1 3000\n"
                     "4 15 1 8 2\n$EndElements\n"
                     "$MeshFormat\r\n2.2 0 8\r\n$EndMeshFormat\r\n"
                     "$Nodes\n4\n10 0 0 0\n7 1 0 0\n3000 1 1 0\n2 0 1 0\n$EndNodes\n"
                     "$PhysicalNames\n3\n2 5 \"part\"\n1 6 \"part\"\n0 8 \"two points\"\n"
                     "$EndPhysicalNames";
  check_ok(&env, parse_text(&env, "msh", text, &m));
  check_close(set_measure(m, "part", PL_QUAD4), 1, 0);
  check_close(set_measure(m, "part", PL_SEG2), 1, 0);
  const pl_set *points = named(m, "two points", -1);
  assert_non_null(points);
  assert_int_equal(points->n, 2);
  assert_int_equal(points->index[0], 2);
  assert_int_equal(points->index[1], 3);
  pl_mesh_free(m);
}

static void put(unsigned char **at, const void *bytes, int n) {
  // numbers are written with their bytes turned round
  for (int k = 0; k < n; k++) *(*at)++ = ((const unsigned char *)bytes)[n - 1 - k];
}

static void put_text(unsigned char **at, const char *text) {
  memcpy(*at, text, strlen(text));
  *at += strlen(text);
}

static void put_int(unsigned char **at, int v) {
  put(at, &v, 4);
}

static void other_byte_order(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  unsigned char data[1024], *at = data;
  put_text(&at, "$MeshFormat\n2.2 1 8\n");
  put_int(&at, 1);
  put_text(&at, "\n$EndMeshFormat\n$Nodes\n3\n");
  for (int k = 0; k < 3; k++) {
    double x[3] = {k == 1, k == 2, 0.25};
    put_int(&at, k + 1);
    for (int c = 0; c < 3; c++) put(&at, &x[c], 8);
  }
  put_text(&at, "\n$EndNodes\n$Elements\n3\n");
  // one head for two lines, one for a triangle
  const int rows[] = {1, 2, 2, 1, 9, 1, 1, 2, 2, 9, 1, 2, 3, 2, 1, 2, 3, 9, 1, 1, 2, 3};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) put_int(&at, rows[k]);
  put_text(&at, "\n$EndElements\n");
  pl_mesh *m;
  check_ok(&env, pl_mesh_parse(&env, "msh", "test", (char *)data, (size_t)(at - data), &m));
  check_close(set_measure(m, "physical_1_9", PL_SEG2), 1 + sqrt(2), 1e-15);
  check_close(set_measure(m, "physical_2_9", PL_TRI3), 0.5, 0);
  pl_mesh_free(m);
}

static pl_status reading(pl_env *env, void *ctx) {
  pl_mesh *m;
  PL_TRY(pl_mesh_read(env, ctx, &m));
  pl_mesh_free(m);
  return PL_OK;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(reading, MESH_DATA "box_22_ascii.msh");
  check_allocations(reading, MESH_DATA "plate_41_binary.msh");
}

int test_read_msh(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plate_of_gmsh),         cmocka_unit_test(solids_of_gmsh),
      cmocka_unit_test(sections_in_any_order), cmocka_unit_test(other_byte_order),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("mesh.read_msh", tests, NULL, NULL);
}
