#ifndef PLIANT_MODEL_H
#define PLIANT_MODEL_H

#include "pliant/base.h"
#include "pliant/element.h"
#include "pliant/linkage.h"
#include "pliant/sparse.h"

PL_DECLS_BEGIN

// Equations of motion of every model, over all unknowns q (driven ones included):
//   r = M (a + alpha v - g) + dW/dq + beta K(q) v + dashpots(q, v) - f(t) = 0 in the free unknowns,
// K = d2W/dq2 at the current position. In driven unknowns r is the reaction.

// ---- description, all SI, copied by pl_model_create -------------------------------------------

// A term of a drive or load: amplitude sin(harmonic omega t + phase); harmonic 0 is constant.
typedef struct pl_term {
  int harmonic;
  double amplitude[3]; // rotation drives: angle in [0]
  double phase;        // rad
} pl_term;

enum { PL_TERM_MAX = 64 }; // terms of one drive

// A factor over time. Before the first time and after the last it stays what it is there. In
// statics its times go from the first to the last as the load factor goes from 0 to 1.
typedef struct pl_course {
  int n;              // at least 2
  const double *t;    // [n] s, rising
  const double *v;    // [n]
  const double *rate; // [n] 1/s of a cubic curve, NULL: straight lines between
} pl_course;
// Rates of a cubic curve through the points: the natural spline where they follow a smooth curve,
// and where they do not, at corners and holds, what keeps the curve from overshooting them.
pl_status pl_course_rates(pl_env *env, int n, const double *t, const double *v, double *rate);
// Value, rate and rate of the rate at a time; at a corner those that follow it.
void pl_course_at(const pl_course *s, double t, double y[3]);

// An amplitude is no motion but the strength of outer forces (pl_elem_kind.outer): its scalar
// unknowns have their reference values and the sum of the terms (amplitude[0]).
typedef enum pl_drive_kind {
  PL_DRIVE_TRANSLATION,
  PL_DRIVE_ROTATION,
  PL_DRIVE_AMPLITUDE
} pl_drive_kind;

// What a rotation drive does to a scalar unknown: in place of a pair of nodes.
enum {
  PL_SCALAR_STAYS = -1, // keeps its reference value
  // less the number of its node, with a component 0..2: of the rotation vector of a rod_joint's
  // body
  PL_SCALAR_VECTOR = -2,
};

// Prescribed motion of nodes: X + sum of terms, or a rotation about an axis by the sum of terms.
// No terms: fixed. Scalar unknowns may be prescribed with them: they keep their reference values,
// but for those of a rotation drive that belong to what turns.
typedef struct pl_drive_desc {
  const char *name; // for messages, may be NULL
  pl_drive_kind kind;
  int nnode;
  const int *node;
  int mask;                  // bit c: component c is prescribed; rotations prescribe all
  double axis[3], centre[3]; // rotation; 2D: axis is z
  int nterm;
  const pl_term *term;
  int nscal;
  const int *scal; // [nscal] 0..nextra-1
  // [nscal][2] what turns with them, for rotations and for moments of reactions: of the angle theta
  // of a rod's edge its two nodes, which a rotation drives too; components of a vector follow each
  // other; others see above. NULL: nothing
  const int *edge;
  int nplace;            // of node: about whose middle moments are told, the first ones; 0: all
  const int *carrier;    // [nnode - nplace] the place that the others hang on, NULL: there are none
  const pl_course *over; // factor of terms of harmonic 0 instead of the load factor, NULL: that
  int off; // 1: it is there and drives nothing but those of its nodes that are no places
  // [nnode][dim] and [nscal]: where it begins at load factor 0, to go straight to where it leads at
  // 1; hold: where it stays; NULL: it is where it leads
  const double *begin;
  int hold;
} pl_drive_desc;

// The same force on each node of a list.
typedef struct pl_load_desc {
  const char *name;
  int nnode;
  const int *node;
  pl_term term; // amplitude in N for every node
} pl_load_desc;

// What a load may be besides.
typedef struct pl_load_form {
  const double *share;   // [nnode] factors on the force of each node, NULL: 1
  int inertial;          // 1: on all that has mass, against the acceleration (m/s^2) of its term
  const pl_course *over; // as that of a drive
} pl_load_form;

// Elements of one kind. stencil lists for each element its nvert nodes, then its nscal scalar
// unknowns (as unknown numbers: node * dim + component); -1: missing (ground).
typedef struct pl_group_desc {
  const char *name;
  const pl_elem_kind *kind;
  int nelem;
  const int *stencil; // [nelem][nvert + nscal]
  int shared;         // 1: one parameter set for the group, 0: one per element
  const double *par;  // [npar] or [nelem][npar]
  int lumped;         // mass lumped or consistent
} pl_group_desc;

// Where a design parameter acts: value there = initial value + coef (p - initial p).
typedef struct pl_target {
  int on_ref; // 0: index into par, 1: index into the reference coordinates X
  int index;
  double coef;
} pl_target;

typedef struct pl_design_desc {
  const char *name, *unit;
  double value, min, max;
  int ntarget;
  const pl_target *target;
} pl_design_desc;

typedef struct pl_model_desc {
  int dim; // unknowns per node: 1, 2 or 3
  int nnode;
  const double *X;         // [nnode][dim]
  const char *const *name; // [nnode] of nodes, for messages; NULL, also as a whole: none
  // [nnode][dim] the unknown that elements take for each, which is another node's; NULL: its own
  const int *alias;
  int nextra;          // scalar unknowns beyond the nodes', numbered nnode * dim + 0..nextra-1
  const double *extra; // [nextra] their reference values; NULL: zero
  int ngroup, ndrive, nload, ndesign;
  const pl_group_desc *group;
  const void *const *law; // [ngroup] of kinds that take one, which outlive the model; NULL: none
  // [ngroup] factors on lengths of the natural shapes, of a group [1] or [nelem]; masses stay those
  // of the reference shape. NULL, also as a whole: 1
  const double *const *grow;
  // [ngroup] amplitude whose unknown is the share of that growth that there is, 0: the lengths are
  // those of the reference shape; -1, NULL: all of it
  const int *grow_by;
  // [ngroup] 1: of a body that keeps its shape, elements stiff enough for that: damping by
  // stiffness leaves them alone, and steps may take the body for rigid. NULL: none
  const int *rigid;
  const pl_drive_desc *drive;
  const pl_load_desc *load;
  const pl_load_form *form; // [nload], NULL: plain forces
  const pl_design_desc *design;
  double gravity[3];
  double alpha, beta; // damping: 1/s, s
} pl_model_desc;

// ---- model: frozen, shared by threads ---------------------------------------------------------

typedef struct pl_model pl_model;
pl_status pl_model_create(pl_env *env, const pl_model_desc *desc, pl_model **out);
void pl_model_free(pl_model *m);

int pl_model_dim(const pl_model *m);
int pl_model_nnode(const pl_model *m);
const char *pl_model_node_name(const pl_model *m, int node); // NULL: it has none
int pl_model_nq(const pl_model *m);
int pl_model_nfree(const pl_model *m);
const int *pl_model_free_dofs(const pl_model *m);  // [nfree] unknown number of each free one
const int *pl_model_free_index(const pl_model *m); // [nq] free number, -1: driven
int pl_model_max_harmonic(const pl_model *m);      // of drives and loads; 0: nothing oscillates
int pl_model_ndrive(const pl_model *m);
// Amplitudes of outer forces: the last ones of all unknowns.
int pl_model_namplitude(const pl_model *m);
// 1: some elements have forces of places without a potential.
int pl_model_circulatory(const pl_model *m);
// 1: a drive or load goes by a series.
int pl_model_timed(const pl_model *m);
const char *pl_model_drive_name(const pl_model *m, int drive); // "" when it has none
int pl_model_drive_holds(const pl_model *m, int drive);        // 1: it has no terms, nodes stay
// Its nodes, and bit c of *mask: their component c is prescribed. Returns how many there are.
int pl_model_drive_nodes(const pl_model *m, int drive, const int **node, int *mask);
int pl_model_ngroup(const pl_model *m);
const pl_elem_kind *pl_model_group_kind(const pl_model *m, int group);
const char *pl_model_group_name(const pl_model *m, int group);
int pl_model_group_rigid(const pl_model *m, int group);
int pl_model_group_size(const pl_model *m, int group);
const int *pl_model_group_stencil(const pl_model *m, int group);
const int *pl_model_group_dofs(const pl_model *m, int group); // [nelem][ndof], -1: missing
int pl_model_ndesign(const pl_model *m);
const pl_design_desc *pl_model_design(const pl_model *m, int k); // names, bounds; targets included

// Layout of the flat parameter vector, for targets. It depends on the description alone, so it may
// be asked before the model exists (design entries of the description are not looked at).
enum { PL_PAR_ALPHA = 0, PL_PAR_BETA = 1, PL_PAR_GRAVITY = 2, PL_PAR_FIRST = 5 };
int pl_par_drive(const pl_model_desc *d, int drive, int term); // amplitude[3], then phase
int pl_par_load(const pl_model_desc *d, int load);             // force[3], then phase
int pl_par_group(const pl_model_desc *d, int group, int elem); // its npar parameters
int pl_par_grow(const pl_model_desc *d, int group, int elem);  // of groups that grow

// ---- params, state ----------------------------------------------------------------------------

typedef struct pl_params {
  pl_env *env;
  int npar, nref, nrest, ndesign;
  double *par;    // [npar]
  double *X;      // [nref] = [nq] reference coordinates
  double *rest;   // made by pl_params_update
  double *design; // [ndesign] values of the design parameters
  pl_csc M;       // mass over all nq unknowns, symmetric storage
} pl_params;

// Values par of their own; all else is that of p, which must outlive the view.
pl_status pl_params_view(const pl_params *p, pl_params *view);
void pl_params_view_free(pl_params *view);
// Initial values of the model. Fails on inverted or degenerate elements, naming group and element.
pl_status pl_params_create(const pl_model *m, pl_params **out);
// Values of their own, all of them, in memory of env: what an analysis may change.
pl_status pl_params_copy(pl_env *env, const pl_params *p, pl_params **out);
void pl_params_free(pl_params *p);
// Recomputes rest data and mass after par or X were changed. PL_DOMAIN: an element became
// degenerate.
pl_status pl_params_update(const pl_model *m, pl_params *p);
// How far natural shapes are from those of reference, the largest |factor - 1|; what follows an
// amplitude is left out. 0: nothing grows.
double pl_params_growth(const pl_model *m, const pl_params *p);
// The growth of to, a copy of p, becomes a share of p's (0: none), and rest data are updated.
// PL_DOMAIN: an element became degenerate.
pl_status pl_params_grow(const pl_model *m, const pl_params *p, double share, pl_params *to);
// Sets all design parameters (not checked against bounds) and updates.
pl_status pl_params_set_design(const pl_model *m, pl_params *p, const double *design);

// Multiplies the amplitudes of all terms of drives and loads that oscillate.
void pl_params_scale_harmonic(const pl_model *m, pl_params *p, double factor);
// Takes away all damping: alpha, beta, every element parameter that is a damping, and friction:
// sliders stick.
void pl_params_undamp(const pl_model *m, pl_params *p);
// Parameters of one element, in the order of its kind's table.
const double *pl_model_group_par(const pl_model *m, const pl_params *p, int group, int elem);
// Rest data of one element, anchors as in the reference shape.
const double *pl_model_group_rest(const pl_model *m, const pl_params *p, int group, int elem);

// Some scalar unknowns (angles of rods) are measured from anchors: directions near the state, which
// steps leave behind for new ones so that bodies may turn as far as they like.
// Where the anchors of rods are: in the reference shape, in hist since they moved with the motion,
// or in the reference shape for good (periodic motions).
enum { PL_ANCHORS_FIXED = -1, PL_ANCHORS_REFERENCE = 0, PL_ANCHORS_CHANGED = 1 };

typedef struct pl_state {
  double t;
  int nq, nhist;
  double *q, *v, *a; // [nq] each, one allocation
  double *hist;      // [nhist] anchors of the elements, angles of drives where those were set
  int anchoring;     // one of PL_ANCHORS_*
} pl_state;
pl_status pl_state_create(const pl_model *m, const pl_params *p, pl_state **out); // at rest: q = X
void pl_state_free(const pl_model *m, pl_state *s);
void pl_state_copy(pl_state *to, const pl_state *from);
// Moves the anchors to the state, after an accepted step. Energy, forces at equilibrium and the
// motion stay what they are; rates of scalar unknowns are measured anew. Anchors of scalars that
// are driven and do not turn stay. Nothing happens in models without anchors, or when they are
// fixed. Sliders of dry friction follow what has pulled them, in any case.
void pl_commit(const pl_model *m, const pl_params *p, pl_state *s);
// The anchors alone, as may be done on the way to an equilibrium.
void pl_move_anchors(const pl_model *m, const pl_params *p, pl_state *s);
// q[nq] of the state with its scalar unknowns measured from the anchors of the reference shape, as
// if those had never moved. Twists beyond half a turn between neighbours are kept when the elements
// of a rod follow each other.
pl_status pl_state_unwound(const pl_model *m, const pl_params *p, const pl_state *s, double *q);
// The scalar unknowns nnode * dim .. nq - 1 after all nodes of q[nq] were turned by R[3][3] as one
// rigid body, by the anchors of the reference shape: into out[nq], whose other entries stay.
pl_status pl_rotate_scalars(const pl_model *m, const pl_params *p, const double *R, const double *q,
                            double *out);

// ---- evaluation -------------------------------------------------------------------------------

// omega: base frequency (rad/s), 0: harmonic terms are left out. scale: factor on gravity, constant
// loads and constant drive terms (load steps), normally 1.
typedef struct pl_clock {
  double t, omega, scale;
  double
      ramp; // s; harmonic terms grow from nothing over this time, twice differentiable; 0: no ramp
  // 1: t is the time of series; 0: they go with scale; -1: what goes by them is left out, as it has
  // no potential
  int timed;
} pl_clock;

enum {
  PL_WANT_ENERGY = 1,  // elastic, potential
  PL_WANT_FORCE = 2,   // r
  PL_WANT_TANGENT = 4, // A
  PL_DYNAMIC = 8, // inertia and damping take part in r and A; kinetic energy and losses are filled
  PL_EXACT = 16,  // A includes d(beta K v)/dq and dashpot stiffness (its symmetric part)
  PL_CONVEX = 32, // of every element's share of A the positive part alone
  PL_NEAR = 64, // as PL_EXACT, but d(beta K v)/dq by a difference where that is faster: six digits
  PL_PASSIVE = 128 // stiffness damping drives no element: where v'K v < 0, K v is without that part
};

// A = cm M + cd D + ck K over the free unknowns, D = alpha M + (1 + more) beta K + dashpots. Forces
// have (1 + more) beta K v as well; the power that is lost has not.
typedef struct pl_coef {
  double m, d, k, more;
} pl_coef;

// Scratch and results of pl_eval. Never holds state.
typedef struct pl_work {
  pl_env *env;
  pl_threads *threads;
  double elastic;          // W; of sliders with what they have lost since the last commit
  double slipped;          // that loss
  double outer;            // potential of outer forces that elements have (pl_elem_kind.outer)
  double potential;        // W + outer - work of gravity and loads
  double kinetic;          // v' M v / 2
  double dissipated;       // power lost to damping, W
  double *r;               // [nq]
  double *f_inner;         // [nq] dW/dq + beta K v + dashpots alone
  double *f_damp;          // [nq] beta K v + dashpots alone; zero without PL_DYNAMIC
  pl_csc A;                // [nfree] symmetric storage
  int bad_group, bad_elem; // the element at fault after PL_DOMAIN
  struct work_impl *impl;
} pl_work;
pl_status pl_work_create(const pl_model *m, int nthread, pl_work **out);
// The same with a host of its own, to which all messages and progress of analyses with this scratch
// go. Analyses of one model may run at the same time, each with its own host, scratch and state.
pl_status pl_work_create_for(pl_env *host, const pl_model *m, int nthread, pl_work **out);
void pl_work_free(pl_work *w);

// Puts drives at a time into the driven entries of q, v, a. Angles of rods that turn are measured
// from the state's anchors.
void pl_drive(const pl_model *m, const pl_params *p, const pl_clock *c, pl_state *s);
// The same for one node: x, v, a[3] of its driven components, others are left alone. Returns their
// mask.
int pl_drive_node(const pl_model *m, const pl_params *p, const pl_clock *c, int node, double *x,
                  double *v, double *a);
// R[3][3] by which the first rotation drive with scalar unknowns has turned what it drives; no such
// drive: the identity.
void pl_drive_rotation(const pl_model *m, const pl_params *p, const pl_clock *c, double *R);
// What holds the nodes of one drive: the sum of the reactions r[nq] there, force[3] (N), and their
// moment[3] (N m) about the middle of its nodes as they are, with what holds the directions of rods
// there. Missing components are 0.
void pl_drive_reaction(const pl_model *m, const pl_state *s, const double *r, int drive,
                       double force[3], double moment[3]);
// The same of all drives for the nodes in[nnode] with 1, about the middle of those. Returns 0 where
// nothing holds them.
int pl_held_reaction(const pl_model *m, const pl_state *s, const double *r, const char *in,
                     double force[3], double moment[3]);
// External force f(t) of loads (gravity left out) over all unknowns.
void pl_load(const pl_model *m, const pl_params *p, const pl_clock *c, double *f);
// Evaluates at a state whose driven entries are set. Results stay in w until the next call. Returns
// PL_DOMAIN if an element is outside its domain. NaN is caught: PL_DOMAIN too. No allocation.
pl_status pl_eval(const pl_model *m, const pl_params *p, const pl_state *s, const pl_clock *c,
                  unsigned want, const pl_coef *coef, pl_work *w);
// Inertia, damping by mass and outer forces alone, into w->r: r without the forces of elements.
void pl_eval_outer(const pl_model *m, const pl_params *p, const pl_state *s, const pl_clock *c,
                   pl_work *w);
// dr/dp for design parameter k at a state (drives' effect on q, v, a included), exact: out[nq].
// Anchors that have moved are taken as they are, so that they do not follow reference places.
pl_status pl_eval_design(const pl_model *m, const pl_params *p, const pl_state *s,
                         const pl_clock *c, int k, pl_work *w, double *out);
// ---- many parameters at once --------------------------------------------------------------------

// Something that can be turned: a change by one moves every target by its coefficient.
typedef struct pl_direction {
  int ntarget;
  const pl_target *target;
} pl_direction;
// Directions with lists of the elements, drives and loads that each of them affects, so that
// derivatives by hundreds of parameters cost no more than what they affect. Calls with different
// `thread` may run at the same time.
typedef struct pl_directions pl_directions;
pl_status pl_directions_create(pl_env *env, const pl_model *m, int nthread, int n,
                               const pl_direction *dir, pl_directions **out);
void pl_directions_free(pl_directions *k);
int pl_directions_count(const pl_directions *k);
// Elements that direction i affects, as pairs (group, element): *list [count][2]. Returns the
// count.
int pl_directions_elements(const pl_directions *k, int i, const int **list);
// out[n] += y . dr/dp_i for every direction i, y[nq]; dr/dp as pl_eval_design.
pl_status pl_directions_dot(pl_directions *k, int thread, const pl_params *p, const pl_state *s,
                            const pl_clock *c, const double *y, double *out);
// out[nq] = sum_i dp[i] dr/dp_i.
pl_status pl_directions_along(pl_directions *k, int thread, const pl_params *p, const pl_state *s,
                              const pl_clock *c, const double *dp, double *out);
// 1: pairs (pl_elem_kind.stretch) are left out of the two above, for callers that know their
// events.
void pl_directions_smooth(pl_directions *k, int on);
// Change by direction i of the force out[ndof] of one such element, with its history (NULL: none),
// or (side 1, -1) of the place *out where a slip to that side leaves a slider.
pl_status pl_directions_pair(pl_directions *k, const pl_params *p, pl_state *s, const pl_clock *c,
                             int i, int group, int elem, const double *hist, int side, double *out);
// dx, dv, da[3] of a driven node by direction i; components that are not driven are 0. Returns 1
// when the direction moves the node at all.
int pl_directions_drive(pl_directions *k, int thread, const pl_params *p, const pl_clock *c, int i,
                        int node, double *dx, double *dv, double *da);
// The same for a driven scalar unknown (by its number among all unknowns), measured from the
// anchors of the reference shape: its value alone.
int pl_directions_scalar(pl_directions *k, int thread, const pl_params *p, const pl_clock *c, int i,
                         int unknown, double *dx);
// Total mass by every direction: out[n] += factor dm/dp_i.
pl_status pl_directions_mass(pl_directions *k, const pl_params *p, double factor, double *out);

// M restricted to the free unknowns; free with pl_csc_free.
pl_status pl_free_mass(pl_env *env, const pl_model *m, const pl_params *p, pl_csc *M);
// y = M x over all unknowns, on the threads of w; the same bits for any number of them.
void pl_mass_mul(const pl_params *p, const double *x, pl_work *w, double *y);
// A field of the elements of a group: value[nelem]. threads may be NULL.
void pl_eval_field(const pl_model *m, const pl_params *p, const pl_state *s, int group, int field,
                   pl_threads *threads, double *value);
// The same of one element.
double pl_element_field(const pl_model *m, const pl_params *p, const pl_state *s, int group,
                        int elem, int field);
// Strain and stress of one element, of a kind that tells them: out[n] at natural coordinates
// at[n][3], see pl_elem_kind.stress; more[n][6] or NULL. PL_DOMAIN outside the domain.
pl_status pl_eval_stress(const pl_model *m, const pl_params *p, const pl_state *s, int group,
                         int elem, int n, const double *at, const double *more, pl_stress *out);
// What one element adds to the change of curvature S[6] of a triangle; see pl_elem_kind.curvature.
void pl_eval_curvature(const pl_model *m, const pl_params *p, const pl_state *s, int group,
                       int elem, int side, const double *at, double *S);
// force[4] of the section of one element of a rod; see pl_elem_kind.section.
void pl_eval_section(const pl_model *m, const pl_params *p, const pl_state *s, int group, int elem,
                     double *force);
// Counts the elements that are turned inside out, of kinds that have an inside; group and elem tell
// the first of them and may be NULL.
int pl_count_inverted(const pl_model *m, const pl_params *p, const pl_state *s, int *group,
                      int *elem);
// How far elements with a mass and a length went from where they were expected between two states
// q0[nq] and q1[nq], foretold[nq] being the change that was expected of free unknowns: over all
// edges, the change of the edge less the foretold one, or that change itself when it is less, by
// the length of the edge at rest. group and elem tell where it is most and may be NULL.
double pl_stray(const pl_model *m, const pl_params *p, const double *q0, const double *q1,
                const double *foretold, int *group, int *elem);
// Total mass, linear momentum and angular momentum about the origin (3 entries, missing ones 0).
void pl_momentum(const pl_model *m, const pl_params *p, const pl_state *s, double *mass,
                 double lin[3], double ang[3]);

// ---- element by element -----------------------------------------------------------------------

// One element as analyses see it that assemble on their own (harmonic balance): unknowns, and the
// inner force f(q, v) = dW/dq + beta K v + dashpots with exact, possibly unsymmetric derivatives.
typedef struct pl_element {
  const pl_model *m;
  const pl_params *p;
  int group, elem;
  int ndof;
  const int *dof; // [ndof] unknown numbers, -1: missing; an unknown may stand twice
} pl_element;
// Calls fn for every element; elements that run at the same time share no unknown, and the order in
// which an unknown is met does not depend on the number of threads. fn returns non-zero for
// PL_DOMAIN.
typedef int (*pl_element_fn)(void *ctx, const pl_element *e, int thread);
pl_status pl_model_each_element(const pl_model *m, const pl_params *p, pl_work *w, pl_element_fn fn,
                                void *ctx);
// f[ndof], K = df/dq and D = df/dv [ndof][ndof] (NULL: not wanted) at local q, v[ndof]; v NULL:
// dW/dq and its derivative alone, without D. Returns 1 outside the domain.
int pl_element_eval(const pl_element *e, const double *q, const double *v, double *f, double *K,
                    double *D);
// Adds to K and D [ndof][ndof] (NULL: not wanted) of an evaluation at q what lets them take stiff
// stresses from q0 by their linear change with dq.
void pl_element_mixed(const pl_element *e, const double *q, const double *q0, const double *dq,
                      double *K, double *D);

// ---- batches ------------------------------------------------------------------------------------

// Elements of one group that are evaluated together, a lane for each; lanes beyond n repeat the
// last element. Or one element at several instants, a lane for each of these.
typedef struct pl_batch {
  const pl_model *m;
  const pl_params *p;
  int group, first, n; // n: 1..PL_LANES
  int alone;           // all lanes are the first element
  int ndof;
  int symmetric;  // K and D are, and hold their lower triangles by rows; otherwise they are full
  int nentry;     // of K and of D
  const int *dof; // [n][ndof]; alone: [ndof]
  const pl_work *w;
  int block; // of the model's elements, whose batches come one after the other
  pl_pack par[PL_NPAR_MAX], rest[PL_NREST_MAX];
} pl_batch;
// pl_model_each_element by batches. bad: the lane at fault. Batches that run at the same time may
// share unknowns until fn calls pl_batch_wait, which it does before it writes anything of theirs.
typedef int (*pl_batch_fn)(void *ctx, const pl_batch *e, int thread, int *bad);
pl_status pl_model_each_batch(const pl_model *m, const pl_params *p, pl_work *w, pl_batch_fn fn,
                              void *ctx);

// Comes back when all batches before this one that share an unknown with it are done.
void pl_batch_wait(const pl_batch *e);

// A batch at one instant, and what is wanted of it; arrays of results have steps of `stride`.
typedef struct pl_batch_sample {
  const pl_pack *q, *v;   // [ndof]; v NULL: forces and tangents without rates and damping
  const pl_pack *q0, *dq; // [ndof] where stiff stresses are extrapolated from, see
                          // pl_element_mixed; NULL: they are not
  int stride;
  pl_pack *f;     // [ndof]
  pl_pack *r;     // [ndof] the part of f that is linear in v
  pl_pack *K, *D; // [nentry]; NULL: not wanted
} pl_batch_sample;
// Returns 1 outside the domain, with the lane in bad.
int pl_batch_eval(const pl_batch *e, const pl_batch_sample *s, int *bad);
// The element of one lane alone, at n instants; p, m and dof as in e.
void pl_batch_alone(const pl_batch *e, int lane, int n, pl_batch *out);
// Rayleigh's beta as it counts for the elements of a group.
double pl_model_group_beta(const pl_model *m, const pl_params *p, int group);
// The number of entries of K for elements of a group, and whether they are symmetric.
int pl_batch_entries(const pl_model *m, int group, int *symmetric);

PL_DECLS_END

#endif
