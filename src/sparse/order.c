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

pl_status pl_group_equal(pl_env *env, const pl_csc *A, int *size, pl_csc *out) {
  pl_csc F;
  *out = (pl_csc){0};
  PL_TRY(pl_csc_expand(env, A, &F, NULL));
  int *owner = pl_alloc(env, (size_t)A->n, sizeof *owner), n = 0, nnz = 0;
  pl_status s = owner ? PL_OK : PL_E_NOMEM;
  for (int j = 0; s == PL_OK && j < A->n; j++) {
    int len = F.ptr[j + 1] - F.ptr[j], *row = F.row + F.ptr[j];
    int equal = j > 0 && len == F.ptr[j] - F.ptr[j - 1] &&
                memcmp(row, F.row + F.ptr[j - 1], (size_t)len * sizeof *row) == 0;
    if (!equal) size[n++] = 0;
    size[n - 1]++;
    owner[j] = n - 1;
  }
  // one column of a group tells all; its rows ascend, and so do their groups
  for (int pass = 0; s == PL_OK && pass < 2; pass++) {
    if (pass) s = pl_csc_alloc(env, n, 0, nnz, out);
    nnz = 0;
    for (int j = 0, g = 0; s == PL_OK && g < n; j += size[g++]) {
      int last = -1;
      for (int k = F.ptr[j]; k < F.ptr[j + 1]; k++) {
        int i = owner[F.row[k]];
        if (i == last) continue;
        last = i;
        if (pass) out->row[nnz] = i;
        nnz++;
      }
      if (pass) out->ptr[g + 1] = nnz;
    }
  }
  pl_free(env, owner);
  pl_csc_free(env, &F);
  return s;
}

enum { AMD = 1, METIS = 2 };

// of a Cholesky factorisation
typedef struct effort {
  double flops, nnz;
} effort;

// The better one of some methods, out of AMD + METIS. Returns that method in *best.
static pl_status order_groups(pl_env *env, const pl_csc *G, int methods, int *order, effort *cost,
                              int *best) {
  cholmod_common common;
  cholmod_start(&common);
  common.print = 0;
  common.try_catch = 1; // no messages
  common.nmethods = methods == AMD + METIS ? 2 : 1;
  common.method[0].ordering = methods & AMD ? CHOLMOD_AMD : CHOLMOD_METIS;
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
  *cost = (effort){common.fl, common.lnz};
  if (L) {
    memcpy(order, L->Perm, (size_t)G->n * sizeof *order);
    *best = L->ordering == CHOLMOD_METIS ? METIS : AMD;
  }
  cholmod_free_factor(&L, &common);
  cholmod_finish(&common);
  if (status == CHOLMOD_OUT_OF_MEMORY)
    return pl_fail(env, PL_E_NOMEM, "out of memory while ordering");
  return status >= CHOLMOD_OK
             ? PL_OK
             : pl_fail(env, PL_E_INTERNAL, "CHOLMOD failed with status %d", status);
}

// nested dissection takes longer than minimum degree and needs size
static int methods_for(const pl_csc *G) {
  return G->n < 300 ? AMD : AMD + METIS;
}

// B: G with its groups in a random order, B's group k being G's group name[k]
static void shuffle(const pl_csc *G, pl_rng *rng, int *name, int *place, pl_csc *B) {
  for (int k = 0; k < G->n; k++) name[k] = k;
  for (int k = G->n - 1; k > 0; k--) {
    int j = (int)pl_rng_uniform(rng, 0, k + 1), keep = name[k];
    name[k] = name[j];
    name[j] = keep;
  }
  for (int k = 0; k < G->n; k++) place[name[k]] = k;
  for (int k = 0; k < G->n; k++) {
    int at = B->ptr[k];
    for (int e = G->ptr[name[k]]; e < G->ptr[name[k] + 1]; e++) B->row[at++] = place[G->row[e]];
    B->ptr[k + 1] = at;
  }
}

pl_status pl_order_often(pl_env *env, const pl_csc *G, int tries, int *order) {
  effort least, cost;
  int method, n = G->n;
  PL_TRY(order_groups(env, G, methods_for(G), order, &least, &method));
  if (tries <= 1) return PL_OK;
  int *name = pl_alloc(env, (size_t)n, sizeof *name),
      *place = pl_alloc(env, (size_t)n, sizeof(int));
  int *trial = pl_alloc(env, (size_t)n, sizeof *trial);
  pl_csc B = {0};
  pl_status s = name && place && trial ? pl_csc_alloc(env, n, 0, G->nnz, &B) : PL_E_NOMEM;
  pl_rng rng;
  pl_rng_seed(&rng, 1);
  for (int k = 1; s == PL_OK && k < tries; k++) {
    shuffle(G, &rng, name, place, &B);
    s = order_groups(env, &B, method, trial, &cost, &method);
    if (s != PL_OK || !(cost.flops < least.flops)) continue;
    least = cost;
    for (int i = 0; i < n; i++) order[i] = name[trial[i]];
  }
  pl_csc_free(env, &B);
  pl_free(env, name);
  pl_free(env, place);
  pl_free(env, trial);
  return s;
}

pl_status pl_order_cholesky(pl_env *env, const pl_csc *G, double size, int *order, int *light) {
  effort first, second;
  int method;
  PL_TRY(order_groups(env, G, AMD, order, &first, &method));
  *light = first.flops / first.nnz * size < PL_LIGHT;
  if (*light || methods_for(G) == AMD) return PL_OK;
  int *trial = pl_alloc(env, (size_t)G->n, sizeof *trial);
  if (!trial) return PL_E_NOMEM;
  pl_status s = order_groups(env, G, METIS, trial, &second, &method);
  if (s == PL_OK && second.flops < first.flops) memcpy(order, trial, (size_t)G->n * sizeof *order);
  pl_free(env, trial);
  return s;
}

pl_status pl_order_blocks(pl_env *env, const pl_csc *A, int block, int *order) {
  pl_csc groups;
  PL_TRY(pl_compress_blocks(env, A, block, &groups));
  int *group_order = pl_alloc(env, (size_t)groups.n, sizeof *group_order);
  pl_status s = group_order ? pl_order_often(env, &groups, 1, group_order) : PL_E_NOMEM;
  for (int k = 0; s == PL_OK && k < A->n; k++)
    order[k] = group_order[k / block] * block + k % block;
  pl_free(env, group_order);
  pl_csc_free(env, &groups);
  return s;
}

#endif
