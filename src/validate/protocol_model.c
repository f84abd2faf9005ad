// Models of protocols: sizes, and what is made of a builder.
#include "protocol_impl.h"

// a plastic sheet in metres, and a soft rod of a few centimetres (Romero et al. 2021, sec. 4)
static const dims dims_table[] = {{1, 1e9, 1000}, {0.037, 1.08e6, 1267}};

const dims *protocol_dims(int units) {
  return &dims_table[units != 0];
}

void hold_nodes(pl_builder *d, int nnode, const int *node, int mask, int clamp) {
  const pl_drive_desc hold = {.name = "hold", .nnode = nnode, .node = node, .mask = mask};
  if (nnode > 0) pl_build_drive(d, &hold, clamp, NULL);
}

void hold_scalars(pl_builder *d, int n, const int *scalar) {
  const pl_drive_desc hold = {.name = "hold", .mask = 7, .nscal = n, .scal = scalar};
  if (n > 0) pl_build_drive(d, &hold, PL_HOLD_NODES, NULL);
}
