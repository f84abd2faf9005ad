// Jobs: they wait in a queue, one runs at a time with all threads, and what they told is kept until
// there is too much of it.
#include "runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const state_name[] = {"queued",   "running",   "done",
                                         "unsolved", "cancelled", "failed"};

void runs_lock(studio *s) {
  pthread_mutex_lock(&s->runs->lock);
}

void runs_unlock(studio *s) {
  pthread_mutex_unlock(&s->runs->lock);
}

job *runs_find(studio *s, json_int_t number) {
  for (int k = 0; k < s->runs->n; k++)
    if (s->runs->run[k]->number == number) return s->runs->run[k];
  return NULL;
}

json_t *run_json(const job *r) {
  json_t *out = json_object();
  part_set(out, "run", json_integer(r->number));
  part_set(out, "label", part_words(r->label));
  part_set(out, "kind", json_string(r->kind));
  part_set(out, "state", json_string(state_name[r->state]));
  part_set(out, "seconds", json_real(r->state == RUNNING ? pl_wall_time() - r->begun : r->seconds));
  part_set(out, "model", json_integer(r->model));
  part_set(out, "folder", r->folder[0] ? part_words(r->folder) : json_null());
  return out;
}

// under the lock, so that states are told in their order
static void tell(const job *r) {
  json_t *event = json_object();
  part_set(event, "event", json_string("run"));
  part_set(event, "run", run_json(r));
  push_event(r->s, event);
}

// ---- memory -------------------------------------------------------------------------------------

static void free_run(job *r) {
  if (!r) return;
  if (r->drop) r->drop(r->ctx);
  live_free(r);
  data_drop(r->s, r->group);
  if (r->model) models_drop(r->s, r->model);
  json_decref(r->items);
  json_decref(r->args);
  free(r);
}

static job *make(studio *s, const char *kind, const char *label) {
  job *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->s = s;
  r->items = json_array();
  r->live.iterates = json_array();
  r->live.stride = 1;
  snprintf(r->kind, sizeof r->kind, "%s", kind);
  snprintf(r->label, sizeof r->label, "%s", label);
  if (r->items && r->live.iterates) return r;
  free_run(r);
  return NULL;
}

// under the lock; 0: memory ended
static int enter(runs *q, job *r) {
  if (q->n == q->cap) {
    int cap = q->cap ? 2 * q->cap : 16;
    job **more = realloc(q->run, (size_t)cap * sizeof(job *));
    if (!more) return 0;
    q->run = more;
    q->cap = cap;
  }
  r->number = ++q->next;
  snprintf(r->group, sizeof r->group, "run/%d", r->number);
  q->run[q->n++] = r;
  return 1;
}

// the oldest that have ended go when there are too many, or too much is kept of them
static void drop_old(runs *q) {
  for (;;) {
    int ended = 0, oldest = -1, step = -1;
    size_t bytes = 0;
    for (int k = 0; k < q->n; k++) {
      const job *r = q->run[k];
      if (r->state < DONE) continue;
      ended++;
      bytes += r->array_bytes + r->live.motion_bytes + r->live.iterate_bytes + r->text_bytes;
      if (oldest < 0) oldest = k;
      if (step < 0 && strcmp(r->kind, "explore") == 0) step = k;
    }
    // steps of explorations are many, and nothing is looked up in them
    if (step >= 0 && bytes <= ARRAY_BYTES) oldest = step;
    if (ended <= 1 || (ended <= RUNS_KEPT && bytes <= ARRAY_BYTES)) return;
    json_t *event = json_object();
    part_set(event, "event", json_string("dropped"));
    part_set(event, "run", json_integer(q->run[oldest]->number));
    push_event(q->s, event);
    free_run(q->run[oldest]);
    memmove(q->run + oldest, q->run + oldest + 1, (size_t)(--q->n - oldest) * sizeof(job *));
  }
}

// ---- messages and progress of the job at work ---------------------------------------------------

// names of files as pages know them
static const char *below(const studio *s, const char *path) {
  size_t n = strlen(s->folder);
  return strncmp(path, s->folder, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

static void put_message(job *r, const char *level, const char *text, const char *hint) {
  json_t *item = json_object();
  part_set(item, "kind", json_string("message"));
  part_set(item, "level", json_string(level));
  part_set(item, "text", part_words(text));
  part_set(item, "hint", part_words(hint));
  run_item(r, item);
}

void run_note(job *r) {
  char text[PL_TEXT];
  if (!r->note[0]) return;
  snprintf(text, sizeof text, "%s", r->note);
  r->note[0] = 0;
  put_message(r, "note", text, "");
}

static void hear(void *ctx, const pl_diag *d) {
  job *r = ctx;
  static const char *const level[] = {"note", "warning", "error"};
  char text[3 * PL_TEXT];
  run_note(r);
  if (d->file[0] && d->line > 0)
    snprintf(text, sizeof text, "%s:%d:%d: %s", below(r->s, d->file), d->line, d->col, d->text);
  else if (d->file[0])
    snprintf(text, sizeof text, "%s: %s", below(r->s, d->file), d->text);
  else
    snprintf(text, sizeof text, "%s", d->text);
  // a key figure is told as such just after its note
  if (d->level == PL_NOTE && !d->file[0] && !d->hint[0])
    snprintf(r->note, sizeof r->note, "%.511s", text);
  else
    put_message(r, level[d->level], text, d->hint);
}

// seconds that the rest takes when it goes on as before; null: that is not known yet
static json_t *time_left(ahead *a, const pl_progress *p, double now) {
  if (strncmp(a->what, p->what, sizeof a->what - 1) != 0 || p->done < a->from) {
    snprintf(a->what, sizeof a->what, "%s", p->what);
    a->since = now;
    a->from = p->done;
  }
  double part = p->done - a->from, spent = now - a->since;
  return p->done >= 0 && part > 0.01 && spent > 0.3 ? json_real((1 - p->done) * spent / part)
                                                    : json_null();
}

int run_stopped(const job *r) {
  return atomic_load(&r->stop) || studio_stopping(r->s);
}

static int ask(void *ctx, const pl_progress *p) {
  job *r = ctx;
  double now = pl_wall_time();
  live_flush(r, 0);
  if (p->what && now - r->ahead.told >= TOLD_PAUSE) {
    char key[48];
    r->ahead.told = now;
    json_t *event = json_object();
    part_set(event, "event", json_string("progress"));
    part_set(event, "run", json_integer(r->number));
    part_set(event, "what", part_words(p->what));
    part_set(event, "done", part_number(p->done));
    part_set(event, "text", part_words(p->text ? p->text : ""));
    part_set(event, "left", time_left(&r->ahead, p, now));
    snprintf(key, sizeof key, "progress/%d", r->number);
    push_latest(r->s, key, event);
  }
  return run_stopped(r) || (atomic_load(&r->pause) && !atomic_load(&r->designs));
}

// ---- items --------------------------------------------------------------------------------------

// about as much as its text has
static size_t text_size(const json_t *v) {
  const char *key;
  json_t *one;
  size_t n = 0, i;
  if (json_is_object(v))
    json_object_foreach((json_t *)v, key, one) n += strlen(key) + 4 + text_size(one);
  else if (json_is_array(v))
    json_array_foreach(v, i, one) n += 1 + text_size(one);
  else
    n = json_is_string(v) ? json_string_length(v) + 2 : json_is_real(v) ? 20 : 6;
  return n;
}

// under the lock
static void keep_item(job *r, json_t *item, size_t size) {
  json_t *event = json_object();
  part_set(event, "event", json_string("item"));
  part_set(event, "run", json_integer(r->number));
  part_set(event, "n", json_integer((json_int_t)json_array_size(r->items)));
  part_set(event, "item", json_incref(item));
  json_array_append_new(r->items, item);
  r->text_bytes += size;
  push_event(r->s, event);
}

static json_t *too_much(void) {
  return json_pack("{s:s, s:s, s:s, s:s}", "kind", "message", "level", "warning", "text",
                   "not all of this run is shown: there is too much of it", "hint",
                   "its files have everything");
}

void run_item(job *r, json_t *item) {
  const char *kind = json_string_value(json_object_get(item, "kind"));
  size_t size = item ? text_size(item) : 0;
  run_note(r);
  runs_lock(r->s);
  // what a run comes to is told in any case
  int vital = kind && (strcmp(kind, "end") == 0 || strcmp(kind, "figures") == 0);
  if (item && (vital || r->text_bytes + size <= ITEM_BYTES)) {
    keep_item(r, item, size);
  } else {
    json_decref(item);
    json_t *why = r->full ? NULL : too_much();
    r->full = 1;
    if (why) keep_item(r, why, 0);
  }
  runs_unlock(r->s);
}

int run_number(const job *r) {
  return r->number;
}

const char *run_group(const job *r) {
  return r->group;
}

json_t *run_array(job *r, data_type type, const void *values, int rank, const size_t *shape) {
  size_t bytes = type == DATA_U8 ? 1 : 4;
  for (int i = 0; i < rank; i++) bytes *= shape[i];
  runs_lock(r->s);
  r->array_bytes += bytes;
  runs_unlock(r->s);
  return data_keep(r->s, r->group, type, values, rank, shape);
}

json_t *run_reals(job *r, const double *values, int rank, const size_t *shape) {
  size_t bytes = 4;
  for (int i = 0; i < rank; i++) bytes *= shape[i];
  runs_lock(r->s);
  r->array_bytes += bytes;
  runs_unlock(r->s);
  return data_keep_real(r->s, r->group, values, rank, shape);
}

void run_shows(job *r, const pl_scene *scene) {
  pl_env env = studio_env(r->s);
  int rev = next_revision(r->s);
  json_t *model = part_model(r->s, &env, scene, rev);
  if (!model) return;
  models_keep(r->s, rev, model, 0);
  runs_lock(r->s);
  int old = r->model;
  r->model = rev;
  tell(r);
  runs_unlock(r->s);
  if (old) models_drop(r->s, old);
}

// ---- the queue ----------------------------------------------------------------------------------

static run_state state_of(pl_status s) {
  if (s == PL_OK) return DONE;
  if (s == PL_CANCELLED) return CANCELLED;
  return s < 0 ? FAILED : UNSOLVED;
}

// under the lock
static void finish(job *r, pl_status status) {
  r->state = state_of(status);
  r->status = status;
  r->seconds = r->begun > 0 ? pl_wall_time() - r->begun : 0;
  tell(r);
  pthread_cond_broadcast(&r->s->runs->ended);
  drop_old(r->s->runs);
}

static void begin(job *r) {
  r->state = RUNNING;
  r->begun = pl_wall_time();
  tell(r);
}

static job *next_queued(const runs *q) {
  for (int k = 0; k < q->n; k++)
    if (q->run[k]->state == QUEUED) return q->run[k];
  return NULL;
}

static void *work(void *ctx) {
  runs *q = ctx;
  pl_leave_signals();
  pthread_mutex_lock(&q->lock);
  while (!q->stop) {
    job *r = next_queued(q);
    if (!r) {
      pthread_cond_wait(&q->more, &q->lock);
      continue;
    }
    begin(r);
    pthread_mutex_unlock(&q->lock);
    pl_env env = studio_env(q->s);
    env.diag = hear;
    env.progress = ask;
    env.diag_ctx = env.progress_ctx = r;
    pl_status status = r->fn(q->s, r, &env, r->ctx);
    run_note(r);
    live_flush(r, 1);
    if (!journal_write(r, status))
      put_message(r, "warning", "studio.jsonl cannot be written: this run is not in it", "");
    pthread_mutex_lock(&q->lock);
    finish(r, status);
  }
  pthread_mutex_unlock(&q->lock);
  return NULL;
}

int runs_add_asked(studio *s, const char *op, const json_t *args, const char *kind,
                   const char *label, run_fn *fn, void *ctx, void (*drop)(void *ctx)) {
  job *r = make(s, kind, label);
  int number = 0;
  if (r) snprintf(r->op, sizeof r->op, "%s", op);
  if (r) r->args = json_deep_copy(args);
  runs_lock(s);
  if (r && enter(s->runs, r)) {
    r->fn = fn;
    r->ctx = ctx;
    r->drop = drop;
    number = r->number;
    drop_old(s->runs);
    tell(r);
    pthread_cond_signal(&s->runs->more);
  }
  runs_unlock(s);
  if (number) return number;
  free_run(r);
  if (drop) drop(ctx);
  return 0;
}

int runs_add(studio *s, const char *kind, const char *label, run_fn *fn, void *ctx,
             void (*drop)(void *ctx)) {
  return runs_add_asked(s, "", NULL, kind, label, fn, ctx, drop);
}

int runs_wait(studio *s, int number, double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  long ns = until.tv_nsec + (long)(1e9 * seconds);
  until.tv_sec += ns / 1000000000;
  until.tv_nsec = ns % 1000000000;
  runs_lock(s);
  const job *r = runs_find(s, number);
  int late = 0;
  while (r && r->state < DONE && !late) {
    late = pthread_cond_timedwait(&s->runs->ended, &s->runs->lock, &until) != 0;
    r = runs_find(s, number);
  }
  int ended = !r || r->state >= DONE;
  runs_unlock(s);
  return ended;
}

job *runs_open(studio *s, const char *kind, const char *label) {
  job *r = make(s, kind, label);
  runs_lock(s);
  int in = r && enter(s->runs, r);
  if (in) begin(r);
  runs_unlock(s);
  if (in) return r;
  free_run(r);
  return NULL;
}

void runs_close(job *r, pl_status status) {
  studio *s = r->s;
  run_note(r);
  runs_lock(s);
  finish(r, status);
  runs_unlock(s);
}

pl_status runs_create(studio *s) {
  runs *q = calloc(1, sizeof *q);
  if (!q) return pl_fail(&s->host, PL_E_NOMEM, "out of memory");
  q->s = s;
  s->runs = q;
  pthread_mutex_init(&q->lock, NULL);
  pthread_cond_init(&q->more, NULL);
  pthread_cond_init(&q->ended, NULL);
  q->begun = pthread_create(&q->thread, NULL, work, q) == 0;
  return q->begun ? PL_OK : pl_fail(&s->host, PL_E_NOMEM, "no thread for jobs can be made");
}

void runs_free(studio *s) {
  runs *q = s->runs;
  if (!q) return;
  pthread_mutex_lock(&q->lock);
  q->stop = 1;
  for (int k = 0; k < q->n; k++) atomic_store(&q->run[k]->stop, 1);
  pthread_cond_signal(&q->more);
  pthread_mutex_unlock(&q->lock);
  if (q->begun) pthread_join(q->thread, NULL);
  for (int k = 0; k < q->n; k++) free_run(q->run[k]);
  pthread_cond_destroy(&q->more);
  pthread_cond_destroy(&q->ended);
  pthread_mutex_destroy(&q->lock);
  free(q->run);
  free(q);
  s->runs = NULL;
}
