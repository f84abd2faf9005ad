#ifndef ROTATION_IMPL_H
#define ROTATION_IMPL_H

// Rotations as modified Rodrigues vectors, axis tan(angle/4).

#include "pliant/math.h"

// -s/s.s is the same rotation, with rates by the chain rule; short vectors stay off the full turn.
// Returns whether it was replaced.
int rotation_shorten(double *s, double *v, double *a);
// The vector of a rotation R[3][3], no longer than one.
void rotation_vector(const double *R, double *s);
// The vector of R after that of s; R NULL: s.
void rotation_after(const double *R, const double *s, double *out);

#endif
