// Limits of the four materials do not depend on what they are found with: weight and reach of the
// repulsion, samples, units, how the lattice lies.
#include "mails.h"

enum { MATERIALS = 4, ANGLES = 2 };
static const int which[MATERIALS] = {PL_MAIL_four_in_one, PL_MAIL_threefold, PL_MAIL_torus_knot,
                                     PL_MAIL_scale_mail};
static const double at[ANGLES] = {10, 70}; // no symmetry holds them

// lengths times f
static void make(int k, double f, sample_mail *s) {
  const pl_mail_family *of = pl_mail_table[which[k]];
  double value[PL_KEY_MAX];
  for (int i = 0; i < of->nkey; i++)
    value[i] = of->key[i].value * (strcmp(of->key[i].unit, "m") == 0 ? f : 1);
  of->make(value, s);
}

static void longest(const sample_mail *s, const pl_taut_opts *o, double turned, double *value) {
  pl_env env;
  pl_taut t[ANGLES];
  pl_taut_goal g[ANGLES];
  int solved[ANGLES];
  pl_env_init(&env);
  for (int i = 0; i < ANGLES; i++) g[i] = along(at[i] + turned, 1);
  check_ok(&env, pl_mail_taut(&env, &s->m, (const int[]){1, 1}, o, ANGLES, g, 1, t, solved));
  for (int i = 0; i < ANGLES; i++) {
    assert_true(solved[i] && t[i].certified);
    value[i] = t[i].value;
    pl_taut_free(&env, &t[i]);
  }
}

static void same(const sample_mail *s, const pl_taut_opts *o, double turned, const double *want) {
  double got[ANGLES];
  longest(s, o, turned, got);
  for (int i = 0; i < ANGLES; i++) check_close(got[i], want[i], 1e-5);
}

static void turn_lattice(sample_mail *s, double degrees) {
  double R[9], angle = degrees * PL_PI / 180;
  pl_rotation3(Z_AXIS, angle, R);
  for (int e = 0; e < s->m.nelem; e++) {
    double Q[9], x[3];
    pl_mul3(R, s->pose[e].Q, Q);
    for (int i = 0; i < 3; i++) x[i] = pl_dot3(R + 3 * i, s->pose[e].x);
    memcpy(s->pose[e].Q, Q, sizeof Q);
    memcpy(s->pose[e].x, x, sizeof x);
  }
  for (int k = 0; k < 2; k++) {
    double *L = s->m.lattice[k], x = L[0], y = L[1];
    L[0] = R[0] * x + R[1] * y;
    L[1] = R[3] * x + R[4] * y;
  }
}

static void alike(int k) {
  sample_mail s;
  double want[ANGLES];
  const pl_taut_opts usual = taut_defaults();
  pl_taut_opts o = usual;
  make(k, 1, &s);
  longest(&s, &usual, 0, want);
  o.weight /= 2;
  same(&s, &o, 0, want);
  o = usual;
  o.barrier /= 2;
  same(&s, &o, 0, want);
  for (int i = 0; i < PL_MAIL_PIECES; i++) s.piece[i].finer = 2;
  same(&s, &usual, 0, want);
  make(k, 1000, &s);
  same(&s, &usual, 0, want);
  make(k, 1, &s);
  turn_lattice(&s, 17);
  same(&s, &usual, 17, want);
}

static void four(void **state) {
  (void)state;
  alike(0);
}
static void three(void **state) {
  (void)state;
  alike(1);
}
static void knots(void **state) {
  (void)state;
  alike(2);
}
static void scales(void **state) {
  (void)state;
  alike(3);
}

int test_alike(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(four), cmocka_unit_test(three),
                                     cmocka_unit_test(knots), cmocka_unit_test(scales)};
  return cmocka_run_group_tests_name("alike", tests, NULL, NULL);
}
