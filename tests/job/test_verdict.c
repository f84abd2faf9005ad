// States of interlocking materials that are wrong are told as that, wherever a run is followed.
#include "check.h"

#include "run_limits.h"
#include "run_native.h"

#include <string.h>

typedef struct heard {
  int n;
  char last[4 * PL_TEXT];
} heard;

static void hear(void *ctx, const pl_diag *d) {
  heard *h = ctx;
  h->n += d->level == PL_WARNING;
  pl_diag_format(d, h->last, sizeof h->last);
}

typedef struct fixture {
  pl_env env;
  heard heard;
  pl_scene *scene;
  pl_threads *threads;
  pl_work work;
  pl_job_opts opts;
  job j;
} fixture;

static void begin(fixture *f) {
  static const char text[] =
      "pliant: 1\ninterlocking: [{four-in-one: {}}]\nanalyses: [limits: {directions: 2}]\n";
  memset(f, 0, sizeof *f);
  pl_env_init(&f->env);
  check_ok(&f->env,
           pl_scene_parse(&f->env, "test.yaml", ".", text, strlen(text), 0, NULL, NULL, &f->scene));
  check_ok(&f->env, pl_threads_create(&f->env, 1, &f->threads));
  f->env.diag = hear;
  f->env.diag_ctx = &f->heard;
  f->work.threads = f->threads;
  f->j = (job){.env = &f->env, .scene = f->scene, .work = &f->work, .opts = &f->opts};
}

static void end(fixture *f) {
  pl_threads_free(f->threads);
  pl_scene_free(f->scene);
}

static double number(const json_t *f, const char *key) {
  const json_t *n = json_object_get(f, key);
  if (!n) fail_msg("there is no %s", key);
  return json_number_value(n);
}

// Of two limits one is made to overlap: it is found no more, which is told, and the other stays.
static void limits(void **state) {
  (void)state;
  enum { N = 2 };
  fixture f;
  pl_taut_opts o;
  pl_taut t[N];
  int solved[N];
  const pl_taut_goal goal[N] = {pl_taut_along(0, 1), pl_taut_along(PL_PI / 2, 1)};
  begin(&f);
  limits_keeper k = {.j = &f.j, .a = &f.scene->analysis[0], .copies = 1};
  pl_opts_default(pl_taut_option_table, pl_taut_option_count, &o);
  check_ok(&f.env, pl_mail_taut(&f.env, f.scene->mail[0].m, (const int[]){1, 1}, &o, N, goal, 1, t,
                                solved));
  json_t *figures = json_object();
  check_ok(&f.env, limits_check(&k, 0, N, t, solved));
  limits_verified(&k, "", figures);
  assert_true(solved[0] && solved[1]);
  assert_true(number(figures, "verified_gap") > 0);
  check_close(number(figures, "rejected"), 0, 0);
  assert_int_equal(f.heard.n, 0);
  t[1].pose[1].x[2] += 0.2e-3;
  check_ok(&f.env, limits_check(&k, 0, N, t, solved));
  limits_verified(&k, "bent_", figures);
  assert_true(solved[0] && !solved[1] && isnan(t[1].value) && !t[1].pose);
  assert_true(number(figures, "bent_verified_gap") < -1e-6);
  check_close(number(figures, "bent_rejected"), 1, 0);
  assert_int_equal(k.rejected, 1);
  assert_int_equal(f.heard.n, 1);
  assert_non_null(strstr(f.heard.last, "test.yaml:3:"));
  assert_non_null(strstr(f.heard.last, "1 of 2 states"));
  // what was told is not told again
  json_object_clear(figures);
  limits_verified(&k, "", figures);
  assert_int_equal(json_object_size(figures), 0);
  json_decref(figures);
  for (int i = 0; i < N; i++) pl_taut_free(&f.env, &t[i]);
  end(&f);
}

static void patches(void **state) {
  (void)state;
  fixture f;
  begin(&f);
  const pl_analysis *a = &f.scene->analysis[0];
  json_t *figures = json_object();
  assert_int_equal(native_verdict(&f.j, a, "disk", &(pl_mail_verdict){.gap = 1e-6}, figures),
                   PL_OK);
  assert_true(f.heard.n == 0 && !json_object_get(figures, "reason"));
  const pl_mail_verdict bad[2] = {{.gap = -1e-4}, {.gap = 1e-6, .links_changed = 2}};
  static const char *const text[2] = {"disk is not to be trusted: elements overlap by 0.1 mm",
                                      "disk is not to be trusted: 2 pairs of elements are linked"};
  for (int k = 0; k < 2; k++) {
    assert_int_equal(native_verdict(&f.j, a, "disk", &bad[k], figures), PL_UNSOLVED);
    assert_int_equal(f.heard.n, k + 1);
    assert_non_null(strstr(f.heard.last, text[k]));
    assert_non_null(json_object_get(figures, "reason"));
  }
  json_decref(figures);
  end(&f);
}

int test_verdict(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(limits), cmocka_unit_test(patches)};
  return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
