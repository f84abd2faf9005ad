#ifndef PLIANT_HARMONIC_H
#define PLIANT_HARMONIC_H

#include "pliant/linkage.h"
#include "pliant/solve.h"

PL_DECLS_BEGIN

// Periodic motions as Fourier series, q(t) = c0 + sum_k s_k sin(k omega t) + c_k cos(k omega t),
// for the free unknowns; driven ones follow their drives exactly. Harmonic-balance paper,
// section 3.

// ---- one motion -------------------------------------------------------------------------------

typedef struct pl_orbit {
  pl_env *env;
  int nfree, nharm;
  int sub;      // periods of the drive in one of the motion; 0: one
  double omega; // rad/s, of the motion: the drive's base frequency over sub
  double *z;    // [nfree][2 nharm + 1]: c0 s1 c1 s2 c2 ... of each free unknown
} pl_orbit;
pl_status pl_orbit_create(pl_env *env, const pl_model *m, int nharm, pl_orbit **out); // zero
void pl_orbit_free(pl_orbit *o);
// A copy with another number of harmonics: cut, or filled with zeros.
pl_status pl_orbit_copy(const pl_orbit *o, int nharm, pl_orbit **out);
// The state at a phase omega t (rad): q, v, a of all unknowns.
void pl_orbit_state(const pl_model *m, const pl_params *p, const pl_orbit *o, double phase,
                    pl_state *s);
// The state at phase zero (t = 0) from which time stepping with so many steps a period starts
// smoothly: a few implicit Euler steps lead up to it, so that stiff parts are in balance.
pl_status pl_orbit_settle(const pl_model *m, const pl_params *p, const pl_orbit *o, int steps,
                          pl_work *w, pl_state *s);
// Root mean square over a period and all nodes that are free to move: of the distance of two
// motions with the same base frequency, and of a motion's distance from its mean, its size (m).
double pl_orbit_distance(const pl_model *m, const pl_orbit *a, const pl_orbit *b);
double pl_orbit_size(const pl_model *m, const pl_orbit *o);
// Largest distance of a node in two motions (root mean square over the period) over the longest
// path of a node in b.
double pl_orbit_change(const pl_model *m, const pl_orbit *a, const pl_orbit *b);

// ---- balance ----------------------------------------------------------------------------------

// Residual and Jacobian of eqs. 8 and 13, assembled element by element in Fourier coefficients.
typedef struct pl_hb pl_hb;
// nsample 0: chosen so that aliasing is below rounding for polynomial forces of third order.
pl_status pl_hb_create(const pl_model *m, const pl_params *p, pl_work *w, int nharm, int nsample,
                       pl_hb **out);
void pl_hb_free(pl_hb *hb);
int pl_hb_size(const pl_hb *hb); // nfree (2 nharm + 1)
int pl_hb_nharm(const pl_hb *hb);
int pl_hb_nsample(const pl_hb *hb);
// After the parameters changed.
pl_status pl_hb_refresh(pl_hb *hb);

enum { PL_HB_RESIDUAL = 1, PL_HB_JACOBIAN = 2, PL_HB_OMEGA = 4 };
// Evaluates at z (size above) and omega. PL_DOMAIN as pl_eval.
pl_status pl_hb_eval(pl_hb *hb, const double *z, double omega, unsigned want);
const double *pl_hb_residual(const pl_hb *hb);
const double *pl_hb_domega(const pl_hb *hb); // dh/domega
const pl_blocks *pl_hb_jacobian(const pl_hb *hb);
// Largest residual, as far as it stands above rounding (of coordinates in stiff elements, and of
// static forces), over the size of the dynamic forces (those that oscillate), after an evaluation.
// 0: nothing but rounding is left.
double pl_hb_error(const pl_hb *hb);

// Adds `by` times the largest entry of each column to the diagonal of the Jacobian at hand, for
// solves where it is near singular. The next evaluation makes it what it was.
void pl_hb_shift_diagonal(pl_hb *hb, double by);

// Change of the balance with parameters at a motion: out[size] = sum_i dp[i] dh/dp_i, and
// out[n] += lambda' dh/dp_i for every direction. Directions need as many threads as the work has.
pl_status pl_hb_change(pl_hb *hb, pl_directions *k, const pl_orbit *o, const double *dp,
                       double *out);
pl_status pl_hb_change_dot(pl_hb *hb, pl_directions *k, const pl_orbit *o, const double *lambda,
                           double *out);

// ---- linear algebra of continuation -----------------------------------------------------------

// Solves with [J b; c' d] of size n + 1 (or J alone) by GMRES, preconditioned with the last factor
// of J; factorises anew only when that has become too poor. Small systems are always factorised.
typedef struct pl_bordered pl_bordered;
typedef struct pl_bordered_info {
  int factorisations, solves, iterations;
} pl_bordered_info;
pl_status pl_bordered_create(pl_hb *hb, pl_bordered **out);
void pl_bordered_free(pl_bordered *b);
// Takes the Jacobian that hb holds now as the operator. b, c [n] may be NULL: no border.
pl_status pl_bordered_set(pl_bordered *s, const double *b, const double *c, double d);
// x[n], *y from f[n], g. PL_SINGULAR when the bordered matrix is singular to rounding.
pl_status pl_bordered_solve(pl_bordered *s, const double *f, double g, double *x, double *y);
// Transposed, for adjoints.
pl_status pl_bordered_solve_transposed(pl_bordered *s, const double *f, double g, double *x,
                                       double *y);
// What follows does not depend on the factors that were made before.
void pl_bordered_forget(pl_bordered *s);
pl_bordered_info pl_bordered_stats(const pl_bordered *s);

// ---- periodic motion at one frequency ---------------------------------------------------------

#define PL_PERIODIC_OPTS(X, C)                                                                     \
  X(double, frequency, 0, 0, 1e9, "rad/s", "base frequency of drives and loads")                   \
  X(int, harmonics, 0, 0, 64, "", "harmonics of the motion; 0 or auto: raised until it stays")     \
  X(int, samples, 0, 0, 4096, "", "time samples a period; 0: free of aliasing")                    \
  X(double, adapt, 1e-3, 0, 1, "",                                                                 \
    "harmonics: change of the motion over its length that is small")                               \
  X(int, max_harmonics, 0, 0, 64, "", "harmonics: most; 0: 24, of up to 12 free unknowns 64")      \
  X(double, rtol, 1e-9, 0, 1, "", "residual below rtol times the dynamic forces")                  \
  X(int, max_iter, 40, 1, 1000, "", "Newton iterations")                                           \
  C(branch, 0, "any|lower|middle|upper|near|integer",                                              \
    "which motion where there are several: smallest, middle, largest, see near, or its number "    \
    "from 1, the smallest, on")                                                                    \
  X(double, near, 0, 0, 1e9, "m", "branch near: its largest deviation from the mean is closest")   \
  C(linear, 0, "no|yes", "compare with the linear motion about the static equilibrium")            \
  C(convergence, 0, "no|yes", "solve with fewer and more harmonics and samples, too")              \
  C(newmark, 0, "no|yes", "compare with time stepping that starts on the motion")

typedef struct pl_periodic_opts {
  PL_PERIODIC_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_periodic_opts;
extern const pl_option pl_periodic_option_table[];
extern const int pl_periodic_option_count;
PL_OPTS_DEFAULTS(periodic)

enum {
  PL_BRANCH_ANY,
  PL_BRANCH_LOWER,
  PL_BRANCH_MIDDLE,
  PL_BRANCH_UPPER,
  PL_BRANCH_NEAR,
  PL_BRANCH_FIRST // the smallest motion, those that follow are larger
};

typedef struct pl_periodic_info {
  pl_stop reason;
  int motions; // that were found to choose from; 0: no branch was asked for
  int nharm, nsample;
  int iterations, factorisations, krylov;
  double residual; // reached, over the dynamic forces
  double change; // of the motion by the last raise of harmonics, over its length; -1: not measured
  const char
      *start;       // which start worked: "given", "rest", "rigid-follow", "amplitude", "transient"
  double last_good; // frequency of the last good point when it failed (rad/s)
  double seconds;
} pl_periodic_info;

// The steady motion at opts->frequency. *orbit: a start (may be NULL) and the result; replaced.
// Tries starts in turn: the given one; the linear response about rest; a low frequency with the
// whole body following the drive, then up in frequency; steps in amplitude of drives and loads; the
// last period of a transient. opts->branch chooses among the motions that the curve in the strength
// of drives and loads, from rest up to four times what they are, passes at full strength.
// PL_E_INPUT: there are fewer of them than the number that it asks for.
pl_status pl_periodic(const pl_periodic_opts *o, const pl_model *m, const pl_params *p, pl_work *w,
                      pl_orbit **orbit, pl_periodic_info *info);

// Newton's method at fixed frequency from orbit (start and result) with a balance and border at
// hand. PL_UNSOLVED when it does not converge; orbit is then the start.
pl_status pl_hb_newton(pl_hb *hb, pl_bordered *b, pl_orbit *orbit, double rtol, int max_iter,
                       pl_periodic_info *info);

// ---- amplitude --------------------------------------------------------------------------------

// Path length of a node over a period (eq. 14), by the trapezoidal rule on nsample phases, or (0)
// exact to rounding, by Gauss quadrature between the slowest points. grad (may be NULL)
// [nfree (2H+1)]: derivative by z.
double pl_orbit_path(const pl_model *m, const pl_params *p, const pl_orbit *o, int node,
                     int nsample, double *grad);
// The same along some axes alone (bit c of mask: axis c), exact to rounding. visit (may be NULL) is
// called at every phase of the quadrature with what a change of the velocity dx/dphase there adds
// to the path, w[3].
typedef void (*pl_path_fn)(void *ctx, double phase, const double *w);
double pl_orbit_path_along(const pl_model *m, const pl_params *p, const pl_orbit *o, int node,
                           int mask, double *grad, pl_path_fn on_phase, void *ctx);
// Largest deviation of one coordinate of a node from its mean over the period; the same for grad.
double pl_orbit_max(const pl_model *m, const pl_params *p, const pl_orbit *o, int node, int axis,
                    double *grad);

// Its phase (rad, may be NULL), with the sign of the deviation.
double pl_orbit_extreme(const pl_model *m, const pl_params *p, const pl_orbit *o, int node,
                        int axis, double *phase);

// What is measured along a curve.
typedef enum pl_measure_kind {
  PL_MEASURE_PATH,    // path length over a period
  PL_MEASURE_MAX,     // largest deviation of a coordinate from its mean
  PL_MEASURE_RMS,     // root mean square of the deviation from the mean
  PL_MEASURE_HARMONIC // amplitude of one harmonic of the drive's frequency
} pl_measure_kind;
typedef struct pl_measure {
  pl_measure_kind kind;
  int node, mask; // bit c of mask: axis c counts
  int harmonic;
} pl_measure;
// Its value, m; the same for grad.
double pl_orbit_measure(const pl_model *m, const pl_params *p, const pl_orbit *o,
                        const pl_measure *what, double *grad);
// Fourier coefficients c0 s1 c1 ... [2 nharm + 1] of one coordinate of a node, driven or free.
void pl_orbit_series(const pl_model *m, const pl_params *p, const pl_orbit *o, int node, int axis,
                     double *out);

// ---- stability --------------------------------------------------------------------------------

typedef struct pl_floquet {
  int n; // multipliers found, largest first
  double re[64], im[64];
  int stable; // none beyond the unit circle (margin 1e-6)
  int nunstable;
  int exact; // all multipliers of the model are in the list or smaller than the last
} pl_floquet;

typedef enum pl_floquet_method {
  PL_FLOQUET_AUTO,
  PL_FLOQUET_HILL,
  PL_FLOQUET_MONODROMY
} pl_floquet_method;
// Floquet multipliers of a periodic motion: Hill's quadratic eigenvalue problem with sorting
// (dense, small models), or the monodromy matrix: integrated densely for small models, by Arnoldi
// on the linearised motion over one period for large ones (more than 50 unknowns; margin 1e-4),
// which are freed from stiff strains that missing harmonics leave before they are called unstable.
// Motions with stops or dry friction are integrated from event to event, in the same two ways.
// Large models that still seem to grow more than tenfold in a period are looked at with more
// harmonics.
pl_status pl_orbit_floquet(const pl_model *m, const pl_params *p, pl_work *w, const pl_orbit *o,
                           pl_floquet_method method, pl_floquet *out);

// What changes the size of the largest multiplier of a motion: a number for motions and values near
// it, whose derivative there along any way is that of the size. Exact where one multiplier (or
// pair) is the largest. PL_UNSOLVED: models of more than 50 unknowns, or with stops or dry
// friction.
typedef struct pl_growth pl_growth;
pl_status pl_growth_create(const pl_model *m, const pl_params *p, pl_work *w, const pl_orbit *o,
                           pl_growth **out);
pl_status pl_growth_at(const pl_growth *g, const pl_model *m, const pl_params *p, pl_work *w,
                       const pl_orbit *o, double *value);
double pl_growth_size(const pl_growth *g); // of that multiplier
void pl_growth_free(pl_growth *g);

// ---- frequency response -----------------------------------------------------------------------

#define PL_RESPONSE_OPTS(X, C)                                                                     \
  X(double, from, 0, 0, 1e9, "rad/s", "first frequency")                                           \
  X(double, to, 0, 0, 1e9, "rad/s", "last frequency; may be below the first")                      \
  X(int, harmonics, 0, 0, 64, "", "harmonics of the motion; 0 or auto: raised as needed")          \
  X(int, samples, 0, 0, 4096, "", "time samples a period; 0: free of aliasing")                    \
  X(double, adapt, 1e-3, 0, 1, "",                                                                 \
    "harmonics: change of the motion over its length that is small")                               \
  X(int, max_harmonics, 0, 0, 64, "", "harmonics: most; 0: 24, of up to 12 free unknowns 64")      \
  X(double, rtol, 1e-9, 0, 1, "", "residual below rtol times the dynamic forces")                  \
  X(int, max_iter, 12, 1, 1000, "", "Newton iterations a point")                                   \
  X(double, step, 0.02, 1e-9, 1, "", "first step, as part of the frequency range")                 \
  X(double, max_step, 0.05, 1e-9, 1, "", "longest step, as part of the frequency range")           \
  X(double, min_step, 1e-7, 1e-12, 1, "", "shortest step, as part of the frequency range")         \
  X(int, points, 5000, 2, 1000000, "", "points of the curve, at most")                             \
  C(peaks, 0, "path|max|rms|harmonic",                                                             \
    "amplitude of watched places that is drawn, with its peaks")                                   \
  X(int, peak_harmonic, 1, 1, 64, "", "peaks: the harmonic whose amplitude counts")                \
  X(int, harmonic_columns, 1, 0, 64, "", "harmonics whose amplitude and phase are columns")        \
  C(log, 0, "no|x|y|both", "logarithmic axes of the plots")                                        \
  C(stability, 1, "no|yes", "Floquet multipliers of every point, and bifurcations")                \
  C(branches, 0, "no|yes", "follow symmetry-broken and period-doubled branches (small models)")    \
  C(linear, 0, "no|yes", "compare with the linear response about the static equilibrium")

typedef struct pl_response_opts {
  PL_RESPONSE_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_response_opts;
extern const pl_option pl_response_option_table[];
extern const int pl_response_option_count;
PL_OPTS_DEFAULTS(response)
// Those by default, between two frequencies, rad/s.
static inline pl_response_opts pl_response_between(double from, double to) {
  pl_response_opts o = pl_response_defaults();
  o.from = from;
  o.to = to;
  return o;
}

typedef enum pl_special_kind {
  PL_PEAK,            // dA/domega = 0 of a measure of a probed place, eq. 17
  PL_FOLD,            // the curve turns back in frequency
  PL_BRANCH_POINT,    // a multiplier passes +1 without a fold
  PL_PERIOD_DOUBLING, // a multiplier passes -1
  PL_NEIMARK_SACKER,  // a pair leaves the unit circle
  PL_SPECIAL_COUNT
} pl_special_kind;
extern const char *const pl_special_name[PL_SPECIAL_COUNT];

// The leading Floquet multipliers of a point, largest first, pairs whole.
enum { PL_LEADING = 4 };
typedef struct pl_leading {
  int n; // 0: not computed
  double re[PL_LEADING], im[PL_LEADING];
} pl_leading;

typedef struct pl_curve_point {
  pl_orbit *orbit;
  double residual;   // reached, over the dynamic forces
  double change;     // error estimate by harmonics, -1: not measured
  double damping;    // damped backbone: ratio
  double energy;     // backbone: total energy above the equilibrium's, at phase zero, J
  int stable;        // -1: not asked
  double multiplier; // size of the largest
  pl_leading leading;
  int iterations;
  int branch;      // 0: the main curve; others come from branch points and period doublings
  int subharmonic; // the motion repeats after that many periods of the drive, 1 or 2; drive's
                   // frequency: subharmonic times the orbit's
} pl_curve_point;

typedef struct pl_special {
  pl_special_kind kind;
  int after;        // index of the curve point before it
  int probe;        // peaks: of which measure
  double omega;     // of the drive
  double amplitude; // value of that measure (other kinds: of the first one)
  pl_leading leading;
  pl_orbit *orbit;
} pl_special;

typedef struct pl_curve {
  pl_env *env;
  int npoint, nspecial, cap, cap_special;
  pl_curve_point *point; // in order along the curve
  pl_special *special;
  pl_stop
      reason;   // of the main curve. END: the far frequency; CLOSED: back at the start; BACK: left
                // the range where it began; POINTS, STEP, CANCELLED; others: there is no start
  double end;   // drive's frequency of its last point, rad/s
  double trial; // STEP: residual of the last trial, over the dynamic forces
  double truncation; // largest part of the oscillating forces in harmonics that the motion leaves
                     // out, and where; -1: not measured
  double truncation_omega;
  int factorisations, iterations, krylov;
  const char *start;
  double seconds;
} pl_curve;
void pl_curve_free(pl_curve *c);
// The frequency of its first peak, rad/s; 0: it has none.
double pl_curve_peak(const pl_curve *c);

// Follows the response from opts->from to opts->to by pseudo-arclength continuation, through folds.
// Peaks of the path length of nodes probe[nprobe] are solved for. orbit0: a start at `from` (may be
// NULL); without one, a curve that does not get to `to` is tried from there, and told from `from`
// when it gets to that. PL_UNSOLVED or PL_CANCELLED with the part of the curve that was done;
// out->reason says why.
pl_status pl_response(const pl_response_opts *o, const pl_model *m, const pl_params *p, pl_work *w,
                      int nprobe, const int *probe, const pl_orbit *orbit0, pl_curve **out);

// What a response or a backbone needs to go on later, at a point of its main curve.
typedef struct pl_trail pl_trail;
// As n numbers, freed by the caller. They serve the machine and the version that made them.
pl_status pl_trail_pack(const pl_trail *t, double **out, size_t *n);
// Newton iterations of the curve so far, those of rejected steps too.
int pl_trail_iterations(const pl_trail *t);

// A curve as n numbers in the same way, freed by the caller, and back again.
pl_status pl_curve_pack(const pl_curve *c, double **out, size_t *n);
pl_status pl_curve_unpack(const pl_model *m, pl_env *env, size_t n, const double *x,
                          pl_curve **out);

// A fit on its way.
typedef struct pl_fit_step {
  int iteration; // 0: where it begins
  double misfit; // distance from the data, over their size
  int n;
  const char *const *name; // [n] of values
  const double *x;         // [n]
  int norbit;              // motions: of each data set, or where the measured one is largest
  const pl_orbit *const *orbit;
  const pl_params *params; // of these motions
} pl_fit_step;

// What is kept of a fit on its way, so that another run can go on from there.
typedef struct pl_keeper {
  size_t nfrom;
  const double *from; // [nfrom] what an earlier run of the same problem kept; NULL: none
  // Called after every step with numbers that serve the machine and the version that made them.
  // Anything but PL_OK ends the run.
  pl_status (*keep)(void *ctx, size_t n, const double *x);
  // The same of what a step came to. NULL: nobody looks on.
  pl_status (*tell)(void *ctx, const pl_fit_step *s);
  void *ctx;
} pl_keeper;
// One list of fields that counts, saves and loads them: x NULL only counts.
typedef struct pl_parcel {
  double *x;
  size_t n; // numbers so far
  int load; // 1: from x to the fields, 0: from the fields to x
} pl_parcel;
void pl_parcel_pass(pl_parcel *p, double *field, size_t n);

// A response that is looked at on its way and can go on from where another one was.
typedef struct pl_response_plan {
  int nmeasure; // what is followed
  const pl_measure *measure;
  const pl_orbit *start; // a motion at `from`; NULL: none
  // Called after every point, with all points so far; they may be fewer than before, or others. t:
  // NULL on branches. last: the run is cancelled there, or its points are used up. Anything but
  // PL_OK ends the run.
  pl_status (*look)(void *ctx, const pl_curve *c, const pl_trail *t, int last);
  void *ctx;
  size_t nfrom;
  const double *from; // [nfrom] of pl_trail_pack with the same options and model; NULL: none
} pl_response_plan;
// The same as pl_response, with peaks of any measure.
pl_status pl_response_run(const pl_response_opts *o, const pl_model *m, const pl_params *p,
                          pl_work *w, const pl_response_plan *plan, pl_curve **out);

// ---- backbone ---------------------------------------------------------------------------------

#define PL_BACKBONE_OPTS(X, C)                                                                     \
  X(int, mode, 1, 1, 1000, "", "number of the linear mode at which the curve begins")              \
  X(double, amplitude, 0, 0, 1e9, "m", "stop when a watched node moves this far from its mean")    \
  X(double, energy, 0, 0, 1e12, "J", "stop at this energy")                                        \
  X(double, from, 0, 0, 1e9, "rad/s",                                                              \
    "stop when the frequency falls below; 0: half of the mode's")                                  \
  X(double, to, 0, 0, 1e9, "rad/s", "stop when the frequency passes; 0: twice the mode's")         \
  X(int, harmonics, 7, 1, 64, "", "harmonics of the motion")                                       \
  X(int, samples, 0, 0, 4096, "", "time samples a period; 0: free of aliasing")                    \
  X(double, rtol, 1e-9, 0, 1, "", "residual below rtol times the dynamic forces")                  \
  X(int, max_iter, 12, 1, 1000, "", "Newton iterations a point")                                   \
  X(double, max_step, 0.05, 1e-9, 1, "", "longest step, as part of the motion's size")             \
  X(int, points, 500, 2, 1000000, "", "points of the curve, at most")                              \
  C(log, 0, "no|x|y|both", "logarithmic axes of the plots")                                        \
  C(damped, 0, "no|yes", "with damping and friction: damping ratio over amplitude (small models)")

typedef struct pl_backbone_opts {
  PL_BACKBONE_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_backbone_opts;
extern const pl_option pl_backbone_option_table[];
extern const int pl_backbone_option_count;

// The family of free, undamped periodic motions (nonlinear normal mode) that begins at a linear
// mode about the static equilibrium. Its motions are even in time (cosines alone): that fixes their
// phase. Damping, dashpots and harmonic loads and drives of the model are left out. The last point
// lies exactly at the limit that ended the curve; folds in frequency are located.
// Damped: all damping and friction stay, and a mass-proportional term -2 zeta omega M x' gives back
// what is lost over a period (extended periodic motion concept): zeta, the damping ratio, is in
// pl_curve_point.damping. For up to 1500 coefficients; needs an amplitude or energy to end at.
pl_status pl_backbone(const pl_backbone_opts *o, const pl_model *m, const pl_params *p, pl_work *w,
                      int nprobe, const int *probe, pl_curve **out);

// A backbone that is looked at on its way and can go on from where another one was, as a response
// can.
typedef struct pl_backbone_plan {
  int nprobe;
  const int *probe; // [nprobe] watched nodes
  pl_status (*look)(void *ctx, const pl_curve *c, const pl_trail *t, int last);
  void *ctx;
  size_t nfrom;
  const double *from; // [nfrom] of pl_trail_pack with the same options and model; NULL: none
} pl_backbone_plan;
pl_status pl_backbone_run(const pl_backbone_opts *o, const pl_model *m, const pl_params *p,
                          pl_work *w, const pl_backbone_plan *plan, pl_curve **out);

// ---- linear response, for comparison ----------------------------------------------------------

// Small motions about the static equilibrium: M u'' + D u' + K u = f(t), dashpots and drives to
// first order (a rotation drive displaces by angle times axis x (X - centre)).
typedef struct pl_modal pl_modal;
// nmode > 0: by superposition of that many modes (at most 1000; fewer when the model has fewer) on
// the motion that drives and loads give without inertia and damping; all modes make it exact.
// nmode 0: by a direct solution for all unknowns. p is changed and put back inside; m, p and w must
// outlive it.
pl_status pl_modal_create(const pl_model *m, const pl_params *p, pl_work *w, int nmode,
                          pl_modal **out);
void pl_modal_free(pl_modal *l);
int pl_modal_count(const pl_modal *l);           // modes in use; 0: direct
const double *pl_modal_omega(const pl_modal *l); // [count] rad/s, as pl_modes
// The motion at a base frequency, with as many harmonics as drives and loads have. PL_SINGULAR: an
// undamped resonance.
pl_status pl_modal_response(pl_modal *l, double omega, pl_orbit **out);
// The state at a phase, like pl_orbit_state, but with driven unknowns to first order, too.
void pl_modal_state(const pl_modal *l, const pl_orbit *o, double phase, pl_state *s);

// ---- strain -----------------------------------------------------------------------------------

// Where and when an element is strained most.
typedef struct pl_strain {
  double value; // strain, with its sign; 0: no element tells a strain
  int group, elem;
  double phase; // rad
} pl_strain;
// The strain (field "strain" of element kinds that have it: of solids and shells the largest
// principal Green strain by size) over a period, at nsample phases (0: chosen); the largest by size
// is refined between samples. each (may be NULL) [elements of all groups, group by group]: the
// largest size at the samples. The threads of w share the elements, its host hears of progress.
pl_status pl_orbit_strain(const pl_model *m, const pl_params *p, pl_work *w, const pl_orbit *o,
                          int nsample, double *each, pl_strain *most);
// The same for a linear motion.
pl_status pl_modal_strain(const pl_modal *l, const pl_orbit *o, int nsample, double *each,
                          pl_strain *most);

// ---- least squares ------------------------------------------------------------------------------

// Levenberg-Marquardt: the least of |r(x)|^2 within lo <= x <= hi. The caller has r, differentiates
// it and takes one step after the other.
typedef struct pl_marquardt {
  int n, nrow;
  double *x, *lo, *hi; // [n]
  double *to, *step;   // [n] values to be tried, and how far that is from x
  double *J;           // [n][nrow] dr/dx, column by column
  double *A, *C;       // [n][n] J'J; factor of it with a unit diagonal, lambda added
  double *g, *size;    // [n] J'r; lengths of the columns of J
  int *active;         // [n] 1: held, at a bound that it wants to leave or without influence
  int held;            // one that stays as it is; -1: none
  int halving;         // 1: no value more than halves or doubles at once, unless it is nothing
  double *first;       // [n] beside this
  double cost;         // |r|^2 at x
  double lambda;       // caution of the next step
} pl_marquardt;
pl_status pl_marquardt_create(pl_env *env, int n, int nrow, pl_marquardt *m);
void pl_marquardt_free(pl_env *env, pl_marquardt *m);
// A, g, size and active from J and r[nrow].
void pl_marquardt_normal(pl_marquardt *m, const double *r);
// C, held values taken out. Returns the least pivot.
double pl_marquardt_factor(pl_marquardt *m, double lambda);

typedef struct pl_marquardt_calls {
  // |r|^2 at `to`, where J says that r changes by `size`; INFINITY: there is none.
  pl_status (*attempt)(void *ctx, double size, double *cost);
  void (*accept)(void *ctx); // x is what was tried
  void (*refuse)(void *ctx); // it is not; NULL: nothing to do
} pl_marquardt_calls;
// Steps of growing caution until one is taken. *done: none is left, or r changes by no more than
// `enough`.
pl_status pl_marquardt_step(pl_marquardt *m, const pl_marquardt_calls *c, void *ctx, double enough,
                            int *done);

// ---- fitting damping to measured motions ------------------------------------------------------

#define PL_FIT_DAMPING_OPTS(X, C)                                                                  \
  X(double, frequency, 0, 0, 1e9, "rad/s", "base frequency of drives and loads in the data")       \
  X(int, harmonics, 5, 1, 64, "", "harmonics of the motion, and those that are compared")          \
  X(int, samples, 0, 0, 4096, "", "time samples a period; 0: free of aliasing")                    \
  C(alpha, 1, "no|yes", "fit alpha of the damping alpha M + beta K")                               \
  C(beta, 1, "no|yes", "fit beta of the damping alpha M + beta K")                                 \
  C(phase, 1, "fixed|free", "time zero of the data: that of the drives, or unknown")               \
  C(mean, 0, "no|yes", "compare mean positions, too")                                              \
  C(apply, 0, "no|yes", "the analyses that follow use the fitted values")                          \
  X(double, rtol, 1e-10, 0, 1, "", "motions: residual below rtol times the dynamic forces")        \
  X(double, xtol, 1e-10, 0, 1, "",                                                                 \
    "stop when a step changes the motion by less than this part of it")                            \
  X(int, max_iter, 50, 1, 1000, "", "steps of the fit")

typedef struct pl_fit_damping_opts {
  PL_FIT_DAMPING_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_fit_damping_opts;
extern const pl_option pl_fit_damping_option_table[];
extern const int pl_fit_damping_option_count;

// One measurement: positions of some unknowns at times of any spacing, over a part of a period or
// over many.
typedef struct pl_fit_data {
  const char *name; // for messages, e.g. the file
  double omega;     // base frequency, rad/s
  int nsample, nchannel;
  const double *time;  // [nsample] s
  const int *dof;      // [nchannel] unknown numbers
  const double *value; // [nsample][nchannel] m
} pl_fit_data;

typedef struct pl_fit_value {
  char name[64];
  int design; // number of the design parameter; -1: alpha, -2: beta
  double before, after;
  double error;    // standard error, by the scatter of the data; -1: too few data, or at a bound
  double min, max; // bounds
  int bound;       // ended at a bound
} pl_fit_value;

// Simulated motion of one data set, as coefficients c0 s1 c1 ... of every channel in the data's own
// time. Where means are not compared, they are those that fit the data best.
typedef struct pl_fit_motion {
  double phase_before, phase; // of the simulated motion at the data's time zero, rad
  double *before, *after;     // [nchannel][2 harmonics + 1]
  double offset;              // largest distance of means from simulated ones, m
} pl_fit_motion;

typedef struct pl_fit {
  pl_env *env;
  int nvalue, ndata;
  pl_fit_value *value;
  pl_fit_motion *motion;     // [ndata]
  double rms, before, after; // m: measured motion about its mean; misfit before and after
  double independent; // 0..1: how far the effects of the values differ; near 0: not told apart
  int iterations, evaluations, factorisations;
  pl_stop reason;
  double seconds;
  pl_params *params; // with the values found
} pl_fit;

// Fits alpha, beta and the design parameters parameter[nparameter] so that the steady motions match
// the data in the least-squares sense: Levenberg-Marquardt with dz/dp = -J^-1 dh/dp within bounds;
// the phase of every data set is found along the way unless fixed. Starts from p. PL_UNSOLVED: not
// converged, the best found is in *out (NULL when there is no motion at the start). Data that
// cannot serve (fewer samples than coefficients, all at the same phases, not finite) are
// PL_E_INPUT. keeper NULL: it is not kept on its way.
pl_status pl_fit_damping(const pl_fit_damping_opts *o, const pl_model *m, const pl_params *p,
                         pl_work *w, int nparameter, const int *parameter, int ndata,
                         const pl_fit_data *data, const pl_keeper *keeper, pl_fit **out);
void pl_fit_free(pl_fit *f);

// ---- free decay -------------------------------------------------------------------------------

// One term A exp(-d t) cos(omega t + phase) of a record; omega 0: it does not swing.
typedef struct pl_decay_mode {
  double omega, decay;     // rad/s, 1/s; decay < 0: it grows
  double amplitude, phase; // at the first sample, in units of the record; rad
  double energy;           // sum of squares over the record, over that of the strongest
} pl_decay_mode;

// What makes a record useless; PL_DECAY_GOOD: nothing.
typedef enum pl_decay_fault {
  PL_DECAY_GOOD,
  PL_DECAY_SHORT,   // fewer than PL_DECAY_LEAST samples
  PL_DECAY_STILL,   // all samples are the same
  PL_DECAY_NOISE,   // nothing in it swings, or what does explains less than half of it
  PL_DECAY_PERIODS, // fewer than two periods of the first mode
  PL_DECAY_STEADY,  // the first mode loses less than 1 % over the record
  PL_DECAY_GROWS
} pl_decay_fault;

enum { PL_DECAY_MODES = 12, PL_DECAY_LEAST = 12 };
typedef struct pl_decay {
  pl_decay_fault fault;
  int n, nterm; // terms that swing, which come first, by frequency; all terms
  pl_decay_mode mode[2 * PL_DECAY_MODES];
  int first;         // the lowest that has a hundredth of the strongest one's energy or more
  double offset;     // constant part
  double rms, error; // root mean square of the record about the constant, and of what is left
  double overlap;    // energy of those that swing over the record's; large: they cancel each other
  double span;       // s from the first sample to the last one that is used
} pl_decay;
// Splits n samples y, a time `step` apart, into damped vibrations and a constant (harmonic
// inversion by the matrix pencil method). Returns PL_OK also where the record is useless: see
// out->fault.
pl_status pl_decay_find(pl_env *env, int n, double step, const double *y, pl_decay *out);
// The sum of what was found, at a time from the first sample on.
double pl_decay_value(const pl_decay *d, double t);

PL_DECLS_END

#endif
