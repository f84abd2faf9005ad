// W = V psi(F), St. Venant-Kirchhoff; harmonic-balance paper, App. E.
#define BODY "tet4.inc"
#define PACKED
#define MIXED
#include "kernel.h"
#include "tet4_kind.h"

const pl_elem_kind pl_elem_tet4 = {
    .name = "tet4",
    .text = "linear tetrahedron, St. Venant-Kirchhoff",
    TET4_KIND,
    .p = {eval_p, third_p, mixed_p},
};
