// Mappings of obstacles and of the nodes that feel them.
#include "schema.h"

#define LENGTH_ROW(def, field, key_, text_)                                                        \
  ROW(def, field, key_, T_NUM, .plain = 1, .need = 1, .unit = "m", .lo = 0, .hi = 1e9,             \
      .lo_open = 1, .text = text_)
#define PLACE_ROW(def, field, key_, text_)                                                         \
  ROW(def, field, key_, T_VEC, .plain = 1, .need = 1, .unit = "m", .text = text_)

static const row half_space_rows[] = {
    ROW(half_space_def, through, "through", T_VEC, .plain = 1, .unit = "m",
        .text = "any of its points, the origin when left out"),
    ROW(half_space_def, normal, "normal", T_VEC, .plain = 1, .need = 1, .unit = "",
        .text = "out of it, to the free side; of any length"),
};
static const map_info map_half_space = {
    .what = "obstacle-plane",
    .text = "All that lies behind a plane; in two dimensions behind a line.",
    .size = sizeof(half_space_def),
    ROWS(half_space_rows)};
static const row ball_rows[] = {
    PLACE_ROW(ball_def, centre, "centre", "its centre"),
    LENGTH_ROW(ball_def, radius, "radius", "its radius"),
};
static const map_info map_ball = {.what = "obstacle-sphere",
                                  .text = "A ball; in two dimensions a disc.",
                                  .size = sizeof(ball_def),
                                  ROWS(ball_rows)};
static const row block_rows[] = {
    PLACE_ROW(block_def, centre, "centre", "its centre"),
    PLACE_ROW(block_def, size, "size", "its sides"),
    ROW(block_def, rotate, "rotate", T_MAP, SUB(map_rotate), .text = "turn about its centre"),
    ROW(block_def, round, "round", T_NUM, .plain = 1, .unit = "m", .lo = 0, .hi = 1e9,
        .text = "how far it is rounded outwards"),
};
static const map_info map_block = {.what = "obstacle-box",
                                   .text = "A block; in two dimensions a rectangle.",
                                   .size = sizeof(block_def),
                                   ROWS(block_rows)};
static const row capsule_rows[] = {
    PLACE_ROW(capsule_def, from, "from", "one end of its axis"),
    PLACE_ROW(capsule_def, to, "to", "the other end"),
    LENGTH_ROW(capsule_def, radius, "radius", "its radius"),
};
static const map_info map_capsule = {.what = "obstacle-capsule",
                                     .text = "A round bar with round ends.",
                                     .size = sizeof(capsule_def),
                                     ROWS(capsule_rows)};

static const row surface_rows[] = {
    ROW(surface_def, file, "file", T_TEXT, .need = 1,
        .text = "file beside the scene (obj stl ply msh vtu) with a closed surface"),
    ROW(surface_def, mesh_units, "mesh_units", T_TEXT,
        .text = "length unit of the mesh file; the scene's when left out"),
    ROW(surface_def, scale, "scale", T_NUM, .plain = 1, .unit = "", .value = 1, .lo = 0, .hi = 1e12,
        .lo_open = 1, .text = "factor on all coordinates, first"),
    ROW(surface_def, rotate, "rotate", T_MAP, SUB(map_rotate), .text = "turn, second"),
    ROW(surface_def, translate, "translate", T_VEC, .plain = 1, .unit = "m",
        .text = "shift, third"),
    ROW(surface_def, merge, "merge", T_NUM, .plain = 1, .unit = "m", .lo = 0, .hi = 1e9,
        .text = "merge vertices of the mesh that are not farther apart than this; equal ones when "
                "left out"),
    ROW(surface_def, round, "round", T_NUM, .plain = 1, .unit = "m", .lo = 0, .hi = 1e9,
        .text = "how far it is rounded outwards"),
};
static const map_info map_surface = {
    .what = "obstacle-mesh",
    .text = "What a closed surface of triangles encloses (dimension 3). Every edge belongs to two "
            "triangles; which way they are turned does not matter as long as they agree.",
    .size = sizeof(surface_def),
    ROWS(surface_rows)};

static const row obstacle_rows[] = {
    ROW(obstacle_def, name, "name", T_WORD,
        .text = "name for messages, results and --set; that of its shape when left out"),
    ROW(obstacle_def, plane, "plane", T_MAP, SUB(map_half_space), .text = "half space"),
    ROW(obstacle_def, sphere, "sphere", T_MAP, SUB(map_ball), .text = "ball"),
    ROW(obstacle_def, box, "box", T_MAP, SUB(map_block), .text = "block"),
    ROW(obstacle_def, capsule, "capsule", T_MAP, SUB(map_capsule), .text = "round bar"),
    ROW(obstacle_def, mesh, "mesh", T_MAP, SUB(map_surface), .text = "closed surface of a file"),
    ROW(obstacle_def, friction, "friction", T_NUM, .plain = 1, .unit = "", .lo = 0, .hi = 1e6,
        .text = "Coulomb's coefficient"),
    ROW(obstacle_def, velocity, "velocity", T_VEC, .plain = 1, .unit = "m/s",
        .text = "it moves at this velocity from time 0 on (transients)"),
};
const map_info map_obstacle = {
    .what = "obstacle",
    .text = "A rigid body that nodes of [contact](#contact) cannot enter: exactly one of plane, "
            "sphere, box, capsule and mesh.",
    .size = sizeof(obstacle_def),
    ROWS(obstacle_rows)};

static const row contact_rows[] = {
    ROW(contact_def, node, "node", T_RAW, .choices = "selector",
        .text = "one node; node or nodes must be given"),
    ROW(contact_def, nodes, "nodes", T_RAW, .choices = "selector",
        .text = "several nodes, each treated alike"),
    ROW(contact_def, radius, "radius", T_NUM, .plain = 1, .unit = "m", .lo = 0, .hi = 1e9,
        .text = "of a ball about each node, e.g. half the thickness of a shell"),
    ROW(contact_def, friction, "friction", T_NUM, .plain = 1, .unit = "", .value = -1, .lo = 0,
        .hi = 1e6,
        .text = "Coulomb's coefficient of these nodes; that of the obstacle when left out"),
};
const map_info map_contact = {
    .what = "contact",
    .text = "Nodes that feel the obstacles. `static`, `drape` and `transient` (not bdf2) take them "
            "into account; other analyses do not know contact.",
    .size = sizeof(contact_def),
    ROWS(contact_rows)};

static const row self_contact_rows[] = {
    LENGTH_ROW(self_contact_def, thickness, "thickness", "distance that layers keep"),
    ROW(self_contact_def, friction, "friction", T_NUM, .plain = 1, .unit = "", .lo = 0, .hi = 1e6,
        .text = "Coulomb's coefficient"),
};
const map_info map_self_contact = {
    .what = "self_contact",
    .text = "All triangles of all shells keep a distance from each other, but for those that are "
            "closer at rest along one sheet. `drape` and `transient` with implicit-euler or with a "
            "method for limits of stretch take it into account.",
    .size = sizeof(self_contact_def),
    ROWS(self_contact_rows)};
