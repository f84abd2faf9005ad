// A pool of threads. Jobs may take some microseconds only: who waits for one looks again and again
// for a while before it sleeps, those that sleep are woken by each other, and nobody waits for
// threads that come when nothing is left to do.
#include "pliant/tally.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

enum { FAN = 4, LOOKS = 32 }; // threads that one thread wakes; looks between those at the clock

// s that a thread waits before it sleeps: to wake it takes some tens of microseconds
static const double PATIENCE = 50e-6;

// The gate of a job: its number, whether more threads may come in, and how many are.
#define COUNT        0xffffUL
#define OPEN         0x10000UL
#define NUMBER(gate) ((gate) >> 17)

typedef struct worker {
  pl_threads *threads;
  int id;
  pthread_t thread;
  sem_t wake;
  atomic_int asleep; // who makes it 0 posts wake
} worker;

struct pl_threads {
  pl_env *env;
  int nthread, nstarted;
  int patient; // 1: there is a processor for each
  atomic_flag busy;
  atomic_int quit;
  atomic_ulong gate;
  atomic_int wanted; // threads with a lower id
  int n, chunk;      // of the job, as the following: written when nobody is in
  void (*fn)(void *ctx, int i, int thread);
  void *ctx;
  double *cost;   // [chunks] seconds of each, while somebody watches; NULL: nobody does
  char apart[64]; // from what all threads write
  atomic_int next;
  worker worker[]; // [nthread], the first one is the caller's
};

// what a thread hands out is counted here, and what it has at hand for others
static _Thread_local pl_threads_tally *tally;
static _Thread_local int counted;
static _Thread_local double waited;

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// ---- waiting ------------------------------------------------------------------------------------

// the last job's gate after `seen`
static int has_job(pl_threads *t, unsigned long seen) {
  return NUMBER(atomic_load(&t->gate)) != seen;
}

static int is_empty(pl_threads *t, unsigned long seen) {
  (void)seen;
  return (atomic_load(&t->gate) & COUNT) == 0;
}

// Comes back when ready says so. A flag that others take leads to one post, which is waited for.
static void await(worker *w, int (*ready)(pl_threads *t, unsigned long seen), unsigned long seen) {
  pl_threads *t = w->threads;
  double until = t->patient ? pl_wall_time() + PATIENCE : 0;
  while (t->patient) {
    for (int k = 0; k < LOOKS; k++) {
      if (ready(t, seen)) return;
      relax();
    }
    if (pl_wall_time() > until) break;
  }
  while (!ready(t, seen)) {
    atomic_store(&w->asleep, 1);
    if (ready(t, seen) && atomic_exchange(&w->asleep, 0)) return;
    while (sem_wait(&w->wake) != 0 && errno == EINTR) relax();
  }
}

static void rouse(worker *w) {
  if (atomic_load(&w->asleep) && atomic_exchange(&w->asleep, 0)) sem_post(&w->wake);
}

static void rouse_next(pl_threads *t, int id) {
  int wanted = atomic_load(&t->wanted);
  for (int k = FAN * id + 1; k <= FAN * id + FAN && k < wanted; k++) rouse(&t->worker[k]);
}

// ---- work ---------------------------------------------------------------------------------------

static double thread_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void do_chunk(const pl_threads *t, int first, int id) {
  int last = first + t->chunk < t->n ? first + t->chunk : t->n;
  for (int i = first; i < last; i++) t->fn(t->ctx, i, id);
}

static void count_chunk(const pl_threads *t, int first, int id) {
  counted = 1;
  waited = 0;
  double start = thread_time();
  do_chunk(t, first, id);
  t->cost[first / t->chunk] = thread_time() - start - waited;
  counted = 0;
}

static void work_through(pl_threads *t, int id) {
  for (;;) {
    int first = atomic_fetch_add(&t->next, t->chunk);
    if (first >= t->n) return;
    (t->cost ? count_chunk : do_chunk)(t, first, id);
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

// waits for a job after `seen`; returns whether it is still open
static int enter(worker *w, unsigned long *seen) {
  pl_threads *t = w->threads;
  await(w, has_job, *seen);
  unsigned long gate = atomic_load(&t->gate);
  *seen = NUMBER(gate);
  if (w->id >= atomic_load(&t->wanted)) return 0;
  while ((gate & OPEN) && NUMBER(gate) == *seen)
    if (atomic_compare_exchange_weak(&t->gate, &gate, gate + 1)) return 1;
  return 0;
}

static void leave(pl_threads *t) {
  unsigned long gate = atomic_fetch_sub(&t->gate, 1) - 1;
  if ((gate & (COUNT | OPEN)) == 0) rouse(&t->worker[0]);
}

static void *worker_main(void *arg) {
  worker *w = arg;
  unsigned long seen = 0;
  while (!atomic_load(&w->threads->quit)) {
    if (!enter(w, &seen)) continue;
    rouse_next(w->threads, w->id);
    work_through(w->threads, w->id);
    leave(w->threads);
  }
  return NULL;
}

// ---- the pool -----------------------------------------------------------------------------------

static int processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// they inherit what is blocked here, and so leave signals from their first moment on
static void start_workers(pl_threads *t) {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, NULL, &before);
  pl_leave_signals();
  for (int k = 1; k < t->nthread; k++, t->nstarted++)
    if (pthread_create(&t->worker[k].thread, NULL, worker_main, &t->worker[k]) != 0) break;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

pl_status pl_threads_create(pl_env *env, int nthread, pl_threads **out) {
  *out = NULL;
  if (nthread < 1 || nthread > 1024)
    return pl_fail(env, PL_E_ARG, "threads must be 1..1024, got %d", nthread);
  pl_threads *t = pl_alloc(env, 1, sizeof *t + (size_t)nthread * sizeof(worker));
  if (!t) return PL_E_NOMEM;
  t->env = env;
  t->nthread = nthread;
  t->patient = nthread <= processors();
  atomic_flag_clear(&t->busy);
  for (int k = 0; k < nthread; k++) {
    t->worker[k].threads = t;
    t->worker[k].id = k;
    sem_init(&t->worker[k].wake, 0, 0);
  }
  start_workers(t);
  if (t->nstarted < nthread - 1) {
    int failed = t->nstarted + 1;
    pl_threads_free(t);
    return pl_fail(env, PL_E_INTERNAL, "thread %d of %d could not be started", failed, nthread);
  }
  *out = t;
  return PL_OK;
}

void pl_threads_free(pl_threads *t) {
  if (!t) return;
  atomic_store(&t->quit, 1);
  atomic_fetch_add(&t->gate, 2 * OPEN); // a job that is closed
  for (int k = 1; k <= t->nstarted; k++) rouse(&t->worker[k]);
  for (int k = 1; k <= t->nstarted; k++) pthread_join(t->worker[k].thread, NULL);
  for (int k = 0; k < t->nthread; k++) sem_destroy(&t->worker[k].wake);
  pl_free(t->env, t);
}

int pl_threads_size(const pl_threads *t) {
  return t ? t->nthread : 1;
}

// fewer than CHUNKS for each thread: many enough to even out, few enough to be handed out
enum { CHUNKS = 16 };

static int chunk_size(int n, int nthread) {
  return n < CHUNKS * nthread ? 1 : n / (CHUNKS / 2 * nthread);
}

static void work_together(pl_threads *t, int n, void (*fn)(void *ctx, int i, int thread),
                          void *ctx) {
  t->n = n;
  t->chunk = chunk_size(n, t->nthread);
  t->fn = fn;
  t->ctx = ctx;
  atomic_store(&t->next, 0);
  atomic_store(&t->wanted, n < t->nthread ? n : t->nthread);
  atomic_fetch_add(&t->gate, 3 * OPEN); // the next number, open
  rouse_next(t, 0);
  work_through(t, 0);
  atomic_fetch_sub(&t->gate, OPEN);
  await(&t->worker[0], is_empty, 0);
}

// ---- what it could gain -------------------------------------------------------------------------

void pl_threads_observe(pl_threads_tally *to) {
  tally = to;
}

// seconds of a job on nthread processors, each of which takes the next chunk when it is free
static double schedule(int n, const double *cost, int nthread, double *busy) {
  double longest = 0;
  for (int k = 0; k < nthread; k++) busy[k] = 0;
  for (int i = 0; i < n; i++) {
    int next = 0;
    for (int k = 1; k < nthread; k++)
      if (busy[k] < busy[next]) next = k;
    busy[next] += cost[i];
    if (busy[next] > longest) longest = busy[next];
  }
  return longest;
}

// likewise, with times: the calls of a list count as if they had shared it evenly
static void count_job(pl_threads *t, int listed, int n, void (*fn)(void *ctx, int i, int thread),
                      void *ctx) {
  pl_threads_tally *to = tally;
  double start = thread_time(), sum = 0;
  int size = chunk_size(n, t->nthread), nchunk = (n + size - 1) / size;
  double *cost = pl_alloc(t->env, (size_t)nchunk + (size_t)to->nthread, sizeof *cost);
  tally = NULL; // what calls hand out is theirs
  t->cost = cost;
  work_together(t, n, fn, ctx);
  t->cost = NULL;
  tally = to;
  if (!cost) return;
  for (int i = 0; i < nchunk; i++) sum += cost[i];
  to->runs++;
  to->shared += sum;
  to->shortest += listed ? sum / to->nthread : schedule(nchunk, cost, to->nthread, cost + nchunk);
  pl_free(t->env, cost);
  to->own += thread_time() - start;
}

static void run(pl_threads *t, int listed, int n, void (*fn)(void *ctx, int i, int thread),
                void *ctx) {
  if (!t || t->nthread == 1 || n < 2 || atomic_flag_test_and_set(&t->busy)) {
    for (int i = 0; i < n; i++) fn(ctx, i, 0);
    return;
  }
  if (tally)
    count_job(t, listed, n, fn, ctx);
  else
    work_together(t, n, fn, ctx);
  atomic_flag_clear(&t->busy);
}

void pl_threads_run(pl_threads *t, int n, void (*fn)(void *ctx, int i, int thread), void *ctx) {
  run(t, 0, n, fn, ctx);
}

int pl_threads_await(atomic_int *count, int n, atomic_int *stop) {
  int stopped = 0;
  if (atomic_load_explicit(count, memory_order_acquire) >= n) return 1;
  if (counted) waited -= thread_time();
  for (int k = 1; atomic_load_explicit(count, memory_order_acquire) < n && !stopped; k++) {
    stopped = stop && atomic_load_explicit(stop, memory_order_relaxed);
    relax();
    // who is waited for may have no processor
    if (k % LOOKS == 0) sched_yield();
  }
  if (counted) waited += thread_time();
  return !stopped;
}

void pl_threads_run_list(pl_threads *t, int n, void (*fn)(void *ctx, int i, int thread),
                         void *ctx) {
  run(t, 1, n, fn, ctx);
}
