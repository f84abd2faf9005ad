// Gragg's midpoint rule, extrapolated to step zero by the Aitken-Neville scheme, and Chandrupatla's
// root finder.
#include "validate_impl.h"

#include <string.h>

enum { COLUMNS = 5, ROOT_STEPS = 200 };
static const int SUBSTEPS[COLUMNS] = {2, 4, 6, 8, 10};

// one smoothed midpoint pass over [t, t + H] with n substeps
static void midpoint(const ode *o, double t, const double *y, const double *dy, double H, int n,
                     double *out) {
  double a[ODE_MAX], b[ODE_MAX], d[ODE_MAX], h = H / n;
  for (int i = 0; i < o->n; i++) {
    a[i] = y[i];
    b[i] = y[i] + h * dy[i];
  }
  for (int m = 1; m <= n; m++) {
    o->f(o->ctx, t + m * h, b, d);
    if (m == n) break;
    for (int i = 0; i < o->n; i++) {
      double next = a[i] + 2 * h * d[i];
      a[i] = b[i];
      b[i] = next;
    }
  }
  for (int i = 0; i < o->n; i++) out[i] = 0.5 * (a[i] + b[i] + h * d[i]);
}

// y after H into out; returns the difference of the last two columns over the size of the lead
static double extrapolate(const ode *o, double t, const double *y, const double *dy, double H,
                          double *out) {
  double T[COLUMNS][ODE_MAX];
  for (int k = 0; k < COLUMNS; k++) {
    midpoint(o, t, y, dy, H, SUBSTEPS[k], T[k]);
    // T_j now holds the value extrapolated from the rows j..k
    for (int j = k - 1; j >= 0; j--) {
      double r = (double)SUBSTEPS[k] / SUBSTEPS[j], c = 1 / (r * r - 1);
      for (int i = 0; i < o->n; i++) T[j][i] = T[j + 1][i] + c * (T[j + 1][i] - T[j][i]);
    }
  }
  memcpy(out, T[0], (size_t)o->n * sizeof(double));
  double err = 0, size = 0;
  for (int i = 0; i < o->lead; i++) {
    err = fmax(err, fabs(T[0][i] - T[1][i]));
    size = fmax(size, fmax(fabs(y[i]), fabs(out[i])));
  }
  if (!pl_all_finite(o->n, out)) return HUGE_VAL;
  return size > 0 ? err / size : 0;
}

pl_status ode_step(ode *o, double end, double *t, double *y) {
  double dy[ODE_MAX], out[ODE_MAX];
  o->f(o->ctx, *t, y, dy);
  for (int tries = 0; tries < 60; tries++) {
    int last = *t + 1.0001 * o->h >= end;
    double H = last ? end - *t : o->h;
    if (*t + H == *t) break; // too short to matter: y has no bound
    double err = extrapolate(o, *t, y, dy, H, out);
    double factor = err > 0 ? 0.9 * pow(o->tol / err, 1.0 / (2 * COLUMNS - 1)) : 3;
    if (err <= o->tol) {
      *t = last ? end : *t + H;
      memcpy(y, out, (size_t)o->n * sizeof(double));
      // a step cut short by the end says little about the next one
      o->h = fmin(o->hmax, fmax(last ? o->h : 0, H * fmin(3, factor)));
      return PL_OK;
    }
    o->h = H * fmax(0.2, factor);
  }
  return PL_DOMAIN;
}

pl_status ode_run(ode *o, double end, double *t, double *y) {
  while (*t < end) PL_TRY(ode_step(o, end, t, y));
  return PL_OK;
}

// next trial between x[0] (newest) and x[1] (other side), as a part of the way from x[0]: inverse
// quadratic interpolation where it is safe, else the middle
static double next_part(const double *x, const double *f, double tol) {
  double xi = (x[0] - x[1]) / (x[2] - x[1]), phi = (f[0] - f[1]) / (f[2] - f[1]), t = 0.5;
  if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
    t = f[0] / (f[1] - f[0]) * f[2] / (f[1] - f[2]) +
        (x[2] - x[0]) / (x[1] - x[0]) * f[0] / (f[2] - f[0]) * f[1] / (f[2] - f[1]);
  double edge = 0.5 * tol / fabs(x[1] - x[0]);
  return fmin(1 - edge, fmax(edge, t));
}

pl_status root_between(root_fn f, void *ctx, double a, double fa, double b, double fb, double tol,
                       double *x) {
  double p[3] = {b, a, a}, q[3] = {fb, fa, fa}, t = fb / (fb - fa);
  if ((fa > 0) == (fb > 0) || !isfinite(t)) return PL_DOMAIN;
  for (int it = 0; it < ROOT_STEPS; it++) {
    int best = fabs(q[0]) > fabs(q[1]);
    *x = p[best];
    if (q[best] == 0 || fabs(p[1] - p[0]) <= tol) return PL_OK;
    double xt = p[0] + t * (p[1] - p[0]), ft;
    if (xt == p[0] || xt == p[1]) return PL_OK;
    PL_TRY(f(ctx, xt, &ft));
    if (!isfinite(ft)) return PL_DOMAIN;
    int same = (ft > 0) == (q[0] > 0);
    p[2] = p[!same];
    q[2] = q[!same];
    if (!same) {
      p[1] = p[0];
      q[1] = q[0];
    }
    p[0] = xt;
    q[0] = ft;
    t = next_part(p, q, tol);
  }
  return PL_DOMAIN;
}
