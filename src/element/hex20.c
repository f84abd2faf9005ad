// W = sum_g w_g psi(F_g), St. Venant-Kirchhoff.
#define BODY "hex20.inc"
#include "kernel.h"
#include "hex20_kind.h"

const pl_elem_kind pl_elem_hex20 = {
    .name = "hex20",
    .text = "quadratic hexahedron, 3x3x3 Gauss points, St. Venant-Kirchhoff",
    HEX20_KIND,
};
