// Mappings of meshes that are made on the spot; rows as in schema.c.
#include "schema.h"

static const row grid_rows[] = {
    ROW(grid_def, size_at, "size", T_RAW, .need = 1, .choices = "[length, length]",
        .text = "lengths along x and y"),
    ROW(grid_def, cells, "cells", T_RAW, .need = 1, .choices = "[integer, integer]",
        .text = "squares along x and y"),
    ROW(grid_def, pattern, "pattern", T_CHOICE,
        .choices = "right|left|alternating|crossed|equilateral|irregular", .value = PL_EQUILATERAL,
        .text = "how squares are cut into triangles; irregular: moved nodes, shorter diagonals"),
};
static const map_keys map_grid = {
    .what = "grid",
    .text =
        "A rectangle in the xy plane with a corner at the origin. Groups: left right bottom top.",
    .size = sizeof(grid_def),
    ROWS(grid_rows)};
static const row disk_rows[] = {
    ROW(disk_def, radius, "radius", T_NUM, .plain = 1, .need = 1, .unit = "m", .lo = 0, .hi = 1e9,
        .lo_open = 1, .text = "radius"),
    ROW(disk_def, rings, "rings", T_INT, .value = 8, .lo = 1, .hi = 100000,
        .text = "rings of triangles"),
};
static const map_keys map_disk = {
    .what = "disk",
    .text = "A disk in the xy plane around the origin. Groups: centre rim.",
    .size = sizeof(disk_def),
    ROWS(disk_rows)};
static const row box_rows[] = {
    ROW(box_def, size_at, "size", T_RAW, .need = 1, .choices = "[length, length, length]",
        .text = "lengths along x, y and z"),
    ROW(box_def, cells, "cells", T_RAW, .need = 1, .choices = "[integer, integer, integer]",
        .text = "cells along x, y and z"),
    ROW(box_def, cell, "cell", T_CHOICE, .choices = "hex|tet",
        .text = "hexahedra, or six tetrahedra to a cell"),
};
static const map_keys map_box = {
    .what = "box",
    .text = "A block with a corner at the origin. Groups: left right (x), front back (y), bottom "
            "top (z).",
    .size = sizeof(box_def),
    ROWS(box_rows)};

static const row voxels_rows[] = {
    ROW(voxels_def, file, "file", T_TEXT, .need = 1,
        .text = "closed surface, or a mesh of solids (any of" PL_MESH_ENDINGS
                "), a drawing to extrude along z (svg png), or labelled cells (vti)"),
    ROW(voxels_def, size, "size", T_NUM, .plain = 1, .unit = "m", .value = 0, .lo = 0, .hi = 1e9,
        .lo_open = 1,
        .text = "edge of a voxel, changed so that a whole number fits into the bounding box; left "
                "out: one through a plate, two through a strut, 2000 to 100000 in all; labelled "
                "cells as they are"),
    ROW(voxels_def, fraction, "fraction", T_NUM, .plain = 1, .unit = "", .value = 0.5, .lo = 0,
        .hi = 1, .lo_open = 1, .text = "part of its volume from which on a voxel is filled"),
    ROW(voxels_def, thickness, "thickness", T_NUM, .plain = 1, .unit = "m", .lo = 0, .hi = 1e9,
        .lo_open = 1, .value = -1, .text = "of a drawing, along z; needed for drawings"),
    ROW(voxels_def, width, "width", T_NUM, .plain = 1, .unit = "m", .lo = 0, .hi = 1e9,
        .lo_open = 1, .value = -1,
        .text = "of what is drawn, along x; left out: as the page of an SVG or the resolution of a "
                "PNG says"),
    ROW(voxels_def, threshold, "threshold", T_NUM, .plain = 1, .unit = "", .value = 0.5, .lo = 0,
        .hi = 1, .lo_open = 1,
        .text = "of a PNG: material is what has a channel darker than this part of white"),
    ROW(voxels_def, rule, "rule", T_CHOICE, .choices = "auto|nonzero|evenodd",
        .text = "inside is where the surface winds round at all, or an odd number of times; auto: "
                "nonzero, and evenodd where triangles are not turned the same way"),
    ROW(voxels_def, thin, "thin", T_CHOICE, .choices = "refuse|allow",
        .text = "places thinner than a voxel, which vanish or fall apart: an error, or a warning"),
};
static const map_keys map_voxels = {
    .what = "voxels",
    .text = "Hexahedra of equal edges in place of a part ([voxels](voxels.md)). Groups: left right "
            "(x), front back (y), bottom top (z), and those of the file.",
    .size = sizeof(voxels_def),
    ROWS(voxels_rows)};

static const row sphere_rows[] = {
    ROW(ball_def, radius, "radius", T_NUM, .plain = 1, .need = 1, .unit = "m", .lo = 0, .hi = 1e9,
        .lo_open = 1, .text = "radius, of the corners"),
    ROW(ball_def, level, "level", T_INT, .value = 2, .lo = 1, .hi = 8,
        .text = "1: an icosahedron of 20 faces; each further one cuts every face into four"),
};
static const map_keys map_sphere = {
    .what = "sphere",
    .text = "A ball about the origin, of tetrahedra from its faces to its centre.",
    .size = sizeof(ball_def),
    ROWS(sphere_rows)};
static const row cylinder_rows[] = {
    ROW(ball_def, radius, "radius", T_NUM, .plain = 1, .need = 1, .unit = "m", .lo = 0, .hi = 1e9,
        .lo_open = 1, .text = "radius, of the corners"),
    ROW(ball_def, length, "length", T_NUM, .plain = 1, .need = 1, .unit = "m", .lo = 0, .hi = 1e9,
        .lo_open = 1, .text = "along z, from the origin on"),
    ROW(ball_def, sides, "sides", T_INT, .value = 16, .lo = 3, .hi = 10000,
        .text = "flat ones around it"),
};
static const map_keys map_cylinder_mesh = {
    .what = "cylinder",
    .text = "A cylinder with flat ends about the z axis, of tetrahedra from its faces to its "
            "centre. Groups: bottom top.",
    .size = sizeof(ball_def),
    ROWS(cylinder_rows)};

#define RADIUS_ROW                                                                                 \
  ROW(arc_def, radius, "radius", T_NUM, .plain = 1, .need = 1, .unit = "m", .lo = 0, .hi = 1e9,    \
      .lo_open = 1, .text = "radius")
static const row line_rows[] = {
    ROW(line_def, from, "from", T_VEC, .plain = 1, .need = 1, .unit = "m", .text = "first node"),
    ROW(line_def, to, "to", T_VEC, .plain = 1, .need = 1, .unit = "m", .text = "last node"),
    SEGMENTS_ROW(line_def, 20, "edges, all of one length"),
};
static const map_keys map_line = {.what = "line",
                                  .text = "A straight line, for rods. Groups: start end.",
                                  .size = sizeof(line_def),
                                  ROWS(line_rows)};
static const row points_rows[] = {
    ROW(points_def, at, "at", T_RAW, .need = 1, .choices = "[[x, y, z], ...]",
        .text = "points, in order"),
    ROW(points_def, closed, "closed", T_CHOICE, .choices = "no|yes",
        .text = "back to the first point"),
    SEGMENTS_ROW(points_def, 1, "edges from each point to the next"),
};
static const map_keys map_points = {
    .what = "points",
    .text = "A line through points, for rods. Groups: start end, and corners: all the points.",
    .size = sizeof(points_def),
    ROWS(points_rows)};
static const row arc_rows[] = {
    RADIUS_ROW,
    ROW(arc_def, angle, "angle", T_NUM, .plain = 1, .unit = "rad", .value = 6.283185307179586,
        .lo = -6.283185307179587, .hi = 6.283185307179587,
        .text = "from the x axis on, right-handed; the whole turn makes a ring"),
    SEGMENTS_ROW(arc_def, 40, "edges, all of one length"),
};
static const map_keys map_arc = {
    .what = "arc",
    .text = "A part of a circle about the origin in the xy plane, or all of it, for rods; nodes "
            "lie on the circle. Groups: start end.",
    .size = sizeof(arc_def),
    ROWS(arc_rows)};
static const row helix_rows[] = {
    RADIUS_ROW,
    ROW(arc_def, pitch, "pitch", T_NUM, .plain = 1, .need = 1, .unit = "m", ANY,
        .text = "rise along z in one turn; negative: left-handed"),
    ROW(arc_def, turns, "turns", T_NUM, .plain = 1, .need = 1, .unit = "", .lo = 0, .hi = 1e6,
        .lo_open = 1, .text = "turns"),
    SEGMENTS_ROW(arc_def, 100, "edges of the whole helix"),
};
static const map_keys map_helix = {
    .what = "helix",
    .text = "A helix about the z axis that begins on the x axis, for rods. Groups: start end.",
    .size = sizeof(arc_def),
    ROWS(helix_rows)};

static const row mesh_rows[] = {
    ROW(mesh_def, grid, "grid", T_MAP, SUB(map_grid), .text = "rectangle of triangles"),
    ROW(mesh_def, disk, "disk", T_MAP, SUB(map_disk), .text = "disk of triangles"),
    ROW(mesh_def, box, "box", T_MAP, SUB(map_box), .text = "block of hexahedra or tetrahedra"),
    ROW(mesh_def, voxels, "voxels", T_MAP, SUB(map_voxels),
        .text = "hexahedra of equal edges in place of a closed surface or an extruded drawing"),
    ROW(mesh_def, sphere, "sphere", T_MAP, SUB(map_sphere), .text = "ball of tetrahedra"),
    ROW(mesh_def, cylinder, "cylinder", T_MAP, SUB(map_cylinder_mesh),
        .text = "cylinder of tetrahedra"),
    ROW(mesh_def, line, "line", T_MAP, SUB(map_line), .text = "straight line"),
    ROW(mesh_def, points, "points", T_MAP, SUB(map_points), .text = "line through points"),
    ROW(mesh_def, arc, "arc", T_MAP, SUB(map_arc), .text = "arc or ring"),
    ROW(mesh_def, helix, "helix", T_MAP, SUB(map_helix), .text = "helix"),
    ROW(mesh_def, given, "given", T_TEXT,
        .text = "name under which a program gives arrays ([Python](python.md)), of any cells"),
};
const map_keys map_mesh = {
    .what = "mesh",
    .text = "A mesh made on the spot; instead of the name of a file.",
    .tried = "file",
    .instead = "a file is named without braces, as in mesh: part.msh; a surface to be "
               "filled is mesh: {voxels: {file: part.stl}}",
    .size = sizeof(mesh_def),
    ROWS(mesh_rows)};
