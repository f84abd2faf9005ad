#ifndef PLIANT_LIMIT_H
#define PLIANT_LIMIT_H

#include "pliant/linkage.h"
#include "pliant/solve.h"

PL_DECLS_BEGIN

// Sheets with a soft regime and a hard limit of stretch: the projection onto all states within the
// limits, with a certificate, and time stepping and draping on top of it (docs/theory/limit.md).

// ---- limits of stretch --------------------------------------------------------------------------

// A polar curve of allowed stretch, sampled at n angles in any order; b(angle) = b(angle + pi).
typedef struct pl_polar {
  int n;
  const double *angle, *stretch; // [n] rad, -
} pl_polar;

// F (3x2) is the deformation gradient of a triangle in the axes of its material, d a unit direction
// there. A stretch limit of 1 % is 1.01 everywhere below. All of the following hold at once:
typedef struct pl_limit {
  int nellipse;
  const double (
      *B)[3]; // (B11, B22, B12): |F d|^2 <= d'B d in every direction d; B positive definite
  int ndirection;
  const double *angle; // [ndirection] rad from the first axis of the material
  const double *bound; // [ndirection] |F d| <= bound in this direction alone
  pl_polar curve; // what the directions were taken from, for pl_sheet_between; n 0: their bounds
} pl_limit;

// B of the ellipse that allows a stretch `along` in the direction at `angle` and `across` at right
// angles to it.
void pl_limit_ellipse(double along, double across, double angle, double B[3]);
// B from the stretches allowed along the first and second axis and along the bias (45 degrees).
// PL_E_INPUT when no ellipse has these three.
pl_status pl_limit_bias(pl_env *env, double first, double second, double bias, double B[3]);
// Stretch that a limit allows in one direction: of its ellipses the least; of sampled directions
// alone what follows for directions between them. Infinite when there is no limit.
double pl_limit_stretch(const pl_limit *l, double angle);

// Its value between the samples: linear in the angle, periodic with pi.
double pl_polar_at(const pl_polar *c, double angle);
// m equally spaced directions of the curve, angle[m] and bound[m]. guard: bounds are made smaller
// so that the curve holds between the directions too.
void pl_polar_directions(const pl_polar *c, int m, int guard, double *angle, double *bound);
// The largest ellipse inside of the curve: exact in all directions, never beyond the curve.
pl_status pl_polar_ellipse(pl_env *env, const pl_polar *c, double B[3]);

// ---- forms of limits ----------------------------------------------------------------------------

// A form is a way to say a limit in scenes: its keys, and what becomes of them
// (docs/add-a-limit.md). Programs fill a pl_limit themselves.

enum { PL_ELLIPSE_MAX = 8, PL_DIRECTION_MAX = 360 };

// What a scene gives for the keys of a form.
typedef struct pl_limit_source {
  double value[PL_KEY_MAX]; // in the order of the keys, or their defaults
  int given[PL_KEY_MAX];    // 1: it was
  const char *file;         // of the key PL_KEY_POLAR
  pl_polar curve;           // that is in it, turned by the key `angle` where the form has one
} pl_limit_source;

// A limit with the memory of its ellipses and directions.
typedef struct pl_limit_made {
  int nellipse, ndirection;
  double B[PL_ELLIPSE_MAX][3];
  double angle[PL_DIRECTION_MAX], bound[PL_DIRECTION_MAX];
  pl_polar curve;
} pl_limit_made;
pl_limit pl_limit_of(const pl_limit_made *l);

// What is wrong with a limit: at which key, and what to do about it ("": nothing is known).
typedef struct pl_limit_fault {
  const char *key;
  char text[PL_TEXT], hint[PL_TEXT];
} pl_limit_fault;

typedef struct pl_limit_form {
  const char *name; // its first key, by which a scene chooses it
  int nkey;
  const pl_key *key; // [nkey]; keys of the same name in several forms are alike
  int isotropic;     // 1: the axes of the material do not matter
  // Fills a limit, which is empty. PL_E_INPUT: the fault says why not.
  pl_status (*make)(pl_env *env, const pl_limit_source *in, pl_limit_made *out,
                    pl_limit_fault *fault);
  // Words for what it is, e.g. "1 % in all directions".
  void (*describe)(const pl_limit_source *in, pl_text *out);
  // Random but sound values (others are the defaults), never the neutral ones, for checks.
  void (*sample)(unsigned seed, pl_limit_source *in);
} pl_limit_form;

//   stretch  the same strain in all directions
//   warp     an ellipse by its strains along warp and weft, and perhaps along the bias
//   curve    a polar curve, in sampled directions or by its largest ellipse
#define PL_LIMIT_FORM_LIST(X)                                                                      \
  X(stretch)                                                                                       \
  X(warp)                                                                                          \
  X(curve)

#define X(name) PL_LIMIT_FORM_##name,
enum { PL_LIMIT_FORM_LIST(X) PL_LIMIT_FORM_COUNT };
#undef X
#define X(name) extern const pl_limit_form pl_limit_form_##name;
PL_LIMIT_FORM_LIST(X)
#undef X
extern const pl_limit_form *const pl_limit_form_table[PL_LIMIT_FORM_COUNT];

// ---- sheet --------------------------------------------------------------------------------------

typedef struct pl_sheet_desc {
  int nvert, ntri;
  const int *tri;       // [ntri][3]
  const double *rest;   // [ntri][3][2] corners in the axes of the material, m
  const double *weight; // [nvert] > 0: masses (kg) keep momentum, ones give plain distances
  const int *fixed;     // [nvert] bit c: component c is given; NULL: none
  int nlimit;
  const pl_limit *limit;
  const int *limit_of; // [ntri] limit of each triangle, -1: none; NULL: all have the first
  pl_threads *threads; // a pool of the caller's, there whenever the sheet is used; NULL: its own
} pl_sheet_desc;

// Limits, weights, the pattern of the mesh and its symbolic analysis. Solves change only scratch;
// one solve at a time.
typedef struct pl_sheet pl_sheet;
// Copies what it needs. Errors (PL_E_INPUT) name the triangle or vertex: degenerate at rest, a
// weight that is not above zero, B not positive definite, vertices out of range. nthread: of a pool
// of its own.
pl_status pl_sheet_create(pl_env *env, const pl_sheet_desc *d, int nthread, pl_sheet **out);
void pl_sheet_free(pl_sheet *s);
int pl_sheet_nvert(const pl_sheet *s);
int pl_sheet_ntri(const pl_sheet *s);
// mass[nnode], kg: sums of the rows of a model's mass matrix, for weights. Elements of second order
// have corners whose rows sum up to nothing or less: with such the mass is shared in proportion to
// the diagonal, and 1 is returned.
int pl_node_masses(const pl_model *m, const pl_params *p, double *mass);
// The same as weights of a sheet over all nodes, weight[nvert]; nodes that nothing moves may be
// without mass and get the mean. Returns another one that is without, -1: none.
int pl_sheet_weights(const pl_sheet_desc *d, const pl_model *m, const pl_params *p, double *weight);
// Corners of triangles without material axes: the first axis is the direction `warp` (world, at
// rest) laid into the plane of each triangle; rest[ntri][3][2]. Where warp stands at right angles
// to a triangle its first edge is the axis.
void pl_sheet_flatten(int ntri, const int *tri, const double *X, const double warp[3],
                      double *rest);

// Largest stretch over limit, less one, of any triangle at x[nvert][3]; negative: all are inside.
// In all directions where a triangle has an ellipse, else in its sampled ones. *worst, which may be
// NULL, is the triangle.
double pl_sheet_violation(const pl_sheet *s, const double *x, int *worst);
// For triangles with sampled directions: how far |F d| exceeds their curve, or where there is none
// the bounds interpolated, relative, over 360 directions. Others do not count.
double pl_sheet_between(const pl_sheet *s, const double *x);
// Stretch over limit of every triangle in its worst direction, ratio[ntri]; 0: no limit.
void pl_sheet_ratio(const pl_sheet *s, const double *x, double *ratio);
// Principal stretches of every triangle (largest first) and the angle of the first, [ntri][3].
void pl_sheet_stretch(const pl_sheet *s, const double *x, double *stretch);

// Two fixed vertices further apart than the sheet between them can reach: sufficient for there to
// be no state within the limits. a = -1: none were found.
typedef struct pl_unreachable {
  int a, b;
  double apart, range; // m
} pl_unreachable;
pl_status pl_sheet_unreachable(pl_sheet *s, const double *x, pl_unreachable *out);

// ---- projection ---------------------------------------------------------------------------------

#define PL_PROJECT_OPTS(X, C)                                                                      \
  X(double, gap, 1e-6, 1e-12, 1, "",                                                               \
    "stop when the duality gap is below this part of the objective, moves by less than 1e-7 of "   \
    "the sheet's size counting as by that")                                                        \
  X(double, violation, 1e-6, 1e-14, 1, "", "largest relative violation of a limit")                \
  X(int, max_iter, 80, 1, 10000, "", "interior-point iterations")                                  \
  C(correct, 1, "no|yes", "Gondzio's correction")

typedef struct pl_project_opts {
  PL_PROJECT_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_project_opts;
extern const pl_option pl_project_option_table[];
extern const int pl_project_option_count;

typedef enum pl_project_stop {
  PL_PROJECT_CONVERGED,
  PL_PROJECT_INSIDE,   // within all limits already: nothing moved
  PL_PROJECT_ROUNDING, // as close as rounding allows
  PL_PROJECT_MAX_ITER,
  PL_PROJECT_INFEASIBLE, // or so it seems: the iteration diverged twice
  PL_PROJECT_CANCELLED
} pl_project_stop;
const char *pl_project_stop_text(pl_project_stop s);

typedef struct pl_project_info {
  pl_project_stop reason;
  int iterations, factorisations, restarts;
  double objective; // 1/2 sum w |x - xhat|^2
  double bound;     // certified: no state within the limits has a smaller objective
  double distance;  // certified: sqrt(sum w |x - x*|^2) to the true projection x* is at most this
  double rms;       // m; the same as a root mean square over the weight
  double violation; // largest stretch over limit, less one; below zero: inside
  int worst;        // that triangle
  int nactive;      // triangles at their limit
  int nbarrier;     // barriers that press
  int lifted;       // 1: friction did not settle; contacts that slide rise by mu times their way
  double momentum[3], angular[3]; // sum w dx, sum x cross w dx, over free vertices; kg m, kg m^2
  double seconds;
} pl_project_info;

// What a solve leaves for the next one nearby. Zero-initialise; free with pl_warm_start_free.
typedef struct pl_warm_start {
  int nvert, ncone;
  double *dx;   // [nvert][3] correction
  double *dual; // [ncone][3]
} pl_warm_start;
void pl_warm_start_free(pl_env *env, pl_warm_start *w);

// x[nvert][3]: the nearest state to xhat, in the weights of the sheet, that is within all limits
// and on the right side of all rows of contact (NULL: none; their forces are filled: weight times
// displacement, kg m). Fixed components are taken from xhat. warm may be NULL; otherwise it is used
// when it is filled and filled for the next solve. With friction the bound is that of the program
// with the offsets of friction's cones found, and the gap may end larger than asked for.
// PL_E_INPUT: NaN in xhat, or fixed vertices too far apart (named). PL_UNSOLVED: did not converge,
// x is the best state known and info tells; x may be xhat itself.
pl_status pl_project(const pl_project_opts *o, pl_sheet *s, const double *xhat, int nrow,
                     pl_contact_row *row, pl_warm_start *warm_start, double *x,
                     pl_project_info *info);

// ---- time steps ---------------------------------------------------------------------------------

// What confines the motion of a model with three unknowns a node.
typedef struct pl_constraints {
  pl_sheet *sheet;          // over all nodes of the model; NULL: no limits
  pl_contact *contact;      // NULL: no obstacles
  struct pl_layers *layers; // NULL: layers pass through each other
  int together;             // 1: pl_limit_transient even for obstacles alone
} pl_constraints;

// One step as it went. Energies and works are in J; works are sums since the start, positive when
// they add energy.
typedef struct pl_limit_step {
  double kinetic, elastic, outer; // outer: potential of gravity and constant loads
  double limiter, contact, damping, driven;
  double loss; // what is left: the energy that the time step itself took (below zero) or gave
  pl_project_info project; // the last projection
  int nproject, niter;     // projections, their iterations in this step
  int newton;              // iterations of the implicit solve
  double violation;        // at the end of the step
  double between;          // sampled directions: the worst between them
  double overlap;          // m; deepest overlap with an obstacle at the end, negative: none
  double layer_gap;        // least distance of layers over their thickness; infinite: none near
  int ncontact;            // contacts that press
  double seconds_step, seconds_project;
} pl_limit_step;

typedef int (*pl_limit_observe_fn)(void *ctx, const pl_state *s, const pl_clock *c,
                                   const pl_limit_step *step);

// Steps of the method of o: implicit-euler (limits are left out), project, reflect, bdf2-project,
// bdf2-reflect or coupled. The observer is called after every step.
pl_status pl_limit_transient(const pl_transient_opts *o, const pl_project_opts *po,
                             const pl_model *m, const pl_params *p, const pl_constraints *k,
                             pl_state *s, pl_history *history, pl_work *w,
                             pl_limit_observe_fn observe, void *ctx, pl_transient_info *info);

// ---- drape --------------------------------------------------------------------------------------

#define PL_DRAPE_OPTS(X, C)                                                                        \
  X(int, max_steps, 400, 1, 100000, "", "steps of the descent")                                    \
  X(double, step, 0.02, 0, 1e6, "s", "first step of the descent; it grows as motion slows")        \
  X(double, tolerance, 1e-4, 0, 1, "",                                                             \
    "stop when forces out of balance are below this part of the weight")

typedef struct pl_drape_opts {
  PL_DRAPE_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_drape_opts;
extern const pl_option pl_drape_option_table[];
extern const int pl_drape_option_count;

// Equilibrium within the limits: descends from the state by steps each of which solves elasticity,
// limits and contact together, without inertia. Every step must lower the energy, but for those
// that lead back from beyond the limits; one that does not is done again, shorter. PL_UNSOLVED with
// PL_STOP_ENERGY: none does, however short. history and info: as those of pl_transient, NULL: none;
// the residual is of forces out of balance over the weight.
pl_status pl_drape(const pl_drape_opts *o, const pl_project_opts *po, const pl_model *m,
                   const pl_params *p, const pl_constraints *k, pl_state *s, pl_history *history,
                   pl_work *w, pl_limit_observe_fn observe, void *ctx, pl_transient_info *info);

// pl_static with obstacles and bodies that feel each other, without limits: each load step is a
// descent from the last one, until forces out of balance are below 1e-6 of the weight or of what
// holds the model, and nothing slides any more. Friction is Coulomb's, against the displacement in
// the load step. One that is not solved is taken in halves. Nodes that can move need a mass. w->r
// has what is out of balance and reactions, with forces of contact, when observers are called and
// at the end. Stability is not judged: nneg and nzero are -1. from: what was known when s was a
// load step that an observer saw, to go on there with the same bits; NULL: from no load.
pl_status pl_limit_static(const pl_static_opts *o, const pl_model *m, const pl_params *p,
                          const pl_constraints *k, const pl_static_info *from, pl_state *s,
                          pl_work *w, pl_observe_fn observe, void *ctx, pl_static_info *info);

// pl_static of models whose limits are laws of elements (interlocking materials), among obstacles
// and layers without friction. Both repel nodes over a range G of 0.15 of what they keep, with
// `weight` J/kg of the nodes' masses times -(1 - gap/G)^2 log(gap/G), so that gaps stay positive:
// what rests under its own weight alone has a gap of about weight over gravity. No step is so long
// that a node could pass through an obstacle or a layer through another; layers are vertices
// against triangles, which should not be much larger than the thickness. Nothing need be held:
// shifts by masses keep steps near. The start must be clear of both (PL_UNSOLVED with
// PL_STOP_DOMAIN else). Of o, max_iter and rtol count.
pl_status pl_repel_static(const pl_static_opts *o, double weight, const pl_model *m,
                          const pl_params *p, const pl_constraints *k, pl_state *s, pl_work *w,
                          pl_static_info *info);

// ---- the one that suits -------------------------------------------------------------------------

// Obstacles alone are for Coulomb's law on the tangent of the step (pl_transient_contact,
// pl_static_contact): it is exact, its steps may adapt, and equilibria are judged. So are layers
// that are solids in Newmark's steps and those of implicit Euler, where they are bodies of the
// contact as well. Limits of stretch, other layers and methods that project go into one program of
// an interior point (pl_limit_transient, pl_limit_static), in which rows may yield.
// limits, layers: 1: there are; solid: 1: the layers are surfaces of solids alone.
int pl_needs_program(int method, int limits, int layers, int solid);
// Methods that project move what is in contact by masses of nodes. *what: what of a model has no
// such masses and is free to move, for a message; NULL: the method will do.
pl_status pl_unfit_masses(pl_env *env, int method, const pl_model *m, const pl_params *p,
                          const char **what);
// The observer's step is NULL, and energies are in w, where the tangent serves.
pl_status pl_constrained_transient(const pl_transient_opts *o, const pl_project_opts *po,
                                   const pl_model *m, const pl_params *p, const pl_constraints *k,
                                   pl_state *s, pl_history *history, pl_work *w,
                                   pl_limit_observe_fn observe, void *ctx, pl_transient_info *info);
// Limits of stretch are refused: pl_drape has them. from: as for pl_limit_static and
// pl_static_resumed, NULL: from no load.
pl_status pl_constrained_static(const pl_static_opts *o, const pl_model *m, const pl_params *p,
                                const pl_constraints *k, const pl_static_info *from, pl_state *s,
                                pl_work *w, pl_observe_fn observe, void *ctx, pl_static_info *info);

PL_DECLS_END

#endif
