// Small dense matrices of least squares, and the bands that belong to them.
#include "pliant/math.h"

#include <float.h>
#include <string.h>

double pl_cholesky(int n, double *A) {
  double least = INFINITY;
  for (int j = 0; j < n; j++) {
    double p = A[j * n + j];
    for (int k = 0; k < j; k++) p -= A[j * n + k] * A[j * n + k];
    least = fmin(least, p);
    if (!(p > 0)) return fmin(p, 0);
    A[j * n + j] = sqrt(p);
    for (int i = j + 1; i < n; i++) {
      double s = A[i * n + j];
      for (int k = 0; k < j; k++) s -= A[i * n + k] * A[j * n + k];
      A[i * n + j] = s / A[j * n + j];
    }
  }
  return least;
}

void pl_cholesky_solve(int n, const double *C, double *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= C[i * n + k] * x[k];
    x[i] /= C[i * n + i];
  }
  for (int i = n; i-- > 0;) {
    for (int k = i + 1; k < n; k++) x[i] -= C[k * n + i] * x[k];
    x[i] /= C[i * n + i];
  }
}

// ---- eigenvalues by Jacobi's rotations --------------------------------------------------------

static void rotate(int n, double *A, double *V, int p, int q) {
  double theta = (A[q * n + q] - A[p * n + p]) / (2 * A[p * n + q]);
  double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < n; k++) {
    double a = A[k * n + p], b = A[k * n + q];
    A[k * n + p] = c * a - s * b;
    A[k * n + q] = s * a + c * b;
  }
  for (int k = 0; k < n; k++) {
    double a = A[p * n + k], b = A[q * n + k], x = V[p * n + k], y = V[q * n + k];
    A[p * n + k] = c * a - s * b;
    A[q * n + k] = s * a + c * b;
    V[p * n + k] = c * x - s * y;
    V[q * n + k] = s * x + c * y;
  }
}

static void swap_rows(int n, double *lambda, double *V, int i, int j) {
  double l = lambda[i];
  lambda[i] = lambda[j];
  lambda[j] = l;
  for (int k = 0; k < n; k++) {
    double v = V[i * n + k];
    V[i * n + k] = V[j * n + k];
    V[j * n + k] = v;
  }
}

void pl_eig(int n, double *A, double *lambda, double *V) {
  memset(V, 0, (size_t)n * (size_t)n * sizeof *V);
  for (int i = 0; i < n; i++) V[i * n + i] = 1;
  double size = pl_max_abs(n * n, A);
  for (int sweep = 0; sweep < 60; sweep++) {
    int rotated = 0;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++)
        if (fabs(A[p * n + q]) > 1e-3 * DBL_EPSILON * size) {
          rotate(n, A, V, p, q);
          rotated = 1;
        }
    if (!rotated) break;
  }
  for (int i = 0; i < n; i++) lambda[i] = A[i * n + i];
  for (int i = 0; i < n; i++) {
    int least = i;
    for (int j = i + 1; j < n; j++)
      if (lambda[j] < lambda[least]) least = j;
    if (least != i) swap_rows(n, lambda, V, i, least);
  }
}

// ---- Student's t ------------------------------------------------------------------------------

// continued fraction of the incomplete beta function (Lentz's method)
static double beta_fraction(double a, double b, double x) {
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs(d) < tiny ? tiny : d);
  double h = d;
  for (int m = 1; m < 500; m++) {
    for (int odd = 0; odd < 2; odd++) {
      double num = odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                       : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1 + num * d;
      c = 1 + num / c;
      d = 1 / (fabs(d) < tiny ? tiny : d);
      if (fabs(c) < tiny) c = tiny;
      h *= d * c;
    }
    if (fabs(d * c - 1) < 1e-15) break;
  }
  return h;
}

// regularised incomplete beta function
static double beta_part(double a, double b, double x) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  int sign;
  double scale = lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign);
  double front = exp(scale + a * log(x) + b * log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                   : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double pl_student(double p, double freedom) {
  if (p < 0.5) return -pl_student(1 - p, freedom);
  // P(|t| > x) = I_{n / (n + x^2)}(n / 2, 1 / 2)
  double lo = 0, hi = 1, tail = 2 * (1 - p);
  while (beta_part(freedom / 2, 0.5, freedom / (freedom + hi * hi)) > tail && hi < 1e12) hi *= 2;
  for (int i = 0; i < 200 && hi - lo > 1e-15 * hi; i++) {
    double mid = 0.5 * (lo + hi);
    if (beta_part(freedom / 2, 0.5, freedom / (freedom + mid * mid)) > tail)
      lo = mid;
    else
      hi = mid;
  }
  return 0.5 * (lo + hi);
}
