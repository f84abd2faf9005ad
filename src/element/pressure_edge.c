// Force p (y_a x y_b)/6 on both ends of a free edge: with it a surface of `pressure` triangles
// feels p n dA alone, which has no potential there.
#define BODY "pressure_edge.inc"
#include "kernel.h"
#include "element_impl.h"

static const pl_option par_info[] = {
    PAR("share", 1, -1e6, 1e6, "", "factor on the pressure"),
    PAR("centre_x", 0, -1e12, 1e12, "m", "from where volumes are measured"),
    PAR("centre_y", 0, -1e12, 1e12, "m", "from where volumes are measured"),
    PAR("centre_z", 0, -1e12, 1e12, "m", "from where volumes are measured"),
};

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[6] = {0, 0, 0.3, 1, 0.2, 0.1};
  pl_sample_shape(seed, 2, 3, shape, 0.15, X, q, v);
  X[6] = 0;
  q[6] = 1.5 + 0.1 * (seed % 7);
  v[6] = 0.3;
  for (int i = 0; i < 4; i++) par[i] = 0.5 + 0.1 * ((seed + 3 * (unsigned)i) % 10);
}

const pl_elem_kind pl_elem_pressure_edge = {
    .name = "pressure_edge",
    .text = "what a pressure does besides its potential at a free edge of its surface",
    .nvert = 2,
    .vdim = 3,
    .nscal = 1,
    .ndof = 7,
    .npar = COUNT(par_info),
    .damped = 1,
    .outer = 1,
    .circulatory = 1,
    .par = par_info,
    .d = {prepare_d, eval_d, visc_d, NULL},
    .z = {prepare_z, eval_z, visc_z, NULL},
    .sample = sample,
};
