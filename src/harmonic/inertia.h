#ifndef HARMONIC_INERTIA_H
#define HARMONIC_INERTIA_H

#include "envelope.h"

// Masses in an envelope, and vibrations about a stiffness K on its triangle; eight vectors at a
// time.
typedef struct inertia {
  pl_env *env;
  const envelope *e;
  const double *M;      // [nnz] on the triangle
  const double *lumped; // [n] where it is diagonal; NULL: it is not
} inertia;

// y = M x
void inertia_times(const inertia *b, const pl_pack *x, pl_pack *y);
// The largest of the four lowest frequencies that is not above a limit; 0: not found.
pl_status inertia_lowest(const inertia *b, const double *K, double limit, double *w);
// Places x[n] and rates x[n .. 2n] at random, but for vibrations above a frequency `cut`. They went
// through a low pass, y = shift (K + shift M)^-1 M z with shift = cut^2, three times; places before
// the last of them are in x[2n .. 3n], so that M^-1 K x = shift (z - x). x[4n] has room for them.
// *found 0: the matrix is not definite.
pl_status inertia_start(const inertia *b, const double *K, double cut, pl_pack *x, int *found);

#endif
