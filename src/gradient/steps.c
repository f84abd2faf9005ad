// Derivatives along the steps of a motion.
#include "gradient_impl.h"

#include "pliant/math.h"

#include <string.h>

pl_status pl_gradient_accelerate(pl_gradient *g, const pl_state *s, const pl_clock *c,
                                 pl_mass_solve_fn solve, void *ctx) {
  struct gradient_impl *k = g->impl;
  int nfree = pl_model_nfree(g->m);
  const int *dof = pl_model_free_dofs(g->m);
  memset(g->a, 0, (size_t)g->n * (size_t)g->nq * sizeof *g->a);
  PL_TRY(gradient_force(g, s, c, 1, k->out));
  for (int i = 0; i < g->n; i++) {
    size_t at = (size_t)i * (size_t)g->nq;
    for (int j = 0; j < nfree; j++) k->rhs[j] = -k->out[at + (size_t)dof[j]];
    PL_TRY(solve(ctx, k->rhs, k->x));
    for (int j = 0; j < nfree; j++) g->a[at + (size_t)dof[j]] = k->x[j];
  }
  return PL_OK;
}

// the state that the rule makes of accelerations 0 at the end of the step; it is linear
static void predict(pl_gradient *g, const pl_rule *u) {
  struct gradient_impl *k = g->impl;
  double h = u->h, c2 = u->kind == PL_RULE_BDF2 ? u->rho * u->rho / (1 + u->rho) : 0;
  for (size_t i = 0; i < (size_t)g->n * (size_t)g->nq; i++) {
    double q = g->q[i], v = g->v[i], a = g->a[i];
    k->q0[i] = q;
    k->v0[i] = v;
    if (u->kind == PL_RULE_NEWMARK) {
      g->q[i] = q + h * v + h * h * (0.5 - u->beta) * a;
      g->v[i] = v + h * (1 - u->gamma) * a;
    } else if (u->kind == PL_RULE_EULER) {
      g->q[i] = q + h * v;
    } else {
      g->v[i] = v + c2 * (v - k->v1[i]) / u->c0;
      g->q[i] = q + (h * g->v[i] + c2 * (q - k->q1[i])) / u->c0;
    }
    g->a[i] = 0;
  }
}

pl_status pl_gradient_step(pl_gradient *g, const pl_rule *u, const pl_state *x, const pl_clock *c) {
  struct gradient_impl *k = g->impl;
  const pl_coef coef = {.m = u->da, .d = u->dv, .k = 1};
  const tangent t = {.s = x, .coef = &coef, .dynamic = 1};
  int nfree = pl_model_nfree(g->m);
  const int *dof = pl_model_free_dofs(g->m);
  predict(g, u);
  PL_TRY(gradient_force(g, x, c, 1, k->out));
  PL_TRY(gradient_factor(g, x, c, &coef, 1));
  for (int i = 0; i < g->n; i++) {
    size_t at = (size_t)i * (size_t)g->nq;
    for (int j = 0; j < nfree; j++) k->rhs[j] = -k->out[at + (size_t)dof[j]];
    PL_TRY(gradient_solve(g, &t, k->rhs, k->x));
    for (int j = 0; j < nfree; j++) {
      size_t to = at + (size_t)dof[j];
      g->q[to] += k->x[j];
      g->v[to] += u->dv * k->x[j];
      g->a[to] += u->da * k->x[j];
    }
  }
  double *old[2] = {k->q1, k->v1};
  k->q1 = k->q0;
  k->v1 = k->v0;
  k->q0 = old[0];
  k->v0 = old[1];
  return PL_OK;
}

pl_status pl_gradient_commit(pl_gradient *g, const pl_state *x, const pl_clock *c) {
  for (int i = 0; g->impl->beside && i < g->n; i++) memory_commit(g, x, c, i);
  return PL_OK;
}

pl_status pl_gradient_mark(pl_gradient *g) {
  struct gradient_impl *k = g->impl;
  size_t all = (size_t)g->n * (size_t)g->nq;
  if (!k->kept) k->kept = pl_alloc(g->env, 2 * all, sizeof *k->kept);
  if (!k->kept) return PL_E_NOMEM;
  memcpy(k->kept, g->q, all * sizeof *k->kept);
  memcpy(k->kept + all, g->v, all * sizeof *k->kept);
  return PL_OK;
}

void pl_gradient_back(pl_gradient *g, const int *keep) {
  const double *q = g->impl->kept, *v = q + (size_t)g->n * (size_t)g->nq;
  for (size_t i = 0; i < (size_t)g->n * (size_t)g->nq; i++) {
    if (keep[i % (size_t)g->nq]) continue;
    g->q[i] = q[i];
    g->v[i] = v[i];
  }
}
