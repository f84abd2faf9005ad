// Anchors that scalar unknowns are measured from: how a state leaves them behind, and comes back.
#include "model_impl.h"

#include <string.h>

// an element's unknowns of a state, with rest data on the state's anchors
typedef struct local {
  double q[PL_NDOF_MAX], v[PL_NDOF_MAX], a[PL_NDOF_MAX], rest[PL_NREST_MAX];
} local;

// sliders remember, too, but from the beginning and whatever becomes of the anchors
static int is_slider(const group *g) {
  return g->kind->slider.d != NULL;
}

static int has_anchors(const pl_model *m) {
  for (int k = 0; k < m->ngroup; k++)
    if (m->group[k].kind->nhist && m->group[k].nelem && !is_slider(&m->group[k])) return 1;
  return 0;
}

// anchors of the reference shape; drives' angles of now stay
static void begin(const pl_model *m, const pl_params *p, pl_state *s) {
  for (int k = 0; k < m->ngroup; k++) {
    const group *g = &m->group[k];
    size_t nh = (size_t)g->kind->nhist, nr = (size_t)g->kind->nrest;
    for (size_t e = 0; nh && !is_slider(g) && e < (size_t)g->nelem; e++)
      memcpy(s->hist + g->hist0 + e * nh, p->rest + g->rest0 + e * nr, nh * sizeof(double));
  }
  for (int k = 0; k < m->ndrive; k++) {
    const drive *d = &m->drive[k];
    if (d->nscal) s->hist[d->hist0 + 1] = 0;
    for (int i = 0; i < d->nscal; i++) s->hist[d->hist0 + 2 + i] = p->X[d->scal[i]];
  }
  s->anchoring = PL_ANCHORS_CHANGED;
}

static void commit_element(const pl_model *m, const pl_params *p, const group *g, int e,
                           pl_state *s) {
  const pl_elem_kind *k = g->kind;
  const int *dof = g->dof + (size_t)e * (size_t)k->ndof;
  int nn = m->nnode * m->dim;
  unsigned keep = 0;
  local x;
  gather(k->ndof, dof, s->q, x.q);
  gather(k->ndof, dof, s->v, x.v);
  gather(k->ndof, dof, s->a, x.a);
  group_rest(g, p, s, e, x.rest);
  for (int i = 0; i < k->nscal; i++) {
    int at = dof[k->ndof - k->nscal + i];
    keep |= (unsigned)(at < nn || m->keep[at - nn]) << i;
  }
  k->commit(x.q, x.v, x.a, group_par(g, p->par, e), x.rest, keep);
  memcpy(s->hist + g->hist0 + (size_t)e * (size_t)k->nhist, x.rest,
         (size_t)k->nhist * sizeof(double));
  for (int i = k->ndof - k->nscal; i < k->ndof; i++) {
    if (dof[i] < 0) continue;
    s->q[dof[i]] = x.q[i];
    s->v[dof[i]] = x.v[i];
    s->a[dof[i]] = x.a[i];
  }
}

static void commit_group(const pl_model *m, const pl_params *p, const group *g, pl_state *s) {
  for (int e = 0; g->kind->commit && e < g->nelem; e++) commit_element(m, p, g, e, s);
}

void pl_commit(const pl_model *m, const pl_params *p, pl_state *s) {
  for (int k = 0; k < m->ngroup; k++)
    if (is_slider(&m->group[k])) commit_group(m, p, &m->group[k], s);
  pl_move_anchors(m, p, s);
}

void pl_move_anchors(const pl_model *m, const pl_params *p, pl_state *s) {
  if (s->anchoring == PL_ANCHORS_FIXED || !has_anchors(m)) return;
  if (s->anchoring == PL_ANCHORS_REFERENCE) begin(m, p, s);
  for (int k = 0; k < m->ngroup; k++)
    if (!is_slider(&m->group[k])) commit_group(m, p, &m->group[k], s);
  for (int k = 0; k < m->ndrive; k++) {
    const drive *d = &m->drive[k];
    if (d->nscal) s->hist[d->hist0 + 1] = s->hist[d->hist0];
    for (int i = 0; i < d->nscal; i++) s->hist[d->hist0 + 2 + i] = s->q[d->scal[i]];
  }
}

// ---- turns --------------------------------------------------------------------------------------

// Scalars measured from the reference shape's anchors instead of those of s (NULL: the same), after
// a turn by R (NULL: none).
typedef struct rotating {
  const pl_model *m;
  const pl_params *p;
  const pl_state *s;
  const double *R, *q;
  int *done; // [nextra]
  double *out;
} rotating;

static void rotate_element(const rotating *t, const group *g, int e) {
  const pl_elem_kind *k = g->kind;
  const int *dof = g->dof + (size_t)e * (size_t)k->ndof, *scal = dof + k->ndof - k->nscal;
  const double *to = t->p->rest + g->rest0 + (size_t)e * (size_t)k->nrest;
  int nn = t->m->nnode * t->m->dim;
  double value[PL_NDOF_MAX];
  unsigned known = 0;
  local x;
  gather(k->ndof, dof, t->q, x.q);
  for (int i = 0; i < k->nscal; i++) {
    value[i] = scal[i] < 0 ? 0 : t->out[scal[i]];
    known |= (unsigned)(scal[i] < nn || t->done[scal[i] - nn]) << i;
  }
  const double *from = t->s ? group_rest(g, t->p, t->s, e, x.rest) : to;
  k->rotate(t->R, x.q, group_par(g, t->p->par, e), from, to, known, value);
  for (int i = 0; i < k->nscal; i++) {
    if (known >> i & 1) continue;
    t->out[scal[i]] = value[i];
    t->done[scal[i] - nn] = 1;
  }
}

// kinds with many scalars first: they tell the whole turns between neighbours
static pl_status rotate_all(rotating *t) {
  const pl_model *m = t->m;
  t->done = pl_alloc(m->env, (size_t)m->nextra, sizeof *t->done);
  if (!t->done) return PL_E_NOMEM;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < m->ngroup; k++) {
      const group *g = &m->group[k];
      if (!g->kind->rotate || (g->kind->nscal > 1) == pass) continue;
      for (int e = 0; e < g->nelem; e++) rotate_element(t, g, e);
    }
  pl_free(m->env, t->done);
  return PL_OK;
}

pl_status pl_state_unwound(const pl_model *m, const pl_params *p, const pl_state *s, double *q) {
  memcpy(q, s->q, (size_t)m->nq * sizeof *q);
  if (s->anchoring != PL_ANCHORS_CHANGED) return PL_OK;
  rotating t = {.m = m, .p = p, .s = s, .q = s->q, .out = q};
  return rotate_all(&t);
}

pl_status pl_rotate_scalars(const pl_model *m, const pl_params *p, const double *R, const double *q,
                            double *out) {
  int nn = m->nnode * m->dim;
  if (m->nextra) memcpy(out + nn, q + nn, (size_t)m->nextra * sizeof *out);
  rotating t = {.m = m, .p = p, .R = R, .q = q, .out = out};
  return rotate_all(&t);
}
