// Shape functions and points of integrals of all cells.
#include "check.h"

#include "pliant/math.h"
#include "pliant/mesh.h"

#include <math.h>

static void functions_of_vertices(void **state) {
  (void)state;
  for (pl_cell_type t = 0; t < PL_CELL_COUNT; t++)
    for (int v = 0; v < pl_cell_nvert[t]; v++) {
      double at[3], N[PL_CELL_VERT_MAX];
      pl_cell_vertex(t, v, at);
      pl_cell_shape(t, at, N, NULL);
      for (int a = 0; a < pl_cell_nvert[t]; a++) check_close(N[a], a == v, 1e-15);
    }
}

static void slopes(void **state) {
  (void)state;
  const double at[3] = {0.2, 0.3, 0.17}, h = 1e-6;
  for (pl_cell_type t = 0; t < PL_CELL_COUNT; t++) {
    double N[2][PL_CELL_VERT_MAX], dN[3 * PL_CELL_VERT_MAX], sum = 0;
    pl_cell_shape(t, at, N[0], dN);
    for (int a = 0; a < pl_cell_nvert[t]; a++) sum += N[0][a];
    check_close(sum, 1, 1e-14);
    for (int k = 0; k < 3; k++) {
      double x[3] = {at[0], at[1], at[2]}, y[3] = {at[0], at[1], at[2]};
      x[k] += h;
      y[k] -= h;
      pl_cell_shape(t, x, N[0], NULL);
      pl_cell_shape(t, y, N[1], NULL);
      for (int a = 0; a < pl_cell_nvert[t]; a++)
        check_close(dN[3 * a + k], k < pl_cell_dim[t] ? (N[0][a] - N[1][a]) / (2 * h) : 0, 1e-9);
    }
  }
}

// int x^i y^j z^k over natural cells: i! j! k!/(i + j + k + dim)! of simplices
static double exact(pl_cell_type t, const int *e) {
  int dim = pl_cell_dim[t], sum = dim;
  double value = 1;
  pl_cell_type c = pl_cell_corners[t];
  for (int k = 0; k < dim; k++) {
    if (c == PL_TRI3 || c == PL_TET4)
      value *= tgamma(e[k] + 1);
    else
      value *= e[k] % 2 ? 0 : 2. / (e[k] + 1);
    sum += e[k];
  }
  return c == PL_TRI3 || c == PL_TET4 ? value / tgamma(sum + 1) : value;
}

static void integrals(void **state) {
  (void)state;
  for (pl_cell_type t = 0; t < PL_CELL_COUNT; t++) {
    double at[PL_CELL_POINT_MAX][3], w[PL_CELL_POINT_MAX];
    int n = pl_cell_points(t, at, w), dim = pl_cell_dim[t];
    for (int code = 0; code < 125; code++) {
      int e[3] = {code % 5, code / 5 % 5, code / 25};
      if (e[0] + e[1] + e[2] > 4 || (dim < 3 && e[2]) || (dim < 2 && e[1])) continue;
      double sum = 0;
      for (int g = 0; g < n; g++)
        sum += w[g] * pow(at[g][0], e[0]) * pow(at[g][1], e[1]) * pow(at[g][2], e[2]);
      check_close(sum, exact(t, e), 1e-13);
    }
  }
}

static void jacobians(void **state) {
  (void)state;
  const double X[12] = {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 5}, at[3] = {0.2, 0.2, 0.2};
  const int v[4] = {0, 1, 2, 3};
  check_close(pl_cell_jacobian(PL_SEG2, X, v, at), 1, 1e-15);
  check_close(pl_cell_jacobian(PL_TRI3, X, v, at), 6, 1e-14);
  check_close(pl_cell_jacobian(PL_TET4, X, v, at), 30, 1e-14);
}

int test_shape(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_of_vertices),
      cmocka_unit_test(slopes),
      cmocka_unit_test(integrals),
      cmocka_unit_test(jacobians),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
