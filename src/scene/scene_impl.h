#ifndef SCENE_IMPL_H
#define SCENE_IMPL_H

#include "values.h"

// ---- names ------------------------------------------------------------------------------------

typedef enum name_kind { NAME_NODE, NAME_SET, NAME_BODY, NAME_LINK } name_kind;
typedef struct name_entry {
  const char *name;
  name_kind kind;
  int index;
  const pl_node *at;
} name_entry;
typedef struct name_table {
  int n, cap; // cap: slots, a power of two
  name_entry *slot;
} name_table;

// ---- reader: one pass over one scene ----------------------------------------------------------

typedef struct body_slot {
  const body_def *def;
  const char *kind;
  const pl_node *at;
  int bad;       // reported already; selectors on it keep quiet
  pl_mesh *mesh; // freed by the reader
  int number;    // in the builder, -1: not there
  int n, npiece;
  const pl_voxel_info *voxels; // NULL: it is not made of voxels
  int *node;                   // [n] model node of each mesh vertex
  struct rod_curve *rod;       // what a generated rod's vertices follow, NULL: not a rod
} body_slot;

typedef struct node_list {
  int n;
  int *v; // ascending
} node_list;

// a set of the scene; resolved on demand so that sets may name each other
typedef struct set_slot {
  const char *name;
  const pl_node *at;
  int state; // 0: not yet, 1: in work, 2: done, 3: bad
  node_list nodes;
} set_slot;

enum { OPENED_MAX = 256 };

typedef struct reader {
  pl_env *env;
  pl_arena *scratch;
  pl_builder *b; // what the scene is made into; its memory is the scene's
  const char *file, *folder;
  int nopened;                    // files beside the scene
  const char *opened[OPENED_MAX]; // [nopened] those that are told
  pl_scene_limits limit;
  const pl_exploration *explore; // NULL: the scene's own analyses are read
  pl_status failed;              // sticky: out of memory, wrong use
  int nproblem;

  // messages are held back and sent in the order of the file
  void (*diag)(void *ctx, const pl_diag *d);
  void *diag_ctx;
  int nstore;
  pl_diag *store;

  pl_node *root;
  int ntree; // entries so far
  root_def def;
  unit_scale scale;
  int nbare;
  bare_note bare[UNIT_QUANTITIES_MAX];

  name_table names, params;
  int nbody;
  body_slot *body;
  int nset, set_depth;
  set_slot *set;
  int nlink;
  const link_def **link;
  int (*link_joint)[2];

  int ncontact; // nodes that feel obstacles
  int nanalysis;
  const analysis_def *analysis;  // [nanalysis]
  double stiffest, weakest_link; // for the penalty warning
  const pl_node *weakest_at;
  double *u0, *v0;        // [nnode][dim]
  int nmotion;            // drives that move nodes; amplitudes of loads follow them
  const pl_node *over_at; // the first file over time
  int nload_note, load_note_cap;
  const char **load_note;
} reader;

// memory of the scene; NULL sets r->failed
void *scene_alloc(reader *r, size_t count, size_t size);
const char *scene_strdup(reader *r, const char *s, size_t n);
// room for one more in an array that lives in the arena; returns 0 on failure
int scene_grow(reader *r, void *array, int n, int *cap, size_t size);

// a problem at a node; hint may be NULL
void problem(reader *r, const pl_node *at, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
// the same at the node's key
void problem_key(reader *r, const pl_node *at, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
// 1: there is one at a node or below it already
int has_problem(const reader *r, const pl_node *at);
void problem_at(reader *r, const char *file, int line, int col, const char *hint, const char *fmt,
                ...) __attribute__((format(printf, 6, 7)));
void warning(reader *r, const pl_node *at, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
// what a builder found, at the node that it was given as origin
void build_problem_at(void *ctx, const void *origin, const char *hint, const char *text);
// a short printable copy of a piece of the file
const char *quote(const char *s, char *buf, size_t size);

// node.c
pl_status tree_parse(reader *r, const char *data, size_t size, pl_node **out);
pl_status tree_parse_value(reader *r, const char *text, const char *origin, pl_node **out);
const pl_node *node_get(const pl_node *map, const char *key);
// the same, or the map itself where it has no such key
const pl_node *key_at(const pl_node *map, const char *key);
pl_node *node_new(reader *r, node_kind kind, const char *text, size_t n);
void node_append(pl_node *parent, pl_node *child);
void node_write(const pl_node *root, pl_text *out);
// a copy with all that is below; NULL: out of memory
pl_node *tree_copy(reader *r, const pl_node *from);
// override.c
void tree_override(reader *r, const char *assignment);
pl_node *add_key(reader *r, pl_node *map, const char *key, const char *origin);
// The entry that a path of an override means; NULL: there is none, *part is what is missing.
const pl_node *tree_find(reader *r, const char *path, const char **part, const pl_node **above);
// a key of the scene made to hold a text, or an empty list or map, whatever stands in it
pl_node *tree_set(reader *r, const char *key, node_kind kind, const char *text);
// explore.c
// a path into the scene such as `materials.pla.young`, not the name of a parameter
int is_override(const char *assignment);
pl_status check_exploration(pl_env *env, const pl_exploration *e);
// the analyses that r->explore asks for, put into the scene; NULL: reported
const pl_node *state_exploration(reader *r, const pl_scene *s);

// read.c
int read_map(reader *r, const pl_node *at, const map_keys *m, void *out);
// The SI unit in the table of a kind; NULL or empty: a number without one. 0: it is none.
int kind_unit(reader *r, const pl_node *at, const char *what, const char *text, unit *out);
int read_num(reader *r, const pl_node *at, const char *what, const char *unit_text, num *out);
int read_num_text(reader *r, const pl_node *at, const char *what, const char *text,
                  const unit_dim *want, num *out);
int read_vec(reader *r, const pl_node *at, const char *what, const char *unit_text, int nmin,
             int nmax, vec *out);
int read_int(reader *r, const pl_node *at, const char *what, double lo, double hi, int *out);
int read_choice(reader *r, const pl_node *at, const char *what, const char *choices, int *out);
int name_valid(const char *s);
extern const char name_rule[]; // the hint for names that are not
// units.c
void read_units(reader *r);
void note_bare(reader *r, const pl_node *at, const char *what, double value, const unit_dim *d);
void warn_bare(reader *r);
// the node of the first entry; the next ones follow it
const pl_node *items_first(const items *list);

// names.c
int name_add(reader *r, name_table *t, const char *name, name_kind kind, int index,
             const pl_node *at);
const name_entry *name_find(const name_table *t, const char *name);
// hint with the names of some kinds (bit mask)
void name_hint(const reader *r, const name_table *t, const char *word, unsigned kinds, char *out,
               size_t size);
void refer_param(reader *r, const pl_node *at, int par, const unit_dim *want);

// select.c
int select_nodes(reader *r, const pl_node *at, const char *what, node_list *out);
// one node, or a link point; returns 0 and reports unless exactly one
int select_one(reader *r, const pl_node *at, const char *what, int *node);
// `name.x` or, in one dimension, `name`; ground gives -1
int select_dof(reader *r, const pl_node *at, const char *what, int *dof);
int axis_index(const char *s);
set_slot *set_resolve(reader *r, int k);
// nodes of `node` or `nodes` of a thing
int select_either(reader *r, const pl_node *node, const pl_node *nodes, const pl_node *at,
                  const char *what, node_list *out);

// build_*.c
// elements with parameters of their own
int group_add(reader *r, const char *name, int kind, int nelem, int **stencil);
pl_value value_of(const num *n);
// writes the value and records where a parameter acts
void put_par(reader *r, int group, int elem, const char *name, const num *value);
void follow(reader *r, pl_place place, int i, int j, int k, const num *value, double factor);
// path of a file named in the scene; reports when it cannot be read
int scene_file(reader *r, const pl_node *at, const char *what, char *out, size_t size);
// Reads a CSV file that a node names. 0: a problem was reported, *out is NULL.
struct pl_table;
int read_csv(reader *r, const pl_node *at, const char *what, char path[PL_TEXT],
             struct pl_table **out);
// The unit at the end of a name, rate_mm_s or real_mm of an already known N: put in front of what
// is known. Returns the length of the name without it.
enum { UNIT_WORD = 64 };
size_t unit_word(const char *name, char known[UNIT_WORD]);
// That of a column, "" when it has none.
void column_text(const struct pl_table *t, int col, char text[UNIT_WORD]);
// One unit of a column in SI, by the unit in the header; without one, by the scene's.
int column_scale(reader *r, const char *path, const struct pl_table *t, int col, const char *si,
                 const char *hint, double *factor);
// One unit of a column of angles (si "rad"), which needs one as it could be either, or strains
// (""), in SI.
int column_unit(reader *r, const char *path, const struct pl_table *t, int col, const char *si,
                const char *hint, double *factor);
// A measured free decay from `start` (s) on. NULL: a problem was reported.
const pl_record *read_record(reader *r, const txt *file, double start);
// Is the place, its links resolved into real[PATH_MAX], within a folder?
int path_within(const char *root, const char *path, char *real);
void build_bodies(reader *r);
void build_body_groups(reader *r);
void build_mechanism(reader *r);
void build_springs(reader *r, const items *springs);
// an end of a spring or pair that names an unknown: `tip.y`, or the ground
int is_scalar_end(const pl_node *at);
// elastic stops, dry friction, table forces (build_pair.c)
void build_stops(reader *r);
void build_friction(reader *r);
void build_tables(reader *r);
void build_masses(reader *r);
void build_potentials(reader *r);
void build_matrices(reader *r);
void build_drives(reader *r);
// loads, tendons and springs to the ground (build_load.c)
void build_loads(reader *r);
void build_tendons(reader *r);
void build_foundations(reader *r);
// Loads and supports of analyse n, which change from those of the one it is about.
void build_stage(reader *r, analysis_def *d, int n);
// Joins of bodies by sets of nodes.
void build_joins(reader *r);
void build_initial(reader *r);
void build_analyses(reader *r, pl_scene *s);
// files of analyses, once their names and all that files are called after are known
void check_file_names(reader *r, const pl_scene *s);
// its own, or that of its family
const char *mail_name(const mail_def *d);
// interlocking materials, before the analyses
void build_mails(reader *r, pl_scene *s);
// Pieces of facets.
void make_plate(reader *r, const plate_def *d, pl_piece *out);
void make_capsules(reader *r, const plate_def *d, pl_piece *out);
// A material of elements of one's own; *of: by the parameters that it follows, and their values,
// NULL: there are none (build_own.c).
const pl_mail *make_own(reader *r, const own_mail_def *d, double *value, const pl_mail_family **of);
// One more of n pieces where closed ways lead through several of them; how many there are then
// (build_skeleton.c).
int add_skeleton(reader *r, int n, const piece_def *d, pl_piece *piece);
void make_mesh_piece(reader *r, const mesh_piece_def *d, pl_piece *out);
// its own, or that of its material
const char *patch_name(const reader *r, const patch_def *d);
// patches of them, before the analyses, too
void build_patches(reader *r, pl_scene *s);
// obstacles, the nodes that feel them and self contact, once the analyses are known
// (build_contact.c)
void build_contact(reader *r, pl_scene *s);
// Whether a drive or support holds nothing at first, or in some analysis.
int drive_lets_go(const reader *r, const pl_scene *s, int drive);
// limits of stretch: what transients and drapes are told of them, then those of shells, once
// contact is known (build_limit.c)
void build_cloth(reader *r, analysis_def *d);
void build_limits(reader *r, pl_scene *s);
// analyses that do not know sheets of interlocking materials (build_sheet.c)
void check_mail_sheets(reader *r, const pl_scene *s);
// macro, the n-th analysis: a file that can be read, or an analysis before it that will write one.
void find_sheet_material(reader *r, const pl_scene *s, analysis_def *d, int n);
// where the first axis of a shell's material points at rest
void read_warp(reader *r, const geometry_def *g, double out[3]);
// what contact and limits make of the bodies, and whether that can start
void build_constraints(reader *r, pl_scene *s);
// explore and design (build_design.c)
void build_plan(reader *r, analysis_def *d, const pl_node *at);
void build_measured(reader *r, const pl_node *at, int nprobe, const pl_probe *probe,
                    pl_analysis *a);
// mail-design (build_mail_design.c)
// search: analysis k of n, once all are read
void build_search(reader *r, analysis_def *d, int n, int k);
void build_mail_plan(reader *r, analysis_def *d, const pl_scene_mail *m, const pl_node *at);
// Refuses gradients of a material that no key can change.
void check_gradients(reader *r, const pl_analysis *a, const pl_scene_mail *m, const pl_node *at);
// limits of interlocking materials (build_measured_limits.c)
void build_measured_limits(reader *r, const pl_node *at, pl_analysis *a);
int oscillates(const reader *r);
// components of a node that no drive prescribes
int free_mask(const reader *r, int node);
// a parameter for every element: reads it, and makes the parameters of a body (build_each.c)
int read_each(reader *r, const pl_node *at, const row *w, num *out);
int each_open(reader *r, const num *value, const char *what, const char *path, int n, int *first);
// lengths of the natural shape of a body over those of its mesh (build_load.c)
pl_value read_growth(reader *r, const num *swelling, const num *temperature, const material_def *m);
// what the laws of materials need, and constants from tests (build_material.c)
void check_materials(reader *r);
// swellings that follow files, after the drives are joined
void build_swellings(reader *r);
void check_plausible(reader *r, const pl_scene *s);
// of the model
void check_massless(reader *r, const pl_scene *s);
pl_status check_masses(reader *r, const pl_scene *s);
pl_status check_rotations(reader *r, const pl_scene *s);
// what `check` tells of voxels (build_voxels.c)
void describe_voxels(const pl_scene_body *b, pl_text *out);
// Poor cells of the mesh of a body are warned of; what `check` tells of all of them.
void check_quality(reader *r, const body_slot *b);
// joints of bodies that a weld makes hinges
void check_welds(reader *r);
void describe_quality(const pl_scene *s, pl_text *out);
pl_status build_scene(reader *r, pl_scene *s);

struct scene_impl {
  pl_builder *builder;
  pl_node *root;
  const param_def *param; // [ndesign]
  pl_scene_limits limit;  // that it was read within
};

#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

#endif
