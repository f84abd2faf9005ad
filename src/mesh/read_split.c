#include "mesh_impl.h"
#include "read_impl.h"

#include <stdio.h>
#include <string.h>

// Prisms and pyramids become tetrahedra: from its lowest vertex a cell is a cone over the faces
// that do not hold it, quads among them cut from their own lowest vertex (Dompierre, Labbe, Vallet
// and Camarero 1999). Quads that two cells share are cut alike, so hexahedra beside them are
// split in the same way, and quads on the surface too.

static const pl_load_shape tet = {4,
                                  6,
                                  4,
                                  {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
                                  {{0, 1, 2, -1}, {0, 3, 1, -1}, {1, 3, 2, -1}, {2, 3, 0, -1}}};
static const pl_load_shape hex = {
    8,
    12,
    6,
    {{0, 1},
     {1, 2},
     {2, 3},
     {3, 0},
     {4, 5},
     {5, 6},
     {6, 7},
     {7, 4},
     {0, 4},
     {1, 5},
     {2, 6},
     {3, 7}},
    {{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}}};
static const pl_load_shape wedge = {
    6,
    9,
    5,
    {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
    {{0, 1, 2, -1}, {3, 5, 4, -1}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}}};
static const pl_load_shape pyramid = {
    5,
    8,
    5,
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}},
    {{0, 1, 2, 3}, {0, 4, 1, -1}, {1, 4, 2, -1}, {2, 4, 3, -1}, {3, 4, 0, -1}}};

const pl_load_shape *pl_load_shape_of(int type) {
  switch (type) {
  case PL_TET4:
  case PL_TET10:
    return &tet;
  case PL_HEX8:
  case PL_HEX20:
    return &hex;
  case PL_READ_WEDGE6:
  case PL_READ_WEDGE15:
    return &wedge;
  case PL_READ_PYRAMID5:
  case PL_READ_PYRAMID13:
    return &pyramid;
  default:
    return NULL;
  }
}

int pl_load_nvert(int type) {
  static const int more[] = {6, 5, 15, 13};
  return type < PL_CELL_COUNT ? pl_cell_nvert[type] : more[type - PL_CELL_COUNT];
}

// a vertex on a diagonal of a face, or through a hexahedron
typedef struct diagonal {
  int end[2], corner[2]; // of a face, its other two corners; through a cell, -1
} diagonal;

typedef struct split {
  pl_load *in;
  pl_load_hash hash;
  int n, cap;
  diagonal *key; // [n] vertex base + i is on key[i]
  int base;
} split;

// ---- one cell -----------------------------------------------------------------------------------

// which of n corners has the lowest vertex
static int lowest(const int *v, const signed char *corner, int n) {
  int best = 0;
  for (int k = 1; k < n; k++)
    if (v[corner[k]] < v[corner[best]]) best = k;
  return best;
}

// triangles [..][3] of corners that a face is cut into; returns their number
static int cut_face(const int *v, const signed char *face, int *tri) {
  int n = face[3] < 0 ? 3 : 4, from = lowest(v, face, n);
  for (int k = 1; k + 1 < n; k++) {
    *tri++ = face[from];
    *tri++ = face[(from + k) % n];
    *tri++ = face[(from + k + 1) % n];
  }
  return n - 2;
}

// corners [..][4] of the tetrahedra of a cell; returns their number, 6 at most
static int cut_cell(const pl_load_shape *shape, const int *v, int *out) {
  static const signed char all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  int top = lowest(v, all, shape->ncorner), n = 0;
  for (int f = 0; f < shape->nface; f++) {
    const signed char *face = shape->face[f];
    int tri[6];
    if (face[0] == top || face[1] == top || face[2] == top || face[3] == top) continue;
    int ntri = cut_face(v, face, tri);
    for (int t = 0; t < ntri; t++, n++)
      for (int k = 0; k < 4; k++) out[4 * n + k] = k < 3 ? tri[3 * t + k] : top;
  }
  return n;
}

// ---- vertices on diagonals ----------------------------------------------------------------------

static int is_edge(const pl_load_shape *s, int e, int a, int b) {
  return (s->edge[e][0] == a && s->edge[e][1] == b) || (s->edge[e][0] == b && s->edge[e][1] == a);
}

static int holds(const signed char *face, int a) {
  return face[0] == a || face[1] == a || face[2] == a || face[3] == a;
}

// the middle of a quad of eight nodes, or of a hexahedron of twenty: where the shape functions put
// it
static void middle(const pl_load *in, const pl_load_shape *s, const int *v, const signed char *face,
                   double *x) {
  memset(x, 0, 3 * sizeof *x);
  for (int c = 0; c < s->ncorner; c++)
    for (int i = 0; (!face || holds(face, c)) && i < 3; i++) x[i] -= 0.25 * in->X[v[c]][i];
  for (int e = 0; e < s->nedge; e++) {
    if (face && !(holds(face, s->edge[e][0]) && holds(face, s->edge[e][1]))) continue;
    for (int i = 0; i < 3; i++) x[i] += (face ? 0.5 : 0.25) * in->X[v[s->ncorner + e]][i];
  }
}

// the vertex between corners a and b of a cell of second order
static pl_status between(split *p, const pl_load_shape *s, const int *v, int a, int b, int *out) {
  for (int e = 0; e < s->nedge; e++)
    if (is_edge(s, e, a, b)) {
      *out = v[s->ncorner + e];
      return PL_OK;
    }
  const signed char *face = NULL;
  for (int f = 0; f < s->nface && !face; f++)
    if (holds(s->face[f], a) && holds(s->face[f], b)) face = s->face[f];
  diagonal key = {{v[a] < v[b] ? v[a] : v[b], v[a] < v[b] ? v[b] : v[a]}, {-1, -1}};
  for (int k = 0, n = 0; face && k < 4; k++)
    if (face[k] != a && face[k] != b) key.corner[n++] = v[face[k]];
  if (key.corner[0] > key.corner[1]) {
    int t = key.corner[0];
    key.corner[0] = key.corner[1];
    key.corner[1] = t;
  }
  int *slot;
  PL_TRY(pl_load_find(p->in->env, &p->hash, p->key, sizeof key, p->n, &key, &slot));
  if (!*slot) {
    double x[3];
    middle(p->in, s, v, face, x);
    PL_TRY(pl_load_vertex(p->in, x[0], x[1], x[2]));
    PL_TRY(pl_grow(p->in->env, &p->key, p->n, &p->cap, sizeof key));
    p->key[p->n++] = key;
    *slot = p->n;
  }
  *out = p->base + *slot - 1;
  return PL_OK;
}

// ---- all cells ----------------------------------------------------------------------------------

// a piece of a cell by its corners, as a cell of the type
static pl_status add_piece(split *p, const pl_load_shape *s, const int *v, int type,
                           const int *corner) {
  int corners = pl_cell_nvert[pl_cell_corners[type]], out[PL_CELL_VERT_MAX];
  for (int k = 0; k < corners; k++) out[k] = v[corner[k]];
  for (int e = 0; corners + e < pl_cell_nvert[type]; e++)
    PL_TRY(between(p, s, v, corner[mesh_edge[type][e][0]], corner[mesh_edge[type][e][1]],
                   &out[corners + e]));
  return pl_load_cell(p->in, type, out);
}

// files differ in the sense of prisms, so pieces turn by what their volumes add up to
static void orient_pieces(const pl_load *in, const int *v, int n, int *corner) {
  double volume = 0;
  for (int t = 0; t < n; t++) {
    int at[4];
    for (int k = 0; k < 4; k++) at[k] = v[corner[4 * t + k]];
    volume += mesh_tet_volume(&in->X[0][0], at);
  }
  for (int t = 0; t < n && volume < 0; t++) {
    int k = corner[4 * t];
    corner[4 * t] = corner[4 * t + 1];
    corner[4 * t + 1] = k;
  }
}

static pl_status split_cell(split *p, int type, int to, const int *v) {
  static const pl_load_shape quad = {4, 4, 1, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {{0, 1, 2, 3}}};
  const pl_load_shape *s = pl_load_shape_of(type);
  int corner[24], n, size = s ? 4 : 3;
  if (s) {
    n = cut_cell(s, v, corner);
    orient_pieces(p->in, v, n, corner);
  } else {
    s = &quad;
    n = cut_face(v, s->face[0], corner);
  }
  for (int t = 0; t < n; t++) PL_TRY(add_piece(p, s, v, to, corner + size * t));
  return PL_OK;
}

// members of sets are the pieces from start[i] to start[i + 1] of each cell i
static pl_status move_members(pl_load *in, int type, int to, const int *start) {
  for (int k = 0; k < in->nset; k++) {
    pl_load_runs *r = &in->set[k].list[type];
    for (int i = 0; i < r->n; i++)
      PL_TRY(pl_load_put(in, k, to, start[r->run[i][0]], start[r->run[i][1]]));
    r->n = 0;
  }
  return PL_OK;
}

static pl_status split_type(split *p, int type, int to) {
  pl_load *in = p->in;
  pl_load_cells *c = &in->cell[type];
  if (c->n == 0) return PL_OK;
  int *start = pl_alloc(in->env, (size_t)c->n + 1, sizeof *start);
  if (!start) return PL_E_NOMEM;
  pl_status s = PL_OK;
  for (int i = 0; i < c->n && s == PL_OK; i++) {
    start[i] = in->cell[to].n;
    s = split_cell(p, type, to, c->v + (size_t)i * (size_t)pl_load_nvert(type));
  }
  start[c->n] = in->cell[to].n;
  if (s == PL_OK) s = move_members(in, type, to, start);
  c->n = 0;
  pl_free(in->env, start);
  return s;
}

// sets of vertices that hold all corners of a face have the vertex in its middle too
static pl_status complete_set(split *p, int set, char *in_set) {
  pl_load *in = p->in;
  const pl_load_runs *r = &in->set[set].list[PL_READ_VERTEX];
  if (r->n == 0) return PL_OK;
  memset(in_set, 0, (size_t)p->base);
  for (int i = 0; i < r->n; i++)
    memset(in_set + r->run[i][0], 1, (size_t)(r->run[i][1] - r->run[i][0]));
  for (int i = 0; i < p->n; i++) {
    const diagonal *d = &p->key[i];
    if (d->corner[0] >= 0 && in_set[d->end[0]] && in_set[d->end[1]] && in_set[d->corner[0]] &&
        in_set[d->corner[1]])
      PL_TRY(pl_load_put(in, set, PL_READ_VERTEX, p->base + i, p->base + i + 1));
  }
  return PL_OK;
}

static pl_status split_all(split *p) {
  static const int table[][2] = {{PL_READ_WEDGE6, PL_TET4},
                                 {PL_READ_PYRAMID5, PL_TET4},
                                 {PL_HEX8, PL_TET4},
                                 {PL_READ_WEDGE15, PL_TET10},
                                 {PL_READ_PYRAMID13, PL_TET10},
                                 {PL_HEX20, PL_TET10},
                                 {PL_QUAD4, PL_TRI3},
                                 {PL_QUAD8, PL_TRI6}};
  for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
    PL_TRY(split_type(p, table[k][0], table[k][1]));
  char *in_set = p->n > 0 ? pl_alloc(p->in->env, (size_t)p->base, 1) : NULL;
  if (p->n > 0 && !in_set) return PL_E_NOMEM;
  pl_status s = PL_OK;
  for (int k = 0; k < p->in->nset && s == PL_OK && p->n > 0; k++) s = complete_set(p, k, in_set);
  pl_free(p->in->env, in_set);
  return s;
}

pl_status pl_load_split(pl_load *in) {
  int n = 0, nhex = in->cell[PL_HEX8].n + in->cell[PL_HEX20].n;
  for (int t = PL_CELL_COUNT; t < PL_READ_VERTEX; t++) n += in->cell[t].n;
  if (n == 0) return PL_OK;
  split p = {.in = in, .base = in->nvert};
  pl_status s = split_all(&p);
  pl_free(in->env, p.key);
  pl_free(in->env, p.hash.slot);
  PL_TRY(s);
  char more[64] = "";
  if (nhex > 0) snprintf(more, sizeof more, ", and the %d hexahedra with them,", nhex);
  pl_report(in->env, PL_NOTE, in->name, 0, 0, NULL,
            "%d prisms or pyramids%s were split into tetrahedra", n, more);
  return PL_OK;
}
