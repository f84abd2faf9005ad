// Rest among obstacles and layers that repel: the minimum of
//   W(q) - work of loads + weight sum_i m_i b(gap_i),   b(g) = -(1 - g/G)^2 log(g/G) within G,
// by Newton's method with a line search. Gaps stay positive from step to step, and no step is so
// long that a node could get through an obstacle or a layer through another.
#include "limit_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { TRIES = 40, STALE = 10 }; // STALE iterations in which forces out of balance do not halve ...
static const double NOISE = 1e-6; // ... below this part of those in play: what is left is rounding
static const double FAR = 10;     // sizes of the model: what has gone so far comes no more to rest
static const double ARMIJO = 1e-4;
static const double RANGE = 0.15;         // of what is kept: where repulsion begins,
static const double AROUND = 0.35;        // and where layers are looked for
static const double PART = 0.9;           // of a distance that one step may go
static const double NEAR = 0.05;          // of a gap that one step leaves at least
static const double FIRST = 1e4;          // 1/s^2; shift by masses at the start
static const double MORE = 4, LESS = 0.2; // how it changes
static const double LEAST = 1e-8;         // of the first shift: below it is none

// One gap: up to four nodes along a normal.
typedef struct gap {
  int pair; // of a node and an obstacle; -1: of layers
  int n, vert[4];
  double weight[4], normal[3];
  double value, range, energy; // m, m, J
} gap;

typedef struct repel {
  const pl_static_opts *o;
  const pl_model *m;
  const pl_params *p;
  const pl_constraints *k;
  pl_work *w;
  pl_env *env;
  pl_static_info *info;
  double weight, size; // J/kg; m, of the model
  int n, nnode;
  const int *index; // [nq] of free unknowns
  double *mass;     // [nnode] kg
  pl_state *x;
  double *looked, *zero;  // [nq] where layers were looked for
  int clear, near;        // none were near, or some
  int placed;             // gaps are those at x
  double *q0, *d, *g, *f; // [nq] start and direction of a step; [n] slope; [nq] forces of gaps
  gap *gap;
  int ngap, cap;
  double contact; // J; energy of gaps
  double shift;   // 1/s^2
  int convex;     // positive parts of elements are used
  pl_csc H;
  int *map; // [w->A.nnz]
  pl_factor *factor;
} repel;

// ---- gaps ---------------------------------------------------------------------------------------

// b of u = g/G and its derivatives by g
static void barrier(const gap *c, double b[3]) {
  double u = c->value / c->range, l = log(u), v = 1 - u;
  b[0] = -c->energy * v * v * l;
  b[1] = c->energy * (2 * v * l - v * v / u) / c->range;
  b[2] = c->energy * (-2 * l + 4 * v / u + v * v / (u * u)) / (c->range * c->range);
}

static pl_status add_gap(repel *r, const gap *c) {
  if (!(c->value < c->range)) return PL_OK;
  PL_TRY(pl_grow(r->env, &r->gap, r->ngap, &r->cap, sizeof *r->gap));
  r->gap[r->ngap++] = *c;
  return PL_OK;
}

// gaps of a node to the parts of an obstacle
typedef struct parts {
  repel *r;
  gap c;
  pl_status status;
} parts;

static void add_part(void *ctx, double distance, const double n[3]) {
  parts *p = ctx;
  p->c.value = distance;
  memcpy(p->c.normal, n, sizeof p->c.normal);
  if (p->status != PL_OK) return;
  p->status = distance > 0 ? add_gap(p->r, &p->c) : PL_DOMAIN;
}

// PL_DOMAIN: something is not outside of an obstacle
static pl_status find_obstacles(repel *r) {
  pl_contact *k = r->k->contact;
  if (!k) return PL_OK;
  pl_contact_place(k, r->x->t, r->x->q);
  for (int i = 0; i < k->npair; i++) {
    const pl_contact_pair *a = &k->pair[i];
    parts p = {.r = r, .c = {.pair = i, .n = 1, .vert = {a->node}, .weight = {1}}};
    p.c.range = RANGE * (a->radius > 0 ? a->radius : r->size / 100);
    p.c.energy = r->weight * r->mass[a->node];
    if (!(a->place.gap > 0)) return PL_DOMAIN;
    if (a->place.gap > p.c.range) continue;
    pl_obstacle_around(&k->obstacle[a->obstacle], r->x->t, r->x->q + 3 * a->node, a->radius,
                       p.c.range, add_part, &p);
    PL_TRY(p.status);
  }
  return PL_OK;
}

// how far any node is from its place in a, apart from the mean
static double apart(const repel *r, const double *a, const double *b) {
  double mean[3] = {0}, most = 0;
  for (int i = 0; i < 3 * r->nnode; i++) mean[i % 3] += (b[i] - a[i]) / r->nnode;
  for (int v = 0; v < r->nnode; v++) {
    double u[3];
    for (int c = 0; c < 3; c++) u[c] = b[3 * v + c] - a[3 * v + c] - mean[c];
    most = fmax(most, pl_norm3(u));
  }
  return most;
}

static pl_status add_layer(repel *r, const pl_layer_pair *p, int vert) {
  gap c = {.pair = -1, .n = p->n, .value = p->distance - p->keep, .range = RANGE * p->keep};
  for (int a = 0; a < p->n; a++) {
    c.vert[a] = p->vert[a];
    c.weight[a] = p->weight[a];
  }
  c.energy = r->weight * r->mass[vert];
  memcpy(c.normal, p->normal, sizeof c.normal);
  return c.value > 0 ? add_gap(r, &c) : PL_DOMAIN;
}

// Where none were near a little before, none repel yet.
static pl_status find_layers(repel *r) {
  const pl_layer_pair *found;
  pl_layers *l = r->k->layers;
  int n;
  if (!l) return PL_OK;
  double thick = pl_layers_thickness(l);
  if (r->clear && 2 * apart(r, r->looked, r->x->q) < (AROUND - RANGE) * thick) return PL_OK;
  double margin = r->near ? RANGE : AROUND;
  PL_TRY(pl_layers_find_faces(l, r->x->q, margin * thick, &n, &found));
  memcpy(r->looked, r->x->q, (size_t)r->x->nq * sizeof *r->looked);
  r->clear = n == 0 && !r->near;
  r->near = n > 0;
  for (int i = 0; i < n; i++) PL_TRY(add_layer(r, &found[i], found[i].vert[0]));
  return PL_OK;
}

static pl_status find_gaps(repel *r) {
  if (r->placed) return PL_OK;
  r->ngap = 0;
  r->contact = 0;
  PL_TRY(find_obstacles(r));
  PL_TRY(find_layers(r));
  memset(r->f, 0, (size_t)r->x->nq * sizeof *r->f);
  for (int i = 0; i < r->ngap; i++) {
    const gap *c = &r->gap[i];
    double b[3];
    barrier(c, b);
    r->contact += b[0];
    for (int a = 0; a < 3 * c->n; a++)
      r->f[3 * c->vert[a / 3] + a % 3] += b[1] * c->weight[a / 3] * c->normal[a % 3];
  }
  r->placed = 1;
  return PL_OK;
}

static pl_status evaluate(repel *r, unsigned want) {
  const pl_clock clock = {.t = r->x->t, .scale = 1};
  if (r->convex) want |= PL_CONVEX;
  PL_TRY(pl_eval(r->m, r->p, r->x, &clock, want, &(pl_coef){.k = 1}, r->w));
  return find_gaps(r);
}

// ---- matrix -------------------------------------------------------------------------------------

// the unknowns of entry e of the block of two nodes of a gap, lower triangle; 0: driven, or above
static int entry(const repel *r, const gap *c, int a, int b, int e, int *row, int *col) {
  int i = r->index[3 * c->vert[a] + e / 3], j = r->index[3 * c->vert[b] + e % 3];
  *row = i > j ? i : j;
  *col = i > j ? j : i;
  return i >= j && j >= 0;
}

static int is_stored(const repel *r) {
  int row, col;
  for (int i = 0; i < r->ngap; i++)
    for (int k = 0; k < 9 * 16; k++) {
      const gap *c = &r->gap[i];
      int a = k / 36, b = k / 9 % 4;
      if (a >= c->n || b >= c->n || !entry(r, c, a, b, k % 9, &row, &col)) continue;
      if (pl_csc_find(&r->H, row, col) < 0) return 0;
    }
  return 1;
}

// the pattern of the tangent, of what it was before and of all gaps
static pl_status make_matrix(repel *r) {
  const pl_csc *from = r->factor ? &r->H : &r->w->A;
  size_t most = (size_t)from->nnz + 144 * (size_t)r->ngap;
  int *row = pl_alloc(r->env, 2 * most, sizeof *row), *col = row + most, n = 0;
  double *val = pl_alloc(r->env, most, sizeof *val);
  pl_csc H = {0};
  pl_status s = row && val ? PL_OK : PL_E_NOMEM;
  for (pl_entry e = {.k = -1}; s == PL_OK && pl_csc_next(from, &e); n++) row[n] = e.i, col[n] = e.j;
  for (int i = 0; s == PL_OK && i < r->ngap; i++)
    for (int k = 0; k < 144; k++) {
      const gap *c = &r->gap[i];
      int a = k / 36, b = k / 9 % 4;
      if (a < c->n && b < c->n) n += entry(r, c, a, b, k % 9, &row[n], &col[n]);
    }
  if (s == PL_OK) s = pl_csc_from_triplets(r->env, from->n, 1, n, row, col, val, &H);
  pl_free(r->env, row);
  pl_free(r->env, val);
  PL_TRY(s);
  pl_csc_free(r->env, &r->H);
  r->H = H;
  for (pl_entry e = {.k = -1}; pl_csc_next(&r->w->A, &e);)
    r->map[e.k] = pl_csc_find(&r->H, e.i, e.j);
  pl_factor_free(r->factor);
  r->factor = NULL;
  return pl_factor_create_on(r->env, PL_CHOLESKY, &r->H, 1, r->w->threads, &r->factor);
}

// tangent, shift and what gaps add along their normals: their curvature would not be positive
static void assemble(repel *r) {
  const pl_csc *A = &r->w->A;
  memset(r->H.val, 0, (size_t)r->H.nnz * sizeof *r->H.val);
  for (int e = 0; e < A->nnz; e++) r->H.val[r->map[e]] = A->val[e];
  for (int q = 0; q < 3 * r->nnode; q++)
    if (r->index[q] >= 0) *pl_csc_diagonal(&r->H, r->index[q]) += r->shift * r->mass[q / 3];
  for (int i = 0; i < r->ngap; i++) {
    const gap *c = &r->gap[i];
    double b[3];
    barrier(c, b);
    for (int k = 0; k < 9 * c->n * c->n; k++) {
      int a = k / 9 / c->n, o = k / 9 % c->n, e = k % 9, row, col;
      if (!entry(r, c, a, o, e, &row, &col)) continue;
      r->H.val[pl_csc_find(&r->H, row, col)] +=
          b[2] * c->weight[a] * c->normal[e / 3] * c->weight[o] * c->normal[e % 3];
    }
  }
}

// a tangent that is not positive definite: the positive part of every element, then masses
static pl_status factorise(repel *r) {
  if (!r->factor || !is_stored(r)) PL_TRY(make_matrix(r));
  for (int tries = 0; tries < TRIES; tries++) {
    assemble(r);
    r->info->factorisations++;
    pl_status s = pl_factor_numeric(r->factor, &r->H);
    if (s != PL_SINGULAR) return s;
    if (r->convex)
      r->shift = fmax(MORE * r->shift, LEAST * FIRST);
    else {
      r->convex = 1;
      PL_TRY(evaluate(r, PL_WANT_ENERGY | PL_WANT_FORCE | PL_WANT_TANGENT));
    }
  }
  return PL_SINGULAR;
}

// ---- steps --------------------------------------------------------------------------------------

// forces out of balance over those that load the model; where none do, over those within it
static double residual(const repel *r) {
  double out = 0, outer = 0, inner = 0;
  for (int v = 0; v < r->nnode; v++) {
    double f[3] = {0}, load[3];
    for (int c = 0; c < 3; c++) {
      int q = 3 * v + c;
      if (r->index[q] >= 0) f[c] = r->w->r[q] + r->f[q];
      load[c] = r->w->f_inner[q] - r->w->r[q];
    }
    out += pl_norm3(f);
    outer += pl_norm3(load);
    inner += pl_norm3(r->w->f_inner + 3 * v);
  }
  double size = outer > 0 ? outer : inner;
  return size > 0 ? out / size : 0;
}

static double length(const double *d, int node) {
  return pl_norm3(d + 3 * node);
}

// how far a step may go that passes through no obstacle, for any motion within its length
static double before_obstacles(const repel *r) {
  const pl_contact *k = r->k->contact;
  double most = 1;
  for (int i = 0; k && i < k->npair; i++) {
    const pl_contact_pair *a = &k->pair[i];
    double way = length(r->d, a->node);
    if (way > 0) most = fmin(most, PART * (a->place.gap + a->radius) / way);
  }
  return most;
}

// The same for layers, all of which are further apart than they keep.
static double before_layers(const repel *r) {
  if (!r->k->layers) return 1;
  double way = apart(r, r->zero, r->d), half = PART * pl_layers_thickness(r->k->layers) / 2;
  return way > half ? half / way : 1;
}

// no gap that repels closes but for a part of it, to first order
static double before_gaps(const repel *r) {
  double most = 1;
  for (int i = 0; i < r->ngap; i++) {
    const gap *c = &r->gap[i];
    double way = 0;
    for (int a = 0; a < c->n; a++) way += c->weight[a] * pl_dot3(c->normal, r->d + 3 * c->vert[a]);
    if (way < 0) most = fmin(most, (1 - NEAR) * c->value / -way);
  }
  return most;
}

static pl_status give_up(repel *r, pl_stop reason) {
  r->info->reason = reason;
  return PL_UNSOLVED;
}

static void move(repel *r, double step) {
  r->placed = 0;
  for (int q = 0; q < r->x->nq; q++) r->x->q[q] = r->q0[q] + step * r->d[q];
}

// x = q0 + step d, as far as the energy falls; PL_UNSOLVED: it does not
static pl_status search(repel *r, double *step) {
  double before = r->w->potential + r->contact, slope = 0, noise;
  double size = fabs(r->w->elastic) + fabs(r->w->potential) + r->contact;
  int inside = 0;
  for (int q = 0; q < r->x->nq; q++) {
    if (r->index[q] >= 0) slope += (r->w->r[q] + r->f[q]) * r->d[q];
    size += fabs(r->w->f_inner[q] * r->x->q[q]);
  }
  noise = 16 * DBL_EPSILON * size;
  for (int k = 0; k < TRIES; k++, *step /= 2) {
    move(r, *step);
    pl_status s = evaluate(r, PL_WANT_ENERGY | PL_WANT_FORCE);
    if (s < 0) return s;
    if (s == PL_DOMAIN) continue;
    // the boundary may be just ahead: half of the way to it is left
    if (!inside++ && k > 0) continue;
    if (r->w->potential + r->contact <= before + ARMIJO * *step * slope + noise) return PL_OK;
  }
  return give_up(r, inside ? PL_STOP_LINE_SEARCH : PL_STOP_DOMAIN);
}

static pl_status direction(repel *r) {
  PL_TRY(factorise(r));
  for (int q = 0; q < r->x->nq; q++)
    if (r->index[q] >= 0) r->g[r->index[q]] = -(r->w->r[q] + r->f[q]);
  PL_TRY(pl_factor_solve(r->factor, 1, r->g, r->g));
  for (int q = 0; q < r->x->nq; q++) r->d[q] = r->index[q] >= 0 ? r->g[r->index[q]] : 0;
  return PL_OK;
}

// one step; shifts follow how far it went
static pl_status newton_step(repel *r, double *gone) {
  pl_status s = direction(r);
  if (s == PL_SINGULAR) return give_up(r, PL_STOP_SINGULAR);
  PL_TRY(s);
  memcpy(r->q0, r->x->q, (size_t)r->x->nq * sizeof *r->q0);
  double step = fmin(fmin(before_obstacles(r), before_gaps(r)), before_layers(r));
  *gone = step;
  s = search(r, gone);
  if (s == PL_UNSOLVED) move(r, 0);
  PL_TRY(s);
  r->shift *= *gone >= 0.1 * step ? LESS : *gone < 0.01 * step ? MORE : 1;
  if (r->shift < LEAST * FIRST) r->shift = 0;
  if (*gone < 0.01 * step && r->shift == 0) r->shift = LEAST * FIRST;
  // whole steps: the tangent itself may do, and converges faster
  if (*gone >= 1) r->convex = 0;
  return PL_OK;
}

// What nothing holds falls for ever: far from where it was at rest, and nothing touches it.
static int is_gone(const repel *r) {
  double mean[3] = {0};
  for (int i = 0; i < 3 * r->nnode; i++) mean[i % 3] += (r->x->q[i] - r->p->X[i]) / r->nnode;
  return r->ngap == 0 && r->n == r->x->nq && pl_norm3(mean) > FAR * r->size;
}

static pl_status iterate(repel *r) {
  double gone = 1, best = INFINITY;
  int stale = 0;
  for (int it = 0;; it++) {
    pl_status s = evaluate(r, PL_WANT_ENERGY | PL_WANT_FORCE | PL_WANT_TANGENT);
    if (s == PL_DOMAIN) return give_up(r, PL_STOP_DOMAIN);
    PL_TRY(s);
    double out = r->info->residual = residual(r);
    r->info->energy = r->w->potential;
    PL_TRY(pl_report_progress(r->env, NULL, -1, NULL));
    if (out <= r->o->rtol) return PL_OK;
    stale = out > 0.5 * best ? stale + 1 : 0;
    best = fmin(best, out);
    if (stale >= STALE && out <= NOISE) {
      r->info->reason = PL_STOP_ROUNDING;
      return PL_OK;
    }
    if (is_gone(r)) return give_up(r, PL_STOP_SINGULAR);
    if (it == r->o->max_iter) return give_up(r, PL_STOP_MAX_ITER);
    r->info->iterations++;
    PL_TRY(newton_step(r, &gone));
  }
}

// forces of obstacles, for whoever asks
static void set_forces(repel *r) {
  pl_contact *k = r->k->contact;
  if (!k || find_gaps(r) != PL_OK) return;
  for (int i = 0; i < k->npair; i++) {
    k->pair[i].status = PL_OPEN;
    memset(k->pair[i].force, 0, sizeof k->pair[i].force);
  }
  for (int i = 0; i < r->ngap; i++) {
    if (r->gap[i].pair < 0) continue;
    pl_contact_pair *a = &k->pair[r->gap[i].pair];
    double b[3];
    barrier(&r->gap[i], b);
    a->status = PL_SLIP;
    for (int c = 0; c < 3; c++) a->force[c] -= b[1] * pl_dot3(a->place.frame[c], r->gap[i].normal);
  }
}

// ---- all of it ----------------------------------------------------------------------------------

static double size_of(int n, const double *X) {
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, d[3];
  for (int i = 0; i < 3 * n; i++) {
    lo[i % 3] = fmin(lo[i % 3], X[i]);
    hi[i % 3] = fmax(hi[i % 3], X[i]);
  }
  pl_sub3(hi, lo, d);
  return n > 0 ? pl_norm3(d) : 0;
}

static pl_status repel_open(repel *r) {
  size_t nq = (size_t)r->x->nq;
  r->mass = pl_alloc(r->env, (size_t)r->nnode, sizeof *r->mass);
  r->q0 = pl_alloc(r->env, nq, sizeof *r->q0);
  r->d = pl_alloc(r->env, nq, sizeof *r->d);
  r->g = pl_alloc(r->env, (size_t)r->n, sizeof *r->g);
  r->f = pl_alloc(r->env, nq, sizeof *r->f);
  r->looked = pl_alloc(r->env, nq, sizeof *r->looked);
  r->zero = pl_alloc(r->env, nq, sizeof *r->zero);
  r->map = pl_alloc(r->env, (size_t)r->w->A.nnz, sizeof *r->map);
  if (!r->mass || !r->q0 || !r->d || !r->g || !r->f || !r->looked || !r->zero || !r->map)
    return PL_E_NOMEM;
  pl_node_masses(r->m, r->p, r->mass);
  r->size = size_of(r->nnode, r->p->X);
  return PL_OK;
}

static void repel_close(repel *r) {
  pl_factor_free(r->factor);
  pl_csc_free(r->env, &r->H);
  void *own[] = {r->mass, r->q0, r->d, r->g, r->f, r->looked, r->zero, r->map, r->gap};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) pl_free(r->env, own[i]);
}

pl_status pl_repel_static(const pl_static_opts *o, double weight, const pl_model *m,
                          const pl_params *p, const pl_constraints *k, pl_state *s, pl_work *w,
                          pl_static_info *info) {
  pl_static_info own;
  if (!info) info = &own;
  *info = (pl_static_info){.reason = PL_STOP_CONVERGED, .scale = 1, .nneg = -1, .nzero = -1};
  PL_TRY(pl_opts_check(w->env, pl_static_option_table, pl_static_option_count, o));
  if (pl_model_dim(m) != 3 || pl_model_nq(m) != 3 * pl_model_nnode(m) || k->sheet)
    return pl_fail(w->env, PL_E_ARG, "repel: for models of places in space, without cones");
  double start = pl_wall_time();
  repel r = {.o = o, .m = m, .p = p, .k = k, .w = w, .env = w->env, .info = info, .x = s};
  r.weight = weight;
  r.n = pl_model_nfree(m);
  r.nnode = pl_model_nnode(m);
  r.index = pl_model_free_index(m);
  r.shift = FIRST;
  pl_status status = repel_open(&r);
  if (status == PL_OK) status = iterate(&r);
  if (status >= 0) set_forces(&r);
  repel_close(&r);
  if (status == PL_CANCELLED) info->reason = PL_STOP_CANCELLED;
  info->seconds = pl_wall_time() - start;
  return status;
}
