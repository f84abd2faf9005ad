// W = k/2 max(0, stretch)^2 of a cable through several points without friction, as long as it is
// driven to be.
#define BODY "tendon.inc"
#include "kernel.h"
#include "element_impl.h"

static const pl_option par_options[] = {
    PAR("stiffness", 1e6, 0, 1e30, "N/m",
        "tension per length by which the whole cable is stretched"),
    PAR("slack", 0, -1e9, 1e9, "m", "length of the cable beyond its path at rest"),
};

static const pl_field_info field_info[] = {
    {"force", "N", "tension"},
    {"length", "m", "length of its path"},
};

static void field(const double *q, const double *par, const double *rest, double *value) {
  double n[18], l[6];
  value[1] = pieces_d(q, n, l);
  value[0] = par[0] * fmax(0, value[1] - rest[0] + q[21] - par[1]);
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[21] = {0,   0,   0,   1,   0.2, 0.1, 1.9, -0.2, 0.3, 2.5, 0.6,
                                   0.2, 3.3, 0.1, 0.6, 4.1, 0.3, 0.2, 5,    0,   0.1};
  pl_sample_shape(seed, 7, 3, shape, 0.1, X, q, v);
  X[21] = 0;
  q[21] = 1.2 + 0.1 * (seed % 7);
  v[21] = 0.3;
  par[0] = 1 + 0.1 * (seed % 5);
  par[1] = 0.02 * (seed % 9);
}

const pl_elem_kind pl_elem_tendon = {
    .name = "tendon",
    .text = "cable that runs freely through points, with its length driven",
    .nvert = 7,
    .vdim = 3,
    .nscal = 1,
    .ndof = 22,
    .npar = COUNT(par_options),
    .nrest = 1,
    .par = par_options,
    .d = {prepare_d, eval_d, NULL, NULL},
    .z = {prepare_z, eval_z, NULL, NULL},
    .nfield = COUNT(field_info),
    .field_info = field_info,
    .field = field,
    .sample = sample,
};
