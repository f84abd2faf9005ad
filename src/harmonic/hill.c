// Hill's method: x = e^(lambda t) u(t) with a Fourier series u turns the linearised equation into
// (lambda^2 M + lambda (D + 2 M d/dt) + K + D d/dt + M d2/dt2) u = 0.
#include "floquet_impl.h"

#include <stdlib.h>
#include <string.h>

// an exponent with its place in the spectrum
typedef struct exponent {
  double re, im;
  double mean; // order about which the series of its eigenvector is centred
  double tail; // size of the last two orders over the whole
} exponent;

typedef struct hill {
  variation *v;
  fourier f;
  int n, m;        // free unknowns; n L
  double *M;       // [n][n]
  double *coef;    // [4H+1][2][n][n] Fourier coefficients of K, then D
  double *Q, *R;   // [m][m] at the shift; [2m][m] M, then D + 2 M d/dt + 2 shift M
  double *C, *V;   // [2m][2m] companion and its eigenvectors
  double *re, *im; // [2m]
  exponent *all;   // [2m]
  double trace;    // mean of tr M^-1 D
  int nfound;
} hill;

static void hill_close(hill *h) {
  pl_env *env = h->v->env;
  void *all[] = {h->M, h->coef, h->Q, h->R, h->C, h->V, h->re, h->im, h->all};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(env, all[k]);
  fourier_free(env, &h->f);
}

static pl_status hill_open(hill *h, variation *v, int H) {
  *h = (hill){.v = v, .n = v->n};
  PL_TRY(fourier_create(v->env, H, 8 * H, &h->f));
  h->m = v->n * h->f.L;
  size_t n2 = (size_t)v->n * (size_t)v->n, m = (size_t)h->m, P = 4 * (size_t)H + 1;
  struct {
    double **p;
    size_t n;
  } all[] = {{&h->M, n2},        {&h->coef, 2 * n2 * P}, {&h->Q, m * m},  {&h->R, 2 * m * m},
             {&h->C, 4 * m * m}, {&h->V, 4 * m * m},     {&h->re, 2 * m}, {&h->im, 2 * m}};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    *all[k].p = pl_alloc(v->env, all[k].n, sizeof(double));
    if (!*all[k].p) return PL_E_NOMEM;
  }
  h->all = pl_alloc(v->env, 2 * m, sizeof *h->all);
  return h->all ? PL_OK : PL_E_NOMEM;
}

// Fourier coefficients of K and D along the orbit
static pl_status sample(hill *h) {
  const fourier *f = &h->f;
  int n2 = h->n * h->n, P = 4 * f->H + 1;
  double *K = h->Q, *D = h->Q + n2; // room that is not in use yet
  variation_mass(h->v, NULL, h->M);
  for (int i = 0; i < f->N; i++) {
    PL_TRY(variation_at(h->v, 2 * PL_PI * i / f->N, NULL, K, D));
    for (int k = 0; k < P; k++) {
      double w = f->product[k * f->N + i], *c = h->coef + (size_t)k * 2 * (size_t)n2;
      for (int j = 0; j < 2 * n2; j++) c[j] += w * K[j];
    }
  }
  return PL_OK;
}

// mean of tr M^-1 D, which the exponents add up to; PL_SINGULAR: massless unknowns
static pl_status mean_trace(hill *h) {
  size_t n2 = (size_t)h->n * (size_t)h->n;
  double *M = h->Q, *D = h->Q + n2;
  memcpy(M, h->M, n2 * sizeof(double));
  memcpy(D, h->coef + n2, n2 * sizeof(double));
  PL_TRY(dense_solve(h->v->env, h->n, M, h->n, D));
  h->trace = 0;
  for (int i = 0; i < h->n; i++) h->trace += D[i * h->n + i];
  return PL_OK;
}

// the L x L blocks of unknowns (i, j): K, D are rows first, d/dt acts on columns
static void fill_block(hill *h, int i, int j, double shift, const double *K, const double *D) {
  int L = h->f.L, m = h->m;
  double mass = h->M[j * h->n + i];
  for (int b = 0; b < L; b++) {
    // d/dt of basis function b is order times basis function `to`
    int k = (b + 1) / 2, to = b == 0 ? 0 : b % 2 ? b + 1 : b - 1;
    double order = b % 2 ? k : -k;
    size_t col = (size_t)(j * L + b);
    double *q = h->Q + col * (size_t)m + (size_t)i * (size_t)L;
    double *r = h->R + col * (size_t)m + (size_t)i * (size_t)L, *s = r + (size_t)m * (size_t)m;
    for (int a = 0; a < L; a++) {
      q[a] = K[a * L + b] + order * D[a * L + to] + shift * D[a * L + b];
      r[a] = 0;
      s[a] = D[a * L + b];
    }
    q[b] += mass * (shift * shift - k * k);
    q[to] += 2 * shift * mass * order;
    r[b] = mass;
    s[b] += 2 * shift * mass;
    s[to] += 2 * mass * order;
  }
}

static pl_status fill(hill *h, double shift) {
  const fourier *f = &h->f;
  size_t L2 = (size_t)f->L * (size_t)f->L, n2 = (size_t)h->n * (size_t)h->n;
  int P = 4 * f->H + 1;
  double *block = pl_alloc(h->v->env, 2 * L2 + 2 * (size_t)P, sizeof(double));
  if (!block) return PL_E_NOMEM;
  double *ck = block + 2 * L2, *cd = ck + P;
  for (int j = 0; j < h->n; j++)
    for (int i = 0; i < h->n; i++) {
      for (int k = 0; k < P; k++) {
        ck[k] = h->coef[(size_t)k * 2 * n2 + (size_t)(j * h->n + i)];
        cd[k] = h->coef[(size_t)k * 2 * n2 + n2 + (size_t)(j * h->n + i)];
      }
      fourier_block(f, ck, block);
      fourier_block(f, cd, block + L2);
      fill_block(h, i, j, shift, block, block + L2);
    }
  pl_free(h->v->env, block);
  return PL_OK;
}

// eigenvalues kappa = 1 / (lambda - shift) of [0 1; -Q^-1 M, -Q^-1 (D + ...)]: massless unknowns,
// whose lambda is infinite, do no harm
static pl_status solve(hill *h, double shift) {
  size_t m = (size_t)h->m;
  PL_TRY(fill(h, shift));
  PL_TRY(dense_solve(h->v->env, h->m, h->Q, 2 * h->m, h->R));
  memset(h->C, 0, 4 * m * m * sizeof(double));
  for (size_t j = 0; j < m; j++) {
    h->C[(m + j) * 2 * m + j] = 1;
    for (size_t i = 0; i < m; i++) {
      h->C[j * 2 * m + m + i] = -h->R[j * m + i];
      h->C[(m + j) * 2 * m + m + i] = -h->R[(m + j) * m + i];
    }
  }
  return dense_eigen(h->v->env, 2 * h->m, h->C, h->re, h->im, h->V);
}

// centre and tail of an eigenvector a + i b, each unknown counted by its mass
static void weigh(const hill *h, const double *a, const double *b, exponent *e) {
  int H = h->f.H, L = h->f.L;
  double whole = 0, first = 0, tail = 0;
  for (int i = 0; i < h->n; i++) {
    double mass = fabs(h->M[i * h->n + i]), w = mass > 0 ? mass : 1;
    const double *x = a + i * L, *y = b + i * L;
    whole += w * (x[0] * x[0] + y[0] * y[0]);
    for (int k = 1; k <= H; k++) {
      // c cos + s sin = (c - i s)/2 e^ik + (c + i s)/2 e^-ik
      double sr = x[2 * k - 1], si = y[2 * k - 1], cr = x[2 * k], ci = y[2 * k];
      double up = 0.25 * w * ((cr + si) * (cr + si) + (ci - sr) * (ci - sr));
      double down = 0.25 * w * ((cr - si) * (cr - si) + (ci + sr) * (ci + sr));
      whole += up + down;
      first += k * (up - down);
      if (k >= H - 1) tail += up + down;
    }
  }
  e->mean = whole > 0 ? first / whole : H;
  e->tail = whole > 0 ? sqrt(tail / whole) : 1;
}

// exponents of all eigenvalues; infinite ones are left out
static void collect(hill *h, double shift, const double *zero, double floor) {
  int two = 2 * h->m;
  h->nfound = 0;
  for (int j = 0; j < two; j++) {
    double x = h->re[j], y = h->im[j], r2 = x * x + y * y;
    if (!(r2 > floor * floor)) continue;
    const double *a = h->V + (size_t)j * (size_t)two, *b = y == 0 ? zero : a + two;
    if (y < 0) continue; // came with its conjugate
    exponent e = {.re = shift + x / r2, .im = -y / r2};
    weigh(h, a, b, &e);
    h->all[h->nfound++] = e;
    if (y == 0) continue;
    h->all[h->nfound++] = (exponent){e.re, -e.im, -e.mean, e.tail};
  }
}

// Every exponent comes again and again, shifted by i with its series moved by one order: the means
// of such a family lie one apart. Families of real multipliers are centred at 0 or 1/2, so a window
// of length one about 1/4 holds one of each family, with room to spare.
static double distance(const exponent *e) {
  return fabs(e->mean - 0.25);
}

static int by_distance(const void *a, const void *b) {
  double x = distance(a), y = distance(b);
  return (x > y) - (x < y);
}

// moves the wanted exponents to the front
static void pick(hill *h, int want) {
  qsort(h->all, (size_t)h->nfound, sizeof *h->all, by_distance);
  int kept = 0;
  for (int i = 0; i < h->nfound && kept < want; i++) {
    exponent e = h->all[i];
    int again = 0;
    // at the rim of the window both ends of one family may have come in
    for (int j = 0; j < kept && distance(&e) > 0.4; j++) {
      const exponent *o = &h->all[j];
      double angle = fabs(e.im - o->im);
      again |= fabs(e.re - o->re) < 1e-6 && fabs(angle - 1) < 1e-6 &&
               fabs(fabs(e.mean - o->mean) - 1) < 0.1;
    }
    if (again) continue;
    memmove(h->all + kept + 1, h->all + kept, (size_t)(i - kept) * sizeof *h->all);
    h->all[kept++] = e;
  }
}

// one truncation: the exponents stand first in h->all; *tail tells how well the series end
static pl_status truncated(hill *h, int *want, double *tail) {
  PL_TRY(sample(h));
  pl_status s = mean_trace(h);
  int massless = s == PL_SINGULAR;
  if (s != PL_OK && !massless) return s;
  double *zero = pl_alloc(h->v->env, (size_t)h->m, sizeof(double));
  if (!zero) return PL_E_NOMEM;
  // a shift off the exponents, which are rarely that far to the right
  static const double shifts[] = {0.7, 1.13, 0.43};
  double most = 0;
  for (size_t k = 0; k < sizeof shifts / sizeof shifts[0]; k++) {
    s = solve(h, shifts[k]);
    if (s == PL_SINGULAR) continue;
    if (s != PL_OK) break;
    most = fmax(pl_max_abs(2 * h->m, h->re), pl_max_abs(2 * h->m, h->im));
    collect(h, shifts[k], zero, massless ? 1e-6 * most : 0);
    if (most < 1e4) break;
  }
  pl_free(h->v->env, zero);
  if (s != PL_OK) return s == PL_SINGULAR ? PL_UNSOLVED : s;
  *want = massless ? (h->nfound + h->f.L / 2) / h->f.L : 2 * h->n;
  if (*want > h->nfound) return PL_UNSOLVED;
  pick(h, *want);
  double sum = 0;
  *tail = 0;
  for (int i = 0; i < *want; i++) {
    sum += h->all[i].re;
    if (h->all[i].re > -3) *tail = fmax(*tail, h->all[i].tail);
  }
  // Liouville: the volume shrinks by the trace of the damping
  if (!massless && !(fabs(sum + h->trace) < 1e-6 * (1 + fabs(h->trace)))) *tail = 1;
  return PL_OK;
}

pl_status hill_multipliers(variation *v, int limit, multipliers *mu) {
  int H = v->o->nharm, most = (limit / (v->n > 0 ? v->n : 1) - 1) / 2, want = 0;
  if (most > 64) most = 64;
  if (most < H)
    return pl_fail(v->env, PL_E_INPUT,
                   "Hill's method: %d free unknowns with %d harmonics are more than %d "
                   "coefficients; use the monodromy matrix",
                   v->n, H, limit);
  // The series of a deviation is longer than that of the motion: raised until it ends well. The
  // error of an exponent is about the square of the tail.
  pl_status s = PL_UNSOLVED;
  for (H += H > 8 ? H / 2 : 4; s == PL_UNSOLVED; H += H / 2) {
    if (H > most) H = most;
    hill h;
    double tail = 1;
    s = hill_open(&h, v, H);
    if (s == PL_OK) s = truncated(&h, &want, &tail);
    if (s == PL_OK && tail > (H < most ? 3e-6 : 1e-4)) s = PL_UNSOLVED;
    int huge = 0;
    for (int i = 0; s == PL_OK && i < want; i++) huge |= 2 * PL_PI * h.all[i].re > 700;
    if (s == PL_OK) s = multipliers_create(v->env, huge ? 0 : want, mu);
    mu->overflow = huge;
    for (int i = 0; s == PL_OK && i < mu->n; i++) {
      double size = exp(2 * PL_PI * h.all[i].re), angle = 2 * PL_PI * h.all[i].im;
      mu->re[i] = size * cos(angle);
      mu->im[i] = size * sin(angle);
    }
    hill_close(&h);
    if (H == most) break;
  }
  if (s == PL_OK) mu->exact = 1;
  return s;
}

// Exponents of constant matrices: eigenvalues kappa = 1 / (lambda - shift) as in solve, which see
// infinite lambda of massless unknowns as zero.
static pl_status constant_exponents(const variation *v, const double *M, const double *K,
                                    const double *D, double shift, double *work) {
  size_t n = (size_t)v->n, n2 = n * n, two = 2 * n;
  double *Q = work, *R = Q + n2, *C = R + 2 * n2, *re = C + 4 * n2, *im = re + two;
  for (size_t i = 0; i < n2; i++) {
    Q[i] = K[i] + shift * D[i] + shift * shift * M[i];
    R[i] = M[i];
    R[n2 + i] = D[i] + 2 * shift * M[i];
  }
  PL_TRY(dense_solve(v->env, v->n, Q, 2 * v->n, R));
  memset(C, 0, 4 * n2 * sizeof(double));
  for (size_t j = 0; j < n; j++) {
    C[(n + j) * two + j] = 1;
    for (size_t i = 0; i < n; i++) {
      C[j * two + n + i] = -R[j * n + i];
      C[(n + j) * two + n + i] = -R[(n + j) * n + i];
    }
  }
  return dense_eigen(v->env, 2 * v->n, C, re, im, NULL);
}

pl_status constant_multipliers(const variation *v, const double *M, const double *K,
                               const double *D, multipliers *mu) {
  size_t n = (size_t)v->n;
  double *work = pl_alloc(v->env, 7 * n * n + 4 * n, sizeof(double));
  if (!work) return PL_E_NOMEM;
  const double shift = 0.7, *re = work + 7 * n * n, *im = re + 2 * n;
  pl_status s = constant_exponents(v, M, K, D, shift, work);
  int two = 2 * v->n, huge = 0;
  double most = s == PL_OK ? fmax(pl_max_abs(two, re), pl_max_abs(two, im)) : 0;
  // an exponent at the shift itself: any other way
  if (s == PL_SINGULAR || most > 1e4) s = PL_UNSOLVED;
  if (s == PL_OK) s = multipliers_create(v->env, two, mu);
  mu->n = 0;
  for (int i = 0; s == PL_OK && i < two; i++) {
    double x = re[i], y = im[i], r2 = x * x + y * y;
    // infinite, or so strongly damped that nothing is left
    int none = r2 <= 1e-24 * most * most;
    double grow = none ? -INFINITY : 2 * PL_PI * (shift + x / r2), angle = none ? 0 : -y / r2;
    huge |= grow > 700;
    mu->re[mu->n] = exp(grow) * cos(2 * PL_PI * angle);
    mu->im[mu->n++] = exp(grow) * sin(2 * PL_PI * angle);
  }
  if (huge) mu->n = 0;
  mu->overflow = huge;
  mu->exact = 1;
  pl_free(v->env, work);
  return s;
}
