// Mappings of forces between two ends: elastic stops, dry friction, tables.
#include "schema.h"

#define ENDS_ROW(def)                                                                              \
  ROW(def, nodes, "nodes", T_RAW, .need = 1, .choices = "[end, end]",                              \
      .text = "its two ends: nodes, `node.x` for one direction, or `ground`")

static const row stop_rows[] = {
    NAME_ROW(stop_def),
    ENDS_ROW(stop_def),
    ROW(stop_def, stiffness, "stiffness", T_PAR, .need = 1, .elem = PL_ELEM_stop1),
    ROW(stop_def, gap, "gap", T_PAR, .elem = PL_ELEM_stop1),
    ROW(stop_def, side, "side", T_CHOICE, .choices = "above|below",
        .text = "closes when the elongation exceeds the gap, or falls below minus the gap"),
};
const map_keys map_stop = {
    .what = "stop",
    .text =
        "An elastic stop, or unilateral spring: force stiffness (elongation - gap) once the "
        "elongation (of two unknowns: displacement of the second end less that of the first; of "
        "two nodes: change of their distance) exceeds the gap, none before.",
    .size = sizeof(stop_def),
    ROWS(stop_rows)};

static const row friction_rows[] = {
    NAME_ROW(friction_def),
    ENDS_ROW(friction_def),
    ROW(friction_def, law, "law", T_CHOICE, .choices = "jenkins|tanh",
        .text = "spring and Coulomb slider in series, or limit tanh(rate / velocity)"),
    ROW(friction_def, limit, "limit", T_PAR, .elem = PL_ELEM_jenkins1, .choices = "mu normal",
        .text = "force at which it slips; or mu and normal"),
    ROW(friction_def, mu, "mu", T_NUM, .unit = "", .value = -1, .lo = 0, .hi = 1e6,
        .text = "coefficient of friction: the limit is mu times normal"),
    ROW(friction_def, normal, "normal", T_NUM, .unit = "N", .value = -1, .lo = 0, .hi = 1e30,
        .text = "force that presses the ends together, constant"),
    ROW(friction_def, stiffness, "stiffness", T_PAR, .elem = PL_ELEM_jenkins1, .choices = "none",
        .text = "jenkins, needed: stiffness while it sticks"),
    ROW(friction_def, velocity, "velocity", T_PAR, .elem = PL_ELEM_friction1, .choices = "none",
        .text = "tanh, needed: rate at which 76 % of the limit are felt"),
};
const map_keys map_friction = {.what = "friction",
                               .text = "Dry friction against the elongation of its two ends.",
                               .size = sizeof(friction_def),
                               ROWS(friction_rows)};

static const row table_rows[] = {
    NAME_ROW(table_def),
    ENDS_ROW(table_def),
    ROW(table_def, file, "file", T_TEXT, .need = 1,
        .text = "CSV file: a header such as `x_mm,force_N` (`v_m/s` for rates), then two columns, "
                "the first one rising"),
    ROW(table_def, of, "of", T_CHOICE, .choices = "elongation|rate",
        .text = "what the first column is; over rates the force at 0 must be 0"),
    ROW(table_def, interpolation, "interpolation", T_CHOICE, .choices = "cubic|linear",
        .text = "between the points: monotone cubics with continuous slope, or straight lines; "
                "beyond the first and last point the slopes there go on"),
    ROW(table_def, factor, "factor", T_PAR, .elem = PL_ELEM_piece1),
};
const map_keys map_table = {
    .what = "table",
    .text = "A force given by a table: > 0 pulls the ends together. Elongation as for a stop.",
    .size = sizeof(table_def),
    ROWS(table_rows)};
