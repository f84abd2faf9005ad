// W = k/2 max(0, s d - g)^2, d the elongation between two scalar unknowns.
#define AXIAL 0
#include "stop_kind.h"

const pl_elem_kind pl_elem_stop1 = {
    .name = "stop1",
    .text = "elastic stop (unilateral spring with a gap) between two scalar unknowns",
    STOP_KIND,
};
