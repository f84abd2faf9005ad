// W = c prod_i u_i^p_i over up to eight scalar unknowns; sums of such terms are any polynomial.
#define BODY "monomial.inc"
#include "kernel.h"
#include "element_impl.h"

#define POWER(name_)                                                                               \
  {                                                                                                \
    .name = name_, .type = PL_OPT_INT, .value = 0, .lo = 0, .hi = POWER_MAX, .unit = "",           \
    .text = "power of this unknown"                                                                \
  }

static const pl_option par_options[] = {
    PAR("coefficient", 1, -1e30, 1e30, "", "factor, in J/m^(sum of powers), always SI"),
    POWER("power_1"),
    POWER("power_2"),
    POWER("power_3"),
    POWER("power_4"),
    POWER("power_5"),
    POWER("power_6"),
    POWER("power_7"),
    POWER("power_8"),
};

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[MONOMIAL_MAX] = {0};
  pl_sample_shape(seed, MONOMIAL_MAX, 1, shape, 1, X, q, v);
  pl_rng r;
  pl_rng_seed(&r, seed + 1000);
  par[0] = pl_rng_uniform(&r, -2, 2);
  for (int i = 0; i < MONOMIAL_MAX; i++) par[1 + i] = floor(pl_rng_uniform(&r, 0, 4));
  // now and then an unknown at rest: 0^p must not divide
  if (seed % 3 == 0) q[seed % MONOMIAL_MAX] = X[seed % MONOMIAL_MAX];
}

const pl_elem_kind pl_elem_monomial = {
    .name = "monomial",
    .text = "one term of a polynomial potential over up to eight scalar unknowns",
    .nscal = MONOMIAL_MAX,
    .ndof = MONOMIAL_MAX,
    .npar = COUNT(par_options),
    .nrest = MONOMIAL_MAX,
    .inert = 1,
    .par = par_options,
    .d = {prepare_d, eval_d, NULL, NULL},
    .z = {prepare_z, eval_z, NULL, NULL},
    .sample = sample,
};
