#include "harmonic_impl.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

#define OPT_STRUCT pl_periodic_opts
const pl_opt_info pl_periodic_info_table[] = {PL_PERIODIC_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_periodic_info_count = COUNT(pl_periodic_info_table);
#undef OPT_STRUCT

#define OPT_STRUCT pl_response_opts
const pl_opt_info pl_response_info_table[] = {PL_RESPONSE_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_response_info_count = COUNT(pl_response_info_table);
#undef OPT_STRUCT

#define OPT_STRUCT pl_backbone_opts
const pl_opt_info pl_backbone_info_table[] = {PL_BACKBONE_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_backbone_info_count = COUNT(pl_backbone_info_table);
#undef OPT_STRUCT
