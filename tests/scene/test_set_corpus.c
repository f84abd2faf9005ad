#include "corpus.h"

#include "../fuzz/fuzz_set.h"

// what the fuzzer found, and where it started
static void corpus(void **state) {
  (void)state;
  corpus_replay("set", 5, fuzz_set);
}

int test_set_corpus(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(corpus)};
  return cmocka_run_group_tests_name("scene.set_corpus", tests, NULL, NULL);
}
