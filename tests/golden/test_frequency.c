// Natural frequencies against closed forms.
// Cantilever strip (Euler-Bernoulli; Timoshenko, Young & Weaver, Vibration Problems in Engineering,
// art. 5.11): omega = (beta L)^2 sqrt(EI/(rho A L^4)), cos(beta L) cosh(beta L) = -1.
// Simply supported triangular plate, side s: omega = 16 pi^2/(3 s^2) sqrt(D/(rho h)): the square of
// the membrane's (Conway 1960), whose first eigenvalue is Lame's.
#include "golden.h"

static pl_env env;

static const double YOUNG = 2e9, RHO = 1200, LENGTH = 0.5;

static double clamped_free(double x, const void *ctx) {
  (void)ctx;
  return cos(x) + 1 / cosh(x);
}

// root number k = 0, 1, 2 of cos cosh = -1
static double beta_length(int k) {
  return golden_root(clamped_free, NULL, PL_PI * (k + 0.1), PL_PI * (k + 0.9));
}

static void roots_are_those_of_tables(void **state) {
  (void)state;
  const double want[3] = {1.8751, 4.6941, 7.8548};
  for (int k = 0; k < 3; k++) check_close(beta_length(k), want[k], 5e-5);
}

// omega of the lowest modes whose tip nodes a and b move alike across the strip; others twist
static int bending_modes(const kit_model *b, int count, int tip1, int tip2, double *omega) {
  enum { MOST = 12 };
  static double all[MOST];
  pl_modes_opts o = {.count = MOST};
  pl_modes_info info;
  int nq = b->s->nq, found = 0;
  double *shape = pl_alloc(&env, (size_t)(MOST * nq), sizeof *shape);
  check_ok(&env, pl_modes(&o, b->m, b->p, b->s, b->w, all, shape, &info));
  assert_int_equal(info.nrigid + info.nunstable, 0);
  for (int k = 0; k < info.nfound && found < count; k++) {
    const double *x = shape + (size_t)k * nq;
    double u = x[3 * tip1 + 2], v = x[3 * tip2 + 2];
    if (fabs(u + v) > fabs(u - v)) omega[found++] = all[k];
  }
  pl_free(&env, shape);
  return found;
}

static void check_modes(const kit_model *b, int tip1, int tip2, double EI, double line_mass,
                        double tol) {
  double omega[3];
  assert_int_equal(bending_modes(b, 3, tip1, tip2, omega), 3);
  for (int k = 0; k < 3; k++) {
    double root = beta_length(k), want = root * root * sqrt(EI / (line_mass * pow(LENGTH, 4)));
    check_rel(omega[k], want, tol);
  }
}

// n sides long; the clamp is half a side from the start (see order/test_cantilever.c)
static void equilateral_strip(int n, int rows, double tol) {
  static model_kit k;
  kit_model b;
  const double thick = 5e-4, par[4] = {YOUNG, 0, RHO, thick};
  double a = LENGTH / (n - 0.5), width = rows * sqrt(0.75) * a;
  kit_init(&k, &env, 3);
  kit_grid(&k, n, rows, n * a, width, PL_EQUILATERAL, par);
  for (int i = 0; i < k.d.nnode; i++) kit_drive(&k, 1, &i)->mask = k.X[3 * i] < 1.01 * a ? 7 : 2;
  kit_build(&k, 1, &b);
  double EI = 8.0 / 9 * YOUNG * pow(thick, 3) / 12 * width;
  check_modes(&b, kit_node_at(&k, n * a, 0, 0), kit_node_at(&k, n * a, width, 0), EI,
              RHO * thick * width, tol);
  kit_model_free(&b);
  kit_free(&k);
}

// Hinges on equilateral triangles are a plate of Poisson's ratio -1/3 (docs/theory/hinge.md), so a
// strip with free edges has EI = 8/9 D b.
static void shell_strip(void **state) {
  (void)state;
  // one row: the mesh's second-order error alone, (k a)^2/24 in the third mode
  equilateral_strip(48, 1, 1e-3);
  // several rows: the clamp also keeps the strip from curving across for about its width, L/46
  // here, which stiffens it by up to 9/8 there
  equilateral_strip(160, 4, 0.01);
}

// Poisson's ratio 0 and no motion along y: a plane beam. Errors of theory and mesh: shear and
// rotary inertia lower the third frequency by (beta L)^2 H^2/(24 L^2) (1 + E/(5/6 G)) = 0.24 % at
// L = 60 H; elements of length l that cannot bend stiffen by (l/H)^2/2, frequencies by half of
// that, 0.39 % at l = H/8.
static void hex_strip(void **state) {
  (void)state;
  static model_kit k;
  kit_model b;
  double thick = LENGTH / 60, width = 2 * thick;
  const double par[3] = {YOUNG, 0, RHO}, l[3] = {LENGTH, width, thick};
  kit_init(&k, &env, 3);
  kit_box(&k, "hex8", (int[]){480, 1, 1}, l, par);
  kit_hold(&k, "left", 5);
  kit_hold_all(&k, 2);
  kit_build(&k, 1, &b);
  check_modes(&b, kit_node_at(&k, LENGTH, 0, 0), kit_node_at(&k, LENGTH, width, 0),
              YOUNG * width * pow(thick, 3) / 12, RHO * width * thick, 0.01);
  kit_model_free(&b);
  kit_free(&k);
}

// one triangle, halved five times; boundary nodes held, the others move across the plate only
static void triangular_plate(void **state) {
  (void)state;
  static model_kit k;
  kit_model b;
  const double thick = 1e-3, par[4] = {YOUNG, 0.3, RHO, thick};
  double side = 2 * LENGTH, want, omega, rows = 32;
  kit_init(&k, &env, 3);
  kit_triangle(&k, 5, side, par);
  for (int i = 0; i < k.d.nnode; i++) {
    // barycentric coordinates in units of the mesh
    double y = k.X[3 * i + 1] / (sqrt(0.75) * side) * rows, x = k.X[3 * i] / side * rows - y / 2;
    kit_drive(&k, 1, &i)->mask = fmin(fmin(x, y), rows - x - y) < 0.5 ? 7 : 3;
  }
  kit_build(&k, 1, &b);
  pl_modes_opts o = {.count = 1};
  double *shape = kit_keep(&k, b.s->nq, sizeof *shape);
  check_ok(&env, pl_modes(&o, b.m, b.p, b.s, b.w, &omega, shape, NULL));
  want = 16 * PL_PI * PL_PI / (3 * side * side) *
         sqrt(YOUNG * thick * thick / (12 * (1 - 0.09) * RHO));
  // the lattice of hinges makes k^4 (1 - (k a)^2/8), the consistent mass 1 - (k a)^2/8: what is
  // left is of fourth order, some 1e-6 with (k a)^2 = 0.05
  check_rel(omega, want, 1e-5);
  kit_model_free(&b);
  kit_free(&k);
}

int test_frequency(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(roots_are_those_of_tables),
      cmocka_unit_test(shell_strip),
      cmocka_unit_test(hex_strip),
      cmocka_unit_test(triangular_plate),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("frequency", tests, NULL, NULL);
}
