// Matrices of dense blocks: products, which threads share, and other forms.
#include "sparse_impl.h"

#include <string.h>

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC optimize("O3", "fp-contract=fast")
#endif
#pragma GCC diagnostic ignored "-Wpsabi"

enum { LANES = 8 };
typedef double pack __attribute__((vector_size(LANES * sizeof(double)), aligned(8)));

#define INLINE static inline __attribute__((always_inline))
#define COPY   "blocks.inc"
#include "pliant/copies.h"

pl_status pl_blocks_create(pl_env *env, const pl_csc *P, int size, pl_blocks *out) {
  *out = (pl_blocks){.P = P, .size = size};
  if ((double)P->n * size >= INT_MAX)
    return pl_fail(env, PL_E_NOMEM, "a matrix of %g unknowns is too large", (double)P->n * size);
  out->val = pl_alloc(env, (size_t)P->nnz, (size_t)size * (size_t)size * sizeof *out->val);
  return out->val ? PL_OK : PL_E_NOMEM;
}

void pl_blocks_free(pl_env *env, pl_blocks *A) {
  pl_free(env, A->val);
  *A = (pl_blocks){0};
}

// the columns of group j: [size] of so many entries
static double *column_of(const pl_blocks *A, int j, int *entries) {
  *entries = (A->P->ptr[j + 1] - A->P->ptr[j]) * A->size;
  return A->val + (size_t)A->P->ptr[j] * (size_t)(A->size * A->size);
}

// the k-th share of the columns begins here
static int share(const pl_blocks *A, int k) {
  return (int)((long)A->P->n * k / PL_SHARES);
}

typedef struct largest {
  const pl_blocks *A;
  double most[PL_SHARES];
} largest;

static void largest_share(void *ctx, int k, int thread) {
  largest *a = ctx;
  (void)thread;
  for (int j = share(a->A, k), n; j < share(a->A, k + 1); j++) {
    const double *v = column_of(a->A, j, &n);
    a->most[k] = fmax(a->most[k], pl_max_abs(n * a->A->size, v));
  }
}

double pl_blocks_max(const pl_blocks *A, pl_threads *threads) {
  largest a = {.A = A};
  pl_threads_run(threads, PL_SHARES, largest_share, &a);
  return pl_max_abs(PL_SHARES, a.most);
}

int pl_blocks_finite(const pl_blocks *A) {
  int ok = 1;
  for (int j = 0, n; j < A->P->n; j++) {
    const double *v = column_of(A, j, &n);
    ok = ok && pl_all_finite(n * A->size, v);
  }
  return ok;
}

static double *diagonal(const pl_blocks *A, int i) {
  int stride, j = i / A->size, c = i % A->size;
  return pl_blocks_at(A, j, pl_csc_find(A->P, j, j), &stride) + (size_t)c * (size_t)stride + c;
}

void pl_blocks_shift(pl_blocks *A, double by, double *was) {
  for (int j = 0, n; j < A->P->n; j++) {
    const double *v = column_of(A, j, &n);
    for (int c = 0; c < A->size; c++, v += n) {
      double most = pl_max_abs(n, v), *d = diagonal(A, j * A->size + c);
      if (was) was[j * A->size + c] = *d;
      *d += by * (most > 0 ? most : 1);
    }
  }
}

void pl_blocks_set_diagonal(pl_blocks *A, const double *d) {
  for (int i = 0; i < A->P->n * A->size; i++) *diagonal(A, i) = d[i];
}

void pl_blocks_dense(const pl_blocks *A, int ld, double *out) {
  int b = A->size, stride;
  for (pl_entry e = {.k = -1}; pl_csc_next(A->P, &e);) {
    const double *v = pl_blocks_at(A, e.j, e.k, &stride);
    for (int c = 0; c < b; c++)
      memcpy(out + (size_t)(e.j * b + c) * (size_t)ld + e.i * b, v + (size_t)c * (size_t)stride,
             (size_t)b * sizeof *v);
  }
}

// ---- as a matrix of entries -------------------------------------------------------------------

static pl_status fill_rows(pl_env *env, const pl_blocks *A, int bordered, pl_csc *out) {
  int b = A->size, n = A->P->n * b, at = 0;
  for (int j = 0; j < n; j++) {
    if (j % 4096 == 0) PL_TRY(pl_report_progress(env, NULL, -1, NULL));
    for (pl_entry e = pl_csc_column(A->P, j / b); pl_csc_next_in(A->P, &e);)
      for (int a = 0; a < b; a++) out->row[at++] = e.i * b + a;
    if (bordered) out->row[at++] = n;
    out->ptr[j + 1] = at;
  }
  for (int i = 0; bordered && i <= n; i++) out->row[at++] = i;
  out->ptr[out->n] = at;
  return PL_OK;
}

static pl_status flat_pattern(pl_env *env, const pl_blocks *A, int bordered, pl_csc *out) {
  int n = A->P->n * A->size;
  double nnz = (double)A->P->nnz * A->size * A->size + (bordered ? 2.0 * n + 1 : 0);
  if (nnz >= INT_MAX)
    return pl_fail_at(env, PL_E_NOMEM, NULL, 0, 0, "fewer harmonics, or a coarser mesh",
                      "a matrix of %.3g entries is too large", nnz);
  PL_TRY(pl_csc_alloc(env, n + bordered, 0, (int)nnz, out));
  pl_status s = fill_rows(env, A, bordered, out);
  if (s != PL_OK) pl_csc_free(env, out);
  return s;
}

pl_status pl_blocks_flat(pl_env *env, const pl_blocks *A, const double *right, const double *below,
                         double corner, pl_csc *out) {
  int n = A->P->n * A->size;
  if (!out->ptr) PL_TRY(flat_pattern(env, A, right != NULL, out));
  double *to = out->val;
  for (int j = 0, m; j < A->P->n; j++) {
    const double *v = column_of(A, j, &m);
    for (int c = 0; c < A->size; c++, v += m, to += m) {
      memcpy(to, v, (size_t)m * sizeof *to);
      if (right) to++[m] = below[j * A->size + c];
    }
  }
  if (!right) return PL_OK;
  memcpy(to, right, (size_t)n * sizeof *to);
  to[n] = corner;
  return PL_OK;
}

// ---- products -----------------------------------------------------------------------------------

typedef struct product {
  const pl_blocks *A;
  int how; // PL_TRANSPOSED, PL_ABSOLUTE
  const double *x;
  double *part, *y;
} product;

static void multiply_share(void *ctx, int k, int thread) {
  const product *p = ctx;
  const pl_csc *P = p->A->P;
  size_t b = (size_t)p->A->size, n = (size_t)P->n * b;
  (void)thread;
  double *part = p->part + (size_t)k * n;
  if (!(p->how & PL_TRANSPOSED)) memset(part, 0, n * sizeof *part);
  for (int j = share(p->A, k), m; j < share(p->A, k + 1); j++) {
    const double *val = column_of(p->A, j, &m), *x = p->x + (size_t)j * b;
    double *y = p->y + (size_t)j * b;
    const int *row = P->row + P->ptr[j];
    switch (p->how) {
    case 0:
      PICK(mul)((int)b, m / (int)b, row, val, x, part);
      break;
    case PL_TRANSPOSED:
      PICK(mul_transposed)((int)b, m / (int)b, row, val, p->x, y);
      break;
    case PL_ABSOLUTE:
      PICK(mul_absolute)((int)b, m / (int)b, row, val, x, part);
      break;
    default:
      PICK(mul_transposed_absolute)((int)b, m / (int)b, row, val, p->x, y);
    }
  }
}

// parts are added in one order
void pl_blocks_mul(const pl_blocks *A, int how, pl_threads *threads, const double *x, double *part,
                   double *y) {
  product p = {.A = A, .how = how, .x = x, .part = part, .y = y};
  int n = A->P->n * A->size;
  pl_threads_run(threads, PL_SHARES, multiply_share, &p);
  if (how & PL_TRANSPOSED) return;
  memcpy(y, part, (size_t)n * sizeof *y);
  for (int k = 1; k < PL_SHARES; k++) pl_axpy(n, 1, part + (size_t)k * (size_t)n, y, y);
}
