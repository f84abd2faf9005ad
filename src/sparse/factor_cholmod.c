// Cholesky by CHOLMOD of matrices with little fill, where columns one by one are faster.
#include "sparse_impl.h"

#if PL_GPL

#include <cholmod.h>
#include <string.h>

typedef struct chol {
  cholmod_common common;
  int started;
  SuiteSparse_long *ptr, *row; // the pattern in CHOLMOD's integers
  cholmod_sparse A;            // points into those and into the values of the factor
  cholmod_factor *L;
  cholmod_dense *X, *Y, *E; // solution and work space, kept between solves
} chol;

static pl_status failed(pl_factor *f) {
  chol *c = f->state;
  if (c->common.status == CHOLMOD_OUT_OF_MEMORY)
    return pl_fail(f->env, PL_E_NOMEM, "out of memory in a Cholesky factorisation of order %d",
                   f->n);
  if (c->common.status == CHOLMOD_TOO_LARGE)
    return pl_fail(f->env, PL_E_NOMEM, "a Cholesky factor of order %d is too large", f->n);
  return pl_fail(f->env, PL_E_INTERNAL, "CHOLMOD failed with status %d", c->common.status);
}

static cholmod_sparse lower_pattern(const pl_csc *A, SuiteSparse_long *ptr, SuiteSparse_long *row) {
  for (int j = 0; j <= A->n; j++) ptr[j] = A->ptr[j];
  for (int k = 0; k < A->nnz; k++) row[k] = A->row[k];
  return (cholmod_sparse){.nrow = (size_t)A->n,
                          .ncol = (size_t)A->n,
                          .nzmax = (size_t)A->nnz,
                          .p = ptr,
                          .i = row,
                          .stype = -1,
                          .itype = CHOLMOD_LONG,
                          .xtype = CHOLMOD_PATTERN,
                          .dtype = CHOLMOD_DOUBLE,
                          .sorted = 1,
                          .packed = 1};
}

static pl_status analyse(pl_factor *f) {
  chol *c = f->state = pl_alloc(f->env, 1, sizeof *c);
  if (!c) return PL_E_NOMEM;
  cholmod_l_start(&c->common);
  c->started = 1;
  c->common.print = 0;
  c->common.try_catch = 1; // no messages
  c->common.quick_return_if_not_posdef = 1;
  c->common.final_asis = 0; // L L' in either form, so that a negative pivot ends it
  c->common.final_ll = 1;
  c->ptr = pl_alloc(f->env, (size_t)f->n + 1, sizeof *c->ptr);
  c->row = pl_alloc(f->env, (size_t)f->A.nnz, sizeof *c->row);
  if (!c->ptr || !c->row) return PL_E_NOMEM;
  c->A = lower_pattern(&f->A, c->ptr, c->row);
  pl_solver_lock();
  c->L = cholmod_l_analyze(&c->A, &c->common);
  pl_solver_unlock();
  f->info.flops = c->common.fl;
  f->info.nnz = c->common.lnz;
  return c->L ? PL_OK : failed(f);
}

static void release(pl_factor *f) {
  chol *c = f->state;
  if (!c) return;
  if (c->started) {
    cholmod_l_free_factor(&c->L, &c->common);
    cholmod_l_free_dense(&c->X, &c->common);
    cholmod_l_free_dense(&c->Y, &c->common);
    cholmod_l_free_dense(&c->E, &c->common);
    cholmod_l_finish(&c->common);
  }
  pl_free(f->env, c->ptr);
  pl_free(f->env, c->row);
  pl_free(f->env, c);
}

// pivot k over the diagonal entry it came from: the part that elimination left of it
static double pivot_ratio(const pl_factor *f, SuiteSparse_long k, double entry) {
  const cholmod_factor *L = ((const chol *)f->state)->L;
  SuiteSparse_long i = ((const SuiteSparse_long *)L->Perm)[k];
  int at = f->A.ptr[i];
  double pivot = L->is_ll ? entry * entry : entry;
  if (at == f->A.ptr[i + 1] || f->A.row[at] != i || !(f->A.val[at] > 0)) return 0;
  return pivot / f->A.val[at];
}

static double smallest_ratio(const pl_factor *f) {
  const cholmod_factor *L = ((const chol *)f->state)->L;
  const double *x = L->x;
  double least = INFINITY;
  if (!L->is_super) {
    const SuiteSparse_long *p = L->p;
    for (SuiteSparse_long k = 0; k < (SuiteSparse_long)L->n; k++)
      least = fmin(least, pivot_ratio(f, k, x[p[k]]));
    return least;
  }
  // a supernode is a dense block of columns, its diagonal at the top
  const SuiteSparse_long *super = L->super, *pi = L->pi, *px = L->px;
  for (size_t s = 0; s < L->nsuper; s++) {
    SuiteSparse_long nrow = pi[s + 1] - pi[s];
    for (SuiteSparse_long k = super[s]; k < super[s + 1]; k++)
      least = fmin(least, pivot_ratio(f, k, x[px[s] + (k - super[s]) * (nrow + 1)]));
  }
  return least;
}

static pl_status numeric(pl_factor *f) {
  chol *c = f->state;
  c->A.xtype = CHOLMOD_REAL;
  c->A.x = f->A.val;
  int ok = cholmod_l_factorize(&c->A, c->L, &c->common);
  if (c->common.status == CHOLMOD_NOT_POSDEF || (ok && c->L->minor < c->L->n)) return PL_SINGULAR;
  if (!ok || c->common.status < CHOLMOD_OK) return failed(f);
  f->info.rcond = smallest_ratio(f);
  return PL_OK;
}

static pl_status solve(pl_factor *f, int transposed, int nrhs, const double *b, double *x) {
  (void)transposed;
  chol *c = f->state;
  size_t n = (size_t)f->n, count = n * (size_t)nrhs;
  cholmod_dense B = {.nrow = n,
                     .ncol = (size_t)nrhs,
                     .nzmax = count,
                     .d = n,
                     .x = (void *)(uintptr_t)b, // only read
                     .xtype = CHOLMOD_REAL,
                     .dtype = CHOLMOD_DOUBLE};
  if (!cholmod_l_solve2(CHOLMOD_A, c->L, &B, NULL, &c->X, NULL, &c->Y, &c->E, &c->common))
    return failed(f);
  memcpy(x, c->X->x, count * sizeof *x);
  return PL_OK;
}

const pl_backend pl_backend_cholmod = {
    .name = "cholmod",
    .analyse = analyse,
    .free = release,
    .numeric = numeric,
    .solve = solve,
};

#endif
