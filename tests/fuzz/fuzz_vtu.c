#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  double u[4][3];
  pl_env env;
  pl_env_init(&env);
  fuzz_mesh("vtu", data, size);
  pl_status s = pl_vtu_vectors(&env, "fuzz", (const char *)data, size, "mode", 4, u);
  if (s != PL_OK && s != PL_E_INPUT && s != PL_E_NOMEM) abort();
  return 0;
}
