#ifndef ELEMENTS_H
#define ELEMENTS_H

// Elements of interlocking materials where they are, for pictures and files.
#include "job_impl.h"

enum { SHAPES_MAX = 64, SHAPE_POINTS = 200000 }; // shapes; of the surfaces of all elements
typedef struct shapes {                          // elements that look the same share a mesh
  int n;
  const pl_mail_element *elem[SHAPES_MAX];
  pl_mesh *mesh[SHAPES_MAX];
  int *of; // [elements]
} shapes;

typedef struct elements {
  int n;
  const pl_mail_element *const *elem; // [n]
  const pl_pose *pose;                // [n]
  const char *held;                   // [n] copper; NULL: none
  const double (*load)[3];            // [n] red; NULL: none
  const char *title, *caption;
} elements;

// Meshes of about so many points in all.
pl_status elements_shapes(job *j, const elements *e, int points, shapes *g);
void elements_shapes_free(job *j, shapes *g);
// The surfaces of all elements in one mesh, with the number of each; the caller frees both.
pl_status elements_merge(job *j, const elements *e, const shapes *g, pl_mesh **out,
                         double **number);
void elements_points(const elements *e, const shapes *g, double *x); // of its vertices
pl_status elements_draw(job *j, const char *name, const elements *e, const shapes *g);
// A table of where they are, with what holds each (forces), or without: reaction may be NULL.
pl_status elements_poses(const job *j, const char *name, const char *suffix, const elements *e,
                         int forces, const double (*reaction)[3]);
// A picture, NAME.glb with instances, NAME.vtu with their surfaces.
pl_status elements_show(job *j, const char *name, const elements *e);

#endif
