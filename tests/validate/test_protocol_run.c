// Validation as a whole: judging, threads, cancelling, files, wrong use.
#include "check.h"
#include "run_impl.h"

#include "pliant/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- judging ----------------------------------------------------------------------------------

static pl_status line(pl_env *env, double nu, double x, double *value) {
  (void)env, (void)nu;
  *value = 2 * x;
  return PL_OK;
}

static const pl_box box = {.x = {0, 10}, .y = {0, 20}};
static const double few[] = {1, 5};
static const pl_protocol_model good = {.name = "good", .expect = PL_EXPECT_OK};
static const pl_protocol_model bad = {.name = "bad", .expect = PL_EXPECT_KO};
static const pl_protocol made_up = {.name = "line",
                                    .nvalue = 1,
                                    .lo = 0,
                                    .hi = 10,
                                    .judged = {1, 9},
                                    .bar = 0.01,
                                    .box = &box,
                                    .nquick = 2,
                                    .quick = few,
                                    .master = line};

enum { POINTS = 11 };
typedef struct sheet {
  pl_env env;
  pl_sample ours[POINTS], master[2 * POINTS], check[2];
  pl_score score;
  pl_master curve;
} sheet;

// points 0..10 on the curve times a factor
static void sheet_fill(sheet *s, const pl_protocol_model *m, double factor) {
  memset(s, 0, sizeof *s);
  pl_env_init(&s->env);
  for (int i = 0; i < 2 * POINTS; i++) {
    double x = i % POINTS;
    s->master[i] = (pl_sample){.trial = {.x = x}, .value = {2 * x}};
    if (i < POINTS)
      s->ours[i] = (pl_sample){.trial = {.x = x, .resolution = 10}, .value = {2 * x * factor}};
  }
  s->score = (pl_score){.protocol = &made_up, .model = m, .nsample = POINTS, .sample = s->ours};
  s->curve = (pl_master){&made_up, 2 * POINTS, POINTS, s->master};
}

static void verdicts(void **state) {
  (void)state;
  static sheet s;
  sheet_fill(&s, &good, 1.005);
  check_ok(&s.env, judge(&s.env, &s.score, &s.curve));
  assert_int_equal(s.score.verdict, PL_VERDICT_OK);
  assert_true(s.score.expected);
  check_close(s.score.worst, 0.005, 1e-12);
  // 0.1 of 20 above the end of the curve
  check_close(s.score.distance, 0.005, 1e-12);
  assert_true(isnan(s.score.refined) && isnan(s.score.rescaled));

  sheet_fill(&s, &good, 1.02);
  check_ok(&s.env, judge(&s.env, &s.score, &s.curve));
  assert_int_equal(s.score.verdict, PL_VERDICT_KO);
  assert_false(s.score.expected);
  assert_string_equal(verdict_text(&s.score), "KO");

  sheet_fill(&s, &bad, 1.02);
  check_ok(&s.env, judge(&s.env, &s.score, &s.curve));
  assert_true(s.score.expected);
  assert_string_equal(verdict_text(&s.score), "KO (expected)");
  sheet_fill(&s, &bad, 1);
  check_ok(&s.env, judge(&s.env, &s.score, &s.curve));
  assert_false(s.score.expected);
}

// outside the judged range nothing counts; a point without an answer does
static void range_and_failures(void **state) {
  (void)state;
  static sheet s;
  sheet_fill(&s, &good, 1);
  s.ours[0].value[0] = 7;
  s.ours[10].value[0] = 7;
  check_ok(&s.env, judge(&s.env, &s.score, &s.curve));
  assert_int_equal(s.score.verdict, PL_VERDICT_OK);
  s.ours[4].status = PL_UNSOLVED;
  check_ok(&s.env, judge(&s.env, &s.score, &s.curve));
  assert_int_equal(s.score.verdict, PL_VERDICT_KO);
  assert_int_equal(s.score.nfailed, 1);
  // stopped: no verdict, no surprise
  s.ours[4].status = PL_CANCELLED;
  check_ok(&s.env, judge(&s.env, &s.score, &s.curve));
  assert_int_equal(s.score.verdict, PL_VERDICT_NONE);
  assert_true(s.score.expected);
}

// a pass that finer cells or other units break is none
static void checks_count(void **state) {
  (void)state;
  static sheet s;
  for (int which = 0; which < 3; which++) {
    sheet_fill(&s, &good, 1.005);
    check_ok(&s.env, judge(&s.env, &s.score, &s.curve));
    s.check[0] =
        (pl_sample){.trial = {.x = 5, .resolution = 20}, .value = {which == 1 ? 10.2 : 10.01}};
    s.check[1] = (pl_sample){.trial = {.x = 5, .units = 1}, .value = {which == 2 ? 10.06 : 10.05}};
    s.score.check = s.check;
    s.score.ncheck = 2;
    judge_checks(&s.score, &s.curve);
    check_close(s.score.refined, which == 1 ? 0.02 : 0.001, 1e-12);
    check_close(s.score.rescaled, which == 2 ? 0.001 : 0, 1e-12);
    assert_int_equal(s.score.verdict, which ? PL_VERDICT_KO : PL_VERDICT_OK);
  }
}

// Errors that grow on finer cells are no pass, though below the bar, be the other cells finer or
// coarser; nor are they counted when they grow by less than a tenth of it.
static void divergence_counts(void **state) {
  (void)state;
  static sheet s;
  static const struct {
    int cells;
    double value; // at x = 5, where the curve is 10 and the model has an error of 0.5 %
    const char *text;
  } row[] = {{20, 10.08, "KO, worse when finer"},
             {20, 10.055, "OK"},
             {20, 9.94, "KO, worse when finer"},
             {5, 10.02, "KO, worse when finer"},
             {5, 10.2, "OK"}};
  for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
    sheet_fill(&s, &good, 1.005);
    check_ok(&s.env, judge(&s.env, &s.score, &s.curve));
    s.check[0] =
        (pl_sample){.trial = {.x = 5, .resolution = row[k].cells}, .value = {row[k].value}};
    s.score.check = s.check;
    s.score.ncheck = 1;
    judge_checks(&s.score, &s.curve);
    assert_string_equal(verdict_text(&s.score), row[k].text);
    assert_int_equal(s.score.expected, row[k].text[0] == 'O');
    assert_int_equal(isnan(s.score.refined), row[k].cells == 5);
  }
}

// a model may answer for a part of the range
static void own_range(void **state) {
  (void)state;
  static sheet s;
  static const pl_protocol_model part = {
      .name = "part", .expect = PL_EXPECT_OK, .judged = {1, 5}, .few = 1};
  sheet_fill(&s, &part, 1);
  s.ours[7].value[0] = 1;
  check_ok(&s.env, judge(&s.env, &s.score, &s.curve));
  assert_int_equal(s.score.verdict, PL_VERDICT_OK);
  s.ours[4].value[0] = 1;
  check_ok(&s.env, judge(&s.env, &s.score, &s.curve));
  assert_int_equal(s.score.verdict, PL_VERDICT_KO);
}

// ---- runs -------------------------------------------------------------------------------------

static pl_validate_opts rod_opts(void) {
  return (pl_validate_opts){.protocol = "cantilever", .model = "rod", .quick = 1, .nu = NAN};
}

static void quick_run(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_validate_opts o = rod_opts();
  pl_validation *v;
  check_ok(&env, pl_validate(&env, &o, &v));
  assert_int_equal(v->nscore, 1);
  assert_int_equal(v->nsurprise, 0);
  const pl_score *s = &v->score[0];
  assert_int_equal(s->verdict, PL_VERDICT_OK);
  check_less(s->worst, 0.01);
  check_less(s->refined, 0.01);
  check_less(s->rescaled, 1e-6);
  check_less(s->distance, 0.001);
  pl_text t;
  pl_text_init(&t, &env);
  pl_validation_print(v, &t);
  assert_non_null(strstr(t.s, "cantilever  rod"));
  pl_text_free(&t);
  pl_validation_free(v);
}

// the same bits on one thread and on two
static void threads_do_not_matter(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  static const double at[] = {0.2, 7, 90, 600};
  pl_validate_opts o = rod_opts();
  pl_validation *v[2];
  o.nat = 4;
  o.at = at;
  for (int k = 0; k < 2; k++) {
    o.threads = k + 1;
    check_ok(&env, pl_validate(&env, &o, &v[k]));
    assert_int_equal(v[k]->score[0].ncheck, 0);
  }
  for (int i = 0; i < 4; i++)
    assert_true(v[0]->score[0].sample[i].value[0] == v[1]->score[0].sample[i].value[0]);
  pl_validation_free(v[0]);
  pl_validation_free(v[1]);
}

static int stop_soon(void *ctx, const pl_progress *p) {
  (void)p;
  int *left = ctx;
  return (*left)-- <= 0;
}

static void cancelled(void **state) {
  (void)state;
  for (int left = 0; left < 30; left += 7) {
    pl_env env;
    pl_env_init(&env);
    int n = left;
    env.progress = stop_soon;
    env.progress_ctx = &n;
    pl_validate_opts o = rod_opts();
    o.model = NULL;
    o.threads = 2;
    pl_validation *v;
    check_status(&env, pl_validate(&env, &o, &v), PL_CANCELLED);
    assert_non_null(v);
    assert_true(v->cancelled && v->nsurprise == 0);
    pl_validation_free(v);
  }
}

static void files(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  char folder[] = "/tmp/pliant-validate-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  static const double at[] = {0.5, 50};
  pl_validate_opts o = rod_opts();
  pl_validation *v;
  o.nat = 2;
  o.at = at;
  o.folder = folder;
  check_ok(&env, pl_validate(&env, &o, &v));
  assert_int_equal(access(v->report, R_OK), 0);
  assert_int_equal(access(v->summary, R_OK), 0);
  snprintf(path, sizeof path, "%s/points.csv", folder);
  check_ok(&env, pl_score_write(&env, &v->score[0], path));
  char *text;
  size_t size;
  check_ok(&env, pl_file_read(&env, path, 0, &text, &size));
  assert_int_equal(strncmp(text, "Gamma,H_over_W,master\n", 22), 0);
  pl_free(&env, text);
  pl_table *t;
  check_ok(&env, pl_table_read(&env, path, &t));
  assert_int_equal(pl_table_rows(t), 2);
  // all digits
  for (int i = 0; i < 2; i++) {
    assert_true(pl_table_data(t)[3 * i] == at[i]);
    assert_true(pl_table_data(t)[3 * i + 1] == v->score[0].sample[i].value[0]);
    assert_true(pl_table_data(t)[3 * i + 2] == v->score[0].sample[i].master[0]);
  }
  pl_table_free(t);
  pl_validation_free(v);
  snprintf(path, sizeof path, "rm -r %s", folder);
  assert_int_equal(system(path), 0);
}

// a model has no values where it is not run
static void points_left_out(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  char folder[] = "/tmp/pliant-validate-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  pl_validate_opts o = {.protocol = "cantilever", .model = "scene-hinge", .quick = 1, .nu = NAN};
  pl_validation *v;
  o.folder = folder;
  check_ok(&env, pl_validate(&env, &o, &v));
  const pl_score *s = &v->score[0];
  snprintf(path, sizeof path, "%s/cantilever-validation.csv", folder);
  pl_table *t;
  check_ok(&env, pl_table_read(&env, path, &t));
  assert_true(pl_table_rows(t) > s->nsample);
  for (int i = 0; i < pl_table_rows(t); i++) {
    const double *row = pl_table_data(t) + 3 * i;
    if (i < s->nsample)
      assert_true(row[0] == s->sample[i].trial.x && row[2] == s->sample[i].value[0]);
    else
      assert_true(isnan(row[2]));
  }
  pl_table_free(t);
  pl_validation_free(v);
  snprintf(path, sizeof path, "rm -r %s", folder);
  assert_int_equal(system(path), 0);
}

// Poisson's ratio 0.5 is no problem of plane stress; solids are left out, and asked for alone they
// are an error
static void incompressible(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  static const double at[] = {0.5, 50};
  pl_validate_opts o = {.protocol = "cantilever", .quick = 1, .nat = 2, .at = at, .nu = 0.5};
  o.resolution = 60;
  pl_validation *v;
  check_ok(&env, pl_validate(&env, &o, &v));
  assert_int_equal(v->nsurprise, 0);
  int passed = 0;
  for (int k = 0; k < v->nscore; k++) {
    assert_string_not_equal(v->score[k].model->name, "hex8");
    assert_int_equal(v->score[k].nfailed, 0);
    passed += v->score[k].verdict == PL_VERDICT_OK;
  }
  // rod, midedge, hinge and the rod of a scene; strips with free sides are softer than plates
  assert_true(passed >= 4);
  pl_validation_free(v);
  o.model = "hex8";
  check_status(&env, pl_validate(&env, &o, &v), PL_E_ARG);
  assert_non_null(strstr(env.error.text, "0.5"));
}

static void wrong_use(void **state) {
  (void)state;
  static const double far[] = {1, 1e9}, near[] = {1};
  const pl_validate_opts row[] = {
      {.protocol = "cantilevr", .nu = NAN},
      {.protocol = "cantilever", .model = "rdo", .nu = NAN},
      {.protocol = "cantilever", .resolution = 3, .nu = NAN},
      {.protocol = "cantilever", .nu = 0.7},
      {.protocol = "cantilever", .nat = 2, .at = far, .nu = NAN},
      {.nat = 1, .at = near, .nu = NAN},
      {.protocol = "cantilever", .threads = -1, .nu = NAN},
  };
  static const char *const text[] = {"cantilevr", "rdo", "resolution", "Poisson",
                                     "Gamma",     "one", "threads"};
  static const char *const hint[] = {"cantilever", "rod", "", "", "", "--at", ""};
  for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
    pl_env env;
    pl_validation *v;
    pl_env_init(&env);
    check_status(&env, pl_validate(&env, &row[k], &v), PL_E_ARG);
    assert_null(v);
    assert_non_null(strstr(env.error.text, text[k]));
    assert_non_null(strstr(env.error.hint, hint[k]));
  }
}

static pl_status small_run(pl_env *env, void *ctx) {
  (void)ctx;
  static const double at[] = {1};
  pl_validate_opts o = rod_opts();
  pl_validation *v;
  o.threads = 1;
  o.nat = 1;
  o.at = at;
  o.resolution = 20;
  pl_status s = pl_validate(env, &o, &v);
  pl_validation_free(v);
  return s;
}

static void allocations(void **state) {
  (void)state;
  check_allocations(small_run, NULL);
}

int test_protocol_run(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(verdicts),
      cmocka_unit_test(range_and_failures),
      cmocka_unit_test(checks_count),
      cmocka_unit_test(divergence_counts),
      cmocka_unit_test(own_range),
      cmocka_unit_test(quick_run),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(cancelled),
      cmocka_unit_test(files),
      cmocka_unit_test(points_left_out),
      cmocka_unit_test(incompressible),
      cmocka_unit_test(wrong_use),
      cmocka_unit_test(allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
