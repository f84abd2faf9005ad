// W = A h psi(F) in the plane, St. Venant-Kirchhoff in plane stress; harmonic-balance paper, App.
// E.
#define SD   2
#define BODY "triangle.inc"
#define PACKED
#define MIXED
#include "kernel.h"
#include "triangle_kind.h"
#include "tri2_volume.h"

const pl_elem_kind pl_elem_tri2 = {
    .name = "tri2",
    .text = "constant-strain triangle in the plane, plane stress, St. Venant-Kirchhoff",
    TRIANGLE_KIND,
    .volume = volume,
    .p = {eval_p, third_p, mixed_p},
};
