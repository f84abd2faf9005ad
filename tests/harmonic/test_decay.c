// Harmonic inversion of free decays, beside the formulas that made them.
#include "check.h"

#include "pliant/harmonic.h"
#include "pliant/math.h"

#include <math.h>
#include <stdlib.h>

enum { N = 400, LONG = 20000 };

static pl_env env;

// two damped sines and an offset: 40 Hz and 95 Hz
static double two(double t) {
  return 3 + 2 * exp(-12 * t) * cos(2 * PL_PI * 40 * t + 0.3) +
         0.8 * exp(-25 * t) * cos(2 * PL_PI * 95 * t - 1.1);
}

static void sample_seed(int n, double step, double (*f)(double), double noise, unsigned seed,
                        double *y) {
  pl_rng r;
  pl_rng_seed(&r, seed);
  for (int i = 0; i < n; i++) y[i] = f(i * step) + noise * pl_rng_normal(&r);
}

static void sample(int n, double step, double (*f)(double), double noise, double *y) {
  sample_seed(n, step, f, noise, 7, y);
}

typedef struct bounds {
  double omega, decay, amplitude, phase; // relative but for the phase
} bounds;

static void check_mode(const pl_decay_mode *m, double f, double d, double size, double phase,
                       const bounds *b, double factor) {
  check_rel(m->omega, 2 * PL_PI * f, factor * b->omega);
  check_rel(m->decay, d, factor * b->decay);
  check_rel(m->amplitude, size, factor * b->amplitude);
  check_close(m->phase, phase, factor * b->phase);
}

static void check_two(const pl_decay *d, const bounds *first, const bounds *second, double factor) {
  assert_int_equal(d->fault, PL_DECAY_GOOD);
  assert_int_equal(d->n, 2);
  assert_int_equal(d->first, 0);
  check_mode(&d->mode[0], 40, 12, 2, 0.3, first, factor);
  check_mode(&d->mode[1], 95, 25, 0.8, -1.1, second, factor);
}

static const bounds same = {1, 1, 1, 1};

static void exact(void **state) {
  (void)state;
  double y[N];
  pl_decay d;
  sample(N, 1e-3, two, 0, y);
  check_ok(&env, pl_decay_find(&env, N, 1e-3, y, &d));
  check_two(&d, &same, &same, 1e-8);
  check_rel(d.offset, 3, 1e-8);
  check_less(d.error, 1e-8 * d.rms);
  for (int i = 0; i < N; i += 37) check_close(pl_decay_value(&d, 1e-3 * i), y[i], 1e-8);
}

// Noise of 1 % of the larger amplitude, 2.5 % of the smaller one, twenty times. No unbiased
// estimate scatters by less than the bounds of Cramer and Rao, which are those below; four times
// are allowed.
static void noisy(void **state) {
  (void)state;
  static const bounds first = {2.1e-4, 0.0045, 0.0032, 0.0031};
  static const bounds second = {6.6e-4, 0.0159, 0.0113, 0.0112};
  double y[N];
  pl_decay d;
  for (unsigned seed = 1; seed <= 20; seed++) {
    sample_seed(N, 1e-3, two, 0.02, seed, y);
    check_ok(&env, pl_decay_find(&env, N, 1e-3, y, &d));
    check_two(&d, &first, &second, 4);
    check_close(d.offset, 3, 4 * 1.1e-3);
    check_close(d.error, 0.02, 0.002);
  }
}

// more samples than the pencil takes: means of them are of the same poles
static void finely_sampled(void **state) {
  (void)state;
  static double y[LONG];
  pl_decay d;
  sample(LONG, 2e-5, two, 0, y);
  check_ok(&env, pl_decay_find(&env, LONG, 2e-5, y, &d));
  check_two(&d, &same, &same, 1e-8);
  check_rel(d.offset, 3, 1e-8);
}

// contact-stepping 8.2: lambda = (2 pi f)^2 + d^2 and b = 2 d / lambda of x'' + b lambda x' +
// lambda x = 0, whose motion is A exp(-d t) sin(2 pi f t)
static void calibration(void **state) {
  (void)state;
  static const double lambda = 4e6, b = 1.64e-4;
  double y[N], c = 0.5 * b * lambda, w = sqrt(lambda - c * c);
  pl_decay d;
  for (int i = 0; i < N; i++) y[i] = 1e-3 * exp(-c * i * 5e-5) * sin(w * i * 5e-5);
  check_ok(&env, pl_decay_find(&env, N, 5e-5, y, &d));
  const pl_decay_mode *m = &d.mode[d.first];
  double found = m->omega * m->omega + m->decay * m->decay;
  assert_int_equal(d.fault, PL_DECAY_GOOD);
  assert_int_equal(d.n, 1);
  check_rel(found, lambda, 1e-8);
  check_rel(2 * m->decay / found, b, 1e-8);
}

static double still(double t) {
  (void)t;
  return 4.25;
}
static double nothing(double t) {
  (void)t;
  return 0;
}
static double steady(double t) {
  return sin(250 * t);
}
static double grows(double t) {
  return exp(3 * t) * sin(250 * t);
}
static double brief(double t) {
  return exp(-t) * sin(20 * t);
}
static double creeps(double t) {
  return exp(-10 * t);
}
// a slow wander of the camera below the vibration, and a drift
static double wanders(double t) {
  return two(t) + 0.3 * sin(9 * t) + 0.5 * exp(-4 * t);
}

static void useless(void **state) {
  (void)state;
  static const struct {
    double (*f)(double);
    double noise;
    pl_decay_fault fault;
  } list[] = {{still, 0, PL_DECAY_STILL},   {nothing, 0, PL_DECAY_STILL},
              {steady, 0, PL_DECAY_STEADY}, {steady, 0.001, PL_DECAY_STEADY},
              {grows, 0, PL_DECAY_GROWS},   {grows, 0.01, PL_DECAY_GROWS},
              {brief, 0, PL_DECAY_PERIODS}, {brief, 0.001, PL_DECAY_PERIODS},
              {creeps, 0, PL_DECAY_NOISE},  {creeps, 0.01, PL_DECAY_NOISE},
              {nothing, 1, PL_DECAY_NOISE}};
  double y[N];
  pl_decay d;
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    sample(N, 1e-3, list[i].f, list[i].noise, y);
    check_ok(&env, pl_decay_find(&env, N, 1e-3, y, &d));
    if (d.fault != list[i].fault) print_message("record %d\n", (int)i);
    assert_int_equal(d.fault, list[i].fault);
  }
  check_ok(&env, pl_decay_find(&env, PL_DECAY_LEAST - 1, 1e-3, y, &d));
  assert_int_equal(d.fault, PL_DECAY_SHORT);
  y[3] = NAN;
  check_status(&env, pl_decay_find(&env, N, 1e-3, y, &d), PL_E_INPUT);
}

static void wandering(void **state) {
  (void)state;
  double y[N];
  pl_decay d;
  sample(N, 1e-3, wanders, 0, y);
  check_ok(&env, pl_decay_find(&env, N, 1e-3, y, &d));
  assert_int_equal(d.fault, PL_DECAY_GOOD);
  check_rel(d.mode[d.first].omega, 2 * PL_PI * 40, 1e-6);
  check_rel(d.mode[d.first].decay, 12, 1e-6);
}

static pl_status body(pl_env *e, void *ctx) {
  pl_decay d;
  return pl_decay_find(e, 60, 1e-3, ctx, &d);
}

static void allocations(void **state) {
  (void)state;
  double y[60];
  sample(60, 1e-3, two, 0, y);
  check_allocations(body, y);
}

int test_decay(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact),       cmocka_unit_test(noisy),   cmocka_unit_test(finely_sampled),
      cmocka_unit_test(calibration), cmocka_unit_test(useless), cmocka_unit_test(wandering),
      cmocka_unit_test(allocations)};
  return cmocka_run_group_tests_name("harmonic.decay", tests, NULL, NULL);
}
