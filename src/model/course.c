// Factors over time: straight lines or a natural cubic spline through points.
#include "model_impl.h"

pl_status pl_course_spline(pl_env *env, int n, const double *t, const double *v, double *bend) {
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
  if (!s->bend) return;
  double m0 = s->bend[lo], m1 = s->bend[hi];
  y[0] += h * h / 6 * ((a * a * a - a) * m0 + (b * b * b - b) * m1);
  y[1] += h / 6 * ((1 - 3 * a * a) * m0 + (3 * b * b - 1) * m1);
  y[2] = a * m0 + b * m1;
}
