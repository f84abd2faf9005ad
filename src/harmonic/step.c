// Steps along a curve: prediction to second order, correction on the plane across the tangent, and
// what tells that the way led to another curve.
#include "curve_impl.h"

#include <string.h>

static const double ANGLE_MOST = 0.5; // between successive tangents, rad
static const double ANGLE_GOOD = 0.2;
static const double FAR = 0.4; // correction over step that smells of another branch
static const double ITERATIONS_GOOD = 4;
// forces with kinks make corners of the curve, which shorter steps do not straighten: what short
// steps may turn and miss
enum { CORNER_TRIES = 4 };
static const double CORNER_ANGLE = 1.3, CORNER_FAR = 3, CORNER_STEP = 1e-3;
// steps over corners at fixed frequency: parts of it, and how far motions may be apart
static const double LEAP_FIRST = 1e-7, LEAP_LAST = 2e-3, LEAP_FAR = 0.02;
static const double MISS_GOOD = 3e-3; // what a prediction misses, in the metric: a third of a
                                      // hundredth of the motion
static const double JOIN = 0.03;      // how far half the way may lie off the cubic, over the step
static const double SURE_MISS = 0.05, SURE_ANGLE = 0.15; // less needs no look at half the way

// what the last prediction missed, across the tangent of this one, in the measure of its step
static void fit_bend(continuation *k) {
  const curve_point *a = &k->at;
  double bz = k->bend_z / k->sz, bw = k->bend_o / k->sw, d2 = bz * bz + bw * bw;
  double c = k->have_last && d2 > 0 ? fmin(4, k->ds * k->ds / d2) : 0;
  double along = cont_dot(k, a->tz, a->tw, k->bend, k->bend_w);
  for (int i = 0; i < k->n; i++) k->bend[i] = c * (k->bend[i] - along * a->tz[i]);
  k->bend_w = c * (k->bend_w - along * a->tw);
  k->bend_z = k->ds * pl_norm(k->n, a->tz);
  k->bend_o = k->ds * a->tw;
}

// along the tangent, stiff elements turning, and off it as the last step was
static pl_status predict(continuation *k) {
  const curve_point *a = &k->at;
  curve_point *x = &k->next;
  fit_bend(k);
  x->omega = a->omega + k->ds * a->tw + k->bend_w;
  if (k->by) {
    PL_TRY(strength_set(k->by, a->omega));
    PL_TRY(strength_set(k->by, x->omega));
  }
  for (int i = 0; i < k->n; i++) k->dz[i] = k->ds * a->tz[i];
  hb_mixed(k->hb, a->z, k->dz);
  for (int i = 0; i < k->n; i++) k->dz[i] += k->bend[i];
  return hb_move(k->hb, a->z, k->dz, x->z);
}

// remembers what the prediction of k->next, from which Newton's method began, has missed
static void note_bend(continuation *k, double omega0) {
  for (int i = 0; i < k->n; i++) k->bend[i] += k->next.z[i] - k->z0[i];
  k->bend_w += k->next.omega - omega0;
}

static double angle_of(const continuation *k, const curve_point *a, const curve_point *b) {
  double c = cont_dot(k, a->tz, a->tw, b->tz, b->tw);
  return acos(fmin(1, fmax(-1, c)));
}

// Half the way must lie on the cubic through both ends with their tangents and run along it: two
// curves that pass each other fail that. PL_UNSOLVED: they are not joined.
static pl_status check_joined(continuation *k) {
  int iterations = k->next.iterations;
  pl_status st = cont_between(k, &k->at, &k->next, 0.5, 0, &k->mid);
  if (st < 0 || st == PL_CANCELLED) return st;
  if (st != PL_OK) return PL_UNSOLVED;
  k->next.iterations = iterations;
  int on = k->displaced <= JOIN * cont_distance(k, &k->at, &k->next);
  int along =
      angle_of(k, &k->at, &k->mid) <= ANGLE_MOST && angle_of(k, &k->mid, &k->next) <= ANGLE_MOST;
  return on && along ? PL_OK : PL_UNSOLVED;
}

// one trial of length k->ds; PL_UNSOLVED: it must be shorter
static pl_status try_step(continuation *k, int corner) {
  PL_TRY(predict(k));
  k->limit = (corner ? CORNER_FAR : FAR) * k->ds;
  double omega0 = k->next.omega;
  pl_status st = cont_correct(k, &k->next, k->at.tz, k->at.tw, 0);
  k->limit = INFINITY;
  k->missed = k->displaced;
  if (st != PL_OK) return st;
  note_bend(k, omega0);
  PL_TRY(cont_tangent(k, &k->next, k->at.tz, k->at.tw));
  double angle = angle_of(k, &k->at, &k->next);
  if (corner && angle <= CORNER_ANGLE) return PL_OK;
  if (angle > ANGLE_MOST) return PL_UNSOLVED;
  int sure = angle <= SURE_ANGLE && k->missed <= SURE_MISS * k->ds &&
             k->next.iterations <= ITERATIONS_GOOD;
  return sure && !k->careful ? PL_OK : check_joined(k);
}

// A corner at which the curve turns so far that the plane across its tangent misses it: the motion
// at a frequency a little further on.
static pl_status pass_corner(continuation *k) {
  int way = k->at.tw > 0 ? 1 : -1;
  for (double part = LEAP_FIRST; part <= LEAP_LAST; part *= 4) {
    curve_point_copy(k, &k->next, &k->at);
    k->next.omega *= 1 + way * part;
    if (k->by) PL_TRY(strength_set(k->by, k->next.omega));
    k->limit = LEAP_FAR;
    pl_status st = cont_correct(k, &k->next, NULL, 0, 0);
    k->limit = INFINITY;
    k->missed = k->displaced;
    if (st == PL_OK) st = cont_tangent(k, &k->next, NULL, 0);
    if (st < 0 || st == PL_CANCELLED) return st;
    if (st != PL_OK) continue;
    for (int i = 0; way < 0 && i < k->n; i++) k->next.tz[i] = -k->next.tz[i];
    k->next.tw *= way;
    memset(k->bend, 0, (size_t)k->n * sizeof *k->bend);
    k->bend_w = k->bend_z = k->bend_o = 0;
    k->ds = CORNER_STEP;
    return PL_OK;
  }
  return PL_UNSOLVED;
}

pl_status cont_step(continuation *k, double min_step) {
  for (int tries = 0; k->ds >= min_step; k->ds *= 0.5, tries++) {
    int corner = k->hb->pairs && (tries >= CORNER_TRIES || k->ds < CORNER_STEP);
    pl_status st = try_step(k, corner);
    if (st <= 0 || st == PL_CANCELLED) return st;
  }
  return k->hb->pairs ? pass_corner(k) : PL_UNSOLVED;
}

pl_status cont_land(continuation *k, double omega) {
  double keep = k->ds;
  k->ds = (omega - k->at.omega) / k->at.tw;
  pl_status st = predict(k);
  k->limit = FAR * k->ds;
  k->next.omega = omega;
  if (st == PL_OK && k->by) st = strength_set(k->by, omega);
  if (st == PL_OK) st = cont_correct(k, &k->next, NULL, 0, 0);
  k->limit = INFINITY;
  k->ds = keep;
  return st;
}

void cont_pace(continuation *k, double max_step) {
  double by = pow(2, (ITERATIONS_GOOD - k->next.iterations) / 3);
  double angle = angle_of(k, &k->at, &k->next);
  if (angle > 0) by = fmin(by, ANGLE_GOOD / angle);
  // predictions are of second order
  if (k->missed > 0) by = fmin(by, cbrt(MISS_GOOD / k->missed));
  k->ds = fmin(max_step, k->ds * fmin(2, fmax(0.5, by)));
}

void cont_shift(continuation *k) {
  curve_point t = k->last;
  k->last = k->at;
  k->at = k->next;
  k->next = t;
  k->have_last = 1;
}
