#include "element_impl.h"

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

// second Piola-Kirchhoff stress S[rd][rd] from E and F
static void piola(int rd, const double *F, const double *E, double la, double mu, int neo_hookean,
                  const double *dilation, double *S) {
  if (!neo_hookean) {
    double tr = dilation ? *dilation : 0;
    for (int k = 0; k < rd && !dilation; k++) tr += E[k * rd + k];
    for (int k = 0; k < rd * rd; k++) S[k] = 2 * mu * E[k];
    for (int k = 0; k < rd; k++) S[k * rd + k] += la * tr;
    return;
  }
  // S = mu (I - C^-1) + la ln J C^-1
  double C[9], Ci[9], lnJ = log(pl_det3(F));
  for (int k = 0; k < 9; k++) C[k] = 2 * E[k] + (k % 4 == 0);
  pl_inv3(C, Ci);
  for (int k = 0; k < 9; k++) S[k] = mu * ((k % 4 == 0) - Ci[k]) + la * lnJ * Ci[k];
}

void pl_solid_field(int sd, int rd, const double *F, const double *par, int neo_hookean,
                    const double *dilation, double *value) {
  double nu = par[1], mu = par[0] / (2 + 2 * nu);
  double la = 2 * mu * nu / (rd == 3 ? 1 - 2 * nu : 1 - nu);
  double E[9], E3[9] = {0}, S[9], sigma[9] = {0}, lambda[3], V[9];
  for (int k = 0; k < rd; k++)
    for (int l = 0; l < rd; l++) {
      double c = 0;
      for (int i = 0; i < sd; i++) c += F[i * rd + k] * F[i * rd + l];
      E[k * rd + l] = E3[3 * k + l] = 0.5 * (c - (k == l));
    }
  pl_eig3(E3, lambda, V);
  value[0] = fabs(lambda[0]) > fabs(lambda[2]) ? lambda[0] : lambda[2];
  piola(rd, F, E, la, mu, neo_hookean, dilation, S);

  // Cauchy stress F S F' / J, J the change of volume, or of area for a membrane
  double J = 1;
  if (rd == 3)
    J = pl_det3(F);
  else
    J = sqrt((1 + 2 * E[0]) * (1 + 2 * E[3]) - 4 * E[1] * E[2]);
  for (int i = 0; i < sd; i++)
    for (int j = 0; j < sd; j++)
      for (int k = 0; k < rd; k++)
        for (int l = 0; l < rd; l++)
          sigma[3 * i + j] += F[i * rd + k] * S[k * rd + l] * F[j * rd + l] / J;
  double p = (sigma[0] + sigma[4] + sigma[8]) / 3, dev = 0;
  for (int k = 0; k < 9; k++) {
    double d = sigma[k] - (k % 4 == 0 ? p : 0);
    dev += d * d;
  }
  value[1] = sqrt(1.5 * dev);
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
