// Continuum kinds and the hinge against closed forms.
#include "check.h"

#include "pliant/element.h"
#include "pliant/math.h"

#include <string.h>

static const double tet[12] = {0.1, 0, 0, 1.2, 0.1, 0, 0.2, 1, 0.1, 0.3, 0.2, 1.5};
static const double cube[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0,
                                0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
static const double triangle[6] = {0.1, 0, 1.2, 0.3, 0.2, 0.9};

// A kind under a uniform F[3][3]: energy density, and P = sum_a grad_a X_a' / volume, since
// sum_a X_a dN_a' = 1. X[nvert][3].
static void uniform(const pl_elem_kind *kind, const double *X, double volume, const double *par,
                    const double *F, double *psi, double *P) {
  double q[24], g[24], rest[PL_NREST_MAX];
  for (int a = 0; a < kind->nvert; a++)
    for (int i = 0; i < 3; i++) q[3 * a + i] = pl_dot3(F + 3 * i, X + 3 * a) + 0.1 * i;
  assert_int_equal(kind->d.prepare(X, rest), 0);
  assert_int_equal(kind->d.eval(q, par, rest, psi, g, NULL), 0);
  *psi /= volume;
  for (int k = 0; k < 9; k++) P[k] = 0;
  for (int a = 0; a < kind->nvert; a++)
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) P[3 * i + k] += g[3 * a + i] * X[3 * a + k] / volume;
}

static void uniform_by_name(const char *name, const double *par, const double *F, double *psi,
                            double *P) {
  const double *t = tet;
  double D[9];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) D[3 * i + k] = t[3 * (k + 1) + i] - t[i];
  const pl_elem_kind *kind = pl_elem_find(name);
  if (kind->nvert == 4)
    uniform(kind, tet, pl_det3(D) / 6, par, F, psi, P);
  else
    uniform(kind, cube, 1, par, F, psi, P);
}

// free sides, E22 = -nu E11: S11 = E E11, P11 = s E (s^2 - 1)/2, all other stresses vanish
static void uniaxial_svk(void **state) {
  (void)state;
  static const char *const names[] = {"tet4", "hex8"};
  const double par[3] = {7, 0.3, 1};
  for (int k = 0; k < 2; k++)
    for (double s = 0.7; s < 1.5; s += 0.1) {
      double e = (s * s - 1) / 2, t = sqrt(1 - 2 * 0.3 * e), psi, P[9];
      double F[9] = {s, 0, 0, 0, t, 0, 0, 0, t}, want[9] = {s * 7 * e};
      uniform_by_name(names[k], par, F, &psi, P);
      check_array(9, P, want, 1e-13);
      check_close(psi, 0.5 * 7 * e * e, 1e-13);
    }
}

// free sides: la ln J = mu (1 - t^2), so P11 = mu (s^2 - t^2)/s
static void uniaxial_neo_hookean(void **state) {
  (void)state;
  static const char *const names[] = {"tet4_nh", "hex8_nh"};
  const double par[3] = {7, 0.3, 1}, mu = 7 / 2.6, la = 7 * 0.3 / (1.3 * 0.4);
  for (int k = 0; k < 2; k++)
    for (double s = 0.3; s < 3; s += 0.3) {
      double t = 1, psi, P[9];
      for (int it = 0; it < 50; it++)
        t -= (mu * (t * t - 1) + la * log(s * t * t)) / (2 * mu * t + 2 * la / t);
      double F[9] = {s, 0, 0, 0, t, 0, 0, 0, t}, want[9] = {mu * (s * s - t * t) / s};
      double lnJ = log(s * t * t);
      uniform_by_name(names[k], par, F, &psi, P);
      check_array(9, P, want, 1e-12);
      check_close(psi, mu / 2 * (s * s + 2 * t * t - 3) - mu * lnJ + la / 2 * lnJ * lnJ, 1e-12);
    }
}

// F = 1 + c e1 e2': E12 = c/2, E22 = c^2/2; neo-Hookean: J = 1, P12 = mu c
static void simple_shear(void **state) {
  (void)state;
  static const char *const names[] = {"tet4", "hex8", "tet4_nh", "hex8_nh"};
  const double par[3] = {7, 0.3, 1}, mu = 7 / 2.6, la = 7 * 0.3 / (1.3 * 0.4);
  for (int k = 0; k < 4; k++)
    for (double c = -1; c <= 1; c += 0.25) {
      double F[9] = {1, c, 0, 0, 1, 0, 0, 0, 1}, psi, P[9], c2 = c * c;
      uniform_by_name(names[k], par, F, &psi, P);
      if (k < 2) {
        check_close(psi, la / 8 * c2 * c2 + mu * (c2 / 2 + c2 * c2 / 4), 1e-13);
        check_close(P[1], mu * c + (la / 2 + mu) * c2 * c, 1e-13);
      } else {
        check_close(psi, mu / 2 * c2, 1e-13);
        check_close(P[1], mu * c, 1e-13);
        check_close(P[3], mu * c, 1e-13);
      }
    }
}

// stretches s, t of a flat sheet turned in space: W/(A h) = E/(2 (1 - nu^2)) (e^2 + f^2 + 2 nu e f)
static void biaxial_sheet(void **state) {
  (void)state;
  const double par[4] = {5, 0.25, 2, 0.1}, axis[3] = {1, 2, 3};
  const double area = 0.5 * (1.1 * 0.9 - 0.3 * 0.1);
  double R[9], X3[9] = {0}, q2[6], q3[9], rest[7], e2, e3, g[9], value[2];
  pl_rotation3(axis, 1.1, R);
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++)
      X3[3 * a + i] = pl_dot3((double[3]){triangle[2 * a], triangle[2 * a + 1], 0}, R + 3 * i);
  for (double s = 0.8; s < 1.4; s += 0.1) {
    double t = 1.1, e = (s * s - 1) / 2, f = (t * t - 1) / 2;
    for (int a = 0; a < 3; a++) {
      double x[3] = {s * triangle[2 * a], t * triangle[2 * a + 1], 0};
      q2[2 * a] = x[0];
      q2[2 * a + 1] = x[1];
      // the state is turned the other way
      for (int i = 0; i < 3; i++) q3[3 * a + i] = R[i] * x[0] + R[3 + i] * x[1] + 1;
    }
    double want = 5 / (2 * (1 - 0.0625)) * (e * e + f * f + 0.5 * e * f) * area * 0.1;
    assert_int_equal(pl_elem_find("tri2")->d.prepare(triangle, rest), 0);
    assert_int_equal(pl_elem_find("tri2")->d.eval(q2, par, rest, &e2, NULL, NULL), 0);
    check_rel(e2, want, 1e-13);
    assert_int_equal(pl_elem_find("membrane")->d.prepare(X3, rest), 0);
    assert_int_equal(pl_elem_find("membrane")->d.eval(q3, par, rest, &e3, g, NULL), 0);
    check_rel(e3, want, 1e-13);

    // Cauchy stresses s/t S11 and t/s S22 of the sheet, von Mises with no third one
    double c = 5 / (1 - 0.0625), s1 = s / t * c * (e + 0.25 * f), s2 = t / s * c * (f + 0.25 * e);
    pl_elem_find("membrane")->field(q3, par, rest, value);
    check_close(value[0], fabs(e) > fabs(f) ? e : f, 1e-13);
    check_close(value[1], sqrt(s1 * s1 + s2 * s2 - s1 * s2), 1e-12);
  }
}

// a pull with free sides: Cauchy stress s^2/J E E11
static void fields_of_solids(void **state) {
  (void)state;
  const double par[3] = {7, 0.3, 1}, s = 1.2, e = (s * s - 1) / 2, t = sqrt(1 - 0.6 * e);
  static const char *const names[] = {"tet4", "hex8"};
  for (int k = 0; k < 2; k++) {
    const pl_elem_kind *kind = pl_elem_find(names[k]);
    const double *X = k ? cube : tet;
    double q[24], rest[PL_NREST_MAX], value[2];
    for (int a = 0; a < kind->nvert; a++) {
      q[3 * a] = t * X[3 * a];
      q[3 * a + 1] = s * X[3 * a + 1];
      q[3 * a + 2] = t * X[3 * a + 2];
    }
    assert_int_equal(kind->d.prepare(X, rest), 0);
    kind->field(q, par, rest, value);
    check_close(value[0], e, 1e-13);
    check_close(value[1], s / (t * t) * 7 * e, 1e-12);
  }
}

// integrals of N_a N_b: rho V times 1/3 or 1/6 in each direction of a brick, V/20 (1 + d_ab) of a
// tetrahedron, A h/12 (1 + d_ab) of a triangle
static void masses(void **state) {
  (void)state;
  const double par[4] = {1, 0.3, 3, 0.5};
  double M[576], rest[PL_NREST_MAX], X[24];
  // a parallelepiped of volume 2 * 0.5 * 3
  for (int a = 0; a < 8; a++) {
    const double *c = cube + 3 * a;
    X[3 * a] = 2 * c[0] + 0.3 * c[1] - 0.2 * c[2];
    X[3 * a + 1] = 0.5 * c[1] + 0.7 * c[2];
    X[3 * a + 2] = 3 * c[2];
  }
  assert_int_equal(pl_elem_find("hex8")->d.prepare(X, rest), 0);
  assert_int_equal(pl_elem_find("hex8")->d.mass(par, rest, 0, M), 0);
  for (int a = 0; a < 8; a++)
    for (int b = 0; b < 8; b++) {
      double want = 3 * 3;
      for (int i = 0; i < 3; i++) want /= cube[3 * a + i] == cube[3 * b + i] ? 3 : 6;
      check_rel(M[(3 * a) * 24 + 3 * b], want, 1e-13);
    }
  assert_int_equal(pl_elem_find("hex8")->d.mass(par, rest, 1, M), 0);
  for (int i = 0; i < 24; i++) check_rel(M[i * 25], 9.0 / 8, 1e-13);

  static const double corner[12] = {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4}; // volume 4
  assert_int_equal(pl_elem_find("tet4")->d.prepare(corner, rest), 0);
  assert_int_equal(pl_elem_find("tet4")->d.mass(par, rest, 0, M), 0);
  check_rel(M[0], 1.2, 1e-14);
  check_rel(M[3], 0.6, 1e-14);
  static const double flat[6] = {0, 0, 2, 0, 0, 3}; // area 3
  assert_int_equal(pl_elem_find("tri2")->d.prepare(flat, rest), 0);
  assert_int_equal(pl_elem_find("tri2")->d.mass(par, rest, 0, M), 0);
  check_rel(M[0], 0.75, 1e-14);
  check_rel(M[2], 0.375, 1e-14);
}

// energy of a hinge between rest X and state q [4][3]
static double hinge_energy(const double *par, const double *X, const double *q) {
  const pl_elem_kind *kind = pl_elem_find("hinge");
  double rest[2], e, g[12];
  assert_int_equal(kind->d.prepare(X, rest), 0);
  assert_int_equal(kind->d.eval(q, par, rest, &e, g, NULL), 0);
  return e;
}

// rows of a strip of width one, distance d, each turned by phi against the one before
static void fold_rows(double d, double phi, double (*row)[2]) {
  for (int k = 0; k < 6; k++) {
    row[k + 1][0] = row[k][0] + d * cos((k - 2) * phi);
    row[k + 1][1] = row[k][1] + d * sin((k - 2) * phi);
  }
}

// Strip of equilateral triangles folded along its rows into a polygon on a cylinder: triangles
// between two rows stay in one plane, so that only the rows bend, by phi = kappa d each: the energy
// is 1/2 D (kappa - kappa_rest)^2 times the area d of each row, for any angle.
static void cylinder_bending(void **state) {
  (void)state;
  const double par[4] = {3, 0.3, 0.2, 1}, D = 3 * 0.008 / (12 * 0.91), d = sqrt(3) / 2;
  for (double rest_phi = -0.6; rest_phi < 0.7; rest_phi += 0.3)
    for (double phi = -0.9; phi < 1; phi += 0.3) {
      double flat[7][2] = {{0}}, bent[7][2] = {{0}}, energy = 0;
      fold_rows(d, rest_phi, flat);
      fold_rows(d, phi, bent);
      for (int k = 1; k < 6; k++) {
        // edge along row k, opposite vertices half a cell aside on the next row and the last
        double X[12] = {0,   flat[k][0],     flat[k][1],     1,   flat[k][0],     flat[k][1],
                        0.5, flat[k + 1][0], flat[k + 1][1], 0.5, flat[k - 1][0], flat[k - 1][1]};
        double q[12] = {0,   bent[k][0],     bent[k][1],     1,   bent[k][0],     bent[k][1],
                        0.5, bent[k + 1][0], bent[k + 1][1], 0.5, bent[k - 1][0], bent[k - 1][1]};
        energy += hinge_energy(par, X, q);
      }
      double kappa = (phi - rest_phi) / d;
      check_close(energy, 0.5 * D * kappa * kappa * 5 * d, 1e-15);
    }
}

// energy per area of the three edges of a vertex of an equilateral lattice lifted to
// z = (k11 x^2 + k22 y^2)/2 + k12 x y
static double lattice_density(const double *par, double k11, double k22, double k12) {
  double sum = 0;
  for (int dir = 0; dir < 3; dir++) {
    double c = cos(dir * PL_PI / 3), s = sin(dir * PL_PI / 3), X[12], q[12];
    static const double shape[4][2] = {
        {-0.5, 0}, {0.5, 0}, {0, 0.86602540378443865}, {0, -0.86602540378443865}};
    for (int a = 0; a < 4; a++) {
      double x = c * shape[a][0] - s * shape[a][1], y = s * shape[a][0] + c * shape[a][1];
      X[3 * a] = q[3 * a] = x;
      X[3 * a + 1] = q[3 * a + 1] = y;
      X[3 * a + 2] = 0;
      q[3 * a + 2] = (k11 * x * x + k22 * y * y) / 2 + k12 * x * y;
    }
    sum += hinge_energy(par, X, q);
  }
  return sum / (sqrt(3) / 2);
}

// plate of Poisson's ratio nu: D/2 ((k11 + k22)^2 - 2 (1 - nu) (k11 k22 - k12^2)), here nu = -1/3
static void lattice_is_isotropic_plate(void **state) {
  (void)state;
  const double par[4] = {3, 0.4, 0.2, 1}, D = 3 * 0.008 / (12 * (1 - 0.16)), k = 1e-4;
  // linear in the curvatures up to relative terms k^2
  for (double angle = 0; angle < 3; angle += 0.2) {
    double c = cos(angle), s = sin(angle);
    check_rel(lattice_density(par, k * c * c, k * s * s, k * c * s), D / 2 * k * k, 1e-6);
    check_rel(lattice_density(par, k * c * s * 2, -k * c * s * 2, k * (c * c - s * s)),
              D * (4.0 / 3) * k * k, 1e-6);
  }
  check_rel(lattice_density(par, k, k, 0), D / 2 * (4 - 8.0 / 3) * k * k, 1e-6);
  const double twice[4] = {3, 0.4, 0.2, 2};
  check_rel(lattice_density(twice, k, 0, 0), D * k * k, 1e-6);
}

static void hinge_domain(void **state) {
  (void)state;
  const pl_elem_kind *kind = pl_elem_find("hinge");
  const double par[4] = {3, 0.3, 0.2, 1};
  double X[12] = {0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.5, -1, 0}, q[12], rest[2], e, value;
  assert_int_equal(kind->d.prepare(X, rest), 0);
  // up to half a turn the angle is right, at it there is no sign
  for (int k = -31; k <= 31; k++) {
    double phi = 0.1 * k;
    memcpy(q, X, sizeof q);
    q[7] = cos(phi);
    q[8] = -sin(phi);
    assert_int_equal(kind->d.eval(q, par, rest, &e, NULL, NULL), 0);
    kind->field(q, par, rest, &value);
    check_close(value, phi, 1e-12);
  }
  q[7] = -1;
  q[8] = 0;
  assert_int_equal(kind->d.eval(q, par, rest, &e, NULL, NULL), 1);
  // triangles without area, an edge without length
  memcpy(q, X, sizeof q);
  q[7] = 0;
  assert_int_equal(kind->d.eval(q, par, rest, &e, NULL, NULL), 1);
  assert_int_equal(kind->d.prepare(q, rest), 1);
  memcpy(q, X, sizeof q);
  q[3] = 0;
  assert_int_equal(kind->d.prepare(q, rest), 1);
}

// inverted: neo-Hookean has no energy, and no kind a rest state
static void inversion(void **state) {
  (void)state;
  static const char *const names[] = {"tet4", "hex8", "tet4_nh", "hex8_nh"};
  const double par[3] = {7, 0.3, 1};
  for (int k = 0; k < 4; k++) {
    const pl_elem_kind *kind = pl_elem_find(names[k]);
    const double *X = k % 2 ? cube : tet;
    double q[24], v[24] = {1}, rest[PL_NREST_MAX], e, out[576];
    for (int i = 0; i < kind->ndof; i++) q[i] = i % 3 == 2 ? -X[i] : X[i];
    assert_int_equal(kind->d.prepare(q, rest), 1);
    pl_elem_motion m = {.q = X, .par = par, .X = q};
    assert_int_equal(pl_elem_force(kind, &m, out), PL_DOMAIN);
    assert_int_equal(pl_elem_force_along(kind, &m, &(pl_elem_direction){.dq = v}, out), PL_DOMAIN);
    assert_int_equal(pl_elem_force_along(kind, &m, &(pl_elem_direction){.dX = v}, out), PL_DOMAIN);

    assert_int_equal(kind->d.prepare(X, rest), 0);
    m = (pl_elem_motion){.q = q, .par = par, .X = X};
    int bad = k >= 2;
    assert_int_equal(kind->d.eval(q, par, rest, &e, NULL, NULL), bad);
    assert_int_equal(pl_elem_third(kind, q, v, par, rest, out), bad ? PL_DOMAIN : PL_OK);
    assert_int_equal(pl_elem_force(kind, &m, out), bad ? PL_DOMAIN : PL_OK);
    assert_int_equal(pl_elem_force_along(kind, &m, &(pl_elem_direction){.dq = v}, out),
                     bad ? PL_DOMAIN : PL_OK);
  }
  static const double line[9] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
  double rest[7];
  assert_int_equal(pl_elem_find("membrane")->d.prepare(line, rest), 1);
}

int test_closed(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uniaxial_svk),     cmocka_unit_test(uniaxial_neo_hookean),
      cmocka_unit_test(simple_shear),     cmocka_unit_test(biaxial_sheet),
      cmocka_unit_test(fields_of_solids), cmocka_unit_test(masses),
      cmocka_unit_test(cylinder_bending), cmocka_unit_test(lattice_is_isotropic_plate),
      cmocka_unit_test(hinge_domain),     cmocka_unit_test(inversion),
  };
  return cmocka_run_group_tests_name("element.closed", tests, NULL, NULL);
}
