// LU by UMFPACK.
#include "sparse_impl.h"

#if PL_GPL

#include <umfpack.h>

typedef struct lu {
  double control[UMFPACK_CONTROL], report[UMFPACK_INFO];
  SuiteSparse_long *ptr, *row, *order; // pattern in UMFPACK's integers, given order or NULL
  void *symbolic, *numeric;
  double *pivot, *scale, *work;  // [n], [n], [5n]
  SuiteSparse_long *iwork, *col; // [n] each
  double *x;                     // [n] one solution: UMFPACK wants x apart from b
} lu;

static pl_status failed(pl_factor *f, SuiteSparse_long status) {
  if (status == UMFPACK_ERROR_out_of_memory)
    return pl_fail(f->env, PL_E_NOMEM, "out of memory in an LU factorisation of order %d", f->n);
  return pl_fail(f->env, PL_E_INTERNAL, "UMFPACK failed with status %ld", (long)status);
}

static pl_status allocate(pl_factor *f) {
  lu *u = f->state;
  size_t n = (size_t)f->n;
  u->ptr = pl_alloc(f->env, n + 1, sizeof *u->ptr);
  u->row = pl_alloc(f->env, (size_t)f->A.nnz, sizeof *u->row);
  u->pivot = pl_alloc(f->env, n, sizeof *u->pivot);
  u->scale = pl_alloc(f->env, n, sizeof *u->scale);
  u->work = pl_alloc(f->env, 5 * n, sizeof *u->work);
  u->iwork = pl_alloc(f->env, n, sizeof *u->iwork);
  u->col = pl_alloc(f->env, n, sizeof *u->col);
  u->x = pl_alloc(f->env, n, sizeof *u->x);
  if (!u->ptr || !u->row || !u->pivot || !u->scale || !u->work || !u->iwork || !u->col || !u->x)
    return PL_E_NOMEM;
  for (int j = 0; j <= f->n; j++) u->ptr[j] = f->A.ptr[j];
  for (int k = 0; k < f->A.nnz; k++) u->row[k] = f->A.row[k];
  return PL_OK;
}

static pl_status order_groups(pl_factor *f) {
  lu *u = f->state;
  int *order = pl_alloc(f->env, (size_t)f->n, sizeof *order);
  u->order = pl_alloc(f->env, (size_t)f->n, sizeof *u->order);
  pl_status s = order && u->order ? pl_order_blocks(f->env, &f->A, f->block, order) : PL_E_NOMEM;
  for (int k = 0; s == PL_OK && k < f->n; k++) u->order[k] = order[k];
  pl_free(f->env, order);
  return s;
}

// every entry has its mirror image, and the diagonal is stored
static int symmetric_pattern(const pl_csc *A) {
  for (int j = 0; j < A->n; j++) {
    if (pl_csc_find(A, j, j) < 0) return 0;
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++)
      if (pl_csc_find(A, j, A->row[k]) < 0) return 0;
  }
  return 1;
}

static pl_status analyse(pl_factor *f) {
  lu *u = f->state = pl_alloc(f->env, 1, sizeof *u);
  if (!u) return PL_E_NOMEM;
  umfpack_dl_defaults(u->control);
  // refinement costs ten plain solves; callers that need it refine with their own matrix
  u->control[UMFPACK_IRSTEP] = 0;
  PL_TRY(allocate(f));
  if (symmetric_pattern(&f->A)) {
    // it would not find that out without values
    u->control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC;
    u->control[UMFPACK_ORDERING] = UMFPACK_ORDERING_CHOLMOD;
    if (f->block > 1) PL_TRY(order_groups(f));
  }
  pl_solver_lock();
  SuiteSparse_long rc = u->order ? umfpack_dl_qsymbolic(f->n, f->n, u->ptr, u->row, NULL, u->order,
                                                        &u->symbolic, u->control, u->report)
                                 : umfpack_dl_symbolic(f->n, f->n, u->ptr, u->row, NULL,
                                                       &u->symbolic, u->control, u->report);
  pl_solver_unlock();
  return rc == UMFPACK_OK ? PL_OK : failed(f, rc);
}

static void release(pl_factor *f) {
  lu *u = f->state;
  if (!u) return;
  if (u->numeric) umfpack_dl_free_numeric(&u->numeric);
  if (u->symbolic) umfpack_dl_free_symbolic(&u->symbolic);
  pl_free(f->env, u->ptr);
  pl_free(f->env, u->row);
  pl_free(f->env, u->order);
  pl_free(f->env, u->pivot);
  pl_free(f->env, u->scale);
  pl_free(f->env, u->work);
  pl_free(f->env, u->iwork);
  pl_free(f->env, u->col);
  pl_free(f->env, u->x);
  pl_free(f->env, u);
}

// smallest pivot over the largest entry of its column in the row-scaled matrix
static pl_status smallest_ratio(pl_factor *f, double *least) {
  lu *u = f->state;
  SuiteSparse_long recip;
  SuiteSparse_long rc = umfpack_dl_get_numeric(NULL, NULL, NULL, NULL, NULL, NULL, NULL, u->col,
                                               u->pivot, &recip, u->scale, u->numeric);
  if (rc != UMFPACK_OK) return failed(f, rc);
  *least = INFINITY;
  for (int k = 0; k < f->n; k++) {
    double most = 0;
    for (SuiteSparse_long p = u->ptr[u->col[k]]; p < u->ptr[u->col[k] + 1]; p++) {
      double s = u->scale[u->row[p]], v = fabs(f->A.val[p]);
      most = fmax(most, recip ? v * s : v / s);
    }
    *least = fmin(*least, most > 0 ? fabs(u->pivot[k]) / most : 0);
  }
  return PL_OK;
}

static pl_status numeric(pl_factor *f) {
  lu *u = f->state;
  if (u->numeric) umfpack_dl_free_numeric(&u->numeric);
  SuiteSparse_long rc =
      umfpack_dl_numeric(u->ptr, u->row, f->A.val, u->symbolic, &u->numeric, u->control, u->report);
  if (rc == UMFPACK_WARNING_singular_matrix) return PL_SINGULAR;
  if (rc != UMFPACK_OK) return failed(f, rc);
  f->info.flops = u->report[UMFPACK_FLOPS];
  f->info.nnz = u->report[UMFPACK_LNZ] + u->report[UMFPACK_UNZ] - f->n;
  return smallest_ratio(f, &f->info.rcond);
}

static pl_status solve(pl_factor *f, int transposed, int nrhs, const double *b, double *x) {
  lu *u = f->state;
  for (int k = 0; k < nrhs; k++) {
    size_t at = (size_t)k * (size_t)f->n;
    SuiteSparse_long rc =
        umfpack_dl_wsolve(transposed ? UMFPACK_At : UMFPACK_A, u->ptr, u->row, f->A.val, u->x,
                          b + at, u->numeric, u->control, u->report, u->iwork, u->work);
    if (rc == UMFPACK_WARNING_singular_matrix) return PL_SINGULAR;
    if (rc != UMFPACK_OK) return failed(f, rc);
    for (int i = 0; i < f->n; i++) x[at + (size_t)i] = u->x[i];
  }
  return PL_OK;
}

const pl_backend pl_backend_umfpack = {
    .name = "umfpack",
    .analyse = analyse,
    .free = release,
    .numeric = numeric,
    .solve = solve,
};

#endif
