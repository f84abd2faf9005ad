// Stops, dry friction and tables in scenes: beside an independent integration in time, closed forms
// and differences.
#include "run_scene.h"

#include "pliant/math.h"
#include "pliant/report.h"

#define FOLDER "test_pairs.results"

static pl_env env;

// m x'' + c x' + x + pairs = f
static const char head[] = "pliant: 1\n"
                           "dimension: 1\n"
                           "nodes: {m: 0}\n"
                           "masses: [{node: m, mass: 1 kg}]\n"
                           "watch: {m: m}\n"
                           "output: {vtu: no, glb: no}\n";

static pl_status run(const char *more) {
  pl_text t;
  pl_env_init(&env);
  pl_text_init(&t, &env);
  pl_text_add(&t, "%s%s", head, more);
  pl_status s = run_scene_at(&env, FOLDER, 0, &t);
  pl_text_free(&t);
  return s;
}

static double figure(const char *after, const char *key) {
  return summary_number(&env, FOLDER, after, key, NULL);
}

static pl_table *read_back(const char *path) {
  pl_table *t;
  check_ok(&env, pl_table_read(&env, path, &t));
  return t;
}

static double entry(const pl_table *t, int row, const char *name) {
  for (int c = 0; c < pl_table_cols(t); c++)
    if (strcmp(pl_table_name(t, c), name) == 0)
      return pl_table_data(t)[(size_t)row * (size_t)pl_table_cols(t) + (size_t)c];
  fail_msg("there is no column %s", name);
  return NAN;
}

// ---- energy book --------------------------------------------------------------------------------

// steps that take too few iterations are halved; what sliders lose in the parts is in the book (at
// the turn, 0.32 m away, the spring of this one would bear 0.96 N)
static void book_closes(void **state) {
  (void)state;
  pl_status s = run("springs: [{nodes: [ground, m], stiffness: 1 N/m, cubic: 3000 N/m^3}]\n"
                    "friction: [{nodes: [ground, m], stiffness: 3 N/m, limit: 0.5 N}]\n"
                    "initial: [{node: m, velocity: [4 m/s]}]\n"
                    "analyses: [{transient: {step: 0.1 s, duration: 1.5 s, max_iter: 2}}]\n");
  assert_true(s == PL_OK || s == PL_UNSOLVED);
  pl_table *t = read_back(FOLDER "/transient.csv");
  int last = pl_table_rows(t) - 1;
  double first = entry(t, 0, "total"), lost = entry(t, last, "dissipated");
  assert_true(figure("\"transient\"", "\"rejected\": ") > 10);
  assert_true(lost > 0.01);
  check_close(entry(t, last, "total") + lost - first,
              figure("\"transient\"", "\"energy_made_J\": "), 1e-7);
  pl_table_free(t);
}

// ---- transients and statics ---------------------------------------------------------------------

// (x, force), straight between the points and beyond
static const double bend[4][2] = {{-1, -3}, {-0.2, -0.1}, {0.3, 0.2}, {1, 2}};

static double table_force(double x) {
  int i = 0;
  while (i < 2 && x > bend[i + 1][0]) i++;
  double slope = (bend[i + 1][1] - bend[i][1]) / (bend[i + 1][0] - bend[i][0]);
  return bend[i][1] + slope * (x - bend[i][0]);
}

static void write_bend(void) {
  pl_text t;
  pl_text_init(&t, &env);
  pl_text_add(&t, "x_mm,force_N\n");
  for (int i = 0; i < 4; i++) pl_text_add(&t, "%.17g,%.17g\n", 1e3 * bend[i][0], bend[i][1]);
  write_text(&env, "test_pairs.csv", t.s);
  pl_text_free(&t);
}

typedef double (*force_fn)(double x, double v);

// x'' = 1.5 sin(1.3 t) - x - force from rest by the classical Runge-Kutta scheme
static double integrate(force_fn force, double end) {
  enum { N = 40000 };
  double x = 0, v = 0, h = end / N;
  for (int i = 0; i < N; i++) {
    static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1, 2, 2, 1};
    double dx = 0, dv = 0, sx = 0, sv = 0;
    for (int k = 0; k < 4; k++) {
      double y = x + c[k] * h * dx, w = v + c[k] * h * dv;
      dx = w;
      dv = 1.5 * sin(1.3 * h * (i + c[k])) - y - force(y, w);
      sx += b[k] * dx / 6;
      sv += b[k] * dv / 6;
    }
    x += h * sx;
    v += h * sv;
  }
  return x;
}

static double rub(double x, double v) {
  (void)x;
  return 0.4 * tanh(v / 0.1);
}

static double bent(double x, double v) {
  (void)v;
  return 0.7 * table_force(x);
}

// the same points with one at rest
static double rate_bent(double x, double v) {
  (void)x;
  return v < -0.2 ? table_force(v) : v < 0 ? 0.5 * v : v < 0.3 ? v * 0.2 / 0.3 : table_force(v);
}

static void transients(void **state) {
  (void)state;
  static const struct {
    const char *pair;
    force_fn force;
  } all[] = {
      {"friction: [{nodes: [ground, m], law: tanh, limit: 0.4 N, velocity: 0.1 m/s}]\n", rub},
      {"tables: [{nodes: [ground, m], file: test_pairs.csv, interpolation: linear, factor: 0.7}]\n",
       bent},
      {"tables: [{nodes: [ground, m], file: test_pairs_rate.csv, of: rate, interpolation: "
       "linear}]\n",
       rate_bent},
  };
  for (int k = 0; k < 3; k++) {
    char text[1024];
    double error[2];
    write_bend();
    write_text(&env, "test_pairs_rate.csv", "v_m/s,force_N\n-1,-3\n-0.2,-0.1\n0,0\n0.3,0.2\n1,2\n");
    for (int fine = 0; fine < 2; fine++) {
      snprintf(text, sizeof text,
               "springs: [{nodes: [ground, m], stiffness: 1 N/m}]\n"
               "loads: [{node: m, force: [1.5 N], harmonic: 1}]\n%s"
               "analyses: [{transient: {frequency: 1.3 rad/s, step: %g s, duration: 12 s}}]\n",
               all[k].pair, fine ? 0.0025 : 0.01);
      check_ok(&env, run(text));
      pl_table *t = read_back(FOLDER "/transient.csv");
      int last = pl_table_rows(t) - 1;
      error[fine] = fabs(entry(t, last, "m_x") - integrate(all[k].force, entry(t, last, "time")));
      pl_table_free(t);
    }
    // of second order: a quarter of the step, a sixteenth of the error
    check_less(error[1], 0.1 * error[0] + 1e-6);
    check_less(error[1], 1e-4);
  }
}

// places at which the force of a table is known: on its lines, and at the points of its cubics
static void statics(void **state) {
  (void)state;
  static const double place[] = {-1.5, -0.6, 0.1, 0.8, 1.7};
  char text[512];
  write_bend();
  for (int cubic = 0; cubic < 2; cubic++)
    for (int i = 0; i < (cubic ? 4 : 5); i++) {
      double x = cubic ? bend[i][0] : place[i];
      snprintf(text, sizeof text,
               "springs: [{nodes: [ground, m], stiffness: 1 N/m}]\n"
               "loads: [{node: m, force: [%.17g N]}]\n"
               "tables: [{nodes: [ground, m], file: test_pairs.csv, interpolation: %s}]\n"
               "friction: [{nodes: [ground, m], law: tanh, limit: 9 N, velocity: 0.1 m/s}]\n"
               "analyses: [static]\n",
               x + table_force(x), cubic ? "cubic" : "linear");
      check_ok(&env, run(text));
      pl_table *t = read_back(FOLDER "/static.csv");
      // what rubs holds nothing that is at rest
      check_close(entry(t, pl_table_rows(t) - 1, "m_x"), x, 1e-9);
      pl_table_free(t);
    }
}

// ---- mu times normal ----------------------------------------------------------------------------

static void product(void **state) {
  (void)state;
  static const char *const way[3] = {
      "friction: [{nodes: [ground, m], stiffness: 3 N/m, limit: 0.4 N}]\n",
      "friction: [{nodes: [ground, m], stiffness: 3 N/m, mu: 0.2, normal: 2 N}]\n",
      "parameters: {mu: {value: 0.2}}\n"
      "friction: [{nodes: [ground, m], stiffness: 3 N/m, mu: $mu, normal: 0.002 kN}]\n"};
  char text[1024];
  double peak[3];
  for (int k = 0; k < 3; k++) {
    snprintf(text, sizeof text,
             "springs: [{nodes: [ground, m], stiffness: 1 N/m, damping: 0.1 N.s/m}]\n"
             "loads: [{node: m, force: [0.5 N], harmonic: 1}]\n%s"
             "analyses: [{response: {from: 0.8 rad/s, to: 2.5 rad/s, harmonics: 7}}]\n",
             way[k]);
    check_ok(&env, run(text));
    peak[k] = figure("\"special\"", "\"amplitude_m\": ");
  }
  check_rel(peak[1], peak[0], 1e-12);
  check_rel(peak[2], peak[0], 1e-12);
}

// ---- designs ------------------------------------------------------------------------------------

enum { NPAR = 6 };
static const char *const name[NPAR] = {"stiff", "gap", "stick", "slip", "rub", "scale"};
static const double value[NPAR] = {4, 0.3, 3, 0.2, 0.1, 0.6};

static pl_status run_all(const double *x, const char *analysis) {
  pl_text t;
  pl_env_init(&env);
  write_bend();
  pl_text_init(&t, &env);
  pl_text_add(&t, "%sparameters:\n", head);
  for (int i = 0; i < NPAR; i++)
    pl_text_add(&t, "  %s: {value: %.17g, min: %g, max: %g}\n", name[i], x[i], 0.5 * value[i],
                2 * value[i]);
  pl_text_add(&t,
              "springs: [{nodes: [ground, m], stiffness: 1 N/m, damping: 0.1 N.s/m}]\n"
              "stops: [{nodes: [ground, m], stiffness: $stiff, gap: $gap}]\n"
              "friction:\n"
              "  - {nodes: [ground, m], stiffness: $stick, limit: $slip}\n"
              "  - {nodes: [ground, m], law: tanh, limit: $rub, velocity: 0.2 m/s}\n"
              "tables: [{nodes: [ground, m], file: test_pairs.csv, factor: $scale}]\n"
              "loads: [{node: m, force: [1.2 N], harmonic: 1}]\n"
              "analyses: [%s]\n",
              analysis);
  pl_status s = run_scene_at(&env, FOLDER, 0, &t);
  pl_text_free(&t);
  return s;
}

static double path_of(const double *x) {
  check_ok(&env, run_all(x, "{periodic: {frequency: 1.5 rad/s, harmonics: 15, rtol: 1e-12}}"));
  return figure("\"periodic\"", "\"path_m\": ");
}

// sensitivities of every parameter of the pairs against differences of whole runs
static void gradients(void **state) {
  (void)state;
  double slope[NPAR];
  check_ok(&env, run_all(value, "{explore: {frequency: 1.5 rad/s, harmonics: 15, rtol: 1e-12}}"));
  for (int i = 0; i < NPAR; i++) {
    char key[32];
    snprintf(key, sizeof key, "\"%s\": ", name[i]);
    slope[i] = summary_number(&env, FOLDER, "\"by_parameter_m\"", key, NULL);
  }
  for (int i = 0; i < NPAR; i++) {
    double x[NPAR], y[2], h = 1e-4 * value[i];
    for (int side = 0; side < 2; side++) {
      memcpy(x, value, sizeof x);
      x[i] += side ? h : -h;
      y[side] = path_of(x);
    }
    check_close(slope[i], (y[1] - y[0]) / (2 * h), 1e-5 * (fabs(slope[i]) + 0.1));
  }
}

// a path that other values reach
static void designs(void **state) {
  (void)state;
  double before = path_of(value);
  char text[256];
  snprintf(text, sizeof text,
           "{design: {frequency: 1.5 rad/s, harmonics: 15, variables: all, objectives: "
           "[{amplitude: %.17g m, node: m}]}}",
           1.1 * before);
  check_ok(&env, run_all(value, text));
  check_rel(figure("\"objectives\"", "\"amplitude_m\": "), 1.1 * before, 1e-4);
}

int test_pairs(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(book_closes), cmocka_unit_test(transients), cmocka_unit_test(statics),
      cmocka_unit_test(product),     cmocka_unit_test(gradients),  cmocka_unit_test(designs),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("job.pairs", tests, NULL, NULL);
}
