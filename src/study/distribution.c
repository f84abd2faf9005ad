// Quantiles of distributions.
#include "pliant/study.h"

#include "pliant/math.h"

// Newton's method on the logarithm of the lower tail, which is concave: from the left it converges
// from any start.
static double lower_tail(double p) {
  double x = p < 0.3 ? -sqrt(-2 * log(p)) : 0, want = log(p);
  for (int k = 0; k < 60; k++) {
    double below = 0.5 * erfc(-x / sqrt(2)), density = exp(-x * x / 2) / sqrt(2 * PL_PI);
    double step = (want - log(below)) * below / density;
    x += step;
    if (fabs(step) <= 1e-15 * fmax(1, fabs(x))) break;
  }
  return x;
}

double pl_normal_quantile(double p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
  return p <= 0.5 ? lower_tail(p) : -lower_tail(1 - p);
}

static double triangular(const pl_distribution *d, double p) {
  double at = (d->b - d->a) / (d->c - d->a); // probability below the peak
  if (p < at) return d->a + sqrt(p * (d->c - d->a) * (d->b - d->a));
  return d->c - sqrt((1 - p) * (d->c - d->a) * (d->c - d->b));
}

double pl_distribution_quantile(const pl_distribution *d, double p) {
  double s;
  switch (d->kind) {
  case PL_NORMAL:
    return d->a + d->b * pl_normal_quantile(p);
  case PL_LOGNORMAL:
    s = log1p(d->b * d->b / (d->a * d->a));
    return d->a * exp(sqrt(s) * pl_normal_quantile(p) - s / 2);
  case PL_UNIFORM:
    return d->a + p * (d->b - d->a);
  case PL_LOGUNIFORM:
    return d->a * pow(d->b / d->a, p);
  case PL_TRIANGULAR:
    return triangular(d, p);
  case PL_DISTRIBUTIONS:
    break;
  }
  return NAN;
}
