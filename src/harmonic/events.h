#ifndef HARMONIC_EVENTS_H
#define HARMONIC_EVENTS_H

#include "floquet_impl.h"
#include "pairs.h"

// Deviations of a motion with pairs. Between events the linearised equation is smooth; forces are
// continuous, so deviations pass events unchanged. A slider is a further unknown w: it pulls while
// it sticks, and where a slip ends it is reset to the deviation of the elongation, dw = n.dx.

typedef struct slide {
  int used;             // slips at all; others are springs
  int at;               // its place among the unknowns x, x', w
  int row[PL_NDOF_MAX]; // places of its unknowns in x, -1: not free
  pair x;
} slide;

typedef struct events {
  variation *v;
  const int *place; // [n] of unknowns in x; NULL: as they are
  pl_hb hb;         // what pairs_load asks for, and no balance
  int n, m;         // free unknowns, sliders that slip
  int *first;       // [ngroup] of sliders
  int nslide;
  slide *slide;
  pair scratch;
  int nbreak, cap;
  double *at; // [nbreak] phases of events, in order; the first is 0
  pl_status status;
} events;

pl_status events_find(variation *v, const int *place, events *e);
void events_close(events *e);
// Stiffness H[ndof][ndof] of a slider at a phase, and what w pulls while it sticks (else 0),
// pull[ndof]. 1: outside the domain.
int slide_at(const slide *s, double phase, double *H, double *pull);
// Sliders whose slip ends at a phase are left where the elongation is, in ncol columns, which lie
// `across` and whose entries lie `down` apart.
void events_reset(const events *e, double phase, int ncol, int across, int down, double *y);

#endif
