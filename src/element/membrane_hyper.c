// W = A h psi(F) of a triangle in space, hyperelastic in plane stress.
#define HYPER 1
#define SD    3

#define BODY "triangle.inc"
#include "kernel.h"
#include "triangle_kind.h"

const pl_elem_kind pl_elem_membrane_hyper = {
    .name = "membrane_hyper",
    .text = "constant-strain membrane triangle, plane stress, hyperelastic",
    TRIANGLE_KIND,
};
