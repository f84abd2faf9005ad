// Frequency response: start, steps, harmonics, ends.
#include "curve_impl.h"

#include <stdio.h>
#include <string.h>

enum { TEST_EVERY = 10 };          // points between tests of the number of harmonics
static const double UNBOUND = 1e8; // growth of a motion that nothing limits

// ---- harmonics --------------------------------------------------------------------------------

// size of the velocities in harmonics above H0: sum k^2 |z_k|^2
static double speed(const walk *k, const double *z, int H0) {
  int L = 2 * k->H + 1;
  double sum = 0;
  for (int i = 0; i < k->nfree; i++)
    for (int h = H0 + 1; h <= k->H; h++) {
      const double *c = z + (size_t)i * (size_t)L + 2 * h - 1;
      sum += h * h * (c[0] * c[0] + c[1] * c[1]);
    }
  return sqrt(sum);
}

// part of the last two harmonics in the velocities
static double tail(const walk *k, const double *z) {
  double all = speed(k, z, 0);
  return all > 0 ? speed(k, z, k->H > 2 ? k->H - 2 : 1) / all : 0;
}

// the motion at next with two more harmonics: how much it changes over its length
static pl_status measure_change(const walk *k, double *change) {
  walk t = {.env = k->env, .m = k->m, .p = k->p, .w = k->w, .nsample = k->nsample, .sub = k->sub};
  t.rtol = k->rtol;
  t.max_iter = k->max_iter;
  *change = -1;
  pl_status st = walk_open(&t, k->H + 2);
  if (st == PL_OK) {
    t.sz = k->sz;
    t.sw = k->sw;
    t.limit = 2;
    coef_refit(k->nfree, k->H, k->next.z, t.H, t.next.z);
    coef_refit(k->nfree, k->H, k->next.tz, t.H, t.at.tz);
    t.next.omega = k->next.omega;
    st = walk_correct(&t, &t.next, t.at.tz, k->next.tw, 0);
  }
  if (st == PL_OK) {
    coef_refit(k->nfree, k->H, k->next.z, t.H, t.at.z);
    double size = speed(&t, t.next.z, 0);
    pl_axpy(t.n, -1, t.next.z, t.at.z, t.at.z);
    *change = size > 0 ? speed(&t, t.at.z, 0) / size : 0;
  }
  walk_close(&t);
  return st < 0 || st == PL_CANCELLED ? st : PL_OK;
}

static pl_status resolve(walk *k, spot *s, const double *cz, double cw) {
  PL_TRY(walk_correct(k, s, s->tz, s->tw, 0));
  return walk_tangent(k, s, cz, cw);
}

// both ends of the segment with two more harmonics
static pl_status raise_harmonics(walk *k, pl_curve *c) {
  PL_TRY(walk_raise(k, k->H + 2));
  PL_TRY(resolve(k, &k->at, k->at.tz, k->at.tw));
  PL_TRY(resolve(k, &k->next, k->at.tz, k->at.tw));
  PL_TRY(walk_watch(k, &k->at, k->stability));
  return curve_replace(c, k, &k->at);
}

typedef struct care {
  int most;       // harmonics
  int since;      // points since the last test
  double cleared; // tail that a test has found harmless
} care;

// tests the number of harmonics where the last ones weigh more than they did, and now and then
static pl_status adapt(walk *k, const pl_response_opts *o, pl_curve *c, care *a) {
  if (o->harmonics > 0) return PL_OK;
  while (k->H + 2 <= a->most) {
    double weight = tail(k, k->next.z), change;
    int heavy = weight > 0.5 * o->adapt && weight > 1.5 * a->cleared;
    if (!heavy && ++a->since < TEST_EVERY) return PL_OK;
    a->since = 0;
    PL_TRY(measure_change(k, &change));
    k->next.change = change;
    a->cleared = weight;
    if (change <= o->adapt) return PL_OK;
    PL_TRY(raise_harmonics(k, c));
    a->cleared = 0;
    a->since = TEST_EVERY;
  }
  return PL_OK;
}

// ---- the curve --------------------------------------------------------------------------------

// frequency at which the step leaves the range, 0: it does not
static double leaves(const walk *k, range r) {
  double w = k->next.omega * k->sub, dir = r.to > r.from ? 1 : -1;
  if (dir * (w - r.to) >= 0) return r.to / k->sub;
  return dir * (w - r.from) < 0 ? r.from / k->sub : 0;
}

static pl_status tell(const walk *k, range r, const pl_curve *c) {
  char text[96];
  double w = k->at.omega * k->sub, part = (w - r.from) / (r.to - r.from);
  snprintf(text, sizeof text, "%.6g rad/s, point %d, %d harmonics", w, c->npoint, k->H);
  return pl_tell(k->env, "response", fmin(1, fmax(0, part)), text);
}

// the step meets a point at which the curve may end
static int meets_end(walk *k) {
  for (int i = 0; i < k->nend; i++) {
    if (!walk_passes(k, &k->end[i])) continue;
    memcpy(k->next.z, k->end[i].z, (size_t)k->n * sizeof(double));
    k->next.omega = k->end[i].omega;
    k->ended = i;
    return 1;
  }
  return 0;
}

// one more point of the curve; *end: the range is left or the curve closed
static pl_status advance(walk *k, const pl_response_opts *o, pl_curve *c, range r, care *a,
                         int branch, int *end) {
  PL_TRY(walk_step(k, o->min_step));
  double edge = leaves(k, r);
  if (edge > 0) {
    spot s;
    PL_TRY(spot_create(k, &s));
    pl_status st = walk_at_omega(k, &k->at, &k->next, edge, &s);
    if (st == PL_OK) spot_copy(k, &k->next, &s);
    spot_free(k, &s);
    PL_TRY(st);
  }
  int met = edge == 0 && meets_end(k);
  PL_TRY(adapt(k, o, c, a));
  PL_TRY(walk_watch(k, &k->next, k->stability));
  // the curve turns where it meets another, which is no fold of its own
  if (!met) PL_TRY(special_find(k, c));
  PL_TRY(curve_add(c, k, &k->next, branch));
  *end = edge > 0 || met;
  return PL_OK;
}

static pl_status check_growth(const walk *k, double start) {
  if (walk_size(k, k->at.z) <= UNBOUND * start) return PL_OK;
  return pl_fail_at(k->env, PL_E_INPUT, NULL, 0, 0, "give the model damping, or another range",
                    "response: the motion grows without bound near %.6g rad/s, an undamped "
                    "resonance",
                    k->at.omega * k->sub);
}

pl_status response_follow(walk *k, const pl_response_opts *o, pl_curve *c, range r, int branch) {
  care a = {.most = o->max_harmonics};
  if (o->samples > 0 && (o->samples - 1) / 2 < a.most) a.most = (o->samples - 1) / 2;
  double start = walk_size(k, k->at.z), largest = start;
  int first = c->npoint;
  for (int end = 0; !end;) {
    c->reason = PL_STOP_CANCELLED;
    PL_TRY(tell(k, r, c));
    c->reason = PL_STOP_MAX_ITER;
    if (c->npoint >= o->points) return PL_UNSOLVED;
    pl_status st = advance(k, o, c, r, &a, branch, &end);
    c->reason = st == PL_CANCELLED ? PL_STOP_CANCELLED : PL_STOP_STEP;
    if (st == PL_CANCELLED || st < 0) return st;
    // what failed beyond Newton's method may hold with a shorter step
    if (st != PL_OK) {
      k->ds *= 0.5;
      if (k->ds < o->min_step) return PL_UNSOLVED;
      continue;
    }
    if (!end && c->npoint - first > 2 && walk_closes(k)) end = c->closed = 1;
    walk_pace(k, o->max_step);
    walk_shift(k);
    largest = fmax(largest, walk_size(k, k->at.z));
    walk_metric(k, 1e-6 * largest);
    PL_TRY(check_growth(k, start));
  }
  c->reason = PL_STOP_END;
  return PL_OK;
}

// ---- start ------------------------------------------------------------------------------------

static pl_status check(const pl_response_opts *o, const pl_model *m, pl_env *env, int nwatch,
                       const int *watch) {
  PL_TRY(pl_opts_check(env, pl_response_info_table, pl_response_info_count, o));
  if (!(o->from > 0) || !(o->to > 0))
    return pl_fail(env, PL_E_INPUT, "response: %s must be a frequency above zero, got %g rad/s",
                   o->from > 0 ? "to" : "from", o->from > 0 ? o->to : o->from);
  if (o->from == o->to)
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "use the analysis periodic for one frequency",
                      "response: from and to are both %g rad/s", o->from);
  if (nwatch < 0 || nwatch > WATCH_MAX)
    return pl_fail(env, PL_E_ARG, "response: %d watched nodes, at most %d", nwatch, WATCH_MAX);
  for (int i = 0; i < nwatch; i++)
    if (watch[i] < 0 || watch[i] >= pl_model_nnode(m))
      return pl_fail(env, PL_E_ARG, "response: watched node %d of %d", watch[i], pl_model_nnode(m));
  return PL_OK;
}

// the motion at the first frequency
static pl_status find_start(const pl_response_opts *o, const pl_model *m, pl_params *p, pl_work *w,
                            const pl_orbit *orbit0, pl_curve *c, pl_orbit **orbit,
                            pl_periodic_info *info) {
  pl_periodic_opts po;
  pl_opts_default(pl_periodic_info_table, pl_periodic_info_count, &po);
  po.frequency = o->from;
  po.harmonics = o->harmonics;
  po.samples = o->samples;
  po.adapt = o->adapt;
  po.max_harmonics = o->max_harmonics;
  po.rtol = o->rtol;
  *info = (pl_periodic_info){.change = -1};
  if (orbit0) PL_TRY(pl_orbit_copy(orbit0, orbit0->nharm, orbit));
  pl_status st = pl_periodic(&po, m, p, w, orbit, info);
  c->reason = info->reason;
  c->start = info->start ? info->start : "";
  c->iterations += info->iterations;
  c->factorisations += info->factorisations;
  c->krylov += info->krylov;
  return st;
}

static pl_status first_point(walk *k, const pl_response_opts *o, const pl_orbit *orbit,
                             double change, pl_curve *c) {
  PL_TRY(walk_open(k, orbit->nharm));
  spot *s = &k->at;
  memcpy(s->z, orbit->z, (size_t)k->n * sizeof(double));
  s->omega = o->from;
  k->sw = fabs(o->to - o->from);
  k->sz = 1;
  PL_TRY(walk_correct(k, s, NULL, 0, 0));
  PL_TRY(walk_tangent(k, s, NULL, 0));
  // towards the far frequency
  if (o->to < o->from)
    for (int i = 0; i < k->n; i++) s->tz[i] = -s->tz[i];
  if (o->to < o->from) s->tw = -s->tw;
  walk_metric(k, 0);
  s->change = change;
  PL_TRY(walk_watch(k, s, k->stability));
  spot_copy(k, &k->first, s);
  k->ds = fmin(o->step, o->max_step);
  return curve_add(c, k, s, 0);
}

static pl_status run(const pl_response_opts *o, walk *k, const pl_orbit *orbit0, pl_curve *c) {
  pl_orbit *orbit = NULL;
  pl_periodic_info info;
  range r = {o->from, o->to};
  pl_status st = find_start(o, k->m, k->p, k->w, orbit0, c, &orbit, &info);
  if (st == PL_OK) st = first_point(k, o, orbit, info.change, c);
  pl_orbit_free(orbit);
  if (st == PL_OK) st = response_follow(k, o, c, r, 0);
  if (st == PL_OK && o->branches) st = branch_follow_all(k, o, c, r);
  return st == PL_DOMAIN || st == PL_SINGULAR ? PL_UNSOLVED : st;
}

pl_status pl_response(const pl_response_opts *o, const pl_model *m, pl_params *p, pl_work *w,
                      int nwatch, const int *watch, const pl_orbit *orbit0, pl_curve **out) {
  *out = NULL;
  PL_TRY(check(o, m, w->env, nwatch, watch));
  double began = pl_wall_time();
  pl_curve *c;
  PL_TRY(curve_create(w->env, &c));
  walk k = {.env = w->env, .m = m, .p = p, .w = w, .nsample = o->samples, .sub = 1};
  k.nwatch = nwatch;
  k.watch = watch;
  k.rtol = o->rtol;
  k.max_iter = o->max_iter;
  k.stability = o->stability;
  pl_status st = run(o, &k, orbit0, c);
  walk_close(&k);
  c->factorisations += k.factorisations;
  c->krylov += k.krylov;
  c->iterations += k.iterations;
  c->seconds = pl_wall_time() - began;
  if (st < 0) {
    pl_curve_free(c);
    return st;
  }
  *out = c;
  return st;
}
