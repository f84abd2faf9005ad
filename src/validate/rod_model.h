#ifndef ROD_MODEL_H
#define ROD_MODEL_H

// One rod in the xz plane, built in at its upper end with the tangent downwards, as protocols need.
#include "protocol_impl.h"

typedef struct rod_desc {
  int n;        // edges; the clamp is at the middle of the first
  double nu;    // Poisson's ratio
  double thick; // size of the section in the plane, over the length
  double broad; // across, over the length
  int box;      // 0: round, 1: rectangular
  double rot;   // natural angle from the clamp to the tip, towards +x (rad)
  int planar;   // 1: nodes stay in the xz plane
  int lowered;  // 1: the clamp may be moved, see rod_lower and rod_sink
  int pinned;   // 1: the tip is held
  double grip; // friction on a plane that the tip just touches, unless it is held; 0: there is none
  double drag; // of a dashpot on the tip along x, see rod_drag
  double alpha; // damping by mass, in units of omega
  int units;    // see protocol_dims
} rod_desc;

typedef struct rod {
  pl_env *env;
  pl_built b;
  int n;
  double length;  // m, from the clamp to the tip
  double edge;    // m
  double rot;     // natural angle of the reference shape
  double gravity; // m/s^2 that makes Gamma one: E I/(rho A L^3)
  double force;   // N, E I/L^2
  double omega;   // rad/s, sqrt(E I/(rho A L^4))
  int par_bend;   // where the parameters of bends begin
  int par_drive;  // where the terms of the clamp's drive begin
} rod;

pl_status rod_create(pl_env *env, const rod_desc *d, rod *r);
void rod_free(rod *r);
// Sets the natural angle from the clamp to the tip, in equal parts at the nodes.
void rod_curl(rod *r, double rot);
// Sets the weight, as Gamma = rho A g L^3/(E I).
void rod_weigh(rod *r, double gamma);
// Sets how far the clamp stands below its place at rest, over the length.
void rod_lower(rod *r, double eps);
// In transients it sinks further, by `rate` lengths a second, to a thousandth while it is less than
// half a length. Returns the frequency that the transient must have (rad/s).
double rod_sink(rod *r, double rate);
// N s/m of a drag in units of force/(length omega).
double rod_drag(const rod *r, double drag);
// Largest distance of the nodes from the xz plane, over the length.
double rod_depth(const rod *r, const pl_state *s);

// ---- a rod of some turns, hanging ---------------------------------------------------------------

// A point of the diagram of bend-twist: X = cbrt(Gamma)/phi, turns = phi/(2 pi).
typedef struct hang_at {
  double X, turns;
} hang_at;

// A naturally circular rod that hangs under its weight: its planar equilibrium, followed from the
// natural circle, and the same rod free to leave the plane.
typedef struct hang {
  pl_env *env;
  rod flat,
      full; // flat.b.state: the planar equilibrium at `at`; full.b.state: the last relaxed one
  hang_at at;
  pl_state *back;    // of flat, to return to
  pl_factor *factor; // of the full stiffness
  int deep;          // the last relaxed state lay out of the plane
} hang;

typedef struct hang_desc {
  int n; // edges
  double nu;
  int units;
  double turns; // to begin with, without weight
} hang_desc;

pl_status hang_open(pl_env *env, const hang_desc *d, hang *h);
void hang_close(hang *h);
// Follows the planar equilibrium on the straight line to another point. PL_UNSOLVED: it was lost.
pl_status hang_follow(hang *h, hang_at to);
// Negative eigenvalues of the full stiffness at the planar equilibrium.
pl_status hang_inertia(hang *h, int *nneg);
// Relaxes a state out of the plane at a point: the last relaxed one when it was, else the planar
// one with a push. *deep: it stays out of the plane.
pl_status hang_relax(hang *h, hang_at to, int *deep);

// The frontier between planar and other equilibria: turns at X, approached from few turns, and X at
// some turns, approached from light and from heavy rods. NAN: none.
pl_status hang_frontier(pl_env *env, const hang_desc *d, double X, double *turns);
pl_status hang_sides(pl_env *env, const hang_desc *d, double turns, double *left, double *right);

// ---- a strip pressed on a plane -----------------------------------------------------------------

// A strip of n edges whose lower end touches a plane with friction mu.
typedef struct press_desc {
  int n;
  double mu;
  int units;
} press_desc;

// How far the clamp is lowered, over the length, when the force on the tip reaches the cone; P is
// the normal force then, in E I/L^2. PL_DOMAIN: it does not before the strip lies on the plane.
// Load steps with exact friction:
pl_status press_static(pl_env *env, const press_desc *d, double *eps, double *P);
// Slow motion with exact friction:
pl_status press_dynamic(pl_env *env, const press_desc *d, double *eps, double *P);
// Slow motion with a friction force of the size of the tip's velocity:
pl_status press_viscous(pl_env *env, const press_desc *d, double *eps, double *P);
// Forces in E I/L^2 on a tip that is held, normal and tangential, at eps >= PRESS_START.
pl_status press_held(pl_env *env, const press_desc *d, double eps, double *P, double *Q);
#define PRESS_START 1e-3

#endif
