#include "corpus.h"

#include "../fuzz/fuzz_mtx.h"

// what the fuzzer found, and where it started
static void corpus(void **state) {
  (void)state;
  corpus_replay("mtx", 5, fuzz_mtx);
}

int test_mtx_corpus(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(corpus)};
  return cmocka_run_group_tests_name("sparse.mtx_corpus", tests, NULL, NULL);
}
