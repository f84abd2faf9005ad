// Groups of cells made longer: lengths along the axis, and nothing else.
#include "check.h"

#include "pliant/mesh.h"

#include <math.h>

static pl_env env;

// a bar of 10 x 1 x 1 cells of edge 1 with a group of cells [from, to) along x
static pl_mesh *bar(int from, int to) {
  pl_mesh *m;
  int cell[10];
  pl_env_init(&env);
  check_ok(&env, pl_gen_hex_box(&env, (int[]){10, 1, 1}, (double[]){10, 1, 1}, &m));
  for (int k = from; k < to; k++) cell[k - from] = k;
  check_ok(&env, pl_mesh_add_set(m, "part", PL_HEX8, to - from, cell));
  return m;
}

// cells 2 to 5, twice as long: before them nothing moves, beyond them all by 3
static void twice_as_long(void **state) {
  (void)state;
  for (int high = 0; high < 2; high++) {
    pl_mesh *m = bar(2, 5), *old = bar(2, 5);
    double length;
    check_ok(&env, pl_mesh_stretch(m, "part", 0, 2, high, &length));
    check_close(length, 3, 1e-14);
    for (int i = 0; i < m->nvert; i++) {
      double x = old->X[3 * i], want = x <= 2 ? x : x <= 5 ? 2 + 2 * (x - 2) : x + 3;
      check_close(m->X[3 * i], want - 3 * high, 1e-13);
      check_close(m->X[3 * i + 1], old->X[3 * i + 1], 0);
      check_close(m->X[3 * i + 2], old->X[3 * i + 2], 0);
    }
    check_ok(&env, pl_mesh_check(m));
    pl_mesh_free(m);
    pl_mesh_free(old);
  }
}

// back again; and two parts of one group, each by its own length
static void there_and_back(void **state) {
  (void)state;
  pl_mesh *m = bar(1, 2), *old = bar(1, 2);
  double length;
  check_ok(&env, pl_mesh_add_set(m, "part", PL_HEX8, 2, (int[]){6, 7}));
  check_ok(&env, pl_mesh_stretch(m, "part", 0, 1.5, 0, &length));
  check_close(length, 3, 1e-13);
  double lo[3], hi[3];
  pl_mesh_bounds(m, lo, hi);
  check_close(hi[0], 11.5, 1e-13);
  check_ok(&env, pl_mesh_stretch(m, "part", 0, 1 / 1.5, 0, &length));
  check_close(length, 4.5, 1e-13);
  for (int i = 0; i < 3 * m->nvert; i++) check_close(m->X[i], old->X[i], 1e-13);
  pl_mesh_free(m);
  pl_mesh_free(old);
}

static void groups_without_length(void **state) {
  (void)state;
  pl_mesh *m = bar(1, 2);
  double length, was = m->X[3 * (m->nvert - 1)];
  check_ok(&env, pl_mesh_stretch(m, "other", 0, 2, 0, &length));
  check_close(length, 0, 0);
  check_ok(&env, pl_mesh_add_set(m, "point", -1, 1, (int[]){3}));
  check_ok(&env, pl_mesh_stretch(m, "point", 0, 2, 0, &length));
  check_close(length, 0, 0);
  check_close(m->X[3 * (m->nvert - 1)], was, 0);
  // of vertices alone: from the first to the last
  check_ok(&env, pl_mesh_add_set(m, "ends", -1, 2, (int[]){0, m->nvert - 1}));
  check_ok(&env, pl_mesh_stretch(m, "ends", 1, 3, 0, &length));
  check_close(length, 1, 1e-14);
  pl_mesh_free(m);
}

int test_stretch(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(twice_as_long),
                                     cmocka_unit_test(there_and_back),
                                     cmocka_unit_test(groups_without_length)};
  return cmocka_run_group_tests_name("mesh.stretch", tests, NULL, NULL);
}
