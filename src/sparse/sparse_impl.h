#ifndef PLIANT_SPARSE_IMPL_H
#define PLIANT_SPARSE_IMPL_H

#include "pliant/math.h"
#include "pliant/sparse.h"

#include <float.h>
#include <limits.h>

// An empty matrix with room for nnz entries.
pl_status pl_csc_alloc(pl_env *env, int n, int sym, int nnz, pl_csc *out);

// The pattern of groups of block unknowns, stored as A is (sym or full); values are zero.
pl_status pl_pattern_compress(pl_env *env, const pl_csc *A, int block, pl_csc *out);
// A fill-reducing order of A by minimum degree on groups of block unknowns: the unknown order[k]
// is eliminated k-th.
pl_status pl_order_blocks(pl_env *env, const pl_csc *A, int block, int *order);

// Serialises calls into solver code that keeps state in static variables (MUMPS, METIS).
void pl_solver_lock(void);
void pl_solver_unlock(void);

// ---- one factor type, several backends --------------------------------------------------------

// What a backend does. state is made by analyse; numeric and solve never allocate through env.
typedef struct pl_backend {
  const char *name;
  pl_status (*analyse)(pl_factor *f);
  void (*free)(pl_factor *f); // accepts a state that analyse left half made
  pl_status (*numeric)(pl_factor *f);
  pl_status (*solve)(pl_factor *f, int transposed, int nrhs, const double *b, double *x);
} pl_backend;

extern const pl_backend pl_backend_dense, pl_backend_mumps;
#if PL_GPL
extern const pl_backend pl_backend_cholmod, pl_backend_umfpack;
#endif

struct pl_factor {
  pl_env *env;
  pl_factor_kind kind;
  const pl_backend *backend;
  void *state;
  int n, block, nthread;
  pl_csc given;        // the pattern as given (no values), to recognise it again
  pl_csc A;            // what the backend sees: the lower triangle, or everything for LU
  int *map;            // [A.nnz] index in the given values; NULL: the same
  int ready;           // holds a usable factorisation
  pl_factor_info info; // backends fill inertia, rcond, flops and nnz
};

// A pivot smaller than this fraction of what its column was before elimination is rounding error.
static inline double pl_pivot_tolerance(int n) {
  return 4 * DBL_EPSILON * sqrt(n > 1 ? (double)n : 1);
}

#endif
