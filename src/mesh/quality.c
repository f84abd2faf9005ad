// Quality of cells: angles, aspect, Jacobians.
#include "mesh_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

// faces of a solid by its corners, -1: a triangle; turned outwards or not does not matter here
static int faces_of(pl_cell_type corners, const int *v, int (*face)[4]) {
  int n = corners == PL_TET4 ? 4 : 6;
  for (int f = 0; f < n; f++)
    for (int k = 0; k < 4; k++) {
      if (corners == PL_TET4)
        face[f][k] = k < 3 ? v[mesh_tet_face[f][k]] : -1;
      else
        face[f][k] = v[mesh_hex_face[f][k]];
    }
  return n;
}

static double angle_between(const double *a, const double *b) {
  double n[3];
  pl_cross3(a, b, n);
  return atan2(pl_norm3(n), pl_dot3(a, b));
}

// at the corners of a face
static double face_angle(const double *X, int nc, const int *v) {
  double least = PL_PI;
  for (int k = 0; k < nc; k++) {
    double a[3], b[3];
    pl_sub3(X + 3 * (size_t)v[(k + 1) % nc], X + 3 * (size_t)v[k], a);
    pl_sub3(X + 3 * (size_t)v[(k + nc - 1) % nc], X + 3 * (size_t)v[k], b);
    least = fmin(least, angle_between(a, b));
  }
  return least;
}

// area vector of a face, outwards where the cell's volume is positive
static void face_normal(const double *X, const int *face, double *n) {
  double a[3], b[3];
  int quad = face[3] >= 0;
  pl_sub3(X + 3 * (size_t)face[quad ? 2 : 1], X + 3 * (size_t)face[0], a);
  pl_sub3(X + 3 * (size_t)face[quad ? 3 : 2], X + 3 * (size_t)face[quad ? 1 : 0], b);
  pl_cross3(a, b, n);
  for (int i = 0; i < 3; i++) n[i] *= 0.5;
}

static int share(const int *f, const int *g) {
  int n = 0;
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++) n += f[a] >= 0 && f[a] == g[b];
  return n;
}

static double solid_angle(const double *X, pl_cell_type corners, const int *v) {
  int face[6][4], n = faces_of(corners, v, face);
  double normal[6][3], least = PL_PI;
  for (int f = 0; f < n; f++) face_normal(X, face[f], normal[f]);
  for (int f = 0; f < n; f++)
    for (int g = 0; g < f; g++)
      if (share(face[f], face[g]) == 2)
        least = fmin(least, PL_PI - angle_between(normal[f], normal[g]));
  return least;
}

static double longest(const double *X, pl_cell_type type, const int *v) {
  double most = 0;
  for (int e = 0; e < mesh_nedge[type]; e++) {
    double d[3];
    pl_sub3(X + 3 * (size_t)v[mesh_edge[type][e][0]], X + 3 * (size_t)v[mesh_edge[type][e][1]], d);
    most = fmax(most, pl_norm3(d));
  }
  return most;
}

static double shortest(const double *X, pl_cell_type type, const int *v) {
  double least = INFINITY;
  for (int e = 0; e < mesh_nedge[type]; e++) {
    double d[3];
    pl_sub3(X + 3 * (size_t)v[mesh_edge[type][e][0]], X + 3 * (size_t)v[mesh_edge[type][e][1]], d);
    least = fmin(least, pl_norm3(d));
  }
  return least;
}

// longest edge over the smallest height; of quads and hexahedra over the shortest edge
static double aspect(const double *X, pl_cell_type type, const int *v) {
  pl_cell_type c = pl_cell_corners[type];
  double l = longest(X, type, v), n[3];
  if (c == PL_TRI3) {
    const int face[4] = {v[0], v[1], v[2], -1};
    face_normal(X, face, n);
    return sqrt(0.75) * l * l / (2 * pl_norm3(n));
  }
  if (c != PL_TET4) return l / shortest(X, type, v);
  int face[6][4];
  double most = 0;
  faces_of(c, v, face);
  for (int f = 0; f < 4; f++) {
    face_normal(X, face[f], n);
    most = fmax(most, pl_norm3(n));
  }
  return sqrt(2. / 3) * l * most / (3 * fabs(mesh_tet_volume(X, v)));
}

// smallest over largest, at vertices and points of integrals
static double jacobian(const double *X, pl_cell_type type, const int *v) {
  double at[PL_CELL_POINT_MAX][3], w[PL_CELL_POINT_MAX], lo = INFINITY, hi = 0, vertex[3];
  int n = pl_cell_points(type, at, w);
  for (int g = 0; g < n + pl_cell_nvert[type]; g++) {
    if (g >= n) pl_cell_vertex(type, g - n, vertex);
    double J = pl_cell_jacobian(type, X, v, g < n ? at[g] : vertex);
    lo = fmin(lo, J);
    hi = fmax(hi, J);
  }
  return hi > 0 ? lo / hi : 0;
}

pl_status pl_mesh_quality(const pl_mesh *m, pl_cell_type type, int first, int n, pl_quality *out) {
  pl_cell_type c = pl_cell_corners[type];
  *out = (pl_quality){.n = n,
                      .angle = PL_PI,
                      .aspect = 0,
                      .jacobian = 1,
                      .angle_cell = first,
                      .aspect_cell = first,
                      .jacobian_cell = first};
  for (int e = first; e < first + n; e++) {
    const int *v = m->cell[type].v + (size_t)e * (size_t)pl_cell_nvert[type];
    double a = pl_cell_dim[type] == 3 ? solid_angle(m->X, c, v)
                                      : face_angle(m->X, c == PL_TRI3 ? 3 : 4, v);
    double s = aspect(m->X, type, v), J = jacobian(m->X, type, v);
    if (a < out->angle) {
      out->angle = a;
      out->angle_cell = e;
    }
    if (s > out->aspect) {
      out->aspect = s;
      out->aspect_cell = e;
    }
    if (J < out->jacobian) {
      out->jacobian = J;
      out->jacobian_cell = e;
    }
  }
  return pl_cell_dim[type] == 3 ? mesh_layers(m, type, first, n, out) : PL_OK;
}
