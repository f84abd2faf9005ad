// W = k/2 (|q1 - q0| - L)^2; rigid links by penalty: harmonic-balance paper, App. E.
#define BODY "link.inc"
#define PACKED
#define MIXED
#include "kernel.h"
#include "element_impl.h"

static const pl_option par_options[] = {
    PAR("stiffness", 1e6, 0, 1e30, "N/m", "penalty stiffness, well above that of the springs"),
    PAR("mass", 0, 0, 1e30, "kg", "mass of the link, a uniform bar"),
};

static const pl_field_info field_info[] = {
    {"strain", "", "length over rest length, minus one"},
    {"force", "N", "axial force, > 0: tension"},
};

static void field(const double *q, const double *par, const double *rest, double *value) {
  double d[3], l = 0;
  span_d(q, d, &l);
  value[0] = l / rest[0] - 1;
  value[1] = par[0] * (l - rest[0]);
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[6] = {0, 0, 0, 1, 0.3, -0.2};
  pl_sample_shape(seed, 2, 3, shape, 0.2, X, q, v);
  par[0] = 3 + 0.1 * (seed % 10);
  par[1] = 0.5 + 0.1 * (seed % 7);
}

const pl_elem_kind pl_elem_link = {
    .name = "link",
    .text = "nearly rigid link: stiff distance penalty between two vertices",
    .nvert = 2,
    .vdim = 3,
    .ndof = 6,
    .npar = COUNT(par_options),
    .nrest = 1,
    .stiff = 1,
    .rigid = 1,
    .par = par_options,
    .d = {prepare_d, eval_d, NULL, mass_d, third_d},
    .z = {prepare_z, eval_z, NULL, mass_z},
    .p = {eval_p, third_p, mixed_p, NULL},
    .nfield = COUNT(field_info),
    .field_info = field_info,
    .field = field,
    .mixed = mixed_d,
    .sample = sample,
};
