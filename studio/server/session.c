// What an exploration does: steps to other values and back, and predictions in between.
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- messages of the job at work ----------------------------------------------------------------

static void tell(void *ctx, const pl_diag *d) {
  const session *t = ctx;
  if (t->job && t->job->diag && !t->steady) t->job->diag(t->job->diag_ctx, d);
}

static int ask(void *ctx, const pl_progress *p) {
  const session *t = ctx;
  if (t->steady) return 0;
  if (t->job) return t->job->progress ? t->job->progress(t->job->progress_ctx, p) : 0;
  return t->stop ? t->stop(t->stop_ctx, p) : 0;
}

// ---- the design at hand -------------------------------------------------------------------------

// Opens it at values with a motion to begin from (NULL: from rest); p is taken.
static pl_status open_at(session *t, pl_params *p, double omega, const pl_orbit *start) {
  pl_operating point = {.omega = omega, .start = start};
  pl_design_problem problem = t->problem;
  pl_design *d = NULL;
  problem.point = &point;
  pl_status st = pl_design_open(&t->opts, t->scene->model, p, t->w, &problem, &d);
  if (st != PL_OK) {
    pl_params_free(p);
    return st;
  }
  session_forget(t);
  pl_design_free(t->d);
  pl_params_free(t->params);
  t->d = d;
  t->params = p;
  return PL_OK;
}

// back to a motion that was left
static pl_status return_to(session *t, const stop *s) {
  pl_params *p;
  t->steady = 1;
  pl_status st = pl_design_set(t->d, s->x);
  if (st == PL_OK) st = pl_params_copy(&t->env, pl_design_params(t->d), &p);
  if (st == PL_OK) st = open_at(t, p, s->orbit->omega, s->orbit);
  if (st == PL_OK) pl_design_values(t->d, t->x);
  t->steady = 0;
  t->lost = st != PL_OK;
  return st;
}

static double *slope_of(const session *t, int k) {
  return t->slope + (size_t)k * (size_t)t->nvar;
}

static pl_status measure(session *t) {
  pl_design_values(t->d, t->x);
  for (int k = 0; k < t->nwatch; k++) {
    watched *w = &t->watch[k];
    PL_TRY(pl_design_amplitude(t->d, 0, w->node, w->mask, &w->path, slope_of(t, k)));
  }
  return PL_OK;
}

// ---- open ---------------------------------------------------------------------------------------

// all parameters, and the frequency, which stays between half and twice what it is
static pl_status list_variables(session *t, const pl_design_problem *from) {
  int n = from->nvariable, given = 0;
  double omega = from->point[0].omega;
  t->variable = pl_alloc(&t->env, (size_t)n + 1, sizeof *t->variable);
  if (!t->variable) return PL_E_NOMEM;
  for (int k = 0; k < n; k++) {
    t->variable[k] = from->variable[k];
    given |= from->variable[k].kind == PL_VARIABLE_FREQUENCY;
  }
  if (!given)
    t->variable[n++] =
        (pl_variable){.kind = PL_VARIABLE_FREQUENCY, .min = 0.5 * omega, .max = 2 * omega};
  t->problem = (pl_design_problem){.nvariable = n, .npoint = 1, .variable = t->variable};
  t->nvar = n;
  return PL_OK;
}

static pl_status allocate(session *t) {
  size_t nv = (size_t)t->nvar, nw = (size_t)t->nwatch;
  t->x = pl_alloc(&t->env, 3 * nv + 2 * nw * nv, sizeof(double));
  t->watch = pl_alloc(&t->env, nw, sizeof *t->watch);
  if (!t->x || !t->watch) return PL_E_NOMEM;
  t->lo = t->x + nv;
  t->hi = t->lo + nv;
  t->slope = t->hi + nv;
  t->last_slope = t->slope + nw * nv;
  return PL_OK;
}

// the node that goes farthest, where the scene watches none
static int busiest(const session *t) {
  int best = 0;
  double most = -1;
  for (int i = 0; i < t->scene->mesh->nvert; i++) {
    double path = pl_orbit_path(t->scene->model, pl_design_params(t->d), pl_design_orbit(t->d, 0),
                                i, 64, NULL);
    if (path <= most) continue;
    most = path;
    best = i;
  }
  return best;
}

static void watch_nodes(session *t, const pl_analysis *a) {
  for (int k = 0; k < a->nprobe; k++) {
    const pl_probe *p = &a->probe[k];
    watched *w = &t->watch[k];
    snprintf(w->name, sizeof w->name, "%s", p->name);
    w->node = p->node;
    w->mask = p->component < 0 ? 0 : 1 << p->component;
  }
  if (a->nprobe > 0) return;
  t->watch[0].node = busiest(t);
  snprintf(t->watch[0].name, sizeof t->watch[0].name, "vertex %d", t->watch[0].node);
}

static pl_status solve_first(session *t, int threads) {
  const pl_analysis *a = &t->scene->analysis[0];
  const pl_explore_opts *e = &a->opts.explore_;
  pl_params *p;
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &t->opts);
  t->opts.harmonics = e->harmonics;
  t->opts.samples = e->samples;
  t->opts.adapt = e->adapt;
  t->opts.max_harmonics = e->max_harmonics;
  t->opts.rtol = e->rtol;
  t->opts.cuts = e->cuts;
  t->nwatch = a->nprobe > 0 ? a->nprobe : 1;
  PL_TRY(list_variables(t, &a->plan->problem));
  PL_TRY(allocate(t));
  PL_TRY(pl_work_create_for(&t->env, t->scene->model, threads, &t->w));
  PL_TRY(pl_params_copy(&t->env, t->scene->params, &p));
  PL_TRY(open_at(t, p, a->plan->problem.point[0].omega, NULL));
  // as many as they are now on all that follows
  t->opts.harmonics = pl_design_orbit(t->d, 0)->nharm;
  pl_design_bounds(t->d, t->lo, t->hi);
  watch_nodes(t, a);
  return measure(t);
}

pl_status session_open(const pl_env *job, const session_source *from, session **out) {
  pl_env env = *job;
  *out = NULL;
  session *t = pl_alloc(&env, 1, sizeof *t);
  if (!t) return PL_E_NOMEM;
  t->env = env;
  t->env.diag = tell;
  t->env.progress = ask;
  t->env.diag_ctx = t->env.progress_ctx = t;
  t->job = job;
  t->stop = from->stop;
  t->stop_ctx = from->stop_ctx;
  t->off = -1;
  pl_status st =
      pl_scene_parse_explore(&t->env, from->name, from->folder, from->text, strlen(from->text),
                             &from->explore, &from->limits, &t->scene);
  if (st == PL_OK) st = solve_first(t, from->threads);
  t->job = NULL;
  if (st == PL_OK)
    *out = t;
  else
    session_close(t);
  return st == PL_DOMAIN || st == PL_SINGULAR ? PL_UNSOLVED : st;
}

static void free_stop(session *t, stop *s) {
  pl_free(&t->env, s->x);
  pl_orbit_free(s->orbit);
  *s = (stop){0};
}

void session_close(session *t) {
  if (!t) return;
  for (int k = 0; k < t->nback; k++) free_stop(t, &t->back[k]);
  session_forget(t);
  pl_design_free(t->d);
  pl_params_free(t->params);
  pl_work_free(t->w);
  pl_free(&t->env, t->back);
  pl_free(&t->env, t->variable);
  pl_free(&t->env, t->x);
  pl_free(&t->env, t->watch);
  pl_scene_free(t->scene);
  pl_env env = t->env;
  pl_free(&env, t);
}

int session_wanted(const session *t, double *x) {
  const double *set = t->scene->analysis[0].plan->set;
  int n = t->scene->analysis[0].plan->problem.nvariable, any = 0;
  memcpy(x, t->x, (size_t)t->nvar * sizeof *x);
  for (int k = 0; k < n; k++) {
    if (isnan(set[k])) continue;
    x[k] = set[k];
    any = 1;
  }
  return any;
}

// ---- steps --------------------------------------------------------------------------------------

static pl_status keep_stop(session *t, stop *s) {
  const pl_orbit *o = pl_design_orbit(t->d, 0);
  *s = (stop){.x = pl_alloc(&t->env, (size_t)t->nvar, sizeof(double))};
  if (!s->x) return PL_E_NOMEM;
  memcpy(s->x, t->x, (size_t)t->nvar * sizeof *s->x);
  return pl_orbit_copy(o, o->nharm, &s->orbit);
}

static void move_into_bounds(const session *t, const double *x, double *to) {
  for (int k = 0; k < t->nvar; k++) to[k] = fmin(fmax(x[k], t->lo[k]), t->hi[k]);
}

double *session_change(session *t, const double *x) {
  double *dx = pl_alloc(&t->env, (size_t)t->nvar, sizeof *dx);
  if (!dx) return NULL;
  move_into_bounds(t, x, dx);
  for (int k = 0; k < t->nvar; k++) dx[k] -= t->x[k];
  return dx;
}

pl_status session_predict(session *t, const double *x, pl_orbit **out, double *trust) {
  double *dx = session_change(t, x);
  *out = NULL;
  if (!dx) return PL_E_NOMEM;
  pl_status st = pl_design_predict(t->d, 0, dx, out, trust);
  pl_free(&t->env, dx);
  return st;
}

// the frequency at values, of the motion's drives
static double omega_at(const session *t, const double *x) {
  for (int k = 0; k < t->nvar; k++)
    if (t->variable[k].kind == PL_VARIABLE_FREQUENCY) return x[k];
  return pl_design_orbit(t->d, 0)->omega;
}

static pl_status solve_from_rest(session *t, const double *to) {
  pl_periodic_opts o;
  pl_periodic_info info;
  pl_params *p;
  pl_orbit *orbit = NULL;
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &o);
  o.frequency = omega_at(t, to);
  o.harmonics = t->opts.harmonics;
  o.samples = t->opts.samples;
  o.rtol = t->opts.rtol;
  PL_TRY(pl_design_set(t->d, to));
  PL_TRY(pl_params_copy(&t->env, pl_design_params(t->d), &p));
  pl_status st = pl_periodic(&o, t->scene->model, p, t->w, &orbit, &info);
  if (st == PL_OK)
    st = open_at(t, p, o.frequency, orbit);
  else
    pl_params_free(p);
  pl_orbit_free(orbit);
  t->fresh = st == PL_OK;
  return st;
}

// predicted paths at the new values, which the design has, and how far the prediction is off
static void compare(session *t, const pl_orbit *predicted) {
  const pl_model *m = t->scene->model;
  const pl_orbit *o = pl_design_orbit(t->d, 0);
  double size = pl_orbit_size(m, o);
  t->off = size > 0 ? pl_orbit_distance(m, predicted, o) / size : 0;
  for (int k = 0; k < t->nwatch; k++) {
    watched *w = &t->watch[k];
    w->predicted = pl_orbit_path_along(m, pl_design_params(t->d), predicted, w->node,
                                       w->mask ? w->mask : 7, NULL, NULL, NULL);
  }
}

static pl_status step_to(session *t, const double *to) {
  pl_orbit *predicted = NULL;
  t->fresh = 0;
  // so that it can be done again without the predictions that went before
  session_forget(t);
  pl_design_forget(t->d);
  pl_status st = session_predict(t, to, &predicted, &t->trust);
  if (st == PL_DOMAIN)
    return pl_fail_at(&t->env, PL_E_INPUT, NULL, 0, 0, "change less",
                      "an element is degenerate at the new values");
  PL_TRY(st);
  st = pl_design_move(t->d, to);
  if (st == PL_UNSOLVED) st = solve_from_rest(t, to);
  if (st == PL_OK) {
    for (int k = 0; k < t->nwatch; k++) t->watch[k].before = t->watch[k].path;
    memcpy(t->last_slope, t->slope, (size_t)t->nwatch * (size_t)t->nvar * sizeof *t->slope);
    st = measure(t);
  }
  if (st == PL_OK) compare(t, predicted);
  pl_orbit_free(predicted);
  return st == PL_DOMAIN || st == PL_SINGULAR ? PL_UNSOLVED : st;
}

pl_status session_move(session *t, const pl_env *job, const double *x) {
  double *to = pl_alloc(&t->env, (size_t)t->nvar, sizeof *to);
  stop here = {0};
  if (t->lost) return pl_fail(&t->env, PL_E_ARG, "this exploration has lost its motion");
  t->job = job;
  pl_status st = to ? pl_grow(&t->env, &t->back, t->nback, &t->cap, sizeof *t->back) : PL_E_NOMEM;
  if (st == PL_OK) st = keep_stop(t, &here);
  if (st == PL_OK) {
    move_into_bounds(t, x, to);
    st = step_to(t, to);
    if (st == PL_OK) t->back[t->nback++] = here;
    if (st != PL_OK) return_to(t, &here);
  }
  if (st != PL_OK) free_stop(t, &here);
  pl_free(&t->env, to);
  t->job = NULL;
  return st;
}

pl_status session_back(session *t, const pl_env *job) {
  if (t->nback == 0) return pl_fail(&t->env, PL_E_ARG, "there is no step to undo");
  t->job = job;
  stop *last = &t->back[t->nback - 1];
  pl_status st = return_to(t, last);
  if (st == PL_OK) st = measure(t);
  t->job = NULL;
  if (st != PL_OK) return st;
  free_stop(t, last);
  t->nback--;
  t->off = -1;
  t->fresh = 0;
  return PL_OK;
}

// ---- in between ---------------------------------------------------------------------------------

pl_status session_direction(session *t, int watch, const char *chosen, int down, double *change) {
  double *grad = pl_alloc(&t->env, (size_t)t->nvar, sizeof *grad);
  if (!grad) return PL_E_NOMEM;
  for (int k = 0; k < t->nvar; k++)
    grad[k] = chosen[k] ? (down ? -1 : 1) * slope_of(t, watch)[k] : 0;
  pl_design_direction(t->d, grad, change);
  pl_free(&t->env, grad);
  return PL_OK;
}
