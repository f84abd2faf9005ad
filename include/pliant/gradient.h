#ifndef PLIANT_GRADIENT_H
#define PLIANT_GRADIENT_H

#include "pliant/linkage.h"
#include "pliant/model.h"

PL_DECLS_BEGIN

// Derivatives of equilibria and motions by parameters, exact for the equations as they are solved:
// differences of runs with fixed steps agree with them to rounding.

// Derivatives of a state by directions of change (pl_direction: a design parameter, damping, ...).
typedef struct pl_gradient {
  pl_env *env;
  const pl_model *m;
  const pl_params *p;
  int n, nq, nhist;
  double *q, *v, *a; // [n][nq]
  double *hist;      // [n][nhist]
  struct gradient_impl *impl;
} pl_gradient;

// All zero. m and p must outlive it. nthread: of its own scratch. PL_E_INPUT: some elements (limits
// of stretch) have no derivatives.
pl_status pl_gradient_create(pl_env *env, const pl_model *m, const pl_params *p, int nthread, int n,
                             const pl_direction *dir, pl_gradient **out);
void pl_gradient_free(pl_gradient *g);
// Those of the state at rest, q = X, or of the start of an analysis given by its places.
void pl_gradient_rest(pl_gradient *g, const pl_state *s);

// ---- equilibria ---------------------------------------------------------------------------------

// 1: sliders remember the way, so that every load step is to be told in its turn; 0: the end alone
// counts.
int pl_gradient_follows(const pl_gradient *g);
// Those of the equilibrium s under the loads of c: K dq = -dR/dp, one factorisation and a solution
// a direction. Scalars of q are measured from the anchors of the reference shape. PL_SINGULAR: the
// equilibrium does not hang together with its parameters in one way, as at a limit point.
pl_status pl_gradient_equilibrium(pl_gradient *g, const pl_state *s, const pl_clock *c);
// The same for a motion that starts from s, whose anchors are followed. PL_E_INPUT: parameters move
// places of rods, whose anchors have moved.
pl_status pl_gradient_start(pl_gradient *g, const pl_state *s, const pl_clock *c);
// The gradient of one number by all directions: by[nq] is its derivative by the places of s, an
// equilibrium; out[n] += by what follows. One solution whatever their number.
pl_status pl_gradient_adjoint(pl_gradient *g, const pl_state *s, const pl_clock *c,
                              const double *by, double *out);

// ---- motions ------------------------------------------------------------------------------------

// A step of an implicit method. Newmark: v = v0 + h (1 - gamma) a0 + h gamma a and
// q = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta a); Euler: v = v0 + h a, q = q0 + h v; BDF2 with
// rho = h over the step before: c0 q = h v + (1 + rho) q0 - rho^2/(1 + rho) q1, and v likewise.
typedef enum pl_rule_kind { PL_RULE_NEWMARK, PL_RULE_EULER, PL_RULE_BDF2 } pl_rule_kind;
typedef struct pl_rule {
  pl_rule_kind kind;
  double h, beta, gamma, rho, c0;
  double dv, da; // dv/dq and da/dq within the step
} pl_rule;

// Accelerations at the start: solve gives x[nfree] of M x = b, as the motion has it.
typedef pl_status (*pl_mass_solve_fn)(void *ctx, const double *b, double *x);
pl_status pl_gradient_accelerate(pl_gradient *g, const pl_state *s, const pl_clock *c,
                                 pl_mass_solve_fn solve, void *ctx);
// A step to x, as it was solved, before anchors move.
pl_status pl_gradient_step(pl_gradient *g, const pl_rule *u, const pl_state *x, const pl_clock *c);
// Then anchors and sliders of x move.
pl_status pl_gradient_commit(pl_gradient *g, const pl_state *x, const pl_clock *c);
// The steps so far go back to where they began, but for unknowns with 1 in keep[nq].
pl_status pl_gradient_mark(pl_gradient *g);
void pl_gradient_back(pl_gradient *g, const int *keep);

// ---- what follows from them ---------------------------------------------------------------------

// out[n][nq] = dr/dp of all forces at s, reactions in the driven unknowns. s NULL: at the last
// equilibrium; else a motion's.
pl_status pl_gradient_forces(pl_gradient *g, const pl_state *s, const pl_clock *c, double *out);
// out[n] = dW/dp of the elastic energy; s as above.
pl_status pl_gradient_energy(pl_gradient *g, const pl_state *s, double *out);

PL_DECLS_END

#endif
