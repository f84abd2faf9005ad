#ifndef TESTS_READ_SUPPORT_H
#define TESTS_READ_SUPPORT_H

#include "check.h"
#include "pliant/mesh.h"

#include <math.h>
#include <string.h>

#define MESH_DATA SOURCE_DIR "/tests/mesh/data/"

// Parses a string that is not terminated, as a file in memory is not.
static inline pl_status parse_text(pl_env *env, const char *format, const char *text, pl_mesh **m) {
  return pl_mesh_parse(env, format, "test", text, strlen(text), m);
}

static inline const double *corner(const pl_mesh *m, int type, int cell, int k) {
  return m->X + 3 * m->cell[type].v[cell * pl_cell_nvert[type] + k];
}

static inline double triple(const double *a, const double *b, const double *c, const double *d) {
  double u[3], v[3], w[3];
  for (int k = 0; k < 3; k++) {
    u[k] = b[k] - a[k];
    v[k] = c[k] - a[k];
    w[k] = d[k] - a[k];
  }
  return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
         u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static inline double tri_area(const double *a, const double *b, const double *c) {
  double u[3], v[3];
  for (int k = 0; k < 3; k++) {
    u[k] = b[k] - a[k];
    v[k] = c[k] - a[k];
  }
  double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2],
         z = u[0] * v[1] - u[1] * v[0];
  return 0.5 * sqrt(x * x + y * y + z * z);
}

// Length, area or signed volume of a cell with flat faces.
static inline double cell_measure(const pl_mesh *m, int type, int i) {
  const double *p[8];
  for (int k = 0; k < pl_cell_nvert[type]; k++) p[k] = corner(m, type, i, k);
  switch (type) {
  case PL_SEG2:
    return sqrt(pow(p[1][0] - p[0][0], 2) + pow(p[1][1] - p[0][1], 2) + pow(p[1][2] - p[0][2], 2));
  case PL_TRI3:
    return tri_area(p[0], p[1], p[2]);
  case PL_QUAD4:
    return tri_area(p[0], p[1], p[2]) + tri_area(p[0], p[2], p[3]);
  case PL_TET4:
    return triple(p[0], p[1], p[2], p[3]) / 6;
  default:
    // six tetrahedra around the diagonal 0-6
    return (triple(p[0], p[1], p[2], p[6]) + triple(p[0], p[2], p[3], p[6]) +
            triple(p[0], p[3], p[7], p[6]) + triple(p[0], p[7], p[4], p[6]) +
            triple(p[0], p[4], p[5], p[6]) + triple(p[0], p[5], p[1], p[6])) /
           6;
  }
}

static inline double total_measure(const pl_mesh *m, int type) {
  double sum = 0;
  for (int i = 0; i < m->cell[type].n; i++) sum += cell_measure(m, type, i);
  return sum;
}

static inline const pl_set *named(const pl_mesh *m, const char *name, int type) {
  for (int k = 0; k < m->nset; k++)
    if (m->set[k].type == type && strcmp(m->set[k].name, name) == 0) return &m->set[k];
  return NULL;
}

// Measure of the cells of a set, or -1 when there is none.
static inline double set_measure(const pl_mesh *m, const char *name, int type) {
  const pl_set *s = named(m, name, type);
  double sum = 0;
  if (!s) return -1;
  for (int i = 0; i < s->n; i++) sum += cell_measure(m, type, s->index[i]);
  return sum;
}

#endif
