// The table of forms of limits.
#include "limit_impl.h"

#define X(name) [PL_LIMIT_FORM_##name] = &pl_limit_form_##name,
const pl_limit_form *const pl_limit_form_table[PL_LIMIT_FORM_COUNT] = {PL_LIMIT_FORM_LIST(X)};
#undef X

pl_limit pl_limit_of(const pl_limit_made *l) {
  return (pl_limit){.nellipse = l->nellipse,
                    .B = l->B,
                    .ndirection = l->ndirection,
                    .angle = l->angle,
                    .bound = l->bound,
                    .curve = l->curve};
}

void limit_describe_angle(double angle, pl_text *out) {
  if (angle != 0) pl_text_add(out, ", turned by %.4g deg", angle * 180 / PL_PI);
}
