#include "rig.h"

#include <float.h>

// q = F/k in any units, from the reference and from far away
static void linear_spring(void **state) {
  (void)state;
  const double k[4] = {1, 1e12, 1e-12, 3e5}, f[4] = {2, 1e-9, 1e-20, 1e15};
  for (int i = 0; i < 4; i++) {
    oscillator o;
    oscillator_make(&o, 1, k[i], 0, 0);
    o.load[0].term.amplitude[0] = f[i];
    rig r;
    rig_open(&r, &o.desc, 1);
    pl_static_opts opt = static_defaults();
    pl_static_info info;
    r.s->q[0] = i % 2 ? 1e6 * f[i] / k[i] : 0;
    check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
    check_rel(r.s->q[0], f[i] / k[i], i % 2 ? 1e-10 : 1e-14);
    check_rel(info.energy, -f[i] * f[i] / k[i] / 2, 1e-9);
    assert_int_equal(info.reason, PL_STOP_CONVERGED);
    assert_int_equal(info.stable, 1);
    assert_true(info.scale == 1);
    check_less((double)info.iterations, 4);
    rig_close(&r);
  }
}

// k q + k3 q^3 = F at every load step; softening springs need many of them
static int cubic_step(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  const double *par = ctx;
  double q = s->q[0];
  check_rel(q * (par[0] + par[1] * q * q), c->scale * par[2], 1e-9);
  check_rel(w->elastic, q * q * (par[0] / 2 + par[1] * q * q / 4), 1e-12);
  return 0;
}

static void cubic_spring(void **state) {
  (void)state;
  double par[3] = {1, 100, 50};
  oscillator o;
  oscillator_make(&o, 1, par[0], par[1], 0);
  o.load[0].term.amplitude[0] = par[2];
  rig r;
  rig_open(&r, &o.desc, 1);
  pl_static_opts opt = static_defaults();
  opt.steps = 7;
  pl_static_info info;
  check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, cubic_step, par, &info));
  assert_int_equal(info.nstep, 7);
  rig_close(&r);
}

static void truss_path(void **state) {
  (void)state;
  double b = 1, h = 0.3, k = 1e5, L = sqrt(b * b + h * h), l = cbrt(L * b * b);
  double limit = truss_force(b, h, k, sqrt(l * l - b * b));
  // below the limit on the near branch, above it on the far one
  for (int i = 0; i < 6; i++) {
    double part = i < 3 ? 0.3 + 0.3 * i : 0.8 + 0.1 * i, P = part * limit;
    truss t;
    truss_make(&t, b, h, k, P);
    rig r;
    rig_open(&r, &t.desc, 1);
    pl_static_opts opt = static_defaults();
    opt.steps = i % 2 ? 1 : 5;
    pl_static_info info;
    check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
    double y = r.s->q[3];
    check_rel(truss_force(b, h, k, y), P, 1e-9);
    check_close(r.s->q[2], 0, 1e-12);
    assert_int_equal(info.stable, 1);
    assert_true(part < 1 ? y > sqrt(l * l - b * b) : y < -h);
    // reactions carry the load
    check_rel(r.w->r[1] + r.w->r[5], P, 1e-9);
    rig_close(&r);
  }
}

static void truss_limit(void **state) {
  (void)state;
  double b = 1, h = 0.3, k = 1e5, L = sqrt(b * b + h * h), l = cbrt(L * b * b);
  double limit = truss_force(b, h, k, sqrt(l * l - b * b));
  const int steps[3] = {1, 4, 13};
  for (int i = 0; i < 3; i++) {
    truss t;
    truss_make(&t, b, h, k, 1.4 * limit);
    rig r;
    rig_open(&r, &t.desc, 1);
    pl_static_opts opt = static_defaults();
    opt.steps = steps[i];
    opt.critical = 1;
    pl_static_info info;
    check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
    assert_int_equal(info.ncritical, 1);
    check_rel(info.critical[0].scale, 1 / 1.4, 3e-8);
    assert_int_equal(info.critical[0].jump, 1);
    assert_int_equal(info.stable, 1);
    check_less(r.s->q[3], -h);
    rig_close(&r);
  }
}

// a chain of n links of length a with joint springs c, pinned below, guided above, pressed by P
enum { COLUMN_MAX = 20 };
typedef struct column {
  double X[2 * (COLUMN_MAX + 1)], link[2], joint[1];
  int end[2 * COLUMN_MAX], rotation[3 * COLUMN_MAX], foot[1], top[1];
  pl_group_desc group[2];
  pl_drive_desc drive[2];
  pl_load_desc load[1];
  pl_model_desc desc;
} column;

static void column_make(column *t, int n, double a, double k, double c, double P) {
  *t = (column){.link = {k, 0}, .joint = {c}, .top = {n}};
  for (int i = 0; i <= n; i++) t->X[2 * i + 1] = a * i;
  for (int i = 0; i < n; i++) {
    t->end[2 * i] = i;
    t->end[2 * i + 1] = i + 1;
    for (int j = 0; j < 3; j++) t->rotation[3 * i + j] = i + j;
  }
  t->group[0] = (pl_group_desc){"links", kind_of("link"), n, t->end, 1, t->link, 0};
  t->group[1] = (pl_group_desc){"joints", kind_of("angle"), n - 1, t->rotation, 1, t->joint, 0};
  t->drive[0] = (pl_drive_desc){.nnode = 1, .node = t->foot, .mask = 3};
  t->drive[1] = (pl_drive_desc){.nnode = 1, .node = t->top, .mask = 1};
  t->load[0] = (pl_load_desc){"press", 1, t->top, {0, {0, -P, 0}, 0}};
  t->desc = (pl_model_desc){.dim = 2,
                            .nnode = n + 1,
                            .X = t->X,
                            .ngroup = 2,
                            .ndrive = 2,
                            .nload = 1,
                            .group = t->group,
                            .drive = t->drive,
                            .load = t->load};
}

// straight links of length l = a - P/k: P l = 4 c sin^2(j pi / 2n), j the number of half waves
static double column_load(int n, double a, double k, double c, int j) {
  double s = sin(j * PL_PI / (2 * n)), b = 4 * c * s * s;
  return k * a / 2 * (1 - sqrt(1 - 4 * b / (k * a * a)));
}

static void column_buckles(void **state) {
  (void)state;
  int n = 12;
  double a = 0.1, k = 1e6, c = 3, first = column_load(n, a, k, c, 1);
  double P = 1.1 * column_load(n, a, k, c, 2);
  column t;
  column_make(&t, n, a, k, c, P);
  for (int steps = 1; steps <= 9; steps += 4) {
    rig r;
    rig_open(&r, &t.desc, 1);
    pl_static_opts opt = static_defaults();
    opt.critical = 1;
    opt.steps = steps;
    pl_static_info info;
    check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
    assert_int_equal(info.ncritical, 2);
    for (int j = 1; j <= 2; j++) {
      check_rel(info.critical[j - 1].scale * P, column_load(n, a, k, c, j), 2e-8);
      assert_int_equal(info.critical[j - 1].nneg, j);
      assert_int_equal(info.critical[j - 1].jump, 0);
    }
    assert_int_equal(info.stable, 0);
    assert_int_equal(info.nneg, 2);
    check_rel(r.s->q[2 * n + 1], n * (a - P / k), 1e-10);
    rig_close(&r);
  }
  // the discrete value tends to Euler's pi^2 B / length^2, B = c a
  check_rel(column_load(n, a, 1e12, c, 1), PL_PI * PL_PI * c * a / (n * a * n * a), 1e-2);
  check_less(first, P);
}

// two rigid links and one joint: P = 2 c theta / (a sin theta) on the buckled branch
static void column_falls(void **state) {
  (void)state;
  double a = 0.5, c = 2, theta = 0.9, P = 2 * c * theta / (a * sin(theta));
  column t;
  column_make(&t, 2, a, 1e10, c, P);
  for (int perturb = 0; perturb < 2; perturb++) {
    rig r;
    rig_open(&r, &t.desc, 1);
    pl_static_opts opt = static_defaults();
    opt.perturb = perturb;
    pl_static_info info;
    check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
    assert_int_equal(info.stable, perturb);
    if (perturb) {
      check_close(fabs(r.s->q[2]), a * sin(theta), 1e-6);
      check_close(r.s->q[5], 2 * a * cos(theta), 1e-6);
    } else
      check_close(r.s->q[2], 0, 1e-12);
    rig_close(&r);
  }
}

// a rigid pendulum has no stiffness at all at the start; gravity carries it to its lowest place
static void gravity_holds(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    const double angle[4] = {0, 0.5, 2, 3.1}, k = i % 2 ? 1e6 : 1e9, L = 2;
    pendulum p;
    pendulum_make(&p, L, angle[i], k);
    for (int j = 0; j < 4; j++) p.X[j] += 1;
    rig r;
    rig_open(&r, &p.desc, 1);
    pl_static_opts opt = static_defaults();
    pl_static_info info;
    check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
    check_close(r.s->q[2], 1, 1e-7);
    check_close(r.s->q[3], 1 - L - 9.81 / k, 1e-12);
    assert_int_equal(info.stable, 1);
    rig_close(&r);
  }
}

// a mechanism leaves its start at any load: no critical load, and it ends where it hangs
static void mechanism_has_no_limit(void **state) {
  (void)state;
  pendulum p;
  pendulum_make(&p, 2, 1, 1e5);
  rig r;
  rig_open(&r, &p.desc, 1);
  pl_static_opts opt = static_defaults();
  opt.critical = 1;
  opt.steps = 3;
  pl_static_info info;
  check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
  assert_int_equal(info.ncritical, 0);
  check_close(r.s->q[2], 0, 1e-7);
  assert_int_equal(info.stable, 1);
  rig_close(&r);
}

// nothing is free: drives are met, reactions told
static void all_driven(void **state) {
  (void)state;
  pendulum p;
  pendulum_make(&p, 2, 0, 100);
  pl_term lift[1] = {{0, {0, -0.5, 0}, 0}};
  int bob[1] = {1};
  pl_drive_desc drive[2] = {p.drive[0], {.nnode = 1, .node = bob, .mask = 3}};
  drive[1].nterm = 1;
  drive[1].term = lift;
  p.desc.drive = drive;
  p.desc.ndrive = 2;
  rig r;
  rig_open(&r, &p.desc, 1);
  for (int critical = 0; critical < 2; critical++) {
    pl_static_opts opt = static_defaults();
    opt.critical = critical;
    pl_static_info info;
    check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
    check_close(r.s->q[3], -2.5, 1e-15);
    check_rel(r.w->r[1], 50, 1e-12);
    assert_int_equal(info.stable, 1);
  }
  pl_transient_opts opt = transient_defaults();
  opt.step = 0.1;
  opt.duration = 1;
  check_ok(&r.env, pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, NULL, NULL, NULL));
  check_close(r.s->q[3], -2.5, 1e-15);
  pl_modes_opts modes = {.count = 1};
  double omega, shape[4];
  check_status(&r.env, pl_modes(&modes, r.m, r.p, r.s, r.w, &omega, shape, NULL), PL_E_INPUT);
  rig_close(&r);
}

// a heavy chain: the horizontal force is the same in all links, so tan(theta) grows evenly
static void catenary(void **state) {
  (void)state;
  enum { N = 12 };
  double X[2 * (N + 1)], par[2] = {1e7, 0}, mass[1] = {0.2};
  int end[2 * N], node[N + 1], fix[2] = {0, N};
  // it starts as an arch above its supports
  for (int i = 0; i <= N; i++) {
    double phi = PL_PI * i / N;
    node[i] = i;
    X[2 * i] = -cos(phi) + 0.05 * sin(2 * phi);
    X[2 * i + 1] = sin(phi);
    if (i < N) end[2 * i] = i;
    if (i < N) end[2 * i + 1] = i + 1;
  }
  pl_group_desc group[2] = {{"chain", kind_of("link"), N, end, 1, par, 0},
                            {"beads", kind_of("point"), N + 1, node, 1, mass, 0}};
  pl_drive_desc drive[1] = {{.nnode = 2, .node = fix, .mask = 3}};
  pl_model_desc d = {.dim = 2,
                     .nnode = N + 1,
                     .X = X,
                     .ngroup = 2,
                     .ndrive = 1,
                     .group = group,
                     .drive = drive,
                     .gravity = {0, -9.81, 0}};
  rig r;
  rig_open(&r, &d, 1);
  pl_static_opts opt = static_defaults();
  pl_static_info info;
  check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
  const double *q = r.s->q;
  double H = -r.w->r[0];
  for (int i = 1; i < N; i++) {
    double before = (q[2 * i + 1] - q[2 * i - 1]) / (q[2 * i] - q[2 * i - 2]);
    double after = (q[2 * i + 3] - q[2 * i + 1]) / (q[2 * i + 2] - q[2 * i]);
    check_rel(after - before, 0.2 * 9.81 / H, 1e-6);
    check_less(q[2 * i + 1], 0);
  }
  assert_int_equal(info.stable, 1);
  rig_close(&r);
}

// nothing to do: at rest, also where rounding of stiff links leaves forces
static void zero_load(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    truss t;
    truss_make(&t, 1.0 / 3, 0.7, i == 2 ? 1e12 : 1e3, 0);
    for (int j = 0; i > 0 && j < 3; j++) t.X[2 * j] += 1000.1;
    rig r;
    rig_open(&r, &t.desc, 1);
    // a place off by rounding
    if (i == 2) r.s->q[2] = nextafter(r.s->q[2], 2000);
    pl_static_opts opt = static_defaults();
    pl_static_info info;
    check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
    check_array(6, r.s->q, t.X, 1e-12);
    assert_int_equal(info.stable, 1);
    check_less((double)info.iterations, 4);
    rig_close(&r);
  }
}

// nearly rigid links under a load that their rounding drowns: the soft spring still obeys
static void stiff_and_soft(void **state) {
  (void)state;
  double X[6] = {0, 0, 1, 0.1, 2, 0.3}, par[4] = {1e9, 0, 1e9, 0}, soft[1] = {1e-3};
  int end[4] = {0, 1, 1, 2}, rotation[3] = {0, 1, 2}, fix[2] = {0, 1}, tip[1] = {2};
  pl_group_desc group[2] = {{"links", kind_of("link"), 2, end, 0, par, 0},
                            {"joint", kind_of("angle"), 1, rotation, 1, soft, 0}};
  pl_drive_desc drive[1] = {{.nnode = 2, .node = fix, .mask = 3}};
  // turn by phi: the moment arm of a force across the link is its length
  double phi = 1e-3, l = sqrt(1 + 0.04), F = soft[0] * phi / l, along = atan2(0.2, 1) + phi;
  pl_load_desc load[1] = {{"tip", 1, tip, {0, {-F * sin(along), F * cos(along), 0}, 0}}};
  pl_model_desc d = {.dim = 2,
                     .nnode = 3,
                     .X = X,
                     .ngroup = 2,
                     .ndrive = 1,
                     .nload = 1,
                     .group = group,
                     .drive = drive,
                     .load = load};
  rig r;
  rig_open(&r, &d, 1);
  pl_static_opts opt = static_defaults();
  pl_static_info info;
  check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
  check_rel(atan2(r.s->q[5] - 0.1, r.s->q[4] - 1) - atan2(0.2, 1), phi, 1e-6);
  rig_close(&r);
}

// without equilibrium or out of iterations: not solved, the last good state stays
static void gives_up(void **state) {
  (void)state;
  // a softening spring holds at most 2/3 sqrt(k/3k3) k; beyond there is nothing
  oscillator o;
  oscillator_make(&o, 1, 1, -1, 0);
  double top = 2.0 / 3 * sqrt(1.0 / 3);
  o.load[0].term.amplitude[0] = 2 * top;
  rig r;
  rig_open(&r, &o.desc, 1);
  pl_static_opts opt = static_defaults();
  opt.steps = 10;
  opt.max_iter = 30;
  pl_static_info info;
  check_status(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info), PL_UNSOLVED);
  assert_true(info.reason != PL_STOP_CONVERGED);
  check_rel(info.scale, 0.5, 1e-3);
  check_rel(r.s->q[0] * (1 - r.s->q[0] * r.s->q[0]), info.scale * 2 * top, 1e-9);
  rig_close(&r);
}

static int stop_at_two(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  (void)s, (void)c, (void)w;
  return ++*(int *)ctx == 2;
}

static int cancel(void *ctx, const pl_progress *p) {
  (void)p;
  return ++*(int *)ctx > 0;
}

static void stops(void **state) {
  (void)state;
  oscillator o;
  oscillator_make(&o, 1, 1, 0, 0);
  o.load[0].term.amplitude[0] = 1;
  rig r;
  rig_open(&r, &o.desc, 1);
  pl_static_opts opt = static_defaults();
  opt.steps = 4;
  pl_static_info info;
  int count = 0;
  check_status(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, stop_at_two, &count, &info),
               PL_CANCELLED);
  check_rel(r.s->q[0], 0.5, 1e-14);
  assert_int_equal(info.reason, PL_STOP_CANCELLED);
  r.env.progress = cancel;
  r.env.progress_ctx = &count;
  check_status(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info), PL_CANCELLED);
  check_rel(r.s->q[0], 0.5, 1e-14);
  r.env.progress = NULL;
  opt.steps = 0;
  check_status(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info), PL_E_INPUT);
  opt.steps = 1;
  opt.critical = 2;
  check_status(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info), PL_E_INPUT);
  rig_close(&r);
}

static pl_status solve_truss(pl_env *env, void *ctx) {
  rig r = {.env = {0}};
  pl_static_opts opt = static_defaults();
  opt.critical = 1;
  r.env = *env;
  pl_status s = rig_try(&r, ctx, 1);
  if (s == PL_OK) s = pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, NULL);
  rig_close(&r);
  *env = r.env;
  return s;
}

static void out_of_memory(void **state) {
  (void)state;
  truss t;
  truss_make(&t, 1, 0.3, 1e5, 10);
  check_allocations(solve_truss, &t.desc);
}

int test_static(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_spring),
      cmocka_unit_test(cubic_spring),
      cmocka_unit_test(truss_path),
      cmocka_unit_test(truss_limit),
      cmocka_unit_test(column_buckles),
      cmocka_unit_test(column_falls),
      cmocka_unit_test(gravity_holds),
      cmocka_unit_test(catenary),
      cmocka_unit_test(mechanism_has_no_limit),
      cmocka_unit_test(all_driven),
      cmocka_unit_test(zero_load),
      cmocka_unit_test(stiff_and_soft),
      cmocka_unit_test(gives_up),
      cmocka_unit_test(stops),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests_name("solve.static", tests, NULL, NULL);
}
