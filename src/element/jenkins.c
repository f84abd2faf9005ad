// Elastic dry friction between two vertices: spring and Coulomb slider in series.
#define AXIAL 1
#include "jenkins_kind.h"

const pl_elem_kind pl_elem_jenkins = {
    .name = "jenkins",
    .text = "elastic dry friction (Jenkins element) along the line of two vertices",
    JENKINS_KIND,
};
