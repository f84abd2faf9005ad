// Solids of second order, with one pressure, and with enhanced strains: uniform states, patches,
// what moves without energy, masses.
#include "check.h"

#include "pliant/element.h"
#include "pliant/math.h"

#include <string.h>

enum { N = PL_NDOF_MAX };

// each kind beside one of the same law that closed forms are checked for
static const char *const pairs[][2] = {
    {"tet10", "tet4"},          {"tet10_mean", "tet4"},  {"hex8_eas", "hex8"},
    {"hex20", "hex8"},          {"tet10_nh", "tet4_nh"}, {"tet10_mean_nh", "tet4_nh"},
    {"hex8_eas_nh", "hex8_nh"}, {"hex20_nh", "hex8_nh"},
};
enum { NPAIR = (int)(sizeof pairs / sizeof pairs[0]) };

static const int edge[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
static const int tet_edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

// corners of a unit cell moved at random by up to jitter, vertices on edges in their middle
static void make_shape(int nvert, unsigned seed, double jitter, double *X) {
  static const double cube[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0,
                                  0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
  static const double tet[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  int hex = nvert == 8 || nvert == 20, nc = hex ? 8 : 4;
  pl_rng r;
  pl_rng_seed(&r, seed);
  for (int k = 0; k < 3 * nc; k++)
    X[k] = (hex ? cube : tet)[k] + pl_rng_uniform(&r, -jitter, jitter);
  for (int e = 0; nc + e < nvert; e++)
    for (int d = 0; d < 3; d++) {
      const int *ends = hex ? edge[e] : tet_edge[e];
      X[3 * (nc + e) + d] = 0.5 * (X[3 * ends[0] + d] + X[3 * ends[1] + d]);
    }
}

// energy density and P = sum_a grad_a X_a'/V under a uniform F; V by a stretch in all directions
static void uniform(const pl_elem_kind *kind, const double *X, const double *par, const double *F,
                    double *psi, double *P) {
  double q[N], g[N], rest[PL_NREST_MAX], M[N * N], V = 0;
  assert_int_equal(kind->d.prepare(X, rest), 0);
  assert_int_equal(kind->d.mass(par, rest, 0, M), 0);
  for (int a = 0; a < kind->nvert; a++)
    for (int b = 0; b < kind->nvert; b++) V += M[3 * a * kind->ndof + 3 * b] / par[2];
  for (int a = 0; a < kind->nvert; a++)
    for (int i = 0; i < 3; i++) q[3 * a + i] = pl_dot3(F + 3 * i, X + 3 * a) + 0.1 * i;
  assert_int_equal(kind->d.eval(q, par, rest, psi, g, NULL), 0);
  *psi /= V;
  memset(P, 0, 9 * sizeof *P);
  for (int a = 0; a < kind->nvert; a++)
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) P[3 * i + k] += g[3 * a + i] * X[3 * a + k] / V;
}

static void uniform_states(void **state) {
  (void)state;
  static const double nu[] = {0.3, 0.49, 0.4999, -0.4};
  for (int k = 0; k < NPAIR; k++)
    for (int n = 0; n < 4; n++)
      for (unsigned seed = 1; seed <= 5; seed++) {
        const pl_elem_kind *kind = pl_elem_find(pairs[k][0]), *plain = pl_elem_find(pairs[k][1]);
        double par[3] = {7, nu[n], 1.3}, F[9], X[N], psi[2], P[2][9];
        pl_rng r;
        pl_rng_seed(&r, seed + 17);
        for (int i = 0; i < 9; i++) F[i] = (i % 4 == 0) + pl_rng_uniform(&r, -0.15, 0.15);
        // what is nearly incompressible keeps its volume
        double size = nu[n] > 0.4 ? cbrt(pl_det3(F)) : 1;
        for (int i = 0; i < 9; i++) F[i] /= size;
        make_shape(kind->nvert, seed, 0.12, X);
        uniform(kind, X, par, F, &psi[0], P[0]);
        make_shape(plain->nvert, seed, plain->nvert == 8 ? 0 : 0.1, X);
        uniform(plain, X, par, F, &psi[1], P[1]);
        double bulk = par[0] / (1 - 2 * nu[n]);
        check_close(psi[0], psi[1], 1e-13 * bulk);
        check_array(9, P[0], P[1], 1e-12 * bulk);
      }
}

// six rigid motions and no other move a cell of any shape without energy
static void zero_energies(void **state) {
  (void)state;
  for (int k = 0; k < NPAIR; k++)
    for (unsigned seed = 1; seed <= 6; seed++) {
      const pl_elem_kind *kind = pl_elem_find(pairs[k][0]);
      int n = kind->ndof, zero = 0;
      double par[3] = {1, seed % 2 ? 0.3 : 0.4999, 1}, X[N], rest[PL_NREST_MAX];
      static double H[N * N], V[N * N];
      double lambda[N];
      make_shape(kind->nvert, seed, 0.02 * (seed - 1), X);
      assert_int_equal(kind->d.prepare(X, rest), 0);
      assert_int_equal(kind->d.eval(X, par, rest, NULL, NULL, H), 0);
      pl_eig(n, H, lambda, V);
      for (int i = 0; i < n; i++) {
        zero += fabs(lambda[i]) < 1e-10 * lambda[n - 1];
        assert_true(lambda[i] > -1e-10 * lambda[n - 1]);
      }
      assert_int_equal(zero, 6);
      assert_true(lambda[6] > 1e-3); // of the shear modulus, not of the bulk modulus
    }
}

// a state between two: also far from rest no motion but the rigid ones is soft
static void sound_under_stretch(void **state) {
  (void)state;
  for (int k = 0; k < NPAIR; k++) {
    const pl_elem_kind *kind = pl_elem_find(pairs[k][0]);
    int n = kind->ndof, low = 0;
    double par[3] = {1, 0.45, 1}, X[N], q[N], rest[PL_NREST_MAX], lambda[N];
    static double H[N * N], V[N * N];
    make_shape(kind->nvert, 3, 0.05, X);
    for (int a = 0; a < kind->nvert; a++)
      for (int i = 0; i < 3; i++) q[3 * a + i] = X[3 * a + i] * (i == 0 ? 1.3 : 0.9);
    assert_int_equal(kind->d.prepare(X, rest), 0);
    assert_int_equal(kind->d.eval(q, par, rest, NULL, NULL, H), 0);
    pl_eig(n, H, lambda, V);
    // turns feel the stress
    for (int i = 0; i < n; i++) low += lambda[i] < 1e-3;
    assert_true(low <= 6);
  }
}

// rho V/420 times 6 1, -4 -6 and 32 16 8 (Zienkiewicz and Taylor)
static void mass_of_tetrahedron(void **state) {
  (void)state;
  const pl_elem_kind *kind = pl_elem_find("tet10");
  double X[N], rest[PL_NREST_MAX], par[3] = {1, 0.3, 2.5}, D[9];
  static double M[N * N];
  make_shape(10, 4, 0.1, X);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) D[3 * i + k] = X[3 * (k + 1) + i] - X[i];
  double m = 2.5 * pl_det3(D) / 6;
  assert_int_equal(kind->d.prepare(X, rest), 0);
  assert_int_equal(kind->d.mass(par, rest, 0, M), 0);
  for (int a = 0; a < 10; a++)
    for (int b = 0; b < 10; b++) {
      int shared = 0;
      for (int i = 0; a >= 4 && b >= 4 && i < 4; i++)
        shared += tet_edge[a - 4][i / 2] == tet_edge[b - 4][i % 2];
      int corner = a < 4 ? a : b, mid = a < 4 ? b - 4 : a - 4;
      double want = a == b ? a < 4 ? 6 : 32 : 0;
      if (a != b && a < 4 && b < 4) want = 1;
      if (a != b && a >= 4 && b >= 4) want = shared ? 16 : 8;
      if ((a < 4) != (b < 4))
        want = tet_edge[mid][0] == corner || tet_edge[mid][1] == corner ? -4 : -6;
      for (int i = 0; i < 3; i++)
        check_close(M[(3 * a + i) * 30 + 3 * b + i], want * m / 420, 1e-14 * m);
    }
}

// of curved cells too lumped masses are positive and add up
static void masses(void **state) {
  (void)state;
  static const char *const names[] = {"tet10", "hex20"};
  for (int k = 0; k < 2; k++) {
    const pl_elem_kind *kind = pl_elem_find(names[k]);
    double X[N], q[N], v[N], par[3], rest[PL_NREST_MAX], sum[2] = {0, 0};
    static double M[N * N];
    for (unsigned seed = 1; seed <= 5; seed++) {
      kind->sample(seed, X, q, v, par);
      assert_int_equal(kind->d.prepare(X, rest), 0);
      for (int lumped = 0; lumped < 2; lumped++) {
        sum[lumped] = 0;
        assert_int_equal(kind->d.mass(par, rest, lumped, M), 0);
        for (int a = 0; a < kind->nvert; a++)
          for (int b = 0; b < kind->nvert; b++) {
            sum[lumped] += M[3 * a * kind->ndof + 3 * b];
            if (lumped && a == b) assert_true(M[3 * a * kind->ndof + 3 * b] > 0);
            if (lumped && a != b) check_close(M[3 * a * kind->ndof + 3 * b], 0, 0);
          }
      }
      check_rel(sum[1], sum[0], 1e-13);
    }
  }
}

// an edge of a tetrahedron that is curved out by h takes in a volume of closed form
static void curved_volume(void **state) {
  (void)state;
  const pl_elem_kind *kind = pl_elem_find("tet10");
  double X[N], rest[PL_NREST_MAX], par[3] = {1, 0.3, 1}, V[3];
  static double M[N * N];
  make_shape(10, 1, 0, X);
  // the edge from 0 to 1 along x bulges down: each of the two faces at it bounds a body of volume
  // 4 h int l0 l1 dA over the face, seen along z and y
  for (int k = 0; k < 3; k++) {
    X[3 * 4 + 2] = k == 1 ? -0.03 : 0;
    X[3 * 4 + 1] = k == 2 ? -0.03 : 0;
    assert_int_equal(kind->d.prepare(X, rest), 0);
    assert_int_equal(kind->d.mass(par, rest, 0, M), 0);
    V[k] = 0;
    for (int a = 0; a < 10; a++)
      for (int b = 0; b < 10; b++) V[k] += M[3 * a * 30 + 3 * b];
  }
  // int l0 l1 over a triangle of area 1/2 is 1/24
  check_rel(V[0], 1.0 / 6, 1e-13);
  check_rel(V[1] - V[0], 4 * 0.03 / 24, 1e-11);
  check_rel(V[2] - V[0], 4 * 0.03 / 24, 1e-11);
}

int test_second(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(uniform_states),
                                     cmocka_unit_test(zero_energies),
                                     cmocka_unit_test(sound_under_stretch),
                                     cmocka_unit_test(mass_of_tetrahedron),
                                     cmocka_unit_test(masses),
                                     cmocka_unit_test(curved_volume)};
  return cmocka_run_group_tests_name("element.second", tests, NULL, NULL);
}
