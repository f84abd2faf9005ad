#include "mesh_tools.h"

// one cell of a type on the vertices 0, 1, 2 ... at X
static pl_mesh *one_cell(pl_env *env, int type, const double *X) {
  pl_mesh *m;
  check_ok(env, pl_mesh_create(env, "one.msh", pl_cell_nvert[type], &m));
  memcpy(m->X, X, (size_t)(3 * m->nvert) * sizeof *X);
  check_ok(env, pl_mesh_set_cells(m, (pl_cell_type)type, 1));
  for (int k = 0; k < m->nvert; k++) m->cell[type].v[k] = k;
  return m;
}

static const double corner[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0,
                                  0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
static const double tetra[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};

static void sound_meshes(void **state) {
  (void)state;
  pl_env env;
  heard h = {0};
  pl_env_init(&env);
  env.diag = hear;
  env.diag_ctx = &h;
  for (int t = 0; t <= PL_HEX8; t++)
    for (int size = -6; size <= 6; size += 3) {
      pl_mesh *m = one_cell(&env, t, t == PL_TET4 ? tetra : corner);
      pl_mesh_transform(m, pow(10, size), NULL, (double[]){3, -2, 1});
      check_ok(&env, pl_mesh_check(m));
      pl_mesh_free(m);
    }
  assert_int_equal(h.count[PL_WARNING] + h.count[PL_NOTE], 0);
}

static void refuse(pl_mesh *m, const char *text) {
  pl_env *env = m->env;
  check_status(env, pl_mesh_check(m), PL_E_INPUT);
  if (!strstr(env->error.text, text)) {
    print_error("message '%s' lacks '%s'\n", env->error.text, text);
    fail();
  }
  assert_string_equal(env->error.file, m->source);
  pl_mesh_free(m);
}

static void indices_and_numbers(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m = one_cell(&env, PL_TRI3, corner);
  m->cell[PL_TRI3].v[1] = 3;
  refuse(m, "triangle 1: vertex 4 does not exist, there are 3");
  m = one_cell(&env, PL_TRI3, corner);
  m->cell[PL_TRI3].v[1] = -1;
  refuse(m, "triangle 1: vertex 0 does not exist");
  m = one_cell(&env, PL_TRI3, corner);
  check_ok(&env, pl_mesh_add_set(m, "wing", PL_TRI3, 1, &(int){1}));
  refuse(m, "set 'wing': triangle 2 does not exist, there are 1");
  m = one_cell(&env, PL_TRI3, corner);
  m->X[4] = NAN;
  refuse(m, "vertex 2 is not finite");
  m = one_cell(&env, PL_TRI3, corner);
  m->X[8] = 1e300;
  refuse(m, "vertex 3 is not finite or absurdly far");
  check_ok(&env, pl_mesh_create(&env, "empty.obj", 0, &m));
  refuse(m, "no vertices");
}

static void degenerate_cells(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  static const char *const what[PL_CELL_COUNT] = {"length", "area", "area", "volume", "volume"};
  for (int t = 0; t <= PL_HEX8; t++) {
    char text[64];
    pl_mesh *m = one_cell(&env, t, t == PL_TET4 ? tetra : corner);
    m->cell[t].v[0] = m->cell[t].v[1];
    snprintf(text, sizeof text, "%s 1 names vertex 2 twice", pl_cell_name[t]);
    refuse(m, text);

    // all vertices on a line, away from the origin
    m = one_cell(&env, t, t == PL_TET4 ? tetra : corner);
    for (int k = 0; k < m->nvert; k++)
      for (int d = 0; d < 3; d++) m->X[3 * k + d] = t == PL_SEG2 ? 5 : 5 + 0.1 * k * (d + 1);
    snprintf(text, sizeof text, "%s 1 is degenerate: its %s is zero", pl_cell_name[t], what[t]);
    refuse(m, text);
  }

  // a flat tet, and a thin one that is still good
  pl_mesh *m = one_cell(&env, PL_TET4, tetra);
  m->X[11] = 1e-15;
  refuse(m, "tet 1 is degenerate");
  m = one_cell(&env, PL_TET4, tetra);
  m->X[11] = 1e-6;
  check_ok(&env, pl_mesh_check(m));
  pl_mesh_free(m);
}

static void inverted_solids(void **state) {
  (void)state;
  pl_env env;
  heard h = {0};
  pl_env_init(&env);
  env.diag = hear;
  env.diag_ctx = &h;
  const int n[3] = {2, 2, 2};
  const double l[3] = {1, 1, 1};
  for (int t = PL_TET4; t <= PL_HEX8; t++) {
    pl_mesh *m;

    // mirrored as a whole: turned round with a note
    check_ok(&env, t == PL_TET4 ? pl_gen_tet_box(&env, n, l, &m) : pl_gen_hex_box(&env, n, l, &m));
    for (int i = 0; i < m->nvert; i++) m->X[3 * i] = -m->X[3 * i];
    check_close(tool_total(m, t), -1, 1e-14);
    check_ok(&env, pl_mesh_check(m));
    check_close(tool_total(m, t), 1, 1e-14);
    assert_true(tool_least(m, t) > 0);
    assert_int_equal(h.count[PL_NOTE], t - PL_TET4 + 1);

    // a single one is an error
    int *v = m->cell[t].v + 3 * pl_cell_nvert[t];
    if (t == PL_TET4) {
      int swap = v[0];
      v[0] = v[1];
      v[1] = swap;
    } else {
      for (int k = 0; k < 4; k++) {
        int swap = v[k];
        v[k] = v[k + 4];
        v[k + 4] = swap;
      }
    }
    refuse(m, t == PL_TET4 ? "tet 4 is inverted" : "hex 4 is inverted");
  }

  // a hex of positive volume with one corner pushed through
  pl_mesh *m = one_cell(&env, PL_HEX8, corner);
  memcpy(m->X + 18, ((double[]){0.1, 0.1, 0.1}), 3 * sizeof(double));
  assert_true(tool_total(m, PL_HEX8) > 0);
  refuse(m, "hex 1 is inverted at its corner 7 (vertex 7)");
}

static void warnings(void **state) {
  (void)state;
  pl_env env;
  heard h = {0};
  pl_env_init(&env);
  env.diag = hear;
  env.diag_ctx = &h;
  pl_mesh *m, *b;
  check_ok(&env, pl_gen_grid(&env, 2, 2, 1, 1, PL_CROSSED, &m));
  check_ok(&env, pl_gen_grid(&env, 2, 2, 1, 1, PL_CROSSED, &b));
  tool_shift(b, 1, 0, 0);
  tool_append(m, b);
  pl_mesh_free(b);
  check_ok(&env, pl_mesh_check(m));
  assert_int_equal(h.count[PL_WARNING], 1);
  assert_non_null(strstr(h.text, "3 duplicate vertices"));

  m->cell[PL_TRI3].n -= 4;
  check_ok(&env, pl_mesh_weld(m, 1e-9, NULL));
  check_ok(&env, pl_mesh_check(m));
  assert_int_equal(h.count[PL_WARNING], 2);
  assert_non_null(strstr(h.text, "2 vertices are used by no cell, first vertex 19"));
  pl_mesh_free(m);
}

int test_check(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sound_meshes),     cmocka_unit_test(indices_and_numbers),
      cmocka_unit_test(degenerate_cells), cmocka_unit_test(inverted_solids),
      cmocka_unit_test(warnings),
  };
  return cmocka_run_group_tests_name("mesh.check", tests, NULL, NULL);
}
