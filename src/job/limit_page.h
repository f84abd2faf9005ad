#ifndef LIMIT_PAGE_H
#define LIMIT_PAGE_H

#include "job_impl.h"

// Figures of sheets with limits of stretch, each as an SVG file and on the page (job_figure).
// Limits, triangles and notes are those of j->scene; without limits, or without page and plots, the
// functions do nothing. `stem` begins the names of files: "drape" makes drape-strain.svg. q:
// positions of the model's nodes, pl_state's q; scenes have three dimensions.

// The part of the allowed strain that every triangle has used in its worst direction,
// used[sheet.ntri]: 1 at the limit, 0 where nothing is stretched, NaN without limit. stretch: from
// pl_sheet_stretch.
pl_status limit_page_used(const job *j, const double *stretch, double *used);

// The sheet coloured by that part: its shape at q, then laid out as it was at rest.
pl_status limit_page_strain(job *j, const pl_sheet *sheet, const double *q, double t,
                            const char *stem);

// One polar figure for every limit: the stretch that it allows over the direction, directions that
// were sampled, the curve that was given, and the largest stretch of any of its triangles at q.
// q may be NULL: the limits alone.
pl_status limit_page_polar(job *j, const pl_sheet *sheet, const double *q, const char *stem);

// A motion that was computed. Arrays have n values `stride` doubles apart (0: 1), so that they may
// point into pl_table_data; energies in J, works summed since the start as in pl_limit_step. What
// is NULL is left out; t, kinetic, elastic and outer are needed.
typedef struct limit_run {
  const char *method; // "reflect"
  double step;        // s
  int n, stride;
  const double *t; // s
  const double *kinetic, *elastic, *outer;
  const double *limiter, *contact, *damping, *driven, *loss;
  const pl_transient_info *info; // for the table; NULL: left out
} limit_run;

// Where the energy of one motion is: its parts over time, then the works that changed it.
pl_status limit_page_energy(job *j, const limit_run *run, const char *stem);

// Total energy of several motions from the same start, first run first: a figure of the methods
// that share its step, a figure of the steps that share its method, and a table of all. Nothing for
// fewer than two.
pl_status limit_page_compare(job *j, int nrun, const limit_run *run, const char *stem);

#endif
