// All steady motions at one frequency that the curve in the strength of drives and loads, from rest
// on, passes at full strength; and the one that is asked for.
#include "curve_impl.h"

#include <string.h>

enum { MOTIONS = 32, STEPS = 4000, FEW = 5 };
static const double MAX_STEP = 0.08, MIN_STEP = 1e-7;
static const double TOP = 4; // strength beyond which no further motion is looked for

typedef struct motions {
  int n;
  pl_orbit *orbit[MOTIONS]; // by size, smallest first
  double size[MOTIONS];
} motions;

// largest deviation of a coordinate from its mean
static double amplitude_of(const pl_model *m, const pl_params *p, const pl_orbit *o) {
  double most = 0;
  for (int node = 0; node < pl_model_nnode(m); node++)
    for (int axis = 0; axis < pl_model_dim(m); axis++)
      most = fmax(most, pl_orbit_max(m, p, o, node, axis, NULL));
  return most;
}

static void close_motions(motions *a) {
  for (int i = 0; i < a->n; i++) pl_orbit_free(a->orbit[i]);
}

static pl_status add_motion(continuation *k, const curve_point *s, motions *a) {
  if (a->n == MOTIONS) return PL_OK;
  pl_orbit o = curve_point_orbit(k, s);
  o.omega = k->fixed;
  int i = a->n;
  PL_TRY(pl_orbit_copy(&o, k->H, &a->orbit[i]));
  pl_orbit *new = a->orbit[i];
  double size = pl_orbit_size(k->m, new);
  for (; i > 0 && a->size[i - 1] > size; i--) {
    a->orbit[i] = a->orbit[i - 1];
    a->size[i] = a->size[i - 1];
  }
  a->orbit[i] = new;
  a->size[i] = size;
  a->n++;
  return PL_OK;
}

static pl_status start(continuation *k, const pl_state *rest) {
  pl_orbit o = curve_point_orbit(k, &k->at);
  start_from_state(k->hb, rest, &o);
  k->at.omega = 0;
  k->sw = 1;
  PL_TRY(cont_correct(k, &k->at, NULL, 0, 0));
  PL_TRY(cont_tangent(k, &k->at, NULL, 0));
  // a body at rest is measured by what the tangent promises
  cont_metric(k, cont_size(k, k->at.tz) / k->at.tw);
  k->ds = 0.1 * MAX_STEP;
  return PL_OK;
}

static pl_status follow(continuation *k, motions *a) {
  for (int i = 0; i < STEPS && k->at.omega < TOP && k->at.omega > -0.1; i++) {
    PL_TRY(pl_report_progress(k->env, "motions", fmin(1, fabs(k->at.omega) / TOP), NULL));
    pl_status st = cont_step(k, MIN_STEP);
    // what was found so far is worth something
    if (st == PL_UNSOLVED && a->n > 0) return PL_OK;
    PL_TRY(st);
    if ((k->at.omega < 1) != (k->next.omega < 1)) {
      st = cont_at_omega(k, &k->at, &k->next, 1, &k->mid);
      if (st == PL_OK) st = add_motion(k, &k->mid, a);
      if (st < 0 || st == PL_CANCELLED) return st;
    }
    cont_pace(k, MAX_STEP);
    cont_shift(k);
    cont_metric(k, 0);
  }
  return a->n > 0 ? PL_OK : PL_UNSOLVED;
}

static pl_status collect(const pl_periodic_opts *o, const pl_model *m, pl_params *p, pl_work *w,
                         const double *par, motions *a) {
  int top = pl_model_max_harmonic(m), few = harmonics_small(pl_model_nfree(m)) ? 3 * FEW : FEW;
  int most = harmonics_most(pl_model_nfree(m), o->max_harmonics, o->samples);
  int H = o->harmonics > 0 ? o->harmonics : top > few ? top : few < most ? few : most;
  continuation k = {.env = w->env, .m = m, .p = p, .w = w, .nsample = o->samples, .sub = 1};
  pl_state *rest = NULL;
  k.rtol = o->rtol;
  k.max_iter = 12;
  k.fixed = o->frequency;
  k.careful = 1;
  PL_TRY(start_static(m, p, w, &rest, NULL));
  pl_status st = cont_open(&k, H);
  if (st == PL_OK) st = strength_create(k.hb, p, par, &k.by);
  if (st == PL_OK) st = start(&k, rest);
  if (st == PL_OK) st = follow(&k, a);
  strength_free(k.by);
  cont_close(&k);
  pl_state_free(m, rest);
  return st == PL_DOMAIN || st == PL_SINGULAR ? PL_UNSOLVED : st;
}

static pl_status check_number(const pl_periodic_opts *o, pl_env *env, int n) {
  int number = o->branch - PL_BRANCH_FIRST + 1;
  if (number <= n) return PL_OK;
  return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0,
                    n > 1 ? "write a smaller number, or upper for the largest"
                          : "write branch: 1, or leave it out",
                    "periodic: there is no motion of number %d at %.6g rad/s: %d %s found, by the "
                    "strength of drives and loads from rest on",
                    number, o->frequency, n, pl_plural(n, "was", "were"));
}

static int choose(const pl_periodic_opts *o, const pl_model *m, const pl_params *p,
                  const motions *a) {
  int best = 0;
  if (o->branch >= PL_BRANCH_FIRST) return o->branch - PL_BRANCH_FIRST;
  if (o->branch == PL_BRANCH_UPPER) return a->n - 1;
  if (o->branch == PL_BRANCH_MIDDLE) return a->n / 2;
  for (int i = 1; o->branch == PL_BRANCH_NEAR && i < a->n; i++)
    if (fabs(amplitude_of(m, p, a->orbit[i]) - o->near) <
        fabs(amplitude_of(m, p, a->orbit[best]) - o->near))
      best = i;
  return best;
}

pl_status branch_choose(const pl_periodic_opts *o, const pl_model *m, const pl_params *p,
                        pl_work *w, pl_orbit **out, int *count) {
  motions a = {0};
  pl_params view; // its drives grow along the curve
  *out = NULL;
  PL_TRY(pl_params_view(p, &view));
  pl_status st = collect(o, m, &view, w, p->par, &a);
  pl_params_view_free(&view);
  *count = a.n;
  if (st == PL_OK) st = check_number(o, w->env, a.n);
  if (st == PL_OK) {
    int i = choose(o, m, p, &a);
    *out = a.orbit[i];
    a.orbit[i] = NULL;
  }
  close_motions(&a);
  return st;
}
