// Force p (y_a x y_b)/6 on both ends of a free edge: with it a surface of `pressure` triangles
// feels p n dA alone, which has no potential there.
#define NODES 2
#define KIND  pl_elem_pressure_edge
#define NAME  "pressure_edge"
#define TEXT  "what a pressure does besides its potential at a free edge of its surface"
#include "pressure_edge_kind.h"
