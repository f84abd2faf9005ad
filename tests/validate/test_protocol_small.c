// Protocols whose points take little: vibration, locking, objectivity, by the numbers of textbooks.
#include "check.h"

#include "pliant/validate.h"

#include <math.h>

static void one_point(pl_env *env, const char *protocol, const char *model, double at, int n,
                      pl_sample *out) {
  pl_validate_opts o = {.protocol = protocol,
                        .model = model,
                        .quick = 1,
                        .threads = 1,
                        .resolution = n,
                        .nat = 1,
                        .at = &at,
                        .nu = NAN};
  pl_validation *v;
  check_ok(env, pl_validate(env, &o, &v));
  assert_int_equal(v->nscore, 1);
  assert_int_equal(v->score[0].nsample, 1);
  *out = v->score[0].sample[0];
  assert_int_equal(out->status, PL_OK);
  pl_validation_free(v);
}

// (beta L)^2 of a clamped beam: Blevins, Formulas for natural frequency and mode shape, table 8-1
static void vibration(void **state) {
  (void)state;
  static const double beta[3] = {1.87510407, 4.69409113, 7.85475744};
  pl_env env;
  pl_env_init(&env);
  pl_sample coarse, fine;
  one_point(&env, "vibration", "rod", 100, 50, &coarse);
  one_point(&env, "vibration", "rod", 100, 100, &fine);
  for (int k = 0; k < 3; k++) {
    double right = beta[k] * beta[k];
    check_rel(fine.master[k], right, 1e-8);
    check_rel(fine.value[k], right, 2e-3);
    // of the second order in the length of cells
    check_less(fabs(fine.value[k] - right), 0.3 * fabs(coarse.value[k] - right));
  }
}

// a strip that locks sags less and less as it gets thinner, a rod does not
static void locking(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_sample thick, thin;
  one_point(&env, "locking", "rod", 1e-1, 16, &thick);
  one_point(&env, "locking", "rod", 1e-4, 16, &thin);
  check_rel(thick.value[0], 1, 0.02);
  check_rel(thin.value[0], thick.value[0], 1e-3);
  one_point(&env, "locking", "hex8", 1e-1, 16, &thick);
  one_point(&env, "locking", "hex8", 1e-2, 16, &thin);
  check_less(thin.value[0], 0.5 * thick.value[0]);
}

// turned by any angle, nothing but rounding changes
static void objectivity(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const pl_protocol *p = pl_protocol_find("objectivity");
  assert_non_null(p);
  for (int k = 0; k < p->nmodel; k++) {
    pl_sample s;
    if (p->model[k].expect != PL_EXPECT_OK) continue;
    one_point(&env, "objectivity", p->model[k].name, p->quick[p->nquick - 1], p->model[k].quick,
              &s);
    check_less(s.value[0], 1e-8);
  }
}

int test_protocol_small(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vibration),
      cmocka_unit_test(locking),
      cmocka_unit_test(objectivity),
  };
  return cmocka_run_group_tests_name("validate.protocol_small", tests, NULL, NULL);
}
