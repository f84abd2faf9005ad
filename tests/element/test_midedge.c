// The mid-edge triangle against its definition: normals at the middles of the edges, a second
// fundamental form from their differences, Koiter's energy.
#include "kind_checks.h"

#include <string.h>

static const pl_elem_kind *midedge;

// N(X) = la/2 tr(X)^2 + mu tr(X^2) of X = a^-1 c, both 2 x 2 and symmetric
static double koiter(const double *par, const double *a, const double *c) {
  double E = par[0], nu = par[1], det = a[0] * a[3] - a[1] * a[2];
  double inv[4] = {a[3] / det, -a[1] / det, -a[2] / det, a[0] / det}, X[4];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) X[2 * i + j] = inv[2 * i] * c[j] + inv[2 * i + 1] * c[2 + j];
  double tr = X[0] + X[3], tr2 = X[0] * X[0] + 2 * X[1] * X[2] + X[3] * X[3];
  return E * nu / (1 - nu * nu) / 2 * tr * tr + E / (2 * (1 + nu)) * tr2;
}

static void edges(const double *x, double e[2][3]) {
  for (int k = 0; k < 2; k++) pl_sub3(x + 3 * (k + 1), x, e[k]);
}

static void metric(const double *x, double *a) {
  double e[2][3];
  edges(x, e);
  for (int k = 0; k < 4; k++) a[k] = pl_dot3(e[k / 2], e[k % 2]);
}

static void unit_normal(const double *a, const double *b, const double *c, double *n) {
  double u[3], v[3];
  pl_sub3(b, a, u);
  pl_sub3(c, a, v);
  pl_cross3(u, v, n);
  double len = pl_norm3(n);
  for (int k = 0; k < 3; k++) n[k] /= len;
}

// normal of edge i: the mean of those on its two sides, turned about the edge by xi; xi counts from
// the lower vertex to the higher one
static void edge_normal(const double *x, int i, double *n) {
  static const double sign[3] = {1, -1, 1};
  const double *a = x + 3 * ((i + 1) % 3), *b = x + 3 * ((i + 2) % 3);
  double own[3], other[3], mean[3], axis[3], R[9];
  unit_normal(a, b, x + 3 * i, own);
  unit_normal(b, a, x + 9 + 3 * i, other);
  for (int k = 0; k < 3; k++) mean[k] = own[k] + other[k];
  double len = pl_norm3(mean);
  for (int k = 0; k < 3; k++) mean[k] /= len;
  pl_sub3(b, a, axis);
  pl_rotation3(axis, sign[i] * x[18 + i], R);
  for (int k = 0; k < 3; k++) n[k] = pl_dot3(R + 3 * k, mean);
}

// b(e, f) = -dn(e).f; the middles of the edges lie half an edge apart, so dn(e1) = 2 (n0 - n1)
static void second_form(const double *x, double *b) {
  double n[3][3], e[2][3], d[2][3];
  for (int i = 0; i < 3; i++) edge_normal(x, i, n[i]);
  edges(x, e);
  for (int k = 0; k < 3; k++) {
    d[0][k] = 2 * (n[0][k] - n[1][k]);
    d[1][k] = 2 * (n[0][k] - n[2][k]);
  }
  for (int k = 0; k < 4; k++) b[k] = -pl_dot3(d[k / 2], e[k % 2]);
}

static double area(const double *a) {
  return 0.5 * sqrt(a[0] * a[3] - a[1] * a[2]);
}

// W = A h^3/12 N(a^-1 (b - b at rest)); the sine is that of the normals themselves
static void definition(void **state) {
  (void)state;
  for (unsigned seed = 3; seed <= 150; seed += 3) {
    sample s = sample_make(midedge, seed);
    assert_true(s.par[4] == 0);
    double a[4], b[4], b0[4], W;
    metric(s.X, a);
    second_form(s.q, b);
    second_form(s.X, b0);
    // b is symmetric because a normal is perpendicular to its edge
    check_close(b[1], b[2], 1e-14);
    for (int k = 0; k < 4; k++) b[k] -= b0[k];
    assert_int_equal(midedge->d.eval(s.q, s.par, s.rest, &W, NULL, NULL), 0);
    double h = s.par[2];
    check_rel(W, s.par[3] * area(a) * h * h * h / 12 * koiter(s.par, a, b), 1e-12);
  }
}

// the membrane of a Koiter shell is the kind `membrane`: W = A h/4 N(a^-1 (a' - a))
static void membrane(void **state) {
  (void)state;
  const pl_elem_kind *kind = pl_elem_find("membrane");
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(kind, seed);
    double a[4], now[4], W;
    metric(s.X, a);
    metric(s.q, now);
    for (int k = 0; k < 4; k++) now[k] -= a[k];
    assert_int_equal(kind->d.eval(s.q, s.par, s.rest, &W, NULL, NULL), 0);
    check_rel(W, s.par[3] / 4 * area(a) * koiter(s.par, a, now), 1e-12);
  }
}

// a flat sheet at rest, its vertices moved within the plane
static void flat(unsigned seed, sample *s, double *q) {
  *s = sample_make(midedge, seed);
  for (int a = 0; a < 6; a++) s->X[3 * a + 2] = s->q[3 * a + 2] = 0;
  for (int i = 18; i < 21; i++) s->X[i] = s->q[i] = 0;
  memcpy(q, s->q, sizeof s->q);
  assert_int_equal(midedge->d.prepare(s->X, s->rest), 0);
}

// all variants agree to second order about the flat state: no force, one Hessian
static void variants_at_flat(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s;
    double q[PL_NDOF_MAX], K[3][NHESS], g[PL_NDOF_MAX], zero[PL_NDOF_MAX] = {0};
    flat(seed, &s, q);
    for (int v = 0; v < 3; v++) {
      s.par[4] = v;
      assert_int_equal(midedge->d.eval(q, s.par, s.rest, NULL, g, K[v]), 0);
      compare(&s, "force in the flat state", 21, g, zero, 1e-14);
    }
    compare(&s, "Hessian of tan", 441, K[1], K[0], 1e-14);
    compare(&s, "Hessian of theta", 441, K[2], K[0], 1e-14);
  }
}

static void rest_is_free(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(midedge, seed);
    double W, g[PL_NDOF_MAX], zero[PL_NDOF_MAX] = {0}, value[2];
    assert_int_equal(midedge->d.eval(s.X, s.par, s.rest, &W, g, NULL), 0);
    check_close(W, 0, 1e-26);
    compare(&s, "force at rest", 21, g, zero, 1e-12);
    midedge->field(s.X, s.par, s.rest, value);
    check_array(2, value, zero, 1e-13);
  }
}

// ---- boundaries and clamps ----------------------------------------------------------------------

// edges of the mask lie on the boundary at rest; each has a copy of the triangle's vertex
static sample boundary_sample(unsigned seed, int mask) {
  sample s = sample_make(midedge, seed);
  for (int i = 0; i < 3; i++)
    if (mask >> i & 1) memcpy(s.X + 9 + 3 * i, s.X + 3 * i, 3 * sizeof(double));
  for (int i = 0; i < 9; i++)
    if (mask >> i / 3 & 1) s.q[9 + i] = s.q[i] + 0.3 * (s.q[9 + i] - s.X[9 + i]);
  assert_int_equal(midedge->d.prepare(s.X, s.rest), 0);
  return s;
}

// gradient and Hessian from the complex kernel, copies apart from their vertices
static void derivatives(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = boundary_sample(seed, 1 + (int)seed % 7);
    double complex q[21], par[6], rest[13], e, g[21];
    double g0[21], K0[441], g1[21], K1[441];
    for (int i = 0; i < 21; i++) q[i] = s.q[i];
    for (int i = 0; i < 6; i++) par[i] = s.par[i];
    for (int i = 0; i < 13; i++) rest[i] = s.rest[i];
    assert_int_equal(midedge->d.eval(s.q, s.par, s.rest, NULL, g0, K0), 0);
    for (int j = 0; j < 21; j++) {
      q[j] = s.q[j] + 1e-40 * I;
      assert_int_equal(midedge->z.eval(q, par, rest, &e, g, NULL), 0);
      q[j] = s.q[j];
      g1[j] = cimag(e) * 1e40;
      for (int i = 0; i < 21; i++) K1[i * 21 + j] = cimag(g[i]) * 1e40;
    }
    compare(&s, "grad with a boundary", 21, g1, g0, 1e-13);
    compare(&s, "hess with a boundary", 441, K1, K0, 1e-13);
  }
}

// A free boundary edge names the triangle's own vertex twice: its angle is xi alone, so the energy
// cannot depend on where that vertex would be across the edge. Here: only on the height.
static void free_boundary(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = boundary_sample(seed, 7);
    double W, want, a[4], b[4], h = s.par[2];
    memcpy(s.q + 9, s.q, 9 * sizeof(double));
    for (int i = 18; i < 21; i++) s.X[i] = 0;
    assert_int_equal(midedge->d.prepare(s.X, s.rest), 0);
    s.par[4] = 2;
    assert_int_equal(midedge->d.eval(s.q, s.par, s.rest, &W, NULL, NULL), 0);

    // I_i = 2 h_i s_i xi_i, h_i = 2 A/l_i now
    double bend[3], now[4], x[3], l[3];
    metric(s.X, a);
    metric(s.q, now);
    for (int i = 0; i < 3; i++) {
      pl_sub3(s.q + 3 * ((i + 1) % 3), s.q + 3 * ((i + 2) % 3), x);
      l[i] = pl_norm3(x);
      bend[i] = 4 * area(now) / l[i] * (i == 1 ? -1 : 1) * s.q[18 + i];
    }
    b[0] = bend[0] + bend[1];
    b[1] = b[2] = bend[0];
    b[3] = bend[0] + bend[2];
    want = s.par[3] * area(a) * h * h * h / 12 * koiter(s.par, a, b);
    check_rel(W, want, 1e-12);
  }
}

// a clamp that turns by phi about the edge while the triangle stays bends it by 2 h f(phi)
static void clamped_edge(void **state) {
  (void)state;
  const double X[9] = {0, 0, 0, 1.1, 0.2, 0, 0.3, 0.8, 0};
  double x[21] = {0}, par[6] = {12, 0.2, 0.1, 1, 0, 0}, rest[13], axis[3], R[9], a[4], p[3];
  memcpy(x, X, sizeof X);
  memcpy(x + 9, X, sizeof X);
  assert_int_equal(midedge->d.prepare(x, rest), 0);
  metric(X, a);
  for (int i = 0; i < 3; i++)
    for (int v = 0; v < 3; v++)
      for (double phi = -1.4; phi < 1.5; phi += 0.2) {
        const double *from = X + 3 * ((i + 1) % 3), *to = X + 3 * ((i + 2) % 3);
        double f = v == 0 ? sin(phi) : v == 1 ? tan(phi) : phi, W;
        pl_sub3(to, from, axis);
        pl_rotation3(axis, phi, R);
        pl_sub3(X + 3 * i, from, p);
        for (int k = 0; k < 3; k++) x[9 + 3 * i + k] = from[k] + pl_dot3(R + 3 * k, p);
        par[4] = v;
        assert_int_equal(midedge->d.eval(x, par, rest, &W, NULL, NULL), 0);
        double c = 2 * 2 * area(a) / pl_norm3(axis) * f;
        double b[3][4] = {{c, c, c, c}, {c, 0, 0, 0}, {0, 0, 0, c}};
        check_close(W, area(a) * 1e-3 / 12 * koiter(par, a, b[i]), 1e-14);
        memcpy(x + 9 + 3 * i, X + 3 * i, 3 * sizeof *x);
      }
}

// ---- domain -----------------------------------------------------------------------------------

static void domain(void **state) {
  (void)state;
  sample s = sample_make(midedge, 1);
  double W, X[21];
  for (int v = 0; v < 3; v++) {
    s.par[4] = v;
    // an angle of more than a right one: only the tangent refuses
    double q = s.q[18];
    s.q[18] = 2.5;
    assert_int_equal(midedge->d.eval(s.q, s.par, s.rest, &W, NULL, NULL), v == 1);
    s.q[18] = q;
  }
  // three vertices in a line, and two in one place
  memcpy(X, s.X, sizeof X);
  for (int k = 0; k < 3; k++) X[6 + k] = 2 * X[3 + k] - X[k];
  assert_int_equal(midedge->d.prepare(X, s.rest), 1);
  memcpy(X, s.X, sizeof X);
  memcpy(X + 3, X, 3 * sizeof *X);
  assert_int_equal(midedge->d.prepare(X, s.rest), 1);
  // the neighbour folded onto the triangle
  memcpy(X, s.X, sizeof X);
  for (int k = 0; k < 3; k++) X[9 + k] = X[k] + 0.1 * (X[k] - 0.5 * (X[3 + k] + X[6 + k]));
  assert_int_equal(midedge->d.prepare(X, s.rest), 1);
}

int test_midedge(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(definition),   cmocka_unit_test(membrane),
      cmocka_unit_test(rest_is_free), cmocka_unit_test(variants_at_flat),
      cmocka_unit_test(derivatives),  cmocka_unit_test(free_boundary),
      cmocka_unit_test(clamped_edge), cmocka_unit_test(domain),
  };
  midedge = pl_elem_find("midedge");
  return cmocka_run_group_tests_name("element.midedge", tests, NULL, NULL);
}
