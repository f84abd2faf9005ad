#include "corpus.h"

#include "../fuzz/fuzz_run.h"

// what the fuzzer found, and where it started
static void run_in_folder(pl_env *env, const char *data, size_t size) {
  fuzz_run(env, "test_run_corpus.results", data, size);
}

static void corpus(void **state) {
  (void)state;
  corpus_replay("run", 5, run_in_folder);
}

int test_run_corpus(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(corpus)};
  return cmocka_run_group_tests_name("job.run_corpus", tests, NULL, NULL);
}
