#ifndef PLIANT_SPARSE_IMPL_H
#define PLIANT_SPARSE_IMPL_H

#include "pliant/math.h"
#include "pliant/sparse.h"

#include <float.h>
#include <limits.h>

// An empty matrix with room for nnz entries.
pl_status pl_csc_alloc(pl_env *env, int n, int sym, int nnz, pl_csc *out);

// The pattern of groups of block unknowns, stored as A is.
pl_status pl_compress_blocks(pl_env *env, const pl_csc *A, int block, pl_csc *out);
// Neighbouring unknowns whose columns are equal make one group: size[0 .. out->n - 1] counts them
// (room for A->n); A has a symmetric pattern, out: that of the groups in full storage.
pl_status pl_group_equal(pl_env *env, const pl_csc *A, int *size, pl_csc *out);
// Flops for each entry of a factor from which on CHOLMOD uses dense blocks, and so do we.
#define PL_LIGHT 40
// An order for Cholesky factors of a pattern G of groups in full storage, `size` unknowns each in
// the mean. *light: there will be little to multiply for each entry of the factor.
pl_status pl_order_cholesky(pl_env *env, const pl_csc *G, double size, int *order, int *light);
// A fill-reducing order of A, worked out on groups of block unknowns: the unknown order[k] is
// eliminated k-th. The pattern counts as symmetric.
pl_status pl_order_blocks(pl_env *env, const pl_csc *A, int block, int *order);
// The best one of some tries for a pattern G in full storage, whose unknowns come in another order
// every time: how a method breaks its ties makes a tenth of the work.
pl_status pl_order_often(pl_env *env, const pl_csc *G, int tries, int *order);

// The large pages that n numbers lie on, and those of them on the i-th one made zero; or all of
// them by threads, one page each.
int pl_pages(const double *x, size_t n);
void pl_page_clear(double *x, size_t n, int i);
void pl_pages_clear(pl_threads *threads, double *x, size_t n);

// Serialises calls into solver code that keeps state in static variables (MUMPS, METIS): the only
// lock of this layer, held for one call at a time.
void pl_solver_lock(void);
void pl_solver_unlock(void);

// ---- one factor type, several backends --------------------------------------------------------

// What a backend does. state is made by analyse; numeric and solve never allocate through env.
typedef struct pl_backend {
  const char *name;
  int measures; // rcond is a true estimate; otherwise the smallest pivot ratio, or 0
  pl_status (*analyse)(pl_factor *f); // PL_UNSOLVED: the matrix is not of the kind it can do
  void (*free)(pl_factor *f);         // accepts a state that analyse left half made
  pl_status (*numeric)(pl_factor *f); // PL_UNSOLVED: another backend must do this one
  void (*count_zeros)(pl_factor *f);  // inertia of a matrix found singular (LDL); NULL: another
                                      // backend must
  pl_status (*solve)(pl_factor *f, int transposed, int nrhs, const double *b, double *x);
  // of a symmetric matrix, see pl_factor_inverse; NULL: by solves. Allocates through env
  pl_status (*inverse)(pl_factor *f, int n, const int *index, double *out);
} pl_backend;

extern const pl_backend pl_backend_dense, pl_backend_mumps, pl_backend_fronts, pl_backend_tree;
#if PL_GPL
extern const pl_backend pl_backend_cholmod, pl_backend_umfpack;
#endif

struct pl_factor {
  pl_env *env;
  pl_factor_kind kind;
  const pl_backend *backend;
  void *state;
  int n, block, nthread;
  pl_threads
      *shared_threads; // the caller's; NULL: one of nthread is made where there is work for it
  pl_threads *threads; // the backend's, where it has some
  pl_csc given;        // the pattern as given (no values), to recognise it again
  pl_csc A;            // what the backend sees: the lower triangle, or everything for LU,
  int shared;          // 1: in the pattern of given
  pl_blocks blocks;    // what it sees instead, with the caller's values
  int *map;            // [A.nnz] index in the given values; NULL: the same
  pl_factor *spare;    // takes over where the backend gives up; made when first needed
  int by_spare;        // holds the last factorisation
  double *scale;       // [5n] for the estimate of the condition: r, c of pl_equilibrate and scratch
  int scaled;          // r and c belong to the values at hand
  double growth;       // of the factor over the matrix, at least 1: digits lost
  int ready;           // holds a usable factorisation
  pl_factor_info info; // backends fill inertia, rcond, flops and nnz
};

// f->threads: the caller's pool, or one of its own. NULL: one thread.
pl_status pl_factor_open_threads(pl_factor *f);
void pl_factor_close_threads(pl_factor *f);

// Powers of two r, c [n] that bring the largest entry of every row and column of diag(r) A diag(c)
// near 1; r = c for a symmetric A. most [2n] is scratch.
void pl_equilibrate(const pl_csc *A, double *r, double *c, double *most);

// The same of the values at hand into f->scale, unless they are there.
void pl_equilibrate_once(pl_factor *f);

// Pivot ratios above this never come from a singular matrix; below it, one looks closer.
#define PL_NOISE_PIVOT 1e-9

// A matrix whose smallest singular value is below this fraction of its size is singular to
// rounding.
#define PL_SINGULAR_RCOND (16 * DBL_EPSILON)

#endif
