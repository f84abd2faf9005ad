#include "check.h"

#include "pliant/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int count(const char *text, const char *piece) {
  int n = 0;
  for (const char *at = text; (at = strstr(at, piece)); at += strlen(piece)) n++;
  return n;
}

// places of the n-th bar: left edge and width
static void bar(const char *svg, int n, double *x, double *width) {
  const char *at = svg;
  for (int k = 0; k <= n; k++) at = strstr(at + 1, "<rect fill=");
  assert_non_null(at);
  assert_int_equal(sscanf(strstr(at, " x=\"") + 4, "%lf", x), 1);
  assert_int_equal(sscanf(strstr(at, " width=\"") + 8, "%lf", width), 1);
}

static void signed_bars(void **state) {
  (void)state;
  static const char *const name[] = {"m_toe", "k<1>", "rest", "nothing"};
  static const double value[] = {2, -1, 0.5, NAN};
  pl_env env;
  pl_text t;
  double x[3], width[3];
  pl_env_init(&env);
  pl_text_init(&t, &env);
  check_ok(&env, pl_bars_svg(&t, &(pl_chart){"what they do", "change (m)", NULL, 4, name, value}));
  assert_non_null(strstr(t.s, "what they do</text>"));
  assert_non_null(strstr(t.s, "k&lt;1&gt;"));
  // no bar where there is no number
  assert_int_equal(count(t.s, "<rect fill="), 3);
  for (int k = 0; k < 3; k++) bar(t.s, k, &x[k], &width[k]);
  // all begin or end at zero, as long as their values
  check_close(x[0], x[2], 0.02);
  check_close(x[1] + width[1], x[0], 0.02);
  check_rel(width[0] / width[1], 2, 1e-3);
  check_rel(width[0] / width[2], 4, 1e-3);
  pl_text_free(&t);
}

static void nothing_to_show(void **state) {
  (void)state;
  static const char *const name[] = {"m"};
  static const double zero = 0;
  pl_env env;
  pl_text t;
  pl_env_init(&env);
  pl_text_init(&t, &env);
  check_ok(&env, pl_bars_svg(&t, &(pl_chart){"", "(m)", "mm", 0, NULL, NULL}));
  check_ok(&env, pl_bars_svg(&t, &(pl_chart){"", "(m)", "mm", 1, name, &zero}));
  assert_int_equal(count(t.s, "</svg>"), 2);
  pl_text_free(&t);
}

// dots of a table lie between the bounds, on a logarithm where asked
static void table_of_bars(void **state) {
  (void)state;
  const pl_bar list[] = {
      {.name = "m", .unit = "kg", .lo = 0, .hi = 2, .before = 1, .after = 2, .note = "at <max>"},
      {.name = "E", .unit = "Pa", .lo = 1, .hi = 100, .before = 10, .after = 1000, .log = 1},
      {.name = "free", .unit = "", .lo = -INFINITY, .hi = INFINITY, .before = 1, .after = 2}};
  pl_env env;
  pl_page *p;
  char *text;
  size_t size;
  pl_env_init(&env);
  check_ok(&env, pl_page_create(&env, "bars", &p));
  pl_page_alarm(p, "%d < 2", 1);
  pl_page_row_begin(p);
  pl_page_bars(p, 3, list);
  pl_page_row_end(p);
  check_ok(&env, pl_page_write(p, "test_bars.html"));
  pl_page_free(p);
  check_ok(&env, pl_file_read(&env, "test_bars.html", 0, &text, &size));
  assert_non_null(strstr(text, "class=\"warning alarm\""));
  assert_non_null(strstr(text, "1 &lt; 2"));
  assert_non_null(strstr(text, "at &lt;max&gt;"));
  // no picture without bounds, both rings in the middle, both dots at the right end
  assert_int_equal(count(text, "<svg class=\"bar\""), 2);
  assert_int_equal(count(text, "class=\"b\" cx=\"75.0\""), 2);
  assert_int_equal(count(text, "class=\"a\" cx=\"144.0\""), 2);
  assert_int_equal(count(text, "<div"), count(text, "</div>"));
  pl_free(&env, text);
}

int test_bars(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(signed_bars),
      cmocka_unit_test(nothing_to_show),
      cmocka_unit_test(table_of_bars),
  };
  return cmocka_run_group_tests_name("report.bars", tests, NULL, NULL);
}
