#include "check.h"
#include "report_impl.h"

#include <math.h>
#include <stdlib.h>

#include "xml.h"

enum { N = 360 };

static pl_text draw(pl_env *env, const pl_polar_plot *p) {
  pl_text t;
  pl_env_init(env);
  pl_text_init(&t, env);
  check_ok(env, pl_polar_svg(&t, p));
  const char *wrong = xml_wrong(t.s);
  if (wrong) fail_msg("not well-formed: %s", wrong);
  assert_null(strstr(t.s, "nan"));
  assert_null(strstr(t.s, "inf"));
  return t;
}

// points of the first path of a colour
static int line_points(const char *svg, int colour, int max, double (*p)[2], int *nmove) {
  char key[32];
  snprintf(key, sizeof key, "class=\"pl-s%d\"", colour);
  const char *at = strstr(svg, key);
  assert_non_null(at);
  return xml_path(strstr(at, " d=\"") + 4, max, p, nmove);
}

// radius and middle of the n-th circle, from inside
static double circle(const char *svg, int n, double mid[2]) {
  const char *at = svg;
  for (int k = 0; k <= n && at; k++) at = strstr(at + 1, "<circle");
  if (!at) return NAN;
  double r;
  assert_int_equal(sscanf(strstr(at, " cx=\"") + 5, "%lf", &mid[0]), 1);
  assert_int_equal(sscanf(strstr(at, " cy=\"") + 5, "%lf", &mid[1]), 1);
  assert_int_equal(sscanf(strstr(at, " r=\"") + 4, "%lf", &r), 1);
  return r;
}

// strain in percent at a pixel by the circles of the picture itself: that of zero is the stronger
// one, that of 1 % the outermost
static double strain_at(const char *svg, double rim, const double *p) {
  double mid[2], zero = NAN, outer = 0;
  for (int k = 0;; k++) {
    double r = circle(svg, k, mid);
    if (isnan(r)) break;
    outer = r;
  }
  const char *strong = strstr(svg, "<circle class=\"pl-axis\"");
  assert_non_null(strong);
  assert_int_equal(sscanf(strstr(strong, " r=\"") + 4, "%lf", &zero), 1);
  double r = hypot(p[0] - mid[0], p[1] - mid[1]);
  return rim * (r - zero) / (outer - zero);
}

static void points_lie_where_they_belong(void **state) {
  (void)state;
  double angle[N], stretch[N], p[2 * N][2];
  for (int i = 0; i < N; i++) {
    angle[i] = 2 * M_PI * i / N;
    stretch[i] = sqrt(pow(1.01 * cos(angle[i]), 2) + pow(1.002 * sin(angle[i]), 2));
  }
  pl_polar_series s = {
      .name = "allowed", .n = N, .angle = angle, .stretch = stretch, .fill = 1, .colour = 0};
  pl_env env;
  pl_text t = draw(
      &env, &(pl_polar_plot){.title = "limit <1 %>", .first = "warp", .nseries = 1, .series = &s});
  int nmove, n = line_points(t.s, 0, 2 * N, p, &nmove);
  assert_int_equal(n, N);
  assert_int_equal(nmove, 1);
  double mid[2];
  circle(t.s, 0, mid);
  for (int i = 0; i < N; i++) {
    // pixels are written to a hundredth of about 118 of them to the percent
    check_close(strain_at(t.s, 1, p[i]), 100 * (stretch[i] - 1), 4e-4);
    double rot = atan2(mid[1] - p[i][1], p[i][0] - mid[0]) - angle[i];
    check_close(rot - 2 * M_PI * round(rot / (2 * M_PI)), 0, 2e-4);
  }
  // a closed line, tinted inside; the first axis by name, the second by its angle
  const char *d = strstr(strstr(t.s, "class=\"pl-s0\""), " d=\"") + 4;
  assert_int_equal(strchr(d, '"')[-1], 'z');
  assert_int_equal(xml_count(t.s, "fill-opacity=\".1\""), 1);
  assert_non_null(strstr(t.s, ">warp</text>"));
  assert_non_null(strstr(t.s, ">90\xc2\xb0</text>"));
  assert_non_null(strstr(t.s, ">1.0 %</text>"));
  assert_non_null(strstr(t.s, "limit &lt;1 %&gt;"));
  pl_text_free(&t);
}

// faint dots set no scale, dots and missing values do not close lines
static void dots_and_gaps(void **state) {
  (void)state;
  double angle[] = {0, 1, 2, 3, 4, 5}, gap[] = {1.1, 1.1, INFINITY, 1.1, NAN, 1.1}, p[16][2];
  double wild[] = {5, 0.1, 1.05, 1.1, 1, 1.02};
  pl_polar_series s[] = {
      {.name = "line", .n = 6, .angle = angle, .stretch = gap, .colour = 0},
      {.name = "faint", .n = 6, .angle = angle, .stretch = wild, .points = 2, .colour = 1},
      {.n = 6, .angle = angle, .stretch = gap, .points = 1, .colour = 2}};
  pl_env env;
  pl_text t = draw(&env, &(pl_polar_plot){.nseries = 3, .series = s});
  int nmove, n = line_points(t.s, 0, 16, p, &nmove);
  assert_int_equal(n, 4);
  assert_int_equal(nmove, 3);
  const char *d = strstr(strstr(t.s, "class=\"pl-s0\""), " d=\"") + 4;
  assert_true(strchr(d, '"')[-1] != 'z');
  check_close(strain_at(t.s, 10, p[0]), 10, 0.02);
  // one of the faint lies below the centre, one beyond the rim is drawn there
  n = line_points(t.s, 1, 16, p, &nmove);
  assert_int_equal(nmove, 5);
  check_less(strain_at(t.s, 10, p[0]), 10.5);
  line_points(t.s, 2, 16, p, &nmove);
  assert_int_equal(nmove, 4);
  pl_text_free(&t);
}

// from end to end of what is meant, within the picture
static void error_bars(void **state) {
  (void)state;
  double angle[] = {0.3, 2, 4}, v[] = {1.02, 0.99, 1.01}, e[] = {0.02, 0, 0.005}, p[32][2];
  pl_polar_series s = {.n = 3, .angle = angle, .stretch = v, .points = 1, .colour = 0, .error = e};
  pl_env env;
  pl_text t = draw(&env, &(pl_polar_plot){.nseries = 1, .series = &s});
  int nmove, n = line_points(t.s, 0, 32, p, &nmove);
  // a bar and two caps each; none for an error of nothing
  assert_int_equal(nmove, 6);
  assert_int_equal(n, 12);
  check_close(strain_at(t.s, 4, p[0]), 0, 2e-3);
  check_close(strain_at(t.s, 4, p[1]), 4, 2e-3);
  check_close(strain_at(t.s, 4, p[6]), 0.5, 2e-3);
  check_close(strain_at(t.s, 4, p[7]), 1.5, 2e-3);
  pl_text_free(&t);
}

static void odd_data(void **state) {
  (void)state;
  double angle[] = {0, 1, 2}, rest[] = {1, 1, 1}, short_[] = {0.2, 0.5, 0.9};
  double none[] = {NAN, NAN, INFINITY}, huge[] = {1e300, 2, 1e-300}, odd[] = {NAN, 1, INFINITY};
  const double *list[] = {rest, short_, none, huge};
  pl_env env;
  for (int k = 0; k < 4; k++)
    for (int points = 0; points < 3; points++) {
      pl_polar_series s = {.n = 3,
                           .angle = k == 3 ? odd : angle,
                           .stretch = list[k],
                           .points = points,
                           .colour = -1};
      pl_text t = draw(&env, &(pl_polar_plot){.nseries = 1, .series = &s, .width = 100 * k});
      if (k == 2) assert_non_null(strstr(t.s, "no data"));
      pl_text_free(&t);
    }
  pl_text t = draw(&env, &(pl_polar_plot){0});
  assert_non_null(strstr(t.s, "no data"));
  pl_text_free(&t);
  // what is far too short is drawn at the centre, nothing outside of the picture
  pl_polar_series s = {.n = 3, .angle = angle, .stretch = short_, .colour = 0};
  double p[4][2], mid[2];
  t = draw(&env, &(pl_polar_plot){.nseries = 1, .series = &s});
  int nmove;
  line_points(t.s, 0, 4, p, &nmove);
  circle(t.s, 0, mid);
  check_close(hypot(p[0][0] - mid[0], p[0][1] - mid[1]), 0, 0.02);
  pl_text_free(&t);
  pl_text_init(&t, &env);
  s.stretch = NULL;
  check_status(&env, pl_polar_svg(&t, &(pl_polar_plot){.nseries = 1, .series = &s}), PL_E_ARG);
  assert_int_equal(t.n, 0);
}

static pl_status allocating(pl_env *env, void *ctx) {
  (void)ctx;
  enum { MANY = 4000 };
  static double angle[MANY], stretch[MANY];
  for (int i = 0; i < MANY; i++) {
    angle[i] = i;
    stretch[i] = 1 + 0.1 * sin(i);
  }
  pl_polar_series s[] = {
      {.name = "line", .n = MANY, .angle = angle, .stretch = stretch},
      {.name = "dots", .n = MANY, .angle = angle, .stretch = stretch, .points = 2}};
  pl_text t;
  pl_text_init(&t, env);
  pl_text_add(&t, "before");
  size_t n = t.n;
  pl_status status =
      t.failed ? PL_E_NOMEM : pl_polar_svg(&t, &(pl_polar_plot){.nseries = 2, .series = s});
  if (status != PL_OK) assert_int_equal(t.n, n);
  pl_text_free(&t);
  return status;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(allocating, NULL);
}

int test_polar(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_lie_where_they_belong),
      cmocka_unit_test(dots_and_gaps),
      cmocka_unit_test(error_bars),
      cmocka_unit_test(odd_data),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("report.polar", tests, NULL, NULL);
}
