#ifndef RIVALS_H
#define RIVALS_H

// Other ways to states within limits of stretch, for comparison with pl_project.
#include "limit_impl.h"

typedef struct rival_info {
  int iterations, converged;
  double objective, violation, seconds;
} rival_info;

// Triangle after triangle is moved within its limits by the least change of its three vertices,
// until no triangle is beyond by more than tol (Thomaszewski et al. 2009). Ends at a state within
// the limits that is not the projection. PL_UNSOLVED after max_sweeps.
pl_status project_gauss_seidel(pl_sheet *s, const double *xhat, double tol, int max_sweeps,
                               double *x, rival_info *info);
// Ipopt with exact derivatives. exact: sigma_max through the two invariants of B^-1/2 C B^-1/2;
// else sampled directions. PL_E_INPUT where Ipopt was not found.
pl_status project_ipopt(pl_sheet *s, const double *xhat, double tol, int max_iter, double *x,
                        rival_info *info);
int project_has_ipopt(void);

#endif
