#include "pliant/base.h"

#include <math.h>

void pl_opts_default(const pl_option *table, int n, void *opts) {
  for (int k = 0; k < n; k++) {
    char *at = (char *)opts + table[k].offset;
    if (table[k].type == PL_OPT_REAL)
      *(double *)(void *)at = table[k].value;
    else
      *(int *)(void *)at = (int)table[k].value;
  }
}

pl_status pl_opts_check(pl_env *env, const pl_option *table, int n, const void *opts) {
  for (int k = 0; k < n; k++) {
    const char *at = (const char *)opts + table[k].offset;
    double v = table[k].type == PL_OPT_REAL ? *(const double *)(const void *)at
                                            : (double)*(const int *)(const void *)at;
    if (!(v >= table[k].lo && v <= table[k].hi))
      return pl_fail(env, PL_E_INPUT, "%s must be in %g..%g%s%s, got %g", table[k].name,
                     table[k].lo, table[k].hi, table[k].unit[0] ? " " : "", table[k].unit, v);
  }
  return PL_OK;
}
