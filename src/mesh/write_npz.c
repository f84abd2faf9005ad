#include "grid_impl.h"

#include <stdio.h>
#include <string.h>

// A grid as arrays: points, cells/TYPE, point_sets/NAME, cell_sets/NAME/TYPE, point_data/NAME and
// cell_data/NAME/TYPE; vertices and cells of a type count from 0.

enum { NAME_SIZE = 1200 };

static pl_status put_sets(pl_npz *z, const char *front, const pl_grid *g) {
  char name[NAME_SIZE];
  for (int k = 0; k < g->nset; k++) {
    const pl_set *s = &g->set[k];
    if (s->type < 0)
      snprintf(name, sizeof name, "%spoint_sets/%.900s", front, s->name);
    else
      snprintf(name, sizeof name, "%scell_sets/%.900s/%s", front, s->name, pl_grid_name[s->type]);
    PL_TRY(pl_npz_put(z, name, "i4", 1, (int64_t[]){s->n}, s->index));
  }
  return PL_OK;
}

static pl_status put_field(pl_npz *z, const char *front, const pl_grid *g, const pl_grid_field *f) {
  char name[NAME_SIZE];
  const double *data = f->data;
  for (int t = 0; t < (f->on_cells ? PL_GRID_TYPES : 1); t++) {
    int n = f->on_cells ? g->cell[t].n : g->nvert;
    if (n == 0) continue;
    if (f->on_cells)
      snprintf(name, sizeof name, "%scell_data/%.900s/%s", front, f->name, pl_grid_name[t]);
    else
      snprintf(name, sizeof name, "%spoint_data/%.900s", front, f->name);
    PL_TRY(pl_npz_put(z, name, "f8", f->ncomp > 1 ? 2 : 1, (int64_t[]){n, f->ncomp}, data));
    data += (size_t)n * (size_t)f->ncomp;
  }
  return PL_OK;
}

pl_status pl_npz_put_grid(pl_npz *z, const char *front, const pl_grid *g, const char *length) {
  char name[NAME_SIZE];
  snprintf(name, sizeof name, "%spoints", front);
  PL_TRY(pl_npz_put(z, name, "f8", 2, (int64_t[]){g->nvert, 3}, g->X));
  snprintf(name, sizeof name, "%slength_unit", front);
  if (length) PL_TRY(pl_npz_text(z, name, -1, &length));
  for (int t = 0; t < PL_GRID_TYPES; t++) {
    if (g->cell[t].n == 0) continue;
    snprintf(name, sizeof name, "%scells/%s", front, pl_grid_name[t]);
    PL_TRY(pl_npz_put(z, name, "i4", 2, (int64_t[]){g->cell[t].n, pl_grid_nvert(t)}, g->cell[t].v));
  }
  PL_TRY(put_sets(z, front, g));
  for (int k = 0; k < g->nfield; k++) PL_TRY(put_field(z, front, g, &g->field[k]));
  return PL_OK;
}
