#ifndef TESTS_FUZZ_MESH_H
#define TESTS_FUZZ_MESH_H

#include "pliant/mesh.h"

#include <math.h>
#include <stdlib.h>

static inline void fuzz_index(int n, const int *v, int count) {
  for (int i = 0; i < n; i++)
    if (v[i] < 0 || v[i] >= count) abort();
}

// The same bytes as a grid, which keeps prisms, pyramids and fields.
static inline void fuzz_grid(const char *format, const uint8_t *data, size_t size) {
  pl_env env;
  pl_env_init(&env);
  pl_grid *g;
  pl_status s = pl_grid_parse(&env, format, "fuzz", (const char *)data, size, &g);
  if ((s == PL_OK) != (g != NULL) || s == PL_E_INTERNAL || s == PL_E_ARG) abort();
  if (!g) return;
  for (int t = 0; t < PL_GRID_TYPES; t++)
    fuzz_index(g->cell[t].n * pl_grid_nvert(t), g->cell[t].v, g->nvert);
  for (int k = 0; k < g->nset; k++)
    fuzz_index(g->set[k].n, g->set[k].index,
               g->set[k].type < 0 ? g->nvert : g->cell[g->set[k].type].n);
  volatile double sum = 0;
  for (int k = 0; k < g->nfield; k++) {
    const pl_grid_field *f = &g->field[k];
    for (int i = 0; i < (f->on_cells ? pl_grid_ncell(g) : g->nvert) * f->ncomp; i++)
      sum = sum + f->data[i];
  }
  pl_grid_free(g);
}

// Parses the bytes; whatever loads must have numbers in range and finite coordinates.
static inline void fuzz_mesh(const char *format, const uint8_t *data, size_t size) {
  fuzz_grid(format, data, size);
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
