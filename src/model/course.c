// Factors over time: straight lines, or a cubic curve through points that does not overshoot.
#include "model_impl.h"

#include <math.h>

static const double ALIKE = 3; // ratio of neighbouring bends that a resolved curve stays below

// Second derivatives of the natural cubic spline.
static pl_status natural_bends(pl_env *env, int n, const double *t, const double *v, double *bend) {
  double *up = pl_alloc(env, (size_t)n, sizeof *up);
  if (!up) return PL_E_NOMEM;
  // rows h0 b0 + 2 (h0 + h1) b1 + h1 b2 = 6 (s1 - s0), from the top down and back
  bend[0] = 0;
  for (int i = 1; i + 1 < n; i++) {
    double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
    double rise = 6 * ((v[i + 1] - v[i]) / h1 - (v[i] - v[i - 1]) / h0);
    double pivot = 2 * (h0 + h1) - h0 * up[i - 1];
    up[i] = h1 / pivot;
    bend[i] = (rise - h0 * bend[i - 1]) / pivot;
  }
  bend[n - 1] = 0;
  for (int i = n - 2; i > 0; i--) bend[i] -= up[i] * bend[i + 1];
  pl_free(env, up);
  return PL_OK;
}

// slope of the straight line from point k to the next
static double secant(const double *t, const double *v, int k) {
  return (v[k + 1] - v[k]) / (t[k + 1] - t[k]);
}

// how much the points bend at one of them
static double bend_at(const double *t, const double *v, int i) {
  return (secant(t, v, i) - secant(t, v, i - 1)) / (t[i + 1] - t[i - 1]);
}

static int alike(double a, double b) {
  return a * b > 0 && fabs(a) <= ALIKE * fabs(b) && fabs(b) <= ALIKE * fabs(a);
}

// The points follow a smooth curve here: a crest between them is one, and no corner of a ramp.
static int is_resolved(int n, const double *t, const double *v, int i) {
  if (i < 2 || i > n - 3) return 0;
  double here = bend_at(t, v, i);
  return alike(here, bend_at(t, v, i - 1)) && alike(here, bend_at(t, v, i + 1));
}

// A rate with which the curve rises and falls with the points alone (Hyman 1983).
static double monotone(double rate, double before, double after) {
  if (before * after <= 0) return 0;
  double most = 3 * fmin(fabs(before), fabs(after));
  return copysign(fmin(fabs(rate), most), before);
}

pl_status pl_course_rates(pl_env *env, int n, const double *t, const double *v, double *rate) {
  double *bend = pl_alloc(env, (size_t)n, sizeof *bend);
  if (!bend) return PL_E_NOMEM;
  pl_status s = natural_bends(env, n, t, v, bend);
  for (int i = 0; s == PL_OK && i < n; i++) {
    int k = i + 1 < n ? i : i - 1;
    double h = t[k + 1] - t[k], side = k == i ? -1 : 1;
    rate[i] = secant(t, v, k) + side * h / 6 * (2 * bend[i] + bend[k == i ? i + 1 : k]);
    if (i == 0 || i == n - 1)
      rate[i] = monotone(rate[i], secant(t, v, k), secant(t, v, k));
    else if (!is_resolved(n, t, v, i))
      rate[i] = monotone(rate[i], secant(t, v, i - 1), secant(t, v, i));
  }
  pl_free(env, bend);
  return s;
}

void pl_course_at(const pl_course *s, double t, double y[3]) {
  int lo = 0, hi = s->n - 1;
  y[1] = y[2] = 0;
  if (t < s->t[lo] || t >= s->t[hi]) {
    y[0] = s->v[t < s->t[lo] ? lo : hi];
    return;
  }
  while (hi - lo > 1) {
    int mid = (lo + hi) / 2;
    *(s->t[mid] <= t ? &lo : &hi) = mid;
  }
  double h = s->t[hi] - s->t[lo], b = (t - s->t[lo]) / h, a = 1 - b;
  y[0] = a * s->v[lo] + b * s->v[hi];
  y[1] = (s->v[hi] - s->v[lo]) / h;
  if (!s->rate) return;
  // what the rates at both ends have more than the straight line
  double r0 = s->rate[lo] - y[1], r1 = s->rate[hi] - y[1];
  y[0] += h * a * b * (a * r0 - b * r1);
  y[1] += a * (1 - 3 * b) * r0 + b * (1 - 3 * a) * r1;
  y[2] = ((6 * b - 4) * r0 + (6 * b - 2) * r1) / h;
}
