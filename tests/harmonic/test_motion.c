// Periodic motions against closed forms and against time stepping.
#include "check.h"
#include "models.h"

#include "pliant/harmonic.h"
#include "pliant/math.h"

#include <string.h>

static pl_env env;

// mass 1 kg on a spring to ground, driven by F cos(omega t)
static void oscillator(model_kit *k, double stiffness, double cubic, double damping, double force) {
  kit_oscillator(k, &env, (double[]){stiffness, 0, cubic, damping}, 1);
  kit_shake(k, force, PL_PI / 2);
}

static pl_status solve(kit_model *b, double omega, int nharm, pl_orbit **o,
                       pl_periodic_info *info) {
  pl_periodic_opts opts;
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &opts);
  opts.frequency = omega;
  opts.harmonics = nharm;
  *o = NULL;
  return pl_periodic(&opts, b->m, b->p, b->w, o, info);
}

// q = A cos(omega t - phi), A = F / |k - w^2 + i c w|, weakly and strongly driven alike
static void linear_closed_form(void **state) {
  (void)state;
  for (double force = 1e-9; force < 1e7; force *= 1e5) {
    model_kit kit;
    kit_model b;
    pl_orbit *o;
    pl_periodic_info info;
    const double k = 4, c = 0.3, w = 1.7;
    oscillator(&kit, k, 0, c, force);
    kit_build(&kit, 1, &b);
    check_ok(&env, solve(&b, w, 3, &o, &info));
    double re = k - w * w, im = c * w, d = re * re + im * im;
    const double want[7] = {0, force * im / d, force * re / d, 0, 0, 0, 0};
    check_array(7, o->z, want, 1e-12 * force);
    // the path of a cosine is four amplitudes, its largest deviation one
    double A = force / sqrt(d);
    check_rel(pl_orbit_path(b.m, b.p, o, 0, 0, NULL), 4 * A, 1e-6);
    check_rel(pl_orbit_max(b.m, b.p, o, 0, 0, NULL), A, 1e-12);
    pl_orbit_free(o);
    kit_model_free(&b);
    kit_free(&kit);
  }
}

// one harmonic: (k - w^2 + 3/4 g A^2)^2 A^2 + (c w A)^2 = F^2
static void duffing_one_harmonic(void **state) {
  (void)state;
  const double k = 1, g = 0.5, c = 0.1, F = 0.3;
  for (double w = 0.5; w < 2; w += 0.25) {
    model_kit kit;
    kit_model b;
    pl_orbit *o;
    pl_periodic_info info;
    oscillator(&kit, k, g, c, F);
    kit_build(&kit, 1, &b);
    check_ok(&env, solve(&b, w, 1, &o, &info));
    double A = hypot(o->z[1], o->z[2]), e = k - w * w + 0.75 * g * A * A;
    check_rel((e * e + c * c * w * w) * A * A, F * F, 1e-8);
    check_close(o->z[0], 0, 1e-12);
    pl_orbit_free(o);
    kit_model_free(&b);
    kit_free(&kit);
  }
}

// gradients of both amplitudes against central differences
static void amplitude_gradients(void **state) {
  (void)state;
  model_kit kit;
  kit_model b;
  static const double par[4] = {1e6, 0.3, 1000, 0.01};
  kit_init(&kit, &env, 3);
  kit_grid(&kit, 3, 2, 0.3, 0.2, PL_ALTERNATING, par);
  kit_fix(&kit, "left");
  kit_build(&kit, 1, &b);
  pl_orbit *o;
  check_ok(&env, pl_orbit_create(&env, b.m, 3, &o));
  o->omega = 5;
  int n = o->nfree * 7, node = kit.mesh->nvert - 1;
  pl_rng r;
  pl_rng_seed(&r, 4);
  for (int i = 0; i < n; i++) o->z[i] = pl_rng_uniform(&r, -1, 1);
  double *g = pl_alloc(&env, (size_t)n, sizeof(double)),
         *d = pl_alloc(&env, (size_t)n, sizeof(double));
  double *z = pl_alloc(&env, (size_t)n, sizeof(double)), value[2];
  memcpy(z, o->z, (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) d[i] = pl_rng_uniform(&r, -1, 1);
  for (int kind = 0; kind < 4; kind++) {
    memcpy(o->z, z, (size_t)n * sizeof(double));
    if (kind == 3)
      pl_orbit_path(b.m, b.p, o, node, 0, g);
    else
      pl_orbit_max(b.m, b.p, o, node, kind, g);
    for (int side = 0; side < 2; side++) {
      pl_axpy(n, side ? 1e-5 : -1e-5, d, z, o->z);
      value[side] = kind == 3 ? pl_orbit_path(b.m, b.p, o, node, 0, NULL)
                              : pl_orbit_max(b.m, b.p, o, node, kind, NULL);
    }
    check_rel((value[1] - value[0]) / 2e-5, pl_dot(n, g, d), 1e-6);
  }
  pl_free(&env, g);
  pl_free(&env, d);
  pl_free(&env, z);
  pl_orbit_free(o);
  kit_model_free(&b);
  kit_free(&kit);
}

// a shell strip flapped at its root: +-angle about y
static void strip(model_kit *k, int cells, double angle) {
  static const double par[4] = {3.3e9, 0.36, 1240, 0.8e-3};
  static pl_term rot;
  static int root[64];
  int n = 0;
  kit_init(k, &env, 3);
  kit_grid(k, cells, 1, 0.2, 0.02, PL_ALTERNATING, par);
  for (int i = 0; i < k->mesh->nvert; i++)
    if (k->mesh->X[3 * i] < 0.2 / cells + 1e-9) root[n++] = i;
  rot = (pl_term){1, {angle, 0, 0}, 0};
  pl_drive_desc *d = kit_drive(k, n, root);
  d->kind = PL_DRIVE_ROTATION;
  d->axis[1] = 1;
  d->nterm = 1;
  d->term = &rot;
  k->d.alpha = 0.5;
  k->d.beta = 5e-5;
}

// the error of BDF2 falls with the square of its step, so the difference must, too
static void strip_agrees_with_time_stepping(void **state) {
  (void)state;
  model_kit kit;
  kit_model b;
  pl_orbit *o;
  pl_periodic_info info;
  const double w = 2 * PL_PI * 2.5;
  strip(&kit, 8, 0.35);
  kit.d.alpha = 8; // settles within the test
  kit_build(&kit, 1, &b);
  check_ok(&env, solve(&b, w, 9, &o, &info));
  double error[2];
  int nq = b.s->nq;
  pl_state *want;
  check_ok(&env, pl_state_create(b.m, b.p, &want));
  for (int k = 0; k < 2; k++) {
    pl_transient_opts opts;
    pl_transient_info ti;
    pl_opts_default(pl_transient_option_table, pl_transient_option_count, &opts);
    opts.method = PL_BDF2;
    opts.frequency = w;
    opts.periods = 12;
    opts.steps_per_period = k ? 256 : 128;
    pl_orbit_state(b.m, b.p, o, 0, b.s);
    b.s->t = 0;
    check_ok(&env, pl_transient(&opts, b.m, b.p, b.s, NULL, b.w, NULL, NULL, &ti));
    pl_orbit_state(b.m, b.p, o, 0, want);
    pl_axpy(nq, -1, b.s->q, want->q, want->q);
    error[k] = pl_max_abs(nq, want->q);
  }
  // the tip moves by some ten centimetres
  check_less(error[1], 2e-4);
  check_close(log2(error[0] / error[1]), 2, 0.3);
  pl_state_free(b.m, want);
  pl_orbit_free(o);
  kit_model_free(&b);
  kit_free(&kit);
}

// thin strip, +-40 degrees, from 0.02 to 0.9 of its first natural frequency without help
static void thin_strip_is_followed(void **state) {
  (void)state;
  model_kit kit;
  kit_model b;
  strip(&kit, 20, 40 * PL_PI / 180);
  kit_build(&kit, 2, &b);
  pl_modes_opts mo = {.count = 1};
  pl_modes_info mi;
  double w1, *shape = pl_alloc(&env, (size_t)b.s->nq, sizeof(double));
  check_ok(&env, pl_modes(&mo, b.m, b.p, b.s, b.w, &w1, shape, &mi));
  pl_response_opts ro;
  pl_opts_default(pl_response_option_table, pl_response_option_count, &ro);
  ro.from = 0.02 * w1;
  ro.to = 0.9 * w1;
  ro.harmonics = 3;
  ro.stability = 0;
  int tip = kit.mesh->nvert - 1;
  pl_curve *c;
  check_ok(&env, pl_response(&ro, b.m, b.p, b.w, 1, &tip, NULL, &c));
  assert_int_equal(c->reason, PL_STOP_END);
  check_rel(c->point[c->npoint - 1].orbit->omega, ro.to, 1e-12);
  // rounding in stretched elements, eps E h l, against inertia, which falls with the square of the
  // frequency
  for (int i = 0; i < c->npoint; i++) {
    double slow = w1 / c->point[i].orbit->omega;
    check_less(c->point[i].residual, fmax(ro.rtol, 4e-8 * slow * slow));
  }
  pl_curve_free(c);
  pl_free(&env, shape);
  kit_model_free(&b);
  kit_free(&kit);
}

static void nonsense_is_refused(void **state) {
  (void)state;
  model_kit kit;
  kit_model b;
  pl_orbit *o;
  pl_periodic_info info;
  oscillator(&kit, 4, 0, 0.1, 1);
  kit_build(&kit, 1, &b);
  check_status(&env, solve(&b, 0, 3, &o, &info), PL_E_INPUT);
  assert_null(o);
  pl_hb *hb;
  check_status(&env, pl_hb_create(b.m, b.p, b.w, 4, 8, &hb), PL_E_INPUT);
  kit_model_free(&b);
  kit_free(&kit);
  // nothing oscillates
  oscillator(&kit, 4, 0, 0.1, 1);
  kit.load[0].term.harmonic = 0;
  kit_build(&kit, 1, &b);
  check_status(&env, solve(&b, 1, 3, &o, &info), PL_E_INPUT);
  kit_model_free(&b);
  kit_free(&kit);
  // undamped resonance: no steady motion
  oscillator(&kit, 4, 0, 0, 1);
  kit_build(&kit, 1, &b);
  check_status(&env, solve(&b, 2, 3, &o, &info), PL_UNSOLVED);
  assert_int_equal(info.reason, PL_STOP_SINGULAR);
  assert_null(o);
  kit_model_free(&b);
  kit_free(&kit);
}

int test_motion(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_closed_form),     cmocka_unit_test(duffing_one_harmonic),
      cmocka_unit_test(amplitude_gradients),    cmocka_unit_test(strip_agrees_with_time_stepping),
      cmocka_unit_test(thin_strip_is_followed), cmocka_unit_test(nonsense_is_refused),
  };
  return cmocka_run_group_tests_name("harmonic.motion", tests, NULL, NULL);
}
