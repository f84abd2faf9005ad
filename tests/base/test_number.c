#include "check.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void whole_numbers(void **state) {
  (void)state;
  assert_int_equal(pl_floor_int(2.9), 2);
  assert_int_equal(pl_floor_int(-2.1), -3);
  assert_int_equal(pl_floor_int(1e300), INT_MAX);
  assert_int_equal(pl_floor_int(-1e300), INT_MIN);
  assert_int_equal(pl_floor_int(INFINITY), INT_MAX);
  assert_int_equal(pl_floor_int(NAN), 0);
}

// escapes, C1 controls, bytes that are not UTF-8; letters beyond ASCII stay
static void printable(void **state) {
  (void)state;
  char out[64], little[8];
  assert_string_equal(pl_printable("a\x1b[31m\tb\n\x7f", out, sizeof out), "a?[31m?b\n?");
  assert_string_equal(pl_printable("\xc2\x9b|\xff|\xc3\xa9|\xe2\x82\xac", out, sizeof out),
                      "?|?|\xc3\xa9|\xe2\x82\xac");
  assert_string_equal(pl_printable("\xe2\x82", out, sizeof out), "??");
  pl_printable("abcdefghijkl", little, sizeof little);
  assert_true(strlen(little) < sizeof little);
}

static void decimal_numbers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t n;
    double value;
  } cases[] = {{"1", 1, 1},         {"-2.5e3 mm", 6, -2500}, {"+.5", 3, 0.5},  {"3.", 2, 3},
               {"1e", 1, 1},        {"1e-3m", 4, 1e-3},      {"2em", 1, 2},    {"07", 2, 7},
               {"1.5E+2x", 6, 150}, {"0x10", 1, 0},          {"1e5.5", 3, 1e5}};
  static const char *const none[] = {"", "-", ".", "e3", "nan", "inf", "x1", " 1", "- 1", "$p"};
  for (int k = 0; k < (int)(sizeof cases / sizeof cases[0]); k++) {
    double v = 0;
    assert_int_equal(pl_number_scan(cases[k].text, strlen(cases[k].text), &v), cases[k].n);
    check_rel(v, cases[k].value, 1e-15);
  }
  for (int k = 0; k < (int)(sizeof none / sizeof none[0]); k++) {
    double v;
    assert_int_equal(pl_number_scan(none[k], strlen(none[k]), &v), 0);
  }
}

// to the bit what strtod gives, for short numbers and for those that are not exact in between
static void nearest_doubles(void **state) {
  (void)state;
  static const char *const form[] = {"%.0f", "%.6g", "%.9f", "%.15e", "%.17g", "%.3e"};
  uint64_t seed = 3;
  for (int k = 0; k < 60000; k++) {
    char text[80];
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    double x = ldexp((double)(int64_t)seed, -63) * pow(10, k % 61 - 30), v = 0;
    int n = snprintf(text, sizeof text, form[k % 6], x);
    assert_int_equal(pl_number_scan(text, (size_t)n, &v), n);
    double nearest = strtod(text, NULL);
    assert_memory_equal(&v, &nearest, sizeof v);
  }
  static const char *const edge[] = {"9007199254740992",
                                     "9007199254740993",
                                     "-0",
                                     "-0.0e5",
                                     "0.000000000000001",
                                     "1e22",
                                     "1e23",
                                     "1e-22",
                                     "1e-23",
                                     "123456789e-300",
                                     "1e400"};
  for (int k = 0; k < (int)(sizeof edge / sizeof edge[0]); k++) {
    double v = 0, nearest = strtod(edge[k], NULL);
    assert_int_equal(pl_number_scan(edge[k], strlen(edge[k]), &v), strlen(edge[k]));
    assert_memory_equal(&v, &nearest, sizeof v);
  }
}

// whole words: the whole is a number or none
static void number_words(void **state) {
  (void)state;
  double v = 0, digits;
  assert_true(pl_number_word("-Infinity", 9, &v) && v == -INFINITY);
  assert_true(pl_number_word("NaN", 3, &v) && isnan(v));
  assert_true(pl_number_word("1e5,", 3, &v) && v == 1e5);
  assert_false(pl_number_word("1e5,", 4, &v));
  assert_false(pl_number_word("nano", 4, &v));
  assert_false(pl_number_word("", 0, &v));
  char many[500];
  memset(many, '1', sizeof many);
  assert_int_equal(pl_number_scan(many, 300, &digits), 300);
  assert_int_equal(pl_number_scan(many, 500, &digits), 0);
}

int test_number(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(whole_numbers), cmocka_unit_test(printable),
                                     cmocka_unit_test(decimal_numbers),
                                     cmocka_unit_test(nearest_doubles),
                                     cmocka_unit_test(number_words)};
  return cmocka_run_group_tests_name("base.number", tests, NULL, NULL);
}
