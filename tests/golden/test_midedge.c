// Mid-edge shells against plate theory. Energy of a plate per area: D/2 ((k1 + k2)^2 - 2 (1 - nu)
// (k1 k2 - k12^2)), D = E h^3/(12 (1 - nu^2)) (Timoshenko & Woinowsky-Krieger, Theory of Plates and
// Shells, eq. 45).
#include "shells.h"

#include "pliant/harmonic.h"

static pl_env env;

// ---- prescribed shapes ------------------------------------------------------------------------

static const double CURVE = 1e-3; // slopes of 1e-3 leave out 1e-6

static void cylinder(const double *X, double *u) {
  double R = 2;
  u[0] = R * sin(X[0] / R) - X[0];
  u[1] = 0;
  u[2] = R - R * cos(X[0] / R);
}

static void twist(const double *X, double *u) {
  u[0] = u[1] = 0;
  u[2] = CURVE * X[0] * X[1];
}

static void saddle(const double *X, double *u) {
  u[0] = u[1] = 0;
  u[2] = CURVE * (X[0] * X[0] - X[1] * X[1]) / 2;
}

static void dome(const double *X, double *u) {
  u[0] = u[1] = 0;
  u[2] = CURVE * (X[0] * X[0] + X[1] * X[1]) / 2;
}

// Hinges get the first right on equilateral triangles and the others on none; mid-edge normals get
// all of them on any mesh. The error of a cylinder falls as (side over radius)^2/12, 2e-5 at this
// size (measured 4e-5 at most, between the variants); flat quadratic surfaces have none but that of
// their slopes.
static void shapes(void **state) {
  (void)state;
  const double nu = 0.3, thick = 0.01, D = shell_stiffness(thick, nu);
  const struct {
    void (*u)(const double *X, double *u);
    double want;
  } shape[] = {{cylinder, D / 2 / 4},
               {twist, D * (1 - nu) * CURVE * CURVE},
               {saddle, D * (1 - nu) * CURVE * CURVE},
               {dome, D * (1 + nu) * CURVE * CURVE}};
  const int pattern[] = {PL_RIGHT, PL_ALTERNATING, PL_CROSSED, PL_EQUILATERAL, SHELL_RANDOM};
  for (int s = 0; s < 4; s++)
    for (int p = 0; p < 5; p++)
      for (int v = s ? 1 : 0; v < (s ? 2 : 3); v++) {
        double got = shell_density_of(&env, shell_mesh(&env, 32, 1, 1, pattern[p]), shape[s].u, nu,
                                      thick, v);
        check_rel(got, shape[s].want, 1e-4);
      }
}

// vertices renumbered at random and every third triangle turned over: signs of directors follow
static pl_mesh *shuffled(int n) {
  pl_mesh *m = shell_mesh(&env, n, 1, 1, SHELL_RANDOM), *out;
  int *to = pl_alloc(&env, (size_t)m->nvert, sizeof *to), ntri = m->cell[PL_TRI3].n;
  check_ok(&env, pl_mesh_create(&env, "shuffled", m->nvert, &out));
  check_ok(&env, pl_mesh_set_cells(out, PL_TRI3, ntri));
  pl_rng r;
  pl_rng_seed(&r, 11);
  for (int i = 0; i < m->nvert; i++) {
    int j = (int)pl_rng_uniform(&r, 0, i + 0.999);
    to[i] = to[j];
    to[j] = i;
  }
  for (int i = 0; i < m->nvert; i++) memcpy(out->X + 3 * to[i], m->X + 3 * i, 3 * sizeof *m->X);
  for (int t = 0; t < ntri; t++)
    for (int i = 0; i < 3; i++) {
      int from = t % 3 ? i : (3 - i) % 3;
      out->cell[PL_TRI3].v[3 * t + i] = to[m->cell[PL_TRI3].v[3 * t + from]];
    }
  pl_free(&env, to);
  pl_mesh_free(m);
  return out;
}

static void numbering(void **state) {
  (void)state;
  double a =
      shell_density_of(&env, shell_mesh(&env, 12, 1, 1, SHELL_RANDOM), cylinder, 0.3, 0.01, 1);
  double b = shell_density_of(&env, shuffled(12), cylinder, 0.3, 0.01, 1);
  check_rel(b, a, 1e-10);
}

// ---- curved at rest ---------------------------------------------------------------------------

// a quarter of a pipe: free of stress as it is, six rigid motions and stiff against all others
static void quarter_pipe(void **state) {
  (void)state;
  static model_kit k;
  kit_model b;
  kit_init(&k, &env, 3);
  k.mesh = shell_mesh(&env, 12, PL_PI / 2, 1, PL_EQUILATERAL);
  for (int i = 0; i < k.mesh->nvert; i++) {
    double *x = k.mesh->X + 3 * i, phi = x[0];
    x[0] = sin(phi);
    x[2] = cos(phi);
  }
  shell_make(&k, 0.3, 0.01, 1, NULL);
  kit_build(&k, 1, &b);
  check_ok(&env, pl_eval(b.m, b.p, b.s, &(pl_clock){.scale = 1}, PL_WANT_ENERGY | PL_WANT_FORCE,
                         NULL, b.w));
  double D = shell_stiffness(0.01, 0.3);
  check_close(b.w->elastic, 0, 1e-25 * D);
  check_close(pl_max_abs(b.s->nq, b.w->r), 0, 1e-10 * D);

  // turned and shifted as a whole, directors left alone
  double R[9], c[3] = {3, -2, 1};
  pl_rotation3((double[]){1, 2, -1}, 2, R);
  for (int i = 0; i < k.d.nnode; i++)
    for (int j = 0; j < 3; j++) b.s->q[3 * i + j] = pl_dot3(R + 3 * j, k.X + 3 * i) + c[j];
  check_ok(&env, pl_eval(b.m, b.p, b.s, &(pl_clock){.scale = 1}, PL_WANT_ENERGY, NULL, b.w));
  check_close(b.w->elastic, 0, 1e-20 * D);

  pl_modes_opts o = {.count = 8};
  pl_modes_info info;
  double omega[8], *shape = kit_keep(&k, 8 * b.s->nq, sizeof *shape);
  check_ok(&env, pl_modes(&o, b.m, b.p, b.s, b.w, omega, shape, &info));
  assert_int_equal(info.nrigid, 6);
  assert_int_equal(info.nunstable, 0);
  kit_model_free(&b);
  kit_free(&k);
}

// ---- frequencies of square plates -------------------------------------------------------------

enum { CLAMPED, PINNED, FREE, CANTILEVER };

// Ritz's method with products of Legendre polynomials, times (1 - x^2)^2 or (1 + x)^2 where edges
// are clamped (Leissa, J. Sound Vib. 31 (1973) 257, with a larger basis): upper bounds that are
// converged to 1e-6 with ten functions each way, while Leissa's 36 terms leave up to 1 %.
enum { TERMS = 10, POINTS = 16 };

// functions [TERMS][3] and their first two derivatives at x in -1..1
static void basis(int factor, double x, double f[TERMS][3]) {
  double P[TERMS][3] = {{1, 0, 0}, {x, 1, 0}};
  for (int n = 1; n + 1 < TERMS; n++)
    for (int d = 0; d < 3; d++)
      P[n + 1][d] =
          ((2 * n + 1) * (x * P[n][d] + (d ? d * P[n][d - 1] : 0)) - n * P[n - 1][d]) / (n + 1);
  double y = 1 - x * x, z = 1 + x;
  double c[3][3] = {{1, 0, 0}, {y * y, -4 * x * y, 12 * x * x - 4}, {z * z, 2 * z, 2}};
  const double *g = c[factor];
  for (int n = 0; n < TERMS; n++) {
    f[n][0] = P[n][0] * g[0];
    f[n][1] = P[n][1] * g[0] + P[n][0] * g[1];
    f[n][2] = P[n][2] * g[0] + 2 * P[n][1] * g[1] + P[n][0] * g[2];
  }
}

// F[a][b][i][j] = integral over 0..1 of the derivatives a of i and b of j
static void integrals(int factor, double F[3][3][TERMS][TERMS]) {
  double x[POINTS], w[POINTS], f[TERMS][3];
  memset(F, 0, 9 * sizeof F[0][0]);
  pl_gauss(POINTS, x, w);
  for (int p = 0; p < POINTS; p++) {
    basis(factor, x[p], f);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        for (int i = 0; i < TERMS; i++)
          for (int j = 0; j < TERMS; j++)
            F[a][b][i][j] += 0.5 * w[p] * f[i][a] * f[j][b] * (1 << (a + b));
  }
}

// omega a^2 sqrt(rho h/D)
static void ritz(int support, double nu, int count, double *lambda) {
  enum { N = TERMS * TERMS };
  static double F[2][3][3][TERMS][TERMS], K[N * N], M[N * N], x[12 * N];
  static int row[N * N], col[N * N];
  integrals(support == CLAMPED ? 1 : support == CANTILEVER ? 2 : 0, F[0]);
  integrals(support == CLAMPED ? 1 : 0, F[1]);
#define G(a, b, c, d) (F[0][a][b][i][k] * F[1][c][d][j][l])
  int n = 0;
  for (int r = 0; r < N; r++)
    for (int c = 0; c <= r; c++, n++) {
      int i = r / TERMS, j = r % TERMS, k = c / TERMS, l = c % TERMS;
      row[n] = r;
      col[n] = c;
      M[n] = G(0, 0, 0, 0);
      K[n] = G(2, 2, 0, 0) + G(0, 0, 2, 2) + nu * (G(2, 0, 0, 2) + G(0, 2, 2, 0)) +
             2 * (1 - nu) * G(1, 1, 1, 1);
    }
#undef G
  pl_csc A, B;
  pl_eigen_info info;
  check_ok(&env, pl_csc_from_triplets(&env, N, 1, n, row, col, K, &A));
  check_ok(&env, pl_csc_from_triplets(&env, N, 1, n, row, col, M, &B));
  check_ok(&env, pl_eigen_lowest(&env, &A, &B, count, 1, lambda, x, &info));
  assert_int_equal(info.nfound, count);
  for (int k = 0; k < count; k++) lambda[k] = sqrt(fmax(0, lambda[k]));
  pl_csc_free(&env, &A);
  pl_csc_free(&env, &B);
}

static int on_boundary(const double *X) {
  return fmin(fmin(X[0], X[1]), fmin(1 - X[0], 1 - X[1])) < 1e-9;
}

static void plate_modes(int support, int pattern, int n, int count, double *lambda) {
  static model_kit k;
  kit_model b;
  const double thick = 1e-3, nu = 0.3;
  kit_init(&k, &env, 3);
  k.mesh = shell_mesh(&env, n, 1, 1, pattern);
  shell_make(&k, nu, thick, 1,
             support == CLAMPED      ? on_boundary
             : support == CANTILEVER ? shell_left
                                     : NULL);
  for (int i = 0; i < k.mesh->nvert && support == PINNED; i++)
    if (on_boundary(k.mesh->X + 3 * i)) kit_drive(&k, 1, &i);
  kit_build(&k, 1, &b);
  pl_modes_opts o = {.count = count};
  pl_modes_info info;
  double *shape = kit_keep(&k, count * b.s->nq, sizeof *shape);
  check_ok(&env, pl_modes(&o, b.m, b.p, b.s, b.w, lambda, shape, &info));
  assert_int_equal(info.nunstable, 0);
  assert_int_equal(info.nrigid, support == FREE ? 6 : 0);
  for (int i = 0; i < count; i++)
    lambda[i] *= sqrt(shell_density * thick / shell_stiffness(thick, nu));
  kit_model_free(&b);
  kit_free(&k);
}

// values of the tables, for the method of reference itself
static void ritz_agrees_with_tables(void **state) {
  (void)state;
  double lambda[12];
  ritz(CLAMPED, 0.3, 4, lambda);
  // Leissa 1973: 35.992 73.413 73.413 108.27, upper bounds of 0.1 %
  const double clamped[4] = {35.985, 73.394, 73.394, 108.22};
  check_array(4, lambda, clamped, 0.01);
  ritz(FREE, 0.3, 8, lambda);
  // Leissa 1973: 13.489 19.789 24.432 35.024 35.024, upper bounds of 1 %; three rigid motions
  const double leissa[5] = {13.489, 19.789, 24.432, 35.024, 35.024};
  for (int i = 0; i < 5; i++) {
    check_rel(lambda[3 + i], leissa[i], 0.011);
    check_less(lambda[3 + i], leissa[i]);
  }
  ritz(CANTILEVER, 0.3, 3, lambda);
  // Leissa 1973: 3.4917 8.5246 21.429
  const double cantilever[3] = {3.4917, 8.5246, 21.429};
  check_array(3, lambda, cantilever, 0.15);
}

// The error falls by four when the cells are halved, so that 4/3 of the finer less 1/3 of the
// coarser solution is right to fourth order (about 1e-4 here in the highest mode).
static void frequencies(void **state) {
  (void)state;
  const int pattern[] = {PL_ALTERNATING, PL_EQUILATERAL};
  for (int support = CLAMPED; support <= CANTILEVER; support++) {
    int rigid = support == FREE ? 3 : 0, count = 4;
    double want[12], coarse[12], fine[12];
    if (support == PINNED) // pi^2 (m^2 + n^2)
      for (int i = 0; i < 4; i++) want[i] = PL_PI * PL_PI * (const int[]){2, 5, 5, 8}[i];
    else
      ritz(support, 0.3, count + rigid, want);
    for (int p = 0; p < 2; p++) {
      plate_modes(support, pattern[p], 16, count + 2 * rigid, coarse);
      plate_modes(support, pattern[p], 32, count + 2 * rigid, fine);
      for (int i = 0; i < count; i++) {
        double f = fine[2 * rigid + i], c = coarse[2 * rigid + i], w = want[rigid + i];
        check_rel(f, w, 0.025);
        check_rel(f + (f - c) / 3, w, 3e-3);
      }
    }
  }
}

// ---- strips -----------------------------------------------------------------------------------

// A heavy strip, nu = 0: drop of the tip over its distance from the wall. Anchor values of the
// elastica with distributed weight, Gamma = rho h g L^3/D: 0.124562 at 1, 5.88810 at 100 (tests of
// Romero et al. 2021, recomputed by shooting). Mesh errors here: 1.5/48^2 at 1, and at 100, where
// the strip bends within L/10 of the wall, (L/48 over L/10)^2/4.
static double drop(double gamma, double thick, int pattern, double *x) {
  static model_kit k;
  kit_model b;
  kit_init(&k, &env, 3);
  k.mesh = shell_mesh(&env, 48, 1, 0.125, pattern);
  shell_make(&k, 0, thick, 1, shell_left);
  k.d.gravity[2] = -gamma * shell_stiffness(thick, 0) / (shell_density * thick);
  kit_build(&k, 1, &b);
  golden_static(&b, 1e-9, 1);
  int tip = kit_node_at(&k, 1, 0, 0);
  double z = -b.s->q[3 * tip + 2];
  *x = b.s->q[3 * tip];
  kit_model_free(&b);
  kit_free(&k);
  return z;
}

static void heavy_strip(void **state) {
  (void)state;
  double x, z = drop(1, 1e-3, PL_EQUILATERAL, &x);
  check_rel(z / x, 0.124562, 1e-3);
  z = drop(100, 1e-3, PL_EQUILATERAL, &x);
  check_rel(z / x, 5.88810, 0.015);
}

// The same shape however thin the strip is: where edges run along the folds nothing locks. Meshes
// without such edges stretch as they bend, felt where side^2 times curvature exceeds the thickness.
static void thin_strip(void **state) {
  (void)state;
  double x, want = drop(10, 1e-3, PL_ALTERNATING, &x);
  check_rel(drop(10, 1e-4, PL_ALTERNATING, &x), want, 1e-5);
  check_rel(drop(10, 1e-5, PL_ALTERNATING, &x), want, 1e-5);
}

// ---- harmonic balance -------------------------------------------------------------------------

// A strip on a wall that shakes a little: the motion peaks at its mode. With damping ratio zeta the
// amplitude about the peak goes as 1/sqrt(1 + (d/zeta)^2), d = omega/omega1 - 1; other modes and
// the wall's own motion add about zeta of that.
static void shaken_strip(void **state) {
  (void)state;
  static model_kit k;
  kit_model b;
  const double zeta = 1e-3, at[3] = {-1, 0, 1};
  double omega[1], size[3];
  kit_init(&k, &env, 3);
  k.mesh = shell_mesh(&env, 12, 1, 0.25, PL_EQUILATERAL);
  shell_make(&k, 0.3, 0.02, 1, shell_left);
  pl_term shake = {.harmonic = 1, .amplitude = {0, 0, 1e-5}};
  k.drive[0].nterm = 1;
  k.drive[0].term = &shake;
  kit_build(&k, 1, &b);
  double *shape = kit_keep(&k, b.s->nq, sizeof *shape);
  check_ok(&env, pl_modes(&(pl_modes_opts){.count = 1}, b.m, b.p, b.s, b.w, omega, shape, NULL));
  b.p->par[PL_PAR_ALPHA] = 2 * zeta * omega[0];
  for (int i = 0; i < 3; i++) {
    pl_periodic_opts o;
    pl_periodic_info info;
    pl_orbit *orbit = NULL;
    pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &o);
    o.frequency = omega[0] * (1 + zeta * at[i]);
    o.harmonics = 2;
    check_ok(&env, pl_periodic(&o, b.m, b.p, b.w, &orbit, &info));
    size[i] = pl_orbit_size(b.m, orbit);
    pl_orbit_free(orbit);
  }
  check_rel(size[0] / size[1], sqrt(0.5), 3 * zeta);
  check_rel(size[2] / size[1], sqrt(0.5), 3 * zeta);
  kit_model_free(&b);
  kit_free(&k);
}

int test_midedge(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes),       cmocka_unit_test(numbering),
      cmocka_unit_test(quarter_pipe), cmocka_unit_test(ritz_agrees_with_tables),
      cmocka_unit_test(frequencies),  cmocka_unit_test(heavy_strip),
      cmocka_unit_test(thin_strip),   cmocka_unit_test(shaken_strip),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("midedge", tests, NULL, NULL);
}
