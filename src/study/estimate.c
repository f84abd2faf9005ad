// What samples tell, with how sure it is.
#include "pliant/study.h"

#include "pliant/math.h"

#include <stdlib.h>

static const double Z95 = 1.959963984540054; // of a 95 % interval of the normal distribution

pl_moments pl_estimate_moments(int n, const double *x) {
  pl_moments m = {n, NAN, NAN, NAN, NAN};
  double sum = 0, two = 0, four = 0;
  if (n < 1) return m;
  for (int i = 0; i < n; i++) sum += x[i];
  m.mean = sum / n;
  if (n < 2) return m;
  for (int i = 0; i < n; i++) {
    double d = (x[i] - m.mean) * (x[i] - m.mean);
    two += d;
    four += d * d;
  }
  double variance = two / (n - 1);
  m.sd = sqrt(variance);
  m.mean_error = m.sd / sqrt(n);
  // variance of the variance, by the fourth moment
  double of = (four / n - variance * variance * (n - 3) / (n - 1)) / n;
  if (n > 3 && m.sd > 0) m.sd_error = sqrt(fmax(of, 0)) / (2 * m.sd);
  if (m.sd == 0) m.sd_error = 0;
  return m;
}

pl_quantile pl_estimate_quantile(int n, const double *sorted, double p) {
  pl_quantile q = {NAN, NAN, NAN};
  if (n < 1) return q;
  double at = p * (n - 1);
  int k = pl_floor_int(at);
  if (k > n - 2) k = n - 2;
  q.value = n == 1 ? sorted[0] : sorted[k] + (at - k) * (sorted[k + 1] - sorted[k]);
  // how many values lie below the quantile is binomial; ranks are counted from 1
  double spread = Z95 * sqrt(n * p * (1 - p));
  int lo = pl_floor_int(n * p - spread), hi = pl_floor_int(n * p + spread) + 1;
  if (lo >= 1) q.lo = sorted[lo - 1];
  if (hi <= n) q.hi = sorted[hi - 1];
  return q;
}

// ---- Sobol indices ------------------------------------------------------------------------------

// Indices of one input from the rows that pick[n] names; mean: of all values, taken off so that
// first-order estimates scatter less.
static void indices(int n, const int *pick, const double *a, const double *b, const double *ab,
                    double *first, double *total) {
  double mean = 0, variance = 0, one = 0, all = 0;
  for (int i = 0; i < n; i++) mean += a[pick[i]] + b[pick[i]];
  mean /= 2.0 * n;
  for (int i = 0; i < n; i++) {
    double fa = a[pick[i]] - mean, fb = b[pick[i]] - mean, fab = ab[pick[i]] - mean;
    variance += fa * fa + fb * fb;
    one += fb * (fab - fa);
    all += (fa - fab) * (fa - fab);
  }
  variance /= 2.0 * n;
  *first = one / n / variance;
  *total = all / (2.0 * n) / variance;
}

static int compare(const void *p, const void *q) {
  double a = *(const double *)p, b = *(const double *)q;
  return (a > b) - (a < b);
}

// ends of the middle 95 % of what resampling gives
static void interval(int n, double *x, double *lo, double *hi) {
  qsort(x, (size_t)n, sizeof *x, compare);
  *lo = pl_estimate_quantile(n, x, 0.025).value;
  *hi = pl_estimate_quantile(n, x, 0.975).value;
}

pl_status pl_estimate_sobol(pl_env *env, int n, int dim, const double *a, const double *b,
                            const double *ab, int resamples, unsigned long long seed,
                            pl_sobol_index *out) {
  int *pick = pl_alloc(env, (size_t)n, sizeof *pick);
  double *first = pl_alloc(env, (size_t)resamples, sizeof *first);
  double *total = pl_alloc(env, (size_t)resamples, sizeof *total);
  pl_status s = pick && first && total ? PL_OK : PL_E_NOMEM;
  for (int d = 0; s == PL_OK && d < dim; d++) {
    const double *of = ab + (size_t)d * (size_t)n;
    pl_rng rng;
    // the same rows for all inputs
    pl_rng_seed(&rng, seed);
    for (int i = 0; i < n; i++) pick[i] = i;
    indices(n, pick, a, b, of, &out[d].first, &out[d].total);
    for (int r = 0; r < resamples; r++) {
      for (int i = 0; i < n; i++) {
        pick[i] = pl_floor_int(pl_rng_uniform(&rng, 0, n));
        if (pick[i] >= n) pick[i] = n - 1;
      }
      indices(n, pick, a, b, of, &first[r], &total[r]);
    }
    interval(resamples, first, &out[d].first_lo, &out[d].first_hi);
    interval(resamples, total, &out[d].total_lo, &out[d].total_hi);
  }
  pl_free(env, pick);
  pl_free(env, first);
  pl_free(env, total);
  return s;
}
