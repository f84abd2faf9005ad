// Networks of rods against frames of straight beams, by the slope-deflection method: stiffness of a
// beam between its ends (Przemieniecki, Theory of Matrix Structural Analysis, sec. 5.6, without
// shear), assembled over the junctions. Loads are small enough for linear theory.
#include "golden.h"
#include "rod_models.h"

#include <string.h>

enum { JOINTS = 8, BEAMS = 16 };

static pl_env env;

static const double STRIP[7] = {2e9, 0.3, 1200, 4e-3, 2.5e-3, 0, 1};

// joints, beams between them (each from its first to its second joint), who is fixed, forces
typedef struct plan {
  int njoint, nbeam;
  double X[JOINTS][3], force[JOINTS][3];
  int beam[BEAMS][2], fixed[JOINTS];
} plan;

// ---- frame -------------------------------------------------------------------------------------

// torsion of a rectangle to 4e-5 of itself: Roark's formula for the sides' ratio
static void stiffnesses(double *EA, double *EI1, double *EI2, double *GJ) {
  double E = STRIP[0], w = STRIP[3], h = STRIP[4], r = h / w;
  *EA = E * w * h;
  *EI1 = E * h * w * w * w / 12;
  *EI2 = E * w * h * h * h / 12;
  double sum = 0;
  for (int n = 1; n < 200; n += 2) sum += tanh(n * PL_PI / (2 * r)) / pow(n, 5);
  *GJ = E / (2 * (1 + STRIP[1])) * w * h * h * h * (1.0 / 3 - 64 / pow(PL_PI, 5) * r * sum);
}

// end forces of a beam in its own axes t, d1, d2, by displacements and turns of its ends [2][6]
static void beam_stiffness(double L, double K[12][12]) {
  double EA, EI[2], GJ;
  stiffnesses(&EA, &EI[0], &EI[1], &GJ);
  memset(K, 0, 144 * sizeof(double));
  for (int s = 0; s < 2; s++)
    for (int r = 0; r < 2; r++) {
      K[6 * s][6 * r] = (s == r ? 1 : -1) * EA / L;
      K[6 * s + 3][6 * r + 3] = (s == r ? 1 : -1) * GJ / L;
    }
  for (int k = 0; k < 2; k++) {
    // deflection along d1 turns about d2, along d2 about -d1
    int v[4] = {1 + k, 5 - k, 7 + k, 11 - k};
    double sign = k ? -1 : 1, c = EI[k] / (L * L * L);
    double B[4][4] = {{12, 6 * L, -12, 6 * L},
                      {6 * L, 4 * L * L, -6 * L, 2 * L * L},
                      {-12, -6 * L, 12, -6 * L},
                      {6 * L, 2 * L * L, -6 * L, 4 * L * L}};
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++)
        K[v[i]][v[j]] = c * B[i][j] * (i % 2 ? sign : 1) * (j % 2 ? sign : 1);
  }
}

static void add_beam(const plan *p, int b, double *A, int n) {
  double K[12][12], R[3][3], d[3];
  pl_sub3(p->X[p->beam[b][1]], p->X[p->beam[b][0]], d);
  double L = pl_norm3(d);
  for (int i = 0; i < 3; i++) R[0][i] = d[i] / L;
  pl_rod_director(R[0], R[1]);
  pl_cross3(R[0], R[1], R[2]);
  beam_stiffness(L, K);
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) {
      double sum = 0;
      for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++)
          sum += R[a][i % 3] * K[i / 3 * 3 + a][j / 3 * 3 + c] * R[c][j % 3];
      A[(6 * p->beam[b][i / 6] + i % 6) * n + 6 * p->beam[b][j / 6] + j % 6] += sum;
    }
}

// displacements of the joints u[njoint][6]; elimination without pivots, as A is positive definite
static void solve_frame(const plan *p, double *u) {
  static double A[36 * JOINTS * JOINTS];
  int n = 6 * p->njoint;
  memset(A, 0, sizeof A);
  for (int b = 0; b < p->nbeam; b++) add_beam(p, b, A, n);
  for (int i = 0; i < n; i++) {
    u[i] = i % 6 < 3 && !p->fixed[i / 6] ? p->force[i / 6][i % 6] : 0;
    for (int j = 0; j < n && p->fixed[i / 6]; j++) A[i * n + j] = A[j * n + i] = i == j;
  }
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double f = A[i * n + k] / A[k * n + k];
      for (int j = k; f != 0 && j < n; j++) A[i * n + j] -= f * A[k * n + j];
      u[i] -= f * u[k];
    }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) u[k] -= A[k * n + j] * u[j];
    u[k] /= A[k * n + k];
  }
}

// ---- rods --------------------------------------------------------------------------------------

static void add_rod(rod_kit *k, const plan *p, int b, int n) {
  int a = p->beam[b][0], e = p->beam[b][1], node[129];
  node[0] = a;
  node[n] = e;
  for (int i = 1; i < n; i++) {
    double s = (double)i / n, x[3];
    for (int c = 0; c < 3; c++) x[c] = (1 - s) * p->X[a][c] + s * p->X[e][c];
    node[i] = rods_node(k, x[0], x[1], x[2]);
  }
  rods_chain(k, n + 1, node, NULL);
}

// largest difference of a joint's displacement from the frame's, over the largest displacement
static double network_error(const plan *p, int n) {
  rod_kit k;
  kit_model b;
  double u[6 * JOINTS], most = 0, err = 0;
  solve_frame(p, u);
  rods_init(&k, &env, STRIP);
  for (int i = 0; i < p->njoint; i++) rods_node(&k, p->X[i][0], p->X[i][1], p->X[i][2]);
  for (int i = 0; i < p->nbeam; i++) add_rod(&k, p, i, n);
  for (int i = 0; i < p->njoint; i++) {
    if (p->fixed[i])
      rods_clamp(&k, i);
    else
      rods_junction(&k, i);
    rods_push(&k, i, p->force[i][0], p->force[i][1], p->force[i][2]);
  }
  rods_build(&k, 1, &b);
  pl_static_info info = golden_static(&b, 1e-9, 1);
  assert_int_equal(info.stable, 1);
  for (int i = 0; i < p->njoint; i++)
    for (int c = 0; c < 3; c++) {
      double d = b.s->q[3 * i + c] - p->X[i][c];
      most = fmax(most, fabs(u[6 * i + c]));
      err = fmax(err, fabs(d - u[6 * i + c]));
    }
  // linear theory: squares of the displacements over the size do not count
  check_less(most, 2e-6);
  kit_model_free(&b);
  rods_free(&k);
  return err / most;
}

// four arms of different lengths in a tilted plane, two of them drawn towards the centre
static plan cross_plan(void) {
  plan p = {.njoint = 5, .nbeam = 4};
  static const double arm[4][3] = {{0.3, 0, 0.1}, {0, 0.25, 0.05}, {-0.35, 0, 0.02}, {0, -0.4, 0}};
  for (int i = 0; i < 4; i++) {
    memcpy(p.X[1 + i], arm[i], sizeof arm[i]);
    p.beam[i][i % 2] = 0;
    p.beam[i][1 - i % 2] = 1 + i;
  }
  return p;
}

static void cross_loaded_at_its_centre(void **state) {
  (void)state;
  plan p = cross_plan();
  for (int i = 1; i < 5; i++) p.fixed[i] = 1;
  memcpy(p.force[0], (double[]){1e-4, -2e-5, 1e-4}, sizeof p.force[0]);
  // of order 2 with the factor of a cantilever, 1/(2 n^2), or less
  check_less(network_error(&p, 32), 1e-3);
}

static void cross_loaded_at_a_tip(void **state) {
  (void)state;
  double h[4], err[4];
  plan p = cross_plan();
  for (int i = 1; i < 4; i++) p.fixed[i] = 1;
  memcpy(p.force[4], (double[]){4e-7, 2e-7, -4e-7}, sizeof p.force[4]);
  for (int i = 0; i < 4; i++) {
    h[i] = 1.0 / (8 << i);
    err[i] = network_error(&p, 8 << i);
  }
  check_less(err[3], 5e-4);
  check_less(1.9, order_slope(4, h, err));
}

// six spokes and a rim of straight parts, held at the hub; pushed out of its plane and in it
static void wheel(void **state) {
  (void)state;
  plan p = {.njoint = 7, .nbeam = 12, .fixed = {1}};
  for (int i = 0; i < 6; i++) {
    double a = PL_PI / 3 * i;
    memcpy(p.X[1 + i], (double[]){0.3 * cos(a), 0.3 * sin(a), 0}, sizeof p.X[0]);
    p.beam[i][i % 2] = 1 + i;
    p.beam[6 + i][0] = 1 + i;
    p.beam[6 + i][1] = 1 + (i + 1) % 6;
  }
  memcpy(p.force[1], (double[]){0, 5e-6, 1.5e-6}, sizeof p.force[1]);
  memcpy(p.force[3], (double[]){5e-6, 0, -2.5e-6}, sizeof p.force[3]);
  check_less(network_error(&p, 32), 1e-3);
}

int test_rod_network(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cross_loaded_at_its_centre),
      cmocka_unit_test(cross_loaded_at_a_tip),
      cmocka_unit_test(wheel),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("rod_network", tests, NULL, NULL);
}
