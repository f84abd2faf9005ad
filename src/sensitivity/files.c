// The table and the page: for every figure a tornado of bars and what stands behind it.
#include "sensitivity_impl.h"

#include "pliant/report.h"
#include "pliant/version.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLS = 8, SHOWN = 24, BARS = 24 }; // figures on the page; parameters in a picture

static void add_number(pl_text *t, double x) {
  if (isnan(x))
    pl_text_add(t, ",");
  else
    pl_text_add(t, ",%.17g", x);
}

static pl_status write_table(const char *folder, pl_sensitivity *s) {
  pl_text t;
  pl_text_init(&t, s->env);
  pl_text_add(&t, "figure,base,parameter,unit,value_low,value,value_high,figure_low,figure_high,"
                  "slope_by_unit,exact_by_unit,failed\n");
  for (int f = 0; f < s->nfigure; f++)
    for (int i = 0; i < s->nparameter; i++) {
      const pl_sensitivity_parameter *p = &s->parameter[i];
      const pl_sensitivity_effect *e = &s->effect[f * s->nparameter + i];
      pl_text_add(&t, "%s,%.17g,%s,%s", s->figure[f], s->base[f], p->name, p->unit);
      const double row[] = {p->low, p->base, p->high, e->low, e->high, e->slope, e->gradient};
      for (size_t c = 0; c < sizeof row / sizeof row[0]; c++) add_number(&t, row[c]);
      pl_text_add(&t, ",%s\n",
                  p->why_low[0] && p->why_high[0] ? "both"
                  : p->why_low[0]                 ? "low"
                  : p->why_high[0]                ? "high"
                                                  : "");
    }
  snprintf(s->table, sizeof s->table, "%.480s/sensitivity.csv", folder);
  pl_status st = t.failed ? PL_E_NOMEM : pl_file_write(s->env, s->table, t.s, t.n);
  pl_text_free(&t);
  return st;
}

// bars from the base to the figure at either end, the widest first
static pl_status put_tornado(pl_page *page, const pl_sensitivity *s, int f, const int *order) {
  char name[2 * BARS][96], title[PL_TEXT];
  const char *names[2 * BARS];
  double value[2 * BARS];
  int n = 0;
  for (int k = 0; k < s->nparameter && k < BARS; k++) {
    const pl_sensitivity_parameter *p = &s->parameter[order[k]];
    const pl_sensitivity_effect *e = &s->effect[f * s->nparameter + order[k]];
    for (int high = 0; high < 2; high++, n++) {
      snprintf(name[n], sizeof name[n], "%.40s = %.4g %.16s", p->name, high ? p->high : p->low,
               p->unit);
      names[n] = name[n];
      value[n] = (high ? e->high : e->low) - s->base[f];
    }
  }
  pl_text svg;
  pl_text_init(&svg, s->env);
  snprintf(title, sizeof title, "change of %.300s", s->figure[f]);
  const pl_chart chart = {title, "change", NULL, n, names, value};
  pl_status st = pl_bars_svg(&svg, &chart);
  if (st == PL_OK)
    pl_page_figure(page, svg.s,
                   "Change against the scene's own values, one parameter at a time at either end "
                   "of its range.");
  pl_text_free(&svg);
  return st;
}

static void put_grid(pl_page *page, const pl_sensitivity *s, int f, const int *order) {
  static const char *const head[COLS] = {"parameter",     "low",           "value",
                                         "high",          "figure at low", "figure at high",
                                         "slope between", "exact slope"};
  enum { MOST = 60 };
  static const int number = COLS - 1;
  char text[MOST][COLS][64];
  const char *cells[(MOST + 1) * COLS];
  int rows = s->nparameter < MOST ? s->nparameter : MOST;
  for (int c = 0; c < COLS; c++) cells[c] = head[c];
  for (int k = 0; k < rows; k++) {
    const pl_sensitivity_parameter *p = &s->parameter[order[k]];
    const pl_sensitivity_effect *e = &s->effect[f * s->nparameter + order[k]];
    const double row[] = {p->low, p->base, p->high, e->low, e->high, e->slope, e->gradient};
    snprintf(text[k][0], sizeof text[k][0], "%.40s%s%.16s", p->name, p->unit[0] ? ", " : "",
             p->unit);
    for (int c = 0; c < number; c++) {
      text[k][c + 1][0] = 0;
      if (!isnan(row[c])) snprintf(text[k][c + 1], sizeof text[k][c + 1], "%.6g", row[c]);
    }
    for (int c = 0; c < COLS; c++) cells[(k + 1) * COLS + c] = text[k][c];
  }
  pl_page_grid(page, rows + 1, COLS, cells);
}

static void put_failures(pl_page *page, const pl_sensitivity *s) {
  for (int i = 0; i < s->nparameter; i++) {
    const pl_sensitivity_parameter *p = &s->parameter[i];
    if (p->why_low[0])
      pl_page_top_warning(page, "%s = %.6g %s gave no result: %s", p->name, p->low, p->unit,
                          p->why_low);
    if (p->why_high[0])
      pl_page_top_warning(page, "%s = %.6g %s gave no result: %s", p->name, p->high, p->unit,
                          p->why_high);
  }
}

static pl_status fill_page(pl_page *page, const pl_scene *scene, const pl_sensitivity *s) {
  int *order = pl_alloc(s->env, (size_t)s->nparameter, sizeof *order);
  pl_status st = order ? PL_OK : PL_E_NOMEM;
  pl_page_origin(page, "pliant %s, %s", PL_VERSION, scene->path);
  put_failures(page, s);
  pl_page_text(page, "One parameter at a time goes to either end of its range while the others "
                     "stay. Slopes are for one unit of the parameter: between the two ends, and "
                     "exact at the scene's own values. Figures are in the units of their names.");
  for (int f = 0; st == PL_OK && f < s->nfigure && f < SHOWN; f++) {
    pl_sensitivity_order(s, f, order);
    pl_page_heading(page, 2, s->figure[f]);
    pl_page_text(page, "At the scene's own values: %.10g.", s->base[f]);
    st = put_tornado(page, s, f, order);
    put_grid(page, s, f, order);
  }
  if (s->nfigure > SHOWN)
    pl_page_text(page, "The first %d of %d figures; sensitivity.csv has all of them.", SHOWN,
                 s->nfigure);
  pl_free(s->env, order);
  return st;
}

static pl_status write_page(const pl_scene *scene, const char *folder, pl_sensitivity *s) {
  pl_page *page;
  char title[PL_TEXT];
  snprintf(title, sizeof title, "Sensitivity: %.400s",
           scene->title[0] ? scene->title : scene->path);
  PL_TRY(pl_page_create(s->env, title, &page));
  pl_status st = fill_page(page, scene, s);
  snprintf(s->report, sizeof s->report, "%.480s/report.html", folder);
  if (st == PL_OK) st = pl_page_write(page, s->report);
  pl_page_free(page);
  return st;
}

pl_status sensitivity_files(const pl_scene *scene, const char *folder, pl_sensitivity *s) {
  pl_folder *f;
  PL_TRY(pl_folder_open(s->env, folder, &f));
  pl_status st = pl_folder_clear(f);
  if (st == PL_OK) st = write_table(folder, s);
  if (st == PL_OK) st = write_page(scene, folder, s);
  pl_status closed = pl_folder_close(f, st >= 0);
  return st < 0 ? st : closed;
}
