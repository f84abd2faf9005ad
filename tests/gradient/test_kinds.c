// Equilibria and motions of every element kind: derivatives against differences of whole runs.
#include "one_element.h"

#include <stdio.h>

static pl_env env;

static void rest(one_element *o) {
  pl_state *s = o->b.s;
  memset(s->v, 0, 2 * (size_t)s->nq * sizeof(double));
  memcpy(s->q, o->b.p->X, (size_t)s->nq * sizeof(double));
  memset(s->hist, 0, (size_t)s->nhist * sizeof(double));
  s->t = 0;
  s->anchoring = PL_ANCHORS_REFERENCE;
}

// |got - want| <= 1e-6 of the largest entry. What is below 1e-9 of what the state itself moves by
// is no difference that differences could tell.
static void compare(const one_element *o, const char *what, int i, int n, const double *got,
                    const double *want, double moved) {
  double size = pl_max_abs(n, want), most = 0;
  for (int j = 0; j < n; j++) most = fmax(most, fabs(got[j] - want[j]));
  if (!(most <= 1e-6 * size) && !(most <= 1e-9 * moved))
    fail_msg("%s: %s by %s is off by %.2e of %.2e (moved %.2e)", o->kind->name, what,
             o->kit.design[i].name, most, size, moved);
}

static double moved(const one_element *o) {
  double most = 0;
  for (int j = 0; j < o->b.s->nq; j++) most = fmax(most, fabs(o->b.s->q[j] - o->b.p->X[j]));
  return most;
}

// ---- equilibria ---------------------------------------------------------------------------------

enum { LOAD_STEPS = 3 };

typedef struct follower {
  pl_gradient *g;
} follower;

static int on_load_step(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  pl_gradient *g = ctx;
  (void)w;
  if (g && pl_gradient_follows(g)) check_ok(&env, pl_gradient_equilibrium(g, s, c));
  return 0;
}

static void equilibrium(one_element *o, pl_gradient *g) {
  pl_static_opts opt = pl_static_defaults();
  opt.rtol = 1e-14;
  opt.steps = LOAD_STEPS;
  rest(o);
  if (g) pl_gradient_rest(g, o->b.s);
  check_ok(&env, pl_static(&opt, o->b.m, o->b.p, o->b.s, o->b.w, on_load_step, g, NULL));
}

// places, then forces at them: of anchored elements scalars mean something else in every run
static void run_equilibrium(one_element *o, double *y) {
  const pl_clock full = {.scale = 1};
  int n = o->kind->nvert * o->kind->vdim;
  equilibrium(o, NULL);
  if (n == 0) n = o->kind->ndof;
  memcpy(y, o->b.s->q, (size_t)n * sizeof *y);
  check_ok(&env, pl_eval(o->b.m, o->b.p, o->b.s, &full, PL_WANT_ENERGY, NULL, o->b.w));
  y[n] = o->b.w->elastic;
}

static void check_equilibrium(void **state) {
  const pl_elem_kind *kind = *state;
  static one_element o;
  const pl_clock full = {.scale = 1};
  pl_gradient *g;
  double want[PL_NDOF_MAX + 1], by[PL_NDOF_MAX], energy[8], adjoint[8] = {0};
  one_open(&o, &env, kind, 5, 1, 0);
  int n = kind->nvert > 0 ? kind->nvert * kind->vdim : kind->ndof, nd = o.kit.d.ndesign;
  one_gradient(&o, &env, &g);
  equilibrium(&o, g);
  double far = moved(&o);
  assert_true(far > 1e-3);
  if (!pl_gradient_follows(g)) check_ok(&env, pl_gradient_equilibrium(g, o.b.s, &full));
  check_ok(&env, pl_gradient_energy(g, NULL, energy));
  double stored = o.b.w->elastic;
  memset(by, 0, sizeof by);
  for (int j = 0; j < n; j++) by[j] = cos(1.0 + j);
  if (!pl_gradient_follows(g)) check_ok(&env, pl_gradient_adjoint(g, o.b.s, &full, by, adjoint));
  for (int i = 0; i < nd; i++) {
    const double *q = g->q + (size_t)i * (size_t)g->nq;
    one_differences(&o, run_equilibrium, i, 3e-4, n + 1, want);
    compare(&o, "equilibrium", i, n, q, want, far);
    if (pl_gradient_follows(g)) continue;
    if (!kind->outer) compare(&o, "energy", i, 1, &energy[i], &want[n], fabs(stored));
    // one solution for all directions is the same
    check_close(adjoint[i], pl_dot(n, by, q),
                1e-10 * pl_norm(n, by) * (pl_norm(n, q) + 1e-6 * far));
  }
  pl_gradient_free(g);
  one_close(&o);
}

// ---- motions ------------------------------------------------------------------------------------

enum { STEPS = 10 };
static int method;

static void motion(one_element *o, pl_gradient *g) {
  pl_transient_opts opt = pl_transient_for(STEPS * 0.15 / o->omega, 0.15 / o->omega);
  opt.rtol = 1e-14;
  opt.max_iter = 60;
  opt.method = method;
  opt.max_error = 1e9;
  rest(o);
  memcpy(o->b.s->v, o->v, (size_t)o->kind->ndof * sizeof *o->v);
  if (g) {
    pl_gradient_rest(g, o->b.s);
    check_ok(&env, pl_transient_gradient(&opt, o->b.m, o->b.p, g, o->b.s, NULL, o->b.w, NULL, NULL,
                                         NULL));
  } else {
    check_ok(&env, pl_transient(&opt, o->b.m, o->b.p, o->b.s, NULL, o->b.w, NULL, NULL, NULL));
  }
}

// all unknowns and their rates
static void run_motion(one_element *o, double *y) {
  size_t n = (size_t)o->kind->ndof;
  motion(o, NULL);
  memcpy(y, o->b.s->q, n * sizeof *y);
  memcpy(y + n, o->b.s->v, n * sizeof *y);
}

static void check_motion(const pl_elem_kind *kind) {
  static one_element o;
  pl_gradient *g;
  double want[2 * PL_NDOF_MAX];
  one_open(&o, &env, kind, 10, 0, 0);
  int n = kind->ndof;
  one_gradient(&o, &env, &g);
  motion(&o, g);
  double far = moved(&o), fast = pl_max_abs(n, o.b.s->v);
  for (int i = 0; i < o.kit.d.ndesign; i++) {
    size_t at = (size_t)i * (size_t)g->nq;
    one_differences(&o, run_motion, i, 3e-4, 2 * n, want);
    compare(&o, "motion", i, n, g->q + at, want, far);
    compare(&o, "velocity", i, n, g->v + at, want + n, fast);
  }
  pl_gradient_free(g);
  one_close(&o);
}

static void check_newmark(void **state) {
  method = PL_NEWMARK;
  check_motion(*state);
}

static void check_euler(void **state) {
  method = PL_IMPLICIT_EULER;
  check_motion(*state);
}

static void check_bdf2(void **state) {
  method = PL_BDF2;
  check_motion(*state);
}

int test_kinds(void) {
  static const struct {
    const char *name;
    CMUnitTestFunction run;
  } check[] = {{"equilibrium", check_equilibrium},
               {"newmark", check_newmark},
               {"implicit euler", check_euler},
               {"bdf2", check_bdf2}};
  int failed = 0;
  pl_env_init(&env);
  for (size_t c = 0; c < sizeof check / sizeof check[0]; c++) {
    struct CMUnitTest tests[PL_ELEM_COUNT];
    char title[64];
    for (int k = 0; k < PL_ELEM_COUNT; k++) {
      union {
        const pl_elem_kind *in;
        void *out;
      } kind = {.in = pl_elem_table[k]};
      tests[k] = (struct CMUnitTest){pl_elem_table[k]->name, check[c].run, NULL, NULL, kind.out};
    }
    snprintf(title, sizeof title, "gradient: %s of every kind", check[c].name);
    failed += _cmocka_run_group_tests(title, tests, PL_ELEM_COUNT, NULL, NULL);
  }
  return failed;
}
