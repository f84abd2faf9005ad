#include "fuzz_labels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pl_env env;
  pl_env_init(&env);
  fuzz_labels(&env, (const char *)data, size);
  return 0;
}
