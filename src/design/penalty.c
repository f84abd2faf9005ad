// Penalties: stability, mass, strain, and smoothness over neighbouring elements.
#include "design_impl.h"

#include <stdlib.h>
#include <string.h>

// ---- stability --------------------------------------------------------------------------------

static pl_status largest_multiplier(pl_design *d, const pl_orbit *o, double *size) {
  pl_floquet f;
  PL_TRY(pl_orbit_floquet(d->m, d->p, d->w, o, PL_FLOQUET_AUTO, &f));
  *size = f.n > 0 ? hypot(f.re[0], f.im[0]) : 0;
  return PL_OK;
}

// What is differentiated at x with variable k moved by h, the motion with it along dz: the growth,
// or where there is none (NULL) the largest multiplier.
static pl_status look_beside(pl_design *d, const solution *s, const pl_growth *g, const double *dz,
                             int k, double h, double *value) {
  pl_orbit *o;
  double x = d->x[k];
  PL_TRY(pl_orbit_copy(s->orbit, s->orbit->nharm, &o));
  pl_axpy(d->n, h, dz, s->orbit->z, o->z);
  d->x[k] = x + h;
  pl_status st = variables_set(d, d->x);
  if (st == PL_OK && s->kind == SOLUTION_POINT) o->omega = d->omega[s - d->solution];
  if (st == PL_OK && g) st = pl_growth_at(g, d->m, d->p, d->w, o, value);
  if (st == PL_OK && !g) st = largest_multiplier(d, o, value);
  d->x[k] = x;
  pl_orbit_free(o);
  return st;
}

// A smooth function without noise: formulas of fourth order with steps of 1e-3 leave 1e-10 or so.
// At a bound all of them lie on the side within.
static pl_status growth_slope(pl_design *d, const solution *s, const pl_growth *g, int k,
                              double *out) {
  static const double even[5] = {1 / 12.0, -2 / 3.0, 0, 2 / 3.0, -1 / 12.0};
  static const double side[5] = {-25 / 12.0, 4, -3, 4 / 3.0, -1 / 4.0};
  const variable *v = &d->var[k];
  double x = d->x[k], h = fmin(1e-3 * scaled_slope(v, x), 0.125 * (v->hi - v->lo)), value;
  int inner = x - 2 * h >= v->lo && x + 2 * h <= v->hi, sign = v->hi - x >= x - v->lo ? 1 : -1;
  const double *w = inner ? even : side;
  *out = 0;
  for (int i = 0; i < 5; i++) {
    double by = inner ? (i - 2) * h : sign * i * h;
    if (w[i] == 0) continue;
    PL_TRY(look_beside(d, s, g, d->dz, k, by, &value));
    *out += w[i] * value / (inner ? h : sign * h);
  }
  return PL_OK;
}

// of multipliers, which have the noise of their methods
static pl_status multiplier_slope(pl_design *d, const solution *s, int k, double *out) {
  const variable *v = &d->var[k];
  double x = d->x[k], h = 1e-4 * scaled_slope(v, x), up = fmin(h, v->hi - x),
         down = fmax(-h, v->lo - x), a, b;
  PL_TRY(look_beside(d, s, NULL, d->dz, k, up, &a));
  PL_TRY(look_beside(d, s, NULL, d->dz, k, down, &b));
  *out = (a - b) / (up - down);
  return PL_OK;
}

// d|mu|/dx along dz/dp
static pl_status stability_gradient(pl_design *d, solution *s, double size, double by, double *gx) {
  pl_growth *g = NULL;
  double *unit = pl_alloc(d->env, (size_t)d->nvar, sizeof *unit), slope;
  if (!unit) return PL_E_NOMEM;
  pl_status st = solution_linearise(d, s);
  if (st == PL_OK) st = pl_growth_create(d->m, d->p, d->w, s->orbit, &g);
  if (st == PL_UNSOLVED) st = PL_OK;
  // it has to be the one that was found
  if (g && fabs(pl_growth_size(g) - size) > 1e-3 * size) {
    pl_growth_free(g);
    g = NULL;
  }
  for (int k = 0; st == PL_OK && k < d->nvar; k++) {
    unit[k] = 1;
    st = solution_along(d, s, unit, d->dz);
    unit[k] = 0;
    if (st == PL_OK) st = g ? growth_slope(d, s, g, k, &slope) : multiplier_slope(d, s, k, &slope);
    pl_status back = variables_set(d, d->x);
    if (st == PL_OK) st = back;
    if (st == PL_OK) gx[k] += by * slope;
  }
  pl_growth_free(g);
  pl_free(d->env, unit);
  return st;
}

static pl_status stability_value(pl_design *d, objective *o, double by, double *value, double *gx) {
  solution *s = &d->solution[o->solution];
  double size;
  PL_TRY(largest_multiplier(d, s->orbit, &size));
  double over = fmax(0, size / o->o.target - 1);
  *value = over * over;
  if (!gx || over == 0) return PL_OK;
  return stability_gradient(d, s, size, 2 * by * over / o->o.target, gx);
}

// ---- smoothness -------------------------------------------------------------------------------

// the variable that turns a parameter of an element of a group, -1: none
typedef struct owners {
  int nelem, npar, *var; // [nelem][npar]
} owners;

static pl_status find_owners(const pl_design *d, int g, owners *own) {
  const pl_elem_kind *kind = pl_model_group_kind(d->m, g);
  int n = pl_model_group_size(d->m, g);
  *own = (owners){.nelem = n, .npar = kind->npar};
  own->var = pl_alloc(d->env, (size_t)n * (size_t)kind->npar, sizeof(int));
  if (!own->var) return PL_E_NOMEM;
  for (int i = 0; i < n * kind->npar; i++) own->var[i] = -1;
  const double *first = pl_model_group_par(d->m, d->p, g, 0);
  if (n < 2 || pl_model_group_par(d->m, d->p, g, 1) == first) return PL_OK;
  for (int k = 0; k < d->nvar; k++) {
    if (d->var[k].kind != PL_VARIABLE_DESIGN) continue;
    const pl_design_desc *desc = pl_model_design(d->m, d->var[k].index);
    for (int t = 0; t < desc->ntarget; t++) {
      long at = desc->target[t].index - (first - d->p->par);
      if (!desc->target[t].on_ref && at >= 0 && at < (long)n * kind->npar) own->var[at] = k;
    }
  }
  return PL_OK;
}

static int shared_nodes(const pl_elem_kind *k, const int *a, const int *b) {
  int n = 0;
  for (int i = 0; i < k->nvert; i++)
    for (int j = 0; j < k->nvert; j++) n += a[i] >= 0 && a[i] == b[j];
  return n;
}

static pl_status add_pair(pl_design *d, objective *o, int *cap, int a, int b) {
  if (a < 0 || b < 0 || a == b) return PL_OK;
  PL_TRY(pl_grow(d->env, &o->pair, o->npair, cap, 2 * sizeof(int)));
  o->pair[2 * o->npair] = a < b ? a : b;
  o->pair[2 * o->npair++ + 1] = a < b ? b : a;
  return PL_OK;
}

// pairs of variables on elements of a group that share a side
static pl_status group_pairs(pl_design *d, objective *o, int g, int *cap, int *head, int *next) {
  const pl_elem_kind *kind = pl_model_group_kind(d->m, g);
  const int *stencil = pl_model_group_stencil(d->m, g);
  int nent = kind->nvert + kind->nscal, side = kind->nvert < 4 ? kind->nvert - 1 : 3;
  owners own;
  pl_status st = find_owners(d, g, &own);
  for (int i = 0; i < pl_model_nnode(d->m); i++) head[i] = -1;
  // elements that were seen before hang at their nodes, one entry a vertex
  for (int e = 0; st == PL_OK && kind->nvert > 1 && e < own.nelem; e++) {
    const int *a = stencil + (size_t)e * (size_t)nent;
    for (int i = 0; st == PL_OK && i < kind->nvert; i++)
      for (int at = a[i] >= 0 ? head[a[i]] : -1; st == PL_OK && at >= 0; at = next[at]) {
        int f = at / kind->nvert;
        if (shared_nodes(kind, a, stencil + (size_t)f * (size_t)nent) < side) continue;
        for (int p = 0; st == PL_OK && p < own.npar; p++)
          st = add_pair(d, o, cap, own.var[e * own.npar + p], own.var[f * own.npar + p]);
      }
    for (int i = 0; i < kind->nvert; i++) {
      if (a[i] < 0) continue;
      next[e * kind->nvert + i] = head[a[i]];
      head[a[i]] = e * kind->nvert + i;
    }
  }
  pl_free(d->env, own.var);
  return st;
}

static int compare_pairs(const void *a, const void *b) {
  const int *x = a, *y = b;
  return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

pl_status penalty_pairs(pl_design *d, objective *o) {
  int cap = 0, most = 0;
  for (int g = 0; g < pl_model_ngroup(d->m); g++) {
    int n = pl_model_group_size(d->m, g) * pl_model_group_kind(d->m, g)->nvert;
    if (n > most) most = n;
  }
  int *head = pl_alloc(d->env, (size_t)pl_model_nnode(d->m), sizeof(int)),
      *next = pl_alloc(d->env, (size_t)most, sizeof(int));
  pl_status st = head && next ? PL_OK : PL_E_NOMEM;
  for (int g = 0; st == PL_OK && g < pl_model_ngroup(d->m); g++)
    st = group_pairs(d, o, g, &cap, head, next);
  pl_free(d->env, head);
  pl_free(d->env, next);
  PL_TRY(st);
  if (o->npair == 0)
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "give elements parameters of their own",
                      "design: objective '%s': no two variables act on neighbouring elements",
                      objective_label(o));
  qsort(o->pair, (size_t)o->npair, 2 * sizeof(int), compare_pairs);
  int n = 1;
  for (int i = 1; i < o->npair; i++) {
    if (compare_pairs(o->pair + 2 * i, o->pair + 2 * n - 2) == 0) continue;
    memmove(o->pair + 2 * n++, o->pair + 2 * i, 2 * sizeof(int));
  }
  o->npair = n;
  return PL_OK;
}

static void smooth_value(pl_design *d, objective *o, double by, double *value, double *gx) {
  *value = 0;
  for (int i = 0; i < o->npair; i++) {
    int a = o->pair[2 * i], b = o->pair[2 * i + 1];
    double off = to_scaled(&d->var[a], d->x[a]) - to_scaled(&d->var[b], d->x[b]);
    *value += off * off / o->npair;
    if (!gx) continue;
    gx[a] += 2 * by * off / (o->npair * scaled_slope(&d->var[a], d->x[a]));
    gx[b] -= 2 * by * off / (o->npair * scaled_slope(&d->var[b], d->x[b]));
  }
}

// ---- mass and strain --------------------------------------------------------------------------

static pl_status total_mass(pl_design *d, double *mass) {
  double lin[3], ang[3];
  pl_state *s;
  PL_TRY(pl_state_create(d->m, d->p, &s));
  pl_momentum(d->m, d->p, s, mass, lin, ang);
  pl_state_free(d->m, s);
  return PL_OK;
}

pl_status penalty_measure(pl_design *d, objective *o, double *value) {
  if (o->o.kind == PL_OBJECTIVE_MASS) return total_mass(d, value);
  return strain_value(d, o, 0, value, NULL, NULL);
}

// over the start's value, or beyond the limit
static pl_status limited_value(pl_design *d, objective *o, double by, double *value, double *gz,
                               double *gx) {
  double now, slope;
  PL_TRY(penalty_measure(d, o, &now));
  double over = fmax(0, now / o->o.target - 1);
  int limit = o->o.goal == PL_GOAL_TARGET;
  *value = limit ? over * over : now / o->ref[0];
  slope = limit ? 2 * over / o->o.target : 1 / o->ref[0];
  if ((!gz && !gx) || slope == 0) return PL_OK;
  if (o->o.kind == PL_OBJECTIVE_MASS)
    return gx ? pl_directions_mass(d->directions, d->p, by * slope, gx) : PL_OK;
  return strain_value(d, o, by * slope, &now, gz, gx);
}

pl_status penalty_value(pl_design *d, objective *o, double by, double *value, double *gz,
                        double *gx) {
  if (o->o.kind == PL_OBJECTIVE_STABILITY) return stability_value(d, o, by, value, gx);
  if (o->o.kind != PL_OBJECTIVE_SMOOTH) return limited_value(d, o, by, value, gz, gx);
  smooth_value(d, o, by, value, gx);
  return PL_OK;
}
