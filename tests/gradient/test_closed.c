// Closed forms, what is refused, and memory that ends.
#include "design_models.h"

#include "check.h"

#include "pliant/math.h"
#include "pliant/solve.h"

#include <string.h>

static pl_env env;

// k q + k3 q^3 = F, of a spring to the ground
static void cubic_spring(void **state) {
  (void)state;
  enum { K, K3, LOAD };
  static const double spring[4] = {3, 0, 50, 0};
  static const pl_clock full = {.scale = 1};
  model_kit kit;
  kit_model b;
  double F = 2, by = 1, out[3] = {0};
  int node = 0;
  kit_oscillator(&kit, &env, spring, 2);
  int load = kit_push(&kit, 1, &node, &F);
  int par = pl_par_group(&kit.d, 0, 0);
  const pl_target target[3] = {{0, par, 1}, {0, par + 2, 1}, {0, pl_par_load(&kit.d, load), 1}};
  pl_direction dir[3];
  for (int i = 0; i < 3; i++) dir[i] = (pl_direction){1, &target[i]};
  kit_build(&kit, 1, &b);
  pl_static_opts o = pl_static_defaults();
  o.rtol = 1e-15;
  check_ok(&env, pl_static(&o, b.m, b.p, b.s, b.w, NULL, NULL, NULL));
  pl_gradient *g;
  check_ok(&env, pl_gradient_create(&env, b.m, b.p, 1, 3, dir, &g));
  check_ok(&env, pl_gradient_equilibrium(g, b.s, &full));
  double q = b.s->q[0], stiff = spring[0] + 3 * spring[2] * q * q;
  check_rel(g->q[K], -q / stiff, 1e-12);
  check_rel(g->q[K3], -q * q * q / stiff, 1e-12);
  check_rel(g->q[LOAD], 1 / stiff, 1e-12);
  check_ok(&env, pl_gradient_adjoint(g, b.s, &full, &by, out));
  check_array(3, out, g->q, 1e-15);
  // W = k/2 q^2 + k3/4 q^4, with what q does
  double f = spring[0] * q + spring[2] * q * q * q, energy[3];
  check_ok(&env, pl_gradient_energy(g, NULL, energy));
  check_rel(energy[K], q * q / 2 - f * q / stiff, 1e-12);
  check_rel(energy[K3], q * q * q * q / 4 - f * q * q * q / stiff, 1e-12);
  check_rel(energy[LOAD], f / stiff, 1e-12);
  pl_gradient_free(g);
  kit_model_free(&b);
  kit_free(&kit);
}

// x = x0 cos(w t) of a mass on a spring, let go; Newmark's error falls as the step squared
static void free_swing(void **state) {
  (void)state;
  static const double spring[4] = {8, 0, 0, 0};
  double error[4], step[4];
  for (int level = 0; level < 4; level++) {
    model_kit kit;
    kit_model b;
    kit_oscillator(&kit, &env, spring, 2);
    const pl_target stiffness = {0, pl_par_group(&kit.d, 0, 0), 1};
    const pl_direction dir = {1, &stiffness};
    kit_build(&kit, 1, &b);
    pl_gradient *g;
    check_ok(&env, pl_gradient_create(&env, b.m, b.p, 1, 1, &dir, &g));
    double T = 3, x0 = 0.1, w = 2;
    step[level] = 0.04 / (1 << level);
    pl_transient_opts o = pl_transient_for(T, step[level]);
    o.rtol = 1e-13;
    b.s->q[0] += x0;
    pl_gradient_rest(g, b.s);
    check_ok(&env, pl_transient_gradient(&o, b.m, b.p, g, b.s, NULL, b.w, NULL, NULL, NULL));
    // dw/dk = 1/(2 m w)
    error[level] = fabs(g->q[0] + x0 * T * sin(w * T) / (2 * 2 * w));
    pl_gradient_free(g);
    kit_model_free(&b);
    kit_free(&kit);
  }
  double slope = order_slope(4, step, error);
  check_less(fabs(slope - 2), 0.1);
}

static void refused(void **state) {
  (void)state;
  static const double spring[4] = {8, 0, 0, 0};
  model_kit kit;
  kit_model b;
  kit_oscillator(&kit, &env, spring, 2);
  const pl_target stiffness = {0, pl_par_group(&kit.d, 0, 0), 1};
  pl_target wrong = {0, 1000, 1};
  const pl_direction dir = {1, &stiffness}, none = {1, &wrong};
  kit_build(&kit, 1, &b);
  pl_gradient *g;
  check_status(&env, pl_gradient_create(&env, b.m, b.p, 1, 1, &none, &g), PL_E_ARG);
  assert_null(g);
  check_ok(&env, pl_gradient_create(&env, b.m, b.p, 1, 1, &dir, &g));
  pl_transient_opts o = pl_transient_for(1, 0.1);
  o.adaptive = 1;
  check_status(&env, pl_transient_gradient(&o, b.m, b.p, g, b.s, NULL, b.w, NULL, NULL, NULL),
               PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "steps that adapt"));
  pl_gradient_free(g);
  kit_model_free(&b);
  kit_free(&kit);
}

// at the load where a softening spring gives way there is no derivative
static void limit_point(void **state) {
  (void)state;
  static const double spring[4] = {3, 0, -1, 0};
  static const pl_clock full = {.scale = 1};
  model_kit kit;
  kit_model b;
  kit_oscillator(&kit, &env, spring, 2);
  const pl_target stiffness = {0, pl_par_group(&kit.d, 0, 0), 1};
  const pl_direction dir = {1, &stiffness};
  kit_build(&kit, 1, &b);
  pl_gradient *g;
  check_ok(&env, pl_gradient_create(&env, b.m, b.p, 1, 1, &dir, &g));
  b.s->q[0] = b.p->X[0] + 1;
  check_status(&env, pl_gradient_equilibrium(g, b.s, &full), PL_SINGULAR);
  pl_gradient_free(g);
  kit_model_free(&b);
  kit_free(&kit);
}

static pl_status once(pl_env *own, void *ctx) {
  model_kit *k = ctx;
  static const pl_clock full = {.scale = 1};
  kit_model b;
  pl_gradient *g = NULL;
  const pl_direction dir = {k->design[0].ntarget, k->design[0].target};
  pl_status s = kit_try(own, &k->d, 1, &b);
  if (s == PL_OK) s = pl_gradient_create(own, b.m, b.p, 1, 1, &dir, &g);
  if (s == PL_OK) s = pl_gradient_equilibrium(g, b.s, &full);
  if (s == PL_OK) s = pl_gradient_mark(g);
  pl_gradient_free(g);
  kit_model_free(&b);
  return s;
}

static void memory_ends(void **state) {
  (void)state;
  model_kit kit;
  design_oscillator(&kit, &env, 0);
  check_allocations(once, &kit);
  kit_free(&kit);
}

int test_closed(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cubic_spring), cmocka_unit_test(free_swing),
                                     cmocka_unit_test(refused), cmocka_unit_test(limit_point),
                                     cmocka_unit_test(memory_ends)};
  pl_env_init(&env);
  return cmocka_run_group_tests_name("gradient: closed forms", tests, NULL, NULL);
}
