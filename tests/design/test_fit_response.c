// Parameters from responses: against the closed form of the Duffing oscillator with one harmonic,
//   ((k + 3/4 k3 A^2 - m w^2)^2 + (c w)^2) A^2 = F^2,
// and of two masses, with noise of known size.
#include "check.h"
#include "design_models.h"

#include "pliant/design.h"
#include "pliant/math.h"

#include <complex.h>
#include <string.h>

static pl_env env;

enum { MASS, STIFFNESS, DAMPING, FORCE, CUBIC, SAMPLES = 48 };

typedef struct bench {
  model_kit kit;
  kit_model b;
  pl_fit_response_opts o;
  double omega[2 * SAMPLES], re[2 * SAMPLES], im[2 * SAMPLES];
  pl_frf set;
  pl_response_fit *fit;
} bench;

static void open_bench(bench *t, double cubic) {
  memset(t, 0, sizeof *t);
  design_oscillator(&t->kit, &env, cubic);
  kit_build(&t->kit, 1, &t->b);
  pl_opts_default(pl_fit_response_option_table, pl_fit_response_option_count, &t->o);
  t->o.harmonics = 1;
  t->o.samples = 8; // x^3 of one harmonic is free of aliasing
  t->set = (pl_frf){.name = "duffing",
                    .harmonic = 1,
                    .kind = PL_FRF_COMPLEX,
                    .n = SAMPLES,
                    .omega = t->omega,
                    .re = t->re,
                    .im = t->im};
}

static void close_bench(bench *t) {
  pl_response_fit_free(t->fit);
  t->fit = NULL;
  kit_model_free(&t->b);
  kit_free(&t->kit);
}

static const double truth[5] = {2, 50, 0.4, 3, 6};

// complex amplitude against the force on the branch that rising frequency follows: the largest root
// below the peak, then the smallest; squares of amplitudes by bisection between sign changes
static double complex duffing(const double *p, double w, int up) {
  double root[3];
  int n = 0;
  double most = p[FORCE] / (p[DAMPING] * w), last = -1, at = 0;
  for (int i = 0; i <= 4000 && n < 3; i++) {
    double A = most * 1.0001 * i / 4000,
           s = p[STIFFNESS] + 0.75 * p[CUBIC] * A * A - p[MASS] * w * w;
    double f = A * A * (s * s + pow(p[DAMPING] * w, 2)) - p[FORCE] * p[FORCE];
    if (i > 0 && (f > 0) != (last > 0)) {
      double lo = at, hi = A;
      for (int k = 0; k < 100; k++) {
        double mid = 0.5 * (lo + hi);
        s = p[STIFFNESS] + 0.75 * p[CUBIC] * mid * mid - p[MASS] * w * w;
        double g = mid * mid * (s * s + pow(p[DAMPING] * w, 2)) - p[FORCE] * p[FORCE];
        if ((g > 0) == (last > 0))
          lo = mid;
        else
          hi = mid;
      }
      root[n++] = 0.5 * (lo + hi);
    }
    last = f;
    at = A;
  }
  double A = up ? root[n - 1] : root[0];
  double s = p[STIFFNESS] + 0.75 * p[CUBIC] * A * A - p[MASS] * w * w;
  return p[FORCE] / (s + I * (p[DAMPING] * w));
}

static void measure(bench *t, double from, double to, int up, double noise, unsigned seed) {
  pl_rng rng;
  pl_rng_seed(&rng, seed);
  for (int i = 0; i < t->set.n; i++) {
    double w = from + (to - from) * i / (t->set.n - 1);
    double complex y = duffing(truth, w, up);
    t->omega[i] = w;
    t->re[i] = creal(y) + noise * pl_rng_normal(&rng);
    t->im[i] = cimag(y) + noise * pl_rng_normal(&rng);
    if (t->set.kind == PL_FRF_AMPLITUDE) t->re[i] = cabs(y) + noise * pl_rng_normal(&rng);
  }
}

// the model starts away from the truth
static void spoil(bench *t, double by) {
  double x[5];
  for (int k = 0; k < 5; k++) x[k] = truth[k] * (k == FORCE ? 1 : k % 2 ? 1 - by : 1 + by);
  check_ok(&env, pl_params_set_design(t->b.m, t->b.p, x));
}

static const pl_variable four[] = {
    {.index = MASS}, {.index = STIFFNESS}, {.index = DAMPING}, {.index = CUBIC}};
static const int number[] = {MASS, STIFFNESS, DAMPING, CUBIC};

static void fit(bench *t) {
  pl_response_fit_free(t->fit);
  t->fit = NULL;
  check_ok(&env,
           pl_fit_response(&t->o, t->b.m, t->b.p, t->b.w, 4, four, 1, &t->set, NULL, &t->fit));
}

// without noise the values come back from poor starts, from amplitudes alone, too, and on either
// branch between the folds at 5.288 and 5.412 rad/s
static void exact_data(void **state) {
  (void)state;
  for (int i = 0; i < 8; i++) {
    bench t;
    open_bench(&t, truth[CUBIC]);
    t.set.kind = i % 2 ? PL_FRF_AMPLITUDE : PL_FRF_COMPLEX;
    t.set.sweep = i < 4 ? PL_SWEEP_NEAREST : i / 2 % 2 ? PL_SWEEP_UP : PL_SWEEP_DOWN;
    measure(&t, 3, 8, i / 2 % 2, 0, 1);
    spoil(&t, i < 4 ? 0.3 : 0.1);
    double before = t.b.p->design[CUBIC];
    fit(&t);
    for (int k = 0; k < 4; k++) check_rel(t.fit->value[k].after, truth[number[k]], 1e-6);
    check_less(t.fit->misfit[1], 1e-7 * t.fit->size);
    assert_true(t.fit->misfit[0] > 0.1 * t.fit->size);
    // what was given is as it was
    assert_true(t.b.p->design[CUBIC] == before);
    check_rel(t.fit->params->design[CUBIC], truth[CUBIC], 1e-6);
    close_bench(&t);
  }
}

// of two branches the one that the sweep leads to: the other is far off
static void branches(void **state) {
  (void)state;
  for (int up = 0; up < 2; up++) {
    bench t;
    pl_frf_match *match;
    pl_curve *curve;
    pl_response_opts o;
    open_bench(&t, truth[CUBIC]);
    measure(&t, 5.29, 5.41, up, 0, 1);
    pl_opts_default(pl_response_option_table, pl_response_option_count, &o);
    o.from = 4;
    o.to = 7;
    o.harmonics = 1;
    o.stability = 0;
    check_ok(&env, pl_response(&o, t.b.m, t.b.p, t.b.w, 0, NULL, NULL, &curve));
    for (int k = 0; k < 3; k++) {
      t.set.sweep = (pl_sweep)k;
      check_ok(&env, pl_frf_compare(t.b.m, t.b.p, t.b.w, curve, &t.set, &match));
      assert_int_equal(match->missing, 0);
      int same = k == PL_SWEEP_NEAREST || (k == PL_SWEEP_UP) == up;
      if (same)
        check_less(match->error, 1e-6 * match->size);
      else
        assert_true(match->error > 0.3 * match->size);
      pl_frf_match_free(match);
    }
    pl_curve_free(curve);
    close_bench(&t);
  }
}

// velocities and accelerations per force, higher harmonics, maxima and root mean squares
static void quantities(void **state) {
  (void)state;
  bench t;
  open_bench(&t, truth[CUBIC]);
  pl_orbit *o;
  check_ok(&env, pl_orbit_create(&env, t.b.m, 3, &o));
  const double w = 2, z[7] = {0.1, 0.3, -0.4, 0, 0, 0.05, 0.02};
  memcpy(o->z, z, sizeof z);
  o->omega = w;
  double re, im;
  // force 3 sin(w t) = Re(-3 i e^(i w t)); the motion is Re((c - i s) e^(i w t))
  double complex y = (z[2] - I * z[1]) / (-3 * I), y3 = (z[6] - I * z[5]) / cpow(-I, 3);
  for (int order = 0; order < 3; order++) {
    pl_frf f = {.harmonic = 1, .order = order, .kind = PL_FRF_COMPLEX, .per = PL_PER_FORCE};
    pl_frf_value(&env, t.b.m, t.b.p, o, &f, &re, &im);
    check_close(cabs(re + I * im - y * cpow(I * w, order)), 0, 1e-13);
    f.kind = PL_FRF_AMPLITUDE;
    f.per = PL_PER_NOTHING;
    pl_frf_value(&env, t.b.m, t.b.p, o, &f, &re, &im);
    check_rel(re, 0.5 * pow(w, order), 1e-13);
    f.kind = PL_FRF_RMS;
    pl_frf_value(&env, t.b.m, t.b.p, o, &f, &re, &im);
    check_rel(re, sqrt(0.5 * (0.25 * pow(w, 2 * order) + 0.0029 * pow(3 * w, 2 * order))), 1e-13);
  }
  pl_frf third = {.harmonic = 3, .kind = PL_FRF_COMPLEX}, top = {.harmonic = 1, .kind = PL_FRF_MAX};
  pl_frf_value(&env, t.b.m, t.b.p, o, &third, &re, &im);
  check_close(cabs(re + I * im - y3), 0, 1e-13);
  pl_frf_value(&env, t.b.m, t.b.p, o, &top, &re, &im);
  check_rel(re, pl_orbit_max(t.b.m, t.b.p, o, 0, 0, NULL), 1e-14);
  pl_orbit_free(o);
  close_bench(&t);
}

// Seeds whose bands hold all true values at once, or each of them; and those where a value lies
// within Student's t of its standard error.
typedef struct tally {
  int n, all, each[5], alone[5];
} tally;

static void count(tally *t, const pl_response_fit *f, const double *value) {
  int all = 1;
  double q = pl_student(0.975, f->freedom);
  t->n++;
  for (int k = 0; k < f->nvalue; k++) {
    const pl_fit_band *b = &f->value[k];
    assert_true(b->low < b->after && b->after < b->high && b->bent != PL_BAND_LOST);
    int in = b->low <= value[k] && value[k] <= b->high;
    all &= in;
    t->each[k] += in;
    t->alone[k] += fabs(b->after - value[k]) <= q * b->error;
  }
  t->all += all;
}

// Numbers with p = 0.95 are binomial: of 100 seeds 88 or fewer come by chance once in 200 cases, 86
// or fewer once in 2000, which is for the 13 values here alone; all 100 once in 170. Of 1000 seeds
// of the oscillator 964 hold all at once, and 955, 953, 957 and 936 each value alone.
static void check_tally(const tally *t, int nvalue) {
  int few = t->n < 100, least = few ? 26 : 89;
  if (t->all < least) fail_msg("%d of %d bands hold all true values", t->all, t->n);
  for (int k = 0; k < nvalue; k++) {
    if (t->each[k] < (few ? 28 : 95))
      fail_msg("the band of value %d holds it in %d of %d cases", k, t->each[k], t->n);
    if (t->alone[k] < least - (few ? 0 : 2) || (!few && t->alone[k] == t->n))
      fail_msg("value %d lies within its own band in %d of %d cases", k, t->alone[k], t->n);
  }
}

static void duffing_bands(void **state) {
  (void)state;
  for (int relative = 0; relative < 2; relative++) {
    tally hits = {0};
    int nseed = relative ? 30 : 100;
    double want[4];
    for (int k = 0; k < 4; k++) want[k] = truth[number[k]];
    bench t;
    open_bench(&t, truth[CUBIC]);
    t.set.n = 41;
    t.set.relative = relative;
    t.o.max_step = 0.05;
    t.o.xtol = 1e-6;
    for (int seed = 1; seed <= nseed; seed++) {
      measure(&t, 4, 6.5, 1, relative ? 0 : 0.02, (unsigned)seed);
      pl_rng rng;
      pl_rng_seed(&rng, (unsigned)seed);
      for (int i = 0; relative && i < t.set.n; i++) {
        double size = 0.02 * hypot(t.re[i], t.im[i]);
        t.re[i] += size * pl_rng_normal(&rng);
        t.im[i] += size * pl_rng_normal(&rng);
      }
      spoil(&t, 0.02);
      fit(&t);
      count(&hits, t.fit, want);
      check_rel(t.fit->noise[0], 0.02, 0.4);
    }
    check_tally(&hits, 4);
    close_bench(&t);
  }
}

// one value alone, k of x = F / k far below resonance: the profile is known, |F / k - y| < q s, so
// that the band ends at F / (y +- q s); the linear one is far from it
static void bent_band(void **state) {
  (void)state;
  static const pl_variable one[] = {{.index = STIFFNESS}};
  bench t;
  open_bench(&t, 0);
  t.set.n = 6;
  for (int i = 0; i < t.set.n; i++) {
    t.omega[i] = 1e-3 * (1 + i);
    t.re[i] = 0.06 + 0.02 * (i % 2 ? 1 : -1);
    t.im[i] = 0.02 * (i / 2 % 2 ? 1 : -1);
  }
  const double x[5] = {truth[0], truth[1], truth[2], truth[3], 0};
  check_ok(&env, pl_params_set_design(t.b.m, t.b.p, x));
  check_ok(&env, pl_fit_response(&t.o, t.b.m, t.b.p, t.b.w, 1, one, 1, &t.set, NULL, &t.fit));
  const pl_fit_band *b = &t.fit->value[0];
  // sum of squares: 6 (F/k - 0.06)^2 and the scatter, 12 numbers less 1 value
  double s = sqrt(12 * 4e-4 / 11), reach = pl_student(0.975, 11) * s / sqrt(6);
  check_rel(b->after, truth[FORCE] / 0.06, 1e-4);
  check_rel(b->error, truth[FORCE] / 0.0036 * s / sqrt(6), 1e-4);
  assert_int_equal(b->bent, PL_BAND_PROFILE);
  check_rel(b->low, truth[FORCE] / (0.06 + reach), 5e-3);
  check_rel(b->high, truth[FORCE] / (0.06 - reach), 5e-3);
  // bounds end a band
  const pl_variable bounded[] = {{.index = STIFFNESS, .min = 45, .max = 60}};
  pl_response_fit_free(t.fit);
  check_ok(&env, pl_fit_response(&t.o, t.b.m, t.b.p, t.b.w, 1, bounded, 1, &t.set, NULL, &t.fit));
  check_rel(t.fit->value[0].low, 45, 1e-12);
  check_rel(t.fit->value[0].high, 60, 1e-12);
  close_bench(&t);
}

static void count_message(void *ctx, const pl_diag *d) {
  *(int *)ctx += d->level == PL_WARNING;
}

// samples up to a fold with strong noise: trials lose their way, which is nobody's concern
static void quiet_trials(void **state) {
  (void)state;
  bench t;
  int n = 0;
  open_bench(&t, truth[CUBIC]);
  t.set.n = 12;
  measure(&t, 5, 5.411, 1, 0.1, 2);
  spoil(&t, 0.1);
  env.diag = count_message;
  env.diag_ctx = &n;
  pl_status s = pl_fit_response(&t.o, t.b.m, t.b.p, t.b.w, 4, four, 1, &t.set, NULL, &t.fit);
  env.diag = NULL;
  assert_true(s == PL_OK || s == PL_UNSOLVED);
  assert_true(t.fit->evaluations > 20);
  check_less(n, 5);
  close_bench(&t);
}

// ---- two masses -------------------------------------------------------------------------------

// m1 x1'' + c x1' + k1 x1 + k2 (x1 - x2) = F cos, m2 x2'' + k2 (x2 - x1) + c x2' = 0
static const double two[5] = {1, 0.8, 100, 40, 0.3}; // m1 m2 k1 k2 c
static const double push = 2;

static void open_two(model_kit *k, kit_model *b) {
  static const double X[2] = {0};
  static const int ground[4] = {-1, 0, -1, 1}, pair[2] = {0, 1}, at[2] = {0, 1};
  const double par[8] = {two[2], 0, 0, two[4], 0, 0, 0, two[4]}, mid[4] = {two[3], 0, 0, 0};
  kit_init(k, &env, 1);
  k->d.nnode = 2;
  k->d.X = X;
  kit_group(k, "ground", "spring1", 2, ground, 0, par);
  kit_group(k, "pair", "spring1", 1, pair, 0, mid);
  kit_group(k, "mass", "mass1", 2, at, 0, two);
  k->load[k->d.nload++] =
      (pl_load_desc){.nnode = 1, .node = at, .term = {1, {push, 0, 0}, PL_PI / 2}};
  kit_design(k, "m1", 0, pl_par_group(&k->d, 2, 0), 1, two[0]);
  kit_design(k, "m2", 0, pl_par_group(&k->d, 2, 1), 1, two[1]);
  kit_design(k, "k1", 0, pl_par_group(&k->d, 0, 0), 1, two[2]);
  kit_design(k, "k2", 0, pl_par_group(&k->d, 1, 0), 1, two[3]);
  kit_design(k, "c", 0, pl_par_group(&k->d, 0, 0) + 3, 1, two[4]);
  k->target[k->ntarget] = (pl_target){0, pl_par_group(&k->d, 0, 1) + 3, 1};
  k->design[k->d.ndesign - 1].ntarget = 2;
  k->ntarget++;
  kit_build(k, 1, b);
}

// two records with noise of different size, one an acceleration
static void two_masses(void **state) {
  (void)state;
  enum { N = 30 };
  model_kit kit;
  kit_model b;
  tally hits = {0};
  double omega[N], re[2][N], im[2][N];
  const double noise[2] = {2e-3, 0.5};
  pl_fit_response_opts o;
  pl_variable all[5] = {{.index = 0}, {.index = 1}, {.index = 2}, {.index = 3}, {.index = 4}};
  pl_frf set[2];
  open_two(&kit, &b);
  pl_opts_default(pl_fit_response_option_table, pl_fit_response_option_count, &o);
  o.harmonics = 1;
  o.samples = 8;
  o.max_step = 0.2;
  o.xtol = 1e-6;
  for (int k = 0; k < 2; k++)
    set[k] = (pl_frf){.name = "two",
                      .node = k,
                      .harmonic = 1,
                      .order = 2 * k,
                      .n = N,
                      .omega = omega,
                      .re = re[k],
                      .im = im[k]};
  for (unsigned seed = 1; seed <= 100; seed++) {
    pl_rng rng;
    pl_response_fit *fit_;
    double start[5];
    pl_rng_seed(&rng, seed);
    for (int i = 0; i < N; i++) {
      double w = omega[i] = 4 + 10.0 * i / (N - 1);
      double complex d1 = two[2] + two[3] - two[0] * w * w + I * (two[4] * w),
                     d2 = two[3] - two[1] * w * w + I * (two[4] * w);
      double complex x1 = push * d2 / (d1 * d2 - two[3] * two[3]), x2 = two[3] * x1 / d2;
      double complex y[2] = {x1, -w * w * x2};
      for (int k = 0; k < 2; k++) {
        re[k][i] = creal(y[k]) + noise[k] * pl_rng_normal(&rng);
        im[k][i] = cimag(y[k]) + noise[k] * pl_rng_normal(&rng);
      }
    }
    for (int k = 0; k < 5; k++) start[k] = two[k] * (k % 2 ? 0.95 : 1.05);
    check_ok(&env, pl_params_set_design(b.m, b.p, start));
    check_ok(&env, pl_fit_response(&o, b.m, b.p, b.w, 5, all, 2, set, NULL, &fit_));
    count(&hits, fit_, two);
    for (int k = 0; k < 2; k++) check_rel(fit_->noise[k], noise[k], 0.4);
    pl_response_fit_free(fit_);
  }
  check_tally(&hits, 5);
  kit_model_free(&b);
  kit_free(&kit);
}

// ---- what cannot be told ----------------------------------------------------------------------

// force, mass, stiffnesses and damping may all grow together
static void alike_is_reported(void **state) {
  (void)state;
  static const pl_variable five[] = {{.index = MASS},
                                     {.index = STIFFNESS},
                                     {.index = DAMPING},
                                     {.index = CUBIC},
                                     {.index = FORCE}};
  bench t;
  open_bench(&t, truth[CUBIC]);
  measure(&t, 4, 6.5, 1, 0.02, 3);
  spoil(&t, 0.02);
  pl_status s = pl_fit_response(&t.o, t.b.m, t.b.p, t.b.w, 5, five, 1, &t.set, NULL, &t.fit);
  assert_true(s == PL_OK || s == PL_UNSOLVED);
  assert_non_null(t.fit);
  assert_int_equal(t.fit->nweak, 5);
  check_less(t.fit->independent, 1e-8);
  for (int k = 0; k < 5; k++) check_close(t.fit->value[k].band, -1, 0);
  // data per force cannot tell the force
  t.set.per = PL_PER_FORCE;
  pl_response_fit_free(t.fit);
  check_status(&env, pl_fit_response(&t.o, t.b.m, t.b.p, t.b.w, 5, five, 1, &t.set, NULL, &t.fit),
               PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "'force' changes the excitation"));
  close_bench(&t);
}

int test_fit_response(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_data), cmocka_unit_test(branches),
      cmocka_unit_test(quantities), cmocka_unit_test(duffing_bands),
      cmocka_unit_test(bent_band),  cmocka_unit_test(quiet_trials),
      cmocka_unit_test(two_masses), cmocka_unit_test(alike_is_reported),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("design.fit_response", tests, NULL, NULL);
}
