// Measured responses in scenes: laid over computed ones, fitted, and files that cannot serve.
#include "run_scene.h"

#include "pliant/math.h"
#include "pliant/report.h"

#include <complex.h>

// m x'' + c x' + k x = 2 N cos: m = 1, k = 400, c = 1, as in the universal files
static const char oscillator[] = "pliant: 1\n"
                                 "dimension: 1\n"
                                 "parameters:\n"
                                 "  m: {value: %s, min: 0.1 kg, max: 10 kg}\n"
                                 "  k: {value: %s, min: 0.01 N/mm, max: 4 N/mm}\n"
                                 "  c: {value: %s, min: 0 N.s/m, max: 10 N.s/m}\n"
                                 "nodes: {m: 0}\n"
                                 "masses: [{node: m, mass: $m}]\n"
                                 "springs: [{nodes: [ground, m], stiffness: $k, damping: $c}]\n"
                                 "loads: [{node: m, force: [2 N], harmonic: 1, phase: 90 deg}]\n"
                                 "watch: {tip: m}\n"
                                 "output: {vtu: no, glb: no}\n"
                                 "analyses:\n";

static double complex receptance(double w) {
  return 1 / (400 - w * w + I * w);
}

static pl_status run_with(pl_env *env, const char *const start[3], const char *analysis) {
  pl_text t;
  pl_text_init(&t, env);
  pl_text_add(&t, oscillator, start[0], start[1], start[2]);
  pl_text_add(&t, "%s", analysis);
  pl_status s = run_scene_at(env, "test_measured.results", 0, &t);
  pl_text_free(&t);
  return s;
}

static const char *const exact[3] = {"1 kg", "0.4 N/mm", "1 N.s/m"};
static const char *const rough[3] = {"1.4 kg", "0.3 N/mm", "2 N.s/m"};

static double figure(pl_env *env, const char *after, const char *key) {
  return summary_number(env, "test_measured.results", after, key, NULL);
}

static double fitted(pl_env *env, const char *name) {
  char key[32];
  snprintf(key, sizeof key, "\"%s\": {", name);
  return summary_number(env, "test_measured.results", "\"fitted\"", key, "\"after\": ", NULL);
}

// the same samples in many ways of writing them
static const struct {
  const char *header;
  int order, force, form; // form 0: amplitude, 1: with phase, 2: real and imaginary part
  double factor;          // file's unit in SI
} way[] = {
    {"frequency_Hz,amplitude_mm", 0, 0, 0, 1e-3},
    {"frequency_Hz,amplitude_m,phase_deg", 0, 0, 1, 1},
    {"Frequency (Hz),Amplitude (um/N),Phase (rad)", 0, 1, 1, 1e-6},
    {"freq_Hz,tip_velocity_mm_s", 1, 0, 0, 1e-3},
    {"freq_Hz,acceleration_m_s2,phase_deg", 2, 0, 1, 1},
    {"Frequency [Hz],Real [m/s^2/N],Imag [m/s^2/N]", 2, 1, 2, 1},
    {"frequency_Hz,real_mm_N,imag_mm_N", 0, 1, 2, 1e-3},
};

static void write_way(pl_env *env, int k) {
  pl_text t;
  pl_text_init(&t, env);
  pl_text_add(&t, "# measured yesterday\n%s\n", way[k].header);
  for (int i = 0; i < 21; i++) {
    double f = 2 + 0.1 * i, w = 2 * PL_PI * f;
    double complex y = (way[k].force ? 1 : 2) * receptance(w) * cpow(I * w, way[k].order);
    y /= way[k].factor;
    double phase = carg(y) * (strstr(way[k].header, "rad") ? 1 : 180 / PL_PI);
    pl_text_add(&t, "%.17g,%.17g", f, way[k].form == 2 ? creal(y) : cabs(y));
    if (way[k].form) pl_text_add(&t, ",%.17g", way[k].form == 2 ? cimag(y) : phase);
    pl_text_add(&t, "\n");
  }
  write_text(env, "test_measured.csv", t.s);
  pl_text_free(&t);
}

// each way says the same: no difference, and the true values from a rough start
static void ways_of_writing(void **state) {
  (void)state;
  for (int k = 0; k < (int)(sizeof way / sizeof way[0]); k++) {
    pl_env env;
    pl_env_init(&env);
    write_way(&env, k);
    check_ok(&env, run_with(&env, exact,
                            "  - response: {from: 1.5 Hz, to: 5 Hz, harmonics: 1, stability: no, "
                            "measured: test_measured.csv}\n"));
    check_less(figure(&env, "\"measured\"", "\"error\": "), 1e-7);
    check_close(figure(&env, "\"measured\"", "\"without_motion\": "), 0, 0);
    check_ok(&env, run_with(&env, rough,
                            "  - fit-response: {data: {file: test_measured.csv, watch: tip.x}, "
                            "harmonics: 1}\n"));
    check_rel(fitted(&env, "m"), 1, 1e-5);
    check_rel(fitted(&env, "k"), 400, 1e-5);
    check_rel(fitted(&env, "c"), 1, 1e-4);
  }
}

static void universal_files(void **state) {
  (void)state;
  static const char *const name[] = {"even-complex", "uneven-double", "even-real", "uneven-real"};
  for (int k = 0; k < 4; k++) {
    pl_env env;
    char text[512];
    pl_env_init(&env);
    snprintf(text, sizeof text,
             "  - response: {from: 0.8 Hz, to: 6 Hz, harmonics: 1, stability: no, measured: "
             "{file: \"%s/tests/report/%s.uff\", watch: tip.x}}\n",
             SOURCE_DIR, name[k]);
    check_ok(&env, run_with(&env, exact, text));
    check_less(figure(&env, "\"measured\"", "\"error\": "), 1e-5);
  }
}

// alpha and a chosen parameter; the analyses that follow use them when asked
static void applied(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  write_way(&env, 1);
  static const char *const bare[3] = {"1 kg", "0.39 N/mm", "0.3 N.s/m"};
  check_ok(&env, run_with(&env, bare,
                          "  - fit-response: {data: test_measured.csv, harmonics: 1, parameters: "
                          "[{name: alpha, max: 20 1/s}, k], apply: yes}\n"
                          "  - periodic: {frequency: 3 Hz, harmonics: 1}\n"));
  check_rel(fitted(&env, "alpha"), 0.7, 1e-5);
  check_rel(figure(&env, "\"periodic\"", "\"max_x_m\": "), 2 * cabs(receptance(6 * PL_PI)), 1e-6);
  pl_table *t;
  check_ok(&env, pl_table_read(&env, "test_measured.results/fit-response-measured-tip.csv", &t));
  assert_int_equal(pl_table_rows(t), 21);
  assert_string_equal(pl_table_name(t, 1), "measured_amplitude");
  for (int i = 0; i < 21; i++)
    check_rel(pl_table_data(t)[7 * i + 5], pl_table_data(t)[7 * i + 1], 1e-6);
  pl_table_free(t);
  // the scene with these values loads
  pl_scene *s;
  check_ok(&env, pl_scene_load(&env, "test_measured.results/fit-response.yaml", 0, NULL, &s));
  pl_scene_free(s);
}

// the manual's scene, whose data come from an integration in time with m = 0.5, k = 2000, c = 1.6,
// k3 = 9e5 and noise of 0.15 mm; the bands are 1, 1, 0.4 and 2 % wide
static void the_manuals_scene(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double value, most;
  } want[] = {{"m", 0.5, 0.02}, {"k", 2000, 0.02}, {"c", 1.6, 0.02}, {"k3", 9e5, 0.04}};
  pl_env env;
  pl_scene *s;
  pl_job_result result;
  const pl_job_opts opts = {.folder = "test_measured.results", .threads = 1};
  pl_env_init(&env);
  check_ok(&env, pl_scene_load(&env, SOURCE_DIR "/scenes/measured.yaml", 0, NULL, &s));
  check_ok(&env, pl_job_run(&env, s, &opts, &result));
  pl_scene_free(s);
  for (int k = 0; k < 4; k++) check_rel(fitted(&env, want[k].name), want[k].value, want[k].most);
  // samples lie over the curve, in amplitude and phase
  static const char *const figures[] = {"response-tip.svg", "response-tip-phase.svg"};
  for (int k = 0; k < 2; k++) {
    char path[96], *text, *at;
    size_t size;
    int dots = 0;
    snprintf(path, sizeof path, "test_measured.results/%s", figures[k]);
    check_ok(&env, pl_file_read(&env, path, 0, &text, &size));
    assert_non_null(strstr(text, ">measured<"));
    assert_non_null(strstr(text, ">unstable<"));
    // dots are lines of no length over a rim: samples and special points; marks of the legend
    for (at = text; (at = strstr(at, "h0")); at++) dots++;
    assert_int_equal(dots, 2 * (51 + 3) + 2);
    pl_free(&env, text);
  }
  check_less(figure(&env, "\"measured\"", "\"error\": "), 0.02);
}

static void refuse(const char *file, const char *analysis, const char *message) {
  pl_env env;
  pl_env_init(&env);
  write_text(&env, "test_measured.csv", file);
  check_status(&env, run_with(&env, exact, analysis), PL_E_INPUT);
  if (!strstr(env.error.text, message)) fail_msg("'%s' lacks '%s'", env.error.text, message);
}

static void nonsense_is_refused(void **state) {
  (void)state;
  const char *plain = "  - response: {from: 1 Hz, to: 5 Hz, measured: test_measured.csv}\n";
  refuse("amplitude_mm\n1\n", plain, "no column for the frequency");
  refuse("frequency,amplitude_mm\n1,1\n", plain, "column 'frequency' says no unit");
  refuse("frequency_Hz,amplitude\n1,1\n", plain, "no unit is given for the amplitudes");
  refuse("frequency_Hz,amplitude_kg\n1,1\n", plain, "no unit of a displacement");
  refuse("frequency_Hz,amplitude_mm,phase\n1,1,1\n", plain, "column 'phase' says no unit");
  refuse("frequency_Hz,amplitude_mm\n1,x\n", plain, "is not a number");
  refuse("frequency_Hz,amplitude_mm\n1,\n", plain, "this sample is not a number");
  refuse("frequency_Hz,amplitude_mm\n", plain, "no samples");
  refuse("frequency_Hz,amplitude_mm\n1,1\n",
         "  - response: {from: 1 Hz, to: 5 Hz, measured: {file: test_measured.csv, quantity: "
         "velocity}}\n",
         "is that of a displacement");
  refuse("frequency_Hz,amplitude_mm\n1,1\n",
         "  - fit-response: {data: test_measured.csv, parameters: [frequency]}\n",
         "frequencies come with the data");
  refuse("frequency_Hz,amplitude_mm\n1,1\n",
         "  - fit-response: {data: test_measured.csv, parameters: [d]}\n",
         "'d' is not among the parameters");
}

int test_measured(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ways_of_writing),
      cmocka_unit_test(universal_files),
      cmocka_unit_test(applied),
      cmocka_unit_test(the_manuals_scene),
      cmocka_unit_test(nonsense_is_refused),
  };
  return cmocka_run_group_tests_name("job.measured", tests, NULL, NULL);
}
