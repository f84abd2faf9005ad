// VTK's XML image data: a box of cells with integers that tell what they are made of.
#include "labels_impl.h"
#include "vtk_impl.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct vti {
  vtk x;
  pl_load *in;
  pl_labels *out;
  int nimage, npiece, line;
  int extent[6];
  vtk_array array;
  char name[PL_READ_NAME + 1];
  char other[PL_READ_NAME + 32]; // an array that is none, for the message
} vti;

// ---- the box ----------------------------------------------------------------------------------

// so many numbers of an attribute; 0: there are others
static int numbers(const vtk_tag *t, const char *name, int n, double *out) {
  const char *value;
  size_t length;
  if (!vtk_attribute(t, name, &value, &length)) return 0;
  pl_load text = {.at = value, .end = value + length};
  for (int k = 0; k < n; k++)
    if (!pl_skip_space(&text) || !pl_scan_real(&text, &out[k]) || !isfinite(out[k])) return 0;
  return !pl_skip_space(&text);
}

static pl_status read_extent(const vti *v, const vtk_tag *t, const char *name, int extent[6]) {
  double x[6];
  int whole = numbers(t, name, 6, x);
  for (int k = 0; whole && k < 6; k++) {
    whole = fabs(x[k]) < INT_MAX / 2 && x[k] == rint(x[k]);
    extent[k] = whole ? (int)x[k] : 0;
  }
  if (whole) return PL_OK;
  return pl_load_fail(v->in, "e.g. 0 10 0 10 0 5", "%s must be six whole numbers", name);
}

static pl_status check_axes(const vti *v, const vtk_tag *t) {
  const char *value;
  size_t length;
  double axis[9];
  if (!vtk_attribute(t, "Direction", &value, &length)) return PL_OK;
  int plain = numbers(t, "Direction", 9, axis);
  for (int k = 0; plain && k < 9; k++) plain = fabs(axis[k] - (k % 4 == 0)) < 1e-9;
  if (plain) return PL_OK;
  return pl_load_fail(v->in, "resample it along the axes, and turn the body with rotate",
                      "the image is turned: its Direction is not 1 0 0 0 1 0 0 0 1");
}

static pl_status open_image(vti *v, const vtk_tag *t) {
  pl_labels *l = v->out;
  double count = 1, h[3] = {1, 1, 1}, origin[3] = {0};
  const char *value;
  size_t length;
  if (v->nimage++ > 0) return pl_load_fail(v->in, NULL, "a second ImageData");
  PL_TRY(read_extent(v, t, "WholeExtent", v->extent));
  PL_TRY(check_axes(v, t));
  if (vtk_attribute(t, "Origin", &value, &length) && !numbers(t, "Origin", 3, origin))
    return pl_load_fail(v->in, NULL, "Origin must be three numbers");
  if (vtk_attribute(t, "Spacing", &value, &length) && !numbers(t, "Spacing", 3, h))
    return pl_load_fail(v->in, NULL, "Spacing must be three numbers");
  for (int d = 0; d < 3; d++) {
    l->n[d] = v->extent[2 * d + 1] - v->extent[2 * d];
    l->h[d] = h[d];
    l->lo[d] = origin[d] + h[d] * v->extent[2 * d];
    count *= l->n[d];
    if (l->n[d] < 1)
      return pl_load_fail(v->in, "WholeExtent counts points: n cells are 0 to n",
                          "there are no cells along %c: the extent is %d to %d", "xyz"[d],
                          v -> extent[2 * d], v -> extent[2 * d + 1]);
    if (!(h[d] > 0) || h[d] * l->n[d] > PL_READ_FAR || fabs(l->lo[d]) > PL_READ_FAR)
      return pl_load_fail(v->in, NULL, "Spacing %g along %c must be above zero, and no size absurd",
                          h[d], "xyz"[d]);
  }
  if (count > VOXELS_MOST)
    return pl_load_fail(v->in, "resample it to fewer", "%d x %d x %d cells, the limit is %.3g",
                        l->n[0], l->n[1], l->n[2], VOXELS_MOST);
  return PL_OK;
}

static pl_status open_piece(vti *v, const vtk_tag *t) {
  int own[6];
  PL_TRY(read_extent(v, t, "Extent", own));
  v->line = v->in->line;
  if (v->npiece++ == 0 && memcmp(own, v->extent, sizeof own) == 0) return PL_OK;
  return pl_load_fail(v->in, "save it as one",
                      "the Piece is not all of the image, whose WholeExtent is %d %d %d %d %d %d",
                      v->extent[0], v->extent[1], v->extent[2], v->extent[3], v->extent[4],
                      v->extent[5]);
}

// ---- numbers ----------------------------------------------------------------------------------

// Single integers on cells: those that the file calls its scalars, or else the first.
static pl_status open_array(vti *v, const vtk_tag *t) {
  const vtk_tag *parent = &v->x.open[v->x.depth - 1];
  const char *value;
  size_t n, nscalars;
  int64_t ncomp = 1;
  char name[PL_READ_NAME + 1] = "labels";
  if (vtk_attribute(t, "Name", &value, &n) && !vtk_plain_name(value, n, name)) return PL_OK;
  if (strncmp(name, "vtk", 3) == 0) return PL_OK;
  int on_cells = vtk_is_name(parent, "CellData"), whole = vtk_number_type(t) < PL_F32;
  int single = !vtk_attribute_int(t, "NumberOfComponents", &ncomp) || ncomp <= 1;
  if (!on_cells || !whole || !single) {
    snprintf(v->other, sizeof v->other, "'%.100s' %s", name,
             !on_cells ? "is on points"
             : !whole  ? "holds no integers"
                       : "has several components");
    return PL_OK;
  }
  int meant = vtk_attribute(parent, "Scalars", &value, &nscalars) && nscalars == strlen(name) &&
              memcmp(value, name, nscalars) == 0;
  if (v->array.line && !meant) return PL_OK;
  memcpy(v->name, name, sizeof name);
  v->array = (vtk_array){.what = v->name, .repeats = 1};
  PL_TRY(vtk_array_open(&v->x, t, &v->array));
  if (!t->empty) v->x.current = &v->array;
  return PL_OK;
}

static pl_status element(void *ctx, const vtk_tag *t) {
  vti *v = ctx;
  const vtk_tag *parent = &v->x.open[v->x.depth - 1];
  if (vtk_is_name(t, "ImageData")) return open_image(v, t);
  if (vtk_is_name(t, "Piece")) return open_piece(v, t);
  if (vtk_is_name(t, "DataArray") && v->npiece > 0 &&
      (vtk_is_name(parent, "CellData") || vtk_is_name(parent, "PointData")))
    return open_array(v, t);
  return PL_OK;
}

// where a label is among those that differ, from 1 on, or would be
static int place_of(const pl_labels *l, double x) {
  int lo = 1, hi = l->nvalue + 1;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (l->value[mid] < x)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static pl_status find_values(const vti *v, int64_t count) {
  pl_labels *l = v->out;
  for (int64_t i = 0; i < count; i++) {
    double x = vtk_value(&v->array, i);
    int at = place_of(l, x);
    if (x == 0 || (at <= l->nvalue && l->value[at] == x)) continue;
    if (l->nvalue == LABELS_MOST)
      return pl_load_fail(v->in, "0 is empty, other numbers are materials: choose by a threshold",
                          "'%s' has more than %d different numbers: these are no labels", v->name,
                          LABELS_MOST);
    memmove(&l->value[at + 1], &l->value[at], (size_t)(l->nvalue + 1 - at) * sizeof *l->value);
    l->value[at] = x;
    l->nvalue++;
  }
  if (l->nvalue > 0) return PL_OK;
  return pl_load_fail(v->in, "0 is empty, other whole numbers are material",
                      "all of the %lld cells are 0: there is no material", (long long)count);
}

static pl_status fill(vti *v) {
  pl_labels *l = v->out;
  if (v->npiece == 0) return pl_load_fail(v->in, NULL, "the image has no Piece");
  v->in->line = v->array.line ? v->array.line : v->line;
  if (!v->array.line)
    return pl_load_fail(v->in, "labels are integers on cells (CellData)", "there are no labels%s%s",
                        v->other[0] ? ": " : "", v->other);
  int64_t count = (int64_t)l->n[0] * l->n[1] * l->n[2];
  PL_TRY(vtk_fetch(&v->x, v->line, &v->array, count));
  v->in->line = v->array.line;
  PL_TRY(find_values(v, count));
  l->name = pl_strdup(l->env, v->name);
  l->label = pl_alloc(l->env, (size_t)count, 1);
  if (!l->name || !l->label) return PL_E_NOMEM;
  for (int64_t i = 0; i < count; i++) {
    double x = vtk_value(&v->array, i);
    l->label[i] = (unsigned char)(x == 0 ? 0 : place_of(l, x));
  }
  return PL_OK;
}

pl_status labels_read_vti(pl_load *in, pl_labels *out) {
  vti v = {.in = in,
           .out = out,
           .x = {.in = in,
                 .ending = "VTI",
                 .type = "ImageData",
                 .hint = "save it as image data (.vti)",
                 .element = element,
                 .ctx = &v}};
  pl_status s = vtk_read_tags(&v.x);
  if (s == PL_OK) s = fill(&v);
  pl_free(in->env, v.array.data);
  return s;
}
