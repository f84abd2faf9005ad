#include "corpus.h"

#include "../fuzz/fuzz_csv.h"

// what the fuzzer found, and where it started
static void corpus(void **state) {
  (void)state;
  corpus_replay("csv", 5, fuzz_csv);
}

int test_csv_corpus(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(corpus)};
  return cmocka_run_group_tests_name("report.csv_corpus", tests, NULL, NULL);
}
