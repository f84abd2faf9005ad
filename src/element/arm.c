// W = k/2 |x_1 - x_0 - R d|^2 of a point on a rigid body.
#define ROTATIONS 1
#define KIND      pl_elem_arm
#define NAME      "arm"
#define TEXT      "nearly rigid arm from the reference point of a rigid body to a point"
#include "arm_kind.h"
