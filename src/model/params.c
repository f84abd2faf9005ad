#include "model_impl.h"

#include <complex.h>
#include <math.h>
#include <string.h>

// sums rows and columns of an unknown that an element names twice into its first place
static void join_twins(int n, const int *twin, double *H) {
  for (int i = 0; i < n; i++) {
    if (twin[i] < 0) continue;
    for (int j = 0; j < n; j++) H[twin[i] * n + j] += H[i * n + j];
    for (int j = 0; j < n; j++) H[j * n + twin[i]] += H[j * n + i];
  }
}

static pl_status update_group(const pl_model *m, pl_params *p, const group *g, int *bad) {
  const pl_elem_kind *k = g->kind;
  double X[PL_NDOF_MAX], M[PL_NDOF_MAX * PL_NDOF_MAX], plain[PL_NREST_MAX];
  size_t per = (size_t)k->ndof * ((size_t)k->ndof + 1) / 2;
  for (int e = 0; e < g->nelem; e++) {
    *bad = e;
    double *rest = p->rest + g->rest0 + (size_t)e * (size_t)k->nrest;
    gather(k->ndof, g->dof + e * k->ndof, p->X, X);
    int at = group_grow(g, e);
    // the mass is that of the reference shape
    const double *weighed = at < 0 ? rest : plain;
    if (at >= 0 && k->d.mass && k->d.prepare && k->d.prepare(X, plain)) return PL_DOMAIN;
    for (int i = 0; at >= 0 && i < k->nvert * k->vdim; i++) X[i] *= p->par[at];
    if (k->d.prepare && k->d.prepare(X, rest)) return PL_DOMAIN;
    if (!k->d.mass) continue;
    if (k->d.mass(group_par(g, p->par, e), weighed, g->lumped, M)) return PL_DOMAIN;
    if (g->twin) join_twins(k->ndof, g->twin + e * k->ndof, M);
    const int *slot = m->mslot + g->mslot0 + (size_t)e * per;
    for (int i = 0; i < k->ndof; i++)
      for (int j = 0; j <= i; j++) p->M.val[*slot++] += M[i * k->ndof + j];
  }
  return PL_OK;
}

const double *grown_rest(const group *g, const pl_params *p, const pl_state *s, int e,
                         const double *rest, double *own) {
  const pl_elem_kind *k = g->kind;
  double X[PL_NDOF_MAX], grow = 1 + (p->par[group_grow(g, e)] - 1) * s->q[g->grow_by];
  if (!(grow > 0)) return rest;
  gather(k->ndof, g->dof + e * k->ndof, p->X, X);
  for (int i = 0; i < k->nvert * k->vdim; i++) X[i] *= grow;
  return !k->d.prepare || k->d.prepare(X, own) ? rest : own;
}

double growth_force(const group *g, const pl_params *p, const pl_state *s, int e, const double *q,
                    const double *par, const double *rest) {
  const pl_elem_kind *k = g->kind;
  double X[PL_NDOF_MAX], slope = p->par[group_grow(g, e)] - 1, grow = 1 + slope * s->q[g->grow_by];
  double complex zX[PL_NDOF_MAX], zq[PL_NDOF_MAX], zpar[PL_NPAR_MAX], zrest[PL_NREST_MAX], W;
  static const double STEP = 1e-30; // of a complex step
  if (!(grow > 0)) return 0;
  gather(k->ndof, g->dof + e * k->ndof, p->X, X);
  for (int i = 0; i < k->ndof; i++) {
    zX[i] = X[i] * (i < k->nvert * k->vdim ? grow + STEP * I : 1);
    zq[i] = q[i];
  }
  for (int i = 0; i < k->npar; i++) zpar[i] = par[i];
  if (!k->z.prepare || k->z.prepare(zX, zrest)) return 0;
  // anchors do not follow
  for (int i = 0; i < k->nhist; i++) zrest[i] = rest[i];
  return k->z.eval(zq, zpar, zrest, &W, NULL, NULL) ? 0 : slope * cimag(W) / STEP;
}

// which element is at fault after PL_DOMAIN
static pl_status update(const pl_model *m, pl_params *p, int *group_bad, int *elem_bad) {
  memset(p->M.val, 0, ((size_t)p->M.nnz + 1) * sizeof(double));
  for (int k = 0; k < m->ngroup; k++) {
    *group_bad = k;
    PL_TRY(update_group(m, p, &m->group[k], elem_bad));
  }
  return PL_OK;
}

pl_status pl_params_update(const pl_model *m, pl_params *p) {
  int group_bad, elem_bad;
  return update(m, p, &group_bad, &elem_bad);
}

double pl_params_growth(const pl_model *m, const pl_params *p) {
  double most = 0;
  for (int k = 0; k < m->ngroup; k++) {
    const group *g = &m->group[k];
    for (int e = 0; g->grow0 >= 0 && g->grow_by < 0 && e < g->nelem; e++)
      most = fmax(most, fabs(p->par[group_grow(g, e)] - 1));
  }
  return most;
}

pl_status pl_params_grow(const pl_model *m, const pl_params *p, double share, pl_params *to) {
  for (int k = 0; k < m->ngroup; k++) {
    const group *g = &m->group[k];
    for (int e = 0; g->grow0 >= 0 && g->grow_by < 0 && e < g->nelem; e++) {
      int at = group_grow(g, e);
      to->par[at] = 1 + share * (p->par[at] - 1);
    }
  }
  return pl_params_update(m, to);
}

pl_status pl_params_set_design(const pl_model *m, pl_params *p, const double *design) {
  memcpy(p->par, m->par0, (size_t)m->npar * sizeof(double));
  memcpy(p->X, m->X0, (size_t)m->nq * sizeof(double));
  for (int k = 0; k < m->ndesign; k++) {
    const pl_design_desc *d = &m->design[k];
    p->design[k] = design[k];
    for (int t = 0; t < d->ntarget; t++) {
      double *at = (d->target[t].on_ref ? p->X : p->par) + d->target[t].index;
      *at += d->target[t].coef * (design[k] - d->value);
    }
  }
  return pl_params_update(m, p);
}

// the value of a parameter without losses: no dashpots, no forces of rates, sliders that stick; -1:
// as it is
static double lossless(const pl_elem_kind *k, const pl_option *par) {
  if (strncmp(par->name, "damping", 7) == 0) return 0;
  if (k->on_rate && (strcmp(par->name, "limit") == 0 || strcmp(par->name, "factor") == 0)) return 0;
  return k->slider.d && strcmp(par->name, "limit") == 0 ? par->hi : -1;
}

void pl_params_undamp(const pl_model *m, pl_params *p) {
  p->par[PL_PAR_ALPHA] = p->par[PL_PAR_BETA] = 0;
  for (int k = 0; k < m->ngroup; k++) {
    const group *g = &m->group[k];
    int n = g->kind->npar, count = g->shared ? 1 : g->nelem;
    for (int i = 0; i < n; i++) {
      double value = lossless(g->kind, &g->kind->par[i]);
      for (int e = 0; value >= 0 && e < count; e++) p->par[g->par0 + e * n + i] = value;
    }
  }
}

static pl_status first_update(const pl_model *m, pl_params *p) {
  int group_bad = 0, elem_bad = 0;
  pl_status s = update(m, p, &group_bad, &elem_bad);
  if (s != PL_DOMAIN) return s;
  const group *g = &m->group[group_bad];
  return pl_fail_at(m->env, PL_E_INPUT, NULL, 0, 0, "check the order and the places of its nodes",
                    "group '%s' (%s): element %d is degenerate or inverted at rest", g->name,
                    g->kind->name, elem_bad + 1);
}

pl_status pl_params_create(const pl_model *m, pl_params **out) {
  *out = NULL;
  pl_env *env = m->env;
  pl_params *p = pl_alloc(env, 1, sizeof *p);
  if (!p) return PL_E_NOMEM;
  p->env = env;
  p->npar = m->npar;
  p->nref = m->nq;
  p->nrest = m->nrest;
  p->ndesign = m->ndesign;
  p->par = pl_alloc(env, (size_t)m->npar, sizeof(double));
  p->X = pl_alloc(env, (size_t)m->nq, sizeof(double));
  p->rest = pl_alloc(env, (size_t)m->nrest, sizeof(double));
  p->design = pl_alloc(env, (size_t)m->ndesign, sizeof(double));
  pl_status s =
      p->par && p->X && p->rest && p->design ? pl_csc_copy(env, &m->M, &p->M) : PL_E_NOMEM;
  if (s == PL_OK) {
    memcpy(p->par, m->par0, (size_t)m->npar * sizeof(double));
    memcpy(p->X, m->X0, (size_t)m->nq * sizeof(double));
    for (int k = 0; k < m->ndesign; k++) p->design[k] = m->design[k].value;
    s = first_update(m, p);
  }
  if (s != PL_OK) {
    pl_params_free(p);
    return s;
  }
  *out = p;
  return PL_OK;
}

pl_status pl_params_view(const pl_params *p, pl_params *view) {
  *view = *p;
  view->par = pl_alloc(p->env, (size_t)p->npar, sizeof *view->par);
  if (!view->par) return PL_E_NOMEM;
  memcpy(view->par, p->par, (size_t)p->npar * sizeof *view->par);
  return PL_OK;
}

void pl_params_view_free(pl_params *view) {
  pl_free(view->env, view->par);
}

pl_status pl_params_copy(pl_env *env, const pl_params *p, pl_params **out) {
  *out = NULL;
  pl_params *q = pl_alloc(env, 1, sizeof *q);
  if (!q) return PL_E_NOMEM;
  *q = (pl_params){env, p->npar, p->nref, p->nrest, p->ndesign, NULL, NULL, NULL, NULL, {0}};
  double **to[] = {&q->par, &q->X, &q->rest, &q->design};
  const double *from[] = {p->par, p->X, p->rest, p->design};
  const int n[] = {p->npar, p->nref, p->nrest, p->ndesign};
  pl_status s = pl_csc_copy(env, &p->M, &q->M);
  for (int k = 0; k < 4 && s == PL_OK; k++) {
    *to[k] = pl_alloc(env, (size_t)n[k], sizeof(double));
    if (*to[k])
      memcpy(*to[k], from[k], (size_t)n[k] * sizeof(double));
    else
      s = PL_E_NOMEM;
  }
  if (s == PL_OK)
    *out = q;
  else
    pl_params_free(q);
  return s;
}

void pl_params_free(pl_params *p) {
  if (!p) return;
  pl_env *env = p->env;
  pl_csc_free(env, &p->M);
  pl_free(env, p->par);
  pl_free(env, p->X);
  pl_free(env, p->rest);
  pl_free(env, p->design);
  pl_free(env, p);
}

const double *pl_model_group_par(const pl_model *m, const pl_params *p, int k, int elem) {
  return group_par(&m->group[k], p->par, elem);
}

const double *pl_model_group_rest(const pl_model *m, const pl_params *p, int k, int elem) {
  const group *g = &m->group[k];
  return p->rest + g->rest0 + (size_t)elem * (size_t)g->kind->nrest;
}

pl_status pl_free_mass(pl_env *env, const pl_model *m, const pl_params *p, pl_csc *M) {
  PL_TRY(pl_csc_copy(env, &m->A, M));
  memset(M->val, 0, ((size_t)M->nnz + 1) * sizeof(double));
  for (int k = 0; k < p->M.nnz; k++) M->val[m->mass_to_free[k]] += p->M.val[k];
  M->val[M->nnz] = 0;
  return PL_OK;
}

// ---- state --------------------------------------------------------------------------------------

pl_status pl_state_create(const pl_model *m, const pl_params *p, pl_state **out) {
  *out = NULL;
  size_t nq = (size_t)m->nq, nhist = (size_t)m->nhist;
  pl_state *s = pl_alloc(m->env, 1, sizeof *s + (3 * nq + nhist) * sizeof(double));
  if (!s) return PL_E_NOMEM;
  s->nq = m->nq;
  s->nhist = m->nhist;
  s->q = (double *)(void *)(s + 1);
  s->v = s->q + nq;
  s->a = s->v + nq;
  s->hist = s->a + nq;
  memcpy(s->q, p->X, nq * sizeof(double));
  *out = s;
  return PL_OK;
}

void pl_state_free(const pl_model *m, pl_state *s) {
  pl_free(m->env, s);
}

void pl_state_copy(pl_state *to, const pl_state *from) {
  to->t = from->t;
  to->anchoring = from->anchoring;
  memcpy(to->q, from->q, (3 * (size_t)from->nq + (size_t)from->nhist) * sizeof(double));
}
