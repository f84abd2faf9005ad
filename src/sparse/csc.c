#include "sparse_impl.h"

#include <string.h>

pl_status pl_csc_alloc(pl_env *env, int n, int sym, int nnz, pl_csc *out) {
  *out = (pl_csc){.n = n, .sym = sym, .nnz = nnz};
  out->ptr = pl_alloc(env, (size_t)n + 1, sizeof *out->ptr);
  out->row = pl_alloc(env, (size_t)nnz, sizeof *out->row);
  out->val = pl_alloc(env, (size_t)nnz + 1, sizeof *out->val);
  if (out->ptr && out->row && out->val) return PL_OK;
  pl_csc_free(env, out);
  return PL_E_NOMEM;
}

void pl_csc_free(pl_env *env, pl_csc *A) {
  pl_free(env, A->ptr);
  pl_free(env, A->row);
  pl_free(env, A->val);
  *A = (pl_csc){0};
}

pl_status pl_csc_copy(pl_env *env, const pl_csc *A, pl_csc *out) {
  PL_TRY(pl_csc_alloc(env, A->n, A->sym, A->nnz, out));
  memcpy(out->ptr, A->ptr, ((size_t)A->n + 1) * sizeof *A->ptr);
  memcpy(out->row, A->row, (size_t)A->nnz * sizeof *A->row);
  if (A->val) memcpy(out->val, A->val, (size_t)A->nnz * sizeof *A->val);
  return PL_OK;
}

pl_status pl_csc_full(pl_env *env, int n, pl_csc *out) {
  *out = (pl_csc){0};
  if ((double)n * n >= INT_MAX)
    return pl_fail(env, PL_E_NOMEM, "a full matrix of %d columns is too large", n);
  PL_TRY(pl_csc_alloc(env, n, 0, n * n, out));
  for (int k = 0; k < n * n; k++) out->row[k] = k % n;
  for (int j = 0; j < n; j++) out->ptr[j + 1] = (j + 1) * n;
  return PL_OK;
}

// blocks first .. last - 1 make the columns of one group
static void put_blocks(int size, int first, int last, const int *row, const int *col, pl_csc *out,
                       int *slot) {
  int at = out->ptr[size * col[first]];
  for (int c = 0; c < size; c++) {
    for (int b = first; b < last; b++)
      for (int r = 0; r < size; r++) {
        int above = b == first && r < c;
        slot[(b * size + r) * size + c] = above ? -1 : at;
        if (!above) out->row[at++] = size * row[b] + r;
      }
    out->ptr[size * col[first] + c + 1] = at;
  }
}

pl_status pl_csc_from_blocks(pl_env *env, int n, int size, int nblock, const int *row,
                             const int *col, pl_csc *out, int **slot) {
  *out = (pl_csc){0};
  *slot = NULL;
  long long nnz = (long long)size * size * nblock - (long long)n * size * (size - 1) / 2;
  if (nnz > INT_MAX - 1 || (long long)n * size > INT_MAX - 1)
    return pl_fail(env, PL_E_NOMEM, "a matrix of %lld entries is too large", nnz);
  *slot = pl_alloc(env, (size_t)nblock, (size_t)(size * size) * sizeof **slot);
  if (!*slot) return PL_E_NOMEM;
  pl_status s = pl_csc_alloc(env, n * size, 1, (int)nnz, out);
  if (s != PL_OK) {
    pl_free(env, *slot);
    *slot = NULL;
    return s;
  }
  for (int b = 0, next; b < nblock; b = next) {
    for (next = b; next < nblock && col[next] == col[b];) next++;
    put_blocks(size, b, next, row, col, out, *slot);
  }
  return PL_OK;
}

// fills the columns of the full matrix; map gives each entry's index in A
static void expand_into(const pl_csc *A, pl_csc *out, int *next, int *map) {
  // walking the columns in order appends the rows of the upper part in ascending order,
  for (int j = 0; j < A->n; j++)
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
      int i = A->row[k];
      if (i == j) continue;
      map[next[i]] = k;
      out->row[next[i]++] = j;
    }
  // and the lower part, stored already, comes after it
  for (int j = 0; j < A->n; j++)
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
      map[next[j]] = k;
      out->row[next[j]++] = A->row[k];
    }
  for (int k = 0; A->val && k < out->nnz; k++) out->val[k] = A->val[map[k]];
}

pl_status pl_csc_expand(pl_env *env, const pl_csc *A, pl_csc *out, int **map) {
  *out = (pl_csc){0};
  if (map) *map = NULL;
  int n = A->n;
  long long total = A->nnz;
  if (A->sym)
    for (int j = 0; j < n; j++)
      for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) total += A->row[k] != j;
  if (total > INT_MAX - 1)
    return pl_fail(env, PL_E_NOMEM, "a full matrix of %lld entries is too large", total);

  PL_TRY(pl_csc_alloc(env, n, 0, (int)total, out));
  int *next = pl_alloc(env, (size_t)n + 1, sizeof *next);
  int *source = pl_alloc(env, (size_t)total, sizeof *source);
  if (!next || !source) {
    pl_free(env, next);
    pl_free(env, source);
    pl_csc_free(env, out);
    return PL_E_NOMEM;
  }
  for (int j = 0; j < n; j++)
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
      out->ptr[j + 1]++;
      if (A->sym && A->row[k] != j) out->ptr[A->row[k] + 1]++;
    }
  for (int j = 0; j < n; j++) out->ptr[j + 1] += out->ptr[j];
  if (A->sym) {
    memcpy(next, out->ptr, (size_t)n * sizeof *next);
    expand_into(A, out, next, source);
  } else {
    memcpy(out->row, A->row, (size_t)A->nnz * sizeof *A->row);
    if (A->val) memcpy(out->val, A->val, (size_t)A->nnz * sizeof *A->val);
    for (int k = 0; k < A->nnz; k++) source[k] = k;
  }
  pl_free(env, next);
  if (map)
    *map = source;
  else
    pl_free(env, source);
  return PL_OK;
}

int pl_csc_find(const pl_csc *A, int i, int j) {
  if (A->sym && i < j) {
    int t = i;
    i = j;
    j = t;
  }
  if (j < 0 || j >= A->n) return -1;
  int lo = A->ptr[j], hi = A->ptr[j + 1];
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (A->row[mid] < i)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < A->ptr[j + 1] && A->row[lo] == i ? lo : -1;
}

// columns ascend, and so do the opposite entries in each of them
pl_status pl_csc_mirrors(pl_env *env, const pl_csc *A, int *mirror) {
  int *next = pl_alloc(env, (size_t)A->n, sizeof *next), ok = 1, diagonal = 0;
  if (!next) return PL_E_NOMEM;
  memcpy(next, A->ptr, (size_t)A->n * sizeof *next);
  for (pl_entry e = {.k = -1}; ok && pl_csc_next(A, &e);) {
    int k = mirror[e.k] = next[e.i]++;
    ok = k < A->ptr[e.i + 1] && A->row[k] == e.j;
    diagonal += e.i == e.j;
  }
  pl_free(env, next);
  return ok && diagonal == A->n ? PL_OK : PL_UNSOLVED;
}

static void scale_result(int n, double b, double *y) {
  // b = 0 overwrites, so that y need not be set before
  for (int i = 0; i < n; i++) y[i] = b == 0 ? 0 : b * y[i];
}

// y += a A x for the lower triangle of a symmetric A
static void mul_symmetric(const pl_csc *A, double a, const double *x, double *y) {
  for (int j = 0; j < A->n; j++) {
    double xj = a * x[j], sum = 0;
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
      int i = A->row[k];
      y[i] += A->val[k] * xj;
      if (i != j) sum += A->val[k] * x[i];
    }
    y[j] += a * sum;
  }
}

void pl_csc_mul(const pl_csc *A, double a, const double *x, double b, double *y) {
  scale_result(A->n, b, y);
  if (A->sym) {
    mul_symmetric(A, a, x, y);
    return;
  }
  for (int j = 0; j < A->n; j++) {
    double xj = a * x[j];
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) y[A->row[k]] += A->val[k] * xj;
  }
}
