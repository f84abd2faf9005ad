// Scenes with mid-edge shells from start to end: files are written and figures are right.
#include "check.h"

#include "pliant/job.h"
#include "pliant/report.h"

#include <stdio.h>
#include <string.h>

#define FOLDER "test_shell.results"

static void run_scene(pl_env *env, pl_scene *s) {
  pl_job_result result;
  const pl_job_opts opts = {.folder = FOLDER, .threads = 1};
  check_ok(env, pl_job_run(env, s, &opts, &result));
  pl_scene_free(s);
}

static void run(pl_env *env, const char *scene, int nset, const char *const *set) {
  pl_scene *s;
  pl_env_init(env);
  check_ok(env, pl_scene_load(env, scene, nset, set, &s));
  run_scene(env, s);
}

static pl_table *table(pl_env *env, const char *name) {
  pl_table *t;
  char path[PL_TEXT];
  snprintf(path, sizeof path, FOLDER "/%s", name);
  check_ok(env, pl_table_read(env, path, &t));
  return t;
}

// vertices of a file are those of the body: copies that a clamp carries are not written
static void check_vertices(pl_env *env, const char *name, int want) {
  pl_mesh *m;
  char path[PL_TEXT];
  snprintf(path, sizeof path, FOLDER "/%s", name);
  check_ok(env, pl_mesh_read(env, path, &m));
  assert_int_equal(m->nvert, want);
  pl_mesh_free(m);
}

// Clamped square: 35.985 and 73.394 sqrt(D/(rho h))/a^2, 0.00560 P a^2/D under a point load (Leissa
// 1973; Timoshenko & Woinowsky-Krieger, art. 44); 24 cells leave 1.1 %, 1.7 % and 4.7 %.
static void plate(void **state) {
  (void)state;
  pl_env env;
  run(&env, SOURCE_DIR "/scenes/plate-midedge.yaml", 0, NULL);
  pl_table *t = table(&env, "modes.csv");
  check_rel(pl_table_data(t)[1], 224.1, 0.015);
  check_rel(pl_table_data(t)[pl_table_cols(t) + 1], 457.1, 0.02);
  pl_table_free(t);
  t = table(&env, "static.csv");
  const double *last = pl_table_data(t) + (pl_table_rows(t) - 1) * pl_table_cols(t);
  int col = 0;
  while (col < pl_table_cols(t) && strncmp(pl_table_name(t, col), "middle_z", 8)) col++;
  assert_int_not_equal(col, pl_table_cols(t));
  check_rel(last[col], 11.65e-6, 0.06);
  // the rim carries the point load; the last column is work
  check_rel(last[pl_table_cols(t) - 2], -1, 1e-6);
  pl_table_free(t);
  // 25 and 26 vertices in turn, 29 rows
  check_vertices(&env, "static.vtu", 29 * 25 + 14);
}

// static, modes, and harmonic balance with stability on a moving clamp
static void strip(void **state) {
  (void)state;
  pl_env env;
  const char *const set[] = {"bodies.strip.shell.mesh.grid.cells=[12, 2]"};
  run(&env, SOURCE_DIR "/scenes/strip-midedge.yaml", 1, set);
  pl_table *t = table(&env, "modes.csv");
  // slender, so nearly a beam: 0.5595 sqrt(E h^2/(12 rho))/L^2 = 9.36 Hz; a clamp keeps the strip
  // from curving across within a width, up to 3 % stiffer
  check_rel(pl_table_data(t)[1], 9.36, 0.03);
  pl_table_free(t);
  t = table(&env, "periodic.csv");
  assert_true(pl_table_rows(t) > 8);
  pl_table_free(t);
}

// A strip that starts at speed: directors have no mass and follow. Newmark's rule keeps the energy
// of a linear system; what strays goes with the square of the tip's motion over the length, 4e-5
// here.
static void thrown(void **state) {
  (void)state;
  static const char text[] =
      "pliant: 1\nmaterials: {pla: {young: 3.3 GPa, poisson: 0.3, density: 1240 kg/m^3}}\n"
      "bodies: [{name: s, shell: {mesh: {grid: {size: [0.1, 0.02], cells: [8, 2]}}, material: pla, "
      "thickness: 1 mm, bending: midedge}}]\n"
      "fixed: {nodes: s group left, clamp: yes}\n"
      "initial: [{nodes: s, velocity: [0, 0, 0.1]}]\n"
      "analyses: [{transient: {duration: 20 ms, step: 0.1 ms}}]\n";
  pl_env env;
  pl_scene *s;
  pl_env_init(&env);
  check_ok(&env, pl_scene_parse(&env, "test", ".", text, strlen(text), 0, NULL, NULL, &s));
  run_scene(&env, s);
  pl_table *t = table(&env, "transient.csv");
  int total = 0, n = pl_table_rows(t), w = pl_table_cols(t);
  while (total < w && strcmp(pl_table_name(t, total), "total") != 0) total++;
  assert_in_range(total, 1, w - 1);
  const double *x = pl_table_data(t) + total;
  for (int i = 1; i < n; i++) check_rel(x[i * w], x[0], 1e-4);
  pl_table_free(t);
}

int test_shell(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plate),
      cmocka_unit_test(strip),
      cmocka_unit_test(thrown),
  };
  return cmocka_run_group_tests_name("job.shell", tests, NULL, NULL);
}
