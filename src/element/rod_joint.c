// W = (E I1 (k1 - k1')^2 + E I2 (k2 - k2')^2 + G J (tau - tau')^2)/(2 L) between an edge and the
// body of a junction; Zehnder, Coros, Thomaszewski 2016, sec. 4.
#define BODY "rod_joint.inc"
#include "kernel.h"
#include "rod_impl.h"

static const pl_option par_info[] = {
    SECTION_PAR,
    WHOLE("reversed", 0, 1, "1: the edge's direction is towards the junction"),
    PAR("curvature1", 0, -1e12, 1e12, "1/m", "natural curvature towards director 1, added"),
    PAR("curvature2", 0, -1e12, 1e12, "1/m", "natural curvature towards director 2, added"),
    PAR("twist", 0, -1e12, 1e12, "rad/m", "natural twist, added to that of the reference shape"),
};

static const pl_field_info field_info[] = {
    {"moment", "N.m", "bending moment on the junction"},
    {"torque", "N.m", "twisting moment on the junction"},
};

static void section(const double *q, const double *par, const double *rest, double *force) {
  frame_d f[2];
  joint_d j;
  double stiff[3], natural[3], anchor[6], sign;
  memset(force, 0, 4 * sizeof *force);
  if (frames_d(q, par, rest, f, anchor, &sign)) return;
  if (strains_d(&f[0], &f[1], q[6] - rest[THETA_d], rest + TURN_d, &j)) return;
  elastic_d(par, rest, stiff, natural);
  for (int k = 0; k < 3; k++) force[1 + k] = stiff[k] * (j.k[k] - natural[k]);
  force[3] *= sign;
}

static void field(const double *q, const double *par, const double *rest, double *value) {
  double force[4];
  section(q, par, rest, force);
  value[0] = hypot(force[1], force[2]);
  value[1] = force[3];
}

// -s/s.s is the same rotation, with rates by the chain rule; short vectors stay off the full turn
static void shorten(double *s, double *v, double *a) {
  double ss = pl_dot3(s, s), sv = pl_dot3(s, v), rate = pl_dot3(v, v) + pl_dot3(s, a);
  for (int i = 0; ss > 1 && i < 3; i++) {
    double by = 2 * rate / (ss * ss) - 8 * sv * sv / (ss * ss * ss);
    a[i] = -a[i] / ss + 4 * v[i] * sv / (ss * ss) + by * s[i];
    v[i] = -v[i] / ss + 2 * s[i] * sv / (ss * ss);
    s[i] = -s[i] / ss;
  }
}

static void commit(double *q, double *v, double *a, const double *par, double *rest,
                   unsigned keep) {
  frame_d f[2];
  joint_d j;
  double anchor[6], sign, e[3];
  if (!(keep & 14)) shorten(q + 7, v + 7, a + 7);
  if (frames_d(q, par, rest, f, anchor, &sign)) return;
  if (strains_d(&f[0], &f[1], 0, rest + TURN_d, &j)) return;
  pl_sub3(q + 3, q, e);
  if (!(keep & 1)) rod_move_anchor(e, rest);
  rest[TURN_d] = j.k[2];
  rest[TURN_d + 1] = cos(j.k[2]);
  rest[TURN_d + 2] = sin(j.k[2]);
}

// modified Rodrigues vector of a rotation R, no longer than one (Shepperd 1978)
static void vector_of(const double *R, double *s) {
  double q[4], most = R[0] + R[4] + R[8];
  int big = 3;
  for (int i = 0; i < 3; i++)
    if (R[4 * i] > most) {
      most = R[4 * i];
      big = i;
    }
  // quaternion (x, y, z, w) from its largest part
  if (big == 3) {
    q[3] = 1 + most;
    for (int i = 0; i < 3; i++)
      q[i] = R[3 * ((i + 2) % 3) + (i + 1) % 3] - R[3 * ((i + 1) % 3) + (i + 2) % 3];
  } else {
    int j = (big + 1) % 3, k = (big + 2) % 3;
    q[big] = 1 + R[4 * big] - R[4 * j] - R[4 * k];
    q[j] = R[3 * j + big] + R[3 * big + j];
    q[k] = R[3 * k + big] + R[3 * big + k];
    q[3] = R[3 * k + j] - R[3 * j + k];
  }
  double l = sqrt(pl_dot(4, q, q)), w = fabs(q[3]) / l;
  for (int i = 0; i < 3; i++) s[i] = (q[3] < 0 ? -q[i] : q[i]) / (l * (1 + w));
}

// twist between the junction's copy and the edge at x; 0 where it is not defined
static double twist_of(const double *x, const double *par, const double *rest) {
  frame_d f[2];
  joint_d j;
  double anchor[6], sign;
  if (frames_d(x, par, rest, f, anchor, &sign)) return 0;
  if (strains_d(&f[0], &f[1], x[6] - rest[THETA_d], rest + TURN_d, &j)) return 0;
  return j.k[2];
}

// whole turns go to theta when it is not known yet, so that the twist stays
static void rotate(const double *R, const double *q, const double *par, const double *from,
                   const double *to, unsigned known, double *scal) {
  double e[3], x[10], S[9];
  memcpy(x, q, sizeof x);
  pl_sub3(q + 3, q, e);
  for (int c = 0; c < 3 && R; c++) {
    double unit[3] = {c == 0, c == 1, c == 2}, y[3];
    rotate_d(q + 7, 1, unit, y);
    for (int i = 0; i < 3; i++) S[3 * i + c] = pl_dot3(R + 3 * i, y);
    for (int a = 0; a < 2; a++) x[3 * a + c] = pl_dot3(R + 3 * c, q + 3 * a);
  }
  if (R) vector_of(S, x + 7);
  for (int i = 0; i < 3; i++)
    if (!(known >> (1 + i) & 1)) scal[1 + i] = x[7 + i];
  if (known & 1) return;
  // theta's sign is that of the edge as it is stored
  double back[3], sign = par[7] > 0.5 ? -1 : 1, a[6], b[6];
  for (int i = 0; i < 3; i++) back[i] = sign * e[i];
  for (int i = 0; i < 6; i++) a[i] = sign * from[i], b[i] = sign * to[i];
  x[6] = rod_turned(R, back, q[6], a, b);
  scal[0] = x[6] + 2 * PL_PI * rint((twist_of(q, par, from) - twist_of(x, par, to)) / (2 * PL_PI));
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[6] = {0, 0, 0, 1, 0.3, -0.2};
  pl_rng r;
  pl_sample_shape(seed, 2, 3, shape, 0.2, X, q, v);
  pl_rng_seed(&r, seed + 1000);
  rod_sample_angle(&r, 6, X, q, v);
  for (int i = 7; i < 10; i++) {
    X[i] = pl_rng_uniform(&r, -0.3, 0.3);
    q[i] = X[i] + pl_rng_uniform(&r, -0.1, 0.1);
    v[i] = pl_rng_uniform(&r, -1, 1);
  }
  rod_sample_section(seed, par);
  par[NSECTION] = seed / 2 % 2;
  for (int k = NSECTION + 1; k < NSECTION + 4; k++) par[k] = pl_rng_uniform(&r, -0.5, 0.5);
}

const pl_elem_kind pl_elem_rod_joint = {
    .name = "rod_joint",
    .text = "bending and twisting of a rod's edge against the rigid junction at its end",
    .nvert = 2,
    .vdim = 3,
    .nscal = 4,
    .ndof = 10,
    .npar = COUNT(par_info),
    .nrest = 17,
    .nhist = 9,
    .par = par_info,
    .d = {prepare_d, eval_d, NULL, NULL},
    .z = {prepare_z, eval_z, NULL, NULL},
    .nfield = COUNT(field_info),
    .field_info = field_info,
    .field = field,
    .section = section,
    .commit = commit,
    .rotate = rotate,
    .sample = sample,
};
