#ifndef RUN_IMPL_H
#define RUN_IMPL_H

#include "design_impl.h"

// One run of the optimiser.
typedef struct run {
  pl_design *d;
  pl_design_result *r;
  lbfgsb b;
  double factor;     // on value and gradient as L-BFGS-B sees them: sets the first step
  double value;      // at the kept design
  double *g;         // [nvar] its gradient in scaled variables
  double *grad;      // [nvar] by x, scratch
  double *x;         // [nvar] scratch
  int fake;          // the last evaluation failed and a made-up value was returned
  int slow, restart; // iterations of hardly any fall; restarts since the last iteration
  int start;         // which start is under way
  int capstep;
  double best;                             // of the starts that are done
  double *best_x, *best_z, *best_omega;    // [nvar], [nsite][n], [nsite]
  double *first_x, *first_z, *first_omega; // the design before
  double begun;
  // Gauss-Newton
  double trust;                  // longest change of a scaled variable
  double largest;                // entry of the diagonal of B
  int nrow, linear;              // residuals; J belongs to the kept design
  double *rows, *J, *B;          // [nrow], [nrow][nvar] in scaled variables, [nvar][nvar] 2 J'J
  double *spare;                 // [nrow][nvar] for the J of a step that may be refused
  double *lo, *hi, *step;        // [nvar] room and step
  double *damped, *to, *scratch; // [nvar][nvar], [nvar], [nvar][nvar + 2] scratch
} run;

// ---- state.c ----------------------------------------------------------------------------------

pl_status state_save(run *t, pl_design_state **out);
// PL_E_INPUT: it belongs to another problem.
pl_status state_load(run *t, const pl_design_state *s);
// Room for one more step in the result.
pl_status state_grow(run *t);

// ---- optimise.c -------------------------------------------------------------------------------

// Follows the motions to scaled values u and evaluates there; counts it. run_lost: they were lost,
// d->lost tells where.
pl_status run_try(run *t, const double *u, double *value, double *grad);
int run_lost(pl_status st);
// Keeps the design that b.x, b.f and b.g tell of.
pl_status run_accept(run *t);
// 1: there is a reason to stop.
int run_finished(run *t);
pl_status run_show(run *t, pl_design_observe_fn observe, void *ctx);

// ---- gauss.c ----------------------------------------------------------------------------------

pl_status gauss_open(run *t);
void gauss_close(run *t);
// Residuals and their derivatives at the present design; grad[nvar] by x.
pl_status gauss_linearise(run *t, double *grad);
// Steps from the kept design until there is a reason to stop.
pl_status gauss_iterate(run *t, pl_design_observe_fn observe, void *ctx);

#endif
