// What analyses of periodic motions share: tables, animation and pictures of one orbit.
#include "run_orbit.h"

#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

int orbit_nodes(const pl_analysis *a, int *node) {
  int n = 0;
  for (int k = 0; k < a->nprobe; k++) node[n++] = a->probe[k].node;
  return n;
}

int probe_has(const pl_probe *w, int axis) {
  return w->component < 0 || w->component == axis;
}

int probe_axes(const job *j, const pl_probe *w) {
  return w->component < 0 ? j->scene->dim : 1;
}

pl_measure probe_measure(const pl_probe *w, pl_measure_kind kind, int harmonic) {
  return (pl_measure){kind, w->node, w->component < 0 ? 7 : 1 << w->component, harmonic};
}

const char *measure_words(pl_measure_kind kind, int harmonic, char buf[48]) {
  static const char *const text[] = {"path length a period", "largest deviation",
                                     "root mean square"};
  if (kind < PL_MEASURE_HARMONIC)
    snprintf(buf, 48, "%s", text[kind]);
  else
    snprintf(buf, 48, "amplitude of harmonic %d", harmonic);
  return buf;
}

const char *probe_column(const pl_probe *w, const pl_measure *of, int axis, char buf[PL_TEXT]) {
  if (of->kind == PL_MEASURE_PATH)
    snprintf(buf, PL_TEXT, "%.400s_path", w->name);
  else if (of->kind == PL_MEASURE_HARMONIC)
    snprintf(buf, PL_TEXT, "%.400s_h%d_%c", w->name, of->harmonic, "xyz"[axis]);
  else
    snprintf(buf, PL_TEXT, "%.400s_%s_%c", w->name, of->kind == PL_MEASURE_MAX ? "max" : "rms",
             "xyz"[axis]);
  return buf;
}

double orbit_drive(const pl_orbit *o) {
  return o->omega * (o->sub > 1 ? o->sub : 1);
}

// ---- Fourier coefficients ---------------------------------------------------------------------

pl_status orbit_harmonics_open(job *j, const pl_analysis *a, pl_table **out) {
  int dim = j->scene->dim, ncol = 4, at = 4;
  for (int k = 0; k < a->nprobe; k++)
    for (int c = 0; c < dim; c++) ncol += 2 * probe_has(&a->probe[k], c);
  PL_TRY(pl_table_create(j->env, ncol, out));
  pl_table *t = *out;
  PL_TRY(pl_table_column(t, 0, "point", ""));
  PL_TRY(pl_table_column(t, 1, "frequency", "Hz"));
  PL_TRY(pl_table_column(t, 2, "omega", "rad/s"));
  PL_TRY(pl_table_column(t, 3, "harmonic", ""));
  for (int k = 0; k < a->nprobe; k++)
    for (int c = 0; c < dim; c++) {
      if (!probe_has(&a->probe[k], c)) continue;
      char name[PL_TEXT];
      snprintf(name, sizeof name, "%s_%c_sin", a->probe[k].name, "xyz"[c]);
      PL_TRY(pl_table_column(t, at++, name, "m"));
      snprintf(name, sizeof name, "%s_%c_cos", a->probe[k].name, "xyz"[c]);
      PL_TRY(pl_table_column(t, at++, name, "m"));
    }
  return PL_OK;
}

pl_status orbit_harmonics_add(job *j, const pl_analysis *a, const pl_orbit *o, int point,
                              pl_table *t) {
  const pl_scene *sc = j->scene;
  int L = 2 * o->nharm + 1, ncol = pl_table_cols(t), nc = (ncol - 4) / 2, at = 0;
  double *coef = pl_alloc(j->env, (size_t)(nc + 1) * (size_t)L, sizeof(double));
  double *row = pl_alloc(j->env, (size_t)ncol, sizeof(double));
  pl_status st = coef && row ? PL_OK : PL_E_NOMEM;
  for (int k = 0; st == PL_OK && k < a->nprobe; k++)
    for (int c = 0; c < sc->dim; c++)
      if (probe_has(&a->probe[k], c))
        pl_orbit_series(sc->model, sc->params, o, a->probe[k].node, c,
                        coef + (size_t)(at++) * (size_t)L);
  for (int h = 0; st == PL_OK && h <= o->nharm; h++) {
    row[0] = point;
    row[1] = orbit_drive(o) / (2 * PL_PI);
    row[2] = orbit_drive(o);
    row[3] = (double)h / (o->sub > 1 ? o->sub : 1);
    for (int c = 0; c < nc; c++) {
      row[4 + 2 * c] = h ? coef[(size_t)c * (size_t)L + (size_t)(2 * h - 1)] : 0;
      row[5 + 2 * c] = coef[(size_t)c * (size_t)L + (size_t)(2 * h)];
    }
    st = pl_table_row(t, row);
  }
  pl_free(j->env, coef);
  pl_free(j->env, row);
  return st;
}

// ---- one period in time -----------------------------------------------------------------------

pl_status orbit_period(job *j, const pl_analysis *a, const pl_orbit *o, pl_table **out) {
  int ncol = 1 + job_probe_count(j, a);
  pl_state *s = NULL;
  double *row = pl_alloc(j->env, (size_t)ncol, sizeof(double));
  pl_status st = row ? pl_table_create(j->env, ncol, out) : PL_E_NOMEM;
  if (st == PL_OK) st = pl_table_column(*out, 0, "time", "s");
  if (st == PL_OK && job_probe_columns(j, a, *out, 1) < 0) st = PL_E_NOMEM;
  if (st == PL_OK) st = pl_state_create(j->scene->model, j->scene->params, &s);
  for (int i = 0; st == PL_OK && i <= ORBIT_STEPS; i++) {
    pl_orbit_state(j->scene->model, j->scene->params, o, 2 * PL_PI * i / ORBIT_STEPS, s);
    row[0] = s->t;
    job_probe_row(j, a, s, row + 1);
    st = pl_table_row(*out, row);
  }
  if (s) pl_state_free(j->scene->model, s);
  pl_free(j->env, row);
  return st;
}

// ---- plots ------------------------------------------------------------------------------------

// amplitudes sqrt(s_k^2 + c_k^2) of every harmonic of the probed coordinates
pl_status orbit_content_plot(job *j, const pl_table *harmonics, const char *name) {
  int rows = pl_table_rows(harmonics), cols = pl_table_cols(harmonics), nc = (cols - 4) / 2;
  if (rows < 2 || nc < 1) return PL_OK;
  if (nc > 6) nc = 6;
  const double *d = pl_table_data(harmonics);
  double *xy = pl_alloc(j->env, (size_t)rows * (size_t)(nc + 1), sizeof(double));
  if (!xy) return PL_E_NOMEM;
  pl_series series[6];
  char names[6][PL_TEXT];
  for (int i = 0; i < rows; i++) xy[i] = d[i * cols + 3];
  for (int c = 0; c < nc; c++) {
    double *y = xy + (size_t)(c + 1) * (size_t)rows;
    for (int i = 0; i < rows; i++)
      y[i] = fmax(hypot(d[i * cols + 4 + 2 * c], d[i * cols + 5 + 2 * c]), 1e-16);
    // the mean is a place, not a motion
    y[0] = NAN;
    snprintf(names[c], PL_TEXT, "%s", pl_table_name(harmonics, 4 + 2 * c));
    char *end = strstr(names[c], "_sin");
    if (end) *end = 0;
    series[c] = (pl_series){.name = names[c], .n = rows, .x = xy, .y = y, .points = 2, .colour = c};
  }
  pl_plot plot = {.title = "harmonic content",
                  .xlabel = "harmonic",
                  .ylabel = "amplitude (m)",
                  .logy = 1,
                  .nseries = nc,
                  .series = series};
  pl_status st = job_plot(j, name, &plot, "Amplitude of each harmonic of the watched places.");
  pl_free(j->env, xy);
  return st;
}

// ---- two motions ------------------------------------------------------------------------------

// the two columns from `first` of `count` that reach farthest; *second -1: there is one alone
static void widest(const pl_table *t, int first, int count, int *one, int *second) {
  int rows = pl_table_rows(t), cols = pl_table_cols(t);
  double best[2] = {-1, -1};
  *one = first;
  *second = -1;
  for (int c = first; c < first + count; c++) {
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < rows; i++) {
      lo = fmin(lo, pl_table_data(t)[(size_t)i * (size_t)cols + (size_t)c]);
      hi = fmax(hi, pl_table_data(t)[(size_t)i * (size_t)cols + (size_t)c]);
    }
    if (hi - lo > best[0]) {
      *second = c > first ? *one : -1;
      best[1] = best[0];
      *one = c;
      best[0] = hi - lo;
    } else if (hi - lo > best[1]) {
      *second = c;
      best[1] = hi - lo;
    }
  }
  if (*second >= 0 && *second < *one) {
    int c = *one;
    *one = *second;
    *second = c;
  }
}

static void read_column(const pl_table *t, int col, double *out) {
  int rows = pl_table_rows(t), cols = pl_table_cols(t);
  for (int i = 0; i < rows; i++) out[i] = pl_table_data(t)[(size_t)i * (size_t)cols + (size_t)col];
}

// both motions of a probed place: its path, or one coordinate over time
static pl_status plot_pair(job *j, const pl_analysis *a, const pl_probe *w, const orbit_pair *p,
                           int first, int count) {
  int rows = pl_table_rows(p->full), one, second;
  double *xy = pl_alloc(j->env, 4 * (size_t)rows, sizeof *xy);
  if (!xy) return PL_E_NOMEM;
  char name[PL_TEXT], title[PL_TEXT], xlabel[16], ylabel[16];
  const char *axis = "xyz";
  widest(p->full, first, count, &one, &second);
  int path = second >= 0, lead = path ? one : 0, follow = path ? second : one;
  read_column(p->full, lead, xy);
  read_column(p->full, follow, xy + rows);
  read_column(p->other, lead, xy + 2 * rows);
  read_column(p->other, follow, xy + 3 * rows);
  char cx = axis[w->component < 0 ? one - first : w->component];
  snprintf(xlabel, sizeof xlabel, path ? "%c (m)" : "time (s)", cx);
  snprintf(ylabel, sizeof ylabel, "%c (m)", path ? axis[second - first] : cx);
  pl_series series[2] = {
      {.name = "harmonic balance", .n = rows, .x = xy, .y = xy + rows, .colour = 0},
      {.name = p->legend,
       .n = rows,
       .x = xy + 2 * rows,
       .y = xy + 3 * rows,
       .dashed = 1,
       .colour = p->colour}};
  snprintf(name, sizeof name, "%.100s-%.100s-%s", a->name, w->name, p->suffix);
  snprintf(title, sizeof title, "%.100s, %s", w->name, p->title);
  pl_plot plot = {.title = title,
                  .xlabel = xlabel,
                  .ylabel = ylabel,
                  .equal = path,
                  .nseries = 2,
                  .series = series,
                  .height = path ? 480 : 0};
  pl_status s = job_plot(j, name, &plot, p->caption);
  pl_free(j->env, xy);
  return s;
}

pl_status orbit_pair_plots(job *j, const pl_analysis *a, const orbit_pair *p) {
  int at = 1;
  for (int k = 0; k < a->nprobe; k++) {
    int count = a->probe[k].component < 0 ? j->scene->dim : 1;
    PL_TRY(plot_pair(j, a, &a->probe[k], p, at, count));
    at += count;
  }
  return PL_OK;
}
