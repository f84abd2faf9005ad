// Scenes with obstacles from start to end: forces, motion and files.
#include "check.h"

#include "pliant/job.h"
#include "pliant/report.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FOLDER "test_contact.results"
static const double GRAVITY = 9.81;

static pl_status run_into(pl_env *env, pl_scene *s, const char *folder, int resume) {
  pl_job_result result;
  const pl_job_opts opts = {.folder = folder, .threads = 1, .resume = resume};
  pl_status st = pl_job_run(env, s, &opts, &result);
  pl_scene_free(s);
  return st;
}

static void run_set(pl_env *env, const char *scene, int nset, const char *const *set) {
  pl_scene *s;
  pl_env_init(env);
  check_ok(env, pl_scene_load(env, scene, nset, set, &s));
  check_ok(env, run_into(env, s, FOLDER, 0));
}

static void run_text(pl_env *env, const char *text) {
  pl_scene *s;
  pl_env_init(env);
  check_ok(env, pl_scene_parse(env, "test", ".", text, strlen(text), 0, NULL, NULL, &s));
  check_ok(env, run_into(env, s, FOLDER, 0));
}

// what was told, all of it
static char heard_text[4096];
static void hear(void *ctx, const pl_diag *d) {
  (void)ctx;
  size_t n = strlen(heard_text);
  snprintf(heard_text + n, sizeof heard_text - n, "%s (%s)\n", d->text, d->hint);
}

static pl_table *table(pl_env *env, const char *path) {
  pl_table *t;
  check_ok(env, pl_table_read(env, path, &t));
  return t;
}

// value of a column in a row, -1: the last row
static double value(const pl_table *t, const char *name, int row) {
  int c = 0, w = pl_table_cols(t);
  while (c < w && strcmp(pl_table_name(t, c), name) != 0) c++;
  if (c == w) fail_msg("there is no column '%s'", name);
  return pl_table_data(t)[(row < 0 ? pl_table_rows(t) - 1 : row) * w + c];
}

static json_t *figures(int analysis) {
  json_error_t e;
  json_t *all = json_load_file(FOLDER "/summary.json", 0, &e);
  assert_non_null(all);
  json_t *f = json_incref(json_array_get(json_object_get(all, "analyses"), (size_t)analysis));
  json_decref(all);
  assert_non_null(f);
  return f;
}

static double figure(const json_t *f, const char *obstacle, const char *key) {
  const json_t *c = json_object_get(f, "contact");
  if (obstacle) c = json_object_get(json_object_get(c, "obstacles"), obstacle);
  assert_non_null(json_object_get(c, key));
  return json_number_value(json_object_get(c, key));
}

// nodes that a drive holds in all directions, until it lets go, feel what they fall on
static void what_is_let_go_feels_obstacles(void **state) {
  (void)state;
  pl_env env;
  run_text(
      &env,
      "pliant: 1\n"
      "units: {length: mm}\n"
      "materials: {rubber: {young: 5 MPa, poisson: 0.3, density: 1100 kg/m^3}}\n"
      "bodies:\n"
      "  - name: block\n"
      "    solid: {mesh: {box: {size: [10, 10, 10], cells: [2, 2, 2]}}, material: rubber}\n"
      "obstacles: [{name: floor, plane: {through: [0, 0, -2], normal: [0, 0, 1]}}]\n"
      "contact: {nodes: block}\n"
      "gravity: [0, 0, -9.81 m/s^2]\n"
      "damping: {stiffness: 2 ms, mass: 100 1/s}\n"
      "drives: [{name: hand, nodes: block group bottom, translation: [0, 0, 1], harmonic: 0}]\n"
      "watch: {low: block nearest [0, 0, 0], middle: block nearest [0, 0, 5]}\n"
      "analyses:\n"
      "  - static: {name: lift}\n"
      "  - transient: {about: lift, change: {hand: off}, duration: 0.2 s, step: 1 ms, method: "
      "implicit-euler}\n");
  pl_table *t = table(&env, FOLDER "/transient.csv");
  // it lies there
  check_rel(value(t, "floor_normal", -1), 1e-6 * 1100 * GRAVITY, 1e-4);
  check_close(value(t, "low_z", -1), -2e-3, 1e-6);
  pl_table_free(t);
}

// a pusher that moves is part of the film; what is never touched has no plot; the summary says what
// was run and when
static void moving_pusher_is_shown(void **state) {
  (void)state;
  pl_env env;
  run_text(&env, "pliant: 1\ntitle: pushed\nunits: {length: mm}\n"
                 "materials: {r: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
                 "bodies: [{name: b, solid: {formulation: plain, mass: lumped, mesh: {box: {size: "
                 "[20, 20, 20], cells: [2, 2, 2]}}, "
                 "material: r}}]\n"
                 "obstacles:\n"
                 "  - {name: pusher, plane: {through: [-5, 0, 0], normal: [1, 0, 0]}, "
                 "velocity: [100 mm/s, 0, 0]}\n"
                 "  - {name: far, sphere: {centre: [0, 0, 300], radius: 5}}\n"
                 "contact: {nodes: b}\nwatch: {c: 'b nearest [0, 0, 0]'}\n"
                 "analyses: [transient: {step: 1 ms, duration: 60 ms}]\n");
  char *html;
  size_t size;
  check_ok(&env, pl_file_read(&env, FOLDER "/report.html", 0, &html, &size));
  assert_non_null(strstr(html, "Motion from 0 s to 0.06 s."));
  // where the page has a player
  if (strstr(html, "pl-player")) assert_non_null(strstr(html, "\"drift\":true"));
  assert_non_null(strstr(html, "contact with pusher"));
  assert_null(strstr(html, "contact with far"));
  assert_non_null(strstr(html, "<ul class=\"key\">"));
  assert_non_null(strstr(html, "<a href=\"transient.csv\">transient.csv</a>"));
  assert_null(strstr(html, "frame-0000.vtu"));
  pl_free(&env, html);
  json_error_t e;
  json_t *all = json_load_file(FOLDER "/summary.json", 0, &e);
  assert_int_equal(strlen(json_string_value(json_object_get(all, "date"))), 20);
  assert_non_null(json_object_get(all, "commit"));
  json_decref(all);
}

// mu = 0.3 < tan 30 deg: g (sin - mu cos) = 2.3562872 m/s^2 once the block has settled; second
// difference of a place that is written with all digits, over 50 ms. Newmark's steps are exact for
// a constant acceleration; what is left of the vibration after 0.3 s is below 1e-7.
static void incline_slides(void **state) {
  (void)state;
  pl_env env;
  run_set(&env, SOURCE_DIR "/scenes/incline.yaml", 0, NULL);
  pl_table *t = table(&env, FOLDER "/transient.csv");
  double c = sqrt(0.75), x[3], weight = 0.4 * GRAVITY;
  for (int i = 0; i < 3; i++) {
    int row = 300 + 50 * i;
    x[i] = value(t, "corner_x", row) * c - value(t, "corner_z", row) * 0.5;
  }
  check_rel((x[2] - 2 * x[1] + x[0]) / (0.05 * 0.05), 2.3562872, 1e-6);
  check_rel(value(t, "slope_normal", -1), weight * c, 1e-8);
  check_rel(value(t, "slope_friction", -1), 0.3 * weight * c, 1e-8);
  check_close(value(t, "contacts_slip", -1), 20, 0);
  pl_table_free(t);
  json_t *f = figures(0);
  check_close(figure(f, "slope", "slip"), 20, 0);
  check_less(figure(f, NULL, "worst_residual"), 1e-10);
  json_decref(f);
}

// mu = 0.6 > tan 30 deg: it stays. The kinetic energy of 0.4 kg at 1e-12 m/s is 2e-25 J.
static void incline_sticks(void **state) {
  (void)state;
  pl_env env;
  static const char *const set[] = {"obstacles.slope.friction=0.6"};
  run_set(&env, SOURCE_DIR "/scenes/incline.yaml", 1, set);
  pl_table *t = table(&env, FOLDER "/transient.csv");
  double weight = 0.4 * GRAVITY;
  check_less(value(t, "kinetic", -1), 2e-25);
  check_rel(value(t, "slope_friction", -1), 0.5 * weight, 1e-9);
  check_rel(value(t, "slope_normal", -1), sqrt(0.75) * weight, 1e-9);
  check_close(value(t, "contacts_stick", -1), 20, 0);
  pl_table_free(t);
}

// Friction without bound: nothing slides, at rest or in motion, though nodes take off and come down
// elsewhere in it.
static void nothing_slides_with_boundless_friction(void **state) {
  (void)state;
  pl_env env;
  static const char *const set[] = {
      "obstacles.slope.friction=1e6",
      "analyses=[static: {}, transient: {duration: 20 ms, step: 1 ms}]"};
  run_set(&env, SOURCE_DIR "/scenes/incline.yaml", 2, set);
  pl_table *t = table(&env, FOLDER "/static.csv");
  check_rel(value(t, "slope_friction", -1), 0.5 * 0.4 * GRAVITY, 1e-9);
  check_close(value(t, "contacts_stick", -1), 20, 0);
  check_close(value(t, "corner_x", -1), 0, 1e-15);
  pl_table_free(t);
  t = table(&env, FOLDER "/transient.csv");
  for (int i = 0; i < pl_table_rows(t); i++) check_close(value(t, "contacts_slip", i), 0, 0);
  pl_table_free(t);
}

#define SLAB(mu, push, analyses)                                                                   \
  "pliant: 1\nunits: {length: mm}\n"                                                               \
  "materials: {rubber: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"                      \
  "bodies: [{name: slab, solid: {mesh: {box: {size: [100, 80, 50], cells: [2, 2, 1]}}, "           \
  "formulation: plain, material: rubber}}]\n"                                                      \
  "obstacles: [{name: slope, plane: {normal: [0, 0, 1]}, friction: " mu "}]\n"                     \
  "contact: {nodes: slab group bottom}\n"                                                          \
  "gravity: [" push ", 0, -10 m/s^2]\nanalyses: [" analyses "]\n"

// what a static tells that does not converge, in `heard_text`
static void unsolved(pl_env *env, const char *text) {
  pl_scene *s;
  pl_env_init(env);
  heard_text[0] = 0;
  env->diag = hear;
  check_ok(env, pl_scene_parse(env, "test", ".", text, strlen(text), 0, NULL, NULL, &s));
  assert_int_equal(run_into(env, s, FOLDER, 0), PL_UNSOLVED);
}

// on a slope of 0.3 no friction below that holds a body; pushed by a force that grows to 0.3 of its
// weight (4 N), one with 0.2 slides from two thirds of it on
static void nothing_holds_on_a_slope(void **state) {
  (void)state;
  pl_env env;
  static const char *const friction[] = {SLAB("0", "3 m/s^2", "static: {}"),
                                         SLAB("0.2", "3 m/s^2", "static: {}")};
  for (int k = 0; k < 2; k++) {
    unsolved(&env, friction[k]);
    assert_non_null(strstr(heard_text, "static: no equilibrium under the full load: body 'slab' "
                                       "slides on obstacle 'slope'; friction of at least 0.3 "));
    assert_non_null(strstr(heard_text, "no equilibrium, a body slides at load factor 0;"));
  }
  run_text(&env, SLAB("0.301", "3 m/s^2", "static: {}"));
  unsolved(&env, SLAB("0.2", "0",
                      "static: {name: lie, change: {pull: off}}, static: {name: pull, about: lie, "
                      "change: {pull: on}}") "loads: [{name: pull, nodes: slab group left, total: "
                                             "[1.2 N, 0, 0]}]\n");
  assert_non_null(strstr(heard_text, "friction of at least 0.3 would be needed, there is 0.2"));
  json_t *f = figures(1);
  double reached = json_number_value(json_object_get(f, "load_factor"));
  check_less(reached, 2.0 / 3);
  check_less(0.66, reached);
  json_decref(f);
}

// adaptive steps are bounded by impact_step as those of one length are
static void adaptive_steps_resolve_impacts(void **state) {
  (void)state;
  pl_env env;
  double back[2];
  for (int k = 0; k < 2; k++) {
    char text[1200];
    snprintf(text, sizeof text,
             SLAB("0.3", "0",
                  "transient: {duration: 40 ms, step: 1 ms, tolerance: 1e-3, "
                  "impact_step: 0.05, adaptive: %s}") "initial: [{nodes: slab, velocity: [0, 0, "
                                                      "-0.5 m/s]}]\n"
                                                      "damping: {stiffness: 0.1 ms}\n",
             k ? "yes" : "no");
    run_text(&env, text);
    pl_table *t = table(&env, FOLDER "/transient-impacts.csv");
    check_less(value(t, "hc_L", 0), 0.05 * (1 + 1e-9));
    back[k] = value(t, "restitution", 0);
    pl_table_free(t);
  }
  check_rel(back[1], back[0], 0.02);
}

// What was pressed hard and let go: damping by a stiffness that stress makes indefinite drove it,
// so that no step was solved. Two methods lose energy at every time and leave at like speeds.
static void pressed_block_is_let_go(void **state) {
  (void)state;
  pl_env env;
  double last[2];
  for (int k = 0; k < 2; k++) {
    char text[1200];
    snprintf(text, sizeof text,
             "pliant: 1\nunits: {length: mm}\n"
             "materials: {r: {law: neo-hookean, young: 30 MPa, poisson: 0.4, density: 1200 "
             "kg/m^3}}\n"
             "bodies: [{name: b, solid: {mesh: {box: {size: [20, 8, 6], cells: [5, 2, 3]}}, "
             "material: r}}]\n"
             "obstacles: [{name: floor, plane: {normal: [0, 0, 1]}, friction: 0.5}]\n"
             "contact: {nodes: b}\ndamping: {stiffness: 0.1 ms}\ngravity: [0, 0, -9.81 m/s^2]\n"
             "drives: [{name: lid, nodes: \"b where z > 5.9\", fix: z, harmonic: 0, "
             "translation: [0, 0, -1.5]}]\nwatch: {corner: b nearest [0, 0, 0]}\n"
             "analyses: [{static: {name: press, steps: 4}}, {transient: {about: press, "
             "change: {lid: off}, method: %s, step: 5 us, duration: 0.3 ms}}]\n",
             k ? "bdf2" : "newmark");
    run_text(&env, text);
    pl_table *t = table(&env, FOLDER "/transient.csv");
    double loaded = value(t, "total", 0);
    for (int i = 1; i <= 60; i++) check_less(value(t, "total", i), loaded);
    check_less(value(t, "total", -1), 0.5 * loaded);
    last[k] = value(t, "kinetic", -1);
    pl_table_free(t);
  }
  // speeds: 17.4 and 16.8 m/s
  check_rel(sqrt(last[1]), sqrt(last[0]), 0.1);
}

// a soft wheel above the floor: statics closes the gap; reaction = weight, as residuals are 1e-10
static void wheel_rests(void **state) {
  (void)state;
  pl_env env;
  run_text(&env,
           "pliant: 1\ndimension: 2\n"
           "materials: {rubber: {young: 0.1 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
           "bodies: [{name: ball, plane: {mesh: {disk: {radius: 50 mm, rings: 6}}, translate: [0, "
           "60 mm], material: rubber, thickness: 10 mm}}]\n"
           "obstacles: [{name: floor, plane: {normal: [0, 1]}, friction: 0.5}]\n"
           "contact: {nodes: ball group rim}\ngravity: [0, -9.81 m/s^2]\n"
           "watch: {centre: ball group centre}\nanalyses: [{static: {}}]\n");
  // 36 sides inscribed: area n/2 sin(2 pi/n) R^2
  double mass = 1000 * 0.01 * 18 * sin(2 * acos(-1) / 36) * 0.05 * 0.05;
  json_t *f = figures(0);
  check_rel(figure(f, "floor", "normal_N"), mass * GRAVITY, 1e-9);
  check_less(figure(f, "floor", "friction_N"), 1e-9);
  assert_true(figure(f, "floor", "stick") + figure(f, "floor", "slip") >= 1);
  json_decref(f);
  pl_table *t = table(&env, FOLDER "/static.csv");
  assert_true(value(t, "centre_y", -1) < 0.05);
  pl_table_free(t);
}

// The transient about a static state with contact stays there: forces are found anew at once.
static void static_then_transient(void **state) {
  (void)state;
  pl_env env;
  run_text(&env, "pliant: 1\nmaterials: {m: {young: 0.1 MPa, poisson: 0.3, density: 1000}}\n"
                 "bodies: [{name: b, solid: {formulation: plain, mass: lumped, mesh: {box: {size: "
                 "[0.1, 0.08, 0.06], cells: [4, 3, "
                 "3]}}, material: m}}]\n"
                 "obstacles: [{name: floor, plane: {normal: [0, 0, 1]}, friction: 0.5}]\n"
                 "contact: {nodes: b group bottom}\ngravity: [0, 0, -9.81]\n"
                 "watch: {top: 'b nearest [0, 0, 0.06]'}\n"
                 "analyses: [{static: {}}, {transient: {about: static, duration: 50 ms, step: 1 "
                 "ms}}]\n");
  pl_table *t = table(&env, FOLDER "/transient.csv");
  check_rel(value(t, "floor_normal", -1), 0.48 * GRAVITY, 1e-9);
  check_close(value(t, "top_z", -1), value(t, "top_z", 0), 1e-12);
  pl_table_free(t);
}

// A mass put on a belt of 0.1 m/s: mu g until it moves along, 34 ms later, then no friction at all.
// Newmark's steps are exact while it slides.
static void belt(void **state) {
  (void)state;
  pl_env env;
  run_text(&env, "pliant: 1\nnodes: {m: [0, 0, 0.01]}\nmasses: [{node: m, mass: 2}]\n"
                 "obstacles: [{name: belt, plane: {normal: [0, 0, 1]}, velocity: [0.1, 0, 0], "
                 "friction: 0.3}]\n"
                 "contact: {node: m, radius: 10 mm}\ngravity: [0, 0, -9.81]\nwatch: {m: m}\n"
                 "analyses: [{transient: {duration: 0.1, step: 1 ms}}]\n");
  pl_table *t = table(&env, FOLDER "/transient.csv");
  double v = 0.3 * GRAVITY * 0.02;
  check_rel(value(t, "kinetic", 20), v * v, 1e-9);
  check_rel(value(t, "belt_friction", 20), 0.3 * 2 * GRAVITY, 1e-9);
  check_rel(value(t, "kinetic", -1), 0.01, 1e-9);
  check_less(value(t, "belt_friction", -1), 1e-9);
  check_rel(value(t, "belt_normal", -1), 2 * GRAVITY, 1e-9);
  check_close(value(t, "contacts_stick", -1), 1, 0);
  pl_table_free(t);
}

// pictures show the slope: the same model without contact has no lines but its own
static void pictures(void **state) {
  (void)state;
  pl_env env;
  static const char *const set[] = {"analyses.transient.duration=10 ms", "contact=[]"};
  size_t size[2];
  for (int k = 0; k < 2; k++) {
    char *text;
    run_set(&env, SOURCE_DIR "/scenes/incline.yaml", 1 + k, set);
    check_ok(&env, pl_file_read(&env, FOLDER "/transient-end.svg", 0, &text, &size[k]));
    int ghosts = 0;
    for (const char *at = text; (at = strstr(at, "pl-ghost\" fill")); at++) ghosts++;
    // the shape at rest, and the backdrop
    assert_int_equal(ghosts, k ? 1 : 2);
    pl_free(&env, text);
  }
}

// stopped and resumed: the same numbers to the last bit
static void resumed(void **state) {
  (void)state;
  static const char *const half[] = {"analyses.transient.duration=0.2 s"};
  pl_env env;
  pl_scene *s;
  const char *path = SOURCE_DIR "/scenes/incline.yaml";
  run_set(&env, path, 1, half);
  check_ok(&env, pl_scene_load(&env, path, 0, NULL, &s));
  check_ok(&env, run_into(&env, s, FOLDER, 1));
  check_ok(&env, pl_scene_load(&env, path, 0, NULL, &s));
  check_ok(&env, run_into(&env, s, FOLDER ".whole", 0));
  pl_table *a = table(&env, FOLDER "/transient.csv"),
           *b = table(&env, FOLDER ".whole/transient.csv");
  assert_int_equal(pl_table_rows(a), pl_table_rows(b));
  size_t size = (size_t)pl_table_rows(a) * (size_t)pl_table_cols(a) * sizeof(double);
  assert_memory_equal(pl_table_data(a), pl_table_data(b), size);
  pl_table_free(a);
  pl_table_free(b);
  // other friction is another scene
  static const char *const other[] = {"obstacles.slope.friction=0.4"};
  check_ok(&env, pl_scene_load(&env, path, 1, other, &s));
  assert_int_equal(run_into(&env, s, FOLDER, 1), PL_E_INPUT);
}

// A block falls by 0.2 mm on another and stays there, however long the steps of the descent grow;
// elements give by less than 0.02 mm.
static void block_on_block(void **state) {
  (void)state;
  pl_env env;
  run_text(&env,
           "pliant: 1\nunits: {length: mm}\n"
           "materials: {m: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
           "bodies:\n"
           "  - {name: a, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [20, 20, "
           "5], cells: [4, 4, 1]}}, material: m}}\n"
           "  - {name: b, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [12, 12, "
           "5], cells: [3, 3, 1]}}, translate: "
           "[4.3, 3.9, 5.5], material: m}}\n"
           "self_contact: {thickness: 0.3, friction: 0.3}\ngravity: [0, 0, -98.1 m/s^2]\n"
           "fixed: a group bottom\nwatch: {c: 'b nearest [10, 10, 10]'}\nanalyses: [drape: {}]\n");
  pl_table *t = table(&env, FOLDER "/drape.csv");
  check_close(value(t, "c_z", -1), 10.3e-3, 0.02e-3);
  pl_table_free(t);
}

// Two columns without lateral strain, 10 mm each, shortened by 1 mm in all: V E e^2/2 with the
// strain e = (l^2 - 1)/2, l = 19/20. Layers yield by a tenth of what elements at them do, two of
// six.
static void columns_press(void **state) {
  (void)state;
  static const double young[] = {1e6, 1e9};
  for (int k = 0; k < 2; k++) {
    pl_env env;
    char text[1024];
    snprintf(text, sizeof text,
             "pliant: 1\nunits: {length: mm}\n"
             "materials: {m: {young: %g Pa, poisson: 0, density: 1000 kg/m^3}}\n"
             "bodies:\n"
             "  - {name: a, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [10, 10, "
             "10], cells: [3, 3, 3]}}, "
             "material: m}}\n"
             "  - {name: b, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [10, 10, "
             "10], cells: [2, 2, 2]}}, "
             "translate: [0, 0, 11], material: m}}\n"
             "self_contact: {thickness: 1, friction: 0.3}\nfixed: a group bottom\n"
             "drives: [{nodes: b group top, translation: [0, 0, -1], harmonic: 0}]\n"
             "analyses: [drape: {}]\n",
             young[k]);
    run_text(&env, text);
    pl_table *t = table(&env, FOLDER "/drape.csv");
    check_rel(value(t, "potential", -1), 2e-6 * young[k] * 0.04875 * 0.04875 / 2, 0.05);
    pl_table_free(t);
  }
}

// Corners of elements of second order have no mass in the sums of rows. A block of such falls on
// another one by 0.7 mm with ten times its weight and lies 0.3 mm above it, its corners 2 um lower
// by its weight (rho g h^2/2 E is 1.2 um); no step makes energy.
static void second_order_lands(void **state) {
  (void)state;
  static const char *const method[] = {"newmark", "bdf2", "implicit-euler"};
  for (int k = 0; k < 3; k++) {
    pl_env env;
    char text[1024];
    snprintf(text, sizeof text,
             "pliant: 1\nunits: {length: mm}\n"
             "materials: {m: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
             "bodies:\n"
             "  - {name: a, solid: {mesh: {box: {size: [20, 20, 5], cells: [2, 2, 1], cell: tet}}, "
             "material: m}}\n"
             "  - {name: b, solid: {mesh: {box: {size: [12, 12, 5], cells: [1, 1, 1], cell: tet}}, "
             "translate: [4.3, 3.9, 6], material: m}}\n"
             "self_contact: {thickness: 0.3, friction: 0.3}\ngravity: [0, 0, -98.1 m/s^2]\n"
             "fixed: a\nwatch: {c: 'b nearest [10, 10, 11]'}\n"
             "analyses: [transient: {duration: 40 ms, step: 0.5 ms, method: %s}]\n",
             method[k]);
    run_text(&env, text);
    pl_table *t = table(&env, FOLDER "/transient.csv");
    check_close(value(t, "c_z", -1), 10.298e-3, 0.002e-3);
    double most = value(t, "kinetic", 0), start = value(t, "total", 0);
    for (int i = 0; i < pl_table_rows(t); i++) most = fmax(most, value(t, "kinetic", i));
    for (int i = 0; i < pl_table_rows(t); i++)
      check_less(value(t, "total", i) - start, 1e-6 * most);
    // the trapezoidal rule takes nothing of what still rings
    check_less(value(t, "kinetic", -1), (k == 0 ? 1e-5 : 1e-9) * most);
    pl_table_free(t);
  }
}

// Impacts of blocks whose masses are those of their elements, as by default, make no energy in
// Newmark's steps, and what damping by stiffness takes is no more than there is.
static void blocks_make_no_energy(void **state) {
  (void)state;
  for (int damped = 0; damped < 2; damped++) {
    pl_env env;
    char text[1024];
    snprintf(text, sizeof text,
             "pliant: 1\nunits: {length: mm}\n"
             "materials: {m: {young: 2 MPa, poisson: 0.3, density: 1100 kg/m^3}}\n"
             "bodies:\n"
             "  - {name: a, solid: {mesh: {box: {size: [60, 60, 10], cells: [3, 3, 1]}}, material: "
             "m}}\n"
             "  - {name: b, solid: {mesh: {box: {size: [40, 40, 20], cells: [2, 2, 2]}}, material: "
             "m, translate: [10, 10, 11.5]}}\n"
             "self_contact: {thickness: 1, friction: 0.3}\ngravity: [0, 0, -9.81 m/s^2]\n"
             "fixed: a group bottom\n%sanalyses: [transient: {duration: 60 ms, step: 1 ms}]\n",
             damped ? "damping: {stiffness: 0.2 ms}\n" : "");
    run_text(&env, text);
    pl_table *t = table(&env, FOLDER "/transient-energy.csv");
    double most = 0, start = value(t, "total", 0);
    for (int i = 0; i < pl_table_rows(t); i++) most = fmax(most, value(t, "kinetic", i));
    for (int i = 0; i < pl_table_rows(t); i++) {
      check_less(value(t, "total", i) - start, 1e-6 * most);
      check_less(-value(t, "damping", i), most);
      check_less(fabs(value(t, "loss", i)), 0.02 * most);
      check_less(fabs(value(t, "limiter", i)), 0.02 * most);
    }
    pl_table_free(t);
  }
}

#define ROD_STUFF                                                                                  \
  "pliant: 1\nunits: {length: mm}\n"                                                               \
  "materials: {m: {young: 1 GPa, poisson: 0.3, density: 1000 kg/m^3}}\nbodies:\n"

// Two crossed rods of 2 mm, clamped at all ends, 0.01 mm between them; P in the middle of the upper
// one bends it by 0.01 mm more than the lower one, and each takes its part of P = k (w1 + w2), k =
// 192 E I / l^3. 20 edges are 1/400 too stiff or soft, and the rods stretch a little.
static void rods_cross(void **state) {
  (void)state;
  const double l = 0.1, second = acos(-1) / 64 * 16e-12;
  const double both = 0.05 * l * l * l / (192 * 1e9 * second);
  pl_env env;
  run_text(&env, ROD_STUFF
           "  - {name: a, rod: {mesh: {line: {from: [-50, 0, 0], to: [50, 0, 0], segments: 20}}, "
           "material: m, section: {round: 2}}}\n"
           "  - {name: b, rod: {mesh: {line: {from: [0, -50, 2.01], to: [0, 50, 2.01], segments: "
           "20}}, material: m, section: {round: 2}}}\n"
           "self_contact: {friction: 0.3}\n"
           "fixed: [{nodes: [a group start, a group end, b group start, b group end], clamp: "
           "yes}]\nwatch: {a: 'a nearest [0, 0, 0]', b: 'b nearest [0, 0, 2]'}\n"
           "loads: [{nodes: 'b nearest [0, 0, 2]', total: [0, 0, -0.05 N]}]\n"
           "analyses: [drape: {tolerance: 1e-6}]\n");
  pl_table *t = table(&env, FOLDER "/drape.csv");
  double a = value(t, "a_z", -1), b = value(t, "b_z", -1);
  check_close(b - a, 2e-3, 1e-8);
  check_rel(-a, (both - 1e-5) / 2, 0.02);
  pl_table_free(t);
}

// friction, method, step, duration
#define SLIDE                                                                                      \
  ROD_STUFF                                                                                        \
  "  - {name: a, rod: {mesh: {line: {from: [-20, -15, 0], to: [20, -15, 0], segments: 5}}, "       \
  "material: m, section: {round: 2}}}\n"                                                           \
  "  - {name: c, rod: {mesh: {line: {from: [-20, 15, 0], to: [20, 15, 0], segments: 5}}, "         \
  "material: m, section: {round: 2}}}\n"                                                           \
  "  - {name: b, rod: {mesh: {line: {from: [1, -40, 3], to: [1, 40, 3], segments: 10}}, "          \
  "material: m, section: {round: 4}}}\n"                                                           \
  "self_contact: {friction: %g}\nfixed: [a, c]\n"                                                  \
  "gravity: [0, 4.905 m/s^2, -8.4957092 m/s^2]\nwatch: {p: 'b nearest [1, 0, 3]'}\n"               \
  "analyses: [{transient: {method: %s, step: %g, duration: %g}}]\n"

// A bar over two fixed rods, all across each other, on a slope of 30 degrees: it slides along
// itself with g (sin - mu cos) at mu = 0.3, which takes its contacts over its nodes, and stays at
// mu = 0.6. Its energy only falls.
static void rods_slide(void **state) {
  (void)state;
  static const double mu[] = {0.3, 0.6};
  const double step = 2e-4, end = 0.05;
  for (int k = 0; k < 2; k++) {
    pl_env env;
    char text[2048];
    snprintf(text, sizeof text, SLIDE, mu[k], "implicit-euler", step, end);
    run_text(&env, text);
    pl_table *t = table(&env, FOLDER "/transient.csv");
    double a = k ? 0 : GRAVITY * (0.5 - mu[k] * sqrt(0.75));
    check_close(value(t, "p_y", -1), a * end * (end + step) / 2, k ? 1e-6 : 2e-5);
    check_close(value(t, "p_z", -1), 3e-3, 1e-6);
    for (int i = 1; i < pl_table_rows(t); i++)
      check_less(value(t, "total", i), value(t, "total", i - 1) + 3e-10);
    pl_table_free(t);
  }
}

// The same slide by all methods.
static void rods_slide_by(void **state) {
  (void)state;
  static const char *const method[] = {"newmark", "bdf2",         "project",
                                       "reflect", "bdf2-project", "coupled"};
  const double end = 0.02, a = GRAVITY * (0.5 - 0.3 * sqrt(0.75));
  for (int k = 0; k < 6; k++) {
    pl_env env;
    char text[2048];
    snprintf(text, sizeof text, SLIDE, 0.3, method[k], 2e-4, end);
    run_text(&env, text);
    pl_table *t = table(&env, FOLDER "/transient.csv");
    check_rel(value(t, "p_y", -1), a * end * end / 2, 0.03);
    check_close(value(t, "p_z", -1), 3e-3, 2e-5);
    pl_table_free(t);
  }
}

// A rod falls on a sheet, whose nodes are not under its own, and ends half the thickness and its
// radius above it.
static void rod_on_sheet(void **state) {
  (void)state;
  static const char *const file[] = {FOLDER "/drape.csv", FOLDER "/transient.csv"};
  pl_env env;
  run_text(&env, ROD_STUFF
           "  - {name: a, shell: {mesh: {grid: {size: [60, 60], cells: [5, 6]}}, material: m, "
           "thickness: 1, bending: hinge}}\n"
           "  - {name: b, rod: {mesh: {line: {from: [11, 13, 2.7], to: [47, 42, 2.7], segments: "
           "6}}, material: m, section: {round: 4}}}\n"
           "self_contact: {thickness: 1, friction: 0.3}\nfixed: a\ngravity: [0, 0, -9.81 m/s^2]\n"
           "watch: {p: 'b nearest [11, 13, 2]', q: 'b nearest [47, 42, 2]'}\n"
           "analyses: [drape: {}, {transient: {method: implicit-euler, step: 1 ms, duration: "
           "0.05}}]\n");
  for (int k = 0; k < 2; k++) {
    pl_table *t = table(&env, file[k]);
    check_close(value(t, "p_z", -1), 2.5e-3, 1e-7);
    check_close(value(t, "q_z", -1), 2.5e-3, 1e-7);
    pl_table_free(t);
  }
}

// Without friction nothing holds a block that rests on another one.
static void free_block(void **state) {
  (void)state;
  pl_env env;
  run_text(&env,
           "pliant: 1\nunits: {length: mm}\n"
           "materials: {m: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
           "bodies:\n"
           "  - {name: a, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [20, 20, "
           "5], cells: [4, 4, 1]}}, material: m}}\n"
           "  - {name: b, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [12, 12, "
           "5], cells: [3, 3, 1]}}, translate: "
           "[4.3, 3.9, 5.5], material: m}}\n"
           "self_contact: {thickness: 0.3}\ngravity: [0, 0, -98.1 m/s^2]\n"
           "fixed: a group bottom\nwatch: {c: 'b nearest [10, 10, 10]'}\nanalyses: [drape: {}]\n");
  pl_table *t = table(&env, FOLDER "/drape.csv");
  check_close(value(t, "c_z", -1), 10.3e-3, 0.02e-3);
  pl_table_free(t);
}

// ---- bodies that feel each other at rest --------------------------------------------------------

// The same crossed rods by statics: supports of both carry the load, each its part.
static void static_rods(void **state) {
  (void)state;
  pl_env env;
  run_text(&env, ROD_STUFF
           "  - {name: a, rod: {mesh: {line: {from: [-50, 0, 0], to: [50, 0, 0], segments: 20}}, "
           "material: m, section: {round: 2}}}\n"
           "  - {name: b, rod: {mesh: {line: {from: [0, -50, 2.01], to: [0, 50, 2.01], segments: "
           "20}}, material: m, section: {round: 2}}}\n"
           "self_contact: {friction: 0.3}\n"
           "fixed: [{name: lower, nodes: [a group start, a group end], clamp: yes}, {name: upper, "
           "nodes: [b group start, b group end], clamp: yes}]\n"
           "watch: {a: 'a nearest [0, 0, 0]', b: 'b nearest [0, 0, 2]'}\n"
           "loads: [{nodes: 'b nearest [0, 0, 2]', total: [0, 0, -0.05 N]}]\n"
           "analyses: [static: {steps: 3}]\n");
  pl_table *t = table(&env, FOLDER "/static.csv");
  double a = value(t, "a_z", -1), b = value(t, "b_z", -1);
  double lower = value(t, "reaction_lower_z", -1), upper = value(t, "reaction_upper_z", -1);
  check_close(b - a, 2e-3, 1e-8);
  check_close(lower + upper, 0.05, 1e-7);
  // as they are bent
  check_rel(lower / upper, a / (b - 2.01e-3), 1e-3);
  pl_table_free(t);
}

// A block on a block on the floor, all pulled aside: the floor carries both weights and holds them.
static void static_stack(void **state) {
  (void)state;
  const double mass = (20 * 20 * 5 + 12 * 12 * 5) * 1e-6;
  pl_env env;
  run_text(&env, "pliant: 1\nunits: {length: mm}\n"
                 "materials: {m: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
                 "bodies:\n"
                 "  - {name: a, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [20, "
                 "20, 5], cells: [4, 4, 1]}}, translate: [0, 0, "
                 "0.1], material: m}}\n"
                 "  - {name: b, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [12, "
                 "12, 5], cells: [3, 3, 1]}}, translate: "
                 "[4.3, 3.9, 5.6], material: m}}\n"
                 "self_contact: {thickness: 0.3, friction: 0.3}\n"
                 "obstacles: [{name: floor, plane: {normal: [0, 0, 1]}, friction: 0.5}]\n"
                 "contact: {nodes: a group bottom}\ngravity: [10 m/s^2, 0, -98.1 m/s^2]\n"
                 "watch: {c: 'b nearest [10, 10, 10]'}\nanalyses: [static: {}]\n");
  pl_table *t = table(&env, FOLDER "/static.csv");
  check_rel(value(t, "floor_normal", -1), 98.1 * mass, 1e-6);
  check_rel(value(t, "floor_friction", -1), 10 * mass, 1e-6);
  check_close(value(t, "c_z", -1), 10.3e-3, 0.02e-3);
  pl_table_free(t);
}

// A block that is pressed on another one and driven along it by 0.4 mm a load step slides: what it
// takes is mu times what it presses with, but for edges that dig in (2 %).
static void static_slide(void **state) {
  (void)state;
  pl_env env;
  run_text(&env,
           "pliant: 1\nunits: {length: mm}\n"
           "materials: {m: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
           "bodies:\n"
           "  - {name: a, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [30, 20, "
           "5], cells: [6, 4, 1]}}, material: m}}\n"
           "  - {name: b, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [12, 12, "
           "5], cells: [3, 3, 1]}}, translate: "
           "[4.3, 3.9, 5.3], material: m}}\n"
           "self_contact: {thickness: 0.3, friction: 0.3}\nfixed: a group bottom\n"
           "drives: [{name: top, nodes: b group top, translation: [1.2, 0, -0.15], harmonic: 0}]\n"
           "analyses: [static: {steps: 3}]\n");
  pl_table *t = table(&env, FOLDER "/static.csv");
  assert_int_equal(pl_table_rows(t), 4);
  for (int i = 1; i < 4; i++) {
    double press = value(t, "reaction_fixed_z", i), along = value(t, "reaction_top_x", i);
    check_rel(along, 0.3 * press, 0.02);
    check_close(value(t, "reaction_top_z", i), -press, 1e-6 * press);
    check_close(value(t, "reaction_fixed_x", i), -along, 1e-6 * press);
  }
  pl_table_free(t);
}

// A strip that is bent back over itself and pinched until it touches: both ends carry nothing in
// all, and its halves stay their thickness apart.
static void static_fold(void **state) {
  (void)state;
  pl_env env;
  run_text(&env,
           "pliant: 1\nunits: {length: mm}\n"
           "materials: {m: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
           "bodies: [{name: a, shell: {mesh: {grid: {size: [60, 6], cells: [20, 2], pattern: "
           "alternating}}, material: m, thickness: 0.5, bending: midedge}}]\n"
           "self_contact: {thickness: 0.5, friction: 0.3}\n"
           "fixed: [{name: root, nodes: a group left, clamp: yes}]\n"
           "drives: [{name: end, nodes: 'a group right', clamp: yes, rotation: {axis: [0, 1, 0], "
           "through: [30, 0, 1], amplitude: -180 deg, harmonic: 0}}]\n"
           "loads: [{nodes: 'a box [44, -1, -1] [46, 10, 1]', total: [0, 0, -5 mN]}, {nodes: 'a "
           "box [14, -1, -1] [16, 10, 1]', total: [0, 0, 5 mN]}]\n"
           "watch: {q: 'a nearest [45, 3, 0]', r: 'a nearest [15, 3, 0]'}\n"
           "analyses: [static: {steps: 20}]\n");
  pl_table *t = table(&env, FOLDER "/static.csv");
  check_close(value(t, "load_factor", -1), 1, 0);
  for (int c = 0; c < 3; c++) {
    char root[] = "reaction_root_?", end[] = "reaction_end_?";
    root[14] = end[13] = "xyz"[c];
    check_close(value(t, root, -1), -value(t, end, -1), 1e-6 * 5e-3);
  }
  double apart = value(t, "q_z", -1) - value(t, "r_z", -1);
  check_less(0.5e-3, apart);
  check_less(apart, 0.7e-3);
  pl_table_free(t);
}

// The top of one of two columns of 10 mm is driven to below the foot of the other: there is no
// equilibrium that could be found, and it says so.
static void static_refused(void **state) {
  (void)state;
  static const char text[] =
      "pliant: 1\nunits: {length: mm}\n"
      "materials: {m: {young: 1 MPa, poisson: 0, density: 1000 kg/m^3}}\n"
      "bodies:\n"
      "  - {name: a, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [10, 10, 10], "
      "cells: [1, 1, 1]}}, material: m}}\n"
      "  - {name: b, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [10, 10, 10], "
      "cells: [1, 1, 1]}}, translate: [1, "
      "1, 11], material: m}}\n"
      "self_contact: {thickness: 1}\nfixed: a group bottom\n"
      "drives: [{nodes: b group top, translation: [0, 0, -30], harmonic: 0}]\n"
      "analyses: [static: {cuts: 1}]\n";
  pl_env env;
  pl_scene *s;
  pl_env_init(&env);
  heard_text[0] = 0;
  env.diag = hear;
  check_ok(&env, pl_scene_parse(&env, "test", ".", text, strlen(text), 0, NULL, NULL, &s));
  assert_int_equal(run_into(&env, s, FOLDER, 0), PL_UNSOLVED);
  assert_non_null(strstr(heard_text, "static: beyond load "));
}

// A strip that stands on a floor and buckles in one load step: the force on its foot is 0.026 of
// what presses, so that it sticks whatever the coefficient above that, as it does in small steps.
static void strip_sticks(void **state) {
  static const double mu[] = {0.028, 0.034, 0.04, 0.046};
  char text[1024];
  (void)state;
  for (int i = 0; i < 4; i++) {
    snprintf(text, sizeof text,
             "pliant: 1\nmaterials: {m: {young: 1 GPa, poisson: 0, density: 1000 kg/m^3}}\n"
             "bodies: [{name: it, shell: {mesh: {grid: {size: [1 m, 0.05 m], cells: [20, 1], "
             "pattern: irregular}}, rotate: {axis: [0, 1, 0], angle: 90 deg}, "
             "translate: [0, 0, 1], material: m, thickness: 1 mm}}]\n"
             "gravity: [-8.3333e-6 m/s^2, 0, 0]\n"
             "drives: [{nodes: it group left, clamp: yes, harmonic: 0, "
             "translation: [0, 0, -3.4 mm]}]\n"
             "obstacles: [{name: floor, plane: {normal: [0, 0, 1]}, friction: %g}]\n"
             "contact: {nodes: it group right}\nanalyses: [{static: {}}]\n"
             "output: {report: no, vtu: no, glb: no, plots: no}\n",
             mu[i]);
    pl_env env;
    run_text(&env, text);
    pl_table *t = table(&env, FOLDER "/static.csv");
    double press = value(t, "floor_normal", -1), EI = 1e9 * 0.05 * 1e-9 / 12;
    check_rel(value(t, "floor_friction", -1) / press, 0.0260, 0.01);
    check_rel(press, 4.49341 * 4.49341 * EI, 0.01); // clamped and hinged
    pl_table_free(t);
  }
}

int test_contact(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strip_sticks),
      cmocka_unit_test(what_is_let_go_feels_obstacles),
      cmocka_unit_test(moving_pusher_is_shown),
      cmocka_unit_test(incline_slides),
      cmocka_unit_test(incline_sticks),
      cmocka_unit_test(nothing_slides_with_boundless_friction),
      cmocka_unit_test(nothing_holds_on_a_slope),
      cmocka_unit_test(adaptive_steps_resolve_impacts),
      cmocka_unit_test(pressed_block_is_let_go),
      cmocka_unit_test(wheel_rests),
      cmocka_unit_test(static_then_transient),
      cmocka_unit_test(resumed),
      cmocka_unit_test(belt),
      cmocka_unit_test(pictures),
      cmocka_unit_test(block_on_block),
      cmocka_unit_test(columns_press),
      cmocka_unit_test(second_order_lands),
      cmocka_unit_test(blocks_make_no_energy),
      cmocka_unit_test(free_block),
      cmocka_unit_test(rods_cross),
      cmocka_unit_test(rods_slide),
      cmocka_unit_test(rods_slide_by),
      cmocka_unit_test(rod_on_sheet),
      cmocka_unit_test(static_rods),
      cmocka_unit_test(static_stack),
      cmocka_unit_test(static_slide),
      cmocka_unit_test(static_fold),
      cmocka_unit_test(static_refused),
  };
  return cmocka_run_group_tests_name("job.contact", tests, NULL, NULL);
}
