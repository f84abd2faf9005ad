#ifndef INTERLOCK_IMPL_H
#define INTERLOCK_IMPL_H

#include "pliant/interlock.h"
#include "pliant/math.h"

// a pair of pieces where they are
typedef struct couple {
  const pl_piece *piece[2];
  const pl_pose *pose[2];
  int nu[2]; // parameters
  int on[2]; // parts, of facets
} couple;

// distance and what its derivatives need
typedef struct view {
  pl_swept s[2];           // turned into the world, places included
  double w[3], n[3], dist; // from the second point to the first
  double gap;
} view;

couple couple_of(const pl_piece *a, const pl_pose *at, const pl_piece *b, const pl_pose *bt,
                 const int on[2]);
void couple_view(const couple *c, const double u[4], view *v);
// by the parameters of both, those that the pieces have: k = nu[0] + nu[1] of them
int couple_slopes(const couple *c, const view *v, double g[4], double H[4][4]);

// The image of a pose a place x of the flat sheet away, where that is rolled up about an axis
// across an angle, k its curvature: the rotation R from one to the other, and the motions
// (translation, then rotation) of the image by x, by y and by the curvature (place.c).
void rolled_image(double angle, double k, const double x[2], const pl_pose *from, pl_pose *out,
                  double R[9], double by[3][6]);
// Whether elements whose places in the flat sheet are x apart count as a pair on that cylinder.
int rolled_counts(double angle, double k, const double x[2]);

// A contact of a taut state (shape.c): the second element where it is, with its rotation against
// that of its own cell and its motions as above; the gradient of the gap by both motions.
typedef struct contact_place {
  pl_pose second;
  double R[9], by[3][6];
  double slope[12];
} contact_place;
contact_place contact_at(const pl_mail *m, const int copies[2], const pl_taut *t,
                         const pl_taut_contact *k);
// An element of a cell of copies at rest (shape.c).
pl_pose rest_image(const pl_mail *m, const int copies[2], int elem, const int cell[2]);
// Whether elements that are x apart at rest count as a pair in a state of a cell.
int taut_counts(const pl_taut *t, const double x[2]);
// the lattice vector of the second element
void contact_shift(const pl_mail *m, const int copies[2], const pl_taut_contact *k, double L[2]);

// balls about both pieces do not come closer than that
double couple_ball_gap(const couple *c);
// places of the couple's parameters within u
void couple_places(const couple *c, int at[4]);
// Newton's step where the curvatures are all positive. 1: they are.
int couple_newton(int k, const double g[4], const double H[4][4], double step[4]);
// smallest curvature over the largest, and its direction; a step with all taken for their sizes
double couple_curvatures(int k, const double g[4], const double H[4][4], double step[4],
                         double lowest[4]);
// the smallest curvature of a minimum over its largest
double approach_roundness(const pl_piece *a, const pl_pose *at, const pl_piece *b,
                          const pl_pose *bt, const pl_approach *approach);
// keeps sections of pieces within their ends
void couple_inside(const couple *c, double u[4]);
// Adds a minimum that is not yet there; where there is no room, instead of the farthest one.
int put_approach(const couple *c, const double u[4], double gap, int n, pl_approach *approach);
// Minima that are reached from a start; from saddles, those on both of their sides.
int seek_minima(const couple *c, const double start[4], double cut, int depth, int n,
                pl_approach *approach);

// parameters of a piece, and its point, on a part where it has facets
int piece_nu(const pl_piece *p, int part);
void piece_at(const pl_piece *p, int part, const double u[2], pl_swept *out);

int facets_nu(const pl_facets *f, int part);
int facets_count(const pl_facets *f); // parts
void facets_at(const pl_facets *f, int part, const double u[2], pl_swept *out);
// a way down among the parts of facets: as the polishing of smooth pieces
int facets_descend(couple *c, double u[4], view *v, double lowest[4]);
void facets_inside(const pl_facets *f, int part, double u[2]);
// local minima against facets
int facets_gaps(const couple *c, double cut, pl_approach *approach);
double facets_radius(const pl_facets *f, double centre[3]);
// closed ways along edges; edge k of one of them, from its one end to the other, 0: it has less
int facets_loops(const pl_facets *f);
int facets_way(const pl_facets *f, int loop, int k, double x[2][3]);

int facets_are_line(const pl_facets *f);
// radius of a tube with as much volume a surface; 0: they bound no body
double facets_wire(const pl_facets *f);
// how fast a point of a part moves along n, by rates of the corners
double facets_rate(const pl_facets *f, const pl_facets *d, int part, const double u[2],
                   const double n[3]);
// corners of the second, of as many, grow by w times those of the first
void facets_add(const pl_facets *f, double w, const pl_facets *to);
double piece_wire(const pl_piece *p);                   // half the thickness of a wire, 0: a plate
double piece_speed(const pl_piece *p);                  // along its curve, at most
int piece_cuts_itself(const pl_piece *p);               // as far as samples tell
double piece_radius(const pl_piece *p, double from[3]); // radius of a ball about a middle

#endif
