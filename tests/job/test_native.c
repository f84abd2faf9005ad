#include "run_scene.h"

#include "pliant/report.h"

// Patches of interlocking materials, from a scene to its files.

static void run(pl_env *env, const char *folder, const char *text, pl_status want) {
  pl_text t;
  pl_text_init(&t, env);
  pl_text_add(&t, "pliant: 1\n%s", text);
  check_status(env, run_scene_at(env, folder, 0, &t), want);
  pl_text_free(&t);
}

static void chain(void **state) {
  (void)state;
  pl_env env;
  pl_table *t;
  pl_env_init(&env);
  run(&env, "native-chain",
      "units: {length: mm}\ninterlocking: [{chain: {radius: 4, wire: 1, pitch: 5.5}, "
      "density: 1000 kg/m^3}]\n"
      "patches: [{cells: [3, 1], held: {edge: left}, loads: [{force: [0, 0, -1 N], edge: "
      "right}]}]\n"
      "gravity: [0, 0, -9810]\nanalyses: [native]\n",
      PL_OK);
  check_ok(&env, pl_table_read(&env, "native-chain/native.csv", &t));
  assert_int_equal(pl_table_rows(t), 6);
  int z = pl_table_find(t, "z"), cols = pl_table_cols(t);
  const double *row = pl_table_data(t);
  for (int i = 2; i < 6; i++) check_close(row[cols * (i - 1) + z] - row[cols * i + z], 6e-3, 1e-7);
  // five rings of 2 pi R pi r^2, and the load
  double volume = 2 * 9.869604401 * 4e-3 * 1e-6, weight = 1 + 5 * volume * 1000 * 9.81;
  check_close(row[pl_table_find(t, "reaction_z")], weight, 1e-8);
  pl_table_free(t);
  check_ok(&env, pl_table_read(&env, "native-chain/native-contacts.csv", &t));
  assert_int_equal(pl_table_rows(t), 5);
  check_close(pl_table_data(t)[pl_table_find(t, "force")], weight, 1e-8);
  pl_table_free(t);
  check_less(summary_number(&env, "native-chain", "\"unbalanced\": ", NULL), 1e-8);
  check_close(summary_number(&env, "native-chain", "\"links\": ", NULL), 5, 0);
}

static int count(const char *text, size_t n, const char *word) {
  int found = 0;
  size_t size = strlen(word);
  for (size_t i = 0; i + size <= n; i++) found += memcmp(text + i, word, size) == 0;
  return found;
}

// Elements of the file for viewers share one mesh; the picture is part of the page.
static void pictures(void **state) {
  (void)state;
  pl_env env;
  char *text;
  size_t n;
  pl_env_init(&env);
  run(&env, "native-picture",
      "interlocking: [{torus-knot: {}}]\npatches: [{cells: [2, 2], held: {edge: left}}]\n"
      "gravity: [0, 0, -9.81]\nanalyses: [native]\n",
      PL_OK);
  check_ok(&env, pl_file_read(&env, "native-picture/native.glb", 0, &text, &n));
  assert_memory_equal(text, "glTF", 4);
  assert_int_equal(count(text, n, "\"matrix\""), 4);
  assert_int_equal(count(text, n, "\"primitives\""), 1);
  pl_free(&env, text);
  check_ok(&env, pl_file_read(&env, "native-picture/report.html", 0, &text, &n));
  assert_int_equal(count(text, n, "data:image/png;base64,"), 1);
  pl_free(&env, text);
  pl_mesh *m;
  check_ok(&env, pl_mesh_read(&env, "native-picture/native.vtu", &m));
  assert_int_equal(m->cell[PL_TRI3].n, 4 * 2 * 96 * 12);
  pl_mesh_free(m);
}

// In time: energies add up, links stay, and all frames are written.
static void motion(void **state) {
  (void)state;
  pl_env env;
  pl_table *t;
  char *text;
  size_t n;
  pl_env_init(&env);
  run(&env, "native-motion",
      "units: {length: mm}\ninterlocking: [{chain: {radius: 4, wire: 1, pitch: 5.5}, "
      "density: 1000 kg/m^3}]\n"
      "patches: [{cells: [2, 1], held: {edge: left}}]\n"
      "gravity: [0, 0, -9.81 m/s^2]\noutput: {frames: 4}\n"
      "analyses: [native: {duration: 0.1 s, step: 5 ms, damping: 2 1/s}]\n",
      PL_OK);
  check_ok(&env, pl_table_read(&env, "native-motion/native.csv", &t));
  assert_int_equal(pl_table_rows(t), 21);
  const double *last = pl_table_data(t) + 20 * pl_table_cols(t);
  double sum = 0;
  for (int c = 1; c < 7; c++) sum += last[c] - pl_table_data(t)[c];
  check_less(fabs(sum), 1e-6 * last[pl_table_find(t, "scheme")]);
  pl_table_free(t);
  check_close(summary_number(&env, "native-motion", "\"links_changed\": ", NULL), 0, 0);
  assert_true(summary_number(&env, "native-motion", "\"verified_gap\": ", NULL) > 0);
  check_ok(&env, pl_file_read(&env, "native-motion/native/frame-0004.vtu", 0, &text, &n));
  pl_free(&env, text);
  check_ok(&env, pl_file_read(&env, "native-motion/native.pvd", 0, &text, &n));
  pl_free(&env, text);
}

// a frame of four plates about the origin, its normal along an axis
static void add_frame(pl_text *t, const char *name, int axis) {
  pl_text_add(t, "{name: %s, pieces: [", name);
  for (int side = 0; side < 4; side++) {
    const double corner[4][2] = {{3.5, -4.5}, {4.5, -4.5}, {4.5, 4.5}, {3.5, 4.5}};
    pl_text_add(t, "{plate: {radius: 0.3, points: [");
    for (int k = 0; k < 4; k++) {
      double a = corner[k][0], b = corner[k][1], x[3] = {0};
      for (int rot = 0; rot < side; rot++) {
        double was = a;
        a = -b;
        b = was;
      }
      x[(axis + 1) % 3] = a;
      x[(axis + 2) % 3] = b;
      pl_text_add(t, "[%g, %g, %g], ", x[0], x[1], x[2]);
    }
    pl_text_add(t, "]}}, ");
  }
  pl_text_add(t, "]}, ");
}

// A net of frames of plates, which touch along edges and at corners, comes to rest.
static void net_of_frames(void **state) {
  (void)state;
  static const char *const name[3] = {"two", "one", "flat"};
  pl_env env;
  pl_text t;
  pl_env_init(&env);
  pl_text_init(&t, &env);
  pl_text_add(&t, "units: {length: mm}\ninterlocking: [{name: net, own: {elements: [");
  for (int axis = 0; axis < 3; axis++) add_frame(&t, name[axis], axis);
  pl_text_add(&t, "], cell: [{element: flat}, {element: one, at: [6.25, 0, 0]}, {element: two, "
                  "at: [0, 6.25, 0]}], a: [12.5, 0, 0], b: [0, 12.5, 0]}}]\n"
                  "patches: [{cells: [2, 2], held: {edge: left}}]\n"
                  "gravity: [0, 0, -9.81 m/s^2]\nanalyses: [native]\n");
  run(&env, "native-frames", t.s, PL_OK);
  check_less(summary_number(&env, "native-frames", "\"unbalanced\": ", NULL), 1e-9);
  check_close(summary_number(&env, "native-frames", "\"links_changed\": ", NULL), 0, 0);
  assert_true(summary_number(&env, "native-frames", "\"verified_gap\": ", NULL) > 0);
  pl_text_free(&t);
}

// A patch that begins above an obstacle falls on it and comes to rest there.
static void falls(void **state) {
  (void)state;
  static const char *const obstacle[] = {
      "{plane: {through: [0, 0, -6], normal: [0, 0, 1]}}",
      "{sphere: {centre: [0, 0, -16], radius: 10}}, {plane: {through: [0, 0, -26], normal: [0, 0, "
      "1]}}"};
  pl_env env;
  pl_text t;
  pl_env_init(&env);
  for (int k = 0; k < 2; k++) {
    pl_text_init(&t, &env);
    pl_text_add(&t,
                "units: {length: mm}\ninterlocking: [{japanese: {}}]\n"
                "patches: [{cells: [3, 3], at: [0, 0, 3]}]\nobstacles: [%s]\n"
                "gravity: [0, 0, -9.81 m/s^2]\nanalyses: [native]\n",
                obstacle[k]);
    run(&env, "native-falls", t.s, PL_OK);
    check_less(summary_number(&env, "native-falls", "\"unbalanced\": ", NULL), 1e-7);
    check_close(summary_number(&env, "native-falls", "\"links_changed\": ", NULL), 0, 0);
    pl_text_free(&t);
  }
}

int test_native(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(chain), cmocka_unit_test(pictures),
                                     cmocka_unit_test(motion), cmocka_unit_test(net_of_frames),
                                     cmocka_unit_test(falls)};
  return cmocka_run_group_tests_name("native", tests, NULL, NULL);
}
