// What is kept of a run: items with texts and arrays, in an arena.
#include "facade_impl.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void *room(result_object *r, size_t count, size_t size) {
  if (r->failed) return NULL;
  void *p = pl_arena_alloc(r->arena, count ? count : 1, size);
  if (!p) r->failed = PL_E_NOMEM;
  return p;
}

const char *keep_text(result_object *r, const char *s) {
  size_t n = s ? strlen(s) + 1 : 1;
  if (n == 1) return "";
  char *own = room(r, n, 1);
  if (!own) return "";
  memcpy(own, s, n);
  return own;
}

item *item_add(result_object *r, const char *kind, const char *name) {
  if (!r->failed) r->failed = pl_grow(&r->env, &r->item, r->n, &r->cap, sizeof *r->item);
  if (r->failed) return NULL;
  item *i = &r->item[r->n++];
  *i = (item){.i = {.kind = kind,
                    .name = keep_text(r, name),
                    .analysis = keep_text(r, r->analysis),
                    .title = "",
                    .caption = "",
                    .text = ""}};
  return i;
}

pl_facade_array dense(const char *name, const char *unit, int type, const void *data, int ndim,
                      const int64_t *shape) {
  pl_facade_array a = {.name = name, .unit = unit, .data = data, .type = type, .ndim = ndim};
  int64_t step = type == PL_FACADE_F64 ? (int64_t)sizeof(double) : (int64_t)sizeof(int32_t);
  for (int d = ndim - 1; d >= 0; d--) {
    a.shape[d] = shape[d];
    a.stride[d] = step;
    step *= shape[d];
  }
  return a;
}

static size_t volume(int ndim, const int64_t *shape) {
  size_t n = 1;
  for (int d = 0; d < ndim; d++) n *= (size_t)shape[d];
  return n;
}

static held *add_array(result_object *r, item *i, const char *name, const char *unit, int type,
                       const void *data, int ndim, const int64_t *shape) {
  held *h = room(r, 1, sizeof *h);
  if (!h) return NULL;
  h->next = NULL;
  h->a = dense(keep_text(r, name), keep_text(r, unit), type, data, ndim, shape);
  if (i->last) i->last->next = h;
  if (!i->first) i->first = h;
  i->last = h;
  i->i.narray++;
  return h;
}

double *item_room(result_object *r, item *i, const char *name, const char *unit, int ndim,
                  const int64_t *shape) {
  double *x = i ? room(r, volume(ndim, shape), sizeof *x) : NULL;
  return x && add_array(r, i, name, unit, PL_FACADE_F64, x, ndim, shape) ? x : NULL;
}

void item_reals(result_object *r, item *i, const char *name, const char *unit, const double *x,
                int ndim, const int64_t *shape) {
  double *own = x ? item_room(r, i, name, unit, ndim, shape) : NULL;
  if (own) memcpy(own, x, volume(ndim, shape) * sizeof *x);
}

void item_ints(result_object *r, item *i, const char *name, const int *x, int ndim,
               const int64_t *shape) {
  size_t n = volume(ndim, shape);
  int32_t *own = i && x ? room(r, n, sizeof *own) : NULL;
  if (!own) return;
  for (size_t k = 0; k < n; k++) own[k] = x[k];
  add_array(r, i, name, "", PL_FACADE_I32, own, ndim, shape);
}

void item_columns(result_object *r, item *i, const pl_table *t) {
  int64_t rows = pl_table_rows(t), cols = pl_table_cols(t);
  size_t n = (size_t)(rows * cols);
  double *own = i ? room(r, n, sizeof *own) : NULL;
  if (!own) return;
  if (n) memcpy(own, pl_table_data(t), n * sizeof *own);
  for (int c = 0; c < cols; c++) {
    char cell[PL_TEXT];
    held *h = add_array(r, i, pl_table_cell(t, c, cell, sizeof cell), pl_table_unit(t, c),
                        PL_FACADE_F64, own + c, 1, &rows);
    if (h) h->a.stride[0] = cols * (int64_t)sizeof *own;
  }
}

json_t *json_word(const char *s) {
  size_t n = (s ? strlen(s) : 0) + 8;
  char *clean = malloc(n);
  json_t *word = clean ? json_string(pl_printable(s ? s : "", clean, n)) : NULL;
  free(clean);
  return word;
}

void item_json(result_object *r, item *i, json_t *json) {
  char *text = i && json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(json);
  if (!text) {
    if (i) r->failed = PL_E_NOMEM;
    return;
  }
  i->i.text = keep_text(r, text);
  free(text);
}
