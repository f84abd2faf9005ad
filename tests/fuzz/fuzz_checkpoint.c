// Checkpoints that runs go on from.
#include "fuzz_checkpoint.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char folder[64];
  pl_env env;
  pl_env_init(&env);
  snprintf(folder, sizeof folder, "/tmp/pliant-fuzz-%d", (int)getpid());
  if (size < 200) fuzz_checkpoint(&env, folder, (const char *)data, size);
  return 0;
}
