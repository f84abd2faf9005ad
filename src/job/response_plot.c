// Plots of curves: amplitude over frequency, stable parts solid, unstable ones dashed, branches
// apart, backbones of the same scene over responses. What was measured at a place lies over its
// curve, which is then that of the measured quantity.
#include "run_response.h"

#include "measured.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SERIES = 12 };

typedef struct lines {
  curve_out *c;
  const pl_curve *curve;
  int probe;
  const pl_measured *set; // its quantity is drawn; NULL: what the analysis asks for
  int phases;             // of set
  int n;                  // series
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

static double value_at(const lines *l, const pl_orbit *o) {
  const pl_scene *sc = l->c->j->scene;
  if (l->set) return measured_value(l->c->j, l->set, o, l->phases);
  pl_measure of = curve_measure(l->c, l->probe);
  return pl_orbit_measure(sc->model, sc->params, o, &of, NULL);
}

// branches are not joined, nor phases a turn apart: a gap between them
static pl_status add_curve(lines *l, int unstable, const char *name) {
  const pl_curve *c = l->curve;
  int at = 0;
  double last = NAN;
  pl_series *s = add_series(l, 2 * c->npoint, name);
  if (!s) return PL_E_NOMEM;
  double *x = l->kept[l->n - 1], *y = x + s->n;
  for (int i = 0; i < c->npoint; i++, at++) {
    double value = value_at(l, c->point[i].orbit);
    double hz = orbit_drive(c->point[i].orbit) / (2 * PL_PI);
    int apart = i > 0 && c->point[i].branch != c->point[i - 1].branch;
    if (apart || (l->phases && fabs(value - last) > 180)) {
      x[at] = hz;
      y[at++] = NAN;
    }
    x[at] = hz;
    y[at] = shows(c, i, unstable) ? value : NAN;
    last = value;
    l->most = fmax(l->most, value);
  }
  s->n = at;
  s->dashed = s->colour = unstable;
  return PL_OK;
}

static pl_status add_special(lines *l) {
  int np = 0;
  char words[PL_TEXT];
  pl_series *s = add_series(l, l->curve->nspecial, special_words(l->curve, l->probe, words));
  if (!s) return PL_E_NOMEM;
  double *x = l->kept[l->n - 1], *y = x + s->n;
  for (int i = 0; i < l->curve->nspecial; i++) {
    const pl_special *p = &l->curve->special[i];
    if (p->kind == PL_PEAK && p->probe != l->probe) continue;
    x[np] = p->omega / (2 * PL_PI);
    y[np++] = value_at(l, p->orbit);
  }
  s->n = np;
  s->points = 1;
  s->colour = 3;
  return PL_OK;
}

static pl_status add_measured(lines *l) {
  const pl_analysis *a = l->c->a;
  for (const pl_measured *m = l->set; m < a->measured + a->nmeasured; m++) {
    char name[80];
    if (!measured_alike(l->set, m) || l->n == SERIES) continue;
    snprintf(name, sizeof name, m == l->set ? "measured" : "measured, %.60s", m->file);
    pl_series *s = add_series(l, m->f.n, name);
    if (!s) return PL_E_NOMEM;
    double *x = l->kept[l->n - 1], *y = x + s->n;
    for (int i = 0; i < m->f.n; i++) {
      x[i] = m->f.omega[i] / (2 * PL_PI);
      y[i] = measured_sample(l->c->j, m, i, l->phases, measured_middle(l->set));
    }
    s->points = 1;
    s->colour = m == l->set ? 4 : -1;
  }
  return PL_OK;
}

// a column of amplitudes as the quantity that is drawn; 0: it is another one
static double factor_of(const lines *l, double hz) {
  const pl_frf *f = l->set ? &l->set->f : NULL;
  const char *unit;
  double e[2] = {1, 0};
  if (!f) return 1;
  if (l->phases || f->harmonic != 1) return 0;
  if (f->per != PL_PER_NOTHING &&
      !pl_excitation(l->c->j->env, l->c->j->scene->model, l->c->j->scene->params, f->per, e))
    return 0;
  double rms = f->kind == PL_FRF_RMS ? sqrt(0.5) : 1;
  return rms * pow(2 * PL_PI * hz, f->order) /
         (hypot(e[0], e[1]) * measured_unit(l->c->j, l->set, &unit));
}

// Columns of a table that make up what is drawn: of one coordinate, or of all that a place has.
typedef struct columns {
  int n, at[3]; // n = 0: the table does not tell it
  pl_measure_kind kind;
} columns;

static columns find_columns(const lines *l, const pl_table *t) {
  pl_measure of = curve_measure(l->c, l->probe);
  if (l->set) of = (pl_measure){.kind = PL_MEASURE_MAX, .mask = 1 << l->set->f.axis};
  columns c = {.kind = of.kind};
  char name[PL_TEXT];
  for (int x = 0; x < l->c->j->scene->dim; x++) {
    if (!(of.mask >> x & 1) || (of.kind == PL_MEASURE_PATH && c.n)) continue;
    probe_column(&l->c->a->probe[l->probe], &of, x, name);
    int at = pl_table_find(t, name);
    if (at < 0) return (columns){0};
    c.at[c.n++] = at;
  }
  return c;
}

// of the axis that goes farthest, or the root of the sum of squares
static double combine(const columns *c, const double *row) {
  double value = row[c->at[0]];
  for (int k = 1; k < c->n; k++)
    value = c->kind == PL_MEASURE_MAX ? fmax(value, row[c->at[k]]) : hypot(value, row[c->at[k]]);
  return value;
}

// columns of a table over its first one, cut where they would dwarf the curve
static pl_status add_table(lines *l, const pl_table *t, const columns *c, const char *name,
                           int colour) {
  int rows = pl_table_rows(t), cols = pl_table_cols(t);
  pl_series *s = add_series(l, rows, name);
  if (!s) return PL_E_NOMEM;
  double *x = l->kept[l->n - 1], *y = x + s->n;
  for (int i = 0; i < rows; i++) {
    const double *row = pl_table_data(t) + (size_t)i * (size_t)cols;
    double value = combine(c, row) * factor_of(l, row[0]);
    x[i] = row[0];
    y[i] = value <= 1.5 * l->most ? value : NAN;
  }
  s->colour = colour;
  return PL_OK;
}

// the points of an earlier curve; of a run before this one, which goes on from it, in its file
static pl_status find_curve(job *j, const pl_analysis *a, pl_table **out) {
  char path[PL_TEXT];
  pl_table **own = &j->curve[a - j->scene->analysis];
  if (!*own && j->opts->resume && access(job_path(j, a->name, ".csv", path), R_OK) == 0)
    PL_TRY(pl_table_read(j->env, path, own));
  *out = *own;
  return PL_OK;
}

// responses and backbones of the scene that were run before this one and watch the same place
static pl_status add_others(lines *l) {
  job *j = l->c->j;
  int other = l->c->a->kind == PL_ANALYSIS_backbone ? PL_ANALYSIS_response : PL_ANALYSIS_backbone;
  for (const pl_analysis *a = j->scene->analysis; a < l->c->a && l->n < SERIES; a++) {
    pl_table *t = NULL;
    if ((int)a->kind == other) PL_TRY(find_curve(j, a, &t));
    columns c = t ? find_columns(l, t) : (columns){0};
    if (!c.n) continue;
    PL_TRY(add_table(l, t, &c, a->name, l->set ? 5 : 4));
    if (other == PL_ANALYSIS_backbone) l->series[l->n - 1].dashed = 2;
  }
  return PL_OK;
}

static pl_status fill(lines *l, const pl_table *linear) {
  int asked = 0;
  for (int i = 0; i < l->curve->npoint; i++) asked |= l->curve->point[i].stable >= 0;
  // the legend speaks of stability only where it was asked for
  const char *kind = l->c->energy ? "backbone" : "harmonic balance";
  PL_TRY(add_curve(l, 0, asked ? "stable" : kind));
  if (asked) PL_TRY(add_curve(l, 1, "unstable"));
  if (l->curve->nspecial) PL_TRY(add_special(l));
  if (l->set) PL_TRY(add_measured(l));
  if (l->phases) return PL_OK;
  columns c = {0};
  if (linear) c = find_columns(l, linear);
  if (c.n) PL_TRY(add_table(l, linear, &c, "linear", 2));
  return add_others(l);
}

static pl_status draw(lines *l, const pl_table *linear, pl_plot *plot, const char *caption) {
  curve_out *c = l->c;
  char title[PL_TEXT], name[PL_TEXT], number[24] = "";
  const char *what = l->phases ? "phase" : c->energy ? "backbone" : "response";
  const char *probe = c->a->probe[l->probe].name;
  PL_TRY(fill(l, linear));
  snprintf(title, sizeof title, "%s of %.200s", what, probe);
  // a second quantity measured at the same place has its own figure
  int nth = 1;
  for (const pl_measured *m = c->a->measured; l->set && m < l->set; m++)
    nth += strcmp(m->probe, l->set->probe) == 0 && measured_first(c->a, m);
  if (nth > 1) snprintf(number, sizeof number, "-%d", nth);
  snprintf(name, sizeof name, "%.60s-%.60s%s%s", c->a->name, probe, number,
           l->phases ? "-phase" : "");
  plot->title = title;
  plot->xlabel = "frequency (Hz)";
  plot->nseries = l->n;
  plot->series = l->series;
  return job_plot(c->j, name, plot, caption);
}

static pl_status plot_quantity(lines *l, const pl_table *linear) {
  curve_out *c = l->c;
  char caption[PL_TEXT], label[96];
  snprintf(caption, sizeof caption, "%s: %s at every frequency%s.",
           c->energy ? "Backbone, free motions without damping" : "Frequency response", c->quantity,
           linear ? ", and that of the linear model as far as it fits the picture" : "");
  snprintf(label, sizeof label, "%s (m)", c->quantity);
  pl_plot plot = {.ylabel = label, .logx = c->log & 1, .logy = c->log >> 1 & 1};
  return draw(l, linear, &plot, caption);
}

static pl_status plot_measured(lines *l, const pl_table *linear) {
  static const char *const words[] = {"amplitude", "amplitude", "largest deviation",
                                      "root mean square"};
  curve_out *c = l->c;
  char label[96], caption[PL_TEXT];
  const char *unit;
  measured_unit(c->j, l->set, &unit);
  snprintf(label, sizeof label, "%s (%.60s)", words[l->set->f.kind], unit);
  snprintf(caption, sizeof caption, "Frequency response along %c, computed and measured (%.200s).",
           "xyz"[l->set->f.axis], l -> set -> file);
  pl_plot plot = {.ylabel = l->phases ? "phase (deg)" : label,
                  .logx = c->log & 1,
                  .logy = !l->phases && c->log >> 1 & 1};
  return draw(l, linear, &plot, l->phases ? "Phase against the excitation." : caption);
}

// one figure; l names what it shows
static pl_status plot(lines l, const pl_table *linear) {
  pl_status st = l.set ? plot_measured(&l, linear) : plot_quantity(&l, linear);
  for (int i = 0; i < l.n; i++) pl_free(l.c->j->env, l.kept[i]);
  return st;
}

pl_status curve_plots(curve_out *c, const pl_curve *curve, const pl_table *linear) {
  const pl_analysis *a = c->a;
  pl_status st = PL_OK;
  for (int k = 0; st == PL_OK && k < a->nprobe; k++) {
    int measured = 0;
    for (int i = 0; i < a->nmeasured; i++) {
      const pl_measured *m = &a->measured[i];
      if (strcmp(m->probe, a->probe[k].name) != 0) continue;
      measured = 1;
      if (!measured_first(a, m)) continue;
      lines l = {.c = c, .curve = curve, .probe = k, .set = m};
      st = plot(l, linear);
      l.phases = 1;
      if (st == PL_OK && m->f.kind == PL_FRF_COMPLEX) st = plot(l, linear);
      if (st != PL_OK) return st;
    }
    lines l = {.c = c, .curve = curve, .probe = k};
    if (!measured) st = plot(l, linear);
  }
  return st;
}
