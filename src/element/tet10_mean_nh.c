// W = sum_g w_g psi_mu(F_g) + V la/2 (ln of the mean of J)^2, neo-Hookean; inversion is outside the
// domain.
#define NEO_HOOKEAN 1
#define MEAN        1
#define BODY        "tet10.inc"
#include "kernel.h"
#include "tet10_kind.h"

const pl_elem_kind pl_elem_tet10_mean_nh = {
    .name = "tet10_mean_nh",
    .text = "quadratic tetrahedron with one pressure, neo-Hookean",
    TET10_KIND,
};
