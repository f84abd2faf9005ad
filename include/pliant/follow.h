#ifndef PLIANT_FOLLOW_H
#define PLIANT_FOLLOW_H

#include "pliant/gradient.h"
#include "pliant/linkage.h"
#include "pliant/solve.h"

PL_DECLS_BEGIN

// The same with derivatives by parameters, of the steps as they are taken: g holds those of the
// start (pl_gradient_rest, pl_gradient_start) and, whenever the observer is called and at the end,
// those of s. A factorisation more a step, and a solution a direction. PL_E_INPUT: contact, steps
// that adapt or free rigid bodies; it cannot be gone on with.
pl_status pl_transient_gradient(const pl_transient_opts *o, const pl_model *m, const pl_params *p,
                                pl_gradient *g, pl_state *s, pl_work *w, pl_observe_fn observe,
                                void *ctx, pl_transient_info *info);

PL_DECLS_END

#endif
