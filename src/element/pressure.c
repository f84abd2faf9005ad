// W = -p (V - V at rest): a pressure that stays normal to a surface of triangles, Schweizerhof and
// Ramm 1984.
#define BODY "pressure.inc"
#include "kernel.h"
#include "element_impl.h"

static const pl_option par_options[] = {
    PAR("share", 1, -1e6, 1e6, "", "factor on the pressure; negative: against the normal"),
    PAR("centre_x", 0, -1e12, 1e12, "m", "from where volumes are measured"),
    PAR("centre_y", 0, -1e12, 1e12, "m", "from where volumes are measured"),
    PAR("centre_z", 0, -1e12, 1e12, "m", "from where volumes are measured"),
};

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[9] = {0, 0, 0, 1, 0.2, 0.1, 0.1, 0.8, 0.4};
  pl_sample_shape(seed, 3, 3, shape, 0.15, X, q, v);
  X[9] = 0;
  q[9] = 1.5 + 0.1 * (seed % 7);
  v[9] = 0.3;
  for (int i = 0; i < 4; i++) par[i] = 0.5 + 0.1 * ((seed + 3 * (unsigned)i) % 10);
}

const pl_elem_kind pl_elem_pressure = {
    .name = "pressure",
    .text = "pressure on a triangle, along its normal as it turns",
    .nvert = 3,
    .vdim = 3,
    .nscal = 1,
    .ndof = 10,
    .npar = COUNT(par_options),
    .nrest = 9,
    .outer = 1,
    .par = par_options,
    .d = {prepare_d, eval_d, NULL, NULL},
    .z = {prepare_z, eval_z, NULL, NULL},
    .sample = sample,
};
