// Equilibrium of sheets within their limits of stretch.
#include "run_cloth.h"

#include "checkpoint.h"
#include "limit_page.h"
#include "pliant/math.h"

#include <stdio.h>

static const table_column own[] = {{"step", ""},       {"elastic", "J"},  {"outer", "J"},
                                   {"potential", "J"}, {"violation", ""}, {"iterations", ""}};

typedef struct recorder {
  step_table t;
  kept kept; // contact only
  const pl_history *history;
  int nstep;
  pl_status status;
} recorder;

static int on_step(void *ctx, const pl_state *s, const pl_clock *c, const pl_limit_step *e) {
  recorder *r = ctx;
  (void)c;
  double *row = r->t.row;
  row[0] = ++r->nstep;
  row[1] = e->elastic;
  row[2] = e->outer;
  row[3] = e->elastic + e->outer;
  row[4] = e->violation;
  row[5] = e->niter;
  r->status = step_table_add(&r->t, s, NULL);
  if (r->status == PL_OK && checkpoint_due(r->t.j))
    r->status = motion_write(r->t.j, r->t.a, s, r->history, &r->kept, 1, &r->t.table);
  return r->status != PL_OK || job_stopped(r->t.j);
}

static void set_figures(json_t *f, const pl_transient_info *i) {
  job_set(f, "reason", json_string(pl_stop_text(i->reason)));
  job_set(f, "steps", json_integer(i->nstep));
  job_set(f, "projection_iterations", json_integer(i->iterations));
  job_set(f, "residual", json_real(i->residual));
  job_set(f, "potential_J", json_real(i->energy));
  job_set(f, "violation", json_real(i->worst_violation));
  job_set(f, "refused_steps", json_integer(i->refused));
  job_set(f, "energy_made_J", json_real(i->energy_made));
  job_set(f, "energy_fall_J", json_real(i->energy_fall));
  if (i->worst_between > -1) job_set(f, "between_directions", json_real(i->worst_between));
  job_set(f, "seconds", json_real(i->seconds));
}

// what the checks of energy and limits found
static void warn_user(job *j, const pl_analysis *a, const pl_transient_info *i) {
  const pl_scene *s = j->scene;
  if (i->beyond > 0)
    pl_report(j->env, PL_WARNING, s->path, a->line, a->col, "start from rest, or from a drape",
              "%s: where it starts the sheet is %.2g %% beyond its limits; they are met first",
              a->name, 100 * i->beyond);
  if (i->reason == PL_STOP_ENERGY)
    pl_report(j->env, PL_WARNING, s->path, a->line, a->col,
              "give it a shorter first step, or start from another state (about)",
              "%s: no step lowers the energy, however short: the last would raise it by %.2g J",
              a->name, i->rise);
  if (i->energy_made > PL_ENERGY_WARN * (i->energy_fall + i->energy_made))
    pl_report(j->env, PL_WARNING, s->path, a->line, a->col,
              "give it a shorter first step, or a smaller gap",
              "%s: the energy rises by %.2g J on the way, where it falls by %.2g J in all", a->name,
              i->energy_made, i->energy_fall);
}

static void report_result(job *j, const pl_analysis *a, const pl_transient_info *i) {
  int done = i->reason == PL_STOP_CONVERGED;
  char how[32];
  job_note(j, "%s: %s after %ld %s, forces out of balance %.1e of the weight%s", a->name,
           done ? "equilibrium" : pl_stop_text(i->reason), i->nstep,
           pl_plural(i->nstep, "step", "steps"), i->residual, j->sheet ? "" : ", no limits");
  if (j->sheet) job_note(j, "%s: limits kept %s", a->name, cloth_kept(i->worst_violation, how));
  if (done)
    job_say(j,
            "Equilibrium found in %ld %s and %ld %s; forces are in balance to %.1e of the weight.",
            i->nstep, pl_plural(i->nstep, "step", "steps"), i->iterations,
            pl_plural(i->iterations, "iteration", "iterations"), i->residual);
  else
    job_warn(j, "%s: stopped after %ld %s: %s; forces out of balance are %.2g of the weight.",
             a->name, i->nstep, pl_plural(i->nstep, "step", "steps"), pl_stop_text(i->reason),
             i->residual);
  if (j->sheet) {
    job_say(j, "Limits of stretch hold %s.", cloth_kept(i->worst_violation, how));
    cloth_report_between(j, i->worst_between);
  }
}

static pl_status write_files(job *j, recorder *r, const pl_state *s) {
  const pl_analysis *a = r->t.a;
  PL_TRY(job_table(j, r->t.table, a->name, ".csv"));
  PL_TRY(job_shape(j, a, s));
  if (j->sheet) {
    PL_TRY(limit_page_strain(j, j->sheet, s->q, s->t, a->name));
    PL_TRY(limit_page_polar(j, j->sheet, s->q, a->name));
  }
  return step_table_plots(&r->t, "step");
}

typedef struct narrowing {
  job *j;
  const pl_analysis *a;
  pl_state *s;
  cloth *c;
} narrowing;

static pl_status narrow(void *ctx) {
  narrowing *k = ctx;
  pl_project_opts defaults;
  pl_drape_opts o = k->a->opts.drape_;
  o.tolerance = fmax(o.tolerance, 1e-3);
  return pl_drape(&o, cloth_project(k->a, &defaults), k->j->scene->model, k->j->scene->params,
                  &k->c->constraints, k->s, NULL, k->j->work, NULL, NULL, NULL);
}

static pl_status descend(job *j, recorder *r, pl_state *s, pl_history *h, cloth *c,
                         pl_transient_info *info) {
  const pl_scene *sc = j->scene;
  const pl_analysis *a = r->t.a;
  pl_project_opts defaults;
  // supports stand where they are held
  pl_drive(sc->model, sc->params, &(pl_clock){.scale = 1}, s);
  r->kept.contact = r->t.contact;
  int found;
  PL_TRY(motion_read(j, a, s, h, &r->kept, 1, &r->t.table, &found));
  r->nstep = pl_table_rows(r->t.table);
  r->history = h;
  PL_TRY(cloth_open(j, a, s, r->t.contact, c));
  if (h->nstep == 0) PL_TRY(job_barrier_narrow(j, narrow, &(narrowing){j, a, s, c}));
  pl_status st = pl_drape(&a->opts.drape_, cloth_project(a, &defaults), sc->model, sc->params,
                          &c->constraints, s, h, j->work, on_step, r, info);
  if (r->status != PL_OK) return r->status;
  if (st < 0 || h->nstep == 0) return st;
  pl_status w = motion_write(j, a, s, h, &r->kept, 1, &r->t.table);
  return w < 0 ? w : st;
}

pl_status job_drape(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  pl_state *s = NULL;
  recorder r = {0};
  cloth c = {0};
  pl_history h = {0};
  pl_transient_info info = {0};
  pl_status status = job_start(j, a, &s);
  if (status == PL_OK) status = step_table_open(j, a, sizeof own / sizeof *own, own, 0, 0, &r.t);
  if (status == PL_OK) status = descend(j, &r, s, &h, &c, &info);
  if (status >= 0) {
    set_figures(figures, &info);
    job_probe_figures(j, a, s, figures);
    job_contact_figures(j, r.t.contact, figures);
    report_result(j, a, &info);
    warn_user(j, a, &info);
    job_contact_report(j, a, r.t.contact);
    pl_status w = job_barrier_report(j, a, s, figures);
    if (w >= 0) w = write_files(j, &r, s);
    if (w < 0) status = w;
  }
  cloth_close(j, &c);
  step_table_close(&r.t);
  pl_history_free(j->env, &h);
  return job_end(j, index, s, status);
}
