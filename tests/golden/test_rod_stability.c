// Stability and large changes of shape of rods.
// Column clamped at its foot: P = pi^2 EI/(4 L^2) (Euler). Twisted ring without natural curvature:
// it leaves its plane at a twist of 2 pi sqrt(3) EI/GJ (Michell 1890; Goriely, J. Elasticity 84,
// 2006). Rod with natural curvature k and twist t: a helix of radius k/(k^2 + t^2) and rise
// 2 pi t/(k^2 + t^2) a turn.
#include "golden.h"
#include "rod_models.h"

#include <string.h>

static pl_env env;

static const double WIRE[7] = {2e9, 0.3, 1200, 2e-3, 2e-3, 0, 0};
static const double LENGTH = 0.8;

static double wire_bend(void) {
  return WIRE[0] * PL_PI / 64 * pow(WIRE[3], 4);
}

// load of the first loss of stability over Euler's, for n edges
static double column(int n) {
  rod_kit k;
  kit_model b;
  double euler = PL_PI * PL_PI * wire_bend() / (4 * LENGTH * LENGTH);
  rods_init(&k, &env, WIRE);
  rods_line(&k, n, (double[]){0, 0, 0}, (double[]){0, 0, LENGTH});
  rods_clamp(&k, 0);
  rods_push(&k, n, 0, 0, -1.3 * euler);
  rods_build(&k, 1, &b);
  pl_static_opts o = golden_static_opts(1e-10);
  pl_static_info info;
  o.critical = 1;
  o.steps = 4;
  check_ok(&env, pl_static(&o, b.m, b.p, b.s, b.w, NULL, NULL, &info));
  // round sections buckle both ways at once
  assert_int_equal(info.ncritical, 1);
  assert_int_equal(info.critical[0].nneg, 2);
  assert_int_equal(info.critical[0].jump, 0);
  kit_model_free(&b);
  rods_free(&k);
  return 1.3 * info.critical[0].scale;
}

static void euler_column(void **state) {
  (void)state;
  double h[4], err[4];
  for (int i = 0; i < 4; i++) {
    h[i] = 1.0 / (8 << i);
    // the column is shorter by P/EA = 4e-6 under its load
    err[i] = fabs(column(8 << i) - 1);
  }
  check_less(err[3], 1e-3);
  check_less(1.9, order_slope(4, h, err));
}

// negative eigenvalues of a free ring of n edges, natural twist -phi over its length; a small
// spring on every unknown takes the rigid motions out of the count
static int ring_unstable(int n, double phi) {
  rod_kit k;
  kit_model b;
  int *node = pl_alloc(&env, (size_t)n, sizeof *node);
  double R = LENGTH / (2 * PL_PI), edge = LENGTH / n, chord = edge / (2 * sin(PL_PI / n));
  rods_init(&k, &env, WIRE);
  for (int i = 0; i < n; i++) {
    double a = 2 * PL_PI * i / n;
    node[i] = rods_node(&k, chord * cos(a), chord * sin(a), 0);
  }
  rods_ring(&k, n, node, NULL);
  k.natural[2] = phi / LENGTH;
  k.natural[3] = 1;
  rods_build(&k, 1, &b);
  pl_clock c = {.scale = 1};
  check_ok(&env,
           pl_eval(b.m, b.p, b.s, &c, PL_WANT_FORCE | PL_WANT_TANGENT, &(pl_coef){.k = 1}, b.w));
  // the circle is in equilibrium
  check_less(pl_max_abs(b.s->nq, b.w->r), 1e-9 * wire_bend() / (R * R));
  pl_csc *K = &b.w->A;
  for (int i = 0; i < K->n; i++)
    K->val[K->ptr[i]] += 1e-7 * wire_bend() / (i < 3 * n ? R * R * R : R);
  pl_factor *f;
  check_ok(&env, pl_factor_create(&env, PL_LDL, K, 1, 1, &f));
  check_ok(&env, pl_factor_numeric(f, K));
  int nneg = pl_factor_stats(f).nneg;
  pl_factor_free(f);
  kit_model_free(&b);
  rods_free(&k);
  pl_free(&env, node);
  return nneg;
}

static double ring_twist(int n) {
  double lo = 1, hi = 30;
  assert_int_equal(ring_unstable(n, lo), 0);
  check_less(0, ring_unstable(n, hi));
  while (hi - lo > 1e-5) {
    double mid = (lo + hi) / 2;
    if (ring_unstable(n, mid))
      hi = mid;
    else
      lo = mid;
  }
  return lo;
}

static void michell_ring(void **state) {
  (void)state;
  double h[4], err[4], want = 2 * PL_PI * sqrt(3) * (1 + WIRE[1]);
  for (int i = 0; i < 4; i++) {
    h[i] = 1.0 / (32 << i);
    err[i] = fabs(ring_twist(32 << i) / want - 1);
  }
  check_less(err[3], 1e-3);
  check_less(1.9, order_slope(4, h, err));
}

// radius and rise of the helix through nodes from..to, from the axis of their second differences
static void helix_of(const double *q, int from, int to, double rot, double *radius, double *rise) {
  double axis[3] = {0}, c[3], length = 0;
  // second differences of a helix point to its axis: their cross products lie along it
  for (int i = from + 1; i + 1 < to; i++) {
    double a[3], b[3];
    for (int j = 0; j < 3; j++) {
      a[j] = q[3 * (i - 1) + j] - 2 * q[3 * i + j] + q[3 * (i + 1) + j];
      b[j] = q[3 * i + j] - 2 * q[3 * (i + 1) + j] + q[3 * (i + 2) + j];
    }
    pl_cross3(a, b, c);
    for (int j = 0; j < 3; j++) axis[j] += c[j];
    length = pl_norm3(a);
  }
  double l = pl_norm3(axis), along = 0;
  for (int j = 0; j < 3; j++) along += axis[j] / l * (q[3 * to + j] - q[3 * from + j]);
  *rise = along / (to - from) * 2 * PL_PI / rot;
  // |second difference| = 2 R (1 - cos turn)
  *radius = length / (2 * (1 - cos(rot)));
}

static void natural_helix(void **state) {
  (void)state;
  static const double shapes[3][2] = {{12, 4}, {10, 20}, {20, -8}};
  for (int i = 0; i < 3; i++) {
    enum { N = 160 };
    rod_kit k;
    kit_model b;
    double curve = shapes[i][0], twist = shapes[i][1], both = curve * curve + twist * twist;
    rods_init(&k, &env, WIRE);
    rods_line(&k, N, (double[]){0, 0, 0}, (double[]){LENGTH, 0, 0});
    rods_clamp(&k, 0);
    k.natural[0] = curve;
    k.natural[2] = twist;
    rods_build(&k, 1, &b);
    pl_static_info info = golden_static(&b, 1e-9, 1);
    assert_int_equal(info.stable, 1);
    check_less(info.energy, 1e-15 * wire_bend() * LENGTH * both);
    double radius, rise, rot = sqrt(both) * LENGTH / N;
    helix_of(b.s->q, 4, N - 4, rot, &radius, &rise);
    // order 2 in the turn at a vertex, 0.1 or less
    check_rel(radius, curve / both, 3e-3);
    check_rel(rise, 2 * PL_PI * twist / both, 3e-3);
    kit_model_free(&b);
    rods_free(&k);
  }
}

// A naturally circular rod of four turns that hangs from a clamp and leaves its plane: how far over
// its length L, and Newton iterations until then.
static double hanging_curl(double L, int *iterations) {
  enum { N = 100 };
  rod_kit k;
  kit_model b;
  int node[N + 1];
  double rot = 8 * PL_PI, each = rot / N, R = L / N / (2 * sin(each / 2)), d = 1e-3 * L;
  const double section[7] = {1e9, 0.5, 1000, d, d, 0, 0};
  rods_init(&k, &env, section);
  for (int i = 0; i <= N; i++) node[i] = rods_node(&k, R * cos(i * each), 0, -R * sin(i * each));
  rods_chain(&k, N + 1, node, NULL);
  rods_clamp(&k, 0);
  k.gravity[2] = -pow(0.58 * rot, 3) * section[0] * d * d / 16 / (section[2] * L * L * L);
  rods_build(&k, 1, &b);
  pl_static_opts o = golden_static_opts(1e-10);
  pl_static_info info;
  o.perturb = 1;
  o.book = 0;
  check_ok(&env, pl_static(&o, b.m, b.p, b.s, b.w, NULL, NULL, &info));
  double most = 0;
  for (int i = 0; i <= N; i++) most = fmax(most, fabs(b.s->q[3 * i + 1]));
  *iterations = info.iterations;
  kit_model_free(&b);
  rods_free(&k);
  return most / L;
}

// rods of a meter and of two millimeters take the same way to the same shape
static void curl_of_any_size(void **state) {
  (void)state;
  int large, small;
  double depth = hanging_curl(1, &large);
  check_less(1e-3, depth);
  check_close(hanging_curl(2e-3, &small), depth, 1e-6);
  // steps and shifts differ little where forces are compared with torques
  check_less(small, 2 * large);
}

int test_rod_stability(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(euler_column),
      cmocka_unit_test(michell_ring),
      cmocka_unit_test(natural_helix),
      cmocka_unit_test(curl_of_any_size),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("rod_stability", tests, NULL, NULL);
}
