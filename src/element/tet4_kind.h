// what the laws of the tetrahedron share besides their kernels
#include "element_impl.h"
#include "solid_kind.h"

static void field(const double *q, const double *par, const double *rest, double *value) {
  double x[12], F[9], buffer[36];
  const double *law = law_data_d(par, buffer);
  transpose_d(4, 3, q, x);
  gradient_d(4, 3, 3, x, rest, F);
  pl_solid_field(3, 3, F, law, LAW, NULL, value);
}

static int stress(const double *q, const double *X, const double *par, const double *rest, int n,
                  const double *at, const double *more, pl_stress *out) {
  double x[12], F[9], buffer[36];
  const double *law = law_data_d(par, buffer);
  int bad = 0;
  (void)X, (void)at;
  transpose_d(4, 3, q, x);
  gradient_d(4, 3, 3, x, rest, F);
  for (int i = 0; i < n; i++)
    bad |= pl_solid_stress(3, 3, F, NULL, law, LAW, NULL, more ? more + 6 * i : NULL, &out[i]);
  return bad;
}

static double volume(const double *q, const double *rest) {
  double x[12], F[9];
  transpose_d(4, 3, q, x);
  gradient_d(4, 3, 3, x, rest, F);
  return pl_det3(F);
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[12] = {0, 0, 0, 1, 0, 0, 0.2, 1, 0, 0.3, 0.1, 1};
  pl_sample_shape(seed, 4, 3, shape, 0.1, X, q, v);
  SAMPLE_PAR(seed, par);
}

#if !PLAIN_SVK
#define THIRD NULL
#else
#define THIRD third_d
#endif

#define TET4_KIND                                                                                  \
  .nvert = 4, .vdim = 3, .ndof = 12, .npar = SOLID_NPAR, .nrest = 13, .par = SOLID_PAR,            \
  .d = {prepare_d, eval_d, NULL, mass_d, THIRD}, .z = {prepare_z, eval_z, NULL, mass_z},           \
  .nfield = 2, .field_info = pl_solid_fields, .field = field, .stiff = 1, .mixed = mixed_d,        \
  .volume = volume, .stress = stress, .sample = sample
