// The projection: closed forms, invariances, uniqueness, and what it says when there is none.
// tests/limit/cvxopt_check.py compares it with another solver.
#include "sheets.h"

static pl_env env;

// what holds for every result: x is within the limits, the objective is what it says, and no state
// is better than the bound
static void check_result(const cloth *k, const pl_limit *limit, const pl_project_opts *o,
                         const pl_project_info *info) {
  double d = cloth_distance(k, k->x, k->xhat);
  check_less(cloth_violation(k, limit, k->x), o->violation + 1e-12);
  check_close(info->objective, d * d / 2, 1e-12 * d * d + 1e-30);
  assert_true(info->bound <= info->objective);
  check_less(info->objective - info->bound, o->gap * info->objective * 1.001 + 1e-30);
  check_close(info->distance, sqrt(2 * (info->objective - info->bound)), 1e-12 * d);
  for (int i = 0; i < 3 * k->nvert; i++)
    if (k->fixed[i / 3] >> i % 3 & 1) check_close(k->x[i], k->xhat[i], 0);
}

static pl_project_info project(cloth *k, const pl_limit *limit, const pl_project_opts *o) {
  pl_project_info info;
  pl_sheet *s = cloth_sheet(&env, k, 1, limit);
  check_ok(&env, pl_project(o, s, k->xhat, 0, NULL, NULL, k->x, &info));
  pl_sheet_free(s);
  check_result(k, limit, o, &info);
  return info;
}

static double ring[1][3];
static pl_limit isotropic(double b) {
  pl_limit_ellipse(b, b, 0, ring[0]);
  return (pl_limit){.nellipse = 1, .B = (const double(*)[3])ring};
}

// ---- closed forms -------------------------------------------------------------------------------

static void equilateral(cloth *k) {
  cloth_open(k, 3, 1);
  const int tri[3] = {0, 1, 2};
  for (int a = 0; a < 3; a++) {
    k->X[3 * a] = 0.3 * cos(2 * PL_PI * a / 3);
    k->X[3 * a + 1] = 0.3 * sin(2 * PL_PI * a / 3);
  }
  memcpy(k->tri, tri, sizeof tri);
  cloth_rest(k);
}

// one equilateral triangle with equal weights: singular values above the limit become the limit
static void one_triangle(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  o.gap = 1e-10;
  o.violation = 1e-13;
  pl_rng r;
  pl_rng_seed(&r, 1);
  for (int trial = 0; trial < 50; trial++) {
    cloth k;
    equilateral(&k);
    double F[6], U[6], s[2], V[4], want[9], shift[3], b = 1 + pow(10, pl_rng_uniform(&r, -3, -0.5));
    for (int c = 0; c < 3; c++) shift[c] = pl_rng_normal(&r);
    for (int i = 0; i < 6; i++) F[i] = 2 * pl_rng_normal(&r);
    pl_svd32(F, U, s, V);
    for (int i = 0; i < 9; i++) {
      const double *X = k.X + 3 * (i / 3);
      int c = i % 3;
      k.xhat[i] = shift[c] + F[2 * c] * X[0] + F[2 * c + 1] * X[1];
      want[i] = shift[c];
      for (int e = 0; e < 2; e++)
        want[i] += U[2 * c + e] * fmin(s[e], b) * (V[e] * X[0] + V[2 + e] * X[1]);
    }
    pl_limit l = isotropic(b);
    pl_project_info info = project(&k, &l, &o);
    check_less(cloth_distance(&k, k.x, want), info.distance + 1e-12);
    assert_int_equal(info.nactive, s[0] > b);
    cloth_close(&k);
  }
}

// x_(i+1) - x_i <= most, nearest to xhat in the weights: pools of neighbours that move as one
static void chain(int n, const double *weight, const double *xhat, double most, double *x) {
  double mean[64], sum[64];
  int size[64], pools = 0;
  for (int i = 0; i < n; i++) {
    mean[pools] = xhat[i] - most * i, sum[pools] = weight[i], size[pools++] = 1;
    for (; pools > 1 && mean[pools - 1] > mean[pools - 2]; pools--) {
      int a = pools - 2, b = pools - 1;
      mean[a] = (sum[a] * mean[a] + sum[b] * mean[b]) / (sum[a] + sum[b]);
      sum[a] += sum[b];
      size[a] += size[b];
    }
  }
  for (int p = 0, i = 0; p < pools; p++)
    for (int j = 0; j < size[p]; j++, i++) x[i] = mean[p] + most * i;
}

// a strip that can move along its length alone: both of its boundaries are chains
static void pulled_strip(void **state) {
  (void)state;
  enum { N = 20 };
  pl_project_opts o = project_defaults();
  o.gap = 1e-9;
  o.violation = 1e-13;
  pl_rng r;
  pl_rng_seed(&r, 2);
  for (int trial = 0; trial < 20; trial++) {
    cloth k;
    double weight[N + 1], hat[N + 1], x[N + 1], b = 1 + 0.01 * (1 + trial), *want;
    cloth_grid(&k, N, 1, 1, 0.1);
    want = calloc(3 * (size_t)k.nvert, sizeof *want);
    hat[0] = 0;
    for (int i = 0; i <= N; i++) {
      weight[i] = pl_rng_uniform(&r, 0.01, 1);
      // some parts are pulled long, others pushed together
      if (i > 0) hat[i] = hat[i - 1] + pl_rng_uniform(&r, 0.3, 2.2) / N;
    }
    chain(N + 1, weight, hat, b / N, x);
    for (int i = 0; i < k.nvert; i++) {
      k.weight[i] = weight[i % (N + 1)];
      k.xhat[3 * i] = hat[i % (N + 1)];
      memcpy(want + 3 * i, k.xhat + 3 * i, 3 * sizeof *want);
      want[3 * i] = x[i % (N + 1)];
      k.fixed[i] = 6;
    }
    pl_limit l = isotropic(b);
    pl_project_info info = project(&k, &l, &o);
    check_less(cloth_distance(&k, k.x, want), info.distance + 1e-12);
    free(want);
    cloth_close(&k);
  }
}

// the middle of a fixed hexagon, lifted: F'F = I + z^2 g g', |g| one over the height of a triangle
static void lifted_hexagon(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  o.gap = 1e-11;
  o.violation = 1e-13;
  const double b[3] = {1.001, 1.05, 1.5};
  for (int trial = 0; trial < 3; trial++) {
    cloth k;
    cloth_open(&k, 7, 6);
    for (int a = 0; a < 6; a++) {
      const int tri[3] = {6, a, (a + 1) % 6};
      memcpy(k.tri + 3 * a, tri, sizeof tri);
      k.X[3 * a] = 0.2 * cos(PL_PI / 3 * a);
      k.X[3 * a + 1] = 0.2 * sin(PL_PI / 3 * a);
      k.fixed[a] = 7;
    }
    cloth_rest(&k);
    k.xhat[20] = 7;
    pl_limit l = isotropic(b[trial]);
    pl_project_info info = project(&k, &l, &o);
    double z = 0.2 * sqrt(3) / 2 * sqrt(b[trial] * b[trial] - 1);
    // a limit passed by 1e-13 lets it rise by 500 times that where the limit is 0.1 %
    check_close(k.x[20], z, info.distance + 1e-10);
    check_rel(k.x[20], z, 1e-6);
    check_close(k.x[18], 0, 1e-9);
    assert_int_equal(info.nactive, 6);
    cloth_close(&k);
  }
}

static void inside_already(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  cloth k;
  cloth_grid(&k, 4, 4, 1, 1);
  pl_limit l = isotropic(1.0001);
  for (int i = 0; i < 3 * k.nvert; i++) k.xhat[i] *= 0.99;
  pl_project_info info = project(&k, &l, &o);
  assert_int_equal(info.reason, PL_PROJECT_INSIDE);
  assert_int_equal(info.iterations, 0);
  check_array(3 * k.nvert, k.x, k.xhat, 0);
  check_close(info.objective, 0, 0);
  // no limits, or no triangle that has one
  for (int t = 0; t < k.ntri; t++) k.limit_of[t] = -1;
  for (int i = 0; i < 3 * k.nvert; i++) k.xhat[i] *= 9;
  for (int nlimit = 0; nlimit < 2; nlimit++) {
    pl_sheet *s = cloth_sheet(&env, &k, nlimit, &l);
    check_ok(&env, pl_project(&o, s, k.xhat, 0, NULL, NULL, k.x, &info));
    check_array(3 * k.nvert, k.x, k.xhat, 0);
    pl_sheet_free(s);
  }
  cloth_close(&k);
}

// ---- invariances --------------------------------------------------------------------------------

static void rot(const cloth *k, const double R[9], const double t[3], double scale, double *x) {
  for (int i = 0; i < k->nvert; i++) {
    double y[3];
    for (int c = 0; c < 3; c++) y[c] = scale * pl_dot3(R + 3 * c, x + 3 * i) + t[c];
    memcpy(x + 3 * i, y, sizeof y);
  }
}

// turned and moved problems have turned and moved answers; in other units, the same in those
static void turned(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  pl_rng r;
  pl_rng_seed(&r, 3);
  const double units[3] = {1, 1e-3, 1e4};
  for (int trial = 0; trial < 9; trial++) {
    cloth k;
    double B[1][3], R[9], t[3], axis[3], unit = units[trial % 3];
    for (int c = 0; c < 3; c++) axis[c] = pl_rng_normal(&r), t[c] = unit * pl_rng_normal(&r);
    pl_rotation3(axis, 2, R);
    cloth_grid(&k, 6, 6, 0.5, 0.5);
    cloth_mass(&k);
    cloth_overstretch(&k, &r, 3, 0.01);
    k.fixed[0] = 7;
    pl_limit_ellipse(1.01, 1.1, 0.3, B[0]);
    pl_limit l = {.nellipse = 1, .B = (const double(*)[3])B};
    pl_project_info first = project(&k, &l, &o);
    double *x = calloc(3 * (size_t)k.nvert, sizeof *x);
    memcpy(x, k.x, 3 * (size_t)k.nvert * sizeof *x);
    rot(&k, R, t, unit, x);
    rot(&k, R, t, unit, k.xhat);
    for (int i = 0; i < 6 * k.ntri; i++) k.rest[i] *= unit;
    for (int i = 0; i < k.nvert; i++) k.weight[i] *= 1 / unit;
    pl_project_info second = project(&k, &l, &o);
    check_less(cloth_distance(&k, x, k.x),
               second.distance + sqrt(unit) * first.distance + 1e-9 * sqrt(unit));
    assert_in_range(second.iterations, first.iterations - 1, first.iterations + 1);
    free(x);
    cloth_close(&k);
  }
}

// a free sheet keeps its momentum to rounding, and its angular momentum about the final state as
// well as that state is known
static void momentum(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  o.gap = 1e-10;
  pl_rng r;
  pl_rng_seed(&r, 4);
  for (int trial = 0; trial < 6; trial++) {
    cloth k;
    double sum[3] = {0}, spin[3] = {0}, size = 0, arm = 0;
    cloth_grid(&k, 8, 8, 0.5, 0.5);
    cloth_mass(&k);
    cloth_overstretch(&k, &r, 2, 0.005);
    pl_limit l = isotropic(1.01);
    pl_project_info info = project(&k, &l, &o);
    for (int i = 0; i < k.nvert; i++) {
      double d[3], m[3];
      for (int c = 0; c < 3; c++) d[c] = k.weight[i] * (k.x[3 * i + c] - k.xhat[3 * i + c]);
      pl_cross3(k.x + 3 * i, d, m);
      for (int c = 0; c < 3; c++) sum[c] += d[c], spin[c] += m[c];
      size += pl_norm3(d);
      arm += k.weight[i] * pl_dot3(k.x + 3 * i, k.x + 3 * i);
    }
    // rounding, through matrices that get worse towards the end
    check_less(pl_norm3(sum), 1e-10 * size);
    check_array(3, info.momentum, sum, 1e-12 * size);
    check_array(3, info.angular, spin, 1e-12 * size);
    // a turn by theta of the whole costs theta |spin| and gains at most theta^2 arm / 2
    check_less(pl_norm3(spin), 2 * info.distance * sqrt(arm));
    cloth_close(&k);
  }
}

// the same bits for one thread and two
static void threads(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  pl_rng r;
  pl_rng_seed(&r, 5);
  cloth k;
  cloth_grid(&k, 24, 24, 0.5, 0.5);
  cloth_mass(&k);
  cloth_overstretch(&k, &r, 2, 0.002);
  pl_limit l = isotropic(1.01);
  project(&k, &l, &o);
  pl_sheet_desc d = cloth_desc(&k, 1, &l);
  pl_sheet *s;
  double *x = calloc(3 * (size_t)k.nvert, sizeof *x);
  check_ok(&env, pl_sheet_create(&env, &d, 2, &s));
  check_ok(&env, pl_project(&o, s, k.xhat, 0, NULL, NULL, x, NULL));
  check_array(3 * k.nvert, x, k.x, 0);
  // and again on the same sheet
  check_ok(&env, pl_project(&o, s, k.xhat, 0, NULL, NULL, x, NULL));
  check_array(3 * k.nvert, x, k.x, 0);
  pl_sheet_free(s);
  free(x);
  cloth_close(&k);
}

// triangles of all sorts next to each other: two ellipses, directions, both, nothing; the gap is
// certified all the same, warm and on two threads with the same bits
static void mixed_limits(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  pl_rng r;
  pl_rng_seed(&r, 7);
  double B[2][3], angle[5], bound[5];
  pl_limit_ellipse(1.01, 1.05, 0.5, B[0]);
  pl_limit_ellipse(1.04, 1.01, 0.1, B[1]);
  for (int i = 0; i < 5; i++) angle[i] = PL_PI * i / 5, bound[i] = 1.01 + 0.01 * i;
  const pl_limit limit[3] = {{.nellipse = 2, .B = (const double(*)[3])B},
                             {.ndirection = 5, .angle = angle, .bound = bound},
                             {1, (const double(*)[3])B, 5, angle, bound, {0}}};
  pl_threads *shared;
  check_ok(&env, pl_threads_create(&env, 2, &shared));
  for (int size = 1; size <= 31; size = 2 * size + 1) {
    cloth k;
    cloth_grid(&k, size, size + 1, 0.5, 0.5);
    cloth_mass(&k);
    for (int t = 0; t < k.ntri; t++) k.limit_of[t] = (7 * t + t / 5) % 4 - 1;
    cloth_overstretch(&k, &r, 1.3, 0.002);
    double *x = calloc(3 * (size_t)k.nvert, sizeof *x);
    // at last on the caller's pool
    for (int nthread = 1; nthread <= 3; nthread++) {
      pl_warm_start warm_start = {0};
      pl_sheet_desc d = cloth_desc(&k, 3, limit);
      pl_sheet *s;
      d.threads = nthread == 3 ? shared : NULL;
      check_ok(&env, pl_sheet_create(&env, &d, nthread, &s));
      for (int again = 0; again < 2; again++) {
        pl_project_info info;
        check_ok(&env, pl_project(&o, s, k.xhat, 0, NULL, &warm_start, k.x, &info));
        assert_int_equal(info.reason, PL_PROJECT_CONVERGED);
        assert_int_equal(info.restarts, 0);
        check_result(&k, limit, &o, &info);
      }
      if (nthread == 1) memcpy(x, k.x, 3 * (size_t)k.nvert * sizeof *x);
      check_array(3 * k.nvert, k.x, x, 0);
      pl_warm_start_free(&env, &warm_start);
      pl_sheet_free(s);
    }
    free(x);
    cloth_close(&k);
  }
  pl_threads_free(shared);
}

// ---- uniqueness ---------------------------------------------------------------------------------

// cold, warm from a neighbouring problem, from a warm start full of noise, without Gondzio's step:
// all end within what they certify of each other
static void one_answer(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  pl_rng r;
  pl_rng_seed(&r, 6);
  for (int trial = 0; trial < 12; trial++) {
    cloth k;
    pl_warm_start warm_start = {0};
    pl_project_info cold, info;
    double angle[4], bound[4] = {1.02, 1.05, 1.02, 1.1};
    for (int i = 0; i < 4; i++) angle[i] = PL_PI * i / 4;
    cloth_grid(&k, 10, 10, 0.5, 0.5);
    cloth_mass(&k);
    cloth_overstretch(&k, &r, 1.2 + 0.3 * trial, 0.002);
    k.fixed[trial % 7] = 7;
    pl_limit l = isotropic(1.01), flat = {.ndirection = 4, .angle = angle, .bound = bound};
    if (trial % 3 == 2) l = flat;
    int n = 3 * k.nvert;
    double *x = calloc((size_t)n, sizeof *x), *hat = calloc((size_t)n, sizeof *hat);
    cold = project(&k, &l, &o);
    pl_sheet *s = cloth_sheet(&env, &k, 1, &l);
    for (int i = 0; i < n; i++) hat[i] = k.xhat[i] + 0.002 * pl_rng_normal(&r);
    check_ok(&env, pl_project(&o, s, hat, 0, NULL, &warm_start, x, &info));
    for (int round = 0; round < 4; round++) {
      for (int i = 0; round == 2 && i < n; i++) warm_start.dx[i] += 0.05 * pl_rng_normal(&r);
      for (int i = 0; round == 3 && i < 3 * warm_start.ncone; i++)
        warm_start.dual[i] *= pow(10, pl_rng_uniform(&r, -3, 3));
      check_ok(&env, pl_project(&o, s, k.xhat, 0, NULL, &warm_start, x, &info));
      check_less(cloth_distance(&k, x, k.x), cold.distance + info.distance + 1e-15);
      check_less(cold.bound, info.objective * (1 + 1e-12));
      check_less(info.bound, cold.objective * (1 + 1e-12));
    }
    o.correct = 0;
    check_ok(&env, pl_project(&o, s, k.xhat, 0, NULL, NULL, x, &info));
    check_less(cloth_distance(&k, x, k.x), cold.distance + info.distance + 1e-15);
    o.correct = 1;
    pl_warm_start_free(&env, &warm_start);
    pl_sheet_free(s);
    free(x);
    free(hat);
    cloth_close(&k);
  }
}

// a warm start of another sheet does not fit and is not used
static void foreign_warm(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  pl_warm_start warm_start = {0};
  pl_rng r;
  pl_rng_seed(&r, 7);
  pl_limit l = isotropic(1.01);
  for (int n = 3; n <= 5; n++) {
    cloth k;
    pl_project_info info;
    cloth_grid(&k, n, n, 0.5, 0.5);
    cloth_overstretch(&k, &r, 2, 0);
    pl_sheet *s = cloth_sheet(&env, &k, 1, &l);
    check_ok(&env, pl_project(&o, s, k.xhat, 0, NULL, &warm_start, k.x, &info));
    check_result(&k, &l, &o, &info);
    assert_int_equal(warm_start.nvert, k.nvert);
    assert_int_equal(warm_start.ncone, k.ntri);
    pl_sheet_free(s);
    cloth_close(&k);
  }
  pl_warm_start_free(&env, &warm_start);
}

// ---- many states --------------------------------------------------------------------------------

// 200 states with singular values up to seven, limits of 0.1 to 30 %, with and without pins: all
// converge with the default options, to 1e-6 in 360 directions
static void strongly_stretched(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  pl_rng r;
  pl_rng_seed(&r, 8);
  int most = 0;
  for (int trial = 0; trial < 200; trial++) {
    cloth k;
    double B[2][3], angle[8], bound[8], b = 1 + pow(10, pl_rng_uniform(&r, -3, log10(0.3)));
    int n = trial % 5 == 4 ? 20 : 10;
    cloth_grid(&k, n, n, 0.5, 0.5);
    if (trial % 2) cloth_mass(&k);
    cloth_overstretch(&k, &r, pl_rng_uniform(&r, 1.1, 7), trial % 3 ? 0.1 / n : 0);
    pl_limit_ellipse(b, b, 0, B[0]);
    pl_limit_ellipse(b, 1 + pow(10, pl_rng_uniform(&r, -3, log10(0.3))), trial, B[1]);
    for (int i = 0; i < 8; i++) angle[i] = PL_PI * i / 8, bound[i] = 1.5 * b - 0.5 + 0.01 * (i % 3);
    pl_limit l = {.nellipse = 1, .B = (const double(*)[3])(B + trial % 4 / 3)};
    if (trial % 10 == 5) l = (pl_limit){.ndirection = 8, .angle = angle, .bound = bound};
    if (trial % 10 == 7) l = (pl_limit){1, (const double(*)[3])B, 8, angle, bound, {0}};
    // two corners held where they can be
    for (int c = 0; trial % 3 == 1 && c < 2; c++) {
      int i = c * n;
      k.fixed[i] = 7;
      memcpy(k.xhat + 3 * i, k.X + 3 * i, 3 * sizeof(double));
    }
    pl_project_info info = project(&k, &l, &o);
    assert_int_equal(info.reason, PL_PROJECT_CONVERGED);
    most = info.iterations > most ? info.iterations : most;
    cloth_close(&k);
  }
  assert_in_range(most, 5, 40);
}

// moves of a millionth of the sheet are certified like any other
static void small_moves(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  pl_rng r;
  pl_rng_seed(&r, 18);
  for (int trial = 0; trial < 5; trial++) {
    cloth k;
    cloth_grid(&k, 12, 12, 1, 1);
    cloth_mass(&k);
    pl_limit l = isotropic(1.01);
    double beyond = pow(10, -trial - 2.);
    for (int i = 0; i < 3 * k.nvert; i++)
      k.xhat[i] = (1.01 + beyond) * k.xhat[i] + beyond / 12 * pl_rng_normal(&r);
    pl_project_info info = project(&k, &l, &o);
    check_less(info.iterations, 25);
    cloth_close(&k);
  }
}

// the smallest gap that can be asked for ends when rounding allows no smaller one
static void finest_gap(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  pl_rng r;
  pl_rng_seed(&r, 19);
  o.gap = 1e-12;
  for (int trial = 0; trial < 12; trial++) {
    int n = 10 << trial % 3;
    cloth k;
    pl_project_info info;
    cloth_grid(&k, n, n, 0.5, 0.5);
    cloth_mass(&k);
    cloth_overstretch(&k, &r, 1.01 + pow(10, -1 - trial / 3), 0.1 / n * pow(10, -trial / 3));
    pl_limit l = isotropic(1.01);
    pl_sheet *s = cloth_sheet(&env, &k, 1, &l);
    check_ok(&env, pl_project(&o, s, k.xhat, 0, NULL, NULL, k.x, &info));
    check_less(info.objective - info.bound, 1e-10 * info.objective);
    check_less(info.iterations, 40);
    pl_sheet_free(s);
    cloth_close(&k);
  }
}

// beyond anything that a motion brings: crumpled at random, 30 times too large, one vertex 500 m
// away, all in one point but one; the same sheets made of needles, or held along a rail
static void beyond_measure(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  pl_rng r;
  pl_rng_seed(&r, 10);
  for (int trial = 0; trial < 60; trial++) {
    cloth k;
    double b = 1 + pow(10, pl_rng_uniform(&r, -4, -0.5));
    cloth_grid(&k, 10, 10, 0.5, trial % 6 == 4 ? 0.5 / 300 : 0.5);
    cloth_mass(&k);
    cloth_overstretch(&k, &r, 3, 0.001);
    for (int i = 0; i < 3 * k.nvert; i++) {
      double *x = &k.xhat[i];
      if (trial % 6 == 0) *x = 0.3 * pl_rng_normal(&r);
      if (trial % 6 == 1) *x *= 30;
      if (trial % 6 == 2) *x += i == 3 * 37 ? 500 : 0;
      if (trial % 6 == 3) *x = i == 0 ? 3 : 0;
      if (trial % 6 == 5 && i < 33) k.fixed[i / 3] = 6, *x = i % 3 > 0 ? 0 : *x;
    }
    pl_limit l = isotropic(b);
    pl_project_info info = project(&k, &l, &o);
    assert_int_equal(info.reason, PL_PROJECT_CONVERGED);
    assert_in_range(info.iterations, 5, 60);
    cloth_close(&k);
  }
}

// ---- what cannot be solved ----------------------------------------------------------------------

static void pins_too_far(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  cloth k;
  pl_project_info info;
  cloth_grid(&k, 10, 2, 1, 0.2);
  pl_limit l = isotropic(1.01);
  k.fixed[0] = k.fixed[10] = 7;
  k.xhat[30] = 1.0605;
  pl_sheet *s = cloth_sheet(&env, &k, 1, &l);
  check_status(&env, pl_project(&o, s, k.xhat, 0, NULL, NULL, k.x, &info), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "vertices 0 and 10"));
  assert_non_null(strstr(env.error.text, "1.0605"));
  assert_non_null(strstr(env.error.text, "1.01 m"));
  // the same sheet can still be used
  k.xhat[30] = 1.0099;
  check_ok(&env, pl_project(&o, s, k.xhat, 0, NULL, NULL, k.x, &info));
  check_result(&k, &l, &o, &info);
  pl_sheet_free(s);
  cloth_close(&k);
}

// held too far apart in one component, which no path tells: ends by itself, with numbers
static void no_state(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  for (int trial = 0; trial < 4; trial++) {
    cloth k;
    pl_project_info info;
    cloth_grid(&k, 10, 2, 1, 0.2);
    pl_limit l = isotropic(1.01);
    for (int j = 0; j < 3; j++) {
      k.fixed[11 * j] = k.fixed[11 * j + 10] = 1;
      k.xhat[33 * j + 30] = 1.02 + trial * trial * 3;
    }
    pl_sheet *s = cloth_sheet(&env, &k, 1, &l);
    check_status(&env, pl_project(&o, s, k.xhat, 0, NULL, NULL, k.x, &info), PL_UNSOLVED);
    assert_true(info.reason == PL_PROJECT_INFEASIBLE || info.reason == PL_PROJECT_MAX_ITER);
    assert_true(pl_all_finite(3 * k.nvert, k.x));
    assert_true(isfinite(info.violation) && info.violation > 0);
    pl_sheet_free(s);
    cloth_close(&k);
  }
}

static void no_number(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  const double bad[2] = {NAN, -INFINITY};
  cloth k;
  pl_project_info info;
  cloth_grid(&k, 3, 3, 1, 1);
  pl_limit l = isotropic(1.01);
  pl_sheet *s = cloth_sheet(&env, &k, 1, &l);
  for (int trial = 0; trial < 2; trial++) {
    k.xhat[16] = bad[trial];
    check_status(&env, pl_project(&o, s, k.xhat, 0, NULL, NULL, k.x, &info), PL_E_INPUT);
    assert_non_null(strstr(env.error.text, "vertex 5"));
    int worst;
    double v = pl_sheet_violation(s, k.xhat, &worst);
    assert_true(!(v <= 0));
    const int *t = k.tri + 3 * worst;
    assert_true(t[0] == 5 || t[1] == 5 || t[2] == 5);
  }
  k.xhat[16] = 0;
  o.gap = -1;
  check_status(&env, pl_project(&o, s, k.xhat, 0, NULL, NULL, k.x, &info), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "gap"));
  pl_sheet_free(s);
  cloth_close(&k);
}

typedef struct attempt {
  cloth k;
  pl_limit l;
} attempt;

static pl_status whole(pl_env *e, void *ctx) {
  attempt *a = ctx;
  pl_sheet_desc d = cloth_desc(&a->k, 1, &a->l);
  pl_project_opts o = project_defaults();
  pl_warm_start warm_start = {0};
  pl_sheet *s;
  PL_TRY(pl_sheet_create(e, &d, 1, &s));
  pl_contact_row wall = {.n = 2, .vert = {6, 10}, .weight = {0.5, 0.5}, .offset = 0.01, .mu = 0.3};
  wall.frame[0][2] = wall.frame[1][0] = wall.frame[2][1] = 1;
  pl_status status = pl_project(&o, s, a->k.xhat, 0, NULL, &warm_start, a->k.x, NULL);
  if (status == PL_OK) status = pl_project(&o, s, a->k.xhat, 1, &wall, &warm_start, a->k.x, NULL);
  pl_warm_start_free(e, &warm_start);
  pl_sheet_free(s);
  return status;
}

static void no_memory(void **state) {
  (void)state;
  attempt a = {.l = isotropic(1.01)};
  cloth_grid(&a.k, 4, 3, 0.5, 0.4);
  for (int i = 0; i < 3 * a.k.nvert; i++) a.k.xhat[i] *= 1.3;
  a.k.fixed[0] = 7;
  check_allocations(whole, &a);
  cloth_close(&a.k);
}

// stops at the first call, or at a later one when the count begins below zero
static int stop_at_once(void *ctx, const pl_progress *p) {
  (void)p;
  return ++*(int *)ctx > 0;
}

// a long solve can be stopped
static void cancelled(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  pl_rng r;
  pl_env own;
  int calls = 0;
  cloth k;
  pl_project_info info;
  pl_env_init(&own);
  pl_rng_seed(&r, 9);
  cloth_grid(&k, 90, 90, 0.5, 0.5);
  cloth_overstretch(&k, &r, 2, 0.001);
  pl_limit l = isotropic(1.01);
  pl_sheet *s = cloth_sheet(&own, &k, 1, &l);
  own.progress = stop_at_once;
  own.progress_ctx = &calls;
  check_status(&own, pl_project(&o, s, k.xhat, 0, NULL, NULL, k.x, &info), PL_CANCELLED);
  assert_int_equal(info.reason, PL_PROJECT_CANCELLED);
  assert_int_equal(calls, 1);
  // the first factor is there, its solves are not
  calls = -1;
  check_status(&own, pl_project(&o, s, k.xhat, 0, NULL, NULL, k.x, &info), PL_CANCELLED);
  assert_int_equal(info.factorisations, 1);
  assert_int_equal(info.iterations, 1);
  pl_sheet_free(s);
  cloth_close(&k);
}

// so can the search for ways between many pins, which stands before the first one
static void cancelled_search(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  pl_env own;
  int calls = -2;
  cloth k;
  pl_env_init(&own);
  cloth_grid(&k, 20, 20, 0.5, 0.5);
  for (int i = 0; i < 10; i++) k.fixed[i] = 7;
  pl_limit l = isotropic(1.01);
  pl_sheet *s = cloth_sheet(&own, &k, 1, &l);
  own.progress = stop_at_once;
  own.progress_ctx = &calls;
  check_status(&own, pl_project(&o, s, k.xhat, 0, NULL, NULL, k.x, NULL), PL_CANCELLED);
  own.progress = NULL;
  check_ok(&own, pl_project(&o, s, k.xhat, 0, NULL, NULL, k.x, NULL));
  pl_sheet_free(s);
  cloth_close(&k);
}

int test_project(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_triangle),
      cmocka_unit_test(pulled_strip),
      cmocka_unit_test(lifted_hexagon),
      cmocka_unit_test(inside_already),
      cmocka_unit_test(turned),
      cmocka_unit_test(momentum),
      cmocka_unit_test(threads),
      cmocka_unit_test(mixed_limits),
      cmocka_unit_test(one_answer),
      cmocka_unit_test(foreign_warm),
      cmocka_unit_test(strongly_stretched),
      cmocka_unit_test(beyond_measure),
      cmocka_unit_test(pins_too_far),
      cmocka_unit_test(no_state),
      cmocka_unit_test(no_number),
      cmocka_unit_test(no_memory),
      cmocka_unit_test(cancelled),
      cmocka_unit_test(cancelled_search),
      cmocka_unit_test(small_moves),
      cmocka_unit_test(finest_gap),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("project", tests, NULL, NULL);
}
