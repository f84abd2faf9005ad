#ifndef TESTS_FUZZ_LABELS_H
#define TESTS_FUZZ_LABELS_H

#include "pliant/mesh.h"

#include <math.h>
#include <stdlib.h>

// Parses the bytes and makes voxels of whatever has labels, whose places must be finite.
static inline void fuzz_labels(pl_env *env, const char *data, size_t size) {
  pl_labels *l;
  pl_mesh *m = NULL;
  pl_status s = pl_labels_parse(env, "fuzz", data, size, &l);
  if ((s == PL_OK) != (l != NULL) || s == PL_E_INTERNAL || s == PL_E_ARG) abort();
  if (!l) return;
  const pl_voxel_opts o = {.allow_thin = 1, .most = 10000};
  s = pl_labels_voxels(l, 1, &o, NULL, &m);
  if ((s == PL_OK) != (m != NULL) || s == PL_E_INTERNAL || s == PL_E_ARG) abort();
  for (int i = 0; m && i < 3 * m->nvert; i++)
    if (!isfinite(m->X[i])) abort();
  pl_mesh_free(m);
  pl_labels_free(l);
}

#endif
