// Derivatives by many parameters at once: every direction knows the elements it affects.
#include "pliant/changes.h"

#include "model_impl.h"

#include <math.h>
#include <string.h>

struct pl_directions {
  pl_env *env;
  const pl_model *m;
  int n, nthread;
  int *tptr;               // [n+1] into target
  pl_target *target;       // of all directions
  int *eptr, *elements_of; // [n+1]; pairs (group, element)
  int *drives;             // [n] moves driven unknowns
  int *loads;              // [n] changes loads or gravity
  direction *d;            // [nthread]
};

// ---- directions -------------------------------------------------------------------------------

pl_status direction_create(pl_env *env, const pl_model *m, direction *d) {
  size_t nq = (size_t)m->nq;
  *d = (direction){.dpar = pl_alloc(env, (size_t)m->npar, sizeof(double)),
                   .dX = pl_alloc(env, 6 * nq, sizeof(double))};
  if (!d->dpar || !d->dX) return PL_E_NOMEM;
  d->dq = d->dX + nq;
  d->dv = d->dq + nq;
  d->da = d->dv + nq;
  d->acc = d->da + nq;
  d->f = d->acc + nq;
  return PL_OK;
}

void direction_free(pl_env *env, direction *d) {
  pl_free(env, d->dpar);
  pl_free(env, d->dX);
}

// ---- what a direction affects -----------------------------------------------------------------

// elements at every unknown, and marks while the list of a direction is made
typedef struct finder {
  pl_directions *k;
  int *start, *at; // [nq+1]; pairs (group, element)
  int **mark;      // [ngroup][nelem] last direction that listed the element, + 1
  int nlisted, cap;
} finder;

static pl_status list_elements(finder *f) {
  const pl_model *m = f->k->m;
  for (int pass = 0; pass < 2; pass++) {
    for (int g = 0; g < m->ngroup; g++)
      for (int i = 0; i < m->group[g].nelem * m->group[g].kind->ndof; i++) {
        int dof = m->group[g].dof[i];
        if (dof < 0) continue;
        if (pass) {
          f->at[2 * f->start[dof]] = g;
          f->at[2 * f->start[dof] + 1] = i / m->group[g].kind->ndof;
        }
        f->start[dof]++;
      }
    // counts to places of the first entries; the second pass leaves those of the next unknown
    int sum = 0;
    for (int dof = 0; dof <= m->nq; dof++) {
      int count = f->start[dof];
      f->start[dof] = pass ? (dof ? sum : 0) : sum;
      sum = pass ? count : sum + count;
    }
    if (pass) break;
    f->at = pl_alloc(f->k->env, 2 * (size_t)sum, sizeof(int));
    if (!f->at) return PL_E_NOMEM;
  }
  return PL_OK;
}

static pl_status add_element(finder *f, int dir, int g, int e) {
  if (f->mark[g][e] == dir + 1) return PL_OK;
  f->mark[g][e] = dir + 1;
  PL_TRY(pl_grow(f->k->env, &f->k->elements_of, f->nlisted, &f->cap, 2 * sizeof(int)));
  f->k->elements_of[2 * f->nlisted] = g;
  f->k->elements_of[2 * f->nlisted++ + 1] = e;
  return PL_OK;
}

static pl_status add_group(finder *f, int dir, int g) {
  for (int e = 0; e < f->k->m->group[g].nelem; e++) PL_TRY(add_element(f, dir, g, e));
  return PL_OK;
}

static pl_status add_unknown(finder *f, int dir, int dof) {
  for (int i = f->start[dof]; i < f->start[dof + 1]; i++)
    PL_TRY(add_element(f, dir, f->at[2 * i], f->at[2 * i + 1]));
  return PL_OK;
}

static pl_status add_node(finder *f, int dir, int node) {
  for (int c = 0; c < f->k->m->dim; c++) PL_TRY(add_unknown(f, dir, node * f->k->m->dim + c));
  return PL_OK;
}

// a driven scalar, and natural shapes that follow it
static pl_status add_scalar(finder *f, int dir, int dof) {
  const pl_model *m = f->k->m;
  for (int k = 0; k < m->ngroup; k++)
    if (m->group[k].grow_by == dof) PL_TRY(add_group(f, dir, k));
  return add_unknown(f, dir, dof);
}

static pl_status add_parameter(finder *f, int dir, int index) {
  const pl_model *m = f->k->m;
  for (int g = 0; index < PL_PAR_GRAVITY && g < m->ngroup; g++) PL_TRY(add_group(f, dir, g));
  if (index >= PL_PAR_GRAVITY && index < PL_PAR_FIRST) f->k->loads[dir] = 1;
  for (int k = 0; k < m->nload; k++)
    if (index >= m->load[k].par0 && index < m->load[k].par0 + 4) f->k->loads[dir] = 1;
  for (int k = 0; k < m->ndrive; k++) {
    const drive *d = &m->drive[k];
    if (index < d->par0 || index >= d->par0 + 4 * d->nterm) continue;
    f->k->drives[dir] = 1;
    for (int i = 0; i < d->nnode; i++) PL_TRY(add_node(f, dir, d->node[i]));
    for (int i = 0; i < d->nscal; i++) PL_TRY(add_scalar(f, dir, d->scal[i]));
  }
  for (int k = 0; k < m->ngroup; k++) {
    const group *g = &m->group[k];
    int npar = g->kind->npar, count = npar * (g->shared ? 1 : g->nelem);
    int grown = g->grow0 < 0 ? -1 : index - g->grow0;
    if (g->shared && grown == 0) PL_TRY(add_group(f, dir, k));
    if (!g->shared && grown >= 0 && grown < g->nelem) PL_TRY(add_element(f, dir, k, grown));
    if (index < g->par0 || index >= g->par0 + count) continue;
    if (g->shared)
      PL_TRY(add_group(f, dir, k));
    else
      PL_TRY(add_element(f, dir, k, (index - g->par0) / npar));
  }
  return PL_OK;
}

// driven scalars that move with their own reference value or with that of an edge's node
static pl_status add_scalars(finder *f, int dir, const drive *d, int index) {
  const pl_model *m = f->k->m;
  for (int i = 0; i < d->nscal; i++)
    for (int k = 0; k < 2; k++) {
      int node = d->edge[2 * i + k];
      int near = d->edge[2 * i] >= 0 && index / m->dim == node && index < m->nnode * m->dim;
      if (!near && d->scal[i] != index) continue;
      f->k->drives[dir] = 1;
      PL_TRY(add_unknown(f, dir, d->scal[i]));
    }
  return PL_OK;
}

// a driven node moves with its reference place, in all components when it turns
static pl_status add_place(finder *f, int dir, int index) {
  const pl_model *m = f->k->m;
  PL_TRY(add_unknown(f, dir, index));
  for (int k = 0; k < m->ndrive; k++) PL_TRY(add_scalars(f, dir, &m->drive[k], index));
  for (int k = 0; k < m->ndrive; k++)
    for (int i = 0; i < m->drive[k].nnode; i++)
      if (index < m->nnode * m->dim && m->drive[k].node[i] == index / m->dim) {
        f->k->drives[dir] = 1;
        PL_TRY(add_node(f, dir, index / m->dim));
      }
  return PL_OK;
}

static pl_status find_all(finder *f) {
  pl_directions *k = f->k;
  PL_TRY(list_elements(f));
  for (int i = 0; i < k->n; i++) {
    k->eptr[i] = f->nlisted;
    for (int t = k->tptr[i]; t < k->tptr[i + 1]; t++) {
      const pl_target *target = &k->target[t];
      PL_TRY(target->on_ref ? add_place(f, i, target->index) : add_parameter(f, i, target->index));
    }
  }
  k->eptr[k->n] = f->nlisted;
  return PL_OK;
}

static pl_status find_affected(pl_directions *k) {
  const pl_model *m = k->m;
  finder f = {.k = k};
  f.start = pl_alloc(k->env, (size_t)m->nq + 1, sizeof(int));
  f.mark = pl_alloc(k->env, (size_t)m->ngroup, sizeof *f.mark);
  pl_status s = f.start && f.mark ? PL_OK : PL_E_NOMEM;
  for (int g = 0; s == PL_OK && g < m->ngroup; g++) {
    f.mark[g] = pl_alloc(k->env, (size_t)m->group[g].nelem, sizeof(int));
    if (!f.mark[g]) s = PL_E_NOMEM;
  }
  if (s == PL_OK) s = find_all(&f);
  for (int g = 0; f.mark && g < m->ngroup; g++) pl_free(k->env, f.mark[g]);
  pl_free(k->env, f.mark);
  pl_free(k->env, f.start);
  pl_free(k->env, f.at);
  return s;
}

// ---- object -----------------------------------------------------------------------------------

static pl_status build(pl_directions *k, const pl_direction *dir) {
  const pl_model *m = k->m;
  size_t n = (size_t)k->n, all = 0;
  for (int i = 0; i < k->n; i++) all += (size_t)dir[i].ntarget;
  k->tptr = pl_alloc(k->env, n + 1, sizeof(int));
  k->eptr = pl_alloc(k->env, n + 1, sizeof(int));
  k->drives = pl_alloc(k->env, n, sizeof(int));
  k->loads = pl_alloc(k->env, n, sizeof(int));
  k->target = pl_alloc(k->env, all, sizeof *k->target);
  k->d = pl_alloc(k->env, (size_t)k->nthread, sizeof *k->d);
  if (!k->tptr || !k->eptr || !k->drives || !k->loads || !k->target || !k->d) return PL_E_NOMEM;
  for (int i = 0; i < k->n; i++) {
    k->tptr[i + 1] = k->tptr[i] + dir[i].ntarget;
    for (int t = 0; t < dir[i].ntarget; t++) {
      const pl_target *target = &dir[i].target[t];
      if (target->index < 0 || target->index >= (target->on_ref ? m->nq : m->npar))
        return pl_fail(k->env, PL_E_ARG, "direction %d: there is no parameter %d", i,
                       target->index);
      k->target[k->tptr[i] + t] = *target;
    }
  }
  for (int i = 0; i < k->nthread; i++) PL_TRY(direction_create(k->env, m, &k->d[i]));
  return find_affected(k);
}

pl_status pl_directions_create(pl_env *env, const pl_model *m, int nthread, int n,
                               const pl_direction *dir, pl_directions **out) {
  *out = NULL;
  pl_directions *k = pl_alloc(env, 1, sizeof *k);
  if (!k) return PL_E_NOMEM;
  *k = (pl_directions){.env = env, .m = m, .n = n, .nthread = nthread < 1 ? 1 : nthread};
  pl_status s = build(k, dir);
  if (s != PL_OK) {
    pl_directions_free(k);
    return s;
  }
  *out = k;
  return PL_OK;
}

void pl_directions_free(pl_directions *k) {
  if (!k) return;
  for (int i = 0; k->d && i < k->nthread; i++) direction_free(k->env, &k->d[i]);
  void *all[] = {k->tptr, k->target, k->eptr, k->elements_of, k->drives, k->loads, k->d};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(k->env, all[i]);
  pl_free(k->env, k);
}

int pl_directions_count(const pl_directions *k) {
  return k->n;
}

int pl_directions_elements(const pl_directions *k, int i, const int **list) {
  *list = k->elements_of + 2 * (size_t)k->eptr[i];
  return k->eptr[i + 1] - k->eptr[i];
}

// ---- derivatives ------------------------------------------------------------------------------

static void apply(pl_directions *k, direction *d, int i, double by) {
  direction_add(d, k->tptr[i + 1] - k->tptr[i], k->target + k->tptr[i], by);
}

static void release(pl_directions *k, direction *d, int i) {
  direction_clear(d, k->tptr[i + 1] - k->tptr[i], k->target + k->tptr[i]);
}

static void clear_drive(const pl_directions *k, direction *d) {
  memset(d->dq, 0, 3 * (size_t)k->m->nq * sizeof(double));
}

// y . dr of the elements of the direction that is set; massive: those with mass alone
static pl_status dot_elements(const pl_directions *k, const pl_params *p, const pl_state *s,
                              const direction *d, int i, int massive, const double *y,
                              double *out) {
  double df[PL_NDOF_MAX];
  for (int t = k->eptr[i]; t < k->eptr[i + 1]; t++) {
    const group *g = &k->m->group[k->elements_of[2 * t]];
    int e = k->elements_of[2 * t + 1], n = g->kind->ndof;
    const int *dof = g->dof + (size_t)e * (size_t)n;
    if (massive && !g->kind->d.mass) continue;
    PL_TRY(direction_element(p, s, g, e, d, df));
    for (int j = 0; j < n; j++)
      if (dof[j] >= 0) *out += y[dof[j]] * df[j];
  }
  return PL_OK;
}

static double dot_loads(const pl_directions *k, const pl_params *p, const pl_clock *c, direction *d,
                        const double *y) {
  // dq is free while nothing is driven; f is used inside
  double *out = d->dq, sum = 0;
  memset(out, 0, (size_t)k->m->nq * sizeof *out);
  direction_loads(k->m, p, c, d, out);
  for (int j = 0; j < k->m->nq; j++) sum += y[j] * out[j];
  memset(out, 0, (size_t)k->m->nq * sizeof *out);
  return sum;
}

pl_status pl_directions_dot(pl_directions *k, int thread, const pl_params *p, const pl_state *s,
                            const pl_clock *c, const double *y, double *out) {
  direction *d = &k->d[thread];
  pl_status st = PL_OK;
  direction_begin(k->m, p, s, c, d);
  for (int i = 0; st == PL_OK && i < k->n; i++) {
    apply(k, d, i, 1);
    if (k->drives[i]) direction_drive(k->m, p, s, c, d);
    st = dot_elements(k, p, s, d, i, 0, y, &out[i]);
    if (k->drives[i]) clear_drive(k, d);
    if (k->loads[i]) out[i] += dot_loads(k, p, c, d, y);
    release(k, d, i);
  }
  return st;
}

pl_status pl_directions_along(pl_directions *k, int thread, const pl_params *p, const pl_state *s,
                              const pl_clock *c, const double *dp, double *out) {
  direction *d = &k->d[thread];
  for (int i = 0; i < k->n; i++) apply(k, d, i, dp[i]);
  direction_begin(k->m, p, s, c, d);
  pl_status st = direction_force(k->m, p, s, c, d, out);
  for (int i = 0; i < k->n; i++) release(k, d, i);
  clear_drive(k, d);
  return st;
}

void pl_directions_driven(pl_directions *k, int thread, const pl_params *p, const pl_state *s,
                          const pl_clock *c, int i, double *dq, double *dv, double *da) {
  direction *d = &k->d[thread];
  size_t bytes = (size_t)k->m->nq * sizeof *dq;
  if (k->drives[i]) {
    apply(k, d, i, 1);
    direction_drive(k->m, p, s, c, d);
    release(k, d, i);
  }
  memcpy(dq, d->dq, bytes);
  memcpy(dv, d->dv, bytes);
  memcpy(da, d->da, bytes);
  clear_drive(k, d);
}

void pl_directions_places(const pl_directions *k, int i, double *dX) {
  for (int t = k->tptr[i]; t < k->tptr[i + 1]; t++)
    if (k->target[t].on_ref) dX[k->target[t].index] += k->target[t].coef;
}

void pl_directions_move(const pl_directions *k, int i, double by, pl_params *p) {
  for (int t = k->tptr[i]; t < k->tptr[i + 1]; t++)
    (k->target[t].on_ref ? p->X : p->par)[k->target[t].index] += by * k->target[t].coef;
}

double pl_directions_size(const pl_directions *k, int i, const pl_params *p) {
  double most = 0;
  for (int t = k->tptr[i]; t < k->tptr[i + 1]; t++) {
    const pl_target *at = &k->target[t];
    double value = fabs(at->on_ref ? 0 : p->par[at->index]);
    if (value > 0) most = fmax(most, fabs(at->coef) / value);
  }
  return most;
}

pl_status pl_directions_energy(pl_directions *k, const pl_params *p, const pl_state *s, int i,
                               const double *dq, const double *dhist, double *dW) {
  const pl_model *m = k->m;
  direction *d = &k->d[0];
  int bad = 0;
  *dW = 0;
  apply(k, d, i, 1);
  memcpy(d->dq, dq, (size_t)m->nq * sizeof *dq);
  for (int j = 0; !bad && j < m->ngroup; j++) {
    const group *g = &m->group[j];
    size_t nh = (size_t)g->kind->nhist;
    for (int e = 0; !bad && !g->kind->outer && e < g->nelem; e++) {
      double one = 0;
      bad = change_energy(p, s, g, e, d, dhist + g->hist0 + (size_t)e * nh, &one);
      *dW += one;
    }
  }
  clear_drive(k, d);
  release(k, d, i);
  return bad ? PL_DOMAIN : PL_OK;
}

void pl_directions_smooth(pl_directions *k, int on) {
  for (int i = 0; i < k->nthread; i++) k->d[i].smooth = on;
}

pl_status pl_directions_pair(pl_directions *k, const pl_params *p, pl_state *s, const pl_clock *c,
                             int i, int which, int elem, const double *hist, int side,
                             double *out) {
  direction *d = &k->d[0];
  const group *g = &k->m->group[which];
  size_t nh = (size_t)g->kind->nhist;
  int smooth = d->smooth;
  if (hist) memcpy(s->hist + g->hist0 + (size_t)elem * nh, hist, nh * sizeof *hist);
  apply(k, d, i, 1);
  direction_begin(k->m, p, s, c, d);
  if (k->drives[i]) direction_drive(k->m, p, s, c, d);
  d->smooth = 0;
  pl_status st = side ? direction_slider(p, s, g, elem, d, side, out)
                      : direction_element(p, s, g, elem, d, out);
  d->smooth = smooth;
  if (k->drives[i]) clear_drive(k, d);
  release(k, d, i);
  return st;
}

int pl_directions_drive(pl_directions *k, int thread, const pl_params *p, const pl_clock *c, int i,
                        int node, double *dx, double *dv, double *da) {
  const pl_model *m = k->m;
  direction *d = &k->d[thread];
  int moves = 0;
  memset(dx, 0, 3 * sizeof *dx);
  memset(dv, 0, 3 * sizeof *dv);
  memset(da, 0, 3 * sizeof *da);
  if (!k->drives[i]) return 0;
  apply(k, d, i, 1);
  for (int j = 0; j < m->ndrive; j++)
    for (int n = 0; n < m->drive[j].nnode; n++) {
      const drive *dr = &m->drive[j];
      if (dr->node[n] != node) continue;
      double x[3], v[3], a[3];
      drive_motion_along(m, dr, p->par, d->dpar, p->X, d->dX, c, n, x, v, a);
      for (int b = 0; b < m->dim; b++) {
        if (!(dr->mask >> b & 1)) continue;
        dx[b] = x[b];
        dv[b] = v[b];
        da[b] = a[b];
        moves = 1;
      }
    }
  release(k, d, i);
  return moves;
}

int pl_directions_scalar(pl_directions *k, int thread, const pl_params *p, const pl_clock *c, int i,
                         int unknown, double *dx) {
  const pl_model *m = k->m;
  direction *d = &k->d[thread];
  int moves = 0;
  double dv, da;
  *dx = 0;
  if (!k->drives[i]) return 0;
  apply(k, d, i, 1);
  for (int j = 0; j < m->ndrive; j++)
    for (int n = 0; n < m->drive[j].nscal; n++) {
      if (m->drive[j].scal[n] != unknown) continue;
      drive_scalar_along(m, &m->drive[j], p->par, d->dpar, p->X, d->dX, NULL, c, n, dx, &dv, &da);
      moves = 1;
    }
  release(k, d, i);
  return moves;
}

// forces are affine in the accelerations: half the difference of those under +1 and -1 is the mass
pl_status pl_directions_mass(pl_directions *k, const pl_params *p, double factor, double *out) {
  const pl_model *m = k->m;
  pl_state *s;
  PL_TRY(pl_state_create(m, p, &s));
  direction *d = &k->d[0];
  pl_clock c = {0};
  double *y = pl_alloc(k->env, (size_t)m->nq, sizeof *y);
  pl_status st = y ? PL_OK : PL_E_NOMEM;
  for (int i = 0; y && i < m->nnode; i++) y[i * m->dim] = 1;
  for (int side = 0; st == PL_OK && side < 2; side++) {
    for (int j = 0; j < m->nq; j++) s->a[j] = side ? -y[j] : y[j];
    direction_begin(m, p, s, &c, d);
    for (int i = 0; st == PL_OK && i < k->n; i++) {
      double sum = 0;
      apply(k, d, i, 1);
      st = dot_elements(k, p, s, d, i, 1, y, &sum);
      release(k, d, i);
      out[i] += 0.5 * factor * (side ? -sum : sum);
    }
  }
  pl_free(k->env, y);
  pl_state_free(m, s);
  return st;
}
