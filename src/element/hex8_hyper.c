// W = sum_g w_g psi(F_g), hyperelastic by laws.c; inversion is outside the
// domain.
#define HYPER 1

#define BODY "hex8.inc"
#include "kernel.h"
#include "hex8_kind.h"

const pl_elem_kind pl_elem_hex8_hyper = {
    .name = "hex8_hyper",
    .text = "trilinear hexahedron, 2x2x2 Gauss points, hyperelastic",
    HEX8_KIND,
};
