#include "mails.h"

// Symmetries of materials, and limits that are the same by them.

// of the plane, whichever side is up
static int count(const pl_mail *m) {
  pl_env env;
  pl_mail_symmetry s[PL_MAIL_SYMMETRIES];
  int all, n = 0;
  pl_env_init(&env);
  check_ok(&env, pl_mail_symmetries(&env, m, 0, s, &all));
  for (int i = 0; i < all; i++) {
    int known = 0;
    for (int j = 0; j < i && !known; j++) {
      double far = 0;
      for (int k = 0; k < 4; k++) far = fmax(far, fabs(s[i].O[k] - s[j].O[k]));
      known = far < 1e-6;
    }
    n += !known;
  }
  return n;
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

static int count_distinct(int n, const pl_mail_image *image) {
  int found = 0;
  for (int i = 0; i < n; i++) found += image[i].from == i;
  return found;
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
  pl_mail_image image[N];
  int solved[N];
  pl_env_init(&env);
  for (int k = 0; k < 4; k++) {
    static const int distinct[4] = {7, 3, 4, 3};
    if (k == 0) four_in_one(&s);
    if (k == 1) threefold(&s, 1.5, 1.4);
    if (k == 2) torus_knot(&s, 1.5);
    if (k == 3) scale_rings(&s);
    for (int i = 0; i < N; i++) g[i] = along(15 * i, 1);
    check_ok(&env, pl_mail_orbits(&env, &s.m, 0, N, g, image));
    assert_int_equal(count_distinct(N, image), distinct[k]);
    check_ok(&env, pl_mail_taut(&env, &s.m, (const int[]){1, 1}, &o, N, g, 1, t, solved));
    for (int i = 0; i < N; i++) check_close(t[i].value, t[image[i].from].value, 1e-6);
    for (int i = 0; i < N; i++) pl_taut_free(&env, &t[i]);
  }
}

// Bent goals, solved each on their own, are what symmetry makes of the first of their orbit; so
// are their unknowns, where these are unique.
static void check_bent(const pl_mail *m, int across, int distinct, int unique) {
  // 1/m of the goal and of a free curvature across, of about 100; strains
  const double limit = 1e-3, free_curvature = 0.1, strain = 1e-5;
  enum { N = 16 };
  pl_env env;
  pl_taut_goal g[N];
  pl_taut_opts o = taut_defaults();
  pl_taut t[N];
  pl_mail_image image[N];
  int solved[N];
  pl_env_init(&env);
  for (int i = 0; i < N; i++) {
    double angle = PL_PI * (i / 2) / (N / 2), sign = i % 2 ? -1 : 1;
    g[i] = across ? pl_taut_bend_disk(angle, sign) : pl_taut_bend(angle, sign);
  }
  check_ok(&env, pl_mail_orbits(&env, m, across, N, g, image));
  assert_int_equal(count_distinct(N, image), distinct);
  if (across)
    check_ok(&env, pl_mail_taut_disk(&env, m, across, &o, N, g, 2, t, solved));
  else
    check_ok(&env, pl_mail_taut(&env, m, (const int[]){1, 1}, &o, N, g, 2, t, solved));
  for (int i = 0; i < N; i++) {
    pl_taut made;
    const pl_mail_image *first = &image[image[i].from];
    pl_mail_use_image(&t[image[i].from], first, &g[i], &image[i], &made);
    check_close(made.value, t[i].value, limit);
    check_close(made.angle, t[i].angle, 1e-12);
    if (!unique) continue;
    for (int k = 0; k < (across ? 2 : 4); k++)
      check_close(made.e[k], t[i].e[k],
                  across  ? k == 0 ? free_curvature : limit
                  : k < 3 ? strain
                          : limit);
    for (int c = 0; c < 3; c++) {
      check_close(made.curvature[c], t[i].curvature[c], across ? free_curvature : limit);
      check_close(made.stretch[c], t[i].stretch[c], strain);
    }
    // and back
    pl_mail_use_image(&t[i], &image[i], &g[image[i].from], first, &made);
    for (int c = 0; c < 3; c++)
      check_close(made.curvature[c], t[image[i].from].curvature[c],
                  across ? free_curvature : limit);
  }
  for (int i = 0; i < N; i++) pl_taut_free(&env, &t[i]);
}

static void same_bending(void **state) {
  (void)state;
  sample_mail s;
  // half turns about the x axis and quarters about z: 22.5 degrees is its own class
  torus_knot(&s, 1.5);
  check_bent(&s.m, 0, 4, 1);
  check_bent(&s.m, 3, 4, 1);
  // mirrors of the plane, and of the angles at 90 degrees, where it shears to either side
  threefold(&s, 0.95, 0.95);
  check_bent(&s.m, 0, 5, 0);
}

int test_symmetry(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(groups), cmocka_unit_test(same_limits),
                                     cmocka_unit_test(same_bending)};
  return cmocka_run_group_tests_name("symmetry", tests, NULL, NULL);
}
