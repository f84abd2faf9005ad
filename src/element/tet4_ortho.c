// W = V psi(F), St. Venant-Kirchhoff with orthotropic moduli.
#define ORTHO 1

#define BODY "tet4.inc"
#include "kernel.h"
#include "tet4_kind.h"

const pl_elem_kind pl_elem_tet4_ortho = {
    .name = "tet4_ortho",
    .text = "linear tetrahedron, orthotropic",
    TET4_KIND,
};
