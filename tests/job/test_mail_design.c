#include "run_scene.h"

#include "pliant/report.h"

// Design of interlocking materials, from a scene to its files.

static void run(pl_env *env, const char *folder, const char *text, pl_status want) {
  pl_text t;
  pl_text_init(&t, env);
  pl_text_add(&t, "pliant: 1\n%s", text);
  check_status(env, run_scene_at(env, folder, 0, &t), want);
  pl_text_free(&t);
}

// A net of rings whose pitch at most is 2 (R1 - r1) + 2 (R2 - r2): one length decides.
static void closed_form(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  run(&env, "design-chain",
      "interlocking: [{name: links, chain: {radius: 8 mm, wire: 2 mm, pitch: 11 mm, beside: 40 "
      "mm}}]\n"
      "analyses: [mail-design: {variables: [{name: wire, min: 1 mm, max: 3 mm}], goals: [{stretch: "
      "2 %, angle: 0 deg}], gap: 0.1 mm, directions: 1}]\n",
      PL_OK);
  // 2 (R - r) = 1.02 p; curves in other directions have no end, as nothing holds chains together
  check_close(summary_number(&env, "design-chain", "\"wire\"", "\"after\": ", NULL), 2.39e-3, 1e-7);
}

// 4-in-1 whose limits along and across its rows are more than 2 : 1 apart becomes isotropic within
// 2 %, can be printed and is not heavier; the scene that is written tells the same material.
static void isotropic(void **state) {
  (void)state;
  const char *folder = "design-mail", *goal = "\"limit\": \"stretch\"";
  pl_env env;
  pl_env_init(&env);
  run(&env, folder,
      "interlocking: [four-in-one: {}]\n"
      "analyses: [mail-design: {variables: [radius, wire, across, along, tilt], goals: "
      "[{isotropic: "
      "stretch, angle: [0 deg, 90 deg]}, {stretch: 10 %, angle: 90 deg}], gap: 0.1 mm, mass: 3.5 "
      "kg/m^2, starts: 1, directions: 2}]\n",
      PL_OK);
  double along = summary_number(&env, folder, goal, "\"after\": ", NULL),
         across = summary_number(&env, folder, goal, goal, "\"after\": ", NULL);
  double first = summary_number(&env, folder, goal, "\"before\": ", NULL),
         second = summary_number(&env, folder, goal, goal, "\"before\": ", NULL);
  check_less(2 * first, second);
  check_close(along / across, 1, 0.02);
  check_close(across, 0.1, 0.002);
  check_less(0.1e-3, summary_number(&env, folder, "\"smallest_gap_m\": ", NULL) + 1e-9);
  check_less(summary_number(&env, folder, "\"mass_kg_m2\": ", NULL), 3.5);
  check_less(summary_number(&env, folder, "\"verified_to\": ", NULL), 1e-5);
  // afresh, from the scene that it wrote
  pl_scene *scene;
  pl_job_result result;
  const char *set[] = {"analyses=[{limits: {directions: 2, starts: 1}}]"};
  check_ok(&env, pl_scene_load(&env, "design-mail/mail-design.yaml", 1, set, &scene));
  check_ok(&env, pl_job_run(&env, scene,
                            &(pl_job_opts){.folder = "design-mail-again", .threads = 1}, &result));
  pl_scene_free(scene);
  pl_table *t;
  check_ok(&env, pl_table_read(&env, "design-mail-again/limits.csv", &t));
  int most = pl_table_find(t, "strain_max");
  check_close(pl_table_data(t)[most], along, 1e-6);
  check_close(pl_table_data(t)[pl_table_cols(t) + most], across, 1e-6);
  pl_table_free(t);
}

// Plates of scale mail stop it early upwards: their size for a given curvature, and how many times
// that is the one downwards.
static void bent(void **state) {
  (void)state;
  const char *folder = "design-bent";
  pl_env env;
  pl_env_init(&env);
  run(&env, folder,
      "interlocking: [scale-mail: {}]\n"
      "analyses: [mail-design: {variables: [{name: plate, min: 5 mm, max: 6.3 mm}], goals: "
      "[{curvature_up: 30 1/m, angle: 0 deg}], starts: 1, directions: 1}]\n",
      PL_OK);
  check_close(summary_number(&env, folder, "\"curvature_up\"", "\"after\": ", NULL), 30, 0.02);
  check_close(summary_number(&env, folder, "\"curvature_up\"", "\"before\": ", NULL), 22.2337,
              1e-3);
  check_less(summary_number(&env, folder, "\"verified_to\": ", NULL), 1e-4);
}

int test_mail_design(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(closed_form), cmocka_unit_test(isotropic),
                                     cmocka_unit_test(bent)};
  return cmocka_run_group_tests_name("mail-design", tests, NULL, NULL);
}
