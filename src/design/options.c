#include "design_impl.h"

#define OPT_STRUCT pl_optimise_opts
const pl_option pl_optimise_option_table[] = {PL_OPTIMISE_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_optimise_option_count =
    (int)(sizeof pl_optimise_option_table / sizeof pl_optimise_option_table[0]);
#undef OPT_STRUCT
#define OPT_STRUCT pl_proof_opts
const pl_option pl_proof_option_table[] = {PL_PROOF_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_proof_option_count =
    (int)(sizeof pl_proof_option_table / sizeof pl_proof_option_table[0]);
#undef OPT_STRUCT
#define OPT_STRUCT pl_search_opts
const pl_option pl_search_option_table[] = {PL_SEARCH_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_search_option_count =
    (int)(sizeof pl_search_option_table / sizeof pl_search_option_table[0]);
#undef OPT_STRUCT
