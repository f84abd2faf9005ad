#include "schema.h"

// Keys of the analysis search.

#define PATH_TEXT                                                                                  \
  "where it stands in the scene, as in --set: `obstacles.floor.friction`, "                        \
  "`drives.finger.translation.2`; several get the same value; of a parameter its name is enough"

static const row variable_rows[] = {
    ROW(search_variable_def, name, "name", T_WORD,
        .text = "in tables; the last words of the path when left out. Without a path: a parameter "
                "of the scene"),
    ROW(search_variable_def, path, "path", T_RAW, .choices = "path | [path, ...]",
        .text = PATH_TEXT),
    ROW(search_variable_def, min, "min", T_RAW, .choices = "value",
        .text = "least value; needed unless the parameter has one"),
    ROW(search_variable_def, max, "max", T_RAW, .choices = "value", .text = "largest value"),
    ROW(search_variable_def, scale, "scale", T_CHOICE, .choices = "linear|log",
        .text = "log: by ratios, for values above zero that range over decades"),
};
const map_keys map_search_variable = {.what = "search-variable",
                                      .text = "A value of the scene that a search changes.",
                                      .size = sizeof(search_variable_def),
                                      ROWS(variable_rows)};

static const row goal_rows[] = {
    ROW(search_goal_def, figure, "figure", T_TEXT, .need = 1,
        .text = "name of an analysis and what summary.json has of it, entries of lists by their "
                "number from 0 on: `launch.flight.rise_m`, `modes.frequencies_Hz.0`"),
    ROW(search_goal_def, target, "target", T_RAW, .choices = "value",
        .text = "it is to be this; numbers without a unit are in that of the figure"),
    ROW(search_goal_def, at_least, "at_least", T_RAW, .choices = "value",
        .text = "it must not be below"),
    ROW(search_goal_def, at_most, "at_most", T_RAW, .choices = "value",
        .text = "it must not be above"),
    ROW(search_goal_def, is, "is", T_TEXT,
        .text = "it must be this word, e.g. `is: +z` of `jump.face`"),
    ROW(search_goal_def, maximise, "maximise", T_CHOICE, .choices = "no|yes",
        .text = "the larger the better"),
    ROW(search_goal_def, minimise, "minimise", T_CHOICE, .choices = "no|yes",
        .text = "the smaller the better"),
    ROW(search_goal_def, within, "within", T_RAW, .choices = "value",
        .text = "target: how far off it may be for a success; when left out that is not judged"),
    ROW(search_goal_def, modulo, "modulo", T_RAW, .choices = "value",
        .text = "target: values apart by this are the same, e.g. 360 deg"),
    ROW(search_goal_def, scale, "scale", T_RAW, .choices = "value",
        .text = "that it is divided by; when left out, the size of the value, or `modulo`, or 1 "
                "where there is none"),
    ROW(search_goal_def, weight, "weight", T_NUM, .plain = 1, .unit = "", .value = 1, .lo = 0,
        .lo_open = 1, .hi = 1e9, .text = "factor on its part of the sum"),
};
const map_keys map_search_goal = {
    .what = "search-goal",
    .text = "What a figure is to be: exactly one of target, at_least, at_most, is, maximise "
            "and minimise. Targets count the square of their difference.",
    .size = sizeof(search_goal_def),
    ROWS(goal_rows)};

static const row key_rows[] = {
    ROW(search_key_def, name, "name", T_WORD,
        .text = "in tables; without a path: one of vary, or a parameter of the scene"),
    ROW(search_key_def, path, "path", T_RAW, .choices = "path | [path, ...]", .text = PATH_TEXT),
    ROW(search_key_def, by, "by", T_RAW, .need = 1, .choices = "value",
        .text = "standard deviation, up to three of which occur: a number or percentage is a part "
                "of the value, one with another unit is added"),
    ROW(search_key_def, shape, "shape", T_CHOICE, .choices = "normal|uniform",
        .text = "uniform: all within `by` are as likely"),
};
static const map_keys map_search_key = {.what = "search-key",
                                        .text = "A value that is not exactly known.",
                                        .size = sizeof(search_key_def),
                                        ROWS(key_rows)};

static const row scatter_rows[] = {
    ROW(search_scatter_def, runs, "runs", T_INT, .value = 100, .lo = 0, .hi = 1e5,
        .text = "of the best design, in the end: how many of them succeed"),
    ROW(search_scatter_def, during, "during", T_INT, .value = 0, .lo = 0, .hi = 1e4,
        .text = "of every design, besides the exact one: the mean over all of them is what is "
                "made best. The random numbers are the same for all designs"),
    ROW(search_scatter_def, of, "of", T_LIST, SUB(map_search_key), .need = 1, .text = "the keys"),
};
const map_keys map_search_scatter = {.what = "search-scatter",
                                     .text = "Runs with values that are not exactly known.",
                                     .size = sizeof(search_scatter_def),
                                     ROWS(scatter_rows)};

static const row check_rows[] = {
    ROW(search_check_def, name, "name", T_WORD, .text = "in tables"),
    ROW(search_check_def, set, "set", T_RAW, .need = 1, .choices = "{path: value}",
        .text = "other values of keys, paths as in --set"),
};
const map_keys map_search_check = {.what = "search-check",
                                   .text = "The best design once more, computed otherwise.",
                                   .size = sizeof(search_check_def),
                                   ROWS(check_rows)};
