#include "corpus.h"

#include "../fuzz/fuzz_uff.h"

// what the fuzzer found, and where it started
static void corpus(void **state) {
  (void)state;
  corpus_replay("uff", 5, fuzz_uff);
}

int test_uff_corpus(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(corpus)};
  return cmocka_run_group_tests_name("report.uff_corpus", tests, NULL, NULL);
}
