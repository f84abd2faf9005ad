// One case, in a process of its own: the scene with its overrides, run without files, and its
// figures as a line of JSON.
#include "study_impl.h"

#include "pliant/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char DONE[] = "done";

// ---- loading
// --------------------------------------------------------------------------------------

pl_status case_load(const study *s, pl_env *env, int k, pl_scene **out) {
  const pl_scene_limits limits = {.root = s->o->root};
  int nset = s->o->nset + s->ninput;
  pl_text text;
  *out = NULL;
  pl_text_init(&text, env);
  for (int i = 0; i < s->ninput; i++) {
    pl_text_add(&text, "%s=", s->input[i].path);
    input_text(s, k, i, &text);
    pl_text_put(&text, "", 1);
  }
  const char **set = pl_alloc(env, (size_t)nset, sizeof *set);
  pl_status st = set && !text.failed ? PL_OK : PL_E_NOMEM;
  const char *at = text.s;
  for (int i = 0; st == PL_OK && i < nset; i++) {
    set[i] = i < s->o->nset ? s->o->set[i] : at;
    if (i >= s->o->nset) at += strlen(at) + 1;
  }
  if (st == PL_OK)
    st = pl_scene_parse(env, s->scene->path, s->folder, s->data, s->size, nset, set, &limits, out);
  pl_free(env, set);
  pl_text_free(&text);
  return st;
}

// ---- records
// --------------------------------------------------------------------------------------

static json_t *plain_text(const char *text) {
  char clean[4 * PL_TEXT];
  return json_string(pl_printable(text, clean, sizeof clean));
}

// what a case is, without what came of it
static json_t *stamped(const study *s, int k) {
  json_t *record = json_object(), *values = json_object(), *set = json_array();
  pl_text text;
  pl_text_init(&text, s->env);
  for (int i = 0; i < s->o->nset; i++) json_array_append_new(set, plain_text(s->o->set[i]));
  for (int i = 0; i < s->ninput; i++) {
    const input *p = &s->input[i];
    text.n = 0;
    input_text(s, k, i, &text);
    json_object_set_new(values, p->name,
                        p->words ? plain_text(text.s ? text.s : "")
                                 : json_real(input_value(s, k, i)));
    text.n = 0;
    pl_text_add(&text, "%s=", p->path);
    input_text(s, k, i, &text);
    json_array_append_new(set, plain_text(text.s ? text.s : ""));
  }
  pl_text_free(&text);
  json_object_set_new(record, "case", json_integer(k + 1));
  json_object_set_new(record, "values", values);
  json_object_set_new(record, "set", set);
  json_object_set_new(record, "seed", json_integer((json_int_t)s->o->seed));
  json_object_set_new(record, "pliant", json_string(PL_VERSION));
  json_object_set_new(record, "commit", json_string(pl_version_commit()));
  json_object_set_new(record, "stamp", json_string(s->stamp));
  return record;
}

json_t *case_lost(const study *s, int k, const char *status, const char *reason, double seconds) {
  json_t *record = stamped(s, k);
  json_object_set_new(record, "status", json_string(status));
  json_object_set_new(record, "reason", plain_text(reason));
  json_object_set_new(record, "seconds", json_real(seconds));
  return record;
}

int case_is_solved(const json_t *record) {
  const char *status = json_string_value(json_object_get(record, "status"));
  return status && strcmp(status, DONE) == 0;
}

void case_folder(const study *s, int k, char out[4096]) {
  snprintf(out, 4096, "%.4000s/cases/%04d", s->o->folder, k + 1);
}

// ---- the run
// --------------------------------------------------------------------------------------

// what a case tells while it runs
typedef struct listener {
  const study *s;
  json_t *figures, *curves;
  char reason[2 * PL_TEXT]; // the first one
} listener;

static void hear(void *ctx, const pl_diag *d) {
  listener *l = ctx;
  if (d->level == PL_ERROR && !l->reason[0]) pl_diag_plain(d, l->reason, sizeof l->reason);
}

static void take_figures(void *ctx, const pl_analysis *a, const json_t *figures) {
  listener *l = ctx;
  const char *status = json_string_value(json_object_get(figures, "status"));
  const char *why = json_string_value(json_object_get(figures, "reason"));
  if (status && strcmp(status, DONE) == 0)
    figures_flatten(a->name, figures, l->figures);
  else if (!l->reason[0])
    snprintf(l->reason, sizeof l->reason, "%.60s: %.400s", a->name,
             why      ? why
             : status ? status
                      : "did not end");
}

// numbers that JSON has no word for are null
static json_t *number(double v) {
  json_t *n = json_real(v);
  return n ? n : json_null();
}

static void take_table(void *ctx, const char *name, const pl_table *t) {
  listener *l = ctx;
  int wanted = 0, ncol = pl_table_cols(t), nrow = pl_table_rows(t);
  for (int i = 0; i < l->s->o->ncurve; i++) wanted |= strcmp(l->s->o->curve[i], name) == 0;
  if (!wanted) return;
  json_t *all = json_array();
  for (int c = 0; c < ncol; c++) {
    json_t *data = json_array();
    for (int r = 0; r < nrow; r++)
      json_array_append_new(data, number(pl_table_data(t)[(size_t)r * (size_t)ncol + (size_t)c]));
    json_array_append_new(all, json_pack("{s:s, s:s, s:o}", "name", pl_table_name(t, c), "unit",
                                         pl_table_unit(t, c), "data", data));
  }
  json_object_set_new(l->curves, name, all);
}

static pl_status run(const study *s, pl_env *env, int k, listener *l) {
  const pl_sink sink = {.ctx = l, .figures = take_figures, .table = take_table};
  char folder[4096];
  pl_scene *scene;
  PL_TRY(case_load(s, env, k, &scene));
  pl_job_opts o = {.sink = &sink,
                   .only = s->o->only,
                   .threads = s->o->threads > 0 ? s->o->threads : 1,
                   .nset = s->o->nset,
                   .set = s->o->set};
  case_folder(s, k, folder);
  if (s->o->keep) o.folder = folder;
  pl_job_result result;
  pl_status st = pl_job_run(env, scene, &o, &result);
  pl_scene_free(scene);
  return st;
}

pl_status case_run(void *ctx, int k, pl_text *out) {
  const study *s = ctx;
  double wall = pl_wall_time(), cpu = pl_cpu_time();
  listener l = {.s = s, .figures = json_object(), .curves = json_object()};
  pl_env env = *s->env;
  env.diag = hear;
  env.diag_ctx = &l;
  env.progress = NULL;
  env.file = NULL;
  env.error.text[0] = 0;
  pl_status st = run(s, &env, k, &l);
  if (st != PL_OK && !l.reason[0])
    snprintf(l.reason, sizeof l.reason, "%s",
             st < 0 && env.error.text[0] ? env.error.text : pl_status_text(st));
  json_t *record = stamped(s, k);
  json_object_set_new(record, "status", json_string(pl_status_text(st)));
  if (st != PL_OK) json_object_set_new(record, "reason", plain_text(l.reason));
  json_object_set_new(record, "seconds", json_real(pl_wall_time() - wall));
  json_object_set_new(record, "cpu_seconds", json_real(pl_cpu_time() - cpu));
  json_object_set_new(record, "figures", l.figures);
  if (s->o->ncurve > 0)
    json_object_set_new(record, "curves", l.curves);
  else
    json_decref(l.curves);
  char *text = json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(record);
  if (!text) return PL_E_NOMEM;
  pl_text_add(out, "%s\n", text);
  free(text);
  return out->failed || st == PL_E_NOMEM || st == PL_E_INTERNAL ? PL_E_NOMEM : PL_OK;
}
