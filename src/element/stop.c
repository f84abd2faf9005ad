// W = k/2 max(0, s d - g)^2, d the elongation between two vertices.
#define AXIAL 1
#include "stop_kind.h"

const pl_elem_kind pl_elem_stop = {
    .name = "stop",
    .text = "elastic stop (unilateral spring with a gap) along the line of two vertices",
    STOP_KIND,
};
