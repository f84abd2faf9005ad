#include "sparse_impl.h"

#include <stdatomic.h>
#include <string.h>

enum {
  DENSE_MAX = 64,  // up to this order, LAPACK beats every sparse method
  FULL_MAX = 1000, // and up to this one the LU of matrices that are full at least to
  FULL = 4         // one part in so many
};

// growth of a symmetric factor from which on a solve is refined
static const double GROWTH_REFINED = 30;

// a matrix of so many unknowns in groups with so many pairs
static int is_full(int n, int groups, int pairs) {
  return n <= FULL_MAX && (size_t)pairs * FULL >= (size_t)groups * (size_t)groups;
}

// the next one to try after `last`, NULL: the first
static const pl_backend *choose(pl_factor_kind kind, const pl_csc *A, const pl_backend *last) {
  if (A->n <= DENSE_MAX || (kind == PL_LU && is_full(A->n, A->n, A->nnz))) return &pl_backend_dense;
  if (kind != PL_LU && !last) return &pl_backend_tree;
#if PL_GPL
  if (kind != PL_LDL) return kind == PL_LU ? &pl_backend_umfpack : &pl_backend_cholmod;
#endif
  return &pl_backend_mumps;
}

static pl_status check_pattern(pl_env *env, const pl_csc *A) {
  if (A->n < 0 || A->nnz < 0 || A->ptr[0] != 0 || A->ptr[A->n] != A->nnz)
    return pl_fail(env, PL_E_ARG, "the matrix pattern is not valid: %d entries in %d columns",
                   A->nnz, A->n);
  for (int j = 0; j < A->n; j++) {
    int last = A->sym ? j - 1 : -1;
    if (A->ptr[j + 1] < A->ptr[j])
      return pl_fail(env, PL_E_ARG, "column %d of the matrix has a negative size", j);
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
      if (A->row[k] <= last || A->row[k] >= A->n)
        return pl_fail(env, PL_E_ARG, "column %d of the matrix: row %d is out of order or range", j,
                       A->row[k]);
      last = A->row[k];
    }
  }
  return PL_OK;
}

// keeps the lower triangle of a matrix in full storage
static pl_status copy_lower(pl_factor *f, const pl_csc *A) {
  int nnz = 0;
  for (int j = 0; j < A->n; j++)
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) nnz += A->row[k] >= j;
  PL_TRY(pl_csc_alloc(f->env, A->n, 1, nnz, &f->A));
  f->map = pl_alloc(f->env, (size_t)nnz, sizeof *f->map);
  if (!f->map) return PL_E_NOMEM;
  int p = 0;
  for (int j = 0; j < A->n; j++) {
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
      if (A->row[k] < j) continue;
      f->A.row[p] = A->row[k];
      f->map[p++] = k;
    }
    f->A.ptr[j + 1] = p;
  }
  return PL_OK;
}

static pl_status keep_pattern(pl_factor *f, const pl_csc *A) {
  pl_csc *to = &f->given;
  *to = (pl_csc){.n = A->n, .sym = A->sym, .nnz = A->nnz};
  to->ptr = pl_alloc(f->env, (size_t)A->n + 1, sizeof *to->ptr);
  to->row = pl_alloc(f->env, (size_t)A->nnz, sizeof *to->row);
  if (!to->ptr || !to->row) return PL_E_NOMEM;
  memcpy(to->ptr, A->ptr, ((size_t)A->n + 1) * sizeof *to->ptr);
  memcpy(to->row, A->row, (size_t)A->nnz * sizeof *to->row);
  return PL_OK;
}

// copies the pattern and makes the storage that the backend wants
static pl_status copy_pattern(pl_factor *f, const pl_csc *A) {
  PL_TRY(keep_pattern(f, A));
  if (f->kind == PL_LU && A->sym) return pl_csc_expand(f->env, A, &f->A, &f->map);
  if (f->kind != PL_LU && !A->sym) return copy_lower(f, A);
  f->A = f->given;
  f->shared = 1;
  f->A.val = pl_alloc(f->env, (size_t)A->nnz, sizeof *f->A.val);
  return f->A.val ? PL_OK : PL_E_NOMEM;
}

static pl_status analyse(pl_factor *f, const pl_backend *backend) {
  f->backend = backend;
  f->info.backend = backend->name;
  pl_status s = backend->analyse(f);
  if (s != PL_UNSOLVED) return s;
  backend->free(f);
  f->state = NULL;
  return analyse(f, choose(f->kind, &f->A, backend));
}

// whose threads do the work: nthread of its own, or those of a pool
typedef struct threading {
  int nthread;
  pl_threads *shared_threads;
} threading;

static threading threading_of(pl_threads *shared) {
  return (threading){pl_threads_size(shared), shared};
}

pl_status pl_factor_open_threads(pl_factor *f) {
  f->threads = f->shared_threads;
  return f->shared_threads || f->nthread <= 1 ? PL_OK
                                              : pl_threads_create(f->env, f->nthread, &f->threads);
}

void pl_factor_close_threads(pl_factor *f) {
  if (f->threads != f->shared_threads) pl_threads_free(f->threads);
  f->threads = NULL;
}

static pl_status create_empty(pl_env *env, pl_factor_kind kind, int n, int block, threading by,
                              pl_factor **out) {
  pl_factor *f = *out = pl_alloc(env, 1, sizeof *f);
  if (!f) return PL_E_NOMEM;
  f->env = env;
  f->kind = kind;
  f->n = n;
  f->block = block > 1 && n % block == 0 ? block : 1;
  f->nthread = by.nthread;
  f->shared_threads = by.shared_threads;
  f->info.nsymbolic = 1;
  f->scale = pl_alloc(env, 5 * (size_t)n, sizeof *f->scale);
  return f->scale ? PL_OK : PL_E_NOMEM;
}

static pl_status discard(pl_factor **f, pl_status s) {
  if (s == PL_OK) return PL_OK;
  pl_factor_free(*f);
  *f = NULL;
  return s;
}

// last: the backend that gave up on such matrices, or NULL
static pl_status create(pl_env *env, pl_factor_kind kind, const pl_csc *A, int block, threading by,
                        const pl_backend *last, pl_factor **out) {
  pl_status s = create_empty(env, kind, A->n, block, by, out);
  if (s == PL_OK) s = copy_pattern(*out, A);
  if (s == PL_OK) s = analyse(*out, choose(kind, A, last));
  return discard(out, s);
}

static pl_status create_checked(pl_env *env, pl_factor_kind kind, const pl_csc *A, int block,
                                threading by, pl_factor **out) {
  *out = NULL;
  pl_blas_alone();
  PL_TRY(check_pattern(env, A));
  return create(env, kind, A, block, by, NULL, out);
}

pl_status pl_factor_create(pl_env *env, pl_factor_kind kind, const pl_csc *A, int block,
                           int nthread, pl_factor **out) {
  return create_checked(env, kind, A, block, (threading){nthread, NULL}, out);
}

pl_status pl_factor_create_on(pl_env *env, pl_factor_kind kind, const pl_csc *A, int block,
                              pl_threads *threads, pl_factor **out) {
  return create_checked(env, kind, A, block, threading_of(threads), out);
}

// small and full matrices of blocks, and those that fronts cannot do, are left to the spare
static pl_status analyse_blocks(pl_factor *f, const pl_blocks *A) {
  PL_TRY(keep_pattern(f, A->P));
  f->blocks = (pl_blocks){.P = &f->given, .size = A->size};
  if (f->n <= DENSE_MAX || is_full(f->n, A->P->n, A->P->nnz)) return PL_OK;
  f->backend = &pl_backend_fronts;
  f->info.backend = f->backend->name;
  pl_status s = f->backend->analyse(f);
  if (s != PL_UNSOLVED) return s;
  f->backend->free(f);
  f->backend = NULL;
  f->state = NULL;
  return PL_OK;
}

static pl_status create_blocks(pl_env *env, const pl_blocks *A, threading by, pl_factor **out) {
  *out = NULL;
  pl_blas_alone();
  PL_TRY(check_pattern(env, A->P));
  pl_status s = create_empty(env, PL_LU, A->P->n * A->size, A->size, by, out);
  if (s == PL_OK) s = analyse_blocks(*out, A);
  return discard(out, s);
}

pl_status pl_factor_create_blocks(pl_env *env, const pl_blocks *A, int nthread, pl_factor **out) {
  return create_blocks(env, A, (threading){nthread, NULL}, out);
}

pl_status pl_factor_create_blocks_on(pl_env *env, const pl_blocks *A, pl_threads *threads,
                                     pl_factor **out) {
  return create_blocks(env, A, threading_of(threads), out);
}

void pl_factor_free(pl_factor *f) {
  if (!f) return;
  pl_factor_free(f->spare);
  if (f->backend) f->backend->free(f);
  if (f->shared) f->A.ptr = f->A.row = NULL;
  pl_csc_free(f->env, &f->given);
  pl_csc_free(f->env, &f->A);
  pl_free(f->env, f->map);
  pl_free(f->env, f->scale);
  pl_free(f->env, f);
}

static double power_of_two(double x) {
  int e;
  frexp(x, &e);
  return ldexp(1, e - 1);
}

// largest entry of every row and column of diag(r) A diag(c)
static void measure(const pl_csc *A, const double *r, const double *c, double *row, double *col) {
  memset(row, 0, (size_t)A->n * sizeof *row);
  memset(col, 0, (size_t)A->n * sizeof *col);
  for (int j = 0; j < A->n; j++)
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
      int i = A->row[k];
      double v = fabs(A->val[k]) * r[i] * c[j];
      if (v > row[i]) row[i] = v;
      if (v > col[j]) col[j] = v;
      if (A->sym && v > row[j]) row[j] = v;
      if (A->sym && v > col[i]) col[i] = v;
    }
}

void pl_equilibrate(const pl_csc *A, double *r, double *c, double *most) {
  int n = A->n, displaced = 1;
  for (int i = 0; i < n; i++) r[i] = c[i] = 1;
  for (int pass = 0; displaced && pass < 10; pass++) {
    measure(A, r, c, most, most + n);
    displaced = 0;
    for (int i = 0; i < n; i++) {
      double by_row = most[i] > 0 ? power_of_two(sqrt(most[i])) : 1;
      double by_col = most[n + i] > 0 ? power_of_two(sqrt(most[n + i])) : 1;
      r[i] /= by_row;
      c[i] /= by_col;
      displaced |= by_row != 1 || by_col != 1;
    }
  }
}

void pl_equilibrate_once(pl_factor *f) {
  int n = f->n;
  if (f->scaled) return;
  pl_equilibrate(&f->A, f->scale, f->scale + n, f->scale + 2 * n);
  f->scaled = 1;
}

// largest row sum of diag(r) A diag(c), at least its norm
static double scaled_size(const pl_csc *A, const double *r, const double *c, double *sum) {
  memset(sum, 0, (size_t)A->n * sizeof *sum);
  for (int j = 0; j < A->n; j++)
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
      int i = A->row[k];
      double v = fabs(A->val[k]) * r[i] * c[j];
      sum[i] += v;
      if (A->sym && i != j) sum[j] += v;
    }
  return pl_max_abs(A->n, sum);
}

// Two inverse iterations on the scaled matrix S = R A C, first with S, then with its transpose: the
// growth in the second is close to the norm of the inverse. Unlike small pivots, which noise and
// honest slenderness both make, this tells a singular matrix (growth 1/eps) from a badly
// conditioned one.
static pl_status look_closer(pl_factor *f) {
  int n = f->n;
  double *r = f->scale, *c = r + n, *most = c + n, *y = most + 2 * n, growth = 0;
  pl_rng rng;
  pl_rng_seed(&rng, 1);
  pl_equilibrate_once(f);
  double size = scaled_size(&f->A, r, c, most);
  for (int i = 0; i < n; i++) y[i] = pl_rng_uniform(&rng, -1, 1);
  for (int pass = 0; pass < 2; pass++) {
    const double *before = pass ? c : r, *after = pass ? r : c;
    double len = pl_norm(n, y);
    for (int i = 0; i < n; i++) y[i] /= len * before[i];
    PL_TRY(f->backend->solve(f, pass == 1 && f->kind == PL_LU, 1, y, y));
    for (int i = 0; i < n; i++) y[i] /= after[i];
    growth = pl_norm(n, y);
    if (!isfinite(growth) || !(growth > 0)) return PL_SINGULAR;
  }
  f->info.rcond = 1 / (size * growth);
  return f->info.rcond > f->growth * PL_SINGULAR_RCOND ? PL_OK : PL_SINGULAR;
}

static pl_status refuse_values(pl_factor *f) {
  return pl_fail(f->env, PL_E_ARG, "the matrix holds an infinite value or NaN");
}

enum { SHARE = 1 << 14 }; // numbers that one thread takes

// values on their way, and whether some are not finite, or rows not those that were analysed
typedef struct copying {
  const pl_factor *f;
  const pl_csc *from;
  atomic_int infinite, other;
} copying;

static int share_end(int first, int n) {
  return n - first < SHARE ? n : first + SHARE;
}

static void copy_share(void *ctx, int i, int thread) {
  copying *c = ctx;
  const pl_factor *f = c->f;
  double *val = f->A.val;
  int first = i * SHARE, end = share_end(first, f->A.nnz);
  (void)thread;
  if (f->map)
    for (int k = first; k < end; k++) val[k] = c->from->val[f->map[k]];
  else
    memcpy(val + first, c->from->val + first, (size_t)(end - first) * sizeof *val);
  if (!pl_all_finite(end - first, val + first)) c->infinite = 1;
}

static void compare_share(void *ctx, int i, int thread) {
  copying *c = ctx;
  const int *row = c->f->given.row;
  int first = i * SHARE, end = share_end(first, c->from->nnz);
  (void)thread;
  if (memcmp(row + first, c->from->row + first, (size_t)(end - first) * sizeof *row) != 0)
    c->other = 1;
}

static int shares(int n) {
  return n / SHARE + (n % SHARE > 0);
}

static pl_status copy_values(pl_factor *f, const pl_csc *A) {
  copying c = {.f = f, .from = A};
  pl_threads_run(f->threads, shares(f->A.nnz), copy_share, &c);
  return c.infinite ? refuse_values(f) : PL_OK;
}

static int same_pattern(pl_factor *f, const pl_csc *A) {
  const pl_csc *B = &f->given;
  if (A->n != B->n || A->sym != B->sym || A->nnz != B->nnz ||
      memcmp(A->ptr, B->ptr, ((size_t)A->n + 1) * sizeof *A->ptr) != 0)
    return 0;
  copying c = {.f = f, .from = A};
  pl_threads_run(f->threads, shares(A->nnz), compare_share, &c);
  return !c.other;
}

// the backend gave up on this matrix: the next one takes it
static pl_status use_spare(pl_factor *f, const pl_csc *A) {
  const threading by = {f->nthread, f->shared_threads};
  if (!f->spare) PL_TRY(create(f->env, f->kind, A, f->block, by, f->backend, &f->spare));
  pl_status s = pl_factor_numeric(f->spare, A);
  pl_factor_info *to = &f->info, from = f->spare->info;
  if (!f->backend) to->backend = from.backend;
  to->rcond = from.rcond;
  to->flops = from.flops;
  to->nnz = from.nnz;
  to->npos = from.npos;
  to->nneg = from.nneg;
  to->nzero = from.nzero;
  f->by_spare = 1;
  return s;
}

// size: of the blocks, 0: none
static pl_status begin_numeric(pl_factor *f, const pl_csc *pattern, int size) {
  f->ready = f->by_spare = f->scaled = 0;
  f->growth = 1;
  f->info.npos = f->info.nneg = f->info.nzero = 0;
  f->info.rcond = 0;
  return f->blocks.size == size && same_pattern(f, pattern)
             ? PL_OK
             : pl_fail(f->env, PL_E_ARG, "the matrix has another pattern than the one analysed");
}

pl_status pl_factor_numeric(pl_factor *f, const pl_csc *A) {
  PL_TRY(begin_numeric(f, A, 0));
  PL_TRY(copy_values(f, A));
  f->info.nnumeric++;
  pl_status s = f->backend->numeric(f);
  if (s == PL_OK && !f->backend->measures && f->info.rcond < PL_NOISE_PIVOT) s = look_closer(f);
  if (s == PL_SINGULAR && f->kind == PL_LDL) {
    if (f->backend->count_zeros)
      f->backend->count_zeros(f);
    else
      s = PL_UNSOLVED;
  }
  if (s == PL_UNSOLVED) s = use_spare(f, A);
  f->ready = s == PL_OK;
  if (s == PL_OK && f->kind == PL_CHOLESKY) f->info.npos = f->n;
  return s;
}

pl_status pl_factor_numeric_blocks(pl_factor *f, const pl_blocks *A) {
  PL_TRY(begin_numeric(f, A->P, A->size));
  f->blocks.val = A->val;
  f->info.nnumeric++;
  pl_status s = f->backend ? f->backend->numeric(f) : PL_UNSOLVED;
  if (s != PL_UNSOLVED && s != PL_OK) return s;
  int doubtful = s == PL_OK && f->info.rcond < PL_NOISE_PIVOT;
  if (doubtful || s == PL_UNSOLVED) {
    if (!pl_blocks_finite(A)) return refuse_values(f);
    PL_TRY(pl_blocks_flat(f->env, A, NULL, NULL, 0, &f->A));
    s = doubtful ? look_closer(f) : use_spare(f, &f->A);
  }
  f->ready = s == PL_OK;
  return s;
}

// One step of refinement gives back the digits that growth costs; b and x may be the same.
static pl_status solve_refined(pl_factor *f, const double *b, double *x) {
  size_t n = (size_t)f->n;
  double *keep = f->scale + 2 * n, *r = keep + n;
  memcpy(keep, b, n * sizeof *b);
  PL_TRY(f->backend->solve(f, 0, 1, b, x));
  memcpy(r, keep, n * sizeof *b);
  pl_csc_mul(&f->A, -1, x, 1, r);
  PL_TRY(f->backend->solve(f, 0, 1, r, r));
  for (size_t i = 0; i < n; i++) x[i] += r[i];
  return PL_OK;
}

static pl_status solve_all(pl_factor *f, int transposed, int nrhs, const double *b, double *x) {
  size_t n = (size_t)f->n;
  if (!(f->growth > GROWTH_REFINED)) return f->backend->solve(f, transposed, nrhs, b, x);
  for (int k = 0; k < nrhs; k++) PL_TRY(solve_refined(f, b + (size_t)k * n, x + (size_t)k * n));
  return PL_OK;
}

static pl_status solve(pl_factor *f, int transposed, int nrhs, const double *b, double *x) {
  if (!f->ready)
    return pl_fail(f->env, PL_E_ARG, "a solve needs a successful numeric factorisation first");
  if (nrhs < 0) return pl_fail(f->env, PL_E_ARG, "nrhs must be >= 0, got %d", nrhs);
  if (nrhs == 0 || f->n == 0) return PL_OK;
  for (int k = 0; k < nrhs; k++)
    if (!pl_all_finite(f->n, b + (size_t)k * (size_t)f->n))
      return pl_fail(f->env, PL_E_ARG, "the right-hand side holds an infinite value or NaN");
  f->info.nsolve += nrhs;
  pl_factor *by = f->by_spare ? f->spare : f;
  PL_TRY(solve_all(by, transposed, nrhs, b, x));
  for (int k = 0; k < nrhs; k++)
    if (!pl_all_finite(f->n, x + (size_t)k * (size_t)f->n)) return PL_SINGULAR;
  return PL_OK;
}

pl_status pl_factor_solve(pl_factor *f, int nrhs, const double *b, double *x) {
  return solve(f, 0, nrhs, b, x);
}

pl_status pl_factor_solve_transposed(pl_factor *f, int nrhs, const double *b, double *x) {
  return solve(f, f->kind == PL_LU, nrhs, b, x);
}

// solves with some unit vectors at a time
static pl_status inverse_by_solves(pl_factor *f, int n, const int *index, double *out) {
  enum { SOME = 16 };
  size_t size = (size_t)f->n, row = (size_t)n;
  double *x = pl_alloc(f->env, SOME * size, sizeof *x);
  pl_status s = x ? PL_OK : PL_E_NOMEM;
  for (int first = 0; s == PL_OK && first < n; first += SOME) {
    int count = n - first < SOME ? n - first : SOME;
    memset(x, 0, SOME * size * sizeof *x);
    for (int k = 0; k < count; k++) x[(size_t)k * size + (size_t)index[first + k]] = 1;
    s = solve_all(f, 0, count, x, x);
    for (int k = 0; k < count; k++)
      for (size_t i = 0; i < row; i++)
        out[i * row + (size_t)(first + k)] = x[(size_t)k * size + (size_t)index[i]];
  }
  pl_free(f->env, x);
  for (size_t i = 0; s == PL_OK && i < row; i++)
    for (size_t j = 0; j < i; j++)
      out[i * row + j] = out[j * row + i] = 0.5 * (out[i * row + j] + out[j * row + i]);
  return s;
}

static pl_status check_index(const pl_factor *f, int n, const int *index) {
  if (!f->ready || f->kind == PL_LU)
    return pl_fail(f->env, PL_E_ARG,
                   "entries of an inverse need a symmetric matrix with its factorisation");
  for (int i = 0; i < n; i++)
    if (index[i] < 0 || index[i] >= f->n)
      return pl_fail(f->env, PL_E_ARG, "entries of an inverse: there is no unknown %d", index[i]);
  return PL_OK;
}

pl_status pl_factor_inverse(pl_factor *f, int n, const int *index, double *out) {
  PL_TRY(check_index(f, n, index));
  if (n == 0) return PL_OK;
  pl_factor *by = f->by_spare ? f->spare : f;
  int direct = by->backend->inverse && !(by->growth > GROWTH_REFINED);
  PL_TRY((direct ? by->backend->inverse : inverse_by_solves)(by, n, index, out));
  f->info.nsolve += n;
  for (int i = 0; i < n; i++)
    if (!pl_all_finite(n, out + (size_t)i * (size_t)n)) return PL_SINGULAR;
  return PL_OK;
}

pl_factor_info pl_factor_stats(const pl_factor *f) {
  return f->info;
}
