#include "mails.h"

// Distances, derivatives and links of polylines, plates and meshes.

enum { KINDS = 9 };

typedef struct zoo {
  pl_piece p[KINDS];
  void *buffer[KINDS];
  sample_mail knot;
} zoo;

static void zoo_open(zoo *z) {
  memset(z, 0, sizeof *z);
  torus_knot(&z->knot, 0.5);
  z->p[0] = ring(0.3, -0.2, 0.5, 1, 2, 2, 4, 0.4, 0.4);
  z->p[1] = ring(0.3, -0.2, 0.5, 2, -1, 2, 4, 0.4, 0.7);
  z->p[2] = z->knot.piece[0];
  z->p[3] = polygon(12, 4, 0.4, &z->buffer[3]);
  z->p[4] = plate(6, 4, 0.7, 0.25, &z->buffer[4]);
  z->p[5] = torus_mesh(12, 8, 3.5, 0.8, 0.1, &z->buffer[5]);
  const double x[3][3] = {{-3, 0, 0}, {0.2, 0.5, 0.1}, {2, -2, 1}};
  const int along[2][2] = {{0, 1}, {1, 2}}, face[1][3] = {{0, 1, 2}};
  z->p[6] = facets(3, x, 2, along, 0, NULL, 0.5, &z->buffer[6]);
  z->p[7] = facets(3, x, 0, NULL, 1, face, 0.3, &z->buffer[7]);
  z->p[8] = facets(1, x, 0, NULL, 0, NULL, 0.3, &z->buffer[8]);
}

static void zoo_close(zoo *z) {
  for (int k = 0; k < KINDS; k++) free(z->buffer[k]);
}

static pl_pose random_pose(pl_rng *r, double far) {
  double axis[3];
  for (int i = 0; i < 3; i++) axis[i] = pl_rng_uniform(r, -1, 1);
  pl_pose p = pose_at(0, 0, 0, axis, pl_rng_uniform(r, -180, 180));
  for (int i = 0; i < 3; i++) p.x[i] = pl_rng_uniform(r, -far, far);
  return p;
}

// ---- smallest distances by points alone ---------------------------------------------------------

typedef struct cloud {
  int n;
  double x[60000][4]; // and the radius there
} cloud;

static void cloud_add(cloud *c, const pl_pose *t, const double *local, double rho) {
  assert_true(c->n < 60000);
  double *x = c->x[c->n++];
  for (int i = 0; i < 3; i++) x[i] = t->x[i] + pl_dot3(t->Q + 3 * i, local);
  x[3] = rho;
}

// what the facets of the zoo were made of, told once more
static void cloud_triangle(cloud *c, const pl_pose *t, const double *a, const double *b,
                           const double *d, int n, double rho) {
  for (int i = 0; i <= n; i++)
    for (int j = 0; i + j <= n; j++) {
      double x[3];
      for (int k = 0; k < 3; k++) x[k] = a[k] + ((b[k] - a[k]) * i + (d[k] - a[k]) * j) / n;
      cloud_add(c, t, x, rho);
    }
}

static void on_circle(int k, int n, double R, double z, double x[3]) {
  x[0] = R * cos(2 * PL_PI * k / n);
  x[1] = R * sin(2 * PL_PI * k / n);
  x[2] = z;
}

static void on_torus(int i, int j, double x[3]) {
  double a = 2 * PL_PI * i / 12, b = 2 * PL_PI * j / 8;
  x[0] = (3.5 + 0.8 * cos(b)) * cos(a);
  x[1] = (3.5 + 0.8 * cos(b)) * sin(a);
  x[2] = 0.8 * sin(b);
}

static void fill_cloud(const zoo *z, int kind, const pl_pose *t, cloud *c) {
  static const double x[3][3] = {{-3, 0, 0}, {0.2, 0.5, 0.1}, {2, -2, 1}};
  const pl_piece *p = &z->p[kind];
  c->n = 0;
  if (kind < 3) {
    double big = fmax(p->radius, p->height), thin = fmin(p->radius, p->height);
    for (int i = 0; i < 400; i++)
      for (int j = -4; j <= 4; j++) {
        if (kind != 1 && j != 0) continue;
        pl_swept s;
        double end = kind == 1 ? sqrt(big * big - thin * thin) / big : 0;
        pl_piece_at(p, (double[2]){2 * PL_PI * i / 400, end * j / 4}, &s);
        cloud_add(c, t, s.p, s.rho);
      }
  } else if (kind == 3) {
    for (int k = 0; k < 12; k++) {
      double a[3], b[3];
      on_circle(k, 12, 4, 0, a);
      on_circle(k + 1, 12, 4, 0, b);
      cloud_triangle(c, t, a, b, b, 15, 0.4);
    }
  } else if (kind == 4) {
    double o[3] = {0, 0, 0.7};
    for (int k = 0; k < 6; k++) {
      double a[3], b[3];
      on_circle(k, 6, 4, 0.7, a);
      on_circle(k + 1, 6, 4, 0.7, b);
      cloud_triangle(c, t, o, a, b, 30, 0.25);
    }
  } else if (kind == 5) {
    for (int i = 0; i < 12; i++)
      for (int j = 0; j < 8; j++) {
        double q[4][3];
        on_torus(i, j, q[0]);
        on_torus(i + 1, j, q[1]);
        on_torus(i + 1, j + 1, q[2]);
        on_torus(i, j + 1, q[3]);
        cloud_triangle(c, t, q[0], q[1], q[2], 8, 0.1);
        cloud_triangle(c, t, q[0], q[2], q[3], 8, 0.1);
      }
  } else if (kind == 6) {
    cloud_triangle(c, t, x[0], x[1], x[1], 60, 0.5);
    cloud_triangle(c, t, x[1], x[2], x[2], 60, 0.5);
  } else if (kind == 7) {
    cloud_triangle(c, t, x[0], x[1], x[2], 50, 0.3);
  } else {
    cloud_add(c, t, x[0], 0.3);
  }
}

static double sampled_gap(const cloud *a, const cloud *b) {
  double least = 1e9;
  for (int i = 0; i < a->n; i++)
    for (int j = 0; j < b->n; j++) {
      double w[3];
      pl_sub3(a->x[i], b->x[j], w);
      double range = least + a->x[i][3] + b->x[j][3], far = pl_dot3(w, w);
      if (range > 0 && far < range * range) least = sqrt(far) - a->x[i][3] - b->x[j][3];
    }
  return least;
}

static void nearest(void **state) {
  (void)state;
  pl_rng r;
  zoo z;
  static cloud a, b;
  zoo_open(&z);
  pl_rng_seed(&r, 3);
  int apart = 0;
  for (int round = 0; round < 2 * KINDS * KINDS; round++) {
    int i = round % KINDS, j = round / KINDS % KINDS;
    pl_pose at = random_pose(&r, 3.5), bt = random_pose(&r, 3.5);
    pl_approach approach[PL_APPROACH_MAX];
    if (i < 3 && j < 3) continue;
    int n = pl_piece_gaps(&z.p[i], &at, &z.p[j], &bt, 100, approach);
    fill_cloud(&z, i, &at, &a);
    fill_cloud(&z, j, &bt, &b);
    double want = sampled_gap(&a, &b);
    assert_true(n >= 1);
    if (want < 0.1) { // overlaps are found, whatever their depth
      if (approach[0].gap > 0.12)
        fail_msg("kinds %d %d: %.6f is no overlap", i, j, approach[0].gap);
      continue;
    }
    apart++;
    if (approach[0].gap > want + 1e-9 || approach[0].gap < want - 0.1)
      fail_msg("round %d, kinds %d %d: %.6f, sampled %.6f", round, i, j, approach[0].gap, want);
  }
  assert_true(apart > 50);
  zoo_close(&z);
}

static pl_pose displaced(const pl_pose *p, const double *m, double t) {
  pl_pose out = *p;
  double R[9];
  for (int i = 0; i < 3; i++) out.x[i] += t * m[i];
  pl_rotation3(m + 3, t * pl_norm3(m + 3), R);
  pl_mul3(R, p->Q, out.Q);
  return out;
}

// Every local minimum, by motions of both; where it passes from one part to the next on the way the
// second derivative jumps, and is not compared.
static void derivatives(void **state) {
  (void)state;
  pl_rng r;
  zoo z;
  zoo_open(&z);
  pl_rng_seed(&r, 4);
  int done[KINDS][KINDS] = {{0}};
  for (int round = 0; round < 10 * KINDS * KINDS; round++) {
    int i = round % KINDS, j = round / KINDS % KINDS;
    const pl_piece *a = &z.p[i], *b = &z.p[j];
    pl_pose at = random_pose(&r, 4.5), bt = random_pose(&r, 4.5);
    pl_approach approach[PL_APPROACH_MAX];
    if (i < 3 && j < 3) continue;
    int n = pl_piece_gaps(a, &at, b, &bt, 100, approach);
    for (int k = 0; k < n; k++) {
      double m[12], g[12], H[12][12], value[5], h = 2e-4;
      if (approach[k].gap < 0.1) continue;
      for (int c = 0; c < 12; c++) m[c] = pl_rng_uniform(&r, -1, 1);
      pl_piece_derivatives(a, &at, b, &bt, &approach[k], g, H);
      int same = 1;
      for (int c = -2; c <= 2; c++) {
        pl_pose ma = displaced(&at, m, c * h), mb = displaced(&bt, m + 6, c * h);
        pl_approach t = approach[k];
        same = same && pl_piece_follow(a, &ma, b, &mb, &t) && t.on[0] == approach[k].on[0] &&
               t.on[1] == approach[k].on[1];
        value[c + 2] = t.gap;
      }
      if (!same) continue;
      double first = (8 * (value[3] - value[1]) - (value[4] - value[0])) / (12 * h);
      double second =
          (16 * (value[3] + value[1]) - (value[4] + value[0]) - 30 * value[2]) / (12 * h * h);
      double got = 0;
      for (int c = 0; c < 12; c++) got += m[c] * pl_dot(12, H[c], m);
      if (fabs(second) > 30) continue; // flat minima move fast
      check_close(pl_dot(12, g, m), first, 1e-7 * (1 + fabs(first)));
      check_close(got, second, 2e-5 * (1 + fabs(second)));
      done[i][j]++;
    }
  }
  for (int i = 0; i < KINDS; i++)
    for (int j = 0; j < KINDS; j++)
      if ((i > 2 || j > 2) && done[i][j] + done[j][i] < 5) fail_msg("kinds %d %d", i, j);
  zoo_close(&z);
}

// A contact is followed from face to edge to corner: the gap and its slope are continuous.
static void passing(void **state) {
  (void)state;
  zoo z;
  zoo_open(&z);
  pl_approach approach[PL_APPROACH_MAX];
  const pl_piece *ball = &z.p[8], *plane = &z.p[4];
  double before = 0, slope = 0;
  pl_pose still = pose_at(0, 0, 0, Z_AXIS, 0);
  pl_approach t = {0};
  int parts = 0, last = -1;
  for (int k = 0; k <= 600; k++) {
    pl_pose at = pose_at(3 + 0.01 * k, 0.05 + 0.002 * k, 1.7, Z_AXIS, 0);
    double g[12];
    if (k == 0) {
      assert_int_equal(pl_piece_gaps(ball, &at, plane, &still, 9, approach), 1);
      t = approach[0];
    } else {
      assert_true(pl_piece_follow(ball, &at, plane, &still, &t));
    }
    pl_piece_derivatives(ball, &at, plane, &still, &t, g, NULL);
    double now = 0.01 * g[0] + 0.002 * g[1];
    if (k > 0) check_close(t.gap - before, (now + slope) / 2, 2e-5);
    assert_true(pl_piece_gaps(ball, &at, plane, &still, 9, approach) > 0);
    check_close(approach[0].gap, t.gap, 1e-12);
    before = t.gap;
    slope = now;
    parts += t.on[1] != last;
    last = t.on[1];
  }
  assert_true(parts >= 3);
  zoo_close(&z);
}

// Plates that lie on each other touch in all corners, and capsules beside each other at both ends.
static void parallel(void **state) {
  (void)state;
  zoo z;
  zoo_open(&z);
  pl_approach approach[PL_APPROACH_MAX];
  pl_pose a = pose_at(0, 0, 0, Z_AXIS, 0), b = pose_at(0.3, 0.1, 1, Z_AXIS, 20);
  int n = pl_piece_gaps(&z.p[4], &a, &z.p[4], &b, 1, approach);
  assert_true(n >= 6);
  for (int k = 0; k < n; k++) check_close(approach[k].gap, 0.5, 1e-12);
  // a lean of a hundredth, and none is lost
  b = pose_at(0.3, 0.1, 1, X_AXIS, 0.5);
  assert_true(pl_piece_gaps(&z.p[4], &a, &z.p[4], &b, 1, approach) >= 6);
  assert_true(approach[0].gap < 0.5 - 0.02 && approach[0].gap > 0.5 - 0.04);
  void *buffer;
  const double x[2][3] = {{0, 0, 0}, {3, 0, 0}};
  const int along[1][2] = {{0, 1}};
  pl_piece p = facets(2, x, 1, along, 0, NULL, 0.2, &buffer);
  b = pose_at(1, 0, 0.6, Z_AXIS, 0);
  assert_int_equal(pl_piece_gaps(&p, &a, &p, &b, 1, approach), 2);
  for (int k = 0; k < 2; k++) check_close(approach[k].gap, 0.2, 1e-12);
  free(buffer);
  zoo_close(&z);
}

// Bodies that go through each other, however far their corners are.
static void through(void **state) {
  (void)state;
  zoo z;
  zoo_open(&z);
  pl_approach approach[PL_APPROACH_MAX];
  void *buffer;
  const double x[2][3] = {{0, 0, -30}, {0.1, 0.2, 30}};
  const int along[1][2] = {{0, 1}};
  pl_piece needle = facets(2, x, 1, along, 0, NULL, 0.01, &buffer);
  pl_pose a = pose_at(0, 0, 0, Z_AXIS, 0), b = pose_at(1, 0.7, 0.3, X_AXIS, 20);
  assert_true(pl_piece_gaps(&needle, &b, &z.p[4], &a, 0.1, approach) > 0);
  assert_true(approach[0].gap < 0);
  assert_true(pl_piece_gaps(&z.p[4], &a, &needle, &b, 0.1, approach) > 0);
  assert_true(approach[0].gap < 0);
  // a ring through a plate
  b = pose_at(3, 0, 0, X_AXIS, 80);
  assert_true(pl_piece_gaps(&z.p[0], &b, &z.p[4], &a, 0.1, approach) > 0);
  assert_true(approach[0].gap < 0);
  free(buffer);
  zoo_close(&z);
}

// Fine polygons and meshes of rings touch where rings do.
static void convergence(void **state) {
  (void)state;
  pl_piece round = ring(0, 0, 0, 0, 0, 1, 4, 1, 1);
  pl_pose a = pose_at(0, 0, 0, X_AXIS, 0), b = pose_at(5.5, 0.3, 0.2, X_AXIS, 80);
  pl_approach approach[PL_APPROACH_MAX];
  assert_true(pl_piece_gaps(&round, &a, &round, &b, 1, approach) > 0);
  double want = approach[0].gap;
  for (int n = 16; n <= 128; n *= 2) {
    void *buffer;
    pl_piece p = polygon(n, 4, 1, &buffer);
    double sagitta = 4 * (1 - cos(PL_PI / n));
    assert_true(pl_piece_gaps(&p, &a, &round, &b, 1, approach) > 0);
    check_close(approach[0].gap, want, 1.1 * sagitta);
    assert_true(pl_piece_gaps(&p, &a, &p, &b, 1, approach) > 0);
    check_close(approach[0].gap, want, 2.2 * sagitta);
    free(buffer);
  }
  void *buffer;
  pl_piece p = torus_mesh(40, 24, 4, 0.95, 0.05, &buffer);
  assert_true(pl_piece_gaps(&p, &a, &p, &b, 1, approach) > 0);
  check_close(approach[0].gap, want, 0.04);
  free(buffer);
}

static void links(void **state) {
  (void)state;
  void *buffer[3];
  pl_piece p[4] = {ring(0, 0, 0, 0, 0, 1, 4, 0.5, 0.5), polygon(12, 4, 0.5, &buffer[0]),
                   torus_mesh(12, 8, 4, 0.5, 0.05, &buffer[1]), plate(6, 4, 0, 0.2, &buffer[2])};
  pl_pose a = pose_at(0, 0, 0, X_AXIS, 0);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int far = 0; far < 2; far++) {
        pl_pose b = pose_at(far ? 20 : 5, 0, 0, X_AXIS, 90);
        assert_int_equal(abs(pl_piece_links(&p[i], &a, &p[j], &b)), !far && i < 3 && j < 3);
      }
  for (int k = 0; k < 3; k++) free(buffer[k]);
}

// Two ways to the same distance: local minima, and points alone.
static void twice(void **state) {
  (void)state;
  pl_rng r;
  zoo z;
  zoo_open(&z);
  pl_rng_seed(&r, 9);
  int apart = 0;
  for (int round = 0; round < 2 * KINDS * KINDS; round++) {
    int i = round % KINDS, j = round / KINDS % KINDS;
    pl_pose at = random_pose(&r, 4), bt = random_pose(&r, 4);
    pl_approach approach[PL_APPROACH_MAX];
    const pl_mail_element a = {1, &z.p[i]}, b = {1, &z.p[j]};
    if (pl_piece_gaps(a.piece, &at, b.piece, &bt, 100, approach) == 0 || approach[0].gap < 0)
      continue;
    apart++;
    check_close(pl_element_gap(&a, &at, &b, &bt, 100), approach[0].gap, 1e-6);
    int links = pl_piece_links(a.piece, &at, b.piece, &bt);
    assert_int_equal(pl_element_links(&a, &at, &b, &bt), abs(links));
  }
  assert_true(apart > 40);
  zoo_close(&z);
}

static double volume_of(int n, const pl_piece *p) {
  pl_env env;
  double volume, centre[3];
  int upper;
  pl_env_init(&env);
  check_ok(&env, pl_mail_volume(&env, &(pl_mail_element){n, p}, &volume, centre, &upper));
  assert_int_equal(upper, 0);
  return volume;
}

// Closed forms; unions count once what their pieces share.
static void volumes(void **state) {
  (void)state;
  void *buffer[5];
  double want = 2 * PL_PI * PL_PI * 4 * 0.25;
  sample_mail s;
  pl_piece p[2] = {ring(0, 0, 0, 0, 0, 1, 4, 0.5, 0.5), ring(0, 0, 0, 0, 0, 1, 4, 0.5, 0.5)};
  check_close(volume_of(1, p), want, 1e-12);
  check_close(volume_of(2, p), want, 1e-12);
  p[1] = polygon(96, 4, 0.5, &buffer[0]);
  check_close(volume_of(1, &p[1]), want, 2e-3 * want);
  check_close(volume_of(2, p), want, 2e-2 * want);
  p[1] = torus_mesh(40, 24, 4, 0.4, 0.1, &buffer[1]);
  check_close(volume_of(1, &p[1]), want, 0.015 * want);
  // a circle told by a curve
  torus_knot(&s, 0.5);
  memset(s.cosine, 0, sizeof s.cosine);
  memset(s.sine, 0, sizeof s.sine);
  s.cosine[0][0] = s.sine[0][1] = 4;
  check_close(volume_of(1, s.piece), want, 1e-9);
  p[1] = s.piece[0];
  check_close(volume_of(2, p), want, 2e-2 * want);
  // 2 A r + pi r^2 P / 2 + 4/3 pi r^3
  p[0] = plate(6, 2, 0, 0.25, &buffer[2]);
  double area = 1.5 * sqrt(3) * 4, round = 12;
  check_close(volume_of(1, p), 0.5 * area + PL_PI / 32 * round + PL_PI / 48, 1e-9);
  // a capsule, bent by a right angle: what both arms share is left out
  const double x[3][3] = {{0, 0, 0}, {5, 0, 0}, {5, 5, 0}};
  const int along[2][2] = {{0, 1}, {1, 2}};
  p[0] = facets(2, x, 1, along, 0, NULL, 1, &buffer[3]);
  check_close(volume_of(1, p), 5 * PL_PI + 4 * PL_PI / 3, 1e-12);
  p[0] = facets(3, x, 2, along, 0, NULL, 1, &buffer[4]);
  check_close(volume_of(1, p), 10 * PL_PI + 4 * PL_PI / 3 + PL_PI / 3 - 4.0 / 3, 1e-12);
  // rings that are apart
  p[0] = ring(0, 0, 0, 0, 0, 1, 4, 0.5, 0.7);
  p[1] = ring(9, 0, 0, 0, 0, 1, 3, 0.5, 0.5);
  check_close(volume_of(2, p), 2 * PL_PI * PL_PI * (4 * 0.35 + 3 * 0.25), 1e-9);
  for (int k = 0; k < 5; k++) free(buffer[k]);
}

static void faults(void **state) {
  (void)state;
  void *buffer;
  const double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, line[3][3] = {{0}, {1}, {2}};
  const int all[5][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}, {0, 1, 3}};
  pl_piece p = facets(4, x, 0, NULL, 4, all, 0.1, &buffer);
  assert_null(pl_facets_fault(p.facets, 1));
  free(buffer);
  p = facets(4, x, 0, NULL, 3, all, 0.1, &buffer);
  assert_null(pl_facets_fault(p.facets, 0));
  assert_string_equal(pl_facets_fault(p.facets, 1), "it is not closed");
  free(buffer);
  p = facets(4, x, 0, NULL, 5, all, 0.1, &buffer);
  assert_string_equal(pl_facets_fault(p.facets, 0), "more than two triangles meet in an edge");
  free(buffer);
  // two tetrahedra, each closed: apart, within each other, and one through the other
  double two[8][3];
  int both[8][3];
  for (int k = 0; k < 4; k++)
    for (int c = 0; c < 3; c++) {
      two[k][c] = x[k][c];
      both[k][c] = all[k][c];
      both[k + 4][c] = 4 + all[k][c];
    }
  static const double size[3] = {1, 0.1, 1}, by[3] = {2, 0.1, 0.2};
  for (int way = 0; way < 3; way++) {
    for (int k = 0; k < 4; k++)
      for (int c = 0; c < 3; c++) two[k + 4][c] = size[way] * x[k][c] + by[way];
    p = facets(8, (const double(*)[3])two, 0, NULL, 8, (const int(*)[3])both, 0.1, &buffer);
    assert_int_equal(pl_facets_fault(p.facets, 1) != NULL, way == 2);
    free(buffer);
  }
  p = facets(3, line, 0, NULL, 1, (const int[1][3]){{0, 1, 2}}, 0.1, &buffer);
  assert_string_equal(pl_facets_fault(p.facets, 0), "a triangle is a line");
  free(buffer);
}

int test_facets(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nearest), cmocka_unit_test(derivatives),
                                     cmocka_unit_test(passing), cmocka_unit_test(parallel),
                                     cmocka_unit_test(through), cmocka_unit_test(convergence),
                                     cmocka_unit_test(links),   cmocka_unit_test(volumes),
                                     cmocka_unit_test(twice),   cmocka_unit_test(faults)};
  return cmocka_run_group_tests_name("facets", tests, NULL, NULL);
}
