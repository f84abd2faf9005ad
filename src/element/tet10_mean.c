// W = sum_g w_g mu E:E + V la/2 (mean of tr E)^2, St. Venant-Kirchhoff.
#define MEAN 1
#define BODY "tet10.inc"
#include "kernel.h"
#include "tet10_kind.h"

const pl_elem_kind pl_elem_tet10_mean = {
    .name = "tet10_mean",
    .text = "quadratic tetrahedron with one pressure, St. Venant-Kirchhoff",
    TET10_KIND,
};
