// Small deflection of a cantilever under a tip force: order of convergence in the mesh.
// Timoshenko & Goodier, Theory of Elasticity, art. 21, with Poisson's ratio 0: in plane stress,
// plane strain and space alike
//   sigma = -P (L - x) y/I,  tau = P/(2 I) (c^2 - y^2),
//   u = -P/(EI) (L x - x^2/2) y + g(y),  g = P/(EI) (c^2 y - y^3/3) - k y,
//   v = P/(EI) (L x^2/2 - x^3/6) + k x,  k = 4 P c^2/(5 E I) = P/(5/6 G A),
// so that the tip goes by Euler-Bernoulli's P L^3/(3 EI) plus Timoshenko's shear. The clamp holds
// v = 0 and the warping g; the tip carries tau. Linear elements: order 2.
#include "../golden/golden.h"

static pl_env env;

static const double YOUNG = 1e6, LENGTH = 2, HALF = 0.5, WIDTH = 0.25;

// P such that the tip goes 1e-5 of the length: leaves out 1e-10 of it, and forces stay far above
// the rounding of places
static double inertia(void) {
  return WIDTH * 2 * HALF * HALF * HALF / 3;
}
static double force(void) {
  return 1e-5 * 3 * YOUNG * inertia() / (LENGTH * LENGTH);
}
static double tip(void) {
  double P = force(), bend = P * pow(LENGTH, 3) / (3 * YOUNG * inertia());
  return bend + P * LENGTH / (5.0 / 6 * YOUNG / 2 * 2 * HALF * WIDTH);
}
static double warping(double y) {
  double f = force() / (YOUNG * inertia());
  return f * (HALF * HALF * y - y * y * y / 3 - 0.8 * HALF * HALF * y);
}

// integral over y of tau times the hat of height 1 at y; three Gauss points are exact
static double hat_shear(double y, double h) {
  double x[3], w[3], sum = 0;
  pl_gauss(3, x, w);
  for (int side = -1; side <= 1; side += 2)
    for (int g = 0; g < 3; g++) {
      double s = 0.5 * (1 + x[g]), at = y + side * s * h;
      if (fabs(y + side * h) > HALF * (1 + 1e-9)) continue;
      sum += 0.5 * w[g] * h * (1 - s) * force() / (2 * inertia()) * (HALF * HALF - at * at);
    }
  return sum;
}

// ny cells over the height, y up from the middle; the tip's tau by nodes
static void load_ends(model_kit *k, int ny, int nz) {
  int dim = k->d.dim, all = (1 << dim) - 1;
  for (int i = 0; i < k->d.nnode; i++) {
    const double *X = k->mesh->X + 3 * i;
    double y = X[1] - HALF, u[3] = {warping(y)}, f[3] = {0};
    if (X[0] == 0) kit_shift(k, 1, &i, all, u);
    if (X[0] != LENGTH) continue;
    f[1] = hat_shear(y, 2 * HALF / ny) * WIDTH;
    if (dim == 3) f[1] *= (X[2] == 0 || X[2] == WIDTH ? 0.5 : 1) / nz;
    kit_push(k, 1, &i, f);
  }
}

// error of the stiffness P/v, which is c h^2 from the first mesh on; that of v itself is
// c h^2/(1 + c h^2)
static double tip_error(const char *kind, int ny) {
  static model_kit k;
  kit_model b;
  const double par[4] = {YOUNG, 0, 1000, WIDTH}, l[3] = {LENGTH, 2 * HALF, WIDTH};
  int dim = kind[2] == 'i' ? 2 : 3, nz = kind[0] == 'h' || ny < 4 ? 1 : ny / 4;
  kit_init(&k, &env, dim);
  if (dim == 2)
    kit_grid(&k, 2 * ny, ny, LENGTH, 2 * HALF, PL_ALTERNATING, par);
  else
    kit_box(&k, kind, (int[]){2 * ny, ny, nz}, l, par);
  load_ends(&k, ny, nz);
  kit_build(&k, 1, &b);
  golden_static(&b, 1e-7, 1);
  int end = kit_node_at(&k, LENGTH, HALF, 0);
  double v = b.s->q[end * dim + 1] - HALF;
  kit_model_free(&b);
  kit_free(&k);
  return fabs(tip() / v - 1);
}

static void solids_converge(void **state) {
  (void)state;
  static const char *const kinds[] = {"tri2", "tet4", "tet4_nh", "hex8", "hex8_nh"};
  for (size_t j = 0; j < sizeof kinds / sizeof kinds[0]; j++) {
    double h[4], err[4];
    for (int i = 0; i < 4; i++) {
      int ny = 2 << i;
      h[i] = 1.0 / ny;
      err[i] = tip_error(kinds[j], ny);
    }
    check_less(1.9, order_slope(4, h, err));
    check_less(err[3], 0.02);
  }
}

// ---- shell ------------------------------------------------------------------------------------

// A strip of one row of equilateral triangles, n sides long, whose width goes with the mesh. The
// first full triangle is clamped: its hinge stands for a quarter of a side on both sides of its
// middle, so the clamp is half a side from the start and the length counts from there.
static double strip_error(int n) {
  static model_kit k;
  kit_model b;
  const double thick = 0.01 * LENGTH, par[4] = {YOUNG, 0, 1000, thick};
  double a = LENGTH / (n - 0.5), width = sqrt(0.75) * a;
  kit_init(&k, &env, 3);
  kit_grid(&k, n, 1, n * a, width, PL_EQUILATERAL, par);
  const int clamp[4] = {kit_node_at(&k, 0, 0, 0), kit_node_at(&k, 0, width, 0),
                        kit_node_at(&k, a / 2, width, 0), kit_node_at(&k, a, 0, 0)};
  kit_drive(&k, 4, clamp);
  // the tip goes 1e-4 of the length, which leaves out 1e-8 of it
  double EI = 8.0 / 9 * YOUNG * width * pow(thick, 3) / 12, P = 1e-4 * 3 * EI / (LENGTH * LENGTH);
  const pl_set *end = pl_mesh_find_set(k.mesh, "right");
  const double f[3] = {0, 0, P / 2};
  assert_int_equal(end->n, 2);
  kit_push(&k, 2, end->index, f);
  kit_build(&k, 1, &b);
  golden_static(&b, 1e-6, 1);
  double w = 0.5 * (b.s->q[3 * end->index[0] + 2] + b.s->q[3 * end->index[1] + 2]);
  kit_model_free(&b);
  kit_free(&k);
  return fabs(1e-4 * LENGTH / w - 1);
}

// Hinges on equilateral triangles are a plate of Poisson's ratio -1/3 (docs/theory/hinge.md), so a
// strip with free edges has EI = D (1 - 1/9) b. A row of triangles is statically determinate: the
// deflection is the midpoint rule for the integral of M (L - x)/EI, hence order 2.
static void shell_converges(void **state) {
  (void)state;
  double h[4], err[4];
  for (int i = 0; i < 4; i++) {
    h[i] = 1 / ((8 << i) - 0.5);
    err[i] = strip_error(8 << i);
  }
  check_less(1.9, order_slope(4, h, err));
  check_less(err[3], 1e-3);
}

int test_cantilever(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solids_converge),
      cmocka_unit_test(shell_converges),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("cantilever", tests, NULL, NULL);
}
