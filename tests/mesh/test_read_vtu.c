#include "read_support.h"

#include <stdio.h>

// written by VTK and by meshio: a unit cube, a tetrahedron, a triangle, a square, a segment and a
// lone point
static const char *const samples[] = {
    "vtk_ascii.vtu",       "vtk_inline_zlib.vtu",    "vtk_inline_zlib_64_big.vtu",
    "vtk_inline_none.vtu", "vtk_raw_zlib_64.vtu",    "vtk_raw_none_big.vtu",
    "vtk_base64_zlib.vtu", "vtk_base64_none_64.vtu", "meshio_ascii.vtu",
    "meshio_zlib.vtu",     "meshio_none.vtu"};
enum { NSAMPLE = sizeof samples / sizeof samples[0] };

static void encodings(void **state) {
  (void)state;
  for (int k = 0; k < NSAMPLE; k++) {
    pl_env env;
    pl_env_init(&env);
    char path[1024];
    snprintf(path, sizeof path, MESH_DATA "%s", samples[k]);
    pl_mesh *m;
    check_ok(&env, pl_mesh_read(&env, path, &m));
    assert_int_equal(m->nvert, 22);
    check_close(total_measure(m, PL_HEX8), 1, 1e-15);
    check_close(total_measure(m, PL_TET4), 1.0 / 6, 1e-15);
    check_close(total_measure(m, PL_TRI3), 0.5, 1e-15);
    check_close(total_measure(m, PL_QUAD4), 1, 1e-15);
    check_close(total_measure(m, PL_SEG2), 1, 1e-15);
    const double last[3] = {5, 5, 5};
    check_array(3, m->X + 63, last, 0);
    pl_mesh_free(m);
  }
}

// two pieces, attributes in single quotes, a comment, unknown tags, and arrays that are not ours
static const char *const pieces =
    "<?xml version='1.0'?>\n<!-- two <pieces> -->\n"
    "<VTKFile type='UnstructuredGrid' version='0.1' byte_order='LittleEndian'>\n"
    "<FieldData><DataArray type='String' Name='types' format='ascii'>not > ours</DataArray>"
    "</FieldData>\n<UnstructuredGrid>\n"
    "<Piece NumberOfPoints='3' NumberOfCells='1'>\n"
    "<Cells><DataArray type='Int32' Name='types' format='ascii'>5</DataArray>\n"
    "<DataArray type='Int32' Name='offsets' format='ascii'>3</DataArray>\n"
    "<DataArray type='Int32' Name='connectivity' format='ascii'>0 1 2</DataArray></Cells>\n"
    "<Points><DataArray type='Float32' NumberOfComponents='3' format='ascii'>\n"
    "<InformationKey name='a'/> 0 0 0 2 0 0 0 2 0\n</DataArray></Points></Piece>\n"
    "<Piece NumberOfPoints = '2' NumberOfCells='1'>\n"
    "<Points><DataArray type='Float32' NumberOfComponents='3' format='ascii'>\n"
    "0 0 0 0 0 3</DataArray></Points>\n"
    "<Cells><DataArray type='UInt8' Name='types' format='ascii'>3</DataArray>\n"
    "<DataArray type='Int64' Name='offsets' format='ascii'>2</DataArray>\n"
    "<DataArray type='UInt16' Name='connectivity' format='ascii'>1 0</DataArray></Cells>\n"
    "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";

static void several_pieces(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, parse_text(&env, "vtu", pieces, &m));
  assert_int_equal(m->nvert, 5);
  check_close(total_measure(m, PL_TRI3), 2, 0);
  check_close(total_measure(m, PL_SEG2), 3, 0);
  assert_int_equal(m->cell[PL_SEG2].v[0], 4);
  assert_int_equal(m->cell[PL_SEG2].v[1], 3);
  pl_mesh_free(m);
}

// a tag in an odd place must not leave a stale place for its text
static void piece_inside_an_array(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_text t;
  pl_text_init(&t, &env);
  pl_text_add(&t, "<VTKFile type='UnstructuredGrid'><Piece NumberOfPoints='1' NumberOfCells='1'>"
                  "<Points><DataArray type='Float32' NumberOfComponents='3' format='ascii'>");
  for (int k = 0; k < 20; k++) pl_text_add(&t, "<Piece NumberOfPoints='0' NumberOfCells='0'/>");
  pl_text_add(&t, "0 0 0</DataArray></Points></Piece></VTKFile>");
  pl_mesh *m;
  check_status(&env, pl_mesh_parse(&env, "vtu", "test", t.s, t.n, &m), PL_E_INPUT);
  assert_null(m);
  pl_text_free(&t);
}

static pl_status reading(pl_env *env, void *ctx) {
  pl_mesh *m;
  PL_TRY(pl_mesh_read(env, ctx, &m));
  pl_mesh_free(m);
  return PL_OK;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(reading, MESH_DATA "vtk_ascii.vtu");
  check_allocations(reading, MESH_DATA "vtk_base64_zlib.vtu");
  check_allocations(reading, MESH_DATA "vtk_raw_none_big.vtu");
}

int test_read_vtu(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(encodings),
      cmocka_unit_test(several_pieces),
      cmocka_unit_test(piece_inside_an_array),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("mesh.read_vtu", tests, NULL, NULL);
}
