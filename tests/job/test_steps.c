// Statics step after step, each with its own loads and supports, and paths that branch.
#include "run_scene.h"

#include "pliant/math.h"
#include "pliant/report.h"

#define FOLDER "test_steps.results"

static pl_env env;

static pl_scene *load_scene(const char *name, int nset, const char *const *set) {
  pl_scene *s;
  char path[PL_TEXT];
  pl_env_init(&env);
  snprintf(path, sizeof path, SOURCE_DIR "/scenes/%s", name);
  check_ok(&env, pl_scene_load(&env, path, nset, set, &s));
  return s;
}

static void run_file(const char *scene, int nset, const char *const *set) {
  pl_job_result result;
  const pl_job_opts opts = {.folder = FOLDER, .threads = 1};
  pl_scene *s = load_scene(scene, nset, set);
  check_ok(&env, pl_job_run(&env, s, &opts, &result));
  pl_scene_free(s);
}

static pl_table *table_of(const char *file) {
  pl_table *t;
  char path[PL_TEXT];
  snprintf(path, sizeof path, FOLDER "/%s", file);
  check_ok(&env, pl_table_read(&env, path, &t));
  return t;
}

static int column_of(const pl_table *t, const char *name) {
  int col = 0, cols = pl_table_cols(t);
  while (col < cols && strncmp(pl_table_name(t, col), name, strlen(name)) != 0) col++;
  if (col == cols) fail_msg("no column %s", name);
  return col;
}

// row -1: the last
static double value_of(const char *file, const char *column, int row) {
  pl_table *t = table_of(file);
  int cols = pl_table_cols(t), rows = pl_table_rows(t), col = column_of(t, column);
  double value = pl_table_data(t)[(row < 0 ? rows - 1 : row) * cols + col];
  pl_table_free(t);
  return value;
}

// The clip bends the strip, the load pulls it sideways with the clip in place, and when the clip is
// let go of what is left is the sideways deflection alone: that of a cantilever.
static void steps_follow_each_other(void **state) {
  (void)state;
  run_file("steps.yaml", 0, NULL);
  check_close(value_of("bend.csv", "tip_z", -1), 0.01, 1e-12);
  check_close(value_of("tug.csv", "tip_z", -1), 0.01, 1e-12);
  double stiff = 3 * 200e9 * 1e-2 * 125e-9 / 12 / 8e-3;
  check_rel(value_of("bend.csv", "reaction_clip_z", -1), stiff * 0.01, 0.03);
  check_rel(value_of("tug.csv", "reaction_clip_z", 0), stiff * 0.01, 0.03);
  double free = value_of("let_go.csv", "tip_z", -1);
  check_close(free, 0, 2e-9);
  double EI = 200e9 * 5e-3 * 1e-6 / 12;
  check_rel(value_of("let_go.csv", "tip_y", -1), 5 * 8e-3 / (3 * EI), 0.01);
  // half the force of the clip is left half way: the strip is nearly linear
  check_rel(value_of("let_go.csv", "tip_z", 1), 0.005, 0.2);
  // a cantilever has 3.516, one with its end held across 15.418
  double unit = sqrt(200e9 * 25e-6 / 12 / 7800) / (2 * PL_PI * 0.04);
  check_rel(value_of("loose.csv", "frequency", 0), 3.516 * unit, 0.01);
  double held = value_of("held.csv", "frequency", 1);
  check_rel(held, 15.418 * unit, 0.15);
}

typedef struct stopper {
  int on, rows;
} stopper;

static void begin(void *ctx, const pl_analysis *a) {
  ((stopper *)ctx)->on = strcmp(a->name, "let_go") == 0;
}

static int stop_there(void *ctx, const char *name, const pl_table *t, int first) {
  stopper *k = ctx;
  (void)name, (void)t, (void)first;
  return k->on && ++k->rows == 2;
}

static int count_rows(void *ctx, const char *name, const pl_table *t, int first) {
  (void)t, (void)first;
  *(int *)ctx += strcmp(name, "bend") == 0 || strcmp(name, "tug") == 0;
  return 0;
}

// A run that is stopped in its third step goes on there: the steps before are not done again, and
// the numbers are those of a run without a stop.
static void a_stopped_step_is_resumed(void **state) {
  pl_job_result result;
  stopper k = {0};
  int again = 0;
  const pl_sink stops = {.ctx = &k, .begin = begin, .rows = stop_there};
  const pl_sink counts = {.ctx = &again, .rows = count_rows};
  (void)state;
  run_file("steps.yaml", 0, NULL);
  double want[2] = {value_of("let_go.csv", "tip_y", -1), value_of("bend.csv", "tip_x", -1)};
  pl_scene *s = load_scene("steps.yaml", 0, NULL);
  pl_job_opts opts = {.folder = FOLDER, .threads = 1, .sink = &stops};
  assert_int_equal(pl_job_run(&env, s, &opts, &result), PL_CANCELLED);
  opts.sink = &counts;
  opts.resume = 1;
  check_ok(&env, pl_job_run(&env, s, &opts, &result));
  assert_int_equal(again, 0);
  check_close(value_of("let_go.csv", "tip_y", -1), want[0], 0);
  check_close(value_of("bend.csv", "tip_x", -1), want[1], 0);
  pl_scene_free(s);
}

// Weight that is put on in the second step, and a drive that is off at first.
static void gravity_and_drives_come_later(void **state) {
  static const char *const text =
      "pliant: 1\nunits: {length: mm}\n"
      "materials: {steel: {young: 200 GPa, poisson: 0, density: 7800 kg/m^3}}\n"
      "bodies: [{name: strip, solid: {mesh: {box: {size: [200, 10, 5], cells: [20, 1, 1]}}, "
      "material: steel}}]\n"
      "fixed: [{name: wall, nodes: strip group left}]\n"
      "drives: [{name: prop, nodes: strip group right, fix: z, off: yes}]\n"
      "gravity: [0, 0, -9.81 m/s^2]\n"
      "watch: {tip: 'strip nearest [200, 5, 2.5]'}\n"
      "analyses:\n"
      "  - static: {name: light, change: {gravity: 0}}\n"
      "  - static: {name: heavy, about: light, steps: 2, change: {gravity: 1}}\n"
      "  - static: {name: propped, about: heavy, steps: 2, change: {prop: on}}\n";
  pl_text t;
  (void)state;
  pl_env_init(&env);
  pl_text_init(&t, &env);
  pl_text_add(&t, "%s", text);
  check_ok(&env, run_scene_at(&env, FOLDER, 0, &t));
  pl_text_free(&t);
  double q = 7800 * 5e-5 * 9.81, sag = q * 1.6e-3 / (8 * 200e9 * 1e-2 * 125e-9 / 12);
  check_close(value_of("light.csv", "tip_z", -1), 0, 1e-12);
  check_rel(-value_of("heavy.csv", "tip_z", 0), sag / 2, 0.01);
  check_rel(-value_of("heavy.csv", "tip_z", -1), sag, 0.01);
  check_close(value_of("propped.csv", "tip_z", -1), 0, 1e-12);
  // a propped cantilever bears 3/8 of its weight at the prop
  check_rel(value_of("propped.csv", "reaction_prop_z", -1), 3.0 / 8 * q * 0.2, 0.01);
}

// A strip is bent to an arc of 30 degrees; let go of by the wall it is straight at the grip; held
// where it is and pushed it is a strip built in at both ends, as one that lies flat and is pushed
// at the same angle; and put back it is the arc again.
static void clamps_let_go_and_take_hold(void **state) {
  static const char *const flat[] = {
      "drives.grip.rotation.amplitude=0 deg", "loads.push.total=[0.5 N, 0, 0.8660254037844386 N]",
      "analyses.bend.change.push=1", "analyses.let_go.change={push: 0}"};
  (void)state;
  run_file("grip.yaml", 0, NULL);
  double arc[2] = {value_of("bend.csv", "middle_x", -1), value_of("bend.csv", "middle_z", -1)};
  double bent = value_of("bend.csv", "elastic", -1), angle = PL_PI / 6, EI = 200e9 * 2.5e-12 / 12;
  // a strip that is neither narrow nor wide: between a beam and a plate
  assert_true(bent > 0.5 * EI * angle * angle / 0.2);
  assert_true(bent < 0.5 * EI / (1 - 0.09) * angle * angle / 0.2);
  check_close(value_of("let_go.csv", "elastic", -1), 0, 1e-12);
  check_close(value_of("let_go.csv", "root_z", -1), 8.77e-3 * (1 - cos(angle)) - 0.05, 1e-9);
  double x = value_of("again.csv", "middle_x", -1) - value_of("let_go.csv", "middle_x", -1);
  double z = value_of("again.csv", "middle_z", -1) - value_of("let_go.csv", "middle_z", -1);
  double f[2] = {value_of("modes.csv", "frequency", 0), value_of("modes.csv", "frequency", 1)};
  check_close(value_of("back.csv", "middle_x", -1), arc[0], 1e-10);
  check_close(value_of("back.csv", "middle_z", -1), arc[1], 1e-10);
  check_rel(value_of("back.csv", "elastic", -1), bent, 1e-9);
  run_file("grip.yaml", 4, flat);
  check_close(value_of("bend.csv", "middle_z", -1), x * sin(-angle) + z * cos(angle), 1e-9);
  check_rel(value_of("modes.csv", "frequency", 0), f[0], 1e-6);
  check_rel(value_of("modes.csv", "frequency", 1), f[1], 1e-6);
}

static double complete_first(double m) {
  double a = 1, b = sqrt(1 - m);
  while (fabs(a - b) > 1e-15) {
    double c = (a + b) / 2;
    b = sqrt(a * b);
    a = c;
  }
  return PL_PI / 2 / a;
}

static double complete_second(double m) {
  double sum = 0;
  enum { N = 2000 };
  for (int i = 0; i < N; i++) {
    double s = sin((i + 0.5) * PL_PI / 2 / N);
    sum += sqrt(1 - m * s * s);
  }
  return sum * PL_PI / 2 / N;
}

// The path of a straight column branches at Euler's load, pi^2 EI/4 L^2, into the elastica both
// ways: P/P_cr = (2 K/pi)^2, deflection 2 k L/K, height (2 E/K - 1) L. 40 edges leave 2e-4 of the
// load and less than 1e-3 of the length.
static void a_column_buckles(void **state) {
  (void)state;
  run_file("column.yaml", 0, NULL);
  double EI = 200e9 * 4e-3 * 8e-9 / 12, critical = PL_PI * PL_PI * EI;
  check_rel(10 * summary_number(&env, FOLDER, "\"special\"", "\"load_factor\":", NULL), critical,
            3e-4);
  pl_table *t = table_of("path.csv");
  int cols = pl_table_cols(t), rows = pl_table_rows(t), branch = column_of(t, "branch");
  int y = column_of(t, "tip_y"), z = column_of(t, "tip_z"), seen[3] = {0}, side[3] = {0};
  const double *data = pl_table_data(t);
  for (int i = 0; i < rows; i++) {
    const double *row = data + i * cols;
    int b = (int)row[branch];
    double load = 10 * row[0] / (critical * (1 - 1.25e-4)), lo = 0, hi = 1 - 1e-9;
    if (b == 0 || load < 1.01) continue;
    for (int it = 0; it < 60; it++) {
      double m = (lo + hi) / 2;
      if (pow(2 * complete_first(m) / PL_PI, 2) < load) lo = m;
      if (pow(2 * complete_first(m) / PL_PI, 2) >= load) hi = m;
    }
    double K = complete_first(lo);
    check_close(fabs(row[y]), 2 * sqrt(lo) * 0.5 / K, 5e-4);
    check_close(row[z], (2 * complete_second(lo) / K - 1) * 0.5, 1e-3);
    // the branches are stable, and mirror each other
    assert_int_equal((int)row[2], 0);
    side[b] = row[y] > 0 ? 1 : -1;
    seen[b]++;
  }
  assert_true(seen[1] > 5 && seen[2] > 5);
  assert_int_equal(side[1], -side[2]);
  pl_table_free(t);
}

// Two springs from (-1, 0) and (1, 0) to a top at height 0.3 under a constant force: as they get
// softer the path has a fold where the force is their limit load, 2 k (L - l) y/l at l^3 = L.
static void a_parameter_is_followed(void **state) {
  static const char *const text =
      "pliant: 1\ndimension: 2\nparameters: {k: {value: 1000 N/m, min: 1 N/m, max: 2000 N/m}}\n"
      "nodes: {a: [-1, 0], b: [1, 0], top: [0, 0.3]}\n"
      "springs: [{from: a, to: top, stiffness: $k}, {from: b, to: top, stiffness: $k}]\n"
      "masses: [{node: top, mass: 1 kg}]\n"
      "fixed: [a, b]\nloads: [{node: top, force: [0, -5 N]}]\nwatch: {top: top}\n"
      "analyses: [static, {path: {about: static, parameter: k, value: 50 N/m, points: 40}}]\n";
  pl_text t;
  (void)state;
  pl_env_init(&env);
  pl_text_init(&t, &env);
  pl_text_add(&t, "%s", text);
  pl_status s = run_scene_at(&env, FOLDER, 0, &t);
  pl_text_free(&t);
  assert_true(s == PL_OK || s == PL_UNSOLVED);
  double L = hypot(1, 0.3), l = cbrt(L), limit = 5 / (2 * (L - l) * sqrt(l * l - 1) / l);
  double at = summary_number(&env, FOLDER, "\"special\"", "\"load_factor\":", NULL);
  check_rel(1000 - 950 * at, limit, 1e-8);
}

// The hinged roof of Sabir and Lock (1972), 12.7 mm thick: 2.2 kN at a deflection of 10.9 mm, and
// 0.53 kN at 17 mm (Sze, Liu and Lo 2004: 16 x 16 S4R elements).
static void a_roof_snaps(void **state) {
  static const char *const set[] = {"analyses.path.max_step=0.6", "analyses.path.step=0.2",
                                    "output={vtu: no, glb: no, plots: no, report: no}"};
  (void)state;
  run_file("roof.yaml", 3, set);
  char *text, *at;
  size_t size;
  double fold[2] = {0}, x;
  int n = 0;
  check_ok(&env, pl_file_read(&env, FOLDER "/path-special.csv", 0, &text, &size));
  for (at = text; n < 2 && (at = strstr(at, "fold,0,")); at++)
    if (sscanf(at, "fold,0,%*d,%lf", &x) == 1) fold[n++] = x;
  pl_free(&env, text);
  assert_int_equal(n, 2);
  check_rel(3000 * fold[0], 2200, 0.02);
  check_rel(3000 * fold[1], 530, 0.1);
}

// The branches of a shallow arch, which tips to one side and back to the other, are one closed
// curve: gone round once, it is not followed the other way, too.
static void a_branch_closes(void **state) {
  (void)state;
  pl_env_init(&env);
  pl_text t = {.env = &env};
  pl_text_add(&t,
              "pliant: 1\n"
              "units: {length: mm}\n"
              "materials: {m: {young: 3 GPa, poisson: 0.3, density: 1200 kg/m^3}}\n"
              "bodies: [{name: a, rod: {mesh: {arc: {radius: 500, angle: 0.4 rad, segments: 20}},\n"
              "         rotate: {angle: 1.3707963 rad, axis: [0, 0, 1]}, material: m,\n"
              "         section: {rectangle: [2, 20]}, up: [0, 0, 1]}}]\n"
              "fixed: [{nodes: a group start or a group end},\n"
              "        {nodes: 'a and not (a group start or a group end)', fix: z}]\n"
              "loads: [{node: 'a nearest [0, 500, 0]', force: [0, -60 N, 0]}]\n"
              "output: {report: no, vtu: no, glb: no, plots: no}\n"
              "analyses: [{path: {motion: 20, branches: 1}}]\n");
  check_ok(&env, run_scene_at(&env, FOLDER, 0, &t));
  pl_text_free(&t);
  char *text;
  size_t size;
  check_ok(&env, pl_file_read(&env, FOLDER "/summary.json", 0, &text, &size));
  assert_non_null(strstr(text, "back at the start"));
  assert_null(strstr(text, "points used up"));
  pl_free(&env, text);
  double points = summary_number(&env, FOLDER, "\"branches\"", "\"points\":", NULL);
  double load = summary_number(&env, FOLDER, "\"branches\"", "\"load_factor\":", NULL);
  double fork = summary_number(&env, FOLDER, "\"special\"", "\"load_factor\":", NULL);
  if (points > 150) fail_msg("%g points", points);
  check_close(load, fork, 1e-12);
}

int test_steps(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps_follow_each_other),
                                     cmocka_unit_test(a_stopped_step_is_resumed),
                                     cmocka_unit_test(gravity_and_drives_come_later),
                                     cmocka_unit_test(clamps_let_go_and_take_hold),
                                     cmocka_unit_test(a_column_buckles),
                                     cmocka_unit_test(a_parameter_is_followed),
                                     cmocka_unit_test(a_roof_snaps),
                                     cmocka_unit_test(a_branch_closes)};
  return cmocka_run_group_tests_name("job.steps", tests, NULL, NULL);
}
