// A periodic motion held against others: with fewer and more harmonics and samples, and against
// time stepping.
#include "check.h"

#include "pliant/job.h"
#include "pliant/math.h"
#include "pliant/report.h"

#include <stdio.h>
#include <string.h>

#define FOLDER "test_periodic.results"

// m x'' + c x' + k x + cubic x^3 = F sin(w t), m = 1
static const char duffing[] =
    "pliant: 1\n"
    "dimension: 1\n"
    "nodes: {m: 0}\n"
    "masses: [{node: m, mass: 1 kg}]\n"
    "springs: [{nodes: [ground, m], stiffness: 1 N/m, cubic: 0.5 N/m^3, damping: 0.4 N.s/m}]\n"
    "loads: [{node: m, force: [2 N], harmonic: 1}]\n"
    "watch: {m: m}\n"
    "output: {vtu: no, glb: no}\n"
    "analyses:\n";

static const char linear[] =
    "pliant: 1\n"
    "dimension: 1\n"
    "nodes: {m: 0}\n"
    "masses: [{node: m, mass: 1 kg}]\n"
    "springs: [{nodes: [ground, m], stiffness: 25 N/m, damping: 4 N.s/m}]\n"
    "loads: [{node: m, force: [2 N], harmonic: 1}]\n"
    "watch: {m: m}\n"
    "output: {vtu: no, glb: no}\n"
    "analyses:\n";

static pl_status run_text(pl_env *env, const char *text, size_t n) {
  pl_scene *scene = NULL;
  pl_job_result result;
  const pl_job_opts opts = {.folder = FOLDER, .threads = 1};
  pl_status s = pl_scene_parse(env, "test.yaml", ".", text, n, 0, NULL, NULL, &scene);
  if (s == PL_OK) s = pl_job_run(env, scene, &opts, &result);
  pl_scene_free(scene);
  return s;
}

static pl_status run_with(pl_env *env, const char *model, const char *analyses) {
  pl_text t;
  pl_text_init(&t, env);
  pl_text_add(&t, "%s%s", model, analyses);
  pl_status s = t.failed ? PL_E_NOMEM : run_text(env, t.s, t.n);
  pl_text_free(&t);
  return s;
}

static pl_table *read_table(pl_env *env, const char *name) {
  pl_table *t;
  char path[PL_TEXT];
  snprintf(path, sizeof path, FOLDER "/%s", name);
  check_ok(env, pl_table_read(env, path, &t));
  return t;
}

static char *read_text(pl_env *env, const char *name) {
  char *text, path[PL_TEXT];
  size_t size;
  snprintf(path, sizeof path, FOLDER "/%s", name);
  check_ok(env, pl_file_read(env, path, 0, &text, &size));
  return text;
}

// the first figure behind a key, at or after another key
static double figure(pl_env *env, const char *within, const char *key) {
  char *text = read_text(env, "summary.json"), *at = strstr(text, within);
  double value = NAN;
  assert_non_null(at);
  at = strstr(at, key);
  assert_non_null(at);
  assert_int_equal(sscanf(at + strlen(key), "%lf", &value), 1);
  pl_free(env, text);
  return value;
}

static int says(pl_env *env, const char *file, const char *phrase) {
  char *text = read_text(env, file);
  int found = strstr(text, phrase) != NULL;
  pl_free(env, text);
  return found;
}

// root mean square of x - y over that of y from its mean, over rows 1.. of two tables of one place
static double distance(const pl_table *x, const pl_table *y) {
  int n = pl_table_rows(y) - 1;
  const double *u = pl_table_data(x), *v = pl_table_data(y);
  double mean = 0, off = 0, size = 0;
  assert_int_equal(pl_table_rows(x), n + 1);
  for (int i = 1; i <= n; i++) mean += v[2 * i + 1] / n;
  for (int i = 1; i <= n; i++) {
    check_rel(u[2 * i], v[2 * i], 1e-13);
    off += pow(u[2 * i + 1] - v[2 * i + 1], 2);
    size += pow(v[2 * i + 1] - mean, 2);
  }
  return sqrt(off / size);
}

// ---- convergence ------------------------------------------------------------------------------

enum { HARMONICS, SAMPLES, DISTANCE, RESIDUAL, ITERATIONS, FINEST_H, FINEST_N, COLUMNS };

static const double *find_row(const pl_table *t, int nharm, int finest) {
  const double *d = pl_table_data(t);
  for (int i = 0; i < pl_table_rows(t); i++)
    if (lround(d[i * COLUMNS]) == nharm && lround(d[i * COLUMNS + FINEST_H]) == finest)
      return d + i * COLUMNS;
  fail_msg("no row with %d harmonics", nharm);
  return NULL;
}

// against motions of runs of their own, compared in time
static void distances_of_harmonics(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run_with(&env, duffing,
                          "  - periodic: {frequency: 1.2 rad/s, harmonics: 5, convergence: yes}\n"
                          "  - periodic: {name: h1, frequency: 1.2 rad/s, harmonics: 1}\n"
                          "  - periodic: {name: h3, frequency: 1.2 rad/s, harmonics: 3}\n"
                          "  - periodic: {name: h5, frequency: 1.2 rad/s, harmonics: 5}\n"
                          "  - periodic: {name: h9, frequency: 1.2 rad/s, harmonics: 9}\n"));
  pl_table *t = read_table(&env, "periodic-convergence.csv"), *h9 = read_table(&env, "h9.csv");
  assert_int_equal(pl_table_cols(t), COLUMNS);
  assert_string_equal(pl_table_name(t, ITERATIONS), "newton_iterations");
  assert_int_equal(pl_table_rows(t), 9 + 3);
  double before = 1;
  for (int H = 1; H <= 5; H += 2) {
    char name[16];
    snprintf(name, sizeof name, "h%d.csv", H);
    pl_table *h = read_table(&env, name);
    const double *row = find_row(t, H, 9);
    check_rel(row[DISTANCE], distance(h, h9), 1e-6);
    check_less(row[RESIDUAL], 1e-12);
    // exponentially: each odd harmonic takes off more than a decade, even ones do nothing
    check_less(row[DISTANCE], 0.1 * before);
    check_rel(find_row(t, H + 1, 9)[DISTANCE], row[DISTANCE], 1e-9);
    before = row[DISTANCE];
    pl_table_free(h);
  }
  check_close(find_row(t, 9, 9)[DISTANCE], 0, 0);
  check_rel(figure(&env, "\"convergence\"", "\"harmonics_distance\": "),
            find_row(t, 5, 9)[DISTANCE], 1e-15);
  assert_true(says(&env, "periodic-convergence.svg", "convergence"));
  assert_true(says(&env, "report.html", "Convergence"));
  pl_table_free(t);
  pl_table_free(h9);
}

// a cubic force of H harmonics folds back onto them with 4 H samples or fewer
static void distances_of_samples(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run_with(&env, duffing,
                          "  - periodic: {frequency: 1.2 rad/s, harmonics: 3, samples: 14, "
                          "convergence: yes}\n"));
  pl_table *t = read_table(&env, "periodic-convergence.csv");
  int n = pl_table_rows(t);
  const double *row = pl_table_data(t) + (n - 3) * COLUMNS;
  static const int samples[3] = {7, 14, 28};
  for (int i = 0; i < 3; i++) {
    check_close(row[i * COLUMNS + HARMONICS], 3, 0);
    check_close(row[i * COLUMNS + SAMPLES], samples[i], 0);
    check_close(row[i * COLUMNS + FINEST_N], 28, 0);
  }
  check_less(1e-6, row[DISTANCE]);
  check_less(row[COLUMNS + DISTANCE], 1e-12);
  // as many samples as given, or as many as it takes
  check_close(find_row(t, 1, 7)[SAMPLES], 14, 0);
  check_close(find_row(t, 7, 7)[SAMPLES], 15, 0);
  pl_table_free(t);
  // no fewer than 2 H + 1, and then no row with fewer than the analysis
  check_ok(&env, run_with(&env, linear,
                          "  - periodic: {frequency: 3 rad/s, harmonics: 2, samples: 5, "
                          "convergence: yes}\n"));
  t = read_table(&env, "periodic-convergence.csv");
  n = pl_table_rows(t);
  assert_int_equal(n, 6 + 2);
  // of a linear model every motion is the same
  for (int i = 0; i < n; i++) check_less(pl_table_data(t)[i * COLUMNS + DISTANCE], 1e-12);
  pl_table_free(t);
}

// two iterations are enough for harmonics that hardly change a motion and too few for others
static void lost_rows_are_reported(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run_with(&env, duffing,
                          "  - periodic: {frequency: 1.2 rad/s, harmonics: 9, max_iter: 2, "
                          "convergence: yes}\n"));
  pl_table *t = read_table(&env, "periodic-convergence.csv");
  assert_true(pl_table_rows(t) < 13 + 3);
  find_row(t, 9, 13);
  assert_true(says(&env, "report.html", "No motion was found with 1 harmonic and"));
  pl_table_free(t);
}

// many harmonics are thinned out
static void long_studies_are_thinned(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run_with(&env, duffing,
                          "  - periodic: {frequency: 1.2 rad/s, harmonics: 61, convergence: "
                          "yes}\n"));
  pl_table *t = read_table(&env, "periodic-convergence.csv");
  assert_true(pl_table_rows(t) <= 12 + 3);
  find_row(t, 1, 63);
  find_row(t, 61, 63);
  pl_table_free(t);
}

// ---- Newmark ----------------------------------------------------------------------------------

// The trapezoidal rule moves a linear oscillator as if its frequency were (2/h) tan(w h/2): the
// distance is that of the two receptances.
static void distance_of_newmark(void **state) {
  (void)state;
  const double w = 3, k = 25, c = 4, h = 2 * PL_PI / (256 * w), wh = 2 / h * tan(w * h / 2);
  double re = k - w * w, im = c * w, re_h = k - wh * wh, im_h = c * wh;
  // 1/(re + i im) against 1/(re_h + i im_h)
  double want = hypot(re - re_h, im - im_h) / hypot(re_h, im_h), size = 2 / hypot(re, im);
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run_with(&env, linear, "  - periodic: {frequency: 3 rad/s, newmark: yes}\n"));
  check_rel(figure(&env, "\"newmark\"", "\"distance\": "), want, 1e-3);
  check_rel(figure(&env, "\"watch\"", "\"distance\": "), want, 1e-3);
  // a sine: its largest value is sqrt(2) of its root mean square; between samples up to 1e-4 less
  check_rel(figure(&env, "\"watch\"", "\"max_distance_m\": "), want * size, 1e-3);
  check_less(figure(&env, "\"newmark\"", "\"period_change\": "), 1e-6);
  assert_true(says(&env, "summary.json", "\"settled\": true"));
  pl_table *x = read_table(&env, "periodic-newmark.csv"), *y = read_table(&env, "periodic.csv");
  check_rel(distance(x, y), want, 1e-3);
  pl_table_free(x);
  pl_table_free(y);
  assert_true(says(&env, "periodic-m-newmark.svg", "Newmark"));
}

// the same steady motion as of a transient from rest
static void newmark_of_a_large_motion(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run_with(&env, duffing,
                          "  - periodic: {frequency: 1.2 rad/s, harmonics: 9, newmark: yes}\n"
                          "  - transient: {frequency: 1.2 rad/s, periods: 100}\n"));
  pl_table *x = read_table(&env, "periodic-newmark.csv"), *y = read_table(&env, "transient.csv");
  int cols = pl_table_cols(y), first = pl_table_rows(y) - 257;
  double most = 0;
  assert_int_equal(pl_table_rows(x), 257);
  for (int i = 0; i < 257; i++) {
    double to = pl_table_data(y)[(first + i) * cols + cols - 1];
    check_close(pl_table_data(x)[2 * i + 1], to, 1e-5);
    most = fmax(most, fabs(to));
  }
  check_less(1.5, most);
  pl_table_free(x);
  pl_table_free(y);
  check_less(figure(&env, "\"newmark\"", "\"distance\": "), 5e-4);
}

// without damping the free motion that Newmark's error excites stays for ever
static void unsettled_is_reported(void **state) {
  (void)state;
  static const char undamped[] = "pliant: 1\n"
                                 "dimension: 1\n"
                                 "nodes: {m: 0}\n"
                                 "masses: [{node: m, mass: 1 kg}]\n"
                                 "springs: [{nodes: [ground, m], stiffness: 25 N/m}]\n"
                                 "loads: [{node: m, force: [2 N], harmonic: 1}]\n"
                                 "watch: {m: m}\n"
                                 "output: {vtu: no, glb: no}\n"
                                 "analyses:\n";
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run_with(&env, undamped, "  - periodic: {frequency: 3 rad/s, newmark: yes}\n"));
  assert_true(says(&env, "summary.json", "\"settled\": false"));
  assert_true(says(&env, "report.html", "has not settled"));
  check_close(figure(&env, "\"newmark\"", "\"periods\": "), 40, 0);
  check_less(figure(&env, "\"newmark\"", "\"distance\": "), 1e-3);
}

// ---- robustness -------------------------------------------------------------------------------

static int cancel(void *ctx, const pl_progress *p) {
  (void)p;
  int *left = ctx;
  return --*left < 0;
}

// of a linear oscillator, x'' + 4 x' + 25 x: e^(T (-2 +- i sqrt 21)) at every frequency
static void multipliers_are_written(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run_with(&env, linear, "  - response: {from: 3 rad/s, to: 7 rad/s}\n"));
  pl_table *t = read_table(&env, "multipliers.csv"), *r = read_table(&env, "response.csv");
  const double *d = pl_table_data(t);
  assert_int_equal(pl_table_rows(t), 2 * pl_table_rows(r));
  for (int i = 0; i < pl_table_rows(t); i++, d += 7) {
    double T = 2 * PL_PI / d[2], size = exp(-2 * T), rot = sqrt(21) * T;
    assert_int_equal(lround(d[0]), i / 2);
    assert_int_equal(lround(d[3]), 1 + i % 2);
    check_rel(d[2], pl_table_data(r)[i / 2 * pl_table_cols(r) + 1], 1e-15);
    check_close(d[4], size * cos(rot), 1e-9);
    check_close(fabs(d[5]), size * fabs(sin(rot)), 1e-9);
    check_rel(d[6], size, 1e-7);
  }
  pl_table_free(t);
  pl_table_free(r);
}

// a thin strip with three harmonics, whose missing ones leave strains that press it: as stable as
// with nine, and its largest multiplier the same
static void missing_harmonics_do_not_buckle(void **state) {
  (void)state;
  static const char strip[] =
      "pliant: 1\n"
      "units: {length: mm}\n"
      "materials: {pla: {young: 3.3 GPa, poisson: 0.36, density: 1240 kg/m^3}}\n"
      "bodies:\n"
      "  - name: strip\n"
      "    shell: {bending: hinge, mesh: {grid: {size: [120, 10], cells: [10, 1]}}, material: pla, "
      "thickness: "
      "0.3}\n"
      "sets: {root: strip where x < 12}\n"
      "drives: [{nodes: root, rotation: {axis: [0, 1, 0], through: [0, 0, 0], amplitude: 4 deg}}]\n"
      "damping: {mass: 0.5 1/s, stiffness: 5e-5 s}\n"
      "output: {vtu: no, glb: no}\n"
      "analyses:\n";
  pl_env env;
  pl_env_init(&env);
  double re[2], im[2];
  for (int k = 0; k < 2; k++) {
    char text[128];
    snprintf(text, sizeof text, "  - periodic: {frequency: 20 rad/s, harmonics: %d}\n", k ? 9 : 3);
    check_ok(&env, run_with(&env, strip, text));
    assert_true(says(&env, "summary.json", "\"stable\": true"));
    char *all = read_text(&env, "summary.json"), *at = strstr(all, "\"multipliers\"");
    assert_non_null(at);
    for (at = strchr(at, ':') + 1; strchr("[ \n", *at);) at++;
    assert_int_equal(sscanf(at, "%lf, %lf", &re[k], &im[k]), 2);
    pl_free(&env, all);
  }
  check_close(hypot(re[0], im[0]), hypot(re[1], im[1]), 5e-3);
}

static void cancel_is_clean(void **state) {
  (void)state;
  pl_status s = PL_CANCELLED;
  for (int n = 0; s == PL_CANCELLED; n++) {
    pl_env env;
    failing_alloc f;
    int left = n;
    pl_env_init(&env);
    failing_alloc_install(&env, &f, -1);
    env.progress = cancel;
    env.progress_ctx = &left;
    s = run_with(&env, duffing,
                 "  - periodic: {frequency: 1.2 rad/s, harmonics: 2, convergence: yes, newmark: "
                 "yes}\n");
    assert_true(s == PL_CANCELLED || s == PL_OK);
    assert_int_equal(f.live, 0);
  }
}

static pl_status small_run(pl_env *env, void *ctx) {
  return run_with(env, linear, ctx);
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(small_run, (void *)(uintptr_t) "  - periodic: {frequency: 3 rad/s, harmonics: "
                                                   "1, convergence: yes}\n");
  check_allocations(small_run, (void *)(uintptr_t) "  - periodic: {frequency: 3 rad/s, harmonics: "
                                                   "1, newmark: yes}\n");
}

int test_periodic(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distances_of_harmonics),  cmocka_unit_test(distances_of_samples),
      cmocka_unit_test(lost_rows_are_reported),  cmocka_unit_test(long_studies_are_thinned),
      cmocka_unit_test(distance_of_newmark),     cmocka_unit_test(newmark_of_a_large_motion),
      cmocka_unit_test(unsettled_is_reported),   cmocka_unit_test(cancel_is_clean),
      cmocka_unit_test(multipliers_are_written), cmocka_unit_test(missing_harmonics_do_not_buckle),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("job.periodic", tests, NULL, NULL);
}
