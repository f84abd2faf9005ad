// Plots of curves: amplitude over frequency, stable parts solid, unstable ones dashed, branches
// apart, backbones of the same scene over responses.
#include "run_response.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SERIES = 8 };

typedef struct lines {
  curve_out *c;
  const pl_curve *curve;
  int watch;
  int n; // series
  pl_series series[SERIES];
  double *kept[SERIES]; // their numbers
  char name[SERIES][80];
  double most; // largest amplitude of the curve itself
} lines;

// room for a series of n points; NULL: none is left
static pl_series *add_series(lines *l, int n, const char *name) {
  if (l->n == SERIES) return NULL;
  double *x = pl_alloc(l->c->j->env, 2 * (size_t)n + 1, sizeof *x);
  if (!x) return NULL;
  snprintf(l->name[l->n], sizeof l->name[0], "%.79s", name);
  l->kept[l->n] = x;
  l->series[l->n] = (pl_series){.name = l->name[l->n], .n = n, .x = x, .y = x + n};
  return &l->series[l->n++];
}

// a point of one kind of stability; the dashed part joins the solid one at both ends
static int shows(const pl_curve *c, int i, int unstable) {
  int here = c->point[i].stable == 0;
  if (!unstable) return !here;
  int next = i + 1 < c->npoint && c->point[i + 1].branch == c->point[i].branch &&
             c->point[i + 1].stable == 0;
  int last = i > 0 && c->point[i - 1].branch == c->point[i].branch && c->point[i - 1].stable == 0;
  return here || next || last;
}

// branches are not joined: a gap before the first point of each
static pl_status add_curve(lines *l, int unstable, const char *name) {
  const pl_curve *c = l->curve;
  const pl_table *t = l->c->table;
  int cols = pl_table_cols(t), col = curve_column(l->c, l->watch), gaps = 0, at = 0;
  for (int i = 1; i < c->npoint; i++) gaps += c->point[i].branch != c->point[i - 1].branch;
  pl_series *s = add_series(l, c->npoint + gaps, name);
  if (!s) return PL_E_NOMEM;
  double *x = l->kept[l->n - 1], *y = x + s->n;
  for (int i = 0; i < c->npoint; i++, at++) {
    const double *row = pl_table_data(t) + (size_t)i * (size_t)cols;
    if (i > 0 && c->point[i].branch != c->point[i - 1].branch) {
      x[at] = row[0];
      y[at++] = NAN;
    }
    x[at] = row[0];
    y[at] = shows(c, i, unstable) ? row[col] : NAN;
    l->most = fmax(l->most, row[col]);
  }
  s->dashed = s->colour = unstable;
  return PL_OK;
}

static pl_status add_special(lines *l) {
  const pl_scene *sc = l->c->j->scene;
  int np = 0;
  pl_series *s = add_series(l, l->curve->nspecial, "peaks, folds, bifurcations");
  if (!s) return PL_E_NOMEM;
  double *x = l->kept[l->n - 1], *y = x + s->n;
  pl_measure path = watch_measure(&l->c->a->watch[l->watch], PL_MEASURE_PATH, 0);
  for (int i = 0; i < l->curve->nspecial; i++) {
    const pl_special *p = &l->curve->special[i];
    if (p->kind == PL_PEAK && p->watch != l->watch) continue;
    x[np] = p->omega / (2 * PL_PI);
    y[np++] = pl_orbit_measure(sc->model, sc->params, p->orbit, &path, NULL);
  }
  s->n = np;
  s->points = 1;
  s->colour = 3;
  return PL_OK;
}

// a column of a table over its first one, cut where it would dwarf the curve
static pl_status add_table(lines *l, const pl_table *t, int col, const char *name, int colour) {
  int rows = pl_table_rows(t), cols = pl_table_cols(t);
  pl_series *s = add_series(l, rows, name);
  if (!s) return PL_E_NOMEM;
  double *x = l->kept[l->n - 1], *y = x + s->n;
  for (int i = 0; i < rows; i++) {
    const double *row = pl_table_data(t) + (size_t)i * (size_t)cols;
    x[i] = row[0];
    y[i] = row[col] <= 1.5 * l->most ? row[col] : NAN;
  }
  s->colour = colour;
  return PL_OK;
}

static int linear_column(const lines *l) {
  int at = 2;
  for (int k = 0; k < l->watch; k++) at += 1 + watch_axes(l->c->j, &l->c->a->watch[k]);
  return at;
}

static int find_column(const pl_table *t, const char *name) {
  for (int c = 0; c < pl_table_cols(t); c++)
    if (strcmp(pl_table_name(t, c), name) == 0) return c;
  return -1;
}

// responses and backbones of the scene that were run before this one and watch the same place
static pl_status add_others(lines *l) {
  job *j = l->c->j;
  const pl_scene *sc = j->scene;
  int other = l->c->a->kind == PL_ANALYSIS_backbone ? PL_ANALYSIS_response : PL_ANALYSIS_backbone;
  pl_status st = PL_OK;
  char path[PL_TEXT], name[PL_TEXT];
  snprintf(name, sizeof name, "%.200s_path", l->c->a->watch[l->watch].name);
  for (const pl_analysis *a = sc->analysis; st == PL_OK && a < l->c->a && l->n < SERIES; a++) {
    if ((int)a->kind != other || access(job_path(j, a->name, ".csv", path), R_OK) != 0) continue;
    pl_table *t = NULL;
    st = pl_table_read(j->env, path, &t);
    int col = st == PL_OK ? find_column(t, name) : -1;
    if (col >= 0) st = add_table(l, t, col, a->name, 4);
    if (col >= 0 && st == PL_OK && other == PL_ANALYSIS_backbone) l->series[l->n - 1].dashed = 2;
    pl_table_free(t);
  }
  return st;
}

static pl_status fill(lines *l, const pl_table *linear) {
  int asked = 0;
  for (int i = 0; i < l->curve->npoint; i++) asked |= l->curve->point[i].stable >= 0;
  // the legend speaks of stability only where it was asked for
  const char *kind = l->c->energy ? "backbone" : "harmonic balance";
  PL_TRY(add_curve(l, 0, asked ? "stable" : kind));
  if (asked) PL_TRY(add_curve(l, 1, "unstable"));
  if (l->curve->nspecial) PL_TRY(add_special(l));
  if (linear) PL_TRY(add_table(l, linear, linear_column(l), "linear", 2));
  return add_others(l);
}

static pl_status plot_watch(lines *l, const pl_table *linear) {
  curve_out *c = l->c;
  const char *what = c->energy ? "backbone" : "response";
  char title[PL_TEXT], name[PL_TEXT], caption[PL_TEXT];
  PL_TRY(fill(l, linear));
  snprintf(title, sizeof title, "%s of %.200s", what, c->a->watch[l->watch].name);
  snprintf(name, sizeof name, "%.60s-%.60s", c->a->name, c->a->watch[l->watch].name);
  snprintf(caption, sizeof caption, "%s: path length over a period at every frequency%s.",
           c->energy ? "Backbone, free motions without damping" : "Frequency response",
           linear ? ", and that of the linear model as far as it fits the picture" : "");
  pl_plot plot = {.title = title,
                  .xlabel = "frequency (Hz)",
                  .ylabel = "path length a period (m)",
                  .logx = c->log & 1,
                  .logy = c->log >> 1 & 1,
                  .nseries = l->n,
                  .series = l->series};
  return job_plot(c->j, name, &plot, caption);
}

pl_status curve_plots(curve_out *c, const pl_curve *curve, const pl_table *linear) {
  pl_status st = PL_OK;
  for (int k = 0; st == PL_OK && k < c->a->nwatch; k++) {
    lines l = {.c = c, .curve = curve, .watch = k};
    st = plot_watch(&l, linear);
    for (int i = 0; i < l.n; i++) pl_free(c->j->env, l.kept[i]);
  }
  return st;
}
