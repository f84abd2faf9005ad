// Measured free decays: a CSV of times and the motion of one place.
#include "scene_impl.h"

#include "pliant/report.h"

#include <math.h>
#include <string.h>

enum { SAMPLES_MAX = 10000000 };
#define HEADER "the header is e.g. time_s,displacement_mm"

// Times that are rounded in the file are off by a part of a step; a picture that is missing shifts
// all that follow by a whole one.
static const double UNEVEN = 0.1; // steps

// rows must be numbers, and their times must rise
static int check_rows(reader *r, const char *path, const pl_table *t) {
  const double *data = pl_table_data(t);
  for (int i = 0; i < pl_table_rows(t); i++) {
    int finite = isfinite(data[2 * i]) && isfinite(data[2 * i + 1]);
    if (finite && (i == 0 || data[2 * i] > data[2 * i - 2])) continue;
    problem_at(r, path, pl_table_line(t) + 1 + i, 0,
               finite ? "sort the rows and leave out double ones"
                      : "fill in what was not measured from its neighbours, or begin after it",
               finite ? "times must rise" : "this sample is not a number");
    return 0;
  }
  return 1;
}

// the step of even samples; 0: they are not
static double even_step(reader *r, const char *path, const pl_table *t, int first) {
  const double *x = pl_table_data(t);
  int rows = pl_table_rows(t), n = rows - first, worst = first;
  double step = (x[2 * (rows - 1)] - x[2 * first]) / (n - 1), most = 0;
  for (int i = first; i < rows; i++) {
    double off = fabs(x[2 * i] - x[2 * first] - (i - first) * step);
    if (off > most) worst = i;
    most = fmax(most, off);
  }
  if (most <= UNEVEN * step) return step;
  problem_at(r, path, pl_table_line(t) + 1 + worst, 0,
             "interpolate the record at even steps, or fill in missing samples; times need digits "
             "to a tenth of a step",
             "record: times are not even, this one is off by %.2g steps", most / step);
  return 0;
}

static int fill(reader *r, const char *path, const pl_table *t, double start, pl_record *out) {
  int rows = pl_table_rows(t), cols = pl_table_cols(t), first = 0;
  const double *data = pl_table_data(t);
  double second;
  if (cols != 2 || rows > SAMPLES_MAX) {
    problem_at(r, path, pl_table_line(t), 0, HEADER,
               cols != 2 ? "a record has two columns, time and motion, got %d"
                         : "a record has at most %d samples",
               cols != 2 ? cols : SAMPLES_MAX);
    return 0;
  }
  if (!column_scale(r, path, t, 0, "s", HEADER, &second) || !check_rows(r, path, t)) return 0;
  while (first < rows && second * data[2 * first] < start) first++;
  if (rows - first < PL_DECAY_LEAST) {
    problem_at(r, path, pl_table_line(t), 0,
               first > 0 ? "an earlier start, or a longer record"
                         : "record for several periods, with ten samples or more in each",
               "the record has %d samples%s, at least %d are needed", rows - first,
               first > 0 ? " after the start" : "", PL_DECAY_LEAST);
    return 0;
  }
  double step = even_step(r, path, t, first);
  double *value = scene_alloc(r, (size_t)(rows - first), sizeof *value);
  if (!(step > 0) || !value) return 0;
  for (int i = first; i < rows; i++) value[i - first] = data[2 * i + 1];
  out->line = pl_table_line(t) + 1 + first;
  out->n = rows - first;
  out->first = second * data[2 * first];
  out->step = second * step;
  out->value = value;
  out->path = scene_strdup(r, path, strlen(path));
  out->unit = scene_strdup(r, pl_table_unit(t, 1), strlen(pl_table_unit(t, 1)));
  return out->path && out->unit;
}

const pl_record *read_record(reader *r, const txt *file, double start) {
  char path[PL_TEXT];
  pl_table *t;
  pl_record *out = scene_alloc(r, 1, sizeof *out);
  if (!out || !read_csv(r, file->at, "record", path, &t)) return NULL;
  out->file = file->s;
  int ok = fill(r, path, t, start, out);
  pl_table_free(t);
  return ok ? out : NULL;
}
