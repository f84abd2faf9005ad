#ifndef TESTS_FUZZ_RUN_H
#define TESTS_FUZZ_RUN_H

#include "pliant/job.h"

#include <stdlib.h>
#include <string.h>

// Running: a small scene from the input, for a few hundred calls of progress. Any end will do but a
// crash, an internal error or a status that says nothing.
static inline int fuzz_stop(void *ctx, const pl_progress *p) {
  int *left = (int *)ctx;
  (void)p;
  return --*left < 0;
}

static inline void fuzz_run(pl_env *env, const char *folder, const char *data, size_t size) {
  static const char *const set[] = {"output.vtu=no", "output.glb=no", "output.plots=no"};
  const pl_scene_limits limits = {.yaml_nodes = 500, .nodes = 40, .no_files = 1};
  pl_job_opts opts = {.folder = folder, .threads = 1};
  pl_job_result result;
  int left = 300;
  pl_scene *s;
  if (pl_scene_parse(env, "fuzz", ".", data, size, 3, set, &limits, &s) != PL_OK) return;
  env->progress = fuzz_stop;
  env->progress_ctx = &left;
  pl_status st = pl_job_run(env, s, &opts, &result);
  if (st == PL_E_INTERNAL || st == PL_E_ARG) abort();
  env->progress = NULL;
  pl_scene_free(s);
}

#endif
