#include "element_impl.h"

#include <string.h>

#define ROW(name_, value_, lo_, hi_, unit_, text_)                                                 \
  {                                                                                                \
    .name = name_, .type = PL_OPT_REAL, .value = value_, .lo = lo_, .hi = hi_, .unit = unit_,      \
    .text = text_                                                                                  \
  }

const pl_option pl_solid_par[3] = {
    ROW("young", 1e9, 0, 1e15, "Pa", "Young's modulus"),
    ROW("poisson", 0.3, -0.999, 0.4999, "", "Poisson's ratio"),
    ROW("density", 1000, 0, 1e7, "kg/m^3", "mass density"),
};

const pl_option pl_plane_par[4] = {
    ROW("young", 1e9, 0, 1e15, "Pa", "Young's modulus"),
    ROW("poisson", 0.3, -0.999, 0.5, "", "Poisson's ratio"),
    ROW("density", 1000, 0, 1e7, "kg/m^3", "mass density"),
    ROW("thickness", 1e-3, 1e-12, 1e6, "m", "thickness, uniform"),
};

const pl_field_info pl_solid_fields[2] = {
    {"strain", "", "largest principal Green strain by size"},
    {"stress", "Pa", "von Mises equivalent of the Cauchy stress"},
};

// ---- laws: second Piola-Kirchhoff stress S[rd][rd] and energy per volume from E -----------------

static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};

// S = 2 mu E + la tr E, with another tr E where dilation tells one
static int svk(int rd, const double *E, double la, double mu, const double *dilation, double *S,
               double *psi) {
  double tr = dilation ? *dilation : 0;
  for (int k = 0; k < rd && !dilation; k++) tr += E[k * rd + k];
  for (int k = 0; k < rd * rd; k++) S[k] = 2 * mu * E[k];
  for (int k = 0; k < rd; k++) S[k * rd + k] += la * tr;
  *psi = 0.5 * la * tr * tr;
  for (int k = 0; k < rd * rd; k++) *psi += mu * E[k] * E[k];
  return 0;
}

// S = mu (1 - C^-1) + p C^-1, p = la ln J; where dilation tells another J' - 1, p = la J ln J'/J'
static int neo_hooke(const double *E, double la, double mu, const double *dilation, double *S,
                     double *psi) {
  double C[9], Ci[9], tr = 0;
  for (int k = 0; k < 9; k++) C[k] = 2 * E[k] + (k % 4 == 0);
  double det = pl_det3(C);
  if (!(det > 0) || (dilation && !(*dilation > -1))) return 1;
  double lnJ = 0.5 * log(det), ln_mean = dilation ? log1p(*dilation) : lnJ;
  double p = la * ln_mean * (dilation ? sqrt(det) / (1 + *dilation) : 1);
  pl_inv3(C, Ci);
  for (int k = 0; k < 9; k++) S[k] = mu * ((k % 4 == 0) - Ci[k]) + p * Ci[k];
  for (int k = 0; k < 3; k++) tr += E[4 * k];
  *psi = mu * (tr - lnJ) + 0.5 * la * ln_mean * ln_mean;
  return 0;
}

// Laws of laws.h by what they take. across: the strain across a sheet. dilation: J' - 1 that makes
// the pressure in place of all but a bulk modulus of 2/3 mu, see tet10.inc.
static int law_piola(int rd, const double *E, const double *law, int which, const double *dilation,
                     double *across, double *S, double *psi) {
  static const int pair2[3][2] = {{0, 0}, {1, 1}, {0, 1}};
  const int(*at)[2] = rd == 3 ? pair : pair2;
  int n = rd == 3 ? 6 : 3, bad = 0;
  double e[6], s[6] = {0}, par[HYPER_NPAR], add = 0;
  for (int r = 0; r < n; r++) e[r] = (r < rd ? 1 : 2) * E[at[r][0] * rd + at[r][1]];
  *psi = 0;
  if (which == LAW_ORTHO) {
    for (int r = 0; r < n * n; r++) s[r / n] += law[r] * e[r % n];
    for (int r = 0; r < n; r++) *psi += 0.5 * s[r] * e[r];
  } else if (rd == 3) {
    memcpy(par, law, sizeof par);
    if (dilation) par[HYPER_BULK] = 2.0 / 3 * pl_hyper_shear_d(law);
    if (dilation) add = law[HYPER_BULK] - par[HYPER_BULK];
    bad = pl_hyper_d(e, par, psi, s, NULL);
  } else {
    bad = pl_hyper_plane_d(e, law, psi, s, NULL, across);
  }
  for (int r = 0; r < n; r++) S[at[r][0] * rd + at[r][1]] = S[at[r][1] * rd + at[r][0]] = s[r];
  if (bad || add == 0) return bad;
  double C[9], Ci[9];
  for (int k = 0; k < 9; k++) C[k] = 2 * E[k] + (k % 4 == 0);
  pl_inv3(C, Ci);
  for (int k = 0; k < 9; k++) S[k] += add * *dilation * sqrt(pl_det3(C)) * Ci[k];
  *psi += 0.5 * add * *dilation * *dilation;
  return 0;
}

// the law by what it takes, in plane stress when rd is 2; across: the strain across a sheet; 1:
// outside its domain
static int piola(int rd, const double *E, const double *par, int law, const double *dilation,
                 double *across, double *S, double *psi) {
  *across = 0;
  if (law == LAW_HYPER || law == LAW_ORTHO)
    return law_piola(rd, E, par, law, dilation, across, S, psi);
  double nu = par[1], mu = par[0] / (2 + 2 * nu);
  double la = 2 * mu * nu / (rd == 3 ? 1 - 2 * nu : 1 - nu);
  if (law == LAW_NEO_HOOKEAN) return neo_hooke(E, la, mu, dilation, S, psi);
  if (rd == 2) *across = -nu / (1 - nu) * (E[0] + E[3]);
  return svk(rd, E, la, mu, dilation, S, psi);
}

// ---- points -------------------------------------------------------------------------------------

// E[rd][rd] of F[sd][rd]
static void green(int sd, int rd, const double *F, double *E) {
  for (int k = 0; k < rd; k++)
    for (int l = 0; l < rd; l++) {
      double c = 0;
      for (int i = 0; i < sd; i++) c += F[i * rd + k] * F[i * rd + l];
      E[k * rd + l] = 0.5 * (c - (k == l));
    }
}

// Cauchy stress F S F' / J, J the change of volume; sheets keep their thickness but for
// hyperelastic ones, thin: 1 + 2 E33
static void cauchy(int sd, int rd, const double *F, double thin, const double *S, double *sigma) {
  double E[9], J;
  green(sd, rd, F, E);
  if (rd == 3)
    J = pl_det3(F);
  else
    J = sqrt(((1 + 2 * E[0]) * (1 + 2 * E[3]) - 4 * E[1] * E[2]) * thin);
  memset(sigma, 0, 9 * sizeof *sigma);
  for (int i = 0; i < sd; i++)
    for (int j = 0; j < sd; j++)
      for (int k = 0; k < rd; k++)
        for (int l = 0; l < rd; l++)
          sigma[3 * i + j] += F[i * rd + k] * S[k * rd + l] * F[j * rd + l] / J;
}

static void unpack(const double *t, double *A) {
  for (int r = 0; r < 6; r++)
    A[3 * pair[r][0] + pair[r][1]] = A[3 * pair[r][1] + pair[r][0]] = t[r];
}

static void pack(const double *A, double *t) {
  for (int r = 0; r < 6; r++) t[r] = A[3 * pair[r][0] + pair[r][1]];
}

double pl_von_mises(const double *t) {
  double p = (t[0] + t[1] + t[2]) / 3, dev = 0;
  for (int r = 0; r < 3; r++) dev += (t[r] - p) * (t[r] - p) + 2 * t[3 + r] * t[3 + r];
  return sqrt(1.5 * dev);
}

void pl_principal(const double *t, double value[3]) {
  double A[9], l[3], V[9];
  unpack(t, A);
  pl_eig3(A, l, V);
  for (int k = 0; k < 3; k++) value[k] = l[2 - k];
}

void pl_solid_field(int sd, int rd, const double *F, const double *par, int law,
                    const double *dilation, double *value) {
  double E[9], E3[9] = {0}, S[9], sigma[9], t[6], psi, lambda[3], V[9], across;
  green(sd, rd, F, E);
  for (int k = 0; k < rd; k++)
    for (int l = 0; l < rd; l++) E3[3 * k + l] = E[k * rd + l];
  pl_eig3(E3, lambda, V);
  value[0] = fabs(lambda[0]) > fabs(lambda[2]) ? lambda[0] : lambda[2];
  value[1] = NAN;
  if (piola(rd, E, par, law, dilation, &across, S, &psi)) return;
  cauchy(sd, rd, F, law == LAW_HYPER ? 1 + 2 * across : 1, S, sigma);
  pack(sigma, t);
  value[1] = pl_von_mises(t);
}

// out[3][3] = frame' A frame, or A itself
static void to_world(int rd, const double *frame, const double *A, double *out) {
  memset(out, 0, 9 * sizeof *out);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < rd; k++)
        for (int l = 0; l < rd; l++)
          out[3 * i + j] +=
              (frame ? frame[3 * k + i] * frame[3 * l + j] : (i == k) * (j == l)) * A[rd * k + l];
}

// E[rd][rd] += frame more frame'
static void add_strain(int rd, const double *frame, const double *more, double *E) {
  double M[9];
  unpack(more, M);
  for (int k = 0; k < rd; k++)
    for (int l = 0; l < rd; l++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          E[rd * k + l] +=
              (frame ? frame[3 * k + i] * frame[3 * l + j] : (i == k) * (j == l)) * M[3 * i + j];
}

int pl_solid_stress(int sd, int rd, const double *F, const double *frame, const double *par,
                    int law, const double *dilation, const double *more, pl_stress *out) {
  double E[9], S[9], A[9], across;
  green(sd, rd, F, E);
  if (more) add_strain(rd, frame, more, E);
  if (piola(rd, E, par, law, dilation, &across, S, &out->energy)) return 1;
  cauchy(sd, rd, F, law == LAW_HYPER ? 1 + 2 * across : 1, S, A);
  pack(A, out->stress);
  to_world(rd, frame, S, A);
  pack(A, out->second);
  to_world(rd, frame, E, A);
  if (rd == 2) {
    // across the plane nothing holds
    double n[3];
    pl_cross3(frame, frame + 3, n);
    for (int i = 0; i < 9; i++) A[i] += across * n[i / 3] * n[i % 3];
  }
  pack(A, out->strain);
  return 0;
}

int pl_solid_gradient(int nv, const double *dN, const double *x, const double *X, double *F,
                      double *det) {
  double D[9] = {0}, d[9] = {0}, inv[9];
  for (int a = 0; a < nv; a++)
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) {
        D[3 * i + k] += X[3 * a + i] * dN[3 * a + k];
        d[3 * i + k] += x[3 * a + i] * dN[3 * a + k];
      }
  *det = pl_det3(D);
  if (!(*det > 0)) return 1;
  pl_inv3(D, inv);
  pl_mul3(d, inv, F);
  return 0;
}

void pl_sample_shape(unsigned seed, int nvert, int vdim, const double *shape, double jitter,
                     double *X, double *q, double *v) {
  pl_rng r;
  pl_rng_seed(&r, seed);
  for (int k = 0; k < nvert * vdim; k++) {
    X[k] = shape[k] + pl_rng_uniform(&r, -jitter, jitter);
    q[k] = X[k] + pl_rng_uniform(&r, -jitter, jitter);
    v[k] = pl_rng_uniform(&r, -1, 1);
  }
}

void pl_sample_solid(unsigned seed, double *par) {
  pl_rng r;
  pl_rng_seed(&r, seed + 1000);
  par[0] = pl_rng_uniform(&r, 2, 4);
  par[1] = pl_rng_uniform(&r, -0.2, 0.4);
  par[2] = pl_rng_uniform(&r, 1, 3);
}
