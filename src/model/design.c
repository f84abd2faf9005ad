#include "model_impl.h"

#include "pliant/math.h"

#include <string.h>

void direction_add(direction *d, int n, const pl_target *target, double by) {
  for (int t = 0; t < n; t++)
    (target[t].on_ref ? d->dX : d->dpar)[target[t].index] += by * target[t].coef;
}

void direction_clear(direction *d, int n, const pl_target *target) {
  for (int t = 0; t < n; t++) (target[t].on_ref ? d->dX : d->dpar)[target[t].index] = 0;
}

// what the direction does to driven unknowns
void direction_drive(const pl_model *m, const pl_params *p, const pl_state *s, const pl_clock *c,
                     direction *d) {
  size_t bytes = (size_t)m->nq * sizeof(double);
  memset(d->dq, 0, bytes);
  memset(d->dv, 0, bytes);
  memset(d->da, 0, bytes);
  for (int k = 0; k < m->ndrive; k++) {
    const drive *dr = &m->drive[k];
    for (int n = 0; n < dr->nnode; n++) {
      double dx[3], dv[3], da[3];
      drive_motion_along(m, dr, p->par, d->dpar, p->X, d->dX, c, n, dx, dv, da);
      for (int j = 0; j < m->dim; j++) {
        if (!(dr->mask >> j & 1)) continue;
        int at = dr->node[n] * m->dim + j;
        d->dq[at] = dx[j];
        d->dv[at] = dv[j];
        d->da[at] = da[j];
      }
    }
    for (int i = 0; i < dr->nscal; i++) {
      int at = dr->scal[i];
      drive_scalar_along(m, dr, p->par, d->dpar, p->X, d->dX, s, c, i, &d->dq[at], &d->dv[at],
                         &d->da[at]);
    }
  }
}

static int any_nonzero(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (x[i] != 0) return 1;
  return 0;
}

// gathered motion of one element
typedef struct gathered {
  double q[PL_NDOF_MAX], v[PL_NDOF_MAX], a[PL_NDOF_MAX], X[PL_NDOF_MAX];
  double dq[PL_NDOF_MAX], dv[PL_NDOF_MAX], da[PL_NDOF_MAX], dX[PL_NDOF_MAX];
} gathered;

// 1: the direction changes nothing in the element
static int is_still(const pl_elem_kind *k, const double *dpar, double dgrow, const gathered *x,
                    const direction *d) {
  int n = k->ndof;
  return dgrow == 0 && d->dpar[PL_PAR_ALPHA] == 0 && d->dpar[PL_PAR_BETA] == 0 &&
         !any_nonzero(k->npar, dpar) && !any_nonzero(n, x->dX) && !any_nonzero(n, x->dq) &&
         !any_nonzero(n, x->dv) && !any_nonzero(n, x->da);
}

// an element and what a direction does to it, as its kind wants them; 0: nothing
static int gather_along(const pl_params *p, const pl_state *s, const group *g, int e,
                        const direction *d, gathered *x, pl_elem_motion *motion,
                        pl_elem_direction *dir) {
  const pl_elem_kind *k = g->kind;
  const int *dof = g->dof + (size_t)e * (size_t)k->ndof;
  const double *dpar = group_par(g, d->dpar, e);
  int at = group_grow(g, e);
  double dgrow = at < 0 ? 0 : d->dpar[at], grow = at < 0 ? 0 : p->par[at];
  if (g->grow_by >= 0) {
    dgrow = s->q[g->grow_by] * dgrow + (grow - 1) * d->dq[g->grow_by];
    grow = 1 + (grow - 1) * s->q[g->grow_by];
  }
  gather(k->ndof, dof, d->dX, x->dX);
  gather(k->ndof, dof, d->dq, x->dq);
  gather(k->ndof, dof, d->dv, x->dv);
  gather(k->ndof, dof, d->da, x->da);
  if (is_still(k, dpar, dgrow, x, d)) return 0;
  gather(k->ndof, dof, s->q, x->q);
  gather(k->ndof, dof, s->v, x->v);
  gather(k->ndof, dof, d->acc, x->a);
  gather(k->ndof, dof, p->X, x->X);
  int displaced = k->nhist && (s->anchoring == PL_ANCHORS_CHANGED || k->slider.d);
  *motion =
      (pl_elem_motion){.q = x->q,
                       .v = x->v,
                       .a = x->a,
                       .par = group_par(g, p->par, e),
                       .X = x->X,
                       .hist = displaced ? s->hist + g->hist0 + (size_t)e * (size_t)k->nhist : NULL,
                       .alpha = p->par[PL_PAR_ALPHA],
                       .beta = group_beta(g, p->par),
                       .grow = grow,
                       .lumped = g->lumped};
  *dir = (pl_elem_direction){.dq = x->dq,
                             .dv = x->dv,
                             .da = x->da,
                             .dpar = dpar,
                             .dX = any_nonzero(k->ndof, x->dX) ? x->dX : NULL,
                             .dalpha = d->dpar[PL_PAR_ALPHA],
                             .dbeta = group_beta(g, d->dpar),
                             .dgrow = dgrow};
  return 1;
}

pl_status direction_element(const pl_params *p, const pl_state *s, const group *g, int e,
                            const direction *d, double *df) {
  gathered x;
  pl_elem_motion motion;
  pl_elem_direction dir;
  if ((!d->smooth || !g->kind->stretch) && gather_along(p, s, g, e, d, &x, &motion, &dir))
    return pl_elem_force_along(g->kind, &motion, &dir, df);
  memset(df, 0, (size_t)g->kind->ndof * sizeof *df);
  return PL_OK;
}

pl_status direction_slider(const pl_params *p, const pl_state *s, const group *g, int e,
                           const direction *d, int side, double *dw) {
  gathered x;
  pl_elem_motion motion;
  pl_elem_direction dir;
  *dw = 0;
  if (!gather_along(p, s, g, e, d, &x, &motion, &dir)) return PL_OK;
  return pl_elem_slide_along(g->kind, &motion, &dir, side, dw);
}

void direction_loads(const pl_model *m, const pl_params *p, const pl_clock *c, direction *d,
                     double *out) {
  for (int k = 0; k < m->nload; k++) {
    const load *l = &m->load[k];
    double phase = p->par[l->par0 + 3], factor = term_factor(l->harmonic, phase, &l->over, c);
    // derivative of sin(k w t + phase) by the phase
    double rot = l->harmonic ? term_factor(l->harmonic, phase + PL_PI / 2, &l->over, c) *
                                   d->dpar[l->par0 + 3]
                             : 0;
    double df[3] = {0};
    for (int j = 0; j < m->dim; j++)
      df[j] = factor * d->dpar[l->par0 + j] + rot * p->par[l->par0 + j];
    if (l->inertial) add_frame_force(m, p, 1, df, out);
    for (int n = 0; n < l->nnode; n++)
      for (int j = 0; j < m->dim; j++)
        out[l->node[n] * m->dim + j] -= (l->share ? l->share[n] : 1) * df[j];
  }
  const double *dg = d->dpar + PL_PAR_GRAVITY;
  if (!any_nonzero(3, dg)) return;
  memset(d->f, 0, (size_t)m->nq * sizeof(double));
  for (int n = 0; n < m->nnode * m->dim; n++) d->f[n] = c->scale * dg[n % m->dim];
  pl_csc_mul(&p->M, -1, d->f, 1, out);
}

void direction_begin(const pl_model *m, const pl_params *p, const pl_state *s, const pl_clock *c,
                     direction *d) {
  const double *gravity = p->par + PL_PAR_GRAVITY;
  double frame[3];
  frame_acceleration(m, p->par, p, c, frame);
  for (int n = 0; n < m->nq; n++) {
    int j = n % m->dim;
    d->acc[n] = s->a[n] - (n < m->nnode * m->dim ? c->scale * gravity[j] - frame[j] : 0);
  }
}

pl_status direction_force(const pl_model *m, const pl_params *p, const pl_state *s,
                          const pl_clock *c, direction *d, double *out) {
  double df[PL_NDOF_MAX];
  memset(out, 0, (size_t)m->nq * sizeof(double));
  direction_drive(m, p, s, c, d);
  for (int k = 0; k < m->ngroup; k++) {
    const group *g = &m->group[k];
    int n = g->kind->ndof;
    for (int e = 0; e < g->nelem; e++) {
      const int *dof = g->dof + (size_t)e * (size_t)n;
      PL_TRY(direction_element(p, s, g, e, d, df));
      for (int j = 0; j < n; j++)
        if (dof[j] >= 0) out[dof[j]] += df[j];
    }
  }
  direction_loads(m, p, c, d, out);
  return PL_OK;
}

pl_status pl_eval_design(const pl_model *m, const pl_params *p, const pl_state *s,
                         const pl_clock *c, int k, pl_work *w, double *out) {
  const pl_design_desc *desc = &m->design[k];
  direction *d = &w->impl->along;
  direction_add(d, desc->ntarget, desc->target, 1);
  direction_begin(m, p, s, c, d);
  pl_status status = direction_force(m, p, s, c, d, out);
  direction_clear(d, desc->ntarget, desc->target);
  return status;
}

// a field of a group, whose elements threads share
typedef struct wanted {
  const group *g;
  const pl_params *p;
  const pl_state *s;
  int field;
  double *value;
} wanted;

enum { FIELD_CHUNK = 8 }; // elements

static double field_of(const group *g, const pl_params *p, const pl_state *s, int e, int field) {
  double q[PL_NDOF_MAX], own[PL_NREST_MAX], all[PL_NFIELD_MAX];
  gather(g->kind->ndof, g->dof + e * g->kind->ndof, s->q, q);
  const double *par = group_par(g, p->par, e), *rest = group_rest(g, p, s, e, own);
  if (g->kind->eval_law)
    g->kind->field_law(g->law, q, par, rest, all);
  else
    g->kind->field(q, par, rest, all);
  return all[field];
}

static void fill_field(void *ctx, int i, int thread) {
  const wanted *a = ctx;
  int first = i * FIELD_CHUNK;
  (void)thread;
  for (int e = first; e < a->g->nelem && e < first + FIELD_CHUNK; e++)
    a->value[e] = field_of(a->g, a->p, a->s, e, a->field);
}

void pl_eval_field(const pl_model *m, const pl_params *p, const pl_state *s, int group_no,
                   int field, pl_threads *threads, double *value) {
  wanted a = {&m->group[group_no], p, s, field, value};
  pl_threads_run(threads, (a.g->nelem + FIELD_CHUNK - 1) / FIELD_CHUNK, fill_field, &a);
}

double pl_element_field(const pl_model *m, const pl_params *p, const pl_state *s, int group_no,
                        int elem, int field) {
  return field_of(&m->group[group_no], p, s, elem, field);
}

int pl_count_inverted(const pl_model *m, const pl_params *p, const pl_state *s, int *group_no,
                      int *elem) {
  double q[PL_NDOF_MAX], own[PL_NREST_MAX];
  int count = 0;
  for (int k = 0; k < m->ngroup; k++) {
    const group *g = &m->group[k];
    if (!g->kind->volume) continue;
    for (int e = 0; e < g->nelem; e++) {
      gather(g->kind->ndof, g->dof + e * g->kind->ndof, s->q, q);
      if (g->kind->volume(q, group_rest(g, p, s, e, own)) > 0) continue;
      if (count++ > 0) continue;
      if (group_no) *group_no = k;
      if (elem) *elem = e;
    }
  }
  return count;
}

void pl_momentum(const pl_model *m, const pl_params *p, const pl_state *s, double *mass,
                 double lin[3], double ang[3]) {
  int nn = m->nnode * m->dim;
  *mass = 0;
  memset(lin, 0, 3 * sizeof(double));
  memset(ang, 0, 3 * sizeof(double));
  // each stored entry (i, j) adds M_ij v_j to node of i, and M_ij v_i to node of j
  for (pl_entry e = {.k = -1}; pl_csc_next(&p->M, &e);) {
    int i = e.i, j = e.j;
    if (i >= nn || j >= nn) continue;
    // total mass: what a unit acceleration along x weighs
    if (i % m->dim == 0 && j % m->dim == 0) *mass += p->M.val[e.k] * (i == j ? 1 : 2);
    for (int side = 0; side < (i == j ? 1 : 2); side++) {
      int at = side ? j : i, from = side ? i : j, c = at % m->dim;
      double mom = p->M.val[e.k] * s->v[from], x[3] = {0}, f[3] = {0}, l[3];
      for (int d = 0; d < m->dim; d++) x[d] = s->q[at - c + d];
      f[c] = mom;
      pl_cross3(x, f, l);
      lin[c] += mom;
      for (int d = 0; d < 3; d++) ang[d] += l[d];
    }
  }
}
