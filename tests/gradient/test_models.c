// Small models with drives, loads, rods and sheets: every design parameter of each against
// differences of whole runs.
#include "design_models.h"
#include "sample_models.h"

#include "check.h"

#include "pliant/math.h"
#include "pliant/solve.h"

#include <string.h>

static pl_env env;

enum { STEPS = 8, MOST = 32 };
static const double STEP = 3e-4; // of differences: rounding and their own error are below 1e-9

typedef struct bench {
  model_kit kit;
  kit_model b;
  double omega;
  int part;            // of a period: a step
  int dynamic, places; // places: unknowns of nodes, which mean the same in every run
  double *X;           // [nq] at the start
} bench;

static void begin(bench *t) {
  pl_state *s = t->b.s;
  memset(s->v, 0, 2 * (size_t)s->nq * sizeof(double));
  memset(s->hist, 0, (size_t)s->nhist * sizeof(double));
  memcpy(s->q, t->b.p->X, (size_t)s->nq * sizeof(double));
  s->t = 0;
  s->anchoring = PL_ANCHORS_REFERENCE;
}

static void run(bench *t, pl_gradient *g) {
  const pl_clock full = {.scale = 1};
  begin(t);
  if (g) pl_gradient_rest(g, t->b.s);
  if (!t->dynamic) {
    pl_static_opts o = pl_static_defaults();
    o.rtol = 1e-14;
    check_ok(&env, pl_static(&o, t->b.m, t->b.p, t->b.s, t->b.w, NULL, NULL, NULL));
    if (g) check_ok(&env, pl_gradient_equilibrium(g, t->b.s, &full));
    return;
  }
  double h = 2 * PL_PI / t->omega / t->part;
  pl_transient_opts o = pl_transient_for(STEPS * h, h);
  o.frequency = t->omega;
  o.ramp = 2 * STEPS * h; // drives that begin with a jump have no smooth motions
  o.rtol = 1e-14;
  o.max_iter = 60;
  o.max_error = 1e9;
  pl_status s =
      g ? pl_transient_gradient(&o, t->b.m, t->b.p, g, t->b.s, NULL, t->b.w, NULL, NULL, NULL)
        : pl_transient(&o, t->b.m, t->b.p, t->b.s, NULL, t->b.w, NULL, NULL, NULL);
  check_ok(&env, s);
}

static double moved(const bench *t) {
  double most = 0;
  for (int j = 0; j < t->places; j++) most = fmax(most, fabs(t->b.s->q[j] - t->b.p->X[j]));
  return most;
}

static void differences(bench *t, double *x, int i, double h, double *out) {
  static const double at[4] = {1, -1, 2, -2}, weight[4] = {2.0 / 3, -2.0 / 3, -1.0 / 12, 1.0 / 12};
  double x0 = x[i];
  memset(out, 0, (size_t)t->places * sizeof *out);
  for (int k = 0; k < 4; k++) {
    x[i] = x0 + at[k] * h;
    assert_int_equal(pl_params_set_design(t->b.m, t->b.p, x), PL_OK);
    run(t, NULL);
    pl_axpy(t->places, weight[k] / h, t->b.s->q, out, out);
  }
  x[i] = x0;
  assert_int_equal(pl_params_set_design(t->b.m, t->b.p, x), PL_OK);
}

static void check_model(bench *t, const char *name) {
  pl_direction dir[MOST];
  double x[MOST];
  pl_gradient *g;
  int n = t->kit.d.ndesign;
  kit_build(&t->kit, 1, &t->b);
  t->places = pl_model_nnode(t->b.m) * pl_model_dim(t->b.m);
  double *want = pl_alloc(&env, (size_t)t->places, sizeof *want);
  for (int i = 0; i < n; i++) {
    const pl_design_desc *d = &t->kit.design[i];
    dir[i] = (pl_direction){d->ntarget, d->target};
    x[i] = d->value;
  }
  check_ok(&env, pl_gradient_create(&env, t->b.m, t->b.p, 1, n, dir, &g));
  run(t, g);
  double far = moved(t);
  for (int i = 0; i < n; i++) {
    const pl_design_desc *d = &t->kit.design[i];
    const double *got = g->q + (size_t)i * (size_t)g->nq;
    // values of 0 stand for changes in units of the coefficient, those of places in metres
    double h = d->value != 0 ? STEP * fabs(d->value) : d->target[0].on_ref ? STEP * 0.1 : STEP;
    double most = 0;
    differences(t, x, i, h, want);
    double size = pl_max_abs(t->places, want);
    for (int j = 0; j < t->places; j++) most = fmax(most, fabs(got[j] - want[j]));
    // what differences of motions solved to 1e-14 cannot tell
    double noise = 1e-12 * far / h;
    if (!(most <= 1e-6 * size) && !(most <= noise))
      fail_msg("%s, %s: by '%s' off by %.2e of %.2e (moved %.2e)", name,
               t->dynamic ? "motion" : "equilibrium", d->name, most, size, far);
  }
  pl_gradient_free(g);
  pl_free(&env, want);
  kit_model_free(&t->b);
  kit_free(&t->kit);
}

static bench t = {.part = 40};

static void sheets(void **state) {
  (void)state;
  for (t.dynamic = 0; t.dynamic < 2; t.dynamic++) {
    t.omega = 20;
    sample_shell(&t.kit, &env);
    check_model(&t, "sheet");
    sample_midedge(&t.kit, &env);
    check_model(&t, "mid-edge sheet");
  }
}

static void blocks(void **state) {
  (void)state;
  static const char *const kind[] = {"tet4", "hex8", "hex8_nh", "hex8_eas"};
  t.omega = 30;
  t.dynamic = 1;
  for (int k = 0; k < 4; k++) {
    sample_block(&t.kit, &env, kind[k]);
    check_model(&t, kind[k]);
  }
}

// drives turn angles of edges and whole bodies, whose anchors move
static void rods(void **state) {
  (void)state;
  for (t.dynamic = 0; t.dynamic < 2; t.dynamic++) {
    t.omega = 10;
    sample_rods(&t.kit, &env);
    check_model(&t, "rods");
  }
}

static void mechanism(void **state) {
  (void)state;
  t.dynamic = 1;
  t.omega = 8;
  sample_mechanism(&t.kit, &env);
  check_model(&t, "mechanism");
}

// what designs of periodic motions are tried on
static void designs(void **state) {
  (void)state;
  static void (*const make[])(model_kit * k, pl_env * env, int *node, double *omega) = {
      design_mechanism, design_sheet, design_plane, design_solid, design_rods};
  static const char *const name[] = {"linkage", "flapping sheet", "strip", "solid", "forked rods"};
  int node;
  t.dynamic = 1;
  for (int k = 0; k < 5; k++) {
    // of several solutions of a longer step of stiff rods, runs would take now one and now another
    t.part = k == 4 ? 400 : 40;
    make[k](&t.kit, &env, &node, &t.omega);
    check_model(&t, name[k]);
  }
}

int test_models(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sheets), cmocka_unit_test(blocks),
                                     cmocka_unit_test(rods), cmocka_unit_test(mechanism),
                                     cmocka_unit_test(designs)};
  pl_env_init(&env);
  return cmocka_run_group_tests_name("gradient: models", tests, NULL, NULL);
}
