#include "model_impl.h"

#include <string.h>

typedef struct tour {
  const pl_model *m;
  const pl_params *p;
  pl_work *w;
  pl_element_fn fn;
  void *ctx;
} tour;

static void run_block(void *ctx, int b, int thread) {
  const tour *t = ctx;
  const block *blk = &t->m->block[b];
  const group *g = &t->m->group[blk->group];
  t->w->impl->bad[b] = 0;
  for (int e = blk->first; e < blk->first + blk->n; e++) {
    pl_element v = {.m = t->m,
                    .p = t->p,
                    .group = blk->group,
                    .elem = e,
                    .ndof = g->kind->ndof,
                    .dof = g->dof + (size_t)e * (size_t)g->kind->ndof};
    if (t->fn(t->ctx, &v, thread)) {
      t->w->impl->bad[b] = e + 1;
      return;
    }
  }
}

pl_status model_fault(const pl_model *m, pl_work *w) {
  for (int b = 0; b < m->nblock; b++)
    if (w->impl->bad[b]) {
      w->bad_group = m->block[b].group;
      w->bad_elem = w->impl->bad[b] - 1;
      return PL_DOMAIN;
    }
  return PL_OK;
}

pl_status pl_model_each_element(const pl_model *m, const pl_params *p, pl_work *w, pl_element_fn fn,
                                void *ctx) {
  tour t = {.m = m, .p = p, .w = w, .fn = fn, .ctx = ctx};
  model_each_block(m, w, m->few ? NULL : w->threads, 0, run_block, &t);
  return model_fault(m, w);
}

int pl_element_eval(const pl_element *e, const double *q, const double *v, double *f, double *K,
                    double *D) {
  const group *g = &e->m->group[e->group];
  const pl_elem_kind *k = g->kind;
  const double *par = group_par(g, e->p->par, e->elem);
  const double *rest = e->p->rest + g->rest0 + (size_t)e->elem * (size_t)k->nrest;
  double beta = v ? group_beta(g, e->p->par) : 0, own[PL_NDOF_MAX * PL_NDOF_MAX], W;
  int n = k->ndof, nn = n * n;
  double *H = K ? K : own;
  if (group_eval(g, q, par, rest, &W, f, K || D || beta != 0 ? H : NULL)) return 1;
  if (!v) return 0;
  if (D) memset(D, 0, (size_t)nn * sizeof(double));
  if (beta != 0) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) f[i] += beta * H[i * n + j] * v[j];
    if (D)
      for (int i = 0; i < nn; i++) D[i] = beta * H[i];
    double T[PL_NDOF_MAX * PL_NDOF_MAX];
    if (K) {
      if (pl_elem_third(k, q, v, par, rest, T) != PL_OK) return 1;
      for (int i = 0; i < nn; i++) K[i] += beta * T[i];
    }
  }
  if (!k->d.visc) return 0;
  double fv[PL_NDOF_MAX], C[PL_NDOF_MAX * PL_NDOF_MAX], S[PL_NDOF_MAX * PL_NDOF_MAX];
  if (k->d.visc(q, v, par, rest, fv, D ? C : NULL, K ? S : NULL)) return 1;
  for (int i = 0; i < n; i++) f[i] += fv[i];
  for (int i = 0; D && i < nn; i++) D[i] += C[i];
  for (int i = 0; K && i < nn; i++) K[i] += S[i];
  return 0;
}

void pl_element_mixed(const pl_element *e, const double *q, const double *q0, const double *dq,
                      double *K, double *D) {
  const group *g = &e->m->group[e->group];
  const pl_elem_kind *k = g->kind;
  if (!k->mixed) return;
  const double *par = group_par(g, e->p->par, e->elem);
  const double *rest = e->p->rest + g->rest0 + (size_t)e->elem * (size_t)k->nrest;
  double beta = group_beta(g, e->p->par), C[PL_NDOF_MAX * PL_NDOF_MAX];
  k->mixed(q, q0, dq, par, rest, C);
  for (int i = 0; i < k->ndof * k->ndof; i++) {
    K[i] += C[i];
    if (D) D[i] += beta * C[i];
  }
}
