// W = 0, kinetic energy m/2 v^2 of one scalar unknown.
#define BODY "mass1.inc"
#include "kernel.h"
#include "element_impl.h"

static const pl_option par_options[] = {
    PAR("mass", 1, 0, 1e30, "kg", "mass"),
};

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[1] = {0};
  pl_sample_shape(seed, 1, 1, shape, 1, X, q, v);
  par[0] = 0.5 + 0.1 * (seed % 10);
}

const pl_elem_kind pl_elem_mass1 = {
    .name = "mass1",
    .text = "mass on one scalar unknown",
    .nscal = 1,
    .ndof = 1,
    .npar = COUNT(par_options),
    .inert = 1,
    .par = par_options,
    .d = {prepare_d, eval_d, NULL, mass_d},
    .z = {prepare_z, eval_z, NULL, mass_z},
    .sample = sample,
};
