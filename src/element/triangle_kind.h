// what the triangles in two and three dimensions share besides their kernels
#include "element_impl.h"

static void field(const double *q, const double *par, const double *rest, double *value) {
  double x[3 * SD], F[6];
  transpose_d(3, SD, q, x);
  gradient_d(3, SD, 2, x, rest, F);
  pl_solid_field(SD, 2, F, par, NEO_HOOKEAN, NULL, value);
}

static int stress(const double *q, const double *X, const double *par, const double *rest,
                  const double *at, const double *more, pl_stress *out) {
  double x[3 * SD], F[6], e[2][3] = {0}, frame[6], n[3];
  (void)at;
  transpose_d(3, SD, q, x);
  gradient_d(3, SD, 2, x, rest, F);
  // the frame of rest: its first axis is along the first edge
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < SD; i++) e[k][i] = X[SD * (k + 1) + i] - X[i];
  pl_cross3(e[0], e[1], n);
  pl_cross3(n, e[0], e[1]);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 3; i++) frame[3 * k + i] = e[k][i] / pl_norm3(e[k]);
  return pl_solid_stress(SD, 2, F, frame, par, NEO_HOOKEAN, NULL, more, out);
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
  .stress = stress, .sample = sample
