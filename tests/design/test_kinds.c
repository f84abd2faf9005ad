// Periodic motions of every element kind: derivatives of all their coefficients against differences
// of motions that are solved again.
#include "one_element.h"

#include "pliant/design.h"

#include <stdio.h>

static pl_env env;

enum { HARMONICS = 3 };

static void open_design(one_element *o, pl_design **out) {
  pl_optimise_opts opt = pl_optimise_defaults();
  pl_variable var[8];
  opt.harmonics = HARMONICS;
  opt.rtol = 1e-13;
  opt.max_newton = 60;
  for (int i = 0; i < o->kit.d.ndesign; i++)
    var[i] = (pl_variable){.kind = PL_VARIABLE_DESIGN,
                           .index = i,
                           .min = -INFINITY,
                           .max = INFINITY,
                           .scale = PL_SCALE_LINEAR};
  const pl_operating point = {.omega = 0.6 * o->omega};
  const pl_design_problem problem = {
      .nvariable = o->kit.d.ndesign, .npoint = 1, .variable = var, .point = &point};
  check_ok(&env, pl_design_open(&opt, o->b.m, o->b.p, o->b.w, &problem, out));
}

// of all coefficients of the motion by parameter i, which is 0
static void differences(pl_design *d, int i, double h, int n, double *out) {
  static const double at[4] = {1, -1, 2, -2}, weight[4] = {2.0 / 3, -2.0 / 3, -1.0 / 12, 1.0 / 12};
  double x[8] = {0};
  memset(out, 0, (size_t)n * sizeof *out);
  for (int k = 0; k < 4; k++) {
    x[i] = at[k] * h;
    check_ok(&env, pl_design_move(d, x));
    pl_axpy(n, weight[k] / h, pl_design_orbit(d, 0)->z, out, out);
  }
  x[i] = 0;
  check_ok(&env, pl_design_move(d, x));
}

static void check_periodic(void **state) {
  const pl_elem_kind *kind = *state;
  static one_element o;
  pl_design *d;
  one_open(&o, &env, kind, 10, 0, 1);
  open_design(&o, &d);
  int n = pl_model_nfree(o.b.m) * (2 * HARMONICS + 1), nd = o.kit.d.ndesign;
  double *S = pl_alloc(&env, (size_t)(nd * n), sizeof *S);
  double *want = pl_alloc(&env, (size_t)n, sizeof *want);
  check_ok(&env, pl_design_sensitivity(d, 0, S));
  double moved = 0;
  for (int i = 0; i < n; i++)
    if (i % (2 * HARMONICS + 1) != 0) moved = fmax(moved, fabs(pl_design_orbit(d, 0)->z[i]));
  assert_true(moved > 1e-4);
  for (int i = 0; i < nd; i++) {
    double most = 0;
    differences(d, i, 3e-4, n, want);
    for (int j = 0; j < n; j++) most = fmax(most, fabs(S[i * n + j] - want[j]));
    if (!(most <= 1e-6 * pl_max_abs(n, want)) && !(most <= 1e-9 * moved))
      fail_msg("%s: by %s off by %.2e of %.2e (moved %.2e)", kind->name, o.kit.design[i].name, most,
               pl_max_abs(n, want), moved);
  }
  pl_free(&env, S);
  pl_free(&env, want);
  pl_design_free(d);
  one_close(&o);
}

int test_kinds(void) {
  struct CMUnitTest tests[PL_ELEM_COUNT];
  pl_env_init(&env);
  for (int k = 0; k < PL_ELEM_COUNT; k++) {
    union {
      const pl_elem_kind *in;
      void *out;
    } kind = {.in = pl_elem_table[k]};
    tests[k] = (struct CMUnitTest){pl_elem_table[k]->name, check_periodic, NULL, NULL, kind.out};
  }
  return _cmocka_run_group_tests("design: periodic motions of every kind", tests, PL_ELEM_COUNT,
                                 NULL, NULL);
}
