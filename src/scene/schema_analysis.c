#include "schema.h"

// Mappings of analyses: the rows of each kind beside its options.

#define RESULTS_ROW                                                                                \
  ROW(analysis_def, name, "name", T_WORD,                                                          \
      .text = "name of its results; the analysis's own when left out")
#define ANALYSIS_ROWS                                                                              \
  RESULTS_ROW,                                                                                     \
      ROW(analysis_def, about, "about", T_WORD,                                                    \
          .text = "name of an earlier static or drape whose state is the start; `rest` when left " \
                  "out"),                                                                          \
      ROW(analysis_def, change, "change", T_RAW, .choices = "{name: factor | on | off | hold}",    \
          .text = "loads, drives, supports and `gravity` from here on: factors on what the scene " \
                  "gives them, off: released, hold: its nodes stay where they are. Those not "     \
                  "named stay as they were in what it is about. See [steps](steps.md)"),           \
  {                                                                                                \
    .key = "watch", .type = T_RAW, .offset = offsetof(analysis_def, probe),                        \
    .choices = "{name: node}", .text = "nodes whose motion is recorded, besides the scene's own"   \
  }

static const row analysis_rows[] = {ANALYSIS_ROWS};
#define GRADIENTS_ROW                                                                              \
  ROW(analysis_def, variables, "gradients", T_RAW, .choices = "no | yes | [name, ...]",            \
      .text = "parameters by which results are differentiated, also alpha and beta (damping); "    \
              "yes: all parameters. See [gradients](gradients.md)")
static const row gradient_rows[] = {ANALYSIS_ROWS, GRADIENTS_ROW};
static const row coarsen_rows[] = {
    ANALYSIS_ROWS,
    ROW(analysis_def, record, "record", T_TEXT,
        .text = "CSV file of a measured free decay of one place, in place of frequency and decay: "
                "time_s, then its motion; even steps"),
};
static const row path_rows[] = {
    ANALYSIS_ROWS,
    ROW(analysis_def, control, "parameter", T_RAW, .choices = "name of a parameter",
        .text = "what is followed in place of the load: it goes from its value at factor 0 to "
                "`value` at factor 1, under the full load"),
    ROW(analysis_def, control_value, "value", T_RAW, .choices = "value of the parameter",
        .text = "where the parameter is at factor 1"),
};
#define CLOTH_ROWS                                                                                 \
  ROW(analysis_def, weights, "weights", T_CHOICE, .choices = "mass|plain",                         \
      .text =                                                                                      \
          "limits of stretch: distances that count masses, which keeps momentum, or plain ones"),  \
      ROW(analysis_def, projection, "projection", T_MAP, SUB(map_projection),                      \
          .text = "limits of stretch: how exactly they are kept")
static const row drape_rows[] = {ANALYSIS_ROWS, CLOTH_ROWS};
static const row transient_rows[] = {
    ANALYSIS_ROWS,
    GRADIENTS_ROW,
    CLOTH_ROWS,
    ROW(analysis_def, compare, "compare", T_RAW, .choices = "[method, ...]",
        .text = "further methods from the same start, for limits of stretch or contact"),
    ROW(analysis_def, compare_steps, "compare_steps", T_RAW, .choices = "[time, ...]",
        .text = "the same method with other steps, shown beside it"),
};
static const row limits_rows[] = {
    RESULTS_ROW,
    ROW(analysis_def, of, "of", T_WORD,
        .text = "the interlocking material; the first one when left out"),
    ROW(analysis_def, measured, "measured", T_RAW, .choices = "file | mapping | list",
        .sub = &map_measured_limits, .text = "measured limits to compare with"),
};
static const row mail_design_rows[] = {
    RESULTS_ROW,
    ROW(analysis_def, of, "of", T_WORD,
        .text = "the interlocking material, of a family; the first one when left out"),
    ROW(analysis_def, variables, "variables", T_RAW, .choices = "all | [name, ...]",
        .sub = &map_mail_variable, .text = "keys of the family that may change; all when left out"),
    ROW(analysis_def, objectives, "goals", T_RAW, .need = 1, .choices = "list",
        .sub = &map_mail_goal, .text = "limits that are wanted"),
};
static const row search_rows[] = {
    RESULTS_ROW,
    ROW(analysis_def, vary, "vary", T_LIST, SUB(map_search_variable), .need = 1,
        .text = "keys of the scene that may change"),
    ROW(analysis_def, goals, "goals", T_LIST, SUB(map_search_goal), .need = 1,
        .text = "what figures of other analyses are to be"),
    ROW(analysis_def, scatter, "scatter", T_MAP, SUB(map_search_scatter),
        .text = "keys that are not exactly what the scene says, and how many runs tell what comes "
                "of it"),
    ROW(analysis_def, verify, "verify", T_LIST, SUB(map_search_check),
        .text = "the best design once more with other keys, e.g. a finer mesh and half the step"),
};
static const row native_rows[] = {
    RESULTS_ROW,
    ROW(analysis_def, of, "of", T_WORD, .text = "the patch; the first one when left out"),
};
static const row macro_rows[] = {
    RESULTS_ROW,
    ROW(analysis_def, of, "of", T_WORD, .text = "the patch; the first one when left out"),
    ROW(analysis_def, material, "material", T_TEXT,
        .text = "a .material file of its material; when left out, that of an earlier analysis "
                "`limits` with boundary"),
};
static const row fit_rows[] = {
    ANALYSIS_ROWS,
    ROW(analysis_def, data, "data", T_RAW, .need = 1,
        .choices = "file | [file, ...] | [{file: file, frequency: value}, ...]",
        .text = "CSV files with columns time_s and NAME_x_m (y, z) of watched names"),
    ROW(analysis_def, parameters, "parameters", T_RAW, .choices = "[name, ...]",
        .text = "parameters of the scene that are fitted besides the damping"),
};

static const row data_rows[] = {
    ROW(data_def, file, "file", T_TEXT, .need = 1, .text = "CSV file beside the scene"),
    ROW(data_def, frequency, "frequency", T_NUM, .plain = 1, .unit = "rad/s", .lo = 0, .hi = 1e9,
        .text = "base frequency of drives and loads; the analysis's own when left out"),
};
#define VARIABLES_ROW                                                                              \
  ROW(analysis_def, variables, "variables", T_RAW, .choices = "all | [name, ...]",                 \
      .sub = &map_variable,                                                                        \
      .text = "parameters that may change, also alpha, beta (damping) and frequency; all "         \
              "parameters when left out")
static const row explore_rows[] = {
    ANALYSIS_ROWS,
    VARIABLES_ROW,
    ROW(analysis_def, set, "set", T_RAW, .choices = "{name: value}",
        .text = "new values of parameters"),
    ROW(analysis_def, along, "along", T_RAW, .choices = "list", .sub = &map_along,
        .text = "changes of all variables along gradients, added to set"),
    ROW(analysis_def, objectives, "objectives", T_RAW, .choices = "list", .sub = &map_objective,
        .text = "peak_height, peak and fold: heights and frequencies before and after, and what "
                "parameters do to them"),
};
static const row response_rows[] = {
    ANALYSIS_ROWS,
    ROW(analysis_def, measured, "measured", T_RAW, .choices = "file | mapping | list",
        .sub = &map_measured, .text = "measured responses to compare with"),
    ROW(analysis_def, variables, "sensitivities", T_RAW, .choices = "no | yes | [name, ...]",
        .text = "parameters by which the height and frequency of every peak and fold are "
                "differentiated, also alpha and beta (damping); yes: all parameters"),
};
static const row fit_response_rows[] = {
    ANALYSIS_ROWS,
    ROW(analysis_def, measured, "data", T_RAW, .need = 1, .choices = "file | mapping | list",
        .sub = &map_measured, .text = "measured responses that are fitted"),
    ROW(analysis_def, variables, "parameters", T_RAW, .choices = "all | [name, ...]",
        .sub = &map_variable,
        .text = "parameters that are fitted, also alpha and beta (damping); all when left out"),
};
static const row design_rows[] = {
    ANALYSIS_ROWS,
    VARIABLES_ROW,
    ROW(analysis_def, objectives, "objectives", T_RAW, .need = 1, .choices = "list",
        .sub = &map_objective, .text = "what is wanted; their weighted sum is minimised"),
    ROW(analysis_def, frequencies, "frequencies", T_RAW, .choices = "[frequency, ...]",
        .text = "several operating points instead of frequency"),
    ROW(analysis_def, response, "response", T_RAW, .choices = "no | mapping",
        .sub = &map_design_response,
        .text = "range of the response curves before and after; half to twice the frequency"),
    ROW(analysis_def, proof, "proof", T_RAW, .choices = "no | mapping", .sub = &map_proof,
        .text = "how the motions found are checked by other means"),
};

const map_keys map_data = {
    .what = "data", .text = "One file of measurements.", .size = sizeof(data_def), ROWS(data_rows)};

// rows of each kind
#define ROWS_static       ROWS(gradient_rows)
#define ROWS_modes        ROWS(analysis_rows)
#define ROWS_drape        ROWS(drape_rows)
#define ROWS_transient    ROWS(transient_rows)
#define ROWS_jump         ROWS(analysis_rows)
#define ROWS_periodic     ROWS(gradient_rows)
#define ROWS_response     ROWS(response_rows)
#define ROWS_backbone     ROWS(analysis_rows)
#define ROWS_fit_damping  ROWS(fit_rows)
#define ROWS_fit_response ROWS(fit_response_rows)
#define ROWS_explore      ROWS(explore_rows)
#define ROWS_design       ROWS(design_rows)
#define ROWS_load_path    ROWS(path_rows)
#define ROWS_limits       ROWS(limits_rows)
#define ROWS_mail_design  ROWS(mail_design_rows)
#define ROWS_native       ROWS(native_rows)
#define ROWS_macro        ROWS(macro_rows)
#define ROWS_coarsen      ROWS(coarsen_rows)
#define ROWS_search       ROWS(search_rows)

#define A(name_, key_, text_)                                                                      \
  {.what = key_,                                                                                   \
   .text = text_,                                                                                  \
   .size = sizeof(analysis_def),                                                                   \
   ROWS_##name_,                                                                                   \
   .opt = pl_##name_##_option_table,                                                               \
   .nopt = &pl_##name_##_option_count,                                                             \
   .opt_offset = offsetof(analysis_def, a) + offsetof(pl_analysis, opts)},
const map_keys map_analysis[PL_ANALYSIS_COUNT] = {PL_ANALYSIS_LIST(A)};
#undef A

#define A(name_, key_, text_) {key_, text_, pl_##name_##_option_table, &pl_##name_##_option_count},
const pl_analysis_kind pl_analysis_table[PL_ANALYSIS_COUNT] = {PL_ANALYSIS_LIST(A)};
#undef A
