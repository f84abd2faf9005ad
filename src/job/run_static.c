#include "checkpoint.h"
#include "gradients.h"
#include "run_cloth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double RESIDUAL_FAR = 1e-6; // a residual of rounding that is worth a warning

typedef struct recorder {
  step_table t;
  pl_static_info info;
  int work;   // 1: there is a column for it; the energy book knows no contact
  int before; // iterations on the way
  int found;  // 1: it goes on from a load step of an earlier run
  job_gradients slopes;
  pl_status status;
} recorder;

static static_part part_of(recorder *r, pl_state *s, int done) {
  return (static_part){s, &r->info, r->t.table, r->t.contact, done};
}

static int on_step(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  recorder *r = ctx;
  double *row = r->t.row;
  row[0] = c->scale;
  row[1] = w->potential - w->slipped;
  row[2] = w->elastic - w->slipped;
  if (r->work) row[r->t.last] = r->info.work;
  r->status = step_table_add(&r->t, s, w);
  if (r->status == PL_OK) r->status = gradients_step(&r->slopes, s, c);
  int stop = job_stopped(r->t.j);
  int goes_on = r->t.contact || r->t.j->scene->layers.nvert > 0;
  if (r->status == PL_OK && goes_on && r->info.nstep > 0 && (stop || checkpoint_due(r->t.j))) {
    // it is written, not changed
    const static_part part = part_of(r, (pl_state *)s, 0);
    r->status = static_write(r->t.j, r->t.a, &part);
  }
  return r->status != PL_OK || stop;
}

static pl_status make_recorder(job *j, const pl_analysis *a, recorder *r) {
  static const table_column own[] = {
      {"load_factor", ""}, {"potential", "J"}, {"elastic", "J"}, {"work", "J"}};
  r->work = !a->stage && j->scene->contact.nnode == 0 && j->scene->layers.nvert == 0 &&
            a->opts.static_.book;
  return step_table_open(j, a, 3, own, r->work, 1, &r->t);
}

// the unloaded start, so that load-displacement curves begin at nothing
static pl_status record_start(job *j, recorder *r, const pl_state *s) {
  const pl_clock unloaded = {0};
  pl_status e = pl_eval(j->scene->model, j->scene->params, s, &unloaded,
                        PL_WANT_ENERGY | PL_WANT_FORCE, NULL, j->work);
  if (e != PL_OK) return e < 0 ? e : PL_OK;
  on_step(r, s, &unloaded, j->work);
  return r->status;
}

static void set_book(json_t *f, const pl_static_info *i) {
  json_t *list = json_array();
  int n = i->njump < PL_JUMPS ? i->njump : PL_JUMPS;
  for (int k = 0; k < n; k++)
    json_array_append_new(list, json_pack("{s:f, s:f}", "load_factor", i->jump[k].scale,
                                          "energy_released_J", i->jump[k].released));
  if (i->booked) job_set(f, "work_J", json_real(i->work));
  job_set(f, "energy_released_J", json_real(i->released));
  job_set(f, "jumps", list);
  job_set(f, "steps_in_parts", json_integer(i->in_parts));
}

// bodies that feel each other: not whether it is stable
static int is_judged(const pl_static_info *i) {
  return i->nneg >= 0;
}

// stopped before the first load step ended: there is the start alone, which needs no pictures
static int has_begun(const recorder *r) {
  return r->info.nstep > 0 || !job_stopped(r->t.j);
}

static void set_figures(json_t *f, const pl_static_info *i) {
  job_set(f, "reason", json_string(pl_stop_text(i->reason)));
  job_set(f, "load_factor", json_real(i->scale));
  job_set(f, "residual", json_real(i->residual));
  if (is_judged(i)) {
    job_set(f, "stable", json_boolean(i->stable));
    job_set(f, "negative_eigenvalues", json_integer(i->nneg));
    job_set(f, "zero_eigenvalues", json_integer(i->nzero));
  }
  job_set(f, "potential_J", json_real(i->energy));
  job_set(f, "load_steps", json_integer(i->nstep));
  job_set(f, "newton_iterations", json_integer(i->iterations));
  job_set(f, "factorisations", json_integer(i->factorisations));
  job_set(f, "seconds", json_real(i->seconds));
  json_t *list = json_array();
  for (int k = 0; k < i->ncritical; k++)
    json_array_append_new(list, json_pack("{s:f, s:i, s:b}", "load_factor", i->critical[k].scale,
                                          "negative_eigenvalues", i->critical[k].nneg,
                                          "limit_point", i->critical[k].jump));
  job_set(f, "critical", list);
  if (i->booked || i->njump > 0) set_book(f, i);
}

// neutral: some motion costs nothing, as of a block on ice
static const char *stability(const pl_static_info *i) {
  return i->stable ? "stable" : i->nneg > 0 ? "unstable" : "neutral";
}

static int is_found(const pl_static_info *i) {
  return i->reason == PL_STOP_CONVERGED || i->reason == PL_STOP_ROUNDING;
}

// Jumps are what bodies do under loads that are held; the shape may be on another branch.
static void warn_jumps(job *j, const pl_analysis *a, const pl_static_info *i) {
  int n = i->njump < PL_JUMPS ? i->njump : PL_JUMPS;
  for (int k = 0; k < n; k++)
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
              "where it lands is found by a transient with damping; a drive in place of the load "
              "(displacement control) follows the path",
              "%s: jumps at load %.3g: %.2g J %s", a->name, i->jump[k].scale,
              fabs(i->jump[k].released),
              i->jump[k].released > 0 ? "are released" : "more are stored than was put in");
  if (i->njump > n)
    job_note(j, "%s: %d more %s", a->name, i->njump - n, pl_plural(i->njump - n, "jump", "jumps"));
}

// what nothing but contact holds, and contact does not hold either
static void warn_slide(job *j, const pl_analysis *a, const pl_static_info *i) {
  const pl_slide *s = &i->slide;
  const char *body = job_body_name(j, s->node), *on = j->scene->obstacle_name[s->obstacle];
  if (s->needed > 0)
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
              "give it that friction, hold some of its nodes, or let it slide in a transient",
              "%s: no equilibrium under the full load: body '%.60s' slides on obstacle '%.60s'; "
              "friction of at least %.4g would be needed, there is %.4g",
              a->name, body, on, s->needed, s->mu);
  else
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
              "more friction, hold some of its nodes, or a transient with damping",
              "%s: beyond load %.3g body '%.60s' slides on obstacle '%.60s': all of its contacts "
              "slip, and nothing else holds it",
              a->name, i->scale, body, on);
}

// what the end does not keep
static void warn_user(job *j, const pl_analysis *a, const pl_static_info *i) {
  if (i->reason == PL_STOP_ROUNDING && i->residual > RESIDUAL_FAR)
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
              "loads are tiny against stiff parts: larger loads, or softer or coarser parts",
              "%s: forces are in balance to %.1e only, not to rtol %.0e: the rest is rounding",
              a->name, i->residual, a->opts.static_.rtol);
  if (i->reason == PL_STOP_INVERTED)
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
              "a smaller load, other cells there, or law: neo-hookean",
              "%s: beyond load %.3g %d %s inside out, the first is element %d of '%s'", a->name,
              i->scale, i->ninverted, pl_plural(i->ninverted, "element turns", "elements turn"),
              i->bad_elem, pl_model_group_name(j->scene->model, i->bad_group));
  else if (!is_found(i) && i->reason != PL_STOP_CANCELLED && j->scene->layers.nvert > 0)
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
              "more steps, or drape, or transient with damping; look for drives that press held "
              "parts into each other",
              "%s: beyond load %.3g bodies that feel each other find no equilibrium", a->name,
              i->scale);
  if (i->slide.found) warn_slide(j, a, i);
  if (is_found(i) && !a->opts.static_.critical) warn_jumps(j, a, i);
}

static void put_book(job *j, const pl_analysis *a, const pl_static_info *i) {
  if (i->booked)
    job_say(j, "Energy book: loads and drives did %.6g J of work, %.3g J were released.", i->work,
            i->released);
  for (int k = 0; k < i->njump && k < PL_JUMPS; k++)
    job_warn(j,
             "%s: jumps to another equilibrium at load factor %.3g: %.2g J are released. "
             "The shape may be on another branch than a slow motion leads to.",
             a->name, i->jump[k].scale, i->jump[k].released);
}

static void report_result(job *j, const pl_analysis *a, const pl_static_info *i) {
  if (is_found(i))
    job_note(j, "%s: %s%sequilibrium, %d %s, residual %.1e", a->name,
             is_judged(i) ? stability(i) : "", is_judged(i) ? " " : "", i->iterations,
             pl_plural(i->iterations, "Newton iteration", "Newton iterations"), i->residual);
  for (int k = 0; k < i->ncritical; k++)
    job_note(j, "%s: %s at load factor %.8g", a->name,
             i->critical[k].jump ? "limit point" : "stability changes", i->critical[k].scale);
  if (is_found(i) && i->elsewhere > 0)
    job_note(j, "%s: %d %s led elsewhere when taken in parts, and %s: see energy book", a->name,
             i->elsewhere, pl_plural(i->elsewhere, "load step", "load steps"),
             pl_plural(i->elsewhere, "was", "were"));
  if (!is_found(i))
    job_warn(j, "%s: stopped at load factor %.6g: %s (residual %.2g).", a->name, i->scale,
             pl_stop_text(i->reason), i->residual);
  else
    job_say(j, "Equilibrium found in %d %s and %d %s, residual %.1e of the forces.%s%s%s", i->nstep,
            pl_plural(i->nstep, "load step", "load steps"), i->iterations,
            pl_plural(i->iterations, "Newton iteration", "Newton iterations"), i->residual,
            is_judged(i) ? " It is " : "", is_judged(i) ? stability(i) : "",
            is_judged(i) ? "." : "");
  if (is_found(i) && !i->stable && i->nneg == 0)
    job_warn(j, "%s: %d %s no energy, nothing holds them.", a->name, i->nzero,
             pl_plural(i->nzero, "motion of the body costs", "motions of the body cost"));
  else if (is_found(i) && i->nneg > 0)
    job_warn(j, "%s: the equilibrium is not stable (%d %s).", a->name, i->nneg,
             pl_plural(i->nneg, "negative eigenvalue", "negative eigenvalues"));
  if (is_found(i)) put_book(j, a, i);
  for (int k = 0; k < i->ncritical; k++)
    job_say(j, "%s at load factor %.8g.",
            i->critical[k].jump ? "Limit point (the shape snaps)" : "Stability changes",
            i->critical[k].scale);
}

static pl_status write_files(job *j, const pl_analysis *a, const pl_state *s, recorder *r) {
  PL_TRY(job_table(j, r->t.table, a->name, ".csv"));
  if (!has_begun(r)) return PL_OK;
  PL_TRY(job_shape(j, a, s));
  return step_table_plots(&r->t, "load factor");
}

// some load, weight or drive that does not oscillate
static pl_status is_loaded(const job *j, int *loaded) {
  const pl_model *m = j->scene->model;
  const pl_params *p = j->scene->params;
  const pl_clock full = {.scale = 1};
  int nq = pl_model_nq(m);
  pl_state *s = NULL;
  double *f = pl_alloc(j->env, (size_t)nq, sizeof *f);
  pl_status st = f ? pl_state_create(m, p, &s) : PL_E_NOMEM;
  *loaded = 0;
  for (int c = 0; c < 3; c++) *loaded |= p->par[PL_PAR_GRAVITY + c] != 0;
  if (st == PL_OK) {
    pl_load(m, p, &full, f);
    pl_drive(m, p, &full, s);
    for (int i = 0; i < nq; i++) *loaded |= f[i] != 0 || s->q[i] != p->X[i];
  }
  pl_free(j->env, f);
  pl_state_free(m, s);
  return st;
}

// drives and loads that oscillate take no part; a warning when nothing else does
pl_status job_left_out(job *j, const pl_analysis *a) {
  int loaded;
  if (pl_model_max_harmonic(j->scene->model) == 0) return PL_OK;
  PL_TRY(is_loaded(j, &loaded));
  if (loaded) {
    job_note(j, "%s: drives and loads that oscillate are left out (constant: harmonic: 0)",
             a->name);
    return PL_OK;
  }
  pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
            "give those that are meant to be constant harmonic: 0",
            "%s: all drives and loads oscillate (harmonic: 1 is what drives have by themselves), "
            "and a static analysis leaves them out: nothing loads the model",
            a->name);
  return PL_OK;
}

static pl_status solve(job *j, const pl_static_opts *o, pl_state *s, pl_observe_fn observe,
                       recorder *r) {
  const pl_scene *sc = j->scene;
  pl_constraints k = {.contact = r->t.contact};
  double *released;
  const pl_static_info from = r->info;
  PL_TRY(job_stage_release_forces(j, r->t.a, r->found ? NULL : s, &released));
  if (released || (r->found && sc->layers.nvert == 0)) {
    pl_status st = pl_static_resumed(o, sc->model, sc->params, k.contact, released,
                                     r->found ? &from : NULL, s, j->work, observe, r, &r->info);
    pl_free(j->env, released);
    return st;
  }
  if (sc->layers.nvert > 0) PL_TRY(pl_layers_create(j->env, &sc->layers, &k.layers));
  pl_status st = pl_constrained_static(o, sc->model, sc->params, &k, r->found ? &from : NULL, s,
                                       j->work, observe, r, &r->info);
  pl_layers_free(k.layers);
  return st;
}

// reactions at s; what bodies push at supports is known where a load step ended alone
static pl_status reactions(job *j, const pl_state *s, const recorder *r) {
  pl_clock c = {.scale = r->info.scale};
  if (j->scene->layers.nvert > 0) return is_found(&r->info) ? PL_OK : PL_UNSOLVED;
  return pl_eval(j->scene->model, j->scene->params, s, &c, PL_WANT_FORCE, NULL, j->work);
}

typedef struct narrowing {
  job *j;
  pl_static_opts o;
  recorder *r;
  pl_state *s;
} narrowing;

static pl_status narrow(void *ctx) {
  narrowing *k = ctx;
  pl_status s = solve(k->j, &k->o, k->s, NULL, k->r);
  k->r->before += k->r->info.iterations;
  k->o.steps = 1;
  return s;
}

// sheets of interlocking materials: on the way balance need not be exact
static pl_status narrow_barriers(job *j, const pl_analysis *a, recorder *r, pl_state *s) {
  narrowing k = {j, a->opts.static_, r, s};
  k.o.rtol = fmax(k.o.rtol, 1e-5);
  k.o.book = k.o.critical = k.o.perturb = 0;
  return job_barrier_narrow(j, narrow, &k);
}

// from the start to the full load, and what a run that goes on later needs of it
static pl_status run_steps(job *j, const pl_analysis *a, recorder *r, pl_state *s) {
  if (a->about < 0 && !r->found) PL_TRY(record_start(j, r, s));
  if (!r->found) PL_TRY(narrow_barriers(j, a, r, s));
  pl_status status = solve(j, &a->opts.static_, s, on_step, r);
  if (r->status != PL_OK) status = r->status;
  if (status != PL_OK || !static_is_kept(j, a)) return status;
  const static_part part = part_of(r, s, 1);
  return static_write(j, a, &part);
}

pl_status job_static(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  pl_state *s = NULL;
  recorder r = {0};
  pl_status status = job_start(j, a, &s);
  if (status == PL_OK) status = job_left_out(j, a);
  if (status == PL_OK) status = make_recorder(j, a, &r);
  if (status == PL_OK) status = gradients_open(j, a, &r.slopes);
  if (status == PL_OK && r.slopes.n > 0) pl_gradient_rest(r.slopes.g, s);
  static_part part = part_of(&r, s, 0);
  if (status == PL_OK) status = static_read(j, a, &part, &r.found);
  if (status == PL_OK && !part.done) status = run_steps(j, a, &r, s);
  if (status >= 0) {
    r.info.iterations += r.before;
    set_figures(figures, &r.info);
    job_probe_figures(j, a, s, figures);
    pl_status e = reactions(j, s, &r);
    job_contact_figures(j, r.t.contact, figures);
    warn_user(j, a, &r.info);
    report_result(j, a, &r.info);
    const pl_clock at = {.scale = r.info.scale};
    if (e == PL_OK) job_reaction_report(j, s, &at, r.t.contact, figures);
    job_contact_report(j, a, r.t.contact);
    e = job_barrier_report(j, a, s, figures);
    if (e >= 0 && has_begun(&r)) e = job_stress_report(j, a, s, figures);
    if (e >= 0) e = job_join_report(j, a, s, figures);
    if (e < 0) status = e;
    pl_status w = write_files(j, a, s, &r);
    if (w < 0) status = w;
    if (status == PL_OK) status = gradients_static(&r.slopes, s, &at, figures);
  }
  step_table_close(&r.t);
  gradients_close(&r.slopes);
  return job_end(j, index, s, status);
}
