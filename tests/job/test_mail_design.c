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

// Elements of one's own that follow parameters: the same design as of a family with the same
// rings, and half of an oval's length from how far its chain stretches, 2 (A - w) = 1.1 p.
static void own(void **state) {
  static const char *const goals =
      "goals: [{isotropic: stretch, angle: [0 deg, 90 deg]}, {stretch: 10 %, angle: [0 deg, 90 "
      "deg]}], gap: 0.1 mm, mass: 3.4 kg/m^2, directions: 1}]\n";
  (void)state;
  char text[1500];
  double after[2];
  pl_env env;
  pl_env_init(&env);
  snprintf(text, sizeof text,
           "parameters: {R: {value: 4.9 mm}, w: {value: 1.15 mm, min: 0.8 mm, max: 1.3 mm}, x: "
           "{value: 12.2 mm}, y: {value: 6 mm}, t: {value: 35 deg}}\n"
           "interlocking: [own: {elements: [{pieces: [{ring: {radius: $R, wire: $w}}]}], cell: "
           "[{rotate: {axis: [1, 0, 0], angle: -$t}}, {at: [$x/2, -0.5*$y, 0], rotate: {axis: [1, "
           "0, 0], angle: $t}}], a: [$x, 0, 0], b: [0, $y, 0]}]\n"
           "analyses: [mail-design: {variables: [R, w, x, y, t], %s",
           goals);
  run(&env, "design-own", text, PL_OK);
  snprintf(text, sizeof text,
           "interlocking: [four-in-one: {}]\nanalyses: [mail-design: {variables: [radius, {name: "
           "wire, min: 0.8 mm, max: 1.3 mm}, across, along, tilt], %s",
           goals);
  run(&env, "design-family", text, PL_OK);
  after[0] = summary_number(&env, "design-own", "\"variables\"", "\"w\"", "\"after\": ", NULL);
  after[1] = summary_number(&env, "design-family", "\"wire\"", "\"after\": ", NULL);
  check_close(after[0], after[1], 1e-10);
  run(&env, "design-oval",
      "parameters: {A: {value: 6 mm, min: 5 mm, max: 7 mm}}\n"
      "interlocking: [own: {elements: [{pieces: [{curve: {wire: 0.8 mm, harmonics: [{cosine: [$A, "
      "0, 0], sine: [0, 4 mm, 0]}]}}]}], cell: [{}, {at: [9 mm, 0, 0], rotate: {axis: [1, 0, 0], "
      "angle: 90 deg}}], a: [18 mm, 0, 0], b: [0, 20 mm, 0]}]\n"
      "analyses: [mail-design: {goals: [{stretch: 10 %, angle: 0 deg}], gap: 0.1 mm, directions: "
      "1}]\n",
      PL_OK);
  check_close(summary_number(&env, "design-oval", "\"variables\"", "\"A\"", "\"after\": ", NULL),
              5.75e-3, 1e-7);
}

// A wire that may not be as thick as its goal needs: what is missed is told.
static void missed(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  run(&env, "design-missed",
      "interlocking: [{name: links, chain: {radius: 8 mm, wire: 2 mm, pitch: 11 mm, beside: 40 "
      "mm}}]\n"
      "analyses: [mail-design: {variables: [{name: wire, min: 1 mm, max: 2.1 mm}], goals: "
      "[{stretch: 2 %, angle: 0 deg}], gap: 0.1 mm, directions: 1}]\n",
      PL_OK);
  check_close(summary_number(&env, "design-missed", "\"missed_by\": ", NULL),
              (2 * (8 - 2.1) / 11 - 1.02) / 0.02, 1e-3);
}

// what was heard last that begins as a note of the analysis does
typedef struct notes {
  char last[PL_TEXT];
} notes;

static void hear(void *ctx, const pl_diag *d) {
  notes *n = ctx;
  if (strstr(d->text, "mail-design: ")) snprintf(n->last, sizeof n->last, "%s", d->text);
}

// A design that ends before it is done says so where it runs, not on its page alone.
static void ended_early(void **state) {
  (void)state;
  pl_env env;
  notes n = {""};
  pl_env_init(&env);
  env.diag = hear;
  env.diag_ctx = &n;
  run(&env, "design-early",
      "interlocking: [four-in-one: {}]\n"
      "analyses: [mail-design: {variables: [radius, across, along], goals: [{stretch: 10 %, angle: "
      "[0 deg, 90 deg]}], starts: 1, steps: 1, directions: 1}]\n",
      PL_OK);
  if (!strstr(n.last, "ended after 1 step and could go on")) fail_msg("%s", n.last);
}

// Curvatures of a material that folds cannot be wanted, which is said with their direction.
static void endless(void **state) {
  (void)state;
  pl_env env;
  notes n = {""};
  pl_env_init(&env);
  env.diag = hear;
  env.diag_ctx = &n;
  run(&env, "design-endless",
      "interlocking: [four-in-one: {}]\n"
      "analyses: [mail-design: {goals: [{curvature_up: 30 1/m, angle: 45 deg}], starts: 1}]\n",
      PL_UNSOLVED);
  assert_non_null(strstr(n.last, "along 45 degrees it bends up until it folds"));
}

// counts calls, and stops at one of them
typedef struct clock_ {
  int calls, stop;
} clock_;

static int count_calls(void *ctx, const pl_progress *p) {
  clock_ *c = ctx;
  (void)p;
  return ++c->calls == c->stop;
}

// Stopped and gone on with, the table is that of a run without a stop, to the bit, and what was
// solved is not solved again.
static void resumed(void **state) {
  (void)state;
  pl_env env;
  pl_text t;
  clock_ whole = {0, -1}, part, rest = {0, -1};
  pl_env_init(&env);
  pl_text_init(&t, &env);
  pl_text_add(&t, "pliant: 1\ninterlocking: [japanese: {}]\nanalyses: [mail-design: {goals: "
                  "[{stretch: 8 %%, angle: 0 deg}], starts: 1, directions: 1}]\n");
  env.progress = count_calls;
  env.progress_ctx = &whole;
  check_ok(&env, run_scene_at(&env, "design-whole", 0, &t));
  part = (clock_){0, whole.calls / 2};
  env.progress_ctx = &part;
  check_status(&env, run_scene_at(&env, "design-parts", 0, &t), PL_CANCELLED);
  env.progress_ctx = &rest;
  check_ok(&env, run_scene_at(&env, "design-parts", 1, &t));
  assert_true(rest.calls < 0.8 * whole.calls);
  char *data[2];
  size_t n[2];
  for (int i = 0; i < 2; i++)
    check_ok(&env,
             pl_file_read(&env, i ? "design-parts/mail-design.csv" : "design-whole/mail-design.csv",
                          0, &data[i], &n[i]));
  assert_true(n[0] == n[1] && memcmp(data[0], data[1], n[0]) == 0);
  for (int i = 0; i < 2; i++) pl_free(&env, data[i]);
  pl_text_free(&t);
}

// 4-in-1 whose limits along and across its rows are more than 2 : 1 apart becomes isotropic within
// 2 %, can be printed and is not heavier; the scene that is written tells the same material.
static void isotropic(void **state) {
  (void)state;
  const char *folder = "design-mail", *goal = "\"limit\": \"stretch\"";
  pl_env env;
  pl_env_init(&env);
  run(&env, folder,
      "interlocking: [{four-in-one: {}, density: 1010 kg/m^3}]\n"
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(closed_form), cmocka_unit_test(own),
                                     cmocka_unit_test(missed),      cmocka_unit_test(ended_early),
                                     cmocka_unit_test(endless),     cmocka_unit_test(resumed),
                                     cmocka_unit_test(isotropic),   cmocka_unit_test(bent)};
  return cmocka_run_group_tests_name("mail-design", tests, NULL, NULL);
}
