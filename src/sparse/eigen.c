// Lowest pairs of K x = lambda M x: Lanczos on (K - sigma M)^-1 M, whose largest eigenvalues
// theta = 1 / (lambda - sigma) belong to the lowest lambda when sigma is below all of them.
#include "lanczos.h"

#include <stdlib.h>
#include <string.h>

enum { RESTARTS = 200, RESHIFTS = 12, CHECKS = 8 };

typedef struct eigen {
  pl_env *env;
  const pl_csc *K, *M;
  int n, nthread;
  pl_csc A;                   // K - sigma M
  int *at_K, *at_M;           // where the entries of K and M stand in A; NULL: in their order
  pl_factor *cholesky, *ldl;  // made when first needed
  int one_factor;             // ldl does it all: its first use for solves costs no more
  int infinite;               // negative directions of K without mass; 0: A is positive definite
  double sigma, typical, top; // shift; median and largest of K_ii / M_ii
  pl_lanczos *z;
  pl_eigen_info *info;
} eigen;

// ---- the shifted matrix -----------------------------------------------------------------------

// column j of the union of both patterns from `at` on, once A.row is there; returns its end
static int join_column(eigen *e, int j, int at) {
  const pl_csc *K = e->K, *M = e->M;
  int k = K->ptr[j], m = M->ptr[j];
  for (; k < K->ptr[j + 1] || m < M->ptr[j + 1]; at++) {
    int in_K = k < K->ptr[j + 1] && (m == M->ptr[j + 1] || K->row[k] <= M->row[m]);
    int in_M = m < M->ptr[j + 1] && (k == K->ptr[j + 1] || M->row[m] <= K->row[k]);
    if (e->A.row) {
      e->A.row[at] = in_K ? K->row[k] : M->row[m];
      if (in_K) e->at_K[k] = at;
      if (in_M) e->at_M[m] = at;
    }
    k += in_K;
    m += in_M;
  }
  return at;
}

// K and M of a model: nothing is to be joined then, and places need no lists
static int same_patterns(const pl_csc *K, const pl_csc *M) {
  return K->nnz == M->nnz && memcmp(K->ptr, M->ptr, ((size_t)K->n + 1) * sizeof *K->ptr) == 0 &&
         memcmp(K->row, M->row, (size_t)K->nnz * sizeof *K->row) == 0;
}

static pl_status join_patterns(eigen *e) {
  long long nnz = 0;
  if (same_patterns(e->K, e->M)) {
    e->A = *e->K;
    e->A.val = pl_alloc(e->env, (size_t)e->K->nnz, sizeof *e->A.val);
    if (!e->A.val) return PL_E_NOMEM;
    pl_pages_clear(e->z->threads, e->A.val, (size_t)e->K->nnz);
    return PL_OK;
  }
  for (int j = 0; j < e->n; j++) nnz += join_column(e, j, 0);
  if (nnz > INT_MAX - 1)
    return pl_fail(e->env, PL_E_NOMEM, "K and M have too many entries together");
  e->at_K = pl_alloc(e->env, (size_t)e->K->nnz, sizeof *e->at_K);
  e->at_M = pl_alloc(e->env, (size_t)e->M->nnz, sizeof *e->at_M);
  if (!e->at_K || !e->at_M) return PL_E_NOMEM;
  PL_TRY(pl_csc_alloc(e->env, e->n, 1, (int)nnz, &e->A));
  for (int j = 0; j < e->n; j++) e->A.ptr[j + 1] = join_column(e, j, e->A.ptr[j]);
  return PL_OK;
}

enum { SHARE = 1 << 14 }; // entries that one thread takes

typedef struct shift {
  const eigen *e;
  double sigma;
} shift;

static void shift_share(void *ctx, int i, int thread) {
  const shift *a = ctx;
  const eigen *e = a->e;
  (void)thread;
  int first = i * SHARE, end = e->A.nnz - first < SHARE ? e->A.nnz : first + SHARE;
  for (int k = first; k < end; k++) e->A.val[k] = e->K->val[k] - a->sigma * e->M->val[k];
}

// on the pool of what is done between solves, where there is one
static pl_status create_factor(eigen *e, pl_factor_kind kind, pl_factor **f) {
  if (e->z->threads) return pl_factor_create_on(e->env, kind, &e->A, 1, e->z->threads, f);
  return pl_factor_create(e->env, kind, &e->A, 1, e->nthread, f);
}

static pl_status factorise(eigen *e, pl_factor_kind kind, double sigma, pl_factor **f) {
  double *val = e->A.val;
  if (e->at_K) {
    memset(val, 0, (size_t)e->A.nnz * sizeof *val);
    for (int k = 0; k < e->K->nnz; k++) val[e->at_K[k]] += e->K->val[k];
    for (int k = 0; k < e->M->nnz; k++) val[e->at_M[k]] -= sigma * e->M->val[k];
  } else {
    shift a = {e, sigma};
    pl_threads_run(e->z->threads, (e->A.nnz + SHARE - 1) / SHARE, shift_share, &a);
  }
  if (!*f) PL_TRY(create_factor(e, kind, f));
  return pl_factor_numeric(*f, &e->A);
}

// a usable shift is below all eigenvalues; PL_SINGULAR: it is not, or too close to one
static pl_status try_shift(eigen *e, double sigma) {
  int signs = e->infinite || e->one_factor;
  pl_factor **f = signs ? &e->ldl : &e->cholesky;
  PL_TRY(factorise(e, signs ? PL_LDL : PL_CHOLESKY, sigma, f));
  pl_factor_info info = pl_factor_stats(*f);
  if (info.rcond < 1e-13 || info.nneg != e->infinite) return PL_SINGULAR;
  e->sigma = sigma;
  e->z->A = *f;
  return PL_OK;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// sizes of eigenvalues, from the diagonals; returns the number of unknowns with mass
static pl_status measure_spectrum(eigen *e, int *nmass) {
  double *ratio = pl_alloc(e->env, (size_t)e->n, sizeof *ratio);
  if (!ratio) return PL_E_NOMEM;
  *nmass = 0;
  for (int i = 0; i < e->n; i++) {
    int k = pl_csc_find(e->K, i, i), m = pl_csc_find(e->M, i, i);
    double mass = m < 0 ? 0 : e->M->val[m];
    if (mass > 0) ratio[(*nmass)++] = k < 0 ? 0 : fabs(e->K->val[k]) / mass;
  }
  qsort(ratio, (size_t)*nmass, sizeof *ratio, by_size);
  if (*nmass > 0) {
    e->top = ratio[*nmass - 1];
    e->typical = ratio[*nmass / 2];
    if (!(e->typical > 1e-14 * e->top)) e->typical = e->top;
    if (!(e->top > 0)) e->typical = e->top = 1;
  }
  pl_free(e->env, ratio);
  return isfinite(e->top) ? PL_OK : pl_fail(e->env, PL_E_ARG, "K or M is not finite");
}

// Where the fronts of LDL are those of Cholesky, one factor is analysed and stored for both.
static pl_status choose_factor(eigen *e) {
  PL_TRY(create_factor(e, PL_LDL, &e->ldl));
  e->one_factor = strcmp(pl_factor_stats(e->ldl).backend, "tree") == 0;
  return PL_OK;
}

// goes down until nothing lies below; what stays below forever has no mass. The typical ratio is
// that of motions from node to node: the lowest of a mesh with ten and more cells along a side lie
// a thousand times below it.
static pl_status first_shift(eigen *e) {
  double sigma = -1e-4 * e->typical;
  for (; sigma > -1e4 * e->top; sigma *= 8) {
    pl_status s = try_shift(e, sigma);
    if (s != PL_SINGULAR) return s;
  }
  PL_TRY(factorise(e, PL_LDL, sigma, &e->ldl));
  e->infinite = pl_factor_stats(e->ldl).nneg;
  return try_shift(e, sigma);
}

// ---- iteration --------------------------------------------------------------------------------

// pairs that can be had now
static int available(const eigen *e) {
  int n = e->z->done < e->z->want ? e->z->done : e->z->want;
  while (n > 0 && !(e->z->theta[n - 1] > 0)) n--;
  return n;
}

static int converged(const eigen *e) {
  int n = available(e);
  if (e->z->exhausted) return 1;
  if (n < e->z->want) return 0;
  for (int k = 0; k < n; k++)
    if (!(e->z->residual[k] <= 1e-12 * e->z->theta[k])) return 0;
  return 1;
}

// A shift far below the wanted eigenvalues makes them look alike, one too close to the first
// drowns the others: aim for a distance of half their spread. From seven times their spread blocks
// take 110 steps instead of 44, and one more factor of 60,000 unknowns takes as long as 60. Returns
// 1 when the shift was moved.
static pl_status improve_shift(eigen *e, int *displaced) {
  pl_lanczos *z = e->z;
  *displaced = 0;
  int last = z->want < z->done ? z->want : z->done - 1;
  while (last > 0 && !(z->theta[last] > 0)) last--;
  double first = 1 / z->theta[0], spread = 1 / z->theta[last] - first;
  if (!(spread > 0)) return PL_OK;
  double aim;
  if (first > 5 * spread)
    aim = 0.5 * spread;
  else if (first < 1e-9 * spread)
    aim = 1e-8 * spread;
  else
    return PL_OK;

  // Ritz values are too high, so this may pass the first eigenvalue: fall back by and by
  double old = e->sigma, lowest = old + first;
  for (; aim > first || aim < 0.2 * first; aim *= 8) {
    pl_status s = try_shift(e, lowest - aim);
    if (s == PL_OK) {
      *displaced = 1;
      pl_lanczos_reset(z, 4 < z->done ? 4 : z->done);
      return PL_OK;
    }
    if (s != PL_SINGULAR) return s;
    if (aim > first) break;
  }
  return try_shift(e, old);
}

static pl_status iterate(eigen *e) {
  int reshifts = 0;
  for (int k = 0; k < RESTARTS; k++) {
    PL_TRY(pl_lanczos_run(e->z));
    if (converged(e)) return PL_OK;
    if (available(e) == 0) continue;
    int displaced = 0;
    if (reshifts++ < RESHIFTS) PL_TRY(improve_shift(e, &displaced));
    if (displaced) continue;
    int keep = e->z->want + (e->z->done - e->z->want) / 3;
    pl_lanczos_restart(e->z, keep < e->z->done ? keep : e->z->done - 1);
  }
  return PL_UNSOLVED;
}

// ---- results ----------------------------------------------------------------------------------

// |x|' |K| |x|: rounding in x' K x is about eps times this
static double rounding_scale(const pl_csc *K, const double *x) {
  double sum = 0;
  for (int j = 0; j < K->n; j++)
    for (int k = K->ptr[j]; k < K->ptr[j + 1]; k++)
      sum += (K->row[k] == j ? 1 : 2) * fabs(K->val[k] * x[j] * x[K->row[k]]);
  return sum;
}

// the same pair gives lambda from theta and as a Rayleigh quotient: take the one with less rounding
static double best_lambda(const eigen *e, int k, const double *x, double *Kx) {
  double d = 1 / e->z->theta[k], from_theta = e->sigma + d;
  double error_theta = d * d * e->z->theta[0] + fabs(e->sigma);
  if (rounding_scale(e->K, x) > error_theta) return from_theta;
  pl_csc_mul(e->K, 1, x, 0, Kx);
  return pl_dot(e->n, x, Kx);
}

// x <- OP x once more takes out what has no mass and most of the error; then M-orthonormal
static pl_status purify(eigen *e, int count, double *x) {
  pl_lanczos *z = e->z;
  for (int k = 0; k < count; k++) {
    double *xk = x + (size_t)k * (size_t)e->n;
    pl_lanczos_mass(z, xk, z->Mw);
    memcpy(xk, z->Mw, (size_t)e->n * sizeof *xk);
  }
  PL_TRY(pl_factor_solve(z->A, count, x, x));
  for (int k = 0; k < count; k++) {
    double *xk = x + (size_t)k * (size_t)e->n;
    for (int pass = 0; pass < 2; pass++) {
      pl_lanczos_mass(z, xk, z->Mw);
      for (int l = 0; l < k; l++) {
        const double *xl = x + (size_t)l * (size_t)e->n;
        pl_axpy(e->n, -pl_dot(e->n, xl, z->Mw), xl, xk, xk);
      }
    }
    pl_lanczos_mass(z, xk, z->Mw);
    double len = sqrt(pl_dot(e->n, xk, z->Mw));
    if (!(len > 0))
      return pl_fail(e->env, PL_E_ARG, "the mass matrix is not positive semidefinite");
    for (int i = 0; i < e->n; i++) xk[i] /= len;
  }
  return PL_OK;
}

// ascending order; the first of the largest entries of each vector positive
static void sort_and_sign(int n, int count, double *lambda, double *x, double *swap) {
  for (int a = 1; a < count; a++)
    for (int b = a; b > 0 && lambda[b] < lambda[b - 1]; b--) {
      double *hi = x + (size_t)b * (size_t)n, *lo = hi - n, t = lambda[b];
      lambda[b] = lambda[b - 1];
      lambda[b - 1] = t;
      memcpy(swap, hi, (size_t)n * sizeof *x);
      memcpy(hi, lo, (size_t)n * sizeof *x);
      memcpy(lo, swap, (size_t)n * sizeof *x);
    }
  for (int k = 0; k < count; k++) {
    double *xk = x + (size_t)k * (size_t)n, most = pl_max_abs(n, xk);
    int i = 0;
    while (i < n - 1 && fabs(xk[i]) < 0.999 * most) i++; // ties must not hang on rounding
    for (int j = 0; xk[i] < 0 && j < n; j++)
      if (j != i) xk[j] = -xk[j];
    xk[i] = fabs(xk[i]);
  }
}

// |K x - lambda M x| over | |K| |x| | + |lambda| |M x|, or rounding where that is zero; r, Mx: [n]
static double residual_of(const eigen *e, double lambda, const double *x, double *r, double *Mx) {
  pl_csc_mul(e->M, 1, x, 0, Mx);
  memset(r, 0, (size_t)e->n * sizeof *r);
  for (int j = 0; j < e->n; j++)
    for (int k = e->K->ptr[j]; k < e->K->ptr[j + 1]; k++) {
      int i = e->K->row[k];
      r[i] += fabs(e->K->val[k] * x[j]);
      if (i != j) r[j] += fabs(e->K->val[k] * x[i]);
    }
  double size = pl_norm(e->n, r) + (fabs(lambda) + DBL_EPSILON * e->top) * pl_norm(e->n, Mx);
  pl_csc_mul(e->K, 1, x, 0, r);
  pl_axpy(e->n, -lambda, Mx, r, r);
  return size > 0 ? pl_norm(e->n, r) / size : 0;
}

// pairs that are judged at the same time
typedef struct judged {
  const eigen *e;
  double *lambda, *residual; // residual NULL: lambda is wanted
  const double *x;
  double *scratch; // [thread][2n]
} judged;

static void judge_pair(void *ctx, int k, int thread) {
  const judged *a = ctx;
  size_t n = (size_t)a->e->n;
  const double *x = a->x + (size_t)k * n;
  double *r = a->scratch + 2 * n * (size_t)thread;
  if (a->residual)
    a->residual[k] = residual_of(a->e, a->lambda[k], x, r, r + n);
  else
    a->lambda[k] = best_lambda(a->e, k, x, r);
}

static pl_status collect(eigen *e, double *lambda, double *x) {
  int count = available(e);
  pl_threads *threads = e->z->threads;
  judged a = {.e = e, .lambda = lambda, .x = x};
  pl_lanczos_vectors(e->z, count, x);
  PL_TRY(purify(e, count, x));
  a.scratch = pl_alloc(e->env, 2 * (size_t)e->n * (size_t)pl_threads_size(threads), sizeof *x);
  double *residual = pl_alloc(e->env, (size_t)count, sizeof *residual);
  if (a.scratch && residual) {
    pl_threads_run(threads, count, judge_pair, &a);
    sort_and_sign(e->n, count, lambda, x, e->z->w);
    a.residual = residual;
    pl_threads_run(threads, count, judge_pair, &a);
    e->info->nfound = count;
    e->info->residual = pl_max_abs(count, residual);
  }
  int ok = a.scratch && residual;
  pl_free(e->env, a.scratch);
  pl_free(e->env, residual);
  return ok ? PL_OK : PL_E_NOMEM;
}

// ---- nothing missed ---------------------------------------------------------------------------

// Sylvester: K - tau M has as many negative pivots as eigenvalues below tau. tau goes into the
// highest gap between the found ones, so that a cluster cut off at the top does no harm.
static pl_status count_missed(eigen *e, const double *lambda, int *missed) {
  int count = e->info->nfound, below = count - 1;
  double noise = 1e3 * DBL_EPSILON * e->typical;
  *missed = -1;
  if (count == 0) return PL_OK;
  for (; below > 0; below--)
    if (lambda[below] - lambda[below - 1] > noise + 1e-6 * (lambda[below] - e->sigma)) break;
  double tau = below > 0 ? 0.5 * (lambda[below] + lambda[below - 1])
                         : lambda[0] - noise - 1e-3 * (lambda[0] - e->sigma);
  if (tau <= e->sigma) {
    *missed = 0; // the factorisation at sigma has shown it already
    return PL_OK;
  }
  // with LDL in use for solving, take another one, unless its memory is worth more than a second
  // factorisation where pairs are missed
  pl_factor *f = e->infinite && !e->one_factor ? NULL : e->ldl;
  pl_status s = factorise(e, PL_LDL, tau, &f);
  if (s == PL_OK) {
    int extra = pl_factor_stats(f).nneg - e->infinite - below;
    *missed = extra > 0 ? extra : 0;
  }
  if (e->infinite && !e->one_factor)
    pl_factor_free(f);
  else
    e->ldl = f;
  if (s == PL_OK && e->one_factor && *missed > 0) return try_shift(e, e->sigma);
  return s == PL_SINGULAR ? PL_OK : s; // tau on an eigenvalue: unchecked
}

static pl_status solve(eigen *e, double *lambda, double *x) {
  int nmass = 0;
  PL_TRY(measure_spectrum(e, &nmass));
  if (nmass == 0) return PL_OK;
  PL_TRY(join_patterns(e));
  PL_TRY(choose_factor(e));
  PL_TRY(first_shift(e));
  for (int k = 0; k < CHECKS; k++) {
    pl_status s = iterate(e);
    if (s != PL_OK && s != PL_UNSOLVED) return s;
    PL_TRY(collect(e, lambda, x));
    if (s == PL_UNSOLVED) return s;
    if (e->z->exhausted) {
      e->info->nbelow = 0;
      return PL_OK;
    }
    PL_TRY(count_missed(e, lambda, &e->info->nbelow));
    if (e->info->nbelow <= 0) return PL_OK;

    // a direction that the basis does not have: start it from a fresh random vector
    pl_lanczos_restart(e->z, e->z->want);
    PL_TRY(pl_lanczos_add_random(e->z));
  }
  return PL_OK;
}

pl_status pl_eigen_lowest(pl_env *env, const pl_csc *K, const pl_csc *M, int nev, int nthread,
                          double *lambda, double *x, pl_eigen_info *info) {
  *info = (pl_eigen_info){.nbelow = -1};
  if (K->n != M->n || !K->sym || !M->sym)
    return pl_fail(env, PL_E_ARG, "eigenvalues need symmetric K and M of one order, got %d and %d",
                   K->n, M->n);
  if (!pl_all_finite(K->nnz, K->val) || !pl_all_finite(M->nnz, M->val))
    return pl_fail(env, PL_E_ARG, "K or M holds an infinite value or NaN");
  int want = nev < K->n ? nev : K->n;
  if (want <= 0) return PL_OK;
  eigen e = {.env = env, .K = K, .M = M, .n = K->n, .nthread = nthread, .info = info};
  pl_status s = pl_lanczos_create(env, M, want, nthread, &e.z);
  if (s == PL_OK) {
    s = solve(&e, lambda, x);
    info->shift = e.sigma;
    info->iterations = e.z->applied;
  }
  pl_lanczos_free(e.z);
  pl_factor_free(e.cholesky);
  pl_factor_free(e.ldl);
  if (!e.at_K) e.A.ptr = e.A.row = NULL; // they are K's
  pl_csc_free(env, &e.A);
  pl_free(env, e.at_K);
  pl_free(env, e.at_M);
  return s;
}
