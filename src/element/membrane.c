// W = A h psi(F) of a triangle in space, St. Venant-Kirchhoff in plane stress.
#define SD   3
#define BODY "triangle.inc"
#define PACKED
#define MIXED
#include "kernel.h"
#include "triangle_kind.h"

const pl_elem_kind pl_elem_membrane = {
    .name = "membrane",
    .text = "constant-strain membrane triangle, plane stress, St. Venant-Kirchhoff",
    TRIANGLE_KIND,
    .p = {eval_p, third_p, mixed_p},
};
