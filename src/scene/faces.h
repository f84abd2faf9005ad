#ifndef FACES_H
#define FACES_H

// Faces of bodies that loads act on, and factors over time that they follow.

#include "scene_impl.h"

// a triangle or a quad of a hexahedron; a pressure pushes along the normal of its loop
typedef struct face {
  int n, node[4];
} face;

typedef struct face_list {
  int n, cap;
  face *v;
  double area;      // m^2, at rest
  double vector[3]; // m^2, sum of normals times areas
  double centre[3]; // m
} face_list;

// The faces of shells and solids all of whose nodes a selector chooses. 0: reported.
int select_faces(reader *r, const pl_node *at, const char *what, face_list *out);
// Triangles of a face with their shares: of a quad both ways of cutting it, half each, which have
// the volume under the bilinear surface. Returns how many.
int face_triangles(const face *f, int tri[4][3], double *share);
// share[nnode] of the area of the faces that belongs to each node, m^2
double *face_shares(reader *r, const face_list *f);
// ends[*n][2] of edges that belong to one face only, in the direction of its loop
int *face_border(reader *r, const face_list *f, int *n);

// A line for `check` and reports about what a load or a material comes to.
void note(reader *r, const char *kind, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

// A file with times and factors, NULL: reported. si: the unit that factors may have; cubic: a
// spline.
const pl_course *read_series(reader *r, const txt *file, const char *si, int cubic);

#endif
