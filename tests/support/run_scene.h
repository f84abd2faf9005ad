#ifndef TESTS_SUPPORT_RUN_SCENE_H
#define TESTS_SUPPORT_RUN_SCENE_H

// Scenes in text, run into a folder, and what is written there.
#include "check.h"

#include "pliant/job.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static inline pl_status run_scene_at(pl_env *env, const char *folder, int resume,
                                     const pl_text *t) {
  pl_scene *scene = NULL;
  pl_job_result result;
  const pl_job_opts opts = {.folder = folder, .threads = 1, .resume = resume};
  pl_status s = t->failed ? PL_E_NOMEM : PL_OK;
  if (s == PL_OK) s = pl_scene_parse(env, "test.yaml", ".", t->s, t->n, 0, NULL, NULL, &scene);
  if (s == PL_OK) s = pl_job_run(env, scene, &opts, &result);
  pl_scene_free(scene);
  return s;
}

static inline void write_text(pl_env *env, const char *name, const char *text) {
  check_ok(env, pl_file_write(env, name, text, strlen(text)));
}

// The number after pieces of a folder's summary, one after another up to NULL.
static inline double summary_number(pl_env *env, const char *folder, ...) {
  char path[256], *text, *at;
  const char *piece;
  size_t size;
  double value = NAN;
  va_list list;
  snprintf(path, sizeof path, "%s/summary.json", folder);
  check_ok(env, pl_file_read(env, path, 0, &text, &size));
  at = text;
  va_start(list, folder);
  while ((piece = va_arg(list, const char *))) {
    at = strstr(at, piece);
    if (!at) fail_msg("%s has no %s", path, piece);
    at += strlen(piece);
  }
  va_end(list);
  assert_int_equal(sscanf(at, "%lf", &value), 1);
  pl_free(env, text);
  return value;
}

#endif
