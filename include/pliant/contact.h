#ifndef PLIANT_CONTACT_H
#define PLIANT_CONTACT_H

#include "pliant/linkage.h"
#include "pliant/model.h"

PL_DECLS_BEGIN

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
  // W NULL: known by its products y = W p alone, and by what its diagonal blocks are about, with no
  // more than these on their diagonals: [n][size] > 0
  pl_status (*product)(void *ctx, const double *p, double *y);
  void *ctx;
  const double *diagonal;
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
  int products;    // with W, where it is known by them alone
  int attempts;    // at Newton's method
  int restarts;    // from other forces, when nothing else helped
  double force;    // what single contacts would still change, over the size of p
  double residual; // |p - proj(p - (u + mu |u_T| e_N))| / |c|, contacts scaled by the diagonal of W
} pl_friction_info;

// Solves Coulomb's law: by sweeps over the contacts and Newton's method, of which W that is known
// by products leaves Newton's, with GMRES in it. p[n size] is the start (zeros will do) and the
// result; u[n size] and status[n] may be NULL (contacts of size 1 that press are PL_STICK). Where
// the solution is not unique it is one of them: p, when more contacts than unknowns share a load,
// and even u, when a body turns on such contacts or friction is strong. Returns PL_UNSOLVED with
// the best p when it does not converge; info, which may be NULL, tells why.
pl_status pl_friction(pl_env *env, const pl_friction_opts *o, const pl_friction_desc *d, double *p,
                      double *u, pl_contact_status *status, pl_friction_info *info);

// One contact alone, exact: the same law with W[3][3], c[3]. W_NN <= 0 gives p = 0.
pl_contact_status pl_friction_one(const double W[9], const double c[3], double mu, double p[3]);

// ---- kinds of obstacles -------------------------------------------------------------------------

// A kind of obstacle is a constant table: what scenes say of its shape, its signed distance and its
// lines in pictures. A program may have kinds of its own and give obstacles a pointer to them
// (docs/add-an-obstacle.md). Shapes are told in axes of their own, which stand in the world as the
// obstacle's centre, rotation and velocity say.

typedef struct pl_obstacle pl_obstacle;
typedef struct pl_pen pl_pen;
struct pl_skeleton;

enum { PL_SHAPE_PAR_MAX = 8 }; // numbers of a shape

// What a scene gives for the keys of a shape: values one after the other in their order.
typedef struct pl_shape_source {
  const double *value;
  const char *file; // path, NULL: none
  double file_unit; // m
  int file_most;    // vertices that may be read, 0: any number
  int nrow, ncol;
  const double *grid; // [nrow][ncol] m
  int parts;          // 1: of an image, 0 black to 1 white instead
} pl_shape_source;

// What is wrong with an obstacle: at which key, and what to do about it (may be NULL).
typedef struct pl_shape_fault {
  const char *key, *text, *hint;
} pl_shape_fault;

// Gets a part of an obstacle near a point: its distance and the direction from it to the point.
typedef void pl_obstacle_part(void *ctx, double distance, const double n[3]);

typedef struct pl_obstacle_kind {
  const char *name;  // key in scene files and in messages
  const char *brief; // two or three words for the manual
  const char *text;  // one or two sentences for it
  int dim;           // the least dimension of models that it is for
  int nkey;
  const pl_key *key; // [nkey]
  // Fills par and data of an obstacle from what a scene gives; its other fields are filled already
  // and may be changed. On failure nothing is kept. NULL: the values are par.
  pl_status (*make)(pl_env *env, const pl_shape_source *in, pl_obstacle *o);
  // 1: something is wrong with the shape, beyond the ranges of keys. NULL: nothing can be.
  int (*check)(const pl_obstacle *o, int dim, pl_shape_fault *fault);
  // Signed distance of x[dim] to the shape, m, negative inside, and its gradient n[dim], of length
  // 1 everywhere: on ridges of the distance it is one of those beside it. No allocation, no state.
  double (*distance)(const pl_obstacle *o, int dim, const double *x, double *n);
  // Instead: the distance alone, with complex numbers. The gradient comes from the complex step and
  // is exact, so that nothing but branches by real parts may be not analytic: csqrt, not hypot.
  pl_complex (*distance_z)(const pl_obstacle *o, int dim, const pl_complex *x);
  // Tells all parts of the shape that are within a distance of x, each by its distance, m, and the
  // direction from its nearest point to x, where a point may be near several that are not one: in
  // the groove between two of them each has a smooth distance, and the nearest of them has not.
  // NULL: the nearest is enough.
  void (*around)(const pl_obstacle *o, const double *x, double within, pl_obstacle_part *each,
                 void *ctx);
  // Tells the corners and edges of the shape, by which faces and edges of bodies feel it. NULL:
  // nodes alone do, which is all there is to feel of a plane.
  void (*skeleton)(const pl_obstacle *o, int dim, struct pl_skeleton *s);
  // The box around it. NULL: it has no end.
  void (*bounds)(const pl_obstacle *o, double lo[3], double hi[3]);
  // Draws its lines with pl_pen_line and the like. NULL: it is not shown.
  void (*draw)(const pl_obstacle *o, pl_pen *p);
  // Adds all numbers of data, so that a run is not resumed with others. NULL: there is no data.
  void (*digest)(const void *data, void (*add)(void *ctx, int n, const double *x), void *ctx);
  void (*free)(void *data); // NULL: there is none
  // A random but sound shape of about size 1, for checks.
  pl_status (*sample)(pl_env *env, unsigned seed, int dim, pl_obstacle *o);
} pl_obstacle_kind;

// Kinds that are here, and what they have in par and data:
//   plane        normal [3], out of it, of any length
//   sphere       -
//   box          half of its sides [3], m
//   capsule      from its centre to one end of its segment [3], m
//   mesh         data: a pl_obstacle_surface
//   cylinder     from its centre to the middle of one end [3], m, and its radius, m
//   heightfield  data: a pl_obstacle_heights
#define PL_OBSTACLE_LIST(X)                                                                        \
  X(plane)                                                                                         \
  X(sphere)                                                                                        \
  X(box)                                                                                           \
  X(capsule)                                                                                       \
  X(mesh)                                                                                          \
  X(cylinder)                                                                                      \
  X(heightfield)

#define X(name) PL_OBSTACLE_##name,
enum { PL_OBSTACLE_LIST(X) PL_OBSTACLE_COUNT };
#undef X
#define X(name) extern const pl_obstacle_kind pl_obstacle_##name;
PL_OBSTACLE_LIST(X)
#undef X
extern const pl_obstacle_kind *const pl_obstacle_table[PL_OBSTACLE_COUNT];

// ---- obstacles ----------------------------------------------------------------------------------

// Larger coefficients of friction between a model and obstacles, and of its layers, count as this
// one: what presses sticks.
#define PL_FRICTION_STICKS 1000.0

// A rigid body that nodes cannot enter. In two dimensions a half plane, disc, rectangle or slot in
// the xy plane; in one dimension a wall.
struct pl_obstacle {
  const pl_obstacle_kind *kind;
  double centre[3];             // m, where its own axes stand at time 0
  double rotation[4];           // quaternion (w, x, y, z) from its own axes; zeros: none
  double radius;                // m; how far it is rounded outwards: the radius of a sphere, which
                                // is a point rounded, and of a capsule, which is a segment
  double velocity[3];           // m/s; of the surface, which moves with it
  double mu;                    // friction coefficient
  double par[PL_SHAPE_PAR_MAX]; // as its kind says
  const void *data;             // as its kind says; outlives the obstacle
};

// Where a point stands to an obstacle.
typedef struct pl_gap {
  double gap;         // m, negative inside
  double frame[3][3]; // normal, out of the obstacle, and tangents
} pl_gap;

// The gap of a ball of some radius about x[dim] at time t; of a point deep inside the nearest way
// out.
void pl_obstacle_gap(const pl_obstacle *o, int dim, double t, const double *x, double radius,
                     pl_gap *out);

// Tells the gaps of a ball about x[3] to all parts of an obstacle that are smaller than `within`:
// of shapes that have no parts, that of pl_obstacle_gap. The ball is outside.
void pl_obstacle_around(const pl_obstacle *o, double t, const double *x, double radius,
                        double within, pl_obstacle_part *each, void *ctx);

// What is wrong with an obstacle in models of that dimension, as PL_E_INPUT; `what` begins the
// message, e.g. "obstacle 2".
pl_status pl_obstacle_check(pl_env *env, const pl_obstacle *o, int dim, const char *what);
// The largest coordinate of its centre and, about that, of its bounds, m.
double pl_obstacle_size(const pl_obstacle *o, int dim);

// A closed surface of triangles, data of obstacles of the kind `mesh`. It does not change, so that
// obstacles and threads may share it.
typedef struct pl_obstacle_surface pl_obstacle_surface;
// Copies x[nvert][3] (m) and tri[ntri][3]. All triangles are turned around when the volume inside
// is negative; parts that lie inside of others are hollows when they are turned the other way.
// PL_E_INPUT names what is wrong: vertices out of range or not finite, triangles without area, or
// an edge that is not shared by two triangles in opposite directions. Numbers count from 1.
pl_status pl_obstacle_surface_create(pl_env *env, int nvert, const double *x, int ntri,
                                     const int *tri, pl_obstacle_surface **out);
void pl_obstacle_surface_free(pl_obstacle_surface *m);
int pl_obstacle_surface_ntri(const pl_obstacle_surface *m);
// Its corners as pointers into the mesh, seen from outside anticlockwise.
void pl_obstacle_surface_corners(const pl_obstacle_surface *m, int tri, const double *corner[3]);

// Heights over a grid, data of obstacles of the kind `heightfield`; it does not change.
typedef struct pl_obstacle_heights pl_obstacle_heights;
// Copies h[ny][nx] (m), neighbours being `spacing` m apart: along x in a row, rows along y. smooth
// 0: bilinear between them, 1: bicubic. PL_E_INPUT names what is wrong.
pl_status pl_obstacle_heights_create(pl_env *env, int nx, int ny, double spacing, const double *h,
                                     int smooth, pl_obstacle_heights **out);
void pl_obstacle_heights_free(pl_obstacle_heights *m);

// ---- corners and edges of obstacles -------------------------------------------------------------

// What a face or an edge of a body may meet of a shape before any node does, in its own axes; all
// of it is rounded by the obstacle's radius as well. In two dimensions shapes go on along z.
typedef struct pl_skeleton pl_skeleton;
// A place; returns its number.
int pl_skeleton_place(pl_skeleton *s, const double x[3]);
// A flat face of n corners, seen from outside anticlockwise: its convex edges and corners count
// where two faces meet.
void pl_skeleton_face(pl_skeleton *s, int n, const int *corner);
// One edge of a face, from a to b with the face on the left, where the place `third` of it is: for
// faces that are not flat beyond.
void pl_skeleton_side(pl_skeleton *s, int a, int b, int third);
// A ball about a place, and a round bar between two, without its ends.
void pl_skeleton_ball(pl_skeleton *s, int a, double radius);
void pl_skeleton_bar(pl_skeleton *s, int a, int b, double radius);

// ---- drawing of obstacles -----------------------------------------------------------------------

// Draws lines that are told in the axes of an obstacle where it stands.
struct pl_pen {
  int dim;
  double centre[3], R[9];                                    // of those axes
  void (*line)(void *ctx, const double *a, const double *b); // gets them in the world, m
  void *ctx;
  size_t nnear;
  const double *near; // [nnear][3] places of the model, in the world
};

void pl_pen_line(const pl_pen *p, const double a[3], const double b[3]);
// The same in pieces, so that a part may be left out of the picture.
void pl_pen_edge(const pl_pen *p, const double a[3], const double b[3]);
// Part of an ellipse, m + cos u + sin v, in steps of 1/32 turn; angles in rad.
void pl_pen_arc(const pl_pen *p, const double m[3], const double u[3], const double v[3],
                double from, double to);
// How far the model goes along a direction, measured from the obstacle's centre; lo > hi: no model.
void pl_pen_extent(const pl_pen *p, const double direction[3], double *lo, double *hi);
// The lines of an obstacle at time t, beside a model of places near[nnear][3].
void pl_obstacle_draw(const pl_obstacle *o, int dim, double t, size_t nnear, const double *near,
                      void (*line)(void *ctx, const double *a, const double *b), void *ctx);
// What pictures show of obstacles: the box of the places x[n][3] with three quarters of its
// diagonal around it.
void pl_picture_box(size_t n, const double *x, double lo[3], double hi[3]);

// ---- contact of a model with obstacles ----------------------------------------------------------

// A body that is round for obstacles, whatever corners its mesh has: the triangles of its surface
// about its centre, by which the places of the body are told that touch.
typedef struct pl_contact_ball {
  int centre, ntri;
  const int *tri; // [ntri][3]
} pl_contact_ball;

typedef struct pl_contact_desc {
  int nobstacle;
  const pl_obstacle *obstacle;
  int nnode;
  const int *node;      // [nnode] nodes that may touch them
  const double *radius; // [nnode] m, of a ball about the node; NULL: 0
  const double *mu;     // [nnode][nobstacle]; NULL: the obstacle's
  const int *ball_of;   // [nnode] ball that the node is the centre of, -1; NULL: none
  int nball;
  const pl_contact_ball *ball;         // [nball]
  const struct pl_layers_desc *bodies; // solids that touch each other and themselves; NULL: none
  // Surfaces that touch obstacles, too, where all nodes of a triangle or segment do.
  int ntri, nsolid, nsegment;
  const int *tri;     // [ntri][3], the first nsolid of solids, seen from outside anticlockwise
  const int *segment; // [nsegment][2] of rods, and of boundaries in two dimensions
} pl_contact_desc;

// One node and one obstacle, after an accepted step.
typedef struct pl_contact_pair {
  int node, obstacle;
  int ball; // that the node is the centre of, -1: none
  double mu, radius;
  pl_contact_status status;
  pl_gap place;
  double force[3]; // N, along the frame: impulse of the step over its length; statics: the force
  double slide[3]; // along the tangents, [1] and [2]: m/s, or m in a load step of statics
} pl_contact_pair;

// Faces and edges at one obstacle, after an accepted step.
typedef struct pl_contact_total {
  int stick, slip;
  double normal, force[3], friction[3]; // N; sum of normal forces, all and friction in world axes
} pl_contact_total;

typedef struct pl_contact {
  pl_env *env;
  int dim, nobstacle, npair, nq;
  pl_obstacle *obstacle;
  int nball;
  pl_contact_ball *ball;
  pl_contact_pair *pair;      // [npair] obstacle by obstacle for each node
  struct pl_surface *surface; // NULL: nodes alone touch obstacles
  pl_contact_total *total;    // [nobstacle]
  // [npress] faces and edges that press after an accepted step, with their forces, N, and `tag`:
  // obstacle, part of the bodies, feature of the obstacle
  struct pl_contact_row *press;
  int npress, cappress;
  // [nq] N, after an accepted step: what forces of residuals at its end are without, of obstacles
  // and bodies, on what is held, too; 0 where limits or layers are solved along
  double *push;
  double *begin; // [nq] N, residual where the next step begins, when `begun`
  int begun;
  struct pl_layers *bodies;      // NULL: bodies pass through each other
  int bodies_stick, bodies_slip; // pairs of them that press, after an accepted step
  double bodies_normal;          // N; sum of what they press with
  // may be changed between analyses
  pl_friction_opts friction;
  int formed; // unknowns of Coulomb's law up to which its matrix is formed: of more, products
  // Called after every accepted step of length h, and after its parts where it was halved, with the
  // state there; NULL: nobody.
  void (*accepted)(void *ctx, const pl_state *s, double h);
  void *ctx;
  // since creation
  long solves, sweeps, iterations; // of Coulomb's law
  double residual;                 // the worst of an accepted step
  int most;                        // contacts in one of them
} pl_contact;

// Fails on unknown nodes and on obstacles without size, with the number of what is wrong.
pl_status pl_contact_create(pl_env *env, const pl_model *m, const pl_contact_desc *d,
                            pl_contact **out);
void pl_contact_free(pl_contact *k);
// Edges of obstacles that go through triangles of d at q[][3] and time 0 by more than `least`, m.
// *depth: the most by which the nearer end of one is beyond its triangle, and which; 0: none does.
pl_status pl_contact_pierced(pl_env *env, const pl_contact_desc *d, const double *q, double least,
                             double *depth, int *tri, int *obstacle);
// What it knows between two steps into `kept`, which is zeros or one of the same contact, and back
// again; counts, too.
pl_status pl_contact_keep(const pl_contact *k, pl_contact *kept);
void pl_contact_back(pl_contact *k, const pl_contact *kept);
void pl_contact_kept_free(pl_contact *kept);
// Gap and frame of every pair at a time and place q[nq].
void pl_contact_place(pl_contact *k, double t, const double *q);
// Forgets forces, as for a fresh start.
void pl_contact_reset(pl_contact *k);
// v[nq] of the node of a pair along the normal n[dim] becomes the velocity of the obstacle, which
// is returned. index[nq]: below zero for what is driven, and goes its way.
double pl_contact_stop(const pl_contact *k, int pair, const double *n, const int *index, double *v);
// A node that has met the obstacle of a pair along n[dim], in a state q1, v1[nq] h before x[nq]: it
// moved with it there.
void pl_contact_forget(const pl_contact *k, int pair, const double *n, const int *index, double h,
                       const double *x, double *q1, double *v1);
// Force of an obstacle on the model in world axes, N; -1: of all.
void pl_contact_force(const pl_contact *k, int obstacle, double out[3]);

// ---- rows ---------------------------------------------------------------------------------------

// What obstacles and layers are to all solvers of contact: a point y = sum weight x of up to four
// nodes stays on one side of a plane, n'y >= offset. Without friction that is the law; with it,
// and u the displacement of the point along the tangents since `from`, Coulomb's.
typedef struct pl_contact_row {
  int n;
  int vert[4];
  double weight[4];
  double frame[3][3]; // normal, tangents
  double offset;      // m
  double from[3];     // m; where the point would be if it stuck
  double mu;
  int tag[3];               // whose it is, for who makes it
  double give;              // m per unit of force: 0: hard; else the point yields in proportion
  double force[3];          // out: along the frame, in the units of the solver
  pl_contact_status status; // out
} pl_contact_row;

// The nodes and weights of a pair: its node, or the place of its ball that is next to the obstacle
// at q[nq], which moves as the nodes around it do. q NULL: the node.
void pl_contact_pair_row(const pl_contact *k, const pl_contact_pair *a, const double *q,
                         const double *normal, pl_contact_row *row);
// Tangents frame[1] and frame[2] to the normal frame[0].
void pl_contact_tangents(int dim, double frame[3][3]);
// y[dim] = sum weight x.
static inline void pl_contact_row_point(const pl_contact_row *r, int dim, const double *x,
                                        double *y) {
  for (int c = 0; c < dim; c++) {
    y[c] = 0;
    for (int a = 0; a < r->n; a++) y[c] += r->weight[a] * x[dim * r->vert[a] + c];
  }
}
// g += size times direction j of the frame at its nodes; index[nnode][dim] of the unknowns in g,
// below zero: none.
void pl_contact_row_add(const pl_contact_row *r, int dim, int j, double size, const int *index,
                        double *g);
// The sum over the same unknowns x: the row of the Jacobian times x.
double pl_contact_row_dot(const pl_contact_row *r, int dim, int j, const int *index,
                          const double *x);

// A face or an edge of a body at a corner or an edge of an obstacle, as a row.
typedef struct pl_contact_feature {
  pl_contact_row row; // up to three nodes
  int obstacle;
  int part, feature; // which of the body and of the obstacle
  double gap;        // m
} pl_contact_feature;

// Faces and edges whose gap at q[nq] and time t is below `margin`, m, and that were outside at
// q0[nq] and t0. *approach belongs to k and stays until the next call.
pl_status pl_contact_features(pl_contact *k, double t, const double *q, double t0, const double *q0,
                              double margin, int *n, const pl_contact_feature **approach);
// After a step: no face or edge presses, or one more does with f[dim] along its frame, N; a row
// with its force joins `press`, which is empty after the first.
void pl_contact_total_clear(pl_contact *k);
void pl_contact_total_add(pl_contact *k, int obstacle, const pl_contact_row *r, const double *f,
                          pl_contact_status status);
pl_status pl_contact_press(pl_contact *k, const pl_contact_row *r);

// Cosine between what two places of up to four vertices, vert and weight [4], are held by along
// their normals: above PL_CONTACT_SAME they say the same, whichever side comes first.
#define PL_CONTACT_SAME (1 - 2e-4)
double pl_contact_cosine(const int *vert, const double *weight, const double *normal,
                         const int *vert2, const double *weight2, const double *normal2);

// ---- layers: sheets and rods that touch themselves and each other -------------------------------

typedef struct pl_layers_desc {
  int nvert, ntri, nrod;
  const int *tri;       // [ntri][3]
  const int *rod;       // [nrod][2] segments of rods
  const double *radius; // [nrod] m
  const double *X;      // [nvert][3] at rest, m
  double thickness;     // m; the distance that sheets keep, half of it on each side
  double mu;            // friction coefficient
  int solid;            // 1: all triangles are surfaces of solids, seen from outside anticlockwise
  // m; 0: solids start at least the thickness apart. Those that start closer are looked at so far
  // inside of their surfaces, which keep the thickness less twice the inset: 0 or less by rounding
  // where they are drawn touching. For pl_layers_find_least, _meet and _least alone.
  double inset;
} pl_layers_desc;

// Two places of sheets or rods that are near each other: y = sum weight x is the vector to the
// first from the second. A vertex over a triangle: weights 1 and less the barycentrics; an edge
// across an edge: the barycentrics of both, those of the second negative. Where the nearest place
// is on an edge or at a corner, the pair is one of a vertex and an edge, or of two vertices.
typedef struct pl_layer_pair {
  int n; // vertices: 2, 3 or 4; further ones repeat the last, with weight 0
  int vert[4];
  double weight[4]; // sum: 0
  double normal[3]; // y over its length; of no length: across triangle or edges, on any side
  double distance;  // m
  double keep;      // m; what the distance should be at least: radii and half thicknesses of both
  int rod;          // 1: one of the two is a rod
} pl_layer_pair;

// Triangles of sheets, segments of rods and scratch for searches; one search at a time.
typedef struct pl_layers pl_layers;
// Copies what it needs. PL_E_INPUT: a thickness or radius that is not above zero (a thickness may
// be zero where there are no triangles), vertices out of range.
pl_status pl_layers_create(pl_env *env, const pl_layers_desc *d, pl_layers **out);
void pl_layers_free(pl_layers *l);
// The least distance that any of them keep, m.
double pl_layers_thickness(const pl_layers *l);
double pl_layers_mu(const pl_layers *l);
// All pairs of a vertex and a triangle and of two edges that share no vertex and are closer than
// what they keep and a margin at x[nvert][3], each once and in an order that depends on the mesh
// alone. Left out are pairs within one triangle or segment, pairs of one connected sheet or rod
// that are closer than they keep at rest, and segments that are nearer along a rod than half a turn
// about its own radius. *pair belongs to l and stays until the next call. PL_E_INPUT: x is not
// finite.
pl_status pl_layers_find(pl_layers *l, const double *x, double margin, int *n,
                         const pl_layer_pair **pair);
// Vertices and triangles of sheets alone, each of a triangle and a vertex once: a vertex near a
// shared edge is in two pairs, so that the sum of a smooth function of all distances is continuous.
// Left out are triangles of the vertex and, of one connected sheet, those that are closer to it at
// rest than they keep.
pl_status pl_layers_find_faces(pl_layers *l, const double *x, double margin, int *n,
                               const pl_layer_pair **pair);
// Of surfaces of solids the pairs of pl_layers_find that bound their motion: vertices over
// triangles, and others where the distance is least among all places nearby. Flat on flat they are
// the vertices of both and the edges that bound them.
pl_status pl_layers_find_least(pl_layers *l, const double *x, double margin, int *n,
                               const pl_layer_pair **pair);
// The part of the straight way from x to `to` [nvert][3] before any pair loses half of its distance
// or of what it keeps, whichever is less; 1: none does. The pairs found before stay.
pl_status pl_layers_meet(pl_layers *l, const double *x, const double *to, double *time);
// Edges of one body through triangles of another, after the inset: how deep the one that is least
// deep goes, 0: there are none, and a vertex of both.
pl_status pl_layers_crossing(pl_layers *l, const double *x, double *depth, int vert[2]);
// Least distance of the pairs that pl_layers_find knows over what they keep, INFINITY when none is
// below two or x is not finite. The pairs found before stay.
double pl_layers_least(pl_layers *l, const double *x);

PL_DECLS_END

#endif
