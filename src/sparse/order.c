#include "sparse_impl.h"

#include <string.h>
#include <pthread.h>

#if PL_GPL
#include <cholmod.h>
#endif

static pthread_mutex_t solver_mutex = PTHREAD_MUTEX_INITIALIZER;

void pl_solver_lock(void) {
  pthread_mutex_lock(&solver_mutex);
}

void pl_solver_unlock(void) {
  pthread_mutex_unlock(&solver_mutex);
}

#if PL_GPL

// counts (row NULL) or lists the groups met in the columns of group g
static int group_column(const pl_csc *A, int block, int g, int *mark, int *row) {
  int count = 0;
  for (int j = g * block; j < (g + 1) * block; j++)
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
      int i = A->row[k] / block;
      if (mark[i] == g) continue;
      mark[i] = g;
      if (row) row[count] = i;
      count++;
    }
  return count;
}

pl_status pl_compress_blocks(pl_env *env, const pl_csc *A, int block, pl_csc *out) {
  *out = (pl_csc){0};
  int n = A->n / block, nnz = 0;
  int *mark = pl_alloc(env, (size_t)n, sizeof *mark);
  if (!mark) return PL_E_NOMEM;
  for (int i = 0; i < n; i++) mark[i] = -1;
  for (int g = 0; g < n; g++) nnz += group_column(A, block, g, mark, NULL);
  pl_status s = pl_csc_alloc(env, n, A->sym, nnz, out);
  if (s == PL_OK) {
    for (int i = 0; i < n; i++) mark[i] = -1;
    for (int g = 0; g < n; g++)
      out->ptr[g + 1] = out->ptr[g] + group_column(A, block, g, mark, out->row + out->ptr[g]);
  }
  pl_free(env, mark);
  return s;
}

// the better of minimum degree and nested dissection; the second takes longer and needs size
static pl_status order_groups(pl_env *env, const pl_csc *G, int *order) {
  cholmod_common common;
  cholmod_start(&common);
  common.print = 0;
  common.try_catch = 1; // no messages
  common.nmethods = G->n < 300 ? 1 : 2;
  common.method[0].ordering = CHOLMOD_AMD;
  common.method[1].ordering = CHOLMOD_METIS;
  cholmod_sparse A = {.nrow = (size_t)G->n,
                      .ncol = (size_t)G->n,
                      .nzmax = (size_t)G->nnz,
                      .p = G->ptr,
                      .i = G->row,
                      .stype = -1, // the lower triangle speaks for both
                      .itype = CHOLMOD_INT,
                      .xtype = CHOLMOD_PATTERN,
                      .dtype = CHOLMOD_DOUBLE,
                      .packed = 1};
  pl_solver_lock();
  cholmod_factor *L = cholmod_analyze(&A, &common);
  pl_solver_unlock();
  int status = common.status;
  if (L) memcpy(order, L->Perm, (size_t)G->n * sizeof *order);
  cholmod_free_factor(&L, &common);
  cholmod_finish(&common);
  if (status == CHOLMOD_OUT_OF_MEMORY)
    return pl_fail(env, PL_E_NOMEM, "out of memory while ordering");
  return status >= CHOLMOD_OK
             ? PL_OK
             : pl_fail(env, PL_E_INTERNAL, "CHOLMOD failed with status %d", status);
}

pl_status pl_order_blocks(pl_env *env, const pl_csc *A, int block, int *order) {
  pl_csc groups;
  PL_TRY(pl_compress_blocks(env, A, block, &groups));
  int *group_order = pl_alloc(env, (size_t)groups.n, sizeof *group_order);
  pl_status s = group_order ? order_groups(env, &groups, group_order) : PL_E_NOMEM;
  for (int k = 0; s == PL_OK && k < A->n; k++)
    order[k] = group_order[k / block] * block + k % block;
  pl_free(env, group_order);
  pl_csc_free(env, &groups);
  return s;
}

#endif
