#include "check.h"

#include <math.h>
#include <string.h>

enum { N = 21 }; // two words and a part of one

static void every_bit_counts(void **state) {
  (void)state;
  char data[N];
  for (int i = 0; i < N; i++) data[i] = (char)(17 * i);
  uint64_t whole = pl_hash(0, data, N), seen[8 * N];
  for (int k = 0; k < 8 * N; k++) {
    data[k / 8] = (char)(data[k / 8] ^ 1 << k % 8);
    seen[k] = pl_hash(0, data, N);
    data[k / 8] = (char)(data[k / 8] ^ 1 << k % 8);
    assert_true(seen[k] != whole);
    for (int l = 0; l < k; l++) assert_true(seen[k] != seen[l]);
  }
  assert_true(pl_hash(0, data, N) == whole);
  assert_true(pl_hash(1, data, N) != whole);
}

// what comes in parts has their lengths in it, too
static void parts_count(void **state) {
  (void)state;
  const char zeros[N] = {0};
  assert_true(pl_hash(pl_hash(0, "ab", 2), "c", 1) != pl_hash(pl_hash(0, "a", 1), "bc", 2));
  assert_true(pl_hash(pl_hash(0, "abc", 3), "", 0) != pl_hash(0, "abc", 3));
  for (size_t n = 1; n < N; n++) assert_true(pl_hash(0, zeros, n) != pl_hash(0, zeros, n - 1));
}

// Cells of a grid, whole numbers as doubles, which differ in high bits alone: slots of a table as
// large as their number hold as many as by chance, 9 at most (more have a chance below 1e-2).
static void low_bits_are_an_index(void **state) {
  (void)state;
  static unsigned char count[1 << 15];
  int most = 0, used = 0;
  memset(count, 0, sizeof count);
  for (int i = 0; i < 1 << 15; i++) {
    const double cell[] = {i % 32 - 16, i / 32 % 32 - 16, i / 1024 - 16};
    count[pl_hash(0, cell, sizeof cell) % sizeof count]++;
  }
  for (size_t k = 0; k < sizeof count; k++) {
    if (count[k] > most) most = count[k];
    used += count[k] > 0;
  }
  assert_in_range(most, 5, 9);
  // 1 - 1/e of them, with a deviation of 0.31/sqrt(slots)
  check_close(used / (double)sizeof count, 1 - exp(-1), 0.01);
}

int test_hash(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_bit_counts),
                                     cmocka_unit_test(parts_count),
                                     cmocka_unit_test(low_bits_are_an_index)};
  return cmocka_run_group_tests_name("base.hash", tests, NULL, NULL);
}
