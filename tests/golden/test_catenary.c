// A hanging chain of elastic links of rest length l and stiffness k with a mass m at each joint.
// Equilibrium of the joints: the horizontal pull H is the same in every link, the vertical one
// V_i = V_0 + i m g; link i spans (H, V_i) (l/T_i + 1/k), T_i = |(H, V_i)|. H and V_0 follow from
// the places of the two ends (Routh, Analytical Statics, vol. 1, ch. 10).
#include "golden.h"

static pl_env env;

enum { LINKS = 20, JOINTS = LINKS + 1 };
static const double LINK = 0.1, STIFF = 2e3, MASS = 0.2, GRAVITY = 9.81;

// joints of the chain with pull H and V_0 from (0, 0); J: derivative of the end by H and V_0
static void hang(double H, double V0, double x[JOINTS][2], double J[3]) {
  J[0] = J[1] = J[2] = 0;
  x[0][0] = x[0][1] = 0;
  for (int i = 0; i < LINKS; i++) {
    double V = V0 + i * MASS * GRAVITY, T = hypot(H, V), f = LINK / T + 1 / STIFF;
    double g = LINK / (T * T * T);
    x[i + 1][0] = x[i][0] + H * f;
    x[i + 1][1] = x[i][1] + V * f;
    J[0] += f - g * H * H;
    J[1] -= g * H * V;
    J[2] += f - g * V * V;
  }
}

// Newton's method for the two pulls
static void closed(const double *end, double x[JOINTS][2]) {
  double H = MASS * GRAVITY * LINKS / 2, V0 = -MASS * GRAVITY * LINKS / 2, J[3];
  for (int k = 0; k < 100; k++) {
    hang(H, V0, x, J);
    double r0 = end[0] - x[LINKS][0], r1 = end[1] - x[LINKS][1], det = J[0] * J[2] - J[1] * J[1];
    double dH = (J[2] * r0 - J[1] * r1) / det, dV = (J[0] * r1 - J[1] * r0) / det;
    double part = fmin(1, 0.5 * H / fmax(1e-300, fabs(dH)));
    H += part * dH;
    V0 += part * dV;
  }
  hang(H, V0, x, J);
  check_close(hypot(x[LINKS][0] - end[0], x[LINKS][1] - end[1]), 0, 1e-12);
}

// starts as an unstretched V, longer on one side, so that one end is higher
static void hanging_chain(void **state) {
  (void)state;
  static model_kit k;
  kit_model b;
  double X[JOINTS][2] = {{0}}, x[JOINTS][2];
  int link[LINKS][2], joint[LINKS - 1];
  const double par[2] = {STIFF, 0}, angle = 0.9;
  for (int i = 0; i < LINKS; i++) {
    link[i][0] = i;
    link[i][1] = i + 1;
    X[i + 1][0] = X[i][0] + LINK * cos(angle);
    X[i + 1][1] = X[i][1] + LINK * (i < 8 ? -1 : 1) * sin(angle);
    if (i > 0) joint[i - 1] = i;
  }
  kit_init(&k, &env, 2);
  k.d.nnode = JOINTS;
  k.d.X = X[0];
  k.d.gravity[1] = -GRAVITY;
  kit_group(&k, "links", "link", LINKS, link[0], 1, par);
  kit_group(&k, "masses", "point", LINKS - 1, joint, 1, &MASS);
  kit_drive(&k, 2, (int[]){0, LINKS});
  kit_build(&k, 1, &b);
  pl_static_info info = golden_static(&b, 1e-12, 1);
  assert_int_equal(info.stable, 1);
  closed(X[LINKS], x);
  // both are exact: Newton's tolerance alone
  check_array(2 * JOINTS, b.s->q, x[0], 1e-9 * LINKS * LINK);
  kit_model_free(&b);
  kit_free(&k);
}

int test_catenary(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(hanging_chain)};
  pl_env_init(&env);
  return cmocka_run_group_tests_name("catenary", tests, NULL, NULL);
}
