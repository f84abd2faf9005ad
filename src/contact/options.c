#include "contact_impl.h"

#define OPT_STRUCT pl_friction_opts
const pl_option pl_friction_option_table[] = {PL_FRICTION_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_friction_option_count = COUNT(pl_friction_option_table);
#undef OPT_STRUCT
