// The report of a sweep: what the inputs are, what figures go with them.
#include "study_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIGURES_SHOWN = 6, FAMILY = 8 };

// ---- tables
// ---------------------------------------------------------------------------------------

static pl_status put_inputs(const study *s, pl_page *p) {
  cell_grid g;
  char number[NUMBER], text[PL_TEXT];
  pl_page_heading(p, 2, "Inputs");
  grid_open(&g, s, 5);
  const char *const head[] = {"input", "path", "unit", "values", "count"};
  for (int i = 0; i < 5; i++) grid_put(&g, head[i]);
  for (int i = 0; i < s->ninput; i++) {
    const input *of = &s->input[i];
    grid_put(&g, of->name);
    grid_put(&g, of->path);
    grid_put(&g, of->unit);
    if (of->nlevel && of->words)
      snprintf(text, sizeof text, "%.100s .. %.100s", of->text[0], of->text[of->nlevel - 1]);
    else
      snprintf(text, sizeof text, "%.6g .. %.6g%s", of->nlevel ? of->value[0] : of->lo,
               of->nlevel ? of->value[of->nlevel - 1] : of->hi, of->log ? ", by ratios" : "");
    grid_put(&g, text);
    snprintf(number, sizeof number, "%d", of->nlevel);
    grid_put(&g, of->nlevel ? number : "");
  }
  return grid_close(&g, p);
}

// the case where a figure is least (sign 1) or largest (-1); -1: it is nowhere
static int extreme(const columns *c, int i, int sign) {
  int best = -1;
  for (int k = 0; k < c->ncase; k++) {
    double v = column_of(c, i)[k];
    if (isfinite(v) && (best < 0 || sign * v < sign * column_of(c, i)[best])) best = k;
  }
  return best;
}

static pl_status put_figures(const study *s, pl_page *p, const columns *c, int n, const int *list) {
  const char *const head[] = {"figure", "least", "in case", "largest", "in case"};
  cell_grid g;
  char number[NUMBER];
  pl_page_heading(p, 2, "Figures");
  grid_open(&g, s, 5);
  for (int i = 0; i < 5; i++) grid_put(&g, head[i]);
  for (int i = 0; i < n; i++) {
    grid_put(&g, c->name[list[i]]);
    for (int sign = 1; sign >= -1; sign -= 2) {
      int k = extreme(c, list[i], sign);
      grid_number(&g, k < 0 ? NAN : column_of(c, list[i])[k]);
      snprintf(number, sizeof number, "%d", k + 1);
      grid_put(&g, k < 0 ? "" : number);
    }
  }
  return grid_close(&g, p);
}

// ---- factorial designs
// ----------------------------------------------------------------------------

// how far apart the cases are in which only input i changes by one level
static int stride(const study *s, int i) {
  int n = 1;
  for (int k = i + 1; k < s->ninput; k++) n *= s->input[k].nlevel;
  return n;
}

static int is_log(const input *p) {
  if (p->log) return 1;
  if (p->words || p->nlevel < 3 || !(p->value[0] > 0)) return 0;
  double lo = p->value[0], hi = p->value[0];
  for (int k = 0; k < p->nlevel; k++) {
    lo = fmin(lo, p->value[k]);
    hi = fmax(hi, p->value[k]);
  }
  return lo > 0 && hi / lo >= 100;
}

// the others are at their first value
static void slice_caption(const study *s, int used, char *out, size_t size) {
  size_t n = 0;
  out[0] = 0;
  if (s->ninput <= used) return;
  n += (size_t)snprintf(out, size, "With ");
  for (int i = used; i < s->ninput && n < size; i++)
    n += (size_t)snprintf(out + n, size - n, "%s%.60s = %.60s", i > used ? ", " : "",
                          s->input[i].name, s->input[i].text[0]);
  if (n < size) snprintf(out + n, size - n, ".");
}

// a figure over the first input, a line for each value of the second
static pl_status put_lines(const study *s, pl_page *p, const columns *c, int figure) {
  const input *x = &s->input[0], *by = s->ninput > 1 ? &s->input[1] : NULL;
  int families = !by ? 1 : by->nlevel < FAMILY ? by->nlevel : FAMILY;
  char xlabel[PL_TEXT], ylabel[PL_TEXT], caption[PL_TEXT], name[FAMILY][PL_TEXT];
  pl_series series[FAMILY] = {{0}};
  double *xy = pl_alloc(s->env, (size_t)x->nlevel * (size_t)(families + 1), sizeof *xy);
  if (!xy) return PL_E_NOMEM;
  for (int k = 0; k < x->nlevel; k++) xy[k] = x->value[k];
  for (int f = 0; f < families; f++) {
    int level = families > 1 ? f * (by->nlevel - 1) / (families - 1) : 0;
    double *y = xy + (size_t)(f + 1) * (size_t)x->nlevel;
    for (int k = 0; k < x->nlevel; k++)
      y[k] = column_of(c, figure)[k * stride(s, 0) + (by ? level * stride(s, 1) : 0)];
    if (by) snprintf(name[f], sizeof name[f], "%.80s = %.80s", by->name, by->text[level]);
    series[f] = (pl_series){.name = by ? name[f] : NULL,
                            .n = x->nlevel,
                            .x = xy,
                            .y = y,
                            .points = x->words          ? 1
                                      : x->nlevel <= 60 ? 2
                                                        : 0,
                            .colour = -1};
  }
  input_label(x, xlabel, sizeof xlabel);
  figure_label(c->name[figure], ylabel, sizeof ylabel);
  slice_caption(s, 2, caption, sizeof caption);
  const pl_plot plot = {.xlabel = xlabel,
                        .ylabel = ylabel,
                        .logx = is_log(x),
                        .nseries = families,
                        .series = series,
                        .nword = x->words ? x->nlevel : 0,
                        .word = x->text};
  pl_status st = page_plot(s, p, &plot, caption);
  pl_free(s->env, xy);
  return st;
}

static int is_ascending(const input *p) {
  for (int k = 1; k < p->nlevel; k++)
    if (!(p->value[k] > p->value[k - 1])) return 0;
  return !p->words && p->nlevel > 2;
}

static pl_status put_map(const study *s, pl_page *p, const columns *c, int figure) {
  const input *x = &s->input[0], *y = &s->input[1];
  char xlabel[PL_TEXT], ylabel[PL_TEXT], zlabel[PL_TEXT], caption[PL_TEXT];
  double *z = pl_alloc(s->env, (size_t)x->nlevel * (size_t)y->nlevel, sizeof *z);
  if (!z) return PL_E_NOMEM;
  for (int j = 0; j < y->nlevel; j++)
    for (int i = 0; i < x->nlevel; i++)
      z[(size_t)j * (size_t)x->nlevel + (size_t)i] =
          column_of(c, figure)[i * stride(s, 0) + j * stride(s, 1)];
  input_label(x, xlabel, sizeof xlabel);
  input_label(y, ylabel, sizeof ylabel);
  figure_label(c->name[figure], zlabel, sizeof zlabel);
  slice_caption(s, 2, caption, sizeof caption);
  const pl_contour plot = {.xlabel = xlabel,
                           .ylabel = ylabel,
                           .zlabel = zlabel,
                           .logx = is_log(x),
                           .logy = is_log(y),
                           .nx = x->nlevel,
                           .ny = y->nlevel,
                           .x = x->value,
                           .y = y->value,
                           .z = z};
  pl_status st = page_contour(s, p, &plot, caption);
  pl_free(s->env, z);
  return st;
}

// ---- other designs
// --------------------------------------------------------------------------------

static pl_status put_dots(const study *s, pl_page *p, const columns *c, int figure, int i) {
  char xlabel[PL_TEXT], ylabel[PL_TEXT];
  double *x = pl_alloc(s->env, (size_t)s->ncase, sizeof *x);
  if (!x) return PL_E_NOMEM;
  for (int k = 0; k < s->ncase; k++) x[k] = input_value(s, k, i);
  input_label(&s->input[i], xlabel, sizeof xlabel);
  figure_label(c->name[figure], ylabel, sizeof ylabel);
  const pl_series dots = {
      .n = s->ncase, .x = x, .y = column_of(c, figure), .points = 1, .colour = 0};
  const pl_plot plot = {
      .xlabel = xlabel, .ylabel = ylabel, .logx = s->input[i].log, .nseries = 1, .series = &dots};
  pl_status st = page_plot(s, p, &plot, NULL);
  pl_free(s->env, x);
  return st;
}

// ---- the page
// -------------------------------------------------------------------------------------

static pl_status put_pictures(const study *s, pl_page *p, const columns *c, int figure) {
  pl_page_heading(p, 3, c->name[figure]);
  if (s->o->design == PL_STUDY_FACTORIAL) {
    if (s->input[0].nlevel > 1) PL_TRY(put_lines(s, p, c, figure));
    if (s->ninput > 1 && is_ascending(&s->input[0]) && is_ascending(&s->input[1]))
      PL_TRY(put_map(s, p, c, figure));
    return PL_OK;
  }
  pl_page_row_begin(p);
  for (int i = 0; i < s->ninput; i++)
    if (!s->input[i].words) PL_TRY(put_dots(s, p, c, figure, i));
  pl_page_row_end(p);
  return PL_OK;
}

static pl_status fill(const study *s, pl_page *p, const columns *c) {
  int list[FIGURES_SHOWN], n = shown_figures(s, c, FIGURES_SHOWN, list);
  const char *const files[] = {"sweep.json", "table.csv", "cases.jsonl"};
  pl_page_key(p, "%d %s, %d failed", s->result->ndone, pl_plural(s->result->ndone, "case", "cases"),
              s->result->nfailed);
  PL_TRY(put_inputs(s, p));
  if (n > 0) PL_TRY(put_figures(s, p, c, n, list));
  if (n > 0) pl_page_heading(p, 2, "Pictures");
  PL_TRY(page_parallel(s, p, c, n, list));
  for (int i = 0; i < n; i++) PL_TRY(put_pictures(s, p, c, list[i]));
  if (s->o->ncurve) PL_TRY(curves_report(s, p));
  PL_TRY(page_failures(s, p));
  return page_close(s, p, 3, files);
}

pl_status sweep_report(const study *s, const columns *c) {
  pl_page *p;
  char title[PL_TEXT];
  snprintf(title, sizeof title, "%.200s: sweep",
           s->scene->title[0] ? s->scene->title : s->scene->path);
  PL_TRY(page_open(s, title, &p));
  pl_status st = fill(s, p, c);
  pl_page_free(p);
  return st;
}
