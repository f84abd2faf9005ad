// W = k/2 |n - E' g|^2 of the normal at the boundary of a shell and the frame of a cloud of points.
#define BODY "tie_edge.inc"
#include "kernel.h"
#include "element_impl.h"

static const pl_option par_options[] = {
    PAR("stiffness", 1e3, 0, 1e30, "N.m", "moment per turn away, a penalty"),
    PAR("count", 3, 3, 9, "", "vertices that it turns with"),
    PAR("point", 0, 0, 2, "", "of an edge of second order; 0: the edge is of first order"),
};

static const pl_field_info field_info[] = {
    {"turn", "rad", "turn away from what it is tied to"},
};

static void field(const double *q, const double *par, const double *rest, double *value) {
  double lean[9][2], lever[6][2];
  jet_d r[3];
  value[0] = 0;
  if (misfit_d(q, par, rest, lever, lean, r)) return;
  for (int i = 0; i < 3; i++) value[0] += r[i].v * r[i].v;
  value[0] = sqrt(value[0]);
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  double shape[45] = {0, 0, 0, 1, 0.1, 0, 0.4, 0.1, 1, 0.5, 0.05, 0, 0.2, 0.05, 0.5, 0.7, 0.1, 0.5};
  for (int k = 0; k < 9; k++) {
    shape[18 + 3 * k] = k % 3 + 0.5 * (k == 2);
    shape[19 + 3 * k] = k / 3 + (k == 2);
    shape[20 + 3 * k] = 0.1 * (k % 4);
  }
  pl_sample_shape(seed, 15, 3, shape, 0.1, X, q, v);
  X[45] = 0.05 * (seed % 5);
  q[45] = 0.2 - 0.04 * (seed % 9);
  v[45] = 0.3;
  par[2] = seed % 3;
  par[0] = 3 + 0.1 * (seed % 10);
  par[1] = 3 + seed % 7;
}

const pl_elem_kind pl_elem_tie_edge = {
    .name = "tie_edge",
    .text = "nearly rigid tie of the normal at a shell's border to the turn of a cloud of points",
    .nvert = 15,
    .vdim = 3,
    .nscal = 1,
    .ndof = 46,
    .npar = COUNT(par_options),
    .nrest = 46,
    .rigid = 1,
    .par = par_options,
    .d = {prepare_d, eval_d, NULL, NULL},
    .z = {prepare_z, eval_z, NULL, NULL},
    .nfield = COUNT(field_info),
    .field_info = field_info,
    .field = field,
    .sample = sample,
};
