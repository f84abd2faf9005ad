#include "run_scene.h"

// Limits of interlocking materials, from a scene to its files.

static void run(pl_env *env, const char *folder, const char *text, pl_status want) {
  pl_text t;
  pl_text_init(&t, env);
  pl_text_add(&t, "pliant: 1\n%s", text);
  check_status(env, run_scene_at(env, folder, 0, &t), want);
  pl_text_free(&t);
}

static void figures(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  run(&env, "limits-four",
      "interlocking: [{four-in-one: {}}]\nanalyses: [limits: {directions: 4}]\n", PL_OK);
  check_close(summary_number(&env, "limits-four", "\"strain_max\": ", NULL), 0.145971, 2e-6);
  check_less(summary_number(&env, "limits-four", "\"bound\": ", NULL), 1e-4);
  check_close(summary_number(&env, "limits-four", "\"unsolved\": ", NULL), 0, 0);
  // what a material is called, and units of its own
  run(&env, "limits-chain",
      "units: {length: cm}\ninterlocking: [{japanese: {}}, {name: links, chain: {radius: 8 mm, "
      "wire: "
      "0.2, pitch: 11 mm, beside: 4}}]\nanalyses: [limits: {of: links, directions: 1}]\n",
      PL_OK);
  check_close(summary_number(&env, "limits-chain", "\"strain_max\": ", NULL), 12.0 / 11 - 1, 1e-6);
}

// Beside a body, in one scene.
static void beside(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  run(&env, "limits-beside",
      "dimension: 1\nnodes: {m: 0}\nmasses: [{node: m, mass: 1 kg}]\nsprings: [{nodes: [ground, "
      "m], "
      "stiffness: 4 N/m}]\ninterlocking: [{torus-knot: {}}]\nanalyses: [modes: {count: 1}, limits: "
      "{directions: 1}]\n",
      PL_OK);
  check_close(summary_number(&env, "limits-beside", "\"strain_max\": ", NULL), 0.03999, 1e-4);
}

int test_limits(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(figures), cmocka_unit_test(beside)};
  return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
