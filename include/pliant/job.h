#ifndef PLIANT_JOB_H
#define PLIANT_JOB_H

#include "pliant/scene.h"

#define PL_JOB_CHECKPOINT 5.0 // s between checkpoints, unless told otherwise

typedef struct pl_job_opts {
  const char *folder; // result folder, made when missing
  const char *only;   // run this analysis (and the ones it starts from); NULL: all
  int threads;        // 0: as many as there are processors
  int resume;         // continue from the checkpoints in the folder
  double checkpoint;  // s between them; 0: as by default, negative: at every step
  int nset;           // overrides that were applied, for the record
  const char *const *set;
} pl_job_opts;

typedef struct pl_job_result {
  int nrun, nunsolved; // analyses done, and those of them that did not converge
  int cancelled;
  char report[PL_TEXT];  // path of report.html, empty when not written
  char summary[PL_TEXT]; // path of summary.json
} pl_job_result;

// Runs the analyses of a scene in order and writes their results. Returns PL_UNSOLVED when one of
// them did not converge and PL_CANCELLED when it was stopped: what there is has been written then,
// too.
pl_status pl_job_run(pl_env *env, const pl_scene *scene, const pl_job_opts *opts,
                     pl_job_result *result);

// The key figures of the last run as JSON text (what summary.json holds), for `--json`; freed by
// the caller.
pl_status pl_job_summary(pl_env *env, const pl_job_result *result, char **text);

#endif
