#include "check.h"

#include <limits.h>
#include <math.h>
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

int test_number(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(whole_numbers), cmocka_unit_test(printable)};
  return cmocka_run_group_tests_name("base.number", tests, NULL, NULL);
}
