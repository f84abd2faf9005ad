// Mappings of patches of interlocking materials.
#include "schema.h"

#define OPT_STRUCT pl_native_opts
const pl_option pl_native_option_table[] = {PL_NATIVE_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
#undef OPT_STRUCT
const int pl_native_option_count = COUNT(pl_native_option_table);

#define OPT_STRUCT pl_macro_opts
const pl_option pl_macro_option_table[] = {PL_MACRO_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
#undef OPT_STRUCT
const int pl_macro_option_count = COUNT(pl_macro_option_table);

#define PICK_ROWS                                                                                  \
  ROW(patch_pick_def, edge, "edge", T_CHOICE, .choices = "left|right|front|back|rim",              \
      .text = "those at the least or largest x, y of the patch as it lies in its own plane, or "   \
              "all whose cell has a neighbour missing"),                                           \
      ROW(patch_pick_def, near, "near", T_VEC3, .plain = 1, .unit = "m",                           \
          .text = "the one whose origin is nearest"),                                              \
      ROW(patch_pick_def, from, "from", T_VEC3, .plain = 1, .unit = "m",                           \
          .text = "a corner of a box with their origins"),                                         \
      ROW(patch_pick_def, to, "to", T_VEC3, .plain = 1, .unit = "m", .text = "the other corner"),  \
      ROW(patch_pick_def, elements, "elements", T_RAW, .choices = "[integer, ...]",                \
          .text = "their numbers, from 1")

static const row held_rows[] = {PICK_ROWS};
static const map_keys map_held = {.what = "held",
                                  .text =
                                      "Elements that do not move: exactly one way to say which.",
                                  .size = sizeof(patch_pick_def),
                                  ROWS(held_rows)};

static const row patch_load_rows[] = {
    ROW(patch_pick_def, force, "force", T_VEC3, .plain = 1, .need = 1, .unit = "N",
        .text = "on each of them, at its origin"),
    PICK_ROWS,
};
static const map_keys map_patch_load = {
    .what = "element-load",
    .text = "A force on elements; on the one in the middle of the patch when nothing says which.",
    .size = sizeof(patch_pick_def),
    ROWS(patch_load_rows)};

static const row patch_rows[] = {
    ROW(patch_def, name, "name", T_WORD, .text = "name; that of its material when left out"),
    ROW(patch_def, of, "of", T_WORD, .text = "the material; the first one when left out"),
    ROW(patch_def, cells, "cells", T_RAW, .choices = "[integer, integer]",
        .text = "so many along each lattice vector"),
    ROW(patch_def, shells, "shells", T_INT, .value = 0, .lo = 0, .hi = 400,
        .text = "shells of cells about one: 1, 7, 19, 37 ... cells on hexagonal lattices"),
    ROW(patch_def, disk, "disk", T_NUM, .plain = 1, .unit = "m", .lo = 0, .hi = 1e3, .lo_open = 1,
        .value = -1, .text = "radius; all elements whose origin is within it"),
    ROW(patch_def, rectangle, "rectangle", T_RAW, .choices = "[length, length]",
        .text = "its sides; all elements whose origin is within it"),
    ROW(patch_def, outline, "outline", T_RAW, .choices = "[[length, length], ...] | file",
        .text = "corners of a polygon, or a CSV file of them (x_mm,y_mm); all elements whose "
                "origin is within it"),
    ROW(patch_def, rotate, "rotate", T_MAP, SUB(map_rotate),
        .text = "turned, from the xy plane, before it is moved"),
    ROW(patch_def, at, "at", T_VEC3, .plain = 1, .unit = "m", .text = "where its middle is"),
    ROW(patch_def, held, "held", T_LIST, SUB(map_held), .text = "elements that do not move"),
    ROW(patch_def, loads, "loads", T_LIST, SUB(map_patch_load), .text = "forces on elements"),
};
const map_keys map_patch = {
    .what = "patch",
    .text = "Finitely many elements of an interlocking material: exactly one of `cells`, `shells`, "
            "`disk`, `rectangle` and `outline`. The analysis `native` lets them come to rest under "
            "gravity and loads, on obstacles, and `macro` a sheet of the same shape.",
    .size = sizeof(patch_def),
    ROWS(patch_rows)};
