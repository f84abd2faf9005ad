#include "pliant/interlock.h"

#define OPT_STRUCT pl_taut_opts
const pl_option pl_taut_option_table[] = {PL_TAUT_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
#undef OPT_STRUCT
const int pl_taut_option_count = sizeof pl_taut_option_table / sizeof *pl_taut_option_table;

#define OPT_STRUCT pl_rest_opts
const pl_option pl_rest_option_table[] = {PL_REST_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
#undef OPT_STRUCT
const int pl_rest_option_count = sizeof pl_rest_option_table / sizeof *pl_rest_option_table;

#define OPT_STRUCT pl_move_opts
const pl_option pl_move_option_table[] = {PL_MOVE_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
#undef OPT_STRUCT
const int pl_move_option_count = sizeof pl_move_option_table / sizeof *pl_move_option_table;
