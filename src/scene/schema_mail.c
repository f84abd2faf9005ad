// Mappings of interlocking materials.
#include "schema.h"

#define OPT_STRUCT pl_limits_opts
const pl_option pl_limits_option_table[] = {PL_LIMITS_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
#undef OPT_STRUCT
const int pl_limits_option_count = COUNT(pl_limits_option_table);

#define OPT_STRUCT pl_mail_design_opts
const pl_option pl_mail_design_option_table[] = {PL_MAIL_DESIGN_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
#undef OPT_STRUCT
const int pl_mail_design_option_count = COUNT(pl_mail_design_option_table);

#define POSITIVE_LENGTH .need = 1, .unit = "m", .lo = 0, .hi = 1e3, .lo_open = 1

static key_list family_keys(int which) {
  const pl_mail_family *f = pl_mail_table[which];
  return (key_list){f->brief, f->text, f->nkey, f->key};
}

static const map_keys map_family[PL_MAIL_COUNT] = {
#define X(name_, key_)                                                                             \
  [PL_MAIL_##name_] = {                                                                            \
      .what = key_, .size = sizeof(shape_def), .keys = family_keys, .which = PL_MAIL_##name_},
    PL_MAIL_LIST(X)
#undef X
};

static const row ring_rows[] = {
    ROW(ring_def, centre, "centre", T_VEC3, .unit = "m", .text = "of the circle"),
    ROW(ring_def, axis, "axis", T_VEC3, .plain = 1, .unit = "",
        .text = "across the ring's plane; [0, 0, 1] when left out"),
    ROW(ring_def, radius, "radius", T_NUM, POSITIVE_LENGTH, .text = "of the circle"),
    ROW(ring_def, wire, "wire", T_NUM, POSITIVE_LENGTH,
        .text = "half the section's width in the ring's plane; of round wire its radius"),
    ROW(ring_def, height, "height", T_NUM, .unit = "m", .value = -1, .lo = 0, .hi = 1e3,
        .lo_open = 1, .text = "half the section's height along the axis; round when left out"),
};
static const map_keys map_ring = {.what = "ring",
                                  .text = "A circle, thickened by a circle or an ellipse.",
                                  .size = sizeof(ring_def),
                                  ROWS(ring_rows)};

static const row link_rows[] = {
    ROW(chain_link_def, centre, "centre", T_VEC3, .unit = "m", .text = "of the link"),
    ROW(chain_link_def, axis, "axis", T_VEC3, .plain = 1, .unit = "",
        .text = "across the link's plane; [0, 0, 1] when left out"),
    ROW(chain_link_def, along, "along", T_VEC3, .plain = 1, .unit = "",
        .text = "the direction of its straight sides; [1, 0, 0] when left out"),
    ROW(chain_link_def, radius, "radius", T_NUM, POSITIVE_LENGTH, .text = "of the half circles"),
    ROW(chain_link_def, straight, "straight", T_NUM, POSITIVE_LENGTH,
        .text = "length of a straight side"),
    ROW(chain_link_def, wire, "wire", T_NUM, POSITIVE_LENGTH, .text = "radius of the wire"),
};
static const map_keys map_link = {
    .what = "chain-link",
    .text = "Two half circles with straight sides between them, as links of chains are, "
            "thickened by a circle.",
    .size = sizeof(chain_link_def),
    ROWS(link_rows)};

static const row harmonic_rows[] = {
    ROW(harmonic_def, cosine, "cosine", T_VEC3, .unit = "m", .text = "of cos(k t)"),
    ROW(harmonic_def, sine, "sine", T_VEC3, .unit = "m", .text = "of sin(k t)"),
};
static const map_keys map_harmonic = {.what = "harmonic",
                                      .text = "The k-th harmonic of a curve, at place k.",
                                      .size = sizeof(harmonic_def),
                                      ROWS(harmonic_rows)};

static const row curve_rows[] = {
    ROW(curve_def, centre, "centre", T_VEC3, .unit = "m", .text = "its mean"),
    ROW(curve_def, wire, "wire", T_NUM, POSITIVE_LENGTH, .text = "radius of the wire"),
    ROW(curve_def, harmonics, "harmonics", T_LIST, SUB(map_harmonic), .need = 1,
        .text = "coefficients of the first harmonic, the second and so on"),
};
static const map_keys map_curve = {
    .what = "curve",
    .text = "A closed curve of few harmonics, t from 0 to 2 pi, thickened by a circle.",
    .size = sizeof(curve_def),
    ROWS(curve_rows)};

#define POINTS_ROW(text_)                                                                          \
  ROW(plate_def, points, "points", T_RAW, .need = 1, .choices = "[[x, y, z], ...]", .text = text_)
static const row plate_rows[] = {
    POINTS_ROW("corners in order, in a plane; convex"),
    ROW(plate_def, radius, "radius", T_NUM, POSITIVE_LENGTH, .text = "half its thickness"),
};
static const map_keys map_plate = {.what = "plate",
                                   .text =
                                       "A convex polygon with all that is within a radius of it.",
                                   .size = sizeof(plate_def),
                                   ROWS(plate_rows)};

static const row capsules_rows[] = {
    POINTS_ROW("corners in order"),
    ROW(plate_def, radius, "radius", T_NUM, POSITIVE_LENGTH, .text = "of the wire"),
    ROW(plate_def, closed, "closed", T_CHOICE, .choices = "no|yes",
        .text = "back to the first point: only closed ones can be linked"),
};
static const map_keys map_capsules = {.what = "capsules",
                                      .text = "A round wire along a line of straight edges.",
                                      .size = sizeof(plate_def),
                                      ROWS(capsules_rows)};

static const row mesh_piece_rows[] = {
    ROW(mesh_piece_def, file, "file", T_RAW, .need = 1, .choices = "file",
        .text = "file beside the scene (any of" PL_MESH_ENDINGS ") with a closed surface"),
    ROW(mesh_piece_def, mesh_units, "mesh_units", T_TEXT,
        .text = "length unit of the file; the scene's when left out"),
    ROW(mesh_piece_def, scale, "scale", T_NUM, .plain = 1, .unit = "", .value = 1, .lo = 0,
        .hi = 1e12, .lo_open = 1, .text = "factor on all coordinates"),
    ROW(mesh_piece_def, radius, "radius", T_NUM, POSITIVE_LENGTH,
        .text = "of the spheres that thicken its triangles on both sides"),
};
static const map_keys map_mesh_piece = {
    .what = "mesh",
    .text = "The triangles of a closed surface with all that is within a radius of them.",
    .size = sizeof(mesh_piece_def),
    ROWS(mesh_piece_rows)};

static const row piece_rows[] = {
    ROW(piece_def, ring, "ring", T_MAP, SUB(map_ring), .text = "a ring"),
    ROW(piece_def, link, "link", T_MAP, SUB(map_link), .text = "a link of a chain"),
    ROW(piece_def, curve, "curve", T_MAP, SUB(map_curve), .text = "any closed curve"),
    ROW(piece_def, plate, "plate", T_MAP, SUB(map_plate), .text = "a plate"),
    ROW(piece_def, capsules, "capsules", T_MAP, SUB(map_capsules),
        .text = "a wire of straight edges"),
    ROW(piece_def, mesh, "mesh", T_MAP, SUB(map_mesh_piece), .text = "a mesh"),
};
static const map_keys map_piece = {
    .what = "piece", .text = "One of these.", .size = sizeof(piece_def), ROWS(piece_rows)};

static const row mail_element_rows[] = {
    ROW(mail_element_def, name, "name", T_WORD, .text = "for cells with several kinds of elements"),
    ROW(mail_element_def, pieces, "pieces", T_LIST, SUB(map_piece), .need = 1,
        .text = "rigid and fused to each other"),
};
static const map_keys map_mail_element = {.what = "linked-element",
                                          .text = "A rigid element.",
                                          .size = sizeof(mail_element_def),
                                          ROWS(mail_element_rows)};

static const row rotation_rows[] = {
    ROW(rotate_def, axis, "axis", T_VEC3, .plain = 1, .unit = "",
        .text = "[0, 0, 1] when left out"),
    ROW(rotate_def, angle, "angle", T_NUM, .need = 1, .unit = "rad", ANY,
        .text = "right-handed about the axis"),
};
static const map_keys map_element_rotation = {.what = "element-turn",
                                              .text = "A turn of an element.",
                                              .size = sizeof(rotate_def),
                                              ROWS(rotation_rows)};

static const row cell_rows[] = {
    ROW(cell_def, element, "element", T_WORD, .text = "its name; the first one when left out"),
    ROW(cell_def, at, "at", T_VEC3, .unit = "m", .text = "where its origin is"),
    ROW(cell_def, rotate, "rotate", T_MAP, SUB(map_element_rotation),
        .text = "turned before it is moved"),
};
static const map_keys map_cell = {
    .what = "cell", .text = "An element of the cell.", .size = sizeof(cell_def), ROWS(cell_rows)};

static const row own_rows[] = {
    ROW(own_mail_def, elements, "elements", T_LIST, SUB(map_mail_element), .need = 1,
        .text = "kinds of elements"),
    ROW(own_mail_def, cell, "cell", T_LIST, SUB(map_cell),
        .text = "elements of a cell; one at the origin when left out"),
    ROW(own_mail_def, a, "a", T_VEC3, .unit = "m", .need = 1,
        .text = "first lattice vector, in the xy plane"),
    ROW(own_mail_def, b, "b", T_VEC3, .unit = "m", .need = 1, .text = "second lattice vector"),
};
static const map_keys map_own_mail = {.what = "own",
                                      .text = "A material of elements of one's own. Their "
                                              "lengths, places and angles may follow parameters "
                                              "(`$name`), which are what mail-design changes.",
                                      .size = sizeof(own_mail_def),
                                      ROWS(own_rows)};

static const row measured_limits_rows[] = {
    ROW(measured_limits_def, file, "file", T_TEXT, .need = 1,
        .text = "CSV with the columns angle_deg, strain_max, strain_min and play, or some of the "
                "last three; standard deviations as strain_max_sd and so on"),
    ROW(measured_limits_def, name, "name", T_TEXT,
        .text = "in figures and tables; 'measured' when left out"),
    ROW(measured_limits_def, note, "note", T_TEXT,
        .text = "a sentence for the report, e.g. how they were measured"),
};
const map_keys map_measured_limits = {.what = "measured-limits",
                                      .text = "Limits of strain that were measured or published.",
                                      .size = sizeof(measured_limits_def),
                                      ROWS(measured_limits_rows)};

#define WANTED .plain = 1, .unit = "", .lo = 0, .lo_open = 1
static const row mail_goal_rows[] = {
    ROW(mail_goal_def, stretch, "stretch", T_NUM, WANTED, .hi = 10, .text = "longest strain"),
    ROW(mail_goal_def, shrink, "shrink", T_NUM, WANTED, .hi = 0.9,
        .text = "shortest strain, as a positive number"),
    ROW(mail_goal_def, play, "play", T_NUM, WANTED, .hi = 100,
        .text = "from the shortest to the longest length, over the shortest"),
    ROW(mail_goal_def, curvature_up, "curvature_up", T_NUM, .plain = 1, .unit = "1/m", .lo = 0,
        .lo_open = 1, .hi = 1e6, .text = "largest curvature of a cylinder that is bent upwards"),
    ROW(mail_goal_def, curvature_down, "curvature_down", T_NUM, .plain = 1, .unit = "1/m", .lo = 0,
        .lo_open = 1, .hi = 1e6, .text = "the same downwards, as a positive number"),
    ROW(mail_goal_def, asymmetry, "asymmetry", T_NUM, WANTED, .hi = 1e3,
        .text = "largest curvature upwards over that downwards"),
    ROW(mail_goal_def, isotropic, "isotropic", T_CHOICE,
        .choices = "stretch|shrink|play|curvature_up|curvature_down|asymmetry",
        .text = "the same in its directions, whatever it is"),
    ROW(mail_goal_def, angle, "angle", T_RAW, .choices = "angle | [angle, ...]",
        .text = "its directions; all when left out"),
    ROW(mail_goal_def, weight, "weight", T_NUM, .plain = 1, .unit = "", .value = 1, .lo = 0,
        .hi = 1e6, .lo_open = 1, .text = "factor in the sum of squares"),
};
const map_keys map_mail_goal = {
    .what = "mail-goal",
    .text = "A limit that is wanted: exactly one of stretch, shrink, play, curvature_up, "
            "curvature_down, asymmetry and isotropic.",
    .size = sizeof(mail_goal_def),
    ROWS(mail_goal_rows)};

static const row mail_variable_rows[] = {
    ROW(mail_variable_def, name, "name", T_WORD, .need = 1, .text = "key of the family"),
    ROW(mail_variable_def, min, "min", T_RAW, .choices = "value",
        .text = "lower bound; half the value when left out"),
    ROW(mail_variable_def, max, "max", T_RAW, .choices = "value",
        .text = "upper bound; twice the value when left out"),
};
const map_keys map_mail_variable = {
    .what = "mail-variable",
    .text = "A length or angle that a design may change; its name alone for short.",
    .size = sizeof(mail_variable_def),
    ROWS(mail_variable_rows)};

static const row facets_rows[] = {
    ROW(facets_def, segments, "segments", T_INT, .need = 1, .lo = 3, .hi = 512,
        .text = "along each ring or curve"),
    ROW(facets_def, points, "points", T_INT, .need = 1, .lo = 3, .hi = 128, .text = "of a section"),
    ROW(facets_def, rot, "turn", T_RAW, .choices = "number | [number, ...]",
        .text = "of the first segment, as a part of one: 0.5 lets flats be where corners were; of "
                "each piece of an element, the last one for those that follow"),
};
static const map_keys map_facets = {
    .what = "facets",
    .text = "Rings and curves as coarse meshes whose corners lie on them, as many programs take "
            "them; such elements touch before smooth ones do.",
    .size = sizeof(facets_def),
    ROWS(facets_rows)};

static const row mail_rows[] = {
    ROW(mail_def, name, "name", T_WORD, .text = "name; that of its family when left out"),
#define X(name_, key_)                                                                             \
  ROW(mail_def, family[PL_MAIL_##name_], key_, T_MAP, SUB(map_family[PL_MAIL_##name_])),
    PL_MAIL_LIST(X)
#undef X
        ROW(mail_def, own, "own", T_MAP, SUB(map_own_mail), .text = "elements of one's own"),
    ROW(mail_def, facets, "facets", T_MAP, SUB(map_facets),
        .text = "rings and curves as coarse meshes; smooth when left out"),
    ROW(mail_def, density, "density", T_NUM, .plain = 1, .unit = "kg/m^3", .value = 1010, .lo = 0,
        .hi = 1e6, .lo_open = 1,
        .text = "of what elements are made of; polyamide 12 when left out"),
    ROW(mail_def, printable_gap, "printable_gap", T_NUM, .plain = 1, .unit = "m", .value = 3e-4,
        .lo = 0, .hi = 1, .text = "smallest gap that a printer leaves open, and thinnest wire"),
};
const map_keys map_mail = {.what = "interlocking",
                           .text = "A material of rigid elements that hold each other by being "
                                   "linked, of exactly one family.",
                           .size = sizeof(mail_def),
                           ROWS(mail_rows)};
