#include "check.h"
#include "rod_model.h"

static const double ROT = 2 * PL_PI;

static void open_hang(pl_env *env, int n, double turns, int units, hang *h) {
  pl_env_init(env);
  check_ok(env, hang_open(env, &(hang_desc){n, 0.5, units, turns}, h));
}

// angle of the last edge to the vertical, turns counted, carried on by half an edge's turn
static double tip_angle(const hang *h) {
  const double *q = h->flat.b.state->q;
  double last = 0, before = 0;
  for (int i = 0; i < h->flat.n; i++) {
    const double *a = q + 3 * i, *b = a + 3;
    before = last;
    last += remainder(atan2(b[0] - a[0], a[2] - b[2]) - last, ROT);
  }
  return last + 0.5 * (last - before);
}

// The natural shape carries no load: no energy, no force, whatever the turns that it was built
// with.
static void natural_circle(void **state) {
  (void)state;
  static const pl_clock clock = {.scale = 1};
  for (double turns = 0.3; turns < 6; turns += 1.9) {
    pl_env env;
    hang h;
    open_hang(&env, 40, turns, 0, &h);
    const pl_built *b = &h.full.b;
    check_ok(&env, pl_eval(b->model, b->params, b->state, &clock, PL_WANT_ENERGY | PL_WANT_FORCE,
                           NULL, b->work));
    check_close(b->work->potential / (h.full.force * h.full.length), 0, 1e-20);
    // rounding of places times the stiffness along the edges
    check_close(pl_max_abs(3 * 41, b->work->r) / h.full.force, 0, 1e-5);
    hang_close(&h);
  }
}

// Followed to another number of turns without weight, the rod is the natural circle of those.
static void curls_up(void **state) {
  (void)state;
  pl_env env;
  hang h;
  open_hang(&env, 40, 0.5, 0, &h);
  check_ok(&env, hang_follow(&h, (hang_at){0, 3.2}));
  for (int i = 1; i <= 40; i++) {
    // edge i turns by i parts of 39.5
    const double *a = h.flat.b.state->q + 3 * (i - 1), *b = a + 3;
    double want = 3.2 * ROT * (i - 1) / 39.5;
    check_close((b[0] - a[0]) / h.flat.edge, sin(want), 1e-7);
    check_close((a[2] - b[2]) / h.flat.edge, cos(want), 1e-7);
  }
  hang_close(&h);
}

// Planar shapes against the master's, which are shot from the clamp with error control: their error
// falls with the square of the edges.
static void planar_shape(void **state) {
  (void)state;
  static const hang_at at[] = {{0.2, 2.5}, {0.4, 0.85}, {0.66, 1.5}};
  for (int k = 0; k < 3; k++) {
    double error[2], phi = ROT * at[k].turns, x = at[k].X * phi;
    for (int i = 0; i < 2; i++) {
      pl_env env;
      hang h;
      pl_bend_twist want;
      open_hang(&env, 40 << i, 0.5, 0, &h);
      check_ok(&env, pl_master_bend_twist_state(&env, 0.5, x * x * x, phi, &want));
      check_ok(&env, hang_follow(&h, (hang_at){at[k].X, 0.5}));
      check_ok(&env, hang_follow(&h, at[k]));
      error[i] = fabs(tip_angle(&h) - want.tip);
      hang_close(&h);
    }
    check_less(error[1], 0.01);
    check_less(error[1], error[0] / 3.5);
  }
}

// Negative eigenvalues of the stiffness are those of the second variation, at some distance from
// where their number changes.
static void inertia(void **state) {
  (void)state;
  static const hang_at at[] = {{0.2, 3}, {0.2, 3.6}, {0.3, 3}, {0.35, 3}, {0.55, 3}, {0.64, 3}};
  pl_env env;
  hang h;
  open_hang(&env, 80, 3, 0, &h);
  for (int k = 0; k < 6; k++) {
    double phi = ROT * at[k].turns, x = at[k].X * phi;
    pl_bend_twist want;
    int nneg;
    check_ok(&env, pl_master_bend_twist_state(&env, 0.5, x * x * x, phi, &want));
    check_ok(&env, hang_follow(&h, at[k]));
    check_ok(&env, hang_inertia(&h, &nneg));
    assert_int_equal(nneg, want.nneg);
  }
  hang_close(&h);
}

// The frontier against the master's, on all of its parts and for two materials. An edge turns by
// a = phi/n; bends take 2 tan(a/2), a part of a^2/12 too much, which is what errors are made of.
static void frontier(void **state) {
  (void)state;
  static const double X[] = {0.24, 0.36, 0.45, 0.5}, NU[] = {0.5, 0.1};
  pl_env env;
  pl_env_init(&env);
  for (int m = 0; m < 2; m++)
    for (int k = 0; k < 4; k++) {
      double got, want;
      hang_desc d = {.n = 60, .nu = NU[m]};
      check_ok(&env, pl_master_bend_twist(&env, NU[m], X[k], &want));
      check_ok(&env, hang_frontier(&env, &d, X[k], &got));
      double a = ROT * want / 60;
      check_rel(got, want, 1e-4 + 0.25 * a * a);
    }
}

static void sides(void **state) {
  (void)state;
  double error[2][2];
  pl_env env;
  pl_env_init(&env);
  for (int i = 0; i < 2; i++) {
    double left, right, want_left, want_right;
    hang_desc d = {.n = 40 << i, .nu = 0.5};
    check_ok(&env, pl_master_bend_twist_sides(&env, 0.5, 2.3, &want_left, &want_right));
    check_ok(&env, hang_sides(&env, &d, 2.3, &left, &right));
    error[i][0] = fabs(left / want_left - 1);
    error[i][1] = fabs(right / want_right - 1);
  }
  for (int k = 0; k < 2; k++) {
    check_less(error[1][k], 2e-3);
    check_less(error[1][k], error[0][k] / 3.5);
  }
  // too short to leave the plane
  double left, right;
  hang_desc d = {.n = 40, .nu = 0.5};
  check_ok(&env, hang_sides(&env, &d, 0.8, &left, &right));
  assert_true(isnan(left) && isnan(right));
}

// A rod pushed out of its plane comes back below the frontier and stays out beyond it; one that is
// out comes back once it is too heavy. The relaxed one has less energy than the planar one.
static void relaxed(void **state) {
  (void)state;
  static const struct {
    hang_at at;
    int deep;
  } want[] = {{{0.3, 1.5}, 0},  {{0.3, 1.62}, 0}, {{0.3, 1.68}, 1}, {{0.3, 1.9}, 1},
              {{0.45, 1.9}, 1}, {{0.6, 1.9}, 1},  {{0.63, 1.9}, 0}, {{0.66, 2.2}, 0}};
  pl_env env;
  hang h;
  open_hang(&env, 80, 0.5, 0, &h);
  for (int k = 0; k < 8; k++) {
    int deep;
    check_ok(&env, hang_relax(&h, want[k].at, &deep));
    assert_int_equal(deep, want[k].deep);
    if (k != 5) continue;
    static const pl_clock clock = {.scale = 1};
    const pl_built *b = &h.full.b;
    check_ok(&env, hang_follow(&h, want[k].at));
    check_ok(&env,
             pl_eval(b->model, b->params, h.flat.b.state, &clock, PL_WANT_ENERGY, NULL, b->work));
    double flat = b->work->potential;
    check_ok(&env, pl_eval(b->model, b->params, b->state, &clock, PL_WANT_ENERGY, NULL, b->work));
    check_less(b->work->potential / h.full.force, flat / h.full.force);
  }
  hang_close(&h);
}

// Lengths, moduli and densities drop out.
static void units(void **state) {
  (void)state;
  hang h[2];
  pl_env env[2];
  for (int i = 0; i < 2; i++) {
    open_hang(&env[i], 40, 1, i, &h[i]);
    check_ok(&env[i], hang_follow(&h[i], (hang_at){0.35, 1}));
  }
  for (int i = 0; i < 3 * 41; i++)
    check_close(h[1].flat.b.state->q[i] / h[1].flat.length,
                h[0].flat.b.state->q[i] / h[0].flat.length, 1e-8);
  for (int i = 0; i < 2; i++) hang_close(&h[i]);
}

static pl_status allocate(pl_env *env, void *ctx) {
  hang h;
  PL_TRY(hang_open(env, ctx, &h));
  hang_close(&h);
  return PL_OK;
}

static void no_memory(void **state) {
  (void)state;
  hang_desc d = {.n = 6, .nu = 0.5, .turns = 0.5};
  check_allocations(allocate, &d);
}

int test_bend_twist_rod(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(natural_circle), cmocka_unit_test(curls_up), cmocka_unit_test(planar_shape),
      cmocka_unit_test(inertia),        cmocka_unit_test(frontier), cmocka_unit_test(sides),
      cmocka_unit_test(relaxed),        cmocka_unit_test(units),    cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
