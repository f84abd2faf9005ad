// Tetrahedra of second order, the default of linear meshes, from a scene to harmonic balance.
#include "run_scene.h"

#define FOLDER "test_second_order.results"

// the load in the scene is constant (0) or oscillates (1)
static void run_beam(pl_env *env, const char *force, int harmonic, const char *analyses) {
  pl_text t = {.env = env};
  pl_text_add(&t,
              "pliant: 1\n"
              "materials: {m: {young: 2 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
              "bodies:\n"
              "  - name: b\n"
              "    solid: {mesh: {box: {size: [60 mm, 10 mm, 6 mm], cells: [6, 1, 1], cell: tet}}, "
              "material: m}\n"
              "fixed: b group left\n"
              "loads: [{name: pull, faces: b group right, total: [0, 0, %s], harmonic: %d}]\n"
              "watch: {tip: 'b nearest [60 mm, 5 mm, 3 mm]'}\n"
              "output: {report: no, vtu: no, glb: no, plots: no}\n"
              "analyses: [%s]\n",
              force, harmonic, analyses);
  check_ok(env, run_scene_at(env, FOLDER, 0, &t));
  pl_text_free(&t);
}

// Far below the first mode f1 a motion is the static one times 1 / (1 - (f / f1)^2), to the part
// that higher modes have in it, and statics and modes are other programs than harmonic balance.
static void slow_motion(void **state) {
  pl_env env;
  (void)state;
  pl_env_init(&env);
  run_beam(&env, "1 mN", 1, "{modes: {count: 1}}, {periodic: {frequency: 1 Hz, harmonics: 2}}");
  double f1 = summary_number(&env, FOLDER, "\"frequency_Hz\":", "[", NULL);
  double high = summary_number(&env, FOLDER, "\"amplitude\"", "\"max_z_m\":", NULL);
  run_beam(&env, "1 mN", 0, "{static: {}}");
  double still = summary_number(&env, FOLDER, "\"displacement_m\"", ",", ",", NULL);
  check_rel(high, still / (1 - 1 / (f1 * f1)), 3e-4);
  // Euler and Bernoulli: F L^3 / (3 E I), with a clamp that holds the section's width
  check_rel(still, 0.2e-3, 0.04);
}

// Let go of by a load, in steps far longer than most of its oscillations: accelerations of these,
// kept as a prediction, throw elements about (36 corrections a step by Newton's method).
static void long_steps(void **state) {
  pl_env env;
  (void)state;
  pl_env_init(&env);
  run_beam(&env, "20 mN", 0,
           "{static: {}}, {transient: {about: static, change: {pull: 0}, step: 10 ms, duration: "
           "200 ms, max_error: 100}}");
  double steps = summary_number(&env, FOLDER, "\"kind\": \"transient\"", "\"steps\":", NULL);
  double newton =
      summary_number(&env, FOLDER, "\"kind\": \"transient\"", "\"newton_iterations\":", NULL);
  check_close(steps, 20, 0);
  if (newton > 8 * steps) fail_msg("%g corrections in %g steps", newton, steps);
}

int test_second_order(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(slow_motion), cmocka_unit_test(long_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
