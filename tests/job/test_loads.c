// Loads of scenes from start to end, against closed forms.
#include "run_scene.h"

#include "pliant/math.h"
#include "pliant/report.h"

#define FOLDER "test_loads.results"

// runs a scene of scenes/ and tells the last value of a column
static double last_of(const char *scene, const char *file, const char *column, int nset,
                      const char *const *set) {
  pl_env env;
  pl_env_init(&env);
  pl_scene *s;
  pl_job_result result;
  pl_table *t;
  char path[PL_TEXT];
  const pl_job_opts opts = {.folder = FOLDER, .threads = 1};
  snprintf(path, sizeof path, SOURCE_DIR "/scenes/%s", scene);
  check_ok(&env, pl_scene_load(&env, path, nset, set, &s));
  check_ok(&env, pl_job_run(&env, s, &opts, &result));
  pl_scene_free(s);
  snprintf(path, sizeof path, FOLDER "/%s", file);
  check_ok(&env, pl_table_read(&env, path, &t));
  int col = 0, cols = pl_table_cols(t), rows = pl_table_rows(t);
  while (col < cols && strncmp(pl_table_name(t, col), column, strlen(column)) != 0) col++;
  if (col == cols) fail_msg("%s has no column %s", path, column);
  double value = pl_table_data(t)[(rows - 1) * cols + col];
  pl_table_free(t);
  return value;
}

// St. Venant-Kirchhoff membrane sphere: p = E h (s - 1/s)/((1 - nu) R), the radius grows from 50 to
// 60 mm; the facets of 16 rows leave 0.33 %. What holds it is p times the area of a quarter disk.
static void balloon(void **state) {
  (void)state;
  double z = last_of("balloon.yaml", "static.csv", "top_z", 0, NULL);
  check_rel(z, 0.060, 0.004);
  double hold = last_of("balloon.yaml", "static.csv", "reaction_x0_x", 0, NULL);
  check_rel(hold, -6666.7 * PL_PI / 4 * 0.06 * 0.06, 0.005);
}

// Lame, plane strain: u = (1 + nu) p a ((1 - 2 nu) a^2 + b^2)/(E (b^2 - a^2)); chords of 16 pieces
// and 12 layers leave 0.11 %. Half the tube is held with p times a times the width.
static void tube(void **state) {
  (void)state;
  check_rel(last_of("tube.yaml", "static.csv", "inner_x", 0, NULL) - 0.05, 12.333e-6, 0.003);
  check_rel(last_of("tube.yaml", "static.csv", "reaction_x0_x", 0, NULL), -0.5, 1e-3);
}

// a ring under pressure that follows it buckles at 3 EI/R^3 (4 or 4.5 if forces stayed towards the
// centre or kept their directions); 96 pieces leave 0.05 %
static void ring(void **state) {
  pl_env env;
  (void)state;
  last_of("ring.yaml", "static.csv", "load_factor", 0, NULL);
  pl_env_init(&env);
  double at = summary_number(&env, FOLDER, "\"critical\"", "\"load_factor\":", NULL);
  check_rel(at * 300, 250, 0.002);
}

// Free edges: the tip of an inextensible strip under a load normal to it, by its differential
// equation (Runge-Kutta): x = 0.354668 L, z = 0.830148 L at q L^3/EI = 10.
static void flap(void **state) {
  (void)state;
  check_close(last_of("flap.yaml", "static.csv", "tip_x", 0, NULL), 0.0354668, 3e-4);
  check_close(last_of("flap.yaml", "static.csv", "tip_z", 0, NULL), 0.0830148, 3e-4);
}

// at half the moment the strip is half a circle of length L: its end is 2 L/pi above its begin
static void roll_up(void **state) {
  static const char *const set[] = {
      "bodies.strip.shell.mesh.grid.cells=[40, 4]", "loads.end.moment=[0, -3.2725 N.mm, 0]",
      "analyses.static.steps=6", "loads.end.nodes=strip where x > 97.4"};
  (void)state;
  check_close(last_of("roll-up.yaml", "static.csv", "tip_z", 4, set), 0.2 / PL_PI, 1e-3);
}

// Timoshenko 1925: curvature 0.50909 /m; four layers of full hexahedra each are 0.9 % too stiff
static void bimetal(void **state) {
  (void)state;
  double z = last_of("bimetal.yaml", "static.csv", "tip_z", 0, NULL);
  check_rel(z - 0.001, 0.50909 * 0.04 * 0.04 / 2, 0.01);
}

// the last value of a column after a scene in text
static double last_of_text(const char *text, const char *file, const char *column) {
  pl_env env;
  pl_text t;
  pl_table *table;
  char path[PL_TEXT];
  pl_env_init(&env);
  pl_text_init(&t, &env);
  pl_text_add(&t, "%s", text);
  check_ok(&env, run_scene_at(&env, FOLDER, 0, &t));
  pl_text_free(&t);
  snprintf(path, sizeof path, FOLDER "/%s", file);
  check_ok(&env, pl_table_read(&env, path, &table));
  int col = 0, cols = pl_table_cols(table), rows = pl_table_rows(table);
  while (col < cols && strncmp(pl_table_name(table, col), column, strlen(column)) != 0) col++;
  if (col == cols) fail_msg("%s has no column %s", path, column);
  double value = pl_table_data(table)[(rows - 1) * cols + col];
  pl_table_free(table);
  return value;
}

// springs of 100 N/m against a tendon that is pulled, k w = (k + K) u, one under tension, a base
// that is accelerated; and a node on springs to the ground
static void lumped(void **state) {
  static const char text[] =
      "pliant: 1\n"
      "nodes: {a: [0, 0, 0], g: [-1, 0, 0], b: [1, 0, 0], c: [0, 2, 0], d: [1, 2, 0],\n"
      "        e: [0, 5, 0], h: [0, 7, 0], i: [1, 7, 0]}\n"
      "fixed: [{nodes: [a, g, c, h]}, {nodes: [b, d, i], fix: [y, z]}]\n"
      "springs:\n"
      "  - {nodes: [a, b], stiffness: 100 N/m}\n"
      "  - {nodes: [c, d], stiffness: 100 N/m}\n"
      "  - {nodes: [h, i], stiffness: 100 N/m}\n"
      "masses: [{node: i, mass: 2 kg}]\n"
      "tendons:\n"
      "  - {through: [g, a, b], pull: 0.1 m, stiffness: 50 N/m}\n"
      "  - {through: [c, d], tension: 5 N}\n"
      "foundations: [{node: e, stiffness: 40 N/m}]\n"
      "loads: [{node: e, force: [0, 0, 8 N]}, {acceleration: [3 m/s^2, 0, 0]}]\n"
      "watch: {b: b, d: d, e: e, i: i}\n"
      "analyses: [{static: {}}]\n";
  (void)state;
  check_rel(last_of_text(text, "static.csv", "b_x"), 1 - 50 * 0.1 / 150, 1e-9);
  check_rel(last_of_text(text, "static.csv", "d_x"), 1 - 5.0 / 100, 1e-9);
  check_rel(last_of_text(text, "static.csv", "e_z"), 8.0 / 40, 1e-9);
  check_rel(last_of_text(text, "static.csv", "i_x"), 1 - 2 * 3.0 / 100, 1e-9);
}

// An oscillator of 10 rad/s under a force, or on a base, that grows evenly: t - sin(w t)/w. The
// trapezoidal rule is off by about (w h)^2/12 of the phase.
static void over_time(void **state) {
  static const char text[] = "pliant: 1\n"
                             "dimension: 1\n"
                             "nodes: {m: 0, base: 0, n: 0}\n"
                             "masses: [{node: m, mass: 1 kg}, {node: n, mass: 1 kg}]\n"
                             "springs: [{nodes: [ground, m], stiffness: 100 N/m},\n"
                             "          {nodes: [base, n], stiffness: 100 N/m}]\n"
                             "drives: [{node: base, translation: [1 m], over: ramp.csv}]\n"
                             "loads: [{node: m, force: [100 N], over: ramp.csv}]\n"
                             "watch: {m: m, n: n}\n"
                             "analyses: [{static: {}}, {transient: {duration: 1 s, step: 1 ms}}]\n";
  pl_env env;
  (void)state;
  pl_env_init(&env);
  write_text(&env, "ramp.csv", "time_s,factor\n0,0\n0.5,0.5\n1.5,1.5\n2,2\n");
  double want = 1 - sin(10.0) / 10;
  check_rel(last_of_text(text, "transient.csv", "m_x"), want, 2e-5);
  check_rel(last_of_text(text, "transient.csv", "n_x"), want, 2e-5);
  // in statics the file is run through
  check_rel(last_of_text(text, "static.csv", "m_x"), 2, 1e-9);
  check_rel(last_of_text(text, "static.csv", "n_x"), 2, 1e-9);
}

// Columns in units that the table of a run does not have: kilopascal over microseconds.
static void units_over_time(void **state) {
  static const char text[] =
      "pliant: 1\nunits: {length: mm}\n"
      "materials: {m: {young: 1 MPa, poisson: 0, density: 1000 kg/m^3}}\n"
      "bodies: [{name: b, solid: {mesh: {box: {size: [10, 10, 10], cells: [1, 1, 1]}}, material: "
      "m}}]\nfixed: b group bottom\n"
      "loads: [{faces: b group top, pressure: 1 Pa, over: press.csv}]\n"
      "watch: {top: 'b nearest [0, 0, 10]'}\n"
      "analyses: [{static: {}}, {transient: {duration: 4 us, step: 1 us}}]\n";
  static const char *const header[] = {"time_us,pressure_kPa", "time_us,pressure_N_mm2"};
  static const double factor[] = {1, 1e-3};
  (void)state;
  for (int k = 0; k < 2; k++) {
    char csv[128];
    pl_env env;
    pl_env_init(&env);
    snprintf(csv, sizeof csv, "%s\n0,0\n4,%g\n", header[k], factor[k]);
    write_text(&env, "press.csv", csv);
    // the law is not linear: 1.5 (p/E)^2
    check_rel(last_of_text(text, "static.csv", "top_z"), 0.01 * (1 - 1e-3), 2e-6);
    // F t^2/6m of a growing force on a third of the mass; four steps are right to a sixteenth
    check_rel(0.01 - last_of_text(text, "transient.csv", "top_z"), 0.1 * 16e-12 / (6 * 1e-3 / 3),
              0.07);
  }
}

// A pressure that oscillates does to a body that hardly moves what a traction does.
static void harmonic(void **state) {
  static const char text[] =
      "pliant: 1\n"
      "materials: {soft: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
      "bodies: [{name: b, solid: {mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}, material: "
      "soft}}]\n"
      "fixed: b where z = 0\n"
      "damping: {mass: 1 1/s}\n"
      "loads: [{faces: b where z = 1, %s, harmonic: 1, phase: 90 deg}]\n"
      "watch: {top: 'b nearest [0.5, 0.5, 1]'}\n"
      "analyses: [{periodic: {frequency: 4 Hz, harmonics: 3}}]\n";
  char scene[2][1000];
  double peak[2];
  (void)state;
  snprintf(scene[0], sizeof scene[0], text, "pressure: 10 Pa");
  snprintf(scene[1], sizeof scene[1], text, "traction: [0, 0, -10 Pa]");
  for (int k = 0; k < 2; k++) peak[k] = last_of_text(scene[k], "periodic.csv", "top_z") - 1;
  check_less(1e-7, fabs(peak[1]));
  check_rel(peak[0], peak[1], 1e-4);
}

int test_loads(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(balloon), cmocka_unit_test(tube),      cmocka_unit_test(ring),
      cmocka_unit_test(flap),    cmocka_unit_test(roll_up),   cmocka_unit_test(bimetal),
      cmocka_unit_test(lumped),  cmocka_unit_test(over_time), cmocka_unit_test(units_over_time),
      cmocka_unit_test(harmonic)};
  return cmocka_run_group_tests_name("job.loads", tests, NULL, NULL);
}
