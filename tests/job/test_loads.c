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

// St. Venant-Kirchhoff membrane sphere: p = E h (s - 1/s)/((1 - nu) R); the facets of 16 rows leave
// 0.3 %
static void balloon(void **state) {
  (void)state;
  check_rel(last_of("balloon.yaml", "static.csv", "top_z", 0, NULL), 0.010, 0.004);
}

// Lame, plane strain: u = (1 + nu) p a ((1 - 2 nu) a^2 + b^2)/(E (b^2 - a^2)); chords of 16 pieces
// and 12 layers leave less than 0.5 %
static void tube(void **state) {
  (void)state;
  check_rel(last_of("tube.yaml", "static.csv", "inner_x", 0, NULL), 12.333e-6, 0.005);
}

// a ring under pressure that follows it buckles at 3 EI/R^3 (4 EI/R^3 if it kept its direction
// towards the centre's first place, 4.5 if it kept its direction)
static void ring(void **state) {
  pl_env env;
  (void)state;
  last_of("ring.yaml", "static.csv", "scale", 0, NULL);
  pl_env_init(&env);
  double at = summary_number(&env, FOLDER, "\"critical\"", "\"scale\":", NULL);
  check_rel(at * 300, 250, 0.01);
}

// the whole strip is a circle of circumference L: its end comes back to its begin
static void roll_up(void **state) {
  (void)state;
  double x = last_of("roll-up.yaml", "static.csv", "tip_x", 0, NULL);
  check_rel(x, -0.1, 0.02);
}

// Timoshenko 1925
static void bimetal(void **state) {
  (void)state;
  check_rel(last_of("bimetal.yaml", "static.csv", "tip_z", 0, NULL), 0.4073e-3, 0.01);
}

int test_loads(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(balloon), cmocka_unit_test(tube),
                                     cmocka_unit_test(ring), cmocka_unit_test(roll_up),
                                     cmocka_unit_test(bimetal)};
  return cmocka_run_group_tests_name("job.loads", tests, NULL, NULL);
}
