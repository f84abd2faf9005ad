#include "run_scene.h"

#include "pliant/math.h"
#include "pliant/report.h"

// m x'' + c x' + k x = F sin(w t): m = 1, k = 25, c = alpha m + beta k, F = 2
static const char oscillator[] = "pliant: 1\n"
                                 "dimension: 1\n"
                                 "parameters: {k: {value: 24 N/m, min: 1 N/m}}\n"
                                 "nodes: {m: 0}\n"
                                 "masses: [{node: m, mass: 1 kg}]\n"
                                 "springs: [{nodes: [ground, m], stiffness: $k}]\n"
                                 "loads: [{node: m, force: [2 N], harmonic: 1}]\n"
                                 "damping: {mass: 0.3, stiffness: 1 ms}\n"
                                 "watch: {m: m}\n"
                                 "output: {vtu: no, glb: no}\n"
                                 "analyses:\n";

static const double alpha = 0.5, stiff = 25, force = 2;

// steady motion at a time, beta = 0
static double motion(double w, double t) {
  double a = stiff - w * w, d = w * alpha;
  return force / hypot(a, d) * sin(w * t - atan2(d, a));
}

// n samples over two periods, in mm and ms, measured in a frame and with a clock of their own
static void write_data(pl_env *env, const char *name, double w, int n, double late) {
  pl_text t;
  pl_text_init(&t, env);
  pl_text_add(&t, "time_ms,m_x_mm\n");
  for (int i = 0; i < n; i++) {
    double time = 4 * PL_PI / w * i / n;
    pl_text_add(&t, "%.17g,%.17g\n", 1e3 * time, 70 + 1e3 * motion(w, time + late));
  }
  write_text(env, name, t.s);
  pl_text_free(&t);
}

static pl_status run_with(pl_env *env, const char *analysis) {
  pl_text t;
  pl_text_init(&t, env);
  pl_text_add(&t, "%s%s", oscillator, analysis);
  pl_status s = run_scene_at(env, "test_fit.results", 0, &t);
  pl_text_free(&t);
  return s;
}

static double figure(pl_env *env, const char *key) {
  return summary_number(env, "test_fit.results", key, NULL);
}

// alpha and k from two frequencies; the periodic motion that follows uses them
static void values_come_back(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  write_data(&env, "test_fit_a.csv", 4.5, 40, 0.2);
  write_data(&env, "test_fit_b.csv", 5.5, 40, 0.6);
  check_ok(&env, run_with(&env, "  - fit-damping: {data: [test_fit_a.csv, {file: test_fit_b.csv, "
                                "frequency: 5.5 rad/s}], frequency: 4.5 rad/s, harmonics: 1, "
                                "parameters: [k], beta: no, apply: yes}\n"
                                "  - periodic: {frequency: 5 rad/s, harmonics: 1}\n"));
  // beta k = 0.025 is not fitted: alpha takes less
  check_rel(figure(&env, "\"after\": "), alpha - 0.001 * stiff, 1e-6);
  check_less(figure(&env, "\"residual_after_m\": "), 1e-9);
  pl_table *t;
  check_ok(&env, pl_table_read(&env, "test_fit.results/fit-damping-2.csv", &t));
  assert_int_equal(pl_table_rows(t), 40);
  assert_string_equal(pl_table_name(t, 3), "m_x_after");
  for (int i = 0; i < 40; i++)
    check_close(pl_table_data(t)[4 * i + 3], pl_table_data(t)[4 * i + 1], 1e-8);
  pl_table_free(t);
  check_ok(&env, pl_table_read(&env, "test_fit.results/periodic.csv", &t));
  const double *d = pl_table_data(t);
  for (int i = 0; i < pl_table_rows(t); i++) check_close(d[2 * i + 1], motion(5, d[2 * i]), 1e-7);
  pl_table_free(t);
}

static void refuse(pl_env *env, const char *analysis, const char *message) {
  pl_env_init(env);
  check_status(env, run_with(env, analysis), PL_E_INPUT);
  if (!strstr(env->error.text, message)) fail_msg("'%s' lacks '%s'", env->error.text, message);
}

static void nonsense_is_refused(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const char *plain = "  - fit-damping: {data: test_fit_bad.csv, frequency: 5 rad/s}\n";
  write_text(&env, "test_fit_bad.csv", "");
  refuse(&env, plain, "empty");
  write_text(&env, "test_fit_bad.csv", "time_s,m_x_m\n");
  refuse(&env, plain, "no samples");
  write_text(&env, "test_fit_bad.csv", "time_s,n_x_m\n1,2\n");
  refuse(&env, plain, "no column for the watched 'm'");
  write_text(&env, "test_fit_bad.csv", "m_x_m\n1\n");
  refuse(&env, plain, "no column time_s");
  write_text(&env, "test_fit_bad.csv", "time_s,m_x\n1,2\n");
  refuse(&env, plain, "no length");
  write_text(&env, "test_fit_bad.csv", "time_s,m_x_m\n0,1\n0.1,\n");
  refuse(&env, "  - fit-damping: {data: test_fit_bad.csv, frequency: 5 rad/s, harmonics: 1}\n",
         "2 samples cannot tell 1 harmonics");
  write_data(&env, "test_fit_bad.csv", 5, 10, 0);
  refuse(&env, plain, "10 samples cannot tell 5 harmonics");
  refuse(&env, "  - fit-damping: {data: test_fit_gone.csv, frequency: 5 rad/s}\n", "cannot open");
  refuse(&env, "  - fit-damping: {data: test_fit_bad.csv}\n", "frequency");
  refuse(&env, "  - fit-damping: {frequency: 5 rad/s}\n", "data");
  refuse(&env, "  - fit-damping: {data: [], frequency: 5 rad/s}\n", "must name files");
  refuse(&env, "  - fit-damping: {data: test_fit_bad.csv, frequency: 5 rad/s, parameters: [x]}\n",
         "not among the parameters");
  refuse(&env,
         "  - fit-damping: {data: test_fit_bad.csv, frequency: 5 rad/s, parameters: [k, $k]}\n",
         "in the list already");
  refuse(&env,
         "  - fit-damping: {data: test_fit_bad.csv, frequency: 5 rad/s, alpha: no, beta: "
         "no}\n",
         "nothing to fit");
}

// F / sqrt((k - w^2)^2 + (c w)^2), with k = 24 and c = 0.3 + 0.024; the path is four amplitudes
static void linear_response_beside(void **state) {
  (void)state;
  pl_env env;
  pl_table *t;
  pl_env_init(&env);
  check_ok(&env, run_with(&env, "  - response: {from: 3 rad/s, to: 7 rad/s, harmonics: 1, linear: "
                                "yes}\n"));
  check_ok(&env, pl_table_read(&env, "test_fit.results/response-linear.csv", &t));
  assert_string_equal(pl_table_name(t, 1), "omega");
  assert_string_equal(pl_table_name(t, 2), "m_path");
  assert_string_equal(pl_table_name(t, 3), "m_max_x");
  double most = 0;
  for (int i = 0; i < pl_table_rows(t); i++) {
    const double *row = pl_table_data(t) + 4 * i;
    double w = row[1], size = force / hypot(24 - w * w, 0.324 * w);
    check_rel(row[0], w / (2 * PL_PI), 1e-15);
    check_rel(row[2], 4 * size, 1e-12);
    check_rel(row[3], size, 1e-12);
    if (i > 0) check_less(pl_table_data(t)[4 * i - 3], w * (1 + 1e-15));
    most = fmax(most, size);
  }
  // samples lie close enough about the resonance
  check_rel(most, force / (0.324 * sqrt(24 - 0.162 * 0.162 * 2 + 0.162 * 0.162)), 2e-3);
  pl_table_free(t);
  check_ok(&env, run_with(&env, "  - periodic: {frequency: 5 rad/s, harmonics: 1, linear: yes}\n"));
  pl_table *u;
  check_ok(&env, pl_table_read(&env, "test_fit.results/periodic-linear.csv", &t));
  check_ok(&env, pl_table_read(&env, "test_fit.results/periodic.csv", &u));
  assert_int_equal(pl_table_rows(t), pl_table_rows(u));
  check_array(2 * pl_table_rows(t), pl_table_data(t), pl_table_data(u), 1e-9);
  pl_table_free(t);
  pl_table_free(u);
}

static pl_status small_run(pl_env *env, void *ctx) {
  return run_with(env, ctx);
}

static void failing_allocator(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  write_data(&env, "test_fit_a.csv", 4.5, 5, 0.2);
  check_allocations(small_run, (void *)(uintptr_t) "  - fit-damping: {data: test_fit_a.csv, "
                                                   "frequency: 4.5 rad/s, harmonics: 1, "
                                                   "parameters: k, alpha: no, beta: no}\n");
  check_allocations(small_run,
                    (void *)(uintptr_t) "  - periodic: {frequency: 5 rad/s, harmonics: 1, linear: "
                                        "yes}\n");
}

int test_fit(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_come_back),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(linear_response_beside),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("job.fit", tests, NULL, NULL);
}
