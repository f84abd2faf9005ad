// W = sum_g w_g psi(F_g), hyperelastic by laws.c; inversion is outside the
// domain.
#define HYPER 1

#define BODY "hex20.inc"
#include "kernel.h"
#include "hex20_kind.h"

const pl_elem_kind pl_elem_hex20_hyper = {
    .name = "hex20_hyper",
    .text = "quadratic hexahedron, 3x3x3 Gauss points, hyperelastic",
    HEX20_KIND,
};
