// W = k/2 (phi - phi0)^2; rigid joints by penalty: harmonic-balance paper, App. E.
#define BODY "angle.inc"
#include "kernel.h"
#include "element_impl.h"

static const pl_option par_options[] = {
    PAR("stiffness", 1e3, 0, 1e30, "N.m/rad", "moment per turn away from the rest angle"),
};

static const pl_field_info field_info[] = {
    {"angle", "rad", "turn away from the rest angle"},
};

static void field(const double *q, const double *par, const double *rest, double *value) {
  double d[2][2], r2[2];
  (void)par;
  value[0] = 0;
  if (!sides_d(q, d, r2)) deviation_d(d, r2, rest, value);
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  // gentle, folded sharply, and straight
  static const double shape[3][9] = {{0, 0, 0, 1, 0, 0, 1.5, 1, 0},
                                     {0, 0, 0, 1, 0, 0, 0.2, -0.1, 0},
                                     {0, 0, 0, 0.1, 1, 0, 0.2, 2, 0}};
  pl_sample_shape(seed, 3, 3, shape[seed % 3], 0.15, X, q, v);
  par[0] = 3 + 0.1 * (seed % 10);
}

const pl_elem_kind pl_elem_angle = {
    .name = "angle",
    .text = "nearly rigid joint in the xy plane: stiff penalty on the angle of three vertices",
    .nvert = 3,
    .vdim = 3,
    .ndof = 9,
    .npar = COUNT(par_options),
    .nrest = 2,
    .planar = 1,
    .rigid = 1,
    .par = par_options,
    .d = {prepare_d, eval_d, NULL, NULL},
    .z = {prepare_z, eval_z, NULL, NULL},
    .nfield = COUNT(field_info),
    .field_info = field_info,
    .field = field,
    .sample = sample,
};
