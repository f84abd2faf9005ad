#ifndef TESTS_FUZZ_CHECKPOINT_H
#define TESTS_FUZZ_CHECKPOINT_H

#include "checkpoint.h"

#include "pliant/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Checkpoints that are whole by their checksum and wrong inside: what an analysis kept is changed
// by the input, the checksum is made good, and the run goes on from it. Input: which analysis, then
// groups of three bytes: where (two bytes) and how to change a byte; 0, 0, x cuts the file by x.
#define FUZZ_MODEL                                                                                 \
  "pliant: 1\n"                                                                                    \
  "dimension: 1\n"                                                                                 \
  "parameters: {k: {value: 90 N/m, min: 50 N/m, max: 500 N/m}}\n"                                  \
  "nodes: {m: 0}\n"                                                                                \
  "masses: [{node: m, mass: 1 kg}]\n"                                                              \
  "springs: [{nodes: [ground, m], stiffness: $k, cubic: 5 N/m^3, damping: 0.4 N.s/m}]\n"           \
  "loads: [{node: m, force: [1 N], harmonic: 1, phase: 90 deg}]\n"                                 \
  "watch: {m: m}\n"                                                                                \
  "output: {vtu: no, glb: no, plots: no, report: no}\n"

static const char *const fuzz_scene[] = {
    FUZZ_MODEL "analyses: [{transient: {frequency: 8 rad/s, periods: 2, steps_per_period: 10}}]\n",
    FUZZ_MODEL "analyses: [{transient: {frequency: 8 rad/s, periods: 2, steps_per_period: 10, "
               "method: bdf2, steady: 1e-9 m}}]\n",
    FUZZ_MODEL "analyses: [{response: {from: 8 rad/s, to: 11 rad/s, points: 9}}]\n",
    FUZZ_MODEL
    "analyses: [{design: {frequency: 8 rad/s, harmonics: 3, variables: all, max_iter: 4, "
    "objectives: [{amplitude: max, node: m}]}}]\n"};
static const char *const fuzz_name[] = {"transient", "transient", "response", "design"};
enum { FUZZ_SCENES = sizeof fuzz_scene / sizeof fuzz_scene[0] };

static inline int fuzz_left(void *ctx, const pl_progress *p) {
  int *left = (int *)ctx;
  (void)p;
  return --*left < 0;
}

static inline pl_status fuzz_go(pl_env *env, int which, const char *dir, int budget, int resume) {
  pl_scene *s;
  pl_job_result result;
  pl_job_opts opts = {.folder = dir, .threads = 1, .resume = resume, .checkpoint = -1};
  const char *text = fuzz_scene[which];
  if (pl_scene_parse(env, "fuzz", ".", text, strlen(text), 0, NULL, NULL, &s) != PL_OK) abort();
  env->progress = fuzz_left;
  env->progress_ctx = &budget;
  pl_status st = pl_job_run(env, s, &opts, &result);
  env->progress = NULL;
  pl_scene_free(s);
  return st;
}

// the place of the checksum and of the length: behind magic, version, order, kind, three prints
enum {
  FUZZ_SIZE_AT = 8 + 8 + 24 + 24,
  FUZZ_SUM_AT = FUZZ_SIZE_AT + 8,
  FUZZ_HEAD = FUZZ_SUM_AT + 8
};

static inline size_t fuzz_change(char *file, size_t size, const char *data, size_t n) {
  for (size_t i = 0; i + 2 < n; i += 3) {
    size_t at = ((size_t)(unsigned char)data[i] << 8) | (unsigned char)data[i + 1];
    size_t body = size - FUZZ_HEAD, by = (unsigned char)data[i + 2];
    if (at == 0)
      size -= by < body ? by : body;
    else if (body > 0)
      file[FUZZ_HEAD + at % body] = (char)(file[FUZZ_HEAD + at % body] ^ (char)by);
  }
  uint64_t rest = size - FUZZ_HEAD, sum = 0;
  memcpy(file + FUZZ_SIZE_AT, &rest, sizeof rest);
  memcpy(file + FUZZ_SUM_AT, &sum, sizeof sum);
  sum = print_bytes(print_bytes(0, file, FUZZ_HEAD), file + FUZZ_HEAD, rest);
  memcpy(file + FUZZ_SUM_AT, &sum, sizeof sum);
  return size;
}

static inline void fuzz_checkpoint(pl_env *env, const char *dir, const char *data, size_t n) {
  static char *whole[FUZZ_SCENES];
  static size_t whole_size[FUZZ_SCENES];
  char path[256];
  pl_env own;
  pl_env_init(&own);
  if (n < 1) return;
  int which = (unsigned char)data[0] % FUZZ_SCENES;
  snprintf(path, sizeof path, "%s/%s.checkpoint", dir, fuzz_name[which]);
  // every scene is run once for a checkpoint from its middle
  if (!whole[which]) {
    fuzz_go(&own, which, dir, 25, 0);
    if (pl_file_read(&own, path, 0, &whole[which], &whole_size[which]) != PL_OK) abort();
  }
  char *file = malloc(whole_size[which]);
  if (!file) return;
  memcpy(file, whole[which], whole_size[which]);
  size_t size = fuzz_change(file, whole_size[which], data + 1, n - 1);
  if (pl_file_write(&own, path, file, size) != PL_OK) abort();
  free(file);
  pl_status s = fuzz_go(env, which, dir, 400, 1);
  if (s == PL_E_INTERNAL || s == PL_E_ARG) abort();
}

#endif
