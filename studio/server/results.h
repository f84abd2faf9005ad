#ifndef STUDIO_RESULTS_H
#define STUDIO_RESULTS_H

#include "runs.h"

// A result folder that is read.
typedef struct reading {
  studio *s;
  job *r;
  pl_env env;
  const char *path; // of the folder, below the studio's
  const json_t *summary;
  int nvert;   // of its model, -1: there is none
  int missing; // files that the summary names and that are gone
} reading;

// Reads a file of the folder; 0: it is not there. The caller frees *data.
int results_file(reading *k, const char *name, char **data, size_t *n);
// The frames that NAME.pvd lists, as a film, or as one period of a motion.
void results_motion(reading *k, const char *analysis, const char *name, int periodic);
// The shape in NAME.vtu, and the mode about it where there is one; title may be empty.
void results_shape(reading *k, const char *name, const char *title);
// Plots of what a table tells, for an analysis of this kind.
void results_plots(reading *k, const char *analysis, const char *kind, const char *name,
                   const pl_table *t);

#endif
