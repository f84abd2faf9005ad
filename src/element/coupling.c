// W = k u_i u_j: entries (i, j) and (j, i) of matrices that a user gives.
#define BODY "coupling.inc"
#include "kernel.h"
#include "element_impl.h"

static const pl_option par_options[] = {
    PAR("stiffness", 0, -1e30, 1e30, "N/m", "stiffness entries (i, j) and (j, i)"),
    PAR("damping_ij", 0, -1e30, 1e30, "N.s/m", "force on i per rate of j"),
    PAR("damping_ji", 0, -1e30, 1e30, "N.s/m", "force on j per rate of i; -damping_ij: gyroscopic"),
    PAR("mass", 0, -1e30, 1e30, "kg", "mass entries (i, j) and (j, i)"),
};

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[2] = {0, 0};
  pl_sample_shape(seed, 2, 1, shape, 1, X, q, v);
  pl_rng r;
  pl_rng_seed(&r, seed + 1000);
  for (int k = 0; k < COUNT(par_options); k++) par[k] = pl_rng_uniform(&r, -2, 2);
}

const pl_elem_kind pl_elem_coupling = {
    .name = "coupling",
    .text = "off-diagonal stiffness, damping and mass between two scalar unknowns",
    .nscal = 2,
    .ndof = 2,
    .npar = COUNT(par_options),
    .nrest = 2,
    .inert = 1,
    .damped = 1, // its damping matrix may be unsymmetric
    .par = par_options,
    .d = {prepare_d, eval_d, visc_d, mass_d},
    .z = {prepare_z, eval_z, visc_z, mass_z},
    .sample = sample,
};
