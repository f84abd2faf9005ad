// Simply supported plate in the shape of an equilateral triangle, side s, under uniform pressure q:
// Timoshenko & Woinowsky-Krieger, Theory of Plates and Shells, art. 71: with the origin in the
// centroid, x along the height a,
//   w = q/(64 a D) (x^3 - 3 x y^2 - a (x^2 + y^2) + 4 a^3/27) (4 a^2/9 - x^2 - y^2),
// whatever Poisson's ratio, so that the hinges' -1/3 does not matter.
#include "../golden/golden.h"

static pl_env env;

static const double YOUNG = 1e7, THICK = 1e-3, HEIGHT = 1;

// coordinates of the closed form: origin in the centroid, x towards the corner at the top
static void place(const double *X, double *x, double *y) {
  *x = X[1] - HEIGHT / 3;
  *y = X[0] - HEIGHT / sqrt(3);
}

// product of the distances to the three sides, but for a factor
static double sides(const double *X) {
  double x, y, a = HEIGHT;
  place(X, &x, &y);
  return x * x * x - 3 * x * y * y - a * (x * x + y * y) + 4 * a * a * a / 27;
}

static double exact(const double *X, double q, double D) {
  double x, y, a = HEIGHT;
  place(X, &x, &y);
  return q / (64 * a * D) * sides(X) * (4 * a * a / 9 - x * x - y * y);
}

// all nodes move across the plate only; those on the boundary, where the first factor of the closed
// form is zero, not at all
static void support(model_kit *k) {
  for (int i = 0; i < k->d.nnode; i++)
    kit_drive(k, 1, &i)->mask = fabs(sides(k->X + 3 * i)) < 1e-12 ? 7 : 3;
}

// a third of each triangle's share to its corners
static void press(model_kit *k, double q) {
  const pl_cells *tri = &k->mesh->cell[PL_TRI3];
  double *f = kit_keep(k, k->d.nnode, sizeof *f);
  double share = q * HEIGHT * HEIGHT / sqrt(3) / tri->n / 3;
  for (int i = 0; i < 3 * tri->n; i++) f[tri->v[i]] += share;
  for (int i = 0; i < k->d.nnode; i++) kit_push(k, 1, &i, (double[]){0, 0, f[i]});
}

// largest error over the nodes, of the largest deflection
static double plate_error(int level) {
  static model_kit k;
  kit_model b;
  // a deflection of 1e-4 of the thickness leaves out 1e-8 of it
  double D = YOUNG * pow(THICK, 3) / (12 * (1 - 0.09)), most = 1e-4 * THICK, worst = 0;
  double q = most * 972 * D / pow(HEIGHT, 4);
  kit_init(&k, &env, 3);
  kit_triangle(&k, level, HEIGHT / sqrt(0.75), (double[]){YOUNG, 0.3, 1000, THICK});
  support(&k);
  press(&k, q);
  kit_build(&k, 1, &b);
  golden_static(&b, 1e-8, 1);
  for (int i = 0; i < k.d.nnode; i++)
    worst = fmax(worst, fabs(b.s->q[3 * i + 2] - exact(k.X + 3 * i, q, D)));
  kit_model_free(&b);
  kit_free(&k);
  return worst / most;
}

static void pressed_plate(void **state) {
  (void)state;
  double h[4], err[4];
  for (int i = 0; i < 4; i++) {
    h[i] = 1.0 / (8 << i);
    err[i] = plate_error(3 + i);
  }
  check_less(1.9, order_slope(4, h, err));
}

int test_plate(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pressed_plate)};
  pl_env_init(&env);
  return cmocka_run_group_tests_name("plate", tests, NULL, NULL);
}
