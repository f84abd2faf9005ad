// Solids that start touching: their surfaces are looked at a little inside of where they are, where
// what is nearest and its direction are known; gaps are measured where they are.
#include "layers_impl.h"

#include <string.h>

static const double SMOOTH = 1e-2; // of the greatest: normals do not span directions of less
static const double FAR = 3;       // insets that a vertex moves at most, at a spike
static const double ALONG = 1e-6;  // squared sine of edges that are taken as parallel

// ---- where surfaces are looked at ---------------------------------------------------------------

// The way of a vertex by which all its triangles move in by 1.
static void way_in(const pl_layers *l, const double *x, int v, double way[3]) {
  double A[9] = {0}, sum[3] = {0}, lambda[3], V[9];
  memset(way, 0, 3 * sizeof *way);
  for (int i = l->first[v]; i < l->first[v + 1]; i++) {
    const int *f = l->tri + 3 * l->around[i];
    double a[3], b[3], n[3];
    pl_sub3(layers_at(x, f[1]), layers_at(x, f[0]), a);
    pl_sub3(layers_at(x, f[2]), layers_at(x, f[0]), b);
    pl_cross3(a, b, n);
    double size = pl_norm3(n);
    if (!(size > 0)) continue;
    for (int c = 0; c < 9; c++) A[c] += n[c / 3] * n[c % 3] / (size * size);
    for (int c = 0; c < 3; c++) sum[c] -= n[c] / size;
  }
  pl_eig3(A, lambda, V);
  for (int k = 0; k < 3; k++) {
    if (!(lambda[k] > SMOOTH * lambda[2])) continue;
    double part = (V[k] * sum[0] + V[3 + k] * sum[1] + V[6 + k] * sum[2]) / lambda[k];
    for (int c = 0; c < 3; c++) way[c] += part * V[3 * c + k];
  }
  double size = pl_norm3(way);
  for (int c = 0; c < 3 && size > FAR; c++) way[c] *= FAR / size;
}

void layers_inset(const pl_layers *l, const double *x, double *y) {
  if (l->nvert > 0) memcpy(y, x, 3 * (size_t)l->nvert * sizeof *y);
  if (!(l->inset > 0)) return;
  for (int v = 0; v < l->nvert; v++) {
    double way[3];
    if (l->first[v] == l->first[v + 1]) continue;
    way_in(l, x, v, way);
    for (int c = 0; c < 3; c++) y[3 * (size_t)v + (size_t)c] += l->inset * way[c];
  }
}

// ---- gaps where surfaces are --------------------------------------------------------------------

static double within(double s) {
  return fmin(fmax(s, 1e-9), 1 - 1e-9);
}

// n of length 1 and on the side of the pair's normal becomes that; 0: it has no length
static int set_normal(pl_layer_pair *p, const double n[3]) {
  double size = pl_norm3(n), side = pl_dot3(n, p->normal) < 0 ? -1 : 1;
  if (!(size > 0)) return 0;
  for (int c = 0; c < 3; c++) p->normal[c] = side * n[c] / size;
  return 1;
}

static void over_face(const double *x, pl_layer_pair *p) {
  const int *v = p->vert;
  double a[3], b[3], g[3], n[3], gb[3], ag[3];
  pl_sub3(layers_at(x, v[2]), layers_at(x, v[1]), a);
  pl_sub3(layers_at(x, v[3]), layers_at(x, v[1]), b);
  pl_sub3(layers_at(x, v[0]), layers_at(x, v[1]), g);
  pl_cross3(a, b, n);
  pl_cross3(g, b, gb);
  pl_cross3(a, g, ag);
  double nn = pl_dot3(n, n);
  if (!set_normal(p, n)) return;
  // an inset vertex may be over the rim of the triangle, and the vertex a little beyond it
  double w[3] = {0, fmax(pl_dot3(gb, n) / nn, 0), fmax(pl_dot3(ag, n) / nn, 0)};
  w[0] = fmax(1 - pl_dot3(gb, n) / nn - pl_dot3(ag, n) / nn, 0);
  double sum = w[0] + w[1] + w[2];
  for (int i = 0; i < 3; i++) p->weight[i + 1] = -w[i] / sum;
}

static void across_edges(const double *x, pl_layer_pair *p) {
  const int *v = p->vert;
  double d[3], g[3], w[3], n[3];
  pl_sub3(layers_at(x, v[1]), layers_at(x, v[0]), d);
  pl_sub3(layers_at(x, v[3]), layers_at(x, v[2]), g);
  pl_sub3(layers_at(x, v[2]), layers_at(x, v[0]), w);
  double dd = pl_dot3(d, d), dg = pl_dot3(d, g), gg = pl_dot3(g, g);
  double dw = pl_dot3(d, w), gw = pl_dot3(g, w), det = dd * gg - dg * dg;
  if (!(det > ALONG * dd * gg)) return;
  pl_cross3(d, g, n);
  set_normal(p, n);
  double s = within((dw * gg - gw * dg) / det), t = within((dw * dg - gw * dd) / det);
  const double weight[4] = {1 - s, s, t - 1, -t};
  memcpy(p->weight, weight, sizeof weight);
}

static void beside_edge(const double *x, pl_layer_pair *p) {
  double d[3], g[3];
  pl_sub3(layers_at(x, p->vert[2]), layers_at(x, p->vert[1]), d);
  pl_sub3(layers_at(x, p->vert[0]), layers_at(x, p->vert[1]), g);
  double dd = pl_dot3(d, d), s = dd > 0 ? within(pl_dot3(d, g) / dd) : 0.5;
  p->weight[1] = s - 1;
  p->weight[2] = -s;
}

// Faces and edges that cross say where they are which way is out; about corners the inset does.
void layers_outset(const pl_layers *l, const double *x, pl_layer_pair *p) {
  if (p->n == 4 && p->weight[1] > 0)
    across_edges(x, p);
  else if (p->n == 4)
    over_face(x, p);
  else if (p->n == 3)
    beside_edge(x, p);
  p->distance = 0;
  for (int i = 0; i < p->n; i++)
    p->distance += p->weight[i] * pl_dot3(p->normal, layers_at(x, p->vert[i]));
  p->keep -= 2 * l->inset;
}

// ---- surfaces that cross ------------------------------------------------------------------------

static double volume(const double *a, const double *b, const double *c, const double *d) {
  double u[3], v[3], w[3], n[3];
  pl_sub3(b, a, u);
  pl_sub3(c, a, v);
  pl_sub3(d, a, w);
  pl_cross3(u, v, n);
  return pl_dot3(n, w);
}

// the edge `self` goes through triangle t of another body
static void try_crossing(void *ctx, int t) {
  pl_layers *l = ctx;
  const int *e = l->edge + 3 * l->self, *f = l->tri + 3 * t;
  if (l->part[e[0]] == l->part[f[0]]) return;
  const double *a = layers_at(l->x, e[0]), *b = layers_at(l->x, e[1]), *p[3];
  for (int k = 0; k < 3; k++) p[k] = layers_at(l->x, f[k]);
  double from = volume(p[0], p[1], p[2], a), to = volume(p[0], p[1], p[2], b);
  if (!(from < 0 && to > 0) && !(from > 0 && to < 0)) return;
  double side[3];
  for (int k = 0; k < 3; k++) side[k] = volume(a, b, p[k], p[(k + 1) % 3]);
  if (!((side[0] > 0 && side[1] > 0 && side[2] > 0) || (side[0] < 0 && side[1] < 0 && side[2] < 0)))
    return;
  double u[3], v[3], n[3];
  pl_sub3(p[1], p[0], u);
  pl_sub3(p[2], p[0], v);
  pl_cross3(u, v, n);
  double depth = -fmin(from, to) / pl_norm3(n);
  if (!(depth < l->least)) return;
  l->least = depth;
  l->crossing[0] = from < to ? e[0] : e[1];
  l->crossing[1] = f[0];
}

pl_status pl_layers_crossing(pl_layers *l, const double *x, double *depth, int vert[2]) {
  *depth = 0;
  PL_TRY(layers_begin(l, x, 0));
  pl_bvh_refit(l->faces);
  for (l->self = 0; l->self < l->nedge; l->self++) {
    const int *e = l->edge + 3 * l->self;
    layers_look(l, layers_at(l->x, e[0]), layers_at(l->x, e[1]), 0, l->faces, try_crossing);
  }
  if (isinf(l->least)) return PL_OK;
  *depth = l->least;
  memcpy(vert, l->crossing, sizeof l->crossing);
  return PL_OK;
}
