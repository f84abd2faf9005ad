// W = sum_g w_g psi(F_g), hyperelastic by laws.c; inversion is outside the
// domain.
#define HYPER 1

#define BODY "tet10.inc"
#include "kernel.h"
#include "tet10_kind.h"

const pl_elem_kind pl_elem_tet10_hyper = {
    .name = "tet10_hyper",
    .text = "quadratic tetrahedron, 4 points, hyperelastic",
    TET10_KIND,
};
