// Pairs of nodes and obstacles.
#include "contact_impl.h"

#include <stdio.h>
#include <string.h>

enum { FORMED = 2000 }; // unknowns of the law whose matrix is formed

static pl_status check_desc(pl_env *env, const pl_model *m, const pl_contact_desc *d) {
  if (d->nobstacle < 0 || d->nnode < 0)
    return pl_fail(env, PL_E_ARG, "contact: %d obstacles, %d nodes", d->nobstacle, d->nnode);
  for (int k = 0; k < d->nobstacle; k++) {
    char what[32];
    snprintf(what, sizeof what, "obstacle %d", k);
    PL_TRY(pl_obstacle_check(env, &d->obstacle[k], pl_model_dim(m), what));
  }
  if (d->bodies && (!d->bodies->solid || d->bodies->nvert != pl_model_nnode(m)))
    return pl_fail(env, PL_E_ARG, "contact: bodies must be solids over the %d nodes of the model",
                   pl_model_nnode(m));
  for (int i = 0; i < d->nnode; i++) {
    if (d->node[i] < 0 || d->node[i] >= pl_model_nnode(m))
      return pl_fail(env, PL_E_ARG, "contact: node %d is not in 0..%d", d->node[i],
                     pl_model_nnode(m) - 1);
    if (d->radius && !(d->radius[i] >= 0 && isfinite(d->radius[i])))
      return pl_fail(env, PL_E_INPUT, "contact: radius of node %d must be >= 0, got %g m",
                     d->node[i], d->radius[i]);
    for (int k = 0; d->mu && k < d->nobstacle; k++)
      if (!(d->mu[i * d->nobstacle + k] >= 0 && isfinite(d->mu[i * d->nobstacle + k])))
        return pl_fail(env, PL_E_INPUT,
                       "contact: friction coefficient of node %d must be >= 0, got %g", d->node[i],
                       d->mu[i * d->nobstacle + k]);
  }
  return PL_OK;
}

static pl_status copy_balls(pl_contact *k, const pl_contact_desc *d) {
  k->ball = pl_alloc(k->env, (size_t)d->nball, sizeof *k->ball);
  if (!k->ball) return PL_E_NOMEM;
  for (; k->nball < d->nball; k->nball++) {
    const pl_contact_ball *from = &d->ball[k->nball];
    int *tri = pl_alloc(k->env, 3 * (size_t)from->ntri, sizeof *tri);
    if (!tri) return PL_E_NOMEM;
    memcpy(tri, from->tri, 3 * (size_t)from->ntri * sizeof *tri);
    k->ball[k->nball] = (pl_contact_ball){from->centre, from->ntri, tri};
  }
  return PL_OK;
}

pl_status pl_contact_create(pl_env *env, const pl_model *m, const pl_contact_desc *d,
                            pl_contact **out) {
  *out = NULL;
  PL_TRY(check_desc(env, m, d));
  size_t npair;
  if (pl_mul_size((size_t)d->nobstacle, (size_t)d->nnode, &npair) || npair > 100000000)
    return pl_fail(env, PL_E_INPUT, "contact: %d nodes times %d obstacles are too many pairs",
                   d->nnode, d->nobstacle);
  pl_contact *k = pl_alloc(env, 1, sizeof *k);
  if (!k) return PL_E_NOMEM;
  k->env = env;
  k->dim = pl_model_dim(m);
  k->nobstacle = d->nobstacle;
  k->npair = (int)npair;
  pl_opts_default(pl_friction_option_table, pl_friction_option_count, &k->friction);
  k->formed = FORMED;
  k->obstacle = pl_alloc(env, (size_t)d->nobstacle, sizeof *k->obstacle);
  k->pair = pl_alloc(env, npair, sizeof *k->pair);
  k->total = pl_alloc(env, (size_t)d->nobstacle, sizeof *k->total);
  k->nq = pl_model_nq(m);
  k->push = pl_alloc(env, (size_t)k->nq, sizeof *k->push);
  k->begin = pl_alloc(env, (size_t)k->nq, sizeof *k->begin);
  pl_status s = !k->obstacle || !k->pair || !k->total || !k->push || !k->begin ? PL_E_NOMEM : PL_OK;
  if (s == PL_OK) s = copy_balls(k, d);
  if (s == PL_OK) s = surface_create(env, pl_model_nnode(m), d, k->dim, &k->surface);
  if (s == PL_OK && d->bodies) s = pl_layers_create(env, d->bodies, &k->bodies);
  if (s != PL_OK) {
    pl_contact_free(k);
    return s;
  }
  if (d->nobstacle > 0)
    memcpy(k->obstacle, d->obstacle, (size_t)d->nobstacle * sizeof *k->obstacle);
  for (int i = 0; i < k->npair; i++) {
    int node = i / d->nobstacle, o = i % d->nobstacle;
    k->pair[i] = (pl_contact_pair){.node = d->node[node],
                                   .obstacle = o,
                                   .ball = d->ball_of ? d->ball_of[node] : -1,
                                   .mu = friction_of(d->mu ? d->mu[i] : d->obstacle[o].mu),
                                   .radius = d->radius ? d->radius[node] : 0};
  }
  *out = k;
  return PL_OK;
}

void pl_contact_free(pl_contact *k) {
  if (!k) return;
  pl_layers_free(k->bodies);
  surface_free(k->surface);
  for (int b = 0; b < k->nball; b++) pl_free(k->env, (int *)(uintptr_t)k->ball[b].tri);
  pl_free(k->env, k->ball);
  pl_free(k->env, k->total);
  pl_free(k->env, k->push);
  pl_free(k->env, k->begin);
  pl_free(k->env, k->press);
  pl_free(k->env, k->obstacle);
  pl_free(k->env, k->pair);
  pl_free(k->env, k);
}

static void copy_contents(const pl_contact *from, pl_contact *to) {
  pl_contact own = *to;
  *to = *from;
  to->pair = own.pair;
  to->total = own.total;
  to->push = own.push;
  to->begin = own.begin;
  to->press = own.press;
  to->cappress = own.cappress;
  if (to->npair > 0) memcpy(to->pair, from->pair, (size_t)to->npair * sizeof *to->pair);
  if (to->nobstacle > 0) memcpy(to->total, from->total, (size_t)to->nobstacle * sizeof *to->total);
  if (to->nq > 0) memcpy(to->push, from->push, (size_t)to->nq * sizeof *to->push);
  if (to->nq > 0) memcpy(to->begin, from->begin, (size_t)to->nq * sizeof *to->begin);
  if (to->npress > 0) memcpy(to->press, from->press, (size_t)to->npress * sizeof *to->press);
}

pl_status pl_contact_keep(const pl_contact *k, pl_contact *kept) {
  if (!kept->env) {
    kept->env = k->env;
    kept->pair = pl_alloc(k->env, (size_t)k->npair, sizeof *kept->pair);
    kept->total = pl_alloc(k->env, (size_t)k->nobstacle, sizeof *kept->total);
    kept->push = pl_alloc(k->env, (size_t)k->nq, sizeof *kept->push);
    kept->begin = pl_alloc(k->env, (size_t)k->nq, sizeof *kept->begin);
    if (!kept->pair || !kept->total || !kept->push || !kept->begin) return PL_E_NOMEM;
  }
  while (kept->cappress < k->npress)
    PL_TRY(pl_grow(k->env, &kept->press, kept->cappress, &kept->cappress, sizeof *kept->press));
  copy_contents(k, kept);
  return PL_OK;
}

// there is room for `press`: it was there before
void pl_contact_back(pl_contact *k, const pl_contact *kept) {
  copy_contents(kept, k);
}

void pl_contact_kept_free(pl_contact *kept) {
  if (!kept->env) return;
  pl_free(kept->env, kept->pair);
  pl_free(kept->env, kept->total);
  pl_free(kept->env, kept->push);
  pl_free(kept->env, kept->begin);
  pl_free(kept->env, kept->press);
  *kept = (pl_contact){0};
}

void pl_contact_place(pl_contact *k, double t, const double *q) {
  for (int i = 0; i < k->npair; i++) {
    pl_contact_pair *a = &k->pair[i];
    pl_obstacle_gap(&k->obstacle[a->obstacle], k->dim, t, q + a->node * k->dim, a->radius,
                    &a->place);
  }
}

void pl_contact_reset(pl_contact *k) {
  k->bodies_stick = k->bodies_slip = 0;
  k->bodies_normal = 0;
  pl_contact_total_clear(k);
  k->begun = 0;
  memset(k->push, 0, (size_t)k->nq * sizeof *k->push);
  for (int i = 0; i < k->npair; i++) {
    k->pair[i].status = PL_OPEN;
    memset(k->pair[i].force, 0, sizeof k->pair[i].force);
    memset(k->pair[i].slide, 0, sizeof k->pair[i].slide);
  }
}

double pl_contact_stop(const pl_contact *k, int pair, const double *n, const int *index,
                       double *v) {
  const double *w = k->obstacle[k->pair[pair].obstacle].velocity;
  int at = k->pair[pair].node * k->dim;
  double own = pl_dot(k->dim, n, w), away = own - pl_dot(k->dim, n, v + at);
  for (int c = 0; c < k->dim; c++)
    if (index[at + c] >= 0) v[at + c] += away * n[c];
  return own;
}

void pl_contact_forget(const pl_contact *k, int pair, const double *n, const int *index, double h,
                       const double *x, double *q1, double *v1) {
  int at = k->pair[pair].node * k->dim;
  double back = -h * pl_contact_stop(k, pair, n, index, v1);
  for (int c = 0; c < k->dim; c++) back += n[c] * (x[at + c] - q1[at + c]);
  for (int c = 0; c < k->dim; c++)
    if (index[at + c] >= 0) q1[at + c] += back * n[c];
}

// Weights of the corners r of a triangle about the centre that make up d; returns the least.
static double solve_weights(const double *const r[3], const double *d, double *w) {
  double A[9], B[9];
  for (int a = 0; a < 3; a++)
    for (int c = 0; c < 3; c++) A[3 * c + a] = r[a][c];
  if (pl_det3(A) == 0) return -INFINITY;
  pl_inv3(A, B);
  for (int a = 0; a < 3; a++) w[a] = pl_dot3(B + 3 * a, d);
  return fmin(w[0], fmin(w[1], w[2]));
}

void pl_contact_pair_row(const pl_contact *k, const pl_contact_pair *a, const double *q,
                         const double *normal, pl_contact_row *row) {
  row->n = 1;
  row->vert[0] = a->node;
  row->weight[0] = 1;
  if (a->ball < 0 || !q) return;
  const pl_contact_ball *b = &k->ball[a->ball];
  const double *centre = q + 3 * (size_t)b->centre,
               d[3] = {-a->radius * normal[0], -a->radius * normal[1], -a->radius * normal[2]};
  double best = -INFINITY;
  for (int t = 0; t < b->ntri; t++) {
    const int *v = b->tri + 3 * (size_t)t;
    double r[3][3], w[3];
    for (int i = 0; i < 3; i++) pl_sub3(q + 3 * (size_t)v[i], centre, r[i]);
    double least = solve_weights((const double *const[3]){r[0], r[1], r[2]}, d, w);
    if (!(least > best)) continue;
    best = least;
    row->n = 4;
    row->weight[0] = 1 - w[0] - w[1] - w[2];
    for (int i = 0; i < 3; i++) {
      row->vert[i + 1] = v[i];
      row->weight[i + 1] = w[i];
    }
  }
}

void pl_contact_row_add(const pl_contact_row *r, int dim, int j, double size, const int *index,
                        double *g) {
  for (int a = 0; a < r->n; a++) {
    const int *dof = index + dim * r->vert[a];
    for (int c = 0; c < dim; c++)
      if (dof[c] >= 0) g[dof[c]] += size * r->weight[a] * r->frame[j][c];
  }
}

double pl_contact_row_dot(const pl_contact_row *r, int dim, int j, const int *index,
                          const double *x) {
  double sum = 0;
  for (int a = 0; a < r->n; a++) {
    const int *dof = index + dim * r->vert[a];
    for (int c = 0; c < dim; c++)
      if (dof[c] >= 0) sum += r->weight[a] * r->frame[j][c] * x[dof[c]];
  }
  return sum;
}

double pl_contact_cosine(const int *vert, const double *weight, const double *normal,
                         const int *vert2, const double *weight2, const double *normal2) {
  double sum = 0, one = 0, two = 0;
  for (int a = 0; a < 4; a++) {
    one += weight[a] * weight[a];
    two += weight2[a] * weight2[a];
    for (int b = 0; b < 4; b++)
      if (vert[a] == vert2[b]) sum += weight[a] * weight2[b];
  }
  return pl_dot3(normal, normal2) * sum / sqrt(one * two);
}

void pl_contact_force(const pl_contact *k, int obstacle, double out[3]) {
  memset(out, 0, 3 * sizeof *out);
  for (int o = 0; o < k->nobstacle; o++)
    for (int c = 0; c < 3 && (obstacle < 0 || o == obstacle); c++) out[c] += k->total[o].force[c];
  for (int i = 0; i < k->npair; i++) {
    const pl_contact_pair *a = &k->pair[i];
    if (obstacle >= 0 && a->obstacle != obstacle) continue;
    for (int j = 0; j < 3; j++)
      for (int c = 0; c < 3; c++) out[c] += a->force[j] * a->place.frame[j][c];
  }
}
