// what the triangles in two and three dimensions share besides their kernels
#include "element_impl.h"

static void field(const double *q, const double *par, const double *rest, double *value) {
  double x[3 * SD], F[6];
  transpose_d(3, SD, q, x);
  gradient_d(3, SD, 2, x, rest, F);
  pl_solid_field(SD, 2, F, par, NEO_HOOKEAN, NULL, value);
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[2][9] = {{0, 0, 1, 0.1, 0.2, 0.9},
                                     {0, 0, 0, 1, 0.2, 0.1, 0.1, 0.8, 0.4}};
  pl_sample_shape(seed, 3, SD, shape[SD - 2], 0.15, X, q, v);
  pl_sample_solid(seed, par);
  par[3] = 0.1 + 0.01 * (seed % 10);
}

#define TRIANGLE_KIND                                                                              \
  .nvert = 3, .vdim = SD, .ndof = 3 * SD, .npar = 4, .nrest = 7, .par = pl_plane_par,              \
  .d = {prepare_d, eval_d, NULL, mass_d, third_d}, .z = {prepare_z, eval_z, NULL, mass_z},         \
  .nfield = 2, .field_info = pl_solid_fields, .field = field, .stiff = 1, .mixed = mixed_d,        \
  .sample = sample
