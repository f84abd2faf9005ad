// W = k/2 (n.u)^2 + c/2 |u - n n.u|^2: springs to the ground.
#define BODY "bed.inc"
#include "kernel.h"
#include "element_impl.h"

static const pl_option par_options[] = {
    PAR("along", 0, 0, 1e30, "N/m", "stiffness along the direction"),
    PAR("across", 0, 0, 1e30, "N/m", "stiffness across the direction"),
    PAR("normal_x", 0, -1, 1, "", "direction, of length one"),
    PAR("normal_y", 0, -1, 1, "", "direction, of length one"),
    PAR("normal_z", 1, -1, 1, "", "direction, of length one"),
};

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[3] = {0.1, 0.2, -0.3};
  double n[3] = {0.2 - 0.05 * (seed % 8), 0.3, 1};
  pl_sample_shape(seed, 1, 3, shape, 0.3, X, q, v);
  par[0] = 1 + 0.1 * (seed % 5);
  par[1] = 0.3 + 0.1 * (seed % 7);
  for (int i = 0; i < 3; i++) par[2 + i] = n[i] / pl_norm3(n);
}

const pl_elem_kind pl_elem_bed = {
    .name = "bed",
    .text = "springs from a point to the ground",
    .nvert = 1,
    .vdim = 3,
    .ndof = 3,
    .npar = COUNT(par_options),
    .nrest = 3,
    .inert = 1,
    .par = par_options,
    .d = {prepare_d, eval_d, NULL, NULL},
    .z = {prepare_z, eval_z, NULL, NULL},
    .sample = sample,
};
