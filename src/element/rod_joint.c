// W = (E I1 (k1 - k1')^2 + E I2 (k2 - k2')^2 + G J (tau - tau')^2)/(2 L) between an edge and the
// body of a junction; Zehnder, Coros, Thomaszewski 2016, sec. 4.
#define BODY "rod_joint.inc"
#include "kernel.h"
#include "rod_impl.h"
#include "rotation_impl.h"

static const pl_option par_options[] = {
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
  if (strains_d(&f[0], &f[1], q[6] - rest[THETA_d], rest + ROT_d, &j)) return;
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

static void commit(double *q, double *v, double *a, const double *par, double *rest,
                   unsigned keep) {
  frame_d f[2];
  joint_d j;
  double anchor[6], sign, e[3];
  if (!(keep & 14)) rotation_shorten(q + 7, v + 7, a + 7);
  if (frames_d(q, par, rest, f, anchor, &sign)) return;
  if (strains_d(&f[0], &f[1], 0, rest + ROT_d, &j)) return;
  pl_sub3(q + 3, q, e);
  if (!(keep & 1)) rod_move_anchor(e, rest);
  rest[ROT_d] = j.k[2];
  rest[ROT_d + 1] = cos(j.k[2]);
  rest[ROT_d + 2] = sin(j.k[2]);
}

// twist between the junction's copy and the edge at x; 0 where it is not defined
static double twist_of(const double *x, const double *par, const double *rest) {
  frame_d f[2];
  joint_d j;
  double anchor[6], sign;
  if (frames_d(x, par, rest, f, anchor, &sign)) return 0;
  if (strains_d(&f[0], &f[1], x[6] - rest[THETA_d], rest + ROT_d, &j)) return 0;
  return j.k[2];
}

// whole turns go to theta when it is not known yet, so that the twist stays
static void rotate(const double *R, const double *q, const double *par, const double *from,
                   const double *to, unsigned known, double *scal) {
  double e[3], x[10];
  memcpy(x, q, sizeof x);
  pl_sub3(q + 3, q, e);
  for (int c = 0; c < 3 && R; c++)
    for (int a = 0; a < 2; a++) x[3 * a + c] = pl_dot3(R + 3 * c, q + 3 * a);
  rotation_after(R, q + 7, x + 7);
  for (int i = 0; i < 3; i++)
    if (!(known >> (1 + i) & 1)) scal[1 + i] = x[7 + i];
  if (known & 1) return;
  // theta's sign is that of the edge as it is stored
  double back[3], sign = par[7] > 0.5 ? -1 : 1, a[6], b[6];
  for (int i = 0; i < 3; i++) back[i] = sign * e[i];
  for (int i = 0; i < 6; i++) a[i] = sign * from[i], b[i] = sign * to[i];
  x[6] = rod_rotated(R, back, q[6], a, b);
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
    .npar = COUNT(par_options),
    .nrest = 17,
    .nhist = 9,
    .par = par_options,
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
