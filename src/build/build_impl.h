#ifndef BUILD_IMPL_H
#define BUILD_IMPL_H

#include "pliant/build.h"

// where a parameter acts
typedef struct target_desc {
  pl_place place;
  int i, j, k;
  int par; // from 1 on
  double coef;
} target_desc;

// a node that feels the obstacles
typedef struct contact_node {
  int node;
  double radius, mu; // mu below 0: the obstacle's
  int ball;          // that it is the centre of, -1: none
  const void *origin;
} contact_node;

// a symmetry plane
typedef struct plane_desc {
  int drive, n, axis;
  const int *node;
  double at; // its coordinate
  const void *origin;
} plane_desc;

struct builder_impl {
  pl_arena *arena;
  pl_env *own; // host that no caller has; NULL: none
  int nmesh, mesh_cap;
  pl_mesh **mesh; // by pl_build_mesh
  char *block;    // what is left of the arena's last piece
  size_t block_left;
  int node_cap, label_cap, body_cap, group_cap, cells_cap, law_cap, drive_cap, clamp_cap, load_cap,
      copy_cap, form_cap, grow_cap, grow_by_cap, rigid_cap;
  int ntarget, target_cap;
  target_desc *target;
  int nparameter, parameter_cap;
  pl_design_desc *parameter; // [nparameter] without targets
  int nline, line_cap;
  int *line; // [nline][2]
  int joined, constrained;
  int nplane, plane_cap;
  plane_desc *plane;
  // of copies of nodes (pl_builder.copy): normal of the symmetry plane behind which it stands, -1:
  // a clamp's, and the coordinate along it; NULL: there are none
  int axis_cap, place_cap;
  int *copy_axis;
  double *copy_place;
  int *alias; // pl_model_desc.alias
  int obstacle_cap, obstacle_name_cap, limit_cap;
  int ncontact, contact_cap;
  contact_node *contact;
  int nball, ball_cap, ball_radius_cap;
  pl_contact_ball *ball;
  double *ball_radius; // [nball] m
  int nlet_go;
  char *let_go; // [nlet_go] 1: some analysis lets go of what the drive holds
  int self_contact;
  int self_exact; // 1: solids touch under the exact law
  const void *self_origin;
  struct rod_net *rods; // edges and joints of all rods, NULL: none
  struct join_list *joins;
};

// A host in memory of its own; NULL: there is none.
pl_env *build_host_create(void);
void build_host_free(pl_env *own);
char *build_strdup(pl_builder *b, const char *s);
// A copy of n things.
void *keep_copy(pl_builder *b, int n, size_t size, const void *from);
// Tells what is wrong; hint may be NULL.
void build_problem(pl_builder *b, const void *origin, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
// A group of a body's elements; vertex[n][nvert] are numbers of its mesh, NULL: known later.
// a curved shell triangle of any law
int is_shell6(const pl_elem_kind *kind);
int body_group(pl_builder *b, int body, const char *suffix, int kind, int n, const int *vertex,
               int shared, int lumped);
int body_group_of(pl_builder *b, int body, const char *suffix, const pl_elem_kind *kind, int n,
                  const int *vertex, int shared, int lumped);
// The value of a body for the elements of a group, which belong to cells cell[n][ncell].
void put_value(pl_builder *b, int group, const char *name, const pl_value *value, int n,
               const int *cell, int ncell);
// What a body is made of, for the elements of a group that belong to cells cell[n][ncell]
// (parts.c): means over those cells.
void put_parts(pl_builder *b, int body, int group, int n, const int *cell, int ncell);
// The part with that number, 0: the body itself.
pl_part body_part(const pl_body_desc *d, int number);
// 1: elements that belong to several cells, or all cells together, need values of their own
int has_parts(const pl_body_desc *d);
// Number of a parameter among those of an element kind, -1: none.
int par_index(const pl_elem_kind *k, const char *name);

// Mid-edge shells: built-in edges, copies of nodes, stencils (clamp.c).
pl_status join_shells(pl_builder *b);
// Symmetry planes (mirror.c): bits of those that the vertices of a body are in, NULL: none at all.
unsigned *mirror_masks(pl_builder *b, const pl_body *body);
// Bits of the axes that are normal to planes at each node.
int *mirror_axes(pl_builder *b);
// Checks them, before the shells are joined.
void mirror_check(pl_builder *b);
// Copy k of the shell's vertices is number `copy` of b->copy.
void mirror_copy(pl_builder *b, const pl_body *body, const pl_midedge *p, int k, int copy);
// Holds the copies behind the planes, and the scalars scal[n] of the boundaries there.
void mirror_hold(pl_builder *b, int n, const int *scal);
// Rods (rod.c): their stretch, at once; then what depends on how they meet and what holds them.
void rod_edges(pl_builder *b, int body);
pl_status join_rods(pl_builder *b);
// used[ndrive]: drives that clamp a rod
void rods_clamped(pl_builder *b, int *used);
// The first of three unknowns of the rotation at a node, -1: none
int rods_rotate(const pl_builder *b, int node);
// Joins (joins.c): nodes they need, before anything is joined; whether a node needs a rotation;
// their elements, after rods; their stiffness, by a model that has all else.
void joins_prepare(pl_builder *b);
int joins_rotate(const pl_builder *b, int node);
pl_status joins_finish(pl_builder *b);
pl_status joins_stiffen(pl_builder *b, const pl_model_desc *desc);
// The triangles of a shell or of a body in a plane (of second order cut into four), or of the
// surface of a solid, as nodes; *n: how many nodes there are now (constraints.c).
pl_status build_triangles(pl_builder *b, const pl_body *body, int **tri, int *n, int *cap);
// The surfaces of b->contact; held[nnode]: axes along which nodes are held or driven (surfaces.c).
void fill_surfaces(pl_builder *b, const int *held);
// What confines a model that was built (constraints.c).
pl_status make_constraints(const pl_builder *b, int nthread, pl_built *m);

#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

#endif
