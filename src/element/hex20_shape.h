#ifndef HEX20_SHAPE_H
#define HEX20_SHAPE_H

// Serendipity shape functions of the hexahedron with a node on every edge, in VTK's order, and the
// 3x3x3 Gauss points.

#define HEX20_GAUSS 0.77459666924148337704 // sqrt(3/5)

// coordinates of the nodes, each -1, 0 or 1
static const signed char hex20_node[20][3] = {
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},
    {-1, 1, 1},   {0, -1, -1}, {1, 0, -1},  {0, 1, -1},  {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},
    {0, 1, 1},    {-1, 0, 1},  {-1, -1, 0}, {1, -1, 0},  {1, 1, 0},   {-1, 1, 0}};

// coordinates xi[3] of point g = 0..26, and its weight
static inline double hex20_point(int g, double *xi) {
  double w = 1;
  for (int k = 0; k < 3; k++, g /= 3) {
    xi[k] = (g % 3 - 1) * HEX20_GAUSS;
    w *= g % 3 == 1 ? 8. / 9 : 5. / 9;
  }
  return w;
}

// N_a at xi, or its derivative by coordinate k (k < 0: the value)
static inline double hex20_shape(int a, const double *xi, int k) {
  double f[3], d[3], sum = -2;
  for (int i = 0; i < 3; i++) {
    int s = hex20_node[a][i];
    f[i] = s ? 1 + s * xi[i] : 1 - xi[i] * xi[i];
    d[i] = s ? s : -2 * xi[i];
    sum += s * xi[i];
  }
  double rest = (k == 0 ? d[0] : f[0]) * (k == 1 ? d[1] : f[1]) * (k == 2 ? d[2] : f[2]);
  if (a >= 8) return rest / 4;
  // corners have a further factor s.xi - 2
  return (rest * sum + (k < 0 ? 0 : f[0] * f[1] * f[2] * hex20_node[a][k])) / 8;
}

#endif
