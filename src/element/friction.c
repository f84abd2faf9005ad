// F tanh(d'/v0), d the elongation between two vertices.
#define AXIAL 1
#include "friction_kind.h"

const pl_elem_kind pl_elem_friction = {
    .name = "friction",
    .text = "smooth dry friction, tanh of the rate, along the line of two vertices",
    FRICTION_KIND,
};
