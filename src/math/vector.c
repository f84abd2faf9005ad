#include "pliant/math.h"

// four running sums in a fixed order: vectorises, and gives the same bits every time
double pl_dot(int n, const double *x, const double *y) {
  double s[4] = {0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) s[k] += x[i + k] * y[i + k];
  for (; i < n; i++) s[0] += x[i] * y[i];
  return (s[0] + s[1]) + (s[2] + s[3]);
}

double pl_norm(int n, const double *x) {
  double s = pl_dot(n, x, x);
  if (s > 1e-290 && s < 1e290) return sqrt(s);

  // squares left the range of double: scale by the largest entry
  double m = pl_max_abs(n, x);
  if (!(m > 0) || !isfinite(m)) return m;
  s = 0;
  for (int i = 0; i < n; i++) s += (x[i] / m) * (x[i] / m);
  return m * sqrt(s);
}

double pl_max_abs(int n, const double *x) {
  double m = 0;
  for (int i = 0; i < n; i++) {
    double a = fabs(x[i]);
    if (isnan(a)) return a;
    if (a > m) m = a;
  }
  return m;
}

void pl_axpy(int n, double a, const double *x, const double *y, double *z) {
  for (int i = 0; i < n; i++) z[i] = y[i] + a * x[i];
}

int pl_all_finite(int n, const double *x) {
  // 0 * x is 0 for every finite x and NaN otherwise: no branch inside the loop, and four sums side
  // by side, each of them a register of every processor (wider vectors would live in memory)
  typedef double two __attribute__((vector_size(16), aligned(8), may_alias));
  two s = {0}, t = {0}, u = {0}, v = {0};
  double all = 0;
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    s += 0 * *(const two *)(x + i);
    t += 0 * *(const two *)(x + i + 2);
    u += 0 * *(const two *)(x + i + 4);
    v += 0 * *(const two *)(x + i + 6);
  }
  for (; i < n; i++) all += 0 * x[i];
  s = s + t + (u + v);
  all += s[0] + s[1];
  return all == 0;
}
