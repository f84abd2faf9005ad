#ifndef TAUT_IMPL_H
#define TAUT_IMPL_H

#include "interlock_impl.h"

// A periodic cell of rigid elements. Unknowns: translation and rotation of each element (the first
// is not translated), and strains of the lattice.

static const double CELL_SHRINK = 0.3; // no cell is compressed further than to this

typedef struct pair {
  int i, j;        // elements
  int cell[2];     // of the second
  double shift[2]; // its lattice vector
} pair;

typedef struct contact {
  int pair, piece[2];
  pl_touch at;
} contact;

struct pl_cell {
  pl_env *env;
  int nelem, npair, cap_pair;
  const pl_mail_element **elem; // [nelem]
  pl_pose *ref;                 // [nelem]
  double lattice[2][2];
  double thin, reach; // the thinnest wire; a ball about an element's origin
  pair *pair;
};

typedef struct state {
  double e[3];
  pl_pose *pose;
} state;

typedef struct taut {
  pl_cell *c;
  const pl_taut_opts *o;
  const pl_taut_goal *g;
  int nz;       // unknowns: six an element but for the first translation, then strains
  double reach; // of the repulsion
  state now, trial;
  double *grad, *H, *step, *eig, *V;
  double *scale; // [nz] a unit of an unknown moves points by about this (m)
  int ncontact, cap_contact;
  contact *contact; // of the state that was evaluated last
  int nlast, cap_last;
  contact *last; // those before them
  double gap;    // smallest of them
  double left;   // what another step would gain
  // Places where a step would have made pieces overlap without any minimum near them before it:
  // they keep their distance, too.
  int nguard, cap_guard;
  contact *guard;
  pl_taut *out;
} taut;

// ---- contacts of a state ------------------------------------------------------------------------

// The lattice's stretch, minus I: (xx, yy, xy); S x for such an S.
void goal_stretch(const pl_taut_goal *g, const double *e, double out[3]);
void apply_strain(const double S[3], const double x[2], double out[3]);
// The second element of a pair, where its cell is.
pl_pose pair_image(const taut *t, const state *s, const pair *p);
const pl_piece *contact_piece(const pl_cell *c, const contact *k, int which);
// Gap of a contact in another state, where it has moved to; 0: it is gone.
int contact_follow(const taut *t, const state *s, contact *k);
// All contacts of a state within reach. PL_DOMAIN: some pieces overlap, or the cell has shrunk so
// far that others might.
pl_status find_contacts(taut *t, const state *s);
// Adds those that guard the current state to its own; both.
pl_status guard_state(taut *t);
pl_status refresh_contacts(taut *t);
// Contacts below a gap, of a step that went too far, guard the state from now on.
pl_status add_guards(taut *t, double gap);

#endif
