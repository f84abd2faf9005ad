// W = T (l - L): a piece of a cable under a given tension.
#define BODY "tension.inc"
#include "kernel.h"
#include "element_impl.h"

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[6] = {0, 0, 0.3, 1, 0.2, 0.1};
  (void)par;
  pl_sample_shape(seed, 2, 3, shape, 0.15, X, q, v);
  X[6] = 0;
  q[6] = 1.5 + 0.1 * (seed % 7);
  v[6] = 0.3;
}

const pl_elem_kind pl_elem_tension = {
    .name = "tension",
    .text = "piece of a cable under a tension that is given",
    .nvert = 2,
    .vdim = 3,
    .nscal = 1,
    .ndof = 7,
    .nrest = 1,
    .outer = 1,
    .d = {prepare_d, eval_d, NULL, NULL},
    .z = {prepare_z, eval_z, NULL, NULL},
    .sample = sample,
};
