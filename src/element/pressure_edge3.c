// The same on the three vertices of a free edge of second order.
#define NODES 3
#define KIND  pl_elem_pressure_edge3
#define NAME  "pressure_edge3"
#define TEXT  "what a pressure does besides its potential at a free edge of second order"
#include "pressure_edge_kind.h"
