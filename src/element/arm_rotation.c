// W = k/2 |x_1 - x_0 - R d|^2 + c/2 |R - R_1|^2 of a point with a rotation of its own on a rigid
// body.
#define ROTATIONS 2
#define KIND      pl_elem_arm_rotation
#define NAME      "arm_rotation"
#define TEXT      "nearly rigid arm from the reference point of a rigid body to a joint of rods"
#include "arm_kind.h"
