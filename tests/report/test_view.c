#include "check.h"
#include "report_impl.h"

#include <math.h>
#include <stdlib.h>

#include "xml.h"

static void well_formed(const pl_text *t) {
  const char *wrong = xml_wrong(t->s);
  if (wrong) fail_msg("not well-formed: %s", wrong);
  assert_null(strstr(t->s, "nan"));
}

static pl_text draw(pl_env *env, const pl_mesh *m, const pl_view *v) {
  pl_text t;
  pl_text_init(&t, env);
  check_ok(env, pl_view_svg(&t, m, v));
  well_formed(&t);
  return t;
}

static pl_mesh *segments(pl_env *env, int nvert, const double (*X)[3], int nseg, const int *seg) {
  pl_mesh *m;
  check_ok(env, pl_mesh_create(env, "test", nvert, &m));
  check_ok(env, pl_mesh_set_cells(m, PL_SEG2, nseg));
  for (int k = 0; k < 3 * nvert; k++) m->X[k] = X[k / 3][k % 3];
  for (int k = 0; k < 2 * nseg; k++) m->cell[PL_SEG2].v[k] = seg[k];
  return m;
}

// a box shows three of its sides, each hexahedron's face whole: no diagonals
static void box_sides(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int n[3] = {3, 2, 4};
  const double l[3] = {0.3, 0.25, 0.4};
  pl_mesh *m;
  check_ok(&env, pl_gen_hex_box(&env, n, l, &m));
  pl_text t = draw(&env, m, NULL);
  int faces = xml_count(t.s, "<path fill=\"#");
  assert_int_equal(faces, 3 * 2 + 2 * 4 + 3 * 4);
  double p[8][2];
  int nmove;
  const char *at = strstr(strstr(t.s, "<path fill=\"#"), " d=\"") + 4;
  assert_int_equal(xml_path(at, 8, p, &nmove), 4);
  pl_text_free(&t);
  pl_mesh_free(m);

  // tetrahedra: two triangles for each
  check_ok(&env, pl_gen_tet_box(&env, n, l, &m));
  t = draw(&env, m, NULL);
  assert_int_equal(xml_count(t.s, "<path fill=\"#"), 2 * faces);
  pl_text_free(&t);
  pl_mesh_free(m);
}

// of two triangles one above the other, looked at along z, the upper is drawn last
static void nearer_is_later(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (int rot = 0; rot < 2; rot++) {
    pl_mesh *m;
    check_ok(&env, pl_mesh_create(&env, "two", 6, &m));
    check_ok(&env, pl_mesh_set_cells(m, PL_TRI3, 2));
    for (int k = 0; k < 6; k++) {
      int upper = (k / 3) ^ rot;
      m->X[3 * k] = (k % 3 == 1) + 3 * upper;
      m->X[3 * k + 1] = k % 3 == 2;
      m->X[3 * k + 2] = upper;
      m->cell[PL_TRI3].v[k] = k;
    }
    pl_text t = draw(&env, m, &(pl_view){.flat = 1});
    double p[2][4][2];
    const char *at = t.s;
    for (int k = 0; k < 2; k++) {
      int nmove;
      at = strstr(strstr(at, "<path fill=\"#"), " d=\"") + 4;
      assert_int_equal(xml_path(at, 4, p[k], &nmove), 3);
    }
    // the upper one lies to the right
    assert_true(p[1][0][0] > p[0][0][0]);
    pl_text_free(&t);
    pl_mesh_free(m);
  }
}

// lengths in the picture: two segments, the scale bar, the direction of y
static void scale_is_true(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const double X[3][3] = {{0, 0, 0}, {0.5, 0, 0}, {0.5, 0.25, 0}};
  pl_mesh *m = segments(&env, 3, X, 2, (int[]){0, 1, 1, 2});
  pl_text t = draw(&env, m, &(pl_view){.title = "bars"});
  double a[2][2], b[2][2], bar[6][2];
  int nmove;
  const char *at = strstr(t.s, "class=\"pl-seg\"");
  xml_path(strstr(at, " d=\"") + 4, 2, a, &nmove);
  at = strstr(at + 1, "class=\"pl-seg\"");
  xml_path(strstr(at, " d=\"") + 4, 2, b, &nmove);
  double scale = (a[1][0] - a[0][0]) / 0.5;
  check_close(fabs(b[1][1] - b[0][1]), 0.25 * scale, 0.05);
  // y is up: smaller pixel numbers
  assert_true(fmin(b[0][1], b[1][1]) < a[0][1] - 10);
  assert_non_null(strstr(t.s, ">100 mm</text>"));
  for (at = t.s; strstr(at + 1, "class=\"pl-tool\"");) at = strstr(at + 1, "class=\"pl-tool\"");
  assert_int_equal(xml_path(strstr(at, " d=\"") + 4, 6, bar, &nmove), 6);
  check_close(bar[3][0] - bar[2][0], 0.1 * scale, 0.15);
  assert_int_equal(xml_count(t.s, "class=\"pl-joint\""), 3);
  pl_text_free(&t);
  pl_mesh_free(m);
}

static void colours(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const double X[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  pl_mesh *m = segments(&env, 4, X, 2, (int[]){0, 1, 2, 3});
  const double value[] = {2e-3, 2e-3, 6e-3, 6e-3};
  pl_text t = draw(&env, m, &(pl_view){.colour = value, .colour_label = "u (m)"});
  // the ends of the map, on the two lines
  assert_non_null(strstr(t.s, "stroke=\"#440154\""));
  assert_non_null(strstr(t.s, "stroke=\"#fde725\""));
  assert_non_null(strstr(t.s, ">u (mm)</text>"));
  assert_non_null(strstr(t.s, ">4</text>"));
  pl_text_free(&t);
  // a given range, and values that are not there
  const double some[] = {NAN, NAN, 0.5, 0.5};
  t = draw(&env, m, &(pl_view){.colour = some, .lo = 0, .hi = 1});
  assert_non_null(strstr(t.s, "stroke=\"#21918c\""));
  pl_text_free(&t);
  const double none[] = {NAN, INFINITY, NAN, NAN};
  t = draw(&env, m, &(pl_view){.colour = none});
  pl_text_free(&t);
  pl_mesh_free(m);
}

// every triangle in the colour of its value; those of one colour in one path
static void faces_have_values(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_gen_grid(&env, 8, 8, 1, 1, PL_RIGHT, &m));
  enum { NTRI = 128 };
  assert_int_equal(m->cell[PL_TRI3].n, NTRI);
  double value[NTRI];
  for (int t = 0; t < NTRI; t++) value[t] = t < 100 ? 25 : t < 120 ? 99.5 : t < 126 ? 103 : NAN;
  pl_view v = {.face = value, .hi = 100, .limit = 100, .colour_label = "part (%)"};
  pl_text t = draw(&env, m, &v);
  // flat: one path for each of the four kinds, all triangles in them
  double p[3 * NTRI][2];
  int count[4], n = 0, sum = 0;
  for (const char *at = strstr(t.s, "<path fill=\"#"); at; at = strstr(at + 1, "<path fill=\"#")) {
    int nmove;
    xml_path(strstr(at, " d=\"") + 4, 3 * NTRI, p, &nmove);
    assert_in_range(n, 0, 3);
    count[n++] = nmove;
    sum += nmove;
  }
  assert_int_equal(n, 4);
  assert_int_equal(sum, NTRI);
  int found = 0;
  for (int k = 0; k < 4; k++)
    found |=
        (count[k] == 100) | (count[k] == 20) << 1 | (count[k] == 6) << 2 | (count[k] == 2) << 3;
  assert_int_equal(found, 15);
  assert_non_null(strstr(t.s, ">at limit</text>"));
  assert_non_null(strstr(t.s, ">beyond</text>"));
  pl_text_free(&t);

  // curved, and a range from the data: the colours of vertices do not count
  double *x = calloc(3 * (size_t)m->nvert, sizeof *x), vertex[81] = {0};
  for (int i = 0; i < m->nvert; i++) {
    x[3 * i] = m->X[3 * i];
    x[3 * i + 1] = m->X[3 * i + 1];
    x[3 * i + 2] = 0.2 * sin(3 * x[3 * i]);
  }
  v = (pl_view){.x = x, .face = value, .colour = vertex, .colour_label = "part"};
  t = draw(&env, m, &v);
  assert_null(strstr(t.s, "at limit"));
  assert_non_null(strstr(t.s, ">100</text>"));
  pl_text_free(&t);
  free(x);
  pl_mesh_free(m);
}

static void odd_shapes(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_mesh_create(&env, "nothing", 0, &m));
  pl_text t = draw(&env, m, NULL);
  assert_non_null(strstr(t.s, "nothing to draw"));
  pl_text_free(&t);
  pl_mesh_free(m);
  check_ok(&env, pl_mesh_create(&env, "point", 1, &m));
  t = draw(&env, m, &(pl_view){.mark = (int[]){0}, .nmark = 1});
  assert_int_equal(xml_count(t.s, "<circle"), 2);
  pl_text_free(&t);
  check_status(&env, pl_view_svg(&t, m, &(pl_view){.mark = (int[]){1}, .nmark = 1}), PL_E_ARG);
  assert_int_equal(t.n, 0);
  pl_mesh_free(m);

  // sizes near the ends of what doubles hold, and vertices that are nowhere
  for (int k = 0; k < 3; k++) {
    check_ok(&env, pl_gen_grid(&env, 4, 3, 1, 1, PL_CROSSED, &m));
    double *x = calloc(3 * (size_t)m->nvert, sizeof *x);
    for (int i = 0; i < 3 * m->nvert; i++)
      x[i] = m->X[i] * (k == 0 ? 1e300 : k == 1 ? 1e-300 : 1) + (i % 3 == 2 ? 0.1 * (i % 7) : 0);
    if (k == 2) x[7] = NAN;
    if (k == 2) x[21] = INFINITY;
    t = draw(&env, m, &(pl_view){.x = x, .ghost = m->X, .title = "odd <&>"});
    pl_text_free(&t);
    free(x);
    pl_mesh_free(m);
  }
}

static void large_is_thinned(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_gen_grid(&env, 200, 200, 1, 1, PL_CROSSED, &m));
  for (int i = 0; i < m->nvert; i++) m->X[3 * i + 2] = 0.1 * sin(9 * m->X[3 * i]);
  pl_text t = draw(&env, m, NULL);
  assert_in_range(xml_count(t.s, "<path color="), 4000, 12000);
  check_less((double)t.n, 1.2e6);
  pl_text_free(&t);
  pl_mesh_free(m);
}

// ---- memory -----------------------------------------------------------------------------------

static pl_status allocating(pl_env *env, void *ctx) {
  (void)ctx;
  const int n[3] = {2, 1, 1};
  const double l[3] = {0.2, 0.1, 0.1};
  pl_mesh *m = NULL;
  pl_text t;
  pl_text_init(&t, env);
  PL_TRY(pl_gen_hex_box(env, n, l, &m));
  double colour[12];
  for (int k = 0; k < 12; k++) colour[k] = k;
  pl_view v = {.ghost = m->X, .colour = colour, .colour_label = "c"};
  pl_status s = pl_view_svg(&t, m, &v);
  if (s != PL_OK) assert_int_equal(t.n, 0);
  pl_text_free(&t);
  pl_mesh_free(m);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(allocating, NULL);
}

// earlier moments are drawn as the last one is, where they were, and all fit
static void moments_stand_beside(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int n[3] = {1, 1, 1};
  const double l[3] = {1, 1, 1};
  pl_mesh *m;
  check_ok(&env, pl_gen_hex_box(&env, n, l, &m));
  pl_text one = draw(&env, m, &(pl_view){.width = 400, .height = 300});
  double x[3][8][3], p[8][2], left = INFINITY, right = -INFINITY;
  for (int k = 0; k < 72; k++)
    x[k / 24][k / 3 % 8][k % 3] = m->X[k % 24] + (k % 3 == 0) * 4.0 * (k / 24);
  pl_view v = {.width = 400, .height = 300, .x = &x[2][0][0], .nmoment = 2, .moment = &x[0][0][0]};
  pl_text all = draw(&env, m, &v);
  assert_int_equal(xml_count(one.s, "<path fill=\"#"), 3);
  assert_int_equal(xml_count(all.s, "<path fill=\"#"), 9);
  for (const char *at = all.s; (at = strstr(at, "<path fill=\"#")) != NULL; at++) {
    int nmove;
    xml_path(strstr(at, " d=\"") + 4, 8, p, &nmove);
    for (int k = 0; k < 4; k++) {
      left = fmin(left, p[k][0]);
      right = fmax(right, p[k][0]);
    }
  }
  assert_true(left >= 0 && right <= 400 && right - left > 250);
  pl_text_free(&one);
  pl_text_free(&all);
  pl_mesh_free(m);
}

int test_view(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(box_sides),
      cmocka_unit_test(nearer_is_later),
      cmocka_unit_test(scale_is_true),
      cmocka_unit_test(colours),
      cmocka_unit_test(odd_shapes),
      cmocka_unit_test(large_is_thinned),
      cmocka_unit_test(faces_have_values),
      cmocka_unit_test(failing_allocator),
      cmocka_unit_test(moments_stand_beside),
  };
  return cmocka_run_group_tests_name("report.view", tests, NULL, NULL);
}
