// Transients: grid of time steps or steps by error control, steady state, stop and resume.
#include "solve_impl.h"

#include <string.h>

// how often a grid step is halved at most: to be solved, and to pass checks
enum { LEVELS = 16, CHECK_LEVELS = 8 };
static const double PERIOD_SLACK = 1e-6;
static const double STEP_LEAST = 1e-100; // s; its square is divided by

// ---- history ----------------------------------------------------------------------------------

void pl_history_free(pl_env *env, pl_history *h) {
  if (!h) return;
  pl_free(env, h->q1);
  pl_free(env, h->v1);
  pl_free(env, h->period);
  pl_free(env, h->warm);
  *h = (pl_history){0};
}

static pl_status history_alloc(pl_env *env, int nq, int nsample, int two, pl_history *h) {
  h->nq = nq;
  h->nsample = nsample;
  size_t n = (size_t)nq, all;
  if (two) {
    h->q1 = pl_alloc(env, n, sizeof *h->q1);
    h->v1 = pl_alloc(env, n, sizeof *h->v1);
    if (!h->q1 || !h->v1) return PL_E_NOMEM;
  }
  if (nsample > 0) {
    if (pl_mul_size(n, (size_t)nsample, &all)) all = SIZE_MAX;
    h->period = pl_alloc(env, all, sizeof *h->period);
    if (!h->period) return PL_E_NOMEM;
  }
  return PL_OK;
}

// all but the kept period
static void history_copy(pl_history *to, const pl_history *from) {
  pl_history old = *to;
  *to = *from;
  to->q1 = old.q1;
  to->v1 = old.v1;
  to->period = old.period;
  to->warm = NULL;
  to->nwarm = 0;
  if (!to->q1 || !from->q1) return;
  memcpy(to->q1, from->q1, (size_t)from->nq * sizeof *to->q1);
  memcpy(to->v1, from->v1, (size_t)from->nq * sizeof *to->v1);
}

// ---- plan -------------------------------------------------------------------------------------

typedef struct plan {
  pl_time_grid g;
  int nsample;        // steps a period when whole periods are watched, else 0
  double least, most; // adaptive: bounds of the step
} plan;

pl_status pl_time_grid_make(pl_env *env, const pl_transient_opts *o, pl_time_grid *p) {
  p->period = o->frequency > 0 ? 2 * PL_PI / o->frequency : 0;
  if (o->step <= 0 && p->period <= 0)
    return pl_fail(env, PL_E_INPUT, "transient: give a step or a frequency");
  if (o->duration <= 0 && o->periods <= 0)
    return pl_fail(env, PL_E_INPUT, "transient: give a duration or a number of periods");
  if (o->duration <= 0 && p->period <= 0)
    return pl_fail(env, PL_E_INPUT, "transient: periods need a frequency");
  p->step = o->step > 0 ? o->step : p->period / o->steps_per_period;
  p->length = o->duration > 0 ? o->duration : o->periods * p->period;
  double n = p->length / p->step;
  if (!(fmin(p->step, p->length) >= STEP_LEAST))
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "check the units of step and duration",
                      "transient: a step of %g s is too short for numbers",
                      fmin(p->step, p->length));
  if (!(n < 1e15)) return pl_fail(env, PL_E_INPUT, "transient: %g steps are too many", n);
  // a whole number of steps, or a shorter one at the end
  double whole = rint(n);
  p->last = p->step;
  if (fabs(n - whole) > PERIOD_SLACK * fmax(1, n * 1e-6) || whole < 1) {
    whole = ceil(n);
    p->last = p->length - (whole - 1) * p->step;
  }
  p->nstep = (long)whole;
  return PL_OK;
}

static pl_status plan_make(pl_env *env, const pl_model *m, const pl_transient_opts *o, plan *p) {
  *p = (plan){0};
  PL_TRY(pl_time_grid_make(env, o, &p->g));
  if (p->g.period > 0 && !o->adaptive) {
    double n = rint(p->g.period / p->g.step);
    if (n >= 1 && fabs(p->g.period / p->g.step - n) < PERIOD_SLACK * n && n < 1e9)
      p->nsample = (int)n;
  }
  if (o->steady > 0 && p->nsample == 0)
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0,
                      "leave step out, or make it a whole part of the period",
                      "transient: steady needs a fixed step and whole periods of the frequency");
  if (o->method == PL_NEWMARK && !(o->newmark_beta > 0))
    return pl_fail(env, PL_E_INPUT, "transient: newmark_beta must be > 0");
  if (o->method == PL_NEWMARK && o->newmark_gamma < 0.5)
    pl_report(env, PL_WARNING, NULL, 0, 0, "use 0.5 or more",
              "transient: newmark_gamma %g makes every motion grow", o->newmark_gamma);
  p->least = o->min_step > 0 ? o->min_step : 1e-6 * p->g.step;
  p->most = p->g.length;
  // at least eight steps in a period of what drives the model
  int top = pl_model_max_harmonic(m);
  if (p->g.period > 0 && top > 0) p->most = fmin(p->most, p->g.period / (8 * top));
  return PL_OK;
}

// ---- fixed step -------------------------------------------------------------------------------

static void save_grid(stepper *st) {
  pl_state_copy(st->grid, st->s);
  history_copy(&st->back, &st->hist);
}

static void restore_grid(stepper *st) {
  pl_state_copy(st->s, st->grid);
  history_copy(&st->hist, &st->back);
  st->audit.known = 0;
}

// one grid step, in halves, quarters, ... where it fails
static pl_status grid_step(stepper *st, double h, double t) {
  long part = 0, parts = 1;
  int level = 0;
  double from = st->s->t;
  save_grid(st);
  while (part < parts) {
    double sub = h / (double)parts, to = part + 1 == parts ? t : from + sub * (double)(part + 1);
    pl_status s = stepper_try(st, sub, to);
    // a solution that fails a check however short the step is taken, and told
    if (s == PL_UNSOLVED && st->audit.unsound && level >= CHECK_LEVELS) s = PL_OK;
    if (s == PL_UNSOLVED && level < LEVELS) {
      st->info->rejected++;
      level++;
      part *= 2;
      parts *= 2;
      continue;
    }
    if (s != PL_OK) restore_grid(st);
    PL_TRY(s);
    PL_TRY(stepper_accept(st, sub));
    part++;
    // after two equal parts the longer one is tried again
    if (level > 0 && part % 2 == 0) {
      level--;
      part /= 2;
      parts /= 2;
    }
  }
  st->hist.step = h;
  return PL_OK;
}

// e_p = sum over a period of |q(t) - q(t - period)|, eq. 28; of places: angles of rods may move on
// with their anchors while the rods come back
static void period_progress(stepper *st) {
  pl_history *h = &st->hist;
  int nq = st->nq, i = (int)((h->nstep - 1) % h->nsample);
  double *old = h->period + (size_t)i * nq, sum = 0;
  int places = pl_model_nnode(st->m) * pl_model_dim(st->m), n = places > 0 ? places : nq;
  for (int k = 0; k < n; k++) sum += (st->s->q[k] - old[k]) * (st->s->q[k] - old[k]);
  h->change = (i == 0 ? 0 : h->change) + sqrt(sum);
  memcpy(old, st->s->q, (size_t)nq * sizeof *old);
  // the first period has none before it
  if (i == h->nsample - 1 && h->nstep > h->nsample) h->last_change = h->change;
}

// counts of a step that is cancelled on its way are those of the run that takes it again
static void keep_counts(stepper *st) {
  const pl_transient_info *i = st->info;
  memcpy(st->done, (long[]){i->rejected, i->iterations, i->factorisations}, sizeof st->done);
}

static void restore_counts(stepper *st) {
  st->info->rejected = st->done[0];
  st->info->iterations = st->done[1];
  st->info->factorisations = st->done[2];
}

static pl_status step_progress(stepper *st, pl_observe_fn observe, void *ctx) {
  keep_counts(st);
  pl_clock c = {st->s->t, st->o->frequency, 1, st->o->ramp};
  if (st->reported) *st->reported = st->hist;
  if (observe && observe(ctx, st->s, &c, st->w)) return PL_CANCELLED;
  return stepper_progress(st);
}

static pl_status run_grid(stepper *st, const plan *p, pl_observe_fn observe, void *ctx) {
  pl_history *h = &st->hist;
  while (h->nstep < p->g.nstep) {
    int last = h->nstep + 1 == p->g.nstep;
    double step = last ? p->g.last : p->g.step;
    int crumb = last && p->g.last != p->g.step;
    double t = h->start + (crumb ? p->g.length : (double)(h->nstep + 1) * p->g.step);
    PL_TRY(grid_step(st, step, t));
    h->nstep++;
    if (h->period) period_progress(st);
    int whole = p->nsample > 0 && h->nstep % p->nsample == 0;
    PL_TRY(step_progress(st, observe, ctx));
    if (audit_ran_away(st)) return PL_UNSOLVED;
    // while drives still grow nothing is steady
    if (st->s->t - 2 * p->g.period < st->o->ramp * (1 - 1e-9) && st->o->ramp > 0) whole = 0;
    if (whole && st->o->steady > 0 && h->last_change >= 0 && h->last_change < st->o->steady) {
      st->info->reason = PL_STOP_STEADY;
      return PL_OK;
    }
  }
  st->info->reason = PL_STOP_END;
  return PL_OK;
}

// ---- adaptive step ----------------------------------------------------------------------------

// next step from the errors of this one and the one before (PI control)
static double next_step(const stepper *st, double h, double error) {
  double order = st->o->method == PL_IMPLICIT_EULER ? 2 : 3;
  double now = fmax(error, 1e-10), before = fmax(st->hist.error, 1e-4);
  double factor = 0.9 * pow(now, -0.7 / order) * pow(before, 0.4 / order);
  return h * fmin(fmax(factor, 0.2), 2);
}

static pl_status run_adaptive(stepper *st, const plan *p, pl_observe_fn observe, void *ctx) {
  pl_history *h = &st->hist;
  double order = st->o->method == PL_IMPLICIT_EULER ? 2 : 3;
  while (st->s->t < st->end) {
    double want = fmin(fmax(h->step, p->least), p->most), step = want, left = st->end - st->s->t;
    pl_status s = PL_OK;
    double error = 0, size = 0;
    for (;;) {
      // no crumb at the end: the last two steps share what is left
      int last = left <= step * (1 + 1e-9);
      double sub = last ? left : left < 2 * step ? left / 2 : step;
      s = stepper_try(st, sub, last ? st->end : st->s->t + sub);
      if (s != PL_OK && s != PL_UNSOLVED) return s;
      if (s == PL_UNSOLVED && st->audit.unsound && sub <= p->least * (1 + 1e-9)) s = PL_OK;
      error = s == PL_OK ? stepper_error(st, sub, &size) : INFINITY;
      if (s == PL_OK && (error <= 1 || sub <= p->least * (1 + 1e-9))) {
        step = sub;
        break;
      }
      st->info->rejected++;
      if (sub <= p->least * (1 + 1e-9)) return PL_UNSOLVED;
      double factor = s == PL_OK ? 0.9 * pow(error, -1 / order) : 0.25;
      step = fmax(p->least, sub * fmin(fmax(factor, 0.1), 0.9));
    }
    PL_TRY(stepper_accept(st, step));
    h->step = next_step(st, step, error);
    h->error = error;
    h->size = size;
    h->nstep++;
    PL_TRY(step_progress(st, observe, ctx));
    if (audit_ran_away(st)) return PL_UNSOLVED;
  }
  st->info->reason = PL_STOP_END;
  return PL_OK;
}

// ---- whole ------------------------------------------------------------------------------------

// working copy of the history: fresh, or of the run that is resumed
static pl_status open_history(stepper *st, const plan *p, const pl_history *given) {
  pl_history *h = &st->hist;
  int two = st->o->method == PL_BDF2, nsample = st->o->steady > 0 ? p->nsample : 0;
  PL_TRY(history_alloc(st->env, st->nq, nsample, two, h));
  PL_TRY(history_alloc(st->env, st->nq, 0, two, &st->back));
  if (!given || given->nstep <= 0) {
    h->step = p->g.step;
    h->start = st->s->t;
    h->last_change = -1;
    return PL_OK;
  }
  if (given->nq != st->nq || (two && (!given->q1 || !given->v1)) || given->nsample != nsample ||
      (nsample > 0 && !given->period))
    return pl_fail(st->env, PL_E_INPUT, "transient: the history is of another model or method");
  history_copy(h, given);
  if (nsample > 0)
    memcpy(h->period, given->period, (size_t)nsample * (size_t)st->nq * sizeof *h->period);
  return PL_OK;
}

// the caller's history shows that of the stepper from here on
static void show_history(stepper *st, pl_history *history) {
  if (!history) return;
  pl_history_free(st->env, history);
  *history = st->hist;
  st->reported = history;
}

static pl_status stepping(stepper *st, pl_history *history, pl_observe_fn observe, void *ctx) {
  plan p;
  PL_TRY(plan_make(st->env, st->m, st->o, &p));
  PL_TRY(stepper_open(st));
  PL_TRY(open_history(st, &p, history));
  show_history(st, history);
  st->end = st->hist.start + p.g.length;
  pl_status s = stepper_progress(st);
  if (s == PL_OK) s = stepper_leave_out_light(st, p.g.step);
  if (s == PL_OK && st->hist.nstep == 0) s = stepper_begin(st);
  if (s == PL_OK && st->hist.nstep == 0) s = stepper_settle(st, p.g.step);
  if (s == PL_OK) s = (st->o->adaptive ? run_adaptive : run_grid)(st, &p, observe, ctx);
  if (s < 0) {
    if (history) *history = (pl_history){0};
    return s;
  }
  if (s == PL_CANCELLED) {
    st->info->reason = PL_STOP_CANCELLED;
    restore_counts(st);
  }
  if (s == PL_UNSOLVED) st->info->reason = audit_ran_away(st) ? PL_STOP_ENERGY : PL_STOP_STEP;
  audit_report(&st->hist, st->info);
  if (st->info->reason == PL_STOP_END &&
      st->info->energy_worst > PL_ENERGY_FAIL * st->info->energy_scale)
    st->info->reason = PL_STOP_ENERGY;
  st->info->t = st->s->t;
  st->info->nstep = st->hist.nstep;
  st->info->nperiod = p.nsample > 0 ? (int)(st->hist.nstep / p.nsample)
                      : p.g.period > 0
                          ? pl_floor_int((st->s->t - st->hist.start) / p.g.period * (1 + 1e-12))
                          : 0;
  st->info->period_change = st->hist.last_change;
  if (history) {
    *history = st->hist;
    st->hist = (pl_history){0};
  }
  return s;
}

pl_status pl_transient_contact(const pl_transient_opts *o, const pl_model *m, const pl_params *p,
                               pl_contact *k, pl_state *s, pl_history *history, pl_work *w,
                               pl_observe_fn observe, void *ctx, pl_transient_info *info) {
  pl_transient_info own;
  if (!info) info = &own;
  *info = (pl_transient_info){.reason = PL_STOP_STEP,
                              .t = s->t,
                              .period_change = -1,
                              .energy_time = -1,
                              .time_error = -1,
                              .bad_group = -1,
                              .bad_elem = -1};
  double start = pl_wall_time();
  PL_TRY(solve_opts_check(w->env, pl_transient_option_table, pl_transient_option_count, o));
  if (o->method > PL_BDF2)
    return pl_fail_at(w->env, PL_E_INPUT, NULL, 0, 0, "use newmark, implicit-euler or bdf2",
                      "transient: this method is for sheets with limits of stretch");
  if (k && o->method == PL_BDF2)
    return pl_fail_at(w->env, PL_E_INPUT, NULL, 0, 0, "use newmark or implicit-euler",
                      "transient: bdf2 knows no contact");
  stepper st = {.o = o,
                .m = m,
                .p = p,
                .w = w,
                .info = info,
                .env = w->env,
                .tick = {w->env, "transient", 0},
                .n = pl_model_nfree(m),
                .nq = pl_model_nq(m),
                .dof = pl_model_free_dofs(m),
                .s = s};
  contact_set contacts = {0};
  pl_status status = k ? contact_set_open(&contacts, m, k) : PL_OK;
  if (k) st.contacts = &contacts;
  if (status == PL_OK) status = stepping(&st, history, observe, ctx);
  stepper_close(&st);
  if (k) contact_set_close(&contacts);
  info->seconds = pl_wall_time() - start;
  return status;
}

pl_status pl_transient(const pl_transient_opts *o, const pl_model *m, const pl_params *p,
                       pl_state *s, pl_history *history, pl_work *w, pl_observe_fn observe,
                       void *ctx, pl_transient_info *info) {
  return pl_transient_contact(o, m, p, NULL, s, history, w, observe, ctx, info);
}
