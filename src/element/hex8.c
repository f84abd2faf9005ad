// W = sum_g w_g psi(F_g), St. Venant-Kirchhoff.
#define BODY "hex8.inc"
#define PACKED
#define MIXED
#include "kernel.h"
#include "hex8_kind.h"

const pl_elem_kind pl_elem_hex8 = {
    .name = "hex8",
    .text = "trilinear hexahedron, 2x2x2 Gauss points, St. Venant-Kirchhoff",
    HEX8_KIND,
    .p = {eval_p, third_p, mixed_p},
};
