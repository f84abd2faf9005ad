// A scene is run.
#include "facade_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PROGRESS_PAUSE = 0.05; // s between two looks at the host

static void release(object *o) {
  result_object *r = (result_object *)o;
  pl_free(&r->env, r->item);
  pl_arena_free(r->arena);
  messages_free(&o->messages);
  free(r);
}

static int given_stop(const scene_object *s) {
  int stop = 0;
  for (int k = 0; k < s->ngiven; k++) stop |= atomic_load(&s->given[k]->stop);
  return stop;
}

static int progress(void *ctx, const pl_progress *p) {
  result_object *r = ctx;
  double now = pl_wall_time();
  if (r->failed || given_stop(r->of)) r->stop = 1;
  if (r->stop || !r->hooks || !r->hooks->progress || now - r->told < PROGRESS_PAUSE) return r->stop;
  r->stop = r->hooks->progress(r->hooks->ctx, p->what ? p->what : "", p->what ? p->done : -1,
                               p->what && p->text ? p->text : "") != 0;
  r->told = pl_wall_time();
  return r->stop;
}

static result_object *create(const pl_scene *scene, const pl_facade_hooks *hooks) {
  result_object *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->base.kind = OBJECT_RESULT;
  r->base.free = release;
  pl_env_init(&r->env);
  r->env.diag = messages_hear;
  r->env.diag_ctx = &r->base.messages;
  r->env.progress = progress;
  r->env.progress_ctx = r;
  r->summary = r->analysis = "";
  r->scene = scene;
  r->hooks = hooks;
  r->told = pl_wall_time();
  if (pl_arena_create(&r->env, 4096, &r->arena) == PL_OK) return r;
  release(&r->base);
  return NULL;
}

// ---- options ------------------------------------------------------------------------------------

static const char *const option_name[] = {"threads", "only",       "folder",
                                          "resume",  "checkpoint", "motions"};
enum { THREADS, ONLY, FOLDER, RESUME, CHECKPOINT, MOTIONS, OPTIONS };

static int read_flag(const char *name, const char *word, int *out) {
  *out = strcmp(word, "yes") == 0;
  if (*out || strcmp(word, "no") == 0) return PL_FACADE_OK;
  return fail(PL_FACADE_ARG, NULL, "%s is yes or no, not '%.60s'", name, word);
}

static int read_number(const char *name, const char *word, double most, double *out) {
  size_t n = pl_number_scan(word, strlen(word), out);
  if (n > 0 && !word[n] && *out >= 0 && *out <= most) return PL_FACADE_OK;
  return fail(PL_FACADE_ARG, NULL, "%s is a number from 0 to %g, not '%.60s'", name, most, word);
}

static int read_value(int which, const char *word, pl_job_opts *o, int *motions) {
  double x = 0;
  int s = PL_FACADE_OK;
  switch (which) {
  case THREADS:
    s = read_number("threads", word, 10000, &x);
    if (s == PL_FACADE_OK && x != (int)x)
      s = fail(PL_FACADE_ARG, NULL, "threads is a whole number, not '%.60s'", word);
    o->threads = s == PL_FACADE_OK ? (int)x : 0;
    return s;
  case ONLY:
    o->only = word;
    return s;
  case FOLDER:
    o->folder = word;
    return s;
  case RESUME:
    return read_flag("resume", word, &o->resume);
  case CHECKPOINT:
    s = read_number("checkpoint", word, 1e9, &x);
    o->checkpoint = x > 0 ? x : -1;
    return s;
  default:
    return read_flag("motions", word, motions);
  }
}

static int read_option(const char *text, pl_job_opts *o, int *motions) {
  char word[32], hint[PL_TEXT];
  const char *equal = text ? strchr(text, '=') : NULL;
  if (!equal) return fail(PL_FACADE_ARG, "e.g. threads=2", "an option is name=value");
  snprintf(word, sizeof word, "%.*s", (int)(equal - text), text);
  for (int k = 0; k < OPTIONS; k++)
    if (strcmp(option_name[k], word) == 0) return read_value(k, equal + 1, o, motions);
  pl_name_hint(word, OPTIONS, option_name, hint, sizeof hint);
  return fail(PL_FACADE_ARG, hint, "there is no option '%s'", word);
}

// ---- the run ------------------------------------------------------------------------------------

// what was told before a failure of a thing that nobody gets
static int without_result(result_object *r, int s) {
  if (s < 0 && r->base.messages.n == 0) messages_hear(&r->base.messages, &r->env.error);
  messages_fail(&r->base.messages, s);
  release(&r->base);
  return s;
}

// errors of the run are those of the call, too
static void tell_errors(const result_object *r, int s) {
  messages m = {0};
  for (int k = 0; k < r->base.messages.n; k++)
    if (r->base.messages.list[k].level == PL_ERROR) messages_hear(&m, &r->base.messages.list[k]);
  messages_fail(&m, s);
}

static int run(scene_object *s, const pl_job_opts *opts, const pl_facade_hooks *hooks, int motions,
               int64_t *result) {
  pl_job_result done;
  result_object *r = create(s->scene, hooks);
  if (!r) return fail(PL_FACADE_NOMEM, NULL, "out of memory");
  pl_job_opts o = *opts;
  const pl_sink sink = result_sink(r);
  o.sink = &sink;
  o.nset = s->nset;
  o.set = (const char *const *)s->set;
  r->motions = motions;
  r->of = s;
  for (int k = 0; k < s->ngiven; k++) atomic_store(&s->given[k]->stop, 0);
  int st = pl_job_run(&r->env, s->scene, &o, &done);
  if (st >= 0 && r->failed) st = pl_fail(&r->env, PL_E_NOMEM, "out of memory for the results");
  if (r->state) pl_state_free(s->scene->model, r->state);
  r->state = NULL;
  r->scene = NULL;
  r->of = NULL;
  r->model = NULL;
  r->params = NULL;
  r->hooks = NULL;
  r->env.progress = NULL;
  r->status = (pl_status)st;
  if (st < 0 && !r->summary[0]) return without_result(r, st);
  if (st != PL_FACADE_OK) tell_errors(r, st);
  int put = handle_put(&r->base, result);
  return put == PL_FACADE_OK ? st : put;
}

int pl_facade_run(int64_t scene, int64_t noption, const char *const *option,
                  const pl_facade_hooks *hooks, int64_t *result) {
  pl_job_opts o = {0};
  object *s;
  int motions = 0;
  *result = 0;
  for (int64_t k = 0; k < noption; k++) {
    int st = read_option(option[k], &o, &motions);
    if (st != PL_FACADE_OK) return st;
  }
  int st = handle_take(scene, OBJECT_SCENE, 1, &s);
  if (st != PL_FACADE_OK) return st;
  st = run((scene_object *)s, &o, hooks, motions, result);
  handle_give(scene);
  return st;
}

// ---- asked for ----------------------------------------------------------------------------------

int pl_facade_status(int64_t result, int *status) {
  object *o;
  *status = 0;
  int s = handle_take(result, OBJECT_RESULT, 0, &o);
  if (s != PL_FACADE_OK) return s;
  *status = ((result_object *)o)->status;
  handle_give(result);
  return PL_FACADE_OK;
}

int pl_facade_summary(int64_t result, const char **json) {
  object *o;
  *json = "";
  int s = handle_take(result, OBJECT_RESULT, 0, &o);
  if (s != PL_FACADE_OK) return s;
  *json = ((result_object *)o)->summary;
  handle_give(result);
  return PL_FACADE_OK;
}

int pl_facade_items(int64_t result, int64_t *n) {
  object *o;
  *n = 0;
  int s = handle_take(result, OBJECT_RESULT, 0, &o);
  if (s != PL_FACADE_OK) return s;
  *n = ((result_object *)o)->n;
  handle_give(result);
  return PL_FACADE_OK;
}

int pl_facade_item_at(int64_t result, int64_t k, pl_facade_item *out) {
  object *o;
  *out = (pl_facade_item){"", "", "", "", "", "", 0};
  int s = handle_take(result, OBJECT_RESULT, 0, &o);
  if (s != PL_FACADE_OK) return s;
  const result_object *r = (result_object *)o;
  int there = k >= 0 && k < r->n;
  if (there) *out = r->item[k].i;
  handle_give(result);
  return there ? PL_FACADE_OK : fail(PL_FACADE_ARG, NULL, "there is no item %lld", (long long)k);
}

static const held *find_array(const result_object *r, int64_t k, int64_t array) {
  const held *h = k >= 0 && k < r->n ? r->item[k].first : NULL;
  if (array < 0) return NULL;
  for (; h && array > 0; array--) h = h->next;
  return h;
}

int pl_facade_item_array(int64_t result, int64_t k, int64_t array, pl_facade_array *out) {
  object *o;
  *out = (pl_facade_array){.name = "", .unit = ""};
  int s = handle_take(result, OBJECT_RESULT, 0, &o);
  if (s != PL_FACADE_OK) return s;
  const held *h = find_array((result_object *)o, k, array);
  if (h) *out = h->a;
  handle_give(result);
  if (h) return PL_FACADE_OK;
  return fail(PL_FACADE_ARG, NULL, "item %lld has no array %lld", (long long)k, (long long)array);
}
