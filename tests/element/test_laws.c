// Hyperelastic and orthotropic laws against closed forms, and one against the other.
#include "check.h"
#include "element_impl.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { POLYNOMIAL, OGDEN };

// Treloar's rubber by Ogden (1972), mu in the form 2 mu/alpha^2; a polynomial with all its terms
static const double polynomial[6] = {0.3e6, 0.05e6, -4e3, 2e3, 1e3, 200};
static const double ogden[6] = {0.63e6 * 1.3 / 2, 1.3, 0.0012e6 * 5 / 2, 5, -0.01e6 * -2 / 2, -2};

static void rubber(int form, double bulk, double *par) {
  memset(par, 0, HYPER_NPAR * sizeof *par);
  par[HYPER_BULK] = bulk;
  par[HYPER_FORM] = form;
  memcpy(par + HYPER_FIRST, form == OGDEN ? ogden : polynomial, sizeof polynomial);
}

// dW/dI1 and dW/dI2 of the polynomial
static void slopes(double I1, double I2, double *W1, double *W2) {
  const double *c = polynomial;
  double a = I1 - 3, b = I2 - 3;
  *W1 = c[0] + 2 * c[2] * a + c[3] * b + 3 * c[5] * a * a;
  *W2 = c[1] + c[3] * a + 2 * c[4] * b;
}

// Nominal stress of what does not change its volume, at principal stretches l, along
// the first one, the third one free: P = (W_1 l_1 - W_3 l_3)/l_1.
static double nominal(int form, const double l[3]) {
  double P = 0;
  if (form == OGDEN) {
    for (int k = 0; k < 6; k += 2)
      P += 2 * ogden[k] / ogden[k + 1] * (pow(l[0], ogden[k + 1]) - pow(l[2], ogden[k + 1]));
    return P / l[0];
  }
  double s[3] = {l[0] * l[0], l[1] * l[1], l[2] * l[2]}, W1, W2;
  slopes(s[0] + s[1] + s[2], s[0] * s[1] + s[1] * s[2] + s[2] * s[0], &W1, &W2);
  return 2 * (s[0] - s[2]) * (W1 + W2 * s[1]) / l[0];
}

// stress along the first direction of a sheet of stretches a and b
static double sheet(const double *par, double a, double b, double *other) {
  double e[3] = {(a * a - 1) / 2, (b * b - 1) / 2, 0}, psi, S[3];
  assert_int_equal(pl_hyper_plane_d(e, par, &psi, S, NULL, NULL), 0);
  *other = b * S[1];
  return a * S[0];
}

// tension: the stretch across for which there is no stress
static double tension(const double *par, double a) {
  double e[3] = {(a * a - 1) / 2, (1 / a - 1) / 2, 0}, psi, S[3], C[9];
  for (int k = 0; k < 30; k++) {
    assert_int_equal(pl_hyper_plane_d(e, par, &psi, S, C, NULL), 0);
    e[1] -= S[1] / C[4];
  }
  return a * S[0];
}

static void sheets(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    double par[HYPER_NPAR], other;
    rubber(form, 0, par);
    double mu = pl_hyper_shear_d(par);
    // without change of volume, and nearly so: off by pressure over bulk modulus
    for (double a = 0.7; a < 3; a += 0.23)
      for (int nearly = 0; nearly < 2; nearly++) {
        const double uni[3] = {a, 1 / sqrt(a), 1 / sqrt(a)}, bi[3] = {a, a, 1 / (a * a)};
        const double planar[3] = {a, 1, 1 / a};
        par[HYPER_BULK] = nearly * 1e6 * mu;
        double equal = nominal(form, bi), off = 1e-10 * (mu + fabs(equal));
        if (nearly) off = 1e-5 * mu + 2 * a * equal * equal / par[HYPER_BULK];
        check_close(tension(par, a), nominal(form, uni), off);
        check_close(sheet(par, a, a, &other), equal, off);
        check_close(other, equal, off);
        check_close(sheet(par, a, 1, &other), nominal(form, planar), off);
      }
  }
}

// F = 1 + g e1 e2' keeps the volume: dW/dg of the closed form is F S's component 12
static void simple_shear(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    double par[HYPER_NPAR];
    rubber(form, 50e6, par);
    for (double g = -1.5; g < 1.6; g += 0.3) {
      double e[6] = {0, g * g / 2, 0, g, 0, 0}, psi, S[6], want = 0, W1, W2;
      assert_int_equal(pl_hyper_d(e, par, &psi, S, NULL), 0);
      slopes(3 + g * g, 3 + g * g, &W1, &W2);
      double l = g / 2 + sqrt(1 + g * g / 4), dl = l / (2 * sqrt(1 + g * g / 4));
      for (int k = 0; k < 6; k += 2)
        want +=
            2 * ogden[k] / ogden[k + 1] * (pow(l, ogden[k + 1]) - pow(l, -ogden[k + 1])) * dl / l;
      if (form == POLYNOMIAL) want = 2 * g * (W1 + W2);
      check_close(S[3] + g * S[1], want, 1e-9 * par[HYPER_BULK]);
    }
  }
}

// pure change of volume: K (J - 1)
static void dilation(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    double par[HYPER_NPAR], psi, S[6];
    rubber(form, 3e6, par);
    for (double l = 0.6; l < 1.5; l += 0.1) {
      double e = (l * l - 1) / 2, six[6] = {e, e, e, 0, 0, 0}, J = l * l * l;
      assert_int_equal(pl_hyper_d(six, par, &psi, S, NULL), 0);
      check_close(psi, 1.5e6 * (J - 1) * (J - 1), 1e-6);
      // Cauchy stress l S l/J
      check_close(S[0] * l * l / J, 3e6 * (J - 1), 1e-3);
    }
  }
}

// Ogden's law of powers 2 and -2 is Mooney and Rivlin's: also where principal stretches are equal
// or nearly so, and in derivatives of C, which the complex build makes
static void two_ways(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 7);
  for (int k = 0; k < 60; k++) {
    double a[HYPER_NPAR] = {5, POLYNOMIAL, 1, 0.6, 0.2},
           b[HYPER_NPAR] = {5, OGDEN, 1, 1.2, 2, 0.4, -2};
    double e[6], R[9], axis[3], D[3], gap = k % 4 == 0 ? 0 : pow(10, -pl_rng_uniform(&r, 0.3, 14));
    for (int i = 0; i < 3; i++) axis[i] = pl_rng_uniform(&r, -1, 1);
    pl_rotation3(axis, k % 5 == 0 ? 0 : 1.3, R);
    D[0] = pl_rng_uniform(&r, -0.2, 0.5);
    D[1] = D[0] + 0.3 * gap;
    D[2] = k % 3 ? D[0] - 0.2 * gap : pl_rng_uniform(&r, -0.2, 0.5);
    for (int i = 0; i < 6; i++) {
      static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
      e[i] = 0;
      for (int m = 0; m < 3; m++)
        e[i] += (i < 3 ? 1 : 2) * R[3 * pair[i][0] + m] * D[m] * R[3 * pair[i][1] + m];
    }
    double psi[2], S[2][6], C[2][36];
    assert_int_equal(pl_hyper_d(e, a, &psi[0], S[0], C[0]), 0);
    assert_int_equal(pl_hyper_d(e, b, &psi[1], S[1], C[1]), 0);
    check_close(psi[1], psi[0], 1e-14);
    check_array(6, S[1], S[0], 2e-14);
    check_array(36, C[1], C[0], 1e-12);
    double complex ze[6], za[HYPER_NPAR], zb[HYPER_NPAR], zpsi, zS[2][6], zC[2][36];
    double dS[2][6], dC[2][36];
    for (int i = 0; i < 6; i++) ze[i] = e[i] + 1e-40 * pl_rng_uniform(&r, -1, 1) * I;
    for (int i = 0; i < HYPER_NPAR; i++) {
      za[i] = a[i];
      zb[i] = b[i];
    }
    assert_int_equal(pl_hyper_z(ze, za, &zpsi, zS[0], zC[0]), 0);
    assert_int_equal(pl_hyper_z(ze, zb, &zpsi, zS[1], zC[1]), 0);
    for (int w = 0; w < 2; w++) {
      for (int i = 0; i < 6; i++) dS[w][i] = 1e40 * cimag(zS[w][i]);
      for (int i = 0; i < 36; i++) dC[w][i] = 1e40 * cimag(zC[w][i]);
    }
    check_array(6, dS[1], dS[0], 1e-12);
    check_array(36, dC[1], dC[0], 1e-10);
  }
}

// near rest all laws are linear elasticity of their moduli
static void small_strains(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    double par[HYPER_NPAR], psi, S[6], C[36];
    const double e[6] = {0};
    rubber(form, 2e6, par);
    double mu = pl_hyper_shear_d(par), la = 2e6 - 2.0 / 3 * mu;
    assert_int_equal(pl_hyper_d(e, par, &psi, S, C), 0);
    check_close(psi, 0, 0);
    for (int r = 0; r < 6; r++) {
      check_close(S[r], 0, 1e-9);
      for (int c = 0; c < 6; c++)
        check_close(C[6 * r + c], (r < 3 && c < 3 ? la : 0) + (r == c ? (r < 3 ? 2 * mu : mu) : 0),
                    1e-7 * la);
    }
  }
}

// ---- orthotropic bodies -------------------------------------------------------------------------

// pulled at an angle to the fibres (Jones, Mechanics of Composite Materials, 2.95)
static double off_axis(double E1, double E2, double nu, double G, double angle) {
  double c = cos(angle) * cos(angle), s = sin(angle) * sin(angle);
  return 1 / (c * c / E1 + s * s / E2 + (1 / G - 2 * nu / E1) * s * c);
}

// Young's modulus along the first direction from C[n][n]: one over the compliance
static double young_of(int n, const double *C) {
  double A[36], x[6] = {1};
  memcpy(A, C, (size_t)(n * n) * sizeof *A);
  for (int i = 0; i < n; i++)
    for (int k = i + 1; k < n; k++) {
      double f = A[n * k + i] / A[n * i + i];
      for (int j = i; j < n; j++) A[n * k + j] -= f * A[n * i + j];
      x[k] -= f * x[i];
    }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) x[i] -= A[n * i + j] * x[j];
    x[i] /= A[n * i + i];
  }
  return 1 / x[0];
}

static void off_axis_tension(void **state) {
  (void)state;
  double par[ORTHO_NPAR] = {140e9, 10e9, 1600, 9e9, 0.3, 0.28, 0.4, 5e9, 4.5e9,
                            3.5e9, 0,    1,    0,   0,   0,    1,   0};
  double flat[FLAT_NPAR] = {140e9, 10e9, 1600, 1e-3, 0.3, 5e9, 0, 1, 0, 0, 0, 1, 0};
  const double frame[6] = {1, 0, 0, 0, 1, 0};
  for (double angle = -1.6; angle < 1.7; angle += 0.2) {
    double C[36], P[9], want = off_axis(140e9, 10e9, 0.3, 5e9, angle);
    par[ORTHO_ANGLE] = flat[FLAT_ANGLE] = angle;
    pl_ortho_moduli_d(par, C);
    pl_ortho_plane_moduli_d(flat, frame, P);
    check_rel(young_of(6, C), want, 1e-12);
    check_rel(young_of(3, P), want, 1e-12);
    // the same by the vectors, of any length
    double turned[FLAT_NPAR];
    memcpy(turned, flat, sizeof turned);
    turned[FLAT_ANGLE] = 0;
    turned[FLAT_AXES] = 3 * cos(angle);
    turned[FLAT_AXES + 1] = 3 * sin(angle);
    pl_ortho_plane_moduli_d(turned, frame, P);
    check_rel(young_of(3, P), want, 1e-12);
  }
}

// axes by two vectors: with 1 along y and 2 along z, pulling along x is pulling along 3
static void axes(void **state) {
  (void)state;
  const double par[ORTHO_NPAR] = {140e9, 10e9, 1600, 9e9, 0.3, 0.28, 0.4, 5e9, 4.5e9,
                                  3.5e9, 0,    0,    2,   0,   0,    1,   1};
  double C[36];
  pl_ortho_moduli_d(par, C);
  check_rel(young_of(6, C), 9e9, 1e-12);
  // shears 12 23 13 of the body are 31 12 23 of space
  check_rel(C[6 * 3 + 3], 4.5e9, 1e-12);
  check_rel(C[6 * 4 + 4], 5e9, 1e-12);
  check_rel(C[6 * 5 + 5], 3.5e9, 1e-12);
}

// moduli alike in all directions make the isotropic law
static void isotropic(void **state) {
  (void)state;
  double E = 3, nu = 0.35, G = E / (2 * (1 + nu)), la = E * nu / ((1 + nu) * (1 - 2 * nu)), C[36];
  const double par[ORTHO_NPAR] = {E, E, 1, E, nu, nu, nu, G, G, G, 0.7, 1, 2, 3, -1, 1, 0.5};
  pl_ortho_moduli_d(par, C);
  for (int r = 0; r < 6; r++)
    for (int c = 0; c < 6; c++)
      check_close(C[6 * r + c], (r < 3 && c < 3 ? la : 0) + (r == c ? (r < 3 ? 2 * G : G) : 0),
                  1e-14 * la);
}

// ---- elements -----------------------------------------------------------------------------------

static const char *const solids[] = {"tet4_hyper",     "tet10_hyper",    "tet10_mean_hyper",
                                     "hex8_hyper",     "hex8_eas_hyper", "hex20_hyper",
                                     "tet4_ortho",     "tet10_ortho",    "hex8_ortho",
                                     "hex8_eas_ortho", "hex20_ortho"};
enum { NSOLID = (int)(sizeof solids / sizeof solids[0]), N = PL_NDOF_MAX };

// energy of the law at a uniform F
static double law_energy(const pl_elem_kind *kind, const double *par, const double *F) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
  double e[6], psi = 0, S[6], C[36];
  for (int r = 0; r < 6; r++) {
    double c = 0;
    for (int i = 0; i < 3; i++) c += F[3 * i + pair[r][0]] * F[3 * i + pair[r][1]];
    e[r] = r < 3 ? 0.5 * (c - 1) : c;
  }
  if (kind->npar == HYPER_NPAR) {
    assert_int_equal(pl_hyper_d(e, par, &psi, S, NULL), 0);
    return psi;
  }
  pl_ortho_moduli_d(par, C);
  for (int k = 0; k < 36; k++) psi += 0.5 * e[k / 6] * C[k] * e[k % 6];
  return psi;
}

// any element in a uniform state has the energy of its law (patch test: its forces then balance
// inside a mesh), and the six rigid motions alone cost nothing, also where the volume hardly
// changes
static void uniform_states(void **state) {
  (void)state;
  static double H[N * N], V[N * N], M[N * N];
  for (int k = 0; k < NSOLID; k++)
    for (unsigned seed = 1; seed <= 4; seed++) {
      const pl_elem_kind *kind = pl_elem_find(solids[k]);
      double X[N], q[N], v[N], par[PL_NPAR_MAX], rest[PL_NREST_MAX], F[9], W, volume = 0;
      double lambda[N];
      pl_rng r;
      pl_rng_seed(&r, seed);
      kind->sample(seed, X, q, v, par);
      assert_int_equal(kind->d.prepare(X, rest), 0);
      assert_int_equal(kind->d.mass(par, rest, 0, M), 0);
      int n = kind->ndof, zero = 0;
      for (int a = 0; a < kind->nvert; a++)
        for (int b = 0; b < kind->nvert; b++) volume += M[3 * a * n + 3 * b] / par[2];
      for (int i = 0; i < 9; i++) F[i] = (i % 4 == 0) + pl_rng_uniform(&r, -0.15, 0.15);
      for (int i = 0; i < n; i++) q[i] = pl_dot3(F + 3 * (i % 3), X + i - i % 3);
      assert_int_equal(kind->d.eval(q, par, rest, &W, NULL, NULL), 0);
      // curved tetrahedra integrate their volume not exactly
      check_rel(W, volume * law_energy(kind, par, F), kind->nvert == 10 ? 0.02 : 1e-12);
      if (kind->npar == HYPER_NPAR) par[HYPER_BULK] = 2000;
      assert_int_equal(kind->d.eval(X, par, rest, NULL, NULL, H), 0);
      pl_eig(n, H, lambda, V);
      for (int i = 0; i < n; i++) zero += fabs(lambda[i]) < 1e-9 * lambda[n - 1];
      assert_int_equal(zero, 6);
      assert_true(lambda[0] > -1e-9 * lambda[n - 1]);
    }
}

int test_laws(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sheets),         cmocka_unit_test(simple_shear),
      cmocka_unit_test(dilation),       cmocka_unit_test(two_ways),
      cmocka_unit_test(small_strains),  cmocka_unit_test(off_axis_tension),
      cmocka_unit_test(axes),           cmocka_unit_test(isotropic),
      cmocka_unit_test(uniform_states),
  };
  return cmocka_run_group_tests_name("element.laws", tests, NULL, NULL);
}
