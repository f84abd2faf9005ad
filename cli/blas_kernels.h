#ifndef BLAS_KERNELS_H
#define BLAS_KERNELS_H

#include "pliant/sparse.h"

#include <stdlib.h>
#include <unistd.h>

// Debian's OpenBLAS does not know newer CPUs and then runs its oldest kernels. They are chosen when
// the library is loaded, so the program is executed once more with OPENBLAS_CORETYPE set, unless
// the user did.
static inline void use_blas_kernels(char **argv) {
  if (getenv("OPENBLAS_CORETYPE")) return;
  const char *core = pl_blas_core_wanted();
  if (!core) return;
  setenv("OPENBLAS_CORETYPE", core, 1);
  execv("/proc/self/exe", argv);
  // without /proc the slow kernels must do
}

#endif
