// Fronts of some dozen rows, as sheets have them: elimination without BLAS, whose calls would cost
// more than their products. Tiles of rows stand in registers; nothing is packed, as such a front
// fits into the cache. Lanes beyond the last row are computed and not stored.
#include "tree.h"

#include <math.h>

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC optimize("O3", "fp-contract=fast")
#endif
#define INLINE static inline __attribute__((always_inline))

enum { COLS = 4 }; // columns that are eliminated at once

#define COPY "small_front.inc"
#include "pliant/copies.h"

int small_eliminate(const numbers *v) {
  return PICK(eliminate)(v);
}

int small_pivots(const numbers *v, int first, int n) {
  return PICK(pivots)(v, first, n);
}

void small_rows(const numbers *v, int first, int n, int row, int nrow) {
  PICK(rows)(v, first, n, row, nrow);
}

void small_subtract(const numbers *v, int c, int nc, int row, int nrow) {
  PICK(tile)(v, c, nc, row, nrow);
}
