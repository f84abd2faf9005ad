#ifndef LIMIT_STEP_IMPL_H
#define LIMIT_STEP_IMPL_H

#include "limit_impl.h"

// ---- contact ------------------------------------------------------------------------------------

// Obstacles and layers as barriers of one solve: for every pair of a node and an obstacle the plane
// that touches the obstacle at the nearest place, for every pair of layers the plane between them.
typedef struct touch {
  pl_env *env;
  const pl_model *m;
  pl_contact *contact; // NULL: no obstacles
  pl_layers *layers;   // NULL: none
  const double *mass;  // [nnode] kg
  int nnode;
  int nbar, cap;
  pl_barrier *bar;
  int capof;
  int *of; // [nbar] pair of the contact, or npair + pair of layers
  int *in; // [npair] its barrier, -1: none, -2: never, as the node is driven
  // pairs of layers that the motion of the step may bring together
  int npair, ncand, capcand;
  pl_layer_pair *cand;
  int *joined; // [ncand] 1: it is a barrier
  int capjoined;
  int eased;       // 1: no friction of layers in this solve
  int searched;    // searches for layers at the end of the solve
  const double *q; // [nq] at the start of the solve
  double h, t;     // its length, and the time at its end
  double *way;     // [nnode][3] scratch
  double *force;   // [npair][3] N s; impulses of the step so far, world axes
} touch;

pl_status touch_open(touch *k, const pl_model *m, const pl_confine *c, const double *mass);
void touch_close(touch *k);
int touch_any(const touch *k);
// A new step: no impulses yet.
void touch_reset(touch *k);
// Barriers for a solve of length h from q[nq] to time t that would end at to[nq] without them.
pl_status touch_begin(touch *k, const double *q, const double *to, double h, double t);
// Adds what x[nq] enters and moves planes that do not hold it out; *n: how many of both.
pl_status touch_more(touch *k, const double *x, int *n);
// Layers slide without friction for the rest of this solve. Returns how many did not before.
int touch_ease(touch *k);
// The solve is done: its impulses are factor times the forces of the barriers. Returns their work
// at the velocity v[nq].
double touch_impulse(touch *k, double factor, const double *v);
// to = x at the nodes that barriers hold.
void touch_keep(const touch *k, const double *x, double *to);
// Nodes that have met an obstacle in this solve move on with it: in the velocity v[nq] along the
// normal, and in the state q1, v1[nq] h before x[nq], by which the next step goes.
void touch_land(const touch *k, double *v);
void touch_forget(const touch *k, double h, const double *x, double *q1, double *v1);
// The step of length h ended at x[nq]: fills the pairs of the contact; *overlap: the deepest (m),
// below zero: none. Returns the barriers that press.
int touch_accept(touch *k, const double *x, double h, double *overlap);

// ---- energies -----------------------------------------------------------------------------------

enum { LEDGER_START, LEDGER_LIMITER, LEDGER_CONTACT, LEDGER_DAMPING, LEDGER_DRIVEN };

// Powers at the last state whose energies were taken, W.
typedef struct power {
  double damping, driven;
} power;

// ---- where solves begin -------------------------------------------------------------------------

// Keeps warm[n] in a history, and takes them from one that has them; what they are of must fit.
pl_status warm_keep(pl_env *env, int n, const pl_warm *warm, pl_history *h);
pl_status warm_recall(pl_env *env, const pl_history *h, int nvert, int ncone, int n, pl_warm *warm);

// ---- steps --------------------------------------------------------------------------------------

typedef struct march {
  const pl_transient_opts *o;
  const pl_project_opts *po;
  const pl_model *m;
  const pl_params *p;
  const pl_confine *k;
  pl_work *w;
  pl_env *env;
  pl_limit_info *info;
  int nnode, nq;
  const int *free_index;    // [nq]
  pl_state *s;              // the caller's: last accepted step
  pl_state *x, *mid, *grid; // trial, state in the middle of the step, start of a step in parts
  pl_history hist, back;
  pl_history *told; // the caller's, shows hist when the observer is called; NULL: none
  pl_implicit *implicit;
  struct couple *couple; // made when first wanted
  pl_sheet *sheet;       // what states are projected onto; NULL: nothing
  pl_sheet *loose;       // own one, without limits
  double *mass;          // [nnode] kg, row sums
  pl_warm warm[2];       // first and second solve of a step
  double dv, da;         // rule of the solve under way
  double *vc, *ac;       // [nq]
  double *free;          // [nq] result of the solve before the projection
  double *v;             // [nq] scratch
  double *y;             // [nnode][3] result of a projection
  double *load, *rest;   // [nq] loads at a time, constant loads
  touch touch;
  power power;
  const pl_warm *used; // multipliers of the solve under way, NULL: none
  double work[3];      // J; of limits, of contact, and of drives against limits, in the step so far
  pl_limit_step step;
  double last; // wall time at which progress was told
  double end;  // s
} march;

// v = (q - q0)/h, a = (v - v0)/h for the next solve.
void rule_euler(march *k, double h, const double *q0, const double *v0);

// Energies of the state s, with the powers there.
pl_status energy_take(march *k, pl_state *s, power *now);
// Works of a solve that took the velocity from v0 to v1[nq], into k->work; h: its length.
void energy_solve(march *k, double h, const double *x, const double *v0, const double *v1);
// The step to k->s is accepted: sums, and what is left as its loss.
pl_status energy_accept(march *k, double h);

// A step in one program; x and step are filled.
pl_status couple_step(march *k, double h, double t);

// ---- nodes --------------------------------------------------------------------------------------

// A sheet over all nodes without limits, for contact alone. Nodes that can move need a mass.
pl_status loose_sheet(const pl_model *m, const double *mass, pl_sheet **out);

#endif
