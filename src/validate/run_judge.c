// Errors, the distance of section 6.1 of the paper, and verdicts.
#include "run_impl.h"

#include <math.h>

int judged_at(const pl_protocol *p, const pl_protocol_model *m, double x) {
  const double *own = m->judged[1] > 0 ? m->judged : p->judged;
  return x >= own[0] * (1 - 1e-12) && x <= own[1] * (1 + 1e-12);
}

static const pl_sample *master_at(const pl_master *c, double x) {
  for (int i = 0; i < c->npoint; i++)
    if (c->sample[i].trial.x == x && c->sample[i].status == PL_OK) return &c->sample[i];
  return NULL;
}

static void measure(const pl_protocol *p, const pl_master *c, pl_sample *s) {
  const pl_sample *m = master_at(c, s->trial.x);
  s->error = NAN;
  for (int i = 0; i < PL_TRIAL_VALUES; i++) s->master[i] = m ? m->value[i] : NAN;
  if (!m || s->status != PL_OK) return;
  if (p->error) s->error = p->error(s);
  if (p->error) return;
  s->error = 0;
  for (int i = 0; i < p->nvalue; i++) {
    double e = fabs(s->value[i] - s->master[i]) / (p->absolute ? 1 : fabs(s->master[i]));
    s->error = fmax(s->error, e);
  }
}

// ---- distance ---------------------------------------------------------------------------------

// value 0 of those samples that have an answer
static pl_status read_line(pl_env *env, int n, const pl_sample *s, int master, pl_polyline *p) {
  p->n = 0;
  p->x = pl_alloc(env, (size_t)n, sizeof *p->x);
  p->y = pl_alloc(env, (size_t)n, sizeof *p->y);
  if (!p->x || !p->y) return PL_E_NOMEM;
  for (int i = 0; i < n; i++) {
    if (s[i].status != PL_OK || (master && isnan(s[i].master[0]))) continue;
    p->x[p->n] = s[i].trial.x;
    p->y[p->n++] = master ? s[i].master[0] : s[i].value[0];
  }
  return PL_OK;
}

// Of our points to the master curve, and of its points there to the line through ours, so that the
// few points of a quick run are not held against it.
static pl_status hausdorff(pl_env *env, pl_score *s, const pl_master *c) {
  const pl_box *box = s->protocol->box;
  pl_polyline ours = {0}, right = {0}, curve = {0};
  double there = 0, back = 0;
  s->distance = NAN;
  if (!box || c->n - c->npoint < 2) return PL_OK;
  pl_status st = read_line(env, s->nsample, s->sample, 0, &ours);
  if (st == PL_OK) st = read_line(env, s->nsample, s->sample, 1, &right);
  if (st == PL_OK) st = read_line(env, c->n - c->npoint, c->sample + c->npoint, 0, &curve);
  if (st == PL_OK && ours.n && right.n && curve.n > 1) {
    st = pl_plot_distance(env, box, ours.n, ours.x, ours.y, &curve, &there);
    if (st == PL_OK) st = pl_plot_distance(env, box, right.n, right.x, right.y, &ours, &back);
    if (st == PL_OK) s->distance = fmax(there, back);
  }
  pl_polyline_free(env, &ours);
  pl_polyline_free(env, &right);
  pl_polyline_free(env, &curve);
  return st;
}

// ---- verdicts ---------------------------------------------------------------------------------

// largest change that other units may make, a part of the bar
static const double RESCALED = 0.01;
// largest growth of an error on finer cells: what rounding and brackets may do, a part of the bar
static const double GROWTH = 0.1;

int diverges(const pl_score *s) {
  return s->growth > GROWTH * s->protocol->bar;
}

static void decide(pl_score *s) {
  const pl_protocol *p = s->protocol;
  int njudged = 0, undone = 0;
  for (int i = 0; i < s->nsample; i++) {
    njudged += judged_at(p, s->model, s->sample[i].trial.x) && !isnan(s->sample[i].master[0]);
    undone += s->sample[i].status == PL_CANCELLED;
  }
  for (int i = 0; i < s->ncheck; i++) undone += s->check[i].status == PL_CANCELLED;
  s->verdict = PL_VERDICT_NONE;
  s->expected = 1;
  if (njudged == 0 || undone) return;
  int good = s->nfailed == 0 && s->worst <= p->bar && !(s->refined > p->bar) && !diverges(s) &&
             !(s->rescaled > (p->absolute ? 1 : RESCALED) * p->bar);
  s->verdict = good ? PL_VERDICT_OK : PL_VERDICT_KO;
  if (s->model->expect == PL_EXPECT_OK) s->expected = good;
  if (s->model->expect == PL_EXPECT_KO) s->expected = !good;
}

pl_status judge(pl_env *env, pl_score *s, const pl_master *c) {
  s->worst = s->where = s->refined = s->rescaled = s->growth = NAN;
  s->nfailed = 0;
  s->seconds = 0;
  for (int i = 0; i < s->nsample; i++) {
    pl_sample *q = &s->sample[i];
    measure(s->protocol, c, q);
    s->seconds += q->seconds;
    if (!judged_at(s->protocol, s->model, q->trial.x) || isnan(q->master[0])) continue;
    if (q->status == PL_CANCELLED) continue;
    s->nfailed += isnan(q->error);
    if (isnan(q->error) || q->error <= s->worst) continue;
    s->worst = q->error;
    s->where = q->trial.x;
  }
  decide(s);
  return hausdorff(env, s, c);
}

static const pl_sample *same_point(const pl_score *s, double x) {
  for (int i = 0; i < s->nsample; i++)
    if (s->sample[i].trial.x == x) return &s->sample[i];
  return NULL;
}

// the same point with cells half or twice as long; no answer is an error without end
static void compare_cells(pl_score *s, const pl_sample *first, const pl_sample *check) {
  double a = isnan(first->error) ? INFINITY : first->error;
  double b = isnan(check->error) ? INFINITY : check->error;
  int finer = check->trial.resolution > first->trial.resolution;
  double growth = isinf(a) && isinf(b) ? 0 : finer ? b - a : a - b;
  s->growth = fmax(isnan(s->growth) ? growth : s->growth, growth);
  if (finer) s->refined = fmax(isnan(s->refined) ? 0 : s->refined, b);
}

void judge_checks(pl_score *s, const pl_master *c) {
  for (int i = 0; i < s->ncheck; i++) {
    pl_sample *q = &s->check[i];
    measure(s->protocol, c, q);
    s->seconds += q->seconds;
    if (q->status == PL_CANCELLED) continue;
    const pl_sample *first = same_point(s, q->trial.x);
    if (q->trial.units == 0) {
      compare_cells(s, first, q);
      continue;
    }
    s->rescaled = isnan(q->error) ? INFINITY : 0;
    for (int k = 0; first && k < s->protocol->nvalue; k++) {
      double size = s->protocol->absolute ? 1 : fabs(q->master[k]);
      s->rescaled = fmax(s->rescaled, fabs(q->value[k] - first->value[k]) / size);
    }
  }
  decide(s);
}
