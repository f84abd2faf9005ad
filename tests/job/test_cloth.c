// Sheets with limits of stretch from start to end: what is kept, told and written.
#include "check.h"

#include "pliant/job.h"
#include "pliant/report.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "test_cloth.results"
#define OTHER  "test_cloth.resumed"
static const double GRAVITY = 9.81;

// a square metre of 0.3 kg; the elements alone would stretch by tens of percent
#define SQUARE(keys)                                                                               \
  "pliant: 1\nmaterials: {m: {young: 5 kPa, poisson: 0, density: 300 kg/m^3}}\n"                   \
  "bodies: [{name: b, shell: {bending: hinge, mesh: {grid: {size: [1, 1], cells: [6, 6], "         \
  "pattern: alternating}}, "                                                                       \
  "material: m, thickness: 1 mm, " keys "}}]\n"                                                    \
  "output: {vtu: no, glb: no, plots: no}\n"
#define HUNG                                                                                       \
  "fixed: [{name: hook, nodes: 'b nearest [0, 0, 0]'}, {name: eye, nodes: 'b nearest [1, 0, 0]'}]" \
  "\ngravity: [0, 0, -9.81]\nwatch: {low: 'b nearest [0, 1, 0]'}\n"

static char heard[4096];
static void hear(void *ctx, const pl_diag *d) {
  size_t n = strlen(heard);
  (void)ctx;
  snprintf(heard + n, sizeof heard - n, "%s | %s\n", d->text, d->hint);
}

static pl_status run_text(pl_env *env, const char *text, const char *folder, int resume) {
  pl_scene *s;
  pl_job_result result;
  const pl_job_opts opts = {.folder = folder, .threads = 1, .resume = resume};
  pl_env_init(env);
  heard[0] = 0;
  env->diag = hear;
  check_ok(env, pl_scene_parse(env, "test", SOURCE_DIR "/tests/scene", text, strlen(text), 0, NULL,
                               NULL, &s));
  pl_status st = pl_job_run(env, s, &opts, &result);
  pl_scene_free(s);
  return st;
}

static pl_table *table(pl_env *env, const char *path) {
  pl_table *t;
  check_ok(env, pl_table_read(env, path, &t));
  return t;
}

static int has(const pl_table *t, const char *name) {
  for (int c = 0; c < pl_table_cols(t); c++)
    if (strcmp(pl_table_name(t, c), name) == 0) return c + 1;
  return 0;
}

// value of a column in a row, -1: the last row
static double value(const pl_table *t, const char *name, int row) {
  int c = has(t, name), w = pl_table_cols(t);
  if (!c) fail_msg("there is no column '%s'", name);
  return pl_table_data(t)[(row < 0 ? pl_table_rows(t) - 1 : row) * w + c - 1];
}

static double worst(const pl_table *t, const char *name) {
  double most = 0;
  for (int i = 0; i < pl_table_rows(t); i++) most = fmax(most, fabs(value(t, name, i)));
  return most;
}

static json_t *figures(const char *folder, int analysis) {
  json_error_t e;
  char path[256];
  snprintf(path, sizeof path, "%s/summary.json", folder);
  json_t *all = json_load_file(path, 0, &e);
  assert_non_null(all);
  json_t *f = json_incref(json_array_get(json_object_get(all, "analyses"), (size_t)analysis));
  json_decref(all);
  assert_non_null(f);
  return f;
}

static double figure(const json_t *f, const char *key) {
  if (!json_is_number(json_object_get(f, key))) fail_msg("there is no figure '%s'", key);
  return json_number_value(json_object_get(f, key));
}

// ---- a swing ------------------------------------------------------------------------------------

// Every row's energies balance by definition of the loss, to the rounding of their sum. The limit
// holds to the tolerance of projections, and certificates are within theirs.
static void swing(void **state) {
  (void)state;
  pl_env env;
  check_ok(&env,
           run_text(&env,
                    SQUARE("limit: {stretch: 1 %}") HUNG
                    "analyses: [{transient: {duration: 0.3, step: 10 ms, method: project}}]\n",
                    FOLDER, 0));
  pl_table *e = table(&env, FOLDER "/transient-energy.csv");
  pl_table *l = table(&env, FOLDER "/transient-limits.csv");
  pl_table *t = table(&env, FOLDER "/transient.csv");
  assert_int_equal(pl_table_rows(e), 31);
  assert_int_equal(pl_table_rows(l), 31);
  assert_int_equal(pl_table_rows(t), 31);
  static const char *const works[] = {"limiter", "contact", "damping", "driven", "loss"};
  for (int i = 0; i < 31; i++) {
    double total = value(e, "kinetic", i) + value(e, "elastic", i) + value(e, "outer", i);
    double given = value(e, "total", 0);
    for (int k = 0; k < 5; k++) given += value(e, works[k], i);
    check_close(value(e, "total", i), total, 1e-14);
    check_close(total, given, 1e-12);
    check_close(value(t, "total", i), total, 1e-14);
    check_less(value(l, "violation", i), 1e-6);
    check_less(value(l, "gap", i), 1e-6);
  }
  // it falls: 0.3 kg under gravity, so that the height is that of its potential; limits act
  check_less(value(e, "outer", -1), -0.1 * 0.3 * GRAVITY);
  check_less(value(e, "limiter", -1), -1e-3);
  assert_true(worst(l, "active") > 10);
  // there is no contact, and the limit is no curve
  assert_false(has(l, "overlap") || has(l, "layer_gap") || has(l, "between"));
  json_t *f = figures(FOLDER, 0);
  check_less(figure(f, "worst_violation"), 1e-6);
  check_close(figure(f, "steps"), 30, 0);
  check_close(figure(f, "projections"), 30, 0);
  assert_non_null(strstr(heard, "limits kept "));
  json_decref(f);
  pl_table_free(e);
  pl_table_free(l);
  pl_table_free(t);
}

// A sheet that nothing holds: masses as weights leave momentum alone, to rounding. Angular momentum
// is kept by the exact projection x*; with e = x - x*, |e| <= rms sqrt(M) by the certificate, what
// is left is |sum w (e x dx + x* x e)| <= rms M (|dx| + |x*|), below rms 0.8 kg 1.6 m here.
static void momentum(void **state) {
  (void)state;
  static const char *const displaced[] = {"momentum_x", "momentum_y", "momentum_z"};
  static const char *const turned[] = {"angular_x", "angular_y", "angular_z"};
  pl_env env;
  check_ok(
      &env,
      run_text(&env,
               SQUARE("limit: {warp: 1 %, weft: 3 %}") "masses: [{nodes: 'b nearest [0, 0, 0]', "
                                                       "mass: 0.5 kg}]\n"
                                                       "initial: [{nodes: all, spin: {axis: [0, 0, "
                                                       "1], through: [0.5, 0.5, 0], rate: 8 "
                                                       "rad/s}}]\n"
                                                       "analyses: [{transient: {duration: 0.1, "
                                                       "step: 10 ms, method: project}}]\n",
               FOLDER, 0));
  pl_table *l = table(&env, FOLDER "/transient-limits.csv");
  for (int k = 0; k < 3; k++) {
    check_less(worst(l, displaced[k]), 1e-14);
    for (int i = 1; i < pl_table_rows(l); i++)
      check_less(fabs(value(l, turned[k], i)), 1e-15 + 1.28 * value(l, "distance_rms", i));
  }
  check_less(0, value(l, "active", -1));
  pl_table_free(l);
}

// ---- rest ---------------------------------------------------------------------------------------

// A strip under a load that would stretch its elements fivefold: all of it is at its limit of 1 %,
// to the violation that projections may leave. A motion that begins there stays there: it keeps its
// place but for the tolerance of the drape, 1e-4 of the weight, which moves it g t^2/2 1e-4 = 5e-6
// m in 0.1 s if nothing holds it.
static void drape(void **state) {
  (void)state;
  pl_env env;
  check_ok(
      &env,
      run_text(
          &env,
          "pliant: 1\nmaterials: {m: {young: 5 kPa, poisson: 0, density: 300}}\n"
          "bodies: [{name: b, shell: {bending: hinge, mesh: {grid: {size: [0.2, 1], cells: [2, 8], "
          "pattern: alternating}}, rotate: {axis: [1, 0, 0], angle: -90 deg}, material: "
          "m, thickness: 1 mm, limit: {stretch: 1 %}}}]\nfixed: b group bottom\n"
          "loads: [{nodes: b group top, total: [0, 0, -5 N]}]\ngravity: [0, 0, -9.81]\n"
          "watch: {low: 'b nearest [0, 0, -1]'}\n"
          "analyses: [drape, {transient: {about: drape, duration: 0.1, step: 10 ms, "
          "method: project}}]\n",
          FOLDER, 0));
  pl_table *t = table(&env, FOLDER "/drape.csv"), *m = table(&env, FOLDER "/transient.csv");
  check_close(value(t, "low_z", -1), -1.01, 1.01e-6);
  check_close(value(m, "low_z", 0), value(t, "low_z", -1), 1e-15);
  check_close(value(m, "low_z", -1), -1.01, 5e-6);
  json_t *f = figures(FOLDER, 0);
  assert_string_equal(json_string_value(json_object_get(f, "reason")), "converged");
  check_less(figure(f, "violation"), 1e-6);
  check_less(figure(f, "residual"), 1e-4);
  const json_t *low = json_object_get(json_object_get(f, "displacement_m"), "low");
  check_close(json_number_value(json_array_get(low, 2)), -0.01, 1.01e-6);
  json_decref(f);
  pl_table_free(t);
  pl_table_free(m);
}

// ---- before the start ---------------------------------------------------------------------------

// hook and eye are 1.2 m apart at the start, but the sheet between them reaches 1.01 m
static void supports_apart(void **state) {
  (void)state;
  pl_env env;
  pl_status st =
      run_text(&env,
               SQUARE("limit: {stretch: 1 %}") "fixed: {name: hook, nodes: 'b nearest [0, 0, 0]'}\n"
                                               "drives: [{name: eye, nodes: 'b nearest [1, 0, 0]', "
                                               "translation: [0.2, 0, 0], harmonic: 0}]\n"
                                               "analyses: [{transient: {duration: 0.1, step: 10 "
                                               "ms, method: reflect}}]\n",
               FOLDER, 0);
  assert_int_equal(st, PL_E_INPUT);
  if (!strstr(heard, "'hook' of b at [0, 0, 0] m") ||
      !strstr(heard, "'eye' of b at [1.2, 0, 0] m") || !strstr(heard, "are 1.2 m apart") ||
      !strstr(heard, "is 1.01 m long at its limits") ||
      !strstr(heard, "move the supports together, or allow more stretch"))
    fail_msg("%s", heard);
}

// the drive pulls the eye away by 0.2 m sin(2 pi t/s): too far from sin(2 pi t) = 0.05 on, which
// the 128 times that are looked at find within a 128th of the period
static void supports_part(void **state) {
  (void)state;
  pl_env env;
  pl_status st =
      run_text(&env,
               SQUARE("limit: {stretch: 1 %}") "fixed: {name: hook, nodes: 'b nearest [0, 0, 0]'}\n"
                                               "drives: [{name: eye, nodes: 'b nearest [1, 0, 0]', "
                                               "translation: [0.2, 0, 0]}]\n"
                                               "analyses: [{transient: {frequency: 1 Hz, periods: "
                                               "2, step: 10 ms, method: reflect}}]\n",
               FOLDER, 0);
  assert_int_equal(st, PL_E_INPUT);
  const char *at = strstr(heard, "m apart at t = ");
  double t = 0;
  if (!at || sscanf(at, "m apart at t = %lf s", &t) != 1) fail_msg("%s", heard);
  check_close(t, asin(0.05) / (2 * acos(-1)), 1. / 128);
}

static void no_mass(void **state) {
  (void)state;
  pl_env env;
  pl_status st = run_text(
      &env,
      "pliant: 1\nmaterials: {m: {young: 5 kPa, density: 0}}\n"
      "bodies: [{name: b, shell: {bending: hinge, mesh: {grid: {size: [1, 1], cells: [2, 2], "
      "pattern: right}}, material: m, thickness: 1 mm, limit: {stretch: 1 "
      "%}}}]\nfixed: b group left\nanalyses: [{transient: {duration: 0.1, step: "
      "10 ms, method: project}}]\n",
      FOLDER, 0);
  assert_int_equal(st, PL_E_INPUT);
  if (!strstr(heard, "of a sheet with limits has no mass")) fail_msg("%s", heard);
}

// ---- comparisons --------------------------------------------------------------------------------

// Others start alike and are written beside it; without limits the sheet is stretched by more than
// the weight of its lower half would give (the top hangs at two corners).
static void comparisons(void **state) {
  (void)state;
  pl_env env;
  check_ok(&env, run_text(&env,
                          SQUARE("limit: {stretch: 1 %}") HUNG
                          "analyses: [{transient: {duration: 0.2, step: 10 ms, method: reflect, "
                          "compare: [implicit-euler, project], compare_steps: [20 ms]}}]\n",
                          FOLDER, 0));
  static const char *const files[] = {
      FOLDER "/transient-energy.csv", FOLDER "/transient-energy-implicit-euler.csv",
      FOLDER "/transient-energy-project.csv", FOLDER "/transient-energy-reflect-20ms.csv"};
  static const char *const method[] = {"implicit-euler", "project", "reflect"};
  double first = 0;
  for (int k = 0; k < 4; k++) {
    pl_table *t = table(&env, files[k]);
    assert_int_equal(pl_table_rows(t), k == 3 ? 11 : 21);
    if (k == 0) first = value(t, "total", 0);
    check_close(value(t, "total", 0), first, 0);
    check_close(value(t, "time", -1), 0.2, 1e-12);
    pl_table_free(t);
  }
  json_t *f = figures(FOLDER, 0), *list = json_object_get(f, "compare");
  assert_int_equal(json_array_size(list), 3);
  for (size_t k = 0; k < 3; k++) {
    const json_t *g = json_array_get(list, k);
    assert_string_equal(json_string_value(json_object_get(g, "method")), method[k]);
    check_close(figure(g, "step_s"), k == 2 ? 0.02 : 0.01, 1e-15);
    if (k == 0)
      check_less(0.1, figure(g, "worst_violation"));
    else
      check_less(figure(g, "worst_violation"), 1e-6);
  }
  json_decref(f);
}

// ---- all in one step ----------------------------------------------------------------------------

// Two cloths with limits fall on a rough ball and on each other, beside a solid and a rod, by every
// rule: limits, distances and the book of energies hold.
static void all_at_once(void **state) {
  (void)state;
  static const char head[] =
      "pliant: 1\nmaterials: {m: {young: 5 kPa, poisson: 0.3, density: 300 kg/m^3}}\nbodies:\n"
      "  - {name: a, shell: {bending: hinge, mesh: {grid: {size: [0.4, 0.4], cells: [5, 5], "
      "pattern: "
      "alternating}}, "
      "material: m, thickness: 1 mm, limit: {stretch: 1 %}}}\n"
      "  - {name: b, shell: {bending: hinge, mesh: {grid: {size: [0.3, 0.3], cells: [4, 4], "
      "pattern: "
      "alternating}}, "
      "translate: [0.06, 0.07, 0.02], material: m, thickness: 1 mm, limit: {stretch: 1 %}}}\n"
      "  - {name: c, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [0.1, 0.1, 0.1], "
      "cells: [1, 1, 1]}}, "
      "translate: [1, 0, 0], material: m}}\n"
      "  - {name: d, rod: {mesh: {arc: {radius: 0.1, angle: 90 deg, segments: 6}}, "
      "translate: [2, 0, 0.05], material: m, section: {round: 10 mm}}}\n"
      "obstacles:\n  - {sphere: {centre: [0.2, 0.2, -0.12], radius: 0.1}, friction: 0.4}\n"
      "  - {plane: {through: [0, 0, -0.05], normal: [0, 0, 1]}, friction: 0.2}\n"
      "contact: {nodes: all}\nself_contact: {thickness: 8 mm, friction: 0.3}\n"
      "gravity: [0, 0, -9.81]\noutput: {vtu: no, glb: no, plots: no}\n";
  static const char *const method[] = {"newmark", "bdf2", "coupled"};
  for (int k = 0; k < 3; k++) {
    pl_env env;
    char text[4096];
    snprintf(text, sizeof text,
             "%sanalyses: [{transient: {duration: 0.15, step: 5 ms, method: %s}}]\n", head,
             method[k]);
    check_ok(&env, run_text(&env, text, FOLDER, 0));
    json_t *f = figures(FOLDER, 0);
    check_less(figure(f, "worst_violation"), 1e-6);
    json_t *contact = json_object_get(f, "contact");
    assert_non_null(contact);
    assert_null(json_object_get(contact, "worst_residual")); // none is measured
    json_decref(f);
    pl_table *t = table(&env, FOLDER "/transient-limits.csv");
    pl_table *e = table(&env, FOLDER "/transient-energy.csv");
    int pressed = 0;
    for (int i = 1; i < pl_table_rows(t); i++) {
      check_less(value(t, "overlap", i), 1e-8);
      check_less(0.95, value(t, "layer_gap", i));
      pressed += value(t, "contacts", i) > 0;
      double sum = value(e, "total", 0) + value(e, "loss", i);
      for (int c = 0; c < 4; c++)
        sum += value(e, (const char *[]){"limiter", "contact", "damping", "driven"}[c], i);
      check_close(sum, value(e, "total", i), 1e-9);
    }
    assert_true(pressed > 5);
    double fell = value(e, "outer", 0) - value(e, "outer", -1);
    check_less(0.1, fell);
    check_less(value(e, "contact", -1), -0.1 * fell);
    // Newmark: what is lost is known
    if (k == 0) check_close(value(e, "loss", -1), 0, 0.01 * fell);
    check_less(value(e, "total", -1), value(e, "total", 0));
    // nothing drives it: the column has all but what the time steps took
    pl_table *motion = table(&env, FOLDER "/transient.csv");
    check_close(value(motion, "total", -1) + value(motion, "dissipated", -1),
                value(e, "total", 0) + value(e, "loss", -1), 1e-9);
    pl_table_free(motion);
    pl_table_free(t);
    pl_table_free(e);
  }
}

// Layers whose friction is not found in the iterations that there are slide without it, which is
// counted and told.
static void friction_let_go(void **state) {
  (void)state;
  static const char head[] =
      "pliant: 1\nmaterials: {m: {young: 5 kPa, poisson: 0.3, density: 300 kg/m^3}}\nbodies:\n"
      "  - {name: a, shell: {bending: hinge, mesh: {grid: {size: [0.4, 0.4], cells: [5, 5], "
      "pattern: alternating}}, material: m, thickness: 1 mm, limit: {stretch: 1 %}}}\n"
      "  - {name: b, shell: {bending: hinge, mesh: {grid: {size: [0.3, 0.3], cells: [4, 4], "
      "pattern: alternating}}, translate: [0.06, 0.07, 0.02], material: m, thickness: 1 mm, limit: "
      "{stretch: 1 %}}}\n"
      "obstacles: [{sphere: {centre: [0.2, 0.2, -0.12], radius: 0.1}, friction: 0.4}]\n"
      "contact: {nodes: all}\ngravity: [0, 0, -9.81]\noutput: {vtu: no, glb: no, plots: no}\n";
  static const struct {
    double mu;
    int iterations;
  } form[] = {{2, 7}, {0.2, 80}};
  for (int k = 0; k < 2; k++) {
    pl_env env;
    char text[4096], told[64];
    snprintf(text, sizeof text,
             "%sself_contact: {thickness: 8 mm, friction: %g}\nanalyses: [{transient: {duration: "
             "0.15, step: 15 ms, method: bdf2-project, projection: {max_iter: %d}}}]\n",
             head, form[k].mu, form[k].iterations);
    // few iterations may not be enough without friction either
    pl_status s = run_text(&env, text, FOLDER, 0);
    assert_true(s == PL_OK || (k == 0 && s == PL_UNSOLVED));
    json_t *f = figures(FOLDER, 0);
    int n = (int)figure(f, "frictionless_projections");
    assert_int_equal(n > 0, k == 0);
    snprintf(told, sizeof told, "in %d %s friction between layers", n, n == 1 ? "solve" : "solves");
    assert_int_equal(strstr(heard, told) != NULL, k == 0);
    assert_int_equal(strstr(heard, "they slid without it") != NULL, k == 0);
    json_decref(f);
  }
}

// A soft block falls on a larger one on the floor, and rests there, the thickness above it: the
// floor carries both, by every rule and with the exact law.
static void stacked_blocks(void **state) {
  (void)state;
  static const char head[] =
      "pliant: 1\nmaterials: {m: {young: 100 kPa, poisson: 0.3, density: 300 kg/m^3}}\nbodies:\n"
      "  - {name: a, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [0.2, 0.2, 0.1], "
      "cells: [4, 4, 2]}}, material: "
      "m}}\n"
      "  - {name: b, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [0.1, 0.1, 0.1], "
      "cells: [2, 2, 2]}}, "
      "translate: [0.04, 0.03, 0.105], material: m}}\n"
      "obstacles: [{name: floor, plane: {normal: [0, 0, 1]}, friction: 0.3}]\n"
      "contact: {nodes: 'a group bottom'}\ngravity: [0, 0, -9.81]\ndamping: {stiffness: 1 ms}\n"
      "watch: {low: 'b nearest [0.09, 0.08, 0.105]'}\noutput: {vtu: no, glb: no, plots: no}\n";
  static const char *const method[] = {"newmark", "bdf2", "implicit-euler"};
  for (int k = 0; k < 5; k++) {
    pl_env env;
    char text[2048];
    int exact = k > 2;
    snprintf(text, sizeof text,
             "%sself_contact: {thickness: 2 mm, friction: 0.3, exact: %s}\n"
             "analyses: [{transient: {duration: 0.4, step: 4 ms, method: %s}}]\n",
             head, exact ? "yes" : "no", method[exact ? 2 * k - 6 : k]);
    check_ok(&env, run_text(&env, text, FOLDER, 0));
    pl_table *t = table(&env, FOLDER "/transient.csv");
    check_rel(value(t, "floor_normal", -1), 300 * (0.004 + 0.001) * GRAVITY, 1e-2);
    // gravity presses both together by a part of a millimetre
    check_close(value(t, "low_z", -1), 0.102, 5e-4);
    check_less(value(t, "kinetic", -1), 1e-4);
    if (!exact) {
      pl_table *l = table(&env, FOLDER "/transient-limits.csv");
      for (int i = 1; i < pl_table_rows(l); i++) check_less(0.95, value(l, "layer_gap", i));
      check_close(value(l, "layer_gap", -1), 1, 0.02);
      pl_table_free(l);
    } else {
      check_rel(value(t, "bodies_normal", -1), 300 * 0.001 * GRAVITY, 1e-2);
    }
    pl_table_free(t);
  }
}

// ---- a stop on the way --------------------------------------------------------------------------

// A run that goes on after 0.1 s does what it would have done: to the tolerance of projections,
// which begin without the last duals.
static void resume(void **state) {
  (void)state;
  static const char head[] = SQUARE("limit: {stretch: 1 %}") HUNG;
  static const double until[] = {0.2, 0.1, 0.2};
  static const char *const folder[] = {FOLDER, OTHER, OTHER};
  static const char *const file[] = {"transient-energy.csv", "transient-limits.csv",
                                     "transient.csv"};
  pl_env env;
  for (int k = 0; k < 3; k++) {
    char text[2048];
    snprintf(text, sizeof text,
             "%sanalyses: [{transient: {duration: %g, step: 10 ms, method: bdf2-project}}]\n", head,
             until[k]);
    check_ok(&env, run_text(&env, text, folder[k], k == 2));
  }
  for (int k = 0; k < 3; k++) {
    char path[256];
    snprintf(path, sizeof path, FOLDER "/%s", file[k]);
    pl_table *a = table(&env, path);
    snprintf(path, sizeof path, OTHER "/%s", file[k]);
    pl_table *b = table(&env, path);
    assert_int_equal(pl_table_rows(b), 21);
    for (int i = 0; i < 21; i++) check_close(value(b, "time", i), value(a, "time", i), 1e-15);
    if (k == 0)
      for (int i = 0; i < 21; i++) {
        check_close(value(b, "total", i), value(a, "total", i), 1e-5);
        check_close(value(b, "limiter", i), value(a, "limiter", i), 1e-5);
      }
    if (k == 2) check_close(value(b, "low_z", -1), value(a, "low_z", -1), 1e-5);
    pl_table_free(a);
    pl_table_free(b);
  }
  json_t *once = figures(FOLDER, 0), *twice = figures(OTHER, 0);
  check_close(figure(twice, "steps"), figure(once, "steps"), 0);
  check_close(figure(twice, "projections"), figure(once, "projections"), 0);
  json_decref(once);
  json_decref(twice);
  // another limit is another scene
  pl_status st = run_text(&env,
                          SQUARE("limit: {stretch: 2 %}") HUNG
                          "analyses: [{transient: {duration: 0.3, step: 10 ms, method: "
                          "bdf2-project}}]\n",
                          OTHER, 1);
  assert_int_equal(st, PL_E_INPUT);
  assert_non_null(strstr(heard, "belongs to another scene"));
}

static int stop_soon(void *ctx, const pl_progress *p) {
  (void)p;
  return ++*(int *)ctx > 3;
}

static void cancel(void **state) {
  (void)state;
  static const char text[] = SQUARE("limit: {stretch: 1 %}") HUNG
      "analyses: [{transient: {duration: 20, step: 10 ms, method: reflect, compare: [project]}}]\n";
  pl_scene *s;
  pl_env env;
  pl_job_result result;
  int calls = 0;
  const pl_job_opts opts = {.folder = FOLDER, .threads = 1};
  pl_env_init(&env);
  env.progress = stop_soon;
  env.progress_ctx = &calls;
  check_ok(&env, pl_scene_parse(&env, "test", ".", text, strlen(text), 0, NULL, NULL, &s));
  assert_int_equal(pl_job_run(&env, s, &opts, &result), PL_CANCELLED);
  assert_true(result.cancelled);
  json_t *f = figures(FOLDER, 0);
  assert_string_equal(json_string_value(json_object_get(f, "reason")), "cancelled");
  assert_null(json_object_get(f, "compare"));
  json_decref(f);
  pl_scene_free(s);
}

// ---- all kinds of limits and files --------------------------------------------------------------

static void files(void **state) {
  (void)state;
  static const char *const names[] = {
      "transient.glb", "transient.pvd",        "transient-strain.svg",    "transient-energy.svg",
      "report.html",   "transient-limits.csv", "transient/frame-0000.vtu"};
  pl_env env;
  check_ok(
      &env,
      run_text(
          &env,
          "pliant: 1\nmaterials: {m: {young: 5 kPa, density: 300}}\n"
          "bodies: [{name: b, shell: {bending: hinge, mesh: {grid: {size: [1, 1], cells: [4, 4], "
          "pattern: crossed}}, material: m, thickness: 1 mm, limit: {curve: "
          "polar.csv, directions: 6}, regions: [{nodes: b where x < 0.6, limit: "
          "{stretch: 2 %}}]}}]\n" HUNG
          "analyses: [{transient: {duration: 0.1, step: 10 ms, method: project, "
          "weights: plain}}]\n",
          FOLDER, 0));
  for (int k = 0; k < (int)(sizeof names / sizeof *names); k++) {
    char path[256];
    snprintf(path, sizeof path, FOLDER "/%s", names[k]);
    if (access(path, R_OK) != 0) fail_msg("%s is missing", path);
  }
  char *data;
  size_t size;
  check_ok(&env, pl_file_read(&env, FOLDER "/transient/frame-0000.vtu", 0, &data, &size));
  assert_non_null(strstr(data, "stretch_over_limit"));
  pl_free(&env, data);
  pl_table *l = table(&env, FOLDER "/transient-limits.csv");
  assert_true(has(l, "between"));
  for (int i = 0; i < pl_table_rows(l); i++) check_less(value(l, "violation", i), 1e-6);
  pl_table_free(l);
}

static pl_status whole(pl_env *env, void *ctx) {
  static const char text[] = SQUARE("limit: {stretch: 1 %}") HUNG
      "analyses: [{transient: {duration: 0.02, step: 10 ms, method: project, compare: "
      "[implicit-euler]}}, {drape: {max_steps: 2, tolerance: 1}}]\n";
  pl_scene *s;
  pl_job_result result;
  const pl_job_opts opts = {.folder = ctx, .threads = 1};
  PL_TRY(pl_scene_parse(env, "test", ".", text, strlen(text), 0, NULL, NULL, &s));
  pl_status st = pl_job_run(env, s, &opts, &result);
  pl_scene_free(s);
  return st;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(whole, FOLDER);
}

int test_cloth(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(swing),          cmocka_unit_test(momentum),
      cmocka_unit_test(drape),          cmocka_unit_test(supports_apart),
      cmocka_unit_test(supports_part),  cmocka_unit_test(no_mass),
      cmocka_unit_test(comparisons),    cmocka_unit_test(resume),
      cmocka_unit_test(all_at_once),    cmocka_unit_test(friction_let_go),
      cmocka_unit_test(stacked_blocks), cmocka_unit_test(cancel),
      cmocka_unit_test(files),          cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("job.cloth", tests, NULL, NULL);
}
