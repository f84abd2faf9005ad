// W = k/2 (l - l0)^2 between points of links in link coordinates: harmonic-balance paper, App. E.
#define BODY "spring.inc"
#define PACKED
#define VISC
#include "kernel.h"
#include "element_impl.h"

static const pl_option par_options[] = {
    PAR("stiffness", 1, -1e30, 1e30, "N/m", "axial stiffness"),
    PAR("rest", 0, 0, 1e12, "m", "rest length"),
    PAR("damping", 0, -1e30, 1e30, "N.s/m", "dashpot force per rate of the length"),
    PAR("s0", 0, -1e6, 1e6, "", "place of the first end along its link, 0 to 1 from a to b"),
    PAR("offset0", 0, -1e12, 1e12, "m", "distance of the first end to the left of its link"),
    PAR("s1", 0, -1e6, 1e6, "", "place of the second end along its link, 0 to 1 from a to b"),
    PAR("offset1", 0, -1e12, 1e12, "m", "distance of the second end to the left of its link"),
};

static const pl_field_info field_info[] = {
    {"length", "m", "distance of the two ends"},
    {"force", "N", "elastic axial force, > 0: tension"},
};

static void field(const double *q, const double *par, const double *rest, double *value) {
  double d[3], A[36];
  (void)rest;
  value[0] = value[1] = 0;
  if (ends_d(q, par, d, A)) return;
  value[0] = pl_norm3(d);
  value[1] = par[0] * (value[0] - par[1]);
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[12] = {0, 0, 0, 1, 0, 0, 0.5, 1, 0, 1.5, 1.3, 0};
  pl_sample_shape(seed, 4, 3, shape, 0.1, X, q, v);
  pl_rng r;
  pl_rng_seed(&r, seed + 1000);
  par[0] = pl_rng_uniform(&r, 1, 3);
  par[1] = pl_rng_uniform(&r, 0.5, 1.5);
  par[2] = pl_rng_uniform(&r, 0.1, 1);
  par[3] = pl_rng_uniform(&r, 0, 1);
  par[5] = pl_rng_uniform(&r, 0, 1);
  // every third without offsets: their derivatives count there too
  for (int i = 4; i < 7; i += 2) par[i] = seed % 3 ? pl_rng_uniform(&r, -0.2, 0.2) : 0;
}

const pl_elem_kind pl_elem_spring = {
    .name = "spring",
    .text = "axial spring and dashpot between points of two links",
    .nvert = 4,
    .vdim = 3,
    .ndof = 12,
    .npar = COUNT(par_options),
    .planar = 1,
    .damped = 1,
    .par = par_options,
    .d = {prepare_d, eval_d, visc_d, NULL, third_d},
    .z = {prepare_z, eval_z, visc_z, NULL},
    .p = {eval_p, third_p, NULL, visc_p},
    .nfield = COUNT(field_info),
    .field_info = field_info,
    .field = field,
    .sample = sample,
};
