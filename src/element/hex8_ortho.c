// W = sum_g w_g psi(F_g), St. Venant-Kirchhoff with orthotropic moduli.
#define ORTHO 1

#define BODY "hex8.inc"
#include "kernel.h"
#include "hex8_kind.h"

const pl_elem_kind pl_elem_hex8_ortho = {
    .name = "hex8_ortho",
    .text = "trilinear hexahedron, 2x2x2 Gauss points, orthotropic",
    HEX8_KIND,
};
