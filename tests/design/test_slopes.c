// Sensitivities of peaks and folds, and the largest peak in a window, against closed forms and
// differences of responses that were followed anew.
#include "check.h"
#include "design_models.h"

#include "design_impl.h"

#include <string.h>

static pl_env env;

enum { VARIABLES = 16, MEASURES = 4, SPECIALS = 8 };

// A model with all its design parameters as variables.
typedef struct bench {
  model_kit kit;
  kit_model b;
  pl_design *d; // sets values
  int nvar;
  pl_variable var[VARIABLES];
  double x[VARIABLES];
  double step; // of differences, as part of a value; 0: 1e-3
} bench;

static void open_bench(bench *t, double omega, int harmonics) {
  kit_build(&t->kit, 1, &t->b);
  t->nvar = pl_model_ndesign(t->b.m);
  assert_true(t->nvar <= VARIABLES);
  for (int k = 0; k < t->nvar; k++) t->var[k] = (pl_variable){.index = k};
  pl_optimise_opts o;
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &o);
  o.harmonics = harmonics;
  pl_operating point = {.omega = omega};
  pl_design_problem p = {t->nvar, 1, 0, t->var, &point, NULL};
  check_ok(&env, pl_design_open(&o, t->b.m, t->b.p, t->b.w, &p, &t->d));
  pl_design_values(t->d, t->x);
}

static void close_bench(bench *t) {
  pl_design_free(t->d);
  kit_model_free(&t->b);
  kit_free(&t->kit);
}

static pl_curve *respond(bench *t, double from, double to, int harmonics, const pl_measure *what) {
  pl_response_opts r;
  pl_curve *c;
  pl_response_plan plan = {.nmeasure = 1, .measure = what};
  pl_opts_default(pl_response_option_table, pl_response_option_count, &r);
  r.from = from;
  r.to = to;
  r.harmonics = harmonics;
  r.stability = 0;
  r.rtol = 1e-11;
  check_ok(&env, pl_response_run(&r, t->b.m, pl_design_params(t->d), t->b.w, &plan, &c));
  return c;
}

typedef struct slope {
  double omega[VARIABLES], amplitude[VARIABLES];
} slope;

static void slopes_of(bench *t, const pl_curve *c, const pl_measure *what, slope *out) {
  pl_slopes *s;
  check_ok(&env, pl_slopes_create(t->b.m, t->b.p, t->b.w, 0, t->nvar, t->var, &s));
  assert_true(c->nspecial <= SPECIALS);
  for (int i = 0; i < c->nspecial; i++) {
    assert_true(pl_slopes_has(&c->special[i]));
    check_ok(&env, pl_slopes_at(s, &c->special[i], 1, what, out[i].omega, out[i].amplitude));
  }
  pl_slopes_free(s);
}

// ---- closed forms -----------------------------------------------------------------------------

// m x'' + c x' + k x = F sin wt: the peak of the amplitude and its frequency
static void linear_peak(const double *x, double *A, double *w) {
  double m = x[0], k = x[1], c = x[2], F = x[3];
  *A = F / (c * sqrt(k / m - c * c / (4 * m * m)));
  *w = sqrt(k / m - c * c / (2 * m * m));
}

static void peak_of_a_linear_oscillator(void **state) {
  (void)state;
  const double factor[MEASURES] = {4, 1, sqrt(0.5), 1};
  bench t = {0};
  design_oscillator(&t.kit, &env, 0);
  open_bench(&t, 3, 1);
  for (int kind = 0; kind < MEASURES; kind++) {
    pl_measure what = {.kind = (pl_measure_kind)kind, .mask = 7, .harmonic = 1};
    pl_curve *c = respond(&t, 2, 9, 1, &what);
    slope got[SPECIALS];
    assert_int_equal(c->nspecial, 1);
    slopes_of(&t, c, &what, got);
    // mass, stiffness, damping, force
    for (int k = 0; k < 4; k++) {
      double x[4], A[2], w[2], h = 1e-5 * t.x[k];
      for (int side = 0; side < 2; side++) {
        memcpy(x, t.x, sizeof x);
        x[k] += side ? -h : h;
        linear_peak(x, &A[side], &w[side]);
      }
      double dA = factor[kind] * (A[0] - A[1]) / (2 * h), dw = (w[0] - w[1]) / (2 * h);
      check_rel(got[0].amplitude[k], dA, 1e-7);
      check_close(got[0].omega[k], dw, 2e-6 * w[0] / t.x[k]);
    }
    pl_curve_free(c);
  }
  close_bench(&t);
}

// ---- differences ------------------------------------------------------------------------------

// every peak and fold of a response at values moved to and fro
static void check_slopes(bench *t, double from, double to, int H, const pl_measure *what,
                         int nspecial, int stride, double tol) {
  slope got[SPECIALS];
  pl_curve *c = respond(t, from, to, H, what);
  assert_int_equal(c->nspecial, nspecial);
  slopes_of(t, c, what, got);
  for (int k = 0; k < t->nvar; k += stride) {
    double x[VARIABLES], size = t->x[k] != 0 ? fabs(t->x[k]) : 0.01,
                         h = (t->step > 0 ? t->step : 1e-3) * size;
    pl_curve *side[2];
    for (int i = 0; i < 2; i++) {
      memcpy(x, t->x, sizeof x);
      x[k] += i ? -h : h;
      check_ok(&env, pl_design_set(t->d, x));
      side[i] = respond(t, from, to, H, what);
      assert_int_equal(side[i]->nspecial, nspecial);
    }
    for (int i = 0; i < nspecial; i++) {
      const pl_special *a = &side[0]->special[i], *b = &side[1]->special[i], *m = &c->special[i];
      double dA = (a->amplitude - b->amplitude) / (2 * h), dw = (a->omega - b->omega) / (2 * h);
      assert_int_equal(a->kind, m->kind);
      check_close(got[i].amplitude[k] * size / m->amplitude, dA * size / m->amplitude, tol);
      check_close(got[i].omega[k] * size / m->omega, dw * size / m->omega, tol);
    }
    pl_curve_free(side[0]);
    pl_curve_free(side[1]);
  }
  check_ok(&env, pl_design_set(t->d, t->x));
  pl_curve_free(c);
}

static void peak_and_folds_of_a_hardening_oscillator(void **state) {
  (void)state;
  bench t = {0};
  design_oscillator(&t.kit, &env, 20);
  open_bench(&t, 3, 5);
  for (int kind = 0; kind < MEASURES; kind++) {
    // the third harmonic has a resonance of its own below
    int third = kind == PL_MEASURE_HARMONIC;
    pl_measure what = {.kind = (pl_measure_kind)kind, .mask = 7, .harmonic = third ? 3 : 1};
    check_slopes(&t, 2.5, 15, 5, &what, 3, 1, 5e-6);
  }
  close_bench(&t);
}

// a shaken strip of triangles softens: 30 unknowns, a peak close to its fold, and the other fold
static void peak_and_folds_of_a_strip(void **state) {
  (void)state;
  bench t = {0};
  int node;
  double omega;
  design_plane(&t.kit, &env, &node, &omega);
  open_bench(&t, omega, 3);
  pl_measure what = {.kind = PL_MEASURE_PATH, .node = node, .mask = 7};
  check_slopes(&t, 11, 9, 3, &what, 3, 4, 2e-5);
  close_bench(&t);
}

// forces with kinks: an elastic stop (a peak and two folds), elastic dry friction (two peaks)
static void peaks_and_folds_of_kinked_forces(void **state) {
  (void)state;
  static const double stop[3] = {10, 1, 1}, slider[2] = {3, 0.4};
  static const int ends[2] = {-1, 0};
  for (int friction = 0; friction < 2; friction++) {
    bench t = {0};
    kit_oscillator(&t.kit, &env, (double[]){1, 0, 0, 0.1}, 1);
    kit_group(&t.kit, "kinked", friction ? "jenkins1" : "stop1", 1, ends, 0,
              friction ? slider : stop);
    kit_shake(&t.kit, 0.5, 0);
    for (int i = 0; i < 2; i++) {
      pl_target target = {0, pl_par_group(&t.kit.d, 2, 0) + i, 1};
      kit_parameter(&t.kit, i ? "second" : "first", friction ? slider[i] : stop[i], 0.01, 100, 1,
                    &target);
    }
    t.step = 1e-4;
    open_bench(&t, 0.5, 9);
    pl_measure what = {.kind = PL_MEASURE_MAX, .mask = 7};
    check_slopes(&t, 0.5, 3, 9, &what, friction ? 2 : 3, 1, 5e-5);
    close_bench(&t);
  }
}

// ---- memory -----------------------------------------------------------------------------------

// an oscillator in an environment of its own: slopes of a curve that is there, and the largest peak
// in a window
static pl_status in_memory(pl_env *e, void *ctx) {
  static const int node = 0;
  const pl_curve *c = ctx;
  pl_builder *b = oscillator_builder(e, (double[]){50, 0, 20, 0.4}, 2, 3);
  if (!b) return PL_E_NOMEM;
  pl_value mass = {2, pl_build_parameter(b, "m", "kg", 2, 1, 4), 1, NULL};
  pl_build_par(b, 1, 0, "mass", &mass);
  pl_measure what = {.kind = PL_MEASURE_MAX, .mask = 7};
  pl_variable var = {0};
  pl_operating point = {.omega = 3};
  pl_objective obj = {.kind = &pl_objective_peak_height,
                      .weight = 1,
                      .nnode = 1,
                      .node = &node,
                      .goal = PL_GOAL_LEAST,
                      .from = 3,
                      .to = 3.1};
  pl_design_problem problem = {1, 1, 1, &var, &point, &obj};
  pl_optimise_opts o;
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &o);
  o.harmonics = 1;
  double omega, amplitude;
  pl_built m;
  pl_slopes *s = NULL;
  pl_design *d = NULL;
  pl_status st = pl_build_all(b, 1, &m);
  if (st == PL_OK) st = pl_slopes_create(m.model, m.params, m.work, 0, 1, &var, &s);
  for (int i = 0; st == PL_OK && i < c->nspecial; i++)
    st = pl_slopes_at(s, &c->special[i], 1, &what, &omega, &amplitude);
  if (st == PL_OK) st = pl_design_open(&o, m.model, m.params, m.work, &problem, &d);
  if (st == PL_OK) st = pl_design_value(d, 0, &omega, &amplitude);
  pl_design_free(d);
  pl_slopes_free(s);
  pl_built_free(&m);
  return st;
}

static void memory_may_end_anywhere(void **state) {
  (void)state;
  bench t = {0};
  pl_measure what = {.kind = PL_MEASURE_MAX, .mask = 7};
  design_oscillator(&t.kit, &env, 20);
  open_bench(&t, 3, 1);
  pl_curve *c = respond(&t, 2.5, 15, 1, &what);
  assert_int_equal(c->nspecial, 3);
  check_allocations(in_memory, c);
  pl_curve_free(c);
  close_bench(&t);
}

int test_slopes(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(peak_of_a_linear_oscillator),
      cmocka_unit_test(peak_and_folds_of_a_hardening_oscillator),
      cmocka_unit_test(peak_and_folds_of_a_strip),
      cmocka_unit_test(peaks_and_folds_of_kinked_forces),
      cmocka_unit_test(memory_may_end_anywhere),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("slopes", tests, NULL, NULL);
}
