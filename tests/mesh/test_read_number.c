#include "read_impl.h"
#include "read_support.h"

#include <stdio.h>
#include <stdlib.h>

// reads text as one number; the buffer ends exactly where the text does
static int scan(const char *text, double *out) {
  pl_load in = {.begin = text, .at = text, .end = text + strlen(text), .line = 1};
  return pl_scan_real(&in, out) && in.at == in.end;
}

static void check_same(const char *text) {
  double got = 0, want = strtod(text, NULL);
  if (!scan(text, &got) || memcmp(&got, &want, sizeof got) != 0)
    fail_msg("%s read as %.17g, strtod gives %.17g", text, got, want);
}

static void same_bits_as_strtod(void **state) {
  (void)state;
  uint64_t seed = 12345;
  for (int k = 0; k < 200000; k++) {
    char text[64];
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t w = seed >> (seed >> 58);
    int e = (int)(seed >> 33 & 63) - 32, digits = (int)(seed >> 20 & 15) + 3;
    snprintf(text, sizeof text, "%lluE%d", (unsigned long long)w, e);
    check_same(text);

    // the forms that programs write
    double x = ((double)(seed >> 11) / 9007199254740992.0 - 0.5) * pow(10, e / 4);
    snprintf(text, sizeof text, "%.*g", digits, x);
    check_same(text);
    snprintf(text, sizeof text, "%.*f", digits, x);
    check_same(text);
  }
}

static void special_numbers(void **state) {
  (void)state;
  const char *const same[] = {"0",
                              "-0",
                              "+1",
                              "1.",
                              ".5",
                              "0e27",
                              "0e-27",
                              "1e22",
                              "1e23",
                              "9007199254740993",
                              "1e-320",
                              "1e308",
                              "4.9e-324",
                              "18446744073709551615",
                              "9999999999999999999",
                              "0.1e1",
                              "2.5e-27",
                              "123456789012345678e-27",
                              "0.00000000000000000000000000000000000000000012345678901234567",
                              "179769313486231580793728971405303415079934132710037826936173778"};
  for (size_t k = 0; k < sizeof same / sizeof same[0]; k++) check_same(same[k]);
  const char *const none[] = {"",  "-",    "+-1",  ".",   "e5",   "1e",   "1e+",
                              "x", "0x10", "1.5f", "1,5", "1..2", "nano", "1e5.5"};
  for (size_t k = 0; k < sizeof none / sizeof none[0]; k++) {
    double x;
    if (scan(none[k], &x)) fail_msg("'%s' read as %g", none[k], x);
  }
  double x;
  assert_true(scan("-nan", &x) && isnan(x));
  assert_true(scan("Infinity", &x) && isinf(x));
  assert_true(scan("1e999", &x) && isinf(x));
  assert_true(scan("1e-9999", &x) && x == 0);
}

static void whole_numbers(void **state) {
  (void)state;
  const struct {
    const char *text;
    int ok;
    int64_t value;
  } rows[] = {{"0", 1, 0},
              {"-17", 1, -17},
              {"+4/5", 1, 4},
              {"999999999999999999", 1, 999999999999999999},
              {"1000000000000000000", 0, 0},
              {"", 0, 0},
              {"-", 0, 0},
              {"a", 0, 0}};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
    pl_load in = {.at = rows[k].text, .end = rows[k].text + strlen(rows[k].text)};
    int64_t v = 0;
    assert_int_equal(pl_scan_int(&in, &v), rows[k].ok);
    assert_int_equal(v, rows[k].value);
  }
}

static void utf8(void **state) {
  (void)state;
  const char *const good[] = {"plain", "k\xc3\xb6rper", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
  const char *const bad[] = {"k\xf6rper",        "\xc3", "\xc0\xaf",     "\xed\xa0\x80",
                             "\xf4\x90\x80\x80", "\x80", "\xe0\x80\x80", "\xf8\x88\x80\x80\x80"};
  for (size_t k = 0; k < sizeof good / sizeof good[0]; k++)
    assert_true(pl_load_utf8(good[k], strlen(good[k])));
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
    assert_false(pl_load_utf8(bad[k], strlen(bad[k])));
}

int test_read_number(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_bits_as_strtod),
      cmocka_unit_test(special_numbers),
      cmocka_unit_test(whole_numbers),
      cmocka_unit_test(utf8),
  };
  return cmocka_run_group_tests_name("mesh.read_number", tests, NULL, NULL);
}
