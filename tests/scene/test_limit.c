// Limits of stretch in scenes: what they become, and what is only warned of.
#include "messages.h"

#include "pliant/math.h"
#include "pliant/scene.h"

#include <stdio.h>
#include <string.h>

static messages heard;

static const double DEGREE = PL_PI / 180;
static const double EXACT = 1e-14; // a few roundings of numbers near one

#define SHEET(keys)                                                                                \
  "pliant: 1\nmaterials: {m: {young: 1 MPa, density: 300}}\n"                                      \
  "bodies: [{name: b, shell: {mesh: {grid: {size: [1, 1], cells: [2, 2], pattern: right}}, "       \
  "material: m, thickness: 1 mm, " keys "}}]\n"
#define MOVES(method) "analyses: [{transient: {duration: 1, step: 0.01, method: " method "}}]\n"

static pl_scene *scene(pl_env *env, const char *text) {
  pl_scene *s;
  messages_env(env, &heard);
  if (pl_scene_parse(env, "t", SOURCE_DIR "/tests/scene", text, strlen(text), 0, NULL, NULL, &s) !=
      PL_OK)
    fail_msg("%d:%d: %s", env->error.line, env->error.col, env->error.text);
  return s;
}

static pl_scene *limited(pl_env *env) {
  pl_scene *s;
  messages_env(env, &heard);
  check_ok(env, pl_scene_load(env, SOURCE_DIR "/tests/scene/limited.yaml", 0, NULL, &s));
  return s;
}

// ---- limits -------------------------------------------------------------------------------------

static void one_strain(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = scene(&env, SHEET("limit: {stretch: 1 %}") "analyses: [drape]\n");
  assert_int_equal(heard.n, 0);
  assert_int_equal(s->sheet.nvert, 9);
  assert_int_equal(s->sheet.ntri, 8);
  assert_int_equal(s->sheet.nlimit, 1);
  assert_null(s->sheet.weight);
  for (int k = 0; k < 36; k++)
    check_close(pl_limit_stretch(&s->sheet.limit[0], k * 5 * DEGREE), 1.01, EXACT);
  for (int e = 0; e < 8; e++) {
    assert_int_equal(s->sheet.limit_of[e], 0);
    assert_int_equal(s->sheet_cell[e], e);
    assert_memory_equal(s->sheet.tri + 3 * e, s->mesh->cell[PL_TRI3].v + 3 * e, 3 * sizeof(int));
  }
  for (int i = 0; i < 9; i++) assert_int_equal(s->sheet.fixed[i], 0);
  assert_string_equal(s->limit_note[0].name, "b");
  assert_string_equal(s->limit_note[0].text, "1 % in all directions");
  assert_int_equal(s->limit_note[0].curve.n, 0);
  pl_text t;
  pl_text_init(&t, &env);
  pl_scene_describe(s, &t);
  assert_non_null(strstr(t.s, "limit      b: 1 % in all directions\n"));
  pl_text_free(&t);
  pl_scene_free(s);
}

static void ellipses(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = scene(&env, SHEET("limit: {warp: 2 %, weft: 0.1, angle: 30 deg}"));
  const pl_limit *l = &s->sheet.limit[0];
  // the square of an ellipse's stretch is a mean of those along its axes
  double between = sqrt(1.02 * 1.02 * 0.75 + 1.1 * 1.1 * 0.25);
  check_close(pl_limit_stretch(l, 30 * DEGREE), 1.02, EXACT);
  check_close(pl_limit_stretch(l, 120 * DEGREE), 1.1, EXACT);
  check_close(pl_limit_stretch(l, 60 * DEGREE), between, EXACT);
  check_close(pl_limit_stretch(l, 0), between, EXACT);
  assert_string_equal(s->limit_note[0].text, "2 % along warp, 10 % along weft, turned by 30 deg");
  pl_scene_free(s);

  s = limited(&env);
  l = &s->sheet.limit[0];
  check_close(pl_limit_stretch(l, 30 * DEGREE), 1.01, EXACT);
  check_close(pl_limit_stretch(l, 120 * DEGREE), 1.1, EXACT);
  check_close(pl_limit_stretch(l, 75 * DEGREE), 1.04, EXACT);
  // a quadratic form: squares along the two bisectors add up to those along the axes
  check_close(pl_limit_stretch(l, -15 * DEGREE), sqrt(1.01 * 1.01 + 1.1 * 1.1 - 1.04 * 1.04),
              EXACT);
  pl_scene_free(s);
}

// the file has 180 deg as well, which is 0
static void curves(void **state) {
  (void)state;
  static const double strain[] = {5, 8, 12, 10, 20, 9};
  pl_env env;
  pl_scene *s = limited(&env);
  assert_int_equal(heard.n, 0);
  const pl_limit *l = &s->sheet.limit[1];
  const pl_polar *c = &s->limit_note[1].curve;
  assert_int_equal(c->n, 6);
  assert_int_equal(l->ndirection, 6);
  assert_int_equal(l->nellipse, 0);
  for (int i = 0; i < 6; i++) {
    check_close(c->angle[i], 30 * i * DEGREE, EXACT);
    check_close(c->stretch[i], 1 + strain[i] / 100, EXACT);
    check_less(l->bound[i], pl_polar_at(c, l->angle[i]) + EXACT);
    assert_true(l->bound[i] > 1);
  }
  assert_string_equal(s->limit_note[1].text, "curve polar.csv in 6 guarded directions");

  // turned by 10 deg, and nowhere beyond the curve
  l = &s->sheet.limit[3];
  c = &s->limit_note[3].curve;
  assert_int_equal(l->nellipse, 1);
  check_close(c->angle[0], 10 * DEGREE, EXACT);
  for (int k = 0; k < 180; k++)
    check_less(pl_limit_stretch(l, k * DEGREE), pl_polar_at(c, k * DEGREE) + 1e-9);
  pl_scene_free(s);

  s = scene(&env, SHEET("limit: {curve: polar.csv, directions: 4}"));
  l = &s->sheet.limit[0];
  // 0, 45, 90 and 135 deg: as it is, and half way between neighbours
  static const double sampled[] = {1.05, 1.10, 1.10, 1.145};
  assert_int_equal(l->ndirection, 4);
  for (int i = 0; i < 4; i++) {
    int k = (int)lround(fmod(l->angle[i], PL_PI) / (45 * DEGREE));
    check_close(l->bound[i], sampled[k], EXACT);
  }
  pl_scene_free(s);
}

// ---- bodies and regions -------------------------------------------------------------------------

static void regions(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = limited(&env);
  const pl_sheet_desc *d = &s->sheet;
  static const char *const names[] = {"towel", "towel-1", "towel-2", "flag-1"};
  // 8 triangles of the towel: two in the corner, two above it, the rest; and both of the flag
  int count[4] = {0};
  assert_int_equal(d->nlimit, 4);
  assert_int_equal(d->ntri, 10);
  for (int e = 0; e < d->ntri; e++) count[d->limit_of[e]]++;
  assert_int_equal(count[0], 4);
  assert_int_equal(count[1], 2);
  assert_int_equal(count[2], 2);
  assert_int_equal(count[3], 2);
  for (int k = 0; k < 4; k++) assert_string_equal(s->limit_note[k].name, names[k]);
  // the loose sheet's two triangles stand between them in the mesh
  for (int e = 0; e < 10; e++) {
    assert_int_equal(s->sheet_cell[e], e < 8 ? e : e + 2);
    assert_memory_equal(d->tri + 3 * e, s->mesh->cell[PL_TRI3].v + 3 * s->sheet_cell[e],
                        3 * sizeof(int));
  }
  int held = 0, partly = 0;
  for (int i = 0; i < d->nvert; i++) {
    held += d->fixed[i] == 7;
    partly += d->fixed[i] == 5;
  }
  assert_int_equal(held, 2);
  assert_int_equal(partly, 3);
  pl_scene_free(s);
}

// every edge of triangle e along the first axis, and its length, against the world's
static void check_axis(const pl_scene *s, int e, const double warp[3]) {
  const int *v = s->sheet.tri + 3 * e;
  const double *rest = s->sheet.rest + 6 * e;
  for (int i = 0; i < 3; i++) {
    int k = (i + 1) % 3;
    double world[3], u = rest[2 * k] - rest[2 * i], w = rest[2 * k + 1] - rest[2 * i + 1];
    pl_sub3(s->mesh->X + 3 * v[k], s->mesh->X + 3 * v[i], world);
    check_close(u, pl_dot3(world, warp), EXACT);
    check_close(hypot(u, w), pl_norm3(world), EXACT);
  }
}

static void axes(void **state) {
  (void)state;
  static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, slant[3] = {0.6, 0.8, 0};
  pl_env env;
  pl_scene *s = limited(&env);
  for (int e = 0; e < 8; e++) check_axis(s, e, x);
  // rotate turns the axis with the mesh
  for (int e = 8; e < 10; e++) check_axis(s, e, y);
  pl_scene_free(s);

  s = scene(&env, SHEET("limit: {warp: 2 %, weft: 5 %}, warp: [3, 4, 0]"));
  assert_int_equal(heard.n, 0);
  for (int e = 0; e < 8; e++) check_axis(s, e, slant);
  pl_scene_free(s);

  s = scene(&env, SHEET("limit: {warp: 2 %, weft: 5 %}, warp: [0, 0, 1]"));
  assert_int_equal(heard.nwarning, 1);
  assert_non_null(strstr(heard.d[0].text, "right angles to 8 of its 8 triangles"));
  pl_scene_free(s);
}

// ---- analyses -----------------------------------------------------------------------------------

static void plans(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = limited(&env);
  const pl_cloth_plan *drape = s->analysis[0].cloth, *moves = s->analysis[1].cloth;
  assert_int_equal(s->analysis[0].kind, PL_ANALYSIS_drape);
  assert_int_equal(drape->plain, 0);
  check_close(drape->project.gap, 1e-6, 0);
  assert_int_equal(moves->plain, 1);
  check_close(moves->project.gap, 1e-4, 0);
  assert_int_equal(moves->nmethod, 2);
  assert_int_equal(moves->method[0], PL_IMPLICIT_EULER);
  assert_int_equal(moves->method[1], PL_COUPLED);
  assert_int_equal(moves->nstep, 2);
  check_close(moves->step[0], 2e-3, 1e-18);
  check_close(moves->step[1], 2e-2, 1e-18);
  pl_scene_free(s);
  // a motion may begin where a drape ends
  s = scene(&env, SHEET("limit: {stretch: 1 %}") "fixed: b group left\nanalyses: [drape, "
                                                 "{transient: {about: drape, duration: 1, step: "
                                                 "0.01, method: project}}]\n");
  assert_int_equal(s->analysis[1].about, 0);
  pl_scene_free(s);
}

static void warnings(void **state) {
  (void)state;
  static const struct {
    const char *text, *want;
  } cases[] = {
      {SHEET("limit: {stretch: 1 %}") MOVES("implicit-euler"),
       "method 'implicit-euler' does not keep the limits of stretch"},
      {SHEET("limit: {stretch: 1 %}") "analyses: [modes]\n",
       "modes does not know limits of stretch"},
      {SHEET("limit: {stretch: 1 %}") "analyses: [static]\n",
       "static does not know limits of stretch"},
      {SHEET("limit: {stretch: 1.01}"), "a limit of 101 % is unusual"},
      {SHEET("limit: {stretch: 1e-4}"), "a limit of 0.01 % is unusual"},
  };
  pl_env env;
  for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++) {
    pl_scene *s = scene(&env, cases[k].text);
    assert_int_equal(heard.nwarning, 1);
    if (!strstr(heard.d[0].text, cases[k].want)) fail_msg("%s", heard.d[0].text);
    pl_scene_free(s);
  }
  static const char *const silent[] = {
      MOVES("project"), MOVES("reflect"), MOVES("bdf2-project"), MOVES("bdf2-reflect"),
      MOVES("coupled"), MOVES("newmark"), MOVES("bdf2"),         "analyses: [drape]\n"};
  for (int k = 0; k < (int)(sizeof silent / sizeof *silent); k++) {
    char text[1024];
    snprintf(text, sizeof text, "%s%s", SHEET("limit: {stretch: 1 %}"), silent[k]);
    pl_scene_free(scene(&env, text));
    assert_int_equal(heard.n, 0);
  }
}

// the scene as run loads to the same sheet, also elsewhere
static void as_run(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = limited(&env), *again;
  pl_text t;
  pl_text_init(&t, &env);
  pl_scene_write(s, &t);
  check_ok(&env, pl_scene_parse(&env, "t", "/", t.s, t.n, 0, NULL, NULL, &again));
  assert_int_equal(again->sheet.nlimit, s->sheet.nlimit);
  assert_int_equal(again->sheet.ntri, s->sheet.ntri);
  check_array(6 * s->sheet.ntri, again->sheet.rest, s->sheet.rest, 0);
  check_array(6, again->sheet.limit[1].bound, s->sheet.limit[1].bound, 0);
  pl_text_free(&t);
  pl_scene_free(again);
  pl_scene_free(s);
}

static pl_status load(pl_env *env, void *ctx) {
  pl_scene *s;
  PL_TRY(pl_scene_load(env, ctx, 0, NULL, &s));
  pl_scene_free(s);
  return PL_OK;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(load, SOURCE_DIR "/tests/scene/limited.yaml");
}

int test_limit(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_strain), cmocka_unit_test(ellipses), cmocka_unit_test(curves),
      cmocka_unit_test(regions),    cmocka_unit_test(axes),     cmocka_unit_test(plans),
      cmocka_unit_test(warnings),   cmocka_unit_test(as_run),   cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("scene.limit", tests, NULL, NULL);
}
