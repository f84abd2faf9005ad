#include "mails.h"

#include <stdlib.h>

// Distances of swept pieces, their derivatives and linking numbers.

static double random_unit(pl_rng *r, double *v) {
  double l;
  do {
    for (int i = 0; i < 3; i++) v[i] = pl_rng_uniform(r, -1, 1);
    l = pl_norm3(v);
  } while (l > 1 || l < 0.1);
  for (int i = 0; i < 3; i++) v[i] /= l;
  return l;
}

static pl_pose random_pose(pl_rng *r, double far) {
  double axis[3];
  random_unit(r, axis);
  pl_pose p = pose_at(0, 0, 0, axis, pl_rng_uniform(r, -180, 180));
  for (int i = 0; i < 3; i++) p.x[i] = pl_rng_uniform(r, -far, far);
  return p;
}

static void pieces(sample_mail *knot, pl_piece out[5]) {
  torus_knot(knot, 0.5);
  out[0] = ring(0.3, -0.2, 0.5, 1, 2, 2, 4, 0.4, 0.4);
  out[1] = ring(0.3, -0.2, 0.5, 2, -1, 2, 4, 0.4, 0.7);
  out[2] = ring(-0.1, 0.4, 0.2, 0, 0, 1, 4, 0.7, 0.4);
  out[3] = knot->piece[0];
  out[4] = pl_piece_link((double[]){0.2, 0.1, -0.3}, (double[]){1, 2, 2}, X_AXIS, 3, 2.5, 0.4);
}

// smallest distance of two surfaces by their points alone
static double sampled_gap(const pl_piece *a, const pl_pose *at, const pl_piece *b,
                          const pl_pose *bt) {
  enum { N = 160 };
  double least = 1e9;
  static double p[2][N * 9][4];
  const pl_piece *piece[2] = {a, b};
  const pl_pose *pose[2] = {at, bt};
  int n[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    int nu = pl_piece_nu(piece[k]);
    double big = fmax(piece[k]->radius, piece[k]->height);
    double thin = fmin(piece[k]->radius, piece[k]->height);
    for (int i = 0; i < N; i++)
      for (int j = -4; j <= 4; j++) {
        if (nu == 1 && j != 0) continue;
        pl_swept s;
        double u[2] = {2 * PL_PI * i / N,
                       nu == 2 ? j / 4.0 * sqrt(big * big - thin * thin) / big : 0};
        pl_piece_at(piece[k], u, &s);
        double *to = p[k][n[k]++];
        for (int c = 0; c < 3; c++) to[c] = pose[k]->x[c] + pl_dot3(pose[k]->Q + 3 * c, s.p);
        to[3] = s.rho;
      }
  }
  for (int i = 0; i < n[0]; i++)
    for (int j = 0; j < n[1]; j++) {
      double w[3];
      pl_sub3(p[0][i], p[1][j], w);
      least = fmin(least, pl_norm3(w) - p[0][i][3] - p[1][j][3]);
    }
  return least;
}

static void nearest(void **state) {
  (void)state;
  pl_rng r;
  sample_mail knot;
  pl_piece p[5];
  pieces(&knot, p);
  pl_rng_seed(&r, 1);
  for (int round = 0; round < 160; round++) {
    const pl_piece *a = &p[round % 5], *b = &p[round / 5 % 5];
    pl_pose at = random_pose(&r, 3), bt = random_pose(&r, 3);
    pl_approach approach[PL_APPROACH_MAX];
    int n = pl_piece_gaps(a, &at, b, &bt, 100, approach);
    double want = sampled_gap(a, &at, b, &bt);
    assert_true(n >= 1);
    if (want < 0.05) { // overlaps are found, whatever their depth
      assert_true(approach[0].gap < 0.07);
      continue;
    }
    if (approach[0].gap > want + 1e-9 || approach[0].gap < want - 0.05)
      fail_msg("round %d: %.6f, sampled %.6f", round, approach[0].gap, want);
  }
}

// moves an element along a motion by t
static pl_pose displaced(const pl_pose *p, const double *m, double t) {
  pl_pose out = *p;
  double R[9];
  for (int i = 0; i < 3; i++) out.x[i] += t * m[i];
  pl_rotation3(m + 3, t * pl_norm3(m + 3), R);
  pl_mul3(R, p->Q, out.Q);
  return out;
}

static void derivatives(void **state) {
  (void)state;
  pl_rng r;
  sample_mail knot;
  pl_piece p[5];
  pieces(&knot, p);
  pl_rng_seed(&r, 2);
  int done = 0;
  for (int round = 0; round < 200; round++) {
    const pl_piece *a = &p[round % 5], *b = &p[round / 5 % 5];
    pl_pose at = random_pose(&r, 3), bt = random_pose(&r, 3);
    pl_approach approach[PL_APPROACH_MAX];
    int n = pl_piece_gaps(a, &at, b, &bt, 100, approach);
    for (int k = 0; k < n; k++) {
      double m[12], g[12], H[12][12], value[5], want[2], h = 2e-4;
      if (approach[k].gap < 0.1) continue;
      for (int i = 0; i < 12; i++) m[i] = pl_rng_uniform(&r, -1, 1);
      pl_piece_derivatives(a, &at, b, &bt, &approach[k], g, H);
      int same = 1;
      for (int i = -2; i <= 2; i++) {
        pl_pose ma = displaced(&at, m, i * h), mb = displaced(&bt, m + 6, i * h);
        pl_approach t = approach[k];
        same = same && pl_piece_follow(a, &ma, b, &mb, &t);
        value[i + 2] = t.gap;
      }
      if (!same) continue;
      want[0] = (8 * (value[3] - value[1]) - (value[4] - value[0])) / (12 * h);
      want[1] = (16 * (value[3] + value[1]) - (value[4] + value[0]) - 30 * value[2]) / (12 * h * h);
      double first = pl_dot(12, g, m), second = 0;
      for (int i = 0; i < 12; i++) second += m[i] * pl_dot(12, H[i], m);
      // flat minima move fast: their differences are taken too far
      if (fabs(want[1]) > 30) continue;
      check_close(first, want[0], 1e-7 * (1 + fabs(want[0])));
      check_close(second, want[1], 1e-5 * (1 + fabs(want[1])));
      done++;
    }
  }
  assert_true(done > 200);
}

static void links(void **state) {
  (void)state;
  sample_mail s;
  four_in_one(&s);
  for (int k = -1; k <= 1; k++)
    for (int l = -1; l <= 2; l++) {
      pl_pose b = s.pose[1];
      b.x[0] += 12.2 * k;
      b.x[1] += 6 * l;
      int near = (k == 0 || k == -1) && (l == 0 || l == 1);
      int got = pl_piece_links(&s.piece[0], &s.pose[0], &s.piece[0], &b);
      assert_int_equal(got, near ? (k == 0 ? -1 : 1) : 0);
    }
  torus_knot(&s, 1.5);
  for (int k = -1; k <= 1; k++)
    for (int l = -1; l <= 1; l++) {
      pl_pose b = s.pose[0];
      if (k == 0 && l == 0) continue;
      b.x[0] += s.m.lattice[0][0] * k;
      b.x[1] += s.m.lattice[1][1] * l;
      assert_int_equal(pl_piece_links(&s.piece[0], &s.pose[0], &s.piece[0], &b),
                       abs(k) + abs(l) == 1 ? -1 : 0);
    }
}

// Smallest gaps of the reference states.
static void references(void **state) {
  (void)state;
  pl_env env;
  pl_cell *c;
  sample_mail s;
  static const double want[] = {0.0660, 0.125, 0.675, 0.1557, 0.076, 0.460, 0.190};
  pl_env_init(&env);
  for (int k = 0; k < 7; k++) {
    switch (k) {
    case 0:
      four_in_one(&s);
      break;
    case 1:
      threefold(&s, 1.5, 1.4);
      break;
    case 2:
      threefold(&s, 0.95, 0.95);
      break;
    case 3:
      torus_knot(&s, 1.5);
      break;
    case 4:
      torus_knot(&s, 1.54);
      break;
    case 5:
      scale_rings(&s);
      break;
    default:
      scale_fit(&s, 3.55);
    }
    check_ok(&env, pl_cell_create(&env, &s.m, 1, 1, &c));
    check_close(pl_cell_gap(c, NULL), want[k], 6e-4);
    pl_cell_free(c);
  }
}

// Two rings one through the other, turned against each other by 90 - alpha degrees about the line
// of their centres, R = 4, r = 1: they touch at this distance.
static void twisted(void **state) {
  (void)state;
  static const double want[][2] = {{0, 6}, {30, 6}, {40, 5.845816}, {50, 5.130194}, {55, 4.239907}};
  pl_piece p = ring(0, 0, 0, 0, 0, 1, 4, 1, 1);
  for (int k = 0; k < 5; k++) {
    double gap[2];
    for (int side = 0; side < 2; side++) {
      pl_approach approach[PL_APPROACH_MAX];
      pl_pose a = pose_at(0, 0, 0, X_AXIS, 0),
              b = pose_at(want[k][1], 0, 0, X_AXIS, 90 - want[k][0]);
      b.x[0] += side ? 1e-5 : -1e-5;
      assert_true(pl_piece_gaps(&p, &a, &p, &b, 1, approach) > 0);
      gap[side] = approach[0].gap;
    }
    assert_true(gap[0] > 0 && gap[1] < 0);
  }
  // just beyond the kink the one contact is two, and lower than the saddle between them
  pl_pose a = pose_at(0, 0, 0, X_AXIS, 0), b = pose_at(5.99, 0, 0, X_AXIS, 90 - 31);
  pl_approach approach[PL_APPROACH_MAX];
  assert_true(pl_piece_gaps(&p, &a, &p, &b, 0.1, approach) >= 2);
  check_close(approach[0].gap, approach[1].gap, 1e-12);
}

// Two upright rings that a flat ring holds taut touch at an angle of 2 asin(r / (R - 2 r)).
static void crowded(void **state) {
  (void)state;
  double R = 4, r = 1, half = asin(r / (R - 2 * r));
  pl_piece p = ring(0, 0, 0, 0, 1, 0, R, r, r);
  pl_approach approach[PL_APPROACH_MAX];
  pl_pose at[2];
  for (int k = 0; k < 2; k++) {
    double angle = k ? half : -half, far = 2 * (R - r);
    at[k] = pose_at(far * cos(angle), far * sin(angle), 0, Z_AXIS, angle * 180 / PL_PI);
  }
  assert_true(pl_piece_gaps(&p, &at[0], &p, &at[1], 1, approach) > 0);
  check_close(approach[0].gap, 0, 1e-12);
}

// Wires that are too thick for their own curve.
static void faults(void **state) {
  (void)state;
  sample_mail s;
  torus_knot(&s, 1.5);
  assert_null(pl_mail_fault(&s.m));
  torus_knot(&s, 2.6);
  assert_string_equal(pl_mail_fault(&s.m), "a curve cuts itself");
  // a circle, told as a curve
  torus_knot(&s, 1);
  memset(s.cosine, 0, sizeof s.cosine);
  memset(s.sine, 0, sizeof s.sine);
  assert_string_equal(pl_mail_fault(&s.m), "a curve is a point");
  s.cosine[0][0] = s.sine[0][1] = 7;
  assert_null(pl_mail_fault(&s.m));
  s.piece[0].radius = 6.9;
  assert_null(pl_mail_fault(&s.m));
  s.piece[0].radius = 7.1;
  assert_string_equal(pl_mail_fault(&s.m), "a curve cuts itself");
  // a figure of eight
  s.piece[0].radius = 0.5;
  memset(s.sine, 0, sizeof s.sine);
  s.sine[1][1] = 7;
  assert_string_equal(pl_mail_fault(&s.m), "a curve cuts itself");
  threefold(&s, 1, 1);
  s.piece[2].radius = 2.6;
  assert_string_equal(pl_mail_fault(&s.m), "a ring has no hole");
}

// Lattices for rings of any size. European 4-in-1 exists up to a wire of 0.251198 R, in one cell.
static void fits(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const pl_mail_family *f = pl_mail_table[PL_MAIL_four_in_one];
  const int given[5] = {1, 1}, all[5] = {1, 1, 1}, none[5] = {0};
  const double rough[] = {0.2, 0.25, 0.2512, 0.26};
  for (int k = 0; k < 4; k++) {
    double v[5] = {1, rough[k], 12.2, 6, 0.5}, gap;
    check_ok(&env, pl_mail_fit(&env, f, given, v, &gap));
    check_close(gap, 2 * (0.251198 - rough[k]), 3e-6);
    check_close(v[2], 2.5024, 1e-4);
    check_close(v[3], 1.2470, 1e-4);
    check_close(v[4] * 180 / PL_PI, 34.11, 1e-2);
  }
  // what is given stays, and so do defaults
  double v[5] = {1, 0.2, 2.6, 6, 0.5}, gap;
  check_ok(&env, pl_mail_fit(&env, f, all, v, &gap));
  check_ok(&env, pl_mail_fit(&env, f, none, v, &gap));
  check_close(v[2] + v[3] + v[4], 9.1, 0);
  // all families, at a third of their size
  for (int k = 0; k < PL_MAIL_COUNT; k++) {
    double value[PL_KEY_MAX];
    int some[PL_KEY_MAX] = {1};
    f = pl_mail_table[k];
    for (int i = 0; i < f->nkey; i++) {
      value[i] = f->key[i].value / (f->key[i].unit[0] == 'm' ? 3 : 1);
      some[i] = !(f->lattice >> i & 1);
    }
    check_ok(&env, pl_mail_fit(&env, f, some, value, &gap));
    assert_true(gap > 0);
  }
}

int test_gap(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nearest), cmocka_unit_test(derivatives),
                                     cmocka_unit_test(links),   cmocka_unit_test(references),
                                     cmocka_unit_test(twisted), cmocka_unit_test(crowded),
                                     cmocka_unit_test(faults),  cmocka_unit_test(fits)};
  return cmocka_run_group_tests_name("gap", tests, NULL, NULL);
}
