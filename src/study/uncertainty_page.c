// The report of uncertain inputs: statistics of figures, their histograms, what causes them.
#include "study_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURES_MOST = 64, FIGURES_SHOWN = 12, QUANTILES = 5, RESAMPLES = 1000, BINS_MOST = 60 };
static const double quantile[QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
static const char *const quantile_name[QUANTILES] = {"q05", "q25", "q50", "q75", "q95"};

// what is known of a figure
typedef struct statistics {
  int figure; // its column
  pl_moments m;
  pl_quantile q[QUANTILES];
  int n;     // cases that have it
  double *x; // [n] ascending
  int rows;  // of Sobol indices: those with all values
  pl_sobol_index index[INPUTS_MOST];
} statistics;

static int compare(const void *p, const void *q) {
  double a = *(const double *)p, b = *(const double *)q;
  return (a > b) - (a < b);
}

// of designs for Sobol indices the cases that are samples of the inputs
static int is_sample(const study *s, int k) {
  return !s->o->indices || k % (s->ninput + 2) < 2;
}

static pl_status take(const study *s, const columns *c, int figure, statistics *out) {
  const double *value = column_of(c, figure);
  *out = (statistics){.figure = figure};
  out->x = pl_alloc(s->env, (size_t)s->ncase, sizeof *out->x);
  if (!out->x) return PL_E_NOMEM;
  for (int k = 0; k < s->ncase; k++)
    if (is_sample(s, k) && isfinite(value[k])) out->x[out->n++] = value[k];
  out->m = pl_estimate_moments(out->n, out->x);
  qsort(out->x, (size_t)out->n, sizeof *out->x, compare);
  for (int i = 0; i < QUANTILES; i++) out->q[i] = pl_estimate_quantile(out->n, out->x, quantile[i]);
  return PL_OK;
}

// rows in which a case failed are left out
static pl_status take_indices(const study *s, const columns *c, statistics *of) {
  const double *value = column_of(c, of->figure);
  int step = s->ninput + 2, n = s->ncase / step, rows = 0;
  double *f = pl_alloc(s->env, (size_t)n * (size_t)step, sizeof *f);
  if (!f) return PL_E_NOMEM;
  for (int r = 0; r < n; r++) {
    int whole = 1;
    for (int k = 0; k < step; k++) whole &= isfinite(value[r * step + k]) != 0;
    for (int k = 0; whole && k < step; k++)
      f[(size_t)k * (size_t)n + (size_t)rows] = value[r * step + k];
    rows += whole;
  }
  // the columns stand at multiples of rows
  for (int k = 1; k < step; k++)
    memmove(f + (size_t)k * (size_t)rows, f + (size_t)k * (size_t)n, (size_t)rows * sizeof *f);
  of->rows = rows;
  pl_status st = PL_OK;
  if (rows > 1)
    st = pl_estimate_sobol(s->env, rows, s->ninput, f, f + rows, f + 2 * (size_t)rows, RESAMPLES,
                           s->o->seed + 1, of->index);
  pl_free(s->env, f);
  return st;
}

// ---- tables
// ---------------------------------------------------------------------------------------

static void put_cell(pl_text *t, double v) {
  char number[NUMBER] = "";
  if (isfinite(v)) number_text(v, number);
  pl_text_add(t, ",%s", number);
}

static pl_status write_text(const study *s, const char *name, pl_text *t) {
  char path[4096];
  pl_status st = t->failed
                     ? PL_E_NOMEM
                     : pl_file_write(s->env, study_path(s, name, path), t->s ? t->s : "", t->n);
  pl_text_free(t);
  return st;
}

static pl_status write_statistics(const study *s, const columns *c, int n, const statistics *of) {
  pl_text t;
  pl_text_init(&t, s->env);
  pl_text_add(&t, "figure,n,mean,mean_error,sd,sd_error");
  for (int q = 0; q < QUANTILES; q++)
    pl_text_add(&t, ",%s,%s_lo,%s_hi", quantile_name[q], quantile_name[q], quantile_name[q]);
  pl_text_add(&t, "\n");
  for (int i = 0; i < n; i++) {
    pl_text_add(&t, "%s,%d", c->name[of[i].figure], of[i].n);
    put_cell(&t, of[i].m.mean);
    put_cell(&t, of[i].m.mean_error);
    put_cell(&t, of[i].m.sd);
    put_cell(&t, of[i].m.sd_error);
    for (int q = 0; q < QUANTILES; q++) {
      put_cell(&t, of[i].q[q].value);
      put_cell(&t, of[i].q[q].lo);
      put_cell(&t, of[i].q[q].hi);
    }
    pl_text_add(&t, "\n");
  }
  return write_text(s, "statistics.csv", &t);
}

static pl_status write_indices(const study *s, const columns *c, int n, const statistics *of) {
  pl_text t;
  pl_text_init(&t, s->env);
  pl_text_add(&t, "figure,input,rows,first,first_lo,first_hi,total,total_lo,total_hi\n");
  for (int i = 0; i < n; i++)
    for (int d = 0; of[i].rows > 1 && d < s->ninput; d++) {
      const pl_sobol_index *x = &of[i].index[d];
      pl_text_add(&t, "%s,%s,%d", c->name[of[i].figure], s->input[d].name, of[i].rows);
      const double all[] = {x->first, x->first_lo, x->first_hi, x->total, x->total_lo, x->total_hi};
      for (int k = 0; k < 6; k++) put_cell(&t, all[k]);
      pl_text_add(&t, "\n");
    }
  return write_text(s, "sobol.csv", &t);
}

// ---- JSON
// -----------------------------------------------------------------------------------------

static json_t *number(double v) {
  json_t *n = json_real(v);
  return n ? n : json_null();
}

static json_t *tell_indices(const study *s, const statistics *of) {
  json_t *all = json_object();
  for (int d = 0; d < s->ninput; d++) {
    const pl_sobol_index *x = &of->index[d];
    json_object_set_new(all, s->input[d].name,
                        json_pack("{s:o, s:[o, o], s:o, s:[o, o]}", "first", number(x->first),
                                  "first_95", number(x->first_lo), number(x->first_hi), "total",
                                  number(x->total), "total_95", number(x->total_lo),
                                  number(x->total_hi)));
  }
  return all;
}

static json_t *tell(const study *s, const statistics *of) {
  json_t *o = json_pack("{s:i, s:o, s:o, s:o, s:o}", "n", of->n, "mean", number(of->m.mean),
                        "mean_error", number(of->m.mean_error), "sd", number(of->m.sd), "sd_error",
                        number(of->m.sd_error));
  for (int q = 0; q < QUANTILES; q++)
    json_object_set_new(o, quantile_name[q],
                        json_pack("{s:o, s:[o, o]}", "value", number(of->q[q].value), "95",
                                  number(of->q[q].lo), number(of->q[q].hi)));
  if (of->rows > 1) {
    json_object_set_new(o, "rows", json_integer(of->rows));
    json_object_set_new(o, "sobol", tell_indices(s, of));
  }
  return o;
}

// ---- the page
// -------------------------------------------------------------------------------------

static void describe(const input *p, char *out, size_t size) {
  if (p->of.kind == PL_TRIANGULAR)
    snprintf(out, size, "triangular, %.6g .. %.6g .. %.6g", p->of.a, p->of.b, p->of.c);
  else if (p->of.kind == PL_NORMAL || p->of.kind == PL_LOGNORMAL)
    snprintf(out, size, "%s, mean %.6g, standard deviation %.6g",
             p->of.kind == PL_NORMAL ? "normal" : "lognormal", p->of.a, p->of.b);
  else
    snprintf(out, size, "%s, %.6g .. %.6g",
             p->of.kind == PL_UNIFORM ? "uniform" : "uniform by ratios", p->of.a, p->of.b);
}

static pl_status put_inputs(const study *s, pl_page *p) {
  const char *const head[] = {"input", "path", "unit", "distribution"};
  char text[PL_TEXT];
  cell_grid g;
  pl_page_heading(p, 2, "Inputs");
  grid_open(&g, s, 4);
  for (int i = 0; i < 4; i++) grid_put(&g, head[i]);
  for (int i = 0; i < s->ninput; i++) {
    describe(&s->input[i], text, sizeof text);
    grid_put(&g, s->input[i].name);
    grid_put(&g, s->input[i].path);
    grid_put(&g, s->input[i].unit);
    grid_put(&g, text);
  }
  return grid_close(&g, p);
}

static void put_pair(cell_grid *g, double v, double error) {
  char text[2 * NUMBER] = "";
  if (isfinite(v)) snprintf(text, sizeof text, isfinite(error) ? "%.5g ± %.2g" : "%.5g", v, error);
  grid_put(g, text);
}

static void put_quantile(cell_grid *g, const pl_quantile *q) {
  char text[4 * NUMBER] = "", lo[NUMBER] = "?", hi[NUMBER] = "?";
  if (isfinite(q->lo)) snprintf(lo, sizeof lo, "%.4g", q->lo);
  if (isfinite(q->hi)) snprintf(hi, sizeof hi, "%.4g", q->hi);
  if (isfinite(q->value)) snprintf(text, sizeof text, "%.5g (%s .. %s)", q->value, lo, hi);
  grid_put(g, text);
}

static pl_status put_statistics(const study *s, pl_page *p, const columns *c, int n,
                                const statistics *of) {
  const char *const head[] = {"figure",       "n",      "mean",         "standard deviation",
                              "5 % quantile", "median", "95 % quantile"};
  char text[NUMBER];
  cell_grid g;
  pl_page_heading(p, 2, "Statistics");
  grid_open(&g, s, 7);
  for (int i = 0; i < 7; i++) grid_put(&g, head[i]);
  for (int i = 0; i < n; i++) {
    snprintf(text, sizeof text, "%d", of[i].n);
    grid_put(&g, c->name[of[i].figure]);
    grid_put(&g, text);
    put_pair(&g, of[i].m.mean, of[i].m.mean_error);
    put_pair(&g, of[i].m.sd, of[i].m.sd_error);
    put_quantile(&g, &of[i].q[0]);
    put_quantile(&g, &of[i].q[2]);
    put_quantile(&g, &of[i].q[4]);
  }
  PL_TRY(grid_close(&g, p));
  pl_page_text(p,
               "± is one standard error of sampling, (..) a 95 %% confidence interval; both are "
               "those of independent "
               "samples%s.",
               s->o->design == PL_STUDY_RANDOM
                   ? ""
                   : ": the points of this design are spread more evenly, so that means are "
                     "usually better than told");
  return PL_OK;
}

// outline of a histogram, as steps
static pl_status put_histogram(const study *s, pl_page *p, const columns *c, const statistics *of) {
  double lo = of->n ? of->x[0] : 0, hi = of->n ? of->x[of->n - 1] : 0;
  double x[2 * BINS_MOST + 2] = {0}, y[2 * BINS_MOST + 2] = {0};
  char label[PL_TEXT];
  if (of->n < 2 || !(hi > lo)) return PL_OK;
  // as wide as Freedman and Diaconis have it
  double width = 2 * (of->q[3].value - of->q[1].value) / cbrt(of->n);
  int bins = width > 0 ? pl_floor_int((hi - lo) / width) + 1 : 10;
  bins = bins < 5 ? 5 : bins > BINS_MOST ? BINS_MOST : bins;
  for (int k = 0; k < of->n; k++) {
    int b = pl_floor_int((of->x[k] - lo) / (hi - lo) * bins);
    if (b >= bins) b = bins - 1;
    y[2 * b + 1] += 100.0 / of->n;
  }
  for (int b = 0; b <= bins; b++) {
    x[2 * b] = x[2 * b + 1] = lo + (hi - lo) * b / bins;
    if (b < bins) y[2 * b + 2] = y[2 * b + 1];
  }
  y[2 * bins + 1] = 0;
  figure_label(c->name[of->figure], label, sizeof label);
  const double at[] = {of->m.mean, of->m.mean,     NAN,           of->q[0].value, of->q[0].value,
                       NAN,        of->q[4].value, of->q[4].value};
  double top = 0;
  for (int k = 0; k < 2 * bins + 2; k++) top = fmax(top, y[k]);
  const double up[] = {0, top, NAN, 0, top, NAN, 0, top};
  const pl_series series[] = {
      {.name = "cases", .n = 2 * bins + 2, .x = x, .y = y, .colour = 0},
      {.name = "mean", .n = 2, .x = at, .y = up, .colour = 1},
      {.name = "5 % and 95 %", .n = 5, .x = at + 3, .y = up + 3, .dashed = 1, .colour = 1}};
  const pl_plot plot = {
      .xlabel = label, .ylabel = "cases (%)", .nseries = 3, .series = series, .height = 320};
  return page_plot(s, p, &plot, NULL);
}

static void put_interval(cell_grid *g, double v, double lo, double hi) {
  char text[4 * NUMBER];
  snprintf(text, sizeof text, "%.3f (%.3f .. %.3f)", v, lo, hi);
  grid_put(g, text);
}

// dots with their intervals, an input beside the other
static pl_status plot_indices(const study *s, pl_page *p, const columns *c, const statistics *of) {
  double x[2][3 * INPUTS_MOST], y[2][3 * INPUTS_MOST], mx[2][INPUTS_MOST], my[2][INPUTS_MOST];
  const char *name[INPUTS_MOST];
  for (int d = 0; d < s->ninput; d++) name[d] = s->input[d].name;
  for (int d = 0; d < s->ninput; d++)
    for (int k = 0; k < 2; k++) {
      const pl_sobol_index *i = &of->index[d];
      double *to = &x[k][3 * d], *ends = &y[k][3 * d];
      mx[k][d] = to[0] = to[1] = d + 0.08 * (2 * k - 1);
      my[k][d] = k ? i->total : i->first;
      ends[0] = k ? i->total_lo : i->first_lo;
      ends[1] = k ? i->total_hi : i->first_hi;
      to[2] = ends[2] = NAN;
    }
  const pl_series series[] = {
      {.name = "first order", .n = s->ninput, .x = mx[0], .y = my[0], .points = 1, .colour = 0},
      {.name = "total", .n = s->ninput, .x = mx[1], .y = my[1], .points = 1, .colour = 1},
      {.n = 3 * s->ninput, .x = x[0], .y = y[0], .colour = 0},
      {.n = 3 * s->ninput, .x = x[1], .y = y[1], .colour = 1}};
  const pl_plot plot = {.ylabel = "part of the variance",
                        .nseries = 4,
                        .series = series,
                        .height = 320,
                        .nword = s->ninput,
                        .word = name};
  return page_plot(s, p, &plot, c->name[of->figure]);
}

static pl_status put_indices(const study *s, pl_page *p, const columns *c, int n,
                             const statistics *of) {
  cell_grid g;
  pl_page_heading(p, 2, "Sobol indices");
  pl_page_text(p,
               "The part of a figure's variance that is due to an input: alone (first order), and "
               "with all that it "
               "does together with others (total). (..) are 95 %% intervals by %d bootstrap "
               "samples of the rows.",
               RESAMPLES);
  grid_open(&g, s, 5);
  const char *const head[] = {"figure", "input", "rows", "first order", "total"};
  for (int i = 0; i < 5; i++) grid_put(&g, head[i]);
  for (int i = 0; i < n; i++)
    for (int d = 0; of[i].rows > 1 && d < s->ninput; d++) {
      const pl_sobol_index *x = &of[i].index[d];
      char rows[NUMBER];
      snprintf(rows, sizeof rows, "%d", of[i].rows);
      grid_put(&g, d ? "" : c->name[of[i].figure]);
      grid_put(&g, s->input[d].name);
      grid_put(&g, rows);
      put_interval(&g, x->first, x->first_lo, x->first_hi);
      put_interval(&g, x->total, x->total_lo, x->total_hi);
    }
  PL_TRY(grid_close(&g, p));
  for (int i = 0; i < n; i++)
    if (of[i].rows > 1) PL_TRY(plot_indices(s, p, c, &of[i]));
  return PL_OK;
}

static pl_status fill(const study *s, pl_page *p, const columns *c, int n, const statistics *of) {
  const char *const files[] = {"uncertainty.json", "table.csv", "statistics.csv", "cases.jsonl",
                               "sobol.csv"};
  int shown = n < FIGURES_SHOWN ? n : FIGURES_SHOWN;
  pl_page_key(p, "%d %s, %d failed", s->result->ndone, pl_plural(s->result->ndone, "case", "cases"),
              s->result->nfailed);
  if (s->result->nfailed)
    pl_page_key(p, "statistics are those of the cases that did not fail: where failures go with "
                   "values of inputs, "
                   "they are biased");
  for (int i = 0; i < shown && i < 3; i++)
    pl_page_key(p, "%s: %.5g ± %.2g (standard deviation of the figure: %.4g)",
                c->name[of[i].figure], of[i].m.mean, of[i].m.mean_error, of[i].m.sd);
  PL_TRY(put_inputs(s, p));
  if (n > 0) PL_TRY(put_statistics(s, p, c, n, of));
  if (s->o->indices && n > 0) PL_TRY(put_indices(s, p, c, shown, of));
  if (shown > 0) pl_page_heading(p, 2, "Histograms");
  for (int i = 0; i < shown; i++) PL_TRY(put_histogram(s, p, c, &of[i]));
  if (s->o->ncurve) PL_TRY(curves_report(s, p));
  PL_TRY(page_failures(s, p));
  return page_close(s, p, s->o->indices ? 5 : 4, files);
}

static pl_status report(const study *s, const columns *c, int n, const statistics *of,
                        json_t *summary) {
  pl_page *p;
  char title[PL_TEXT];
  json_t *figures = json_object();
  for (int i = 0; i < n; i++) json_object_set_new(figures, c->name[of[i].figure], tell(s, &of[i]));
  json_object_set_new(summary, "figures", figures);
  PL_TRY(write_statistics(s, c, n, of));
  if (s->o->indices) PL_TRY(write_indices(s, c, n, of));
  snprintf(title, sizeof title, "%.200s: uncertainty",
           s->scene->title[0] ? s->scene->title : s->scene->path);
  PL_TRY(page_open(s, title, &p));
  pl_status st = fill(s, p, c, n, of);
  pl_page_free(p);
  return st;
}

pl_status uncertainty_report(const study *s, const columns *c, json_t *summary) {
  int list[FIGURES_MOST], n = shown_figures(s, c, FIGURES_MOST, list), taken = 0;
  statistics *of = pl_alloc(s->env, (size_t)n, sizeof *of);
  pl_status st = of ? PL_OK : PL_E_NOMEM;
  for (; st == PL_OK && taken < n; taken++) {
    st = take(s, c, list[taken], &of[taken]);
    if (st == PL_OK && s->o->indices) st = take_indices(s, c, &of[taken]);
  }
  if (st == PL_OK) st = report(s, c, n, of, summary);
  for (int i = 0; of && i < taken; i++) pl_free(s->env, of[i].x);
  pl_free(s->env, of);
  return st;
}
