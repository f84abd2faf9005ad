#ifndef DESCENT_H
#define DESCENT_H

#include "patch_impl.h"

// Newton's method for the energy of a patch: gravity and loads, the repulsion of all gaps with one
// weight and, of motions in time, inertia and friction. Multipliers of the gaps are followed beside
// the motion, which makes long steps good when the weight falls.

// Where inertia takes an element: stiff / 2 |c - aim|^2 - tr(Q A') of its centre of mass c.
typedef struct body_aim {
  double stiff, aim[3], A[9];
} body_aim;

// Friction of a contact over a time step: limit f(|u|) of how far both elements have slid past each
// other, u = T' (motion of the first's point less that of the second's).
typedef struct rub {
  int i, j;                   // j < 0: an obstacle, which does not move
  double arm[2][3];           // of the points from the elements' origins, in axes of the elements
  double from[2][3], T[2][3]; // where the points were; unit directions across the normal
  double limit;               // N, coefficient times normal force
} rub;

typedef struct descent {
  patch p;
  double force, unit;  // of a mean element (N); the energy of it over the thinnest wire (J)
  double weight;       // of the repulsion (J)
  double shift;        // damping of relative motion over unit / thin^2
  double twist;        // what elements that push each other resist turning apart, over force * thin
  int mend;            // 1: the curvature of gaps along steps is taken back
  const body_aim *aim; // [n]; NULL: no inertia
  int nrub;
  const rub *rub;
  double slip; // m, up to which friction grows in a step
  pl_pose *at, *trial;
  holds now, next, displaced; // contacts of both states; those of `now` in the other one
  double gap;
  int cap_slope;
  slopes *slope; // [now.n]
  double *grad;  // [6 nfree]
  double *step;  // [6 nfree]
  int cap_value;
  double *undamped; // [K.nnz] curvatures without damping
  double *damping;  // [K.nnz] what a shift of one adds to them
  double *damp;     // [n] damping of an element over that of all
  int *group;       // [2 n] those that touch each other; of the last one of a group: it stays
  double *limit;    // [n] part of the step that it can go
  double *fix;      // [6 nfree] what takes back the curvature of a step
  double *fixed;    // [n] how far that moves any point
  blocks K;
  double stiffest;   // largest curvature of an unknown
  double left, part; // what a whole step would gain (J); how much of it is tried
  int iterations, factors;
} descent;

// From the poses of the patch. PL_E_INPUT: elements overlap, or nothing pulls at them.
pl_status descent_open(descent *d, pl_env *env, const pl_patch *in, double barrier, int whole,
                       pl_threads *threads);
void descent_close(descent *d);
// Looks for all contacts anew, as if there had been none before.
pl_status descent_restart(descent *d);
// Slopes of all contacts, gradient and matrix.
pl_status descent_assemble(descent *d);
// Newton's step, and `left`.
pl_status descent_direction(descent *d);
// Goes along it as far as that is good; *by: the part of it, 0: it is not.
pl_status descent_step(descent *d, double *by);
// Multipliers stay near what gaps make of them.
void descent_bound(const descent *d, holds *all);

// -(1 - x)^2 log x with x = gap / reach, and its derivatives by the gap
double descent_barrier(double gap, double range, double d[2]);
double descent_push(const descent *d, const hold *h); // N, what the repulsion makes of a gap
double descent_imbalance(const descent *d);           // N, largest force and moment of an element
void descent_pull(const descent *d, int i, double out[3]);          // N, gravity and load
double descent_along(const descent *d, int k, const double *x);     // of a gap along a motion
void descent_spread(const descent *d, int k, double by, double *x); // adds so much of its slope
// Forces of contacts that balance best, in place of their multipliers, once slopes are assembled;
// *residual: the largest force and moment of an element that is left.
pl_status rest_forces(descent *d, double *residual);

// What a shift of one adds to the matrix.
pl_status damping_assemble(descent *d);
// The step anew, with damping that has changed.
pl_status descent_damp(descent *d);

// A way to rest: where the iteration of a weight stands.
typedef struct rest_course {
  int i, since, tries; // iterations; that of the last good one; times that forces were asked for
  double best;         // smallest of what was left
} rest_course;
// Contacts, matrix and pairs as they are after going on from what was kept; keeps that.
pl_status rest_keep(descent *d, const rest_course *c, const pl_rest_keeper *keeper);
// Goes on from what was kept.
pl_status rest_load(descent *d, size_t n, const double *x, rest_course *c);

// terms of gradient and matrix
void descent_clear(descent *d);
void descent_gravity(descent *d, int i, int bends);
// A force on a gap, with a curvature along it, and as it turns with the elements.
void descent_contact(descent *d, int k, double force, double bend, double rot);
// inertia and friction, and how their energy changes from `at` to `trial`
void descent_inertia(descent *d, int i);
void descent_rub(descent *d, const rub *f);
double descent_inertia_change(const descent *d, int i);
double descent_rub_change(const descent *d, const rub *f);
double descent_rub_work(const descent *d, const rub *f); // J, what it has taken in the step

#endif
