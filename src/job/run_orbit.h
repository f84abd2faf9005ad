#ifndef RUN_ORBIT_H
#define RUN_ORBIT_H

#include "job_impl.h"

// Nodes of the probes; returns their count.
int orbit_nodes(const pl_analysis *a, int *node);
// Whether a probe has an axis, how many it has, and what is measured along them.
int probe_has(const pl_probe *w, int axis);
int probe_axes(const job *j, const pl_probe *w);
pl_measure probe_measure(const pl_probe *w, pl_measure_kind kind, int harmonic);
// What is measured, in words: "path length a period".
const char *measure_words(pl_measure_kind kind, int harmonic, char buf[48]);
// Name of the column of what is measured along an axis, or over all of them (path).
const char *probe_column(const pl_probe *w, const pl_measure *of, int axis, char buf[PL_TEXT]);
// Base frequency of the drives, rad/s; the motion may repeat after several of their periods.
double orbit_drive(const pl_orbit *o);
// Table of Fourier coefficients of the probed places: opened once, a row per harmonic and orbit.
pl_status orbit_harmonics_open(job *j, const pl_analysis *a, pl_table **out);
pl_status orbit_harmonics_add(job *j, const pl_analysis *a, const pl_orbit *o, int point,
                              pl_table *t);
// The leading Floquet multipliers of a curve, a row for each of every point; no rows where they
// were not asked for.
pl_status multipliers_table(job *j, const pl_curve *c, pl_table **out);
// Watched places over one period, at ORBIT_STEPS + 1 times.
enum { ORBIT_STEPS = 256 };
pl_status orbit_period(job *j, const pl_analysis *a, const pl_orbit *o, pl_table **out);
pl_status orbit_content_plot(job *j, const pl_table *harmonics, const char *name);

// Another motion beside the one of an analysis; both tables as of orbit_period.
typedef struct orbit_pair {
  const pl_table *full, *other;
  const char *suffix, *legend, *title, *caption;
  int colour; // of the other
} orbit_pair;
// Path of every probed place, or its one coordinate over time: the full motion solid, the other
// dashed.
pl_status orbit_pair_plots(job *j, const pl_analysis *a, const orbit_pair *p);

// ---- what a periodic motion is held against -----------------------------------------------------

// Distances of motions with fewer and more harmonics, and with fewer and more samples, from the
// finest ones.
pl_status convergence_study(job *j, const pl_analysis *a, const pl_orbit *o, int nsample,
                            json_t *figures);
// Newmark's method from the motion's state at phase zero until it is steady. stable: 1, 0, or -1
// when not known.
pl_status newmark_compare(job *j, const pl_analysis *a, const pl_orbit *o, int stable,
                          json_t *figures);

#endif
