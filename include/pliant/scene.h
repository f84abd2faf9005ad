#ifndef PLIANT_SCENE_H
#define PLIANT_SCENE_H

#include "pliant/base.h"
#include "pliant/build.h"
#include "pliant/design.h"
#include "pliant/linkage.h"
#include "pliant/mesh.h"
#include "pliant/model.h"
#include "pliant/harmonic.h"
#include "pliant/interlock.h"
#include "pliant/limit.h"
#include "pliant/solve.h"

PL_DECLS_BEGIN

// ---- analyses ---------------------------------------------------------------------------------

// The one place where an analysis is named: enum, scene key, options struct and option table. The
// struct is pl_<name>_opts, the table pl_<name>_option_table. A(name, key, text)
#define PL_ANALYSIS_LIST(A)                                                                        \
  A(static, "static", "equilibrium under constant loads, and whether it is stable")                \
  A(modes, "modes", "natural frequencies and mode shapes, about rest or about a static state")     \
  A(transient, "transient", "motion in time, by Newmark, implicit Euler, BDF2 or within limits")   \
  A(jump, "jump", "launch, flight, landing and bounces of one free body until it rests")           \
  A(drape, "drape", "equilibrium of cloth within its limits of stretch, under constant loads")     \
  A(periodic, "periodic", "steady motion at one frequency, by harmonic balance")                   \
  A(response, "response", "frequency response by harmonic balance, through folds")                 \
  A(backbone, "backbone", "free undamped motions of growing size (nonlinear normal mode)")         \
  A(fit_damping, "fit-damping", "damping and parameters from measured steady motions")             \
  A(fit_response, "fit-response", "parameters from measured frequency responses, with bands")      \
  A(explore, "explore", "what small changes of parameters do to a steady motion")                  \
  A(design, "design", "parameters within bounds for which steady motions reach a goal")            \
  A(load_path, "path", "equilibria followed by arclength as the load grows, through folds")        \
  A(limits, "limits", "how far an interlocking material stretches and shrinks, in all directions") \
  A(mail_design, "mail-design", "shape of an interlocking material whose limits reach a goal")     \
  A(native, "native", "where a patch of linked elements comes to rest")                            \
  A(macro, "macro", "the same as a sheet within the limits of the material")                       \
  A(coarsen, "coarsen", "the largest voxels that keep the first mode shapes, and their modulus")   \
  A(search, "search", "values of the scene's keys for which figures of other analyses reach goals")

#define A(name, key, text) PL_ANALYSIS_##name,
enum { PL_ANALYSIS_LIST(A) PL_ANALYSIS_COUNT };
#undef A

#define PL_LIMITS_OPTS(X, C)                                                                       \
  X(int, directions, 36, 1, 3600, "", "angles over half a turn")                                   \
  X(int, boundary, 0, 0, 5, "",                                                                    \
    "strains of all kinds, too, shear included: 12, 42, 162, 642, 2562 "                           \
    "rays; 0: none")                                                                               \
  C(bending, 0, "no|yes", "curvatures, too: cylinders of either sign along each angle")            \
  X(int, patch, 0, 0, 15, "",                                                                      \
    "double curvature, too: paraboloids of a disk with so many elements across; 0: none")          \
  X(int, patch_boundary, 0, 0, 4, "",                                                              \
    "curvatures of all kinds of that disk (of 5 when left out), twist included: 12, 42, 162, 642 " \
    "rays; 0: none")                                                                               \
  X(int, copies, 1, 1, 4, "", "cells along each lattice vector that move on their own")            \
  X(int, starts, 6, 1, 60, "", "ways to the shortest state that are tried; the best one counts")   \
  X(int, sweep, 0, 0, 500, "",                                                                     \
    "strains without shear along each angle and across it, too: half the rays of an angle; 0: "    \
    "none")                                                                                        \
  C(mode, 0, "taut|paper",                                                                         \
    "taut: the limit itself; paper: the strain that is drawn to a target against the repulsion")   \
  X(double, stiffness, 1e-3, 1e-9, 1e-3, "", "mode paper: of the repulsion")                       \
  X(double, target, 0.5, 0.01, 10, "", "mode paper: strain, out of reach")                         \
  C(symmetry, 1, "no|yes", "limits that symmetry makes of others are not solved again")            \
  C(gradients, 0, "no|yes", "derivatives of all limits by the keys of the material's family")      \
  X(int, refine, 0, 0, 4, "",                                                                      \
    "a material with facets: its longest limits once more with twice as many, four times and so "  \
    "on, so many times, and without facets; 0: none")                                              \
  C(states, 0, "no|yes",                                                                           \
    "tables of the poses of all elements in every limit, and of its contacts")                     \
  X(int, joint, 0, 0, 360, "",                                                                     \
    "strain and curvature at once: pairs of limits along so many angles over half a turn, on the " \
    "disk of patch (of 5 when left out); 0: none")                                                 \
  PL_TAUT_OPTS(X, C)

typedef struct pl_limits_opts {
  PL_LIMITS_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_limits_opts;
extern const pl_option pl_limits_option_table[];
extern const int pl_limits_option_count;

#define PL_MAIL_DESIGN_OPTS(X, C)                                                                  \
  X(int, directions, 12, 1, 360, "",                                                               \
    "angles over half a turn, of goals for all directions; a third of those of the curves")        \
  X(double, gap, 0, 0, 1, "m",                                                                     \
    "smallest gap of the reference state, at least, so that it can be printed; 0: a fiftieth of "  \
    "the thinnest wire")                                                                           \
  X(double, thinnest, 0, 0, 1, "m", "radius of the thinnest wire, at least")                       \
  X(double, mass, 0, 0, 1e6, "kg/m^2", "mass per area at rest, at most; 0: any")                   \
  X(int, copies, 1, 1, 4, "", "cells along each lattice vector that move on their own")            \
  X(int, starts, 6, 1, 60, "", "ways to a shortest state that are tried; the best one counts")     \
  X(int, steps, 40, 1, 1000, "", "of the design, at most")                                         \
  X(double, tol, 1e-4, 1e-12, 1, "",                                                               \
    "stop when a step changes strains by less, over those wanted")                                 \
  PL_TAUT_OPTS(X, C)

typedef struct pl_mail_design_opts {
  PL_MAIL_DESIGN_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_mail_design_opts;
extern const pl_option pl_mail_design_option_table[];
extern const int pl_mail_design_option_count;

#define PL_NATIVE_OPTS(X, C)                                                                       \
  PL_REST_OPTS(X, C)                                                                               \
  X(double, duration, 0, 0, 1e6, "s",                                                              \
    "time that is followed, with friction, from rest; 0: the patch comes to rest without")         \
  X(double, step, 0.01, 1e-9, 1e3, "s", "time: of implicit Euler; halved where it must be")        \
  X(double, friction, 0.3, 0, 10, "", "time: coefficient of elements; obstacles have their own")   \
  X(double, creep, 0, 0, 1e3, "m/s",                                                               \
    "time: speed up to which friction grows to its limit; 0: 1e-3 sqrt(g thinnest wire)")          \
  X(double, damping, 0, 0, 1e6, "1/s", "time: of all motion, over its mass")                       \
  X(double, moving_weight, 1e-3, 1e-10, 0.1, "", "time: weight of the repulsion")

typedef struct pl_native_opts {
  PL_NATIVE_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_native_opts;
extern const pl_option pl_native_option_table[];
extern const int pl_native_option_count;

#define PL_MACRO_OPTS(X, C)                                                                        \
  X(int, refine, -1, -1, 6, "",                                                                    \
    "how often triangles are cut in four; -1: as long as there are at most 480 of them")           \
  X(double, young, 0, 0, 1e9, "Pa",                                                                \
    "Young's modulus of the sheet while it is slack (the thesis: 1250 Pa); 0: twice the mean "     \
    "stress of gravity and loads, their sum over its thickness times its length")                  \
  X(double, poisson, 0.4, -0.999, 0.499, "", "Poisson's ratio of it")                              \
  X(double, weight, 1e-6, 1e-12, 1e-2, "",                                                         \
    "last weight of the barriers, over Young's modulus times thickness")                           \
  X(double, rtol, 1e-6, 0, 1, "", "stop when the residual is below rtol times the forces")         \
  X(int, max_iter, 2000, 1, 100000, "", "Newton iterations a weight at most")                      \
  C(joint, 0, "no|yes",                                                                            \
    "elements themselves are brought as near to the sheet as they come, and let go from there: "   \
    "tells where separate limits of strain and curvature lie")

typedef struct pl_macro_opts {
  PL_MACRO_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_macro_opts;
extern const pl_option pl_macro_option_table[];
extern const int pl_macro_option_count;

#define PL_EXPLORE_OPTS(X, C)                                                                      \
  X(double, frequency, 0, 0, 1e9, "rad/s", "base frequency of drives and loads")                   \
  X(int, harmonics, 0, 0, 64, "", "harmonics of the motion; 0 or auto: raised until it stays")     \
  X(int, samples, 0, 0, 4096, "", "time samples a period; 0: free of aliasing")                    \
  X(double, adapt, 1e-3, 0, 1, "", "harmonics: change of a motion over its length that is small")  \
  X(int, max_harmonics, 24, 1, 64, "", "harmonics: most")                                          \
  C(branch, 0, "any|lower|middle|upper|near|integer",                                              \
    "which motion where there are several: smallest, middle, largest, see near, or its number "    \
    "from 1, the smallest, on")                                                                    \
  X(double, near, 0, 0, 1e9, "m", "branch near: its largest deviation from the mean is closest")   \
  X(double, rtol, 1e-9, 0, 1, "", "motions: residual below rtol times the dynamic forces")         \
  X(int, cuts, 8, 1, 100, "", "motions: solutions tried on the way to the new values")             \
  C(resolve, 1, "no|yes", "solve the motion at the new values, too")                               \
  C(apply, 0, "no|yes", "the analyses that follow use the new values")

typedef struct pl_explore_opts {
  PL_EXPLORE_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_explore_opts;
extern const pl_option pl_explore_option_table[];
extern const int pl_explore_option_count;

#define PL_COARSEN_OPTS(X, C)                                                                      \
  X(int, modes, 4, 1, 20, "", "mode shapes that are kept, lowest first, rigid motions left out")   \
  X(double, tolerance, 0.05, 0, 1, "",                                                             \
    "largest distance of corresponding points over the largest displacement of a mode")            \
  X(double, mac, 0.95, 0, 1, "", "least modal assurance criterion of the shapes")                  \
  X(double, coarsest, 0, 0, 1e9, "m", "largest edge that is tried; 0: 8 times that of the scene")  \
  X(int, trials, 7, 1, 24, "", "sizes that are tried, by bisection")                               \
  X(double, frequency, 0, 0, 1e9, "rad/s",                                                         \
    "measured frequency of the first mode, of free vibration; 0: that of the fine mesh")           \
  X(double, decay, 0, 0, 1e9, "1/s", "measured rate d of its decay exp(-d t)")                     \
  X(double, start, 0, -1e9, 1e9, "s", "record: time from which on it is a free decay")             \
  C(plain, 0, "no|yes", "coarse meshes of plain hexahedra, which are too stiff in bending")

typedef struct pl_coarsen_opts {
  PL_COARSEN_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_coarsen_opts;
extern const pl_option pl_coarsen_option_table[];
extern const int pl_coarsen_option_count;

// The options of the optimiser and a few of its own.
#define PL_DESIGN_OPTS(X, C)                                                                       \
  X(double, frequency, 0, 0, 1e9, "rad/s", "base frequency of drives and loads; or frequencies")   \
  PL_OPTIMISE_OPTS(X, C)                                                                           \
  C(apply, 0, "no|yes", "the analyses that follow use the values found")

typedef struct pl_design_opts {
  PL_DESIGN_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_design_opts;
extern const pl_option pl_design_option_table[];
extern const int pl_design_option_count;

typedef struct pl_analysis_kind {
  const char *name, *text;
  const pl_option *option; // options, with offsets into pl_analysis.opts
  const int *noption;
} pl_analysis_kind;
extern const pl_analysis_kind pl_analysis_table[PL_ANALYSIS_COUNT];

// A place whose motion is recorded.
typedef struct pl_probe {
  const char *name;
  int node;
  int component; // 0..dim-1, -1: all
} pl_probe;

// A file of measurements.
typedef struct pl_data_file {
  const char *path;
  double frequency; // rad/s; 0: that of the analysis
} pl_data_file;

// How the scene writes a design parameter.
typedef struct pl_shown {
  const char *unit; // as in the scene; SI where it is bare
  double factor;    // one such unit in SI
} pl_shown;

// A measured motion of one place, evenly sampled.
typedef struct pl_record {
  const char *file;    // as the scene names it
  const char *path;    // where it was found
  const char *unit;    // of its values, "" where the file names none
  int line;            // of its first sample
  int n;               // samples from the start that is wanted on
  double first, step;  // s: time of the first sample, and from one to the next
  const double *value; // [n] in units of the file
} pl_record;

// A measured frequency response as it stands in a file.
typedef struct pl_measured {
  const char *file, *probe; // as the scene names them
  const char *unit;         // of the file's amplitudes
  double factor;            // one such unit in SI
  pl_frf f;                 // in SI
} pl_measured;

// A change of all variables along the gradient of a node's amplitude.
typedef struct pl_along {
  const char *name;
  int node, mask; // mask 0: all axes
  double change;  // wanted of the amplitude, to first order
  int relative;   // change is a part of the amplitude, else m
} pl_along;

// What a design or an exploration is about, besides its options.
typedef struct pl_design_plan {
  pl_design_problem problem; // explore: one operating point; peaks and folds
  int respond, prove;        // 1: response curves before and after are wanted, and proof
  pl_response_opts response; // from, to 0: half to twice the frequencies, with bounded work
  pl_proof_opts proof;
  const double *set; // explore: [nvariable] new values, NaN: as it is
  int nalong;
  const pl_along *along;
} pl_design_plan;

// How limits of stretch are kept, and what a motion of cloth is compared with.
typedef struct pl_cloth_plan {
  pl_project_opts project;
  int plain; // 1: distances without masses
  int nmethod, nstep;
  const int *method;  // [nmethod] further methods from the same start
  const double *step; // [nstep] s; the same method with other steps
} pl_cloth_plan;

// A key of the scene, or several that have the same value, which a search changes.
typedef struct pl_search_variable {
  const char *name;
  int npath;
  const char *const *path; // [npath] as in overrides
  const char *unit;        // that values are written with; "": they are bare
  double lo, hi, start;    // in that unit
  int log;                 // 1: by ratios
} pl_search_variable;

typedef enum pl_search_aim {
  PL_AIM_TARGET,
  PL_AIM_LEAST,
  PL_AIM_MOST,
  PL_AIM_UP,
  PL_AIM_DOWN
} pl_search_aim;

enum { PL_SEARCH_GOALS = 20 }; // at most

// What a figure of an analysis is to be.
typedef struct pl_search_goal {
  const char *figure; // "launch.flight.rise_m"
  int analysis;       // that has it
  const char *key;    // behind the name of the analysis: "flight.rise_m"
  const char *word; // NULL: the figure is a number; else it counts 1 where it is this word, 0 else
  pl_search_aim aim;
  double value;  // in the unit of the figure, as the following
  double within; // a target is hit within it; 0: that is not judged
  double modulo; // 0: none
  double scale;  // that differences are divided by
  int scale_given;
  double weight;
} pl_search_goal;

// A key whose value scatters about what the scene or the design gives it.
typedef struct pl_search_scatter {
  const char *name;
  int variable; // of the search; -1: none
  int npath;
  const char *const *path;
  const char *unit;
  double value; // of the scene
  double by;    // standard deviation, or half the width
  int relative; // by is a part of the value
  int uniform;
} pl_search_scatter;

// The best design once more with other values of some keys.
typedef struct pl_search_check {
  const char *name;
  int nset;
  const char *const *set; // [nset] overrides
} pl_search_check;

typedef struct pl_search_plan {
  int nvariable, ngoal, nscatter, ncheck;
  const pl_search_variable *variable;
  const pl_search_goal *goal;
  const pl_search_scatter *scatter;
  const pl_search_check *check;
  int runs, during; // scattered runs of the best design; of every design
} pl_search_plan;

typedef struct pl_analysis {
  int kind;         // PL_ANALYSIS_static ...
  const char *name; // unique in the scene; the kind's name unless given
  int line, col;    // where it stands in the scene file
  int about;        // index of the earlier static or drape whose state is the start; -1: rest
  union {
#define A(name, key, text) pl_##name##_opts name##_;
    PL_ANALYSIS_LIST(A)
#undef A
  } opts; // opts.static_, opts.modes_, opts.transient_
  int nprobe;
  const pl_probe *probe; // the analysis's own, then the scene's
  // fit-damping: measurements, and design parameters that are fitted
  int ndata, nparameter;
  const pl_data_file *data;
  const int *parameter;
  const pl_design_plan *plan; // explore, design, fit-response; nodes of objectives are probed
  int nmeasured;              // response, fit-response
  const pl_measured *measured;
  const pl_cloth_plan *cloth; // transient, drape; else NULL
  int mail;                   // limits, mail-design: the interlocking material
  int nmeasured_limits;
  const struct pl_measured_limits *measured_limits;
  const struct pl_mail_plan *mail_plan; // mail-design
  int patch;                            // native, macro: the patch
  const char *material;                 // macro: a file; NULL: what the analysis `limits` writes
  int limits;
  int control;                  // path: the design parameter that is followed, -1: loads and drives
  double control_value;         // where it goes
  const struct pl_stage *stage; // loads, drives and gravity where they are not the scene's; NULL
  const pl_record *record;      // coarsen: a measured decay; NULL: none
  const pl_search_plan *search; // search
} pl_analysis;

// ---- output -----------------------------------------------------------------------------------

#define PL_OUTPUT_OPTS(X, C)                                                                       \
  C(csv, 1, "no|yes", "curves as CSV, one file each")                                              \
  C(vtu, 1, "no|yes", "VTU and PVD files of the motion, for ParaView")                             \
  C(glb, 1, "no|yes", "an animation that any 3D viewer plays")                                     \
  C(plots, 1, "no|yes", "SVG plots")                                                               \
  C(report, 1, "no|yes", "report.html with everything in it")                                      \
  C(npz, 0, "no|yes",                                                                              \
    "results.npz: tables, figures, shapes and motions in one file for numpy.load, see "            \
    "[formats](convert.md)")                                                                       \
  C(stress, 1, "no|yes|history",                                                                   \
    "stress at nodes in VTU files, the largest and an estimate of the error in the summary; "      \
    "history: in tables at watched places, too")                                                   \
  X(int, frames, 60, 1, 100000, "", "pictures of a motion, at most")                               \
  X(double, every, 0, 0, 1e9, "s", "time between rows of a transient's CSV; 0: every step")        \
  X(double, exaggerate, 1, 0, 1e12, "", "factor on displacements in pictures; 0: chosen to show")

typedef struct pl_output_opts {
  PL_OUTPUT_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_output_opts;
extern const pl_option pl_output_option_table[];
extern const int pl_output_option_count;

// Metres in a unit of length such as "mm"; 0: it is none.
double pl_length_unit(const char *text);

// ---- the scene --------------------------------------------------------------------------------

// A named set of nodes, never empty.
typedef struct pl_node_set {
  const char *name;
  int n;
  const int *node; // [n] ascending
} pl_node_set;

// A group of a body's mesh, by the name that its file or generator gives it.
typedef struct pl_scene_group {
  const char *name;
  int n; // nodes
} pl_scene_group;

// A body: its nodes in the order of its mesh.
typedef struct pl_scene_body {
  const char *name;
  const char *kind; // "shell", "plane", "solid", "rigid", "chain" or "rod"
  int n;
  const int *node; // [n]
  int ngroup;
  const pl_scene_group *group;
  int npiece;                  // parts of the mesh that do not hang together
  const pl_voxel_info *voxels; // NULL: it is not made of voxels
  double density;              // kg/m^3, of a solid of one material; 0: not known
} pl_scene_body;

typedef struct pl_scene_material {
  const char *name, *law;
  double young, poisson, density; // Pa, -, kg/m^3
} pl_scene_material;

// A limit of stretch as the scene gives it, for reports.
typedef struct pl_limit_note {
  const char *name; // of the body; of a region "BODY-2" and so on
  const char *text; // "1 % in all directions"
  pl_polar curve;   // as it stands in its file; n 0: none was given
} pl_limit_note;

// Limits of an interlocking material that were measured or published.
enum { PL_STRAIN_MAX, PL_STRAIN_MIN, PL_PLAY, PL_MEASURED_LIMITS }; // kinds of limits
typedef struct pl_measured_limits {
  const char *file, *name, *note; // of the scene; in the legend; a sentence for the report, or NULL
  int n;
  const double *angle;                         // [n] rad, from 0 to below half a turn
  const double *value[PL_MEASURED_LIMITS];     // [n] strains; NULL: was not measured
  const double *deviation[PL_MEASURED_LIMITS]; // [n] standard ones; NULL: not known
} pl_measured_limits;

// Further limits that a design may want: the largest curvatures of cylinders up and down, and how
// many times the first is the second.
enum { PL_CURVATURE_UP = PL_MEASURED_LIMITS, PL_CURVATURE_DOWN, PL_ASYMMETRY, PL_DESIGN_LIMITS };

// What limits of an interlocking material are wanted.
typedef struct pl_mail_goal {
  int limit;           // PL_STRAIN_MAX ... PL_ASYMMETRY
  int alike;           // 1: the same in its directions, whatever it is
  int nangle;          // of its directions; 0: all of the design
  const double *angle; // [nangle] rad
  double value;        // of the strain, the play, the curvature (1/m) or the ratio
  double weight;
} pl_mail_goal;

typedef struct pl_mail_variable {
  int key; // of the family
  double lo, hi;
} pl_mail_variable;

typedef struct pl_mail_plan {
  int nvariable, ngoal;
  const pl_mail_variable *variable;
  const pl_mail_goal *goal;
} pl_mail_plan;

// An interlocking material.
typedef struct pl_scene_mail {
  const char *name, *family; // of the scene; in words
  const pl_mail *m;
  const pl_mail *smooth; // of one with facets: without them; NULL: m has none
  pl_facet_plan facets;
  const pl_mail_family *of; // what it was made by, of value[of->nkey]; NULL: no key can change it
  const double *value;
  double gap;            // smallest one at rest, m
  int links, most_links; // of an element, at least and at most
  int nlink;             // pairs of elements that are linked
  const pl_mail_link *link;
  double density;            // kg/m^3, of what elements are made of
  const double *kind_volume; // [m->nkind] of an element, m^3
  double volume, area;       // of the elements of a cell, and of the cell: m^3, m^2
  int volume_is_upper;       // 1: what pieces share counts for each
  double printable_gap;      // m; 0: it is not to be printed
} pl_scene_mail;

// A patch of one, without obstacles: those of the scene are all there.
typedef struct pl_scene_patch {
  const char *name;
  int mail, nheld, nloaded; // elements
  double mass;              // kg
  pl_patch p;
  const pl_cut_element *cut; // [p.n] in the plane of the material
  double rot[9], at[3];      // rotation and place of that plane
} pl_scene_patch;

typedef struct pl_scene pl_scene;
struct pl_scene {
  pl_env *env;
  const char *path, *folder; // of the scene file; file names in the scene are relative to folder
  const char *title;         // "" when not given
  int nfile;
  const char *const *file; // [nfile] files beside the scene that were read
  int nremark;
  const pl_diag *remark; // [nremark] warnings that were told while it was read
  int dim;
  double length; // m, the scene's unit of length
  // All drawable things; its vertices are the model's nodes in their order (the model may have more
  // behind them: copies that clamps of shells carry). Bodies give their cells, links and springs
  // segments; in one dimension there are nodes only.
  pl_mesh *mesh;
  const pl_group_cells *cells; // [ngroup] which of its cells the groups of the model are
  int nset, nbody, nprobe, nanalysis, nmail, npatch;
  const pl_scene_mail *mail;
  const pl_scene_patch *patch;
  const pl_node_set *set;
  const pl_scene_body *body;
  const pl_probe *probe;
  const pl_analysis *analysis; // in the order of the file
  // What the model was made of, with the initial values of parameters; without terms: fixed.
  int nmaterial, ndrive, nload;
  const pl_scene_material *material;
  const pl_drive_desc *drive;
  const pl_load_desc *load;
  const pl_load_form *load_form; // [nload]
  double gravity[3];             // m/s^2
  // What loads on faces, moments, tendons and beds come to: lines for `check` and reports.
  int nload_note;
  const char *const *load_note;
  pl_output_opts output;
  pl_model *model;
  pl_params *params;     // initial values
  const pl_shown *shown; // [ndesign]
  // Start of transients from rest: displacement and velocity of every unknown, NULL: none.
  const double *u0, *v0;            // [nq]
  pl_contact_desc contact;          // nnode 0: none
  const char *const *obstacle_name; // [contact.nobstacle], all different
  // Self contact of all shells, over all nodes of the model; ntri 0: none.
  pl_layers_desc layers;
  // Shells with limits of stretch, over all nodes of the model; nlimit 0: none. Its weights are
  // NULL: they are those of the analysis.
  pl_sheet_desc sheet;
  const int *sheet_cell;           // [sheet.ntri] triangle of the mesh
  const pl_limit_note *limit_note; // [sheet.nlimit]
  struct scene_impl *impl;
};

// What a scene names by `given: NAME`: a mesh of a body, a kind of objective with the data of its
// objectives, or a load. It stays the caller's, who keeps it as it is until the scene, and those
// that were made of it by pl_scene_again, are freed.
typedef struct pl_scene_given {
  const char *name;
  const pl_mesh *mesh;                // NULL: it is none
  const pl_objective_kind *objective; // the same
  const void *data;
  // Elements of one node and, last, the strength as a scalar unknown, for scenes of dimension 1, 2
  // and 3, with one parameter and its value. NULL: it is no load.
  const pl_elem_kind *load;
  double par;
} pl_scene_given;

// What a scene may cost, for fuzzers and services, and what it is given besides files. NULL where
// it is asked for: the defaults.
typedef struct pl_scene_limits {
  int yaml_nodes;   // entries of the file, default a million
  int nodes;        // of the model, default 20 million
  int no_files;     // 1: refuse to open mesh and matrix files
  const char *root; // folder beyond which no file is read, symbolic links resolved; NULL: anywhere
  int ngiven;
  const pl_scene_given *given; // [ngiven]
} pl_scene_limits;

// Reads a scene file, applies overrides `path=value` (set[nset], may be NULL), checks it and builds
// its model. Problems go to env->diag as errors with file, line, column and hint, up to 20 of them;
// then PL_E_INPUT (scene or mesh is wrong) or PL_E_IO (the scene file cannot be read).
pl_status pl_scene_load(pl_env *env, const char *path, int nset, const char *const *set,
                        pl_scene **out);
// The same within limits: with a root, the scene file must lie in it, too.
pl_status pl_scene_load_limited(pl_env *env, const char *path, int nset, const char *const *set,
                                const pl_scene_limits *limits, pl_scene **out);
// The same from memory; name stands in messages, folder is where files are looked for.
pl_status pl_scene_parse(pl_env *env, const char *name, const char *folder, const char *data,
                         size_t size, int nset, const char *const *set,
                         const pl_scene_limits *limits, pl_scene **out);
// Builds a scene again with further overrides and without its searches: the same as the scene as
// run gives, read with them, at about the cost of building it. Files are read anew, within the
// limits that it was read within. The new scene lives on its own.
pl_status pl_scene_again(pl_env *env, const pl_scene *s, int nset, const char *const *set,
                         pl_scene **out);
// An analysis `explore` in the place of those that the scene has.
typedef struct pl_exploration {
  const char *frequency, *harmonics; // NULL: of the first explore, design or periodic analysis
  int nset;
  const char *const *set; // new values NAME=VALUE of parameters, and overrides as in pl_scene_load
  int nalong;
  const char *const *along; // amplitude:NODE=CHANGE
} pl_exploration;
// Reads a scene to be explored. PL_E_ARG: an entry of set or along is not understood, or nothing
// says the frequency.
pl_status pl_scene_load_explore(pl_env *env, const char *path, const pl_exploration *e,
                                const pl_scene_limits *limits, pl_scene **out);
// The same from memory, as pl_scene_parse.
pl_status pl_scene_parse_explore(pl_env *env, const char *name, const char *folder,
                                 const char *data, size_t size, const pl_exploration *e,
                                 const pl_scene_limits *limits, pl_scene **out);
void pl_scene_free(pl_scene *s);

// The scene as run: YAML with the overrides in it, which loads to the same model.
void pl_scene_write(const pl_scene *s, pl_text *out);
// The same with other values of the design parameters design[ndesign] (NULL: as they are) and
// further overrides. Only what differs from the scene's own values is changed.
pl_status pl_scene_write_design(const pl_scene *s, const double *design, int nset,
                                const char *const *set, pl_text *out);

// The same with further overrides and without its searches: what a search found, to be run.
pl_status pl_scene_write_found(const pl_scene *s, int nset, const char *const *set, pl_text *out);

// What its model was made by, for models with other loads and supports (pl_build_stage).
const pl_builder *pl_scene_builder(const pl_scene *s);

// Index of a named set, of the named nodes or of an analysis; -1: no such name.
int pl_scene_find_set(const pl_scene *s, const char *name);
int pl_scene_find_analysis(const pl_scene *s, const char *name);
// Node of a name, -1: none.
int pl_scene_find_node(const pl_scene *s, const char *name);

// What `pliant check` tells.
typedef struct pl_scene_counts {
  int nodes, dofs, free_dofs;
  int elements[PL_ELEM_COUNT]; // per kind
  double mass;                 // kg, all
  int point_masses;            // and their sum
  double point_mass;
  double lo[3], hi[3]; // box of the nodes, m
} pl_scene_counts;
void pl_scene_count(const pl_scene *s, pl_scene_counts *out);
// The same in words, several lines: counts, materials, groups, sets, supports, drives, loads,
// parameters with bounds, analyses; values in SI and in units that read well.
void pl_scene_describe(const pl_scene *s, pl_text *out);
// What that has of one drive or support, and of one load, without its name and the end of the line.
void pl_scene_describe_drive(const pl_scene *s, int drive, pl_text *out);
void pl_scene_describe_load(const pl_scene *s, int load, pl_text *out);
// Unknowns that a drive prescribes, and on how many nodes.
int pl_drive_size(const pl_scene *s, const pl_drive_desc *d, int *nnode);
// The name of a group as a selector must write it: in quotes unless it is a plain word.
const char *pl_group_quote(const char *name, char *out, size_t size);

// ---- made from the schema ---------------------------------------------------------------------

// Commented starter scenes that run as they are, for `pliant new KIND`.
typedef struct pl_scene_starter {
  const char *name, *text; // one line
  const char *yaml;
} pl_scene_starter;
extern const pl_scene_starter pl_scene_starters[];
extern const int pl_scene_starter_count;

// The scene reference (docs/scene-reference.md) as Markdown.
void pl_scene_reference(pl_text *out);

// A JSON Schema (draft 2020-12) of scenes, for editors.
void pl_scene_schema(pl_text *out);

// One option of a scene mapping, for completion of --set paths: path "analyses.static.rtol" and so
// on, called for every key of the schema.
void pl_scene_paths(void (*each)(void *ctx, const char *path, const char *text), void *ctx);

PL_DECLS_END

#endif
