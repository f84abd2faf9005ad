// How many cells solids have through their thickness: from points of the surface straight inwards.
#include "mesh_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <stdlib.h>

typedef struct probe {
  double layers, thick; // cells on the way, its length
} probe;

// where the ray from p along d meets a triangle, INFINITY: nowhere
static double meet(const double *X, const int *v, const double *p, const double *d) {
  double a[3], b[3], n[3], r[3], s[3];
  pl_sub3(X + 3 * (size_t)v[1], X + 3 * (size_t)v[0], a);
  pl_sub3(X + 3 * (size_t)v[2], X + 3 * (size_t)v[0], b);
  pl_cross3(d, b, n);
  double det = pl_dot3(a, n);
  if (det == 0) return INFINITY;
  pl_sub3(p, X + 3 * (size_t)v[0], r);
  double u = pl_dot3(r, n) / det;
  pl_cross3(r, a, s);
  double w = pl_dot3(d, s) / det;
  return u >= 0 && w >= 0 && u + w <= 1 ? pl_dot3(b, s) / det : INFINITY;
}

// unit normal of a triangle, outwards; its area
static double outward(const double *X, const int *v, double *n) {
  double a[3], b[3];
  pl_sub3(X + 3 * (size_t)v[1], X + 3 * (size_t)v[0], a);
  pl_sub3(X + 3 * (size_t)v[2], X + 3 * (size_t)v[0], b);
  pl_cross3(a, b, n);
  double l = pl_norm3(n);
  for (int i = 0; i < 3 && l > 0; i++) n[i] /= l;
  return 0.5 * l;
}

// what corners of a cell reach along n
static double width(const pl_mesh *m, int cell, const double *n) {
  int t = 0;
  while (cell >= m->cell[t].n) cell -= m->cell[t++].n;
  const int *v = m->cell[t].v + (size_t)cell * (size_t)pl_cell_nvert[t];
  double lo = INFINITY, hi = -INFINITY;
  for (int a = 0; a < pl_cell_nvert[pl_cell_corners[t]]; a++) {
    double h = pl_dot3(m->X + 3 * (size_t)v[a], n);
    lo = fmin(lo, h);
    hi = fmax(hi, h);
  }
  return hi - lo;
}

// from the middle of triangle k inwards to the other side; the cell on this side is one of the way
static probe look(const pl_mesh *m, int ntri, const int *tri, const int *cell, int k) {
  double n[3], p[3], d[3], far = INFINITY;
  outward(m->X, tri + 3 * k, n);
  for (int i = 0; i < 3; i++) {
    p[i] = 0;
    for (int a = 0; a < 3; a++) p[i] += m->X[3 * (size_t)tri[3 * k + a] + (size_t)i] / 3;
    d[i] = -n[i];
  }
  double one = width(m, cell[k], n);
  for (int j = 0; j < ntri; j++) {
    double t = j == k ? INFINITY : meet(m->X, tri + 3 * j, p, d);
    if (t > 1e-6 * one) far = fmin(far, t);
  }
  return (probe){fmax(1, far / one), far};
}

static int by_layers(const void *a, const void *b) {
  const probe *p = a, *q = b;
  return (p->layers > q->layers) - (p->layers < q->layers);
}

// probes at equal parts of the surface that the cells first .. last have
static pl_status look_all(const pl_mesh *m, int ntri, const int *tri, const int *cell, int first,
                          int last, pl_quality *out) {
  const double WORK = 2e7, PART = 0.1; // rays times triangles; of the surface that is thinner
  int most = (int)fmin(256, fmax(32, WORK / fmax(ntri, 1))), n = 0;
  double area = 0, at = 0, normal[3];
  probe *list = pl_alloc(m->env, (size_t)most, sizeof *list);
  if (!list) return PL_E_NOMEM;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < ntri; k++) {
      if (cell[k] < first || cell[k] >= last) continue;
      double own = outward(m->X, tri + 3 * k, normal);
      if (pass == 0) area += own;
      if (pass == 0 || !(own > 0)) continue;
      at += own;
      if (n >= most || at < (n + 0.5) * area / most) continue;
      list[n] = look(m, ntri, tri, cell, k);
      // a large triangle stands for several
      for (n++; n < most && at >= (n + 0.5) * area / most; n++) list[n] = list[n - 1];
    }
  qsort(list, (size_t)n, sizeof *list, by_layers);
  if (n > 0) {
    out->layers = list[(int)(PART * n)].layers;
    out->thick = list[(int)(PART * n)].thick;
  }
  pl_free(m->env, list);
  return PL_OK;
}

pl_status mesh_layers(const pl_mesh *m, pl_cell_type type, int first, int n, pl_quality *out) {
  int ntri, *tri, *cell, before = 0;
  PL_TRY(pl_mesh_surface(m, &ntri, &tri, &cell));
  for (pl_cell_type t = 0; t < type; t++) before += m->cell[t].n;
  pl_status s = look_all(m, ntri, tri, cell, before + first, before + first + n, out);
  pl_free(m->env, tri);
  pl_free(m->env, cell);
  return s;
}
