// Multipliers of random oscillator networks against an independent integration, and the methods for
// large models against each other.
#include "check.h"
#include "sample_models.h"

#include "floquet_impl.h"

#include <string.h>

static pl_env env;

enum { MOST = 80 };

// masses in a ring with chords, each tied to ground; damping by mass and stiffness
typedef struct network {
  model_kit kit;
  kit_model b;
  int n, nspring;
  double X[MOST], mass[MOST], spring[3 * MOST][4];
  int mass_at[MOST], spring_at[6 * MOST], force_at;
  double alpha, beta;
} network;

static void network_pushed(network *w, int n, unsigned seed, double cubic, double force,
                           int threads) {
  pl_rng r;
  pl_rng_seed(&r, seed);
  memset(w, 0, sizeof *w);
  kit_init(&w->kit, &env, 1);
  w->n = n;
  w->kit.d.nnode = n;
  w->kit.d.X = w->X;
  for (int i = 0; i < n; i++) {
    w->mass_at[i] = i;
    w->mass[i] = pl_rng_uniform(&r, 0.5, 2);
  }
  for (int i = 0; i < 3 * n; i++) {
    int from = i < n ? -1 : (i - n) % n, to = i < 2 * n ? i % n : (i * 7 + 3) % n;
    if (i >= n && i < 2 * n) to = (from + 1) % n;
    if (from == to) continue;
    int k = w->nspring++;
    w->spring_at[2 * k] = from;
    w->spring_at[2 * k + 1] = to;
    w->spring[k][0] = pl_rng_uniform(&r, 0.2, 2);
    w->spring[k][1] = pl_rng_uniform(&r, -cubic, cubic);
    w->spring[k][2] = pl_rng_uniform(&r, 0, cubic);
  }
  w->alpha = w->kit.d.alpha = pl_rng_uniform(&r, 0.002, 0.03);
  w->beta = w->kit.d.beta = pl_rng_uniform(&r, 0, 0.005);
  kit_group(&w->kit, "springs", "spring1", w->nspring, w->spring_at, 0, w->spring[0]);
  kit_group(&w->kit, "masses", "mass1", n, w->mass_at, 0, w->mass);
  w->force_at = n - 1;
  w->kit.load[w->kit.d.nload++] = (pl_load_desc){
      .name = "push", .nnode = 1, .node = &w->force_at, .term = {1, {force, 0, 0}, 0}};
  kit_build(&w->kit, threads, &w->b);
}

static void network_build(network *w, int n, unsigned seed, double cubic, int threads) {
  network_pushed(w, n, seed, cubic, 0.3, threads);
}

static void network_free(network *w) {
  kit_model_free(&w->b);
  kit_free(&w->kit);
}

// any motion will do: multipliers belong to the equation linearised along it
static pl_orbit *wander(const network *w, int H, double omega, double size, unsigned seed) {
  pl_orbit *o;
  pl_rng r;
  pl_rng_seed(&r, seed);
  check_ok(&env, pl_orbit_create(&env, w->b.m, H, &o));
  o->omega = omega;
  for (int i = 0; i < w->n; i++)
    for (int k = 0; k < 2 * H + 1; k++)
      o->z[i * (2 * H + 1) + k] = pl_rng_uniform(&r, -size, size) / (1 + k * k / 4.0);
  return o;
}

// ---- independent integration --------------------------------------------------------------------

// acceleration of all columns: -M^-1 (K(t) x + D(t) v), D = alpha M + beta K, and the change of
// beta K(q) v with q
static void accelerate(const network *w, const pl_orbit *o, double t, const double *y, double *a) {
  int n = w->n, L = 2 * o->nharm + 1;
  double q[MOST], u[MOST];
  for (int i = 0; i < n; i++) {
    const double *z = o->z + i * L;
    q[i] = z[0];
    u[i] = 0;
    for (int k = 1; k <= o->nharm; k++) {
      double s = sin(k * o->omega * t), c = cos(k * o->omega * t);
      q[i] += z[2 * k - 1] * s + z[2 * k] * c;
      u[i] += k * o->omega * (z[2 * k - 1] * c - z[2 * k] * s);
    }
  }
  // unknowns first, then columns
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 2 * n; c++)
      a[i * 2 * n + c] = -w->alpha * w->mass[i] * y[(n + i) * 2 * n + c];
  for (int s = 0; s < w->nspring; s++) {
    int i = w->spring_at[2 * s], j = w->spring_at[2 * s + 1];
    const double *p = w->spring[s], *zero = NULL;
    double d = q[j] - (i < 0 ? 0 : q[i]), rate = u[j] - (i < 0 ? 0 : u[i]);
    double k = p[0] + 2 * p[1] * d + 3 * p[2] * d * d, dk = 2 * p[1] + 6 * p[2] * d;
    const double *xi = i < 0 ? zero : y + i * 2 * n, *vi = i < 0 ? zero : y + (n + i) * 2 * n;
    const double *xj = y + j * 2 * n, *vj = y + (n + j) * 2 * n;
    for (int c = 0; c < 2 * n; c++) {
      double x = xj[c] - (xi ? xi[c] : 0), v = vj[c] - (vi ? vi[c] : 0);
      double f = (k + w->beta * dk * rate) * x + w->beta * k * v;
      a[j * 2 * n + c] -= f;
      if (i >= 0) a[i * 2 * n + c] += f;
    }
  }
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 2 * n; c++) a[i * 2 * n + c] /= w->mass[i];
}

// the monodromy matrix by the classical scheme of fourth order
static void integrate(const network *w, const pl_orbit *o, int steps, double *F) {
  int n = w->n;
  size_t half = (size_t)n * 2 * (size_t)n, all = 2 * half;
  double h = 2 * PL_PI / o->omega / steps, *k = pl_alloc(&env, 6 * all, sizeof(double));
  double *y = k + 4 * all, *at = y + all;
  assert_non_null(k);
  for (int i = 0; i < 2 * n; i++) y[i * 2 * n + i] = 1;
  for (int s = 0; s < steps; s++) {
    static const double part[] = {0, 0.5, 0.5, 1};
    for (int j = 0; j < 4; j++) {
      const double *from = j ? k + (size_t)(j - 1) * all : k;
      for (size_t i = 0; i < all; i++) at[i] = y[i] + h * part[j] * (j ? from[i] : 0);
      double *to = k + (size_t)j * all;
      memcpy(to, at + half, half * sizeof(double));
      accelerate(w, o, h * (s + part[j]), at, to + half);
    }
    for (size_t i = 0; i < all; i++)
      y[i] += h / 6 * (k[i] + 2 * k[all + i] + 2 * k[2 * all + i] + k[3 * all + i]);
  }
  memcpy(F, y, all * sizeof(double));
  pl_free(&env, k);
}

// multipliers by integration, largest first
static void reference(const network *w, const pl_orbit *o, int steps, double *re, double *im) {
  int m = 2 * w->n;
  double *F = pl_alloc(&env, (size_t)m * (size_t)m, sizeof(double));
  integrate(w, o, steps, F);
  // rows for columns: a transposed matrix has the same eigenvalues
  check_ok(&env, dense_eigen(&env, m, F, re, im, NULL));
  for (int i = 0; i < m; i++)
    for (int j = i; j > 0 && hypot(re[j], im[j]) > hypot(re[j - 1], im[j - 1]); j--) {
      double a = re[j], b = im[j];
      re[j] = re[j - 1], im[j] = im[j - 1];
      re[j - 1] = a, im[j - 1] = b;
    }
  pl_free(&env, F);
}

static double nearest(int n, const double *re, const double *im, double x, double y) {
  double near = INFINITY;
  for (int j = 0; j < n; j++) near = fmin(near, hypot(re[j] - x, im[j] - y));
  return near;
}

static int compare(int n, unsigned seed, double cubic, double size, int steps) {
  network w;
  double re[2 * MOST], im[2 * MOST];
  network_build(&w, n, seed, cubic, 1);
  pl_orbit *o = wander(&w, 1 + (int)(seed % 4), 0.6 + 0.17 * (seed % 7), size, seed + 100);
  reference(&w, o, steps, re, im);
  pl_floquet f;
  check_ok(&env, pl_orbit_floquet(w.b.m, w.b.p, w.b.w, o, PL_FLOQUET_AUTO, &f));
  int beyond = 0, unsure = 0;
  for (int i = 0; i < 2 * n; i++) {
    double r = hypot(re[i], im[i]);
    beyond += r > 1;
    unsure |= fabs(r - 1) < 1e-5;
  }
  double scale = fmax(1, hypot(re[0], im[0]));
  for (int i = 0; i < 4 && i < 2 * n; i++) {
    check_less(nearest(2 * n, re, im, f.re[i], f.im[i]), 1e-6 * scale);
    check_close(hypot(f.re[i], f.im[i]), hypot(re[i], im[i]), 1e-6 * scale);
  }
  if (!unsure) assert_int_equal(f.stable, beyond == 0);
  if (!unsure) assert_int_equal(f.nunstable, beyond < 64 ? beyond : f.nunstable);
  pl_orbit_free(o);
  network_free(&w);
  return beyond > 0;
}

// verdicts and leading multipliers of 1 to 50 unknowns, weak and strong motions
static void random_networks(void **state) {
  (void)state;
  static const int sizes[] = {1, 2, 3, 4, 5, 7, 10, 14};
  int unstable = 0, count = 0;
  for (unsigned seed = 1; seed <= 3; seed++)
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
      unstable += compare(sizes[k], seed * 10 + (unsigned)k, 0.5, 0.4, 1500);
      unstable += compare(sizes[k], seed * 10 + (unsigned)k, 1, 1, 2500);
      count += 2;
    }
  unstable += compare(24, 5, 0.5, 0.5, 1000);
  unstable += compare(37, 6, 0.5, 0.3, 1000);
  unstable += compare(50, 7, 0.5, 0.3, 800);
  // both verdicts were met
  check_less(3, unstable);
  check_less(unstable, count);
}

// ---- large models -------------------------------------------------------------------------------

typedef pl_status (*method)(variation *v, int nstep, double buffer, multipliers *mu);

static pl_status run_method(const kit_model *b, const pl_orbit *o, method how, int nstep,
                            double buffer, pl_floquet *f) {
  variation v;
  multipliers mu = {0};
  check_ok(&env, variation_open(b->m, b->p, b->w, o, &v));
  pl_status s = how(&v, nstep, buffer, &mu);
  *f = (pl_floquet){.n = mu.n < 64 ? mu.n : 64, .exact = mu.exact};
  for (int i = 0; i < f->n; i++) f->re[i] = mu.re[i], f->im[i] = mu.im[i];
  multipliers_free(&env, &mu);
  variation_close(&v);
  return s;
}

// the scheme in an envelope and the one with sparse factors are the same, for any order of unknowns
static void envelope_equals_sparse(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= 3; seed++) {
    network w;
    network_build(&w, 60, seed, 0.3, 1);
    pl_orbit *o = wander(&w, 2, 1.1, 0.3, seed);
    pl_floquet a, b;
    check_ok(&env, run_method(&w.b, o, sparse_multipliers, 64, 1e9, &a));
    check_ok(&env, run_method(&w.b, o, band_multipliers, 64, 1e9, &b));
    double scale = fmax(1, hypot(a.re[0], a.im[0]));
    for (int i = 0; i < 4; i++) {
      check_less(nearest(a.n, a.re, a.im, b.re[i], b.im[i]), 1e-7 * scale);
      check_close(hypot(b.re[i], b.im[i]), hypot(a.re[i], a.im[i]), 1e-7 * scale);
    }
    // no room for the factors: said, not done
    check_status(&env, run_method(&w.b, o, band_multipliers, 64, 1e3, &b), PL_UNSOLVED);
    pl_orbit_free(o);
    network_free(&w);
  }
}

// steps of second order towards what integration says
static void envelope_converges(void **state) {
  (void)state;
  network w;
  double re[2 * MOST], im[2 * MOST], h[4], err[4];
  network_build(&w, 30, 4, 0.3, 1);
  pl_orbit *o = wander(&w, 2, 1.1, 0.3, 4);
  reference(&w, o, 800, re, im);
  for (int i = 0; i < 4; i++) {
    pl_floquet f;
    check_ok(&env, run_method(&w.b, o, band_multipliers, 128 << i, 1e9, &f));
    h[i] = 1.0 / (128 << i);
    err[i] = 0;
    for (int k = 0; k < 4; k++) err[i] = fmax(err[i], nearest(60, re, im, f.re[k], f.im[k]));
  }
  check_less(1.9, order_slope(4, h, err));
  check_less(err[3], 2e-3);
  pl_orbit_free(o);
  network_free(&w);
}

static int dense_unstable(const network *w, const pl_orbit *o, double *size) {
  variation v;
  multipliers mu = {0};
  check_ok(&env, variation_open(w->b.m, w->b.p, w->b.w, o, &v));
  check_ok(&env, dense_multipliers(&v, &mu));
  int unstable = 0;
  *size = 0;
  for (int i = 0; i < mu.n; i++) {
    *size = fmax(*size, hypot(mu.re[i], mu.im[i]));
    unstable += hypot(mu.re[i], mu.im[i]) > 1;
  }
  multipliers_free(&env, &mu);
  variation_close(&v);
  return unstable;
}

// along the response of a large model, over folds: what the dense matrix says
static void verdicts_along_a_response(void **state) {
  (void)state;
  network w;
  pl_response_opts opts;
  pl_curve *c;
  int unstable = 0, probe = 0;
  network_pushed(&w, 60, 3, 0.5, 2.5, 1);
  pl_opts_default(pl_response_option_table, pl_response_option_count, &opts);
  opts.from = 0.89;
  opts.to = 1;
  opts.harmonics = 3;
  opts.points = 36;
  pl_status st = pl_response(&opts, w.b.m, w.b.p, w.b.w, 1, &probe, NULL, &c);
  assert_true(st == PL_OK || c->reason == PL_STOP_POINTS);
  for (int i = 0; i < c->npoint; i += 3) {
    double size;
    int beyond = dense_unstable(&w, c->point[i].orbit, &size);
    check_less(2e-3, fabs(size - 1));
    assert_int_equal(c->point[i].stable, beyond == 0);
    unstable += beyond > 0;
  }
  // both verdicts were met
  check_less(1, unstable);
  check_less(unstable, c->npoint / 3 - 1);
  pl_curve_free(c);
  network_free(&w);
}

// the same bits for any number of threads
static void same_bits(void **state) {
  (void)state;
  pl_floquet f[3][3];
  for (int t = 0; t < 3; t++) {
    network w;
    network_build(&w, 70, 9, 0.3, t + 1);
    pl_orbit *o = wander(&w, 3, 0.9, 0.3, 9);
    check_ok(&env, pl_orbit_floquet(w.b.m, w.b.p, w.b.w, o, PL_FLOQUET_AUTO, &f[t][0]));
    check_ok(&env, run_method(&w.b, o, band_multipliers, 0, 1e9, &f[t][1]));
    check_ok(&env, run_method(&w.b, o, sparse_multipliers, 0, 1e9, &f[t][2]));
    pl_orbit_free(o);
    network_free(&w);
  }
  for (int k = 0; k < 3; k++)
    for (int t = 1; t < 3; t++) {
      assert_int_equal(f[0][k].n, f[t][k].n);
      assert_memory_equal(f[0][k].re, f[t][k].re, sizeof f[0][k].re);
      assert_memory_equal(f[0][k].im, f[t][k].im, sizeof f[0][k].im);
    }
}

// an operator with eigenvalues 0.9^1, 0.9^2, ..., that counts how often it is used
typedef struct fading {
  int n, count;
} fading;

static pl_status fade(void *ctx, const double *x, double *y) {
  fading *a = ctx;
  a->count++;
  for (int i = 0; i < PL_LANES * a->n; i++) {
    int row = i % a->n;
    y[i] = pow(0.9, row + 1) * x[i] + (row + 1 < a->n ? 0.01 * x[i + 1] : 0);
  }
  return PL_OK;
}

// columns to begin with that hold what lasts spare applications, and change nothing else
static void given_start(void **state) {
  (void)state;
  enum { N = 120 };
  double start[PL_LANES * N] = {0};
  fading a = {.n = N};
  int count[2];
  for (int l = 0; l < PL_LANES; l++)
    for (int i = 0; i < N; i++) start[l * N + i] = pow(0.5, fmax(0, i - 12)) * sin(1 + i * (l + 2));
  for (int k = 0; k < 2; k++) {
    arnoldi_plan plan = {
        .block = PL_LANES, .want = 6, .most = INFINITY, .part = 1e-4, .start = k ? start : NULL};
    multipliers mu = {0};
    a.count = 0;
    check_ok(&env, arnoldi(&env, N, &plan, fade, &a, &mu));
    assert_int_equal(mu.exact, 1);
    for (int i = 0; i < 6; i++)
      check_close(hypot(mu.re[i], mu.im[i]), pow(0.9, i + 1), 1e-4 * (1 - pow(0.9, i + 1)));
    multipliers_free(&env, &mu);
    count[k] = a.count;
  }
  check_less(count[1], count[0]);
}

// where the basis fills the whole space, all eigenvalues are known, whatever the size of blocks
static void whole_space(void **state) {
  (void)state;
  for (int n = PL_LANES; n <= 3 * PL_LANES; n++) {
    fading a = {.n = n};
    arnoldi_plan plan = {.block = PL_LANES, .want = n, .most = INFINITY};
    multipliers mu = {0};
    check_ok(&env, arnoldi(&env, n, &plan, fade, &a, &mu));
    assert_int_equal(mu.n, n);
    for (int i = 0; i < n; i++) check_close(hypot(mu.re[i], mu.im[i]), pow(0.9, i + 1), 1e-7);
    multipliers_free(&env, &mu);
  }
}

int test_multipliers(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_networks),    cmocka_unit_test(envelope_equals_sparse),
      cmocka_unit_test(envelope_converges), cmocka_unit_test(verdicts_along_a_response),
      cmocka_unit_test(same_bits),          cmocka_unit_test(given_start),
      cmocka_unit_test(whole_space),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("harmonic.multipliers", tests, NULL, NULL);
}
