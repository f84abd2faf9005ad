#ifndef PLIANT_CHANGES_H
#define PLIANT_CHANGES_H

#include "pliant/linkage.h"
#include "pliant/model.h"

PL_DECLS_BEGIN

// out[n][nq] = what changes dq, dv, da [n][nq] of the unknowns do to r at fixed parameters and
// history, exact; dv and da NULL: without inertia and damping. The unknowns that growth follows are
// left out. out is none of the others.
pl_status pl_eval_changes(const pl_model *m, const pl_params *p, const pl_state *s, int n,
                          const double *dq, const double *dv, const double *da, pl_work *w,
                          double *out);
// out[nq] += what a change dhist[nhist] of the history does to r.
pl_status pl_eval_history(const pl_model *m, const pl_params *p, const pl_state *s,
                          const double *dhist, double *out);
// 1: some tangent is not symmetric, by dashpots whose direction moves (dynamic) or by forces
// without a potential. y[nfree] += by (T - T')/2 x, T the tangent ck dr/dq + cd dr/dv of such
// elements, of which pl_eval has the symmetric part.
int pl_model_skew(const pl_model *m, int dynamic);
pl_status pl_eval_skew(const pl_model *m, const pl_params *p, const pl_state *s,
                       const pl_coef *coef, double by, const double *x, double *y);
// 1: some elements measure from anchors that move; *sliders: some slide, and remember where.
int pl_model_remembers(const pl_model *m, int *sliders);
// What direction i does to driven unknowns at a state: dq, dv, da [nq], 0 in the free ones.
void pl_directions_driven(pl_directions *k, int thread, const pl_params *p, const pl_state *s,
                          const pl_clock *c, int i, double *dq, double *dv, double *da);
// Adds what it does to reference coordinates to dX[nq]; moves values of p by `by` along it, which
// pl_params_update then follows; its largest change of a parameter over that parameter.
void pl_directions_places(const pl_directions *k, int i, double *dX);
void pl_directions_move(const pl_directions *k, int i, double by, pl_params *p);
double pl_directions_size(const pl_directions *k, int i, const pl_params *p);
// Change of the elastic energy by direction i, with changes dq[nq] of all unknowns and dhist of the
// history.
pl_status pl_directions_energy(pl_directions *k, const pl_params *p, const pl_state *s, int i,
                               const double *dq, const double *dhist, double *dW);

PL_DECLS_END

#endif
