// W = V psi(F), hyperelastic by laws.c; inversion is outside the
// domain.
#define HYPER 1

#define BODY "tet4.inc"
#include "kernel.h"
#include "tet4_kind.h"

const pl_elem_kind pl_elem_tet4_hyper = {
    .name = "tet4_hyper",
    .text = "linear tetrahedron, hyperelastic",
    TET4_KIND,
};
