// what the two laws of the hexahedron share besides their kernels
#include "element_impl.h"

// means over the volume
static void field(const double *q, const double *par, const double *rest, double *value) {
  double x[24], F[9], one[2], volume = 0;
  value[0] = value[1] = 0;
  transpose_d(8, 3, q, x);
  for (int g = 0; g < 8; g++, rest += 25) {
    gradient_d(8, 3, 3, x, rest, F);
    pl_solid_field(3, 3, F, par, NEO_HOOKEAN, one);
    volume += rest[24];
    for (int k = 0; k < 2; k++) value[k] += rest[24] * one[k];
  }
  for (int k = 0; k < 2; k++) value[k] /= volume;
}

static double volume(const double *q, const double *rest) {
  double x[24], F[9], least = INFINITY;
  transpose_d(8, 3, q, x);
  for (int g = 0; g < 8; g++, rest += 25) {
    gradient_d(8, 3, 3, x, rest, F);
    least = fmin(least, pl_det3(F));
  }
  return least;
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[24] = {0, 0, 0,   1, 0,   0,   1,   1,   0, 0,   1, 0,
                                   0, 0, 1.1, 1, 0.1, 0.9, 1.1, 1.2, 1, 0.1, 1, 1};
  pl_sample_shape(seed, 8, 3, shape, 0.1, X, q, v);
  pl_sample_solid(seed, par);
}

#if NEO_HOOKEAN
#define THIRD NULL
#else
#define THIRD third_d
#endif

#define HEX8_KIND                                                                                  \
  .nvert = 8, .vdim = 3, .ndof = 24, .npar = 3, .nrest = 200, .par = pl_solid_par,                 \
  .d = {prepare_d, eval_d, NULL, mass_d, THIRD}, .z = {prepare_z, eval_z, NULL, mass_z},           \
  .nfield = 2, .field_info = pl_solid_fields, .field = field, .stiff = 1, .mixed = mixed_d,        \
  .volume = volume, .sample = sample
