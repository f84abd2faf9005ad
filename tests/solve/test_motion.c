#include "rig.h"

// ---- pendulum ---------------------------------------------------------------------------------

// times at which the bob passes below the support
typedef struct crossing {
  double t, x, first, last;
  int count;
} crossing;

static int cross(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  (void)w;
  crossing *k = ctx;
  double x = s->q[2];
  if (k->t > 0 && x * k->x < 0) {
    double t = k->t + (c->t - k->t) * k->x / (k->x - x);
    if (k->count++ == 0) k->first = t;
    k->last = t;
  }
  k->t = c->t;
  k->x = x;
  return 0;
}

// T = 2 pi sqrt(L/g) / agm(1, cos(theta/2)); the link stretches by at most 3 m g / k = 3e-6 of L
static void pendulum_period(void **state) {
  (void)state;
  double L = 1, angle = 2.2, a = 1, g = cos(angle / 2);
  for (int i = 0; i < 8; i++) {
    double mean = (a + g) / 2;
    g = sqrt(a * g);
    a = mean;
  }
  double want = 2 * PL_PI * sqrt(L / 9.81) / a;
  pendulum p;
  pendulum_make(&p, L, angle, 1e7);
  rig r;
  rig_open(&r, &p.desc, 1);
  pl_transient_opts opt = transient_defaults();
  opt.step = 1e-3;
  opt.duration = 5.1 * want;
  crossing c = {0};
  pl_transient_info info;
  check_ok(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, cross, &c, &info));
  assert_int_equal(c.count, 10);
  check_rel((c.last - c.first) / 4.5, want, 2e-5);
  check_close(hypot(r.s->q[2], r.s->q[3]), L, 1e-5);
  rig_close(&r);
}

// ---- free flight ------------------------------------------------------------------------------

typedef struct flight {
  double lin[3], ang[3], mass; // at the start
  double worst_lin, worst_ang;
  const rig *r;
} flight;

static int momentum(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  (void)c, (void)w;
  flight *f = ctx;
  double lin[3], ang[3];
  pl_momentum(f->r->m, f->r->p, s, &f->mass, lin, ang);
  for (int i = 0; i < 3; i++) {
    f->worst_lin = fmax(f->worst_lin, fabs(lin[i] - f->lin[i]));
    f->worst_ang = fmax(f->worst_ang, fabs(ang[i] - f->ang[i]));
  }
  return 0;
}

static void block_make(const box *b, const double *par, pl_group_desc *group, pl_model_desc *d) {
  group[0] = (pl_group_desc){"block", kind_of("tet4"), b->ntet, b->tet, 1, par, 0};
  *d = (pl_model_desc){.dim = 3, .nnode = b->nnode, .X = b->X, .ngroup = 1, .group = group};
}

static void spin(const pl_state *s) {
  const double w[3] = {1, 2, 3}, v[3] = {0.5, -0.2, 0.3};
  for (int i = 0; i < s->nq; i += 3) {
    pl_cross3(w, s->q + i, s->v + i);
    for (int c = 0; c < 3; c++) s->v[i + c] += v[c];
  }
}

static void spinning_block(void **state) {
  (void)state;
  const double a[3] = {0.5, 0.3, 0.2}, par[3] = {1e4, 0.3, 1000};
  box b;
  box_make(&b, 3, 2, 1, a);
  pl_group_desc group[1];
  pl_model_desc d;
  block_make(&b, par, group, &d);
  double h[4], err[4];
  for (int i = 0; i < 4; i++) {
    rig r;
    rig_open(&r, &d, 1);
    spin(r.s);
    flight f = {.r = &r};
    pl_momentum(r.m, r.p, r.s, &f.mass, f.lin, f.ang);
    check_rel(f.mass, 1000 * 0.5 * 0.3 * 0.2, 1e-12);
    pl_transient_opts opt = transient_defaults();
    opt.step = h[i] = 4e-3 / (1 << i);
    opt.duration = 1;
    check_ok(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, momentum, &f, NULL));
    check_less(f.worst_lin, 1e-11 * f.mass);
    err[i] = f.worst_ang;
    rig_close(&r);
  }
  check_close(order_slope(4, h, err), 2, 0.15);
  check_less(err[3], 1e-3);
  box_free(&b);
}

// the same bits for one and two threads
static void threads_agree(void **state) {
  (void)state;
  const double a[3] = {0.5, 0.3, 0.2}, par[3] = {1e4, 0.3, 1000};
  box b;
  box_make(&b, 6, 4, 3, a);
  pl_group_desc group[1];
  pl_model_desc d;
  block_make(&b, par, group, &d);
  d.beta = 1e-3;
  rig r[2];
  for (int k = 0; k < 2; k++) {
    rig_open(&r[k], &d, 1 + k);
    spin(r[k].s);
    pl_transient_opts opt = transient_defaults();
    opt.step = 5e-3;
    opt.duration = 0.05;
    check_ok(&r[k].env, pl_transient(&opt, r[k].m, r[k].p, r[k].s, NULL, r[k].w, NULL, NULL, NULL));
  }
  size_t size = (size_t)r[0].s->nq * sizeof(double);
  assert_memory_equal(r[0].s->q, r[1].s->q, size);
  assert_memory_equal(r[0].s->v, r[1].s->v, size);
  assert_memory_equal(r[0].s->a, r[1].s->a, size);
  rig_close(&r[0]);
  rig_close(&r[1]);
  box_free(&b);
}

// a step that would turn elements inside out is made of shorter ones and ends on the grid
static void hard_steps(void **state) {
  (void)state;
  const double a[3] = {0.5, 0.3, 0.2}, par[3] = {1e5, 0.3, 1000};
  box b;
  box_make(&b, 2, 1, 1, a);
  pl_group_desc group[1];
  pl_model_desc d;
  block_make(&b, par, group, &d);
  group[0].kind = kind_of("tet4_nh");
  for (int k = 0; k < 3; k++) {
    rig r;
    rig_open(&r, &d, 1);
    for (int i = 0; i < r.s->nq; i += 3) r.s->v[i] = -12 * (r.s->q[i] - a[0] / 2);
    flight f = {.r = &r};
    pl_momentum(r.m, r.p, r.s, &f.mass, f.lin, f.ang);
    pl_transient_opts opt = transient_defaults();
    opt.method = k;
    opt.step = 0.4;
    opt.duration = 0.8;
    pl_transient_info info;
    check_ok(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, momentum, &f, &info));
    check_less(0, (double)info.rejected);
    assert_int_equal(info.nstep, 2);
    check_close(r.s->t, 0.8, 1e-15);
    check_less(f.worst_lin, 1e-10 * f.mass);
    rig_close(&r);
  }
  box_free(&b);
}

// ---- stop and go on ---------------------------------------------------------------------------

static int stop_later(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  (void)s, (void)c, (void)w;
  return --*(int *)ctx == 0;
}

static void resume_agrees(void **state) {
  (void)state;
  oscillator o;
  oscillator_make(&o, 1, 2, 7, 0.3);
  o.load[0].term = (pl_term){1, {5, 0, 0}, 0};
  for (int k = 0; k < 9; k++) {
    pl_transient_opts opt = transient_defaults();
    opt.method = k % 3;
    opt.frequency = 1.3;
    opt.steps_per_period = 20;
    opt.periods = 20;
    opt.adaptive = k / 3 == 1;
    opt.steady = k / 3 == 2 ? 1e-3 : 0;
    opt.rtol = 1e-6;
    rig r[2];
    pl_transient_info info[2];
    pl_history hist[2] = {{0}};
    for (int i = 0; i < 2; i++) {
      rig_open(&r[i], &o.desc, 1);
      r[i].s->q[0] = 0.4;
    }
    check_ok(&r[0].env,
             pl_transient(&opt, r[0].m, r[0].p, r[0].s, &hist[0], r[0].w, NULL, NULL, &info[0]));
    // the other run stops after 33 steps, and again after 29 more
    for (int i = 0, left = 33; i < 2; i++, left = 29) {
      check_status(
          &r[1].env,
          pl_transient(&opt, r[1].m, r[1].p, r[1].s, &hist[1], r[1].w, stop_later, &left, &info[1]),
          PL_CANCELLED);
      assert_int_equal(info[1].reason, PL_STOP_CANCELLED);
      assert_int_equal(hist[1].nstep, i ? 62 : 33);
    }
    check_ok(&r[1].env,
             pl_transient(&opt, r[1].m, r[1].p, r[1].s, &hist[1], r[1].w, NULL, NULL, &info[1]));
    assert_int_equal(info[0].nstep, info[1].nstep);
    assert_int_equal(info[0].reason, info[1].reason);
    assert_int_equal(info[0].nperiod, info[1].nperiod);
    assert_memory_equal(&info[0].period_change, &info[1].period_change, sizeof(double));
    assert_memory_equal(&r[0].s->t, &r[1].s->t, sizeof(double));
    assert_memory_equal(r[0].s->q, r[1].s->q, sizeof(double));
    assert_memory_equal(r[0].s->v, r[1].s->v, sizeof(double));
    assert_memory_equal(r[0].s->a, r[1].s->a, sizeof(double));
    for (int i = 0; i < 2; i++) {
      pl_history_free(&r[i].env, &hist[i]);
      rig_close(&r[i]);
    }
  }
}

// Steps that are not solved whole are remembered: the next ones begin in parts. A run that stops
// after every step has the bits, and the attempts, of one that does not.
static void hard_steps_resume(void **state) {
  (void)state;
  const double a[3] = {0.5, 0.3, 0.2}, par[3] = {1e5, 0.3, 1000};
  box b;
  box_make(&b, 2, 1, 1, a);
  pl_group_desc group[1];
  pl_model_desc d;
  block_make(&b, par, group, &d);
  group[0].kind = kind_of("tet4_nh");
  pl_transient_opts opt = transient_defaults();
  opt.step = 0.1;
  opt.duration = 1.2;
  rig r[2];
  pl_transient_info info[2];
  pl_history hist[2] = {{0}};
  for (int k = 0; k < 2; k++) {
    rig_open(&r[k], &d, 1);
    for (int i = 0; i < r[k].s->nq; i += 3) r[k].s->v[i] = -12 * (r[k].s->q[i] - a[0] / 2);
  }
  check_ok(&r[0].env,
           pl_transient(&opt, r[0].m, r[0].p, r[0].s, &hist[0], r[0].w, NULL, NULL, &info[0]));
  int halved = 0;
  for (int i = 0; i < 12; i++) {
    int left = i < 11 ? 1 : 0;
    check_status(
        &r[1].env,
        pl_transient(&opt, r[1].m, r[1].p, r[1].s, &hist[1], r[1].w, stop_later, &left, &info[1]),
        i < 11 ? PL_CANCELLED : PL_OK);
    halved += hist[1].halved > 0;
  }
  assert_true(halved > 1);
  assert_int_equal(info[0].nstep, 12);
  assert_int_equal(info[0].rejected, info[1].rejected);
  assert_int_equal(info[0].iterations, info[1].iterations);
  assert_memory_equal(r[0].s->q, r[1].s->q, (size_t)r[0].s->nq * sizeof(double));
  assert_memory_equal(r[0].s->v, r[1].s->v, (size_t)r[0].s->nq * sizeof(double));
  for (int k = 0; k < 2; k++) {
    pl_history_free(&r[k].env, &hist[k]);
    rig_close(&r[k]);
  }
  box_free(&b);
}

static void foreign_history(void **state) {
  (void)state;
  oscillator o;
  oscillator_make(&o, 1, 2, 0, 0);
  rig r;
  rig_open(&r, &o.desc, 1);
  pl_transient_opts opt = transient_defaults();
  opt.step = 0.1;
  opt.duration = 1;
  opt.method = PL_BDF2;
  pl_history h = {.nq = 1, .nstep = 3};
  check_status(&r.env, pl_transient(&opt, r.m, r.p, r.s, &h, r.w, NULL, NULL, NULL), PL_E_INPUT);
  rig_close(&r);
}

typedef struct stopper {
  long seen;    // steps observed
  int reported; // calls of progress
} stopper;

static int count_steps(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  (void)s, (void)c, (void)w;
  ((stopper *)ctx)->seen++;
  return 0;
}

static int stop_when_moving(void *ctx, const pl_progress *p) {
  stopper *k = ctx;
  assert_string_equal(p->what, "transient");
  k->reported++;
  return k->seen >= 10;
}

// cancelled from outside: the state is that of the last observed step, and can go on
static void cancelled(void **state) {
  (void)state;
  pendulum p;
  pendulum_make(&p, 1, 1, 1e6);
  rig r;
  rig_open(&r, &p.desc, 1);
  stopper k = {0};
  r.env.progress = stop_when_moving;
  r.env.progress_ctx = &k;
  pl_transient_opts opt = transient_defaults();
  opt.step = 1e-4;
  opt.duration = 1e4;
  pl_history h = {0};
  pl_transient_info info;
  check_status(&r.env, pl_transient(&opt, r.m, r.p, r.s, &h, r.w, count_steps, &k, &info),
               PL_CANCELLED);
  assert_int_equal(info.reason, PL_STOP_CANCELLED);
  assert_int_equal(info.nstep, k.seen);
  check_close(r.s->t, 1e-4 * (double)k.seen, 1e-12);
  assert_int_equal(k.reported, 2);
  pl_history_free(&r.env, &h);
  rig_close(&r);
}

// no step converges: not solved, and the start is left as it was
static void gives_up(void **state) {
  (void)state;
  oscillator o;
  oscillator_make(&o, 1, 1, 1e6, 0);
  rig r;
  rig_open(&r, &o.desc, 1);
  pl_transient_opts opt = transient_defaults();
  opt.step = 100;
  opt.duration = 100;
  opt.max_iter = 1;
  opt.rtol = 0;
  r.s->q[0] = 1;
  r.s->v[0] = 1e6;
  pl_transient_info info;
  check_status(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, NULL, NULL, &info),
               PL_UNSOLVED);
  assert_int_equal(info.reason, PL_STOP_STEP);
  check_close(r.s->q[0], 1, 0);
  check_close(r.s->t, 0, 0);
  rig_close(&r);
}

static pl_status run_all(pl_env *env, void *ctx) {
  rig r = {.env = *env};
  pl_transient_opts opt = transient_defaults();
  opt.method = PL_BDF2;
  opt.frequency = 1;
  opt.steps_per_period = 8;
  opt.periods = 2;
  opt.steady = 1e-9;
  pl_history h = {0};
  pl_status s = rig_try(&r, ctx, 1);
  if (s == PL_OK) s = pl_transient(&opt, r.m, r.p, r.s, &h, r.w, NULL, NULL, NULL);
  pl_history_free(&r.env, &h);
  rig_close(&r);
  *env = r.env;
  return s;
}

static void out_of_memory(void **state) {
  (void)state;
  pendulum p;
  pendulum_make(&p, 1, 1, 1e3);
  check_allocations(run_all, &p.desc);
}

int test_motion(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_period),   cmocka_unit_test(spinning_block),
      cmocka_unit_test(threads_agree),     cmocka_unit_test(hard_steps),
      cmocka_unit_test(hard_steps_resume), cmocka_unit_test(resume_agrees),
      cmocka_unit_test(foreign_history),   cmocka_unit_test(cancelled),
      cmocka_unit_test(gives_up),          cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests_name("solve.motion", tests, NULL, NULL);
}
