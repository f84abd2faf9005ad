// Requests about explorations. Steps are jobs; predictions are answered at once, unless a step is
// under way.
#include "explore.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OVERRIDES_MOST = 256 };

struct explorations {
  pthread_mutex_t lock;
  int next, n;
  exploration *list[SESSIONS_KEPT]; // the oldest first
};

pl_status explorations_create(studio *s) {
  s->explorations = calloc(1, sizeof *s->explorations);
  if (!s->explorations) return pl_fail(&s->host, PL_E_NOMEM, "out of memory");
  pthread_mutex_init(&s->explorations->lock, NULL);
  return PL_OK;
}

// ---- their lives --------------------------------------------------------------------------------

static void release(studio *s, exploration *e) {
  pthread_mutex_lock(&s->explorations->lock);
  int left = --e->refs;
  pthread_mutex_unlock(&s->explorations->lock);
  if (left > 0) return;
  session_close(e->at);
  json_decref(e->told);
  pthread_mutex_destroy(&e->lock);
  free(e);
}

// with the lock, which it gives up
static void let_go(studio *s, exploration *e) {
  for (;;) {
    if (atomic_load(&e->gone)) {
      session_close(e->at);
      e->at = NULL;
      data_drop(s, e->group);
      for (int k = 0; k < 2; k++) data_drop(s, e->glance[k]);
    }
    pthread_mutex_unlock(&e->lock);
    // it may have been left after that was looked at
    if (!atomic_load(&e->gone) || pthread_mutex_trylock(&e->lock) != 0) return;
    if (e->at) continue;
    pthread_mutex_unlock(&e->lock);
    return;
  }
}

// at once, or when the step that is under way has ended
static void leave(studio *s, exploration *e) {
  atomic_store(&e->gone, 1);
  if (pthread_mutex_trylock(&e->lock) == 0) let_go(s, e);
}

// takes it out of the list, whose reference is the caller's then
static exploration *take_out(struct explorations *all, int k) {
  exploration *e = all->list[k];
  memmove(all->list + k, all->list + k + 1, (size_t)(--all->n - k) * sizeof(exploration *));
  return e;
}

void explorations_free(studio *s) {
  struct explorations *all = s->explorations;
  if (!all) return;
  while (all->n > 0) release(s, take_out(all, 0));
  pthread_mutex_destroy(&all->lock);
  free(all);
  s->explorations = NULL;
}

// a new one with two references: of the list, and the caller's
static exploration *enter(studio *s, const char *path) {
  struct explorations *all = s->explorations;
  exploration *e = calloc(1, sizeof *e), *old = NULL;
  if (!e) return NULL;
  e->refs = 2;
  snprintf(e->label, sizeof e->label, "%.300s: explore", path);
  pthread_mutex_init(&e->lock, NULL);
  pthread_mutex_lock(&all->lock);
  e->number = ++all->next;
  snprintf(e->group, sizeof e->group, "explore/%d", e->number);
  for (int k = 0; k < 2; k++)
    snprintf(e->glance[k], sizeof e->glance[k], "explore/%d/%d", e->number, k);
  if (all->n == SESSIONS_KEPT) old = take_out(all, 0);
  all->list[all->n++] = e;
  pthread_mutex_unlock(&all->lock);
  if (old) {
    leave(s, old);
    release(s, old);
  }
  return e;
}

// to be released; NULL: f tells that there is none
static exploration *find(studio *s, const json_t *args, failure *f) {
  const json_t *number = json_object_get(args, "session");
  struct explorations *all = s->explorations;
  exploration *e = NULL;
  pthread_mutex_lock(&all->lock);
  for (int k = 0; k < all->n && json_is_integer(number); k++)
    if (all->list[k]->number == json_integer_value(number)) e = all->list[k];
  if (e) e->refs++;
  pthread_mutex_unlock(&all->lock);
  if (!e) refuse(f, "not-found", "explore the scene anew", "there is no such exploration");
  return e;
}

// the session, if no step is under way: unlock when done
static session *hold(exploration *e, failure *f) {
  if (pthread_mutex_trylock(&e->lock) != 0) {
    refuse(f, "busy", "", "a motion is being solved");
    return NULL;
  }
  if (e->at && !e->at->lost && e->told) return e->at;
  if (e->ended || e->at)
    refuse(f, "not-found", "explore the scene anew", "this exploration has no motion");
  else
    refuse(f, "busy", "", "the first motion is not solved yet");
  pthread_mutex_unlock(&e->lock);
  return NULL;
}

// ---- steps --------------------------------------------------------------------------------------

// What a job is to do.
typedef struct errand {
  studio *s;
  exploration *e;
  char *path, *text;
  char frequency[48], harmonics[16]; // "": as the scene says
  int nset, nvalue;
  char **set;
  double *value; // [nvalue] of a commit
} errand;

static void errand_free(void *ctx) {
  errand *a = ctx;
  if (!a) return;
  if (a->e) release(a->s, a->e);
  for (int k = 0; k < a->nset; k++) free(a->set[k]);
  free(a->set);
  free(a->path);
  free(a->text);
  free(a->value);
  free(a);
}

// tells pages where it is now; the session is locked
static void tell(studio *s, exploration *e, job *r, int moved) {
  json_t *now = explored_told(s, e), *event = json_object(), *item = json_object();
  json_decref(e->told);
  e->told = json_incref(now);
  part_set(event, "event", json_string("explored"));
  part_set(event, "run", json_integer(run_number(r)));
  part_set(event, "explored", now);
  part_set(item, "kind", json_string("figures"));
  part_set(item, "analysis", json_string("explore"));
  part_set(item, "figures", explored_figures(e->at, moved));
  run_item(r, item);
  push_event(s, event);
}

static pl_status open_session(const errand *a, job *r, pl_env *env) {
  char folder[2 * PL_TEXT], name[2 * PL_TEXT];
  PL_TRY(scene_place(env, a->s, a->path, a->text, folder, name));
  const pl_env quiet = studio_env(a->s);
  const session_source from = {.name = name,
                               .folder = folder,
                               .text = a->text,
                               .explore = {.frequency = a->frequency[0] ? a->frequency : NULL,
                                           .harmonics = a->harmonics[0] ? a->harmonics : NULL,
                                           .nset = a->nset,
                                           .set = (const char *const *)a->set},
                               .limits = {.root = a->s->folder},
                               .threads = a->s->threads > 0 ? a->s->threads : 1,
                               .stop = quiet.progress,
                               .stop_ctx = quiet.progress_ctx};
  PL_TRY(session_open(env, &from, &a->e->at));
  session *t = a->e->at;
  run_shows(r, t->scene);
  double *x = calloc((size_t)t->nvar, sizeof *x);
  if (!x) return pl_fail(env, PL_E_NOMEM, "out of memory");
  int moved = session_wanted(t, x);
  pl_status st = moved ? session_move(t, env, x) : PL_OK;
  free(x);
  if (st == PL_OK) tell(a->s, a->e, r, moved);
  return st;
}

static pl_status run_open(studio *s, job *r, pl_env *env, void *ctx) {
  const errand *a = ctx;
  pthread_mutex_lock(&a->e->lock);
  pl_status st = atomic_load(&a->e->gone) ? PL_CANCELLED : open_session(a, r, env);
  a->e->ended |= st != PL_OK;
  let_go(s, a->e);
  if (st == PL_UNSOLVED)
    pl_report(env, PL_ERROR, NULL, 0, 0, "choose another frequency, or more damping",
              "there is no steady motion to start from");
  return st;
}

// value NULL: back
static pl_status run_step(studio *s, job *r, pl_env *env, void *ctx) {
  const errand *a = ctx;
  pthread_mutex_lock(&a->e->lock);
  session *t = a->e->at;
  pl_status st = PL_OK;
  if (!t || t->lost || (a->value && a->nvalue != t->nvar))
    st = pl_fail(env, PL_E_ARG, "this exploration has no motion, or other parameters");
  if (st == PL_OK) st = a->value ? session_move(t, env, a->value) : session_back(t, env);
  if (st == PL_OK && t->fresh)
    pl_report(env, PL_WARNING, NULL, 0, 0, NULL,
              "the motion could not be followed to the new values; it was solved there from rest");
  if (st == PL_OK) tell(s, a->e, r, a->value != NULL);
  let_go(s, a->e);
  if (st == PL_UNSOLVED)
    pl_report(env, PL_ERROR, NULL, 0, 0, "change less", "no motion was found at the new values");
  return st;
}

// takes the reference
static errand *make_errand(studio *s, exploration *e) {
  errand *a = calloc(1, sizeof *a);
  if (a) {
    a->s = s;
    a->e = e;
  } else {
    release(s, e);
  }
  return a;
}

// op, args: what a replay asks for again
static json_t *queued(studio *s, errand *a, run_fn *fn, const char *op, const json_t *args,
                      failure *f) {
  char label[2 * PL_TEXT];
  int first = strcmp(op, "explore") == 0;
  snprintf(label, sizeof label, "%s%s%s", a->e->label, first ? "" : ", ", first ? "" : op);
  int number = runs_add_asked(s, op, args, "explore", label, fn, a, errand_free);
  if (!number) return refuse(f, "internal", "", "out of memory");
  return json_pack("{s:i}", "run", number);
}

// ---- requests -----------------------------------------------------------------------------------

// 0: memory ended, or an entry is no text
static int copy_set(const json_t *set, errand *a) {
  size_t n = json_array_size(set);
  a->set = calloc(n + 1, sizeof *a->set);
  for (size_t k = 0; a->set && k < n; k++) {
    const char *one = json_string_value(json_array_get(set, k));
    a->set[k] = one ? strdup(one) : NULL;
    if (!a->set[k]) return 0;
    a->nset++;
  }
  return a->set != NULL;
}

json_t *op_explore(studio *s, const json_t *args, failure *f) {
  const char *path = arg_text(args, "path"), *text = arg_text(args, "text");
  const json_t *set = json_object_get(args, "set");
  double omega = json_number_value(json_object_get(args, "frequency"));
  json_int_t harmonics = json_integer_value(json_object_get(args, "harmonics"));
  if (!path || !text || !path_is_below(path))
    return refuse(f, "bad-request", "", "an exploration needs a path below the folder, and a text");
  if (json_array_size(set) > OVERRIDES_MOST || !(omega >= 0) || harmonics < 0 || harmonics > 64)
    return refuse(f, "bad-request", "", "overrides, frequency or harmonics are out of range");
  exploration *e = enter(s, path);
  errand *a = e ? make_errand(s, e) : NULL;
  if (!a) return refuse(f, "internal", "", "out of memory");
  a->path = strdup(path);
  a->text = strdup(text);
  if (omega > 0) snprintf(a->frequency, sizeof a->frequency, "%.17g rad/s", omega);
  if (harmonics > 0) snprintf(a->harmonics, sizeof a->harmonics, "%d", (int)harmonics);
  if (!a->path || !a->text || !copy_set(set, a)) {
    errand_free(a);
    return refuse(f, "bad-request", "", "overrides are texts: path=value");
  }
  int number = e->number;
  json_t *again = json_copy((json_t *)args);
  part_set(again, "session", json_integer(number));
  json_t *out = queued(s, a, run_open, "explore", again, f);
  json_decref(again);
  if (out) part_set(out, "session", json_integer(number));
  return out;
}

json_t *op_explored(studio *s, const json_t *args, failure *f) {
  exploration *e = find(s, args, f);
  if (!e) return NULL;
  json_t *out = NULL;
  if (hold(e, f)) {
    out = json_pack("{s:O}", "explored", e->told);
    let_go(s, e);
  }
  release(s, e);
  return out;
}

// values[n], finite; 0: they are not
static int read_values(const json_t *args, int n, double *x) {
  const json_t *values = json_object_get(args, "values");
  if (json_array_size(values) != (size_t)n) return 0;
  for (int k = 0; k < n; k++) {
    const json_t *v = json_array_get(values, (size_t)k);
    x[k] = json_number_value(v);
    if (!json_is_number(v) || !isfinite(x[k])) return 0;
  }
  return 1;
}

static json_t *no_values(failure *f) {
  return refuse(f, "bad-request", "", "give a finite value, in SI, of each parameter");
}

// the session is held; whole: the motion, too, and both as the library has them
static json_t *predict(studio *s, exploration *e, const double *x, int whole, failure *f) {
  const session *t = e->at;
  pl_orbit *o;
  double trust;
  pl_status st =
      whole ? session_predict(e->at, x, &o, &trust) : session_glance(e->at, x, &o, &trust);
  if (st == PL_DOMAIN) return json_pack("{s:n, s:n}", "trust", "orbit");
  if (st == PL_CANCELLED) return refuse(f, "busy", "", "the studio ends");
  if (st != PL_OK) return refuse_env(f, &t->env);
  json_t *out = json_object();
  part_set(out, "trust", part_number(trust));
  part_set(out, "orbit", NULL);
  // pages that have sensitivities make it themselves
  if (whole || json_is_null(json_object_get(e->told, "sensitivity"))) {
    const char *group = e->glance[e->turn ^= 1];
    data_drop(s, group);
    part_set(out, "orbit",
             part_orbit(s, group, t->scene, t->scene->model, pl_design_params(t->d), o, "predicted",
                        "predicted"));
  }
  pl_orbit_free(o);
  return out;
}

json_t *op_predict(studio *s, const json_t *args, failure *f) {
  exploration *e = find(s, args, f);
  session *t = e ? hold(e, f) : NULL;
  json_t *out = NULL;
  if (t) {
    double *x = calloc((size_t)t->nvar, sizeof *x);
    int whole = json_is_true(json_object_get(args, "orbit"));
    out = x && read_values(args, t->nvar, x) ? predict(s, e, x, whole, f) : no_values(f);
    free(x);
    let_go(s, e);
  }
  if (e) release(s, e);
  return out;
}

// the session is held
static json_t *direction(session *t, const json_t *args, failure *f) {
  const char *name = arg_text(args, "watched");
  const json_t *chosen = json_object_get(args, "parameters"), *one;
  int watch = -1;
  size_t i;
  for (int k = 0; k < t->nwatch && name; k++)
    if (strcmp(t->watch[k].name, name) == 0) watch = k;
  if (watch < 0) return refuse(f, "not-found", "", "nothing of that name is watched");
  double *change = calloc((size_t)t->nvar, sizeof *change);
  char *flag = calloc((size_t)t->nvar, 1);
  json_array_foreach(chosen, i, one) {
    json_int_t k = json_is_integer(one) ? json_integer_value(one) : -1;
    if (flag && k >= 0 && k < t->nvar) flag[k] = 1;
  }
  int down = json_is_true(json_object_get(args, "down"));
  pl_status st = change && flag ? session_direction(t, watch, flag, down, change) : PL_E_NOMEM;
  json_t *out = st == PL_OK ? json_pack("{s:o}", "change", part_reals(t->nvar, change))
                            : refuse(f, "internal", "", "out of memory");
  free(change);
  free(flag);
  return out;
}

json_t *op_direction(studio *s, const json_t *args, failure *f) {
  exploration *e = find(s, args, f);
  session *t = e ? hold(e, f) : NULL;
  json_t *out = NULL;
  if (t) {
    out = direction(t, args, f);
    let_go(s, e);
  }
  if (e) release(s, e);
  return out;
}

json_t *op_commit(studio *s, const json_t *args, failure *f) {
  exploration *e = find(s, args, f);
  if (!e) return NULL;
  errand *a = make_errand(s, e);
  if (!a) return refuse(f, "internal", "", "out of memory");
  size_t n = json_array_size(json_object_get(args, "values"));
  if (n > 0 && n < 100000) a->value = calloc(n, sizeof *a->value);
  a->nvalue = (int)n;
  if (!a->value || !read_values(args, (int)n, a->value)) {
    errand_free(a);
    return no_values(f);
  }
  return queued(s, a, run_step, "commit", args, f);
}

json_t *op_undo(studio *s, const json_t *args, failure *f) {
  exploration *e = find(s, args, f);
  errand *a = e ? make_errand(s, e) : NULL;
  if (!a) return e ? refuse(f, "internal", "", "out of memory") : NULL;
  return queued(s, a, run_step, "undo", args, f);
}

json_t *op_leave(studio *s, const json_t *args, failure *f) {
  exploration *e = find(s, args, f), *listed = NULL;
  struct explorations *all = s->explorations;
  if (!e) return NULL;
  pthread_mutex_lock(&all->lock);
  for (int k = all->n - 1; k >= 0; k--)
    if (all->list[k] == e) listed = take_out(all, k);
  pthread_mutex_unlock(&all->lock);
  if (listed) {
    leave(s, listed);
    release(s, listed);
  }
  release(s, e);
  return json_object();
}
