// Obstacles and layers of a step as barriers of its projection.
#include "step_impl.h"

#include <stdlib.h>
#include <string.h>

static const double SLACK = 1e-9;   // m; overlaps below are none
static const double NEAR = 1e-6;    // m; what planes are moved by at most against small overlaps
static const double SOFT = 1e-2;    // layers yield by this part of what their masses do
static const double LONGEST = 5e-4; // s; longer steps of descents do not let layers yield more
static const double FIRM = 0.1;     // nor by more than this part of what their elements do
static const double CLOSE = 0.9;  // layers closer than this part of their thickness are looked into
static const double MEET = 0.01;  // of their thickness: layers that come closer so in a step meet
static const double NEARLY = 0.1; // the same: layers that are looked at as if they touched
static const double YIELDS = 0.02; // in descents: overlaps that are left to what yields
enum { ROUNDS = 10 };              // solves until nothing overlaps
enum { SEARCHES = 3, PARTS = 6 };  // of one solve, and places on the way in each
static const double SMOOTH = 0.9;  // cosine between ways out of one smooth face, at least
static const double SHARP = 1e-6;  // of its length: what an edge at an obstacle may overlap,
static const double RANGE = 1e-3;  // and of the size of all: near enough to be in every solve
static const double SPREAD = 0.2;  // part of an overlap of layers that one solve takes away

static pl_status measure_stiffness(barrier_set *k, const pl_params *p, const pl_state *rest,
                                   pl_work *w) {
  const int *index = pl_model_free_index(k->m);
  const pl_coef elements = {.k = 1};
  const pl_clock none = {0};
  k->stiff = pl_alloc(k->env, (size_t)k->nnode, sizeof *k->stiff);
  if (!k->stiff) return PL_E_NOMEM;
  pl_status s = pl_eval(k->m, p, rest, &none, PL_WANT_TANGENT, &elements, w);
  for (int i = 0; s == PL_OK && i < 3 * k->nnode; i++)
    if (index[i] >= 0)
      k->stiff[i / 3] = fmax(k->stiff[i / 3], fabs(*pl_csc_diagonal(&w->A, index[i])));
  return s < 0 ? s : PL_OK;
}

pl_status barrier_set_open(barrier_set *k, const pl_model *m, const pl_params *p,
                           const pl_constraints *c, const double *mass, const pl_state *rest,
                           pl_work *w) {
  const int *index = pl_model_free_index(m);
  *k = (barrier_set){.env = w->env, .m = m, .contact = c->contact, .layers = c->layers};
  k->mass = mass;
  k->nnode = pl_model_nnode(m);
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, d[3];
  for (int i = 0; i < 3 * k->nnode; i++) {
    lo[i % 3] = fmin(lo[i % 3], p->X[i]);
    hi[i % 3] = fmax(hi[i % 3], p->X[i]);
  }
  pl_sub3(hi, lo, d);
  k->size = k->nnode > 0 ? pl_norm3(d) : 0;
  k->npair = c->contact ? c->contact->npair : 0;
  k->in = pl_alloc(k->env, (size_t)k->npair, sizeof *k->in);
  k->force = pl_alloc(k->env, (size_t)k->npair, 3 * sizeof *k->force);
  k->way = pl_alloc(k->env, 3 * (size_t)k->nnode, sizeof *k->way);
  if (!k->in || !k->force || !k->way) return PL_E_NOMEM;
  for (int i = 0; i < k->npair; i++) {
    const int *f = index + 3 * c->contact->pair[i].node;
    k->in[i] = f[0] < 0 && f[1] < 0 && f[2] < 0 ? -2 : -1;
  }
  return k->layers ? measure_stiffness(k, p, rest, w) : PL_OK;
}

void barrier_set_close(barrier_set *k) {
  pl_free(k->env, k->bar);
  pl_free(k->env, k->of);
  pl_free(k->env, k->in);
  pl_free(k->env, k->cand);
  pl_free(k->env, k->joined);
  pl_free(k->env, k->force);
  pl_free(k->env, k->way);
  pl_free(k->env, k->stiff);
}

int barrier_set_any(const barrier_set *k) {
  return k->contact != NULL || k->layers != NULL;
}

void barrier_set_reset(barrier_set *k) {
  memset(k->force, 0, (size_t)k->npair * 3 * sizeof *k->force);
  if (k->contact) pl_contact_total_clear(k->contact);
}

static pl_status add(barrier_set *k, const pl_contact_row *b, int of) {
  PL_TRY(pl_grow(k->env, &k->bar, k->nbar, &k->cap, sizeof *k->bar));
  PL_TRY(pl_grow(k->env, &k->of, k->nbar, &k->capof, sizeof *k->of));
  k->bar[k->nbar] = *b;
  k->of[k->nbar++] = of;
  return PL_OK;
}

// ---- obstacles ----------------------------------------------------------------------------------

static void gap_at(const barrier_set *k, int pair, const double *x, pl_gap *out) {
  const pl_contact_pair *a = &k->contact->pair[pair];
  pl_obstacle_gap(&k->contact->obstacle[a->obstacle], 3, k->t, x, a->radius, out);
}

// where the node was at the start, had it moved with the obstacle
static void start_of(const barrier_set *k, int pair, double from[3]) {
  const pl_contact_pair *a = &k->contact->pair[pair];
  const pl_obstacle *o = &k->contact->obstacle[a->obstacle];
  const double *q = k->anchor ? k->anchor : k->q;
  for (int c = 0; c < 3; c++) from[c] = q[3 * a->node + c] + k->h * o->velocity[c];
}

// The first place on the way from a to b at the surface, no gap being steeper than the way is long;
// b when there is none.
static void entry(const barrier_set *k, int pair, const double a[3], const double b[3],
                  double at[3], pl_gap *g) {
  double d[3], s = 0;
  pl_sub3(b, a, d);
  double length = pl_norm3(d);
  for (int it = 0; it < 64; it++) {
    for (int c = 0; c < 3; c++) at[c] = s < length ? a[c] + d[c] * (s / length) : b[c];
    gap_at(k, pair, at, g);
    if (s >= length || g->gap <= 1e-3 * SLACK + 1e-6 * length) return;
    s += g->gap;
  }
}

// The plane that keeps a node out which would end at x. Deep inside, the nearest way out may be on
// another side than the one where it entered: by that side a node would not come over an edge.
static void plane_of(const barrier_set *k, int pair, const double *x, pl_contact_row *b) {
  pl_gap g, e;
  double at[3], place[3] = {x[0], x[1], x[2]};
  start_of(k, pair, b->from);
  gap_at(k, pair, x, &g);
  if (g.gap < 0) {
    entry(k, pair, b->from, x, at, &e);
    if (pl_dot3(e.frame[0], g.frame[0]) < SMOOTH) {
      g = e;
      memcpy(place, at, sizeof place);
    }
  }
  memcpy(b->frame, g.frame, sizeof b->frame);
  b->offset = pl_dot3(g.frame[0], place) - g.gap;
}

static pl_status add_pair(barrier_set *k, int pair, const double *x) {
  const pl_contact_pair *a = &k->contact->pair[pair];
  pl_contact_row b = {.n = 1, .vert = {a->node}, .weight = {1}, .mu = a->mu};
  plane_of(k, pair, x, &b);
  k->in[pair] = k->nbar;
  return add(k, &b, pair);
}

// the way from start to end goes through the obstacle and out again
static int passes(const barrier_set *k, int pair, const double *from, const double *x, double *at) {
  pl_gap g;
  double d[3];
  pl_sub3(x, from, d);
  entry(k, pair, from, x, at, &g);
  return g.gap <= SLACK + 1e-6 * pl_norm3(d) && pl_dot3(g.frame[0], d) < -0.1 * pl_norm3(d);
}

static pl_status begin_pair(barrier_set *k, int pair, const double *to) {
  const double *x = to + 3 * k->contact->pair[pair].node;
  pl_gap g;
  double from[3], at[3], d[3];
  start_of(k, pair, from);
  pl_sub3(x, from, d);
  double length = pl_norm3(d);
  gap_at(k, pair, x, &g);
  if (g.gap <= 0.25 * length + SLACK) return add_pair(k, pair, x);
  if (g.gap >= length || !passes(k, pair, from, x, at)) return PL_OK;
  return add_pair(k, pair, at);
}

// ---- faces and edges at obstacles ---------------------------------------------------------------

static int is_surface(const barrier_set *k, int i) {
  return k->of[i] < 0;
}

// where the place of a row was at the start, had it moved with the obstacle
static void start_of_row(const barrier_set *k, int obstacle, pl_contact_row *b) {
  pl_contact_row_point(b, 3, k->anchor ? k->anchor : k->q, b->from);
  for (int c = 0; c < 3; c++) b->from[c] += k->h * k->contact->obstacle[obstacle].velocity[c];
}

static int is_free(const barrier_set *k, const pl_contact_row *b) {
  const int *index = pl_model_free_index(k->m);
  for (int i = 0; i < 3 * b->n; i++)
    if (b->weight[i / 3] != 0 && index[3 * b->vert[i / 3] + i % 3] >= 0) return 1;
  return 0;
}

// the barrier of the same parts, -1: none
static int find_surface(const barrier_set *k, const pl_contact_row *b) {
  for (int i = 0; i < k->nbar; i++)
    if (is_surface(k, i) && memcmp(k->bar[i].tag, b->tag, sizeof b->tag) == 0) return i;
  return -1;
}

// adds or moves the planes of those that overlap at x, or adds those that are nearer than `reach`;
// *n: how many more of both
static pl_status add_surfaces(barrier_set *k, const double *x, double range, int *n) {
  const pl_contact_feature *approach;
  int count;
  double before = k->descent ? k->t : k->t - k->h;
  PL_TRY(pl_contact_features(k->contact, k->t, x, before, k->q, range, &count, &approach));
  for (int i = 0; i < count; i++) {
    const pl_contact_feature *a = &approach[i];
    pl_contact_row b = a->row;
    double e[3];
    pl_sub3(x + 3 * b.vert[0], x + 3 * b.vert[1], e);
    if ((range <= 0 && a->gap > -SHARP * pl_norm3(e)) || !is_free(k, &b)) continue;
    memcpy(b.tag, (int[3]){a->obstacle, a->part, a->feature}, sizeof b.tag);
    start_of_row(k, a->obstacle, &b);
    int at = find_surface(k, &b);
    if (at >= 0 && range > 0) continue;
    (*n)++;
    if (at < 0) PL_TRY(add(k, &b, -1 - a->obstacle));
    // what the program leaves open at its planes is asked for on top
    if (at >= 0) b.offset += fmin(-a->gap, NEAR);
    if (at >= 0) k->bar[at] = b;
  }
  return PL_OK;
}

// ---- layers -------------------------------------------------------------------------------------

static void relative(const pl_layer_pair *p, const double *x, double y[3]) {
  memset(y, 0, 3 * sizeof *y);
  for (int i = 0; i < p->n; i++)
    for (int c = 0; c < 3; c++) y[c] += p->weight[i] * x[3 * p->vert[i] + c];
}

// least length of y on its way from a to b
static double nearest(const double a[3], const double b[3]) {
  double d[3], at[3];
  pl_sub3(b, a, d);
  double dd = pl_dot3(d, d), s = dd > 0 ? fmin(1, fmax(0, -pl_dot3(a, d) / dd)) : 0;
  for (int c = 0; c < 3; c++) at[c] = a[c] + s * d[c];
  return pl_norm3(at);
}

// Layers that are too close at the start are spread in the course of a few steps; in descents they
// are where what yields is in balance.
static double keep_apart(const barrier_set *k, const pl_layer_pair *p) {
  double overlap = p->keep - p->distance;
  if (overlap <= 0 || (k->descent && overlap < YIELDS * p->keep)) return p->keep;
  return p->distance + SPREAD * overlap;
}

// the weight of a vertex in a pair, 0: it is not in it
static double weight_of(const pl_layer_pair *p, int vert) {
  for (int i = 0; i < p->n; i++)
    if (p->vert[i] == vert) return p->weight[i];
  return 0;
}

// Two names for one pair, but for weights below `little` and for its sense: a vertex over an edge
// is near both triangles of the edge and all edges that meet in the vertex.
static int is_same(const pl_layer_pair *a, const pl_layer_pair *b, double little) {
  double along = pl_dot3(a->normal, b->normal), sign = along < 0 ? -1 : 1;
  if (fabs(along) < 0.95) return 0;
  for (int i = 0; i < a->n; i++)
    if (fabs(a->weight[i] - sign * weight_of(b, a->vert[i])) > little) return 0;
  for (int i = 0; i < b->n; i++)
    if (fabs(b->weight[i] - sign * weight_of(a, b->vert[i])) > little) return 0;
  return 1;
}

// a barrier of the same pair is there already
static int is_reported(const barrier_set *k, const pl_layer_pair *p) {
  for (int i = 0; i < k->nbar; i++)
    if (k->of[i] >= k->npair && is_same(p, &k->cand[k->of[i] - k->npair], 0.05)) return 1;
  return 0;
}

// how far apart a unit of force moves the pair, by `mass` of the masses of the nodes and `stiff` of
// their stiffness: 0 when all of it is driven
static double yield_of(const barrier_set *k, const pl_layer_pair *p, double mass, double stiff) {
  const int *index = pl_model_free_index(k->m);
  double sum = 0;
  for (int i = 0; i < p->n; i++) {
    int v = p->vert[i];
    const int *f = index + 3 * v;
    double weight = mass * k->mass[v] + stiff * k->stiff[v];
    if ((f[0] >= 0 || f[1] >= 0 || f[2] >= 0) && weight > 0)
      sum += p->weight[i] * p->weight[i] / weight;
  }
  return sum;
}

// In a time step layers yield by a part of what their masses do in it, rods, which are light and
// stiff, of what they do with their elements. Descents keep their loads while their steps grow, so
// that bodies would sink into each other.
static double give_of(const barrier_set *k, const pl_layer_pair *p) {
  double hh = k->h * k->h, longest = LONGEST * LONGEST;
  if (!k->descent) return SOFT * yield_of(k, p, 1, p->rod ? hh : 0);
  return fmin(SOFT * yield_of(k, p, 1, 0) * fmin(1, longest / hh),
              FIRM / hh * yield_of(k, p, 0, 1));
}

static pl_status add_layer(barrier_set *k, int i) {
  const pl_layer_pair *p = &k->cand[i];
  pl_contact_row b = {.n = p->n, .offset = keep_apart(k, p)};
  b.mu = k->eased ? 0 : pl_layers_mu(k->layers);
  for (int j = 0; j < p->n; j++) {
    b.vert[j] = p->vert[j];
    b.weight[j] = p->weight[j];
  }
  k->joined[i] = 1;
  if (is_reported(k, p)) return PL_OK;
  b.give = give_of(k, p);
  memcpy(b.frame[0], p->normal, sizeof b.frame[0]);
  pl_contact_tangents(3, b.frame);
  relative(p, k->anchor ? k->anchor : k->q, b.from);
  return add(k, &b, k->npair + i);
}

// the pair comes too close on its way to x, or ends on the wrong side
static int closes(const barrier_set *k, const pl_layer_pair *p, const double *x, double slack) {
  double a[3], b[3], keep = keep_apart(k, p);
  relative(p, k->q, a);
  relative(p, x, b);
  if (pl_dot3(p->normal, b) >= keep + slack) return 0;
  return nearest(a, b) < fmax(keep, p->keep) + slack;
}

// pairs that are driven as a whole are left alone
static pl_status add_candidate(barrier_set *k, const pl_layer_pair *p) {
  if (!(yield_of(k, p, 1, 0) > 0)) return PL_OK;
  PL_TRY(pl_grow(k->env, &k->cand, k->ncand, &k->capcand, sizeof *k->cand));
  PL_TRY(pl_grow(k->env, &k->joined, k->ncand, &k->capjoined, sizeof *k->joined));
  k->joined[k->ncand] = 0;
  k->cand[k->ncand++] = *p;
  return PL_OK;
}

// how far any node moves to x apart from all others
static double apart(const barrier_set *k, const double *x) {
  double mean[3] = {0}, most = 0;
  for (int i = 0; i < 3 * k->nnode; i++) mean[i % 3] += (x[i] - k->q[i]) / k->nnode;
  for (int v = 0; v < k->nnode; v++) {
    double d[3];
    for (int c = 0; c < 3; c++) d[c] = x[3 * v + c] - k->q[3 * v + c] - mean[c];
    most = fmax(most, pl_norm3(d));
  }
  return most;
}

static int compare_gaps(const void *a, const void *b) {
  const pl_layer_pair *p = a, *q = b;
  double d = p->distance - p->keep, e = q->distance - q->keep;
  return (d > e) - (d < e);
}

// pairs that the motion to x may bring together
static pl_status begin_layers(barrier_set *k, const double *to) {
  const pl_layer_pair *found;
  int n;
  double margin = 2 * apart(k, to);
  // loads of descents stay: what is nearly closed closes
  if (k->descent) margin += NEARLY * pl_layers_thickness(k->layers);
  PL_TRY(pl_layers_find(k->layers, k->q, margin, &n, &found));
  k->ncand = 0;
  for (int i = 0; i < n; i++) PL_TRY(add_candidate(k, &found[i]));
  // of several names for one pair the nearest counts
  if (k->descent && k->ncand > 1) qsort(k->cand, (size_t)k->ncand, sizeof *k->cand, compare_gaps);
  for (int i = 0; i < k->ncand; i++)
    if (closes(k, &k->cand[i], to, NEARLY * k->cand[i].keep)) PL_TRY(add_layer(k, i));
  return PL_OK;
}

// pairs that are near each other at the place `at` on the way to x, and too close at its end; where
// they were at the start tells the side
static pl_status layers_at(barrier_set *k, const double *at, double margin, const double *x,
                           int *added) {
  const pl_layer_pair *found;
  int n;
  PL_TRY(pl_layers_find(k->layers, at, margin, &n, &found));
  for (int i = 0; i < n; i++) {
    pl_layer_pair p = found[i];
    double y[3], end[3];
    relative(&p, k->q, y);
    relative(&p, x, end);
    if (pl_dot3(y, p.normal) < 0)
      for (int c = 0; c < 3; c++) p.normal[c] *= -1;
    p.distance = pl_norm3(y);
    double keep = fmin(keep_apart(k, &p), CLOSE * p.keep);
    if (pl_dot3(p.normal, end) >= keep || is_reported(k, &p)) continue;
    int before = k->ncand;
    PL_TRY(add_candidate(k, &p));
    if (k->ncand == before) continue;
    PL_TRY(add_layer(k, before));
    (*added)++;
  }
  return PL_OK;
}

// Layers that meet on the way to x at other places than those that were nearest at the start.
static pl_status more_layers(barrier_set *k, const double *x, int *added) {
  double far = apart(k, x), thick = pl_layers_thickness(k->layers);
  int parts = (int)fmin(PARTS, fmax(1, ceil(far / thick)));
  for (int part = parts; part > 0; part--) {
    for (int i = 0; i < 3 * k->nnode; i++) k->way[i] = k->q[i] + (x[i] - k->q[i]) * part / parts;
    PL_TRY(pl_report_progress(k->env, NULL, -1, NULL));
    PL_TRY(layers_at(k, k->way, part < parts ? far / parts : 0, x, added));
  }
  return PL_OK;
}

// ---- both ---------------------------------------------------------------------------------------

static pl_status begin(barrier_set *k, const double *q, const double *to, double h, double t) {
  k->q = q;
  k->h = h;
  k->t = t;
  k->nbar = k->ncand = k->eased = k->searched = k->crowded = 0;
  for (int i = 0; i < k->npair; i++) {
    if (k->in[i] == -2) continue;
    k->in[i] = -1;
    PL_TRY(begin_pair(k, i, to));
  }
  if (k->contact && k->contact->surface) {
    int near = 0;
    PL_TRY(add_surfaces(k, q, RANGE * k->size, &near));
    PL_TRY(add_surfaces(k, to, RANGE * k->size, &near));
  }
  return k->layers ? begin_layers(k, to) : PL_OK;
}

// adds what x[nq] enters and moves planes that do not hold it out; *n: how many of both
static pl_status add_more(barrier_set *k, const double *x, int *n) {
  *n = 0;
  for (int i = 0; i < k->npair; i++) {
    const double *at = x + 3 * k->contact->pair[i].node;
    pl_gap g;
    if (k->in[i] == -2) continue;
    gap_at(k, i, at, &g);
    if (g.gap >= -SLACK) continue;
    (*n)++;
    if (k->in[i] < 0) {
      PL_TRY(add_pair(k, i, at));
    } else {
      // what the program leaves open at its planes is asked for on top
      plane_of(k, i, at, &k->bar[k->in[i]]);
      k->bar[k->in[i]].offset += fmin(-g.gap, NEAR);
    }
  }
  if (k->contact && k->contact->surface) PL_TRY(add_surfaces(k, x, 0, n));
  for (int i = 0; i < k->ncand; i++) {
    if (k->joined[i] || !closes(k, &k->cand[i], x, -SLACK)) continue;
    (*n)++;
    PL_TRY(add_layer(k, i));
  }
  if (!k->layers || k->searched++ >= SEARCHES) return PL_OK;
  return more_layers(k, x, n);
}

pl_status barrier_set_solve(barrier_set *k, const double *q, const double *to, double h, double t,
                            const double *x, pl_status (*solve)(void *ctx), void *ctx) {
  int more = 1;
  if (barrier_set_any(k)) PL_TRY(begin(k, q, to, h, t));
  for (int round = 0; more > 0; round++) {
    k->crowded = round == ROUNDS;
    if (k->crowded) return PL_UNSOLVED;
    PL_TRY(solve(ctx));
    more = 0;
    if (barrier_set_any(k)) PL_TRY(add_more(k, x, &more));
  }
  return PL_OK;
}

int barrier_set_ease(barrier_set *k) {
  int n = 0;
  for (int i = 0; i < k->nbar; i++) {
    if (k->of[i] < k->npair || !(k->bar[i].mu > 0)) continue;
    k->bar[i].mu = 0;
    n++;
  }
  k->eased = 1;
  return n;
}

static void world(const pl_contact_row *b, double f[3]) {
  for (int c = 0; c < 3; c++)
    f[c] =
        b->force[0] * b->frame[0][c] + b->force[1] * b->frame[1][c] + b->force[2] * b->frame[2][c];
}

double barrier_set_impulse(barrier_set *k, double factor, const double *v) {
  double work = 0;
  for (int i = 0; i < k->nbar; i++) {
    const pl_contact_row *b = &k->bar[i];
    double f[3];
    world(b, f);
    for (int j = 0; j < b->n; j++) work += factor * b->weight[j] * pl_dot3(f, v + 3 * b->vert[j]);
    if (k->of[i] >= k->npair) continue;
    if (is_surface(k, i)) {
      double along[3] = {factor * b->force[0], factor * b->force[1], factor * b->force[2]};
      pl_contact_total_add(k->contact, -1 - k->of[i], b, along, PL_OPEN);
      continue;
    }
    for (int c = 0; c < 3; c++) k->force[3 * k->of[i] + c] += factor * f[c];
  }
  return work;
}

// way of a pair along its plane from q to x[nq]
static double slide_of(const barrier_set *k, int i, const double *x) {
  const pl_contact_row *b = &k->bar[i];
  const pl_layer_pair *p = &k->cand[k->of[i] - k->npair];
  double y[3], from[3], u[3];
  relative(p, x, y);
  relative(p, k->q, from);
  pl_sub3(y, from, u);
  return hypot(pl_dot3(b->frame[1], u), pl_dot3(b->frame[2], u));
}

double barrier_set_released(const barrier_set *k, const double *x, double da) {
  double sum = 0;
  for (int i = 0; i < k->nbar; i++) {
    const pl_contact_row *b = &k->bar[i];
    double y[3];
    if (k->of[i] < k->npair || !(b->give > 0)) continue;
    const pl_layer_pair *p = &k->cand[k->of[i] - k->npair];
    relative(p, x, y);
    // eigenvalues of the cone below zero
    double gap = pl_dot3(b->frame[0], y) - b->offset, before = fmin(p->distance - p->keep, 0);
    double slide = b->mu * slide_of(k, i, x), rise = k->anchor ? 0 : slide;
    double low = fmin(gap - rise, 0), high = fmin(gap + rise, 0);
    double after = rise > 0 ? (low * low + high * high) / 2 : low * low;
    sum += da * (before * before - after) / (2 * b->give);
    // friction of a load step may give back what it took before, and what yields along the plane
    double along = b->force[1] * b->force[1] + b->force[2] * b->force[2];
    if (k->anchor) sum += da * (b->force[0] * slide + b->give * along / 2);
  }
  return sum;
}

double barrier_set_rise(const barrier_set *k, const double *x) {
  double most = 0;
  for (int i = 0; i < k->nbar; i++) {
    if (k->of[i] < k->npair || k->bar[i].status == PL_OPEN) continue;
    double keep = k->cand[k->of[i] - k->npair].keep, slide = slide_of(k, i, x);
    most = fmax(most, fmax(k->bar[i].mu * slide, slide * slide / (2 * keep)) / keep);
  }
  return most;
}

void barrier_set_react(const barrier_set *k, double factor, double *r) {
  for (int i = 0; i < k->nbar; i++) {
    const pl_contact_row *b = &k->bar[i];
    double f[3];
    world(b, f);
    for (int j = 0; j < 3 * b->n; j++)
      r[3 * b->vert[j / 3] + j % 3] -= factor * b->weight[j / 3] * f[j % 3];
  }
}

int barrier_set_met(const barrier_set *k, const double *v) {
  for (int i = 0; i < k->nbar; i++) {
    double u[3];
    if (k->of[i] < k->npair || k->bar[i].status == PL_OPEN) continue;
    const pl_layer_pair *p = &k->cand[k->of[i] - k->npair];
    relative(p, v, u);
    if (-k->h * pl_dot3(k->bar[i].frame[0], u) > MEET * p->keep) return 1;
  }
  return 0;
}

void barrier_set_rest(barrier_set *k, const double *x, double h) {
  int kept = 0;
  for (int i = 0; i < k->nbar; i++) {
    pl_contact_row b = k->bar[i];
    int of = k->of[i], node = of >= 0 && of < k->npair;
    if (node) k->in[of] = -1;
    if (b.status == PL_OPEN) continue;
    pl_contact_row_point(&b, 3, x, b.from);
    if (of < k->npair) {
      int o = node ? k->contact->pair[of].obstacle : -1 - of;
      for (int c = 0; c < 3; c++) b.from[c] += h * k->contact->obstacle[o].velocity[c];
    }
    if (node) k->in[of] = kept;
    b.offset = pl_dot3(b.frame[0], b.from);
    k->bar[kept] = b;
    k->of[kept++] = of;
  }
  k->nbar = kept;
}

void barrier_set_keep(const barrier_set *k, const double *x, double *to) {
  for (int i = 0; i < k->nbar; i++) {
    const pl_contact_row *b = &k->bar[i];
    if (b->status == PL_OPEN) continue;
    for (int j = 0; j < b->n; j++) memcpy(to + 3 * b->vert[j], x + 3 * b->vert[j], 3 * sizeof *to);
  }
}

// the barrier of a pair that was open before this solve and presses now, NULL: none
static const pl_contact_row *landed(const barrier_set *k, int pair) {
  const pl_contact_row *b = k->in[pair] >= 0 ? &k->bar[k->in[pair]] : NULL;
  return b && k->contact->pair[pair].status == PL_OPEN && b->status != PL_OPEN ? b : NULL;
}

void barrier_set_land(const barrier_set *k, double *v) {
  for (int i = 0; i < k->npair; i++) {
    const pl_contact_row *b = landed(k, i);
    if (b) pl_contact_stop(k->contact, i, b->frame[0], pl_model_free_index(k->m), v);
  }
}

void barrier_set_forget(const barrier_set *k, double h, const double *x, double *q1, double *v1) {
  for (int i = 0; i < k->npair; i++) {
    const pl_contact_row *b = landed(k, i);
    if (b) pl_contact_forget(k->contact, i, b->frame[0], pl_model_free_index(k->m), h, x, q1, v1);
  }
}

static void fill_pair(const barrier_set *k, int i, double h) {
  pl_contact_pair *a = &k->contact->pair[i];
  const pl_contact_row *b = k->in[i] >= 0 ? &k->bar[k->in[i]] : NULL;
  a->status = b ? b->status : PL_OPEN;
  // at an edge the plane that it presses on need not be that of the place
  if (a->status != PL_OPEN) memcpy(a->place.frame, b->frame, sizeof a->place.frame);
  for (int c = 0; c < 3; c++) {
    a->force[c] = pl_dot3(a->place.frame[c], k->force + 3 * i) / h;
    a->slide[c] = 0;
  }
}

// what faces and edges press with in the step, and how many do
static int accept_surfaces(const barrier_set *k, double h) {
  int closed = 0;
  for (int o = 0; o < k->contact->nobstacle; o++) {
    pl_contact_total *t = &k->contact->total[o];
    t->normal /= h;
    for (int c = 0; c < 3; c++) {
      t->force[c] /= h;
      t->friction[c] /= h;
    }
  }
  for (int i = 0; i < k->nbar; i++) {
    const pl_contact_row *b = &k->bar[i];
    if (!is_surface(k, i) || b->status == PL_OPEN) continue;
    pl_contact_total_add(k->contact, -1 - k->of[i], b, (double[3]){0}, b->status);
    closed++;
  }
  return closed;
}

int barrier_set_accept(barrier_set *k, const double *x, double h, double *overlap) {
  int press = 0;
  *overlap = -INFINITY;
  for (int i = 0; i < k->nbar; i++) press += k->bar[i].status != PL_OPEN;
  if (!k->contact) return press;
  pl_contact_place(k->contact, k->t, x);
  int closed = accept_surfaces(k, h);
  for (int i = 0; i < k->npair; i++) {
    pl_contact_pair *a = &k->contact->pair[i];
    if (k->in[i] == -2) continue;
    fill_pair(k, i, h);
    *overlap = fmax(*overlap, -a->place.gap);
    closed += a->status != PL_OPEN;
    if (a->status == PL_OPEN) continue;
    double u[3], from[3];
    start_of(k, i, from);
    pl_sub3(x + 3 * a->node, from, u);
    for (int c = 1; c < 3; c++) a->slide[c] = pl_dot3(a->place.frame[c], u) / k->h;
  }
  k->contact->solves++;
  if (closed > k->contact->most) k->contact->most = closed;
  return press;
}
