#ifndef LIMIT_STEP_IMPL_H
#define LIMIT_STEP_IMPL_H

#include "limit_impl.h"

// ---- contact ------------------------------------------------------------------------------------

// Obstacles and layers as barriers of one solve: for every pair of a node and an obstacle the plane
// that touches the obstacle at the nearest place, for every pair of layers, and of a face or an
// edge with a corner or an edge of an obstacle, the plane between them.
typedef struct barrier_set {
  pl_env *env;
  const pl_model *m;
  pl_contact *contact; // NULL: no obstacles
  pl_layers *layers;   // NULL: none
  const double *mass;  // [nnode] kg
  double size;         // m, of the model at rest
  double *stiff;       // [nnode] N/m, largest of the elements at a node; NULL: no layers
  int descent;         // 1: steps of a descent, 0: in time
  int nnode;
  int nbar, cap;
  pl_contact_row *bar;
  int capof;
  int *of; // [nbar] pair of the contact, or npair + pair of layers, or -1 - obstacle of a surface
  int *in; // [npair] its barrier, -1: none, -2: never, as the node is driven
  // pairs of layers that the motion of the step may bring together
  int npair, ncand, capcand;
  pl_layer_pair *cand;
  int *joined; // [ncand] 1: it is a barrier
  int capjoined;
  int eased;            // 1: no friction of layers in this solve
  int searched;         // searches for layers at the end of the solve
  int crowded;          // 1: the last solve ended with planes still to be added
  const double *q;      // [nq] at the start of the solve
  const double *anchor; // [nq] from where slides are counted; NULL: from there
  double h, t;          // its length, and the time at its end
  double *way;          // [nnode][3] scratch
  double *force;        // [npair][3] N s; impulses of the step so far, world axes
} barrier_set;

// rest: the state at rest, which tells how stiff elements are, so that a run that is gone on with
// has the same.
pl_status barrier_set_open(barrier_set *k, const pl_model *m, const pl_params *p,
                           const pl_constraints *c, const double *mass, const pl_state *rest,
                           pl_work *w);
void barrier_set_close(barrier_set *k);
int barrier_set_any(const barrier_set *k);
// A new step: no impulses yet.
void barrier_set_reset(barrier_set *k);
// Solves of length h from q[nq] to time t, which would end at to[nq] without barriers and end at
// x[nq], with more and better planes until nothing overlaps. PL_UNSOLVED, and crowded: something
// always does.
pl_status barrier_set_solve(barrier_set *k, const double *q, const double *to, double h, double t,
                            const double *x, pl_status (*solve)(void *ctx), void *ctx);
// Layers slide without friction for the rest of this solve. Returns how many did not before.
int barrier_set_ease(barrier_set *k);
// The solve is done: its impulses are factor times the forces of the barriers. Returns their work
// at the velocity v[nq].
double barrier_set_impulse(barrier_set *k, double factor, const double *v);
// r[nq] with the forces of the barriers, factor times those here.
void barrier_set_react(const barrier_set *k, double factor, double *r);
// J; by how much layers that yield hold less at x[nq] than at the start, in a solve with the factor
// da.
double barrier_set_released(const barrier_set *k, const double *x, double da);
// Most that layers rise in the solve to x[nq] as they slide, by friction and by leaving the planes
// between them, over what they keep.
double barrier_set_rise(const barrier_set *k, const double *x);
// to = x at the nodes that barriers hold.
void barrier_set_keep(const barrier_set *k, const double *x, double *to);
// Layers press that came together at the velocity v[nq] at the start of the solve.
int barrier_set_met(const barrier_set *k, const double *v);
// Barriers for velocities at x[nq], by which nodes move for the time h: those that press, where x
// is.
void barrier_set_rest(barrier_set *k, const double *x, double h);
// Nodes that have met an obstacle in this solve move on with it: in the velocity v[nq] along the
// normal, and in the state q1, v1[nq] h before x[nq], by which the next step goes.
void barrier_set_land(const barrier_set *k, double *v);
void barrier_set_forget(const barrier_set *k, double h, const double *x, double *q1, double *v1);
// The step of length h ended at x[nq]: fills the pairs of the contact; *overlap: the deepest (m),
// below zero: none. Returns the barriers that press.
int barrier_set_accept(barrier_set *k, const double *x, double h, double *overlap);

// ---- energies -----------------------------------------------------------------------------------

// At a state: all its energy, J, and powers, W.
typedef struct power {
  double energy, damping, driven;
} power;

// ---- where solves begin -------------------------------------------------------------------------

// Keeps warm_start[n] in a history, and takes them from one that has them; what they are of must
// fit.
pl_status warm_start_keep(pl_env *env, int n, const pl_warm_start *warm_start, pl_history *h);
pl_status warm_start_recall(pl_env *env, const pl_history *h, int nvert, int ncone, int n,
                            pl_warm_start *warm_start);

// ---- steps --------------------------------------------------------------------------------------

typedef struct limit_stepper {
  const pl_transient_opts *o;
  const pl_project_opts *po;
  const pl_model *m;
  const pl_params *p;
  const pl_constraints *k;
  pl_work *w;
  pl_env *env;
  pl_transient_info *info;
  pl_limit_observe_fn observe;
  void *observe_ctx;
  pl_motion motion;
  int nnode, nq;
  const int *free_index; // [nq]
  pl_state *s;           // the caller's: last accepted step
  pl_state *x, *mid;     // trial, state in the middle of the step
  pl_implicit *implicit;
  struct couple *couple;       // made when first wanted
  pl_sheet *sheet;             // what states are projected onto; NULL: nothing
  pl_sheet *loose;             // own one, without limits
  double *mass;                // [nnode] kg, row sums
  pl_warm_start warm_start[2]; // first and second solve of a step
  double dv, da;               // rule of the solve under way
  double *vc, *ac;             // [nq]
  double *free;                // [nq] result of the solve before the projection
  double *v;                   // [nq] scratch
  double *y;                   // [nnode][3] result of a projection
  double *load, *rest;         // [nq] loads at a time, constant loads
  barrier_set barrier_set;
  power power, before;       // at s, and where the step of the grid began
  const pl_warm_start *used; // multipliers of the solve under way, NULL: none
  double damped;             // J; Newmark: work of damping in the step
  double work[3]; // J; of limits, of contact, and of drives against limits, in the step so far
  int met;        // 1: layers have met in the step under way, which BDF2 must forget
  pl_limit_step step;
} limit_stepper;

// v = (q - q0)/h, a = (v - v0)/h for the next solve.
void rule_euler(limit_stepper *k, double h, const double *q0, const double *v0);
// h v = c0 q - c1 q0 + c2 q1 and the same for a, from the states 0 and, h1 before it, 1.
void rule_bdf2(limit_stepper *k, double h, const double *q0, const double *v0, double h1,
               const double *q1, const double *v1);
// k->x: the nearest state to k->free that limits and barriers allow; which: of a step's two solves.
pl_status project_free(limit_stepper *k, int which);

// Energies of the state s, with the powers there.
pl_status energy_eval(limit_stepper *k, const pl_state *s, power *now);
// Works of limits and contact in a solve to x[nq] that took the velocity from v0 to v1[nq], into
// k->work: impulses are span times force[nq] and factor times the multipliers.
void energy_impulse(limit_stepper *k, const double *x, const double *force, double span,
                    double factor, const double *v0, const double *v1);
// M (to - from) over the nodes, in scratch of the stepper.
const double *energy_shift(limit_stepper *k, const double *from, const double *to);
// Work of damping in a step of length h from k->s to k->x, into k->damped: by the mean velocity, as
// at impacts those of its ends say little.
pl_status energy_damping(limit_stepper *k, double h);
// Limits have moved a state as it is, with its velocities: its energy changes by their work.
pl_status energy_move(limit_stepper *k, const pl_state *from, const pl_state *to);
// Energy at k->x that the step of length h has made or lost: all but works of contact, drives and
// damping. Limits can only take it, but for the rounding of the rule.
pl_status energy_gain(limit_stepper *k, double h, double *gain);
// The step to k->s is accepted: sums, and what is left as its loss.
pl_status energy_accept(limit_stepper *k, double h);

// Steps in one program of elasticity, limits and contact; x and step are filled.
pl_status couple_step(limit_stepper *k, double h, double t); // implicit Euler
pl_status couple_bdf2_step(limit_stepper *k, double h, double t);
pl_status couple_newmark_step(limit_stepper *k, double h, double t);

// ---- failure ------------------------------------------------------------------------------------

typedef struct unsolved {
  const char *what;               // "transient: no step from t = 0.1 s on"
  const pl_sheet *sheet;          // NULL: none
  const pl_project_info *project; // the last one, NULL: none
  int crowded;                    // 1: planes of contact did not settle
  int pulled;                     // 1: drives move, or there are obstacles
} unsolved;
void report_unsolved(pl_env *env, const unsolved *u);

// ---- nodes --------------------------------------------------------------------------------------

// A sheet over all nodes without limits, for contact alone. Nodes that can move need a mass.
pl_status loose_sheet(pl_env *env, const pl_model *m, const double *mass, pl_sheet **out);

#endif
