#ifndef CONTACT_IMPL_H
#define CONTACT_IMPL_H

#include "pliant/contact.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

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
  const pl_friction_desc *d;
  double *block;            // all of what follows
  double *W, *c;            // [m][m], NULL: known by products; [m]
  double *work;             // [m] of products
  pl_status failed;         // of products, which cannot tell it at once
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

// What a coefficient counts as: steeper cones are lost in rounding.
static inline double friction_of(double mu) {
  return fmin(mu, PL_FRICTION_STICKS);
}

// z onto the cone |z_T| <= mu z_N.
void cone_project(int size, double mu, double *z);
// u = W p + c; without c: y = W p
void friction_velocity(friction *f, const double *p, double *u);
void friction_product(friction *f, const double *p, double *y);
// The diagonal block of contact k in 3x3; missing tangents are stiff ones without load.
void friction_block(const friction *f, int k, double W[9]);
// The function of Alart and Curnier at p, u: what p is off, by each contact alone. Returns |F|.
double friction_function(const friction *f, const double *p, const double *u, double *F);
// Residuals of f->p and f->u; keeps the best point. Returns 1 when they are below the goal, or no
// more than rounding.
int friction_judge(friction *f, double goal);
// Where a contact stands: y = p - rho u, its normal part, the size of its friction and of the cone,
// and the direction of y_T.
typedef struct contact_state {
  pl_contact_status status;
  double yn, radius, size, e[2];
} contact_state;
contact_state friction_state(const friction *f, int k, const double *p, const double *u);
// The same method as friction_newton with W known by products.
pl_status friction_krylov(friction *f, double goal, int *done);
// p = p0 + step d with |F| falling from `size`; returns the new |F|, or a negative number.
double friction_search(friction *f, const double *d, double *p0, double size);
// Newton's method on the Alart-Curnier function from f->p, which keeps the best point. Returns
// PL_OK when it ended, converged or not.
pl_status friction_newton(friction *f, double goal);

// ---- obstacles ----------------------------------------------------------------------------------

// n[dim] = d/|d|, of no length: the last axis; returns |d|.
double obstacle_unit(int dim, const double *d, double *n);
// frame[0] = axis/|axis|, of no length: x; and tangents to it.
void obstacle_axes(int dim, const double *axis, double frame[3][3]);
// A direction n[dim] across an axis, dim > 1.
void obstacle_across(int dim, const double *axis, double *n);
// Centre and the first three of par, from there to one end, of a bar between two places.
void obstacle_between(const double *from, const double *to, pl_obstacle *o);
// Two lines along a bar between its ends, at e and at -e from its axis.
void obstacle_mantle(const pl_pen *p, double end[2][3], const double *e);
// From its own axes; returns 0 when there is no rotation.
int obstacle_rotation(const pl_obstacle *o, double R[9]);
// A random vector of dim entries in -1..1, the others zero.
void obstacle_random(pl_rng *r, int dim, double *x);

// ---- corners and edges --------------------------------------------------------------------------

typedef struct skeleton_point {
  int v;
  double radius;
  int sharp;  // 1: a corner of faces, which lies on one side of what it touches
  int hidden; // 1: another obstacle covers it
} skeleton_point;

typedef struct skeleton_edge {
  int v[2], third[2]; // and, of a sharp one, a place of each of its faces
  double radius;
  int sharp, hidden;
} skeleton_edge;

// an edge of one face, before it is known what is on the other side
typedef struct skeleton_side {
  int lo, hi, up, third;
} skeleton_side;

struct pl_skeleton {
  pl_env *env;
  pl_status failed;
  int nx, capx, nside, capside, npoint, cappoint, nedge, capedge;
  double (*x)[3];
  skeleton_side *side;
  skeleton_point *point;
  skeleton_edge *edge;
  int *first, *near;      // places that share an edge of a face with place i: near[first[i]..]
  double (*out)[3];       // [nx] out of the shape at its corners
  int *index;             // [npoint + nedge][3] of the trees
  pl_bvh *points, *edges; // NULL: there are none
  double lo[3], hi[3];    // of all of it with its radii
  double most;            // largest radius
};

// NULL: the shape has none.
pl_status skeleton_create(pl_env *env, const pl_obstacle *o, int dim, pl_skeleton **out);
void skeleton_free(pl_skeleton *s);

// Faces and edges of bodies; NULL where there are none, or nothing for them to feel.
pl_status surface_create(pl_env *env, int nnode, const pl_contact_desc *d, int dim,
                         struct pl_surface **out);
void surface_free(struct pl_surface *f);

#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

#endif
