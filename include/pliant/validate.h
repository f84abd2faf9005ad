#ifndef PLIANT_VALIDATE_H
#define PLIANT_VALIDATE_H

#include "pliant/base.h"
#include "pliant/linkage.h"

PL_DECLS_BEGIN

// ---- master curves ----------------------------------------------------------------------------
//
// The four scaling laws of Romero et al., "Physical validation of simulators in Computer Graphics",
// ACM Trans. Graph. 40(4), 2021, computed from their governing equations for any Poisson ratio.

// Heavy elastica clamped level, Gamma = rho A g L^3 / (E I) (plates: Gamma* = rho h g L^3 / D):
// drop over reach of the tip, H/W. 0 <= Gamma <= 1e12.
pl_status pl_master_cantilever(pl_env *env, double gamma, double *h_over_w);

// Strip clamped upright and pressed on a plane by eps_y L: it slips once the force at its tip,
// normal P and tangential Q (in E I / L^2), has reached Q/P = mu. PL_E_ARG beyond the triple point.
pl_status pl_master_stick_slip(pl_env *env, double mu, double *eps_y, double *P, double *Q);
// The same curve the other way: Q/P and P of the strip pressed by eps_y, its tip held.
pl_status pl_master_stick_slip_at(pl_env *env, double eps_y, double *mu, double *P);
// The triple point that ends the curve: the tip's tangent lies in the plane.
pl_status pl_master_stick_slip_end(pl_env *env, double *eps_y, double *mu);

// Round rod that is a circle by nature, hanging from a clamp at one end: phi = L/R radians long,
// Gamma = rho A g L^3 / (E I). Frontier between flat and curly equilibria in the plane of
// X = cbrt(Gamma)/phi and turns = phi / 2 pi: rods above it are curly. -0.2 <= nu <= 0.5 (below,
// several flat shapes compete outside the frontier, too).
// Turns on the frontier at X; PL_E_ARG to the right of its end, where rods of any length are flat.
pl_status pl_master_bend_twist(pl_env *env, double nu, double x, double *turns);
// X on both branches for a number of turns, from the lowest point's up to 40.
pl_status pl_master_bend_twist_sides(pl_env *env, double nu, double turns, double *left,
                                     double *right);
// The lowest point of the frontier, and the X at which its right branch becomes vertical.
pl_status pl_master_bend_twist_lowest(pl_env *env, double nu, double *x, double *turns);
pl_status pl_master_bend_twist_limit(pl_env *env, double nu, double *x);

// The flat equilibrium of such a rod.
typedef struct pl_bend_twist {
  int nneg;      // negative eigenvalues of the energy out of the plane; 0: the rod is flat (2D)
  double lowest; // the lowest one, of rotations squared and integrated over s/L, in E I / L
  double tip;    // angle between the tip's tangent and the vertical (rad), turns counted
} pl_bend_twist;
// 0 <= Gamma <= 1e6, 0 < phi <= 800 pi.
pl_status pl_master_bend_twist_state(pl_env *env, double nu, double gamma, double phi,
                                     pl_bend_twist *out);

// Thin plate clamped along a vertical edge of length w, its own length L level, under its weight
// Gamma* = rho h g L^3 / D: the threshold of buckling out of its plane. 0 <= w/L <= 5, the first
// the limit of a narrow strip; -0.95 <= nu <= 0.5. Takes a good part of a second.
pl_status pl_master_lateral(pl_env *env, double nu, double w_over_l, double *gamma_c);

typedef enum pl_master_kind {
  PL_MASTER_CANTILEVER, // x: Gamma, y: H/W
  PL_MASTER_BEND_TWIST, // x: X, y: turns
  PL_MASTER_LATERAL,    // x: w/L, y: Gamma*
  PL_MASTER_STICK_SLIP, // x: eps_y, y: Q/P
  PL_MASTER_COUNT
} pl_master_kind;

// A plot's axes from x[0] to x[1] and y[0] to y[1]. Distances in a plot are parts of its sides.
typedef struct pl_box {
  double x[2], y[2];
  int logx, logy;
} pl_box;
extern const pl_box pl_master_box[PL_MASTER_COUNT]; // those of the paper's figures

// Straight pieces between n points.
typedef struct pl_polyline {
  int n;
  double *x, *y; // [n]
} pl_polyline;
void pl_polyline_free(pl_env *env, pl_polyline *p);

// The largest distance of n points from a curve in a plot. The paper accepts a code within 0.05.
pl_status pl_plot_distance(pl_env *env, const pl_box *box, int n, const double *x, const double *y,
                           const pl_polyline *curve, double *distance);

// ---- protocols --------------------------------------------------------------------------------
//
// The tests of section 4 of that paper, and three more, as one constant table: what is asked, the
// curve that is right, and the models that answer. A protocol or a model more is a row and a
// function.

enum { PL_TRIAL_VALUES = 4, PL_TRIAL_LABELS = 32 };

// On which side of a frontier a relaxed state was found: 1 beyond it (3D, slipping), else 0.
typedef struct pl_label {
  double x, y;
  int beyond;
} pl_label;

// One point of a protocol for one model. Numerical settings follow from the resolution alone.
typedef struct pl_trial {
  double x;       // the protocol's dimensionless parameter
  double nu;      // Poisson's ratio
  int resolution; // cells along the length
  int units;      // 0 or 1: one of two sets of physical dimensions, which must not matter
  int nlabel;     // filled by models that decide by labels
  pl_label label[PL_TRIAL_LABELS];
} pl_trial;

typedef enum pl_expect { PL_EXPECT_OK, PL_EXPECT_KO, PL_EXPECT_ANY } pl_expect;

typedef struct pl_protocol_model {
  const char *name, *text;
  int resolution, quick; // cells along the length, of full and of quick runs
  int least, most;       // resolutions that can be asked for
  pl_expect expect;      // negative controls must fail
  // value[nvalue] at a trial. PL_UNSOLVED, PL_DOMAIN, PL_SINGULAR: there is no answer.
  pl_status (*evaluate)(pl_env *env, const struct pl_protocol_model *m, pl_trial *t, double *value);
  int kind;         // for evaluate, where one function serves several models
  double judged[2]; // the x that it answers for, within the protocol's; 0 to 0: all of those
  int few;          // 1: takes long, so that full runs have the quick points only
  double nu_most;   // largest Poisson's ratio; 0: 0.5
  int nu_zero;      // 1: the curve is right for it at Poisson's ratio 0 only
} pl_protocol_model;

struct pl_sample;

typedef struct pl_protocol {
  const char *name, *text;
  int nvalue;
  const char *column[1 + 2 * PL_TRIAL_VALUES]; // names of x, values, master values
  const char *xlabel, *ylabel;
  double nu;        // Poisson's ratio unless told; NaN: it plays no part
  double lo, hi;    // of x
  double judged[2]; // the part of it where the bar counts
  double bar;       // largest error at a point
  int absolute;     // 1: errors are differences, 0: relative to the master curve
  double (*error)(const struct pl_sample *s); // of a sample with a master value; NULL: as above
  const pl_box *box;                          // of the plot; NULL: no figure of distance
  int logx, logy;                             // of the plot where there is no box
  int npoint, nquick;                         // points of full and of quick runs
  const double *point;                        // [npoint]
  const double *quick;                        // [nquick]
  int ncurve;                                 // points of the master curve in the plot, 0: no curve
  // PL_DOMAIN: the curve has no point there, and the bar does not count
  pl_status (*master)(pl_env *env, double nu, double x, double *value);
  int nmodel;
  const pl_protocol_model *model; // the first is the one to trust
} pl_protocol;
extern const pl_protocol *const pl_protocol_table[];
extern const int pl_protocol_count;

const pl_protocol *pl_protocol_find(const char *name); // NULL: none
const pl_protocol_model *pl_protocol_find_model(const pl_protocol *p, const char *name);

// ---- validation -------------------------------------------------------------------------------

typedef struct pl_validate_opts {
  const char *protocol; // NULL or "all": every one
  const char *model;    // NULL: all models of a protocol
  int resolution;       // 0: the models' own
  int quick;            // few points, coarse meshes
  int nat;              // points instead of the protocol's, 0: none
  const double *at;
  double nu;          // NaN: the protocols' own
  int threads;        // 0: as many as there are processors
  const char *folder; // for report.html, summary.json, plots and tables; NULL: none is written
} pl_validate_opts;

typedef enum pl_verdict {
  PL_VERDICT_NONE, // not judged: stopped before its end, or no point lies where the bar counts
  PL_VERDICT_OK,
  PL_VERDICT_KO
} pl_verdict;

typedef struct pl_sample {
  pl_trial trial;
  pl_status status; // PL_CANCELLED: not done
  double value[PL_TRIAL_VALUES], master[PL_TRIAL_VALUES];
  double error; // largest of the values', NaN when there is no answer
  double seconds;
  char note[96]; // why there is no answer
} pl_sample;

// A model in a protocol, as a row of the paper's table 1.
typedef struct pl_score {
  const pl_protocol *protocol;
  const pl_protocol_model *model;
  int resolution, nsample, nfailed; // failed: points without an answer where the bar counts
  pl_sample *sample;                // [nsample]
  int ncheck;
  pl_sample *check;    // [ncheck] once more, with finer meshes or in other units
  double worst, where; // largest error and its x, where the bar counts; NaN: none
  double distance;     // Hausdorff distance to the master curve over the plot's size, NaN: none
  double refined;      // largest error with cells half as long, NaN: not tried
  double growth;       // by how much an error grew from longer cells to half as long ones, at most
  double rescaled;     // change of values by other physical dimensions, NaN: not tried
  double seconds;      // spent by all threads
  pl_verdict verdict;
  int expected; // 0: this verdict is a surprise
} pl_score;

// The master curve of a protocol that was run.
typedef struct pl_master {
  const pl_protocol *protocol;
  int n, npoint;     // the first npoint are the points of the models, the others draw the curve
  pl_sample *sample; // [n] its values stand in value
} pl_master;

typedef struct pl_validation {
  pl_env *env;
  int quick, nsurprise, cancelled;
  int nscore, ncurve;
  pl_score *score;  // [nscore]
  pl_master *curve; // [ncurve]
  double seconds;
  char report[PL_TEXT], summary[PL_TEXT]; // paths of what was written, empty: nothing
} pl_validation;

// Runs protocols and judges. PL_E_ARG: an unknown name, or a number out of its range. PL_CANCELLED:
// stopped; *out holds (and the folder too) what there is. The caller frees *out with
// pl_validation_free.
pl_status pl_validate(pl_env *env, const pl_validate_opts *o, pl_validation **out);
void pl_validation_free(pl_validation *v);
// Tells all that a report has of it: words, tables of words, plots, and the points as tables.
struct pl_sink;
pl_status pl_validation_tell(const pl_validation *v, const struct pl_sink *sink);
// The table of scores for people, and all figures as JSON; appended to t.
void pl_validation_print(const pl_validation *v, pl_text *t);
pl_status pl_validation_json(const pl_validation *v, pl_text *t);
// The points of one score: columns as the protocol names them.
pl_status pl_score_write(pl_env *env, const pl_score *s, const char *path);

PL_DECLS_END

#endif
