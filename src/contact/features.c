// Faces and edges of bodies at corners and edges of obstacles: a corner under a face, an edge
// across an edge, a corner or a ball under an edge. Nodes feel obstacles by themselves.
#include "contact_impl.h"

#include <stdlib.h>
#include <string.h>

static const double INSIDE = 1e-9; // weights of nodes below are rounding
static const double LEAN = 0.1;    // cosine by which a pair may lean over from where it is nearest,
static const double VALLEY = 1e-3; // and that faces rise by from an edge on a corner at least
static const double ALONG = 1e-3;  // sine of the angle between edges that lie along each other
static const double FLUSH =
    1e-6; // of its size: what stands out of another obstacle by less is in it
static const double BEFORE = 0.01; // of its size: how deep a part may have been before the step

// A triangle or an edge of a body.
typedef struct part {
  int n, vert[3];
  int third[2]; // of an edge: nodes across its triangles, -1: none
  int solid;    // a triangle of a solid, an edge of two of them
  double radius;
  int node; // of the contact: whose friction it has
} part;

struct pl_surface {
  pl_env *env;
  int dim, nobstacle, nnode, npart;
  double widest; // m; radius of a part
  const pl_obstacle *obstacle;
  pl_skeleton **skeleton; // [nobstacle], NULL: nodes alone feel it
  part *part;             // [npart] triangles, then edges
  int nused, *used;       // nodes of parts
  double *mu;             // [nobstacle][nnode of the contact]
  int ncontact;
  unsigned char *code; // [nnode] sides of a box that a node is beyond
  int nfeature, cap;
  pl_contact_feature *approach;
  pl_status failed;
};

// What is looked at: a part in the axes of an obstacle, now and at the start.
typedef struct look {
  struct pl_surface *f;
  const pl_skeleton *s;
  const part *p;
  int index, obstacle; // of the part, and of the obstacle
  double round;        // m; radii of part and obstacle
  double margin;
  double R[9], now[3], then[3]; // axes of the obstacle, and where they stand
  double x[3][3], x0[3][3];     // nodes of the part
  double third[2][3];           // and across its triangles
  const double *q, *q0;
} look;

// ---- parts --------------------------------------------------------------------------------------

typedef struct side {
  int lo, hi, third, solid;
} side;

static int compare_sides(const void *a, const void *b) {
  const side *p = a, *q = b;
  if (p->lo != q->lo) return p->lo < q->lo ? -1 : 1;
  if (p->hi != q->hi) return p->hi < q->hi ? -1 : 1;
  return (p->third > q->third) - (p->third < q->third);
}

// at[nnode]: number of a node in the contact, -1: it is held
static void add_part(struct pl_surface *f, const pl_contact_desc *d, const int *at, part p) {
  p.node = -1;
  for (int k = 0; k < p.n; k++) {
    int i = at[p.vert[k]];
    if (i >= 0 && p.node < 0) p.node = i;
    if (i >= 0 && d->radius) p.radius = fmax(p.radius, d->radius[i]);
  }
  if (p.node < 0) return;
  f->widest = fmax(f->widest, p.radius);
  f->part[f->npart++] = p;
}

static void add_edges(struct pl_surface *f, const pl_contact_desc *d, const int *at, int n,
                      const side *s) {
  for (int i = 0, k; i < n; i = k) {
    part p = {2, {s[i].lo, s[i].hi}, {s[i].third, -1}, s[i].solid, 0, 0};
    for (k = i + 1; k < n && s[k].lo == s[i].lo && s[k].hi == s[i].hi; k++) p.third[1] = s[k].third;
    add_part(f, d, at, p);
  }
}

static void make_parts(struct pl_surface *f, const pl_contact_desc *d, int *at, side *s) {
  for (int i = 0; i < f->nnode; i++) at[i] = -1;
  for (int i = 0; i < d->nnode; i++) at[d->node[i]] = i;
  for (int t = 0; t < d->ntri; t++) {
    const int *v = d->tri + 3 * t;
    add_part(f, d, at, (part){3, {v[0], v[1], v[2]}, {-1, -1}, t < d->nsolid, 0, 0});
    for (int k = 0; k < 3; k++) {
      int a = v[k], b = v[(k + 1) % 3];
      s[3 * t + k] = (side){a < b ? a : b, a < b ? b : a, v[(k + 2) % 3], t < d->nsolid};
    }
  }
  if (d->ntri > 0) qsort(s, 3 * (size_t)d->ntri, sizeof *s, compare_sides);
  add_edges(f, d, at, 3 * d->ntri, s);
  for (int i = 0; i < d->nsegment; i++) {
    const int *v = d->segment + 2 * i;
    add_part(f, d, at, (part){2, {v[0], v[1]}, {-1, -1}, 0, 0, 0});
  }
  for (int i = 0; i < f->nnode; i++) at[i] = 0;
  for (int i = 0; i < f->npart; i++)
    for (int k = 0; k < f->part[i].n; k++)
      if (!at[f->part[i].vert[k]]++) f->used[f->nused++] = f->part[i].vert[k];
}

// ---- corners and edges that others cover --------------------------------------------------------

// a place of obstacle o, in its axes, is in or on an obstacle that stays beside it
static int is_covered(const pl_contact_desc *d, int dim, int o, const double *own, double margin) {
  const pl_obstacle *a = &d->obstacle[o];
  double R[9], x[3] = {0};
  obstacle_rotation(a, R);
  for (int c = 0; c < dim; c++) x[c] = pl_dot3(R + 3 * c, own) + a->centre[c];
  for (int k = 0; k < d->nobstacle; k++) {
    const pl_obstacle *b = &d->obstacle[k];
    pl_gap g;
    if (k == o || memcmp(a->velocity, b->velocity, sizeof a->velocity) != 0) continue;
    pl_obstacle_gap(b, dim, 0, x, 0, &g);
    if (g.gap < margin) return 1;
  }
  return 0;
}

// Where boxes stand side by side, what slides over them meets no edge between them.
static void hide_covered(const pl_contact_desc *d, int dim, int o, pl_skeleton *s) {
  double size[3];
  pl_sub3(s->hi, s->lo, size);
  double margin = FLUSH * pl_norm3(size);
  for (int i = 0; i < s->npoint; i++)
    s->point[i].hidden = s->point[i].sharp && is_covered(d, dim, o, s->x[s->point[i].v], margin);
  for (int i = 0; i < s->nedge; i++) {
    skeleton_edge *e = &s->edge[i];
    e->hidden = e->sharp;
    for (int k = 0; k <= 4 && e->hidden; k++) {
      double x[3];
      for (int c = 0; c < 3; c++)
        x[c] = s->x[e->v[0]][c] + 0.25 * k * (s->x[e->v[1]][c] - s->x[e->v[0]][c]);
      e->hidden = is_covered(d, dim, o, x, margin);
    }
  }
}

// ---- whole --------------------------------------------------------------------------------------

static pl_status fill(struct pl_surface *f, const pl_contact_desc *d) {
  size_t ntri = (size_t)d->ntri, most = 4 * ntri + (size_t)d->nsegment;
  int any = 0;
  f->skeleton = pl_alloc(f->env, (size_t)f->nobstacle, sizeof(pl_skeleton *));
  f->part = pl_alloc(f->env, most, sizeof *f->part);
  f->used = pl_alloc(f->env, (size_t)f->nnode, sizeof *f->used);
  f->code = pl_alloc(f->env, (size_t)f->nnode, 1);
  f->mu = pl_alloc(f->env, (size_t)f->nobstacle * (size_t)d->nnode, sizeof *f->mu);
  if (!f->skeleton || !f->part || !f->used || !f->code || !f->mu) return PL_E_NOMEM;
  for (int o = 0; o < f->nobstacle; o++) {
    PL_TRY(skeleton_create(f->env, &d->obstacle[o], f->dim, &f->skeleton[o]));
    any |= f->skeleton[o] != NULL;
    if (f->skeleton[o] && f->nobstacle > 1) hide_covered(d, f->dim, o, f->skeleton[o]);
    for (int i = 0; i < d->nnode; i++)
      f->mu[o * d->nnode + i] =
          friction_of(d->mu ? d->mu[i * f->nobstacle + o] : d->obstacle[o].mu);
  }
  if (!any) return PL_OK;
  int *at = pl_alloc(f->env, (size_t)f->nnode, sizeof *at);
  side *s = pl_alloc(f->env, 3 * ntri, sizeof *s);
  if (at && s) make_parts(f, d, at, s);
  pl_free(f->env, s);
  pl_free(f->env, at);
  return at && s ? PL_OK : PL_E_NOMEM;
}

static pl_status check_desc(pl_env *env, int nnode, const pl_contact_desc *d) {
  for (int i = 0; i < 3 * d->ntri; i++)
    if (d->tri[i] < 0 || d->tri[i] >= nnode)
      return pl_fail(env, PL_E_ARG, "contact: triangle %d has no node %d", i / 3, d->tri[i]);
  for (int i = 0; i < 2 * d->nsegment; i++)
    if (d->segment[i] < 0 || d->segment[i] >= nnode)
      return pl_fail(env, PL_E_ARG, "contact: segment %d has no node %d", i / 2, d->segment[i]);
  return PL_OK;
}

pl_status surface_create(pl_env *env, int nnode, const pl_contact_desc *d, int dim,
                         struct pl_surface **out) {
  *out = NULL;
  if (d->ntri + d->nsegment == 0 || d->nobstacle == 0 || d->nnode == 0 || dim < 2) return PL_OK;
  PL_TRY(check_desc(env, nnode, d));
  struct pl_surface *f = pl_alloc(env, 1, sizeof *f);
  if (!f) return PL_E_NOMEM;
  *f = (struct pl_surface){.env = env, .dim = dim, .nobstacle = d->nobstacle, .nnode = nnode};
  f->ncontact = d->nnode;
  pl_status s = fill(f, d);
  if (s == PL_OK && f->npart > 0) {
    *out = f;
    return PL_OK;
  }
  surface_free(f);
  return s;
}

void surface_free(struct pl_surface *f) {
  if (!f) return;
  for (int o = 0; f->skeleton && o < f->nobstacle; o++) skeleton_free(f->skeleton[o]);
  void *all[] = {f->skeleton, f->part, f->used, f->code, f->mu, f->approach};
  for (size_t i = 0; i < COUNT(all); i++) pl_free(f->env, all[i]);
  pl_free(f->env, f);
}

// ---- pairs --------------------------------------------------------------------------------------

// y = sum w x over the nodes of the part
static void weigh(const look *k, const double *w, const double (*x)[3], double y[3]) {
  for (int c = 0; c < 3; c++) {
    y[c] = 0;
    for (int a = 0; a < k->p->n; a++) y[c] += w[a] * x[a][c];
  }
}

// direction of d across e; 0: it has none
static int across(const double *d, const double *e, double m[3]) {
  double along = pl_dot3(d, e) / pl_dot3(e, e);
  for (int c = 0; c < 3; c++) m[c] = d[c] - along * e[c];
  double size = pl_norm3(m);
  for (int c = 0; c < 3 && size > 0; c++) m[c] /= size;
  return size > 0;
}

static void flip(double n[3]) {
  for (int c = 0; c < 3; c++) n[c] = -n[c];
}

// The pair of the place with weights w of the part and the place p of the obstacle, apart by n: one
// where they are near now and were not inside each other at the start.
static void emit(look *k, int feature, const double *w, const double *p, const double *n,
                 double radius, double size) {
  struct pl_surface *f = k->f;
  double y[3], y0[3], keep = k->round + radius, gap = -keep, gap0 = -keep, at = 0;
  weigh(k, w, (const double(*)[3])k->x, y);
  weigh(k, w, (const double(*)[3])k->x0, y0);
  for (int c = 0; c < 3; c++) {
    gap += n[c] * (y[c] - p[c]);
    gap0 += n[c] * (y0[c] - p[c]);
  }
  if (!(gap < k->margin) || !(gap0 > -BEFORE * size) || f->failed != PL_OK) return;
  f->failed = pl_grow(f->env, &f->approach, f->nfeature, &f->cap, sizeof *f->approach);
  if (f->failed != PL_OK) return;
  pl_contact_feature *t = &f->approach[f->nfeature++];
  *t = (pl_contact_feature){
      .obstacle = k->obstacle, .part = k->index, .feature = feature, .gap = gap};
  pl_contact_row *r = &t->row;
  r->n = k->p->n;
  r->mu = f->mu[k->obstacle * f->ncontact + k->p->node];
  for (int a = 0; a < 4; a++) r->vert[a] = k->p->vert[a < r->n ? a : r->n - 1];
  for (int a = 0; a < r->n; a++) r->weight[a] = w[a];
  for (int c = 0; c < 3; c++) {
    r->frame[0][c] = pl_dot3(k->R + 3 * c, n);
    at += r->frame[0][c] * (pl_dot3(k->R + 3 * c, p) + k->now[c]);
  }
  r->offset = at + keep;
  pl_contact_tangents(f->dim, r->frame);
}

// no edge of the obstacle at its corner rises over the plane across n
static int is_over_corner(const pl_skeleton *s, int v, const double *n) {
  for (int i = s->first[v]; i < s->first[v + 1]; i++) {
    double d[3];
    pl_sub3(s->x[s->near[i]], s->x[v], d);
    if (pl_dot3(n, d) > LEAN * pl_norm3(d)) return 0;
  }
  return 1;
}

static void meet_face(void *ctx, int i) {
  look *k = ctx;
  const skeleton_point *b = &k->s->point[i];
  const double *p = k->s->x[b->v];
  double e[3], g[3], d[3], n[3], m[3], w[3], y0[3];
  if (b->hidden) return;
  pl_sub3(k->x[1], k->x[0], e);
  pl_sub3(k->x[2], k->x[0], g);
  pl_sub3(p, k->x[0], d);
  pl_cross3(e, g, n);
  double size = pl_norm3(n);
  if (!(size > 0)) return;
  for (int c = 0; c < 3; c++) n[c] /= size;
  pl_cross3(d, g, m);
  w[1] = pl_dot3(m, n) / size;
  pl_cross3(e, d, m);
  w[2] = pl_dot3(m, n) / size;
  w[0] = 1 - w[1] - w[2];
  if (w[0] < -INSIDE || w[1] < -INSIDE || w[2] < -INSIDE) return;
  weigh(k, w, (const double(*)[3])k->x0, y0);
  pl_sub3(y0, p, d);
  if (k->p->solid || pl_dot3(n, b->sharp ? k->s->out[b->v] : d) < 0) flip(n);
  if (b->sharp && (!(pl_dot3(n, k->s->out[b->v]) > 0) || !is_over_corner(k->s, b->v, n))) return;
  emit(k, i, w, p, n, b->radius, sqrt(size));
}

// the triangles of the edge rise from it along n by at least so much
static int rises(const look *k, const double *e, const double *n, double least) {
  for (int j = 0; j < 2; j++) {
    double d[3], m[3];
    if (k->p->third[j] < 0) continue;
    pl_sub3(k->third[j], k->x[0], d);
    if (across(d, e, m) && pl_dot3(m, n) < least) return 0;
  }
  return 1;
}

// n, across e and g, out of the obstacle; 0: the edge g of it is not nearest there
static int flip_outwards(const look *k, const skeleton_edge *b, const double *g, const double *y,
                         double n[3]) {
  double m[2][3];
  const double *p = k->s->x[b->v[0]];
  if (!b->sharp) {
    if (pl_dot3(n, y) < 0) flip(n);
    return 1;
  }
  for (int j = 0; j < 2; j++) {
    double d[3];
    pl_sub3(k->s->x[b->third[j]], p, d);
    if (!across(d, g, m[j])) return 0;
  }
  if (pl_dot3(n, m[0]) + pl_dot3(n, m[1]) > 0) flip(n);
  return pl_dot3(n, m[0]) <= LEAN && pl_dot3(n, m[1]) <= LEAN;
}

static void meet_edge(void *ctx, int i) {
  look *k = ctx;
  const skeleton_edge *b = &k->s->edge[i];
  const double *p = k->s->x[b->v[0]];
  double e[3], g[3], d[3], n[3], m[3], at[3], y[3], w[2];
  if (b->hidden) return;
  pl_sub3(k->x[1], k->x[0], e);
  pl_sub3(k->s->x[b->v[1]], p, g);
  pl_sub3(p, k->x[0], d);
  pl_cross3(e, g, n);
  double nn = pl_dot3(n, n), ee = pl_dot3(e, e);
  if (!(nn > ALONG * ALONG * ee * pl_dot3(g, g))) return;
  pl_cross3(d, g, m);
  w[1] = pl_dot3(m, n) / nn;
  w[0] = 1 - w[1];
  pl_cross3(d, e, m);
  double u = pl_dot3(m, n) / nn;
  if (w[0] < INSIDE || w[1] < INSIDE || u < -INSIDE || u > 1 + INSIDE) return;
  for (int c = 0; c < 3; c++) {
    at[c] = p[c] + u * g[c];
    n[c] /= sqrt(nn);
  }
  weigh(k, w, (const double(*)[3])k->x0, y);
  pl_sub3(y, at, y);
  if (!flip_outwards(k, b, g, y, n) || !rises(k, e, n, -LEAN)) return;
  emit(k, k->s->npoint + i, w, at, n, b->radius, sqrt(ee));
}

// a corner or a ball under an edge that no face of it is over
static void meet_corner(void *ctx, int i) {
  look *k = ctx;
  const skeleton_point *b = &k->s->point[i];
  const double *p = k->s->x[b->v];
  double e[3], d[3], n[3], y[3], w[2];
  if (b->hidden) return;
  pl_sub3(k->x[1], k->x[0], e);
  pl_sub3(p, k->x[0], d);
  double ee = pl_dot3(e, e);
  if (!(ee > 0)) return;
  w[1] = pl_dot3(d, e) / ee;
  w[0] = 1 - w[1];
  if (w[0] < INSIDE || w[1] < INSIDE) return;
  weigh(k, w, (const double(*)[3])k->x, y);
  pl_sub3(y, p, y);
  if (!across(b->sharp ? k->s->out[b->v] : y, e, n)) return;
  weigh(k, w, (const double(*)[3])k->x0, y);
  pl_sub3(y, p, y);
  if (!b->sharp && pl_dot3(n, y) < 0) flip(n);
  if (b->sharp && !is_over_corner(k->s, b->v, n)) return;
  if (!rises(k, e, n, VALLEY)) return;
  emit(k, i, w, p, n, b->radius, sqrt(ee));
}

// ---- search -------------------------------------------------------------------------------------

static void to_own(const look *k, const double *x, const double *origin, double own[3]) {
  double d[3] = {0};
  for (int c = 0; c < k->f->dim; c++) d[c] = x[c] - origin[c];
  for (int j = 0; j < 3; j++) own[j] = k->R[j] * d[0] + k->R[3 + j] * d[1] + k->R[6 + j] * d[2];
}

// sides of a box that x is beyond
static unsigned beyond(int dim, const double *x, const double *lo, const double *hi) {
  unsigned code = 0;
  for (int c = 0; c < dim; c++)
    code |= (x[c] < lo[c] ? 1u : 0) << 2 * c | (x[c] > hi[c] ? 2u : 0) << 2 * c;
  return code;
}

// the box of the obstacle with axes at `origin` in the world
static void box_of(const look *k, const double *origin, double lo[3], double hi[3]) {
  double more = k->f->widest + k->margin;
  for (int c = 0; c < 3; c++) {
    double mid = origin[c], half = more;
    for (int j = 0; j < 3; j++) {
      mid += k->R[3 * c + j] * (k->s->lo[j] + k->s->hi[j]) / 2;
      half += fabs(k->R[3 * c + j]) * (k->s->hi[j] - k->s->lo[j]) / 2;
    }
    lo[c] = mid - half;
    hi[c] = mid + half;
  }
}

// marks nodes; 1: all are beyond one side
static unsigned mark(look *k) {
  struct pl_surface *f = k->f;
  double lo[3], hi[3], lo0[3], hi0[3];
  unsigned all = 63;
  box_of(k, k->now, lo, hi);
  box_of(k, k->then, lo0, hi0);
  for (int i = 0; i < f->nused; i++) {
    int v = f->used[i];
    unsigned code = beyond(f->dim, k->q + v * f->dim, lo, hi);
    if (code) code &= beyond(f->dim, k->q0 + v * f->dim, lo0, hi0);
    f->code[v] = (unsigned char)code;
    all &= code;
  }
  return all;
}

static void look_at(look *k) {
  double lo[3], hi[3];
  const part *p = k->p;
  int dim = k->f->dim;
  k->round = p->radius + k->f->obstacle[k->obstacle].radius;
  for (int c = 0; c < 3; c++) {
    lo[c] = INFINITY;
    hi[c] = -INFINITY;
  }
  for (int a = 0; a < p->n; a++) {
    to_own(k, k->q + p->vert[a] * dim, k->now, k->x[a]);
    to_own(k, k->q0 + p->vert[a] * dim, k->then, k->x0[a]);
    for (int c = 0; c < 3; c++) {
      lo[c] = fmin(lo[c], fmin(k->x[a][c], k->x0[a][c]));
      hi[c] = fmax(hi[c], fmax(k->x[a][c], k->x0[a][c]));
    }
  }
  for (int j = 0; p->n == 2 && j < 2; j++)
    if (p->third[j] >= 0) to_own(k, k->q + p->third[j] * dim, k->now, k->third[j]);
  double more = p->radius + k->s->most + k->margin;
  for (int c = 0; c < 3; c++) {
    lo[c] -= more;
    hi[c] += more;
  }
  if (p->n == 3) {
    if (k->s->points) pl_bvh_overlaps(k->s->points, lo, hi, meet_face, k);
    return;
  }
  if (k->s->edges) pl_bvh_overlaps(k->s->edges, lo, hi, meet_edge, k);
  if (k->s->points) pl_bvh_overlaps(k->s->points, lo, hi, meet_corner, k);
}

static void search(look *k) {
  const struct pl_surface *f = k->f;
  if (mark(k)) return;
  for (k->index = 0; k->index < f->npart; k->index++) {
    const part *p = k->p = &f->part[k->index];
    unsigned code = f->code[p->vert[0]] & f->code[p->vert[1]];
    if (p->n == 3) code &= f->code[p->vert[2]];
    if (!code) look_at(k);
  }
}

pl_status pl_contact_features(pl_contact *k, double t, const double *q, double t0, const double *q0,
                              double margin, int *n, const pl_contact_feature **approach) {
  struct pl_surface *f = k->surface;
  *n = 0;
  if (!f) return PL_OK;
  f->nfeature = 0;
  f->obstacle = k->obstacle;
  for (int o = 0; o < f->nobstacle; o++) {
    if (!f->skeleton[o]) continue;
    look l = {.f = f, .s = f->skeleton[o], .obstacle = o, .margin = margin, .q = q, .q0 = q0};
    const pl_obstacle *b = &k->obstacle[o];
    obstacle_rotation(b, l.R);
    for (int c = 0; c < f->dim; c++) {
      l.now[c] = b->centre[c] + t * b->velocity[c];
      l.then[c] = b->centre[c] + t0 * b->velocity[c];
    }
    search(&l);
  }
  *n = f->nfeature;
  *approach = f->approach;
  return f->failed;
}

// ---- what they press with -----------------------------------------------------------------------

void pl_contact_total_clear(pl_contact *k) {
  k->npress = 0;
  if (k->nobstacle > 0) memset(k->total, 0, (size_t)k->nobstacle * sizeof *k->total);
}

void pl_contact_total_add(pl_contact *k, int obstacle, const pl_contact_row *r, const double *f,
                          pl_contact_status status) {
  pl_contact_total *t = &k->total[obstacle];
  t->stick += status == PL_STICK;
  t->slip += status == PL_SLIP;
  t->normal += f[0];
  for (int j = 0; j < k->dim; j++)
    for (int c = 0; c < k->dim; c++) {
      t->force[c] += f[j] * r->frame[j][c];
      if (j > 0) t->friction[c] += f[j] * r->frame[j][c];
    }
}

pl_status pl_contact_press(pl_contact *k, const pl_contact_row *r) {
  PL_TRY(pl_grow(k->env, &k->press, k->npress, &k->cappress, sizeof *k->press));
  k->press[k->npress++] = *r;
  return PL_OK;
}
