#include "corpus.h"
#include "pliant/math.h"

#include "../fuzz/fuzz_checkpoint.h"

static void in_folder(pl_env *env, const char *data, size_t size) {
  fuzz_checkpoint(env, "test_checkpoint_corpus.results", data, size);
}

// what the fuzzer found, and where it started
static void corpus(void **state) {
  (void)state;
  corpus_replay("checkpoint", 4, in_folder);
}

// one byte at a time, all over what was kept
static void single_bytes(void **state) {
  (void)state;
  pl_env env;
  pl_rng r;
  pl_env_init(&env);
  pl_rng_seed(&r, 1);
  for (int k = 0; k < 25 * FUZZ_SCENES; k++) {
    const char data[] = {(char)(k % FUZZ_SCENES), (char)pl_rng_uniform(&r, 0, 100),
                         (char)pl_rng_uniform(&r, 1, 120), (char)(1 << k % 8)};
    in_folder(&env, data, sizeof data);
  }
}

int test_checkpoint_corpus(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(corpus), cmocka_unit_test(single_bytes)};
  return cmocka_run_group_tests_name("job.checkpoint_corpus", tests, NULL, NULL);
}
