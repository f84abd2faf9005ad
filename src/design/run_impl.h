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
} run;

// ---- state.c ----------------------------------------------------------------------------------

pl_status state_save(run *t, pl_design_state **out);
// PL_E_INPUT: it belongs to another problem.
pl_status state_load(run *t, const pl_design_state *s);
// Room for one more step in the result.
pl_status state_grow(run *t);

// ---- optimise.c -------------------------------------------------------------------------------

// Copies motions and values, or puts them in place.
void design_store(const pl_design *d, double *x, double *z, double *omega);
pl_status design_recall(pl_design *d, const double *x, const double *z, const double *omega);

#endif
