#include "check.h"
#include "report_impl.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(double lo, double hi, int log, int want, const char *label, const char *ticks,
                   const char *shown) {
  rp_axis a;
  rp_axis_make(&a, lo, hi, want, &(rp_look){.log = log, .label = label});
  char got[512] = "";
  for (int k = 0; k < a.ntick; k++)
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", k ? " " : "", a.text[k]);
  assert_string_equal(got, ticks);
  assert_string_equal(a.label, shown);
}

static void expected_ticks(void **state) {
  (void)state;
  expect(0, 1, 0, 6, "time (s)", "0.0 0.2 0.4 0.6 0.8 1.0", "time (s)");
  expect(-3, 3, 0, 7, "x", "−3 −2 −1 0 1 2 3", "x");
  expect(0, 0.012, 0, 6, "tip (m)", "0 2 4 6 8 10 12", "tip (mm)");
  expect(0, 3.4e-5, 0, 4, "energy (J)", "0 10 20 30", "energy (µJ)");
  expect(0, 4e5, 0, 4, "stress (Pa)", "0 100 200 300 400", "stress (kPa)");
  // no prefix fits: a power of ten before the unit, or behind the name
  expect(0, 4e-6, 0, 4, "area (m^2)", "0 1 2 3 4", "area (10⁻⁶ m²)");
  expect(0, 4e7, 0, 4, "count", "0 10 20 30 40", "count (×10⁶)");
  expect(0, 2e4, 0, 4, "time (s)", "0 5000 10000 15000 20000", "time (s)");
  expect(-1e300, 1e300, 0, 4, NULL, "−1.0 −0.5 0.0 0.5 1.0", "×10³⁰⁰");
  expect(1000.0009, 1000.0015, 0, 6, "length (m)", "0.9 1.0 1.1 1.2 1.3 1.4 1.5",
         "length − 1000 m (mm)");
}

static void expected_log_ticks(void **state) {
  (void)state;
  expect(1e-6, 1, 1, 7, "r", "10⁻⁶ 10⁻⁵ 10⁻⁴ 10⁻³ 10⁻² 10⁻¹ 10⁰", "r");
  expect(0.01, 100, 1, 6, "r", "0.01 0.1 1 10 100", "r");
  expect(0.9, 30, 1, 6, "r", "1 2 5 10 20", "r");
  expect(1e-7, 5e-6, 1, 6, "r", "10⁻⁷ 2×10⁻⁷ 5×10⁻⁷ 10⁻⁶ 2×10⁻⁶ 5×10⁻⁶", "r");
  expect(210, 290, 1, 4, "r", "220 240 260 280", "r");
  expect(1e-300, 1e300, 1, 7, "r", "10⁻³⁰⁰ 10⁻²⁰⁰ 10⁻¹⁰⁰ 10⁰ 10¹⁰⁰ 10²⁰⁰ 10³⁰⁰", "r");
}

static double number(const char *text) {
  char plain[64] = "";
  if (strncmp(text, "−", strlen("−")) == 0) {
    plain[0] = '-';
    text += strlen("−");
  }
  strncat(plain, text, 60);
  return strtod(plain, NULL);
}

// ticks are multiples of 1, 2 or 5 times a power of ten, inside, and their text is their value
static void properties(void **state) {
  (void)state;
  srand(7);
  for (int k = 0; k < 5000; k++) {
    double e = rand() % 560 - 280, m = 2.0 * rand() / RAND_MAX - 1;
    double lo = m * pow(10, e), hi = lo + pow(10, e) * (0.01 + 1.0 * rand() / RAND_MAX);
    int want = 3 + rand() % 8;
    rp_axis a;
    rp_axis_make(&a, lo, hi, want, &(rp_look){.label = "x"});
    assert_in_range(a.ntick, 1, want + 1);
    check_close(a.lo * a.ten + a.offset, lo, 1e-9 * (hi - lo));
    check_close(rp_axis_at(&a, hi), 1, 1e-9);
    for (int i = 0; i < a.ntick; i++) {
      double f = rp_axis_shown(&a, a.tick[i]);
      assert_true(f > -1e-5 && f < 1 + 1e-5);
      check_close(number(a.text[i]), a.tick[i], 1e-9 * (a.hi - a.lo) + 1e-12);
    }
    if (a.ntick < 2) continue;
    double step = a.tick[1] - a.tick[0], lead = step / pow(10, floor(log10(step) + 1e-9));
    assert_true(fabs(lead - 1) < 1e-6 || fabs(lead - 2) < 1e-6 || fabs(lead - 5) < 1e-6);
    check_close(remainder(a.tick[0], step), 0, 1e-9 * step);
  }
}

static void ranges(void **state) {
  (void)state;
  const double data[][2] = {{1, -1},
                            {0, 0},
                            {5, 5},
                            {-DBL_MAX, DBL_MAX},
                            {0, 4e-324},
                            {1, 1 + 1e-15},
                            {DBL_MAX, DBL_MAX},
                            {-3e-310, 2e-310},
                            {1e-300, 1e300}};
  for (size_t k = 0; k < sizeof data / sizeof *data; k++)
    for (int log = 0; log < 2; log++) {
      double lo = data[k][0], hi = data[k][1];
      if (log && lo <= 0 && lo <= hi) continue;
      rp_range(&lo, &hi, log, 0.05, 1);
      assert_true(isfinite(lo) && isfinite(hi) && lo < hi);
      rp_axis a;
      rp_axis_make(&a, lo, hi, 6, &(rp_look){.log = log, .label = "y"});
      assert_true(a.ntick >= 1 && isfinite(a.lo) && isfinite(a.hi) && a.lo < a.hi);
    }
  // zero is shown when it is near, and is a limit
  double lo = 1, hi = 9;
  rp_range(&lo, &hi, 0, 0.1, 1);
  check_close(lo, 0, 0);
  check_close(hi, 9.9, 1e-12);
  lo = 5, hi = 9;
  rp_range(&lo, &hi, 0, 0.1, 1);
  check_close(lo, 4.6, 1e-12);
}

static void not_shown(void **state) {
  (void)state;
  rp_axis a;
  rp_axis_make(&a, 1, 100, 5, &(rp_look){.log = 1, .label = "x"});
  assert_true(isnan(rp_axis_at(&a, 0)) && isnan(rp_axis_at(&a, -1)) && isnan(rp_axis_at(&a, NAN)));
  check_close(rp_axis_at(&a, 10), 0.5, 1e-12);
  rp_axis_make(&a, 1, 100, 5, &(rp_look){.label = "x"});
  assert_true(isnan(rp_axis_at(&a, INFINITY)));
}

int test_axis(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expected_ticks), cmocka_unit_test(expected_log_ticks),
      cmocka_unit_test(properties),     cmocka_unit_test(ranges),
      cmocka_unit_test(not_shown),
  };
  return cmocka_run_group_tests_name("report.axis", tests, NULL, NULL);
}
