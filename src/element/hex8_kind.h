// what the laws of the hexahedron share besides their kernels
#include "element_impl.h"
#include "solid_kind.h"

#if ENHANCED
// F and E at the Gauss points, and the internal strains
static int find_alpha(const double *q, const double *par, const double *rest, double F[8][9],
                      double E[8][6], double *alpha) {
  double x[24], K[NMODE * NMODE], buffer[36];
  transpose_d(8, 3, q, x);
  for (int g = 0; g < 8; g++) {
    gradient_d(8, 3, 3, x, rest + 25 * g, F[g]);
    green_d(F[g], E[g]);
  }
  return relax_d((const double(*)[6])E, strain_law_data_d(par, buffer), rest, alpha, K);
}

// F + F^-T (e - E), whose Green strain is e, the one with internal strains, to first order in e - E
static void enhance_gradients(const double *q, const double *par, const double *rest,
                              double F[8][9]) {
  double E[8][6], alpha[NMODE];
  if (find_alpha(q, par, rest, F, E, alpha)) return;
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
  double F[8][9], one[2], volume = 0, buffer[36];
  const double *law = law_data_d(par, buffer);
  value[0] = value[1] = 0;
#if ENHANCED
  enhance_gradients(q, par, rest, F);
#else
  double x[24];
  transpose_d(8, 3, q, x);
  for (int g = 0; g < 8; g++) gradient_d(8, 3, 3, x, rest + 25 * g, F[g]);
#endif
  for (int g = 0; g < 8; g++, rest += 25) {
    pl_solid_field(3, 3, F[g], law, LAW, NULL, one);
    volume += rest[24];
    for (int k = 0; k < 2; k++) value[k] += rest[24] * one[k];
  }
  for (int k = 0; k < 2; k++) value[k] /= volume;
}

#if ENHANCED
// strain that is added to E at natural coordinates at[3], where det dX/dxi is det
static void add_strain(const double *alpha, const double *rest, const double *at, double det,
                       double *more) {
  double a[6] = {0};
  for (int m = 0; m < NMODE; m++) {
    double phi = alpha[m];
    for (int k = 0; k < 3; k++)
      if (eas_mode[m][k + 1]) phi *= at[k];
    a[eas_mode[m][0]] += phi;
  }
  // shears count twice in T
  for (int r = 0; r < 6; r++)
    for (int c = 0; c < 6; c++)
      more[r] += (r < 3 ? 1 : 0.5) * rest[236] / det * rest[200 + 6 * r + c] * a[c];
}
#endif

// [8][3]
static void shape_slopes(const double *at, double *dN) {
  for (int a = 0; a < 8; a++)
    for (int k = 0; k < 3; k++) {
      dN[3 * a + k] = 1. / 8;
      for (int i = 0; i < 3; i++) {
        int s = hex8_sign(a, i);
        dN[3 * a + k] *= i == k ? s : 1 + s * at[i];
      }
    }
}

static int stress(const double *q, const double *X, const double *par, const double *rest, int n,
                  const double *at, const double *more, pl_stress *out) {
  double F[9], det, dN[24], buffer[36];
  const double *law = law_data_d(par, buffer);
#if ENHANCED
  double G[8][9], E[8][6], alpha[NMODE];
  if (find_alpha(q, par, rest, G, E, alpha)) return 1;
#else
  (void)rest;
#endif
  for (int i = 0; i < n; i++) {
    double add[6] = {0};
    shape_slopes(at + 3 * i, dN);
    if (pl_solid_gradient(8, dN, q, X, F, &det)) return 1;
    for (int r = 0; more && r < 6; r++) add[r] = more[6 * i + r];
#if ENHANCED
    add_strain(alpha, rest, at + 3 * i, det, add);
#endif
    if (pl_solid_stress(3, 3, F, NULL, law, LAW, NULL, add, &out[i])) return 1;
  }
  return 0;
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
  SAMPLE_PAR(seed, par);
}

#if !PLAIN_SVK || ENHANCED
#define THIRD NULL
#else
#define THIRD third_d
#endif

#define HEX8_KIND                                                                                  \
  .nvert = 8, .vdim = 3, .ndof = 24, .npar = SOLID_NPAR, .nrest = ENHANCED ? 237 : 200,            \
  .par = SOLID_PAR, .d = {prepare_d, eval_d, NULL, mass_d, THIRD},                                 \
  .z = {prepare_z, eval_z, NULL, mass_z}, .nfield = 2, .field_info = pl_solid_fields,              \
  .field = field, .stiff = 1, .mixed = mixed_d, .volume = volume, .stress = stress,                \
  .sample = sample
