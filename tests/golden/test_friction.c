// Exact friction and impact against published and closed-form numbers.
#include "golden.h"

#include <string.h>

static pl_env env;
static model_kit kit;

// ---- stick-slip ---------------------------------------------------------------------------------

// A clamped strip pressed on a plane by eps of its length sticks until Q/P = mu (Sano et al. 2017,
// Romero et al. 2021, sec. 4.5). The elastica phi'' = -P sin phi + Q cos phi, phi(0) = 0,
// phi'(1) = 0, no displacement across, 1 - eps along, slips at these eps*, with P in EI/L^2.
static const double MU[] = {0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.35};
static const double EPS[] = {0.01238049, 0.04687418, 0.09690457, 0.15486735,
                             0.21446356, 0.27156343, 0.32399351};
static const double PRESS[] = {20.284941, 20.549061, 20.934749, 21.380521,
                               21.828087, 22.232084, 22.562811};

typedef struct strip {
  kit_model b;
  pl_contact *k;
  int tip;
  double depth;                  // eps at the full load
  double eps[2], ratio[2], P[2]; // the last two states that stick
  double slip;                   // eps of the first that slips, 0: none
  double after;                  // P there
} strip;

// n links with turning springs EI/h, clamped at the middle of the first: second order (8.10)
static void strip_open(strip *s, int n, double mu, double depth) {
  memset(s, 0, sizeof *s);
  s->tip = n;
  s->depth = depth;
  kit_init(&kit, &env, 2);
  double h = 1 / (n - 0.5);
  kit.d.nnode = n + 1;
  kit.X = kit_keep(&kit, 2 * (n + 1), sizeof *kit.X);
  kit.d.X = kit.X;
  int *link = kit_keep(&kit, 2 * n, sizeof *link), *rot = kit_keep(&kit, 3 * n, sizeof *rot);
  int *node = kit_keep(&kit, n + 1, sizeof *node);
  for (int i = 0; i <= n; i++) {
    node[i] = i;
    kit.X[2 * i + 1] = 1 + h / 2 - i * h;
    for (int j = 0; j < 2 && i < n; j++) link[2 * i + j] = i + j;
    for (int j = 0; j < 3 && i < n - 1; j++) rot[3 * i + j] = i + j;
  }
  // so stiff along that P shortens it by 2e-6
  kit_group(&kit, "links", "link", n, link, 1, (double[]){1e7 / h, h});
  kit_group(&kit, "bending", "angle", n - 1, rot, 1, (double[]){1 / h});
  kit.d.alpha = 30;
  kit_shift(&kit, 2, node, 3, (double[]){0, -depth});
  kit_build(&kit, 1, &s->b);
  pl_obstacle plane = {.kind = &pl_obstacle_plane, .par = {0, 1, 0}, .mu = mu};
  pl_contact_desc c = {.nobstacle = 1, .obstacle = &plane, .nnode = n + 1, .node = node};
  check_ok(&env, pl_contact_create(&env, s->b.m, &c, &s->k));
  // a little bent, or it would stay straight
  for (int i = 2; i < n; i++) {
    double x = (i - 0.5) * h;
    s->b.s->q[2 * i] = 0.04 * x * x * (1 - x);
  }
}

static void strip_close(strip *s) {
  pl_contact_free(s->k);
  kit_model_free(&s->b);
  kit_free(&kit);
}

static int strip_observe(void *ctx, const pl_state *x, const pl_clock *c, const pl_work *w) {
  (void)w;
  strip *s = ctx;
  const pl_contact_pair *a = &s->k->pair[s->tip];
  double eps = c->scale * s->depth;
  assert_true(a->force[0] > 0);
  if (a->status == PL_SLIP) {
    s->slip = eps;
    s->after = a->force[0];
    // sliding at the limit, to the tolerance of the law
    check_rel(fabs(a->force[1]), a->mu * a->force[0], 1e-11);
    return 1;
  }
  // it sticks where it was put, to rounding
  check_less(hypot(x->q[2 * s->tip], x->q[2 * s->tip + 1]), 1e-15);
  assert_true(fabs(a->force[1]) <= a->mu * a->force[0] * (1 + 1e-12));
  s->eps[0] = s->eps[1];
  s->ratio[0] = s->ratio[1];
  s->P[0] = s->P[1];
  s->eps[1] = eps;
  s->ratio[1] = fabs(a->force[1]) / a->force[0];
  s->P[1] = a->force[0];
  return 0;
}

// eps* and P there, from the two last states that stick
static void strip_threshold(int n, double mu, double depth, int steps, double *eps, double *P) {
  strip s;
  strip_open(&s, n, mu, depth);
  pl_static_opts o = golden_static_opts(1e-10);
  o.steps = steps;
  check_status(&env,
               pl_static_contact(&o, s.b.m, s.b.p, s.k, s.b.s, s.b.w, strip_observe, &s, NULL),
               PL_CANCELLED);
  double slope = (s.eps[1] - s.eps[0]) / (s.ratio[1] - s.ratio[0]);
  *eps = s.eps[1] + (mu - s.ratio[1]) * slope;
  *P = s.P[1] + (*eps - s.eps[1]) * (s.P[1] - s.P[0]) / (s.eps[1] - s.eps[0]);
  // the step in which it slips is the one that passes the threshold
  assert_true(*eps > s.eps[1] * (1 - 1e-6) && *eps < s.slip * (1 + 1e-3));
  // and then it snaps through to a sliding shape with a fifth of the force
  check_less(s.after, 0.3 * s.P[1]);
  strip_close(&s);
}

// 40 links are off by 0.17 % in Q/P, at eps* by twice that; the line through two steps by less
static void stick_slip(void **state) {
  (void)state;
  for (int i = 0; i < 7; i++) {
    double eps, P;
    strip_threshold(40, MU[i], 1.1 * EPS[i], 100, &eps, &P);
    check_rel(eps, EPS[i], 0.01);
    check_rel(P, PRESS[i], 0.003);
  }
}

// of second order in the length of a link: two meshes give the limit
static void stick_slip_order(void **state) {
  (void)state;
  double eps[3], P[3];
  for (int k = 0; k < 3; k++) strip_threshold(16 << k, MU[2], 1.1 * EPS[2], 400, &eps[k], &P[k]);
  for (int k = 0; k < 2; k++) {
    double order = log2((eps[k] - EPS[2]) / (eps[k + 1] - EPS[2]));
    check_close(order, 2, 0.15);
  }
  check_rel(eps[2] + (eps[2] - eps[1]) / 3, EPS[2], 2e-4);
  check_rel(P[2] + (P[2] - P[1]) / 3, PRESS[2], 2e-4);
}

// ---- the same in time ---------------------------------------------------------------------------

typedef struct press {
  strip *s;
  double rate, start, slip;
} press;

static int press_observe(void *ctx, const pl_state *x, const pl_clock *c, const pl_work *w) {
  (void)x, (void)w;
  press *p = ctx;
  if (p->s->k->pair[p->s->tip].status == PL_SLIP) p->slip = p->start + p->rate * c->t;
  return p->slip > 0;
}

// the plane rises at a rate (in L/T, T = L^2 sqrt(rho A/EI)) from a state of rest at 0.09; mass
// damping 30/T
static double slip_in_time(int n, double mu, double rate) {
  strip s;
  strip_open(&s, n, mu, 0.09);
  pl_static_opts o = golden_static_opts(1e-10);
  o.steps = 20;
  check_ok(&env, pl_static_contact(&o, s.b.m, s.b.p, s.k, s.b.s, s.b.w, NULL, NULL, NULL));
  s.k->obstacle[0].velocity[1] = rate;
  pl_transient_opts d = golden_transient_opts(0.05, 0.02 / rate);
  d.method = PL_IMPLICIT_EULER;
  press p = {&s, rate, 0.09, 0};
  check_status(
      &env,
      pl_transient_contact(&d, s.b.m, s.b.p, s.k, s.b.s, NULL, s.b.w, press_observe, &p, NULL),
      PL_CANCELLED);
  strip_close(&s);
  return p.slip;
}

// Below the static threshold of the same 16 links by 0.67 % and 0.17 %, in proportion to the rate
// (8.10); steps of 1e-4 and 2.5e-5 in eps are 0.1 and 0.03 %.
static void stick_slip_in_time(void **state) {
  (void)state;
  double eps, P;
  strip_threshold(16, MU[2], 1.1 * EPS[2], 400, &eps, &P);
  check_close(slip_in_time(16, MU[2], 2e-3) / eps - 1, -0.0067, 0.0015);
  check_close(slip_in_time(16, MU[2], 5e-4) / eps - 1, -0.0017, 0.0005);
}

// ---- a bar against a wall -----------------------------------------------------------------------

typedef struct impact {
  double release, rebound, pressure, gain; // c t/L, over V, over rho c V, over the energy
} impact;

typedef struct bar {
  kit_model b;
  pl_contact *k;
  double energy, gain, release, force, start;
} bar;

static int bar_observe(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  (void)s;
  bar *r = ctx;
  double f[3], energy = w->elastic + w->kinetic;
  pl_contact_force(r->k, -1, f);
  r->gain = fmax(r->gain, energy - r->energy);
  r->energy = energy;
  if (f[2] > 0) r->release = c->t;
  if (c->t < 1.5 * r->start) r->force += f[2];
  return 0;
}

// a column of n hexes, nu = 0, falls on a plane at V = 1e-5 c; D = b K with b c/L = damping
static impact bar_impact(int n, double hc, double damping, int law) {
  const int cells[3] = {1, 1, n};
  const double side[3] = {0.1, 0.1, 1}, par[3] = {1e6, 0, 1000}, c = sqrt(1e3), V = 1e-5 * c;
  bar r = {0};
  kit_init(&kit, &env, 3);
  kit_box(&kit, "hex8", cells, side, par);
  kit.d.beta = damping / c;
  kit_build(&kit, 1, &r.b);
  int node[4];
  for (int i = 0; i < 4; i++) node[i] = kit_node_at(&kit, 0.1 * (i & 1), 0.1 * (i >> 1), 0);
  pl_obstacle plane = {.kind = &pl_obstacle_plane, .par = {0, 0, 1}};
  pl_contact_desc d = {.nobstacle = 1, .obstacle = &plane, .nnode = 4, .node = node};
  check_ok(&env, pl_contact_create(&env, r.b.m, &d, &r.k));
  for (int i = 2; i < r.b.s->nq; i += 3) r.b.s->v[i] = -V;
  pl_transient_opts o = golden_transient_opts(hc / c, 2.2 / c);
  o.rtol = 1e-12;
  o.impact = law;
  double whole = 0.5 * 10 * V * V, mass, lin[3], ang[3];
  r.energy = whole;
  r.start = 1 / c;
  check_ok(&env,
           pl_transient_contact(&o, r.b.m, r.b.p, r.k, r.b.s, NULL, r.b.w, bar_observe, &r, NULL));
  pl_momentum(r.b.m, r.b.p, r.b.s, &mass, lin, ang);
  impact out = {.release = r.release * c,
                .rebound = lin[2] / (mass * V),
                .pressure = r.force * hc / 1.5 / (1000 * c * V * 0.01),
                .gain = r.gain / whole};
  pl_contact_free(r.k);
  kit_model_free(&r.b);
  kit_free(&kit);
  return out;
}

// Without damping contact lasts 2 L/c at a pressure of rho c V, and the bar leaves with all its
// speed; a mesh keeps some of it as vibration. Energy does not grow, but for what Newmark's method
// makes of a law that is not linear: some 1e-3 of the strain V/c, and in proportion to it.
static void bar_undamped(void **state) {
  (void)state;
  for (int law = 0; law <= PL_IMPACT_NONE; law++) {
    impact a = bar_impact(40, 0.01, 0, law);
    check_close(a.release, 2, 0.05);
    check_close(a.pressure, 1, 0.01);
    check_close(a.rebound, 1, 0.03);
    check_less(a.gain, 3e-8);
  }
}

// Stiffness damping b c/L: release and restitution by the modal series (8.4)
static void bar_damped(void **state) {
  (void)state;
  static const double damping[] = {0.1, 0.5, 1}, release[] = {1.91247101, 1.61355619, 1.36921167},
                      rebound[] = {0.65079364, 0.29984815, 0.15031410};
  for (int i = 0; i < 6; i++) {
    impact a = bar_impact(20, 0.01, damping[i % 3], i / 3 ? PL_IMPACT_NONE : PL_IMPACT_BBI);
    check_close(a.release, release[i % 3], 0.02);
    check_close(a.rebound, rebound[i % 3], 2e-3);
    check_less(a.gain, 3e-8);
  }
}

// The whole table of 8.4 within 1 %, once steps resolve the impact: from ringing with hardly any
// loss (what meshes disperse counts at beta 0.001) to creeping off.
static void bar_table(void **state) {
  (void)state;
  static const double damping[] = {0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 7.8},
                      rebound[] = {0.96432505, 0.88740038, 0.75036353, 0.65079364, 0.51748353,
                                   0.29984815, 0.15031410, 0.05778013, 0.01198608, 0.00518747};
  for (int i = 0; i < 20; i++) {
    int at = i % 10, law = i < 10 ? PL_IMPACT_BBI : PL_IMPACT_NONE;
    impact a = bar_impact(at < 2 ? 40 : 10, at < 8 ? 0.02 : 0.005, damping[at], law);
    check_rel(a.rebound, rebound[at], 0.01);
    check_less(a.gain, 3e-8);
  }
}

int test_friction(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stick_slip),         cmocka_unit_test(stick_slip_order),
      cmocka_unit_test(stick_slip_in_time), cmocka_unit_test(bar_undamped),
      cmocka_unit_test(bar_damped),         cmocka_unit_test(bar_table),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("golden.friction", tests, NULL, NULL);
}
