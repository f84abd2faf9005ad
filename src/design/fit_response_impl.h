#ifndef FIT_RESPONSE_IMPL_H
#define FIT_RESPONSE_IMPL_H

#include "frf.h"

// Where a fit of responses is: coming near or fitting, which pass, how many steps are left.
typedef struct fit_way {
  int stage, pass, tries, left;
  double lambda; // caution of the next step
  double first;  // cost before coming near
} fit_way;

typedef struct fitter {
  const pl_fit_response_opts *o;
  pl_env *env;
  pl_response_fit *fit;
  pl_design *d;
  frf_solver solver;
  int nset, nvar, nrow, npoint; // rows compared; samples of all sets
  const pl_frf *set;
  frf_view *view;           // [nset]
  pl_response_opts follow;  // how responses are followed
  pl_curve *curve, *tried;  // at x, and at the values tried
  int stale;                // the curve is one of earlier values
  int logs;                 // logarithms are compared, whose differences see far
  double *z, *z_try;        // [npoint][n] motions of the samples
  double *y, *y_try;        // [npoint][2] computed
  double *x, *to, *step;    // [nvar]
  double *r, *r_try, *J;    // [nrow], [nvar][nrow]
  double *A, *C, *g, *size; // normal matrix and its scaled copy; gradient; scales
  double *weight;           // [npoint]
  double *gz, *grad;        // [n], [nvar]
  int *active;              // [nvar] held at a bound
  double cost, data;        // sums of weighted squares: difference, samples
  fit_way at;
  double *from;            // [nvar] values at the beginning of a stage or pass
  int resumed;             // 1: the way goes on from the middle of a stage or pass
  const pl_keeper *keeper; // NULL: none
} fitter;

// ---- going on from what was kept ------------------------------------------------------------

// Harmonics of what was kept, 0: there is nothing. PL_E_INPUT: it is of another fit.
pl_status fit_kept_harmonics(const fitter *f, int *harmonics);
// Tells the keeper what the next step needs.
pl_status fit_keep(fitter *f);
// Takes up what was kept; residuals and derivatives are left to do.
pl_status fit_take_up(fitter *f);

#endif
