#include "run_scene.h"

#include "pliant/math.h"
#include "pliant/report.h"

#include <unistd.h>

// m x'' + c x' + k x = F sin(w t): the path length a period is 4 F / |k - m w^2 + i c w|
static const double stiff = 100, dashpot = 0.4, force = 1, omega = 8;
static const char oscillator[] =
    "pliant: 1\n"
    "dimension: 1\n"
    "parameters: {m: {value: 1 kg, min: 0.2 kg, max: %s}}\n"
    "nodes: {m: 0}\n"
    "masses: [{node: m, mass: $m}]\n"
    "springs: [{nodes: [ground, m], stiffness: 100 N/m, damping: %g N.s/m}]\n"
    "loads: [{node: m, force: [1 N], harmonic: 1}]\n"
    "output: {vtu: no, glb: no}\n"
    "analyses:\n"
    "  - %s\n";

static double size_of(double mass) {
  return hypot(stiff - mass * omega * omega, dashpot * omega);
}

static double amplitude(double mass) {
  return 4 * force / size_of(mass);
}

static pl_status run_at(pl_env *env, const char *folder, int resume, const char *max, double c,
                        const char *analysis) {
  pl_text t;
  pl_text_init(&t, env);
  pl_text_add(&t, oscillator, max, c, analysis);
  pl_status s = run_scene_at(env, folder, resume, &t);
  pl_text_free(&t);
  return s;
}

static pl_status run(pl_env *env, const char *max, const char *analysis) {
  return run_at(env, "test_design.results", 0, max, dashpot, analysis);
}

static double figure(pl_env *env, const char *after, const char *key) {
  return summary_number(env, "test_design.results", after, key, NULL);
}

static void has(pl_env *env, const char *path, const char *piece) {
  char *text;
  size_t size;
  check_ok(env, pl_file_read(env, path, 0, &text, &size));
  if (!strstr(text, piece)) fail_msg("%s lacks '%s'", path, piece);
  pl_free(env, text);
}

static double found(pl_env *env) {
  return figure(env, "\"variables\"", "\"after\": ");
}

static const char most[] = "design: {frequency: 8 rad/s, harmonics: 1, objectives: [{amplitude: "
                           "max, node: m}]}";

// the largest motion at a frequency is at resonance: m = k / w^2
static void resonance(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run(&env, "5 kg", most));
  double mass = stiff / (omega * omega);
  check_rel(found(&env), mass, 1e-6);
  check_rel(figure(&env, "\"objectives\"", "\"amplitude_before_m\": "), amplitude(1), 1e-9);
  check_rel(figure(&env, "\"objectives\"", "\"amplitude_m\": "), amplitude(mass), 1e-9);
  check_rel(figure(&env, "\"objectives\"", "\"ratio\": "), amplitude(mass) / amplitude(1), 1e-9);
  has(&env, "test_design.results/summary.json", "\"verified\": true");
  has(&env, "test_design.results/report.html", "Verified");

  // the curves before and after are those of the two masses
  pl_table *t;
  check_ok(&env, pl_table_read(&env, "test_design.results/design-response.csv", &t));
  for (int i = 0; i < pl_table_rows(t); i++) {
    const double *row = pl_table_data(t) + 4 * i;
    double w = 2 * PL_PI * row[1], m = row[0] > 0 ? mass : 1;
    check_rel(row[3], 4 * force / hypot(stiff - m * w * w, dashpot * w), 1e-6);
  }
  check_rel(pl_table_data(t)[1], 0.5 * omega / (2 * PL_PI), 1e-12);
  pl_table_free(t);
  // trajectories: the extremes of both motions
  check_ok(&env, pl_table_read(&env, "test_design.results/design-trajectory.csv", &t));
  double top[2] = {0};
  for (int i = 0; i < pl_table_rows(t); i++)
    for (int k = 0; k < 2; k++) top[k] = fmax(top[k], pl_table_data(t)[3 * i + 1 + k]);
  check_rel(top[0], amplitude(1) / 4, 1e-3);
  check_rel(top[1], amplitude(mass) / 4, 1e-3);
  pl_table_free(t);
  // the value falls from row to row, and the last mass is the one found
  check_ok(&env, pl_table_read(&env, "test_design.results/design-convergence.csv", &t));
  int rows = pl_table_rows(t), cols = pl_table_cols(t);
  for (int i = 1; i < rows; i++)
    assert_true(pl_table_data(t)[i * cols + 1] < pl_table_data(t)[(i - 1) * cols + 1]);
  check_rel(pl_table_data(t)[rows * cols - 1], found(&env), 0);
  pl_table_free(t);
}

// design.yaml is the scene with the mass found
static void written_scene(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run(&env, "5 kg", most));
  pl_scene *s;
  check_ok(&env, pl_scene_load(&env, "test_design.results/design.yaml", 0, NULL, &s));
  check_rel(s->params->design[0], found(&env), 0);
  assert_int_equal(s->analysis[0].kind, PL_ANALYSIS_design);
  pl_scene_free(s);
}

static void at_a_bound(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run(&env, "1.2 kg", most));
  check_rel(found(&env), 1.2, 1e-15);
  assert_true(found(&env) <= 1.2);
  check_rel(figure(&env, "\"objectives\"", "\"amplitude_m\": "), amplitude(1.2), 1e-9);
  check_rel(figure(&env, "\"variables\"", "\"at_bound\": "), 1, 0);
  has(&env, "test_design.results/summary.json", "1 of 1 variable ends at a bound");
  // a target out of reach is a warning and no error
  check_ok(&env, run(&env, "1.2 kg",
                     "design: {frequency: 8 rad/s, harmonics: 1, proof: no, response: no, "
                     "objectives: [{amplitude: 1 m, node: m}]}"));
  check_rel(found(&env), 1.2, 1e-15);
  has(&env, "test_design.results/summary.json", "not reached");
  has(&env, "test_design.results/report.html", "not verified");
}

// the peak of the path is where k/m - c^2/(2 m^2) = w^2; damping may be the variable, too
static void peak(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run(&env, "5 kg",
                     "design: {harmonics: 1, objectives: [{peak: 8 rad/s, node: m, from: 6 rad/s, "
                     "to: 14 rad/s}], response: {from: 1 Hz, to: 2 Hz}}"));
  double w2 = omega * omega, c2 = dashpot * dashpot;
  double mass = (stiff + sqrt(stiff * stiff - 2 * c2 * w2)) / (2 * w2);
  check_rel(found(&env), mass, 1e-4);
  check_rel(figure(&env, "\"objectives\"", "\"frequency_Hz\": "), omega / (2 * PL_PI), 1e-4);

  // alpha adds alpha m to the dashpot: a given amplitude at resonance tells it
  check_ok(&env, run(&env, "5 kg",
                     "design: {frequency: 10 rad/s, harmonics: 1, variables: [{name: alpha, max: 5 "
                     "1/s}], goal: 1e-16, objectives: [{amplitude: 0.5 m, node: m}]}"));
  check_rel(found(&env), 4 * force / 10 / 0.5 - dashpot, 1e-6);
  has(&env, "test_design.results/design.yaml", "damping:");
}

// a peak height is proved where the peak is, at w^2 = k/m - c^2/(2 m^2), not at the window's begin
static void height(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env,
           run(&env, "1.2 kg",
               "design: {harmonics: 1, response: no, objectives: [{peak_height: min, node: m, "
               "measure: max, from: 6 rad/s, to: 30 rad/s}]}"));
  double m = found(&env), c = dashpot / m, w = sqrt(stiff / m - c * c / 2);
  check_rel(figure(&env, "\"proof\"", "\"frequency_Hz\": "), w / (2 * PL_PI), 1e-6);
  check_rel(figure(&env, "\"window\"", "\"largest_m\": "),
            force / hypot(stiff - m * w * w, dashpot * w), 1e-6);
  check_rel(figure(&env, "\"window\"", "\"frequency_Hz\": "), w / (2 * PL_PI), 1e-6);
  has(&env, "test_design.results/summary.json", "\"verified\": true");
  has(&env, "test_design.results/summary.json", "\"detached_higher\": false");
  has(&env, "test_design.results/report.html", "largest value of the window");
  // a frequency that is asked for is proved as well
  check_ok(&env, run(&env, "1.2 kg",
                     "design: {harmonics: 1, frequency: 8 rad/s, response: no, max_iter: 1, "
                     "objectives: [{peak_height: min, node: m, measure: max, from: 6 rad/s, to: 30 "
                     "rad/s}]}"));
  check_rel(figure(&env, "\"proof\"", "\"frequency_Hz\": "), omega / (2 * PL_PI), 1e-9);
  has(&env, "test_design.results/summary.json", "\"window\"");
}

static int stop_after(void *ctx, const pl_progress *p) {
  int *left = ctx;
  return p->what && strcmp(p->what, "design") == 0 && --*left <= 0;
}

// stopped and resumed, by the iterations or by the user, it ends as if nothing had happened
static void resume(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run(&env, "5 kg", most));
  double whole = found(&env), value = figure(&env, "\"reason\"", "\"value\": ");
  char few[256];
  snprintf(few, sizeof few, "%.*s, max_iter: 2}", (int)strlen(most) - 1, most);
  check_ok(&env, run(&env, "5 kg", few));
  assert_true(found(&env) != whole);
  check_ok(&env, run_at(&env, "test_design.results", 1, "5 kg", dashpot, most));
  check_rel(found(&env), whole, 0);
  check_rel(figure(&env, "\"reason\"", "\"value\": "), value, 0);

  int left = 3;
  env.progress = stop_after;
  env.progress_ctx = &left;
  check_status(&env, run(&env, "5 kg", most), PL_CANCELLED);
  has(&env, "test_design.results/report.html", "interrupted");
  assert_true(found(&env) != whole);
  env.progress = NULL;
  check_ok(&env, run_at(&env, "test_design.results", 1, "5 kg", dashpot, most));
  check_rel(found(&env), whole, 0);

  // a checkpoint of other bounds or of another frequency is refused
  check_status(&env, run_at(&env, "test_design.results", 1, "4 kg", dashpot, most), PL_E_INPUT);
  check_status(&env,
               run_at(&env, "test_design.results", 1, "5 kg", dashpot,
                      "design: {frequency: 9 rad/s, harmonics: 1, objectives: [{amplitude: max, "
                      "node: m}]}"),
               PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "checkpoint"));
}

// an undamped oscillator at resonance has no steady motion
static void no_start(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_status(&env,
               run_at(&env, "test_design.results", 0, "5 kg", 0,
                      "design: {frequency: 10 rad/s, harmonics: 1, objectives: [{amplitude: max, "
                      "node: m}]}"),
               PL_UNSOLVED);
  has(&env, "test_design.results/summary.json", "no steady motion to start from");
}

// values found are for the design alone, unless they are asked for
static void applied(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  static const char *const wanted[2] = {"no", "yes"};
  for (int k = 0; k < 2; k++) {
    char text[512];
    snprintf(text, sizeof text,
             "design: {frequency: 8 rad/s, harmonics: 1, apply: %s, proof: no, response: no, "
             "objectives: [{amplitude: max, node: m}]}\n"
             "  - periodic: {frequency: 8 rad/s, harmonics: 1, watch: {m: m}}",
             wanted[k]);
    check_ok(&env, run(&env, "5 kg", text));
    check_rel(figure(&env, "\"amplitude\": {", "\"path_m\": "),
              amplitude(k ? stiff / (omega * omega) : 1), 1e-6);
  }
}

// dA/dm = 4 F (k - m w^2) w^2 / |..|^3, and the motion at the new mass
static void explore(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run(&env, "5 kg",
                     "explore: {frequency: 8 rad/s, harmonics: 1, set: {m: 1.001 kg}, watch: {m: "
                     "m}}"));
  double w2 = omega * omega, slope = 4 * force * (stiff - w2) * w2 / pow(size_of(1), 3);
  check_rel(figure(&env, "by_parameter_m", "\"m\": "), slope, 1e-8);
  check_rel(figure(&env, "\"amplitude\"", "\"before_m\": "), amplitude(1), 1e-9);
  check_rel(figure(&env, "\"amplitude\"", "\"solved_m\": "), amplitude(1.001), 1e-9);
  check_rel(figure(&env, "\"amplitude\"", "\"predicted_m\": "), amplitude(1) + 0.001 * slope, 1e-5);
  assert_true(figure(&env, "explore", "\"trust\": ") < 1e-2);

  // along the gradient: as much as wanted to first order, and no further than a bound
  check_ok(&env, run(&env, "5 kg",
                     "explore: {frequency: 8 rad/s, harmonics: 1, along: [{amplitude: m, change: 1 "
                     "%}]}"));
  check_rel(found(&env), 1 + 0.01 * amplitude(1) / slope, 1e-8);
  check_ok(&env, run(&env, "1.01 kg",
                     "explore: {frequency: 8 rad/s, harmonics: 1, along: [{amplitude: m, change: "
                     "0.5 m}]}"));
  check_rel(found(&env), 1.01, 1e-15);
  check_rel(figure(&env, "\"cut", "_by_bounds\": "), 1, 0);
  check_ok(&env, run(&env, "5 kg",
                     "explore: {frequency: 8 rad/s, harmonics: 1, along: [{amplitude: m, change: "
                     "-1 mm}]}"));
  check_rel(found(&env), 1 - 0.001 / slope, 1e-8);
}

// values of an exploration stay for the analyses that follow, solved or not, and so do those of an
// earlier fit
static void explored_values_stay(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  static const char *const wanted[2] = {"no", "yes"};
  const double mass = 1.002;
  double damped = 4 * force / hypot(stiff - mass * omega * omega, (dashpot + 3 * mass) * omega);
  for (int k = 0; k < 2; k++) {
    char text[512];
    snprintf(text, sizeof text,
             "explore: {frequency: 8 rad/s, harmonics: 1, variables: [alpha, m], apply: yes, "
             "resolve: %s, watch: {m: m}, set: {alpha: 3 1/s, m: 1.001 kg}}\n"
             "  - explore: {frequency: 8 rad/s, harmonics: 1, apply: yes, resolve: %s, "
             "watch: {m: m}, set: {m: 1.002 kg}}\n"
             "  - periodic: {frequency: 8 rad/s, harmonics: 1, watch: {m: m}}",
             wanted[k], wanted[k]);
    check_ok(&env, run(&env, "5 kg", text));
    check_rel(figure(&env, "\"periodic\"", "\"path_m\": "), damped, 1e-9);
  }
}

// a prediction that is within half a percent is not called too large, one that is far off is
static void fair_trust(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  static const struct {
    double mass;
    int good;
  } step[] = {{1.001, 1}, {1.03, 1}, {1.3, 0}};
  for (int i = 0; i < 6; i++) {
    char text[256];
    double mass = step[i / 2].mass;
    snprintf(text, sizeof text,
             "explore: {frequency: 8 rad/s, harmonics: 1, watch: {m: m}, resolve: %s, set: {m: %g "
             "kg}}",
             i % 2 ? "yes" : "no", mass);
    check_ok(&env, run(&env, "5 kg", text));
    double off = fabs(figure(&env, "\"amplitude\"", "\"predicted_m\": ") / amplitude(mass) - 1);
    assert_int_equal(off < 5e-3, step[i / 2].good);
    has(&env, "test_design.results/summary.json",
        step[i / 2].good ? "\"trusted\": true" : "\"trusted\": false");
  }
}

// objectives that are no finite number at the start are named, with their values
static void refused_objectives(void **state) {
  (void)state;
  static const struct {
    const char *objectives, *message;
  } bad[] = {
      {"{amplitude: 1e-300, node: m}", "objective 'amplitude' is not finite at the start"},
      {"{mass: 1e-300 kg, name: light}", "objective 'light' is not finite at the start"},
      {"{trajectory: {points: [[0], [1e300], [0], [-1e300]]}, node: m}", "points (x) is too large"},
      {"{stability: 1e-300}", "objective 'stability'"},
      {"{amplitude: max, node: m}, {mass: 1e-154 kg, weight: 1e9}", "weighted sum"},
  };
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    pl_env env;
    char text[512];
    pl_env_init(&env);
    snprintf(
        text, sizeof text,
        "design: {frequency: 8 rad/s, harmonics: 1, proof: no, response: no, objectives: [%s]}",
        bad[k].objectives);
    check_status(&env, run(&env, "5 kg", text), PL_E_INPUT);
    if (!strstr(env.error.text, bad[k].message))
      fail_msg("'%s' lacks '%s'", env.error.text, bad[k].message);
    if (!env.error.hint[0]) fail_msg("'%s' has no remedy", env.error.text);
  }
}

// the page shows values as the scene writes them: the best mass is 1562.5 g
static void units_of_the_scene(void **state) {
  (void)state;
  static const char text[] =
      "pliant: 1\n"
      "dimension: 1\n"
      "parameters: {m: {value: 1000 g, min: 200 g, max: 5000 g}}\n"
      "nodes: {m: 0}\n"
      "masses: [{node: m, mass: $m}]\n"
      "springs: [{nodes: [ground, m], stiffness: 100 N/m, damping: 0.4 N.s/m}]\n"
      "loads: [{node: m, force: [1 N], harmonic: 1}]\n"
      "output: {vtu: no, glb: no}\n"
      "analyses: [{design: {frequency: 8 rad/s, harmonics: 1, proof: no, response: no, objectives: "
      "[{amplitude: max, node: m}]}}]\n";
  pl_env env;
  pl_scene *scene;
  pl_job_result result;
  const pl_job_opts opts = {.folder = "test_design.results", .threads = 1};
  pl_env_init(&env);
  check_ok(&env, pl_scene_parse(&env, "t.yaml", ".", text, strlen(text), 0, NULL, NULL, &scene));
  check_ok(&env, pl_job_run(&env, scene, &opts, &result));
  pl_scene_free(scene);
  has(&env, "test_design.results/report.html", "1562.5");
  check_rel(found(&env), 1.5625, 1e-6);
}

int test_design(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(resonance),
      cmocka_unit_test(written_scene),
      cmocka_unit_test(at_a_bound),
      cmocka_unit_test(peak),
      cmocka_unit_test(height),
      cmocka_unit_test(resume),
      cmocka_unit_test(no_start),
      cmocka_unit_test(applied),
      cmocka_unit_test(explore),
      cmocka_unit_test(explored_values_stay),
      cmocka_unit_test(fair_trust),
      cmocka_unit_test(units_of_the_scene),
      cmocka_unit_test(refused_objectives),
  };
  return cmocka_run_group_tests_name("job.design", tests, NULL, NULL);
}
