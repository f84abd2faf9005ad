#ifndef HARMONIC_ENVELOPE_H
#define HARMONIC_ENVELOPE_H

#include "harmonic_impl.h"

// Symmetric definite matrices in the envelope of a lower triangle whose entries are near the
// diagonal, and products with eight vectors at a time. Column j holds rows j .. last[j].
typedef struct envelope {
  int n;
  const pl_csc *P;  // the triangle, with all diagonals,
  int *first, *row; // [n + 1], [nnz] and its columns
  int *last;        // [n] of the columns in the envelope,
  size_t *start;    // [n + 1] their places,
  size_t *at;       // [nnz] and those of the triangle's entries
  char *same;       // [n] how many of the next columns have the same rows, up to two
} envelope;

pl_status envelope_open(pl_env *env, const pl_csc *P, envelope *e);
void envelope_close(pl_env *env, envelope *e);
// Numbers that a matrix takes.
size_t envelope_size(const envelope *e);
// L D L' = matrix with values val on the triangle; 0: it is not definite.
int envelope_factor(const envelope *e, const double *val, double *L);
// The same for eight matrices, val[nnz] with steps of `step`; an entry's lanes are theirs.
int envelope_factor_packs(const envelope *e, const pl_pack *val, int step, pl_pack *L);
// x = (L D L')^-1 x, each lane with its own factor.
void envelope_solve_packs(const envelope *e, const pl_pack *L, pl_pack *x);
// x = (L D L')^-1 x; next: a factor that is wanted soon, NULL: none.
void envelope_solve(const envelope *e, const double *L, const double *next, pl_pack *x);
// y += f A x for values on the triangle.
void envelope_multiply(const envelope *e, const double *val, double f, const pl_pack *x,
                       pl_pack *y);

#endif
