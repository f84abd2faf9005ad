// what the laws of bending by normals at edges share besides their kernels
#include "element_impl.h"

static const pl_field_info midedge_fields[] = {
    {"curvature", "1/m", "largest change of a principal curvature, without sign"},
    {"density", "J/m^2", "bending energy per area at rest"},
};

// invariants of S from the gradients' products: tr S = sum d_i G_ii, tr S^2 = sum d_i d_j G_ij^2
static void field(const double *q, const double *par, const double *rest, double *value) {
  side_d e[3];
  double Q[9], d[3], P[3], tr = 0, tr2 = 0;
  int bad = 0;
  value[0] = value[1] = 0;
  for (int i = 0; i < 3; i++) bad |= look_d(q, i, rest[10 + i], &e[i]);
  if (bad || form_d(par, rest, e, Q, d, P)) return;
  for (int i = 0; i < 3; i++) {
    tr += d[i] * rest[i];
    for (int j = 0; j < 3; j++) {
      double g = i == j ? rest[i] : rest[6 - i - j];
      tr2 += d[i] * d[j] * g * g;
    }
    value[1] += 0.5 * P[i] * d[i] / rest[6];
  }
  value[0] = 0.5 * fabs(tr) + sqrt(fmax(0, 0.5 * tr2 - 0.25 * tr * tr));
}

// S in the axes of the reference shape, by the gradients m_i/h_i there
static void curvature(const double *q, const double *X, const double *par, const double *rest,
                      int side, const double *at, double *S) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
  side_d e[3], e0[3];
  double Q[9], d[3], P[3];
  int bad = 0;
  (void)side, (void)at;
  memset(S, 0, 6 * sizeof *S);
  for (int i = 0; i < 3; i++)
    bad |= look_d(q, i, rest[10 + i], &e[i]) || look_d(X, i, rest[10 + i], &e0[i]);
  if (bad || form_d(par, rest, e, Q, d, P)) return;
  for (int i = 0; i < 3; i++) {
    const double *m = e0[i].f[0].m;
    for (int r = 0; r < 6; r++) S[r] += d[i] * rest[i] * m[pair[r][0]] * m[pair[r][1]];
  }
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[18] = {0,   0,   0,   1,    0.1, 0.1,  0.4, 0.9,  0.2,
                                   1.3, 1.0, 0.3, -0.5, 0.8, 0.25, 0.6, -0.8, 0.2};
  pl_rng r;
  pl_sample_shape(seed, 6, 3, shape, 0.12, X, q, v);
  pl_rng_seed(&r, seed + 2000);
  for (int i = 18; i < 21; i++) {
    X[i] = pl_rng_uniform(&r, -0.2, 0.2);
    q[i] = X[i] + pl_rng_uniform(&r, -0.2, 0.2);
    v[i] = pl_rng_uniform(&r, -1, 1);
  }
  MIDEDGE_SAMPLE(seed, &r, par);
  par[MIDEDGE_SCALE] = pl_rng_uniform(&r, 0.5, 2);
  par[MIDEDGE_VARIANT] = seed % 3;
  par[MIDEDGE_CURL] = ORTHO ? pl_rng_uniform(&r, -0.3, 0.3) : 0;
}

#define MIDEDGE_ROWS                                                                               \
  {.name = "variant",                                                                              \
   .type = PL_OPT_INT,                                                                             \
   .value = 1,                                                                                     \
   .lo = 0,                                                                                        \
   .hi = 2,                                                                                        \
   .unit = "",                                                                                     \
   .text = "function of the angles: 0 sin, 1 tan, 2 identity"},                                    \
      PAR("curl", 0, -1e12, 1e12, "1/m",                                                           \
          "natural curvature in all directions, added to the mesh's")
#define MIDEDGE_SCALE_ROW PAR("scale", 1, 0, 1e12, "", "factor on the bending stiffness")
#define MIDEDGE_KIND                                                                               \
  .nvert = 6, .vdim = 3, .nscal = 3, .ndof = 21, .npar = COUNT(midedge_par),                       \
  .nrest = ORTHO ? 25 : 13, .par = midedge_par, .d = {prepare_d, eval_d, NULL, NULL},              \
  .z = {prepare_z, eval_z, NULL, NULL}, .nfield = COUNT(midedge_fields),                           \
  .field_info = midedge_fields, .field = field, .nside = 1, .curvature = curvature,                \
  .sample = sample
