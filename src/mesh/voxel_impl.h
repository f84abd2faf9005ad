#ifndef VOXEL_IMPL_H
#define VOXEL_IMPL_H

#include "mesh_impl.h"

// voxels of a box, filled or not: some bytes each
static const double VOXELS_MOST = 1e8;

// A box of voxels, x running fastest.
typedef struct voxels {
  pl_env *env;
  const char *source;
  int n[3];
  double lo[3], hi[3], h[3];
  float *part;         // [nz][ny][nx] part of the volume that is inside
  unsigned char *full; // [nz][ny][nx] 1: filled
} voxels;

static inline size_t voxel_count(const voxels *g) {
  return (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];
}

static inline size_t voxel_at(const voxels *g, int i, int j, int k) {
  return ((size_t)k * (size_t)g->n[1] + (size_t)j) * (size_t)g->n[0] + (size_t)i;
}

static inline void voxel_place(const voxels *g, size_t at, int *ijk) {
  ijk[0] = (int)(at % (size_t)g->n[0]);
  ijk[1] = (int)(at / (size_t)g->n[0] % (size_t)g->n[1]);
  ijk[2] = (int)(at / (size_t)g->n[0] / (size_t)g->n[1]);
}

// x, y or z of a lattice plane; both ends exact.
static inline double voxel_plane(const voxels *g, int d, int i) {
  return i == g->n[d] ? g->hi[d] : g->lo[d] + g->h[d] * i;
}

// The edge that is taken when none is given: one voxel through a plate, two through a strut, and
// not too few or too many in all.
double voxel_choose(double volume, double area);
// Lays whole numbers of voxels into the box from lo to hi; fails when that is absurd.
pl_status voxels_open(voxels *g, pl_env *env, const char *source, const double lo[3],
                      const double hi[3], double size);
// So many along each axis, VOXELS_MOST at most.
pl_status voxels_open_cells(voxels *g, pl_env *env, const char *source, const double lo[3],
                            const double hi[3], const int n[3]);
void voxels_close(voxels *g);
// Decides which voxels are filled; npiece: pieces of the part, whose volume is info->exact.
pl_status voxels_fill(voxels *g, const pl_voxel_opts *o, int npiece, pl_voxel_info *info);
// Pieces of the filled voxels that hang together by faces.
pl_status voxels_pieces(const voxels *g, int *count);
// The filled ones as a mesh with the groups of its sides, leaving out names that `taken` has.
pl_status voxels_mesh(const voxels *g, const pl_mesh *taken, pl_mesh **out);
// Adds a group of hexahedra: those of which label [voxels] is at least half of what is inside.
pl_status voxels_label(const voxels *g, const float *label, const char *name, pl_mesh *m);

// A surface that is closed.
typedef struct hull {
  pl_env *env;
  const char *source;
  int solid; // 1: the mesh has solids
  int nvert, ntri;
  double *X;    // [nvert][3]
  int *tri;     // [ntri][3]
  int oriented; // 1: all triangles look out of the part, or all into it
  int npiece;   // pieces of the surface that are not hollows
  double volume, area;
} hull;

// The triangles of the solids (dim 3) or faces (2; 0: solids where there are some) of a mesh, or of
// those that are in a set; freed by the caller whatever is returned. quiet: a surface that is not
// closed gives PL_DOMAIN without a message.
pl_status hull_create(const pl_mesh *m, const char *set, int dim, int quiet, hull *out);
void hull_free(hull *s);
// Adds to part [voxels] how much of each is inside. *overlaps: some place is inside twice.
pl_status hull_raster(const hull *s, pl_fill_rule rule, const voxels *g, float *part,
                      int *overlaps);

#endif
