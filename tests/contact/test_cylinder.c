// Cylinders: closed forms beside the general checks of kinds, and rounded ones as sums of shapes.
#include "problems.h"

static double gap_at(const pl_obstacle *o, int dim, double x, double y, double z, double *n) {
  pl_gap g;
  pl_obstacle_gap(o, dim, 0, (double[]){x, y, z}, 0, &g);
  if (n) memcpy(n, g.frame[0], 3 * sizeof *n);
  return g.gap;
}

// of radius 2 from z = -3 to 3
static void places(void **state) {
  (void)state;
  const pl_obstacle o = {.kind = &pl_obstacle_cylinder, .par = {0, 0, 3, 2}};
  double n[3];
  // beside, above, off the edge
  check_close(gap_at(&o, 3, 3, 4, 1, n), 3, 1e-15);
  check_array(3, n, ((double[]){0.6, 0.8, 0}), 1e-15);
  check_close(gap_at(&o, 3, 1, 1, -5, n), 2, 1e-15);
  check_array(3, n, ((double[]){0, 0, -1}), 0);
  check_close(gap_at(&o, 3, 0, 5, 7, n), 5, 1e-15);
  check_array(3, n, ((double[]){0, 0.6, 0.8}), 1e-15);
  // inside: to the mantle, to an end, and from the axis itself
  check_close(gap_at(&o, 3, 1.5, 0, 1, n), -0.5, 1e-15);
  check_array(3, n, ((double[]){1, 0, 0}), 0);
  check_close(gap_at(&o, 3, 1, 0, 2.5, n), -0.5, 1e-15);
  check_array(3, n, ((double[]){0, 0, 1}), 0);
  check_close(gap_at(&o, 3, 0, 0, 0, n), -2, 0);
  check_close(pl_norm3(n), 1, 1e-15);
  check_close(n[2], 0, 1e-15);
  // on the edge
  check_close(gap_at(&o, 3, 2, 0, 3, n), 0, 0);
  check_close(pl_norm3(n), 1, 1e-15);
  // a strip in the plane, a piece of the line
  const pl_obstacle strip = {.kind = &pl_obstacle_cylinder, .par = {3, 0, 0, 2}};
  check_close(gap_at(&strip, 2, 6, 6, 0, NULL), 5, 1e-15);
  check_close(gap_at(&strip, 2, 0, 1.5, 0, NULL), -0.5, 1e-15);
  check_close(gap_at(&strip, 1, -5, 0, 0, n), 2, 0);
  check_close(n[0], -1, 0);
}

// Rounded: farther than the sharp one by the radius everywhere outside; as the sharp one gets thin
// it is a capsule with the same axis.
static void rounded(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 5);
  pl_obstacle o = {.kind = &pl_obstacle_cylinder, .par = {0.3, 0.2, -0.4, 1e-9}, .radius = 0.25};
  const pl_obstacle bar = {.kind = &pl_obstacle_capsule, .par = {0.3, 0.2, -0.4}, .radius = 0.25};
  for (int k = 0; k < 500; k++) {
    double x[3], n[3], m[3];
    for (int c = 0; c < 3; c++) x[c] = pl_rng_uniform(&r, -1, 1);
    double a = gap_at(&o, 3, x[0], x[1], x[2], n), b = gap_at(&bar, 3, x[0], x[1], x[2], m);
    check_close(a, b, 2e-9);
    if (b > -0.2) check_array(3, n, m, 1e-7);
  }
}

static void refused(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_obstacle o = {.kind = &pl_obstacle_cylinder, .par = {0, 0, 0, 1}};
  check_status(&env, pl_obstacle_check(&env, &o, 3, "obstacle 0"), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "from and to must be different"));
  o.par[2] = 1;
  o.par[3] = 0;
  check_status(&env, pl_obstacle_check(&env, &o, 3, "obstacle 0"), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "radius must be > 0"));
}

int test_cylinder(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(places), cmocka_unit_test(rounded),
                                     cmocka_unit_test(refused)};
  return cmocka_run_group_tests_name("contact.cylinder", tests, NULL, NULL);
}
