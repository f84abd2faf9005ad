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

// What is computed at the samples' frequencies, as a CSV. number: of the measurement, from 0, for
// names of files.
pl_status measured_table(job *j, const pl_analysis *a, const pl_measured *m, int number, int n,
                         const laid *l);
// Amplitude (and phase) over frequency with samples and curves.
pl_status measured_plots(job *j, const pl_analysis *a, const pl_measured *m, int number, int n,
                         const laid *l);
// The unit that amplitudes are shown in: that of the run where they are lengths, otherwise that of
// the file. Returns one such unit in SI.
double measured_unit(job *j, const pl_measured *m, const char **name);
// The measured quantity of a sample and along a curve, in that unit; phases in degrees within half
// a turn of the middle of all samples.
double measured_middle(const pl_measured *m);
double measured_sample(job *j, const pl_measured *m, int i, int phases, double middle);
double measured_value(job *j, const pl_measured *m, const pl_orbit *o, int phases);
// 1: may stand in one figure; is the first of those that do.
int measured_alike(const pl_measured *a, const pl_measured *b);
int measured_first(const pl_analysis *a, const pl_measured *m);
// Compares a response with all that was measured; figures and tables.
pl_status measured_compare(job *j, const pl_analysis *a, const pl_curve *c, json_t *figures);

#endif
