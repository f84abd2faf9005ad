#ifndef LIMIT_LANES_H
#define LIMIT_LANES_H

// One number of LANES triangles or cones that stand side by side.
enum { LANES = 8 };
typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef long long lane_mask __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

#endif
