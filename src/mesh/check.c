#include "mesh_impl.h"

#include "pliant/math.h"

#include <string.h>

#define TET_EDGES                                                                                  \
  {                                                                                                \
    {0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {                                                      \
      2, 3                                                                                         \
    }                                                                                              \
  }
#define HEX_EDGES                                                                                  \
  {                                                                                                \
    {0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {      \
      3, 7                                                                                         \
    }                                                                                              \
  }

const int mesh_nedge[PL_CELL_COUNT] = {1, 3, 4, 6, 12, 1, 3, 4, 6, 12};
const int mesh_edge[PL_CELL_COUNT][12][2] = {
    {{0, 1}}, {{0, 1}, {1, 2}, {2, 0}}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, TET_EDGES, HEX_EDGES,
    {{0, 1}}, {{0, 1}, {1, 2}, {2, 0}}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, TET_EDGES, HEX_EDGES,
};
const int mesh_tet_face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
const int mesh_hex_face[6][4] = {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4},
                                 {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}};

// ---- indices ----------------------------------------------------------------------------------

static pl_status check_cells(const pl_mesh *m, int t) {
  int nv = pl_cell_nvert[t];
  const int *v = m->cell[t].v;
  for (int i = 0; i < m->cell[t].n * nv; i++)
    if (v[i] < 0 || v[i] >= m->nvert)
      return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0, "vertex numbers start at 1",
                        "%s %d: vertex %lld does not exist, there are %d", pl_cell_name[t],
                        i / nv + 1, (long long)v[i] + 1, m->nvert);
  return PL_OK;
}

pl_status mesh_check_indices(const pl_mesh *m) {
  for (int t = 0; t < PL_CELL_COUNT; t++) PL_TRY(check_cells(m, t));
  for (int k = 0; k < m->nset; k++) {
    const pl_set *s = &m->set[k];
    int count = s->type < 0 ? m->nvert : m->cell[s->type].n;
    const char *what = s->type < 0 ? "vertex" : pl_cell_name[s->type];

    // ascending, so the ends tell
    if (s->n > 0 && (s->index[0] < 0 || s->index[s->n - 1] >= count))
      return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0, NULL,
                        "set '%s': %s %lld does not exist, there are %d", s->name, what,
                        (long long)(s->index[0] < 0 ? s->index[0] : s->index[s->n - 1]) + 1, count);
  }
  return PL_OK;
}

// ---- measures ---------------------------------------------------------------------------------

double mesh_tet_volume(const double *X, const int *v) {
  double a[3], b[3], c[3], n[3];
  pl_sub3(X + 3 * v[1], X + 3 * v[0], a);
  pl_sub3(X + 3 * v[2], X + 3 * v[0], b);
  pl_sub3(X + 3 * v[3], X + 3 * v[0], c);
  pl_cross3(a, b, n);
  return pl_dot3(n, c) / 6;
}

// by the six pyramids over the (bilinear) faces from vertex 0, each face cut both ways and averaged
static double mesh_hex_volume(const double *X, const int *v) {
  static const int cut[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};
  double sum = 0;
  for (int f = 0; f < 6; f++)
    for (int k = 0; k < 4; k++) {
      int t[4] = {v[0], v[mesh_hex_face[f][cut[k][0]]], v[mesh_hex_face[f][cut[k][1]]],
                  v[mesh_hex_face[f][cut[k][2]]]};
      sum += mesh_tet_volume(X, t);
    }
  return sum / 2;
}

// twice the area vector of the triangle a b c
static void area_vector(const double *X, int a, int b, int c, double *n) {
  double e[3], f[3];
  pl_sub3(X + 3 * b, X + 3 * a, e);
  pl_sub3(X + 3 * c, X + 3 * a, f);
  pl_cross3(e, f, n);
}

// half the cross product of the diagonals, signed area vector of any quad
static double quad_area(const double *X, const int *v) {
  double e[3], f[3], n[3];
  pl_sub3(X + 3 * v[2], X + 3 * v[0], e);
  pl_sub3(X + 3 * v[3], X + 3 * v[1], f);
  pl_cross3(e, f, n);
  return 0.5 * pl_norm3(n);
}

// length, area or signed volume between the corners
static double measure(int type, const double *X, const int *v) {
  double n[3];
  switch (pl_cell_corners[type]) {
  case PL_SEG2:
    pl_sub3(X + 3 * v[1], X + 3 * v[0], n);
    return pl_norm3(n);
  case PL_TRI3:
    area_vector(X, v[0], v[1], v[2], n);
    return 0.5 * pl_norm3(n);
  case PL_QUAD4:
    return quad_area(X, v);
  case PL_TET4:
    return mesh_tet_volume(X, v);
  default:
    return mesh_hex_volume(X, v);
  }
}

static double longest_edge(int type, const double *X, const int *v) {
  double most = 0;
  for (int e = 0; e < mesh_nedge[type]; e++) {
    double d[3];
    pl_sub3(X + 3 * v[mesh_edge[type][e][0]], X + 3 * v[mesh_edge[type][e][1]], d);
    most = fmax(most, pl_norm3(d));
  }
  return most;
}

// ---- single cells -----------------------------------------------------------------------------

static int cell_repeats(const int *v, int nv) {
  for (int a = 0; a < nv; a++)
    for (int b = 0; b < a; b++)
      if (v[a] == v[b]) return v[a];
  return -1;
}

// measure below this times the longest edge to the cell's dimension is zero
static const double flat = 1e-12;

// fails on repeated vertices and zero measure; counts cells of negative volume
static pl_status check_type(const pl_mesh *m, int t, int *nnegative, int *first) {
  const int *dim = pl_cell_dim;
  int nv = pl_cell_nvert[t];
  for (int i = 0; i < m->cell[t].n; i++) {
    const int *v = m->cell[t].v + nv * i;
    int twice = cell_repeats(v, nv);
    if (twice >= 0)
      return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0, "remove the cell",
                        "%s %d names vertex %d twice", pl_cell_name[t], i + 1, twice + 1);
    double size = measure(t, m->X, v), h = longest_edge(t, m->X, v);
    double least = flat * pow(h, dim[t]);
    if (!(fabs(size) > least) || h == 0)
      return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0,
                        "remove the cell or move its vertices apart",
                        "%s %d is degenerate: its %s is zero", pl_cell_name[t], i + 1,
                        dim[t] == 1   ? "length"
                        : dim[t] == 2 ? "area"
                                      : "volume");
    if (size < 0 && (*nnegative)++ == 0) *first = i;
  }
  return PL_OK;
}

int mesh_middle(int type, const int *v, int a, int b) {
  const int(*edge)[2] = mesh_edge[type];
  int e = 0, corners = pl_cell_nvert[pl_cell_corners[type]];
  while ((edge[e][0] != a || edge[e][1] != b) && (edge[e][0] != b || edge[e][1] != a)) e++;
  return v[corners + e];
}

// turns a tet or hex inside out by swapping vertices
static void flip(int type, int *v) {
  static const int swap[2][8] = {{0, 2, 1, 3}, {0, 3, 2, 1, 4, 7, 6, 5}};
  const int *to = swap[pl_cell_corners[type] == PL_HEX8];
  int old[PL_CELL_VERT_MAX], nv = pl_cell_nvert[type];
  int corners = pl_cell_nvert[pl_cell_corners[type]];
  memcpy(old, v, (size_t)nv * sizeof *v);
  for (int k = 0; k < corners; k++) v[k] = old[to[k]];
  for (int e = 0; corners + e < nv; e++)
    v[corners + e] = mesh_middle(type, old, to[mesh_edge[type][e][0]], to[mesh_edge[type][e][1]]);
}

// volume at a corner of a hex, spanned by its three edges; positive everywhere in a sound cell
static const int hex_corner[8][4] = {{0, 1, 3, 4}, {1, 2, 0, 5}, {2, 3, 1, 6}, {3, 0, 2, 7},
                                     {4, 7, 5, 0}, {5, 4, 6, 1}, {6, 5, 7, 2}, {7, 6, 4, 3}};

static pl_status check_corners(const pl_mesh *m) {
  for (int i = 0; i < m->cell[PL_HEX8].n; i++) {
    const int *v = m->cell[PL_HEX8].v + 8 * i;
    double least = flat * pow(longest_edge(PL_HEX8, m->X, v), 3);
    for (int c = 0; c < 8; c++) {
      int t[4];
      for (int k = 0; k < 4; k++) t[k] = v[hex_corner[c][k]];
      if (!(mesh_tet_volume(m->X, t) > least))
        return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0,
                          "vertices must stand in VTK's order: bottom face, then top face",
                          "hex %d is inverted at its corner %d (vertex %d)", i + 1, c + 1,
                          t[0] + 1);
    }
  }
  return PL_OK;
}

// a corner of a cell of second order and the three at the other ends of its edges, right-handed
static const int tet_corner[4][4] = {{0, 1, 2, 3}, {1, 2, 0, 3}, {2, 0, 1, 3}, {3, 0, 2, 1}};

// A corner of a cell of second order where the slopes 4 m - 3 c - d of its edges span no positive
// volume, so that sides are so curved that the cell is folded; -1: none.
static int folded_corner(const pl_mesh *m, int t, const int *v) {
  int tet = t == PL_TET10;
  double least = flat * pow(longest_edge(t, m->X, v), 3);
  for (int c = 0; c < (tet ? 4 : 8); c++) {
    const int *at = tet ? tet_corner[c] : hex_corner[c];
    double s[3][3], n[3];
    for (int k = 0; k < 3; k++)
      for (int d = 0; d < 3; d++)
        s[k][d] = 4 * m->X[3 * (size_t)mesh_middle(t, v, at[0], at[k + 1]) + d] -
                  3 * m->X[3 * (size_t)v[at[0]] + d] - m->X[3 * (size_t)v[at[k + 1]] + d];
    pl_cross3(s[0], s[1], n);
    if (!(pl_dot3(n, s[2]) > least)) return at[0];
  }
  return -1;
}

// number of folded cells, the first of them and its corner; with straighten, vertices on their
// edges go half of their way to the middle
static int fold_count(pl_mesh *m, int t, int straighten, int *first, int *corner) {
  int nv = pl_cell_nvert[t], corners = pl_cell_nvert[pl_cell_corners[t]], n = 0;
  for (int i = 0; i < m->cell[t].n; i++) {
    const int *v = m->cell[t].v + (size_t)nv * (size_t)i;
    int c = folded_corner(m, t, v);
    if (c < 0) continue;
    if (n++ == 0) {
      *first = i;
      *corner = c;
    }
    for (int e = 0; straighten && e < mesh_nedge[t]; e++)
      for (int d = 0; d < 3; d++) {
        double *x = &m->X[3 * (size_t)v[corners + e] + d];
        *x = 0.5 * *x + 0.25 * (m->X[3 * (size_t)v[mesh_edge[t][e][0]] + d] +
                                m->X[3 * (size_t)v[mesh_edge[t][e][1]] + d]);
      }
  }
  return n;
}

// Meshers put vertices onto curved surfaces, and here and there fold a cell so: its edges are made
// straighter. Where many are folded the file is wrong.
static pl_status check_curved(pl_mesh *m, int t) {
  enum { ROUNDS = 12, FEW = 20 };
  int n = m->cell[t].n, first = 0, corner = 0, other, folded = fold_count(m, t, 0, &first, &corner);
  int left = folded;
  for (int round = 0; left > 0 && left <= n / FEW && round < ROUNDS; round++) {
    fold_count(m, t, 1, &other, &other);
    left = fold_count(m, t, 0, &other, &other);
  }
  static const char hint[] =
      "optimise the mesh of second order (gmsh: Mesh.HighOrderOptimize = 2), "
      "or mesh finer where it is curved";
  if (left > 0)
    return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0, hint,
                      "%s %d is folded at its corner %d (vertex %d): the vertices on its edges "
                      "are too far out",
                      pl_cell_name[t], first + 1, corner + 1,
                      m->cell[t].v[(size_t)pl_cell_nvert[t] * (size_t)first + (size_t)corner] + 1);
  if (folded > 0)
    pl_report(m->env, PL_WARNING, m->source, 0, 0, hint,
              "%d of %d %s cells %s folded by the vertices on curved edges, first %s %d: those "
              "edges were made straighter",
              folded, n, pl_cell_name[t], folded == 1 ? "was" : "were", pl_cell_name[t], first + 1);
  return PL_OK;
}

static pl_status check_solids(pl_mesh *m) {
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    if (pl_cell_dim[t] != 3) continue;
    int negative = 0, first = 0, nv = pl_cell_nvert[t];
    PL_TRY(check_type(m, t, &negative, &first));
    if (negative == 0) continue;
    if (negative < m->cell[t].n)
      return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0, "exchange two of its vertices",
                        "%s %d is inverted: its volume is negative (%d of %d are)", pl_cell_name[t],
                        first + 1, negative, m->cell[t].n);
    for (int i = 0; i < m->cell[t].n; i++) flip(t, m->cell[t].v + nv * i);
    pl_report(m->env, PL_NOTE, m->source, 0, 0, NULL,
              "all %d %s cells had negative volume and were turned round", negative,
              pl_cell_name[t]);
  }
  PL_TRY(check_curved(m, PL_TET10));
  PL_TRY(check_curved(m, PL_HEX20));
  return check_corners(m);
}

// ---- vertices ---------------------------------------------------------------------------------

static pl_status warn_unused(const pl_mesh *m) {
  char *used = pl_alloc(m->env, (size_t)m->nvert, 1);
  if (!used) return PL_E_NOMEM;
  for (int t = 0; t < PL_CELL_COUNT; t++)
    for (int i = 0; i < m->cell[t].n * pl_cell_nvert[t]; i++) used[m->cell[t].v[i]] = 1;
  int unused = 0, first = 0;
  for (int i = m->nvert - 1; i >= 0; i--)
    if (!used[i]) {
      unused++;
      first = i;
    }
  pl_free(m->env, used);
  if (unused > 0)
    pl_report(m->env, PL_WARNING, m->source, 0, 0, "they can be dropped",
              "%d %s used by no cell, first vertex %d", unused,
              pl_plural(unused, "vertex is", "vertices are"), first + 1);
  return PL_OK;
}

static pl_status warn_close(const pl_mesh *m) {
  double lo[3], hi[3], d[3];
  pl_mesh_bounds(m, lo, hi);
  pl_sub3(hi, lo, d);
  double tol = 1e-9 * pl_norm3(d);
  int *rep = pl_alloc(m->env, (size_t)m->nvert, sizeof *rep);
  if (!rep) return PL_E_NOMEM;
  pl_status s = mesh_match(m, tol, rep);
  int close = 0, a = 0, b = 0;
  for (int i = m->nvert - 1; i >= 0 && s == PL_OK; i--)
    if (rep[i] != i) {
      close++;
      a = rep[i];
      b = i;
    }
  pl_free(m->env, rep);
  if (close > 0)
    pl_report(m->env, PL_WARNING, m->source, 0, 0, "weld the mesh if it should hang together there",
              "%d duplicate %s within %.3g m, first vertices %d and %d", close,
              pl_plural(close, "vertex", "vertices"), tol, a + 1, b + 1);
  return s;
}

#define FAR 1e60 // cubes of lengths stay finite

pl_status pl_mesh_check(pl_mesh *m) {
  if (m->nvert == 0)
    return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0, NULL, "the mesh has no vertices");
  PL_TRY(mesh_check_indices(m));
  for (int i = 0; i < m->nvert; i++) {
    const double *x = m->X + 3 * i;
    if (fabs(x[0]) < FAR && fabs(x[1]) < FAR && fabs(x[2]) < FAR) continue;
    return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0, "positions are in metres",
                      "vertex %d is not finite or absurdly far away: %g %g %g", i + 1, x[0], x[1],
                      x[2]);
  }
  int ignored = 0, first = 0;
  for (int t = 0; t < PL_CELL_COUNT; t++)
    if (pl_cell_dim[t] < 3) PL_TRY(check_type(m, t, &ignored, &first));
  PL_TRY(check_solids(m));
  PL_TRY(warn_unused(m));
  return warn_close(m);
}
