// One-at-a-time changes: the plan, the runs, and what their figures say.
#include "sensitivity_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TENTH = 0.1;
static const double SAME = 1e-9; // of the largest entry of a vector: changes by less are rounding

// ---- figures of a run ---------------------------------------------------------------------------

// numbers that tell of the solution rather than of the model
static const char *const left_out[] = {
    "seconds",         "residual",  "gradients",        "sensitivities", "balance",
    "time_error",      "book",      "harmonics_change", "energy_made_J", "energy_made_most_J",
    "period_change_m", "left_over", "last_good_Hz",     "rounding",      "truncation"};

static int is_left_out(const char *key) {
  for (size_t k = 0; k < sizeof left_out / sizeof left_out[0]; k++)
    if (strcmp(key, left_out[k]) == 0) return 1;
  return 0;
}

// what one run told: figures and derivatives of its analyses, by name
typedef struct told {
  const char *only;
  json_t *figures, *gradients; // name -> number; name -> {parameter: number}
  char why[160];               // why it failed
} told;

static void flatten(json_t *out, const char *name, const json_t *at);

static void flatten_part(json_t *out, const char *name, const char *key, const json_t *at) {
  char full[PL_TEXT];
  if (is_left_out(key)) return;
  snprintf(full, sizeof full, "%.400s.%.100s", name, key);
  flatten(out, full, at);
}

static void flatten(json_t *out, const char *name, const json_t *at) {
  char index[24];
  if (json_is_real(at)) json_object_set_new(out, name, json_real(json_real_value(at)));
  void *it = json_is_object(at) ? json_object_iter((json_t *)(uintptr_t)at) : NULL;
  for (; it; it = json_object_iter_next((json_t *)(uintptr_t)at, it))
    flatten_part(out, name, json_object_iter_key(it), json_object_iter_value(it));
  for (size_t i = 0; json_is_array(at) && i < json_array_size(at); i++) {
    snprintf(index, sizeof index, "%zu", i);
    flatten_part(out, name, index, json_array_get(at, i));
  }
}

static void hear(void *ctx, const pl_analysis *a, const json_t *figures) {
  told *t = ctx;
  char full[PL_TEXT];
  const char *status = json_string_value(json_object_get(figures, "status"));
  const char *reason = json_string_value(json_object_get(figures, "reason"));
  if (status && strcmp(status, pl_status_text(PL_OK)) != 0 && !t->why[0])
    snprintf(t->why, sizeof t->why, "%.60s: %.90s", a->name, reason ? reason : status);
  if (t->only && strcmp(t->only, a->name) != 0) return;
  flatten(t->figures, a->name, figures);
  const json_t *all = json_object_get(figures, "gradients");
  void *it = all ? json_object_iter((json_t *)(uintptr_t)all) : NULL;
  for (; it; it = json_object_iter_next((json_t *)(uintptr_t)all, it)) {
    json_t *by = json_object_get(json_object_iter_value(it), "by");
    snprintf(full, sizeof full, "%.200s.%.300s", a->name, json_object_iter_key(it));
    if (by) json_object_set(t->gradients, full, by);
  }
}

static void told_open(told *t, const char *only) {
  *t = (told){.only = only, .figures = json_object(), .gradients = json_object()};
}

static void told_close(told *t) {
  json_decref(t->figures);
  json_decref(t->gradients);
}

// ---- runs ---------------------------------------------------------------------------------------

typedef struct study {
  pl_env *env;
  const pl_scene *scene;
  const pl_sensitivity_opts *o;
  pl_sensitivity *s;
  told base;
  told *low, *high; // [nparameter]
  int done, runs;
} study;

static int silent_progress(void *ctx, const pl_progress *p) {
  pl_env *env = ctx;
  (void)p;
  return pl_report_progress(env, NULL, -1, NULL) == PL_CANCELLED;
}

// one run with further overrides, without files and words; only: this analysis
static pl_status run_with(study *k, int nset, const char *const *set, const char *only, told *t) {
  pl_env quiet = *k->env;
  pl_scene *sc = NULL;
  pl_job_result result;
  quiet.diag = NULL;
  quiet.file = NULL;
  quiet.progress = silent_progress;
  quiet.progress_ctx = k->env;
  const pl_sink sink = {.ctx = t, .figures = hear};
  const pl_job_opts o = {.sink = &sink, .only = only, .threads = k->o->threads};
  pl_status s = pl_scene_again(&quiet, k->scene, nset, set, &sc);
  if (s == PL_OK) s = pl_job_run(&quiet, sc, &o, &result);
  if (s < 0 && !t->why[0]) snprintf(t->why, sizeof t->why, "%.150s", quiet.error.text);
  pl_scene_free(sc);
  return s;
}

// 0: its host is told by pl_fail; errors of a run with other values are its result
static int is_result(pl_status s) {
  return s == PL_OK || s == PL_UNSOLVED || s == PL_E_INPUT || s == PL_DOMAIN || s == PL_SINGULAR;
}

static pl_status progress(study *k, const char *what) {
  return pl_report_progress(k->env, "sensitivity", (double)k->done++ / k->runs, what);
}

static int may_have_gradients(const pl_analysis *a) {
  return a->kind == PL_ANALYSIS_static || a->kind == PL_ANALYSIS_transient ||
         a->kind == PL_ANALYSIS_periodic;
}

// derivatives of one analysis; one that has none is no error
static pl_status ask_gradients(study *k, const pl_analysis *a) {
  char set[PL_TEXT];
  const char *one = set;
  told t;
  if (!may_have_gradients(a) || (k->o->only && strcmp(k->o->only, a->name) != 0)) return PL_OK;
  snprintf(set, sizeof set, "analyses.%.200s.gradients=yes", a->name);
  told_open(&t, a->name);
  pl_status s = run_with(k, 1, &one, a->name, &t);
  if (s == PL_OK) json_object_update(k->base.gradients, t.gradients);
  if (s != PL_OK && is_result(s))
    pl_report(k->env, PL_NOTE, NULL, 0, 0, NULL, "no exact derivatives of %.60s: %s", a->name,
              t.why[0] ? t.why : pl_status_text(s));
  told_close(&t);
  return is_result(s) ? PL_OK : s;
}

static int begins(const char *name, const char *with) {
  size_t n = strlen(with);
  return strncmp(name, with, n) == 0 && (!name[n] || name[n] == '.' || with[n - 1] == '.');
}

// every name that is asked for is the begin of a figure's
static pl_status check_figures(study *k) {
  for (int i = 0; i < k->o->nfigure; i++) {
    int found = 0;
    void *it = json_object_iter(k->base.figures);
    for (; it && !found; it = json_object_iter_next(k->base.figures, it))
      found = begins(json_object_iter_key(it), k->o->figure[i]);
    if (!found)
      return pl_fail_at(k->env, PL_E_ARG, k->scene->path, 0, 0,
                        "names are as in summary.json, e.g. static.displacement_m.tip.2",
                        "no figure begins with '%.200s'", k->o->figure[i]);
  }
  return PL_OK;
}

static pl_status run_base(study *k) {
  told_open(&k->base, k->o->only);
  PL_TRY(progress(k, "the scene's own values"));
  pl_status s = run_with(k, 0, NULL, k->o->only, &k->base);
  if (s < 0 && s != PL_CANCELLED)
    return pl_fail_at(k->env, s, k->scene->path, 0, 0, "pliant run tells more",
                      "the scene as it is cannot be run: %s", k->base.why);
  if (s == PL_UNSOLVED)
    return pl_fail_at(k->env, PL_E_INPUT, k->scene->path, 0, 0, "help that analysis first",
                      "the scene as it is has no result: %s", k->base.why);
  PL_TRY(s);
  PL_TRY(check_figures(k));
  PL_TRY(progress(k, "derivatives"));
  for (int i = 0; i < k->scene->nanalysis; i++) PL_TRY(ask_gradients(k, &k->scene->analysis[i]));
  return PL_OK;
}

static pl_status run_side(study *k, int i, int high) {
  pl_sensitivity_parameter *p = &k->s->parameter[i];
  told *t = high ? &k->high[i] : &k->low[i];
  char set[PL_TEXT], what[PL_TEXT];
  const char *one = set;
  double v = high ? p->high : p->low;
  told_open(t, k->o->only);
  snprintf(what, sizeof what, "%.60s = %.6g %.20s", p->name, v, p->unit);
  PL_TRY(progress(k, what));
  snprintf(set, sizeof set, "parameters.%.200s.value=%.17g%s%.40s", p->name, v,
           p->unit[0] ? " " : "", p->unit);
  pl_status s = run_with(k, 1, &one, k->o->only, t);
  if (!is_result(s)) return s;
  if (s == PL_OK) return PL_OK;
  snprintf(high ? p->why_high : p->why_low, sizeof p->why_low, "%s",
           t->why[0] ? t->why : pl_status_text(s));
  k->s->nfailed++;
  return PL_OK;
}

static pl_status run_all(study *k) {
  for (int i = 0; i < k->s->nparameter; i++)
    for (int high = 0; high < 2; high++) PL_TRY(run_side(k, i, high));
  return PL_OK;
}

// ---- parameters ---------------------------------------------------------------------------------

static int is_asked(const pl_sensitivity_opts *o, const char *name) {
  for (int k = 0; k < o->nparameter; k++)
    if (strcmp(o->parameter[k], name) == 0) return 1;
  return o->nparameter == 0;
}

static pl_status check_names(study *k) {
  const pl_model *m = k->scene->model;
  const char *names[64];
  char hint[PL_TEXT];
  for (int i = 0; i < k->o->nparameter; i++) {
    int n = 0, found = 0;
    for (int d = 0; d < pl_model_ndesign(m); d++) {
      const char *name = pl_model_design(m, d)->name;
      if (strchr(name, '.')) continue;
      found |= strcmp(name, k->o->parameter[i]) == 0;
      if (n < 64) names[n++] = name;
    }
    if (found) continue;
    pl_name_hint(k->o->parameter[i], n, names, hint, sizeof hint);
    return pl_fail_at(k->env, PL_E_ARG, k->scene->path, 0, 0, hint,
                      "there is no parameter '%.100s' to change", k->o->parameter[i]);
  }
  return PL_OK;
}

// where a parameter goes to; 0: nowhere
static int choose_ends(const pl_sensitivity_opts *o, const pl_design_desc *d, double *low,
                       double *high) {
  int bounded = isfinite(d->min) && isfinite(d->max) && d->min < d->max;
  double by = (o->step > 0 ? o->step : TENTH) * fabs(d->value);
  *low = d->min;
  *high = d->max;
  if (o->step > 0 || !bounded) {
    *low = fmax(d->value - by, d->min);
    *high = fmin(d->value + by, d->max);
  }
  return *low < *high;
}

static pl_status plan(study *k) {
  const pl_scene *sc = k->scene;
  pl_sensitivity *s = k->s;
  int single = 0;
  PL_TRY(check_names(k));
  size_t n = (size_t)pl_model_ndesign(sc->model);
  s->parameter = pl_alloc(k->env, n, sizeof *s->parameter);
  k->low = pl_alloc(k->env, n, sizeof *k->low);
  k->high = pl_alloc(k->env, n, sizeof *k->high);
  if (!s->parameter || !k->low || !k->high) return PL_E_NOMEM;
  for (int d = 0; d < (int)n; d++) {
    const pl_design_desc *desc = pl_model_design(sc->model, d);
    double low, high, one = sc->shown[d].factor;
    if (strchr(desc->name, '.')) single++;
    if (strchr(desc->name, '.') || !is_asked(k->o, desc->name)) continue;
    if (!choose_ends(k->o, desc, &low, &high)) {
      pl_report(k->env, PL_WARNING, sc->path, 0, 0, "give it min and max",
                "parameter '%.100s' is 0 and has no bounds: it is left out", desc->name);
      continue;
    }
    s->parameter[s->nparameter++] =
        (pl_sensitivity_parameter){.name = desc->name,
                                   .unit = sc->shown[d].unit ? sc->shown[d].unit : "",
                                   .factor = one,
                                   .low = low / one,
                                   .base = desc->value / one,
                                   .high = high / one};
  }
  if (single > 0)
    pl_report(k->env, PL_NOTE, NULL, 0, 0, NULL,
              "%d parameters of single elements are left alone: their derivatives are those of "
              "`gradients: yes`",
              single);
  k->runs = 2 + 2 * s->nparameter;
  if (s->nparameter > 0) return PL_OK;
  return pl_fail_at(k->env, PL_E_ARG, sc->path, 0, 0,
                    "e.g. parameters: {E: {value: 2 GPa, min: 1 GPa, max: 3 GPa}}",
                    "the scene has no parameters to change");
}

// ---- what they say ------------------------------------------------------------------------------

static double value_of(const told *t, const char *name) {
  const json_t *v = t->figures ? json_object_get(t->figures, name) : NULL;
  return v ? json_number_value(v) : NAN;
}

// an analysis of this figure has derivatives, though perhaps not of it
static int is_differentiated(const study *k, const char *name) {
  void *it = json_object_iter(k->base.gradients);
  size_t n = strcspn(name, ".");
  for (; it; it = json_object_iter_next(k->base.gradients, it))
    if (strncmp(json_object_iter_key(it), name, n + 1) == 0) return 1;
  return 0;
}

// the largest entry of the vector that a figure is one of
static double vector_size(const study *k, const char *name) {
  const char *last = strrchr(name, '.');
  size_t n = last ? (size_t)(last - name) + 1 : 0;
  double most = 0;
  void *it = json_object_iter(k->base.figures);
  for (; it; it = json_object_iter_next(k->base.figures, it)) {
    const char *other = json_object_iter_key(it);
    int beside = n > 0 && strspn(last + 1, "0123456789") == strlen(last + 1) &&
                 strncmp(other, name, n) == 0 && !strchr(other + n, '.');
    if (beside || strcmp(other, name) == 0)
      most = fmax(most, fabs(json_number_value(json_object_iter_value(it))));
  }
  return most;
}

// some run differs from the base by more than rounding
static int changes(const study *k, const char *name, double base) {
  double most = 0, size = vector_size(k, name);
  for (int i = 0; i < k->s->nparameter; i++)
    for (int high = 0; high < 2; high++) {
      double v = value_of(high ? &k->high[i] : &k->low[i], name);
      if (!isfinite(v)) continue;
      most = fmax(most, fabs(v - base));
      size = fmax(size, fabs(v));
    }
  return most > SAME * size;
}

static int is_wanted(const study *k, const char *name, double base) {
  for (int i = 0; i < k->o->nfigure; i++)
    if (begins(name, k->o->figure[i])) return 1;
  if (k->o->nfigure > 0 || !changes(k, name, base)) return 0;
  return json_object_get(k->base.gradients, name) || !is_differentiated(k, name);
}

static pl_status add_figure(study *k, const char *name, double base, int *cap) {
  pl_sensitivity *s = k->s;
  int same = *cap;
  PL_TRY(pl_grow(k->env, &s->figure, s->nfigure, cap, sizeof *s->figure));
  PL_TRY(pl_grow(k->env, &s->base, s->nfigure, &same, sizeof *s->base));
  s->figure[s->nfigure] = pl_strdup(k->env, name);
  if (!s->figure[s->nfigure]) return PL_E_NOMEM;
  s->base[s->nfigure++] = base;
  return PL_OK;
}

static pl_sensitivity_effect effect_of(const study *k, int i, const char *name) {
  const pl_sensitivity_parameter *p = &k->s->parameter[i];
  const json_t *by = json_object_get(k->base.gradients, name);
  const json_t *g = by ? json_object_get(by, p->name) : NULL;
  pl_sensitivity_effect e = {.low = value_of(&k->low[i], name),
                             .high = value_of(&k->high[i], name)};
  e.slope = (e.high - e.low) / (p->high - p->low);
  e.gradient = g ? json_number_value(g) * p->factor : NAN;
  return e;
}

static pl_status conclude(study *k) {
  pl_sensitivity *s = k->s;
  int cap = 0;
  void *it = json_object_iter(k->base.figures);
  for (; it; it = json_object_iter_next(k->base.figures, it)) {
    const char *name = json_object_iter_key(it);
    double base = json_number_value(json_object_iter_value(it));
    if (is_wanted(k, name, base)) PL_TRY(add_figure(k, name, base, &cap));
  }
  s->effect = pl_alloc(k->env, (size_t)s->nfigure * (size_t)s->nparameter, sizeof *s->effect);
  if (!s->effect) return PL_E_NOMEM;
  for (int f = 0; f < s->nfigure; f++)
    for (int i = 0; i < s->nparameter; i++)
      s->effect[f * s->nparameter + i] = effect_of(k, i, s->figure[f]);
  return PL_OK;
}

static double span_of(const pl_sensitivity *s, int figure, int i) {
  const pl_sensitivity_effect *e = &s->effect[figure * s->nparameter + i];
  double lo = isfinite(e->low) ? fabs(e->low - s->base[figure]) : 0;
  double hi = isfinite(e->high) ? fabs(e->high - s->base[figure]) : 0;
  return isfinite(e->low) && isfinite(e->high) ? fmax(fabs(e->high - e->low), fmax(lo, hi))
                                               : fmax(lo, hi);
}

void pl_sensitivity_order(const pl_sensitivity *s, int figure, int *order) {
  for (int i = 0; i < s->nparameter; i++) {
    int at = i;
    while (at > 0 && span_of(s, figure, order[at - 1]) < span_of(s, figure, i)) {
      order[at] = order[at - 1];
      at--;
    }
    order[at] = i;
  }
}

// ---- whole --------------------------------------------------------------------------------------

void pl_sensitivity_free(pl_sensitivity *s) {
  if (!s) return;
  for (int k = 0; k < s->nfigure; k++) pl_free(s->env, s->figure[k]);
  pl_free(s->env, s->figure);
  pl_free(s->env, s->base);
  pl_free(s->env, s->effect);
  pl_free(s->env, s->parameter);
  pl_free(s->env, s);
}

static void release(study *k) {
  told_close(&k->base);
  for (int i = 0; k->low && k->high && i < k->s->nparameter; i++) {
    told_close(&k->low[i]);
    told_close(&k->high[i]);
  }
  pl_free(k->env, k->low);
  pl_free(k->env, k->high);
}

static pl_status study_run(study *k) {
  PL_TRY(plan(k));
  if (k->scene->nanalysis == 0)
    return pl_fail_at(k->env, PL_E_INPUT, k->scene->path, 0, 0, "e.g. analyses: [{static: {}}]",
                      "the scene has no analyses: there is nothing to run");
  if (k->o->only && pl_scene_find_analysis(k->scene, k->o->only) < 0)
    return pl_fail_at(k->env, PL_E_ARG, k->scene->path, 0, 0, "pliant check lists them",
                      "there is no analysis '%.100s'", k->o->only);
  PL_TRY(run_base(k));
  pl_status s = run_all(k);
  // what was done before it was stopped is told
  if (s != PL_OK && s != PL_CANCELLED) return s;
  PL_TRY(conclude(k));
  if (k->o->folder) PL_TRY(sensitivity_files(k->scene, k->o->folder, k->s));
  return s == PL_OK && k->s->nfailed > 0 ? PL_UNSOLVED : s;
}

pl_status pl_sensitivity_run(pl_env *env, const pl_scene *scene, const pl_sensitivity_opts *o,
                             pl_sensitivity **out) {
  *out = NULL;
  pl_sensitivity *s = pl_alloc(env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  s->env = env;
  study k = {.env = env, .scene = scene, .o = o, .s = s};
  pl_status st = study_run(&k);
  release(&k);
  if (st < 0) {
    pl_sensitivity_free(s);
    return st;
  }
  *out = s;
  return st;
}
