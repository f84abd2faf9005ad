#ifndef TESTS_FUZZ_MESH_H
#define TESTS_FUZZ_MESH_H

#include "pliant/mesh.h"

#include <math.h>
#include <stdlib.h>

// Parses the bytes; whatever loads must have numbers in range and finite coordinates.
static inline void fuzz_mesh(const char *format, const uint8_t *data, size_t size) {
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  pl_status s = pl_mesh_parse(&env, format, "fuzz", (const char *)data, size, &m);
  if ((s == PL_OK) != (m != NULL) || s == PL_E_INTERNAL || s == PL_E_ARG) abort();
  if (!m) return;
  for (int i = 0; i < 3 * m->nvert; i++)
    if (!isfinite(m->X[i])) abort();
  for (int t = 0; t < PL_CELL_COUNT; t++)
    for (int i = 0; i < m->cell[t].n * pl_cell_nvert[t]; i++)
      if (m->cell[t].v[i] < 0 || m->cell[t].v[i] >= m->nvert) abort();
  for (int k = 0; k < m->nset; k++) {
    int count = m->set[k].type < 0 ? m->nvert : m->cell[m->set[k].type].n;
    for (int i = 0; i < m->set[k].n; i++)
      if (m->set[k].index[i] < 0 || m->set[k].index[i] >= count) abort();
  }
  pl_mesh_free(m);
}

#endif
