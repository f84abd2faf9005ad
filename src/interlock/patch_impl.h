#ifndef PATCH_IMPL_H
#define PATCH_IMPL_H

#include "interlock_impl.h"
#include "pliant/sparse.h"

// Finite patches of rigid elements. Unknowns: translation of each element that moves, and its
// rotation times the radius of its ball, so that all of them are lengths.

typedef struct hold { // a contact
  int i, j;           // elements; j = -1 - k: obstacle k
  int piece[2];
  pl_approach at;
  double force; // N, the multiplier of the gap
  double share; // of the repulsion of a contact
  int whole;    // 1: of all of both pieces (wires.c, facet_sum.c)
  double clear; // smallest gap
} hold;

typedef struct holds {
  int n, cap;
  hold *item; // by elements, then by pieces
} holds;

// Pairs of elements that may meet, i < j, sorted.
typedef struct near_pairs {
  int n, cap;
  int (*pair)[2];
} near_pairs;

// All pairs of balls about x whose distance is below `far`, but for those of two held ones.
pl_status near_find(pl_env *env, int n, const pl_pose *at, const double *radius, const char *held,
                    double far, near_pairs *out);

typedef struct slopes { // derivatives of a gap by the unknowns of both elements
  double g[12], H[12][12];
} slopes;

typedef struct search search; // scratch of threads
typedef struct patch {
  pl_env *env;
  const pl_patch *in;
  pl_threads *threads;
  double thin, ball, range;   // thinnest wire, largest ball, reach of the repulsion
  double body;                // thinnest of bodies: wires, or half of what skins of meshes enclose
  double *radius;             // [n] balls about origins
  double *wire;               // [n] thinnest wire
  double *mass, (*middle)[3]; // [n] centre of mass from the origin, in axes of the element
  int nfree;
  int *unknown; // [n] its block, -1: held
  near_pairs near;
  search *search;
  int nsearch; // searches for all contacts
  int sides;   // 1: places on both sides of flat minima are contacts, too
  int wires;   // 1: elements are of round wires alone, which wires.c knows
  int facets;  // 1: they are of facets, which facet_sum.c knows
  int whole;   // 1: these have one contact, of all of both
} patch;

pl_status patch_open(pl_env *env, const pl_patch *in, double barrier, pl_threads *threads,
                     patch *p);
void patch_close(patch *p);
pl_status patch_measure(patch *p); // sizes, masses, unknowns
// Pairs whose balls are nearer than that.
pl_status patch_near(patch *p, const pl_pose *at, double far);
// All contacts within reach of elements at `at`, without forces (NaN); those of `old` are followed,
// too. *gap: the smallest.
pl_status patch_contacts(patch *p, const pl_pose *at, const holds *old, holds *out, double *gap);
// Order of elements and pieces; how far two places are from each other on the same pieces.
int holds_compare(const hold *a, const hold *b);
double approach_separate(const pl_approach *a, const pl_approach *b);
// Gap of a contact in another state, where it has moved to; 0: it is gone.
int hold_follow(const patch *p, const pl_pose *at, hold *h);
// One gap of all of two round wires, and the smallest one; its derivatives.
int wires_know(const pl_piece *p);
double wires_gap(const pl_piece *const piece[2], const pl_pose *const pose[2], double range,
                 double *least);
void wires_derivatives(const pl_piece *const piece[2], const pl_pose *const pose[2], double range,
                       double g[12], double H[12][12]);
// The same of two pieces of facets.
int facets_know(const pl_piece *p);
double facets_gap(const pl_piece *const piece[2], const pl_pose *const pose[2], double range,
                  double *least);
void facets_derivatives(const pl_piece *const piece[2], const pl_pose *const pose[2], double range,
                        double g[12], double H[12][12]);
// By motions of both elements, in lengths.
void hold_slopes(const patch *p, const pl_pose *at, const hold *h, slopes *out);
const pl_piece *hold_piece(const patch *p, const hold *h, int which);
// sum: pairs of near pieces that are linked; group[n] (may be NULL) becomes a forest of elements
// that are linked with each other. PL_CANCELLED: the host wants to stop.
pl_status patch_links(const patch *p, const pl_pose *at, int *group, int *sum);
int group_root(const int *group, int i);

double element_ball(const pl_mail_element *e);
double element_wire(const pl_mail_element *e);
// Second moment about the centre of mass over the mass; pieces count where they overlap.
void element_moment(const pl_mail_element *e, double S[9]);

// ---- pieces and obstacles -----------------------------------------------------------------------

int obstacle_gaps(const pl_piece *a, const pl_pose *at, const pl_obstacle *o, double cut,
                  pl_approach approach[PL_APPROACH_MAX]);
int obstacle_follow(const pl_piece *a, const pl_pose *at, const pl_obstacle *o,
                    pl_approach *approach);
void obstacle_slopes(const pl_piece *a, const pl_pose *at, const pl_obstacle *o,
                     const pl_approach *approach, double grad[6], double H[6][6]);

// ---- the matrix ---------------------------------------------------------------------------------

typedef struct blocks { // of pairs of elements that touch, or did
  int n;
  int *row, *col; // by columns, each with its diagonal block first
  pl_csc A;
  int *slot;
  pl_factor *factor;
} blocks;

// Makes it when some contact has no block; pairs that it had stay while they are near.
pl_status blocks_fit(const patch *p, const holds *h, blocks *b);
void blocks_free(pl_env *env, blocks *b);
// Adds c * H[6][6] for unknown blocks i and j (negative: none), of a matrix that is symmetric.
void blocks_add(blocks *b, int i, int j, double c, const double *H, int stride);

#endif
