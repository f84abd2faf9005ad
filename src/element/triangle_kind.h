// what the triangles in two and three dimensions share besides their kernels
#include "element_impl.h"

#if ORTHO
#define FLAT_PAR    pl_flat_par
#define FLAT_COUNT  FLAT_NPAR
#define FLAT_SAMPLE pl_sample_flat
#elif HYPER
#define FLAT_PAR    pl_hyper_par
#define FLAT_COUNT  (HYPER_NPAR + 1)
#define FLAT_SAMPLE pl_sample_hyper
#else
#define FLAT_PAR    pl_plane_par
#define FLAT_COUNT  4
#define FLAT_SAMPLE pl_sample_solid
#endif

static void field(const double *q, const double *par, const double *rest, double *value) {
  double x[3 * SD], F[6];
#if PLAIN_SVK
  const double *law = par;
#else
  double buffer[9];
  const double *law = flat_data_d(par, rest, buffer);
#endif
  transpose_d(3, SD, q, x);
  gradient_d(3, SD, 2, x, rest, F);
  pl_solid_field(SD, 2, F, law, LAW, NULL, value);
}

static int stress(const double *q, const double *X, const double *par, const double *rest, int n,
                  const double *at, const double *more, pl_stress *out) {
  double x[3 * SD], F[6], e[2][3] = {0}, frame[6], normal[3];
#if PLAIN_SVK
  const double *law = par;
#else
  double buffer[9];
  const double *law = flat_data_d(par, rest, buffer);
#endif
  int bad = 0;
  (void)at;
  transpose_d(3, SD, q, x);
  gradient_d(3, SD, 2, x, rest, F);
  // the frame of rest: its first axis is along the first edge
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < SD; i++) e[k][i] = X[SD * (k + 1) + i] - X[i];
  pl_cross3(e[0], e[1], normal);
  pl_cross3(normal, e[0], e[1]);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 3; i++) frame[3 * k + i] = e[k][i] / pl_norm3(e[k]);
  for (int i = 0; i < n; i++)
    bad |= pl_solid_stress(SD, 2, F, frame, law, LAW, NULL, more ? more + 6 * i : NULL, &out[i]);
  return bad;
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[2][9] = {{0, 0, 1, 0.1, 0.2, 0.9},
                                     {0, 0, 0, 1, 0.2, 0.1, 0.1, 0.8, 0.4}};
  pl_sample_shape(seed, 3, SD, shape[SD - 2], 0.15, X, q, v);
  FLAT_SAMPLE(seed, par);
  par[THICKNESS] = 0.1 + 0.01 * (seed % 10);
#if HYPER
  if (seed % 5 == 0) par[HYPER_BULK] = 0;
#endif
}

#if PLAIN_SVK
#define THIRD third_d
#else
#define THIRD NULL
#endif

#define TRIANGLE_KIND                                                                              \
  .nvert = 3, .vdim = SD, .ndof = 3 * SD, .npar = FLAT_COUNT, .nrest = ORTHO ? 13 : 7,             \
  .par = FLAT_PAR, .d = {prepare_d, eval_d, NULL, mass_d, THIRD},                                  \
  .z = {prepare_z, eval_z, NULL, mass_z}, .nfield = 2, .field_info = pl_solid_fields,              \
  .field = field, .stiff = 1, .mixed = mixed_d, .stress = stress, .sample = sample
