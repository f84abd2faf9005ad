// Contour plots and parallel coordinates, measured in the pictures themselves.
#include "check.h"
#include "report_impl.h"

#include <math.h>
#include <stdlib.h>

#include "xml.h"

static pl_env env;

static void check_svg(const pl_text *t) {
  const char *wrong = xml_wrong(t->s);
  if (wrong) fail_msg("not well-formed: %s", wrong);
  assert_null(strstr(t->s, "nan"));
  assert_null(strstr(t->s, "inf"));
}

static pl_text draw(const pl_contour *p) {
  pl_text t;
  pl_env_init(&env);
  pl_text_init(&t, &env);
  check_ok(&env, pl_contour_svg(&t, p));
  check_svg(&t);
  return t;
}

// area and extent along x of the polygons of path data
typedef struct extent {
  double area, lo, hi;
} extent;

static extent measure(const char *d) {
  extent e = {0, INFINITY, -INFINITY};
  while (*d == 'M') {
    double p[16][2];
    char piece[400];
    int moves, len = (int)strcspn(d, "z"), n;
    assert_true(len < (int)sizeof piece - 1);
    snprintf(piece, sizeof piece, "%.*s\"", len, d);
    n = xml_path(piece, 16, p, &moves);
    double area = 0;
    for (int k = 0; k < n; k++) {
      const double *a = p[k], *b = p[(k + 1) % n];
      area += (a[0] * b[1] - b[0] * a[1]) / 2;
      e.lo = fmin(e.lo, a[0]);
      e.hi = fmax(e.hi, a[0]);
    }
    e.area += fabs(area);
    d += len + 1;
  }
  return e;
}

// the bands of a picture, from the lowest; returns their count
static int bands(const char *svg, extent *out) {
  int n = 0;
  for (const char *at = strstr(svg, "stroke-width=\"0.6\" d=\""); at;
       at = strstr(at + 1, "stroke-width=\"0.6\" d=\""))
    out[n++] = measure(strstr(at, " d=\"") + 4);
  return n;
}

enum { NX = 4, NY = 3 };
static const double x[NX] = {1, 2, 4, 11}, y[NY] = {-1, 0, 3};

static void bands_lie_where_they_belong(void **state) {
  (void)state;
  double z[NX * NY];
  extent e[40];
  for (int k = 0; k < NX * NY; k++) z[k] = 10 * x[k % NX];
  const pl_contour p = {.xlabel = "x",
                        .ylabel = "y <&",
                        .zlabel = "z (m)",
                        .nx = NX,
                        .ny = NY,
                        .x = x,
                        .y = y,
                        .z = z};
  pl_text t = draw(&p);
  int n = bands(t.s, e);
  assert_int_equal(n, 10);
  // of 10 to 110 there are ends at 20, 30 ... 100, each at the tenth of it along x
  double left = e[0].lo, right = e[n - 1].hi, scale = (right - left) / 10, sum = 0;
  for (int k = 0; k < n; k++) {
    check_close(e[k].lo, left + scale * k, 0.2);
    check_close(e[k].hi, left + scale * (k + 1), 0.2);
    sum += e[k].area;
  }
  // together they cover the plot
  check_rel(sum, (right - left) * (460 - 44 - 54), 5e-3);
  pl_text_free(&t);
}

// two of the six cells have a corner without a value
static void a_value_is_missing(void **state) {
  (void)state;
  double z[NX * NY], all = 0, some = 0;
  extent e[40];
  for (int k = 0; k < NX * NY; k++) z[k] = x[k % NX] * y[k / NX] + 0.3 * y[k / NX];
  pl_contour p = {.xlabel = "x", .nx = NX, .ny = NY, .x = x, .y = y, .z = z};
  pl_text t = draw(&p);
  for (int k = bands(t.s, e) - 1; k >= 0; k--) all += e[k].area;
  pl_text_free(&t);
  z[3] = NAN; // at x 11, y -1: the cell from (4, -1) to (11, 0)
  t = draw(&p);
  for (int k = bands(t.s, e) - 1; k >= 0; k--) some += e[k].area;
  check_rel(some / all, 1 - 0.7 * 0.25, 5e-3);
  pl_text_free(&t);
  for (int k = 0; k < NX * NY; k++) z[k] = NAN;
  t = draw(&p);
  pl_text_free(&t);
  for (int k = 0; k < NX * NY; k++) z[k] = 5;
  t = draw(&p);
  pl_text_free(&t);
  p.nx = 1;
  pl_text_init(&t, &env);
  check_status(&env, pl_contour_svg(&t, &p), PL_E_ARG);
  assert_int_equal(t.n, 0);
}

// ---- parallel coordinates ----------------------------------------------------------------------

// All lines of the picture: points p[][2]; returns how many, naxis points each.
static int lines(const char *svg, int max, double (*p)[2]) {
  int n = 0, moves;
  for (const char *at = strstr(svg, "stroke-opacity=\""); at;
       at = strstr(at + 1, "stroke-opacity=\""))
    n += xml_path(strstr(at, " d=\"") + 4, max - n, p + n, &moves);
  return n;
}

static void lines_meet_their_values(void **state) {
  (void)state;
  static const char *const word[] = {"low", "mid", "high"};
  const pl_parallel_axis axis[] = {
      {.label = "a (m)"}, {.label = "b", .log = 1}, {.label = "c", .nword = 3, .word = word}};
  const double v[] = {0, 1, 0, 5, 10, 1, 10, 100, 2, 4, NAN, 1};
  const pl_parallel plot = {
      .title = "cases", .naxis = 3, .n = 4, .axis = axis, .x = v, .colour = 0};
  double p[64][2];
  pl_text t;
  pl_env_init(&env);
  pl_text_init(&t, &env);
  check_ok(&env, pl_parallel_svg(&t, &plot));
  check_svg(&t);
  // colours go upwards, so the three whole lines come in their order
  assert_int_equal(lines(t.s, 64, p), 9);
  double bottom = p[0][1], top = p[6][1];
  assert_true(top < bottom);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) {
      check_close(p[3 * k + i][1], bottom + (top - bottom) * k / 2, 0.11);
      check_close(p[3 * k + i][0], p[i][0], 0.01);
    }
  for (int k = 0; k < 3; k++) assert_non_null(strstr(t.s, word[k]));
  pl_text_free(&t);
  const pl_parallel wrong = {.naxis = 1, .axis = axis, .x = v};
  pl_text_init(&t, &env);
  check_status(&env, pl_parallel_svg(&t, &wrong), PL_E_ARG);
}

// names along x stand below their values
static void names_along_x(void **state) {
  (void)state;
  static const char *const word[] = {"one", "two"};
  const double at[] = {0, 1}, up[] = {3, 4};
  const pl_series s = {.n = 2, .x = at, .y = up, .points = 1};
  const pl_plot plot = {.nseries = 1, .series = &s, .nword = 2, .word = word};
  pl_text t;
  pl_env_init(&env);
  pl_text_init(&t, &env);
  check_ok(&env, pl_plot_svg(&t, &plot));
  check_svg(&t);
  double place[2], p[8][2];
  int moves;
  for (int k = 0; k < 2; k++) {
    char key[16];
    snprintf(key, sizeof key, ">%s<", word[k]);
    const char *text = strstr(t.s, key);
    assert_non_null(text);
    while (strncmp(text, " x=\"", 4) != 0) text--;
    place[k] = strtod(text + 4, NULL);
  }
  const char *dots = strstr(t.s, "class=\"pl-s0\"");
  assert_int_equal(xml_path(strstr(dots, " d=\"") + 4, 8, p, &moves), 2);
  for (int k = 0; k < 2; k++) check_close(p[k][0], place[k], 1);
  pl_text_free(&t);
}

static pl_status draw_both(pl_env *e, void *ctx) {
  static const double z[NX * NY] = {1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6};
  static const pl_parallel_axis axis[2] = {{.label = "a"}, {.label = "b"}};
  const pl_contour c = {.xlabel = "x", .nx = NX, .ny = NY, .x = x, .y = y, .z = z};
  const pl_parallel p = {.naxis = 2, .n = 6, .axis = axis, .x = z};
  pl_text t;
  (void)ctx;
  pl_text_init(&t, e);
  pl_status s = pl_contour_svg(&t, &c);
  if (s == PL_OK) s = pl_parallel_svg(&t, &p);
  pl_text_free(&t);
  return s;
}

static void allocations(void **state) {
  (void)state;
  check_allocations(draw_both, NULL);
}

int test_contour(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bands_lie_where_they_belong), cmocka_unit_test(a_value_is_missing),
      cmocka_unit_test(lines_meet_their_values), cmocka_unit_test(names_along_x),
      cmocka_unit_test(allocations)};
  return cmocka_run_group_tests_name("report.contour", tests, NULL, NULL);
}
