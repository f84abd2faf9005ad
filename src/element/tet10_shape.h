#ifndef TET10_SHAPE_H
#define TET10_SHAPE_H

// Shape functions of the quadratic tetrahedron in barycentric coordinates l: l_a (2 l_a - 1) at
// vertex a and 4 l_a l_b between a and b. Vertices in VTK's order.

// dN = (4 l_r - [node is a vertex]) dl_c, for a node between two vertices the sum of two such
// terms; here c and r of each
static const int tet10_slope[10][2][2] = {
    {{0, 0}},         {{1, 1}},         {{2, 2}},         {{3, 3}},         {{0, 1}, {1, 0}},
    {{1, 2}, {2, 1}}, {{2, 0}, {0, 2}}, {{0, 3}, {3, 0}}, {{1, 3}, {3, 1}}, {{2, 3}, {3, 2}}};

static inline int tet10_nslope(int node) {
  return node < 4 ? 1 : 2;
}

// Four points of degree 2: point g has l_g = FAR and else NEAR. The factor of dl_c is low there,
// and by high more where g = r.
#define TET10_FAR  0.58541019662496845446
#define TET10_NEAR 0.13819660112501051518
static const double tet10_high = 4 * (TET10_FAR - TET10_NEAR);

static inline double tet10_low(int node) {
  return 4 * TET10_NEAR - (node < 4);
}

// the factor of dl_c in term k of a node, at coordinates l
static inline double tet10_factor(int node, int k, const double *l) {
  return 4 * l[tet10_slope[node][k][1]] - (node < 4);
}

static inline double tet10_shape(int node, const double *l) {
  const int *v = tet10_slope[node][0];
  return node < 4 ? l[node] * (2 * l[node] - 1) : 4 * l[v[0]] * l[v[1]];
}

// 35 points of degree 7, which is that of N_a N_b times the Jacobian of curved sides (Grundmann and
// Moeller 1978, s = 3): l = (2 beta + 1)/(10 - 2 i) for all whole beta >= 0 of sum 3 - i, i = 0..3.
// beta of the next point, starting from -1, -1, -1, -1; the weight, of which all add up to 1, or 0
// behind the last one.
static inline double tet10_next(int *beta, double *l) {
  static const double weight[4] = {3125. / 12096, -512. / 945, 729. / 2240, -16. / 315};
  if (beta[0] < 0) {
    for (int k = 0; k < 4; k++) beta[k] = 0;
  } else {
    // count in base 4, over those of too large a sum
    int sum, k;
    do {
      for (k = 0; k < 4 && ++beta[k] == 4; k++) beta[k] = 0;
      sum = beta[0] + beta[1] + beta[2] + beta[3];
    } while (k < 4 && sum > 3);
    if (k == 4) return 0;
  }
  int i = 3 - (beta[0] + beta[1] + beta[2] + beta[3]);
  for (int k = 0; k < 4; k++) l[k] = (2 * beta[k] + 1) / (10. - 2 * i);
  return weight[i];
}

#endif
