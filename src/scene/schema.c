#include "schema.h"

#include <string.h>

// Every mapping of the scene format: this drives parsing, hints, range checks, --set completion and
// the reference page. Rows are read in their order.

static const row parameter_rows[] = {
    ROW(param_def, value, "value", T_RAW, .need = 1, .choices = "value",
        .text = "initial value; its dimension follows from where $name is used"),
    ROW(param_def, min, "min", T_RAW, .choices = "value",
        .text = "lower bound for design; none when left out"),
    ROW(param_def, max, "max", T_RAW, .choices = "value",
        .text = "upper bound for design; none when left out"),
};
static const map_info map_parameter = {
    .what = "parameter",
    .text = "A number with a name, to be used as `$name` wherever a model quantity is wanted: "
            "masses, stiffnesses, materials, coordinates, drives, loads, damping. Also as "
            "`2*$name`, `$name/3`, `$name + 2 mm`.",
    .size = sizeof(param_def),
    ROWS(parameter_rows)};

static const row each_rows[] = {
    ROW(each_def, value, "value", T_RAW, .need = 1, .choices = "value | [value, ...]",
        .text = "initial value of all elements, or of each in the order of the mesh"),
    ROW(each_def, min, "min", T_RAW, .choices = "value", .text = "lower bound for design"),
    ROW(each_def, max, "max", T_RAW, .choices = "value", .text = "upper bound for design"),
};
const map_info map_each = {
    .what = "each",
    .text = "`{each: {value: ..., min: ..., max: ...}}` in the place of a material's young or "
            "density, of a thickness or of sizes of a section gives every element of a body a "
            "parameter of its own, called BODY.young.0, BODY.young.1, and so on. Hinges take the "
            "mean of their two triangles, bends of rods that of their two edges.",
    .size = sizeof(each_def),
    ROWS(each_rows)};
// ---- bodies -----------------------------------------------------------------------------------

static const row rotate_rows[] = {
    ROW(rotate_def, axis, "axis", T_VEC3, .plain = 1, .unit = "",
        .text = "axis through the origin; in two dimensions left out"),
    ROW(rotate_def, angle, "angle", T_NUM, .plain = 1, .need = 1, .unit = "rad", ANY,
        .text = "angle, right-handed"),
};
const map_info map_rotate = {
    .what = "rotate", .text = "A turn of a mesh.", .size = sizeof(rotate_def), ROWS(rotate_rows)};

#define MATERIAL_TEXT .text = "name of a material; needed unless regions cover all cells"
#define GEOMETRY_ROWS(material_)                                                                   \
  ROW(geometry_def, mesh, "mesh", T_RAW, .need = 1, .choices = "file | mapping", SUB(map_mesh),    \
      .text = "file beside the scene (any of" PL_MESH_ENDINGS "), or a mesh made on the spot"),    \
      ROW(geometry_def, mesh_units, "mesh_units", T_TEXT,                                          \
          .text = "length unit of the mesh file; the scene's when left out"),                      \
      ROW(geometry_def, refine, "refine", T_INT, .lo = 0, .hi = 8,                                 \
          .text = "how often every cell is cut into smaller ones"),                                \
      ROW(geometry_def, scale, "scale", T_NUM, .plain = 1, .unit = "", .value = 1, .lo = 0,        \
          .hi = 1e12, .lo_open = 1, .text = "factor on all coordinates, first"),                   \
      ROW(geometry_def, rotate, "rotate", T_MAP, SUB(map_rotate), .text = "turn, second"),         \
      ROW(geometry_def, translate, "translate", T_VEC, .plain = 1, .unit = "m",                    \
          .text = "shift, third"),                                                                 \
      ROW(geometry_def, merge, "merge", T_NUM, .plain = 1, .unit = "m", .lo = 0, .hi = 1e9,        \
          .text = "merge vertices of the mesh closer than this"),                                  \
      ROW(geometry_def, material, "material", T_WORD, material_),                                  \
      ROW(geometry_def, swelling, "swelling", T_NUM, .unit = "", .lo = -0.99, .hi = 1e3,           \
          .text = "strain by which it wants to grow in all directions, at once; mass, thickness "  \
                  "and section stay"),                                                             \
      ROW(geometry_def, temperature, "temperature", T_NUM, .unit = "", .lo = -1e6, .hi = 1e6,      \
          .text = "change of temperature in kelvin, which swells it by the material's "            \
                  "`expansion`"),                                                                  \
      ROW(geometry_def, swelling_over, "swelling_over", T_TEXT,                                    \
          .text = "CSV file beside the scene with a time and a factor in every row, for swelling " \
                  "and temperature of this body"),                                                 \
      ROW(geometry_def, regions, "regions", T_LIST, SUB(map_region),                               \
          .text = "parts with a material, thickness, section, swelling or limit of their own; of " \
                  "several the last counts")
#define PROFILE_ROW                                                                                \
  ROW(geometry_def, profile, "profile", T_MAP, SUB(map_profile),                                   \
      .text = "swelling or temperature that changes along an axis, added to the above")
static const row stretch_rows[] = {
    ROW(stretch_def, group, "group", T_TEXT, .need = 1, .text = "group of the mesh"),
    ROW(stretch_def, axis, "axis", T_CHOICE, .choices = "x|y|z",
        .text = "of the mesh as it is read or made, before scale, rotate and translate"),
    ROW(stretch_def, factor, "factor", T_NUM, .plain = 1, .need = 1, .unit = "", .lo = 0,
        .lo_open = 1, .hi = 1e3, .text = "its length along the axis, times this"),
    ROW(stretch_def, fixed, "fixed", T_CHOICE, .choices = "low|high",
        .text = "the end of the body that stays where it is"),
};
static const map_info map_stretch = {
    .what = "stretch",
    .text = "Cells of a group stretched along an axis; what lies beyond them moves along, what "
            "lies beside them is stretched, too.",
    .size = sizeof(stretch_def),
    ROWS(stretch_rows)};
#define STRETCH_ROW                                                                                \
  ROW(geometry_def, stretch, "stretch", T_LIST, SUB(map_stretch),                                  \
      .text = "groups of the mesh made longer or shorter, before scale; one after the other")
#define AXES_ROWS                                                                                  \
  ROW(geometry_def, angle, "angle", T_NUM, .unit = "rad", ANY,                                     \
      .text = "by which the axes of an orthotropic material are turned about the third one, in "   \
              "sheets about their normals")
#define THROUGH_ROWS                                                                               \
  ROW(geometry_def, swelling_through, "swelling_through", T_NUM, .unit = "", .lo = -1, .hi = 1,    \
      .text = "strain by which the side of the normals wants to grow more than the other side; "   \
              "midedge"),                                                                          \
      ROW(geometry_def, temperature_through, "temperature_through", T_NUM, .unit = "", .lo = -1e6, \
          .hi = 1e6,                                                                               \
          .text = "temperature of the side of the normals less that of the other side, kelvin; "   \
                  "midedge")
#define MASS_ROW(value_)                                                                           \
  ROW(geometry_def, mass, "mass", T_CHOICE, .choices = "lumped|consistent", .value = value_,       \
      .text = "mass matrix")

static const row shell_rows[] = {
    GEOMETRY_ROWS(.text = "name of a material; needed but for interlocking ones, whose own "
                          "elasticity is soft: 1250 Pa, 0.4, and their mass or 250 kg/m^3"),
    ROW(geometry_def, mass, "mass", T_CHOICE, .choices = "lumped|consistent",
        .text = "mass matrix; left out: consistent with bending shell6, else lumped"),
    ROW(geometry_def, thickness, "thickness", T_PAR, .each = 1, SUB(map_each),
        .elem = PL_ELEM_membrane,
        .text = "thickness, uniform; needed but for interlocking materials, which have their own"),
    ROW(geometry_def, interlocking, "interlocking", T_TEXT,
        .text = "file of an interlocking material (.material, written by limits with boundary): "
                "its strain stays within those limits; static, transient and drape keep them"),
    ROW(geometry_def, bending, "bending", T_CHOICE, .choices = "auto|hinge|midedge|shell6|none",
        .text = "shell6: curved triangles of second order, right on every mesh; midedge: triangles "
                "with a normal at every edge, softer on coarse meshes; hinge: fast, acts as "
                "Poisson's ratio -1/3, for cloth; none: a pure membrane. auto: hinge where the "
                "shell has limits, else shell6"),
    ROW(geometry_def, variant, "variant", T_CHOICE, .choices = "sin|tan|theta", .value = 1,
        .text = "shell6 and midedge: function of the angles; tan resists folding over"),
    ROW(geometry_def, curved, "curved", T_CHOICE, .choices = "no|yes", .value = 1,
        .text = "shell6 on a mesh of first order: nodes in the middle of edges follow the "
                "curvature of the surface; folds of more than 35 degrees stay"),
    ROW(geometry_def, limit, "limit", T_MAP, SUB(map_limit),
        .text = "how far it can be stretched at most; without limit when left out"),
    ROW(geometry_def, warp, "warp", T_VEC3, .plain = 1, .unit = "",
        .text = "first axis of the material at rest, laid into every triangle; left out: x of the "
                "mesh, which rotate turns"),
    AXES_ROWS,
    STRETCH_ROW,
    THROUGH_ROWS,
    PROFILE_ROW,
};
static const map_info map_shell = {
    .what = "shell",
    .text = "A thin shell of triangles in three dimensions: membrane and bending.",
    .size = sizeof(geometry_def),
    ROWS(shell_rows)};
static const row plane_rows[] = {
    GEOMETRY_ROWS(MATERIAL_TEXT),
    MASS_ROW(0),
    ROW(geometry_def, thickness, "thickness", T_PAR, .need = 1, .each = 1, SUB(map_each),
        .elem = PL_ELEM_tri2),
    ROW(geometry_def, warp, "warp", T_VEC3, .plain = 1, .unit = "",
        .text = "first axis of the material; left out: x of the mesh, which rotate turns"),
    AXES_ROWS,
    STRETCH_ROW,
    PROFILE_ROW,
};
static const map_info map_plane = {
    .what = "plane",
    .text = "A sheet of triangles in a scene of dimension 2, plane stress.",
    .size = sizeof(geometry_def),
    ROWS(plane_rows)};
static const row solid_rows[] = {
    GEOMETRY_ROWS(MATERIAL_TEXT),
    MASS_ROW(1),
    ROW(geometry_def, order, "order", T_INT, .lo = 1, .hi = 2,
        .text =
            "of the displacements within a cell: 2 puts a node on every edge where the mesh has "
            "none, 1 drops those it has; left out: 2 for tetrahedra, which lock otherwise, and "
            "for hexahedra that of the mesh"),
    ROW(geometry_def, form, "formulation", T_CHOICE, .choices = "auto|plain|mean|enhanced",
        .text =
            "against locking: mean is one pressure in each tetrahedron of order 2, enhanced are "
            "strains inside hexahedra of order 1, plain is neither; auto: mean from Poisson's "
            "ratio 0.495 on, and enhanced"),
    ROW(geometry_def, warp, "warp", T_VEC3, .plain = 1, .unit = "",
        .text = "first axis of the material; left out: x of the mesh, which rotate turns"),
    ROW(geometry_def, weft, "weft", T_VEC3, .plain = 1, .unit = "",
        .text = "on the side of its second axis; left out: y of the mesh, which rotate turns"),
    AXES_ROWS,
    STRETCH_ROW,
    PROFILE_ROW,
};
static const map_info map_solid = {.what = "solid",
                                   .text = "A solid of tetrahedra or hexahedra.",
                                   .size = sizeof(geometry_def),
                                   ROWS(solid_rows)};

static const row section_rows[] = {
    ROW(section_def, round, "round", T_NUM, .each = 1, SUB(map_each), .unit = "m", .value = -1,
        .lo = 0, .hi = 1e6, .lo_open = 1, .text = "diameter"),
    ROW(section_def, ellipse, "ellipse", T_RAW, .choices = "[length, length]",
        .text = "axes of an ellipse: across and along `up`"),
    ROW(section_def, rectangle, "rectangle", T_RAW, .choices = "[length, length]",
        .text = "width across and height along `up`"),
    ROW(section_def, tube, "tube", T_RAW, .choices = "[length, length]",
        .text = "outer and inner diameter"),
    ROW(section_def, hollow, "hollow", T_PAR, .elem = PL_ELEM_rod_edge),
};
const map_info map_section = {
    .what = "section",
    .text = "The section of a rod: exactly one of round, ellipse, rectangle and tube. Sizes may be "
            "parameters or be given for [each](#each) edge.",
    .size = sizeof(section_def),
    ROWS(section_rows)};
static const row natural_rows[] = {
    ROW(natural_def, curvature, "curvature", T_RAW, .choices = "[1/length, 1/length]",
        .text = "towards the left of the rod (seen from `up`, going along it) and towards `up`"),
    ROW(natural_def, twist, "twist", T_PAR, .elem = PL_ELEM_rod_bend),
    ROW(natural_def, straight, "straight", T_CHOICE, .choices = "no|yes",
        .text =
            "yes: by nature straight and untwisted where it runs through a node, however drawn"),
};
static const map_info map_natural = {
    .what = "natural",
    .text = "The shape that a rod has without loads, if it is not the one drawn. What is given is "
            "added to the curvature and twist of the drawing, or of the straight rod. Junctions "
            "keep the angles of the drawing.",
    .size = sizeof(natural_def),
    ROWS(natural_rows)};
static const row rod_rows[] = {
    GEOMETRY_ROWS(MATERIAL_TEXT),
    MASS_ROW(0),
    ROW(geometry_def, section, "section", T_MAP, .need = 1, SUB(map_section),
        .text = "shape and size of the section"),
    ROW(geometry_def, up, "up", T_VEC3, .plain = 1, .unit = "",
        .text = "where the second side of the section points; left out: upright (z) at the begin "
                "of every rod, then carried along without twist"),
    ROW(geometry_def, natural, "natural", T_MAP, SUB(map_natural),
        .text = "shape without loads, when it is not the drawn one"),
};
static const map_info map_rod = {
    .what = "rod",
    .text =
        "Thin elastic rods (dimension 3): lines of a mesh file (OBJ `l`, segments of other "
        "formats) or made on the spot. Edges that follow each other make a rod; where three or "
        "more "
        "meet, or rods of different bodies, they are joined rigidly. A node that is held is a "
        "ball joint unless its drive says `clamp: yes`; an edge whose two ends are held together "
        "does not turn either.",
    .size = sizeof(geometry_def),
    ROWS(rod_rows)};
static const row chain_rows[] = {
    ROW(chain_def, from, "from", T_VEC, .plain = 1, .need = 1, .unit = "m", .text = "first node"),
    ROW(chain_def, to, "to", T_VEC, .plain = 1, .need = 1, .unit = "m", .text = "last node"),
    SEGMENTS_ROW(chain_def, 1, "links, all alike"),
    ROW(chain_def, stiffness, "stiffness", T_PAR, .elem = PL_ELEM_link),
    ROW(chain_def, mass, "mass", T_PAR, .elem = PL_ELEM_link),
};
static const map_info map_chain = {
    .what = "chain",
    .text = "Links in a row, free to turn at their nodes. stiffness and mass are those of each "
            "link. Groups: start end.",
    .size = sizeof(chain_def),
    ROWS(chain_rows)};

static const row body_rows[] = {
    ROW(body_def, name, "name", T_WORD, .need = 1, .text = "name, for selectors and results"),
    ROW(body_def, shell, "shell", T_MAP, SUB(map_shell), .text = "thin shell (dimension 3)"),
    ROW(body_def, plane, "plane", T_MAP, SUB(map_plane), .text = "flat sheet (dimension 2)"),
    ROW(body_def, solid, "solid", T_MAP, SUB(map_solid), .text = "solid (dimension 3)"),
    ROW(body_def, chain, "chain", T_MAP, SUB(map_chain),
        .text = "links in a row (dimension 2 or 3)"),
    ROW(body_def, rod, "rod", T_MAP, SUB(map_rod), .text = "thin rods (dimension 3)"),
};
static const map_info map_body = {.what = "body",
                                  .text = "Exactly one of shell, plane, solid, chain and rod.",
                                  .size = sizeof(body_def),
                                  ROWS(body_rows)};

// ---- mechanism and lumped parts ---------------------------------------------------------------

static const row link_rows[] = {
    NAME_ROW(link_def),
    ROW(link_def, joints, "joints", T_RAW, .need = 1, .choices = "[joint, joint]",
        .text = "its two ends"),
    ROW(link_def, length, "length", T_NUM, .unit = "m", .lo = 0, .hi = 1e9, .lo_open = 1,
        .text = "moves the second joint, and all that hangs on it, along the link to this length"),
    ROW(link_def, stiffness, "stiffness", T_PAR, .elem = PL_ELEM_link),
    ROW(link_def, mass, "mass", T_PAR, .elem = PL_ELEM_link),
};
static const map_info map_link = {.what = "link",
                                  .text = "A nearly rigid link between two joints.",
                                  .size = sizeof(link_def),
                                  ROWS(link_rows)};
static const row angle_rows[] = {
    NAME_ROW(angle_def),
    ROW(angle_def, joints, "joints", T_RAW, .need = 1, .choices = "[joint, joint, joint]",
        .text = "the angle is at the second"),
    ROW(angle_def, stiffness, "stiffness", T_PAR, .elem = PL_ELEM_angle),
};
static const map_info map_angle = {.what = "angle",
                                   .text = "A nearly rigid joint angle (dimension 2).",
                                   .size = sizeof(angle_def),
                                   ROWS(angle_rows)};

static const row spring_rows[] = {
    NAME_ROW(spring_def),
    ROW(spring_def, nodes, "nodes", T_RAW, .choices = "[end, end]",
        .text = "its two ends; or from and to"),
    ROW(spring_def, from, "from", T_RAW, .choices = "end",
        .text = "node, `link@0.4` (a point along a link), `node.x` or `ground`"),
    ROW(spring_def, to, "to", T_RAW, .choices = "end", .text = "the other end"),
    ROW(spring_def, from_offset, "from_offset", T_PAR, .elem = PL_ELEM_spring, .par = "offset0"),
    ROW(spring_def, to_offset, "to_offset", T_PAR, .elem = PL_ELEM_spring, .par = "offset1"),
    ROW(spring_def, stiffness, "stiffness", T_PAR, .need = 1, .elem = PL_ELEM_spring1),
    ROW(spring_def, quadratic, "quadratic", T_PAR, .elem = PL_ELEM_spring1),
    ROW(spring_def, cubic, "cubic", T_PAR, .elem = PL_ELEM_spring1),
    ROW(spring_def, damping, "damping", T_PAR, .elem = PL_ELEM_spring1),
    ROW(spring_def, rest, "rest", T_PAR, .elem = PL_ELEM_spring, .choices = "distance of its ends"),
};
static const map_info map_spring = {
    .what = "spring",
    .text = "In one dimension, or between ends such as `tip.y` and `ground`: a spring of one "
            "unknown, with quadratic and cubic terms. Otherwise an axial spring between points, "
            "with rest length (left out: the distance of its ends at rest).",
    .size = sizeof(spring_def),
    ROWS(spring_rows)};

static const row mechanism_rows[] = {
    {.key = "joints",
     .type = T_RAW,
     .offset = offsetof(mechanism_def, joints),
     .need = 1,
     .choices = "{name: [x, y]}",
     .text = "joints and their rest positions"},
    ROW(mechanism_def, links, "links", T_LIST, SUB(map_link), .text = "links"),
    ROW(mechanism_def, angles, "angles", T_LIST, SUB(map_angle), .text = "joints that do not turn"),
    ROW(mechanism_def, springs, "springs", T_LIST, SUB(map_spring), .text = "springs"),
};
static const map_info map_mechanism = {.what = "mechanism",
                                       .text = "Joints, links and springs.",
                                       .size = sizeof(mechanism_def),
                                       ROWS(mechanism_rows)};

static const row mass_rows[] = {
    NAME_ROW(mass_def),
    SELECT_ROWS(mass_def),
    ROW(mass_def, mass, "mass", T_PAR, .elem = PL_ELEM_point,
        .text = "mass on every node; mass or total must be given"),
    ROW(mass_def, total, "total", T_PAR, .elem = PL_ELEM_point, .par = "mass",
        .text = "mass shared equally by the nodes"),
};
static const map_info map_mass = {
    .what = "mass", .text = "Point masses.", .size = sizeof(mass_def), ROWS(mass_rows)};

static const row potential_rows[] = {
    NAME_ROW(potential_def),
    ROW(potential_def, coefficient, "coefficient", T_RAW, .need = 1, .choices = "value",
        .text = "factor, an energy per length to the sum of the powers"),
    {.key = "powers",
     .type = T_RAW,
     .offset = offsetof(potential_def, powers),
     .need = 1,
     .choices = "{unknown: integer}",
     .text = "power of the displacement of each unknown (at most 8)"},
};
static const map_info map_potential = {
    .what = "potential",
    .text = "One term of a polynomial potential: coefficient times a product of powers of "
            "displacements.",
    .size = sizeof(potential_def),
    ROWS(potential_rows)};

static const row matrices_rows[] = {
    NAME_ROW(matrices_def),
    ROW(matrices_def, dofs, "dofs", T_RAW, .choices = "[unknown, ...]",
        .text = "rows and columns; in one dimension all nodes in order"),
    ROW(matrices_def, mass, "mass", T_RAW, .choices = "[[value, ...], ...] | file",
        .text = "symmetric, kg"),
    ROW(matrices_def, damping, "damping", T_RAW, .choices = "[[value, ...], ...] | file",
        .text = "N.s/m; its skew part is gyroscopic"),
    ROW(matrices_def, stiffness, "stiffness", T_RAW, .choices = "[[value, ...], ...] | file",
        .text = "symmetric, N/m"),
};
static const map_info map_matrices = {
    .what = "matrices",
    .text = "Linear parts given as matrices, inline or as Matrix Market files beside the scene.",
    .size = sizeof(matrices_def),
    ROWS(matrices_rows)};

// ---- drives and loads -------------------------------------------------------------------------

#define HARMONIC_ROW(def, value_, text_)                                                           \
  ROW(def, harmonic, "harmonic", T_INT, .value = value_, .lo = 0, .hi = 1000, .text = text_)
#define PHASE_ROW(def)                                                                             \
  ROW(def, phase, "phase", T_NUM, .unit = "rad", ANY,                                              \
      .text = "phase of amplitude sin(harmonic omega t + phase)")

static const row term_rows[] = {
    HARMONIC_ROW(term_def, 1, "multiple of the base frequency; 0: constant"),
    PHASE_ROW(term_def),
    ROW(term_def, translation, "translation", T_VEC, .unit = "m",
        .text = "amplitude of a translation"),
    ROW(term_def, angle, "angle", T_NUM, .unit = "rad", ANY, .text = "amplitude of a rotation"),
};
static const map_info map_term = {
    .what = "term", .text = "One harmonic of a drive.", .size = sizeof(term_def), ROWS(term_rows)};
static const row rotation_rows[] = {
    ROW(rotation_def, axis, "axis", T_VEC3, .plain = 1, .unit = "",
        .text = "direction of the axis; in two dimensions left out"),
    ROW(rotation_def, through, "through", T_VEC, .plain = 1, .unit = "m",
        .text = "a point on the axis, the origin when left out"),
    ROW(rotation_def, amplitude, "amplitude", T_NUM, .unit = "rad", ANY,
        .text = "angle; amplitude or terms must be given"),
    HARMONIC_ROW(rotation_def, 1, "multiple of the base frequency; 0: constant"),
    PHASE_ROW(rotation_def),
    ROW(rotation_def, terms, "terms", T_LIST, SUB(map_term),
        .text = "several harmonics, each with angle"),
};
static const map_info map_rotation = {.what = "rotation",
                                      .text = "A prescribed rotation.",
                                      .size = sizeof(rotation_def),
                                      ROWS(rotation_rows)};
#define CLAMP_ROW                                                                                  \
  ROW(drive_def, clamp, "clamp", T_CHOICE, .choices = "no|yes",                                    \
      .text = "edges of shells (but for hinge) between these nodes, and rods at these nodes, are " \
              "built in: they cannot turn, nor can points of joins; no: they are hinged")
#define OFF_ROW                                                                                    \
  ROW(drive_def, off, "off", T_CHOICE, .choices = "no|yes",                                        \
      .text = "it drives and holds nothing until an analysis changes that, see "                   \
              "[steps](steps.md)")
static const row drive_rows[] = {
    NAME_ROW(drive_def),
    SELECT_ROWS(drive_def),
    ROW(drive_def, fix, "fix", T_RAW, .choices = "[x, y, z]",
        .text = "the components that are prescribed, all when left out; alone: held at rest"),
    ROW(drive_def, translation, "translation", T_VEC, .unit = "m",
        .text = "amplitude of a translation"),
    ROW(drive_def, rotation, "rotation", T_MAP, SUB(map_rotation),
        .text = "rotation about an axis"),
    HARMONIC_ROW(drive_def, 1, "of the translation: multiple of the base frequency; 0: constant"),
    PHASE_ROW(drive_def),
    ROW(drive_def, terms, "terms", T_LIST, SUB(map_term),
        .text = "several harmonics, each with translation"),
    OVER_ROW(drive_def, over),
    CLAMP_ROW,
    OFF_ROW,
};
static const map_info map_drive = {
    .what = "drive",
    .text = "Prescribed motion of nodes: one of fix, translation, rotation, terms.",
    .size = sizeof(drive_def),
    ROWS(drive_rows)};
static const row fixed_rows[] = {
    NAME_ROW(drive_def),
    SELECT_ROWS(drive_def),
    ROW(drive_def, fix, "fix", T_RAW, .choices = "[x, y, z]",
        .text = "the components that are held, all when left out"),
    CLAMP_ROW,
    OFF_ROW,
};
const map_info map_fixed = {.what = "fixed",
                            .text = "Nodes that do not move. `fixed: SELECTOR` for short.",
                            .size = sizeof(drive_def),
                            ROWS(fixed_rows)};

static const row spin_rows[] = {
    ROW(spin_def, axis, "axis", T_VEC3, .plain = 1, .unit = "",
        .text = "direction of the axis; in two dimensions left out"),
    ROW(spin_def, through, "through", T_VEC, .plain = 1, .unit = "m",
        .text = "a point on the axis, the origin when left out"),
    ROW(spin_def, rate, "rate", T_NUM, .plain = 1, .need = 1, .unit = "rad/s", ANY,
        .text = "angular velocity"),
};
static const map_info map_spin = {.what = "spin",
                                  .text = "Velocities of a rigid rotation.",
                                  .size = sizeof(spin_def),
                                  ROWS(spin_rows)};
static const row initial_rows[] = {
    SELECT_ROWS(initial_def),
    ROW(initial_def, displacement, "displacement", T_VEC, .plain = 1, .unit = "m",
        .text = "displacement at the start"),
    ROW(initial_def, velocity, "velocity", T_VEC, .plain = 1, .unit = "m/s",
        .text = "velocity at the start"),
    ROW(initial_def, spin, "spin", T_MAP, SUB(map_spin),
        .text = "rotation at the start, added to velocity"),
};
static const map_info map_initial = {.what = "initial",
                                     .text = "How transients from rest start; entries add up.",
                                     .size = sizeof(initial_def),
                                     ROWS(initial_rows)};

static const row damping_rows[] = {
    ROW(damping_def, mass, "mass", T_NUM, .unit = "1/s", .lo = 0, .hi = 1e12,
        .text = "alpha of D = alpha M + beta K"),
    ROW(damping_def, stiffness, "stiffness", T_NUM, .unit = "s", .lo = 0, .hi = 1e12,
        .text = "beta of D = alpha M + beta K, K at the current position"),
    ROW(damping_def, ratio, "ratio", T_RAW, .choices = "number | [number, number]",
        .text =
            "damping ratio at two frequencies, e.g. 2 %, or one for each; alpha and beta follow, "
            "unless they are given"),
    ROW(damping_def, at, "at", T_RAW, .choices = "[frequency, frequency]",
        .text = "the frequencies of ratio"),
};
static const map_info map_damping = {.what = "damping",
                                     .text = "Rayleigh damping of the whole model.",
                                     .size = sizeof(damping_def),
                                     ROWS(damping_rows)};

static const map_info map_output = {.what = "output",
                                    .text = "What a run writes besides summary.json.",
                                    .size = sizeof(output_def),
                                    .opt = pl_output_option_table,
                                    .nopt = &pl_output_option_count,
                                    .opt_offset = offsetof(output_def, opts)};

// ---- analyses ---------------------------------------------------------------------------------

#define ANALYSIS_ROWS                                                                              \
  ROW(analysis_def, name, "name", T_WORD,                                                          \
      .text = "name of its results; the analysis's own when left out"),                            \
      ROW(analysis_def, about, "about", T_WORD,                                                    \
          .text = "name of an earlier static or drape whose state is the start; `rest` when left " \
                  "out"),                                                                          \
      ROW(analysis_def, change, "change", T_RAW, .choices = "{name: factor | on | off | hold}",    \
          .text = "loads, drives, supports and `gravity` from here on: factors on what the scene " \
                  "gives them, off: released, hold: its nodes stay where they are. Those not "     \
                  "named stay as they were in what it is about. See [steps](steps.md)"),           \
  {                                                                                                \
    .key = "watch", .type = T_RAW, .offset = offsetof(analysis_def, probe),                        \
    .choices = "{name: node}", .text = "nodes whose motion is recorded, besides the scene's own"   \
  }

static const row analysis_rows[] = {ANALYSIS_ROWS};
static const row coarsen_rows[] = {
    ANALYSIS_ROWS,
    ROW(analysis_def, record, "record", T_TEXT,
        .text = "CSV file of a measured free decay of one place, in place of frequency and decay: "
                "time_s, then its motion; even steps"),
};
static const row path_rows[] = {
    ANALYSIS_ROWS,
    ROW(analysis_def, control, "parameter", T_RAW, .choices = "name of a parameter",
        .text = "what is followed in place of the load: it goes from its value at factor 0 to "
                "`value` at factor 1, under the full load"),
    ROW(analysis_def, control_value, "value", T_RAW, .choices = "value of the parameter",
        .text = "where the parameter is at factor 1"),
};
#define CLOTH_ROWS                                                                                 \
  ROW(analysis_def, weights, "weights", T_CHOICE, .choices = "mass|plain",                         \
      .text =                                                                                      \
          "limits of stretch: distances that count masses, which keeps momentum, or plain ones"),  \
      ROW(analysis_def, projection, "projection", T_MAP, SUB(map_projection),                      \
          .text = "limits of stretch: how exactly they are kept")
static const row drape_rows[] = {ANALYSIS_ROWS, CLOTH_ROWS};
static const row transient_rows[] = {
    ANALYSIS_ROWS,
    CLOTH_ROWS,
    ROW(analysis_def, compare, "compare", T_RAW, .choices = "[method, ...]",
        .text = "further methods from the same start, for limits of stretch or contact"),
    ROW(analysis_def, compare_steps, "compare_steps", T_RAW, .choices = "[time, ...]",
        .text = "the same method with other steps, shown beside it"),
};
static const row limits_rows[] = {
    ROW(analysis_def, name, "name", T_WORD,
        .text = "name of its results; the analysis's own when left out"),
    ROW(analysis_def, of, "of", T_WORD,
        .text = "the interlocking material; the first one when left out"),
    ROW(analysis_def, measured, "measured", T_RAW, .choices = "file | mapping | list",
        .sub = &map_measured_limits, .text = "measured limits to compare with"),
};
static const row mail_design_rows[] = {
    ROW(analysis_def, name, "name", T_WORD,
        .text = "name of its results; the analysis's own when left out"),
    ROW(analysis_def, of, "of", T_WORD,
        .text = "the interlocking material, of a family; the first one when left out"),
    ROW(analysis_def, variables, "variables", T_RAW, .choices = "all | [name, ...]",
        .sub = &map_mail_variable, .text = "keys of the family that may change; all when left out"),
    ROW(analysis_def, objectives, "goals", T_RAW, .need = 1, .choices = "list",
        .sub = &map_mail_goal, .text = "limits that are wanted"),
};
static const row search_rows[] = {
    ROW(analysis_def, name, "name", T_WORD,
        .text = "name of its results; the analysis's own when left out"),
    ROW(analysis_def, vary, "vary", T_LIST, SUB(map_search_variable), .need = 1,
        .text = "keys of the scene that may change"),
    ROW(analysis_def, goals, "goals", T_LIST, SUB(map_search_goal), .need = 1,
        .text = "what figures of other analyses are to be"),
    ROW(analysis_def, scatter, "scatter", T_MAP, SUB(map_search_scatter),
        .text = "keys that are not exactly what the scene says, and how many runs tell what comes "
                "of it"),
    ROW(analysis_def, verify, "verify", T_LIST, SUB(map_search_check),
        .text = "the best design once more with other keys, e.g. a finer mesh and half the step"),
};
static const row native_rows[] = {
    ROW(analysis_def, name, "name", T_WORD,
        .text = "name of its results; the analysis's own when left out"),
    ROW(analysis_def, of, "of", T_WORD, .text = "the patch; the first one when left out"),
};
static const row macro_rows[] = {
    ROW(analysis_def, name, "name", T_WORD,
        .text = "name of its results; the analysis's own when left out"),
    ROW(analysis_def, of, "of", T_WORD, .text = "the patch; the first one when left out"),
    ROW(analysis_def, material, "material", T_TEXT,
        .text = "a .material file of its material; when left out, that of an earlier analysis "
                "`limits` with boundary"),
};
static const row fit_rows[] = {
    ANALYSIS_ROWS,
    ROW(analysis_def, data, "data", T_RAW, .need = 1,
        .choices = "file | [file, ...] | [{file: file, frequency: value}, ...]",
        .text = "CSV files with columns time_s and NAME_x_m (y, z) of watched names"),
    ROW(analysis_def, parameters, "parameters", T_RAW, .choices = "[name, ...]",
        .text = "parameters of the scene that are fitted besides the damping"),
};

static const row data_rows[] = {
    ROW(data_def, file, "file", T_TEXT, .need = 1, .text = "CSV file beside the scene"),
    ROW(data_def, frequency, "frequency", T_NUM, .plain = 1, .unit = "rad/s", .lo = 0, .hi = 1e9,
        .text = "base frequency of drives and loads; the analysis's own when left out"),
};
#define VARIABLES_ROW                                                                              \
  ROW(analysis_def, variables, "variables", T_RAW, .choices = "all | [name, ...]",                 \
      .sub = &map_variable,                                                                        \
      .text = "parameters that may change, also alpha, beta (damping) and frequency; all "         \
              "parameters when left out")
static const row explore_rows[] = {
    ANALYSIS_ROWS,
    VARIABLES_ROW,
    ROW(analysis_def, set, "set", T_RAW, .choices = "{name: value}",
        .text = "new values of parameters"),
    ROW(analysis_def, along, "along", T_RAW, .choices = "list", .sub = &map_along,
        .text = "changes of all variables along gradients, added to set"),
    ROW(analysis_def, objectives, "objectives", T_RAW, .choices = "list", .sub = &map_objective,
        .text = "peak_height, peak and fold: heights and frequencies before and after, and what "
                "parameters do to them"),
};
static const row response_rows[] = {
    ANALYSIS_ROWS,
    ROW(analysis_def, measured, "measured", T_RAW, .choices = "file | mapping | list",
        .sub = &map_measured, .text = "measured responses to compare with"),
    ROW(analysis_def, variables, "sensitivities", T_RAW, .choices = "no | yes | [name, ...]",
        .text = "parameters by which the height and frequency of every peak and fold are "
                "differentiated, also alpha and beta (damping); yes: all parameters"),
};
static const row fit_response_rows[] = {
    ANALYSIS_ROWS,
    ROW(analysis_def, measured, "data", T_RAW, .need = 1, .choices = "file | mapping | list",
        .sub = &map_measured, .text = "measured responses that are fitted"),
    ROW(analysis_def, variables, "parameters", T_RAW, .choices = "all | [name, ...]",
        .sub = &map_variable,
        .text = "parameters that are fitted, also alpha and beta (damping); all when left out"),
};
static const row design_rows[] = {
    ANALYSIS_ROWS,
    VARIABLES_ROW,
    ROW(analysis_def, objectives, "objectives", T_RAW, .need = 1, .choices = "list",
        .sub = &map_objective, .text = "what is wanted; their weighted sum is minimised"),
    ROW(analysis_def, frequencies, "frequencies", T_RAW, .choices = "[frequency, ...]",
        .text = "several operating points instead of frequency"),
    ROW(analysis_def, response, "response", T_RAW, .choices = "no | mapping",
        .sub = &map_design_response,
        .text = "range of the response curves before and after; half to twice the frequency"),
    ROW(analysis_def, proof, "proof", T_RAW, .choices = "no | mapping", .sub = &map_proof,
        .text = "how the motions found are checked by other means"),
};

const map_info map_data = {
    .what = "data", .text = "One file of measurements.", .size = sizeof(data_def), ROWS(data_rows)};

// rows of each kind
#define ROWS_static       ROWS(analysis_rows)
#define ROWS_modes        ROWS(analysis_rows)
#define ROWS_drape        ROWS(drape_rows)
#define ROWS_transient    ROWS(transient_rows)
#define ROWS_jump         ROWS(analysis_rows)
#define ROWS_periodic     ROWS(analysis_rows)
#define ROWS_response     ROWS(response_rows)
#define ROWS_backbone     ROWS(analysis_rows)
#define ROWS_fit_damping  ROWS(fit_rows)
#define ROWS_fit_response ROWS(fit_response_rows)
#define ROWS_explore      ROWS(explore_rows)
#define ROWS_design       ROWS(design_rows)
#define ROWS_load_path    ROWS(path_rows)
#define ROWS_limits       ROWS(limits_rows)
#define ROWS_mail_design  ROWS(mail_design_rows)
#define ROWS_native       ROWS(native_rows)
#define ROWS_macro        ROWS(macro_rows)
#define ROWS_coarsen      ROWS(coarsen_rows)
#define ROWS_search       ROWS(search_rows)

#define A(name_, key_, text_)                                                                      \
  {.what = key_,                                                                                   \
   .text = text_,                                                                                  \
   .size = sizeof(analysis_def),                                                                   \
   ROWS_##name_,                                                                                   \
   .opt = pl_##name_##_option_table,                                                               \
   .nopt = &pl_##name_##_option_count,                                                             \
   .opt_offset = offsetof(analysis_def, a) + offsetof(pl_analysis, opts)},
const map_info map_analysis[PL_ANALYSIS_COUNT] = {PL_ANALYSIS_LIST(A)};
#undef A

#define A(name_, key_, text_) {key_, text_, pl_##name_##_option_table, &pl_##name_##_option_count},
const pl_analysis_kind pl_analysis_table[PL_ANALYSIS_COUNT] = {PL_ANALYSIS_LIST(A)};
#undef A

#define X(type_, name_, value_, lo_, hi_, unit_, text_)                                            \
  {#name_, PL_OPT_KIND_##type_, offsetof(pl_output_opts, name_), value_, lo_, hi_, unit_, text_,   \
   NULL},
#define C(name_, value_, choices_, text_)                                                          \
  {#name_, PL_OPT_CHOICE, offsetof(pl_output_opts, name_), value_, 0, 1, "", text_, choices_},
const pl_option pl_output_option_table[] = {PL_OUTPUT_OPTS(X, C)};
#undef X
#undef C
const int pl_output_option_count = COUNT(pl_output_option_table);

// ---- the scene --------------------------------------------------------------------------------

static const row root_rows[] = {
    ROW(root_def, format, "pliant", T_RAW, .choices = "1",
        .text = "format number, needed; must be the first key"),
    ROW(root_def, title, "title", T_TEXT, .text = "one line for reports"),
    ROW(root_def, files, "files", T_TEXT,
        .text = "folder of the files that the scene names, relative to its own; its own when left "
                "out"),
    ROW(root_def, units, "units", T_RAW, .choices = "SI | mm-N-MPa | ... | {quantity: unit}",
        .text =
            "units of bare numbers and of mesh files: a system, or units of quantities; SI when "
            "left out"),
    ROW(root_def, dimension_at, "dimension", T_RAW, .choices = "integer", .value = 3,
        .text = "1: scalar unknowns, 2: the xy plane, 3: space (when left out)"),
    ROW(root_def, parameters, "parameters", T_NAMED, SUB(map_parameter),
        .text = "design parameters"),
    ROW(root_def, materials, "materials", T_NAMED, SUB(map_material), .text = "materials"),
    ROW(root_def, nodes, "nodes", T_RAW, .choices = "{name: [x, y, z]}",
        .text = "single nodes; in one dimension {name: x}"),
    ROW(root_def, bodies, "bodies", T_LIST, SUB(map_body),
        .text = "shells, sheets, solids, chains, rods"),
    ROW(root_def, mechanism, "mechanism", T_MAP, SUB(map_mechanism),
        .text = "joints, links and springs"),
    ROW(root_def, weld, "weld", T_NUM, .plain = 1, .unit = "m", .lo = 0, .hi = 1e9, .value = -1,
        .text = "nodes of different bodies closer than this become one; never when left out"),
    ROW(root_def, springs, "springs", T_LIST, SUB(map_spring), .text = "springs between nodes"),
    ROW(root_def, stops, "stops", T_LIST, SUB(map_stop),
        .text = "elastic stops: unilateral springs with a gap"),
    ROW(root_def, friction, "friction", T_LIST, SUB(map_friction),
        .text = "dry friction between nodes"),
    ROW(root_def, tables, "tables", T_LIST, SUB(map_table),
        .text = "forces given by tables over elongation or rate"),
    ROW(root_def, masses, "masses", T_LIST, SUB(map_mass), .text = "point masses"),
    ROW(root_def, potentials, "potentials", T_LIST, SUB(map_potential),
        .text = "terms of a polynomial potential"),
    ROW(root_def, matrices, "matrices", T_LIST, SUB(map_matrices),
        .text = "mass, damping and stiffness matrices"),
    ROW(root_def, sets, "sets", T_RAW, .choices = "{name: selector}",
        .text = "named sets of nodes"),
    ROW(root_def, fixed, "fixed", T_RAW, .choices = "selector | list", .sub = &map_fixed,
        .text = "nodes that do not move"),
    ROW(root_def, drives, "drives", T_LIST, SUB(map_drive), .text = "prescribed motions"),
    ROW(root_def, loads, "loads", T_LIST, SUB(map_load),
        .text = "forces, pressures, moments, acceleration of the base"),
    ROW(root_def, tendons, "tendons", T_LIST, SUB(map_tendon), .text = "cables through points"),
    ROW(root_def, foundations, "foundations", T_LIST, SUB(map_foundation),
        .text = "springs to the ground"),
    ROW(root_def, joins, "joins", T_LIST, SUB(map_join),
        .text = "rigid couplings, mean motions, ties of nodes to faces"),
    ROW(root_def, obstacles, "obstacles", T_LIST, SUB(map_obstacle), .text = "rigid obstacles"),
    ROW(root_def, contact, "contact", T_LIST, SUB(map_contact),
        .text = "nodes that feel the obstacles"),
    ROW(root_def, self_contact, "self_contact", T_MAP, SUB(map_self_contact),
        .text = "shells, solids and rods that cannot pass through themselves and each other"),
    ROW(root_def, interlocking, "interlocking", T_LIST, SUB(map_mail),
        .text = "materials of linked elements, such as chainmail"),
    ROW(root_def, patches, "patches", T_LIST, SUB(map_patch),
        .text = "finite patches of those, for the analyses native and macro"),
    ROW(root_def, gravity, "gravity", T_VEC, .unit = "m/s^2", .text = "acceleration of free fall"),
    ROW(root_def, damping, "damping", T_MAP, SUB(map_damping), .text = "Rayleigh damping"),
    ROW(root_def, initial, "initial", T_LIST, SUB(map_initial), .text = "start of transients"),
    ROW(root_def, probe, "watch", T_RAW, .choices = "{name: node}",
        .text = "nodes whose motion is recorded, `node.x` for one component"),
    ROW(root_def, output, "output", T_MAP, SUB(map_output), .text = "what a run writes"),
    ROW(root_def, analyses, "analyses", T_RAW, .choices = "[{analysis: mapping}]",
        .text = "what to do, in order"),
};
const map_info map_root = {
    .what = "scene", .text = "The whole file.", .size = sizeof(root_def), ROWS(root_rows)};

static row row_resolved(const row *r) {
  row out = *r;
  if (r->sub && r->sub->keys) out.text = r->sub->keys(r->sub->which).brief;
  if (r->objective) {
    out.choices = r->objective->value;
    out.text = r->objective->about;
  }
  if (r->type != T_PAR) return out;
  const pl_elem_kind *kind = pl_elem_table[r->elem];
  const char *name = r->par ? r->par : r->key;
  int k = 0;
  while (k < kind->npar && strcmp(kind->par[k].name, name) != 0) k++;
  PL_ASSERT(k < kind->npar);
  out.unit = kind->par[k].unit;
  out.value = kind->par[k].value;
  out.lo = kind->par[k].lo;
  out.hi = kind->par[k].hi;
  if (!out.text) out.text = kind->par[k].text;
  return out;
}

int map_nrow(const map_info *m) {
  int n = 0;
  if (m->row_of)
    while (m->row_of(n).key) n++;
  return m->row_of ? n : m->keys ? m->keys(m->which).n : m->nrow;
}

row map_row(const map_info *m, int k) {
  if (m->row_of) return m->row_of(k);
  return m->keys ? key_row(&m->keys(m->which).key[k], k) : row_resolved(&m->row[k]);
}

const char *map_text(const map_info *m) {
  return m->keys ? m->keys(m->which).text : m->text;
}
