#include "schema.h"

// Mappings inside the analyses explore and design.

#define OPT_STRUCT pl_explore_opts
const pl_option pl_explore_option_table[] = {PL_EXPLORE_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
#undef OPT_STRUCT
const int pl_explore_option_count = COUNT(pl_explore_option_table);

#define OPT_STRUCT pl_design_opts
const pl_option pl_design_option_table[] = {PL_DESIGN_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
#undef OPT_STRUCT
const int pl_design_option_count = COUNT(pl_design_option_table);

static const row objective_rows[] = {
    ROW(objective_def, name, "name", T_WORD, .text = "name for messages and results"),
#define X(name)                                                                                    \
  ROW(objective_def, given[PL_OBJECTIVE_##name], #name, T_RAW, .objective = &pl_objective_##name),
    PL_OBJECTIVE_LIST(X)
#undef X
        ROW(objective_def, own, "given", T_TEXT,
            .text = "name under which a program gives an objective ([Python](python.md))"),
    ROW(objective_def, goal, "goal", T_RAW, .choices = "max|min|value",
        .text = "of one that is given: largest, smallest or a target; it is above 0"),
    ROW(objective_def, node, "node", T_RAW, .choices = "selector", .text = "the node"),
    ROW(objective_def, nodes, "nodes", T_RAW, .choices = "selector",
        .text = "several nodes; a trajectory's share their phase"),
    ROW(objective_def, axes, "axes", T_RAW, .choices = "[x, y, z]",
        .text = "axes that count; all when left out"),
    ROW(objective_def, of, "of", T_RAW, .choices = "name",
        .text =
            "support or drive, by its name in `fixed` or `drives` or by what it holds, a node or "
            "set; the only one when left out"),
    ROW(objective_def, at, "at", T_RAW, .choices = "integer | frequency",
        .text = "which of the frequencies, by number from 1 or by value; the first when left out"),
    ROW(objective_def, weight, "weight", T_NUM, .plain = 1, .unit = "", .value = 1, .lo = 0,
        .hi = 1e12, .lo_open = 1, .text = "factor in the sum"),
};
const map_keys map_objective = {
    .what = "objective",
    .text = "One term of what is minimised: exactly one of the kinds that `pliant list objectives` "
            "names, with the keys that it takes. Every term is 1 or so at the start.",
    .size = sizeof(objective_def),
    ROWS(objective_rows)};

static const row variable_rows[] = {
    ROW(variable_def, name, "name", T_TEXT, .need = 1,
        .text = "parameter, or alpha, beta, frequency; a body's name with .young and so on for "
                "all of its elements"),
    ROW(variable_def, min, "min", T_RAW, .choices = "value",
        .text = "lower bound; the parameter's own when left out"),
    ROW(variable_def, max, "max", T_RAW, .choices = "value", .text = "upper bound"),
    ROW(variable_def, scale, "scale", T_CHOICE, .choices = "auto|linear|log",
        .text = "how steps are measured; auto: log when the bounds span a hundredfold"),
};
const map_keys map_variable = {.what = "variable",
                               .text =
                                   "Something that a design may change; its name alone for short.",
                               .size = sizeof(variable_def),
                               ROWS(variable_rows)};

static const row measured_rows[] = {
    ROW(measured_def, file, "file", T_TEXT, .need = 1,
        .text =
            "CSV with the columns frequency_Hz, amplitude_mm (or another unit, also per force as "
            "in mm_N) and perhaps phase_deg, or real and imag; or a universal file (.uff, .unv)"),
    ROW(measured_def, probe, "watch", T_RAW, .choices = "name | name.x",
        .text = "what was measured: a watched place or a node, with its axis; left out: the one "
                "that is watched"),
    ROW(measured_def, unit, "unit", T_TEXT,
        .text = "unit of the amplitudes where the file does not tell, e.g. mm/N; 1: per motion of "
                "the drive"),
    ROW(measured_def, quantity, "quantity", T_CHOICE,
        .choices = "auto|displacement|velocity|acceleration",
        .text = "what the amplitudes are; auto: by their unit"),
    ROW(measured_def, per, "per", T_CHOICE, .choices = "auto|nothing|force|drive",
        .text = "what they are divided by; auto: by their unit"),
    ROW(measured_def, amplitude, "amplitude", T_CHOICE, .choices = "harmonic|max|rms",
        .text = "of a harmonic, largest deviation from the mean, or root mean square"),
    ROW(measured_def, harmonic, "harmonic", T_INT, .value = 1, .lo = 1, .hi = 64,
        .text = "which harmonic of the drive"),
    ROW(measured_def, sweep, "sweep", T_CHOICE, .choices = "nearest|up|down",
        .text =
            "where there are several motions: the nearest to the sample, or the one that rising "
            "or falling frequency leads to"),
    ROW(measured_def, noise, "noise", T_CHOICE, .choices = "absolute|relative",
        .text = "of the same size in all samples, or in proportion to them"),
    ROW(measured_def, function, "function", T_INT, .lo = 0, .hi = 1e6,
        .text = "universal file: number of the function; 0: the only one"),
    ROW(measured_def, from, "from", T_NUM, .plain = 1, .unit = "rad/s", .lo = 0, .hi = 1e9,
        .text = "samples below are left out"),
    ROW(measured_def, to, "to", T_NUM, .plain = 1, .unit = "rad/s", .lo = 0, .hi = 1e9,
        .text = "samples above are left out"),
};
const map_keys map_measured = {
    .what = "measured",
    .text = "A measured frequency response of one place along one axis. Phases are those against "
            "the excitation (the sum of the loads, or the drive), falling behind it is negative. "
            "The name of the file alone for short.",
    .size = sizeof(measured_def),
    ROWS(measured_rows)};

static const row along_rows[] = {
    ROW(along_def, amplitude, "amplitude", T_RAW, .need = 1, .choices = "selector",
        .text = "the node whose amplitude shall change"),
    ROW(along_def, axes, "axes", T_RAW, .choices = "[x, y, z]",
        .text = "axes that count; all when left out"),
    ROW(along_def, change, "change", T_RAW, .need = 1, .choices = "number | length",
        .text = "of the amplitude, to first order: a part of it, or a length"),
};
const map_keys map_along = {.what = "along",
                            .text = "A change of all variables along the gradient of an amplitude.",
                            .size = sizeof(along_def),
                            ROWS(along_rows)};

const map_keys map_design_response = {
    .what = "design-response",
    .text = "Response curves before and after a design; stability is not asked unless it is yes.",
    .size = sizeof(response_def),
    .opt = pl_response_option_table,
    .nopt = &pl_response_option_count,
    .opt_offset = offsetof(response_def, opts)};
const map_keys map_proof = {.what = "proof",
                            .text = "How the motions of a design are checked by other means.",
                            .size = sizeof(proof_def),
                            .opt = pl_proof_option_table,
                            .nopt = &pl_proof_option_count,
                            .opt_offset = offsetof(proof_def, opts)};
