// W = sum_g w_g psi(F_g), St. Venant-Kirchhoff with orthotropic moduli.
#define ORTHO 1

#define BODY "hex20.inc"
#include "kernel.h"
#include "hex20_kind.h"

const pl_elem_kind pl_elem_hex20_ortho = {
    .name = "hex20_ortho",
    .text = "quadratic hexahedron, 3x3x3 Gauss points, orthotropic",
    HEX20_KIND,
};
