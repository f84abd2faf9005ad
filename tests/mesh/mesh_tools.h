#ifndef TESTS_MESH_TOOLS_H
#define TESTS_MESH_TOOLS_H

#include "check.h"

#include "pliant/math.h"
#include "pliant/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// messages that arrived, by level, and the last one's text
typedef struct heard {
  int count[3];
  char text[PL_TEXT];
} heard;

static inline void hear(void *ctx, const pl_diag *d) {
  heard *h = ctx;
  h->count[d->level]++;
  memcpy(h->text, d->text, sizeof h->text);
}

static inline double tool_det(const double a[3], const double b[3], const double c[3]) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// integral of det J over a trilinear hex: two Gauss points per axis are exact
static inline double tool_hex_volume(const double *X, const int *v) {
  static const double sign[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  double sum = 0, g = 1 / sqrt(3.0);
  for (int q = 0; q < 8; q++) {
    double J[3][3] = {{0}};
    const double *s = sign[q];
    for (int k = 0; k < 8; k++) {
      const double *t = sign[k];
      double f[3] = {1 + t[0] * g * s[0], 1 + t[1] * g * s[1], 1 + t[2] * g * s[2]};
      double d[3] = {t[0] * f[1] * f[2] / 8, t[1] * f[0] * f[2] / 8, t[2] * f[0] * f[1] / 8};
      for (int a = 0; a < 9; a++) J[a / 3][a % 3] += d[a / 3] * X[3 * v[k] + a % 3];
    }
    sum += tool_det(J[0], J[1], J[2]);
  }
  return sum;
}

// length, area or signed volume of one cell, and the sum over a type
static inline double tool_measure(const double *X, int type, const int *v) {
  double e[7][3], n[3];
  for (int k = 1; k < pl_cell_nvert[type]; k++) pl_sub3(X + 3 * v[k], X + 3 * v[0], e[k - 1]);
  if (type == PL_SEG2) return pl_norm3(e[0]);
  if (type == PL_HEX8) return tool_hex_volume(X, v);
  if (type == PL_TET4) return tool_det(e[0], e[1], e[2]) / 6;
  pl_cross3(e[0], e[1], n);
  double area = pl_norm3(n) / 2;
  if (type == PL_TRI3) return area;
  pl_cross3(e[1], e[2], n);
  return area + pl_norm3(n) / 2;
}

static inline double tool_total(const pl_mesh *m, int type) {
  double sum = 0;
  for (int i = 0; i < m->cell[type].n; i++)
    sum += tool_measure(m->X, type, m->cell[type].v + pl_cell_nvert[type] * i);
  return sum;
}

static inline double tool_least(const pl_mesh *m, int type) {
  double least = INFINITY;
  for (int i = 0; i < m->cell[type].n; i++)
    least = fmin(least, tool_measure(m->X, type, m->cell[type].v + pl_cell_nvert[type] * i));
  return least;
}

static inline int tool_compare4(const void *a, const void *b) {
  const int *x = a, *y = b;
  for (int k = 0; k < 4; k++)
    if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
  return 0;
}

static inline int tool_compare1(const void *a, const void *b) {
  return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

// different rows of rows[n][4], whatever the order inside a row
static inline int tool_distinct(int n, int (*rows)[4]) {
  for (int i = 0; i < n; i++) qsort(rows[i], 4, sizeof(int), tool_compare1);
  qsort(rows, (size_t)n, sizeof *rows, tool_compare4);
  int count = 0;
  for (int i = 0; i < n; i++) count += i == 0 || tool_compare4(rows[i - 1], rows[i]) != 0;
  return count;
}

// vertices - edges + faces - solids
static inline int tool_euler(const pl_mesh *m) {
  static const char *const edges[PL_CELL_COUNT] = {"01", "011220", "01122330", "010203121323",
                                                   "011223304556677404152637"};
  static const char *const faces[PL_CELL_COUNT] = {"", "012", "0123", "012013023123",
                                                   "012345670154126523760374"};
  int nface_vert[PL_CELL_COUNT] = {3, 3, 4, 3, 4}, ne = 0, nf = 0, size = 0;
  for (int t = 0; t < PL_CELL_COUNT; t++) size += 12 * m->cell[t].n;
  int(*edge)[4] = malloc((size_t)size * sizeof *edge + 1);
  int(*face)[4] = malloc((size_t)size * sizeof *face + 1);
  for (int t = 0; t < PL_CELL_COUNT; t++)
    for (int i = 0; i < m->cell[t].n; i++) {
      const int *v = m->cell[t].v + pl_cell_nvert[t] * i;
      for (const char *e = edges[t]; *e; e += 2, ne++)
        for (int k = 0; k < 4; k++) edge[ne][k] = k < 2 ? v[e[k] - '0'] : -1;
      for (const char *f = faces[t]; *f; f += nface_vert[t], nf++)
        for (int k = 0; k < 4; k++) face[nf][k] = k < nface_vert[t] ? v[f[k] - '0'] : -1;
    }
  int euler = m->nvert - tool_distinct(ne, edge) + tool_distinct(nf, face) - m->cell[PL_TET4].n -
              m->cell[PL_HEX8].n;
  free(edge);
  free(face);
  return euler;
}

// appends the vertices, cells and sets of b to a; for tests that need several cell types
static inline void tool_append(pl_mesh *a, const pl_mesh *b) {
  pl_mesh *c;
  check_ok(a->env, pl_mesh_create(a->env, a->source, a->nvert + b->nvert, &c));
  const pl_mesh *part[2] = {a, b};
  for (int p = 0; p < 2; p++)
    memcpy(c->X + 3 * p * a->nvert, part[p]->X, (size_t)part[p]->nvert * 3 * sizeof *c->X);
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    int nv = pl_cell_nvert[t], na = nv * a->cell[t].n, nb = nv * b->cell[t].n;
    check_ok(a->env, pl_mesh_set_cells(c, (pl_cell_type)t, a->cell[t].n + b->cell[t].n));
    for (int i = 0; i < na; i++) c->cell[t].v[i] = a->cell[t].v[i];
    for (int i = 0; i < nb; i++) c->cell[t].v[na + i] = b->cell[t].v[i] + a->nvert;
  }
  for (int p = 0; p < 2; p++)
    for (int k = 0; k < part[p]->nset; k++) {
      const pl_set *s = &part[p]->set[k];
      int *index = malloc((size_t)s->n * sizeof *index + 1);
      int shift = p == 0 ? 0 : s->type < 0 ? a->nvert : a->cell[s->type].n;
      for (int i = 0; i < s->n; i++) index[i] = s->index[i] + shift;
      check_ok(a->env, pl_mesh_add_set(c, s->name, s->type, s->n, index));
      free(index);
    }
  pl_mesh swap = *a;
  *a = *c;
  *c = swap;
  pl_mesh_free(c);
}

static inline void tool_shift(pl_mesh *m, double x, double y, double z) {
  pl_mesh_transform(m, 1, NULL, (double[]){x, y, z});
}

#endif
