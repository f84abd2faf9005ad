// W = sum_g w_g psi(F_g), compressible neo-Hookean; inversion is outside the domain.
#define NEO_HOOKEAN 1
#define BODY        "tet10.inc"
#include "kernel.h"
#include "tet10_kind.h"

const pl_elem_kind pl_elem_tet10_nh = {
    .name = "tet10_nh",
    .text = "quadratic tetrahedron, 4 points, neo-Hookean",
    TET10_KIND,
};
