// Voxels of labelled cells: files that VTK wrote, other sizes, groups, and what is refused.
#include "mesh_tools.h"

#define MESH_DATA SOURCE_DIR "/tests/mesh/data/"

static pl_env env;
static heard said;

static int count_of(const pl_mesh *m, const char *name) {
  const pl_set *s = pl_mesh_find_set(m, name);
  return s ? s->n : 0;
}

static pl_mesh *voxels_of(const pl_labels *l, double unit, double size, pl_voxel_info *info) {
  pl_mesh *m;
  check_ok(&env, pl_labels_voxels(l, unit, &(pl_voxel_opts){.size = size}, info, &m));
  check_ok(&env, pl_mesh_check(m));
  check_close(tool_total(m, PL_HEX8), info->volume, 1e-12 * info->volume);
  return m;
}

// 6 x 5 x 4 cells of 0.5 x 1 x 2 from (10, -2, 0) on, a corner of 2 x 2 x 4 empty, tissue 1 below
// the middle and 3 above: by every way in which VTK writes it
static void encodings(void **state) {
  (void)state;
  static const char *const file[] = {"vtk_ascii.vti", "vtk_inline_none.vti",
                                     "vtk_inline_zlib_64_big.vti", "vtk_raw_zlib.vti",
                                     "vtk_base64_none.vti"};
  static const double from[3] = {0.01, -0.002, 0}, to[3] = {0.013, 0.003, 0.008};
  for (int k = 0; k < 5; k++) {
    char path[512];
    pl_labels *l;
    pl_voxel_info info;
    double lo[3], hi[3];
    pl_env_init(&env);
    snprintf(path, sizeof path, MESH_DATA "%s", file[k]);
    assert_true(pl_is_labels(path));
    check_ok(&env, pl_labels_read(&env, path, &l));
    pl_mesh *m = voxels_of(l, 1e-3, 0, &info);
    assert_int_equal(info.nvoxel, 104);
    check_rel(info.exact, 104e-9, 1e-12);
    assert_int_equal(count_of(m, "tissue_1"), 52);
    assert_int_equal(count_of(m, "tissue_3"), 52);
    assert_null(pl_mesh_find_set(m, "tissue"));
    pl_mesh_bounds(m, lo, hi);
    check_array(3, lo, from, 1e-17);
    check_array(3, hi, to, 1e-17);
    // below the middle
    const pl_set *s = pl_mesh_find_set(m, "tissue_1");
    for (int i = 0; i < s->n; i++)
      check_less(m->X[3 * m->cell[PL_HEX8].v[8 * s->index[i]] + 2], 0.003);
    pl_mesh_free(m);
    pl_labels_free(l);
  }
}

#define IMAGE(extent, cells)                                                                       \
  "<VTKFile type='ImageData' byte_order='LittleEndian'>\n<ImageData WholeExtent='" extent          \
  "' Origin='0 0 0' Spacing='1 1 1'>\n<Piece Extent='" extent "'>\n<CellData>\n" cells             \
  "</CellData>\n</Piece>\n</ImageData>\n</VTKFile>\n"
#define CELLS(type, name, values)                                                                  \
  "<DataArray type='" type "' Name='" name "' format='ascii'>" values "</DataArray>\n"

static pl_status parse(const char *text, pl_labels **l) {
  pl_env_init(&env);
  said = (heard){0};
  env.diag = hear;
  env.diag_ctx = &said;
  return pl_labels_parse(&env, "test", text, strlen(text), l);
}

// Cells of 1 in voxels of 2, 1.5 and 0.5: what they hold is what they cover.
static void other_sizes(void **state) {
  (void)state;
  pl_labels *l;
  pl_voxel_info info;
  check_ok(&env, parse(IMAGE("0 6 0 2 0 2", CELLS("Int32", "a",
                                                  "1 1 1 2 2 2 1 1 1 2 2 2 1 1 1 2 "
                                                  "2 0 1 1 1 2 2 0")),
                       &l));
  pl_mesh *m = voxels_of(l, 1, 2, &info);
  // the last voxel is filled by three quarters, the one in the middle by halves of both
  assert_int_equal(info.nvoxel, 3);
  check_close(info.exact, 22, 1e-12);
  assert_int_equal(count_of(m, "a_1"), 2);
  assert_int_equal(count_of(m, "a_2"), 2);
  pl_mesh_free(m);
  m = voxels_of(l, 1, 0.5, &info);
  assert_int_equal(info.nvoxel, 22 * 8);
  assert_int_equal(count_of(m, "a_1"), 12 * 8);
  pl_mesh_free(m);
  m = voxels_of(l, 1, 1.5, &info);
  assert_int_equal(info.grid[0], 4);
  assert_int_equal(count_of(m, "a_1") + count_of(m, "a_2"), info.nvoxel);
  pl_mesh_free(m);
  pl_labels_free(l);
}

// names of its own, one number alone, and sides
static void groups(void **state) {
  (void)state;
  pl_labels *l;
  pl_voxel_info info;
  check_ok(&env, parse(IMAGE("0 2 0 1 0 1", CELLS("UInt8", "top", "1 0")), &l));
  pl_mesh *m = voxels_of(l, 1, 0, &info);
  assert_int_equal(count_of(m, "top"), 1);
  assert_int_equal(pl_mesh_find_set(m, "top")->type, PL_HEX8);
  assert_int_equal(count_of(m, "left"), 4);
  pl_mesh_free(m);
  pl_labels_free(l);
  // below zero is material, too
  check_ok(&env, parse(IMAGE("0 2 0 1 0 1", CELLS("Int8", "a", "-1 0")), &l));
  m = voxels_of(l, 1, 0, &info);
  assert_int_equal(count_of(m, "a_-1"), 1);
  pl_mesh_free(m);
  pl_labels_free(l);
}

static void refusals(void **state) {
  (void)state;
  static const struct {
    const char *text, *says, *hint;
    int line;
  } list[] = {
      {IMAGE("0 2 0 2 0 1", CELLS("Int32", "a", "1 1 1")), "array 'a' has fewer than 4 values", "",
       5},
      {IMAGE("0 2 0 2 0 1", CELLS("Int32", "a", "1 1 1 1 1")), "more than 4 values", "", 5},
      {IMAGE("0 2 0 2 0 1", CELLS("Int32", "a", "0 0 0 0")), "all of the 4 cells are 0",
       "0 is empty", 5},
      {IMAGE("0 2 0 2 0 0", CELLS("Int32", "a", "1 1 1 1")), "no cells along z", "counts points",
       2},
      {IMAGE("0 9 0 9", CELLS("Int32", "a", "1")), "six whole numbers", "e.g.", 2},
      {IMAGE("0 2000 0 2000 0 2000", CELLS("Int32", "a", "1")), "the limit is 1e+08", "resample",
       2},
      {IMAGE("0 400 0 400 0 400", CELLS("Int32", "a", "1")), "fewer than 64000000 values", "", 5},
      {IMAGE("0 2 0 1 0 1", CELLS("Float32", "a", "1 1")), "'a' holds no integers", "CellData", 3},
      {IMAGE("0 2 0 1 0 1", ""), "there are no labels", "CellData", 3},
      {"<VTKFile type='UnstructuredGrid'></VTKFile>", "does not hold an ImageData", ".vti", 1},
      {"<VTKFile type='ImageData'><ImageData WholeExtent='0 1 0 1 0 1' Spacing='1 0 1'/></VTKFile>",
       "Spacing 0 along y", "", 1},
      {"<VTKFile type='ImageData'><ImageData WholeExtent='0 1 0 1 0 1' "
       "Direction='0 1 0 1 0 0 0 0 1'/></VTKFile>",
       "the image is turned", "rotate", 1},
      {"<VTKFile type='ImageData'><ImageData WholeExtent='0 1 0 1 0 1'/></VTKFile>",
       "the image has no Piece", "", 1},
      {"<VTKFile type='ImageData'><ImageData WholeExtent='0 2 0 1 0 1'>"
       "<Piece Extent='0 1 0 1 0 1'/></ImageData></VTKFile>",
       "the Piece is not all of the image", "save it as one", 1},
      {"<VTKFile type='ImageData'><ImageData WholeExtent='0 1 0 1 0 1'>\n"
       "<Piece Extent='0 1 0 1 0 1'><PointData>" CELLS(
           "Int32", "a", "1 1 1 1 1 1 1 1") "</PointData></Piece></ImageData></VTKFile>",
       "'a' is on points", "CellData", 2},
      {"nothing", "there is no VTKFile tag", "cut off", 1},
  };
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    pl_labels *l;
    assert_int_equal(parse(list[k].text, &l), PL_E_INPUT);
    assert_null(l);
    if (!strstr(env.error.text, list[k].says) || !strstr(env.error.hint, list[k].hint) ||
        env.error.line != list[k].line)
      fail_msg("%zu: %d: %s (%s)", k, env.error.line, env.error.text, env.error.hint);
  }
}

static void too_many_labels(void **state) {
  (void)state;
  char text[4096];
  int n = 0;
  pl_labels *l;
  for (int i = 0; i < 300; i++) n += snprintf(text + n, sizeof text - (size_t)n, "%d ", i);
  char all[5000];
  snprintf(all, sizeof all,
           IMAGE("0 300 0 1 0 1", "<DataArray type='Int32' Name='a' "
                                  "format='ascii'>%s</DataArray>\n"),
           text);
  assert_int_equal(parse(all, &l), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "more than 255 different numbers"));
}

static pl_status make(pl_env *e, void *ctx) {
  pl_labels *l;
  pl_mesh *m;
  (void)ctx;
  PL_TRY(pl_labels_read(e, MESH_DATA "vtk_inline_zlib_64_big.vti", &l));
  pl_status s = pl_labels_voxels(l, 1, &(pl_voxel_opts){.size = 1}, NULL, &m);
  if (s == PL_OK) pl_mesh_free(m);
  pl_labels_free(l);
  return s;
}

static void memory(void **state) {
  (void)state;
  check_allocations(make, NULL);
}

int test_labels(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(encodings), cmocka_unit_test(other_sizes), cmocka_unit_test(groups),
      cmocka_unit_test(refusals),  cmocka_unit_test(memory),      cmocka_unit_test(too_many_labels),
  };
  return cmocka_run_group_tests_name("mesh.labels", tests, NULL, NULL);
}
