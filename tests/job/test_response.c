// Responses as a user gets them: columns, ends, what is written on the way, going on after a stop.
#include "check.h"

#include "pliant/job.h"
#include "pliant/math.h"
#include "pliant/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "test_response.results"
#define OTHER  "test_response-2.results"

// x'' + 4 x' + 25 x = 3 sin
static const char linear[] =
    "pliant: 1\n"
    "dimension: 1\n"
    "nodes: {m: 0}\n"
    "masses: [{node: m, mass: 1 kg}]\n"
    "springs: [{nodes: [ground, m], stiffness: 25 N/m, damping: 4 N.s/m}]\n"
    "loads: [{node: m, force: [3 N], harmonic: 1}]\n"
    "watch: {m: m}\n"
    "output: {report: no, vtu: no, glb: no}\n"
    "analyses:\n";
static const char duffing[] =
    "pliant: 1\n"
    "dimension: 1\n"
    "nodes: {m: 0}\n"
    "masses: [{node: m, mass: 1 kg}]\n"
    "springs: [{nodes: [ground, m], stiffness: 1 N/m, cubic: 0.1 N/m^3, damping: 0.05 N.s/m}]\n"
    "loads: [{node: m, force: [3 N], harmonic: 1, phase: 90 deg}]\n"
    "watch: {m: m}\n"
    "output: {report: no, vtu: no, glb: no}\n"
    "analyses:\n";
// a mass on two springs, along x and along y
static const char cross[] = "pliant: 1\n"
                            "dimension: 2\n"
                            "nodes: {left: [0, 0], below: [1, -1], m: [1, 0]}\n"
                            "fixed: [left, below]\n"
                            "masses: [{node: m, mass: 1 kg}]\n"
                            "springs:\n"
                            "  - {nodes: [left, m], stiffness: 100 N/m, damping: 1 N.s/m}\n"
                            "  - {nodes: [below, m], stiffness: 400 N/m, damping: 1 N.s/m}\n"
                            "loads: [{node: m, force: [0.01 N, 0.1 N], harmonic: 1}]\n"
                            "watch: {up: m.y, along: m.x, both: m}\n"
                            "output: {report: no, vtu: no, glb: no}\n"
                            "analyses:\n";

static char heard[8 * PL_TEXT];

static void hear(void *ctx, const pl_diag *d) {
  (void)ctx;
  size_t n = strlen(heard);
  snprintf(heard + n, sizeof heard - n, "%s\n%s\n", d->text, d->hint);
}

static pl_status run(pl_env *env, const char *scene, const char *analyses, const char *folder,
                     int resume) {
  char text[4096];
  pl_scene *s = NULL;
  pl_job_result result;
  const pl_job_opts opts = {.folder = folder, .threads = 1, .resume = resume, .checkpoint = -1};
  snprintf(text, sizeof text, "%s%s", scene, analyses);
  heard[0] = 0;
  env->diag = hear;
  pl_status st = pl_scene_parse(env, "test.yaml", ".", text, strlen(text), 0, NULL, NULL, &s);
  if (st == PL_OK) st = pl_job_run(env, s, &opts, &result);
  pl_scene_free(s);
  return st;
}

static pl_table *table(pl_env *env, const char *file) {
  char path[PL_TEXT];
  pl_table *t;
  snprintf(path, sizeof path, FOLDER "/%s", file);
  check_ok(env, pl_table_read(env, path, &t));
  return t;
}

// value in a row of the column with a name
static double cell(const pl_table *t, int row, const char *name) {
  for (int c = 0; c < pl_table_cols(t); c++)
    if (strcmp(pl_table_name(t, c), name) == 0) return pl_table_data(t)[row * pl_table_cols(t) + c];
  fail_msg("there is no column %s", name);
  return 0;
}

static int has(const pl_table *t, const char *name) {
  for (int c = 0; c < pl_table_cols(t); c++)
    if (strcmp(pl_table_name(t, c), name) == 0) return 1;
  return 0;
}

static void columns_of_a_linear_oscillator(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run(&env, linear, "  - response: {from: 3 rad/s, to: 7 rad/s, stability: no}\n",
                     FOLDER, 0));
  pl_table *t = table(&env, "response.csv");
  int n = pl_table_rows(t);
  check_close(cell(t, 0, "omega"), 3, 0);
  check_close(cell(t, n - 1, "omega"), 7, 0);
  for (int i = 0; i < n; i++) {
    double w = cell(t, i, "omega"), re = 25 - w * w, im = 4 * w, A = 3 / hypot(re, im);
    check_rel(cell(t, i, "m_path"), 4 * A, 1e-8);
    check_rel(cell(t, i, "m_max_x"), A, 1e-8);
    check_rel(cell(t, i, "m_rms_x"), A / sqrt(2), 1e-8);
    check_rel(cell(t, i, "m_h1_x"), A, 1e-8);
    check_close(cell(t, i, "m_phase1_x"), -atan2(im, re) * 180 / PL_PI, 1e-6);
    check_close(cell(t, i, "branch"), 0, 0);
  }
  pl_table_free(t);
}

static void a_direction_is_watched(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run(&env, cross, "  - response: {from: 8 rad/s, to: 12 rad/s, stability: no}\n",
                     FOLDER, 0));
  pl_table *t = table(&env, "response.csv");
  assert_true(has(t, "up_max_y") && has(t, "along_max_x"));
  assert_false(has(t, "up_max_x") || has(t, "along_max_y"));
  for (int i = 0; i < pl_table_rows(t); i++) {
    check_close(cell(t, i, "up_max_y"), cell(t, i, "both_max_y"), 0);
    check_close(cell(t, i, "along_max_x"), cell(t, i, "both_max_x"), 0);
    // one axis of an orbit alone: a line, there and back
    check_rel(cell(t, i, "up_path"), 4 * cell(t, i, "up_max_y"), 0.05);
  }
  assert_true(fabs(cell(t, 0, "up_path") / cell(t, 0, "along_path") - 1) > 0.05);
  pl_table_free(t);
}

// the first harmonic of a linear oscillator peaks where its displacement does: omega^2 = 25 - 8
static void peaks_of_other_measures(void **state) {
  (void)state;
  static const char *const of[] = {"path", "max", "rms", "harmonic"};
  pl_env env;
  pl_env_init(&env);
  for (int k = 0; k < 4; k++) {
    char text[200];
    snprintf(text, sizeof text,
             "  - response: {from: 3 rad/s, to: 7 rad/s, stability: no, peaks: %s}\n", of[k]);
    check_ok(&env, run(&env, linear, text, FOLDER, 0));
    char *data;
    size_t size;
    double hz = 0, omega = 0;
    check_ok(&env, pl_file_read(&env, FOLDER "/special.csv", 0, &data, &size));
    const char *row = strstr(data, "\npeak,");
    assert_non_null(row);
    assert_int_equal(sscanf(row, "\npeak,%*d,%lf,%lf", &hz, &omega), 2);
    check_rel(omega, sqrt(17), 1e-8);
    assert_null(strstr(row + 1, "\npeak,"));
    pl_free(&env, data);
    // and the same as a figure
    check_ok(&env, pl_file_read(&env, FOLDER "/summary.json", 0, &data, &size));
    const char *peak = strstr(data, "\"highest_peak\": {");
    assert_non_null(peak);
    double figure = strtod(strstr(peak, "\"frequency_Hz\": ") + 16, NULL);
    check_close(figure, hz, 1e-15 * hz);
    pl_free(&env, data);
  }
  // and every special point has its coefficients
  pl_table *t = table(&env, "special-harmonics.csv");
  check_rel(hypot(cell(t, 1, "m_x_sin"), cell(t, 1, "m_x_cos")), 3 / hypot(8, 4 * sqrt(17)), 1e-8);
  pl_table_free(t);
}

static void ends_are_named(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_status st =
      run(&env, linear, "  - response: {from: 3 rad/s, to: 7 rad/s, points: 4, stability: no}\n",
          FOLDER, 0);
  assert_int_equal(st, PL_UNSOLVED);
  assert_non_null(strstr(heard, "4 points are used up"));
  assert_non_null(strstr(heard, "raise `points`"));
  assert_null(strstr(heard, "converge"));
  // one harmonic of a strong cubic spring
  check_ok(&env, run(&env, duffing,
                     "  - response: {from: 1 rad/s, to: 3 rad/s, harmonics: 1, stability: no}\n",
                     FOLDER, 0));
  assert_non_null(strstr(heard, "too few harmonics"));
  assert_non_null(strstr(heard, " % of the oscillating forces"));
}

static int cancel(void *ctx, const pl_progress *p) {
  int *left = ctx;
  return p->what && strcmp(p->what, "response") == 0 && --*left < 0;
}

static void same_file(pl_env *env, const char *a, const char *b) {
  char *one, *two;
  size_t n, m;
  check_ok(env, pl_file_read(env, a, 0, &one, &n));
  check_ok(env, pl_file_read(env, b, 0, &two, &m));
  assert_int_equal(n, m);
  assert_memory_equal(one, two, n);
  pl_free(env, one);
  pl_free(env, two);
}

static void stopped_and_gone_on(void **state) {
  (void)state;
  static const char range[] = "  - response: {from: 0.3 rad/s, to: 5 rad/s, stability: no}\n";
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run(&env, duffing, range, FOLDER, 0));
  for (int stop = 3; stop < 150; stop += 50) {
    int left = stop;
    env.progress = cancel;
    env.progress_ctx = &left;
    assert_int_equal(run(&env, duffing, range, OTHER, 0), PL_CANCELLED);
    env.progress = NULL;
    // what there is can be read
    pl_table *t;
    check_ok(&env, pl_table_read(&env, OTHER "/response.csv", &t));
    assert_true(pl_table_rows(t) > stop / 2 && pl_table_rows(t) <= stop + 1);
    pl_table_free(t);
    check_ok(&env, run(&env, duffing, range, OTHER, 1));
    same_file(&env, FOLDER "/response.csv", OTHER "/response.csv");
    same_file(&env, FOLDER "/special.csv", OTHER "/special.csv");
    same_file(&env, FOLDER "/harmonics.csv", OTHER "/harmonics.csv");
  }
}

int test_response(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_of_a_linear_oscillator),
      cmocka_unit_test(a_direction_is_watched),
      cmocka_unit_test(peaks_of_other_measures),
      cmocka_unit_test(ends_are_named),
      cmocka_unit_test(stopped_and_gone_on),
  };
  return cmocka_run_group_tests_name("job.response", tests, NULL, NULL);
}
