#ifndef PLIANT_SPARSE_H
#define PLIANT_SPARSE_H

#include "pliant/base.h"
#include "pliant/linkage.h"

PL_DECLS_BEGIN

// ---- matrices ---------------------------------------------------------------------------------

// Compressed columns, rows ascending. sym: only the lower triangle (with diagonal) is stored.
typedef struct pl_csc {
  int n; // order (all our matrices are square)
  int sym;
  int nnz;
  int *ptr, *row; // [n+1], [nnz]
  double *val;    // [nnz + 1]; val[nnz] is a bin for entries that are not wanted
} pl_csc;

// The pattern of a sum of dense stencils, and where each stencil entry goes.
// stencil k holds the unknowns dof[ptr[k]..ptr[k+1]-1], -1: none. All n diagonal entries are kept.
// *slot (owned by the caller, freed with pl_free) lists for every stencil, one after another:
// sym: its k(k+1)/2 packed lower entries (i >= j, row by row: 00 10 11 20 21 22 ...), to be added
// once; else its k*k entries row by row. A slot is an index into val; nnz means not stored.
// A stencil that lists an unknown twice is refused: merge its entries first.
pl_status pl_csc_from_stencils(pl_env *env, int n, int sym, int nstencil, const int *ptr,
                               const int *dof, pl_csc *out, int **slot);
// From triplets, duplicates summed; for sym entries above the diagonal are mirrored below.
pl_status pl_csc_from_triplets(pl_env *env, int n, int sym, int ntrip, const int *row,
                               const int *col, const double *val, pl_csc *out);
// From the lower blocks of size x size entries of a symmetric matrix over n groups of unknowns:
// row[b] >= col[b], column after column, rows ascending, every column with its diagonal block.
// *slot (owned by the caller, freed with pl_free): [nblock][size][size] index in val of each entry,
// -1 above the diagonal.
pl_status pl_csc_from_blocks(pl_env *env, int n, int size, int nblock, const int *row,
                             const int *col, pl_csc *out, int **slot);
// All entries, in full storage.
pl_status pl_csc_full(pl_env *env, int n, pl_csc *out);
pl_status pl_csc_copy(pl_env *env, const pl_csc *A, pl_csc *out);
// The symmetric matrix as a full (unsymmetric-storage) one; *map (may be NULL), freed by the
// caller, gives for each entry of out its index in A->val.
pl_status pl_csc_expand(pl_env *env, const pl_csc *A, pl_csc *out, int **map);
void pl_csc_free(pl_env *env, pl_csc *A);
// Index of entry (i, j) in val, or -1 when it is not stored.
int pl_csc_find(const pl_csc *A, int i, int j);
// Entry (j, j) of a symmetric matrix; all of them must be stored.
static inline double *pl_csc_diagonal(const pl_csc *A, int j) {
  return A->val + A->ptr[j];
}
// All stored entries, column after column, rows ascending:
//   for (pl_entry e = {.k = -1}; pl_csc_next(A, &e);) sum[e.i] += A->val[e.k];
typedef struct pl_entry {
  int i, j, k; // row, column, index in val
} pl_entry;
static inline int pl_csc_next(const pl_csc *A, pl_entry *e) {
  if (++e->k >= A->nnz) return 0;
  while (e->k >= A->ptr[e->j + 1]) e->j++;
  e->i = A->row[e->k];
  return 1;
}
// Those of one column: for (pl_entry e = pl_csc_column(A, j); pl_csc_next_in(A, &e);)
static inline pl_entry pl_csc_column(const pl_csc *A, int j) {
  pl_entry e = {0, j, A->ptr[j] - 1};
  return e;
}
static inline int pl_csc_next_in(const pl_csc *A, pl_entry *e) {
  if (++e->k >= A->ptr[e->j + 1]) return 0;
  e->i = A->row[e->k];
  return 1;
}
// mirror[nnz]: index of the entry opposite to each in full storage. PL_UNSOLVED where there is
// none, or no diagonal entry.
pl_status pl_csc_mirrors(pl_env *env, const pl_csc *A, int *mirror);
// y = a A x + b y; b = 0 overwrites y.
void pl_csc_mul(const pl_csc *A, double a, const double *x, double b, double *y);
// y = a A x + b y of a symmetric matrix on threads (NULL: one), the same bits for any number of
// them. Made for the pattern of a matrix, serves all values; one product at a time.
typedef struct pl_mul pl_mul;
pl_status pl_mul_create(pl_env *env, const pl_csc *A, pl_mul **out);
void pl_mul_free(pl_mul *m);
void pl_mul_run(pl_mul *m, pl_threads *threads, const pl_csc *A, double a, const double *x,
                double b, double *y);
// Reads Matrix Market coordinate and array files (real or integer; general or
// symmetric). Rectangular matrices are refused. Errors name file and line. Reading gives every
// entry of the matrix from 0, both halves of a symmetric one: to build a sym matrix, keep those
// with row >= col. The caller frees the three arrays with pl_free.
pl_status pl_csc_read_mtx(pl_env *env, const char *path, int *n, int *ntrip, int **row, int **col,
                          double **val);
// The same from memory, text[size] with a zero behind it; name stands in messages.
pl_status pl_csc_parse_mtx(pl_env *env, const char *name, const char *text, size_t size, int *n,
                           int *ntrip, int **row, int **col, double **val);

// ---- matrices of blocks -------------------------------------------------------------------------

// A dense block of size x size entries in place of every entry of a pattern of groups in full
// storage, whose values are not looked at. Values stand as those of the same matrix in pl_csc
// would.
typedef struct pl_blocks {
  const pl_csc *P; // the caller's
  int size;
  double *val; // [P->nnz * size * size]
} pl_blocks;

pl_status pl_blocks_create(pl_env *env, const pl_csc *P, int size, pl_blocks *out);
void pl_blocks_free(pl_env *env, pl_blocks *A);
// The block at entry k of the pattern, in column j, by columns with steps of *stride.
static inline double *pl_blocks_at(const pl_blocks *A, int j, int k, int *stride) {
  size_t size = (size_t)A->size, first = (size_t)A->P->ptr[j];
  *stride = (A->P->ptr[j + 1] - A->P->ptr[j]) * A->size;
  return A->val + first * size * size + ((size_t)k - first) * size;
}
// The largest size of an entry, and whether all are finite.
double pl_blocks_max(const pl_blocks *A, pl_threads *threads);
int pl_blocks_finite(const pl_blocks *A);
// Adds `by` times the largest entry of each column to the diagonal; was (may be NULL): [n] as it
// was, for pl_blocks_set_diagonal.
void pl_blocks_shift(pl_blocks *A, double by, double *was);
void pl_blocks_set_diagonal(pl_blocks *A, const double *d);
// Puts the blocks into a dense matrix by columns with steps of ld.
void pl_blocks_dense(const pl_blocks *A, int ld, double *out);
// The same matrix by entries, with one more column, row and corner unless right is NULL. out is
// made when it is empty; otherwise it comes from such a call and gets new values.
pl_status pl_blocks_flat(pl_env *env, const pl_blocks *A, const double *right, const double *below,
                         double corner, pl_csc *out);
// y = A x, or its transpose; PL_ABSOLUTE: with all products counted positive. part: scratch
// [PL_SHARES][n], not needed for the transpose. The same bits for any number of threads.
enum { PL_TRANSPOSED = 1, PL_ABSOLUTE = 2 };
enum { PL_SHARES = 8 };
void pl_blocks_mul(const pl_blocks *A, int how, pl_threads *threads, const double *x, double *part,
                   double *y);

// ---- factorisation ----------------------------------------------------------------------------

typedef enum pl_factor_kind {
  PL_CHOLESKY, // symmetric positive definite; PL_SINGULAR when it is not
  PL_LDL,      // symmetric indefinite with pivoting; reports inertia
  PL_LU        // unsymmetric values; full storage with symmetric or unsymmetric pattern
} pl_factor_kind;

typedef struct pl_factor pl_factor;

typedef struct pl_factor_info {
  const char *backend;   // "tree", "fronts", "cholmod", "mumps", "umfpack", "dense"
  int npos, nneg, nzero; // inertia of the last numeric factorisation (LDL; Cholesky: n, 0, 0)
  double rcond; // smallest pivot over what its column was; once that is small (and for LDL, dense
                // and MUMPS always), an estimate of 1 / condition of the equilibrated matrix
  double flops, nnz; // of the factor
  int nsymbolic, nnumeric, nsolve;
} pl_factor_info;

// Symbolic analysis of A's pattern (the values are not looked at). block > 1: the unknowns come in
// consecutive groups of that size with equal pattern, and the ordering works on groups; Cholesky
// and LDL find such groups themselves and only take it as a sign that dense blocks pay. nthread: of
// our own for the backend "tree"; the others run on one. Every kind takes both
// storages; Cholesky and LDL look at the lower triangle only.
pl_status pl_factor_create(pl_env *env, pl_factor_kind kind, const pl_csc *A, int block,
                           int nthread, pl_factor **out);
// The same on a pool of the caller's (NULL: one thread), which is there whenever the factor is
// used. What works in turns should share a pool: threads of several get into each other's way.
pl_status pl_factor_create_on(pl_env *env, pl_factor_kind kind, const pl_csc *A, int block,
                              pl_threads *threads, pl_factor **out);
// LU of a matrix of blocks on threads of our own, in "fronts". Such a factor is then given matrices
// of blocks with the same pattern.
pl_status pl_factor_create_blocks(pl_env *env, const pl_blocks *A, int nthread, pl_factor **out);
pl_status pl_factor_create_blocks_on(pl_env *env, const pl_blocks *A, pl_threads *threads,
                                     pl_factor **out);
void pl_factor_free(pl_factor *f);
// Numeric factorisation of a matrix with the analysed pattern. Returns PL_SINGULAR when a pivot is
// zero to rounding (or, for Cholesky, not positive), never a factor full of NaN; for LDL the stats
// then tell how many are zero. NaN in the values is PL_E_ARG. Asks for no memory through
// env, but for the first matrix whose pivots lie outside their fronts (LDL, LU) or, of blocks, look
// small.
pl_status pl_factor_numeric(pl_factor *f, const pl_csc *A);
pl_status pl_factor_numeric_blocks(pl_factor *f, const pl_blocks *A);
// X = A^-1 B for nrhs columns; b and x may be the same array. PL_SINGULAR when the result is not
// finite, PL_E_ARG when b is not, or when the last numeric factorisation failed.
pl_status pl_factor_solve(pl_factor *f, int nrhs, const double *b, double *x);
pl_status pl_factor_solve_transposed(pl_factor *f, int nrhs, const double *b, double *x);
// Entries of A^-1 of a symmetric A between the unknowns index[n], which are all different:
// out[n][n], symmetric to the bit. That is less work than n solves: "tree" looks at the fronts of
// these unknowns and those above alone, with all columns at once. PL_SINGULAR, PL_E_ARG: as in
// solves.
pl_status pl_factor_inverse(pl_factor *f, int n, const int *index, double *out);
pl_factor_info pl_factor_stats(const pl_factor *f);

// ---- eigenvalues ------------------------------------------------------------------------------

typedef struct pl_eigen_info {
  int nfound, iterations; // pairs, solves with the shifted matrix
  double shift;           // the shift that was used
  double residual;        // largest |K x - lambda M x| / (| |K| |x| | + |lambda| |M x|)
  int nbelow; // eigenvalues below the highest returned one that were missed, by inertia; -1:
              // unchecked
} pl_eigen_info;

// The nev eigenpairs of K x = lambda M x closest to and above -infinity (the lowest), ascending.
// K symmetric, possibly singular (free rigid modes give lambda near 0) or indefinite; M symmetric
// positive semidefinite (massless unknowns allowed: they carry no mode). lambda[nev], x[nev][n]
// with x' M x = 1 and a deterministic sign. Fewer pairs than nev may exist (info->nfound).
// PL_SINGULAR: some motion has neither mass nor stiffness. PL_UNSOLVED: the pairs are not accurate.
pl_status pl_eigen_lowest(pl_env *env, const pl_csc *K, const pl_csc *M, int nev, int nthread,
                          double *lambda, double *x, pl_eigen_info *info);

// ---- Krylov -----------------------------------------------------------------------------------

typedef void (*pl_apply_fn)(void *ctx, const double *x, double *y); // y = A x

typedef struct pl_krylov_info {
  int iterations;
  double residual; // |b - A x| / |b|, true residual
} pl_krylov_info;

// Solve A x = b from the given x to |b - A x| <= rtol |b|; PL_UNSOLVED after max_iter. prec applies
// an approximate inverse on the right (NULL: none).
pl_status pl_gmres(pl_env *env, int n, int restart, pl_apply_fn A, void *A_ctx, pl_apply_fn prec,
                   void *prec_ctx, const double *b, double *x, double rtol, int max_iter,
                   pl_krylov_info *info);
// GMRES that also gives up, with PL_UNSOLVED, as soon as the residual falls too slowly to reach
// rtol within max_iter, and when a cycle has left a residual |b - A x| that is `enough`: rounding,
// which another cycle cannot take away (NULL: never; asked with A_ctx, x as it is).
typedef int (*pl_enough_fn)(void *ctx, double residual);
pl_status pl_gmres_quick(pl_env *env, int n, int restart, pl_apply_fn A, void *A_ctx,
                         pl_apply_fn prec, void *prec_ctx, pl_enough_fn enough, const double *b,
                         double *x, double rtol, int max_iter, pl_krylov_info *info);

// ---- BLAS kernels -----------------------------------------------------------------------------

// The kernel set that the BLAS in use has chosen, e.g. "SkylakeX"; "unknown" if it does not say.
const char *pl_blas_core(void);
// The value that OPENBLAS_CORETYPE should have on this CPU, or NULL when the choice made is right.
const char *pl_blas_core_wanted(void);
// BLAS runs on one thread in this process from the first call on; factorisations make it, as do the
// analyses that use BLAS themselves. The threads are our own: several analyses at the same time do
// not disturb each other, and bits do not depend on the number of cores.
void pl_blas_alone(void);

PL_DECLS_END

#endif
