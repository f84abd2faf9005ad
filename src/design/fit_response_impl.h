#ifndef FIT_RESPONSE_IMPL_H
#define FIT_RESPONSE_IMPL_H

#include "frf.h"

// Where a fit of responses is: coming near or fitting, which pass, steps taken of those allowed.
typedef struct fit_way {
  int stage, pass, tries, steps;
  double first; // cost before coming near
} fit_way;

// Messages about one response. Those of trials are nobody's concern; those of the last one are.
enum { HEARD = 4 };
typedef struct hearing {
  int n;
  pl_diag d[HEARD];
} hearing;

typedef struct fitter {
  const pl_fit_response_opts *o;
  pl_env *env;
  pl_response_fit *fit;
  pl_design *d;
  frf_solver solver;
  int nset, nvar, nrow, npoint; // rows compared; samples of all sets
  const pl_frf *set;
  frf_view *view;          // [nset]
  pl_response_opts follow; // how responses are followed
  pl_curve *curve, *tried; // at x, and at the values tried
  hearing said, said_try;  // about them
  int stale;               // the curve is one of earlier values
  int logs;                // logarithms are compared, whose differences see far
  double *z, *z_try;       // [npoint][n] motions of the samples
  double *y, *y_try;       // [npoint][2] computed
  double *r, *r_try;       // [nrow]
  pl_marquardt lm;         // lm.cost: sum of weighted squares of the difference
  double *weight;          // [npoint]
  double *used;            // [nset] numbers of the set that the fit uses up
  double *gz, *grad;       // [n], [nvar]
  double data;             // sum of weighted squares of the samples
  fit_way at;
  double *from;            // [nvar] values at the beginning of a stage or pass
  int resumed;             // 1: the way goes on from the middle of a stage or pass
  const pl_keeper *keeper; // NULL: none
} fitter;

// ---- steps ------------------------------------------------------------------------------------

// *cost at values; PL_UNSOLVED, PL_DOMAIN: some sample has no motion there. near: x is so close
// that motions are followed one by one, where they can be.
pl_status fit_evaluate(fitter *f, const double *x, int near, double *cost);
// The values evaluated last become those of the fit.
void fit_accept(fitter *f, const double *x, double cost);
// J at x.
pl_status fit_differentiate(fitter *f);
// At most so many steps from x. PL_UNSOLVED: more are needed.
pl_status fit_iterate(fitter *f, int most);

// ---- bands ------------------------------------------------------------------------------------

// Numbers of each set that the fit uses up: the trace of its part of J (J'J)^-1 J'.
void fit_used(fitter *f);
// Standard errors, correlations and bands.
pl_status fit_bands(fitter *f);

// ---- going on from what was kept ------------------------------------------------------------

// Harmonics of what was kept, 0: there is nothing. PL_E_INPUT: it is of another fit.
pl_status fit_kept_harmonics(const fitter *f, int *harmonics);
// Tells the keeper what the next step needs.
pl_status fit_keep(fitter *f);
// Takes up what was kept; residuals and derivatives are left to do.
pl_status fit_resume(fitter *f);

#endif
