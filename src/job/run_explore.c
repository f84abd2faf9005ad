// explore: what parameters do to a steady motion, a first-order prediction, and the motion itself.
#include "run_design.h"

#include "pliant/math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BARS_MOST = 30 };
static const double TRUST = 0.05; // distance over size of a motion up to which a prediction is good

typedef struct exploring {
  job *j;
  const pl_analysis *a;
  const pl_design_plan *plan;
  int nvar, nw;
  pl_design *d;
  pl_params *state[2];      // before and at the new values
  double *x, *to, *lo, *hi; // [nvar]
  double *path[3];          // [nw] before, predicted, solved
  double *grad;             // [nw][nvar]
  int nobj;                 // peaks, folds and quantities
  // [nobj][2] before and at the new values: height of the peak or the quantity (SI), frequency of a
  // peak or fold (rad/s)
  double *peak[2];
  double *peak_grad;  // [nobj][2][nvar] before
  pl_orbit *orbit[3]; // the same; NULL: none
  int displaced, cut; // values change; some were cut at bounds
  int fresh;          // the new motion was solved from rest
  double trust;       // estimated distance of the prediction over the motion's size
  double off;         // the same from the motion that was solved; -1: none was
  int found;          // peaks and folds at the new values are known
} exploring;

static const char *const motion_name[3] = {"before", "predicted", "solved"};

// ---- work -------------------------------------------------------------------------------------

// the motion of the branch that was asked for, at the values there are
static pl_status chosen_start(exploring *t, double omega, pl_orbit **out) {
  const pl_explore_opts *e = &t->a->opts.explore_;
  pl_periodic_opts o;
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &o);
  o.frequency = omega;
  o.harmonics = e->harmonics;
  o.samples = e->samples;
  o.adapt = e->adapt;
  o.max_harmonics = e->max_harmonics;
  o.rtol = e->rtol;
  o.branch = e->branch;
  o.near = e->near;
  return pl_periodic(&o, t->j->scene->model, t->j->scene->params, t->j->work, out, NULL);
}

static pl_status open_design(exploring *t) {
  const pl_explore_opts *e = &t->a->opts.explore_;
  const pl_scene *sc = t->j->scene;
  pl_optimise_opts o;
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &o);
  o.harmonics = e->harmonics;
  o.samples = e->samples;
  o.adapt = e->adapt;
  o.max_harmonics = e->max_harmonics;
  o.rtol = e->rtol;
  o.cuts = e->cuts;
  pl_design_problem problem = t->plan->problem;
  if (e->branch == PL_BRANCH_ANY || problem.npoint != 1)
    return pl_design_open(&o, sc->model, sc->params, t->j->work, &problem, &t->d);
  pl_operating at = problem.point[0];
  pl_orbit *start = NULL;
  PL_TRY(chosen_start(t, at.omega, &start));
  at.start = start;
  problem.point = &at;
  pl_status st = pl_design_open(&o, sc->model, sc->params, t->j->work, &problem, &t->d);
  pl_orbit_free(start);
  return st;
}

static int mask_of(const pl_probe *w) {
  return w->component < 0 ? 0 : 1 << w->component;
}

static double path_of(const exploring *t, const pl_orbit *o, int k) {
  const pl_probe *w = &t->a->probe[k];
  return pl_orbit_path_along(t->j->scene->model, t->j->scene->params, o, w->node,
                             mask_of(w) ? mask_of(w) : 7, NULL, NULL, NULL);
}

static pl_status allocate(exploring *t) {
  pl_env *env = t->j->env;
  size_t nv = (size_t)t->nvar, nw = (size_t)t->nw;
  t->x = pl_alloc(env, 4 * nv, sizeof(double));
  t->path[0] = pl_alloc(env, 3 * nw, sizeof(double));
  t->grad = pl_alloc(env, nw * nv, sizeof(double));
  t->peak[0] = pl_alloc(env, (size_t)t->nobj * (4 + 2 * nv), sizeof(double));
  if (!t->x || !t->path[0] || !t->grad || !t->peak[0]) return PL_E_NOMEM;
  t->peak[1] = t->peak[0] + 2 * t->nobj;
  t->peak_grad = t->peak[1] + 2 * t->nobj;
  t->to = t->x + nv;
  t->lo = t->to + nv;
  t->hi = t->lo + nv;
  t->path[1] = t->path[0] + nw;
  t->path[2] = t->path[1] + nw;
  return PL_OK;
}

static void release(exploring *t) {
  for (int k = 0; k < 3; k++) pl_orbit_free(t->orbit[k]);
  pl_params_free(t->state[0]);
  pl_params_free(t->state[1]);
  pl_free(t->j->env, t->x);
  pl_free(t->j->env, t->path[0]);
  pl_free(t->j->env, t->grad);
  pl_free(t->j->env, t->peak[0]);
  pl_design_free(t->d);
}

// adds a change along the gradient of an amplitude
static pl_status add_along(exploring *t, const pl_along *a) {
  double value, slope = 0, *grad = pl_alloc(t->j->env, 2 * (size_t)t->nvar, sizeof *grad);
  if (!grad) return PL_E_NOMEM;
  double *dx = grad + t->nvar;
  pl_status st = pl_design_amplitude(t->d, 0, a->node, a->mask, &value, grad);
  if (st == PL_OK) {
    // downhill where less is wanted, so that bounds in that direction count
    double sign = a->change < 0 ? -1 : 1, want = fabs(a->relative ? a->change * value : a->change);
    for (int k = 0; k < t->nvar; k++) grad[k] *= sign;
    pl_design_direction(t->d, grad, dx);
    for (int k = 0; k < t->nvar; k++) slope += grad[k] * dx[k];
    double step = slope != 0 ? want / slope : 0;
    for (int k = 0; k < t->nvar; k++) t->to[k] += step * dx[k];
    if (slope == 0)
      pl_report(t->j->env, PL_WARNING, t->j->scene->path, t->a->line, t->a->col, NULL,
                "%s: no variable changes the amplitude of '%s'", t->a->name, a->name);
  }
  pl_free(t->j->env, grad);
  return st;
}

static pl_status choose_values(exploring *t) {
  pl_design_values(t->d, t->x);
  pl_design_bounds(t->d, t->lo, t->hi);
  for (int k = 0; k < t->nvar; k++) t->to[k] = isnan(t->plan->set[k]) ? t->x[k] : t->plan->set[k];
  for (int k = 0; k < t->plan->nalong; k++) PL_TRY(add_along(t, &t->plan->along[k]));
  for (int k = 0; k < t->nvar; k++) {
    double v = fmin(fmax(t->to[k], t->lo[k]), t->hi[k]);
    t->cut += v != t->to[k];
    t->to[k] = v;
    t->displaced |= v != t->x[k];
  }
  if (t->cut)
    pl_report(t->j->env, PL_WARNING, t->j->scene->path, t->a->line, t->a->col, NULL,
              "%s: %d of %d %s stopped by bounds, so that less changes than wanted", t->a->name,
              t->cut, t->nvar, pl_plural(t->nvar, "variable is", "variables are"));
  return PL_OK;
}

static pl_status predict(exploring *t) {
  double *dx = pl_alloc(t->j->env, (size_t)t->nvar, sizeof *dx);
  if (!dx) return PL_E_NOMEM;
  for (int k = 0; k < t->nvar; k++) dx[k] = t->to[k] - t->x[k];
  pl_status st = pl_design_predict(t->d, 0, dx, &t->orbit[1], &t->trust);
  pl_free(t->j->env, dx);
  if (st == PL_DOMAIN)
    return pl_fail_at(t->j->env, PL_E_INPUT, t->j->scene->path, t->a->line, t->a->col,
                      "change less", "%s: an element is degenerate at the new values", t->a->name);
  return st;
}

// frequency at the new values
static double new_omega(const exploring *t) {
  for (int k = 0; k < t->nvar; k++)
    if (t->plan->problem.variable[k].kind == PL_VARIABLE_FREQUENCY) return t->to[k];
  return t->orbit[0]->omega;
}

static pl_status solve_from_rest(exploring *t, double omega) {
  const pl_explore_opts *e = &t->a->opts.explore_;
  pl_periodic_opts o;
  pl_periodic_info info;
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &o);
  o.frequency = omega;
  o.harmonics = t->orbit[0]->nharm;
  o.samples = e->samples;
  o.rtol = e->rtol;
  o.branch = e->branch;
  o.near = e->near;
  t->fresh = 1;
  pl_status st =
      pl_periodic(&o, t->j->scene->model, pl_design_params(t->d), t->j->work, &t->orbit[2], &info);
  if (st == PL_OK) return st;
  pl_orbit_free(t->orbit[2]);
  t->orbit[2] = NULL;
  return st;
}

// the motion at the new values: followed there, or, where it is lost, solved from rest. The model
// has the new values afterwards, whether or not there is a motion.
static pl_status move(exploring *t) {
  int wanted = t->a->opts.explore_.resolve;
  pl_status st = wanted ? pl_design_move(t->d, t->to) : PL_OK;
  if (st == PL_OK && wanted) {
    const pl_orbit *o = pl_design_orbit(t->d, 0);
    PL_TRY(pl_orbit_copy(o, o->nharm, &t->orbit[2]));
  } else {
    if (st < 0 || st == PL_CANCELLED) return st;
    PL_TRY(pl_design_set(t->d, t->to));
    if (wanted) st = solve_from_rest(t, new_omega(t));
    if (st < 0 || st == PL_CANCELLED) return st;
  }
  PL_TRY(pl_params_copy(t->j->env, pl_design_params(t->d), &t->state[1]));
  PL_TRY(job_use(t->j, t->state[1]));
  for (int k = 0; k < t->nw; k++) {
    t->path[1][k] = path_of(t, t->orbit[1], k);
    if (t->orbit[2]) t->path[2][k] = path_of(t, t->orbit[2], k);
  }
  if (t->orbit[2]) {
    const pl_model *m = t->j->scene->model;
    double size = pl_orbit_size(m, t->orbit[2]);
    t->off = size > 0 ? pl_orbit_distance(m, t->orbit[1], t->orbit[2]) / size : 0;
  }
  return st;
}

// by the motion that was solved where there is one
static int is_trusted(const exploring *t) {
  return (t->off >= 0 ? t->off : t->trust) < TRUST;
}

static const pl_objective_kind *kind_of(const exploring *t, int k) {
  return t->plan->problem.objective[k].kind;
}

// it lies somewhere on the response
static int has_frequency(const exploring *t, int k) {
  pl_scope scope = kind_of(t, k)->scope;
  return scope == PL_SCOPE_PEAK || scope == PL_SCOPE_FOLD || scope == PL_SCOPE_WINDOW;
}

static int has_height(const exploring *t, int k) {
  return kind_of(t, k)->scope != PL_SCOPE_FOLD;
}

// peaks, folds and quantities as they are now; grad [nobj][2][nvar] is overwritten
static pl_status find_peaks(exploring *t, double *peak, double *grad) {
  for (int k = 0; k < t->nobj; k++) {
    double *g = grad + (size_t)(2 * k) * (size_t)t->nvar;
    if (has_frequency(t, k))
      PL_TRY(pl_design_peak(t->d, k, &peak[2 * k], g, &peak[2 * k + 1], g + t->nvar));
    else
      PL_TRY(pl_design_quantity(t->d, k, &peak[2 * k], g));
  }
  return PL_OK;
}

// the same at the new values, where the motions were followed to
static pl_status find_new_peaks(exploring *t) {
  if (t->nobj == 0 || !t->orbit[2] || t->fresh) return PL_OK;
  double *grad = pl_alloc(t->j->env, 2 * (size_t)t->nobj * (size_t)t->nvar, sizeof *grad);
  if (!grad) return PL_E_NOMEM;
  pl_status st = find_peaks(t, t->peak[1], grad);
  pl_free(t->j->env, grad);
  t->found = st == PL_OK;
  if (st < 0 || st == PL_CANCELLED) return st;
  if (!t->found)
    pl_report(t->j->env, PL_WARNING, t->j->scene->path, t->a->line, t->a->col, NULL,
              "%s: objectives could not be followed to the new values", t->a->name);
  return PL_OK;
}

static pl_status explore(exploring *t) {
  PL_TRY(open_design(t));
  PL_TRY(pl_params_copy(t->j->env, pl_design_params(t->d), &t->state[0]));
  const pl_orbit *o = pl_design_orbit(t->d, 0);
  PL_TRY(pl_orbit_copy(o, o->nharm, &t->orbit[0]));
  for (int k = 0; k < t->nw; k++)
    PL_TRY(pl_design_amplitude(t->d, 0, t->a->probe[k].node, mask_of(&t->a->probe[k]),
                               &t->path[0][k], t->grad + (size_t)k * (size_t)t->nvar));
  PL_TRY(find_peaks(t, t->peak[0], t->peak_grad));
  PL_TRY(choose_values(t));
  if (!t->displaced) return PL_OK;
  PL_TRY(predict(t));
  pl_status st = move(t);
  if (st == PL_OK) st = find_new_peaks(t);
  return st;
}

// ---- figures ----------------------------------------------------------------------------------

// what objective k is called; those without a name of their own are numbered
static const char *peak_name(const exploring *t, int k, char buf[80]) {
  const pl_objective *o = &t->plan->problem.objective[k];
  if (o->name)
    snprintf(buf, 80, "%.70s", o->name);
  else if (t->nobj == 1)
    snprintf(buf, 80, "%s", o->kind->name);
  else
    snprintf(buf, 80, "%s_%d", o->kind->name, k + 1);
  return buf;
}

// side 0: before, 1: at the new values
static const char *peak_words(const exploring *t, int k, int side, char buf[80]) {
  const double *x = t->peak[side] + 2 * k;
  char height[48];
  if (!has_frequency(t, k))
    snprintf(buf, 80, "%s", quantity_text(t->j, kind_of(t, k), x[0], height));
  else if (has_height(t, k))
    snprintf(buf, 80, "%s at %.6g Hz", job_length_text(t->j, x[0], height), x[1] / (2 * PL_PI));
  else
    snprintf(buf, 80, "%.6g Hz", x[1] / (2 * PL_PI));
  return buf;
}

static json_t *slope_json(const exploring *t, const double *g, double si) {
  json_t *slope = json_object();
  for (int v = 0; v < t->nvar; v++)
    json_object_set_new(slope, pl_design_name(t->d, v), json_real(g[v] / si));
  return slope;
}

static json_t *peak_json(const exploring *t, int k) {
  char name[80];
  const double *was = t->peak[0] + 2 * k, *is = t->peak[1] + 2 * k;
  const double *g = t->peak_grad + (size_t)(2 * k) * (size_t)t->nvar;
  json_t *one = json_pack("{s:s, s:s, s:f}", "kind", kind_of(t, k)->name, "name",
                          peak_name(t, k, name), "frequency_before_Hz", was[1] / (2 * PL_PI));
  if (has_height(t, k)) job_set(one, "height_before_m", json_real(was[0]));
  if (t->found) job_set(one, "frequency_Hz", json_real(is[1] / (2 * PL_PI)));
  if (t->found && has_height(t, k)) job_set(one, "height_m", json_real(is[0]));
  if (has_height(t, k)) job_set(one, "height_m_by", slope_json(t, g, 1));
  job_set(one, "frequency_Hz_by", slope_json(t, g + t->nvar, 2 * PL_PI));
  return one;
}

static json_t *quantity_json(const exploring *t, int k) {
  char name[80];
  double si;
  const char *unit = quantity_unit(kind_of(t, k), &si);
  json_t *one =
      json_pack("{s:s, s:s, s:s, s:f}", "kind", kind_of(t, k)->name, "name", peak_name(t, k, name),
                "unit", unit, "value_before", t->peak[0][2 * k] / si);
  if (t->found) job_set(one, "value", json_real(t->peak[1][2 * k] / si));
  job_set(one, "by", slope_json(t, t->peak_grad + (size_t)(2 * k) * (size_t)t->nvar, si));
  return one;
}

// frequency 1: what lies on the response, 0: the others
static void set_objectives(const exploring *t, int frequency, const char *key, json_t *f) {
  json_t *all = json_array();
  for (int k = 0; k < t->nobj; k++)
    if (has_frequency(t, k) == frequency)
      json_array_append_new(all, frequency ? peak_json(t, k) : quantity_json(t, k));
  if (json_array_size(all) > 0)
    job_set(f, key, all);
  else
    json_decref(all);
}

static void set_figures(const exploring *t, json_t *f) {
  json_t *vars = json_object(), *amplitudes = json_object();
  for (int k = 0; k < t->nvar; k++) {
    json_t *one = json_pack("{s:f, s:f, s:s}", "before", t->x[k], "after", t->to[k], "unit",
                            pl_design_unit(t->d, k));
    if (isfinite(t->lo[k])) job_set(one, "min", json_real(t->lo[k]));
    if (isfinite(t->hi[k])) job_set(one, "max", json_real(t->hi[k]));
    json_object_set_new(vars, pl_design_name(t->d, k), one);
  }
  for (int i = 0; i < t->nw; i++) {
    json_t *slope = json_object(), *one = json_object();
    for (int k = 0; k < t->nvar; k++)
      json_object_set_new(slope, pl_design_name(t->d, k), json_real(t->grad[i * t->nvar + k]));
    job_set(one, "before_m", json_real(t->path[0][i]));
    if (t->orbit[1]) job_set(one, "predicted_m", json_real(t->path[1][i]));
    if (t->orbit[2]) job_set(one, "solved_m", json_real(t->path[2][i]));
    job_set(one, "by_parameter_m", slope);
    json_object_set_new(amplitudes, t->a->probe[i].name, one);
  }
  job_set(f, "frequency_Hz", json_real(t->orbit[0]->omega / (2 * PL_PI)));
  job_set(f, "harmonics", json_integer(t->orbit[0]->nharm));
  job_set(f, "variables", vars);
  job_set(f, "amplitude", amplitudes);
  set_objectives(t, 1, "peaks", f);
  set_objectives(t, 0, "quantities", f);
  job_set(f, "moved", json_boolean(t->displaced));
  job_set(f, "solved_from_rest", json_boolean(t->fresh));
  job_set(f, "cut_by_bounds", json_integer(t->cut));
  if (t->orbit[1]) {
    if (isfinite(t->trust)) job_set(f, "trust", json_real(t->trust));
    if (t->off >= 0) job_set(f, "prediction_error", json_real(t->off));
    job_set(f, "trusted", json_boolean(is_trusted(t)));
  }
}

static pl_status write_sensitivity(const exploring *t) {
  pl_text out;
  char name[PL_TEXT];
  pl_text_init(&out, t->j->env);
  pl_text_add(&out, "name,unit,value,new,min,max");
  for (int i = 0; i < t->nw; i++) pl_text_add(&out, ",d_%s_path_m_by_unit", t->a->probe[i].name);
  for (int i = 0; i < t->nobj; i++) {
    double si;
    const char *unit = has_frequency(t, i) ? "m" : quantity_unit(kind_of(t, i), &si);
    peak_name(t, i, name);
    if (has_height(t, i)) pl_text_add(&out, ",d_%s%s%s_by_unit", name, unit[0] ? "_" : "", unit);
    if (has_frequency(t, i)) pl_text_add(&out, ",d_%s_Hz_by_unit", name);
  }
  pl_text_add(&out, "\n");
  for (int k = 0; k < t->nvar; k++) {
    pl_text_add(&out, "%s,%s,%.17g,%.17g,%.17g,%.17g", pl_design_name(t->d, k),
                pl_design_unit(t->d, k), t->x[k], t->to[k], t->lo[k], t->hi[k]);
    for (int i = 0; i < t->nw; i++) pl_text_add(&out, ",%.17g", t->grad[i * t->nvar + k]);
    for (int i = 0; i < t->nobj; i++) {
      const double *g = t->peak_grad + (size_t)(2 * i) * (size_t)t->nvar;
      double si = 1;
      if (!has_frequency(t, i)) quantity_unit(kind_of(t, i), &si);
      if (has_height(t, i)) pl_text_add(&out, ",%.17g", g[k] / si);
      if (has_frequency(t, i)) pl_text_add(&out, ",%.17g", g[t->nvar + k] / (2 * PL_PI));
    }
    pl_text_add(&out, "\n");
  }
  snprintf(name, sizeof name, "%.100s-sensitivity", t->a->name);
  return job_text(t->j, name, &out);
}

// ---- page -------------------------------------------------------------------------------------

static void report_amplitudes(const exploring *t) {
  const length_unit *unit = job_length(t->j, t->nw ? t->path[0][0] : 0);
  grid g = job_grid(t->j, 4, NULL);
  grid_add(&g, "path length a period (%s)", unit->name);
  for (int m = 0; m < 3; m++) grid_add(&g, "%s", motion_name[m]);
  for (int i = 0; i < t->nw; i++) {
    grid_add(&g, "%.60s", t->a->probe[i].name);
    for (int m = 0; m < 3; m++) grid_add(&g, t->orbit[m] ? "%.5g" : "", t->path[m][i] / unit->si);
  }
  grid_end(&g);
}

static void report_peaks(const exploring *t) {
  char name[80], was[80], is[80];
  for (int k = 0; k < t->nobj; k++)
    job_say(t->j, "%s: %s%s%s.", peak_name(t, k, name), peak_words(t, k, 0, was),
            t->found ? "; at the new values " : "", t->found ? peak_words(t, k, 1, is) : "");
}

static void report_trust(const exploring *t) {
  if (!t->orbit[1]) {
    job_say(t->j, "No value is changed; give `set` or `along` to see what would happen.");
    return;
  }
  job_say(t->j, "The predicted motion is about %.2g %% of its size off%s.",
          100 * (t->off >= 0 ? t->off : t->trust),
          t->off >= 0 ? ", compared with the solved one" : ", by one step of Newton's method");
  if (!is_trusted(t))
    job_warn(t->j,
             "The prediction is poor: the change is too large for a first-order estimate "
             "(wanted below %.2g %%). Change less, or trust the solved motion.",
             100 * TRUST);
  if (t->fresh && t->orbit[2])
    job_say(t->j, "The motion could not be followed to the new values; it was solved "
                  "there from rest.");
  if (t->a->opts.explore_.resolve && !t->orbit[2])
    job_alarm(t->j, "No motion was found at the new values.");
}

static double range_of(const exploring *t, int k) {
  double range = t->hi[k] - t->lo[k];
  return isfinite(range) ? range : t->x[k] != 0 ? fabs(t->x[k]) : 1;
}

typedef struct ranked {
  double value;
  int k;
} ranked;

static int by_size(const void *a, const void *b) {
  const ranked *p = a, *q = b;
  double x = fabs(p->value), y = fabs(q->value);
  return x != y ? (x < y) - (x > y) : p->k - q->k;
}

// derivatives of a probed amplitude by all parameters, scaled by their ranges
static pl_status show_bars(const exploring *t, int i) {
  ranked *r = pl_alloc(t->j->env, (size_t)t->nvar, sizeof *r);
  const char *name[BARS_MOST];
  double value[BARS_MOST];
  int n = t->nvar < BARS_MOST ? t->nvar : BARS_MOST;
  if (!r) return PL_E_NOMEM;
  for (int k = 0; k < t->nvar; k++) r[k] = (ranked){t->grad[i * t->nvar + k] * range_of(t, k), k};
  if (t->nvar > BARS_MOST) qsort(r, (size_t)t->nvar, sizeof *r, by_size);
  for (int k = 0; k < n; k++) {
    name[k] = pl_design_name(t->d, r[k].k);
    value[k] = r[k].value;
  }
  pl_free(t->j->env, r);
  char title[PL_TEXT], file[PL_TEXT];
  snprintf(title, sizeof title, "d(amplitude of %.100s) / d(parameter)", t->a->probe[i].name);
  snprintf(file, sizeof file, "%.100s-%.100s-sensitivity", t->a->name, t->a->probe[i].name);
  const pl_chart chart = {title,
                          "derivative of the path length times the parameter's range (m)",
                          job_length(t->j, 0)->key,
                          n,
                          name,
                          value};
  return job_chart(t->j, file, &chart,
                   "Derivative times the range between the bounds (the value itself where there "
                   "are none).");
}

static pl_status show_traces(const exploring *t, int i) {
  int dim = t->j->scene->dim, n = 0;
  size_t per = TRACE * (size_t)dim;
  static const int dashed[3] = {1, 2, 0}, colour[3] = {1, 3, 0};
  trace list[3];
  double *x = pl_alloc(t->j->env, 3 * per, sizeof *x);
  pl_status st = x ? PL_OK : PL_E_NOMEM;
  for (int m = 0; st == PL_OK && m < 3; m++) {
    if (!t->orbit[m]) continue;
    st = job_use(t->j, t->state[m > 0]);
    if (st == PL_OK)
      st = trace_orbit(t->j, t->orbit[m], t->a->probe[i].node, 0, TRACE, x + (size_t)m * per);
    list[n++] = (trace){.name = motion_name[m],
                        .x = x + (size_t)m * per,
                        .n = TRACE,
                        .dashed = dashed[m],
                        .colour = colour[m]};
  }
  char title[PL_TEXT], file[PL_TEXT];
  snprintf(title, sizeof title, "%s of %.100s", dim > 1 ? "path" : "motion", t->a->probe[i].name);
  snprintf(file, sizeof file, "%.100s-%.100s-path", t->a->name, t->a->probe[i].name);
  if (st == PL_OK)
    st = traces_plot(t->j, file, title, n, list, 2 * PL_PI / t->orbit[0]->omega,
                     n > 1 ? "One period before, predicted to first order, and solved."
                           : "One period.");
  pl_free(t->j->env, x);
  return st;
}

static void report_values(const exploring *t) {
  pl_bar bar[BARS_MOST];
  int n = 0;
  for (int k = 0; k < t->nvar && n < BARS_MOST; k++) {
    const char *unit = pl_design_unit(t->d, k);
    double c = job_shown_variable(t->j, &t->plan->problem.variable[k], &unit);
    if (t->nvar <= BARS_MOST || t->to[k] != t->x[k])
      bar[n++] = (pl_bar){.name = pl_design_name(t->d, k),
                          .unit = unit,
                          .lo = t->lo[k] / c,
                          .hi = t->hi[k] / c,
                          .before = t->x[k] / c,
                          .after = t->to[k] / c};
  }
  if (n) job_bars(t->j, n, bar);
}

static pl_status show_motions(const exploring *t) {
  pl_status st = PL_OK;
  job_row(t->j);
  for (int m = 0; st == PL_OK && m < 3; m += 2) {
    char name[PL_TEXT];
    if (!t->orbit[m]) continue;
    snprintf(name, sizeof name, "%.100s-%s", t->a->name, motion_name[m]);
    st = job_use(t->j, t->state[m > 0]);
    if (st == PL_OK) st = job_orbit(t->j, t->orbit[m], name, motion_name[m]);
  }
  job_row_end(t->j);
  return st;
}

static pl_status show(const exploring *t) {
  if (job_tables(t->j)) PL_TRY(write_sensitivity(t));
  report_amplitudes(t);
  report_trust(t);
  report_peaks(t);
  report_values(t);
  for (int i = 0; i < t->nw; i++) PL_TRY(show_bars(t, i));
  for (int i = 0; i < t->nw; i++) PL_TRY(show_traces(t, i));
  return show_motions(t);
}

static void note(const exploring *t) {
  char text[3][48];
  for (int i = 0; i < t->nw; i++) {
    for (int m = 0; m < 3; m++)
      if (t->orbit[m]) job_length_text(t->j, t->path[m][i], text[m]);
    if (t->orbit[2])
      job_note(t->j, "%s: amplitude of %s %s, predicted %s, solved %s", t->a->name,
               t->a->probe[i].name, text[0], text[1], text[2]);
    else
      job_note(t->j, "%s: amplitude of %s %s", t->a->name, t->a->probe[i].name, text[0]);
  }
  char name[80], was[80], is[80];
  for (int k = 0; k < t->nobj; k++)
    job_note(t->j, "%s: %s %s%s%s", t->a->name, peak_name(t, k, name), peak_words(t, k, 0, was),
             t->found ? ", solved " : "", t->found ? peak_words(t, k, 1, is) : "");
}

pl_status job_explore(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  exploring t = {.j = j, .a = a, .plan = a->plan, .nw = a->nprobe, .off = -1};
  t.nvar = a->plan->problem.nvariable;
  t.nobj = a->plan->problem.nobjective;
  pl_status st = allocate(&t);
  if (st == PL_OK) st = explore(&t);
  if (st >= 0 && t.orbit[0] && st != PL_CANCELLED) {
    set_figures(&t, figures);
    note(&t);
    pl_status w = show(&t);
    if (w < 0) st = w;
  } else if (st == PL_UNSOLVED) {
    job_alarm(j, "%s: there is no steady motion to start from.", a->name);
  }
  int found = a->opts.explore_.apply && t.state[1];
  pl_status back = found ? job_apply(j, &t.state[1]) : job_use(j, NULL);
  if (st >= 0 && back < 0) st = back;
  release(&t);
  return st;
}
