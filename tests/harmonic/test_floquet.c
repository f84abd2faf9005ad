#include "check.h"
#include "sample_models.h"

#include "floquet_impl.h"

#include <string.h>

static pl_env env;

// ---- lumped models ------------------------------------------------------------------------------

// masses on a line, springs from one unknown to another (-1: ground), a force on the last
typedef struct lumped {
  model_kit kit;
  kit_model b;
  double X[4], mass[4], spring[4][4];
  int nmass, nspring, mass_at[4], spring_at[8], force_at;
} lumped;

static void lumped_init(lumped *l, int n, const double *mass, double force) {
  memset(l, 0, sizeof *l);
  kit_init(&l->kit, &env, 1);
  l->kit.d.nnode = n;
  l->kit.d.X = l->X;
  for (int i = 0; i < n; i++)
    if (mass[i] > 0) {
      l->mass_at[l->nmass] = i;
      l->mass[l->nmass++] = mass[i];
    }
  l->force_at = n - 1;
  l->kit.load[l->kit.d.nload++] = (pl_load_desc){
      .name = "push", .nnode = 1, .node = &l->force_at, .term = {1, {force, 0, 0}, 0}};
}

// spring: stiffness, quadratic, cubic, damping
static void lumped_add(lumped *l, int from, int to, double k, double k2, double k3, double c) {
  int n = l->nspring++;
  l->spring_at[2 * n] = from;
  l->spring_at[2 * n + 1] = to;
  memcpy(l->spring[n], (double[]){k, k2, k3, c}, sizeof l->spring[n]);
}

static void lumped_groups(lumped *l) {
  kit_group(&l->kit, "springs", "spring1", l->nspring, l->spring_at, 0, l->spring[0]);
  kit_group(&l->kit, "masses", "mass1", l->nmass, l->mass_at, 0, l->mass);
}

static void lumped_build(lumped *l) {
  lumped_groups(l);
  kit_build(&l->kit, 1, &l->b);
}

static void lumped_free(lumped *l) {
  kit_model_free(&l->b);
  kit_free(&l->kit);
}

static pl_orbit *orbit_at(const kit_model *b, int H, double omega) {
  pl_orbit *o;
  check_ok(&env, pl_orbit_create(&env, b->m, H, &o));
  o->omega = omega;
  return o;
}

// Newton's method with full steps; 0 when it does not converge
static int newton(const kit_model *b, pl_orbit *o) {
  pl_hb *hb;
  pl_factor *f;
  check_ok(&env, pl_hb_create(b->m, b->p, b->w, o->nharm, 0, &hb));
  int n = pl_hb_size(hb), small = 0;
  double *d = pl_alloc(&env, (size_t)n, sizeof(double));
  check_ok(&env, pl_factor_create_blocks(&env, pl_hb_jacobian(hb), 1, &f));
  for (int i = 0; i < 40 && small < 2; i++) {
    if (pl_hb_eval(hb, o->z, o->omega, PL_HB_RESIDUAL | PL_HB_JACOBIAN) != PL_OK) break;
    // one more step once it is there
    small = pl_hb_error(hb) < 1e-9 ? small + 1 : 0;
    if (pl_factor_numeric_blocks(f, pl_hb_jacobian(hb)) != PL_OK) break;
    check_ok(&env, pl_factor_solve(f, 1, pl_hb_residual(hb), d));
    pl_axpy(n, -1, d, o->z, o->z);
  }
  pl_factor_free(f);
  pl_free(&env, d);
  pl_hb_free(hb);
  return small >= 2;
}

static pl_floquet floquet(const kit_model *b, const pl_orbit *o, pl_floquet_method how) {
  pl_floquet f;
  check_ok(&env, pl_orbit_floquet(b->m, b->p, b->w, o, how, &f));
  for (int i = 1; i < f.n; i++)
    check_less(hypot(f.re[i], f.im[i]), hypot(f.re[i - 1], f.im[i - 1]) * (1 + 1e-15) + 1e-300);
  // conjugates stand side by side
  for (int i = 0; i < f.n; i++)
    if (f.im[i] > 0) check_close(f.im[i + 1], -f.im[i], 0);
  return f;
}

// the first n of two lists, each taken from the other by the nearest
static void check_same(int n, const pl_floquet *f, const pl_floquet *g, double tol) {
  for (int i = 0; i < n; i++) {
    double near = INFINITY;
    for (int j = 0; j < g->n; j++)
      near = fmin(near, hypot(f->re[i] - g->re[j], f->im[i] - g->im[j]));
    check_less(near, tol);
  }
}

// ---- independent integration --------------------------------------------------------------------

enum { RK_STEPS = 4000 };

// displacement of unknown i at a phase, from the coefficients alone
static double displaced(const pl_orbit *o, int i, double phase) {
  const double *z = o->z + i * (2 * o->nharm + 1);
  double q = z[0];
  for (int k = 1; k <= o->nharm; k++)
    q += z[2 * k - 1] * sin(k * phase) + z[2 * k] * cos(k * phase);
  return q;
}

// rate of deviations y = (x, v) of the lumped model at a time
static void rate(const lumped *l, const pl_orbit *o, double t, const double *y, double *dy) {
  int n = o->nfree;
  double q[4], force[4] = {0};
  for (int i = 0; i < n; i++) q[i] = displaced(o, i, o->omega * t);
  for (int s = 0; s < l->nspring; s++) {
    int a = l->spring_at[2 * s], b = l->spring_at[2 * s + 1];
    const double *par = l->spring[s];
    double d = (b < 0 ? 0 : q[b]) - (a < 0 ? 0 : q[a]);
    double k = par[0] + 2 * par[1] * d + 3 * par[2] * d * d;
    double f = k * ((b < 0 ? 0 : y[b]) - (a < 0 ? 0 : y[a])) +
               par[3] * ((b < 0 ? 0 : y[n + b]) - (a < 0 ? 0 : y[n + a]));
    if (b >= 0) force[b] -= f;
    if (a >= 0) force[a] += f;
  }
  for (int i = 0; i < n; i++) {
    dy[i] = y[n + i];
    dy[n + i] = force[i] / l->mass[i];
  }
}

// monodromy matrix F[2n][2n], columns first, by the classical scheme of fourth order
static void integrate(const lumped *l, const pl_orbit *o, double *F) {
  int m = 2 * o->nfree;
  double h = 2 * PL_PI / o->omega / RK_STEPS;
  for (int c = 0; c < m; c++) {
    double *y = F + c * m, k[4][8], at[8];
    for (int i = 0; i < m; i++) y[i] = i == c;
    for (int s = 0; s < RK_STEPS; s++) {
      rate(l, o, h * s, y, k[0]);
      for (int j = 1; j < 4; j++) {
        double w = j == 3 ? h : h / 2;
        for (int i = 0; i < m; i++) at[i] = y[i] + w * k[j - 1][i];
        rate(l, o, h * s + w, at, k[j]);
      }
      for (int i = 0; i < m; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
  }
}

// sums of powers of the multipliers are traces of powers of F, whatever their order
static void check_traces(const lumped *l, const pl_orbit *o, const pl_floquet *f, double tol) {
  int m = 2 * o->nfree;
  double F[64] = {0}, P[64], Q[64], re[8], im[8];
  integrate(l, o, F);
  memcpy(P, F, sizeof P);
  assert_int_equal(f->n, m);
  for (int i = 0; i < m; i++) re[i] = f->re[i], im[i] = f->im[i];
  for (int k = 1; k <= m; k++) {
    double want = 0, got = 0, imaginary = 0;
    for (int i = 0; i < m; i++) {
      want += P[i * m + i];
      got += re[i];
      imaginary += im[i];
    }
    check_close(got, want, tol * fmax(1, fabs(want)));
    check_close(imaginary, 0, 1e-12);
    dense_mul(m, m, m, 1, P, F, 0, Q);
    memcpy(P, Q, sizeof P);
    for (int i = 0; i < m; i++) {
      double x = re[i] * f->re[i] - im[i] * f->im[i];
      im[i] = re[i] * f->im[i] + im[i] * f->re[i];
      re[i] = x;
    }
  }
}

// ---- closed forms -------------------------------------------------------------------------------

// exp of the roots of m s^2 + c s + k over a period
static void linear_oscillator(void **state) {
  (void)state;
  // mass, damping, stiffness, frequency: light, heavy, overdamped, slow and fast drives
  static const double cases[][4] = {{1, 0.1, 1, 1},    {2, 0.5, 3, 0.7}, {1, 0, 4, 1.3},
                                    {0.5, 3, 1, 2},    {1, 0.02, 1, 9},  {1, 0.02, 1e4, 1},
                                    {1, 0.05, 100, 4}, {1, -0.1, 1, 1}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    double m = cases[k][0], c = cases[k][1], stiff = cases[k][2], w = cases[k][3];
    double T = 2 * PL_PI / w, half = c / (2 * m), disc = half * half - stiff / m;
    lumped l;
    lumped_init(&l, 1, &m, 0.3);
    lumped_add(&l, -1, 0, stiff, 0, 0, c);
    lumped_build(&l);
    pl_orbit *o = orbit_at(&l.b, 2, w);
    for (int how = PL_FLOQUET_AUTO; how <= PL_FLOQUET_MONODROMY; how++) {
      pl_floquet f = floquet(&l.b, o, (pl_floquet_method)how);
      assert_int_equal(f.n, 2);
      assert_int_equal(f.exact, 1);
      assert_int_equal(f.stable, c >= 0);
      assert_int_equal(f.nunstable, c >= 0 ? 0 : 2);
      double size = exp(-half * T), root = sqrt(fabs(disc));
      if (disc < 0) {
        check_close(f.re[0], size * cos(root * T), 1e-8);
        check_close(fabs(f.im[0]), fabs(size * sin(root * T)), 1e-8);
      } else {
        check_close(f.re[0], size * exp(root * T), 1e-10);
        check_close(f.re[1], size * exp(-root * T), 1e-10);
      }
    }
    pl_orbit_free(o);
    lumped_free(&l);
  }
}

// A quadratic spring moving as cos makes Mathieu's equation y'' + (a - 2 q cos 2t) y = 0; at its
// characteristic values (q = 1, Abramowitz and Stegun, table 20.1) both multipliers are 1 or -1.
static void mathieu(void **state) {
  (void)state;
  static const double a[] = {-0.45513860, -0.11024882, 1.85910807, 3.91702477, 4.37130098};
  static const double sign[] = {1, -1, -1, 1, 1};
  const double one = 1;
  for (int k = 0; k < 5; k++)
    for (int how = PL_FLOQUET_HILL; how <= PL_FLOQUET_MONODROMY; how++) {
      lumped l;
      lumped_init(&l, 1, &one, 0.3);
      lumped_add(&l, -1, 0, a[k] / 4, -0.25, 0, 0);
      lumped_build(&l);
      pl_orbit *o = orbit_at(&l.b, 1, 1);
      o->z[2] = 1;
      pl_floquet f = floquet(&l.b, o, (pl_floquet_method)how);
      check_close(f.re[0] + f.re[1], 2 * sign[k], 1e-7);
      check_close(f.re[0] * f.re[1] - f.im[0] * f.im[1], 1, 1e-9);
      pl_orbit_free(o);
      lumped_free(&l);
    }
}

// a free motion without damping: both multipliers are 1, with one eigenvector
static void free_motion(void **state) {
  (void)state;
  const double one = 1;
  lumped l;
  lumped_init(&l, 1, &one, 0);
  lumped_add(&l, -1, 0, 1, 0, 1, 0);
  lumped_build(&l);
  pl_orbit *o = orbit_at(&l.b, 9, 1.3);
  pl_hb *hb;
  check_ok(&env, pl_hb_create(l.b.m, l.b.p, l.b.w, 9, 0, &hb));
  // Newton in the odd cosines, which stand at 2, 6, 10, 14, 18
  o->z[2] = sqrt(0.69 * 4 / 3);
  for (int i = 0; i < 12; i++) {
    double A[25], r[5];
    check_ok(&env, pl_hb_eval(hb, o->z, o->omega, PL_HB_RESIDUAL | PL_HB_JACOBIAN));
    int stride;
    const double *J = pl_blocks_at(pl_hb_jacobian(hb), 0, 0, &stride);
    for (int c = 0; c < 5; c++) {
      r[c] = pl_hb_residual(hb)[4 * c + 2];
      for (int k = 0; k < 5; k++) A[c * 5 + k] = J[(4 * c + 2) * stride + 4 * k + 2];
    }
    check_ok(&env, dense_solve(&env, 5, A, 1, r));
    for (int c = 0; c < 5; c++) o->z[4 * c + 2] -= r[c];
  }
  for (int how = PL_FLOQUET_AUTO; how <= PL_FLOQUET_MONODROMY; how++) {
    pl_floquet f = floquet(&l.b, o, (pl_floquet_method)how);
    assert_int_equal(f.stable, 1);
    for (int i = 0; i < 2; i++) {
      check_close(f.re[i], 1, 0);
      check_close(f.im[i], 0, 0);
    }
  }
  pl_hb_free(hb);
  pl_orbit_free(o);
  lumped_free(&l);
}

// e^6283 is no number, but unstable it is
static void overflow(void **state) {
  (void)state;
  const double one = 1;
  lumped l;
  lumped_init(&l, 1, &one, 0.1);
  lumped_add(&l, -1, 0, -1e4, 0, 0, 0);
  lumped_build(&l);
  pl_orbit *o = orbit_at(&l.b, 1, 0.1);
  for (int how = PL_FLOQUET_AUTO; how <= PL_FLOQUET_MONODROMY; how++) {
    pl_floquet f = floquet(&l.b, o, (pl_floquet_method)how);
    assert_int_equal(f.stable, 0);
    assert_int_equal(f.nunstable, 1);
    assert_int_equal(f.exact, 0);
  }
  variation v;
  multipliers mu = {0};
  check_ok(&env, variation_open(l.b.m, l.b.p, l.b.w, o, &v));
  check_ok(&env, sparse_multipliers(&v, 2000, 1e9, &mu));
  assert_int_equal(mu.overflow, 1);
  multipliers_free(&env, &mu);
  variation_close(&v);
  pl_orbit_free(o);
  lumped_free(&l);
}

// ---- unknowns without mass ----------------------------------------------------------------------

// s of a multiplier on the main branch satisfies m s^2 (k1 + k2 + c s) + k2 (k1 + c s) = 0
static void check_zener(const pl_floquet *f, int n, double T, double m, double k1, double k2,
                        double c) {
  double count = 0;
  for (int i = 0; i < f->n; i++) {
    if (hypot(f->re[i], f->im[i]) < 1e-7) continue;
    count++;
    double x = log(hypot(f->re[i], f->im[i])) / T, y = atan2(f->im[i], f->re[i]) / T;
    double x2 = x * x - y * y, y2 = 2 * x * y, x3 = x2 * x - y2 * y, y3 = x2 * y + y2 * x;
    double re = m * c * x3 + m * (k1 + k2) * x2 + k2 * c * x + k1 * k2;
    double im = m * c * y3 + m * (k1 + k2) * y2 + k2 * c * y;
    check_close(re, 0, 1e-6);
    check_close(im, 0, 1e-6);
  }
  check_close(count, n, 0);
}

// ground, spring and dashpot, massless joint, spring, mass: three exponents with the dashpot, two
// without
static void massless_joint(void **state) {
  (void)state;
  const double mass[] = {0, 1.5}, w = 6;
  for (int damped = 0; damped < 2; damped++) {
    double c = damped ? 0.8 : 0;
    lumped l;
    lumped_init(&l, 2, mass, 0.3);
    lumped_add(&l, -1, 0, 2, 0, 0, c);
    lumped_add(&l, 0, 1, 3, 0, 0, 0);
    lumped_build(&l);
    pl_orbit *o = orbit_at(&l.b, 2, w);
    for (int how = PL_FLOQUET_AUTO; how <= PL_FLOQUET_MONODROMY; how++) {
      pl_floquet f = floquet(&l.b, o, (pl_floquet_method)how);
      check_zener(&f, 2 + damped, 2 * PL_PI / w, mass[1], 2, 3, c);
      assert_int_equal(f.stable, 1);
    }
    // the sparse scheme has its own error, of second order
    variation v;
    multipliers mu = {0};
    check_ok(&env, variation_open(l.b.m, l.b.p, l.b.w, o, &v));
    check_ok(&env, sparse_multipliers(&v, 400, 1e9, &mu));
    pl_floquet g = {.n = mu.n}, f = floquet(&l.b, o, PL_FLOQUET_MONODROMY);
    for (int i = 0; i < mu.n; i++) g.re[i] = mu.re[i], g.im[i] = mu.im[i];
    check_same(2 + damped, &f, &g, 1e-4);
    multipliers_free(&env, &mu);
    variation_close(&v);
    pl_orbit_free(o);
    lumped_free(&l);
  }
}

// ---- nonlinear oscillators ----------------------------------------------------------------------

// the three motions of a hardening Duffing oscillator at one frequency
static void duffing_branches(void **state) {
  (void)state;
  const double one = 1, c = 0.1, k3 = 0.1, force = 0.5, w = 1.3;
  lumped l;
  lumped_init(&l, 1, &one, force);
  lumped_add(&l, -1, 0, 1, 0, k3, c);
  lumped_build(&l);
  int found = 0;
  double last = -1;
  // amplitudes of one harmonic: A^2 ((1 - w^2 + 3/4 k3 A^2)^2 + (c w)^2) = F^2
  for (double A = 0.01; A < 5; A += 0.01) {
    double k = 1 - w * w + 0.75 * k3 * A * A, size = k * k + c * c * w * w;
    double g = A * A * size - force * force;
    if (last * g < 0) {
      pl_orbit *o = orbit_at(&l.b, 9, w);
      o->z[1] = force * k / size;
      o->z[2] = -force * c * w / size;
      assert_true(newton(&l.b, o));
      check_close(hypot(o->z[1], o->z[2]), A, 0.1 * A);
      pl_floquet hill = floquet(&l.b, o, PL_FLOQUET_HILL);
      pl_floquet mono = floquet(&l.b, o, PL_FLOQUET_MONODROMY);
      pl_floquet plain = floquet(&l.b, o, PL_FLOQUET_AUTO);
      check_same(2, &hill, &mono, 1e-8);
      check_same(2, &plain, &mono, 1e-8);
      check_traces(&l, o, &hill, 1e-8);
      // low and high motions are stable, the one between is a saddle
      assert_int_equal(hill.stable, found != 1);
      assert_int_equal(mono.stable, found != 1);
      assert_int_equal(hill.nunstable, found == 1);
      if (found == 1) check_less(1, hill.re[0]);
      pl_orbit_free(o);
      found++;
    }
    last = g;
  }
  assert_int_equal(found, 3);
  lumped_free(&l);
}

// a multiplier passes -1 where a quadratic spring is driven at twice its frequency:
// x'' + 0.1 x' + x - x^2 = F sin 2t
static void period_doubling(void **state) {
  (void)state;
  const double one = 1;
  lumped l;
  lumped_init(&l, 1, &one, 0.02);
  lumped_add(&l, -1, 0, 1, -1, 0, 0.1);
  lumped_build(&l);
  int at = pl_par_load(&l.kit.d, 0);
  pl_orbit *o = orbit_at(&l.b, 16, 2), *before = NULL;
  pl_floquet f = {.re = {1, 1}};
  double step = 0.02, F = 0.02;
  // up to the crossing, then closer by halves
  while (step > 1e-9) {
    pl_orbit_free(before);
    check_ok(&env, pl_orbit_copy(o, 16, &before));
    l.b.p->par[at] = F + step;
    assert_true(newton(&l.b, o));
    f = floquet(&l.b, o, PL_FLOQUET_HILL);
    if (f.im[0] == 0 && f.re[0] < -1) {
      memcpy(o->z, before->z, 33 * sizeof(double));
      step /= 2;
      continue;
    }
    F += step;
    check_less(F, 1);
  }
  // product of both is the loss of volume
  check_close(f.re[0] * f.re[1] - f.im[0] * f.im[1], exp(-0.1 * PL_PI), 1e-9);
  check_close(f.re[0], -1, 1e-6);
  check_traces(&l, o, &f, 1e-8);
  pl_floquet mono = floquet(&l.b, o, PL_FLOQUET_MONODROMY);
  check_same(2, &f, &mono, 1e-8);
  pl_orbit_free(before);
  pl_orbit_free(o);
  lumped_free(&l);
}

static void two_masses(void **state) {
  (void)state;
  const double mass[] = {1, 0.7};
  lumped l;
  lumped_init(&l, 2, mass, 0.6);
  lumped_add(&l, -1, 0, 1, 0.2, 0.5, 0.03);
  lumped_add(&l, 0, 1, 1.4, 0, 0.3, 0.02);
  lumped_build(&l);
  static const double omega[] = {0.5, 1.5, 2.2, 3};
  for (int k = 0; k < 4; k++) {
    pl_orbit *o = orbit_at(&l.b, 12, omega[k]);
    assert_true(newton(&l.b, o));
    pl_floquet hill = floquet(&l.b, o, PL_FLOQUET_HILL);
    pl_floquet mono = floquet(&l.b, o, PL_FLOQUET_MONODROMY);
    check_same(4, &hill, &mono, 1e-8);
    check_same(4, &mono, &hill, 1e-8);
    check_traces(&l, o, &hill, 1e-7);
    pl_orbit_free(o);
  }
  lumped_free(&l);
}

// ---- models with elements -----------------------------------------------------------------------

// a trial motion about a state: the linearised equation needs no solution
static pl_orbit *stirred(const kit_model *b, int H, double omega, double size) {
  pl_orbit *o = orbit_at(b, H, omega);
  pl_rng r;
  pl_rng_seed(&r, 7);
  const int *dof = pl_model_free_dofs(b->m);
  int L = 2 * H + 1;
  for (int i = 0; i < o->nfree; i++)
    for (int k = 0; k < L; k++)
      o->z[i * L + k] = (k == 0 ? b->s->q[dof[i]] : 0) + pl_rng_uniform(&r, -size, size);
  return o;
}

static pl_floquet sparse(const kit_model *b, const pl_orbit *o, int nstep, double buffer) {
  variation v;
  multipliers mu = {0};
  check_ok(&env, variation_open(b->m, b->p, b->w, o, &v));
  check_ok(&env, sparse_multipliers(&v, nstep, buffer, &mu));
  pl_floquet f = {.n = mu.n, .exact = mu.exact};
  for (int i = 0; i < mu.n && i < 64; i++) f.re[i] = mu.re[i], f.im[i] = mu.im[i];
  multipliers_free(&env, &mu);
  variation_close(&v);
  return f;
}

// distance of the multipliers of `from` that are larger than some size from those of `to`
static double gap(const pl_floquet *from, const pl_floquet *to, double size) {
  double worst = 0;
  for (int i = 0; i < from->n; i++) {
    if (hypot(from->re[i], from->im[i]) < size) continue;
    double near = INFINITY;
    for (int j = 0; j < to->n; j++)
      near = fmin(near, hypot(from->re[i] - to->re[j], from->im[i] - to->im[j]));
    worst = fmax(worst, near);
  }
  return worst;
}

// dashpots on turning links: an unsymmetric tangent
static void mechanism(void **state) {
  (void)state;
  model_kit kit;
  kit_model b;
  sample_mechanism(&kit, &env);
  kit_build(&kit, 1, &b);
  pl_orbit *o = stirred(&b, 3, 6, 0.004);
  pl_floquet mono = floquet(&b, o, PL_FLOQUET_MONODROMY);
  pl_floquet hill = floquet(&b, o, PL_FLOQUET_HILL);
  assert_int_equal(mono.n, 12);
  assert_int_equal(hill.n, 12);
  check_same(12, &mono, &hill, 1e-8 * hypot(mono.re[0], mono.im[0]));
  assert_int_equal(mono.stable, 0);
  assert_int_equal(mono.nunstable, 1);
  // the sparse scheme is of second order
  double h[4], err[4];
  for (int i = 0; i < 4; i++) {
    int n = 64 << i;
    pl_floquet s = sparse(&b, o, n, 1e9);
    h[i] = 1.0 / n;
    err[i] = gap(&mono, &s, 0.3);
  }
  check_less(1.9, order_slope(4, h, err));
  check_less(err[3], 1e-3 * fabs(mono.re[0]));
  // factors made anew give the same
  pl_floquet kept = sparse(&b, o, 64, 1e9), anew = sparse(&b, o, 64, 0),
             some = sparse(&b, o, 64, 3e4);
  check_array(8, anew.re, kept.re, 1e-12 * fabs(kept.re[0]));
  check_array(8, some.re, kept.re, 1e-12 * fabs(kept.re[0]));
  pl_orbit_free(o);
  kit_model_free(&b);
  kit_free(&kit);
}

// a hanging sheet shaken at its tip; 54 unknowns are too many for the dense matrix by itself
static void shell(void **state) {
  (void)state;
  model_kit kit;
  kit_model b;
  sample_shell(&kit, &env);
  static const int tip = 17;
  kit.load[kit.d.nload++] =
      (pl_load_desc){.name = "shake", .nnode = 1, .node = &tip, .term = {1, {0, 0.01, 0.02}, 0}};
  kit_build(&kit, 2, &b);
  pl_static_opts opts;
  pl_static_info info;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &opts);
  opts.steps = 10;
  check_ok(&env, pl_static(&opts, b.m, b.p, b.s, b.w, NULL, NULL, &info));
  pl_orbit *o = stirred(&b, 3, 7, 0);
  assert_true(newton(&b, o));
  variation v;
  multipliers mu = {0};
  check_ok(&env, variation_open(b.m, b.p, b.w, o, &v));
  check_ok(&env, dense_multipliers(&v, &mu));
  assert_int_equal(mu.n, 2 * v.n);
  // the largest of both by size, which phases of the scheme do not blur
  pl_floquet f = floquet(&b, o, PL_FLOQUET_AUTO);
  assert_int_equal(f.stable, 1);
  assert_int_equal(f.exact, 1);
  for (int i = 0; i < 6; i++) {
    int larger = 0;
    double size = hypot(f.re[i], f.im[i]), near = INFINITY;
    for (int j = 0; j < mu.n; j++) {
      near = fmin(near, hypot(mu.re[j] - f.re[i], mu.im[j] - f.im[i]));
      larger += hypot(mu.re[j], mu.im[j]) > size * 1.05;
    }
    check_less(near, 0.02);
    check_less(larger, i + 1);
  }
  multipliers_free(&env, &mu);
  variation_close(&v);
  pl_orbit_free(o);
  kit_model_free(&b);
  kit_free(&kit);
}

// ---- manners ------------------------------------------------------------------------------------

static void same_bits(void **state) {
  (void)state;
  pl_floquet f[2][3];
  for (int t = 0; t < 2; t++) {
    model_kit kit;
    kit_model b;
    sample_mechanism(&kit, &env);
    kit_build(&kit, t + 1, &b);
    pl_orbit *o = stirred(&b, 1, 6, 0.0005);
    f[t][0] = floquet(&b, o, PL_FLOQUET_HILL);
    f[t][1] = floquet(&b, o, PL_FLOQUET_MONODROMY);
    f[t][2] = sparse(&b, o, 16, 1e9);
    pl_orbit_free(o);
    kit_model_free(&b);
    kit_free(&kit);
  }
  for (int k = 0; k < 3; k++) {
    assert_memory_equal(f[0][k].re, f[1][k].re, sizeof f[0][k].re);
    assert_memory_equal(f[0][k].im, f[1][k].im, sizeof f[0][k].im);
  }
}

typedef struct alloc_case {
  const pl_model_desc *d;
  int how;       // a method, or -1: sparse
  int nstep;     // sparse: 0: chosen
  double buffer; // sparse
} alloc_case;

static pl_status run_with(pl_env *e, void *ctx) {
  const alloc_case *a = ctx;
  kit_model b;
  pl_orbit *o = NULL;
  pl_floquet f;
  variation v = {0};
  multipliers mu = {0};
  pl_status s = kit_try(e, a->d, 1, &b);
  if (s == PL_OK) s = pl_orbit_create(&env, b.m, 1, &o);
  if (s == PL_OK) {
    const int *dof = pl_model_free_dofs(b.m);
    o->omega = 6;
    for (int i = 0; i < o->nfree; i++) o->z[3 * i] = b.s->q[dof[i]];
  }
  if (s == PL_OK && a->how >= 0)
    s = pl_orbit_floquet(b.m, b.p, b.w, o, (pl_floquet_method)a->how, &f);
  if (s == PL_OK && a->how < 0) s = variation_open(b.m, b.p, b.w, o, &v);
  if (s == PL_OK && a->how < 0) s = sparse_multipliers(&v, a->nstep, a->buffer, &mu);
  if (a->how < 0) multipliers_free(e, &mu);
  if (v.m) variation_close(&v);
  pl_orbit_free(o);
  kit_model_free(&b);
  return s;
}

static void allocations(void **state) {
  (void)state;
  const double one = 1;
  lumped l;
  lumped_init(&l, 1, &one, 0.1);
  lumped_add(&l, -1, 0, 1, 0, 0, 0.1);
  lumped_groups(&l);
  model_kit kit;
  sample_mechanism(&kit, &env);
  const alloc_case cases[] = {{.d = &l.kit.d, .how = PL_FLOQUET_HILL},
                              {.d = &l.kit.d, .how = PL_FLOQUET_MONODROMY},
                              {.d = &l.kit.d, .how = -1, .buffer = 1},
                              {.d = &kit.d, .how = -1, .nstep = 4, .buffer = 1e9}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
    check_allocations(run_with, (void *)&cases[k]);
  kit_free(&kit);
  kit_free(&l.kit);
}

static void refusals(void **state) {
  (void)state;
  const double one = 1;
  lumped l;
  lumped_init(&l, 1, &one, 0.1);
  lumped_add(&l, -1, 0, 1, 0, 0, 0.1);
  lumped_build(&l);
  pl_orbit *o = orbit_at(&l.b, 2, 0);
  pl_floquet f;
  check_status(&env, pl_orbit_floquet(l.b.m, l.b.p, l.b.w, o, PL_FLOQUET_AUTO, &f), PL_E_ARG);
  o->omega = 1;
  o->z[1] = NAN;
  check_status(&env, pl_orbit_floquet(l.b.m, l.b.p, l.b.w, o, PL_FLOQUET_AUTO, &f), PL_E_ARG);
  o->z[1] = 0;
  o->nfree = 2;
  check_status(&env, pl_orbit_floquet(l.b.m, l.b.p, l.b.w, o, PL_FLOQUET_AUTO, &f), PL_E_ARG);
  o->nfree = 1;
  check_ok(&env, pl_orbit_floquet(l.b.m, l.b.p, l.b.w, o, PL_FLOQUET_AUTO, &f));
  pl_orbit_free(o);
  lumped_free(&l);

  // Hill's matrix of a whole sheet is refused with a remedy
  model_kit kit;
  kit_model b;
  sample_shell(&kit, &env);
  kit_build(&kit, 1, &b);
  o = stirred(&b, 7, 7, 0);
  check_status(&env, pl_orbit_floquet(b.m, b.p, b.w, o, PL_FLOQUET_HILL, &f), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "monodromy"));
  pl_orbit_free(o);
  kit_model_free(&b);
  kit_free(&kit);
}

int test_floquet(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_oscillator), cmocka_unit_test(mathieu),
      cmocka_unit_test(free_motion),       cmocka_unit_test(overflow),
      cmocka_unit_test(massless_joint),    cmocka_unit_test(duffing_branches),
      cmocka_unit_test(period_doubling),   cmocka_unit_test(two_masses),
      cmocka_unit_test(mechanism),         cmocka_unit_test(shell),
      cmocka_unit_test(same_bits),         cmocka_unit_test(allocations),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests_name("harmonic.floquet", tests, NULL, NULL);
}
