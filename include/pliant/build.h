#ifndef PLIANT_BUILD_H
#define PLIANT_BUILD_H

// One way to make a model: nodes, bodies of meshes, elements, clamps, drives, loads, parameters,
// obstacles and limits of stretch are given to a builder, which finds out the rest (how the edges
// of rods meet, which edges of a shell are built in, what holds their directions) and makes the
// model and what confines it. All values in SI.
//
//   pl_builder *b;
//   pl_builder_create(env, 3, &b);
//   pl_build_body(b, &(pl_body_desc){.name = "strip", .kind = PL_BODY_SHELL, .mesh = mesh,
//                                    .young = {.v = 1e6}, .poisson = {.v = 0.3}, .density = {.v =
//                                    1000}, .thickness = {.v = 1e-3}, .bending =
//                                    PL_BENDING_MIDEDGE});
//   pl_build_fix(b, n, root, PL_HOLD_CLAMP);
//   pl_status s = pl_build_all(b, nthread, &built);
//
// Functions that return a number return -1 when something is wrong; what that was is told once, and
// all that follows does nothing, so that only pl_build_model or pl_build_all needs to be looked at.

#include "pliant/limit.h"
#include "pliant/linkage.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

PL_DECLS_BEGIN

// A number, and how it follows a design parameter: v + coef (p - initial value of p).
typedef struct pl_value {
  double v;
  int par; // by pl_build_parameter; 0: it stays
  double coef;
  // In bodies: a value for every cell, which are then those of the parameters par, par + 1, ... (0:
  // of none). Elements between cells take the mean of theirs. NULL: v for all.
  const double *each; // [ncell]
} pl_value;

// ---- bodies -----------------------------------------------------------------------------------

typedef enum pl_body_kind {
  PL_BODY_SHELL, // triangles in space
  PL_BODY_PLANE, // triangles in two dimensions
  PL_BODY_SOLID, // tetrahedra, hexahedra
  PL_BODY_ROD,   // segments; where three or more meet, or rods of several bodies, is a rigid joint
  PL_BODY_CHAIN  // segments as springs with masses
} pl_body_kind;
// shell6 is for triangles of second order (pl_mesh_raise_surface), the others for those of first
typedef enum pl_bending {
  PL_BENDING_HINGE,
  PL_BENDING_MIDEDGE,
  PL_BENDING_NONE,
  PL_BENDING_SHELL6
} pl_bending;
// how a mid-edge shell measures the turn between normals
typedef enum pl_variant { PL_VARIANT_TAN, PL_VARIANT_SIN, PL_VARIANT_THETA } pl_variant;
typedef enum pl_law {
  PL_LAW_STVK,
  PL_LAW_NEO_HOOKEAN, // solids
  PL_LAW_POLYNOMIAL,  // hyperelastic, not of rods: Mooney-Rivlin, Yeoh and the like
  PL_LAW_OGDEN,       // hyperelastic, not of rods
  PL_LAW_ORTHOTROPIC  // St. Venant-Kirchhoff with moduli of three axes, not of rods and hinges
} pl_law;
// How a solid is kept from locking: not at all; by one pressure in each quadratic tetrahedron; by
// strains inside each trilinear hexahedron that let it bend. Cells that a form is not for take
// none.
typedef enum pl_solid_form { PL_SOLID_PLAIN, PL_SOLID_MEAN, PL_SOLID_ENHANCED } pl_solid_form;

// A section of a rod: an ellipse or a rectangle, hollow or not.
typedef struct pl_section {
  int rectangle;
  pl_value width, height; // m, along directors 1 and 2
  pl_value hollow;        // inner over outer size
} pl_section;

// Constants of a hyperelastic law: bulk modulus; c10 c01 c20 c11 c02 c30 of a polynomial of the
// isochoric invariants, or mu alpha of each of Ogden's terms, 2 mu/alpha^2 (sum of l^alpha - 3).
typedef struct pl_hyper {
  pl_value bulk, c[6];
  double ratio; // bulk modulus over the shear modulus at rest, instead of bulk; 0: none
} pl_hyper;

// Constants of an orthotropic one: along its axes 1 2 3, and of their pairs 12 13 23. Shells and
// planes take the first two axes. Axes are turned by the angle about the third (of shells about the
// normals of their triangles).
typedef struct pl_ortho {
  pl_value young[3], poisson[3], shear[3], angle;
  double axis[3], side[3]; // along the first axis, and on the side of the second
} pl_ortho;

// What some cells of a body are made of.
typedef struct pl_part {
  const char *name; // of its groups of elements
  pl_law law;
  // of hyperelastic laws poisson is that at rest, for bending, and young follows from the constants
  pl_value young, poisson, density, thickness, growth, curl;
  pl_hyper hyper;
  pl_ortho ortho;
  pl_section section;
} pl_part;

typedef struct pl_body_desc {
  const char *name; // of its groups of elements, and for messages; NULL: that of the mesh
  pl_body_kind kind;
  // The caller's; it must outlive the builder. Segments of rods are turned round where they do not
  // follow each other.
  pl_mesh *mesh;
  const int *node; // [nvert] nodes of its vertices; NULL: new ones are made
  pl_value young, poisson, density;
  pl_law law;
  pl_solid_form form; // of solids
  pl_hyper hyper;
  pl_ortho ortho;
  // Cells that are made of something else: part_of[ncell] counts from 1 on, 0 is the body itself;
  // it does not fall among the cells of a type, which are counted in the order of types.
  int npart;
  const pl_part *part; // [npart]
  const int *part_of;
  // Lengths of the natural shape over those of the mesh, for swelling; masses, thicknesses and
  // sections stay. v 0: they are the same. grow[ncell]: factors on it, NULL: 1
  pl_value growth;
  const double *grow;
  pl_value curl;  // of shells with mid-edge bending: natural curvature, 1/m, as if the side of the
                  // normals had grown more for values above 0
  int consistent; // mass matrix; 0: lumped to the nodes
  int rigid;      // 1: it keeps its shape, see pl_model_desc
  // shells and planes
  pl_value thickness;
  pl_bending bending;
  pl_variant variant; // of mid-edge bending
  double warp[3];     // limits: the first axis of the material, as pl_sheet_flatten; zeros: x
  // rods
  pl_section section;
  const double *up;               // [3] director 2 lies on its side; NULL: chosen
  pl_value curvature[2];          // natural ones added to those of the mesh, 1/m
  pl_value twist;                 // rad/m
  int straight;                   // 1: naturally straight, whatever the mesh
  pl_value stiffness, mass;       // chains: N, kg of a segment
  const void *origin, *up_origin; // for pl_builder.problem
} pl_body_desc;

// ---- the builder ------------------------------------------------------------------------------

// A body as it was given, and its nodes.
typedef struct pl_body {
  pl_body_desc desc;
  const int *node; // [mesh->nvert]
  int *midedge;    // [ntri][9, of shell6 21] stencils that wait for the clamps, NULL: none
  int *rod_edge;   // [nedge][3] the same of rods
  int first_edge;  // of a rod, among the edges of all rods
  int *edge_xi;    // once joined: [nedge of its topology] scalars that turn normals, -1: built in
  int *limit_of;   // [ntri] limits of its triangles, -1: none; NULL: it has none
} pl_body;

// What the elements of a group are: cells first, first + 1, ... of a type in the mesh of the whole
// model; type -1: they are no cells.
typedef struct pl_group_cells {
  int body; // -1: of none
  int type, first;
} pl_group_cells;

enum { PL_HOLD_NODES = 0, PL_HOLD_CLAMP = 1 };

// Read by callers, written by the functions below.
typedef struct pl_builder {
  pl_env *env;
  int dim;
  int node_limit;   // most nodes; 0: as many as there is memory for
  int free_spin;    // 1: rods that nothing keeps from spinning about themselves are left to spin
  pl_status failed; // the first thing that went wrong
  int nproblem;
  // Told of what is wrong with things that were given, with their origin (NULL: not given), a hint
  // (may be NULL) and a message. NULL: they become errors of env.
  void (*problem)(void *ctx, const void *origin, const char *hint, const char *text);
  void *ctx;
  int nnode;
  double *X;          // [nnode][3]
  const char **label; // [nnode] names, NULL: none
  int nbody, ngroup, ndrive, nload;
  pl_body *body;
  pl_group_desc *group;
  pl_group_cells *cells; // [ngroup]
  const void **law;      // [ngroup] of kinds that take one
  const double **grow;   // [ngroup] factors on lengths of natural shapes, NULL: none
  int *grow_by;          // [ngroup] amplitudes that they follow, -1: none
  int *rigid;            // [ngroup] see pl_model_desc
  pl_drive_desc *drive;
  const void **clamp; // [ndrive] origin of a clamp; NULL: directions are not held
  pl_load_desc *load;
  pl_load_form *form; // [nload]
  // Once joined: nodes of which clamps carry copies, numbered from nnode on, and scalar unknowns
  // beyond the nodes' with their values.
  int ncopy, nextra;
  int *copy;
  double *extra; // NULL: zero
  double gravity[3], alpha, beta;
  int nobstacle, nlimit;
  pl_obstacle *obstacle;
  const char **obstacle_name; // [nobstacle]
  pl_limit *limit;
  // What confines the model, by pl_build_constraints.
  pl_contact_desc contact; // nnode 0: none
  pl_layers_desc layers;   // nvert 0: none
  pl_sheet_desc sheet;     // nlimit 0: none; weights are for the caller to say
  const int *sheet_cell;   // [sheet.ntri] triangles of the mesh of the whole model
  struct builder_impl *impl;
} pl_builder;

// env NULL: the model has a host of its own, which is that of pl_built.
pl_status pl_builder_create(pl_env *env, int dim, pl_builder **out);
// Models outlive their builder.
void pl_builder_free(pl_builder *b);
// Memory that lives as long as the builder, zero; NULL: there is none, and failed is set.
void *pl_build_keep(pl_builder *b, size_t count, size_t size);
// Room for one more in such an array of n; 0: there is none.
int pl_build_grow(pl_builder *b, void *array, int n, int *cap, size_t size);

// A node at x[3]; name (NULL: none) must outlive the builder.
int pl_build_node(pl_builder *b, const double *x, const char *name);
// Nodes node[nvert] for the vertices of a mesh: earlier ones within `weld` metres (below 0: none
// are) or new ones. 0: failed.
int pl_build_mesh_nodes(pl_builder *b, const pl_mesh *m, double weld, int *node);
// "node 'tip'", or its place.
const char *pl_build_node_text(const pl_builder *b, int node, char *buf, size_t size);
// A mesh of cells of one type, cell[ncell][vertices of the type], for bodies; it lives as long as
// the builder. NULL: failed.
pl_mesh *pl_build_mesh(pl_builder *b, const char *name, int nvert, const double *X,
                       pl_cell_type type, int ncell, const int *cell);
int pl_build_body(pl_builder *b, const pl_body_desc *d);

// Elements of any kind, with parameters by default; *stencil [nelem][nvert + nscal] is filled by
// the caller. shared 1: one set of parameters for all.
int pl_build_group(pl_builder *b, const char *name, const pl_elem_kind *kind, int nelem, int shared,
                   int lumped, int **stencil);
// Sets a parameter of an element by its name (of all, when shared).
void pl_build_par(pl_builder *b, int group, int elem, const char *name, const pl_value *value);
// One element in a group that has the name of its kind: its nodes and scalar unknowns node[] (-1:
// the ground), and parameters up to one without a name, NULL: all by default. Returns the group. A
// kind that is NULL and names that it does not know are refused.
typedef struct pl_setting {
  const char *name;
  pl_value value;
} pl_setting;
int pl_build_element(pl_builder *b, const pl_elem_kind *kind, const int *node,
                     const pl_setting *par);
// A line to be drawn, of which no body has a cell. Returns its number.
int pl_build_line(pl_builder *b, int node0, int node1);
// The elements of a group are the lines from this one on.
void pl_build_lines_of(pl_builder *b, int group, int first);

// A drive; lists are copied. origin of a clamp (PL_HOLD_CLAMP): NULL is possible.
int pl_build_drive(pl_builder *b, const pl_drive_desc *d, int clamp, const void *origin);
// Holds nodes where they are, with PL_HOLD_CLAMP the directions of shells and rods as well.
int pl_build_fix(pl_builder *b, int n, const int *node, int clamp);
// Shakes nodes by amplitude[dim] sin(omega t), m.
int pl_build_shake(pl_builder *b, int n, const int *node, const double *amplitude, int clamp);
// The plane with normal `axis` (0 x, 1 y, 2 z) through the nodes is one of symmetry: boundaries of
// shells and ends of rods there keep their directions towards it. The nodes' places along the axis
// are for a drive to hold, which cannot be released.
void pl_build_mirror(pl_builder *b, int drive, int n, const int *node, int axis,
                     const void *origin);
int pl_build_mirrors(const pl_builder *b, int drive); // 1: it holds such a plane
int pl_build_load(pl_builder *b, const pl_load_desc *d);
// The same in another form.
int pl_build_load_form(pl_builder *b, const pl_load_desc *d, const pl_load_form *form);
// An amplitude of outer forces (PL_DRIVE_AMPLITUDE), the last drive then: returns the number of its
// unknown, for stencils. After pl_build_join; no drive of another kind may follow.
int pl_build_amplitude(pl_builder *b, const char *name, const pl_term *term, const pl_course *over);
// The natural shape of a group's elements is so many times as large, or each[nelem] times (NULL:
// all alike).
void pl_build_swell(pl_builder *b, int group, const pl_value *value, const double *each);
// The growth of a body follows an amplitude (pl_build_amplitude): 0 is none, 1 all of it. After
// pl_build_join.
void pl_build_swell_over(pl_builder *b, int body, int amplitude);

// ---- joins ------------------------------------------------------------------------------------

typedef enum pl_join_kind {
  PL_JOIN_RIGID,  // nodes keep their places around a point, which has a rotation
  PL_JOIN_SPREAD, // a point with a rotation follows the mean motion of nodes
  PL_JOIN_TIE     // nodes stay where they are on faces of shells and solids
} pl_join_kind;

// Stiff elements in place of constraints, many times as stiff as what they join; lists are copied.
// Gaps at rest stay. In ties the side with smaller faces follows the other; where nodes are those
// of whole faces they follow means over what lies opposite, so that constant stresses pass.
typedef struct pl_join_desc {
  const char *name;
  pl_join_kind kind;
  int point; // of rigid and spread: a node
  int n;
  const int *node;
  int nto;
  const int *to;        // ties: faces all of whose nodes are among these
  const double *weight; // of the builder
  double tolerance;     // ties: m, of nodes from the faces; 0: a tenth of a face
  double stiffness;     // times that of what is joined; 0: 1000
  int moments;          // 1: ends of rods and edges of mid-edge shells turn with what they join
  const void *origin;
} pl_join_desc;
// Before pl_build_join.
int pl_build_attach(pl_builder *b, const pl_join_desc *d);
// Three nodes that turn with the point of a join; 0: it is none. After pl_build_join.
int pl_build_triad(const pl_builder *b, int node, int triad[3]);

// ---- contact and limits of stretch ------------------------------------------------------------

// An obstacle, by default called after its kind; its data must outlive what is made of it.
int pl_build_obstacle(pl_builder *b, const char *name, const pl_obstacle *o);
// Obstacles feel a ball where nodes of a body stand around a centre, tri[ntri][3] on its surface,
// when the centre is among the nodes of contact below.
void pl_build_ball(pl_builder *b, int centre, double radius, int ntri, const int *tri);
// Some analysis lets go of what a drive holds.
void pl_build_let_go(pl_builder *b, int drive);
// Nodes that may touch the obstacles, none of them twice, as balls of a radius (m); mu below 0: the
// friction is that of the obstacles. Those that the drives given so far hold entirely, and are not
// told to let go of, are left out: returns how many are not.
int pl_build_contact(pl_builder *b, int n, const int *node, double radius, double mu,
                     const void *origin);
// All shells and surfaces of solids keep this distance from each other and from themselves; rods
// keep their radius, half the smaller size of their section, and on surfaces half the distance
// more. Rods alone may have a thickness of 0, and so may solids alone, which have a default. exact:
// Coulomb's law exactly in Newmark's steps and those of implicit Euler, for solids alone; 0: pairs
// yield a little, so that any number of them may share a place.
void pl_build_self_contact(pl_builder *b, double thickness, double mu, int exact,
                           const void *origin);
// A limit for the triangles of a shell all of whose corners are among these nodes, instead of those
// that it had; node NULL: for all of it.
int pl_build_limit(pl_builder *b, int body, const pl_limit *l, int n, const int *node,
                   const void *origin);
// Green's strain of all triangles of a shell, in the axes of its material (warp), stays within a
// set, which must outlive the model, by a barrier of a weight (J/m^2, see pl_elem_strain_limit).
// Returns the group.
int pl_build_strain_limit(pl_builder *b, int body, const pl_star *set, double weight);
// The same for the curvature of its triangles (xx, yy, xy; 1/m; see pl_elem_bend_limit), which is
// above zero where the sheet is hollow on the side of its normals.
int pl_build_bend_limit(pl_builder *b, int body, const pl_star *set, double weight);
// Fills contact, layers and sheet; joins what is not yet joined. pl_build_model does it by itself.
pl_status pl_build_constraints(pl_builder *b);
// Finds nodes that are inside of obstacles and layers that are too close when all nodes are
// displaced by u[nnode][dim], NULL: not at all. After pl_build_constraints.
pl_status pl_build_check_apart(pl_builder *b, const double *u);

// The name of a body that nothing but contact without friction holds, so that it may slide; NULL:
// there is none. After pl_build_constraints.
const char *pl_build_sliding(pl_builder *b);

// ---- parameters -------------------------------------------------------------------------------

// A design parameter; returns what pl_value.par takes.
int pl_build_parameter(pl_builder *b, const char *name, const char *unit, double value, double min,
                       double max);
// Where a parameter acts besides what bodies and elements follow.
typedef enum pl_place {
  PL_AT_GROUP, // group, element, parameter of its kind
  PL_AT_GROW,  // group, element: factor on lengths of its natural shape
  PL_AT_DRIVE, // drive, term, amplitude 0..2 or phase 3
  PL_AT_LOAD,  // load, 0, force 0..2 or phase 3
  PL_AT_PAR,   // PL_PAR_ALPHA ...
  PL_AT_X      // node, component
} pl_place;
void pl_build_follow(pl_builder *b, pl_place place, int i, int j, int k, const pl_value *value,
                     double factor);

// Where that is in the parameters of the model (pl_params.par; PL_AT_X: pl_params.X), for callers
// that change them by themselves.
int pl_build_index(const pl_builder *b, pl_place place, int i, int j, int k);

// Finds out how things hang together: built-in edges, joints of rods, what drives hold. Nodes,
// bodies and drives must be known by then; drives of scalar unknowns may follow.
pl_status pl_build_join(pl_builder *b);
// Adds to the rates v0[nq] of angles and joints what they have when nodes turn together by omega[3]
// (rad/s). After pl_build_join.
void pl_build_spin(pl_builder *b, int n, const int *node, const double *omega, double *v0);
// Model, its parameters and a mesh of all bodies and lines; joins what is not yet joined.
typedef struct pl_built {
  pl_model *model;
  pl_params *params;
  pl_mesh *mesh;
  // of pl_build_all, else NULL
  pl_state *state;
  pl_work *work;
  pl_constraints constraints; // sheets have the masses of nodes as weights
  pl_env *env;                // its own host, for errors; NULL: the caller's
  int shared;                 // 1: model, parameters and mesh are another's
} pl_built;
pl_status pl_build_model(pl_builder *b, pl_built *out);
// Another model of the same unknowns, after pl_build_model: factors on the terms of loads and
// drives and on gravity, and drives that are off or hold what they have. before: what it comes
// after, NULL: nothing. With a ramp statics go from those before to these as the load factor goes
// from 0 to 1; what follows a file keeps it.
typedef struct pl_stage {
  const double *load, *drive; // [nload], [ndrive]
  const char *off, *hold;     // [ndrive]; hold: its nodes stay where they are
  double gravity;
  const double *q; // [nq] where nodes are, NULL: at rest
  int ramp;        // there is one before
} pl_stage;
// 1: a drive can be switched off: edges that it builds in are those of `shell6`; 1: it can take
// hold again, as it holds no directions of rods.
int pl_build_releases(const pl_builder *b, int drive);
int pl_build_grips(const pl_builder *b, int drive);
pl_status pl_build_stage(const pl_builder *b, pl_env *env, const pl_stage *stage,
                         const pl_stage *before, pl_model **model, pl_params **params);
// The same with a state at rest, what confines it, and scratch for so many threads. The builder is
// freed, whatever happens; its host, where it is its own, stays for the error.
pl_status pl_build_all(pl_builder *b, int nthread, pl_built *out);
void pl_built_free(pl_built *m);

// The same model for another thread, which must be done with it before it is freed: a host, a state
// at rest and scratch of its own. PL_E_ARG: it has obstacles, layers or limits, which belong to one
// analysis at a time.
pl_status pl_built_share(const pl_built *m, int nthread, pl_built *out);
// What went wrong last; "" when nothing did.
const char *pl_built_error(const pl_built *m);

// Analyses of what pl_build_all made, from its state and to it, with its obstacles. Options that
// are NULL are those by default; observe (may be NULL) sees every step and stops it by a value that
// is not zero. PL_E_ARG: there are layers or limits of stretch, which pl_limit_transient and
// pl_drape know.
pl_status pl_built_static(pl_built *m, const pl_static_opts *o);
pl_status pl_built_transient(pl_built *m, const pl_transient_opts *o, pl_observe_fn observe,
                             void *ctx);
// The lowest `count` frequencies omega[count], rad/s, about its state; shape as in pl_modes.
pl_status pl_built_modes(pl_built *m, int count, double *omega, double *shape);

PL_DECLS_END

#endif
