#include "sparse_impl.h"

#include <string.h>

// ---- stencils ---------------------------------------------------------------------------------

// which stencils hold an unknown: entries of dof[] sorted by unknown, and the stencil of each entry
typedef struct incidence {
  int n, sym, nstencil;
  const int *ptr, *dof;
  int *owner;        // [entries] stencil
  int *first, *list; // [n+1], [entries]
  int *mark;         // [n]
  size_t *offset;    // [nstencil] first slot
  size_t nslot;
} incidence;

static void incidence_free(pl_env *env, incidence *in) {
  pl_free(env, in->owner);
  pl_free(env, in->first);
  pl_free(env, in->list);
  pl_free(env, in->mark);
  pl_free(env, in->offset);
}

// range of the unknowns, and none twice in one stencil: its packed entries could not be added once
static pl_status check_stencils(pl_env *env, incidence *in) {
  if (in->nstencil > 0 && in->ptr[0] != 0)
    return pl_fail(env, PL_E_ARG, "the first stencil must start at 0, got %d", in->ptr[0]);
  for (int i = 0; i < in->n; i++) in->mark[i] = -1;
  for (int k = 0; k < in->nstencil; k++) {
    if (in->ptr[k + 1] < in->ptr[k])
      return pl_fail(env, PL_E_ARG, "stencil %d has a negative size", k);
    for (int e = in->ptr[k]; e < in->ptr[k + 1]; e++) {
      int i = in->dof[e];
      if (i < -1 || i >= in->n)
        return pl_fail(env, PL_E_ARG, "stencil %d: unknown %d is outside 0..%d", k, i, in->n - 1);
      if (i < 0) continue;
      if (in->mark[i] == k)
        return pl_fail(env, PL_E_ARG, "stencil %d holds the unknown %d twice: merge them", k, i);
      in->mark[i] = k;
    }
  }
  return PL_OK;
}

static pl_status incidence_build(pl_env *env, incidence *in) {
  int total = in->nstencil ? in->ptr[in->nstencil] : 0;
  in->mark = pl_alloc(env, (size_t)in->n, sizeof *in->mark);
  in->first = pl_alloc(env, (size_t)in->n + 2, sizeof *in->first);
  in->offset = pl_alloc(env, (size_t)in->nstencil, sizeof *in->offset);
  if (!in->mark || !in->first || !in->offset) return PL_E_NOMEM;
  PL_TRY(check_stencils(env, in));
  in->owner = pl_alloc(env, (size_t)total, sizeof *in->owner);
  in->list = pl_alloc(env, (size_t)total, sizeof *in->list);
  if (!in->owner || !in->list) return PL_E_NOMEM;

  // counting sort of the entries by unknown: first[i+1] runs while filling and ends as the start
  for (int k = 0; k < in->nstencil; k++) {
    size_t m = (size_t)(in->ptr[k + 1] - in->ptr[k]);
    in->offset[k] = in->nslot;
    in->nslot += in->sym ? m * (m + 1) / 2 : m * m;
    for (int e = in->ptr[k]; e < in->ptr[k + 1]; e++) {
      in->owner[e] = k;
      if (in->dof[e] >= 0) in->first[in->dof[e] + 2]++;
    }
  }
  for (int i = 0; i < in->n; i++) in->first[i + 2] += in->first[i + 1];
  for (int e = 0; e < total; e++)
    if (in->dof[e] >= 0) in->list[in->first[in->dof[e] + 1]++] = e;
  return PL_OK;
}

// every i that shares a stencil with j (i <= j only for sym), each once, j among them;
// count[i] grows by one, and row, where given, receives j at that place
static void list_neighbours(incidence *in, int j, int *count, int *row) {
  in->mark[j] = j;
  if (row) row[count[j]] = j;
  count[j]++;
  for (int l = in->first[j]; l < in->first[j + 1]; l++) {
    int k = in->owner[in->list[l]];
    for (int e = in->ptr[k]; e < in->ptr[k + 1]; e++) {
      int i = in->dof[e];
      if (i < 0 || (in->sym && i > j) || in->mark[i] == j) continue;
      in->mark[i] = j;
      if (row) row[count[i]] = j;
      count[i]++;
    }
  }
}

// the pattern is symmetric, so j may be written into column i; j ascends, and so do the rows
static pl_status build_columns(pl_env *env, incidence *in, pl_csc *out) {
  int n = in->n;
  int *count = pl_alloc(env, (size_t)n, sizeof *count);
  if (!count) return PL_E_NOMEM;
  for (int i = 0; i < n; i++) in->mark[i] = -1;
  for (int j = 0; j < n; j++) list_neighbours(in, j, count, NULL);
  long long nnz = 0;
  for (int i = 0; i < n; i++) nnz += count[i];
  pl_status s = nnz < INT_MAX
                    ? pl_csc_alloc(env, n, in->sym, (int)nnz, out)
                    : pl_fail(env, PL_E_NOMEM, "a matrix of %lld entries is too large", nnz);
  if (s == PL_OK) {
    for (int i = 0; i < n; i++) out->ptr[i + 1] = out->ptr[i] + count[i];
    memcpy(count, out->ptr, (size_t)n * sizeof *count);
    for (int i = 0; i < n; i++) in->mark[i] = -1;
    for (int j = 0; j < n; j++) list_neighbours(in, j, count, out->row);
  }
  pl_free(env, count);
  return s;
}

// column by column: mark where each row of it stands, then serve all stencil entries in it
static void fill_slots(incidence *in, const pl_csc *A, int *slot) {
  for (size_t s = 0; s < in->nslot; s++) slot[s] = A->nnz;
  for (int j = 0; j < in->n; j++) {
    for (int p = A->ptr[j]; p < A->ptr[j + 1]; p++) in->mark[A->row[p]] = p;
    for (int l = in->first[j]; l < in->first[j + 1]; l++) {
      int k = in->owner[in->list[l]], start = in->ptr[k], m = in->ptr[k + 1] - start;
      int b = in->list[l] - start;
      int *at = slot + in->offset[k];
      for (int a = 0; a < m; a++) {
        int i = in->dof[start + a];
        if (i < 0 || (in->sym && i < j)) continue;
        size_t hi = (size_t)(a > b ? a : b), lo = (size_t)(a > b ? b : a);
        at[in->sym ? hi * (hi + 1) / 2 + lo : (size_t)a * (size_t)m + (size_t)b] = in->mark[i];
      }
    }
  }
}

pl_status pl_csc_from_stencils(pl_env *env, int n, int sym, int nstencil, const int *ptr,
                               const int *dof, pl_csc *out, int **slot) {
  *out = (pl_csc){0};
  *slot = NULL;
  if (n < 0 || n == INT_MAX || nstencil < 0)
    return pl_fail(env, PL_E_ARG, "a pattern needs n >= 0 and nstencil >= 0, got %d and %d", n,
                   nstencil);
  incidence in = {.n = n, .sym = sym != 0, .nstencil = nstencil, .ptr = ptr, .dof = dof};
  pl_status s = incidence_build(env, &in);
  if (s == PL_OK) s = build_columns(env, &in, out);
  if (s == PL_OK) {
    *slot = pl_realloc(env, NULL, in.nslot, sizeof **slot);
    if (*slot) {
      fill_slots(&in, out, *slot);
    } else {
      pl_csc_free(env, out);
      s = PL_E_NOMEM;
    }
  }
  incidence_free(env, &in);
  return s;
}

// ---- triplets ---------------------------------------------------------------------------------

// stable counting sort of the triplets in order[] by key[]
static void sort_by(int n, int ntrip, const int *key, const int *order, int *start, int *sorted) {
  memset(start, 0, ((size_t)n + 1) * sizeof *start);
  for (int k = 0; k < ntrip; k++) start[key[k] + 1]++;
  for (int i = 0; i < n; i++) start[i + 1] += start[i];
  for (int k = 0; k < ntrip; k++) {
    int t = order ? order[k] : k;
    sorted[start[key[t]]++] = t;
  }
}

// row and col hold the place of each triplet; order sorts them by column, then row, then input
static pl_status sum_sorted(pl_env *env, int n, int sym, int ntrip, const int *order,
                            const int *row, const int *col, const double *val, pl_csc *out) {
  int nnz = 0;
  for (int k = 0; k < ntrip; k++) {
    int t = order[k], u = k ? order[k - 1] : 0;
    nnz += k == 0 || row[t] != row[u] || col[t] != col[u];
  }
  PL_TRY(pl_csc_alloc(env, n, sym, nnz, out));
  int p = -1;
  for (int k = 0; k < ntrip; k++) {
    int t = order[k], u = k ? order[k - 1] : 0;
    if (k == 0 || row[t] != row[u] || col[t] != col[u]) {
      out->row[++p] = row[t];
      out->ptr[col[t] + 1]++;
    }
    out->val[p] += val[t];
  }
  for (int j = 0; j < n; j++) out->ptr[j + 1] += out->ptr[j];
  return PL_OK;
}

pl_status pl_csc_from_triplets(pl_env *env, int n, int sym, int ntrip, const int *row,
                               const int *col, const double *val, pl_csc *out) {
  *out = (pl_csc){0};
  if (n < 0 || n == INT_MAX || ntrip < 0 || ntrip == INT_MAX)
    return pl_fail(env, PL_E_ARG, "a matrix needs n >= 0 and ntrip >= 0, got %d and %d", n, ntrip);
  for (int k = 0; k < ntrip; k++)
    if (row[k] < 0 || row[k] >= n || col[k] < 0 || col[k] >= n)
      return pl_fail(env, PL_E_ARG, "entry %d: (%d, %d) is outside 0..%d", k, row[k], col[k],
                     n - 1);
  size_t count = (size_t)ntrip;
  int *work = pl_realloc(env, NULL, 4 * count + (size_t)n + 1, sizeof *work);
  if (!work) return PL_E_NOMEM;
  int *i = work, *j = i + count, *by_row = j + count, *order = by_row + count;
  int *start = order + count;
  for (int k = 0; k < ntrip; k++) {
    int mirror = sym && row[k] < col[k];
    i[k] = mirror ? col[k] : row[k];
    j[k] = mirror ? row[k] : col[k];
  }
  sort_by(n, ntrip, i, NULL, start, by_row);
  sort_by(n, ntrip, j, by_row, start, order);
  pl_status s = sum_sorted(env, n, sym != 0, ntrip, order, i, j, val, out);
  pl_free(env, work);
  return s;
}
