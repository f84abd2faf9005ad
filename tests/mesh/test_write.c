#include "mesh_tools.h"

#include <jansson.h>

// files are made in the working folder and removed again
static const char *const file[] = {"test_write.obj", "test_write.stl", "test_write.ply",
                                   "test_write.vtu", "test_write.glb", "test_write.pvd"};
enum { OBJ, STL, PLY, VTU, GLB, PVD };

static void same_mesh(const pl_mesh *a, const pl_mesh *b, const double *x) {
  assert_int_equal(a->nvert, b->nvert);
  check_array(3 * a->nvert, b->X, x ? x : a->X, 0);
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    assert_int_equal(a->cell[t].n, b->cell[t].n);
    if (a->cell[t].n)
      assert_memory_equal(a->cell[t].v, b->cell[t].v,
                          (size_t)a->cell[t].n * (size_t)pl_cell_nvert[t] * sizeof(int));
  }
}

// chain, disk and quads side by side
static pl_mesh *flat_mesh(pl_env *env) {
  pl_mesh *m, *b;
  check_ok(env, pl_gen_chain(env, 4, (double[]){0, 0, 1. / 3}, (double[]){1, 1, 1}, &m));
  check_ok(env, pl_gen_disk(env, 3, 0.7, &b));
  tool_shift(b, 3, 0, 0);
  tool_append(m, b);
  pl_mesh_free(b);
  check_ok(env, pl_gen_quads(env, 2, 3, 1, 1, &b));
  tool_shift(b, 6, 0, 0.1);
  tool_append(m, b);
  pl_mesh_free(b);
  return m;
}

static void round_trips(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m = flat_mesh(&env), *r;
  check_ok(&env, pl_mesh_add_set(m, "inner part", PL_TRI3, 3, (int[]){0, 1, 5}));
  check_ok(&env, pl_mesh_add_set(m, "more", PL_TRI3, 3, (int[]){1, 2, 5}));
  check_ok(&env, pl_mesh_add_set(m, "more", PL_SEG2, 1, (int[]){3}));
  check_ok(&env, pl_mesh_write_obj(m, file[OBJ]));
  check_ok(&env, pl_mesh_write_ply(m, file[PLY]));
  check_ok(&env, pl_mesh_write_vtu(m, NULL, 0, NULL, NULL, file[VTU]));
  for (int k = OBJ; k <= VTU; k++) {
    if (k == STL) continue;
    check_ok(&env, pl_mesh_read(&env, file[k], &r));
    same_mesh(m, r, NULL);
    if (k == OBJ) {
      // blanks cannot stand in a group's name
      const pl_set *s = pl_mesh_find_set(r, "inner_part");
      assert_int_equal(s->n, 3);
      assert_memory_equal(s->index, ((int[]){0, 1, 5}), 3 * sizeof(int));
      int n, *index;
      check_ok(&env, pl_mesh_set_vertices(r, "more", &n, &index));
      int n2, *index2;
      check_ok(&env, pl_mesh_set_vertices(m, "more", &n2, &index2));
      assert_int_equal(n, n2);
      assert_memory_equal(index, index2, (size_t)n * sizeof(int));
      pl_free(&env, index);
      pl_free(&env, index2);
    }
    pl_mesh_free(r);
    remove(file[k]);
  }
  pl_mesh_free(m);
}

// solids: VTU keeps them, the others hold the surface
static void solids(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int n[3] = {2, 3, 2};
  const double l[3] = {1, 0.5, 0.25};
  for (int t = PL_TET4; t <= PL_HEX8; t++) {
    pl_mesh *m, *r;
    check_ok(&env, t == PL_TET4 ? pl_gen_tet_box(&env, n, l, &m) : pl_gen_hex_box(&env, n, l, &m));
    double *x = malloc((size_t)m->nvert * 3 * sizeof *x);
    for (int i = 0; i < 3 * m->nvert; i++) x[i] = sin(m->X[i] + i);
    int half[36];
    for (int i = 0; i < 36; i++) half[i] = i;
    check_ok(&env, pl_mesh_add_set(m, "half", t, m->cell[t].n / 2, half));
    check_ok(&env, pl_mesh_write_vtu(m, x, 0, NULL, NULL, file[VTU]));
    check_ok(&env, pl_mesh_read(&env, file[VTU], &r));
    same_mesh(m, r, x);
    pl_mesh_free(r);
    free(x);
    check_ok(&env, pl_mesh_write_obj(m, file[OBJ]));
    check_ok(&env, pl_mesh_write_stl(m, file[STL]));
    check_ok(&env, pl_mesh_write_ply(m, file[PLY]));
    for (int k = OBJ; k <= PLY; k++) {
      check_ok(&env, pl_mesh_read(&env, file[k], &r));
      check_ok(&env, pl_mesh_check(r));

      // all vertices but the inner ones, a sphere, and the box's area
      assert_int_equal(r->nvert, 3 * 4 * 3 - 2);
      assert_int_equal(r->cell[PL_TRI3].n, 4 * (6 + 6 + 4));
      assert_int_equal(tool_euler(r), 2);
      check_close(tool_total(r, PL_TRI3), 2 * (0.5 + 0.125 + 0.25), 1e-14);

      // cells in their order fill the box from the bottom: half of them have the bottom and half
      // the sides
      if (k == OBJ) {
        const pl_set *s = pl_mesh_find_set(r, "half");
        double area = 0;
        for (int i = 0; i < s->n; i++)
          area += tool_measure(r->X, PL_TRI3, r->cell[PL_TRI3].v + 3 * s->index[i]);
        check_close(area, 0.5 + 0.125 * (2 * 1 + 2 * 0.5), 1e-14);
      }
      pl_mesh_free(r);
      remove(file[k]);
    }
    remove(file[VTU]);
    pl_mesh_free(m);
  }
}

static void refused(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_gen_chain(&env, 2, (double[3]){0}, (double[]){1, 0, 0}, &m));
  check_status(&env, pl_mesh_write_stl(m, file[STL]), PL_E_INPUT);
  check_status(&env, pl_mesh_write_obj(m, "no/such/folder/x.obj"), PL_E_IO);
  check_status(&env, pl_mesh_write_vtu(m, NULL, 0, NULL, NULL, "no/such/folder/x.vtu"), PL_E_IO);
  double two[6] = {0};
  const pl_field bad = {"pair", 0, 2, two};
  check_status(&env, pl_mesh_write_vtu(m, NULL, 1, &bad, NULL, file[VTU]), PL_E_ARG);
  double still[9] = {0}, broken[9] = {0, 0, 0, 0, NAN};
  check_status(&env, pl_glb_write(m, NULL, 1, broken, 1, two, two, NULL, file[GLB]), PL_E_INPUT);
  check_status(&env, pl_glb_write(m, broken, 0, NULL, 0, NULL, NULL, NULL, file[GLB]), PL_E_INPUT);
  check_status(&env, pl_glb_write(m, NULL, 1, still, 2, two, two, NULL, file[GLB]), PL_E_ARG);
  check_status(&env, pl_glb_write(m, NULL, -1, still, 2, two, two, NULL, file[GLB]), PL_E_ARG);
  m->cell[PL_SEG2].v[0] = 77;
  check_status(&env, pl_mesh_write_ply(m, file[PLY]), PL_E_INPUT);
  check_status(&env, pl_mesh_write_vtu(m, NULL, 0, NULL, NULL, file[VTU]), PL_E_INPUT);
  check_status(&env, pl_glb_write(m, NULL, 0, NULL, 0, NULL, NULL, NULL, file[GLB]), PL_E_INPUT);
  pl_mesh_free(m);
  check_ok(&env, pl_mesh_create(&env, "none", 0, &m));
  check_status(&env, pl_glb_write(m, NULL, 0, NULL, 0, NULL, NULL, NULL, file[GLB]), PL_E_INPUT);
  pl_mesh_free(m);
}

static void collection(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, pl_pvd_write(&env, file[PVD], 2, (double[]){0, 0.1},
                              (const char *const[]){"a&b_0.vtu", "a&b_1.vtu"}));
  char *data;
  size_t size;
  check_ok(&env, pl_file_read(&env, file[PVD], 0, &data, &size));
  assert_non_null(strstr(data, "<VTKFile type=\"Collection\""));
  assert_non_null(strstr(data, "timestep=\"0.10000000000000001\" part=\"0\" "
                               "file=\"a&amp;b_1.vtu\"/>"));
  pl_free(&env, data);
  remove(file[PVD]);
}

// ---- GLB --------------------------------------------------------------------------------------

typedef struct glb {
  char *data;
  size_t size;
  json_t *json;
  const unsigned char *bin;
  size_t nbin;
} glb;

static unsigned u32(const char *p) {
  const unsigned char *b = (const unsigned char *)p;
  return b[0] | (unsigned)b[1] << 8 | (unsigned)b[2] << 16 | (unsigned)b[3] << 24;
}

static glb open_glb(pl_env *env) {
  glb g;
  check_ok(env, pl_file_read(env, file[GLB], 0, &g.data, &g.size));
  assert_memory_equal(g.data, "glTF", 4);
  assert_int_equal(u32(g.data + 4), 2);
  assert_int_equal(u32(g.data + 8), g.size);
  unsigned njson = u32(g.data + 12);
  assert_int_equal(njson % 4, 0);
  assert_memory_equal(g.data + 16, "JSON", 4);
  g.json = json_loadb(g.data + 20, njson, 0, NULL);
  assert_non_null(g.json);
  const char *chunk = g.data + 20 + njson;
  g.nbin = u32(chunk);
  assert_int_equal(g.nbin % 4, 0);
  assert_memory_equal(chunk + 4, "BIN", 4);
  g.bin = (const unsigned char *)chunk + 8;
  assert_int_equal(20 + njson + 8 + g.nbin, g.size);
  remove(file[GLB]);
  return g;
}

static void close_glb(pl_env *env, glb *g) {
  json_decref(g->json);
  pl_free(env, g->data);
}

static json_int_t whole(json_t *o, const char *name) {
  return json_integer_value(json_object_get(o, name));
}

// every accessor lies in its view, every view in the buffer, and stated bounds are those of the
// data
static void check_accessors(const glb *g) {
  json_t *views = json_object_get(g->json, "bufferViews");
  json_t *list = json_object_get(g->json, "accessors"), *a;
  size_t k;
  json_array_foreach(list, k, a) {
    json_t *view = json_array_get(views, (size_t)whole(a, "bufferView"));
    size_t offset = (size_t)whole(view, "byteOffset"), length = (size_t)whole(view, "byteLength");
    const char *type = json_string_value(json_object_get(a, "type"));
    int ncomp = strcmp(type, "SCALAR") == 0 ? 1 : type[3] - '0';
    size_t count = (size_t)whole(a, "count"), size = whole(a, "componentType") == 5123 ? 2 : 4;
    assert_true(count > 0);
    assert_int_equal(length, count * (size_t)ncomp * size);
    assert_int_equal(offset % 4, 0);
    assert_true(offset + length <= g->nbin);
    if (!json_object_get(a, "min")) continue;
    for (int d = 0; d < ncomp; d++) {
      float lo = INFINITY, hi = -INFINITY, v;
      for (size_t i = 0; i < count; i++) {
        memcpy(&v, g->bin + offset + 4 * (i * (size_t)ncomp + (size_t)d), 4);
        lo = fminf(lo, v);
        hi = fmaxf(hi, v);
      }
      json_t *min = json_array_get(json_object_get(a, "min"), (size_t)d);
      json_t *max = json_array_get(json_object_get(a, "max"), (size_t)d);
      assert_true((float)json_number_value(min) == lo && (float)json_number_value(max) == hi);
    }
  }
  json_t *buffer = json_array_get(json_object_get(g->json, "buffers"), 0);
  assert_int_equal(whole(buffer, "byteLength"), g->nbin);
}

static void glb_structure(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_gen_hex_box(&env, (int[]){2, 2, 2}, (double[]){1, 1, 1}, &m));
  enum { NF = 3, NK = 4 };
  double frame[NF * 81], colour[27], time[NK] = {0, 0.5, 1, 1.5}, weight[NK * NF];
  for (int i = 0; i < NF * 81; i++) frame[i] = 0.01 * sin(i);
  for (int i = 0; i < 27; i++) colour[i] = i - 13;
  for (int i = 0; i < NK * NF; i++) weight[i] = cos(i);
  check_ok(&env, pl_glb_write(m, NULL, NF, frame, NK, time, weight, colour, file[GLB]));
  glb g = open_glb(&env);
  check_accessors(&g);
  json_t *mesh = json_array_get(json_object_get(g.json, "meshes"), 0);
  json_t *prim = json_array_get(json_object_get(mesh, "primitives"), 0);
  assert_int_equal(whole(prim, "mode"), 4);
  assert_int_equal(json_array_size(json_object_get(prim, "targets")), NF);
  assert_int_equal(json_array_size(json_object_get(mesh, "weights")), NF);

  // a cube's corners keep three normals, its edges two: 8 x 3 + 12 x 2 + 6 drawn vertices
  json_t *list = json_object_get(g.json, "accessors");
  json_t *attribute = json_object_get(prim, "attributes");
  json_t *position = json_array_get(list, (size_t)whole(attribute, "POSITION"));
  assert_int_equal(whole(position, "count"), 54);
  assert_int_equal(whole(json_array_get(list, (size_t)whole(prim, "indices")), "count"), 48 * 3);
  json_t *normal = json_array_get(list, (size_t)whole(attribute, "NORMAL"));
  json_t *view =
      json_array_get(json_object_get(g.json, "bufferViews"), (size_t)whole(normal, "bufferView"));
  for (int i = 0; i < 54; i++) {
    float n[3];
    memcpy(n, g.bin + whole(view, "byteOffset") + 12 * i, sizeof n);
    for (int d = 0; d < 3; d++) assert_true(n[d] == 0 || fabsf(n[d]) == 1);
  }
  close_glb(&env, &g);
  pl_mesh_free(m);
}

static void glb_lines(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_gen_chain(&env, 4, (double[3]){0}, (double[]){1, 0, 0}, &m));
  check_ok(&env, pl_glb_write(m, NULL, 0, NULL, 0, NULL, NULL, NULL, file[GLB]));
  glb g = open_glb(&env);
  check_accessors(&g);
  json_t *mesh = json_array_get(json_object_get(g.json, "meshes"), 0);
  json_t *list = json_object_get(mesh, "primitives");
  assert_int_equal(json_array_size(list), 1);
  json_t *prim = json_array_get(list, 0);
  assert_int_equal(whole(prim, "mode"), 1);
  assert_null(json_object_get(json_object_get(prim, "attributes"), "NORMAL"));
  assert_null(json_object_get(prim, "targets"));
  assert_null(json_object_get(g.json, "animations"));
  close_glb(&env, &g);
  pl_mesh_free(m);
}

static pl_status writing(pl_env *env, void *ctx) {
  int k = *(int *)ctx;
  pl_mesh *m;
  PL_TRY(pl_gen_tet_box(env, (int[]){1, 1, 1}, (double[]){1, 1, 1}, &m));
  pl_status s = pl_mesh_add_set(m, "set", PL_TET4, 2, (int[]){0, 1});
  double frame[48] = {0}, time[2] = {0, 1}, weight[4] = {0}, value[8] = {0};
  const pl_field field = {"value", 0, 1, value};
  if (s == PL_OK && k == OBJ) s = pl_mesh_write_obj(m, file[OBJ]);
  if (s == PL_OK && k == STL) s = pl_mesh_write_stl(m, file[STL]);
  if (s == PL_OK && k == PLY) s = pl_mesh_write_ply(m, file[PLY]);
  if (s == PL_OK && k == VTU) s = pl_mesh_write_vtu(m, NULL, 1, &field, NULL, file[VTU]);
  if (s == PL_OK && k == GLB)
    s = pl_glb_write(m, NULL, 2, frame, 2, time, weight, value, file[GLB]);
  if (s == PL_OK && k == PVD) s = pl_pvd_write(env, file[PVD], 1, time, (const char *[]){"x"});
  pl_mesh_free(m);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  for (int k = OBJ; k <= PVD; k++) {
    check_allocations(writing, &k);
    assert_int_equal(remove(file[k]), 0);
  }
}

int test_write(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trips),       cmocka_unit_test(solids),
      cmocka_unit_test(refused),           cmocka_unit_test(collection),
      cmocka_unit_test(glb_structure),     cmocka_unit_test(glb_lines),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("mesh.write", tests, NULL, NULL);
}
