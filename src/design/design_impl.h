#ifndef DESIGN_IMPL_H
#define DESIGN_IMPL_H

#include "pliant/design.h"
#include "pliant/math.h"

// ---- keys of objectives -------------------------------------------------------------------------

#define KEY_ROW_X(type_, field, name_, value_, lo_, hi_, unit_, text_)                             \
  {                                                                                                \
    .name = name_, .type = PL_OPT_KIND_##type_, .offset = offsetof(pl_objective, field),           \
    .value = value_, .lo = lo_, .hi = hi_, .unit = unit_, .text = text_                            \
  }
#define KEY_ROW_C(field, value_, choices_, text_)                                                  \
  {                                                                                                \
    .name = #field, .type = PL_OPT_CHOICE, .offset = offsetof(pl_objective, field),                \
    .value = value_, .unit = "", .text = text_, .choices = choices_                                \
  }
// those that several kinds have
#define KEY_FROM                                                                                   \
  KEY_ROW_X(double, from, "from", 0, 0, 1e9, "rad/s",                                              \
            "begin of the window that counts, or in which a peak or fold lies at the start (left " \
            "out: half of the target)")
#define KEY_TO                                                                                     \
  KEY_ROW_X(double, to, "to", 0, 0, 1e9, "rad/s",                                                  \
            "end of the window (of a peak or fold, left out: twice the target)")
#define KEY_MEASURE                                                                                \
  KEY_ROW_C(measure, 0, "path|max|rms|harmonic",                                                   \
            "path length over a period, largest deviation from the mean, root mean square, or "    \
            "amplitude of a harmonic")
#define KEY_HARMONIC                                                                               \
  KEY_ROW_X(int, harmonic, "harmonic", 1, 1, 64, "",                                               \
            "which one: of the measure harmonic, of the force, of the motion")
#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

typedef enum solution_kind { SOLUTION_POINT, SOLUTION_PEAK, SOLUTION_FOLD } solution_kind;

// A motion that is followed: of an operating point, or the peak or fold of an objective.
typedef struct solution {
  solution_kind kind;
  int objective; // PEAK, FOLD
  pl_hb *hb;
  pl_bordered *b;
  pl_orbit *orbit;   // at the present values
  double *base;      // [n] at the values that were kept last
  double base_omega; // rad/s
  double *ray;       // [n] change of the motion along d->ray
  int have_ray;
  double *last, *prev; // [n] on the way to other values
  double last_omega, prev_omega;
  int linear;         // balance and border hold the Jacobian at the present motion
  double *bordering;  // FOLD: [2][n] border that makes J regular
  pl_measure measure; // PEAK
} solution;

typedef struct variable {
  pl_variable_kind kind;
  int index;
  char *name;
  const char *unit;
  double lo, hi; // bounds
  int log;       // u = log x, else u = x / scale
  double scale;
  double x0; // value that belongs to the values given
} variable;

// An objective with what it refers to at the start.
typedef struct objective {
  pl_objective o;           // name, nodes and coefficients are owned
  int solution;             // -1: no motion
  double *ref;              // [nnode] or [1] quantities at the start
  void *own;                // of its kind
  pl_objective_kind filled; // a kind that is a function of motions, with all that it leaves open
} objective;

struct pl_design {
  pl_env *env;
  pl_optimise_opts o;
  const pl_model *m;
  const pl_params *from; // as given
  pl_params *p;          // its own
  pl_work *w;
  int nvar, npoint, nsolution, nobj;
  int squares; // all objectives are targets: a sum of squares of residuals, see squares.c
  variable *var;
  objective *obj;
  solution *solution;        // operating points first
  pl_directions *directions; // [nvar], none for frequencies
  double *omega;             // [npoint]
  double *x, *base;          // [nvar] values now, and those kept last
  double *ray;               // [nvar] direction in scaled variables to which the sites' rays belong
  int H, n;                  // harmonics, coefficients of a motion
  double *dz, *f, *guess, *path; // [n] scratch
  double lost;                   // part of the last way at which motions were lost, and beyond
  double *hint;                  // [nvar] step in scaled variables up to which the last way led
  int have_hint;
  int newton, factorisations, regularised;
};

// ---- variables: variables.c ---------------------------------------------------------------------

pl_status variables_open(pl_design *d, const pl_design_problem *problem);
void variables_close(pl_design *d);
// Sets p, frequencies and x; PL_DOMAIN: an element becomes degenerate.
pl_status variables_set(pl_design *d, const double *x);
double to_scaled(const variable *v, double x);
double from_scaled(const variable *v, double u);
double scaled_slope(const variable *v, double x); // dx/du

// ---- motions: solution.c ------------------------------------------------------------------------

pl_status solution_open(pl_design *d, solution *s, const pl_orbit *orbit);
void solution_close(pl_design *d, solution *s);
// Goes from the values kept last to x; not kept yet. PL_UNSOLVED: back at those values, d->lost
// says how far to go next time. patient: on a way of as many steps as it takes; else a few are
// tried.
pl_status solutions_move(pl_design *d, const double *x, int patient);
// Back to what was kept; what is there now is kept.
pl_status solutions_restore(pl_design *d);
void solutions_keep(pl_design *d);
// Jacobian of a site at its motion, ready for solves.
pl_status solution_linearise(pl_design *d, solution *s);
// The same for all operating points, so that motions can be predicted from there; a Jacobian that
// does not serve is no error.
pl_status solutions_linearise(pl_design *d);
// x = J^-1 f or J^-T f; a singular J is regularised.
pl_status solution_solve(pl_design *d, solution *s, int transposed, const double *f, double *x);
// z' = S dx at a site that is linear, also by the frequency.
pl_status solution_along(pl_design *d, solution *s, const double *dx, double *dz);
// grad[nvar] -= lambda' (dh/dp, dh/domega).
pl_status solution_adjoint(pl_design *d, solution *s, const double *lambda, double *grad);
// Newton's method at the frequency of a guess; regularised where J is near singular.
pl_status solution_newton(pl_design *d, solution *s, pl_orbit *o);
// Factorisations of all sites so far.
int solutions_factorisations(const pl_design *d);
// Largest oscillating coefficient.
double swing_of(const pl_orbit *o);

// ---- peaks and folds: track.c -----------------------------------------------------------------

// Finds the peak or fold of an objective in its window, for a site that has no motion yet.
pl_status track_find(pl_design *d, const pl_objective *o, pl_orbit **out);
// Solves for the peak or fold near the motion of a site, from a guess (start and result).
pl_status track_correct(pl_design *d, solution *s, pl_orbit *o);
// omega[nvar] = domega/dp and amplitude[nmeasure][nvar] = dA/dp of the peak (of s->measure, which
// is the one measure then) or fold at a site.
pl_status track_slopes(pl_design *d, solution *s, int nmeasure, const pl_measure *measure,
                       double *omega, double *amplitude);
// Options of a response over the window of an objective, with H harmonics (0: chosen).
pl_response_opts track_response(const pl_design *d, const pl_objective *o, int H);

// ---- largest peaks: height.c ------------------------------------------------------------------

// The largest value of the measure and its frequency, with their gradients.
pl_status height_peak(const pl_objective_at *at, double *value, double *grad, double *omega,
                      double *omega_grad);
// The frequency of the largest value when it is known (else 0), and its motion (may be NULL).
double height_place(const pl_design *d, const objective *o, const pl_orbit **orbit);

// ---- objectives: objective.c ------------------------------------------------------------------

pl_objective_at objective_at(pl_design *d, const objective *o);
// Value of an objective, and by times its derivatives added to gz[n] and gx[nvar] (both NULL: not
// wanted).
pl_status objective_value(pl_design *d, objective *o, double by, double *value, double *gz,
                          double *gx);
// Residuals whose squares make it up; 0: it is no sum of squares.
int objective_squares(pl_design *d, const objective *o);
// Those of quantities r[count] and their derivatives J[count][nvar].
pl_status objective_rows(pl_design *d, const objective *o, double *r, double *J);
// Values at the start that objectives refer to.
pl_status objective_begin(pl_design *d, objective *o);
pl_status objective_check(pl_design *d, const objective *o);
const char *objective_label(const pl_objective *o);

// measure.c: path length, or any measure, with by times its derivatives added to gz[n] and, through
// driven components, gx[nvar].
double objective_path(pl_design *d, const pl_orbit *o, int node, int mask, double by, double *gz,
                      double *gx);
double objective_measure(pl_design *d, const pl_orbit *o, const pl_measure *what, double by,
                         double *gz, double *gx);
// What variables do to a driven component, times g[2H + 1] by its coefficients.
void pull_drive(pl_design *d, int node, int c, int H, const double *g, double *gx);
int drive_samples(int H);
double to_freq(int a, int i, int N); // weight of sample i of N in coefficient a

// Weighted sum at the present design and its gradient by x (NULL: not wanted). design.c
pl_status design_value(pl_design *d, int k, double *value, double *grad);

// grad += S' gz by one transposed solution, eq. 24
pl_status design_adjoint(pl_design *d, solution *s, const double *gz, double *grad);

// ---- proof.c ----------------------------------------------------------------------------------

pl_proof proof_open(void);
// The checks of a motion, added to a proof. fine: the same motion with more harmonics (NULL: solved
// for at its frequency).
pl_status proof_of(const pl_proof_opts *o, const pl_model *m, const pl_params *p, pl_work *w,
                   const pl_orbit *orbit, const pl_orbit *fine, pl_proof *out);
void proof_warn(pl_proof *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// ---- squares.c --------------------------------------------------------------------------------

// 1: every objective is a target that is reached where residuals are zero.
int squares_suit(pl_design *d);
int squares_count(pl_design *d);
// r[nrow], whose squares sum up to the weighted value, and J[nrow][nvar] by x; the phases of
// trajectories have been eliminated from J.
pl_status squares_at(pl_design *d, double *r, double *J);
// p[n] within lo <= 0 <= hi that minimises g'p + p'Bp/2, B positive definite. room: n (n + 2).
void box_minimum(int n, const double *B, const double *g, const double *lo, const double *hi,
                 double *p, double *scratch);

// ---- lbfgsb.c ---------------------------------------------------------------------------------

// L-BFGS-B by reverse communication, all its memory in plain arrays.
typedef struct lbfgsb {
  int n, m;
  double *x, *l, *u, *g, *wa, dsave[29], f;
  int *nbd, *iwa, lsave[4], isave[44];
  char task[60], csave[60];
  int nwa;
} lbfgsb;
typedef enum lbfgsb_want { LBFGSB_EVALUATE, LBFGSB_ITERATED, LBFGSB_DONE } lbfgsb_want;
pl_status lbfgsb_open(pl_env *env, int n, int m, lbfgsb *b);
void lbfgsb_close(pl_env *env, lbfgsb *b);
void lbfgsb_start(lbfgsb *b);
lbfgsb_want lbfgsb_next(lbfgsb *b);

#endif
