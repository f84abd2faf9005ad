#include "run_transient.h"

#include "checkpoint.h"

#include "pliant/math.h"
#include "run_cloth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GLB_BYTES (48L << 20)

// simulated time that the options ask for
static double span(const pl_transient_opts *o) {
  if (o->duration > 0) return o->duration;
  return o->frequency > 0 ? o->periods * 2 * PL_PI / o->frequency : 0;
}

pl_status record_open(job *j, const pl_analysis *a, recorder *r) {
  static const char *const names[FIXED_COLUMNS] = {"time",      "kinetic", "elastic",
                                                   "potential", "total",   "dissipated"};
  int contact_pair = FIXED_COLUMNS + job_probe_count(j, a);
  *r = (recorder){.j = j, .a = a, .every = j->output.every};
  PL_TRY(job_contact_make(j, &r->kept.contact));
  int hold = contact_pair + job_contact_count(r->kept.contact);
  // cloth has its own equations of motion
  r->nreaction = is_cloth(j->scene, a) ? 0 : job_reaction_count(j);
  int ncol = hold + r->nreaction;
  const pl_transient_opts *o = &a->opts.transient_;
  r->frame_step = span(o) / j->output.frames;
  // frames far apart would show a periodic motion standing still: closer ones, of its end
  double period = o->frequency > 0 ? 2 * PL_PI / o->frequency : 0;
  if (period > 0 && r->frame_step > period / 12) r->frame_step = period / 24;
  r->row = pl_alloc(j->env, (size_t)ncol, sizeof(double));
  if (!r->row) return PL_E_NOMEM;
  PL_TRY(pl_table_create(j->env, ncol, &r->table));
  for (int c = 0; c < FIXED_COLUMNS; c++)
    PL_TRY(pl_table_column(r->table, c, names[c], c == 0 ? "s" : "J"));
  if (job_probe_columns(j, a, r->table, FIXED_COLUMNS) < 0) return PL_E_NOMEM;
  PL_TRY(job_contact_columns(j, r->kept.contact, r->table, contact_pair));
  return r->nreaction ? job_reaction_columns(j, r->table, hold) : PL_OK;
}

void record_close(recorder *r) {
  if (!r->j) return;
  pl_env *env = r->j->env;
  pl_table_free(r->table);
  pl_free(env, r->row);
  pl_free(env, r->kept.time);
  pl_free(env, r->kept.qv);
  pl_contact_free(r->kept.contact);
}

static pl_status add_frame(recorder *r, const pl_state *s) {
  kept *k = &r->kept;
  size_t per = 2 * (size_t)s->nq, most = (size_t)r->j->output.frames + 1;
  if (k->cap == 0) {
    k->time = pl_alloc(r->j->env, most, sizeof(double));
    k->qv = pl_alloc(r->j->env, most * per, sizeof(double));
    if (!k->time || !k->qv) return PL_E_NOMEM;
    k->cap = (int)most;
  }
  if (k->n == k->cap) {
    // the latest ones are kept
    memmove(k->time, k->time + 1, (most - 1) * sizeof(double));
    memmove(k->qv, k->qv + per, (most - 1) * per * sizeof(double));
    k->n--;
  }
  k->time[k->n] = s->t;
  // measured without a memory of steps, since frames have none
  PL_TRY(pl_state_unwound(r->j->scene->model, r->j->scene->params, s, k->qv + (size_t)k->n * per));
  memcpy(k->qv + (size_t)k->n * per + s->nq, s->v, (size_t)s->nq * sizeof(double));
  k->n++;
  return PL_OK;
}

// The first of the times 0, step, 2 step, ... after t.
static double next_due(double step, double t) {
  return step > 0 ? step * (floor(t / step) + 1) : 0;
}

pl_status record_step(recorder *r, const pl_state *s, const step_energy *e) {
  // a hair of slack, so that rounding in the time does not lose a row
  double slack = 1e-9 * (fabs(s->t) + r->frame_step);
  if (s->t + slack >= r->next_row) {
    r->row[0] = s->t;
    r->row[1] = e->kinetic;
    r->row[2] = e->elastic;
    r->row[3] = e->potential;
    r->row[4] = e->kinetic + e->potential;
    r->row[5] = e->dissipated;
    job_probe_row(r->j, r->a, s, r->row + FIXED_COLUMNS);
    double *contact_pair = r->row + FIXED_COLUMNS + job_probe_count(r->j, r->a);
    job_contact_row(r->kept.contact, contact_pair);
    if (r->nreaction)
      job_reaction_row(r->j, s, r->j->work, contact_pair + job_contact_count(r->kept.contact));
    PL_TRY(pl_table_row(r->table, r->row));
    job_rows(r->j, r->table, r->a->name, pl_table_rows(r->table) - 1);
    sink_state(r->j, r->a, s);
    r->next_row = next_due(r->every, s->t + slack);
  }
  if (r->j->drawable && s->t + slack >= r->next_frame) {
    PL_TRY(add_frame(r, s));
    r->next_frame = next_due(r->frame_step, s->t + slack);
  }
  return PL_OK;
}

// what sliders lost in the last step is no longer stored
static pl_status record(recorder *r, const pl_state *s, const pl_work *w) {
  const step_energy e = {w->kinetic, w->elastic - w->slipped, w->potential - w->slipped,
                         r->history ? r->history->ledger.lost : 0};
  return record_step(r, s, &e);
}

static int on_step(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  recorder *r = ctx;
  (void)c;
  r->status = record(r, s, w);
  if (r->status == PL_OK) r->status = record_keep(r, s);
  return r->status != PL_OK || job_stopped(r->j);
}

pl_status record_start(recorder *r, const pl_state *s) {
  const pl_scene *sc = r->j->scene;
  const pl_transient_opts *o = &r->a->opts.transient_;
  pl_clock c = {.t = s->t, .omega = o->frequency, .scale = 1, .ramp = o->ramp};
  pl_status e = pl_eval(sc->model, sc->params, s, &c, PL_WANT_ENERGY | PL_WANT_FORCE | PL_DYNAMIC,
                        NULL, r->j->work);
  if (e == PL_DOMAIN)
    return pl_fail(r->j->env, PL_E_INPUT, "%s: the start is outside the domain of an element",
                   r->a->name);
  PL_TRY(e);
  return record(r, s, r->j->work);
}

// after a resume: where rows and frames stood
static void catch_up(recorder *r, const pl_state *s) {
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

static pl_status write_vtus(job *j, const pl_analysis *a, const kept *f, pl_state *s) {
  char(*name)[64] = pl_alloc(j->env, (size_t)f->n, sizeof *name);
  const char **list = pl_alloc(j->env, (size_t)f->n, sizeof *list);
  char path[PL_TEXT];
  pl_status st = name && list ? pl_dir_make(j->env, job_path(j, a->name, "", path)) : PL_E_NOMEM;
  for (int k = 0; st == PL_OK && k < f->n; k++) {
    snprintf(name[k], sizeof name[k], "%.40s/frame-%04d.vtu", a->name, k);
    list[k] = name[k];
    frame_state(f, k, s);
    st = job_vtu(j, s, 1, job_path(j, name[k], "", path));
  }
  if (st == PL_OK)
    st = pl_pvd_write(j->env, job_path(j, a->name, ".pvd", path), f->n, f->time, list);
  pl_free(j->env, name);
  pl_free(j->env, list);
  return st;
}

// every frame is a morph target with weight one at its time; thinned when the file would be too
// large
static pl_status write_glb(job *j, const pl_analysis *a, const kept *f, const double *x,
                           const double *colour) {
  size_t per = (size_t)j->scene->mesh->nvert * 3;
  int stride = 1;
  while ((long)(f->n / stride) * (long)per * 4 > GLB_BYTES || f->n / stride > 120) stride++;
  int n = (f->n + stride - 1) / stride;
  double *delta = pl_alloc(j->env, (size_t)n * per, sizeof(double));
  double *time = pl_alloc(j->env, (size_t)n, sizeof(double));
  double *weight = pl_alloc(j->env, (size_t)n * (size_t)n, sizeof(double));
  char path[PL_TEXT];
  pl_view view = {0};
  pl_status s = delta && time && weight ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) {
    for (int k = 0; k < n; k++) {
      const double *at = x + (size_t)(k * stride) * per;
      for (size_t i = 0; i < per; i++) delta[(size_t)k * per + i] = at[i] - x[i];
      time[k] = f->time[k * stride] - f->time[0];
      weight[k * n + k] = 1;
    }
    s = job_backdrop(j, f->time[0], f->time[0] + time[n - 1], f->n, x, &view);
    if (s == PL_OK)
      s = job_glb(j, &(job_motion){x, n, n, delta, time, weight, colour, &view},
                  job_path(j, a->name, ".glb", path));
    job_backdrop_free(j, &view);
  }
  pl_free(j->env, delta);
  pl_free(j->env, time);
  pl_free(j->env, weight);
  return s;
}

static pl_status energy_plot(job *j, const pl_analysis *a, const pl_table *t) {
  static const char *const names[] = {"kinetic", "elastic", "potential", "total", "dissipated"};
  int rows = pl_table_rows(t), cols = pl_table_cols(t);
  if (rows < 2) return PL_OK;
  double *xy = pl_alloc(j->env, (size_t)rows * FIXED_COLUMNS, sizeof(double));
  if (!xy) return PL_E_NOMEM;
  pl_series series[FIXED_COLUMNS - 1];
  for (int c = 0; c < FIXED_COLUMNS; c++) {
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
                  .nseries = FIXED_COLUMNS - 1,
                  .series = series};
  pl_status s = job_plot(j, name, &plot,
                         "Energy record. Potential is elastic energy less the work of "
                         "gravity and constant loads; total adds kinetic energy.");
  pl_free(j->env, xy);
  return s;
}

// faces: [nframe][triangles] part of the allowed strain, NULL: no limits
static pl_status film(job *j, const kept *f, const double *x, const double *faces) {
  const pl_scene *sc = j->scene;
  if (!j->page || f->n < 2) return PL_OK;
  pl_text svg;
  pl_text_init(&svg, j->env);
  double first = f->time[0], last = f->time[f->n - 1];
  pl_view view = job_view(j);
  view.x = x;
  cloth_view(faces, &view);
  pl_status s = job_backdrop(j, first, last, f->n, x, &view);
  if (s == PL_OK)
    s = pl_view_animated_svg(&svg, sc->mesh, &view, f->n, x, fmin(fmax(last - first, 2), 20));
  job_backdrop_free(j, &view);
  if (s == PL_OK && svg.failed) s = PL_E_NOMEM;
  char caption[PL_TEXT];
  snprintf(caption, sizeof caption, "Motion from %.4g s to %.4g s.", first, last);
  if (s == PL_OK && svg.s) pl_page_figure(j->page, svg.s, caption);
  pl_text_free(&svg);
  return s;
}

// everything that is made from the kept frames
static pl_status write_frames(job *j, const pl_analysis *a, const kept *f) {
  size_t per = (size_t)j->scene->mesh->nvert * 3, ntri = (size_t)j->scene->mesh->cell[PL_TRI3].n;
  pl_state *s = NULL;
  double *x = pl_alloc(j->env, (size_t)f->n * per, sizeof(double)), *faces = NULL, *colour = NULL;
  pl_status st = x ? pl_state_create(j->scene->model, j->scene->params, &s) : PL_E_NOMEM;
  if (j->sheet) {
    faces = pl_alloc(j->env, (size_t)f->n * ntri, sizeof(double));
    colour = pl_alloc(j->env, per / 3, sizeof(double));
    if (!faces || !colour) st = PL_E_NOMEM;
  }
  for (int k = 0; st == PL_OK && k < f->n; k++) {
    frame_state(f, k, s);
    job_positions(j, s->q, 1, x + (size_t)k * per);
    if (faces) st = cloth_faces(j, s->q, faces + (size_t)k * ntri);
  }
  if (st == PL_OK && colour) cloth_colours(j, faces + (size_t)(f->n - 1) * ntri, colour);
  if (st == PL_OK && j->output.vtu) st = write_vtus(j, a, f, s);
  if (st == PL_OK && j->output.glb) st = write_glb(j, a, f, x, colour);
  if (st == PL_OK) st = film(j, f, x, faces);
  pl_state_free(j->scene->model, s);
  pl_free(j->env, x);
  pl_free(j->env, faces);
  pl_free(j->env, colour);
  return st;
}

pl_status record_files(recorder *r, const pl_state *s, int energy) {
  job *j = r->j;
  const pl_analysis *a = r->a;
  char name[PL_TEXT];
  PL_TRY(job_table(j, r->table, a->name, ".csv"));
  if (j->drawable && r->kept.n) {
    PL_TRY(write_frames(j, a, &r->kept));
    snprintf(name, sizeof name, "%s-end", a->name);
    PL_TRY(job_picture(j, s, name, "Shape at the end."));
  }
  PL_TRY(job_probe_plots(j, a, r->table, 0, FIXED_COLUMNS, "time (s)"));
  PL_TRY(job_path_plots(j, a, r->table, FIXED_COLUMNS));
  PL_TRY(job_contact_plots(j, a, r->kept.contact, r->table, FIXED_COLUMNS + job_probe_count(j, a),
                           "time (s)"));
  return energy ? energy_plot(j, a, r->table) : PL_OK;
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
static const char *shorter(const pl_analysis *a, const pl_transient_info *i, double factor,
                           char hint[PL_TEXT]) {
  const pl_transient_opts *o = &a->opts.transient_;
  if (o->adaptive)
    snprintf(hint, PL_TEXT, "give it a smaller tolerance, e.g. %.1g", o->tolerance / 100);
  else
    snprintf(hint, PL_TEXT, "take shorter steps, e.g. step: %.2g s, or adaptive: yes",
             i->t / (double)i->nstep / factor);
  return hint;
}

// energy out of nothing, or into it; *status turns to PL_UNSOLVED when it is a good part of all
static void warn_energy(job *j, const pl_analysis *a, const pl_transient_info *i,
                        pl_status *status) {
  if (!(i->energy_worst > PL_ENERGY_WARN * i->energy_scale)) return;
  char hint[PL_TEXT];
  pl_report(
      j->env, PL_WARNING, j->scene->path, a->line, a->col, shorter(a, i, 4, hint),
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
static void warn_pace(job *j, const pl_analysis *a, const pl_transient_info *i, pl_status *status) {
  char hint[PL_TEXT];
  if (*status == PL_OK && i->reason == PL_STOP_PACE) *status = PL_UNSOLVED;
  // steps that break the book of energies are known to be too long
  if (i->energy_worst > PL_ENERGY_WARN * i->energy_scale) return;
  if (!(i->time_error > PL_TIME_ERROR_WARN)) return;
  pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
            shorter(a, i, i->time_error / PL_TIME_ERROR_WARN, hint),
            "%s: time steps are long for this motion: their errors sum up to about %.0f %% of its "
            "largest displacement",
            a->name, 100 * i->time_error);
}

// figures of the checks of every step, and what they found
static void report_checks(job *j, const pl_analysis *a, const pl_transient_info *i, json_t *f,
                          pl_status *status) {
  job_set(f, "energy_made_J", json_real(i->energy_made));
  job_set(f, "energy_made_most_J", json_real(i->energy_worst));
  job_set(f, "energy_scale_J", json_real(i->energy_scale));
  if (i->time_error >= 0) job_set(f, "time_error", json_real(i->time_error));
  if (i->rule_lost > 0) job_set(f, "method_dissipated_J", json_real(i->rule_lost));
  if (j->scene->contact.nobstacle > 0) {
    job_set(f, "contact_dissipated_J", json_real(i->contact_lost));
    job_set(f, "obstacle_work_J", json_real(i->obstacle_work));
  }
  job_set(f, "unsound_steps", json_integer(i->unsound));
  // methods that lose energy by design: only what they make is counted
  int loses = a->opts.transient_.method != PL_NEWMARK;
  if (j->page && i->energy_scale > 0)
    pl_page_text(j->page,
                 "Energy that the time steps made%s: at most %.2g J, %.1e of the energy of the "
                 "motion%s.",
                 loses ? "" : " or lost", i->energy_worst, i->energy_worst / i->energy_scale,
                 loses ? "; what this method loses by design is not counted" : "");
  if (j->page && i->time_error >= 0)
    pl_page_text(j->page, "Errors of the time steps sum up to about %.1e of the motion's peak.",
                 i->time_error);
  warn_unsound(j, a, i);
  warn_energy(j, a, i, status);
  warn_pace(j, a, i, status);
}

static void report_page(job *j, const pl_analysis *a, const pl_transient_info *i) {
  char apart[48];
  if (i->reason != PL_STOP_END && i->reason != PL_STOP_STEADY)
    pl_page_warning(j->page, "%s stopped at %.6g s: %s.", a->name, i->t, pl_stop_text(i->reason));
  else
    pl_page_text(j->page, "%ld %s to %.6g s (%s), %ld %s.", i->nstep,
                 pl_plural(i->nstep, "step", "steps"), i->t, pl_stop_text(i->reason), i->iterations,
                 pl_plural(i->iterations, "Newton iteration", "Newton iterations"));
  if (i->period_change >= 0)
    pl_page_text(j->page,
                 "The last two periods differ by %s (summed over nodes and steps, eq. 28).",
                 job_length_text(j, i->period_change, apart));
}

// the unit of lengths suits the largest that was watched, where the scene does not tell it
static void choose_unit(const recorder *r) {
  int cols = pl_table_cols(r->table), n = job_probe_count(r->j, r->a);
  double most = 0;
  for (int i = 0; i < pl_table_rows(r->table); i++)
    for (int c = FIXED_COLUMNS; c < FIXED_COLUMNS + n; c++)
      most = fmax(most, fabs(pl_table_data(r->table)[(size_t)i * (size_t)cols + (size_t)c]));
  if (most > 0) job_length(r->j, most);
}

void record_report(const recorder *r, const pl_transient_info *i) {
  job *j = r->j;
  const char *name = r->a->name;
  choose_unit(r);
  job_note(j, "%s: %.6g s in %ld %s, %s", name, i->t, i->nstep,
           pl_plural(i->nstep, "step", "steps"), pl_stop_text(i->reason));
  if (j->page) report_page(j, r->a, i);
  job_contact_report(j, r->a, r->kept.contact);
}

// largest and smallest value of every watched column over the last period, or over the last fifth
static void set_extremes(const recorder *r, json_t *f) {
  const pl_table *t = r->table;
  const pl_transient_opts *o = &r->a->opts.transient_;
  int rows = pl_table_rows(t), cols = pl_table_cols(t);
  if (!rows) return;
  const double *d = pl_table_data(t);
  double end = d[(size_t)(rows - 1) * (size_t)cols];
  double from = o->frequency > 0 ? end - 2 * PL_PI / o->frequency : 0.8 * end;
  json_t *all = json_object();
  for (int c = FIXED_COLUMNS; c < FIXED_COLUMNS + job_probe_count(r->j, r->a); c++) {
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < rows; i++) {
      if (d[(size_t)i * (size_t)cols] < from) continue;
      lo = fmin(lo, d[(size_t)i * (size_t)cols + (size_t)c]);
      hi = fmax(hi, d[(size_t)i * (size_t)cols + (size_t)c]);
    }
    json_object_set_new(all, pl_table_name(t, c), json_pack("[f, f]", lo, hi));
  }
  job_set(f, o->frequency > 0 ? "range_last_period_m" : "range_last_fifth_m", all);
}

void warn_jolt(job *j, const pl_analysis *a, const pl_state *s) {
  const int *index = pl_model_free_index(j->scene->model);
  double most = 0;
  for (int i = 0; i < s->nq; i++)
    if (index[i] < 0) most = fmax(most, fabs(s->v[i]));
  if (!(most > 0) || a->opts.transient_.ramp > 0 || j->scene->v0) return;
  pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
            "give the analysis a ramp, e.g. of one period",
            "%s: the drive begins with a velocity of %.3g m/s while the body is at rest", a->name,
            most);
}

void record_figures(const recorder *r, const pl_transient_info *i, json_t *figures) {
  set_figures(figures, i);
  set_extremes(r, figures);
  job_contact_figures(r->j, r->kept.contact, figures);
}

pl_status record_resume(recorder *r, pl_state *s, pl_history *h, int *found) {
  pl_table *all[2] = {r->table, r->log};
  PL_TRY(motion_read(r->j, r->a, s, h, &r->kept, r->log ? 2 : 1, all, found));
  if (*found) catch_up(r, s);
  return PL_OK;
}

pl_status record_checkpoint(recorder *r, const pl_state *s) {
  pl_table *all[2] = {r->table, r->log};
  return motion_write(r->j, r->a, s, r->history, &r->kept, r->log ? 2 : 1, all);
}

pl_status record_keep(recorder *r, const pl_state *s) {
  return checkpoint_due(r->j) ? record_checkpoint(r, s) : PL_OK;
}

static pl_status step_through(job *j, recorder *r, pl_state *s, pl_history *h,
                              pl_transient_info *info) {
  const pl_scene *sc = j->scene;
  const pl_analysis *a = r->a;
  int found;
  PL_TRY(record_resume(r, s, h, &found));
  if (!found) {
    warn_jolt(j, a, s);
    PL_TRY(record_start(r, s));
  }
  r->history = h;
  pl_status status = pl_transient_contact(&a->opts.transient_, sc->model, sc->params,
                                          r->kept.contact, s, h, j->work, on_step, r, info);
  if (r->status != PL_OK) return r->status;
  if (status < 0) return status;
  pl_status w = record_checkpoint(r, s);
  return w < 0 ? w : status;
}

// at the end; what stopped early may have left another state's forces
static pl_status report_reactions(const recorder *r, const pl_state *s, json_t *figures) {
  const job *j = r->j;
  const pl_transient_opts *o = &r->a->opts.transient_;
  pl_clock c = {.t = s->t, .omega = o->frequency, .scale = 1, .ramp = o->ramp};
  pl_status e =
      pl_eval(j->scene->model, j->scene->params, s, &c, PL_WANT_FORCE | PL_DYNAMIC, NULL, j->work);
  if (e == PL_OK) job_reaction_report(j, s, j->work, figures);
  return e < 0 ? e : PL_OK;
}

pl_status job_transient(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  if (is_cloth(j->scene, a)) return job_cloth(j, index, figures);
  pl_state *s = NULL;
  pl_history h = {0};
  recorder r = {0};
  pl_transient_info info = {0};
  pl_status status = job_start(j, a, &s);
  if (status == PL_OK) status = record_open(j, a, &r);
  if (status == PL_OK) status = step_through(j, &r, s, &h, &info);
  if (status >= 0) {
    record_figures(&r, &info, figures);
    record_report(&r, &info);
    report_checks(j, a, &info, figures, &status);
    pl_status w = report_reactions(&r, s, figures);
    if (w == PL_OK) w = record_files(&r, s, 1);
    if (w < 0) status = w;
  }
  record_close(&r);
  pl_history_free(j->env, &h);
  pl_state_free(j->scene->model, s);
  return status;
}
