#ifndef HEX8_SHAPE_H
#define HEX8_SHAPE_H

// Shape functions of the hexahedron at the 2x2x2 Gauss points. Vertices in VTK's order; a point
// has the signs of the vertex next to it.

#define HEX8_GAUSS 0.57735026918962576451 // 1/sqrt(3); all weights are 1

static inline int hex8_sign(int a, int k) {
  if (k == 2) return a < 4 ? -1 : 1;
  return (a + (k == 0)) % 4 < 2 ? -1 : 1;
}

// 1/2 (1 + s_a xi_g) in direction k, or its derivative
static inline double hex8_factor(int a, int g, int k, int derivative) {
  int s = hex8_sign(a, k);
  return derivative ? 0.5 * s : 0.5 * (1 + s * hex8_sign(g, k) * HEX8_GAUSS);
}

// N_a at point g, or its derivative by coordinate k = 0, 1, 2 (k < 0: the value)
static inline double hex8_shape(int a, int g, int k) {
  return hex8_factor(a, g, 0, k == 0) * hex8_factor(a, g, 1, k == 1) * hex8_factor(a, g, 2, k == 2);
}

#endif
