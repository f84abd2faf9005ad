// What is told of an exploration.
#include "explore.h"

#include "pliant/math.h"

#include <math.h>
#include <stdlib.h>

// ---- what pages get -----------------------------------------------------------------------------

// as sliders of a design are scaled when nothing is said
static int by_ratios(double lo, double hi) {
  return lo > 0 && isfinite(hi) && hi >= 99.99 * lo;
}

// the unit in which it is shown, and SI units in one of it
static const char *shown_unit(const session *t, int k, double *factor) {
  const pl_variable *v = &t->variable[k];
  const pl_shown *shown = &t->scene->shown[v->index];
  *factor = v->kind == PL_VARIABLE_DESIGN      ? shown->factor
            : v->kind == PL_VARIABLE_FREQUENCY ? 2 * PL_PI
                                               : 1;
  return v->kind == PL_VARIABLE_DESIGN      ? shown->unit
         : v->kind == PL_VARIABLE_FREQUENCY ? "Hz"
                                            : pl_design_unit(t->d, k);
}

static json_t *parameters_told(const session *t) {
  json_t *all = json_array();
  for (int k = 0; k < t->nvar; k++) {
    double factor;
    json_t *one = json_object();
    part_set(one, "name", part_words(pl_design_name(t->d, k)));
    part_set(one, "unit", part_words(shown_unit(t, k, &factor)));
    part_set(one, "factor", part_number(factor));
    part_set(one, "value", part_number(t->x[k]));
    part_set(one, "min", part_number(t->lo[k]));
    part_set(one, "max", part_number(t->hi[k]));
    part_set(one, "log", json_boolean(by_ratios(t->lo[k], t->hi[k])));
    json_array_append_new(all, one);
  }
  return all;
}

static json_t *watched_told(const session *t) {
  json_t *all = json_array();
  for (int k = 0; k < t->nwatch; k++) {
    const watched *w = &t->watch[k];
    json_t *one = json_object();
    part_set(one, "name", part_words(w->name));
    part_set(one, "node", json_integer(w->node));
    part_set(one, "axes", json_integer(w->mask));
    part_set(one, "amplitude", part_number(w->path));
    part_set(one, "gradient", part_reals(t->nvar, t->slope + k * t->nvar));
    json_array_append_new(all, one);
  }
  return all;
}

// null where it is too large, or cannot be had at this motion
static json_t *sensitivity_told(studio *s, exploration *e) {
  float *f = NULL;
  size_t shape[4];
  if (session_sensitivity(e->at, SENSITIVITY_BYTES, &f, shape) != PL_OK || !f) return json_null();
  json_t *out = data_keep(s, e->group, DATA_F32, f, 4, shape);
  pl_free(&e->at->env, f);
  return out;
}

json_t *explored_told(studio *s, exploration *e) {
  const session *t = e->at;
  const pl_orbit *o = pl_design_orbit(t->d, 0);
  data_drop(s, e->group);
  json_t *out = json_object();
  part_set(out, "session", json_integer(e->number));
  part_set(out, "step", json_integer(t->nback));
  part_set(out, "parameters", parameters_told(t));
  part_set(out, "omega", part_number(o->omega));
  part_set(out, "orbit",
           part_orbit(s, e->group, t->scene, t->scene->model, pl_design_params(t->d), o, "explored",
                      "solved"));
  part_set(out, "sensitivity", sensitivity_told(s, e));
  part_set(out, "watched", watched_told(t));
  part_set(out, "size", part_number(pl_orbit_size(t->scene->model, o)));
  part_set(out, "predictionError", t->off < 0 ? json_null() : part_number(t->off));
  part_set(out, "fresh", json_boolean(t->fresh));
  return out;
}

// ---- what replays compare -----------------------------------------------------------------------

static json_t *slopes(const session *t, const double *slope) {
  json_t *out = json_object();
  for (int k = 0; k < t->nvar; k++) part_set(out, pl_design_name(t->d, k), part_number(slope[k]));
  return out;
}

json_t *explored_figures(const session *t, int moved) {
  const pl_orbit *o = pl_design_orbit(t->d, 0);
  json_t *out = json_object(), *variables = json_object(), *amplitude = json_object();
  for (int k = 0; k < t->nvar; k++) {
    json_t *one = json_object();
    part_set(one, "before", part_number(moved ? t->back[t->nback - 1].x[k] : t->x[k]));
    part_set(one, "after", part_number(t->x[k]));
    part_set(one, "unit", part_words(pl_design_unit(t->d, k)));
    part_set(variables, pl_design_name(t->d, k), one);
  }
  for (int k = 0; k < t->nwatch; k++) {
    const watched *w = &t->watch[k];
    json_t *one = json_object();
    part_set(one, "before_m", part_number(moved ? w->before : w->path));
    if (moved) part_set(one, "predicted_m", part_number(w->predicted));
    if (moved) part_set(one, "solved_m", part_number(w->path));
    part_set(one, "by_parameter_m", slopes(t, (moved ? t->last_slope : t->slope) + k * t->nvar));
    part_set(amplitude, w->name, one);
  }
  part_set(out, "frequency_Hz", part_number(o->omega / (2 * PL_PI)));
  part_set(out, "harmonics", json_integer(o->nharm));
  part_set(out, "variables", variables);
  part_set(out, "amplitude", amplitude);
  part_set(out, "moved", json_boolean(moved));
  part_set(out, "solved_from_rest", json_boolean(t->fresh));
  if (moved) part_set(out, "trust", part_number(t->trust));
  if (moved) part_set(out, "prediction_error", part_number(t->off));
  return out;
}
