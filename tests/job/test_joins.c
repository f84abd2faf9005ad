// Joined bodies from start to end, against closed forms.
#include "run_scene.h"

#include "pliant/math.h"
#include "pliant/report.h"

#define FOLDER "test_joins.results"

static pl_env env;

// runs a scene of scenes/, or the text of one
static void run_file(const char *scene, int nset, const char *const *set) {
  pl_scene *s;
  pl_job_result result;
  char path[PL_TEXT];
  const pl_job_opts opts = {.folder = FOLDER, .threads = 1};
  pl_env_init(&env);
  snprintf(path, sizeof path, SOURCE_DIR "/scenes/%s", scene);
  check_ok(&env, pl_scene_load(&env, path, nset, set, &s));
  check_ok(&env, pl_job_run(&env, s, &opts, &result));
  pl_scene_free(s);
}

static void run_text(const char *text) {
  pl_text t;
  pl_env_init(&env);
  pl_text_init(&t, &env);
  pl_text_add(&t, "%s", text);
  check_ok(&env, run_scene_at(&env, FOLDER, 0, &t));
  pl_text_free(&t);
}

// a value of a column, row -1: the last
static double value_of(const char *file, const char *column, int row) {
  pl_table *t;
  char path[PL_TEXT];
  snprintf(path, sizeof path, FOLDER "/%s", file);
  check_ok(&env, pl_table_read(&env, path, &t));
  int col = 0, cols = pl_table_cols(t), rows = pl_table_rows(t);
  while (col < cols && strncmp(pl_table_name(t, col), column, strlen(column)) != 0) col++;
  if (col == cols) fail_msg("%s has no column %s", path, column);
  double value = pl_table_data(t)[(row < 0 ? rows - 1 : row) * cols + col];
  pl_table_free(t);
  return value;
}

// Constant stress passes a tie of cells that do not meet, in either direction: stretch s and
// contraction are those of one bar by St. Venant-Kirchhoff, traction 1 MPa = E s (s^2 - 1)/2, to
// rounding; the seam alone opens, by a thousandth of the stretch of a cell.
static void tension_is_exact(void **state) {
  static const char *const other[] = {"bodies.a.solid.mesh.box.cells=[4, 2, 2]",
                                      "bodies.b.solid.mesh.box.cells=[6, 3, 3]"};
  double s = 1.001;
  (void)state;
  for (int it = 0; it < 50; it++)
    s -= (1e9 * s * (s * s - 1) / 2 - 1e6) / (1e9 * (3 * s * s - 1) / 2);
  double across = sqrt(1 - 0.3 * (s * s - 1));
  for (int k = 0; k < 2; k++) {
    run_file("tied-bar.yaml", k ? 2 : 0, other);
    check_close(value_of("static.csv", "seam_y", -1), 0.02 * across, 2e-11);
    check_close(value_of("static.csv", "seam_a_y", -1), 0.02 * across, 2e-11);
    check_close(value_of("static.csv", "tip_y", -1), 0.02 * across, 1e-9);
    check_rel(value_of("static.csv", "seam_a_x", -1), 0.05 * s, 1e-9);
    check_rel(value_of("static.csv", "tip_x", -1), 0.1 * s, 3e-7);
    check_less(value_of("static.csv", "tip_x", -1) - 0.1 * s, 0.1 * (s - 1) * 3e-4);
    check_less(summary_number(&env, FOLDER, "\"join_opening\":", NULL), 1e-5);
  }
}

// Second order, stretched by a drive: contraction is the same all over.
static void second_order_passes(void **state) {
  static const char *const cell[2] = {"tet", "hex"};
  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[2000];
    snprintf(text, sizeof text,
             "pliant: 1\nunits: {length: mm}\n"
             "materials: {m: {young: 1 GPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
             "bodies:\n"
             "  - {name: a, solid: {order: 2, mesh: {box: {size: [20, 20, 20], cells: [1, 3, 3], "
             "cell: %s}}, material: m}}\n"
             "  - {name: b, solid: {order: 2, mesh: {box: {size: [20, 20, 20], cells: [1, 2, 2], "
             "cell: %s}}, translate: [20, 0, 0], material: m}}\n"
             "joins: [{tie: a group right, faces: b group left}]\n"
             "drives:\n"
             "  - {nodes: a group left, fix: x}\n"
             "  - {node: 'a nearest [0, 0, 0]', fix: [y, z]}\n"
             "  - {node: 'a nearest [0, 20, 0]', fix: z}\n"
             "  - {nodes: b group right, fix: x, translation: [0.04, 0, 0], harmonic: 0}\n"
             "watch: {seam: 'b nearest [20, 20, 20]', tip: 'b nearest [40, 20, 20]'}\n"
             "analyses: [static]\n",
             cell[k], cell[k]);
    run_text(text);
    double across = 0.02 * sqrt(1 - 0.3 * (1.001 * 1.001 - 1));
    // Corners of such faces bear nothing and do not open as the seam does, by a thousandth of what
    // a cell is stretched: 1e-4 of the contraction. Opposite a node on an edge of the small
    // serendipity faces may be 21 nodes of the large ones, more than a tie takes, so that it is
    // tied where it is: 1e-2.
    double buffer = (k ? 1e-2 : 1e-4) * (0.02 - across);
    check_close(value_of("static.csv", "seam_y", -1), across, buffer);
    check_close(value_of("static.csv", "tip_y", -1), across, buffer);
  }
}

// bending and torsion of a tied bar beside one of a single mesh, the first six within 0.3 %
static void frequencies_are_those_of_one(void **state) {
  static const char *const head =
      "pliant: 1\nunits: {length: mm}\n"
      "materials: {m: {young: 1 GPa, poisson: 0.3, density: 1000 kg/m^3}}\nfixed: a group left\n"
      "analyses: [modes]\n";
  static const char *const body[2] = {
      "bodies:\n"
      "  - {name: a, solid: {order: 2, mesh: {box: {size: [50, 20, 20], cells: [4, 3, 3], cell: "
      "tet}}, material: m}}\n"
      "  - {name: b, solid: {order: 2, mesh: {box: {size: [50, 20, 20], cells: [4, 2, 2], cell: "
      "tet}}, translate: [50, 0, 0], material: m}}\n"
      "joins: [{tie: a group right, faces: b group left}]\n",
      "bodies: [{name: a, solid: {order: 2, mesh: {box: {size: [100, 20, 20], cells: [8, 3, 3], "
      "cell: tet}}, material: m}}]\n"};
  double f[2][6];
  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[2000];
    snprintf(text, sizeof text, "%s%s", head, body[k]);
    run_text(text);
    for (int i = 0; i < 6; i++) f[k][i] = value_of("modes.csv", "frequency", i);
  }
  for (int i = 0; i < 6; i++) check_rel(f[0][i], f[1][i], 0.01);
}

// A moment on the point of a rigid coupling, and of one that spreads: the beam is an arc of
// curvature M/EI = 1.2 /m, 100 mm long, with 10 mm more in its direction at the end.
static void moments_bend(void **state) {
  static const char *const spread[] = {"joins.flange={name: flange, spread: hub, nodes: beam group "
                                       "right}"};
  double k = 1 / (1e9 * 1e-8 / 12), rot = 0.1 * k;
  (void)state;
  for (int i = 0; i < 2; i++) {
    run_file("hub.yaml", i, spread);
    check_rel(value_of("static.csv", "hub_y", -1) - 0.005, (1 - cos(rot)) / k + 0.01 * sin(rot),
              2e-3);
    check_rel(value_of("static.csv", "hub_x", -1), sin(rot) / k + 0.01 * cos(rot), 1e-4);
    check_rel(value_of("modes.csv", "frequency", 0), value_of("modes.csv", "frequency", 1), 1e-6);
  }
}

// A point above a sheet follows its rim, whose nodes lie in four lines: those of a side span no
// plane.
static void a_rim_moves_a_point(void **state) {
  (void)state;
  run_text("pliant: 1\nunits: {length: mm}\n"
           "materials: {m: {young: 1 GPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
           "nodes: {hub: [50, 50, 20]}\n"
           "bodies: [{name: a, shell: {mesh: {grid: {size: [100, 100], cells: [20, 20]}}, "
           "material: m, thickness: 1}}]\n"
           "joins: [{spread: hub, nodes: a boundary}]\n"
           "drives: [{nodes: a, rotation: {axis: [1, 0, 0], through: [50, 50, 0], "
           "amplitude: 40 deg, harmonic: 0}}]\n"
           "watch: {hub: hub}\n"
           "analyses: [{static: {steps: 2}}]\n");
  double rot = 40 * PL_PI / 180;
  check_close(value_of("static.csv", "hub_y", -1), 0.05 - 0.02 * sin(rot), 1e-9);
  check_close(value_of("static.csv", "hub_z", -1), 0.02 * cos(rot), 1e-9);
}

// A coupling that is turned by its point, far beyond half a turn: nothing is strained.
static void turns_cost_nothing(void **state) {
  (void)state;
  run_text("pliant: 1\nunits: {length: mm}\n"
           "materials: {m: {young: 1 GPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
           "nodes: {hub: [50, 5, 5]}\n"
           "bodies: [{name: a, solid: {mesh: {box: {size: [40, 10, 10], cells: [4, 1, 1]}}, "
           "material: m}}]\n"
           "joins: [{rigid: hub, nodes: a group right}]\n"
           "drives: [{node: hub, clamp: yes, rotation: {axis: [1, 2, 3], through: [0, 0, 0], "
           "amplitude: 300 deg, harmonic: 0}}]\n"
           "watch: {far: 'a nearest [0, 0, 0]', tip: 'a nearest [40, 10, 10]'}\n"
           "analyses: [{static: {steps: 8}}]\n");
  double axis[3] = {1 / sqrt(14), 2 / sqrt(14), 3 / sqrt(14)}, R[9], x[3] = {0.04, 0.01, 0.01};
  static const char *const column[3] = {"tip_x", "tip_y", "tip_z"};
  for (int row = 0; row <= 8; row++) {
    check_less(value_of("static.csv", "elastic", row), 1e-18);
    pl_rotation3(axis, value_of("static.csv", "load_factor", row) * 300 * PL_PI / 180, R);
    for (int c = 0; c < 3; c++)
      check_close(value_of("static.csv", column[c], row), pl_dot3(R + 3 * c, x), 1e-9);
  }
}

// Moments pass: a wire on a block, and the edge of a sheet on one, are cantilevers.
static void welds_hold(void **state) {
  double EI = 200e9 * PL_PI * 1e-12 / 4, EI2 = 200e9 * 0.04 * 1e-9 / 12;
  (void)state;
  run_file("post.yaml", 0, NULL);
  check_rel(value_of("static.csv", "tip_x", -1) - 0.02, 1e-3 / (3 * EI), 2e-3);
  check_rel(value_of("modes.csv", "frequency", 0),
            3.516015 / (2 * PL_PI * 0.01) * sqrt(EI / (7800 * PL_PI * 1e-6)), 3e-3);
  static const char *const midedge[] = {"bodies.flag.shell.bending=midedge",
                                        "bodies.flag.shell.mesh.grid.cells=[20, 8]"};
  for (int k = 0; k < 2; k++) {
    run_file("flag.yaml", k ? 2 : 0, midedge);
    check_rel(value_of("static.csv", "tip_x", -1) - 0.02, 1e-3 / (3 * EI2), k ? 3e-3 : 5e-4);
    check_rel(value_of("modes.csv", "frequency", 0),
              3.516015 / (2 * PL_PI * 0.01) * sqrt(EI2 / (7800 * 4e-5)), 4e-3);
  }
}

// A strip of second order whose edge is coupled to a hub 10 mm before it, which a moment turns by a
// right angle: an arc of curvature M/EI; and one between a clamp and the end of a wire that goes on
// by as much, pulled across: P L^3/3EI of both, with what the strip's end turns the wire by.
static void edges_of_shells_turn(void **state) {
  (void)state;
  double EI = 1e9 * 0.02 * 1e-9 / 12, L = 0.1, k = PL_PI / 2 / L;
  char text[2048];
  const char *head = "pliant: 1\nunits: {length: mm}\n"
                     "materials: {m: {young: 1 GPa, poisson: 0, density: 1000 kg/m^3}}\n"
                     "bodies:\n  - {name: s, shell: {mesh: {grid: {size: [100, 20], cells: [10, "
                     "2]}}, material: m, thickness: 1}}\n";
  snprintf(text, sizeof text,
           "%snodes: {hub: [110, 10, 0]}\n"
           "fixed: {nodes: s group left, clamp: yes}\n"
           "joins: [{rigid: hub, nodes: s group right}]\n"
           "loads: [{node: hub, moment: [0, %.12g N.m, 0]}]\n"
           "watch: {hub: hub}\nanalyses: [{static: {steps: 4}}]\n",
           head, -EI * k);
  run_text(text);
  check_rel(value_of("static.csv", "hub_x", -1), 1 / k, 1e-3);
  check_rel(value_of("static.csv", "hub_z", -1), 1 / k + 0.01, 1e-3);
  snprintf(text, sizeof text,
           "%s  - {name: wire, rod: {mesh: {line: {from: [101, 10, 0], to: [201, 10, 0], segments: "
           "40}}, material: m, section: {round: 2}}}\n"
           "fixed: {nodes: s group left, clamp: yes}\n"
           "joins: [{rigid: wire group start, nodes: s group right}]\n"
           "loads: [{nodes: wire group end, force: [0, 0, 1e-4 N]}]\n"
           "watch: {tip: wire group end}\nanalyses: [static]\n",
           head);
  run_text(text);
  double rod = 1e9 * PL_PI / 4 * 1e-12, P = 1e-4, W = 0.1, A = 0.001 + W;
  double sag = P * L * L * L / (3 * EI) + P * A * L * L / (2 * EI);
  double rot = P * L * L / (2 * EI) + P * A * L / EI;
  check_rel(value_of("static.csv", "tip_z", -1), sag + rot * A + P * W * W * W / (3 * rod), 3e-3);
}

// An L of two wires whose ends lie side by side, welded by a rigid coupling of the ends: the force
// at the tip bends the upright by a constant moment, P L^3/3EI + P L^2 H/EI, and the offset of 2 mm
// stays.
static void rods_are_welded(void **state) {
  (void)state;
  run_text("pliant: 1\nunits: {length: mm}\n"
           "materials: {steel: {young: 200 GPa, poisson: 0.3, density: 7800 kg/m^3}}\n"
           "bodies:\n"
           "  - {name: up, rod: {mesh: {line: {from: [0, 0, 0], to: [0, 0, 50], segments: 20}}, "
           "material: steel, section: {round: 2}}}\n"
           "  - {name: out, rod: {mesh: {line: {from: [0, 2, 50], to: [50, 2, 50], segments: 20}}, "
           "material: steel, section: {round: 2}}}\n"
           "drives: [{nodes: up group start, clamp: yes, fix: all}]\n"
           "joins: [{rigid: up group end, nodes: out group start}]\n"
           "loads: [{nodes: out group end, force: [0, 0, 0.1 N]}]\n"
           "watch: {tip: out group end}\n"
           "analyses: [static]\n");
  double EI = 200e9 * PL_PI * 1e-12 / 4, L = 0.05, P = 0.1;
  check_rel(value_of("static.csv", "tip_z", -1) - 0.05,
            P * L * L * L / (3 * EI) + P * L * L * L / EI, 3e-3);
}

// A tie with a gap keeps it through a large turn: block and slab are driven as one.
static void gaps_turn(void **state) {
  (void)state;
  run_text(
      "pliant: 1\nunits: {length: mm}\n"
      "materials: {m: {young: 1 GPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
      "bodies:\n"
      "  - {name: a, solid: {mesh: {box: {size: [20, 20, 10], cells: [2, 2, 1]}}, material: m}}\n"
      "  - {name: b, solid: {mesh: {box: {size: [20, 20, 10], cells: [3, 3, 1]}}, translate: "
      "[0, 0, 11], material: m}}\n"
      "joins: [{tie: b group bottom, faces: a group top, tolerance: 2}]\n"
      "drives: [{nodes: a group bottom, rotation: {axis: [1, 1, 0], through: [0, 0, 0], "
      "amplitude: 120 deg, harmonic: 0}}]\n"
      "watch: {top: 'b nearest [20, 20, 21]'}\n"
      "analyses: [{static: {steps: 6}}]\n");
  double axis[3] = {sqrt(0.5), sqrt(0.5), 0}, R[9], x[3] = {0.02, 0.02, 0.021};
  static const char *const column[3] = {"top_x", "top_y", "top_z"};
  pl_rotation3(axis, 2 * PL_PI / 3, R);
  check_less(value_of("static.csv", "elastic", -1), 1e-18);
  for (int c = 0; c < 3; c++)
    check_close(value_of("static.csv", column[c], -1), pl_dot3(R + 3 * c, x), 1e-9);
}

int test_joins(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tension_is_exact),
      cmocka_unit_test(second_order_passes),
      cmocka_unit_test(frequencies_are_those_of_one),
      cmocka_unit_test(moments_bend),
      cmocka_unit_test(edges_of_shells_turn),
      cmocka_unit_test(a_rim_moves_a_point),
      cmocka_unit_test(turns_cost_nothing),
      cmocka_unit_test(welds_hold),
      cmocka_unit_test(rods_are_welded),
      cmocka_unit_test(gaps_turn),
  };
  return cmocka_run_group_tests_name("job.joins", tests, NULL, NULL);
}
