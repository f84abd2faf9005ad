#ifndef TAUT_IMPL_H
#define TAUT_IMPL_H

#include "interlock_impl.h"

// A periodic cell of rigid elements. Unknowns: translation and rotation of each element, but for
// what moves all of them, and what deforms the sheet: strains of the lattice, a curvature.

static const double CELL_SHRINK = 0.3; // no cell is compressed further than to this
enum { STENCIL = 12 + PL_TAUT_FREE };  // unknowns that a gap depends on

typedef struct pair {
  int i, j;        // elements
  int cell[2];     // of the second
  double shift[2]; // its lattice vector
  int linked;      // -1: not known yet
} pair;

typedef struct contact {
  int pair, piece[2];
  pl_approach at;
} contact;

struct pl_cell {
  pl_env *env;
  int nelem, npair, cap_pair;
  const pl_mail_element **elem; // [nelem]
  int *of;                      // [nelem] elements of the material's cell
  pl_pose *ref;                 // [nelem]
  double lattice[2][2];
  double thin, wire, range; // smallest radius; thinnest wire; a ball about an element's origin
  double disk;              // radius of a disk of elements alone; 0: periodic
  pair *pair;
};

// as pl_cell_gap, of gaps below a cut
double cell_gap_within(pl_cell *c, double cut, pl_taut_contact *where);

// What is known of the pieces of a pair of elements since they were looked at: where these were,
// and for each two pieces a gap that they have at least; -HUGE_VAL: they are near.
typedef struct outlook {
  int seen;
  pl_pose at[2];
  double *clear; // [pieces of the first][of the second]
} outlook;

typedef struct state {
  double e[PL_TAUT_FREE]; // curvatures times the cell's reach
  pl_pose *pose;
} state;

typedef struct taut taut;

// How the motion of a body in the world follows from the unknowns: translation and rotation by its
// own six (A) and by what deforms the sheet (G).
typedef struct motion_map {
  int own, sheet; // 0: A is I; G is zero
  int curved;     // 0: K is zero
  double A[6][6], G[6][PL_TAUT_FREE];
  double K[6 + PL_TAUT_FREE][6 + PL_TAUT_FREE]; // second derivatives, times a gradient
} motion_map;

// A shape that sheets are brought to.
typedef struct placing {
  pl_pose (*home)(const pl_cell *c, int elem); // where an element is at rest
  double (*most)(const taut *t);               // as in taut
  void (*shape)(const taut *t, const double *e, double stretch[3], double curvature[3]);
  // What follows from the unknowns of a state.
  void (*settle)(const taut *t, state *s);
  // The second body of a pair; 0: the pair does not count.
  int (*image)(const taut *t, const state *s, const pair *p, pl_pose *out);
  // The motion of a body, for a gradient by it.
  void (*transport)(const taut *t, const state *s, const pair *p, int which, const double g[6],
                    motion_map *out);
  // Most that the step moves both bodies towards each other besides their own motions.
  double (*travel)(const taut *t, const pair *p);
  // A distance that the origins of both have at least, where that is sooner found than the image.
  double (*apart)(const taut *t, const state *s, const pair *p);
} placing;
extern const placing placing_flat, placing_cylinder, placing_disk;

// Disks whose mean strain is told: 1, else 0. Their mean gradient G of the plane (xx, yy, xy) for a
// state's free numbers: G^2 and the mean of the slopes of the paraboloid are the metric.
int disk_is_strained(const taut *t);
void disk_gradient(const taut *t, const double *e, double G[3]);
// How far that is from linear along the step.
double disk_bow(const taut *t);

// An unknown that others determine: the sum of row times them.
typedef struct tie {
  int pivot;
  double *row; // [nz]
} tie;

enum { TIES = 6 };

struct taut {
  pl_cell *c;
  const pl_taut_opts *o;
  const pl_taut_goal *g;
  const placing *place;
  int nz;      // unknowns
  int nfree;   // of what deforms the sheet, the last ones
  int nstrain; // of these strains, which are the first
  int *at;     // [6 nelem + nfree] where an unknown is, -1: it is none
  int ntie;
  tie tie[TIES];
  double *tie_row; // of all of them
  double range;    // of the repulsion
  double goal[PL_TAUT_FREE];
  double wall[PL_TAUT_FREE], most; // what is looked at no farther than this, and how far
  double unit;                     // of curvatures: 1 / reach of the cell
  double measure;                  // of the goal: 1, or this unit
  state now, trial;
  double *grad, *H, *step, *eig, *V;
  double *scale; // [nz] a unit of an unknown moves points by about this (m)
  int ncontact, cap_contact;
  contact *contact; // of the state that was evaluated last
  int nlast, cap_last;
  contact *last;    // those before them
  double gap;       // smallest of them
  outlook *outlook; // [npair]; NULL: all pieces are looked at every time
  double *clear;    // of all of them
  int patient;      // weights are left at their minimum only
  int plain;        // places beside flat minima are left out
  int walled;       // nothing holds the state but the largest that is looked at
  double left;      // what another step would gain
  double shift;     // of curvatures in the last step
  double bow;       // of a strained disk along the step
  // Places where a step would have made pieces overlap without any minimum near them before it:
  // they keep their distance, too.
  int nguard, cap_guard;
  contact *guard;
  pl_taut *out;
};

void pair_offset(const pl_cell *c, const pair *p, double out[2]); // from the first to the second
int pair_linked(pl_cell *c, int k);

double fold_curvature(pl_cell *c, const double along[2]); // largest that is looked at

// ---- unknowns and derivatives by them -----------------------------------------------------------

void number_unknowns(taut *t);
// The unknowns that others determine follow the state where that is not linear: before each step.
void refresh_ties(taut *t);
void scale_unknowns(taut *t); // so that a unit of one moves points by about this
// Derivatives by unknowns that others determine go to those; steps of these follow from theirs.
void apply_ties(taut *t);
void step_ties(taut *t);
double step_of(const taut *t, int elem, int k); // 0: of no unknown
// Gradient and Hessian (NULL: not wanted) of a gap in all that it depends on: twelve motions, then
// what deforms the sheet; to[]: which unknowns these are, -1: none.
void gap_slopes(const taut *t, const state *s, const contact *k, int to[STENCIL], double g[STENCIL],
                double H[STENCIL][STENCIL]);

// The most that any motion gains to first order, of no unknown by more than the smallest radius, in
// the measure of the goal; and the forces [ncontact] of contacts that prove it, from some. They
// balance where the state is a limit.
pl_status certify(const taut *t, double *force, double *bound);

// ---- walls.c ------------------------------------------------------------------------------------

// -(1 - x)^2 log x with x = gap / reach, and its derivatives by the gap
double repulsion(double gap, double range, double d[2]);
// Repulsion of what is looked at no farther; DBL_MAX: beyond.
double walls_value(const taut *t, const double *e);
void walls_add(taut *t, const double *e, double weight);
// 0: none of it holds the state with a force of that much; else as in pl_taut.open
int walls_hold(const taut *t, double weight, double least);
// Shortest that a unit of the sheet gets.
double least_stretch(const taut *t);

// ---- contacts of a state ------------------------------------------------------------------------

// The lattice's stretch, minus I: (xx, yy, xy); S x for such an S.
void goal_stretch(const pl_taut_goal *g, const double *e, double out[3]);
void apply_strain(const double S[3], const double x[2], double out[3]);
const pl_piece *contact_piece(const pl_cell *c, const contact *k, int which);
// Gap of a contact in another state, where it has moved to; 0: it is gone.
int contact_follow(const taut *t, const state *s, contact *k);
// From now on pieces that are known to be apart are not looked at.
pl_status open_outlook(taut *t);
// All contacts of a state within reach. PL_DOMAIN: some pieces overlap, or the cell has shrunk so
// far that others might.
pl_status find_contacts(taut *t, const state *s);
// Adds those that guard the current state to its own; both.
pl_status guard_state(taut *t);
pl_status refresh_contacts(taut *t);
// Contacts below a gap, of a step that went too far, guard the state from now on.
pl_status add_guards(taut *t, double gap);

#endif
