// what the laws of the curved shell triangle share besides their kernels
#include "element_impl.h"

#define SHELL6_LAW (HYPER ? LAW_HYPER : ORTHO ? LAW_ORTHO : LAW_SVK)
#define SHELL6_ROWS                                                                                \
  {.name = "variant",                                                                              \
   .type = PL_OPT_INT,                                                                             \
   .value = 1,                                                                                     \
   .lo = 0,                                                                                        \
   .hi = 2,                                                                                        \
   .unit = "",                                                                                     \
   .text = "function of the angles at edges: 0 sin, 1 tan, 2 identity"},                           \
      LAW_ROW("curl", 0, -1e12, 1e12, "1/m",                                                       \
              "natural curvature in all directions, added to the mesh's")

static const pl_field_info shell6_fields[] = {
    {"strain", "",
     "largest principal Green strain of the middle surface by size, mean over the "
     "element"},
    {"stress", "Pa",
     "von Mises equivalent of the larger one of the two faces, mean over the "
     "element"},
    {"curvature", "1/m", "largest change of a principal curvature, without sign"},
};

// invariants of S in the basis of the edges at point q: tr S, tr S^2
static void invariants(const double *rest, int q, const double *S, double *tr, double *tr2) {
  const double *g = rest + SHELL6_POINT + 4 * q + 1;
  *tr = *tr2 = 0;
  for (int e = 0; e < 3; e++) {
    *tr -= g[e] * S[e];
    for (int f = 0; f < 3; f++) {
      double both = e == f ? (g[e] + g[(e + 1) % 3]) * (g[e] + g[(e + 2) % 3])
                           : -(g[e] + g[f]) * g[3 - e - f];
      *tr2 += 0.5 * (both + g[e] * g[f]) * S[e] * S[f];
    }
  }
}

// principal values
static void principal(const double *rest, int q, const double *S, double *p) {
  double tr, tr2;
  invariants(rest, q, S, &tr, &tr2);
  double r = sqrt(fmax(0, 0.5 * tr2 - 0.25 * tr * tr));
  p[0] = 0.5 * tr - r;
  p[1] = 0.5 * tr + r;
}

// von Mises equivalent of the strain F along the edges at point q; of rubber by its moduli at rest
static double equivalent(const double *par, const double *rest, int q, const double *F) {
#if ORTHO
  double v[3][3], A[9], e[3], s[3] = {0};
  basis_d(rest, q, v);
  pl_ortho_plane_moduli_d(par, rest + SHELL6_FRAME + 12 * q, A);
  for (int i = 0; i < 3; i++) e[i] = F[0] * v[0][i] + F[1] * v[1][i] + F[2] * v[2][i];
  for (int i = 0; i < 9; i++) s[i / 3] += A[i] * e[i % 3];
  return sqrt(s[0] * s[0] - s[0] * s[1] + s[1] * s[1] + 3 * s[2] * s[2]);
#else
  double la, mu, p[2];
  lame_d(par, &la, &mu);
  principal(rest, q, F, p);
  double s1 = la * (p[0] + p[1]) + 2 * mu * p[0], s2 = la * (p[0] + p[1]) + 2 * mu * p[1];
  return sqrt(s1 * s1 - s1 * s2 + s2 * s2);
#endif
}

static void field(const double *q, const double *par, const double *rest, double *value) {
  shape_d s;
  value[0] = value[1] = value[2] = 0;
  if (strains_d(q, par, rest, &s)) return;
  for (int i = 0; i < 3; i++) {
    double w = rest[SHELL6_POINT + 4 * i] / rest[SHELL6_AREA], p[2], most = 0;
    principal(rest, i, s.E[i], p);
    value[0] += w * (fabs(p[0]) > fabs(p[1]) ? p[0] : p[1]);
    principal(rest, i, s.K[i], p);
    value[2] += w * fmax(fabs(p[0]), fabs(p[1]));
    for (int face = -1; face <= 1; face += 2) {
      double F[3];
      for (int e = 0; e < 3; e++) F[e] = s.E[i][e] - 0.5 * face * par[SHELL6_THICKNESS] * s.K[i][e];
      most = fmax(most, equivalent(par, rest, i, F));
    }
    value[1] += w * most;
  }
}

// at natural coordinates l[3]: the vectors dX/dl_1 and dX/dl_2 of own nodes x
static void tangents(const double *x, const double *l, double t[2][3]) {
  double c[6];
  for (int k = 0; k < 2; k++) {
    shell6_slope(0, k + 1, l, c);
    sum_d(x, c, t[k]);
  }
}

// d[2][3], dual to t in their plane
static void duals(double t[2][3], double d[2][3]) {
  double n[3];
  pl_cross3(t[0], t[1], n);
  double nn = pl_dot3(n, n);
  pl_cross3(t[1], n, d[0]);
  pl_cross3(n, t[0], d[1]);
  for (int i = 0; i < 6; i++) d[i / 3][i % 3] /= nn;
}

// tensor T[6] of numbers along the edges, linear between the three points: sum_e S_e of the basis
static void to_tensor(double S[3][3], const double *l, double d[2][3], double *T) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
  double grad[3][3];
  for (int i = 0; i < 3; i++) {
    grad[1][i] = d[0][i];
    grad[2][i] = d[1][i];
    grad[0][i] = -d[0][i] - d[1][i];
  }
  memset(T, 0, 6 * sizeof *T);
  for (int e = 0; e < 3; e++) {
    const double *a = grad[(e + 1) % 3], *b = grad[(e + 2) % 3];
    double v = 0;
    for (int p = 0; p < 3; p++) v += (2 * l[p] - 1. / 3) * S[p][e];
    for (int r = 0; r < 6; r++) {
      int i = pair[r][0], j = pair[r][1];
      T[r] -= 0.5 * v * (a[i] * b[j] + a[j] * b[i]);
    }
  }
}

static void to_frame(double t[2][3], double *frame) {
  double n[3], e[3];
  pl_cross3(t[0], t[1], n);
  pl_cross3(n, t[0], e);
  for (int i = 0; i < 3; i++) {
    frame[i] = t[0][i] / pl_norm3(t[0]);
    frame[3 + i] = e[i] / pl_norm3(e);
  }
}

// the strain of the edges' values, s, in place of that of F
static int stress_at(const double *q, const double *X, const double *par, shape_d *s,
                     const double *at, const double *more, pl_stress *out) {
  const double l[3] = {1 - at[0] - at[1], at[0], at[1]};
  double T[2][3], t[2][3], d[2][3], frame[6], F[6], own[6], add[6];
  const double *law = par;
  pl_stress plain;
  tangents(X, l, T);
  tangents(q, l, t);
  duals(T, d);
  to_frame(T, frame);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++)
      F[2 * i + k] =
          t[0][i] * pl_dot3(d[0], frame + 3 * k) + t[1][i] * pl_dot3(d[1], frame + 3 * k);
  to_tensor(s->E, l, d, own);
#if ORTHO
  double moduli[9];
  pl_ortho_plane_moduli_d(par, frame, moduli);
  law = moduli;
#endif
  // in the plane; what is across it is not looked at
  if (pl_solid_stress(3, 2, F, frame, law, SHELL6_LAW, NULL, NULL, &plain)) return 1;
  for (int r = 0; r < 6; r++) add[r] = own[r] - plain.strain[r] + (more ? more[r] : 0);
  return pl_solid_stress(3, 2, F, frame, law, SHELL6_LAW, NULL, add, out);
}

static int stress(const double *q, const double *X, const double *par, const double *rest, int n,
                  const double *at, const double *more, pl_stress *out) {
  shape_d s;
  int bad = strains_d(q, par, rest, &s);
  for (int i = 0; i < n && !bad; i++)
    bad = stress_at(q, X, par, &s, at + 3 * i, more ? more + 6 * i : NULL, &out[i]);
  return bad;
}

// K is positive where the side of the normal is hollow
static void curvature(const double *q, const double *X, const double *par, const double *rest,
                      int side, const double *at, double *S) {
  const double l[3] = {1 - at[0] - at[1], at[0], at[1]};
  double T[2][3], d[2][3];
  shape_d s;
  (void)side;
  memset(S, 0, 6 * sizeof *S);
  if (strains_d(q, par, rest, &s)) return;
  tangents(X, l, T);
  duals(T, d);
  to_tensor(s.K, l, d, S);
  for (int r = 0; r < 6; r++) S[r] = -S[r];
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[45] = {0, 0,   0, 10, 1,  1, 4,  9,  2,   7, 5,   2, 2,  4.5,  1.5,
                                   5, 0.5, 1, 13, 10, 3, 11, 5,  2.5, 9, 9.5, 3, -5, 8,    2.5,
                                   0, 9,   3, -3, 4,  2, 6,  -8, 2,   3, -4,  1, 8,  -3.5, 2};
  pl_rng r;
  pl_sample_shape(seed, 15, 3, shape, 0.1, X, q, v);
  pl_rng_seed(&r, seed + 2000);
  for (int i = 45; i < SHELL6_NDOF; i++) {
    X[i] = pl_rng_uniform(&r, -0.05, 0.05);
    q[i] = X[i] + pl_rng_uniform(&r, -0.05, 0.05);
    v[i] = pl_rng_uniform(&r, -1, 1);
  }
  SHELL6_SAMPLE(seed, par);
#if HYPER
  if (seed % 5 == 0) par[HYPER_BULK] = 0;
#endif
  par[SHELL6_THICKNESS] = pl_rng_uniform(&r, 0.3, 0.6);
  par[SHELL6_VARIANT] = seed % 3;
  par[SHELL6_CURL] = pl_rng_uniform(&r, -0.02, 0.02);
}

#define SHELL6_KIND                                                                                \
  .nvert = 15, .vdim = 3, .nscal = 6, .ndof = SHELL6_NDOF, .npar = COUNT(shell6_par),              \
  .nrest = ORTHO || HYPER ? SHELL6_NLAID : SHELL6_NREST, .par = shell6_par,                        \
  .d = {prepare_d, eval_d, NULL, mass_d}, .z = {prepare_z, eval_z, NULL, mass_z},                  \
  .nfield = COUNT(shell6_fields), .field_info = shell6_fields, .field = field, .stress = stress,   \
  .nside = 1, .curvature = curvature, .stiff = 1, .mixed = mixed_d, .sample = sample
