#include "read_support.h"

#include <stdio.h>
#include <string.h>

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

// sets are written as arrays of zeros and ones, and read back by name, type and member
static void sets_come_back(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m, *back;
  const int n[3] = {2, 1, 1}, cell[2] = {0, 3}, line[1] = {0};
  const double l[3] = {1, 1, 1};
  check_ok(&env, pl_gen_tet_box(&env, n, l, &m));
  check_ok(&env, pl_mesh_set_cells(m, PL_SEG2, 1));
  m->cell[PL_SEG2].v[0] = 0;
  m->cell[PL_SEG2].v[1] = 1;
  check_ok(&env, pl_mesh_add_set(m, "<a> & \"b\"", PL_TET4, 2, cell));
  check_ok(&env, pl_mesh_add_set(m, "<a> & \"b\"", PL_SEG2, 1, line));
  check_ok(&env, pl_mesh_add_set(m, "group:twice", PL_TET4, 1, cell));
  check_ok(&env, pl_mesh_write_vtu(m, NULL, 0, NULL, NULL, "sets.vtu"));
  check_ok(&env, pl_mesh_read(&env, "sets.vtu", &back));
  assert_int_equal(back->nset, m->nset);
  for (int k = 0; k < m->nset; k++) {
    const pl_set *a = &m->set[k], *b = NULL;
    for (int i = 0; i < back->nset; i++)
      if (strcmp(back->set[i].name, a->name) == 0 && back->set[i].type == a->type)
        b = &back->set[i];
    assert_non_null(b);
    assert_int_equal(b->n, a->n);
    assert_memory_equal(b->index, a->index, (size_t)a->n * sizeof(int));
  }
  remove("sets.vtu");
  pl_mesh_free(m);
  pl_mesh_free(back);
}

// a field as it was written; what is broken, has other points or another name is refused
static void vectors_come_back(void **state) {
  (void)state;
  enum { N = 12 };
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  char *data;
  size_t size;
  double u[N][3], scalar[N] = {0}, back[N][3];
  check_ok(&env, pl_gen_tet_box(&env, (int[]){2, 1, 1}, (double[]){1, 1, 1}, &m));
  assert_int_equal(m->nvert, N);
  for (int i = 0; i < 3 * N; i++) u[i / 3][i % 3] = (i - 7) / 3.0;
  const pl_field field[] = {{.name = "scalar", .ncomp = 1, .data = scalar},
                            {.name = "mode", .ncomp = 3, .data = &u[0][0]}};
  check_ok(&env, pl_mesh_write_vtu(m, NULL, 2, field, NULL, "vectors.vtu"));
  check_ok(&env, pl_file_read(&env, "vectors.vtu", 0, &data, &size));
  check_ok(&env, pl_vtu_vectors(&env, "vectors.vtu", data, size, "mode", N, back));
  assert_memory_equal(u, back, sizeof u);
  check_status(&env, pl_vtu_vectors(&env, "vectors.vtu", data, size, "none", N, back), PL_E_INPUT);
  check_status(&env, pl_vtu_vectors(&env, "vectors.vtu", data, size, "scalar", N, back),
               PL_E_INPUT);
  check_status(&env, pl_vtu_vectors(&env, "vectors.vtu", data, size, "mode", N - 1, back),
               PL_E_INPUT);
  // up to the field itself it is needed
  const char *end = strstr(strstr(data, "Name=\"mode\""), "</DataArray>");
  for (size_t n = 0; n < (size_t)(end - data); n++)
    check_status(&env, pl_vtu_vectors(&env, "vectors.vtu", data, n, "mode", N, back), PL_E_INPUT);
  for (size_t n = 0; n < size; n++) {
    char was = data[n];
    data[n] ^= 21;
    pl_status s = pl_vtu_vectors(&env, "vectors.vtu", data, size, "mode", N, back);
    assert_true(s == PL_OK || s == PL_E_INPUT);
    data[n] = was;
  }
  remove("vectors.vtu");
  pl_free(&env, data);
  pl_mesh_free(m);
}

static void check_set(const pl_mesh *m, const char *name, int type, int n, int first) {
  for (int k = 0; k < m->nset; k++) {
    if (strcmp(m->set[k].name, name) != 0 || m->set[k].type != type) continue;
    assert_int_equal(m->set[k].n, n);
    assert_int_equal(m->set[k].index[0], first);
    return;
  }
  fail_msg("no set '%s' of type %d", name, type);
}

// arrays of other programs: numbers of materials, a mask, numbers of cells, reals; a mask in one
// piece is none where another has more values
static void groups_of_arrays(void **state) {
  (void)state;
  static const char *const piece =
      "<Piece NumberOfPoints='4' NumberOfCells='3'>"
      "<Points><DataArray type='Float32' NumberOfComponents='3' format='ascii'>"
      "0 0 0 1 0 0 0 1 0 1 1 %d</DataArray></Points>"
      "<Cells><DataArray type='UInt8' Name='types' format='ascii'>5 1 5</DataArray>"
      "<DataArray type='Int64' Name='offsets' format='ascii'>3 4 7</DataArray>"
      "<DataArray type='Int32' Name='connectivity' format='ascii'>0 1 2 3 1 3 2</DataArray>"
      "</Cells><CellData>"
      "<DataArray type='Int32' Name='material' format='ascii'>%s</DataArray>"
      "<DataArray type='Int32' Name='number' format='ascii'>7 8 9</DataArray>"
      "<DataArray type='Float64' Name='heat' format='ascii'>1 2 1</DataArray>"
      "<DataArray type='Int32' NumberOfComponents='2' Name='pair' format='ascii'>1 2 1 2 1 2"
      "</DataArray></CellData><PointData>"
      "<DataArray type='UInt64' Name='held' NumberOfComponents='1' format='ascii'>0 0 1 1"
      "</DataArray><DataArray type='UInt8' Name='vtkGhostType' format='ascii'>0 0 0 0</DataArray>"
      "</PointData></Piece>";
  pl_env env;
  pl_env_init(&env);
  pl_text t;
  pl_text_init(&t, &env);
  pl_text_add(&t, "<VTKFile type='UnstructuredGrid'><UnstructuredGrid>");
  pl_text_add(&t, piece, 0, "1 1 0");
  pl_text_add(&t, piece, 5, "-3 1 0");
  pl_text_add(&t, "</UnstructuredGrid></VTKFile>");
  pl_mesh *m;
  check_ok(&env, pl_mesh_parse(&env, "vtu", "test", t.s, t.n, &m));
  check_set(m, "material_1", PL_TRI3, 1, 0);
  check_set(m, "material_0", PL_TRI3, 2, 1);
  check_set(m, "held", -1, 4, 2);
  check_set(m, "material_-3", PL_TRI3, 1, 2);
  check_set(m, "number_9", PL_TRI3, 2, 1);
  assert_null(pl_mesh_find_set(m, "heat"));
  assert_null(pl_mesh_find_set(m, "pair"));
  assert_null(pl_mesh_find_set(m, "vtkGhostType"));
  assert_null(pl_mesh_find_set(m, "material"));
  pl_mesh_free(m);
  // an array that ends early
  char *cut = strstr(t.s, "0 0 1 1");
  memset(cut, ' ', 2);
  check_status(&env, pl_mesh_parse(&env, "vtu", "test", t.s, t.n, &m), PL_E_INPUT);
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
  check_allocations(reading, MESH_DATA "groups.vtu");
}

int test_read_vtu(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(encodings),
      cmocka_unit_test(several_pieces),
      cmocka_unit_test(piece_inside_an_array),
      cmocka_unit_test(sets_come_back),
      cmocka_unit_test(vectors_come_back),
      cmocka_unit_test(groups_of_arrays),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("mesh.read_vtu", tests, NULL, NULL);
}
