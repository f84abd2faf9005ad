#ifndef JOB_GRADIENTS_H
#define JOB_GRADIENTS_H

#include "job_impl.h"

// Derivatives of the results of an analysis by the parameters that it asks for (gradients).
typedef struct job_gradients {
  job *j;
  const pl_analysis *a;
  int n;                      // parameters; 0: nothing is asked for, and nothing done
  const pl_variable *var;     // [n]
  pl_gradient *g;             // of states; NULL: of a periodic motion
  double *by, *force;         // [n]; [n][nq]
  pl_table *history, *values; // over time: derivatives of watched places; places and rates
  double *row;
  json_t *all;
  pl_text csv;
  grid shown;
  double least;   // results below it are rounding, and no per cent of them are told
  int nrow, left; // rows of the page's table, and those that have no room
} job_gradients;

// What the analysis says that has no derivatives is refused (PL_E_INPUT).
pl_status gradients_open(job *j, const pl_analysis *a, job_gradients *t);
void gradients_close(job_gradients *t);

// Static: a load step, and the end with its figures.
pl_status gradients_step(job_gradients *t, const pl_state *s, const pl_clock *c);
pl_status gradients_static(job_gradients *t, const pl_state *s, const pl_clock *c, json_t *figures);

// Transient: the start, every row of its table, and the end.
pl_status gradients_begin(job_gradients *t, const pl_state *s, const pl_clock *c);
pl_status gradients_row(job_gradients *t, const pl_state *s);
// from: time from which on the figures have ranges; range: their name there.
pl_status gradients_transient(job_gradients *t, const pl_state *s, const pl_clock *c, double from,
                              const char *range, json_t *figures);

// Periodic: all of it.
pl_status gradients_periodic(job_gradients *t, const pl_orbit *o, int samples, json_t *figures);

// One number, named as in the figures, with its derivatives by[n] in SI.
void gradients_tell(job_gradients *t, const char *name, const char *unit, double value,
                    const double *by);
// The figure, the file and the table on the page.
pl_status gradients_end(job_gradients *t, json_t *figures);

// Name, SI unit and value of a parameter.
const char *gradients_name(const job_gradients *t, int k);
double gradients_value(const job_gradients *t, int k);
// Name of a support or drive as figures have it; returns buf.
const char *job_reaction_name(const job *j, int drive, char *buf, size_t size);

#endif
