#include "check.h"

#include "pliant/job.h"
#include "pliant/report.h"

#include <stdio.h>
#include <string.h>

static const char oscillator[] = "pliant: 1\n"
                                 "dimension: 1\n"
                                 "nodes: {m: 0}\n"
                                 "masses: [{node: m, mass: 1 kg}]\n"
                                 "springs: [{nodes: [ground, m], stiffness: 4 N/m}]\n"
                                 "loads: [{node: m, force: [1 N]}]\n"
                                 "watch: {m: m}\n"
                                 "analyses:\n"
                                 "  - static: {}\n"
                                 "  - modes: {count: 1}\n"
                                 "  - transient: {duration: 0.5 s, step: 0.1 s}\n";

static const char strip[] =
    "pliant: 1\n"
    "materials: {pla: {young: 3.3 GPa, poisson: 0.3, density: 1240 kg/m^3}}\n"
    "bodies:\n"
    "  - {name: s, shell: {bending: hinge, mesh: {grid: {size: [0.1, 0.02], cells: [4, 1]}}, "
    "material: pla, "
    "thickness: 1 mm}}\n"
    "fixed: s where x < 0.03\n"
    "gravity: [0, 0, -9.81]\n"
    "watch: {tip: \"s nearest [0.1, 0, 0]\"}\n"
    "output: {frames: 3}\n"
    "analyses:\n"
    "  - static: {}\n"
    "  - modes: {count: 2, about: static}\n"
    "  - transient: {about: static, duration: 2 ms, step: 1 ms}\n";

static pl_status run(pl_env *env, void *ctx) {
  const char *text = ctx;
  pl_scene *scene = NULL;
  pl_job_result result;
  const pl_job_opts opts = {.folder = "test_job.results", .threads = 1};
  pl_status s = pl_scene_parse(env, "test.yaml", ".", text, strlen(text), 0, NULL, NULL, &scene);
  if (s == PL_OK) s = pl_job_run(env, scene, &opts, &result);
  pl_scene_free(scene);
  return s;
}

static pl_table *read_table(pl_env *env, const char *name) {
  pl_table *t;
  char path[PL_TEXT];
  snprintf(path, sizeof path, "test_job.results/%s", name);
  check_ok(env, pl_table_read(env, path, &t));
  return t;
}

// spring k = 4 N/m under 1 N: 0.25 m, energy -1/8 J; mode 2 rad/s
static void figures_are_right(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run(&env, (void *)(uintptr_t)oscillator));
  pl_table *t = read_table(&env, "static.csv");
  const double want[] = {0, 0, 0, 0, 0, 1, -0.125, 0.125, 0.25, 0.125};
  assert_int_equal(pl_table_rows(t), 2);
  check_array(10, pl_table_data(t), want, 1e-12);
  assert_string_equal(pl_table_name(t, 3), "m_x");
  assert_string_equal(pl_table_unit(t, 3), "m");
  pl_table_free(t);
  t = read_table(&env, "modes.csv");
  check_close(pl_table_data(t)[2], 2, 1e-12);
  pl_table_free(t);
  t = read_table(&env, "transient.csv");
  assert_int_equal(pl_table_rows(t), 6);
  // the total energy of an undamped oscillator stays where it was
  for (int i = 0; i < 6; i++) check_close(pl_table_data(t)[i * pl_table_cols(t) + 4], 0, 1e-12);
  pl_table_free(t);
}

static int cancel(void *ctx, const pl_progress *p) {
  (void)p;
  int *left = ctx;
  return --*left < 0;
}

static void cancel_is_clean(void **state) {
  (void)state;
  for (int n = 0; n < 6; n++) {
    pl_env env;
    failing_alloc f;
    int left = n;
    pl_env_init(&env);
    failing_alloc_install(&env, &f, -1);
    env.progress = cancel;
    env.progress_ctx = &left;
    pl_status s = run(&env, (void *)(uintptr_t)strip);
    assert_true(s == PL_CANCELLED || s == PL_OK);
    assert_int_equal(f.live, 0);
  }
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(run, (void *)(uintptr_t)oscillator);
  check_allocations(run, (void *)(uintptr_t)strip);
}

int test_job(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figures_are_right),
      cmocka_unit_test(cancel_is_clean),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("job.job", tests, NULL, NULL);
}
