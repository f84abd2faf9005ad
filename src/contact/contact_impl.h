#ifndef CONTACT_IMPL_H
#define CONTACT_IMPL_H

#include "pliant/contact.h"
#include "pliant/math.h"

#include <float.h>
#include <stddef.h>

// ---- Coulomb's law ------------------------------------------------------------------------------

// A problem scaled contact by contact, p' = sqrt(w) p, u' = u/sqrt(w), so that the diagonal blocks
// of W have trace `size`; cones stay what they are.
typedef struct friction {
  pl_env *env;
  const pl_friction_opts *o;
  pl_friction_info *info;
  int n, size, m; // contacts, unknowns of one and of all
  const double *mu;
  double *W, *c;            // [m][m], [m]
  double *scale;            // [n] sqrt(w)
  double *rho;              // [n][2] 1/W_NN and 1/largest eigenvalue of W_TT
  double *p, *u;            // [m]
  double *best;             // [m] p of the smallest residual since the last start
  double *kept;             // [m] the same since the first
  double *centre;           // [m] proximal point
  double *diag0, *c0;       // [m] of the problem itself while another is solved
  double *F;                // [m] of Alart and Curnier
  double size_c;            // |c|
  double residual;          // natural map of p, over |c|
  double force;             // error of p by contacts alone, |F| over |p| + |c|
  double least, kept_least; // the larger of both, of best and kept
} friction;

// z onto the cone |z_T| <= mu z_N.
void cone_project(int size, double mu, double *z);
// u = W p + c
void friction_velocity(const friction *f, const double *p, double *u);
// The function of Alart and Curnier at p, u: what p is off, by each contact alone. Returns |F|.
double friction_function(const friction *f, const double *p, const double *u, double *F);
// Residuals of f->p and f->u; keeps the best point. Returns 1 when they are below the goal, or no
// more than rounding.
int friction_judge(friction *f, double goal);
// Newton's method on the Alart-Curnier function from f->p, which keeps the best point. Returns
// PL_OK when it ended, converged or not.
pl_status friction_newton(friction *f, double goal);

// ---- obstacles ----------------------------------------------------------------------------------

// Signed distance of x to a mesh in the axes of the mesh, and the unit normal out of it.
double obstacle_mesh_gap(const pl_obstacle_mesh *m, const double *x, double *n);

#endif
