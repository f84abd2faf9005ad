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

static double number_of(const char *text) {
  double v = NAN;
  assert_int_equal(pl_number_scan(text, strlen(text), &v), strlen(text));
  return v;
}

static void check_bits(const char *text, double want) {
  double got = number_of(text);
  if (memcmp(&got, &want, sizeof got) != 0) fail_msg("%s: %a, not %a", text, got, want);
}

// values of any size, subnormal ones too, come back from 17 digits, and from more
static void numbers_come_back(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int k = 0; k < 60000; k++) {
    char text[80];
    double x;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t bits = seed ^ seed >> 29;
    memcpy(&x, &bits, sizeof x);
    if (k % 3 == 0) x = ldexp((double)(int64_t)bits, -63 - k % 40);
    if (k % 7 == 0) x = ldexp(x / fmax(fabs(x), 1), -1040 - k % 34);
    if (!isfinite(x)) continue;
    snprintf(text, sizeof text, k % 2 ? "%.17g" : "%.25e", x);
    check_bits(text, x);
  }
}

// between two doubles: a tie goes to the even one, whatever follows it goes up
static void ties_are_even(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int k = 0; k < 20000; k++) {
    char text[200];
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    int64_t m = (int64_t)(seed >> 12) | (int64_t)1 << 52;
    int shift = k % 60 - 50;
    // m + 1/2 has 54 bits, which a long double holds
    int n = snprintf(text, sizeof text, "%.*Lf", 60, ldexpl((long double)m + 0.5L, shift));
    check_bits(text, ldexp((double)(m + (m & 1)), shift));
    snprintf(text + n, sizeof text - (size_t)n, "1");
    check_bits(text, ldexp((double)(m + 1), shift));
  }
}

// near halves of the last bit, of subnormal numbers and of the largest one; C's own constants
static void hard_numbers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } hard[] = {{"9007199254740992", 0x1p53},
              {"9007199254740993", 0x1p53},
              {"9007199254740993.0000000000000000000000000000001", 0x1.0000000000001p53},
              {"1.00000000000000011102230246251565404236316680908203125", 1},
              {"1.00000000000000011102230246251565404236316680908203126", 0x1.0000000000001p0},
              {"-0", -0.0},
              {"-0.0e5", -0.0},
              {"1e22", 0x1.0f0cf064dd592p73},
              {"1e23", 0x1.52d02c7e14af6p76},
              {"8.533e+68", 0x1.fa69165a8eea2p+228},
              {"4.1006e-184", 0x1.be0d1c7ea60c9p-610},
              {"9.998e+307", 0x1.1cc0a350ca87bp+1023},
              {"6929495644600919.5", 0x1.89e56ee5e7a58p52},
              {"3.518437208883201171875e13", 0x1.0000000000002p45},
              {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
              {"2.2250738585072014e-308", 0x1p-1022},
              {"4.9406564584124654e-324", 0x1p-1074},
              {"2.4703282292062328e-324", 0x1p-1074},
              {"2.4703282292062327e-324", 0},
              {"1.7976931348623157e308", 0x1.fffffffffffffp1023},
              {"1.7976931348623159e308", INFINITY},
              {"123456789e-400", 0},
              {"1e400", INFINITY}};
  for (size_t k = 0; k < sizeof hard / sizeof hard[0]; k++) check_bits(hard[k].text, hard[k].value);
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
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_numbers),   cmocka_unit_test(printable),
      cmocka_unit_test(decimal_numbers), cmocka_unit_test(numbers_come_back),
      cmocka_unit_test(ties_are_even),   cmocka_unit_test(hard_numbers),
      cmocka_unit_test(number_words)};
  return cmocka_run_group_tests_name("base.number", tests, NULL, NULL);
}
