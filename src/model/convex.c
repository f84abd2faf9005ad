// The positive part of an element's stiffness: what is left when it pushes back nowhere.
#include "model_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC optimize("O3", "no-math-errno")
#endif
// one copy per instruction set, chosen when the program is loaded
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#define COPIES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define COPIES
#endif
#define INLINE static inline __attribute__((always_inline))

enum { STEPS = 60 }; // of QL for one eigenvalue, at most; two or three are usual

// H + eps trace: positive definite, by elimination
INLINE int is_convex(int n, const double *H) {
  double A[PL_NDOF_MAX * PL_NDOF_MAX], trace = 0;
  memcpy(A, H, (size_t)(n * n) * sizeof *A);
  for (int i = 0; i < n; i++) trace += fabs(H[i * n + i]);
  for (int i = 0; i < n; i++) A[i * n + i] += 1e-12 * trace;
  for (int k = 0; k < n; k++) {
    double pivot = A[k * n + k];
    if (!(pivot > 0)) return 0;
    for (int i = k + 1; i < n; i++) {
      double f = A[i * n + k] / pivot;
      for (int j = k + 1; j <= i; j++) A[i * n + j] -= f * A[j * n + k];
    }
  }
  return 1;
}

// A = V' T V with T tridiagonal: d on its diagonal, e[i] left of d[i]. Rows of V; A is overwritten.
INLINE void tridiagonalise(int n, double *A, double *V, double *d, double *e) {
  double u[PL_NDOF_MAX], p[PL_NDOF_MAX];
  memset(V, 0, (size_t)(n * n) * sizeof *V);
  for (int i = 0; i < n; i++) V[i * n + i] = 1;
  for (int k = 0; k + 2 < n; k++) {
    double norm = 0, dot = 0;
    for (int i = k + 1; i < n; i++) norm += A[i * n + k] * A[i * n + k];
    norm = sqrt(norm);
    if (!(norm > 0)) continue;
    // reflection I - u u'/half that takes column k to its first entry
    double first = A[(k + 1) * n + k], alpha = first > 0 ? -norm : norm;
    double half = norm * norm - alpha * first;
    for (int i = k + 1; i < n; i++) u[i] = A[i * n + k] - (i == k + 1 ? alpha : 0);
    for (int i = k + 1; i < n; i++) {
      p[i] = 0;
      for (int j = k + 1; j < n; j++) p[i] += A[i * n + j] * u[j];
      p[i] /= half;
      dot += u[i] * p[i];
    }
    for (int i = k + 1; i < n; i++) p[i] -= dot / (2 * half) * u[i];
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) A[i * n + j] -= u[i] * p[j] + p[i] * u[j];
    A[(k + 1) * n + k] = A[k * n + k + 1] = alpha;
    for (int j = 0; j < n; j++) {
      double f = 0;
      for (int i = k + 1; i < n; i++) f += u[i] * V[i * n + j];
      for (int i = k + 1; i < n; i++) V[i * n + j] -= f / half * u[i];
    }
  }
  for (int i = 0; i < n; i++) {
    d[i] = A[i * n + i];
    e[i] = i > 0 ? A[i * n + i - 1] : 0;
  }
}

// one implicit step of QL on rows lo..hi, with the rows of V
INLINE void chase(int n, double *V, double *d, double *e, int lo, int hi) {
  double t = (d[lo + 1] - d[lo]) / (2 * e[lo + 1]), r = sqrt(t * t + 1);
  double g = d[hi] - d[lo] + e[lo + 1] / (t + (t < 0 ? -r : r)), s = 1, c = 1, p = 0;
  for (int i = hi - 1; i >= lo; i--) {
    double f = s * e[i + 1], b = c * e[i + 1];
    r = sqrt(f * f + g * g);
    if (i + 2 <= hi) e[i + 2] = r;
    // the rest has come apart already
    if (!(r > 0)) {
      d[i + 1] -= p;
      return;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1] - p;
    double w = (d[i] - g) * s + 2 * c * b;
    p = s * w;
    d[i + 1] = g + p;
    g = c * w - b;
    for (int k = 0; k < n; k++) {
      double v = V[(i + 1) * n + k];
      V[(i + 1) * n + k] = s * V[i * n + k] + c * v;
      V[i * n + k] = c * V[i * n + k] - s * v;
    }
  }
  d[lo] -= p;
  e[lo + 1] = g;
}

// eigenvalues d of A, eigenvectors in the rows of V; A is overwritten
INLINE void diagonalise(int n, double *A, double *V, double *d) {
  double e[PL_NDOF_MAX];
  tridiagonalise(n, A, V, d, e);
  for (int lo = 0; lo < n; lo++)
    for (int step = 0; step < STEPS; step++) {
      int hi = lo;
      while (hi + 1 < n && fabs(e[hi + 1]) > DBL_EPSILON * (fabs(d[hi]) + fabs(d[hi + 1]))) hi++;
      if (hi == lo) break;
      chase(n, V, d, e, lo, hi);
    }
}

COPIES void convex_part(int n, double *H) {
  double A[PL_NDOF_MAX * PL_NDOF_MAX], V[PL_NDOF_MAX * PL_NDOF_MAX], d[PL_NDOF_MAX];
  if (is_convex(n, H)) return;
  memcpy(A, H, (size_t)(n * n) * sizeof *A);
  diagonalise(n, A, V, d);
  memset(H, 0, (size_t)(n * n) * sizeof *H);
  for (int k = 0; k < n; k++) {
    double lambda = d[k];
    if (!(lambda > 0)) continue;
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) H[i * n + j] += lambda * V[k * n + i] * V[k * n + j];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) H[j * n + i] = H[i * n + j];
}
