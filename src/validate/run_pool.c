// Points of protocols on several threads: one environment and one model at a time for each.
#include "run_impl.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct pool {
  pl_env *host;
  pthread_mutex_t lock; // the host's allocator belongs to one thread at a time
  int ntask, nthread;
  const task *tasks;
  atomic_int next, done, cancel, busy;
  atomic_int failed; // first status that ends everything
} pool;

typedef struct seat {
  pool *pool;
  int thread;
} seat;

static void *locked_alloc(void *ctx, void *old, size_t size) {
  pool *p = ctx;
  pthread_mutex_lock(&p->lock);
  void *got = p->host->alloc(p->host->alloc_ctx, old, size);
  pthread_mutex_unlock(&p->lock);
  return got;
}

// the host hears from its own thread only
static void report_result(pool *p, const char *text) {
  int done = atomic_load(&p->done);
  if (pl_report_progress(p->host, "validate", (double)done / p->ntask, text) != PL_OK)
    atomic_store(&p->cancel, 1);
}

static int ask(void *ctx, const pl_progress *progress) {
  (void)progress;
  const seat *s = ctx;
  pool *p = s->pool;
  int next = atomic_load(&p->next);
  const task *t = &p->tasks[next < p->ntask ? next : p->ntask - 1];
  char text[96];
  snprintf(text, sizeof text, "%s %s, %d of %d %s", t->protocol->name,
           t->model ? t->model->name : "master curve", atomic_load(&p->done), p->ntask,
           pl_plural(p->ntask, "point", "points"));
  if (s->thread == 0) report_result(p, text);
  return atomic_load(&p->cancel);
}

static pl_status compute(pl_env *env, const task *t) {
  pl_sample *s = t->sample;
  pl_trial *r = &s->trial;
  r->nlabel = 0;
  if (!t->model) return t->protocol->master(env, r->nu, r->x, s->value);
  PL_TRY(t->model->evaluate(env, t->model, r, s->value));
  for (int i = 0; i < t->protocol->nvalue; i++)
    if (!isfinite(s->value[i])) return PL_DOMAIN;
  return PL_OK;
}

static void work(pool *p, seat *me, const task *t) {
  pl_sample *s = t->sample;
  pl_env env;
  pl_env_init(&env);
  env.alloc = locked_alloc;
  env.alloc_ctx = p;
  env.progress = ask;
  env.progress_ctx = me;
  double start = pl_wall_time();
  s->status = compute(&env, t);
  s->seconds = pl_wall_time() - start;
  if (s->status == PL_OK) return;
  for (int i = 0; i < PL_TRIAL_VALUES; i++) s->value[i] = NAN;
  snprintf(s->note, sizeof s->note, "%.95s",
           s->status < 0 && env.error.text[0] ? env.error.text : pl_status_text(s->status));
  // no memory, or our own fault: a point that is not solved is a result
  int none = 0;
  int lost = !t->model && s->status != PL_DOMAIN;
  if (s->status == PL_E_NOMEM || s->status == PL_E_INTERNAL || lost) {
    if (s->status != PL_CANCELLED) atomic_compare_exchange_strong(&p->failed, &none, s->status);
    atomic_store(&p->cancel, 1);
  }
}

// thread 0 keeps the host informed until the others are done
static void report_until_done(pool *p) {
  const struct timespec nap = {.tv_nsec = 50000000};
  while (atomic_load(&p->busy) > 0) {
    report_result(p, NULL);
    nanosleep(&nap, NULL);
  }
}

static void read_tasks(void *ctx, int i, int thread) {
  pool *p = ctx;
  seat me = {p, thread};
  (void)i;
  atomic_fetch_add(&p->busy, 1);
  while (!atomic_load(&p->cancel)) {
    if (thread == 0) report_result(p, NULL);
    int k = atomic_fetch_add(&p->next, 1);
    if (k >= p->ntask) break;
    work(p, &me, &p->tasks[k]);
    if (p->tasks[k].sample->status != PL_CANCELLED) atomic_fetch_add(&p->done, 1);
  }
  atomic_fetch_sub(&p->busy, 1);
  if (thread == 0) report_until_done(p);
}

// the message of the task that ended everything, with its place
static pl_status explain(pool *p) {
  int status = atomic_load(&p->failed);
  for (int k = 0; k < p->ntask; k++) {
    const pl_sample *s = p->tasks[k].sample;
    if (s->status == status)
      return pl_fail(p->host, status < 0 ? (pl_status)status : PL_E_INTERNAL, "%s %s, %s = %g: %s",
                     p->tasks[k].protocol->name,
                     p->tasks[k].model ? p->tasks[k].model->name : "master curve",
                     p->tasks[k].protocol->column[0], s->trial.x, s->note);
  }
  return PL_E_INTERNAL;
}

pl_status pool_run(pl_env *env, int threads, int ntask, const task *tasks) {
  if (ntask == 0) return PL_OK;
  pool p = {.host = env, .ntask = ntask, .nthread = threads, .tasks = tasks};
  for (int k = 0; k < ntask; k++) {
    tasks[k].sample->status = PL_CANCELLED;
    for (int i = 0; i < PL_TRIAL_VALUES; i++) tasks[k].sample->value[i] = NAN;
  }
  pl_threads *pool_threads;
  PL_TRY(pl_threads_create(env, threads, &pool_threads));
  pthread_mutex_init(&p.lock, NULL);
  pl_threads_run(pool_threads, threads, read_tasks, &p);
  pthread_mutex_destroy(&p.lock);
  pl_threads_free(pool_threads);
  if (atomic_load(&p.failed)) return explain(&p);
  return atomic_load(&p.cancel) ? PL_CANCELLED : PL_OK;
}
