// Motions that follow the design: predicted by z + S dx, corrected by Newton's method, on a way
// that is cut where they are lost or where a correction smells of another branch.
#include "design_impl.h"

#include <string.h>

enum { SHIFTED_ITER = 20 };

pl_status solution_open(pl_design *d, solution *s, const pl_orbit *orbit) {
  size_t n = (size_t)d->n;
  PL_TRY(pl_hb_create(d->m, d->p, d->w, d->H, d->o.samples, &s->hb));
  PL_TRY(pl_bordered_create(s->hb, &s->b));
  PL_TRY(pl_orbit_copy(orbit, d->H, &s->orbit));
  s->base = pl_alloc(d->env, 6 * n, sizeof(double));
  if (!s->base) return PL_E_NOMEM;
  s->ray = s->base + n;
  s->last = s->ray + n;
  s->prev = s->last + n;
  s->bordering = s->prev + n;
  return PL_OK;
}

void solution_close(pl_design *d, solution *s) {
  pl_bordered_free(s->b);
  pl_hb_free(s->hb);
  pl_orbit_free(s->orbit);
  pl_free(d->env, s->base);
  *s = (solution){0};
}

int solutions_factorisations(const pl_design *d) {
  int n = d->factorisations;
  for (int i = 0; i < d->nsolution; i++)
    if (d->solution[i].b) n += pl_bordered_stats(d->solution[i].b).factorisations;
  return n;
}

double swing_of(const pl_orbit *o) {
  int L = 2 * o->nharm + 1;
  double most = 0;
  for (int i = 0; i < o->nfree; i++)
    most = fmax(most, pl_max_abs(L - 1, o->z + (size_t)i * (size_t)L + 1));
  return most;
}

// ---- solutions --------------------------------------------------------------------------------

pl_status solution_linearise(pl_design *d, solution *s) {
  (void)d;
  if (s->linear) return PL_OK;
  PL_TRY(pl_hb_eval(s->hb, s->orbit->z, s->orbit->omega,
                    PL_HB_RESIDUAL | PL_HB_JACOBIAN | PL_HB_OMEGA));
  PL_TRY(pl_bordered_set(s->b, NULL, NULL, 0));
  s->linear = 1;
  return PL_OK;
}

pl_status solutions_linearise(pl_design *d) {
  for (int i = 0; i < d->npoint; i++) {
    pl_status st = solution_linearise(d, &d->solution[i]);
    if (st < 0) return st;
  }
  return PL_OK;
}

static pl_status solve(solution *s, int transposed, const double *f, double *x) {
  return transposed ? pl_bordered_solve_transposed(s->b, f, 0, x, NULL)
                    : pl_bordered_solve(s->b, f, 0, x, NULL);
}

pl_status solution_solve(pl_design *d, solution *s, int transposed, const double *f, double *x) {
  pl_status st = solve(s, transposed, f, x);
  // section 4.1: the diagonal is moved until there is a solution
  for (double by = 1e-12; st == PL_SINGULAR && by < 1e-3; by *= 100) {
    d->regularised++;
    s->linear = 0;
    pl_hb_shift_diagonal(s->hb, by);
    PL_TRY(pl_bordered_set(s->b, NULL, NULL, 0));
    st = solve(s, transposed, f, x);
  }
  return st;
}

// Newton's method with a moved diagonal, less and less of it
static pl_status newton_shifted(pl_design *d, solution *s, pl_orbit *o) {
  double by = 1e-6, *dz = d->dz;
  for (int it = 0; it < SHIFTED_ITER; it++, by *= 0.1) {
    pl_status st = pl_hb_eval(s->hb, o->z, o->omega, PL_HB_RESIDUAL | PL_HB_JACOBIAN);
    if (st == PL_DOMAIN) return PL_UNSOLVED;
    PL_TRY(st);
    double e = pl_hb_error(s->hb);
    if (e <= d->o.rtol) return PL_OK;
    if (!isfinite(e)) return PL_UNSOLVED;
    for (int i = 0; i < d->n; i++) dz[i] = -pl_hb_residual(s->hb)[i];
    pl_hb_shift_diagonal(s->hb, by);
    PL_TRY(pl_bordered_set(s->b, NULL, NULL, 0));
    PL_TRY(pl_bordered_solve(s->b, dz, 0, dz, NULL));
    pl_axpy(d->n, 1, dz, o->z, o->z);
    d->newton++;
  }
  return PL_UNSOLVED;
}

pl_status solution_newton(pl_design *d, solution *s, pl_orbit *o) {
  pl_periodic_info info = {0};
  s->linear = 0;
  pl_status st = pl_hb_newton(s->hb, s->b, o, d->o.rtol, d->o.max_newton, &info);
  d->newton += info.iterations;
  if (st != PL_UNSOLVED || info.reason != PL_STOP_SINGULAR) return st;
  d->regularised++;
  st = newton_shifted(d, s, o);
  return st == PL_SINGULAR ? PL_UNSOLVED : st;
}

// ---- sensitivities ----------------------------------------------------------------------------

// the variable that is the frequency of a site, -1: none
static int frequency_of(const pl_design *d, const solution *s) {
  for (int k = 0; k < d->nvar; k++)
    if (d->var[k].kind == PL_VARIABLE_FREQUENCY && s == &d->solution[d->var[k].index]) return k;
  return -1;
}

pl_status solution_along(pl_design *d, solution *s, const double *dx, double *dz) {
  int k = frequency_of(d, s);
  PL_TRY(pl_hb_change(s->hb, d->directions, s->orbit, dx, dz));
  if (k >= 0) pl_axpy(d->n, dx[k], pl_hb_domega(s->hb), dz, dz);
  PL_TRY(solution_solve(d, s, 0, dz, dz));
  for (int i = 0; i < d->n; i++) dz[i] = -dz[i];
  return PL_OK;
}

pl_status solution_adjoint(pl_design *d, solution *s, const double *lambda, double *grad) {
  int k = frequency_of(d, s);
  double *sum = pl_alloc(d->env, (size_t)d->nvar, sizeof *sum);
  if (!sum) return PL_E_NOMEM;
  pl_status st = pl_hb_change_dot(s->hb, d->directions, s->orbit, lambda, sum);
  if (k >= 0) sum[k] += pl_dot(d->n, lambda, pl_hb_domega(s->hb));
  for (int i = 0; i < d->nvar; i++) grad[i] -= sum[i];
  pl_free(d->env, sum);
  return st;
}

// ---- on the way to other values ---------------------------------------------------------------

void solutions_keep(pl_design *d) {
  memcpy(d->base, d->x, (size_t)d->nvar * sizeof *d->x);
  for (int i = 0; i < d->nsolution; i++) {
    solution *s = &d->solution[i];
    memcpy(s->base, s->orbit->z, (size_t)d->n * sizeof(double));
    s->base_omega = s->orbit->omega;
    s->have_ray = 0;
  }
  d->have_hint = 0;
}

pl_status solutions_restore(pl_design *d) {
  for (int i = 0; i < d->nsolution; i++) {
    solution *s = &d->solution[i];
    memcpy(s->orbit->z, s->base, (size_t)d->n * sizeof(double));
    s->orbit->omega = s->base_omega;
    s->linear = 0;
  }
  return variables_set(d, d->base);
}

static int at_base(const pl_design *d) {
  return memcmp(d->x, d->base, (size_t)d->nvar * sizeof *d->x) == 0;
}

// factor of the rays for a step du in scaled variables; they are made anew for a new direction
// where that is cheap: while the factors at the base are at hand. 0: there are none.
static pl_status cast_rays(pl_design *d, const double *du, double *factor) {
  int n = d->nvar;
  double rr = pl_dot(n, d->ray, d->ray), c = rr > 0 ? pl_dot(n, d->ray, du) / rr : 0, off = 0;
  for (int k = 0; k < n; k++) off = fmax(off, fabs(du[k] - c * d->ray[k]));
  int have = 1;
  for (int i = 0; i < d->npoint; i++) have &= d->solution[i].have_ray;
  *factor = c;
  if (have && off <= 1e-9 * pl_max_abs(n, du)) return PL_OK;
  *factor = 1;
  memcpy(d->ray, du, (size_t)n * sizeof *du);
  double *dx = pl_alloc(d->env, (size_t)n, sizeof *dx);
  if (!dx) return PL_E_NOMEM;
  for (int k = 0; k < n; k++) dx[k] = du[k] * scaled_slope(&d->var[k], d->base[k]);
  pl_status st = PL_OK;
  for (int i = 0; st == PL_OK && i < d->npoint; i++) {
    solution *s = &d->solution[i];
    s->have_ray = 0;
    if (!s->linear || !at_base(d)) continue;
    st = solution_along(d, s, dx, s->ray);
    s->have_ray = st == PL_OK;
    if (st > 0 && st != PL_CANCELLED) st = PL_OK;
  }
  pl_free(d->env, dx);
  return st;
}

// the guess at part t of the way from the last points of the way
static void guess(pl_design *d, solution *s, double factor, double prev, double last, double t) {
  double *z = s->orbit->z, omega = s->last_omega;
  memcpy(z, s->last, (size_t)d->n * sizeof *z);
  if (last > 0) {
    double c = (t - last) / (last - prev);
    for (int i = 0; i < d->n; i++) z[i] += c * (s->last[i] - s->prev[i]);
    omega += c * (s->last_omega - s->prev_omega);
  } else if (s->have_ray) {
    pl_axpy(d->n, factor * t, s->ray, z, z);
  }
  s->orbit->omega = s->kind == SOLUTION_POINT ? d->omega[s - d->solution] : omega;
}

static pl_status correct(pl_design *d, solution *s) {
  double *from = d->guess;
  memcpy(from, s->orbit->z, (size_t)d->n * sizeof *from);
  pl_status st =
      s->kind == SOLUTION_POINT ? solution_newton(d, s, s->orbit) : track_correct(d, s, s->orbit);
  if (st == PL_SINGULAR || st == PL_DOMAIN) st = PL_UNSOLVED;
  PL_TRY(st);
  for (int i = 0; i < d->n; i++) from[i] -= s->orbit->z[i];
  return pl_max_abs(d->n, from) <= d->o.jump * swing_of(s->orbit) ? PL_OK : PL_UNSOLVED;
}

// one step of the way to scaled values u
static pl_status way_step(pl_design *d, const double *u, double factor, double prev, double last,
                          double t, double *x) {
  for (int k = 0; k < d->nvar; k++) {
    double u0 = to_scaled(&d->var[k], d->base[k]);
    x[k] = t == 1 ? from_scaled(&d->var[k], u[k]) : from_scaled(&d->var[k], u0 + t * (u[k] - u0));
  }
  pl_status st = variables_set(d, x);
  if (st == PL_DOMAIN) return PL_UNSOLVED;
  PL_TRY(st);
  for (int i = 0; i < d->nsolution; i++) {
    guess(d, &d->solution[i], factor, prev, last, t);
    PL_TRY(correct(d, &d->solution[i]));
  }
  return PL_OK;
}

static void predict_solutions(pl_design *d) {
  for (int i = 0; i < d->nsolution; i++) {
    solution *s = &d->solution[i];
    double *t = s->prev;
    s->prev = s->last;
    s->prev_omega = s->last_omega;
    s->last = t;
    memcpy(t, s->orbit->z, (size_t)d->n * sizeof *t);
    s->last_omega = s->orbit->omega;
  }
}

// largest predicted change of a motion over its size
static double predicted(const pl_design *d, double factor) {
  double most = 0;
  for (int i = 0; i < d->npoint; i++) {
    const solution *s = &d->solution[i];
    pl_orbit base = *s->orbit;
    base.z = s->base;
    double swing = swing_of(&base);
    base.z = s->ray;
    // places about which it moves may shift
    if (s->have_ray && swing > 0) most = fmax(most, fabs(factor) * swing_of(&base) / swing);
  }
  return most;
}

// where the last way ended is a good guess for a step that ends there
static int use_hint(pl_design *d, const double *du) {
  double off = 0;
  for (int k = 0; k < d->nvar; k++) off = fmax(off, fabs(du[k] - d->hint[k]));
  int use = d->have_hint && off <= 1e-6 * pl_max_abs(d->nvar, du);
  d->have_hint = 0;
  for (int i = 0; i < d->nsolution; i++) {
    solution *s = &d->solution[i];
    if (use) {
      memcpy(s->ray, s->last, (size_t)d->n * sizeof(double));
      pl_axpy(d->n, -1, s->base, s->ray, s->ray);
      s->have_ray = 1;
      s->prev_omega = s->last_omega;
    } else {
      s->prev_omega = s->base_omega;
    }
    memcpy(s->last, s->base, (size_t)d->n * sizeof(double));
    s->last_omega = s->prev_omega;
  }
  if (use) memcpy(d->ray, du, (size_t)d->nvar * sizeof *du);
  return use;
}

// motions are lost beyond part `at` of the way and good up to part `last`
static void remember_lost(pl_design *d, const double *du, double last, double at) {
  d->lost = last > 0 ? last : 0.5 * at;
  d->have_hint = last > 0;
  for (int k = 0; k < d->nvar; k++) d->hint[k] = last * du[k];
}

static pl_status follow_line(pl_design *d, const double *u, const double *du, double factor,
                             double step, int most, double *x) {
  double prev = 0, last = 0;
  for (int tries = 0;; tries++) {
    double t = fmin(1, last + step);
    if (1 - t < 0.01 * step) t = 1;
    pl_status st = way_step(d, u, factor, prev, last, t, x);
    if (st == PL_OK && t == 1) return PL_OK;
    if (st != PL_OK && st != PL_UNSOLVED) return st;
    if (tries + 1 >= most || step < 1e-6) {
      if (st == PL_OK) {
        predict_solutions(d);
        last = t;
      }
      remember_lost(d, du, last, t);
      return PL_UNSOLVED;
    }
    if (st == PL_UNSOLVED) {
      step = 0.5 * (t - last);
      continue;
    }
    predict_solutions(d);
    prev = last;
    last = t;
    step *= 2;
  }
}

static pl_status go(pl_design *d, const double *u, int patient, double *x, double *du) {
  double factor = 1, step = 1;
  for (int k = 0; k < d->nvar; k++) du[k] = u[k] - to_scaled(&d->var[k], d->base[k]);
  if (!use_hint(d, du)) {
    PL_TRY(cast_rays(d, du, &factor));
    double far = predicted(d, factor);
    if (far > d->o.reach) {
      d->lost = fmax(0.01, d->o.reach / far);
      if (!patient) return PL_UNSOLVED;
      step = d->lost;
    }
  }
  return follow_line(d, u, du, factor, step, patient ? 20 * d->o.cuts : d->o.cuts, x);
}

pl_status solutions_move(pl_design *d, const double *x, int patient) {
  size_t n = (size_t)d->nvar;
  double *u = pl_alloc(d->env, 3 * n, sizeof *u);
  if (!u) return PL_E_NOMEM;
  for (int k = 0; k < d->nvar; k++) {
    const variable *v = &d->var[k];
    u[k] = to_scaled(v, fmin(fmax(x[k], v->lo), v->hi));
  }
  pl_status st = go(d, u, patient, u + n, u + 2 * n);
  pl_free(d->env, u);
  // a step that was not even tried has changed nothing
  if (st == PL_OK || (st == PL_UNSOLVED && at_base(d))) return st;
  pl_status back = solutions_restore(d);
  return back < 0 ? back : st;
}
