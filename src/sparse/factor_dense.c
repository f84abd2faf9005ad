#include "sparse_impl.h"
#include "lapack.h"

#include <string.h>

// LAPACK on the equilibrated matrix diag(r) A diag(c); for symmetric kinds r = c.
typedef struct dense {
  double *a;          // [n][n] by columns
  double *r, *c;      // [n]
  double *work;       // [lwork]
  double *most;       // [2n] largest entry of each row and column
  int *pivot, *iwork; // [n] each
  int lwork;
} dense;

static pl_status analyse(pl_factor *f) {
  size_t n = (size_t)f->n;
  dense *d = f->state = pl_alloc(f->env, 1, sizeof *d);
  if (!d) return PL_E_NOMEM;
  d->lwork = 64 * f->n + 1;
  d->a = pl_alloc(f->env, n * n, sizeof *d->a);
  d->r = pl_alloc(f->env, n, sizeof *d->r);
  d->c = pl_alloc(f->env, n, sizeof *d->c);
  d->most = pl_alloc(f->env, 2 * n, sizeof *d->most);
  d->work = pl_alloc(f->env, (size_t)d->lwork, sizeof *d->work);
  d->pivot = pl_alloc(f->env, n, sizeof *d->pivot);
  d->iwork = pl_alloc(f->env, n, sizeof *d->iwork);
  double nf = f->n;
  f->info.nnz = f->kind == PL_LU ? nf * nf : nf * (nf + 1) / 2;
  f->info.flops = nf * nf * nf * (f->kind == PL_LU ? 2.0 / 3 : 1.0 / 3);
  return d->a && d->r && d->c && d->most && d->work && d->pivot && d->iwork ? PL_OK : PL_E_NOMEM;
}

static void release(pl_factor *f) {
  dense *d = f->state;
  if (!d) return;
  pl_free(f->env, d->a);
  pl_free(f->env, d->r);
  pl_free(f->env, d->c);
  pl_free(f->env, d->most);
  pl_free(f->env, d->work);
  pl_free(f->env, d->pivot);
  pl_free(f->env, d->iwork);
  pl_free(f->env, d);
}

// fills a with the scaled matrix and returns its 1-norm
static double fill(const pl_csc *A, dense *d) {
  int n = A->n;
  memset(d->a, 0, (size_t)n * (size_t)n * sizeof *d->a);
  for (int j = 0; j < n; j++)
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
      int i = A->row[k];
      d->a[j * n + i] = A->val[k] * d->r[i] * d->c[j];
      if (A->sym) d->a[i * n + j] = d->a[j * n + i];
    }
  double norm = 0;
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(d->a[j * n + i]);
    if (sum > norm) norm = sum;
  }
  return norm;
}

// signs of the eigenvalues of D (blocks of order 1 and 2); those below tol times the largest are 0
static void count_inertia(pl_factor *f, double tol) {
  dense *d = f->state;
  int n = f->n;
  double most = 0, *lambda = d->most;
  for (int k = 0; k < n; k++) {
    double p = d->a[k * n + k];
    if (d->pivot[k] > 0) {
      lambda[k] = p;
    } else {
      double q = d->a[(k + 1) * n + k + 1], o = d->a[k * n + k + 1];
      double mean = 0.5 * (p + q), radius = hypot(0.5 * (p - q), o);
      lambda[k] = mean - radius;
      lambda[++k] = mean + radius;
    }
  }
  for (int k = 0; k < n; k++) most = fmax(most, fabs(lambda[k]));
  f->info.nzero = f->info.nneg = f->info.npos = 0;
  for (int k = 0; k < n; k++) {
    if (fabs(lambda[k]) <= tol * most)
      f->info.nzero++;
    else if (lambda[k] < 0)
      f->info.nneg++;
    else
      f->info.npos++;
  }
}

static void count_zeros(pl_factor *f) {
  count_inertia(f, PL_NOISE_PIVOT);
}

static pl_status numeric(pl_factor *f) {
  dense *d = f->state;
  int n = f->n, lda = n > 1 ? n : 1, info = 0;
  f->info.rcond = 1;
  if (n == 0) return PL_OK;
  pl_equilibrate(&f->A, d->r, d->c, d->most);
  double norm = fill(&f->A, d), *rcond = &f->info.rcond;
  *rcond = 0;
  if (f->kind == PL_CHOLESKY) {
    dpotrf_("L", &n, d->a, &lda, &info, 1);
    if (info == 0) dpocon_("L", &n, d->a, &lda, &norm, rcond, d->work, d->iwork, &info, 1);
  } else if (f->kind == PL_LDL) {
    dsytrf_("L", &n, d->a, &lda, d->pivot, d->work, &d->lwork, &info, 1);
    count_inertia(f, 0);
    if (info == 0)
      dsycon_("L", &n, d->a, &lda, d->pivot, &norm, rcond, d->work, d->iwork, &info, 1);
  } else {
    dgetrf_(&n, &n, d->a, &lda, d->pivot, &info);
    if (info == 0) dgecon_("1", &n, d->a, &lda, &norm, rcond, d->work, d->iwork, &info, 1);
  }
  if (info < 0) return pl_fail(f->env, PL_E_INTERNAL, "LAPACK refused argument %d", -info);
  return *rcond > PL_SINGULAR_RCOND ? PL_OK : PL_SINGULAR;
}

// A x = b: (R A C) (C^-1 x) = R b; transposed: (C A' R) (R^-1 x) = C b
static pl_status solve(pl_factor *f, int transposed, int nrhs, const double *b, double *x) {
  dense *d = f->state;
  int n = f->n, info = 0;
  const double *before = transposed ? d->c : d->r, *after = transposed ? d->r : d->c;
  for (int k = 0; k < nrhs; k++)
    for (int i = 0; i < n; i++)
      x[(size_t)k * (size_t)n + (size_t)i] = before[i] * b[(size_t)k * (size_t)n + (size_t)i];
  if (f->kind == PL_CHOLESKY)
    dpotrs_("L", &n, &nrhs, d->a, &n, x, &n, &info, 1);
  else if (f->kind == PL_LDL)
    dsytrs_("L", &n, &nrhs, d->a, &n, d->pivot, x, &n, &info, 1);
  else
    dgetrs_(transposed ? "T" : "N", &n, &nrhs, d->a, &n, d->pivot, x, &n, &info, 1);
  for (int k = 0; k < nrhs; k++)
    for (int i = 0; i < n; i++) x[(size_t)k * (size_t)n + (size_t)i] *= after[i];
  if (info != 0) return pl_fail(f->env, PL_E_INTERNAL, "LAPACK refused argument %d", -info);
  return PL_OK;
}

const pl_backend pl_backend_dense = {
    .name = "dense",
    .measures = 1,
    .analyse = analyse,
    .free = release,
    .numeric = numeric,
    .count_zeros = count_zeros,
    .solve = solve,
};
