// Equilibrium within limits: steps of a descent without inertia, each the minimum of
//   W(q) - work of loads + |q - q_n|_M^2 / (2 h^2)
// within limits and contact, with a step h that grows as the motion slows. At h -> infinity this is
// the equilibrium itself; a finite h keeps each minimum near, where the sheet is slack.
#include "couple.h"
#include "step_impl.h"

#include <stdio.h>
#include <string.h>

enum { EFFORT = 80 }; // iterations of a solve on the way
static const double GROW = 1.6, SHRINK = 0.4, SMALLEST = 1e-6;
static const double SHORTEST = 1e-2; // of load steps, which are taken in parts instead
enum { DESCENTS = 100 };             // steps of the descent in a load step
static const double COARSE = 1e-3;   // tolerance of solves on the way, which need not be exact
static const double BALANCED = 1e-6; // of load steps: forces out of balance over those in play
static const double RISE = 1e-3;     // of layers that slide, over what they keep, at the end

#define OPT_STRUCT pl_drape_opts
const pl_option pl_drape_option_table[] = {PL_DRAPE_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_drape_option_count = sizeof pl_drape_option_table / sizeof *pl_drape_option_table;

typedef struct descent {
  const pl_drape_opts *o;
  pl_project_opts po;
  const pl_model *m;
  const pl_params *p;
  const pl_constraints *k;
  pl_work *w;
  pl_env *env;
  pl_transient_info *info;
  pl_sheet *sheet, *loose;
  couple *couple;
  barrier_set barrier_set;
  pl_state *s, *x; // last accepted, trial
  pl_warm_start warm_start;
  double *mass;      // [nnode] kg, row sums
  double *zero, *ac; // [nq]
  double *to;        // [nq] where contacts are looked for
  // its history: step: the next one; last_step and q1: length and move of the last; change: 1 where
  // that was rough or layers still slid
  pl_motion motion;
  pl_method method;
  pl_limit_observe_fn observe;
  void *observe_ctx;
  pl_limit_step step;
  double scale;         // load factor
  const double *anchor; // [nq] where contacts began to slide in a load step; NULL: in every step
  double h;             // s; length of the step under way
  int rough;            // it ended on its way to the minimum
  int laws;             // groups whose law has a boundary, which starts must not be beyond
  double rise;          // most that layers rose as they slid in the last step, over what they keep
  double released;      // J; of layers that yielded less at its end than at its start
} descent;

// ---- make ---------------------------------------------------------------------------------------

// how far the last accepted state lies beyond the limits, 0: it does not
static double beyond(const descent *d) {
  double violation = d->k->sheet ? pl_sheet_violation(d->sheet, d->s->q, NULL) : 0;
  return violation > d->po.violation ? violation : 0;
}

// energy and limits where the descent begins
static pl_status begin_book(descent *d) {
  pl_clock clock = {d->s->t, 0, d->scale, 0, 0};
  pl_status s = pl_eval(d->m, d->p, d->s, &clock, PL_WANT_ENERGY, &(pl_coef){0}, d->w);
  if (s < 0) return s;
  if (s == PL_OK) d->info->energy = d->w->potential;
  d->info->worst_violation = d->info->beyond = beyond(d);
  return PL_OK;
}

static pl_status complete(void *ctx) {
  descent *d = ctx;
  pl_history *h = &d->motion.hist;
  h->change = d->rough || d->rise > RISE || d->step.project.lifted;
  return warm_start_keep(d->env, 1, &d->warm_start, h);
}

static pl_status begin_history(descent *d, pl_history *given) {
  pl_history *h = &d->motion.hist;
  PL_TRY(begin_book(d));
  PL_TRY(pl_motion_open(&d->motion, given, 1, 0, 0));
  if (h->nstep <= 0) {
    h->step = d->o->step;
    return PL_OK;
  }
  return warm_start_recall(d->env, h, d->sheet->nvert, d->sheet->nround + d->sheet->nflat, 1,
                           &d->warm_start);
}

static pl_status descent_open(descent *d, pl_history *history) {
  size_t nq = (size_t)pl_model_nq(d->m);
  d->mass = pl_alloc(d->env, (size_t)pl_model_nnode(d->m), sizeof *d->mass);
  d->zero = pl_alloc(d->env, nq, sizeof *d->zero);
  d->ac = pl_alloc(d->env, nq, sizeof *d->ac);
  d->to = pl_alloc(d->env, nq, sizeof *d->to);
  if (!d->mass || !d->zero || !d->ac || !d->to) return PL_E_NOMEM;
  pl_node_masses(d->m, d->p, d->mass);
  d->sheet = d->k->sheet;
  if (!d->sheet) {
    PL_TRY(loose_sheet(d->env, d->m, d->mass, &d->loose));
    d->sheet = d->loose;
  }
  PL_TRY(pl_state_create(d->m, d->p, &d->x));
  for (int g = 0; g < pl_model_ngroup(d->m); g++)
    d->laws += pl_model_group_kind(d->m, g)->eval_law != NULL;
  PL_TRY(barrier_set_open(&d->barrier_set, d->m, d->p, d->k, d->mass, d->x, d->w));
  d->barrier_set.descent = 1;
  d->barrier_set.anchor = d->anchor;
  PL_TRY(couple_create(&d->po, d->m, d->p, d->w, d->sheet, &d->couple));
  couple_lift(d->couple, d->anchor == NULL);
  return begin_history(d, history);
}

static void descent_close(descent *d) {
  couple_free(d->couple);
  barrier_set_close(&d->barrier_set);
  pl_state_free(d->m, d->x);
  pl_sheet_free(d->loose);
  pl_warm_start_free(d->env, &d->warm_start);
  pl_free(d->env, d->mass);
  pl_free(d->env, d->zero);
  pl_free(d->env, d->ac);
  pl_free(d->env, d->to);
}

// ---- steps --------------------------------------------------------------------------------------

// x: where the last step leads. Beyond the limits the interior point has more room to begin with
// than at their boundary.
static void begin(descent *d, double h) {
  double length = d->motion.hist.last_step;
  double ratio = length > 0 && d->laws == 0 ? h * h / (length * length) : 0;
  pl_state_copy(d->x, d->s);
  for (int i = 0; i < d->s->nq; i++) d->x->q[i] += fmin(ratio, 2) * d->motion.hist.q1[i];
}

// where nodes fall, a little: contacts there belong to the first solve. Near the end planes are put
// where the nodes are
static void look_ahead(descent *d, double h) {
  const double *g = d->p->par + PL_PAR_GRAVITY;
  double pull = pl_norm3(g), way = fmin(0.5 * pull * h * h, 0.5 * d->sheet->edge);
  way *= fmin(1, 10 * d->info->residual);
  for (int i = 0; i < 3 * pl_model_nnode(d->m); i++)
    d->to[i] = d->s->q[i] + (pull > 0 ? way * g[i % 3] / pull : 0);
}

// a solve that ran out of iterations inside of the limits serves as well, if it went down
static int is_rough(const descent *d) {
  const pl_project_info *info = &d->step.project;
  return info->reason == PL_PROJECT_MAX_ITER && info->violation <= d->po.violation;
}

// one solve from the start: planes have moved
static pl_status minimise_once(void *ctx) {
  descent *d = ctx;
  pl_clock clock = {d->s->t, 0, d->scale, 0, 0};
  pl_project_info *info = &d->step.project;
  const barrier_set *c = &d->barrier_set;
  double h = d->h;
  begin(d, h);
  pl_status s = couple_solve(d->couple, &clock, 0, 1 / (h * h), d->zero, d->ac, c->nbar, c->bar,
                             &d->warm_start, d->x, info);
  d->rough = s == PL_UNSOLVED && is_rough(d);
  if (!d->rough) PL_TRY(s);
  d->info->iterations += info->iterations;
  d->step.nproject++;
  d->step.niter += info->iterations;
  return PL_OK;
}

// x: the minimum near s, or where it is rough a state on the way there
static pl_status minimise(descent *d, double h) {
  int any = barrier_set_any(&d->barrier_set);
  double da = 1 / (h * h);
  for (int i = 0; i < d->s->nq; i++) d->ac[i] = -da * d->s->q[i];
  if (any) look_ahead(d, h);
  d->h = h;
  d->step.nproject = d->step.niter = 0;
  // friction remembers errors on the way
  double coarse = (any ? 0.01 : 1) * COARSE * fmin(1, d->info->residual);
  couple_tolerance(d->couple, fmax(d->po.gap, coarse));
  return barrier_set_solve(&d->barrier_set, d->s->q, d->to, h, d->s->t, d->x->q, minimise_once, d);
}

// the potential of the step at a state: what must fall
static pl_status potential(descent *d, const pl_state *x, double h, double *out) {
  pl_clock clock = {d->s->t, 0, d->scale, 0, 0};
  PL_TRY(pl_eval(d->m, d->p, x, &clock, PL_WANT_ENERGY, &(pl_coef){0}, d->w));
  *out = d->w->potential;
  for (int i = 0; i < 3 * pl_model_nnode(d->m); i++) {
    double move = x->q[i] - d->s->q[i];
    *out += d->mass[i / 3] * move * move / (2 * h * h);
  }
  return PL_OK;
}

// drives of a new load step move with its first solve
static int is_driven(const descent *d) {
  const int *free_index = pl_model_free_index(d->m);
  for (int i = 0; i < d->s->nq; i++)
    if (free_index[i] < 0 && d->x->q[i] != d->s->q[i]) return 1;
  return 0;
}

// every step must lower the energy; planes that have moved, and rough solves, may lead up. Back
// from beyond the limits and with drives the way may lead up as well
static pl_status check_fall(descent *d, double h) {
  double before = 0, after = 0;
  if (beyond(d) > 0 || is_driven(d)) return PL_OK;
  pl_status s = potential(d, d->s, h, &before);
  // s does not move in the step: all of it is the model's
  double rise = -before;
  if (s == PL_OK) s = potential(d, d->x, h, &after);
  rise += d->w->potential;
  if (s != PL_OK) return s == PL_DOMAIN ? PL_UNSOLVED : s;
  d->released = barrier_set_released(&d->barrier_set, d->x->q, 1 / (h * h));
  // at the end it stands still but for what solves leave open
  if (after <= before + d->released + 1e-6 * (fabs(before) + fabs(after))) return PL_OK;
  d->info->refused++;
  d->info->rise = rise;
  return PL_UNSOLVED;
}

// forces that the step's own term still takes, over the weight (or over what holds the sheet)
static double out_of_balance(const descent *d, double h) {
  double out = 0, weight = 0, held = 0;
  const int *free_index = pl_model_free_index(d->m);
  const double *g = d->p->par + PL_PAR_GRAVITY;
  double pull = pl_norm3(g);
  for (int i = 0; i < pl_model_nnode(d->m); i++) {
    double f[3] = {0};
    for (int c = 0; c < 3; c++) {
      int q = 3 * i + c;
      if (free_index[q] >= 0)
        f[c] = d->mass[i] * (d->x->q[q] - d->s->q[q]) / (h * h);
      else
        held += fabs(d->w->r[q]);
    }
    out += pl_norm3(f);
    weight += d->mass[i] * pull;
  }
  double size = fmax(weight, held);
  return size > 0 ? out / size : out;
}

static pl_status accept_step(void *ctx, double h) {
  descent *d = ctx;
  pl_limit_step *step = &d->step;
  pl_clock clock = {d->s->t, 0, d->scale, 0, 0};
  // energies at the end of the step, for the observer
  PL_TRY(pl_eval(d->m, d->p, d->x, &clock, PL_WANT_ENERGY | PL_WANT_FORCE, &(pl_coef){0}, d->w));
  double change = beyond(d) > 0 ? 0 : d->w->potential - d->info->energy;
  d->info->energy_made += fmax(change - fmax(d->released, 0), 0);
  d->info->energy_fall += fmax(-change, 0);
  d->info->residual = out_of_balance(d, h);
  d->rise = barrier_set_rise(&d->barrier_set, d->x->q);
  for (int i = 0; i < d->s->nq; i++) d->motion.hist.q1[i] = d->x->q[i] - d->s->q[i];
  d->motion.hist.last_step = h;
  pl_state_copy(d->s, d->x);
  memset(d->s->v, 0, (size_t)d->s->nq * sizeof *d->s->v);
  memset(d->s->a, 0, (size_t)d->s->nq * sizeof *d->s->a);
  pl_commit(d->m, d->p, d->s);
  step->violation = step->project.violation;
  step->between = pl_sheet_between(d->sheet, d->s->q);
  barrier_set_impulse(&d->barrier_set, 1 / h, d->zero);
  step->ncontact = barrier_set_accept(&d->barrier_set, d->s->q, h, &step->overlap);
  barrier_set_react(&d->barrier_set, 1 / (h * h), d->w->r);
  step->elastic = d->w->elastic;
  step->outer = d->w->potential - d->w->elastic;
  d->info->worst_violation = step->violation;
  d->info->worst_between = step->between;
  d->info->energy = d->w->potential;
  return PL_OK;
}

// ---- what the loop asks for ---------------------------------------------------------------------

static pl_status attempt(void *ctx, double h, double t, int level) {
  descent *d = ctx;
  int refused = d->info->refused;
  (void)t, (void)level;
  barrier_set_reset(&d->barrier_set);
  d->rough = 0;
  PL_TRY(pl_motion_progress(&d->motion));
  pl_status s = minimise(d, h);
  if (s == PL_OK) s = check_fall(d, h);
  d->info->reason = d->info->refused > refused ? PL_STOP_ENERGY : PL_STOP_STEP;
  return s == PL_SINGULAR ? PL_UNSOLVED : s;
}

static void report_failure(void *ctx) {
  const descent *d = ctx;
  char what[80];
  if (d->info->reason == PL_STOP_ENERGY || d->anchor) return;
  snprintf(what, sizeof what, "drape: no step after the first %ld", d->info->nstep);
  report_unsolved(d->env, &(unsolved){.what = d->info->nstep ? what : "drape: no step",
                                      .sheet = d->sheet,
                                      .project = d->step.nproject ? &d->step.project : NULL,
                                      .crowded = d->barrier_set.crowded,
                                      .pulled = d->k->contact != NULL});
}

static pl_status observe_step(void *ctx, int *stop) {
  descent *d = ctx;
  pl_clock clock = {d->s->t, 0, d->scale, 0, 0};
  (void)stop;
  return d->observe && d->observe(d->observe_ctx, d->s, &clock, &d->step) ? PL_CANCELLED : PL_OK;
}

static pl_status over(void *ctx, int *yes) {
  const descent *d = ctx;
  const pl_history *h = &d->motion.hist;
  *yes = h->nstep > 0 && !(h->change > 0) && d->info->residual <= d->o->tolerance;
  if (*yes) d->info->reason = PL_STOP_CONVERGED;
  if (*yes || h->nstep < d->o->max_steps) return PL_OK;
  d->info->reason = PL_STOP_MAX_ITER;
  return PL_UNSOLVED;
}

static double length(void *ctx, double want, double *t) {
  (void)ctx, (void)t;
  return want;
}

static double shorter(void *ctx, double h) {
  descent *d = ctx;
  if (!(h > (d->anchor ? SHORTEST : SMALLEST) * d->o->step)) return 0;
  pl_warm_start_free(d->env, &d->warm_start);
  return SHRINK * h;
}

static double longer(void *ctx, double h) {
  const descent *d = ctx;
  return d->rough ? h : GROW * h;
}

static double progress(void *ctx, char text[80]) {
  const descent *d = ctx;
  snprintf(text, 80, "step %ld, out of balance %.2g", d->info->nstep, d->info->residual);
  return -1;
}

static const pl_method table = {.name = "drape",
                                .attempt = attempt,
                                .accept = accept_step,
                                .unsolved = report_failure,
                                .complete = complete,
                                .observe = observe_step,
                                .over = over,
                                .length = length,
                                .shorter = shorter,
                                .longer = longer,
                                .progress = progress};

static pl_status descend(descent *d, pl_history *history) {
  pl_transient_info *info = d->info;
  *info =
      (pl_transient_info){.reason = PL_STOP_STEP, .t = d->s->t, .residual = 1, .worst_between = -1};
  double start = pl_wall_time();
  PL_TRY(pl_opts_check(d->w->env, pl_drape_option_table, pl_drape_option_count, d->o));
  PL_TRY(pl_opts_check(d->w->env, pl_project_option_table, pl_project_option_count, &d->po));
  d->env = d->w->env;
  d->method = table;
  if (d->anchor) d->method.name = "static";
  d->motion = (pl_motion){.method = &d->method,
                          .ctx = d,
                          .m = d->m,
                          .p = d->p,
                          .env = d->env,
                          .contact = d->k->contact,
                          .s = d->s,
                          .info = info};
  if (d->po.max_iter > EFFORT) d->po.max_iter = EFFORT;
  pl_status status = descent_open(d, history);
  if (status == PL_OK) status = pl_motion_run(&d->motion, NULL);
  pl_motion_close(&d->motion, history, status);
  descent_close(d);
  info->seconds = pl_wall_time() - start;
  return status;
}

pl_status pl_drape(const pl_drape_opts *o, const pl_project_opts *po, const pl_model *m,
                   const pl_params *p, const pl_constraints *k, pl_state *s, pl_history *history,
                   pl_work *w, pl_limit_observe_fn observe, void *ctx, pl_transient_info *info) {
  pl_transient_info own;
  descent d = {.o = o, .po = *po, .m = m, .p = p, .k = k, .w = w, .s = s, .scale = 1};
  d.observe = observe;
  d.observe_ctx = ctx;
  d.info = info ? info : &own;
  return descend(&d, history);
}

// ---- load steps ---------------------------------------------------------------------------------

typedef struct load_steps {
  const pl_static_opts *o;
  pl_drape_opts drape;
  pl_project_opts project;
  const pl_model *m;
  const pl_params *p;
  const pl_constraints *k;
  pl_state *s, *start;
  pl_work *w;
  pl_observe_fn observe;
  void *ctx;
  pl_static_info *info;
  int ninverted; // elements turned inside out at the start
  double done;   // load factor to begin at
} load_steps;

// largest force out of balance over the largest of all, reactions with those of contact
static double balance(const load_steps *l) {
  const int *free_index = pl_model_free_index(l->m);
  double out = 0, most = 0;
  for (int i = 0; i < l->s->nq; i++) {
    most = fmax(most, fmax(fabs(l->w->f_inner[i]), fabs(l->w->r[i])));
    if (free_index[i] >= 0) out = fmax(out, fabs(l->w->r[i]));
  }
  return most > 0 ? out / most : 0;
}

// a body may find its balance inside out, which is none of its own
static pl_status check_inverted(load_steps *l) {
  pl_static_info *i = l->info;
  int n = pl_count_inverted(l->m, l->p, l->s, &i->bad_group, &i->bad_elem);
  i->ninverted = n > l->ninverted ? n - l->ninverted : 0;
  if (i->ninverted == 0) return PL_OK;
  i->reason = PL_STOP_INVERTED;
  return PL_UNSOLVED;
}

static pl_status load_step(load_steps *l, double scale) {
  pl_transient_info t;
  pl_clock c = {l->s->t, 0, scale, 0, 0};
  pl_state_copy(l->start, l->s);
  descent d = {.o = &l->drape, .po = l->project, .m = l->m, .p = l->p, .k = l->k, .w = l->w};
  d.s = l->s;
  d.info = &t;
  d.scale = scale;
  d.anchor = l->start->q;
  pl_status s = descend(&d, NULL);
  l->info->iterations += (int)t.iterations;
  l->info->factorisations += (int)t.iterations;
  l->info->reason = t.reason;
  if (s == PL_UNSOLVED) l->info->residual = t.residual;
  if (s == PL_OK) s = check_inverted(l);
  if (s != PL_OK) pl_state_copy(l->s, l->start);
  PL_TRY(s);
  l->info->residual = balance(l);
  l->info->energy = t.energy;
  l->info->scale = scale;
  l->info->nstep++;
  return l->observe && l->observe(l->ctx, l->s, &c, l->w) ? PL_CANCELLED : PL_OK;
}

// a load step that is not solved is taken in halves; what is done is passed over, and a part of
// which some is done was halved
static pl_status load_to(load_steps *l, double from, double to, int cuts) {
  if (to <= l->done) return PL_OK;
  pl_status s = from < l->done ? PL_UNSOLVED : load_step(l, to);
  if (s != PL_UNSOLVED || cuts == 0) return s;
  PL_TRY(load_to(l, from, (from + to) / 2, cuts - 1));
  return load_to(l, (from + to) / 2, to, cuts - 1);
}

pl_status pl_limit_static(const pl_static_opts *o, const pl_model *m, const pl_params *p,
                          const pl_constraints *k, const pl_static_info *from, pl_state *s,
                          pl_work *w, pl_observe_fn observe, void *ctx, pl_static_info *info) {
  pl_static_info own;
  if (!info) info = &own;
  double start = pl_wall_time(), done = from ? from->scale : 0;
  *info = from ? *from : (pl_static_info){.reason = PL_STOP_STEP, .nneg = -1, .nzero = -1};
  PL_TRY(pl_opts_check(w->env, pl_static_option_table, pl_static_option_count, o));
  if (k->sheet) return pl_fail(w->env, PL_E_ARG, "static: limits of stretch are for pl_drape");
  if (o->critical || o->perturb)
    return pl_fail_at(w->env, PL_E_INPUT, NULL, 0, 0, "leave them out",
                      "static: critical and perturb know no contact");
  load_steps l = {.o = o, .m = m, .p = p, .k = k, .s = s, .w = w, .done = done};
  l.observe = observe;
  l.ctx = ctx;
  l.info = info;
  pl_opts_default(pl_drape_option_table, pl_drape_option_count, &l.drape);
  pl_opts_default(pl_project_option_table, pl_project_option_count, &l.project);
  l.drape.tolerance = BALANCED;
  l.drape.max_steps = DESCENTS;
  l.project.gap = BALANCED / 100;
  l.ninverted = pl_count_inverted(m, p, s, NULL, NULL);
  pl_status status = pl_state_create(m, p, &l.start);
  for (int i = 1; status == PL_OK && i <= o->steps; i++)
    status = load_to(&l, (i - 1.) / o->steps, (double)i / o->steps, o->cuts);
  pl_state_free(m, l.start);
  if (status == PL_CANCELLED) info->reason = PL_STOP_CANCELLED;
  info->seconds = pl_wall_time() - start;
  return status;
}
