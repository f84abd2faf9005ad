// Mappings of loads, tendons and springs to the ground.
#include "schema.h"

#define TIMING_ROWS(def)                                                                           \
  ROW(def, time.harmonic, "harmonic", T_INT, .lo = 0, .hi = 1000,                                  \
      .text = "multiple of the base frequency; 0: constant"),                                      \
      ROW(def, time.phase, "phase", T_NUM, .unit = "rad", ANY,                                     \
          .text = "phase of amplitude sin(harmonic omega t + phase)"),                             \
      OVER_ROW(def, time.over)

static const row load_rows[] = {
    NAME_ROW(load_def),
    SELECT_ROWS(load_def),
    ROW(load_def, faces, "faces", T_RAW, .choices = "selector",
        .text = "faces of shells and solids all of whose nodes are chosen, for total, pressure and "
                "traction"),
    ROW(load_def, force, "force", T_VEC, .unit = "N", .text = "force on every node"),
    ROW(load_def, total, "total", T_VEC, .unit = "N",
        .text = "force shared equally by the nodes, or by area over the faces"),
    ROW(load_def, pressure, "pressure", T_NUM, .unit = "Pa", ANY,
        .text = "pressure on faces, normal to them as they turn: onto the skin of a solid, and "
                "along the normals of a shell's triangles"),
    ROW(load_def, traction, "traction", T_VEC, .unit = "Pa",
        .text = "force per area of faces at rest, in a fixed direction"),
    ROW(load_def, moment, "moment", T_VEC3, .unit = "N.m",
        .text = "moment on a patch of nodes, as pairs of forces that grow with their distance and "
                "turn with it"),
    ROW(load_def, acceleration, "acceleration", T_VEC, .unit = "m/s^2",
        .text = "acceleration of the base: all that has mass is pushed against it, and motions "
                "are those relative to the base"),
    ROW(load_def, given, "given", T_TEXT,
        .text = "name under which a program gives a load on nodes, of places and rates "
                "([Python](python.md))"),
    ROW(load_def, strength, "strength", T_NUM, .unit = "", .value = 1, ANY,
        .text = "number that a load that is given is told, and that follows the course of time"),
    TIMING_ROWS(load_def),
};
const map_keys map_load = {.what = "load",
                           .text = "Exactly one of force, total, pressure, traction, moment, "
                                   "acceleration and given: constant, harmonic or over time. See "
                                   "[loads](loads.md).",
                           .size = sizeof(load_def),
                           ROWS(load_rows)};

static const row tendon_rows[] = {
    NAME_ROW(tendon_def),
    ROW(tendon_def, through, "through", T_RAW, .need = 1, .choices = "[node, node, ...]",
        .text = "nodes that it runs through freely, fixed to the first and the last"),
    ROW(tendon_def, tension, "tension", T_NUM, .unit = "N", .lo = 0, .hi = 1e30,
        .text = "its tension; or pull and stiffness"),
    ROW(tendon_def, pull, "pull", T_NUM, .unit = "m", ANY,
        .text = "by how much it is made shorter; through at most 7 points"),
    ROW(tendon_def, stiffness, "stiffness", T_PAR, .elem = PL_ELEM_tendon),
    ROW(tendon_def, slack, "slack", T_PAR, .elem = PL_ELEM_tendon),
    TIMING_ROWS(tendon_def),
};
const map_keys map_tendon = {
    .what = "tendon",
    .text = "A cable without mass and friction through points. It pulls, and never pushes.",
    .size = sizeof(tendon_def),
    ROWS(tendon_rows)};

static const row foundation_rows[] = {
    NAME_ROW(foundation_def),
    ROW(foundation_def, node, "node", T_RAW, .choices = "selector",
        .text = "one node; node, nodes or faces must be given"),
    ROW(foundation_def, nodes, "nodes", T_RAW, .choices = "selector", .text = "several nodes"),
    ROW(foundation_def, faces, "faces", T_RAW, .choices = "selector",
        .text = "faces of shells and solids all of whose nodes are chosen"),
    ROW(foundation_def, stiffness, "stiffness", T_NUM, .unit = "N/m", .lo = 0, .hi = 1e30,
        .text = "stiffness of every node; stiffness, total or per_area must be given"),
    ROW(foundation_def, total, "total", T_NUM, .unit = "N/m", .lo = 0, .hi = 1e30,
        .text = "stiffness shared equally by the nodes, or by area over the faces"),
    ROW(foundation_def, per_area, "per_area", T_NUM, .unit = "N/m^3", .lo = 0, .hi = 1e30,
        .text = "stiffness per area of the faces"),
    ROW(foundation_def, direction, "direction", T_RAW, .choices = "[x, y, z] | normal",
        .text = "of the springs: fixed, or normal to the faces at rest; all directions when left "
                "out"),
};
const map_keys map_foundation = {.what = "foundation",
                                 .text = "Linear springs from nodes to their places at rest.",
                                 .size = sizeof(foundation_def),
                                 ROWS(foundation_rows)};
