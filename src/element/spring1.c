// W = k/2 d^2 + k2/3 d^3 + k3/4 d^4, d the elongation between two scalar unknowns; force c d'.
#define BODY "spring1.inc"
#include "kernel.h"
#include "element_impl.h"

static const pl_option par_options[] = {
    PAR("stiffness", 1, -1e30, 1e30, "N/m", "linear stiffness"),
    PAR("quadratic", 0, -1e30, 1e30, "N/m^2", "force per elongation squared"),
    PAR("cubic", 0, -1e30, 1e30, "N/m^3", "force per elongation cubed, < 0: softening"),
    PAR("damping", 0, -1e30, 1e30, "N.s/m", "dashpot force per rate of elongation"),
};

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[2] = {0, 0.5};
  pl_sample_shape(seed, 2, 1, shape, 0.5, X, q, v);
  pl_rng r;
  pl_rng_seed(&r, seed + 1000);
  for (int k = 0; k < COUNT(par_options); k++) par[k] = pl_rng_uniform(&r, -2, 2);
}

const pl_elem_kind pl_elem_spring1 = {
    .name = "spring1",
    .text = "spring and dashpot between two scalar unknowns, with quadratic and cubic terms",
    .nscal = 2,
    .ndof = 2,
    .npar = COUNT(par_options),
    .nrest = 1,
    .inert = 1,
    .par = par_options,
    .d = {prepare_d, eval_d, visc_d, NULL},
    .z = {prepare_z, eval_z, visc_z, NULL},
    .sample = sample,
};
