// Scenes, run for a short while.
#include "fuzz_run.h"

#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

// libfyaml 0.7.12 loses a buffer when a quoted text is wrong
const char *__lsan_default_suppressions(void) {
  return "leak:libfyaml";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char folder[64];
  pl_env env;
  pl_env_init(&env);
  snprintf(folder, sizeof folder, "/tmp/pliant-fuzz-%d", (int)getpid());
  if (size < 5000) fuzz_run(&env, folder, (const char *)data, size);
  return 0;
}
