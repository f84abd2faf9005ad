#ifndef MESH_IMPL_H
#define MESH_IMPL_H

#include "pliant/mesh.h"

enum { MESH_VERT_MAX = 1 << 29 }; // 3 * nvert stays an int

// local numbers of a cell's edges, and of the faces of solids (outward, [3] or [4] vertices)
extern const int mesh_nedge[PL_CELL_COUNT];
extern const int mesh_edge[PL_CELL_COUNT][12][2];
extern const int mesh_tet_face[4][3];
extern const int mesh_hex_face[6][4];

// Triangles [..][3] of a face of second order with vertices v, cut at the ones on its edges;
// returns their count, at most 6.
int mesh_face_pieces(int type, const int *v, int *tri);
// Cuts a tet with vertices v[4] and mid[6] on its edges into out [8][4].
void mesh_split_tet(const double *X, const int *v, const int *mid, int *out);
// Refines a mesh that has cells of second order.
pl_status mesh_refine_curved(const pl_mesh *m, pl_mesh **out);
// The vertex between two corners of a cell of second order.
int mesh_middle(int type, const int *v, int a, int b);
// Cells of all types together.
int mesh_ncell(const pl_mesh *m);
// Fails when a cell or a set names something that does not exist.
pl_status mesh_check_indices(const pl_mesh *m);
// rep[i]: the lowest-numbered earlier vertex within tol that stands for itself, or i.
pl_status mesh_match(const pl_mesh *m, double tol, int *rep);
// Sorts a handful of numbers ascending.
void mesh_sort_row(int n, int *v);
// Groups equal rows of key [n][width], entries 0..nvert-1 ascending within a row. order [n]: rows
// sorted lexicographically, equal ones in their given order; id [n]: the group of each row, groups
// numbered in sorted order.
pl_status mesh_group(pl_env *env, int nvert, int width, int n, const int *key, int *order, int *id,
                     int *ngroup);
// Cuts a quad along its shorter diagonal, or along the one that lies inside; tri [2][3].
void mesh_split_quad(const double *X, const int *q, int *tri);
// Signed volume; X [..][3], v the cell's vertices.
double mesh_tet_volume(const double *X, const int *v);
// fills layers and thick of solids
pl_status mesh_layers(const pl_mesh *m, pl_cell_type type, int first, int n, pl_quality *out);
// The same as pl_mesh_write_stl and pl_mesh_write_ply; text: not binary.
pl_status mesh_write_stl(const pl_mesh *m, const char *path, int text);
pl_status mesh_write_ply(const pl_mesh *m, const char *path, int text);
// Adds a number in little endian bytes.
void mesh_put_u32(pl_text *t, uint32_t v);
void mesh_put_f32(pl_text *t, double x);

#endif
