// A limit of the same strain in all directions.
#include "limit_impl.h"

static const pl_key keys[] = {{.name = "stretch",
                               .type = PL_KEY_STRAIN,
                               .value = -1,
                               .hi = 10,
                               .lo_open = 1,
                               .unit = "",
                               .text = "strain in all directions, e.g. 1 %"}};

static pl_status make(pl_env *env, const pl_limit_source *in, pl_limit_made *out,
                      pl_limit_fault *fault) {
  (void)env, (void)fault;
  pl_limit_ellipse(1 + in->value[0], 1 + in->value[0], 0, out->B[out->nellipse++]);
  return PL_OK;
}

static void describe(const pl_limit_source *in, pl_text *out) {
  pl_text_add(out, "%.4g %% in all directions", 100 * in->value[0]);
}

static void sample(unsigned seed, pl_limit_source *in) {
  in->value[0] = 0.01 * (1 + seed % 7);
}

const pl_limit_form pl_limit_form_stretch = {.name = "stretch",
                                             .nkey = COUNT(keys),
                                             .key = keys,
                                             .isotropic = 1,
                                             .make = make,
                                             .describe = describe,
                                             .sample = sample};
