#ifndef TESTS_MODELS_H
#define TESTS_MODELS_H

#include "pliant/mesh.h"
#include "pliant/model.h"

// A description with room for its parts, filled by the functions below; nothing is freed one by
// one.
typedef struct model_kit {
  pl_env *env;
  pl_model_desc d;
  pl_group_desc group[16];
  pl_drive_desc drive[8];
  pl_load_desc load[8];
  pl_design_desc design[32];
  pl_target target[64];
  int ntarget;
  pl_mesh *mesh;
} model_kit;

void kit_init(model_kit *k, pl_env *env, int dim);
void kit_free(model_kit *k);
// A box of tets or hexes, n cells along each direction; adds its group with parameters young
// poisson density.
void kit_box(model_kit *k, const char *kind, const int n[3], const double l[3],
             const double par[3]);
// A grid in the xy plane: membrane and hinges (3D), or tri2 (2D); par young poisson density
// thickness.
void kit_grid(model_kit *k, int nx, int ny, double lx, double ly, pl_pattern pattern,
              const double par[4]);
// Adds a group; arrays must live as long as the kit.
void kit_group(model_kit *k, const char *name, const char *kind, int nelem, const int *stencil,
               int shared, const double *par);
// A fixed set of the mesh, or a drive on it.
void kit_fix(model_kit *k, const char *set);
pl_drive_desc *kit_drive(model_kit *k, int n, const int *node);
void kit_design(model_kit *k, const char *name, int on_ref, int index, double coef, double value);
// Model, params, state and work in one go.
typedef struct kit_model {
  pl_model *m;
  pl_params *p;
  pl_state *s;
  pl_work *w;
} kit_model;
void kit_build(model_kit *k, int nthread, kit_model *out);
void kit_model_free(kit_model *b);

#endif
