#include "pliant/math.h"

// P_n and its derivative by the three-term recurrence k P_k = (2k-1) x P_k-1 - (k-1) P_k-2
static void legendre(int n, long double x, long double *p, long double *dp) {
  long double p0 = 1, p1 = x;
  for (int k = 2; k <= n; k++) {
    long double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
    p0 = p1;
    p1 = p2;
  }
  *p = p1;
  *dp = n * (p0 - x * p1) / (1 - x * x);
}

void pl_gauss(int n, double *x, double *w) {
  for (int i = 0; 2 * i < n; i++) {
    // the middle point of an odd rule is zero; the others by Newton from Tricomi's estimate
    long double z = 2 * i + 1 == n ? 0 : -cosl(PL_PI * (i + 0.75L) / (n + 0.5L)), p, dp, step = 1;
    for (int k = 0; k < 8 && fabsl(step) > 1e-17L; k++) {
      legendre(n, z, &p, &dp);
      step = p / dp;
      z -= step;
    }
    legendre(n, z, &p, &dp);
    x[n - 1 - i] = -(double)z;
    x[i] = (double)z;
    w[i] = w[n - 1 - i] = (double)(2 / ((1 - z * z) * dp * dp));
  }
}
