// The one way in: what serves a motion or load step within constraints is what its own function
// gives, to the bit.
#include "swing.h"

enum { TANGENT, PROGRAM };

typedef struct case_of {
  int method, layers, together, limit, held, who;
} case_of;

static int count(void *ctx, const pl_state *s, const pl_clock *c, const pl_limit_step *step) {
  int *n = ctx;
  (void)s, (void)c;
  n[step ? PROGRAM : TANGENT]++;
  return 0;
}

// a sheet that falls on a plane below its end
static void fall(swing *k, pl_env *env, const case_of *c) {
  static const pl_obstacle_kind *plane = &pl_obstacle_plane;
  pl_obstacle o = {.kind = plane, .centre = {0, 0, -0.004}, .mu = 0.3};
  memcpy(o.par, (const double[3]){0, 0, 1}, 3 * sizeof(double));
  swing_begin(k, env, 3, 2, 0.3, 0.2);
  swing_hold(k, 0, 0);
  for (int i = 1; i < 4 && c->held; i++) swing_hold(k, i % 2 ? 0.3 : 0, i / 2 ? 0.2 : 0);
  k->o.method = c->method;
  swing_build(k, c->limit ? 1.05 : 0);
  swing_obstacles(k, 1, &o);
  pl_layers_desc d = swing_layers(k, 1e-3, 0.2);
  if (c->layers) check_ok(env, pl_layers_create(env, &d, &k->k.layers));
  k->k.together = c->together;
}

static void transients(void **state) {
  (void)state;
  const case_of all[] = {
      {PL_NEWMARK, 0, 0, 0, 0, TANGENT},        {PL_BDF2, 0, 0, 0, 0, TANGENT},
      {PL_IMPLICIT_EULER, 0, 0, 0, 0, TANGENT}, {PL_IMPLICIT_EULER, 0, 1, 0, 0, PROGRAM},
      {PL_NEWMARK, 1, 0, 0, 0, PROGRAM},        {PL_BDF2, 0, 0, 1, 0, PROGRAM},
      {PL_COUPLED, 0, 0, 0, 0, PROGRAM}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    pl_env env;
    swing a, b;
    int seen[2] = {0};
    pl_env_init(&env);
    fall(&a, &env, &all[i]);
    fall(&b, &env, &all[i]);
    a.o.duration = 0.06;
    check_ok(&env, pl_constrained_transient(&a.o, &a.po, a.b.m, a.b.p, &a.k, a.b.s, NULL, a.b.w,
                                            count, seen, NULL));
    assert_int_equal(seen[all[i].who], 6);
    assert_int_equal(seen[1 - all[i].who], 0);
    b.o.duration = 0.06;
    if (all[i].who == PROGRAM)
      check_ok(&env, swing_run(&b, 0.06, NULL, NULL, NULL, NULL));
    else
      check_ok(&env, pl_transient_contact(&b.o, b.b.m, b.b.p, b.k.contact, b.b.s, NULL, b.b.w, NULL,
                                          NULL, NULL));
    assert_memory_equal(a.b.s->q, b.b.s->q, 3 * (size_t)a.nvert * sizeof(double));
    assert_true(a.k.contact->most > 0);
    swing_close(&a);
    swing_close(&b);
  }
}

static void statics(void **state) {
  (void)state;
  for (int layers = 0; layers < 2; layers++) {
    pl_env env;
    swing a, b;
    pl_static_opts o;
    pl_static_info ia, ib;
    pl_env_init(&env);
    pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
    const case_of c = {.layers = layers, .held = 1};
    fall(&a, &env, &c);
    fall(&b, &env, &c);
    check_ok(&env,
             pl_constrained_static(&o, a.b.m, a.b.p, &a.k, NULL, a.b.s, a.b.w, NULL, NULL, &ia));
    check_ok(&env,
             layers
                 ? pl_limit_static(&o, b.b.m, b.b.p, &b.k, NULL, b.b.s, b.b.w, NULL, NULL, &ib)
                 : pl_static_contact(&o, b.b.m, b.b.p, b.k.contact, b.b.s, b.b.w, NULL, NULL, &ib));
    assert_memory_equal(a.b.s->q, b.b.s->q, 3 * (size_t)a.nvert * sizeof(double));
    // only the tangent judges stability
    assert_int_equal(ia.nneg, ib.nneg);
    assert_int_equal(ia.nneg < 0, layers);
    swing_close(&a);
    swing_close(&b);
  }
}

enum { ENOUGH = 50 };

static int ask(void *ctx, const pl_progress *p) {
  int *asked = ctx;
  (void)p;
  return ++*asked == ENOUGH;
}

// An analysis with a host of its own asks and obeys that one alone, though model and contact were
// made with another.
static void hosts(void **state) {
  (void)state;
  const case_of c = {.method = PL_NEWMARK, .layers = 1};
  pl_env env, host;
  swing a;
  pl_work *w;
  int other = 0, own = 0;
  pl_env_init(&env);
  pl_env_init(&host);
  fall(&a, &env, &c);
  host.progress = env.progress = ask;
  host.progress_ctx = &own;
  env.progress_ctx = &other;
  check_ok(&host, pl_work_create_for(&host, a.b.m, 1, &w));
  a.o.duration = 10;
  check_status(
      &host,
      pl_constrained_transient(&a.o, &a.po, a.b.m, a.b.p, &a.k, a.b.s, NULL, w, NULL, NULL, NULL),
      PL_CANCELLED);
  assert_int_equal(own, ENOUGH);
  assert_int_equal(other, 0);
  pl_work_free(w);
  swing_close(&a);
}

int test_choose(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(transients), cmocka_unit_test(statics),
                                     cmocka_unit_test(hosts)};
  return cmocka_run_group_tests_name("limit.choose", tests, NULL, NULL);
}
