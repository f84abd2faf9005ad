// W = sum_g w_g psi_mu(F_g) + V la/2 (mean of J - 1)^2, hyperelastic by laws.c; inversion is
// outside the domain.
#define HYPER 1
#define MEAN  1

#define BODY "tet10.inc"
#include "kernel.h"
#include "tet10_kind.h"

const pl_elem_kind pl_elem_tet10_mean_hyper = {
    .name = "tet10_mean_hyper",
    .text = "quadratic tetrahedron with one pressure, hyperelastic",
    TET10_KIND,
};
