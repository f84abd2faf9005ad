// Contacts of a step under way: which pairs take part, their compliance, Coulomb's law for them.
#include "solve_impl.h"

#include <string.h>

static const double CLOSE = 1e-13; // of the size of the model: gaps below are zero
static const double SHALLOW =
    0.01;                          // of its way in a step: overlaps whose way out is taken as it is
static const double INWARD = 1e-3; // cosine by which a node goes into a face that it enters
static const double SMOOTH = 0.9;  // cosine between ways out of one smooth face, at least
enum {
  PLACES = 64, // on the way of a node
  MANY = 4000, // unknowns of the law up to which W is formed where it is not solved by products
  SAMPLES = 16 // contacts that tell the size of W where it is not formed
};

// ---- set ----------------------------------------------------------------------------------------

pl_status contact_set_open(contact_set *t, pl_env *env, const pl_model *m, const pl_params *p,
                           pl_contact *k) {
  *t = (contact_set){.k = k, .m = m, .env = env, .n = pl_model_nfree(m), .dim = k->dim};
  size_t npair = (size_t)k->npair;
  t->place = pl_alloc(t->env, npair, sizeof *t->place);
  t->in = pl_alloc(t->env, npair, sizeof *t->in);
  t->probe = pl_alloc(t->env, (size_t)t->n, sizeof *t->probe);
  t->push = pl_alloc(t->env, (size_t)k->nq, sizeof *t->push);
  t->end = pl_alloc(t->env, (size_t)k->nq, sizeof *t->end);
  t->more = pl_alloc(t->env, (size_t)t->n, sizeof *t->more);
  if (!t->end || !t->more) return PL_E_NOMEM;
  if (!t->place || !t->in || !t->probe || !t->push) return PL_E_NOMEM;
  PL_TRY(compliance_open(t));
  const int *index = pl_model_free_index(m);
  for (int i = 0; i < k->npair; i++) {
    const int *dof = index + k->pair[i].node * t->dim;
    t->in[i] = -2;
    for (int c = 0; c < t->dim; c++)
      if (dof[c] >= 0) t->in[i] = -1;
  }
  if (k->bodies) PL_TRY(bodies_open(t, k->bodies));
  if (k->surface) PL_TRY(surface_open(t));
  for (int o = 0; o < k->nobstacle; o++)
    t->size = fmax(t->size, pl_obstacle_size(&k->obstacle[o], t->dim));
  // what lies at the origin has come from somewhere
  t->size = fmax(t->size, pl_max_abs(pl_model_nnode(m) * t->dim, p->X));
  return PL_OK;
}

void contact_set_close(contact_set *t) {
  void *all[] = {t->before, t->factor, t->place,  t->in,   t->set, t->probe,
                 t->about,  t->row,    t->W,      t->c,    t->f,   t->u,
                 t->gap,    t->mu,     t->status, t->push, t->end, t->more};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(t->env, all[i]);
  compliance_close(t);
  bodies_close(t);
  surface_close(t);
  *t = (contact_set){0};
}

// room for count doubles in each of the arrays of the set
static pl_status resize(pl_env *env, double **x, size_t a, size_t b) {
  size_t count;
  if (pl_mul_size(a, b, &count)) count = SIZE_MAX / 16;
  double *more = pl_realloc(env, *x, count, sizeof **x);
  if (!more) return PL_E_NOMEM;
  *x = more;
  return PL_OK;
}

static pl_status grow(contact_set *t) {
  if (t->nset < t->cap) return PL_OK;
  size_t cap = t->cap > 0 ? 2 * (size_t)t->cap : 8, m = cap * (size_t)t->dim;
  int *set = pl_realloc(t->env, t->set, cap, sizeof *set);
  if (!set) return PL_E_NOMEM;
  t->set = set;
  pl_contact_row *row = pl_realloc(t->env, t->row, cap, sizeof *row);
  if (!row) return PL_E_NOMEM;
  t->row = row;
  pl_contact_status *status = pl_realloc(t->env, t->status, cap, sizeof *status);
  if (!status) return PL_E_NOMEM;
  t->status = status;
  PL_TRY(resize(t->env, &t->about, m, 1));
  PL_TRY(resize(t->env, &t->c, m, 1));
  PL_TRY(resize(t->env, &t->f, m, 1));
  PL_TRY(resize(t->env, &t->before, m, 1));
  PL_TRY(resize(t->env, &t->u, m, 1));
  PL_TRY(resize(t->env, &t->gap, cap, 1));
  PL_TRY(resize(t->env, &t->mu, cap, 1));
  t->cap = (int)cap;
  return PL_OK;
}

pl_status contact_set_join(contact_set *t, int pair, const pl_contact_row *row) {
  PL_TRY(grow(t));
  int k = t->nset++;
  t->set[k] = pair;
  if (pair >= 0) t->in[pair] = k;
  t->row[k] = *row;
  t->mu[k] = row->mu;
  t->status[k] = PL_STICK;
  t->gap[k] = 0;
  memset(t->f + k * t->dim, 0, (size_t)t->dim * sizeof *t->f);
  memset(t->u + k * t->dim, 0, (size_t)t->dim * sizeof *t->u);
  return PL_OK;
}

// pair i of a node and an obstacle joins, at q; NULL: its place is told later
static pl_status join(contact_set *t, int i, const double *q) {
  const pl_contact_pair *a = &t->k->pair[i];
  pl_contact_row row = {.mu = a->mu};
  pl_contact_pair_row(t->k, a, q, t->place[i].frame[0], &row);
  memcpy(row.frame, t->place[i].frame, sizeof row.frame);
  return contact_set_join(t, i, &row);
}

void contact_set_move(contact_set *t, int k, int to) {
  size_t size = (size_t)t->dim * sizeof *t->f;
  t->set[to] = t->set[k];
  if (t->set[to] >= 0) t->in[t->set[to]] = to;
  t->row[to] = t->row[k];
  t->mu[to] = t->mu[k];
  t->status[to] = t->status[k];
  t->gap[to] = t->gap[k];
  memmove(t->f + to * t->dim, t->f + k * t->dim, size);
  memmove(t->u + to * t->dim, t->u + k * t->dim, size);
}

pl_status contact_set_begin(contact_set *t, double share) {
  for (int k = 0; k < t->nset; k++)
    if (t->set[k] >= 0) t->in[t->set[k]] = -1;
  t->nset = 0;
  compliance_forget(t);
  if (t->bodies) t->bodies->rounds = 0;
  t->share = share;
  t->residual = t->error = 0;
  for (int i = 0; i < t->k->npair; i++) {
    const pl_contact_pair *a = &t->k->pair[i];
    t->place[i] = a->place;
    if (t->in[i] == -2 || a->status == PL_OPEN) continue;
    PL_TRY(join(t, i, NULL));
    t->status[t->in[i]] = a->status;
    for (int c = 0; c < t->dim; c++) t->f[t->in[i] * t->dim + c] = a->force[c] / share;
  }
  return t->surface ? surface_begin(t) : PL_OK;
}

void contact_set_rotate(int dim, const double *from, const double *to, double *f) {
  double world[3] = {0}, size = pl_norm(dim - 1, f + 1), now = 0;
  if (!(size > 0)) return;
  for (int j = 1; j < dim; j++)
    for (int c = 0; c < dim; c++) world[c] += f[j] * from[3 * j + c];
  for (int j = 1; j < dim; j++) {
    f[j] = pl_dot(dim, world, to + 3 * j);
    now += f[j] * f[j];
  }
  for (int j = 1; j < dim && now > 0; j++) f[j] *= size / sqrt(now);
}

// Where a node that is inside at x entered on its way from the start of the step, had that moved
// with the obstacle: a node that flies past a corner would be sent out by the other side of it.
// What slides along a face does not enter there.
static void enter(const contact_set *t, const contact_rule *u, const pl_contact_pair *a,
                  const double *x, pl_gap *now) {
  const pl_obstacle *o = &t->k->obstacle[a->obstacle];
  double from[3], d[3], at[3], length, s = 0;
  pl_gap g;
  for (int c = 0; c < t->dim; c++) {
    from[c] = u->q0[a->node * t->dim + c] + (u->t - u->t0) * o->velocity[c];
    d[c] = x[c] - from[c];
  }
  length = pl_norm(t->dim, d);
  // the nearest way out is as good as any other where the way in was not longer
  if (!(-now->gap > SHALLOW * length)) return;
  for (int it = 0; it < PLACES; it++) {
    if (s >= length) return;
    for (int c = 0; c < t->dim; c++) at[c] = from[c] + d[c] * (s / length);
    pl_obstacle_gap(o, t->dim, u->t, at, a->radius, &g);
    if (g.gap <= t->slack && pl_dot(t->dim, g.frame[0], d) < -INWARD * length) break;
    s += fmax(g.gap, length / PLACES);
  }
  if (s >= length || pl_dot(t->dim, g.frame[0], now->frame[0]) > SMOOTH) return;
  double gap = g.gap;
  for (int c = 0; c < t->dim; c++) gap += g.frame[0][c] * (x[c] - at[c]);
  *now = g;
  now->gap = gap;
}

pl_status contact_set_place(contact_set *t, const contact_rule *u) {
  // rounding in a gap is that of the numbers it is the difference of
  double size = fmax(t->size, pl_max_abs(pl_model_nnode(t->m) * t->dim, u->q));
  t->slack = CLOSE * size;
  t->error = 0;
  for (int i = 0; i < t->k->npair; i++) {
    if (t->in[i] == -2) continue;
    const pl_contact_pair *a = &t->k->pair[i];
    pl_gap now;
    pl_obstacle_gap(&t->k->obstacle[a->obstacle], t->dim, u->t, u->q + a->node * t->dim, a->radius,
                    &now);
    if (u->q0 && now.gap < -t->slack) enter(t, u, a, u->q + a->node * t->dim, &now);
    int k = t->in[i];
    if (k >= 0) {
      double *f = t->f + k * t->dim;
      if (f[0] > 0) t->error = fmax(t->error, fabs(now.gap - t->gap[k]));
      contact_set_rotate(t->dim, t->place[i].frame[0], now.frame[0], f);
      memcpy(t->row[k].frame, now.frame, sizeof now.frame);
      pl_contact_pair_row(t->k, a, u->q, now.frame[0], &t->row[k]);
    }
    t->place[i] = now;
    if (k == -1 && now.gap < -t->slack) {
      PL_TRY(join(t, i, u->q));
      t->error = INFINITY;
    }
  }
  if (t->surface) PL_TRY(surface_place(t, u));
  return t->bodies ? bodies_place(t, u) : PL_OK;
}

// g[n] += size times row i of G
static void add_row(const contact_set *t, int i, double size, double *g) {
  pl_contact_row_add(&t->row[i / t->dim], t->dim, i % t->dim, size, pl_model_free_index(t->m), g);
}

// row i of G along a vector over the free unknowns
static double along_row(const contact_set *t, int i, const double *x) {
  return pl_contact_row_dot(&t->row[i / t->dim], t->dim, i % t->dim, pl_model_free_index(t->m), x);
}

double contact_set_along(const contact_set *t, int i, const double *x) {
  const pl_contact_row *r = &t->row[i / t->dim];
  double y[3];
  pl_contact_row_point(r, t->dim, x, y);
  return pl_dot(t->dim, r->frame[i % t->dim], y);
}

double contact_set_drag(const contact_set *t, int i) {
  int pair = t->set[i / t->dim];
  if (pair == BODIES) return 0;
  const pl_obstacle *o = &t->k->obstacle[pair >= 0 ? t->k->pair[pair].obstacle : SURFACE - pair];
  return pl_dot(t->dim, t->row[i / t->dim].frame[i % t->dim], o->velocity);
}

int contact_set_is_free(const contact_set *t, const pl_contact_row *r) {
  const int *index = pl_model_free_index(t->m);
  for (int a = 0; a < r->n; a++)
    for (int c = 0; c < t->dim; c++)
      if (r->weight[a] != 0 && index[t->dim * r->vert[a] + c] >= 0) return 1;
  return 0;
}

double contact_set_gap(const contact_set *t, int k, const double *q) {
  if (t->set[k] >= 0) return t->place[t->set[k]].gap;
  return contact_set_along(t, k * t->dim, q) - t->row[k].offset;
}

void contact_set_add(const contact_set *t, double factor, double *g) {
  for (int i = 0; i < t->nset * t->dim; i++) add_row(t, i, factor * t->f[i], g);
}

// ---- Coulomb's law ------------------------------------------------------------------------------

pl_status contact_set_answer(contact_set *t, pl_factor *A, const double *f, double *d) {
  memset(d, 0, (size_t)t->n * sizeof *d);
  for (int i = 0; i < t->nset * t->dim; i++)
    if (f[i] != 0) add_row(t, i, f[i], d);
  return factor_solve(t->env, A, 1, d, d);
}

static int is_few(const contact_set *t) {
  return t->nset * t->dim <= t->k->formed;
}

pl_status contact_set_product(contact_set *t, pl_factor *A, double slope, const double *f,
                              double *y) {
  int m = t->nset * t->dim;
  if (is_few(t)) {
    PL_TRY(compliance_form(t, A, slope));
    for (int i = 0; i < m; i++) y[i] = pl_dot(m, t->W + (size_t)i * m, f);
    return PL_OK;
  }
  PL_TRY(contact_set_answer(t, A, f, t->probe));
  for (int i = 0; i < m; i++) y[i] = slope * along_row(t, i, t->probe);
  return PL_OK;
}

void contact_set_problem(contact_set *t, const contact_rule *u, const double *d0) {
  for (int i = 0; i < t->nset * t->dim; i++) {
    double c = u->slope * along_row(t, i, d0);
    if (i % t->dim > 0)
      c += contact_set_along(t, i, u->rate) - u->drag * contact_set_drag(t, i);
    else if (u->q)
      c += u->slope * contact_set_gap(t, i / t->dim, u->q);
    t->c[i] = c;
  }
}

// pairs that overlap at q + d join; returns their number through *count
static pl_status join_overlaps(contact_set *t, const contact_rule *u, const double *d, int *count) {
  const int *index = pl_model_free_index(t->m);
  *count = 0;
  for (int i = 0; i < t->k->npair; i++) {
    if (t->in[i] != -1) continue;
    const pl_contact_pair *a = &t->k->pair[i];
    double x[3];
    for (int c = 0; c < t->dim; c++) {
      int dof = a->node * t->dim + c;
      x[c] = u->q[dof] + (index[dof] >= 0 ? d[index[dof]] : 0);
    }
    pl_gap g;
    pl_obstacle_gap(&t->k->obstacle[a->obstacle], t->dim, u->t, x, a->radius, &g);
    if (g.gap >= -t->slack) continue;
    PL_TRY(join(t, i, u->q));
    ++*count;
  }
  return PL_OK;
}

// PL_SINGULAR: W of an indefinite A is not semidefinite, or there is too much of it to tell
static pl_status check_W(contact_set *t, pl_factor *A, double slope) {
  int definite = 0;
  if (!is_few(t)) return PL_SINGULAR;
  PL_TRY(compliance_form(t, A, slope));
  PL_TRY(compliance_definite(t, &definite));
  return definite ? PL_OK : PL_SINGULAR;
}

static pl_status product(void *ctx, const double *p, double *y) {
  contact_set *t = ctx;
  return contact_set_product(t, t->A, t->slope, p, y);
}

static pl_status solve_law(contact_set *t, pl_factor *A, double slope, int form) {
  pl_friction_desc law = {.n = t->nset, .size = t->dim, .c = t->c, .mu = t->mu};
  pl_friction_info info;
  PL_TRY(form ? compliance_form(t, A, slope) : compliance_sample(t, A, slope, SAMPLES));
  t->A = A;
  t->slope = slope;
  law.W = form ? t->W : NULL;
  law.product = product;
  law.ctx = t;
  law.diagonal = t->about;
  pl_status s = pl_friction(t->env, &t->k->friction, &law, t->f, t->u, t->status, &info);
  PL_TRY(s);
  t->k->solves++;
  t->k->sweeps += info.sweeps;
  t->k->iterations += info.iterations;
  t->residual = info.residual;
  return PL_OK;
}

pl_status contact_set_law(contact_set *t, pl_factor *A, double slope) {
  pl_status s = solve_law(t, A, slope, is_few(t));
  if (s != PL_UNSOLVED || is_few(t) || t->nset * t->dim > MANY) return s;
  return solve_law(t, A, slope, 1);
}

pl_status contact_set_solve(contact_set *t, const contact_rule *u, pl_factor *A, int definite,
                            const double *d0, double *d) {
  memcpy(d, d0, (size_t)t->n * sizeof *d);
  int count = 0, more = 0;
  do {
    if (t->nset > 0) {
      contact_set_problem(t, u, d0);
      if (!definite) PL_TRY(check_W(t, A, u->slope));
      PL_TRY(contact_set_law(t, A, u->slope));
      PL_TRY(contact_set_answer(t, A, t->f, d));
      for (int i = 0; i < t->n; i++) d[i] += d0[i];
      for (int k = 0; k < t->nset; k++) t->gap[k] = t->u[k * t->dim] / u->slope;
    }
    PL_TRY(join_overlaps(t, u, d, &count));
    // most of what faces and edges would meet, nodes hold
    if (t->surface && count == 0) PL_TRY(surface_join(t, u, d, &count));
    if (t->bodies) PL_TRY(bodies_join(t, u, d, &more));
  } while (count + more > 0);
  return PL_OK;
}

// ---- help for Newton's method -------------------------------------------------------------------

// stiffness of the elements at a node
static double node_stiffness(const pl_csc *K, const int *dof, int dim) {
  double most = 0;
  for (int c = 0; c < dim; c++)
    if (dof[c] >= 0) most = fmax(most, fabs(*pl_csc_diagonal(K, dof[c])));
  return most > 0 ? most : 1;
}

// what holds one node of a row that presses
static void hold_node(const contact_set *t, int k, int a, pl_csc *K) {
  const pl_contact_row *r = &t->row[k];
  const int *dof = pl_model_free_index(t->m) + r->vert[a] * t->dim;
  const double *n = r->frame[0];
  double size = r->weight[a] * r->weight[a] * node_stiffness(K, dof, t->dim);
  for (int b = 0; b < t->dim; b++)
    for (int c = 0; c < t->dim; c++) {
      if (dof[b] < 0 || dof[c] < 0 || dof[b] < dof[c]) continue;
      double hold = t->status[k] == PL_STICK ? (b == c) : n[b] * n[c];
      int at = pl_csc_find(K, dof[b], dof[c]);
      if (at >= 0) K->val[at] += size * hold;
    }
}

void contact_set_hold(const contact_set *t, pl_csc *K) {
  for (int k = 0; k < t->nset; k++)
    for (int a = 0; a < t->row[k].n && t->status[k] != PL_OPEN; a++) hold_node(t, k, a, K);
}

// the same for a row by its plane
static double row_merit(const contact_set *t, int k, const contact_rule *u) {
  double slide[3] = {0}, gap = contact_set_gap(t, k, u->q);
  for (int j = 1; j < t->dim; j++)
    slide[j] = contact_set_along(t, k * t->dim + j, u->rate) -
               u->drag * contact_set_drag(t, k * t->dim + j);
  return t->f[k * t->dim] * (t->mu[k] * pl_norm3(slide) + 2 * fmax(0, -gap));
}

double contact_set_merit(const contact_set *t, const contact_rule *u) {
  double sum = 0;
  for (int k = 0; k < t->nset; k++) {
    double press = t->f[k * t->dim], slide = 0;
    if (!(press > 0)) continue;
    if (contact_set_is_surface(t, k)) sum += row_merit(t, k, u);
    if (t->set[k] < 0) continue;
    const pl_contact_pair *a = &t->k->pair[t->set[k]];
    const pl_obstacle *o = &t->k->obstacle[a->obstacle];
    pl_gap g;
    pl_obstacle_gap(o, t->dim, u->t, u->q + a->node * t->dim, a->radius, &g);
    double rate[3];
    pl_contact_row_point(&t->row[k], t->dim, u->rate, rate);
    for (int j = 1; j < t->dim; j++) {
      double v = 0;
      for (int c = 0; c < t->dim; c++) v += g.frame[j][c] * (rate[c] - u->drag * o->velocity[c]);
      slide += v * v;
    }
    sum += press * (a->mu * sqrt(slide) + 2 * fmax(0, -g.gap));
  }
  return sum;
}

// pairs of the set that were open before this step and press now; -1: no more of them after k
static int next_landed(const contact_set *t, int k) {
  for (k++; k < t->nset; k++)
    if (t->set[k] >= 0 && t->status[k] != PL_OPEN && t->k->pair[t->set[k]].status == PL_OPEN)
      return k;
  return -1;
}

void contact_set_land(const contact_set *t, double *v) {
  for (int k = next_landed(t, -1); k >= 0; k = next_landed(t, k)) {
    int i = t->set[k];
    pl_contact_stop(t->k, i, t->place[i].frame[0], pl_model_free_index(t->m), v);
  }
}

void contact_set_forget(const contact_set *t, double h, const double *x, double *q1, double *v1) {
  for (int k = next_landed(t, -1); k >= 0; k = next_landed(t, k)) {
    int i = t->set[k];
    pl_contact_forget(t->k, i, t->place[i].frame[0], pl_model_free_index(t->m), h, x, q1, v1);
  }
}

void contact_set_push(contact_set *t) {
  memset(t->push, 0, (size_t)t->k->nq * sizeof *t->push);
  for (int i = 0; i < t->nset * t->dim; i++) {
    const pl_contact_row *r = &t->row[i / t->dim];
    for (int a = 0; a < r->n && t->f[i] != 0; a++)
      for (int c = 0; c < t->dim; c++)
        t->push[r->vert[a] * t->dim + c] +=
            t->share * t->f[i] * r->weight[a] * r->frame[i % t->dim][c];
  }
}

double contact_set_slid(const contact_set *t) {
  double most = 0;
  for (int i = 0; i < t->k->npair; i++)
    if (t->in[i] >= 0)
      most = fmax(most, pl_norm(t->dim - 1, t->u + (size_t)t->in[i] * (size_t)t->dim + 1));
  return most;
}

pl_status contact_set_accept(contact_set *t) {
  pl_contact *k = t->k;
  int closed = 0;
  memcpy(k->push, t->push, (size_t)k->nq * sizeof *k->push);
  memcpy(k->begin, t->end, (size_t)k->nq * sizeof *k->begin);
  k->begun = t->ended;
  t->ended = 0;
  for (int i = 0; i < k->npair; i++) {
    pl_contact_pair *a = &k->pair[i];
    int at = t->in[i];
    a->status = at >= 0 ? t->status[at] : PL_OPEN;
    if (at == -2) continue;
    a->place = t->place[i];
    closed += a->status != PL_OPEN;
    for (int c = 0; c < t->dim; c++) {
      a->force[c] = at >= 0 ? t->share * t->f[at * t->dim + c] : 0;
      a->slide[c] = at >= 0 && c > 0 ? t->u[at * t->dim + c] : 0;
    }
  }
  if (t->bodies) bodies_accept(t);
  if (t->surface) PL_TRY(surface_accept(t));
  closed += k->npress + k->bodies_stick + k->bodies_slip;
  k->residual = fmax(k->residual, t->residual);
  k->most = closed > k->most ? closed : k->most;
  return PL_OK;
}
