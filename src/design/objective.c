// Objectives: what is minimised of the quantities of their kinds, and checks of their statements.
#include "design_impl.h"

#include <string.h>

#define X(name) &pl_objective_##name,
const pl_objective_kind *const pl_objective_table[PL_OBJECTIVE_COUNT] = {PL_OBJECTIVE_LIST(X)};
#undef X

const char *objective_label(const pl_objective *o) {
  return o->name ? o->name : o->kind->name;
}

pl_objective_at objective_at(pl_design *d, const objective *o) {
  const solution *s = d->solution && o->solution >= 0 ? &d->solution[o->solution] : NULL;
  return (pl_objective_at){.d = d,
                           .index = (int)(o - d->obj),
                           .o = &o->o,
                           .m = d->m,
                           .p = d->p,
                           .w = d->w,
                           .orbit = s ? s->orbit : NULL,
                           .nvariable = d->nvar,
                           .own = o->own};
}

// ---- what is minimised ------------------------------------------------------------------------

static int objective_count(const pl_objective *o) {
  return o->kind->nodes == PL_NODES_EACH ? o->nnode : 1;
}

static double ratio_value(const pl_objective *o, double q, double q0, double *slope) {
  double T = o->goal == PL_GOAL_TARGET ? o->target : q0, f;
  if (o->goal == PL_GOAL_TARGET) {
    f = (q / T - 1) * (q / T - 1);
    *slope = 2 * (q / T - 1) / T;
  } else if (o->goal == PL_GOAL_MOST) {
    f = T * T / (q * q);
    *slope = -2 * f / q;
  } else {
    f = q * q / (T * T);
    *slope = 2 * q / (T * T);
  }
  return f;
}

static double limit_value(const pl_objective *o, double q, double q0, double *slope) {
  double over = fmax(0, q / o->target - 1);
  int limit = o->goal == PL_GOAL_TARGET;
  *slope = limit ? 2 * over / o->target : 1 / q0;
  return limit ? over * over : q / q0;
}

// f of a quantity, which is q0 at the start, and df/dq
static double form_value(const pl_objective *o, double q, double q0, double *slope) {
  double off;
  switch (o->kind->form) {
  case PL_FORM_RATIO:
    return ratio_value(o, q, q0, slope);
  case PL_FORM_LIMIT:
    return limit_value(o, q, q0, slope);
  case PL_FORM_ANGLE:
    off = remainder(q - o->target, 2 * PL_PI);
    *slope = 2 * off;
    return off * off;
  default:
    *slope = 1;
    return q;
  }
}

// ---- kinds that are a function of a node's motion -----------------------------------------------

// longest series of a node, as many harmonics as options allow
enum { SERIES = 3 * (2 * 64 + 1) };

static void node_series(const pl_objective_at *at, int i, double complex *z) {
  int dim = pl_model_dim(at->m), n = 2 * at->orbit->nharm + 1;
  double own[SERIES];
  for (int c = 0; c < dim; c++) {
    pl_orbit_series(at->m, at->p, at->orbit, at->o->node[i], c, own);
    for (int a = 0; a < n; a++) z[c * n + a] = own[a];
  }
}

static double complex motion_of(const pl_objective_at *at, double complex omega,
                                const double complex *z) {
  return at->o->kind->motion(&(pl_node_motion){
      .o = at->o, .dim = pl_model_dim(at->m), .nharm = at->orbit->nharm, .omega = omega, .z = z});
}

static pl_status kind_eval(const pl_objective_at *at, int i, double *q) {
  if (!at->o->kind->motion) return at->o->kind->eval(at, i, q);
  double complex z[SERIES];
  node_series(at, i, z);
  *q = creal(motion_of(at, at->orbit->omega, z));
  return isfinite(*q) ? PL_OK : PL_DOMAIN;
}

static pl_status kind_gradient(const pl_objective_at *at, int i, double q, double by, double *gz,
                               double *gx) {
  static const double STEP = 1e-40;
  if (!at->o->kind->motion) return at->o->kind->gradient(at, i, q, by, gz, gx);
  int dim = pl_model_dim(at->m), n = 2 * at->orbit->nharm + 1;
  double complex z[SERIES];
  double g[SERIES];
  node_series(at, i, z);
  for (int c = 0; c < dim; c++) {
    for (int a = 0; a < n; a++) {
      double complex kept = z[c * n + a];
      z[c * n + a] += STEP * I;
      g[a] = by * cimag(motion_of(at, at->orbit->omega, z)) / STEP;
      z[c * n + a] = kept;
      if (!isfinite(g[a])) return PL_DOMAIN;
    }
    pl_objective_add(at, at->o->node[i], c, g, gz, gx);
  }
  double slope = cimag(motion_of(at, at->orbit->omega + STEP * I, z)) / STEP;
  pl_objective_add_omega(at, by * slope, gx);
  return PL_OK;
}

// ---- values -----------------------------------------------------------------------------------

pl_status objective_value(pl_design *d, objective *o, double by, double *value, double *gz,
                          double *gx) {
  pl_objective_at at = objective_at(d, o);
  int n = objective_count(&o->o);
  *value = 0;
  for (int i = 0; i < n; i++) {
    double q, slope;
    PL_TRY(kind_eval(&at, i, &q));
    *value += form_value(&o->o, q, o->ref[i], &slope) / n;
    if (gz && slope != 0) PL_TRY(kind_gradient(&at, i, q, by * slope / n, gz, gx));
  }
  return PL_OK;
}

int objective_squares(pl_design *d, const objective *o) {
  const pl_objective_kind *kind = o->o.kind;
  pl_objective_at at = objective_at(d, o);
  if (kind->nresidual) return kind->nresidual(&at);
  return kind->least_squares && o->o.goal == PL_GOAL_TARGET ? objective_count(&o->o) : 0;
}

pl_status objective_rows(pl_design *d, const objective *o, double *r, double *J) {
  const pl_objective_kind *kind = o->o.kind;
  pl_objective_at at = objective_at(d, o);
  int count = objective_count(&o->o), angle = kind->form == PL_FORM_ANGLE;
  double c = sqrt(o->o.weight / count), T = angle ? 1 : o->o.target, q;
  double *gz = pl_alloc(d->env, (size_t)d->n, sizeof *gz);
  pl_status st = gz ? PL_OK : PL_E_NOMEM;
  for (int i = 0; st == PL_OK && i < count; i++, J += d->nvar) {
    memset(gz, 0, (size_t)d->n * sizeof *gz);
    memset(J, 0, (size_t)d->nvar * sizeof *J);
    st = kind_eval(&at, i, &q);
    if (st == PL_OK) st = kind_gradient(&at, i, q, 1, gz, J);
    if (st == PL_OK) st = design_adjoint(d, &d->solution[o->solution], gz, J);
    for (int k = 0; k < d->nvar; k++) J[k] *= c / T;
    r[i] = c * (angle ? remainder(q - o->o.target, 2 * PL_PI) : q / T - 1);
  }
  pl_free(d->env, gz);
  return st;
}

// ---- the quantity itself ----------------------------------------------------------------------

// its mean over nodes; the gradient's part through the motion is in gz
static pl_status mean_quantity(const pl_objective_at *at, double *value, double *gz, double *gx) {
  int n = objective_count(at->o);
  double q;
  *value = 0;
  for (int i = 0; i < n; i++) {
    PL_TRY(kind_eval(at, i, &q));
    *value += q / n;
    if (gz) PL_TRY(kind_gradient(at, i, q, 1.0 / n, gz, gx));
  }
  return PL_OK;
}

pl_status pl_design_quantity(pl_design *d, int k, double *value, double *grad) {
  objective *o = k >= 0 && k < d->nobj ? &d->obj[k] : NULL;
  if (!o || o->o.kind->form == PL_FORM_OWN)
    return pl_fail(d->env, PL_E_ARG, "design: objective %d has no quantity", k);
  pl_objective_at at = objective_at(d, o);
  if (o->o.kind->number) return o->o.kind->number(&at, value, grad);
  if (!grad) return mean_quantity(&at, value, NULL, NULL);
  double *gz = pl_alloc(d->env, (size_t)d->n, sizeof *gz);
  if (!gz) return PL_E_NOMEM;
  memset(grad, 0, (size_t)d->nvar * sizeof *grad);
  pl_status st = mean_quantity(&at, value, gz, grad);
  if (st == PL_OK) st = design_adjoint(d, &d->solution[o->solution], gz, grad);
  pl_free(d->env, gz);
  return st;
}

pl_status pl_design_trace(pl_design *d, int k, int n, double *y) {
  objective *o = k >= 0 && k < d->nobj ? &d->obj[k] : NULL;
  if (!o || !o->o.kind->trace || n < 2)
    return pl_fail(d->env, PL_E_ARG, "design: objective %d has no drawing", k);
  pl_objective_at at = objective_at(d, o);
  return o->o.kind->trace(&at, n, y);
}

void pl_objective_add(const pl_objective_at *at, int node, int axis, const double *g, double *gz,
                      double *gx) {
  int i = pl_model_free_index(at->m)[node * pl_model_dim(at->m) + axis], H = at->orbit->nharm;
  if (i < 0) {
    pull_drive(at->d, node, axis, H, g, gx);
    return;
  }
  for (int a = 0; a < 2 * H + 1; a++) gz[i * (2 * H + 1) + a] += g[a];
}

void pl_objective_add_omega(const pl_objective_at *at, double g, double *gx) {
  for (int k = 0; k < at->nvariable; k++) {
    const variable *v = &at->d->var[k];
    if (v->kind == PL_VARIABLE_FREQUENCY && v->index == at->o->point) gx[k] += g;
  }
}

// ---- start ------------------------------------------------------------------------------------

static pl_status start_value(const pl_objective_at *at, int i, double *ref) {
  const pl_objective_kind *kind = at->o->kind;
  pl_env *env = at->d->env;
  PL_TRY(kind->number ? kind->number(at, ref, NULL) : kind_eval(at, i, ref));
  if (*ref > 0) return PL_OK;
  if (kind->nodes != PL_NODES_EACH)
    return pl_fail(env, PL_E_INPUT, "design: objective '%s': there is no %s at the start",
                   objective_label(at->o), kind->name);
  return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0,
                    "break the symmetry, or choose another node or axis",
                    "design: objective '%s': node %d does not move at the start",
                    objective_label(at->o), at->o->node[i]);
}

pl_status objective_begin(pl_design *d, objective *o) {
  pl_objective_at at = objective_at(d, o);
  if (o->o.kind->begin) PL_TRY(o->o.kind->begin(&at, &o->own));
  at.own = o->own;
  if (!(o->o.kind->goals & (PL_GOALS_MOST | PL_GOALS_LEAST))) return PL_OK;
  for (int i = 0; i < objective_count(&o->o); i++) PL_TRY(start_value(&at, i, &o->ref[i]));
  return PL_OK;
}

// ---- checks -----------------------------------------------------------------------------------

static int node_is_driven(const pl_design *d, int node, int mask) {
  const int *index = pl_model_free_index(d->m);
  int dim = pl_model_dim(d->m);
  for (int c = 0; c < dim; c++)
    if ((mask == 0 || mask >> c & 1) && index[node * dim + c] >= 0) return 0;
  return 1;
}

static pl_status check_nodes(pl_design *d, const pl_objective *o) {
  pl_nodes nodes = o->kind->nodes;
  int many = nodes != PL_NODES_ONE;
  if (nodes == PL_NODES_NONE) return PL_OK;
  if (o->nnode < 1 || (!many && o->nnode != 1))
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "name the node that shall move",
                      "design: objective '%s' needs %s", objective_label(o),
                      many ? "one node or more" : "one node");
  for (int i = 0; i < o->nnode; i++) {
    int node = o->node[i];
    if (node < 0 || node >= pl_model_nnode(d->m))
      return pl_fail(d->env, PL_E_ARG, "design: objective '%s': there is no node %d",
                     objective_label(o), node);
    if (node_is_driven(d, node, nodes == PL_NODES_ALL ? 0 : o->mask))
      return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "choose a node that is free to move",
                        "design: objective '%s': node %d is fixed or driven%s, no design moves it",
                        objective_label(o), node, o->mask ? " along these axes" : "");
  }
  return PL_OK;
}

static pl_status check_goal(pl_design *d, const pl_objective *o) {
  const pl_objective_kind *kind = o->kind;
  if (kind->form == PL_FORM_OWN) return PL_OK;
  if (!(kind->goals >> o->goal & 1))
    return pl_fail(d->env, PL_E_INPUT, "design: objective '%s' cannot be %s", objective_label(o),
                   o->goal == PL_GOAL_MOST    ? "made as large as possible"
                   : o->goal == PL_GOAL_LEAST ? "made as small as possible"
                                              : "a target");
  if (o->goal != PL_GOAL_TARGET) return PL_OK;
  if (kind->form == PL_FORM_ANGLE ? isfinite(o->target) : o->target > 0 && isfinite(o->target))
    return PL_OK;
  return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "give a target above 0",
                    "design: objective '%s' has the target %g", objective_label(o), o->target);
}

static pl_status check_window(pl_design *d, const pl_objective *o) {
  pl_scope scope = o->kind->scope;
  if (scope == PL_SCOPE_POINT || scope == PL_SCOPE_VALUES) return PL_OK;
  if (o->measure == PL_MEASURE_HARMONIC && (o->harmonic < 1 || o->harmonic > 64))
    return pl_fail(d->env, PL_E_INPUT, "design: objective '%s': there is no harmonic %d",
                   objective_label(o), o->harmonic);
  if (o->from > 0 && o->to > 0 && o->from != o->to) return PL_OK;
  return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "give frequencies from and to above 0",
                    "design: objective '%s' has no window to look in", objective_label(o));
}

pl_status objective_check(pl_design *d, const objective *with) {
  const pl_objective *o = &with->o;
  const char *name = objective_label(o);
  pl_objective_at at = objective_at(d, with);
  if (!o->kind->motion && (!o->kind->eval || !o->kind->gradient))
    return pl_fail(d->env, PL_E_ARG,
                   "design: the kind of objective '%s' has neither motion nor eval and gradient",
                   name);
  if (o->kind->motion && o->kind->nodes != PL_NODES_ONE && o->kind->nodes != PL_NODES_EACH)
    return pl_fail(d->env, PL_E_ARG, "design: the kind of objective '%s' must be one of nodes",
                   name);
  if (!(o->weight > 0) || !isfinite(o->weight))
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "leave it out instead",
                      "design: objective '%s': weight must be > 0, got %g", name, o->weight);
  if (o->point < 0 || o->point >= d->npoint)
    return pl_fail(d->env, PL_E_ARG, "design: objective '%s': there is no operating point %d", name,
                   o->point);
  if (o->kind->drive && (o->drive < 0 || o->drive >= pl_model_ndrive(d->m)))
    return pl_fail(d->env, PL_E_ARG, "design: objective '%s': there is no drive %d", name,
                   o->drive);
  if (o->kind->one_axis && (o->mask & (o->mask - 1) || (!o->mask && pl_model_dim(d->m) > 1)))
    return pl_fail(d->env, PL_E_INPUT, "design: objective '%s' needs one axis", name);
  PL_TRY(check_nodes(d, o));
  PL_TRY(check_goal(d, o));
  PL_TRY(check_window(d, o));
  return o->kind->check ? o->kind->check(&at) : PL_OK;
}
