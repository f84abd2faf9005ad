// Handles: numbers that were freed, belong to something else or are in use, answered by statuses.
#include "check.h"
#include "pliant/base.h"
#include "pliant/facade.h"
#include "pliant/version.h"

#include <pthread.h>
#include <string.h>

static const char spring[] = "pliant: 1\n"
                             "title: a mass on a spring\n"
                             "dimension: 1\n"
                             "parameters: {k: {value: 8 N/m, min: 1 N/m, max: 50 N/m}}\n"
                             "nodes: {m: 0}\n"
                             "masses: [{node: m, mass: 2 kg}]\n"
                             "springs: [{nodes: [ground, m], stiffness: $k, damping: 0.8 N.s/m}]\n"
                             "loads: [{node: m, force: [1 N], harmonic: 1}]\n"
                             "watch: {m: m}\n"
                             "analyses:\n"
                             "  - modes: {count: 1}\n"
                             "  - transient: {frequency: 1.5 rad/s, periods: 3}\n";

static int64_t open_spring(void) {
  int64_t s = 0;
  assert_int_equal(
      pl_facade_parse("spring", ".", spring, (int64_t)strlen(spring), 0, NULL, 0, NULL, &s),
      PL_FACADE_OK);
  assert_true(s > 0);
  return s;
}

static void expect_message(const char *part) {
  int64_t n;
  pl_facade_message m;
  assert_int_equal(pl_facade_messages(0, &n), PL_FACADE_OK);
  assert_true(n > 0);
  assert_int_equal(pl_facade_message_at(0, 0, &m), PL_FACADE_OK);
  if (!strstr(m.text, part)) fail_msg("'%s' is not in '%s'", part, m.text);
}

static void library(void **state) {
  (void)state;
  assert_int_equal(pl_facade_version(), PL_FACADE_VERSION);
  assert_string_equal(pl_facade_release(), pl_version());
  assert_int_equal(pl_facade_size("pl_facade_array"), sizeof(pl_facade_array));
  assert_int_equal(pl_facade_size("pl_facade_item"), sizeof(pl_facade_item));
  assert_int_equal(pl_facade_size("nothing"), 0);
  assert_int_equal(pl_facade_size(NULL), 0);
  for (int k = -20; k < 10; k++) assert_true(strlen(pl_facade_status_text(k)) > 0);
  // statuses are those of the library
  assert_int_equal(PL_FACADE_UNSOLVED, PL_UNSOLVED);
  assert_int_equal(PL_FACADE_CANCELLED, PL_CANCELLED);
  assert_int_equal(PL_FACADE_INTERNAL, PL_E_INTERNAL);
}

static void misused(void **state) {
  (void)state;
  int64_t before = pl_facade_live(), s = open_spring(), r = 0, n;
  const char *text;
  pl_facade_array a;
  pl_facade_item i;
  int status;
  assert_int_equal(pl_facade_live(), before + 1);
  // foreign numbers
  const int64_t foreign[] = {0, -1, 1, 12345, INT64_MAX, INT64_MIN, s + 1, s + (1 << 24)};
  for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++) {
    assert_int_equal(pl_facade_report(foreign[k], &text), PL_FACADE_FREED);
    assert_int_equal(pl_facade_run(foreign[k], 0, NULL, NULL, &r), PL_FACADE_FREED);
    assert_int_equal(pl_facade_free(foreign[k]), PL_FACADE_FREED);
    expect_message("freed");
  }
  assert_int_equal(r, 0);
  // of another kind
  assert_int_equal(pl_facade_summary(s, &text), PL_FACADE_KIND);
  expect_message("the handle is a scene, not a result");
  assert_int_equal(pl_facade_mesh_cells(s, "tri3", NULL, 0, 3), PL_FACADE_KIND);
  assert_int_equal(pl_facade_run(s, 0, NULL, NULL, &r), PL_FACADE_OK);
  assert_int_equal(pl_facade_describe(r, &text), PL_FACADE_KIND);
  assert_string_equal(text, "");
  // out of range
  assert_int_equal(pl_facade_items(r, &n), PL_FACADE_OK);
  assert_int_equal(pl_facade_item_at(r, n, &i), PL_FACADE_ARG);
  assert_int_equal(pl_facade_item_at(r, -1, &i), PL_FACADE_ARG);
  assert_int_equal(pl_facade_item_array(r, 0, 1000, &a), PL_FACADE_ARG);
  assert_int_equal(pl_facade_item_array(r, n, 0, &a), PL_FACADE_ARG);
  assert_int_equal(pl_facade_item_array(r, 0, -1, &a), PL_FACADE_ARG);
  assert_int_equal(pl_facade_message_at(r, 99, &(pl_facade_message){0}), PL_FACADE_ARG);
  assert_int_equal(pl_facade_scene_array(s, "set:none", &a), PL_FACADE_ARG);
  assert_int_equal(pl_facade_scene_array(s, NULL, &a), PL_FACADE_ARG);
  // freed, and its number is not given again
  assert_int_equal(pl_facade_free(s), PL_FACADE_OK);
  assert_int_equal(pl_facade_free(s), PL_FACADE_FREED);
  int64_t other = open_spring();
  assert_true(other != s);
  assert_int_equal(pl_facade_report(s, &text), PL_FACADE_FREED);
  // results outlive their scenes
  assert_int_equal(pl_facade_status(r, &status), PL_FACADE_OK);
  assert_int_equal(status, 0);
  assert_int_equal(pl_facade_summary(r, &text), PL_FACADE_OK);
  assert_non_null(strstr(text, "\"transient\""));
  assert_int_equal(pl_facade_free(r), PL_FACADE_OK);
  assert_int_equal(pl_facade_free(other), PL_FACADE_OK);
  assert_int_equal(pl_facade_live(), before);
}

static void wrong_arguments(void **state) {
  (void)state;
  int64_t s = open_spring(), r = 7, other;
  const char *const bad[] = {"threads",       "threads=two", "threads=1.5",
                             "threads=-1",    "thread=1",    "resume=perhaps",
                             "checkpoint=-1", "=",           ""};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    assert_int_equal(pl_facade_run(s, 1, &bad[k], NULL, &r), PL_FACADE_ARG);
    assert_int_equal(r, 0);
  }
  assert_int_equal(pl_facade_run(s, 1, &(const char *){NULL}, NULL, &r), PL_FACADE_ARG);
  assert_int_equal(pl_facade_run(s, 1, &(const char *){"only=none"}, NULL, &r), PL_FACADE_INPUT);
  expect_message("there is no analysis 'none'");
  assert_int_equal(pl_facade_run(s, 1, &(const char *){"resume=yes"}, NULL, &r), PL_FACADE_ARG);
  assert_int_equal(pl_facade_open("no-such-file.yaml", 0, NULL, 0, NULL, &other), PL_FACADE_IO);
  expect_message("cannot open");
  assert_int_equal(pl_facade_open(NULL, 0, NULL, 0, NULL, &other), PL_FACADE_ARG);
  assert_int_equal(pl_facade_open("x", 1, NULL, 0, NULL, &other), PL_FACADE_ARG);
  assert_int_equal(pl_facade_parse("x", ".", NULL, 0, 0, NULL, 0, NULL, &other), PL_FACADE_ARG);
  assert_int_equal(pl_facade_parse("x", ".", "", 0, 0, NULL, 0, NULL, &other), PL_FACADE_INPUT);
  assert_int_equal(pl_facade_parse("x", ".", spring, 40, 0, NULL, 1, &s, &other), PL_FACADE_KIND);
  assert_int_equal(pl_facade_again(s, 1, &(const char *){"nothing"}, &other), PL_FACADE_INPUT);
  expect_message("path=value is wanted");
  assert_int_equal(pl_facade_again(s, 1, &(const char *){"k=1000"}, &other), PL_FACADE_INPUT);
  assert_int_equal(other, 0);
  pl_facade_free(s);
}

// ---- in use -------------------------------------------------------------------------------------

typedef struct watch {
  int64_t scene;
  int rows, busy, stop_at;
} watch;

static int use_again(void *ctx, const char *table, int64_t first, int64_t nrow, int64_t ncol,
                     const char *const *column, const double *rows) {
  watch *w = ctx;
  int64_t r;
  assert_true(nrow > 0 && ncol > 1 && column[0][0] && table[0] && first >= 0);
  assert_true(rows[0] == rows[0]);
  w->busy += pl_facade_run(w->scene, 0, NULL, NULL, &r) == PL_FACADE_BUSY;
  w->busy += pl_facade_free(w->scene) == PL_FACADE_BUSY;
  return ++w->rows == w->stop_at;
}

static void in_use(void **state) {
  (void)state;
  watch w = {.scene = open_spring()};
  const pl_facade_hooks hooks = {.ctx = &w, .rows = use_again};
  int64_t r;
  assert_int_equal(pl_facade_run(w.scene, 0, NULL, &hooks, &r), PL_FACADE_OK);
  assert_true(w.rows > 1 && w.busy == 2 * w.rows);
  pl_facade_free(r);
  // stopped, with what there is
  w = (watch){.scene = w.scene, .stop_at = 2};
  int status;
  const char *json;
  assert_int_equal(pl_facade_run(w.scene, 0, NULL, &hooks, &r), PL_FACADE_CANCELLED);
  assert_int_equal(w.rows, 2);
  assert_int_equal(pl_facade_status(r, &status), PL_FACADE_OK);
  assert_int_equal(status, PL_FACADE_CANCELLED);
  assert_int_equal(pl_facade_summary(r, &json), PL_FACADE_OK);
  assert_non_null(strstr(json, "\"modes\""));
  pl_facade_free(r);
  pl_facade_free(w.scene);
}

static void *run_often(void *ctx) {
  int64_t scene = *(int64_t *)ctx, r;
  const char *text;
  for (int k = 0; k < 30; k++) {
    int s = pl_facade_run(scene, 1, &(const char *){"threads=1"}, NULL, &r);
    if (s == PL_FACADE_OK) pl_facade_free(r);
    if (s != PL_FACADE_OK && s != PL_FACADE_BUSY) return "run";
    s = pl_facade_report(scene, &text);
    if (s != PL_FACADE_OK && s != PL_FACADE_BUSY) return "report";
    // messages are those of this thread
    pl_facade_message m;
    if (pl_facade_free(1) != PL_FACADE_FREED) return "free";
    if (pl_facade_message_at(0, 0, &m) != PL_FACADE_OK || !strstr(m.text, "freed"))
      return "message";
  }
  return NULL;
}

static void threads(void **state) {
  (void)state;
  int64_t scene = open_spring();
  pthread_t t[4];
  for (int k = 0; k < 4; k++) assert_int_equal(pthread_create(&t[k], NULL, run_often, &scene), 0);
  for (int k = 0; k < 4; k++) {
    void *why;
    pthread_join(t[k], &why);
    assert_null(why);
  }
  assert_int_equal(pl_facade_free(scene), PL_FACADE_OK);
}

int test_handles(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(library), cmocka_unit_test(misused),
                                     cmocka_unit_test(wrong_arguments), cmocka_unit_test(in_use),
                                     cmocka_unit_test(threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
