#ifndef COARSEN_H
#define COARSEN_H

// Mode shapes of two meshes of voxels beside each other.
#include "job_impl.h"

// Modes of a scene without those of rigid motion.
typedef struct coarse_modes {
  const pl_scene *scene;
  const pl_scene_body *body; // of voxels
  int n;                     // modes
  double *omega;             // [n] rad/s
  double *shape;             // [n][nq]
} coarse_modes;

// How a mode of the fine mesh is met by the coarse one.
typedef struct mode_match {
  int mode;        // of the coarse mesh
  double mac;      // modal assurance criterion, weighted by masses
  double distance; // largest distance of corresponding points over the largest displacement
} mode_match;

// The n lowest elastic modes at rest. env: where messages go; the caller frees with modes_free.
pl_status modes_find(pl_env *env, const pl_scene *s, int n, int threads, coarse_modes *out);
void modes_free(pl_env *env, coarse_modes *m);
// match[n] for the first n modes of the fine mesh, at whose nodes shapes are compared.
pl_status modes_match(pl_env *env, const coarse_modes *fine, const coarse_modes *coarse, int n,
                      mode_match *match);
// Finds the first mode in the record of the analysis: o->frequency and o->decay, figures, a table
// and a plot. PL_E_INPUT: the record cannot serve.
pl_status coarsen_record(job *j, const pl_analysis *a, pl_coarsen_opts *o, json_t *figures);
// Writes NAME-material.yaml: n materials with moduli times `measured` and the stiffness damping,
// and those for voxels of a size (0: none was found) with moduli times factor[n].
pl_status coarsen_material(job *j, const pl_analysis *a, const pl_coarsen_opts *o, int n,
                           const pl_scene_material *const *material, double measured, double size,
                           const double *factor);

#endif
