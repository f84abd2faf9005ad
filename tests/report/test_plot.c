#include "check.h"
#include "report_impl.h"

#include <math.h>
#include <stdlib.h>

#include "xml.h"

static pl_text draw(pl_env *env, const pl_plot *p) {
  pl_text t;
  pl_env_init(env);
  pl_text_init(&t, env);
  check_ok(env, pl_plot_svg(&t, p));
  const char *wrong = xml_wrong(t.s);
  if (wrong) fail_msg("not well-formed: %s", wrong);
  assert_non_null(strstr(t.s, "xmlns=\"http://www.w3.org/2000/svg\""));
  assert_null(strstr(t.s, "nan"));
  assert_null(strstr(t.s, "inf"));
  return t;
}

// points of the n-th series' line
static int line_points(const char *svg, int colour, int max, double (*p)[2], int *nmove) {
  char key[32];
  snprintf(key, sizeof key, "class=\"pl-s%d\"", colour);
  const char *at = strstr(svg, key);
  assert_non_null(at);
  return xml_path(strstr(at, " d=\"") + 4, max, p, nmove);
}

static void odd_data(void **state) {
  (void)state;
  double x[] = {0, 1, 2, 3, 4}, same[] = {3, 3, 3, 3, 3}, none[] = {NAN, NAN, INFINITY, NAN, NAN};
  double huge[] = {1e-300, -1e300, 1e300, 1, 2}, tiny[] = {0, 5e-324, 1e-310, 0, 0};
  const double *ys[] = {x, same, none, huge, tiny};
  for (int k = 0; k < 5; k++)
    for (int mode = 0; mode < 16; mode++) {
      pl_series s = {.name = "s", .n = 5, .x = x, .y = ys[k], .points = mode % 3, .colour = -1};
      pl_plot p = {.title = "t",
                   .xlabel = "x (m)",
                   .ylabel = "y",
                   .logx = mode & 1,
                   .logy = mode >> 1 & 1,
                   .equal = mode >> 2 & 1,
                   .nseries = mode >> 3 & 1 ? 1 : 0,
                   .series = &s};
      pl_env env;
      pl_text t = draw(&env, &p);
      if (k == 2 || p.nseries == 0) assert_non_null(strstr(t.s, "data</text>"));
      pl_text_free(&t);
    }
  pl_env env;
  pl_env_init(&env);
  pl_text t;
  pl_text_init(&t, &env);
  pl_series bad = {.n = 3, .x = x};
  check_status(&env, pl_plot_svg(&t, &(pl_plot){.nseries = 1, .series = &bad}), PL_E_ARG);
  assert_int_equal(t.n, 0);
}

static void text_is_escaped(void **state) {
  (void)state;
  double x[] = {0, 1};
  pl_series s = {.name = "<a href=\"x\">&", .n = 2, .x = x, .y = x, .colour = -1};
  pl_plot p = {.title = "bad \xff\xc0\x80 \xed\xa0\x80 \x01 text",
               .xlabel = "a<b",
               .ylabel = "ok \xc2\xb5",
               .nseries = 1,
               .series = &s};
  pl_env env;
  pl_text t = draw(&env, &p);
  assert_non_null(strstr(t.s, "&lt;a href=&quot;x&quot;&gt;&amp;"));
  assert_non_null(strstr(t.s, "bad \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "));
  assert_non_null(strstr(t.s, "ok \xc2\xb5"));
  pl_text_free(&t);
}

static void gaps_break_lines(void **state) {
  (void)state;
  double x[] = {0, 1, 2, 3, 4, 5, 6}, y[] = {0, 1, NAN, 1, NAN, 2, 3}, p[32][2];
  pl_series s = {.n = 7, .x = x, .y = y, .colour = 2};
  pl_env env;
  pl_text t = draw(&env, &(pl_plot){.nseries = 1, .series = &s});
  int nmove, n = line_points(t.s, 2, 32, p, &nmove);
  // two lines and a dot between them
  assert_int_equal(n, 6);
  assert_int_equal(nmove, 4);
  pl_text_free(&t);
}

// a spike of one sample in a million is seen, at its height, in a short text
static void long_series(void **state) {
  (void)state;
  enum { N = 1000000, MAX = 8000 };
  double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y), p[MAX][2];
  for (int i = 0; i < N; i++) {
    x[i] = i;
    y[i] = sin(i * 0.01);
  }
  y[345678] = 5;
  y[765432] = -3;
  pl_series s = {.n = N, .x = x, .y = y, .colour = 0};
  pl_env env;
  pl_text t = draw(&env, &(pl_plot){.nseries = 1, .series = &s});
  check_less((double)t.n, 120000);
  int nmove, n = line_points(t.s, 0, MAX, p, &nmove), hi = 0, lo = 0;
  assert_in_range(n, 1000, MAX);
  for (int k = 0; k < n; k++) {
    if (p[k][1] < p[hi][1]) hi = k;
    if (p[k][1] > p[lo][1]) lo = k;
  }
  // eight units from spike to spike in x from p[0] to p[n - 1]
  double width = p[n - 1][0] - p[0][0];
  check_close((p[hi][0] - p[0][0]) / width, 0.345678, 0.001);
  check_close((p[lo][0] - p[0][0]) / width, 0.765432, 0.001);
  check_close((p[lo][1] - p[0][1]) / (p[lo][1] - p[hi][1]), 3.0 / 8, 0.001);
  pl_text_free(&t);

  // an orbit run through ten thousand times is one orbit
  for (int i = 0; i < N; i++) {
    x[i] = cos(i * 0.0631);
    y[i] = sin(i * 0.0631);
  }
  t = draw(&env, &(pl_plot){.nseries = 1, .series = &s});
  check_less((double)t.n, 400000);
  pl_text_free(&t);
  s.points = 1;
  t = draw(&env, &(pl_plot){.nseries = 1, .series = &s});
  check_less((double)t.n, 100000);
  pl_text_free(&t);
  free(x);
  free(y);
}

static void equal_scales(void **state) {
  (void)state;
  double x[] = {0, 2, 2, 0, 0}, y[] = {0, 0, 3, 3, 0}, p[8][2];
  pl_series s = {.n = 5, .x = x, .y = y, .colour = 0};
  pl_env env;
  pl_text t = draw(&env, &(pl_plot){.nseries = 1, .series = &s, .equal = 1});
  int nmove;
  assert_int_equal(line_points(t.s, 0, 8, p, &nmove), 5);
  check_close((p[1][0] - p[0][0]) / 2, (p[0][1] - p[3][1]) / 3, 0.02);
  pl_text_free(&t);
}

static pl_status allocating(pl_env *env, void *ctx) {
  (void)ctx;
  enum { N = 5000 };
  static double x[N], y[N];
  for (int i = 0; i < N; i++) {
    x[i] = cos(i);
    y[i] = sin(2 * i);
  }
  pl_series s[] = {{.name = "line", .n = N, .x = x, .y = y, .colour = -1},
                   {.name = "dots", .n = N, .x = x, .y = y, .colour = -1, .points = 1}};
  pl_text t;
  pl_text_init(&t, env);
  pl_text_add(&t, "before");
  size_t n = t.n;
  pl_status status = t.failed ? PL_E_NOMEM : pl_plot_svg(&t, &(pl_plot){.nseries = 2, .series = s});
  // nothing half-written stays
  if (status != PL_OK) assert_int_equal(t.n, n);
  pl_text_free(&t);
  return status;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(allocating, NULL);
}

static void file_of_its_own(void **state) {
  (void)state;
  pl_env env;
  pl_text t = draw(&env, &(pl_plot){.title = "alone"});
  const char *path = "test_report_plot.tmp.svg";
  check_ok(&env, pl_svg_write(&env, path, &t));
  char *data;
  size_t size;
  check_ok(&env, pl_file_read(&env, path, 0, &data, &size));
  assert_null(xml_wrong(data));
  assert_int_equal(strncmp(data, "<?xml", 5), 0);
  check_status(&env, pl_svg_write(&env, "no/such/folder/a.svg", &t), PL_E_IO);
  pl_free(&env, data);
  pl_text_free(&t);
  check_status(&env, pl_svg_write(&env, path, &t), PL_E_ARG);
  remove(path);
}

// a path of 95 mm by 0.15 m must not have mm on one axis and m on the other
static void equal_axes_share_their_unit(void **state) {
  (void)state;
  pl_env env;
  double x[] = {0, 0.15, 0.1}, y[] = {-0.04, 0.05, 0.01};
  pl_series s = {.n = 3, .x = x, .y = y};
  pl_text t = draw(
      &env,
      &(pl_plot){.xlabel = "x (m)", .ylabel = "y (m)", .equal = 1, .nseries = 1, .series = &s});
  assert_true(!strstr(t.s, "x (m)") == !strstr(t.s, "y (m)"));
  assert_true(!strstr(t.s, "x (mm)") == !strstr(t.s, "y (mm)"));
  pl_text_free(&t);
}

// one unit for all figures of a report, on linear and logarithmic axes; powers of ten before it
static void wanted_unit_of_length(void **state) {
  (void)state;
  pl_env env;
  double x[] = {0, 1}, y[] = {0, 3}, small[] = {0, 2e-9};
  pl_series s = {.n = 2, .x = x, .y = y};
  pl_plot p = {
      .xlabel = "time (s)", .ylabel = "tip (m)", .length = "mm", .nseries = 1, .series = &s};
  pl_text t = draw(&env, &p);
  assert_non_null(strstr(t.s, "tip (mm)"));
  pl_text_free(&t);
  s.y = small;
  t = draw(&env, &p);
  assert_non_null(strstr(t.s, "tip (10\xe2\x81\xbb\xe2\x81\xb6 mm)"));
  pl_text_free(&t);
  // other units stay what they are
  p.ylabel = "force (N)";
  t = draw(&env, &p);
  assert_non_null(strstr(t.s, "force (10\xe2\x81\xbb\xe2\x81\xb9 N)"));
  pl_text_free(&t);
  double wide[] = {2e-3, 5};
  s.y = wide;
  p.ylabel = "tip (m)";
  p.logy = 1;
  t = draw(&env, &p);
  assert_non_null(strstr(t.s, "tip (mm)"));
  assert_non_null(strstr(t.s, ">1000<"));
  assert_null(strstr(t.s, ">0.1<"));
  pl_text_free(&t);
}

// a series of which nothing can be seen has no entry
static void legend_names_what_is_drawn(void **state) {
  (void)state;
  pl_env env;
  double x[] = {1, 2, 3}, y[] = {1, 2, 3}, none[] = {NAN, NAN, NAN}, below[] = {0, -1, NAN};
  pl_series s[] = {{.name = "stable", .n = 3, .x = x, .y = y},
                   {.name = "unstable", .n = 3, .x = x, .y = none},
                   {.name = "empty", .x = x, .y = y},
                   {.name = "below", .n = 3, .x = x, .y = below}};
  pl_plot p = {.nseries = 4, .series = s};
  pl_text t = draw(&env, &p);
  assert_non_null(strstr(t.s, ">stable<"));
  assert_non_null(strstr(t.s, ">below<"));
  assert_null(strstr(t.s, ">unstable<"));
  assert_null(strstr(t.s, ">empty<"));
  pl_text_free(&t);
  p.logy = 1;
  t = draw(&env, &p);
  assert_null(strstr(t.s, ">below<"));
  pl_text_free(&t);
}

static void whole_numbers_have_whole_ticks(void **state) {
  (void)state;
  pl_env env;
  double x[] = {1, 2, 3}, y[] = {0.3, 0.2, 0.1};
  pl_series s = {.n = 3, .x = x, .y = y};
  pl_plot p = {.xlabel = "harmonic", .ylabel = "share", .nseries = 1, .series = &s};
  pl_text t = draw(&env, &p);
  assert_null(strstr(t.s, ">1.5<"));
  assert_non_null(strstr(t.s, ">2<"));
  pl_text_free(&t);
  x[1] = 2.25;
  t = draw(&env, &p);
  assert_non_null(strstr(t.s, ">1.5<"));
  pl_text_free(&t);
}

int test_plot(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_axes_share_their_unit),
      cmocka_unit_test(wanted_unit_of_length),
      cmocka_unit_test(legend_names_what_is_drawn),
      cmocka_unit_test(whole_numbers_have_whole_ticks),
      cmocka_unit_test(odd_data),
      cmocka_unit_test(text_is_escaped),
      cmocka_unit_test(gaps_break_lines),
      cmocka_unit_test(long_series),
      cmocka_unit_test(equal_scales),
      cmocka_unit_test(failing_allocator),
      cmocka_unit_test(file_of_its_own),
  };
  return cmocka_run_group_tests_name("report.plot", tests, NULL, NULL);
}
