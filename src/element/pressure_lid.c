// W = -p (V - V at rest) at the boundary of a surface of `pressure` triangles: pieces of the planes
// that close it, and what supports feel there.
#define NODES 2
#define KIND  pl_elem_pressure_lid
#define NAME  "pressure_lid"
#define TEXT  "pressure on a surface at an edge that supports hold, or let slide in a plane"
#include "pressure_lid_kind.h"
