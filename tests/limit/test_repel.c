// Rest among obstacles and layers that repel, beside closed forms.
#include "swing.h"

static const double g = 9.81, RADIUS = 2e-3, WEIGHT = 1e-4; // m/s^2, m, J/kg

static pl_status rest(swing *w, double weight, double rtol, pl_static_info *info) {
  pl_static_opts o;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  o.rtol = rtol;
  o.max_iter = 300;
  return pl_repel_static(&o, weight, w->b.m, w->b.p, &w->k, w->b.s, w->b.w, info);
}

static void add_obstacle(swing *w, const pl_obstacle *o) {
  double *radius = kit_keep(w->kit, (size_t)w->nvert, sizeof *radius);
  for (int i = 0; i < w->nvert; i++) radius[i] = RADIUS;
  pl_contact_desc d = {
      .nobstacle = 1, .obstacle = o, .nnode = w->nvert, .node = w->node, .radius = radius};
  check_ok(w->env, pl_contact_create(w->env, w->b.m, &d, &w->k.contact));
}

// where -(1 - u)^2 log u, u = gap / G, carries the weight of a node: g = -weight db/dgap
static double hover(double weight) {
  double G = 0.15 * RADIUS, lo = 0, hi = G;
  for (int k = 0; k < 200; k++) {
    double gap = (lo + hi) / 2, u = gap / G, v = 1 - u;
    double push = weight * (v * v / u - 2 * v * log(u)) / G;
    if (push > g)
      lo = gap;
    else
      hi = gap;
  }
  return lo;
}

// A free sheet falls on a thin board, not through it, and all of its weight is carried there.
static void on_a_board(void **state) {
  (void)state;
  pl_env env;
  swing w;
  pl_static_info info;
  const pl_obstacle board = {.kind = &pl_obstacle_box, .par = {2, 2, 1e-4}};
  pl_env_init(&env);
  for (int k = 0; k < 2; k++) {
    double weight = k ? WEIGHT / 10 : WEIGHT, force[3], total = 0;
    swing_begin(&w, &env, 4, 4, 0.1, 0.1);
    swing_build(&w, 0);
    add_obstacle(&w, &board);
    for (int v = 0; v < w.nvert; v++) w.b.s->q[3 * v + 2] += 0.3;
    check_ok(&env, rest(&w, weight, 1e-9, &info));
    check_less(info.residual, 1e-9);
    for (int v = 0; v < w.nvert; v++) {
      total += w.mass[v];
      check_rel(w.b.s->q[3 * v + 2] - RADIUS - 1e-4, hover(weight), 1e-6);
    }
    pl_contact_force(w.k.contact, -1, force);
    check_rel(force[2], total * g, 1e-6);
    swing_close(&w);
  }
}

// A strip in a groove of a mesh, narrower than its nodes are wide: they touch both sides, of which
// the nearest alone has no smooth distance. All of its weight is carried, and nothing goes
// sideways.
static void in_a_groove(void **state) {
  (void)state;
  pl_env env;
  swing w;
  pl_static_info info;
  pl_obstacle_surface *surface;
  const double section[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {0, 0}, {-1, 1}}; // x, z
  static const int cap[3][3] = {{0, 1, 3}, {1, 2, 3}, {4, 0, 3}};
  double x[10][3], total = 0, force[3];
  int tri[16][3], n = 0;
  for (int k = 0; k < 10; k++) {
    x[k][0] = section[k % 5][0];
    x[k][1] = k < 5 ? -1 : 1;
    x[k][2] = section[k % 5][1];
  }
  for (int k = 0; k < 3; k++, n += 2)
    for (int c = 0; c < 3; c++) {
      tri[n][c] = cap[k][c];
      tri[n + 1][c] = 5 + cap[k][2 - c];
    }
  for (int k = 0; k < 5; k++, n += 2) {
    int next = (k + 1) % 5;
    const int side[2][3] = {{next, k, 5 + k}, {next, 5 + k, 5 + next}};
    memcpy(tri[n], side, sizeof side);
  }
  pl_env_init(&env);
  check_ok(&env, pl_obstacle_surface_create(&env, 10, x[0], 16, tri[0], &surface));
  const pl_obstacle groove = {.kind = &pl_obstacle_mesh, .data = surface, .mu = 0};
  swing_begin(&w, &env, 1, 6, 1e-3, 0.1);
  swing_build(&w, 0);
  add_obstacle(&w, &groove);
  for (int v = 0; v < w.nvert; v++) {
    w.b.s->q[3 * v + 2] += 2 * RADIUS;
    total += w.mass[v];
  }
  for (double weight = 1e-2; weight > 1e-6; weight /= 10) {
    check_ok(&env, rest(&w, weight, 1e-6, &info));
    check_less(info.residual, 1e-6);
  }
  pl_contact_force(w.k.contact, -1, force);
  check_rel(force[2], total * g, 1e-6);
  check_close(force[0], 0, 1e-6 * total * g);
  // a ball touches both sides there; the strip, 1 mm wide, lies along one of them from it on
  for (int v = 0; v < w.nvert; v++) {
    check_less(sqrt(2) * RADIUS, w.b.s->q[3 * v + 2]);
    check_less(w.b.s->q[3 * v + 2], sqrt(2) * RADIUS + 1e-3 / sqrt(2) + 1e-5);
  }
  swing_close(&w);
  pl_obstacle_surface_free(surface);
}

// One sheet on another that is held: layers stay apart by their thickness and hardly more.
static void on_layers(void **state) {
  (void)state;
  pl_env env;
  swing w;
  pl_static_info info;
  enum { CELLS = 10, BELOW = (CELLS + 1) * (CELLS + 1) };
  int below[BELOW], above[BELOW];
  pl_env_init(&env);
  swing_stack(&w, &env, CELLS, 0.1, 0.02);
  for (int i = 0; i < BELOW; i++) below[i] = i, above[i] = BELOW + i;
  kit_drive(w.kit, BELOW, below)->mask = 7;
  // it would slide off
  kit_drive(w.kit, BELOW, above)->mask = 3;
  swing_build(&w, 0);
  pl_layers_desc d = swing_layers(&w, 0.01, 0);
  // neighbours within a sheet do not count up to half a turn about its thickness
  double *X = kit_keep(w.kit, 3 * (size_t)w.nvert, sizeof *X);
  for (int i = 0; i < 3 * w.nvert; i++) X[i] = 2 / PL_PI * d.X[i];
  d.X = X;
  check_ok(&env, pl_layers_create(&env, &d, &w.k.layers));
  for (double weight = 1e-2; weight > 1e-6; weight /= 10)
    check_ok(&env, rest(&w, weight, 1e-6, &info));
  const pl_layer_pair *pair;
  int n;
  double least = INFINITY;
  check_ok(&env, pl_layers_find_faces(w.k.layers, w.b.s->q, 1e-3, &n, &pair));
  for (int i = 0; i < n; i++) least = fmin(least, pair[i].distance / pair[i].keep);
  check_less(1, least);
  check_less(least, 1.001);
  // edges across edges, as long as the thickness, a little less
  check_less(0.95, pl_layers_least(w.k.layers, w.b.s->q));
  swing_close(&w);
}

// Nothing holds it: that is told, and does not take for ever. Nor does what begins inside.
static void not_at_rest(void **state) {
  (void)state;
  pl_env env;
  swing w;
  pl_static_info info;
  const pl_obstacle ball = {.kind = &pl_obstacle_sphere, .centre = {0, 0, 0}, .radius = 0.03};
  pl_env_init(&env);
  swing_begin(&w, &env, 2, 2, 0.05, 0.05);
  swing_build(&w, 0);
  assert_int_equal(rest(&w, WEIGHT, 1e-6, &info), PL_UNSOLVED);
  assert_int_equal(info.reason, PL_STOP_SINGULAR);
  add_obstacle(&w, &ball);
  for (int v = 0; v < w.nvert; v++) w.b.s->q[3 * v + 2] = 0;
  assert_int_equal(rest(&w, WEIGHT, 1e-6, &info), PL_UNSOLVED);
  assert_int_equal(info.reason, PL_STOP_DOMAIN);
  swing_close(&w);
}

int test_repel(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(on_a_board), cmocka_unit_test(on_layers),
                                     cmocka_unit_test(not_at_rest), cmocka_unit_test(in_a_groove)};
  return cmocka_run_group_tests_name("limit.repel", tests, NULL, NULL);
}
