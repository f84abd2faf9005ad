#include "schema.h"

// Mappings of bodies: shells, planes, solids, rods and chains, and what they share.

static const row rotate_rows[] = {
    ROW(rotate_def, axis, "axis", T_VEC3, .plain = 1, .unit = "",
        .text = "axis through the origin; in two dimensions left out"),
    ROW(rotate_def, angle, "angle", T_NUM, .plain = 1, .need = 1, .unit = "rad", ANY,
        .text = "angle, right-handed"),
};
const map_keys map_rotate = {
    .what = "rotate", .text = "A turn of a mesh.", .size = sizeof(rotate_def), ROWS(rotate_rows)};

#define MATERIAL_TEXT .text = "name of a material; needed unless regions cover all cells"
#define PLACE_ROWS                                                                                 \
  ROW(geometry_def, mesh, "mesh", T_RAW, .need = 1, .choices = "file | mapping", SUB(map_mesh),    \
      .text = "file beside the scene (any of" PL_MESH_ENDINGS "), or a mesh made on the spot"),    \
      ROW(geometry_def, mesh_units, "mesh_units", T_TEXT,                                          \
          .text = "length unit of the mesh file; the scene's when left out"),                      \
      ROW(geometry_def, refine, "refine", T_INT, .lo = 0, .hi = 8,                                 \
          .text =                                                                                  \
              "how often every cell is cut into smaller ones, curved shells along their surface"), \
      ROW(geometry_def, scale, "scale", T_NUM, .plain = 1, .unit = "", .value = 1, .lo = 0,        \
          .hi = 1e12, .lo_open = 1, .text = "factor on all coordinates, first"),                   \
      ROW(geometry_def, rotate, "rotate", T_MAP, SUB(map_rotate), .text = "turn, second"),         \
      ROW(geometry_def, translate, "translate", T_VEC, .plain = 1, .unit = "m",                    \
          .text = "shift, third"),                                                                 \
      ROW(geometry_def, merge, "merge", T_NUM, .plain = 1, .unit = "m", .lo = 0, .hi = 1e9,        \
          .text = "merge vertices of the mesh closer than this")
#define GEOMETRY_ROWS(material_)                                                                   \
  PLACE_ROWS, ROW(geometry_def, material, "material", T_WORD, material_),                          \
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
static const map_keys map_stretch = {
    .what = "stretch",
    .text = "Cells of a group stretched along an axis; what lies beyond them moves along, what "
            "lies beside them is stretched, too.",
    .size = sizeof(stretch_def),
    ROWS(stretch_rows)};
static const row handle_rows[] = {
    ROW(handle_def, at, "at", T_VEC3, .need = 1, .unit = "m",
        .text = "place in the mesh as it is read or made and stretched, before scale, rotate and "
                "translate"),
    ROW(handle_def, move, "move", T_VEC3, .need = 1, .unit = "m",
        .text = "by how much what is there moves; zeros hold it"),
};
static const map_keys map_handle = {.what = "handle",
                                    .text = "A place of the mesh and where it moves.",
                                    .size = sizeof(handle_def),
                                    ROWS(handle_rows)};
static const row morph_rows[] = {
    ROW(morph_def, handles, "handles", T_LIST, SUB(map_handle), .need = 1,
        .text = "places that move, or stay"),
    ROW(morph_def, radius, "radius", T_NUM, .unit = "m", .lo = 0, .lo_open = 1,
        .text = "how far from a handle others are moved along; the size of the body when left "
                "out"),
};
static const map_keys map_morph = {
    .what = "morph",
    .text = "Handles that move exactly as they are told, and a body that follows smoothly.",
    .size = sizeof(morph_def),
    ROWS(morph_rows)};
#define STRETCH_ROW                                                                                \
  ROW(geometry_def, stretch, "stretch", T_LIST, SUB(map_stretch),                                  \
      .text = "groups of the mesh made longer or shorter, before scale; one after the other"),     \
      ROW(geometry_def, morph, "morph", T_LIST, SUB(map_morph),                                    \
          .text = "changes of shape by handles, after stretch; one after the other")
#define AXES_ROWS                                                                                  \
  ROW(geometry_def, angle, "angle", T_NUM, .unit = "rad", ANY,                                     \
      .text = "by which the axes of an orthotropic material are turned about the third one, in "   \
              "sheets about their normals")
#define THROUGH_ROWS                                                                               \
  ROW(geometry_def, swelling_through, "swelling_through", T_NUM, .unit = "", .lo = -1, .hi = 1,    \
      .text = "strain by which the side of the normals wants to grow more than the other side; "   \
              "shell6, midedge"),                                                                  \
      ROW(geometry_def, temperature_through, "temperature_through", T_NUM, .unit = "", .lo = -1e6, \
          .hi = 1e6,                                                                               \
          .text = "temperature of the side of the normals less that of the other side, kelvin; "   \
                  "shell6, midedge")
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
                "shell has limits, midedge where it is of rubber beside other materials, else "
                "shell6"),
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
static const map_keys map_shell = {
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
static const map_keys map_plane = {
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
static const map_keys map_solid = {.what = "solid",
                                   .text = "A solid of tetrahedra or hexahedra.",
                                   .size = sizeof(geometry_def),
                                   ROWS(solid_rows)};

static const row rigid_rows[] = {
    PLACE_ROWS,
    ROW(geometry_def, density, "density", T_NUM, .plain = 1, .unit = "kg/m^3", .lo = 0, .hi = 1e6,
        .lo_open = 1, .text = "mass of a volume; this or mass"),
    ROW(geometry_def, weight, "mass", T_NUM, .plain = 1, .unit = "kg", .lo = 0, .hi = 1e15,
        .lo_open = 1, .text = "of all of it; this or density"),
    STRETCH_ROW,
};
static const map_keys map_rigid = {
    .what = "rigid",
    .text =
        "A body that keeps its shape ([rigid bodies](contact.md#rigid-bodies)). Its mesh is one "
        "of tetrahedra or hexahedra, or a closed surface all of which is seen from its centre.",
    .size = sizeof(geometry_def),
    ROWS(rigid_rows)};

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
const map_keys map_section = {
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
static const map_keys map_natural = {
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
static const map_keys map_rod = {
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
static const map_keys map_chain = {
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
    ROW(body_def, rigid, "rigid", T_MAP, SUB(map_rigid),
        .text = "solid that keeps its shape (dimension 3)"),
    ROW(body_def, chain, "chain", T_MAP, SUB(map_chain),
        .text = "links in a row (dimension 2 or 3)"),
    ROW(body_def, rod, "rod", T_MAP, SUB(map_rod), .text = "thin rods (dimension 3)"),
};
const map_keys map_body = {.what = "body",
                           .text = "Exactly one of shell, plane, solid, rigid, chain and rod.",
                           .size = sizeof(body_def),
                           ROWS(body_rows)};
