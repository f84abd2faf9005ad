#ifndef HARMONIC_PAIRS_H
#define HARMONIC_PAIRS_H

#include "harmonic_impl.h"

// Pairs (pl_elem_kind.stretch) over a period: forces along one elongation d(t) that have kinks,
// steep places or memory. Between the events (passages of d or its rate through the levels of the
// law, for sliders reversals and beginnings of slip) they are smooth.

// Phases between two events.
typedef struct span {
  double from, to; // 0 <= from < to <= from + 2 pi
  // sliders
  int slip;     // 0: sticks, 1 or -1: slips to that side
  double w;     // the slider's place while it sticks
  double since; // phase at which a slip to `side` left it there; < 0: never moved
  int side;
} span;

// One pair, its motion and its spans.
typedef struct pair {
  const pl_elem_kind *kind;
  const double *par, *rest; // rest[0] of a slider is where it is at rest
  int ndof;
  int N;           // samples that events are looked for between
  int order;       // of the series below
  double *c;       // [ndof][2 order + 1]
  double omega;    // rad/s
  double *sample;  // [N]
  double *event;   // [cap] phases, in order
  double *extreme; // [cap] sliders: d there
  int nevent, cap;
  span *span; // [2 cap + 1] cover one period
  int nspan;
} pair;

// Room for pairs of `ndof` unknowns at most, series of an order, and N samples.
pl_status pair_open(pl_env *env, int ndof, int order, int N, pair *x);
void pair_close(pl_env *env, pair *x);
// Local unknowns and their derivatives by the phase, both [ndof].
void pair_motion(const pair *x, double phase, double *q, double *v);
// Finds the events and the spans between them. 1: outside the domain.
int pair_timeline(pair *x);
// rest[] of the pair at a phase in a span: with the slider where it is, or where it makes the
// kernel slip.
void pair_rest(const pair *x, const span *s, const double *q, double *rest);

// All pairs of a balance.
typedef struct pairs pairs;
pl_status pairs_create(pl_hb *hb, pairs **out); // NULL when there are none
void pairs_free(pl_env *env, pairs *p);
// Fills the motion of an element from hb->zfull and the drives, and finds its spans.
int pairs_load(const pl_hb *hb, int group, int elem, const int *dof, pair *x);
// Adds a batch's forces to hb->inner and hb->hw, its tangents to the pairs' coefficients.
int pairs_batch(pl_hb *hb, const pl_batch *e, int thread, int *bad);
// Adds what sliders remember to the Jacobian.
void pairs_memory(pl_hb *hb);

// Adds y . dh/dp_i of pairs to out[nknob] (dp NULL), or sum_i dp_i dh/dp_i to out[n]
// (pair_change.c).
pl_status pairs_change(pl_hb *hb, pl_directions *k, const pl_orbit *o, const double *dp,
                       const double *y, double *out);
// Quadrature over a span: calls fn at each of its phases; anything but PL_OK ends it.
typedef pl_status (*pairs_phase_fn)(void *ctx, double phase, double weight);
pl_status pairs_integrate(const pl_hb *hb, const span *s, pairs_phase_fn fn, void *ctx);
// weight times the functions c0 s1 c1 ... up to an order, scaled so that sums are coefficients.
void pairs_basis(double phase, double weight, int order, double *t);

// ---- balance.c --------------------------------------------------------------------------------

// Coefficients of a pair of unknowns: 4H + 1 of K, then as many of D.
double *hb_pair(const pl_hb *hb, int k);

#endif
