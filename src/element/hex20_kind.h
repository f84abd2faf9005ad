// what the laws of the quadratic hexahedron share besides their kernels
#include "element_impl.h"
#include "solid_kind.h"

// means over the volume
static void field(const double *q, const double *par, const double *rest, double *value) {
  double x[60], dN[60], F[9], one[2], w, volume = 0, buffer[36];
  const double *law = law_data_d(par, buffer);
  value[0] = value[1] = 0;
  transpose_d(20, 3, q, x);
  for (int g = 0; g < 27; g++) {
    if (point_d(g, rest, dN, &w)) continue;
    gradient_d(20, 3, 3, x, dN, F);
    pl_solid_field(3, 3, F, law, LAW, NULL, one);
    volume += w;
    for (int k = 0; k < 2; k++) value[k] += w * one[k];
  }
  for (int k = 0; k < 2; k++) value[k] /= volume;
}

static int stress(const double *q, const double *X, const double *par, const double *rest, int n,
                  const double *at, const double *more, pl_stress *out) {
  double F[9], det, dN[60], buffer[36];
  const double *law = law_data_d(par, buffer);
  (void)rest;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 60; k++) dN[k] = hex20_shape(k / 3, at + 3 * i, k % 3);
    if (pl_solid_gradient(20, dN, q, X, F, &det) ||
        pl_solid_stress(3, 3, F, NULL, law, LAW, NULL, more ? more + 6 * i : NULL, &out[i]))
      return 1;
  }
  return 0;
}

static double volume(const double *q, const double *rest) {
  double x[60], dN[60], F[9], w, least = INFINITY;
  transpose_d(20, 3, q, x);
  for (int g = 0; g < 27; g++) {
    if (point_d(g, rest, dN, &w)) continue;
    gradient_d(20, 3, 3, x, dN, F);
    least = fmin(least, pl_det3(F));
  }
  return least;
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  double shape[60];
  for (int k = 0; k < 60; k++) {
    double x = hex20_node[k / 3][k % 3];
    shape[k] = x + 0.1 * x * hex20_node[k / 3][(k + 1) % 3];
  }
  pl_sample_shape(seed, 20, 3, shape, 0.06, X, q, v);
  SAMPLE_PAR(seed, par);
}

#if !PLAIN_SVK
#define THIRD NULL
#else
#define THIRD third_d
#endif

#define HEX20_KIND                                                                                 \
  .nvert = 20, .vdim = 3, .ndof = 60, .npar = SOLID_NPAR, .nrest = 60, .par = SOLID_PAR,           \
  .d = {prepare_d, eval_d, NULL, mass_d, THIRD}, .z = {prepare_z, eval_z, NULL, mass_z},           \
  .nfield = 2, .field_info = pl_solid_fields, .field = field, .stiff = 1, .mixed = mixed_d,        \
  .volume = volume, .stress = stress, .sample = sample
