#include "fuzz_drawing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pl_env env;
  pl_env_init(&env);
  fuzz_drawing(&env, "svg", (const char *)data, size);
  return 0;
}
