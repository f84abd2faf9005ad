#ifndef PLIANT_CONTACT_H
#define PLIANT_CONTACT_H

#include "pliant/model.h"

// ---- Coulomb's law for many contacts ------------------------------------------------------------

// u = W p + c, and for every contact, with p = (p_N, p_T) and u = (u_N, u_T),
//   0 <= p_N _|_ u_N >= 0,   |p_T| <= mu p_N,   u_T != 0  =>  p_T = -mu p_N u_T/|u_T|.
// Units are the caller's, e.g. p impulses (N s), u velocities (m/s), W their quotient.
typedef struct pl_friction_desc {
  int n;            // contacts
  int size;         // unknowns of one: 1 (N), 2 (N, T) or 3 (N, T1, T2)
  const double *W;  // [n size][n size], symmetric, positive semidefinite; may be singular
  const double *c;  // [n size]
  const double *mu; // [n], >= 0
} pl_friction_desc;

enum { PL_FRICTION_HYBRID, PL_FRICTION_GAUSS_SEIDEL, PL_FRICTION_NEWTON };

#define PL_FRICTION_OPTS(X, C)                                                                     \
  C(method, 0, "hybrid|gauss-seidel|newton", "solver of Coulomb's law")                            \
  X(double, tolerance, 1e-12, 0, 1, "", "stop when the residual is below tolerance times |c|")     \
  X(int, sweeps, 20, 1, 100000, "", "hybrid: sweeps over the contacts before Newton's method")     \
  X(int, max_sweeps, 20000, 1, 100000000, "", "sweeps over the contacts, at most")                 \
  X(int, max_iter, 60, 1, 100000, "", "Newton iterations of one attempt")

typedef struct pl_friction_opts {
  PL_FRICTION_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_friction_opts;
extern const pl_option pl_friction_option_table[];
extern const int pl_friction_option_count;

typedef enum pl_friction_stop {
  PL_FRICTION_CONVERGED,
  PL_FRICTION_ROUNDING, // as close as the rounding of W p + c allows
  PL_FRICTION_STALLED,  // neither method gets any closer
  PL_FRICTION_MAX_ITER,
  PL_FRICTION_CANCELLED
} pl_friction_stop;

typedef enum pl_contact_status { PL_OPEN, PL_STICK, PL_SLIP } pl_contact_status;

typedef struct pl_friction_info {
  pl_friction_stop reason;
  int sweeps;      // over all contacts
  int iterations;  // of Newton's method
  int attempts;    // at Newton's method
  int restarts;    // from other forces, when nothing else helped
  double force;    // what single contacts would still change, over the size of p
  double residual; // |p - proj(p - (u + mu |u_T| e_N))| / |c|, contacts scaled by the diagonal of W
} pl_friction_info;

// Solves Coulomb's law. p[n size] is the start (zeros will do) and the result; u[n size] and
// status[n] may be NULL (contacts of size 1 that press are PL_STICK). Where the solution is not
// unique it is one of them: p, when more contacts than unknowns share a load, and even u, when a
// body turns on such contacts or friction is strong. Returns PL_UNSOLVED with the best p when it
// does not converge; info, which may be NULL, tells why.
pl_status pl_friction(pl_env *env, const pl_friction_opts *o, const pl_friction_desc *d, double *p,
                      double *u, pl_contact_status *status, pl_friction_info *info);

// One contact alone, exact: the same law with W[3][3], c[3]. W_NN <= 0 gives p = 0.
pl_contact_status pl_friction_one(const double W[9], const double c[3], double mu, double p[3]);

// ---- obstacles ----------------------------------------------------------------------------------

typedef enum pl_obstacle_kind { PL_PLANE, PL_SPHERE, PL_BOX, PL_CAPSULE, PL_MESH } pl_obstacle_kind;

// A closed surface of triangles, the shape of obstacles of the kind PL_MESH. It does not change, so
// that obstacles and threads may share it.
typedef struct pl_obstacle_mesh pl_obstacle_mesh;
// Copies x[nvert][3] (m) and tri[ntri][3]. All triangles are turned around when the volume inside
// is negative; parts that lie inside of others are hollows when they are turned the other way.
// PL_E_INPUT names what is wrong: vertices out of range or not finite, triangles without area, or
// an edge that is not shared by two triangles in opposite directions. Numbers count from 1.
pl_status pl_obstacle_mesh_create(pl_env *env, int nvert, const double *x, int ntri, const int *tri,
                                  pl_obstacle_mesh **out);
void pl_obstacle_mesh_free(pl_obstacle_mesh *m);
int pl_obstacle_mesh_ntri(const pl_obstacle_mesh *m);
// Its corners as pointers into the mesh, seen from outside anticlockwise.
void pl_obstacle_mesh_corners(const pl_obstacle_mesh *m, int tri, const double *corner[3]);

// A rigid body that nodes cannot enter. In two dimensions a half plane, disc, rectangle or slot in
// the xy plane; in one dimension a wall. A mesh is for three dimensions.
typedef struct pl_obstacle {
  pl_obstacle_kind kind;
  double centre[3]; // m, at time 0; of a plane: any of its points; of a mesh: its origin
  double axis[3];   // plane: normal, out of it, of any length; capsule: from its centre to one end
                    // of its segment, m
  double half[3];   // box: half of its sides, m
  double rotation[4];           // box, mesh: quaternion (w, x, y, z) from its own axes; zeros: none
  double radius;                // m; sphere, capsule, and how far a box or mesh is rounded outwards
  double velocity[3];           // m/s; of the surface, which moves with it
  double mu;                    // friction coefficient
  const pl_obstacle_mesh *mesh; // outlives the obstacle
} pl_obstacle;

// Where a point stands to an obstacle.
typedef struct pl_gap {
  double gap;         // m, negative inside
  double frame[3][3]; // normal, out of the obstacle, and tangents
} pl_gap;

// The gap of a ball of some radius about x[dim] at time t; of a point deep inside the nearest way
// out.
void pl_obstacle_gap(const pl_obstacle *o, int dim, double t, const double *x, double radius,
                     pl_gap *out);

// ---- contact of a model with obstacles ----------------------------------------------------------

typedef struct pl_contact_desc {
  int nobstacle;
  const pl_obstacle *obstacle;
  int nnode;
  const int *node;      // [nnode] nodes that may touch them
  const double *radius; // [nnode] m, of a ball about the node; NULL: 0
  const double *mu;     // [nnode][nobstacle]; NULL: the obstacle's
} pl_contact_desc;

// One node and one obstacle, after an accepted step.
typedef struct pl_contact_pair {
  int node, obstacle;
  double mu, radius;
  pl_contact_status status;
  pl_gap place;
  double force[3]; // N, along the frame: impulse of the step over its length; statics: the force
  double slide[3]; // along the tangents, [1] and [2]: m/s, or m in a load step of statics
} pl_contact_pair;

// What becomes of the velocity of contacts that are closed at the end of one of Newmark's steps.
typedef enum pl_impact {
  PL_IMPACT_REST, // Coulomb's law once more, for velocities and the impulses of the whole step, in
                  // the metric of the mass: closed contacts do not open again by themselves
  PL_IMPACT_FREE  // whatever the step gives: a contact that stays closed turns its velocity around
                  // in every step, and a mass without elements behind it bounces
} pl_impact;

typedef struct pl_contact {
  pl_env *env;
  int dim, nobstacle, npair;
  pl_obstacle *obstacle;
  pl_contact_pair *pair; // [npair] obstacle by obstacle for each node
  // may be changed between analyses
  pl_friction_opts friction;
  pl_impact impact;
  // since creation
  long solves, sweeps, iterations; // of Coulomb's law
  double residual;                 // the worst of an accepted step
  int most;                        // contacts in one of them
} pl_contact;

// Fails on unknown nodes and on obstacles without size, with the number of what is wrong.
pl_status pl_contact_create(const pl_model *m, const pl_contact_desc *d, pl_contact **out);
void pl_contact_free(pl_contact *k);
// Gap and frame of every pair at a time and place q[nq].
void pl_contact_place(pl_contact *k, double t, const double *q);
// Forgets forces, as for a fresh start.
void pl_contact_reset(pl_contact *k);
// Force of an obstacle on the model in world axes, N; -1: of all.
void pl_contact_force(const pl_contact *k, int obstacle, double out[3]);

// ---- layers: sheets that touch themselves and each other ----------------------------------------

typedef struct pl_layers_desc {
  int nvert, ntri;
  const int *tri;   // [ntri][3]
  const double *X;  // [nvert][3] at rest, m
  double thickness; // m; the distance that layers keep
  double mu;        // friction coefficient
} pl_layers_desc;

// Two places of a sheet that are near each other: y = sum weight x is the vector to the first from
// the second. A vertex over a triangle: weights 1 and less the barycentrics; an edge across an
// edge: the barycentrics of both, those of the second negative. Where the nearest place is on an
// edge or at a corner, the pair is one of a vertex and an edge, or of two vertices.
typedef struct pl_layer_pair {
  int n; // vertices: 2, 3 or 4; further ones repeat the last, with weight 0
  int vert[4];
  double weight[4]; // sum: 0
  double normal[3]; // y over its length; of no length: across triangle or edges, on any side
  double distance;  // m
} pl_layer_pair;

// Triangles of one or more sheets and scratch for searches; one search at a time.
typedef struct pl_layers pl_layers;
// Copies what it needs. PL_E_INPUT: a thickness that is not above zero, vertices out of range.
pl_status pl_layers_create(pl_env *env, const pl_layers_desc *d, pl_layers **out);
void pl_layers_free(pl_layers *l);
double pl_layers_thickness(const pl_layers *l);
double pl_layers_mu(const pl_layers *l);
// All pairs of a vertex and a triangle and of two edges that share no vertex and are closer than
// thickness + margin at x[nvert][3], each once and in an order that depends on the mesh alone. Left
// out are pairs within one triangle, and pairs of one connected sheet that are closer than the
// thickness at rest. *pair belongs to l and stays until the next call. PL_E_INPUT: x is not finite.
pl_status pl_layers_find(pl_layers *l, const double *x, double margin, int *n,
                         const pl_layer_pair **pair);
// The same for pairs that may come closer than thickness + margin while all vertices move straight
// and evenly from x to `to`: none that does is left out, and none whose distance at x is more than
// that by the largest relative motion of its vertices is listed. The pairs are those at x.
pl_status pl_layers_find_moving(pl_layers *l, const double *x, const double *to, double margin,
                                int *n, const pl_layer_pair **pair);
// Least distance of the pairs that pl_layers_find knows, INFINITY when none is closer than twice
// the thickness or x is not finite. The pairs found before stay.
double pl_layers_least(pl_layers *l, const double *x);

#endif
