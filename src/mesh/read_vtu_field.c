#include "vtk_impl.h"

// One field of vectors at the points of a VTU file, such as the shape of a mode.

typedef struct field {
  vtk x;
  const char *name;
  int64_t npoint; // of the one piece
  int npiece;
  vtk_array array;
} field;

static pl_status open_piece(field *f, const vtk_tag *t) {
  f->npiece++;
  if (!vtk_attribute_int(t, "NumberOfPoints", &f->npoint))
    return pl_load_fail(f->x.in, NULL, "a Piece needs NumberOfPoints");
  return PL_OK;
}

static pl_status element(void *ctx, const vtk_tag *t) {
  field *f = ctx;
  int64_t ncomp;
  if (vtk_is_name(t, "Piece")) return open_piece(f, t);
  if (f->x.depth < 1 || !vtk_is_name(&f->x.open[f->x.depth - 1], "PointData") ||
      !vtk_is_name(t, "DataArray") || !vtk_attribute_is(t, "Name", f->name) || f->array.line)
    return PL_OK;
  if (!vtk_attribute_int(t, "NumberOfComponents", &ncomp) || ncomp != 3) return PL_OK;
  f->array = (vtk_array){.what = f->name, .real = 1};
  PL_TRY(vtk_array_open(&f->x, t, &f->array));
  if (!t->empty) f->x.current = &f->array;
  return PL_OK;
}

static pl_status fetch(field *f, int n, double (*out)[3]) {
  if (f->npiece != 1 || !f->array.line)
    return pl_load_fail(f->x.in, NULL, "there are no vectors '%s' at the points", f->name);
  if (f->npoint != n)
    return pl_load_fail(f->x.in, NULL, "%lld points, %d are wanted", (long long)f->npoint, n);
  PL_TRY(vtk_fetch(&f->x, 0, &f->array, 3 * (int64_t)n));
  for (int64_t i = 0; i < 3 * (int64_t)n; i++) out[i / 3][i % 3] = vtk_value(&f->array, i);
  return PL_OK;
}

pl_status pl_vtu_vectors(pl_env *env, const char *name, const char *data, size_t size,
                         const char *field_name, int n, double (*out)[3]) {
  pl_load in = {.env = env,
                .name = name,
                .begin = data,
                .at = data,
                .end = data + size,
                .line = 1,
                .most = PL_READ_MAX};
  field f = {.name = field_name,
             .x = {.in = &in,
                   .ending = "VTU",
                   .type = "UnstructuredGrid",
                   .hint = "save it as an unstructured grid (.vtu)",
                   .element = element,
                   .ctx = &f}};
  pl_status s = vtk_read_tags(&f.x);
  if (s == PL_OK) s = fetch(&f, n, out);
  pl_free(env, f.array.data);
  return s;
}
