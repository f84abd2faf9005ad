// Harmonic inversion of a free decay by the matrix pencil method: y_i = sum_k a_k z_k^i with poles
// z = exp((-d + i omega) h). Rows of the Hankel matrix y_(i+j) are spanned by the powers of z;
// those singular vectors that stand out of the noise, V, give the poles as the eigenvalues of V
// without its last row against V without its first one. Hua and Sarkar (1990).
#include "floquet_impl.h"

#include "pliant/math.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

void dgesdd_(const char *job, const int *m, const int *n, double *a, const int *lda, double *s,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork,
             int *iwork, int *info, size_t);
void dgelsy_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
             const int *ldb, int *jpvt, const double *rcond, int *rank, double *work,
             const int *lwork, int *info);

enum { SAMPLES = 1200, TERMS = 2 * PL_DECAY_MODES }; // of the Hankel matrix; poles, most
static const double KEPT = 0.98; // energy that means of two samples must leave, about 22 a period
static const double STANDS = 5;  // singular values of signals over those of noise
static const double SLOW = 0.1;  // change over the record below which a drift is a constant
static const double WEAK = 0.01; // energy over the strongest one's of the first mode, at least
static const double DAMPED =
    0.5; // decay over frequency of the first mode, unless it is the strongest
static const double LOSES = 0.01; // decay times span, at least

typedef struct term {
  double omega, decay;
} term;

typedef struct inversion {
  pl_env *env;
  int n; // samples, means of `block` ones that were measured
  int block;
  double step; // s
  double *y;   // [n] about their mean, over the largest
  double mean, size;
  int npole;
  double complex pole[TERMS];
  int nterm;
  term term[TERMS];
} inversion;

// ---- samples ----------------------------------------------------------------------------------

// means of pairs while the record is long and they leave its energy: sums of powers of z stay such
static void shorten(inversion *k) {
  while (k->n > SAMPLES) {
    double before = 0, after = 0;
    int half = k->n / 2;
    for (int i = 0; i < half; i++) {
      double a = k->y[2 * i], b = k->y[2 * i + 1], c = 0.5 * (a + b);
      before += 0.5 * (a * a + b * b);
      after += c * c;
    }
    if (after < KEPT * before) break;
    for (int i = 0; i < half; i++) k->y[i] = 0.5 * (k->y[2 * i] + k->y[2 * i + 1]);
    k->n = half;
    k->block *= 2;
    k->step *= 2;
  }
  if (k->n > SAMPLES) k->n = SAMPLES;
}

static void centre(inversion *k, const double *y) {
  double sum = 0;
  for (int i = 0; i < k->n; i++) k->size = fmax(k->size, fabs(y[i]));
  if (!(k->size > 0)) return;
  for (int i = 0; i < k->n; i++) sum += y[i] / k->size;
  k->mean = sum / k->n;
  for (int i = 0; i < k->n; i++) k->y[i] = y[i] / k->size - k->mean;
}

static double square(int n, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += y[i] * y[i];
  return sum;
}

// ---- LAPACK -----------------------------------------------------------------------------------

// min |A x - b|: A [m][n] columns first, b [m][nrhs] becomes x
static pl_status least_squares(pl_env *env, int m, int n, double *A, int nrhs, double *b) {
  static const double rcond = 1e-13;
  int lwork = -1, rank, info;
  double want;
  int *pivot = pl_alloc(env, (size_t)n, sizeof *pivot);
  if (!pivot) return PL_E_NOMEM;
  dgelsy_(&m, &n, &nrhs, A, &m, b, &m, pivot, &rcond, &rank, &want, &lwork, &info);
  lwork = (int)want;
  double *work = pl_alloc(env, (size_t)lwork, sizeof *work);
  if (work) dgelsy_(&m, &n, &nrhs, A, &m, b, &m, pivot, &rcond, &rank, work, &lwork, &info);
  pl_free(env, pivot);
  pl_free(env, work);
  return !work ? PL_E_NOMEM : info == 0 ? PL_OK : PL_UNSOLVED;
}

// singular values s[cols] and right vectors V'[cols][cols], columns first, of A [rows][cols]
static pl_status singular(pl_env *env, int rows, int cols, double *A, double *s, double *U,
                          double *Vt) {
  int lwork = -1, info;
  double want;
  int *iwork = pl_alloc(env, 8 * (size_t)cols, sizeof *iwork);
  if (!iwork) return PL_E_NOMEM;
  dgesdd_("S", &rows, &cols, A, &rows, s, U, &rows, Vt, &cols, &want, &lwork, iwork, &info, 1);
  lwork = (int)want;
  double *work = pl_alloc(env, (size_t)lwork, sizeof *work);
  if (work)
    dgesdd_("S", &rows, &cols, A, &rows, s, U, &rows, Vt, &cols, work, &lwork, iwork, &info, 1);
  pl_free(env, iwork);
  pl_free(env, work);
  return !work ? PL_E_NOMEM : info == 0 ? PL_OK : PL_UNSOLVED;
}

// ---- poles ------------------------------------------------------------------------------------

// how many singular values stand out of the noise, of which the lower ones tell
static int count_signals(int n, const double *s, int rows) {
  double floor = fmax(STANDS * s[3 * n / 4], 8 * DBL_EPSILON * rows * s[0]);
  int m = 0;
  while (m < n - 1 && m < TERMS && s[m] > floor) m++;
  return m;
}

// eigenvalues of the pencil: X of V_a X = V_b
static pl_status pencil(inversion *k, int cols, const double *Vt, int m) {
  int rows = cols - 1;
  double *A = pl_alloc(k->env, 2 * (size_t)rows * (size_t)m + 1, sizeof *A);
  double X[TERMS * TERMS], re[TERMS], im[TERMS];
  if (!A) return PL_E_NOMEM;
  double *B = A + (size_t)rows * (size_t)m;
  for (int c = 0; c < m; c++)
    for (int i = 0; i < rows; i++) {
      A[(size_t)c * (size_t)rows + (size_t)i] = Vt[(size_t)i * (size_t)cols + (size_t)c];
      B[(size_t)c * (size_t)rows + (size_t)i] = Vt[(size_t)(i + 1) * (size_t)cols + (size_t)c];
    }
  pl_status st = m > 0 ? least_squares(k->env, rows, m, A, m, B) : PL_OK;
  for (int c = 0; c < m; c++)
    memcpy(X + c * m, B + (size_t)c * (size_t)rows, (size_t)m * sizeof *X);
  pl_free(k->env, A);
  if (st == PL_OK && m > 0) st = dense_eigen(k->env, m, X, re, im, NULL);
  for (int c = 0; st == PL_OK && c < m; c++) k->pole[c] = CMPLX(re[c], im[c]);
  k->npole = st == PL_OK ? m : 0;
  return st;
}

static pl_status find_poles(inversion *k) {
  int cols = k->n / 3 + 1, rows = k->n - cols + 1;
  size_t area = (size_t)rows * (size_t)cols;
  double *A = pl_alloc(k->env, area, sizeof *A), *U = pl_alloc(k->env, area, sizeof *U);
  double *Vt = pl_alloc(k->env, (size_t)cols, (size_t)cols * sizeof *Vt);
  double *s = pl_alloc(k->env, (size_t)cols, sizeof *s);
  pl_status st = A && U && Vt && s ? PL_OK : PL_E_NOMEM;
  if (st == PL_OK) {
    for (int c = 0; c < cols; c++)
      memcpy(A + (size_t)c * (size_t)rows, k->y + c, (size_t)rows * sizeof *A);
    st = singular(k->env, rows, cols, A, s, U, Vt);
  }
  if (st == PL_OK) st = pencil(k, cols, Vt, count_signals(cols, s, rows));
  pl_free(k->env, A);
  pl_free(k->env, U);
  pl_free(k->env, Vt);
  pl_free(k->env, s);
  return st;
}

// one term for each pair of poles; those near 1 are the constant, those below 0 noise
static void pick_terms(inversion *k) {
  double span = (k->n - 1) * k->step;
  for (int i = 0; i < k->npole; i++) {
    double complex z = k->pole[i];
    double d = -log(cabs(z)) / k->step, w = carg(z) / k->step;
    if (cimag(z) < 0 || !isfinite(d) || d * span < -300 || (cimag(z) == 0 && creal(z) <= 0))
      continue;
    if (cimag(z) == 0 && fabs(d) * span < SLOW) continue;
    k->term[k->nterm++] = (term){.omega = cimag(z) > 0 ? w : 0, .decay = d};
  }
}

// ---- amplitudes -------------------------------------------------------------------------------

// exp(-d t) where it falls, 1 at the end where it grows
static double envelope(const term *m, double t, double span) {
  return exp(-m->decay * (m->decay < 0 ? t - span : t));
}

// columns of a term: cosine, and sine where it swings
static int columns_of(const inversion *k, const term *m, double *A) {
  double span = (k->n - 1) * k->step;
  for (int i = 0; i < k->n; i++) {
    double t = i * k->step, e = envelope(m, t, span);
    A[i] = e * cos(m->omega * t);
    if (m->omega > 0) A[k->n + i] = e * sin(m->omega * t);
  }
  return m->omega > 0 ? 2 : 1;
}

// amplitude and phase at the first sample; means of `block` samples had a factor for each pole
static void read_mode(const inversion *k, const term *m, const double *x, const double *A,
                      pl_decay_mode *out) {
  double span = (k->n - 1) * k->step, h = k->step / k->block;
  double complex a = CMPLX(x[0], m->omega > 0 ? -x[1] : 0), g = 0;
  *out = (pl_decay_mode){.omega = m->omega, .decay = m->decay};
  for (int i = 0; i < k->block; i++) g += cexp(CMPLX(-m->decay, m->omega) * (i * h));
  a *= k->block / g * envelope(m, 0, span) * k->size;
  out->amplitude = cabs(a);
  out->phase = carg(a);
  for (int i = 0; i < k->n; i++) {
    double y = x[0] * A[i] + (m->omega > 0 ? x[1] * A[k->n + i] : 0);
    out->energy += y * y;
  }
}

static pl_status find_amplitudes(inversion *k, pl_decay_mode *mode, double *offset) {
  size_t n = (size_t)k->n;
  int cols = 1, at = 1;
  for (int i = 0; i < k->nterm; i++) cols += k->term[i].omega > 0 ? 2 : 1;
  double *A = pl_alloc(k->env, (2 * (size_t)cols + 1) * n, sizeof *A);
  if (!A) return PL_E_NOMEM;
  double *copy = A + (size_t)cols * n, *x = copy + (size_t)cols * n;
  for (int i = 0; i < k->n; i++) A[i] = 1;
  for (int i = 0; i < k->nterm; i++) at += columns_of(k, &k->term[i], A + (size_t)at * n);
  memcpy(copy, A, (size_t)cols * n * sizeof *A);
  memcpy(x, k->y, n * sizeof *x);
  pl_status st = least_squares(k->env, k->n, cols, copy, 1, x);
  at = 1;
  for (int i = 0; st == PL_OK && i < k->nterm; i++) {
    read_mode(k, &k->term[i], x + at, A + (size_t)at * n, &mode[i]);
    at += k->term[i].omega > 0 ? 2 : 1;
  }
  *offset = (x[0] + k->mean) * k->size;
  pl_free(k->env, A);
  return st;
}

// ---- what it says -----------------------------------------------------------------------------

static int swings(const pl_decay_mode *m, double span) {
  return m->omega * span > PL_PI;
}

// those that swing first, by frequency; then what drifts
static void sort_modes(pl_decay *d) {
  double most = 0;
  for (int i = 1; i < d->nterm; i++)
    for (int j = i; j > 0; j--) {
      pl_decay_mode *a = &d->mode[j - 1], *b = &d->mode[j], swap = *a;
      int sa = swings(a, d->span), sb = swings(b, d->span);
      if (sa > sb || (sa == sb && a->omega <= b->omega)) break;
      *a = *b;
      *b = swap;
    }
  d->n = 0;
  while (d->n < d->nterm && swings(&d->mode[d->n], d->span)) d->n++;
  for (int i = 0; i < d->n; i++) most = fmax(most, d->mode[i].energy);
  for (int i = 0; i < d->nterm && most > 0; i++) d->mode[i].energy /= most;
}

static void judge(pl_decay *d) {
  int best = 0;
  d->fault = PL_DECAY_NOISE;
  if (d->n == 0 || d->error > 0.7 * d->rms) return;
  for (int i = 0; i < d->n; i++)
    if (d->mode[i].energy > d->mode[best].energy) best = i;
  const pl_decay_mode *m = &d->mode[best];
  double lost = m->decay * d->span;
  d->first = best; // what a fault is about
  d->fault = m->omega * d->span < 4 * PL_PI ? PL_DECAY_PERIODS
             : lost < -LOSES                ? PL_DECAY_GROWS
             : lost < LOSES                 ? PL_DECAY_STEADY
                                            : PL_DECAY_GOOD;
  for (int i = best - 1; i >= 0 && d->fault == PL_DECAY_GOOD; i--) {
    m = &d->mode[i];
    int swings_long = m->omega * d->span >= 4 * PL_PI && m->decay < DAMPED * m->omega;
    if (m->energy >= WEAK && swings_long && m->decay * d->span >= LOSES) d->first = i;
  }
}

double pl_decay_value(const pl_decay *d, double t) {
  double y = d->offset;
  for (int i = 0; i < d->nterm; i++) {
    const pl_decay_mode *m = &d->mode[i];
    y += m->amplitude * exp(-m->decay * t) * cos(m->omega * t + m->phase);
  }
  return y;
}

// what is left of the samples that are used; size keeps squares within range
static void compare(pl_decay *d, int n, double step, const double *y, double size) {
  double error = 0, whole = 0;
  for (int i = 0; i < n; i++) {
    double r = (y[i] - pl_decay_value(d, i * step)) / size, w = (y[i] - d->offset) / size;
    error += r * r;
    whole += w * w;
  }
  d->rms = sqrt(whole / n) * size;
  d->error = sqrt(error / n) * size;
}

static pl_status invert(inversion *k, double step, const double *y, pl_decay *out) {
  out->fault = PL_DECAY_STILL;
  if (!(sqrt(square(k->n, k->y) / k->n) > 1e-12)) return PL_OK;
  shorten(k);
  pl_status st = find_poles(k);
  if (st == PL_OK) pick_terms(k);
  if (st == PL_OK) st = find_amplitudes(k, out->mode, &out->offset);
  out->fault = PL_DECAY_NOISE;
  if (st != PL_OK) return st == PL_UNSOLVED ? PL_OK : st;
  out->nterm = k->nterm;
  out->span = (k->n * k->block - 1) * step;
  for (int i = 0; i < out->nterm; i++)
    if (swings(&out->mode[i], out->span)) out->overlap += out->mode[i].energy;
  out->overlap /= square(k->n, k->y);
  sort_modes(out);
  compare(out, k->n * k->block, step, y, k->size);
  judge(out);
  return PL_OK;
}

pl_status pl_decay_find(pl_env *env, int n, double step, const double *y, pl_decay *out) {
  *out = (pl_decay){.fault = PL_DECAY_SHORT};
  if (!(step > 0) || !isfinite(step) || (n > 0 && !pl_all_finite(n, y)))
    return pl_fail(env, PL_E_INPUT, "a record needs finite samples a time > 0 apart");
  if (n < PL_DECAY_LEAST) return PL_OK;
  inversion k = {.env = env, .n = n, .block = 1, .step = step};
  k.y = pl_alloc(env, (size_t)n, sizeof *k.y);
  if (!k.y) return PL_E_NOMEM;
  centre(&k, y);
  pl_status st = k.size > 0 ? invert(&k, step, y, out) : PL_OK;
  if (!(k.size > 0)) out->fault = PL_DECAY_STILL;
  pl_free(env, k.y);
  return st;
}
