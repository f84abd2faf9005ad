// Branches that leave a curve: at a branch point along the null vector of J, at a period doubling
// along that of the doubled motion.
#include "curve_impl.h"

#include <string.h>

enum { SPECIAL_MAX = 1000, BRANCH_MAX = 16 };

// coefficients of a motion told as one of sub times the period: harmonic k becomes sub k
static void stretch(int nfree, int H0, const double *from, int sub, int H, double *to) {
  size_t L0 = 2 * (size_t)H0 + 1, L = 2 * (size_t)H + 1;
  memset(to, 0, (size_t)nfree * L * sizeof(double));
  for (size_t i = 0; i < (size_t)nfree; i++) {
    to[i * L] = from[i * L0];
    for (size_t h = 1; h <= (size_t)H0 && h * (size_t)sub <= (size_t)H; h++) {
      to[i * L + 2 * h * (size_t)sub - 1] = from[i * L0 + 2 * h - 1];
      to[i * L + 2 * h * (size_t)sub] = from[i * L0 + 2 * h];
    }
  }
}

static void place(continuation *t, const pl_special *s, curve_point *out) {
  stretch(t->nfree, s->orbit->nharm, s->orbit->z, t->sub, t->H, out->z);
  out->omega = s->orbit->omega / t->sub;
}

// the points at which other branches leave, where this one may end
static pl_status mark_ends(continuation *t, const pl_curve *c, int self) {
  t->end = pl_alloc(t->env, (size_t)c->nspecial, sizeof *t->end);
  t->end_of = pl_alloc(t->env, (size_t)c->nspecial, sizeof *t->end_of);
  if (!t->end || !t->end_of) return PL_E_NOMEM;
  for (int i = 0; i < c->nspecial; i++) {
    const pl_special *s = &c->special[i];
    if (i == self || s->kind != c->special[self].kind || s->orbit->sub > 1) continue;
    PL_TRY(curve_point_create(t, &t->end[t->nend]));
    t->end_of[t->nend] = i;
    place(t, s, &t->end[t->nend++]);
  }
  return PL_OK;
}

// the point of the branch a length ds off its root along the null vector
static pl_status leave(continuation *t, const curve_point *root, double ds, curve_point *out) {
  for (int i = 0; i < t->n; i++) out->z[i] = root->z[i] + ds * root->tz[i];
  out->omega = root->omega;
  t->limit = 0.5 * fabs(ds);
  pl_status st = cont_correct(t, out, root->tz, 0, 0);
  t->limit = INFINITY;
  if (st == PL_OK) st = cont_tangent(t, out, root->tz, 0);
  // away from the root, whichever side
  for (int i = 0; st == PL_OK && ds < 0 && i < t->n; i++) out->tz[i] = -out->tz[i];
  if (st == PL_OK && ds < 0) out->tw = -out->tw;
  return st;
}

static pl_status root_of(continuation *t, const pl_special *s) {
  curve_point *a = &t->at;
  double value;
  place(t, s, a);
  t->have_last = 0;
  PL_TRY(cont_bordering(t, a));
  PL_TRY(cont_singular(t, a, t->dz, &value));
  memcpy(a->tz, t->dz, (size_t)t->n * sizeof(double));
  a->tw = 0;
  cont_metric(t, 0);
  a->error = pl_hb_error(t->hb);
  a->residual = hb_residual_size(t->hb);
  a->iterations = 0;
  a->change = -1;
  PL_TRY(cont_measure(t, a, t->stability));
  curve_point_copy(t, &t->first, a);
  return PL_OK;
}

// one half of a branch, from its root on
static pl_status follow_half(continuation *t, const pl_response_opts *o, pl_curve *c, range r,
                             double ds, int branch) {
  curve_point_copy(t, &t->at, &t->first);
  t->have_last = 0;
  pl_status st = PL_UNSOLVED;
  for (; st != PL_OK && fabs(ds) > o->min_step; ds *= 0.5) {
    st = leave(t, &t->first, ds, &t->next);
    if (st < 0 || st == PL_CANCELLED) return st;
  }
  PL_TRY(st);
  PL_TRY(cont_measure(t, &t->next, t->stability));
  PL_TRY(curve_add(c, t, &t->at, branch));
  PL_TRY(curve_add(c, t, &t->next, branch));
  cont_shift(t);
  t->have_last = 0;
  cont_metric(t, 0);
  t->ds = fabs(ds);
  care a = {.fixed = 1, .first = c->npoint - 2};
  a.start = a.largest = cont_size(t, t->at.z);
  return response_follow(t, o, c, r, &a, branch);
}

// on one side of a pitchfork lies the mirror image of the other
static pl_status is_pitchfork(continuation *t, double ds, int *yes) {
  double shift[2];
  for (int i = 0; i < 2; i++) {
    pl_status st = leave(t, &t->first, i ? -ds : ds, &t->next);
    if (st < 0 || st == PL_CANCELLED) return st;
    if (st != PL_OK) return PL_OK;
    shift[i] = t->next.omega - t->first.omega;
  }
  *yes = shift[0] * shift[1] > 0;
  return PL_OK;
}

static pl_status follow_one(continuation *t, const pl_response_opts *o, pl_curve *c, range r,
                            int self, int *branch) {
  int H = c->special[self].orbit->nharm * t->sub, pitchfork = 1;
  PL_TRY(cont_open(t, H));
  t->sw = fabs(r.to - r.from) / t->sub;
  PL_TRY(mark_ends(t, c, self));
  PL_TRY(root_of(t, &c->special[self]));
  // short at first: another bifurcation may follow at once
  double ds = 0.05 * fmin(o->step, o->max_step);
  if (t->sub == 1) PL_TRY(is_pitchfork(t, ds, &pitchfork));
  PL_TRY(follow_half(t, o, c, r, ds, ++*branch));
  return pitchfork ? PL_OK : follow_half(t, o, c, r, -ds, ++*branch);
}

static void close_ends(continuation *t) {
  for (int i = 0; i < t->nend; i++) curve_point_free(t, &t->end[i]);
  pl_free(t->env, t->end);
  pl_free(t->env, t->end_of);
}

static pl_status follow_from(continuation *k, const pl_response_opts *o, pl_curve *c, range r,
                             int self, int *branch, char *done) {
  int sub = c->special[self].kind == PL_PERIOD_DOUBLING ? 2 : 1;
  pl_response_opts fixed = *o;
  fixed.harmonics = c->special[self].orbit->nharm * sub;
  continuation t = {.env = k->env, .m = k->m, .p = k->p, .w = k->w, .nsample = k->nsample * sub};
  t.sub = sub;
  t.rtol = k->rtol;
  t.max_iter = k->max_iter;
  t.stability = k->stability;
  t.nprobe = k->nprobe;
  t.probe = k->probe;
  t.careful = k->careful;
  t.plan = k->plan;
  t.ended = -1;
  pl_status st = follow_one(&t, &fixed, c, r, self, branch);
  if (t.ended >= 0) done[t.end_of[t.ended]] = 1;
  close_ends(&t);
  cont_close(&t);
  k->factorisations += t.factorisations;
  k->krylov += t.krylov;
  k->iterations += t.iterations;
  return st;
}

// why a branch has no end; npoint: points of the curve before it
static void report_end(const continuation *k, const pl_curve *c, const pl_special *s, int npoint) {
  const char *hint = "raise `harmonics`, or shorten `step`";
  const pl_curve_point *last = &c->point[c->npoint - 1];
  if (c->npoint == npoint)
    pl_report(k->env, PL_WARNING, NULL, 0, 0, hint,
              "response: no motion was found on the branch that leaves at %.8g rad/s", s->omega);
  else
    pl_report(k->env, PL_WARNING, NULL, 0, 0, c->reason == PL_STOP_POINTS ? "raise `points`" : hint,
              "response: the branch that leaves at %.8g rad/s ends at %.8g rad/s: %s", s->omega,
              last->subharmonic * last->orbit->omega, pl_stop_text(c->reason));
}

// the harmonics of a motion of twice the period are twice as many
static int has_capacity(const continuation *k, const pl_special *s) {
  int H = s->orbit->nharm * (s->kind == PL_PERIOD_DOUBLING ? 2 : 1);
  if (H > HARMONICS_MAX)
    pl_report(k->env, PL_WARNING, NULL, 0, 0, "set `harmonics` to 32 or less",
              "response: the branch that leaves at %.8g rad/s is not followed: with twice the "
              "period it takes %d harmonics, and %d are the most",
              s->omega, H, HARMONICS_MAX);
  return H <= HARMONICS_MAX;
}

pl_status branch_follow_all(continuation *k, const pl_response_opts *o, pl_curve *c, range r) {
  char done[SPECIAL_MAX] = {0};
  int branch = 0, left = 0;
  pl_status st = PL_OK;
  // branches of branches too, as their special points join the list
  for (int i = 0; st == PL_OK && i < c->nspecial && c->nspecial < SPECIAL_MAX; i++) {
    const pl_special *s = &c->special[i];
    int leaves = s->kind == PL_PERIOD_DOUBLING || s->kind == PL_BRANCH_POINT;
    if (!leaves || done[i] || s->orbit->sub > 1) continue;
    if (branch >= BRANCH_MAX) left++;
    if (branch >= BRANCH_MAX || !has_capacity(k, s)) continue;
    int npoint = c->npoint, before = branch;
    st = follow_from(k, o, c, r, i, &branch, done);
    if (st <= 0 || st == PL_CANCELLED) continue;
    report_end(k, c, &c->special[i], npoint);
    if (c->npoint == npoint) branch = before;
    st = PL_OK;
  }
  if (st == PL_OK && left > 0)
    pl_report(k->env, PL_WARNING, NULL, 0, 0, "narrow the range of frequencies",
              "response: %d branches are followed, %d more %s", branch, left,
              pl_plural(left, "leaves", "leave"));
  c->reason = st == PL_CANCELLED ? PL_STOP_CANCELLED : PL_STOP_END;
  return st;
}
