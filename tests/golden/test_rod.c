// Rods against beam theory: small and large deflections, frequencies, twist, large turns.
// Cantilever, tip load (Euler-Bernoulli): P L^3/(3 EI). Heavy cantilever: EI theta'' = w (L - s)
// cos(theta), theta(0) = 0, theta'(L) = 0, by shooting. Frequencies (Timoshenko, Young & Weaver,
// art. 5.11): (beta L)^2 sqrt(EI/(rho A L^4)), cos(beta L) cosh(beta L) = -1.
#include "golden.h"
#include "rod_models.h"

#include <string.h>

static pl_env env;

static const double LENGTH = 0.8;
static const double WIRE[7] = {2e9, 0.3, 1200, 2e-3, 2e-3, 0, 0};
static const double STRIP[7] = {2e9, 0.3, 1200, 4e-3, 1e-3, 0, 1};

static double wire_bend(void) {
  return WIRE[0] * PL_PI / 64 * pow(WIRE[3], 4);
}

static double wire_twist(void) {
  return WIRE[0] / (2 * (1 + WIRE[1])) * PL_PI / 32 * pow(WIRE[3], 4);
}

// a rod along x of n edges, clamped at its first node
static void cantilever(rod_kit *k, const double *section, int n) {
  rods_init(k, &env, section);
  rods_line(k, n, (double[]){0, 0, 0}, (double[]){LENGTH, 0, 0});
  rods_clamp(k, 0);
}

// ---- deflections -------------------------------------------------------------------------------

static double tip_of_small_load(int n) {
  rod_kit k;
  kit_model b;
  cantilever(&k, WIRE, n);
  double P = 1e-6 * 3 * wire_bend() / (LENGTH * LENGTH);
  rods_push(&k, n, 0, 0.6 * P, -0.8 * P);
  rods_build(&k, 1, &b);
  golden_static(&b, 1e-9, 1);
  const double *q = b.s->q + 3 * n;
  double tip = 0.6 * q[1] - 0.8 * q[2];
  kit_model_free(&b);
  rods_free(&k);
  return tip / LENGTH;
}

// 1e-6 of the length is small: what is not linear is of order 1e-12
static void small_load(void **state) {
  (void)state;
  double h[4], err[4];
  for (int i = 0; i < 4; i++) {
    h[i] = 1.0 / (8 << i);
    err[i] = fabs(tip_of_small_load(8 << i) / 1e-6 - 1);
  }
  check_less(err[3], 2e-4);
  check_less(1.9, order_slope(4, h, err));
}

// tip of the heavy cantilever over its length, load = w L^3/EI, by 400 steps of Runge and Kutta
static double shoot(double slope, double load, double *tip) {
  enum { N = 400 };
  double y[4] = {0, slope, 0, 0}, h = 1.0 / N; // theta, theta', x, z
  for (int i = 0; i < N; i++) {
    double k[4][4], x[4];
    for (int s = 0; s < 4; s++) {
      double c = s == 0 ? 0 : s == 3 ? 1 : 0.5;
      for (int j = 0; j < 4; j++) x[j] = y[j] + (s ? c * h * k[s - 1][j] : 0);
      k[s][0] = x[1];
      k[s][1] = load * (1 - (i + c) * h) * cos(x[0]);
      k[s][2] = cos(x[0]);
      k[s][3] = sin(x[0]);
    }
    for (int j = 0; j < 4; j++) y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
  }
  tip[0] = y[2];
  tip[1] = y[3];
  return y[1];
}

static double shoot_misses(double slope, const void *ctx) {
  double tip[2];
  return shoot(slope, *(const double *)ctx, tip);
}

// theta'(0), followed from a small load: there are other roots, elasticas that loop
static double heavy_slope(double load) {
  double slope = -0.1 / 2;
  for (double w = 0.1; w < load; w = fmin(1.4 * w, load))
    slope = golden_root(shoot_misses, &(double){fmin(1.4 * w, load)}, 1.5 * slope, 0.9 * slope);
  return slope;
}

static void own_weight(void **state) {
  (void)state;
  static const double loads[3] = {1, 10, 100};
  for (int i = 0; i < 3; i++) {
    enum { N = 64 };
    rod_kit k;
    kit_model b;
    double want[2], load = loads[i];
    shoot(heavy_slope(load), load, want);
    cantilever(&k, WIRE, N);
    double line = WIRE[2] * PL_PI / 4 * WIRE[3] * WIRE[3];
    k.gravity[2] = load * wire_bend() / (line * pow(LENGTH, 3));
    rods_build(&k, 1, &b);
    pl_static_info info = golden_static(&b, 1e-9, 1);
    assert_int_equal(info.stable, 1);
    // order 2: half the turn at a vertex squared, largest curvature times L/64 over two
    check_close(b.s->q[3 * N] / LENGTH, want[0], 1e-3);
    check_close(-b.s->q[3 * N + 2] / LENGTH, want[1], 1e-3);
    kit_model_free(&b);
    rods_free(&k);
  }
}
// ---- natural shapes ----------------------------------------------------------------------------

// largest force over E I/R^2 in a state
static double unrest(const kit_model *b, double size) {
  pl_clock c = {.scale = 1};
  check_ok(&env, pl_eval(b->m, b->p, b->s, &c, PL_WANT_ENERGY | PL_WANT_FORCE, NULL, b->w));
  return pl_max_abs(b->s->nq, b->w->r) / size;
}

static void circle_nodes(rod_kit *k, int n, double R, int *node) {
  for (int i = 0; i < n; i++) {
    double a = 2 * PL_PI * i / n;
    // tilted, so that directors change their rule on the way round
    node[i] = rods_node(k, R * cos(a), 0.1 * R * sin(a), sqrt(0.99) * R * sin(a));
  }
}

// a ring that is its own natural shape is at rest, round or flat
static void ring_at_rest(void **state) {
  (void)state;
  const double *sections[2] = {WIRE, STRIP};
  for (int i = 0; i < 2; i++) {
    rod_kit k;
    kit_model b;
    int node[40];
    rods_init(&k, &env, sections[i]);
    circle_nodes(&k, 40, 0.1, node);
    rods_ring(&k, 40, node, (double[]){0, 1, -0.1});
    rods_build(&k, 1, &b);
    check_less(unrest(&b, wire_bend() / 0.01), 1e-9);
    check_less(b.w->elastic, 1e-18 * wire_bend() / 0.1);
    kit_model_free(&b);
    rods_free(&k);
  }
}

// a straight rod with the natural curvature 2 pi/L closes to a circle, whichever way it bends
static void curls(void **state) {
  (void)state;
  for (int way = 0; way < 2; way++) {
    enum { N = 50 };
    rod_kit k;
    kit_model b;
    cantilever(&k, STRIP, N);
    k.natural[way] = 2 * PL_PI / LENGTH;
    rods_build(&k, 1, &b);
    pl_static_info info = golden_static(&b, 1e-9, 1);
    assert_int_equal(info.stable, 1);
    // without strain: 2 tan(turn/2) is the curvature times its length, half of that at the clamp
    double h = LENGTH / N, rot = 2 * atan(PL_PI / N), at = 2 * atan(PL_PI / (2 * N)), tip[2] = {0};
    for (int i = 0; i < N; i++, at += rot) {
      tip[0] += h * cos(at);
      tip[1] += h * sin(at);
    }
    check_close(b.s->q[3 * N], tip[0], 1e-9);
    check_close(b.s->q[3 * N + 1 + way], tip[1], 1e-9);
    check_close(b.s->q[3 * N + 2 - way], 0, 1e-9);
    check_less(hypot(tip[0], tip[1]), 2e-3 * LENGTH);
    kit_model_free(&b);
    rods_free(&k);
  }
}

// ---- frequencies -------------------------------------------------------------------------------

static double clamped_free(double x, const void *ctx) {
  (void)ctx;
  return cos(x) + 1 / cosh(x);
}

// bending towards both directors, and twist: omega = pi/(2 L) sqrt(G J/(rho (I1 + I2)))
static void frequencies(void **state) {
  (void)state;
  enum { N = 48, MODES = 40 };
  rod_kit k;
  kit_model b;
  cantilever(&k, STRIP, N);
  rods_build(&k, 1, &b);
  static double omega[MODES], shape[MODES * (4 * N + 6)];
  pl_modes_opts o = {.count = MODES};
  pl_modes_info info;
  check_ok(&env, pl_modes(&o, b.m, b.p, b.s, b.w, omega, shape, &info));
  assert_int_equal(info.nfound, MODES);
  assert_int_equal(b.s->nq, 4 * N + 6);
  double w = STRIP[3], h = STRIP[4], rho = STRIP[2], size[3] = {w, h, 0};
  int found[3] = {0};
  for (int m = 0; m < MODES; m++) {
    const double *x = shape + (size_t)m * (size_t)b.s->nq;
    // of the tip: y, z, angle of the last edge in units of the strip's width
    double tip[3] = {x[3 * N + 1], x[3 * N + 2], x[3 * (N + 1) + N - 1] * w / 10}, want;
    int kind = fabs(tip[2]) > fabs(tip[0]) + fabs(tip[1]) ? 2 : fabs(tip[1]) > fabs(tip[0]);
    if (kind == 2) {
      double J = w * h * h * h * (1.0 / 3 - 0.21 * h / w * (1 - pow(h / w, 4) / 12));
      double G = STRIP[0] / (2 * (1 + STRIP[1])), area2 = w * h / 12 * (w * w + h * h);
      want = (2 * found[2] + 1) * PL_PI / (2 * LENGTH) * sqrt(G * J / (rho * area2));
    } else {
      double root =
          golden_root(clamped_free, NULL, PL_PI * (found[kind] + 0.1), PL_PI * (found[kind] + 0.9));
      want = root * root * size[kind] * sqrt(STRIP[0] / (12 * rho)) / (LENGTH * LENGTH);
    }
    found[kind]++;
    // order 2 in the wave length: (beta h)^2/24 or so
    if (found[kind] <= (kind == 2 ? 1 : 3)) check_rel(omega[m], want, 2e-3);
  }
  check_less(2, fmin(found[0], found[1]));
  check_less(0, found[2]);
  kit_model_free(&b);
  rods_free(&k);
}

// ---- twist -------------------------------------------------------------------------------------

static double largest_field(const kit_model *b, int group, int field, double *least) {
  double value[512], most = -INFINITY;
  int n = pl_model_group_size(b->m, group);
  assert_true(n <= 512);
  pl_eval_field(b->m, b->p, b->s, group, field, NULL, value);
  *least = INFINITY;
  for (int i = 0; i < n; i++) {
    most = fmax(most, value[i]);
    *least = fmin(*least, value[i]);
  }
  return most;
}

// a rod on its axis, its last edge turned by three turns; the angle is that of the edge's middle
static void three_turns_of_an_edge(void **state) {
  (void)state;
  static const int steps[2] = {1, 40};
  for (int i = 0; i < 2; i++) {
    enum { N = 30 };
    rod_kit k;
    kit_model b;
    int node[N - 2], end[2] = {N - 1, N}, last = N - 1;
    cantilever(&k, WIRE, N);
    for (int j = 0; j < N - 2; j++) node[j] = j + 1;
    rods_fix(&k, N - 2, node, 0, NULL);
    pl_drive_desc *d = rods_fix(&k, 2, end, 1, &last);
    const pl_term rot = {.amplitude = {6 * PL_PI}};
    d->kind = PL_DRIVE_ROTATION;
    d->axis[0] = 1;
    d->nterm = 1;
    d->term = &rot;
    d->edge = end;
    rods_build(&k, 1, &b);
    golden_static(&b, 1e-12, steps[i]);
    double torque = wire_twist() * 6 * PL_PI / (LENGTH * (1 - 0.5 / N)), low;
    check_rel(b.w->r[3 * (N + 1) + last], torque, 1e-10);
    check_rel(largest_field(&b, 1, 3, &low), torque, 1e-10);
    check_rel(low, torque, 1e-10);
    kit_model_free(&b);
    rods_free(&k);
  }
}

// the same by the junction at its end, whose rotation has no whole turns: the steps count them
static void three_turns_of_a_junction(void **state) {
  (void)state;
  enum { N = 20 };
  rod_kit k;
  kit_model b;
  int node[N - 1], end = N;
  cantilever(&k, WIRE, N);
  for (int j = 0; j < N - 1; j++) node[j] = j + 1;
  rods_fix(&k, N - 1, node, 0, NULL);
  int s = rods_junction(&k, end);
  pl_drive_desc *d = rods_fix(&k, 1, &end, 3, (int[]){s, s + 1, s + 2});
  const pl_term rot = {.amplitude = {6 * PL_PI}};
  const int edge[6] = {PL_SCALAR_VECTOR, 0, PL_SCALAR_VECTOR, 1, PL_SCALAR_VECTOR, 2};
  d->kind = PL_DRIVE_ROTATION;
  d->axis[0] = 1;
  d->nterm = 1;
  d->term = &rot;
  d->edge = edge;
  rods_build(&k, 1, &b);
  golden_static(&b, 1e-12, 12);
  double torque = wire_twist() * 6 * PL_PI / LENGTH, low;
  check_rel(largest_field(&b, 1, 3, &low), torque, 1e-10);
  check_rel(low, torque, 1e-10);
  kit_model_free(&b);
  rods_free(&k);
}

// ---- turns -------------------------------------------------------------------------------------

typedef struct turned {
  double energy, twist;
  int steps;
  const kit_model *b;
} turned;

static int observe_turn(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  (void)s, (void)c;
  turned *t = ctx;
  t->energy = fmax(t->energy, w->elastic);
  t->steps++;
  return 0;
}

// two turns about an axis askew: nothing is strained on the way, and all comes back
static void two_turns_of_a_rod(void **state) {
  (void)state;
  for (int by_junction = 0; by_junction < 2; by_junction++) {
    enum { N = 24 };
    rod_kit k;
    kit_model b;
    const int ends[2] = {0, 1}, whole[6] = {-2, 0, -2, 1, -2, 2};
    rods_init(&k, &env, STRIP);
    rods_line(&k, N, (double[]){0, 0, 0}, (double[]){LENGTH, 0, 0});
    int s = by_junction ? rods_junction(&k, 0) : 0;
    const int scal[3] = {s, s + 1, s + 2};
    pl_drive_desc *d = rods_fix(&k, by_junction ? 1 : 2, ends, by_junction ? 3 : 1, scal);
    const pl_term rot = {.amplitude = {4 * PL_PI}};
    d->kind = PL_DRIVE_ROTATION;
    memcpy(d->axis, (double[]){0.2, 0.8, 0.5}, sizeof d->axis);
    memcpy(d->centre, (double[]){0.1, 0.2, -0.3}, sizeof d->centre);
    d->nterm = 1;
    d->term = &rot;
    d->edge = by_junction ? whole : ends;
    rods_build(&k, 1, &b);
    pl_static_opts o = golden_static_opts(1e-9);
    pl_static_info info;
    turned t = {.b = &b};
    o.steps = 24;
    check_ok(&env, pl_static(&o, b.m, b.p, b.s, b.w, observe_turn, &t, &info));
    check_less(t.energy, 1e-14 * wire_bend() / LENGTH);
    check_array(3 * (N + 1), b.s->q, b.p->X, 1e-9);
    kit_model_free(&b);
    rods_free(&k);
  }
}

// ---- in time -----------------------------------------------------------------------------------

// Where a free strip is after three turns about an axis that is none of its section's; returns how
// far it is from its start, which it should be at.
static double tumble(int steps) {
  enum { N = 12, ALL = PL_WANT_ENERGY | PL_WANT_FORCE | PL_DYNAMIC };
  rod_kit k;
  kit_model b;
  rods_init(&k, &env, STRIP);
  rods_line(&k, N, (double[]){-0.05, 0, 0}, (double[]){0.05, 0, 0});
  rods_build(&k, 1, &b);
  const double w = 2 * PL_PI, spin[3] = {0, 0.6 * w, 0.8 * w};
  for (int i = 0; i <= N; i++) pl_cross3(spin, b.p->X + 3 * i, b.s->v + 3 * i);
  pl_transient_opts o = golden_transient_opts(1.0 / steps, 3);
  pl_transient_info info;
  pl_clock c = {.scale = 1};
  o.method = PL_BDF2;
  check_ok(&env, pl_eval(b.m, b.p, b.s, &c, ALL, NULL, b.w));
  double before = b.w->kinetic + b.w->elastic, most = 0, low;
  check_ok(&env, pl_transient(&o, b.m, b.p, b.s, NULL, b.w, NULL, NULL, &info));
  assert_int_equal(b.s->anchoring, PL_ANCHORS_CHANGED);
  check_ok(&env, pl_eval(b.m, b.p, b.s, &c, ALL, NULL, b.w));
  check_rel(b.w->kinetic + b.w->elastic, before, 5e-3);
  // straight and without twist
  check_less(largest_field(&b, 1, 0, &low), 1e-6);
  check_less(largest_field(&b, 1, 1, &low), 1e-6);
  check_less(-1e-6, low);
  for (int i = 0; i < 3 * (N + 1); i++) most = fmax(most, fabs(b.s->q[i] - b.p->X[i]));
  kit_model_free(&b);
  rods_free(&k);
  return most;
}

// BDF2 is of second order, turns or not
static void tumbles(void **state) {
  (void)state;
  double coarse = tumble(150), fine = tumble(300);
  check_less(fine, 1e-3);
  check_close(log2(coarse / fine), 2, 0.3);
}

// what a checkpoint keeps, q, v, a, anchors and the stepper's history, is all there is: the same
// bits
static void goes_on_with_the_same_bits(void **state) {
  (void)state;
  enum { N = 10 };
  rod_kit k;
  kit_model b;
  pl_state *half, *whole;
  cantilever(&k, STRIP, N);
  memcpy(k.gravity, (double[]){0, 3, -9.81}, sizeof k.gravity);
  rods_build(&k, 1, &b);
  check_ok(&env, pl_state_create(b.m, b.p, &half));
  check_ok(&env, pl_state_create(b.m, b.p, &whole));
  pl_transient_opts o = golden_transient_opts(5e-3, 1);
  pl_transient_info info;
  pl_history h = {0};
  check_ok(&env, pl_transient(&o, b.m, b.p, whole, NULL, b.w, NULL, NULL, &info));
  o.duration = 0.4;
  check_ok(&env, pl_transient(&o, b.m, b.p, half, &h, b.w, NULL, NULL, &info));
  size_t size = (3 * (size_t)half->nq + (size_t)half->nhist) * sizeof(double);
  memcpy(b.s->q, half->q, size);
  b.s->t = half->t;
  b.s->anchoring = half->anchoring;
  o.duration = 1;
  check_ok(&env, pl_transient(&o, b.m, b.p, b.s, &h, b.w, NULL, NULL, &info));
  assert_memory_equal(b.s->q, whole->q, size);
  pl_history_free(&env, &h);
  pl_state_free(b.m, half);
  pl_state_free(b.m, whole);
  kit_model_free(&b);
  rods_free(&k);
}

int test_rod(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_load),
      cmocka_unit_test(own_weight),
      cmocka_unit_test(ring_at_rest),
      cmocka_unit_test(curls),
      cmocka_unit_test(frequencies),
      cmocka_unit_test(three_turns_of_an_edge),
      cmocka_unit_test(three_turns_of_a_junction),
      cmocka_unit_test(two_turns_of_a_rod),
      cmocka_unit_test(tumbles),
      cmocka_unit_test(goes_on_with_the_same_bits),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("rod", tests, NULL, NULL);
}
