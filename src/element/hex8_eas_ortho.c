// W = min over alpha of sum_g w_g psi(E_g + M_g alpha), St. Venant-Kirchhoff with orthotropic
// moduli.
#define ORTHO    1
#define ENHANCED 1

#define BODY "hex8.inc"
#include "kernel.h"
#include "hex8_kind.h"

const pl_elem_kind pl_elem_hex8_eas_ortho = {
    .name = "hex8_eas_ortho",
    .text = "trilinear hexahedron with enhanced strain, orthotropic",
    HEX8_KIND,
};
