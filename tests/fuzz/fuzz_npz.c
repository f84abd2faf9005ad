#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_mesh("npz", data, size);
  return 0;
}
