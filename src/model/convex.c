// The positive part of an element's stiffness: what is left when it pushes back nowhere.
#include "model_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 30 };

// H + eps trace: positive definite, by elimination
static int is_convex(int n, const double *H) {
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

// turns rows and columns p, q of A so that A[p][q] vanishes, and the columns of V with them
static void rotate(int n, double *A, double *V, int p, int q) {
  double apq = A[p * n + q], t = (A[q * n + q] - A[p * n + p]) / (2 * apq);
  t = (t < 0 ? -1 : 1) / (fabs(t) + sqrt(t * t + 1));
  double c = 1 / sqrt(t * t + 1), s = t * c;
  A[p * n + p] -= t * apq;
  A[q * n + q] += t * apq;
  A[p * n + q] = A[q * n + p] = 0;
  for (int i = 0; i < n; i++) {
    double vp = V[p * n + i], vq = V[q * n + i];
    V[p * n + i] = c * vp - s * vq;
    V[q * n + i] = s * vp + c * vq;
    if (i == p || i == q) continue;
    double ap = A[p * n + i], aq = A[q * n + i];
    A[p * n + i] = A[i * n + p] = c * ap - s * aq;
    A[q * n + i] = A[i * n + q] = s * ap + c * aq;
  }
}

// eigenvalues on the diagonal of A, eigenvectors in the rows of V; cyclic Jacobi
static void diagonalise(int n, double *A, double *V) {
  double size = 0;
  memset(V, 0, (size_t)(n * n) * sizeof *V);
  for (int i = 0; i < n; i++) V[i * n + i] = 1;
  for (int i = 0; i < n * n; i++) size += A[i] * A[i];
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double off = 0;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) off += A[p * n + q] * A[p * n + q];
    if (!(off > DBL_EPSILON * DBL_EPSILON * size)) return;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++)
        if (A[p * n + q] != 0) rotate(n, A, V, p, q);
  }
}

void convex_part(int n, double *H) {
  double A[PL_NDOF_MAX * PL_NDOF_MAX], V[PL_NDOF_MAX * PL_NDOF_MAX];
  if (is_convex(n, H)) return;
  memcpy(A, H, (size_t)(n * n) * sizeof *A);
  diagonalise(n, A, V);
  memset(H, 0, (size_t)(n * n) * sizeof *H);
  for (int k = 0; k < n; k++) {
    double lambda = A[k * n + k];
    if (!(lambda > 0)) continue;
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) H[i * n + j] += lambda * V[k * n + i] * V[k * n + j];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) H[j * n + i] = H[i * n + j];
}
