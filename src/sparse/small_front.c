// Fronts of some dozen rows, as sheets have them: elimination and solves without BLAS, whose calls
// would cost more than their products. Tiles of rows stand in registers; nothing is packed, as such
// a front fits into the cache. Lanes beyond the last row are computed and not stored.
#include "tree.h"

#include <math.h>

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC optimize("O3", "fp-contract=fast")
#endif
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#define CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define CLONES
#endif
#define INLINE static inline __attribute__((always_inline))

enum { LANES = 8, TILE = 2 * LANES, COLS = 4 };
typedef double vec __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef long long mask __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

INLINE int least(int a, int b) {
  return a < b ? a : b;
}

// ---- elimination --------------------------------------------------------------------------------

// sum over n columns of A: rows i .. i + TILE - 1 times rows j .. j + COLS - 1
INLINE void multiply(const double *A, size_t ld, int n, int i, int j, vec sum[COLS][2]) {
  for (int c = 0; c < COLS; c++) sum[c][0] = sum[c][1] = (vec){0};
  for (int k = 0; k < n; k++, A += ld) {
    const vec *a = (const vec *)(A + i);
    const double *b = A + j;
    for (int c = 0; c < COLS; c++) {
      sum[c][0] += a[0] * b[c];
      sum[c][1] += a[1] * b[c];
    }
  }
}

// C -= A A' below the diagonal in nc columns from j on; row 0 of A is row 0 of C. fresh: C holds
// nothing yet
INLINE void update_columns(const double *A, size_t lda, int n, int rows, int j, int nc, int fresh,
                           double *C, size_t ldc) {
  for (int i = j; i < rows; i += TILE) {
    vec sum[COLS][2];
    multiply(A, lda, n, i, j, sum);
    int count = least(TILE, rows - i);
    for (int c = 0; c < nc; c++) {
      double *to = C + (size_t)(j + c) * ldc + i;
      if (i > j && count == TILE) {
        vec *v = (vec *)to;
        for (int h = 0; h < 2; h++) {
          if (fresh)
            v[h] = -sum[c][h];
          else
            v[h] -= sum[c][h];
        }
        continue;
      }
      const double *s = (const double *)sum[c];
      for (int l = i == j ? c : 0; l < count; l++) to[l] = fresh ? -s[l] : to[l] - s[l];
    }
  }
}

// nc pivots from j on, and the rows below them divided; returns 0 where one is not positive
INLINE int divide_columns(double *L, int m, int j, int nc) {
  size_t ld = (size_t)m;
  double *x[COLS], l[COLS][COLS] = {{0}}, inv[COLS] = {0};
  for (int c = 0; c < nc; c++) x[c] = L + (size_t)(j + c) * ld;
  for (int c = 0; c < nc; c++) {
    for (int a = c; a < nc; a++) {
      double v = x[c][j + a];
      for (int k = 0; k < c; k++) v -= l[a][k] * l[c][k];
      if (a == c) {
        if (!(v > 0)) return 0;
        l[c][c] = sqrt(v);
        inv[c] = 1 / l[c][c];
      } else {
        l[a][c] = v * inv[c];
      }
      x[c][j + a] = l[a][c];
    }
  }
  int i = j + nc;
  for (; i + LANES <= m; i += LANES)
    for (int c = 0; c < nc; c++) {
      vec v = *(const vec *)(x[c] + i);
      for (int k = 0; k < c; k++) v -= *(const vec *)(x[k] + i) * l[c][k];
      *(vec *)(x[c] + i) = v * inv[c];
    }
  for (; i < m; i++)
    for (int c = 0; c < nc; c++) {
      double v = x[c][i];
      for (int k = 0; k < c; k++) v -= x[k][i] * l[c][k];
      x[c][i] = v * inv[c];
    }
  return 1;
}

CLONES int small_eliminate(const numbers *v) {
  int p = v->p, r = v->r, m = p + r, j;
  size_t ld = (size_t)m;
  for (j = 0; j + COLS <= p; j += COLS) {
    if (j > 0) update_columns(v->L, ld, j, m, j, COLS, 0, v->L, ld);
    if (!divide_columns(v->L, m, j, COLS)) return 0;
  }
  if (j < p) {
    if (j > 0) update_columns(v->L, ld, j, m, j, p - j, 0, v->L, ld);
    if (!divide_columns(v->L, m, j, p - j)) return 0;
  }
  for (j = 0; j + COLS <= r; j += COLS)
    update_columns(v->L + p, ld, p, r, j, COLS, v->nchild == 0, v->S, (size_t)r);
  if (j < r) update_columns(v->L + p, ld, p, r, j, r - j, v->nchild == 0, v->S, (size_t)r);
  return 1;
}

// ---- solves -------------------------------------------------------------------------------------

// rows below nc pivots from j on, less what these hold: x -= L y
INLINE void subtract_columns(const double *L, int m, int j, int nc, const double *y, double *x) {
  const double *l[COLS];
  for (int c = 0; c < nc; c++) l[c] = L + (size_t)(j + c) * (size_t)m;
  int i = j + nc;
  for (; i + LANES <= m; i += LANES) {
    vec v = *(const vec *)(x + i);
    for (int c = 0; c < nc; c++) v -= *(const vec *)(l[c] + i) * y[c];
    *(vec *)(x + i) = v;
  }
  for (; i < m; i++)
    for (int c = 0; c < nc; c++) x[i] -= l[c][i] * y[c];
}

// divisions wait for nothing, unlike the pivots that they are for
INLINE void invert_pivots(const double *L, int m, int j, int nc, double inv[COLS]) {
  for (int c = 0; c < nc; c++) inv[c] = 1 / L[(size_t)(j + c) * (size_t)(m + 1)];
}

INLINE void forward_columns(const double *L, int m, int j, int nc, double *x) {
  double y[COLS], inv[COLS] = {0};
  invert_pivots(L, m, j, nc, inv);
  for (int c = 0; c < nc; c++) {
    double v = x[j + c];
    for (int k = 0; k < c; k++) v -= L[(size_t)(j + k) * (size_t)m + j + c] * y[k];
    x[j + c] = y[c] = v * inv[c];
  }
  subtract_columns(L, m, j, nc, y, x);
}

CLONES void small_forward(const numbers *v, double *x) {
  int j = 0, m = v->p + v->r;
  for (; j + COLS <= v->p; j += COLS) forward_columns(v->L, m, j, COLS, x);
  if (j < v->p) forward_columns(v->L, m, j, v->p - j, x);
}

// sums of the lanes of each
INLINE void add_lanes(const vec sum[COLS], double dot[COLS]) {
  vec a = __builtin_shufflevector(sum[0], sum[1], 0, 8, 2, 10, 4, 12, 6, 14) +
          __builtin_shufflevector(sum[0], sum[1], 1, 9, 3, 11, 5, 13, 7, 15);
  vec b = __builtin_shufflevector(sum[2], sum[3], 0, 8, 2, 10, 4, 12, 6, 14) +
          __builtin_shufflevector(sum[2], sum[3], 1, 9, 3, 11, 5, 13, 7, 15);
  vec c = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
          __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  for (int k = 0; k < COLS; k++) dot[k] = c[k] + c[k + COLS];
}

INLINE void backward_columns(const double *L, int m, int j, int nc, double *x) {
  const double *l[COLS];
  double dot[COLS], inv[COLS] = {0};
  vec sum[COLS] = {{0}};
  invert_pivots(L, m, j, nc, inv);
  for (int c = 0; c < nc; c++) l[c] = L + (size_t)(j + c) * (size_t)m;
  int i = j + nc;
  for (; i + LANES <= m; i += LANES)
    for (int c = 0; c < nc; c++) sum[c] += *(const vec *)(l[c] + i) * *(const vec *)(x + i);
  const mask rest = (mask){0, 1, 2, 3, 4, 5, 6, 7} < (long long)(m - i);
  for (int c = 0; i < m && c < nc; c++) {
    vec v = *(const vec *)(l[c] + i) * *(const vec *)(x + i);
    sum[c] += (vec)((mask)v & rest);
  }
  add_lanes(sum, dot);
  for (int c = nc - 1; c >= 0; c--) {
    double v = x[j + c] - dot[c];
    for (int k = c + 1; k < nc; k++) v -= l[c][j + k] * x[j + k];
    x[j + c] = v * inv[c];
  }
}

CLONES void small_backward(const numbers *v, double *x) {
  int m = v->p + v->r, whole = v->p / COLS * COLS;
  if (whole < v->p) backward_columns(v->L, m, whole, v->p - whole, x);
  for (int j = whole - COLS; j >= 0; j -= COLS) backward_columns(v->L, m, j, COLS, x);
}
