// The swinging cloth of the thesis of P. Tang, section 3.5 and figures 3.4 and 3.5: how much energy
// the methods lose, and that limits hold at the end of every step.
#include "../limit/swing.h"

#include <stdio.h>

enum { METHODS = 5 };
static const int methods[METHODS] = {PL_IMPLICIT_EULER, PL_PROJECT, PL_REFLECT, PL_BDF2_PROJECT,
                                     PL_BDF2_REFLECT};

typedef struct record {
  const swing *k;
  double limit, beyond; // stretch, and the worst over it, less one
  double mean, most;    // energy over the second half of the time, and the largest
  int n, half;
} record;

static int look(void *ctx, const pl_state *s, const pl_clock *c, const pl_limit_step *p) {
  record *r = ctx;
  (void)c;
  double E = p->kinetic + p->elastic + p->outer;
  r->beyond = fmax(r->beyond, swing_stretch(r->k, s->q) / r->limit - 1);
  r->most = fmax(r->most, E);
  if (r->n++ >= r->half) r->mean += E / r->half;
  return 0;
}

// from the horizontal, two corners held; J
static record swung(int n, double limit, int method, double step, double length) {
  pl_env env;
  swing k;
  pl_env_init(&env);
  swing_begin(&k, &env, n, n, 0.5, 0.5);
  swing_hold(&k, 0, 0);
  swing_hold(&k, 0.5, 0);
  k.o.method = method;
  k.o.step = step;
  swing_build(&k, limit);
  record r = {.k = &k, .limit = limit, .beyond = -1, .most = -INFINITY};
  r.half = (int)rint(length / step) / 2;
  pl_transient_info info;
  check_ok(&env, swing_run(&k, length, NULL, look, &r, &info));
  assert_int_equal(r.n, 2 * r.half);
  assert_int_equal(info.nunsolved, 0);
  assert_int_equal(info.rejected, 0);
  // what the library says of itself is what the test finds
  check_close(info.worst_violation, r.beyond, 1e-10);
  if (method != PL_IMPLICIT_EULER) {
    check_less(r.beyond, 1e-6);
    // corrections of a centimetre, a millionth of whose square is not known
    check_less(info.worst_distance_rms, 2e-5);
  }
  swing_close(&k);
  return r;
}

// The state starts with energy 0; at rest it would have about -0.062. Implicit Euler loses most,
// then projection, reflection, and the formulas of second order.
static void check_order(const record *r, double scale) {
  for (int k = 1; k < METHODS; k++) {
    int before = k == 4 ? 2 : k - 1;
    check_less(r[before].mean, r[k].mean);
  }
  // nothing grows: BDF-2 may swing over its start by little
  for (int k = 0; k < METHODS; k++) check_less(r[k].most, (k > 2 ? 0.02 : 1e-12) * scale);
}

static void energy_order(void **state) {
  (void)state;
  const double limits[3] = {1.001, 1.01, 1.3};
  for (int i = 0; i < 3; i++) {
    record r[METHODS];
    for (int k = 0; k < METHODS; k++) r[k] = swung(8, limits[i], methods[k], 0.02, 2);
    check_order(r, 0.06);
  }
}

// smaller steps lose less, and the order stays
static void step_order(void **state) {
  (void)state;
  record coarse[METHODS], fine[METHODS];
  for (int k = 0; k < METHODS; k++) {
    coarse[k] = swung(6, 1.01, methods[k], 0.01, 1);
    fine[k] = swung(6, 1.01, methods[k], 0.005, 1);
  }
  check_order(coarse, 0.06);
  check_order(fine, 0.06);
  for (int k = 0; k < 3; k++) check_less(coarse[k].mean, fine[k].mean);
}

static void finer_mesh(void **state) {
  (void)state;
  record r[METHODS];
  for (int k = 0; k < METHODS; k++) r[k] = swung(20, 1.01, methods[k], 0.02, 0.6);
  check_order(r, 0.06);
}

int test_swing(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(energy_order), cmocka_unit_test(step_order),
                                     cmocka_unit_test(finer_mesh)};
  return cmocka_run_group_tests_name("swing", tests, NULL, NULL);
}
