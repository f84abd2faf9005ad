#ifndef CURVE_IMPL_H
#define CURVE_IMPL_H

#include "harmonic_impl.h"

enum {
  PROBES_MAX = 1024,  // probed nodes of one curve
  HARMONICS_MAX = 64, // of a balance
  CONT_WEIGHT = 3     // a step of one is so many times the motion's size
};

// A point of a curve while it is followed: the solution, its unit tangent and its measures.
typedef struct curve_point {
  double *z, omega;   // [n]
  double *tz, tw;     // [n] tangent, of length one in the metric of the continuation
  double *slope;      // [nprobe] derivative of the measures along the curve
  double *path;       // [nprobe] measures
  double error;       // residual above rounding over the dynamic forces
  double residual;    // all of it
  int iterations;     // Newton's
  double change;      // by two more harmonics, over the motion; -1: not measured
  double energy;      // backbones
  pl_floquet floquet; // n = 0: not computed
  int parity;         // of the real multipliers beyond +1, by the determinant; -1: not known
} curve_point;

// The strength of harmonic drives and loads: strength.c.
typedef struct strength strength;
// par: all parameters at strength one; those of p are changed.
pl_status strength_create(pl_hb *hb, pl_params *p, const double *par, strength **out);
void strength_free(strength *s);
pl_status strength_set(strength *s, double factor);
// out[n] = dh/dfactor at the strength set.
pl_status strength_column(strength *s, const double *z, double omega, double *out);

// Follows solutions (z, omega) of h(z, omega) = 0 by arclength in the metric
// |dz|^2 / sz^2 + domega^2 / sw^2.
typedef struct continuation {
  pl_env *env;
  const pl_model *m;
  const pl_params *p;
  pl_work *w;
  pl_hb *hb;
  pl_bordered *b;
  int n, nfree, H, nsample;
  int sub;      // periods of the drive in one of the motion
  int even;     // free motions that are even in time: sine coefficients are held at zero
  strength *by; // NULL: none; else points' omega is the strength of the drives, at the frequency
  double fixed; // rad/s
  double rtol;
  int loose; // a short last step will do, whatever the residual
  int max_iter;
  int stability;
  int nprobe;
  const pl_measure *probe;
  const pl_response_plan *plan; // NULL: nobody looks on
  const pl_curve *before;       // the curve from the other end of the range, NULL: none
  double sz, sw;                // metric
  double *dz, *row, *f, *z0;    // [n] scratch
  double *bend, bend_w;         // [n] by how much the last prediction was off
  double bend_z, bend_o;        // |dz| and domega of that step; 0: there is none
  double *bordering;            // [2][n] border that makes J regular where it is not
  double limit;                 // farthest that Newton may go from its start, in the metric
  double displaced;             // how far it went
  double missed;                // by how much the last prediction of a step was off, in the metric
  int careful;                  // half the way is looked at after every step
  curve_point last, at, next;   // the two points before, and the one under way
  curve_point mid;              // half the way of the last step that was looked at
  curve_point first;            // where the curve began
  int have_last;
  double ds;        // length of the next step
  int nend, ended;  // points at which the curve may end, and which one it was
  curve_point *end; // [nend]
  int *end_of;      // [nend] the caller's numbers
  int jumps;        // steps in which multipliers jumped over the unit circle
  int factorisations, krylov, iterations;
} continuation;

// ---- continuation: continue.c -----------------------------------------------------------------

// Builds balance, border and room for points with H harmonics.
pl_status cont_open(continuation *k, int H);
void cont_close(continuation *k);
// Exchanges the balance for one with H harmonics; points are cut or filled with zeros.
pl_status cont_raise(continuation *k, int H);
// Coefficients with H harmonics from those with H0.
void coef_refit(int nfree, int H0, const double *from, int H, double *to);
pl_status curve_point_create(const continuation *k, curve_point *s);
void curve_point_free(const continuation *k, curve_point *s);
void curve_point_copy(const continuation *k, curve_point *to, const curve_point *from);
// The orbit of a point, sharing its coefficients.
pl_orbit curve_point_orbit(const continuation *k, const curve_point *s);

double cont_dot(const continuation *k, const double *az, double aw, const double *bz, double bw);
// Size of the oscillating part of coefficients.
double cont_size(const continuation *k, const double *z);
double cont_distance(const continuation *k, const curve_point *a, const curve_point *b);
// Fits the metric to the motion at hand and makes tangents of length one.
void cont_metric(continuation *k, double floor);

// Newton's method to h = 0 on the plane through s across (cz, cw); cz NULL: at fixed frequency.
// fine: goes on to rounding. PL_UNSOLVED, PL_DOMAIN or PL_SINGULAR: s is the start.
pl_status cont_correct(continuation *k, curve_point *s, const double *cz, double cw, int fine);
// Unit tangent at a point that was just corrected, with a positive product with (cz, cw); cz NULL:
// omega grows.
pl_status cont_tangent(continuation *k, curve_point *s, const double *cz, double cw);
// Path lengths, their slopes and the multipliers of a corrected point with its tangent.
pl_status cont_measure(continuation *k, curve_point *s, int stability);
pl_status cont_floquet(continuation *k, const pl_orbit *o, pl_floquet *f);
// Fits the probe of cont_singular to a solution near which J may be singular.
pl_status cont_bordering(continuation *k, const curve_point *s);
// A smooth function of a solution that is zero where J is singular; null[n] is then the null
// vector. Leaves the balance evaluated at s.
pl_status cont_singular(continuation *k, const curve_point *s, double *null, double *value);
// ---- steps: step.c ----------------------------------------------------------------------------

// One step of at most k->ds into k->next, cut until it holds and half the way lies on the same
// curve; PL_UNSOLVED below min_step.
pl_status cont_step(continuation *k, double min_step);
// Predicts and corrects the point ahead at a given frequency (or strength) into k->next.
pl_status cont_land(continuation *k, double omega);
// Suggests the next step's length after an accepted one.
void cont_pace(continuation *k, double max_step);
// Moves on: next becomes the present point.
void cont_shift(continuation *k);

// ---- between points: continue.c ---------------------------------------------------------------

// A point between two points, at a part sigma of the way along their chord.
// fine: to rounding.
pl_status cont_between(continuation *k, const curve_point *a, const curve_point *b, double sigma,
                       int fine, curve_point *out);

// The point between two points at a given frequency that lies between theirs.
pl_status cont_at_omega(continuation *k, const curve_point *a, const curve_point *b, double omega,
                        curve_point *out);
// 1 when the way from at to next passes a point.
int cont_passes(const continuation *k, const curve_point *s);
// 1 when it passes the first point, in its direction.
int cont_closes(const continuation *k);

// ---- curve: curve.c ---------------------------------------------------------------------------

pl_status curve_create(pl_env *env, pl_curve **out);
pl_status curve_add(pl_curve *c, const continuation *k, const curve_point *s, int branch);
// Replaces the orbit of the last point.
pl_status curve_replace(pl_curve *c, const continuation *k, const curve_point *s);
// Drops all but the first n points, and special points after them.
void curve_cut(pl_curve *c, int n);
// The same curve told from its end.
void curve_reverse(pl_curve *c);
pl_status curve_add_special(pl_curve *c, const continuation *k, const curve_point *s,
                            pl_special_kind kind, int probe);

// ---- special points: special.c ----------------------------------------------------------------

// Finds the special points between k->at (the curve's last point) and k->next, in order.
pl_status special_find(continuation *k, pl_curve *c);
// The place between a and b where f changes sign, and its part of the way; PL_UNSOLVED when there
// is none. f reads a corrected point with tangent; below tol times its values at the ends it is
// zero.
typedef pl_status (*curve_point_fn)(continuation *k, void *ctx, curve_point *s, double *value);
pl_status special_refine(continuation *k, const curve_point *a, const curve_point *b,
                         curve_point_fn f, void *ctx, double tol, double fa, double fb,
                         curve_point *out, double *sigma);

// ---- harmonics: adapt.c -----------------------------------------------------------------------

// Small models get more harmonics, as they cost little: by default up to HARMONICS_MAX, in larger
// steps and with a stricter tolerance.
int harmonics_small(int nfree);
// The most harmonics, when `asked` says how many (0: does not) and there are so many samples (0:
// chosen).
int harmonics_most(int nfree, int asked, int nsample);
// The next number above H.
int harmonics_more(int nfree, int H, int most);
// The change of a motion by more harmonics that is small.
double harmonics_tolerance(int nfree, double adapt);

typedef struct care {
  int fixed;       // their number is
  int least, most; // harmonics
  double tol;
  int first;             // the curve's first point
  int since;             // points since the last test
  double cleared;        // tail that a test has found harmless
  double left;           // largest tail where no more were allowed
  int wanted;            // harmonics of the last raise
  int stuck;             // no point went over to them
  double start, largest; // sizes of the first and the largest motion
  int seen;              // points that those who look on know
} care;
// Tests the number of harmonics of k->next where the last ones weigh more than they did, and now
// and then. *changed: k->at, the curve's last point, is another one or has more; step again.
// PL_UNSOLVED: no point of the curve goes over to more harmonics.
pl_status harmonics_adapt(continuation *k, pl_curve *c, care *a, int *changed);
// Lowers the number at k->at where the last third does not weigh.
pl_status harmonics_lower(continuation *k, pl_curve *c, care *a);
// Measures c->truncation at some of the curve's points.
pl_status harmonics_truncation(const pl_model *m, const pl_params *p, pl_work *w, pl_curve *c);

// ---- going on later: trail.c ------------------------------------------------------------------

struct pl_trail {
  const continuation *k;      // NULL: damped backbones, whose numbers are their own
  const care *a;              // NULL: backbones
  const pl_curve *c, *before; // before: NULL, or the curve from the other end
  const double *own;          // [nown]
  size_t nown;
};
// 1 when the trail is one from the far end of the range.
int trail_reversed(size_t n, const double *x);
// Opens the continuation and fills all of them; before and a may be NULL.
pl_status trail_unpack(size_t n, const double *x, continuation *k, care *a, pl_curve *c,
                       pl_curve *before);
// The same of a damped backbone: own[nown].
pl_status trail_unpack_own(size_t n, const double *x, const pl_model *m, size_t nown, double *own,
                           pl_curve *c);

// ---- from motion to motion: arc.c -------------------------------------------------------------

typedef struct arc {
  const pl_model *m;
  pl_params *p; // its drives are scaled
  pl_work *w;
  int nsample, max_iter;
  double rtol;
  const double *par; // parameters at full strength: strength is followed; NULL: frequency
} arc;
// Follows a motion from one value to another and replaces it. PL_UNSOLVED: the curve does not get
// there; the motion and the parameters are then somewhere on the way.
pl_status arc_follow(const arc *a, pl_orbit *o, double from, double to, pl_periodic_info *info);

// ---- motions to choose from: choose.c ---------------------------------------------------------

// The motion that o->branch asks for, with a few harmonics, and how many there are.
pl_status branch_choose(const pl_periodic_opts *o, const pl_model *m, const pl_params *p,
                        pl_work *w, pl_orbit **out, int *count);

// ---- drivers: response.c, branch.c ------------------------------------------------------------

typedef struct range {
  double from, to; // rad/s of the drive
} range;
// Steps until the curve leaves the range, closes or fails.
pl_status response_follow(continuation *k, const pl_response_opts *o, pl_curve *c, range r, care *a,
                          int branch);
// Follows the branches that leave the curve at its branch points and period doublings.
pl_status branch_follow_all(continuation *k, const pl_response_opts *o, pl_curve *c, range r);

// ---- backbones: backbone.c, damped ones: epmc.c -------------------------------------------------

// What both kinds begin with: the model without drives, its equilibrium and a linear mode.
typedef struct backbone_base {
  pl_env *env;
  const pl_model *m;
  pl_params *p; // a copy
  pl_work *w;
  int nprobe;
  const int *probe;
  pl_state *s;           // the equilibrium, then scratch
  double potential;      // at the equilibrium
  double omega0, *shape; // [nq] the mode, of unit mass
} backbone_base;
pl_status backbone_params(backbone_base *b, const pl_params *p, int damped);
pl_status backbone_mode(backbone_base *b, int mode);
void backbone_close(backbone_base *b);
// Energy of a motion beyond that of the equilibrium, J; largest deviation of probed nodes, m.
pl_status backbone_energy(backbone_base *b, const pl_orbit *o, double *energy);
double backbone_amplitude(const backbone_base *b, const pl_orbit *o);
// Who looks on sees the points so far.
pl_status backbone_look(const pl_backbone_plan *plan, const pl_trail *t, int last);
pl_status backbone_damped(const pl_backbone_opts *o, const pl_model *m, const pl_params *p,
                          pl_work *w, const pl_backbone_plan *plan, pl_curve *c);

#endif
