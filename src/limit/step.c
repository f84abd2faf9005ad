// Time steps of sheets with limits of stretch: an implicit solve without the limits, then the
// nearest state within them. Thesis of P. Tang, section 3.4 and Algorithm 1.
#include "couple.h"
#include "step_impl.h"

#include <stdio.h>
#include <string.h>

enum { LEVELS = 10 }; // how often a grid step is halved at most

static const double CLOSE = 1e-3; // part of an objective that may stay unknown where it must
static const double GAIN = 1e-9;  // of the energies on the way: rounding of what a step gains

// ---- rules --------------------------------------------------------------------------------------

void rule_euler(limit_stepper *k, double h, const double *q0, const double *v0) {
  k->dv = 1 / h;
  k->da = 1 / (h * h);
  for (int i = 0; i < k->nq; i++) {
    k->vc[i] = -q0[i] / h;
    k->ac[i] = -(q0[i] / h + v0[i]) / h;
  }
}

void rule_bdf2(limit_stepper *k, double h, const double *q0, const double *v0, double h1,
               const double *q1, const double *v1) {
  double rho = h / h1, c0 = (1 + 2 * rho) / (1 + rho), c1 = 1 + rho, c2 = rho * rho / (1 + rho);
  k->dv = c0 / h;
  k->da = k->dv * k->dv;
  for (int i = 0; i < k->nq; i++) {
    k->vc[i] = (c2 * q1[i] - c1 * q0[i]) / h;
    k->ac[i] = k->dv * k->vc[i] + (c2 * v1[i] - c1 * v0[i]) / h;
  }
}

// ---- one solve ----------------------------------------------------------------------------------

// the state at the end without limits and contact, into x and free
static pl_status solve_free(limit_stepper *k, const pl_state *from, double h, double t) {
  double start = pl_wall_time();
  pl_status s = PL_UNSOLVED;
  // from where the velocity leads, and if that is too far from where it is
  for (int way = 0; way < 2 && s == PL_UNSOLVED; way++) {
    int iterations = 0;
    pl_state_copy(k->x, from);
    for (int i = 0; i < k->nq && way == 0; i++) k->x->q[i] += h * from->v[i];
    s = pl_implicit_solve(k->implicit, t, k->dv, k->da, k->vc, k->ac, k->x, &iterations);
    k->step.newton += iterations;
    k->info->iterations += iterations;
  }
  memcpy(k->free, k->x->q, (size_t)k->nq * sizeof *k->free);
  k->step.seconds_step += pl_wall_time() - start;
  return s;
}

// Within the limits, and what is left to the nearest state is certified to be little: friction of
// many contacts may not come to an end.
static int is_close(const limit_stepper *k, const pl_project_info *i) {
  return i->violation <= k->po->violation && i->objective - i->bound <= CLOSE * i->objective;
}

pl_status project_free(limit_stepper *k, int which) {
  double start = pl_wall_time();
  pl_project_info *info = &k->step.project;
  barrier_set *c = &k->barrier_set;
  pl_status s =
      pl_project(k->po, k->sheet, k->free, c->nbar, c->bar, &k->warm_start[which], k->y, info);
  k->step.seconds_project += pl_wall_time() - start;
  k->step.nproject++;
  k->step.niter += info->iterations;
  if (s == PL_UNSOLVED) k->info->nunsolved++;
  k->info->nlifted += info->lifted;
  if (s != PL_OK && (s != PL_UNSOLVED || !is_close(k, info))) return s;
  memcpy(k->x->q, k->y, 3 * (size_t)k->nnode * sizeof *k->y);
  k->used = info->reason == PL_PROJECT_CONVERGED ? &k->warm_start[which] : NULL;
  k->info->worst_distance_rms = fmax(k->info->worst_distance_rms, info->rms);
  double part = info->objective > 0 ? (info->objective - info->bound) / info->objective : 0;
  k->info->worst_gap = fmax(k->info->worst_gap, part);
  return PL_OK;
}

typedef struct constrained {
  limit_stepper *k;
  int which; // of the step's solves
} constrained;

static pl_status project_once(void *ctx) {
  limit_stepper *k = ((constrained *)ctx)->k;
  int which = ((constrained *)ctx)->which;
  PL_TRY(pl_motion_progress(&k->motion));
  pl_status s = project_free(k, which);
  // many pairs of layers at one place: their friction may have no solution that can be found
  if (s != PL_UNSOLVED || barrier_set_ease(&k->barrier_set) == 0) return s;
  s = project_free(k, which);
  if (s == PL_OK) k->info->neased++;
  return s;
}

// x: the nearest state to free that limits and contact allow
static pl_status constrain(limit_stepper *k, const double *q, double h, double t, int which) {
  if (!k->sheet) return PL_OK;
  return barrier_set_solve(&k->barrier_set, q, k->free, h, t, k->x->q, project_once,
                           &(constrained){k, which});
}

// one solve of length h to time t by the rule at hand; k->x with its rates
static pl_status solve(limit_stepper *k, const pl_state *from, double h, double t, int which) {
  PL_TRY(solve_free(k, from, h, t));
  PL_TRY(constrain(k, from->q, h, t, which));
  for (int i = 0; i < k->nq; i++) {
    if (k->free_index[i] < 0) continue;
    k->x->v[i] = k->dv * k->x->q[i] + k->vc[i];
    k->x->a[i] = k->da * k->x->q[i] + k->ac[i];
  }
  return PL_OK;
}

static void book(limit_stepper *k, const pl_state *from, double h) {
  if (!k->sheet) return;
  const double *displaced = energy_shift(k, k->free, k->x->q);
  energy_impulse(k, k->x->q, displaced, h * k->da, h * k->da, from->v, k->x->v);
}

// ---- methods ------------------------------------------------------------------------------------

static int is_bdf2(const limit_stepper *k) {
  int m = k->o->method;
  return m == PL_BDF2 || m == PL_BDF2_PROJECT || m == PL_BDF2_REFLECT;
}

// elasticity, limits and contact are one program
static int is_coupled(const limit_stepper *k) {
  int m = k->o->method;
  return m == PL_NEWMARK || m == PL_BDF2 || m == PL_COUPLED;
}

// An impact ends a history: the formula over the states before it would throw nodes back.
static void land(limit_stepper *k) {
  if (is_bdf2(k)) barrier_set_land(&k->barrier_set, k->x->v);
}

static pl_status project_step(limit_stepper *k, double h, double t) {
  rule_euler(k, h, k->s->q, k->s->v);
  PL_TRY(solve(k, k->s, h, t, 0));
  land(k);
  book(k, k->s, h);
  return PL_OK;
}

// Contact is solved with the motion: after it, elasticity would feel nothing of what contact holds,
// and soft sheets would gain energy.
static pl_status euler_step(limit_stepper *k, double h, double t) {
  return (barrier_set_any(&k->barrier_set) ? couple_step : project_step)(k, h, t);
}

// the other side of what limits allow, but for nodes that contacts hold; into mid
static void reflect(limit_stepper *k) {
  pl_state_copy(k->mid, k->x);
  for (int i = 0; i < 3 * k->nnode; i++)
    if (k->free_index[i] >= 0) k->mid->q[i] = 2 * k->x->q[i] - k->free[i];
  barrier_set_keep(&k->barrier_set, k->x->q, k->mid->q);
}

// nothing has done work in the step yet
static void clear_works(limit_stepper *k) {
  memset(k->work, 0, sizeof k->work);
  barrier_set_reset(&k->barrier_set);
}

// two halves of a step, the second from the reflected state
static pl_status halves(limit_stepper *k, double h, double t, int reflected) {
  double half = 0.5 * h, middle = 0.5 * (k->s->t + t);
  clear_works(k);
  rule_euler(k, half, k->s->q, k->s->v);
  PL_TRY(solve(k, k->s, half, middle, 0));
  book(k, k->s, half);
  pl_state_copy(k->mid, k->x);
  if (reflected) reflect(k);
  if (reflected) PL_TRY(energy_move(k, k->x, k->mid));
  rule_euler(k, half, k->mid->q, k->mid->v);
  PL_TRY(solve(k, k->mid, half, t, 1));
  land(k);
  book(k, k->mid, half);
  return PL_OK;
}

// Where a load holds a sheet at its limit the reflection is no bounce: it would lift the load in
// every step and let it fall in the next.
static pl_status reflect_step(limit_stepper *k, double h, double t) {
  double gain;
  pl_status s = halves(k, h, t, 1);
  if (s == PL_OK) s = energy_gain(k, h, &gain);
  if (s == PL_DOMAIN || (s == PL_OK && gain > GAIN * k->info->scale)) return halves(k, h, t, 0);
  return s;
}

static pl_status bdf2_project_step(limit_stepper *k, double h, double t) {
  const pl_history *b = &k->motion.hist;
  if (!(b->last_step > 0)) return project_step(k, h, t);
  rule_bdf2(k, h, k->s->q, k->s->v, b->last_step, b->q1, b->v1);
  PL_TRY(solve(k, k->s, h, t, 0));
  land(k);
  book(k, k->s, h);
  return PL_OK;
}

// What limits correct in the middle of the step displaces the end of a step of the BDF-2 formula,
// as the reflected state does in reflect_step. A second half from the reflected state itself is
// unstable when either of its velocities is of the formula. Displacing by all of the correction
// adds energy at first, by half of it hardly any, up to steps of 20 ms and limits down to 0.1 %.
static pl_status bdf2_reflect_step(limit_stepper *k, double h, double t) {
  const pl_history *b = &k->motion.hist;
  const pl_state *s = k->s;
  if (!(b->last_step > 0)) return reflect_step(k, h, t);
  rule_bdf2(k, 0.5 * h, s->q, s->v, b->last_step, b->q1, b->v1);
  PL_TRY(solve(k, s, 0.5 * h, 0.5 * (s->t + t), 0));
  reflect(k);
  rule_bdf2(k, h, s->q, s->v, b->last_step, b->q1, b->v1);
  double *shift = k->mid->q;
  for (int i = 0; i < 3 * k->nnode; i++) {
    shift[i] = 0.5 * (k->mid->q[i] - k->x->q[i]);
    k->ac[i] -= k->da * shift[i];
  }
  PL_TRY(solve(k, s, h, t, 1));
  land(k);
  // it was limits that displaced the solve
  for (int i = 0; i < 3 * k->nnode; i++) k->free[i] -= shift[i];
  book(k, s, h);
  return PL_OK;
}

typedef pl_status (*step_fn)(limit_stepper *k, double h, double t);
static const step_fn methods[] = {
    [PL_NEWMARK] = couple_newmark_step,    [PL_IMPLICIT_EULER] = euler_step,
    [PL_BDF2] = couple_bdf2_step,          [PL_PROJECT] = project_step,
    [PL_REFLECT] = reflect_step,           [PL_BDF2_PROJECT] = bdf2_project_step,
    [PL_BDF2_REFLECT] = bdf2_reflect_step, [PL_COUPLED] = couple_step};

// ---- a step of the grid -------------------------------------------------------------------------

static void keep_before(limit_stepper *k, double h) {
  size_t size = (size_t)k->nq * sizeof(double);
  if (!k->motion.hist.q1) return;
  memcpy(k->motion.hist.q1, k->s->q, size);
  memcpy(k->motion.hist.v1, k->s->v, size);
  barrier_set_forget(&k->barrier_set, h, k->x->q, k->motion.hist.q1, k->motion.hist.v1);
}

// x becomes s
static pl_status accept_step(void *ctx, double h) {
  limit_stepper *k = ctx;
  k->step.overlap = -INFINITY;
  keep_before(k, h);
  k->step.ncontact = barrier_set_accept(&k->barrier_set, k->x->q, h, &k->step.overlap);
  k->motion.hist.last_step = k->met ? 0 : h;
  pl_state_copy(k->s, k->x);
  pl_commit(k->m, k->p, k->s);
  return energy_accept(k, h);
}

static pl_status attempt(void *ctx, double h, double t, int level) {
  limit_stepper *k = ctx;
  double *last = &k->motion.hist.last_step, before = *last;
  (void)level;
  clear_works(k);
  pl_status s = methods[k->o->method](k, h, t);
  k->met = s == PL_OK && is_bdf2(k) && barrier_set_met(&k->barrier_set, k->s->v);
  // layers that meet end the history: a step without it, and the next one as well
  if (k->met && before > 0) {
    *last = 0;
    clear_works(k);
    s = methods[k->o->method](k, h, t);
    *last = before;
  }
  // limits may have moved the state to where an element has no energy
  pl_clock c = {t, k->o->frequency, 1, k->o->ramp, 1};
  if (s == PL_OK && !is_coupled(k)) s = pl_eval(k->m, k->p, k->x, &c, PL_WANT_ENERGY, NULL, k->w);
  return s == PL_DOMAIN || s == PL_SINGULAR ? PL_UNSOLVED : s;
}

static void report_failure(void *ctx) {
  const limit_stepper *k = ctx;
  char what[80];
  snprintf(what, sizeof what, "transient: no step from t = %g s on", k->s->t);
  report_unsolved(k->env, &(unsolved){.what = what,
                                      .sheet = k->sheet,
                                      .project = k->step.nproject ? &k->step.project : NULL,
                                      .crowded = k->barrier_set.crowded,
                                      .pulled = k->k->contact || k->o->frequency > 0});
}

static void save(void *ctx) {
  limit_stepper *k = ctx;
  k->before = k->power;
  k->step = (pl_limit_step){.layer_gap = INFINITY};
}

static void restore(void *ctx) {
  limit_stepper *k = ctx;
  k->power = k->before;
}

// what the observer wants to know of the end of a step
static pl_status complete(void *ctx) {
  limit_stepper *k = ctx;
  pl_limit_step *p = &k->step;
  pl_transient_info *i = k->info;
  p->violation = p->between = -1;
  if (k->k->sheet) {
    p->violation = pl_sheet_violation(k->k->sheet, k->s->q, NULL);
    p->between = pl_sheet_between(k->k->sheet, k->s->q);
  }
  if (k->k->layers) p->layer_gap = pl_layers_least(k->k->layers, k->s->q);
  i->worst_violation = fmax(i->worst_violation, p->violation);
  i->worst_between = fmax(i->worst_between, p->between);
  i->nproject += p->nproject;
  i->niter += p->niter;
  i->seconds_step += p->seconds_step;
  i->seconds_project += p->seconds_project;
  return warm_start_keep(k->env, 2, k->warm_start, &k->motion.hist);
}

static pl_status observe_step(void *ctx, int *stop) {
  limit_stepper *k = ctx;
  pl_clock c = {k->s->t, k->o->frequency, 1, k->o->ramp, 1};
  (void)stop;
  return k->observe && k->observe(k->observe_ctx, k->s, &c, &k->step) ? PL_CANCELLED : PL_OK;
}

static const pl_method table = {.name = "transient",
                                .halvings = LEVELS,
                                .attempt = attempt,
                                .accept = accept_step,
                                .save = save,
                                .restore = restore,
                                .unsolved = report_failure,
                                .complete = complete,
                                .observe = observe_step};

// ---- whole --------------------------------------------------------------------------------------

static pl_status check(const limit_stepper *k) {
  const pl_transient_opts *o = k->o;
  if (pl_model_dim(k->m) != 3)
    return pl_fail(k->env, PL_E_INPUT, "transient: limits of stretch need three dimensions");
  if (o->adaptive || o->steady > 0)
    return pl_fail_at(k->env, PL_E_INPUT, NULL, 0, 0, "leave adaptive and steady out",
                      "transient: steps with limits of stretch are fixed and go on to the end");
  if (k->k->sheet && pl_sheet_nvert(k->k->sheet) != k->nnode)
    return pl_fail(k->env, PL_E_ARG, "transient: the sheet has %d vertices, the model %d nodes",
                   pl_sheet_nvert(k->k->sheet), k->nnode);
  return PL_OK;
}

// contact in the metric of masses of nodes
static pl_status check_masses(const limit_stepper *k) {
  const char *what;
  if (!barrier_set_any(&k->barrier_set)) return PL_OK;
  PL_TRY(pl_unfit_masses(k->env, k->o->method, k->m, k->p, &what));
  if (!what) return PL_OK;
  return pl_fail_at(k->env, PL_E_INPUT, NULL, 0, 0, "take Newmark, implicit Euler, coupled or BDF2",
                    "transient: this method does not know contact of %s", what);
}

static pl_status limit_stepper_open(limit_stepper *k, pl_history *history) {
  size_t nq = (size_t)k->nq;
  double **scratch[] = {&k->vc, &k->ac, &k->free, &k->v, &k->load, &k->rest};
  PL_TRY(pl_implicit_create(k->o, k->m, k->p, k->w, &k->implicit));
  PL_TRY(check(k));
  PL_TRY(pl_state_create(k->m, k->p, &k->x));
  PL_TRY(pl_state_create(k->m, k->p, &k->mid));
  for (size_t i = 0; i < sizeof scratch / sizeof scratch[0]; i++)
    if (!(*scratch[i] = pl_alloc(k->env, nq, sizeof(double)))) return PL_E_NOMEM;
  k->y = pl_alloc(k->env, 3 * (size_t)k->nnode, sizeof *k->y);
  k->mass = pl_alloc(k->env, (size_t)k->nnode, sizeof *k->mass);
  if (!k->y || !k->mass) return PL_E_NOMEM;
  pl_node_masses(k->m, k->p, k->mass);
  PL_TRY(barrier_set_open(&k->barrier_set, k->m, k->p, k->k, k->mass, k->x, k->w));
  PL_TRY(check_masses(k));
  k->sheet = k->o->method == PL_IMPLICIT_EULER ? NULL : k->k->sheet;
  int wanted = barrier_set_any(&k->barrier_set) || is_coupled(k);
  if (!k->sheet && wanted) PL_TRY(loose_sheet(k->env, k->m, k->mass, &k->loose));
  if (!k->sheet) k->sheet = k->loose;
  PL_TRY(pl_motion_open(&k->motion, history, is_bdf2(k), 0, 0));
  if (!k->sheet) return PL_OK;
  return warm_start_recall(k->env, &k->motion.hist, k->sheet->nvert,
                           k->sheet->nround + k->sheet->nflat, 2, k->warm_start);
}

static void limit_stepper_close(limit_stepper *k) {
  void *all[] = {k->vc, k->ac, k->free, k->v, k->load, k->rest, k->y, k->mass};
  couple_free(k->couple);
  pl_implicit_free(k->implicit);
  pl_state_free(k->m, k->x);
  pl_state_free(k->m, k->mid);
  pl_sheet_free(k->loose);
  pl_warm_start_free(k->env, &k->warm_start[0]);
  pl_warm_start_free(k->env, &k->warm_start[1]);
  barrier_set_close(&k->barrier_set);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(k->env, all[i]);
}

static pl_status start(limit_stepper *k) {
  pl_clock c = {k->s->t, k->o->frequency, 1, k->o->ramp, 1};
  pl_drive(k->m, k->p, &c, k->s);
  pl_status s = energy_eval(k, k->s, &k->power);
  if (s == PL_DOMAIN) return pl_motion_fail_domain(k->m, k->w, "transient");
  PL_TRY(s);
  if (k->motion.hist.nstep > 0) return PL_OK;
  k->motion.hist.ledger.start = k->step.kinetic + k->step.elastic + k->step.outer;
  return k->o->method == PL_NEWMARK ? pl_implicit_accelerate(k->implicit, k->s) : PL_OK;
}

static pl_status step_all(limit_stepper *k, pl_history *history) {
  pl_time_grid g;
  pl_motion *run = &k->motion;
  PL_TRY(limit_stepper_open(k, history));
  PL_TRY(pl_time_grid_make(k->env, k->o, &g));
  run->end = run->hist.start + g.length;
  pl_implicit_motion(k->implicit, run);
  PL_TRY(start(k));
  pl_status s = pl_motion_run(run, &g);
  double span = k->s->t - run->hist.start;
  if (g.period > 0) k->info->nperiod = pl_floor_int(span / g.period * (1 + 1e-12));
  return s;
}

pl_status pl_limit_transient(const pl_transient_opts *o, const pl_project_opts *po,
                             const pl_model *m, const pl_params *p, const pl_constraints *constrain,
                             pl_state *s, pl_history *history, pl_work *w,
                             pl_limit_observe_fn observe, void *ctx, pl_transient_info *info) {
  pl_transient_info own;
  if (!info) info = &own;
  *info = (pl_transient_info){.reason = PL_STOP_STEP,
                              .t = s->t,
                              .period_change = -1,
                              .worst_violation = -1,
                              .worst_between = -1};
  double begin = pl_wall_time();
  limit_stepper k = {.o = o,
                     .po = po,
                     .m = m,
                     .p = p,
                     .k = constrain,
                     .w = w,
                     .env = w->env,
                     .info = info,
                     .nnode = pl_model_nnode(m),
                     .nq = pl_model_nq(m),
                     .s = s,
                     .free_index = pl_model_free_index(m),
                     .observe = observe,
                     .observe_ctx = ctx};
  k.motion = (pl_motion){.method = &table,
                         .ctx = &k,
                         .m = m,
                         .p = p,
                         .env = w->env,
                         .contact = constrain->contact,
                         .s = s,
                         .info = info};
  PL_TRY(pl_opts_check(w->env, pl_project_option_table, pl_project_option_count, po));
  pl_status status = step_all(&k, history);
  pl_motion_close(&k.motion, history, status);
  limit_stepper_close(&k);
  info->seconds = pl_wall_time() - begin;
  return status;
}
