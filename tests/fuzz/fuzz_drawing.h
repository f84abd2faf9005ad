#ifndef TESTS_FUZZ_DRAWING_H
#define TESTS_FUZZ_DRAWING_H

#include "pliant/mesh.h"

#include <math.h>
#include <stdlib.h>

// Parses the bytes and cuts whatever is drawn into coarse voxels, whose places must be finite.
static inline void fuzz_drawing(pl_env *env, const char *format, const char *data, size_t size) {
  pl_drawing *d;
  pl_mesh *m = NULL;
  pl_status s = pl_drawing_parse(env, format, "fuzz", data, size, 0, &d);
  if ((s == PL_OK) != (d != NULL) || s == PL_E_INTERNAL || s == PL_E_ARG) abort();
  if (!d) return;
  const pl_voxel_opts o = {.size = 0.05, .allow_thin = 1, .most = 10000};
  s = pl_drawing_voxels(d, 0.1, 1, &o, NULL, &m);
  if ((s == PL_OK) != (m != NULL) || s == PL_E_INTERNAL || s == PL_E_ARG) abort();
  for (int i = 0; m && i < 3 * m->nvert; i++)
    if (!isfinite(m->X[i])) abort();
  pl_mesh_free(m);
  pl_drawing_free(d);
}

#endif
