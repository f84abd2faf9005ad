// W = sum_g w_g psi(F_g), St. Venant-Kirchhoff with orthotropic moduli.
#define ORTHO 1

#define BODY "tet10.inc"
#include "kernel.h"
#include "tet10_kind.h"

const pl_elem_kind pl_elem_tet10_ortho = {
    .name = "tet10_ortho",
    .text = "quadratic tetrahedron, 4 points, orthotropic",
    TET10_KIND,
};
