// Steps of searches, fits and designs as pages get them, against what they must be by formulas.
#include "check.h"
#include "recorder.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "test_studio_iterates"

// a mass on a spring with a force in time; 1 kg, 100 N/m, 3 N
#define OSCILLATOR                                                                                 \
  "pliant: 1\ndimension: 1\nparameters:\n"                                                         \
  "  k: {value: 80 N/m, min: 10 N/m, max: 1000 N/m}\n"                                             \
  "nodes: {m: 0}\nmasses: [{node: m, mass: 1 kg}]\n"                                               \
  "springs: [{nodes: [ground, m], stiffness: $k}]\n"                                               \
  "loads: [{node: m, force: [3 N], harmonic: 1}]\n"                                                \
  "damping: {mass: 0.5 1/s}\nwatch: {m: m}\nanalyses:\n"

static double amplitude(double k, double alpha, double omega) {
  return 3 / hypot(k - omega * omega, alpha * omega);
}

static int run_text(studio *s, const char *text, const char *ends) {
  json_t *reply = ask_for(s, "run", json_pack("{s:s, s:s}", "path", "a.yaml", "text", text));
  int run = (int)json_integer_value(json_object_get(reply, "run"));
  json_decref(reply);
  if (ends) assert_string_equal(wait_for(s, run, 100), ends);
  return run;
}

static double number(const json_t *iterate, const char *group, const char *name) {
  const json_t *v = json_object_get(json_object_get(iterate, group), name);
  assert_true(json_is_number(v));
  return json_number_value(v);
}

static double value(const json_t *iterate) {
  return json_number_value(json_object_get(iterate, "value"));
}

// of the first harmonic of the mass
static double swing(studio *s, const json_t *iterate) {
  const json_t *orbit = json_array_get(json_object_get(iterate, "orbits"), 0);
  size_t n;
  const float *z = reals_of(s, json_object_get(orbit, "coefficients"), &n);
  assert_true(n >= 9);
  return hypot(z[1], z[2]);
}

// every evaluation with its figures; those that fail are told, too
static void searches(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  int run = run_text(
      s,
      OSCILLATOR "  - modes: {count: 1}\n"
                 "  - search: {budget: 12, batch: 4, vary: [{name: k, path: parameters.k.value, "
                 "min: -2000 N/m, max: 1000 N/m}], goals: [{figure: modes.frequency_Hz.0, "
                 "target: 3}]}\n",
      "done");
  int n = count_events("iterate", run), failed = 0;
  double least = INFINITY, best = NAN;
  assert_int_equal(n, 12);
  for (int i = 0; i < n; i++) {
    const json_t *it = event_at("iterate", run, i);
    double k = number(it, "values", "k");
    assert_int_equal(json_integer_value(json_object_get(it, "iteration")), i);
    assert_string_equal(json_string_value(json_object_get(it, "analysisKind")), "search");
    assert_string_equal(json_string_value(json_object_get(json_object_get(it, "units"), "k")),
                        "N/m");
    if (json_is_null(json_object_get(it, "value"))) {
      failed++;
      assert_true(k < 10);
      assert_false(json_is_true(json_object_get(it, "best")));
      continue;
    }
    check_close(number(it, "figures", "modes.frequency_Hz.0"), sqrt(k) / (2 * PL_PI), 1e-9);
    char set[64];
    snprintf(set, sizeof set, "parameters.k.value=%.17g N/m", k);
    assert_string_equal(json_string_value(json_array_get(json_object_get(it, "set"), 0)), set);
    least = fmin(least, value(it));
    if (json_is_true(json_object_get(it, "best"))) best = value(it);
  }
  assert_true(failed > 0);
  assert_true(best == least);
  recorder_close(s);
}

// over two periods
static void write_motion(studio *s, const char *name, double omega) {
  char text[4096];
  size_t n = (size_t)snprintf(text, sizeof text, "time_s,m_x_m\n");
  failure f;
  for (int i = 0; i < 60; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%.15g,%.15g\n", 4 * PL_PI / omega * i / 60,
                          amplitude(100, 1.2, omega) * sin(4 * PL_PI * i / 60 + 0.3));
  assert_true(file_write(s, name, text, n, &f));
}

// each motion is that of its values; the last ones are those of the data
static void fits_of_damping(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  write_motion(s, "slow.csv", 9);
  write_motion(s, "fast.csv", 10.5);
  int run = run_text(s,
                     OSCILLATOR "  - fit-damping: {data: [slow.csv, {file: fast.csv, frequency: "
                                "10.5 rad/s}], frequency: 9 rad/s, harmonics: 1, parameters: [k], "
                                "beta: no}\n",
                     "done");
  int n = count_events("iterate", run);
  assert_true(n > 2);
  for (int i = 0; i < n; i++) {
    const json_t *it = event_at("iterate", run, i);
    double k = number(it, "values", "k"), alpha = number(it, "values", "alpha");
    double want = amplitude(k, alpha, 9);
    assert_int_equal(json_array_size(json_object_get(it, "orbits")), 2);
    check_close(swing(s, it), want, 1e-5 * want);
    if (i == 0) check_close(k, 80, 1e-12);
    if (i == 0) check_close(alpha, 0.5, 1e-12);
    if (i == n - 1) check_close(k, 100, 1e-3);
    if (i == n - 1) check_close(alpha, 1.2, 1e-3);
  }
  check_less(value(event_at("iterate", run, n - 1)), 1e-4);
  recorder_close(s);
}

// of a response the motion where the measured one is largest
static void fits_of_responses(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  char text[2048];
  size_t n = (size_t)snprintf(text, sizeof text, "frequency_Hz,amplitude_m\n");
  double peak = 0, at = 0, size = 0;
  failure f;
  for (int i = 0; i < 21; i++) {
    double omega = 8 + 0.2 * i, a = amplitude(100, 0.5, omega);
    n += (size_t)snprintf(text + n, sizeof text - n, "%.15g,%.15g\n", omega / (2 * PL_PI), a);
    size += a * a;
    if (a > peak) at = omega;
    peak = fmax(peak, a);
  }
  assert_true(file_write(s, "measured.csv", text, n, &f));
  int run = run_text(s,
                     OSCILLATOR "  - fit-response: {data: {file: measured.csv, watch: m.x}, "
                                "harmonics: 1, parameters: [k]}\n",
                     "done");
  int count = count_events("iterate", run);
  assert_true(count > 2);
  for (int i = 0; i < count; i++) {
    const json_t *it = event_at("iterate", run, i);
    double k = number(it, "values", "k"), off = 0, want = amplitude(k, 0.5, at);
    check_close(swing(s, it), want, 1e-5 * want);
    for (int j = 0; j < 21; j++) {
      double omega = 8 + 0.2 * j;
      off += pow(amplitude(k, 0.5, omega) - amplitude(100, 0.5, omega), 2);
    }
    check_close(value(it), sqrt(off / size), 1e-6);
  }
  check_close(number(event_at("iterate", run, count - 1), "values", "k"), 100, 1e-6);
  recorder_close(s);
}

// the overrides of a step have its values; it ends when told to
static void designs_of_mail(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  int run = run_text(s,
                     "pliant: 1\ninterlocking: [four-in-one: {}]\nanalyses:\n"
                     "  - mail-design: {variables: [radius, across], goals: [{stretch: 10 %, "
                     "angle: 90 deg}]}\n",
                     NULL);
  for (int k = 0; k < 600000 && count_events("iterate", run) < 2; k++) usleep(100);
  json_decref(ask_for(s, "cancel", json_pack("{s:i}", "run", run)));
  wait_for(s, run, 100);
  for (int i = 0; i < 2; i++) {
    const json_t *it = event_at("iterate", run, i), *set = json_object_get(it, "set");
    double told = NAN, radius = number(it, "values", "radius");
    assert_int_equal(json_integer_value(json_object_get(it, "iteration")), i);
    assert_int_equal(json_array_size(set), 2);
    assert_int_equal(sscanf(json_string_value(json_array_get(set, 0)),
                            "interlocking.four-in-one.radius=%lf m", &told),
                     1);
    check_close(told, radius, 1e-8 * radius);
    double stretch = number(it, "figures", "stretch, 90 degrees");
    assert_true(stretch > 0 && stretch < 1);
    assert_true(isfinite(value(it)));
  }
  recorder_close(s);
}

int test_iterates(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(searches),
      cmocka_unit_test(fits_of_damping),
      cmocka_unit_test(fits_of_responses),
      cmocka_unit_test(designs_of_mail),
  };
  return cmocka_run_group_tests_name("iterates", tests, NULL, NULL);
}
