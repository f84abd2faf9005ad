// Scenes in which faces and edges of bodies stop at obstacles between their nodes.
#include "check.h"

#include "pliant/job.h"
#include "pliant/math.h"
#include "pliant/mesh.h"
#include "pliant/report.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FOLDER "test_surfaces.results"
static const double GRAVITY = 9.81;

static void run_text(pl_env *env, const char *text) {
  pl_scene *s;
  pl_job_result result;
  const pl_job_opts opts = {.folder = FOLDER, .threads = 1};
  pl_env_init(env);
  check_ok(env, pl_scene_parse(env, "test", ".", text, strlen(text), 0, NULL, NULL, &s));
  check_ok(env, pl_job_run(env, s, &opts, &result));
  assert_int_equal(result.nunsolved, 0);
  pl_scene_free(s);
}

// entry i of an obstacle's force on the model at the end
static double force(const char *obstacle, int i) {
  json_error_t e;
  json_t *all = json_load_file(FOLDER "/summary.json", 0, &e);
  assert_non_null(all);
  json_t *o = json_object_get(json_array_get(json_object_get(all, "analyses"), 0), "contact");
  o = json_object_get(json_object_get(json_object_get(o, "obstacles"), obstacle), "force_N");
  assert_non_null(o);
  double f = json_number_value(json_array_get(o, (size_t)i));
  json_decref(all);
  return f;
}

static void read_table(pl_env *env, const char *name, pl_table **t) {
  check_ok(env, pl_table_read(env, name, t));
}

static double value(const pl_table *t, const char *name, int row) {
  int c = 0, w = pl_table_cols(t);
  while (c < w && strcmp(pl_table_name(t, c), name) != 0) c++;
  if (c == w) fail_msg("there is no column '%s'", name);
  return pl_table_data(t)[row * w + c];
}

// ---- a block on less than its face --------------------------------------------------------------

#define BLOCK                                                                                      \
  "pliant: 1\nunits: {length: mm}\n"                                                               \
  "materials: {r: {young: 1 GPa, poisson: 0, density: 1000 kg/m^3}}\n"                             \
  "bodies: [{name: b, solid: {formulation: plain, mesh: {box: {size: [100, 100, 50], cells: [1, "  \
  "1, 1]}}, translate: [-50, -50, 20.5], material: r}}]\n"                                         \
  "obstacles: [{name: post, box: {centre: [0, 0, 10], size: [40, 40, 20]}, friction: 0.5}]\n"      \
  "contact: {nodes: b}\ngravity: [0, 0, -9.81 m/s^2]\n"                                            \
  "damping: {mass: 40 1/s, stiffness: 1 ms}\nwatch: {corner: \"b nearest [-50, -50, 20]\"}\n"

// its faces come down on the post, 20 mm high, and press with the weight
static void check_block(pl_env *env, const char *table) {
  pl_table *t;
  read_table(env, table, &t);
  check_close(value(t, "corner_z", pl_table_rows(t) - 1), 0.02, 1e-7);
  check_rel(force("post", 2), 0.1 * 0.1 * 0.05 * 1000 * GRAVITY, 1e-6);
  check_close(force("post", 0), 0, 1e-6);
  pl_table_free(t);
}

static void block_on_post(void **state) {
  (void)state;
  pl_env env;
  run_text(&env, BLOCK "analyses: [{static: {}}]\n");
  check_block(&env, FOLDER "/static.csv");
  run_text(&env, BLOCK "analyses: [{transient: {duration: 0.5 s, step: 1 ms, method: "
                       "implicit-euler}}]\n");
  check_block(&env, FOLDER "/transient.csv");
  // Newmark's forces ring from step to step
  run_text(&env, BLOCK "analyses: [{transient: {duration: 0.5 s, step: 1 ms}}]\n");
  pl_table *t;
  read_table(&env, FOLDER "/transient.csv", &t);
  int last = pl_table_rows(t) - 1;
  double mean = (value(t, "post_normal", last) + value(t, "post_normal", last - 1)) / 2;
  check_close(value(t, "corner_z", last), 0.02, 1e-7);
  check_rel(mean, 0.1 * 0.1 * 0.05 * 1000 * GRAVITY, 1e-5);
  pl_table_free(t);
}

// ---- friction at edges --------------------------------------------------------------------------

// A plate on the edges of two posts that lie on a slope of 30 degrees.
static void run_slope(pl_env *env, double mu, pl_table **t) {
  char text[2000];
  double angle = PL_PI / 6, s = sin(angle), c = cos(angle);
  // the plate's corner is 100 mm up the slope from the origin, and the edges lie 30 mm from it
  snprintf(text, sizeof text,
           "pliant: 1\nunits: {length: mm}\n"
           "materials: {r: {young: 500 GPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
           "bodies: [{name: b, solid: {formulation: plain, mesh: {box: {size: [200, 100, 20], "
           "cells: [1, 1, 1]}}, rotate: {axis: [0, 1, 0], angle: 30 deg}, translate: [%.17g, -50, "
           "%.17g], material: r}}]\n"
           "obstacles:\n"
           "  - {name: high, box: {centre: [%.17g, 0, %.17g], size: [10, 40, 20]}, friction: %g}\n"
           "  - {name: low, box: {centre: [%.17g, 0, %.17g], size: [10, 40, 20]}, friction: %g}\n"
           "contact: {nodes: b}\ngravity: [0, 0, -9.81 m/s^2]\ndamping: {stiffness: 1 ms}\n"
           "watch: {corner: \"b nearest [%.17g, -50, %.17g]\"}\n"
           "analyses: [{transient: {duration: 60 ms, step: 1 ms, method: implicit-euler}}]\n",
           -100 * c, 100 * s, -30 * c - 5, 30 * s - 10, mu, 30 * c - 5, -30 * s - 10, mu, -100 * c,
           100 * s);
  run_text(env, text);
  read_table(env, FOLDER "/transient.csv", t);
}

static void slides_on_edges(void **state) {
  (void)state;
  pl_env env;
  pl_table *t;
  run_slope(&env, 0.3, &t);
  double x[3], h = 0.01;
  for (int i = 0; i < 3; i++) {
    int row = pl_table_rows(t) - 1 - 10 * i;
    x[i] = cos(PL_PI / 6) * value(t, "corner_x", row) - sin(PL_PI / 6) * value(t, "corner_z", row);
  }
  check_rel((x[0] - 2 * x[1] + x[2]) / (h * h), 2.3562872, 1e-6);
  double normal = 0, along = 0, c = cos(PL_PI / 6), s = sin(PL_PI / 6);
  for (int k = 0; k < 2; k++) {
    const char *name = k ? "low" : "high";
    along += s * force(name, 2) - c * force(name, 0);
    normal += c * force(name, 2) + s * force(name, 0);
  }
  check_rel(along / normal, 0.3, 1e-6);
  pl_table_free(t);
  // tan 30 degrees is 0.577
  run_slope(&env, 0.6, &t);
  int last = pl_table_rows(t) - 1;
  check_close(value(t, "corner_x", last), value(t, "corner_x", last - 10), 1e-12);
  pl_table_free(t);
}

// ---- rods ---------------------------------------------------------------------------------------

// A rod lies across two thin bars, both of which meet it between its nodes.
static void rod_on_bars(void **state) {
  (void)state;
  pl_env env;
  pl_table *t;
  run_text(&env, "pliant: 1\nunits: {length: mm}\n"
                 "materials: {s: {young: 200 GPa, poisson: 0.3, density: 8000 kg/m^3}}\n"
                 "bodies: [{name: rod, rod: {mesh: {line: {from: [-100, 0, 5], to: [100, 0, 5], "
                 "segments: 5}}, material: s, section: {round: 4}}}]\n"
                 "obstacles:\n"
                 "  - {name: left, cylinder: {from: [-70, -50, 0], to: [-70, 50, 0], radius: 2}, "
                 "friction: 0.3}\n"
                 "  - {name: right, capsule: {from: [70, -50, 0], to: [70, 50, 0], radius: 2}, "
                 "friction: 0.3}\n"
                 "contact: {nodes: rod, radius: 2}\ngravity: [0, 0, -9.81 m/s^2]\n"
                 "damping: {mass: 50 1/s, stiffness: 0.1 ms}\n"
                 "watch: {a: \"rod nearest [-100, 0, 5]\", b: \"rod nearest [-60, 0, 5]\"}\n"
                 "analyses: [{transient: {duration: 0.3 s, step: 1 ms, method: "
                 "implicit-euler}}]\n");
  read_table(&env, FOLDER "/transient.csv", &t);
  int last = pl_table_rows(t) - 1;
  double a[2] = {value(t, "a_x", last), value(t, "a_z", last)};
  double b[2] = {value(t, "b_x", last), value(t, "b_z", last)};
  // the line of the segment is two radii from the bar's axis
  double e[2] = {b[0] - a[0], b[1] - a[1]}, d[2] = {-0.07 - a[0], -a[1]};
  check_rel(fabs(e[0] * d[1] - e[1] * d[0]) / hypot(e[0], e[1]), 0.004, 1e-9);
  double weight = 0.2 * PL_PI * 4e-6 * 8000 * GRAVITY;
  check_rel(force("left", 2) + force("right", 2), weight, 1e-6);
  check_rel(force("left", 2), force("right", 2), 1e-6);
  pl_table_free(t);
}

// ---- cloth --------------------------------------------------------------------------------------

static double box_distance(const double *x, const double *centre, const double *half) {
  double out[3], most = -INFINITY;
  for (int c = 0; c < 3; c++) {
    double over = fabs(x[c] - centre[c]) - half[c];
    most = fmax(most, over);
    out[c] = fmax(over, 0);
  }
  return most > 0 ? pl_norm3(out) : most;
}

static double from_box(const double *x) {
  return box_distance(x, (double[3]){3e-3, 4e-3, 25e-3}, (double[3]){35e-3, 45e-3, 25e-3});
}

static double from_bar(const double *x) {
  double y = fmax(-0.11, fmin(0.11, x[1]));
  return sqrt(pow(x[0] - 7e-3, 2) + pow(x[1] - y, 2) + pow(x[2] - 45e-3, 2)) - 3e-3;
}

// below zero inside
static double from_spike(const double *x) {
  static const double at[5][3] = {
      {-0.02, -0.02, 0}, {0.02, -0.02, 0}, {0.02, 0.02, 0}, {-0.02, 0.02, 0}, {3e-3, 4e-3, 0.05}};
  double most = -x[2];
  for (int k = 0; k < 4; k++) {
    double e[3], g[3], n[3], d[3];
    pl_sub3(at[(k + 1) % 4], at[k], e);
    pl_sub3(at[4], at[k], g);
    pl_sub3(x, at[k], d);
    pl_cross3(e, g, n);
    most = fmax(most, pl_dot3(n, d) / pl_norm3(n));
  }
  return most;
}

// the least distance of 861 places of each triangle at the end
static double least(pl_env *env, double (*distance)(const double *x)) {
  enum { PARTS = 40 };
  pl_mesh *m;
  double nearest = INFINITY;
  check_ok(env, pl_mesh_read(env, FOLDER "/drape.vtu", &m));
  assert_true(m->cell[PL_TRI3].n > 0);
  for (int t = 0; t < m->cell[PL_TRI3].n; t++) {
    const int *v = m->cell[PL_TRI3].v + 3 * t;
    for (int i = 0; i <= PARTS; i++)
      for (int j = 0; i + j <= PARTS; j++) {
        double x[3];
        for (int c = 0; c < 3; c++)
          x[c] = ((PARTS - i - j) * m->X[3 * v[0] + c] + i * m->X[3 * v[1] + c] +
                  j * m->X[3 * v[2] + c]) /
                 PARTS;
        nearest = fmin(nearest, distance(x));
      }
  }
  pl_mesh_free(m);
  return nearest;
}

static void check_drape(const char *obstacle, int cells, double (*distance)(const double *x)) {
  pl_env env;
  char text[1000];
  snprintf(text, sizeof text,
           "pliant: 1\nunits: {length: mm}\n"
           "materials: {c: {young: 1 MPa, poisson: 0.3, density: 300 kg/m^3}}\n"
           "bodies: [{name: cloth, shell: {mesh: {grid: {size: [200, 200], cells: [%d, %d], "
           "pattern: alternating}}, translate: [-97, -96, 51], material: c, thickness: 1, limit: "
           "{stretch: 1 %%}}}]\n"
           "obstacles: [{name: step, %s, friction: 0.8}]\n"
           "contact: {nodes: cloth}\ngravity: [0, 0, -9.81 m/s^2]\nanalyses: [drape: {}]\n",
           cells, cells, obstacle);
  run_text(&env, text);
  double far = least(&env, distance);
  assert_true(far > -1e-3 * 0.2 / cells);
  // some place touches, as far as places that are 1/40 of a triangle apart can tell
  assert_true(far < 1e-2 * 0.2 / cells);
  check_rel(force("step", 2), 0.2 * 0.2 * 0.001 * 300 * GRAVITY, 1e-3);
}

static void cloth_stays_outside(void **state) {
  (void)state;
  FILE *f = fopen("spike.obj", "w");
  assert_non_null(f);
  fprintf(f, "v -20 -20 0\nv 20 -20 0\nv 20 20 0\nv -20 20 0\nv 3 4 50\nf 1 3 2\nf 1 4 3\n"
             "f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n");
  fclose(f);
  check_drape("box: {centre: [3, 4, 25], size: [70, 90, 50]}", 9, from_box);
  check_drape("capsule: {from: [7, -110, 45], to: [7, 110, 45], radius: 3}", 9, from_bar);
  check_drape("mesh: {file: spike.obj}", 9, from_spike);
  // finer
  check_drape("box: {centre: [3, 4, 25], size: [70, 90, 50]}", 15, from_box);
  check_drape("mesh: {file: spike.obj}", 15, from_spike);
}

// ---- boxes side by side -------------------------------------------------------------------------

// A strip slides without friction from one box onto the next: nothing stops it where they meet.
static void slides_over_joints(void **state) {
  (void)state;
  pl_env env;
  run_text(&env, "pliant: 1\nunits: {length: mm}\n"
                 "materials: {c: {young: 50 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
                 "bodies: [{name: strip, shell: {mesh: {grid: {size: [50, 20], cells: [5, 2], "
                 "pattern: alternating}}, translate: [42, -10, 0.5], material: c, thickness: 1}}]\n"
                 "obstacles:\n"
                 "  - {name: a, box: {centre: [50, 0, -10], size: [100, 16, 20]}}\n"
                 "  - {name: b, box: {centre: [150, 0, -10], size: [100, 16, 20]}}\n"
                 "contact: {nodes: strip, radius: 0.5}\ngravity: [0, 0, -9.81 m/s^2]\n"
                 "damping: {stiffness: 0.1 ms}\n"
                 "initial: [{nodes: strip, velocity: [1 m/s, 0, 0]}]\n"
                 "watch: {front: \"strip nearest [92, 0, 0.5]\"}\n"
                 "analyses: [{transient: {duration: 30 ms, step: 1 ms}}]\n");
  pl_table *t;
  read_table(&env, FOLDER "/transient.csv", &t);
  int last = pl_table_rows(t) - 1;
  check_close(value(t, "front_x", last), 0.122, 1e-9);
  check_rel(value(t, "kinetic", last), 0.5 * 0.05 * 0.02 * 0.001 * 1000, 1e-6);
  pl_table_free(t);
}

// ---- cloth over obstacles by all methods --------------------------------------------------------

static const char *const cloth_method[] = {"coupled",      "project", "reflect",
                                           "bdf2-project", "bdf2",    "newmark"};
enum { METHODS = sizeof cloth_method / sizeof cloth_method[0] };

#define SHEET                                                                                      \
  "pliant: 1\nunits: {length: mm}\n"                                                               \
  "materials: {c: {young: 5 MPa, poisson: 0.3, density: 300 kg/m^3}}\n"                            \
  "bodies: [{name: s, shell: {mesh: {grid: {size: [%g, %g], cells: [%d, %d], pattern: "            \
  "alternating}}, translate: [%g, %g, 1], material: c, thickness: 1, limit: {stretch: 1 %%}}}]\n"  \
  "contact: {nodes: s, radius: 0.5}\ngravity: [0, 0, -9.81 m/s^2]\n"                               \
  "output: {frames: 2, report: no, vtu: no}\n"

// A profile like a U, closed and 60 mm long along y, with corners that no node may take short.
static void write_u(void) {
  static const int at[8][2] = {{-40, -30}, {40, -30},  {40, 0},  {25, 0},
                               {25, -20},  {-25, -20}, {-25, 0}, {-40, 0}};
  static const int end[6][3] = {{0, 1, 4}, {0, 4, 5}, {1, 2, 3}, {1, 3, 4}, {0, 5, 6}, {0, 6, 7}};
  FILE *f = fopen("u.obj", "w");
  assert_non_null(f);
  for (int k = 0; k < 16; k++)
    fprintf(f, "v %d %d %d\n", at[k % 8][0], k < 8 ? -30 : 30, at[k % 8][1]);
  for (int k = 0; k < 6; k++) {
    const int *v = end[k];
    fprintf(f, "f %d %d %d\nf %d %d %d\n", v[0] + 1, v[1] + 1, v[2] + 1, v[0] + 9, v[2] + 9,
            v[1] + 9);
  }
  for (int k = 1; k <= 8; k++) {
    int next = k % 8 + 1;
    fprintf(f, "f %d %d %d\nf %d %d %d\n", k, k + 8, next + 8, k, next + 8, next);
  }
  fclose(f);
  f = fopen("pull.csv", "w");
  assert_non_null(f);
  fprintf(f, "time_s,factor\n0,0\n0.4,1\n");
  fclose(f);
}

// place of the tail of a strip that has been pulled over the U by 24 mm
static void pull_strip(pl_env *env, const char *method, double step, double tail[2]) {
  char text[2000];
  snprintf(text, sizeof text,
           SHEET "obstacles: [{name: u, mesh: {file: u.obj}, friction: 0.2}]\n"
                 "damping: {mass: 2 1/s, stiffness: 0.2 ms}\n"
                 "drives: [{nodes: \"s where x > 59.9 mm\", translation: [24, 0, 0], over: "
                 "pull.csv}]\nwatch: {tail: \"s nearest [-100, 0, 1]\"}\n"
                 "analyses: [{transient: {duration: 0.4 s, step: %g ms, method: %s}}]\n",
           160.0, 20.0, 16, 2, -100.0, -10.0, step, method);
  run_text(env, text);
  pl_table *t;
  read_table(env, FOLDER "/transient.csv", &t);
  int last = pl_table_rows(t) - 1;
  // what presses on the edges of the U and beside them is told as it acts
  for (int i = 0; i <= last; i++)
    assert_true(value(t, "u_friction", i) <= 0.2 * value(t, "u_normal", i) * (1 + 1e-6) + 1e-9);
  tail[0] = value(t, "tail_x", last);
  tail[1] = value(t, "tail_z", last);
  pl_table_free(t);
}

// All methods pull it to one place, within twice what half the step changes.
static void methods_agree_over_a_u(void **state) {
  (void)state;
  pl_env env;
  double at[METHODS][2], error[METHODS];
  write_u();
  for (int k = 0; k < METHODS; k++) {
    double coarse[2];
    pull_strip(&env, cloth_method[k], 2, coarse);
    pull_strip(&env, cloth_method[k], 1, at[k]);
    error[k] = hypot(at[k][0] - coarse[0], at[k][1] - coarse[1]);
    assert_true(error[k] < 1e-3);
    for (int j = 0; j < k; j++) {
      double apart = hypot(at[k][0] - at[j][0], at[k][1] - at[j][1]);
      check_less(apart, 2 * fmax(error[k], error[j]));
    }
  }
}

// A sheet slides without friction through a channel of boxes that are laid end to end, or over two
// rows of them under its edges: nothing stops it at their joints.
static void slide_sheet(pl_env *env, const char *method, int channel) {
  enum { BOXES = 4 };
  char text[4000], boxes[2000] = "";
  for (int k = 0; k < BOXES; k++) {
    size_t n = strlen(boxes);
    double x = 50 + 100 * k;
    if (channel)
      snprintf(boxes + n, sizeof boxes - n,
               "  - {box: {centre: [%g, 0, -10], size: [100, 80, 20]}}\n"
               "  - {box: {centre: [%g, 45, 0], size: [100, 10, 40]}}\n"
               "  - {box: {centre: [%g, -45, 0], size: [100, 10, 40]}}\n",
               x, x, x);
    else
      snprintf(boxes + n, sizeof boxes - n,
               "  - {box: {centre: [%g, 25, -10], size: [100, 10, 20]}}\n"
               "  - {box: {centre: [%g, -25, -10], size: [100, 10, 20]}}\n",
               x, x);
  }
  snprintf(text, sizeof text,
           SHEET "obstacles:\n%sdamping: {stiffness: 0.2 ms}\n"
                 "initial: [{nodes: s, velocity: [1 m/s, %g m/s, 0]}]\n"
                 "watch: {front: \"s nearest [90, 0, 1]\"}\n"
                 "analyses: [{transient: {duration: 0.2 s, step: 1 ms, method: %s}}]\n",
           80.0, 60.0, 8, 6, 10.0, -30.0, boxes, channel ? 0.05 : 0.0, method);
  run_text(env, text);
  pl_table *t;
  read_table(env, FOLDER "/transient.csv", &t);
  int last = pl_table_rows(t) - 1;
  double along = 0.5 * 0.08 * 0.06 * 0.001 * 300;
  // 0.2 m in 0.2 s; what it has across is lost at the walls, or not
  check_close(value(t, "front_x", last), 0.29, 1e-5);
  double kinetic = value(t, "kinetic", last) / along;
  assert_true(kinetic > 1 - 1e-6 && kinetic < 1 + 1e-4 + (channel ? 0.0025 : 0));
  pl_table_free(t);
}

static void slides_by_all_methods(void **state) {
  (void)state;
  pl_env env;
  for (int k = 0; k < 2 * METHODS; k++) slide_sheet(&env, cloth_method[k / 2], k % 2);
}

// ---- flights ------------------------------------------------------------------------------------

#define FALLING                                                                                    \
  "pliant: 1\nunits: {length: mm}\n"                                                               \
  "materials: {r: {young: 20 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"                          \
  "bodies: [{name: b, solid: {mesh: {box: {size: [40, 40, 20], cells: [1, 1, 1]}}, translate: "    \
  "[-20, -20, 80], material: r}}]\n"                                                               \
  "obstacles: [{name: post, box: {centre: [1, 2, %g], size: [10, 10, 20]}, friction: 0.3}]\n"      \
  "contact: {nodes: b}\ngravity: [0, 0, -9.81 m/s^2]\ndamping: {stiffness: 1 ms}\n"                \
  "output: {frames: 2, report: no, vtu: no}\n"

// time of a figure of the first analysis
static double figure_time(const char *a, const char *b) {
  json_error_t e;
  json_t *all = json_load_file(FOLDER "/summary.json", 0, &e);
  assert_non_null(all);
  json_t *o = json_array_get(json_object_get(all, "analyses"), 0);
  o = json_object_get(o, a);
  if (b) o = json_object_get(o, b);
  o = json_object_get(o, "time_s");
  assert_true(json_is_number(o));
  double x = json_number_value(o);
  json_decref(all);
  return x;
}

// A block falls by 60 mm onto a post that none of its nodes meets.
static void flies_onto_less_than_its_face(void **state) {
  (void)state;
  pl_env env;
  pl_table *t;
  char text[2000];
  double time = sqrt(2 * 0.06 / GRAVITY);
  snprintf(text, sizeof text, FALLING "analyses: [{jump: {duration: 0.3 s, step: 0.5 ms}}]\n",
           10.0);
  run_text(&env, text);
  check_close(figure_time("jump", "landing"), time, 0.5e-3);
  read_table(&env, FOLDER "/jump-impacts.csv", &t);
  check_close(value(t, "time", 0), time, 1e-3);
  check_close(value(t, "z", 0), 0.02, 1e-9);
  assert_true(fabs(value(t, "x", 0) - 1e-3) < 5.001e-3 && fabs(value(t, "y", 0) - 2e-3) < 5.001e-3);
  check_close(value(t, "approach", 0), GRAVITY * time, 0.5e-3 * GRAVITY);
  pl_table_free(t);
  // a transient that ends in the air tells where it comes down
  snprintf(text, sizeof text, FALLING "analyses: [{transient: {duration: 50 ms, step: 1 ms}}]\n",
           10.0);
  run_text(&env, text);
  check_close(figure_time("flight", NULL), time - 0.05, 1e-3);
}

// A block comes down with an edge first, 1 mm in the step and 50 um from where a box ends: the side
// of the box is nearer then than the top that it came through.
static void lands_on_an_edge(void **state) {
  (void)state;
  static const char *const method[] = {"newmark", "implicit-euler", "bdf2"};
  pl_env env;
  for (int k = 0; k < 3; k++) {
    char text[2000];
    snprintf(text, sizeof text,
             "pliant: 1\nunits: {length: mm}\n"
             "materials: {r: {young: 20 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
             "bodies: [{name: b, solid: {mesh: {box: {size: [10, 10, 10], cells: [2, 2, 2]}}, "
             "rotate: {axis: [0, 1, 0], angle: 45 deg}, "
             "translate: [-7.12106781, -5, 7.17106781], material: r}}]\n"
             "obstacles: [{box: {centre: [-20, 0, -20], size: [40, 40, 40]}}]\n"
             "contact: {nodes: b}\ninitial: [{nodes: b, velocity: [0, 0, -1 m/s]}]\n"
             "watch: {corner: \"b nearest [-0.05, -5, 0.1]\"}\n"
             "output: {frames: 2, report: no, vtu: no}\n"
             "analyses: [{transient: {duration: 1 ms, step: 1 ms, method: %s}}]\n",
             method[k]);
    run_text(&env, text);
    pl_table *t;
    read_table(&env, FOLDER "/transient.csv", &t);
    int last = pl_table_rows(t) - 1;
    check_close(value(t, "corner_z", last), 0, 1e-9);
    check_close(value(t, "corner_x", last), -5e-5, 1e-9);
    pl_table_free(t);
  }
}

// ---- starts -------------------------------------------------------------------------------------

static void hear(void *ctx, const pl_diag *d) {
  char *heard = ctx;
  snprintf(heard + strlen(heard), 1000 - strlen(heard), "%s\n", d->text);
}

static void starts_outside(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s;
  char text[2000], heard[1000] = "";
  pl_env_init(&env);
  env.diag = hear;
  env.diag_ctx = heard;
  // the post goes 3 mm into the face, with no node inside of it
  snprintf(text, sizeof text, FALLING "analyses: [{static: {}}]\n", 73.0);
  assert_int_equal(pl_scene_parse(&env, "test", ".", text, strlen(text), 0, NULL, NULL, &s),
                   PL_E_INPUT);
  assert_non_null(strstr(heard, "an edge of obstacle 'post' starts 0.003 m inside"));
  // and touches it
  snprintf(text, sizeof text, FALLING "analyses: [{static: {}}]\n", 70.0);
  check_ok(&env, pl_scene_parse(&env, "test", ".", text, strlen(text), 0, NULL, NULL, &s));
  pl_scene_free(s);
}

// ---- supports beside obstacles ------------------------------------------------------------------

// entry i of the reactions of analysis k at its end, or of what the obstacle pushes with
static double at_end(int k, const char *obstacle, int i) {
  json_error_t e;
  json_t *all = json_load_file(FOLDER "/summary.json", 0, &e);
  assert_non_null(all);
  json_t *o = json_array_get(json_object_get(all, "analyses"), (size_t)k);
  if (obstacle) {
    o = json_object_get(json_object_get(o, "contact"), "obstacles");
    o = json_object_get(json_object_get(o, obstacle), "force_N");
  } else {
    o = json_object_get(o, "reaction_N");
  }
  assert_non_null(o);
  double f = json_number_value(json_array_get(o, (size_t)i));
  json_decref(all);
  return f;
}

// A beam that is held at one end and lies on a post between its nodes, one row of which is held
// across. The post, 20 mm high, is turned by an angle about the beam.
static void run_beam(pl_env *env, double z, double angle, const char *analyses) {
  char text[2000];
  snprintf(text, sizeof text,
           "pliant: 1\nunits: {length: mm}\n"
           "materials: {r: {young: 1 GPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
           "bodies: [{name: b, solid: {mesh: {box: {size: [200, 20, 10], cells: [10, 1, 1]}}, "
           "translate: [0, -10, 20], material: r}}]\n"
           "fixed: b where x = 0 mm\n"
           "drives: [{name: side, nodes: \"b where y = 10 mm and x > 1 mm\", fix: [y]}]\n"
           "obstacles: [{name: post, box: {centre: [185, 0, %g], size: [40, 12, 20], rotate: "
           "{axis: [1, 0, 0], angle: %g deg}}, friction: 0.5}]\n"
           "contact: {nodes: b}\ngravity: [0, 0, -9.81 m/s^2]\n"
           "damping: {mass: 40 1/s, stiffness: 1 ms}\n"
           "output: {frames: 2, report: no, vtu: no}\nanalyses: [%s]\n",
           z, angle, analyses);
  run_text(env, text);
}

// Together supports and the post have the weight, by all methods.
static void supports_hold_the_rest(void **state) {
  (void)state;
  pl_env env;
  const double weight = 0.2 * 0.02 * 0.01 * 1000 * GRAVITY;
  run_beam(&env, 9.5, 5,
           "static: {}, transient: {name: euler, duration: 0.5 s, step: 1 ms, method: "
           "implicit-euler}, transient: {name: bdf2, duration: 0.5 s, step: 1 ms, method: bdf2}");
  for (int k = 0; k < 3; k++) {
    assert_true(at_end(k, "post", 2) > 0.3 * weight);
    check_rel(at_end(k, NULL, 2) + at_end(k, "post", 2), weight, k == 0 ? 1e-9 : 1e-6);
    for (int c = 0; c < 2; c++)
      check_close(at_end(k, NULL, c) + at_end(k, "post", c), 0, 1e-6 * weight);
  }
  // Newmark's forces ring from step to step
  run_beam(&env, 10, 0, "transient: {duration: 0.5 s, step: 1 ms}");
  pl_table *t;
  read_table(&env, FOLDER "/transient.csv", &t);
  double sum = 0;
  for (int i = 1; i <= 2; i++) {
    int row = pl_table_rows(t) - i;
    sum += value(t, "post_normal", row) + value(t, "reaction_fixed_z", row) +
           value(t, "reaction_side_z", row);
  }
  check_rel(sum / 2, weight, 1e-4);
  check_close(at_end(0, NULL, 2), value(t, "reaction_fixed_z", pl_table_rows(t) - 1), 1e-12);
  pl_table_free(t);
}

int test_surfaces(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(block_on_post),
      cmocka_unit_test(slides_on_edges),
      cmocka_unit_test(rod_on_bars),
      cmocka_unit_test(cloth_stays_outside),
      cmocka_unit_test(slides_over_joints),
      cmocka_unit_test(supports_hold_the_rest),
      cmocka_unit_test(methods_agree_over_a_u),
      cmocka_unit_test(slides_by_all_methods),
      cmocka_unit_test(flies_onto_less_than_its_face),
      cmocka_unit_test(lands_on_an_edge),
      cmocka_unit_test(starts_outside),
  };
  return cmocka_run_group_tests_name("job.surfaces", tests, NULL, NULL);
}
