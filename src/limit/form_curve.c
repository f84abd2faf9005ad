// A polar curve of allowed strains: kept in sampled directions, or by its largest ellipse.
#include "limit_impl.h"

#include <math.h>
#include <stdio.h>

enum { CURVE, DIRECTIONS, FORM, ANGLE };
enum { FORM_DIRECTIONS, FORM_GUARDED, FORM_ELLIPSE };
static const pl_key keys[] = {
    [CURVE] = {.name = "curve",
               .type = PL_KEY_POLAR,
               .text =
                   "CSV file of a polar curve: columns angle (angle_deg, angle_rad) and stretch "
                   "(1.05), or strain (0.05, strain_percent), over half a turn"},
    [DIRECTIONS] = {.name = "directions",
                    .type = PL_KEY_INTEGER,
                    .value = 18,
                    .lo = 3,
                    .hi = PL_DIRECTION_MAX,
                    .text = "curve: directions in which it is kept"},
    [FORM] = {.name = "form",
              .type = PL_KEY_CHOICE,
              .choices = "directions|guarded|ellipse",
              .text = "curve: kept in these directions alone; the same with bounds made smaller so "
                      "that it holds between them; or its largest ellipse, in all directions"},
    [ANGLE] = LIMIT_ANGLE_KEY,
};

// least stretch that an ellipse allows in any direction
static double least_stretch(const double B[3]) {
  double mean = 0.5 * (B[0] + B[1]), half = hypot(0.5 * (B[0] - B[1]), B[2]);
  return sqrt(fmax(mean - half, 0));
}

static pl_status make_ellipse(pl_env *env, const pl_limit_source *in, pl_limit_made *out,
                              pl_limit_fault *fault) {
  double *B = out->B[out->nellipse++];
  if (in->given[DIRECTIONS]) {
    fault->key = "directions";
    snprintf(fault->text, sizeof fault->text,
             "limit: 'directions' does not go with 'form: ellipse'");
    return PL_E_INPUT;
  }
  PL_TRY(pl_polar_ellipse(env, &in->curve, B));
  if (least_stretch(B) > 1) return PL_OK;
  fault->key = "form";
  snprintf(fault->text, sizeof fault->text,
           "the largest ellipse inside of the curve allows a stretch of %.4g in one direction: "
           "the sheet at rest is outside of it",
           least_stretch(B));
  snprintf(fault->hint, sizeof fault->hint, "use form: guarded");
  return PL_E_INPUT;
}

static pl_status make(pl_env *env, const pl_limit_source *in, pl_limit_made *out,
                      pl_limit_fault *fault) {
  int m = (int)in->value[DIRECTIONS], form = (int)in->value[FORM];
  double least = INFINITY;
  if (form == FORM_ELLIPSE) return make_ellipse(env, in, out, fault);
  pl_polar_directions(&in->curve, m, form == FORM_GUARDED, out->angle, out->bound);
  out->ndirection = m;
  out->curve = in->curve;
  for (int i = 0; i < m; i++) least = fmin(least, out->bound[i]);
  if (least > 1) return PL_OK;
  fault->key = in->given[FORM] ? "form" : "curve";
  snprintf(fault->text, sizeof fault->text,
           "with %d directions, guarded bounds fall to a stretch of %.4g: the sheet at rest is "
           "outside of them",
           m, least);
  snprintf(fault->hint, sizeof fault->hint, "give more directions");
  return PL_E_INPUT;
}

static void describe(const pl_limit_source *in, pl_text *out) {
  if ((int)in->value[FORM] == FORM_ELLIPSE)
    pl_text_add(out, "largest ellipse in the curve %.100s", in->file);
  else
    pl_text_add(out, "curve %.100s in %d %sdirections", in->file, (int)in->value[DIRECTIONS],
                (int)in->value[FORM] == FORM_GUARDED ? "guarded " : "");
  limit_describe_angle(in->value[ANGLE], out);
}

static void sample(unsigned seed, pl_limit_source *in) {
  static const double angle[2][3] = {{0, 1, 2}, {0.2, 1.2, 2.2}};
  static const double stretch[2][3] = {{1.1, 1.15, 1.2}, {1.2, 1.3, 1.15}};
  in->file = "sample.csv";
  in->curve = (pl_polar){3, angle[seed % 2], stretch[seed % 2]};
  in->value[DIRECTIONS] = 12 + seed % 5;
  in->value[FORM] = seed % 3;
}

const pl_limit_form pl_limit_form_curve = {.name = "curve",
                                           .nkey = COUNT(keys),
                                           .key = keys,
                                           .make = make,
                                           .describe = describe,
                                           .sample = sample};
