#ifndef FLOQUET_IMPL_H
#define FLOQUET_IMPL_H

#include "harmonic_impl.h"

// Small deviations x of a motion obey M x'' + D(t) x' + K(t) x = 0 in the free unknowns. Time is
// the phase omega t from here on, so that D counts omega times and M omega^2 times.

enum {
  HILL_MAX = 400, // unknowns of Hill's matrix, nfree (2H + 1)
  DENSE_MAX = 50, // free unknowns up to which the monodromy matrix is a dense one
};

// The linearised equation along an orbit, columns first where dense.
typedef struct variation {
  pl_env *env;
  const pl_model *m;
  const pl_params *p;
  pl_work *w;
  const pl_orbit *o;
  pl_state *s;
  int n; // free unknowns
  double omega;
  const pl_csc *at; // pattern of the values below, full storage; NULL: dense
  double *K, *D;    // where variation_at puts its values
} variation;

pl_status variation_open(const pl_model *m, const pl_params *p, pl_work *w, const pl_orbit *o,
                         variation *v);
void variation_close(variation *v);
// K and D at a phase, exact and unsymmetric: dense [n][n], or values on a pattern.
pl_status variation_at(variation *v, double phase, const pl_csc *pattern, double *K, double *D);
// Mass as it counts in the phase, dense or on a pattern.
void variation_mass(variation *v, const pl_csc *pattern, double *M);

enum { TANGENTS_PLAIN = 1, TANGENTS_DASHPOTS = 2, TANGENTS_EVENTS = 4, TANGENTS_ALL = 7 };

// K and D on the pairs of unknowns that share an element, at many phases at once; unknowns in an
// order that keeps pairs near the diagonal.
typedef struct tangents {
  pl_env *env;
  variation *v;
  int n;
  int symmetric;      // K and D are: pairs below the diagonal alone
  int rated;          // elements have a D
  int *order, *place; // [n] unknown at a place, place of an unknown
  pl_csc P;           // pairs by places
  int *slot;          // of element entries
  size_t *slot0;      // [ngroup + 1]
  int *mirror;        // [P.nnz] of the transposed pair, when not symmetric
  unsigned part;      // of the elements: plain ones, those with dashpots, those with events
  int nfew, *few;     // unknowns that they have, of free ones; NULL: any
  int nphase, npack;  // packs of phases; what is left of the last one repeats the last phase
  pl_pack *q;         // [npack][2][nq] motion
  pl_pack *K, *D;     // results
  pl_pack *f;         // [npack][nq] forces of the elements, with damping; NULL: not wanted
} tangents;
pl_status tangents_open(variation *v, tangents *t);
void tangents_close(tangents *t);
unsigned tangents_part(const pl_elem_kind *k); // that a kind belongs to
// K, D [nphase][P.nnz] at phases first + 2 pi i / nphase, D without its share of the mass; it is
// not touched unless t->rated, and may be NULL.
pl_status tangents_at(tangents *t, int nphase, double first, double *K, double *D);
// The same in two steps, between which t->q may be changed, with phases side by side:
// K, D [P.nnz][npack].
pl_status tangents_motion(tangents *t, int nphase, double first);
pl_status tangents_place(tangents *t, int nphase, const double *phase); // at any phases
pl_status tangents_eval(tangents *t, pl_pack *K, pl_pack *D);
// A number of phases, odd, whose values tell those at all others. K and D have twice the harmonics
// of the motion where forces are polynomials of third order: 4 times that many samples hold them,
// and little more is left elsewhere. W[nphase][N] are the weights of values at 2 pi i / N in those
// at first + 2 pi j / nphase.
int tangents_enough(const tangents *t, int times);
void tangents_weights(int N, int nphase, double first, double *W);
// W[N] in those at eight phases.
void tangents_weights_pack(int N, const double *phase, pl_pack *W);
// Mass as it counts in the phase, [P.nnz].
void tangents_mass(const tangents *t, double *M);
// Its diagonals, lumped[n], where it has nothing else; NULL: it has.
pl_status tangents_lump(const tangents *t, const double *M, double **lumped);

// What a method finds.
typedef struct multipliers {
  int n;
  double *re, *im; // [n]
  int exact;
  int overflow;  // some are too large for a number; none is listed
  int beyond;    // the largest is beyond the size at which to stop; no others are known
  double margin; // about the unit circle, by the accuracy of the method
} multipliers;
pl_status multipliers_create(pl_env *env, int n, multipliers *mu);
void multipliers_free(pl_env *env, multipliers *mu);

// Hill's method with at most `limit` coefficients. PL_UNSOLVED when the series need more, or when
// the exponents picked do not add up to the damping of the motion.
pl_status hill_multipliers(variation *v, int limit, multipliers *mu);
// Where M, D and K [n][n] stay the same all along: by the exponents of constant matrices.
// PL_UNSOLVED: one of them is too close to the shift in use.
pl_status constant_multipliers(const variation *v, const double *M, const double *K,
                               const double *D, multipliers *mu);
// The dense monodromy matrix by collocation.
pl_status dense_multipliers(variation *v, multipliers *mu);
// The same for motions with pairs (kinks, sliders), from event to event. PL_UNSOLVED where unknowns
// have no mass.
pl_status pair_multipliers(variation *v, multipliers *mu);
// The largest of those by Arnoldi on the period map, with the sparse factors of all steps from
// event to event; steps 0: chosen. PL_UNSOLVED: they do not fit into room bytes.
pl_status event_multipliers(variation *v, int steps, double memory_limit, multipliers *mu);
int pairs_present(const pl_model *m);
// The largest by Arnoldi on the period map of a sparse one-step scheme; nstep 0: chosen. room:
// bytes for factors that are kept; the others are made anew every time.
pl_status sparse_multipliers(variation *v, int nstep, double memory_limit, multipliers *mu);

// The largest by Arnoldi on the same map with the factors of all steps in an envelope: much faster,
// for symmetric K and D. PL_UNSOLVED: those are not, or a step is not definite, or the factors do
// not fit into room bytes. Where something feeds on the motion, or K is not definite all along, it
// is looked at without the stiff strains that its missing harmonics leave: they press thin elements
// until they buckle.
pl_status band_multipliers(variation *v, int nstep, double memory_limit, multipliers *mu);

// Generalised alpha: of second order also where stiff directions turn (Arnold and Bruels 2007),
// with one factor a step. What a step does not resolve shrinks by RHO and is gone after a period
// instead of crowding the rim of the unit circle. It carries an acceleration a beside x and v:
//   M (m1 a+ + (1 - m1) a) + D(t) V + K(t) X = 0 at t = end of the step less (1 - f1) h,
//   X = x + f1 (x+ - x), V = v + f1 (v+ - v), Newmark's formulas for x+ and v+.
typedef struct scheme {
  double h, m1, f1, gamma, beta;
  double c; // f1 beta h^2: X = ... + c a+
} scheme;
scheme make_scheme(int nstep);
// Frequency above which Rayleigh's damping alpha + beta w^2 ends vibrations within a period:
// nothing of them is left in the multipliers.
double lasting(const variation *v);
// Frequencies over that of the motion up to which vibrations are resolved. K has about twice the
// harmonics of the motion, and only two vibrations whose frequencies add up to one of these can
// feed on it: faster ones do what their damping says.
double resolved_to(const variation *v, int least);
// Frequency of the four lowest vibrations about the motion at phase zero, the largest of them, over
// that of the motion; 0: not found.
pl_status low_vibrations(variation *v, double *w);
// Steps that resolve the motion and vibrations of w times its frequency.
int period_steps(const variation *v, double w, int *resolved);

// y = A x for `block` columns; anything but PL_OK ends the iteration.
typedef pl_status (*floquet_apply)(void *ctx, const double *x, double *y);
// What Arnoldi's method is to find.
typedef struct arnoldi_plan {
  int block;           // columns at a time, 1 to PL_LANES
  int want;            // eigenvalues, at least
  double most;         // stops as soon as one is surely larger
  double part;         // of the distance from the unit circle that errors may have
  const double *start; // [block][n] the first columns; NULL: at random
} arnoldi_plan;
// Eigenvalues of largest size (and all beyond the unit circle) of an operator of order n; mu->exact
// tells whether all of them have converged.
pl_status arnoldi(pl_env *env, int n, const arnoldi_plan *plan, floquet_apply apply, void *ctx,
                  multipliers *mu);

// ---- dense matrices, columns first: floquet.c -------------------------------------------------

// B = A^-1 B for nrhs columns; A is destroyed. PL_SINGULAR when a pivot is zero.
pl_status dense_solve(pl_env *env, int n, double *A, int nrhs, double *B);
// Eigenvalues of A, which is destroyed. V (may be NULL) [n][n]: real eigenvectors, and for a
// conjugate pair real and imaginary part in two columns.
pl_status dense_eigen(pl_env *env, int n, double *A, double *re, double *im, double *V);
// C = a A B + b C with A m x k and B k x n.
void dense_mul(int m, int n, int k, double a, const double *A, const double *B, double b,
               double *C);

#endif
