#include "mails.h"

// Patches in time, against closed forms and against where they come to rest.

enum { MANY = 16 };

typedef struct displaced {
  sample_mail s;
  pl_patch p;
  const pl_mail_element *elem[MANY];
  pl_pose pose[MANY];
  char held[MANY];
  pl_move_opts o;
  int steps;
  double speed, book, unbalanced; // at the end; what energies and books differ by; over the motion
  double total;                   // J, at the start
} displaced;

// rings of R 0.4 and r 0.1 along x
static void make_chain(displaced *t, int cells) {
  pl_env env;
  pl_cut_element *e;
  pl_env_init(&env);
  memset(t, 0, sizeof *t);
  pl_mail_table[PL_MAIL_chain]->make((double[]){0.4, 0.1, 0.55, 2}, &t->s);
  check_ok(&env, pl_mail_cut(&env, &t->s.m, &(pl_cut){.kind = PL_CUT_CELLS, .cells = {cells, 1}},
                             &t->p.n, &e));
  for (int i = 0; i < t->p.n; i++) {
    t->elem[i] = &t->s.kind[0];
    t->pose[i] = e[i].pose;
  }
  pl_free(&env, e);
  t->p = (pl_patch){.n = t->p.n,
                    .elem = t->elem,
                    .pose = t->pose,
                    .held = t->held,
                    .density = 1000,
                    .gravity = {0, 0, -10}};
  pl_opts_default(pl_move_option_table, pl_move_option_count, &t->o);
}

static pl_status observer(void *ctx, const pl_patch_state *s, const pl_move_step *k) {
  displaced *t = ctx;
  double now = k->kinetic + k->potential + k->repulsion + s->rubbed + s->damped + s->scheme;
  if (t->steps++ == 0) t->total = now;
  t->book = fmax(t->book, fabs(now - t->total));
  t->unbalanced = fmax(t->unbalanced, k->unbalanced);
  t->speed = s->v[t->p.n - 1][0];
  assert_true(k->gap > 0);
  return PL_OK;
}

static pl_patch_state *go(displaced *t) {
  pl_env env;
  pl_patch_state *s;
  pl_mail_verdict v;
  pl_env_init(&env);
  const pl_move_observer w = {observer, t};
  check_ok(&env, pl_patch_state_create(&env, &t->p, &s));
  check_ok(&env, pl_patch_move(&env, &t->p, &t->o, NULL, &w, s));
  check_ok(&env, pl_patch_verify(&env, &t->p, s->pose, NULL, &v));
  assert_int_equal(v.links_changed, 0);
  assert_true(v.gap > 0);
  return s;
}

static void done(pl_patch_state *s) {
  pl_env env;
  pl_env_init(&env);
  pl_patch_state_free(&env, s);
}

// Implicit Euler's n-th step of a free fall is g h^2 n (n + 1) / 2 below; what its energy loses is
// told.
static void free_fall(void **state) {
  (void)state;
  static displaced t;
  make_chain(&t, 1);
  t.p.n = 1;
  t.o.step = 0.01;
  t.o.duration = 0.3;
  pl_patch_state *s = go(&t);
  check_close(s->pose[0].x[2], -10 * 1e-4 * 30 * 31 / 2, 1e-10);
  check_less(t.book, 1e-8 * s->scheme);
  // m g^2 h^2 / 2 a step
  check_close(s->scheme / (2 * PL_PI * PL_PI * 0.4 * 0.01 * 1000 * 50 * 1e-4 * 30), 1, 1e-6);
  done(s);
}

// A ring flat on a slope of 15 or 20 degrees with friction 0.3: below atan 0.3 = 16.7 degrees it
// sticks, up to the speed of creep; above it slides with g (sin - 0.3 cos).
static void slope(void **state) {
  (void)state;
  static displaced t;
  for (int steep = 0; steep < 2; steep++) {
    double a = (steep ? 20 : 15) * PL_PI / 180, speed[2];
    const pl_obstacle plane = {.kind = &pl_obstacle_plane, .par = {0, 0, 1}, .mu = 0.3};
    for (int late = 0; late < 2; late++) {
      make_chain(&t, 1);
      t.p.n = 1;
      t.p.nobstacle = 1;
      t.p.obstacle = &plane;
      t.pose[0] = (pl_pose){{0, 0, 0.1018}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
      t.p.gravity[0] = 10 * sin(a);
      t.p.gravity[2] = -10 * cos(a);
      t.o.duration = late ? 0.6 : 0.3;
      done(go(&t));
      speed[late] = t.speed;
    }
    double grows = (speed[1] - speed[0]) / 0.3;
    if (steep)
      check_close(grows, 10 * (sin(a) - 0.3 * cos(a)), 2e-3);
    else
      check_less(fabs(speed[1]), 1e-3 * sqrt(10 * 0.1));
  }
}

// A ring swings on another one: energies are booked, and steps half as long lose half as much.
static void pendulum(void **state) {
  (void)state;
  static displaced t;
  double lost[3];
  for (int k = 0; k < 3; k++) {
    make_chain(&t, 1);
    t.held[0] = 1;
    // it hangs, leaning, as near as its weight pulls it
    pl_rotation3((double[]){0, 1, 0}, 0.5, t.pose[1].Q);
    double Q[9], up[9];
    memcpy(Q, t.pose[1].Q, sizeof Q);
    pl_rotation3((double[]){1, 0, 0}, PL_PI / 2, up);
    pl_mul3(Q, up, t.pose[1].Q);
    memcpy(t.pose[1].x, t.pose[0].x, sizeof t.pose[1].x);
    t.pose[1].x[0] += 0.4 - 0.1999 * sin(0.5);
    t.pose[1].x[2] -= 0.1999 * cos(0.5);
    t.o.friction = 0;
    t.o.step = 0.004 / (1 << k);
    t.o.duration = 0.2;
    pl_patch_state *s = go(&t);
    lost[k] = s->scheme;
    check_less(t.book, 1e-6 * fabs(t.total) + 1e-6);
    assert_true(lost[k] > 0);
    done(s);
  }
  check_less(lost[1], 0.7 * lost[0]);
  check_less(lost[2], 0.7 * lost[1]);
}

// A chain that falls from level with damping ends where it comes to rest.
static void settles(void **state) {
  (void)state;
  static displaced t;
  pl_env env;
  pl_rest r;
  pl_rest_opts o;
  pl_env_init(&env);
  make_chain(&t, 3);
  t.held[0] = 1;
  t.o.damping = 5;
  t.o.friction = 0.1;
  t.o.step = 0.02;
  t.o.duration = 5;
  pl_patch_state *s = go(&t);
  pl_opts_default(pl_rest_option_table, pl_rest_option_count, &o);
  check_ok(&env, pl_patch_rest(&env, &t.p, &o, NULL, NULL, &r));
  // friction holds it a little off
  for (int i = 1; i < t.p.n; i++) check_close(s->pose[i].x[2], r.pose[i].x[2], 0.02);
  check_less(t.book, 1e-6 * fabs(s->damped + s->scheme));
  pl_rest_free(&env, &r);
  done(s);
}

// The same bits from any state on.
static void goes_on(void **state) {
  (void)state;
  static displaced t;
  pl_patch_state *whole, *s;
  pl_env env;
  pl_env_init(&env);
  make_chain(&t, 2);
  t.held[0] = 1;
  t.o.duration = 0.2;
  whole = go(&t);
  const pl_move_observer w = {observer, &t};
  t.o.duration = 0.1;
  s = go(&t);
  t.o.duration = 0.2;
  check_ok(&env, pl_patch_move(&env, &t.p, &t.o, NULL, &w, s));
  assert_memory_equal(s->pose, whole->pose, (size_t)t.p.n * sizeof *s->pose);
  assert_memory_equal(s->v, whole->v, (size_t)t.p.n * sizeof *s->v);
  assert_true(s->scheme == whole->scheme && s->rubbed == whole->rubbed);
  assert_true(s->energy == whole->energy);
  done(whole);
  done(s);
}

int test_move(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(free_fall), cmocka_unit_test(slope),
                                     cmocka_unit_test(pendulum), cmocka_unit_test(settles),
                                     cmocka_unit_test(goes_on)};
  return cmocka_run_group_tests_name("move", tests, NULL, NULL);
}
