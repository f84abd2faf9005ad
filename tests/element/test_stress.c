// Stress, curvature and section forces of elements against their energies and forces.
#include "check.h"

#include "element_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

enum { N = PL_NDOF_MAX };

#define TET_FAR  0.58541019662496845446
#define TET_NEAR 0.13819660112501051518

// the quadrature of a solid kind: natural coordinates and weights there
static int points(const pl_elem_kind *k, double (*at)[3], double *w) {
  if (k->nvert == 4) {
    for (int i = 0; i < 3; i++) at[0][i] = 0.25;
    w[0] = 1. / 6;
    return 1;
  }
  if (k->nvert == 10) {
    for (int g = 0; g < 4; g++) {
      for (int i = 0; i < 3; i++) at[g][i] = g == i + 1 ? TET_FAR : TET_NEAR;
      w[g] = 1. / 24;
    }
    return 4;
  }
  int m = k->nvert == 8 ? 2 : 3, n = m * m * m;
  static const double x[2][3] = {{-0.57735026918962576451, 0.57735026918962576451},
                                 {-0.77459666924148337704, 0, 0.77459666924148337704}};
  static const double v[2][3] = {{1, 1}, {5. / 9, 8. / 9, 5. / 9}};
  for (int g = 0; g < n; g++) {
    w[g] = 1;
    for (int i = 0, left = g; i < 3; i++, left /= m) {
      at[g][i] = x[m - 2][left % m];
      w[g] *= v[m - 2][left % m];
    }
  }
  return n;
}

// slopes of the shape functions, by differences of the places that a kind gives its vertices: the
// element's own map is what det F is taken from
static void slopes(int nv, const double *at, double *dN) {
  if (nv == 4 || nv == 10) {
    double l[4] = {1 - at[0] - at[1] - at[2], at[0], at[1], at[2]};
    static const int e[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    for (int a = 0; a < nv; a++)
      for (int k = 0; k < 3; k++) {
        double d[4] = {0};
        if (a < 4) {
          d[a] = nv == 4 ? 1 : 4 * l[a] - 1;
        } else {
          d[e[a - 4][0]] = 4 * l[e[a - 4][1]];
          d[e[a - 4][1]] = 4 * l[e[a - 4][0]];
        }
        dN[3 * a + k] = d[k + 1] - d[0];
      }
    return;
  }
  static const int s[20][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1},
                               {1, -1, 1},   {1, 1, 1},   {-1, 1, 1}, {0, -1, -1}, {1, 0, -1},
                               {0, 1, -1},   {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},   {0, 1, 1},
                               {-1, 0, 1},   {-1, -1, 0}, {1, -1, 0}, {1, 1, 0},   {-1, 1, 0}};
  const double h = 1e-6;
  for (int a = 0; a < nv; a++)
    for (int k = 0; k < 3; k++) {
      double v[2];
      for (int side = 0; side < 2; side++) {
        double x[3] = {at[0], at[1], at[2]}, f = 1, sum = -2;
        x[k] += side ? h : -h;
        for (int i = 0; i < 3; i++) {
          f *= s[a][i] ? 0.5 * (1 + s[a][i] * x[i]) : 1 - x[i] * x[i];
          sum += s[a][i] * x[i];
        }
        v[side] = nv == 20 && a < 8 ? f * sum : f;
      }
      dN[3 * a + k] = (v[1] - v[0]) / (2 * h);
    }
}

static const char *const solid[] = {"tet4",       "tet4_nh",       "tet10", "tet10_nh",
                                    "tet10_mean", "tet10_mean_nh", "hex8",  "hex8_nh",
                                    "hex8_eas",   "hex8_eas_nh",   "hex20", "hex20_nh"};

// Clausius: int sigma dv = sum_a f_a x_a', and int psi dV is the energy
static void solids_hold_their_forces(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof solid / sizeof *solid; k++)
    for (unsigned seed = 1; seed <= 5; seed++) {
      const pl_elem_kind *kind = pl_elem_find(solid[k]);
      double X[N], q[N], v[N], par[PL_NPAR_MAX], rest[PL_NREST_MAX], W, g[N], at[27][3], w[27];
      double sum[9] = {0}, want[9] = {0}, energy = 0;
      kind->sample(seed, X, q, v, par);
      assert_int_equal(kind->d.prepare(X, rest), 0);
      assert_int_equal(kind->d.eval(q, par, rest, &W, g, NULL), 0);
      int n = points(kind, at, w);
      for (int i = 0; i < n; i++) {
        double dN[60], F[9], det;
        pl_stress s;
        slopes(kind->nvert, at[i], dN);
        assert_int_equal(pl_solid_gradient(kind->nvert, dN, q, X, F, &det), 0);
        assert_int_equal(kind->stress(q, X, par, rest, 1, at[i], NULL, &s), 0);
        double dv = w[i] * det * pl_det3(F);
        static const int to[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
        for (int c = 0; c < 9; c++) sum[c] += dv * s.stress[to[c]];
        energy += w[i] * det * s.energy;
      }
      for (int a = 0; a < kind->nvert; a++)
        for (int c = 0; c < 9; c++) want[c] += g[3 * a + c / 3] * q[3 * a + c % 3];
      check_array(9, sum, want, 1e-8 * (1 + pl_max_abs(9, want)));
      check_close(energy, W, 1e-8 * W);
    }
}

static void triangles_hold_their_forces(void **state) {
  (void)state;
  static const char *const kinds[] = {"tri2", "membrane"};
  for (int k = 0; k < 2; k++)
    for (unsigned seed = 1; seed <= 5; seed++) {
      const pl_elem_kind *kind = pl_elem_find(kinds[k]);
      double X[N], q[N], v[N], par[PL_NPAR_MAX], rest[PL_NREST_MAX], W, g[N], sum[9], want[9] = {0};
      const double at[3] = {1. / 3, 1. / 3, 0};
      pl_stress s;
      kind->sample(seed, X, q, v, par);
      assert_int_equal(kind->d.prepare(X, rest), 0);
      assert_int_equal(kind->d.eval(q, par, rest, &W, g, NULL), 0);
      assert_int_equal(kind->stress(q, X, par, rest, 1, at, NULL, &s), 0);
      check_close(rest[6] * par[3] * s.energy, W, 1e-12 * W);
      // area as it is now
      double e[2][3] = {{0}}, m[3];
      for (int i = 0; i < 2; i++)
        for (int c = 0; c < kind->vdim; c++) e[i][c] = q[kind->vdim * (i + 1) + c] - q[c];
      pl_cross3(e[0], e[1], m);
      static const int to[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
      for (int c = 0; c < 9; c++) sum[c] = 0.5 * pl_norm3(m) * par[3] * s.stress[to[c]];
      for (int a = 0; a < 3; a++)
        for (int i = 0; i < kind->vdim; i++)
          for (int j = 0; j < kind->vdim; j++)
            want[3 * i + j] += g[kind->vdim * a + i] * q[kind->vdim * a + j];
      check_array(9, sum, want, 1e-11 * (1 + pl_max_abs(9, want)));
      // S:E without the strain across the plane, which no stress works on
      double work = 0;
      for (int c = 0; c < 6; c++) work += (c < 3 ? 0.5 : 1) * s.second[c] * s.strain[c];
      check_close(work, s.energy, 1e-11 * s.energy);
    }
}

// a membrane with added strain has the energy of a plate: h^3/12 N(S) over the thickness
static void bending_adds_to_strain(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= 6; seed++) {
    const pl_elem_kind *bend = pl_elem_find("midedge"), *flat = pl_elem_find("membrane");
    double X[N], q[N], v[N], par[PL_NPAR_MAX], rest[PL_NREST_MAX], own[PL_NREST_MAX], W, S[6],
        more[2][6];
    const double at[3] = {1. / 3, 1. / 3, 0};
    bend->sample(seed, X, q, v, par);
    assert_int_equal(bend->d.prepare(X, rest), 0);
    assert_int_equal(bend->d.eval(q, par, rest, &W, NULL, NULL), 0);
    bend->curvature(q, X, par, rest, 0, at, S);
    // at rest in its plane, so that strain is bending alone: energies at +-h/sqrt(12)
    const double plane[4] = {par[0], par[1], 1, par[2]};
    assert_int_equal(flat->d.prepare(X, own), 0);
    double sum = 0;
    for (int side = 0; side < 2; side++) {
      pl_stress s;
      for (int c = 0; c < 6; c++) more[side][c] = (side ? -1 : 1) * par[2] / sqrt(12) * S[c];
      assert_int_equal(flat->stress(X, X, plane, own, 1, at, more[side], &s), 0);
      sum += 0.5 * s.energy;
    }
    check_close(par[3] * rest[6] * par[2] * sum, W, 1e-11 * W);
  }
}

// energy of a curved triangle by its stress at three points, and its own
static void stress_energy(const double *X, const double *q, const double *par, double *plain,
                          double *whole) {
  const pl_elem_kind *k = pl_elem_find("shell6");
  double rest[PL_NREST_MAX], W, sum = 0;
  assert_int_equal(k->d.prepare(X, rest), 0);
  assert_int_equal(k->d.eval(q, par, rest, &W, NULL, NULL), 0);
  for (int g = 0; g < 3; g++) {
    double at[3] = {g == 1 ? 2. / 3 : 1. / 6, g == 2 ? 2. / 3 : 1. / 6, 0}, S[6], more[6], T[2][3];
    // area of a natural unit, by dX/dl
    for (int d = 0; d < 2; d++)
      for (int i = 0; i < 3; i++) {
        double l[3] = {1 - at[0] - at[1], at[0], at[1]};
        int a = d + 1;
        T[d][i] = (4 * l[a] - 1) * X[3 * a + i] - (4 * l[0] - 1) * X[i];
        // nodes 3 4 5 lie opposite to 0 1 2
        for (int m = 0; m < 3; m++) {
          int p = (m + 1) % 3, r = (m + 2) % 3;
          double by[3] = {0};
          by[p] = 4 * l[r];
          by[r] = 4 * l[p];
          T[d][i] += (by[a] - by[0]) * X[3 * (3 + m) + i];
        }
      }
    double n[3];
    pl_cross3(T[0], T[1], n);
    k->curvature(q, X, par, rest, 0, at, S);
    // psi is quadratic over the thickness: two points of Gauss
    for (int side = -1; side <= 1; side += 2) {
      pl_stress s;
      for (int c = 0; c < 6; c++) more[c] = side * par[3] / sqrt(12) * S[c];
      assert_int_equal(k->stress(q, X, par, rest, 1, at, more, &s), 0);
      sum += pl_norm3(n) / 6 * par[3] / 2 * s.energy;
    }
  }
  *plain = sum;
  *whole = W;
}

// the energy of a curved triangle is that of its stress over the thickness, at its three points,
// and where its edges turn that of curvatures of second degree, which are small
static void curved_triangle(void **state) {
  (void)state;
  double X[N], q[N], v[N], par[PL_NPAR_MAX], plain, whole;
  for (unsigned seed = 1; seed <= 6; seed++) {
    pl_elem_find("shell6")->sample(seed, X, q, v, par);
    stress_energy(X, q, par, &plain, &whole);
    check_less(plain, whole);
    check_less(whole - plain, 0.2 * whole);
    // angles at edges as at rest
    for (int i = 0; i < 45; i++) q[i] = 1.1 * X[i];
    for (int i = 45; i < 51; i++) q[i] = X[i];
    stress_energy(X, q, par, &plain, &whole);
    check_close(plain, whole, 1e-10 * whole);
  }
}

// a cylinder bent away from z: the side of the normal +z is stretched
static void curvature_of_a_cylinder(void **state) {
  (void)state;
  const double kappa = 0.05;
  const pl_elem_kind *k = pl_elem_find("hinge");
  double X[12] = {0, 0, 0, 0, 1, 0, -1, 0.5, 0, 1, 0.5, 0}, q[12], rest[2], S[6];
  const double par[4] = {1, 0, 0.1, 1};
  assert_int_equal(k->d.prepare(X, rest), 0);
  memcpy(q, X, sizeof X);
  for (int a = 2; a < 4; a++) q[3 * a + 2] = -kappa / 2;
  for (int side = 0; side < 2; side++) {
    k->curvature(q, X, par, rest, side, (double[3]){0}, S);
    // two triangles of area 1/2 on an edge of length 1 that folds by kappa
    double n[3], a[3], b[3];
    pl_sub3(X + 3, X, a);
    pl_sub3(X + 6, X, b);
    pl_cross3(a, b, n);
    check_close(S[0], (n[2] > 0 ? 1 : -1) * 2 * atan(kappa / 2), 1e-12);
    check_close(fabs(S[1]) + fabs(S[2]) + fabs(S[3]) + fabs(S[4]) + fabs(S[5]), 0, 1e-12);
  }
}

static void sections(void **state) {
  (void)state;
  // a round bar: 4 N/(pi d^2) + 32 M/(pi d^3), 16 T/(pi d^3); a square one: 6 M/a^3, 4.80 T/a^3
  double par[7] = {1, 0.3, 1, 0.02, 0.02, 0, 0}, normal, shear;
  const double force[4] = {10, 3, 4, 2};
  pl_rod_stress(par, force, &normal, &shear);
  check_rel(normal, 40 / (PL_PI * 4e-4) + 32 * 5 / (PL_PI * 8e-6), 1e-12);
  check_rel(shear, 32 / (PL_PI * 8e-6), 1e-12);
  par[6] = 1;
  pl_rod_stress(par, force, &normal, &shear);
  check_rel(normal, 10 / 4e-4 + 6 * 7 / 8e-6, 1e-12);
  check_rel(shear, 2 / (0.208 * 8e-6), 2e-3); // Timoshenko's table
  par[3] = 0.2;
  pl_rod_stress(par, force, &normal, &shear);
  check_rel(shear, 2 / (0.312 * 0.2 * 4e-4), 3e-3); // sides of 10:1
}

static void invariants(void **state) {
  (void)state;
  const double pull[6] = {3, 0, 0}, twist[6] = {0, 0, 0, 2}, push[6] = {-5, -5, -5};
  double p[3];
  check_close(pl_von_mises(pull), 3, 1e-15);
  check_close(pl_von_mises(twist), 2 * sqrt(3), 1e-14);
  check_close(pl_von_mises(push), 0, 1e-15);
  pl_principal(twist, p);
  const double want[3] = {2, 0, -2};
  check_array(3, p, want, 1e-14);
}

int test_stress(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solids_hold_their_forces),
      cmocka_unit_test(triangles_hold_their_forces),
      cmocka_unit_test(bending_adds_to_strain),
      cmocka_unit_test(curvature_of_a_cylinder),
      cmocka_unit_test(curved_triangle),
      cmocka_unit_test(sections),
      cmocka_unit_test(invariants),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
