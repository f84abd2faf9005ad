// Surfaces of solids that touch: pairs where the distance between two surfaces is least, and when
// surfaces that move meet.
#include "layers_impl.h"

#include <string.h>

static const double LEAN = 1e-8; // cosines below are rounding: as good as square to each other
static const double FLAT =
    0.999;                       // cosine between the normals of triangles whose edge is no feature
static const double HALF = 0.5;  // pairs meet that lose so much of their distance, or of their keep
static const double CORNERS = 4; // insets that corners may be apart more than faces
static const double BEARS = 0.2; // weight of the vertices that bear most of a pair
static const double HELD = 0.95; // weight, and cosine between normals, of a vertex that is held
static const double ALONG = 0.02; // sine of the angle between edges that lie along each other
enum { STEPS = 200 };             // on the way to where a pair meets

// ---- local minima of the distance ---------------------------------------------------------------

// unit normal of a triangle out of its body; 0: it has none
static int normal_of(const pl_layers *l, int t, double n[3]) {
  const int *v = l->tri + 3 * t;
  double a[3], b[3];
  pl_sub3(layers_at(l->x, v[1]), layers_at(l->x, v[0]), a);
  pl_sub3(layers_at(l->x, v[2]), layers_at(l->x, v[0]), b);
  pl_cross3(a, b, n);
  double size = pl_norm3(n);
  for (int c = 0; c < 3 && size > 0; c++) n[c] /= size;
  return size > 0;
}

// y, of length 1, leans over from the vertex a towards b
static int leans(const pl_layers *l, int a, int b, const double y[3]) {
  double g[3];
  pl_sub3(layers_at(l->x, b), layers_at(l->x, a), g);
  return pl_dot3(y, g) > LEAN * pl_norm3(g);
}

// No place of the surface around the vertex is nearer to a point along y, which is outside.
static int is_over_vertex(const pl_layers *l, int v, const double y[3]) {
  int outside = 0;
  double n[3];
  for (int i = l->first[v]; i < l->first[v + 1]; i++) {
    const int *f = l->tri + 3 * l->around[i];
    for (int k = 0; k < 3; k++)
      if (f[k] != v && leans(l, v, f[k], y)) return 0;
    outside |= normal_of(l, l->around[i], n) && pl_dot3(n, y) > 0;
  }
  return outside;
}

// The same for an edge; *sharp: its triangles are folded.
static int is_over_edge(const pl_layers *l, int a, int b, const double y[3], int *sharp) {
  double e[3], n[3], sum[3] = {0}, before[3];
  int count = 0;
  *sharp = 0;
  pl_sub3(layers_at(l->x, b), layers_at(l->x, a), e);
  double ee = pl_dot3(e, e);
  for (int i = l->first[a]; i < l->first[a + 1]; i++) {
    const int *f = l->tri + 3 * l->around[i];
    if (!layers_has(f, b)) continue;
    int third = f[0] + f[1] + f[2] - a - b;
    double m[3];
    pl_sub3(layers_at(l->x, third), layers_at(l->x, a), m);
    double along = ee > 0 ? pl_dot3(m, e) / ee : 0;
    for (int c = 0; c < 3; c++) m[c] -= along * e[c];
    if (pl_dot3(y, m) > LEAN * pl_norm3(m)) return 0;
    if (!normal_of(l, l->around[i], n)) continue;
    if (count++ > 0) *sharp |= pl_dot3(n, before) < FLAT;
    memcpy(before, n, sizeof before);
    for (int c = 0; c < 3; c++) sum[c] += n[c];
  }
  if (count == 1) *sharp = 1;
  return pl_dot3(sum, y) > 0;
}

// some triangle of the vertex looks against y
static int is_facing(const pl_layers *l, int v, const double y[3]) {
  double n[3];
  for (int i = l->first[v]; i < l->first[v + 1]; i++)
    if (normal_of(l, l->around[i], n) && pl_dot3(n, y) < 0) return 1;
  return 0;
}

static int is_outside_face(const pl_layers *l, const int *f, const double y[3]) {
  double n[3];
  for (int i = l->first[f[0]]; i < l->first[f[0] + 1]; i++) {
    const int *g = l->tri + 3 * l->around[i];
    if (layers_has(g, f[1]) && layers_has(g, f[2]))
      return normal_of(l, l->around[i], n) && pl_dot3(n, y) > 0;
  }
  return 0;
}

// A vertex is always above the triangle below it. Other pairs bound the motion only where no place
// nearby is nearer: elsewhere they would lean, and hold what slides past.
static int is_least(const pl_layers *l, const pl_layer_pair *p) {
  const int *v = p->vert;
  const double *y = p->normal, back[3] = {-y[0], -y[1], -y[2]};
  int one, other;
  if (p->n == 2) return is_over_vertex(l, v[1], y) && is_over_vertex(l, v[0], back);
  if (p->n == 3) return is_over_edge(l, v[1], v[2], y, &one) && is_over_vertex(l, v[0], back);
  if (!(p->weight[1] > 0)) return is_outside_face(l, v + 1, y) && is_facing(l, v[0], y);
  // flat on flat, corners and the edges that bound it are enough
  return is_over_edge(l, v[2], v[3], y, &one) && is_over_edge(l, v[0], v[1], back, &other) &&
         (one || other);
}

// ---- pairs that say the same --------------------------------------------------------------------

// every pair into the lists of the vertices that bear most of it
static pl_status list_pairs(pl_layers *l) {
  l->nlink = 0;
  for (int v = 0; v < l->nvert; v++) l->head[v] = -1;
  for (int i = 0; i < l->n; i++)
    for (int k = 0; k < 4; k++) {
      if (fabs(l->pair[i].weight[k]) < BEARS) continue;
      PL_TRY(pl_grow(l->env, &l->link, l->nlink, &l->caplink, sizeof *l->link));
      int *head = &l->head[l->pair[i].vert[k]];
      l->link[l->nlink] = (pair_link){.pair = i, .next = *head, .weight = l->pair[i].weight[k]};
      *head = l->nlink++;
    }
  return PL_OK;
}

// an earlier pair that stays says the same
static int is_repeated(const pl_layers *l, int i) {
  const pl_layer_pair *p = &l->pair[i];
  int most = 0;
  for (int k = 1; k < 4; k++)
    if (fabs(p->weight[k]) > fabs(p->weight[most])) most = k;
  for (int k = l->head[p->vert[most]]; k >= 0; k = l->link[k].next) {
    const pl_layer_pair *q = &l->pair[l->link[k].pair];
    if (l->link[k].pair < i && q->n > 0 &&
        pl_contact_cosine(p->vert, p->weight, p->normal, q->vert, q->weight, q->normal) >
            PL_CONTACT_SAME)
      return 1;
  }
  return 0;
}

// some pair holds the vertex along n
static int is_held(const pl_layers *l, int v, const double n[3]) {
  for (int k = l->head[v]; k >= 0; k = l->link[k].next) {
    const pl_layer_pair *p = &l->pair[l->link[k].pair];
    if (p->n > 0 && fabs(l->link[k].weight) > HELD && fabs(pl_dot3(p->normal, n)) > HELD) return 1;
  }
  return 0;
}

// Two edges that lie along each other: between vertices that are held there is nothing to hold.
static int is_along(const pl_layers *l, int i) {
  const pl_layer_pair *p = &l->pair[i];
  double d[3], g[3], n[3];
  if (p->n < 4 || !(p->weight[1] > 0)) return 0;
  pl_sub3(layers_at(l->x, p->vert[1]), layers_at(l->x, p->vert[0]), d);
  pl_sub3(layers_at(l->x, p->vert[3]), layers_at(l->x, p->vert[2]), g);
  pl_cross3(d, g, n);
  if (pl_norm3(n) > ALONG * pl_norm3(d) * pl_norm3(g)) return 0;
  int flipped = pl_dot3(d, g) < 0;
  for (int k = 0; k < 2; k++)
    if (!is_held(l, p->vert[k], p->normal) &&
        !is_held(l, p->vert[2 + (flipped ? 1 - k : k)], p->normal))
      return 0;
  return 1;
}

// Where meshes lie node on node, each place is near to triangles and edges of both sides all around
// it. Of those that say the same, one stays: the law for all of them has no one answer.
static pl_status drop_repeated(pl_layers *l) {
  int kept = 0;
  PL_TRY(list_pairs(l));
  for (int i = 0; i < l->n; i++)
    if (is_repeated(l, i)) l->pair[i].n = 0;
  for (int i = 0; i < l->n; i++)
    if (l->pair[i].n > 0 && is_along(l, i)) l->pair[i].n = 0;
  for (int i = 0; i < l->n; i++)
    if (l->pair[i].n > 0) l->pair[kept++] = l->pair[i];
  l->n = kept;
  return PL_OK;
}

pl_status pl_layers_find_least(pl_layers *l, const double *x, double margin, int *n,
                               const pl_layer_pair **pair) {
  int kept = 0;
  *n = 0;
  // corners are farther inside than faces
  PL_TRY(layers_find(l, x, margin + CORNERS * l->inset));
  for (int i = 0; i < l->n; i++) {
    pl_layer_pair p = l->pair[i];
    if (!is_least(l, &p)) continue;
    if (l->inset > 0) layers_outset(l, x, &p);
    if (p.distance < p.keep + margin) l->pair[kept++] = p;
  }
  l->n = kept;
  PL_TRY(drop_repeated(l));
  *n = l->n;
  *pair = l->pair;
  return PL_OK;
}

// ---- on the way ---------------------------------------------------------------------------------

// The straight way of a pair of four vertices: a vertex and a triangle, or two edges.
typedef struct way {
  int edges;
  double x[12], d[12]; // [4][3] where it begins, and how far they go
} way;

static way way_of(const pl_layers *l, int edges, const int v[4]) {
  way w = {.edges = edges};
  for (int i = 0; i < 12; i++) {
    w.x[i] = layers_at(l->x, v[i / 3])[i % 3];
    w.d[i] = layers_at(l->to, v[i / 3])[i % 3] - w.x[i];
  }
  return w;
}

// the distance of the pair at a time, and where its vertices are
static near nearest_at(const way *w, double time, double x[12]) {
  static const int rest[3] = {1, 2, 3}, ends[2][2] = {{0, 1}, {2, 3}};
  for (int i = 0; i < 12; i++) x[i] = w->x[i] + time * w->d[i];
  return w->edges ? layers_edge_edge(x, ends[0], ends[1]) : layers_vertex_face(x, 0, rest);
}

// The time that passes before the two sides, now apart by the normal n, are as near as the bound
// along it: no sooner are they so near at all.
static double free_time(const way *w, const double x[12], const double n[3], double bound) {
  int first = w->edges ? 2 : 1;
  double least = INFINITY;
  for (int i = 0; i < first; i++)
    for (int j = first; j < 4; j++) {
      double g[3], d[3];
      pl_sub3(x + 3 * i, x + 3 * j, g);
      pl_sub3(w->d + 3 * i, w->d + 3 * j, d);
      double rate = -pl_dot3(n, d);
      if (rate > 0) least = fmin(least, (pl_dot3(n, g) - bound) / rate);
    }
  return least;
}

// The first time up to `end` at which the pair meets.
static double meeting(const way *w, double keep, double end) {
  double x[12], n[3], time = 0, bound = 0;
  for (int it = 0; it < STEPS; it++) {
    near p = nearest_at(w, time, x);
    // y points to the first side, or from it
    double d = sqrt(p.square), sign = p.vert[0] < (w->edges ? 2 : 1) ? 1 : -1;
    if (it == 0) bound = HALF * fmin(keep, d);
    if (d <= 1.05 * bound) return time;
    for (int c = 0; c < 3; c++) n[c] = sign * p.y[c] / d;
    time += free_time(w, x, n, bound);
    if (!(time < end)) return end;
  }
  return time;
}

static int is_one_part(const pl_layers *l, int a, int b) {
  return l->part[a] == l->part[b];
}

static void meet_face(void *ctx, int t) {
  pl_layers *l = ctx;
  const int *f = l->face + 3 * t, v[4] = {l->self, f[0], f[1], f[2]};
  double keep = l->about[l->self] + l->half;
  if (layers_has(f, l->self)) return;
  if (is_one_part(l, l->self, f[0]) && layers_vertex_face(l->X, l->self, f).square < keep * keep)
    return;
  way w = way_of(l, 0, v);
  l->time = meeting(&w, keep, l->time);
}

static void meet_edge(void *ctx, int k) {
  pl_layers *l = ctx;
  const int *e = l->edge + 3 * l->self, *f = l->edge + 3 * k, v[4] = {e[0], e[1], f[0], f[1]};
  double keep = l->radius[l->self] + l->radius[k];
  if (k <= l->self || layers_has(f, e[0]) || layers_has(f, e[1])) return;
  if (is_one_part(l, e[0], f[0]) && layers_edge_edge(l->X, e, f).square < keep * keep) return;
  way w = way_of(l, 1, v);
  l->time = meeting(&w, keep, l->time);
}

// the box of what n vertices pass over
static void meet_others(pl_layers *l, int n, const int *v, const pl_bvh *tree,
                        void (*each)(void *, int)) {
  double lo[3], hi[3];
  for (int c = 0; c < 3; c++) {
    lo[c] = INFINITY;
    hi[c] = -INFINITY;
    for (int i = 0; i < n; i++) {
      double a = layers_at(l->x, v[i])[c], b = layers_at(l->to, v[i])[c];
      lo[c] = fmin(lo[c], fmin(a, b));
      hi[c] = fmax(hi[c], fmax(a, b));
    }
  }
  layers_look(l, lo, hi, 2 * l->thick, tree, each);
}

pl_status pl_layers_meet(pl_layers *l, const double *x, const double *to, double *time) {
  *time = 1;
  PL_TRY(layers_begin(l, x, 0));
  if (!pl_all_finite(3 * l->nvert, to))
    return pl_fail(l->env, PL_E_INPUT, "layers: some vertex is not finite");
  layers_inset(l, to, l->to);
  l->time = 1;
  pl_bvh_refit_way(l->faces, l->to);
  pl_bvh_refit_way(l->edges, l->to);
  for (l->self = 0; l->self < l->nvert; l->self++)
    if (l->about[l->self] > 0) meet_others(l, 1, &l->self, l->faces, meet_face);
  for (l->self = 0; l->self < l->nedge; l->self++)
    meet_others(l, 2, l->edge + 3 * l->self, l->edges, meet_edge);
  *time = l->time;
  return PL_OK;
}
