// Runs of a scene with other values, side by side: each builds the scene anew, in a thread and with
// a host of its own, and tells its figures without files.
#include "search.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- overrides ----------------------------------------------------------------------------------

static int put_value(pl_text *out, int npath, const char *const *path, double v, const char *unit) {
  for (int i = 0; i < npath; i++) {
    pl_text_add(out, "%s=%.17g%s%s", path[i], v, unit[0] ? " " : "", unit);
    pl_text_put(out, "", 1);
  }
  return npath;
}

int search_overrides(const searching *k, const search_task *t, pl_text *out) {
  const pl_search_plan *p = k->p;
  int n = 0;
  for (int i = 0; i < p->nvariable; i++)
    n += put_value(out, p->variable[i].npath, p->variable[i].path, t->x[i], p->variable[i].unit);
  for (int i = 0; t->scatter > 0 && i < p->nscatter; i++) {
    const pl_search_scatter *s = &p->scatter[i];
    double z = k->z[(t->scatter - 1) * p->nscatter + i];
    double v = s->variable >= 0 ? t->x[s->variable] : s->value;
    n += put_value(out, s->npath, s->path, s->relative ? v * (1 + s->by * z) : v + s->by * z,
                   s->unit);
  }
  for (int i = 0; t->check && i < t->check->nset; i++, n++)
    pl_text_put(out, t->check->set[i], strlen(t->check->set[i]) + 1);
  return n;
}

// ---- figures ------------------------------------------------------------------------------------

// what tells of events that need not happen
static const char *const event[] = {"takeoff", "landing", "flight", "impacts"};
enum { EVENTS = sizeof event / sizeof *event, NAMES = 64 };

static int is_event(const char *word) {
  for (int i = 0; i < EVENTS; i++)
    if (strcmp(word, event[i]) == 0) return 1;
  return 0;
}

// "did you mean" for a word that an entry does not have; 1: it is no name of any
static int hint_figure(const json_t *above, const char *word, char hint[WHY]) {
  const char *names[NAMES];
  int n = EVENTS;
  memcpy(names, event, sizeof event);
  void *it = json_object_iter((json_t *)(uintptr_t)above);
  for (; it && n < NAMES; it = json_object_iter_next((json_t *)(uintptr_t)above, it))
    names[n++] = json_object_iter_key(it);
  int k = is_event(word) ? -1 : pl_closest(word, n, names);
  if (json_is_array(above))
    snprintf(hint, WHY, "; its entries are 0 to %d", (int)json_array_size(above) - 1);
  else if (k >= 0)
    snprintf(hint, WHY, "; did you mean '%.60s'?", names[k]);
  else
    snprintf(hint, WHY, "; '%.40s' is not there", word);
  return k >= 0 && json_is_object(above);
}

// the entry that "flight.rise_m" or "frequency_Hz.0" means; NULL: there is none
static const json_t *find_figure(const json_t *at, const char *key, char hint[WHY], int *wrong) {
  char word[128];
  while (at && *key) {
    const json_t *above = at;
    size_t n = strcspn(key, ".");
    if (n == 0 || n >= sizeof word) return NULL;
    memcpy(word, key, n);
    word[n] = 0;
    char *end;
    unsigned long index = strtoul(word, &end, 10);
    at = json_is_array(at) ? (*end ? NULL : json_array_get(at, index)) : json_object_get(at, word);
    if (!at) *wrong = hint_figure(above, word, hint);
    key += n + (key[n] == '.');
  }
  if (!json_is_object(at) && !json_is_array(at)) return at;
  snprintf(hint, WHY, "; it has parts: name one");
  *wrong = 1;
  return at;
}

// the number that a figure counts; NaN: it is of the other kind
static double figure_value(const pl_search_goal *g, const json_t *v, char hint[WHY], int *wrong) {
  *wrong |= json_is_string(v) ? !g->word : g->word && (json_is_number(v) || json_is_boolean(v));
  if (json_is_string(v) && g->word) return strcmp(json_string_value(v), g->word) == 0;
  if (json_is_string(v))
    snprintf(hint, WHY, "; it is the word '%.40s': use is", json_string_value(v));
  if (g->word && (json_is_number(v) || json_is_boolean(v)))
    snprintf(hint, WHY, "; it is a number: use target, at_least or at_most");
  else if (json_is_number(v))
    return json_number_value(v);
  else if (json_is_boolean(v))
    return json_is_true(v);
  return NAN;
}

typedef struct collector {
  const searching *k;
  double *figure; // [ngoal] NaN: not seen
  char why[WHY];
  char hint[PL_SEARCH_GOALS][WHY]; // of figures that are not there
  int wrong[PL_SEARCH_GOALS];      // 1: and cannot be
} collector;

static void read_figures(void *ctx, const pl_analysis *a, const json_t *figures) {
  collector *c = ctx;
  const pl_search_plan *p = c->k->p;
  for (int g = 0; g < p->ngoal; g++) {
    if (strcmp(c->k->j->scene->analysis[p->goal[g].analysis].name, a->name) != 0) continue;
    const json_t *v = find_figure(figures, p->goal[g].key, c->hint[g], &c->wrong[g]);
    c->figure[g] = figure_value(&p->goal[g], v, c->hint[g], &c->wrong[g]);
  }
  const char *reason = json_string_value(json_object_get(figures, "reason"));
  const char *status = json_string_value(json_object_get(figures, "status"));
  if (c->why[0] || !status || strcmp(status, pl_status_text(PL_OK)) == 0) return;
  snprintf(c->why, sizeof c->why, "%.40s: %.100s", a->name, reason ? reason : status);
}

// ---- one run ------------------------------------------------------------------------------------

typedef struct pool {
  searching *k;
  int n, next, ended; // tasks; under the lock
  search_task *task;
  int threads;      // of each run
  pl_status failed; // memory ended
  atomic_int stop;
  pthread_mutex_t lock;
  pthread_cond_t news;
} pool;

static int go_on(void *ctx, const pl_progress *p) {
  (void)p;
  return atomic_load(&((pool *)ctx)->stop);
}

static pl_status load(const searching *k, const search_task *t, pl_env *env, pl_scene **out) {
  pl_text text;
  *out = NULL;
  pl_text_init(&text, env);
  int n = search_overrides(k, t, &text);
  if (!k->stress) {
    pl_text_put(&text, "output.stress=no", sizeof "output.stress=no");
    n++;
  }
  const char **set = pl_alloc(env, (size_t)n, sizeof *set);
  pl_status s = set && !text.failed ? PL_OK : PL_E_NOMEM;
  const char *at = text.s;
  for (int i = 0; s == PL_OK && i < n; i++, at += strlen(at) + 1) set[i] = at;
  if (s == PL_OK) s = pl_scene_again(env, k->j->scene, n, set, out);
  pl_free(env, set);
  pl_text_free(&text);
  return s;
}

static pl_status run_scene(pool *w, const search_task *t, pl_env *env, collector *c) {
  const searching *k = w->k;
  const pl_sink sink = {.ctx = c, .figures = read_figures};
  pl_scene *sc;
  pl_status s = load(k, t, env, &sc);
  for (int i = 0; s == PL_OK && i < k->nleaf; i++) {
    const pl_job_opts o = {
        .sink = &sink, .only = k->j->scene->analysis[k->leaf[i]].name, .threads = w->threads};
    pl_job_result result;
    s = pl_job_run(env, sc, &o, &result);
  }
  pl_scene_free(sc);
  return s;
}

// what is to be told of a run that did not give all figures
static void explain(const searching *k, pl_status s, const pl_env *env, const collector *c,
                    outcome *o) {
  o->solved = s == PL_OK;
  for (int g = 0; g < k->p->ngoal; g++) {
    if (!o->solved || isfinite(c->figure[g])) continue;
    o->solved = 0;
    o->missed = c->why[0] ? 0 : g + 1;
    o->wrong = o->missed && c->wrong[g];
    snprintf(o->why, sizeof o->why, "no figure %.75s%.70s", k->p->goal[g].figure, c->hint[g]);
  }
  if (s == PL_OK) return;
  if (c->why[0])
    snprintf(o->why, sizeof o->why, "%s", c->why);
  else
    snprintf(o->why, sizeof o->why, "%.150s", s < 0 ? env->error.text : pl_status_text(s));
}

static void *work(void *ctx) {
  pool *w = ctx;
  pl_leave_signals();
  pthread_mutex_lock(&w->lock);
  while (w->next < w->n && !atomic_load(&w->stop)) {
    search_task *t = &w->task[w->next++];
    pl_env env = *w->k->j->env;
    outcome o;
    pthread_mutex_unlock(&w->lock);
    memset(&o, 0, sizeof o);
    env.diag = NULL;
    env.file = NULL;
    env.progress = go_on;
    env.progress_ctx = w;
    // figures are laid down with the outcome, so that what is kept is whole
    double figure[PL_SEARCH_GOALS];
    collector c = {.k = w->k, .figure = figure};
    for (int g = 0; g < w->k->p->ngoal; g++) figure[g] = NAN;
    pl_status s = run_scene(w, t, &env, &c);
    explain(w->k, s, &env, &c, &o);
    pthread_mutex_lock(&w->lock);
    if (s == PL_E_NOMEM) w->failed = s;
    if (s == PL_E_NOMEM || s == PL_CANCELLED) {
      atomic_store(&w->stop, 1);
    } else {
      o.done = 1;
      *t->to = o;
      memcpy(t->figure, figure, (size_t)w->k->p->ngoal * sizeof *figure);
      // no use to run the others
      if (t->to == w->k->out && o.wrong) atomic_store(&w->stop, 1);
    }
    w->ended++;
    pthread_cond_signal(&w->news);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

// ---- side by side -------------------------------------------------------------------------------

static pl_status report_progress(const pool *w, int ended) {
  const searching *k = w->k;
  char text[PL_TEXT];
  if (k->again) {
    snprintf(text, sizeof text, "the best design again: %d of %d runs", k->nmore - w->n + ended,
             k->nmore);
    return pl_report_progress(k->j->env, k->a->name, (double)(k->nmore - w->n + ended) / k->nmore,
                              text);
  }
  int done = k->n - (w->n - ended + k->nrun - 1) / k->nrun;
  snprintf(text, sizeof text, "%d of at most %d designs", done, k->o->budget);
  return pl_report_progress(k->j->env, k->a->name, (double)done / k->o->budget, text);
}

// until all have ended; keeps what there is from time to time
static pl_status await(pool *w) {
  pl_status s = PL_OK;
  pthread_mutex_lock(&w->lock);
  for (int written = 0; w->ended < w->next || (w->next < w->n && !atomic_load(&w->stop));) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&w->news, &w->lock, &until);
    int ended = w->ended;
    if (s == PL_OK && ended > written && checkpoint_due(w->k->j)) {
      s = search_write(w->k);
      written = ended;
    }
    pthread_mutex_unlock(&w->lock);
    if (s == PL_OK) s = report_progress(w, ended);
    if (s != PL_OK) atomic_store(&w->stop, 1);
    pthread_mutex_lock(&w->lock);
  }
  pthread_mutex_unlock(&w->lock);
  return s;
}

static pl_status run_pool(pool *w, int nthread) {
  pl_env *env = w->k->j->env;
  pthread_t *thread = pl_alloc(env, (size_t)nthread, sizeof *thread);
  int started = 0;
  if (!thread) return PL_E_NOMEM;
  while (started < nthread && pthread_create(&thread[started], NULL, work, w) == 0) started++;
  pl_status s = started > 0 ? await(w) : pl_fail(env, PL_E_NOMEM, "no thread could be made");
  for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
  pl_free(env, thread);
  if (s == PL_OK && w->failed) s = pl_fail(env, w->failed, "out of memory in the search");
  return s;
}

pl_status search_run(searching *k, int n, search_task *task) {
  int total = pl_threads_size(k->j->work->threads), left = 0;
  for (int i = 0; i < n; i++)
    if (!task[i].to->done) task[left++] = task[i];
  if (left == 0) return PL_OK;
  int nthread = total < left ? total : left;
  pool w = {.k = k, .n = left, .task = task, .threads = total / nthread};
  pthread_mutex_init(&w.lock, NULL);
  pthread_cond_init(&w.news, NULL);
  pl_status s = run_pool(&w, nthread);
  pthread_cond_destroy(&w.news);
  pthread_mutex_destroy(&w.lock);
  return s;
}
