#include "pliant/base.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

typedef struct worker {
  pl_threads *threads;
  int id;
  pthread_t thread;
} worker;

struct pl_threads {
  pl_env *env;
  int nthread, nstarted;
  pthread_mutex_t lock;
  pthread_cond_t wake, idle;
  long round;  // incremented for every job
  int running; // workers still busy with the current round
  int quit;
  int n, chunk;
  atomic_int next;
  void (*fn)(void *ctx, int i, int thread);
  void *ctx;
  worker workers[]; // [nthread - 1]
};

static void work_through(pl_threads *t, int id) {
  for (;;) {
    int first = atomic_fetch_add(&t->next, t->chunk);
    if (first >= t->n) return;
    int last = first + t->chunk < t->n ? first + t->chunk : t->n;
    for (int i = first; i < last; i++) t->fn(t->ctx, i, id);
  }
}

void pl_leave_signals(void) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &ends, NULL);
}

static void *worker_main(void *arg) {
  worker *w = arg;
  pl_leave_signals();
  pl_threads *t = w->threads;
  long seen = 0;
  pthread_mutex_lock(&t->lock);
  for (;;) {
    while (t->round == seen && !t->quit) pthread_cond_wait(&t->wake, &t->lock);
    if (t->quit) break;
    seen = t->round;
    pthread_mutex_unlock(&t->lock);
    work_through(t, w->id);
    pthread_mutex_lock(&t->lock);
    if (--t->running == 0) pthread_cond_signal(&t->idle);
  }
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

pl_status pl_threads_create(pl_env *env, int nthread, pl_threads **out) {
  *out = NULL;
  if (nthread < 1 || nthread > 1024)
    return pl_fail(env, PL_E_ARG, "threads must be 1..1024, got %d", nthread);
  pl_threads *t = pl_alloc(env, 1, sizeof *t + (size_t)(nthread - 1) * sizeof(worker));
  if (!t) return PL_E_NOMEM;
  t->env = env;
  t->nthread = nthread;
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->wake, NULL);
  pthread_cond_init(&t->idle, NULL);
  for (int k = 0; k < nthread - 1; k++) {
    t->workers[k] = (worker){.threads = t, .id = k + 1};
    if (pthread_create(&t->workers[k].thread, NULL, worker_main, &t->workers[k]) != 0) {
      pl_threads_free(t);
      return pl_fail(env, PL_E_INTERNAL, "thread %d of %d could not be started", k + 1, nthread);
    }
    t->nstarted++;
  }
  *out = t;
  return PL_OK;
}

void pl_threads_free(pl_threads *t) {
  if (!t) return;
  pthread_mutex_lock(&t->lock);
  t->quit = 1;
  pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->lock);
  for (int k = 0; k < t->nstarted; k++) pthread_join(t->workers[k].thread, NULL);
  pthread_cond_destroy(&t->wake);
  pthread_cond_destroy(&t->idle);
  pthread_mutex_destroy(&t->lock);
  pl_free(t->env, t);
}

int pl_threads_size(const pl_threads *t) {
  return t ? t->nthread : 1;
}

void pl_threads_run(pl_threads *t, int n, void (*fn)(void *ctx, int i, int thread), void *ctx) {
  if (!t || t->nthread == 1 || n < 2) {
    for (int i = 0; i < n; i++) fn(ctx, i, 0);
    return;
  }
  pthread_mutex_lock(&t->lock);
  t->n = n;
  t->chunk = n < 16 * t->nthread ? 1 : n / (8 * t->nthread);
  t->fn = fn;
  t->ctx = ctx;
  atomic_store(&t->next, 0);
  t->running = t->nthread - 1;
  t->round++;
  pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->lock);

  work_through(t, 0);
  pthread_mutex_lock(&t->lock);
  while (t->running > 0) pthread_cond_wait(&t->idle, &t->lock);
  pthread_mutex_unlock(&t->lock);
}
