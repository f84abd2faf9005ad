// Pictures of limits of stretch: used parts against closed forms, figures from start to end.
#include "check.h"

#include "limit_page.h"
#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

#define FOLDER "test_limit_page.results"

// a square of 0.2 m with the given limit
#define SCENE(limit)                                                                               \
  "pliant: 1\n"                                                                                    \
  "materials: {c: {young: 1800, poisson: 0.4, density: 200}}\n"                                    \
  "bodies: [{name: cloth, shell: {mesh: {grid: {size: [0.2, 0.2], cells: [4, 4]}}, material: c,\n" \
  "  thickness: 0.5 mm, limit: " limit "}}]\n"                                                     \
  "fixed: cloth group left\n"                                                                      \
  "analyses: [drape: {}]\n"

typedef struct bench {
  pl_env env;
  pl_scene *scene;
  pl_sheet *sheet;
  job j;
  double *weight, *q;
} bench;

static void open_bench(bench *b, const char *text) {
  *b = (bench){0};
  pl_env_init(&b->env);
  check_ok(&b->env,
           pl_scene_parse(&b->env, "test", ".", text, strlen(text), 0, NULL, NULL, &b->scene));
  pl_sheet_desc d = b->scene->sheet;
  b->weight = pl_alloc(&b->env, (size_t)d.nvert, sizeof *b->weight);
  b->q = pl_alloc(&b->env, 3 * (size_t)d.nvert, sizeof *b->q);
  for (int i = 0; i < d.nvert; i++) b->weight[i] = 1;
  d.weight = b->weight;
  check_ok(&b->env, pl_sheet_create(&b->env, &d, 1, &b->sheet));
  static pl_job_opts opts = {.folder = FOLDER};
  b->j = (job){
      .env = &b->env, .scene = b->scene, .opts = &opts, .output = b->scene->output, .drawable = 1};
  b->j.files = files_sink(&b->j);
}

static void close_bench(bench *b) {
  pl_page_free(b->j.page);
  pl_sheet_free(b->sheet);
  pl_free(&b->env, b->weight);
  pl_free(&b->env, b->q);
  pl_scene_free(b->scene);
}

// every triangle: x' = (a x + s y, b y); lifted out of its plane by a turn about x
static void deform(bench *b, double a, double across, double s) {
  const double *X = b->scene->params->X;
  for (int i = 0; i < b->scene->sheet.nvert; i++) {
    b->q[3 * i] = a * X[3 * i] + s * X[3 * i + 1];
    b->q[3 * i + 1] = across * X[3 * i + 1] * cos(0.4);
    b->q[3 * i + 2] = across * X[3 * i + 1] * sin(0.4);
  }
}

static void check_used(bench *b, double want, double tol) {
  int n = b->scene->sheet.ntri;
  double *stretch = pl_alloc(&b->env, (size_t)n, 3 * sizeof *stretch);
  double *used = pl_alloc(&b->env, (size_t)n, sizeof *used);
  assert_true(stretch && used);
  pl_sheet_stretch(b->sheet, b->q, stretch);
  check_ok(&b->env, limit_page_used(&b->j, stretch, used));
  for (int t = 0; t < n; t++) check_close(used[t], want, tol);
  pl_free(&b->env, stretch);
  pl_free(&b->env, used);
}

static void used_parts(void **state) {
  (void)state;
  bench b;
  open_bench(&b, SCENE("{stretch: 1 %}"));
  deform(&b, 1.005, 0.9, 0);
  check_used(&b, 0.5, 1e-9);
  // slack in all directions; at the limit; beyond
  deform(&b, 0.98, 0.9, 0);
  check_used(&b, 0, 0);
  deform(&b, 0.8, 1.01, 0);
  check_used(&b, 1, 1e-9);
  deform(&b, 1.02, 1, 0);
  check_used(&b, 2, 1e-9);
  // simple shear by s: the larger principal stretch is (s + sqrt(s^2 + 4)) / 2
  deform(&b, 1, 1, 0.015);
  check_used(&b, 100 * (0.5 * (0.015 + sqrt(0.015 * 0.015 + 4)) - 1), 1e-9);
  close_bench(&b);

  // along the weft 10 % of 20 %; nowhere else is it more
  open_bench(&b, SCENE("{warp: 1 %, weft: 20 %}"));
  deform(&b, 1, 1.1, 0);
  check_used(&b, 0.5, 1e-9);
  deform(&b, 1.01, 0.7, 0);
  check_used(&b, 1, 1e-9);
  close_bench(&b);
}

static size_t file_size(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) return 0;
  fseek(f, 0, SEEK_END);
  size_t n = (size_t)ftell(f);
  fclose(f);
  return n;
}

static int count(const char *text, const char *piece) {
  int n = 0;
  for (const char *at = text; (at = strstr(at, piece)); at += strlen(piece)) n++;
  return n;
}

static void figures_of_a_state(void **state) {
  (void)state;
  bench b;
  char *text;
  size_t size;
  open_bench(&b, SCENE("{stretch: 1 %}"));
  check_ok(&b.env, pl_dir_make(&b.env, FOLDER));
  check_ok(&b.env, pl_page_create(&b.env, "cloth", &b.j.page));
  deform(&b, 1.01, 0.9, 0);
  check_ok(&b.env, limit_page_strain(&b.j, b.sheet, b.q, 0, "drape"));
  check_ok(&b.env, limit_page_polar(&b.j, b.sheet, b.q, "drape"));
  check_ok(&b.env, limit_page_polar(&b.j, b.sheet, NULL, "before"));
  check_ok(&b.env, pl_page_write(b.j.page, FOLDER "/page.html"));
  check_ok(&b.env, pl_file_read(&b.env, FOLDER "/page.html", 0, &text, &size));
  int n = b.scene->sheet.ntri;
  char want[80];
  snprintf(want, sizeof want, "%d of %d triangles are at their limit, none is beyond", n, n);
  assert_non_null(strstr(text, want));
  assert_int_equal(count(text, "<figure>"), 4);
  assert_non_null(strstr(text, "cloth: 1 % in all directions"));
  // what is reached is drawn only where there is a state
  assert_int_equal(count(text, ">reached</text>"), 1);
  pl_free(&b.env, text);
  assert_true(file_size(FOLDER "/drape-strain.svg") > 1000);
  assert_true(file_size(FOLDER "/drape-strain-flat.svg") > 1000);
  assert_true(file_size(FOLDER "/drape-limit.svg") > 1000);
  assert_true(file_size(FOLDER "/before-limit.svg") > 1000);
  close_bench(&b);
}

static void figures_of_motions(void **state) {
  (void)state;
  enum { ROWS = 20, COLS = 5 };
  static double data[2][ROWS][COLS];
  static const char *const method[] = {"reflect", "project", "reflect"};
  bench b;
  char *text;
  size_t size;
  limit_run run[3];
  const pl_transient_info info = {.worst_violation = 2e-6, .nproject = 40, .niter = 300};
  for (int k = 0; k < 3; k++) {
    double(*d)[COLS] = data[k % 2];
    for (int i = 0; i < ROWS; i++) {
      d[i][0] = 0.1 * i;
      d[i][1] = 1 + 0.1 * i;
      d[i][2] = 0.5;
      d[i][3] = -3 - 0.3 * i;
      d[i][4] = -0.2 * i;
    }
    run[k] = (limit_run){.method = method[k],
                         .step = k == 2 ? 0.02 : 0.01,
                         .n = ROWS,
                         .stride = COLS,
                         .t = &d[0][0],
                         .kinetic = &d[0][1],
                         .elastic = &d[0][2],
                         .outer = &d[0][3],
                         .loss = &d[0][4],
                         .info = &info};
  }
  open_bench(&b, SCENE("{stretch: 1 %}"));
  check_ok(&b.env, pl_dir_make(&b.env, FOLDER));
  check_ok(&b.env, pl_page_create(&b.env, "motions", &b.j.page));
  check_ok(&b.env, limit_page_energy(&b.j, run, "swing"));
  check_ok(&b.env, limit_page_compare(&b.j, 3, run, "swing"));
  check_ok(&b.env, limit_page_compare(&b.j, 1, run, "alone"));
  check_ok(&b.env, pl_page_write(b.j.page, FOLDER "/page.html"));
  check_ok(&b.env, pl_file_read(&b.env, FOLDER "/page.html", 0, &text, &size));
  assert_int_equal(count(text, "<figure>"), 4);
  assert_non_null(strstr(text, "total energy by method, 0.01 s"));
  assert_non_null(strstr(text, "total energy by step, reflect"));
  // 19 steps of 0.1 - 0.3 J; the largest kinetic energy is 2.9 J
  assert_int_equal(count(text, "<td class=\"n\">-3.8</td>"), 3);
  assert_int_equal(count(text, "<td class=\"n\">-131.0</td>"), 3);
  assert_int_equal(count(text, "<td class=\"n\">7.5</td>"), 3);
  assert_true(file_size(FOLDER "/swing-by-step.svg") > 1000);
  assert_int_equal(file_size(FOLDER "/alone-by-step.svg"), 0);
  pl_free(&b.env, text);
  close_bench(&b);
}

int test_limit_page(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(used_parts),
      cmocka_unit_test(figures_of_a_state),
      cmocka_unit_test(figures_of_motions),
  };
  return cmocka_run_group_tests_name("job.limit_page", tests, NULL, NULL);
}
