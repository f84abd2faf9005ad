#ifndef GRADIENT_IMPL_H
#define GRADIENT_IMPL_H

#include "pliant/gradient.h"

struct gradient_impl {
  pl_directions *directions;
  pl_work *w;                     // of its own: the run's stays what it is
  pl_factor *chol, *ldl, *factor; // factor: the one at hand
  int anchors, sliders;           // 1: the model has such memory
  double *bq, *bv, *ba;           // [n][nq] changes of the free unknowns alone
  double *out;                    // [n][nq]
  double *q1, *v1;                // [n][nq] a step before
  double *q0, *v0;                // [n][nq] where a step begins
  double *kept;                   // [2][n][nq] places and rates that were marked, NULL: none
  double *dq, *dv, *da, *tmp;     // [nq]
  double *eq, *ev, *ea;           // [nq] what the history does to driven scalars
  double *rhs, *x;                // [n][nfree]
  double *unit;                   // [n]
  pl_state *at;                   // the last equilibrium
  pl_state *side[2];              // where anchors move to, on either side of a difference
  pl_params **beside;             // [n][2] values on either side, NULL: nothing remembers
  double *by, *most;              // [n] by how much, and how far parameters may go
  double extent;                  // m, of the model at rest
};

// Derivatives of r at s for the changes that g has: drives are put into its driven unknowns.
pl_status gradient_force(pl_gradient *g, const pl_state *s, const pl_clock *c, int dynamic,
                         double *out);
// A factor of the exact tangent at s; x[nfree] = T^-1 b, or of the transpose.
pl_status gradient_factor(pl_gradient *g, const pl_state *s, const pl_clock *c, const pl_coef *coef,
                          int dynamic);
typedef struct tangent {
  const pl_state *s;
  const pl_coef *coef;
  int dynamic, transposed;
} tangent;
pl_status gradient_solve(pl_gradient *g, const tangent *t, const double *b, double *x);

// Values on either side of those of the run, for what remembers.
pl_status memory_open(pl_gradient *g);
void memory_close(pl_gradient *g);
// What the history does to driven scalars besides dq, dv and da, into eq, ev and ea.
void memory_drive(pl_gradient *g, const pl_state *s, const pl_clock *c, int i);
// Anchors and sliders of x move; places and rates of scalars and the history follow.
void memory_commit(pl_gradient *g, const pl_state *x, const pl_clock *c, int i);

#endif
