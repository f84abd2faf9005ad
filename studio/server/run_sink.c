// What a job tells, as items of its run and as live states.
#include "runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *item_of(const char *kind, const char *name) {
  json_t *item = json_object();
  part_set(item, "kind", json_string(kind));
  if (name) part_set(item, "name", part_words(name));
  return item;
}

// positions [nvert][3] of the unknowns q
static void positions(const watcher *w, const double *q, float *x) {
  int dim = w->scene->dim, n = w->scene->mesh->nvert;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) x[3 * i + c] = c < dim ? part_float(q[i * dim + c]) : 0;
}

static json_t *places(const watcher *w, const double *q) {
  size_t n = (size_t)w->scene->mesh->nvert;
  float *x = calloc(3 * n + 1, sizeof *x);
  if (!x) return NULL;
  positions(w, q, x);
  json_t *out = run_array(w->r, DATA_F32, x, 2, (size_t[]){n, 3});
  free(x);
  return out;
}

static json_t *places_or_null(const watcher *w, const double *x) {
  size_t n = (size_t)w->scene->mesh->nvert;
  return x ? run_reals(w->r, x, 2, (size_t[]){n, 3}) : NULL;
}

// ---- words --------------------------------------------------------------------------------------

static void put_begin(void *ctx, const pl_analysis *a) {
  json_t *item = item_of("begin", NULL);
  atomic_store(&((watcher *)ctx)->r->designs, a->kind == PL_ANALYSIS_design);
  part_set(item, "analysis", part_words(a->name));
  part_set(item, "analysisKind", json_string(pl_analysis_table[a->kind].name));
  run_item(((watcher *)ctx)->r, item);
}

static void put_said(void *ctx, pl_said kind, const char *text) {
  static const char *const said[] = {[PL_SAID_KEY] = "key",
                                     [PL_SAID_HEADING] = "heading",
                                     [PL_SAID_TEXT] = "text",
                                     [PL_SAID_WARNING] = "warning",
                                     [PL_SAID_ALARM] = "alarm"};
  job *r = ((watcher *)ctx)->r;
  // its note has come before
  if (kind == PL_SAID_KEY && strncmp(r->note, text, sizeof r->note - 1) == 0) r->note[0] = 0;
  json_t *item = item_of(kind == PL_SAID_ROW       ? "row"
                         : kind == PL_SAID_ROW_END ? "rowEnd"
                                                   : "said",
                         NULL);
  if (kind < PL_SAID_ROW) {
    part_set(item, "said", json_string(said[kind]));
    part_set(item, "text", part_words(text));
  }
  run_item(r, item);
}

static void put_grid(void *ctx, int rows, int cols, const char *const *cells) {
  json_t *item = item_of("grid", NULL), *all = json_array();
  for (int i = 0; i < rows; i++) {
    json_t *row = json_array();
    for (int c = 0; c < cols; c++) json_array_append_new(row, part_words(cells[i * cols + c]));
    json_array_append_new(all, row);
  }
  part_set(item, "rows", all);
  run_item(((watcher *)ctx)->r, item);
}

static void put_bars(void *ctx, int n, const pl_bar *bar) {
  json_t *item = item_of("bars", NULL), *all = json_array();
  for (int k = 0; k < n; k++) {
    json_t *one = json_object();
    part_set(one, "name", part_words(bar[k].name));
    part_set(one, "unit", part_words(bar[k].unit ? bar[k].unit : ""));
    part_set(one, "note", part_words(bar[k].note ? bar[k].note : ""));
    part_set(one, "lo", part_number(bar[k].lo));
    part_set(one, "hi", part_number(bar[k].hi));
    part_set(one, "before", part_number(bar[k].before));
    part_set(one, "after", part_number(bar[k].after));
    part_set(one, "log", json_boolean(bar[k].log));
    json_array_append_new(all, one);
  }
  part_set(item, "bars", all);
  run_item(((watcher *)ctx)->r, item);
}

// ---- tables -------------------------------------------------------------------------------------

static int put_rows(void *ctx, const char *name, const pl_table *t, int first) {
  job *r = ((watcher *)ctx)->r;
  live_rows(r, name, t, first);
  return run_stopped(r);
}

static void put_table(void *ctx, const char *name, const pl_table *t) {
  job *r = ((watcher *)ctx)->r;
  live_end(r, name);
  run_item(r, item_table(r, name, t));
}

static void put_text(void *ctx, const char *name, const char *csv, size_t n) {
  json_t *item = item_of("text", name);
  (void)n;
  part_set(item, "csv", part_words(csv));
  run_item(((watcher *)ctx)->r, item);
}

static void put_scene(void *ctx, const char *name, const char *yaml, size_t n) {
  json_t *item = item_of("scene", name);
  (void)n;
  part_set(item, "yaml", part_words(yaml));
  run_item(((watcher *)ctx)->r, item);
}

// ---- figures ------------------------------------------------------------------------------------

static void put_plot(void *ctx, const char *name, const char *caption, const pl_plot *p) {
  job *r = ((watcher *)ctx)->r;
  run_item(r, item_plot(r, name, caption, p));
}

static void put_chart(void *ctx, const char *name, const char *caption, const pl_chart *c) {
  json_t *item = item_of("chart", name), *rows = json_array();
  part_set(item, "caption", part_words(caption ? caption : ""));
  part_set(item, "title", part_words(c->title ? c->title : ""));
  part_set(item, "label", part_words(c->label ? c->label : ""));
  part_set(item, "length", part_words(c->length));
  for (int k = 0; k < c->n; k++) {
    json_t *row = json_object();
    part_set(row, "name", part_words(c->name[k]));
    part_set(row, "value", part_number(c->value[k]));
    json_array_append_new(rows, row);
  }
  part_set(item, "rows", rows);
  run_item(((watcher *)ctx)->r, item);
}

static void put_polar(void *ctx, const char *name, const char *caption, const pl_polar_plot *p) {
  job *r = ((watcher *)ctx)->r;
  run_item(r, item_polar(r, name, caption, p));
}

// ---- shapes and motions -------------------------------------------------------------------------

// of a size at which the largest displacement is 1
static json_t *mode_of(const watcher *w, const double *mode) {
  int dim = w->scene->dim;
  size_t n = (size_t)w->scene->mesh->nvert;
  double most = 0;
  float *x = calloc(3 * n + 1, sizeof *x);
  if (!x) return NULL;
  for (size_t i = 0; i < n; i++) {
    double size = 0;
    for (int c = 0; c < dim; c++) size = hypot(size, mode[i * (size_t)dim + (size_t)c]);
    most = fmax(most, size);
  }
  positions(w, mode, x);
  for (size_t i = 0; most > 0 && i < 3 * n; i++) x[i] = (float)(x[i] / most);
  json_t *out = run_array(w->r, DATA_F32, x, 2, (size_t[]){n, 3});
  free(x);
  return out;
}

static void put_shape(void *ctx, const pl_shape *s) {
  watcher *w = ctx;
  if (w->scene->mesh->nvert == 0) return;
  json_t *item = item_of("shape", s->name ? s->name : s->picture ? s->picture : "");
  part_set(item, "title", part_words(s->title ? s->title : ""));
  part_set(item, "caption", part_words(s->caption ? s->caption : ""));
  part_set(item, "x", places(w, s->state->q));
  part_set(item, "mode", s->mode ? mode_of(w, s->mode) : NULL);
  run_item(w->r, item);
}

static void put_orbit(void *ctx, const char *name, const char *title, const pl_orbit *o) {
  watcher *w = ctx;
  if (w->scene->mesh->nvert == 0) return;
  run_item(w->r, part_orbit(w->r->s, w->r->group, w->scene, w->model, w->params, o, name, title));
}

static void put_use(void *ctx, const pl_model *m, const pl_params *p) {
  watcher *w = ctx;
  w->model = m;
  w->params = p;
}

// bytes of the motion of all vertices
static size_t motion_size(const watcher *w, const pl_orbit *o) {
  return (size_t)w->scene->mesh->nvert * 3 * (2 * (size_t)o->nharm + 1) * sizeof(float);
}

static void put_motion(void *ctx, const char *name, int row, const pl_orbit *o) {
  watcher *w = ctx;
  char group[64];
  if (w->scene->mesh->nvert == 0 || !live_wants(w->r, name, row, group)) return;
  live_motion(w->r, name, row,
              part_orbit(w->r->s, group, w->scene, w->model, w->params, o, name, ""),
              motion_size(w, o));
}

static void put_word(json_t *object, const char *key, json_t *value) {
  char name[PL_TEXT];
  part_set(object, pl_printable(key, name, sizeof name), value);
}

// what steps of some analyses have besides
static void add_particulars(json_t *event, const pl_iterate *i) {
  json_t *units = json_object(), *set = json_array(), *figures = json_object();
  for (int k = 0; i->unit && k < i->n; k++) put_word(units, i->name[k], part_words(i->unit[k]));
  for (int k = 0; k < i->nset; k++) json_array_append_new(set, part_words(i->set[k]));
  for (int k = 0; k < i->nfigure; k++) put_word(figures, i->figure[k], part_number(i->reached[k]));
  part_set(event, "units", units);
  part_set(event, "set", set);
  part_set(event, "figures", figures);
  part_set(event, "best", json_boolean(i->best));
}

// without motions when there are too many of them
static int put_iterate(void *ctx, const pl_analysis *a, const pl_iterate *i) {
  watcher *w = ctx;
  job *r = w->r;
  json_t *event = json_object(), *values = json_object(), *orbits = json_array();
  size_t bytes = 0;
  for (int k = 0; k < i->n; k++) put_word(values, i->name[k], part_number(i->x[k]));
  for (int k = 0; k < i->norbit && r->live.iterate_bytes < ITERATE_BYTES; k++) {
    json_array_append_new(orbits, part_orbit(r->s, r->group, w->scene, w->model, i->params,
                                             i->orbit[k], a->name, ""));
    bytes += motion_size(w, i->orbit[k]);
  }
  part_set(event, "event", json_string("iterate"));
  part_set(event, "run", json_integer(r->number));
  part_set(event, "analysis", part_words(a->name));
  part_set(event, "analysisKind", json_string(pl_analysis_table[a->kind].name));
  part_set(event, "iteration", json_integer(i->iteration));
  part_set(event, "value", part_number(i->value));
  part_set(event, "values", values);
  part_set(event, "orbits", orbits);
  add_particulars(event, i);
  live_iterate(r, event, bytes);
  return run_stopped(r) || atomic_load(&r->pause);
}

static void put_solids(void *ctx, const char *name, const char *caption, const pl_solids *s) {
  job *r = ((watcher *)ctx)->r;
  json_t *item = item_of("solids", name ? name : ""), *parts = part_solids(r->s, r->group, s);
  part_set(item, "caption", part_words(caption ? caption : ""));
  part_set(item, "title", part_words(s->title ? s->title : ""));
  json_object_update(item, parts);
  json_decref(parts);
  run_item(r, item);
}

static void put_body(void *ctx, const char *name, const char *caption, const pl_body_plot *b) {
  job *r = ((watcher *)ctx)->r;
  json_t *item = item_of("body", name ? name : ""), *labels = json_array();
  for (int c = 0; c < 3; c++) json_array_append_new(labels, part_words(b->label[c]));
  part_set(item, "caption", part_words(caption ? caption : ""));
  part_set(item, "title", part_words(b->title ? b->title : ""));
  part_set(item, "labels", labels);
  part_set(item, "x", run_reals(r, &b->x[0][0], 2, (size_t[]){(size_t)b->nvert, 3}));
  part_set(item, "triangles",
           run_array(r, DATA_I32, &b->face[0][0], 2, (size_t[]){(size_t)b->nface, 3}));
  run_item(r, item);
}

static void put_picture(void *ctx, const char *name, const char *caption, const pl_view *v) {
  watcher *w = ctx;
  size_t n = (size_t)w->scene->mesh->nvert, ntri = (size_t)w->scene->mesh->cell[PL_TRI3].n;
  double lo = v->lo, hi = v->hi;
  const double *value = v->face ? v->face : v->colour;
  if (value && lo >= hi) {
    lo = INFINITY;
    hi = -INFINITY;
    for (size_t i = 0; i < (v->face ? ntri : n); i++)
      if (isfinite(value[i])) lo = fmin(lo, value[i]), hi = fmax(hi, value[i]);
  }
  json_t *item = item_of("picture", name ? name : "");
  part_set(item, "caption", part_words(caption ? caption : ""));
  part_set(item, "title", part_words(v->title ? v->title : ""));
  part_set(item, "colourLabel", part_words(v->colour_label));
  part_set(item, "x", places_or_null(w, v->x));
  part_set(item, "colour", v->colour ? run_reals(w->r, v->colour, 1, (size_t[]){n}) : NULL);
  part_set(item, "face", v->face ? run_reals(w->r, v->face, 1, (size_t[]){ntri}) : NULL);
  part_set(item, "lo", json_real(lo <= hi ? lo : 0));
  part_set(item, "hi", json_real(lo <= hi ? hi : 0));
  part_set(item, "limit", json_real(v->limit));
  size_t moments = (size_t)v->nmoment;
  part_set(item, "moments",
           moments ? run_reals(w->r, v->moment, 3, (size_t[]){moments, n, 3}) : NULL);
  run_item(w->r, item);
}

// some frames are left out where they would be too much
static void put_film(void *ctx, const pl_analysis *a, const pl_film *f) {
  watcher *w = ctx;
  size_t per = 3 * (size_t)w->scene->mesh->nvert, ntri = (size_t)w->scene->mesh->cell[PL_TRI3].n;
  size_t stride = 1, n = 0;
  while ((size_t)f->n / stride * per * sizeof(float) > FILM_BYTES) stride++;
  size_t most = (size_t)f->n / stride + 1;
  double *time = calloc(most, sizeof *time);
  float *x = calloc(most * per + 1, sizeof *x), *face = calloc(most * ntri + 1, sizeof *face);
  json_t *item = NULL;
  if (time && x && face && per > 0) {
    for (size_t i = 0; i < (size_t)f->n; i += stride, n++) {
      time[n] = f->time[i];
      for (size_t c = 0; c < per; c++) x[n * per + c] = part_float(f->x[i * per + c]);
      for (size_t c = 0; f->face && c < ntri; c++)
        face[n * ntri + c] = part_float(f->face[i * ntri + c]);
    }
    item = item_of("film", NULL);
    part_set(item, "analysis", part_words(a->name));
    part_set(item, "time", run_reals(w->r, time, 1, (size_t[]){n}));
    part_set(item, "x", run_array(w->r, DATA_F32, x, 3, (size_t[]){n, per / 3, 3}));
    part_set(item, "face",
             f->face ? run_array(w->r, DATA_F32, face, 2, (size_t[]){n, ntri}) : NULL);
  }
  free(time);
  free(x);
  free(face);
  if (per > 0) run_item(w->r, item);
}

static void put_state(void *ctx, const pl_analysis *a, const pl_state *s) {
  watcher *w = ctx;
  double now = pl_wall_time();
  int n = w->scene->mesh->nvert;
  (void)a;
  if (now - w->framed < FRAME_PAUSE || n == 0) return;
  if (!w->x) w->x = calloc(3 * (size_t)n, sizeof *w->x);
  if (!w->x) return;
  w->framed = now;
  positions(w, s->q, w->x);
  push_frame(w->r->s, w->r->number, s->t, 3 * n, w->x);
}

// ---- the end ------------------------------------------------------------------------------------

static void put_figures(void *ctx, const pl_analysis *a, const json_t *figures) {
  json_t *item = item_of("figures", NULL);
  part_set(item, "analysis", part_words(a->name));
  part_set(item, "figures", json_deep_copy(figures));
  run_item(((watcher *)ctx)->r, item);
}

static void put_end(void *ctx, const pl_analysis *a, pl_status status) {
  job *r = ((watcher *)ctx)->r;
  json_t *item = item_of("end", NULL);
  atomic_store(&r->designs, 0);
  live_flush(r, 1);
  part_set(item, "analysis", part_words(a->name));
  part_set(item, "status", json_string(pl_status_text(status)));
  run_item(r, item);
}

static void put_summary(void *ctx, const char *json) {
  json_t *all = json_loads(json, 0, NULL);
  if (!all) return;
  // figures have been told, analysis by analysis
  json_object_del(all, "analyses");
  json_t *item = item_of("summary", NULL);
  part_set(item, "summary", all);
  run_item(((watcher *)ctx)->r, item);
}

pl_sink run_sink(watcher *w) {
  return (pl_sink){.ctx = w,
                   .begin = put_begin,
                   .rows = put_rows,
                   .table = put_table,
                   .text = put_text,
                   .scene = put_scene,
                   .said = put_said,
                   .grid = put_grid,
                   .bars = put_bars,
                   .plot = put_plot,
                   .chart = put_chart,
                   .polar = put_polar,
                   .shape = put_shape,
                   .orbit = put_orbit,
                   .use = put_use,
                   .motion = put_motion,
                   .iterate = put_iterate,
                   .picture = put_picture,
                   .solids = put_solids,
                   .body = put_body,
                   .film = put_film,
                   .state = put_state,
                   .figures = put_figures,
                   .end = put_end,
                   .summary = put_summary};
}
