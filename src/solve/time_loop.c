// The loop that all motions go through: steps of a grid, halved where they fail, or of lengths that
// the method chooses; observers, counts, stop and resume.
#include "solve_impl.h"

#include <stdio.h>
#include <string.h>

// ---- history ------------------------------------------------------------------------------------

void pl_history_free(pl_env *env, pl_history *h) {
  if (!h) return;
  pl_free(env, h->q1);
  pl_free(env, h->v1);
  pl_free(env, h->spared);
  pl_free(env, h->period);
  pl_free(env, h->warm_start);
  *h = (pl_history){0};
}

static pl_status history_alloc(pl_env *env, int nq, int nsample, int two, int spared,
                               pl_history *h) {
  size_t n = (size_t)nq, all;
  *h = (pl_history){.nq = nq, .nsample = nsample};
  if (two) {
    h->q1 = pl_alloc(env, n, sizeof *h->q1);
    h->v1 = pl_alloc(env, n, sizeof *h->v1);
    if (!h->q1 || !h->v1) return PL_E_NOMEM;
  }
  if (spared) {
    h->spared = pl_alloc(env, n, sizeof *h->spared);
    if (!h->spared) return PL_E_NOMEM;
  }
  if (nsample > 0) {
    if (pl_mul_size(n, (size_t)nsample, &all)) all = SIZE_MAX;
    h->period = pl_alloc(env, all, sizeof *h->period);
    if (!h->period) return PL_E_NOMEM;
  }
  return PL_OK;
}

// all but the kept period and where solves begin
static void history_copy(pl_history *to, const pl_history *from) {
  pl_history old = *to;
  *to = *from;
  to->q1 = old.q1;
  to->v1 = old.v1;
  to->spared = old.spared;
  to->period = old.period;
  to->warm_start = old.warm_start;
  to->nwarm_start = old.nwarm_start;
  if (to->spared && from->spared)
    memcpy(to->spared, from->spared, (size_t)from->nq * sizeof *to->spared);
  if (!to->q1 || !from->q1) return;
  memcpy(to->q1, from->q1, (size_t)from->nq * sizeof *to->q1);
  memcpy(to->v1, from->v1, (size_t)from->nq * sizeof *to->v1);
}

static pl_status go_on(pl_motion *k, const pl_history *given, int two, int spared, int nsample) {
  pl_history *h = &k->hist;
  if (given->nq != h->nq || (two && (!given->q1 || !given->v1)) || (spared && !given->spared) ||
      given->nsample != nsample || (nsample > 0 && !given->period))
    return pl_fail(k->env, PL_E_INPUT, "%s: the history is of another model or method",
                   k->method->name);
  history_copy(h, given);
  if (nsample > 0)
    memcpy(h->period, given->period, (size_t)nsample * (size_t)h->nq * sizeof *h->period);
  if (given->nwarm_start > 0) {
    h->warm_start = pl_alloc(k->env, (size_t)given->nwarm_start, sizeof *h->warm_start);
    if (!h->warm_start) return PL_E_NOMEM;
    memcpy(h->warm_start, given->warm_start, (size_t)given->nwarm_start * sizeof *h->warm_start);
    h->nwarm_start = given->nwarm_start;
  }
  *k->info = given->info;
  k->info->reason = PL_STOP_STEP;
  k->info->seconds = 0;
  return PL_OK;
}

pl_status pl_motion_open(pl_motion *k, pl_history *given, int two, int spared, int nsample) {
  int nq = pl_model_nq(k->m);
  PL_TRY(pl_state_create(k->m, k->p, &k->grid));
  PL_TRY(history_alloc(k->env, nq, nsample, two, spared, &k->hist));
  PL_TRY(history_alloc(k->env, nq, 0, two, spared, &k->back));
  if (k->contact) PL_TRY(pl_contact_keep(k->contact, &k->was));
  k->hist.start = k->s->t;
  k->hist.last_change = -1;
  if (given && given->nstep > 0) PL_TRY(go_on(k, given, two, spared, nsample));
  k->hist.info = *k->info;
  if (!given) return PL_OK;
  pl_history_free(k->env, given);
  *given = k->hist;
  k->shown = given;
  return PL_OK;
}

void pl_motion_close(pl_motion *k, pl_history *history, pl_status status) {
  // before it is shown the caller's is still its own
  if (history && k->shown == history) {
    *history = status < 0 ? (pl_history){0} : k->hist;
    if (status >= 0) k->hist = (pl_history){0};
  }
  pl_history_free(k->env, &k->hist);
  pl_history_free(k->env, &k->back);
  if (k->grid) pl_state_free(k->m, k->grid);
  pl_contact_kept_free(&k->was);
}

// ---- progress -----------------------------------------------------------------------------------

pl_status pl_motion_progress(pl_motion *k) {
  ticker tick = {k->env, k->method->name, k->last};
  char text[80];
  if (!ticker_due(&tick)) return PL_OK;
  k->last = tick.last;
  double start = k->hist.start, done;
  if (k->method->progress) {
    done = k->method->progress(k->ctx, text);
  } else {
    snprintf(text, sizeof text, "t = %.6g s, step %ld", k->s->t, k->hist.nstep);
    done = k->end > start ? (k->s->t - start) / (k->end - start) : -1;
  }
  return ticker_progress(&tick, done, text);
}

pl_status pl_motion_fail_domain(const pl_model *m, const pl_work *w, const char *what) {
  return fail_domain(m, w, what);
}

// a step is complete: it is counted, kept and told
static pl_status complete(pl_motion *k, int *stop) {
  k->hist.nstep++;
  if (k->method->complete) PL_TRY(k->method->complete(k->ctx));
  k->info->t = k->s->t;
  k->info->nstep = k->hist.nstep;
  // counts of a step that is cancelled on its way are those of the run that takes it again
  k->hist.info = *k->info;
  if (k->contact) PL_TRY(pl_contact_keep(k->contact, &k->was));
  if (k->shown) *k->shown = k->hist;
  PL_TRY(k->method->observe(k->ctx, stop));
  return *stop ? PL_OK : pl_motion_progress(k);
}

// ---- steps of the grid --------------------------------------------------------------------------

static void save(pl_motion *k) {
  pl_state_copy(k->grid, k->s);
  history_copy(&k->back, &k->hist);
  if (k->method->save) k->method->save(k->ctx);
}

// all but what has been done
static void restore_contact(pl_contact *k, const pl_contact *was) {
  pl_contact now = *k;
  pl_contact_back(k, was);
  k->solves = now.solves;
  k->sweeps = now.sweeps;
  k->iterations = now.iterations;
  k->residual = now.residual;
  k->most = now.most;
}

static void restore(pl_motion *k) {
  pl_state_copy(k->s, k->grid);
  history_copy(&k->hist, &k->back);
  if (k->contact) restore_contact(k->contact, &k->was);
  if (k->method->restore) k->method->restore(k->ctx);
}

// one step of the grid, in halves, quarters, ... where it fails
static pl_status grid_step(pl_motion *k, double h, double t) {
  const pl_method *f = k->method;
  double from = k->s->t;
  save(k);
  int least = f->halved ? f->halved(k->ctx) : 0, level = least;
  long part = 0, parts = 1L << level;
  while (part < parts) {
    double sub = h / (double)parts, to = part + 1 == parts ? t : from + sub * (double)(part + 1);
    pl_status s = f->attempt(k->ctx, sub, to, level);
    if (s == PL_UNSOLVED && level < f->halvings) {
      k->info->rejected++;
      level++;
      part *= 2;
      parts *= 2;
      continue;
    }
    if (s == PL_UNSOLVED && f->unsolved) f->unsolved(k->ctx);
    if (s == PL_OK) s = f->accept(k->ctx, sub);
    if (s != PL_OK) restore(k);
    PL_TRY(s);
    part++;
    // after two equal parts the longer one is tried again
    if (level > least && part % 2 == 0) {
      level--;
      part /= 2;
      parts /= 2;
    }
  }
  k->hist.step = h;
  return PL_OK;
}

static pl_status run_grid(pl_motion *k, const pl_time_grid *g) {
  const pl_history *h = &k->hist;
  int stop = 0;
  while (!stop && h->nstep < g->nstep) {
    int last = h->nstep + 1 == g->nstep, crumb = last && g->last != g->step;
    double t = h->start + (crumb ? g->length : (double)(h->nstep + 1) * g->step);
    PL_TRY(grid_step(k, last ? g->last : g->step, t));
    PL_TRY(complete(k, &stop));
  }
  if (!stop) k->info->reason = PL_STOP_END;
  return PL_OK;
}

// ---- lengths of the method ----------------------------------------------------------------------

static pl_status one_step(pl_motion *k, double *h) {
  const pl_method *f = k->method;
  for (double want = k->hist.step;;) {
    double t = k->s->t;
    *h = f->length(k->ctx, want, &t);
    pl_status s = f->attempt(k->ctx, *h, t, 0);
    if (s != PL_UNSOLVED) return s;
    k->info->rejected++;
    want = f->shorter(k->ctx, *h);
    if (want > 0) continue;
    if (f->unsolved) f->unsolved(k->ctx);
    return PL_UNSOLVED;
  }
}

static pl_status run_free(pl_motion *k) {
  int stop = 0;
  double h;
  for (;;) {
    PL_TRY(k->method->over(k->ctx, &stop));
    if (stop) return PL_OK;
    save(k);
    pl_status s = one_step(k, &h);
    if (s == PL_OK) s = k->method->accept(k->ctx, h);
    if (s != PL_OK) restore(k);
    PL_TRY(s);
    k->hist.step = k->method->longer(k->ctx, h);
    PL_TRY(complete(k, &stop));
    if (stop) return PL_OK;
  }
}

pl_status pl_motion_run(pl_motion *k, const pl_time_grid *g) {
  pl_status s = g ? run_grid(k, g) : run_free(k);
  if (s == PL_CANCELLED) {
    *k->info = k->hist.info;
    k->info->reason = PL_STOP_CANCELLED;
    if (k->contact) pl_contact_back(k->contact, &k->was);
  }
  k->info->t = k->s->t;
  k->info->nstep = k->hist.nstep;
  return s;
}
