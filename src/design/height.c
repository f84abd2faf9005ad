// The largest peak of a response in a window. The response is followed anew for every design, so
// that the value belongs to the design and not to the way there. At a peak dA/domega = 0, so that
// dA/dp is that of the motion at its frequency; at an end of the window the frequency is given.
#include "design_impl.h"

#include <string.h>

static const double EXPONENT = 100; // of the smooth maximum: two equal peaks count 0.7 % more
static const double ALONE = 1000;   // from here on the largest counts alone

struct height {
  int known;      // of the values x
  double *x;      // [nvar]
  int n, cap;     // peaks, and the ends of the window
  pl_orbit **top; // [n], of growing frequency along the curve
  double *value;  // [n] of the measure
  solution at;    // one of them at a time
};

static void forget(pl_design *d, height *h) {
  for (int i = 0; i < h->n; i++) pl_orbit_free(h->top[i]);
  h->n = h->known = 0;
  solution_close(d, &h->at);
}

void height_free(pl_design *d, height *h) {
  if (!h) return;
  forget(d, h);
  pl_free(d->env, h->top);
  pl_free(d->env, h->value);
  pl_free(d->env, h->x);
  pl_free(d->env, h);
}

static pl_status add(pl_design *d, const objective *o, height *h, const pl_orbit *orbit) {
  if (h->n == h->cap) {
    int cap = h->cap ? 2 * h->cap : 8;
    pl_orbit **top = pl_realloc(d->env, h->top, (size_t)cap, sizeof *top);
    if (!top) return PL_E_NOMEM;
    h->top = top;
    double *value = pl_realloc(d->env, h->value, (size_t)cap, sizeof *value);
    if (!value) return PL_E_NOMEM;
    h->value = value;
    h->cap = cap;
  }
  pl_measure look = pl_objective_measure(&o->o);
  h->value[h->n] = pl_orbit_measure(d->m, d->p, orbit, &look, NULL);
  PL_TRY(pl_orbit_copy(orbit, orbit->nharm, &h->top[h->n]));
  h->n++;
  return PL_OK;
}

// the response of a trial; what goes wrong with it is worth words at the start alone
static pl_status follow(pl_design *d, const objective *o, int H, pl_curve **c) {
  pl_response_opts r = track_response(d, o, H);
  pl_measure look = pl_objective_measure(&o->o);
  pl_response_plan plan = {.nmeasure = 1, .measure = &look};
  pl_env keep = *d->env;
  int first = !(o->ref[0] > 0);
  if (!first) d->env->diag = NULL;
  pl_status st = pl_response_run(&r, d->m, d->p, d->w, &plan, c);
  d->env->diag = keep.diag;
  if (!first) d->env->nerror = keep.nerror;
  if (st == PL_OK && (*c)->reason != PL_STOP_END) st = PL_UNSOLVED;
  // an undamped resonance in the window is no input's fault later on
  if (!first && st == PL_E_INPUT) st = PL_UNSOLVED;
  if (first && st == PL_UNSOLVED)
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0,
                      "choose another window, or begin with more damping",
                      "design: objective '%s': the response between %g and %g rad/s cannot be "
                      "followed at the start",
                      objective_label(o), o->o.from, o->o.to);
  return st;
}

// all maxima of the measure over the window
static pl_status find(pl_design *d, objective *o, int H, height *h) {
  pl_curve *c = NULL;
  forget(d, h);
  pl_status st = follow(d, o, H, &c);
  if (c) {
    d->factorisations += c->factorisations;
    d->newton += c->iterations;
  }
  if (st == PL_OK) st = add(d, o, h, c->point[0].orbit);
  for (int i = 0; st == PL_OK && i < c->nspecial; i++)
    if (c->special[i].kind == PL_PEAK) st = add(d, o, h, c->special[i].orbit);
  if (st == PL_OK) st = add(d, o, h, c->point[c->npoint - 1].orbit);
  pl_curve_free(c);
  return st;
}

static pl_status look_again(pl_design *d, objective *o) {
  size_t nv = (size_t)d->nvar;
  if (!o->peaks) {
    o->peaks = pl_alloc(d->env, 1, sizeof *o->peaks);
    if (!o->peaks) return PL_E_NOMEM;
    o->peaks->x = pl_alloc(d->env, nv, sizeof(double));
    if (!o->peaks->x) return PL_E_NOMEM;
  }
  height *h = o->peaks;
  if (h->known && memcmp(h->x, d->x, nv * sizeof *h->x) == 0) return PL_OK;
  PL_TRY(find(d, o, d->H, h));
  memcpy(h->x, d->x, nv * sizeof *h->x);
  h->known = 1;
  return PL_OK;
}

static int largest(const height *h) {
  int best = 0;
  for (int i = 1; i < h->n; i++)
    if (h->value[i] > h->value[best]) best = i;
  return best;
}

pl_status height_harmonics(pl_design *d, objective *o, int *H) {
  height h = {0};
  pl_status st = find(d, o, 0, &h);
  if (st == PL_OK) *H = h.top[largest(&h)]->nharm;
  forget(d, &h);
  pl_free(d->env, h.top);
  pl_free(d->env, h.value);
  return st;
}

double height_place(const pl_design *d, const objective *o, const pl_orbit **orbit) {
  const height *h = o->peaks;
  if (!h || !h->known || memcmp(h->x, d->x, (size_t)d->nvar * sizeof *h->x) != 0) return 0;
  if (orbit) *orbit = h->top[largest(h)];
  return h->top[largest(h)]->omega;
}

pl_status height_measure(pl_design *d, objective *o, double *value) {
  PL_TRY(look_again(d, o));
  *value = o->peaks->value[largest(o->peaks)];
  if (*value > 0) return PL_OK;
  return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0,
                    "break the symmetry, or choose another node, axis or harmonic",
                    "design: objective '%s': node %d does not move between %g and %g rad/s",
                    objective_label(o), o->o.node[0], o->o.from, o->o.to);
}

static pl_status go_to(pl_design *d, const objective *o, int i) {
  height *h = o->peaks;
  solution *s = &h->at;
  if (!s->hb) PL_TRY(solution_open(d, s, h->top[i]));
  memcpy(s->orbit->z, h->top[i]->z, (size_t)d->n * sizeof(double));
  s->orbit->omega = h->top[i]->omega;
  s->linear = 0;
  s->kind = SOLUTION_PEAK;
  s->measure = pl_objective_measure(&o->o);
  return PL_OK;
}

// gx += by dA/dp of one of the maxima, at its frequency
static pl_status add_slope(pl_design *d, const objective *o, int i, double by, double *gx) {
  solution *s = &o->peaks->at;
  PL_TRY(go_to(d, o, i));
  double *gz = pl_alloc(d->env, (size_t)d->n, sizeof *gz);
  if (!gz) return PL_E_NOMEM;
  objective_measure(d, s->orbit, &s->measure, by, gz, gx);
  pl_status st = solution_linearise(d, s);
  if (st == PL_OK) st = solution_solve(d, s, 1, gz, d->f);
  if (st == PL_OK) st = solution_adjoint(d, s, d->f, gx);
  pl_free(d->env, gz);
  return st;
}

pl_status height_value(pl_design *d, objective *o, double by, double *value, double *gx) {
  PL_TRY(look_again(d, o));
  const height *h = o->peaks;
  double e = o->o.exponent > 0 ? o->o.exponent : EXPONENT, sum = 0, slope;
  double most = h->value[largest(h)];
  // A = A_1 (sum (A_i / A_1)^e)^(1/e)
  for (int i = 0; i < h->n; i++) sum += pow(h->value[i] / most, e);
  double A = e < ALONE ? most * pow(sum, 1 / e) : most;
  *value = goal_value(&o->o, A, o->ref[0], &slope);
  if (!gx) return PL_OK;
  if (e >= ALONE) return add_slope(d, o, largest(h), by * slope, gx);
  for (int i = 0; i < h->n; i++) {
    double part = pow(h->value[i] / most, e - 1) * pow(sum, 1 / e - 1);
    if (part > 1e-12) PL_TRY(add_slope(d, o, i, by * slope * part, gx));
  }
  return PL_OK;
}

pl_status height_peak(pl_design *d, objective *o, double *value, double *grad, double *omega,
                      double *omega_grad) {
  PL_TRY(height_measure(d, o, value));
  height *h = o->peaks;
  int best = largest(h);
  *omega = h->top[best]->omega;
  memset(grad, 0, (size_t)d->nvar * sizeof *grad);
  memset(omega_grad, 0, (size_t)d->nvar * sizeof *omega_grad);
  // an end of the window stays where it is
  if (best == 0 || best == h->n - 1) return add_slope(d, o, best, 1, grad);
  PL_TRY(go_to(d, o, best));
  return track_slopes(d, &h->at, 1, &h->at.measure, omega_grad, grad);
}
