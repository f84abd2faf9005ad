#include "schema.h"

// Options of the analyses coarsen and calibrate.

#define OPT_STRUCT pl_coarsen_opts
const pl_option pl_coarsen_option_table[] = {PL_COARSEN_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
#undef OPT_STRUCT
const int pl_coarsen_option_count = COUNT(pl_coarsen_option_table);
