// W = 0, kinetic energy m/2 v.v of one vertex.
#define BODY "point.inc"
#include "kernel.h"
#include "element_impl.h"

static const pl_option par_options[] = {
    PAR("mass", 1, 0, 1e30, "kg", "mass"),
};

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[3] = {0, 0, 0};
  pl_sample_shape(seed, 1, 3, shape, 1, X, q, v);
  par[0] = 0.5 + 0.1 * (seed % 10);
}

const pl_elem_kind pl_elem_point = {
    .name = "point",
    .text = "point mass",
    .nvert = 1,
    .vdim = 3,
    .ndof = 3,
    .npar = COUNT(par_options),
    .par = par_options,
    .d = {prepare_d, eval_d, NULL, mass_d},
    .z = {prepare_z, eval_z, NULL, mass_z},
    .sample = sample,
};
