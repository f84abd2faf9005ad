// W = A h psi(F) in the plane, hyperelastic in plane stress.
#define HYPER 1
#define SD    2

#define BODY "triangle.inc"
#include "kernel.h"
#include "triangle_kind.h"
#include "tri2_volume.h"

const pl_elem_kind pl_elem_tri2_hyper = {
    .name = "tri2_hyper",
    .text = "constant-strain triangle in the plane, plane stress, hyperelastic",
    TRIANGLE_KIND,
    .volume = volume,
};
