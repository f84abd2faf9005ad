// Products and triangles of a front in a solve, without BLAS: its calls take a lock that all
// threads share, and read a matrix anew for each right-hand side, where reading is all that counts.
#include "tree.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC optimize("O3", "fp-contract=fast")
#endif
#define INLINE static inline __attribute__((always_inline))

enum { COLS = 4 }; // columns that are read at once

#define COPY "sweep.inc"
#include "pliant/copies.h"

void sweep_subtract(const double *A, int ld, int m, int n, const double *x, double *y, int ldx,
                    int nrhs) {
  PICK(subtract)(A, (size_t)ld, m, n, x, y, (size_t)ldx, nrhs);
}

void sweep_dots(const double *A, int ld, int m, int n, const double *x, double *y, int ldx,
                int nrhs) {
  PICK(dots)(A, (size_t)ld, m, n, x, y, (size_t)ldx, nrhs);
}

void sweep_lower(const double *T, int ld, int n, double *x, int ldx, int nrhs) {
  PICK(lower)(T, (size_t)ld, n, x, (size_t)ldx, nrhs);
}

void sweep_upper(const double *T, int ld, int n, double *x, int ldx, int nrhs) {
  PICK(upper)(T, (size_t)ld, n, x, (size_t)ldx, nrhs);
}
