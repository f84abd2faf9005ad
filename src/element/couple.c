// W = -M theta of the line between two vertices about a fixed axis.
#define BODY "couple.inc"
#include "kernel.h"
#include "element_impl.h"

static const pl_option par_options[] = {
    PAR("share", 1, -1e6, 1e6, "", "factor on the moment"),
    PAR("axis_x", 0, -1, 1, "", "axis, of length one"),
    PAR("axis_y", 0, -1, 1, "", "axis, of length one"),
    PAR("axis_z", 1, -1, 1, "", "axis, of length one"),
};

// the turn so far goes into the anchor
static void commit(double *q, double *v, double *a, const double *par, double *rest,
                   unsigned keep) {
  double theta, rho2, u[3], t[3], d[3];
  (void)v, (void)a, (void)keep;
  if (rotated_d(q, par + 1, rest, &theta, &rho2, u, t)) return;
  pl_sub3(q + 3, q, d);
  double l = pl_norm3(d);
  for (int i = 0; i < 3; i++) rest[i] = d[i] / l;
  rest[3] = theta;
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[6] = {0, 0, 0.3, 1, 0.2, 0.1};
  double axis[3] = {0.2 - 0.05 * (seed % 8), 0.3, 1};
  pl_sample_shape(seed, 2, 3, shape, 0.15, X, q, v);
  X[6] = 0;
  q[6] = 1.5 + 0.1 * (seed % 7);
  v[6] = 0.3;
  par[0] = 0.7 + 0.1 * (seed % 5);
  double l = pl_norm3(axis);
  for (int i = 0; i < 3; i++) par[1 + i] = axis[i] / l;
}

const pl_elem_kind pl_elem_couple = {
    .name = "couple",
    .text = "moment on the line between two points, about a fixed axis",
    .nvert = 2,
    .vdim = 3,
    .nscal = 1,
    .ndof = 7,
    .npar = COUNT(par_options),
    .nrest = 4,
    .nhist = 4,
    .outer = 1,
    .par = par_options,
    .d = {prepare_d, eval_d, NULL, NULL},
    .z = {prepare_z, eval_z, NULL, NULL},
    .commit = commit,
    .sample = sample,
};
