// W = k/2 |R - E|^2 of a rotation and the frame of a cloud of points.
#define BODY "tie_rotation.inc"
#include "kernel.h"
#include "element_impl.h"
#include "rotation_impl.h"

static const pl_option par_options[] = {
    PAR("stiffness", 1e3, 0, 1e30, "N.m", "moment per turn away, a penalty"),
    PAR("count", 3, 3, 9, "", "vertices that it turns with"),
};

static const pl_field_info field_info[] = {
    {"turn", "rad", "turn away from what it is tied to"},
};

static void field(const double *q, const double *par, const double *rest, double *value) {
  double lean[9][2], sum = 0;
  jet_d r[3][3];
  value[0] = 0;
  if (misfit_d(q, par, rest, lean, r)) return;
  for (int i = 0; i < 9; i++) sum += r[i / 3][i % 3].v * r[i / 3][i % 3].v;
  value[0] = sqrt(sum / 2);
}

static void commit(double *q, double *v, double *a, const double *par, double *rest,
                   unsigned keep) {
  (void)par, (void)rest;
  if (!(keep & 7)) rotation_shorten(q + 27, v + 27, a + 27);
}

static void rotate(const double *R, const double *q, const double *par, const double *from,
                   const double *to, unsigned known, double *scal) {
  double s[3];
  (void)par, (void)from, (void)to;
  rotation_after(R, q + 27, s);
  for (int i = 0; i < 3; i++)
    if (!(known >> i & 1)) scal[i] = s[i];
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  double shape[27];
  pl_rng r;
  for (int k = 0; k < 9; k++) {
    shape[3 * k] = k % 3 + 0.5 * (k == 2);
    shape[3 * k + 1] = k / 3 + (k == 2);
    shape[3 * k + 2] = 0.1 * (k % 4);
  }
  pl_sample_shape(seed, 9, 3, shape, 0.1, X, q, v);
  pl_rng_seed(&r, seed + 1000);
  for (int i = 27; i < 30; i++) {
    X[i] = pl_rng_uniform(&r, -0.3, 0.3);
    q[i] = X[i] + pl_rng_uniform(&r, -0.1, 0.1);
    v[i] = pl_rng_uniform(&r, -1, 1);
  }
  par[0] = 3 + 0.1 * (seed % 10);
  par[1] = 3 + seed % 7;
}

const pl_elem_kind pl_elem_tie_rotation = {
    .name = "tie_rotation",
    .text = "nearly rigid tie of a rotation to the turn of a cloud of points",
    .nvert = 9,
    .vdim = 3,
    .nscal = 3,
    .ndof = 30,
    .npar = COUNT(par_options),
    .nrest = 30,
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
