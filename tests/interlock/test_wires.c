#include "mails.h"
#include "patch_impl.h"

#include <stdlib.h>

// One gap for all of two rings or links, or of two pieces of facets.

static const double RANGE = 0.08;

// a ring and another one, or links in their place
static const pl_piece *const *two_wires(int links) {
  static pl_piece piece[2];
  static const pl_piece *both[2] = {&piece[0], &piece[1]};
  piece[0] = ring(0.05, 0, 0.1, 0, 0.2, 1, 0.4, 0.1, 0.1);
  piece[1] = ring(0, -0.1, 0.03, 0.1, 1, 0, 0.35, 0.08, 0.08);
  if (links & 1)
    piece[0] =
        pl_piece_link((double[]){0.05, 0, 0.1}, (double[]){0, 0.2, 1}, X_AXIS, 0.3, 0.3, 0.1);
  if (links & 2)
    piece[1] =
        pl_piece_link((double[]){0, -0.1, 0}, (double[]){0.1, 1, 0}, Z_AXIS, 0.3, 0.25, 0.08);
  return both;
}

static pl_pose random_pose(pl_rng *r) {
  double v[7];
  for (int k = 0; k < 7; k++) v[k] = pl_rng_uniform(r, -1, 1);
  return pose_at(0.45 * v[0], 0.45 * v[1], 0.45 * v[2], v + 3, 180 * v[6]);
}

static void move(pl_pose *p, const double *by) {
  double R[9], Q[9];
  for (int c = 0; c < 3; c++) p->x[c] += by[c];
  pl_rotation3(by + 3, pl_norm3(by + 3), R);
  pl_mul3(R, p->Q, Q);
  memcpy(p->Q, Q, sizeof Q);
}

// the gap after a motion, and its slope along it
static double gap_after(const pl_piece *const *piece, const pl_pose at[2], const double by[12],
                        double *slope) {
  pl_pose p[2] = {at[0], at[1]};
  double least, g[12], H[12][12];
  for (int k = 0; k < 2; k++) move(&p[k], by + 6 * k);
  const pl_pose *const pose[2] = {&p[0], &p[1]};
  wires_derivatives(piece, pose, RANGE, g, H);
  *slope = pl_dot(12, g, by);
  return wires_gap(piece, pose, RANGE, &least);
}

// slope and curvature along random motions against differences
static void check_derivatives(int links) {
  const pl_piece *const *piece = two_wires(links);
  pl_rng r;
  pl_rng_seed(&r, 7);
  int near = 0;
  for (int i = 0; i < 2000 && near < 60; i++) {
    pl_pose at[2] = {random_pose(&r), random_pose(&r)};
    const pl_pose *pose[2] = {&at[0], &at[1]};
    double least, g[12], H[12][12], by[12], f[2], slope[2], curve = 0;
    double gap = wires_gap(piece, pose, RANGE, &least);
    if (!(least > 2e-3) || least > 0.7 * RANGE) continue;
    near++;
    check_less(least, gap);
    wires_derivatives(piece, pose, RANGE, g, H);
    for (int k = 0; k < 12; k++) by[k] = 2e-3 * least * pl_rng_uniform(&r, -1, 1);
    for (int s = 0; s < 2; s++) {
      double d[12];
      for (int k = 0; k < 12; k++) d[k] = (s ? -1 : 1) * by[k];
      f[s] = gap_after(piece, at, d, &slope[s]);
    }
    for (int k = 0; k < 12; k++) curve += by[k] * pl_dot(12, H[k], by);
    double size = pl_norm(12, by);
    check_close((f[0] - f[1]) / 2 / size, pl_dot(12, g, by) / size, 1e-4);
    check_close((slope[0] + slope[1]) / 2 / (size * size), curve / (size * size),
                1e-4 * pl_norm(144, H[0]));
  }
  assert_int_equal(near, 60);
}

static void derivatives(void **state) {
  (void)state;
  for (int links = 0; links < 4; links++) check_derivatives(links);
}

// The smallest of the gaps is that of the exact minima, and the sum does not depend on how finely
// it is taken: the same rings the other way round, and all of it in millimetres.
static void check_least(int links) {
  const pl_piece *const *piece = two_wires(links);
  pl_rng r;
  pl_rng_seed(&r, 3);
  for (int i = 0, near = 0; near < 60; i++) {
    assert_true(i < 2000);
    pl_pose at[2] = {random_pose(&r), random_pose(&r)};
    pl_approach approach[PL_APPROACH_MAX];
    double least;
    int n = pl_piece_gaps(piece[0], &at[0], piece[1], &at[1], RANGE, approach);
    double gap = wires_gap(piece, (const pl_pose *const[]){&at[0], &at[1]}, RANGE, &least);
    if (n == 0 || approach[0].gap < 1e-5) continue;
    near++;
    check_less(approach[0].gap, least + 1e-12);
    check_less(least, 1.3 * approach[0].gap);
    pl_piece other[2] = {*piece[0], *piece[1]};
    for (int k = 0; k < 2; k++) {
      for (int c = 0; c < 3; c++) {
        other[k].centre[c] *= 1e3;
        at[k].x[c] *= 1e3;
      }
      other[k].major *= 1e3;
      other[k].straight *= 1e3;
      other[k].radius = other[k].height *= 1e3;
    }
    const pl_piece *const again[2] = {&other[0], &other[1]};
    double large = wires_gap(again, (const pl_pose *const[]){&at[0], &at[1]}, 1e3 * RANGE, &least);
    check_close(large / 1e3 / gap, 1, 1e-5);
  }
}

static void least_gap(void **state) {
  (void)state;
  for (int links = 0; links < 4; links++) check_least(links);
}

// Wires that overlap, however little and between which samples, are seen to: pairs are brought
// together along the normal of their smallest gap until they overlap by a part of 1e-4 to 1e-7.
static void check_overlap(int links) {
  const pl_piece *const *piece = two_wires(links);
  pl_rng r;
  pl_rng_seed(&r, 11);
  int seen = 0, missed = 0;
  for (int i = 0; i < 20000; i++) {
    pl_pose at[2] = {random_pose(&r), random_pose(&r)};
    const pl_pose *const pose[2] = {&at[0], &at[1]};
    pl_approach approach[PL_APPROACH_MAX];
    double least, g[12], deep = 0.1 * pow(10, pl_rng_uniform(&r, -7, -4));
    for (int k = 0; k < 4; k++) {
      if (pl_piece_gaps(piece[0], pose[0], piece[1], pose[1], RANGE, approach) == 0) break;
      pl_piece_derivatives(piece[0], pose[0], piece[1], pose[1], &approach[0], g, NULL);
      for (int c = 0; c < 3; c++) at[1].x[c] -= (approach[0].gap + deep) * g[6 + c];
    }
    int n = pl_piece_gaps(piece[0], pose[0], piece[1], pose[1], RANGE, approach);
    if (n == 0 || approach[0].gap > -deep / 2) continue;
    seen++;
    wires_gap(piece, pose, RANGE, &least);
    missed += least > 0;
  }
  check_less(2000, seen);
  assert_int_equal(missed, 0);
}

static void overlap(void **state) {
  (void)state;
  for (int links = 0; links < 4; links++) check_overlap(links);
}

// ---- facets -------------------------------------------------------------------------------------

enum { SHAPES = 3 };

// a mesh, a plate and a line
static void facets_open(pl_piece p[SHAPES], void *buffer[SHAPES]) {
  p[0] = torus_mesh(7, 4, 0.4, 0.1, 0.02, &buffer[0]);
  p[1] = plate(5, 0.4, 0.1, 0.03, &buffer[1]);
  p[2] = polygon(5, 0.4, 0.04, &buffer[2]);
}

static double sum_moved(const pl_piece *const *piece, const pl_pose at[2], const double by[12],
                        double *slope) {
  pl_pose p[2] = {at[0], at[1]};
  double least, g[12], H[12][12];
  for (int k = 0; k < 2; k++) move(&p[k], by + 6 * k);
  const pl_pose *const pose[2] = {&p[0], &p[1]};
  facets_derivatives(piece, pose, RANGE, g, H);
  *slope = pl_dot(12, g, by);
  return facets_gap(piece, pose, RANGE, &least);
}

// slope and curvature by differences, and whether no minimum is nearer than the least distance
static void check_sum(const pl_piece *const *piece, const pl_pose at[2]) {
  const pl_pose *pose[2] = {&at[0], &at[1]};
  pl_approach approach[PL_APPROACH_MAX];
  double least, g[12], H[12][12], by[12], f[2], slope[2], curve = 0;
  double gap = facets_gap(piece, pose, RANGE, &least);
  assert_true(pl_piece_gaps(piece[0], pose[0], piece[1], pose[1], RANGE, approach) > 0);
  check_close(least, approach[0].gap, 1e-12);
  assert_true(gap > 0 && gap <= RANGE);
  facets_derivatives(piece, pose, RANGE, g, H);
  pl_rng r;
  pl_rng_seed(&r, 5);
  for (int k = 0; k < 12; k++) by[k] = 1e-6 * pl_rng_uniform(&r, -1, 1);
  for (int s = 0; s < 2; s++) {
    double d[12];
    for (int k = 0; k < 12; k++) d[k] = (s ? -1 : 1) * by[k];
    f[s] = sum_moved(piece, at, d, &slope[s]);
  }
  for (int k = 0; k < 12; k++) curve += by[k] * pl_dot(12, H[k], by);
  double size = pl_norm(12, by);
  check_close((f[0] - f[1]) / 2 / size, pl_dot(12, g, by) / size, 1e-6);
  check_close((slope[0] + slope[1]) / 2 / (size * size), curve / (size * size),
              1e-5 * (1 + pl_norm(144, H[0])));
}

// All shapes against each other; every other pair is nearly parallel, so that edges count in part.
static void sums_of_facets(void **state) {
  (void)state;
  pl_piece p[SHAPES];
  void *buffer[SHAPES];
  facets_open(p, buffer);
  pl_rng r;
  pl_rng_seed(&r, 11);
  for (int pair = 0; pair < SHAPES * SHAPES; pair++) {
    const pl_piece *const piece[2] = {&p[pair / SHAPES], &p[pair % SHAPES]};
    for (int i = 0, near = 0; near < 40; i++) {
      assert_true(i < 4000);
      pl_pose at[2] = {random_pose(&r), random_pose(&r)};
      const pl_pose *const pose[2] = {&at[0], &at[1]};
      if (i % 2) {
        double rot[6] = {0};
        for (int k = 3; k < 6; k++) rot[k] = 0.03 * pl_rng_uniform(&r, -1, 1);
        memcpy(at[1].Q, at[0].Q, sizeof at[1].Q);
        move(&at[1], rot);
      }
      pl_approach approach[PL_APPROACH_MAX];
      int n = pl_piece_gaps(piece[0], pose[0], piece[1], pose[1], RANGE, approach);
      if (n == 0 || approach[0].gap < 5e-3 || approach[0].gap > 0.7 * RANGE) continue;
      near++;
      check_sum(piece, at);
    }
  }
  for (int k = 0; k < SHAPES; k++) free(buffer[k]);
}

int test_wires(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives), cmocka_unit_test(least_gap),
                                     cmocka_unit_test(overlap), cmocka_unit_test(sums_of_facets)};
  return cmocka_run_group_tests_name("wires", tests, NULL, NULL);
}
