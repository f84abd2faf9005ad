// design: optimises, checks what was found, and hands it to the writers.
#include "run_design.h"

#include "checkpoint.h"

#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

// ---- start ------------------------------------------------------------------------------------

static void set_options(designing *t) {
  const pl_design_opts *o = &t->a->opts.design_;
#define X(type, name, ...) t->opts.name = o->name;
#define C(name, ...)       t->opts.name = o->name;
  PL_OPTIMISE_OPTS(X, C)
#undef X
#undef C
}

static pl_status allocate(designing *t) {
  pl_env *env = t->j->env;
  size_t nv = (size_t)t->nvar, no = (size_t)t->nobj, np = (size_t)t->npoint,
         nw = (size_t)t->a->nprobe;
  t->lo = pl_alloc(env, 2 * nv, sizeof(double));
  t->name = pl_alloc(env, nv, sizeof *t->name);
  t->unit = pl_alloc(env, nv, sizeof *t->unit);
  t->proof = pl_alloc(env, np + no, sizeof *t->proof);
  t->peak = pl_alloc(env, no, sizeof(pl_orbit *));
  if (!t->lo || !t->name || !t->unit || !t->proof || !t->peak) return PL_E_NOMEM;
  t->hi = t->lo + nv;
  for (int side = 0; side < 2; side++) {
    t->orbit[side] = pl_alloc(env, np, sizeof(pl_orbit *));
    t->track[side] = pl_alloc(env, (4 + TRACE) * no, sizeof(double));
    t->path[side] = pl_alloc(env, np * nw, sizeof(double));
    if (!t->orbit[side] || !t->track[side] || !t->path[side]) return PL_E_NOMEM;
    t->error[side] = t->track[side] + no;
    t->phase[side] = t->error[side] + no;
    t->quantity[side] = t->phase[side] + no;
    t->trace[side] = t->quantity[side] + no;
  }
  return PL_OK;
}

static void release(designing *t) {
  pl_env *env = t->j->env;
  for (int k = 0; t->name && k < t->nvar; k++) pl_free(env, t->name[k]);
  for (int side = 0; side < 2; side++) {
    for (int i = 0; t->orbit[side] && i < t->npoint; i++) pl_orbit_free(t->orbit[side][i]);
    pl_free(env, t->orbit[side]);
    pl_free(env, t->track[side]);
    pl_free(env, t->path[side]);
    for (int way = 0; way < WAYS; way++) pl_curve_free(t->curve[side][way]);
    pl_params_free(t->state[side]);
  }
  for (int k = 0; t->peak && k < t->nobj; k++) pl_orbit_free(t->peak[k]);
  void *all[] = {t->lo, t->name, t->unit, t->proof, t->peak, t->kept.ints, t->kept.reals};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(env, all[k]);
  pl_design_free(t->d);
  pl_design_result_free(t->r);
}

// what objective k is about, and its drawing; none where there is no motion to tell of
static pl_status keep_quantity(designing *t, int side, int k) {
  const pl_objective_kind *kind = t->plan->problem.objective[k].kind;
  t->quantity[side][k] = NAN;
  if (kind->form == PL_FORM_OWN) return PL_OK;
  pl_status st = pl_design_quantity(t->d, k, &t->quantity[side][k], NULL);
  if (st == PL_OK && kind->trace)
    st = pl_design_trace(t->d, k, TRACE, t->trace[side] + (size_t)k * TRACE);
  return st < 0 || st == PL_CANCELLED ? st : PL_OK;
}

// motions, peaks and folds as they are now
static pl_status keep_motions(designing *t, int side) {
  for (int i = 0; i < t->npoint; i++) {
    const pl_orbit *o = pl_design_orbit(t->d, i);
    PL_TRY(pl_orbit_copy(o, o->nharm, &t->orbit[side][i]));
  }
  for (int k = 0; k < t->nobj; k++) {
    const pl_orbit *peak;
    const pl_objective *o = &t->plan->problem.objective[k];
    t->track[side][k] = pl_design_tracked(t->d, k, &peak);
    if (side == 1 && o->kind->scope == PL_SCOPE_WINDOW && peak)
      PL_TRY(pl_orbit_copy(peak, peak->nharm, &t->peak[k]));
    PL_TRY(keep_quantity(t, side, k));
  }
  return pl_params_copy(t->j->env, pl_design_params(t->d), &t->state[side]);
}

static pl_status keep_names(designing *t) {
  pl_design_bounds(t->d, t->lo, t->hi);
  for (int k = 0; k < t->nvar; k++) {
    t->name[k] = pl_strdup(t->j->env, pl_design_name(t->d, k));
    t->unit[k] = pl_design_unit(t->d, k);
    if (!t->name[k]) return PL_E_NOMEM;
  }
  return PL_OK;
}

// ---- optimisation with checkpoints ------------------------------------------------------------

static pl_status write_checkpoint(designing *t) {
  if (t->kept.nint == 0) return PL_OK;
  return design_checkpoint_write(t->j, t->a, &t->kept);
}

static int keep_state(designing *t, const pl_design_state *s) {
  int *ints = pl_realloc(t->j->env, t->kept.ints, (size_t)s->nint + 1, sizeof *ints);
  if (ints) t->kept.ints = ints;
  double *reals = pl_realloc(t->j->env, t->kept.reals, (size_t)s->nreal + 1, sizeof *reals);
  if (reals) t->kept.reals = reals;
  if (!ints || !reals) return 0;
  memcpy(ints, s->ints, (size_t)s->nint * sizeof *ints);
  memcpy(reals, s->reals, (size_t)s->nreal * sizeof *reals);
  t->kept.nint = s->nint;
  t->kept.nreal = s->nreal;
  return 1;
}

static int tell_motions(const designing *t, const pl_design_result *r, int i,
                        const pl_orbit *const *orbit, const pl_params *p) {
  return job_iterate(t->j, t->a,
                     &(pl_iterate){.iteration = i,
                                   .value = r->step[i].value,
                                   .n = t->nvar,
                                   .name = (const char *const *)t->name,
                                   .x = r->path + (size_t)i * (size_t)t->nvar,
                                   .norbit = t->npoint,
                                   .orbit = orbit,
                                   .params = p});
}

// after the first step its beginning, too; non-zero: who looks on wants an end
static int tell_step(const designing *t, const pl_design_result *r) {
  if (!job_iterates(t->j)) return 0;
  const pl_orbit **orbit = pl_alloc(t->j->env, (size_t)t->npoint, sizeof(pl_orbit *));
  int stop = 0;
  if (r->nstep == 2)
    stop = tell_motions(t, r, 0, (const pl_orbit *const *)t->orbit[0], t->state[0]);
  for (int i = 0; orbit && i < t->npoint; i++) orbit[i] = pl_design_orbit(t->d, i);
  if (orbit && !stop) stop = tell_motions(t, r, r->nstep - 1, orbit, pl_design_params(t->d));
  pl_free(t->j->env, orbit);
  return stop;
}

// a checkpoint that cannot be kept or written stops the run: better now than after hours
static int on_iteration(void *ctx, const pl_design_result *so_far, const pl_design_state *state) {
  designing *t = ctx;
  if (!keep_state(t, state)) return 1;
  if (checkpoint_due(t->j) && write_checkpoint(t) != PL_OK) return 1;
  return tell_step(t, so_far);
}

static pl_status optimise(designing *t) {
  pl_design_state *resume = NULL;
  PL_TRY(design_checkpoint_read(t->j, t->a, &resume));
  pl_status st = pl_design_run(t->d, resume, on_iteration, t, &t->r);
  pl_design_state_free(resume);
  if (st < 0) return st;
  t->cancelled = st == PL_CANCELLED;
  pl_status w = write_checkpoint(t);
  return w < 0 ? w : st;
}

// ---- checks of what was found -----------------------------------------------------------------

// an operating point counts where an objective looks at it, or where its frequency was asked for
static int is_wanted(const designing *t, int point) {
  int windows = 0;
  if (t->a->opts.design_.frequency > 0 || t->npoint > 1) return 1;
  for (int k = 0; k < t->nobj; k++) {
    const pl_objective *o = &t->plan->problem.objective[k];
    int window = o->kind->scope == PL_SCOPE_WINDOW;
    windows += window;
    if (o->point == point && !window && o->kind->scope != PL_SCOPE_VALUES) return 1;
  }
  return windows == 0;
}

static pl_status prove(designing *t) {
  const pl_scene *sc = t->j->scene;
  const pl_proof_opts *o = &t->plan->proof;
  for (int i = 0; t->plan->prove && i < t->npoint; i++) {
    if (!is_wanted(t, i)) continue;
    proven *p = &t->proof[t->proved];
    *p = (proven){.orbit = t->orbit[1][i], .objective = -1};
    PL_TRY(pl_design_prove(o, sc->model, sc->params, t->j->work, p->orbit, &p->found));
    t->proved++;
  }
  for (int k = 0; t->plan->prove && k < t->nobj; k++) {
    if (!t->peak[k]) continue;
    proven *p = &t->proof[t->proved];
    *p = (proven){.orbit = t->peak[k], .objective = k};
    PL_TRY(pl_design_prove_height(o, sc->model, sc->params, t->j->work,
                                  &t->plan->problem.objective[k], p->orbit, &p->found));
    t->proved++;
  }
  return PL_OK;
}

static void measure(designing *t, int side) {
  const pl_scene *sc = t->j->scene;
  for (int i = 0; i < t->npoint; i++)
    for (int k = 0; k < t->a->nprobe; k++)
      t->path[side][i * t->a->nprobe + k] =
          pl_orbit_path(sc->model, sc->params, t->orbit[side][i], t->a->probe[k].node, 0, NULL);
  for (int k = 0; k < t->nobj; k++) {
    const pl_objective *o = &t->plan->problem.objective[k];
    const pl_orbit *orbit = t->orbit[side][o->point];
    if (o->kind->curves)
      t->error[side][k] = pl_trajectory_error(sc->model, sc->params, orbit, o, &t->phase[side][k]);
  }
}

static pl_status check(designing *t) {
  PL_TRY(job_use(t->j, t->state[0]));
  measure(t, 0);
  PL_TRY(job_use(t->j, t->state[1]));
  measure(t, 1);
  if (t->cancelled) return PL_CANCELLED;
  pl_status st = prove(t);
  t->checked = st == PL_OK && t->plan->prove;
  PL_TRY(st);
  PL_TRY(design_response(t, 1));
  PL_TRY(job_use(t->j, t->state[0]));
  return design_response(t, 0);
}

// ---- messages ---------------------------------------------------------------------------------

const char *objective_words(const designing *t, int k, char buf[PL_TEXT]) {
  const pl_objective *o = &t->plan->problem.objective[k];
  if (o->name)
    snprintf(buf, PL_TEXT, "%s", o->name);
  else if (o->nnode > 0) {
    const char *node = "";
    for (int i = 0; i < t->a->nprobe; i++)
      if (t->a->probe[i].node == o->node[0]) node = t->a->probe[i].name;
    snprintf(buf, PL_TEXT, "%s of %.100s%s", o->kind->name, node,
             o->nnode > 1 ? " and others" : "");
  } else if (o->kind->drive) {
    const char *name = pl_model_drive_name(t->j->scene->model, o->drive);
    snprintf(buf, PL_TEXT, "%s of %.100s", o->kind->name, name[0] ? name : "the drive");
  } else
    snprintf(buf, PL_TEXT, "%s", o->kind->name);
  return buf;
}

const char *quantity_unit(const pl_objective_kind *kind, double *si) {
  *si = kind->report_unit ? kind->report_si : 1;
  return kind->report_unit ? kind->report_unit : kind->unit;
}

const char *quantity_text(job *j, const pl_objective_kind *kind, double v, char buf[48]) {
  double si;
  const char *unit = quantity_unit(kind, &si);
  if (strcmp(unit, "m") == 0) return job_length_text(j, v, buf);
  snprintf(buf, 48, kind->report_unit ? "%.6g%s%s" : "%.4g%s%s", v / si, unit[0] ? " " : "", unit);
  return buf;
}

int quantity_has_ratio(const pl_objective_kind *kind) {
  return (kind->goals & (PL_GOALS_MOST | PL_GOALS_LEAST)) != 0;
}

static void warn_user(const designing *t) {
  const pl_scene *sc = t->j->scene;
  for (int k = 0; k < t->r->nwarning; k++)
    pl_report(t->j->env, PL_WARNING, sc->path, t->a->line, t->a->col, NULL, "%s: %s", t->a->name,
              t->r->warning[k]);
  for (int i = 0; i < t->proved; i++)
    for (int k = 0; k < t->proof[i].found.nwarning; k++)
      pl_report(t->j->env, PL_WARNING, sc->path, t->a->line, t->a->col, NULL, "%s: at %.5g Hz: %s",
                t->a->name, t->proof[i].orbit->omega / (2 * PL_PI), t->proof[i].found.warning[k]);
}

static void note_objective(const designing *t, int k) {
  char words[PL_TEXT], was[48], is[48];
  const pl_objective_kind *kind = t->plan->problem.objective[k].kind;
  double before = t->quantity[0][k], after = t->quantity[1][k];
  objective_words(t, k, words);
  if (kind->curves)
    job_note(t->j, "%s: %s is %.3g %% of the target's length away, was %.3g %%", t->a->name, words,
             100 * t->error[1][k], 100 * t->error[0][k]);
  if (kind->form == PL_FORM_OWN || !isfinite(after)) return;
  quantity_text(t->j, kind, before, was);
  quantity_text(t->j, kind, after, is);
  if (kind->scope == PL_SCOPE_WINDOW)
    job_note(t->j, "%s: %s %s at %.6g Hz, was %s at %.6g Hz", t->a->name, words, is,
             t->track[1][k] / (2 * PL_PI), was, t->track[0][k] / (2 * PL_PI));
  else if (quantity_has_ratio(kind))
    job_note(t->j, "%s: %s %s to %s, %.3g times", t->a->name, words, was, is, after / before);
  else
    job_note(t->j, "%s: %s %s%s, was %s", t->a->name, words, t->track[1][k] > 0 ? "at " : "", is,
             was);
}

static void note(const designing *t) {
  job_note(t->j, "%s: value %.4g to %.4g in %d %s, %d %s, %.3g s: %s", t->a->name,
           t->r->value_before, t->r->value, t->r->nstep - 1,
           pl_plural(t->r->nstep - 1, "iteration", "iterations"), t->r->evaluations,
           pl_plural(t->r->evaluations, "evaluation", "evaluations"), t->r->seconds,
           pl_design_stop_text(t->r->reason));
  for (int k = 0; k < t->nobj; k++) note_objective(t, k);
  int n;
  double before = design_tracking(t, 0, &n), after = design_tracking(t, 1, &n);
  if (n > 1)
    job_note(t->j, "%s: all %d trajectories: %.3g %% away (root mean square), was %.3g %%",
             t->a->name, n, 100 * after, 100 * before);
}

// ---- the analysis -----------------------------------------------------------------------------

static pl_status no_motion(const designing *t, json_t *figures) {
  job_set(figures, "reason", json_string("there is no steady motion to start from"));
  job_alarm(t->j, "%s: there is no steady motion to start from.", t->a->name);
  return PL_UNSOLVED;
}

static pl_status run(designing *t, json_t *figures) {
  const pl_scene *sc = t->j->scene;
  pl_status st =
      pl_design_open(&t->opts, sc->model, sc->params, t->j->work, &t->plan->problem, &t->d);
  if (st == PL_UNSOLVED) return no_motion(t, figures);
  PL_TRY(st);
  PL_TRY(keep_names(t));
  PL_TRY(keep_motions(t, 0));
  pl_status end = optimise(t);
  if (end < 0) return end;
  if (!t->r) return no_motion(t, figures);
  PL_TRY(keep_motions(t, 1));
  // its motions are kept; values change from here on
  pl_design_free(t->d);
  t->d = NULL;
  st = check(t);
  if (st < 0) return st;
  if (st == PL_CANCELLED) t->cancelled = 1;
  warn_user(t);
  note(t);
  design_figures(t, figures);
  PL_TRY(design_files(t));
  return t->cancelled ? PL_CANCELLED : end;
}

pl_status job_design(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  designing t = {.j = j, .a = a, .plan = a->plan};
  t.nvar = a->plan->problem.nvariable;
  t.npoint = a->plan->problem.npoint;
  t.nobj = a->plan->problem.nobjective;
  set_options(&t);
  pl_status st = allocate(&t);
  if (st == PL_OK) st = run(&t, figures);
  // what follows sees the scene's values again, unless it asked for those found
  pl_status back = a->opts.design_.apply && t.r ? job_apply(j, &t.state[1]) : job_use(j, NULL);
  if (st >= 0 && back < 0) st = back;
  release(&t);
  return st;
}
