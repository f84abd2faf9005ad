// W = sum_g w_g psi(F_g), St. Venant-Kirchhoff.
#define BODY "tet10.inc"
#define PACKED
#define MIXED
#include "kernel.h"
#include "tet10_kind.h"

const pl_elem_kind pl_elem_tet10 = {
    .name = "tet10",
    .text = "quadratic tetrahedron, 4 points, St. Venant-Kirchhoff",
    TET10_KIND,
    .p = {eval_p, third_p, mixed_p},
};
