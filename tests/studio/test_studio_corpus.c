#include "corpus.h"

#include "../fuzz/fuzz_studio.h"

// what the fuzzer found, and where it started
static void parse(pl_env *env, const char *data, size_t size) {
  (void)env;
  fuzz_studio(data, size);
}

static void corpus(void **state) {
  (void)state;
  corpus_replay("studio", 15, parse);
}

int test_studio_corpus(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(corpus)};
  return cmocka_run_group_tests_name("studio.corpus", tests, NULL, NULL);
}
