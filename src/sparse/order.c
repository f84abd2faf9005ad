#include "sparse_impl.h"

#include <amd.h>
#include <pthread.h>

static pthread_mutex_t solver_mutex = PTHREAD_MUTEX_INITIALIZER;

void pl_solver_lock(void) {
  pthread_mutex_lock(&solver_mutex);
}

void pl_solver_unlock(void) {
  pthread_mutex_unlock(&solver_mutex);
}

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

pl_status pl_pattern_compress(pl_env *env, const pl_csc *A, int block, pl_csc *out) {
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

pl_status pl_order_blocks(pl_env *env, const pl_csc *A, int block, int *order) {
  pl_csc groups;
  PL_TRY(pl_pattern_compress(env, A, block, &groups));
  int *group_order = pl_alloc(env, (size_t)groups.n, sizeof *group_order);
  pl_status s = group_order ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) {
    int rc = amd_order(groups.n, groups.ptr, groups.row, group_order, NULL, NULL);
    if (rc == AMD_OUT_OF_MEMORY) s = pl_fail(env, PL_E_NOMEM, "out of memory while ordering");
    if (rc == AMD_INVALID) s = pl_fail(env, PL_E_ARG, "the matrix pattern is not valid");
  }
  for (int k = 0; s == PL_OK && k < A->n; k++)
    order[k] = group_order[k / block] * block + k % block;
  pl_free(env, group_order);
  pl_csc_free(env, &groups);
  return s;
}
