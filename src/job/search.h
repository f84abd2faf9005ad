#ifndef SEARCH_H
#define SEARCH_H

#include "checkpoint.h"

enum { WHY = 160 };

// What came of one run of the scene.
typedef struct outcome {
  int done;   // 0: not run yet
  int solved; // all figures are there
  int missed; // 1 + the first goal whose figure is not there, though all analyses were done
  int wrong;  // 1: and cannot be, by its name or kind
  char why[WHY];
} outcome;

// One run that is wanted: a design with values x, in the units of its variables.
typedef struct search_task {
  const double *x;              // [nvariable]
  int scatter;                  // number of the scattered run, 0: exact
  const pl_search_check *check; // further overrides, NULL: none
  outcome *to;
  double *figure; // [ngoal]
} search_task;

// How good a run or a design is.
typedef struct search_mark {
  double goal, merit; // without and with what is missing of at_least and at_most
  int feasible;       // these hold
  int success;        // and targets are hit
} search_mark;

typedef struct searching {
  job *j;
  const pl_analysis *a;
  const pl_search_plan *p;
  const pl_search_opts *o;
  int nrun;         // of a design: the exact one and scattered ones
  int stress;       // 1: a goal is about stress
  double *z;        // [runs][nscatter] random numbers of scattered runs
  int nleaf, *leaf; // analyses that are run, with those that they start from
  // designs
  int n, cap;
  double *u;         // [cap][nvariable] 0..1
  double *x;         // [cap][nvariable] in units of the variables
  int *phase;        // [cap]
  outcome *out;      // [cap][nrun]
  double *figure;    // [cap][nrun][ngoal]
  double *scale;     // [ngoal] of maximise and minimise: the first figure that was found
  search_mark *mark; // [cap]
  double *merit;     // [cap]
  int best;          // -1: none
  // the best design once more: checks, then scattered runs
  int nmore, again;    // again: these are run
  outcome *more;       // [nmore]
  double *more_figure; // [nmore][ngoal]
} searching;

// ---- search_eval.c ------------------------------------------------------------------------------

// Runs those that are not done yet, side by side, and keeps what they give. Runs that fail are
// results; PL_CANCELLED: some were not run.
pl_status search_run(searching *k, int n, search_task *task);
// The overrides of a run, as texts in out, each ended by a zero byte; returns how many.
int search_overrides(const searching *k, const search_task *t, pl_text *out);

// ---- search_keep.c ------------------------------------------------------------------------------

pl_status search_write(const searching *k);
// Takes up what an earlier run has kept.
pl_status search_read(searching *k);
// Room for n designs.
pl_status search_grow(searching *k, int n);

// ---- search_mark.c ------------------------------------------------------------------------------

// Scales, marks, merits and the best of all designs.
void search_judge(searching *k);
search_mark search_mark_of(const searching *k, const outcome *o, const double *figure);
// Part of the runs of design i that succeed.
double search_part(const searching *k, int i);

// ---- search_page.c ------------------------------------------------------------------------------

pl_status search_report(searching *k, json_t *figures);

#endif
