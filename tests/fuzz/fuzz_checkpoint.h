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

#define FUZZ_SHEET                                                                                 \
  "pliant: 1\n"                                                                                    \
  "materials: {m: {young: 5 kPa, poisson: 0, density: 300 kg/m^3}}\n"                              \
  "bodies: [{name: b, shell: {mesh: {grid: {size: [1, 1], cells: [2, 2]}}, material: m, "          \
  "thickness: 1 mm, limit: {stretch: 1 %}}}]\n"                                                    \
  "fixed: 'b nearest [0, 0, 0]'\n"                                                                 \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "watch: {low: 'b nearest [1, 1, 0]'}\n"                                                          \
  "output: {vtu: no, glb: no, plots: no, report: no}\n"
#define FUZZ_PERIODS(n, more)                                                                      \
  "analyses: [{transient: {frequency: 8 rad/s, periods: " n ", steps_per_period: 10" more "}}]\n"
#define FUZZ_LASTS(ms, method)                                                                     \
  "analyses: [{transient: {duration: " ms " ms, step: 20 ms, method: " method "}}]\n"
#define FUZZ_BALL                                                                                  \
  "pliant: 1\n"                                                                                    \
  "nodes: {a: [0, 0, 1 mm]}\n"                                                                     \
  "masses: [{node: a, mass: 1 kg}]\n"                                                              \
  "obstacles: [{plane: {through: [0, 0, 0], normal: [0, 0, 1]}}]\n"                                \
  "contact: [{nodes: a, friction: 0.3}]\n"                                                         \
  "gravity: [1, 0, -9.81]\n"                                                                       \
  "watch: {a: a}\n"                                                                                \
  "output: {vtu: no, glb: no, plots: no, report: no}\n"

// Name and scene of an analysis, and the same with a nearer end for those that may be run in
// pieces. New ones at the end: the corpus names them by number.
static const struct {
  const char *name, *scene, *piece;
} fuzz_case[] = {
    {"transient", FUZZ_MODEL FUZZ_PERIODS("2", ""), FUZZ_MODEL FUZZ_PERIODS("1", "")},
    {"transient", FUZZ_MODEL FUZZ_PERIODS("2", ", method: bdf2, steady: 1e-9 m"),
     FUZZ_MODEL FUZZ_PERIODS("1", ", method: bdf2, steady: 1e-9 m")},
    {"response", FUZZ_MODEL "analyses: [{response: {from: 8 rad/s, to: 11 rad/s, points: 9}}]\n",
     NULL},
    {"design",
     FUZZ_MODEL
     "analyses: [{design: {frequency: 8 rad/s, harmonics: 3, variables: all, max_iter: 4, "
     "objectives: [{amplitude: max, node: m}]}}]\n",
     NULL},
    {"fit-damping",
     FUZZ_MODEL
     "analyses: [{fit-damping: {data: test_fuzz_motion.csv, frequency: 8 rad/s, harmonics: 1, "
     "parameters: [k], beta: no}}]\n",
     NULL},
    {"fit-response",
     FUZZ_MODEL "analyses: [{fit-response: {data: test_fuzz_response.csv, harmonics: 1}}]\n", NULL},
    {"drape", FUZZ_SHEET "analyses: [{drape: {max_steps: 12}}]\n",
     FUZZ_SHEET "analyses: [{drape: {max_steps: 5}}]\n"},
    {"transient", FUZZ_SHEET FUZZ_LASTS("240", "bdf2-project"),
     FUZZ_SHEET FUZZ_LASTS("120", "bdf2-project")},
    {"transient", FUZZ_BALL FUZZ_LASTS("240", "implicit-euler"),
     FUZZ_BALL FUZZ_LASTS("120", "implicit-euler")},
    {"response",
     FUZZ_MODEL "analyses: [{response: {from: 8 rad/s, to: 11 rad/s, points: 9, harmonics: 3, "
                "stability: yes, branches: yes}}]\n",
     NULL},
};
enum { FUZZ_SCENES = sizeof fuzz_case / sizeof fuzz_case[0] };

// what the fits are given
static const char *const fuzz_data[][2] = {
    {"test_fuzz_motion.csv", "time_s,m_x_m\n0,0.001\n0.1,0.022\n0.2,0.031\n0.3,0.021\n0.4,0\n"
                             "0.5,-0.024\n0.6,-0.03\n0.7,-0.018\n"},
    {"test_fuzz_response.csv", "frequency_rad/s,amplitude_m\n8,0.037\n8.5,0.052\n9,0.09\n"
                               "9.3,0.2\n9.6,0.14\n10,0.08\n11,0.03\n"},
};

static inline int fuzz_left(void *ctx, const pl_progress *p) {
  int *left = (int *)ctx;
  (void)p;
  return --*left < 0;
}

static inline pl_status fuzz_go(pl_env *env, const char *text, const char *dir, int budget,
                                int resume) {
  pl_scene *s;
  pl_job_result result;
  pl_job_opts opts = {.folder = dir, .threads = 1, .resume = resume, .checkpoint = -1};
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
  sum = pl_hash(pl_hash(0, file, FUZZ_HEAD), file + FUZZ_HEAD, rest);
  memcpy(file + FUZZ_SUM_AT, &sum, sizeof sum);
  return size;
}

static inline void fuzz_write_data(pl_env *env) {
  for (size_t k = 0; k < sizeof fuzz_data / sizeof fuzz_data[0]; k++)
    if (pl_file_write(env, fuzz_data[k][0], fuzz_data[k][1], strlen(fuzz_data[k][1])) != PL_OK)
      abort();
}

static inline void fuzz_checkpoint(pl_env *env, const char *dir, const char *data, size_t n) {
  static char *whole[FUZZ_SCENES];
  static size_t whole_size[FUZZ_SCENES];
  char path[256];
  pl_env own;
  pl_env_init(&own);
  if (n < 1) return;
  int which = (unsigned char)data[0] % FUZZ_SCENES;
  snprintf(path, sizeof path, "%s/%s.checkpoint", dir, fuzz_case[which].name);
  // every scene is run once for a checkpoint from its middle: as far on as leaves one
  const char *piece = fuzz_case[which].piece;
  for (int budget = piece ? 100000 : 12; !whole[which]; budget += budget) {
    fuzz_write_data(&own);
    fuzz_go(&own, piece ? piece : fuzz_case[which].scene, dir, budget, 0);
    pl_file_read(&own, path, 0, &whole[which], &whole_size[which]);
    if (!whole[which] && budget > 1000) abort();
  }
  char *file = malloc(whole_size[which]);
  if (!file) return;
  memcpy(file, whole[which], whole_size[which]);
  size_t size = fuzz_change(file, whole_size[which], data + 1, n - 1);
  if (pl_file_write(&own, path, file, size) != PL_OK) abort();
  free(file);
  pl_status s = fuzz_go(env, fuzz_case[which].scene, dir, 400, 1);
  if (s == PL_E_INTERNAL || s == PL_E_ARG) abort();
}

#endif
