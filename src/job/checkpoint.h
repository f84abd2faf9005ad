#ifndef CHECKPOINT_H
#define CHECKPOINT_H

// Checkpoints: what an analysis needs to go on as if there had been no stop, in NAME.checkpoint of
// the result folder. The file says of which kind, scene, model and options it is, how long it is,
// and a checksum over all of it; it is replaced as a whole or not at all.
#include "job_impl.h"

typedef struct checkpoint {
  const job *j;
  const pl_analysis *a;
  pl_text out; // written so far
  char *data;  // read: the whole file
  size_t size, at;
} checkpoint;

// ---- writing ------------------------------------------------------------------------------------

void checkpoint_begin(const job *j, const pl_analysis *a, checkpoint *c);
// Adds count items of a size; what is put in one order is taken in the same.
void checkpoint_put(checkpoint *c, const void *data, size_t count, size_t size);
// Writes the file and frees what was put.
pl_status checkpoint_end(checkpoint *c);
// Is it time for the next one? By the interval of the job's options, and never so often that
// writing takes more than a small part of the time. Ask at the end of every step.
int checkpoint_due(const job *j);

// ---- reading ------------------------------------------------------------------------------------

// Opens the file when the job resumes and there is one, otherwise *found = 0. PL_E_INPUT: it is
// damaged, or of another scene, model or options; the message says which.
pl_status checkpoint_open(const job *j, const pl_analysis *a, checkpoint *c, int *found);
// Takes count items; PL_E_INPUT when there are not as many.
pl_status checkpoint_read(checkpoint *c, void *to, size_t count, size_t size);
// The same into a new array, freed by the caller; on failure it is NULL.
pl_status checkpoint_read_new(checkpoint *c, size_t count, size_t size, void *out);
// A count among the numbers of a file, which may be none.
long checkpoint_count(double x);
// Frees what was read. Returns the status given, or PL_E_INPUT when something is left.
pl_status checkpoint_close(checkpoint *c, pl_status status);
// Removes the file: the analysis came to its end and there is nothing to go on to.
void checkpoint_remove(const job *j, const pl_analysis *a);
// Looks whether the checkpoint of an analysis, if there is one, can be gone on from.
pl_status checkpoint_check(const job *j, const pl_analysis *a);

// ---- plain numbers: responses and fits --------------------------------------------------------

pl_status checkpoint_write_numbers(const job *j, const pl_analysis *a, size_t n, const double *x);
// *x is NULL: there is none, or none is wanted; freed by the caller.
pl_status checkpoint_read_numbers(const job *j, const pl_analysis *a, double **x, size_t *n);

// The numbers of the last step, written when it is time.
typedef struct step_keeper {
  const job *j;
  const pl_analysis *a;
  pl_keeper keeper; // for the fit
  double *from, *x; // [keeper.nfrom], [n]
  size_t n;
} step_keeper;
// Takes up what an earlier run has kept, if this one goes on from it. The keeper stays where it is.
pl_status step_keeper_open(const job *j, const pl_analysis *a, step_keeper *k);
// cancelled: what was kept last is written. Returns the status given unless that fails.
pl_status step_keeper_close(step_keeper *k, pl_status status);

// ---- statics in steps -------------------------------------------------------------------------

// Is the analysis one of a sequence, or with obstacles, so that its result is kept until the run
// ends?
int static_is_kept(const job *j, const pl_analysis *a);
// A static: its result, or with obstacles a load step on the way.
typedef struct static_part {
  pl_state *s;
  pl_static_info *info;
  pl_table *t;
  pl_contact *contact; // NULL: none
  int done;
} static_part;
pl_status static_write(const job *j, const pl_analysis *a, const static_part *p);
// What an earlier run has kept.
pl_status static_read(const job *j, const pl_analysis *a, static_part *p, int *found);

// Forces of contact; those of a state that was read before.
void contact_write(checkpoint *c, const pl_contact *k);
pl_status contact_read(checkpoint *c, const pl_state *s, pl_contact *k);

// ---- fingerprints -------------------------------------------------------------------------------

// All numbers that the model depends on, as they are now.
pl_status hash_model(const job *j, uint64_t *out);
// The options of an analysis and what it watches, but for those that only say how long to go on.
uint64_t hash_analysis(const job *j, const pl_analysis *a);

#endif
