// Frequency response: start, steps, harmonics, ends.
#include "curve_impl.h"

#include <stdio.h>
#include <string.h>

static const double UNBOUND = 1e8;     // growth of a motion that nothing limits
static const double OMEGA_STEP = 0.03; // longest step over the frequency
static const double TRUNCATION = 0.1;  // forces left out that are worth a word

// What a response is asked for.
typedef struct job_of {
  const pl_response_opts *o;
  const pl_model *m;
  const pl_params *p;
  pl_work *w;
  const pl_response_plan *plan;
  const pl_curve *before; // the curve from the other end, NULL: none yet
} job_of;

// ---- the curve --------------------------------------------------------------------------------

// frequency at which the step leaves the range, 0: it does not
static double leaves(const continuation *k, range r) {
  double w = k->next.omega * k->sub, dir = r.to > r.from ? 1 : -1;
  if (dir * (w - r.to) >= 0) return r.to / k->sub;
  return dir * (w - r.from) < 0 ? r.from / k->sub : 0;
}

static pl_status progress(const continuation *k, range r, const pl_curve *c) {
  char text[96];
  double w = k->at.omega * k->sub, part = (w - r.from) / (r.to - r.from);
  snprintf(text, sizeof text, "%.6g rad/s, point %d, %d %s", w, c->npoint, k->H,
           pl_plural(k->H, "harmonic", "harmonics"));
  return pl_report_progress(k->env, "response", fmin(1, fmax(0, part)), text);
}

// the step meets a point at which the curve may end
static int meets_end(continuation *k) {
  for (int i = 0; i < k->nend; i++) {
    if (!cont_passes(k, &k->end[i])) continue;
    memcpy(k->next.z, k->end[i].z, (size_t)k->n * sizeof(double));
    k->next.omega = k->end[i].omega;
    k->ended = i;
    return 1;
  }
  return 0;
}

// one more point of the curve; *end: the range is left or another curve met; *changed: none, the
// harmonics were changed
static pl_status next_point(continuation *k, const pl_response_opts *o, pl_curve *c, range r,
                            care *a, int branch, int *end, int *changed) {
  PL_TRY(cont_step(k, o->min_step));
  double edge = leaves(k, r);
  if (edge > 0) {
    PL_TRY(cont_at_omega(k, &k->at, &k->next, edge, &k->mid));
    curve_point_copy(k, &k->next, &k->mid);
  }
  int met = edge == 0 && meets_end(k);
  pl_status st = harmonics_adapt(k, c, a, changed);
  a->stuck = st == PL_UNSOLVED;
  PL_TRY(st);
  if (*changed) return PL_OK;
  PL_TRY(cont_measure(k, &k->next, k->stability));
  // the curve turns where it meets another, which is no fold of its own
  if (!met) PL_TRY(special_find(k, c));
  PL_TRY(curve_add(c, k, &k->next, branch));
  *end = edge > 0 || met;
  return PL_OK;
}

static pl_status check_growth(const continuation *k, double start) {
  if (cont_size(k, k->at.z) <= UNBOUND * start) return PL_OK;
  return pl_fail_at(k->env, PL_E_INPUT, NULL, 0, 0, "give the model damping, or another range",
                    "response: the motion grows without bound near %.6g rad/s, an undamped "
                    "resonance",
                    k->at.omega * k->sub);
}

// where the curve has ended
static pl_stop end_of(const continuation *k, const pl_curve *c, range r) {
  double w = c->point[c->npoint - 1].orbit->omega * k->sub;
  return w == r.from ? PL_STOP_BACK : PL_STOP_END;
}

// an attempt that failed: once more with a shorter step, or PL_UNSOLVED
static pl_status shorten(continuation *k, const pl_response_opts *o, pl_curve *c, const care *a,
                         pl_status st) {
  c->reason = st == PL_CANCELLED ? PL_STOP_CANCELLED : PL_STOP_STEP;
  if (st == PL_CANCELLED || st < 0) return st;
  c->trial = k->next.residual;
  k->ds *= 0.5;
  return a->stuck || k->ds < o->min_step ? PL_UNSOLVED : PL_OK;
}

// the step's length within the part of the frequency in which resonances may hide
static void cap_step(continuation *k) {
  double most = OMEGA_STEP * k->at.omega / fabs(k->at.tw);
  if (k->ds > most) k->ds = most;
}

// those who look on see the points so far
static pl_status look(const continuation *k, const care *a, const pl_curve *c, int branch,
                      int last) {
  if (!k->plan || !k->plan->look) return PL_OK;
  pl_trail t = {.k = k, .a = a, .c = c, .before = k->before};
  return k->plan->look(k->plan->ctx, c, branch ? NULL : &t, last);
}

pl_status response_follow(continuation *k, const pl_response_opts *o, pl_curve *c, range r, care *a,
                          int branch) {
  for (int end = 0; !end;) {
    int changed = 0;
    c->reason = PL_STOP_CANCELLED;
    pl_status st = progress(k, r, c);
    int last = st != PL_OK || c->npoint >= o->points;
    if (c->npoint > a->seen || last) PL_TRY(look(k, a, c, branch, last));
    a->seen = c->npoint;
    PL_TRY(st);
    c->reason = PL_STOP_POINTS;
    if (c->npoint >= o->points) return PL_UNSOLVED;
    cap_step(k);
    st = next_point(k, o, c, r, a, branch, &end, &changed);
    // what failed beyond Newton's method may hold with a shorter step
    if (st != PL_OK) PL_TRY(shorten(k, o, c, a, st));
    // whoever looks on must hear of points that were dropped or replaced
    if (changed) a->seen = c->npoint - 1;
    if (st != PL_OK || changed) continue;
    c->reason = end_of(k, c, r);
    if (!end && c->npoint - a->first > 3 && cont_closes(k)) {
      end = 1;
      c->reason = PL_STOP_CLOSED;
    }
    cont_pace(k, o->max_step);
    cont_shift(k);
    a->largest = fmax(a->largest, cont_size(k, k->at.z));
    cont_metric(k, 1e-6 * a->largest);
    PL_TRY(check_growth(k, a->start));
    if (!end) PL_TRY(harmonics_lower(k, c, a));
  }
  return PL_OK;
}

// ---- start ------------------------------------------------------------------------------------

static pl_status check(const pl_response_opts *o, const pl_model *m, pl_env *env,
                       const pl_response_plan *plan) {
  PL_TRY(pl_opts_check(env, pl_response_option_table, pl_response_option_count, o));
  if (!(o->from > 0) || !(o->to > 0))
    return pl_fail(env, PL_E_INPUT, "response: %s must be a frequency above zero, got %g rad/s",
                   o->from > 0 ? "to" : "from", o->from > 0 ? o->to : o->from);
  if (o->from == o->to)
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "use the analysis periodic for one frequency",
                      "response: from and to are both %g rad/s", o->from);
  if (plan->nmeasure < 0 || plan->nmeasure > PROBES_MAX)
    return pl_fail(env, PL_E_ARG, "response: %d watched places, at most %d", plan->nmeasure,
                   PROBES_MAX);
  for (int i = 0; i < plan->nmeasure; i++)
    if (plan->measure[i].node < 0 || plan->measure[i].node >= pl_model_nnode(m))
      return pl_fail(env, PL_E_ARG, "response: watched node %d of %d", plan->measure[i].node,
                     pl_model_nnode(m));
  return PL_OK;
}

// the motion at the first frequency
static pl_status find_start(const pl_response_opts *o, const pl_model *m, const pl_params *p,
                            pl_work *w, const pl_orbit *orbit0, pl_curve *c, pl_orbit **orbit,
                            pl_periodic_info *info) {
  pl_periodic_opts po;
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &po);
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

static pl_status first_point(continuation *k, const pl_response_opts *o, const pl_orbit *orbit,
                             double change, pl_curve *c) {
  PL_TRY(cont_open(k, orbit->nharm));
  curve_point *s = &k->at;
  memcpy(s->z, orbit->z, (size_t)k->n * sizeof(double));
  s->omega = o->from;
  k->sw = fabs(o->to - o->from);
  k->sz = 1;
  PL_TRY(cont_correct(k, s, NULL, 0, 0));
  PL_TRY(cont_tangent(k, s, NULL, 0));
  // towards the far frequency
  if (o->to < o->from)
    for (int i = 0; i < k->n; i++) s->tz[i] = -s->tz[i];
  if (o->to < o->from) s->tw = -s->tw;
  cont_metric(k, 0);
  s->change = change;
  PL_TRY(cont_measure(k, s, k->stability));
  curve_point_copy(k, &k->first, s);
  k->ds = fmin(o->step, o->max_step);
  return curve_add(c, k, s, 0);
}

static continuation make_continuation(const job_of *j) {
  continuation k = {
      .env = j->w->env, .m = j->m, .p = j->p, .w = j->w, .nsample = j->o->samples, .sub = 1};
  k.nprobe = j->plan->nmeasure;
  k.probe = j->plan->measure;
  k.plan = j->plan;
  k.rtol = j->o->rtol;
  k.max_iter = j->o->max_iter;
  k.stability = j->o->stability;
  k.careful = harmonics_small(pl_model_nfree(j->m));
  return k;
}

static care make_care(const job_of *j) {
  int nfree = pl_model_nfree(j->m);
  return (care){.fixed = j->o->harmonics > 0,
                .least = pl_model_max_harmonic(j->m),
                .most = harmonics_most(nfree, j->o->max_harmonics, j->o->samples),
                .tol = harmonics_tolerance(nfree, j->o->adapt)};
}

static pl_status begin(const job_of *j, const pl_orbit *start, continuation *k, care *a,
                       pl_curve *c) {
  pl_orbit *orbit = NULL;
  pl_periodic_info info;
  pl_status st = find_start(j->o, j->m, j->p, j->w, start, c, &orbit, &info);
  if (st == PL_OK) st = first_point(k, j->o, orbit, info.change, c);
  pl_orbit_free(orbit);
  if (st == PL_OK) a->start = a->largest = cont_size(k, k->at.z);
  return st;
}

// one way through the range, from a start at its beginning or (once) from where another one was;
// *wanted: harmonics that the way needs and its points do not lead to, 0: none
static pl_status go(const job_of *j, const pl_orbit *start, int resume, pl_curve *c, int *wanted) {
  const pl_response_opts *o = j->o;
  range r = {o->from, o->to};
  continuation k = make_continuation(j);
  care a = make_care(j);
  k.before = j->before;
  pl_status st = resume ? trail_unpack(j->plan->nfrom, j->plan->from, &k, &a, c, NULL)
                        : begin(j, start, &k, &a, c);
  if (st == PL_OK) st = response_follow(&k, o, c, r, &a, 0);
  if (c->npoint > 0) c->end = c->point[c->npoint - 1].orbit->omega;
  if (st == PL_OK && o->branches && c->reason == PL_STOP_END) st = branch_follow_all(&k, o, c, r);
  *wanted = st == PL_UNSOLVED && a.stuck ? a.wanted : 0;
  cont_close(&k);
  c->factorisations += k.factorisations;
  c->krylov += k.krylov;
  c->iterations += k.iterations;
  return st == PL_DOMAIN || st == PL_SINGULAR ? PL_UNSOLVED : st;
}

// begins anew with more harmonics where the points there are do not go over to them
static pl_status go_on(const job_of *j, const pl_orbit *start, int resume, pl_curve *c) {
  pl_orbit *from = NULL;
  pl_status st;
  for (int wanted = 0;; resume = 0) {
    st = go(j, from ? from : start, resume, c, &wanted);
    if (wanted == 0) break;
    pl_orbit_free(from);
    from = NULL;
    pl_status copied = pl_orbit_copy(c->point[0].orbit, wanted, &from);
    if (copied != PL_OK) return copied;
    curve_cut(c, 0);
  }
  pl_orbit_free(from);
  return st;
}

// the same range from its far end, when nothing says where to begin
static pl_status go_other_way(const job_of *j, int resume, pl_curve **c) {
  pl_response_opts o = *j->o;
  job_of other = *j;
  pl_curve *back = NULL;
  o.from = j->o->to;
  o.to = j->o->from;
  other.o = &o;
  other.before = *c;
  PL_TRY(curve_create(j->w->env, &back));
  pl_status st = go_on(&other, NULL, resume, back);
  if (st != PL_OK || back->reason != PL_STOP_END) {
    pl_curve_free(back);
    return st < 0 || st == PL_CANCELLED ? st : PL_UNSOLVED;
  }
  curve_reverse(back);
  back->end = j->o->to;
  back->start = "far end";
  pl_curve_free(*c);
  *c = back;
  return PL_OK;
}

// a curve that ended before the far frequency may join it from there; what costs much is not tried
static int may_reverse(const job_of *j, const pl_curve *c, pl_status st) {
  int part = c->reason == PL_STOP_BACK || c->reason == PL_STOP_CLOSED;
  if (st == PL_OK) return part;
  if (st != PL_UNSOLVED || c->reason == PL_STOP_POINTS || c->reason == PL_STOP_SINGULAR) return 0;
  return c->npoint == 0 || harmonics_small(pl_model_nfree(j->m));
}

// ---- what is told -----------------------------------------------------------------------------

static void report_end(const job_of *j, const pl_curve *c) {
  const pl_response_opts *o = j->o;
  pl_env *env = j->w->env;
  switch (c->reason) {
  case PL_STOP_END:
  case PL_STOP_CANCELLED:
    return;
  case PL_STOP_BACK:
    pl_report(env, PL_WARNING, NULL, 0, 0, "begin elsewhere, or choose another branch",
              "response: the curve turned round and left the range where it began, at %.6g rad/s; "
              "it does not lead to %.6g rad/s",
              o->from, o->to);
    return;
  case PL_STOP_CLOSED:
    pl_report(env, PL_WARNING, NULL, 0, 0, "begin elsewhere for the main curve",
              "response: the curve is closed: it came back to its start and does not lead to "
              "%.6g rad/s",
              o->to);
    return;
  case PL_STOP_POINTS:
    pl_report(env, PL_WARNING, NULL, 0, 0, "raise `points`",
              "response: all %d points are used up at %.6g rad/s", o->points, c->end);
    return;
  default:
    break;
  }
  if (c->npoint == 0)
    pl_report(env, PL_WARNING, NULL, 0, 0,
              "begin at another frequency, give `harmonics`, or more damping",
              "response: no periodic motion was found to begin with, neither at %.6g nor at "
              "%.6g rad/s",
              o->from, o->to);
  else
    pl_report(env, PL_WARNING, NULL, 0, 0, "try more harmonics, or a smaller min_step",
              "response: the curve cannot be followed beyond %.8g rad/s: steps below %g of the "
              "range do not converge (residual %.1e)",
              c->end, o->min_step, c->trial);
}

static void report_truncation(const job_of *j, const pl_curve *c) {
  if (c->truncation <= TRUNCATION) return;
  pl_report(j->w->env, PL_WARNING, NULL, 0, 0,
            j->o->harmonics > 0 ? "raise `harmonics`, or leave them out" : "raise `max_harmonics`",
            "response: too few harmonics at %.6g rad/s: they leave out %.3g %% of the "
            "oscillating forces; resonances may be missing or false",
            c->truncation_omega, 100 * c->truncation);
}

// up, and down where that does not do
static pl_status run(const job_of *j, pl_curve **c) {
  const pl_response_plan *plan = j->plan;
  int resume = plan->from && plan->nfrom > 0;
  int reversed = resume && trail_reversed(plan->nfrom, plan->from);
  pl_status st = PL_UNSOLVED;
  if (reversed) {
    // the first way is over: its curve stands beside the trail of the second
    continuation k = make_continuation(j);
    care a = make_care(j);
    pl_curve *back;
    PL_TRY(curve_create(j->w->env, &back));
    st = trail_unpack(plan->nfrom, plan->from, &k, &a, back, *c);
    cont_close(&k);
    pl_curve_free(back);
    PL_TRY(st);
    st = PL_UNSOLVED;
  } else {
    st = go_on(j, plan->start, resume, *c);
  }
  if (plan->start || (!reversed && !may_reverse(j, *c, st))) return st;
  pl_status other = go_other_way(j, reversed, c);
  return other <= 0 || other == PL_CANCELLED ? other : st;
}

pl_status pl_response_run(const pl_response_opts *o, const pl_model *m, const pl_params *p,
                          pl_work *w, const pl_response_plan *plan, pl_curve **out) {
  *out = NULL;
  PL_TRY(check(o, m, w->env, plan));
  double began = pl_wall_time();
  job_of j = {.o = o, .m = m, .p = p, .w = w, .plan = plan};
  pl_curve *c;
  PL_TRY(curve_create(w->env, &c));
  pl_status st = run(&j, &c);
  // a part of the range is not the response over it
  if (st == PL_OK && c->reason == PL_STOP_BACK) st = PL_UNSOLVED;
  if (st >= 0 && st != PL_CANCELLED) {
    pl_status t = harmonics_truncation(m, p, w, c);
    if (t < 0) st = t;
  }
  if (st < 0) {
    pl_curve_free(c);
    return st;
  }
  report_end(&j, c);
  report_truncation(&j, c);
  c->seconds = pl_wall_time() - began;
  *out = c;
  return st;
}

pl_status pl_response(const pl_response_opts *o, const pl_model *m, const pl_params *p, pl_work *w,
                      int nprobe, const int *probe, const pl_orbit *orbit0, pl_curve **out) {
  const pl_response_opts usual = pl_response_defaults();
  *out = NULL;
  pl_measure *all = nprobe > 0 ? pl_alloc(w->env, (size_t)nprobe, sizeof *all) : NULL;
  if (nprobe > 0 && !all) return PL_E_NOMEM;
  for (int i = 0; i < nprobe; i++) all[i] = (pl_measure){.node = probe[i], .mask = 7};
  pl_response_plan plan = {.nmeasure = nprobe, .measure = all, .start = orbit0};
  pl_status st = pl_response_run(o ? o : &usual, m, p, w, &plan, out);
  pl_free(w->env, all);
  return st;
}
