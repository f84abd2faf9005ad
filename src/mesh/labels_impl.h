#ifndef LABELS_IMPL_H
#define LABELS_IMPL_H

#include "read_impl.h"
#include "voxel_impl.h"

enum { LABELS_MOST = 255 }; // that differ

// A box of cells with whole numbers on them, x running fastest.
struct pl_labels {
  pl_env *env;
  char *source, *name; // of the file, and of the numbers
  int n[3];
  double lo[3], h[3]; // of the first corner, and edges; in the unit of the file
  int nvalue;
  double value[LABELS_MOST + 1]; // from 1 on, ascending; without 0
  unsigned char *label;          // [nz][ny][nx] 0: empty, else which of the values
};

// Reads VTK's XML image data.
pl_status labels_read_vti(pl_load *in, struct pl_labels *out);

#endif
