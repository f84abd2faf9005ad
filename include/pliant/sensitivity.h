#ifndef PLIANT_SENSITIVITY_H
#define PLIANT_SENSITIVITY_H

#include "pliant/job.h"
#include "pliant/linkage.h"

PL_DECLS_BEGIN

// One-at-a-time changes of a scene's parameters: what each of them does to the figures of its
// analyses between two values, beside the exact derivatives where there are such.

typedef struct pl_sensitivity_opts {
  const char *folder; // for tables and a page, made when missing; NULL: no files
  const char *only;   // figures of this analysis; NULL: of all
  double step;        // values are changed by this part of them, within bounds; 0: to their bounds,
                      // those without bounds by a tenth
  int nparameter;     // 0: all that the scene writes
  const char *const *parameter;
  int nfigure; // figures whose names begin so, e.g. "static.displacement_m"; 0: see below
  const char *const *figure;
  int threads; // of each run; 0: as many as there are processors
} pl_sensitivity_opts;
// Without names: figures that have derivatives and, of analyses that have none, all numbers of
// results that change.

typedef struct pl_sensitivity_parameter {
  const char *name, *unit;          // as the scene writes it
  double factor;                    // one such unit in SI
  double low, base, high;           // in that unit
  char why_low[160], why_high[160]; // why a run gave no figures; "": it did
} pl_sensitivity_parameter;

typedef struct pl_sensitivity_effect {
  double low, high; // of the figure; NaN: the run did not tell it
  double slope;     // between them, for one unit of the parameter
  double gradient;  // exact, at the scene's own values; NaN: there is none
} pl_sensitivity_effect;

typedef struct pl_sensitivity {
  pl_env *env;
  int nparameter, nfigure, nfailed; // runs that failed
  pl_sensitivity_parameter *parameter;
  char **figure;                        // [nfigure] ANALYSIS.FIGURE
  double *base;                         // [nfigure]
  pl_sensitivity_effect *effect;        // [nfigure][nparameter]
  char report[PL_TEXT], table[PL_TEXT]; // paths of files, "" when not written
} pl_sensitivity;

// Runs the scene 2 n + 1 times, and once more for derivatives. PL_UNSOLVED: some runs failed;
// PL_CANCELLED: it was stopped; what there is stands in *out then, too, and in the files. PL_E_ARG:
// a name is not understood, or nothing can be changed.
pl_status pl_sensitivity_run(pl_env *env, const pl_scene *scene, const pl_sensitivity_opts *o,
                             pl_sensitivity **out);
void pl_sensitivity_free(pl_sensitivity *s);
// Parameters in the order of what they do to a figure, the largest first: order[nparameter].
void pl_sensitivity_order(const pl_sensitivity *s, int figure, int *order);

PL_DECLS_END

#endif
