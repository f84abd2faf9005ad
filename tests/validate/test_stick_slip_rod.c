#include "check.h"
#include "rod_model.h"

// A tip that is held: the master's forces, closed by elliptic integrals. The clamp in the middle of
// an edge makes the error fall with the square of the edges.
static void held_tip(void **state) {
  (void)state;
  static const double eps[] = {0.01, 0.1, 0.3};
  pl_env env;
  pl_env_init(&env);
  for (int k = 0; k < 3; k++) {
    double error[2], mu, P, got_P, got_Q;
    check_ok(&env, pl_master_stick_slip_at(&env, eps[k], &mu, &P));
    for (int i = 0; i < 2; i++) {
      check_ok(&env, press_held(&env, &(press_desc){.n = 20 << i}, eps[k], &got_P, &got_Q));
      error[i] = fabs(got_Q / got_P / mu - 1);
    }
    check_rel(got_P, P, 5e-3);
    check_less(error[1], 2e-3);
    check_less(error[1], error[0] / 3.5);
  }
}

// Exact friction lets go at the table of contact-stepping notes, 8.10 (an independent shooting
// method), less the error of 40 edges; and just where the held tip's force meets the cone.
static void by_load(void **state) {
  (void)state;
  static const double mu[] = {0.05, 0.2, 0.35}, want[] = {0.01238049, 0.15486735, 0.32399351},
                      force[] = {20.284941, 21.380521, 22.562811};
  pl_env env;
  pl_env_init(&env);
  for (int k = 0; k < 3; k++) {
    press_desc d = {.n = 40, .mu = mu[k]};
    double eps, P, held_P, held_Q;
    check_ok(&env, press_static(&env, &d, &eps, &P));
    check_rel(eps, want[k], 3e-3);
    check_rel(P, force[k], 5e-3);
    check_ok(&env, press_held(&env, &d, eps, &held_P, &held_Q));
    check_rel(held_P, P, 1e-6);
    check_rel(held_Q / held_P, mu[k], 2e-5);
  }
}

// Slow motion: what its damping adds to the force grows with the rate, a part in a thousand here.
static void by_motion(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  press_desc d = {.n = 24, .mu = 0.05};
  double eps, P, slow, slow_P;
  check_ok(&env, press_static(&env, &d, &eps, &P));
  check_ok(&env, press_dynamic(&env, &d, &slow, &slow_P));
  check_rel(slow, eps, 2e-3);
  check_rel(slow_P, P, 2e-3);
}

// A force as large as the velocity cannot hold the tip: it creeps from the start.
static void by_drag(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double eps, P, want, Q;
  check_ok(&env, pl_master_stick_slip(&env, 0.1, &want, &P, &Q));
  check_ok(&env, press_viscous(&env, &(press_desc){.n = 24, .mu = 0.1}, &eps, &P));
  check_less(eps, 0.5 * want);
  pl_status s = press_viscous(&env, &(press_desc){.n = 24, .mu = 0.3}, &eps, &P);
  assert_int_equal(s, PL_DOMAIN);
}

// Beyond the triple point, at 0.35637, the strip lies flat before it slips.
static void never_slips(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double eps, P;
  pl_status s = press_static(&env, &(press_desc){.n = 24, .mu = 0.5}, &eps, &P);
  assert_int_equal(s, PL_DOMAIN);
}

static void units(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double eps[2], P[2];
  for (int i = 0; i < 2; i++)
    check_ok(&env, press_static(&env, &(press_desc){24, 0.1, i}, &eps[i], &P[i]));
  check_rel(eps[1], eps[0], 1e-5);
  check_rel(P[1], P[0], 1e-6);
  for (int i = 0; i < 2; i++)
    check_ok(&env, press_dynamic(&env, &(press_desc){24, 0.03, i}, &eps[i], &P[i]));
  check_rel(eps[1], eps[0], 1e-5);
}

static pl_status allocate(pl_env *env, void *ctx) {
  double P, Q;
  return press_held(env, ctx, PRESS_START, &P, &Q);
}

static void no_memory(void **state) {
  (void)state;
  check_allocations(allocate, &(press_desc){.n = 12});
}

int test_stick_slip_rod(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(held_tip),  cmocka_unit_test(by_load),     cmocka_unit_test(by_motion),
      cmocka_unit_test(by_drag),   cmocka_unit_test(never_slips), cmocka_unit_test(units),
      cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
