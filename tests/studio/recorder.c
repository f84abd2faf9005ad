#include "recorder.h"

#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char pendulum_scene[] = "pliant: 1\n"
                              "title: a pendulum on a spring\n"
                              "dimension: 2\n"
                              "parameters:\n"
                              "  m: {value: 100 g, min: 10 g, max: 1 kg}\n"
                              "  a: {value: 2 mm, min: 0.5 mm, max: 10 mm}\n"
                              "mechanism:\n"
                              "  joints: {base: [0, 0], tip: [0, -0.1]}\n"
                              "  links: [{joints: [base, tip], stiffness: 2e3 N/m}]\n"
                              "masses: [{node: tip, mass: $m}]\n"
                              "drives: [{nodes: [base], translation: [$a, 0.2 mm]}]\n"
                              "gravity: [0, -9.81]\n"
                              "damping: {mass: 2, stiffness: 1e-3}\n"
                              "watch: {tip: tip, base: base}\n"
                              "analyses: [{periodic: {frequency: 1.1 Hz, harmonics: 5}}]\n";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static json_t *events;
static int frames, recording;

void __real_push_event(studio *s, json_t *event);
void __real_push_latest(studio *s, const char *key, json_t *event);
void __real_push_frame(studio *s, int run, double t, int n, const float *values);
void __wrap_push_event(studio *s, json_t *event);
void __wrap_push_latest(studio *s, const char *key, json_t *event);
void __wrap_push_frame(studio *s, int run, double t, int n, const float *values);

static int record(json_t *event) {
  pthread_mutex_lock(&lock);
  int on = recording;
  if (on) json_array_append_new(events, event);
  pthread_mutex_unlock(&lock);
  return on;
}

void __wrap_push_event(studio *s, json_t *event) {
  if (!record(event)) __real_push_event(s, event);
}

void __wrap_push_latest(studio *s, const char *key, json_t *event) {
  if (!record(event)) __real_push_latest(s, key, event);
}

void __wrap_push_frame(studio *s, int run, double t, int n, const float *values) {
  pthread_mutex_lock(&lock);
  int on = recording;
  frames += on;
  pthread_mutex_unlock(&lock);
  if (!on) __real_push_frame(s, run, t, n, values);
}

studio *recorder_open(const char *folder) {
  char here[PL_TEXT], path[3 * PL_TEXT], command[8 * PL_TEXT];
  studio *s = calloc(1, sizeof *s);
  assert_non_null(s);
  assert_non_null(getcwd(here, sizeof here));
  snprintf(path, sizeof path, "%s/%s", here, folder);
  snprintf(command, sizeof command, "rm -rf '%s' && mkdir '%s'", path, path);
  assert_int_equal(system(command), 0);
  pl_env_init(&s->host);
  s->folder = strdup(path);
  s->folder_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_true(s->folder_fd >= 0);
  s->threads = 1;
  events = json_array();
  frames = 0;
  recording = 1;
  check_ok(&s->host, data_create(s));
  check_ok(&s->host, gallery_create(s));
  check_ok(&s->host, models_create(s));
  check_ok(&s->host, journal_create(s));
  check_ok(&s->host, explorations_create(s));
  check_ok(&s->host, runs_create(s));
  return s;
}

void recorder_close(studio *s) {
  runs_free(s);
  journal_free(s);
  explorations_free(s);
  models_free(s);
  gallery_free(s);
  data_free(s);
  pthread_mutex_lock(&lock);
  recording = 0;
  json_decref(events);
  pthread_mutex_unlock(&lock);
  close(s->folder_fd);
  free(s->folder);
  free(s);
}

json_t *ask_for(studio *s, const char *op, json_t *args) {
  failure f = {0};
  assert_non_null(args);
  json_t *reply = dispatch(s, op, args, &f);
  if (!reply) fail_msg("%s: %s: %s", op, f.code, f.text);
  json_decref(args);
  return reply;
}

const char *refused(studio *s, const char *op, json_t *args) {
  failure f = {0};
  assert_non_null(args);
  assert_null(dispatch(s, op, args, &f));
  json_decref(args);
  assert_true(f.text[0] != 0);
  return f.code;
}

static const json_t *event_of(const char *kind, int run, int n, int *count) {
  const json_t *found = NULL;
  json_t *one;
  size_t k;
  *count = 0;
  pthread_mutex_lock(&lock);
  json_array_foreach(events, k, one) {
    const json_t *of = json_object_get(one, "run");
    json_int_t number = json_integer_value(json_is_object(of) ? json_object_get(of, "run") : of);
    if (strcmp(json_string_value(json_object_get(one, "event")), kind) != 0) continue;
    if (run && number != run) continue;
    if ((*count)++ == n) found = one;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

int count_events(const char *kind, int run) {
  int n;
  event_of(kind, run, -1, &n);
  return n;
}

const json_t *event_at(const char *kind, int run, int n) {
  int count;
  const json_t *e = event_of(kind, run, n, &count);
  assert_non_null(e);
  return e;
}

int count_frames(void) {
  pthread_mutex_lock(&lock);
  int n = frames;
  pthread_mutex_unlock(&lock);
  return n;
}

const char *wait_for(studio *s, int run, double seconds) {
  static const char *const ended[] = {"done", "unsolved", "cancelled", "failed"};
  (void)s;
  for (double end = pl_wall_time() + seconds; pl_wall_time() < end; usleep(1000)) {
    int n = count_events("run", run);
    if (n == 0) continue;
    const char *state = json_string_value(
        json_object_get(json_object_get(event_at("run", run, n - 1), "run"), "state"));
    for (int k = 0; k < 4; k++)
      if (strcmp(state, ended[k]) == 0) return ended[k];
  }
  fail_msg("run %d takes more than %g s", run, seconds);
  return "";
}

json_t *items_of(studio *s, int run) {
  json_t *reply = ask_for(s, "items", json_pack("{s:i, s:i}", "run", run, "from", 0));
  json_t *items = json_incref(json_object_get(reply, "items"));
  json_decref(reply);
  return items;
}

const json_t *item_at(const json_t *items, const char *kind, int n) {
  json_t *one;
  size_t k;
  json_array_foreach(items, k, one) {
    if (strcmp(json_string_value(json_object_get(one, "kind")), kind) == 0 && n-- == 0) return one;
  }
  return NULL;
}

static const void *values_of(studio *s, const json_t *ref, const char *type, size_t *n) {
  json_t *side;
  size_t k;
  *n = 1;
  assert_string_equal(json_string_value(json_object_get(ref, "type")), type);
  json_array_foreach(json_object_get(ref, "shape"), k, side) {
    *n *= (size_t)json_integer_value(side);
  }
  const blob *b = data_find(s, json_string_value(json_object_get(ref, "url")));
  assert_non_null(b);
  assert_int_equal(b->n, 4 * *n);
  const void *bytes = b->bytes;
  // it stays where it is until its group is dropped
  data_release(s, b);
  return bytes;
}

const float *reals_of(studio *s, const json_t *ref, size_t *n) {
  return values_of(s, ref, "f32", n);
}

const int *ints_of(studio *s, const json_t *ref, size_t *n) {
  return values_of(s, ref, "i32", n);
}
