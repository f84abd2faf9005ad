#include "model_impl.h"

#include "pliant/math.h"

#include <string.h>

// puts the direction of design parameter k into dpar and dX (or clears it again with on = 0)
static void set_direction(const pl_design_desc *d, struct work_impl *i, int on) {
  for (int t = 0; t < d->ntarget; t++) {
    double *at = (d->target[t].on_ref ? i->dX : i->dpar) + d->target[t].index;
    *at = on ? *at + d->target[t].coef : 0;
  }
}

// what the parameter does to driven unknowns
static void drive_direction(const pl_model *m, const pl_params *p, const pl_clock *c,
                            struct work_impl *i) {
  size_t bytes = (size_t)m->nq * sizeof(double);
  memset(i->dq, 0, bytes);
  memset(i->dv, 0, bytes);
  memset(i->da, 0, bytes);
  for (int k = 0; k < m->ndrive; k++) {
    const drive *d = &m->drive[k];
    for (int n = 0; n < d->nnode; n++) {
      double dx[3], dv[3], da[3];
      drive_motion_along(m, d, p->par, i->dpar, p->X, i->dX, c, d->node[n], dx, dv, da);
      for (int j = 0; j < m->dim; j++) {
        if (!(d->mask >> j & 1)) continue;
        int at = d->node[n] * m->dim + j;
        i->dq[at] = dx[j];
        i->dv[at] = dv[j];
        i->da[at] = da[j];
      }
    }
  }
}

static int any_nonzero(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (x[i] != 0) return 1;
  return 0;
}

// gathered motion of one element; a has gravity taken off, so that weights follow the mass
typedef struct gathered {
  double q[PL_NDOF_MAX], v[PL_NDOF_MAX], a[PL_NDOF_MAX], X[PL_NDOF_MAX];
  double dq[PL_NDOF_MAX], dv[PL_NDOF_MAX], da[PL_NDOF_MAX], dX[PL_NDOF_MAX];
} gathered;

static pl_status element_along(const pl_params *p, const pl_state *s, const group *g, int e,
                               const struct work_impl *i, double *out) {
  const pl_elem_kind *k = g->kind;
  const int *dof = g->dof + (size_t)e * (size_t)k->ndof;
  const double *dpar = group_par(g, i->dpar, e);
  gathered x;
  gather(k->ndof, dof, i->dX, x.dX);
  gather(k->ndof, dof, i->dq, x.dq);
  gather(k->ndof, dof, i->dv, x.dv);
  gather(k->ndof, dof, i->da, x.da);
  int global = i->dpar[PL_PAR_ALPHA] != 0 || i->dpar[PL_PAR_BETA] != 0;
  if (!global && !any_nonzero(k->npar, dpar) && !any_nonzero(k->ndof, x.dX) &&
      !any_nonzero(k->ndof, x.dq) && !any_nonzero(k->ndof, x.dv) && !any_nonzero(k->ndof, x.da))
    return PL_OK;
  gather(k->ndof, dof, s->q, x.q);
  gather(k->ndof, dof, s->v, x.v);
  gather(k->ndof, dof, i->tmp, x.a);
  gather(k->ndof, dof, p->X, x.X);
  pl_elem_motion motion = {.q = x.q,
                           .v = x.v,
                           .a = x.a,
                           .par = group_par(g, p->par, e),
                           .X = x.X,
                           .alpha = p->par[PL_PAR_ALPHA],
                           .beta = p->par[PL_PAR_BETA],
                           .lumped = g->lumped};
  pl_elem_direction dir = {.dq = x.dq,
                           .dv = x.dv,
                           .da = x.da,
                           .dpar = dpar,
                           .dX = x.dX,
                           .dalpha = i->dpar[PL_PAR_ALPHA],
                           .dbeta = i->dpar[PL_PAR_BETA]};
  double df[PL_NDOF_MAX];
  PL_TRY(pl_elem_force_along(k, &motion, &dir, df));
  for (int j = 0; j < k->ndof; j++)
    if (dof[j] >= 0) out[dof[j]] += df[j];
  return PL_OK;
}

// -df/dp of nodal loads and -M dg/dp of gravity
static void loads_along(const pl_model *m, const pl_params *p, const pl_clock *c,
                        struct work_impl *i, double *out) {
  for (int k = 0; k < m->nload; k++) {
    const load *l = &m->load[k];
    double phase = p->par[l->par0 + 3], factor = term_factor(l->harmonic, phase, c);
    // derivative of sin(k w t + phase) by the phase
    double turn =
        l->harmonic ? term_factor(l->harmonic, phase + PL_PI / 2, c) * i->dpar[l->par0 + 3] : 0;
    for (int n = 0; n < l->nnode; n++)
      for (int j = 0; j < m->dim; j++)
        out[l->node[n] * m->dim + j] -= factor * i->dpar[l->par0 + j] + turn * p->par[l->par0 + j];
  }
  const double *dg = i->dpar + PL_PAR_GRAVITY;
  if (!any_nonzero(3, dg)) return;
  memset(i->f, 0, (size_t)m->nq * sizeof(double));
  for (int n = 0; n < m->nnode * m->dim; n++) i->f[n] = c->scale * dg[n % m->dim];
  pl_csc_mul(&p->M, -1, i->f, 1, out);
}

pl_status pl_eval_design(const pl_model *m, const pl_params *p, const pl_state *s,
                         const pl_clock *c, int k, pl_work *w, double *out) {
  struct work_impl *i = w->impl;
  memset(out, 0, (size_t)m->nq * sizeof(double));
  set_direction(&m->design[k], i, 1);
  drive_direction(m, p, c, i);
  const double *gravity = p->par + PL_PAR_GRAVITY;
  for (int n = 0; n < m->nq; n++)
    i->tmp[n] = s->a[n] - (n < m->nnode * m->dim ? c->scale * gravity[n % m->dim] : 0);
  pl_status status = PL_OK;
  for (int g = 0; status == PL_OK && g < m->ngroup; g++)
    for (int e = 0; status == PL_OK && e < m->group[g].nelem; e++)
      status = element_along(p, s, &m->group[g], e, i, out);
  if (status == PL_OK) loads_along(m, p, c, i, out);
  set_direction(&m->design[k], i, 0);
  return status;
}

void pl_eval_field(const pl_model *m, const pl_params *p, const pl_state *s, int group_no,
                   int field, double *value) {
  const group *g = &m->group[group_no];
  double q[PL_NDOF_MAX], all[8];
  for (int e = 0; e < g->nelem; e++) {
    gather(g->kind->ndof, g->dof + e * g->kind->ndof, s->q, q);
    g->kind->field(q, group_par(g, p->par, e),
                   p->rest + g->rest0 + (size_t)e * (size_t)g->kind->nrest, all);
    value[e] = all[field];
  }
}

void pl_momentum(const pl_model *m, const pl_params *p, const pl_state *s, double *mass,
                 double lin[3], double ang[3]) {
  int nn = m->nnode * m->dim;
  *mass = 0;
  memset(lin, 0, 3 * sizeof(double));
  memset(ang, 0, 3 * sizeof(double));
  // each stored entry (i, j) adds M_ij v_j to node of i, and M_ij v_i to node of j
  for (int j = 0; j < nn; j++)
    for (int k = p->M.ptr[j]; k < p->M.ptr[j + 1]; k++) {
      int i = p->M.row[k];
      if (i >= nn) continue;
      // total mass: what a unit acceleration along x weighs
      if (i % m->dim == 0 && j % m->dim == 0) *mass += p->M.val[k] * (i == j ? 1 : 2);
      for (int side = 0; side < (i == j ? 1 : 2); side++) {
        int at = side ? j : i, from = side ? i : j, c = at % m->dim;
        double mom = p->M.val[k] * s->v[from], x[3] = {0}, f[3] = {0}, l[3];
        for (int d = 0; d < m->dim; d++) x[d] = s->q[at - c + d];
        f[c] = mom;
        pl_cross3(x, f, l);
        lin[c] += mom;
        for (int d = 0; d < 3; d++) ang[d] += l[d];
      }
    }
}
