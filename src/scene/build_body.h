#ifndef BUILD_BODY_H
#define BUILD_BODY_H

// What the builders of bodies share.
#include "scene_impl.h"

// A failed call of the mesh layer has told its message already.
int worked(reader *r, pl_status s);
// Reports when so many more nodes are too many.
int check_count(reader *r, const pl_node *at, double nvert);
// Metres in a unit of length; 0: it is none, which was reported.
int read_length_unit(reader *r, const txt *text, const char *what, double *factor);
// A table of lengths from a list or a file (read_grid.c).
int read_grid(reader *r, const pl_node *at, const char *what, pl_shape_source *in);
// Groups made longer or shorter; 0: reported (build_stretch.c).
int stretch_groups(reader *r, body_slot *b, const geometry_def *g);
// The same for changes of shape by handles.
int morph_mesh(reader *r, body_slot *b, const geometry_def *g);
// What a unit of the 3d cells of a mesh adds up to, m^3.
double mesh_volume(const pl_mesh *m);
// Counts the parts of a body's mesh and warns when merging vertices would join them; 0: failed.
int check_pieces(reader *r, body_slot *b, const pl_node *at);
const material_def *find_material(reader *r, const txt *name);
// A value of a body; where every one of its n cells has its own, with parameters BODY.key.0 ...,
// whose place in the scene is path.
pl_value body_value(reader *r, const body_slot *b, const num *value, const char *key,
                    const char *path, int n);
// What a body or, where d is given, a region of it is made of; 0: reported (build_material.c).
int read_part(reader *r, const body_slot *b, const geometry_def *g, const region_def *d,
              const material_def *m, pl_part *to);
// 1: a hyperelastic law; its shear modulus at rest, Pa.
int is_hyper(const material_def *m);
double hyper_shear(const material_def *m);
// Poisson's ratio at rest of a part, 0: of the body; of orthotropic ones 0.
double part_poisson(const pl_body_desc *d, int number);
// Regions of a body (build_region.c): parts, and the cells that they take, which are sorted by
// them; 0: reported.
int read_regions(reader *r, body_slot *b, const geometry_def *g, pl_body_desc *to);
// 1: every cell is in a region with a material and, of shells, a thickness of its own.
int regions_have_all(const body_slot *b, const geometry_def *g, const pl_body_desc *d);
// Swelling along an axis.
void read_profile(reader *r, const body_slot *b, const geometry_def *g, const material_def *m,
                  pl_body_desc *to);
// A section of a rod that is the same for all edges; 0: reported (build_rod.c).
int read_plain_section(reader *r, const body_slot *b, const section_def *s, const pl_node *at,
                       pl_section *to);
// Gives the body to the builder.
void add_body(reader *r, body_slot *b, pl_body_desc *d);
// Reads what makes a rod of a mesh of lines (build_rod.c).
void build_rod(reader *r, body_slot *b);

// What a rigid body is as a solid; gives it to the builder (build_rigid.c).
geometry_def *rigid_solid(geometry_def *rigid);
void build_rigid(reader *r, body_slot *b);

// A sheet of an interlocking material (build_sheet.c).
void build_mail_sheet(reader *r, body_slot *b, const geometry_def *g);

// how a shell bends: as the scene says, or what is right for it
pl_bending shell_bending(reader *r, const geometry_def *g);
// 1: it has limits of stretch.
int has_limits(const geometry_def *g);

// ---- rods -------------------------------------------------------------------------------------

// a coordinate of a vertex that follows a parameter, weight [3] along x, y, z
typedef struct pull {
  int vertex;
  num value;
  double weight[3];
} pull;

typedef struct rod_curve {
  int npull, pull_cap;
  pull *pull;
  double wide; // m, the larger size of its section
} rod_curve;

// A mesh that a program gives as arrays, in metres (build_given.c); *out is freed by the caller
// even when this fails.
int take_given(reader *r, const geometry_def *g, const txt *name, pl_mesh **out);

// voxels in place of a part (build_voxels.c)
int make_voxels(reader *r, body_slot *b, const geometry_def *g, const voxels_def *d);

// lines made on the spot, and checks of lines (build_curve.c)
int make_curve(reader *r, body_slot *b, const geometry_def *g, const mesh_def *m);
int check_curve(reader *r, const body_slot *b, const geometry_def *g);
// the mesh was moved: x -> scale R x
void place_curve(rod_curve *c, double scale, const double *R);
// tells the model which nodes follow parameters
void move_curve(reader *r, const body_slot *b);

#endif
