#ifndef RUN_TRANSIENT_H
#define RUN_TRANSIENT_H

// What motions in time record, whatever steps them: rows of a table, frames, files, a checkpoint.
#include "job_impl.h"

enum { FIXED_COLUMNS = 6 }; // time, kinetic, elastic, potential, total, dissipated

typedef struct recorder {
  job *j;
  const pl_analysis *a;
  pl_table *table;
  pl_table *log; // a further table that checkpoints keep, the caller's; NULL: none
  double *row;
  kept kept;
  double every, next_row; // time between rows, time of the next one
  double frame_step, next_frame;
  const pl_history *history; // of the steps under way
  int nreaction;             // columns of reactions
  pl_status status;
} recorder;

// Energies at a step, J.
typedef struct step_energy {
  double kinetic, elastic, potential, dissipated;
} step_energy;

pl_status record_open(job *j, const pl_analysis *a, recorder *r);
void record_close(recorder *r);
// The first row and frame; energies are left in the job's work.
pl_status record_start(recorder *r, const pl_state *s);
pl_status record_step(recorder *r, const pl_state *s, const step_energy *e);
// Goes on where the checkpoint in the folder ends; *found = 0: there is none, or none is wanted.
pl_status record_resume(recorder *r, pl_state *s, pl_history *h, int *found);
pl_status record_checkpoint(recorder *r, const pl_state *s);
// The same at the end of a step, when it is time.
pl_status record_keep(recorder *r, const pl_state *s);
// Table, frames, pictures and plots of what was recorded, and the energies when `energy`.
pl_status record_files(recorder *r, const pl_state *s, int energy);
void record_figures(const recorder *r, const pl_transient_info *i, json_t *figures);
void record_report(const recorder *r, const pl_transient_info *i);
// A drive at full speed at once is a jolt for a body at rest.
void warn_jolt(job *j, const pl_analysis *a, const pl_state *s);

#endif
