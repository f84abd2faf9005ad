// Near pairs of sheets and rods: vertices against triangles and edges against edges, each pair
// brought down to the parts on which the two nearest points lie.
#include "layers_impl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// A difference of this part of the coordinates is rounding: it has no direction.
static const double ROUNDING = 1e-14;
// Edges whose directions span less are parallel, squared sine.
static const double PARALLEL = 1e-20;

// ---- nearest points ---------------------------------------------------------------------------

static void place(const double *x, near *p) {
  for (int c = 0; c < 3; c++) {
    p->y[c] = 0;
    for (int i = 0; i < 4; i++)
      if (p->weight[i] != 0) p->y[c] += p->weight[i] * layers_at(x, p->vert[i])[c];
  }
  p->square = pl_dot3(p->y, p->y);
}

static near vertex_vertex(const double *x, int v, int a) {
  near p = {.kind = VERTICES, .vert = {v < a ? v : a, v < a ? a : v}, .weight = {1, -1}};
  p.vert[2] = p.vert[3] = p.vert[1];
  place(x, &p);
  return p;
}

// e: ends, ascending, so that an edge gives the same bits whatever it is part of
static near vertex_edge(const double *x, int v, const int *e) {
  double d[3], g[3];
  pl_sub3(layers_at(x, e[1]), layers_at(x, e[0]), d);
  pl_sub3(layers_at(x, v), layers_at(x, e[0]), g);
  double dd = pl_dot3(d, d), s = dd > 0 ? pl_dot3(d, g) / dd : 0;
  if (!(s > 0)) return vertex_vertex(x, v, e[0]);
  if (!(s < 1)) return vertex_vertex(x, v, e[1]);
  near p = {.kind = VERTEX_EDGE, .vert = {v, e[0], e[1], e[1]}, .weight = {1, s - 1, -s, 0}};
  place(x, &p);
  return p;
}

near layers_vertex_face(const double *x, int v, const int *f) {
  double a[3], b[3], g[3], n[3], gb[3], ag[3];
  pl_sub3(layers_at(x, f[1]), layers_at(x, f[0]), a);
  pl_sub3(layers_at(x, f[2]), layers_at(x, f[0]), b);
  pl_sub3(layers_at(x, v), layers_at(x, f[0]), g);
  pl_cross3(a, b, n);
  pl_cross3(g, b, gb);
  pl_cross3(a, g, ag);
  double nn = pl_dot3(n, n);
  if (nn > 1e-24 * pl_dot3(a, a) * pl_dot3(b, b)) {
    double s = pl_dot3(gb, n) / nn, t = pl_dot3(ag, n) / nn, r = 1 - s - t;
    if (s > 0 && t > 0 && r > 0) {
      near p = {.kind = VERTEX_FACE, .vert = {v, f[0], f[1], f[2]}, .weight = {1, -r, -s, -t}};
      place(x, &p);
      return p;
    }
  }
  near best = {.square = INFINITY};
  for (int k = 0; k < 3; k++) {
    const int side[2] = {f[k == 0], f[k == 2 ? 1 : 2]};
    near p = vertex_edge(x, v, side);
    if (p.square < best.square) best = p;
  }
  return best;
}

// e before f by their first vertices, both ascending
near layers_edge_edge(const double *x, const int *e, const int *f) {
  near best = vertex_edge(x, e[0], f);
  const near others[3] = {vertex_edge(x, e[1], f), vertex_edge(x, f[0], e),
                          vertex_edge(x, f[1], e)};
  for (int k = 0; k < 3; k++)
    if (others[k].square < best.square) best = others[k];

  double d[3], g[3], w[3];
  pl_sub3(layers_at(x, e[1]), layers_at(x, e[0]), d);
  pl_sub3(layers_at(x, f[1]), layers_at(x, f[0]), g);
  pl_sub3(layers_at(x, f[0]), layers_at(x, e[0]), w);
  double dd = pl_dot3(d, d), dg = pl_dot3(d, g), gg = pl_dot3(g, g);
  double dw = pl_dot3(d, w), gw = pl_dot3(g, w), det = dd * gg - dg * dg;
  if (!(det > PARALLEL * dd * gg)) return best;
  double s = (dw * gg - gw * dg) / det, t = (dw * dg - gw * dd) / det;
  if (!(s > 0 && s < 1 && t > 0 && t < 1)) return best;
  near p = {.kind = EDGES, .vert = {e[0], e[1], f[0], f[1]}, .weight = {1 - s, s, t - 1, -t}};
  place(x, &p);
  // of parallel edges the ends are as near
  return p.square < best.square * (1 - 1e-12) ? p : best;
}

// distance of the parts of a pair at other places, squared
static double squared_distance(const double *x, const near *p) {
  switch (p->kind) {
  case VERTICES:
    return vertex_vertex(x, p->vert[0], p->vert[1]).square;
  case VERTEX_EDGE:
    return vertex_edge(x, p->vert[0], p->vert + 1).square;
  case VERTEX_FACE:
    return layers_vertex_face(x, p->vert[0], p->vert + 1).square;
  case EDGES:
    return layers_edge_edge(x, p->vert, p->vert + 2).square;
  }
  return 0;
}

// ---- what is a pair ---------------------------------------------------------------------------

// a triangle around v that has a and b, -1: none
static int triangle_with(const pl_layers *l, int v, int a, int b) {
  for (int i = l->first[v]; i < l->first[v + 1]; i++)
    if (layers_has(l->tri + 3 * l->around[i], a) && layers_has(l->tri + 3 * l->around[i], b))
      return l->around[i];
  return -1;
}

static int compare_ends(const void *a, const void *b) {
  const int *p = a, *q = b;
  return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

// the edge between two vertices, -1: none
static int edge_between(const pl_layers *l, int a, int b) {
  const int ends[2] = {a < b ? a : b, a < b ? b : a};
  const int *e = bsearch(ends, l->edge, (size_t)l->nedge, 3 * sizeof *l->edge, compare_ends);
  return e ? (int)((e - l->edge) / 3) : -1;
}

// at rest these are neighbours
static int belongs_together(const pl_layers *l, const near *p) {
  if (p->kind == VERTICES && edge_between(l, p->vert[0], p->vert[1]) >= 0) return 1;
  if (p->kind == VERTEX_EDGE && triangle_with(l, p->vert[0], p->vert[1], p->vert[2]) >= 0) return 1;
  int other = p->vert[p->kind == EDGES ? 2 : 1];
  if (l->part[p->vert[0]] != l->part[other]) return 0;
  return squared_distance(l->X, p) < p->keep * p->keep;
}

static int triangle_normal(const pl_layers *l, int t, double *n) {
  double a[3], b[3];
  const int *v = l->tri + 3 * t;
  pl_sub3(layers_at(l->x, v[1]), layers_at(l->x, v[0]), a);
  pl_sub3(layers_at(l->x, v[2]), layers_at(l->x, v[0]), b);
  pl_cross3(a, b, n);
  return pl_norm3(n) > 0;
}

// y has no direction: across both edges, or the triangle or segment on which the second point lies
static void across(const pl_layers *l, const near *p, double *n) {
  const int *v = p->vert;
  double size = 0;
  if (p->kind == EDGES) {
    double a[3], b[3];
    pl_sub3(layers_at(l->x, v[1]), layers_at(l->x, v[0]), a);
    pl_sub3(layers_at(l->x, v[3]), layers_at(l->x, v[2]), b);
    pl_cross3(a, b, n);
  } else {
    int last = p->kind == VERTICES ? v[1] : v[2];
    int t = p->kind == VERTEX_FACE ? triangle_with(l, v[1], v[2], v[3])
                                   : triangle_with(l, v[1], last, last);
    double along[3];
    pl_sub3(layers_at(l->x, last), layers_at(l->x, v[1]), along);
    if (t < 0)
      obstacle_across(3, along, n);
    else if (!triangle_normal(l, t, n))
      memset(n, 0, 3 * sizeof *n);
  }
  size = pl_norm3(n);
  for (int c = 0; c < 3; c++) n[c] = size > 0 ? n[c] / size : c == 2;
}

static void list_pair(pl_layers *l, const near *p, double distance) {
  l->failed = pl_grow(l->env, &l->pair, l->n, &l->cap, sizeof *l->pair);
  if (l->failed) return;
  pl_layer_pair *to = &l->pair[l->n++];
  *to = (pl_layer_pair){.n = p->kind == EDGES ? 4 : 2 + (int)p->kind,
                        .distance = distance,
                        .keep = p->keep,
                        .rod = p->rod};
  memcpy(to->vert, p->vert, sizeof to->vert);
  memcpy(to->weight, p->weight, sizeof to->weight);
  if (distance > ROUNDING * l->size)
    for (int c = 0; c < 3; c++) to->normal[c] = p->y[c] / distance;
  else
    across(l, p, to->normal);
}

static void collect_near(pl_layers *l, const near *p) {
  double bound = l->times * p->keep + l->margin;
  if (!(p->square < bound * bound) || l->failed || belongs_together(l, p)) return;
  double distance = sqrt(p->square);
  l->least = fmin(l->least, distance / p->keep);
  if (l->listing) list_pair(l, p, distance);
}

// ---- along rods -------------------------------------------------------------------------------

// A rod that turns about its own radius meets itself after half a turn: what is nearer along it
// does not, and only seems to where segments are about as long as the radius.
static double half_circle(double keep) {
  return PL_PI / 2 * keep;
}

static double length_of(const pl_layers *l, int a, int b) {
  double d[3];
  pl_sub3(layers_at(l->X, b), layers_at(l->X, a), d);
  return pl_norm3(d);
}

// ways along rods from an edge, as far as matters
static void measure_arcs(pl_layers *l, int edge) {
  const int *e = l->edge + 3 * edge;
  double far = half_circle(l->radius[edge] + l->thick);
  int better = 1;
  for (int i = 0; i < l->nvisited; i++) l->arc[l->visited[i]] = INFINITY;
  l->nvisited = 0;
  if (!(l->segment[edge] > 0)) return;
  for (int k = 0; k < 2; k++) l->arc[l->visited[l->nvisited++] = e[k]] = 0;
  // once, but for nets, in which a longer way may come first
  while (better) {
    better = 0;
    for (int i = 0; i < l->nvisited; i++) {
      int v = l->visited[i];
      for (int k = l->begin[v]; k < l->begin[v + 1]; k++) {
        int u = l->next[k];
        double way = l->arc[v] + length_of(l, v, u);
        if (way >= far || way >= l->arc[u]) continue;
        if (isinf(l->arc[u])) l->visited[l->nvisited++] = u;
        l->arc[u] = way;
        better = 1;
      }
    }
  }
}

// the edge `self` goes on as this one
static int goes_on(const pl_layers *l, int edge, double keep) {
  const int *f = l->edge + 3 * edge;
  if (!(l->segment[edge] > 0)) return 0;
  return fmin(l->arc[f[0]], l->arc[f[1]]) < half_circle(keep);
}

// ---- search -----------------------------------------------------------------------------------

static double between(const double *x, int a, int b) {
  double d[3];
  pl_sub3(layers_at(x, a), layers_at(x, b), d);
  return pl_dot3(d, d);
}

// At rest all of the triangle is closer to the vertex `self` of the same sheet than they keep.
static int is_beside(const pl_layers *l, const int *f) {
  double keep = l->about[l->self] + l->half;
  if (l->part[l->self] != l->part[f[0]]) return 0;
  for (int i = 0; i < 3; i++)
    if (!(between(l->X, l->self, f[i]) < keep * keep)) return 0;
  return 1;
}

static void try_face(void *ctx, int t) {
  pl_layers *l = ctx;
  const int *f = l->face + 3 * t;
  if (layers_has(f, l->self) || is_beside(l, f)) return;
  near p = layers_vertex_face(l->x, l->self, f);
  p.keep = l->about[l->self] + l->half;
  p.rod = l->first[l->self] == l->first[l->self + 1];
  collect_near(l, &p);
}

// a vertex and a whole triangle, however near to other triangles it is
static void try_whole_face(void *ctx, int t) {
  pl_layers *l = ctx;
  const int *f = l->face + 3 * t;
  if (layers_has(f, l->self) || l->failed || is_beside(l, f)) return;
  near p = layers_vertex_face(l->x, l->self, f);
  p.keep = l->about[l->self] + l->half;
  double bound = p.keep + l->margin;
  if (!(p.square < bound * bound)) return;
  if (l->part[l->self] == l->part[f[0]] &&
      layers_vertex_face(l->X, l->self, f).square < p.keep * p.keep)
    return;
  list_pair(l, &p, sqrt(p.square));
}

// Edges as balls about their middles: no points of both are closer than the bound.
static int is_far(const pl_layers *l, const int *e, const int *f, double bound) {
  double half = 0, m[3];
  for (int c = 0; c < 3; c++)
    m[c] = (layers_at(l->x, e[0])[c] + layers_at(l->x, e[1])[c] - layers_at(l->x, f[0])[c] -
            layers_at(l->x, f[1])[c]) /
           2;
  half += sqrt(between(l->x, e[0], e[1])) / 2 + sqrt(between(l->x, f[0], f[1])) / 2;
  return pl_dot3(m, m) > (half + bound) * (half + bound);
}

// At rest all points of both edges of one sheet are closer than they keep.
static int is_one_place(const pl_layers *l, const int *e, const int *f, double keep) {
  if (l->part[e[0]] != l->part[f[0]]) return 0;
  for (int i = 0; i < 4; i++)
    if (!(between(l->X, e[i / 2], f[i % 2]) < keep * keep)) return 0;
  return 1;
}

static void try_edge(void *ctx, int k) {
  pl_layers *l = ctx;
  if (k <= l->self) return;
  const int *e = l->edge + 3 * l->self, *f = l->edge + 3 * k;
  double keep = l->radius[l->self] + l->radius[k];
  if (layers_has(f, e[0]) || layers_has(f, e[1]) || goes_on(l, k, keep)) return;
  if (is_far(l, e, f, l->times * keep + l->margin) || is_one_place(l, e, f, keep)) return;
  near p = layers_edge_edge(l->x, e, f);
  p.keep = keep;
  p.rod = l->segment[l->self] > 0 || l->segment[k] > 0;
  collect_near(l, &p);
}

void layers_look(pl_layers *l, const double *a, const double *b, double bound, const pl_bvh *tree,
                 void (*each)(void *, int)) {
  double lo[3], hi[3];
  for (int c = 0; c < 3; c++) {
    lo[c] = fmin(a[c], b[c]) - bound;
    hi[c] = fmax(a[c], b[c]) + bound;
  }
  pl_bvh_overlaps(tree, lo, hi, each, l);
}

// around the edge a b, for what keeps at most so much from it
static void look(pl_layers *l, int a, int b, double keep, const pl_bvh *tree,
                 void (*each)(void *, int)) {
  layers_look(l, layers_at(l->x, a), layers_at(l->x, b), l->times * keep + l->margin, tree, each);
}

static void set_search(pl_layers *l, const double *x, double times, double margin) {
  layers_inset(l, x, l->x);
  l->size = pl_max_abs(3 * l->nvert, x);
  l->times = times;
  l->margin = margin;
  l->least = INFINITY;
  l->failed = PL_OK;
}

pl_status layers_begin(pl_layers *l, const double *x, double margin) {
  if (!(margin >= 0) || !isfinite(margin))
    return pl_fail(l->env, PL_E_ARG, "layers: margin must be >= 0, got %g m", margin);
  if (!pl_all_finite(3 * l->nvert, x))
    return pl_fail(l->env, PL_E_INPUT, "layers: some vertex is not finite");
  set_search(l, x, 1, margin);
  return PL_OK;
}

static void search(pl_layers *l, int listing) {
  pl_bvh_refit(l->faces);
  pl_bvh_refit(l->edges);
  l->listing = listing;
  for (l->self = 0; l->self < l->nvert && !l->failed; l->self++)
    if (l->about[l->self] > 0)
      look(l, l->self, l->self, l->about[l->self] + l->half, l->faces, try_face);
  for (l->self = 0; l->self < l->nedge && !l->failed; l->self++) {
    const int *e = l->edge + 3 * l->self;
    measure_arcs(l, l->self);
    look(l, e[0], e[1], l->radius[l->self] + l->thick, l->edges, try_edge);
  }
}

// pairs that yield need a distance
static pl_status check_apart(const pl_layers *l) {
  if (!(l->inset > 0)) return PL_OK;
  return pl_fail(l->env, PL_E_INPUT,
                 "layers: solids that start touching are known to transients by newmark and "
                 "implicit-euler alone");
}

pl_status pl_layers_find_faces(pl_layers *l, const double *x, double margin, int *n,
                               const pl_layer_pair **pair) {
  l->n = *n = 0;
  PL_TRY(check_apart(l));
  PL_TRY(layers_begin(l, x, margin));
  pl_bvh_refit(l->faces);
  for (l->self = 0; l->self < l->nvert && !l->failed; l->self++)
    if (l->first[l->self] < l->first[l->self + 1])
      look(l, l->self, l->self, 2 * l->half, l->faces, try_whole_face);
  *n = l->n;
  *pair = l->pair;
  return l->failed;
}

static int is_edges(const pl_layer_pair *p) {
  return p->n == 4 && p->weight[1] > 0;
}

// by kind, then by vertices
static int compare_pairs(const void *a, const void *b) {
  const pl_layer_pair *p = a, *q = b;
  if (p->n != q->n) return p->n - q->n;
  if (is_edges(p) != is_edges(q)) return is_edges(p) - is_edges(q);
  for (int k = 0; k < 4; k++)
    if (p->vert[k] != q->vert[k]) return p->vert[k] < q->vert[k] ? -1 : 1;
  return 0;
}

// of one pair that is met several times the one that keeps most comes first
static int order_pairs(const void *a, const void *b) {
  const pl_layer_pair *p = a, *q = b;
  int order = compare_pairs(a, b);
  return order ? order : (p->keep < q->keep) - (p->keep > q->keep);
}

pl_status layers_find(pl_layers *l, const double *x, double margin) {
  l->n = 0;
  PL_TRY(layers_begin(l, x, margin));
  search(l, 1);
  if (l->failed) return l->failed;

  // parts of neighbouring triangles and edges are met several times
  int kept = 0;
  if (l->n > 0) qsort(l->pair, (size_t)l->n, sizeof *l->pair, order_pairs);
  for (int i = 0; i < l->n; i++)
    if (kept == 0 || compare_pairs(&l->pair[i], &l->pair[kept - 1]) != 0)
      l->pair[kept++] = l->pair[i];
  l->n = kept;
  return PL_OK;
}

pl_status pl_layers_find(pl_layers *l, const double *x, double margin, int *n,
                         const pl_layer_pair **pair) {
  *n = 0;
  *pair = NULL;
  PL_TRY(check_apart(l));
  PL_TRY(layers_find(l, x, margin));
  *n = l->n;
  *pair = l->pair;
  return PL_OK;
}

double pl_layers_least(pl_layers *l, const double *x) {
  if (!pl_all_finite(3 * l->nvert, x)) return INFINITY;
  set_search(l, x, 2, 0);
  search(l, 0);
  return l->least;
}

double pl_layers_thickness(const pl_layers *l) {
  return 2 * l->thin;
}

double pl_layers_mu(const pl_layers *l) {
  return l->mu;
}

// ---- making -----------------------------------------------------------------------------------

static pl_status check_rods(pl_env *env, const pl_layers_desc *d) {
  for (int k = 0; k < d->nrod; k++) {
    const int *v = d->rod + 2 * k;
    for (int i = 0; i < 2; i++)
      if (v[i] < 0 || v[i] >= d->nvert)
        return pl_fail(env, PL_E_INPUT, "layers: segment %d names vertex %d, which is not in 0..%d",
                       k, v[i], d->nvert - 1);
    if (v[0] == v[1]) return pl_fail(env, PL_E_INPUT, "layers: segment %d names a vertex twice", k);
    if (!(d->radius[k] > 0) || !isfinite(d->radius[k]))
      return pl_fail(env, PL_E_INPUT, "layers: radius of segment %d must be > 0, got %g m", k,
                     d->radius[k]);
  }
  return PL_OK;
}

static pl_status check_desc(pl_env *env, const pl_layers_desc *d) {
  if (d->nvert < 0 || d->ntri < 0 || d->nrod < 0 || d->nvert > INT_MAX / 3 ||
      d->ntri > INT_MAX / 18 || d->nrod > INT_MAX / 6)
    return pl_fail(env, PL_E_ARG, "layers: %d vertices, %d triangles, %d segments", d->nvert,
                   d->ntri, d->nrod);
  if (!(d->thickness > 0 || (d->ntri == 0 && d->thickness == 0)) || !isfinite(d->thickness))
    return pl_fail(env, PL_E_INPUT, "layers: thickness must be > 0, got %g m", d->thickness);
  if (!(d->mu >= 0) || !isfinite(d->mu))
    return pl_fail(env, PL_E_INPUT, "layers: friction coefficient must be >= 0, got %g", d->mu);
  if (!pl_all_finite(3 * d->nvert, d->X))
    return pl_fail(env, PL_E_INPUT, "layers: some vertex is not finite");
  if (!(d->inset >= 0) || !isfinite(d->inset) || (d->inset > 0 && !d->solid))
    return pl_fail(env, PL_E_INPUT, "layers: inset must be >= 0, and 0 but for solids, got %g m",
                   d->inset);
  for (int t = 0; t < d->ntri; t++) {
    const int *v = d->tri + 3 * t;
    for (int k = 0; k < 3; k++)
      if (v[k] < 0 || v[k] >= d->nvert)
        return pl_fail(env, PL_E_INPUT,
                       "layers: triangle %d names vertex %d, which is not in 0..%d", t, v[k],
                       d->nvert - 1);
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
      return pl_fail(env, PL_E_INPUT, "layers: triangle %d names a vertex twice", t);
  }
  return check_rods(env, d);
}

static void sort_face(const int *v, int *f) {
  memcpy(f, v, 3 * sizeof *f);
  for (int k = 0; k < 3; k++) {
    int i = k == 1, swap = f[i]; // 0 1, 1 2, 0 1
    if (swap <= f[i + 1]) continue;
    f[i] = f[i + 1];
    f[i + 1] = swap;
  }
}

static void put_edge(pl_layers *l, int a, int b) {
  int *e = l->edge + 3 * l->nedge++;
  e[0] = a < b ? a : b;
  e[1] = e[2] = a < b ? b : a;
}

// edges of triangles and segments, each once
static void list_edges(pl_layers *l, const int *rod) {
  int n = 0;
  for (int i = 0; i < 3 * l->ntri; i++) {
    const int *f = l->face + i / 3 * 3;
    put_edge(l, f[i % 3 == 0], f[i % 3 == 2 ? 1 : 2]);
  }
  for (int k = 0; k < l->nrod; k++) put_edge(l, rod[2 * k], rod[2 * k + 1]);
  if (l->nedge > 0) qsort(l->edge, (size_t)l->nedge, 3 * sizeof *l->edge, compare_ends);
  for (int i = 0; i < l->nedge; i++)
    if (n == 0 || compare_ends(l->edge + 3 * i, l->edge + 3 * (n - 1)) != 0)
      memmove(l->edge + 3 * n++, l->edge + 3 * i, 3 * sizeof *l->edge);
  l->nedge = n;
}

// how far sheets and rods go from their middle, everywhere the most
static void list_radii(pl_layers *l, const pl_layers_desc *d) {
  l->half = d->thickness / 2;
  l->thick = d->ntri > 0 ? l->half : 0;
  l->thin = d->ntri > 0 || d->nrod == 0 ? l->half : INFINITY;
  for (int k = 0; k < d->nrod; k++) {
    double *radius = &l->segment[edge_between(l, d->rod[2 * k], d->rod[2 * k + 1])];
    *radius = fmax(*radius, d->radius[k]);
    l->thick = fmax(l->thick, d->radius[k]);
    l->thin = fmin(l->thin, d->radius[k]);
  }
  for (int k = 0; k < l->nedge; k++) l->radius[k] = l->segment[k];
  for (int i = 0; i < 3 * l->ntri; i++) {
    const int *f = l->tri + i / 3 * 3;
    double *radius = &l->radius[edge_between(l, f[i % 3], f[(i + 1) % 3])];
    *radius = fmax(*radius, l->half);
  }
  for (int i = 0; i < 2 * l->nedge; i++) {
    double *about = &l->about[l->edge[3 * (i / 2) + i % 2]];
    *about = fmax(*about, l->radius[i / 2]);
  }
}

static void list_next(pl_layers *l, const int *rod) {
  for (int i = 0; i < 2 * l->nrod; i++) l->begin[rod[i] + 1]++;
  for (int v = 0; v < l->nvert; v++) l->begin[v + 1] += l->begin[v];
  for (int i = 0; i < 2 * l->nrod; i++) l->next[l->begin[rod[i]]++] = rod[i ^ 1];
  for (int v = l->nvert; v > 0; v--) l->begin[v] = l->begin[v - 1];
  l->begin[0] = 0;
  for (int v = 0; v < l->nvert; v++) l->arc[v] = INFINITY;
}

static void list_around(pl_layers *l) {
  for (int i = 0; i < 3 * l->ntri; i++) l->first[l->tri[i] + 1]++;
  for (int v = 0; v < l->nvert; v++) l->first[v + 1] += l->first[v];
  for (int i = 0; i < 3 * l->ntri; i++) l->around[l->first[l->tri[i]]++] = i / 3;
  for (int v = l->nvert; v > 0; v--) l->first[v] = l->first[v - 1];
  l->first[0] = 0;
}

static void find_parts(pl_layers *l) {
  for (int v = 0; v < l->nvert; v++) l->part[v] = v;
  for (int k = 0; k < l->nedge; k++) pl_unite(l->part, l->edge[3 * k], l->edge[3 * k + 1]);
  for (int v = 0; v < l->nvert; v++) l->part[v] = pl_root(l->part, v);
}

static pl_status build(pl_layers *l, const pl_layers_desc *d) {
  size_t nvert = (size_t)d->nvert, ntri = (size_t)d->ntri, nrod = (size_t)d->nrod;
  size_t most = 3 * ntri + nrod;
  l->X = pl_alloc(l->env, nvert, 3 * sizeof *l->X);
  l->x = pl_alloc(l->env, nvert, 3 * sizeof *l->x);
  l->to = pl_alloc(l->env, nvert, 3 * sizeof *l->to);
  l->tri = pl_alloc(l->env, ntri, 3 * sizeof *l->tri);
  l->face = pl_alloc(l->env, ntri, 3 * sizeof *l->face);
  l->edge = pl_alloc(l->env, most, 3 * sizeof *l->edge);
  l->first = pl_alloc(l->env, nvert + 1, sizeof *l->first);
  l->around = pl_alloc(l->env, ntri, 3 * sizeof *l->around);
  l->part = pl_alloc(l->env, nvert, sizeof *l->part);
  l->about = pl_alloc(l->env, nvert, sizeof *l->about);
  l->radius = pl_alloc(l->env, most, sizeof *l->radius);
  l->segment = pl_alloc(l->env, most, sizeof *l->segment);
  l->begin = pl_alloc(l->env, nvert + 1, sizeof *l->begin);
  l->next = pl_alloc(l->env, nrod, 2 * sizeof *l->next);
  l->arc = pl_alloc(l->env, nvert, sizeof *l->arc);
  l->visited = pl_alloc(l->env, nvert, sizeof *l->visited);
  l->head = pl_alloc(l->env, nvert, sizeof *l->head);
  if (!l->X || !l->x || !l->to || !l->tri || !l->face || !l->edge || !l->first || !l->around ||
      !l->part || !l->about || !l->radius || !l->segment || !l->begin || !l->next || !l->arc ||
      !l->visited || !l->head)
    return PL_E_NOMEM;
  if (nvert > 0) memcpy(l->X, d->X, 3 * nvert * sizeof *l->X);
  if (nvert > 0) memcpy(l->x, d->X, 3 * nvert * sizeof *l->x);
  if (ntri > 0) memcpy(l->tri, d->tri, 3 * ntri * sizeof *l->tri);
  for (int t = 0; t < d->ntri; t++) sort_face(l->tri + 3 * t, l->face + 3 * t);
  list_edges(l, d->rod);
  list_radii(l, d);
  list_next(l, d->rod);
  list_around(l);
  find_parts(l);
  PL_TRY(pl_bvh_create(l->env, l->ntri, l->face, l->x, &l->faces));
  return pl_bvh_create(l->env, l->nedge, l->edge, l->x, &l->edges);
}

pl_status pl_layers_create(pl_env *env, const pl_layers_desc *d, pl_layers **out) {
  *out = NULL;
  PL_TRY(check_desc(env, d));
  pl_layers *l = pl_alloc(env, 1, sizeof *l);
  if (!l) return PL_E_NOMEM;
  *l = (pl_layers){.env = env,
                   .nvert = d->nvert,
                   .ntri = d->ntri,
                   .nrod = d->nrod,
                   .mu = friction_of(d->mu),
                   .solid = d->solid,
                   .inset = d->inset};
  pl_status s = build(l, d);
  if (s == PL_OK)
    *out = l;
  else
    pl_layers_free(l);
  return s;
}

void pl_layers_free(pl_layers *l) {
  if (!l) return;
  pl_bvh_free(l->faces);
  pl_bvh_free(l->edges);
  void *own[] = {l->X,      l->to,      l->x,     l->tri,    l->face,    l->edge,  l->first,
                 l->around, l->part,    l->about, l->radius, l->segment, l->begin, l->next,
                 l->arc,    l->visited, l->pair,  l->head,   l->link};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) pl_free(l->env, own[i]);
  pl_free(l->env, l);
}
