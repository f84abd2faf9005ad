// Elastic dry friction between two scalar unknowns: spring and Coulomb slider in series.
#define AXIAL 0
#include "jenkins_kind.h"

const pl_elem_kind pl_elem_jenkins1 = {
    .name = "jenkins1",
    .text = "elastic dry friction (Jenkins element) between two scalar unknowns",
    JENKINS_KIND,
};
