// Universal files of measured functions.
#include "fuzz_uff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pl_env env;
  pl_env_init(&env);
  fuzz_uff(&env, (const char *)data, size);
  return 0;
}
