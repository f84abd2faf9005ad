// W = min over alpha of sum_g w_g psi(E_g + M_g alpha), hyperelastic by laws.c; inversion is
// outside the domain.
#define HYPER    1
#define ENHANCED 1

#define BODY "hex8.inc"
#include "kernel.h"
#include "hex8_kind.h"

const pl_elem_kind pl_elem_hex8_eas_hyper = {
    .name = "hex8_eas_hyper",
    .text = "trilinear hexahedron with enhanced strain, hyperelastic",
    HEX8_KIND,
};
