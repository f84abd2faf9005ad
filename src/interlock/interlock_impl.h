#ifndef INTERLOCK_IMPL_H
#define INTERLOCK_IMPL_H

#include "pliant/interlock.h"
#include "pliant/math.h"

// a pair of pieces where they are
typedef struct couple {
  const pl_piece *piece[2];
  const pl_pose *pose[2];
  int nu[2];
} couple;

// distance and what its derivatives need
typedef struct view {
  pl_swept s[2];           // turned into the world, places included
  double w[3], n[3], dist; // from the second point to the first
  double gap;
} view;

void couple_view(const couple *c, const double u[4], view *v);
// by the parameters of both, those that the pieces have: k = nu[0] + nu[1] of them
int couple_slopes(const couple *c, const view *v, double g[4], double H[4][4]);

// contacts of a taut state (shape.c): gradient of the gap; the lattice vector of the second element
void contact_slopes(const pl_mail *m, const int copies[2], const pl_taut *t,
                    const pl_taut_contact *k, double by[12]);
void contact_shift(const pl_mail *m, const int copies[2], const pl_taut_contact *k, double L[2]);

double piece_speed(const pl_piece *p);                 // along its curve, at most
int piece_cuts_itself(const pl_piece *p);              // as far as samples tell
double piece_reach(const pl_piece *p, double from[3]); // radius of a ball about a middle

#endif
