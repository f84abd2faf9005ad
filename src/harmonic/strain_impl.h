#ifndef STRAIN_IMPL_H
#define STRAIN_IMPL_H

#include "pliant/harmonic.h"

// The state of some motion at a phase.
typedef void (*phase_state_fn)(const void *ctx, double phase, pl_state *s);
// pl_orbit_strain for any motion.
pl_status strain_over_period(const pl_model *m, const pl_params *p, pl_work *w, phase_state_fn at,
                             const void *ctx, int nsample, double *each, pl_strain *most);

#endif
