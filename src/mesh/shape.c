// Shape functions of all cells in natural coordinates, and points for integrals over them.
#include "mesh_impl.h"

#include "pliant/math.h"

#include <string.h>

// corners of quads and hexahedra
static const signed char corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                         {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

static int is_simplex(pl_cell_type type) {
  pl_cell_type c = pl_cell_corners[type];
  return c == PL_TRI3 || c == PL_TET4;
}

void pl_cell_vertex(pl_cell_type type, int vertex, double *at) {
  int nc = pl_cell_nvert[pl_cell_corners[type]], dim = pl_cell_dim[type];
  memset(at, 0, 3 * sizeof *at);
  if (vertex >= nc) {
    double b[3];
    const int *e = mesh_edge[type][vertex - nc];
    pl_cell_vertex(type, e[0], at);
    pl_cell_vertex(type, e[1], b);
    for (int k = 0; k < 3; k++) at[k] = 0.5 * (at[k] + b[k]);
  } else if (is_simplex(type)) {
    if (vertex > 0) at[vertex - 1] = 1;
  } else {
    for (int k = 0; k < dim; k++) at[k] = corner[vertex][k];
  }
}

// barycentric coordinates l[dim + 1]: vertices l, or l (2 l - 1) and 4 l_a l_b between them
static void simplex(pl_cell_type type, const double *at, double *N, double *dN) {
  int dim = pl_cell_dim[type], nc = dim + 1, nv = pl_cell_nvert[type];
  double l[4] = {1}, slope[20][4] = {{0}};
  for (int k = 0; k < dim; k++) {
    l[k + 1] = at[k];
    l[0] -= at[k];
  }
  for (int a = 0; a < nv; a++) {
    if (a >= nc) {
      const int *e = mesh_edge[type][a - nc];
      if (N) N[a] = 4 * l[e[0]] * l[e[1]];
      slope[a][e[0]] = 4 * l[e[1]];
      slope[a][e[1]] = 4 * l[e[0]];
    } else {
      if (N) N[a] = nv > nc ? l[a] * (2 * l[a] - 1) : l[a];
      slope[a][a] = nv > nc ? 4 * l[a] - 1 : 1;
    }
    for (int k = 0; dN && k < 3; k++) dN[3 * a + k] = k < dim ? slope[a][k + 1] - slope[a][0] : 0;
  }
}

// products of 1 + s x, or 1 - x^2 at the middle of an edge; corners of second order have the
// further factor (s.x - dim + 1)
static void product(pl_cell_type type, const double *at, double *N, double *dN) {
  int dim = pl_cell_dim[type], nv = pl_cell_nvert[type], nc = 1 << dim;
  for (int a = 0; a < nv; a++) {
    double s[3], f[3], d[3], sum = 1 - dim, all = 1;
    pl_cell_vertex(type, a, s);
    for (int k = 0; k < dim; k++) {
      f[k] = s[k] != 0 ? 1 + s[k] * at[k] : 1 - at[k] * at[k];
      d[k] = s[k] != 0 ? s[k] : -2 * at[k];
      sum += s[k] * at[k];
      all *= f[k];
    }
    int extra = nv > nc && a < nc;
    double scale = a < nc ? 1. / nc : 2. / nc;
    if (N) N[a] = scale * all * (extra ? sum : 1);
    for (int k = 0; dN && k < 3; k++) {
      double g = k < dim ? d[k] : 0;
      for (int i = 0; i < dim; i++)
        if (i != k) g *= f[i];
      dN[3 * a + k] = scale * (extra ? g * sum + (k < dim ? all * s[k] : 0) : g);
    }
  }
}

void pl_cell_shape(pl_cell_type type, const double *at, double *N, double *dN) {
  if (is_simplex(type))
    simplex(type, at, N, dN);
  else
    product(type, at, N, dN);
}

// ---- integrals ----------------------------------------------------------------------------------

// barycentric coordinates of which one is `far`, the others alike
static int star(int dim, double far, double w, int n, double (*at)[3], double *weight) {
  double near = (1 - far) / dim;
  for (int v = 0; v <= dim; v++, n++) {
    for (int k = 0; k < 3; k++) at[n][k] = k < dim ? (k + 1 == v ? far : near) : 0;
    weight[n] = w;
  }
  return n;
}

// two of the four coordinates are a, the others 1/2 - a
static int pairs(double a, double w, int n, double (*at)[3], double *weight) {
  for (int p = 0; p < 6; p++, n++) {
    const int *e = mesh_edge[PL_TET4][p];
    for (int k = 0; k < 3; k++) at[n][k] = k + 1 == e[0] || k + 1 == e[1] ? a : 0.5 - a;
    weight[n] = w;
  }
  return n;
}

static int gauss(int dim, double (*at)[3], double *weight) {
  int n = dim == 1 ? 3 : dim == 2 ? 9 : 27;
  for (int g = 0; g < n; g++) {
    weight[g] = 1;
    for (int k = 0, left = g; k < 3; k++, left /= 3) {
      at[g][k] = k < dim ? (left % 3 - 1) * 0.77459666924148337704 : 0;
      if (k < dim) weight[g] *= left % 3 == 1 ? 8. / 9 : 5. / 9;
    }
  }
  return n;
}

int pl_cell_points(pl_cell_type type, double (*at)[3], double *weight) {
  int n = 0;
  switch (pl_cell_corners[type]) {
  case PL_TRI3:
    // Dunavant, degree 4
    n = star(2, 0.108103018168070, 0.5 * 0.223381589678011, n, at, weight);
    return star(2, 0.816847572980459, 0.5 * 0.109951743655322, n, at, weight);
  case PL_TET4:
    // 14 points of degree 5 (Walkington 2000)
    n = star(3, 1 - 3 * 0.31088591926330060980, 0.11268792571801585080 / 6, n, at, weight);
    n = star(3, 1 - 3 * 0.092735250310891226402, 0.073493043116361949544 / 6, n, at, weight);
    return pairs(0.045503704125649649492, 0.042546020777081466438 / 6, n, at, weight);
  default:
    return gauss(pl_cell_dim[type], at, weight);
  }
}

double pl_cell_jacobian(pl_cell_type type, const double *X, const int *v, const double *at) {
  double dN[3 * PL_CELL_VERT_MAX], D[3][3] = {{0}}, n[3];
  pl_cell_shape(type, at, NULL, dN);
  for (int a = 0; a < pl_cell_nvert[type]; a++)
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < 3; i++) D[k][i] += dN[3 * a + k] * X[3 * (size_t)v[a] + i];
  if (pl_cell_dim[type] == 1) return pl_norm3(D[0]);
  pl_cross3(D[0], D[1], n);
  return pl_cell_dim[type] == 2 ? pl_norm3(n) : pl_dot3(n, D[2]);
}
