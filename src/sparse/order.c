#include "sparse_impl.h"

#include <amd.h>
#include <metis.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

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

// a number for each row of the others, so that sums of them tell columns apart
static uint64_t mark_row(int i) {
  uint64_t x = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// the first entry of column j that is not above the diagonal
static int lower_start(const pl_csc *A, int j) {
  int k = A->ptr[j];
  while (k < A->ptr[j + 1] && A->row[k] < j) k++;
  return k;
}

// owner[j]: the group of unknown j; sum[n]: of the marks of all rows of each column. Returns the
// number of groups.
static int find_groups(const pl_csc *A, uint64_t *sum, int *owner, int *size) {
  int n = 0;
  for (int j = 0; j < A->n; j++)
    for (int k = lower_start(A, j); k < A->ptr[j + 1]; k++) {
      int i = A->row[k];
      sum[j] += mark_row(i);
      if (i != j) sum[i] += mark_row(j);
    }
  for (int j = 0; j < A->n; j++) {
    // of equal columns the lower part of the second is that of the first without its diagonal
    int equal = j > 0 && sum[j] == sum[j - 1];
    if (equal) {
      int first = lower_start(A, j - 1) + 1, len = A->ptr[j] - first, second = lower_start(A, j);
      equal = len == A->ptr[j + 1] - second &&
              memcmp(A->row + first, A->row + second, (size_t)len * sizeof *A->row) == 0;
    }
    if (!equal) size[n++] = 0;
    size[n - 1]++;
    owner[j] = n - 1;
  }
  return n;
}

// the lower part of the pattern of groups: entries between their first unknowns tell it all
static pl_status join_groups(pl_env *env, const pl_csc *A, int n, const int *owner, pl_csc *out) {
  int nnz = 0;
  for (int pass = 0; pass < 2; pass++) {
    if (pass) PL_TRY(pl_csc_alloc(env, n, 1, nnz, out));
    nnz = 0;
    for (int j = 0; j < A->n; j++) {
      int g = owner[j];
      if (j > 0 && owner[j - 1] == g) continue;
      for (int k = lower_start(A, j); k < A->ptr[j + 1]; k++) {
        int i = A->row[k];
        if (i > 0 && owner[i - 1] == owner[i]) continue;
        if (pass) out->row[nnz] = owner[i];
        nnz++;
      }
      if (pass) out->ptr[g + 1] = nnz;
    }
  }
  return PL_OK;
}

pl_status pl_group_equal(pl_env *env, const pl_csc *A, int *size, pl_csc *out) {
  pl_csc lower = {0};
  *out = (pl_csc){0};
  uint64_t *sum = pl_alloc(env, (size_t)A->n, sizeof *sum);
  int *owner = pl_alloc(env, (size_t)A->n, sizeof *owner);
  pl_status s = sum && owner ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) s = join_groups(env, A, find_groups(A, sum, owner, size), owner, &lower);
  if (s == PL_OK) s = pl_csc_expand(env, &lower, out, NULL);
  pl_csc_free(env, &lower);
  pl_free(env, owner);
  pl_free(env, sum);
  return s;
}

// ---- what an order costs ------------------------------------------------------------------------

// of a Cholesky factorisation
typedef struct effort {
  double flops, nnz;
} effort;

// [n] each: where groups come in the elimination, its tree, scratch
typedef struct elimination {
  int *place, *parent, *mark, *next, *list;
} elimination;

// the parent of a column is the first row below its diagonal (Liu)
static void find_parents(const pl_csc *G, const int *order, const elimination *t) {
  int *ancestor = t->mark;
  for (int k = 0; k < G->n; k++) t->place[order[k]] = k;
  for (int k = 0; k < G->n; k++) {
    t->parent[k] = ancestor[k] = -1;
    for (int e = G->ptr[order[k]]; e < G->ptr[order[k] + 1]; e++)
      for (int i = t->place[G->row[e]], up; i >= 0 && i < k; i = up) {
        up = ancestor[i];
        ancestor[i] = k;
        if (up < 0) t->parent[i] = k;
      }
  }
}

// entries of all columns: row k has those on the ways up the tree from its entries to k
static effort count_entries(const pl_csc *G, const int *order, const elimination *t) {
  effort all = {0};
  int *count = t->next;
  for (int k = 0; k < G->n; k++) {
    t->mark[k] = k;
    count[k] = 1;
    for (int e = G->ptr[order[k]]; e < G->ptr[order[k] + 1]; e++)
      for (int i = t->place[G->row[e]]; i < k && t->mark[i] != k; i = t->parent[i]) {
        count[i]++;
        t->mark[i] = k;
      }
  }
  for (int k = 0; k < G->n; k++) {
    all.nnz += count[k];
    all.flops += (double)count[k] * count[k];
  }
  return all;
}

// the same tree with the columns below each one next to it
static void sort_tree(int n, int *order, const elimination *t) {
  int *child = t->mark, *stack = t->place, at = 0;
  memcpy(t->list, order, (size_t)n * sizeof *order);
  for (int k = 0; k < n; k++) child[k] = -1;
  for (int k = n - 1; k >= 0; k--) {
    if (t->parent[k] < 0) continue;
    t->next[k] = child[t->parent[k]];
    child[t->parent[k]] = k;
  }
  for (int root = 0; root < n; root++) {
    if (t->parent[root] >= 0) continue;
    int depth = 0;
    stack[depth++] = root;
    while (depth > 0) {
      int k = stack[depth - 1], down = child[k];
      if (down < 0) {
        order[at++] = t->list[k];
        depth--;
      } else {
        child[k] = t->next[down];
        stack[depth++] = down;
      }
    }
  }
}

static pl_status judge_order(pl_env *env, const pl_csc *G, int *order, effort *cost) {
  size_t n = (size_t)G->n;
  int *store = pl_alloc(env, 5 * n, sizeof *store);
  if (!store) return PL_E_NOMEM;
  elimination t = {store, store + n, store + 2 * n, store + 3 * n, store + 4 * n};
  find_parents(G, order, &t);
  *cost = count_entries(G, order, &t);
  sort_tree(G->n, order, &t);
  pl_free(env, store);
  return PL_OK;
}

// ---- orders -------------------------------------------------------------------------------------

enum { AMD = 1, METIS = 2 };

static pl_status order_amd(pl_env *env, const pl_csc *G, int *order) {
  pl_solver_lock();
  int s = amd_order(G->n, G->ptr, G->row, order, NULL, NULL);
  pl_solver_unlock();
  if (s == AMD_OUT_OF_MEMORY) return pl_fail(env, PL_E_NOMEM, "out of memory while ordering");
  return s >= AMD_OK ? PL_OK : pl_fail(env, PL_E_INTERNAL, "AMD failed with status %d", s);
}

// METIS takes SIGTERM for a failure of its own while it works, and leaves handlers that hold once:
// the signal waits, and the handlers become what they were
static int dissect(int n, int *ptr, int *row, int *order, int *place) {
  sigset_t wait, before;
  struct sigaction term, abort;
  sigemptyset(&wait);
  sigaddset(&wait, SIGTERM);
  pl_solver_lock();
  pthread_sigmask(SIG_BLOCK, &wait, &before);
  sigaction(SIGTERM, NULL, &term);
  sigaction(SIGABRT, NULL, &abort);
  int status = METIS_NodeND(&n, ptr, row, NULL, NULL, order, place);
  sigaction(SIGTERM, &term, NULL);
  sigaction(SIGABRT, &abort, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pl_solver_unlock();
  return status;
}

// METIS wants neighbours alone, and some of them
static pl_status order_metis(pl_env *env, const pl_csc *G, int *order) {
  int n = G->n, nnz = 0;
  int *ptr = pl_alloc(env, (size_t)n + 1, sizeof *ptr);
  int *row = pl_alloc(env, (size_t)G->nnz, sizeof *row);
  int *place = pl_alloc(env, (size_t)n, sizeof *place);
  pl_status s = ptr && row && place ? PL_OK : PL_E_NOMEM;
  for (int j = 0; s == PL_OK && j < n; j++) {
    for (int e = G->ptr[j]; e < G->ptr[j + 1]; e++)
      if (G->row[e] != j) row[nnz++] = G->row[e];
    ptr[j + 1] = nnz;
    order[j] = j;
  }
  if (s == PL_OK && nnz > 0) {
    int status = dissect(n, ptr, row, order, place);
    if (status == METIS_ERROR_MEMORY)
      s = pl_fail(env, PL_E_NOMEM, "out of memory while ordering");
    else if (status != METIS_OK)
      s = pl_fail(env, PL_E_INTERNAL, "METIS failed with status %d", status);
  }
  pl_free(env, ptr);
  pl_free(env, row);
  pl_free(env, place);
  return s;
}

// orders of large patterns take a second each
static pl_status may_go_on(pl_env *env, const pl_csc *G) {
  return G->nnz > 100000 ? pl_report_progress(env, NULL, -1, NULL) : PL_OK;
}

// The better one of some methods, out of AMD + METIS. Returns that method in *best.
static pl_status order_groups(pl_env *env, const pl_csc *G, int methods, int *order, effort *cost,
                              int *best) {
  if (methods != AMD + METIS) {
    *best = methods;
    PL_TRY(methods == AMD ? order_amd(env, G, order) : order_metis(env, G, order));
    return judge_order(env, G, order, cost);
  }
  effort other = {0};
  int *trial = pl_alloc(env, (size_t)G->n, sizeof *trial);
  pl_status s = trial ? order_groups(env, G, AMD, order, cost, best) : PL_E_NOMEM;
  if (s == PL_OK) s = may_go_on(env, G);
  if (s == PL_OK) s = order_metis(env, G, trial);
  if (s == PL_OK) s = judge_order(env, G, trial, &other);
  if (s == PL_OK && other.flops < cost->flops) {
    memcpy(order, trial, (size_t)G->n * sizeof *order);
    *cost = other;
    *best = METIS;
  }
  pl_free(env, trial);
  return s;
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
    s = may_go_on(env, G);
    if (s == PL_OK) s = order_groups(env, &B, method, trial, &cost, &method);
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

// both triangles of A + A'
static pl_status make_symmetric(pl_env *env, const pl_csc *A, pl_csc *out) {
  *out = (pl_csc){0};
  if (A->sym) return pl_csc_expand(env, A, out, NULL);
  pl_csc lower = {0};
  int *col = pl_alloc(env, (size_t)A->nnz, sizeof *col);
  if (!col) return PL_E_NOMEM;
  for (int j = 0; j < A->n; j++)
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) col[k] = j;
  pl_status s = pl_csc_from_triplets(env, A->n, 1, A->nnz, A->row, col, A->val, &lower);
  if (s == PL_OK) s = pl_csc_expand(env, &lower, out, NULL);
  pl_csc_free(env, &lower);
  pl_free(env, col);
  return s;
}

pl_status pl_order_blocks(pl_env *env, const pl_csc *A, int block, int *order) {
  pl_csc groups, full = {0};
  PL_TRY(pl_compress_blocks(env, A, block, &groups));
  int *group_order = pl_alloc(env, (size_t)groups.n, sizeof *group_order);
  pl_status s = group_order ? make_symmetric(env, &groups, &full) : PL_E_NOMEM;
  if (s == PL_OK) s = pl_order_often(env, &full, 1, group_order);
  for (int k = 0; s == PL_OK && k < A->n; k++)
    order[k] = group_order[k / block] * block + k % block;
  pl_free(env, group_order);
  pl_csc_free(env, &groups);
  pl_csc_free(env, &full);
  return s;
}
