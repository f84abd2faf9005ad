// What changes of a state do to the forces on it: exact, with parts that are not symmetric.
#include "pliant/changes.h"

#include "model_impl.h"

#include <complex.h>
#include <string.h>

static const double STEP = 1e-60; // of complex steps: exact, as nothing is subtracted

// ---- unknowns -----------------------------------------------------------------------------------

// n changes of the unknowns, visited element by element
typedef struct changes {
  const pl_model *m;
  const pl_params *p;
  const pl_state *s;
  pl_work *w;
  int n, rates;
  const double *dq, *dv; // [n][nq]
  double *out;           // [n][nq]
} changes;

// K = df/dq and D = df/dv of the element's force at the state, D where there are rates
static int linearise(const changes *t, const group *g, int e, double *K, double *D) {
  const pl_elem_kind *k = g->kind;
  double own[PL_NREST_MAX], q[PL_NDOF_MAX], v[PL_NDOF_MAX], f[PL_NDOF_MAX], W;
  double C[PL_NDOF_MAX * PL_NDOF_MAX], S[PL_NDOF_MAX * PL_NDOF_MAX];
  const int *dof = g->dof + (size_t)e * (size_t)k->ndof;
  const double *par = group_par(g, t->p->par, e), *rest = group_rest(g, t->p, t->s, e, own);
  double beta = t->rates ? group_beta(g, t->p->par) : 0;
  int nn = k->ndof * k->ndof;
  gather(k->ndof, dof, t->s->q, q);
  gather(k->ndof, dof, t->s->v, v);
  if (group_eval(g, q, par, rest, &W, f, K)) return 1;
  memset(D, 0, (size_t)nn * sizeof *D);
  if (beta != 0) {
    if (pl_elem_third(k, q, v, par, rest, C) != PL_OK) return 1;
    for (int i = 0; i < nn; i++) {
      D[i] = beta * K[i];
      K[i] += beta * C[i];
    }
  }
  if (!k->d.visc || !(t->rates || k->circulatory)) return 0;
  if (k->d.visc(q, v, par, rest, f, C, S)) return 1;
  for (int i = 0; i < nn; i++) {
    D[i] += t->rates ? C[i] : 0;
    K[i] += S[i];
  }
  return 0;
}

static void add_product(int n, const double *A, const int *dof, const double *x, double *y) {
  double local[PL_NDOF_MAX];
  gather(n, dof, x, local);
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += A[i * n + j] * local[j];
    if (dof[i] >= 0) y[dof[i]] += sum;
  }
}

static void visit(void *ctx, int b, int thread) {
  const changes *t = ctx;
  const block *blk = &t->m->block[b];
  const group *g = &t->m->group[blk->group];
  double K[PL_NDOF_MAX * PL_NDOF_MAX], D[PL_NDOF_MAX * PL_NDOF_MAX];
  int nd = g->kind->ndof;
  (void)thread;
  t->w->impl->bad[b] = 0;
  for (int e = blk->first; e < blk->first + blk->n; e++) {
    const int *dof = g->dof + (size_t)e * (size_t)nd;
    if (linearise(t, g, e, K, D)) {
      t->w->impl->bad[b] = e + 1;
      return;
    }
    for (int k = 0; k < t->n; k++) {
      size_t at = (size_t)k * (size_t)t->m->nq;
      add_product(nd, K, dof, t->dq + at, t->out + at);
      if (t->rates) add_product(nd, D, dof, t->dv + at, t->out + at);
    }
  }
}

pl_status pl_eval_changes(const pl_model *m, const pl_params *p, const pl_state *s, int n,
                          const double *dq, const double *dv, const double *da, pl_work *w,
                          double *out) {
  size_t nq = (size_t)m->nq;
  changes t = {m, p, s, w, n, dv != NULL, dq, dv, out};
  double *x = w->impl->tmp, alpha = p->par[PL_PAR_ALPHA];
  memset(out, 0, (size_t)n * nq * sizeof *out);
  for (int k = 0; dv && k < n; k++) {
    size_t at = (size_t)k * nq;
    for (size_t i = 0; i < nq; i++) x[i] = da[at + i] + alpha * dv[at + i];
    pl_mass_mul(p, x, w, out + at);
  }
  model_each_block(m, w, m->few ? NULL : w->threads, 0, visit, &t);
  return model_fault(m, w);
}

// ---- tangents that are not symmetric ------------------------------------------------------------

int pl_model_skew(const pl_model *m, int dynamic) {
  for (int k = 0; k < m->ngroup; k++) {
    const pl_elem_kind *kind = m->group[k].kind;
    if (kind->d.visc && (kind->circulatory || (dynamic && kind->damped))) return 1;
  }
  return 0;
}

// y += by (T - T')/2 x over the free unknowns, T = ck S + cd C of one element
static int add_skew(const pl_model *m, const pl_params *p, const pl_state *s, const group *g, int e,
                    const pl_coef *coef, double by, const double *x, double *y) {
  const pl_elem_kind *k = g->kind;
  double own[PL_NREST_MAX], q[PL_NDOF_MAX], v[PL_NDOF_MAX], f[PL_NDOF_MAX];
  double C[PL_NDOF_MAX * PL_NDOF_MAX], S[PL_NDOF_MAX * PL_NDOF_MAX];
  const int *dof = g->dof + (size_t)e * (size_t)k->ndof;
  int n = k->ndof, at[PL_NDOF_MAX];
  gather(n, dof, s->q, q);
  gather(n, dof, s->v, v);
  for (int i = 0; i < n; i++) at[i] = dof[i] < 0 ? -1 : m->free_index[dof[i]];
  if (k->d.visc(q, v, group_par(g, p->par, e), group_rest(g, p, s, e, own), f, C, S)) return 1;
  for (int i = 0; i < n * n; i++) S[i] = coef->k * S[i] + coef->d * C[i];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (at[i] >= 0 && at[j] >= 0) y[at[i]] += 0.5 * by * (S[i * n + j] - S[j * n + i]) * x[at[j]];
  return 0;
}

pl_status pl_eval_skew(const pl_model *m, const pl_params *p, const pl_state *s,
                       const pl_coef *coef, double by, const double *x, double *y) {
  for (int k = 0; k < m->ngroup; k++) {
    const group *g = &m->group[k];
    int counts = g->kind->d.visc && (g->kind->circulatory || (coef->d != 0 && g->kind->damped));
    for (int e = 0; counts && e < g->nelem; e++)
      if (add_skew(m, p, s, g, e, coef, by, x, y)) return PL_DOMAIN;
  }
  return PL_OK;
}

// ---- history ------------------------------------------------------------------------------------

int pl_model_remembers(const pl_model *m, int *sliders) {
  int anchors = 0;
  *sliders = 0;
  for (int k = 0; k < m->ngroup; k++) {
    const group *g = &m->group[k];
    if (g->kind->nhist && g->nelem) *(g->kind->slider.d ? sliders : &anchors) = 1;
  }
  return anchors;
}

// the element looks at its history
static int is_displaced(const group *g, const pl_state *s) {
  return g->kind->nhist && (s->anchoring == PL_ANCHORS_CHANGED || g->kind->slider.d);
}

// change df[ndof] of an element's force
static int history_element(const pl_params *p, const pl_state *s, const group *g, int e,
                           const double *dhist, double *df) {
  const pl_elem_kind *k = g->kind;
  double own[PL_NREST_MAX], q[PL_NDOF_MAX], v[PL_NDOF_MAX], beta = group_beta(g, p->par);
  double complex zq[PL_NDOF_MAX], zv[PL_NDOF_MAX], par[PL_NPAR_MAX], rest[PL_NREST_MAX], W;
  double complex f[PL_NDOF_MAX], x[PL_NDOF_MAX], H[PL_NDOF_MAX * PL_NDOF_MAX];
  const int *dof = g->dof + (size_t)e * (size_t)k->ndof;
  const double *real_rest = group_rest(g, p, s, e, own), *real_par = group_par(g, p->par, e);
  gather(k->ndof, dof, s->q, q);
  gather(k->ndof, dof, s->v, v);
  for (int i = 0; i < k->ndof; i++) {
    zq[i] = q[i];
    zv[i] = v[i];
  }
  for (int i = 0; i < k->npar; i++) par[i] = real_par[i];
  for (int i = 0; i < k->nrest; i++)
    rest[i] = real_rest[i] + (i < k->nhist ? STEP * dhist[i] * I : 0);
  if (k->z.eval(zq, par, rest, &W, f, beta != 0 ? H : NULL)) return 1;
  for (int i = 0; beta != 0 && i < k->ndof; i++)
    for (int j = 0; j < k->ndof; j++) f[i] += beta * H[i * k->ndof + j] * zv[j];
  if (k->z.visc && k->z.visc(zq, zv, par, rest, x, NULL, NULL)) return 1;
  for (int i = 0; i < k->ndof; i++) df[i] = cimag(k->z.visc ? f[i] + x[i] : f[i]) / STEP;
  return 0;
}

pl_status pl_eval_history(const pl_model *m, const pl_params *p, const pl_state *s,
                          const double *dhist, double *out) {
  double df[PL_NDOF_MAX];
  for (int k = 0; k < m->ngroup; k++) {
    const group *g = &m->group[k];
    size_t nh = (size_t)g->kind->nhist;
    for (int e = 0; is_displaced(g, s) && e < g->nelem; e++) {
      const int *dof = g->dof + (size_t)e * (size_t)g->kind->ndof;
      if (history_element(p, s, g, e, dhist + g->hist0 + (size_t)e * nh, df)) return PL_DOMAIN;
      for (int j = 0; j < g->kind->ndof; j++)
        if (dof[j] >= 0) out[dof[j]] += df[j];
    }
  }
  return PL_OK;
}

// ---- energy -------------------------------------------------------------------------------------

int change_energy(const pl_params *p, const pl_state *s, const group *g, int e, const direction *d,
                  const double *dhist, double *dW) {
  const pl_elem_kind *k = g->kind;
  double complex zq[PL_NDOF_MAX], zX[PL_NDOF_MAX], par[PL_NPAR_MAX], rest[PL_NREST_MAX], W;
  const int *dof = g->dof + (size_t)e * (size_t)k->ndof;
  const double *own = group_par(g, p->par, e), *dpar = group_par(g, d->dpar, e);
  int at = group_grow(g, e);
  double complex grow = at < 0 ? 1 : p->par[at] + STEP * d->dpar[at] * I;
  if (g->grow_by >= 0) grow = 1 + (grow - 1) * (s->q[g->grow_by] + STEP * d->dq[g->grow_by] * I);
  for (int i = 0; i < k->ndof; i++) {
    zq[i] = dof[i] < 0 ? 0 : s->q[dof[i]] + STEP * d->dq[dof[i]] * I;
    zX[i] = dof[i] < 0 ? 0 : p->X[dof[i]] + STEP * d->dX[dof[i]] * I;
    if (i < k->nvert * k->vdim) zX[i] *= grow;
  }
  for (int i = 0; i < k->npar; i++) par[i] = own[i] + STEP * dpar[i] * I;
  if (k->z.prepare && k->z.prepare(zX, rest)) return 1;
  const double *hist = s->hist + g->hist0 + (size_t)e * (size_t)k->nhist;
  for (int i = 0; is_displaced(g, s) && i < k->nhist; i++) rest[i] = hist[i] + STEP * dhist[i] * I;
  if (k->z.eval(zq, par, rest, &W, NULL, NULL)) return 1;
  *dW = cimag(W) / STEP;
  return 0;
}
