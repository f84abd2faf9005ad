// W = min over alpha of sum_g w_g psi(E_g + M_g alpha), St. Venant-Kirchhoff.
#define ENHANCED 1
#define BODY     "hex8.inc"
#define PACKED
#define NO_THIRD
#define MIXED
#define ALONG
#include "kernel.h"
#include "hex8_kind.h"

const pl_elem_kind pl_elem_hex8_eas = {
    .name = "hex8_eas",
    .text = "trilinear hexahedron with enhanced strain, St. Venant-Kirchhoff",
    HEX8_KIND,
    .p = {eval_p, NULL, mixed_p},
    .along = along_p,
};
