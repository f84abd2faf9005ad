#ifndef PLIANT_DESIGN_H
#define PLIANT_DESIGN_H

#include "pliant/harmonic.h"
#include "pliant/linkage.h"

PL_DECLS_BEGIN

// Design of periodic motions: sensitivities of steady states, objectives, optimisation within
// bounds, and proof of what was found. Harmonic-balance paper, section 4.

// ---- statement of a problem -------------------------------------------------------------------

typedef enum pl_variable_kind {
  PL_VARIABLE_DESIGN,   // a design parameter of the model
  PL_VARIABLE_ALPHA,    // damping by mass, 1/s
  PL_VARIABLE_BETA,     // damping by stiffness, s
  PL_VARIABLE_FREQUENCY // base frequency of an operating point, rad/s
} pl_variable_kind;

typedef enum pl_variable_scale {
  PL_SCALE_AUTO,   // logarithmic when bounds are positive and span a hundredfold, else linear
  PL_SCALE_LINEAR, // by the range between bounds; where they are far beyond the value, by the value
  PL_SCALE_LOG
} pl_variable_scale;

typedef struct pl_variable {
  pl_variable_kind kind;
  int index;       // number of the design parameter, or of the operating point
  double min, max; // both 0: the model's own; alpha and beta: from 0; frequencies: half to twice
  pl_variable_scale scale;
} pl_variable;

// A frequency at which the steady motion is looked at.
typedef struct pl_operating {
  const char *name;      // for messages, may be NULL
  double omega;          // rad/s, of drives and loads
  const pl_orbit *start; // a motion to begin from, to choose a branch; NULL: from rest
} pl_operating;

typedef enum pl_goal { PL_GOAL_TARGET, PL_GOAL_MOST, PL_GOAL_LEAST } pl_goal;

// One term of what is minimised. Its kind says which of the fields it looks at.
typedef struct pl_objective {
  const struct pl_objective_kind *kind; // &pl_objective_amplitude, ..., or one of your own
  const char *name;                     // for messages, may be NULL
  double weight;                        // > 0
  int point;                            // operating point
  int nnode;
  const int *node;
  int drive;          // support or drive, by its number in the model
  int mask;           // axes that count (bit c: axis c); 0: all
  pl_goal goal;       // one of the kind's
  double target;      // T, in the kind's unit
  int nharm;          // curves: harmonics of the target
  const double *coef; // [nnode][dim][2 nharm + 1] c0 s1 c1 ... of the target
  int means;          // curves: 1: mean positions count too
  int phases;         // curves: phase offsets tried, 0: 128
  // curves: alpha of eq. 26 times the target's mean square; 0: the best phase itself where all
  // objectives are targets, else 200
  double sharpness;
  double from,
      to; // window: in which a peak or fold is looked for at the start, or that counts; rad/s
  double exponent; // of the smooth maximum: strain 0: 12; peak_height 0: 100, 1000: none
  pl_measure_kind measure;
  int harmonic;     // which one: of the measure HARMONIC, of a force, of a phase
  int resample;     // curves, while a scene is read: by time where there are times, by time, by arc
  double par[4];    // of kinds of your own: what their keys fill
  const void *data; // of kinds of your own; must outlive the design
} pl_objective;
// What a peak or peak_height looks at.
pl_measure pl_objective_measure(const pl_objective *o);

// ---- kinds of objectives ----------------------------------------------------------------------

typedef struct pl_design pl_design;

// Where an objective looks.
typedef enum pl_scope {
  PL_SCOPE_POINT,  // at the steady motion of its operating point
  PL_SCOPE_PEAK,   // at a resonance peak, which is followed
  PL_SCOPE_FOLD,   // at a fold of the response, which is followed
  PL_SCOPE_WINDOW, // at the response between two frequencies
  PL_SCOPE_VALUES  // at no motion: at the values of the variables alone
} pl_scope;

// What is minimised of a quantity Q (Q0 at the start). It has no unit and is 1 or so at the start;
// of several quantities the mean counts.
typedef enum pl_form {
  PL_FORM_RATIO, // (Q/T - 1)^2 to a target, (Q0/Q)^2 for the most (a parabola in a parameter that
                 // tunes a resonance), (Q/Q0)^2 for the least; Q > 0
  PL_FORM_LIMIT, // max(0, Q/T - 1)^2 to a limit, Q/Q0 for the least; Q > 0
  PL_FORM_ANGLE, // (Q - T)^2, the nearer way round, rad
  PL_FORM_OWN    // Q itself: it is no quantity that could be told or explored
} pl_form;

enum { PL_GOALS_TARGET = 1, PL_GOALS_MOST = 2, PL_GOALS_LEAST = 4 }; // bit of every pl_goal

typedef enum pl_nodes {
  PL_NODES_NONE,
  PL_NODES_ONE,  // that is free to move
  PL_NODES_EACH, // one or more, a quantity for each
  PL_NODES_ALL   // one or more in their order, all together
} pl_nodes;

// An objective while it is looked at.
typedef struct pl_objective_at {
  pl_design *d;
  int index; // of the objective in the problem
  const pl_objective *o;
  const pl_model *m;
  const pl_params *p;
  pl_work *w;
  const pl_orbit *orbit; // the motion at which it looks; WINDOW, VALUES: of the operating point
  int nvariable;
  void *own; // what begin made
} pl_objective_at;

// The motion of a node, for kinds that are a function of it.
typedef struct pl_node_motion {
  const pl_objective *o;
  int dim, nharm;
  pl_complex omega;    // base frequency, rad/s
  const pl_complex *z; // [dim][2 nharm + 1] Fourier coefficients c0 s1 c1 ..., m
} pl_node_motion;

// A kind of objective: a constant table. See docs/add-an-objective.md.
typedef struct pl_objective_kind {
  const char *name;  // key in scenes
  const char *text;  // what it wants, one line
  const char *value; // scenes: what the key looks like, e.g. "max|min|length"
  const char *about; // scenes: what the key means
  const char *keys;  // scenes: which of `node nodes axes of at` it takes
  // scenes: keys of its own, which fill fields of pl_objective
  int nkey;
  const pl_option *key; // [nkey]
  // quantity and results: words of its name, SI unit of targets; unit in which it is told and SI
  // units in one of it (NULL and 0: the SI unit)
  const char *quantity, *unit, *report_unit; // quantity NULL: its name
  double report_si;
  pl_scope scope;
  pl_form form;
  unsigned goals; // PL_GOALS_...; 0: it has none
  pl_nodes nodes;
  int one_axis;      // 1: mask is one axis
  int drive;         // 1: it looks at a named support or drive
  int curves;        // 1: closed curves in coef are its target, and drawn with the motions
  int least_squares; // 1: targets take Gauss-Newton steps (RATIO, ANGLE)

  // Q of node i (0 where it has one quantity). PL_DOMAIN: there is none at this design.
  pl_status (*eval)(const pl_objective_at *at, int i, double *q);
  // Adds by dQ/dz to gz[nfree (2 nharm + 1)] and by dQ/dx at a fixed motion to gx[nvariable]; what
  // the motion's change with x does follows from gz by one adjoint solution. q: as eval gave it.
  pl_status (*gradient)(const pl_objective_at *at, int i, double q, double by, double *gz,
                        double *gx);
  // Instead of the two: Q of the motion of one node. Its derivatives come from the complex step and
  // are exact, so that nothing but branches by real parts may be not analytic: csqrt of a sum of
  // squares, not cabs. Where nothing is said such a kind has a quantity for each node, all goals of
  // its form and least squares.
  pl_complex (*motion)(const pl_node_motion *x);

  // optional
  pl_status (*check)(const pl_objective_at *at);             // of the statement, before motions
  pl_status (*harmonics)(const pl_objective_at *at, int *H); // that it needs when they are chosen
  pl_status (*begin)(const pl_objective_at *at, void **own); // at the start
  void (*end)(const pl_objective_at *at);                    // frees own
  // The number itself, where Q is a smooth form of it, and its whole gradient[nvariable] (may be
  // NULL).
  pl_status (*number)(const pl_objective_at *at, double *q, double *grad);
  // For drawings: what it looks at over a period, in SI, at n phases from 0 to 2 pi.
  pl_status (*trace)(const pl_objective_at *at, int n, double *y);
  // OWN that is a sum of squares: the number of residuals (0: it is none); the residuals of by
  // times Q, and their derivatives by a phase that is left free; what a change dz of the motion
  // adds to them, in steps of stride; derivatives of one of them, by z (1 is returned) or at a
  // fixed motion into gx (0).
  int (*nresidual)(const pl_objective_at *at);
  void (*residual)(const pl_objective_at *at, double by, double *r, double *rot);
  void (*residual_column)(const pl_objective_at *at, double by, const double *dz, int stride,
                          double *J);
  int (*residual_row)(const pl_objective_at *at, double by, int row, double *gz, double *gx);
} pl_objective_kind;

// All kinds there are, in the order in which they are told.
//   amplitude   path length of nodes over a period, m (eq. 27)
//   trajectory  mean square distance to closed curves over their mean square motion at the best
//               phase, or a smooth minimum over phases (eqs. 25, 26); its nodes share the phase
//   peak, fold  frequency of the peak or fold that is followed, rad/s
//   peak_height largest value that a measure takes on the response in a window: at a peak, or at an
//               end of the window; (sum A^e)^(1/e) over all of them
//   stability   size of the largest Floquet multiplier
//   mass        total mass, kg
//   strain      smooth maximum over elements and period
//   smooth      mean over pairs of neighbours of the squared difference of scaled variables
//   force       amplitude of a harmonic of the force of a support or drive, N
//   phase       of a harmonic of a node's motion against the excitation (pl_excitation), rad
#define PL_OBJECTIVE_LIST(X)                                                                       \
  X(amplitude)                                                                                     \
  X(trajectory)                                                                                    \
  X(peak)                                                                                          \
  X(fold)                                                                                          \
  X(peak_height)                                                                                   \
  X(stability)                                                                                     \
  X(mass)                                                                                          \
  X(strain)                                                                                        \
  X(smooth)                                                                                        \
  X(force)                                                                                         \
  X(phase)

#define X(name) PL_OBJECTIVE_##name,
enum { PL_OBJECTIVE_LIST(X) PL_OBJECTIVE_COUNT };
#undef X
#define X(name) extern const pl_objective_kind pl_objective_##name;
PL_OBJECTIVE_LIST(X)
#undef X
extern const pl_objective_kind *const pl_objective_table[PL_OBJECTIVE_COUNT];
static inline const char *pl_objective_quantity(const pl_objective_kind *kind) {
  return kind->quantity ? kind->quantity : kind->name;
}

// For kinds of your own. Adds derivatives g[2 nharm + 1] by the Fourier coefficients of one
// coordinate of a node (as pl_orbit_series gives them) to gz, or where the coordinate is driven,
// what variables do to it to gx.
void pl_objective_add(const pl_objective_at *at, int node, int axis, const double *g, double *gz,
                      double *gx);
// Adds the derivative by the frequency at a fixed motion, rad/s, where that is a variable.
void pl_objective_add_omega(const pl_objective_at *at, double g, double *gx);

// variable NULL: all design parameters of the model.
typedef struct pl_design_problem {
  int nvariable, npoint, nobjective;
  const pl_variable *variable;
  const pl_operating *point;
  const pl_objective *objective;
} pl_design_problem;

typedef enum pl_resample { PL_BY_ARC, PL_BY_TIME } pl_resample;
// Fourier coefficients coef[dim][2 nharm + 1] of a closed curve through points x[npoint][dim]. By
// arc: the curve is run through at constant speed, whatever the spacing of the points. By time:
// the points are at times[npoint] as parts of the period (0..1; NULL: evenly spaced), fitted by
// least squares. A last point that repeats the first is left out. PL_E_INPUT: fewer points than
// 2 nharm + 1, or times that leave gaps.
pl_status pl_curve_coefficients(pl_env *env, int npoint, int dim, const double *x,
                                pl_resample resample, const double *times, int nharm, double *coef);

// ---- options ----------------------------------------------------------------------------------

#define PL_OPTIMISE_OPTS(X, C)                                                                     \
  X(int, harmonics, 0, 0, 64, "", "harmonics of the motions; 0: raised until they stay at start")  \
  X(int, samples, 0, 0, 4096, "", "time samples a period; 0: free of aliasing")                    \
  X(double, adapt, 1e-3, 0, 1, "", "harmonics: change of a motion over its length that is small")  \
  X(int, max_harmonics, 24, 1, 64, "", "harmonics: most")                                          \
  X(double, rtol, 1e-9, 0, 1, "", "motions: residual below rtol times the dynamic forces")         \
  X(int, max_newton, 10, 1, 1000, "", "motions: Newton iterations a solution")                     \
  X(int, cuts, 4, 1, 100, "", "motions: solutions tried on the way to a new design")               \
  X(double, reach, 0.6, 0, 1e9, "",                                                                \
    "steps that are predicted to change a motion by more than this part of it are cut")            \
  X(double, jump, 0.5, 0, 1e9, "",                                                                 \
    "a correction beyond this part of the motion is taken for another branch")                     \
  X(int, max_iter, 200, 0, 100000, "", "iterations of the optimiser")                              \
  X(int, max_eval, 1000, 1, 1000000, "", "designs evaluated, at most")                             \
  X(double, ftol, 1e-4, 0, 1, "",                                                                  \
    "stop when three iterations each lower the value by less; targets that are half out of "       \
    "reach: by less than its root")                                                                \
  X(double, gtol, 1e-6, 0, 1e9, "", "stop when the scaled projected gradient is below")            \
  X(double, goal, 0, 0, 1e9, "", "stop when the value is below")                                   \
  X(int, memory, 10, 1, 100, "", "pairs of L-BFGS-B")                                              \
  X(double, first_step, 0.1, 0, 1e9, "", "longest first step, in scaled variables; 0: unlimited")  \
  X(int, starts, 1, 1, 10000, "", "designs to start from; the others are random, within bounds")   \
  X(int, seed, 1, 0, 1000000000, "", "of the random starts")

typedef struct pl_optimise_opts {
  PL_OPTIMISE_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_optimise_opts;
extern const pl_option pl_optimise_option_table[];
extern const int pl_optimise_option_count;
PL_OPTS_DEFAULTS(optimise)

// ---- a design at hand -------------------------------------------------------------------------

// A problem with the steady motions of its operating points (and the peaks and folds that
// objectives follow) at the present values of its variables.
// Checks the statement and solves the motions at the values that p has (moved into bounds).
// m, p, w must outlive it; the problem is copied. Statements that
// make no sense are PL_E_INPUT with a hint. PL_UNSOLVED: there is no steady motion to start from.
pl_status pl_design_open(const pl_optimise_opts *o, const pl_model *m, const pl_params *p,
                         pl_work *w, const pl_design_problem *problem, pl_design **out);
void pl_design_free(pl_design *d);

int pl_design_nvariable(const pl_design *d);
const char *pl_design_name(const pl_design *d, int k);
const char *pl_design_unit(const pl_design *d, int k);
void pl_design_bounds(const pl_design *d, double *min, double *max);
void pl_design_values(const pl_design *d, double *x);  // [nvariable] as they are now
const pl_params *pl_design_params(const pl_design *d); // the same in those of the model
const pl_orbit *pl_design_orbit(const pl_design *d, int point);
// Frequency of the peak or fold that objective k follows, or of the largest peak in its window once
// its value was asked for, rad/s; 0: there is none. *orbit (may be NULL): its motion.
double pl_design_tracked(const pl_design *d, int k, const pl_orbit **orbit);

// The height of the peak (0 for folds) and the frequency (rad/s) of what objective k follows, of
// scope PEAK, FOLD or WINDOW, with their gradients [nvariable], accurate as those of pl_slopes_at.
// At an end of a WINDOW the frequency stays.
pl_status pl_design_peak(pl_design *d, int k, double *height, double *height_grad, double *omega,
                         double *omega_grad);

// Follows the motions to other values; they are moved into bounds. PL_UNSOLVED: they could not be
// followed, nothing has changed.
pl_status pl_design_move(pl_design *d, const double *x);
// What follows has the same bits whatever was asked for before: it depends on the values and their
// motions alone.
void pl_design_forget(pl_design *d);
// Puts values into p and leaves the motions behind, for analyses that solve their own. PL_DOMAIN:
// an element is degenerate there.
pl_status pl_design_set(pl_design *d, const double *x);

// Value and gradient (by adjoints, eq. 24; may be NULL) of one objective without its weight, or of
// the weighted sum (k = -1). Accuracy: exact to the solution of the motions for amplitude,
// trajectory, mass, smooth, force, phase, fold and peak_height (at a peak, the change of its
// frequency does not count); peak 1e-6 or so (central differences of exact gradients along the
// response); strain 1e-7 (element strains by central differences); stability 1e-8 (eigenvectors of
// the period map; of more than 50 unknowns, or with stops or dry friction, 1e-4 and worse: central
// differences of multipliers along dz/dp, two Floquet analyses a variable), and none while the
// bound holds.
pl_status pl_design_value(pl_design *d, int k, double *value, double *grad);
// The quantity that objective k is about, the mean over its nodes, in SI, and its gradient (may be
// NULL), as accurate. PL_E_ARG: its kind has none.
pl_status pl_design_quantity(pl_design *d, int k, double *value, double *grad);
// y[n] in SI over a period of the motion it looks at. PL_E_ARG: its kind has no such drawing.
pl_status pl_design_trace(pl_design *d, int k, int n, double *y);
// Path length of a node along axes (mask, 0: all) at an operating point, and its gradient.
pl_status pl_design_amplitude(pl_design *d, int point, int node, int mask, double *value,
                              double *grad);
// S = dz/dp (eq. 22) at an operating point: S[nvariable][nfree (2H+1)], one solution a column.
pl_status pl_design_sensitivity(pl_design *d, int point, double *S);
// Derivative of the Fourier coefficients of one coordinate of a node (as pl_orbit_series gives
// them) by variable k, free or driven. S: as above.
void pl_design_series(const pl_design *d, const double *S, int k, int node, int axis, double *out);
// The motion z + S dx (eq. 23) at values x + dx. *trust: estimate of its distance from the true one
// over the motion's size, both root mean square over all nodes and the period, by two steps of
// Newton's method; infinite where there is no telling. The design stays where it is.
// PL_DOMAIN: there is no such design.
pl_status pl_design_predict(pl_design *d, int point, const double *dx, pl_orbit **out,
                            double *trust);
// The trust alone, of a motion o with o->z = z + S dx from columns that were kept: two
// evaluations and factorisations at x + dx. Sets the frequency of o.
pl_status pl_design_trust(pl_design *d, int point, const double *dx, pl_orbit *o, double *trust);
// The change dx of all variables along a gradient, of length one in scaled variables; changes that
// leave the bounds at once are left out.
void pl_design_direction(const pl_design *d, const double *grad, double *dx);

// ---- optimisation -----------------------------------------------------------------------------

typedef enum pl_design_stop {
  PL_DESIGN_GRADIENT, // projected gradient is small: a local optimum
  PL_DESIGN_VALUE,    // the value hardly falls any more
  PL_DESIGN_GOAL,     // the value is below what was wanted
  PL_DESIGN_MAX_ITER,
  PL_DESIGN_MAX_EVAL,
  PL_DESIGN_STUCK, // no shorter step lowers the value, or motions cannot be followed further
  PL_DESIGN_CANCELLED
} pl_design_stop;
const char *pl_design_stop_text(pl_design_stop s);

typedef struct pl_design_step { // one iteration; step 0: where a start begins
  double value;
  double gradient; // largest entry of the projected gradient in scaled variables
  double step;     // largest change of a scaled variable
  int evaluations, failures, newton, factorisations; // since the start; failures: motions lost
  double seconds;
} pl_design_step;

enum { PL_DESIGN_WARNINGS = 16 };

typedef struct pl_design_point_result { // an operating point in the end
  double omega;
  double again; // distance of the motion found from rest over the path length; -1: none found
  int same;     // the motion from rest is the one of the design
  pl_orbit *before, *after;
} pl_design_point_result;

typedef struct pl_design_result {
  pl_env *env;
  int nvariable, nobjective, npoint, nstep;
  double *before, *after; // [nvariable]
  double *gradient;       // [nvariable] of the value in the end
  int *bound;             // [nvariable] -1: at its lower bound, 1: at its upper one, 0: between
  double value_before, value;
  double *objective_before, *objective; // [nobjective] unweighted values
  pl_design_step *step;                 // [nstep]; the first is the start
  double *path;                         // [nstep][nvariable] values on the way
  pl_design_point_result *point;        // [npoint]
  pl_design_stop reason;
  int evaluations, failures, newton, factorisations, regularised;
  int nstart;          // starts done
  double *start_value; // [nstart] what each of them reached
  int best_start;
  int nwarning;
  char warning[PL_DESIGN_WARNINGS][PL_TEXT];
  double seconds;
} pl_design_result;
void pl_design_result_free(pl_design_result *r);

// What a run needs to go on as if it had never stopped: plain numbers, to be stored as they are.
typedef struct pl_design_state {
  pl_env *env;
  int nint, nreal;
  int *ints;
  double *reals;
} pl_design_state;
void pl_design_state_free(pl_design_state *s);

// Called after every iteration; non-zero stops cleanly. state is that of the run now.
typedef int (*pl_design_observe_fn)(void *ctx, const pl_design_result *so_far,
                                    const pl_design_state *state);

// Minimises the weighted sum within bounds: by damped Gauss-Newton steps where all objectives are
// targets (amplitudes, trajectories without sharpness, peaks, folds) and variables at most 256,
// else by L-BFGS-B. Every evaluation follows the motions from the last design with the predicted
// state z + S dx; a step on which they are lost is halved, never fatal. In the end the design (and
// p) has the best values; its motions are solved anew from rest and compared. resume (may be NULL):
// the state of an earlier run of the same problem. *out is NULL only on errors.
pl_status pl_design_run(pl_design *d, const pl_design_state *resume, pl_design_observe_fn observe,
                        void *ctx, pl_design_result **out);

// All of it: opens a problem, minimises it from the values that p has, and leaves it.
pl_status pl_design_solve(const pl_optimise_opts *o, const pl_model *m, const pl_params *p,
                          pl_work *w, const pl_design_problem *problem, pl_design_result **out);

// ---- sensitivities of peaks and folds ---------------------------------------------------------

// Derivatives of special points of a response by variables (of kinds DESIGN, ALPHA and BETA) at the
// values that p has, which stay.
typedef struct pl_slopes pl_slopes;
pl_status pl_slopes_create(const pl_model *m, const pl_params *p, pl_work *w, int nsample,
                           int nvariable, const pl_variable *variable, pl_slopes **out);
void pl_slopes_free(pl_slopes *s);
const char *pl_slopes_name(const pl_slopes *s, int k);
const char *pl_slopes_unit(const pl_slopes *s, int k); // SI
double pl_slopes_value(const pl_slopes *s, int k);
// 1: there are derivatives of special points of this kind at this motion. Peaks and folds have
// them, but not those of motions that repeat after two periods of the drive.
int pl_slopes_has(const pl_special *at);
// omega[nvariable]: of its frequency (rad/s); amplitude[nmeasure][nvariable]: of the measures at
// it, which moves with the variables. A peak is one of measure[0] alone. Exact to the solution of
// the motion for amplitudes of peaks (at a peak they do not depend on its own move) and frequencies
// of folds; frequencies of peaks and amplitudes of folds need second derivatives of forces, which
// are central differences of exact first ones along one direction: 1e-6 or so.
pl_status pl_slopes_at(pl_slopes *s, const pl_special *at, int nmeasure, const pl_measure *measure,
                       double *omega, double *amplitude);

// ---- measured frequency responses -------------------------------------------------------------

typedef enum pl_frf_kind {
  PL_FRF_COMPLEX,   // a harmonic with its phase
  PL_FRF_AMPLITUDE, // of a harmonic
  PL_FRF_MAX,       // largest deviation from the mean over a period
  PL_FRF_RMS        // root mean square about the mean over a period
} pl_frf_kind;
typedef enum pl_frf_per { PL_PER_NOTHING, PL_PER_FORCE, PL_PER_DRIVE } pl_frf_per;
typedef enum pl_sweep {
  PL_SWEEP_NEAREST, // of several steady motions the one nearest to the sample
  PL_SWEEP_UP,      // the one that rising frequency leads to, until it ends in a fold
  PL_SWEEP_DOWN
} pl_sweep;

// What was measured at one node over frequency, in SI. Phases are those of the harmonic against the
// excitation: x(t) = Re(Y e^(i k omega t)) when the excitation is |E| cos(omega t).
typedef struct pl_frf {
  const char *name; // for messages, e.g. the file
  int node, axis;
  int harmonic; // k; 1: the fundamental
  int order;    // time derivatives: 0 displacement, 1 velocity, 2 acceleration
  pl_frf_kind kind;
  pl_frf_per per; // values are divided by the force or by the motion of the drive
  pl_sweep sweep;
  int relative; // noise in proportion to the size of a sample; else the same for all samples
  int n;
  const double *omega;   // [n] rad/s, of the drive
  const double *re, *im; // [n]; amplitudes stand in re
} pl_frf;

// The fundamental of all loads (their sum, along the axis where it is largest, with the size of the
// whole vector) or, without loads, of the driven node that moves most: f(t) = Re((e[0] + i e[1])
// e^(i omega t)), N or m. Returns 0: there is no such force (or drive).
int pl_excitation(pl_env *env, const pl_model *m, const pl_params *p, pl_frf_per per, double e[2]);

// A computed response at the frequencies of a measured one.
typedef struct pl_frf_match {
  pl_env *env;
  int n, missing;     // missing: samples at whose frequency there is no computed motion
  double *re, *im;    // [n] NaN where there is none
  double size, error; // root mean square of the samples and of the difference
} pl_frf_match;
// curve: of pl_response with the same model and parameters.
pl_status pl_frf_compare(const pl_model *m, const pl_params *p, pl_work *w, const pl_curve *curve,
                         const pl_frf *f, pl_frf_match **out);
void pl_frf_match_free(pl_frf_match *m);
// The quantity of f along an orbit, for plots.
void pl_frf_value(pl_env *env, const pl_model *m, const pl_params *p, const pl_orbit *o,
                  const pl_frf *f, double *re, double *im);

#define PL_FIT_RESPONSE_OPTS(X, C)                                                                 \
  X(int, harmonics, 0, 0, 64, "", "harmonics of the motions; 0: what the response needs at start") \
  X(int, samples, 0, 0, 4096, "", "time samples a period; 0: free of aliasing")                    \
  X(double, adapt, 1e-3, 0, 1, "", "harmonics: change of a motion over its length that is small")  \
  X(int, max_harmonics, 24, 1, 64, "", "harmonics: most")                                          \
  X(double, from, 0, 0, 1e9, "rad/s", "where the response begins; 0: somewhat below the data")     \
  X(double, to, 0, 0, 1e9, "rad/s", "where the response ends; 0: somewhat above the data")         \
  X(double, max_step, 0.02, 1e-9, 1, "", "longest step of the response, as part of the range")     \
  X(double, rtol, 1e-9, 0, 1, "", "motions: residual below rtol times the dynamic forces")         \
  X(double, xtol, 1e-8, 0, 1, "",                                                                  \
    "stop when a step changes the response by less than this part of the data")                    \
  X(int, max_iter, 60, 1, 1000, "", "steps of the fit")                                            \
  X(double, level, 0.95, 0.5, 0.9999, "", "probability of the confidence bands")                   \
  C(bands, 0, "together|alone", "level is for all values at once, or for each alone")              \
  C(apply, 0, "no|yes", "the analyses that follow use the fitted values")

typedef struct pl_fit_response_opts {
  PL_FIT_RESPONSE_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_fit_response_opts;
extern const pl_option pl_fit_response_option_table[];
extern const int pl_fit_response_option_count;

enum { PL_BANDS_TOGETHER, PL_BANDS_ALONE };
enum {
  PL_BAND_LINEAR,  // the sum of squares rises to the ends as the linear model says
  PL_BAND_PROFILE, // it does not: the ends are those of its profile
  PL_BAND_LOST     // an end was not reached: within, samples lose their motions
};

typedef struct pl_fit_band {
  char name[64];
  const char *unit; // SI
  double before, after, min, max;
  double error;           // standard error; -1: not known
  double low, high, band; // confidence band, half its width; band -1: not known
  int bent;               // PL_BAND_...
  int bound;              // ended at a bound
} pl_fit_band;

typedef struct pl_response_fit {
  pl_env *env;
  int nvalue, nset;
  pl_fit_band *value;
  double *correlation;    // [nvalue][nvalue]; rows of values without a band are 0
  pl_frf_match **before;  // [nset] NULL where the first response could not be followed
  pl_frf_match **after;   // [nset]
  double *noise;          // [nset] standard deviation of a sample; of its size where relative
  pl_curve *curve[2];     // before and after
  int nsample, freedom;   // numbers compared; those less the values fitted
  double level;           // of the bands
  double size, misfit[2]; // root mean square: data, difference before and after (first set's unit)
  double independent;     // 0..1: how far the effects of the values differ; near 0: not told apart
  int nweak;              // values that are not told apart, numbers in weak
  int weak[8];
  int harmonics, iterations, evaluations;
  pl_stop reason;
  double seconds;
  pl_params *params; // with the values found
} pl_response_fit;

// Fits variables (of kinds DESIGN, ALPHA and BETA) by least squares so that the response matches
// the data: Levenberg-Marquardt with exact derivatives within bounds. At every trial the response
// is followed through its folds and every sample is compared with the motion that f->sweep chooses.
// Bands: s^2 (J'J)^-1 and Student's t (together: of level^(1/values)), or the profile of the sum of
// squares where the response bends within them.
// PL_UNSOLVED: not converged, the best found is in *out (NULL: there is no response at the start).
// keeper NULL: it is not kept on its way.
pl_status pl_fit_response(const pl_fit_response_opts *o, const pl_model *m, const pl_params *p,
                          pl_work *w, int nvariable, const pl_variable *variable, int nset,
                          const pl_frf *set, const pl_keeper *keeper, pl_response_fit **out);
void pl_response_fit_free(pl_response_fit *f);

// ---- proof ------------------------------------------------------------------------------------

#define PL_PROOF_OPTS(X, C)                                                                        \
  X(int, more, 4, 1, 64, "", "harmonics added to solve the motion again")                          \
  X(int, steps_per_period, 512, 16, 1000000, "", "Newmark: time steps a period")                   \
  X(int, periods, 200, 1, 1000000, "", "Newmark: periods, at most")                                \
  X(double, steady, 1e-4, 0, 1, "",                                                                \
    "Newmark: distance left to its steady motion, over the motion, that is none")                  \
  X(double, agree, 0.02, 0, 1e9, "", "distance over path length up to which motions agree")        \
  X(double, rigid, 2e-3, 0, 1e9, "", "relative length change of links, or rad, that is tolerated") \
  X(double, yield, 0, 0, 1e9, "", "strain limit; 0: none")                                         \
  C(newmark, 1, "no|yes",                                                                          \
    "simulate in time, from the state of the motion at phase zero, with the harmonics added")

typedef struct pl_proof_opts {
  PL_PROOF_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_proof_opts;
extern const pl_option pl_proof_option_table[];
extern const int pl_proof_option_count;

typedef struct pl_window { // the largest value of a measure on the response in a window
  int followed;            // anew, from its other end; -1: not to its end
  double height, omega;    // largest value with more harmonics, m, and its frequency, rad/s
  int detached; // parts apart from that curve: -1: not looked for, 0: none higher, 1: one
  int beyond;   // for them, the response was followed beyond the window
  int looks;    // frequencies at which they were looked for
  double other, other_omega; // a motion on one that is higher
} pl_window;

typedef struct pl_proof {
  int nharm;
  double change;    // of the motion by more harmonics, over its longest path; -1: not solved
  int newmark_done; // a steady state was reached
  int newmark_periods;
  double newmark;       // distance of the simulated motion over the longest path; -1: not run
  double period_change; // between the last two periods over the motion
  int stable;           // -1: not known
  double multiplier;    // size of the largest
  double link,
      angle;        // largest relative length change of rigid links, and turn of rigid joints, rad
  pl_strain strain; // largest of elements that are not rigid
  pl_window window; // of peak heights
  int good;         // all of it holds
  int nwarning;
  char warning[8][PL_TEXT];
  double seconds;
} pl_proof;

// Checks a steady motion by other means: more harmonics, simulation in time, multipliers, rigid
// constraints and strain over the period. A motion that fails is a result, not an error.
pl_status pl_design_prove(const pl_proof_opts *o, const pl_model *m, const pl_params *p, pl_work *w,
                          const pl_orbit *orbit, pl_proof *out);

// The same for the largest motion in the window of a peak_height, and whether it is that: the
// response is followed from the window's end with more harmonics and shorter steps. Higher motions
// on parts that do not hang together with this curve in the window are looked for on the response
// from 1.6 times its end to its begin over 1.6, and, of small models (PL_DETACHED_MOST
// coefficients), by up to fourfold strength of drives and loads at 33 frequencies; a part that is
// narrower than their distance may be missed.
enum { PL_DETACHED_MOST = 300 };
pl_status pl_design_prove_height(const pl_proof_opts *o, const pl_model *m, const pl_params *p,
                                 pl_work *w, const pl_objective *largest, const pl_orbit *peak,
                                 pl_proof *out);

// Distance of nodes to their targets at the best phase of all: root mean square over the period
// and the nodes, over the mean length of the targets. *phase (may be NULL): of the motion where the
// target begins. z of driven components comes from drives.
double pl_trajectory_error(const pl_model *m, const pl_params *p, const pl_orbit *o,
                           const pl_objective *trajectory, double *phase);

// ---- search: without derivatives, over few variables --------------------------------------------

#define PL_SEARCH_OPTS(X, C)                                                                       \
  X(int, budget, 60, 1, 20000, "", "designs that are tried at most, the scene's own included")     \
  C(method, 0, "direct|crs|isres|esch",                                                            \
    "search over all of the ranges: dividing rectangles, controlled random search, evolution "     \
    "with ranking, evolution")                                                                     \
  X(double, polish, 0.4, 0, 1, "",                                                                 \
    "part of the budget for the local search from the best designs; 0: none, 1: it alone, from "   \
    "the scene's own")                                                                             \
  C(local, 0, "nelder-mead|subplex|bobyqa|cobyla",                                                 \
    "local search: the first two by order alone, the others by models of smooth goals")            \
  X(int, starts, 2, 1, 20, "", "designs from which local searches begin, side by side")            \
  X(int, batch, 8, 1, 1000, "",                                                                    \
    "designs that are chosen at once and evaluated side by side, whatever the number of threads")  \
  X(double, tolerance, 1e-3, 1e-12, 1, "",                                                         \
    "local searches end when they move by less, as a part of the ranges")                          \
  C(stop, 0, "no|yes",                                                                             \
    "end with the first design that meets all goals, where all of them say when they are met")     \
  X(int, seed, 1, 0, 2000000000, "", "of random numbers: of methods that use them, of scatter")    \
  X(double, penalty, 100, 0, 1e9, "",                                                              \
    "what at_least and at_most count while they do not hold: times what is missing over `scale`; " \
    "an evaluation that fails counts ten times the penalty")

typedef struct pl_search_opts {
  PL_SEARCH_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_search_opts;
extern const pl_option pl_search_option_table[];
extern const int pl_search_option_count;

enum { PL_SEARCH_MOST = 20 };                                // variables
enum { PL_SEARCH_START, PL_SEARCH_GLOBAL, PL_SEARCH_LOCAL }; // what asked for a design

// All that was evaluated so far, in the order in which it was asked for.
typedef struct pl_search_table {
  int nvariable, n;
  const double *start; // [nvariable] the first design; 0..1, as all of the following
  const double *x;     // [n][nvariable]
  const double *value; // [n] to be made small; finite
  const int *phase;    // [n] PL_SEARCH_...
} pl_search_table;

// Which designs are to be evaluated next: x[batch][nvariable] and phase[batch], *n of them; 0: the
// search has come to its end. A function of its arguments alone: a search that was stopped goes on
// from its table as if it had not been. The methods (NLopt's) are run from their beginning with the
// values of the table; they go on with guesses where there are none yet, as long as the batch has
// room, so that what does not depend on unknown values is asked for side by side.
pl_status pl_search_ask(pl_env *env, const pl_search_opts *o, const pl_search_table *t, double *x,
                        int *phase, int *n);

PL_DECLS_END

#endif
