#include "check.h"
#include "models.h"

#include "pliant/harmonic.h"
#include "pliant/math.h"

static pl_env env;

static pl_orbit *random_orbit(const pl_model *m, int nharm, unsigned seed) {
  pl_orbit *o;
  pl_rng r;
  check_ok(&env, pl_orbit_create(&env, m, nharm, &o));
  o->omega = 5;
  pl_rng_seed(&r, seed);
  for (int i = 0; i < o->nfree * (2 * nharm + 1); i++) o->z[i] = pl_rng_uniform(&r, -1, 1);
  return o;
}

// root mean square of a - b over phases and `moving` nodes; fixed ones are the same in both
static double sampled(const kit_model *k, const pl_orbit *a, const pl_orbit *b, int moving) {
  enum { PHASES = 16 };
  pl_state *x, *y;
  double sum = 0;
  check_ok(&env, pl_state_create(k->m, k->p, &x));
  check_ok(&env, pl_state_create(k->m, k->p, &y));
  for (int i = 0; i < PHASES; i++) {
    pl_orbit_state(k->m, k->p, a, 2 * PL_PI * i / PHASES, x);
    pl_orbit_state(k->m, k->p, b, 2 * PL_PI * i / PHASES, y);
    pl_axpy(x->nq, -1, y->q, x->q, x->q);
    sum += pl_dot(x->nq, x->q, x->q) / PHASES;
  }
  pl_state_free(k->m, x);
  pl_state_free(k->m, y);
  return sqrt(sum / moving);
}

// Parseval's sums against samples in time, between motions with different harmonics
static void distances(void **state) {
  (void)state;
  model_kit kit;
  kit_model b;
  static const double par[4] = {1e6, 0.3, 1000, 0.01};
  kit_init(&kit, &env, 3);
  kit_grid(&kit, 3, 2, 0.3, 0.2, PL_ALTERNATING, par);
  kit_fix(&kit, "left");
  kit_build(&kit, 1, &b);
  // 4 x 3 vertices, three of them fixed
  int moving = 9;
  assert_int_equal(pl_model_nfree(b.m), 3 * moving);
  pl_orbit *x = random_orbit(b.m, 3, 1), *y = random_orbit(b.m, 5, 2), *still;
  check_rel(pl_orbit_distance(b.m, x, y), sampled(&b, x, y, moving), 1e-12);
  check_rel(pl_orbit_distance(b.m, y, x), sampled(&b, x, y, moving), 1e-12);
  check_close(pl_orbit_distance(b.m, x, x), 0, 0);
  // the mean position is that of the motion without harmonics
  check_ok(&env, pl_orbit_copy(y, 0, &still));
  check_rel(pl_orbit_size(b.m, y), sampled(&b, y, still, moving), 1e-12);
  check_rel(pl_orbit_size(b.m, y), pl_orbit_distance(b.m, y, still), 1e-12);
  pl_orbit_free(still);
  pl_orbit_free(x);
  pl_orbit_free(y);
  kit_model_free(&b);
  kit_free(&kit);
}

int test_orbit(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {cmocka_unit_test(distances)};
  return cmocka_run_group_tests_name("harmonic.orbit", tests, NULL, NULL);
}
