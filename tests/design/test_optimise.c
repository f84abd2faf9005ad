// Designs with known optima, bounds, lost motions, resuming, and statements that make no sense.
#include "check.h"
#include "design_models.h"

#include "design_impl.h"

#include <string.h>

static pl_env env;

enum { MASS, STIFFNESS, DAMPING, FORCE, CUBIC };
static const int node0 = 0;

typedef struct bench {
  model_kit kit;
  kit_model b;
  pl_optimise_opts o;
  pl_design *d;
  pl_design_result *r;
} bench;

static void open_oscillator(bench *t, double cubic) {
  memset(t, 0, sizeof *t);
  design_oscillator(&t->kit, &env, cubic);
  kit_build(&t->kit, 1, &t->b);
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &t->o);
  t->o.harmonics = cubic > 0 ? 7 : 1;
  t->o.rtol = 1e-11;
  t->o.gtol = 1e-8;
  t->o.ftol = 1e-12;
}

static void start(bench *t, const pl_design_problem *p) {
  check_ok(&env, pl_design_open(&t->o, t->b.m, t->b.p, t->b.w, p, &t->d));
}

static void finish(bench *t, const pl_design_state *resume) {
  check_ok(&env, pl_design_run(t->d, resume, NULL, NULL, &t->r));
}

static void close_bench(bench *t) {
  pl_design_result_free(t->r);
  pl_design_free(t->d);
  kit_model_free(&t->b);
  kit_free(&t->kit);
}

static pl_objective amplitude(pl_goal goal, double target) {
  return (pl_objective){.kind = &pl_objective_amplitude,
                        .weight = 1,
                        .nnode = 1,
                        .node = &node0,
                        .goal = goal,
                        .target = target};
}

static int mentions(const pl_design_result *r, const char *word) {
  for (int i = 0; i < r->nwarning; i++)
    if (strstr(r->warning[i], word)) return 1;
  return 0;
}

// ---- known optima -----------------------------------------------------------------------------

// the amplitude F / sqrt((k - m w^2)^2 + (c w)^2) is largest for m = k / w^2
static void mass_tunes_a_resonance(void **state) {
  (void)state;
  bench t;
  open_oscillator(&t, 0);
  pl_variable var = {.index = MASS};
  pl_operating point = {.omega = 3.2};
  pl_objective obj = amplitude(PL_GOAL_MOST, 0);
  start(&t, &(pl_design_problem){1, 1, 1, &var, &point, &obj});
  finish(&t, NULL);
  check_rel(t.r->after[0], 50 / (3.2 * 3.2), 1e-6);
  check_rel(pl_design_params(t.d)->design[MASS], t.r->after[0], 0);
  double A0 = 4 * 3 / sqrt(pow(50 - 2 * 3.2 * 3.2, 2) + pow(0.4 * 3.2, 2)), A = 4 * 3 / (0.4 * 3.2);
  check_rel(t.r->value, pow(A0 / A, 2), 1e-9);
  check_rel(t.r->value_before, 1, 1e-12);
  assert_int_equal(t.r->point[0].same, 1);
  assert_int_equal(t.r->bound[0], 0);
  assert_int_equal(t.r->reason, PL_DESIGN_GRADIENT);
  // values never rise from one iteration to the next
  for (int i = 1; i < t.r->nstep; i++) assert_true(t.r->step[i].value <= t.r->step[i - 1].value);
  close_bench(&t);
}

// amplitude targets at two frequencies fix mass and stiffness
static void two_frequencies_fix_two_parameters(void **state) {
  (void)state;
  bench t;
  open_oscillator(&t, 0);
  pl_variable var[2] = {{.index = MASS}, {.index = STIFFNESS, .scale = PL_SCALE_LINEAR}};
  pl_operating point[2] = {{.omega = 3}, {.omega = 7}};
  double m = 2.7, k = 62;
  pl_objective obj[2];
  for (int i = 0; i < 2; i++) {
    double w = point[i].omega;
    obj[i] = amplitude(PL_GOAL_TARGET, 12 / sqrt(pow(k - m * w * w, 2) + pow(0.4 * w, 2)));
    obj[i].point = i;
    obj[i].weight = 1 + i;
  }
  start(&t, &(pl_design_problem){2, 2, 2, var, point, obj});
  finish(&t, NULL);
  check_rel(t.r->after[0], m, 1e-5);
  check_rel(t.r->after[1], k, 1e-5);
  check_less(t.r->value, 1e-10);
  assert_false(mentions(t.r, "not reached"));
  close_bench(&t);
}

// a peak at 6 rad/s: k/m - c^2/(2 m^2) = 36
static void peak_goes_where_it_is_wanted(void **state) {
  (void)state;
  bench t;
  open_oscillator(&t, 0);
  pl_variable var = {.index = STIFFNESS};
  pl_operating point = {.omega = 3};
  pl_objective obj = {.kind = &pl_objective_peak,
                      .weight = 1,
                      .nnode = 1,
                      .node = &node0,
                      .target = 6,
                      .from = 2,
                      .to = 9};
  start(&t, &(pl_design_problem){1, 1, 1, &var, &point, &obj});
  finish(&t, NULL);
  check_rel(t.r->after[0], 2 * (36 + 0.16 / 8), 1e-6);
  check_rel(pl_design_tracked(t.d, 0, NULL), 6, 1e-7);
  close_bench(&t);
}

static void fold_goes_where_it_is_wanted(void **state) {
  (void)state;
  bench t;
  open_oscillator(&t, 20);
  pl_variable var = {.index = FORCE};
  pl_operating point = {.omega = 3};
  pl_objective obj = {.kind = &pl_objective_fold, .weight = 1, .target = 8, .from = 2, .to = 15};
  start(&t, &(pl_design_problem){1, 1, 1, &var, &point, &obj});
  double before = pl_design_tracked(t.d, 0, NULL);
  finish(&t, NULL);
  assert_true(fabs(before - 8) > 0.1);
  check_rel(pl_design_tracked(t.d, 0, NULL), 8, 1e-6);
  // the response of the final design, followed anew
  pl_response_opts o;
  pl_curve *c;
  pl_opts_default(pl_response_option_table, pl_response_option_count, &o);
  o.from = 2;
  o.to = 15;
  o.harmonics = 7;
  o.stability = 0;
  check_ok(&env, pl_response(&o, t.b.m, pl_design_params(t.d), t.b.w, 1, &node0, NULL, &c));
  double off = INFINITY;
  for (int i = 0; i < c->nspecial; i++)
    if (c->special[i].kind == PL_FOLD) off = fmin(off, fabs(c->special[i].omega - 8));
  check_less(off, 1e-4);
  pl_curve_free(c);
  close_bench(&t);
}

// the frequency of the largest motion on the upper branch, next to its fold: steps that pass the
// fold lose the motion, are halved, and the optimum is the peak of the response all the same
static void lost_motions_shorten_the_step(void **state) {
  (void)state;
  bench t;
  open_oscillator(&t, 20);
  pl_variable var = {.kind = PL_VARIABLE_FREQUENCY, .min = 2, .max = 20};
  pl_operating point = {.omega = 5.2};
  pl_objective obj = amplitude(PL_GOAL_MOST, 0);
  t.o.first_step = 1;
  t.o.cuts = 3;
  start(&t, &(pl_design_problem){1, 1, 1, &var, &point, &obj});
  finish(&t, NULL);
  assert_true(t.r->failures > 0);
  pl_response_opts o;
  pl_curve *c;
  pl_opts_default(pl_response_option_table, pl_response_option_count, &o);
  o.from = 2;
  o.to = 20;
  o.harmonics = 7;
  o.stability = 0;
  check_ok(&env, pl_response(&o, t.b.m, pl_design_params(t.d), t.b.w, 1, &node0, NULL, &c));
  double highest = 0, at = 0;
  for (int i = 0; i < c->nspecial; i++)
    if (c->special[i].kind == PL_PEAK && c->special[i].amplitude > highest) {
      highest = c->special[i].amplitude;
      at = c->special[i].omega;
    }
  check_rel(t.r->after[0], at, 1e-4);
  double value = t.r->value, A0 = sqrt(value) * highest, first;
  check_ok(&env, pl_design_amplitude(t.d, 0, 0, 0, &first, NULL));
  check_rel(first, highest, 1e-6);
  assert_true(A0 < highest);
  // from rest another motion is found there: that is told
  if (!t.r->point[0].same) assert_true(mentions(t.r, "from rest"));
  pl_curve_free(c);
  close_bench(&t);
}

// masses and a spring of a mechanism from the motion that they made
static void trajectory_gives_its_parameters_back(void **state) {
  (void)state;
  bench t = {0};
  int node;
  double omega, coef[2][2 * 4 + 1], x[3];
  design_mechanism(&t.kit, &env, &node, &omega);
  kit_build(&t.kit, 1, &t.b);
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &t.o);
  t.o.harmonics = 4;
  t.o.gtol = 1e-9;
  t.o.ftol = 1e-10;
  pl_variable var[3] = {{.index = 12}, {.index = 7}, {.index = 8}};
  pl_operating point = {.omega = omega};
  pl_objective obj = {.kind = &pl_objective_trajectory,
                      .weight = 1,
                      .nnode = 1,
                      .node = &node,
                      .nharm = 4,
                      .coef = &coef[0][0],
                      .sharpness = 2000,
                      .phases = 256};
  memset(coef, 0, sizeof coef);
  coef[0][1] = 1;
  const double want[3] = {0.26, 60, 0.34};
  pl_design_problem p = {3, 1, 1, var, &point, &obj};
  start(&t, &p);
  pl_design_values(t.d, x);
  check_ok(&env, pl_design_move(t.d, want));
  // the motion there, a quarter of a period later
  const int *index = pl_model_free_index(t.b.m);
  for (int c = 0; c < 2; c++) {
    const double *z = pl_design_orbit(t.d, 0)->z + index[2 * node + c] * 9;
    for (int k = 1; k <= 4; k++) {
      double cs = cos(k * PL_PI / 2), sn = sin(k * PL_PI / 2);
      coef[c][2 * k - 1] = cs * z[2 * k - 1] - sn * z[2 * k];
      coef[c][2 * k] = sn * z[2 * k - 1] + cs * z[2 * k];
    }
  }
  check_ok(&env, pl_design_move(t.d, x));
  pl_design_free(t.d);
  start(&t, &p);
  double before =
             pl_trajectory_error(t.b.m, pl_design_params(t.d), pl_design_orbit(t.d, 0), &obj, NULL),
         phase;
  finish(&t, NULL);
  double after =
      pl_trajectory_error(t.b.m, pl_design_params(t.d), pl_design_orbit(t.d, 0), &obj, &phase);
  check_less(after, 1e-3 * before);
  check_close(remainder(phase - PL_PI / 2, 2 * PL_PI), 0, 1e-2);
  for (int k = 0; k < 3; k++) check_rel(t.r->after[k], want[k], 2e-3);
  close_bench(&t);
}

// ---- bounds -----------------------------------------------------------------------------------

typedef struct probe {
  const pl_design *d;
  double lo[8], hi[8];
  int calls, stop_after;
  pl_design_state *keep;
} probe;

static int within_bounds(void *ctx, const pl_design_result *r, const pl_design_state *s) {
  probe *w = ctx;
  pl_design_bounds(w->d, w->lo, w->hi);
  const double *x = r->path + (size_t)(r->nstep - 1) * (size_t)r->nvariable;
  for (int k = 0; k < r->nvariable; k++) assert_true(x[k] >= w->lo[k] && x[k] <= w->hi[k]);
  if (++w->calls != w->stop_after) return 0;
  w->keep = pl_alloc(&env, 1, sizeof *s);
  *w->keep = *s;
  w->keep->ints = pl_alloc(&env, (size_t)s->nint, sizeof(int));
  w->keep->reals = pl_alloc(&env, (size_t)s->nreal, sizeof(double));
  memcpy(w->keep->ints, s->ints, (size_t)s->nint * sizeof(int));
  memcpy(w->keep->reals, s->reals, (size_t)s->nreal * sizeof(double));
  return 1;
}

// the optimum lies beyond a bound: it ends there, and says so
static void bounds_hold(void **state) {
  (void)state;
  bench t;
  open_oscillator(&t, 0);
  pl_variable var[3] = {{.index = MASS, .min = 1, .max = 3},
                        {.index = DAMPING},
                        {.index = FORCE, .min = 1, .max = 4, .scale = PL_SCALE_LOG}};
  pl_operating point = {.omega = 3.2};
  pl_objective obj = amplitude(PL_GOAL_MOST, 0);
  start(&t, &(pl_design_problem){3, 1, 1, var, &point, &obj});
  probe w = {.d = t.d};
  check_ok(&env, pl_design_run(t.d, NULL, within_bounds, &w, &t.r));
  check_close(t.r->after[0], 3, 0);
  check_close(t.r->after[2], 4, 0);
  assert_int_equal(t.r->bound[0], 1);
  assert_int_equal(t.r->bound[2], 1);
  check_rel(t.r->after[1], 0.05, 1e-12);
  assert_true(mentions(t.r, "bound"));
  close_bench(&t);
}

static void target_out_of_reach_is_reported(void **state) {
  (void)state;
  bench t;
  open_oscillator(&t, 0);
  pl_variable var = {.index = MASS};
  pl_operating point = {.omega = 3.2};
  pl_objective obj = amplitude(PL_GOAL_TARGET, 100);
  start(&t, &(pl_design_problem){1, 1, 1, &var, &point, &obj});
  finish(&t, NULL);
  check_rel(t.r->after[0], 50 / (3.2 * 3.2), 1e-5);
  assert_true(mentions(t.r, "not reached"));
  close_bench(&t);
}

// ---- runs -------------------------------------------------------------------------------------

// stopped after some iterations and resumed in a new design, the way goes on as if nothing was
static void resumed_runs_are_the_same(void **state) {
  (void)state;
  pl_variable var[2] = {{.index = MASS}, {.index = STIFFNESS}};
  pl_operating point[2] = {{.omega = 3}, {.omega = 7}};
  pl_objective obj[2] = {amplitude(PL_GOAL_TARGET, 0.5), amplitude(PL_GOAL_TARGET, 0.2)};
  obj[1].point = 1;
  pl_design_problem p = {2, 2, 2, var, point, obj};
  bench whole, first, second;
  probe w = {.stop_after = 4};
  open_oscillator(&whole, 5);
  start(&whole, &p);
  finish(&whole, NULL);
  open_oscillator(&first, 5);
  start(&first, &p);
  w.d = first.d;
  check_status(&env, pl_design_run(first.d, NULL, within_bounds, &w, &first.r), PL_CANCELLED);
  assert_int_equal(first.r->reason, PL_DESIGN_CANCELLED);
  assert_non_null(w.keep);
  open_oscillator(&second, 5);
  start(&second, &p);
  finish(&second, w.keep);
  assert_int_equal(second.r->nstep, whole.r->nstep);
  assert_int_equal(second.r->reason, whole.r->reason);
  for (int i = 0; i < whole.r->nstep; i++)
    check_rel(second.r->step[i].value, whole.r->step[i].value, 1e-9);
  for (int k = 0; k < 2; k++) check_rel(second.r->after[k], whole.r->after[k], 1e-9);

  // a state of another problem
  pl_design_result *none;
  w.keep->ints[1]++;
  check_status(&env, pl_design_run(second.d, w.keep, NULL, NULL, &none), PL_E_INPUT);
  assert_null(none);
  pl_design_state_free(w.keep);
  close_bench(&whole);
  close_bench(&first);
  close_bench(&second);
}

// of several starts the best is kept
static void starts_are_compared(void **state) {
  (void)state;
  bench t;
  open_oscillator(&t, 0);
  pl_variable var[2] = {{.index = MASS}, {.index = STIFFNESS}};
  pl_operating point = {.omega = 5};
  pl_objective obj = amplitude(PL_GOAL_LEAST, 0);
  t.o.starts = 4;
  start(&t, &(pl_design_problem){2, 1, 1, var, &point, &obj});
  finish(&t, NULL);
  assert_int_equal(t.r->nstart, 4);
  double best = INFINITY;
  for (int i = 0; i < 4; i++) best = fmin(best, t.r->start_value[i]);
  check_rel(t.r->value, best, 1e-9);
  check_close(t.r->start_value[t.r->best_start], best, 0);
  close_bench(&t);
}

// ---- nonsense ---------------------------------------------------------------------------------

static void refuse(bench *t, const pl_design_problem *p, const char *word) {
  pl_design *d;
  check_status(&env, pl_design_open(&t->o, t->b.m, t->b.p, t->b.w, p, &d), PL_E_INPUT);
  assert_null(d);
  if (!strstr(env.error.text, word)) print_error("message: %s\n", env.error.text);
  assert_non_null(strstr(env.error.text, word));
}

static void nonsense_is_refused(void **state) {
  (void)state;
  bench t = {0};
  int node;
  double omega, coef[2 * 9] = {0};
  coef[1] = 1;
  design_mechanism(&t.kit, &env, &node, &omega);
  kit_build(&t.kit, 1, &t.b);
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &t.o);
  t.o.harmonics = 3;
  pl_variable var = {.index = 12}, twice[2] = {{.index = 12}, {.index = 12}};
  pl_operating point = {.omega = omega};
  const int fixed = 0;
  pl_objective obj = amplitude(PL_GOAL_MOST, 0), bad;
  obj.node = &node;
  pl_design_problem p = {1, 1, 1, &var, &point, &obj};

  pl_design_problem none = p;
  none.nvariable = 0;
  refuse(&t, &none, "no variables");
  assert_true(env.error.hint[0] != '\0');

  pl_design_problem same = p;
  same.nvariable = 2;
  same.variable = twice;
  refuse(&t, &same, "the same");

  bad = obj;
  bad.node = &fixed;
  pl_design_problem q = p;
  q.objective = &bad;
  refuse(&t, &q, "fixed or driven");
  assert_true(env.error.hint[0] != '\0');
  bad = obj;
  bad.goal = PL_GOAL_TARGET;
  refuse(&t, &q, "target");
  bad = obj;
  bad.weight = 0;
  refuse(&t, &q, "weight");
  bad = (pl_objective){.kind = &pl_objective_trajectory,
                       .weight = 1,
                       .nnode = 1,
                       .node = &node,
                       .nharm = 4,
                       .coef = coef};
  refuse(&t, &q, "harmonics");
  bad = (pl_objective){
      .kind = &pl_objective_peak, .weight = 1, .nnode = 1, .node = &node, .target = 5};
  refuse(&t, &q, "window");
  bad = (pl_objective){.kind = &pl_objective_smooth, .weight = 1};
  refuse(&t, &q, "neighbouring");
  bad = (pl_objective){.kind = &pl_objective_strain, .weight = 1, .goal = PL_GOAL_LEAST};
  refuse(&t, &q, "no strain");

  var.min = 2;
  var.max = 1;
  refuse(&t, &p, "bounds");
  var = (pl_variable){.index = 12, .min = -0.1, .max = 1, .scale = PL_SCALE_LOG};
  refuse(&t, &p, "logarithmic");
  var = (pl_variable){.index = 12};
  pl_design_problem nowhere = p;
  nowhere.npoint = 0;
  refuse(&t, &nowhere, "operating point");

  // no objectives: good for exploring, not for a run
  pl_design_problem idle = p;
  pl_design_result *r;
  idle.nobjective = 0;
  start(&t, &idle);
  check_status(&env, pl_design_run(t.d, NULL, NULL, NULL, &r), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "no objectives"));
  close_bench(&t);
}

// ---- memory -----------------------------------------------------------------------------------

static int go_on(void *ctx, const pl_design_result *r, const pl_design_state *s) {
  (void)ctx, (void)r, (void)s;
  return 0;
}

static pl_status whole_run(pl_env *e, void *ctx) {
  (void)ctx;
  static const pl_variable var[2] = {{.index = MASS}, {.index = STIFFNESS}};
  static const pl_operating point = {.omega = 3};
  pl_objective obj[2] = {amplitude(PL_GOAL_MOST, 0),
                         {.kind = &pl_objective_mass, .weight = 1, .goal = PL_GOAL_LEAST}};
  pl_optimise_opts o;
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &o);
  o.harmonics = 1;
  o.max_iter = 1;
  pl_builder *b = oscillator_builder(e, (double[]){50, 0, 0, 0.4}, 2, 3);
  pl_built m = {0};
  pl_design *d = NULL;
  pl_design_result *r = NULL;
  if (b) {
    pl_value mass = {2, pl_build_parameter(b, "m", "kg", 2, 1, 4), 1, NULL};
    pl_value stiffness = {50, pl_build_parameter(b, "k", "N/m", 50, 25, 100), 1, NULL};
    pl_build_par(b, 1, 0, "mass", &mass);
    pl_build_par(b, 0, 0, "stiffness", &stiffness);
  }
  pl_status s = b ? pl_build_all(b, 1, &m) : PL_E_NOMEM;
  pl_design_problem problem = {2, 1, 2, var, &point, obj};
  if (s == PL_OK) s = pl_design_open(&o, m.model, m.params, m.work, &problem, &d);
  if (s == PL_OK) s = pl_design_run(d, NULL, go_on, NULL, &r);
  pl_design_result_free(r);
  pl_design_free(d);
  pl_built_free(&m);
  return s;
}

static void memory_may_end_anywhere(void **state) {
  (void)state;
  check_allocations(whole_run, NULL);
}

int test_optimise(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_tunes_a_resonance),
      cmocka_unit_test(two_frequencies_fix_two_parameters),
      cmocka_unit_test(peak_goes_where_it_is_wanted),
      cmocka_unit_test(fold_goes_where_it_is_wanted),
      cmocka_unit_test(lost_motions_shorten_the_step),
      cmocka_unit_test(trajectory_gives_its_parameters_back),
      cmocka_unit_test(bounds_hold),
      cmocka_unit_test(target_out_of_reach_is_reported),
      cmocka_unit_test(resumed_runs_are_the_same),
      cmocka_unit_test(starts_are_compared),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(memory_may_end_anywhere),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("optimise", tests, NULL, NULL);
}
