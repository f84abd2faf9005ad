// what the laws of the quadratic tetrahedron share besides their kernels
#include "element_impl.h"
#include "solid_kind.h"

// F[9] at point g
static void point_gradient(int g, const double *q, const double *rest, double *F) {
  double y[12], x[12];
  slopes_d(g, q, y);
  transpose_d(4, 3, y, x);
  gradient_d(4, 3, 3, x, rest + 13 * g, F);
}

// means over the volume
static void field(const double *q, const double *par, const double *rest, double *value) {
  double F[4][9], one[2], volume = 0, dilation = 0, buffer[36];
  const double *law = law_data_d(par, buffer);
  value[0] = value[1] = 0;
  for (int g = 0; g < 4; g++) {
    point_gradient(g, q, rest, F[g]);
    volume += rest[13 * g + 12];
    for (int k = 0; k < 9; k++)
      dilation += rest[13 * g + 12] * 0.5 * (F[g][k] * F[g][k] - (k % 4 == 0));
  }
  dilation /= volume;
  for (int g = 0; g < 4; g++) {
    pl_solid_field(3, 3, F[g], law, LAW, MEAN ? &dilation : NULL, one);
    for (int k = 0; k < 2; k++) value[k] += rest[13 * g + 12] / volume * one[k];
  }
}

#if MEAN
// mean over the volume of theta, see tet10.inc
static double mean_dilation(const double *q, const double *rest) {
  double y[12], x[12], volume = 0, sum = 0;
  for (int g = 0; g < 4; g++) {
    slopes_d(g, q, y);
    transpose_d(4, 3, y, x);
    volume += rest[13 * g + 12];
    sum += rest[13 * g + 12] * theta_d(x, rest + 13 * g);
  }
  return sum / volume;
}
#endif

// dN/dl_k - dN/dl_0, [10][3]
static void shape_slopes(const double *at, double *dN) {
  const double l[4] = {1 - at[0] - at[1] - at[2], at[0], at[1], at[2]};
  memset(dN, 0, 30 * sizeof *dN);
  for (int a = 0; a < 10; a++)
    for (int t = 0; t < tet10_nslope(a); t++) {
      int c = tet10_slope[a][t][0];
      double f = tet10_factor(a, t, l);
      for (int k = 0; k < 3; k++) dN[3 * a + k] += f * ((c == k + 1) - (c == 0));
    }
}

static int stress(const double *q, const double *X, const double *par, const double *rest, int n,
                  const double *at, const double *more, pl_stress *out) {
  double buffer[36], F[9], det, dN[30], *mean = NULL;
  const double *law = law_data_d(par, buffer);
#if MEAN
  double dilation = mean_dilation(q, rest);
  mean = &dilation;
#else
  (void)rest;
#endif
  for (int i = 0; i < n; i++) {
    shape_slopes(at + 3 * i, dN);
    if (pl_solid_gradient(10, dN, q, X, F, &det) ||
        pl_solid_stress(3, 3, F, NULL, law, LAW, mean, more ? more + 6 * i : NULL, &out[i]))
      return 1;
  }
  return 0;
}

static double volume(const double *q, const double *rest) {
  double F[9], least = INFINITY;
  for (int g = 0; g < 4; g++) {
    point_gradient(g, q, rest, F);
    least = fmin(least, pl_det3(F));
  }
  return least;
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[30] = {0,   0, 0, 2,   0, 0, 0.4, 2,   0, 0.6, 0.2, 2, 1,   0,   0,
                                   1.2, 1, 0, 0.2, 1, 0, 0.3, 0.1, 1, 1.3, 0.1, 1, 0.5, 1.1, 1};
  pl_sample_shape(seed, 10, 3, shape, 0.06, X, q, v);
  SAMPLE_PAR(seed, par);
}

#if !PLAIN_SVK
#define THIRD NULL
#else
#define THIRD third_d
#endif

#define TET10_KIND                                                                                 \
  .nvert = 10, .vdim = 3, .ndof = 30, .npar = SOLID_NPAR, .nrest = 82, .par = SOLID_PAR,           \
  .d = {prepare_d, eval_d, NULL, mass_d, THIRD}, .z = {prepare_z, eval_z, NULL, mass_z},           \
  .nfield = 2, .field_info = pl_solid_fields, .field = field, .stiff = 1, .mixed = mixed_d,        \
  .volume = volume, .stress = stress, .sample = sample
