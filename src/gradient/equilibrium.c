// Derivatives of equilibria.
#include "gradient_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

static const double SAME = 1e-6; // of the forces: a state that is measured anew is in balance, too

int pl_gradient_follows(const pl_gradient *g) {
  return g->impl->sliders;
}

// forces out of balance at x over those of elements
static double imbalance(pl_gradient *g, const pl_state *x, const pl_clock *c) {
  pl_work *w = g->impl->w;
  const int *index = pl_model_free_index(g->m);
  double most = 0, force = 0;
  if (pl_eval(g->m, g->p, x, c, PL_WANT_FORCE, NULL, w) != PL_OK) return INFINITY;
  for (int i = 0; i < g->nq; i++) {
    force = fmax(force, fmax(fabs(w->f_inner[i]), fabs(w->f_inner[i] - w->r[i])));
    if (index[i] >= 0) most = fmax(most, fabs(w->r[i]));
  }
  return force > 0 ? most / force : 0;
}

// The state without rates. Its scalars are measured from the anchors of the reference shape, which
// follow its parameters, where those reach as far.
static pl_status measure(pl_gradient *g, const pl_state *s, const pl_clock *c, int anew) {
  pl_state *x = g->impl->at;
  // of sliders the load step's begin counts
  if (!g->impl->sliders) memcpy(x->hist, s->hist, (size_t)s->nhist * sizeof *s->hist);
  memcpy(x->q, s->q, (size_t)g->nq * sizeof *x->q);
  memset(x->v, 0, 2 * (size_t)g->nq * sizeof *x->v);
  x->t = s->t;
  x->anchoring = s->anchoring;
  if (!anew || s->anchoring != PL_ANCHORS_CHANGED) return PL_OK;
  PL_TRY(pl_state_unwound(g->m, g->p, s, x->q));
  x->anchoring = PL_ANCHORS_REFERENCE;
  pl_drive(g->m, g->p, c, x);
  double before = imbalance(g, s, c);
  if (imbalance(g, x, c) <= fmax(SAME, 10 * before)) return PL_OK;
  pl_state_copy(x, s);
  memset(x->v, 0, 2 * (size_t)g->nq * sizeof *x->v);
  return PL_OK;
}

static void clear_free(pl_gradient *g) {
  size_t all = (size_t)g->n * (size_t)g->nq * sizeof(double);
  memset(g->q, 0, all);
  memset(g->v, 0, all);
  memset(g->a, 0, all);
}

static pl_status solve(pl_gradient *g, const pl_clock *c) {
  struct gradient_impl *k = g->impl;
  static const pl_coef coef = {.k = 1};
  const tangent t = {.s = k->at, .coef = &coef};
  int nfree = pl_model_nfree(g->m);
  const int *dof = pl_model_free_dofs(g->m);
  clear_free(g);
  PL_TRY(gradient_force(g, k->at, c, 0, k->out));
  PL_TRY(gradient_factor(g, k->at, c, &coef, 0));
  for (int i = 0; i < g->n; i++) {
    double *out = k->out + (size_t)i * (size_t)g->nq, *q = g->q + (size_t)i * (size_t)g->nq;
    for (int j = 0; j < nfree; j++) k->rhs[j] = -out[dof[j]];
    PL_TRY(gradient_solve(g, &t, k->rhs, k->x));
    for (int j = 0; j < nfree; j++) q[dof[j]] = k->x[j];
  }
  return PL_OK;
}

pl_status pl_gradient_equilibrium(pl_gradient *g, const pl_state *s, const pl_clock *c) {
  struct gradient_impl *k = g->impl;
  if (k->sliders && k->anchors)
    return pl_fail_at(g->env, PL_E_INPUT, NULL, 0, 0, "leave gradients out",
                      "gradients: an equilibrium of rods with dry friction (jenkins) has none");
  PL_TRY(measure(g, s, c, 1));
  if (!k->sliders) memset(g->hist, 0, (size_t)g->n * (size_t)g->nhist * sizeof(double));
  PL_TRY(solve(g, c));
  if (!k->sliders) return PL_OK;
  PL_TRY(pl_gradient_commit(g, k->at, c));
  pl_commit(g->m, g->p, k->at);
  return PL_OK;
}

// some direction moves places
static int moves_places(const pl_gradient *g) {
  double *X = g->impl->tmp;
  memset(X, 0, (size_t)g->nq * sizeof *X);
  for (int i = 0; i < g->n; i++) pl_directions_places(g->impl->directions, i, X);
  return pl_max_abs(g->nq, X) > 0;
}

pl_status pl_gradient_start(pl_gradient *g, const pl_state *s, const pl_clock *c) {
  struct gradient_impl *k = g->impl;
  int moved = k->anchors && s->anchoring == PL_ANCHORS_CHANGED;
  if (k->sliders || (moved && moves_places(g)))
    return pl_fail_at(g->env, PL_E_INPUT, NULL, 0, 0,
                      "let the motion begin at rest, or take gradients by other parameters",
                      k->sliders ? "gradients: a motion from an equilibrium with dry friction has "
                                   "none"
                                 : "gradients: a motion of rods from an equilibrium has none by "
                                   "parameters that move their places");
  memset(g->hist, 0, (size_t)g->n * (size_t)g->nhist * sizeof(double));
  PL_TRY(measure(g, s, c, 0));
  PL_TRY(solve(g, c));
  return moved ? pl_gradient_commit(g, s, c) : PL_OK;
}

pl_status pl_gradient_adjoint(pl_gradient *g, const pl_state *s, const pl_clock *c,
                              const double *by, double *out) {
  struct gradient_impl *k = g->impl;
  static const pl_coef coef = {.k = 1};
  const tangent t = {.s = k->at, .coef = &coef, .transposed = 1};
  int nfree = pl_model_nfree(g->m);
  const int *dof = pl_model_free_dofs(g->m), *index = pl_model_free_index(g->m);
  if (k->sliders)
    return pl_fail_at(g->env, PL_E_INPUT, NULL, 0, 0, "use pl_gradient_equilibrium at every step",
                      "gradients: an equilibrium with dry friction depends on its way");
  PL_TRY(measure(g, s, c, 1));
  PL_TRY(gradient_factor(g, k->at, c, &coef, 0));
  for (int j = 0; j < nfree; j++) k->rhs[j] = by[dof[j]];
  PL_TRY(gradient_solve(g, &t, k->rhs, k->x));
  memset(k->out, 0, (size_t)g->nq * sizeof *k->out);
  for (int j = 0; j < nfree; j++) k->out[dof[j]] = -k->x[j];
  PL_TRY(pl_directions_dot(k->directions, 0, g->p, k->at, c, k->out, out));
  // what drives do to the number itself
  for (int i = 0; i < g->n; i++) {
    pl_directions_driven(k->directions, 0, g->p, k->at, c, i, k->dq, k->dv, k->da);
    for (int j = 0; j < g->nq; j++)
      if (index[j] < 0) out[i] += by[j] * k->dq[j];
  }
  return PL_OK;
}
