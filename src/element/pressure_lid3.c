// The same at an edge of second order.
#define NODES 3
#define KIND  pl_elem_pressure_lid3
#define NAME  "pressure_lid3"
#define TEXT  "pressure at an edge of second order that supports hold, or let slide in a plane"
#include "pressure_lid_kind.h"
