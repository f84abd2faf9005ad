#include "mails.h"

// Symmetries of materials, and limits that are the same by them.

static int count(const pl_mail *m) {
  double O[PL_MAIL_SYMMETRIES][4];
  return pl_mail_symmetries(m, O);
}

static void groups(void **state) {
  (void)state;
  sample_mail s;
  four_in_one(&s);
  assert_int_equal(count(&s.m), 4); // D2
  threefold(&s, 1.5, 1.4);
  assert_int_equal(count(&s.m), 6); // D3, that of limits is D6 by half turns
  torus_knot(&s, 1.5);
  assert_int_equal(count(&s.m), 8); // C4, and mirrors that turn it over
  japanese(&s, 13.6, 5, 1, 4, 0.8);
  assert_int_equal(count(&s.m), 8); // D4
  scale_rings(&s);
  assert_int_equal(count(&s.m), 12); // C6, and mirrors that turn it over
  const pl_mail_family *f = pl_mail_table[PL_MAIL_scale_mail];
  double value[PL_KEY_MAX];
  for (int k = 0; k < f->nkey; k++) value[k] = f->key[k].value;
  f->make(value, &s);
  assert_int_equal(count(&s.m), 6); // its plates are on one side
  // an element that leans has none but a half turn, or nothing
  four_in_one(&s);
  s.pose[1].x[0] += 0.1;
  s.pose[1].x[2] += 0.05;
  assert_int_equal(count(&s.m), 2);
}

// all kinds of goals, those of an orbit solved each on their own
static void same_limits(void **state) {
  (void)state;
  enum { N = 12 };
  pl_env env;
  sample_mail s;
  pl_taut_goal g[N];
  pl_taut_opts o = taut_defaults();
  pl_taut t[N];
  int from[N], solved[N];
  pl_env_init(&env);
  for (int k = 0; k < 4; k++) {
    static const int distinct[4] = {7, 3, 4, 3};
    if (k == 0) four_in_one(&s);
    if (k == 1) threefold(&s, 1.5, 1.4);
    if (k == 2) torus_knot(&s, 1.5);
    if (k == 3) scale_rings(&s);
    for (int i = 0; i < N; i++) g[i] = along(15 * i, 1);
    assert_int_equal(pl_mail_orbits(&s.m, N, g, from), distinct[k]);
    check_ok(&env, pl_mail_taut(&env, &s.m, (const int[]){1, 1}, &o, N, g, 1, t, solved));
    for (int i = 0; i < N; i++) check_close(t[i].value, t[from[i]].value, 1e-6);
    for (int i = 0; i < N; i++) pl_taut_free(&env, &t[i]);
  }
}

int test_symmetry(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(groups), cmocka_unit_test(same_limits)};
  return cmocka_run_group_tests_name("symmetry", tests, NULL, NULL);
}
