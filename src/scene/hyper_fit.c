// Fits of hyperelastic laws: what is linear by least squares, powers by a search.
#include "hyper_fit.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NC = 6 };

// squares of the principal stretches of a test
static void squares(hyper_kind kind, double l, double s[3]) {
  s[0] = l * l;
  s[1] = kind == HYPER_UNIAXIAL ? 1 / l : kind == HYPER_BIAXIAL ? l * l : 1;
  s[2] = 1 / (s[0] * s[1]);
}

// stress by each constant of a polynomial: 2 (s0 - s2)/l d(W1 + s1 W2)/dc
static void polynomial_terms(hyper_kind kind, double l, double phi[NC]) {
  double s[3];
  squares(kind, l, s);
  double a = s[0] + s[1] + s[2] - 3, b = s[0] * s[1] + s[1] * s[2] + s[2] * s[0] - 3;
  double f = 2 * (s[0] - s[2]) / l;
  const double d[NC] = {1, s[1], 2 * a, b + a * s[1], 2 * b * s[1], 3 * a * a};
  for (int k = 0; k < NC; k++) phi[k] = f * d[k];
}

// stress by mu
static double ogden_term(hyper_kind kind, double l, double alpha) {
  double s[3];
  squares(kind, l, s);
  return 2 / alpha * (pow(s[0], alpha / 2) - pow(s[2], alpha / 2)) / l;
}

double hyper_stress(int ogden, const double c[6], hyper_kind kind, double stretch) {
  double phi[NC], P = 0;
  if (!ogden) {
    polynomial_terms(kind, stretch, phi);
    for (int k = 0; k < NC; k++) P += c[k] * phi[k];
    return P;
  }
  for (int k = 0; k < NC; k += 2)
    if (c[k] != 0) P += c[k] * ogden_term(kind, stretch, c[k + 1]);
  return P;
}

// ---- least squares ------------------------------------------------------------------------------

// normal equations A[n][n] x = b, columns scaled to one; 0: they are singular
static int solve(int n, const double *A, const double *b, double *x) {
  double L[NC * NC], d[NC];
  for (int i = 0; i < n; i++) {
    d[i] = sqrt(A[n * i + i]);
    if (!(d[i] > 0)) return 0;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double t = A[n * i + j] / (d[i] * d[j]);
      for (int k = 0; k < j; k++) t -= L[n * i + k] * L[n * j + k];
      if (i == j && !(t > 1e-13)) return 0;
      L[n * i + j] = i == j ? sqrt(t) : t / L[n * j + j];
    }
    x[i] = b[i] / d[i];
    for (int k = 0; k < i; k++) x[i] -= L[n * i + k] * x[k];
    x[i] /= L[n * i + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= L[n * k + i] * x[k];
    x[i] /= L[n * i + i];
  }
  for (int i = 0; i < n; i++) x[i] /= d[i];
  return 1;
}

static void rate(int ogden, int ntest, const hyper_test *test, hyper_fit *f) {
  double sum = 0;
  int n = 0;
  f->most = 0;
  for (int t = 0; t < ntest; t++)
    for (int i = 0; i < test[t].n; i++, n++) {
      double P = test[t].stress[i];
      double off = P - hyper_stress(ogden, f->c, test[t].kind, test[t].stretch[i]);
      sum += off * off;
      f->most = fmax(f->most, fabs(P));
    }
  f->rms = sqrt(sum / (n > 0 ? n : 1));
}

int hyper_fit_polynomial(int mask, int ntest, const hyper_test *test, hyper_fit *out) {
  double A[NC * NC] = {0}, b[NC] = {0}, x[NC], phi[NC];
  int at[NC], n = 0;
  for (int k = 0; k < NC; k++)
    if (mask >> k & 1) at[n++] = k;
  for (int t = 0; t < ntest; t++)
    for (int i = 0; i < test[t].n; i++) {
      polynomial_terms(test[t].kind, test[t].stretch[i], phi);
      for (int j = 0; j < n; j++) {
        b[j] += phi[at[j]] * test[t].stress[i];
        for (int k = 0; k < n; k++) A[n * j + k] += phi[at[j]] * phi[at[k]];
      }
    }
  memset(out, 0, sizeof *out);
  if (!solve(n, A, b, x)) return 0;
  for (int j = 0; j < n; j++) out->c[at[j]] = x[j];
  rate(0, ntest, test, out);
  return 1;
}

// ---- Ogden --------------------------------------------------------------------------------------

typedef struct search {
  int terms, ntest;
  const hyper_test *test;
} search;

// the best mu, none of them below zero, for given powers; returns the sum of squares
static double best_mu(const search *s, const double *alpha, double *mu) {
  double A[9] = {0}, b[3] = {0}, whole = 0, least = INFINITY;
  int n = s->terms;
  for (int t = 0; t < s->ntest; t++)
    for (int i = 0; i < s->test[t].n; i++) {
      double phi[3], P = s->test[t].stress[i];
      for (int j = 0; j < n; j++)
        phi[j] = ogden_term(s->test[t].kind, s->test[t].stretch[i], alpha[j]);
      whole += P * P;
      for (int j = 0; j < n; j++) {
        b[j] += phi[j] * P;
        for (int k = 0; k < n; k++) A[n * j + k] += phi[j] * phi[k];
      }
    }
  for (int subset = 1; subset < 1 << n; subset++) {
    double a[9], c[3], x[3];
    int at[3], m = 0, ok = 1;
    for (int j = 0; j < n; j++)
      if (subset >> j & 1) at[m++] = j;
    for (int j = 0; j < m; j++) {
      c[j] = b[at[j]];
      for (int k = 0; k < m; k++) a[m * j + k] = A[n * at[j] + at[k]];
    }
    if (!solve(m, a, c, x)) continue;
    double sum = whole;
    for (int j = 0; j < m; j++) {
      ok &= x[j] > 0;
      sum -= x[j] * c[j];
    }
    if (!ok || !(sum < least)) continue;
    least = sum;
    for (int j = 0; j < n; j++) mu[j] = 0;
    for (int j = 0; j < m; j++) mu[at[j]] = x[j];
  }
  return least;
}

// powers outside of what rubbers have, or without effect, are far away
static double distance(const search *s, const double *alpha, double *mu) {
  for (int j = 0; j < s->terms; j++)
    if (fabs(alpha[j]) < 0.05 || fabs(alpha[j]) > 30) return INFINITY;
  return best_mu(s, alpha, mu);
}

// Nelder and Mead's simplex from x on
static double descend(const search *s, double *x) {
  int n = s->terms, far = 0, near = 0, next = 0;
  double X[4][3], f[4], mu[3];
  for (int k = 0; k <= n; k++) {
    memcpy(X[k], x, (size_t)n * sizeof *x);
    if (k > 0) X[k][k - 1] *= 1.15;
    f[k] = distance(s, X[k], mu);
  }
  for (int step = 0; step < 600; step++) {
    far = near = 0;
    for (int k = 1; k <= n; k++) {
      if (f[k] > f[far]) far = k;
      if (f[k] < f[near]) near = k;
    }
    next = near;
    for (int k = 0; k <= n; k++)
      if (k != far && f[k] > f[next]) next = k;
    double mid[3] = {0}, y[3], best = INFINITY, g;
    for (int k = 0; k <= n; k++)
      for (int j = 0; j < n; j++) mid[j] += k == far ? 0 : X[k][j] / n;
    static const double way[] = {1, 2, 0.5, -0.5};
    double from[3];
    memcpy(from, X[far], sizeof from);
    double old = f[far];
    for (int w = 0; w < 4; w++) {
      // out, farther out where that was best of all, else in
      if (w == 1 && !(best < f[near])) continue;
      if (w > 1 && best < f[next]) break;
      for (int j = 0; j < n; j++) y[j] = mid[j] + way[w] * (mid[j] - from[j]);
      g = distance(s, y, mu);
      if (!(g < best)) continue;
      best = g;
      if (g >= old) continue;
      memcpy(X[far], y, sizeof y);
      f[far] = g;
    }
    if (f[far] < old) continue;
    for (int k = 0; k <= n; k++) {
      if (k == near) continue;
      for (int j = 0; j < n; j++) X[k][j] = 0.5 * (X[k][j] + X[near][j]);
      f[k] = distance(s, X[k], mu);
    }
  }
  memcpy(x, X[near], (size_t)n * sizeof *x);
  return f[near];
}

int hyper_fit_ogden(int terms, int ntest, const hyper_test *test, hyper_fit *out) {
  static const double start[] = {-7, -4, -2, -1, 0.7, 1.3, 2, 3, 4.5, 6, 9, 13};
  enum { NSTART = (int)(sizeof start / sizeof start[0]), KEPT = 6 };
  search s = {terms, ntest, test};
  double kept[KEPT][3], score[KEPT], mu[3] = {0}, best = INFINITY;
  for (int k = 0; k < KEPT; k++) score[k] = INFINITY;
  for (int code = 0; code < NSTART * (terms > 1 ? NSTART : 1) * (terms > 2 ? NSTART : 1); code++) {
    int i[3] = {code % NSTART, code / NSTART % NSTART, code / NSTART / NSTART}, sorted = 1;
    double a[3] = {start[i[0]], start[i[1]], start[i[2]]};
    for (int k = 1; k < terms; k++) sorted &= i[k] < i[k - 1];
    double d = sorted ? distance(&s, a, mu) : INFINITY;
    int at = KEPT;
    while (at > 0 && d < score[at - 1]) at--;
    for (int k = KEPT - 1; k > at; k--) {
      score[k] = score[k - 1];
      memcpy(kept[k], kept[k - 1], sizeof a);
    }
    if (at == KEPT) continue;
    score[at] = d;
    memcpy(kept[at], a, sizeof a);
  }
  memset(out, 0, sizeof *out);
  for (int k = 0; k < KEPT && score[k] < INFINITY; k++) {
    double d = descend(&s, kept[k]);
    if (!(d < best)) continue;
    best = d;
    distance(&s, kept[k], mu);
    for (int j = 0; j < terms; j++) {
      out->c[2 * j] = mu[j];
      out->c[2 * j + 1] = kept[k][j];
    }
  }
  if (!(best < INFINITY)) return 0;
  rate(1, ntest, test, out);
  return 1;
}

// ---- stability ----------------------------------------------------------------------------------

// energy at logarithms of two principal stretches, the third one by the volume
static double energy(int ogden, const double c[6], double p, double q) {
  double e[3] = {p, q, -p - q}, W = 0;
  if (ogden) {
    for (int k = 0; k < NC; k += 2)
      for (int i = 0; c[k] != 0 && i < 3; i++)
        W += 2 * c[k] / (c[k + 1] * c[k + 1]) * (exp(c[k + 1] * e[i]) - 1);
    return W;
  }
  double a = exp(2 * e[0]) + exp(2 * e[1]) + exp(2 * e[2]) - 3;
  double b = exp(-2 * e[0]) + exp(-2 * e[1]) + exp(-2 * e[2]) - 3;
  return c[0] * a + c[1] * b + c[2] * a * a + c[3] * a * b + c[4] * b * b + c[5] * a * a * a;
}

// Kirchhoff stresses rise with logarithmic strains: second derivatives, by differences
static int rises(int ogden, const double c[6], hyper_kind kind, double l) {
  double s[3], h = 1e-3;
  squares(kind, l, s);
  double p = 0.5 * log(s[0]), q = 0.5 * log(s[1]), W = energy(ogden, c, p, q);
  double pp = energy(ogden, c, p + h, q) + energy(ogden, c, p - h, q) - 2 * W;
  double qq = energy(ogden, c, p, q + h) + energy(ogden, c, p, q - h) - 2 * W;
  double pq = (energy(ogden, c, p + h, q + h) + energy(ogden, c, p - h, q - h) -
               energy(ogden, c, p + h, q - h) - energy(ogden, c, p - h, q + h)) /
              4;
  return pp > 0 && qq > 0 && pp * qq > pq * pq;
}

int hyper_stable(int ogden, const double c[6], double lo, double hi, double *stretch,
                 hyper_kind *kind) {
  enum { STEPS = 60 };
  for (int i = 0; i <= STEPS; i++)
    for (int side = 0; side < 2; side++)
      for (int k = 0; k < HYPER_KINDS; k++) {
        double l = pow(side ? lo : hi, (double)i / STEPS);
        if (rises(ogden, c, (hyper_kind)k, l)) continue;
        *stretch = l;
        *kind = (hyper_kind)k;
        return 0;
      }
  return 1;
}
