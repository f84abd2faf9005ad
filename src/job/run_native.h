#ifndef RUN_NATIVE_H
#define RUN_NATIVE_H

// Patches of linked elements: what their rest and their motion share.
#include "job_impl.h"

typedef struct native {
  job *j;
  const pl_analysis *a;
  const pl_scene_patch *patch;
  pl_patch p;
  pl_rest rest;
  const pl_pose *pose; // [p.n] that is shown
  pl_status solved;
} native;

enum { SHAPES_MAX = 64 };
typedef struct shapes { // elements that look the same share a mesh
  int n;
  const pl_mail_element *elem[SHAPES_MAX];
  pl_mesh *mesh[SHAPES_MAX];
  int *of; // [elements]
} shapes;

// The analysis with a duration.
pl_status native_motion(native *k, json_t *figures);

// Meshes of about so many points in all.
pl_status native_shapes(const native *k, int points, shapes *g);
void native_shapes_free(const native *k, shapes *g);
// The surfaces of all elements in one mesh, with the number of each; the caller frees both.
pl_status native_merge(const native *k, const shapes *g, pl_mesh **out, double **number);
void native_points(const native *k, const shapes *g, double *x); // of its vertices
pl_status native_draw(const native *k, const shapes *g);
pl_status native_poses(const native *k, const char *suffix);
void native_extent(const native *k, double lo[3], double hi[3]); // the box about all origins
void native_verdict(const native *k, const pl_mail_verdict *v, json_t *figures);

#endif
