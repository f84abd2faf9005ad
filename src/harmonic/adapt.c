// The number of harmonics along a curve: raised where the last ones weigh, lowered (small models)
// where they do not. A change must leave the curve and its direction as they are; where it does
// not, the way goes back to where it does.
#include "curve_impl.h"

#include <string.h>

enum {
  TEST_EVERY = 10, // points between tests of the number of harmonics
  SMALL_MODEL = 12,
  MOST = 24,
  MOST_SMALL = HARMONICS_MAX,
  LEAST = 3
};
static const double STRICT = 0.1;   // small models: tolerance over that of others
static const double SPARE = 0.05;   // a tail over the tolerance that is not needed
static const double SLIGHT = 0.03;  // a change of harmonics moves a point by less, in the metric
static const double SAME_WAY = 0.9; // and turns its tangent less: the cosine

int harmonics_small(int nfree) {
  return nfree <= SMALL_MODEL;
}

int harmonics_most(int nfree, int asked, int nsample) {
  int most = asked > 0 ? asked : harmonics_small(nfree) ? MOST_SMALL : MOST;
  return nsample > 0 && (nsample - 1) / 2 < most ? (nsample - 1) / 2 : most;
}

int harmonics_more(int nfree, int H, int most) {
  int by = harmonics_small(nfree) && H / 2 > 2 ? H / 2 : 2;
  return H + by < most ? H + by : most;
}

double harmonics_tolerance(int nfree, double adapt) {
  return harmonics_small(nfree) ? STRICT * adapt : adapt;
}

// ---- how much they weigh ----------------------------------------------------------------------

// size of the velocities in harmonics above H0: sum k^2 |z_k|^2
static double speed(const continuation *k, const double *z, int H0) {
  int L = 2 * k->H + 1;
  double sum = 0;
  for (int i = 0; i < k->nfree; i++)
    for (int h = H0 + 1; h <= k->H; h++) {
      const double *c = z + (size_t)i * (size_t)L + 2 * h - 1;
      sum += h * h * (c[0] * c[0] + c[1] * c[1]);
    }
  return sqrt(sum);
}

// part of the harmonics above H0 in the velocities
static double above(const continuation *k, const double *z, int H0) {
  double all = speed(k, z, 0);
  return all > 0 ? speed(k, z, H0) / all : 0;
}

// part of the last two harmonics
static double tail(const continuation *k, const double *z) {
  return above(k, z, k->H > 2 ? k->H - 2 : 1);
}

// the motion at next with H harmonics: how much it changes over its length; INFINITY: there is none
// near
static pl_status measure_change(const continuation *k, int H, double *change) {
  continuation t = {
      .env = k->env, .m = k->m, .p = k->p, .w = k->w, .nsample = k->nsample, .sub = k->sub};
  t.rtol = k->rtol;
  t.max_iter = k->max_iter;
  *change = INFINITY;
  pl_status st = cont_open(&t, H);
  if (st == PL_OK) {
    t.sz = k->sz;
    t.sw = k->sw;
    t.limit = 2;
    coef_refit(k->nfree, k->H, k->next.z, t.H, t.next.z);
    coef_refit(k->nfree, k->H, k->next.tz, t.H, t.at.tz);
    t.next.omega = k->next.omega;
    st = cont_correct(&t, &t.next, t.at.tz, k->next.tw, 0);
  }
  if (st == PL_OK) {
    coef_refit(k->nfree, k->H, k->next.z, t.H, t.at.z);
    double size = speed(&t, t.next.z, 0);
    pl_axpy(t.n, -1, t.next.z, t.at.z, t.at.z);
    *change = size > 0 ? speed(&t, t.at.z, 0) / size : 0;
  }
  cont_close(&t);
  return st < 0 || st == PL_CANCELLED ? st : PL_OK;
}

// ---- changing them ----------------------------------------------------------------------------

// Solves for k->at anew, as a start of the curve at its frequency, and its tangent along (cz, cw).
// PL_UNSOLVED: it is not slightly off what it was.
static pl_status settle(continuation *k, int start, const double *cz, double cw) {
  curve_point *a = &k->at;
  k->limit = SLIGHT;
  pl_status st = start ? cont_correct(k, a, NULL, 0, 0) : cont_correct(k, a, cz, cw, 0);
  k->limit = INFINITY;
  if (st == PL_OK) st = cont_tangent(k, a, cz, cw);
  if (st < 0 || st == PL_CANCELLED) return st;
  double size = sqrt(cont_dot(k, cz, cw, cz, cw));
  if (st != PL_OK || cont_dot(k, a->tz, a->tw, cz, cw) < SAME_WAY * size) return PL_UNSOLVED;
  return cont_measure(k, a, k->stability);
}

// k->at with the present harmonics along its tangent, which was found with others
static pl_status settle_here(continuation *k, int start) {
  double *cz = pl_alloc(k->env, (size_t)k->n, sizeof *cz), cw = k->at.tw;
  if (!cz) return PL_E_NOMEM;
  memcpy(cz, k->at.tz, (size_t)k->n * sizeof *cz);
  pl_status st = settle(k, start, cz, cw);
  pl_free(k->env, cz);
  return st;
}

// the same at point i of the curve, along the chord to the next one
static pl_status settle_back(continuation *k, const pl_curve *c, int i, int start) {
  const pl_orbit *o = c->point[i].orbit, *p = c->point[i + 1].orbit;
  double *cz = pl_alloc(k->env, 2 * (size_t)k->n, sizeof *cz), *z = cz + k->n;
  if (!cz) return PL_E_NOMEM;
  coef_refit(k->nfree, o->nharm, o->z, k->H, k->at.z);
  coef_refit(k->nfree, p->nharm, p->z, k->H, z);
  for (int j = 0; j < k->n; j++) cz[j] = z[j] - k->at.z[j];
  k->at.omega = o->omega;
  k->have_last = 0;
  pl_status st = settle(k, start, cz, p->omega - o->omega);
  pl_free(k->env, cz);
  return st;
}

// Goes over to H harmonics at the last point of the curve where that changes little; points after
// it are dropped.
static pl_status harmonics_set(continuation *k, pl_curve *c, int first, int H) {
  PL_TRY(cont_raise(k, H));
  k->ds *= 0.5;
  int i = c->npoint - 1;
  pl_status st = settle_here(k, i == first);
  for (int back = 1; st == PL_UNSOLVED && i > first; back *= 2) {
    i = i - back > first ? i - back : first;
    st = settle_back(k, c, i, i == first);
  }
  PL_TRY(st);
  curve_cut(c, i + 1);
  if (i == first) curve_point_copy(k, &k->first, &k->at);
  return curve_replace(c, k, &k->at);
}

// ---- along the curve --------------------------------------------------------------------------

pl_status harmonics_adapt(continuation *k, pl_curve *c, care *a, int *changed) {
  *changed = 0;
  if (a->fixed) return PL_OK;
  double weight = tail(k, k->next.z), change;
  int heavy = weight > 0.5 * a->tol && weight > 1.5 * a->cleared;
  if (k->H >= a->most) {
    a->left = fmax(a->left, weight);
    return PL_OK;
  }
  if (!heavy && ++a->since < TEST_EVERY) return PL_OK;
  int more = harmonics_more(k->nfree, k->H, a->most);
  a->since = 0;
  PL_TRY(measure_change(k, more, &change));
  k->next.change = isfinite(change) ? change : -1;
  a->cleared = weight;
  if (change <= a->tol) return PL_OK;
  a->cleared = 0;
  a->since = TEST_EVERY;
  a->wanted = more;
  *changed = 1;
  return harmonics_set(k, c, a->first, more);
}

pl_status harmonics_lower(continuation *k, pl_curve *c, care *a) {
  int H = k->H * 2 / 3;
  if (a->fixed || !harmonics_small(k->nfree) || H < a->least || H < LEAST) return PL_OK;
  if (c->npoint - 1 <= a->first || above(k, k->at.z, H - 1) > SPARE * a->tol) return PL_OK;
  double ds = k->ds;
  int H0 = k->H;
  PL_TRY(cont_raise(k, H));
  pl_status st = settle_here(k, 0);
  if (st == PL_UNSOLVED) {
    PL_TRY(cont_raise(k, H0));
    st = settle_here(k, 0);
  }
  k->ds = ds;
  a->since = 0;
  a->cleared = 0;
  return st;
}

// ---- what they leave out ----------------------------------------------------------------------

// part of the oscillating forces of a motion in harmonics beyond its own
static pl_status left_out(pl_hb *hb, const pl_orbit *o, double *z, double *part) {
  size_t L = (size_t)hb->f.L;
  coef_refit(o->nfree, o->nharm, o->z, hb->f.H, z);
  pl_status st = pl_hb_eval(hb, z, o->omega, PL_HB_RESIDUAL);
  *part = 0;
  if (st != PL_OK) return st < 0 || st == PL_CANCELLED ? st : PL_OK;
  for (size_t i = 0; i < (size_t)hb->n; i++)
    if (i % L > 2 * (size_t)o->nharm) *part = fmax(*part, fabs(hb->h[i]));
  if (hb->dynamic > 0) *part /= hb->dynamic;
  return PL_OK;
}

pl_status harmonics_truncation(const pl_model *m, const pl_params *p, pl_work *w, pl_curve *c) {
  enum { LOOKS = 24 };
  pl_status st = PL_OK;
  pl_hb *hb = NULL;
  double *z = NULL;
  int step = c->npoint / LOOKS + 1;
  for (int i = 0; st == PL_OK && i < c->npoint; i += step) {
    const pl_orbit *o = c->point[i].orbit;
    int H = harmonics_small(o->nfree) ? 2 * o->nharm + 1 : o->nharm + 2;
    if (H > HARMONICS_MAX) H = HARMONICS_MAX;
    if (H <= o->nharm) continue;
    if (!hb || hb->f.H != H || hb->sub != c->point[i].subharmonic) {
      pl_hb_free(hb);
      pl_free(w->env, z);
      hb = NULL;
      z = NULL;
      st = hb_create_sub(m, p, w, H, 0, c->point[i].subharmonic, &hb);
      if (st == PL_OK) z = pl_alloc(w->env, (size_t)hb->n, sizeof *z);
      if (st == PL_OK && !z) st = PL_E_NOMEM;
    }
    double part = 0;
    if (st == PL_OK) st = left_out(hb, o, z, &part);
    if (st != PL_OK || part <= c->truncation) continue;
    c->truncation = part;
    c->truncation_omega = o->omega * c->point[i].subharmonic;
  }
  pl_free(w->env, z);
  pl_hb_free(hb);
  return st;
}
