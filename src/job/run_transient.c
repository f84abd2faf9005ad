#include "run_transient.h"

#include "checkpoint.h"

#include "pliant/math.h"
#include "run_cloth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KEPT = 4 };                      // tables of a motion, at most
enum { FRAME_FIRST = 4 };               // steps between frames of jumps, before they are thinned
static const double ENERGY_NOTE = 1e-3; // of the energy of a motion, made by steps: told
// simulated time that the options ask for
static double span(const pl_transient_opts *o) {
  if (o->duration > 0) return o->duration;
  return o->frequency > 0 ? o->periods * 2 * PL_PI / o->frequency : 0;
}

static pl_status record_open(const motion *m, recorder *r) {
  static const table_column energies[MOTION_COLUMNS] = {{"time", "s"},    {"kinetic", "J"},
                                                        {"elastic", "J"}, {"potential", "J"},
                                                        {"total", "J"},   {"dissipated", "J"}};
  job *j = m->j;
  const pl_analysis *a = m->a;
  const pl_transient_opts *o = &m->opts;
  const table_column *own = energies;
  int nown = m->jump ? jump_columns(&own) : MOTION_COLUMNS;
  r->every = j->output.every;
  r->frame_step = span(o) / j->output.frames;
  // when it ends is not known: frames are thinned on the way
  if (m->jump) r->frame_first = r->frame_step = fmin(r->frame_step, FRAME_FIRST * o->step);
  // frames far apart would show a periodic motion standing still: closer ones, of its end
  double period = o->frequency > 0 ? 2 * PL_PI / o->frequency : 0;
  if (period > 0 && r->frame_step > period / 12) r->frame_step = period / 24;
  // cloth has its own equations of motion
  PL_TRY(step_table_open(j, a, nown, own, 0, !is_cloth(j->scene, a), &r->t));
  r->kept.contact = r->t.contact;
  return PL_OK;
}

static void record_close(recorder *r) {
  if (!r->t.j) return;
  pl_free(r->t.j->env, r->kept.time);
  pl_free(r->t.j->env, r->kept.qv);
  step_table_close(&r->t);
}

// every second frame goes
static void thin_frames(recorder *r, size_t per) {
  kept *k = &r->kept;
  int n = 0;
  for (int i = 0; i < k->n; i += 2, n++) {
    k->time[n] = k->time[i];
    memmove(k->qv + (size_t)n * per, k->qv + (size_t)i * per, per * sizeof(double));
  }
  k->n = n;
  r->frame_step *= 2;
}

static pl_status add_frame(recorder *r, const pl_state *s) {
  kept *k = &r->kept;
  size_t per = 2 * (size_t)s->nq, most = (size_t)r->t.j->output.frames + 1;
  if (k->cap == 0) {
    k->time = pl_alloc(r->t.j->env, most, sizeof(double));
    k->qv = pl_alloc(r->t.j->env, most * per, sizeof(double));
    if (!k->time || !k->qv) return PL_E_NOMEM;
    k->cap = (int)most;
  }
  if (k->n == k->cap && r->frame_first > 0) {
    thin_frames(r, per);
    if (s->t < k->time[k->n - 1] + r->frame_step * (1 - 1e-6)) return PL_OK;
  } else if (k->n == k->cap) {
    // the latest ones are kept
    memmove(k->time, k->time + 1, (most - 1) * sizeof(double));
    memmove(k->qv, k->qv + per, (most - 1) * per * sizeof(double));
    k->n--;
  }
  k->time[k->n] = s->t;
  // measured without a memory of steps, since frames have none
  PL_TRY(
      pl_state_unwound(r->t.j->scene->model, r->t.j->scene->params, s, k->qv + (size_t)k->n * per));
  memcpy(k->qv + (size_t)k->n * per + s->nq, s->v, (size_t)s->nq * sizeof(double));
  k->n++;
  return PL_OK;
}

// The first of the times 0, step, 2 step, ... after t.
static double next_due(double step, double t) {
  return step > 0 ? step * (floor(t / step) + 1) : 0;
}

static pl_status record_step(recorder *r, const pl_state *s, const step_energy *e) {
  double *row = r->t.row;
  // a hair of slack, so that rounding in the time does not lose a row
  double slack = 1e-9 * (fabs(s->t) + r->frame_step);
  if (s->t + slack >= r->next_row) {
    row[0] = s->t;
    row[1] = e->kinetic;
    row[2] = e->elastic;
    row[3] = e->potential;
    row[4] = e->kinetic + e->potential;
    row[5] = e->dissipated;
    PL_TRY(step_table_add(&r->t, s, r->t.j->work));
    r->next_row = next_due(r->every, s->t + slack);
  } else {
    // who looks on sees the steps between rows, too
    sink_state(r->t.j, r->t.a, s);
  }
  if (r->t.j->drawable && s->t + slack >= r->next_frame) {
    PL_TRY(add_frame(r, s));
    r->next_frame = next_due(r->frame_step, s->t + slack);
  }
  return PL_OK;
}

// what sliders lost in the last step is no longer stored
static step_energy energy_of(const recorder *r, const pl_work *w) {
  return (step_energy){w->kinetic, w->elastic - w->slipped, w->potential - w->slipped,
                       r->history ? r->history->ledger.lost : 0};
}

// tables that a run which goes on later needs
static int kept_tables(const motion *r, pl_table *all[KEPT]) {
  int n = 0;
  all[n++] = r->record->t.table;
  if (r->log) all[n++] = r->log;
  if (r->met && r->met->log) all[n++] = r->met->log;
  if (r->hands) all[n++] = r->hands;
  return n;
}

static pl_status write_checkpoint(const motion *r, const pl_state *s) {
  pl_table *all[KEPT];
  int n = kept_tables(r, all);
  return motion_write(r->j, r->a, s, r->record->history, &r->record->kept, n, all);
}

int motion_record(motion *r, const pl_state *s, const step_energy *e) {
  if (r->record && r->status == PL_OK) r->status = record_step(r->record, s, e);
  if (r->record && r->status == PL_OK && checkpoint_due(r->j)) r->status = write_checkpoint(r, s);
  return r->status != PL_OK || job_stopped(r->j);
}

static int on_step(void *ctx, const pl_state *s, const pl_clock *c, const pl_limit_step *e) {
  motion *r = ctx;
  if (e) return cloth_step(ctx, s, c, e);
  step_energy now = energy_of(r->record, r->j->work);
  if (r->jump) now.dissipated = jump_lost(r->record->history);
  if (r->met && r->status == PL_OK) r->status = r->met->status;
  if (r->jump && r->status == PL_OK) r->status = jump_step(r, r->record->history, r->record->t.row);
  return motion_record(r, s, &now);
}

// with derivatives: a row of theirs for each of the table's
static int on_followed(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  motion *r = ctx;
  int before = pl_table_rows(r->record->t.table);
  (void)w;
  int stop = on_step(ctx, s, c, NULL);
  if (r->status == PL_OK && pl_table_rows(r->record->t.table) > before)
    r->status = gradients_row(&r->slopes, s);
  return stop || r->status != PL_OK;
}

static int on_jump(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  (void)w;
  return on_step(ctx, s, c, NULL);
}

pl_status motion_start(motion *r, const pl_state *s) {
  const pl_scene *sc = r->j->scene;
  pl_clock c = {
      .t = s->t, .omega = r->opts.frequency, .scale = 1, .ramp = r->opts.ramp, .timed = 1};
  pl_status e = pl_eval(sc->model, sc->params, s, &c, PL_WANT_ENERGY | PL_WANT_FORCE | PL_DYNAMIC,
                        NULL, r->j->work);
  if (e == PL_DOMAIN)
    return pl_fail_at(r->j->env, PL_E_INPUT, sc->path, r->a->line, r->a->col,
                      "drives stand where they say from the first step on: begin about a static "
                      "that goes there, or let them go there `over` time",
                      "%s: the start is outside the domain of an element", r->a->name);
  return e;
}

// after a resume: where rows and frames stood
static void catch_up(recorder *r, const pl_state *s) {
  const kept *k = &r->kept;
  // frames that were thinned tell how often
  if (r->frame_first > 0 && k->n > 1)
    r->frame_step = r->frame_first * exp2(rint(log2((k->time[1] - k->time[0]) / r->frame_first)));
  double slack = 1e-9 * (fabs(s->t) + r->frame_step);
  r->next_row = next_due(r->every, s->t + slack);
  r->next_frame = next_due(r->frame_step, s->t + slack);
}

// ---- files ------------------------------------------------------------------------------------

// a state from a kept frame
static void frame_state(const kept *k, int i, pl_state *s) {
  const double *qv = k->qv + (size_t)i * 2 * (size_t)s->nq;
  s->t = k->time[i];
  memcpy(s->q, qv, (size_t)s->nq * sizeof(double));
  memcpy(s->v, qv + s->nq, (size_t)s->nq * sizeof(double));
}

static pl_status energy_plot(job *j, const pl_analysis *a, const pl_table *t) {
  static const char *const names[] = {"kinetic", "elastic", "potential", "total", "dissipated"};
  int rows = pl_table_rows(t), cols = pl_table_cols(t);
  if (rows < 2) return PL_OK;
  double *xy = pl_alloc(j->env, (size_t)rows * MOTION_COLUMNS, sizeof(double));
  if (!xy) return PL_E_NOMEM;
  pl_series series[MOTION_COLUMNS - 1];
  for (int c = 0; c < MOTION_COLUMNS; c++) {
    for (int i = 0; i < rows; i++)
      xy[c * rows + i] = pl_table_data(t)[(size_t)i * (size_t)cols + (size_t)c];
    if (c > 0)
      series[c - 1] = (pl_series){.name = names[c - 1],
                                  .n = rows,
                                  .x = xy,
                                  .y = xy + c * rows,
                                  .colour = c - 1,
                                  .dashed = c == 5};
  }
  char name[PL_TEXT];
  snprintf(name, sizeof name, "%s-energy", a->name);
  pl_plot plot = {.title = "energy",
                  .xlabel = "time (s)",
                  .ylabel = "energy (J)",
                  .nseries = MOTION_COLUMNS - 1,
                  .series = series};
  pl_status s = job_plot(j, name, &plot,
                         "Energy record. Potential is elastic energy less the work of "
                         "gravity and constant loads; total adds kinetic energy.");
  pl_free(j->env, xy);
  return s;
}

// the frame nearest to a time
static int frame_at(const kept *f, double t) {
  int k = 0;
  for (int i = 1; i < f->n; i++)
    if (fabs(f->time[i] - t) < fabs(f->time[k] - t)) k = i;
  return k;
}

// a jump in one still; x[nframe][nvert][3]
static pl_status jump_picture(const motion *r, const kept *f, const double *x) {
  job *j = r->j;
  size_t per = (size_t)j->scene->mesh->nvert * 3;
  double time[JUMP_MOMENTS], *moment;
  char name[PL_TEXT], caption[PL_TEXT];
  int times = jump_moments(r, time), n = 0, last = -1;
  if (times == 0) return PL_OK;
  moment = pl_alloc(j->env, (size_t)times * per, sizeof *moment);
  if (!moment) return PL_E_NOMEM;
  for (int k = 0; k < times; k++) {
    int frame = frame_at(f, time[k]);
    if (frame <= last) continue;
    last = frame;
    memcpy(moment + (size_t)n++ * per, x + (size_t)frame * per, per * sizeof *moment);
  }
  pl_view view = job_view(j);
  view.x = moment + (size_t)(n - 1) * per;
  view.nmoment = n - 1;
  view.moment = moment;
  snprintf(name, sizeof name, "%.100s-stages", r->a->name);
  snprintf(
      caption, sizeof caption,
      "The start, the take-off at %.4g s, the top at %.4g s, the landing at %.4g s, the end at "
      "%.4g s, and halfway up and down.",
      time[1], time[3], time[5], time[6]);
  pl_status s = job_backdrop(j, time[times - 1], time[times - 1], n, moment, &view);
  if (s == PL_OK) s = job_values(j, name, &view, caption);
  job_backdrop_free(j, &view);
  pl_free(j->env, moment);
  return s;
}

// what the kept frames show
static pl_status show_frames(const motion *r) {
  job *j = r->j;
  const kept *f = &r->record->kept;
  size_t per = (size_t)j->scene->mesh->nvert * 3, ntri = (size_t)j->scene->mesh->cell[PL_TRI3].n;
  if (!job_films(j) && !job_figures(j)) return PL_OK;
  pl_state *s = NULL;
  double *x = pl_alloc(j->env, (size_t)f->n * per, sizeof(double)), *faces = NULL;
  pl_status st = x ? pl_state_create(j->scene->model, j->scene->params, &s) : PL_E_NOMEM;
  // strain of every frame is left out when it is stopped
  if (j->sheet && !job_stopped(j)) {
    faces = pl_alloc(j->env, (size_t)f->n * ntri, sizeof(double));
    if (!faces) st = PL_E_NOMEM;
  }
  for (int k = 0; st == PL_OK && k < f->n; k++) {
    frame_state(f, k, s);
    job_positions(j, s->q, 1, x + (size_t)k * per);
    if (faces) st = cloth_faces(j, s->q, faces + (size_t)k * ntri);
  }
  if (st == PL_OK && r->jump) st = jump_picture(r, f, x);
  if (st == PL_OK) st = job_film(j, r->a, &(pl_film){f->n, f->time, f->qv, x, faces});
  pl_state_free(j->scene->model, s);
  pl_free(j->env, x);
  pl_free(j->env, faces);
  return st;
}

static pl_status write_files(const motion *r, const pl_state *s) {
  job *j = r->j;
  const pl_analysis *a = r->a;
  const recorder *k = r->record;
  char name[PL_TEXT];
  if (r->log) PL_TRY(cloth_tables(r));
  PL_TRY(job_table(j, k->t.table, a->name, ".csv"));
  if (j->drawable && k->kept.n) {
    PL_TRY(show_frames(r));
    snprintf(name, sizeof name, "%s-end", a->name);
    PL_TRY(job_picture(j, s, name, "Shape at the end."));
  }
  PL_TRY(step_table_plots(&k->t, "time (s)"));
  PL_TRY(job_path_plots(j, a, k->t.table, k->t.nown));
  return r->log ? cloth_pictures(r, s) : energy_plot(j, a, k->t.table);
}

static void set_figures(json_t *f, const pl_transient_info *i) {
  job_set(f, "reason", json_string(pl_stop_text(i->reason)));
  job_set(f, "time_s", json_real(i->t));
  job_set(f, "steps", json_integer(i->nstep));
  job_set(f, "rejected", json_integer(i->rejected));
  job_set(f, "newton_iterations", json_integer(i->iterations));
  job_set(f, "factorisations", json_integer(i->factorisations));
  job_set(f, "periods", json_integer(i->nperiod));
  if (i->period_change >= 0) job_set(f, "period_change_m", json_real(i->period_change));
  job_set(f, "residual", json_real(i->residual));
  job_set(f, "seconds", json_real(i->seconds));
}

// what helps when steps are too long by a factor
static const char *shorter(const pl_transient_opts *o, const pl_transient_info *i, double factor,
                           int jump, char hint[PL_TEXT]) {
  if (o->adaptive)
    snprintf(hint, PL_TEXT, "give it a smaller tolerance, e.g. %.1g", o->tolerance / 100);
  else
    snprintf(hint, PL_TEXT, "take shorter steps, e.g. step: %.2g s%s",
             i->t / (double)i->nstep / factor, jump ? "" : ", or adaptive: yes");
  return hint;
}

// Energy that came from nowhere, but is too little for a warning: the trapezoidal rule makes some
// where strains are large. What it makes in all goes by the square of the step.
static void note_energy(const motion *r) {
  const pl_transient_info *i = &r->info;
  char hint[PL_TEXT];
  double part = i->energy_scale > 0 ? i->energy_worst / i->energy_scale : 0;
  if (part <= ENERGY_NOTE || part > PL_ENERGY_WARN) return;
  pl_report(r->j->env, PL_NOTE, NULL, 0, 0,
            shorter(&r->opts, i, sqrt(part / ENERGY_NOTE), r->jump != NULL, hint),
            "%s: the time steps %s up to %.2g J, %.2g %% of the energy of the motion", r->a->name,
            i->energy_made < 0 ? "lost" : "made", i->energy_worst, 100 * part);
}

// energy out of nothing, or into it; *status turns to PL_UNSOLVED when it is a good part of all
static void warn_energy(const motion *r, pl_status *status) {
  const job *j = r->j;
  const pl_analysis *a = r->a;
  const pl_transient_info *i = &r->info;
  note_energy(r);
  if (!(i->energy_worst > PL_ENERGY_WARN * i->energy_scale)) return;
  char hint[PL_TEXT];
  pl_report(
      j->env, PL_WARNING, j->scene->path, a->line, a->col,
      shorter(&r->opts, i, 4, r->jump != NULL, hint),
      "%s: the time steps %s %.2g J, %.0f %% of the energy of the motion (beyond %.0f %% from "
      "%.4g s on)",
      a->name, i->energy_made < 0 ? "lost" : "made", i->energy_worst,
      100 * i->energy_worst / i->energy_scale, 100 * PL_ENERGY_WARN, i->energy_time);
  if (*status == PL_OK && i->energy_worst > PL_ENERGY_FAIL * i->energy_scale) *status = PL_UNSOLVED;
}

static void warn_unsound(job *j, const pl_analysis *a, const pl_transient_info *i) {
  char what[PL_TEXT] = "the solution is no minimum of the step's potential";
  if (i->unsound == 0) return;
  if (i->bad_group >= 0)
    snprintf(what, sizeof what, "element %d of '%.60s' %s", i->bad_elem,
             pl_model_group_name(j->scene->model, i->bad_group),
             i->strayed ? "goes far from where its velocity leads" : "turns inside out");
  pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
            "take shorter steps; for solids that are crushed, law: neo-hookean",
            "%s: %ld %s a check however short, the first at %.6g s: %s", a->name, i->unsound,
            pl_plural(i->unsound, "step fails", "steps fail"), i->unsound_time, what);
}

// *status turns to PL_UNSOLVED beyond what the analysis allows
static void warn_pace(const motion *r, pl_status *status) {
  const job *j = r->j;
  const pl_analysis *a = r->a;
  const pl_transient_info *i = &r->info;
  char hint[PL_TEXT];
  if (*status == PL_OK && i->reason == PL_STOP_PACE) *status = PL_UNSOLVED;
  // steps that break the book of energies are known to be too long
  if (i->energy_worst > PL_ENERGY_WARN * i->energy_scale) return;
  if (!(i->time_error > PL_TIME_ERROR_WARN)) return;
  pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
            shorter(&r->opts, i, i->time_error / PL_TIME_ERROR_WARN, r->jump != NULL, hint),
            "%s: time steps are long for this motion: their errors sum up to about %.0f %% of its "
            "largest displacement",
            a->name, 100 * i->time_error);
}

// figures of the checks of every step, and what they found
static void report_checks(const motion *r, json_t *f, pl_status *status) {
  job *j = r->j;
  const pl_transient_info *i = &r->info;
  job_set(f, "energy_made_J", json_real(i->energy_made));
  job_set(f, "energy_made_most_J", json_real(i->energy_worst));
  job_set(f, "energy_scale_J", json_real(i->energy_scale));
  if (i->time_error >= 0) job_set(f, "time_error", json_real(i->time_error));
  if (i->rule_lost > 0) job_set(f, "method_dissipated_J", json_real(i->rule_lost));
  if (j->scene->contact.nobstacle > 0 || j->scene->layers.nvert > 0) {
    job_set(f, "contact_dissipated_J", json_real(i->contact_lost));
    job_set(f, "obstacle_work_J", json_real(i->obstacle_work));
  }
  if (i->momentum_error >= 0) job_set(f, "momentum_error", json_real(i->momentum_error));
  job_set(f, "unsound_steps", json_integer(i->unsound));
  // methods that lose energy by design: only what they make is counted
  int loses = r->opts.method != PL_NEWMARK;
  if (i->energy_scale > 0)
    job_say(j,
            "Energy that the time steps made%s: at most %.2g J, %.1e of the energy of the "
            "motion%s.",
            loses ? "" : " or lost", i->energy_worst, i->energy_worst / i->energy_scale,
            loses ? "; what this method loses by design is not counted" : "");
  if (i->time_error >= 0)
    job_say(j, "Errors of the time steps sum up to about %.1e of the motion's peak.",
            i->time_error);
  warn_unsound(j, r->a, i);
  warn_energy(r, status);
  warn_pace(r, status);
}

static void report_end(job *j, const pl_analysis *a, const pl_transient_info *i) {
  char apart[48];
  if (i->reason != PL_STOP_END && i->reason != PL_STOP_STEADY && i->reason != PL_STOP_REST)
    job_warn(j, "%s stopped at %.6g s: %s.", a->name, i->t, pl_stop_text(i->reason));
  else
    job_say(j, "%ld %s to %.6g s (%s), %ld %s.", i->nstep, pl_plural(i->nstep, "step", "steps"),
            i->t, pl_stop_text(i->reason), i->iterations,
            pl_plural(i->iterations, "Newton iteration", "Newton iterations"));
  if (i->period_change >= 0)
    job_say(j, "The last two periods differ by %s (summed over nodes and steps, eq. 28).",
            job_length_text(j, i->period_change, apart));
}

// the unit of lengths suits the largest that was watched, where the scene does not tell it
static void choose_unit(const step_table *t) {
  int cols = pl_table_cols(t->table);
  double most = 0;
  for (int i = 0; i < pl_table_rows(t->table); i++)
    for (int c = t->nown; c < t->contacts; c++)
      most = fmax(most, fabs(pl_table_data(t->table)[(size_t)i * (size_t)cols + (size_t)c]));
  if (most > 0) job_length(t->j, most);
}

static void report_motion(const motion *r) {
  job *j = r->j;
  const pl_transient_info *i = &r->info;
  const char *name = r->a->name;
  choose_unit(&r->record->t);
  job_note(j, "%s: %.6g s in %ld %s, %s", name, i->t, i->nstep,
           pl_plural(i->nstep, "step", "steps"), pl_stop_text(i->reason));
  report_end(j, r->a, i);
  job_contact_report(j, r->a, r->record->t.contact);
}

static const char *range_name(const pl_transient_opts *o) {
  return o->frequency > 0 ? "range_last_period_m" : "range_last_fifth_m";
}

// largest and smallest value of every probed column over the last period, or over the last fifth
static void set_extremes(const motion *r, json_t *f) {
  const pl_table *t = r->record->t.table;
  const pl_transient_opts *o = &r->opts;
  int rows = pl_table_rows(t), cols = pl_table_cols(t);
  if (!rows) return;
  const double *d = pl_table_data(t);
  double end = d[(size_t)(rows - 1) * (size_t)cols];
  double from = o->frequency > 0 ? end - 2 * PL_PI / o->frequency : 0.8 * end;
  json_t *all = json_object();
  for (int c = r->record->t.nown; c < r->record->t.contacts; c++) {
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < rows; i++) {
      if (d[(size_t)i * (size_t)cols] < from) continue;
      lo = fmin(lo, d[(size_t)i * (size_t)cols + (size_t)c]);
      hi = fmax(hi, d[(size_t)i * (size_t)cols + (size_t)c]);
    }
    json_object_set_new(all, pl_table_name(t, c), json_pack("[f, f]", lo, hi));
  }
  job_set(f, range_name(o), all);
}

static void warn_jolt(const motion *r, const pl_state *s) {
  const job *j = r->j;
  const pl_analysis *a = r->a;
  const int *index = pl_model_free_index(j->scene->model);
  int swings = r->opts.frequency > 0; // what follows a table has no ramp
  double most = 0;
  // amplitudes of outer forces and of swelling are no places
  for (int i = 0; i < s->nq - pl_model_namplitude(j->scene->model); i++)
    if (index[i] < 0) most = fmax(most, fabs(s->v[i]));
  if (!(most > 0) || (swings && r->opts.ramp > 0) || j->scene->v0) return;
  pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
            swings ? "give the analysis a ramp, e.g. of one period"
                   : "let the table of its factors over time begin flat",
            "%s: the drive begins with a velocity of %.3g m/s while the body is at rest", a->name,
            most);
}

// goes on where the checkpoint in the folder ends; *found = 0: there is none, or none is wanted
static pl_status resume(motion *r, pl_state *s, pl_history *h, int *found) {
  pl_table *all[KEPT];
  int n = kept_tables(r, all);
  *found = 0;
  // checkpoints have no derivatives: such a run starts anew
  if (r->slopes.n > 0) return PL_OK;
  PL_TRY(motion_read(r->j, r->a, s, h, &r->record->kept, n, all, found));
  if (*found) catch_up(r->record, s);
  if (r->met) impacts_start(r->met, s);
  return PL_OK;
}

// the first row and frame
static pl_status start(motion *r, const pl_state *s) {
  warn_jolt(r, s);
  PL_TRY(motion_start(r, s));
  const step_energy now = energy_of(r->record, r->j->work);
  if (r->jump) PL_TRY(jump_start(r, s, r->record->t.row));
  PL_TRY(record_step(r->record, s, &now));
  const pl_clock c = {s->t, r->opts.frequency, 1, r->opts.ramp, 1};
  PL_TRY(gradients_begin(&r->slopes, s, &c));
  return r->log ? cloth_log_start(r, s) : PL_OK;
}

pl_status motion_steps(motion *r, const pl_constraints *k, pl_state *s, pl_history *h) {
  const pl_scene *sc = r->j->scene;
  pl_project_opts defaults;
  pl_constraints all = *k;
  all.together = r->log != NULL;
  if (r->slopes.n > 0)
    r->stop = pl_transient_gradient(&r->opts, sc->model, sc->params, r->slopes.g, s, h, r->j->work,
                                    on_followed, r, &r->info);
  else
    r->stop = r->jump ? pl_jump_run(r->jump, sc->model, sc->params, all.contact, s, h, r->j->work,
                                    on_jump, r, &r->info)
                      : pl_constrained_transient(&r->opts, cloth_project(r->a, &defaults),
                                                 sc->model, sc->params, &all, s, h, r->j->work,
                                                 on_step, r, &r->info);
  if (r->status != PL_OK) return r->status;
  return r->stop < 0 ? r->stop : PL_OK;
}

static pl_status move(motion *r, pl_state *s, pl_history *h, cloth *c) {
  int found;
  PL_TRY(resume(r, s, h, &found));
  PL_TRY(cloth_open(r->j, r->a, s, r->record->t.contact, c));
  if (!found) PL_TRY(start(r, s));
  r->record->history = h;
  PL_TRY(motion_steps(r, &c->constraints, s, h));
  return write_checkpoint(r, s);
}

// at the end; what stopped early may have left another state's forces
static pl_status report_reactions(const motion *r, const pl_state *s, json_t *figures) {
  const job *j = r->j;
  pl_clock c = {
      .t = s->t, .omega = r->opts.frequency, .scale = 1, .ramp = r->opts.ramp, .timed = 1};
  pl_status e =
      pl_eval(j->scene->model, j->scene->params, s, &c, PL_WANT_FORCE | PL_DYNAMIC, NULL, j->work);
  if (e == PL_OK) job_reaction_report(j, s, &c, r->record->t.contact, figures);
  return e < 0 ? e : PL_OK;
}

static void at_frame(const void *ctx, int i, pl_state *s) {
  frame_state(ctx, i, s);
}

static const char *law_name(const pl_transient_opts *o) {
  static const char *const name[] = {"bbi", "mass", "moreau", "none"};
  return o->method == PL_NEWMARK ? name[o->impact] : "plastic";
}

static pl_status slopes_end(motion *r, const pl_state *s, json_t *figures) {
  const pl_transient_opts *o = &r->opts;
  const pl_clock c = {s->t, o->frequency, 1, o->ramp, 1};
  double from = o->frequency > 0 ? s->t - 2 * PL_PI / o->frequency : 0.8 * s->t;
  return gradients_transient(&r->slopes, s, &c, from, range_name(o), figures);
}

static pl_status finish(motion *r, const pl_state *s, const pl_constraints *k, json_t *figures) {
  set_figures(figures, &r->info);
  set_extremes(r, figures);
  job_contact_figures(r->j, k->contact, figures);
  if (r->log) cloth_figures(r, figures);
  report_motion(r);
  if (r->met) PL_TRY(impacts_report(r->met, r->a, law_name(&r->opts), figures));
  if (r->log) {
    cloth_report(r);
  } else {
    report_checks(r, figures, &r->stop);
    PL_TRY(report_reactions(r, s, figures));
  }
  if (r->jump)
    PL_TRY(jump_report(r, figures));
  else if (r->met && r->stop == PL_OK)
    PL_TRY(job_flight_report(r->j, r->a, k->contact, s, r->record->history->step, figures));
  if (!r->jump && r->stop == PL_OK)
    PL_TRY(job_bodies_report(r->j, r->a, k->contact, s, r->record->history->step, figures));
  PL_TRY(job_barrier_report(r->j, r->a, s, figures));
  PL_TRY(write_files(r, s));
  if (r->stop == PL_OK) PL_TRY(slopes_end(r, s, figures));
  const kept *frames = &r->record->kept;
  if (!r->log) PL_TRY(job_stress_motion(r->j, frames->n, at_frame, frames, r->a->name, figures));
  return r->log && r->stop != PL_CANCELLED ? cloth_compare(r, k, figures) : PL_OK;
}

pl_status motion_run(motion *r, json_t *figures) {
  job *j = r->j;
  pl_state *s = NULL;
  pl_history h = {0};
  recorder record = {0};
  cloth c = {0};
  impacts met = {0};
  r->record = &record;
  job_barrier_step(j, &r->opts);
  pl_status st = job_start(j, r->a, &s);
  if (st == PL_OK) st = record_open(r, &record);
  if (st == PL_OK && r->jump) st = jump_table_open(r);
  if (st == PL_OK && is_cloth(j->scene, r->a)) st = cloth_log(r);
  if (st == PL_OK && !r->log) {
    r->met = &met;
    st = impacts_open(j, record.t.contact, &met);
  }
  if (st == PL_OK) st = gradients_open(j, r->a, &r->slopes);
  if (st == PL_OK) st = move(r, s, &h, &c);
  if (st == PL_OK) {
    st = finish(r, s, &c.constraints, figures);
    if (st == PL_OK || (st > 0 && r->stop > 0)) st = r->stop;
  }
  job_barrier_step(j, NULL);
  cloth_close(j, &c);
  impacts_close(&met);
  pl_table_free(r->log);
  pl_table_free(r->hands);
  record_close(&record);
  gradients_close(&r->slopes);
  pl_history_free(j->env, &h);
  pl_state_free(j->scene->model, s);
  return st;
}

pl_status job_transient(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  motion r = {.j = j, .a = a, .opts = a->opts.transient_};
  return motion_run(&r, figures);
}
