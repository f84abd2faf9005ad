// Time steps that go on, stop, fail or are refused.
#include "look.h"

#include <stdio.h>

static void pinned(swing *w, pl_env *env, int method, int n, double stretch) {
  swing_begin(w, env, n, n, 0.5, 0.5);
  w->o.method = method;
  swing_hold(w, 0, 0);
  swing_hold(w, 0.5, 0);
  swing_build(w, stretch);
}

// a run in two parts is the run in one, as far as projections tell
static void resumes(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; k++) {
    pl_env env;
    swing one, two;
    pl_env_init(&env);
    pinned(&one, &env, all_methods[k], 5, 1.01);
    pinned(&two, &env, all_methods[k], 5, 1.01);
    one.po.gap = two.po.gap = 1e-9;
    probe a = probe_run(&one, 1.01), b = probe_run(&two, 1.01);
    pl_history h = {0};
    check_ok(&env, swing_run(&one, 0.2, NULL, look, &a, NULL));
    check_ok(&env, swing_run(&two, 0.1, &h, look, &b, NULL));
    assert_int_equal(h.nstep, 10);
    check_ok(&env, swing_run(&two, 0.2, &h, look, &b, NULL));
    assert_int_equal(h.nstep, 20);
    assert_int_equal(b.n, 20);
    check_array(3 * one.nvert, two.b.s->q, one.b.s->q, 0);
    check_close(b.last.limiter, a.last.limiter, 0);
    check_close(b.last.loss, a.last.loss, 0);
    check_less(b.identity, 1e-14);
    pl_history_free(&env, &h);
    swing_close(&one);
    swing_close(&two);
  }
}

static int stop_third(void *ctx, const pl_state *s, const pl_clock *c, const pl_limit_step *p) {
  (void)s, (void)c, (void)p;
  return ++*(int *)ctx == 3;
}

static int stop_progress(void *ctx, const pl_progress *p) {
  (void)p;
  return ++*(int *)ctx > 3;
}

static void cancels(void **state) {
  (void)state;
  pl_env env;
  swing w;
  int count = 0;
  pl_history h = {0};
  pl_transient_info info;
  pl_env_init(&env);
  pinned(&w, &env, PL_REFLECT, 4, 1.01);
  assert_int_equal(swing_run(&w, 1, &h, stop_third, &count, &info), PL_CANCELLED);
  assert_int_equal(info.reason, PL_STOP_CANCELLED);
  assert_int_equal(h.nstep, 3);
  check_close(w.b.s->t, 0.03, 1e-12);
  double before = w.b.s->q[3 * w.nvert - 1];
  count = 3;
  env.progress = stop_progress;
  env.progress_ctx = &count;
  assert_int_equal(swing_run(&w, 1, &h, NULL, NULL, &info), PL_CANCELLED);
  check_close(w.b.s->q[3 * w.nvert - 1], before, 0);
  pl_history_free(&env, &h);
  swing_close(&w);
}

// counts of a run that is stopped inside of steps, again and again, are those of a run in one piece
static void counts(void **state) {
  (void)state;
  const pl_obstacle floor = {
      .kind = &pl_obstacle_plane, .centre = {0, 0, -0.002}, .par = {0, 0, 1}, .mu = 0.3};
  for (int k = 0; k < METHODS; k++) {
    pl_env env;
    swing one, two;
    pl_transient_info a, b;
    pl_history h = {0};
    int stops = 0, done = 0;
    pl_env_init(&env);
    pinned(&one, &env, all_methods[k], 4, 1.01);
    pinned(&two, &env, all_methods[k], 4, 1.01);
    swing_obstacles(&one, 1, &floor);
    swing_obstacles(&two, 1, &floor);
    check_ok(&env, swing_run(&one, 0.1, NULL, NULL, NULL, &a));
    for (int most = 5; !done; most += 5) {
      int count = 3 - most;
      env.progress = stop_progress;
      env.progress_ctx = &count;
      pl_status s = swing_run(&two, 0.1, &h, NULL, NULL, &b);
      env.progress = NULL;
      done = s == PL_OK;
      stops += s == PL_CANCELLED;
      assert_true(done || s == PL_CANCELLED);
    }
    assert_true(stops > 1);
    assert_int_equal(b.iterations, a.iterations);
    assert_int_equal(b.rejected, a.rejected);
    assert_int_equal(b.nproject, a.nproject);
    assert_int_equal(b.niter, a.niter);
    assert_int_equal(b.nunsolved, a.nunsolved);
    assert_int_equal(b.nlifted, a.nlifted);
    assert_int_equal(b.nstep, a.nstep);
    assert_int_equal(two.k.contact->solves, one.k.contact->solves);
    check_close(b.scale, a.scale, 0);
    check_array(3 * one.nvert, two.b.s->q, one.b.s->q, 0);
    pl_history_free(&env, &h);
    swing_close(&one);
    swing_close(&two);
  }
}

// a start that is no number is told as such: there is no element to name
static void not_a_number(void **state) {
  (void)state;
  pl_env env;
  swing w;
  pl_env_init(&env);
  pinned(&w, &env, PL_PROJECT, 3, 1.01);
  w.b.s->v[3 * w.nvert - 1] = NAN;
  assert_int_equal(swing_run(&w, 0.1, NULL, NULL, NULL, NULL), PL_E_INPUT);
  assert_null(strstr(env.error.text, "-1"));
  assert_non_null(strstr(env.error.text, "not a number"));
  swing_close(&w);
}

static void refused(swing *w, pl_status want, const char *part) {
  assert_int_equal(swing_run(w, 0.1, NULL, NULL, NULL, NULL), want);
  if (!strstr(w->env->error.text, part)) fail_msg("'%s' lacks '%s'", w->env->error.text, part);
}

static void refuses(void **state) {
  (void)state;
  pl_env env;
  swing w, other;
  pl_env_init(&env);
  pinned(&w, &env, PL_PROJECT, 3, 1.01);
  pinned(&other, &env, PL_PROJECT, 2, 1.01);
  w.o.method = PL_NEWMARK;
  w.o.newmark_beta = 0;
  refused(&w, PL_E_INPUT, "newmark_beta");
  w.o.method = PL_PROJECT;
  w.o.adaptive = 1;
  refused(&w, PL_E_INPUT, "fixed");
  w.o.adaptive = 0;
  w.o.step = 0;
  refused(&w, PL_E_INPUT, "step");
  w.o.step = 0.01;
  w.po.gap = 2;
  refused(&w, PL_E_INPUT, "gap");
  w.po.gap = 1e-6;
  pl_sheet *own = w.k.sheet;
  w.k.sheet = other.k.sheet;
  refused(&w, PL_E_ARG, "vertices");
  w.k.sheet = own;
  pl_history h = {.nq = 1, .nstep = 4};
  assert_int_equal(swing_run(&w, 0.1, &h, NULL, NULL, NULL), PL_E_INPUT);
  swing_close(&other);
  swing_close(&w);
}

// corners that are driven further apart than the sheet reaches
static void torn(void **state) {
  (void)state;
  pl_env env;
  swing w;
  pl_env_init(&env);
  swing_begin(&w, &env, 4, 4, 0.5, 0.5);
  const pl_term away = {1, {0.1, 0, 0}, 0};
  swing_hold(&w, 0, 0);
  pl_drive_desc *d = swing_hold(&w, 0.5, 0);
  d->nterm = 1;
  d->term = &away;
  w.o.frequency = 2;
  swing_build(&w, 1.01);
  pl_transient_info info;
  assert_int_equal(swing_run(&w, 0.5, NULL, NULL, NULL, &info), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "reaches"));
  // the state is that of the last good step: 0.1 sin(2 t) < 0.005
  check_less(w.b.s->t, 0.03);
  check_less(swing_stretch(&w, w.b.s->q), 1.01 * (1 + 1e-6));
  swing_close(&w);
}

static void note(void *ctx, const pl_diag *d) {
  snprintf(ctx, PL_TEXT, "%s", d->text);
}

// a floor that comes up under a sheet whose four corners are held
static void lifted_beyond(void **state) {
  (void)state;
  pl_env env;
  swing w;
  char text[PL_TEXT] = "";
  pl_env_init(&env);
  env.diag = note;
  env.diag_ctx = text;
  swing_begin(&w, &env, 3, 3, 0.3, 0.3);
  for (int i = 0; i < 4; i++) swing_hold(&w, i % 2 * 0.3, i / 2 * 0.3);
  swing_build(&w, 1.01);
  const pl_obstacle floor = {.kind = &pl_obstacle_plane,
                             .centre = {0, 0, -0.01},
                             .par = {0, 0, 1},
                             .velocity = {0, 0, 0.5}};
  swing_obstacles(&w, 1, &floor);
  probe r = probe_run(&w, 1.01);
  pl_history h = {0};
  pl_transient_info info;
  assert_int_equal(swing_run(&w, 1, &h, look, &r, &info), PL_UNSOLVED);
  assert_int_equal(info.reason, PL_STOP_STEP);
  assert_non_null(strstr(text, "t = "));
  assert_non_null(strstr(text, "triangle"));
  assert_true(info.nunsolved > 0 && info.rejected > 0);
  // the last good state is kept: an edge row of nodes can be lifted by 0.1 sqrt(1.01^2 - 1) at most
  assert_int_equal(h.nstep, r.n);
  check_close(w.b.s->t, 0.01 * (double)h.nstep, 1e-12);
  check_less(0.5 * w.b.s->t - 0.01, 0.15 * sqrt(1.01 * 1.01 - 1));
  check_less(swing_stretch(&w, w.b.s->q), 1.01 * (1 + 1e-6));
  check_less(r.overlap, 1e-8);
  pl_history_free(&env, &h);
  swing_close(&w);
}

static int no_modes(void *ctx, const pl_progress *p) {
  (void)ctx;
  if (p->what && strcmp(p->what, "modes") == 0) fail_msg("looks for modes");
  return 0;
}

// Rows of vertices next to other rows, so that no step can be solved: slivers are named, not drives
// and obstacles, and no modes are looked for where every unknown has mass.
static void slivers(void **state) {
  (void)state;
  const int methods[] = {PL_PROJECT, PL_COUPLED, PL_NEWMARK, -1};
  for (int k = 0; k < 4; k++) {
    pl_env env;
    swing w;
    char text[PL_TEXT] = "";
    pl_env_init(&env);
    env.diag = note;
    env.diag_ctx = text;
    env.progress = no_modes;
    swing_begin(&w, &env, 4, 4, 0.4, 0.4);
    for (int v = 0; v < 25; v++) {
      double *X = w.kit->mesh->X + 3 * v;
      if (fabs(X[1] - 0.1) < 1e-9 || fabs(X[1] - 0.3) < 1e-9) X[1] += 0.1 - 1e-11;
      memcpy(w.kit->X + 3 * v, X, 3 * sizeof *X);
    }
    swing_hold(&w, 0, 0);
    swing_hold(&w, 0.4, 0);
    swing_build(&w, 1.01);
    pl_status s;
    if (methods[k] < 0) {
      pl_drape_opts o;
      pl_opts_default(pl_drape_option_table, pl_drape_option_count, &o);
      s = pl_drape(&o, &w.po, w.b.m, w.b.p, &w.k, w.b.s, NULL, w.b.w, NULL, NULL, NULL);
    } else {
      w.o.method = methods[k];
      s = swing_run(&w, 0.2, NULL, NULL, NULL, NULL);
    }
    check_status(&env, s, PL_UNSOLVED);
    if (!strstr(text, "sliver")) fail_msg("%s", text);
    swing_close(&w);
  }
}

static pl_status run_fresh(const swing *w, swing_fresh *f) {
  pl_transient_opts o = w->o;
  o.duration = 0.04;
  return pl_limit_transient(&o, &w->po, f->m, f->p, &f->k, f->s, NULL, f->w, NULL, NULL, NULL);
}

static pl_status run_small(pl_env *env, void *ctx) {
  const pl_obstacle floor = {
      .kind = &pl_obstacle_plane, .centre = {0, 0, -0.002}, .par = {0, 0, 1}, .mu = 0.5};
  return swing_anew(env, ctx, &floor, run_fresh);
}

static void allocations(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; k++) {
    pl_env env;
    swing w;
    pl_env_init(&env);
    pinned(&w, &env, all_methods[k], 2, 1.01);
    check_allocations(run_small, &w);
    swing_close(&w);
  }
}

int test_step_stop(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(resumes),       cmocka_unit_test(cancels),
      cmocka_unit_test(refuses),       cmocka_unit_test(torn),
      cmocka_unit_test(lifted_beyond), cmocka_unit_test(slivers),
      cmocka_unit_test(allocations),   cmocka_unit_test(counts),
      cmocka_unit_test(not_a_number),
  };
  return cmocka_run_group_tests_name("step_stop", tests, NULL, NULL);
}
