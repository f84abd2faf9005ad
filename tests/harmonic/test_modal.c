#include "check.h"
#include "sample_models.h"

#include "pliant/harmonic.h"
#include "pliant/math.h"

#include <string.h>

static pl_env env;

// m x'' + c x' + k x = F sin(w t + phase)
static const double mass = 2, stiff = 50, dash = 0.7, alpha = 0.1, beta = 0.003, force = 3,
                    phase = 0.4;

static void oscillator(model_kit *k, pl_env *e, int damped) {
  kit_oscillator(k, e, (double[]){stiff, 0, 0, damped ? dash : 0}, mass);
  kit_shake(k, force, phase);
  if (!damped) return;
  k->d.alpha = alpha;
  k->d.beta = beta;
}

static void oscillator_closed_form(void **state) {
  (void)state;
  model_kit kit;
  kit_model b;
  oscillator(&kit, &env, 1);
  kit_build(&kit, 1, &b);
  for (int nmode = 0; nmode < 3; nmode++) {
    pl_modal *l;
    check_ok(&env, pl_modal_create(b.m, b.p, b.w, nmode, &l));
    assert_int_equal(pl_modal_count(l), nmode > 0 ? 1 : 0);
    if (nmode) check_rel(pl_modal_omega(l)[0], 5, 1e-14);
    for (double w = 1; w < 10; w += 0.7) {
      pl_orbit *o;
      double d = w * (dash + alpha * mass + beta * stiff), a = stiff - w * w * mass;
      double size = force / hypot(a, d), lag = atan2(d, a);
      const double want[3] = {0, size * cos(phase - lag), size * sin(phase - lag)};
      check_ok(&env, pl_modal_response(l, w, &o));
      check_array(3, o->z, want, 1e-14);
      pl_orbit_free(o);
    }
    pl_modal_free(l);
  }
  kit_model_free(&b);
  kit_free(&kit);
}

static void mechanism(model_kit *k) {
  sample_mechanism(k, &env);
}
// so light that its own weight does not crush it: there is no linear response about that
static void block(model_kit *k) {
  sample_block(k, &env, "tet4");
  k->d.gravity[2] = -1;
}
static void shell(model_kit *k) {
  static const pl_term shake[] = {{1, {0, 0.001, 0.002}, 0.3}, {2, {0.0003, 0, 0.0004}, 1}};
  sample_shell(k, &env);
  k->drive[0].nterm = 2;
  k->drive[0].term = shake;
}
typedef void (*make_fn)(model_kit *k);
static const make_fn makers[] = {mechanism, block, shell};

static double distance(const pl_orbit *a, const pl_orbit *b) {
  int H = a->nharm < b->nharm ? a->nharm : b->nharm;
  double most = 0;
  for (int i = 0; i < a->nfree; i++)
    for (int k = 0; k <= 2 * H; k++)
      most = fmax(most, fabs(a->z[i * (2 * a->nharm + 1) + k] - b->z[i * (2 * b->nharm + 1) + k]));
  return most;
}

static double swing(const pl_orbit *o) {
  int L = 2 * o->nharm + 1;
  double most = 0;
  for (int i = 0; i < o->nfree; i++) most = fmax(most, pl_max_abs(L - 1, o->z + i * L + 1));
  return most;
}

static void all_modes_are_exact(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    model_kit kit;
    kit_model b;
    makers[k](&kit);
    kit_build(&kit, 2, &b);
    pl_modal *all, *direct, *few;
    check_ok(&env, pl_modal_create(b.m, b.p, b.w, pl_model_nfree(b.m), &all));
    check_ok(&env, pl_modal_create(b.m, b.p, b.w, 0, &direct));
    check_ok(&env, pl_modal_create(b.m, b.p, b.w, pl_model_nfree(b.m) / 3, &few));
    double first = fabs(pl_modal_omega(all)[0]);
    const double part[] = {0.05, 0.5, 0.9, 1.3};
    for (int i = 0; i < 4; i++) {
      pl_orbit *x, *y, *z;
      check_ok(&env, pl_modal_response(all, part[i] * first, &x));
      check_ok(&env, pl_modal_response(direct, part[i] * first, &y));
      check_ok(&env, pl_modal_response(few, part[i] * first, &z));
      assert_int_equal(x->nharm, pl_model_max_harmonic(b.m));
      check_less(distance(x, y), 1e-10 * swing(y));
      // well below the modes left out those of the first third are nearly enough
      if (part[i] < 0.1) check_less(distance(z, y), 1e-3 * swing(y));
      pl_orbit_free(x);
      pl_orbit_free(y);
      pl_orbit_free(z);
    }
    pl_modal_free(all);
    pl_modal_free(direct);
    pl_modal_free(few);
    kit_model_free(&b);
    kit_free(&kit);
  }
}

// harmonic balance differs from the linear response by terms of second order in the amplitude
static void limit_of_small_motions(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    model_kit kit;
    kit_model b;
    makers[k](&kit);
    kit_build(&kit, 1, &b);
    double *par = pl_alloc(&env, (size_t)b.p->npar, sizeof *par);
    memcpy(par, b.p->par, (size_t)b.p->npar * sizeof *par);
    const double scale[3] = {0.02, 0.01, 0.005};
    double gap[3];
    for (int i = 0; i < 3; i++) {
      pl_modal *l;
      pl_orbit *x, *y = NULL;
      pl_periodic_opts o;
      pl_params_scale_harmonic(b.m, b.p, scale[i]);
      check_ok(&env, pl_modal_create(b.m, b.p, b.w, 0, &l));
      check_ok(&env, pl_modal_response(l, 2.5, &x));
      pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &o);
      o.frequency = 2.5;
      o.harmonics = 5;
      o.rtol = 1e-11;
      check_ok(&env, pl_periodic(&o, b.m, b.p, b.w, &y, NULL));
      gap[i] = distance(x, y);
      check_less(gap[i], 0.2 * swing(y));
      pl_orbit_free(x);
      pl_orbit_free(y);
      pl_modal_free(l);
      memcpy(b.p->par, par, (size_t)b.p->npar * sizeof *par);
    }
    check_less(1.9, order_slope(3, scale, gap));
    pl_free(&env, par);
    kit_model_free(&b);
    kit_free(&kit);
  }
}

// a rotation displaces by angle times axis x (X - centre), sines and cosines alike
static void drives_to_first_order(void **state) {
  (void)state;
  model_kit kit;
  kit_model b;
  pl_modal *l;
  pl_orbit *o;
  sample_block(&kit, &env, "tet4");
  kit_build(&kit, 1, &b);
  check_ok(&env, pl_modal_create(b.m, b.p, b.w, 3, &l));
  check_ok(&env, pl_modal_response(l, 7, &o));
  const double n[3] = {1 / sqrt(5), 2 / sqrt(5), 0};
  for (int i = 0; i < 9; i++) {
    double at = 0.7 * i, angle = 0.3 * sin(at + 0.2), rate = 7 * 0.3 * cos(at + 0.2), u[3];
    pl_modal_state(l, o, at, b.s);
    check_close(b.s->t, at / 7, 1e-15);
    for (int k = 0; k < kit.drive[0].nnode; k++) {
      int node = kit.drive[0].node[k];
      const double *X = b.p->X + 3 * node;
      pl_cross3(n, X, u);
      for (int c = 0; c < 3; c++) {
        check_close(b.s->q[3 * node + c], X[c] + angle * u[c], 1e-14);
        check_close(b.s->v[3 * node + c], rate * u[c], 1e-13);
        check_close(b.s->a[3 * node + c], -49 * angle * u[c], 1e-12);
      }
    }
  }
  pl_orbit_free(o);
  pl_modal_free(l);
  kit_model_free(&b);
  kit_free(&kit);
}

static void nonsense_is_refused(void **state) {
  (void)state;
  model_kit kit;
  kit_model b;
  pl_modal *l;
  pl_orbit *o;
  oscillator(&kit, &env, 0);
  kit_build(&kit, 1, &b);
  check_status(&env, pl_modal_create(b.m, b.p, b.w, -1, &l), PL_E_ARG);
  assert_null(l);
  for (int nmode = 0; nmode < 2; nmode++) {
    check_ok(&env, pl_modal_create(b.m, b.p, b.w, nmode, &l));
    check_status(&env, pl_modal_response(l, 0, &o), PL_E_INPUT);
    check_status(&env, pl_modal_response(l, NAN, &o), PL_E_INPUT);
    check_status(&env, pl_modal_response(l, 5, &o), PL_SINGULAR);
    assert_null(o);
    check_ok(&env, pl_modal_response(l, 5.1, &o));
    pl_orbit_free(o);
    pl_modal_free(l);
  }
  kit_model_free(&b);
  kit.load[0].term.harmonic = 0;
  kit_build(&kit, 1, &b);
  check_status(&env, pl_modal_create(b.m, b.p, b.w, 0, &l), PL_E_INPUT);
  kit_model_free(&b);
  kit_free(&kit);
}

static void count_warnings(void *ctx, const pl_diag *d) {
  if (d->level == PL_WARNING && strstr(d->text, "no equilibrium")) ++*(int *)ctx;
}

// gravity turns the block inside out, or hardly bends it
static void no_equilibrium_is_reported(void **state) {
  (void)state;
  for (int light = 0; light < 2; light++) {
    model_kit kit;
    kit_model b;
    pl_modal *l;
    int reported = 0;
    sample_block(&kit, &env, "tet4");
    if (light) kit.d.gravity[2] = -1;
    kit_build(&kit, 1, &b);
    env.diag = count_warnings;
    env.diag_ctx = &reported;
    check_ok(&env, pl_modal_create(b.m, b.p, b.w, 0, &l));
    env.diag = NULL;
    assert_int_equal(reported, !light);
    pl_modal_free(l);
    kit_model_free(&b);
    kit_free(&kit);
  }
}

static pl_status create_and_solve(pl_env *e, void *ctx) {
  const model_kit *kit = ctx;
  kit_model b;
  pl_modal *l = NULL;
  pl_orbit *o = NULL;
  pl_status s = kit_try(e, &kit->d, 1, &b);
  for (int nmode = 0; s == PL_OK && nmode < 5; nmode += 4) {
    s = pl_modal_create(b.m, b.p, b.w, nmode, &l);
    if (s == PL_OK) s = pl_modal_response(l, 3, &o);
    pl_orbit_free(o);
    pl_modal_free(l);
    o = NULL;
    l = NULL;
  }
  kit_model_free(&b);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  model_kit kit;
  sample_mechanism(&kit, &env);
  check_allocations(create_and_solve, &kit);
  kit_free(&kit);
}

int test_modal(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(oscillator_closed_form),     cmocka_unit_test(all_modes_are_exact),
      cmocka_unit_test(limit_of_small_motions),     cmocka_unit_test(drives_to_first_order),
      cmocka_unit_test(nonsense_is_refused),        cmocka_unit_test(failing_allocator),
      cmocka_unit_test(no_equilibrium_is_reported),
  };
  return cmocka_run_group_tests_name("harmonic.modal", tests, NULL, NULL);
}
