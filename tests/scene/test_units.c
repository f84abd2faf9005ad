#include "messages.h"

#include "scene_impl.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

// `units:` of a scene: systems, and numbers without a unit that are easily taken for something else

static messages heard;

static void systems(void **state) {
  (void)state;
  // base: kg, m, s, rad
  static const struct {
    const char *text;
    double base[4];
  } good[] = {
      {"SI", {1, 1, 1, 1}},
      {"m-kg-s", {1, 1, 1, 1}},
      {"mm-N-MPa", {1e3, 1e-3, 1, 1}},
      {"N-mm", {1e3, 1e-3, 1, 1}},
      {"mm-t-s", {1e3, 1e-3, 1, 1}},
      {"mm-g-s", {1e-3, 1e-3, 1, 1}},
      {"mm-kg-ms", {1, 1e-3, 1e-3, 1}},
      {"mm-kN-GPa-ms", {1, 1e-3, 1e-3, 1}},
      {"cm-g-s", {1e-3, 1e-2, 1, 1}},
      {"MPa-mm-deg", {1e3, 1e-3, 1, 0.017453292519943295}},
      {"in-lbf-psi", {175.12683524647636, 0.0254, 1, 1}},
  };
  static const char *const wrong[] = {"m-N-MPa", "mm",     "mm-s", "si",          "mm-N-", "-mm",
                                      "mm--N",   "mm-N-5", "",     "mm-N-MPa-kg", "%-mm-N"};
  for (int k = 0; k < COUNT(good); k++) {
    unit_scale s;
    const char *why = unit_system_parse(good[k].text, &s);
    if (why) fail_msg("%s: %s", good[k].text, why);
    for (int i = 0; i < 4; i++) check_rel(s.base[i], good[k].base[i], 1e-14);
  }
  for (int k = 0; k < COUNT(wrong); k++) {
    unit_scale s;
    if (!unit_system_parse(wrong[k], &s)) fail_msg("'%s' was taken", wrong[k]);
  }
}

static pl_scene *load(pl_env *env, const char *fmt, const char *units) {
  char text[2048];
  pl_scene *s;
  messages_env(env, &heard);
  snprintf(text, sizeof text, fmt, units);
  if (pl_scene_parse(env, "t", ".", text, strlen(text), 0, NULL, NULL, &s) != PL_OK)
    fail_msg("%s", env->error.text);
  return s;
}

#define BEAM                                                                                       \
  "pliant: 1\n"                                                                                    \
  "%s\n"                                                                                           \
  "materials: {pla: {young: 3300, poisson: 0.3, density: 1.24e-9}}\n"                              \
  "bodies: [{name: b, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [100, 10, "     \
  "10], cells: [4, 1, 1]}}, material: "                                                            \
  "pla}}]\n"                                                                                       \
  "fixed: b group left\n"                                                                          \
  "loads: [{nodes: b group right, total: [0, 0, -100], harmonic: 1}]\n"                            \
  "watch: {tip: \"b nearest [100, 5, 5]\"}\n"                                                      \
  "analyses: [{response: {from: 1, to: 5}}]\n"

// what a system says is what the same scene in written units says
static void system_is_right(void **state) {
  (void)state;
  static const char written[] =
      "pliant: 1\n%s\n"
      "materials: {pla: {young: 3300 MPa, poisson: 0.3, density: 1240 kg/m^3}}\n"
      "bodies: [{name: b, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [100 mm, 10 "
      "mm, 10 mm], cells: [4, 1, 1]}}, "
      "material: pla}}]\n"
      "fixed: b group left\n"
      "loads: [{nodes: b group right, total: [0, 0, -100 N], harmonic: 1}]\n";
  pl_env env, other;
  pl_scene *a = load(&env, BEAM, "units: mm-N-MPa");
  assert_int_equal(heard.nwarning, 0);
  pl_scene *b = load(&other, written, "");
  assert_int_equal(heard.nwarning, 0);
  assert_int_equal(a->params->npar, b->params->npar);
  for (int k = 0; k < a->params->npar; k++) check_rel(a->params->par[k], b->params->par[k], 1e-12);
  for (int k = 0; k < a->params->nref; k++) check_rel(a->params->X[k], b->params->X[k], 1e-12);
  pl_scene_free(a);
  pl_scene_free(b);
}

static int heard_text(const char *want) {
  for (int k = 0; k < heard.n; k++)
    if (strstr(heard.d[k].text, want)) return 1;
  return 0;
}

static void bare_numbers_are_reported(void **state) {
  (void)state;
  pl_env env;
  // one warning a dimension; 1.24e-9 kg/mm^3 is 1.24 kg/m^3
  pl_scene_free(load(&env, BEAM, "units: {length: mm}"));
  assert_int_equal(heard.nwarning, 4);
  assert_true(heard_text("young: 3300 without a unit is 3300 kg/mm/s^2 = 3.3e+06 Pa (3.3 MPa)"));
  assert_true(heard_text("total (z): -100 without a unit is -100 kg.mm/s^2 = -0.1 N (-100 mN)"));
  assert_true(heard_text("density: 1.24e-09 without a unit is 1.24e-09 kg/mm^3 = 1.24 kg/m^3"));
  assert_true(heard_text("from: 1 without a unit is 1 rad/s (0.159155 Hz); 1 more like it"));
  for (int k = 0; k < heard.n; k++)
    assert_non_null(strstr(heard.d[k].hint, k == 3 ? "'1 Hz'" : "units: mm-N-MPa"));

  // units of the quantities, or a system with exceptions, say what is meant
  pl_scene_free(load(&env, BEAM,
                     "units: {length: mm, stress: MPa, force: N, density: t/mm^3, frequency: Hz}"));
  assert_int_equal(heard.nwarning, 0);
  pl_scene *s = load(&env, BEAM, "units: {system: mm-N-MPa, frequency: Hz}");
  assert_int_equal(heard.nwarning, 0);
  check_rel(s->analysis[0].opts.response_.from, 6.283185307179586, 1e-15);
  pl_scene_free(s);
  pl_scene_free(load(&env, BEAM, "units: {length: mm, stress: MPa, force: N, density: t/mm^3}"));
  assert_int_equal(heard.nwarning, 1);
}

// numbers that mean the same in every unit, and plain lengths, masses, times
static void no_false_alarm(void **state) {
  (void)state;
  static const char text[] = "pliant: 1\n%s\ndimension: 2\n"
                             "nodes: {p: [0, 0], q: [10, 0]}\n"
                             "masses: [{node: p, mass: 3}]\n"
                             "loads: [{node: p, force: [0, 0]}]\n"
                             "damping: {mass: 0.5, stiffness: 0.01}\n"
                             "fixed: q\n"
                             "springs: [{nodes: [p, q], stiffness: 70 N/m}]\n";
  pl_env env;
  pl_scene_free(load(&env, text, "units: {length: mm, mass: g, time: ms}"));
  assert_int_equal(heard.nwarning, 0);
}

static void repository_scenes(void **state) {
  (void)state;
  static const char *const where[] = {SOURCE_DIR "/scenes/*.yaml", SOURCE_DIR "/scenes/*.json",
                                      SOURCE_DIR "/scenes/tutorial/*.yaml",
                                      SOURCE_DIR "/gallery/*/scene.yaml"};
  glob_t found = {0};
  for (int k = 0; k < COUNT(where); k++)
    assert_int_equal(glob(where[k], k ? GLOB_APPEND : 0, NULL, &found), 0);
  assert_true(found.gl_pathc > 40);
  for (size_t k = 0; k < found.gl_pathc; k++) {
    pl_env env;
    pl_scene *s;
    messages_env(&env, &heard);
    check_ok(&env, pl_scene_load(&env, found.gl_pathv[k], 0, NULL, &s));
    if (heard_text("without a unit")) fail_msg("%s: %s", found.gl_pathv[k], heard.d[0].text);
    pl_scene_free(s);
  }
  globfree(&found);
  for (int k = 0; k < pl_scene_starter_count; k++) {
    pl_env env;
    pl_scene *s;
    const char *text = pl_scene_starters[k].yaml;
    messages_env(&env, &heard);
    check_ok(&env, pl_scene_parse(&env, "t", ".", text, strlen(text), 0, NULL, NULL, &s));
    assert_int_equal(heard.nwarning, 0);
    pl_scene_free(s);
  }
}

// A unit that the table of somebody's kind has wrong is an error of the program, not an abort.
static void unknown_unit_of_a_kind(void **state) {
  (void)state;
  pl_env env;
  messages_env(&env, &heard);
  reader r = {.env = &env, .file = "t"};
  pl_node at = {.text = "3 mm", .line = 2, .col = 7};
  num value;
  assert_int_equal(read_num(&r, &at, "ring", "furlong", &value), 0);
  assert_int_equal(r.failed, PL_E_INTERNAL);
  assert_int_equal(env.error.line, 2);
  assert_non_null(strstr(env.error.text, "ring"));
  assert_non_null(strstr(env.error.text, "furlong"));
  r.failed = PL_OK;
  for (int k = 0; k < 4; k++) r.scale.base[k] = 1;
  assert_int_equal(read_num(&r, &at, "ring", "m", &value), 1);
  assert_int_equal(r.failed, PL_OK);
  check_rel(value.v, 3e-3, 1e-15);
}

int test_units(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(systems),
      cmocka_unit_test(system_is_right),
      cmocka_unit_test(bare_numbers_are_reported),
      cmocka_unit_test(no_false_alarm),
      cmocka_unit_test(repository_scenes),
      cmocka_unit_test(unknown_unit_of_a_kind),
  };
  return cmocka_run_group_tests_name("scene.units", tests, NULL, NULL);
}
