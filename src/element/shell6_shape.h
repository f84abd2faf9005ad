#ifndef SHELL6_SHAPE_H
#define SHELL6_SHAPE_H

// Quadratic triangle: corners 0 1 2, then nodes on the edges opposite to them. Edge k goes from
// corner a = k + 1 to b = k + 2 (modulo 3).

enum {
  SHELL6_NDOF = 51, // 15 nodes and 6 scalars
  // rest data, see shell6.inc
  SHELL6_POINT = 0,
  SHELL6_STRETCH = 12,
  SHELL6_BEND = 21,
  SHELL6_COEF = 30,
  SHELL6_ANGLE = 36,
  SHELL6_SIDE = 42,
  SHELL6_AREA = 45,
  SHELL6_FOURTH = 46,
  SHELL6_NREST = 58, // of isotropic ones
  SHELL6_FRAME = SHELL6_NREST,
  SHELL6_NLAID = SHELL6_FRAME + 36
};

#define ROOT3 1.7320508075688772

// xi turns the normal about an edge from its lower to its higher vertex; with v0 < v1 < v2 the
// triangle sees its edges v1 v2 and v0 v1 in that direction, and v2 v0 against it
#define SIGN(k) ((k) == 1 ? -1.0 : 1.0)

// barycentric coordinates of interior point q, and of point g of edge k: g counts from the edge's
// lower vertex
static inline void shell6_point(int q, double *l) {
  for (int i = 0; i < 3; i++) l[i] = i == q ? 2.0 / 3 : 1.0 / 6;
}
static inline void shell6_edge_point(int k, int g, double *l) {
  double off = SIGN(k) * (2 * g - 1) / (2 * ROOT3);
  l[k] = 0;
  l[(k + 1) % 3] = 0.5 - off;
  l[(k + 2) % 3] = 0.5 + off;
}

// derivatives of the shape functions along the vector from corner i to corner j
static inline void shell6_slope(int i, int j, const double *l, double *c) {
  int k = 3 - i - j;
  c[i] = 1 - 4 * l[i];
  c[j] = 4 * l[j] - 1;
  c[k] = 0;
  c[3 + i] = 4 * l[k];
  c[3 + j] = -4 * l[k];
  c[3 + k] = 4 * (l[i] - l[j]);
}

// The same at a point of edge k, for the edge's vector (t) and the one from a to corner k (p), over
// the nodes a, b, that of the edge, corner k, those between it and a, and b.
static inline void shell6_edge_slope(const double *l, int k, double *t, double *p) {
  double la = l[(k + 1) % 3], lb = l[(k + 2) % 3];
  const double along[6] = {1 - 4 * la, 4 * lb - 1, 4 * (la - lb)};
  const double across[6] = {1 - 4 * la, 0, -4 * lb, -1, 4 * la, 4 * lb};
  for (int i = 0; i < 6; i++) {
    t[i] = along[i];
    p[i] = across[i];
  }
}
// which nodes of the element these are; other: those of the triangle across
static inline int shell6_edge_node(int k, int i, int other) {
  int a = (k + 1) % 3, b = (k + 2) % 3;
  const int node[6] = {a, b, 3 + k, k, 3 + b, 3 + a};
  return other && i > 2 ? 6 + 3 * k + i - 3 : node[i];
}

// Functions that are zero at all six nodes, i < 3: la lb (la - lb) of edge i; else l0 l1 l2 l_i, i
// less 3. No triangle has a sum of them with no slope across its edges at all six points. d: their
// derivatives by l at a point of an edge.
static inline void shell6_bump(int i, const double *l, double *d) {
  int k = i % 3, a = (k + 1) % 3, b = (k + 2) % 3;
  d[k] = i < 3 ? 0 : 2 * l[k] * l[a] * l[b];
  d[a] = i < 3 ? l[b] * (2 * l[a] - l[b]) : l[k] * l[k] * l[b];
  d[b] = i < 3 ? l[a] * (l[a] - 2 * l[b]) : l[k] * l[k] * l[a];
}

// Second derivatives of l0 l1 l2 l_i along t_e less their linear part, i = 1 (m = 0) and i = 2: the
// mean over the triangle of those of m along e times those of n along f. (That of i = 0 is minus
// the sum of both.)
static inline double shell6_fourth(int m, int n, int e, int f) {
  static const short table[3][3][3] = {{{39, -14, 7}, {-14, 12, -14}, {7, -14, 39}},
                                       {{-33, -17, 10}, {10, -6, 4}, {-17, 31, -6}},
                                       {{39, 7, -14}, {7, 39, -14}, {-14, -14, 12}}};
  return (m > n ? table[1][f][e] : table[m + n][e][f]) / 900.0;
}

// what values on edge e at its points, and in the mean, give to the linear field at point q
static inline void shell6_regge(int q, int e, double *w) {
  double l[3];
  shell6_point(q, l);
  for (int g = 0; g < 2; g++)
    w[g] = 0.5 * (1 - 3 * l[e]) +
           (l[(e + 2) % 3] - l[(e + 1) % 3]) * 0.5 * ROOT3 * SIGN(e) * (2 * g - 1);
  w[2] = 3 * l[e];
}

#endif
