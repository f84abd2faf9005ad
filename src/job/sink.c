// What a job tells: to who looks on, and to the sink that writes its files.
#include "job_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// files that failed get nothing more; the analysis hears of it
#define EMIT(j, slot, ...)                                                                         \
  do {                                                                                             \
    const pl_sink *by = (j)->opts->sink, *files = &(j)->files;                                     \
    if (by && by->slot) by->slot(by->ctx, __VA_ARGS__);                                            \
    if (files->slot && (j)->reported == PL_OK) files->slot(files->ctx, __VA_ARGS__);               \
  } while (0)

// ---- tables -------------------------------------------------------------------------------------

int job_tables(const job *j) {
  const pl_sink *k = j->opts->sink;
  return j->output.csv || (k && (k->table || k->rows));
}

pl_status job_table(const job *j, const pl_table *t, const char *name, const char *suffix) {
  char full[PL_TEXT];
  snprintf(full, sizeof full, "%s%.*s", name, (int)(strlen(suffix) - strlen(".csv")), suffix);
  EMIT(j, table, full, t);
  return j->reported;
}

pl_status job_table_open(const job *j, int n, const table_column *column, pl_table **out) {
  PL_TRY(pl_table_create(j->env, n, out));
  pl_status s = PL_OK;
  for (int c = 0; s == PL_OK && c < n; c++)
    s = pl_table_column(*out, c, column[c].name, column[c].unit);
  if (s != PL_OK) pl_table_free(*out);
  if (s != PL_OK) *out = NULL;
  return s;
}

pl_status job_table_end(const job *j, pl_table *t, pl_status s, const char *name,
                        const char *suffix) {
  if (s == PL_OK) s = job_table(j, t, name, suffix);
  pl_table_free(t);
  return s;
}

pl_status job_table_append(const job *j, const pl_table *t, const char *name, const char *suffix,
                           int first) {
  char path[PL_TEXT];
  job_rows(j, t, name, first);
  return j->output.csv ? pl_table_append(t, job_path(j, name, suffix, path), first) : PL_OK;
}

void job_rows(const job *j, const pl_table *t, const char *name, int first) {
  const pl_sink *k = j->opts->sink;
  if (k && k->rows && k->rows(k->ctx, name, t, first)) atomic_store(j->stop, 1);
}

int job_stopped(const job *j) {
  return atomic_load(j->stop);
}

pl_status job_text(const job *j, const char *name, pl_text *csv) {
  if (!csv->failed) EMIT(j, text, name, csv->s ? csv->s : "", csv->n);
  pl_status s = csv->failed ? PL_E_NOMEM : j->reported;
  pl_text_free(csv);
  return s;
}

pl_status job_send_material(const job *j, const char *name, const pl_sheet_material *m) {
  EMIT(j, material, name, m);
  return j->reported;
}

pl_status job_send_scene(const job *j, const char *name, const pl_text *yaml) {
  EMIT(j, scene, name, yaml->s, yaml->n);
  return j->reported;
}

// ---- words --------------------------------------------------------------------------------------

static void say(const job *j, pl_said kind, const char *fmt, va_list args) {
  char text[4 * PL_TEXT];
  vsnprintf(text, sizeof text, fmt, args);
  if (kind == PL_SAID_KEY) pl_report(j->env, PL_NOTE, NULL, 0, 0, NULL, "%s", text);
  EMIT(j, said, kind, text);
}

#define SAY(name, kind)                                                                            \
  void name(const job *j, const char *fmt, ...) {                                                  \
    va_list args;                                                                                  \
    va_start(args, fmt);                                                                           \
    say(j, kind, fmt, args);                                                                       \
    va_end(args);                                                                                  \
  }
SAY(job_note, PL_SAID_KEY)
SAY(job_heading, PL_SAID_HEADING)
SAY(job_say, PL_SAID_TEXT)
SAY(job_warn, PL_SAID_WARNING)
SAY(job_alarm, PL_SAID_ALARM)
#undef SAY

void job_row(const job *j) {
  EMIT(j, said, PL_SAID_ROW, "");
}

void job_row_end(const job *j) {
  EMIT(j, said, PL_SAID_ROW_END, "");
}

grid job_grid(const job *j, int cols, const char *const *head) {
  grid g = {.j = j, .cols = cols};
  pl_text_init(&g.text, j->env);
  for (int c = 0; head && c < cols; c++) grid_add(&g, "%s", head[c]);
  return g;
}

void grid_add(grid *g, const char *fmt, ...) {
  char cell[PL_TEXT];
  va_list args;
  va_start(args, fmt);
  vsnprintf(cell, sizeof cell, fmt, args);
  va_end(args);
  pl_text_put(&g->text, cell, strlen(cell) + 1);
  g->n++;
}

void grid_end(grid *g) {
  const char **cells = pl_alloc(g->j->env, (size_t)g->n + 1, sizeof *cells);
  if (cells && !g->text.failed) {
    const char *at = g->text.s;
    for (int k = 0; k < g->n; k++, at += strlen(at) + 1) cells[k] = at;
    EMIT(g->j, grid, g->n / g->cols, g->cols, cells);
  } else {
    files_failed(g->j, PL_E_NOMEM);
  }
  pl_free(g->j->env, cells);
  pl_text_free(&g->text);
}

void job_bars(const job *j, int n, const pl_bar *bar) {
  EMIT(j, bars, n, bar);
}

// ---- figures ------------------------------------------------------------------------------------

int job_figures(const job *j) {
  const pl_sink *k = j->opts->sink;
  return j->page || j->output.plots || (k && (k->plot || k->polar || k->picture));
}

// the largest length of a plot's data
static double plot_length(const pl_plot *p) {
  double most = 0;
  for (int axis = 0; axis < 2; axis++) {
    const char *label = axis ? p->ylabel : p->xlabel;
    if (!label || !strstr(label, "(m)")) continue;
    for (int s = 0; s < p->nseries; s++)
      for (int i = 0; i < p->series[s].n; i++) {
        double v = axis ? p->series[s].y[i] : p->series[s].x[i];
        if (isfinite(v)) most = fmax(most, fabs(v));
      }
  }
  return most;
}

pl_status job_plot(job *j, const char *name, const pl_plot *plot, const char *caption) {
  pl_plot own = *plot;
  double most = plot_length(plot);
  own.length = j->length || most > 0 ? job_length(j, most)->key : "m";
  EMIT(j, plot, name, caption, &own);
  return j->reported;
}

pl_status job_chart(const job *j, const char *name, const pl_chart *c, const char *caption) {
  EMIT(j, chart, name, caption, c);
  return j->reported;
}

pl_status job_polar(const job *j, const char *name, const pl_polar_plot *p, const char *caption) {
  EMIT(j, polar, name, caption, p);
  return j->reported;
}

pl_status job_values(const job *j, const char *name, const pl_view *v, const char *caption) {
  EMIT(j, picture, name, caption, v);
  return j->reported;
}

pl_status job_picture(job *j, const pl_state *s, const char *name, const char *caption) {
  return job_send_shape(j, &(pl_shape){.picture = name, .caption = caption, .state = s});
}

pl_status job_solids(const job *j, const char *name, const pl_solids *s, const char *caption) {
  EMIT(j, solids, name, caption, s);
  return j->reported;
}

pl_status job_body(const job *j, const char *name, const pl_body_plot *b, const char *caption) {
  EMIT(j, body, name, caption, b);
  return j->reported;
}

pl_status job_send_shape(const job *j, const pl_shape *s) {
  EMIT(j, shape, s);
  return j->reported;
}

pl_status job_shape(job *j, const pl_analysis *a, const pl_state *s) {
  char name[PL_TEXT];
  snprintf(name, sizeof name, "%s-shape", a->name);
  job_probe_grid(j, a, s);
  return job_send_shape(j,
                        &(pl_shape){.name = a->name,
                                    .picture = name,
                                    .caption = "Equilibrium; the reference shape is drawn lightly.",
                                    .state = s});
}

int job_films(const job *j) {
  const pl_sink *k = j->opts->sink;
  return j->page || j->output.vtu || j->output.glb || (k && k->film);
}

pl_status job_film(const job *j, const pl_analysis *a, const pl_film *f) {
  EMIT(j, film, a, f);
  return j->reported;
}

pl_status job_orbit(const job *j, const pl_orbit *o, const char *name, const char *title) {
  EMIT(j, orbit, name, title, o);
  return j->reported;
}

void job_motion_of_row(const job *j, const char *name, int row, const pl_orbit *o) {
  EMIT(j, motion, name, row, o);
}

int job_iterates(const job *j) {
  return j->opts->sink && j->opts->sink->iterate;
}

pl_status job_iterate_set(const job *j, const pl_analysis *a, pl_iterate *i, const pl_text *set) {
  const char **list = pl_alloc(j->env, (size_t)i->nset + 1, sizeof *list), *at = set->s;
  if (!list || set->failed) return PL_E_NOMEM;
  for (int k = 0; k < i->nset; k++, at += strlen(at) + 1) list[k] = at;
  i->set = list;
  int stop = job_iterate(j, a, i);
  pl_free(j->env, list);
  return stop ? PL_CANCELLED : PL_OK;
}

int job_iterate(const job *j, const pl_analysis *a, const pl_iterate *i) {
  const pl_sink *k = j->opts->sink;
  if (k && k->iterate && k->iterate(k->ctx, a, i)) atomic_store(j->stop, 1);
  return job_stopped(j);
}

// ---- an analysis --------------------------------------------------------------------------------

void sink_use(const job *j) {
  EMIT(j, use, j->scene->model, j->scene->params);
}

void sink_state(const job *j, const pl_analysis *a, const pl_state *s) {
  EMIT(j, state, a, s);
}

void sink_begin(const job *j, const pl_analysis *a) {
  EMIT(j, begin, a);
}

void sink_end(const job *j, const pl_analysis *a, const json_t *figures, pl_status status) {
  EMIT(j, figures, a, figures);
  EMIT(j, end, a, status);
}

void sink_summary(const job *j, const char *json) {
  EMIT(j, summary, json);
}
