// Middles of edges put onto a smooth surface: quadrics through the corners around an edge, on every
// sheet that meets there.
#include "mesh_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

enum { RINGS = 2, PATCH = 64, TERMS = 6 }; // steps over edges around one; most triangles
static const double HELD = 1e4;            // weight of an edge's own ends
static const double FLATNESS = 1e-9;       // heights that are rounding, over the edge
static const double FLATTER = 1e-6;        // weight of small curvatures where points are too few
static const double MOST = 0.2;            // offsets over the edge beyond which a fit is none

typedef struct rounding {
  const pl_mesh *m;
  int n, nedge;
  int *key, *order, *id, *first; // sides: ends; edge by edge; their edges; where an edge begins
  char *sharp;                   // [nedge] sheets end there
  double *normal;                // [n][3] of the triangles of the corners, unit
} rounding;

static const double *vertex_at(const rounding *w, int v) {
  return w->m->X + 3 * (size_t)v;
}

static const int *cell_of(const rounding *w, int tri) {
  return w->m->cell[PL_TRI6].v + 6 * (size_t)tri;
}

static void fill_sides(rounding *w) {
  for (int side = 0; side < 3 * w->n; side++) {
    const int *v = cell_of(w, side / 3);
    int *k = w->key + 2 * (size_t)side;
    k[0] = v[side % 3];
    k[1] = v[(side + 1) % 3];
    mesh_sort_row(2, k);
  }
  for (int t = 0; t < w->n; t++) {
    double a[3], b[3], *n = w->normal + 3 * (size_t)t;
    const int *v = cell_of(w, t);
    pl_sub3(vertex_at(w, v[1]), vertex_at(w, v[0]), a);
    pl_sub3(vertex_at(w, v[2]), vertex_at(w, v[0]), b);
    pl_cross3(a, b, n);
    double size = pl_norm3(n);
    for (int i = 0; i < 3 && size > 0; i++) n[i] /= size;
  }
}

// 1: the triangles of two sides see their edge in the same direction, so that their normals differ
static int opposed(const rounding *w, int one, int two) {
  return cell_of(w, one / 3)[one % 3] == cell_of(w, two / 3)[two % 3];
}

static void find_sharp(rounding *w, double crease) {
  for (int i = 0; i < 3 * w->n; i++) w->first[w->id[w->order[i]] + 1] = i + 1;
  for (int e = 0; e < w->nedge; e++) {
    const int *side = w->order + w->first[e];
    w->sharp[e] = w->first[e + 1] - w->first[e] != 2;
    if (w->sharp[e]) continue;
    double c =
        pl_dot3(w->normal + 3 * (size_t)(side[0] / 3), w->normal + 3 * (size_t)(side[1] / 3));
    w->sharp[e] = (opposed(w, side[0], side[1]) ? -c : c) < cos(crease);
  }
}

// triangles of the sheet around the one of a side; the first ones are on the edge itself
static int collect(const rounding *w, int side, int *tri) {
  int n = 0, begin = 0;
  tri[n++] = side / 3;
  for (int ring = 0; ring <= RINGS; ring++) {
    int end = n;
    for (int t = begin; t < end; t++)
      for (int k = 0; k < 3; k++) {
        int e = w->id[3 * tri[t] + k];
        // from the first triangle over the edge alone
        if (w->sharp[e] || (ring == 0 && e != w->id[side])) continue;
        for (int i = w->first[e]; i < w->first[e + 1] && n < PATCH; i++) {
          int other = w->order[i] / 3, known = 0;
          for (int j = 0; j < n; j++) known |= tri[j] == other;
          if (!known) tri[n++] = other;
        }
      }
    begin = ring == 0 ? 0 : end;
  }
  return n;
}

// A x = b, symmetric and positive
static void solve(double A[TERMS][TERMS], double *b) {
  for (int k = 0; k < TERMS; k++)
    for (int i = k + 1; i < TERMS; i++) {
      double f = A[k][k] > 0 ? A[i][k] / A[k][k] : 0;
      for (int j = k; j < TERMS; j++) A[i][j] -= f * A[k][j];
      b[i] -= f * b[k];
    }
  for (int k = TERMS - 1; k >= 0; k--) {
    for (int j = k + 1; j < TERMS; j++) b[k] -= A[k][j] * b[j];
    b[k] = A[k][k] > 0 ? b[k] / A[k][k] : 0;
  }
}

// axes of an edge: along it, across in the sheet, and its normal; returns the edge's length
static double frame(const rounding *w, int side, int ntri, const int *tri, double axis[3][3]) {
  const int *k = w->key + 2 * (size_t)side;
  pl_sub3(vertex_at(w, k[1]), vertex_at(w, k[0]), axis[0]);
  double l = pl_norm3(axis[0]), sign = 1;
  memcpy(axis[2], w->normal + 3 * (size_t)tri[0], 3 * sizeof(double));
  if (!w->sharp[w->id[side]] && ntri > 1) {
    int other = w->order[w->first[w->id[side]]];
    if (other == side) other = w->order[w->first[w->id[side]] + 1];
    if (opposed(w, side, other)) sign = -1;
    for (int i = 0; i < 3; i++) axis[2][i] += sign * w->normal[3 * (size_t)(other / 3) + (size_t)i];
  }
  double size = pl_norm3(axis[2]);
  for (int i = 0; i < 3; i++) {
    axis[0][i] /= l;
    axis[2][i] /= size;
  }
  pl_cross3(axis[2], axis[0], axis[1]);
  return l;
}

// height of the sheet over the middle of an edge, along normal[3]
static double height(const rounding *w, int side, double *normal) {
  int tri[PATCH], n = collect(w, side, tri), flat = 1;
  double axis[3][3], A[TERMS][TERMS] = {{0}}, b[TERMS] = {0};
  double l = frame(w, side, n, tri, axis), from[3];
  const int *ends = w->key + 2 * (size_t)side;
  memcpy(normal, axis[2], sizeof axis[2]);
  for (int i = 0; i < 3; i++) from[i] = 0.5 * (vertex_at(w, ends[0])[i] + vertex_at(w, ends[1])[i]);
  for (int k = 0; k < 3 * n; k++) {
    int v = cell_of(w, tri[k / 3])[k % 3];
    double d[3], p[3];
    pl_sub3(vertex_at(w, v), from, d);
    for (int i = 0; i < 3; i++) p[i] = pl_dot3(d, axis[i]) / l;
    if (fabs(p[2]) > FLATNESS) flat = 0;
    const double row[TERMS] = {1, p[0], p[1], p[0] * p[0], p[0] * p[1], p[1] * p[1]};
    double weight = v == ends[0] || v == ends[1] ? HELD : 1 / (1 + p[0] * p[0] + p[1] * p[1]);
    for (int i = 0; i < TERMS; i++) {
      b[i] += weight * row[i] * p[2];
      for (int j = 0; j < TERMS; j++) A[i][j] += weight * row[i] * row[j];
    }
  }
  if (flat) return 0;
  for (int i = 1; i < TERMS; i++) A[i][i] += FLATTER;
  solve(A, b);
  return fabs(b[0]) > MOST ? 0 : b[0] * l;
}

// the offset whose part along the normal of every sheet is that sheet's height
static void combine(const rounding *w, int e, double *offset) {
  double n[3], A = 0, B = 0, C = 0, p = 0, q = 0, x[3] = {0}, y[3] = {0};
  memset(offset, 0, 3 * sizeof *offset);
  for (int i = w->first[e]; i < w->first[e + 1]; i++) {
    double h = height(w, w->order[i], n);
    if (i == w->first[e]) {
      double t[3];
      const int *k = w->key + 2 * (size_t)w->order[i];
      memcpy(x, n, sizeof x);
      pl_sub3(vertex_at(w, k[1]), vertex_at(w, k[0]), t);
      pl_cross3(x, t, y);
      double size = pl_norm3(y);
      for (int c = 0; c < 3; c++) y[c] /= size;
    }
    double u = pl_dot3(n, x), v = pl_dot3(n, y);
    A += u * u;
    B += u * v;
    C += v * v;
    p += u * h;
    q += v * h;
    if (!w->sharp[e]) break;
  }
  // one sheet, or sheets in one plane: along the normal alone
  double det = A * C - B * B;
  double a = det > 1e-3 * A * A ? (C * p - B * q) / det : p / A;
  double b = det > 1e-3 * A * A ? (A * q - B * p) / det : 0;
  for (int c = 0; c < 3; c++) offset[c] = a * x[c] + b * y[c];
}

static pl_status bend_edges(rounding *w, double *X) {
  for (int e = 0; e < w->nedge; e++) {
    int side = w->order[w->first[e]];
    double offset[3];
    combine(w, e, offset);
    double *x = X + 3 * (size_t)cell_of(w, side / 3)[3 + side % 3];
    for (int c = 0; c < 3; c++) x[c] += offset[c];
  }
  return PL_OK;
}

pl_status pl_mesh_round(pl_mesh *m, double crease) {
  PL_TRY(mesh_check_indices(m));
  rounding w = {.m = m, .n = m->cell[PL_TRI6].n};
  size_t n = (size_t)w.n;
  if (n == 0) return PL_OK;
  w.key = pl_alloc(m->env, n, 6 * sizeof *w.key);
  w.order = pl_alloc(m->env, n, 3 * sizeof *w.order);
  w.id = pl_alloc(m->env, n, 3 * sizeof *w.id);
  w.first = pl_alloc(m->env, 3 * n + 1, sizeof *w.first);
  w.sharp = pl_alloc(m->env, n, 3);
  w.normal = pl_alloc(m->env, n, 3 * sizeof *w.normal);
  pl_status s = w.key && w.order && w.id && w.first && w.sharp && w.normal ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) {
    fill_sides(&w);
    s = mesh_group(m->env, m->nvert, 2, 3 * w.n, w.key, w.order, w.id, &w.nedge);
  }
  if (s == PL_OK) {
    find_sharp(&w, crease);
    s = bend_edges(&w, m->X);
  }
  pl_free(m->env, w.key);
  pl_free(m->env, w.order);
  pl_free(m->env, w.id);
  pl_free(m->env, w.first);
  pl_free(m->env, w.sharp);
  pl_free(m->env, w.normal);
  return s;
}
