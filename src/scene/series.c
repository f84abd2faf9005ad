// Factors over time, from CSV files beside a scene.
#include "faces.h"

#include "pliant/report.h"

#include <math.h>
#include <string.h>

enum { TIMES_MAX = 10000000 };

// the factor of a column: those without a unit are taken as they stand
static int value_scale(reader *r, const char *path, const pl_table *t, const char *si,
                       double *factor) {
  char text[UNIT_WORD];
  *factor = 1;
  column_text(t, 1, text);
  if (!text[0]) return 1;
  return column_scale(r, path, t, 1, si, "the header is e.g. time_s,factor", factor);
}

static int fill(reader *r, const char *path, const pl_table *t, const char *si, pl_course *s) {
  int rows = pl_table_rows(t), cols = pl_table_cols(t);
  const double *data = pl_table_data(t);
  double unit_t, unit_v;
  if (cols != 2 || rows < 2 || rows > TIMES_MAX) {
    problem_at(r, path, pl_table_line(t), 0, "e.g. time_s,factor",
               "a factor over time needs two columns and 2 or more rows, got %d %s and %d %s", cols,
               pl_plural(cols, "column", "columns"), rows, pl_plural(rows, "row", "rows"));
    return 0;
  }
  if (!column_scale(r, path, t, 0, "s", "the header is e.g. time_s,factor", &unit_t) ||
      !value_scale(r, path, t, si, &unit_v))
    return 0;
  double *time = scene_alloc(r, (size_t)rows, sizeof *time);
  double *value = scene_alloc(r, (size_t)rows, sizeof *value);
  if (!time || !value) return 0;
  for (int i = 0; i < rows; i++) {
    time[i] = unit_t * data[2 * i];
    value[i] = unit_v * data[2 * i + 1];
    if (isfinite(time[i]) && isfinite(value[i]) && (i == 0 || time[i] > time[i - 1])) continue;
    problem_at(r, path, pl_table_line(t) + 1 + i, 0, "sort the rows and leave out double ones",
               "times must rise, and numbers must be finite");
    return 0;
  }
  *s = (pl_course){.n = rows, .t = time, .v = value};
  return 1;
}

const pl_course *read_series(reader *r, const txt *file, const char *si, int cubic) {
  char path[PL_TEXT];
  pl_table *t;
  pl_course *s = scene_alloc(r, 1, sizeof *s);
  if (!s || !read_csv(r, file->at, "over", path, &t)) return NULL;
  int ok = fill(r, path, t, si, s);
  pl_table_free(t);
  if (!ok) return NULL;
  if (!r->over_at) r->over_at = file->at;
  if (!cubic) return s;
  double *rate = scene_alloc(r, (size_t)s->n, sizeof *rate);
  if (!rate) return NULL;
  pl_status st = pl_course_rates(r->env, s->n, s->t, s->v, rate);
  if (st != PL_OK) r->failed = st;
  s->rate = rate;
  return st == PL_OK ? s : NULL;
}
