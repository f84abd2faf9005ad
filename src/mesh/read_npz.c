#include "npz_impl.h"

#include <stdio.h>
#include <string.h>

// Meshes in NumPy files, as pl_grid_write makes them: points, cells/TYPE, point_sets/NAME,
// cell_sets/NAME/TYPE, and fields.

typedef struct mesh_file {
  npz z;
  pl_load *in;
} mesh_file;

// what stands behind a beginning of a name, NULL: the name begins otherwise
static const char *behind(const npz_member *m, const char *begin, size_t *n) {
  size_t length = strlen(begin);
  if (m->n <= length || memcmp(m->name, begin, length) != 0) return NULL;
  *n = m->n - length;
  return m->name + length;
}

static int type_of(const char *name, size_t n) {
  for (int t = 0; t < PL_GRID_TYPES; t++)
    if (strlen(pl_grid_name[t]) == n && memcmp(pl_grid_name[t], name, n) == 0) return t;
  return -1;
}

// NAME/TYPE: the type, and the length of the name before it; -1: there is none
static int split_type(const char *name, size_t *n) {
  const char *slash = memrchr(name, '/', *n);
  if (!slash || slash == name) return -1;
  int type = type_of(slash + 1, (size_t)(name + *n - slash - 1));
  *n = (size_t)(slash - name);
  return type;
}

static pl_status unknown_type(mesh_file *f, npz_member *m) {
  char known[PL_TEXT] = "known:";
  for (int t = 0; t < PL_GRID_TYPES; t++)
    snprintf(known + strlen(known), sizeof known - strlen(known), " %s", pl_grid_name[t]);
  return npz_fail(&f->z, m, known, "no type of cell is called so");
}

// ---- points and cells ---------------------------------------------------------------------------

static pl_status points_of(mesh_file *f, npz_member *m, const npz_array *a) {
  if (a->type == PL_NUMBER_COUNT || a->ndim != 2 || (a->shape[1] != 3 && a->shape[1] != 2))
    return npz_fail(&f->z, m, NULL, "points need the shape (n, 3) or (n, 2)");
  if (a->shape[0] > f->in->most)
    return npz_fail(&f->z, m, NULL, "more than %d vertices", f->in->most);
  for (int64_t i = 0; i < a->shape[0]; i++)
    PL_TRY(pl_load_vertex(f->in, npz_value(a, i, 0), npz_value(a, i, 1),
                          a->shape[1] == 3 ? npz_value(a, i, 2) : 0));
  return PL_OK;
}

static pl_status read_points(mesh_file *f) {
  npz_member *m = npz_find(&f->z, "points");
  if (!m)
    return pl_fail_at(f->in->env, PL_E_INPUT, f->in->name, 0, 0,
                      "numpy.savez(file, points=X, **{'cells/triangle': T}); see docs/convert.md",
                      "there is no array 'points'");
  npz_array a;
  PL_TRY(npz_fetch(&f->z, m, 1, &a));
  pl_status s = points_of(f, m, &a);
  pl_free(f->in->env, a.data);
  return s;
}

static pl_status cells_of(mesh_file *f, npz_member *m, int type, const npz_array *a) {
  int nv = pl_load_nvert(type), v[PL_CELL_VERT_MAX];
  if (a->type >= PL_F32 || a->ndim != 2 || a->shape[1] != nv)
    return npz_fail(&f->z, m, NULL, "cells of this type are integers of the shape (n, %d)", nv);
  for (int64_t i = 0; i < a->shape[0]; i++) {
    for (int k = 0; k < nv; k++) {
      double id = npz_value(a, i, k);
      if (!(id >= 0 && id < f->in->nvert))
        return npz_fail(&f->z, m, "vertices count from 0",
                        "row %lld: vertex %.15g is out of range: there are %d", (long long)i, id,
                        f->in->nvert);
      v[k] = (int)id;
    }
    PL_TRY(pl_load_cell(f->in, type, v));
  }
  return PL_OK;
}

// ---- sets and fields ----------------------------------------------------------------------------

static pl_status set_of(mesh_file *f, npz_member *m, int list, const char *name, size_t n,
                        const npz_array *a) {
  pl_load *in = f->in;
  int set, count = list == PL_READ_VERTEX ? in->nvert : in->cell[list].n;
  if (a->type >= PL_F32 || a->ndim != 1)
    return npz_fail(&f->z, m, NULL, "a set is a list of integers");
  if (n > PL_READ_NAME)
    return npz_fail(&f->z, m, NULL, "a name of %zu bytes; at most %d", n, PL_READ_NAME);
  PL_TRY(pl_load_name_set(in, name, n, &set));
  for (int64_t i = 0; i < a->shape[0]; i++) {
    double id = npz_value(a, i, 0);
    if (!(id >= 0 && id < count))
      return npz_fail(&f->z, m, NULL, "number %.15g is out of range: there are %d", id, count);
    PL_TRY(pl_load_put(in, set, list, (int)id, (int)id + 1));
  }
  return PL_OK;
}

// rows of a field from `first` on; of cells of a type
static pl_status field_of(mesh_file *f, const char *name, size_t n, int on_cells, int64_t first,
                          int64_t rows, int64_t all, const npz_array *a) {
  char word[PL_READ_NAME + 1];
  double *data;
  int64_t ncomp = a->ndim == 2 ? a->shape[1] : 1;
  if (a->type == PL_NUMBER_COUNT || a->ndim < 1 || a->ndim > 2 || a->shape[0] != rows ||
      ncomp < 1 || ncomp > 100 || n > PL_READ_NAME) {
    pl_load_lost(f->in, NULL,
                 "the field '%.*s' is left out: it has not the shape (%lld,) or "
                 "(%lld, k)",
                 n > 100 ? 100 : (int)n, name, (long long)rows, (long long)rows);
    return PL_OK;
  }
  snprintf(word, sizeof word, "%.*s", (int)n, name);
  PL_TRY(pl_load_field(f->in, word, on_cells, (int)ncomp, all, &data));
  for (int64_t i = 0; i < rows && data; i++)
    for (int64_t c = 0; c < ncomp; c++) data[(first + i) * ncomp + c] = npz_value(a, i, c);
  return PL_OK;
}

static pl_status cell_field_of(mesh_file *f, int type, const char *name, size_t n,
                               const npz_array *a) {
  int64_t first = 0, all = 0;
  for (int t = 0; t < PL_GRID_TYPES; t++) {
    if (t < type) first += f->in->cell[t].n;
    all += f->in->cell[t].n;
  }
  return field_of(f, name, n, 1, first, f->in->cell[type].n, all, a);
}

// ---- all ----------------------------------------------------------------------------------------

enum { CELLS, POINT_SETS, CELL_SETS, POINT_DATA, CELL_DATA, PART_COUNT };

static pl_status use(mesh_file *f, npz_member *m, int part, const char *name, size_t n) {
  int type = part == CELLS ? type_of(name, n) : PL_READ_VERTEX;
  if (part == CELL_SETS || part == CELL_DATA) type = split_type(name, &n);
  if (type < 0) return unknown_type(f, m);
  npz_array a;
  PL_TRY(npz_fetch(&f->z, m, part == CELLS, &a));
  pl_status s = part == CELLS        ? cells_of(f, m, type, &a)
                : part <= CELL_SETS  ? set_of(f, m, type, name, n, &a)
                : part == POINT_DATA ? field_of(f, name, n, 0, 0, f->in->nvert, f->in->nvert, &a)
                                     : cell_field_of(f, type, name, n, &a);
  pl_free(f->in->env, a.data);
  return s;
}

static pl_status read_all(mesh_file *f) {
  static const char *const begin[PART_COUNT] = {"cells/", "point_sets/", "cell_sets/",
                                                "point_data/", "cell_data/"};
  PL_TRY(read_points(f));
  for (int part = 0; part < (f->in->keep ? PART_COUNT : POINT_DATA); part++)
    for (int k = 0; k < f->z.n; k++) {
      size_t n = 0;
      const char *name = behind(&f->z.member[k], begin[part], &n);
      if (name) PL_TRY(use(f, &f->z.member[k], part, name, n));
    }
  int left = 0;
  const npz_member *first = NULL;
  for (int k = 0; k < f->z.n && f->in->keep; k++) {
    const npz_member *m = &f->z.member[k];
    if (m->used || (m->n == 11 && memcmp(m->name, "length_unit", 11) == 0)) continue;
    if (m->n == 12 && memcmp(m->name, "pliant_arrays", 12) == 0) continue;
    if (!left++) first = m;
  }
  if (left > 0)
    pl_load_lost(f->in, NULL, "%d %s that %s no part of a mesh %s left out: '%.*s'%s", left,
                 pl_plural(left, "array", "arrays"), pl_plural(left, "is", "are"),
                 pl_plural(left, "is", "are"), first->n > 100 ? 100 : (int)first->n, first->name,
                 left > 1 ? " and others" : "");
  return PL_OK;
}

pl_status pl_read_npz(pl_load *in) {
  mesh_file f = {.in = in};
  pl_status s = npz_open(in, &f.z);
  if (s == PL_OK) s = read_all(&f);
  npz_close(&f.z);
  return s;
}
