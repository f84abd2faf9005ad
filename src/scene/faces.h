#ifndef FACES_H
#define FACES_H

// Faces of bodies that loads act on, and factors over time that they follow.

#include "scene_impl.h"

// a triangle or a quad of 3, 4, 6 or 8 nodes: corners, then those on the edges behind each; a
// pressure pushes along the normal of the loop of its corners
typedef struct face {
  int n, node[8];
} face;

// The volume between a centre and a face, as its shape functions have it: that of triangles of its
// nodes with shares.
enum { FACE_TRIANGLES = 56 };
typedef struct face_volume {
  int n, tri[FACE_TRIANGLES][3];
  double share[FACE_TRIANGLES];
} face_volume;

// an edge of faces in the direction of its loop; middle: the node on it, -1 without
typedef struct face_edge {
  int from, to, middle;
} face_edge;

typedef struct face_list {
  int n, cap;
  face *v;
  double area;      // m^2, at rest
  double vector[3]; // m^2, sum of normals times areas
  double centre[3]; // m
} face_list;

// The faces of shells and solids all of whose nodes a selector chooses. 0: reported.
int select_faces(reader *r, const pl_node *at, const char *what, face_list *out);
// Faces of n nodes, by local numbers.
void face_volumes(int n, face_volume *out);
// share[nnode] of the area of the faces that belongs to each node, m^2: integrals of its shape
// function, or, where springs are meant, of its square, so that none is negative
double *face_shares(reader *r, const face_list *f, int springs);
// normal[nnode][3] at the nodes, of any length
void face_normals(const reader *r, const face_list *f, double (*normal)[3]);
// The faces all of whose nodes are chosen[nnode], without a look at their sides. 0: failed.
int chosen_faces(reader *r, const char *chosen, face_list *out);
// edges that belong to one face only
face_edge *face_boundary(reader *r, const face_list *f, int *n);

// A line for `check` and reports about what a load or a material comes to.
void note(reader *r, const char *kind, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

// A file with times and factors, NULL: reported. si: the unit that factors may have; cubic: a
// spline.
const pl_course *read_series(reader *r, const txt *file, const char *si, int cubic);

// Elements of a load that a program gives, on n nodes (build_given.c).
void add_given_load(reader *r, const load_def *d, int n, const int *node, int strength);

#endif
