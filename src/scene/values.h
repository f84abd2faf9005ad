#ifndef SCENE_VALUES_H
#define SCENE_VALUES_H

// What the mappings of a scene are read into: a node tree, dimensions, and a struct for every
// mapping of the schema.

#include "pliant/build.h"
#include "pliant/scene.h"

#include <stdarg.h>

// ---- node tree --------------------------------------------------------------------------------

typedef enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP } node_kind;

// An entry of the scene file, copied out of the YAML parser. Lives in the scene's arena.
typedef struct pl_node {
  node_kind kind;
  int line, col;    // 1-based
  int quoted;       // scalar written in quotes
  int twice;        // its key was given before; reported
  int n;            // children
  const char *text; // scalar, UTF-8
  const char *key;  // when a child of a map
  int key_line, key_col;
  const char *origin; // "--set path=value" when it came from there, else NULL
  struct pl_node *first, *last, *next;
} pl_node;

enum {
  PROBLEMS_MAX = 20, // shown to the user
  STORE_MAX = 64,    // kept for sorting
  DEPTH_MAX = 32,    // nesting of the file
  MESSAGE_QUOTE = 60 // longest piece of the file repeated in a message
};

// ---- dimensions -------------------------------------------------------------------------------

// exponents of kg, m, s, rad
typedef struct unit_dim {
  int e[4];
} unit_dim;

typedef struct unit {
  unit_dim dim;
  double factor; // to SI
} unit;

// The unit written in text[n]; returns 0 when it is not one.
int unit_parse(const char *text, size_t n, unit *out);
// The k-th unit of one symbol, with and without prefixes; "": there is none of this number. 0:
// there are no more.
int unit_single(int k, char name[16], unit *out);
int unit_same(const unit_dim *a, const unit_dim *b);
int unit_is_frequency(const unit_dim *d);
// `want` is satisfied by `got`: equal, or per angle where the angle is left out (N.m for N.m/rad).
int unit_fits(const unit_dim *want, const unit_dim *got);
// "a length", "a frequency", "a number without unit", "a value in kg.m^2"
void unit_article(const unit_dim *d, char *out, size_t size);
// "length", "mass", "kg.m^2"
void unit_name(const unit_dim *d, char *out, size_t size);
// SI unit as text
void unit_si(const unit_dim *d, char *out, size_t size);
// how such a value may be written, for hints; value: the number that stood there
void unit_hint(const unit_dim *d, double value, char *out, size_t size);
// the same for a number without a unit
void unit_hint_bare(const unit_dim *d, double value, char *out, size_t size);

// Quantities that `units:` can set, and their SI units.
typedef struct unit_quantity {
  const char *name, *si, *example;
} unit_quantity;
extern const unit_quantity unit_quantities[];
extern const int unit_quantity_count;
enum { UNIT_QUANTITIES_MAX = 32 };

// Bare numbers: factor by dimension.
typedef struct unit_scale {
  double base[4];      // of the scene's kg, m, s, rad
  const char *name[4]; // their units as written
  int system;          // the scene names a whole system of units
  int n;
  unit set[UNIT_QUANTITIES_MAX]; // set explicitly
} unit_scale;
void unit_scale_init(unit_scale *s);
double unit_scale_of(const unit_scale *s, const unit_dim *d);
// the unit of bare numbers, e.g. "kg.mm/s^2"
void unit_scale_name(const unit_scale *s, const unit_dim *d, char *out, size_t size);
// a value in SI and, where another unit reads better, in that: "3.3e+09 Pa (3.3 GPa)"
void unit_show(const unit_dim *d, double value, char *out, size_t size);
// Base units from a system such as "mm-N-MPa" (time in s when it is left out). Returns what is
// wrong with it, NULL: nothing.
const char *unit_system_parse(const char *text, unit_scale *out);

// Bare numbers of one dimension whose unit is not what a reader would take them for.
typedef struct bare_note {
  unit_dim dim;
  const pl_node *at; // the first
  const char *what;
  double value; // as written
  int count;
  const pl_node *last;
} bare_note;

// ---- values of the schema ---------------------------------------------------------------------

// at NULL: not given, and v is the default
typedef struct num {
  double v;    // SI
  int par;     // parameter it depends on, -1: none
  double coef; // dv/dparameter
  const pl_node *at;
  struct each_def *each; // every element has its own, NULL: no
} num;
// {each: {value, min, max}}: a parameter for every element of a body
typedef struct each_def {
  const pl_node *value, *min, *max;
  unit_dim dim;
  int taken;       // a body has it
  int n;           // values given; 1: the same for all
  const double *v; // [n]
  double lo, hi;
} each_def;
typedef struct pick { // integer, choice, flag
  int v;
  const pl_node *at;
} pick;
typedef struct txt {
  const char *s; // "" when not given
  const pl_node *at;
} txt;
typedef struct vec {
  int n;
  num v[3];
  const pl_node *at;
} vec;
typedef struct items { // structs of the row's map
  int n;
  void *item;
  const pl_node *at;
} items;

typedef enum row_type {
  T_NUM,    // num, dimension by unit
  T_PAR,    // num, unit, range, default and text of parameter `key` of an element kind
  T_INT,    // pick
  T_CHOICE, // pick, choices
  T_WORD,   // txt: a name
  T_TEXT,   // txt: any text
  T_VEC,    // vec with as many entries as the scene has dimensions
  T_VEC3,   // vec with three entries (a scene of two: two or three)
  T_MAP,    // pointer to the struct of `sub`, NULL when not given
  T_LIST,   // items: maps `sub` (a single map is a list of one)
  T_NAMED,  // items: maps `sub` keyed by name
  T_RAW     // const pl_node *, read by its own code; text says what
} row_type;

struct map_keys;
typedef struct row {
  const char *key;
  row_type type;
  size_t offset;
  int need;  // 1: must be there
  int plain; // 1: cannot depend on a parameter
  const char *unit;
  double value, lo, hi; // T_NUM, T_INT; lo_open: > lo instead of >= lo
  int lo_open;
  const char *choices; // "a|b"; T_RAW: what it looks like, T_PAR: its default, for the reference
  const struct map_keys *sub;
  int elem;                           // T_PAR: element kind
  const char *par;                    // T_PAR: its parameter, NULL: key
  int each;                           // T_PAR: may differ from element to element
  const pl_objective_kind *objective; // T_RAW: choices and text are those of its table
  const char *text;                   // one line
} row;

// keys that a kind of thing brings with it
typedef struct key_list {
  const char *brief, *text;
  int n;
  const pl_key *key;
} key_list;

// the keys that a map may have
typedef struct map_keys {
  const char *what; // "material"
  const char *text; // one or two sentences for the reference
  // A key that people try, and what to write instead.
  const char *tried, *instead;
  size_t size;
  int nrow;
  const row *row;
  const pl_option *opt; // further keys from an option list
  const int *nopt;
  size_t opt_offset;
  key_list (*keys)(int which); // its text, and its keys instead of row; into a shape_def
  int which;
  row (*row_of)(int k); // rows instead of row; without key: there are no more
} map_keys;

typedef struct param_def {
  txt name; // first in every T_NAMED struct
  const pl_node *value, *min, *max;
  // filled at the first use
  int used;
  unit_dim dim;
  double v, lo, hi;
  const pl_node *first_use;
  const char *path; // of its value, for overrides
  int slot, nslot;  // its place in the list of values there; nslot 0: it is the value
} param_def;

// tests of a rubber that give its constants
typedef struct fit_def {
  txt uniaxial, biaxial, planar;
  pick terms;
} fit_def;
// as in the schema
enum {
  LAW_SVK,
  LAW_NEO_HOOKEAN,
  LAW_MOONEY_RIVLIN,
  LAW_YEOH,
  LAW_POLYNOMIAL,
  LAW_OGDEN,
  LAW_ORTHOTROPIC
};
#define POISSON_RUBBER 0.499 // of solids of rubber for which nothing is said
typedef struct material_def {
  txt name;
  num young, poisson, density, expansion;
  pick law;
  // hyperelastic: c10 c01 c20 c11 c02 c30, mu alpha of Ogden's terms
  num bulk, c[6], ogden[6];
  const pl_node *fit;
  // orthotropic: along 1 2 3, of 12 13 23
  num along[3], across[3], shear[3];
} material_def;

typedef struct grid_def {
  const pl_node *size_at, *cells;
  pick pattern;
} grid_def;
typedef struct disk_def {
  num radius;
  pick rings;
} disk_def;
typedef struct box_def {
  const pl_node *size_at, *cells;
  pick cell;
} box_def;
typedef struct voxels_def {
  txt file;
  num size, fraction, thickness, width, threshold;
  pick rule, thin;
} voxels_def;
// rods made on the spot
typedef struct line_def {
  vec from, to;
  pick segments;
} line_def;
typedef struct points_def {
  const pl_node *at;
  pick closed, segments;
} points_def;
typedef struct arc_def { // about z; a helix with pitch
  num radius, angle, pitch, turns;
  pick segments;
} arc_def;
typedef struct ball_def {
  num radius, length;
  pick level, sides;
} ball_def;
typedef struct mesh_def {
  grid_def *grid;
  disk_def *disk;
  box_def *box;
  voxels_def *voxels;
  ball_def *sphere, *cylinder;
  line_def *line;
  points_def *points;
  arc_def *arc, *helix;
  txt given;
} mesh_def;
typedef struct rotate_def {
  vec axis;
  num angle;
} rotate_def;
enum { BENDING_AUTO, BENDING_HINGE, BENDING_MIDEDGE, BENDING_SHELL6, BENDING_NONE }; // as there
typedef struct section_def {
  num round, hollow;
  const pl_node *ellipse, *rectangle, *tube;
} section_def;
typedef struct natural_def {
  const pl_node *curvature;
  num twist;
  pick straight;
} natural_def;
// what stands for one key of a kind of obstacle or a form of limit
typedef union key_value {
  num number;
  vec vector;
  pick choice; // integers too
  txt text;
  rotate_def *rotate;
  const pl_node *raw;
} key_value;
enum { LIMIT_KEY_MAX = 64 }; // of all forms
typedef struct limit_def {
  key_value v[LIMIT_KEY_MAX]; // in the order of limit_key
} limit_def;
typedef struct region_def {
  const pl_node *nodes;
  txt group, material;
  num thickness, swelling, temperature, swelling_through, temperature_through, angle;
  vec warp, weft;
  section_def *section;
  limit_def *limit;
} region_def;
// swelling along an axis
typedef struct profile_def {
  vec axis;
  const pl_node *at, *swelling, *temperature;
} profile_def;
// keys of shell, plane, solid and rod
typedef struct stretch_def {
  txt group;
  pick axis, fixed;
  num factor;
} stretch_def;
typedef struct handle_def {
  vec at, move;
} handle_def;
typedef struct morph_def {
  num radius;
  items handles;
} morph_def;
typedef struct geometry_def {
  const pl_node *mesh;
  items stretch, morph;
  txt mesh_units;
  pick refine;
  num scale, merge;
  rotate_def *rotate;
  vec translate;
  txt material, interlocking;
  num thickness, swelling, temperature, swelling_through, temperature_through, angle;
  profile_def *profile;
  txt swelling_over;
  pick bending, variant, curved, mass, order, form;
  section_def *section;
  vec up;
  natural_def *natural;
  limit_def *limit;
  vec warp, weft;
  items regions;
  num density, weight; // rigid bodies: kg/m^3, kg
} geometry_def;
typedef struct chain_def {
  vec from, to;
  pick segments;
  num stiffness, mass;
} chain_def;
typedef struct body_def {
  txt name;
  geometry_def *shell, *plane, *solid, *rod;
  geometry_def *rigid; // a solid as well, once it is loaded
  chain_def *chain;
} body_def;

typedef struct link_def {
  txt name;
  const pl_node *joints;
  num length, stiffness, mass;
} link_def;
typedef struct angle_def {
  txt name;
  const pl_node *joints;
  num stiffness;
} angle_def;
typedef struct spring_def {
  txt name;
  const pl_node *nodes, *from, *to;
  num from_offset, to_offset;
  num stiffness, quadratic, cubic, damping, rest;
} spring_def;
typedef struct mechanism_def {
  const pl_node *joints;
  items links, angles, springs;
} mechanism_def;
typedef struct stop_def {
  txt name;
  const pl_node *nodes;
  num stiffness, gap;
  pick side;
} stop_def;
typedef struct friction_def {
  txt name;
  const pl_node *nodes;
  pick law;
  num limit, mu, normal, stiffness, velocity;
} friction_def;
typedef struct table_def {
  txt name, file;
  const pl_node *nodes;
  pick of, interpolation;
  num factor;
} table_def;
typedef struct mass_def {
  txt name;
  const pl_node *node, *nodes;
  num mass, total;
} mass_def;
typedef struct potential_def {
  txt name;
  const pl_node *coefficient, *powers;
} potential_def;
typedef struct matrices_def {
  txt name;
  const pl_node *dofs, *mass, *damping, *stiffness;
} matrices_def;
typedef struct term_def {
  pick harmonic;
  vec translation;
  num angle, phase;
} term_def;
typedef struct rotation_def {
  vec axis, through;
  num amplitude, phase;
  pick harmonic;
  items terms;
} rotation_def;
typedef struct drive_def {
  txt name;
  const pl_node *node, *nodes, *fix;
  pick symmetry;
  vec translation;
  rotation_def *rotation;
  pick harmonic, clamp, off;
  num phase;
  items terms;
  txt over;
} drive_def;
// how a load goes with time
typedef struct timing_def {
  pick harmonic;
  num phase;
  txt over;
} timing_def;
typedef struct load_def {
  txt name;
  const pl_node *node, *nodes, *faces;
  vec force, total, traction, moment, acceleration;
  num pressure;
  txt given;
  num strength;
  timing_def time;
} load_def;
typedef struct tendon_def {
  txt name;
  const pl_node *through;
  num tension, pull, stiffness, slack;
  timing_def time;
} tendon_def;
typedef struct foundation_def {
  txt name;
  const pl_node *node, *nodes, *faces, *direction;
  num stiffness, total, per_area;
} foundation_def;
typedef struct join_def {
  txt name;
  const pl_node *rigid, *spread, *tie, *nodes, *faces;
  num tolerance, stiffness;
  pick moments;
} join_def;
typedef struct spin_def {
  vec axis, through;
  num rate;
} spin_def;
typedef struct initial_def {
  const pl_node *node, *nodes;
  vec displacement, velocity;
  spin_def *spin;
} initial_def;
typedef struct damping_def {
  num mass, stiffness;
  const pl_node *ratio, *at;
} damping_def;
// obstacles
typedef struct shape_def {
  key_value v[PL_KEY_MAX]; // in the order of the kind's keys
} shape_def;
typedef struct obstacle_def {
  txt name;
  shape_def *shape[PL_OBSTACLE_COUNT];
  num friction;
  vec velocity;
} obstacle_def;
typedef struct ring_def {
  vec centre, axis;
  num radius, wire, height;
} ring_def;
typedef struct chain_link_def {
  vec centre, axis, along;
  num radius, straight, wire;
} chain_link_def;
typedef struct harmonic_def {
  vec cosine, sine;
} harmonic_def;
typedef struct curve_def {
  vec centre;
  num wire;
  items harmonics;
} curve_def;
typedef struct plate_def { // and capsules
  const pl_node *points;
  num radius;
  pick closed;
} plate_def;
typedef struct mesh_piece_def {
  const pl_node *file;
  txt mesh_units;
  num radius, scale;
} mesh_piece_def;
typedef struct piece_def {
  ring_def *ring;
  chain_link_def *link;
  curve_def *curve;
  plate_def *plate, *capsules;
  mesh_piece_def *mesh;
} piece_def;
typedef struct mail_element_def {
  txt name;
  items pieces;
} mail_element_def;
typedef struct cell_def {
  txt element;
  vec at;
  rotate_def *rotate;
} cell_def;
typedef struct own_mail_def {
  items elements, cell;
  vec a, b;
} own_mail_def;
typedef struct facets_def {
  pick segments, points;
  const pl_node *rot;
} facets_def;
typedef struct mail_def {
  txt name;
  num density, printable_gap;
  facets_def *facets;
  shape_def *family[PL_MAIL_COUNT];
  own_mail_def *own;
} mail_def;
typedef struct patch_pick_def { // some elements of a patch
  pick edge;
  vec near, from, to, force;
  const pl_node *elements;
} patch_pick_def;
typedef struct patch_def {
  txt name, of;
  num disk;
  pick shells;
  const pl_node *cells, *rectangle, *outline;
  rotate_def *rotate;
  vec at;
  items held, loads;
} patch_def;
typedef struct contact_def {
  const pl_node *node, *nodes;
  num radius, friction;
} contact_def;
typedef struct self_contact_def {
  num thickness, friction;
  pick exact;
} self_contact_def;
typedef struct output_def {
  pl_output_opts opts;
} output_def;

typedef struct root_def {
  txt title, files;
  const pl_node *format, *units, *dimension_at, *nodes, *sets, *fixed, *probe, *analyses;
  items parameters, materials, bodies;
  mechanism_def *mechanism;
  items springs, stops, friction, tables, masses, potentials, matrices, drives, loads, initial;
  items tendons, foundations, joins;
  items obstacles, contact, interlocking, patches;
  self_contact_def *self_contact;
  vec gravity;
  num weld;
  damping_def *damping;
  output_def *output;
} root_def;

typedef struct projection_def {
  pl_project_opts opts;
} projection_def;

// an analysis besides its options
typedef struct analysis_def {
  txt name, about, of, material, record;
  const pl_node *probe, *data, *parameters;
  const pl_node *frequencies, *variables, *objectives, *set, *along, *response, *proof;
  const pl_node *compare, *compare_steps, *measured;
  const pl_node *control, *control_value, *change;
  items vary, goals, verify;
  struct search_scatter_def *scatter;
  pick weights;
  projection_def *projection;
  const pl_node *at;
  pl_analysis a;
} analysis_def;

typedef struct search_variable_def {
  txt name;
  const pl_node *path, *min, *max;
  pick scale;
} search_variable_def;
typedef struct search_goal_def {
  txt figure;
  const pl_node *target, *at_least, *at_most, *within, *modulo, *scale;
  txt is;
  pick maximise, minimise;
  num weight;
} search_goal_def;
typedef struct search_key_def {
  txt name;
  const pl_node *path, *by;
  pick shape;
} search_key_def;
typedef struct search_scatter_def {
  pick runs, during;
  items of;
} search_scatter_def;
typedef struct search_check_def {
  txt name;
  const pl_node *set;
} search_check_def;

typedef struct objective_def {
  txt name;
  const pl_node *given[PL_OBJECTIVE_COUNT]; // one of them: the kind
  txt own;                                  // or one that a program gives
  const pl_node *goal;
  const pl_node *node, *nodes, *axes, *at, *of;
  num weight;
  pl_objective o; // filled by the keys of its kind
} objective_def;
typedef struct variable_def {
  txt name;
  const pl_node *min, *max;
  pick scale;
} variable_def;
typedef struct along_def {
  const pl_node *amplitude, *axes, *change;
} along_def;
typedef struct response_def {
  pl_response_opts opts;
} response_def;
typedef struct proof_def {
  pl_proof_opts opts;
} proof_def;

typedef struct data_def {
  txt file;
  num frequency;
} data_def;

typedef struct measured_def {
  txt file, unit;
  const pl_node *probe;
  pick quantity, per, amplitude, harmonic, sweep, noise, function;
  num from, to;
} measured_def;

typedef struct mail_goal_def {
  num stretch, shrink, play, curvature_up, curvature_down, asymmetry, weight;
  const pl_node *angle;
  pick isotropic;
} mail_goal_def;
typedef struct mail_variable_def {
  txt name;
  const pl_node *min, *max;
} mail_variable_def;

typedef struct measured_limits_def {
  txt file, name, note;
} measured_limits_def;

// tables (schema*.c)
extern const map_keys map_root, map_mesh, map_fixed, map_data, map_each, map_rotate, map_body;
extern const map_keys map_stop, map_friction, map_table;
extern const map_keys map_load, map_tendon, map_foundation, map_join;
extern const map_keys map_mail, map_measured_limits, map_mail_goal, map_mail_variable, map_patch;
extern const map_keys map_obstacle, map_contact, map_self_contact;
extern const map_keys map_search_variable, map_search_goal, map_search_scatter, map_search_check;
extern const map_keys map_limit, map_region, map_projection, map_section;
// schema_material.c
extern const map_keys map_material, map_fit, map_profile;
extern const map_keys map_measured, map_objective, map_variable, map_along, map_design_response,
    map_proof;
extern const map_keys map_analysis[PL_ANALYSIS_COUNT];
// Rows of a mapping, with unit, default, range and text of those of T_PAR looked up.
int map_nrow(const map_keys *m);
row map_row(const map_keys *m, int k);
const char *map_text(const map_keys *m);
// The row of one key, whose value is that of this number.
row key_row(const pl_key *k, int number);
// Keys of all forms of limits, each once; NULL: there are no more.
const pl_key *limit_key(int k);
// Number of a key in one form, -1: it is not for it.
int limit_form_key(const pl_limit_form *f, const char *name);
// Keys that a kind of objective takes besides name and weight.
void objective_keys(const pl_objective_kind *kind, pl_text *out);
// choices "a|b|c": the k-th into out; returns 0 when there is none
int choice_name(const char *choices, int k, char *out, size_t size);

#endif
