// A parameter for every element of a body.
#include "scene_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int bound(reader *r, const pl_node *at, const char *what, const each_def *e, double *out) {
  num v;
  if (!at) return 1;
  if (at->kind != NODE_SCALAR || strchr(at->text, '$')) {
    problem(r, at, "write it like '3 MPa'", "%s must be a value", what);
    return 0;
  }
  if (!read_num_text(r, at, what, at->text, &e->dim, &v)) return 0;
  *out = v.v;
  return 1;
}

static int read_values(reader *r, each_def *e) {
  const pl_node *at = e->value;
  int many = at->kind == NODE_LIST, ok = 1;
  double *v = scene_alloc(r, (size_t)(many ? at->n : 1) + 1, sizeof *v);
  if (!v) return 0;
  for (const pl_node *d = many ? at->first : at; d; d = many ? d->next : NULL) {
    ok &= bound(r, d, "value", e, &v[e->n]);
    if (ok && (v[e->n] < e->lo || v[e->n] > e->hi)) {
      problem(r, d, NULL, "value is not between min and max");
      ok = 0;
    }
    e->n++;
  }
  if (e->n == 0) problem(r, at, NULL, "value has no entries");
  e->v = v;
  return ok && e->n > 0;
}

int read_each(reader *r, const pl_node *at, const row *w, num *out) {
  *out = (num){.v = w->value, .par = -1, .at = at};
  const pl_node *inner = at->first;
  if (at->n != 1 || strcmp(inner->key, "each") != 0) {
    problem(r, at, "one value, or {each: {value: ..., min: ..., max: ...}}",
            "%s must be one value, got a mapping", w->key);
    return 0;
  }
  each_def *e = scene_alloc(r, 1, sizeof *e);
  unit u;
  if (!e || !read_map(r, inner, &map_each, e) || !kind_unit(r, at, w->key, w->unit, &u)) return 0;
  e->dim = u.dim;
  e->lo = -INFINITY;
  e->hi = INFINITY;
  if (!bound(r, e->min, "min", e, &e->lo) || !bound(r, e->max, "max", e, &e->hi)) return 0;
  if (e->lo > e->hi) {
    problem(r, e->max, NULL, "%s: max is below min", w->key);
    return 0;
  }
  if (!read_values(r, e)) return 0;
  for (int k = 0; k < e->n; k++)
    if (e->v[k] < w->lo || e->v[k] > w->hi || (w->lo_open && e->v[k] <= w->lo)) {
      problem(r, e->value, NULL, "%s must be %s %g %s, got %g", w->key,
              w->lo_open ? ">" : ">=", w->lo, w->unit, e->v[k]);
      return 0;
    }
  out->v = e->v[0];
  out->each = e;
  return 1;
}

// n parameters BODY.what.0 ... of a body, numbered from *first; path: of their values
int each_open(reader *r, const num *value, const char *what, const char *path, int n, int *first) {
  each_def *e = value->each;
  items *list = &r->def.parameters;
  if (e->taken) {
    problem(r, value->at, "give every body a material of its own",
            "values for each element belong to one body, not to several");
    return 0;
  }
  e->taken = 1;
  if (e->n != 1 && e->n != n) {
    problem(r, e->value, NULL, "there are %d %s for %d elements of %s", e->n,
            pl_plural(e->n, "value", "values"), n, what);
    return 0;
  }
  param_def *p = scene_alloc(r, (size_t)(list->n + n) + 1, sizeof *p);
  const char *kept = scene_strdup(r, path, strlen(path));
  if (!p || !kept) return 0;
  if (list->n) memcpy(p, list->item, (size_t)list->n * sizeof *p);
  *first = list->n;
  for (int k = 0; k < n; k++) {
    char name[160];
    snprintf(name, sizeof name, "%.120s.%d", what, k);
    const char *own = scene_strdup(r, name, strlen(name));
    if (!own) return 0;
    p[list->n + k] = (param_def){.name = {own, value->at},
                                 .used = 1,
                                 .dim = e->dim,
                                 .v = e->v[e->n > 1 ? k : 0],
                                 .lo = e->lo,
                                 .hi = e->hi,
                                 .first_use = value->at,
                                 .path = kept,
                                 .slot = k,
                                 .nslot = n};
  }
  list->item = p;
  list->n += n;
  return 1;
}
