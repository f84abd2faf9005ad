// Closed curves as Fourier coefficients.
#include "design_impl.h"

#include <string.h>

static double distance(int dim, const double *a, const double *b) {
  double sum = 0;
  for (int c = 0; c < dim; c++) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sqrt(sum);
}

static void basis_at(double phase, int H, double *row) {
  row[0] = 1;
  for (int k = 1; k <= H; k++) {
    row[2 * k - 1] = sin(k * phase);
    row[2 * k] = cos(k * phase);
  }
}

// ---- by arc -----------------------------------------------------------------------------------

// the coefficients of the polygon run through at constant speed, by the trapezoidal rule
static pl_status by_arc(pl_env *env, int n, int dim, const double *x, int H, double *coef) {
  int L = 2 * H + 1, N = 64 * L > 16 * n ? 64 * L : 16 * n, side = 0;
  double row[2 * 64 + 1], length = 0, before = 0;
  for (int i = 0; i < n; i++) length += distance(dim, x + i * dim, x + (i + 1) % n * dim);
  if (!(length > 0)) return pl_fail(env, PL_E_INPUT, "target: all points are the same");
  memset(coef, 0, (size_t)(dim * L) * sizeof *coef);
  for (int i = 0; i < N; i++) {
    double s = length * i / N, l;
    // the side on which the arc ends
    while ((l = distance(dim, x + side * dim, x + (side + 1) % n * dim)),
           s > before + l && side < n - 1) {
      before += l;
      side++;
    }
    double t = l > 0 ? fmin(1, (s - before) / l) : 0;
    basis_at(2 * PL_PI * i / N, H, row);
    for (int c = 0; c < dim; c++) {
      double at = (1 - t) * x[side * dim + c] + t * x[(side + 1) % n * dim + c];
      for (int a = 0; a < L; a++) coef[c * L + a] += (a ? 2.0 : 1.0) / N * row[a] * at;
    }
  }
  return PL_OK;
}

// ---- by time ----------------------------------------------------------------------------------

// solves A x = b for a positive definite A[n][n] (destroyed) and `dim` columns; 0: singular
static int solve_normal(int n, double *A, int dim, double *b) {
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++) A[j * n + j] -= A[j * n + k] * A[j * n + k];
    if (!(A[j * n + j] > 1e-6)) return 0;
    A[j * n + j] = sqrt(A[j * n + j]);
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++) A[i * n + j] -= A[i * n + k] * A[j * n + k];
      A[i * n + j] /= A[j * n + j];
    }
  }
  for (int c = 0; c < dim; c++) {
    double *x = b + c * n;
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < i; k++) x[i] -= A[i * n + k] * x[k];
      x[i] /= A[i * n + i];
    }
    for (int i = n; i-- > 0;) {
      for (int k = i + 1; k < n; k++) x[i] -= A[k * n + i] * x[k];
      x[i] /= A[i * n + i];
    }
  }
  return 1;
}

// least squares, with a normal matrix that is about the unit matrix for even times
static pl_status by_time(pl_env *env, int n, int dim, const double *x, const double *times, int H,
                         double *coef) {
  int L = 2 * H + 1;
  double row[2 * 64 + 1], *A = pl_alloc(env, (size_t)(L * L), sizeof *A);
  if (!A) return PL_E_NOMEM;
  memset(coef, 0, (size_t)(dim * L) * sizeof *coef);
  for (int i = 0; i < n; i++) {
    basis_at(2 * PL_PI * (times ? times[i] : (double)i / n), H, row);
    for (int a = 0; a < L; a++) {
      for (int b = 0; b < L; b++) A[a * L + b] += 2.0 / n * row[a] * row[b];
      for (int c = 0; c < dim; c++) coef[c * L + a] += 2.0 / n * row[a] * x[i * dim + c];
    }
  }
  int solved = solve_normal(L, A, dim, coef);
  pl_free(env, A);
  if (solved) return PL_OK;
  return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "use fewer harmonics, or resample by arc",
                    "target: times leave gaps in which %d harmonics are not known", H);
}

// ---- both -------------------------------------------------------------------------------------

pl_status pl_curve_coefficients(pl_env *env, int npoint, int dim, const double *x,
                                pl_resample resample, const double *times, int nharm,
                                double *coef) {
  if (nharm < 1 || nharm > 64 || dim < 1 || dim > 3)
    return pl_fail(env, PL_E_ARG, "target: needs 1 to 64 harmonics in 1 to 3 dimensions");
  for (int i = 0; i < npoint; i++)
    if (!pl_all_finite(dim, x + (size_t)i * (size_t)dim) || (times && !isfinite(times[i])))
      return pl_fail(env, PL_E_INPUT, "target: point %d has an entry that is not a number", i + 1);
  int closed = npoint > 1 && distance(dim, x, x + (size_t)(npoint - 1) * (size_t)dim) == 0;
  if (closed && (!times || times[npoint - 1] - times[0] == 1)) npoint--;
  if (npoint < 2 * nharm + 1)
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "draw more points, or use fewer harmonics",
                      "target: %d %s cannot tell %d harmonics, which need %d or more", npoint,
                      pl_plural(npoint, "point", "points"), nharm, 2 * nharm + 1);
  return resample == PL_BY_ARC ? by_arc(env, npoint, dim, x, nharm, coef)
                               : by_time(env, npoint, dim, x, times, nharm, coef);
}
