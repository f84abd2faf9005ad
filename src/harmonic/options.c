#include "harmonic_impl.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

#define OPT_STRUCT pl_periodic_opts
const pl_option pl_periodic_option_table[] = {PL_PERIODIC_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_periodic_option_count = COUNT(pl_periodic_option_table);
#undef OPT_STRUCT

#define OPT_STRUCT pl_response_opts
const pl_option pl_response_option_table[] = {PL_RESPONSE_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_response_option_count = COUNT(pl_response_option_table);
#undef OPT_STRUCT

#define OPT_STRUCT pl_backbone_opts
const pl_option pl_backbone_option_table[] = {PL_BACKBONE_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_backbone_option_count = COUNT(pl_backbone_option_table);
#undef OPT_STRUCT
