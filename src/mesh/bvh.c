#include "pliant/mesh.h"

#include "pliant/math.h"

#include <limits.h>
#include <string.h>

enum {
  LEAF = 4,  // most triangles of a leaf
  BINS = 16, // planes tried per split
  DEEP = 48, // from this depth on, halves by count only: the depth stays below DEEP + 32
  STACK = 128,
};

typedef struct node {
  double lo[3], hi[3];
  int n;     // triangles of a leaf; 0: inner
  int first; // leaf: into item; inner: the right child, the left one follows its parent
} node;

struct pl_bvh {
  pl_env *env;
  const int *tri;   // [ntri][3], not owned
  const double *x;  // not owned
  const double *to; // where triangles move to from x; x: they stand
  int ntri, nnode;
  node *node;
  int *item; // [ntri] triangles in the order of the leaves
};

// ---- building ---------------------------------------------------------------------------------

static void box_clear(double *lo, double *hi) {
  for (int d = 0; d < 3; d++) {
    lo[d] = INFINITY;
    hi[d] = -INFINITY;
  }
}

static void box_add(double *lo, double *hi, const double *p, const double *q) {
  for (int d = 0; d < 3; d++) {
    if (p[d] < lo[d]) lo[d] = p[d];
    if (q[d] > hi[d]) hi[d] = q[d];
  }
}

static double box_area(const double *lo, const double *hi) {
  double a = hi[0] - lo[0], b = hi[1] - lo[1], c = hi[2] - lo[2];
  return a >= 0 ? a * b + b * c + c * a : 0;
}

static void box_corners(const pl_bvh *b, int t, const double *x, double *lo, double *hi) {
  for (int k = 0; k < 3; k++) {
    size_t at = 3 * (size_t)b->tri[3 * (size_t)t + (size_t)k];
    box_add(lo, hi, x + at, x + at);
  }
}

static void box_triangle(const pl_bvh *b, int t, double *lo, double *hi) {
  box_corners(b, t, b->x, lo, hi);
  if (b->to != b->x) box_corners(b, t, b->to, lo, hi);
}

typedef struct bin {
  double lo[3], hi[3];
  int n;
} bin;

typedef struct builder {
  pl_bvh *b;
  double *centre; // [ntri][3]
} builder;

static int bin_of(double c, double lo, double width) {
  double k = BINS * ((c - lo) / width);
  return k > 0 ? k < BINS ? (int)k : BINS - 1 : 0;
}

// cheapest plane by the surface area heuristic along axis d; returns the last bin of the left side
static int best_plane(const bin *bins) {
  double cost_right[BINS];
  double lo[3], hi[3];
  int n = 0;
  box_clear(lo, hi);
  for (int k = BINS - 1; k > 0; k--) {
    box_add(lo, hi, bins[k].lo, bins[k].hi);
    n += bins[k].n;
    cost_right[k - 1] = n ? n * box_area(lo, hi) : 0;
  }
  int best = BINS / 2 - 1;
  double least = INFINITY;
  n = 0;
  box_clear(lo, hi);
  for (int k = 0; k < BINS - 1; k++) {
    box_add(lo, hi, bins[k].lo, bins[k].hi);
    n += bins[k].n;
    double cost = (n ? n * box_area(lo, hi) : 0) + cost_right[k];
    if (cost < least) {
      least = cost;
      best = k;
    }
  }
  return best;
}

// orders item[first..first+n) and returns the size of the left part, 1..n-1
static int split(builder *w, int first, int n, int depth) {
  int *item = w->b->item + first;
  double lo[3], hi[3];
  box_clear(lo, hi);
  for (int i = 0; i < n; i++) {
    const double *c = w->centre + 3 * (size_t)item[i];
    box_add(lo, hi, c, c);
  }
  int d = 0;
  for (int k = 1; k < 3; k++)
    if (hi[k] - lo[k] > hi[d] - lo[d]) d = k;
  double width = hi[d] - lo[d];
  if (!(width > 0) || !isfinite(width) || depth > DEEP) return n / 2;

  bin bins[BINS];
  for (int k = 0; k < BINS; k++) {
    bins[k].n = 0;
    box_clear(bins[k].lo, bins[k].hi);
  }
  for (int i = 0; i < n; i++) {
    bin *to = &bins[bin_of(w->centre[3 * (size_t)item[i] + (size_t)d], lo[d], width)];
    to->n++;
    box_triangle(w->b, item[i], to->lo, to->hi);
  }
  int plane = best_plane(bins), left = 0;
  for (int i = 0; i < n; i++) {
    if (bin_of(w->centre[3 * (size_t)item[i] + (size_t)d], lo[d], width) > plane) continue;
    int swap = item[left];
    item[left++] = item[i];
    item[i] = swap;
  }
  return left > 0 && left < n ? left : n / 2;
}

static void grow(builder *w, int first, int n, int depth) {
  pl_bvh *b = w->b;
  int at = b->nnode++;
  if (n <= LEAF) {
    b->node[at].n = n;
    b->node[at].first = first;
    return;
  }
  int left = split(w, first, n, depth);
  grow(w, first, left, depth + 1);
  b->node[at].n = 0;
  b->node[at].first = b->nnode;
  grow(w, first + left, n - left, depth + 1);
}

void pl_bvh_refit_way(pl_bvh *b, const double *to) {
  b->to = to;
  // children stand after their parent
  for (int k = b->nnode - 1; k >= 0; k--) {
    node *o = &b->node[k];
    box_clear(o->lo, o->hi);
    for (int i = 0; i < o->n; i++) box_triangle(b, b->item[o->first + i], o->lo, o->hi);
    if (o->n > 0) continue;
    const node *l = o + 1, *r = &b->node[o->first];
    box_add(o->lo, o->hi, l->lo, l->hi);
    box_add(o->lo, o->hi, r->lo, r->hi);
  }
}

void pl_bvh_refit(pl_bvh *b) {
  pl_bvh_refit_way(b, b->x);
}

static pl_status build(pl_bvh *b) {
  // a binary tree whose leaves are not empty has less than 2 ntri nodes
  b->node = pl_alloc(b->env, 2 * (size_t)b->ntri, sizeof *b->node);
  b->item = pl_alloc(b->env, (size_t)b->ntri, sizeof *b->item);
  builder w = {.b = b, .centre = pl_alloc(b->env, (size_t)b->ntri, 3 * sizeof(double))};
  if (!b->node || !b->item || !w.centre) {
    pl_free(b->env, w.centre);
    return PL_E_NOMEM;
  }
  for (int t = 0; t < b->ntri; t++) {
    double lo[3], hi[3];
    box_clear(lo, hi);
    box_triangle(b, t, lo, hi);
    for (int d = 0; d < 3; d++) w.centre[3 * (size_t)t + (size_t)d] = 0.5 * (lo[d] + hi[d]);
    b->item[t] = t;
  }
  if (b->ntri > 0) grow(&w, 0, b->ntri, 0);
  pl_free(b->env, w.centre);
  pl_bvh_refit(b);
  return PL_OK;
}

pl_status pl_bvh_create(pl_env *env, int ntri, const int *tri, const double *x, pl_bvh **out) {
  *out = NULL;
  if (ntri < 0 || ntri > INT_MAX / 3)
    return pl_fail(env, PL_E_ARG, "bvh: triangles must be 0..%d, got %d", INT_MAX / 3, ntri);
  pl_bvh *b = pl_alloc(env, 1, sizeof *b);
  if (!b) return PL_E_NOMEM;
  b->env = env;
  b->ntri = ntri;
  b->tri = tri;
  b->x = b->to = x;
  pl_status s = build(b);
  if (s != PL_OK) {
    pl_bvh_free(b);
    return s;
  }
  *out = b;
  return PL_OK;
}

void pl_bvh_free(pl_bvh *b) {
  if (!b) return;
  pl_free(b->env, b->node);
  pl_free(b->env, b->item);
  pl_free(b->env, b);
}

// ---- nearest point ----------------------------------------------------------------------------

static const double *corner(const pl_bvh *b, int t, int k) {
  return b->x + 3 * (size_t)b->tri[3 * (size_t)t + (size_t)k];
}

// squared distance to the point with the weights w; fills point
static double weigh(const pl_bvh *b, int t, const double *p, const double *w, double *point) {
  double r = 0;
  for (int d = 0; d < 3; d++) {
    point[d] = w[0] * corner(b, t, 0)[d] + w[1] * corner(b, t, 1)[d] + w[2] * corner(b, t, 2)[d];
    r += (point[d] - p[d]) * (point[d] - p[d]);
  }
  return r;
}

// weights of the foot of p on the triangle's plane; returns 0 when it is outside or there is none
static int foot_inside(const pl_bvh *b, int t, const double *p, double *w) {
  double e[3], f[3], g[3];
  pl_sub3(corner(b, t, 1), corner(b, t, 0), e);
  pl_sub3(corner(b, t, 2), corner(b, t, 0), f);
  pl_sub3(p, corner(b, t, 0), g);
  double n[3], gf[3], eg[3];
  pl_cross3(e, f, n);
  pl_cross3(g, f, gf);
  pl_cross3(e, g, eg);
  double nn = pl_dot3(n, n);
  if (!(nn > 1e-24 * pl_dot3(e, e) * pl_dot3(f, f))) return 0;
  w[1] = pl_dot3(gf, n) / nn;
  w[2] = pl_dot3(eg, n) / nn;
  w[0] = 1 - w[1] - w[2];
  return w[0] >= 0 && w[1] >= 0 && w[2] >= 0;
}

// closest point of one triangle: its face, else the best of its three sides
static double nearest_in(const pl_bvh *b, int t, const double *p, double *bary, double *point) {
  if (foot_inside(b, t, p, bary)) return weigh(b, t, p, bary, point);
  double least = INFINITY;
  for (int k = 0; k < 3; k++) {
    int j = (k + 1) % 3;
    double e[3], g[3], w[3] = {0}, at[3];
    pl_sub3(corner(b, t, j), corner(b, t, k), e);
    pl_sub3(p, corner(b, t, k), g);
    double ee = pl_dot3(e, e), s = ee > 0 ? pl_dot3(e, g) / ee : 0;
    s = s > 1 ? 1 : s > 0 ? s : 0;
    w[k] = 1 - s;
    w[j] = s;
    double r = weigh(b, t, p, w, at);
    if (!(r < least)) continue;
    least = r;
    memcpy(bary, w, sizeof w);
    memcpy(point, at, sizeof at);
  }
  return least;
}

static double box_distance(const node *o, const double *p) {
  double r = 0;
  for (int d = 0; d < 3; d++) {
    double g = p[d] < o->lo[d] ? o->lo[d] - p[d] : p[d] > o->hi[d] ? p[d] - o->hi[d] : 0;
    r += g * g;
  }
  return r;
}

static void nearest_leaf(const pl_bvh *b, const node *o, const double *p, pl_hit *hit) {
  for (int i = 0; i < o->n; i++) {
    int t = b->item[o->first + i];
    double bary[3], point[3], r = nearest_in(b, t, p, bary, point);

    // equal distances go to the lower number, whatever the tree looks like
    if (!(r < hit->dist || (r == hit->dist && t < hit->tri))) continue;
    hit->tri = t;
    hit->dist = r;
    memcpy(hit->bary, bary, sizeof bary);
    memcpy(hit->point, point, sizeof point);
  }
}

// nodes still to visit, each with a lower bound of what it can offer
typedef struct stack_entry {
  int node;
  double bound;
} stack_entry;

// pushes both children, the nearer one on top
static int push_children(stack_entry *stack, int top, stack_entry left, stack_entry right) {
  int swap = left.bound > right.bound;
  stack[top] = swap ? left : right;
  stack[top + 1] = swap ? right : left;
  return top + 2;
}

pl_hit pl_bvh_nearest(const pl_bvh *b, const double p[3]) {
  pl_hit hit = {.tri = -1, .dist = INFINITY};
  stack_entry stack[STACK];
  int top = 0;
  if (b->nnode > 0) stack[top++] = (stack_entry){0, box_distance(b->node, p)};
  while (top > 0) {
    stack_entry at = stack[--top];
    const node *o = &b->node[at.node];

    // a point computed on a triangle may fall outside the triangle's box by rounding
    if (at.bound > hit.dist * (1 + 1e-12)) continue;
    if (o->n > 0) {
      nearest_leaf(b, o, p, &hit);
      continue;
    }
    top = push_children(stack, top, (stack_entry){at.node + 1, box_distance(o + 1, p)},
                        (stack_entry){o->first, box_distance(&b->node[o->first], p)});
  }
  hit.dist = sqrt(hit.dist);
  return hit;
}

pl_hit pl_bvh_nearest_in(const pl_bvh *b, int tri, const double p[3]) {
  pl_hit hit = {.tri = tri};
  hit.dist = sqrt(nearest_in(b, tri, p, hit.bary, hit.point));
  return hit;
}

// ---- boxes ------------------------------------------------------------------------------------

static int boxes_overlap(const double *lo, const double *hi, const double *from, const double *to) {
  for (int d = 0; d < 3; d++)
    if (!(lo[d] <= to[d] && hi[d] >= from[d])) return 0;
  return 1;
}

void pl_bvh_overlaps(const pl_bvh *b, const double lo[3], const double hi[3],
                     void (*each)(void *ctx, int tri), void *ctx) {
  int stack[STACK], top = 0;
  if (b->nnode > 0) stack[top++] = 0;
  while (top > 0) {
    int at = stack[--top];
    const node *o = &b->node[at];
    if (!boxes_overlap(o->lo, o->hi, lo, hi)) continue;
    for (int i = 0; i < o->n; i++) {
      double from[3], to[3];
      box_clear(from, to);
      box_triangle(b, b->item[o->first + i], from, to);
      if (boxes_overlap(from, to, lo, hi)) each(ctx, b->item[o->first + i]);
    }
    if (o->n > 0) continue;
    stack[top++] = o->first;
    stack[top++] = at + 1;
  }
}
