// Tables of all cases, drawn over each other: mean and bands of random inputs, or all of them.
#include "study_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES_DRAWN = 60, COLUMNS_DRAWN = 6 };

static const json_t *table_of(const study *s, int k, const char *table) {
  return json_object_get(json_object_get(s->record[k], "curves"), table);
}

static const json_t *data_of(const json_t *table, size_t column) {
  return json_object_get(json_array_get(table, column), "data");
}

static double number_at(const json_t *data, size_t i) {
  const json_t *v = json_array_get(data, i);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

// Has case k the table with the abscissa of case `first`, but for rounding?
static int is_alike(const study *s, int first, int k, const char *table) {
  const json_t *a = data_of(table_of(s, first, table), 0), *b = data_of(table_of(s, k, table), 0);
  size_t n = json_array_size(a);
  double size = 0, most = 0;
  if (!b || json_array_size(b) != n) return 0;
  for (size_t i = 0; i < n; i++) {
    size = fmax(size, fabs(number_at(a, i)));
    most = fmax(most, fabs(number_at(a, i) - number_at(b, i)));
  }
  return most <= 1e-9 * size;
}

static void label_of(const json_t *column, char *out, size_t size) {
  const char *name = json_string_value(json_object_get(column, "name"));
  const char *unit = json_string_value(json_object_get(column, "unit"));
  snprintf(out, size, unit && *unit ? "%.200s (%.30s)" : "%.200s", name ? name : "",
           unit ? unit : "");
}

static int compare(const void *p, const void *q) {
  double a = *(const double *)p, b = *(const double *)q;
  return (a > b) - (a < b);
}

// ---- bands
// ----------------------------------------------------------------------------------------

// mean, 5 %, 95 % at each row: band[3][nrow]; work[n]
static void make_bands(const study *s, const char *table, size_t column, int n, const int *index,
                       int nrow, double *band, double *work) {
  for (int r = 0; r < nrow; r++) {
    int m = 0;
    for (int k = 0; k < n; k++) {
      double v = number_at(data_of(table_of(s, index[k], table), column), (size_t)r);
      if (isfinite(v)) work[m++] = v;
    }
    band[r] = pl_estimate_moments(m, work).mean;
    qsort(work, (size_t)m, sizeof *work, compare);
    band[nrow + r] = pl_estimate_quantile(m, work, 0.05).value;
    band[2 * nrow + r] = pl_estimate_quantile(m, work, 0.95).value;
  }
}

static pl_status draw_bands(const study *s, pl_page *p, const json_t *first, size_t column,
                            int nrow, const double *x, const double *band) {
  char xlabel[PL_TEXT], ylabel[PL_TEXT];
  const pl_series series[] = {
      {.name = "mean", .n = nrow, .x = x, .y = band, .colour = 0},
      {.name = "5 %", .n = nrow, .x = x, .y = band + nrow, .dashed = 1, .colour = 0},
      {.name = "95 %", .n = nrow, .x = x, .y = band + 2 * nrow, .dashed = 1, .colour = 1}};
  label_of(json_array_get(first, 0), xlabel, sizeof xlabel);
  label_of(json_array_get(first, column), ylabel, sizeof ylabel);
  const pl_plot plot = {.xlabel = xlabel, .ylabel = ylabel, .nseries = 3, .series = series};
  return page_plot(s, p, &plot, NULL);
}

static pl_status name_column(pl_table *t, int col, const json_t *column, const char *suffix) {
  char name[PL_TEXT];
  const char *of = json_string_value(json_object_get(column, "name"));
  const char *unit = json_string_value(json_object_get(column, "unit"));
  snprintf(name, sizeof name, "%.300s%s", of ? of : "", suffix);
  return pl_table_column(t, col, name, unit);
}

// abscissa, then mean, 5 % and 95 % of each column
static pl_status write_bands(const study *s, const char *table, const json_t *first, int nrow,
                             const double *x, size_t ncol, const double *band) {
  static const char *const suffix[] = {"_mean", "_q05", "_q95"};
  size_t wide = 1 + 3 * (ncol - 1);
  char path[4096], name[128];
  pl_table *t;
  double *row = pl_alloc(s->env, wide, sizeof *row);
  if (!row) return PL_E_NOMEM;
  pl_status st = pl_table_create(s->env, (int)wide, &t);
  if (st == PL_OK) st = name_column(t, 0, json_array_get(first, 0), "");
  for (size_t c = 1; st == PL_OK && c < wide; c++)
    st = name_column(t, (int)c, json_array_get(first, 1 + (c - 1) / 3), suffix[(c - 1) % 3]);
  for (int r = 0; st == PL_OK && r < nrow; r++) {
    row[0] = x[r];
    for (size_t c = 1; c < wide; c++) row[c] = band[(c - 1) * (size_t)nrow + (size_t)r];
    st = pl_table_row(t, row);
  }
  snprintf(name, sizeof name, "band-%.60s.csv", table);
  if (st == PL_OK) st = pl_table_write(t, study_path(s, name, path));
  pl_table_free(t);
  pl_free(s->env, row);
  return st;
}

static pl_status report_bands(const study *s, pl_page *p, const char *table, int n,
                              const int *index) {
  const json_t *first = table_of(s, index[0], table);
  size_t ncol = json_array_size(first);
  int nrow = (int)json_array_size(data_of(first, 0));
  double *x = pl_alloc(s->env, (size_t)nrow, sizeof *x);
  double *band = pl_alloc(s->env, 3 * ncol * (size_t)nrow, sizeof *band);
  double *work = pl_alloc(s->env, (size_t)n, sizeof *work);
  pl_status st = x && band && work ? PL_OK : PL_E_NOMEM;
  for (int r = 0; st == PL_OK && r < nrow; r++) x[r] = number_at(data_of(first, 0), (size_t)r);
  for (size_t c = 1; st == PL_OK && c < ncol; c++) {
    double *to = band + 3 * (c - 1) * (size_t)nrow;
    make_bands(s, table, c, n, index, nrow, to, work);
    if (c <= COLUMNS_DRAWN) st = draw_bands(s, p, first, c, nrow, x, to);
  }
  if (st == PL_OK && ncol > 1) st = write_bands(s, table, first, nrow, x, ncol, band);
  pl_free(s->env, x);
  pl_free(s->env, band);
  pl_free(s->env, work);
  return st;
}

// ---- all of them
// ----------------------------------------------------------------------------------

// the column of each case as a line; every so many where there are many
static pl_status draw_all(const study *s, pl_page *p, const char *table, size_t column, int n,
                          const int *index) {
  int step = (n + CURVES_DRAWN - 1) / CURVES_DRAWN, count = 0;
  char xlabel[PL_TEXT], ylabel[PL_TEXT], caption[PL_TEXT];
  pl_series series[CURVES_DRAWN];
  pl_status st = PL_OK;
  for (int k = 0; st == PL_OK && k < n; k += step, count++) {
    const json_t *t = table_of(s, index[k], table);
    size_t nrow = json_array_size(data_of(t, 0));
    double *xy = pl_alloc(s->env, 2 * nrow, sizeof *xy);
    if (!xy) {
      st = PL_E_NOMEM;
      break;
    }
    for (size_t r = 0; r < nrow; r++) {
      xy[r] = number_at(data_of(t, 0), r);
      xy[nrow + r] = number_at(data_of(t, column), r);
    }
    series[count] = (pl_series){.n = (int)nrow, .x = xy, .y = xy + nrow, .colour = count % 8};
  }
  const json_t *first = table_of(s, index[0], table);
  label_of(json_array_get(first, 0), xlabel, sizeof xlabel);
  label_of(json_array_get(first, column), ylabel, sizeof ylabel);
  snprintf(caption, sizeof caption, "%d of %d cases.", count, n);
  const pl_plot plot = {.xlabel = xlabel, .ylabel = ylabel, .nseries = count, .series = series};
  if (st == PL_OK) st = page_plot(s, p, &plot, step > 1 ? caption : NULL);
  for (int k = 0; k < count; k++) pl_free(s->env, (double *)(uintptr_t)series[k].x);
  return st;
}

// ---- the report
// -----------------------------------------------------------------------------------

static pl_status report(const study *s, pl_page *p, const char *table, int *index) {
  int n = 0, alike = 1;
  for (int k = 0; k < s->ncase; k++)
    if (table_of(s, k, table)) index[n++] = k;
  pl_page_heading(p, 3, table);
  if (n == 0) {
    pl_page_warning(p, "no case has a table '%s'", table);
    return PL_OK;
  }
  for (int k = 1; k < n; k++) alike &= is_alike(s, index[0], index[k], table);
  if (s->o->uncertain && alike) return report_bands(s, p, table, n, index);
  if (s->o->uncertain)
    pl_page_text(
        p,
        "There are no bands: the cases have this table at different values of its first column.");
  size_t ncol = json_array_size(table_of(s, index[0], table));
  for (size_t c = 1; c < ncol && c <= COLUMNS_DRAWN; c++)
    PL_TRY(draw_all(s, p, table, c, n, index));
  return PL_OK;
}

pl_status curves_report(const study *s, pl_page *p) {
  int *index = pl_alloc(s->env, (size_t)s->ncase, sizeof *index);
  pl_status st = index ? PL_OK : PL_E_NOMEM;
  pl_page_heading(p, 2, "Curves");
  for (int i = 0; st == PL_OK && i < s->o->ncurve; i++) st = report(s, p, s->o->curve[i], index);
  pl_free(s->env, index);
  return st;
}
