// Mid-edge shells converge with the square of the cell size: energy of given shapes on irregular
// meshes, a strip built in along a line, frequencies of a clamped plate, the load at which a blade
// buckles sideways.
#include "../golden/shells.h"

static pl_env env;

static void cylinder(const double *X, double *u) {
  double R = 2, a = 0.5, s = X[0] * cos(a) + X[1] * sin(a), d = R * sin(s / R) - s;
  u[0] = d * cos(a);
  u[1] = d * sin(a);
  u[2] = R - R * cos(s / R);
}

// a sheet rolled askew, energy D/2 / R^2 per area; directors found by equilibrium
static void bent_sheet(void **state) {
  (void)state;
  static const int n[4] = {24, 32, 48, 60};
  double h[4], err[4], want = shell_stiffness(0.01, 0.3) / 2 / 4;
  for (int v = 0; v < 3; v++) {
    for (int i = 0; i < 4; i++) {
      h[i] = 1.0 / n[i];
      err[i] = fabs(shell_density_of(&env, shell_mesh(&env, n[i], 1, 1, SHELL_RANDOM), cylinder,
                                     0.3, 0.01, v) /
                        want -
                    1);
    }
    check_less(1.9, order_slope(4, h, err));
  }
}

// tip of a strip under a small weight, nu = 0: rho h g L^4/(8 D)
static double strip_error(int n, int pattern) {
  static model_kit k;
  kit_model b;
  const double thick = 1e-3, gamma = 1e-3;
  kit_init(&k, &env, 3);
  k.mesh = shell_mesh(&env, n, 1, 0.25, pattern);
  shell_make(&k, 0, thick, 1, shell_left);
  k.d.gravity[2] = -gamma * shell_stiffness(thick, 0) / (shell_density * thick);
  kit_build(&k, 1, &b);
  golden_static(&b, 1e-10, 1);
  double z = b.s->q[3 * kit_node_at(&k, 1, 0, 0) + 2];
  kit_model_free(&b);
  kit_free(&k);
  return fabs(-z / (gamma / 8) - 1);
}

static void clamped_line(void **state) {
  (void)state;
  const int pattern[] = {PL_RIGHT, PL_ALTERNATING, PL_CROSSED, SHELL_RANDOM};
  double h[4], err[4];
  for (int p = 0; p < 4; p++) {
    for (int i = 0; i < 4; i++) {
      h[i] = 1.0 / (8 << i);
      err[i] = strip_error(8 << i, pattern[p]);
    }
    check_less(1.9, order_slope(4, h, err));
    check_less(err[3], 1e-3);
  }
}

static int on_boundary(const double *X) {
  return fmin(fmin(X[0], X[1]), fmin(1 - X[0], 1 - X[1])) < 1e-9;
}

// omega a^2 sqrt(rho h/D) = 35.985 of the clamped square (golden/test_midedge.c)
static void clamped_plate(void **state) {
  (void)state;
  double h[4], err[4];
  const double thick = 1e-3, nu = 0.3;
  for (int i = 0; i < 4; i++) {
    static model_kit k;
    kit_model b;
    int n = 8 << i;
    kit_init(&k, &env, 3);
    k.mesh = shell_mesh(&env, n, 1, 1, PL_ALTERNATING);
    shell_make(&k, nu, thick, 1, on_boundary);
    kit_build(&k, 1, &b);
    double omega, *shape = kit_keep(&k, b.s->nq, sizeof *shape);
    check_ok(&env, pl_modes(&(pl_modes_opts){.count = 1}, b.m, b.p, b.s, b.w, &omega, shape, NULL));
    h[i] = 1.0 / n;
    err[i] = fabs(omega * sqrt(shell_density * thick / shell_stiffness(thick, nu)) / 35.9852 - 1);
    kit_model_free(&b);
    kit_free(&k);
  }
  check_less(1.9, order_slope(4, h, err));
}

// Weight at which a blade standing on edge, clamped at one end, turns over: Gamma = rho h g L^3/D
static double sideways(int n) {
  static model_kit k;
  kit_model b;
  const double thick = 1e-3, nu = 0.35, gamma = 30;
  kit_init(&k, &env, 3);
  k.mesh = shell_mesh(&env, n, 1, 0.5, PL_EQUILATERAL);
  for (int i = 0; i < k.mesh->nvert; i++) {
    k.mesh->X[3 * i + 2] = k.mesh->X[3 * i + 1];
    k.mesh->X[3 * i + 1] = 0;
  }
  shell_make(&k, nu, thick, 1, shell_left);
  k.d.gravity[2] = -gamma * shell_stiffness(thick, nu) / (shell_density * thick);
  kit_build(&k, 1, &b);
  pl_static_opts o = golden_static_opts(1e-10);
  pl_static_info info;
  o.critical = 1;
  o.steps = 4;
  check_ok(&env, pl_static(&o, b.m, b.p, b.s, b.w, NULL, NULL, &info));
  assert_in_range(info.ncritical, 1, 8);
  kit_model_free(&b);
  kit_free(&k);
  return gamma * info.critical[0].scale;
}

// 20.81 at width L/2, nu = 0.35 (Romero et al. 2021, recomputed by another method, given to four
// digits). Clamped by two columns of nodes the same meshes give 17.16, 18.84, 19.78: first order.
static void lateral_buckling(void **state) {
  (void)state;
  double a = sideways(10), b = sideways(20), c = sideways(40);
  check_rel(c, 20.81, 0.01);
  check_less(1.6, log2((b - a) / (c - b)));
  // extrapolated from the last two
  check_rel(c + (c - b) / 3, 20.81, 2e-3);
}

int test_midedge(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bent_sheet),
      cmocka_unit_test(clamped_line),
      cmocka_unit_test(clamped_plate),
      cmocka_unit_test(lateral_buckling),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("midedge", tests, NULL, NULL);
}
