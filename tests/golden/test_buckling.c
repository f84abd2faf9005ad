// Euler's column, clamped below and free above (Timoshenko & Gere, Theory of Elastic Stability,
// art. 2.1): P = (2 k + 1)^2 pi^2 EI/(4 L^2), k = 0, 1, ...; by the stability report of a static
// analysis along the straight, finally unstable path.
#include "golden.h"

static pl_env env;

static const double YOUNG = 1e9, LENGTH = 1;

static double euler(int k, double EI) {
  double c = (2 * k + 1) * PL_PI / (2 * LENGTH);
  return c * c * EI;
}

// compresses to `top` times the first critical load and compares the critical loads with Euler's
static void check_critical(kit_model *b, double top, int count, double tol) {
  pl_static_opts o = golden_static_opts(1e-9);
  pl_static_info info;
  o.steps = 4;
  o.critical = 1;
  check_ok(&env, pl_static(&o, b->m, b->p, b->s, b->w, NULL, NULL, &info));
  assert_int_equal(info.ncritical, count);
  for (int k = 0; k < count; k++) {
    check_rel(info.critical[k].scale * top, euler(k, 1) / euler(0, 1), tol);
    assert_int_equal(info.critical[k].nneg, k + 1);
    assert_int_equal(info.critical[k].jump, 0);
  }
  assert_int_equal(info.stable, 0);
  assert_int_equal(info.nneg, count);
}

// A row of equilateral triangles, EI = 8/9 D b (see order/test_cantilever.c). The mesh errs by the
// square of side over wavelength: hinges every half side, (pi/4/48)^2/12 = 2e-5 of the first load
// and nine times that of the second. The strain at which it buckles, 1e-6, counts for nothing.
static void shell_column(void **state) {
  (void)state;
  static model_kit k;
  kit_model b;
  const double thick = 1e-3, par[4] = {YOUNG, 0, 1000, thick}, top = 10;
  int n = 48;
  double a = LENGTH / (n - 0.5), width = sqrt(0.75) * a;
  kit_init(&k, &env, 3);
  kit_grid(&k, n, 1, n * a, width, PL_EQUILATERAL, par);
  for (int i = 0; i < k.d.nnode; i++) kit_drive(&k, 1, &i)->mask = k.X[3 * i] < 1.01 * a ? 7 : 2;
  const pl_set *end = pl_mesh_find_set(k.mesh, "right");
  double P = top * euler(0, 8.0 / 9 * YOUNG * pow(thick, 3) / 12 * width);
  kit_push(&k, end->n, end->index, (double[]){-P / end->n, 0, 0});
  kit_build(&k, 1, &b);
  check_critical(&b, top, 2, 1e-3);
  kit_model_free(&b);
  kit_free(&k);
}

// Poisson's ratio 0 and no motion along y: a plane column. Elements of length l that cannot bend
// stiffen by (l/H)^2/2 = 0.35 %; shear and compression change P by about P/(EA) (1 + E/(5/6 G)) =
// pi^2/48 (H/L)^2 3.4 = 0.17 % at L = 20 H.
static void hex_column(void **state) {
  (void)state;
  static model_kit k;
  kit_model b;
  const double thick = LENGTH / 20, top = 1.3;
  const double par[3] = {YOUNG, 0, 1000}, l[3] = {LENGTH, thick, thick};
  kit_init(&k, &env, 3);
  kit_box(&k, "hex8", (int[]){240, 1, 1}, l, par);
  kit_hold(&k, "left", 5);
  kit_hold_all(&k, 2);
  const pl_set *end = pl_mesh_find_set(k.mesh, "right");
  double P = top * euler(0, YOUNG * pow(thick, 4) / 12);
  kit_push(&k, end->n, end->index, (double[]){-P / end->n, 0, 0});
  kit_build(&k, 1, &b);
  check_critical(&b, top, 1, 0.01);
  kit_model_free(&b);
  kit_free(&k);
}

int test_buckling(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shell_column),
      cmocka_unit_test(hex_column),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("buckling", tests, NULL, NULL);
}
