#include "mesh_impl.h"
#include "vtk_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// VTK's XML unstructured grids: points, cells, and integers on them that tell groups.

// GROUP: integers on points or cells, which tell groups; FIELD: other numbers there, for grids
typedef enum role {
  POINTS,
  CONNECTIVITY,
  OFFSETS,
  TYPES,
  ROLE_COUNT,
  GROUP = ROLE_COUNT,
  FIELD,
  NONE
} role;
static const char *const role_name[NONE] = {"Points", "connectivity", "offsets",
                                            "types",  "of a group",   "of a field"};

enum { VALUES_MAX = 256 }; // of an array that tells groups; more are numbers of something else

typedef struct group {
  vtk_array array;
  char name[PL_READ_NAME + 1];
  int on_cells;
  int mask;                 // 1: zeros and ones, which are the members of one group
  int nvalue;               // that differ; 0: it tells no groups
  double value[VALUES_MAX]; // ascending
  int set[VALUES_MAX];
} group;

typedef struct field {
  vtk_array array;
  char name[PL_READ_NAME + 1];
  int on_cells, ncomp;
} field;

typedef struct piece {
  int npoint, ncell, line;
  int point;       // number of its first
  int (*place)[2]; // [ncell] type and number in it of each cell, for fields
  int nfield, cap_field;
  field *field;
  vtk_array array[ROLE_COUNT];
  int ngroup, cap_group;
  group *group;
} piece;

typedef struct vtu {
  vtk x;
  pl_load *in;
  int npiece, cap_piece;
  piece *piece;
  int64_t npoint, ncell; // over all pieces
  int nvertex;           // cells that are vertices
} vtu;

// ---- structure --------------------------------------------------------------------------------

static pl_status open_piece(vtu *v, const vtk_tag *t) {
  pl_load *in = v->in;
  int64_t npoint, ncell;
  if (!vtk_attribute_int(t, "NumberOfPoints", &npoint) ||
      !vtk_attribute_int(t, "NumberOfCells", &ncell))
    return pl_load_fail(in, NULL, "a Piece needs NumberOfPoints and NumberOfCells");
  if (npoint > in->most - v->npoint || ncell > PL_READ_MAX - v->ncell)
    return pl_load_fail(in, NULL, "%lld points and %lld cells; at most %d and %d",
                        (long long)npoint, (long long)ncell, in->most, PL_READ_MAX);
  v->npoint += npoint;
  v->ncell += ncell;
  v->x.current = NULL; // the pieces may move
  PL_TRY(pl_grow(in->env, &v->piece, v->npiece, &v->cap_piece, sizeof *v->piece));
  v->piece[v->npiece++] = (piece){.npoint = (int)npoint, .ncell = (int)ncell, .line = in->line};
  return PL_OK;
}

// room for an array that may tell groups, NULL: it tells none, or there is no memory
static group *new_group(vtu *v, const vtk_tag *t, pl_status *status) {
  static const char front[] = "group:";
  piece *p = &v->piece[v->npiece - 1];
  const char *value;
  size_t n;
  char name[PL_READ_NAME + 1];
  *status = PL_OK;
  if (!vtk_attribute(t, "Name", &value, &n)) return NULL;
  size_t skip = n > strlen(front) && memcmp(value, front, strlen(front)) == 0 ? strlen(front) : 0;
  // VTK's own numbers of cells and ghosts begin with its name
  if (!vtk_plain_name(value + skip, n - skip, name) || (!skip && strncmp(name, "vtk", 3) == 0))
    return NULL;
  *status = pl_grow(v->in->env, &p->group, p->ngroup, &p->cap_group, sizeof *p->group);
  if (*status != PL_OK) return NULL;
  group *g = &p->group[p->ngroup++];
  *g = (group){.on_cells = vtk_is_name(&v->x.open[v->x.depth - 1], "CellData")};
  memcpy(g->name, name, sizeof name);
  return g;
}

// room for a field, NULL: it has no name, or there is no memory
static field *new_field(vtu *v, const vtk_tag *t, pl_status *status) {
  piece *p = &v->piece[v->npiece - 1];
  const char *value;
  size_t n;
  int64_t ncomp = 1;
  char name[PL_READ_NAME + 1];
  *status = PL_OK;
  if (!vtk_attribute(t, "Name", &value, &n) || !vtk_plain_name(value, n, name)) return NULL;
  vtk_attribute_int(t, "NumberOfComponents", &ncomp);
  if (ncomp < 1 || ncomp > 100) return NULL;
  *status = pl_grow(v->in->env, &p->field, p->nfield, &p->cap_field, sizeof *p->field);
  if (*status != PL_OK) return NULL;
  field *f = &p->field[p->nfield++];
  *f =
      (field){.on_cells = vtk_is_name(&v->x.open[v->x.depth - 1], "CellData"), .ncomp = (int)ncomp};
  memcpy(f->name, name, sizeof name);
  return f;
}

static void tell_lost_array(const vtu *v, const vtk_tag *t) {
  const char *name = "";
  size_t n = 0;
  vtk_attribute(t, "Name", &name, &n);
  pl_load_lost(v->in, NULL, "the array '%.*s' is left out", n > 200 ? 200 : (int)n, name);
}

static pl_status open_array(vtu *v, const vtk_tag *t, role which) {
  pl_load *in = v->in;
  vtk_array a = {.what = role_name[which],
                 .real = which == POINTS || which == FIELD,
                 .repeats = which >= TYPES};
  int64_t ncomp = 1;
  PL_TRY(vtk_array_open(&v->x, t, &a));
  if (which == POINTS && (!vtk_attribute_int(t, "NumberOfComponents", &ncomp) || ncomp != 3))
    return pl_load_fail(in, NULL, "the points need 3 components, not %lld", (long long)ncomp);
  piece *p = &v->piece[v->npiece - 1];
  vtk_array *to = which < ROLE_COUNT ? &p->array[which] : NULL;
  if (which == GROUP) {
    pl_status s;
    group *g = new_group(v, t, &s);
    if (!g && s == PL_OK) tell_lost_array(v, t);
    if (!g) return s;
    to = &g->array;
  }
  if (which == FIELD) {
    pl_status s;
    field *f = new_field(v, t, &s);
    if (!f && s == PL_OK) tell_lost_array(v, t);
    if (!f) return s;
    to = &f->array;
  }
  if (to->line) return pl_load_fail(in, NULL, "a second array '%s' in one Piece", role_name[which]);
  *to = a;
  if (!t->empty) v->x.current = to;
  return PL_OK;
}

static int has_form(const vtk_tag *t) {
  return vtk_attribute_is(t, "format", "ascii") || vtk_attribute_is(t, "format", "binary") ||
         vtk_attribute_is(t, "format", "appended");
}

// single integers
static int may_name_groups(const vtk_tag *t) {
  int64_t ncomp = 1;
  return vtk_number_type(t) < PL_F32 &&
         (!vtk_attribute_int(t, "NumberOfComponents", &ncomp) || ncomp <= 1) && has_form(t);
}

static int may_be_field(const vtu *v, const vtk_tag *t) {
  if (v->in->keep && vtk_number_type(t) < PL_NUMBER_COUNT && has_form(t)) return 1;
  tell_lost_array(v, t);
  return 0;
}

// which of our arrays a DataArray is, by where it stands and its name
static role array_role(const vtu *v, const vtk_tag *t) {
  if (v->x.depth > 0 && vtk_is_name(&v->x.open[v->x.depth - 1], "FieldData")) tell_lost_array(v, t);
  if (v->x.depth < 2 || v->npiece == 0 || !vtk_is_name(&v->x.open[v->x.depth - 2], "Piece"))
    return NONE;
  const vtk_tag *parent = &v->x.open[v->x.depth - 1];
  if (vtk_is_name(parent, "Points")) return POINTS;
  if (vtk_is_name(parent, "PointData") || vtk_is_name(parent, "CellData"))
    return may_name_groups(t) ? GROUP : may_be_field(v, t) ? FIELD : NONE;
  if (!vtk_is_name(parent, "Cells")) return NONE;
  for (int k = CONNECTIVITY; k < ROLE_COUNT; k++)
    if (vtk_attribute_is(t, "Name", role_name[k])) return (role)k;
  return NONE;
}

static pl_status element(void *ctx, const vtk_tag *t) {
  vtu *v = ctx;
  if (vtk_is_name(t, "Piece")) return open_piece(v, t);
  role which = vtk_is_name(t, "DataArray") ? array_role(v, t) : NONE;
  return which == NONE ? PL_OK : open_array(v, t, which);
}

static pl_status fetch(vtu *v, piece *p, role which, int64_t count) {
  vtk_array *a = &p->array[which];
  if (a->line) return vtk_fetch(&v->x, p->line, a, count);
  v->in->line = p->line;
  return pl_load_fail(v->in, NULL, "a Piece without the array '%s'", role_name[which]);
}

// ---- groups -----------------------------------------------------------------------------------

// where a value is among those that differ, or would be
static int value_place(const group *g, double x) {
  int lo = 0, hi = g->nvalue;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (g->value[mid] < x)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

// the values that an array has; too many are no groups
static pl_status look_at_group(vtu *v, const piece *p, group *g) {
  int n = g->on_cells ? p->ncell : p->npoint;
  PL_TRY(vtk_fetch(&v->x, p->line, &g->array, n));
  for (int i = 0; i < n; i++) {
    double x = vtk_value(&g->array, i);
    int at = value_place(g, x);
    if (at < g->nvalue && g->value[at] == x) continue;
    if (g->nvalue == VALUES_MAX) {
      g->nvalue = 0;
      return PL_OK;
    }
    memmove(&g->value[at + 1], &g->value[at], (size_t)(g->nvalue - at) * sizeof *g->value);
    g->value[at] = x;
    g->nvalue++;
  }
  g->mask = g->nvalue > 0 && g->value[0] >= 0 && g->value[g->nvalue - 1] <= 1;
  return PL_OK;
}

// sets by the array's name, with the value behind it where it has others than 0 and 1
static pl_status name_groups(vtu *v, group *g) {
  for (int k = 0; k < g->nvalue; k++) {
    char name[PL_READ_NAME + 32];
    int n = snprintf(name, sizeof name, g->mask ? "%s" : "%s_%.15g", g->name, g->value[k]);
    g->set[k] = -1;
    if (g->mask && g->value[k] == 0) continue;
    PL_TRY(pl_load_name_set(v->in, name, (size_t)n, &g->set[k]));
  }
  return PL_OK;
}

// arrays of one name in several pieces are of one kind
static void agree(const vtu *v) {
  for (int a = 0; a < v->npiece; a++)
    for (int i = 0; i < v->piece[a].ngroup; i++)
      for (int b = 0; b < v->npiece; b++)
        for (int k = 0; k < v->piece[b].ngroup; k++) {
          const group *g = &v->piece[a].group[i];
          group *h = &v->piece[b].group[k];
          if (!g->mask && g->on_cells == h->on_cells && strcmp(g->name, h->name) == 0) h->mask = 0;
        }
}

static pl_status find_groups(vtu *v) {
  for (int k = 0; k < v->npiece; k++)
    for (int i = 0; i < v->piece[k].ngroup; i++)
      PL_TRY(look_at_group(v, &v->piece[k], &v->piece[k].group[i]));
  if (v->npiece > 1) agree(v);
  for (int k = 0; k < v->npiece; k++)
    for (int i = 0; i < v->piece[k].ngroup; i++) PL_TRY(name_groups(v, &v->piece[k].group[i]));
  return PL_OK;
}

// puts cell or point i of the piece, which is ours of that index, into its groups
static pl_status put_groups(vtu *v, const piece *p, int on_cells, int i, int list, int index) {
  for (int k = 0; k < p->ngroup; k++) {
    const group *g = &p->group[k];
    if (g->on_cells != on_cells || g->nvalue == 0) continue;
    int set = g->set[value_place(g, vtk_value(&g->array, i))];
    if (set >= 0) PL_TRY(pl_load_put(v->in, set, list, index, index + 1));
  }
  return PL_OK;
}

// ---- mesh -------------------------------------------------------------------------------------

// our type of a VTK cell, PL_READ_VERTEX for a vertex, which is passed over
static pl_status cell_type(vtu *v, int cell, double code, int *type, int *nvert) {
  static const struct {
    int code, type;
  } table[] = {{1, PL_READ_VERTEX},    {3, PL_SEG2},          {5, PL_TRI3},
               {9, PL_QUAD4},          {10, PL_TET4},         {12, PL_HEX8},
               {21, PL_SEG3},          {22, PL_TRI6},         {23, PL_QUAD8},
               {24, PL_TET10},         {25, PL_HEX20},        {13, PL_READ_WEDGE6},
               {14, PL_READ_PYRAMID5}, {26, PL_READ_WEDGE15}, {27, PL_READ_PYRAMID13}};
  for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
    if (table[k].code != code) continue;
    *type = table[k].type;
    *nvert = *type == PL_READ_VERTEX ? 1 : pl_load_nvert(*type);
    return PL_OK;
  }
  int high = code >= 21 && code <= 37;
  return pl_load_fail(
      v->in,
      high ? "of second order, types 21 to 27 are read"
           : "lines, triangles, quads, tetrahedra, hexahedra, prisms and pyramids are read",
      "cell %d is of VTK type %.15g%s", cell + 1, code,
      high ? ", an element of second or higher order" : "");
}

static pl_status add_cells(vtu *v, piece *p, int base) {
  pl_load *in = v->in;
  const vtk_array *connectivity = &p->array[CONNECTIVITY], *offsets = &p->array[OFFSETS];
  int64_t at = 0;
  for (int c = 0; c < p->ncell; c++) {
    int type = 0, nvert = 0, corner[PL_CELL_VERT_MAX];
    PL_TRY(cell_type(v, c, vtk_value(&p->array[TYPES], c), &type, &nvert));
    int64_t next = at + nvert;
    if (vtk_value(offsets, c) != (double)next)
      return pl_load_fail(in, NULL, "cell %d: its offset is %.15g, wanted %lld", c + 1,
                          vtk_value(offsets, c), (long long)next);
    for (int k = 0; k < nvert; k++) {
      double id = vtk_value(connectivity, at + k);
      if (!(id >= 0 && id < p->npoint))
        return pl_load_fail(in, NULL, "cell %d: point %.15g is out of range: there are %d", c + 1,
                            id, p->npoint);
      corner[k] = base + (int)id;
    }
    at = next;
    if (p->place) p->place[c][0] = type;
    if (type == PL_READ_VERTEX) {
      v->nvertex++;
      continue;
    }
    // VTK turns the first triangle outwards, other writers inwards, as all other formats do
    if (in->keep && type == PL_READ_WEDGE6 &&
        mesh_tet_volume(in->X[0], (int[]){corner[0], corner[1], corner[2], corner[3]}) < 0)
      vtk_turn_prism(corner);
    PL_TRY(pl_load_cell(in, type, corner));
    if (p->place) p->place[c][1] = in->cell[type].n - 1;
    PL_TRY(put_groups(v, p, 1, c, type, in->cell[type].n - 1));
  }
  return PL_OK;
}

static pl_status add_piece(vtu *v, piece *p) {
  pl_load *in = v->in;
  int base = in->nvert;
  int64_t ncorner = 0;
  PL_TRY(fetch(v, p, POINTS, 3 * (int64_t)p->npoint));
  for (int64_t i = 0; i < p->npoint; i++) {
    const vtk_array *a = &p->array[POINTS];
    PL_TRY(
        pl_load_vertex(in, vtk_value(a, 3 * i), vtk_value(a, 3 * i + 1), vtk_value(a, 3 * i + 2)));
    PL_TRY(put_groups(v, p, 0, (int)i, PL_READ_VERTEX, base + (int)i));
  }
  PL_TRY(fetch(v, p, TYPES, p->ncell));
  PL_TRY(fetch(v, p, OFFSETS, p->ncell));

  // the types say how long the connectivity must be
  v->in->line = p->array[TYPES].line;
  for (int c = 0; c < p->ncell; c++) {
    int type = 0, nvert = 0;
    PL_TRY(cell_type(v, c, vtk_value(&p->array[TYPES], c), &type, &nvert));
    ncorner += nvert;
  }
  PL_TRY(fetch(v, p, CONNECTIVITY, ncorner));
  p->point = base;
  if (in->keep) {
    p->place = pl_alloc(in->env, (size_t)p->ncell, sizeof p->place[0]);
    if (!p->place) return PL_E_NOMEM;
  }
  return add_cells(v, p, base);
}

// ---- fields -------------------------------------------------------------------------------------

// numbers of one array of a piece into the field of its name; first: of each type of cells
static pl_status put_field(vtu *v, const piece *p, const char *name, int on_cells, int ncomp,
                           const vtk_array *a, const int64_t *first, int64_t all) {
  double *data;
  int before = v->in->nfield;
  PL_TRY(pl_load_field(v->in, name, on_cells, ncomp, all, &data));
  // pieces without the array have no numbers
  for (int64_t i = 0; v->npiece > 1 && v->in->nfield > before && i < all * ncomp; i++)
    data[i] = NAN;
  for (int i = 0; data && i < (on_cells ? p->ncell : p->npoint); i++) {
    if (on_cells && p->place[i][0] == PL_READ_VERTEX) continue;
    int64_t row = on_cells ? first[p->place[i][0]] + p->place[i][1] : p->point + i;
    for (int c = 0; c < ncomp; c++) data[row * ncomp + c] = vtk_value(a, (int64_t)i * ncomp + c);
  }
  return PL_OK;
}

static pl_status put_fields(vtu *v) {
  int64_t first[PL_READ_VERTEX], all = 0;
  for (int t = 0; t < PL_READ_VERTEX; t++) {
    first[t] = all;
    all += v->in->cell[t].n;
  }
  for (int k = 0; k < v->npiece; k++) {
    piece *p = &v->piece[k];
    // whole numbers that tell groups by their values are a field as well
    for (int i = 0; i < p->ngroup; i++) {
      const group *g = &p->group[i];
      if (!g->mask && g->array.data)
        PL_TRY(put_field(v, p, g->name, g->on_cells, 1, &g->array, first,
                         g->on_cells ? all : v->in->nvert));
    }
    for (int i = 0; i < p->nfield; i++) {
      field *f = &p->field[i];
      int64_t n = f->on_cells ? p->ncell : p->npoint;
      PL_TRY(vtk_fetch(&v->x, p->line, &f->array, n * f->ncomp));
      PL_TRY(put_field(v, p, f->name, f->on_cells, f->ncomp, &f->array, first,
                       f->on_cells ? all : v->in->nvert));
      pl_free(v->in->env, f->array.data);
      f->array.data = NULL;
    }
  }
  if (v->nvertex > 0)
    pl_load_lost(v->in, NULL, "%d %s that %s single points %s left out", v->nvertex,
                 pl_plural(v->nvertex, "cell", "cells"), pl_plural(v->nvertex, "is", "are"),
                 pl_plural(v->nvertex, "is", "are"));
  return PL_OK;
}

pl_status pl_read_vtu(pl_load *in) {
  vtu v = {.in = in,
           .x = {.in = in,
                 .ending = "VTU",
                 .type = "UnstructuredGrid",
                 .hint = "save it as an unstructured grid (.vtu)",
                 .element = element,
                 .ctx = &v}};
  pl_status s = vtk_read_tags(&v.x);
  if (s == PL_OK && v.npiece == 0) s = pl_load_fail(in, NULL, "the grid has no Piece");
  if (s == PL_OK) s = find_groups(&v);
  for (int k = 0; k < v.npiece && s == PL_OK; k++) s = add_piece(&v, &v.piece[k]);
  if (s == PL_OK && in->keep) s = put_fields(&v);
  for (int k = 0; k < v.npiece; k++) {
    for (int r = 0; r < ROLE_COUNT; r++) pl_free(in->env, v.piece[k].array[r].data);
    for (int g = 0; g < v.piece[k].ngroup; g++) pl_free(in->env, v.piece[k].group[g].array.data);
    for (int f = 0; f < v.piece[k].nfield; f++) pl_free(in->env, v.piece[k].field[f].array.data);
    pl_free(in->env, v.piece[k].group);
    pl_free(in->env, v.piece[k].field);
    pl_free(in->env, v.piece[k].place);
  }
  pl_free(in->env, v.piece);
  return s;
}
