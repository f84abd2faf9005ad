// W = A h psi(F) in the plane, St. Venant-Kirchhoff with orthotropic moduli.
#define ORTHO 1
#define SD    2

#define BODY "triangle.inc"
#include "kernel.h"
#include "triangle_kind.h"
#include "tri2_volume.h"

const pl_elem_kind pl_elem_tri2_ortho = {
    .name = "tri2_ortho",
    .text = "constant-strain triangle in the plane, plane stress, orthotropic",
    TRIANGLE_KIND,
    .volume = volume,
};
