// Scenes with rods from start to end. A helical spring has the stiffness G d^4/(8 D^3 n) (Wahl,
// Mechanical Springs, 1963, eq. 5-9).
#include "check.h"

#include "pliant/job.h"
#include "pliant/report.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FOLDER "test_rod.results"

static const char forked[] =
    "pliant: 1\nunits: {length: mm, mass: g}\n"
    "materials: {m: {young: 1 GPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
    "parameters: {tip: {value: 2, min: 1.5, max: 2.5}, d: {value: 3, min: 2.9, max: 3.1}}\n"
    "weld: 0.01\n"
    "bodies:\n"
    "  - {name: a, rod: {mesh: {line: {from: [0, 0, 0], to: [40, 0, 0], segments: 2}}, material: "
    "m, section: {round: $d}}}\n"
    "  - {name: b, rod: {mesh: {points: {at: [[90, 30, 0], [40, 0, 0], [90, -20, 0]], segments: "
    "2}}, material: m, section: {rectangle: [2, 3]}}}\n"
    "masses: [{node: 'nearest [90, 30, 0]', mass: $tip}]\n"
    "drives: [{nodes: a group start, clamp: yes, rotation: {axis: [0, 1, 0.2], amplitude: 4 "
    "deg}}]\n"
    "gravity: [0, 0, -9.81 m/s^2]\n"
    "damping: {mass: 20 1/s, stiffness: 1e-4 s}\n"
    "watch: {tip: 'nearest [90, 30, 0]'}\n"
    "output: {frames: 3}\n"
    "analyses:\n"
    "  - static: {}\n"
    "  - modes: {count: 2, about: static}\n";
static const char rest[] =
    "  - transient: {frequency: 6 Hz, periods: 1, steps_per_period: 16, ramp: 0.1 s}\n"
    "  - periodic: {frequency: 6 Hz, harmonics: 3, newmark: yes}\n"
    "  - response: {from: 5 Hz, to: 7 Hz, harmonics: 2, stability: no}\n"
    "  - backbone: {mode: 1, harmonics: 3, amplitude: 3 mm}\n"
    "  - explore: {frequency: 6 Hz, harmonics: 3, variables: all, set: {tip: 2.2}}\n"
    "  - design: {frequency: 6 Hz, harmonics: 3, variables: all, objectives: [{amplitude: max, "
    "node: 'nearest [90, 30, 0]'}, {strain: 0.02}], response: no, max_iter: 3}\n";

static pl_status run(pl_env *env, void *ctx) {
  const char *text = ctx;
  pl_scene *scene = NULL;
  pl_job_result result;
  const pl_job_opts opts = {.folder = FOLDER, .threads = 1};
  pl_status s = pl_scene_parse(env, "test.yaml", ".", text, strlen(text), 0, NULL, NULL, &scene);
  if (s == PL_OK) s = pl_job_run(env, scene, &opts, &result);
  pl_scene_free(scene);
  return s;
}

static json_t *summary(void) {
  json_error_t error;
  json_t *root = json_load_file(FOLDER "/summary.json", 0, &error);
  assert_non_null(root);
  return root;
}

static void every_analysis(void **state) {
  (void)state;
  char text[4096];
  pl_env env;
  pl_env_init(&env);
  snprintf(text, sizeof text, "%s%s", forked, rest);
  check_ok(&env, run(&env, text));
  json_t *root = summary(), *list = json_object_get(root, "analyses"), *a;
  size_t i;
  assert_int_equal(json_array_size(list), 8);
  json_array_foreach(list, i, a)
      assert_string_equal(json_string_value(json_object_get(a, "status")), "done");
  // three harmonics against 256 and more steps of Newmark's method
  const json_t *newmark = json_object_get(json_array_get(list, 3), "newmark");
  check_less(json_real_value(json_object_get(newmark, "distance")), 5e-3);
  const json_t *design = json_array_get(list, 7);
  assert_true(json_is_true(json_object_get(design, "verified")));
  json_decref(root);
}

// the JSON of a GLB file, after 12 bytes of header, its own size and kind
static json_t *glb_json(pl_env *env, const char *name) {
  char path[256], *data;
  size_t size;
  uint32_t n;
  json_error_t error;
  snprintf(path, sizeof path, FOLDER "/%s", name);
  check_ok(env, pl_file_read(env, path, 0, &data, &size));
  memcpy(&n, data + 12, sizeof n);
  json_t *root = json_loadb(data + 20, n, 0, &error);
  assert_non_null(root);
  pl_free(env, data);
  return root;
}

// six edges of eight sides, two triangles each; and fields in the VTU file
static void files(void **state) {
  (void)state;
  static const char *const names[] = {"static.glb", "modes-1.glb"};
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run(&env, (void *)(uintptr_t)forked));
  for (int k = 0; k < 2; k++) {
    json_t *root = glb_json(&env, names[k]);
    const json_t *mesh = json_array_get(json_object_get(root, "meshes"), 0);
    const json_t *tube = json_array_get(json_object_get(mesh, "primitives"), 0);
    size_t index = (size_t)json_integer_value(json_object_get(tube, "indices"));
    const json_t *accessor = json_array_get(json_object_get(root, "accessors"), index);
    assert_int_equal(json_integer_value(json_object_get(tube, "mode")), 4);
    assert_int_equal(json_integer_value(json_object_get(accessor, "count")), 6 * 8 * 2 * 3);
    json_decref(root);
  }
  char *text;
  size_t size;
  check_ok(&env, pl_file_read(&env, FOLDER "/static.vtu", 0, &text, &size));
  assert_non_null(strstr(text, "Name=\"strain\""));
  assert_non_null(strstr(text, "Name=\"curvature\""));
  pl_free(&env, text);
}

static void helical_spring(void **state) {
  (void)state;
  const pl_job_opts opts = {.folder = FOLDER, .threads = 1};
  const char *const less[] = {"output.plots=no", "output.glb=no", "output.vtu=no",
                              "analyses.transient.duration=10ms"};
  pl_env env;
  pl_scene *scene;
  pl_job_result result;
  pl_env_init(&env);
  check_ok(&env, pl_scene_load(&env, SOURCE_DIR "/scenes/rod-spring.yaml", 4, less, &scene));
  check_ok(&env, pl_job_run(&env, scene, &opts, &result));
  json_t *root = summary();
  const json_t *list = json_object_get(root, "analyses"), *modes = json_array_get(list, 1);
  const json_t *u = json_object_get(json_array_get(list, 0), "displacement_m");
  double z = json_real_value(json_array_get(json_object_get(u, "weight"), 2));
  // with half the weight of the coils, 3.9 g; the formula leaves out bending, the rise and the arms
  double k = 208e9 / 2.6 * 1e-12 / (8 * 8e-6 * 10), load = 9.81 * (0.1 + 0.5 * 0.0039);
  check_rel(-z, load / k, 0.02);
  // the third: it swings to two sides first, like a pendulum
  double f = json_real_value(json_array_get(json_object_get(modes, "frequency_Hz"), 2));
  check_rel(f, sqrt(k / (0.1 + 0.0039 / 3)) / (2 * 3.14159265358979), 0.02);
  json_decref(root);
  pl_scene_free(scene);
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(run, (void *)(uintptr_t)forked);
}

int test_rod(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_analysis),
      cmocka_unit_test(files),
      cmocka_unit_test(helical_spring),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("job.rod", tests, NULL, NULL);
}
