// The three-link leg of the gallery: its target is the motion of another design within the bounds,
// harmonics above the second cut off, so that this design is 0.1 % of the target's length away. The
// optimiser comes as near from the scene's start and from others beside it, and a run that was
// stopped goes on with the same bits.
#include "golden.h"

#include "pliant/scene.h"

#include <string.h>

static pl_env env;

typedef struct leg {
  pl_scene *scene;
  pl_work *w;
  pl_design *d;
  pl_design_result *r;
  double error; // over the target's length
} leg;

static const pl_analysis *design_of(const pl_scene *s) {
  for (int i = 0; i < s->nanalysis; i++)
    if (s->analysis[i].kind == PL_ANALYSIS_design) return &s->analysis[i];
  fail_msg("the scene has no design");
  return NULL;
}

static void open_leg(leg *t, int nset, const char *const *set) {
  *t = (leg){0};
  const char *path = SOURCE_DIR "/gallery/three-link-leg/scene.yaml";
  check_ok(&env, pl_scene_load(&env, path, nset, set, &t->scene));
  check_ok(&env, pl_work_create(t->scene->model, 1, &t->w));
  const pl_analysis *a = design_of(t->scene);
  pl_optimise_opts o;
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &o);
  o.harmonics = a->opts.design_.harmonics;
  check_ok(&env,
           pl_design_open(&o, t->scene->model, t->scene->params, t->w, &a->plan->problem, &t->d));
}

static void close_leg(leg *t) {
  pl_design_free(t->d);
  pl_design_result_free(t->r);
  pl_work_free(t->w);
  pl_scene_free(t->scene);
}

static void finish(leg *t, const pl_design_state *from) {
  check_ok(&env, pl_design_run(t->d, from, NULL, NULL, &t->r));
  const pl_objective *o = &design_of(t->scene)->plan->problem.objective[0];
  t->error = pl_trajectory_error(t->scene->model, pl_design_params(t->d), pl_design_orbit(t->d, 0),
                                 o, NULL);
}

static void target_is_reached(void **state) {
  (void)state;
  // other starts: some per cent of the ranges away
  static const char *const set[3][5] = {
      {"parameters.m_knee.value=42", "parameters.thigh.value=113", "parameters.knee_b.value=0.63",
       "parameters.foot_a.value=0.21", "parameters.knee_a_off.value=-21"},
      {"parameters.m_toe.value=12", "parameters.shank.value=111", "parameters.knee_a.value=0.11",
       "parameters.foot_b.value=0.54", "parameters.foot_b_off.value=16"}};
  for (int k = 0; k < 3; k++) {
    leg t;
    open_leg(&t, k ? 5 : 0, k ? set[k - 1] : NULL);
    finish(&t, NULL);
    check_less(t.error, 1.5e-3);
    // half of what L-BFGS-B took
    assert_true(t.r->evaluations <= 140);
    close_leg(&t);
  }
}

typedef struct stopper {
  int after, nint, nreal;
  int *ints;
  double *reals;
} stopper;

static int stop(void *ctx, const pl_design_result *r, const pl_design_state *s) {
  stopper *t = ctx;
  if (r->nstep <= t->after) return 0;
  t->nint = s->nint;
  t->nreal = s->nreal;
  t->ints = pl_alloc(&env, (size_t)s->nint, sizeof(int));
  t->reals = pl_alloc(&env, (size_t)s->nreal, sizeof(double));
  assert_true(t->ints && t->reals);
  memcpy(t->ints, s->ints, (size_t)s->nint * sizeof(int));
  memcpy(t->reals, s->reals, (size_t)s->nreal * sizeof(double));
  return 1;
}

static void stopped_runs_go_on(void **state) {
  (void)state;
  leg whole, first, second;
  stopper s = {.after = 9};
  open_leg(&whole, 0, NULL);
  finish(&whole, NULL);
  open_leg(&first, 0, NULL);
  check_status(&env, pl_design_run(first.d, NULL, stop, &s, &first.r), PL_CANCELLED);
  open_leg(&second, 0, NULL);
  finish(&second,
         &(pl_design_state){
             .env = &env, .nint = s.nint, .nreal = s.nreal, .ints = s.ints, .reals = s.reals});
  assert_int_equal(second.r->nstep, whole.r->nstep);
  size_t size = (size_t)whole.r->nstep * (size_t)whole.r->nvariable * sizeof(double);
  assert_memory_equal(second.r->path, whole.r->path, size);
  pl_free(&env, s.ints);
  pl_free(&env, s.reals);
  close_leg(&whole);
  close_leg(&first);
  close_leg(&second);
}

int test_leg(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(target_is_reached),
      cmocka_unit_test(stopped_runs_go_on),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("leg", tests, NULL, NULL);
}
