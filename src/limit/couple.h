#ifndef LIMIT_COUPLE_H
#define LIMIT_COUPLE_H

#include "limit_impl.h"

// Equations of motion, limits and barriers in one program: the implicit solve of a time step with
// the cones inside of its Newton iteration.
typedef struct couple couple;
// The sheet is over all nodes of the model; it may have no limits.
pl_status couple_create(const pl_project_opts *o, const pl_model *m, const pl_params *p, pl_work *w,
                        pl_sheet *s, couple **out);
void couple_free(couple *k);
// Forces out of balance over those in play, and the gap likewise, at which solves end; that of the
// options unless it is changed.
void couple_tolerance(couple *k, double tol);
// lift 1: contacts that slide rise by mu times the way, which makes the program convex and easier.
// Where nothing moves any more both laws are Coulomb's.
void couple_lift(couple *k, int lift);
// r(q, v, a) and the forces of limits and barriers balance in the free unknowns at clock->t, with
// v = dv q + vc, a = da q + ac (dv >= 0, da > 0). x is the start and the result with its rates;
// drives are set. Forces of barriers are in units of da: N s^2. warm as for pl_project. There is no
// certificate: the energy need not be convex; distance and rms are NaN. PL_UNSOLVED: not found.
pl_status couple_solve(couple *k, const pl_clock *clock, double dv, double da, const double *vc,
                       const double *ac, int nbarrier, pl_contact_row *barrier,
                       pl_warm_start *warm_start, pl_state *x, pl_project_info *info);

#endif
