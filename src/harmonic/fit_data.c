// Measured samples against Fourier coefficients: least squares with unknown phase and, if wanted,
// unknown means.
#include "fit_impl.h"

#include <string.h>

// ---- the data ---------------------------------------------------------------------------------

static pl_status check_data(pl_env *env, const pl_model *m, const pl_fit_data *d, int L) {
  const char *name = d->name ? d->name : "data";
  if (!(d->omega > 0) || d->nchannel < 1)
    return pl_fail(env, PL_E_INPUT, "%s: needs a frequency > 0 and one watched coordinate or more",
                   name);
  if (d->nsample < L)
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "use fewer harmonics, or more samples",
                      "%s: %d %s cannot tell %d harmonics, which need %d or more", name, d->nsample,
                      pl_plural(d->nsample, "sample", "samples"), L / 2, L);
  for (int i = 0; i < d->nsample; i++)
    if (!isfinite(d->time[i]) ||
        !pl_all_finite(d->nchannel, d->value + (size_t)i * (size_t)d->nchannel))
      return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "leave out samples that were not measured",
                        "%s: sample %d has an entry that is not a number", name, i + 1);
  for (int c = 0; c < d->nchannel; c++)
    if (d->dof[c] < 0 || d->dof[c] >= pl_model_nq(m))
      return pl_fail(env, PL_E_ARG, "%s: channel %d belongs to no unknown of the model", name, c);
  return PL_OK;
}

// Householder's reflections on W[n][cols] for its first L columns
static void triangulate(int n, int L, int cols, double *W) {
  for (int j = 0; j < L; j++) {
    double size = 0;
    for (int i = j; i < n; i++) size += pow(W[(size_t)i * (size_t)cols + (size_t)j], 2);
    double *top = W + (size_t)j * (size_t)(cols + 1), a = *top > 0 ? -sqrt(size) : sqrt(size);
    if (size == 0) continue;
    // v = column - a e_j, kept in the column itself; H x = x - v (v'x) / (a (a - top))
    *top -= a;
    double scale = -1 / (a * *top);
    for (int k = j + 1; k < cols; k++) {
      double dot = 0;
      for (int i = j; i < n; i++)
        dot += W[(size_t)i * (size_t)cols + (size_t)j] * W[(size_t)i * (size_t)cols + (size_t)k];
      for (int i = j; i < n; i++)
        W[(size_t)i * (size_t)cols + (size_t)k] -=
            scale * dot * W[(size_t)i * (size_t)cols + (size_t)j];
    }
    *top = a;
  }
}

static void fill_basis(const pl_fit_data *d, int H, int cols, double *W) {
  int L = 2 * H + 1;
  for (int i = 0; i < d->nsample; i++) {
    double *row = W + (size_t)i * (size_t)cols;
    row[0] = 1;
    for (int k = 1; k <= H; k++) {
      row[2 * k - 1] = sin(k * d->omega * d->time[i]);
      row[2 * k] = cos(k * d->omega * d->time[i]);
    }
    memcpy(row + L, d->value + (size_t)i * (size_t)d->nchannel, (size_t)d->nchannel * sizeof *row);
  }
}

// R, Q'x and what is left from W
static pl_status keep_factors(pl_env *env, fit_set *s, int cols, const double *W) {
  const pl_fit_data *d = s->d;
  int L = s->L;
  for (int i = 0; i < L; i++) {
    const double *row = W + (size_t)i * (size_t)cols;
    for (int j = i; j < L; j++) s->R[i * L + j] = row[j];
    for (int c = 0; c < d->nchannel; c++) s->y[c * L + i] = row[L + c];
    if (!(fabs(row[i]) > 1e-7 * sqrt(d->nsample)))
      return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0,
                        "measure over a whole period, check frequency and unit of time",
                        "%s: the times of its samples do not tell %d harmonics apart",
                        d->name ? d->name : "data", s->H);
  }
  for (int i = L; i < d->nsample; i++)
    for (int c = 0; c < d->nchannel; c++)
      s->outside += pow(W[(size_t)i * (size_t)cols + (size_t)(L + c)], 2);
  return PL_OK;
}

// sum of squares about the means; rounding of what stands still is no motion
static double motion_size(const pl_fit_data *d) {
  double sum = 0;
  for (int c = 0; c < d->nchannel; c++) {
    double mean = 0, about = 0, size = 0;
    for (int i = 0; i < d->nsample; i++)
      mean += d->value[(size_t)i * (size_t)d->nchannel + (size_t)c] / d->nsample;
    for (int i = 0; i < d->nsample; i++) {
      double x = d->value[(size_t)i * (size_t)d->nchannel + (size_t)c];
      about += (x - mean) * (x - mean);
      size += x * x;
    }
    if (about > 1e-26 * size) sum += about;
  }
  return sum;
}

pl_status fit_set_create(pl_env *env, const pl_model *m, const pl_fit_data *d, int H, int means,
                         fit_set *s) {
  int L = 2 * H + 1, cols = L + d->nchannel;
  *s = (fit_set){.d = d, .H = H, .L = L, .first = means ? 0 : 1};
  PL_TRY(check_data(env, m, d, L));
  size_t n = (size_t)d->nchannel * (size_t)L;
  s->R = pl_alloc(env, (size_t)L * (size_t)L, sizeof *s->R);
  s->y = pl_alloc(env, n, sizeof *s->y);
  s->z = pl_alloc(env, n, sizeof *s->z);
  s->shifted = pl_alloc(env, n, sizeof *s->shifted);
  double *W = pl_alloc(env, (size_t)d->nsample * (size_t)cols, sizeof *W);
  pl_status st = s->R && s->y && s->z && s->shifted && W ? PL_OK : PL_E_NOMEM;
  if (st == PL_OK) {
    fill_basis(d, H, cols, W);
    triangulate(d->nsample, L, cols, W);
    st = keep_factors(env, s, cols, W);
    s->motion = motion_size(d);
  }
  pl_free(env, W);
  return st;
}

void fit_set_free(pl_env *env, fit_set *s) {
  pl_free(env, s->R);
  pl_free(env, s->y);
  pl_free(env, s->z);
  pl_free(env, s->shifted);
}

// ---- comparison -------------------------------------------------------------------------------

int fit_set_rows(const fit_set *s) {
  return s->d->nchannel * (s->L - s->first);
}

// out[L]: coefficients of z(theta + phase).
static void fit_shift(int H, const double *z, double phase, double *out) {
  out[0] = z[0];
  for (int k = 1; k <= H; k++) {
    double s = z[2 * k - 1], c = z[2 * k], cs = cos(k * phase), sn = sin(k * phase);
    out[2 * k - 1] = s * cs - c * sn;
    out[2 * k] = s * sn + c * cs;
  }
}

// out = R x - y for every channel; y NULL: R x
static void triangle(const fit_set *s, const double *x, const double *y, double *out) {
  int L = s->L;
  for (int c = 0; c < s->d->nchannel; c++)
    for (int i = s->first; i < L; i++) {
      double sum = y ? -y[c * L + i] : 0;
      for (int j = i; j < L; j++) sum += s->R[i * L + j] * x[c * L + j];
      *out++ = sum;
    }
}

static void shift_all(fit_set *s, const double *z) {
  for (int c = 0; c < s->d->nchannel; c++)
    fit_shift(s->H, z + c * s->L, s->phase, s->shifted + c * s->L);
}

double fit_residual(fit_set *s, double *r) {
  shift_all(s, s->z);
  triangle(s, s->shifted, s->y, r);
  int n = fit_set_rows(s);
  return pl_dot(n, r, r);
}

void fit_change(fit_set *s, const double *dz, double *out) {
  shift_all(s, dz);
  triangle(s, s->shifted, NULL, out);
}

void fit_phase_change(fit_set *s, double *out) {
  shift_all(s, s->z);
  for (int c = 0; c < s->d->nchannel; c++) {
    double *x = s->shifted + c * s->L;
    x[0] = 0;
    for (int k = 1; k <= s->H; k++) {
      double sn = x[2 * k - 1];
      x[2 * k - 1] = -k * x[2 * k];
      x[2 * k] = k * sn;
    }
  }
  triangle(s, s->shifted, NULL, out);
}

// slope of half the misfit by the phase
static double phase_slope(fit_set *s, double phase, double *r, double *dr) {
  s->phase = phase;
  fit_residual(s, r);
  fit_phase_change(s, dr);
  return pl_dot(fit_set_rows(s), r, dr);
}

void fit_best_phase(fit_set *s, double *r, double *dr) {
  int n = 16 * s->H > 64 ? 16 * s->H : 64;
  double best = INFINITY, at = 0, gap = 2 * PL_PI / n;
  for (int i = 0; i < n; i++) {
    s->phase = i * gap;
    double cost = fit_residual(s, r);
    if (cost < best) {
      best = cost;
      at = s->phase;
    }
  }
  // the slope changes its sign between the neighbours
  double lo = at - gap, hi = at + gap;
  for (int i = 0; i < 60; i++) {
    double mid = 0.5 * (lo + hi);
    if (phase_slope(s, mid, r, dr) > 0)
      hi = mid;
    else
      lo = mid;
  }
  at = 0.5 * (lo + hi);
  s->phase = at - 2 * PL_PI * floor(at / (2 * PL_PI));
}

double fit_shown(const fit_set *s, double *out) {
  int L = s->L;
  double most = 0;
  for (int c = 0; c < s->d->nchannel; c++) {
    double *x = out + c * L;
    fit_shift(s->H, s->z + c * L, s->phase, x);
    // the first row of R x = Q'x gives the mean
    double mean = s->y[c * L];
    for (int j = 1; j < L; j++) mean -= s->R[j] * x[j];
    mean /= s->R[0];
    most = fmax(most, fabs(mean - x[0]));
    if (s->first > 0) x[0] = mean;
  }
  return most;
}
