#include "pliant/base.h"

#include <math.h>

void pl_opts_default(const pl_opt_info *info, int n, void *opts) {
  for (int k = 0; k < n; k++) {
    char *at = (char *)opts + info[k].offset;
    if (info[k].type == PL_OPT_REAL)
      *(double *)(void *)at = info[k].value;
    else
      *(int *)(void *)at = (int)info[k].value;
  }
}

pl_status pl_opts_check(pl_env *env, const pl_opt_info *info, int n, const void *opts) {
  for (int k = 0; k < n; k++) {
    const char *at = (const char *)opts + info[k].offset;
    double v = info[k].type == PL_OPT_REAL ? *(const double *)(const void *)at
                                           : (double)*(const int *)(const void *)at;
    if (!(v >= info[k].lo && v <= info[k].hi))
      return pl_fail(env, PL_E_INPUT, "%s must be in %g..%g%s%s, got %g", info[k].name, info[k].lo,
                     info[k].hi, info[k].unit[0] ? " " : "", info[k].unit, v);
  }
  return PL_OK;
}
