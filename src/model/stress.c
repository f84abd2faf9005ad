// Stress, curvature and section forces of single elements.
#include "model_impl.h"

typedef struct element {
  double q[PL_NDOF_MAX], X[PL_NDOF_MAX], own[PL_NREST_MAX];
  const double *par, *rest;
} element;

// X: the natural shape
static const pl_elem_kind *store_array(const pl_model *m, const pl_params *p, const pl_state *s,
                                       int group_no, int e, element *x) {
  const group *g = &m->group[group_no];
  const pl_elem_kind *k = g->kind;
  const int *dof = g->dof + (size_t)e * (size_t)k->ndof;
  int at = group_grow(g, e);
  gather(k->ndof, dof, s->q, x->q);
  gather(k->ndof, dof, p->X, x->X);
  for (int i = 0; at >= 0 && i < k->nvert * k->vdim; i++) x->X[i] *= p->par[at];
  x->par = group_par(g, p->par, e);
  x->rest = group_rest(g, p, s, e, x->own);
  return k;
}

pl_status pl_eval_stress(const pl_model *m, const pl_params *p, const pl_state *s, int group_no,
                         int e, int n, const double *at, const double *more, pl_stress *out) {
  element x;
  const pl_elem_kind *k = store_array(m, p, s, group_no, e, &x);
  return k->stress(x.q, x.X, x.par, x.rest, n, at, more, out) ? PL_DOMAIN : PL_OK;
}

void pl_eval_curvature(const pl_model *m, const pl_params *p, const pl_state *s, int group_no,
                       int e, int side, const double *at, double *S) {
  element x;
  store_array(m, p, s, group_no, e, &x)->curvature(x.q, x.X, x.par, x.rest, side, at, S);
}

void pl_eval_section(const pl_model *m, const pl_params *p, const pl_state *s, int group_no, int e,
                     double *force) {
  element x;
  store_array(m, p, s, group_no, e, &x)->section(x.q, x.par, x.rest, force);
}
