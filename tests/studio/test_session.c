// Explorations: steps agree with `pliant explore`, predictions with the sensitivities that pages
// get, and what fails or is cancelled changes nothing.
#include "check.h"
#include "recorder.h"
#include "session.h"

#include "pliant/job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

static pl_env env;

static session *open_text(const char *folder, const char *text) {
  session *t;
  const session_source from = {.name = "scene.yaml", .folder = folder, .text = text, .threads = 1};
  check_ok(&env, session_open(&env, &from, &t));
  return t;
}

static session *open_gallery(const char *name) {
  char *text, folder[PL_TEXT], path[2 * PL_TEXT];
  size_t n;
  snprintf(folder, sizeof folder, "%s/gallery/%s", SOURCE_DIR, name);
  snprintf(path, sizeof path, "%s/scene.yaml", folder);
  check_ok(&env, pl_file_read(&env, path, 0, &text, &n));
  session *t = open_text(folder, text);
  pl_free(&env, text);
  return t;
}

static session *open_leg(void) {
  return open_gallery("three-link-leg");
}

static int variable(const session *t, const char *name) {
  for (int k = 0; k < t->nvar; k++)
    if (strcmp(pl_design_name(t->d, k), name) == 0) return k;
  fail_msg("no variable %s", name);
  return -1;
}

// ---- against the command ------------------------------------------------------------------------

static void take_figures(void *ctx, const pl_analysis *a, const json_t *figures) {
  (void)a;
  *(json_t **)ctx = json_deep_copy(figures);
}

static json_t *command_figures(int nset, const char *const *set) {
  pl_scene *scene;
  json_t *figures = NULL;
  pl_job_result result;
  const pl_exploration e = {.nset = nset, .set = set};
  const pl_sink sink = {.ctx = &figures, .figures = take_figures};
  const pl_job_opts opts = {.sink = &sink, .threads = 1, .nset = nset, .set = set};
  check_ok(&env, pl_scene_load_explore(&env, SOURCE_DIR "/gallery/three-link-leg/scene.yaml", &e,
                                       NULL, &scene));
  check_ok(&env, pl_job_run(&env, scene, &opts, &result));
  pl_scene_free(scene);
  assert_non_null(figures);
  return figures;
}

static double figure(const json_t *f, const char *key) {
  return json_number_value(
      json_object_get(json_object_get(json_object_get(f, "amplitude"), "toe"), key));
}

static void a_step_is_what_the_command_finds(void **state) {
  (void)state;
  static const char *const set[] = {"m_knee=52 g", "thigh=114 mm", "frequency=3.02 Hz"};
  json_t *f = command_figures(3, set);
  session *t = open_leg();
  double x[20];
  memcpy(x, t->x, (size_t)t->nvar * sizeof *x);
  x[variable(t, "m_knee")] = 0.052;
  x[variable(t, "thigh")] = 0.114;
  x[variable(t, "frequency")] = 3.02 * 2 * acos(-1.0);
  check_ok(&env, session_move(t, &env, x));
  check_close(t->watch[0].before, figure(f, "before_m"), 1e-12);
  check_close(t->watch[0].predicted, figure(f, "predicted_m"), 1e-9);
  check_close(t->watch[0].path, figure(f, "solved_m"), 1e-9);
  check_close(t->trust, json_number_value(json_object_get(f, "trust")), 1e-8);
  check_close(t->off, json_number_value(json_object_get(f, "prediction_error")), 1e-7);
  const json_t *slope =
      json_object_get(json_object_get(json_object_get(f, "amplitude"), "toe"), "by_parameter_m");
  double want = json_number_value(json_object_get(slope, "m_ankle"));
  check_close(t->last_slope[variable(t, "m_ankle")], want, 1e-8 * fabs(want));

  // and in two steps
  double path = t->watch[0].path;
  check_ok(&env, session_back(t, &env));
  double half[20];
  for (int k = 0; k < t->nvar; k++) half[k] = 0.5 * (t->x[k] + x[k]);
  check_ok(&env, session_move(t, &env, half));
  check_ok(&env, session_move(t, &env, x));
  check_close(t->watch[0].path, path, 1e-9);
  assert_int_equal(t->nback, 2);
  session_close(t);
  json_decref(f);
}

static void undo_leads_back(void **state) {
  (void)state;
  session *t = open_leg();
  double x0[20], x[20], path = t->watch[0].path, slope = t->slope[3];
  memcpy(x0, t->x, (size_t)t->nvar * sizeof *x0);
  memcpy(x, x0, sizeof x);
  assert_int_equal(session_back(t, &env), PL_E_ARG);
  for (int k = 0; k < 3; k++) {
    x[k] *= 1.1;
    check_ok(&env, session_move(t, &env, x));
  }
  for (int k = 0; k < 3; k++) check_ok(&env, session_back(t, &env));
  assert_memory_equal(t->x, x0, (size_t)t->nvar * sizeof *x0);
  check_close(t->watch[0].path, path, 1e-10 * path);
  check_close(t->slope[3], slope, 1e-7 * fabs(slope));
  session_close(t);
}

// ---- what pages predict -------------------------------------------------------------------------

// S dx of a page, from float32, against the change of the library's motion, over the motion's size
static void check_page(session *t, const double *x) {
  size_t shape[4];
  float *S;
  double trust, z[32], off = 0, size = 0;
  pl_orbit *o;
  check_ok(&env, session_predict(t, x, &o, &trust));
  check_ok(&env, session_sensitivity(t, 64 << 20, &S, shape));
  assert_non_null(S);
  assert_int_equal(shape[0], t->nvar);
  size_t L = shape[3], per = shape[1] * 3 * L;
  for (size_t i = 0; i < shape[1]; i++)
    for (int c = 0; c < t->scene->dim; c++) {
      pl_orbit_series(t->scene->model, pl_design_params(t->d), pl_design_orbit(t->d, 0), (int)i, c,
                      z);
      double own[32];
      pl_orbit_series(t->scene->model, pl_design_params(t->d), o, (int)i, c, own);
      int free = pl_model_free_index(t->scene->model)[(int)i * t->scene->dim + c] >= 0;
      for (size_t a = 0; a < L; a++) {
        double page = 0;
        for (int k = 0; k < t->nvar; k++)
          page += (x[k] - t->x[k]) * S[(size_t)k * per + (3 * i + (size_t)c) * L + a];
        if (free) off += (a ? 0.5 : 1) * pow(page - (own[a] - z[a]), 2);
        if (free && a) size += 0.5 * own[a] * own[a];
      }
    }
  check_less(sqrt(off), 1e-6 * sqrt(size));
  pl_orbit_free(o);
  pl_free(&t->env, S);
}

static void pages_predict_the_same(void **state) {
  (void)state;
  session *t = open_leg();
  double x[20];
  for (int k = 0; k < t->nvar; k++) x[k] = t->x[k] + 0.03 * (t->hi[k] - t->x[k]);
  check_page(t, x);
  float *S;
  size_t shape[4];
  check_ok(&env, session_sensitivity(t, 100, &S, shape));
  assert_null(S);
  session_close(t);
}

// the base goes along with the amplitude of its drive
static void driven_nodes_have_sensitivities(void **state) {
  (void)state;
  session *t = open_text(".", pendulum_scene);
  size_t shape[4];
  float *S;
  assert_int_equal(t->nvar, 3);
  assert_int_equal(t->nwatch, 2);
  assert_string_equal(pl_design_name(t->d, 2), "frequency");
  check_ok(&env, session_sensitivity(t, 64 << 20, &S, shape));
  const float *base = S + shape[1] * 3 * shape[3]; // by a
  check_close(base[1], 1, 1e-6);
  check_close(base[2], 0, 1e-6);
  check_close(base[shape[3] + 1], 0, 1e-12);
  check_close(t->watch[1].path, 4 * hypot(2e-3, 2e-4), 1e-9);
  check_close(t->slope[3 + 1], 4 * 2e-3 / hypot(2e-3, 2e-4), 1e-6);
  pl_free(&t->env, S);
  double x[3] = {0.11, 2.05e-3, t->x[2] * 1.002};
  check_page(t, x);
  check_ok(&env, session_move(t, &env, x));
  check_close(t->watch[1].path, 4 * hypot(2.05e-3, 2e-4), 1e-9);
  // beyond its bounds
  x[2] *= 10;
  check_ok(&env, session_move(t, &env, x));
  check_close(t->x[2], t->hi[2], 1e-12);
  session_close(t);
}

static void directions_lead_uphill(void **state) {
  (void)state;
  session *t = open_leg();
  char chosen[20] = {0};
  double change[20], x[20], before = t->watch[0].path;
  chosen[2] = chosen[5] = 1;
  for (int down = 0; down < 2; down++) {
    double slope = 0;
    check_ok(&env, session_direction(t, 0, chosen, down, change));
    for (int k = 0; k < t->nvar; k++) {
      if (!chosen[k]) assert_true(change[k] == 0);
      slope += t->slope[k] * change[k];
      x[k] = t->x[k] + 0.002 * change[k];
    }
    assert_true(down ? slope < 0 : slope > 0);
    check_ok(&env, session_move(t, &env, x));
    check_close((t->watch[0].path - before) / (0.002 * slope), 1, 0.05);
    check_ok(&env, session_back(t, &env));
  }
  session_close(t);
}

// of a model that is large enough for factors to be kept
static void predictions_leave_steps_alone(void **state) {
  (void)state;
  double path[2], off[2], slope[2];
  for (int k = 0; k < 2; k++) {
    session *t = open_gallery("fish");
    double x[20], trust;
    pl_orbit *o;
    for (int step = 0; step < 2; step++) {
      for (int i = 0; i < t->nvar; i++) x[i] = 1.01 * t->x[i];
      for (int i = 0; i < 3 * k; i++) {
        x[i] *= 1.001;
        check_ok(&env, session_predict(t, x, &o, &trust));
        pl_orbit_free(o);
        check_ok(&env, session_glance(t, x, &o, &trust));
        pl_orbit_free(o);
        x[i] = 1.01 * t->x[i];
      }
      check_ok(&env, session_move(t, &env, x));
    }
    path[k] = t->watch[0].path;
    off[k] = t->off;
    slope[k] = t->slope[0];
    session_close(t);
  }
  assert_true(path[0] == path[1]);
  assert_true(off[0] == off[1]);
  assert_true(slope[0] == slope[1]);
}

// what is kept of a motion tells the same as a prediction anew, before and after steps
static void glances_are_predictions(void **state) {
  (void)state;
  session *t = open_leg();
  double x[20], trust, own;
  pl_orbit *o, *mine;
  for (int step = 0; step < 3; step++) {
    for (int i = 0; i < t->nvar; i++) x[i] = t->x[i] * (1 + 0.01 * (i % 3));
    check_ok(&env, session_glance(t, x, &mine, &own));
    assert_non_null(t->S);
    check_ok(&env, session_predict(t, x, &o, &trust));
    check_close(own, trust, 1e-6 * trust);
    assert_true(mine->omega == o->omega);
    check_less(pl_orbit_distance(t->scene->model, o, mine),
               1e-10 * pl_orbit_size(t->scene->model, o));
    pl_orbit_free(o);
    pl_orbit_free(mine);
    if (step == 0) check_ok(&env, session_move(t, &env, x));
    if (step == 1) check_ok(&env, session_back(t, &env));
  }
  session_close(t);
}

// ---- what fails ---------------------------------------------------------------------------------

static int stop_at(void *ctx, const pl_progress *p) {
  int *left = ctx;
  (void)p;
  return --*left < 0;
}

static void check_untouched(session *t, const double *x0, double path) {
  assert_memory_equal(t->x, x0, (size_t)t->nvar * sizeof *x0);
  assert_int_equal(t->nback, 0);
  double x[20], trust;
  pl_orbit *o;
  memcpy(x, x0, (size_t)t->nvar * sizeof *x);
  check_ok(&env, session_predict(t, x, &o, &trust));
  check_less(trust, 1e-7);
  check_close(pl_orbit_path(t->scene->model, pl_design_params(t->d), o, t->watch[0].node, 0, NULL),
              path, 1e-9 * path);
  pl_orbit_free(o);
}

static void cancelled_steps_change_nothing(void **state) {
  (void)state;
  session *t = open_leg();
  double x0[20], x[20], path = t->watch[0].path;
  int cancelled = 0;
  memcpy(x0, t->x, (size_t)t->nvar * sizeof *x0);
  memcpy(x, x0, (size_t)t->nvar * sizeof *x);
  x[0] *= 1.5;
  x[5] *= 1.1;
  for (int n = 0; n < 40; n += 3) {
    int left = n;
    pl_env own = env;
    own.progress = stop_at;
    own.progress_ctx = &left;
    pl_status st = session_move(t, &own, x);
    assert_true(st == PL_CANCELLED || st == PL_OK);
    cancelled += st == PL_CANCELLED;
    if (st == PL_OK) check_ok(&env, session_back(t, &env));
    check_untouched(t, x0, path);
  }
  assert_true(cancelled > 0);
  session_close(t);
}

static void scenes_that_cannot_be_explored(void **state) {
  (void)state;
  static const char *const text[] = {
      "pliant: 1\ndimension: 2\nmechanism: {joints: {a: [0, 0], b: [0, -1]}, links: [{joints: [a, "
      "b], stiffness: 1e3}]}\nmasses: [{node: b, mass: 1}]\nsupports: [{nodes: [a]}]\n",
      "pliant: 1\nnonsense: 3\n"};
  for (int k = 0; k < 2; k++) {
    session *t;
    const session_source from = {.name = "x.yaml", .folder = ".", .text = text[k], .threads = 1};
    assert_true(session_open(&env, &from, &t) < 0);
    assert_null(t);
  }
}

int test_session(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_is_what_the_command_finds),
      cmocka_unit_test(undo_leads_back),
      cmocka_unit_test(pages_predict_the_same),
      cmocka_unit_test(driven_nodes_have_sensitivities),
      cmocka_unit_test(directions_lead_uphill),
      cmocka_unit_test(predictions_leave_steps_alone),
      cmocka_unit_test(glances_are_predictions),
      cmocka_unit_test(cancelled_steps_change_nothing),
      cmocka_unit_test(scenes_that_cannot_be_explored),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
