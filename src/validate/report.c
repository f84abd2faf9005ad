// What a validation tells: words, a plot and a table for each protocol; and the result folder,
// which is a sink of it: report.html, summary.json, plots and tables.
#include "run_impl.h"

#include "pliant/job.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

enum { MODELS = 12, SERIES = 16 };

typedef struct paper {
  pl_env *env;
  const pl_validation *v;
  const pl_sink *sink;
  const pl_protocol *p; // being told
  const pl_master *curve;
  int n;
  const pl_score *score[MODELS]; // [n] of this protocol
} paper;

static void say(const paper *r, pl_said kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void say(const paper *r, pl_said kind, const char *fmt, ...) {
  char text[4 * PL_TEXT];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  if (r->sink->said) r->sink->said(r->sink->ctx, kind, text);
}

static void tell_grid(const paper *r, int rows, int cols, const char *const *cell) {
  if (r->sink->grid) r->sink->grid(r->sink->ctx, rows, cols, cell);
}

// ---- tables -----------------------------------------------------------------------------------

static void report_scores(paper *r) {
  char text[MODELS * 8][SCORE_COLUMNS][SCORE_CELL];
  const char *cell[(MODELS * 8 + 1) * SCORE_COLUMNS];
  int n = r->v->nscore < MODELS * 8 ? r->v->nscore : MODELS * 8;
  for (int c = 0; c < SCORE_COLUMNS; c++) cell[c] = score_heads[c];
  for (int k = 0; k < n; k++) {
    score_cells(&r->v->score[k], text[k]);
    // narrow enough for the page
    if (!isnan(r->v->score[k].where))
      snprintf(text[k][5], SCORE_CELL, "%.4g", r->v->score[k].where);
    for (int c = 0; c < SCORE_COLUMNS; c++) cell[(k + 1) * SCORE_COLUMNS + c] = text[k][c];
  }
  tell_grid(r, n + 1, SCORE_COLUMNS, cell);
}

// of a model at a point of the protocol; NULL: it was not run there
static const pl_sample *sample_at(const pl_score *s, double x) {
  for (int i = 0; i < s->nsample; i++)
    if (s->sample[i].trial.x == x) return &s->sample[i];
  return NULL;
}

// x, the master curve's values, then those of all models
static pl_status tell_points(const paper *r) {
  const pl_protocol *p = r->p;
  int nv = p->nvalue, ncol = 1 + nv * (1 + r->n);
  char name[96];
  double row[1 + PL_TRIAL_VALUES * (1 + MODELS)];
  pl_table *t;
  PL_TRY(pl_table_create(r->env, ncol, &t));
  pl_status s = pl_table_column(t, 0, p->column[0], "");
  for (int i = 0; s == PL_OK && i < nv; i++)
    s = pl_table_column(t, 1 + i, p->column[1 + nv + i], "");
  for (int k = 0; k < r->n; k++)
    for (int i = 0; s == PL_OK && i < nv; i++) {
      snprintf(name, sizeof name, "%s_%s", r->score[k]->model->name, p->column[1 + i]);
      s = pl_table_column(t, 1 + nv * (1 + k) + i, name, "");
    }
  for (int j = 0; s == PL_OK && j < r->curve->npoint; j++) {
    const pl_sample *m = &r->curve->sample[j];
    row[0] = m->trial.x;
    for (int i = 0; i < nv; i++) row[1 + i] = m->value[i];
    for (int k = 0; k < r->n; k++) {
      const pl_sample *q = sample_at(r->score[k], m->trial.x);
      for (int i = 0; i < nv; i++) row[1 + nv * (1 + k) + i] = q ? q->value[i] : NAN;
    }
    s = pl_table_row(t, row);
  }
  snprintf(name, sizeof name, "%s-validation", p->name);
  if (s == PL_OK && r->sink->table) r->sink->table(r->sink->ctx, name, t);
  pl_table_free(t);
  return s;
}

static void report_errors(paper *r) {
  char text[(MODELS + 2) * 64][24];
  const char *cell[(MODELS + 2) * 64];
  int rows = r->curve->npoint < 62 ? r->curve->npoint : 62, cols = r->n + 1, at = 0;
  char word[32];
  cell[at++] = r->p->column[0];
  for (int k = 0; k < r->n; k++) cell[at++] = r->score[k]->model->name;
  for (int j = 0; j < rows; j++) {
    snprintf(text[at], sizeof text[at], "%.6g", r->curve->sample[j].trial.x);
    cell[at] = text[at];
    at++;
    for (int k = 0; k < r->n; k++, at++) {
      const pl_sample *s = sample_at(r->score[k], r->curve->sample[j].trial.x);
      const char *status = s ? pl_status_text(s->status) : "not run";
      snprintf(text[at], sizeof text[at], "%.23s",
               s && s->status == PL_OK ? error_text(r->p, s->error, word) : status);
      cell[at] = text[at];
    }
  }
  say(r, PL_SAID_TEXT, "Error at each point:");
  tell_grid(r, rows + 1, cols, cell);
}

// ---- plots ------------------------------------------------------------------------------------

// series of a plot and room for their points
typedef struct canvas {
  int n, used;
  pl_series series[SERIES];
  double *xy;
} canvas;

static pl_status canvas_open(canvas *c, const paper *r, const pl_score *s) {
  size_t n = (size_t)r->curve->n * (size_t)(r->p->nvalue + r->n + 1);
  if (s) n += (size_t)s->nsample * (PL_TRIAL_LABELS + (size_t)r->p->nvalue);
  memset(c, 0, sizeof *c);
  c->xy = pl_alloc(r->env, 2 * n, sizeof *c->xy);
  return c->xy ? PL_OK : PL_E_NOMEM;
}

static void add_point(canvas *c, double x, double y) {
  c->xy[c->used++] = x;
  c->xy[c->used++] = y;
}

// the pairs since `first` become a series: all x, then all y
static pl_status add_series(canvas *c, const paper *r, int first, pl_series like) {
  int n = (c->used - first) / 2;
  if (n == 0 || c->n >= SERIES) return PL_OK;
  double *copy = pl_alloc(r->env, 2 * (size_t)n, sizeof *copy);
  if (!copy) return PL_E_NOMEM;
  memcpy(copy, c->xy + first, 2 * (size_t)n * sizeof *copy);
  like.n = n;
  like.x = c->xy + first;
  like.y = c->xy + first + n;
  for (int i = 0; i < n; i++) {
    c->xy[first + i] = copy[2 * i];
    c->xy[first + n + i] = copy[2 * i + 1];
  }
  pl_free(r->env, copy);
  c->series[c->n++] = like;
  return PL_OK;
}

// values of samples with an answer
static pl_status add_samples(canvas *c, const paper *r, int n, const pl_sample *s, int value,
                             pl_series like) {
  int first = c->used;
  for (int i = 0; i < n; i++)
    if (s[i].status == PL_OK) add_point(c, s[i].trial.x, s[i].value[value]);
  return add_series(c, r, first, like);
}

static pl_status add_labels(canvas *c, const paper *r, const pl_score *s, int beyond,
                            pl_series like) {
  int first = c->used;
  for (int i = 0; i < s->nsample; i++)
    for (int j = 0; j < s->sample[i].trial.nlabel; j++) {
      const pl_label *l = &s->sample[i].trial.label[j];
      if (l->beyond == beyond) add_point(c, l->x, l->y);
    }
  return add_series(c, r, first, like);
}

static void draw(const paper *r, const char *name, const pl_plot *plot, const char *caption) {
  if (r->sink->plot) r->sink->plot(r->sink->ctx, name, caption, plot);
}

static pl_status fill_model(canvas *c, const paper *r, const pl_score *s) {
  const pl_master *m = r->curve;
  pl_status st = PL_OK;
  for (int i = 0; st == PL_OK && i < r->p->nvalue; i++) {
    pl_series line = {.name = i ? NULL : "master curve", .colour = 0};
    st = add_samples(c, r, m->n - m->npoint, m->sample + m->npoint, i, line);
  }
  if (st == PL_OK)
    st = add_labels(c, r, s, 0, (pl_series){.name = "this side", .points = 1, .colour = 4});
  if (st == PL_OK)
    st = add_labels(c, r, s, 1, (pl_series){.name = "beyond", .points = 1, .colour = 5});
  for (int i = 0; st == PL_OK && i < r->p->nvalue; i++) {
    pl_series dots = {.name = i ? NULL : s->model->name, .points = 1, .colour = 1};
    st = add_samples(c, r, s->nsample, s->sample, i, dots);
  }
  return st;
}

// the master curve and one model, as in figures 6 to 11 of the paper
static pl_status draw_model(paper *r, const pl_score *s) {
  char name[96], title[96];
  canvas c;
  PL_TRY(canvas_open(&c, r, s));
  pl_status st = fill_model(&c, r, s);
  snprintf(name, sizeof name, "%s-%s", r->p->name, s->model->name);
  snprintf(title, sizeof title, "%s: %s", s->model->name, verdict_text(s));
  const pl_plot plot = {.title = title,
                        .xlabel = r->p->xlabel,
                        .ylabel = r->p->ylabel,
                        .logx = r->p->box ? r->p->box->logx : r->p->logx,
                        .logy = r->p->box ? r->p->box->logy : r->p->logy,
                        .nseries = c.n,
                        .series = c.series,
                        .width = 520,
                        .height = 380};
  if (st == PL_OK) draw(r, name, &plot, s->model->text);
  pl_free(r->env, c.xy);
  return st;
}

static pl_status fill_errors(canvas *c, const paper *r) {
  pl_status st = PL_OK;
  for (int k = 0; st == PL_OK && k < r->n; k++) {
    const pl_score *s = r->score[k];
    int first = c->used;
    for (int i = 0; i < s->nsample; i++)
      if (s->sample[i].error > 0)
        add_point(c, s->sample[i].trial.x, s->sample[i].error * (r->p->absolute ? 1 : 100));
    st = add_series(c, r, first, (pl_series){.name = s->model->name, .points = 2, .colour = k + 1});
  }
  int first = c->used;
  for (int k = 0; k < 2; k++) add_point(c, r->p->judged[k], r->p->bar * (r->p->absolute ? 1 : 100));
  return st == PL_OK ? add_series(c, r, first, (pl_series){.name = "bar", .dashed = 1, .colour = 7})
                     : st;
}

static pl_status draw_errors(paper *r) {
  char name[96];
  canvas c;
  PL_TRY(canvas_open(&c, r, NULL));
  pl_status st = fill_errors(&c, r);
  snprintf(name, sizeof name, "%s-errors", r->p->name);
  const pl_plot plot = {.title = "Errors",
                        .xlabel = r->p->xlabel,
                        .ylabel = r->p->absolute ? "error" : "error (%)",
                        .logx = r->p->box ? r->p->box->logx : r->p->logx,
                        .logy = 1,
                        .nseries = c.n,
                        .series = c.series};
  if (st == PL_OK) draw(r, name, &plot, "Error at each point, and the largest that passes.");
  pl_free(r->env, c.xy);
  return st;
}

// ---- the page ---------------------------------------------------------------------------------

// what each model is, and what finer cells and other units changed
static void report_models(paper *r) {
  static const char *const heads[] = {"model",       "what it is",  "verdict",
                                      "worst error", "finer cells", "other units"};
  enum { COLUMNS = COUNT(heads) };
  char text[MODELS][3][32];
  const char *cell[(MODELS + 1) * COLUMNS];
  memcpy(cell, heads, sizeof heads);
  for (int k = 0; k < r->n; k++) {
    const pl_score *s = r->score[k];
    const char **row = cell + (k + 1) * COLUMNS;
    row[0] = s->model->name;
    row[1] = s->model->text;
    row[2] = verdict_text(s);
    row[3] = error_text(r->p, s->worst, text[k][0]);
    row[4] = error_text(r->p, s->refined, text[k][1]);
    row[5] = error_text(r->p, s->rescaled, text[k][2]);
  }
  tell_grid(r, r->n + 1, COLUMNS, cell);
}

static pl_status report_protocol(paper *r, const pl_master *c) {
  char bar[32];
  r->curve = c;
  r->p = c->protocol;
  r->n = 0;
  for (int k = 0; k < r->v->nscore && r->n < MODELS; k++)
    if (r->v->score[k].protocol == r->p) r->score[r->n++] = &r->v->score[k];
  say(r, PL_SAID_HEADING, "%s", r->p->name);
  say(r, PL_SAID_TEXT, "%c%s. A model passes when no error is above %s for %s from %g to %g.",
      toupper((unsigned char)r->p->text[0]), r->p->text + 1, error_text(r->p, r->p->bar, bar),
      r->p->xlabel, r->p->judged[0], r->p->judged[1]);
  if (!isnan(r->p->nu) && c->n) say(r, PL_SAID_TEXT, "Poisson's ratio: %g.", c->sample[0].trial.nu);
  report_models(r);
  say(r, PL_SAID_ROW, "%s", "");
  pl_status s = PL_OK;
  for (int k = 0; s == PL_OK && k < r->n; k++) s = draw_model(r, r->score[k]);
  say(r, PL_SAID_ROW_END, "%s", "");
  if (s == PL_OK) s = draw_errors(r);
  if (s == PL_OK) report_errors(r);
  return s == PL_OK ? tell_points(r) : s;
}

pl_status pl_validation_tell(const pl_validation *v, const pl_sink *sink) {
  paper r = {.env = v->env, .v = v, .sink = sink};
  if (v->cancelled) say(&r, PL_SAID_WARNING, "Stopped before its end: this is what there is.");
  if (v->nsurprise)
    say(&r, PL_SAID_ALARM, "%d %s not as expected.", v->nsurprise,
        pl_plural(v->nsurprise, "verdict is", "verdicts are"));
  say(&r, PL_SAID_TEXT,
      "Protocols of Romero et al., \"Physical validation of simulators in Computer Graphics\", "
      "2021, sections 4 to 7, with bars at every point in place of the paper's 5 %% of the plot "
      "(the column \"5 %% figure\"). Master curves are computed from their governing equations.");
  report_scores(&r);
  pl_status s = PL_OK;
  for (int k = 0; s == PL_OK && k < v->ncurve; k++) s = report_protocol(&r, &v->curve[k]);
  return s;
}

// ---- the folder ---------------------------------------------------------------------------------

typedef struct binder {
  pl_env *env;
  const char *folder;
  pl_page *page;
  pl_status status; // what failed first
} binder;

static const char *path_of(const binder *b, const char *name, const char *suffix,
                           char out[PL_TEXT]) {
  snprintf(out, PL_TEXT, "%s/%s%s", b->folder, name, suffix);
  return out;
}

static void put_said(void *ctx, pl_said kind, const char *text) {
  pl_page *p = ((binder *)ctx)->page;
  if (kind == PL_SAID_ROW)
    pl_page_row_begin(p);
  else if (kind == PL_SAID_ROW_END)
    pl_page_row_end(p);
  else if (kind == PL_SAID_HEADING)
    pl_page_heading(p, 2, text);
  else
    (kind == PL_SAID_WARNING ? pl_page_warning
     : kind == PL_SAID_ALARM ? pl_page_alarm
                             : pl_page_text)(p, "%s", text);
}

static void put_grid(void *ctx, int rows, int cols, const char *const *cell) {
  pl_page_grid(((binder *)ctx)->page, rows, cols, cell);
}

static void put_plot(void *ctx, const char *name, const char *caption, const pl_plot *plot) {
  binder *b = ctx;
  char path[PL_TEXT];
  pl_text svg;
  if (b->status != PL_OK) return;
  pl_text_init(&svg, b->env);
  b->status = pl_plot_svg(&svg, plot);
  if (b->status == PL_OK) b->status = pl_svg_write(b->env, path_of(b, name, ".svg", path), &svg);
  if (b->status == PL_OK) pl_page_figure(b->page, svg.s, caption);
  pl_text_free(&svg);
}

static void put_table(void *ctx, const char *name, const pl_table *t) {
  binder *b = ctx;
  char path[PL_TEXT];
  if (b->status == PL_OK) b->status = pl_table_write(t, path_of(b, name, ".csv", path));
}

static pl_status write_page(binder *b, pl_validation *v) {
  char path[PL_TEXT];
  const pl_sink sink = {
      .ctx = b, .said = put_said, .grid = put_grid, .plot = put_plot, .table = put_table};
  PL_TRY(pl_page_create(b->env, "Validation", &b->page));
  PL_TRY(pl_validation_tell(v, &sink));
  PL_TRY(b->status);
  PL_TRY(pl_page_write(b->page, path_of(b, "report", ".html", path)));
  snprintf(v->report, sizeof v->report, "%s", path);
  return PL_OK;
}

pl_status report_write(pl_validation *v, const char *folder) {
  binder b = {.env = v->env, .folder = folder};
  char path[PL_TEXT];
  pl_text t;
  pl_text_init(&t, v->env);
  pl_status s = write_page(&b, v);
  pl_page_free(b.page);
  if (s == PL_OK) s = pl_validation_json(v, &t);
  if (s == PL_OK) s = pl_file_write(v->env, path_of(&b, "summary", ".json", path), t.s, t.n);
  if (s == PL_OK) snprintf(v->summary, sizeof v->summary, "%s", path);
  pl_text_free(&t);
  return s;
}
