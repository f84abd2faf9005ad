// W = A h psi(F) of a triangle in space, St. Venant-Kirchhoff with orthotropic moduli.
#define ORTHO 1
#define SD    3

#define BODY "triangle.inc"
#include "kernel.h"
#include "triangle_kind.h"

const pl_elem_kind pl_elem_membrane_ortho = {
    .name = "membrane_ortho",
    .text = "constant-strain membrane triangle, plane stress, orthotropic",
    TRIANGLE_KIND,
};
