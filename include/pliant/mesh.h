#ifndef PLIANT_MESH_H
#define PLIANT_MESH_H

#include "pliant/base.h"
#include "pliant/linkage.h"

PL_DECLS_BEGIN

// ---- the mesh ---------------------------------------------------------------------------------

typedef enum pl_cell_type {
  PL_SEG2,
  PL_TRI3,
  PL_QUAD4,
  PL_TET4,
  PL_HEX8,
  PL_SEG3, // from here on of second order: corners, then a vertex on every edge
  PL_TRI6,
  PL_QUAD8,
  PL_TET10,
  PL_HEX20,
  PL_CELL_COUNT
} pl_cell_type;
enum { PL_CELL_VERT_MAX = 20 };
extern const int pl_cell_nvert[PL_CELL_COUNT];
extern const int pl_cell_dim[PL_CELL_COUNT];              // 1: line, 2: face, 3: solid
extern const pl_cell_type pl_cell_corners[PL_CELL_COUNT]; // the type that the corners alone make
extern const char *const pl_cell_name[PL_CELL_COUNT];

typedef struct pl_cells {
  int n;
  int *v; // [n][pl_cell_nvert[type]] vertex numbers; VTK's order
} pl_cells;

// A named set of vertices (type < 0) or of cells of one type.
typedef struct pl_set {
  char *name;
  int type; // -1: vertices, else a pl_cell_type
  int n;
  int *index; // [n] ascending, no repeats
} pl_set;

typedef struct pl_mesh {
  pl_env *env;
  char *source; // file or generator it came from, for messages
  int nvert;
  double *X; // [nvert][3]
  pl_cells cell[PL_CELL_COUNT];
  int nset;
  pl_set *set;
} pl_mesh;

pl_status pl_mesh_create(pl_env *env, const char *source, int nvert, pl_mesh **out); // X zeroed
void pl_mesh_free(pl_mesh *m);
pl_status pl_mesh_copy(const pl_mesh *m, pl_mesh **out);
// Makes room for n cells of a type (replacing what was there), vertex numbers unset.
pl_status pl_mesh_set_cells(pl_mesh *m, pl_cell_type type, int n);
// Adds a set; index is copied, sorted and made unique. A set of the same name and type is united
// with it.
pl_status pl_mesh_add_set(pl_mesh *m, const char *name, int type, int n, const int *index);
const pl_set *pl_mesh_find_set(const pl_mesh *m,
                               const char *name); // the first of that name, or NULL
// Vertices of all sets of that name (cell sets give the vertices of their cells), ascending.
// *index is freed by the caller; *n = 0 and *index = NULL when there is no such set.
pl_status pl_mesh_set_vertices(const pl_mesh *m, const char *name, int *n, int **index);

// Checks indices, NaN, sizes; degenerate (zero measure), repeated-vertex and inverted cells;
// duplicate vertices and unused vertices. Zero is 1e-12 of the longest edge to the cell's
// dimension. Errors fail with the mesh's source and cell number
// (1-based) named; unused vertices and vertices closer than 1e-9 of the box are warnings. flip:
// tets and hexes of negative volume are turned round (with a note) when all are negative.
pl_status pl_mesh_check(pl_mesh *m);
// Removes vertices used by no cell, renumbering cells and sets; *nremoved may be NULL.
pl_status pl_mesh_drop_unused(pl_mesh *m, int *nremoved);
// Merges vertices not farther apart than tol (0: equal ones) into the one of lowest number; cells
// that lose a vertex that way stay.
pl_status pl_mesh_weld(pl_mesh *m, double tol, int *nmerged);
// Turns quads into triangles, two each (shorter diagonal).
pl_status pl_mesh_split_quads(pl_mesh *m);
void pl_mesh_bounds(const pl_mesh *m, double lo[3], double hi[3]);
// Applies x -> scale x, then rotation (row-major, NULL: none), then translation (NULL: none).
void pl_mesh_transform(pl_mesh *m, double scale, const double *R, const double *t);
// Stretches the cells of a group along an axis (0, 1, 2) by a factor above zero. What lies before
// them stays (high: what lies beyond), the rest moves along; cells beside the group are stretched
// with it. *length: of the group along the axis, before; 0: there is no such group, or it has none.
pl_status pl_mesh_stretch(pl_mesh *m, const char *group, int axis, double factor, int high,
                          double *length);
// Moves what is at n handles at[n][3] by move[n][3] and what is around them by a smooth function
// that fades to nothing at `radius` (m, above zero) from all of them. *moved: vertices that are
// near some handle. PL_E_INPUT: handles at one place, or a cell that is turned inside out; X is
// lost then.
pl_status pl_mesh_morph(pl_mesh *m, int n, const double *at, const double *move, double radius,
                        int *displaced);

// ---- files ------------------------------------------------------------------------------------

// Formats that are read: ending of the name, what it is called. A reader is pl_read_<ending>.
#define PL_MESH_FORMATS(X)                                                                         \
  X(obj, "an OBJ file")                                                                            \
  X(stl, "an STL file")                                                                            \
  X(ply, "a PLY file")                                                                             \
  X(msh, "a Gmsh MSH file")                                                                        \
  X(vtu, "an XML file as VTU is")                                                                  \
  X(inp, "an Abaqus or CalculiX file")                                                             \
  X(npz, "a NumPy file")
#define PL_MESH_ENDING(ending, title) " " #ending
#define PL_MESH_ENDINGS               PL_MESH_FORMATS(PL_MESH_ENDING) // " obj stl ..."

// Reads OBJ (faces, lines, groups and objects as sets; polygons are split), STL (both, vertices
// welded when equal), PLY (both endians, ascii), MSH 2.2 and 4.1 (ASCII and binary; physical names
// as sets), VTU (ascii, inline base64, appended raw or base64, zlib or not), INP of Abaqus and
// CalculiX (nodes, elements, sets), NPZ as pl_grid_write makes them. The format is known by the
// name's ending and confirmed by the content. Errors name file and line (or byte offset).
pl_status pl_mesh_read(pl_env *env, const char *path, pl_mesh **out);
// The same, refusing more than so many vertices as soon as the file declares them.
pl_status pl_mesh_read_most(pl_env *env, const char *path, int most, pl_mesh **out);
// The same from memory, for tests and fuzzers; format is an ending.
pl_status pl_mesh_parse(pl_env *env, const char *format, const char *name, const char *data,
                        size_t size, pl_mesh **out);
// Vectors at the n points of a VTU file of one piece in memory, such as pl_mesh_write_vtu writes a
// field of three components. PL_E_INPUT: there are none of that name, or other points.
pl_status pl_vtu_vectors(pl_env *env, const char *name, const char *data, size_t size,
                         const char *field, int n, double (*out)[3]);

// OBJ: sets of cells as groups (sets of vertices are not written); of solids the surface.
pl_status pl_mesh_write_obj(const pl_mesh *m, const char *path);
pl_status pl_mesh_write_stl(const pl_mesh *m, const char *path); // binary; surface of solids
pl_status pl_mesh_write_ply(const pl_mesh *m, const char *path); // binary; surface of solids

// A field on vertices or cells for output. ncomp 1, 3, or 6 (symmetric tensors xx yy zz xy yz xz).
typedef struct pl_field {
  const char *name;
  int on_cells; // 0: vertices; else all cells in the order of pl_cell_type
  int ncomp;
  const double *data; // [count][ncomp]
} pl_field;

// Writes a VTU file: inline base64 + zlib, 64-bit headers. x (may be NULL: X) [nvert][3] positions;
// threads (may be NULL) compress.
pl_status pl_mesh_write_vtu(const pl_mesh *m, const double *x, int nfield, const pl_field *field,
                            pl_threads *threads, const char *path);
// Writes a PVD collection: files[n] relative to the PVD, time[n] in seconds.
pl_status pl_pvd_write(pl_env *env, const char *path, int n, const double *time,
                       const char *const *files);

// One animated GLB: the mesh's surface, and its segments as lines (vertices as points when there is
// neither), with nframe morph targets. base [nvert][3] (NULL: X); frame [nframe][nvert][3]
// displacements from base. Weights: weight[nkey][nframe] at time[nkey] seconds, linear
// interpolation. nframe 0: a still. colour[nvert] in 0..1 (may be NULL) becomes vertex colours
// through the viridis map.
pl_status pl_glb_write(const pl_mesh *m, const double *base, int nframe, const double *frame,
                       int nkey, const double *time, const double *weight, const double *colour,
                       const char *path);
// Lines beside the mesh, as a node of their own.
typedef struct pl_glb_lines {
  const char *name;    // of the node
  int n;               // 0: none
  const double *line;  // [n][2][3] ends
  const double *drift; // [n][3] how far they go from the first key to the last, NULL: they stay
} pl_glb_lines;
// The same with lines, which may be NULL.
pl_status pl_glb_write_lines(const pl_mesh *m, const double *base, int nframe, const double *frame,
                             int nkey, const double *time, const double *weight,
                             const double *colour, const pl_glb_lines *lines, const char *path);

// A mesh in many places: nodes that share it.
typedef struct pl_glb_place {
  int mesh;
  double x[3], Q[9]; // m; rotation, row-major
} pl_glb_place;
// red: so many of the last meshes are red, the others like steel.
pl_status pl_glb_write_places(pl_env *env, int nmesh, const pl_mesh *const *mesh, int red, int n,
                              const pl_glb_place *place, const char *path);

// ---- all that a file says ---------------------------------------------------------------------

// Cells of files beside those of meshes, which split them into tetrahedra; vertices in VTK's order.
enum {
  PL_GRID_WEDGE6 = PL_CELL_COUNT,
  PL_GRID_PYRAMID5,
  PL_GRID_WEDGE15,
  PL_GRID_PYRAMID13,
  PL_GRID_TYPES
};
extern const char *const pl_grid_name[PL_GRID_TYPES]; // "tetra10": as NumPy files have them
int pl_grid_nvert(int type);
int pl_grid_dim(int type);

typedef struct pl_grid_field {
  char *name;
  int on_cells, ncomp;
  double *data; // [count][ncomp]; of cells in the order of types
} pl_grid_field;

// A mesh as a file holds it, for changing one format into another: with prisms and pyramids, and
// with fields.
typedef struct pl_grid {
  pl_env *env;
  char *source;
  int nvert;
  double *X; // [nvert][3]
  pl_cells cell[PL_GRID_TYPES];
  int nset, cap_set;
  pl_set *set; // type -1: vertices, else one of the types here
  int nfield, cap_field;
  pl_grid_field *field;
} pl_grid;

// format: an ending, NULL: that of the name. What the file holds and a grid does not is told as
// warnings.
pl_status pl_grid_read(pl_env *env, const char *path, const char *format, pl_grid **out);
// The same from memory, for tests and fuzzers.
pl_status pl_grid_parse(pl_env *env, const char *format, const char *name, const char *data,
                        size_t size, pl_grid **out);
pl_status pl_grid_of_mesh(const pl_mesh *m, pl_grid **out);
// The mesh of it: prisms and pyramids, and hexahedra and quads beside them, are split; no fields.
pl_status pl_grid_mesh(const pl_grid *g, pl_mesh **out);
void pl_grid_free(pl_grid *g);
int pl_grid_ncell(const pl_grid *g);
// Room for one more field, zeroed.
pl_status pl_grid_add_field(pl_grid *g, const char *name, int on_cells, int ncomp, double **data);
// Keeps the cells of one dimension and the vertices that they use; sets of other cells become sets
// of their vertices. What goes is told.
pl_status pl_grid_keep(pl_grid *g, int dim);
// Straight edges: cells of second order lose the vertices on their edges; the other way round they
// get them in the middle. Fields of vertices are interpolated. What goes is told.
pl_status pl_grid_order(pl_grid *g, int order);

typedef struct pl_grid_opts {
  int text;           // STL, PLY, MSH: 1 as text
  int old;            // MSH: 1 version 2.2
  const char *length; // unit of lengths, for files that can tell it; NULL: unknown
} pl_grid_opts;
// Endings of what is written, separated by blanks.
extern const char pl_grid_endings[];
// Writes a file; format as above. What it cannot hold is told as warnings.
pl_status pl_grid_write(const pl_grid *g, const char *path, const char *format,
                        const pl_grid_opts *o);

// ---- NumPy files ------------------------------------------------------------------------------

// A file of arrays (.npz) that is being written; it has its name once it is closed.
typedef struct pl_npz pl_npz;
pl_status pl_npz_create(pl_env *env, const char *path, pl_npz **out);
// Begins an array; type "f8", "f4", "i8", "i4" or "u1", the last index runs fastest.
pl_status pl_npz_begin(pl_npz *z, const char *name, const char *type, int ndim,
                       const int64_t *shape);
pl_status pl_npz_add(pl_npz *z, const void *data, size_t bytes);
pl_status pl_npz_end(pl_npz *z);
// All at once.
pl_status pl_npz_put(pl_npz *z, const char *name, const char *type, int ndim, const int64_t *shape,
                     const void *data);
// One text, or a list of n (n >= 0) of them.
pl_status pl_npz_text(pl_npz *z, const char *name, int n, const char *const *text);
// Ends and frees it; keep 0, or a failure before: nothing is left of the file.
pl_status pl_npz_close(pl_npz *z, int keep);
// The arrays of a grid, names with something in front.
pl_status pl_npz_put_grid(pl_npz *z, const char *front, const pl_grid *g, const char *length);

// ---- shape functions --------------------------------------------------------------------------

// Natural coordinates at[3] of a cell: of segments -1 .. 1, of triangles and tetrahedra the
// barycentric ones of vertices 1, 2 (and 3), of quads and hexahedra -1 .. 1, all in VTK's order.
// N[nvert] and its slopes dN[nvert][3], both may be NULL; slopes by missing coordinates are 0.
void pl_cell_shape(pl_cell_type type, const double *at, double *N, double *dN);
// Natural coordinates of a vertex.
void pl_cell_vertex(pl_cell_type type, int vertex, double *at);
// Points for integrals that are exact for polynomials of degree 4 on cells with straight sides (of
// hexahedra: of degree 5 in each coordinate): weights add up to the measure of the natural cell.
// at[PL_CELL_POINT_MAX][3] and weight[PL_CELL_POINT_MAX]; returns their number.
enum { PL_CELL_POINT_MAX = 27 };
int pl_cell_points(pl_cell_type type, double (*at)[3], double *weight);
// Length, area or signed volume that a unit of natural measure has at a place of a cell with
// vertices v in X[][3].
double pl_cell_jacobian(pl_cell_type type, const double *X, const int *v, const double *at);

// ---- quality ----------------------------------------------------------------------------------

// How good cells of a type are; cells by their numbers within the type.
typedef struct pl_quality {
  int n;
  double angle; // rad, smallest: of faces at corners, of tetrahedra and hexahedra between faces
  int angle_cell;
  double aspect; // largest: longest edge over the smallest height, 1 for equal sides
  int aspect_cell;
  double jacobian; // smallest over largest one of a cell, <= 0: it is folded
  int jacobian_cell;
  double layers; // of solids: cells from one side of the body to the other, straight inwards
  double thick;  // m, the way that has so many; a tenth of their surface has fewer, 0: none
} pl_quality;
// Of the cells first .. first + n - 1 of a type of faces or solids.
pl_status pl_mesh_quality(const pl_mesh *m, pl_cell_type type, int first, int n, pl_quality *out);

// ---- topology ---------------------------------------------------------------------------------

typedef struct pl_topology {
  pl_env *env;
  int nedge;
  int *edge;     // [nedge][2] vertices of the triangles' edges, low number first, sorted
  int *tri_edge; // [ntri][3] edge opposite to each corner
  int *edge_tri; // [nedge][2] triangles on either side, -1: boundary; non-manifold edges fail
  int nhinge;
  int *hinge; // [nhinge][4] inner edges: edge ends v0 v1, opposite vertices v2 (first triangle,
              // which sees v0 -> v1 in its order) and v3 (second triangle)
  int *hinge_edge; // [nhinge]
  int nboundary;
  int *boundary; // [nboundary] edges with one triangle
} pl_topology;

// Edges and hinges of the triangles; fails on an edge with more than two triangles. Triangles whose
// orientations disagree across an edge are allowed: the hinge follows the first triangle.
pl_status pl_topology_create(const pl_mesh *m, pl_topology **out);
void pl_topology_free(pl_topology *t);

// Vertices on edges that have one triangle, of first and second order; *vertex [*n] is freed by the
// caller.
pl_status pl_mesh_boundary(const pl_mesh *m, int *n, int **vertex);
// Twice the area of the triangles over the length of their boundary: the width of a long strip, and
// that of the bars of a plate with many holes. Infinite without a boundary.
pl_status pl_mesh_width(const pl_mesh *m, double *width);

// What a shell with normals at its edges (element kinds `midedge`, `shell6`) is made of: a stencil
// for every triangle, scalar unknowns xi for every edge that turn its normal, and clamps. Where all
// edges of a line are to be built in, a wall takes the places of the neighbours: on edges whose
// vertices have the same clamp triangles feel copies of their other vertices (`shell6`: of those of
// the triangle that leads the edge) that move with the clamp (the model needs a node at the place
// of copy[k], moved like vertex copy_at[k]). Such an edge has no xi in `midedge`; in `shell6` the
// clamp holds it, so that the edge can be let go of.
typedef struct pl_midedge {
  pl_env *env;
  int ntri, nvert;
  int nown;    // vertices of a stencil: 6 of `midedge`, 15 of `shell6`
  int *vertex; // [ntri][nown] triangles in the order of the mesh, their corners ascending, then
               // (`shell6`) the vertices on the edges opposite to them, then those across these
               // edges; where there are none the triangle's own; copies are numbered from nvert on
  int nscal;   // unknowns of a stencil: 3 of `midedge`, 6 of `shell6`
  int *xi;     // [ntri][nscal] unknowns of the edges opposite to the corners, -1: clamped
  int nxi;     // unknowns
  int nedge;
  int *edge_at; // [nedge] a vertex of each edge
  int *edge_xi; // [nedge] (first) unknown of each edge of the topology, -1: clamped, in `midedge`
  int *edge_clamped; // [nedge] vertex whose clamp builds it in, -1: none does
  int ncopy;         // copies
  int *copy;         // [ncopy] the vertex on which each stands at rest
  int *copy_at; // [ncopy] a vertex of the clamped edge that it is opposite to: its clamp carries it
  // `shell6`, symmetry planes: what stands for the other half moves along the plane like copy[k],
  // and keeps the place opposite to vertex copy_at[k], or halfway there
  int *edge_plane;   // [nedge] plane in which a border lies, -1: none
  int *copy_plane;   // [ncopy] the same of copies, -1: a clamp's
  double *copy_part; // [ncopy] 1 or 1/2
} pl_midedge;

// clamp[nvert]: number of the clamp that holds a vertex, -1: none; NULL: no clamps.
pl_status pl_midedge_create(const pl_mesh *m, const pl_topology *t, const int *clamp,
                            pl_midedge **out);
// The same for triangles of second order (`shell6`), any number of which may meet in an edge. A
// clamp may be several holders that do not move to each other: edges follow the one of the vertex
// between their ends; holder NULL: one each. plane[nvert]: bits of the symmetry planes that a
// vertex is in; NULL: none. The boundary in such a plane keeps its angle to it.
pl_status pl_midedge_create_second(const pl_mesh *m, const int *clamp, const int *holder,
                                   const unsigned *plane, pl_midedge **out);
void pl_midedge_free(pl_midedge *s);
// Fills stencil[ntri][nown + nscal] of a group of the model: node[nvert + ncopy] is the model's
// node of each vertex and copy (NULL: the same number), first the number of the unknown that is xi
// 0.
void pl_midedge_stencil(const pl_midedge *s, const int *node, int first, int *stencil);

// Boundary faces of tets and hexes as triangles, outward, plus the mesh's own triangles and quads
// (own ones first) that are no faces of its solids; faces of second order are cut at the vertices
// on their edges. *tri [n][3] freed by the caller. cell (may be NULL): the owner, counted over all
// cells in type order; also freed by the caller.
pl_status pl_mesh_surface(const pl_mesh *m, int *ntri, int **tri, int **cell);
// The same faces whole: *face [nface][PL_FACE_ROW], how many vertices (3, 4, 6 or 8) and these,
// corners in a loop first, then those on the edges behind each corner; freed by the caller.
enum { PL_FACE_ROW = 9 };
pl_status pl_mesh_faces(const pl_mesh *m, int *nface, int **face);
// Connected parts over all cells: part[nvert] (-1 for unused vertices); returns their count in *n.
pl_status pl_mesh_parts(const pl_mesh *m, int *n, int *part);

// ---- generators -------------------------------------------------------------------------------

typedef enum pl_pattern {
  PL_RIGHT,
  PL_LEFT,
  PL_ALTERNATING,
  PL_CROSSED,
  PL_EQUILATERAL,
  PL_IRREGULAR
} pl_pattern;

// A chain of n segments from a to b. Sets: start, end.
pl_status pl_gen_chain(pl_env *env, int n, const double a[3], const double b[3], pl_mesh **out);
// lx by ly in the xy plane from the origin, nx by ny squares cut by a pattern (equilateral: ny rows
// of triangles of base lx / nx, halved at both ends so that all boundaries are straight; irregular:
// vertices moved at random by up to 0.2 of a square, along a boundary on the boundary, always the
// same ones, and squares cut along their shorter diagonals). Sets: left right bottom top
// (vertices).
pl_status pl_gen_grid(pl_env *env, int nx, int ny, double lx, double ly, pl_pattern pattern,
                      pl_mesh **out);
// The same as quads.
pl_status pl_gen_quads(pl_env *env, int nx, int ny, double lx, double ly, pl_mesh **out);
// Disk of radius r around the origin with n rings of triangles. Sets: centre, rim.
pl_status pl_gen_disk(pl_env *env, int n, double r, pl_mesh **out);
// Unit sphere around the origin: an icosahedron (level 1) cut level - 1 times, triangles outwards.
pl_status pl_gen_icosphere(pl_env *env, int level, pl_mesh **out);
// Surface of a cylinder with flat ends about the z axis, from z = 0 to the length, triangles
// outwards. Sets: bottom, top (vertices).
pl_status pl_gen_cylinder(pl_env *env, int sides, double radius, double length, pl_mesh **out);
// Box [0,lx] x [0,ly] x [0,lz] of hexes, or of tets (six to a cell, all faces matching). Sets: left
// right (x), front back (y), bottom top (z).
pl_status pl_gen_hex_box(pl_env *env, const int n[3], const double l[3], pl_mesh **out);
pl_status pl_gen_tet_box(pl_env *env, const int n[3], const double l[3], pl_mesh **out);
// Each segment into 2, triangle into 4, quad into 4, tet and hex into 8; sets follow: children of a
// cell, and new vertices all of whose parents are in the set. Of cells of second order, tets with
// their triangles and segments can be refined: new vertices lie on the curved cells.
pl_status pl_mesh_refine(const pl_mesh *m, pl_mesh **out);

// The triangles of a closed surface, and tets from each to a vertex at its centre of mass, which is
// the last one; sets stay. Fails where the surface is open, its triangles are turned against each
// other, or one of them is not seen from that centre.
pl_status pl_mesh_cone(const pl_mesh *m, pl_mesh **out);

// Gives segments, and tets with triangles or hexes with quads, a vertex in the middle of every
// edge; on edges of cells of second order it is the one that is there. Sets follow: cells stay in
// them, and vertices join that are between two of a set.
pl_status pl_mesh_raise(const pl_mesh *m, int tets, int hexes, pl_mesh **out);
// The reverse: corners: cells lose the vertices on their edges, which are dropped. Otherwise lines,
// triangles and quads (no solids) are cut into two, four and six at these.
pl_status pl_mesh_lower(const pl_mesh *m, int corners, pl_mesh **out);

// Triangles of second order from triangles and quads of either order, which are cut in two; lines
// of second order are cut at their vertices. Sets follow.
pl_status pl_mesh_raise_surface(const pl_mesh *m, pl_mesh **out);
// Moves the vertices on straight edges of triangles of second order onto a smooth surface through
// the corners: quadrics that fit those around. Edges folded by more than crease (rad), boundaries
// and edges of three or more triangles bound what is smooth; they bend along with the sheets there.
pl_status pl_mesh_round(pl_mesh *m, double crease);

// ---- voxels -----------------------------------------------------------------------------------

// What is inside where outlines or surfaces run round a place several times.
typedef enum pl_fill_rule { PL_FILL_AUTO, PL_FILL_NONZERO, PL_FILL_EVENODD } pl_fill_rule;

typedef struct pl_voxel_opts {
  double size;     // m, edge; 0: chosen by how thick the part is
  double fraction; // of its volume from which on a voxel is filled; 0: a half
  pl_fill_rule
      rule;       // auto: nonzero, and evenodd where a surface is not turned the same way all over
  int allow_thin; // 1: places thinner than a voxel are warned of; 0: they are errors
  int most;       // nodes
} pl_voxel_opts;

typedef struct pl_voxel_info {
  double edge[3];             // m: a whole number of them fills the bounding box
  int grid[3], nvoxel;        // voxels of the box; those that are filled
  int njoined;                // filled so that neighbours share more than an edge or a corner
  double volume, exact, lost; // m^3: of the voxels, of the part, of places thinner than a voxel
} pl_voxel_info;

// Hexahedra of equal edges in place of a part. The part is a closed surface (triangles, quads) or
// the solids of a mesh. A voxel is filled when enough of its volume is inside, which is told along
// lines by how often the surface winds round a place; where filled ones meet in an edge or a corner
// alone, the emptier ones beside them that hold a tenth of material or more are filled too, and
// what still meets so is not joined. Groups of solids, and of faces that are closed by themselves,
// become groups of hexahedra, others groups of vertices; left right (x), front back (y), bottom top
// (z) are the vertices of the outermost faces. Fails when the surface has holes or edges of an odd
// number of triangles, or when (see allow_thin) something vanishes or falls apart.
pl_status pl_mesh_voxels(const pl_mesh *m, const pl_voxel_opts *o, pl_voxel_info *info,
                         pl_mesh **out);

// A drawing: outlines of an SVG file, or a PNG picture.
typedef struct pl_drawing pl_drawing;
// 1: the name ends in .svg or .png.
int pl_is_drawing(const char *path);
// SVG: paths, rectangles, circles, ellipses, lines and polygons with transforms; material is what
// is filled or stroked, white covers what was drawn before, and shapes with neither fill nor stroke
// only name what lies in them. Names are labels or ids of shapes and of the groups around them.
// PNG: material is what is not transparent and has a channel below threshold (0: a half) of full
// light; its names are black (and grey), red, yellow, green, cyan, blue, magenta.
pl_status pl_drawing_read(pl_env *env, const char *path, double threshold, pl_drawing **out);
// The same from memory; format is "svg" or "png".
pl_status pl_drawing_parse(pl_env *env, const char *format, const char *name, const char *data,
                           size_t size, double threshold, pl_drawing **out);
void pl_drawing_free(pl_drawing *d);
// Voxels of the extruded drawing: x to the right and y upwards from the corner of what is drawn, z
// from 0 to thickness (m). width: m, of what is drawn; 0: as the file says. Names become groups.
pl_status pl_drawing_voxels(const pl_drawing *d, double thickness, double width,
                            const pl_voxel_opts *o, pl_voxel_info *info, pl_mesh **out);

// Cells of a box with whole numbers on them: 0 is empty, others tell what they are made of.
typedef struct pl_labels pl_labels;
// 1: the name ends in .vti.
int pl_is_labels(const char *path);
// VTK's XML image data along the axes, in one piece: integers on cells, those that the file calls
// its scalars or else the first.
pl_status pl_labels_read(pl_env *env, const char *path, pl_labels **out);
pl_status pl_labels_parse(pl_env *env, const char *name, const char *data, size_t size,
                          pl_labels **out);
void pl_labels_free(pl_labels *l);
// A voxel for each cell, or with a size others of which that much is filled; unit: m, of lengths in
// the file. Numbers become groups: NAME where 1 is the only one, else NAME_2 and so on.
pl_status pl_labels_voxels(const pl_labels *l, double unit, const pl_voxel_opts *o,
                           pl_voxel_info *info, pl_mesh **out);

// ---- nearest ----------------------------------------------------------------------------------

typedef struct pl_bvh pl_bvh;
typedef struct pl_hit {
  int tri; // index into the triangles given, -1: none
  double dist;
  double bary[3];
  double point[3];
} pl_hit;
// A tree over triangles tri[ntri][3] of vertices x[][3]; both must outlive it.
pl_status pl_bvh_create(pl_env *env, int ntri, const int *tri, const double *x, pl_bvh **out);
void pl_bvh_free(pl_bvh *b);
void pl_bvh_refit(pl_bvh *b); // after x moved
// Boxes hold the triangles on their straight way from x to to[][3], which stays until the next
// refit; for pl_bvh_overlaps alone.
void pl_bvh_refit_way(pl_bvh *b, const double *to);
pl_hit pl_bvh_nearest(const pl_bvh *b, const double p[3]);
// The same of one of its triangles.
pl_hit pl_bvh_nearest_in(const pl_bvh *b, int tri, const double p[3]);
// Calls each for every triangle whose box overlaps the box from lo to hi, in the order of the tree.
void pl_bvh_overlaps(const pl_bvh *b, const double lo[3], const double hi[3],
                     void (*each)(void *ctx, int tri), void *ctx);
// Index of the vertex nearest to p among list[n] (NULL: all nvert).
int pl_mesh_nearest_vertex(const pl_mesh *m, const double p[3], int n, const int *list);

PL_DECLS_END

#endif
