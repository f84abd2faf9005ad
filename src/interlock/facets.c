#include "facets.h"

#include <stdlib.h>
#include <string.h>

// Facets: their edges, what meets in them, closed ways along them, and a tree of boxes.

static size_t padded(size_t bytes) {
  return (bytes + 15) / 16 * 16;
}

// most edges, simplices and nodes of the tree
typedef struct sizes {
  size_t nvert, nedge, nface, nsimplex, nnode;
} sizes;

static sizes most(int nvert, int nsegment, int ntriangle) {
  sizes s = {(size_t)nvert, (size_t)nsegment + 3 * (size_t)ntriangle, (size_t)ntriangle, 0, 1};
  s.nsimplex = (size_t)nvert + (size_t)nsegment + (size_t)ntriangle;
  while (s.nnode < s.nsimplex) s.nnode *= 2;
  s.nnode *= 2;
  return s;
}

// all arrays, one after the other; from NULL: only their size
static size_t carve(const sizes *n, char *buffer, pl_facets *f) {
  struct {
    void *to;
    size_t bytes;
  } part[] = {{&f->x, n->nvert * sizeof *f->x},
              {&f->edge, n->nedge * sizeof *f->edge},
              {&f->face, n->nface * sizeof *f->face},
              {&f->star, (n->nvert + 1) * sizeof *f->star},
              {&f->vert_edge, 2 * n->nedge * sizeof *f->vert_edge},
              {&f->edge_face, n->nedge * sizeof *f->edge_face},
              {&f->nedge_face, n->nedge * sizeof *f->nedge_face},
              {&f->flat, n->nvert + n->nedge},
              {&f->parent, n->nvert * sizeof *f->parent},
              {&f->parent_edge, n->nvert * sizeof *f->parent_edge},
              {&f->level, n->nvert * sizeof *f->level},
              {&f->loop, n->nedge * sizeof *f->loop},
              {&f->s, n->nsimplex * sizeof *f->s},
              {&f->box, n->nnode * sizeof *f->box}};
  size_t at = padded(sizeof *f);
  for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
    char *here = buffer ? buffer + at : NULL;
    memcpy(part[k].to, &here, sizeof here);
    at += padded(part[k].bytes);
  }
  return at;
}

size_t pl_facets_size(int nvert, int nsegment, int ntriangle) {
  pl_facets none;
  sizes n = most(nvert, nsegment, ntriangle);
  return carve(&n, NULL, &none);
}

// ---- edges --------------------------------------------------------------------------------------

static int by_corners(const void *a, const void *b) {
  const int *x = a, *y = b;
  return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static void add_edge(pl_facets *f, int a, int b) {
  f->edge[f->nedge][0] = a < b ? a : b;
  f->edge[f->nedge++][1] = a < b ? b : a;
}

static void find_edges(pl_facets *f, int nsegment, const int (*segment)[2]) {
  for (int k = 0; k < nsegment; k++) add_edge(f, segment[k][0], segment[k][1]);
  for (int k = 0; k < f->nface; k++)
    for (int i = 0; i < 3; i++) add_edge(f, f->face[k][i], f->face[k][(i + 1) % 3]);
  if (f->nedge > 0) qsort(f->edge, (size_t)f->nedge, sizeof *f->edge, by_corners);
  int n = 0;
  for (int k = 0; k < f->nedge; k++)
    if (k == 0 || by_corners(f->edge[k], f->edge[n - 1]) != 0)
      memmove(f->edge[n++], f->edge[k], sizeof *f->edge);
  f->nedge = n;
}

int facet_edge(const pl_facets *f, int a, int b) {
  const int want[2] = {a < b ? a : b, a < b ? b : a};
  const int(*at)[2] = bsearch(want, f->edge, (size_t)f->nedge, sizeof *f->edge, by_corners);
  return (int)(at - (const int(*)[2])f->edge);
}

static void find_neighbours(pl_facets *f) {
  for (int e = 0; e < f->nedge; e++) f->edge_face[e][0] = f->edge_face[e][1] = -1;
  memset(f->nedge_face, 0, (size_t)f->nedge * sizeof *f->nedge_face);
  for (int k = 0; k < f->nface; k++)
    for (int i = 0; i < 3; i++) {
      int e = facet_edge(f, f->face[k][i], f->face[k][(i + 1) % 3]);
      if (f->nedge_face[e] < 2) f->edge_face[e][f->nedge_face[e]] = k;
      f->nedge_face[e]++;
    }
  memset(f->star, 0, (size_t)(f->nvert + 1) * sizeof *f->star);
  for (int e = 0; e < f->nedge; e++)
    for (int i = 0; i < 2; i++) f->star[f->edge[e][i] + 1]++;
  for (int v = 0; v < f->nvert; v++) f->star[v + 1] += f->star[v];
  for (int e = 0; e < f->nedge; e++)
    for (int i = 0; i < 2; i++) f->vert_edge[f->star[f->edge[e][i]]++] = e;
  for (int v = f->nvert; v > 0; v--) f->star[v] = f->star[v - 1];
  f->star[0] = 0;
}

static void face_normal(const pl_facets *f, int face, double n[3]) {
  double a[3], b[3];
  const int *v = f->face[face];
  pl_sub3(f->x[v[1]], f->x[v[0]], a);
  pl_sub3(f->x[v[2]], f->x[v[0]], b);
  pl_cross3(a, b, n);
  double l = pl_norm3(n);
  for (int i = 0; i < 3; i++) n[i] /= l;
}

static int third_corner(const pl_facets *f, int face, int edge) {
  for (int i = 0; i < 3; i++) {
    int v = f->face[face][i];
    if (v != f->edge[edge][0] && v != f->edge[edge][1]) return v;
  }
  return f->face[face][0];
}

// an edge is flat where its two faces lie in a plane, on both sides of it
static void find_flat(pl_facets *f) {
  memset(f->flat, 0, (size_t)(f->nvert + f->nedge));
  for (int e = 0; e < f->nedge; e++) {
    if (f->nedge_face[e] != 2) continue;
    double n[3], w[3], other[3];
    face_normal(f, f->edge_face[e][0], n);
    face_normal(f, f->edge_face[e][1], other);
    const double *x = f->x[f->edge[e][0]];
    pl_sub3(f->x[third_corner(f, f->edge_face[e][1], e)], x, w);
    double sides[3], along[3];
    pl_sub3(f->x[f->edge[e][1]], x, along);
    pl_sub3(f->x[third_corner(f, f->edge_face[e][0], e)], x, sides);
    double a[3], b[3];
    pl_cross3(along, sides, a);
    pl_cross3(along, w, b);
    f->flat[f->nvert + e] = fabs(pl_dot3(n, w)) < 1e-9 * pl_norm3(w) && pl_dot3(a, b) < 0 &&
                            fabs(pl_dot3(n, other)) > 1 - 1e-12;
  }
  for (int v = 0; v < f->nvert; v++) {
    int all = f->star[v + 1] > f->star[v];
    for (int k = f->star[v]; k < f->star[v + 1]; k++) all &= f->flat[f->nvert + f->vert_edge[k]];
    f->flat[v] = (unsigned char)all;
  }
}

// ---- closed ways --------------------------------------------------------------------------------

// a tree over the corners, breadth first, so that ways along it are short; queue: [nvert]
static void grow_tree(pl_facets *f, int *queue) {
  for (int v = 0; v < f->nvert; v++) f->level[v] = -1;
  for (int root = 0; root < f->nvert; root++) {
    if (f->level[root] >= 0) continue;
    int head = 0, tail = 0;
    f->level[root] = 0;
    f->parent[root] = f->parent_edge[root] = -1;
    queue[tail++] = root;
    while (head < tail) {
      int v = queue[head++];
      for (int k = f->star[v]; k < f->star[v + 1]; k++) {
        int e = f->vert_edge[k], w = f->edge[e][0] + f->edge[e][1] - v;
        if (f->level[w] >= 0) continue;
        f->level[w] = f->level[v] + 1;
        f->parent[w] = v;
        f->parent_edge[w] = e;
        queue[tail++] = w;
      }
    }
  }
}

// Faces are merged across edges that are not of the tree, the outside being one of them: what is
// left over spans all closed ways. set: [nface + 1]
static void find_loops(pl_facets *f, int *set) {
  f->nloop = 0;
  for (int k = 0; k <= f->nface; k++) set[k] = k;
  for (int e = 0; e < f->nedge; e++) {
    const int *v = f->edge[e], *face = f->edge_face[e];
    if (f->parent_edge[v[0]] == e || f->parent_edge[v[1]] == e) continue;
    if (f->nedge_face[e] > 0) {
      int other = face[1] < 0 ? f->nface : face[1];
      if (pl_root(set, face[0]) != pl_root(set, other)) {
        pl_unite(set, face[0], other);
        continue;
      }
    }
    f->loop[f->nloop++] = e;
  }
}

// ---- the tree -----------------------------------------------------------------------------------

int facet_corners(const pl_facets *f, int part, int v[3]) {
  if (part < f->nvert) {
    v[0] = part;
    return 1;
  }
  part -= f->nvert;
  if (part < f->nedge) {
    memcpy(v, f->edge[part], 2 * sizeof *v);
    return 2;
  }
  memcpy(v, f->face[part - f->nedge], 3 * sizeof *v);
  return 3;
}

static void find_simplex_ball(const pl_facets *f, simplex *s) {
  memset(s->middle, 0, sizeof s->middle);
  s->ball = 0;
  for (int i = 0; i < s->n; i++)
    for (int c = 0; c < 3; c++) s->middle[c] += f->x[s->v[i]][c] / s->n;
  for (int i = 0; i < s->n; i++) {
    double w[3];
    pl_sub3(f->x[s->v[i]], s->middle, w);
    s->ball = fmax(s->ball, pl_norm3(w));
  }
}

static void add_simplex(pl_facets *f, int part, unsigned char *taken) {
  simplex *s = &f->s[f->nsimplex++];
  s->n = facet_corners(f, part, s->v);
  s->npart = 0;
  for (int i = 0; i < s->n; i++)
    if (!taken[s->v[i]]) {
      taken[s->v[i]] = 1;
      if (!f->flat[s->v[i]]) s->part[s->npart++] = s->v[i];
    }
  for (int i = 0; s->n == 3 && i < 3; i++) {
    int e = f->nvert + facet_edge(f, s->v[i], s->v[(i + 1) % 3]);
    if (taken[e]) continue;
    taken[e] = 1;
    if (!f->flat[e]) s->part[s->npart++] = e;
  }
  if (s->n > 1) s->part[s->npart++] = part;
  find_simplex_ball(f, s);
}

static void find_simplices(pl_facets *f, unsigned char *taken) {
  memset(taken, 0, (size_t)(f->nvert + f->nedge));
  f->nsimplex = 0;
  for (int k = 0; k < f->nface; k++) add_simplex(f, f->nvert + f->nedge + k, taken);
  for (int e = 0; e < f->nedge; e++)
    if (f->nedge_face[e] == 0) add_simplex(f, f->nvert + e, taken);
  for (int v = 0; v < f->nvert; v++)
    if (f->star[v] == f->star[v + 1]) add_simplex(f, v, taken);
}

int facet_is_leaf(const facet_node *n) {
  return n->to - n->from <= FACET_LEAF;
}

void facet_children(const facet_node *n, facet_node out[2]) {
  int half = (n->from + n->to) / 2;
  out[0] = (facet_node){2 * n->at + 1, n->from, half};
  out[1] = (facet_node){2 * n->at + 2, half, n->to};
}

static void bound(const pl_facets *f, int from, int to, double box[2][3]) {
  for (int c = 0; c < 3; c++) {
    box[0][c] = HUGE_VAL;
    box[1][c] = -HUGE_VAL;
  }
  for (int k = from; k < to; k++)
    for (int i = 0; i < f->s[k].n; i++)
      for (int c = 0; c < 3; c++) {
        double x = f->x[f->s[k].v[i]][c];
        box[0][c] = fmin(box[0][c], x);
        box[1][c] = fmax(box[1][c], x);
      }
}

static double middle(const pl_facets *f, const simplex *s, int axis) {
  double sum = 0;
  for (int i = 0; i < s->n; i++) sum += f->x[s->v[i]][axis];
  return sum / s->n;
}

// the middle one along an axis between those before and after it (Hoare)
static void halve(const pl_facets *f, int from, int to, int axis) {
  int want = (from + to) / 2, lo = from, hi = to - 1;
  while (lo < hi) {
    double pivot = middle(f, &f->s[(lo + hi) / 2], axis);
    int i = lo, j = hi;
    while (i <= j) {
      while (middle(f, &f->s[i], axis) < pivot) i++;
      while (middle(f, &f->s[j], axis) > pivot) j--;
      if (i > j) break;
      simplex swap = f->s[i];
      f->s[i++] = f->s[j];
      f->s[j--] = swap;
    }
    if (want <= j)
      hi = j;
    else if (want >= i)
      lo = i;
    else
      break;
  }
}

static void build_tree(pl_facets *f, facet_node n) {
  double(*box)[3] = f->box[n.at];
  bound(f, n.from, n.to, box);
  if (facet_is_leaf(&n)) return;
  int axis = 0;
  for (int c = 1; c < 3; c++)
    if (box[1][c] - box[0][c] > box[1][axis] - box[0][axis]) axis = c;
  halve(f, n.from, n.to, axis);
  facet_node child[2];
  facet_children(&n, child);
  build_tree(f, child[0]);
  build_tree(f, child[1]);
}

static void find_ball(pl_facets *f) {
  f->range = 0;
  for (int c = 0; c < 3; c++) f->centre[c] = (f->box[0][0][c] + f->box[0][1][c]) / 2;
  for (int v = 0; v < f->nvert; v++) {
    double w[3];
    pl_sub3(f->x[v], f->centre, w);
    f->range = fmax(f->range, pl_norm3(w));
  }
}

const pl_facets *pl_facets_init(int nvert, const double (*x)[3], int nsegment,
                                const int (*segment)[2], int ntriangle, const int (*triangle)[3],
                                void *buffer) {
  pl_facets *f = buffer;
  sizes n = most(nvert, nsegment, ntriangle);
  memset(f, 0, sizeof *f);
  carve(&n, buffer, f);
  f->nvert = nvert;
  f->nface = ntriangle;
  memcpy(f->x, x, n.nvert * sizeof *x);
  if (ntriangle > 0) memcpy(f->face, triangle, n.nface * sizeof *triangle);
  find_edges(f, nsegment, segment);
  find_neighbours(f);
  find_flat(f);
  // arrays that are filled last are room for what is done before
  grow_tree(f, (int *)f->s);
  find_loops(f, (int *)f->s);
  find_simplices(f, (unsigned char *)f->box);
  build_tree(f, (facet_node){0, 0, f->nsimplex});
  find_ball(f);
  return f;
}

static double part_of(double x) {
  return fmax(0, fmin(1, x));
}

// distance of two segments a + s u and b + t v
static double segment_distance(const double *a, const double *u, const double *b, const double *v) {
  double w[3], uu = pl_dot3(u, u), vv = pl_dot3(v, v), uv = pl_dot3(u, v);
  pl_sub3(a, b, w);
  double uw = pl_dot3(u, w), vw = pl_dot3(v, w), det = uu * vv - uv * uv;
  double s = det > 1e-12 * uu * vv ? part_of((uv * vw - vv * uw) / det) : 0;
  double t = part_of((uv * s + vw) / vv);
  s = part_of((uv * t - uw) / uu);
  for (int i = 0; i < 3; i++) w[i] += s * u[i] - t * v[i];
  return pl_norm3(w);
}

// two edges without a common corner meet
static int line_crosses_itself(const pl_facets *f) {
  for (int e = 0; e < f->nedge; e++)
    for (int d = 0; d < e; d++) {
      const int *p = f->edge[e], *q = f->edge[d];
      double u[3], v[3];
      if (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]) continue;
      pl_sub3(f->x[p[1]], f->x[p[0]], u);
      pl_sub3(f->x[q[1]], f->x[q[0]], v);
      if (segment_distance(f->x[p[0]], u, f->x[q[0]], v) < 1e-6 * f->range) return 1;
    }
  return 0;
}

// an edge goes through a triangle that has none of its corners
static int goes_through(const pl_facets *f, const int *e, const int *t) {
  double u[3], v[3], w[3], b[3], d[3], q[3], r[3];
  for (int i = 0; i < 3; i++)
    if (t[i] == e[0] || t[i] == e[1]) return 0;
  pl_sub3(f->x[t[1]], f->x[t[0]], u);
  pl_sub3(f->x[t[2]], f->x[t[0]], v);
  pl_sub3(f->x[e[1]], f->x[e[0]], d);
  pl_sub3(f->x[e[0]], f->x[t[0]], w);
  pl_cross3(d, v, q);
  double det = pl_dot3(u, q);
  if (fabs(det) < 1e-12 * pl_norm3(u) * pl_norm3(v) * pl_norm3(d)) return 0;
  pl_cross3(w, u, r);
  b[0] = pl_dot3(w, q) / det;
  b[1] = pl_dot3(d, r) / det;
  b[2] = pl_dot3(v, r) / det;
  return b[0] >= 0 && b[1] >= 0 && b[0] + b[1] <= 1 && b[2] >= 0 && b[2] <= 1;
}

static int simplices_cross(const pl_facets *f, const simplex *s, const simplex *t) {
  for (int i = 0; s->n == 3 && t->n == 3 && i < 3; i++)
    if (goes_through(f, (const int[]){s->v[i], s->v[(i + 1) % 3]}, t->v) ||
        goes_through(f, (const int[]){t->v[i], t->v[(i + 1) % 3]}, s->v))
      return 1;
  return 0;
}

// triangles below one node of the tree that go through some below another one
static int nodes_cross(const pl_facets *f, facet_node a, facet_node b) {
  facet_node child[2];
  for (int c = 0; c < 3; c++)
    if (f->box[a.at][0][c] > f->box[b.at][1][c] || f->box[b.at][0][c] > f->box[a.at][1][c])
      return 0;
  if (facet_is_leaf(&a) && facet_is_leaf(&b)) {
    for (int i = a.from; i < a.to; i++)
      for (int k = b.from; k < b.to; k++)
        if (simplices_cross(f, &f->s[i], &f->s[k])) return 1;
    return 0;
  }
  if (a.at == b.at) {
    facet_children(&a, child);
    return nodes_cross(f, child[0], child[0]) || nodes_cross(f, child[1], child[1]) ||
           nodes_cross(f, child[0], child[1]);
  }
  int first = !facet_is_leaf(&a) && (facet_is_leaf(&b) || a.to - a.from >= b.to - b.from);
  facet_children(first ? &a : &b, child);
  return first ? nodes_cross(f, child[0], b) || nodes_cross(f, child[1], b)
               : nodes_cross(f, a, child[0]) || nodes_cross(f, a, child[1]);
}

static int surface_crosses_itself(const pl_facets *f) {
  const facet_node all = {0, 0, f->nsimplex};
  return nodes_cross(f, all, all);
}

const char *pl_facets_fault(const pl_facets *f, int closed) {
  for (int e = 0; e < f->nedge; e++) {
    double w[3];
    pl_sub3(f->x[f->edge[e][0]], f->x[f->edge[e][1]], w);
    if (!(pl_norm3(w) > 1e-9 * f->range)) return "two neighbouring corners are the same";
    if (f->nedge_face[e] > 2) return "more than two triangles meet in an edge";
    if (closed && f->nedge_face[e] != 2) return "it is not closed";
  }
  for (int k = 0; k < f->nface; k++) {
    double a[3], b[3], n[3];
    pl_sub3(f->x[f->face[k][1]], f->x[f->face[k][0]], a);
    pl_sub3(f->x[f->face[k][2]], f->x[f->face[k][0]], b);
    pl_cross3(a, b, n);
    if (!(pl_norm3(n) > 1e-7 * pl_norm3(a) * pl_norm3(b))) return "a triangle is a line";
  }
  if (facets_are_line(f)) return line_crosses_itself(f) ? "the line crosses itself" : NULL;
  return surface_crosses_itself(f) ? "its surface goes through itself" : NULL;
}

int facets_are_line(const pl_facets *f) {
  return f->nface == 0;
}

double facets_wire(const pl_facets *f) {
  double volume = 0, area = 0;
  for (int e = 0; e < f->nedge; e++)
    if (f->nedge_face[e] != 2) return 0;
  for (int k = 0; k < f->nface; k++) {
    double a[3], b[3], n[3];
    const int *v = f->face[k];
    pl_sub3(f->x[v[1]], f->x[v[0]], a);
    pl_sub3(f->x[v[2]], f->x[v[0]], b);
    pl_cross3(a, b, n);
    area += pl_norm3(n) / 2;
    volume += pl_dot3(n, f->x[v[0]]) / 6;
  }
  return area > 0 ? 2 * fabs(volume) / area : 0;
}

double facets_rate(const pl_facets *f, const pl_facets *d, int part, const double u[2],
                   const double n[3]) {
  int v[3], count = facet_corners(f, part, v);
  double weight[3] = {1, u[0], u[1]}, rate = 0;
  for (int k = 1; k < count; k++) weight[0] -= u[k - 1];
  for (int k = 0; d && k < count; k++) rate += weight[k] * pl_dot3(d->x[v[k]], n);
  return rate;
}

void facets_add(const pl_facets *f, double w, const pl_facets *to) {
  for (int v = 0; v < f->nvert; v++)
    for (int c = 0; c < 3; c++) to->x[v][c] += w * f->x[v][c];
}

// ---- nearest points -----------------------------------------------------------------------------

static double on_segment(const double *a, const double *b, const double *p) {
  double ab[3], ap[3];
  pl_sub3(b, a, ab);
  pl_sub3(p, a, ap);
  return fmax(0, fmin(1, pl_dot3(ab, ap) / pl_dot3(ab, ab)));
}

void nearest_of_simplex(int n, const double (*x)[3], const double p[3], double weight[3]) {
  weight[0] = 1;
  weight[1] = weight[2] = 0;
  if (n == 2) {
    weight[1] = on_segment(x[0], x[1], p);
    weight[0] = 1 - weight[1];
  }
  if (n < 3) return;
  double a[3], b[3], w[3];
  pl_sub3(x[1], x[0], a);
  pl_sub3(x[2], x[0], b);
  pl_sub3(p, x[0], w);
  double aa = pl_dot3(a, a), ab = pl_dot3(a, b), bb = pl_dot3(b, b), aw = pl_dot3(a, w),
         bw = pl_dot3(b, w), det = aa * bb - ab * ab;
  double s = (bb * aw - ab * bw) / det, t = (aa * bw - ab * aw) / det, best = HUGE_VAL;
  if (s >= 0 && t >= 0 && s + t <= 1) {
    weight[0] = 1 - s - t;
    weight[1] = s;
    weight[2] = t;
    return;
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    double u = on_segment(x[i], x[j], p), off[3];
    for (int c = 0; c < 3; c++) off[c] = p[c] - (1 - u) * x[i][c] - u * x[j][c];
    double far = pl_dot3(off, off);
    if (far >= best) continue;
    best = far;
    weight[i] = 1 - u;
    weight[j] = u;
    weight[3 - i - j] = 0;
  }
}

const double (*pl_facets_corners(const pl_facets *f, int *n))[3] {
  *n = f->nvert;
  return (const double(*)[3])f->x;
}
