// Statics with contact: blocks that friction holds, a slider on a spring, curved obstacles.
#include "contact_bench.h"

static pl_env env;
static model_kit kit;

static pl_status solve(bench *t, int steps, int max_iter, int cuts, pl_static_info *info) {
  pl_static_opts o;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  o.steps = steps;
  o.max_iter = max_iter;
  o.cuts = cuts;
  pl_status s = pl_static_contact(&o, t->b.m, t->b.p, t->k, t->b.s, t->b.w, NULL, NULL, info);
  pl_contact_force(t->k, -1, t->force);
  bench_law(t);
  return s;
}

static void block_open(bench *t, const double side[3], double young, double poisson, double angle,
                       double mu, double lift) {
  const int n[3] = {2, 2, 3};
  const double par[3] = {young, poisson, 1000};
  kit_init(&kit, &env, 3);
  kit_box(&kit, "hex8", n, side, par);
  kit.d.gravity[0] = GRAVITY * sin(angle);
  kit.d.gravity[2] = -GRAVITY * cos(angle);
  pl_obstacle o = plane_of(0, 0, 1, mu);
  o.centre[2] = -lift;
  bench_open(t, &kit, 1, &o, 0, NULL, NULL);
}

// A column under its own weight, nu = 0: its top sinks by rho g L^2/(2E) (8.3), but for the strain
// rho g L/E = 1e-5 that linear theory leaves out, and stands on its nine nodes. Nothing but contact
// holds it, and it starts in the air. Places of 1 m round element forces to 1e-7 N a node.
static void column(void **state) {
  (void)state;
  const double side[3] = {0.1, 0.1, 1}, young = 9.81e8;
  for (int k = 0; k < 2; k++) {
    double lift = 1e-4 * k;
    bench t;
    pl_static_info info;
    block_open(&t, side, young, 0, 0, 0.5, lift);
    check_ok(&env, solve(&t, 1, 1000, 12, &info));
    int top = kit_node_at(&kit, 0, 0, 1);
    double sink = 1 - lift - t.b.s->q[3 * top + 2];
    check_rel(sink, 1000 * GRAVITY / (2 * young), 5e-5);
    check_close(t.force[2], 1000 * 0.01 * GRAVITY, 1e-5);
    check_close(t.force[0], 0, 1e-5);
    assert_int_equal(t.nstick, 9);
    assert_int_equal(info.stable, 1);
    bench_close(&t);
  }
}

// friction holds a block on an incline, tan 20 = 0.364, by exactly what gravity asks for
static void incline(void **state) {
  (void)state;
  const double side[3] = {0.1, 0.08, 0.05}, angle = 20 * PL_PI / 180;
  bench t;
  pl_static_info info;
  block_open(&t, side, 1e6, 0.3, angle, 0.5, 0);
  check_ok(&env, solve(&t, 2, 1000, 12, &info));
  double weight = 1000 * 0.1 * 0.08 * 0.05 * GRAVITY;
  check_rel(t.force[2], weight * cos(angle), 1e-9);
  check_rel(t.force[0], -weight * sin(angle), 1e-9);
  assert_int_equal(t.nopen, t.k->npair - 9);
  check_less(t.worst_gap, 1e-13);
  check_less(t.worst_cone, 1e-12);
  bench_close(&t);

  // with mu = 0.3 there is no equilibrium: told, not invented
  block_open(&t, side, 1e6, 0.3, angle, 0.3, 0);
  check_status(&env, solve(&t, 2, 50, 2, &info), PL_UNSOLVED);
  check_less(info.scale, 0.6);
  bench_close(&t);
}

// A slider pressed by N and drawn by a spring k whose end moves by d, all in proportion: it stays
// while k d < mu N, and otherwise ends mu N/k behind.
static void slider(void **state) {
  (void)state;
  const double N = 10, k = 100, mu = 0.4, draw[] = {0.03, 0.1};
  for (int i = 0; i < 2; i++) {
    bench t;
    kit_init(&kit, &env, 2);
    kit.d.nnode = 2;
    kit.X = kit_keep(&kit, 4, sizeof *kit.X);
    kit.X[0] = 1;
    kit.d.X = kit.X;
    static const int pair[2] = {0, 1}, end[1] = {0}, block[1] = {1};
    kit_group(&kit, "spring", "link", 1, pair, 1, (double[]){k, 0});
    kit_shift(&kit, 1, end, 3, (double[]){draw[i], 0});
    kit_push(&kit, 1, block, (double[]){0, -N});
    pl_obstacle o = plane_of(0, 1, 0, mu);
    bench_open(&t, &kit, 1, &o, 1, block, NULL);
    pl_static_info info;
    check_ok(&env, solve(&t, 5, 1000, 12, &info));
    double x = fmax(0, draw[i] - mu * N / k);
    check_close(t.b.s->q[2], x, 1e-12);
    check_close(t.b.s->q[3], 0, 1e-13);
    check_close(t.force[1], N, 1e-9);
    check_close(t.force[0], -k * (draw[i] - x), 1e-9);
    assert_int_equal(t.k->pair[0].status, i ? PL_SLIP : PL_STICK);
    // in the last of five steps
    if (i) check_close(fabs(t.k->pair[0].slide[1]), x / 5, 1e-12);
    bench_close(&t);
  }
}

// A spring from inside a sphere draws a node on to it: without friction the node ends where the
// spring passes through the middle of the sphere.
static void on_a_sphere(void **state) {
  (void)state;
  const double R = 1, a[3] = {0.1, 0.3, 0.5}, size = sqrt(0.35);
  bench t;
  kit_init(&kit, &env, 3);
  kit.d.nnode = 2;
  kit.X = kit_keep(&kit, 6, sizeof *kit.X);
  memcpy(kit.X, a, sizeof a);
  // at rest 0.1 long; drawn out to the sphere
  kit.X[3] = a[0] + 0.1;
  kit.X[4] = a[1];
  kit.X[5] = a[2];
  kit.d.X = kit.X;
  static const int pair[2] = {0, 1}, end[1] = {0}, node[1] = {1};
  kit_group(&kit, "spring", "link", 1, pair, 1, (double[]){100, 0});
  kit_shift(&kit, 1, end, 7, (double[]){0, 0, 0});
  pl_obstacle o = {.kind = &pl_obstacle_sphere, .radius = R};
  bench_open(&t, &kit, 1, &o, 1, node, NULL);
  double *q = t.b.s->q + 3;
  q[0] = 0.8;
  q[1] = -0.2;
  q[2] = 0.9;
  pl_static_info info;
  check_ok(&env, solve(&t, 1, 1000, 12, &info));
  for (int c = 0; c < 3; c++) check_close(q[c], R * a[c] / size, 1e-8);
  check_close(pl_norm3(q), R, 1e-12);
  check_rel(pl_norm3(t.force), 100 * (R - size - 0.1), 1e-8);
  bench_close(&t);
}

static void refused(void **state) {
  (void)state;
  const double side[3] = {0.1, 0.1, 0.1};
  bench t;
  block_open(&t, side, 1e6, 0.3, 0, 0.5, 0);
  pl_static_opts o;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  o.critical = 1;
  check_status(&env, pl_static_contact(&o, t.b.m, t.b.p, t.k, t.b.s, t.b.w, NULL, NULL, NULL),
               PL_E_INPUT);
  bench_close(&t);
}

// what the allocator fails in is the solve: the model is made by another one
static pl_status solve_in(pl_env *e, void *ctx) {
  bench *t = ctx;
  pl_static_opts o;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  pl_env *own = t->b.w->env;
  t->b.w->env = t->k->env = e;
  pl_contact_reset(t->k);
  for (int i = 0; i < t->b.s->nq; i++) t->b.s->q[i] = t->b.p->X[i];
  pl_status s = pl_static_contact(&o, t->b.m, t->b.p, t->k, t->b.s, t->b.w, NULL, NULL, NULL);
  t->b.w->env = t->k->env = own;
  return s;
}

static void allocations(void **state) {
  (void)state;
  const double side[3] = {0.1, 0.1, 0.1};
  bench t;
  block_open(&t, side, 1e6, 0.3, 0.1, 0.5, 0);
  check_allocations(solve_in, &t);
  bench_close(&t);
}

int test_contact_static(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(column),      cmocka_unit_test(incline), cmocka_unit_test(slider),
      cmocka_unit_test(on_a_sphere), cmocka_unit_test(refused), cmocka_unit_test(allocations),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("solve.contact_static", tests, NULL, NULL);
}
