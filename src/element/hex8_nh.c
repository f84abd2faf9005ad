// W = sum_g w_g psi(F_g), compressible neo-Hookean; inversion is outside the domain.
#define NEO_HOOKEAN 1
#define BODY        "hex8.inc"
#include "kernel.h"
#include "hex8_kind.h"

const pl_elem_kind pl_elem_hex8_nh = {
    .name = "hex8_nh",
    .text = "trilinear hexahedron, 2x2x2 Gauss points, neo-Hookean",
    HEX8_KIND,
};
