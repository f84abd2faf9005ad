// Variables: what they turn, their bounds and their scales.
#include "design_impl.h"

#include <stdio.h>
#include <string.h>

// ---- scales -----------------------------------------------------------------------------------

double to_scaled(const variable *v, double x) {
  return v->log ? log(x) : x / v->scale;
}

double from_scaled(const variable *v, double u) {
  double x = v->log ? exp(u) : u * v->scale;
  return fmin(fmax(x, v->lo), v->hi);
}

double scaled_slope(const variable *v, double x) {
  return v->log ? x : v->scale;
}

// by the range; where bounds are far beyond the value, by the value
static void choose_scale(variable *v, pl_variable_scale how, double x) {
  double range = v->hi - v->lo, size = fabs(x);
  v->log = how == PL_SCALE_LOG ||
           (how == PL_SCALE_AUTO && v->lo > 0 && v->hi >= 99.99 * v->lo && isfinite(v->hi));
  v->scale = isfinite(range) && range > 0 && (size == 0 || range <= 1e3 * size) ? range : size;
  if (!(v->scale > 0)) v->scale = isfinite(range) && range > 0 ? range : 1;
}

// ---- bounds -----------------------------------------------------------------------------------

// the kind's range of a parameter of an element, by its place in the flat vector; 0: none
static const pl_option *range_of(const pl_design *d, int index) {
  for (int g = 0; g < pl_model_ngroup(d->m); g++) {
    const pl_elem_kind *k = pl_model_group_kind(d->m, g);
    int n = pl_model_group_size(d->m, g);
    if (n == 0) continue;
    long first = pl_model_group_par(d->m, d->p, g, 0) - d->p->par;
    long last = pl_model_group_par(d->m, d->p, g, n - 1) - d->p->par + k->npar;
    if (index >= first && index < last) return &k->par[(index - first) % k->npar];
  }
  return NULL;
}

// values at which every element parameter stays in the range of its kind
static void narrow(const pl_design *d, variable *v) {
  const pl_design_desc *desc = pl_model_design(d->m, v->index);
  for (int t = 0; t < desc->ntarget; t++) {
    const pl_target *target = &desc->target[t];
    const pl_option *r = target->on_ref ? NULL : range_of(d, target->index);
    if (!r || target->coef == 0) continue;
    double now = d->p->par[target->index], a = v->x0 + (r->lo - now) / target->coef,
           b = v->x0 + (r->hi - now) / target->coef;
    v->lo = fmax(v->lo, fmin(a, b));
    v->hi = fmin(v->hi, fmax(a, b));
  }
}

static pl_status set_bounds(pl_design *d, variable *v, const pl_variable *from) {
  v->lo = from->min;
  v->hi = from->max;
  if (from->min == 0 && from->max == 0) {
    v->lo = v->kind == PL_VARIABLE_FREQUENCY ? 0.5 * v->x0 : 0;
    v->hi = v->kind == PL_VARIABLE_FREQUENCY ? 2 * v->x0 : INFINITY;
    if (v->kind == PL_VARIABLE_DESIGN) {
      const pl_design_desc *desc = pl_model_design(d->m, v->index);
      int none = !(desc->min < desc->max);
      v->lo = none ? -INFINITY : desc->min;
      v->hi = none ? INFINITY : desc->max;
    }
  }
  if (v->kind == PL_VARIABLE_DESIGN) narrow(d, v);
  if (isnan(v->lo) || isnan(v->hi) || !(v->lo < v->hi))
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "give it a lower bound below its upper one",
                      "design: variable '%s' has bounds %g and %g", v->name, v->lo, v->hi);
  if (v->kind == PL_VARIABLE_FREQUENCY && !(v->lo > 0))
    return pl_fail(d->env, PL_E_INPUT, "design: variable '%s' must be bounded above 0, got %g",
                   v->name, v->lo);
  if (from->scale == PL_SCALE_LOG && !(v->lo > 0))
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "give it a lower bound above 0",
                      "design: variable '%s' has a logarithmic scale and the lower bound %g",
                      v->name, v->lo);
  return PL_OK;
}

// ---- list -------------------------------------------------------------------------------------

static pl_status name_variable(pl_design *d, variable *v, const pl_operating *point) {
  char text[160];
  const char *name = v->kind == PL_VARIABLE_ALPHA ? "alpha" : "beta";
  v->unit = v->kind == PL_VARIABLE_ALPHA ? "1/s" : "s";
  if (v->kind == PL_VARIABLE_DESIGN) {
    const pl_design_desc *desc = pl_model_design(d->m, v->index);
    name = desc->name ? desc->name : "";
    v->unit = desc->unit ? desc->unit : "";
  } else if (v->kind == PL_VARIABLE_FREQUENCY) {
    snprintf(text, sizeof text, "frequency%s%.128s", point[v->index].name ? " of " : "",
             point[v->index].name ? point[v->index].name : "");
    name = text;
    v->unit = "rad/s";
  }
  v->name = pl_strdup(d->env, name);
  return v->name ? PL_OK : PL_E_NOMEM;
}

static int acts_on(const pl_design *d, const variable *v, int par) {
  if (v->kind != PL_VARIABLE_DESIGN) return 0;
  const pl_design_desc *desc = pl_model_design(d->m, v->index);
  for (int t = 0; t < desc->ntarget; t++)
    if (!desc->target[t].on_ref && desc->target[t].index == par) return 1;
  return 0;
}

static pl_status check_variable(const pl_design *d, int k) {
  const variable *v = &d->var[k];
  int most = v->kind == PL_VARIABLE_DESIGN      ? pl_model_ndesign(d->m)
             : v->kind == PL_VARIABLE_FREQUENCY ? d->npoint
                                                : 1;
  if (v->index < 0 || (v->index >= most && most != 1) || most == 0)
    return pl_fail(d->env, PL_E_ARG, "design: variable %d belongs to no %s of number %d", k + 1,
                   v->kind == PL_VARIABLE_FREQUENCY ? "operating point" : "design parameter",
                   v->index);
  for (int j = 0; j < k; j++) {
    const variable *o = &d->var[j];
    int same = o->kind == v->kind && (o->index == v->index || v->kind == PL_VARIABLE_ALPHA ||
                                      v->kind == PL_VARIABLE_BETA);
    if (same)
      return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "list it once",
                        "design: variables %d and %d are the same", j + 1, k + 1);
  }
  return PL_OK;
}

static pl_status add_variable(pl_design *d, int k, const pl_variable *from,
                              const pl_design_problem *problem) {
  variable *v = &d->var[k];
  *v = (variable){.kind = from->kind, .index = from->index, .scale = 1};
  PL_TRY(check_variable(d, k));
  PL_TRY(name_variable(d, v, problem->point));
  v->x0 = v->kind == PL_VARIABLE_ALPHA       ? d->p->par[PL_PAR_ALPHA]
          : v->kind == PL_VARIABLE_BETA      ? d->p->par[PL_PAR_BETA]
          : v->kind == PL_VARIABLE_FREQUENCY ? d->omega[v->index]
                                             : d->p->design[v->index];
  PL_TRY(set_bounds(d, v, from));
  d->x[k] = fmin(fmax(v->x0, v->lo), v->hi);
  if (d->x[k] != v->x0)
    pl_report(d->env, PL_NOTE, NULL, 0, 0, NULL,
              "design: '%s' = %g is outside its bounds and starts at %g", v->name, v->x0, d->x[k]);
  choose_scale(v, from->scale, d->x[k]);
  return PL_OK;
}

static pl_status make_directions(pl_design *d) {
  static const pl_target damping[2] = {{0, PL_PAR_ALPHA, 1}, {0, PL_PAR_BETA, 1}};
  pl_direction *dir = pl_alloc(d->env, (size_t)d->nvar, sizeof *dir);
  if (!dir) return PL_E_NOMEM;
  for (int k = 0; k < d->nvar; k++) {
    const variable *v = &d->var[k];
    if (v->kind == PL_VARIABLE_DESIGN) {
      const pl_design_desc *desc = pl_model_design(d->m, v->index);
      dir[k] = (pl_direction){desc->ntarget, desc->target};
    } else if (v->kind != PL_VARIABLE_FREQUENCY) {
      dir[k] = (pl_direction){1, &damping[v->kind == PL_VARIABLE_BETA]};
    }
  }
  int nthread = d->w->threads ? pl_threads_size(d->w->threads) : 1;
  pl_status s = pl_directions_create(d->env, d->m, nthread, d->nvar, dir, &d->directions);
  pl_free(d->env, dir);
  return s;
}

pl_status variables_open(pl_design *d, const pl_design_problem *problem) {
  int count = problem->variable ? problem->nvariable : pl_model_ndesign(d->m);
  size_t n = (size_t)count;
  if (count < 1)
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0,
                      "list design parameters, alpha, beta or a frequency as variables",
                      "design: there are no variables");
  d->var = pl_alloc(d->env, n, sizeof *d->var);
  d->x = pl_alloc(d->env, 4 * n, sizeof(double));
  d->omega = pl_alloc(d->env, (size_t)d->npoint, sizeof(double));
  if (!d->var || !d->x || !d->omega) return PL_E_NOMEM;
  d->base = d->x + n;
  d->ray = d->base + n;
  d->hint = d->ray + n;
  for (int i = 0; i < d->npoint; i++) d->omega[i] = problem->point[i].omega;
  for (int k = 0; k < count; k++) {
    const pl_variable own = {.kind = PL_VARIABLE_DESIGN, .index = k};
    d->nvar = k + 1;
    PL_TRY(add_variable(d, k, problem->variable ? &problem->variable[k] : &own, problem));
  }
  for (int k = 0; k < d->nvar; k++)
    for (int j = 0; j < d->nvar; j++) {
      int par = d->var[k].kind == PL_VARIABLE_ALPHA ? PL_PAR_ALPHA : PL_PAR_BETA;
      int damping = d->var[k].kind == PL_VARIABLE_ALPHA || d->var[k].kind == PL_VARIABLE_BETA;
      if (damping && acts_on(d, &d->var[j], par))
        return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "leave one of them out",
                          "design: variables '%s' and '%s' are the same", d->var[k].name,
                          d->var[j].name);
    }
  return make_directions(d);
}

void variables_close(pl_design *d) {
  for (int k = 0; d->var && k < d->nvar; k++) pl_free(d->env, d->var[k].name);
  void *all[] = {d->var, d->x, d->omega};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(d->env, all[k]);
  pl_directions_free(d->directions);
  pl_params_free(d->p);
}

// ---- values -----------------------------------------------------------------------------------

static void apply_value(pl_design *d, const variable *v, double x) {
  pl_params *p = d->p;
  if (v->kind == PL_VARIABLE_FREQUENCY) d->omega[v->index] = x;
  if (v->kind == PL_VARIABLE_ALPHA) p->par[PL_PAR_ALPHA] = x;
  if (v->kind == PL_VARIABLE_BETA) p->par[PL_PAR_BETA] = x;
  if (v->kind != PL_VARIABLE_DESIGN) return;
  const pl_design_desc *desc = pl_model_design(d->m, v->index);
  p->design[v->index] = x;
  for (int t = 0; t < desc->ntarget; t++) {
    double *at = (desc->target[t].on_ref ? p->X : p->par) + desc->target[t].index;
    *at += desc->target[t].coef * (x - v->x0);
  }
}

pl_status variables_set(pl_design *d, const double *x) {
  pl_params *p = d->p;
  memcpy(p->par, d->from->par, (size_t)p->npar * sizeof(double));
  memcpy(p->X, d->from->X, (size_t)p->nref * sizeof(double));
  memcpy(p->design, d->from->design, (size_t)p->ndesign * sizeof(double));
  for (int k = 0; k < d->nvar; k++) apply_value(d, &d->var[k], x[k]);
  if (x != d->x) memcpy(d->x, x, (size_t)d->nvar * sizeof *x);
  PL_TRY(pl_params_update(d->m, p));
  for (int i = 0; i < d->nsolution; i++)
    if (d->solution[i].hb) PL_TRY(pl_hb_refresh(d->solution[i].hb));
  return PL_OK;
}
