// F tanh(d'/v0), d the elongation between two scalar unknowns.
#define AXIAL 0
#include "friction_kind.h"

const pl_elem_kind pl_elem_friction1 = {
    .name = "friction1",
    .text = "smooth dry friction, tanh of the rate, between two scalar unknowns",
    FRICTION_KIND,
};
