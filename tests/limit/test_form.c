// Forms of limits: every one of the list, and closed forms of those that are here.
#include "check.h"

#include "pliant/limit.h"
#include "pliant/math.h"

#include <math.h>
#include <string.h>

enum { SEEDS = 20, ANGLES = 180 };
static pl_env env;

static pl_limit_source defaults(const pl_limit_form *f) {
  pl_limit_source in = {0};
  for (int k = 0; k < f->nkey; k++) in.value[k] = f->key[k].value;
  return in;
}

static pl_limit make(const pl_limit_form *f, const pl_limit_source *in, pl_limit_made *made) {
  pl_limit_fault fault = {0};
  memset(made, 0, sizeof *made);
  check_ok(&env, f->make(&env, in, made, &fault));
  assert_null(fault.key);
  return pl_limit_of(made);
}

// Scenes choose a form by its first key; a key of two forms must be the same key.
static void keys_choose_forms(void **state) {
  (void)state;
  for (int k = 0; k < PL_LIMIT_FORM_COUNT; k++) {
    const pl_limit_form *f = pl_limit_form_table[k];
    assert_in_range(f->nkey, 1, PL_KEY_MAX);
    assert_string_equal(f->key[0].name, f->name);
    for (int i = 0; i < f->nkey; i++)
      for (int g = 0; g < k; g++)
        for (int j = 0; j < pl_limit_form_table[g]->nkey; j++) {
          const pl_key *a = &f->key[i], *b = &pl_limit_form_table[g]->key[j];
          if (strcmp(a->name, b->name) != 0) continue;
          assert_true(i > 0 && j > 0);
          assert_int_equal(a->type, b->type);
          assert_string_equal(a->text, b->text);
        }
  }
}

// What is made leaves the sheet at rest alone, differs with the direction unless it says that it
// does not, and is told in words.
static void samples_are_limits(void **state) {
  (void)state;
  for (int k = 0; k < PL_LIMIT_FORM_COUNT; k++)
    for (unsigned seed = 0; seed < SEEDS; seed++) {
      const pl_limit_form *f = pl_limit_form_table[k];
      pl_limit_source in = defaults(f);
      pl_limit_made made;
      pl_text text = {.env = &env};
      f->sample(seed, &in);
      pl_limit l = make(f, &in, &made);
      double least = INFINITY, most = 0;
      for (int i = 0; i < ANGLES; i++) {
        double s = pl_limit_stretch(&l, PL_PI * i / ANGLES);
        least = fmin(least, s);
        most = fmax(most, s);
      }
      assert_in_range(l.nellipse + l.ndirection, 1, PL_DIRECTION_MAX);
      check_less(1, least);
      check_less(most, 12);
      if (f->isotropic)
        check_close(most, least, 1e-14);
      else
        check_less(least, most);
      f->describe(&in, &text);
      assert_true(text.n > 0);
      pl_text_free(&text);
    }
}

// along warp, weft and the bias, in axes that are turned
static void of_warp_and_weft(void **state) {
  (void)state;
  const pl_limit_form *f = &pl_limit_form_warp;
  pl_limit_source in = defaults(f);
  pl_limit_made made;
  const double rot = 0.4;
  in.value[0] = 0.01;
  in.value[1] = 0.1;
  in.value[3] = rot;
  pl_limit l = make(f, &in, &made);
  check_close(pl_limit_stretch(&l, rot), 1.01, 1e-14);
  check_close(pl_limit_stretch(&l, rot + PL_PI / 2), 1.1, 1e-14);
  in.value[2] = 0.08;
  in.given[2] = 1;
  l = make(f, &in, &made);
  check_close(pl_limit_stretch(&l, rot), 1.01, 1e-14);
  check_close(pl_limit_stretch(&l, rot + PL_PI / 4), 1.08, 1e-14);
  // an ellipse that would cut into the sheet at rest
  pl_limit_fault fault = {0};
  in.value[2] = 0.3;
  assert_int_equal(f->make(&env, &in, &made, &fault), PL_E_INPUT);
  assert_string_equal(fault.key, "bias");
  assert_non_null(strstr(fault.hint, "8.6"));
}

static int setup(void **state) {
  (void)state;
  pl_env_init(&env);
  return 0;
}

int test_form(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_choose_forms),
      cmocka_unit_test(samples_are_limits),
      cmocka_unit_test(of_warp_and_weft),
  };
  return cmocka_run_group_tests_name("limit.form", tests, setup, NULL);
}
