#ifndef PLIANT_INTERLOCK_H
#define PLIANT_INTERLOCK_H

// Discrete interlocking materials: rigid elements that hold each other by being linked, chainmail
// above all. Elements are unions of swept pieces, whose distances are found exactly; a material is
// a lattice of elements. All values in SI, the sheet in the xy plane.

#include "pliant/base.h"
#include "pliant/contact.h"
#include "pliant/linkage.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

PL_DECLS_BEGIN

// ---- elements ---------------------------------------------------------------------------------

typedef enum pl_piece_kind {
  PL_PIECE_RING,  // a circle, thickened by an ellipse
  PL_PIECE_CURVE, // a closed curve of few harmonics, thickened by a circle
  PL_PIECE_LINK,  // two half circles with straight sides between them, thickened by a circle
  PL_PIECE_FACETS // corners, edges and triangles, thickened by a sphere
} pl_piece_kind;

// Polylines, plates and meshes: corners, edges and triangles, which are its parts, numbered in this
// order, with a tree of boxes about them.
typedef struct pl_facets pl_facets;
// Bytes for the facets of so many corners, segments and triangles.
size_t pl_facets_size(int nvert, int nsegment, int ntriangle);
// Facets in such room, aligned as for a double. Corners are copied.
const pl_facets *pl_facets_init(int nvert, const double (*x)[3], int nsegment,
                                const int (*segment)[2], int ntriangle, const int (*triangle)[3],
                                void *buffer);
const double (*pl_facets_corners(const pl_facets *f, int *n))[3];
// What is wrong with them; NULL: nothing. closed: triangles must bound a body.
const char *pl_facets_fault(const pl_facets *f, int closed);

// All that is within a radius of a curve, or of facets.
typedef struct pl_piece {
  pl_piece_kind kind;
  double centre[3];
  double radius; // of the section; of rings: in the plane of the ring
  // rings and links
  double axis[3], out[2][3]; // unit; two directions across it, of links first that of the sides
  double major;              // of the circle
  double straight;           // length of a link's straight sides
  double height;             // of the section along the axis: half of it, as radius is
  // curves: centre + sum over k = 1..nharmonic of cosine[k - 1] cos(k t) + sine[k - 1] sin(k t)
  int nharmonic;
  const double (*cosine)[3], (*sine)[3];
  const pl_facets *facets; // about centre
  int finer;               // times as many samples as usual where minima are sought; 0: once
} pl_piece;

// A ring about an axis of any length; its section is radius wide and height high, half of it each.
pl_piece pl_piece_ring(const double centre[3], const double axis[3], double major, double radius,
                       double height);
// A link across an axis, long in the direction `along` as far as that lies across it.
pl_piece pl_piece_link(const double centre[3], const double axis[3], const double along[3],
                       double major, double straight, double radius);
pl_piece pl_piece_facets(const pl_facets *f, double radius);

// A point of a ring or curve with derivatives: the sphere about it of radius rho touches the
// surface. u[0] runs along the curve, u[1] within the section where that is no circle.
typedef struct pl_swept {
  double p[3], d[2][3], dd[3][3]; // second ones by u0 u0, u0 u1, u1 u1
  double rho, r[2], rr[3];
} pl_swept;
int pl_piece_nu(const pl_piece *p); // parameters: 1 or 2
void pl_piece_at(const pl_piece *p, const double u[2], pl_swept *out);

typedef struct pl_pose {
  double x[3], Q[9]; // where the element's origin is, and its rotation (row-major)
} pl_pose;
// Its rotation as a unit quaternion (w, x, y, z).
void pl_pose_quaternion(const pl_pose *p, double q[4]);

// ---- distances --------------------------------------------------------------------------------

enum { PL_APPROACH_MAX = 32 }; // local minima of the distance of two pieces

// Where two pieces are near each other: a local minimum of the distance of their surfaces.
typedef struct pl_approach {
  double u[4]; // parameters, first piece first
  int on[2];   // parts of both, where they are facets
  double gap;
  int still; // 1: a place beside a flat minimum, which stays where it is on both pieces
} pl_approach;

// All local minima below `cut`, nearest first, and where one is flat, so that it may soon be two,
// places on both of its sides; returns how many there are.
int pl_piece_gaps(const pl_piece *a, const pl_pose *at, const pl_piece *b, const pl_pose *bt,
                  double cut, pl_approach approach[PL_APPROACH_MAX]);
// The minimum that a known one has moved to; 0: it is none any more.
int pl_piece_follow(const pl_piece *a, const pl_pose *at, const pl_piece *b, const pl_pose *bt,
                    pl_approach *approach);
// Derivatives of a gap by the motions of both elements: translation and rotation (x <- x + dx,
// Q <- exp(dw) Q) of the first, then of the second. H may be NULL.
void pl_piece_derivatives(const pl_piece *a, const pl_pose *at, const pl_piece *b,
                          const pl_pose *bt, const pl_approach *approach, double grad[12],
                          double H[12][12]);
// Derivative of a gap by shapes: members of da and db are rates of those of the pieces.
double pl_piece_gap_rate(const pl_piece *a, const pl_pose *at, const pl_piece *da,
                         const pl_piece *b, const pl_pose *bt, const pl_piece *db,
                         const pl_approach *approach);
// Points of both pieces' curves and facets that are nearest to each other there.
void pl_approach_points(const pl_piece *a, const pl_pose *at, const pl_piece *b, const pl_pose *bt,
                        const pl_approach *approach, double p[2][3]);
// How often two closed curves are linked, with sign. Facets are linked by their closed ways along
// edges, other than those about triangles; where there are several, sizes of their links are
// summed.
int pl_piece_links(const pl_piece *a, const pl_pose *at, const pl_piece *b, const pl_pose *bt);

// ---- materials --------------------------------------------------------------------------------

// Pieces that are fused to each other.
typedef struct pl_mail_element {
  int npiece;
  const pl_piece *piece;
} pl_mail_element;

typedef struct pl_mail {
  int nkind;
  const pl_mail_element *kind;
  int nelem;            // elements of a cell
  const int *kind_of;   // [nelem]
  const pl_pose *pose;  // [nelem]
  double lattice[2][2]; // its two vectors
} pl_mail;

// What is wrong with its shape; NULL: nothing. Facets are asked on their own (pl_facets_fault).
const char *pl_piece_fault(const pl_piece *p);
const char *pl_mail_fault(const pl_mail *m);
// Volume of an element, and where it balances. Tubes, plates and meshes alone are exact as long as
// they are not bent more tightly than they are thick; what several pieces share counts once, by
// points of theirs, to about a hundredth; of large meshes it counts for each (*upper 1).
pl_status pl_mail_volume(pl_env *env, const pl_mail_element *e, double *volume, double centre[3],
                         int *upper);
// Half the thickness of the thinnest piece.
double pl_mail_thinnest(const pl_mail *m);

// Rings and curves as coarse meshes: so many segments along each, sections of so many points, and
// by what part of a segment the first corner is turned: of each piece of an element, the last
// number for all that follow.
typedef struct pl_facet_plan {
  int segments, points;
  int nrot;
  const double *rot; // [nrot]; 0: none is turned
} pl_facet_plan;
// The material with all rings and curves faceted, in so much room, aligned as for a double. Poses
// and other pieces are those of m.
size_t pl_mail_faceted_size(const pl_mail *m, const pl_facet_plan *f);
pl_status pl_mail_faceted(pl_env *env, const pl_mail *m, const pl_facet_plan *f, void *buffer,
                          const pl_mail **out);

// A contact of elements. force: the derivative of a limit by the gap, so that
// the sum of goal e grows by force * d when the pieces may overlap by d.
typedef struct pl_taut_contact {
  int elem[2], cell[2]; // of the first and second element; cell of the second, in lattice vectors
  int piece[2];
  pl_approach at;
  double force;
  int of[2]; // elements of the material's cell that both are
} pl_taut_contact;

// The smallest gaps below `cut` between elements at rest, at most so many, the smallest first;
// returns how many there are.
int pl_mail_gaps(const pl_mail *m, double cut, int most, pl_taut_contact *out);
// Derivative of such a gap by the material, whose poses count.
double pl_mail_gap_rate(const pl_mail *m, const pl_taut_contact *k, const pl_mail *rate);

// ---- limits of strain -------------------------------------------------------------------------

#define PL_TAUT_OPTS(X, C)                                                                         \
  X(double, barrier, 0.8, 0.01, 10, "", "reach of the repulsion over the thinnest wire's radius")  \
  X(double, weight, 1e-7, 1e-12, 0.1, "", "last weight of the repulsion")                          \
  X(int, max_iter, 120, 1, 100000, "", "Newton iterations a weight at most")
typedef struct pl_taut_opts {
  PL_TAUT_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_taut_opts;
extern const pl_option pl_taut_option_table[];
extern const int pl_taut_option_count;

enum { PL_TAUT_FREE = 4 };

typedef enum pl_taut_shape {
  PL_TAUT_FLAT,
  PL_TAUT_CYLINDER,  // about an axis across `angle`: z = curvature / 2 times the square along it
  PL_TAUT_PARABOLOID // disks alone: z = (kxx x^2 + kyy y^2) / 2 + kxy x y
} pl_taut_shape;

// What is sought: the lattice is stretched by I + offset + sum over e[k] basis[k], all symmetric
// (xx, yy, xy), and the sum of goal[k] e[k] is made largest. Cylinders: e[n] is the curvature
// (1/m) of the surface through the origins of elements, in the mean of their heights. Paraboloids:
// offset and basis are curvatures (kxx, kyy, kxy) instead of strains, and all origins lie on it;
// where strain is not zero, e[0] times it is the mean strain of the disk as well, measured on the
// paraboloid, which is free otherwise.
typedef struct pl_taut_goal {
  int n; // strains, or curvatures of a paraboloid, that are free: 0..3
  double offset[3], basis[3][3], goal[PL_TAUT_FREE];
  double strain[3];
  int starts; // ways that are tried, of which the best counts; 0: one
  pl_taut_shape shape;
  double angle; // rad
} pl_taut_goal;

// Strains that nothing holds.
typedef enum pl_taut_open {
  PL_TAUT_HELD,
  PL_TAUT_OPEN,  // value is as far as is looked
  PL_TAUT_SHRUNK // until there the sheet shrinks, in some direction, to the least that is looked at
} pl_taut_open;

typedef struct pl_taut {
  double e[PL_TAUT_FREE]; // extrapolated to a repulsion of no weight
  double value;           // sum of goal e
  double spread;          // by how much less the worst of several ways reached
  double bound;           // by how much any motion nearby goes further, to first order, at most
  int certified; // that is less than 1e-4 of a strain, or of a curvature times an element's reach
  double stretch[3];   // the lattice's at pose: I + offset + ... (xx, yy, xy), minus I
  double curvature[3]; // at pose (xx, yy, xy; 1/m)
  pl_taut_shape shape; // of the goal, and its angle
  double angle;
  int open;   // strains: 0, or as pl_taut_open
  int folds;  // nothing holds it: value is the largest curvature that is looked at
  double gap; // smallest one at pose
  int iterations, evaluations;
  int ncontact, nelem;
  pl_taut_contact *contact; // those that push
  pl_pose *pose;            // [nelem]
} pl_taut;

// Copies of the cell along both lattice vectors are one larger cell with more freedom; it has its
// own poses. PL_UNSOLVED: an iteration did not end.
typedef struct pl_cell pl_cell;
pl_status pl_cell_create(pl_env *env, const pl_mail *m, int copies0, int copies1, pl_cell **out);
// A disk of elements alone, so many across (2..): about one of them where the number is odd, and
// about a place between them where it is even.
pl_status pl_cell_create_disk(pl_env *env, const pl_mail *m, int across, pl_cell **out);
void pl_cell_free(pl_cell *c);
// Smallest gap of the reference state; where (may be NULL) tells of which pieces.
double pl_cell_gap(pl_cell *c, pl_taut_contact *where);
// Neighbours that an element is linked with.
int pl_cell_links(pl_cell *c, int elem);
// Two elements that are linked, the second in a cell of the lattice: how often, with sign where one
// piece of each is linked alone.
typedef struct pl_mail_link {
  int elem[2], cell[2], number;
} pl_mail_link;
// All of them, each pair once; at most so many are written, and how many there are is returned.
int pl_cell_link_list(const pl_cell *c, int most, pl_mail_link *out);
pl_status pl_cell_taut(pl_cell *c, const pl_taut_opts *o, const pl_taut_goal *g, pl_taut *out);
void pl_taut_free(pl_env *env, pl_taut *t);

// Forces of the contacts that balance the goal g of a periodic cell, flat or bent to a cylinder,
// nearest to those of the repulsion, in their place. *left: of the balance, where the goal is 1.
pl_status pl_taut_balance(pl_env *env, const pl_mail *m, const int copies[2], const pl_taut_goal *g,
                          pl_taut *t, double *left);
// Derivative of such a limit by the shape of the material, exact where the contacts that hold it
// are unique: numbers of `rate` are rates of those of m (lattice, centres, axes, radii, heights,
// harmonics). Poses do not count: elements find their own.
double pl_taut_rate(const pl_mail *m, const int copies[2], const pl_taut *t, const pl_mail *rate);

// Where an element of a taut state is in a cell of the lattice (of its copies; of disks (0, 0)
// alone), in the frame of the element that comes first. 0: that is half a turn away about a
// cylinder or more, as the sheet has both at rest.
int pl_taut_image(const pl_mail *m, const int copies[2], const pl_taut *t, int elem,
                  const int cell[2], pl_pose *out);
// Where both elements of a contact touch, between their surfaces, and the unit normal there towards
// the first.
void pl_taut_contact_at(const pl_mail *m, const int copies[2], const pl_taut *t,
                        const pl_taut_contact *k, double point[3], double normal[3]);

// ---- limits in many directions ------------------------------------------------------------------

// How goals are solved: in periodic cells of so many copies, or on disks with so many elements
// across. They may be a part of more, which progress tells of.
typedef struct pl_taut_sweep {
  const pl_taut_opts *o;
  int copies[2], across; // 0: periodic
  int nthread;
  int done, all; // goals before these, and all of them; 0: these are all
} pl_taut_sweep;
// Solves all goals on several threads, each from the reference state, with the same bits for any
// number. What ended PL_UNSOLVED has solved[k] 0 and value NaN. PL_CANCELLED: those that had ended
// by then are there, others are not solved. Free with pl_taut_free each.
pl_status pl_mail_sweep(pl_env *env, const pl_mail *m, const pl_taut_sweep *how, int ngoal,
                        const pl_taut_goal *goal, pl_taut *out, int *solved);
// The same of a periodic cell, and of disks, for paraboloids.
pl_status pl_mail_taut(pl_env *env, const pl_mail *m, const int copies[2], const pl_taut_opts *o,
                       int ngoal, const pl_taut_goal *goal, int nthread, pl_taut *out, int *solved);
pl_status pl_mail_taut_disk(pl_env *env, const pl_mail *m, int across, const pl_taut_opts *o,
                            int ngoal, const pl_taut_goal *goal, int nthread, pl_taut *out,
                            int *solved);
// A rotation or mirror of the plane, O[2][2], that maps a material, or a disk of it, onto itself;
// over: -1: turned over.
typedef struct pl_mail_symmetry {
  double O[4];
  int over;
} pl_mail_symmetry;
// Those of a material, with some translation, or of a disk with so many elements across (0: no
// disk); the identity is the first.
enum { PL_MAIL_SYMMETRIES = 24 };
pl_status pl_mail_symmetries(pl_env *env, const pl_mail *m, int across,
                             pl_mail_symmetry out[PL_MAIL_SYMMETRIES], int *n);
// A goal that is the same as an earlier one by symmetry: e of it are those of that one with these
// signs. One that is not has itself in from.
typedef struct pl_mail_image {
  int from;
  pl_mail_symmetry by;
  int sign[PL_TAUT_FREE];
} pl_mail_image;
// Goals in a periodic cell (across 0) or on a disk, image[ngoal].
pl_status pl_mail_orbits(pl_env *env, const pl_mail *m, int across, int ngoal,
                         const pl_taut_goal *goal, pl_mail_image *image);
// The limit of a goal from that of another one of the same orbit, both with their images: without
// contacts and poses.
void pl_mail_use_image(const pl_taut *from, const pl_mail_image *image, const pl_taut_goal *g,
                       const pl_mail_image *to_image, pl_taut *to);
// Longest (sign 1) or shortest (-1) along an angle (rad) while the strain across is free, without
// shear: e[0] is the strain along it, e[1] that across.
pl_taut_goal pl_taut_along(double angle, double sign);
// Largest (sign 1) or smallest (-1) curvature of a cylinder along an angle while all strains are
// free: e[0] is the strain along it, e[1] that across, e[2] shear, e[3] the curvature.
pl_taut_goal pl_taut_bend(double angle, double sign);
// The same of a paraboloid while the curvature across is free: e[0] is that across, e[1] that
// along.
pl_taut_goal pl_taut_bend_disk(double angle, double sign);

// ---- patches ------------------------------------------------------------------------------------

typedef enum pl_cut_kind {
  PL_CUT_CELLS,     // so many along each lattice vector, about the middle of all
  PL_CUT_SHELLS,    // of cells about one: 7, 19, 37, 61 ... on hexagonal lattices
  PL_CUT_DISK,      // origins within a radius
  PL_CUT_RECTANGLE, // origins within half of a width and a height of the first element
  PL_CUT_OUTLINE    // origins within a polygon
} pl_cut_kind;

// Which elements of a material make a patch, in the plane of the material.
typedef struct pl_cut {
  pl_cut_kind kind;
  int cells[2], shells;
  double size[2]; // m, of the rectangle; the radius of the disk first
  int npoint;
  const double (*point)[2]; // m, of the outline
} pl_cut;

typedef struct pl_cut_element {
  int elem;    // of the material's cell
  int cell[2]; // where that is
  int rim;     // 1: a cell beside its own has no part in the patch
  pl_pose pose;
} pl_cut_element;

enum { PL_PATCH_MAX = 200000 }; // elements

// Cells one after the other. PL_DOMAIN: there are more of them than
// PL_PATCH_MAX. The caller frees *out with pl_free.
pl_status pl_mail_cut(pl_env *env, const pl_mail *m, const pl_cut *c, int *n, pl_cut_element **out);

// Rigid elements, finitely many, at the start; nothing is copied.
typedef struct pl_patch {
  int n;
  const pl_mail_element *const *elem; // [n]
  const pl_pose *pose;                // [n]
  const char *held;                   // [n] 1: does not move
  const double (*load)[3];            // [n] N, at the element's origin; NULL: none
  double density;                     // kg/m^3
  double gravity[3];                  // m/s^2
  int nobstacle;
  const pl_obstacle *obstacle; // at time 0
} pl_patch;

#define PL_REST_OPTS(X, C)                                                                         \
  X(double, barrier, 0.8, 0.01, 10, "", "reach of the repulsion over the thinnest wire's radius")  \
  X(double, weight, 1e-5, 1e-10, 0.1, "",                                                          \
    "last weight of the repulsion: gap over that radius of a contact that carries one element")    \
  X(int, max_iter, 2000, 1, 1000000, "", "Newton iterations, at most")
typedef struct pl_rest_opts {
  PL_REST_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_rest_opts;
extern const pl_option pl_rest_option_table[];
extern const int pl_rest_option_count;

typedef struct pl_rest_contact {
  int elem[2];  // second -1 - k: obstacle k
  int piece[2]; // of an obstacle 0
  pl_approach at;
  double point[3], normal[3]; // between both surfaces; unit, towards the first
  double force;               // N, on the first along the normal
} pl_rest_contact;

typedef struct pl_rest {
  pl_pose *pose;             // [n]
  double (*reaction)[3];     // [n] N, what holds an element that is held; else what is left over
  double weight[3], hold[3]; // N: gravity and loads on all that moves; sum of its support
  double energy;             // J, of gravity and loads, from the start
  double bound;              // J, the most that gaps still give, to first order
  double residual;           // N, largest force on an element that is not balanced
  double gap;                // m, smallest
  int links, links_start;    // pairs of pieces that are linked, at the end and at the start
  int iterations, factors, searches;
  int ncontact;
  pl_rest_contact *contact; // those that push
} pl_rest;

// What is kept of a way to rest, so that another run can go on from there.
typedef struct pl_rest_keeper {
  size_t nfrom;
  const double *from; // [nfrom] what an earlier run of the same patch kept; NULL: none
  // Called every few iterations with numbers that serve the machine and the version that made
  // them; NULL: not wanted. Anything but PL_OK ends the run.
  pl_status (*keep)(void *ctx, size_t n, const double *x);
  void *ctx;
} pl_rest_keeper;

// Where the patch comes to rest without friction: a minimum of the energy of gravity and loads
// among all states without overlap that no link is cut on the way to. threads may be NULL; the same
// bits for any number. PL_UNSOLVED: the iteration ended early, with what there is.
// PL_E_INPUT: elements overlap at the start or hang on nothing, or what was kept is of no such
// patch. With a keeper (may be NULL) it goes on from what was kept, with the same bits.
pl_status pl_patch_rest(pl_env *env, const pl_patch *p, const pl_rest_opts *o, pl_threads *threads,
                        const pl_rest_keeper *keeper, pl_rest *out);
void pl_rest_free(pl_env *env, pl_rest *r);

typedef struct pl_nearest {
  pl_pose *pose;     // [n]
  double most, mean; // m, of origins from where they are wanted
  double left;       // m, by how much an element could still come nearer, to second order
  double gap;        // m, smallest
  int iterations;
} pl_nearest;
// The state of a patch whose origins are nearest to wanted places (least sum of squares), among
// all without overlap that no link is cut on the way to from its poses; elements turn as they like.
// Gravity and loads take no part. Local: there may be nearer ones. PL_UNSOLVED: the iteration ended
// early, with what there is. The same bits for any number of threads, which may be NULL.
pl_status pl_patch_nearest(pl_env *env, const pl_patch *p, const double (*want)[3],
                           const pl_rest_opts *o, pl_threads *threads, pl_nearest *out);
void pl_nearest_free(pl_env *env, pl_nearest *a);

#define PL_MOVE_OPTS(X, C)                                                                         \
  X(double, duration, 1, 0, 1e6, "s", "time that is followed")                                     \
  X(double, step, 0.01, 1e-9, 1e3, "s", "of implicit Euler; halved where it cannot be solved")     \
  X(double, friction, 0.3, 0, 10, "", "coefficient between elements; obstacles have their own")    \
  X(double, creep, 0, 0, 1e3, "m/s",                                                               \
    "speed up to which friction grows to its limit; 0: 1e-3 sqrt(g times the thinnest wire)")      \
  X(double, damping, 0, 0, 1e6, "1/s", "of all motion, over its mass")                             \
  X(double, barrier, 0.8, 0.01, 10, "", "reach of the repulsion over the thinnest wire's radius")  \
  X(double, weight, 1e-3, 1e-10, 0.1, "",                                                          \
    "of the repulsion: gap over that radius of a contact that carries one element")                \
  X(int, max_iter, 200, 1, 1000000, "", "Newton iterations a step, at most")
typedef struct pl_move_opts {
  PL_MOVE_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_move_opts;
extern const pl_option pl_move_option_table[];
extern const int pl_move_option_count;

// All that a motion goes on from.
typedef struct pl_patch_state {
  double t; // s
  int n;
  pl_pose *pose;                 // [n]
  double (*v)[3];                // [n] m/s, of centres of mass
  double (*spin)[9];             // [n] dQ/dt, 1/s
  double rubbed, damped, scheme; // J, taken by friction, damping and the steps so far
  double energy; // J, kinetic, of loads and of the repulsion, as the last step left it
} pl_patch_state;
// At rest where the patch is. Free with pl_patch_state_free.
pl_status pl_patch_state_create(pl_env *env, const pl_patch *p, pl_patch_state **out);
void pl_patch_state_free(pl_env *env, pl_patch_state *s);

typedef struct pl_move_step {
  double h;                             // s, the last step
  double kinetic, potential, repulsion; // J
  double unbalanced;                    // N, largest force and moment of an element that is left
  double gap;                           // m, smallest
  int contacts, iterations;
} pl_move_step;
// Told of the start and of every step's end; what it returns but PL_OK ends the motion.
typedef struct pl_move_observer {
  pl_status (*step)(void *ctx, const pl_patch_state *s, const pl_move_step *k);
  void *ctx;
} pl_move_observer;

// The motion of a patch from a state on, with friction: implicit Euler's steps in positions and
// rotations, each the minimum of one energy, found by the steps of pl_patch_rest, which open no
// link. Friction is Coulomb's, with normal forces of the step's end but for a last iteration; below
// the speed `creep` its force grows with the speed, so that what sticks creeps no faster.
// PL_UNSOLVED: a step could not be solved; the state is that before it. The same bits for any
// number of threads, and from any state on.
pl_status pl_patch_move(pl_env *env, const pl_patch *p, const pl_move_opts *o, pl_threads *threads,
                        const pl_move_observer *observer, pl_patch_state *s);

// Its surface in triangles, where it has curves of so many points along and around them. Free with
// pl_mesh_free.
pl_status pl_mail_element_mesh(pl_env *env, const pl_mail_element *e, int along, int around,
                               pl_mesh **out);

// ---- patches as sheets --------------------------------------------------------------------------

// A patch as a sheet in the plane of the material: around each element, the part of the plane that
// is nearest to its origin, in triangles that are cut in four so many times.
typedef struct pl_patch_sheet {
  int n;         // elements, which are the first vertices
  double z;      // m, of the plane: mean of the elements of a cell
  pl_mesh *mesh; // counter-clockwise, at z = 0
  char *held;    // [nvert] 1: between elements that are held, or out beside them
} pl_patch_sheet;
// held[n] of the elements. PL_DOMAIN: elements are above each other, and have no such part.
pl_status pl_patch_sheet_make(pl_env *env, const pl_mail *m, int n, const pl_cut_element *e,
                              const char *held, int refine, pl_patch_sheet *out);
void pl_patch_sheet_free(pl_env *env, pl_patch_sheet *s);
// Poses of the elements when the vertices are at x[nvert][3]: moved and turned as the sheet is
// around their origins.
pl_status pl_patch_sheet_poses(pl_env *env, const pl_patch_sheet *s, const double *x,
                               const pl_cut_element *e, pl_pose *out);

// ---- limits as data -----------------------------------------------------------------------------

// How far a material goes from a centre along rays in all directions of three numbers: of Green's
// strain (xx, yy, xy), or of curvature (xx, yy, xy; 1/m). Triangles between them close the surface.
typedef struct pl_boundary {
  int n, nface;
  double centre[3];
  double (*ray)[3]; // [n] unit
  double *distance; // [n]
  double *left;     // [n] what is left of each, as pl_taut.bound
  int *open;        // [n] 1: nothing holds it, and the distance is as far as was looked
  int (*face)[3];   // [nface] outwards
} pl_boundary;
pl_status pl_boundary_alloc(pl_env *env, int n, int nface, pl_boundary *b);
void pl_boundary_free(pl_env *env, pl_boundary *b);
// The set within, with marks where nothing holds it: it need not be convex. PL_E_INPUT: rays from
// the centre meet it more than once.
pl_status pl_boundary_star(pl_env *env, const pl_boundary *b, pl_star **out);

// What a sheet of a material needs to know.
typedef struct pl_sheet_material {
  char name[64];
  int copies;                    // of the cell that the limits are of
  double mass;                   // kg/m^2; 0: not known
  double thickness;              // m, from the lowest to the highest point of its elements
  uint64_t fingerprint;          // of the shape that the limits are of; 0: not known
  pl_boundary membrane, bending; // bending.n 0: no limits of curvature
} pl_sheet_material;
// From the lowest to the highest point of its elements as they are in the reference state.
double pl_mail_thickness(const pl_mail *m);
// A number, never 0, that materials of another shape do not have: poses and lattice count, what
// elements are called or weigh does not, nor do lengths below a millionth of the lattice's.
uint64_t pl_mail_fingerprint(const pl_mail *m);
// As JSON text, which the reader takes back to the bit (docs/interlocking.md).
void pl_sheet_material_write(const pl_sheet_material *m, pl_text *out);
pl_status pl_sheet_material_read(pl_env *env, const char *path, pl_sheet_material *out);
void pl_sheet_material_free(pl_env *env, pl_sheet_material *m);

// ---- what was found, looked at once more --------------------------------------------------------

// Smallest gap of two elements below a cut, else the cut: by dense points of both, closed in on
// without derivatives, so that it shares nothing with pl_piece_gaps. Slow.
double pl_element_gap(const pl_mail_element *a, const pl_pose *at, const pl_mail_element *b,
                      const pl_pose *bt, double cut);
// Sizes of all links of their pieces, by counting how often curves go through disks of rings, by
// Gauss's integral where there are none.
int pl_element_links(const pl_mail_element *a, const pl_pose *at, const pl_mail_element *b,
                     const pl_pose *bt);
typedef struct pl_mail_verdict {
  double gap;        // smallest one of the state
  int links_changed; // pairs of elements that are linked otherwise than at rest
} pl_mail_verdict;
// A taut state of a periodic cell, flat or bent, with all neighbours.
void pl_mail_verify(const pl_mail *m, const int copies[2], const pl_taut *t, pl_mail_verdict *out);
// A state of a patch, whose links at the start are those of its poses; gaps beyond the thinnest
// wire's radius are told as that.
pl_status pl_patch_verify(pl_env *env, const pl_patch *p, const pl_pose *at, pl_threads *threads,
                          pl_mail_verdict *out);
// The same of a disk.
pl_status pl_mail_verify_disk(pl_env *env, const pl_mail *m, int across, const pl_taut *t,
                              pl_mail_verdict *out);

// ---- families of materials ----------------------------------------------------------------------

enum { PL_MAIL_PIECES = 32, PL_MAIL_ELEMENTS = 16, PL_MAIL_HARMONICS = 64 };

// A material with room for all that it is made of; it must stay where it is.
typedef struct pl_mail_data {
  pl_mail m;
  pl_mail_element kind[PL_MAIL_ELEMENTS];
  int kind_of[PL_MAIL_ELEMENTS];
  pl_piece piece[PL_MAIL_PIECES];
  pl_pose pose[PL_MAIL_ELEMENTS];
  double cosine[PL_MAIL_HARMONICS][3], sine[PL_MAIL_HARMONICS][3];
  double buffer[640]; // for the facets of a plate
} pl_mail_data;

// Materials of one kind, by their parameters.
typedef struct pl_mail_family {
  const char *brief; // a few words for the manual
  const char *text;  // one or two sentences for it
  int nkey;
  const pl_key *key;                                    // [nkey] numbers
  unsigned lattice;                                     // bits of keys that place elements
  void (*make)(const double *value, pl_mail_data *out); // value[nkey], SI
  // in its place, of materials that are no family of the table
  void (*make_of)(const void *of, const double *value, pl_mail_data *out);
  const void *of;
} pl_mail_family;
void pl_mail_make(const pl_mail_family *f, const double *value, pl_mail_data *out);
// Where none of the keys that place elements is given but others are, places them as far from each
// other as links let them: *gap is the smallest gap then, 0 or less where there is no such place.
// given[nkey]; values that are not are the defaults.
pl_status pl_mail_fit(pl_env *env, const pl_mail_family *f, const int *given, double *value,
                      double *gap);

// Rates of a family's material by one of its keys; rotations of poses as matrices.
void pl_mail_rate(const pl_mail_family *f, const double *value, int key, pl_mail_data *out);

// X(name, key in scene files)
#define PL_MAIL_LIST(X)                                                                            \
  X(four_in_one, "four-in-one")                                                                    \
  X(six_in_one, "six-in-one")                                                                      \
  X(threefold, "threefold")                                                                        \
  X(torus_knot, "torus-knot")                                                                      \
  X(scale_mail, "scale-mail")                                                                      \
  X(japanese, "japanese")                                                                          \
  X(japanese_hexagonal, "japanese-hexagonal")                                                      \
  X(link_net, "link-net")                                                                          \
  X(chain, "chain")
#define X(name, key) PL_MAIL_##name,
enum { PL_MAIL_LIST(X) PL_MAIL_COUNT };
#undef X
extern const pl_mail_family *const pl_mail_table[PL_MAIL_COUNT];

PL_DECLS_END

#endif
