// Overrides of a scene.
#include "fuzz_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

// libfyaml 0.7.12 loses a buffer when a quoted text is wrong
const char *__lsan_default_suppressions(void) {
  return "leak:libfyaml";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pl_env env;
  pl_env_init(&env);
  if (size < 5000) fuzz_set(&env, (const char *)data, size);
  return 0;
}
