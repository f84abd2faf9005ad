#include "pliant/sparse.h"

#include <pthread.h>
#include <string.h>

// OpenBLAS has no header of its own everywhere; these two are its documented extras
char *openblas_get_corename(void);
void openblas_set_num_threads(int nthread);

const char *pl_blas_core(void) {
  const char *name = openblas_get_corename();
  return name && name[0] ? name : "unknown";
}

// kernels without AVX2 and FMA: what OpenBLAS falls back to when it does not know the CPU
static int is_old_core(const char *name) {
  static const char *const old[] = {
      "generic",      "katmai", "coppermine", "northwood",  "prescott", "banias",
      "dothan",       "core2",  "penryn",     "dunnington", "nehalem",  "sandybridge",
      "atom",         "athlon", "opteron",    "barcelona",  "bobcat",   "bulldozer",
      "opteron_sse3", "nano",   "piledriver", "steamroller"};
  for (size_t k = 0; k < sizeof old / sizeof old[0]; k++)
    if (strcasecmp(name, old[k]) == 0) return 1;
  return 0;
}

const char *pl_blas_core_wanted(void) {
#if defined(__x86_64__)
  // newer names (Haswell, Zen, SkylakeX, ...) are a choice made knowing the CPU: leave them alone
  if (!is_old_core(pl_blas_core())) return NULL;
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return NULL;
}

static void use_one_thread(void) {
  openblas_set_num_threads(1);
}

void pl_blas_alone(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, use_one_thread);
}
