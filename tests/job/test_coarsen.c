// coarsen: voxels of a strip, beside the tabulated frequencies of fully integrated hexahedra.
#include "check.h"

#include "pliant/job.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAD                                                                                       \
  "pliant: 1\nunits: {length: mm}\n"                                                               \
  "materials:\n  rigur: {young: 1.66 GPa, poisson: 0.45, density: 1205 kg/m^3}\n"

static pl_env env;

static void keep(void *ctx, const pl_analysis *a, const struct json_t *f) {
  (void)a;
  *(json_t **)ctx = json_deep_copy(f);
}

static json_t *run(const char *text) {
  pl_scene *s;
  pl_job_result r;
  json_t *out = NULL;
  check_ok(&env, pl_scene_parse(&env, "test.yaml", SOURCE_DIR "/scenes", text, strlen(text), 0,
                                NULL, NULL, &s));
  const pl_sink sink = {.ctx = &out, .figures = keep};
  check_ok(&env, pl_job_run(&env, s, &(pl_job_opts){.threads = 1, .sink = &sink}, &r));
  pl_scene_free(s);
  assert_non_null(out);
  return out;
}

static double value(const json_t *f, const char *list, size_t i, const char *key) {
  return json_number_value(json_object_get(json_array_get(json_object_get(f, list), i), key));
}

// contact-stepping 8.12: cubes of 1.5 mm and half of it, E = 1.66e9, nu = 0.45, rho = 1205
static void tabulated(void **state) {
  (void)state;
  static const double want[2][6] = {{447.7, 1314.0, 2771.7, 2838.2, 6987.4, 7679.1},
                                    {368.1, 1262.3, 2278.6, 2758.4, 6298.6, 6725.4}};
  for (int k = 0; k < 2; k++) {
    char text[1000];
    snprintf(text, sizeof text,
             HEAD "bodies: [{name: strip, solid: {mesh: {voxels: {file: meshes/strip.obj, size: "
                  "%g}}, formulation: plain, material: rigur}}]\nfixed: strip group left\n"
                  "analyses: [{modes: {count: 6}}]\n",
             1.5 / (k + 1));
    json_t *f = run(text);
    for (size_t i = 0; i < 6; i++)
      check_close(json_number_value(json_array_get(json_object_get(f, "frequency_Hz"), i)),
                  want[k][i], 0.051);
    json_decref(f);
  }
}

// one modulus makes the first frequency right; of plain hexahedra it leaves those across off
static void one_modulus(void **state) {
  (void)state;
  for (int plain = 0; plain < 2; plain++) {
    char text[1000];
    snprintf(text, sizeof text,
             HEAD "bodies: [{name: strip, solid: {mesh: {voxels: {file: meshes/strip.obj, size: "
                  "0.75}}, material: rigur}}]\nfixed: strip where x < 0.1\n"
                  "analyses: [{coarsen: {coarsest: 1.5, plain: %s, trials: 1}}]\n",
             plain ? "yes" : "no");
    json_t *f = run(text);
    assert_true(json_is_true(json_object_get(f, "found")));
    assert_int_equal(json_integer_value(json_object_get(f, "fine_voxels")), 640);
    assert_int_equal(json_integer_value(json_object_get(f, "voxels")), 80);
    check_close(value(f, "modes", 0, "error_after"), 0, 1e-8);
    double E =
        json_number_value(json_object_get(json_object_get(f, "numerical_young_Pa"), "rigur"));
    // all eigenvalues go with the modulus
    for (size_t i = 0; i < 4; i++)
      check_rel((1 + value(f, "modes", i, "error")) * sqrt(E / 1.66e9),
                1 + value(f, "modes", i, "error_after"), 1e-7);
    // 447.68 / 324.15 Hz of the table above, and of default hexahedra 322.63
    check_close(value(f, "modes", 0, "error"), plain ? 447.6812 / 324.1487 - 1 : -0.00467, 1e-4);
    check_less(fabs(value(f, "modes", 1, "error_after")), plain ? 0.25 : 0.02);
    if (plain) check_less(value(f, "modes", 1, "error_after"), -0.2);
    check_less(value(f, "modes", 0, "distance"), 0.05);
    check_less(0.99, value(f, "modes", 0, "mac"));
    json_decref(f);
  }
}

// what it looks at is the body without obstacles, as modes do
static void beside_obstacles(void **state) {
  (void)state;
  static const char *const obstacles[] = {
      "", "obstacles: [{plane: {normal: [0, 0, 1]}, friction: 0.5}]\ncontact: {nodes: strip}\n"};
  double modulus[2];
  for (int k = 0; k < 2; k++) {
    char text[1000];
    snprintf(text, sizeof text,
             HEAD "bodies: [{name: strip, solid: {mesh: {voxels: {file: meshes/strip.obj, size: "
                  "0.75}}, material: rigur}}]\n%sanalyses: [{coarsen: {coarsest: 1.5, trials: "
                  "1}}]\n",
             obstacles[k]);
    json_t *f = run(text);
    assert_true(json_is_true(json_object_get(f, "found")));
    modulus[k] =
        json_number_value(json_object_get(json_object_get(f, "numerical_young_Pa"), "rigur"));
    json_decref(f);
  }
  check_rel(modulus[1], modulus[0], 1e-12);
}

// two materials have a modulus each
static void two_moduli(void **state) {
  (void)state;
  static const char text[] =
      HEAD "  soft: {young: 0.4 GPa, poisson: 0.3, density: 1205 kg/m^3}\n"
           "bodies:\n  - name: strip\n    solid:\n"
           "      mesh: {voxels: {file: meshes/strip.obj, size: 0.75}}\n      material: rigur\n"
           "      regions: [{nodes: strip where x < 12.1, material: soft}]\n"
           "fixed: strip where x < 0.1\n"
           "analyses: [{coarsen: {coarsest: 1.5, plain: yes, trials: 1, tolerance: 0.2}}]\n";
  json_t *f = run(text);
  assert_true(json_is_true(json_object_get(f, "found")));
  double before = 0, after = 0;
  for (size_t i = 0; i < 4; i++) {
    before += pow(log1p(value(f, "modes", i, "error")), 2);
    after += pow(log1p(value(f, "modes", i, "error_after")), 2);
  }
  check_less(after, 0.5 * before);
  const json_t *young = json_object_get(f, "numerical_young_Pa");
  check_less(json_number_value(json_object_get(young, "rigur")), 1.66e9);
  check_less(json_number_value(json_object_get(young, "soft")), 0.4e9);
  json_decref(f);
}

// A measured vibration in place of the fine mesh: its modulus and damping come back.
static void measured(void **state) {
  (void)state;
  // what a modulus of 2 GPa and b = 1e-4 s make of the first mode of the fine mesh, 324.148714 Hz
  const double w = 6.283185307179586 * 324.1487142, E = 2e9, b = 1e-4;
  double lambda = w * w * E / 1.66e9, d = 0.5 * b * lambda;
  char text[1000];
  snprintf(text, sizeof text,
           HEAD "bodies: [{name: strip, solid: {mesh: {voxels: {file: meshes/strip.obj, size: "
                "0.75}}, material: rigur}}]\nfixed: strip where x < 0.1\n"
                "analyses: [{coarsen: {coarsest: 1.5, trials: 1, frequency: %.12g rad/s, decay: "
                "%.12g 1/s}}]\n",
           sqrt(lambda - d * d), d);
  json_t *f = run(text);
  const json_t *young = json_object_get(f, "identified_young_Pa");
  check_rel(json_number_value(json_object_get(young, "rigur")), E, 1e-6);
  check_rel(json_number_value(json_object_get(f, "stiffness_damping_s")), b, 1e-9);
  // the coarse mesh is softer by the ratio of one_modulus
  young = json_object_get(f, "numerical_young_Pa");
  check_rel(json_number_value(json_object_get(young, "rigur")), E * pow(1 - 0.004672, -2), 1e-4);
  check_close(value(f, "modes", 0, "error_after"), 0, 1e-7);
  json_decref(f);
}

// ---- a measured record ------------------------------------------------------------------------

#define RECORD "coarsen-record.csv"

// motion A exp(-d t) cos(w t) + offset over 0.05 s, still until the release, in mm, 5000 samples a
// second
static void write_record(double w, double d, double release) {
  FILE *f = fopen(RECORD, "w");
  assert_non_null(f);
  fprintf(f, "time_ms,tip_mm\n");
  for (int i = 0; i < 250; i++) {
    double t = fmax(2e-4 * i - release, 0);
    fprintf(f, "%.1f,%.12g\n", 0.2 * i, 31 + 0.7 * exp(-d * t) * cos(w * t));
  }
  fclose(f);
}

static pl_status try_record(json_t **out) {
  static const char text[] =
      HEAD "bodies: [{name: strip, solid: {mesh: {voxels: {file: " SOURCE_DIR
           "/scenes/meshes/strip.obj, size: 0.75}}, material: rigur}}]\n"
           "fixed: strip where x < 0.1\n"
           "analyses: [{coarsen: {coarsest: 1.5, trials: 1, record: " RECORD "}}]\n";
  pl_scene *s;
  pl_job_result r;
  *out = NULL;
  check_ok(&env, pl_scene_parse(&env, "test.yaml", ".", text, strlen(text), 0, NULL, NULL, &s));
  const pl_sink sink = {.ctx = out, .figures = keep};
  pl_status st = pl_job_run(&env, s, &(pl_job_opts){.threads = 1, .sink = &sink}, &r);
  pl_scene_free(s);
  return st;
}

// contact-stepping 8.2, from the motion itself: the modulus and damping that made it come back
static void recorded(void **state) {
  (void)state;
  const double w = 6.283185307179586 * 324.1487142, E = 2e9, b = 4e-5;
  double lambda = w * w * E / 1.66e9, d = 0.5 * b * lambda;
  json_t *f;
  write_record(sqrt(lambda - d * d), d, 0);
  check_ok(&env, try_record(&f));
  assert_non_null(f);
  const json_t *one = json_object_get(f, "record");
  check_rel(json_number_value(json_object_get(one, "decay_1_s")), d, 1e-7);
  check_rel(json_number_value(json_object_get(one, "offset")), 31, 1e-9);
  check_rel(value(one, "modes", 0, "amplitude"), 0.7, 1e-7);
  assert_int_equal(json_array_size(json_object_get(one, "modes")), 1);
  const json_t *young = json_object_get(f, "identified_young_Pa");
  check_rel(json_number_value(json_object_get(young, "rigur")), E, 1e-6);
  check_rel(json_number_value(json_object_get(f, "stiffness_damping_s")), b, 1e-7);
  json_decref(f);
  remove(RECORD);
}

static void bad_records(void **state) {
  (void)state;
  static const struct {
    double w, d, release;
    const char *what;
  } list[] = {{2000, -30, 0, "grows"},
              {2000, 0, 0, "does not decay"},
              {150, 10, 0, "fewer than two periods"},
              {0, 0, 0, "nothing moves"},
              {2000, 30, 0.01, "no free decay"}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    json_t *f;
    write_record(list[i].w, list[i].d, list[i].release);
    check_status(&env, try_record(&f), PL_E_INPUT);
    if (!strstr(env.error.text, list[i].what)) print_message("%s\n", env.error.text);
    assert_non_null(strstr(env.error.text, list[i].what));
    assert_true(env.error.hint[0] != 0);
    assert_non_null(strstr(env.error.file, RECORD));
    assert_int_equal(env.error.line, 2);
    json_decref(f);
  }
  remove(RECORD);
}

int test_coarsen(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tabulated),  cmocka_unit_test(one_modulus),
      cmocka_unit_test(two_moduli), cmocka_unit_test(beside_obstacles),
      cmocka_unit_test(measured),   cmocka_unit_test(recorded),
      cmocka_unit_test(bad_records)};
  return cmocka_run_group_tests_name("job.coarsen", tests, NULL, NULL);
}
