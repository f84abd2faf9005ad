#ifndef FACES_H
#define FACES_H

// Faces of bodies that nodes are tied to: nearest places on them, and means over what lies opposite
// the faces of another side.

#include "build_impl.h"

enum { TIE_MASTERS = 19 }; // nodes that one node is tied to, at most

typedef struct tie_face {
  int n, node[8]; // 3, 4, 6 or 8: corners, then nodes on the edges behind each
} tie_face;

typedef struct tie_faces {
  int n, cap;
  tie_face *v;
  pl_bvh *tree; // over triangles, two of a face with four corners
  int *tri;     // [ntri][3]
  int *owner;   // [ntri]
} tie_faces;

// What a node is tied to.
typedef struct tie_place {
  int n, node[TIE_MASTERS];
  double w[TIE_MASTERS]; // sum up to one
  int face;              // the nearest
  double far;            // m, from the face
  double area;           // m^2, of which it is the mean; 0: a single place
} tie_place;

// The faces of shells and solids all of whose nodes are chosen[nnode]. pl_status of memory.
pl_status faces_find(pl_builder *b, const char *chosen, tie_faces *f);
pl_status faces_tree(pl_builder *b, tie_faces *f);
void faces_close(tie_faces *f);
double face_size(const pl_builder *b, const tie_face *f); // m
// Values of its shape functions N[8] at the place nearest to x, and that place. Returns the
// distance.
double face_project(const pl_builder *b, const tie_face *f, const double *x, double *N,
                    double *place);
// The place on the nearest face.
void faces_nearest(const pl_builder *b, const tie_faces *f, const double *x, tie_place *out);
// Places place[n] of nodes node[n] on faces, with means in place of single places where the nodes
// are those of faces of `own`, all of which lie opposite: constant pressures between both sides are
// in balance then, and linear fields are the same on both. *nmean: how many there are.
pl_status faces_means(pl_builder *b, const tie_faces *own, const tie_faces *f, int n,
                      const int *node, tie_place *place, int *nmean);

#endif
