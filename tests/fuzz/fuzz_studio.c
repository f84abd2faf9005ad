// Messages to the studio.
#include "fuzz_studio.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_studio((const char *)data, size);
  return 0;
}
