// W = V psi(F), compressible neo-Hookean; inversion is outside the domain.
#define NEO_HOOKEAN 1
#define BODY        "tet4.inc"
#include "kernel.h"
#include "tet4_kind.h"

const pl_elem_kind pl_elem_tet4_nh = {
    .name = "tet4_nh",
    .text = "linear tetrahedron, neo-Hookean",
    TET4_KIND,
};
