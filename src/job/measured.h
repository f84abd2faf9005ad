#ifndef MEASURED_H
#define MEASURED_H

#include "job_impl.h"

// A computed response that is laid under samples.
typedef struct laid {
  const char *name; // in the legend
  const pl_curve *curve;
  const pl_frf_match *match; // NULL: not known
  int dashed, colour;
} laid;

// Amplitude (and phase) over frequency with samples and curves, as plots and as a CSV of what is
// computed at the samples' frequencies. number: of the measurement, from 0, for names of files.
pl_status measured_show(job *j, const pl_analysis *a, const pl_measured *m, int number, int n,
                        const laid *l);
// Compares a response with all that was measured; figures and plots.
pl_status measured_compare(job *j, const pl_analysis *a, const pl_curve *c, json_t *figures);

#endif
