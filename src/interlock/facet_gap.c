#include "facets.h"

#include <string.h>

// Local minima of the distance of facets to other pieces. A nearest point lies on a part: a corner,
// an edge, a triangle; it is a minimum where no neighbouring part leads nearer.

static const double LEAN =
    0.1; // slope of neighbouring parts towards the other piece that is let be
static const double STRICT = 1e-9;
enum { ROUNDS = 80, STARTS = 64, SAMPLES = 64 };

int facets_nu(const pl_facets *f, int part) {
  return part < f->nvert ? 0 : part < f->nvert + f->nedge ? 1 : 2;
}

int facets_count(const pl_facets *f) {
  return f->nvert + f->nedge + f->nface;
}

void facets_at(const pl_facets *f, int part, const double u[2], pl_swept *out) {
  int v[3], n = facet_corners(f, part, v);
  memcpy(out->p, f->x[v[0]], sizeof out->p);
  for (int k = 1; k < n; k++) {
    pl_sub3(f->x[v[k]], f->x[v[0]], out->d[k - 1]);
    for (int i = 0; i < 3; i++) out->p[i] += u[k - 1] * out->d[k - 1][i];
  }
}

double facets_radius(const pl_facets *f, double centre[3]) {
  memcpy(centre, f->centre, sizeof f->centre);
  return f->range;
}

void facets_inside(const pl_facets *f, int part, double u[2]) {
  int nu = facets_nu(f, part);
  double sum = 0;
  for (int k = 0; k < nu; k++) sum += u[k] = fmax(0, fmin(1, u[k]));
  for (int k = 0; k < nu && sum > 1; k++) u[k] /= sum;
}

// ---- parts that meet ----------------------------------------------------------------------------

void facets_stand(couple *c, int body, int n, const int *v, const double *weight, double u[4]) {
  const pl_facets *f = c->piece[body]->facets;
  int on[3], k = 0;
  double w[3], sum = 0;
  for (int i = 0; i < n; i++)
    if (weight[i] > 1e-12) {
      on[k] = v[i];
      sum += w[k++] = weight[i];
    }
  if (k == 3) {
    for (int i = 0; i < 3; i++) u[2 * body + i % 2] = w[1 + i % 2] / sum;
    return; // a triangle is left by its corners' weights alone
  }
  if (k == 2) {
    int e = facet_edge(f, on[0], on[1]);
    c->on[body] = f->nvert + e;
    u[2 * body] = w[f->edge[e][0] == on[0]] / sum;
  } else {
    c->on[body] = on[0];
    u[2 * body] = 0;
  }
  u[2 * body + 1] = 0;
  c->nu[body] = k - 1;
}

// from an edge to a triangle beside it, from a corner to an edge
static void climb(couple *c, int body, int part, double u[4]) {
  const pl_facets *f = c->piece[body]->facets;
  int from[3], to[3], n = facet_corners(f, c->on[body], from), m = facet_corners(f, part, to);
  double old[3] = {1 - u[2 * body], u[2 * body], 0}, weight[3] = {0};
  if (n == 1) old[0] = 1;
  for (int i = 0; i < m; i++)
    for (int k = 0; k < n; k++)
      if (to[i] == from[k]) weight[i] = old[k];
  u[2 * body] = weight[1];
  u[2 * body + 1] = weight[2];
  c->on[body] = part;
  c->nu[body] = m - 1;
}

static double slope_along(const couple *c, int body, const view *v, const double d[3]) {
  double sum = 0, length = pl_norm3(d);
  for (int i = 0; i < 3; i++) sum += v->n[i] * pl_dot3(c->pose[body]->Q + 3 * i, d);
  return (body ? -sum : sum) / length;
}

// The steepest way off a part, along an edge or into a triangle; > 0: all ways lead up.
static double steepest(const couple *c, int body, const view *v, int *part) {
  const pl_facets *f = c->piece[body]->facets;
  int on = c->on[body];
  double least = 1;
  if (on < f->nvert) {
    for (int k = f->star[on]; k < f->star[on + 1]; k++) {
      int e = f->vert_edge[k], other = f->edge[e][0] + f->edge[e][1] - on;
      double d[3];
      pl_sub3(f->x[other], f->x[on], d);
      double s = slope_along(c, body, v, d);
      if (s >= least) continue;
      least = s;
      *part = f->nvert + e;
    }
    return least;
  }
  int e = on - f->nvert;
  for (int k = 0; e < f->nedge && k < 2 && f->edge_face[e][k] >= 0; k++) {
    const int *at = f->edge[e], *w = f->face[f->edge_face[e][k]];
    int third = w[0] + w[1] + w[2] - at[0] - at[1];
    double along[3], d[3];
    pl_sub3(f->x[at[1]], f->x[at[0]], along);
    pl_sub3(f->x[third], f->x[at[0]], d);
    double back = pl_dot3(along, d) / pl_dot3(along, along);
    for (int i = 0; i < 3; i++) d[i] -= back * along[i];
    double s = slope_along(c, body, v, d);
    if (s >= least) continue;
    least = s;
    *part = f->nvert + f->nedge + f->edge_face[e][k];
  }
  return least;
}

static int is_facets(const couple *c, int body) {
  return c->piece[body]->kind == PL_PIECE_FACETS;
}

// leaves a stationary point by its steepest way; 0: none is steeper than `lean`
static int leave(couple *c, const view *v, double lean, double u[4]) {
  int part[2] = {0};
  double least[2] = {1, 1};
  for (int body = 0; body < 2; body++)
    if (is_facets(c, body)) least[body] = steepest(c, body, v, &part[body]);
  int body = least[1] < least[0];
  if (least[body] >= -lean) return 0;
  climb(c, body, part[body], u);
  return 1;
}

// ---- ways down ----------------------------------------------------------------------------------

// Longest part of a step within the part that a body stands on.
static double depth_within(const couple *c, int body, const double u[4], const double by[4]) {
  double most = 1, sum = 0, grows = 0;
  if (!is_facets(c, body)) return 1;
  for (int k = 2 * body; k < 2 * body + c->nu[body]; k++) {
    if (by[k] < 0) most = fmin(most, -u[k] / by[k]);
    sum += u[k];
    grows += by[k];
  }
  if (grows > 0) most = fmin(most, (1 - sum) / grows);
  return fmax(most, 0);
}

// Where a body has come to an end of its part: on to what is there.
static int step_down(couple *c, int body, double u[4]) {
  if (!is_facets(c, body) || c->nu[body] == 0) return 0;
  const double *at = u + 2 * body;
  int v[3], n = facet_corners(c->piece[body]->facets, c->on[body], v), ends = 0;
  double weight[3] = {1 - at[0] - (n == 3 ? at[1] : 0), at[0], n == 3 ? at[1] : 0};
  for (int i = 0; i < n; i++) ends += weight[i] <= 1e-12;
  if (ends) facets_stand(c, body, n, v, weight, u);
  return ends;
}

// One step of Newton's within the parts. *small: it went nowhere; returns whether curvatures were
// all positive.
static int step_within(couple *c, double u[4], view *v, double lowest[4], int *small) {
  double g[4], H[4][4], step[4], by[4] = {0}, trial[4], before = v->gap, displaced = 0;
  int at[4], k = couple_slopes(c, v, g, H);
  int good = couple_newton(k, g, (const double(*)[4])H, step);
  if (!good) couple_curvatures(k, g, (const double(*)[4])H, step, lowest);
  couple_places(c, at);
  for (int i = 0; i < k; i++) by[at[i]] = step[i];
  double most = fmin(1, 0.5 / pl_max_abs(k, step)), slope = pl_dot(k, g, step);
  most = fmin(most, fmin(depth_within(c, 0, u, by), depth_within(c, 1, u, by)));
  int half = 0;
  for (double cut = most; half <= 12; half++, cut /= 2) {
    for (int i = 0; i < 4; i++) trial[i] = u[i] + cut * by[i];
    for (int body = 0; body < 2; body++)
      if (!is_facets(c, body)) couple_inside(c, trial);
    couple_view(c, trial, v);
    if (v->gap <= before + 1e-4 * cut * slope + 1e-15 * v->dist) break;
  }
  for (int i = 0; i < 4; i++) displaced = fmax(displaced, fabs(trial[i] - u[i]));
  memcpy(u, trial, sizeof trial);
  *small = displaced < (good ? 1e-7 : 1e-12);
  // an end was met: the smaller part is tried next
  if (half == 0 && most < 1) {
    int met = step_down(c, 0, u) + step_down(c, 1, u);
    if (met) {
      *small = 0;
      couple_view(c, u, v);
    }
  }
  return good;
}

// Parts that were begun with may lean; those that are come to must not.
static int descend(couple *c, double lean, double u[4], view *v, double lowest[4]) {
  const int begun[2] = {c->on[0], c->on[1]};
  double tiny = 1e-12 * (c->piece[0]->radius + c->piece[1]->radius);
  couple_view(c, u, v);
  for (int round = 0; round < ROUNDS; round++) {
    int small = 1, good = 1;
    if (v->dist <= tiny) return 1;
    if (c->nu[0] + c->nu[1] > 0) good = step_within(c, u, v, lowest, &small);
    if (!small) continue;
    if (v->dist <= tiny) return 1;
    int same = c->on[0] == begun[0] && c->on[1] == begun[1];
    if (!leave(c, v, same ? lean : STRICT, u)) return good ? 1 : -1;
    couple_view(c, u, v);
  }
  return 0;
}

int facets_descend(couple *c, double u[4], view *v, double lowest[4]) {
  return descend(c, LEAN, u, v, lowest);
}

// ---- against rings and curves -------------------------------------------------------------------

typedef struct hunt {
  const couple *c;
  int body; // that has the facets
  double cut, far, level;
  int nsample;
  double x[SAMPLES][3]; // of the other piece, as the facets see it
  int nstart, start[STARTS][2];
  int n;
  pl_approach *approach;
} hunt;

static void to_local(const pl_pose *t, const double *x, double out[3]) {
  double w[3];
  pl_sub3(x, t->x, w);
  for (int i = 0; i < 3; i++) out[i] = t->Q[i] * w[0] + t->Q[3 + i] * w[1] + t->Q[6 + i] * w[2];
}

// From a part that leans a little, which is kept, further down to where no part leans at all.
static void hunt_from(hunt *h, const couple *from, const double start[4]) {
  double u[4], lowest[4];
  view v;
  couple c = *from;
  h->n = seek_minima(from, start, h->cut, 3, h->n, h->approach);
  memcpy(u, start, sizeof u);
  if (descend(&c, STRICT, u, &v, lowest) > 0 && v.gap < h->cut)
    h->n = put_approach(&c, u, v.gap, h->n, h->approach);
}

static void hunt_start(hunt *h, int sample, const simplex *s, const double weight[3]) {
  double u[4] = {0};
  couple c = *h->c;
  int other = 1 - h->body;
  c.on[h->body] = s->n == 3 ? s->part[s->npart - 1] : 0;
  c.nu[h->body] = s->n - 1;
  facets_stand(&c, h->body, s->n, s->v, weight, u);
  for (int k = 0; k < h->nstart; k++)
    if (h->start[k][0] == sample && h->start[k][1] == c.on[h->body]) return;
  if (h->nstart < STARTS) {
    h->start[h->nstart][0] = sample;
    h->start[h->nstart++][1] = c.on[h->body];
  }
  u[2 * other] = 2 * PL_PI * sample / h->nsample;
  u[2 * other + 1] = h->level;
  hunt_from(h, &c, u);
}

static void hunt_simplex(hunt *h, const simplex *s) {
  const pl_facets *f = h->c->piece[h->body]->facets;
  double x[3][3], dist[SAMPLES], weight[SAMPLES][3];
  int n = h->nsample;
  for (int i = 0; i < s->n; i++) memcpy(x[i], f->x[s->v[i]], sizeof x[i]);
  for (int k = 0; k < n; k++) {
    double w[3];
    nearest_of_simplex(s->n, (const double(*)[3])x, h->x[k], weight[k]);
    memcpy(w, h->x[k], sizeof w);
    for (int i = 0; i < s->n; i++)
      for (int c = 0; c < 3; c++) w[c] -= weight[k][i] * x[i][c];
    dist[k] = pl_norm3(w);
  }
  for (int k = 0; k < n; k++)
    if (dist[k] < h->far && dist[k] <= dist[(k + 1) % n] && dist[k] < dist[(k + n - 1) % n])
      hunt_start(h, k, s, weight[k]);
}

static int any_near(const hunt *h, const double box[2][3]) {
  for (int k = 0; k < h->nsample; k++) {
    double sum = 0;
    for (int c = 0; c < 3; c++) {
      double off = fmax(0, fmax(box[0][c] - h->x[k][c], h->x[k][c] - box[1][c]));
      sum += off * off;
    }
    if (sum < h->far * h->far) return 1;
  }
  return 0;
}

static void hunt_node(hunt *h, facet_node n) {
  const pl_facets *f = h->c->piece[h->body]->facets;
  if (!any_near(h, (const double(*)[3])f->box[n.at])) return;
  if (facet_is_leaf(&n)) {
    for (int k = n.from; k < n.to; k++) hunt_simplex(h, &f->s[k]);
    return;
  }
  facet_node child[2];
  facet_children(&n, child);
  hunt_node(h, child[0]);
  hunt_node(h, child[1]);
}

static int against_smooth(const couple *c, int body, double cut, pl_approach *approach) {
  int other = 1 - body, levels = c->nu[other] == 2;
  const pl_piece *p = c->piece[other];
  hunt h = {.c = c, .body = body, .cut = cut, .approach = approach};
  double a = fmin(p->radius, p->height), b = fmax(p->radius, p->height);
  h.nsample = p->kind == PL_PIECE_RING ? SAMPLES / 2 : SAMPLES;
  h.far = cut + c->piece[body]->radius + (p->kind == PL_PIECE_RING ? b : p->radius) +
          PL_PI / h.nsample * piece_speed(p);
  for (int i = -levels; i <= levels; i++) {
    h.level = levels ? 0.7 * i * sqrt(b * b - a * a) / b : 0;
    h.nstart = 0;
    for (int k = 0; k < h.nsample; k++) {
      pl_swept s;
      double x[3];
      pl_piece_at(p, (double[2]){2 * PL_PI * k / h.nsample, h.level}, &s);
      for (int d = 0; d < 3; d++)
        x[d] = c->pose[other]->x[d] + pl_dot3(c->pose[other]->Q + 3 * d, s.p);
      to_local(c->pose[body], x, h.x[k]);
    }
    hunt_node(&h, (facet_node){0, 0, c->piece[body]->facets->nsimplex});
  }
  return h.n;
}

// ---- against each other -------------------------------------------------------------------------

void duel_seen(const duel *d, const double *x, double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = d->shift[i] + pl_dot3(d->Q + 3 * i, x);
}

// Parameters of the nearest points of the lines and planes of two parts, of two parameters at most;
// 0: they are parallel, or the points are off the parts.
static int feet(const duel *d, const int part[2], double u[4]) {
  double x[2][3][3], w[3], D[2][3], g[2], h[3] = {0};
  int nu[2], k = 0, of[2], at[2];
  for (int body = 0; body < 2; body++) {
    int v[3], n = facet_corners(d->f[body], part[body], v);
    for (int i = 0; i < n; i++) {
      const double *from = d->f[body]->x[v[i]];
      if (body)
        duel_seen(d, from, x[1][i]);
      else
        memcpy(x[0][i], from, sizeof x[0][i]);
    }
    nu[body] = n - 1;
    for (int i = 1; i < n; i++, k++) {
      of[k] = body;
      at[k] = 2 * body + i - 1;
      pl_sub3(x[body][i], x[body][0], D[k]);
    }
  }
  memset(u, 0, 4 * sizeof *u);
  pl_sub3(x[0][0], x[1][0], w);
  for (int i = 0; i < k; i++) {
    double sign = of[i] ? 1 : -1;
    g[i] = sign * pl_dot3(D[i], w);
    h[i] = pl_dot3(D[i], D[i]);
  }
  if (k == 1) u[at[0]] = g[0] / h[0];
  if (k == 2) {
    h[2] = (of[0] == of[1] ? 1 : -1) * pl_dot3(D[0], D[1]);
    double det = h[0] * h[1] - h[2] * h[2];
    if (!(det > 1e-12 * h[0] * h[1])) return 0;
    u[at[0]] = (h[1] * g[0] - h[2] * g[1]) / det;
    u[at[1]] = (h[0] * g[1] - h[2] * g[0]) / det;
  }
  for (int body = 0; body < 2; body++) {
    double sum = 0;
    for (int i = 2 * body; i < 2 * body + nu[body]; i++) {
      if (u[i] < -1e-12) return 0;
      sum += u[i];
    }
    if (sum > 1 + 1e-12) return 0;
  }
  return 1;
}

static void try_parts(duel *d, int first, int second) {
  const int part[2] = {first, second};
  double u[4];
  int any;
  view v;
  if (!feet(d, part, u)) return;
  couple c = couple_of(d->c->piece[0], d->c->pose[0], d->c->piece[1], d->c->pose[1], part);
  couple_view(&c, u, &v);
  if (v.gap > d->cut) return;
  if (v.gap > 0 && (steepest(&c, 0, &v, &any) < -LEAN || steepest(&c, 1, &v, &any) < -LEAN)) return;
  d->n = put_approach(&c, u, v.gap, d->n, d->approach);
}

// an edge that goes through a triangle
static void try_through(duel *d, int body, int edge, int face) {
  double x[2][3], y[3][3], side[2], n[3], a[3], b[3];
  const pl_facets *fe = d->f[body], *ff = d->f[1 - body];
  for (int i = 0; i < 2; i++) {
    const double *from = fe->x[fe->edge[edge][i]];
    if (body)
      duel_seen(d, from, x[i]);
    else
      memcpy(x[i], from, sizeof x[i]);
  }
  for (int i = 0; i < 3; i++) {
    const double *from = ff->x[ff->face[face][i]];
    if (body)
      memcpy(y[i], from, sizeof y[i]);
    else
      duel_seen(d, from, y[i]);
  }
  pl_sub3(y[1], y[0], a);
  pl_sub3(y[2], y[0], b);
  pl_cross3(a, b, n);
  for (int i = 0; i < 2; i++) {
    double w[3];
    pl_sub3(x[i], y[0], w);
    side[i] = pl_dot3(n, w);
  }
  if (side[0] * side[1] > 0 || side[0] == side[1]) return;
  double t = side[0] / (side[0] - side[1]), p[3], in[3];
  for (int i = 0; i < 3; i++) p[i] = (1 - t) * x[0][i] + t * x[1][i] - y[0][i];
  double aa = pl_dot3(a, a), ab = pl_dot3(a, b), bb = pl_dot3(b, b), det = aa * bb - ab * ab;
  in[1] = (bb * pl_dot3(a, p) - ab * pl_dot3(b, p)) / det;
  in[2] = (aa * pl_dot3(b, p) - ab * pl_dot3(a, p)) / det;
  if (in[1] < 0 || in[2] < 0 || in[1] + in[2] > 1) return;
  int part[2];
  double u[4] = {0};
  part[body] = fe->nvert + edge;
  part[1 - body] = ff->nvert + ff->nedge + face;
  u[2 * body] = t;
  u[2 * (1 - body)] = in[1];
  u[2 * (1 - body) + 1] = in[2];
  couple c = couple_of(d->c->piece[0], d->c->pose[0], d->c->piece[1], d->c->pose[1], part);
  d->n = put_approach(&c, u, -c.piece[0]->radius - c.piece[1]->radius, d->n, d->approach);
}

static void try_simplices(duel *d, const simplex *s, const simplex *t) {
  const simplex *of[2] = {s, t};
  for (int i = 0; i < s->npart; i++)
    for (int k = 0; k < t->npart; k++)
      if (facets_nu(d->f[0], s->part[i]) + facets_nu(d->f[1], t->part[k]) <= 2)
        try_parts(d, s->part[i], t->part[k]);
  for (int body = 0; body < 2; body++) {
    const simplex *other = of[1 - body];
    if (other->n < 3) continue;
    const pl_facets *f = d->f[body], *g = d->f[1 - body];
    int face = other->part[other->npart - 1] - g->nvert - g->nedge;
    for (int i = 0; i < of[body]->npart; i++) {
      int part = of[body]->part[i];
      if (facets_nu(f, part) == 1) try_through(d, body, part - f->nvert, face);
    }
  }
}

// whether a box of the first and one of the second are near, the latter turned with its body
static int near_boxes(const duel *d, const double a[2][3], const double b[2][3]) {
  double mid[3], half[3], x[3];
  for (int c = 0; c < 3; c++) {
    mid[c] = (b[0][c] + b[1][c]) / 2;
    half[c] = (b[1][c] - b[0][c]) / 2;
  }
  duel_seen(d, mid, x);
  for (int c = 0; c < 3; c++) {
    double range = d->far;
    for (int k = 0; k < 3; k++) range += fabs(d->Q[3 * c + k]) * half[k];
    if (x[c] + range < a[0][c] || x[c] - range > a[1][c]) return 0;
  }
  return 1;
}

static void duel_nodes(duel *d, facet_node a, facet_node b) {
  if (!near_boxes(d, (const double(*)[3])d->f[0]->box[a.at],
                  (const double(*)[3])d->f[1]->box[b.at]))
    return;
  facet_node child[2];
  if (facet_is_leaf(&a) && facet_is_leaf(&b)) {
    for (int i = a.from; i < a.to; i++)
      for (int k = b.from; k < b.to; k++) d->meet(d, &d->f[0]->s[i], &d->f[1]->s[k]);
  } else if (!facet_is_leaf(&a) && (facet_is_leaf(&b) || a.to - a.from >= b.to - b.from)) {
    facet_children(&a, child);
    for (int k = 0; k < 2; k++) duel_nodes(d, child[k], b);
  } else {
    facet_children(&b, child);
    for (int k = 0; k < 2; k++) duel_nodes(d, a, child[k]);
  }
}

void duel_all(duel *d) {
  const pl_pose *a = d->c->pose[0], *b = d->c->pose[1];
  for (int i = 0; i < 2; i++) d->f[i] = d->c->piece[i]->facets;
  d->far = d->cut + d->c->piece[0]->radius + d->c->piece[1]->radius;
  to_local(a, b->x, d->shift);
  memset(d->Q, 0, sizeof d->Q);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) d->Q[3 * i + j] += a->Q[3 * k + i] * b->Q[3 * k + j];
  duel_nodes(d, (facet_node){0, 0, d->f[0]->nsimplex}, (facet_node){0, 0, d->f[1]->nsimplex});
}

static int against_facets(const couple *c, double cut, pl_approach *approach) {
  duel d = {.c = c, .cut = cut, .meet = try_simplices, .approach = approach};
  duel_all(&d);
  return d.n;
}

int facets_gaps(const couple *c, double cut, pl_approach *approach) {
  if (is_facets(c, 0) && is_facets(c, 1)) return against_facets(c, cut, approach);
  return against_smooth(c, is_facets(c, 1), cut, approach);
}

// ---- closed ways --------------------------------------------------------------------------------

int facets_loops(const pl_facets *f) {
  return f->nloop;
}

// Edge 0 closes the way; then up the tree from its end, and back to its beginning; where both ways
// meet they are left.
int facets_way(const pl_facets *f, int loop, int k, double x[2][3]) {
  const int *e = f->edge[f->loop[loop]];
  int a = e[0], b = e[1];
  if (k == 0) {
    memcpy(x[0], f->x[a], sizeof x[0]);
    memcpy(x[1], f->x[b], sizeof x[1]);
    return 1;
  }
  while (a != b) {
    int up = f->level[b] >= f->level[a], from = up ? b : a, to = f->parent[from];
    if (--k == 0) {
      memcpy(x[!up], f->x[from], sizeof x[0]);
      memcpy(x[up], f->x[to], sizeof x[0]);
      return 1;
    }
    if (up)
      b = to;
    else
      a = to;
  }
  return 0;
}
