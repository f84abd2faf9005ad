// Plots of the tables of a result folder: those that can be made again from their columns.
#include "results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES_MAX = 12 };

// A plot that is being made of columns of a table.
typedef struct drawing {
  const pl_table *t;
  int rows, cols, n;
  double *xy[SERIES_MAX]; // [2][rows]
  char name[SERIES_MAX][96];
  pl_series series[SERIES_MAX];
} drawing;

static double at(const drawing *d, int row, int col) {
  return pl_table_data(d->t)[(size_t)row * (size_t)d->cols + (size_t)col];
}

// rows where `only` is `value` (only -1: all of them), the line broken elsewhere
static pl_series *add(drawing *d, const char *name, int x, int y, double factor, int only,
                      double value) {
  if (d->n == SERIES_MAX) return NULL;
  double *xy = malloc((2 * (size_t)d->rows + 1) * sizeof *xy);
  if (!xy) return NULL;
  for (int i = 0; i < d->rows; i++) {
    xy[i] = at(d, i, x);
    xy[d->rows + i] = only < 0 || at(d, i, only) == value ? factor * at(d, i, y) : NAN;
  }
  pl_series *s = &d->series[d->n];
  snprintf(d->name[d->n], sizeof d->name[0], "%s", name);
  *s = (pl_series){.name = d->name[d->n], .n = d->rows, .x = xy, .y = xy + d->rows, .colour = d->n};
  d->xy[d->n++] = xy;
  return s;
}

static void label_of(const pl_table *t, int col, char out[PL_TEXT]) {
  const char *unit = pl_table_unit(t, col);
  snprintf(out, PL_TEXT, "%.200s%s%.60s%s", pl_table_name(t, col), *unit ? " (" : "", unit,
           *unit ? ")" : "");
  for (char *p = out; *p; p++)
    if (*p == '_') *p = ' ';
}

static void put(reading *k, drawing *d, const char *analysis, const char *suffix, pl_plot plot) {
  char name[PL_TEXT];
  snprintf(name, sizeof name, "%.200s-%.200s", analysis, suffix);
  plot.nseries = d->n;
  plot.series = d->series;
  if (d->n) run_item(k->r, item_plot(k->r, name, "From the table of the run.", &plot));
  for (int i = 0; i < d->n; i++) free(d->xy[i]);
  d->n = 0;
}

// ---- what is told over time or load -------------------------------------------------------------

// the place that a column NAME_x, NAME_y or NAME_z is of; 0: of none
static int place_of(const pl_table *t, int col, char out[96]) {
  const char *name = pl_table_name(t, col);
  size_t n = strlen(name);
  if (n < 3 || name[n - 2] != '_' || name[n - 1] < 'x' || name[n - 1] > 'z' || n - 2 >= 96)
    return 0;
  snprintf(out, 96, "%.*s", (int)n - 2, name);
  return strcmp(pl_table_unit(t, col), "m") == 0;
}

// the path in the plane of its two widest extents
static void plot_path(reading *k, drawing *d, const char *analysis, const char *place, int first,
                      int count) {
  double wide[3] = {0};
  int least = 0, axis[2], n = 0;
  for (int c = 0; c < count; c++) {
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < d->rows; i++) {
      lo = fmin(lo, at(d, i, first + c));
      hi = fmax(hi, at(d, i, first + c));
    }
    wide[c] = hi - lo;
    if (wide[c] < wide[least]) least = c;
  }
  for (int c = 0; c < count; c++)
    if (count == 2 || c != least) axis[n++] = first + c;
  char suffix[128], xlabel[PL_TEXT], ylabel[PL_TEXT];
  snprintf(suffix, sizeof suffix, "%.90s-path", place);
  label_of(d->t, axis[0], xlabel);
  label_of(d->t, axis[1], ylabel);
  add(d, place, axis[0], axis[1], 1, -1, 0);
  put(k, d, analysis, suffix,
      (pl_plot){.title = place, .xlabel = xlabel, .ylabel = ylabel, .equal = 1, .length = "m"});
}

static void plot_places(reading *k, drawing *d, const char *analysis, const char *xlabel) {
  for (int c = 1; c < d->cols;) {
    char place[96], other[96];
    int first = c;
    if (!place_of(d->t, c, place)) {
      c++;
      continue;
    }
    for (; c < first + 3 && c < d->cols; c++) {
      const char *name = pl_table_name(d->t, c);
      if (!place_of(d->t, c, other) || strcmp(place, other) != 0) break;
      add(d, name + strlen(name) - 1, 0, c, 1, -1, 0);
    }
    put(k, d, analysis, place,
        (pl_plot){.title = place, .xlabel = xlabel, .ylabel = "place (m)", .length = "m"});
    if (c - first > 1) plot_path(k, d, analysis, place, first, c - first);
  }
}

// all columns of a unit in one plot
static void plot_unit(reading *k, drawing *d, const char *analysis, const char *xlabel,
                      const char *unit, const char *title) {
  char ylabel[64];
  for (int c = 1; c < d->cols; c++)
    if (strcmp(pl_table_unit(d->t, c), unit) == 0) add(d, pl_table_name(d->t, c), 0, c, 1, -1, 0);
  snprintf(ylabel, sizeof ylabel, "%s (%s)", title, unit);
  put(k, d, analysis, title, (pl_plot){.title = title, .xlabel = xlabel, .ylabel = ylabel});
}

static void plot_steps(reading *k, drawing *d, const char *analysis) {
  char xlabel[PL_TEXT];
  label_of(d->t, 0, xlabel);
  plot_places(k, d, analysis, xlabel);
  plot_unit(k, d, analysis, xlabel, "J", "energy");
  plot_unit(k, d, analysis, xlabel, "N", "force");
}

// ---- curves -------------------------------------------------------------------------------------

// path lengths over frequency; stability, where it is told, is 1 or 0
static void plot_curve(reading *k, drawing *d, const char *analysis, const char *kind) {
  int stable = pl_table_find(d->t, "stable"), told = 0;
  for (int i = 0; stable >= 0 && i < d->rows; i++) told |= at(d, i, stable) >= 0;
  for (int c = 1; c < d->cols; c++) {
    const char *name = pl_table_name(d->t, c);
    size_t n = strlen(name);
    char place[96], title[PL_TEXT];
    if (n < 6 || strcmp(name + n - 5, "_path") != 0) continue;
    snprintf(place, sizeof place, "%.*s", n - 5 > 90 ? 90 : (int)n - 5, name);
    snprintf(title, sizeof title, "%.20s of %s", kind, place);
    if (told) {
      add(d, "stable", 0, c, 1, stable, 1);
      pl_series *s = add(d, "unstable", 0, c, 1, stable, 0);
      if (s) s->dashed = 1;
    } else {
      add(d, "harmonic balance", 0, c, 1, -1, 0);
    }
    put(k, d, analysis, place,
        (pl_plot){.title = title,
                  .xlabel = "frequency (Hz)",
                  .ylabel = "path length a period (m)",
                  .length = "m"});
  }
}

static void plot_convergence(reading *k, drawing *d, const char *analysis) {
  int value = pl_table_find(d->t, "value"), positive = 1;
  for (int i = 0; value >= 0 && i < d->rows; i++) positive &= at(d, i, value) > 0;
  if (value < 0) return;
  pl_series *s = add(d, "value", 0, value, 1, -1, 0);
  if (s) s->points = 2;
  put(k, d, analysis, "convergence",
      (pl_plot){
          .title = "convergence", .xlabel = "iteration", .ylabel = "value", .logy = positive});
}

// ---- directions ---------------------------------------------------------------------------------

// strains over angles of half a turn, as stretches all around
static void plot_limits(reading *k, drawing *d, const char *analysis) {
  static const char *const column[] = {"strain_max", "strain_min"};
  pl_polar_series series[2];
  double *data[2] = {0};
  int n = 0;
  for (int c = 0; c < 2; c++) {
    int col = pl_table_find(d->t, column[c]), m = 2 * d->rows + 1;
    double *a = col >= 0 ? calloc(2 * (size_t)m, sizeof *a) : NULL;
    if (!a) continue;
    for (int i = 0; i < m; i++) {
      double turn = i / d->rows;
      a[i] = (at(d, i % d->rows, 0) / 180 + turn) * acos(-1);
      a[m + i] = 1 + at(d, i % d->rows, col);
    }
    series[n] = (pl_polar_series){
        .name = c ? "smallest" : "largest", .n = m, .angle = a, .stretch = a + m, .colour = c};
    data[n++] = a;
  }
  const pl_polar_plot plot = {.title = "limits of stretch", .nseries = n, .series = series};
  if (n) run_item(k->r, item_polar(k->r, analysis, "From the table of the run.", &plot));
  for (int c = 0; c < n; c++) free(data[c]);
}

// ---- validation ---------------------------------------------------------------------------------

// everything over the first column: master curve and models
static void plot_models(reading *k, drawing *d, const char *name) {
  char xlabel[PL_TEXT];
  label_of(d->t, 0, xlabel);
  for (int c = 1; c < d->cols; c++) {
    pl_series *s = add(d, pl_table_name(d->t, c), 0, c, 1, -1, 0);
    if (s && c > 1) s->points = 1;
  }
  put(k, d, name, "points", (pl_plot){.title = name, .xlabel = xlabel, .ylabel = "value"});
}

// ---- which of them ------------------------------------------------------------------------------

static int is_one_of(const char *kind, int n, const char *const *names) {
  for (int i = 0; i < n; i++)
    if (strcmp(kind, names[i]) == 0) return 1;
  return 0;
}

void results_plots(reading *k, const char *analysis, const char *kind, const char *name,
                   const pl_table *t) {
  static const char *const steps[] = {"static", "transient", "jump", "path", "drape", "periodic"},
                           *const curves[] = {"response", "backbone"},
                           *const designs[] = {"design", "fit-response", "fit-damping"};
  drawing d = {.t = t, .rows = pl_table_rows(t), .cols = pl_table_cols(t)};
  int main = strcmp(name, analysis) == 0;
  const char *end = strrchr(name, '-');
  if (d.rows < 3) return;
  if (!kind[0])
    plot_models(k, &d, name);
  else if (main && is_one_of(kind, 6, steps))
    plot_steps(k, &d, analysis);
  else if (main && is_one_of(kind, 2, curves))
    plot_curve(k, &d, analysis, kind);
  else if (is_one_of(kind, 3, designs) && end && strcmp(end, "-convergence") == 0)
    plot_convergence(k, &d, analysis);
  else if (main && strcmp(kind, "limits") == 0)
    plot_limits(k, &d, analysis);
}
