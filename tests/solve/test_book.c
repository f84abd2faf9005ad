// The energy book of load steps: what loads and drives put in, what is stored, what jumps release.
#include "rig.h"

// one scalar unknown under a load in so many steps
static pl_static_info push(double k, double k3, double force, int steps) {
  oscillator o;
  oscillator_make(&o, 1, k, k3, 0);
  o.load[0].term.amplitude[0] = force;
  rig r;
  rig_open(&r, &o.desc, 1);
  pl_static_opts opt = static_defaults();
  opt.steps = steps;
  pl_static_info info;
  check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
  double q = r.s->q[0];
  check_rel(k * q + k3 * q * q * q, force, 1e-9);
  assert_int_equal(info.booked, 1);
  assert_int_equal(info.njump, 0);
  check_close(info.released, 0, 0);
  double stored = q * q * (k / 2 + k3 * q * q / 4);
  // the rule is good to a fiftieth of the box around the path, and of high order
  check_close(info.work, stored, (steps > 1 ? 1e-3 : 0.02) * force * q);
  rig_close(&r);
  return info;
}

// springs that harden do so in one step too, without a second look: one factor more than iterations
static void one_step_closes(void **state) {
  (void)state;
  const double k3[6] = {0, 0.01, 1, 100, 1e4, 1e8};
  for (int i = 0; i < 6; i++) {
    pl_static_info info = push(1, k3[i], 5, 1);
    assert_int_equal(info.in_parts, 0);
    assert_true(info.factorisations <= info.iterations + 1);
    push(1, k3[i], 5, 20);
  }
  // no stiffness at all at the start
  check_less(push(0, 1, 5, 1).in_parts, 1);
}

// potential of a truss whose top is held at height y by the force P
static double truss_potential(double b, double h, double k, double y, double P) {
  double l = sqrt(b * b + y * y) - sqrt(b * b + h * h);
  return k * l * l - P * (h - y);
}

// what a truss releases that snaps at its limit load
static double truss_release(double b, double h, double k, double *limit) {
  double L = sqrt(b * b + h * h), l = cbrt(L * b * b), top = sqrt(l * l - b * b);
  *limit = truss_force(b, h, k, top);
  double lo = -10 * h, hi = -h;
  for (int i = 0; i < 200; i++) {
    double y = 0.5 * (lo + hi);
    if (truss_force(b, h, k, y) > *limit) lo = y;
    if (truss_force(b, h, k, y) <= *limit) hi = y;
  }
  return truss_potential(b, h, k, top, *limit) - truss_potential(b, h, k, lo, *limit);
}

static void truss_snaps(void **state) {
  (void)state;
  const double b = 1, h = 0.3, k = 1e5, part[5] = {0.9, 0.99, 1.02, 1.4, 5};
  const int steps[3] = {1, 4, 30};
  double limit, released = truss_release(b, h, k, &limit);
  for (int i = 0; i < 15; i++) {
    double P = part[i / 3] * limit;
    truss t;
    truss_make(&t, b, h, k, P);
    rig r;
    rig_open(&r, &t.desc, 1);
    pl_static_opts opt = static_defaults();
    opt.steps = steps[i % 3];
    pl_static_info info;
    check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
    int beyond = part[i / 3] > 1;
    assert_int_equal(info.njump, beyond);
    assert_true(beyond || info.released == 0);
    if (beyond) {
      check_close(info.jump[0].scale, limit / P, 2e-3);
      check_rel(info.jump[0].released, released, 0.05);
      check_close(info.released, info.jump[0].released, 0);
    }
    check_close(info.work - info.released, r.w->elastic, 0.02 * fmax(r.w->elastic, info.work));
    rig_close(&r);
  }
}

// the same where the limit point is tracked, and measured at its load
static void tracked_release(void **state) {
  (void)state;
  double limit, released = truss_release(1, 0.3, 1e5, &limit);
  for (int steps = 1; steps < 20; steps += 6) {
    truss t;
    truss_make(&t, 1, 0.3, 1e5, 1.4 * limit);
    rig r;
    rig_open(&r, &t.desc, 1);
    pl_static_opts opt = static_defaults();
    opt.steps = steps;
    opt.critical = 1;
    pl_static_info info;
    check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
    assert_int_equal(info.njump, 1);
    check_rel(info.jump[0].released, released, 1e-4);
    check_close(info.work - info.released, r.w->elastic, 0.02 * info.work);
    rig_close(&r);
  }
}

// moved by a drive in place of the load the truss goes all the way without a jump
static void drives_work(void **state) {
  (void)state;
  const double b = 1, h = 0.3, k = 1e5;
  for (int steps = 1; steps <= 32; steps *= 2) {
    truss t;
    truss_make(&t, b, h, k, 0);
    // the top goes down by 0.7, and is free sideways
    const pl_term term = {0, {0, -0.7, 0}, 0};
    const pl_drive_desc drive[2] = {
        t.drive[0], {.nnode = 1, .node = t.top, .mask = 2, .nterm = 1, .term = &term}};
    t.desc.ndrive = 2;
    t.desc.drive = drive;
    rig r;
    rig_open(&r, &t.desc, 1);
    pl_static_opts opt = static_defaults();
    opt.steps = steps;
    pl_static_info info;
    check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
    assert_int_equal(info.njump, 0);
    check_rel(r.w->elastic, truss_potential(b, h, k, -0.4, 0), 1e-9);
    // on the way it stores the most when flat
    double most = truss_potential(b, h, k, 0, 0);
    check_close(info.work, r.w->elastic, (steps < 16 ? 0.08 : 1e-3) * most);
    rig_close(&r);
  }
}

// a start that is no equilibrium: the first step is not in the book, those after it are
static void starts_anywhere(void **state) {
  (void)state;
  double limit;
  truss_release(1, 0.3, 1e5, &limit);
  truss t;
  truss_make(&t, 1, 0.3, 1e5, 1.4 * limit);
  rig r;
  rig_open(&r, &t.desc, 1);
  pl_static_opts opt = static_defaults();
  opt.steps = 5;
  r.s->q[3] += 0.01;
  pl_static_info info;
  check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
  assert_int_equal(info.booked, 0);
  assert_int_equal(info.njump, 1);
  // and none is kept when none is wanted
  pl_state *s;
  check_ok(&r.env, pl_state_create(r.m, r.p, &s));
  opt.book = 0;
  check_ok(&r.env, pl_static(&opt, r.m, r.p, s, r.w, NULL, NULL, &info));
  assert_int_equal(info.booked + info.njump, 0);
  pl_state_free(r.m, s);
  rig_close(&r);
}

int test_book(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_step_closes), cmocka_unit_test(truss_snaps),
      cmocka_unit_test(tracked_release), cmocka_unit_test(drives_work),
      cmocka_unit_test(starts_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
