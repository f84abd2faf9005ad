// What a run tells, kept as items of its result.
#include "facade_impl.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHAPE(...)                                                                                 \
  (const int64_t[]) {                                                                              \
    __VA_ARGS__                                                                                    \
  }

static void caption(result_object *r, item *i, const char *title, const char *text) {
  if (!i) return;
  i->i.title = keep_text(r, title);
  i->i.caption = keep_text(r, text);
}

static int64_t vertices(const result_object *r) {
  return r->scene->mesh->nvert;
}

// positions or displacements [vertices][3] of the unknowns q
static void put_places(result_object *r, item *i, const char *name, const double *q) {
  int dim = r->scene->dim;
  int64_t n = vertices(r);
  double *x = item_room(r, i, name, "m", 2, SHAPE(n, 3));
  for (int64_t k = 0; x && k < n; k++)
    for (int c = 0; c < 3; c++) x[3 * k + c] = c < dim ? q[k * dim + c] : 0;
}

// ---- words --------------------------------------------------------------------------------------

static void put_begin(void *ctx, const pl_analysis *a) {
  result_object *r = ctx;
  r->analysis = keep_text(r, a->name);
}

static void put_said(void *ctx, pl_said kind, const char *text) {
  static const char *const said[] = {[PL_SAID_KEY] = "key",
                                     [PL_SAID_HEADING] = "heading",
                                     [PL_SAID_TEXT] = "text",
                                     [PL_SAID_WARNING] = "warning",
                                     [PL_SAID_ALARM] = "alarm"};
  result_object *r = ctx;
  item *i = kind < PL_SAID_ROW ? item_add(r, "said", said[kind]) : NULL;
  if (i) i->i.text = keep_text(r, text);
}

static void put_grid(void *ctx, int rows, int cols, const char *const *cells) {
  json_t *all = json_array();
  for (int k = 0; k < rows; k++) {
    json_t *row = json_array();
    for (int c = 0; c < cols; c++) json_array_append_new(row, json_word(cells[k * cols + c]));
    json_array_append_new(all, row);
  }
  item_json(ctx, item_add(ctx, "grid", NULL), all);
}

// numbers that JSON has no word for are null
static json_t *json_number(double x) {
  return isfinite(x) ? json_real(x) : json_null();
}

static void put_bars(void *ctx, int n, const pl_bar *bar) {
  json_t *all = json_array();
  for (int k = 0; k < n; k++)
    json_array_append_new(all,
                          json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "name",
                                    json_word(bar[k].name), "unit", json_word(bar[k].unit), "note",
                                    json_word(bar[k].note), "lo", json_number(bar[k].lo), "hi",
                                    json_number(bar[k].hi), "before", json_number(bar[k].before),
                                    "after", json_number(bar[k].after), "log", bar[k].log));
  item_json(ctx, item_add(ctx, "bars", NULL), all);
}

static void put_text(void *ctx, const char *name, const char *csv, size_t n) {
  item *i = item_add(ctx, "text", name);
  (void)n;
  if (i) i->i.text = keep_text(ctx, csv);
}

static void put_scene(void *ctx, const char *name, const char *yaml, size_t n) {
  item *i = item_add(ctx, "scene", name);
  (void)n;
  if (i) i->i.text = keep_text(ctx, yaml);
}

static void put_material(void *ctx, const char *name, const pl_sheet_material *m) {
  result_object *r = ctx;
  pl_text text;
  pl_text_init(&text, &r->env);
  pl_sheet_material_write(m, &text);
  item *i = text.failed ? NULL : item_add(r, "material", name);
  if (i) i->i.text = keep_text(r, text.s);
  pl_text_free(&text);
}

// ---- tables -------------------------------------------------------------------------------------

static int put_rows(void *ctx, const char *name, const pl_table *t, int first) {
  result_object *r = ctx;
  enum { MOST = 256 };
  char cell[MOST][64];
  const char *column[MOST];
  int cols = pl_table_cols(t), n = pl_table_rows(t) - first;
  if (!r->hooks || !r->hooks->rows || n <= 0 || cols > MOST) return r->stop;
  for (int c = 0; c < cols; c++) column[c] = pl_table_cell(t, c, cell[c], sizeof cell[c]);
  if (r->hooks->rows(r->hooks->ctx, name, first, n, cols, column,
                     pl_table_data(t) + (size_t)first * (size_t)cols))
    r->stop = 1;
  return r->stop;
}

static void put_table(void *ctx, const char *name, const pl_table *t) {
  item_columns(ctx, item_add(ctx, "table", name), t);
}

// ---- figures ------------------------------------------------------------------------------------

static void put_plot(void *ctx, const char *name, const char *text, const pl_plot *p) {
  result_object *r = ctx;
  item *i = item_add(r, "plot", name);
  json_t *series = json_array();
  caption(r, i, p->title, text);
  for (int k = 0; k < p->nseries; k++) {
    const pl_series *s = &p->series[k];
    item_reals(r, i, "x", "", s->x, 1, SHAPE(s->n));
    item_reals(r, i, "y", "", s->y, 1, SHAPE(s->n));
    json_array_append_new(series,
                          json_pack("{s:o, s:i, s:i, s:i}", "name", json_word(s->name), "dashed",
                                    s->dashed, "points", s->points, "colour", s->colour));
  }
  item_json(r, i,
            json_pack("{s:o, s:o, s:b, s:b, s:b, s:o}", "xlabel", json_word(p->xlabel), "ylabel",
                      json_word(p->ylabel), "logx", p->logx, "logy", p->logy, "equal", p->equal,
                      "series", series));
}

static void put_chart(void *ctx, const char *name, const char *text, const pl_chart *c) {
  result_object *r = ctx;
  item *i = item_add(r, "chart", name);
  json_t *names = json_array();
  caption(r, i, c->title, text);
  for (int k = 0; k < c->n; k++) json_array_append_new(names, json_word(c->name[k]));
  item_reals(r, i, "value", "", c->value, 1, SHAPE(c->n));
  item_json(r, i, json_pack("{s:o, s:o}", "label", json_word(c->label), "names", names));
}

static void put_polar(void *ctx, const char *name, const char *text, const pl_polar_plot *p) {
  result_object *r = ctx;
  item *i = item_add(r, "polar", name);
  json_t *series = json_array();
  caption(r, i, p->title, text);
  for (int k = 0; k < p->nseries; k++) {
    const pl_polar_series *s = &p->series[k];
    item_reals(r, i, "angle", "rad", s->angle, 1, SHAPE(s->n));
    item_reals(r, i, "stretch", p->unit, s->stretch, 1, SHAPE(s->n));
    json_array_append_new(series, json_word(s->name));
  }
  item_json(r, i,
            json_pack("{s:o, s:o, s:o}", "first", json_word(p->first), "second",
                      json_word(p->second), "series", series));
}

static void put_picture(void *ctx, const char *name, const char *text, const pl_view *v) {
  result_object *r = ctx;
  item *i = item_add(r, "picture", name);
  caption(r, i, v->title, text);
  if (i) i->i.text = keep_text(r, v->colour_label);
  item_reals(r, i, "x", "m", v->x ? v->x : r->scene->mesh->X, 2, SHAPE(vertices(r), 3));
  item_reals(r, i, "colour", "", v->colour, 1, SHAPE(vertices(r)));
  item_reals(r, i, "face", "", v->face, 1, SHAPE(r->scene->mesh->cell[PL_TRI3].n));
}

static void put_solids(void *ctx, const char *name, const char *text, const pl_solids *s) {
  result_object *r = ctx;
  item *i = item_add(r, "solids", name);
  caption(r, i, s->title, text);
  double *x = item_room(r, i, "x", "m", 2, SHAPE(s->n, 3));
  double *Q = item_room(r, i, "rotation", "", 3, SHAPE(s->n, 3, 3));
  double *mesh = item_room(r, i, "mesh", "", 1, SHAPE(s->n));
  for (int k = 0; x && Q && mesh && k < s->n; k++) {
    memcpy(x + 3 * k, s->solid[k].x, 3 * sizeof *x);
    memcpy(Q + 9 * k, s->solid[k].Q, 9 * sizeof *Q);
    mesh[k] = s->solid[k].mesh;
  }
}

static void put_body(void *ctx, const char *name, const char *text, const pl_body_plot *b) {
  result_object *r = ctx;
  item *i = item_add(r, "body", name);
  caption(r, i, b->title, text);
  item_reals(r, i, "x", "", &b->x[0][0], 2, SHAPE(b->nvert, 3));
  item_ints(r, i, "face", &b->face[0][0], 2, SHAPE(b->nface, 3));
}

// ---- shapes and motions -------------------------------------------------------------------------

static void put_shape(void *ctx, const pl_shape *s) {
  result_object *r = ctx;
  item *i = item_add(r, "shape", s->name ? s->name : s->picture);
  caption(r, i, s->title, s->caption);
  put_places(r, i, "x", s->state->q);
  item_reals(r, i, "q", "", s->state->q, 1, SHAPE(s->state->nq));
  if (s->mode) put_places(r, i, "mode", s->mode);
}

static void put_use(void *ctx, const pl_model *m, const pl_params *p) {
  result_object *r = ctx;
  r->model = m;
  r->params = p;
}

static item *put_motion_of(result_object *r, const char *kind, const char *name,
                           const pl_orbit *o) {
  int n = pl_model_nnode(r->model), dim = r->scene->dim, L = 2 * o->nharm + 1;
  item *i = item_add(r, kind, name);
  double *z = item_room(r, i, "series", "m", 3, SHAPE(n, dim, L));
  for (int k = 0; z && k < n; k++)
    for (int c = 0; c < dim; c++)
      pl_orbit_series(r->model, r->params, o, k, c, z + ((size_t)k * dim + c) * L);
  item_reals(r, i, "omega", "rad/s", &o->omega, 0, NULL);
  item_reals(r, i, "sub", "", (double[]){o->sub ? o->sub : 1}, 0, NULL);
  return i;
}

static void put_orbit(void *ctx, const char *name, const char *title, const pl_orbit *o) {
  item *i = put_motion_of(ctx, "orbit", name, o);
  caption(ctx, i, title, NULL);
}

static void put_motion(void *ctx, const char *name, int row, const pl_orbit *o) {
  result_object *r = ctx;
  if (!r->motions) return;
  item *i = put_motion_of(r, "motion", name, o);
  item_reals(r, i, "row", "", (double[]){row}, 0, NULL);
}

static int put_iterate(void *ctx, const pl_analysis *a, const pl_iterate *k) {
  result_object *r = ctx;
  item *i = item_add(r, "iterate", a->name);
  json_t *names = json_array();
  for (int v = 0; v < k->n; v++) json_array_append_new(names, json_word(k->name[v]));
  item_reals(r, i, "x", "", k->x, 1, SHAPE(k->n));
  item_reals(r, i, "value", "", &k->value, 0, NULL);
  item_reals(r, i, "iteration", "", (double[]){k->iteration}, 0, NULL);
  item_json(r, i, names);
  return r->stop;
}

static void put_film(void *ctx, const pl_analysis *a, const pl_film *f) {
  result_object *r = ctx;
  item *i = item_add(r, "film", a->name);
  item_reals(r, i, "time", "s", f->time, 1, SHAPE(f->n));
  item_reals(r, i, "x", "m", f->x, 3, SHAPE(f->n, vertices(r), 3));
  item_reals(r, i, "face", "", f->face, 2, SHAPE(f->n, r->scene->mesh->cell[PL_TRI3].n));
}

// told at every step: the last one is kept
static void put_state(void *ctx, const pl_analysis *a, const pl_state *s) {
  result_object *r = ctx;
  (void)a;
  if (r->failed) return;
  if (r->state && (r->state->nq != s->nq || r->state->nhist != s->nhist)) {
    pl_state_free(r->model, r->state);
    r->state = NULL;
  }
  if (!r->state) r->failed = pl_state_create(r->model, r->params, &r->state);
  if (!r->failed) pl_state_copy(r->state, s);
}

static void put_end(void *ctx, const pl_analysis *a, pl_status status) {
  result_object *r = ctx;
  (void)status;
  if (r->state) {
    item *i = item_add(r, "state", a->name);
    int64_t nq = r->state->nq;
    put_places(r, i, "x", r->state->q);
    item_reals(r, i, "q", "", r->state->q, 1, &nq);
    item_reals(r, i, "v", "", r->state->v, 1, &nq);
    item_reals(r, i, "a", "", r->state->a, 1, &nq);
    item_reals(r, i, "t", "s", &r->state->t, 0, NULL);
    pl_state_free(r->model, r->state);
    r->state = NULL;
  }
  r->analysis = "";
}

static void put_summary(void *ctx, const char *json) {
  result_object *r = ctx;
  r->summary = keep_text(r, json);
}

pl_sink result_sink(result_object *r) {
  return (pl_sink){.ctx = r,
                   .begin = put_begin,
                   .use = put_use,
                   .rows = put_rows,
                   .table = put_table,
                   .text = put_text,
                   .scene = put_scene,
                   .material = put_material,
                   .said = put_said,
                   .grid = put_grid,
                   .bars = put_bars,
                   .plot = put_plot,
                   .chart = put_chart,
                   .polar = put_polar,
                   .shape = put_shape,
                   .orbit = put_orbit,
                   .motion = put_motion,
                   .iterate = put_iterate,
                   .picture = put_picture,
                   .solids = put_solids,
                   .body = put_body,
                   .film = put_film,
                   .state = put_state,
                   .end = put_end,
                   .summary = put_summary};
}
