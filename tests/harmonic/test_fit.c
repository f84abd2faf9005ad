#include "check.h"
#include "sample_models.h"

#include "pliant/harmonic.h"
#include "pliant/math.h"

#include <string.h>

static pl_env env;

enum { SETS = 3, CHANNELS = 4, SAMPLES = 400 };

// measured data made by the model itself
typedef struct bench {
  model_kit kit;
  kit_model b;
  pl_fit_damping_opts o;
  int ndata;
  pl_fit_data data[SETS];
  double time[SETS][SAMPLES], value[SETS][SAMPLES * CHANNELS];
  int dof[CHANNELS];
} bench;

// Two masses between springs with cubic terms, driven by a force; parameters: stiffness of the
// middle spring, its cubic term, a mass, the force.
static void two_masses(model_kit *k, pl_env *e) {
  static const double X[2] = {0, 1};
  static const int spring[6] = {-1, 0, 0, 1, 1, -1}, at[2] = {0, 1};
  static const double par[12] = {40, 0, 200, 0, 60, 0, 500, 0.05, 30, 0, 0, 0}, mass[2] = {1, 0.6};
  kit_init(k, e, 1);
  k->d.nnode = 2;
  k->d.X = X;
  kit_group(k, "springs", "spring1", 3, spring, 0, par);
  kit_group(k, "masses", "mass1", 2, at, 0, mass);
  k->load[k->d.nload++] = (pl_load_desc){.nnode = 1, .node = at, .term = {1, {1.5, 0, 0}, 0.2}};
  k->d.alpha = 0.3;
  k->d.beta = 0.004;
  kit_design(k, "stiffness", 0, pl_par_group(&k->d, 0, 1), 1, 60);
  kit_design(k, "cubic", 0, pl_par_group(&k->d, 0, 1) + 2, 1, 500);
  kit_design(k, "mass", 0, pl_par_group(&k->d, 1, 1), 1, 0.6);
  kit_design(k, "force", 0, pl_par_load(&k->d, 0), 1, 1.5);
  kit_design(k, "beta twice", 0, PL_PAR_BETA, 2, 0.002);
}

// samples of the steady motion of the model as it stands, measured in a frame and with a clock of
// their own; times unevenly spaced over some periods
static void measure(bench *t, double omega, int nchannel, const int *dof, double phase,
                    double offset, double noise) {
  pl_fit_data *d = &t->data[t->ndata];
  double *time = t->time[t->ndata], *value = t->value[t->ndata], size = 0;
  pl_periodic_opts o;
  pl_orbit *orbit = NULL;
  pl_rng r;
  pl_rng_seed(&r, 11 + (unsigned)t->ndata);
  memcpy(t->dof, dof, (size_t)nchannel * sizeof *dof);
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &o);
  o.frequency = omega;
  o.harmonics = t->o.harmonics;
  o.rtol = 1e-12;
  check_ok(&env, pl_periodic(&o, t->b.m, t->b.p, t->b.w, &orbit, NULL));
  int dim = pl_model_dim(t->b.m);
  for (int c = 0; c < nchannel; c++)
    size = fmax(size, pl_orbit_max(t->b.m, t->b.p, orbit, dof[c] / dim, dof[c] % dim, NULL));
  for (int i = 0; i < SAMPLES; i++) {
    time[i] = 2 * PL_PI / omega * (2.7 * i + pl_rng_uniform(&r, 0, 2)) / SAMPLES;
    pl_orbit_state(t->b.m, t->b.p, orbit, omega * time[i] + phase, t->b.s);
    for (int c = 0; c < nchannel; c++)
      value[i * nchannel + c] = t->b.s->q[dof[c]] + offset + noise * size * pl_rng_normal(&r);
  }
  *d = (pl_fit_data){.name = "synthetic",
                     .omega = omega,
                     .nsample = SAMPLES,
                     .nchannel = nchannel,
                     .time = time,
                     .dof = t->dof,
                     .value = value};
  t->ndata++;
  pl_orbit_free(orbit);
}

static void open_bench(bench *t, void (*make)(model_kit *k, pl_env *e)) {
  memset(t, 0, sizeof *t);
  pl_opts_default(pl_fit_damping_option_table, pl_fit_damping_option_count, &t->o);
  make(&t->kit, &env);
  kit_build(&t->kit, 1, &t->b);
}

static void close_bench(bench *t) {
  kit_model_free(&t->b);
  kit_free(&t->kit);
}

static pl_fit *fit(bench *t, int n, const int *parameter) {
  pl_fit *f;
  check_ok(&env, pl_fit_damping(&t->o, t->b.m, t->b.p, t->b.w, n, parameter, t->ndata, t->data,
                                NULL, &f));
  assert_int_equal(f->reason, PL_STOP_CONVERGED);
  return f;
}

static void move_design(bench *t, int k, double value) {
  double design[16];
  memcpy(design, t->b.p->design, (size_t)t->b.p->ndesign * sizeof *design);
  design[k] = value;
  check_ok(&env, pl_params_set_design(t->b.m, t->b.p, design));
}

// alpha, beta, a stiffness and a cubic term from motions at three frequencies
static void exact_data_give_exact_values(void **state) {
  (void)state;
  static const int dof[2] = {0, 1}, parameter[2] = {0, 1};
  for (int shift = 0; shift < 2; shift++) {
    bench t;
    open_bench(&t, two_masses);
    t.o.harmonics = 7;
    t.o.phase = shift;
    t.o.mean = !shift;
    double phase = shift ? 2.1 : 0, offset = shift ? 0.3 : 0;
    measure(&t, 5.5, 2, dof, phase, offset, 0);
    measure(&t, 8, 2, dof, 2 * phase, offset, 0);
    measure(&t, 14, 2, dof, 0, -offset, 0);
    move_design(&t, 0, 50);
    move_design(&t, 1, 300);
    t.b.p->par[PL_PAR_ALPHA] = 0.8;
    t.b.p->par[PL_PAR_BETA] = 0.001;
    pl_fit *f = fit(&t, 2, parameter);
    const double want[4] = {0.3, 0.004, 60, 500}, from[4] = {0.8, 0.001, 50, 300};
    assert_int_equal(f->nvalue, 4);
    assert_string_equal(f->value[0].name, "alpha");
    assert_string_equal(f->value[3].name, "cubic");
    for (int k = 0; k < 4; k++) {
      check_rel(f->value[k].after, want[k], 1e-7);
      check_close(f->value[k].before, from[k], 0);
      check_less(f->value[k].error, 1e-6 * want[k]);
    }
    assert_in_range(f->iterations, 2, 30);
    check_less(f->after, 1e-9 * f->rms);
    check_less(1e-2 * f->rms, f->before);
    for (int i = 0; shift && i < 3; i++) {
      const double phases[3] = {2.1, 4.2, 0};
      check_close(cos(f->motion[i].phase), cos(phases[i]), 1e-7);
      check_close(sin(f->motion[i].phase), sin(phases[i]), 1e-7);
      check_close(f->motion[i].offset, 0.3, 1e-8);
    }
    // parameters are as they were
    check_close(t.b.p->par[PL_PAR_ALPHA], 0.8, 0);
    check_close(t.b.p->design[0], 50, 0);
    pl_fit_free(f);
    close_bench(&t);
  }
}

static void noise_moves_values_little(void **state) {
  (void)state;
  static const int dof[2] = {0, 1}, parameter[1] = {0};
  bench t;
  open_bench(&t, two_masses);
  measure(&t, 6.5, 2, dof, 1, 0, 0.01);
  measure(&t, 13, 2, dof, 1, 0, 0.01);
  move_design(&t, 0, 55);
  t.b.p->par[PL_PAR_ALPHA] = 0.5;
  t.b.p->par[PL_PAR_BETA] = 0.002;
  pl_fit *f = fit(&t, 1, parameter);
  const double want[3] = {0.3, 0.004, 60}, within[3] = {0.05, 0.05, 0.01};
  for (int k = 0; k < 3; k++) {
    const pl_fit_value *v = &f->value[k];
    check_rel(v->after, want[k], within[k]);
    // the error told is that of the noise
    check_less(fabs(v->after - want[k]), 4 * v->error);
    check_less(v->error, within[k] * want[k]);
  }
  check_less(f->after, 0.02 * f->rms);
  check_close(f->params->par[PL_PAR_ALPHA], f->value[0].after, 0);
  check_close(f->params->design[0], f->value[2].after, 0);
  // what was given is as it was
  check_close(t.b.p->par[PL_PAR_ALPHA], 0.5, 0);
  check_close(t.b.p->design[0], 55, 0);
  pl_fit_free(f);
  close_bench(&t);
}

// damping given by a parameter is fitted through it; a mass and a force by their parameters
static void parameters_of_every_kind(void **state) {
  (void)state;
  static const int dof[2] = {0, 1}, parameter[3] = {4, 2, 3};
  bench t;
  open_bench(&t, two_masses);
  t.o.harmonics = 6;
  measure(&t, 7, 2, dof, 0.5, 0, 0);
  measure(&t, 12, 2, dof, 0.7, 0, 0);
  move_design(&t, 4, 0.001);
  move_design(&t, 2, 0.65);
  move_design(&t, 3, 1.2);
  pl_fit *f = fit(&t, 3, parameter);
  assert_int_equal(f->nvalue, 4);
  const double want[4] = {0.3, 0.002, 0.6, 1.5};
  for (int k = 0; k < 4; k++) check_rel(f->value[k].after, want[k], 1e-6);
  pl_fit_free(f);
  close_bench(&t);
}

static void swung_mechanism(model_kit *k, pl_env *e) {
  sample_mechanism(k, e);
}

// unknowns that stand twice in an element, rotation drives, gravity, a joint's place, the amplitude
// of a drive that is itself watched
static void mechanism_values(void **state) {
  (void)state;
  static const int dof[4] = {4, 7, 2, 1}, parameter[3] = {9, 14, 3};
  bench t;
  open_bench(&t, swung_mechanism);
  t.o.harmonics = 5;
  measure(&t, 4, 4, dof, 0.4, 0, 0);
  move_design(&t, 9, 0.5);
  move_design(&t, 14, 0.01);
  move_design(&t, 3, 0.004);
  t.b.p->par[PL_PAR_ALPHA] = 0.7;
  pl_fit *f = fit(&t, 3, parameter);
  // derivatives are exact: the misfit falls quadratically, to rounding in a few steps
  assert_in_range(f->iterations, 2, 8);
  check_rel(f->value[0].after, 0.5, 1e-6);
  check_rel(f->value[1].after, 0.01, 1e-6);
  for (int k = 2; k < 5; k++) check_close(f->value[k].after, 0, 1e-7);
  pl_fit_free(f);
  close_bench(&t);
}

static void shaken_shell(model_kit *k, pl_env *e) {
  static const pl_term shake[] = {{1, {0, 0, 0.01}, 0.3}};
  sample_shell(k, e);
  k->drive[0].nterm = 1;
  k->drive[0].term = shake;
}

static void shell_damping(void **state) {
  (void)state;
  bench t;
  open_bench(&t, shaken_shell);
  t.o.harmonics = 3;
  const int tip[3] = {3 * 23, 3 * 23 + 1, 3 * 23 + 2};
  measure(&t, 5, 3, tip, 0.4, 0, 0);
  measure(&t, 30, 3, tip, 0.4, 0, 0);
  t.b.p->par[PL_PAR_ALPHA] = 0.3;
  t.b.p->par[PL_PAR_BETA] = 0.001;
  pl_fit *f = fit(&t, 0, NULL);
  check_rel(f->value[0].after, 0.1, 1e-6);
  check_rel(f->value[1].after, 0.003, 1e-6);
  pl_fit_free(f);
  close_bench(&t);
}

static void bounds_hold(void **state) {
  (void)state;
  static const int dof[2] = {0, 1}, parameter[1] = {0};
  bench t;
  open_bench(&t, two_masses);
  close_bench(&t);
  two_masses(&t.kit, &env);
  t.kit.design[0].max = 58;
  kit_build(&t.kit, 1, &t.b);
  t.b.p->par[PL_PAR_ALPHA] = 0;
  measure(&t, 6.5, 2, dof, 1, 0, 0.01);
  measure(&t, 13, 2, dof, 1, 0, 0.01);
  move_design(&t, 0, 50);
  pl_fit *f = fit(&t, 1, parameter);
  assert_true(f->value[0].after >= 0);
  check_close(f->value[2].after, 58, 0);
  assert_int_equal(f->value[2].bound, 1);
  check_close(f->value[2].error, -1, 0);
  pl_fit_free(f);
  close_bench(&t);
}

// one oscillator at one frequency tells the sum of both dampings alone
static void what_is_alike_is_reported(void **state) {
  (void)state;
  static const int dof[1] = {0};
  bench t;
  open_bench(&t, two_masses);
  close_bench(&t);
  t.o.harmonics = 1;
  kit_init(&t.kit, &env, 1);
  static const double X[1] = {0}, par[4] = {25, 0, 0, 0}, mass[1] = {1};
  static const int spring[2] = {-1, 0};
  t.kit.d.nnode = 1;
  t.kit.d.X = X;
  kit_group(&t.kit, "spring", "spring1", 1, spring, 1, par);
  kit_group(&t.kit, "mass", "mass1", 1, dof, 1, mass);
  t.kit.load[t.kit.d.nload++] = (pl_load_desc){.nnode = 1, .node = dof, .term = {1, {1, 0, 0}, 0}};
  t.kit.d.alpha = 0.2;
  t.kit.d.beta = 0.01;
  kit_build(&t.kit, 1, &t.b);
  measure(&t, 5.2, 1, dof, 0, 0, 0);
  t.b.p->par[PL_PAR_ALPHA] = 0.1;
  pl_fit *f = fit(&t, 0, NULL);
  check_less(f->independent, 1e-10);
  check_rel(f->value[0].after + 25 * f->value[1].after, 0.2 + 25 * 0.01, 1e-7);
  pl_fit_free(f);
  close_bench(&t);
}

static void refuse(bench *t, int n, const int *parameter) {
  pl_fit *f;
  check_status(
      &env,
      pl_fit_damping(&t->o, t->b.m, t->b.p, t->b.w, n, parameter, t->ndata, t->data, NULL, &f),
      PL_E_INPUT);
  assert_null(f);
}

static void nonsense_is_refused(void **state) {
  (void)state;
  static const int dof[2] = {0, 1}, parameter[1] = {1};
  bench t;
  open_bench(&t, two_masses);
  measure(&t, 6.5, 2, dof, 1, 0, 0);
  pl_fit_data good = t.data[0];
  t.ndata = 0;
  refuse(&t, 0, NULL);
  t.ndata = 1;
  t.data[0].nsample = 10;
  refuse(&t, 0, NULL);
  t.data[0].nsample = 0;
  refuse(&t, 0, NULL);
  t.data[0] = good;
  t.data[0].nchannel = 0;
  refuse(&t, 0, NULL);
  t.data[0] = good;
  t.data[0].omega = 0;
  refuse(&t, 0, NULL);
  t.data[0] = good;
  t.o.alpha = t.o.beta = 0;
  refuse(&t, 0, NULL);
  // all at the same four phases
  t.o.alpha = 1;
  for (int i = 0; i < SAMPLES; i++) t.time[0][i] = 2 * PL_PI / 6.5 * (0.25 * i);
  refuse(&t, 0, NULL);
  t.value[0][7] = NAN;
  refuse(&t, 0, NULL);
  for (int i = 0; i < SAMPLES; i++) t.time[0][i] = 0.01 * i;
  for (int i = 0; i < 2 * SAMPLES; i++) t.value[0][i] = 3;
  refuse(&t, 0, NULL);
  close_bench(&t);
  // a parameter that acts nowhere
  open_bench(&t, two_masses);
  measure(&t, 6.5, 2, dof, 1, 0, 0);
  close_bench(&t);
  two_masses(&t.kit, &env);
  t.kit.design[1].ntarget = 0;
  kit_build(&t.kit, 1, &t.b);
  refuse(&t, 1, parameter);
  close_bench(&t);
}

static pl_status create_and_fit(pl_env *e, void *ctx) {
  static const int parameter[1] = {0};
  const bench *t = ctx;
  kit_model b;
  pl_fit *f = NULL;
  pl_status s = kit_try(e, &t->kit.d, 1, &b);
  if (s == PL_OK) {
    b.p->par[PL_PAR_ALPHA] = 0.31;
    s = pl_fit_damping(&t->o, b.m, b.p, b.w, 1, parameter, t->ndata, t->data, NULL, &f);
  }
  pl_fit_free(f);
  kit_model_free(&b);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  static const int dof[2] = {0, 1};
  bench t;
  open_bench(&t, two_masses);
  t.o.harmonics = 2;
  measure(&t, 6.5, 2, dof, 1, 0, 0);
  check_allocations(create_and_fit, &t);
  close_bench(&t);
}

int test_fit(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_data_give_exact_values),
      cmocka_unit_test(noise_moves_values_little),
      cmocka_unit_test(parameters_of_every_kind),
      cmocka_unit_test(mechanism_values),
      cmocka_unit_test(shell_damping),
      cmocka_unit_test(bounds_hold),
      cmocka_unit_test(what_is_alike_is_reported),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("harmonic.fit", tests, NULL, NULL);
}
