// Scenes with obstacles of every shape: masses that slide and rest on them, cloth that hangs over.
#include "check.h"

#include "pliant/job.h"
#include "pliant/report.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#define FOLDER "test_shapes.results"
static const double GRAVITY = 9.81;

static void run_text(pl_env *env, const char *text) {
  pl_scene *s;
  pl_job_result result;
  const pl_job_opts opts = {.folder = FOLDER, .threads = 1};
  pl_env_init(env);
  check_ok(env, pl_scene_parse(env, "test", ".", text, strlen(text), 0, NULL, NULL, &s));
  check_ok(env, pl_job_run(env, s, &opts, &result));
  pl_scene_free(s);
}

static double value(const pl_table *t, const char *name, int row) {
  int c = 0, w = pl_table_cols(t);
  while (c < w && strcmp(pl_table_name(t, c), name) != 0) c++;
  if (c == w) fail_msg("there is no column '%s'", name);
  return pl_table_data(t)[row * w + c];
}

// the force of an obstacle on the model at the end, upwards
static double lift(const char *obstacle) {
  json_error_t e;
  double f = NAN;
  json_t *all = json_load_file(FOLDER "/summary.json", 0, &e);
  assert_non_null(all);
  json_t *o = json_object_get(json_array_get(json_object_get(all, "analyses"), 0), "contact");
  o = json_object_get(json_object_get(json_object_get(o, "obstacles"), obstacle), "force_N");
  assert_non_null(o);
  f = json_number_value(json_array_get(o, 2));
  json_decref(all);
  return f;
}

// the picture of the end has lines behind the model
static void check_drawn(pl_env *env, const char *name) {
  char *text;
  size_t size;
  check_ok(env, pl_file_read(env, name, 0, &text, &size));
  int ghosts = 0;
  for (const char *at = text; (at = strstr(at, "pl-ghost\" fill")); at++) ghosts++;
  assert_true(ghosts >= 1);
  pl_free(env, text);
}

// the GLB file has the obstacles, and an animation of them when they move
static void check_glb(pl_env *env, const char *name, int moves) {
  char *text;
  size_t size;
  check_ok(env, pl_file_read(env, name, 0, &text, &size));
  // its JSON begins at byte 20
  assert_true(size > 20);
  assert_non_null(strstr(text + 20, "\"name\":\"obstacles\""));
  assert_int_equal(strstr(text + 20, "\"target\":{\"node\":1,") != NULL, moves);
  pl_free(env, text);
}

// ---- cylinder -----------------------------------------------------------------------------------

// A mass of velocity v on top of a smooth cylinder of radius R leaves it where
// cos = 2/3 + v^2/(3 g R), R that of its path; steps of 1 ms find the moment to 2 ms at 2.7 m/s.
static void slides_off(void **state) {
  (void)state;
  pl_env env;
  run_text(&env,
           "pliant: 1\nnodes: {p: [0, 0, 1.1]}\nmasses: [{node: p, mass: 2}]\n"
           "obstacles: [{name: bar, cylinder: {from: [0, -1, 0], to: [0, 1, 0], radius: 1}}]\n"
           "contact: {node: p, radius: 0.1}\ngravity: [0, 0, -9.81]\n"
           "initial: [{node: p, velocity: [0.5, 0, 0]}]\nwatch: {p: p}\n"
           "analyses: [{transient: {duration: 0.85, step: 1 ms}}]\n");
  pl_table *t;
  check_ok(&env, pl_table_read(&env, FOLDER "/transient.csv", &t));
  int row = 10;
  while (row < pl_table_rows(t) && value(t, "bar_normal", row) > 0) row++;
  assert_true(row < pl_table_rows(t));
  check_close(hypot(value(t, "p_x", row - 1), value(t, "p_z", row - 1)), 1.1, 1e-12);
  check_close(value(t, "p_z", row) / 1.1, 2.0 / 3 + 0.25 / (3 * GRAVITY * 1.1), 0.005);
  pl_table_free(t);
}

// Cloth over a bar is carried with its weight, to the accuracy of the drape.
static void cloth_over_bar(void **state) {
  (void)state;
  pl_env env;
  run_text(&env,
           "pliant: 1\nunits: {length: mm}\n"
           "materials: {c: {young: 1 MPa, poisson: 0.3, density: 300 kg/m^3}}\n"
           "bodies: [{name: cloth, shell: {mesh: {grid: {size: [200, 40], cells: [20, 4], pattern: "
           "alternating}}, translate: [-100, -20, 31], material: c, thickness: 1, limit: {stretch: "
           "1 %}}}]\n"
           "obstacles: [{name: bar, cylinder: {from: [0, -25, 0], to: [0, 25, 0], radius: 28, "
           "round: 2}, friction: 0.3}]\n"
           "contact: {nodes: cloth, radius: 0.5}\ngravity: [0, 0, -9.81 m/s^2]\n"
           "analyses: [drape: {}]\n");
  check_rel(lift("bar"), 0.2 * 0.04 * 0.001 * 300 * GRAVITY, 1e-3);
  check_drawn(&env, FOLDER "/drape-shape.svg");
  check_glb(&env, FOLDER "/drape.glb", 0);
}

static void moving_bar_is_shown(void **state) {
  (void)state;
  pl_env env;
  run_text(&env, "pliant: 1\nunits: {length: mm}\n"
                 "materials: {r: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
                 "bodies: [{name: b, solid: {formulation: plain, mass: lumped, mesh: {box: {size: "
                 "[20, 20, 20], cells: [2, 2, 2]}}, "
                 "material: r}}]\n"
                 "obstacles: [{cylinder: {from: [-8, 0, 10], to: [-8, 20, 10], radius: 5}, "
                 "velocity: [100 mm/s, 0, 0]}]\n"
                 "contact: {nodes: b}\nanalyses: [transient: {step: 1 ms, duration: 20 ms}]\n");
  check_glb(&env, FOLDER "/transient.glb", 1);
}

// ---- heightfield --------------------------------------------------------------------------------

// A ball of radius r in a trough of heights x^2/2, which a smooth field is: its middle swings like
// a pendulum of length 1 - r, longer by the amplitude's square/16 of second order. Two crossings of
// the middle tell half the period, between steps of 1 ms to 1e-6 s.
static void swings_in_trough(void **state) {
  (void)state;
  pl_env env;
  run_text(&env, "pliant: 1\nnodes: {p: [0.05, 0, 0.1014]}\nmasses: [{node: p, mass: 2}]\n"
                 "obstacles: [{name: trough, heightfield: {heights: [0.32, 0.18, 0.08, 0.02, 0, "
                 "0.02, 0.08, 0.18, 0.32], spacing: 0.2, smooth: yes, corner: [-0.8, 0, 0]}}]\n"
                 "contact: {node: p, radius: 0.1}\ngravity: [0, 0, -9.81]\nwatch: {p: p}\n"
                 "analyses: [{transient: {duration: 1.6, step: 1 ms}}]\n");
  pl_table *t;
  check_ok(&env, pl_table_read(&env, FOLDER "/transient.csv", &t));
  double cross[2] = {0};
  int n = 0;
  for (int row = 100; row < pl_table_rows(t) && n < 2; row++) {
    double a = value(t, "p_x", row - 1), b = value(t, "p_x", row);
    if ((a > 0) != (b > 0)) cross[n++] = value(t, "time", row - 1) + 0.001 * a / (a - b);
    assert_true(value(t, "trough_normal", row) > 0);
  }
  assert_int_equal(n, 2);
  check_rel(cross[1] - cross[0], acos(-1) * sqrt(0.9 / GRAVITY), 2e-3);
  pl_table_free(t);
}

// A soft block on uneven ground is carried with its weight; so is cloth that drapes a ridge.
static void rests_on_ground(void **state) {
  (void)state;
  pl_env env;
  run_text(&env, "pliant: 1\nunits: {length: mm}\n"
                 "materials: {r: {young: 0.5 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
                 "bodies: [{name: b, solid: {formulation: plain, mass: lumped, mesh: {box: {size: "
                 "[60, 40, 40], cells: [2, 2, 2]}}, "
                 "translate: [0, 0, 1], material: r}}]\n"
                 "obstacles: [{name: ground, heightfield: {heights: [[0, 0, 0.5], [0, 0.2, 0], "
                 "[0.3, 0, 0]], spacing: 40, corner: [-10, -10, 0]}, friction: 0.3}]\n"
                 "contact: {nodes: b group bottom}\ngravity: [0, 0, -9.81 m/s^2]\n"
                 "analyses: [{static: {}}]\n");
  check_rel(lift("ground"), 0.06 * 0.04 * 0.04 * 1000 * GRAVITY, 1e-9);
  check_drawn(&env, FOLDER "/static-shape.svg");
  run_text(
      &env,
      "pliant: 1\nunits: {length: mm}\n"
      "materials: {c: {young: 1 MPa, poisson: 0.3, density: 300 kg/m^3}}\n"
      "bodies: [{name: cloth, shell: {mesh: {grid: {size: [200, 40], cells: [20, 4], pattern: "
      "alternating}}, translate: [-100, -20, 32], material: c, thickness: 1, limit: {stretch: "
      "1 %}}}]\n"
      "obstacles: [{name: ridge, heightfield: {heights: [0, 0, 10, 30, 10, 0, 0], spacing: 30, "
      "smooth: yes, corner: [-90, 0, 0]}, friction: 0.3}]\n"
      "contact: {nodes: cloth, radius: 0.5}\ngravity: [0, 0, -9.81 m/s^2]\n"
      "analyses: [drape: {}]\n");
  check_rel(lift("ridge"), 0.2 * 0.04 * 0.001 * 300 * GRAVITY, 1e-3);
}

int test_shapes(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slides_off),          cmocka_unit_test(cloth_over_bar),
      cmocka_unit_test(moving_bar_is_shown), cmocka_unit_test(swings_in_trough),
      cmocka_unit_test(rests_on_ground),
  };
  return cmocka_run_group_tests_name("job.shapes", tests, NULL, NULL);
}
