// what the two laws of the hexahedron share besides their kernels
#include "element_impl.h"

#if ENHANCED
// F + F^-T (e - E), whose Green strain is e, the one with internal strains, to first order in e - E
static void enhance_gradients(const double *q, const double *par, const double *rest,
                              double F[8][9]) {
  double x[24], E[8][6], alpha[NMODE], K[NMODE * NMODE], W;
  transpose_d(8, 3, q, x);
  for (int g = 0; g < 8; g++) {
    gradient_d(8, 3, 3, x, rest + 25 * g, F[g]);
    green_d(F[g], E[g]);
  }
  if (relax_d((const double(*)[6])E, par, rest, alpha, &W, K)) return;
  for (int g = 0; g < 8; g++) {
    double e[6], inv[9], add[9], G[9];
    enhance_d(g, rest, E[g], alpha, e);
    for (int r = 0; r < 6; r++) {
      int i = eas_pair[r][0], j = eas_pair[r][1];
      G[3 * i + j] = G[3 * j + i] = (e[r] - E[g][r]) * (r < 3 ? 1 : 0.5);
    }
    // F + F^-T (e - E)
    pl_inv3(F[g], inv);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) {
        add[3 * i + k] = 0;
        for (int j = 0; j < 3; j++) add[3 * i + k] += inv[3 * j + i] * G[3 * j + k];
      }
    for (int k = 0; k < 9; k++) F[g][k] += add[k];
  }
}
#endif

// means over the volume
static void field(const double *q, const double *par, const double *rest, double *value) {
  double F[8][9], one[2], volume = 0;
  value[0] = value[1] = 0;
#if ENHANCED
  enhance_gradients(q, par, rest, F);
#else
  double x[24];
  transpose_d(8, 3, q, x);
  for (int g = 0; g < 8; g++) gradient_d(8, 3, 3, x, rest + 25 * g, F[g]);
#endif
  for (int g = 0; g < 8; g++, rest += 25) {
    pl_solid_field(3, 3, F[g], par, NEO_HOOKEAN, NULL, one);
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

#if NEO_HOOKEAN || ENHANCED
#define THIRD NULL
#else
#define THIRD third_d
#endif

#define HEX8_KIND                                                                                  \
  .nvert = 8, .vdim = 3, .ndof = 24, .npar = 3, .nrest = ENHANCED ? 237 : 200,                     \
  .par = pl_solid_par, .d = {prepare_d, eval_d, NULL, mass_d, THIRD},                              \
  .z = {prepare_z, eval_z, NULL, mass_z}, .nfield = 2, .field_info = pl_solid_fields,              \
  .field = field, .stiff = 1, .mixed = mixed_d, .volume = volume, .sample = sample
