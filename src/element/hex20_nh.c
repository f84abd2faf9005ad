// W = sum_g w_g psi(F_g), compressible neo-Hookean; inversion is outside the domain.
#define NEO_HOOKEAN 1
#define BODY        "hex20.inc"
#include "kernel.h"
#include "hex20_kind.h"

const pl_elem_kind pl_elem_hex20_nh = {
    .name = "hex20_nh",
    .text = "quadratic hexahedron, 3x3x3 Gauss points, neo-Hookean",
    HEX20_KIND,
};
