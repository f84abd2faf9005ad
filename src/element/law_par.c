// Parameters of hyperelastic and orthotropic kinds, and samples of them.
#include "law_par.h"
#include "element_impl.h"

#include <string.h>

const pl_option pl_hyper_par[HYPER_NPAR + 1] = {
    HYPER_ROWS,
    FLAT_THICKNESS_ROW,
};

const pl_option pl_ortho_par[ORTHO_NPAR] = {
    FLAT_MODULI,
    LAW_ROW("density", 1000, 0, 1e7, "kg/m^3", "mass density"),
    LAW_ROW("young3", 1e9, 0, 1e15, "Pa", "Young's modulus along the third axis"),
    LAW_ROW("poisson12", 0.3, -1e3, 1e3, "", "contraction along 2 when pulled along 1"),
    LAW_ROW("poisson13", 0.3, -1e3, 1e3, "", "contraction along 3 when pulled along 1"),
    LAW_ROW("poisson23", 0.3, -1e3, 1e3, "", "contraction along 3 when pulled along 2"),
    LAW_ROW("shear12", 4e8, 0, 1e15, "Pa", "shear modulus between 1 and 2"),
    LAW_ROW("shear13", 4e8, 0, 1e15, "Pa", "shear modulus between 1 and 3"),
    LAW_ROW("shear23", 4e8, 0, 1e15, "Pa", "shear modulus between 2 and 3"),
    ANGLE_ROW,
    AXIS_ROWS,
};

const pl_option pl_flat_par[FLAT_NPAR] = {
    FLAT_MODULI,        LAW_ROW("density", 1000, 0, 1e7, "kg/m^3", "mass density"),
    FLAT_THICKNESS_ROW, FLAT_REST,
    AXIS_ROWS,
};

// a polynomial with all its terms, or Ogden's law, every third one with two terms alone
void pl_sample_hyper(unsigned seed, double *par) {
  pl_rng r;
  pl_rng_seed(&r, seed + 1000);
  double *c = par + HYPER_FIRST;
  par[HYPER_BULK] = pl_rng_uniform(&r, 1, 3);
  par[HYPER_FORM] = seed % 2;
  par[HYPER_DENSITY] = pl_rng_uniform(&r, 1, 3);
  for (int k = 0; k < 6; k++) c[k] = pl_rng_uniform(&r, 0.1, 0.3);
  if (seed % 2 == 0) {
    c[0] += 1;
    return;
  }
  c[0] += 0.5;
  c[1] = pl_rng_uniform(&r, 1, 3);
  c[3] = pl_rng_uniform(&r, -3, -1);
  c[5] = pl_rng_uniform(&r, 2.5, 4);
  if (seed % 3 == 0) c[4] = 0;
}

void pl_sample_ortho(unsigned seed, double *par) {
  static const double typical[] = {5, 2, 2, 3, 0.3, 0.2, 0.25, 1, 1.5, 0.8, 0.4};
  pl_rng r;
  pl_rng_seed(&r, seed + 1000);
  for (int k = 0; k <= ORTHO_ANGLE; k++) par[k] = typical[k] * pl_rng_uniform(&r, 0.8, 1.2);
  for (int k = ORTHO_AXES; k < ORTHO_NPAR; k++)
    par[k] = (k == ORTHO_AXES || k == ORTHO_AXES + 4) + pl_rng_uniform(&r, -0.4, 0.4);
}

void pl_sample_flat(unsigned seed, double *par) {
  static const double typical[] = {5, 2, 2, 0.1, 0.3, 1, 0.4};
  pl_rng r;
  pl_rng_seed(&r, seed + 1000);
  for (int k = 0; k <= FLAT_ANGLE; k++) par[k] = typical[k] * pl_rng_uniform(&r, 0.8, 1.2);
  for (int k = FLAT_AXES; k < FLAT_NPAR; k++)
    par[k] = (k == FLAT_AXES || k == FLAT_AXES + 4) + pl_rng_uniform(&r, -0.4, 0.4);
}
