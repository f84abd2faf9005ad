// Explorations as pages ask for them: steps, predictions in between, what is refused.
#include "check.h"
#include "recorder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "test_studio_explore"

static int number(const json_t *o, const char *key) {
  return (int)json_integer_value(json_object_get(o, key));
}

static double real(const json_t *o, const char *key) {
  return json_number_value(json_object_get(o, key));
}

static int explore(studio *s, int *run) {
  json_t *reply =
      ask_for(s, "explore", json_pack("{s:s, s:s}", "path", "a.yaml", "text", pendulum_scene));
  int session = number(reply, "session");
  *run = number(reply, "run");
  json_decref(reply);
  return session;
}

static json_t *values_of(double m, double a, double omega) {
  return json_pack("[f, f, f]", m, a, omega);
}

// the Explored of a step, which stays the recorder's
static const json_t *take_step(studio *s, const char *op, int session, json_t *values) {
  json_t *args = json_pack("{s:i}", "session", session);
  if (values) json_object_set_new(args, "values", values);
  json_t *reply = ask_for(s, op, args);
  int run = number(reply, "run");
  json_decref(reply);
  assert_string_equal(wait_for(s, run, 60), "done");
  assert_int_equal(count_events("explored", run), 1);
  return json_object_get(event_at("explored", run, 0), "explored");
}

static const json_t *watched_of(const json_t *explored, int k) {
  return json_array_get(json_object_get(explored, "watched"), (size_t)k);
}

static void steps_and_predictions(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  int run, session = explore(s, &run);
  assert_string_equal(wait_for(s, run, 60), "done");
  const json_t *now = json_object_get(event_at("explored", run, 0), "explored");
  assert_int_equal(number(now, "step"), 0);
  assert_true(json_is_null(json_object_get(now, "predictionError")));
  const json_t *parameters = json_object_get(now, "parameters");
  assert_int_equal(json_array_size(parameters), 3);
  const json_t *m = json_array_get(parameters, 0), *hertz = json_array_get(parameters, 2);
  assert_string_equal(json_string_value(json_object_get(m, "unit")), "g");
  check_close(real(m, "factor"), 1e-3, 1e-15);
  check_close(real(m, "max"), 1, 1e-12);
  assert_true(json_is_true(json_object_get(m, "log")));
  assert_string_equal(json_string_value(json_object_get(hertz, "unit")), "Hz");
  double omega = real(hertz, "value"), path = real(watched_of(now, 0), "amplitude");
  check_close(omega, 2.2 * acos(-1.0), 1e-9);
  size_t n;
  const float *S = reals_of(s, json_object_get(now, "sensitivity"), &n);
  assert_int_equal(n, 3 * 2 * 3 * 11);
  check_close(S[66 + 1], 1, 1e-6); // of the base's sine by the drive
  const float *z = reals_of(s, json_object_get(json_object_get(now, "orbit"), "coefficients"), &n);
  assert_int_equal(n, 2 * 3 * 11);
  check_close(z[1], 2e-3, 1e-9);

  json_t *near = ask_for(
      s, "predict",
      json_pack("{s:i, s:o}", "session", session, "values", values_of(0.1, 2.02e-3, omega)));
  json_t *far = ask_for(
      s, "predict",
      json_pack("{s:i, s:o}", "session", session, "values", values_of(0.1, 2.02e-3, 1.5 * omega)));
  assert_true(json_is_null(json_object_get(near, "orbit")));
  check_less(real(near, "trust"), 0.01);
  assert_true(real(far, "trust") > 0.2);
  json_decref(near);
  json_decref(far);

  now = take_step(s, "commit", session, values_of(0.1, 2.2e-3, omega));
  assert_int_equal(number(now, "step"), 1);
  check_close(real(watched_of(now, 0), "amplitude") / path, 1.1, 0.01);
  check_less(real(now, "predictionError"), 0.01);
  json_t *again = ask_for(s, "explored", json_pack("{s:i}", "session", session));
  assert_true(json_equal(json_object_get(again, "explored"), now));
  json_decref(again);

  now = take_step(s, "undo", session, NULL);
  assert_int_equal(number(now, "step"), 0);
  check_close(real(watched_of(now, 0), "amplitude"), path, 1e-9 * path);
  recorder_close(s);
}

// what was explored is done again with the same figures, whatever else was asked for meanwhile
static void explorations_are_replayed(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  char path[3 * PL_TEXT];
  pl_env env;
  int run;
  // one that fails: those that follow have other numbers when it is left out
  json_t *reply =
      ask_for(s, "explore", json_pack("{s:s, s:s}", "path", "a.yaml", "text", "pliant: 1\n"));
  assert_string_equal(wait_for(s, number(reply, "run"), 60), "failed");
  json_decref(reply);
  int first = explore(s, &run), second = explore(s, &run);
  assert_string_equal(wait_for(s, run, 60), "done");
  assert_int_equal(first, 2);
  double omega = 2.2 * acos(-1.0);
  json_decref(ask_for(
      s, "predict",
      json_pack("{s:i, s:o}", "session", second, "values", values_of(0.13, 2.1e-3, omega))));
  take_step(s, "commit", second, values_of(0.1, 2.2e-3, omega));
  take_step(s, "commit", first, values_of(0.11, 2e-3, omega));
  take_step(s, "undo", second, NULL);
  pl_env_init(&env);
  snprintf(path, sizeof path, "%s/studio.jsonl", s->folder);
  check_ok(&env, pl_studio_replay(&env, &(pl_studio_opts){.threads = 1}, path));
  recorder_close(s);
}

static void directions(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  int run, session = explore(s, &run);
  assert_string_equal(wait_for(s, run, 60), "done");
  double slope[2];
  const json_t *gradient = json_object_get(
      watched_of(json_object_get(event_at("explored", run, 0), "explored"), 0), "gradient");
  for (int down = 0; down < 2; down++) {
    json_t *reply = ask_for(s, "direction",
                            json_pack("{s:i, s:s, s:[i, i], s:b}", "session", session, "watched",
                                      "tip", "parameters", 1, 2, "down", down));
    const json_t *change = json_object_get(reply, "change");
    assert_int_equal(json_array_size(change), 3);
    assert_true(json_number_value(json_array_get(change, 0)) == 0);
    slope[down] = 0;
    for (size_t k = 0; k < 3; k++)
      slope[down] += json_number_value(json_array_get(change, k)) *
                     json_number_value(json_array_get(gradient, k));
    json_decref(reply);
  }
  assert_true(slope[0] > 0 && slope[1] < 0);
  assert_string_equal(refused(s, "direction",
                              json_pack("{s:i, s:s, s:[i]}", "session", session, "watched", "toe",
                                        "parameters", 0)),
                      "not-found");
  recorder_close(s);
}

static void what_is_refused(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  int run, session = explore(s, &run);
  assert_string_equal(wait_for(s, run, 60), "done");
  assert_string_equal(
      refused(s, "predict", json_pack("{s:i, s:[f, f]}", "session", session, "values", 0.1, 2e-3)),
      "bad-request");
  for (int k = 0; k < 2; k++) {
    const char *op = k ? "commit" : "predict";
    assert_string_equal(
        refused(s, op,
                json_pack("{s:i, s:[s, f, f]}", "session", session, "values", "0.1", 2e-3, 7.0)),
        "bad-request");
    assert_string_equal(refused(s, op, json_pack("{s:i}", "session", session)), "bad-request");
    assert_string_equal(
        refused(s, op, json_pack("{s:i, s:o}", "session", 77, "values", values_of(0.1, 2e-3, 7))),
        "not-found");
    assert_string_equal(refused(s, op, json_pack("{s:s}", "session", "1")), "not-found");
  }
  assert_string_equal(
      refused(s, "explore", json_pack("{s:s, s:s}", "path", "../a.yaml", "text", pendulum_scene)),
      "bad-request");
  assert_string_equal(
      refused(s, "explore",
              json_pack("{s:s, s:s, s:[i]}", "path", "a.yaml", "text", pendulum_scene, "set", 1)),
      "bad-request");
  recorder_close(s);
}

// a scene with an error, without a frequency, and values that stay
static void what_fails(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  json_t *reply =
      ask_for(s, "explore", json_pack("{s:s, s:s}", "path", "a.yaml", "text", "pliant: 1\nx: 3\n"));
  int run = number(reply, "run"), session = number(reply, "session");
  json_decref(reply);
  assert_string_equal(wait_for(s, run, 60), "failed");
  json_t *items = items_of(s, run);
  assert_non_null(item_at(items, "message", 0));
  json_decref(items);
  assert_string_equal(refused(s, "explored", json_pack("{s:i}", "session", session)), "not-found");

  session = explore(s, &run);
  assert_string_equal(wait_for(s, run, 60), "done");
  reply = ask_for(s, "undo", json_pack("{s:i}", "session", session));
  assert_string_equal(wait_for(s, number(reply, "run"), 60), "failed");
  json_decref(reply);
  reply = ask_for(s, "commit", json_pack("{s:i, s:[f, f]}", "session", session, "values", 1., 2.));
  assert_string_equal(wait_for(s, number(reply, "run"), 60), "failed");
  json_decref(reply);
  const json_t *now = take_step(s, "commit", session, values_of(0.12, 2e-3, 6.9));
  assert_int_equal(number(now, "step"), 1);
  recorder_close(s);
}

// values that were set besides are a step; old explorations make room
static void opened_at_values(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  json_t *reply =
      ask_for(s, "explore",
              json_pack("{s:s, s:s, s:[s, s], s:f, s:i}", "path", "a.yaml", "text", pendulum_scene,
                        "set", "m=120 g", "damping.mass=3", "frequency", 6.5, "harmonics", 3));
  int run = number(reply, "run"), first = number(reply, "session");
  json_decref(reply);
  assert_string_equal(wait_for(s, run, 60), "done");
  const json_t *now = json_object_get(event_at("explored", run, 0), "explored");
  const json_t *m = json_array_get(json_object_get(now, "parameters"), 0);
  check_close(real(m, "value"), 0.12, 1e-15);
  check_close(real(now, "omega"), 6.5, 1e-12);
  assert_int_equal(number(json_object_get(now, "orbit"), "harmonics"), 3);
  assert_int_equal(number(now, "step"), 1);
  json_t *items = items_of(s, run);
  const json_t *f = json_object_get(item_at(items, "figures", 0), "figures");
  assert_true(json_is_true(json_object_get(f, "moved")));
  check_close(real(json_object_get(json_object_get(f, "amplitude"), "tip"), "solved_m"),
              real(watched_of(now, 0), "amplitude"), 1e-15);
  json_decref(items);

  int session = 0;
  for (int k = 0; k < 3; k++) session = explore(s, &run);
  assert_string_equal(wait_for(s, run, 60), "done");
  assert_string_equal(refused(s, "explored", json_pack("{s:i}", "session", first)), "not-found");
  json_decref(ask_for(s, "leave", json_pack("{s:i}", "session", session)));
  assert_string_equal(refused(s, "explored", json_pack("{s:i}", "session", session)), "not-found");
  recorder_close(s);
}

int test_explore(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_and_predictions),
      cmocka_unit_test(directions),
      cmocka_unit_test(explorations_are_replayed),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(what_fails),
      cmocka_unit_test(opened_at_values),
  };
  return cmocka_run_group_tests_name("explore", tests, NULL, NULL);
}
