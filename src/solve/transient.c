// Transients: Newmark, implicit Euler and BDF2 in fixed steps or by error control, steady state.
#include "solve_impl.h"

#include <string.h>

// how often a grid step is halved at most: to be solved, and to pass checks
enum { LEVELS = 16, CHECK_LEVELS = 8 };
// steps of the grid for which the length is kept that was solved where a longer one was not, at
// first and at most, doubled whenever that fails anew; how often they are halved then, at most
enum { PAUSE = 2, LONGEST_PAUSE = 64, MOST_HALVED = 4 };
static const double PERIOD_SLACK = 1e-6;
static const double STEP_LEAST = 1e-100; // s; its square is divided by

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
  if (o->method == PL_NEWMARK && !(o->newmark_beta > 0))
    return pl_fail(env, PL_E_INPUT, "transient: newmark_beta must be > 0");
  if (o->method == PL_NEWMARK && o->newmark_gamma < 0.5)
    pl_report(env, PL_WARNING, NULL, 0, 0, "use 0.5 or more",
              "transient: newmark_gamma %g makes every motion grow", o->newmark_gamma);
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
  p->least = o->min_step > 0 ? o->min_step : 1e-6 * p->g.step;
  p->most = p->g.length;
  // at least eight steps in a period of what drives the model
  int top = pl_model_max_harmonic(m);
  if (p->g.period > 0 && top > 0) p->most = fmin(p->most, p->g.period / (8 * top));
  return PL_OK;
}

// ---- what the loop asks for -------------------------------------------------------------------

// a transient under way
typedef struct run {
  stepper *st;
  plan p;
  pl_observe_fn observe;
  void *observe_ctx;
  double error, size; // adaptive: of the trial over the tolerance, largest motion so far
  int least, failed;  // halvings that the step of the grid began with; a part was not solved
} run;

// A step that is not solved costs more than the parts that are: the next steps of the grid begin
// with these, one halving more at a time, as what needed many of them was more likely an event.
static void remember_failure(run *r, int level) {
  pl_history *b = r->st->hist;
  b->halved = level <= r->least ? level : r->least + 1;
  if (b->halved > MOST_HALVED) b->halved = MOST_HALVED;
  if (!r->failed) b->halved_pause = b->halved_pause > 0 ? 2 * b->halved_pause : PAUSE;
  if (b->halved_pause > LONGEST_PAUSE) b->halved_pause = LONGEST_PAUSE;
  b->halved_steps = b->halved_pause;
  r->failed = 1;
}

static int halved(void *ctx) {
  run *r = ctx;
  pl_history *b = r->st->hist;
  if (jump_is_rigid(r->st)) {
    b->halved = b->halved_pause = 0;
  } else if (b->halved > 0 && b->halved_steps-- <= 0) {
    b->halved--;
    b->halved_steps = b->halved_pause;
  } else if (b->halved == 0 && b->halved_pause > 0) {
    b->halved_pause--;
  }
  r->failed = 0;
  return r->least = b->halved;
}

static pl_status attempt(void *ctx, double h, double t, int level) {
  stepper *st = ((run *)ctx)->st;
  int may_halve = level < LEVELS;
  if (jump_is_rigid(st)) {
    jump_try(st, h, t);
    return PL_OK;
  }
  if (may_halve && phase_is_long(st, h)) return PL_UNSOLVED;
  pl_status s = stepper_try(st, h, t);
  if (s == PL_UNSOLVED && may_halve) remember_failure(ctx, level + 1);
  if (s == PL_OK && may_halve && phase_begins(st, h)) return PL_UNSOLVED;
  // a solution that fails a check however short the step is taken, and told
  return s == PL_UNSOLVED && st->audit.unsound && level >= CHECK_LEVELS ? PL_OK : s;
}

static pl_status accept_step(void *ctx, double h) {
  stepper *st = ((run *)ctx)->st;
  if (!jump_is_rigid(st)) return stepper_accept(st, h);
  jump_accept(st, h);
  return PL_OK;
}

static pl_status complete_jump(void *ctx) {
  return jump_complete(((run *)ctx)->st);
}

static void restore(void *ctx) {
  stepper *st = ((run *)ctx)->st;
  st->audit.known = 0;
}

// e_p = sum over a period of |q(t) - q(t - period)|, eq. 28; of places: angles of rods may move on
// with their anchors while the rods come back
static pl_status period_progress(void *ctx) {
  stepper *st = ((run *)ctx)->st;
  pl_history *h = st->hist;
  if (!h->period) return PL_OK;
  int nq = st->nq, i = (int)((h->nstep - 1) % h->nsample);
  double *old = h->period + (size_t)i * nq, sum = 0;
  int places = pl_model_nnode(st->m) * pl_model_dim(st->m), n = places > 0 ? places : nq;
  for (int k = 0; k < n; k++) sum += (st->s->q[k] - old[k]) * (st->s->q[k] - old[k]);
  h->change = (i == 0 ? 0 : h->change) + sqrt(sum);
  memcpy(old, st->s->q, (size_t)nq * sizeof *old);
  // the first period has none before it
  if (i == h->nsample - 1 && h->nstep > h->nsample) h->last_change = h->change;
  return PL_OK;
}

// while drives still grow nothing is steady
static int is_steady(const run *r) {
  const stepper *st = r->st;
  const pl_history *h = st->hist;
  if (r->p.nsample == 0 || h->nstep % r->p.nsample != 0 || !(st->o->steady > 0)) return 0;
  if (st->s->t - 2 * r->p.g.period < st->o->ramp * (1 - 1e-9) && st->o->ramp > 0) return 0;
  return h->last_change >= 0 && h->last_change < st->o->steady;
}

static pl_status observe_step(void *ctx, int *stop) {
  run *r = ctx;
  stepper *st = r->st;
  pl_clock c = {st->s->t, st->o->frequency, 1, st->o->ramp, 1};
  if (r->observe && r->observe(r->observe_ctx, st->s, &c, st->w)) return PL_CANCELLED;
  if (audit_ran_away(st)) return PL_UNSOLVED;
  *stop = is_steady(r);
  if (*stop) st->info->reason = PL_STOP_STEADY;
  if (st->hist->jump.over) {
    *stop = 1;
    st->info->reason = PL_STOP_REST;
  }
  return PL_OK;
}

// ---- adaptive step ----------------------------------------------------------------------------

static pl_status over(void *ctx, int *yes) {
  const run *r = ctx;
  *yes = r->st->s->t >= r->st->motion->end;
  if (*yes) r->st->info->reason = PL_STOP_END;
  return PL_OK;
}

static int is_least(const run *r, double h) {
  return h <= r->p.least * (1 + 1e-9);
}

// no crumb at the end: the last two steps share what is left
static double length(void *ctx, double want, double *t) {
  const run *r = ctx;
  double h = fmin(fmax(fmin(want, phase_step(r->st)), r->p.least), r->p.most);
  double end = r->st->motion->end, left = end - r->st->s->t;
  if (left <= h * (1 + 1e-9)) {
    *t = end;
    return left;
  }
  if (left < 2 * h) h = left / 2;
  *t = r->st->s->t + h;
  return h;
}

static double order_of(const stepper *st) {
  return st->o->method == PL_IMPLICIT_EULER ? 2 : 3;
}

static pl_status attempt_accurate(void *ctx, double h, double t, int level) {
  run *r = ctx;
  (void)level;
  r->error = INFINITY;
  pl_status s = attempt(ctx, h, t, is_least(r, h) ? LEVELS : 0);
  if (s != PL_OK) return s;
  r->error = stepper_error(r->st, h, &r->size);
  return r->error <= 1 || is_least(r, h) ? PL_OK : PL_UNSOLVED;
}

static double shorter(void *ctx, double h) {
  const run *r = ctx;
  if (is_least(r, h)) return 0;
  double factor = r->error < INFINITY ? 0.9 * pow(r->error, -1 / order_of(r->st)) : 0.25;
  return fmax(r->p.least, h * fmin(fmax(factor, 0.1), 0.9));
}

// next step from the errors of this one and the one before (PI control)
static double longer(void *ctx, double h) {
  run *r = ctx;
  pl_history *b = r->st->hist;
  double order = order_of(r->st), now = fmax(r->error, 1e-10), before = fmax(b->error, 1e-4);
  double factor = 0.9 * pow(now, -0.7 / order) * pow(before, 0.4 / order);
  b->error = r->error;
  b->size = r->size;
  return h * fmin(fmax(factor, 0.2), 2);
}

static const pl_method fixed = {.name = "transient",
                                .halvings = LEVELS,
                                .attempt = attempt,
                                .halved = halved,
                                .accept = accept_step,
                                .restore = restore,
                                .complete = period_progress,
                                .observe = observe_step};
static const pl_method adaptive = {.name = "transient",
                                   .attempt = attempt_accurate,
                                   .accept = accept_step,
                                   .restore = restore,
                                   .observe = observe_step,
                                   .over = over,
                                   .length = length,
                                   .shorter = shorter,
                                   .longer = longer};

static const pl_method jumping = {.name = "jump",
                                  .halvings = LEVELS,
                                  .attempt = attempt,
                                  .halved = halved,
                                  .accept = accept_step,
                                  .restore = restore,
                                  .complete = complete_jump,
                                  .observe = observe_step};

// ---- whole ------------------------------------------------------------------------------------

static pl_status begin(stepper *st, double h) {
  PL_TRY(stepper_progress(st));
  PL_TRY(stepper_leave_out_light(st, h));
  if (st->hist->nstep > 0) return st->jump ? jump_open(st) : PL_OK;
  PL_TRY(stepper_begin(st));
  PL_TRY(stepper_settle(st, h));
  if (st->gradient) PL_TRY(follow_begin(st));
  if (st->jump) PL_TRY(jump_open(st));
  // contact needs it again
  if (st->contacts) return PL_OK;
  pl_factor_free(st->mass);
  st->mass = NULL;
  return PL_OK;
}

// what the run has come to
static void fill_info(const run *r, pl_status s) {
  const stepper *st = r->st;
  const pl_history *h = st->hist;
  pl_transient_info *info = st->info;
  if (s == PL_UNSOLVED) info->reason = audit_ran_away(st) ? PL_STOP_ENERGY : PL_STOP_STEP;
  audit_report(h, info);
  if ((info->reason == PL_STOP_END || info->reason == PL_STOP_REST) &&
      info->energy_worst > PL_ENERGY_FAIL * info->energy_scale)
    info->reason = PL_STOP_ENERGY;
  int there =
      info->reason == PL_STOP_END || info->reason == PL_STOP_STEADY || info->reason == PL_STOP_REST;
  if (there && info->time_error > st->o->max_error) info->reason = PL_STOP_PACE;
  double period = r->p.g.period;
  info->nperiod = r->p.nsample > 0 ? (int)(h->nstep / r->p.nsample)
                  : period > 0     ? pl_floor_int((st->s->t - h->start) / period * (1 + 1e-12))
                                   : 0;
  info->period_change = h->last_change;
}

static pl_status stepping(run *r, pl_history *history) {
  stepper *st = r->st;
  pl_motion *k = st->motion;
  PL_TRY(plan_make(st->env, st->m, st->o, &r->p));
  int nsample = st->o->steady > 0 ? r->p.nsample : 0;
  PL_TRY(stepper_open(st));
  if (st->contacts && st->o->method == PL_NEWMARK && st->o->impact_step > 0)
    PL_TRY(pl_sound_create(st->m, st->p, st->w, &st->sound));
  PL_TRY(pl_motion_open(k, history, st->o->method == PL_BDF2, st->whole.n > 0, nsample));
  if (st->gradient) PL_TRY(follow_check(st));
  if (!(k->hist.nstep > 0)) k->hist.step = r->p.g.step;
  k->end = k->hist.start + r->p.g.length;
  pl_status s = begin(st, r->p.g.step);
  // gone on with after its end
  if (k->hist.jump.over)
    st->info->reason = PL_STOP_REST;
  else if (s == PL_OK)
    s = pl_motion_run(k, st->o->adaptive ? NULL : &r->p.g);
  if (s >= 0) fill_info(r, s);
  return s;
}

// jump NULL: a plain transient
static pl_status run_motion(const pl_transient_opts *o, const pl_jump_opts *jump, const pl_model *m,
                            const pl_params *p, pl_contact *k, pl_gradient *gradient, pl_state *s,
                            pl_history *history, pl_work *w, pl_observe_fn observe, void *ctx,
                            pl_transient_info *info) {
  pl_transient_info own;
  const pl_transient_opts usual = pl_transient_defaults();
  if (!info) info = &own;
  if (!o) o = &usual;
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
  if (k && k->bodies && o->method == PL_BDF2)
    return pl_fail_at(w->env, PL_E_INPUT, NULL, 0, 0, "use newmark or implicit-euler",
                      "transient: bdf2 does not know contact of bodies");
  pl_motion motion = {.method = jump          ? &jumping
                                : o->adaptive ? &adaptive
                                              : &fixed,
                      .m = m,
                      .p = p,
                      .env = w->env,
                      .contact = k,
                      .s = s,
                      .info = info};
  stepper st = {.o = o,
                .m = m,
                .p = p,
                .w = w,
                .info = info,
                .env = w->env,
                .motion = &motion,
                .hist = &motion.hist,
                .n = pl_model_nfree(m),
                .nq = pl_model_nq(m),
                .dof = pl_model_free_dofs(m),
                .s = s,
                .jump = jump,
                .gradient = gradient};
  contact_set contacts = {0};
  pl_status status = k ? contact_set_open(&contacts, w->env, m, p, k) : PL_OK;
  if (k) st.contacts = &contacts;
  run r = {.st = &st, .observe = observe, .observe_ctx = ctx};
  motion.ctx = &r;
  if (status == PL_OK) status = stepping(&r, history);
  pl_motion_close(&motion, history, status);
  stepper_close(&st);
  if (k) contact_set_close(&contacts);
  info->seconds = pl_wall_time() - start;
  return status;
}

pl_status pl_transient_contact(const pl_transient_opts *o, const pl_model *m, const pl_params *p,
                               pl_contact *k, pl_state *s, pl_history *history, pl_work *w,
                               pl_observe_fn observe, void *ctx, pl_transient_info *info) {
  return run_motion(o, NULL, m, p, k, NULL, s, history, w, observe, ctx, info);
}

pl_status pl_jump_run(const pl_jump_opts *o, const pl_model *m, const pl_params *p, pl_contact *k,
                      pl_state *s, pl_history *history, pl_work *w, pl_observe_fn observe,
                      void *ctx, pl_transient_info *info) {
  const pl_jump_opts usual = pl_jump_defaults();
  if (!o) o = &usual;
  PL_TRY(solve_opts_check(w->env, pl_jump_option_table, pl_jump_option_count, o));
  PL_TRY(flight_check(m, w->env));
  const pl_transient_opts steps = pl_jump_transient(o);
  return run_motion(&steps, o, m, p, k, NULL, s, history, w, observe, ctx, info);
}

pl_status pl_transient(const pl_transient_opts *o, const pl_model *m, const pl_params *p,
                       pl_state *s, pl_history *history, pl_work *w, pl_observe_fn observe,
                       void *ctx, pl_transient_info *info) {
  return pl_transient_contact(o, m, p, NULL, s, history, w, observe, ctx, info);
}

pl_status pl_transient_gradient(const pl_transient_opts *o, const pl_model *m, const pl_params *p,
                                pl_gradient *g, pl_state *s, pl_history *history, pl_work *w,
                                pl_observe_fn observe, void *ctx, pl_transient_info *info) {
  return run_motion(o, NULL, m, p, NULL, g, s, history, w, observe, ctx, info);
}
