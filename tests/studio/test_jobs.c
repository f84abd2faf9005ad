// Jobs of a studio: scenes that are checked and run, what is told of them, how they are stopped,
// gone on with and forgotten.
#include "check.h"
#include "recorder.h"
#include "runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "test_studio_jobs"

// a chain of two links with a spring, which is shaken
static const char chain[] =
    "pliant: 1\n"
    "title: two links\n"
    "units: {length: mm, mass: g}\n"
    "dimension: 2\n"
    "parameters: {m: {value: 20 g, min: 5 g, max: 50 g}}\n"
    "mechanism:\n"
    "  joints: {a: [0, 0], b: [0, -100], c: [50, -180]}\n"
    "  links: [{name: upper, joints: [a, b], stiffness: 1e5 N/m},\n"
    "          {name: lower, joints: [b, c], stiffness: 1e5 N/m}]\n"
    "  springs: [{from: upper@0.5, to: lower@0.5, stiffness: 20 N/m, rest: 80}]\n"
    "masses: [{node: b, mass: 10 g}, {node: c, mass: $m}]\n"
    "drives: [{name: shake, nodes: [a], translation: [5, 1]}]\n"
    "gravity: [0, -9.81 m/s^2]\n"
    "damping: {mass: 1 1/s, stiffness: 1e-5 s}\n"
    "sets: {tip: [c]}\n"
    "watch: {tip: c}\n"
    "analyses:\n";

static char *scene_of(const char *analyses) {
  char *text = malloc(sizeof chain + strlen(analyses));
  assert_non_null(text);
  sprintf(text, "%s%s", chain, analyses);
  return text;
}

static int start(studio *s, const char *path, const char *analyses) {
  char *text = scene_of(analyses);
  json_t *reply = ask_for(s, "run", json_pack("{s:s, s:s}", "path", path, "text", text));
  int run = (int)json_integer_value(json_object_get(reply, "run"));
  assert_true(run > 0);
  json_decref(reply);
  free(text);
  return run;
}

static json_t *check_text(studio *s, const char *text) {
  return ask_for(s, "check", json_pack("{s:s, s:s}", "path", "chain.yaml", "text", text));
}

static const char *text_at(const json_t *o, const char *key) {
  return json_string_value(json_object_get(o, key));
}

// ---- scenes -------------------------------------------------------------------------------------

static void scenes_are_checked(void **unused) {
  (void)unused;
  size_t n;
  studio *s = recorder_open(FOLDER);
  char *text = scene_of("  - static: {}\n");
  json_t *good = check_text(s, text);
  const json_t *m = json_object_get(good, "model");
  assert_string_equal(text_at(m, "title"), "two links");
  assert_int_equal(json_integer_value(json_object_get(m, "nvert")), 3);
  const float *x = reals_of(s, json_object_get(m, "x"), &n);
  assert_int_equal(n, 9);
  check_close(x[7], -0.18, 1e-7);
  assert_int_equal(ints_of(s, json_object_get(m, "segments"), &n)[3], 2);
  assert_int_equal(n, 4);
  ints_of(s, json_object_get(m, "points"), &n);
  assert_int_equal(n, 3);
  reals_of(s, json_object_get(json_object_get(m, "springs"), "ends"), &n);
  assert_int_equal(n, 6);
  const json_t *drive = json_array_get(json_object_get(m, "drives"), 0);
  assert_string_equal(text_at(drive, "name"), "shake");
  assert_non_null(strstr(text_at(drive, "text"), "1 node, x y (2 unknowns), translation"));
  check_close(json_real_value(json_array_get(json_object_get(drive, "axis"), 1)), sqrt(1 / 26.0),
              1e-15);
  const json_t *p = json_array_get(json_object_get(m, "parameters"), 0);
  assert_string_equal(text_at(p, "unit"), "g");
  check_close(json_real_value(json_object_get(p, "value")), 0.02, 0);
  check_close(json_real_value(json_object_get(p, "factor")), 1e-3, 0);
  assert_non_null(strstr(text_at(m, "describe"), "analysis   static"));
  free(text);

  // what is wrong is told with its place, and there is no model
  json_t *bad = check_text(s, "pliant: 1\nnodes: {a: [0, 0, 0]}\nspings: []\n");
  const json_t *problem = json_array_get(json_object_get(bad, "problems"), 0);
  assert_true(json_is_null(json_object_get(bad, "model")));
  assert_string_equal(text_at(problem, "level"), "error");
  assert_string_equal(text_at(problem, "file"), "chain.yaml");
  assert_int_equal(json_integer_value(json_object_get(problem, "line")), 3);
  assert_non_null(strstr(text_at(problem, "hint"), "springs"));
  assert_true(json_integer_value(json_object_get(bad, "rev")) >
              json_integer_value(json_object_get(good, "rev")));
  json_decref(good);
  json_decref(bad);
  recorder_close(s);
}

static void few_models_are_kept(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  char *text = scene_of("  - static: {}\n");
  json_int_t first = 0, last = 0;
  size_t bytes = 0;
  for (int k = 0; k < 20; k++) {
    json_t *reply = check_text(s, text);
    last = json_integer_value(json_object_get(reply, "rev"));
    if (k == 0) first = last;
    if (k == 3) bytes = data_bytes(s);
    json_decref(reply);
  }
  assert_int_equal(data_bytes(s), bytes);
  assert_string_equal(refused(s, "model", json_pack("{s:I}", "rev", first)), "not-found");
  json_decref(ask_for(s, "model", json_pack("{s:I}", "rev", last)));
  free(text);
  recorder_close(s);
}

static void nothing_beyond_the_folder(void **unused) {
  (void)unused;
  static const char *const path[] = {"/etc/x.yaml", "../x.yaml", "a/../../x.yaml", ""};
  studio *s = recorder_open(FOLDER);
  for (int k = 0; k < 4; k++) {
    refused(s, "check", json_pack("{s:s, s:s}", "path", path[k], "text", "pliant: 1\n"));
    refused(s, "run", json_pack("{s:s, s:s}", "path", path[k], "text", "pliant: 1\n"));
  }
  json_t *r = check_text(s, "pliant: 1\nmaterials: {m: {young: 1 Pa, poisson: 0, density: 1}}\n"
                            "bodies: [{name: b, shell: {mesh: ../../../x.obj, material: m, "
                            "thickness: 1 mm}}]\n");
  assert_true(json_is_null(json_object_get(r, "model")));
  assert_non_null(
      strstr(text_at(json_array_get(json_object_get(r, "problems"), 0), "text"), "x.obj"));
  json_decref(r);
  recorder_close(s);
}

static void gallery_and_schema(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  json_t *g = ask_for(s, "gallery", json_object()), *one, *p;
  size_t k;
  int fish = 0;
  json_array_foreach(json_object_get(g, "cards"), k, one) {
    fish += strcmp(text_at(one, "name"), "fish") == 0 &&
            strcmp(text_at(one, "title"), "wire fish") == 0;
  }
  assert_int_equal(fish, 1);
  p = ask_for(s, "schema", json_object());
  assert_true(json_array_size(json_object_get(p, "paths")) > 100);
  json_decref(g);
  json_decref(p);
  recorder_close(s);
}

// ---- what is told -------------------------------------------------------------------------------

static json_t *summary_of(const studio *s, const char *folder) {
  char path[3 * PL_TEXT];
  json_error_t why;
  snprintf(path, sizeof path, "%s/%s/summary.json", s->folder, folder);
  json_t *all = json_load_file(path, 0, &why);
  if (!all) fail_msg("%s: %s", path, why.text);
  return all;
}

// to the last bit, whatever numbers they are
static void items_have_the_figures(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  int run = start(s, "chain.yaml",
                  "  - static: {}\n"
                  "  - modes: {count: 2, about: static}\n"
                  "  - transient: {duration: 0.5 s, step: 1 ms, frequency: 2 Hz, about: static}\n"
                  "  - response: {from: 1 Hz, to: 4 Hz, harmonics: 3, about: static}\n");
  assert_string_equal(wait_for(s, run, 100), "done");
  json_t *items = items_of(s, run), *all = summary_of(s, "chain.results"), *one;
  size_t k;
  json_array_foreach(json_object_get(all, "analyses"), k, one) {
    const json_t *item = item_at(items, "figures", (int)k);
    assert_non_null(item);
    assert_string_equal(text_at(item, "analysis"), text_at(one, "name"));
    assert_true(json_equal(json_object_get(item, "figures"), one));
  }
  assert_int_equal(k, 4);
  // what they are told as reads back to the same
  char *text = json_dumps(items, JSON_REAL_PRECISION(17) | JSON_COMPACT);
  json_t *back = json_loads(text, 0, NULL);
  assert_true(json_equal(back, items));
  free(text);
  json_decref(back);
  assert_non_null(item_at(items, "summary", 0));
  assert_int_equal(count_events("item", run), json_array_size(items));
  for (int i = 0; i < count_events("item", run); i++) {
    assert_int_equal(json_integer_value(json_object_get(event_at("item", run, i), "n")), i);
    assert_true(json_object_get(event_at("item", run, i), "item") ==
                json_array_get(items, (size_t)i));
  }
  json_decref(items);
  json_decref(all);
  recorder_close(s);
}

static const json_t *table_named(const json_t *items, const char *name) {
  const json_t *t;
  for (int k = 0; (t = item_at(items, "table", k)); k++)
    if (strcmp(text_at(t, "name"), name) == 0) return t;
  fail_msg("no table '%s'", name);
  return NULL;
}

// rows as they come are those of the table in the end; motions are those of its rows
static void rows_and_motions(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  int run = start(s, "chain.yaml",
                  "  - static: {}\n"
                  "  - response: {from: 1 Hz, to: 4 Hz, harmonics: 3, about: static}\n");
  assert_string_equal(wait_for(s, run, 100), "done");
  json_t *items = items_of(s, run);
  const json_t *t = table_named(items, "response");
  size_t n, cols = json_array_size(json_object_get(t, "columns"));
  const float *data = reals_of(s, json_object_get(t, "data"), &n);
  int seen = 0, rows = (int)(n / cols);
  for (int k = 0; k < count_events("rows", run); k++) {
    const json_t *e = event_at("rows", run, k), *more = json_object_get(e, "rows");
    if (strcmp(text_at(e, "table"), "response") != 0) continue;
    int first = (int)json_integer_value(json_object_get(e, "first"));
    assert_true(first <= seen);
    seen = first + (int)json_array_size(more);
    for (size_t i = 0; i < json_array_size(more); i++)
      check_close(json_number_value(json_array_get(json_array_get(more, i), 0)),
                  data[((size_t)first + i) * cols], 1e-6);
  }
  // the end of the range is in the whole table alone
  assert_in_range(seen, rows - 2, rows);

  // the tip's path of a row is that of its motion
  json_t *reply =
      ask_for(s, "motion", json_pack("{s:i, s:s, s:i}", "run", run, "table", "response", "row", 7));
  const json_t *o = json_object_get(reply, "orbit");
  assert_int_equal(json_integer_value(json_object_get(reply, "row")), 7);
  check_close(json_real_value(json_object_get(o, "omega")) / (2 * acos(-1)), data[7 * cols], 1e-6);
  const float *z = reals_of(s, json_object_get(o, "coefficients"), &n);
  assert_int_equal(n, 3 * 3 * 7);
  double path = 0, was[2] = {0};
  for (int i = 0; i <= 4096; i++) {
    double x[2];
    for (int c = 0; c < 2; c++) {
      x[c] = z[(6 + c) * 7];
      for (int h = 1; h <= 3; h++)
        x[c] += z[(6 + c) * 7 + 2 * h - 1] * sin(2 * acos(-1) * h * i / 4096) +
                z[(6 + c) * 7 + 2 * h] * cos(2 * acos(-1) * h * i / 4096);
    }
    if (i) path += hypot(x[0] - was[0], x[1] - was[1]);
    memcpy(was, x, sizeof was);
  }
  check_rel(path, data[7 * cols + 7], 1e-4);
  json_decref(reply);
  // the nearest one that there is
  reply = ask_for(s, "motion",
                  json_pack("{s:i, s:s, s:i}", "run", run, "table", "response", "row", 1000000));
  assert_int_equal(json_integer_value(json_object_get(reply, "row")), rows - 1);
  json_decref(reply);
  json_decref(items);
  recorder_close(s);
}

// of a long table that grows pages get some rows, evenly
static void long_tables_are_thinned(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  int run =
      start(s, "chain.yaml", "  - transient: {duration: 30 s, step: 1 ms, frequency: 2 Hz}\n");
  assert_string_equal(wait_for(s, run, 100), "done");
  int every = 1, have = 0;
  for (int k = 0; k < count_events("rows", run); k++) {
    const json_t *e = event_at("rows", run, k), *more = json_object_get(e, "rows");
    int first = (int)json_integer_value(json_object_get(e, "first")),
        now = (int)json_integer_value(json_object_get(e, "every"));
    assert_true(now >= every && first <= have && (now == every || first == 0));
    every = now;
    have = first + (int)json_array_size(more);
    assert_true(have <= 2000);
    for (size_t i = 0; i < json_array_size(more); i++)
      check_close(json_number_value(json_array_get(json_array_get(more, i), 0)),
                  1e-3 * every * (first + (int)i), 1e-9);
  }
  assert_int_equal(every, 16);
  assert_int_equal(have, 30000 / 16 + 1);
  json_t *items = items_of(s, run);
  assert_int_equal(json_integer_value(json_object_get(table_named(items, "transient"), "rows")),
                   30001);
  json_decref(items);
  recorder_close(s);
}

// ---- stopping, going on, forgetting -------------------------------------------------------------

static const char long_motion[] =
    "  - transient: {duration: 10000 s, step: 1 ms, frequency: 2 Hz}\n";

static void wait_for_rows(int run) {
  for (int k = 0; k < 10000 && count_events("rows", run) < 2; k++) usleep(1000);
  assert_true(count_events("rows", run) >= 2);
}

static void runs_are_cancelled(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  int run = start(s, "chain.yaml", long_motion), waits = start(s, "chain.yaml", long_motion);
  wait_for_rows(run);
  // what there is is told to pages that come late
  json_t *now = ask_for(s, "live", json_pack("{s:i}", "run", run));
  const json_t *t = json_array_get(json_object_get(now, "tables"), 0);
  size_t n;
  assert_string_equal(text_at(t, "name"), "transient");
  reals_of(s, json_object_get(t, "data"), &n);
  assert_int_equal(n, json_array_size(json_object_get(t, "columns")) *
                          (size_t)json_integer_value(json_object_get(t, "rows")));
  json_decref(now);
  json_decref(ask_for(s, "cancel", json_pack("{s:i}", "run", waits)));
  assert_string_equal(wait_for(s, waits, 1), "cancelled");
  double since = pl_wall_time();
  json_decref(ask_for(s, "cancel", json_pack("{s:i}", "run", run)));
  assert_string_equal(wait_for(s, run, 10), "cancelled");
  check_less(pl_wall_time() - since, 1);
  assert_true(count_frames() > 0 && count_events("progress", run) > 0);
  assert_string_equal(refused(s, "cancel", json_pack("{s:i}", "run", 99)), "not-found");
  recorder_close(s);
}

// what differs from run to run is left out
static json_t *plain_figures(const json_t *items) {
  json_t *f = json_deep_copy(json_object_get(item_at(items, "figures", 0), "figures"));
  assert_non_null(f);
  json_object_del(f, "seconds");
  json_object_del(f, "factorisations"); // one more where it goes on
  return f;
}

static const char design[] =
    "  - design: {frequency: 2.5 Hz, harmonics: 3, variables: all, proof: no, response: no,\n"
    "      objectives: [{amplitude: 60, node: tip}]}\n";

static void designs_pause_and_go_on(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  int whole = start(s, "chain.yaml", design);
  assert_string_equal(wait_for(s, whole, 100), "done");
  json_t *items = items_of(s, whole), *want = plain_figures(items);
  json_decref(items);
  int n = count_events("iterate", whole);
  assert_true(n >= 3);
  const json_t *first = event_at("iterate", whole, 0), *last = event_at("iterate", whole, n - 1);
  assert_int_equal(json_integer_value(json_object_get(first, "iteration")), 0);
  assert_int_equal(json_integer_value(json_object_get(last, "iteration")), n - 1);
  check_close(json_number_value(json_object_get(json_object_get(first, "values"), "m")), 0.02, 0);
  assert_int_equal(json_array_size(json_object_get(last, "orbits")), 1);

  // told to pause as soon as there is a step
  int run = start(s, "chain.yaml", design);
  for (int k = 0; k < 100000 && count_events("iterate", run) == 0; k++) usleep(100);
  json_decref(ask_for(s, "pause", json_pack("{s:i}", "run", run)));
  const char *state = wait_for(s, run, 100);
  assert_string_equal(state, "cancelled");
  json_t *reply = ask_for(s, "resume", json_pack("{s:i}", "run", run));
  int rest = (int)json_integer_value(json_object_get(reply, "run"));
  json_decref(reply);
  assert_string_equal(wait_for(s, rest, 100), "done");
  items = items_of(s, rest);
  json_t *got = plain_figures(items);
  assert_true(json_equal(got, want));
  assert_true(count_events("iterate", rest) < n);
  refused(s, "resume", json_pack("{s:i}", "run", rest));
  json_decref(items);
  json_decref(got);
  json_decref(want);
  recorder_close(s);
}

static void old_runs_go(void **unused) {
  (void)unused;
  enum { RUNS = 200 };
  studio *s = recorder_open(FOLDER);
  size_t bytes = 0;
  for (int k = 1; k <= RUNS; k++) {
    int run = start(s, "chain.yaml", "  - static: {}\n");
    assert_string_equal(wait_for(s, run, 100), "done");
    if (k == RUNS / 2) bytes = data_bytes(s);
  }
  json_t *reply = ask_for(s, "runs", json_object());
  size_t kept = json_array_size(json_object_get(reply, "runs"));
  assert_in_range(kept, 10, 50);
  assert_int_equal(count_events("dropped", 0), RUNS - (int)kept);
  assert_int_equal(data_bytes(s), bytes);
  assert_string_equal(refused(s, "items", json_pack("{s:i, s:i}", "run", 1, "from", 0)),
                      "not-found");
  json_decref(reply);
  recorder_close(s);
}

// of what is told without end some is kept, and figures always
static void items_are_bounded(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  job *r = runs_open(s, "scene", "x");
  char text[1001];
  memset(text, 'x', 1000);
  text[1000] = 0;
  assert_non_null(r);
  for (int k = 0; k < 5000; k++) run_item(r, json_pack("{s:s, s:s}", "kind", "text", "csv", text));
  run_item(r, NULL);
  run_item(r, json_pack("{s:s, s:{}}", "kind", "figures", "figures"));
  json_t *items = items_of(s, run_number(r));
  char *all = json_dumps(items, JSON_COMPACT);
  assert_in_range(strlen(all), 1900000, 2200000);
  assert_non_null(strstr(text_at(item_at(items, "message", 0), "text"), "too much"));
  assert_null(item_at(items, "message", 1));
  assert_non_null(item_at(items, "figures", 0));
  free(all);
  json_decref(items);
  runs_close(r, PL_OK);
  recorder_close(s);
}

// ---- results ------------------------------------------------------------------------------------

static json_t *open_results(studio *s, const char *path, int *run) {
  json_t *reply = ask_for(s, "results", json_pack("{s:s}", "path", path));
  *run = (int)json_integer_value(json_object_get(reply, "run"));
  json_decref(reply);
  return items_of(s, *run);
}

static void same_reals(studio *s, const json_t *a, const json_t *b, double tol) {
  size_t n, m;
  const float *x = reals_of(s, a, &n), *y = reals_of(s, b, &m);
  assert_int_equal(n, m);
  for (size_t i = 0; i < n; i++)
    if (!(fabs(x[i] - y[i]) <= tol) && !(isnan(x[i]) && isnan(y[i])))
      fail_msg("entry %zu: %g, not %g", i, x[i], y[i]);
}

// what a run has written is shown as what it told, as far as files have it
static void results_are_opened(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  int run = start(s, "chain.yaml",
                  "  - static: {}\n"
                  "  - modes: {count: 2, about: static}\n"
                  "  - transient: {duration: 0.5 s, step: 1 ms, frequency: 2 Hz, about: static}\n"
                  "  - periodic: {frequency: 2.5 Hz, harmonics: 3, about: static}\n"
                  "  - response: {from: 1 Hz, to: 4 Hz, harmonics: 3, about: static}\n"),
      opened;
  assert_string_equal(wait_for(s, run, 100), "done");
  json_t *told = items_of(s, run), *items = open_results(s, "chain.results", &opened);
  assert_string_equal(wait_for(s, opened, 1), "done");
  for (int k = 0; k < 5; k++) {
    const json_t *a = item_at(told, "figures", k), *b = item_at(items, "figures", k);
    assert_true(json_equal(a, b));
  }
  const json_t *t;
  int n = 0;
  for (; (t = item_at(items, "table", n)); n++) {
    const json_t *was = table_named(told, text_at(t, "name"));
    assert_true(json_equal(json_object_get(t, "columns"), json_object_get(was, "columns")));
    same_reals(s, json_object_get(t, "data"), json_object_get(was, "data"), 0);
  }
  assert_true(n >= 5);
  const json_t *film = item_at(items, "film", 0), *was = item_at(told, "film", 0);
  same_reals(s, json_object_get(film, "x"), json_object_get(was, "x"), 1e-7);
  same_reals(s, json_object_get(film, "time"), json_object_get(was, "time"), 1e-7);
  same_reals(s, json_object_get(item_at(items, "shape", 0), "x"),
             json_object_get(item_at(told, "shape", 0), "x"), 1e-7);
  // modes, which move the same way about the same places
  for (int k = 1; k <= 2; k++) {
    const json_t *mode = item_at(items, "shape", k), *shown = item_at(told, "shape", k);
    assert_string_equal(text_at(mode, "name"), text_at(shown, "name"));
    assert_string_equal(text_at(mode, "title"), text_at(shown, "title"));
    same_reals(s, json_object_get(mode, "x"), json_object_get(shown, "x"), 1e-7);
    same_reals(s, json_object_get(mode, "mode"), json_object_get(shown, "mode"), 1e-6);
  }
  assert_true(json_is_null(json_object_get(item_at(items, "shape", 0), "mode")));
  // frames of a period tell more harmonics than there were
  const json_t *orbit = item_at(items, "orbit", 0), *motion = item_at(told, "orbit", 0);
  check_rel(json_real_value(json_object_get(orbit, "omega")),
            json_real_value(json_object_get(motion, "omega")), 1e-9);
  size_t many, few;
  const float *z = reals_of(s, json_object_get(orbit, "coefficients"), &many),
              *z0 = reals_of(s, json_object_get(motion, "coefficients"), &few);
  assert_int_equal(many, 9 * 23);
  for (int i = 0; i < 9; i++)
    for (int h = 0; h < 7; h++) check_close(z[23 * i + h], z0[7 * i + h], 1e-7);
  assert_non_null(item_at(items, "plot", 3));
  assert_non_null(item_at(items, "summary", 0));
  const json_t *shown =
      json_object_get(event_at("run", opened, count_events("run", opened) - 1), "run");
  assert_true(json_integer_value(json_object_get(shown, "model")) > 0);
  assert_string_equal(text_at(shown, "folder"), "chain.results");
  json_decref(told);
  json_decref(items);
  recorder_close(s);
}

static void write_file(const studio *s, const char *name, const char *text) {
  char path[3 * PL_TEXT];
  snprintf(path, sizeof path, "%s/%s", s->folder, name);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  assert_int_equal(fclose(out), 0);
}

// nothing that a summary says makes more than messages
static void odd_results(void **unused) {
  (void)unused;
  static const char *const text[] = {
      "{}", "{\"analyses\": [{\"name\": 3}], \"written\": [7, \"../x.csv\", \"a.csv\"]}",
      "{\"analyses\": [{\"name\": \"a\", \"kind\": \"transient\"}], \"written\": [\"a.csv\", "
      "\"a.pvd\", \"a.vtu\"], \"scene\": \"/etc/passwd\"}",
      "{\"scores\": [{\"protocol\": \"../../x\"}, 3]}"};
  studio *s = recorder_open(FOLDER);
  int run;
  assert_string_equal(refused(s, "results", json_pack("{s:s}", "path", "none")), "not-found");
  refused(s, "results", json_pack("{s:s}", "path", "../x"));
  write_file(s, "summary.json", "3");
  for (size_t k = 0; k < sizeof text / sizeof text[0]; k++) {
    char make[3 * PL_TEXT];
    snprintf(make, sizeof make, "mkdir -p '%s/odd'", s->folder);
    assert_int_equal(system(make), 0);
    write_file(s, "odd/summary.json", text[k]);
    write_file(s, "odd/a.pvd",
               "<DataSet timestep=\"0\" file=\"../../x.vtu\"/><DataSet timestep=\"");
    write_file(s, "odd/scene.yaml", "pliant: 1\n");
    json_decref(open_results(s, "odd", &run));
  }
  recorder_close(s);
}

static pl_status replay(const studio *s, pl_env *env) {
  char path[3 * PL_TEXT];
  pl_env_init(env);
  snprintf(path, sizeof path, "%s/studio.jsonl", s->folder);
  return pl_studio_replay(env, &(pl_studio_opts){.threads = 2}, path);
}

// the scores of a validation are told, written, and read back
static void protocols_are_run(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  json_t *reply =
      ask_for(s, "validate",
              json_pack("{s:s, s:s, s:b}", "protocol", "cantilever", "model", "rod", "quick", 1));
  int run = (int)json_integer_value(json_object_get(reply, "run")), opened;
  assert_string_equal(wait_for(s, run, 200), "done");
  json_t *items = items_of(s, run), *all = summary_of(s, "cantilever.validation");
  const json_t *grid = json_object_get(item_at(items, "grid", 0), "rows");
  assert_string_equal(json_string_value(json_array_get(json_array_get(grid, 1), 1)), "rod");
  assert_string_equal(json_string_value(json_array_get(json_array_get(grid, 1), 2)), "OK");
  assert_true(json_equal(json_object_get(item_at(items, "figures", 0), "figures"), all));
  assert_non_null(item_at(items, "plot", 1));
  assert_non_null(table_named(items, "cantilever-validation"));
  json_t *back = open_results(s, "cantilever.validation", &opened);
  grid = json_object_get(item_at(back, "grid", 0), "rows");
  assert_string_equal(json_string_value(json_array_get(json_array_get(grid, 1), 2)), "OK");
  same_reals(s, json_object_get(table_named(back, "cantilever-validation"), "data"),
             json_object_get(table_named(items, "cantilever-validation"), "data"), 0);
  assert_string_equal(refused(s, "validate", json_pack("{s:s}", "protocol", "none")), "not-found");
  json_decref(reply);
  json_decref(items);
  json_decref(all);
  json_decref(back);
  pl_env env;
  check_ok(&env, replay(s, &env));
  recorder_close(s);
}

// ---- once more ----------------------------------------------------------------------------------

static char *journal_of(const studio *s, size_t *n) {
  char path[3 * PL_TEXT], *data;
  pl_env env;
  pl_env_init(&env);
  snprintf(path, sizeof path, "%s/studio.jsonl", s->folder);
  check_ok(&env, pl_file_read(&env, path, 0, &data, n));
  return data;
}

// what a studio did can be done again, and a figure that differs is found
static void studios_are_replayed(void **unused) {
  (void)unused;
  size_t n;
  pl_env env;
  studio *s = recorder_open(FOLDER);
  int run[3] = {start(s, "chain.yaml", design), start(s, "chain.yaml", "  - modes: {count: 2}\n"),
                0};
  char *text = scene_of("  - static: {}\n");
  json_t *reply = ask_for(s, "run",
                          json_pack("{s:s, s:s, s:[s]}", "path", "a/b.yaml", "text", text, "set",
                                    "parameters.m.value=30 g"));
  run[2] = (int)json_integer_value(json_object_get(reply, "run"));
  json_decref(reply);
  for (int k = 0; k < 3; k++) assert_string_equal(wait_for(s, run[k], 100), "done");
  // once more the same: its text is there
  run[0] = start(s, "chain.yaml", "  - modes: {count: 2}\n");
  assert_string_equal(wait_for(s, run[0], 100), "done");
  char *data = journal_of(s, &n), *at;
  int lines = 0;
  for (at = data; (at = strchr(at, '\n')); at++) lines++;
  assert_int_equal(lines, 3 + 4);
  check_ok(&env, replay(s, &env));
  // nothing was written meanwhile
  size_t now;
  char *after = journal_of(s, &now);
  assert_int_equal(now, n);
  // half a gram more
  at = strstr(data, "=30 g");
  assert_non_null(at);
  at[2] = '1';
  FILE *out = NULL;
  char path[3 * PL_TEXT];
  snprintf(path, sizeof path, "%s/studio.jsonl", s->folder);
  out = fopen(path, "w");
  assert_non_null(out);
  assert_int_equal(fwrite(data, 1, n, out), n);
  fclose(out);
  assert_int_equal(replay(s, &env), PL_E_INPUT);
  assert_int_equal(env.error.line, 6);
  assert_non_null(strstr(env.error.text, "figures differ: 0."));
  pl_free(&env, data);
  pl_free(&env, after);
  free(text);
  recorder_close(s);
}

// lines that are none are errors with their place
static void odd_journals(void **unused) {
  (void)unused;
  static const char *const text[] = {
      "\n\n3\n",
      "{\"op\":\"cancel\",\"args\":{\"run\":1}}\n",
      "{\"op\":\"run\"}\n",
      "{\"op\":\"run\",\"args\":{\"path\":\"../x\",\"text\":\"\"}}\n",
      "{\"op\":\"commit\",\"args\":{\"session\":1}}\n",
      "{\"op\":\"run\",\"args\":{\"path\":\"x\",\"text\":\"\"}}\n",
      "{\"op\":\"scene\"}"};
  pl_env env;
  studio *s = recorder_open(FOLDER);
  for (size_t k = 0; k < sizeof text / sizeof text[0]; k++) {
    write_file(s, "studio.jsonl", text[k]);
    assert_int_equal(replay(s, &env), PL_E_INPUT);
    assert_int_equal(env.error.line, k ? 1 : 3);
  }
  recorder_close(s);
}

// a scene that is wrong tells why, and takes nothing with it
static void bad_scenes_fail(void **unused) {
  (void)unused;
  studio *s = recorder_open(FOLDER);
  json_t *reply = ask_for(
      s, "run", json_pack("{s:s, s:s}", "path", "bad.yaml", "text", "pliant: 1\nnode: 3\n"));
  int run = (int)json_integer_value(json_object_get(reply, "run"));
  assert_string_equal(wait_for(s, run, 10), "failed");
  json_t *items = items_of(s, run);
  assert_string_equal(text_at(item_at(items, "message", 0), "level"), "error");
  assert_non_null(strstr(text_at(item_at(items, "message", 0), "text"), "bad.yaml"));
  json_decref(items);
  json_decref(reply);
  recorder_close(s);
}

static void materials_are_told(void **unused) {
  (void)unused;
  static const char mail[] = "pliant: 1\n"
                             "interlocking: [{four-in-one: {}}, {name: two, threefold: {}}]\n"
                             "analyses: [{limits: {of: four-in-one, directions: 1}}]\n";
  static const char cloth[] = "pliant: 1\n"
                              "materials: {cloth: {young: 1800, poisson: 0.4, density: 200}}\n"
                              "bodies: [{name: flag, shell: {mesh: {grid: {size: [1, 1], cells: "
                              "[2, 2]}}, material: cloth,\n"
                              "  thickness: 0.5 mm, limit: {stretch: 2 %}}}]\n"
                              "fixed: \"flag where x < 0.1\"\n"
                              "analyses: [drape: {}]\n";
  size_t n, m;
  studio *s = recorder_open(FOLDER);
  json_t *reply = check_text(s, mail);
  const json_t *all = json_object_get(json_object_get(reply, "model"), "materials");
  assert_int_equal(json_array_size(all), 2);
  const json_t *one = json_array_get(all, 0), *lattice = json_object_get(one, "lattice");
  assert_string_equal(text_at(one, "name"), "four-in-one");
  assert_true(json_number_value(json_array_get(json_array_get(lattice, 0), 0)) > 0);
  const int *of = ints_of(s, json_object_get(one, "of"), &n);
  const float *pose = reals_of(s, json_object_get(one, "poses"), &m);
  assert_int_equal(m, 6 * n);
  for (size_t e = 0; e < n / 2; e++) {
    const float *R = pose + 12 * e + 3;
    assert_int_equal(of[2 * e], 0);
    check_close(R[0] * R[0] + R[1] * R[1] + R[2] * R[2], 1, 1e-6);
  }
  json_decref(reply);

  reply = check_text(s, cloth);
  all = json_object_get(json_object_get(reply, "model"), "cloth");
  assert_int_equal(json_array_size(all), 1);
  one = json_array_get(all, 0);
  assert_string_equal(text_at(one, "name"), "flag");
  assert_true(json_is_null(json_object_get(one, "given")));
  const float *allowed = reals_of(s, json_object_get(one, "allowed"), &n);
  assert_int_equal(n, 720);
  for (size_t i = 0; i < 360; i++) check_close(allowed[2 * i + 1], 1.02, 1e-6);
  check_close(allowed[2 * 90], acos(-1.0) / 2, 1e-6);
  json_decref(reply);
  recorder_close(s);
}

int test_jobs(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scenes_are_checked),   cmocka_unit_test(materials_are_told),
      cmocka_unit_test(few_models_are_kept),  cmocka_unit_test(nothing_beyond_the_folder),
      cmocka_unit_test(gallery_and_schema),   cmocka_unit_test(items_have_the_figures),
      cmocka_unit_test(rows_and_motions),     cmocka_unit_test(long_tables_are_thinned),
      cmocka_unit_test(runs_are_cancelled),   cmocka_unit_test(designs_pause_and_go_on),
      cmocka_unit_test(old_runs_go),          cmocka_unit_test(items_are_bounded),
      cmocka_unit_test(bad_scenes_fail),      cmocka_unit_test(results_are_opened),
      cmocka_unit_test(odd_results),          cmocka_unit_test(protocols_are_run),
      cmocka_unit_test(studios_are_replayed), cmocka_unit_test(odd_journals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
