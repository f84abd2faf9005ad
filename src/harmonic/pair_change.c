// Change of the balance of pairs with parameters, over the spans between their events. The events
// themselves move without effect; a slider also feels what left it where it is.
#include "pairs.h"

#include <string.h>

typedef struct change {
  pl_hb *hb;
  pl_directions *k;
  pl_state *s;
  pair x;
  const int *dof;
  int dir, group, elem;
  const span *at;
  double dw;     // change of the slider's place in the span
  double *force; // [ndof][L] coefficients of the change
  double *t;     // [L]
} change;

// the pair's unknowns at a phase, in the state
static pl_clock put_motion(change *c, double phase, double *q) {
  double v[PL_NDOF_MAX];
  pair_motion(&c->x, phase, q, v);
  for (int a = 0; a < c->x.ndof; a++) {
    if (c->dof[a] < 0) continue;
    c->s->q[c->dof[a]] = q[a];
    c->s->v[c->dof[a]] = c->x.omega * v[a];
  }
  return (pl_clock){.t = phase / c->x.omega, .omega = c->x.omega * c->hb->sub, .scale = 1};
}

static pl_status add_phase(void *ctx, double phase, double weight) {
  change *c = ctx;
  const pl_elem_kind *kind = c->x.kind;
  double q[PL_NDOF_MAX], rest[PL_NREST_MAX], df[PL_NDOF_MAX], d = 0, normal[PL_NDOF_MAX];
  int L = c->hb->f.L;
  pl_clock clock = put_motion(c, phase, q);
  pair_rest(&c->x, c->at, q, rest);
  PL_TRY(pl_directions_pair(c->k, c->hb->p, c->s, &clock, c->dir, c->group, c->elem,
                            kind->nhist ? rest : NULL, 0, df));
  if (c->dw != 0) {
    kind->stretch(q, rest, &d, normal);
    for (int a = 0; a < c->x.ndof; a++) df[a] -= c->x.par[0] * normal[a] * c->dw;
  }
  pairs_basis(phase, weight, c->hb->f.H, c->t);
  for (int a = 0; a < c->x.ndof; a++)
    for (int l = 0; l < L; l++) c->force[a * L + l] += df[a] * c->t[l];
  return PL_OK;
}

// coefficients of the change of one pair's force by one direction
static pl_status change_pair(change *c) {
  memset(c->force, 0, (size_t)(c->x.ndof * c->hb->f.L) * sizeof *c->force);
  for (int i = 0; i < c->x.nspan; i++) {
    double q[PL_NDOF_MAX];
    c->at = &c->x.span[i];
    c->dw = 0;
    if (c->x.kind->slider.d && !c->at->slip && c->at->since >= 0) {
      pl_clock clock = put_motion(c, c->at->since, q);
      PL_TRY(pl_directions_pair(c->k, c->hb->p, c->s, &clock, c->dir, c->group, c->elem, NULL,
                                c->at->side, &c->dw));
    }
    PL_TRY(pairs_integrate(c->hb, c->at, add_phase, c));
  }
  return PL_OK;
}

// to the free unknowns: out += by force, or y . force
static double scatter(const change *c, double by, const double *y, double *out) {
  size_t L = (size_t)c->hb->f.L;
  double sum = 0;
  for (int a = 0; a < c->x.ndof; a++) {
    int i = c->dof[a] < 0 ? -1 : c->hb->free_index[c->dof[a]];
    for (size_t l = 0; i >= 0 && l < L; l++) {
      double f = c->force[(size_t)a * L + l];
      if (y)
        sum += y[(size_t)i * L + l] * f;
      else
        out[(size_t)i * L + l] += by * f;
    }
  }
  return sum;
}

static pl_status change_direction(change *c, double by, const double *y, double *out) {
  const int *list;
  int n = pl_directions_elements(c->k, c->dir, &list);
  for (int j = 0; j < n; j++) {
    c->group = list[2 * j];
    c->elem = list[2 * j + 1];
    const pl_elem_kind *kind = pl_model_group_kind(c->hb->m, c->group);
    if (!kind->stretch) continue;
    c->dof = pl_model_group_dofs(c->hb->m, c->group) + c->elem * kind->ndof;
    if (pairs_load(c->hb, c->group, c->elem, c->dof, &c->x)) return PL_DOMAIN;
    PL_TRY(change_pair(c));
    double dot = scatter(c, by, y, out);
    if (y) out[c->dir] += dot;
  }
  return PL_OK;
}

pl_status pairs_change(pl_hb *hb, pl_directions *k, const pl_orbit *o, const double *dp,
                       const double *y, double *out) {
  change c = {.hb = hb, .k = k};
  size_t L = (size_t)hb->f.L;
  memcpy(hb->zfull, o->z, (size_t)hb->n * sizeof(double));
  hb->omega = o->omega;
  c.force = pl_alloc(hb->env, PL_NDOF_MAX * L, sizeof(double));
  c.t = pl_alloc(hb->env, L, sizeof(double));
  pl_status s = c.force && c.t ? pl_state_create(hb->m, hb->p, &c.s) : PL_E_NOMEM;
  if (s == PL_OK) s = pair_open(hb->env, PL_NDOF_MAX, 2 * hb->f.H, hb->f.N, &c.x);
  for (c.dir = 0; s == PL_OK && c.dir < pl_directions_count(k); c.dir++)
    if (!dp || dp[c.dir] != 0) s = change_direction(&c, dp ? dp[c.dir] : 1, y, out);
  pair_close(hb->env, &c.x);
  if (c.s) pl_state_free(hb->m, c.s);
  pl_free(hb->env, c.force);
  pl_free(hb->env, c.t);
  return s;
}
