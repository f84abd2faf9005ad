// Arnoldi's method by blocks: the largest eigenvalues of an operator.
#include "floquet_impl.h"

#include <string.h>

// Fortran BLAS: everything by address, lengths of strings at the end
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t, size_t);

// No restarts: a basis of this many vectors is small beside the factors of a period.
enum { BASIS_MAX = 160, CHECK_EVERY = 8 };

typedef struct krylov {
  pl_env *env;
  int n, block, cap, size;
  double *V;       // [cap + block][n]
  double *H;       // [cap][cap + block] block Hessenberg, columns first
  double *A, *Y;   // [cap][cap] scratch, eigenvectors of H
  double *C;       // [block][cap + block]
  double *re, *im; // [cap] Ritz values
  double *error;   // [cap] residuals over sizes
  int *order;      // [cap] by falling size
  pl_rng rng;
  int overflow; // a vector grew beyond all numbers
} krylov;

static void krylov_free(krylov *k) {
  void *all[] = {k->V, k->H, k->A, k->Y, k->C, k->re, k->im, k->error, k->order};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(k->env, all[i]);
}

static pl_status krylov_create(pl_env *env, int n, int block, krylov *k) {
  int cap = n < BASIS_MAX ? (n + block - 1) / block * block : BASIS_MAX;
  *k = (krylov){.env = env, .n = n, .block = block, .cap = cap};
  pl_rng_seed(&k->rng, 1);
  size_t c = (size_t)cap, p = (size_t)block;
  k->V = pl_alloc(env, (c + p) * (size_t)n, sizeof(double));
  k->H = pl_alloc(env, c * (c + p), sizeof(double));
  k->A = pl_alloc(env, c * c, sizeof(double));
  k->Y = pl_alloc(env, c * c, sizeof(double));
  k->C = pl_alloc(env, p * (c + p), sizeof(double));
  k->re = pl_alloc(env, c, sizeof(double));
  k->im = pl_alloc(env, c, sizeof(double));
  k->error = pl_alloc(env, c, sizeof(double));
  k->order = pl_alloc(env, c, sizeof(int));
  int ok = k->V && k->H && k->A && k->Y && k->C && k->re && k->im && k->error && k->order;
  return ok ? PL_OK : PL_E_NOMEM;
}

static double *column(const krylov *k, int j) {
  return k->V + (size_t)j * (size_t)k->n;
}

// takes from W[p][n] its parts along the first m vectors, which are added to h[p][cap + block]
static void project(krylov *k, int m, int p, double *W, double *h) {
  const double one = 1, minus = -1, zero = 0;
  int n = k->n, ld = k->cap + k->block;
  dgemm_("T", "N", &m, &p, &n, &one, k->V, &n, W, &n, &zero, k->C, &ld, 1, 1);
  dgemm_("N", "N", &n, &p, &m, &minus, k->V, &n, k->C, &ld, &one, W, &n, 1, 1);
  for (int j = 0; j < p; j++)
    for (int i = 0; i < m; i++) h[j * ld + i] += k->C[j * ld + i];
}

// makes vector j one of length one, orthogonal to those before; its length goes to *size. Nothing
// of it is left: any other takes its place, with length zero.
static void settle(krylov *k, int j, double before, double *h, double *size) {
  double *w = column(k, j), none[2 * BASIS_MAX];
  // twice is orthogonal to rounding
  for (int pass = 0; pass < 2 && j > 0; pass++) project(k, j, 1, w, h);
  *size = pl_norm(k->n, w);
  for (double after = *size; !(after > 1e-14 * before); before = 0) {
    *size = 0;
    for (int i = 0; i < k->n; i++) w[i] = pl_rng_uniform(&k->rng, -1, 1);
    for (int pass = 0; pass < 2 && j > 0; pass++) {
      memset(none, 0, sizeof none);
      project(k, j, 1, w, none);
    }
    after = pl_norm(k->n, w);
  }
  double norm = pl_norm(k->n, w);
  for (int i = 0; i < k->n; i++) w[i] /= norm;
}

static void krylov_start(krylov *k, const double *start) {
  double none[2 * BASIS_MAX] = {0}, size;
  for (int j = 0; j < k->block; j++) {
    for (int i = 0; i < k->n; i++)
      column(k, j)[i] = start ? *start++ : pl_rng_uniform(&k->rng, -1, 1);
    settle(k, j, pl_norm(k->n, column(k, j)), none, &size);
  }
}

// one more block of basis vectors; *ended: the space is invariant
static pl_status krylov_grow(krylov *k, floquet_apply apply, void *ctx, int *ended) {
  int p = k->block, j = k->size, ld = k->cap + p;
  double *w = column(k, j + p), *h = k->H + (size_t)j * (size_t)ld, before[PL_LANES];
  PL_TRY(apply(ctx, column(k, j), w));
  for (int i = 0; i < p; i++) {
    before[i] = pl_norm(k->n, w + (size_t)i * (size_t)k->n);
    k->overflow |= !isfinite(before[i]);
  }
  if (k->overflow) return PL_OK;
  *ended = 1;
  for (int i = 0; i < p && j + i < k->n; i++) {
    double *hi = h + (size_t)i * (size_t)ld;
    // no room for another: all of it lies along those before
    for (int pass = 0; pass < 2 && j + p + i >= k->n; pass++)
      project(k, k->n, 1, column(k, j + p + i), hi);
    if (j + p + i >= k->n) continue;
    settle(k, j + p + i, before[i], hi, &hi[j + p + i]);
    if (hi[j + p + i] > 0) *ended = 0;
  }
  k->size = j + p < k->n ? j + p : k->n;
  return PL_OK;
}

// length of the part of H y below its square part: what the Ritz vector is off by
static double beyond(const krylov *k, const double *y) {
  int m = k->size, p = k->block, ld = k->cap + p;
  double sum = 0;
  for (int i = m; i < m + p; i++) {
    double r = 0;
    for (int j = m - p; j < m; j++) r += k->H[(size_t)j * (size_t)ld + (size_t)i] * y[j];
    sum += r * r;
  }
  return sqrt(sum);
}

// Ritz values, largest first, and how far each is from being an eigenvalue
static pl_status krylov_ritz(krylov *k) {
  int m = k->size, ld = k->cap + k->block;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) k->A[j * m + i] = k->H[(size_t)j * (size_t)ld + (size_t)i];
  PL_TRY(dense_eigen(k->env, m, k->A, k->re, k->im, k->Y));
  for (int j = 0; j < m; j++) {
    // eigenvectors have length one; those of a pair stand as real and imaginary part
    int pair = k->im[j] == 0 ? j : k->im[j] > 0 ? j + 1 : j - 1, first = pair < j ? pair : j;
    double a = beyond(k, k->Y + (size_t)first * (size_t)m);
    double b = pair == j ? 0 : beyond(k, k->Y + (size_t)(first + 1) * (size_t)m);
    double size = hypot(k->re[j], k->im[j]);
    k->error[j] = hypot(a, b) / (size > 0 ? size : 1);
    // insertion keeps pairs together: equal sizes stay in order
    int at = j;
    for (; at > 0; at--) {
      int o = k->order[at - 1];
      if (hypot(k->re[o], k->im[o]) >= size) break;
      k->order[at] = o;
    }
    k->order[at] = j;
  }
  return PL_OK;
}

static double krylov_size(const krylov *k, int i) {
  return hypot(k->re[k->order[i]], k->im[k->order[i]]);
}

// how many of the largest are good to a tolerance, or to `part` of their distance from the unit
// circle, one after another
static int krylov_good(const krylov *k, double tight, double part) {
  int good = 0;
  for (; good < k->size; good++) {
    double size = krylov_size(k, good), tol = fmax(tight, part * fabs(1 - size));
    // the smallest need no digits of their own
    if (k->error[k->order[good]] * size > tol * fmax(size, 1e-6 * krylov_size(k, 0))) break;
  }
  return good;
}

// enough of them: as many as wanted and all beyond the unit circle, or what follows has all but
// died out after a period
static int krylov_enough(const krylov *k, int good, int want) {
  if (good == 0) return 0;
  double last = krylov_size(k, good - 1);
  return (good >= want && last < 0.9) || good >= 2 * want || last < 1e-3;
}

// the largest is beyond a limit, however little it is known
static int krylov_beyond(const krylov *k, double limit) {
  double error = k->error[k->order[0]];
  return error < 0.1 && krylov_size(k, 0) * (1 - 2 * error) > limit;
}

pl_status arnoldi(pl_env *env, int n, const arnoldi_plan *plan, floquet_apply apply, void *ctx,
                  multipliers *mu) {
  krylov k;
  pl_status s = krylov_create(env, n, plan->block, &k);
  if (s == PL_OK) krylov_start(&k, plan->start);
  int ended = 0, good = 0, enough = 0, beyond = 0, block = plan->block;
  int want = plan->want < n ? plan->want : n;
  while (s == PL_OK && !ended && !enough && !beyond && !k.overflow && k.size + block <= k.cap) {
    s = krylov_grow(&k, apply, ctx, &ended);
    if (s == PL_OK) s = pl_report_progress(env, "stability", fmin(1, (double)good / want), NULL);
    int last = ended || k.size + block > k.cap;
    if (s != PL_OK || k.overflow || (k.size % CHECK_EVERY && !last)) continue;
    s = krylov_ritz(&k);
    if (s == PL_OK) good = krylov_good(&k, 1e-7, plan->part);
    enough = krylov_enough(&k, good, want);
    if (s == PL_OK) beyond = krylov_beyond(&k, plan->most);
  }
  // fewer than wanted: those that are roughly right still tell on which side of the circle they lie
  int list = k.overflow ? 0 : good, exact = (enough || ended) && !beyond;
  if (s == PL_OK && !exact && !k.overflow) list = krylov_good(&k, 1e-3, 0);
  if (s == PL_OK && list == 0 && !k.overflow && !beyond) s = PL_UNSOLVED;
  if (s == PL_OK) s = multipliers_create(env, list, mu);
  for (int i = 0; s == PL_OK && i < list; i++) {
    mu->re[i] = k.re[k.order[i]];
    mu->im[i] = k.im[k.order[i]];
  }
  mu->exact = exact;
  mu->overflow = k.overflow;
  mu->beyond = beyond || (k.overflow && isfinite(plan->most));
  krylov_free(&k);
  return s;
}
