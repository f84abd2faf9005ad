#ifndef RUN_ORBIT_H
#define RUN_ORBIT_H

#include "job_impl.h"

// Nodes of the watches; returns their count (at most a->nwatch).
int orbit_nodes(const pl_analysis *a, int *node);
// Table of Fourier coefficients of the watched places: opened once, a row per harmonic and orbit.
pl_status orbit_harmonics_open(job *j, const pl_analysis *a, pl_table **out);
pl_status orbit_harmonics_add(job *j, const pl_analysis *a, const pl_orbit *o, int point,
                              pl_table *t);
// Watched places over one period.
pl_status orbit_period(job *j, const pl_analysis *a, const pl_orbit *o, pl_table **out);
// Motion as GLB, VTU/PVD and on the page.
pl_status orbit_show(job *j, const pl_orbit *o, const char *name, const char *title);
pl_status orbit_content_plot(job *j, const pl_table *harmonics, const char *name);
#endif
