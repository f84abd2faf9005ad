#include "rig.h"

#include "models.h"

// coefficients of implicit Euler from a state
static void euler(const pl_state *s, double h, double *vc, double *ac) {
  for (int i = 0; i < s->nq; i++) {
    vc[i] = -s->q[i] / h;
    ac[i] = -(s->q[i] / h + s->v[i]) / h;
  }
}

static pl_status implicit_step(pl_implicit *k, pl_state *s, double h, int *iterations) {
  double vc[64], ac[64];
  assert_true(s->nq <= 64);
  euler(s, h, vc, ac);
  return pl_implicit_solve(k, s->t + h, 1 / h, 1 / (h * h), vc, ac, s, iterations);
}

// steps made of single solves are those of the transient, with dashpots, damping and large motion
static void same_as_transient(void **state) {
  (void)state;
  oscillator o;
  pendulum p;
  oscillator_make(&o, 0.5, 3, 40, 0.2);
  pendulum_make(&p, 1, 2, 500);
  o.desc.alpha = p.desc.alpha = 0.3;
  o.desc.beta = p.desc.beta = 1e-3;
  const pl_model_desc *desc[2] = {&o.desc, &p.desc};
  for (int k = 0; k < 2; k++) {
    rig a, b;
    rig_open(&a, desc[k], 1);
    rig_open(&b, desc[k], 1);
    pl_transient_opts opt = transient_defaults();
    opt.method = PL_IMPLICIT_EULER;
    opt.step = 0.01;
    opt.duration = 0.5;
    opt.rtol = 1e-13;
    int last = a.s->nq - 1;
    a.s->q[last] = b.s->q[last] += 0.2;
    a.s->v[last] = b.s->v[last] = 1;
    check_ok(&a.env, pl_transient(&opt, a.m, a.p, a.s, NULL, a.w, NULL, NULL, NULL));
    pl_implicit *im;
    check_ok(&b.env, pl_implicit_create(&opt, b.m, b.p, b.w, &im));
    for (int i = 0; i < 50; i++) check_ok(&b.env, implicit_step(im, b.s, 0.01, NULL));
    check_array(a.s->nq, b.s->q, a.s->q, 1e-10);
    check_array(a.s->nq, b.s->v, a.s->v, 1e-9);
    pl_implicit_free(im);
    rig_close(&a);
    rig_close(&b);
  }
}

// a sheet pressed together in its plane: its tangent is indefinite
typedef struct pressed {
  pl_env env;
  model_kit kit;
  kit_model b;
  pl_state *x;
  double *vc, *ac;
} pressed;

static void pressed_open(pressed *k, double h) {
  const double par[4] = {1e5, 0.3, 200, 5e-4};
  memset(k, 0, sizeof *k);
  pl_env_init(&k->env);
  kit_init(&k->kit, &k->env, 3);
  kit_grid(&k->kit, 6, 6, 0.3, 0.3, PL_ALTERNATING, par);
  k->kit.group[0].lumped = 1;
  k->kit.d.gravity[2] = -9.81;
  kit_fix(&k->kit, "left");
  kit_build(&k->kit, 1, &k->b);
  check_ok(&k->env, pl_state_create(k->b.m, k->b.p, &k->x));
  size_t n = (size_t)k->x->nq;
  k->vc = malloc(n * sizeof *k->vc);
  k->ac = malloc(n * sizeof *k->ac);
  // shorter by a third, and not quite flat
  const int *index = pl_model_free_index(k->b.m);
  for (int v = 0; v < k->x->nq / 3; v++) {
    double *q = k->b.s->q + 3 * v;
    if (index[3 * v] < 0) continue;
    q[2] = 1e-4 * sin(7.0 * v);
    q[0] *= 0.67;
  }
  euler(k->b.s, h, k->vc, k->ac);
  pl_state_copy(k->x, k->b.s);
}

static void pressed_close(pressed *k) {
  free(k->vc);
  free(k->ac);
  pl_state_free(k->b.m, k->x);
  kit_model_free(&k->b);
  kit_free(&k->kit);
}

// largest residual over the largest inner force at x
static double residual(pressed *k) {
  pl_work *w = k->b.w;
  pl_clock c = {k->x->t, 0, 1, 0, 1};
  double most = 0, force = 0;
  check_ok(&k->env, pl_eval(k->b.m, k->b.p, k->x, &c, PL_WANT_FORCE | PL_DYNAMIC, NULL, w));
  for (int i = 0; i < pl_model_nfree(k->b.m); i++) {
    int q = pl_model_free_dofs(k->b.m)[i];
    most = fmax(most, fabs(w->r[q]));
    force = fmax(force, fabs(w->f_inner[q]));
  }
  return most / force;
}

static void finds_wrinkles(void **state) {
  (void)state;
  const double h = 0.02;
  pressed k;
  pressed_open(&k, h);
  pl_transient_opts o = transient_defaults();
  o.max_iter = 100;
  // the tangent at the start has negative eigenvalues
  pl_work *w = k.b.w;
  pl_factor *f;
  pl_coef coef = {.m = 1 / (h * h), .d = 1 / h, .k = 1};
  check_ok(&k.env, pl_eval(k.b.m, k.b.p, k.x, &(pl_clock){.scale = 1}, PL_WANT_TANGENT | PL_DYNAMIC,
                           &coef, w));
  check_ok(&k.env, pl_factor_create(&k.env, PL_CHOLESKY, &w->A, 1, 1, &f));
  assert_int_equal(pl_factor_numeric(f, &w->A), PL_SINGULAR);
  pl_factor_free(f);

  pl_implicit *im;
  int iterations;
  check_ok(&k.env, pl_implicit_create(&o, k.b.m, k.b.p, w, &im));
  check_ok(&k.env, pl_implicit_solve(im, h, 1 / h, 1 / (h * h), k.vc, k.ac, k.x, &iterations));
  assert_true(iterations > 1);
  check_less(residual(&k), 1e-8);
  check_close(k.x->t, h, 0);
  // rates follow the rule
  for (int i = 0; i < k.x->nq; i++) {
    if (pl_model_free_index(k.b.m)[i] < 0) continue;
    check_close(k.x->v[i], (k.x->q[i] - k.b.s->q[i]) / h, 1e-11);
    check_close(k.x->a[i], (k.x->v[i] - k.b.s->v[i]) / h, 1e-9);
  }
  // and it is a minimum: the tangent there is positive definite
  check_ok(&k.env, pl_eval(k.b.m, k.b.p, k.x, &(pl_clock){.scale = 1}, PL_WANT_TANGENT | PL_DYNAMIC,
                           &coef, w));
  check_ok(&k.env, pl_factor_create(&k.env, PL_CHOLESKY, &w->A, 1, 1, &f));
  check_ok(&k.env, pl_factor_numeric(f, &w->A));
  pl_factor_free(f);
  pl_implicit_free(im);
  pressed_close(&k);
}

static void counts_iterations(void **state) {
  (void)state;
  const double h = 0.01;
  pressed k;
  pressed_open(&k, h);
  pl_transient_opts o = transient_defaults();
  pl_implicit *im;
  int iterations;
  check_ok(&k.env, pl_implicit_create(&o, k.b.m, k.b.p, k.b.w, &im));
  long nalloc = 0;
  for (int n = 1; n < 5; n++) {
    pl_state_copy(k.x, k.b.s);
    pl_implicit_exactly(im, n);
    check_ok(&k.env, pl_implicit_solve(im, h, 1 / h, 1 / (h * h), k.vc, k.ac, k.x, &iterations));
    assert_int_equal(iterations, n);
    // no memory after the first solve
    if (n > 1) assert_int_equal(k.env.nalloc, nalloc);
    nalloc = k.env.nalloc;
  }
  double rough = residual(&k);
  pl_implicit_exactly(im, 0);
  check_ok(&k.env, pl_implicit_solve(im, h, 1 / h, 1 / (h * h), k.vc, k.ac, k.x, &iterations));
  check_less(residual(&k), fmin(rough, 1e-8));
  // one iteration is not enough when that is all there is
  o.max_iter = 1;
  o.rtol = 1e-13;
  pl_implicit_free(im);
  check_ok(&k.env, pl_implicit_create(&o, k.b.m, k.b.p, k.b.w, &im));
  pl_state_copy(k.x, k.b.s);
  check_status(&k.env, pl_implicit_solve(im, h, 1 / h, 1 / (h * h), k.vc, k.ac, k.x, &iterations),
               PL_UNSOLVED);
  pl_implicit_free(im);
  pressed_close(&k);
}

static int stop_at_once(void *ctx, const pl_progress *p) {
  *(double *)ctx = p->done;
  return 1;
}

static void reports_progress(void **state) {
  (void)state;
  oscillator o;
  rig r;
  oscillator_make(&o, 1, 1, 1, 0);
  rig_open(&r, &o.desc, 1);
  pl_transient_opts opt = transient_defaults();
  pl_implicit *im;
  double done = -2;
  r.s->q[0] = 1;
  r.env.progress = stop_at_once;
  r.env.progress_ctx = &done;
  check_ok(&r.env, pl_implicit_create(&opt, r.m, r.p, r.w, &im));
  check_ok(&r.env, implicit_step(im, r.s, 0.01, NULL));
  check_close(done, -2, 0);
  const pl_method named = {.name = "transient"};
  pl_motion motion = {.method = &named, .env = &r.env, .s = r.s, .end = 0.04};
  pl_implicit_motion(im, &motion);
  assert_int_equal(implicit_step(im, r.s, 0.01, NULL), PL_CANCELLED);
  check_close(done, 0.5, 1e-12);
  pl_implicit_free(im);
  rig_close(&r);
}

// methods with limits are not for pl_transient
static void refuses_methods(void **state) {
  (void)state;
  oscillator o;
  rig r;
  oscillator_make(&o, 1, 1, 0, 0);
  rig_open(&r, &o.desc, 1);
  pl_transient_opts opt = transient_defaults();
  opt.step = opt.duration = 0.1;
  for (int method = PL_PROJECT; method <= PL_COUPLED; method++) {
    opt.method = method;
    assert_int_equal(pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, NULL, NULL, NULL), PL_E_INPUT);
    assert_non_null(strstr(r.env.error.text, "limits of stretch"));
    assert_non_null(strstr(r.env.error.hint, "newmark"));
  }
  opt.method = PL_COUPLED + 1;
  assert_int_equal(pl_transient(&opt, r.m, r.p, r.s, NULL, r.w, NULL, NULL, NULL), PL_E_INPUT);
  pl_implicit *im;
  assert_int_equal(pl_implicit_create(&opt, r.m, r.p, r.w, &im), PL_E_INPUT);
  assert_null(im);
  rig_close(&r);
}

static pl_status run_all(pl_env *env, void *ctx) {
  const oscillator *o = ctx;
  rig r = {.env = *env};
  pl_transient_opts opt = transient_defaults();
  pl_implicit *im = NULL;
  pl_status s = rig_try(&r, &o->desc, 1);
  if (s == PL_OK) s = pl_implicit_create(&opt, r.m, r.p, r.w, &im);
  if (s == PL_OK) s = implicit_step(im, r.s, 0.1, NULL);
  pl_implicit_free(im);
  rig_close(&r);
  return s;
}

static void allocations(void **state) {
  (void)state;
  oscillator o;
  oscillator_make(&o, 1, 1, 1, 0.1);
  check_allocations(run_all, &o);
}

int test_implicit(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_as_transient), cmocka_unit_test(finds_wrinkles),
      cmocka_unit_test(counts_iterations), cmocka_unit_test(reports_progress),
      cmocka_unit_test(refuses_methods),   cmocka_unit_test(allocations),
  };
  return cmocka_run_group_tests_name("implicit", tests, NULL, NULL);
}
