// W = (E I1 (k1 - k1')^2 + E I2 (k2 - k2')^2 + G J (tau - tau')^2)/(2 L); Bergou et al. 2008 and
// 2010, with reference directors transported from anchors so that no history is needed.
#define BODY "rod_bend.inc"
#include "kernel.h"
#include "rod_impl.h"

static const pl_option par_options[] = {
    SECTION_PAR,
    PAR("curvature1", 0, -1e12, 1e12, "1/m", "natural curvature towards director 1, added"),
    PAR("curvature2", 0, -1e12, 1e12, "1/m", "natural curvature towards director 2, added"),
    PAR("twist", 0, -1e12, 1e12, "rad/m", "natural twist, added to that of the reference shape"),
    WHOLE("straight", 0, 1, "1: the natural shape is straight, not the reference shape"),
};

static const pl_field_info field_info[] = {
    {"curvature", "1/m", "curvature"},           {"twist", "rad/m", "twist less the natural one"},
    {"moment", "N.m", "bending moment"},         {"torque", "N.m", "twisting moment"},
    {"strain", "", "largest strain by bending"},
};

static void field(const double *q, const double *par, const double *rest, double *value) {
  frame_d f[2];
  joint_d j;
  double stiff[3], natural[3], d[3], L = rest[LENGTH_d];
  for (int k = 0; k < COUNT(field_info); k++) value[k] = 0;
  if (frames_d(q, rest, f) || strains_d(&f[0], &f[1], q[10] - q[9], rest + ROT_d, &j)) return;
  elastic_d(par, rest, stiff, natural);
  for (int k = 0; k < 3; k++) d[k] = j.k[k] - natural[k];
  value[0] = hypot(j.k[0], j.k[1]) / L;
  value[1] = d[2] / L;
  value[2] = hypot(stiff[0] * d[0], stiff[1] * d[1]);
  value[3] = stiff[2] * d[2];
  // at a corner, or on an ellipse
  double s1 = fabs(d[0]) / L * par[3] / 2, s2 = fabs(d[1]) / L * par[4] / 2;
  value[4] = par[6] > 0.5 ? s1 + s2 : hypot(s1, s2);
}

static void section(const double *q, const double *par, const double *rest, double *force) {
  frame_d f[2];
  joint_d j;
  double stiff[3], natural[3];
  memset(force, 0, 4 * sizeof *force);
  if (frames_d(q, rest, f) || strains_d(&f[0], &f[1], q[10] - q[9], rest + ROT_d, &j)) return;
  elastic_d(par, rest, stiff, natural);
  for (int k = 0; k < 3; k++) force[1 + k] = stiff[k] * (j.k[k] - natural[k]);
}

static void commit(double *q, double *v, double *a, const double *par, double *rest,
                   unsigned keep) {
  frame_d f[2];
  joint_d j;
  (void)v, (void)a, (void)par;
  if (frames_d(q, rest, f) || strains_d(&f[0], &f[1], 0, rest + ROT_d, &j)) return;
  for (int s = 0; s < 2; s++) {
    double e[3];
    pl_sub3(q + 3 * (s + 1), q + 3 * s, e);
    if (!(keep >> s & 1)) rod_move_anchor(e, rest + 6 * s);
  }
  rest[ROT_d] = j.k[2];
  rest[ROT_d + 1] = cos(j.k[2]);
  rest[ROT_d + 2] = sin(j.k[2]);
}

// whole turns go to the angle that is not known yet, so that the twist stays
static void rotate(const double *R, const double *q, const double *par, const double *from,
                   const double *to, unsigned known, double *scal) {
  frame_d f[2];
  joint_d j;
  double x[11];
  (void)par;
  memcpy(x, q, sizeof x);
  for (int s = 0; s < 2; s++) {
    double e[3];
    pl_sub3(q + 3 * (s + 1), q + 3 * s, e);
    if (!(known >> s & 1)) scal[s] = rod_rotated(R, e, q[9 + s], from + 6 * s, to + 6 * s);
  }
  if (known == 3 || frames_d(q, from, f)) return;
  if (strains_d(&f[0], &f[1], q[10] - q[9], from + ROT_d, &j)) return;
  double twist = j.k[2];
  for (int a = 0; R && a < 3; a++)
    for (int i = 0; i < 3; i++) x[3 * a + i] = pl_dot3(R + 3 * i, q + 3 * a);
  if (frames_d(x, to, f)) return;
  if (strains_d(&f[0], &f[1], scal[1] - scal[0], to + ROT_d, &j)) return;
  double more = 2 * PL_PI * rint((twist - j.k[2]) / (2 * PL_PI));
  if (known & 2)
    scal[0] -= more;
  else
    scal[1] += more;
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[9] = {0, 0, 0, 1, 0.2, -0.1, 1.8, 0.7, 0.3};
  pl_rng r;
  pl_sample_shape(seed, 3, 3, shape, 0.2, X, q, v);
  pl_rng_seed(&r, seed + 1000);
  for (int s = 9; s < 11; s++) rod_sample_angle(&r, s, X, q, v);
  rod_sample_section(seed, par);
  for (int k = NSECTION; k < NSECTION + 3; k++) par[k] = pl_rng_uniform(&r, -0.5, 0.5);
  par[NSECTION + 3] = seed % 3 == 0;
}

const pl_elem_kind pl_elem_rod_bend = {
    .name = "rod_bend",
    .text = "bending and twisting of a rod at a vertex between two of its edges",
    .nvert = 3,
    .vdim = 3,
    .nscal = 2,
    .ndof = 11,
    .npar = COUNT(par_options),
    .nrest = 19,
    .nhist = 15,
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
