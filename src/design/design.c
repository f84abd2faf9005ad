// A problem at hand: its motions, its value and gradient, and what small changes do.
#include "design_impl.h"

#include <string.h>

// ---- copies of the statement ------------------------------------------------------------------

// a kind that is a function of a node's motion, with what it does not say
static void fill_kind(objective *o) {
  pl_objective_kind *kind = &o->filled;
  *kind = *o->o.kind;
  if (kind->nodes == PL_NODES_NONE) kind->nodes = PL_NODES_EACH;
  if (kind->goals == 0)
    kind->goals = kind->form == PL_FORM_RATIO   ? PL_GOALS_TARGET | PL_GOALS_MOST | PL_GOALS_LEAST
                  : kind->form == PL_FORM_LIMIT ? PL_GOALS_TARGET | PL_GOALS_LEAST
                  : kind->form == PL_FORM_ANGLE ? PL_GOALS_TARGET
                                                : 0;
  kind->least_squares |= kind->form == PL_FORM_RATIO || kind->form == PL_FORM_ANGLE;
  o->o.kind = kind;
}

static pl_status copy_objective(pl_design *d, objective *o, const pl_objective *from) {
  size_t nnode = from->nnode > 0 ? (size_t)from->nnode : 0, dim = (size_t)pl_model_dim(d->m);
  o->o = *from;
  if (from->kind->motion) fill_kind(o);
  o->solution = -1;
  o->o.name = from->name ? pl_strdup(d->env, from->name) : NULL;
  o->o.node = NULL;
  o->o.coef = NULL;
  int *node = pl_alloc(d->env, nnode, sizeof *node);
  o->ref = pl_alloc(d->env, nnode + 1, sizeof(double));
  o->o.node = node;
  if (!node || !o->ref || (from->name && !o->o.name)) return PL_E_NOMEM;
  if (nnode) memcpy(node, from->node, nnode * sizeof *node);
  if (!from->kind->curves || !from->coef || from->nharm < 1) return PL_OK;
  size_t n = nnode * dim * (2 * (size_t)from->nharm + 1);
  double *coef = pl_alloc(d->env, n, sizeof *coef);
  o->o.coef = coef;
  if (!coef) return PL_E_NOMEM;
  memcpy(coef, from->coef, n * sizeof *coef);
  return PL_OK;
}

static void free_objective(pl_design *d, objective *o) {
  pl_objective_at at = objective_at(d, o);
  if (o->o.kind && o->o.kind->end && o->own) o->o.kind->end(&at);
  pl_free(d->env, (void *)o->o.name);
  pl_free(d->env, (void *)o->o.node);
  pl_free(d->env, (void *)o->o.coef);
  pl_free(d->env, o->ref);
}

static int is_tracked(const objective *o) {
  return o->o.kind->scope == PL_SCOPE_PEAK || o->o.kind->scope == PL_SCOPE_FOLD;
}

static pl_status copy_problem(pl_design *d, const pl_design_problem *problem) {
  if (problem->npoint < 1)
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "give a frequency at which it is driven",
                      "design: there is no operating point");
  d->npoint = problem->npoint;
  for (int i = 0; i < d->npoint; i++)
    if (!(problem->point[i].omega > 0))
      return pl_fail(d->env, PL_E_INPUT, "design: frequency must be > 0, got %g rad/s",
                     problem->point[i].omega);
  PL_TRY(variables_open(d, problem));
  d->obj = pl_alloc(d->env, (size_t)problem->nobjective, sizeof *d->obj);
  if (!d->obj) return PL_E_NOMEM;
  int nsolution = d->npoint;
  for (int k = 0; k < problem->nobjective; k++) {
    if (!problem->objective[k].kind)
      return pl_fail(d->env, PL_E_ARG, "design: objective %d has no kind", k);
    d->nobj = k + 1;
    PL_TRY(copy_objective(d, &d->obj[k], &problem->objective[k]));
    PL_TRY(objective_check(d, &d->obj[k]));
    d->obj[k].solution = is_tracked(&d->obj[k]) ? nsolution++ : d->obj[k].o.point;
  }
  d->squares = squares_suit(d);
  d->solution = pl_alloc(d->env, (size_t)nsolution, sizeof *d->solution);
  if (!d->solution) return PL_E_NOMEM;
  d->nsolution = nsolution;
  return PL_OK;
}

// ---- motions at the start ---------------------------------------------------------------------

static pl_status first_motion(pl_design *d, const pl_operating *at, double omega, pl_orbit **out) {
  pl_periodic_opts o;
  pl_periodic_info info;
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &o);
  o.frequency = omega;
  o.harmonics = d->o.harmonics;
  o.samples = d->o.samples;
  o.adapt = d->o.adapt;
  o.max_harmonics = d->o.max_harmonics;
  o.rtol = d->o.rtol;
  if (at->start) PL_TRY(pl_orbit_copy(at->start, at->start->nharm, out));
  pl_status s = pl_periodic(&o, d->m, d->p, d->w, out, &info);
  d->newton += info.iterations;
  d->factorisations += info.factorisations;
  if (s == PL_UNSOLVED)
    pl_report(d->env, PL_WARNING, NULL, 0, 0, "start from other values, e.g. with more damping",
              "design: there is no steady motion at %g rad/s to start from", omega);
  return s;
}

// all motions have the same number of harmonics: what the roughest needs
static pl_status first_motions(pl_design *d, const pl_design_problem *problem, pl_orbit **orbit) {
  d->H = d->o.harmonics;
  for (int i = 0; i < d->npoint; i++) {
    PL_TRY(first_motion(d, &problem->point[i], d->omega[i], &orbit[i]));
    if (orbit[i]->nharm > d->H) d->H = orbit[i]->nharm;
  }
  for (int k = 0, H = 0; d->o.harmonics == 0 && k < d->nobj; k++) {
    pl_objective_at at = objective_at(d, &d->obj[k]);
    if (at.o->kind->harmonics) PL_TRY(at.o->kind->harmonics(&at, &H));
    if (H > d->H) d->H = H;
  }
  d->n = pl_model_nfree(d->m) * (2 * d->H + 1);
  size_t n = (size_t)d->n;
  d->dz = pl_alloc(d->env, 4 * n, sizeof(double));
  if (!d->dz) return PL_E_NOMEM;
  d->f = d->dz + n;
  d->guess = d->f + n;
  d->path = d->guess + n;
  for (int i = 0; i < d->npoint; i++) {
    d->solution[i].kind = SOLUTION_POINT;
    PL_TRY(solution_open(d, &d->solution[i], orbit[i]));
    PL_TRY(solution_newton(d, &d->solution[i], d->solution[i].orbit));
  }
  return PL_OK;
}

static pl_status first_tracks(pl_design *d) {
  for (int k = 0; k < d->nobj; k++) {
    objective *o = &d->obj[k];
    if (!is_tracked(o)) continue;
    pl_orbit *orbit = NULL;
    solution *s = &d->solution[o->solution];
    s->kind = o->o.kind->scope == PL_SCOPE_PEAK ? SOLUTION_PEAK : SOLUTION_FOLD;
    s->objective = k;
    if (s->kind == SOLUTION_PEAK) s->measure = pl_objective_measure(&o->o);
    pl_status st = track_find(d, &o->o, &orbit);
    if (st == PL_OK) st = solution_open(d, s, orbit);
    pl_orbit_free(orbit);
    PL_TRY(st);
    PL_TRY(track_correct(d, s, s->orbit));
  }
  return PL_OK;
}

static pl_status begin(pl_design *d, const pl_design_problem *problem) {
  PL_TRY(pl_opts_check(d->env, pl_optimise_option_table, pl_optimise_option_count, &d->o));
  PL_TRY(copy_problem(d, problem));
  pl_status st = variables_set(d, d->x);
  if (st == PL_DOMAIN)
    return pl_fail(d->env, PL_E_INPUT, "design: an element is degenerate at the start");
  PL_TRY(st);
  pl_orbit **orbit = pl_alloc(d->env, (size_t)d->npoint, sizeof *orbit);
  if (!orbit) return PL_E_NOMEM;
  st = first_motions(d, problem, orbit);
  for (int i = 0; i < d->npoint; i++) pl_orbit_free(orbit[i]);
  pl_free(d->env, orbit);
  PL_TRY(st);
  PL_TRY(first_tracks(d));
  for (int k = 0; k < d->nobj; k++) PL_TRY(objective_begin(d, &d->obj[k]));
  solutions_keep(d);
  return PL_OK;
}

pl_status pl_design_open(const pl_optimise_opts *o, const pl_model *m, const pl_params *p,
                         pl_work *w, const pl_design_problem *problem, pl_design **out) {
  *out = NULL;
  pl_design *d = pl_alloc(w->env, 1, sizeof *d);
  if (!d) return PL_E_NOMEM;
  *d = (pl_design){.env = w->env, .o = o ? *o : pl_optimise_defaults(), .m = m, .from = p, .w = w};
  pl_status s = pl_params_copy(w->env, p, &d->p);
  if (s == PL_OK) s = begin(d, problem);
  if (s != PL_OK) {
    pl_design_free(d);
    return s == PL_DOMAIN || s == PL_SINGULAR ? PL_UNSOLVED : s;
  }
  *out = d;
  return PL_OK;
}

void pl_design_free(pl_design *d) {
  if (!d) return;
  for (int i = 0; d->solution && i < d->nsolution; i++) solution_close(d, &d->solution[i]);
  for (int k = 0; d->obj && k < d->nobj; k++) free_objective(d, &d->obj[k]);
  pl_free(d->env, d->solution);
  pl_free(d->env, d->obj);
  pl_free(d->env, d->dz);
  variables_close(d);
  pl_free(d->env, d);
}

pl_status pl_design_solve(const pl_optimise_opts *o, const pl_model *m, const pl_params *p,
                          pl_work *w, const pl_design_problem *problem, pl_design_result **out) {
  pl_design *d;
  *out = NULL;
  PL_TRY(pl_design_open(o, m, p, w, problem, &d));
  pl_status s = pl_design_run(d, NULL, NULL, NULL, out);
  pl_design_free(d);
  return s;
}

// ---- what is at hand --------------------------------------------------------------------------

int pl_design_nvariable(const pl_design *d) {
  return d->nvar;
}

const char *pl_design_name(const pl_design *d, int k) {
  return d->var[k].name;
}

const char *pl_design_unit(const pl_design *d, int k) {
  return d->var[k].unit;
}

void pl_design_bounds(const pl_design *d, double *min, double *max) {
  for (int k = 0; k < d->nvar; k++) {
    min[k] = d->var[k].lo;
    max[k] = d->var[k].hi;
  }
}

const pl_params *pl_design_params(const pl_design *d) {
  return d->p;
}

void pl_design_values(const pl_design *d, double *x) {
  memcpy(x, d->x, (size_t)d->nvar * sizeof *x);
}

const pl_orbit *pl_design_orbit(const pl_design *d, int point) {
  return d->solution[point].orbit;
}

double pl_design_tracked(const pl_design *d, int k, const pl_orbit **orbit) {
  if (orbit) *orbit = NULL;
  if (k < 0 || k >= d->nobj) return 0;
  if (d->obj[k].o.kind == &pl_objective_peak_height) return height_place(d, &d->obj[k], orbit);
  if (!is_tracked(&d->obj[k])) return 0;
  if (orbit) *orbit = d->solution[d->obj[k].solution].orbit;
  return d->solution[d->obj[k].solution].orbit->omega;
}

pl_status pl_design_peak(pl_design *d, int k, double *height, double *height_grad, double *omega,
                         double *omega_grad) {
  objective *o = k >= 0 && k < d->nobj ? &d->obj[k] : NULL;
  if (o && o->o.kind == &pl_objective_peak_height) {
    pl_objective_at at = objective_at(d, o);
    return height_peak(&at, height, height_grad, omega, omega_grad);
  }
  if (!o || !is_tracked(o))
    return pl_fail(d->env, PL_E_ARG, "design: objective %d follows no peak and no fold", k);
  solution *s = &d->solution[o->solution];
  int peak = s->kind == SOLUTION_PEAK;
  *omega = s->orbit->omega;
  *height = peak ? pl_orbit_measure(d->m, d->p, s->orbit, &s->measure, NULL) : 0;
  memset(height_grad, 0, (size_t)d->nvar * sizeof *height_grad);
  return track_slopes(d, s, peak, &s->measure, omega_grad, height_grad);
}

pl_status pl_design_move(pl_design *d, const double *x) {
  PL_TRY(solutions_move(d, x, 1));
  solutions_keep(d);
  return PL_OK;
}

void pl_design_forget(pl_design *d) {
  for (int i = 0; i < d->nsolution; i++) {
    d->solution[i].linear = d->solution[i].have_ray = 0;
    pl_bordered_forget(d->solution[i].b);
  }
  d->have_hint = 0;
}

pl_status pl_design_set(pl_design *d, const double *x) {
  for (int i = 0; i < d->nsolution; i++) d->solution[i].linear = 0;
  return variables_set(d, x);
}

// ---- value and gradient -----------------------------------------------------------------------

pl_status design_adjoint(pl_design *d, solution *s, const double *gz, double *grad) {
  if (pl_max_abs(d->n, gz) == 0) return PL_OK;
  PL_TRY(solution_linearise(d, s));
  PL_TRY(solution_solve(d, s, 1, gz, d->f));
  return solution_adjoint(d, s, d->f, grad);
}

// the objectives that look at one site
static pl_status solution_value(pl_design *d, int i, int only, double *value, double *gz,
                                double *grad) {
  for (int k = 0; k < d->nobj; k++) {
    objective *o = &d->obj[k];
    if (o->solution != i || (only >= 0 && k != only)) continue;
    double f = 0, by = only >= 0 ? 1 : o->o.weight;
    PL_TRY(objective_value(d, o, by, &f, gz, grad));
    *value += by * f;
    if (!isfinite(*value)) return PL_DOMAIN;
  }
  return gz ? design_adjoint(d, &d->solution[i], gz, grad) : PL_OK;
}

pl_status design_value(pl_design *d, int k, double *value, double *grad) {
  double *gz = grad ? pl_alloc(d->env, (size_t)d->n, sizeof *gz) : NULL;
  if (grad && !gz) return PL_E_NOMEM;
  *value = 0;
  pl_status st = PL_OK;
  if (grad) memset(grad, 0, (size_t)d->nvar * sizeof *grad);
  for (int i = 0; st == PL_OK && i < d->nsolution; i++) {
    if (gz) memset(gz, 0, (size_t)d->n * sizeof *gz);
    st = solution_value(d, i, k, value, gz, grad);
  }
  pl_free(d->env, gz);
  if (st == PL_OK && grad && !pl_all_finite(d->nvar, grad)) return PL_SINGULAR;
  return st;
}

pl_status pl_design_value(pl_design *d, int k, double *value, double *grad) {
  if (k >= d->nobj) return pl_fail(d->env, PL_E_ARG, "design: there is no objective %d", k);
  return design_value(d, k, value, grad);
}

pl_status pl_design_amplitude(pl_design *d, int point, int node, int mask, double *value,
                              double *grad) {
  solution *s = &d->solution[point];
  double *gz = grad ? pl_alloc(d->env, (size_t)d->n, sizeof *gz) : NULL;
  if (grad && !gz) return PL_E_NOMEM;
  if (grad) memset(grad, 0, (size_t)d->nvar * sizeof *grad);
  *value = objective_path(d, s->orbit, node, mask, 1, gz, grad);
  pl_status st = grad ? design_adjoint(d, s, gz, grad) : PL_OK;
  pl_free(d->env, gz);
  return st;
}

// ---- exploration ------------------------------------------------------------------------------

pl_status pl_design_sensitivity(pl_design *d, int point, double *S) {
  solution *s = &d->solution[point];
  double *unit = pl_alloc(d->env, (size_t)d->nvar, sizeof *unit);
  if (!unit) return PL_E_NOMEM;
  pl_status st = solution_linearise(d, s);
  for (int k = 0; st == PL_OK && k < d->nvar; k++) {
    unit[k] = 1;
    st = solution_along(d, s, unit, S + (size_t)k * (size_t)d->n);
    unit[k] = 0;
  }
  pl_free(d->env, unit);
  return st;
}

void pl_design_series(const pl_design *d, const double *S, int k, int node, int axis, double *out) {
  int L = 2 * d->H + 1, N = drive_samples(d->H);
  int free = pl_model_free_index(d->m)[node * pl_model_dim(d->m) + axis];
  if (free >= 0) {
    memcpy(out, S + (size_t)k * (size_t)d->n + (size_t)free * (size_t)L, (size_t)L * sizeof *out);
    return;
  }
  memset(out, 0, (size_t)L * sizeof *out);
  for (int s = 0; s < N; s++) {
    pl_clock clock = {.t = 2 * PL_PI * s / N, .omega = 1, .scale = 1};
    double dx[3], dv[3], da[3];
    if (!pl_directions_drive(d->directions, 0, d->p, &clock, k, node, dx, dv, da)) return;
    for (int a = 0; a < L; a++) out[a] += dx[axis] * to_freq(a, s, N);
  }
}

static pl_status newton_step(pl_design *d, solution *s, double omega, double *z) {
  double *dz = pl_alloc(d->env, (size_t)d->n, sizeof *dz);
  if (!dz) return PL_E_NOMEM;
  pl_status st = pl_hb_eval(s->hb, z, omega, PL_HB_RESIDUAL | PL_HB_JACOBIAN);
  if (st == PL_OK) st = pl_bordered_set(s->b, NULL, NULL, 0);
  if (st == PL_OK) st = solution_solve(d, s, 0, pl_hb_residual(s->hb), dz);
  if (st == PL_OK) pl_axpy(d->n, -1, dz, z, z);
  pl_free(d->env, dz);
  return st;
}

// Distance from a motion to what two Newton steps make of it, over the motion's size: an estimate
// of how far the true one is. One step is not enough: a prediction stretches stiff links, whose
// false tension holds back all else; the first step lets it go, the second one tells.
static pl_status newton_distance(pl_design *d, solution *s, const pl_orbit *o, double *out) {
  pl_orbit *next;
  PL_TRY(pl_orbit_copy(o, d->H, &next));
  pl_status st = newton_step(d, s, o->omega, next->z);
  if (st == PL_OK) st = newton_step(d, s, o->omega, next->z);
  if (st == PL_OK) {
    double size = pl_orbit_size(d->m, next), off = pl_orbit_distance(d->m, o, next);
    *out = size > 0 ? off / size : off > 0 ? INFINITY : 0;
  }
  pl_orbit_free(next);
  return st == PL_SINGULAR || st == PL_DOMAIN ? PL_OK : st;
}

pl_status pl_design_trust(pl_design *d, int point, const double *dx, pl_orbit *o, double *trust) {
  solution *s = &d->solution[point];
  double *x = pl_alloc(d->env, 2 * (size_t)d->nvar, sizeof *x), *home = x + d->nvar;
  *trust = INFINITY;
  if (!x) return PL_E_NOMEM;
  memcpy(home, d->x, (size_t)d->nvar * sizeof *x);
  for (int k = 0; k < d->nvar; k++) x[k] = home[k] + dx[k];
  pl_status st = variables_set(d, x);
  if (st == PL_OK) {
    o->omega = d->omega[point];
    st = newton_distance(d, s, o, trust);
  }
  s->linear = 0;
  pl_status back = variables_set(d, home);
  pl_free(d->env, x);
  return st == PL_OK ? back : st;
}

pl_status pl_design_predict(pl_design *d, int point, const double *dx, pl_orbit **out,
                            double *trust) {
  solution *s = &d->solution[point];
  pl_orbit *o;
  *out = NULL;
  *trust = INFINITY;
  PL_TRY(solution_linearise(d, s));
  PL_TRY(pl_orbit_copy(s->orbit, d->H, &o));
  pl_status st = solution_along(d, s, dx, o->z);
  pl_axpy(d->n, 1, s->orbit->z, o->z, o->z);
  if (st == PL_OK) st = pl_design_trust(d, point, dx, o, trust);
  if (st != PL_OK) {
    pl_orbit_free(o);
    return st;
  }
  *out = o;
  return PL_OK;
}

void pl_design_direction(const pl_design *d, const double *grad, double *dx) {
  double size = 0;
  for (int k = 0; k < d->nvar; k++) {
    const variable *v = &d->var[k];
    double slope = scaled_slope(v, d->x[k]), g = grad[k] * slope;
    if ((d->x[k] <= v->lo && g < 0) || (d->x[k] >= v->hi && g > 0)) g = 0;
    dx[k] = g * slope;
    size += g * g;
  }
  for (int k = 0; size > 0 && k < d->nvar; k++) dx[k] /= sqrt(size);
}
