// Stability: the size of the largest Floquet multiplier.
#include "design_impl.h"

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

static pl_status eval(const pl_objective_at *at, int i, double *size) {
  (void)i;
  return largest_multiplier(at->d, at->orbit, size);
}

static pl_status gradient(const pl_objective_at *at, int i, double size, double by, double *gz,
                          double *gx) {
  pl_design *d = at->d;
  (void)i;
  (void)gz;
  return stability_gradient(d, &d->solution[d->obj[at->index].solution], size, by, gx);
}

const pl_objective_kind pl_objective_stability = {
    .name = "stability",
    .text = "the largest Floquet multiplier stays below a bound",
    .value = "number",
    .about = "bound on the largest Floquet multiplier, e.g. 0.95",
    .keys = "at",
    .quantity = "multiplier",
    .unit = "",
    .form = PL_FORM_LIMIT,
    .goals = PL_GOALS_TARGET,
    .eval = eval,
    .gradient = gradient,
};
