// An ellipse by its strains along warp and weft, perhaps tilted by that along the bias.
#include "limit_impl.h"

#include <math.h>
#include <stdio.h>

enum { WARP, WEFT, BIAS, ANGLE };
static const pl_key keys[] = {
    [WARP] = {.name = "warp",
              .type = PL_KEY_STRAIN,
              .value = -1,
              .hi = 10,
              .lo_open = 1,
              .unit = "",
              .text = "strain along the first axis of the material"},
    [WEFT] = {.name = "weft",
              .type = PL_KEY_STRAIN,
              .need = 1,
              .value = -1,
              .hi = 10,
              .lo_open = 1,
              .unit = "",
              .text = "strain along the second axis"},
    [BIAS] = {.name = "bias",
              .value = -1,
              .hi = 10,
              .lo_open = 1,
              .unit = "",
              .text = "strain at 45 degrees from warp to weft, which tilts the ellipse: the other "
                      "diagonal has less; left out: no tilt"},
    [ANGLE] = LIMIT_ANGLE_KEY,
};

// B seen from axes turned by -angle
static void rotate(double angle, double B[3]) {
  double c = cos(2 * angle), s = sin(2 * angle), mean = 0.5 * (B[0] + B[1]);
  double half = 0.5 * (B[0] - B[1]), shear = B[2];
  B[0] = mean + half * c - shear * s;
  B[1] = mean - half * c + shear * s;
  B[2] = half * s + shear * c;
}

static pl_status make(pl_env *env, const pl_limit_source *in, pl_limit_made *out,
                      pl_limit_fault *fault) {
  double a = 1 + in->value[WARP], b = 1 + in->value[WEFT], *B = out->B[out->nellipse++];
  if (!in->given[BIAS]) {
    pl_limit_ellipse(a, b, in->value[ANGLE], B);
    return PL_OK;
  }
  // it must leave the sheet at rest alone
  double mean = 0.5 * (a * a + b * b), half = sqrt((a * a - 1) * (b * b - 1));
  double lo = sqrt(fmax(mean - half, 1)) - 1, hi = sqrt(mean + half) - 1, bias = in->value[BIAS];
  if (!(bias > lo && bias < hi)) {
    fault->key = "bias";
    snprintf(fault->text, sizeof fault->text,
             "no ellipse with these strains leaves the sheet at rest as it is: bias cannot be "
             "%.4g %%",
             100 * bias);
    snprintf(fault->hint, sizeof fault->hint,
             "for this warp and weft it is between %.4g %% and %.4g %%; other shapes are given as "
             "a curve",
             100 * lo, 100 * hi);
    return PL_E_INPUT;
  }
  PL_TRY(pl_limit_bias(env, a, b, 1 + bias, B));
  rotate(in->value[ANGLE], B);
  return PL_OK;
}

static void describe(const pl_limit_source *in, pl_text *out) {
  pl_text_add(out, "%.4g %% along warp, %.4g %% along weft", 100 * in->value[WARP],
              100 * in->value[WEFT]);
  if (in->given[BIAS]) pl_text_add(out, ", %.4g %% on the bias", 100 * in->value[BIAS]);
  limit_describe_angle(in->value[ANGLE], out);
}

static void sample(unsigned seed, pl_limit_source *in) {
  in->value[WARP] = 0.01 * (1 + seed % 3);
  in->value[WEFT] = 0.05 + 0.02 * (seed % 4);
  in->value[ANGLE] = 0.3 * (1 + seed % 5);
  in->given[BIAS] = seed % 2;
  if (in->given[BIAS]) in->value[BIAS] = 0.5 * (in->value[WARP] + in->value[WEFT]) + 0.005;
}

const pl_limit_form pl_limit_form_warp = {.name = "warp",
                                          .nkey = COUNT(keys),
                                          .key = keys,
                                          .make = make,
                                          .describe = describe,
                                          .sample = sample};
