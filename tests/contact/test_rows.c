// Rows of contact as vectors over the unknowns, and nodes that stop at an obstacle.
#include "problems.h"

enum { NODES = 6 };

// the Jacobian by differences of frame'y, over unknowns of which some are given
static void jacobian(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 5);
  for (int dim = 1; dim <= 3; dim++) {
    pl_contact_row row = {.n = 3, .vert = {4, 0, 2}, .weight = {1, -0.3, -0.7}};
    double x[3 * NODES], g[3 * NODES] = {0}, d[3 * NODES];
    int index[3 * NODES], n = 0;
    for (int i = 0; i < 9; i++) row.frame[i / 3][i % 3] = pl_rng_normal(&r);
    for (int i = 0; i < dim * NODES; i++) {
      x[i] = pl_rng_normal(&r);
      index[i] = i % 5 == 1 ? -1 : n++;
    }
    for (int i = 0; i < n; i++) d[i] = pl_rng_normal(&r);
    for (int j = 0; j < dim; j++) {
      double displaced[3 * NODES], before[3], after[3], product = 0;
      for (int i = 0; i < dim * NODES; i++) displaced[i] = x[i] + (index[i] < 0 ? 0 : d[index[i]]);
      pl_contact_row_point(&row, dim, x, before);
      pl_contact_row_point(&row, dim, displaced, after);
      double change = pl_dot(dim, row.frame[j], after) - pl_dot(dim, row.frame[j], before);
      check_close(pl_contact_row_dot(&row, dim, j, index, d), change, 1e-13);
      memset(g, 0, sizeof g);
      pl_contact_row_add(&row, dim, j, 2, index, g);
      for (int i = 0; i < n; i++) product += g[i] * d[i];
      check_close(product, 2 * change, 1e-13);
    }
  }
}

// what is driven keeps its velocity, and its place before
static void drives_stay(void **state) {
  (void)state;
  pl_obstacle wall = {.velocity = {0, 0, 0.5}};
  pl_contact_pair pair = {.node = 1};
  const pl_contact k = {.dim = 3, .nobstacle = 1, .npair = 1, .obstacle = &wall, .pair = &pair};
  const double n[3] = {0.6, 0, 0.8}, x[6] = {0, 0, 0, 1, 2, 3};
  const int index[6] = {0, 1, 2, -1, 3, 4};
  double v[6] = {9, 9, 9, 1, 2, -3}, q1[6] = {0, 0, 0, 1, 2, 3.5}, v1[6] = {0, 0, 0, 1, 2, -3};
  check_close(pl_contact_stop(&k, 0, n, index, v), 0.4, 1e-15);
  const double kept[4] = {9, 9, 9, 1};
  check_array(4, v, kept, 0);
  check_close(v[4], 2, 0);
  // the way that was towards the wall, 0.4 - (0.6 - 2.4), taken off along what is free
  check_close(v[5], -3 + 0.8 * (0.4 + 1.8), 1e-14);
  pl_contact_forget(&k, 0, n, index, 0.1, x, q1, v1);
  check_close(q1[3], 1, 0);
  check_close(v1[3], 1, 0);
  check_close(q1[5], 3.5 + 0.8 * (0.8 * (3 - 3.5) - 0.04), 1e-14);
}

int test_rows(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(jacobian), cmocka_unit_test(drives_stay)};
  return cmocka_run_group_tests_name("contact.rows", tests, NULL, NULL);
}
