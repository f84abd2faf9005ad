// Equilibria followed by arclength, against closed forms: a flat roof that snaps through two
// folds, a steep one that buckles sideways first, a drive in place of a load.
#include "rig.h"

#include <math.h>

// two links from (-b, 0) and (b, 0) to the top (0, h), which a force pulls down
typedef struct roof {
  double X[6], link[2], b, h;
  int end[4], feet[2], top[1];
  pl_group_desc group[1];
  pl_drive_desc drive[2];
  pl_load_desc load[1];
  pl_term push[1];
  pl_model_desc desc;
} roof;

enum { STIFFNESS = 1000 };

static void roof_make(roof *t, double b, double h, double force) {
  *t =
      (roof){.X = {-b, 0, b, 0, 0, h}, .link = {STIFFNESS, 0}, .b = b, .h = h, .end = {0, 2, 2, 1}};
  t->feet[1] = 1;
  t->top[0] = 2;
  t->group[0] = (pl_group_desc){"links", kind_of("link"), 2, t->end, 1, t->link, 0};
  t->drive[0] = (pl_drive_desc){.name = "feet", .nnode = 2, .node = t->feet, .mask = 3};
  t->load[0] = (pl_load_desc){"pull", 1, t->top, {0, {0, -force}, 0}};
  t->desc = (pl_model_desc){.dim = 2,
                            .nnode = 3,
                            .X = t->X,
                            .ngroup = 1,
                            .group = t->group,
                            .ndrive = 1,
                            .drive = t->drive,
                            .nload = 1,
                            .load = t->load};
}

// force down that holds the top at height y
static double roof_pull(const roof *t, double y) {
  double L = hypot(t->b, t->h), l = hypot(t->b, y);
  return 2 * STIFFNESS * (L - l) * y / l;
}

static pl_load_path_opts defaults(void) {
  pl_load_path_opts o;
  pl_opts_default(pl_load_path_option_table, pl_load_path_option_count, &o);
  return o;
}

typedef struct observer {
  const roof *t;
  double force, worst, lowest;
  int n, stop_at;
} observer;

static int look(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  observer *k = ctx;
  (void)w;
  k->worst = fmax(k->worst, fabs(roof_pull(k->t, s->q[5]) - c->scale * k->force) / k->force);
  k->lowest = fmin(k->lowest, s->q[5]);
  return ++k->n == k->stop_at;
}

static pl_status follow(roof *t, double force, const pl_load_path_opts *o, observer *k,
                        pl_load_path_info *info) {
  rig r;
  *k = (observer){.t = t, .force = force, .stop_at = k->stop_at};
  rig_open(&r, &t->desc, 1);
  pl_status s = pl_load_path(o, r.m, r.p, r.s, r.w, look, k, info);
  rig_close(&r);
  return s;
}

static void flat_roof_snaps(void **state) {
  (void)state;
  roof t;
  observer k = {0};
  pl_load_path_info info;
  const double force = 40;
  roof_make(&t, 1, 0.3, force);
  pl_load_path_opts o = defaults();
  assert_int_equal(follow(&t, force, &o, &k, &info), PL_OK);
  assert_int_equal(info.reason, PL_STOP_END);
  check_close(info.scale, 1, 0);
  check_less(k.worst, 1e-8);
  // dF/dy = 0 where l^3 = L b^2, on both sides
  double l = cbrt(hypot(1, 0.3)), limit = roof_pull(&t, sqrt(l * l - 1)) / force;
  assert_int_equal(info.nspecial, 2);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(info.special[i].fold, 1);
    check_rel(info.special[i].scale, i ? -limit : limit, 1e-9);
    assert_int_equal(info.special[i].nneg, i ? 0 : 1);
  }
  assert_int_equal(info.nneg, 0);
  assert_int_equal(k.n, info.npoint);
  check_less(k.lowest, -0.3);
}

// the other end of the range, points used up, a stop, what cannot be asked for
static void ends_are_named(void **state) {
  (void)state;
  roof t;
  observer k = {0};
  pl_load_path_info info;
  const double force = 40;
  roof_make(&t, 1, 0.3, force);
  pl_load_path_opts o = defaults();
  o.beyond = -0.2;
  assert_int_equal(follow(&t, force, &o, &k, &info), PL_OK);
  assert_int_equal(info.reason, PL_STOP_BACK);
  check_close(info.scale, -0.2, 0);
  o.points = 5;
  assert_int_equal(follow(&t, force, &o, &k, &info), PL_UNSOLVED);
  assert_int_equal(info.reason, PL_STOP_POINTS);
  assert_int_equal(info.npoint, 5);
  o.points = 1000;
  k.stop_at = 3;
  assert_int_equal(follow(&t, force, &o, &k, &info), PL_CANCELLED);
  assert_int_equal(info.npoint, 3);
  o.beyond = 0.5;
  assert_int_equal(follow(&t, force, &o, &k, &info), PL_E_INPUT);
  o.beyond = 0;
  roof_make(&t, 1, 0.3, 0);
  assert_int_equal(follow(&t, 1, &o, &k, &info), PL_E_INPUT);
}

// sideways stiffness ends where l^3 = L y^2, above the fold; the path itself goes straight on
static void steep_roof_buckles(void **state) {
  (void)state;
  roof t;
  observer k = {0};
  pl_load_path_info info;
  const double force = 2000;
  roof_make(&t, 0.3, 1, force);
  double lo = 0.5, hi = 1, L = hypot(0.3, 1);
  for (int i = 0; i < 100; i++) {
    double y = 0.5 * (lo + hi);
    if (pow(hypot(0.3, y), 3) < L * y * y) lo = y;
    if (pow(hypot(0.3, y), 3) >= L * y * y) hi = y;
  }
  pl_load_path_opts o = defaults();
  assert_int_equal(follow(&t, force, &o, &k, &info), PL_OK);
  assert_true(info.nspecial >= 3);
  assert_int_equal(info.special[0].fold, 0);
  check_rel(info.special[0].scale, roof_pull(&t, lo) / force, 1e-6);
  assert_int_equal(info.special[1].fold, 1);
  check_less(k.worst, 1e-8);
}

// a drive that turns the top down has no fold: the path is that of a static analysis
static void drives_are_followed(void **state) {
  (void)state;
  roof t;
  rig r;
  pl_load_path_info info;
  roof_make(&t, 1, 0.3, 0);
  t.push[0] = (pl_term){.amplitude = {0, -0.6}};
  t.drive[1] = (pl_drive_desc){
      .name = "top", .nnode = 1, .node = t.top, .mask = 2, .nterm = 1, .term = t.push};
  t.desc.ndrive = 2;
  t.desc.nload = 0;
  rig_open(&r, &t.desc, 1);
  pl_load_path_opts o = defaults();
  check_ok(&r.env, pl_load_path(&o, r.m, r.p, r.s, r.w, NULL, NULL, &info));
  assert_int_equal(info.reason, PL_STOP_END);
  check_close(r.s->q[5], -0.3, 1e-12);
  check_close(r.s->q[4], 0, 1e-9);
  for (int i = 0; i < info.nspecial; i++) assert_int_equal(info.special[i].fold, 0);
  rig_close(&r);
}

int test_load_path(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flat_roof_snaps),
      cmocka_unit_test(ends_are_named),
      cmocka_unit_test(steep_roof_buckles),
      cmocka_unit_test(drives_are_followed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
