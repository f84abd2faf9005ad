#include "mails.h"

// States of a patch that are nearest to wanted places.

enum { MANY = 64 };

typedef struct wanted {
  sample_mail s;
  pl_patch p;
  const pl_mail_element *elem[MANY];
  pl_pose pose[MANY];
  char held[MANY];
  double want[MANY][3];
} wanted;

static void cut_patch(wanted *w, const pl_cut *c) {
  pl_env env;
  pl_cut_element *e;
  pl_env_init(&env);
  check_ok(&env, pl_mail_cut(&env, &w->s.m, c, &w->p.n, &e));
  assert_true(w->p.n <= MANY);
  for (int i = 0; i < w->p.n; i++) {
    w->elem[i] = &w->s.kind[w->s.m.kind_of[e[i].elem]];
    w->pose[i] = e[i].pose;
    w->held[i] = 0;
    memcpy(w->want[i], e[i].pose.x, sizeof w->want[i]);
  }
  pl_free(&env, e);
  w->p = (pl_patch){.n = w->p.n,
                    .elem = w->elem,
                    .pose = w->pose,
                    .held = w->held,
                    .density = 1000,
                    .gravity = {0, 0, -10}};
}

static pl_rest_opts defaults(void) {
  pl_rest_opts o;
  pl_opts_default(pl_rest_option_table, pl_rest_option_count, &o);
  return o;
}

static pl_nearest approach(const wanted *w, pl_threads *threads) {
  pl_env env;
  pl_nearest a;
  pl_rest_opts o = defaults();
  pl_mail_verdict v;
  pl_env_init(&env);
  check_ok(&env, pl_patch_nearest(&env, &w->p, (const double(*)[3])w->want, &o, threads, &a));
  check_ok(&env, pl_patch_verify(&env, &w->p, a.pose, threads, &v));
  check_less(0, v.gap);
  assert_int_equal(v.links_changed, 0);
  return a;
}

static void done(pl_nearest *a) {
  pl_env env;
  pl_env_init(&env);
  pl_nearest_free(&env, a);
}

// A chain that is wanted longer than it is: every pitch is 2 (R - r), each ring as much nearer to
// the held one as all pitches before it are short.
static void chain_too_long(void **state) {
  (void)state;
  enum { RINGS = 6 };
  const double R = 4e-3, r = 1e-3, pitch = 2 * (R - r), asked = 1.1 * pitch;
  wanted w;
  pl_mail_table[PL_MAIL_chain]->make((double[]){R, r, 5.5e-3, 10 * R}, &w.s);
  cut_patch(&w, &(pl_cut){.kind = PL_CUT_CELLS, .cells = {RINGS / w.s.m.nelem, 1}});
  assert_int_equal(w.p.n, RINGS);
  w.held[0] = 1;
  for (int i = 1; i < RINGS; i++) {
    w.want[i][0] = w.pose[0].x[0] + i * asked;
    for (int c = 1; c < 3; c++) w.want[i][c] = w.pose[0].x[c];
  }
  pl_nearest a = approach(&w, NULL);
  for (int i = 1; i < RINGS; i++) check_close(a.pose[i].x[0] - a.pose[0].x[0], i * pitch, 1e-3 * r);
  check_close(a.most, (RINGS - 1) * (asked - pitch), 1e-3 * r);
  check_close(a.mean, a.most / 2, 1e-3 * r);
  done(&a);
}

// Places where elements can be are met: those at rest under gravity, held at one side.
static void met_where_they_can_be(wanted *w) {
  pl_env env;
  pl_rest r;
  pl_rest_opts o = defaults();
  pl_env_init(&env);
  double side = INFINITY, thin = 0.7e-3, displaced = 0;
  for (int i = 0; i < w->p.n; i++) side = fmin(side, w->pose[i].x[0]);
  for (int i = 0; i < w->p.n; i++) w->held[i] = w->pose[i].x[0] < side + 1e-4;
  check_ok(&env, pl_patch_rest(&env, &w->p, &o, NULL, NULL, &r));
  for (int i = 0; i < w->p.n; i++) {
    double by[3];
    memcpy(w->want[i], r.pose[i].x, sizeof w->want[i]);
    pl_sub3(r.pose[i].x, w->pose[i].x, by);
    displaced = fmax(displaced, pl_norm3(by));
  }
  check_less(10e-3, displaced);
  pl_nearest a = approach(w, NULL);
  check_less(a.most, 0.1 * thin);
  // the same bits on threads
  pl_threads *threads;
  check_ok(&env, pl_threads_create(&env, 3, &threads));
  pl_nearest b = approach(w, threads);
  assert_memory_equal(a.pose, b.pose, (size_t)w->p.n * sizeof *a.pose);
  pl_threads_free(threads);
  done(&a);
  done(&b);
  pl_rest_free(&env, &r);
}

static void four_in_one_met(void **state) {
  (void)state;
  wanted w;
  pl_mail_table[PL_MAIL_four_in_one]->make(
      (double[]){4.9e-3, 1.15e-3, 12.2e-3, 6e-3, 35 * PL_PI / 180}, &w.s);
  cut_patch(&w, &(pl_cut){.kind = PL_CUT_CELLS, .cells = {2, 3}});
  met_where_they_can_be(&w);
}

static void threefold_met(void **state) {
  (void)state;
  wanted w;
  pl_mail_table[PL_MAIL_threefold]->make(
      (double[]){4.25e-3, 2.575e-3, 0.95e-3, 0.95e-3, 1.2e-3, 11.075e-3}, &w.s);
  cut_patch(&w, &(pl_cut){.kind = PL_CUT_CELLS, .cells = {3, 3}});
  met_where_they_can_be(&w);
}

// what ends early says so, and has what there is: elements apart, with all links
static void ended_early(void **state) {
  (void)state;
  pl_env env;
  pl_nearest a;
  pl_mail_verdict v;
  wanted w;
  pl_env_init(&env);
  pl_mail_table[PL_MAIL_chain]->make((double[]){4e-3, 1e-3, 5.5e-3, 40e-3}, &w.s);
  cut_patch(&w, &(pl_cut){.kind = PL_CUT_CELLS, .cells = {3, 1}});
  w.held[0] = 1;
  for (int i = 1; i < w.p.n; i++) w.want[i][2] += 0.1;
  pl_rest_opts o = defaults();
  o.max_iter = 2;
  assert_int_equal(pl_patch_nearest(&env, &w.p, (const double(*)[3])w.want, &o, NULL, &a),
                   PL_UNSOLVED);
  assert_int_equal(a.iterations, 2);
  check_ok(&env, pl_patch_verify(&env, &w.p, a.pose, NULL, &v));
  check_less(0, v.gap);
  assert_int_equal(v.links_changed, 0);
  check_less(1e-3, a.left);
  pl_nearest_free(&env, &a);
  o.max_iter = 0;
  assert_int_equal(pl_patch_nearest(&env, &w.p, (const double(*)[3])w.want, &o, NULL, &a),
                   PL_E_INPUT);
  assert_null(a.pose);
}

int test_nearest(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chain_too_long),
      cmocka_unit_test(four_in_one_met),
      cmocka_unit_test(threefold_met),
      cmocka_unit_test(ended_early),
  };
  return cmocka_run_group_tests_name("approach", tests, NULL, NULL);
}
