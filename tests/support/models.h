#ifndef TESTS_MODELS_H
#define TESTS_MODELS_H

#include "pliant/build.h"

enum { KIT_NODES = 4096 }; // room for one drive and one load a node of a small model

// A description with room for its parts, filled by the functions below; nothing is freed one by
// one.
typedef struct model_kit {
  pl_env *env;
  pl_model_desc d;
  pl_group_desc group[16];
  pl_drive_desc drive[KIT_NODES];
  pl_load_desc load[KIT_NODES];
  pl_design_desc design[32];
  pl_target target[64];
  int ntarget;
  pl_mesh *mesh;
  double *X;    // [nnode][dim] reference coordinates of a mesh, to be moved before the build
  void **owned; // freed with the kit
  int nowned, capowned;
} model_kit;

void kit_init(model_kit *k, pl_env *env, int dim);
void kit_free(model_kit *k);
// One mass on a spring (stiffness, quadratic, cubic, damping) to the ground, along a line: groups
// "spring" and "mass". Then a load force sin(w t + phase).
void kit_oscillator(model_kit *k, pl_env *env, const double spring[4], double mass);
void kit_shake(model_kit *k, double force, double phase);
// The same in a builder, with whatever allocator env has; NULL: there is no memory.
pl_builder *oscillator_builder(pl_env *env, const double spring[4], double mass, double force);
// A box of tets or hexes, n cells along each direction; adds its group with parameters young
// poisson density.
void kit_box(model_kit *k, const char *kind, const int n[3], const double l[3],
             const double par[3]);
// A grid in the xy plane: membrane and hinges (3D), or tri2 (2D); par young poisson density
// thickness.
void kit_grid(model_kit *k, int nx, int ny, double lx, double ly, pl_pattern pattern,
              const double par[4]);
// Membrane and hinges (3D) or tri2 (2D) on the triangles of k->mesh, which the kit frees.
void kit_sheet(model_kit *k, const double par[4]);
// Membrane and mid-edge bending on the triangles of k->mesh, which the kit frees. clamp[nvert]: the
// clamp that builds in a vertex, counted from 0, -1: none; NULL: no clamps. Each clamp becomes a
// fixed drive, in their order and before all others.
void kit_shell(model_kit *k, const double par[4], int variant, const int *clamp);
// A sheet in the shape of an equilateral triangle in the xy plane, one corner in the origin and one
// at (side, 0), its sides halved `level` times.
void kit_triangle(model_kit *k, int level, double side, const double par[4]);
// Adds a group; par is copied, stencil must live as long as the kit.
void kit_group(model_kit *k, const char *name, const char *kind, int nelem, const int *stencil,
               int shared, const double *par);
// A fixed set of the mesh, or a drive on it.
void kit_fix(model_kit *k, const char *set);
pl_drive_desc *kit_drive(model_kit *k, int n, const int *node);
// The same, components of the mask alone (bit c: component c).
void kit_hold(model_kit *k, const char *set, int mask);
void kit_hold_all(model_kit *k, int mask);
// Constant displacement u[dim] of nodes in the components of a mask; the drive's number.
int kit_shift(model_kit *k, int n, const int *node, int mask, const double *u);
// Constant force f[dim] on each of n nodes; the load's number.
int kit_push(model_kit *k, int n, const int *node, const double *f);
// Number of the node at a place of the mesh, which must be there to 1e-9.
int kit_node_at(const model_kit *k, double x, double y, double z);
// Memory that lives as long as the kit.
void *kit_keep(model_kit *k, int n, size_t size);
void kit_design(model_kit *k, const char *name, int on_ref, int index, double coef, double value);
// Model, params, state and work in one go.
typedef struct kit_model {
  pl_model *m;
  pl_params *p;
  pl_state *s;
  pl_work *w;
} kit_model;
void kit_build(model_kit *k, int nthread, kit_model *out);
// The same of a description, with an allocator that may fail; kit_model_free frees what there is.
pl_status kit_try(pl_env *env, const pl_model_desc *d, int nthread, kit_model *out);
void kit_model_free(kit_model *b);

#endif
