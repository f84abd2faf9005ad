#ifndef PLIANT_TALLY_H
#define PLIANT_TALLY_H

// How much of a program's work pools of threads share, for those who measure it.
#include "pliant/base.h"

#include <stdatomic.h>

// As pl_threads_run, where the calls take work from one list and wait for each other.
void pl_threads_run_list(pl_threads *t, int n, void (*fn)(void *ctx, int i, int thread), void *ctx);
// In such a call: comes back with 1 when *count, which other calls raise, is n or more, or with 0
// when *stop is not zero; stop may be NULL.
int pl_threads_await(atomic_int *count, int n, atomic_int *stop);

// What a thread hands to pools, in processor seconds: what other programs do meanwhile does not
// count.
typedef struct pl_threads_tally {
  int nthread;     // processors that are assumed
  long runs;       // jobs
  double shared;   // seconds of all threads in them, less what they waited for each other
  double own;      // of the calling thread until they were done, waiting and all
  double shortest; // of the jobs on so many processors: each takes the next chunk when it is free
} pl_threads_tally;
// From now on adds to *tally what this thread hands out; NULL: no more.
void pl_threads_observe(pl_threads_tally *tally);

#endif
