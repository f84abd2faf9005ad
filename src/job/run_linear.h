#ifndef RUN_LINEAR_H
#define RUN_LINEAR_H

#include "run_orbit.h"

// figures[key], key_group, key_element: the largest strain, when any element tells one.
void strain_set(const job *j, json_t *figures, const char *key, const pl_strain *s);

// The linear response over a range, as a table of frequency_Hz, omega_rad_s and the amplitudes of
// probed nodes, finer about resonances; and the largest strain at its largest motion.
pl_status linear_curve(job *j, const pl_analysis *a, double from, double to, pl_table **out,
                       pl_strain *strain, double *strain_omega);
// The linear motion beside a periodic one: files, plots and strains.
pl_status linear_compare(job *j, const pl_analysis *a, const pl_orbit *o, json_t *figures);

#endif
