// fit-damping: reads measured trajectories, fits, and shows both.
#include "checkpoint.h"

#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

enum { CURVE = 241 }; // points of a simulated period in plots

// one file of measurements and what was taken from it
typedef struct measured {
  const pl_probe **probe; // [nchannel] whose coordinate it is
  int *axis, *dof;        // [nchannel]
  double *time, *value;   // [nsample], [nsample][nchannel]
} measured;

typedef struct trial {
  job *j;
  const pl_analysis *a;
  measured *set;     // [ndata]
  pl_fit_data *data; // [ndata]
  pl_fit *fit;
} trial;

// ---- reading ----------------------------------------------------------------------------------

// to SI by the unit in the header; 0: it is none of that kind
static double factor_of(const pl_table *t, int col, const char *si, const char *milli) {
  const char *unit = pl_table_unit(t, col);
  return strcmp(unit, si) == 0 ? 1 : strcmp(unit, milli) == 0 ? 1e-3 : 0;
}

// the columns of the probed places, and their factors
static pl_status find_channels(const trial *t, const char *path, const pl_table *table,
                               measured *set, int *column, double *factor, int *n) {
  int dim = t->j->scene->dim;
  *n = 0;
  for (int k = 0; k < t->a->nprobe; k++) {
    const pl_probe *w = &t->a->probe[k];
    int before = *n;
    for (int c = 0; c < dim; c++) {
      char name[PL_TEXT];
      if (w->component >= 0 && w->component != c) continue;
      snprintf(name, sizeof name, "%.400s_%c", w->name, "xyz"[c]);
      int col = pl_table_find(table, name);
      if (col < 0) continue;
      factor[*n] = factor_of(table, col, "m", "mm");
      if (factor[*n] == 0)
        return pl_fail_at(t->j->env, PL_E_INPUT, path, 1, 0, "call it e.g. tip_x_m or tip_x_mm",
                          "column %d ('%s') says no length in its name", col + 1, name);
      set->probe[*n] = w;
      set->axis[*n] = c;
      set->dof[*n] = w->node * dim + c;
      column[(*n)++] = col;
    }
    if (*n == before) {
      char axis = "xyz"[w->component < 0 ? 0 : w->component];
      return pl_fail_at(t->j->env, PL_E_INPUT, path, 1, 0,
                        "name the columns after what is watched, with axis and unit",
                        "there is no column for the watched '%s', e.g. %s_%c_m", w->name, w->name,
                        axis);
    }
  }
  return PL_OK;
}

static pl_status read_rows(trial *t, int k, const pl_table *table, int time, double time_factor,
                           const int *column, const double *factor) {
  measured *set = &t->set[k];
  pl_fit_data *d = &t->data[k];
  size_t cols = (size_t)pl_table_cols(table), rows = (size_t)pl_table_rows(table);
  size_t n = (size_t)d->nchannel;
  set->time = pl_alloc(t->j->env, rows, sizeof(double));
  set->value = pl_alloc(t->j->env, rows * n, sizeof(double));
  if (!set->time || !set->value) return PL_E_NOMEM;
  const double *x = pl_table_data(table);
  for (size_t i = 0; i < rows; i++) {
    set->time[i] = time_factor * x[i * cols + (size_t)time];
    for (size_t c = 0; c < n; c++)
      set->value[i * n + c] = factor[c] * x[i * cols + (size_t)column[c]];
  }
  d->nsample = (int)rows;
  d->time = set->time;
  d->value = set->value;
  d->dof = set->dof;
  return PL_OK;
}

static pl_status read_table(trial *t, int k, const pl_table *table) {
  pl_env *env = t->j->env;
  const pl_data_file *file = &t->a->data[k];
  size_t most = (size_t)t->a->nprobe * 3 + 1;
  measured *set = &t->set[k];
  int time = pl_table_find(table, "time");
  double time_factor = time >= 0 ? factor_of(table, time, "s", "ms") : 0;
  if (time_factor == 0)
    return pl_fail_at(env, PL_E_INPUT, file->path, 1, 0, "the header begins e.g. time_s,tip_x_m",
                      "there is no column time_s");
  if (pl_table_rows(table) == 0)
    return pl_fail_at(env, PL_E_INPUT, file->path, 2, 0, NULL, "there are no samples");
  set->probe = pl_alloc(env, most, sizeof *set->probe);
  set->axis = pl_alloc(env, most, sizeof *set->axis);
  set->dof = pl_alloc(env, most, sizeof *set->dof);
  int *column = pl_alloc(env, most, sizeof *column);
  double *factor = pl_alloc(env, most, sizeof *factor);
  pl_status s = set->probe && set->axis && set->dof && column && factor ? PL_OK : PL_E_NOMEM;
  pl_fit_data *d = &t->data[k];
  d->name = file->path;
  d->omega = file->frequency;
  if (s == PL_OK) s = find_channels(t, file->path, table, set, column, factor, &d->nchannel);
  if (s == PL_OK) s = read_rows(t, k, table, time, time_factor, column, factor);
  pl_free(env, column);
  pl_free(env, factor);
  return s;
}

static pl_status read_all(trial *t) {
  pl_env *env = t->j->env;
  t->set = pl_alloc(env, (size_t)t->a->ndata, sizeof *t->set);
  t->data = pl_alloc(env, (size_t)t->a->ndata, sizeof *t->data);
  if (!t->set || !t->data) return PL_E_NOMEM;
  for (int k = 0; k < t->a->ndata; k++) {
    pl_table *table;
    PL_TRY(pl_table_read(env, t->a->data[k].path, &table));
    pl_status s = read_table(t, k, table);
    pl_table_free(table);
    PL_TRY(s);
  }
  return PL_OK;
}

static void release(trial *t) {
  for (int k = 0; t->set && k < t->a->ndata; k++) {
    measured *s = &t->set[k];
    void *all[] = {s->probe, s->axis, s->dof, s->time, s->value};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(t->j->env, all[i]);
  }
  pl_free(t->j->env, t->set);
  pl_free(t->j->env, t->data);
  pl_fit_free(t->fit);
}

// ---- figures ----------------------------------------------------------------------------------

// as the scene writes it, and one such unit in SI
static double shown(const trial *t, const pl_fit_value *v, const char **unit) {
  *unit = v->design == -1 ? "1/s" : "s";
  return v->design < 0 ? 1 : job_shown(t->j, v->design, unit);
}

static const char *unit_of(const trial *t, const pl_fit_value *v) {
  if (v->design < 0) return v->design == -1 ? "1/s" : "s";
  const char *unit = pl_model_design(t->j->scene->model, v->design)->unit;
  return unit ? unit : "";
}

static void set_figures(const trial *t, json_t *f) {
  const pl_fit *fit = t->fit;
  json_t *values = json_object(), *data = json_array();
  for (int k = 0; k < fit->nvalue; k++) {
    const pl_fit_value *v = &fit->value[k];
    json_t *one = json_pack("{s:f, s:f, s:s, s:b}", "before", v->before, "after", v->after, "unit",
                            unit_of(t, v), "at_bound", v->bound);
    if (v->error >= 0) json_object_set_new(one, "standard_error", json_real(v->error));
    json_object_set_new(values, v->name, one);
  }
  for (int k = 0; k < fit->ndata; k++)
    json_array_append_new(data,
                          json_pack("{s:s, s:f, s:i, s:i, s:f, s:f}", "file", t->a->data[k].path,
                                    "frequency_Hz", t->data[k].omega / (2 * PL_PI), "samples",
                                    t->data[k].nsample, "columns", t->data[k].nchannel, "phase_rad",
                                    fit->motion[k].phase, "offset_m", fit->motion[k].offset));
  job_set(f, "reason", json_string(pl_stop_text(fit->reason)));
  job_set(f, "fitted", values);
  job_set(f, "data", data);
  job_set(f, "motion_m", json_real(fit->rms));
  job_set(f, "residual_before_m", json_real(fit->before));
  job_set(f, "residual_after_m", json_real(fit->after));
  job_set(f, "independence", json_real(fit->independent));
  job_set(f, "iterations", json_integer(fit->iterations));
  job_set(f, "evaluations", json_integer(fit->evaluations));
  job_set(f, "factorisations", json_integer(fit->factorisations));
  job_set(f, "seconds", json_real(fit->seconds));
}

static void report_values(job *j, const trial *t) {
  static const char *const head[] = {"value", "unit", "before", "after", "standard error"};
  grid g = job_grid(j, 5, head);
  for (int k = 0; k < t->fit->nvalue; k++) {
    const pl_fit_value *v = &t->fit->value[k];
    const char *unit;
    double c = shown(t, v, &unit);
    grid_add(&g, "%s", v->name);
    grid_add(&g, "%s", unit);
    grid_add(&g, "%.6g", v->before / c);
    grid_add(&g, "%.8g", v->after / c);
    grid_add(&g, v->error < 0 ? (v->bound ? "at its bound" : "unknown") : "%.3g", v->error / c);
  }
  grid_end(&g);
}

static void report_result(const trial *t) {
  job *j = t->j;
  const pl_fit *f = t->fit;
  if (f->independent < 1e-8)
    pl_report(j->env, PL_WARNING, j->scene->path, t->a->line, t->a->col,
              "measure at several frequencies, or fit fewer values",
              "%s: the data do not tell the fitted values apart", t->a->name);
  char rms[48], before[48], after[48];
  report_values(j, t);
  job_say(j,
          "Root mean square of the measured motion %s; distance of the simulated one %s "
          "before and %s after the fit (%.3g %%), in %d %s.",
          job_length_text(j, f->rms, rms), job_length_text(j, f->before, before),
          job_length_text(j, f->after, after), 100 * f->after / f->rms, f->iterations,
          pl_plural(f->iterations, "step", "steps"));
}

// ---- files and plots --------------------------------------------------------------------------

static double series_at(const double *z, int H, double phase) {
  double x = z[0];
  for (int k = 1; k <= H; k++) x += z[2 * k - 1] * sin(k * phase) + z[2 * k] * cos(k * phase);
  return x;
}

static const char *set_name(const trial *t, int k, const char *what, char buf[PL_TEXT]) {
  if (k == 0)
    snprintf(buf, PL_TEXT, "%.100s%.150s", t->a->name, what);
  else
    snprintf(buf, PL_TEXT, "%.100s-%d%.150s", t->a->name, k + 1, what);
  return buf;
}

static pl_status write_table(const trial *t, int k) {
  const pl_fit_data *d = &t->data[k];
  const measured *m = &t->set[k];
  int n = d->nchannel, H = t->a->opts.fit_damping_.harmonics, L = 2 * H + 1;
  static const char *const kinds[3] = {"measured", "before", "after"};
  pl_table *table = NULL;
  char name[PL_TEXT];
  double *row = pl_alloc(t->j->env, 1 + 3 * (size_t)n, sizeof *row);
  pl_status s = row ? pl_table_create(t->j->env, 1 + 3 * n, &table) : PL_E_NOMEM;
  if (s == PL_OK) s = pl_table_column(table, 0, "time", "s");
  for (int c = 0; s == PL_OK && c < 3 * n; c++) {
    snprintf(name, sizeof name, "%.300s_%c_%s", m->probe[c / 3]->name, "xyz"[m->axis[c / 3]],
             kinds[c % 3]);
    s = pl_table_column(table, 1 + c, name, "m");
  }
  for (int i = 0; s == PL_OK && i < d->nsample; i++) {
    row[0] = d->time[i];
    for (int c = 0; c < n; c++) {
      double phase = d->omega * d->time[i];
      row[1 + 3 * c] = d->value[(size_t)i * (size_t)n + (size_t)c];
      row[2 + 3 * c] = series_at(t->fit->motion[k].before + c * L, H, phase);
      row[3 + 3 * c] = series_at(t->fit->motion[k].after + c * L, H, phase);
    }
    s = pl_table_row(table, row);
  }
  if (s == PL_OK) s = job_table(t->j, table, set_name(t, k, "", name), ".csv");
  pl_table_free(table);
  pl_free(t->j->env, row);
  return s;
}

// samples and simulated curves of a channel: xy holds [nsample], [CURVE] before, [CURVE] after
static void channel_curves(const trial *t, int k, int c, double *xy) {
  const pl_fit_data *d = &t->data[k];
  int H = t->a->opts.fit_damping_.harmonics, L = 2 * H + 1;
  for (int i = 0; i < d->nsample; i++)
    *xy++ = d->value[(size_t)i * (size_t)d->nchannel + (size_t)c];
  for (int after = 0; after < 2; after++) {
    const double *z = (after ? t->fit->motion[k].after : t->fit->motion[k].before) + c * L;
    for (int i = 0; i < CURVE; i++) *xy++ = series_at(z, H, 2 * PL_PI * i / (CURVE - 1));
  }
}

// times folded into one period, and those of the curves
static void folded_times(const pl_fit_data *d, double *x) {
  double period = 2 * PL_PI / d->omega;
  for (int i = 0; i < d->nsample; i++) *x++ = d->time[i] - period * floor(d->time[i] / period);
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < CURVE; i++) *x++ = period * i / (CURVE - 1);
}

static pl_status plot_three(const trial *t, int k, const char *name, const char *title,
                            const char *xlabel, const char *ylabel, int equal, const double *x,
                            const double *y) {
  int n = t->data[k].nsample;
  pl_series series[3] = {
      {.name = "measured", .n = n, .x = x, .y = y, .points = 1, .colour = 3},
      {.name = "before", .n = CURVE, .x = x + n, .y = y + n, .dashed = 1, .colour = 1},
      {.name = "after", .n = CURVE, .x = x + n + CURVE, .y = y + n + CURVE, .colour = 0}};
  pl_plot plot = {.title = title,
                  .xlabel = xlabel,
                  .ylabel = ylabel,
                  .equal = equal,
                  .nseries = 3,
                  .series = series,
                  .height = equal ? 480 : 0};
  return job_plot(t->j, name, &plot,
                  t->a->opts.fit_damping_.mean
                      ? "Measured and simulated motion."
                      : "Measured and simulated motion; means are not compared and laid over.");
}

static pl_status plot_set(const trial *t, int k) {
  const pl_fit_data *d = &t->data[k];
  const measured *m = &t->set[k];
  size_t n = (size_t)d->nsample + 2 * CURVE;
  double *x = pl_alloc(t->j->env, 3 * n, sizeof *x);
  if (!x) return PL_E_NOMEM;
  double *y = x + n, *last = y + n;
  pl_status s = PL_OK;
  for (int c = 0; s == PL_OK && c < d->nchannel; c++) {
    char what[PL_TEXT], name[PL_TEXT], title[PL_TEXT], label[2][16];
    const pl_probe *w = m->probe[c];
    char axis = "xyz"[m->axis[c]];
    snprintf(what, sizeof what, "-%.100s-%c", w->name, axis);
    snprintf(title, sizeof title, "%.100s %c at %.5g Hz", w->name, axis, d->omega / (2 * PL_PI));
    snprintf(label[1], sizeof label[1], "%c (m)", axis);
    folded_times(d, x);
    channel_curves(t, k, c, y);
    s = plot_three(t, k, set_name(t, k, what, name), title, "time in the period (s)", label[1], 0,
                   x, y);
    // the path in the plane of this coordinate and the one before
    if (s == PL_OK && c > 0 && m->probe[c - 1] == w) {
      char before = "xyz"[m->axis[c - 1]];
      snprintf(what, sizeof what, "-%.100s-path-%c%c", w->name, before, axis);
      snprintf(title, sizeof title, "path of %.100s at %.5g Hz", w->name, d->omega / (2 * PL_PI));
      snprintf(label[0], sizeof label[0], "%c (m)", before);
      s = plot_three(t, k, set_name(t, k, what, name), title, label[0], label[1], 1, last, y);
    }
    memcpy(last, y, n * sizeof *y);
  }
  pl_free(t->j->env, x);
  return s;
}

// ---- the analysis -----------------------------------------------------------------------------

static pl_status write_files(const trial *t) {
  for (int k = 0; k < t->a->ndata; k++) {
    if (job_tables(t->j)) PL_TRY(write_table(t, k));
    PL_TRY(plot_set(t, k));
  }
  return PL_OK;
}

pl_status job_fit_damping(job *j, int index, json_t *figures) {
  const pl_scene *sc = j->scene;
  const pl_analysis *a = &sc->analysis[index];
  trial t = {.j = j, .a = a};
  step_keeper k;
  PL_TRY(step_keeper_open(j, a, &k));
  pl_status s = read_all(&t);
  if (s == PL_OK)
    s = pl_fit_damping(&a->opts.fit_damping_, sc->model, sc->params, j->work, a->nparameter,
                       a->parameter, a->ndata, t.data, &k.keeper, &t.fit);
  s = step_keeper_close(&k, s);
  if (t.fit) {
    set_figures(&t, figures);
    report_result(&t);
    pl_status w = write_files(&t);
    if (w == PL_OK && a->opts.fit_damping_.apply) w = job_apply(j, &t.fit->params);
    if (w < 0) s = w;
  }
  release(&t);
  return s;
}
