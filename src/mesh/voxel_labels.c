// Voxels in place of a box of labelled cells, as they are or of another size.
#include "labels_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// ---- reading ----------------------------------------------------------------------------------

int pl_is_labels(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && strcasecmp(dot, ".vti") == 0;
}

void pl_labels_free(pl_labels *l) {
  if (!l) return;
  pl_free(l->env, l->source);
  pl_free(l->env, l->name);
  pl_free(l->env, l->label);
  pl_free(l->env, l);
}

pl_status pl_labels_parse(pl_env *env, const char *name, const char *data, size_t size,
                          pl_labels **out) {
  pl_load in = {.env = env, .name = name, .begin = data, .at = data, .end = data + size, .line = 1};
  pl_labels *l = pl_alloc(env, 1, sizeof *l);
  *out = NULL;
  if (!l) return PL_E_NOMEM;
  *l = (pl_labels){.env = env, .source = pl_strdup(env, name)};
  pl_status s = l->source ? labels_read_vti(&in, l) : PL_E_NOMEM;
  if (s == PL_OK)
    *out = l;
  else
    pl_labels_free(l);
  return s;
}

pl_status pl_labels_read(pl_env *env, const char *path, pl_labels **out) {
  char *data;
  size_t size;
  *out = NULL;
  if (!pl_is_labels(path))
    return pl_fail_at(env, PL_E_INPUT, path, 0, 0, NULL, "labelled cells are in a .vti file");
  PL_TRY(pl_file_read(env, path, 0, &data, &size));
  pl_status s = pl_labels_parse(env, path, data, size, out);
  pl_free(env, data);
  return s;
}

// ---- filling ----------------------------------------------------------------------------------

// Voxels along an axis that a cell lies in, and the part of each that it fills.
typedef struct shares {
  int *first; // [n + 1] in part, of each cell
  int *voxel;
  double *part;
} shares;

static void shares_free(pl_env *env, shares *s) {
  pl_free(env, s->first);
  pl_free(env, s->voxel);
  pl_free(env, s->part);
}

// n cells over m voxels: ends of both are the same, so that there are less than n + m
static pl_status shares_open(pl_env *env, int n, int m, shares *s) {
  size_t most = (size_t)n + (size_t)m;
  int count = 0;
  s->first = pl_alloc(env, (size_t)n + 1, sizeof *s->first);
  s->voxel = pl_alloc(env, most, sizeof *s->voxel);
  s->part = pl_alloc(env, most, sizeof *s->part);
  if (!s->first || !s->voxel || !s->part) return PL_E_NOMEM;
  for (int i = 0; i < n; i++) {
    s->first[i] = count;
    // in cells times m: whole numbers
    int64_t lo = (int64_t)i * m, hi = lo + m;
    for (int64_t v = lo / n; v * n < hi; v++) {
      int64_t from = lo > v * n ? lo : v * n, to = hi < (v + 1) * n ? hi : (v + 1) * n;
      s->voxel[count] = (int)v;
      s->part[count++] = (double)(to - from) / n;
    }
  }
  s->first[n] = count;
  return PL_OK;
}

typedef struct filling {
  const pl_labels *l;
  voxels grid;
  shares along[3];
} filling;

// adds to part [voxels] how much of each is filled by cells of a label, 0: of any
static void add_cells(const filling *f, int label, float *part) {
  const pl_labels *l = f->l;
  const shares *x = &f->along[0], *y = &f->along[1], *z = &f->along[2];
  const unsigned char *at = l->label;
  for (int k = 0; k < l->n[2]; k++)
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++, at++) {
        if (*at == 0 || (label > 0 && *at != label)) continue;
        for (int c = z->first[k]; c < z->first[k + 1]; c++)
          for (int b = y->first[j]; b < y->first[j + 1]; b++)
            for (int a = x->first[i]; a < x->first[i + 1]; a++)
              part[voxel_at(&f->grid, x->voxel[a], y->voxel[b], z->voxel[c])] +=
                  (float)(x->part[a] * y->part[b] * z->part[c]);
      }
}

// pieces and volume of the cells themselves
static pl_status survey(const pl_labels *l, const double lo[3], const double hi[3], int *npiece,
                        double *volume) {
  voxels own;
  size_t count = 0;
  pl_status s = voxels_open_cells(&own, l->env, l->source, lo, hi, l->n);
  for (size_t at = 0; s == PL_OK && at < voxel_count(&own); at++)
    count += own.full[at] = l->label[at] > 0;
  if (s == PL_OK) s = voxels_pieces(&own, npiece);
  *volume = (double)count * own.h[0] * own.h[1] * own.h[2];
  voxels_close(&own);
  return s;
}

static pl_status fill(filling *f, double unit, const pl_voxel_opts *o, pl_voxel_info *info) {
  const pl_labels *l = f->l;
  double lo[3], hi[3];
  int npiece;
  for (int d = 0; d < 3; d++) {
    lo[d] = unit * l->lo[d];
    hi[d] = lo[d] + unit * l->h[d] * l->n[d];
  }
  PL_TRY(survey(l, lo, hi, &npiece, &info->exact));
  if (o->size > 0)
    PL_TRY(voxels_open(&f->grid, l->env, l->source, lo, hi, o->size));
  else
    PL_TRY(voxels_open_cells(&f->grid, l->env, l->source, lo, hi, l->n));
  for (int d = 0; d < 3; d++) PL_TRY(shares_open(l->env, l->n[d], f->grid.n[d], &f->along[d]));
  add_cells(f, 0, f->grid.part);
  return voxels_fill(&f->grid, o, npiece, info);
}

// ---- groups -----------------------------------------------------------------------------------

// by the name of the numbers, with the number behind it where there are others than 1
static void group_name(const pl_labels *l, int k, char name[PL_READ_NAME + 32]) {
  int mask = l->nvalue == 1 && l->value[1] == 1;
  snprintf(name, PL_READ_NAME + 32, mask ? "%s" : "%s_%.15g", l->name, l->value[k]);
}

// a mesh that has the labels as groups, so that sides do not take their names
static pl_status names_taken(const pl_labels *l, pl_mesh **out) {
  char name[PL_READ_NAME + 32];
  PL_TRY(pl_mesh_create(l->env, l->source, 1, out));
  pl_status s = PL_OK;
  for (int k = 1; s == PL_OK && k <= l->nvalue; k++) {
    group_name(l, k, name);
    s = pl_mesh_add_set(*out, name, -1, 1, &(int){0});
  }
  return s;
}

static pl_status add_groups(const filling *f, pl_mesh *out) {
  size_t n = voxel_count(&f->grid);
  char name[PL_READ_NAME + 32];
  float *label = pl_alloc(f->l->env, n, sizeof *label);
  pl_status s = label ? PL_OK : PL_E_NOMEM;
  for (int k = 1; s == PL_OK && k <= f->l->nvalue; k++) {
    memset(label, 0, n * sizeof *label);
    add_cells(f, k, label);
    group_name(f->l, k, name);
    s = voxels_label(&f->grid, label, name, out);
  }
  pl_free(f->l->env, label);
  return s;
}

pl_status pl_labels_voxels(const pl_labels *l, double unit, const pl_voxel_opts *o,
                           pl_voxel_info *info, pl_mesh **out) {
  filling f = {.l = l, .grid = {.env = l->env}};
  pl_voxel_info own = {0};
  pl_mesh *taken = NULL;
  *out = NULL;
  if (!(unit > 0)) return pl_fail(l->env, PL_E_ARG, "labels: unit must be > 0");
  pl_status s = fill(&f, unit, o, &own);
  if (s == PL_OK) s = names_taken(l, &taken);
  if (s == PL_OK) s = voxels_mesh(&f.grid, taken, out);
  if (s == PL_OK) s = add_groups(&f, *out);
  pl_mesh_free(taken);
  for (int d = 0; d < 3; d++) shares_free(l->env, &f.along[d]);
  voxels_close(&f.grid);
  if (info) *info = own;
  if (s == PL_OK) return PL_OK;
  pl_mesh_free(*out);
  *out = NULL;
  return s;
}
