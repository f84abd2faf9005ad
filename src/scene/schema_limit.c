// Mappings of limits of stretch.
#include "schema.h"

#define STRAIN_ROW(field, key_, text_)                                                             \
  ROW(limit_def, field, key_, T_NUM, .plain = 1, .unit = "", .value = -1, .lo = 0, .hi = 10,       \
      .lo_open = 1, .text = text_)

static const row limit_rows[] = {
    STRAIN_ROW(stretch, "stretch", "strain in all directions, e.g. 1 %"),
    STRAIN_ROW(warp, "warp", "strain along the first axis of the material"),
    STRAIN_ROW(weft, "weft", "strain along the second axis"),
    STRAIN_ROW(
        bias, "bias",
        "strain at 45 degrees from warp to weft, which tilts the ellipse: the other diagonal "
        "has less; left out: no tilt"),
    ROW(limit_def, angle, "angle", T_NUM, .plain = 1, .unit = "rad", ANY,
        .text = "turns the axes of the limit from those of the material, right-handed"),
    ROW(limit_def, curve, "curve", T_TEXT,
        .text = "CSV file of a polar curve: columns angle (angle_deg, angle_rad) and stretch "
                "(1.05), or strain (0.05, strain_percent), over half a turn"),
    ROW(limit_def, directions, "directions", T_INT, .value = 18, .lo = 3, .hi = 360,
        .text = "curve: directions in which it is kept"),
    ROW(limit_def, form, "form", T_CHOICE, .choices = "directions|guarded|ellipse",
        .text = "curve: kept in these directions alone; the same with bounds made smaller so that "
                "it holds between them; or its largest ellipse, in all directions"),
};
const map_info map_limit = {
    .what = "limit",
    .text = "How far a shell can be stretched: elastic below, no further beyond. Limits are "
            "strains: 1 % lets 1 m become 1.01 m. Exactly one of stretch, warp with weft, and "
            "curve. `drape` and the methods project, reflect, bdf2-project, bdf2-reflect and "
            "coupled of `transient` keep them; other analyses do not know them.",
    .size = sizeof(limit_def),
    ROWS(limit_rows)};

static const row region_rows[] = {
    ROW(region_def, nodes, "nodes", T_RAW, .need = 1, .choices = "selector",
        .text = "triangles with all three corners among these nodes"),
    ROW(region_def, limit, "limit", T_MAP, .need = 1, SUB(map_limit),
        .text = "their limit, instead of the shell's"),
};
const map_info map_region = {.what = "region",
                             .text = "A part of a shell with a limit of its own.",
                             .size = sizeof(region_def),
                             ROWS(region_rows)};

const map_info map_projection = {.what = "projection",
                                 .text = "How the nearest state within all limits is found.",
                                 .size = sizeof(projection_def),
                                 .opt = pl_project_option_table,
                                 .nopt = &pl_project_option_count,
                                 .opt_offset = offsetof(projection_def, opts)};
