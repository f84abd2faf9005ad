#include "contact_impl.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

#define OPT_STRUCT pl_friction_opts
const pl_opt_info pl_friction_info_table[] = {PL_FRICTION_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_friction_info_count = COUNT(pl_friction_info_table);
#undef OPT_STRUCT

const char *pl_friction_stop_text(pl_friction_stop s) {
  switch (s) {
  case PL_FRICTION_CONVERGED:
    return "converged";
  case PL_FRICTION_ROUNDING:
    return "converged to rounding";
  case PL_FRICTION_STALLED:
    return "no step helps";
  case PL_FRICTION_MAX_ITER:
    return "too many iterations";
  case PL_FRICTION_CANCELLED:
    return "cancelled";
  }
  return "unknown";
}

const char *pl_touch_text(pl_touch_status s) {
  static const char *const text[] = {"open", "stick", "slip"};
  return s >= PL_OPEN && s <= PL_SLIP ? text[s] : "unknown";
}
