#ifndef PLIANT_SWEEPS_H
#define PLIANT_SWEEPS_H

#include "fronts.h"

// A solve over a tree of fronts, up from the leaves and down from the root. A front is done whole
// or, where it is large, in stages one after another, each of which has parts at the same time.
typedef struct sweep_fns {
  // stages of front f, 0: it is done whole; parts of a stage, which may be none
  int (*stages)(const void *s, int f, int down);
  int (*parts)(const void *s, int f, int down, int stage);
  void (*part)(void *s, int f, int down, int stage, int i, int thread);
  void (*whole)(void *s, int f, int down, int thread);
} sweep_fns;

// What several threads do of it, listed once. s: what the functions get.
typedef struct sweeps sweeps;
pl_status sweeps_create(pl_env *env, const front_tree *t, const sweep_fns *fns, void *s,
                        pl_threads *threads, sweeps **out);
void sweeps_free(pl_env *env, sweeps *a);
void sweeps_run(sweeps *a);
// The same by one thread.
void sweeps_run_alone(const front_tree *t, const sweep_fns *fns, void *s);

#endif
