// Requests about runs.
#include "runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// under the lock; NULL: f tells that there is none
static job *find(studio *s, const json_t *args, failure *f) {
  const json_t *number = json_object_get(args, "run");
  job *r = json_is_integer(number) ? runs_find(s, json_integer_value(number)) : NULL;
  if (!r) refuse(f, "not-found", "", "there is no such run");
  return r;
}

json_t *op_runs(studio *s, const json_t *args, failure *f) {
  json_t *all = json_array(), *out = json_object();
  (void)args;
  (void)f;
  runs_lock(s);
  for (int k = 0; k < s->runs->n; k++) json_array_append_new(all, run_json(s->runs->run[k]));
  runs_unlock(s);
  part_set(out, "runs", all);
  return out;
}

json_t *op_items(studio *s, const json_t *args, failure *f) {
  json_int_t from = json_integer_value(json_object_get(args, "from"));
  json_t *out = NULL;
  runs_lock(s);
  job *r = find(s, args, f);
  if (r) {
    json_t *items = json_array();
    for (size_t k = from > 0 ? (size_t)from : 0; k < json_array_size(r->items); k++)
      json_array_append(items, json_array_get(r->items, k));
    out = json_object();
    part_set(out, "items", items);
  }
  runs_unlock(s);
  return out;
}

static json_t *stop(studio *s, const json_t *args, int pause, failure *f) {
  json_t *out = NULL;
  runs_lock(s);
  job *r = find(s, args, f);
  if (r && r->state == QUEUED) {
    r->state = CANCELLED;
    json_t *event = json_object();
    part_set(event, "event", json_string("run"));
    part_set(event, "run", run_json(r));
    push_event(s, event);
  }
  if (r) {
    atomic_store(pause ? &r->pause : &r->stop, 1);
    out = json_object();
  }
  runs_unlock(s);
  return out;
}

json_t *op_cancel(studio *s, const json_t *args, failure *f) {
  return stop(s, args, 0, f);
}

json_t *op_pause(studio *s, const json_t *args, failure *f) {
  return stop(s, args, 1, f);
}

// ---- run ----------------------------------------------------------------------------------------

void plan_free(void *ctx) {
  plan *p = ctx;
  if (!p) return;
  for (int k = 0; k < p->nset; k++) free(p->set[k]);
  free(p->set);
  free(p->path);
  free(p->text);
  free(p->only);
  free(p);
}

static char *copy_of(const char *s) {
  return s ? strdup(s) : NULL;
}

// 0: memory ended, or an entry is no text
static int copy_set(const json_t *set, plan *p) {
  size_t n = json_array_size(set);
  p->set = calloc(n + 1, sizeof *p->set);
  for (size_t k = 0; p->set && k < n; k++) {
    p->set[k] = copy_of(json_string_value(json_array_get(set, k)));
    if (!p->set[k]) return 0;
    p->nset++;
  }
  return p->set != NULL;
}

// analyses that are named stand in the label: "wing.yaml: response"
static int add(studio *s, plan *p) {
  char label[PL_TEXT];
  json_t *args = json_object(), *set = json_array();
  part_set(args, "path", part_words(p->path));
  part_set(args, "text", json_string(p->text));
  if (p->only) part_set(args, "only", part_words(p->only));
  for (int k = 0; k < p->nset; k++) json_array_append_new(set, json_string(p->set[k]));
  part_set(args, "set", set);
  snprintf(label, sizeof label, "%.300s%s%.100s", p->path, p->only ? ": " : "",
           p->only ? p->only : "");
  int number = runs_add_asked(s, "run", args, "scene", label, run_scene, p, plan_free);
  json_decref(args);
  return number;
}

static json_t *number_of(int number, failure *f) {
  if (!number) return refuse(f, "internal", "", "out of memory");
  return json_pack("{s:i}", "run", number);
}

json_t *op_run(studio *s, const json_t *args, failure *f) {
  const char *path = arg_text(args, "path"), *text = arg_text(args, "text");
  const json_t *set = json_object_get(args, "set");
  if (!path || !text || !path_is_below(path))
    return refuse(f, "bad-request", "", "a run needs a path below the folder, and a text");
  if (json_array_size(set) > 256) return refuse(f, "bad-request", "", "too many overrides");
  plan *p = calloc(1, sizeof *p);
  if (!p) return refuse(f, "internal", "", "out of memory");
  p->path = copy_of(path);
  p->text = copy_of(text);
  p->only = copy_of(arg_text(args, "only"));
  if (!p->path || !p->text || !copy_set(set, p)) {
    plan_free(p);
    return refuse(f, "bad-request", "", "overrides are texts: path=value");
  }
  return number_of(add(s, p), f);
}

// ---- resume -------------------------------------------------------------------------------------

static plan *plan_again(const plan *old) {
  plan *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->path = copy_of(old->path);
  p->text = copy_of(old->text);
  p->only = copy_of(old->only);
  p->set = calloc((size_t)old->nset + 1, sizeof *p->set);
  for (int k = 0; p->set && k < old->nset; k++) p->set[p->nset++] = copy_of(old->set[k]);
  if (p->path && p->text && p->set) return p;
  plan_free(p);
  return NULL;
}

json_t *op_resume(studio *s, const json_t *args, failure *f) {
  plan *p = NULL;
  runs_lock(s);
  job *r = find(s, args, f);
  int there = r != NULL;
  if (r && r->state == CANCELLED && r->fn == run_scene) {
    // later runs have replaced its files
    int replaced = 0;
    for (int k = 0; k < s->runs->n; k++) {
      const job *o = s->runs->run[k];
      replaced |= o->number > r->number && r->folder[0] && strcmp(o->folder, r->folder) == 0;
    }
    const plan *old = r->ctx;
    if (!replaced) p = plan_again(old);
    // one that was stopped before it began has left nothing to go on from
    if (p) snprintf(p->folder, sizeof p->folder, "%s", r->folder);
    if (p) p->resume = r->folder[0] != 0;
    if (p) atomic_store(&r->pause, 0);
  }
  runs_unlock(s);
  if (!there) return NULL;
  if (!p)
    return refuse(f, "bad-request", "run it again",
                  "this run cannot be gone on with: it has ended, or its files were replaced");
  return number_of(add(s, p), f);
}
