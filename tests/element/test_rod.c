// Rods: stiffnesses of sections against closed forms and finite differences, the rule for
// directors, rotations of junctions and anchors that move.
#include "kind_checks.h"

#include <stdlib.h>
#include <string.h>

// ---- sections ----------------------------------------------------------------------------------

typedef struct stiffness {
  double EA, EI1, EI2, GJ, mass, spin;
} stiffness;

// from energies of a straight rod of edges of length one: W = E A/2 at twice its length, and
// E I/2, G J/2 for natural curvatures and a natural twist of one
static stiffness stiffness_of(double E, double nu, double rho, double w, double h, double hollow,
                              int shape) {
  const pl_elem_kind *edge = pl_elem_find("rod_edge"), *bend = pl_elem_find("rod_bend");
  double par[11] = {E, nu, rho, w, h, hollow, shape}, M[49], rest[32], W;
  double X[11] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, far[7] = {0, 0, 0, 2, 0, 0};
  stiffness s;
  double *at[3] = {&s.EI1, &s.EI2, &s.GJ};
  assert_int_equal(edge->d.prepare((double[]){0, 0, 0, 1, 0, 0, 0}, rest), 0);
  assert_int_equal(edge->d.eval(far, par, rest, &W, NULL, NULL), 0);
  s.EA = 2 * W;
  assert_int_equal(edge->d.mass(par, rest, 1, M), 0);
  s.mass = 2 * M[0];
  s.spin = M[48];
  assert_int_equal(bend->d.prepare(X, rest), 0);
  for (int k = 0; k < 3; k++) {
    par[7 + k] = 1;
    assert_int_equal(bend->d.eval(X, par, rest, &W, NULL, NULL), 0);
    *at[k] = 2 * W;
    par[7 + k] = 0;
  }
  return s;
}

static void round_sections(void **state) {
  (void)state;
  const double E = 3, nu = 0.25, rho = 2, G = E / (2 * (1 + nu)), d = 0.7, k = 0.6;
  stiffness s = stiffness_of(E, nu, rho, d, d, k, 0);
  double d4 = pow(d, 4) - pow(k * d, 4), A = PL_PI / 4 * (d * d - k * k * d * d);
  check_rel(s.EA, E * A, 1e-14);
  check_rel(s.EI1, E * PL_PI / 64 * d4, 1e-14);
  check_rel(s.EI2, E * PL_PI / 64 * d4, 1e-14);
  check_rel(s.GJ, G * PL_PI / 32 * d4, 1e-14);
  check_rel(s.mass, rho * A, 1e-14);
  check_rel(s.spin, rho * PL_PI / 32 * d4, 1e-14);

  // half axes a, b: pi a^3 b^3/(a^2 + b^2) (Timoshenko & Goodier, art. 105)
  const double a = 0.5, b = 0.2;
  s = stiffness_of(E, nu, rho, 2 * a, 2 * b, 0, 0);
  check_rel(s.EI1, E * PL_PI / 4 * a * a * a * b, 1e-14);
  check_rel(s.EI2, E * PL_PI / 4 * a * b * b * b, 1e-14);
  check_rel(s.GJ, G * PL_PI * a * a * a * b * b * b / (a * a + b * b), 1e-14);
}

// Saint-Venant's series itself, summed far
static double series(double a, double b) {
  double sum = 0;
  for (int n = 2001; n > 0; n -= 2) sum += tanh(n * PL_PI * a / (2 * b)) / pow(n, 5);
  return a * b * b * b * (1.0 / 3 - 64 / pow(PL_PI, 5) * b / a * sum);
}

static void rectangles(void **state) {
  (void)state;
  const double E = 3, nu = 0.25, G = E / (2 * (1 + nu));
  // J/(a b^3) by a/b (Timoshenko & Goodier, art. 109, table of k1), three digits
  static const double table[6][2] = {{1, 0.1406}, {1.5, 0.196}, {2, 0.229},
                                     {3, 0.263},  {5, 0.291},   {10, 0.312}};
  for (int i = 0; i < 6; i++)
    for (int turned = 0; turned < 2; turned++) {
      double b = 0.3, a = table[i][0] * b, w = turned ? b : a, h = turned ? a : b;
      stiffness s = stiffness_of(E, nu, 1, w, h, 0, 1);
      check_rel(s.EA, E * w * h, 1e-14);
      check_rel(s.EI1, E * h * w * w * w / 12, 1e-14);
      check_rel(s.EI2, E * w * h * h * h / 12, 1e-14);
      check_close(s.GJ / (G * a * b * b * b), table[i][1], 5e-4);
      check_rel(s.GJ, G * series(a, b), 1e-13);
    }
}

// J of a rectangular tube from Prandtl's function by finite differences: f'' = -2, zero outside,
// constant over the hole so that the slopes around it add up to twice its area; 2 int f
static double prandtl(int n, double w, double h, int hole) {
  double dx = w / n, dy = h / n, cx = dy / dx, cy = dx / dy, over = 2 / (1 + sin(PL_PI / n));
  double *f = calloc((size_t)((n + 1) * (n + 1)), sizeof *f), in = 0, sum = 0;
  assert_non_null(f);
#define F(i, j) f[(i) * (n + 1) + (j)]
  for (int it = 0; it < 12 * n; it++) {
    double flow = 2 * (n - 2 * hole + 1) * (n - 2 * hole + 1) * dx * dy, links = 0;
    for (int i = 1; i < n; i++)
      for (int j = 1; j < n; j++) {
        if (i >= hole && i <= n - hole && j >= hole && j <= n - hole) continue;
        double to =
            (cx * (F(i - 1, j) + F(i + 1, j)) + cy * (F(i, j - 1) + F(i, j + 1)) + 2 * dx * dy) /
            (2 * cx + 2 * cy);
        F(i, j) += over * (to - F(i, j));
      }
    for (int i = hole; i <= n - hole; i++) {
      flow +=
          cx * (F(hole - 1, i) + F(n - hole + 1, i)) + cy * (F(i, hole - 1) + F(i, n - hole + 1));
      links += 2 * cx + 2 * cy;
    }
    in = flow / links;
    for (int i = hole; i <= n - hole; i++)
      for (int j = hole; j <= n - hole; j++) F(i, j) = in;
  }
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++) sum += 2 * F(i, j) * dx * dy;
#undef F
  free(f);
  return sum;
}

static void tubes(void **state) {
  (void)state;
  const double E = 2, nu = 0, G = 1;
  for (int quarters = 1; quarters < 4; quarters++)
    for (int flat = 0; flat < 2; flat++) {
      double k = quarters / 4.0, h = flat ? 0.4 : 1;
      stiffness s = stiffness_of(E, nu, 1, 1, h, k, 1);
      double coarse = prandtl(48, 1, h, 24 - 6 * quarters);
      double want = G * (4 * prandtl(96, 1, h, 48 - 12 * quarters) - coarse) / 3;
      // what section.inc claims
      check_rel(s.GJ, want, flat ? 0.03 : 0.004);
      check_rel(s.EI1, E * h * (1 - pow(k, 4)) / 12, 1e-14);
    }
  // thin walls: Bredt, 4 A^2 t/perimeter of the middle line
  stiffness s = stiffness_of(E, nu, 1, 1, 0.5, 0.99, 1);
  double wm = 0.995, hm = 0.4975,
         bredt = 4 * wm * wm * hm * hm / (2 * wm / 0.0025 + 2 * hm / 0.005);
  // Bredt leaves out what is of the order of the walls, 1 % of the sides here
  check_rel(s.GJ, bredt, 1e-2);
}

// ---- directors ---------------------------------------------------------------------------------

static void unit(pl_rng *r, double *x) {
  random_vector(r, 3, x);
  double l = pl_norm3(x);
  for (int i = 0; i < 3; i++) x[i] /= l;
}

static void directors(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 7);
  for (int i = 0; i < 200; i++) {
    double t[3], d[3], back[3], opposite[3], m[3], theta = pl_rng_uniform(&r, -3, 3), w[3];
    unit(&r, t);
    if (i % 4 == 0) t[0] *= 0.05, t[1] *= 0.05, t[2] = i % 8 ? 1 : -1;
    double l = pl_norm3(t);
    for (int c = 0; c < 3; c++) t[c] /= l, opposite[c] = -t[c];
    pl_rod_director(t, d);
    pl_rod_director(opposite, back);
    check_close(pl_dot3(d, t), 0, 1e-15);
    check_close(pl_norm3(d), 1, 1e-15);
    for (int c = 0; c < 3; c++) check_close(back[c], -d[c], 0);
    pl_cross3(t, d, w);
    for (int c = 0; c < 3; c++) m[c] = 2 * (cos(theta) * d[c] + sin(theta) * w[c]) + 0.5 * t[c];
    check_close(pl_rod_angle(t, m), theta, 1e-14);
  }
  // level and upright, or along x and y
  double d[3];
  pl_rod_director((double[]){1, 0, 0}, d);
  check_array(3, d, ((double[]){0, 1, 0}), 0);
  pl_rod_director((double[]){0, 0, 1}, d);
  check_array(3, d, ((double[]){1, 0, 0}), 0);
  // carried by a quarter turn about z
  pl_rod_transport((double[]){1, 0, 0}, (double[]){0, 1, 0}, (double[]){0, 0.6, 0.8}, d);
  check_array(3, d, ((double[]){-0.6, 0, 0.8}), 1e-15);
}

// Directors flip where a rod passes the vertical from one edge to the next. A rod that is straight
// by nature has nothing to twist there: W = E I (2 tan(a/2))^2/(2 L) for a turn by a.
static void over_the_top(void **state) {
  (void)state;
  const pl_elem_kind *bend = pl_elem_find("rod_bend");
  double par[11] = {3, 0.25, 2, 0.7, 0.7, 0, 0, 0, 0, 0, 1}, EI = 3 * PL_PI / 64 * pow(0.7, 4);
  for (double a = 0.2; a < 1; a += 0.05) {
    double t0[3] = {sin(a), 0, cos(a)}, t1[3] = {-sin(0.7 * a), 0, cos(0.7 * a)}, m[3], W, rest[32];
    double X[11] = {0, 0, 0, t0[0], 0, t0[2], t0[0] + t1[0], 0, t0[2] + t1[2]};
    pl_rod_director(t0, m);
    X[9] = pl_rod_angle(t0, m);
    pl_rod_transport(t0, t1, m, m);
    X[10] = X[9] + remainder(pl_rod_angle(t1, m) - X[9], 2 * PL_PI);
    assert_int_equal(bend->d.prepare(X, rest), 0);
    assert_int_equal(bend->d.eval(X, par, rest, &W, NULL, NULL), 0);
    check_rel(W, 0.5 * EI * pow(2 * tan(0.85 * a), 2), 1e-12);
  }
}

// ---- anchors -----------------------------------------------------------------------------------

static int is_rod(const pl_elem_kind *kind) {
  return kind->commit != NULL && !kind->slider.d && !kind->outer;
}

// energies stay, over a walk that leads far from the anchors at rest; rest data other than anchors
// stay, too
static void commits(void **state) {
  const pl_elem_kind *kind = *state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(kind, seed);
    double rest[PL_NREST_MAX], e[2], a[PL_NDOF_MAX] = {0};
    pl_rng r;
    pl_rng_seed(&r, seed + 77);
    memcpy(rest, s.rest, sizeof rest);
    for (int step = 0; step < 30; step++) {
      assert_int_equal(kind->d.eval(s.q, s.par, s.rest, e, NULL, NULL), 0);
      kind->commit(s.q, s.v, a, s.par, s.rest, 0);
      assert_int_equal(kind->d.eval(s.q, s.par, s.rest, e + 1, NULL, NULL), 0);
      compare(&s, "energy after a commit", 1, e + 1, e, 1e-12);
      for (int i = 0; i < s.n; i++) s.q[i] += pl_rng_uniform(&r, -0.05, 0.05);
    }
    assert_memory_equal(rest + kind->nhist, s.rest + kind->nhist,
                        (size_t)(kind->nrest - kind->nhist) * sizeof *rest);
  }
}

// what is kept is kept to the bit
static void kept(void **state) {
  const pl_elem_kind *kind = *state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(kind, seed), t = s;
    double a[PL_NDOF_MAX] = {0}, e[2];
    kind->commit(s.q, s.v, a, s.par, s.rest, ~0u);
    assert_memory_equal(s.q, t.q, sizeof s.q);
    assert_memory_equal(s.v, t.v, sizeof s.v);
    // anchors of the edges: the first six numbers, of two edges the first twelve
    assert_memory_equal(s.rest, t.rest, (kind->nvert - 1) * 6 * sizeof(double));
    assert_int_equal(kind->d.eval(s.q, s.par, s.rest, e, NULL, NULL), 0);
    assert_int_equal(kind->d.eval(t.q, t.par, t.rest, e + 1, NULL, NULL), 0);
    compare(&s, "energy", 1, e, e + 1, 1e-12);
  }
}

// long vectors become short ones of the same rotation; their rates by differences
static void short_vectors(void **state) {
  (void)state;
  const pl_elem_kind *kind = pl_elem_find("rod_joint");
  const double h = 1e-4, w1[5] = {1 / 12., -8 / 12., 0, 8 / 12., -1 / 12.},
               w2[5] = {-1 / 12., 16 / 12., -30 / 12., 16 / 12., -1 / 12.};
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(kind, seed);
    double a[10], v[3] = {0}, acc[3] = {0}, e[2], R[9];
    pl_rng r;
    pl_rng_seed(&r, seed);
    random_vector(&r, 10, a);
    // the whole element turned by 200 degrees about z, its junction's vector being long
    pl_rotation3((double[]){0, 0, 1}, -2.79, R);
    kind->rotate(R, s.q, s.par, s.rest, s.rest, 0, s.q + 6);
    for (int i = 0; i < 2; i++) {
      double x[3];
      for (int c = 0; c < 3; c++) x[c] = pl_dot3(R + 3 * c, s.q + 3 * i);
      memcpy(s.q + 3 * i, x, sizeof x);
    }
    double *q = s.q + 7, ss = pl_dot3(q, q);
    for (int c = 0; c < 3; c++) q[c] = -q[c] / ss;
    check_less(1, pl_norm3(q));
    for (int i = 0; i < 5; i++) {
      double t = (i - 2) * h, x[3];
      for (int c = 0; c < 3; c++) x[c] = q[c] + t * s.v[7 + c] + t * t / 2 * a[7 + c];
      double xx = pl_dot3(x, x);
      for (int c = 0; c < 3; c++) {
        v[c] -= w1[i] * x[c] / xx / h;
        acc[c] -= w2[i] * x[c] / xx / (h * h);
      }
    }
    assert_int_equal(kind->d.eval(s.q, s.par, s.rest, e, NULL, NULL), 0);
    kind->commit(s.q, s.v, a, s.par, s.rest, 0);
    check_less(pl_norm3(q), 1);
    check_array(3, s.v + 7, v, 1e-9);
    check_array(3, a + 7, acc, 1e-5);
    assert_int_equal(kind->d.eval(s.q, s.par, s.rest, e + 1, NULL, NULL), 0);
    compare(&s, "energy", 1, e + 1, e, 1e-12);
  }
}

int test_rod(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_sections), cmocka_unit_test(rectangles),
      cmocka_unit_test(tubes),          cmocka_unit_test(directors),
      cmocka_unit_test(over_the_top),   cmocka_unit_test(short_vectors),
  };
  static const kind_test kinds[] = {{"commits", commits, is_rod}, {"kept anchors", kept, is_rod}};
  int failed = cmocka_run_group_tests_name("element.rod", tests, NULL, NULL);
  return failed + run_kinds("element.rod", kinds, 2);
}
