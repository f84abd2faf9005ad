// Messages: who records them, who hears them, and how they are shown.
#include "check.h"

#include "pliant/base.h"

#include <stdio.h>
#include <string.h>

typedef struct log_record {
  int n;
  pl_diag last;
} log_record;

static void record(void *ctx, const pl_diag *d) {
  log_record *e = ctx;
  e->n++;
  e->last = *d;
}

static void every_status_has_its_own_text(void **state) {
  (void)state;
  for (int s = PL_E_INTERNAL; s <= PL_UNSOLVED; s++) {
    assert_string_not_equal(pl_status_text((pl_status)s), "unknown status");
    for (int k = PL_E_INTERNAL; k < s; k++)
      assert_string_not_equal(pl_status_text((pl_status)s), pl_status_text((pl_status)k));
  }
  assert_string_equal(pl_status_text((pl_status)99), "unknown status");
}

// an error is kept and heard, a warning is only heard
static void errors_are_kept(void **state) {
  (void)state;
  pl_env env;
  log_record e = {0};
  pl_env_init(&env);
  // nobody listens
  assert_int_equal(pl_fail(&env, PL_E_IO, "no %s", "disk"), PL_E_IO);
  assert_string_equal(env.error.text, "no disk");
  assert_int_equal(env.nerror, 1);
  env.diag = record;
  env.diag_ctx = &e;
  pl_report(&env, PL_WARNING, "a.yaml", 3, 4, "look there", "odd");
  assert_int_equal(e.n, 1);
  assert_int_equal(env.nerror, 1);
  assert_string_equal(env.error.text, "no disk");
  pl_report(&env, PL_ERROR, "a.yaml", 3, 4, NULL, "wrong");
  assert_int_equal(env.nerror, 2);
  assert_int_equal(env.error.status, PL_E_INPUT);
  assert_string_equal(env.error.text, "wrong");
  pl_fail_at(&env, PL_E_INPUT, "b.yaml", 7, 0, "remedy", "worse");
  assert_int_equal(e.n, 3);
  assert_int_equal(e.last.line, 7);
  assert_string_equal(e.last.hint, "remedy");
}

static void shown(const pl_diag *d, const char *whole, const char *plain) {
  char text[4 * PL_TEXT];
  pl_diag_format(d, text, sizeof text);
  assert_string_equal(text, whole);
  pl_diag_plain(d, text, sizeof text);
  assert_string_equal(text, plain);
  // no more than there is room for
  pl_diag_format(d, text, 8);
  assert_true(strlen(text) == 7);
}

static void places_and_levels(void **state) {
  (void)state;
  pl_diag d = {.level = PL_ERROR, .line = 12, .col = 7, .file = "w.yaml", .text = "too thin"};
  shown(&d, "w.yaml:12:7: error: too thin", "w.yaml:12:7: too thin");
  d.col = 0;
  d.level = PL_WARNING;
  shown(&d, "w.yaml:12: warning: too thin", "w.yaml:12: too thin");
  d.line = 0;
  d.level = PL_NOTE;
  snprintf(d.hint, sizeof d.hint, "thicker");
  shown(&d, "w.yaml: note: too thin\n  hint: thicker", "w.yaml: too thin\n  hint: thicker");
  d.file[0] = 0;
  shown(&d, "note: too thin\n  hint: thicker", "too thin\n  hint: thicker");
}

static int stop(void *ctx, const pl_progress *p) {
  return *(const int *)ctx && p->done == 0.5;
}

static void progress_can_stop(void **state) {
  (void)state;
  pl_env env;
  int wanted = 0;
  pl_env_init(&env);
  assert_int_equal(pl_report_progress(&env, "x", 0.5, NULL), PL_OK);
  env.progress = stop;
  env.progress_ctx = &wanted;
  assert_int_equal(pl_report_progress(&env, "x", 0.5, NULL), PL_OK);
  wanted = 1;
  assert_int_equal(pl_report_progress(&env, "x", 0.5, NULL), PL_CANCELLED);
}

int test_status(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_status_has_its_own_text),
      cmocka_unit_test(errors_are_kept),
      cmocka_unit_test(places_and_levels),
      cmocka_unit_test(progress_can_stop),
  };
  return cmocka_run_group_tests_name("base.status", tests, NULL, NULL);
}
