#include "solve_impl.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

#define OPT_STRUCT pl_static_opts
const pl_option pl_static_option_table[] = {PL_STATIC_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_static_option_count = COUNT(pl_static_option_table);
#undef OPT_STRUCT

#define OPT_STRUCT pl_load_path_opts
const pl_option pl_load_path_option_table[] = {PL_LOAD_PATH_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_load_path_option_count = COUNT(pl_load_path_option_table);
#undef OPT_STRUCT

#define OPT_STRUCT pl_modes_opts
const pl_option pl_modes_option_table[] = {PL_MODES_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_modes_option_count = COUNT(pl_modes_option_table);
#undef OPT_STRUCT

#define OPT_STRUCT pl_transient_opts
const pl_option pl_transient_option_table[] = {PL_TRANSIENT_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_transient_option_count = COUNT(pl_transient_option_table);
#undef OPT_STRUCT

#define OPT_STRUCT pl_jump_opts
const pl_option pl_jump_option_table[] = {PL_JUMP_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_jump_option_count = COUNT(pl_jump_option_table);
#undef OPT_STRUCT

pl_status solve_opts_check(pl_env *env, const pl_option *table, int n, const void *opts) {
  PL_TRY(pl_opts_check(env, table, n, opts));
  for (int k = 0; k < n; k++) {
    if (table[k].type != PL_OPT_CHOICE) continue;
    int words = 1, v = *(const int *)(const void *)((const char *)opts + table[k].offset);
    for (const char *c = table[k].choices; *c; c++) words += *c == '|';
    if (v >= words)
      return pl_fail(env, PL_E_INPUT, "%s must be one of %s, got number %d", table[k].name,
                     table[k].choices, v);
  }
  return PL_OK;
}

const char *pl_stop_text(pl_stop s) {
  switch (s) {
  case PL_STOP_CONVERGED:
    return "converged";
  case PL_STOP_MAX_ITER:
    return "too many iterations";
  case PL_STOP_LINE_SEARCH:
    return "no shorter step helps";
  case PL_STOP_SINGULAR:
    return "singular stiffness";
  case PL_STOP_DOMAIN:
    return "elements leave their domain";
  case PL_STOP_STEP:
    return "step too small";
  case PL_STOP_CANCELLED:
    return "cancelled";
  case PL_STOP_STEADY:
    return "steady state";
  case PL_STOP_END:
    return "end reached";
  case PL_STOP_BACK:
    return "left the range at its beginning";
  case PL_STOP_CLOSED:
    return "back at the start";
  case PL_STOP_POINTS:
    return "points used up";
  case PL_STOP_ROUNDING:
    return "balanced to rounding";
  case PL_STOP_PACE:
    return "time steps too long";
  case PL_STOP_INVERTED:
    return "elements turn inside out";
  case PL_STOP_REST:
    return "at rest";
  case PL_STOP_SLIDE:
    return "no equilibrium, a body slides";
  case PL_STOP_ENERGY:
    return "energy does not balance";
  }
  return "unknown";
}
