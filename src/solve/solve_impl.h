#ifndef SOLVE_IMPL_H
#define SOLVE_IMPL_H

#include "pliant/contact.h"
#include "pliant/follow.h"
#include "pliant/math.h"
#include "pliant/solve.h"

#include <float.h>
#include <stddef.h>

// ---- option tables ----------------------------------------------------------------------------

// pl_opts_check, and choices against the number of their words
pl_status solve_opts_check(pl_env *env, const pl_option *table, int n, const void *opts);

// ---- shared by all analyses -------------------------------------------------------------------

// Tells progress at most twenty times a second.
typedef struct ticker {
  pl_env *env;
  const char *what;
  double last; // wall time of the last call, 0: none yet
} ticker;
int ticker_due(ticker *t);
pl_status ticker_progress(ticker *t, double done, const char *text);

// pl_factor_solve; with large factors, which take long, only if the host does not want to stop.
pl_status factor_solve(pl_env *env, pl_factor *f, int nrhs, const double *b, double *x);
// out[nfree] = full[free]
void gather_free(const pl_model *m, const double *full, double *out);
// largest extent of the nodes in one direction, 0: all at one place
double model_extent(const pl_model *m, const double *q);
// `node 3 in y` or `unknown 17`
enum { PLACE_TEXT = 64 };
const char *unknown_name(const pl_model *m, int dof, char out[PLACE_TEXT]);
// d[nfree] is below the spacing of the numbers q[nq] that it changes: stiff parts keep a residual
// of rounding, and no step takes it away.
int is_negligible(const pl_model *m, const double *q, const double *d);
// |g_i| <= eps (|A| |q|)_i in all free unknowns: below the rounding of forces. A in symmetric
// storage; sum[nfree] is scratch.
int at_rounding(const pl_model *m, const pl_csc *A, const double *q, const double *g, double *sum);
// x' |A| x with absolute values all over: what rounding in A can do to x' A x
double abs_form(const pl_csc *A, const double *x);
// fails with the element that is outside its domain in the state that was given
pl_status fail_domain(const pl_model *m, const pl_work *w, const char *what);

// ---- zero-stiffness modes ---------------------------------------------------------------------

typedef struct zero_modes {
  int count; // modes whose stiffness is zero to rounding
  int more;  // 1: all modes looked at are, so there may be more
  int nneg;  // negative ones among those looked at
  int dof;   // the unknown that moves most in the first of them
} zero_modes;

// What is left of a shape [nq] when every connected piece of the model at q[nq] is moved by the
// rigid motion that is nearest to it: 0 rigid, 1 far from it. Scalar unknowns are not looked at.
pl_status shape_beyond_rigid(const pl_model *m, pl_env *env, const double *q, const double *shape,
                             double *part);

// held: the model is made of bodies alone, and supports leave none of them a rigid motion.
pl_status all_is_held(const pl_model *m, pl_env *env, const double *q, int *held);

// root[nnode]: of pieces that no support holds the first node, -1 at nodes of others.
pl_status find_unheld(const pl_model *m, pl_env *env, const double *q, int *root);

// Turns bodies of the state that loads swing, of which l is one, to where these are in line with
// what holds them; l becomes what is loose then.
pl_status swing_to_rest(const pl_model *m, const pl_params *p, pl_env *env, pl_loose *l,
                        pl_state *s);

// The unit matrix in symmetric storage: modes are measured by their plain length.
pl_status identity_matrix(pl_env *env, int n, pl_csc *out);
// Looks for zero modes of the stiffness in w->A. residual: largest force that is out of balance,
// which makes what is stiff unsure by residual / extent (model_extent). nneg: negative eigenvalues
// to expect.
pl_status zero_modes_find(const pl_model *m, pl_work *w, double residual, double extent, int nneg,
                          zero_modes *z);
pl_status zero_modes_fail(const pl_model *m, pl_env *env, const zero_modes *z);
// ---- contact ----------------------------------------------------------------------------------

// A pair of bodies that was in the set.
typedef struct body_pair {
  pl_contact_row row;
  pl_contact_status status;
  double f[3], gap;
} body_pair;

// Solids that touch each other and themselves in a step under way.
typedef struct bodies {
  pl_layers *layers;
  double *to, *at; // [nq] where a linear step leads, and a place on the way
  int nold, cap;
  body_pair *old; // [cap] of the iterate before
  int rounds;     // iterates placed in this step
  int searches;   // on the way of the linear step under way
  double free;    // part of the linear step on which nothing passes through anything
} bodies;

// Faces and edges at obstacles in a step under way.
typedef struct surface_rows {
  double *to; // [nq] where a linear step leads
  int nold, cap;
  body_pair *old;                  // [cap] of the iterate before
  int rounds;                      // iterates placed in this step
  const pl_contact_feature **next; // [capnext] that overlap at the end of the linear step
  int capnext, round, *taken;      // [nnode] round in which a row took a node
} surface_rows;

// Entries of A^-1 between the unknowns that contacts have been at since it was factored.
typedef struct compliance {
  pl_factor *A; // NULL: nothing is known
  int numeric;  // which of its factorisations
  int n;
  int *dof, *at;  // [nfree] the free unknowns, and where each is among them, -1: nowhere
  double *B;      // [n][n]
  size_t cap;     // numbers that there is room for
  double *column; // [nfree] scratch
  // W is formed of these rows, with this slope; none: it is not
  pl_contact_row *row;
  int nrow;
  double slope;
} compliance;

enum { BODIES = -1, SURFACE = -2 }; // in a set, below pairs of nodes and obstacles

// The contacts of one step under way. Each Newton iteration gives a linear answer to forces,
// d = d0 + A^-1 G f, and for the pairs in the set
//   u_N = slope (gap + n'd),   u_T = T'(rate + slope d - drag velocity of the obstacle),
// whence W = slope G' A^-1 G for Coulomb's law. G is known by its rows, and W is formed; of very
// many contacts it is known by products through the factor of A.
typedef struct contact_set {
  pl_contact *k;
  const pl_model *m;
  pl_env *env;
  int n, dim;
  pl_gap *place; // [npair] at the iterate
  int *in;       // [npair] number in the set, -1: not in it, -2: never, as nothing there can move
  int nset, cap; // pairs of the problem
  int *set;      // [cap] pair of node and obstacle, BODIES, or SURFACE less the obstacle
  pl_contact_row *row; // [cap] of G: nodes and frames
  size_t capW, capL;   // numbers that there is room for
  double *W, *factor;  // [nset dim][nset dim], and its factor; NULL: never wanted
  compliance known;
  double *probe; // [n] A^-1 G f
  double *push;  // [nq] see contact_set_push
  // [nq] residuals at the end of a step of Newmark's, where they are known, and [n] accelerations
  // that the one at hand is without
  double *end, *more;
  int ended;
  double *about; // [cap dim] size of the diagonal of W
  pl_factor *A;  // of the law under way, with its slope
  double slope;
  double *c, *f, *u;         // [cap][dim]
  double *before;            // [cap][dim] impulses of a step before the law for impacts
  double *gap;               // [cap] at the end of the linear step
  double *mu;                // [cap]
  pl_contact_status *status; // [cap]
  double share;              // see contact_set_begin
  double size;               // m; of the obstacles, and of the model at rest
  double slack;              // m; gaps below are zero
  double error;              // m; largest error of a linear gap of a pair that presses
  double residual;           // of Coulomb's law
  bodies *bodies;            // NULL: bodies pass through each other
  surface_rows *surface;     // NULL: nodes alone touch obstacles
} contact_set;

// What is linear about a step.
typedef struct contact_rule {
  double slope, drag; // du/dd, and what counts of the velocity of obstacles: 1, or 0 in statics
  double t;           // time of the obstacles
  const double *q;    // [nq] iterate
  double t0;          // where the step began
  const double *q0;
  const double *rate; // [nq] what u_T is measured by there: velocity, or displacement in the step
} contact_rule;

// env: the host of the analysis, which need not be that of the contact.
pl_status contact_set_open(contact_set *t, pl_env *env, const pl_model *m, const pl_params *p,
                           pl_contact *k);
void contact_set_close(contact_set *t);
// A new step: the set of the last one, with its forces. share: what the force of a step, its
// impulse over its length, is of the force in its equations.
pl_status contact_set_begin(contact_set *t, double share);
// Places at a time and q[nq]; forces turn with their frames. Pairs that overlap join the set.
pl_status contact_set_place(contact_set *t, const contact_rule *u);
// The parts of it: row k of the set becomes row `to`; a row joins without a force.
void contact_set_move(contact_set *t, int k, int to);
pl_status contact_set_join(contact_set *t, int pair, const pl_contact_row *row);
// f in another frame [3][3]: the normal part stays, friction turns into the new plane with its
// size.
void contact_set_rotate(int dim, const double *from, const double *to, double *f);
// push: what the contacts of the set push all unknowns with, free or held, N.
void contact_set_push(contact_set *t);
// Row i of G, contact i/dim along i%dim, times x over all unknowns, free or not; the velocity of
// the obstacle along it.
double contact_set_along(const contact_set *t, int i, const double *x);
double contact_set_drag(const contact_set *t, int i);
// The gap of row k at q, which is the iterate that it was placed at.
double contact_set_gap(const contact_set *t, int k, const double *q);

// Row k is of a face or an edge at an obstacle; something can move the nodes of a row.
static inline int contact_set_is_surface(const contact_set *t, int k) {
  return t->set[k] <= SURFACE;
}
int contact_set_is_free(const contact_set *t, const pl_contact_row *r);

pl_status surface_open(contact_set *t);
void surface_close(contact_set *t);
// The parts of the functions below for faces and edges at obstacles.
pl_status surface_place(contact_set *t, const contact_rule *u);
pl_status surface_join(contact_set *t, const contact_rule *u, const double *d, int *count);
pl_status surface_begin(contact_set *t); // with what pressed in the last step
pl_status surface_accept(const contact_set *t);
int surface_any(const contact_set *t);

pl_status bodies_open(contact_set *t, pl_layers *layers);
void bodies_close(contact_set *t);
// The parts of the functions below for pairs of bodies.
pl_status bodies_place(contact_set *t, const contact_rule *u);
pl_status bodies_join(contact_set *t, const contact_rule *u, const double *d, int *count);
void bodies_accept(const contact_set *t);
// *passed: something passes through something on the way from q to x[nq]; *clear: nothing does, and
// nothing touches at x.
pl_status bodies_clear(contact_set *t, const double *q, const double *x, int *clear, int *passed);

// g[n] += factor G f over the free unknowns.
void contact_set_add(const contact_set *t, double factor, double *g);
// d = d0 + A^-1 G f with Coulomb's law for all pairs that would overlap at q + d. definite: A is,
// so that W is. PL_UNSOLVED when the law was not solved, PL_SINGULAR when W is not semidefinite.
pl_status contact_set_solve(contact_set *t, const contact_rule *u, pl_factor *A, int definite,
                            const double *d0, double *d);
// The parts of it: d = A^-1 G f; y = W f, f and y[nset][dim]; c; the law with that c.
pl_status contact_set_answer(contact_set *t, pl_factor *A, const double *f, double *d);
pl_status contact_set_product(contact_set *t, pl_factor *A, double slope, const double *f,
                              double *y);
void contact_set_problem(contact_set *t, const contact_rule *u, const double *d0);
pl_status contact_set_law(contact_set *t, pl_factor *A, double slope);
// t->W of the rows of the set; t->about, the size of its diagonal, from at most so many contacts.
pl_status compliance_open(contact_set *t);
void compliance_close(contact_set *t);
void compliance_forget(contact_set *t);
pl_status compliance_form(contact_set *t, pl_factor *A, double slope);
pl_status compliance_sample(contact_set *t, pl_factor *A, double slope, int most);
// Whether t->W is semidefinite, but for rounding.
pl_status compliance_definite(contact_set *t, int *definite);
// Adds to K what holds the pairs of the set that press: n n' and, where they stick, all directions.
void contact_set_hold(const contact_set *t, pl_csc *K);
// mu f_N |u_T| + 2 f_N overlap over all pairs of the set at a place with rates; friction and
// overlap in a function that steps must lower.
double contact_set_merit(const contact_set *t, const contact_rule *u);
// BDF2: nodes that have met an obstacle in this step move on with it along the normal, in v[nq] and
// in the state q1, v1[nq] h before x[nq], by which the next step goes.
void contact_set_land(const contact_set *t, double *v);
void contact_set_forget(const contact_set *t, double h, const double *x, double *q1, double *v1);
// How far a node slides in the step at hand, at most.
double contact_set_slid(const contact_set *t);
// The step is accepted: forces, statuses and places go to the contacts.
pl_status contact_set_accept(contact_set *t);

// ---- equilibrium ------------------------------------------------------------------------------

// How far from equilibrium a state is.
typedef struct balance {
  double energy;
  double residual; // largest |r| in the free unknowns
  double force;    // size of the forces: inner, outer and reactions
  double noise;    // rounding in the energy
} balance;

typedef struct equil {
  const pl_static_opts *o;
  const pl_model *m;
  const pl_params *p;
  pl_work *w;
  pl_static_info *info;
  pl_env *env;
  ticker tick;
  int n, nq;
  const int *dof; // [n]
  pl_state *x;    // iterate
  pl_clock clock;
  pl_factor *chol, *ldl; // made when first wanted
  double *factored;      // [nnz] values in chol
  int known;             // 1: it has a factor of them
  double *g, *d, *b;     // [n] residual, direction, scratch
  double *q0, *qref;     // [nq] start of a line search, reference of the watchdog
  double tau;            // last shift that made K positive definite
  int nshift;   // iterations in a row with K not positive definite; stays when there are many
  int barriers; // groups of elements with a law
  double extent;
  int limit;             // iterations before a minimum is given up, 0: as the options say
  int saddle;            // 1: near an unstable equilibrium, converge to it
  int nneg;              // of the last LDL
  pl_stop why;           // reason of the last failure
  double away;           // of equil_follow: way of all steps but the first, which is the prediction
  contact_set *contacts; // NULL: no contact
  const double *released; // [nq] outer forces that go away with the load factor; NULL: none
} equil;

pl_status equil_open(equil *e);
void equil_close(equil *e);
// Evaluates at the iterate; PL_DOMAIN is passed on.
pl_status equil_eval(equil *e, unsigned want);
balance equil_balance(const equil *e);
// Free unknowns of x = q + step d.
void equil_move(equil *e, const double *q, double step, const double *d);
// K + shift by Cholesky; *shifted tells whether a shift was needed.
pl_status equil_factor(equil *e, double force, int *shifted);
// Forces g[n] that are below the rounding of those in w; e->b is overwritten.
int equil_at_rounding(equil *e, const double *g);
// e->g: residual at q0, and what moving the drives to displaced[nq] adds to it, linearly.
pl_status equil_residual_displaced(equil *e, const double *displaced);
// Load step with contact from the state s to e->clock.
pl_status equil_contact(equil *e, const pl_state *s);
// Inertia of K with the contacts that press held.
pl_status equil_contact_inertia(equil *e);
// A piece at e->x that slides on what the contacts of the set press against, at a load factor.
pl_status find_slide(equil *e, double scale, pl_slide *out);
// Cholesky factor of the matrix in w, the one at hand when the values are the same to the bit;
// PL_SINGULAR unless it is positive definite.
pl_status equil_cholesky(equil *e);
// K = LDL' of the matrix in w; PL_SINGULAR when it is. Sets e->nneg.
pl_status equil_ldl(equil *e);
// Minimum of the potential at e->clock from e->x. PL_UNSOLVED: e->why tells.
pl_status equil_minimise(equil *e);
// Sets the drives of e->clock in e->x and moves the free unknowns along by one linear step from the
// state that is there. PL_UNSOLVED when no place for the free unknowns is inside the domain.
pl_status equil_predict(equil *e);
// The equilibrium at e->clock near e->x, stable or not, by plain Newton steps. PL_UNSOLVED when
// there is none near.
pl_status equil_follow(equil *e);
// From x to the equilibrium nearby under forces without a potential.
pl_status equil_circulate(equil *e);
// Of the model, by which distances between states are measured: rounding may make this part of it
// next to a bifurcation.
double equil_size(const equil *e);
#define FOLLOW_SLACK 1e-5
// Load step from e->x (an equilibrium at scale from) to scale to, recording what happens to the
// stability on the way.
pl_status critical_track(equil *e, double from, double to, int *nneg);

// What the energy book knows of an equilibrium.
typedef struct book_entry {
  double scale, elastic, lost; // load factor; stored energy with what sliders lost in the step
  double load;                 // J; work of the full loads since the reference shape
  double outer;                // J; potential of outer forces
  double power, slope;         // J; derivatives of the potential by the load factor on the path
  int sloped;                  // 1: the slope is known, 0: the stiffness is singular
  double noise, residual;      // J, N
} book_entry;

// The energy book of load steps without contact: on a path of equilibria the potential V changes by
// the integral of its power over the load factor, whatever is between. What is left open is
// released, by a jump to another path.
typedef struct book {
  int open, kept;     // 1: there is one; an equilibrium stands in it, from which the next step goes
  double *F;          // [nq] loads at full scale
  double *rate, *r;   // [nq] scratch
  pl_state *x;        // scratch
  book_entry at;      // where the next step begins
  double start, most; // J; stored energy at the start, largest change of it
} book;

typedef struct book_step {
  double work; // J; of loads and drives
  double open; // J; less the change of stored energy
  int closed;  // 1: that is no more than the error of the rule
} book_step;

pl_status book_open(book *k, equil *e);
void book_close(book *k, equil *e);
// The start of the analysis in e->x. There is nothing to keep when it is no equilibrium.
pl_status book_begin(book *k, equil *e);
// e->x at e->clock; one solve with a factor of K.
pl_status book_entry_make(book *k, equil *e, book_entry *out);
// The step to e->x, of which b is the entry, from places q0[nq].
book_step book_compare(const book *k, const equil *e, const book_entry *b, const double *q0);
// The next step begins at b.
void book_rotation(book *k, const book_entry *b);
// A jump goes to the info.
void book_jump(pl_static_info *info, double scale, double released);
// At the end: jumps of less than is told of what was stored in all are rounding.
void book_forget(const book *k, pl_static_info *info);
// A load step from a state to e->x that left the book open, which took so many iterations: goes the
// same way in parts. e->x stays what it is when they lead there, and is where they lead otherwise;
// jumps and works go to the info.
pl_status book_parts(equil *e, book *k, const pl_state *from, const book_entry *end,
                     const book_step *whole, int iterations);

// ---- time steps -------------------------------------------------------------------------------

// One implicit step q, v, a -> x: v and a are linear in q with these slopes.
typedef struct rule {
  int method;
  double h, t;        // step and time at its end
  double beta, gamma; // Newmark
  double rho, c0;     // BDF2: h over the step before, leading coefficient
  double dv, da;      // dv/dq, da/dq
} rule;

// What a step is checked by.
typedef struct audit {
  double *g0, W0, V0; // [nq] elastic forces, elastic energy and potential where the step begins
  double *d0;         // [nq] forces of damping there, as the step counts them
  int known;          // 1: they are
  int ninverted;      // elements inside out there
  double made;        // J; that the step in x made, 0: nothing that counts
  double moving;      // J; kinetic energies and change of elastic energy in the step
  double kinetic;     // J; of the free unknowns at x
  double elastic, potential; // J; at x
  double work;               // J; of forces in the step that have no potential, or one that changes
  double viscous;            // J; work against damping by stiffness and dashpots in the step
  double dissipated;         // J; the same with damping by the mass
  double damped;             // J; that a rule which loses energy took in the step
  double contact;            // J; that friction and impacts took in the step
  double pushed;             // J; work of obstacles that move
  int inverted, strayed;     // x turns elements inside out; strayed from what was foretold
  int bad_group, bad_elem;   // an element that did
  int unsound;               // x fails a check
} audit;

// How a solution of a step looks: good, makes energy, or is not the one that continues the motion.
typedef enum verdict { SOUND, DOUBTFUL, UNSOUND } verdict;

// no correction yet; the last one left much, or little of the residual
typedef enum newton_pace { NEWTON_FIRST, NEWTON_SLOW, NEWTON_FAST } newton_pace;

// Bodies that keep their shape and that nothing but forces moves (whole.c).
typedef struct rigid_set {
  int n;
  int *body;     // [nnode] that a node is of, -1: none
  double *mass;  // [n]
  double *part;  // [n][18] scratch: centre, velocity, rate of turning; moments
  double *r;     // [nq] places less the centres
  double *field; // [nq]
  double *next;  // [nq] forces of elements at x that accelerations of bodies leave out
  int fresh;     // 1: it begins unstretched by its turning
} rigid_set;

typedef struct stepper {
  const pl_transient_opts *o;
  const pl_model *m;
  const pl_params *p;
  pl_work *w;
  pl_transient_info *info;
  pl_env *env;
  int n, nq;
  const int *dof;
  pl_state *s;              // the caller's: last accepted step
  pl_state *x, *base;       // trial, start of a line search
  pl_motion *motion;        // NULL: a lone solve, which tells no progress
  pl_history *hist;         // the motion's, at s
  int *heavy;               // [nq] 1: has mass
  pl_csc M;                 // free unknowns
  pl_factor *chol, *ldl;    // ldl is made when first wanted
  double *factored;         // [nnz] values in the factor
  int which;                // 0: no factor, 1: chol, 2: ldl
  double *g, *d;            // [n]
  double *ma;               // [nq]
  contact_set *contacts;    // NULL: no contact
  pl_factor *mass;          // of M, when first wanted
  int looked;               // 1: no unknown is loose, though the tangent was singular
  int exactly;              // Newton iterations, 0: until converged
  int damped;               // 1: forces depend on velocities otherwise than by alpha
  int late;                 // steps to come in which damping by stiffness drives nothing (late.c)
  int tangent;              // 1: the matrix in w is the tangent at x
  newton_pace pace;         // of the iteration under way
  double left;              // its last residual
  double displaced, before; // its last correction and the one before, largest entries
  audit audit;
  rigid_set whole;
  pl_state *first;          // a doubtful solution while another one is looked for
  pl_sound *sound;          // steps of impacts go by it; NULL: they are as others
  const pl_jump_opts *jump; // NULL: no jump
  double *fit;              // [3 nq] scratch of the rigid body that fits
  pl_gradient *gradient;    // follows the steps; NULL: nobody does
  pl_flight next;           // the trial of a rigid step
} stepper;

// ---- derivatives by parameters ------------------------------------------------------------------

// Motions whose steps are no smooth function of parameters are refused (PL_E_INPUT).
pl_status follow_check(const stepper *st);
// Accelerations at the start; a step by the rule to x, and one that is accepted.
pl_status follow_begin(stepper *st);
pl_status follow_rule(stepper *st, const rule *u);
pl_status follow_step(stepper *st, const rule *u);

// ---- flights and jumps --------------------------------------------------------------------------

pl_status flight_check(const pl_model *m, pl_env *env);
// Mass, moments and axes of the reference shape; scratch[3 nq], zero at first.
// PL_DOMAIN: it is a line. in, here and below: [nnode] nodes of the body, NULL: all.
pl_status flight_open(const pl_model *m, const pl_params *p, pl_work *w, const char *in,
                      double *scratch, pl_flight *k);
// Momenta and the rotation that fits the state best by mass; the body was opened before.
void flight_catch(const pl_params *p, pl_work *w, int n, const char *in, const pl_state *s,
                  double *scratch, pl_flight *k);
// Kinetic energy, and what elements have besides; w is evaluated at the state that was caught.
double flight_motion(const pl_flight *k);
pl_flight_loss flight_loss(const pl_flight *k, const pl_work *w);
// Whether nodes touch at the flight's place, or faces and edges have come to on their way from
// where it was before; s and q0[nq] are scratch.
pl_status flight_meets(const pl_model *m, const pl_params *p, const pl_flight *before,
                       const pl_flight *k, pl_contact *c, const char *in, pl_state *s, double *q0,
                       int *meets);

// The start, or going on; the state is evaluated.
pl_status jump_open(stepper *st);
int jump_is_rigid(const stepper *st);
// One step as a rigid body: trial and accept.
void jump_try(stepper *st, double h, double t);
void jump_accept(stepper *st, double h);
// A step of the grid is complete: where the body is, and whether elements become rigid or come
// back.
pl_status jump_complete(stepper *st);

// How sure Newton's method is to get there: plain, with the residual falling, or with the potential
// of the step falling along directions of a positive definite tangent.
typedef enum newton_way { NEWTON_PLAIN, NEWTON_CAREFUL, NEWTON_SURE } newton_way;

pl_status stepper_open(stepper *st);
void stepper_close(stepper *st);
// Unknowns whose mass a step of length h does not feel count as massless from here on.
pl_status stepper_leave_out_light(stepper *st, double h);
// Sets drives at the start, and the acceleration that balances the forces there.
pl_status stepper_begin(stepper *st);
// Velocities at x of bodies that keep their shape become those of the rigid motions with the same
// momenta; what vibration had goes to the audit. Then accelerations likewise, with what turning
// adds.
pl_status whole_open(stepper *st);
void whole_close(stepper *st);
void whole_settle(stepper *st);
void whole_accelerate(stepper *st);
// J; what such forces would have taken in the step in x, and did not. The step is accepted, or the
// start is another one (of which they are not known).
double whole_spared(const stepper *st);
void whole_accept(stepper *st);
// M a = -(all other forces) at x; unknowns without mass get none.
pl_status stepper_accelerate(stepper *st, pl_state *x);
// Unknowns far lighter than others, and than steps of length h feel, go to where the forces on them
// balance at the start.
pl_status stepper_settle(stepper *st, double h);
// One step of length h to time t: x holds the result. PL_UNSOLVED: Newton did not converge, or
// (audit.unsound) to a solution that fails a check.
pl_status stepper_try(stepper *st, double h, double t);
// Newton's method from x, at least one correction; x is the result.
pl_status stepper_newton(stepper *st, const rule *u, newton_way way);
// Parts of a step, for steps with contact: start of the iteration, evaluation with the rule,
// x = base + step d, tangent and factor, residual -> g with its size and that of the forces.
void stepper_predict(stepper *st, const rule *u, double keep);
// x with the free unknowns where the step begins.
void stepper_stay(stepper *st, const rule *u);
pl_status stepper_eval(stepper *st, const pl_state *x, unsigned want, const rule *u);
// Energy, forces and tangent at x, where an iteration starts; energy and forces later on, with the
// tangent where it will be wanted and damping by stiffness has the stiffness of elements at hand;
// the tangent at x.
pl_status stepper_start(stepper *st, const rule *u);
pl_status stepper_forces(stepper *st, const rule *u);
pl_status stepper_tangent(stepper *st, const rule *u);
// Takes down the residual at x. Where the last correction left little of it, the factor at hand, of
// a definite tangent, serves the next one too.
void stepper_observe(stepper *st, double residual);
int stepper_keeps_factor(const stepper *st);
void stepper_move(stepper *st, const rule *u, double step);
pl_status stepper_factor(stepper *st);
// A factor of da M + dv D + K at x that is positive definite: the one at hand, or without what
// damping changes by with places, or of the positive part of elements. PL_SINGULAR: there is none.
pl_status stepper_metric(stepper *st, const rule *u);
// The factor of the tangent at x, or of the positive part of its elements where it is not positive
// definite.
pl_status stepper_convex(stepper *st, const rule *u);
// x = base + step d, shortened until the potential of the step falls enough; g is less its gradient
// at base, the forces of contact d is for included.
pl_status stepper_descend(stepper *st, const rule *u);
void stepper_measure(stepper *st, double *residual, double *force);
// The factor of M; d = M^-1 g.
pl_status stepper_mass_factor(stepper *st);
pl_status stepper_mass_solve(stepper *st);
// stepper_contact, where damping by stiffness drives without that, by Newmark's rule with damping
// at the end of the step (late.c); how many steps to come are of that kind, by the contacts at x.
pl_status late_contact(stepper *st, const rule *u, verdict *v);
int late_next(const stepper *st);
// stepper_try with contact.
pl_status stepper_contact(stepper *st, const rule *u, verdict *v);
// The law for impacts: Coulomb's law for the velocities after a step of Newmark's and the impulses
// of the whole step. *changed: accelerations at x are to be found anew.
pl_status stepper_rest(stepper *st, const rule *u, int *changed);
// Steps of impacts (contact_phase.c): the longest step of the impact under way, INFINITY: there is
// none; a step of length h is longer; the step in x begins an impact that it is too long for; the
// step is accepted.
double phase_step(const stepper *st);
int phase_is_long(const stepper *st, double h);
int phase_begins(const stepper *st, double h);
void phase_accept(const stepper *st);
// Newmark: what the momentum of a model that nothing holds changes by in the step in x besides the
// impulses of forces and contacts, over the larger of them and the momentum, goes to the book.
void momentum_accept(stepper *st, const rule *u);
// Energies at the start of a step; the checks of a solution in x that was just evaluated; whether
// it makes a good part of all the energy there is; the book of energies when it is accepted, and
// what it tells.
pl_status audit_begin(stepper *st);
verdict audit_step(stepper *st, const rule *u);
// the verdict with what forces of contact made
verdict audit_contact(stepper *st, const rule *u, verdict v);
// kinetic energy, and change of elastic energy since the start of the run, at x
double audit_energy(const stepper *st);
int audit_is_gross(const stepper *st);
void audit_accept(stepper *st);
// Energy out of nothing is a good part of all there is: no use to go on.
int audit_ran_away(const stepper *st);
void audit_report(const pl_history *h, pl_transient_info *info);
// energy that the rounding of places makes in elements
double stepper_energy_noise(const stepper *st);
// x'My/2 over the free unknowns that have mass, with sums x = x0 + fx x1 and y likewise.
double stepper_mass_form(stepper *st, const double *x0, double fx, const double *x1,
                         const double *y0, double fy, const double *y1);
// Error of places in one step: h^2 times this times the change of acceleration (implicit Euler:
// times acceleration).
double pace_factor(const rule *u);
// How far the solution in x strays from what the start of the step foretells: pl_stray.
double pace_stray(stepper *st, const rule *u, int *group, int *elem);
// The error of the rule in the step in x, and its way, go to the book.
pl_status pace_accept(stepper *st, const rule *u);
// x becomes s; the history moves on.
pl_status stepper_accept(stepper *st, double h);
// Local error of the step in x over the tolerance; *size: largest motion so far.
double stepper_error(const stepper *st, double h, double *size);
// Tells progress of the motion now and then.
pl_status stepper_progress(stepper *st);

#endif
