// mail-design: lengths and angles of an interlocking material within bounds for which its limits
// reach what is wanted, by Levenberg-Marquardt with exact derivatives of the limits.
#include "mail_design.h"

#include <math.h>
#include <string.h>

// weights of the repulsion, where the residuals of goals are about 1
static const double FIRST = 1e-2, LAST = 0.9e-6;
static const double FAR = 0.05; // of the range of a variable, in one step

static void set_values(const mail_design *d, const double *x, double *value) {
  for (int k = 0; k < d->plan->nvariable; k++) value[d->plan->variable[k].key] = x[k];
}

// for pl_marquardt: the solver comes first, so that calls find all
typedef struct descent {
  pl_marquardt lm;
  mail_design *d;
} descent;

static pl_status try_values(void *ctx, double size, double *cost) {
  descent *s = ctx;
  (void)size;
  set_values(s->d, s->lm.to, s->d->trial.value);
  return mail_evaluate(s->d, &s->d->trial, cost);
}

static void read_values(void *ctx) {
  mail_design *d = ((descent *)ctx)->d;
  attempt swap = d->now;
  d->now = d->trial;
  d->trial = swap;
}

// Bounds of a step: what is held by a gap alone would go as far as that gap is a line.
static void bound_step(descent *s) {
  for (int k = 0; k < s->lm.n; k++) {
    const pl_mail_variable *v = &s->d->plan->variable[k];
    double far = FAR * (v->hi - v->lo);
    s->lm.lo[k] = fmax(v->lo, s->lm.x[k] - far);
    s->lm.hi[k] = fmin(v->hi, s->lm.x[k] + far);
  }
}

// the minimum for one weight of the repulsion
static pl_status descend(descent *s) {
  static const pl_marquardt_calls calls = {try_values, read_values, NULL};
  mail_design *d = s->d;
  int done = 0;
  s->lm.cost = mail_residuals(d, &d->now);
  s->lm.lambda = 1e-3;
  for (; !done && d->steps < d->o->steps; d->steps++) {
    PL_TRY(pl_report_progress(d->j->env, "design", (double)d->steps / d->o->steps, NULL));
    PL_TRY(mail_slopes(d, s->lm.J));
    bound_step(s);
    pl_marquardt_normal(&s->lm, d->now.r);
    PL_TRY(pl_marquardt_step(&s->lm, &calls, s, d->o->tol, &done));
    PL_TRY(mail_tell(d, d->steps + 1));
  }
  d->converged = done;
  return PL_OK;
}

static pl_status optimise(mail_design *d) {
  descent s = {.d = d};
  pl_status st = pl_marquardt_create(d->j->env, d->plan->nvariable, d->nrow, &s.lm);
  for (int k = 0; st == PL_OK && k < d->plan->nvariable; k++)
    s.lm.x[k] = d->now.value[d->plan->variable[k].key];
  if (st == PL_OK) st = mail_evaluate(d, &d->now, &d->cost[0]);
  if (st == PL_OK && !isfinite(d->cost[0])) st = PL_UNSOLVED;
  if (st == PL_OK) st = mail_tell(d, 0);
  for (d->weight = FIRST; st == PL_OK && d->weight > LAST; d->weight /= 10) st = descend(&s);
  d->weight = 0;
  if (st == PL_OK) d->cost[1] = mail_residuals(d, &d->now);
  pl_marquardt_free(d->j->env, &s.lm);
  return st;
}

// why the material that it begins with cannot be designed: the first limit that there is none of
static void report_endless(const mail_design *d) {
  static const char *const side[] = {"stretches", "shrinks", "bends up", "bends down"};
  for (int i = 0; i < d->nray; i++) {
    const pl_taut *t = &d->now.taut[i];
    double angle = d->ray[i].angle * 180 / PL_PI;
    if (d->now.solved[i] && !t->folds && !t->open) continue;
    if (!d->now.solved[i])
      job_note(d->j, "%s: how far it %s along %.4g degrees was not found", d->a->name,
               side[d->ray[i].side], angle);
    else
      job_note(d->j, "%s: along %.4g degrees it %s %s: there is no such limit to design",
               d->a->name, angle, side[d->ray[i].side],
               t->folds ? "until it folds" : "without bound");
    return;
  }
}

pl_status job_mail_design(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  const pl_mail_design_opts *o = &a->opts.mail_design_;
  mail_design d = {.j = j,
                   .a = a,
                   .o = o,
                   .start = &j->scene->mail[a->mail],
                   .plan = a->mail_plan,
                   .taut = {o->barrier, o->weight, o->max_iter}};
  limits_keeper keep;
  d.keep = &keep;
  PL_TRY(keeper_open(j, a, o->copies, &keep));
  pl_status s = mail_open(&d);
  if (s == PL_OK) s = optimise(&d);
  if (s == PL_UNSOLVED) {
    report_endless(&d);
    job_alarm(j,
              "%s: some limits of the material that it begins with were not found, or there are "
              "none: it stretches without bound, or bends until it folds.",
              a->name);
  }
  if (s == PL_OK) s = mail_report(&d, figures);
  mail_close(&d);
  return keeper_close(&keep, s);
}
