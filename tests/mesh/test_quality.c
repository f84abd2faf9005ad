// Quality of cells whose angles, aspects and Jacobians are known.
#include "check.h"

#include "pliant/math.h"
#include "pliant/mesh.h"

#include <math.h>
#include <string.h>

static pl_env env;

static pl_mesh *one(pl_cell_type t, const double *X) {
  pl_mesh *m;
  check_ok(&env, pl_mesh_create(&env, "one", pl_cell_nvert[t], &m));
  check_ok(&env, pl_mesh_set_cells(m, t, 1));
  memcpy(m->X, X, (size_t)pl_cell_nvert[t] * 3 * sizeof *X);
  for (int a = 0; a < pl_cell_nvert[t]; a++) m->cell[t].v[a] = a;
  return m;
}

static void check_one(pl_cell_type t, const double *X, double degrees, double aspect, double J) {
  pl_mesh *m = one(t, X);
  pl_quality q;
  check_ok(&env, pl_mesh_quality(m, t, 0, 1, &q));
  check_close(q.angle * 180 / PL_PI, degrees, 1e-9);
  check_close(q.aspect, aspect, 1e-12);
  check_close(q.jacobian, J, 1e-12);
  pl_mesh_free(m);
}

static void known_cells(void **state) {
  (void)state;
  double h = sqrt(0.75);
  check_one(PL_TRI3, (double[]){0, 0, 0, 1, 0, 0, 0.5, h, 0}, 60, 1, 1);
  check_one(PL_TRI3, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 45, sqrt(0.75) * 2, 1);
  check_one(PL_TET4, (double[]){1, 1, 1, -1, 1, -1, 1, -1, -1, -1, -1, 1},
            acos(1. / 3) * 180 / PL_PI, 1, 1);
  double cube[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
  check_one(PL_HEX8, cube, 90, 1, 1);
  for (int a = 0; a < 8; a++) cube[3 * a + 2] *= 4;
  check_one(PL_HEX8, cube, 90, 4, 1);
  // a trapezium: Jacobians of a quad go by the areas that its edges span at corners
  check_one(PL_QUAD4, (double[]){0, 0, 0, 2, 0, 0, 1, 1, 0, 0, 1, 0}, 45, 2, 0.5);
}

// a vertex on an edge at a quarter of it: dX/dxi is zero at the corner there
static void curved(void **state) {
  (void)state;
  double X[30] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const int e[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  for (int k = 0; k < 6; k++)
    for (int c = 0; c < 3; c++)
      X[3 * (4 + k) + c] = 0.5 * (X[3 * e[k][0] + c] + X[3 * e[k][1] + c]);
  pl_quality q;
  pl_mesh *m = one(PL_TET10, X);
  check_ok(&env, pl_mesh_quality(m, PL_TET10, 0, 1, &q));
  check_close(q.jacobian, 1, 1e-12);
  m->X[12] = 0.25;
  check_ok(&env, pl_mesh_quality(m, PL_TET10, 0, 1, &q));
  check_close(q.jacobian, 0, 1e-12);
  m->X[12] = 0.2;
  check_ok(&env, pl_mesh_quality(m, PL_TET10, 0, 1, &q));
  check_less(q.jacobian, 0);
  pl_mesh_free(m);
}

static void layers(void **state) {
  (void)state;
  const double l[3] = {8, 8, 1};
  for (int n = 1; n <= 3; n++)
    for (int hex = 0; hex < 2; hex++) {
      const int cells[3] = {8, 8, n};
      pl_mesh *m;
      pl_quality q;
      check_ok(&env, (hex ? pl_gen_hex_box : pl_gen_tet_box)(&env, cells, l, &m));
      pl_cell_type t = hex ? PL_HEX8 : PL_TET4;
      check_ok(&env, pl_mesh_quality(m, t, 0, m->cell[t].n, &q));
      check_close(q.layers, n, 1e-12);
      check_close(q.thick, 1, 1e-12);
      pl_mesh_free(m);
    }
}

int test_quality(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_cells),
      cmocka_unit_test(curved),
      cmocka_unit_test(layers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
