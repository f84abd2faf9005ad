#ifndef BLAS_ENVIRONMENT_H
#define BLAS_ENVIRONMENT_H

#include "pliant/sparse.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What OpenBLAS reads when it is loaded, so that the program is executed once more with it.
// Debian's does not know newer CPUs and then runs its oldest kernels; OPENBLAS_CORETYPE names
// better ones, unless the user did. Its threads would sleep (pliant shares work out itself) and be
// waiting for signals, which METIS takes for its own while it runs.
static inline void set_blas_environment(char **argv) {
  const char *core = getenv("OPENBLAS_CORETYPE") ? NULL : pl_blas_core_wanted();
  const char *threads = getenv("OPENBLAS_NUM_THREADS");
  if (!core && threads && !strcmp(threads, "1")) return;
  if (core) setenv("OPENBLAS_CORETYPE", core, 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  execv("/proc/self/exe", argv);
  // without /proc the slow kernels must do
}

#endif
