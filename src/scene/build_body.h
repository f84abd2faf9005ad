#ifndef BUILD_BODY_H
#define BUILD_BODY_H

// What the builders of bodies share.
#include "scene_impl.h"

// A failed call of the mesh layer has told its message already.
int worked(reader *r, pl_status s);
// Reports when so many more nodes are too many.
int check_count(reader *r, const pl_node *at, double nvert);
// The mesh of a file in metres, not yet placed; *out is freed by the caller even when this fails.
int read_mesh_file(reader *r, const geometry_def *g, pl_mesh **out);
// Counts the parts of a body's mesh and warns when merging vertices would join them; 0: failed.
int check_pieces(reader *r, body_slot *b, const pl_node *at);
const material_def *find_material(reader *r, const txt *name);
// Elements of one kind; vertex numbers are those of the body's mesh, NULL: known later.
int body_group(reader *r, const body_slot *b, const char *suffix, int kind, int n,
               const int *vertex, int shared, int lumped);
// One value for all elements of a group, or the mean of those of the cells that each belongs to:
// first parameter of the body's cells (-1: one value), cell[n][ncell].
void put_value(reader *r, int group, const char *name, const num *value, int first, int n,
               const int *cell, int ncell);
// Parameters BODY.key.0 ... of the n cells of a body; returns the first, -1: none.
int open_own(reader *r, const body_slot *b, const num *value, const char *key, const char *path,
             int n);

// ---- rods -------------------------------------------------------------------------------------

// a coordinate of a vertex that follows a parameter, weight [3] along x, y, z
typedef struct pull {
  int vertex;
  num value;
  double weight[3];
} pull;

// sizes of a section; own: first of the parameters that every edge has, -1: none
enum { PAR_YOUNG, PAR_DENSITY, PAR_WIDTH, PAR_HEIGHT, PAR_HOLLOW, PAR_POISSON, PAR_SECTION };
typedef struct rod_part {
  int npull, pull_cap;
  pull *pull;
  num value[PAR_SECTION], shape;
  int own[PAR_SECTION];
  num curvature[2];
  int first;    // number of its first edge among those of all rods
  int *stencil; // [n][3] of its edges
} rod_part;

// lines made on the spot, and checks of lines (build_curve.c)
int make_curve(reader *r, body_slot *b, const geometry_def *g, const mesh_def *m);
int check_curve(reader *r, const body_slot *b, const geometry_def *g);
// the mesh was moved: x -> scale R x
void place_curve(rod_part *c, double scale, const double *R);
// tells the model which nodes follow parameters
void move_curve(reader *r, const body_slot *b);

#endif
