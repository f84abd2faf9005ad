// What exact solutions keep: the energy of undamped linear motion under average acceleration
// (Hughes, The Finite Element Method, 9.1: Newmark's rule with beta 1/4, gamma 1/2 conserves
// v'Mv/2 + q'Kq/2), and the symmetry of small responses (Maxwell, Betti).
#include "golden.h"

static pl_env env;

enum { CHAIN = 20 };

typedef struct energy_record {
  double first, drift;
} energy_record;

static int observe_energy(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  (void)s;
  (void)c;
  energy_record *e = ctx;
  double now = w->potential + w->kinetic;
  e->drift = fmax(e->drift, fabs(now - e->first));
  return 0;
}

// masses in a row between two walls, plucked and pushed
static void linear_energy(void **state) {
  (void)state;
  static model_kit k;
  kit_model b;
  double X[CHAIN] = {0};
  int spring[CHAIN + 1][2], mass[CHAIN];
  const double par[4] = {500, 0, 0, 0}, m = 0.3;
  for (int i = 0; i <= CHAIN; i++) {
    spring[i][0] = i - 1;
    spring[i][1] = i < CHAIN ? i : -1;
    if (i < CHAIN) mass[i] = i;
  }
  kit_init(&k, &env, 1);
  k.d.nnode = CHAIN;
  k.d.X = X;
  kit_group(&k, "springs", "spring1", CHAIN + 1, spring[0], 1, par);
  kit_group(&k, "masses", "mass1", CHAIN, mass, 1, &m);
  kit_build(&k, 1, &b);
  energy_record e = {0};
  double before = 0;
  for (int i = 0; i < CHAIN; i++) {
    b.s->q[i] = 0.1 * sin(1 + 3 * i);
    b.s->v[i] = cos(2 * i);
    double d = b.s->q[i] - before;
    e.first += 0.5 * (m * b.s->v[i] * b.s->v[i] + par[0] * d * d);
    before = b.s->q[i];
  }
  e.first += 0.5 * par[0] * before * before;
  // steps of a fifth of the shortest period, so that the conservation is not that of small errors
  double h = 0.2 * 2 * PL_PI / sqrt(4 * par[0] / m);
  pl_transient_opts o = golden_transient_opts(h, 1e4 * h);
  check_ok(&env, pl_transient(&o, b.m, b.p, b.s, NULL, b.w, observe_energy, &e, NULL));
  // rounding of a few 1e-16 a step, which at worst adds up over 1e4 steps
  check_less(e.drift, 1e-11 * e.first);
  kit_model_free(&b);
  kit_free(&k);
}

// A block bent far by its weight, then pushed a little at one node: the other node's answer is the
// same when the two change places.
static void reciprocity(void **state) {
  (void)state;
  static const char *const kinds[] = {"tet4", "hex8_nh"};
  static model_kit k;
  kit_model b;
  const double par[3] = {2e5, 0.35, 1000}, l[3] = {1, 0.2, 0.15}, none[3] = {0};
  for (int kind = 0; kind < 2; kind++) {
    kit_init(&k, &env, 3);
    kit_box(&k, kinds[kind], (int[]){8, 2, 2}, l, par);
    kit_fix(&k, "left");
    k.d.gravity[2] = -9.81;
    int node[2] = {kit_node_at(&k, 0.5, 0.2, 0), kit_node_at(&k, 1, 0, 0.15)};
    for (int i = 0; i < 2; i++) kit_push(&k, 1, &node[i], none);
    kit_build(&k, 1, &b);
    golden_static(&b, 1e-13, 2);
    check_less(0.1, 0.15 - b.s->q[3 * node[1] + 2]);
    double answer[2][2];
    for (int i = 0; i < 2; i++)
      for (int sign = 0; sign < 2; sign++) {
        // along z at the first node, along x at the second
        double *f = b.p->par + pl_par_load(&k.d, i) + (i == 0 ? 2 : 0);
        *f = sign ? 0.01 : -0.01;
        golden_static(&b, 1e-13, 1);
        *f = 0;
        answer[i][sign] = i == 0 ? b.s->q[3 * node[1]] : b.s->q[3 * node[0] + 2];
      }
    // central differences leave the square of 0.01 N over the weight of 300 N; rounding of places
    // is 1e-16 of displacements of 1e-5
    double u = answer[0][1] - answer[0][0], v = answer[1][1] - answer[1][0];
    check_rel(u, v, 1e-8);
    kit_model_free(&b);
    kit_free(&k);
  }
}

int test_invariant(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_energy),
      cmocka_unit_test(reciprocity),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("invariant", tests, NULL, NULL);
}
