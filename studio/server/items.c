// Items that are made of plots and tables, of a job or of files.
#include "runs.h"

#include <stdlib.h>
#include <string.h>

json_t *item_table(job *r, const char *name, const pl_table *t) {
  size_t rows = (size_t)pl_table_rows(t), cols = (size_t)pl_table_cols(t);
  json_t *item = json_object();
  part_set(item, "kind", json_string("table"));
  part_set(item, "name", part_words(name));
  part_set(item, "columns", part_columns(t));
  part_set(item, "rows", json_integer(pl_table_rows(t)));
  part_set(item, "data", run_reals(r, pl_table_data(t), 2, (size_t[]){rows, cols}));
  return item;
}

json_t *part_columns(const pl_table *t) {
  json_t *all = json_array();
  for (int c = 0; c < pl_table_cols(t); c++) {
    json_t *one = json_object();
    part_set(one, "name", part_words(pl_table_name(t, c)));
    part_set(one, "unit", part_words(pl_table_unit(t, c)));
    json_array_append_new(all, one);
  }
  return all;
}

// two arrays side by side
static json_t *pairs(job *r, int n, const double *x, const double *y) {
  float *xy = malloc((2 * (size_t)n + 1) * sizeof *xy);
  if (!xy) return NULL;
  for (int i = 0; i < n; i++) {
    xy[2 * i] = part_float(x[i]);
    xy[2 * i + 1] = part_float(y[i]);
  }
  json_t *out = run_array(r, DATA_F32, xy, 2, (size_t[]){(size_t)n, 2});
  free(xy);
  return out;
}

static json_t *begin(const char *kind, const char *name, const char *caption, const char *title) {
  json_t *item = json_object();
  part_set(item, "kind", json_string(kind));
  part_set(item, "name", part_words(name ? name : ""));
  part_set(item, "caption", part_words(caption ? caption : ""));
  part_set(item, "title", part_words(title ? title : ""));
  return item;
}

json_t *item_plot(job *r, const char *name, const char *caption, const pl_plot *p) {
  json_t *item = begin("plot", name, caption, p->title), *all = json_array();
  part_set(item, "xlabel", part_words(p->xlabel ? p->xlabel : ""));
  part_set(item, "ylabel", part_words(p->ylabel ? p->ylabel : ""));
  part_set(item, "logx", json_boolean(p->logx));
  part_set(item, "logy", json_boolean(p->logy));
  part_set(item, "equal", json_boolean(p->equal));
  part_set(item, "length", part_words(p->length));
  for (int k = 0; k < p->nseries; k++) {
    const pl_series *s = &p->series[k];
    json_t *one = json_object();
    part_set(one, "name", part_words(s->name));
    part_set(one, "dashed", json_integer(s->dashed));
    part_set(one, "points", json_integer(s->points));
    part_set(one, "colour", json_integer(s->colour));
    part_set(one, "xy", pairs(r, s->n, s->x, s->y));
    json_array_append_new(all, one);
  }
  part_set(item, "series", all);
  return item;
}

json_t *item_polar(job *r, const char *name, const char *caption, const pl_polar_plot *p) {
  json_t *item = begin("polar", name, caption, p->title), *all = json_array();
  part_set(item, "first", part_words(p->first));
  part_set(item, "second", part_words(p->second));
  part_set(item, "unit", part_words(p->unit));
  for (int k = 0; k < p->nseries; k++) {
    const pl_polar_series *s = &p->series[k];
    json_t *one = json_object();
    part_set(one, "name", part_words(s->name));
    part_set(one, "dashed", json_integer(s->dashed));
    part_set(one, "points", json_integer(s->points));
    part_set(one, "fill", json_boolean(s->fill));
    part_set(one, "colour", json_integer(s->colour));
    part_set(one, "data", pairs(r, s->n, s->angle, s->stretch));
    part_set(one, "error", s->error ? run_reals(r, s->error, 1, (size_t[]){(size_t)s->n}) : NULL);
    json_array_append_new(all, one);
  }
  part_set(item, "series", all);
  return item;
}
