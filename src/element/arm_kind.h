// The kinds of arms: ROTATIONS, KIND, NAME, TEXT are set.
#define BODY "arm.inc"
#include "kernel.h"
#include "element_impl.h"
#include "rotation_impl.h"

static const pl_option par_options[] = {
    PAR("stiffness", 1e6, 0, 1e30, "N/m", "force per violation, a penalty"),
#if ROTATIONS == 2
    PAR("turn_stiffness", 1e3, 0, 1e30, "N.m", "moment per turn away from the body, a penalty"),
#endif
};

static const pl_field_info field_info[] = {
    {"violation", "", "distance from its place on the body, over the distance from its point"},
    {"force", "N", "force of the arm"},
};

static void field(const double *q, const double *par, const double *rest, double *value) {
  jet_d r[12];
  double d[3];
  misfit_d(q, rest, r);
  double v[3] = {r[0].v, r[1].v, r[2].v}, rot = 0;
  for (int i = 3; ROTATIONS == 2 && i < 12; i++) rot += r[i].v * r[i].v / 2;
  pl_sub3(rest + AT_d + 3, rest + AT_d, d);
  double l = pl_norm3(d);
  value[1] = par[0] * pl_norm3(v);
  value[0] = sqrt((l > 0 ? pl_dot3(v, v) / (l * l) : 0) + rot);
}

static void commit(double *q, double *v, double *a, const double *par, double *rest,
                   unsigned keep) {
  (void)par;
  for (int k = 0; k < ROTATIONS; k++)
    if (!(keep >> (3 * k) & 7))
      rest[0] += rotation_shorten(q + 6 + 3 * k, v + 6 + 3 * k, a + 6 + 3 * k);
}

static void rotate(const double *R, const double *q, const double *par, const double *from,
                   const double *to, unsigned known, double *scal) {
  (void)par, (void)from, (void)to;
  for (int k = 0; k < ROTATIONS; k++) {
    double s[3];
    rotation_after(R, q + 6 + 3 * k, s);
    for (int i = 0; i < 3; i++)
      if (!(known >> (3 * k + i) & 1)) scal[3 * k + i] = s[i];
  }
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[6] = {0, 0, 0, 1, 0.3, -0.2};
  pl_rng r;
  pl_sample_shape(seed, 2, 3, shape, 0.2, X, q, v);
  pl_rng_seed(&r, seed + 1000);
  for (int i = 6; i < 6 + 3 * ROTATIONS; i++) {
    X[i] = pl_rng_uniform(&r, -0.3, 0.3);
    q[i] = X[i] + pl_rng_uniform(&r, -0.1, 0.1);
    v[i] = pl_rng_uniform(&r, -1, 1);
  }
  par[0] = 3 + 0.1 * (seed % 10);
  par[ROTATIONS - 1] = 3 + 0.1 * (seed % 7);
}

const pl_elem_kind KIND = {
    .name = NAME,
    .text = TEXT,
    .nvert = 2,
    .vdim = 3,
    .nscal = 3 * ROTATIONS,
    .ndof = 6 + 3 * ROTATIONS,
    .npar = COUNT(par_options),
    .nrest = 7 + 3 * ROTATIONS,
    .nhist = 1,
    .rigid = 1,
    .par = par_options,
    .d = {prepare_d, eval_d, NULL, NULL},
    .z = {prepare_z, eval_z, NULL, NULL},
    .nfield = COUNT(field_info),
    .field_info = field_info,
    .field = field,
    .commit = commit,
    .rotate = rotate,
    .sample = sample,
};
