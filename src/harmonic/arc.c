// From one motion to another along the curve between them, through folds: in frequency, or in the
// strength of drives and loads.
#include "curve_impl.h"

#include <string.h>

enum { ARC_POINTS = 200 };
static const double FIRST_STEP = 0.35, MAX_STEP = 0.5, MIN_STEP = 1e-5;

static pl_status start(continuation *k, const pl_orbit *o, double from, double to) {
  curve_point *s = &k->at;
  memcpy(s->z, o->z, (size_t)k->n * sizeof(double));
  s->omega = from;
  PL_TRY(cont_correct(k, s, NULL, 0, 0));
  PL_TRY(cont_tangent(k, s, NULL, 0));
  if (to < from) {
    for (int i = 0; i < k->n; i++) s->tz[i] = -s->tz[i];
    s->tw = -s->tw;
  }
  // a body at rest is measured by what the tangent promises
  cont_metric(k, k->by && from == 0 ? cont_size(k, s->tz) / s->tw : 0);
  k->ds = FIRST_STEP;
  return PL_OK;
}

static pl_status go(continuation *k, double to, pl_orbit *o) {
  for (int i = 0; i < ARC_POINTS; i++) {
    double ahead = (to - k->at.omega) / k->at.tw;
    if (ahead > 0 && ahead <= k->ds && cont_land(k, to) == PL_OK) {
      memcpy(o->z, k->next.z, (size_t)k->n * sizeof(double));
      return PL_OK;
    }
    if (ahead > 0 && ahead <= k->ds) k->ds = 0.5 * ahead;
    PL_TRY(cont_step(k, MIN_STEP));
    double a = k->at.omega, b = k->next.omega;
    if ((a < to) != (b < to)) {
      PL_TRY(cont_at_omega(k, &k->at, &k->next, to, &k->last));
      memcpy(o->z, k->last.z, (size_t)k->n * sizeof(double));
      return PL_OK;
    }
    cont_pace(k, MAX_STEP);
    cont_shift(k);
    cont_metric(k, 0);
  }
  return PL_UNSOLVED;
}

static pl_status run(continuation *k, pl_orbit *o, double from, double to) {
  k->sw = fabs(to - from);
  PL_TRY(start(k, o, from, to));
  return go(k, to, o);
}

pl_status arc_follow(const arc *a, pl_orbit *o, double from, double to, pl_periodic_info *info) {
  continuation k = {
      .env = a->w->env, .m = a->m, .p = a->p, .w = a->w, .nsample = a->nsample, .sub = 1};
  k.rtol = a->rtol;
  k.max_iter = a->max_iter;
  k.fixed = o->omega;
  k.loose = 1;
  pl_status s = cont_open(&k, o->nharm);
  if (s == PL_OK && a->par) s = strength_create(k.hb, a->p, a->par, &k.by);
  if (s == PL_OK) s = run(&k, o, from, to);
  strength_free(k.by);
  cont_close(&k);
  info->iterations += k.iterations;
  info->factorisations += k.factorisations;
  info->krylov += k.krylov;
  return s == PL_DOMAIN || s == PL_SINGULAR ? PL_UNSOLVED : s;
}
