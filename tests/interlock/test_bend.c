#include "mails.h"

#include "taut_impl.h"

// Bending limits of periodic cells: cylinders.

static pl_taut_goal bent(double degrees, double sign) {
  return pl_taut_bend(degrees * PL_PI / 180, sign);
}

static pl_taut solve(const sample_mail *s, int copies, const pl_taut_goal *g) {
  pl_env env;
  pl_cell *c;
  pl_taut t;
  pl_taut_opts o = taut_defaults();
  pl_env_init(&env);
  check_ok(&env, pl_cell_create(&env, &s->m, copies, copies, &c));
  check_ok(&env, pl_cell_taut(c, &o, g, &t));
  pl_cell_free(c);
  return t;
}

static pl_taut numbers(const sample_mail *s, double degrees, double sign) {
  pl_env env;
  pl_taut_goal g = bent(degrees, sign);
  g.starts = 3;
  pl_taut t = solve(s, 1, &g);
  pl_env_init(&env);
  pl_free(&env, t.contact);
  pl_free(&env, t.pose);
  return t;
}

// ---- where images are, and how they move --------------------------------------------------------

// translation and rotation from one pose to another
static void motion_from(const pl_pose *a, const pl_pose *b, double out[6]) {
  double R[9], w[3];
  for (int i = 0; i < 3; i++) {
    out[i] = b->x[i] - a->x[i];
    for (int j = 0; j < 3; j++) R[3 * i + j] = pl_dot3(b->Q + 3 * i, a->Q + 3 * j);
  }
  w[0] = (R[7] - R[5]) / 2;
  w[1] = (R[2] - R[6]) / 2;
  w[2] = (R[3] - R[1]) / 2;
  double size = pl_norm3(w), f = size > 1e-12 ? asin(size) / size : 1;
  for (int i = 0; i < 3; i++) out[3 + i] = f * w[i];
}

// the image after motions of its own and of the sheet
static pl_pose displaced(const taut *t, const state *s, const pair *p, const double *z) {
  pl_pose pose[2] = {s->pose[0], s->pose[1]}, out, *q = &pose[p->j];
  state to = {.pose = pose};
  double R[9], Q[9];
  for (int k = 0; k < 3; k++) q->x[k] += z[k];
  pl_rotation3(z + 3, pl_norm3(z + 3), R);
  pl_mul3(R, q->Q, Q);
  memcpy(q->Q, Q, sizeof Q);
  for (int k = 0; k < t->nfree; k++) to.e[k] = s->e[k] + z[6 + k];
  t->place->settle(t, &to);
  t->place->image(t, &to, p, &out);
  return out;
}

// First derivatives of an image's motion, and second ones times a force.
static void check_motion_map(const taut *t, const state *s, const pair *p) {
  enum { N = 10 };
  const double h = 1e-4, g[6] = {0.3, -0.7, 1.1, 0.4, 0.9, -0.6};
  double z[N] = {0};
  motion_map c;
  pl_pose at = displaced(t, s, p, z);
  t->place->transport(t, s, p, 1, g, &c);
  for (int i = 0; i < 6 + t->nfree; i++) {
    double m[2][6];
    for (int side = 0; side < 2; side++) {
      z[i] = side ? h : -h;
      pl_pose there = displaced(t, s, p, z);
      motion_from(&at, &there, m[side]);
    }
    for (int k = 0; k < 6; k++)
      check_close(i < 6 ? c.A[k][i] : c.G[k][i - 6], (m[1][k] - m[0][k]) / (2 * h), 2e-6);
    z[i] = 0;
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int corner = 0; corner < 4; corner++) {
        z[i] += corner / 2 ? h : -h;
        z[j] += corner % 2 ? h : -h;
        pl_pose there = displaced(t, s, p, z);
        motion_from(&at, &there, m[0]);
        sum += (corner == 0 || corner == 3 ? 1 : -1) * pl_dot(6, g, m[0]);
        z[i] = z[j] = 0;
      }
      check_close(c.K[i][j], sum / (4 * h * h), 2e-5);
      check_close(c.K[j][i], c.K[i][j], 0);
    }
  }
}

static void derivatives(void **fixture) {
  (void)fixture;
  pl_env env;
  pl_cell *c;
  sample_mail m;
  pl_rng r;
  pl_env_init(&env);
  pl_rng_seed(&r, 1);
  four_in_one(&m);
  check_ok(&env, pl_cell_create(&env, &m.m, 1, 1, &c));
  c->range = 1; // so that curvatures are as large as strains
  for (int round = 0; round < 20; round++) {
    pl_taut_goal g = bent(17 * round, 1);
    pl_pose pose[2];
    state s = {.pose = pose};
    taut t = {.c = c, .g = &g, .place = &placing_cylinder, .nfree = 4, .unit = 1};
    // with curvatures near none, where series are used
    for (int k = 0; k < 4; k++) s.e[k] = pl_rng_uniform(&r, -0.1, 0.1) * (k == 3 ? 1 : 0.5);
    if (round % 4 == 0) s.e[3] *= 1e-3;
    for (int k = 0; k < 2; k++) {
      double axis[3], angle = pl_rng_uniform(&r, -2, 2);
      for (int i = 0; i < 3; i++) {
        pose[k].x[i] = pl_rng_uniform(&r, -1, 1);
        axis[i] = pl_rng_uniform(&r, -1, 1);
      }
      pl_rotation3(axis, angle, pose[k].Q);
    }
    const pair p = {.i = round % 2, .j = 1, .cell = {0, 1}, .shift = {0, 6}};
    check_motion_map(&t, &s, &p);
  }
  pl_cell_free(c);
}

// z of a paraboloid, which both bodies share
static void paraboloid(void **fixture) {
  (void)fixture;
  pl_env env;
  pl_cell *c;
  sample_mail m;
  pl_env_init(&env);
  four_in_one(&m);
  check_ok(&env, pl_cell_create_disk(&env, &m.m, 3, &c));
  pl_pose pose[2] = {pose_at(1.5, 0.7, 0, X_AXIS, 30), pose_at(-0.4, 2.1, 0, Z_AXIS, 70)};
  pl_taut_goal g = pl_taut_bend_disk(0.4, 1);
  state s = {.e = {-0.2, 0.3}, .pose = pose};
  taut t = {.c = c, .g = &g, .place = &placing_disk, .nfree = 2, .unit = 0.5};
  const pair p = {.i = 0, .j = 1};
  c->nelem = 2;
  t.place->settle(&t, &s);
  for (int k = 0; k < 2; k++) {
    double x = cos(0.4) * pose[k].x[0] + sin(0.4) * pose[k].x[1],
           y = cos(0.4) * pose[k].x[1] - sin(0.4) * pose[k].x[0];
    check_close(pose[k].x[2], 0.5 * (0.3 * x * x - 0.2 * y * y) / 2, 1e-14);
  }
  check_motion_map(&t, &s, &p);
  pl_cell_free(c);
}

// ---- limits -------------------------------------------------------------------------------------

// Wires by another routine: images about an axis at 1 / curvature, points of all wires of all pairs
// of elements whose places in the sheet are less than half a turn apart. Sampled gaps are a little
// larger than gaps, if anything.
enum { SAMPLES = 240 };

typedef struct wire {
  int n;
  double x[3 * SAMPLES][4]; // points and radii about them
  double middle[4], reach;  // a ball about all of it
} wire;

// In the frame of the cell along the angle, across it and up; medial axes of elliptic sections by
// three points.
static void sample_wire(const pl_piece *p, const pl_pose *at, double angle, wire *w) {
  int deep = pl_piece_nu(p) - 1;
  double a = fmin(p->radius, p->height), b = fmax(p->radius, p->height);
  double end = deep ? sqrt(b * b - a * a) / b : 0;
  *w = (wire){.n = 0};
  for (int i = 0; i < SAMPLES; i++)
    for (int j = -deep; j <= deep; j++) {
      pl_swept s;
      double y[3], *x = w->x[w->n++];
      pl_piece_at(p, (double[2]){2 * PL_PI * i / SAMPLES, j * end}, &s);
      for (int c = 0; c < 3; c++) y[c] = at->x[c] + pl_dot3(at->Q + 3 * c, s.p);
      x[0] = cos(angle) * y[0] + sin(angle) * y[1];
      x[1] = cos(angle) * y[1] - sin(angle) * y[0];
      x[2] = y[2];
      x[3] = s.rho;
      for (int c = 0; c < 3; c++) w->middle[c] += x[c] / SAMPLES / (1 + 2 * deep);
    }
  for (int i = 0; i < w->n; i++) {
    double arm[3];
    pl_sub3(w->x[i], w->middle, arm);
    w->reach = fmax(w->reach, pl_norm3(arm) + w->x[i][3]);
  }
}

// a point rolled about the cylinder by an arc u, and moved by v along it
static void roll_point(double k, double u, double v, const double *x, double *out) {
  double up = x[2] - 1 / k;
  out[0] = cos(k * u) * x[0] - sin(k * u) * up;
  out[1] = x[1] + v;
  out[2] = sin(k * u) * x[0] + cos(k * u) * up + 1 / k;
}

static double wire_gap(const wire *a, const wire *b, double k, double u, double v) {
  double least = HUGE_VAL, q[3], w[3];
  roll_point(k, u, v, b->middle, q);
  pl_sub3(a->middle, q, w);
  if (pl_norm3(w) > a->reach + b->reach) return least;
  for (int j = 0; j < b->n; j++) {
    roll_point(k, u, v, b->x[j], q);
    for (int i = 0; i < a->n; i++) {
      pl_sub3(a->x[i], q, w);
      least = fmin(least, pl_norm3(w) - a->x[i][3] - b->x[j][3]);
    }
  }
  return least;
}

// An offset of the flat sheet, stretched: along the angle and across it.
static void stretched(const pl_taut *t, const double x[2], double out[2]) {
  const double *S = t->stretch, c = cos(t->angle), s = sin(t->angle);
  double y[2] = {(1 + S[0]) * x[0] + S[2] * x[1], S[2] * x[0] + (1 + S[1]) * x[1]};
  out[0] = c * y[0] + s * y[1];
  out[1] = c * y[1] - s * y[0];
}

static double sampled_gap(const pl_mail *m, const pl_taut *t) {
  enum { CELLS = 6, MOST = 64 };
  static wire w[MOST];
  double least = HUGE_VAL, k = t->curvature[0] + t->curvature[1];
  int n = 0, of[MOST];
  for (int i = 0; i < m->nelem; i++)
    for (int p = 0; p < m->kind[m->kind_of[i]].npiece; p++) {
      const pl_piece *piece = &m->kind[m->kind_of[i]].piece[p];
      if (piece->kind == PL_PIECE_FACETS) continue;
      of[n] = i;
      sample_wire(piece, &t->pose[i], t->angle, &w[n++]);
    }
  for (int a = -CELLS; a <= CELLS; a++)
    for (int b = -CELLS; b <= CELLS; b++)
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
          double x[2], cell[2], apart[2];
          if (of[i] == of[j] && a == 0 && b == 0) continue;
          for (int c = 0; c < 2; c++) x[c] = a * m->lattice[0][c] + b * m->lattice[1][c];
          stretched(t, x, cell);
          for (int c = 0; c < 2; c++) x[c] += m->pose[of[j]].x[c] - m->pose[of[i]].x[c];
          stretched(t, x, apart);
          if (fabs(k * apart[0]) < PL_PI)
            least = fmin(least, wire_gap(&w[i], &w[j], k, cell[0], cell[1]));
        }
  return least;
}

// No two elements of any family overlap that are within half a turn, folded or not.
static void families(void **fixture) {
  (void)fixture;
  enum { GOALS = 6 };
  static const int one[2] = {1, 1};
  static const double degrees[GOALS] = {0, 45, 45, 90, 90, 135},
                      sign[GOALS] = {1, 1, -1, 1, -1, -1};
  static pl_mail_data s;
  pl_env env;
  pl_taut_opts o = taut_defaults();
  pl_taut_goal goal[GOALS];
  pl_env_init(&env);
  for (int k = 0; k < GOALS; k++) {
    goal[k] = bent(degrees[k], sign[k]);
    goal[k].starts = 2;
  }
  for (int f = 0; f < PL_MAIL_COUNT; f++) {
    double value[PL_KEY_MAX];
    pl_taut t[GOALS];
    int solved[GOALS];
    for (int k = 0; k < pl_mail_table[f]->nkey; k++) value[k] = pl_mail_table[f]->key[k].value;
    pl_mail_table[f]->make(value, &s);
    check_ok(&env, pl_mail_taut(&env, &s.m, one, &o, GOALS, goal, 2, t, solved));
    for (int k = 0; k < GOALS; k++) {
      pl_mail_verdict v;
      assert_true(solved[k]);
      pl_mail_verify(&s.m, one, &t[k], &v);
      check_less(-1e-12, v.gap);
      assert_int_equal(v.links_changed, 0);
      check_less(-1e-12, sampled_gap(&s.m, &t[k]));
      pl_taut_free(&env, &t[k]);
    }
  }
}

// Torus knots: symmetries of the lattice, units, and numbers that were published with coarse meshes
// (97 to 109 along bonds, 40 between, 1/m).
static void knots(void **fixture) {
  (void)fixture;
  pl_env env;
  sample_mail s;
  pl_env_init(&env);
  torus_knot(&s, 1.5);
  double along = numbers(&s, 0, 1).value, between = numbers(&s, 45, 1).value;
  check_close(along, 0.10759, 2e-4);
  check_close(between, 0.0369, 2e-4);
  check_close(numbers(&s, 90, 1).value, along, 1e-6);
  check_close(numbers(&s, 180, -1).value, along, 1e-6);
  // upside down it is another quarter of a turn
  check_close(numbers(&s, 15, 1).value, numbers(&s, 75, -1).value, 1e-6);
  pl_mail_table[PL_MAIL_torus_knot]->make((double[]){5.5e-3, 2.7e-3, 1.5e-3, 38.5e-3 / 3}, &s);
  check_close(numbers(&s, 0, 1).value, 1e3 * along, 1e-3);
  // no wires meet in the state that is told, as another routine sees it, and some nearly do
  torus_knot(&s, 1.5);
  pl_taut_goal g = bent(15, -1);
  pl_taut t = solve(&s, 1, &g);
  assert_true(!t.folds && t.e[3] < 0);
  check_close(t.curvature[0] + t.curvature[1], t.e[3], 1e-6);
  double gap = sampled_gap(&s.m, &t);
  assert_true(gap > 0);
  check_less(gap, 0.01);
  pl_taut_free(&env, &t);
  // forces tell what a thinner wire gains
  g = bent(0, 1);
  t = solve(&s, 1, &g);
  double gain = 0, h = 1e-4, value[2];
  for (int k = 0; k < t.ncontact; k++) gain += 2 * t.contact[k].force;
  for (int side = 0; side < 2; side++) {
    torus_knot(&s, 1.5 - (side ? h : -h));
    pl_taut other = solve(&s, 1, &g);
    value[side] = other.value;
    pl_taut_free(&env, &other);
  }
  check_rel(gain, (value[1] - value[0]) / (2 * h), 1e-4);
  pl_taut_free(&env, &t);
}

// Elliptic sections of threefold chainmail keep it from being bent to a cylinder.
static void sections(void **fixture) {
  (void)fixture;
  sample_mail s;
  threefold(&s, 0.95, 0.95);
  pl_taut round = numbers(&s, 30, 1);
  check_close(round.value, 0.08318, 1e-4);
  check_close(numbers(&s, 90, -1).value, round.value, 1e-5);
  threefold(&s, 1.5, 1.4);
  pl_taut tall = numbers(&s, 30, 1), other = numbers(&s, 90, -1);
  check_close(tall.value, 0.01687, 1e-5);
  check_close(other.value, tall.value, 5e-6);
  assert_true(round.certified && tall.certified && other.certified);
}

// Plates of scale mail stop it early on one side; published, of faceted elements: 19 to 24 up, 88
// to 91 down at every 60 degrees and more between (1/m).
static void scales(void **fixture) {
  (void)fixture;
  sample_mail s;
  double value[PL_KEY_MAX];
  const pl_mail_family *f = pl_mail_table[PL_MAIL_scale_mail];
  for (int k = 0; k < f->nkey; k++) value[k] = f->key[k].value;
  f->make(value, &s);
  pl_taut up = numbers(&s, 0, 1), down = numbers(&s, 0, -1), between = numbers(&s, 30, -1);
  assert_true(up.certified && down.certified && !up.folds && !down.folds);
  check_close(up.value, 21.5, 2.5);
  check_close(down.value, 89, 3);
  check_less(1.2 * down.value, between.value);
  check_close(numbers(&s, 60, 1).value, up.value, 1e-3);
  check_close(numbers(&s, 120, -1).value, down.value, 1e-3);
}

// What is bent by its loose rings folds, in larger cells, too.
static void folds(void **fixture) {
  (void)fixture;
  sample_mail s;
  four_in_one(&s);
  pl_taut up = numbers(&s, 0, 1), down = numbers(&s, 0, -1);
  assert_true(up.folds && down.folds);
  check_close(up.value, down.value, 1e-5);
  pl_env env;
  pl_env_init(&env);
  pl_taut_goal g = bent(0, 1);
  pl_taut larger = solve(&s, 2, &g);
  assert_true(larger.folds);
  check_less(up.value, larger.value + 1e-4);
  pl_mail_verdict v;
  pl_mail_verify(&s.m, (const int[]){2, 2}, &larger, &v);
  check_less(-1e-9, v.gap);
  assert_int_equal(v.links_changed, 0);
  pl_taut_free(&env, &larger);
  chain(&s, 5.5, 4, 1);
  assert_true(numbers(&s, 0, 1).folds);
}

static pl_taut patch(const sample_mail *s, int across, double degrees, double sign) {
  pl_env env;
  pl_cell *c;
  pl_taut t;
  pl_taut_opts o = taut_defaults();
  pl_taut_goal g = pl_taut_bend_disk(degrees * PL_PI / 180, sign);
  pl_env_init(&env);
  check_ok(&env, pl_cell_create_disk(&env, &s->m, across, &c));
  check_ok(&env, pl_cell_taut(c, &o, &g, &t));
  double mean[3] = {0};
  for (int i = 0; i < c->nelem; i++) {
    const double *x = t.pose[i].x, *k = t.curvature, *X = c->ref[i].x;
    check_close(x[2], (k[0] * x[0] * x[0] + k[1] * x[1] * x[1]) / 2 + k[2] * x[0] * x[1], 1e-9);
    mean[0] += x[0];
    mean[1] += x[1];
    mean[2] += X[0] * x[1] - X[1] * x[0];
  }
  check_array(3, mean, ((double[]){0, 0, 0}), 1e-6);
  pl_free(&env, t.contact);
  pl_free(&env, t.pose);
  pl_cell_free(c);
  return t;
}

// Disks of scale mail slide far along their rings before they are taut: a weight of the repulsion
// that is left too soon jams them, 4 % early and without a certificate.
static void slides(void **fixture) {
  (void)fixture;
  sample_mail s;
  double value[PL_KEY_MAX];
  const pl_mail_family *f = pl_mail_table[PL_MAIL_scale_mail];
  for (int k = 0; k < f->nkey; k++) value[k] = f->key[k].value;
  f->make(value, &s);
  pl_taut down = patch(&s, 3, 90, -1);
  assert_true(down.certified && !down.folds);
  check_close(down.value, 192.685, 1e-2);
}

// Threefold chainmail bends both ways at once where its sections are elliptic, so that patches go
// further than cylinders, the less so the larger they are; and one way where they are circular.
static void patches(void **fixture) {
  (void)fixture;
  sample_mail s;
  pl_env env;
  pl_cell *c;
  pl_env_init(&env);
  static const int count[] = {1, 3, 7, 12, 19, 30, 37};
  threefold(&s, 1.5, 1.4);
  for (int k = 1; k <= 7; k++) {
    check_ok(&env, pl_cell_create_disk(&env, &s.m, k, &c));
    assert_int_equal(c->nelem, count[k - 1]);
    pl_cell_free(c);
  }
  pl_env_init(&env);
  double last = numbers(&s, 30, 1).value;
  pl_taut small = patch(&s, 3, 30, 1), large = patch(&s, 5, 30, 1), down = patch(&s, 3, 90, -1);
  // paraboloids are for disks alone
  pl_taut t;
  pl_taut_opts o = taut_defaults();
  pl_taut_goal g = pl_taut_bend_disk(0, 1);
  check_ok(&env, pl_cell_create(&env, &s.m, 1, 1, &c));
  check_status(&env, pl_cell_taut(c, &o, &g, &t), PL_E_ARG);
  pl_cell_free(c);
  check_less(last, 0.6 * large.value);
  check_less(large.value, small.value);
  check_less(small.e[0], -0.5 * small.value);
  check_close(down.value, small.value, 1e-5);
  assert_true(small.certified && down.certified);
  threefold(&s, 0.95, 0.95);
  pl_taut round = patch(&s, 5, 0, 1);
  check_less(2 * small.value, round.value);
  check_less(fabs(round.e[0]), 0.15 * round.value);
}

// how long a chain that is bent in its plane gets: rings across the plane, by so much above the
// others, and rings within it, whose wire they touch
static double planar_pitch(double k, double high, double R, double r) {
  double lo = R, hi = 2 * R;
  for (int i = 0; i < 60; i++) {
    double p = (lo + hi) / 2, x = (1 / k + high) * sin(k * p) - R,
           y = 1 / k - (1 / k + high) * cos(k * p) - high;
    *(hypot(x, y) < R - 2 * r ? &lo : &hi) = p;
  }
  return lo;
}

// A chain, long and bent: straight where curvature gains nothing, and otherwise no worse than in a
// plane, by its closed form.
static void chains(void **fixture) {
  (void)fixture;
  pl_env env;
  sample_mail s;
  pl_env_init(&env);
  chain(&s, 5.5, 4, 1);
  pl_taut_goal g = {.n = 1, .basis = {{1, 0, 0}}, .goal = {1, 0}, .shape = PL_TAUT_CYLINDER};
  pl_taut t = solve(&s, 1, &g);
  check_close(t.e[0], 6 / 5.5 - 1, 1e-6);
  check_close(t.e[1], 0, 1e-5);
  pl_taut_free(&env, &t);
  g.goal[1] = 0.2;
  t = solve(&s, 1, &g);
  double best = 0;
  for (double k = 0.01; k < 0.2; k += 0.01)
    for (double high = 0; high < 1; high += 0.02)
      best = fmax(best, planar_pitch(k, high, 4, 1) / 5.5 - 1 + 0.2 * k);
  check_close(best, 0.097, 2e-4);
  check_less(best, t.value);
  check_close(t.value, t.e[0] + 0.2 * t.e[1], 1e-12);
  pl_taut_free(&env, &t);
}

int test_bend(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives), cmocka_unit_test(paraboloid),
                                     cmocka_unit_test(patches),     cmocka_unit_test(knots),
                                     cmocka_unit_test(sections),    cmocka_unit_test(folds),
                                     cmocka_unit_test(scales),      cmocka_unit_test(chains),
                                     cmocka_unit_test(slides),      cmocka_unit_test(families)};
  return cmocka_run_group_tests_name("bend", tests, NULL, NULL);
}
