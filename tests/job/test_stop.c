// What runs that are stopped leave behind with the outputs of the default: what was reached, soon.
#include "check.h"

#include "pliant/job.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "test_stop.results"

static const char block[] =
    "pliant: 1\n"
    "materials: {m: {young: 2 MPa, poisson: 0.3, density: 1100 kg/m^3}}\n"
    "bodies: [{name: b, solid: {mesh: {box: {size: [3, 1, 1], cells: [3, 1, 1], cell: hex}},\n"
    "  material: m}}]\n"
    "fixed: b where x < 0.1\n"
    "watch: {tip: 'b nearest [3, 1, 1]'}\n"
    "gravity: [0, 0, -9.81 m/s^2]\n"
    "%s\n"
    "analyses: [%s]\n";

// A host that says stop when it is told of `what`, or one that does when tables have so many rows.
typedef struct stopper {
  const char *what;
  int rows;
} stopper;

static int stop(void *ctx, const pl_progress *p) {
  const stopper *k = ctx;
  return k->what && p->what && strcmp(p->what, k->what) == 0;
}

static int count(void *ctx, const char *name, const pl_table *t, int first) {
  const stopper *k = ctx;
  (void)name;
  (void)first;
  return k->rows > 0 && pl_table_rows(t) >= k->rows;
}

static pl_status run(pl_env *env, const char *load, const char *analysis, const stopper *when,
                     int resume) {
  char text[1024];
  pl_scene *s;
  pl_job_result r;
  stopper own = when ? *when : (stopper){0};
  snprintf(text, sizeof text, block, load, analysis);
  check_ok(env, pl_scene_parse(env, "test.yaml", ".", text, strlen(text), 0, NULL, NULL, &s));
  const pl_sink sink = {.ctx = &own, .rows = count};
  env->progress = stop;
  env->progress_ctx = &own;
  pl_status st = pl_job_run(
      env, s, &(pl_job_opts){.folder = FOLDER, .sink = &sink, .threads = 1, .resume = resume}, &r);
  assert_int_equal(r.cancelled, st == PL_CANCELLED);
  pl_scene_free(s);
  return st;
}

static int has(const char *name) {
  char path[256];
  snprintf(path, sizeof path, FOLDER "/%s", name);
  return access(path, F_OK) == 0;
}

// before a load step was solved there is the start alone, which needs no pictures and no stress
static void statics(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  assert_int_equal(run(&env, "", "static: {steps: 4}", &(stopper){.what = "static"}, 0),
                   PL_CANCELLED);
  assert_true(has("report.html") && has("summary.json") && has("static.csv"));
  assert_false(has("static.vtu") || has("static.glb") || has("static-shape.svg") ||
               has("static-stress.svg"));
  assert_int_equal(run(&env, "", "static: {steps: 4}", &(stopper){.rows = 3}, 0), PL_CANCELLED);
  assert_true(has("static.vtu") && has("static.glb") && has("static-shape.svg") &&
              has("static-stress.svg"));
  assert_int_equal(run(&env, "", "static: {steps: 4}", NULL, 0), PL_OK);
  assert_true(has("static.vtu"));
}

// frames of a motion are large: that of the end is there, and all of them when it goes on
static void motions(void **state) {
  (void)state;
  static const char motion[] = "transient: {duration: 40 ms, step: 1 ms}";
  pl_env env;
  pl_env_init(&env);
  assert_int_equal(run(&env, "", motion, &(stopper){.rows = 10}, 0), PL_CANCELLED);
  assert_true(has("transient.glb") && has("transient.pvd") && has("transient-end.svg"));
  assert_false(has("transient/frame-0000.vtu"));
  int last = 0;
  char name[64];
  for (int k = 1; k < 40; k++) {
    snprintf(name, sizeof name, "transient/frame-%04d.vtu", k);
    if (has(name)) assert_int_equal(last, 0);
    if (has(name)) last = k;
  }
  assert_in_range(last, 5, 12);
  // told to stop while frames are written, it ends with those that there are
  assert_int_equal(run(&env, "", motion, &(stopper){.what = "frames"}, 1), PL_CANCELLED);
  assert_true(has("transient/frame-0000.vtu") && !has("transient/frame-0001.vtu"));
  assert_true(has("transient.pvd"));
  assert_int_equal(run(&env, "", motion, NULL, 1), PL_OK);
  assert_true(has("transient/frame-0000.vtu") && has("transient/frame-0040.vtu"));
}

// a period of the largest motion so far
static void responses(void **state) {
  (void)state;
  static const char load[] = "loads: [{nodes: b where x > 2.9, force: [0, 0, 1 N], harmonic: 1}]\n"
                             "damping: {stiffness: 10 ms}";
  static const char response[] = "response: {from: 1 Hz, to: 4 Hz, harmonics: 1, stability: no}";
  pl_env env;
  pl_env_init(&env);
  assert_int_equal(run(&env, load, response, &(stopper){.rows = 5}, 0), PL_CANCELLED);
  assert_true(has("response.glb") && has("response/frame-0000.vtu"));
  assert_false(has("response/frame-0001.vtu"));
  assert_int_equal(run(&env, load, response, &(stopper){.what = "frames"}, 1), PL_CANCELLED);
  assert_true(has("response/frame-0000.vtu") && has("response.pvd"));
  assert_false(has("response/frame-0001.vtu"));
  assert_int_equal(run(&env, load, response, NULL, 1), PL_OK);
  assert_true(has("response/frame-0023.vtu"));
}

int test_stop(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statics),
      cmocka_unit_test(motions),
      cmocka_unit_test(responses),
  };
  return cmocka_run_group_tests_name("job.stop", tests, NULL, NULL);
}
